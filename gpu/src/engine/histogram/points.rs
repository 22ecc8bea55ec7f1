//! Multidimensional histograms (`histogramdd`): the number of points in each cell of a grid.
//!
//! Coordinates are read once, which is almost all of the memory traffic. The bin along an axis of equal widths costs
//! some 8 instructions in float32 if it is clear, as nearly all are; otherwise a product in float64, some 15 more, and
//! four reads of shared memory. The counters are located where [`crate::engine::histogram`] has them for as many bins.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{Counters, POINT_AXES, Points, PointsParams};

use crate::array::Array;
use crate::engine::histogram::parts::{add_parts, parts};
use crate::engine::histogram::{self, PACKED_BLOCKS, PACKED_THREADS};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::engine::make;
use crate::error::Result;

/// Maximum number of blocks that count in memory: two on each multiprocessor of a large device.
const BLOCKS: usize = 2 * PACKED_BLOCKS;
/// The rounding unit of float32.
const SINGLE: f64 = 1.0 / (1 << 24) as f64;
/// Minimum number of points of a thread before there are more blocks.
const STEPS: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Points> = Kernels::default();
}

/// Edges along an axis.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    /// float64, contiguous, increasing.
    pub(crate) at: Array,
    /// True if they are equally spaced.
    pub(crate) even: bool,
    /// For such edges, the relative rounding unit of the steps that computed them; infinite if nothing is known of
    /// them.
    pub(crate) unit: f64,
}

/// Returns true if float64 represents all numbers of a dtype that points may have.
pub(crate) fn holds(dtype: DType) -> bool {
    !dtype.is_complex() && !matches!(dtype, DType::I64 | DType::U64)
}

/// Returns true if points are counted in one launch between these edges along each axis: for few axes, whose edges are
/// counted in 32 bits.
pub(crate) fn counts(edges: &[Array]) -> bool {
    (1..=POINT_AXES).contains(&edges.len()) && edges.iter().all(|along| along.size() < 1 << 28)
}

/// Returns the number of points in each cell, in C order: int64. There is a one-dimensional column for each coordinate,
/// all of one dtype that [`holds`] accepts.
pub(crate) fn points(columns: &[Array], edges: &[Edges]) -> Result<Array> {
    let counters = match histogram::counters(columns[0].device(), columns[0].size(), cells(edges)) {
        Counters::Words => Counters::Bits16,
        other => other,
    };
    points_as(counters, columns, edges)
}

fn cells(edges: &[Edges]) -> usize {
    edges.iter().map(|e| e.at.size().saturating_sub(1)).product()
}

fn points_as(counters: Counters, columns: &[Array], edges: &[Edges]) -> Result<Array> {
    let (n, cells, axes) = (columns[0].size(), cells(edges), columns.len());
    let device = one_device(&columns[0], columns.iter().chain(edges.iter().map(|e| &e.at)))?;
    let out = make::zeros(device, &[cells], DType::I64)?;
    if n == 0 || cells == 0 {
        return Ok(out);
    }
    let item = columns[0].itemsize() as i64;
    let flat = columns.iter().all(|c| (n == 1 || c.strides()[0] == item) && c.addr().is_multiple_of(16));
    let key = Points { element: columns[0].dtype(), axes: axes as u8, counters, flat };
    let [function] = kernels(&KERNELS, device, key, ["points"], || (key.name(), key.source()))?;
    let mut params = PointsParams {
        width: Width::default(),
        elements: n,
        cells,
        bins: [0; POINT_AXES],
        strides: [0; POINT_AXES],
        columns: [Read(None); POINT_AXES],
        edges: [Read(None); POINT_AXES],
        // As many copies as fit, up to one for each lane, to reduce contention.
        copies: (histogram::FAST_BINS / cells).clamp(1, 32) as u32,
        even: 0,
        units: [0.0; POINT_AXES],
        out: written(&out),
        parts: Written(None),
    };
    for (d, (column, along)) in columns.iter().zip(edges).enumerate() {
        (params.columns[d], params.edges[d]) = (read(column), read(&along.at));
        (params.bins[d], params.strides[d]) = (along.at.size() as i64 - 1, column.strides()[0]);
        params.even |= u32::from(along.even) << d;
        params.units[d] = along.unit.max(SINGLE);
    }
    let [most, shared] = match counters {
        Counters::Bits16 => [PACKED_BLOCKS, histogram::bytes_of_counters16(cells * params.copies as usize)],
        _ => [BLOCKS, 0],
    };
    let (blocks, copies) = (n.div_ceil(PACKED_THREADS * STEPS).min(most), params.copies as usize);
    let left = if shared > 0 { parts(device, blocks, cells * copies)? } else { None };
    params.parts = Written(left.as_ref().map(DevicePtr::of));
    let grid = Blocks::of(blocks, n, "points");
    // SAFETY: strides reach elements of the columns only, and the counted cells are in `out`, or shared memory, and in
    // each block's part.
    unsafe { Launcher::on(device).launch_sharing(function, grid, PACKED_THREADS, shared, &params) }?;
    if let Some(left) = &left {
        add_parts(left, [blocks, cells * copies, copies], &out)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s;

    /// Tests points on, between and beyond the edges, and NaN, for equally spaced bins and others, with counters in
    /// shared memory and in device memory.
    #[test]
    fn points_fall_where_a_search_finds_them() -> Result<()> {
        let even: Vec<f64> = (0..=600).map(|i| f64::from(i) / 10.0 - 7.0).collect();
        let uneven = [-1.0, -0.5, 0.0, 0.0, 3.0, 3.0];
        let mut x: Vec<f32> =
            even.iter().map(|&e| e as f32).chain([f32::NAN, -8.0, 54.0, f32::INFINITY, 1e-30]).collect();
        x.extend((0..40_000).map(|i| if i % 5 == 0 { i as f32 / 700.0 - 7.0 } else { 0.25 }));
        let y: Vec<f32> = x.iter().map(|v| (v * 1.7) % 4.0).collect();
        let bin = |edges: &[f64], v: f32| {
            let v = f64::from(v);
            let last = edges.len() - 2;
            let inside = v >= edges[0] && v <= edges[last + 1];
            inside.then(|| edges.iter().filter(|e| **e <= v).count().saturating_sub(1).min(last))
        };
        let columns = [Array::from_slice(&x, x.len())?, Array::from_slice(&y, y.len())?];
        // Contiguous, at an address that is not a multiple of 16, and reversed.
        let longer: Vec<Vec<f32>> =
            [&x, &y].iter().map(|v| [0.0].into_iter().chain(v.iter().copied()).collect()).collect();
        let behind =
            longer.iter().map(|v| Array::from_slice(v, v.len())?.index(s![1..])).collect::<Result<Vec<_>>>()?;
        let reversed = columns.iter().map(|c| c.index(s![..;-1])).collect::<Result<Vec<_>>>()?;
        let fifths: Vec<f64> = (0..=5).map(|i| f64::from(i) * 0.8).collect();
        for (second, is_even, unit) in
            [(&uneven[..], false, f64::EPSILON), (&fifths, true, f64::EPSILON), (&fifths, true, f64::INFINITY)]
        {
            let mut expected = vec![0i64; 600 * 5];
            for (&x, &y) in x.iter().zip(&y) {
                if let (Some(i), Some(j)) = (bin(&even, x), bin(second, y)) {
                    expected[i * 5 + j] += 1;
                }
            }
            let along = |at: &[f64], even| Ok(Edges { at: Array::from_slice(at, at.len())?, even, unit });
            let edges = [along(&even, true)?, along(second, is_even)?];
            for counters in [Counters::Bits16, Counters::Memory] {
                for columns in [&columns[..], &behind, &reversed] {
                    let counts = points_as(counters, columns, &edges)?.to_vec::<i64>()?;
                    assert!(counts == expected, "{counters:?} {unit}");
                }
            }
        }
        Ok(())
    }
}
