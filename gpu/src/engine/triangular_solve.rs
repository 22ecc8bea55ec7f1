//! Solution of systems of equations with a sparse triangular matrix.
//!
//! A warp solves rows as soon as the rows that they need are solved: no analysis precedes it, and one launch solves all
//! rows. A factor that is used often has panels, whose dense triangles are inverted once. Lower bounds: of the traffic,
//! the entries once, the inverses, and the elements of the solution that they multiply from the L2 cache; of the time,
//! one exchange through the L2 cache for each block, and one through shared memory for each row, or each dense panel, of
//! the longest chain of rows that depend on each other.

use cuprum_direct::MOST_PANEL_ROWS;
use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{
    TriangularInverseParams, TriangularSolveParams, triangular_inverses_source, triangular_solve_source,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;
use crate::index::s;

/// Rows of a block, at most: those of a panel.
const MOST_ROWS: usize = MOST_PANEL_ROWS;

/// Elements of a row of an inverse in shared memory, where rows begin in other banks.
const STRIDE: usize = MOST_PANEL_ROWS + 1;

thread_local! {
    static KERNELS: Kernels<(DType, bool)> = Kernels::default();
    static INVERSES: Kernels<(DType, bool)> = Kernels::default();
}

/// Panels of a triangular matrix, with the inverses of those that are dense.
#[derive(Clone, Debug)]
pub(crate) struct InvertedPanels {
    /// The first row of each panel, and the number of rows, of uint32.
    starts: Array,
    /// The number of each panel's inverse, or -1, of int32.
    slots: Array,
    /// The inverses, of shape (number, 32, 32).
    inverses: Array,
    /// 1 for an inverse of moderate growth, otherwise 0, of uint32.
    stable: Array,
}

impl InvertedPanels {
    /// Inverts the dense panels of a triangle without entries in the other one. Returns `None` if no panel is dense.
    pub(crate) fn new(a: Triangle<'_>, panels: &cuprum_direct::Panels) -> Result<Option<InvertedPanels>> {
        if panels.dense == 0 {
            return Ok(None);
        }
        let device = a.values.device();
        let starts = make::of(device, &panels.starts, &[panels.starts.len()])?;
        let slots = make::of(device, &panels.slots, &[panels.slots.len()])?;
        InvertedPanels::inverted(a, starts, slots, panels.dense).map(Some)
    }

    /// Inverts the same panels of a triangle of other values.
    pub(crate) fn with_values(&self, a: Triangle<'_>) -> Result<InvertedPanels> {
        InvertedPanels::inverted(a, self.starts.clone(), self.slots.clone(), self.stable.size())
    }

    fn inverted(a: Triangle<'_>, starts: Array, slots: Array, dense: usize) -> Result<InvertedPanels> {
        let Triangle { indptr, columns, values, .. } = a;
        let device = one_device(values, [indptr, columns, &starts, &slots])?;
        let inverses = make::empty(device, &[dense, MOST_ROWS, MOST_ROWS], values.dtype())?;
        let stable = make::empty(device, &[dense], DType::U32)?;
        let params = TriangularInverseParams {
            width: Width::default(),
            backward: a.upper,
            unit: a.unit,
            ends: read(indptr),
            columns: read(columns),
            values: read(values),
            starts: read(&starts),
            slots: read(&slots),
            inverses: written(&inverses),
            stable: written(&stable),
        };
        let key = (values.dtype(), indptr.dtype() == DType::I64);
        let source =
            || (format!("triangular inverses/{}/{}", key.0, indptr.dtype()), triangular_inverses_source(key.0, key.1));
        let [function] = kernels(&INVERSES, device, key, ["triangular_inverses"], source)?;
        // SAFETY: the panels are consecutive rows of the matrix, and each inverse has the memory of its number; entries
        // are those of the rows.
        unsafe { Launcher::on(device).launch(function, Blocks::of(slots.size(), indptr.size(), "rows"), 32, &params) }?;
        Ok(InvertedPanels { starts, slots, inverses, stable })
    }
}

/// A triangular matrix in compressed rows without duplicate entries; entries of the other triangle are ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle<'a> {
    /// Position at which each row begins, and the end of the last.
    pub(crate) indptr: &'a Array,
    /// Column of each entry.
    pub(crate) columns: &'a Array,
    /// Value of each entry.
    pub(crate) values: &'a Array,
    /// True for the upper triangle, which is solved from the last row on.
    pub(crate) upper: bool,
    /// True if the diagonal is one, whatever is stored.
    pub(crate) unit: bool,
    /// True if values are conjugated as they are read.
    pub(crate) conjugate: bool,
    /// The panels of the matrix, or of its transpose if the second is true.
    pub(crate) panels: Option<(&'a InvertedPanels, bool)>,
}

/// Returns the strides of a vector or matrix, in elements.
fn steps(a: &Array) -> [i64; 2] {
    std::array::from_fn(|k| a.strides().get(k).map_or(0, |s| s / a.itemsize() as i64))
}

/// Returns the solutions for the right-hand sides `b`, of one or two axes and the dtype of the matrix, as an array of
/// two axes in C order.
///
/// Row i of the system has the right-hand side of row `gather[i]`. If there is an `out` of the shape of `b`, its row
/// `scatter[i]` is row i of the solution.
pub(crate) fn triangular_solve(
    a: Triangle<'_>,
    gather: Option<&Array>,
    b: &Array,
    scatter: Option<&Array>,
    out: Option<&Array>,
) -> Result<Array> {
    let Triangle { indptr, columns, values, .. } = a;
    let others = [columns, values, b].into_iter().chain(gather).chain(scatter).chain(out);
    let device = one_device(indptr, others)?;
    let (rows, right_sides) = (indptr.size() - 1, b.shape().get(1).copied().unwrap_or(1));
    let index = indptr.dtype();
    debug_assert!([gather, scatter].into_iter().flatten().all(|a| a.dtype() == index && a.size() == rows));
    debug_assert!(b.dtype() == values.dtype() && b.shape()[0] == rows && out.is_none_or(|o| o.shape() == b.shape()));
    // The solutions, and after them the number of blocks that have started: all bits are set.
    let words = (rows * right_sides * values.itemsize()).div_ceil(8);
    let memory = make::full(device, &[words + 1], u64::MAX, DType::U64)?;
    let ticket = memory.index(s![words as i64..])?;
    let elements = memory.index(s![..words as i64])?.view(values.dtype())?;
    let x = elements.index(s![..(rows * right_sides) as i64])?.reshape([rows, right_sides])?;
    if x.size() == 0 {
        return Ok(x);
    }
    let across_log2 = right_sides.next_power_of_two().ilog2().min(5);
    let tiles = right_sides.div_ceil(1 << across_log2);
    // A thread has two entries of a row of the mean length, and reads one ahead. Rows of a warp exchange elements
    // by shuffles, but a warp of many rows has a large tile of shared memory.
    let lanes = (values.size() / rows / 2).next_power_of_two().clamp(2, 16).max(1 << across_log2);
    let of_warp = 32 / lanes;
    // Small systems need few threads.
    let least = if a.panels.is_some() { MOST_ROWS } else { rows.next_power_of_two() };
    let block = MOST_ROWS.min(least).max(of_warp);
    let of_rows = block * ((of_warp + 1) * values.itemsize() + size_of::<u32>());
    let of_inverse = if a.panels.is_some() { MOST_ROWS * STRIDE * values.itemsize() } else { 0 };
    let shared = (block << across_log2) * values.itemsize() + of_rows.max(of_inverse);
    let (panels, transposed) = a.panels.unzip();
    let of_panels = |array: fn(&InvertedPanels) -> &Array| Read(panels.map(|p| DevicePtr::of(array(p))));
    let blocks = panels.map_or(rows.div_ceil(block), |p| p.slots.size());
    let params = TriangularSolveParams {
        width: Width::default(),
        rows,
        entries: values.size(),
        right_sides,
        panels: panels.map_or(0, |p| p.slots.size()),
        tiles,
        across_log2,
        lanes_log2: lanes.ilog2(),
        backward: a.upper,
        unit: a.unit,
        conjugate: a.conjugate && values.dtype().is_complex(),
        transposed: transposed.unwrap_or(false),
        starts: of_panels(|p| &p.starts),
        slots: of_panels(|p| &p.slots),
        inverses: of_panels(|p| &p.inverses),
        stable: of_panels(|p| &p.stable),
        ends: read(indptr),
        columns: read(columns),
        values: read(values),
        gather: Read(gather.map(DevicePtr::of)),
        b: read(b),
        b_steps: steps(b),
        x: written(&x),
        ticket: written(&ticket),
        scatter: Read(scatter.map(DevicePtr::of)),
        out: Written(out.map(DevicePtr::of)),
        out_steps: out.map_or([0, 0], steps),
    };
    let key = (values.dtype(), index == DType::I64);
    let source = || (format!("triangular solve/{}/{index}", key.0), triangular_solve_source(key.0, key.1));
    let [function] = kernels(&KERNELS, device, key, ["triangular_solve"], source)?;
    let grid = Blocks::of(blocks * tiles, rows * tiles, "rows");
    // SAFETY: the kernel bounds pointers and columns by the arrays; permutations are the caller's, of the numbers of the rows.
    unsafe { Launcher::on(device).launch_sharing(function, grid, block * lanes, shared, &params) }?;
    Ok(x)
}
