//! Products of matrices over devices.
//!
//! Two schedules. Where the blocks of both operands agree along the summed axis, and a device has each pair of blocks
//! that meet, each device multiplies what it has, and the products are parts of a sum. Otherwise each device computes
//! blocks of the result, for which it collects rows of the first operand and columns of the second: van de Geijn and
//! Watts, "SUMMA: Scalable Universal Matrix Multiplication Algorithm", 1997, with one panel.

use cuprum_macros::unrecorded;

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::maps::Map;
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::{Array, Index};
use crate::cuda::Device;
use crate::engine::launch;
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Ellipsis, NewAxis, Slice, s};
use crate::layout::{Dims, broadcast_shapes, shape_text};
use crate::routines::linalg::matmul as product;
use crate::ufunc::apply;

/// Matrix product of two arrays over devices; CuPy's `cupyx.distributed.array.matmul`, NumPy's `matmul`.
///
/// For operands of shapes `[…, m, k]` and `[…, k, n]` the result has `[…, m, n]`, and the dtype to which both are
/// promoted; a vector on the left is a row and on the right a column, whose axis the result lacks.
///
/// Where the operands' blocks meet on devices that have both, nothing is copied and the result's mode is
/// [`ChunkMode::Sum`]: a device holds a part of the sum for the blocks that it has. Any other distribution is possible,
/// too, unlike in CuPy: elements are copied to the devices of the first operand's rows and the second one's columns.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::distributed::{ChunkMode, DistributedArray, matmul, split_evenly};
/// let devices = [Device::open("sim")?, Device::open("sim:1")?];
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let of = |axis| DistributedArray::new(&a, split_evenly(a.shape(), axis, &devices)?, ChunkMode::Replica);
/// // Columns of the first meet rows of the second.
/// let c = matmul(&of(1)?, &of(0)?)?;
/// assert_eq!(c.mode(), ChunkMode::Sum);
/// assert_eq!(c.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not go together and for operands without axes.
pub fn matmul(a: &DistributedArray, b: &DistributedArray) -> Result<DistributedArray> {
    let go = || {
        if a.ndim() == 0 || b.ndim() == 0 {
            return Err(Error::new(ErrorKind::Value, "an operand has no axes: a matrix product needs one at least"));
        }
        let row = if a.ndim() == 1 { Some(a.index(s![NewAxis])?) } else { None };
        let column = if b.ndim() == 1 { Some(b.index(s![.., NewAxis])?) } else { None };
        let mut c = of_matrices(row.as_ref().unwrap_or(a), column.as_ref().unwrap_or(b))?;
        if row.is_some() {
            c = c.index(s![Ellipsis, 0, ..])?;
        }
        if column.is_some() { c.index(s![Ellipsis, 0]) } else { Ok(c) }
    };
    go().map_err(|e: Error| e.with_op("matmul"))
}

fn of_matrices(a: &DistributedArray, b: &DistributedArray) -> Result<DistributedArray> {
    let (a, b) = (a.resolved()?, b.resolved()?);
    let ([left, rows], [right, columns]) = ([a.ndim() - 2, a.ndim() - 1], [b.ndim() - 2, b.ndim() - 1]);
    if a.shape[rows] != b.shape[right] {
        let (one, two) = (shape_text(&a.shape), shape_text(&b.shape));
        let (k, other) = (a.shape[rows], b.shape[right]);
        let message = format!("operands of shapes {one} and {two} do not go together: {k} elements meet {other}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let mut shape: Dims = broadcast_shapes(&[&a.shape[..left], &b.shape[..right]])?;
    shape.extend([a.shape[left], b.shape[columns]]);
    match pairs(&a, &b) {
        Some(pairs) => local(&a, &b, shape, pairs),
        None => collected(&a, &b, shape),
    }
}

/// Chunks of both operands, by their numbers, that a device multiplies.
type Pair = [usize; 2];

/// Returns the distinct regions of chunks, each with the chunks that hold it; `None` if some overlap otherwise.
fn blocks(a: &DistributedArray) -> Option<Vec<(&Region, Vec<usize>)>> {
    let mut blocks: Vec<(&Region, Vec<usize>)> = vec![];
    for (at, chunk) in a.chunks.iter().enumerate() {
        if let Some((_, holders)) = blocks.iter_mut().find(|(region, _)| **region == chunk.region) {
            holders.push(at);
        } else if blocks.iter().any(|(region, _)| region.intersect(&chunk.region).is_some()) {
            return None;
        } else if !chunk.region.is_empty() {
            blocks.push((&chunk.region, vec![at]));
        }
    }
    Some(blocks)
}

/// Returns pairs of chunks on the same devices whose products together are the result; `None` if there are none such.
fn pairs(a: &DistributedArray, b: &DistributedArray) -> Option<Vec<Pair>> {
    let ndim = a.ndim();
    if ndim != b.ndim() || a.shape[..ndim - 2] != b.shape[..ndim - 2] {
        return None;
    }
    let (of_a, of_b) = (blocks(a)?, blocks(b)?);
    let mut pairs: Vec<Pair> = vec![];
    let mut load: Vec<(Device, usize)> = vec![];
    for (region, holders) in &of_a {
        for (other, others) in &of_b {
            let batch = |region: &Region| region.0[..ndim - 2].to_vec();
            let meets = |x: &[Span], y: &[Span]| x.iter().zip(y).all(|(x, y)| x.intersect(*y).is_some());
            let (inner, also) = (region.0[ndim - 1], other.0[ndim - 2]);
            if !meets(&batch(region), &batch(other)) || inner.intersect(also).is_none() {
                continue;
            }
            if batch(region) != batch(other) || inner != also {
                return None;
            }
            let on = |at: usize, bt: usize| a.chunks[at].device == b.chunks[bt].device;
            let both =
                holders.iter().flat_map(|&at| others.iter().map(move |&bt| [at, bt])).filter(|&[at, bt]| on(at, bt));
            let work = region.size() * other.0[ndim - 1].len;
            let of = |device: Device, load: &[(Device, usize)]| {
                load.iter().find(|(d, _)| *d == device).map_or(0, |(_, n)| *n)
            };
            let chosen = both.min_by_key(|&[at, _]| of(a.chunks[at].device, &load))?;
            let device = a.chunks[chosen[0]].device;
            match load.iter_mut().find(|(known, _)| *known == device) {
                Some((_, n)) => *n += work,
                None => load.push((device, work)),
            }
            pairs.push(chosen);
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// Multiplies pairs of chunks on their devices, and adds the products of a device for the same block.
fn local(a: &DistributedArray, b: &DistributedArray, shape: Dims, pairs: Vec<Pair>) -> Result<DistributedArray> {
    let last = shape.len() - 1;
    let mut chunks: Vec<Chunk> = vec![];
    for [at, bt] in pairs {
        let (one, two) = (&a.chunks[at], &b.chunks[bt]);
        let region = one.region.with(last, two.region.0[last]);
        let array = product(&one.array, &two.array)?;
        match chunks.iter_mut().find(|chunk| chunk.device == one.device && chunk.region == region) {
            Some(chunk) => chunk.array = apply("add", [(&chunk.array).into(), (&array).into()])?,
            None => chunks.push(Chunk { device: one.device, region, array }),
        }
    }
    of_chunks(shape, chunks, ChunkMode::Sum)
}

/// Computes blocks of the result from collected rows and columns.
fn collected(a: &DistributedArray, b: &DistributedArray, shape: Dims) -> Result<DistributedArray> {
    let collect = |(device, region): (Device, Region)| {
        let operand = |x: &DistributedArray, inner: usize, outer: usize| {
            let new = shape.len() - x.ndim();
            let span = |axis: usize| match x.shape[axis] {
                _ if axis == inner => Span::all(x.shape[axis]),
                1 if axis != outer => Span::all(1),
                _ => region.0[new + axis],
            };
            x.collect(&Region((0..x.ndim()).map(span).collect()), device)
        };
        let rows = operand(a, a.ndim() - 1, a.ndim() - 2)?;
        let columns = operand(b, b.ndim() - 2, b.ndim() - 1)?;
        Ok((device, region, rows, columns))
    };
    // A copy waits for the work of both devices: all copies are queued before the first product.
    let operands = launch::exchange(|| result_map(a, b, &shape).into_iter().map(collect).collect::<Result<Vec<_>>>())?;
    let multiply = |(device, region, rows, columns): (Device, Region, Array, Array)| {
        Ok(Chunk { device, region, array: product(rows, columns)? })
    };
    let chunks = operands.into_iter().map(multiply).collect::<Result<_>>()?;
    of_chunks(shape, chunks, ChunkMode::Replica)
}

/// Returns where the blocks of a result are computed: the distinct rows of the first operand's chunks times the distinct
/// columns of the second one's, each on a device that has the rows. Rows or columns that overlap are divided evenly.
fn result_map(a: &DistributedArray, b: &DistributedArray, shape: &[usize]) -> Map {
    let mut devices = a.devices();
    devices.extend(b.devices().into_iter().filter(|device| !a.devices().contains(device)));
    let (m, n) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    let whole = Region::all(shape);
    let (first, last) = (shape.len() - 2, shape.len() - 1);
    let rows = parts(a, a.ndim() - 2, m);
    let columns = parts(b, b.ndim() - 1, n);
    if rows.len() * columns.len() < devices.len() {
        // Some devices would have nothing to do: the longer axis is divided among all.
        let (axis, length) = if m >= n { (first, m) } else { (last, n) };
        let span = |k: usize| {
            let (from, to) = (length * k / devices.len(), length * (k + 1) / devices.len());
            Span::new(from, to - from, 1)
        };
        return devices.iter().enumerate().map(|(k, &device)| (device, whole.with(axis, span(k)))).collect();
    }
    let mut map = Map::new();
    for (i, &row) in rows.iter().enumerate() {
        let holders: Vec<Device> = devices
            .iter()
            .copied()
            .filter(|&d| a.chunks.iter().any(|c| c.device == d && c.region.0[a.ndim() - 2] == row))
            .collect();
        for (j, &column) in columns.iter().enumerate() {
            let candidates = if holders.is_empty() { &devices } else { &holders };
            let device = candidates[(i * columns.len() + j) % candidates.len()];
            map.push((device, whole.with(first, row).with(last, column)));
        }
    }
    map
}

/// Returns the distinct spans of chunks along an axis if they divide it, or else the whole axis.
fn parts(a: &DistributedArray, axis: usize, length: usize) -> Vec<Span> {
    let mut spans: Vec<Span> = a.chunks.iter().map(|chunk| chunk.region.0[axis]).filter(|span| span.len > 0).collect();
    spans.sort_unstable();
    spans.dedup();
    let divide = spans.iter().all(|span| span.step == 1) && spans.windows(2).all(|two| two[0].end() == two[1].start);
    if divide && !spans.is_empty() { spans } else { vec![Span::all(length)] }
}

/// Returns an index map of blocks: `rows` and `columns` are the bounds of the blocks, and `devices` the devices that
/// hold each of them; CuPy's `make_2d_index_map`.
///
/// ```
/// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray, grid_2d}};
/// let (first, second) = (Device::open("sim")?, Device::open("sim:1")?);
/// let map = grid_2d(&[0, 1, 2], &[0, 2], &[vec![vec![first]], vec![vec![first, second]]])?;
/// let d = DistributedArray::new(&cuprum::array([[1, 2], [3, 4]])?, map, ChunkMode::Replica)?;
/// assert_eq!(d.chunks().len(), 3);
/// assert_eq!(d.chunks()[2].array().to_vec::<i32>()?, [3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for bounds that do not ascend from 0, and for a table of devices without a row for each row of
/// blocks and an entry for each block.
#[unrecorded("takes no array: tested in `gpu/src/distributed/arrays/tests.rs`")]
pub fn grid_2d(rows: &[usize], columns: &[usize], devices: &[Vec<Vec<Device>>]) -> Result<Vec<(Device, Vec<Index>)>> {
    let go = || {
        for (name, bounds) in [("i_partitions", rows), ("j_partitions", columns)] {
            if bounds.first() != Some(&0) || bounds.len() < 2 || bounds.windows(2).any(|two| two[0] >= two[1]) {
                let message = format!("{name} is {bounds:?}: the bounds of blocks ascend from 0");
                return Err(Error::new(ErrorKind::Value, message));
            }
        }
        let (m, n) = (rows.len() - 1, columns.len() - 1);
        if devices.len() != m || devices.iter().any(|row| row.len() != n || row.iter().any(Vec::is_empty)) {
            let message = format!("devices needs a set of one device at least for each of {m} x {n} blocks");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let slice = |bounds: &[usize], k: usize| {
            Index::Slice(Slice { start: Some(bounds[k] as i64), stop: Some(bounds[k + 1] as i64), step: None })
        };
        let mut map = vec![];
        for (i, row) in devices.iter().enumerate() {
            for (j, holders) in row.iter().enumerate() {
                map.extend(holders.iter().map(|&device| (device, vec![slice(rows, i), slice(columns, j)])));
            }
        }
        Ok(map)
    };
    go().map_err(|e: Error| e.with_op("make_2d_index_map"))
}
