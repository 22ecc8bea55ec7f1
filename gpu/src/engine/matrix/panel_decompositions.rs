//! Decompositions of batches of matrices that exceed the shared memory of a block: a block for each matrix, which
//! processes a panel of columns at a time.
//!
//! Lower bound of QR: some `n^2 / 2` products of a reflector and a column, each with a sum across the lanes that hold
//! it. The bottleneck of singular values is the same in some `n^2 / 2` rotations a sweep.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{
    PANEL_SIDES, PanelSingularParams, REFLECTOR_PANEL, SMALL_SIDES, Small, SmallParams, panel_singular_threads,
    small_team,
};

use super::small_decompositions::variant;
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Task;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, Sides, check_arrays, one_device, written};
use crate::engine::make;
use crate::error::Result;

/// Threads of a block that computes or applies reflectors, as in `include/panel_reflectors.cuh`.
const THREADS: usize = 512;
/// Minimum number of matrices of a batch for reflectors, and for singular values, of matrices of at most [`SMALLER`]
/// rows, and of larger ones. The device's library is faster for fewer.
const REFLECTOR_BATCH: [usize; 2] = [2, 3];
const SINGULAR_BATCH: [usize; 2] = [2, 7];
/// The limit of the smaller matrices.
const SMALLER: usize = 128;

thread_local! {
    /// The kernels of Householder reflectors that this thread has launched, by device, dtype and side.
    static REFLECTOR_KERNELS: Kernels<(DType, usize), 4> = Kernels::default();
    /// The kernels for singular values that this thread has launched, by device, dtype and side.
    static SINGULAR_KERNELS: Kernels<(DType, usize), 2> = Kernels::default();
}

/// A kernel of Householder reflectors.
#[derive(Clone, Copy)]
enum Reflectors {
    /// Overwrites matrices by reflectors and triangular factors.
    Reflect,
    /// Overwrites reflectors by columns of their product.
    Product,
    /// The same; a column is negated where the diagonal element of the triangular factor is negative.
    ProductSigned,
    /// Multiplies the columns of `u` by the product of reflectors.
    Multiply,
}

const REFLECTORS: [&str; 4] = ["panel_reflect", "panel_product", "panel_product_signed", "panel_multiply"];

/// Returns the variant of the kernels of reflectors for matrices with this many rows and columns, and the shared memory
/// that it needs; `None` if they are too large for the device.
fn reflector_variant(device: Device, dtype: DType, rows: usize) -> Option<(usize, usize)> {
    variant(device, &PANEL_SIDES, rows, |side| REFLECTOR_PANEL * (side + small_team(side)) * dtype.size())
}

/// Launches a kernel of reflectors for matrices of a dtype; `false` if they are too large for the device.
fn launch(
    device: Device,
    kernel: Reflectors,
    dtype: DType,
    batch: usize,
    params: &SmallParams<DevicePtr<'_>>,
) -> Result<bool> {
    let Some((side, shared)) = reflector_variant(device, dtype, params.m.max(params.n)) else { return Ok(false) };
    let source = || (format!("panel_reflectors/{dtype}/{side}"), Small::PanelReflectors.source(dtype, side));
    let functions = kernels(&REFLECTOR_KERNELS, device, (dtype, side), REFLECTORS, source)?;
    // SAFETY: the caller's arrays have the sizes in the parameters, and a block has the shared memory of a panel.
    unsafe {
        Launcher::on(device).launch_sharing(
            functions[kernel as usize],
            Blocks::of(batch, batch, "matrices"),
            THREADS,
            shared,
            params,
        )
    }?;
    Ok(true)
}

/// Runs a task of Householder QR, as [`crate::engine::launch::dense`] does, for a batch of matrices of some hundred
/// rows and columns; otherwise returns `None`.
pub(crate) fn decompose_panels(task: Task, sides: Sides, arrays: &[Option<&Array>]) -> Result<Option<Array>> {
    let Sides { m, n, k, batch } = sides;
    let (kernel, count) = match task {
        Task::Geqrf => (Reflectors::Reflect, m.min(n)),
        Task::Orgqr => (Reflectors::Product, k),
        _ => return Ok(None),
    };
    if batch < REFLECTOR_BATCH[usize::from(m > SMALLER)] {
        return Ok(None);
    }
    check_arrays(task, sides, arrays)?;
    let [Some(a), Some(values), ..] = *arrays else { unreachable!("the task has matrices and scales") };
    let device = one_device(a, arrays.iter().copied().flatten())?;
    let info = make::empty(device, &[batch], DType::I32)?;
    let params = reflector_params([m, n, count], a, values, None, &info);
    Ok(launch(device, kernel, a.dtype(), batch, &params)?.then_some(info))
}

/// Returns the parameters of a kernel of `count` reflectors of `m` rows, of `n` columns.
fn reflector_params<'a>(
    [m, n, count]: [usize; 3],
    a: &'a Array,
    values: &'a Array,
    u: Option<&'a Array>,
    info: &'a Array,
) -> SmallParams<DevicePtr<'a>> {
    SmallParams {
        width: Default::default(),
        m,
        n,
        count,
        a: written(a),
        values: written(values),
        u: u.map_or(Written(None), written),
        v: Written(None),
        info: written(info),
    }
}

/// Singular values in descending order, and singular vectors.
pub(crate) struct SingularPanels {
    /// Singular values, one row for each matrix.
    pub(crate) values: Array,
    /// Left vectors in rows, and conjugated right vectors in rows, if they were requested.
    pub(crate) vectors: Option<(Array, Array)>,
    /// LAPACK's `info` for each matrix: 0 on success.
    pub(crate) info: Array,
}

/// Decomposes a batch of column-major matrices of `m` rows and `n` columns, at most as many, whose largest elements are
/// near 1, and overwrites them. `k` is the number of left vectors requested. `None` for matrices that are too large, and
/// for small batches.
pub(crate) fn singular_panels(a: &Array, sides: Sides) -> Result<Option<SingularPanels>> {
    let Sides { m, n, k: count, batch } = sides;
    let &[ref stack @ .., columns, rows] = a.shape() else { unreachable!("matrices have two axes") };
    debug_assert!(a.is_c_contiguous() && [rows, columns, stack.iter().product()] == [m, n, batch] && n <= m);
    let (device, dtype, vectors) = (a.device(), a.dtype(), count > 0);
    let threads = panel_singular_threads(dtype);
    let shared = |side| {
        let team = small_team(side);
        threads / team * (1 + usize::from(vectors)) * (side + team) * dtype.size()
    };
    let Some((side, shared)) = variant(device, &PANEL_SIDES, m, shared) else { return Ok(None) };
    if batch < SINGULAR_BATCH[usize::from(m > SMALLER)]
        || m <= SMALL_SIDES[1]
        || reflector_variant(device, dtype, m).is_none()
    {
        return Ok(None);
    }
    let source = || (format!("panel_singular/{dtype}/{side}"), Small::PanelSingular.source(dtype, side));
    let names = ["panel_arrange", "panel_singular"];
    let [arrange, iterate] = kernels(&SINGULAR_KERNELS, device, (dtype, side), names, source)?;
    let array = |axes: &[usize], dtype| {
        let shape: Vec<usize> = stack.iter().chain(axes).copied().collect();
        make::empty(device, &shape, dtype)
    };
    let factors = array(&[n, m], dtype)?;
    let scales = array(&[n], dtype)?;
    let order = array(&[n], DType::I32)?;
    let info = make::empty(device, &[batch], DType::I32)?;
    let codes = make::empty(device, &[batch], DType::I32)?;
    let values = array(&[n], dtype.real())?;
    let found = vectors
        .then(|| Ok::<_, crate::error::Error>((array(&[count, m], dtype)?, array(&[n, n], dtype)?)))
        .transpose()?;
    let rotations = vectors.then(|| array(&[n, n], dtype)).transpose()?;
    let params = PanelSingularParams {
        width: Default::default(),
        m,
        n,
        count,
        a: written(a),
        factors: written(&factors),
        order: written(&order),
        rotations: rotations.as_ref().map_or(Written(None), written),
        values: written(&values),
        u: found.as_ref().map_or(Written(None), |(u, _)| written(u)),
        v: found.as_ref().map_or(Written(None), |(_, v)| written(v)),
        info: written(&info),
    };
    let launcher = Launcher::on(device);
    let blocks = || Blocks::of(batch, batch, "matrices");
    let reflectors = |kernel, sizes, a: &Array, u: Option<&Array>| {
        let params = reflector_params(sizes, a, &scales, u, &codes);
        launch(device, kernel, dtype, batch, &params).map(|_| ())
    };
    // SAFETY: the arrays have the sizes in the parameters, and a block has the shared memory of its panels.
    unsafe { launcher.launch_sharing(arrange, blocks(), threads, 0, &params) }?;
    reflectors(Reflectors::Reflect, [m, n, n], &factors, None)?;
    // SAFETY: the same.
    unsafe { launcher.launch_sharing(iterate, blocks(), threads, shared, &params) }?;
    if let Some((u, v)) = &found {
        reflectors(Reflectors::Multiply, [m, count, n], &factors, Some(u))?;
        reflectors(Reflectors::Reflect, [n, n, n], v, None)?;
        reflectors(Reflectors::ProductSigned, [n, n, n], v, None)?;
    }
    Ok(Some(SingularPanels { values, vectors: found, info }))
}
