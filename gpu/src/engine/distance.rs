//! Distance transforms of images with any number of axes: axis after axis.
//!
//! Lower bound: the image read and the distances written. Each axis reads and writes the values so far, of 4 bytes if
//! all squares are below 2^30. Lines along the last axis are contiguous; 32 adjacent lines along another one are searched
//! in shared memory if they fit. Longer ones are cut into bands that are searched for near elements, and strips of lines
//! with elements that have none near are transposed and searched as whole lines; the device determines which, so that no
//! kernel waits for the host. A whole line is searched log2(n) times, whatever the image.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Value, Width, Written};
use cuprum_kernels::source::{DISTANCE_BAND, Distance, DistanceParams};

use super::components::truth_mask;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::{copy, make};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Dims;
use crate::scalar::Scalar;

/// Threads of a block: as in `include/distance.cuh`.
const THREADS: usize = 256;
/// Length up to which the positions of a line, of 2 bytes each, are kept in shared memory.
const SHARED_LINE: usize = 16384;
/// Length up to which a line along the last axis is searched as bits, which take 8 KB.
const BIT_LINE: usize = 1 << 16;
/// Elements of a line for each thread, at least.
const PER_THREAD: usize = 16;
/// Threads of a block of tiles, as in `include/distance_tiles.cuh`, and lines of a tile and the least of them that pay.
const TILE_THREADS: usize = 512;
const TILE_LINES: usize = 32;
const LEAST_LINES: usize = 12;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Distance, 7> = Kernels::default();
}

/// Distance between two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    /// The root of the sum of squares.
    Euclidean = 0,
    /// The sum of the distances along the axes.
    Taxicab = 1,
    /// The largest distance along an axis.
    Chessboard = 2,
}

/// Nearest element of an image without background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// One before the first element, along the first axis.
    Before = 0,
    /// The first element, at the largest distance.
    First = 1,
    /// The element itself, at distance -1.
    Own = 2,
}

/// Distance transform of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distances<'a> {
    /// The metric.
    pub(crate) metric: Metric,
    /// Distance between two elements along each axis, if it is not 1.
    pub(crate) sampling: Option<&'a [f64]>,
    /// The result for an image without background.
    pub(crate) without: Without,
}

impl Distances<'_> {
    /// Returns the dtype of sums of distances.
    fn value(&self, shape: &[usize]) -> DType {
        if self.sampling.is_some() {
            return DType::F64;
        }
        let power = if self.metric == Metric::Euclidean { 2 } else { 1 };
        let most = shape.iter().map(|n| (*n as u128).pow(power)).sum::<u128>();
        if most < 1 << 30 { DType::I32 } else { DType::I64 }
    }

    /// Writes the distance of each element from the nearest one that is 0 to `distances`, of float64 for Euclidean
    /// distances and of int32 otherwise, and the coordinates of that one to `coordinates`, of int32, along a first
    /// axis. Both are in C order, and the image has axes.
    pub(crate) fn run(&self, image: &Array, distances: Option<&Array>, coordinates: Option<&Array>) -> Result<()> {
        let device = one_device(image, distances.into_iter().chain(coordinates))?;
        let (shape, n) = (image.shape(), image.size());
        if n == 0 {
            return Ok(());
        }
        let value = self.value(shape);
        let width = Width::of(shape.len(), n);
        let key = Distance { value, width };
        let names = [
            "distance_begin",
            "distance_first",
            "distance_lines",
            "distance_tiles",
            "distance_finish",
            "distance_bands",
            "distance_transpose",
        ];
        let [begin, first_axis, lines, tiles, finish, bands, transpose] =
            kernels(&KERNELS, device, key, names, || (key.name(), key.source()))?;
        let position = if width.wide { DType::U64 } else { DType::U32 };
        let all = vec![1.0; shape.len()];
        let sampling = self.sampling.unwrap_or(&all);
        let samples = make::of(device, sampling, &[sampling.len()])?;
        let mut values = make::empty(device, shape, value)?;
        let mut nearest = coordinates.map(|_| make::empty(device, shape, position)).transpose()?;
        let params = DistanceParams {
            width,
            elements: n,
            lines: 0,
            n: 0,
            inner: 0,
            half: 0,
            step: Value::default(),
            image: read(image),
            image_mask: truth_mask(image.dtype()),
            input: Read(None),
            nearest: Read(None),
            out: Written(None),
            out_nearest: Written(None),
            found: Written(None),
            strips: Written(None),
            distances: Written(None),
            coordinates: Written(None),
            sampling: read(&samples),
            sizes: Sizes(shape),
            image_steps: Numbers(image.strides()),
            image_bytes: image.itemsize() as u32,
            axes: shape.len() as u32,
            metric: self.metric as u32,
            without: self.without as u32,
            team_log2: 0,
            back: false,
        };
        let launcher = Launcher::on(device);
        let most_shared = device.info().shared_bytes;
        let elements = || Blocks::of(n.div_ceil(THREADS), n, "elements");
        let axis_step = |axis: usize| {
            Value(if value == DType::F64 { Scalar::Float(sampling[axis]) } else { Scalar::from(1) }.encode(value))
        };
        // Along the last axis the nearest elements are found among bits; lines that are longer are searched as those of the others.
        let last_axis = shape.len() - 1;
        let length = shape[last_axis];
        let bits = length <= BIT_LINE;
        let first = DistanceParams { out: written(&values), out_nearest: optional(&nearest), ..params };
        if bits {
            let (team, count, words) = (team(length), n / length, length.div_ceil(32));
            let along = DistanceParams {
                lines: count,
                n: length as i64,
                step: axis_step(last_axis),
                team_log2: team.ilog2(),
                ..first
            };
            let shared = (4 * (THREADS / team) * (words + words.div_ceil(32))).next_multiple_of(16);
            let blocks = Blocks::of(count.div_ceil(THREADS / team), count, "lines");
            // SAFETY: each element of the image is read, and one value and one position is written for it.
            unsafe { launcher.launch_sharing(first_axis, blocks, THREADS, shared, &along) }?;
        } else {
            // SAFETY: as above.
            unsafe { launcher.launch(begin, elements(), THREADS, &first) }?;
        }
        // The axes in the order of the lines: the last one is contiguous.
        let mut order: Dims = (0..shape.len()).collect();
        for axis in (0..shape.len()).rev().filter(|&d| shape[d] > 1 && !(bits && d == last_axis)) {
            let at = order.iter().position(|&d| d == axis).unwrap_or_default();
            let length = shape[axis];
            let inner: usize = order[at + 1..].iter().map(|&d| shape[d]).product();
            let tile_bytes = (TILE_LINES * (value.size() + 2)).saturating_mul(length);
            let adjacent = at + 1 != order.len() && inner >= LEAST_LINES;
            let tiled = adjacent && tile_bytes as u64 <= most_shared;
            if at + 1 != order.len() && !adjacent {
                let mut moved: Dims = (0..order.len()).filter(|&d| d != at).collect();
                moved.push(at);
                values = reordered(&values, &moved)?;
                nearest = nearest.map(|a| reordered(&a, &moved)).transpose()?;
                order = moved.iter().map(|&d| order[d]).collect();
            }
            let team = team(length);
            let count = n / length;
            let out = make::empty(device, values.shape(), value)?;
            let to = nearest.as_ref().map(|a| make::empty(device, a.shape(), position)).transpose()?;
            let long = !tiled && length > SHARED_LINE;
            let found = long.then(|| make::empty(device, values.shape(), DType::U32)).transpose()?;
            let along = DistanceParams {
                lines: count,
                n: length as i64,
                inner,
                half: 1 << length.ilog2(),
                step: axis_step(axis),
                input: read(&values),
                nearest: nearest.as_ref().map_or(Read(None), read),
                out: written(&out),
                out_nearest: optional(&to),
                found: optional(&found),
                team_log2: team.ilog2(),
                ..params
            };
            if tiled {
                let blocks = Blocks::of(n / length / inner * inner.div_ceil(TILE_LINES), n, "elements");
                // SAFETY: a tile has whole lines, of which those after the last one are neither read nor written, and a position found in
                // a line is one of its elements; shared memory has room for a value and a position of each.
                unsafe { launcher.launch_sharing(tiles, blocks, TILE_THREADS, tile_bytes, &along) }?;
                (values, nearest) = (out, to);
                continue;
            }
            let strips = if adjacent { n / length / inner * inner.div_ceil(TILE_LINES) } else { 0 };
            let marks = adjacent.then(|| make::zeros(device, &[strips], DType::U32)).transpose()?;
            // Lines of marked strips, the results of which are written over the values.
            let transposed = adjacent.then(|| make::empty(device, values.shape(), value)).transpose()?;
            let transposed_nearest =
                nearest.as_ref().filter(|_| adjacent).map(|a| make::empty(device, a.shape(), position)).transpose()?;
            let along = DistanceParams { strips: optional(&marks), ..along };
            if let Some(transposed) = &transposed {
                let shared = TILE_LINES * value.size() * DISTANCE_BAND.iter().sum::<usize>();
                let blocks = Blocks::of(strips * length.div_ceil(DISTANCE_BAND[0]), n, "elements");
                let transposing =
                    DistanceParams { out: written(transposed), out_nearest: optional(&transposed_nearest), ..along };
                let transposed_blocks = Blocks::of(strips * length.div_ceil(TILE_LINES), n, "elements");
                // SAFETY: a band has elements of its lines, and shared memory has room for a value of each and of those next to it; each
                // strip has a mark, and an element of a marked one is written once in the transposed array.
                unsafe {
                    launcher.launch_sharing(bands, blocks, THREADS, shared, &along)?;
                    launcher.launch(transpose, transposed_blocks, THREADS, &transposing)?;
                }
            }
            let whole = DistanceParams {
                input: transposed.as_ref().map_or(read(&values), read),
                nearest: transposed_nearest.as_ref().or(nearest.as_ref()).map_or(Read(None), read),
                out: if adjacent { written(&values) } else { written(&out) },
                out_nearest: if adjacent { optional(&nearest) } else { optional(&to) },
                ..along
            };
            let rows = THREADS / team;
            let shared = if long { 0 } else { (2 * rows * length).next_multiple_of(16) };
            let blocks = Blocks::of(count.div_ceil(rows), count, "lines");
            // SAFETY: lines are contiguous, and a position found in a line is one of its elements.
            unsafe { launcher.launch_sharing(lines, blocks, THREADS, shared, &whole) }?;
            if adjacent {
                let back = DistanceParams {
                    input: read(&values),
                    nearest: nearest.as_ref().map_or(Read(None), read),
                    back: true,
                    ..along
                };
                let blocks = Blocks::of(strips * length.div_ceil(TILE_LINES), n, "elements");
                // SAFETY: elements of marked strips are written once.
                unsafe { launcher.launch(transpose, blocks, THREADS, &back) }?;
            }
            (values, nearest) = (out, to);
        }
        let mut back: Dims = order.clone();
        for (at, &d) in order.iter().enumerate() {
            back[d] = at;
        }
        values = reordered(&values, &back)?;
        nearest = nearest.map(|a| reordered(&a, &back)).transpose()?;
        let last = DistanceParams {
            input: read(&values),
            nearest: nearest.as_ref().map_or(Read(None), read),
            distances: distances.map_or(Written(None), written),
            coordinates: coordinates.map_or(Written(None), written),
            ..params
        };
        // SAFETY: results have an element for each of the image, coordinates one for each axis too.
        unsafe { launcher.launch(finish, elements(), THREADS, &last) }
    }
}

/// Returns the number of threads of a line.
fn team(length: usize) -> usize {
    (length / PER_THREAD).next_power_of_two().clamp(32, THREADS)
}

fn optional(a: &Option<Array>) -> Written<super::launch::DevicePtr<'_>> {
    a.as_ref().map_or(Written(None), written)
}

/// Returns an array with its axes in an order, in C order.
fn reordered(a: &Array, order: &[usize]) -> Result<Array> {
    let view = a.permuted(order);
    if view.is_c_contiguous() {
        return Ok(view);
    }
    let out = make::empty(a.device(), view.shape(), a.dtype())?;
    copy(&view, &out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_distances_fit_their_dtype() {
        let of = |metric, sampling| Distances { metric, sampling, without: Without::Before };
        let plain = |metric, shape: &[usize]| of(metric, None).value(shape);
        assert_eq!(plain(Metric::Euclidean, &[23170, 23170]), DType::I32);
        assert_eq!(plain(Metric::Euclidean, &[32768, 2]), DType::I64);
        assert_eq!(plain(Metric::Taxicab, &[32768, 2]), DType::I32);
        assert_eq!(plain(Metric::Chessboard, &[1 << 30]), DType::I64);
        assert_eq!(of(Metric::Euclidean, Some(&[1.0])).value(&[3]), DType::F64);
    }
}
