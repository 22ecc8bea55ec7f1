//! Halo exchange: chunks with the neighbouring elements that a window needs.

use smallvec::SmallVec;

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::{Array, Index};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::shape_text;
use crate::scalar::Scalar;

/// What a halo holds beyond the edges of the whole array; the modes of NumPy's `pad`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HaloMode {
    /// Nothing: halos end at the edges, and chunks at an edge are smaller.
    Clip,
    /// A constant.
    Constant(Scalar),
    /// The element at the edge: `edge`, SciPy's `nearest`.
    Edge,
    /// The elements mirrored at the one at the edge, which is not repeated: `reflect`, SciPy's `mirror`.
    Reflect,
    /// The elements mirrored at the edge, with the one at the edge repeated: `symmetric`, SciPy's `reflect`.
    Symmetric,
    /// The elements of the other end: a periodic array.
    Wrap,
}

/// Chunk with its halo.
#[derive(Clone, Debug)]
pub struct HaloChunk {
    /// The device that holds it.
    pub device: Device,
    /// The region of the chunk without the halo.
    pub region: Region,
    /// The elements with the halo; a copy, which may be written.
    pub array: Array,
    /// The index of the chunk's own elements in `array`.
    pub interior: Vec<Index>,
}

/// Chunks of an array with their halos, in the order of its chunks.
pub type Halo = Vec<HaloChunk>;

/// Piece of a halo along an axis: where it is in the padded chunk, and the elements of the array that it holds, in
/// ascending or descending order, one of them as often as needed.
#[derive(Clone, Copy)]
struct Piece {
    to: Span,
    from: Span,
    is_reversed: bool,
}

impl DistributedArray {
    /// Returns the chunks with halos: `widths` elements more on both sides of each axis, which are copied from the
    /// chunks that hold them. Elements beyond the edges of the array are those of a mode.
    ///
    /// A stencil or a filter of a window then needs no other elements. [`DistributedArray::map_overlap`] computes a
    /// function of such chunks as a new array.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray, HaloMode}, s};
    /// let map = [(Device::open("sim")?, s![..2]), (Device::open("sim:1")?, s![2..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 3, 4])?, map, ChunkMode::Replica)?;
    /// let halo = d.halo(&[1], HaloMode::Edge)?;
    /// assert_eq!(halo[0].array.to_vec::<i32>()?, [1, 1, 2, 3]);
    /// assert_eq!(halo[1].array.to_vec::<i32>()?, [2, 3, 4, 4]);
    /// assert_eq!(halo[1].array.index(&halo[1].interior)?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a number of widths that is not that of the axes, for chunks with a step, and for a width
    /// that exceeds the elements that a mode mirrors or repeats.
    pub fn halo(&self, widths: &[usize], mode: HaloMode) -> Result<Halo> {
        let go = || {
            if widths.len() != self.ndim() {
                let (n, shape) = (widths.len(), shape_text(&self.shape));
                let message = format!("{n} widths for an array of shape {shape}: one for each axis is needed");
                return Err(Error::new(ErrorKind::Value, message));
            }
            let source = self.resolved()?;
            let chunks = source.chunks.iter().filter(|chunk| !chunk.region.is_empty());
            chunks.map(|chunk| source.with_halo(chunk, widths, mode)).collect()
        };
        go().map_err(|e: Error| e.with_op("halo"))
    }

    /// Computes a function of each chunk with its halo, as a new array with the same index map; Dask's `map_overlap`.
    ///
    /// The function gets the elements with the halo, see [`DistributedArray::halo`], and returns an array of either the
    /// same shape, of which the halo is cut off, or of the chunk's shape. It is called with the chunk's device as the
    /// current one.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray, HaloMode}, s};
    /// let map = [(Device::open("sim")?, s![..2]), (Device::open("sim:1")?, s![2..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 4, 8])?, map, ChunkMode::Replica)?;
    /// let sums = d.map_overlap(&[1], HaloMode::Wrap, |a| a.part(s![..-2]).add(a.part(s![2..])))?;
    /// assert_eq!(sums.to_vec::<i32>()?, [10, 5, 10, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`DistributedArray::halo`], the first of the function, and [`ErrorKind::Value`] if it returns an array of
    /// another shape.
    pub fn map_overlap(
        &self,
        widths: &[usize],
        mode: HaloMode,
        f: impl Fn(&Array) -> Result<Array>,
    ) -> Result<DistributedArray> {
        let go = || {
            let compute = |chunk: HaloChunk| {
                let array = chunk.device.with(|| f(&chunk.array))?;
                chunk.of_result(array)
            };
            let chunks: Vec<Chunk> = self.halo(widths, mode)?.into_iter().map(compute).collect::<Result<_>>()?;
            if chunks.is_empty() { self.map(f) } else { of_chunks(self.shape.clone(), chunks, ChunkMode::Replica) }
        };
        go().map_err(|e: Error| e.with_op("map_overlap"))
    }

    fn with_halo(&self, chunk: &Chunk, widths: &[usize], mode: HaloMode) -> Result<HaloChunk> {
        let mut along: SmallVec<[Vec<Piece>; 4]> = SmallVec::new();
        let (mut shape, mut interior) = (vec![], vec![]);
        for (axis, &width) in widths.iter().enumerate() {
            let own = chunk.region.0[axis];
            if own.step != 1 && width > 0 {
                let message = format!(
                    "a chunk has the step {} along axis {axis}: chunks with halos are contiguous, see reshard",
                    own.step
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            let (pieces, before, length) = pieces_along(own, width, self.shape[axis], mode).map_err(|most| {
                let message = format!(
                    "the width {width} of axis {axis} exceeds {most}, the elements that the mode can use beyond an edge"
                );
                Error::new(ErrorKind::Value, message)
            })?;
            along.push(pieces);
            shape.push(length);
            let (start, stop) = (Some(before as i64), Some((before + own.len) as i64));
            interior.push(Index::Slice(Slice { start, stop, step: None }));
        }
        let array = match mode {
            HaloMode::Constant(value) => make::full(chunk.device, &shape, value, self.dtype)?,
            _ => make::empty(chunk.device, &shape, self.dtype)?,
        };
        self.fill(&array, &along, &mut SmallVec::new(), chunk.device)?;
        Ok(HaloChunk { device: chunk.device, region: chunk.region.clone(), array, interior })
    }

    /// Copies each combination of the pieces of all axes to a padded chunk.
    fn fill(&self, out: &Array, along: &[Vec<Piece>], chosen: &mut SmallVec<[Piece; 4]>, device: Device) -> Result<()> {
        if let Some(pieces) = along.get(chosen.len()) {
            for &piece in pieces {
                chosen.push(piece);
                self.fill(out, along, chosen, device)?;
                chosen.pop();
            }
            return Ok(());
        }
        let part = self.collect(&Region(chosen.iter().map(|piece| piece.from).collect()), device)?;
        let direction =
            |piece: &Piece| Slice { step: Some(if piece.is_reversed { -1 } else { 1 }), ..Slice::default() };
        let order: Vec<Index> = chosen.iter().map(|piece| Index::Slice(direction(piece))).collect();
        let to = out.index(Region(chosen.iter().map(|piece| piece.to).collect()).to_index())?;
        // A piece of one element is repeated by broadcasting.
        to.assign(&part.index(order)?)
    }
}

impl HaloChunk {
    /// Returns the chunk of a result of the shape with or without the halo.
    fn of_result(self, array: Array) -> Result<Chunk> {
        let array = if array.shape() == self.region.shape() {
            array
        } else if array.shape() == self.array.shape() {
            array.index(&self.interior)?
        } else {
            let (found, one, two) =
                (shape_text(array.shape()), shape_text(&self.region.shape()), shape_text(self.array.shape()));
            let message =
                format!("the function returned an array of shape {found}: it must be {one}, or {two} with the halo");
            return Err(Error::new(ErrorKind::Value, message));
        };
        Ok(Chunk { device: self.device, region: self.region, array })
    }
}

/// Returns the pieces of a padded chunk along an axis of `n` elements, the width of its halo on the left, and its length;
/// as an error the largest width.
fn pieces_along(
    own: Span,
    width: usize,
    n: usize,
    mode: HaloMode,
) -> std::result::Result<(Vec<Piece>, usize, usize), usize> {
    let (first, end) = (own.start.saturating_sub(width), (own.start + own.len + width).min(n));
    let is_clipped = mode == HaloMode::Clip;
    // Elements of the halo beyond the two edges of the array.
    let (left, right) = (width - (own.start - first), width - (end - own.start - own.len));
    let (left, right) = if is_clipped || width == 0 { (0, 0) } else { (left, right) };
    let before = if is_clipped { own.start - first } else { width };
    let span = if width == 0 { own } else { Span::new(first, end - first, 1) };
    let mut pieces = vec![Piece { to: Span::new(left, span.len, 1), from: span, is_reversed: false }];
    let most = match mode {
        HaloMode::Reflect => n.saturating_sub(1),
        HaloMode::Symmetric | HaloMode::Wrap => n,
        HaloMode::Clip | HaloMode::Constant(_) | HaloMode::Edge => usize::MAX,
    };
    if left.max(right) > most {
        return Err(most);
    }
    let (low, high) = match mode {
        HaloMode::Clip | HaloMode::Constant(_) => (None, None),
        HaloMode::Edge => (Some(Span::all(1)), Some(Span::new(n - 1, 1, 1))),
        HaloMode::Reflect => (Some(Span::new(1, left, 1)), Some(Span::new(n.saturating_sub(right + 1), right, 1))),
        HaloMode::Symmetric => (Some(Span::all(left)), Some(Span::new(n - right, right, 1))),
        HaloMode::Wrap => (Some(Span::new(n - left, left, 1)), Some(Span::all(right))),
    };
    let is_reversed = matches!(mode, HaloMode::Reflect | HaloMode::Symmetric);
    if let (Some(from), true) = (low, left > 0) {
        pieces.push(Piece { to: Span::all(left), from, is_reversed });
    }
    if let (Some(from), true) = (high, right > 0) {
        pieces.push(Piece { to: Span::new(left + span.len, right, 1), from, is_reversed });
    }
    Ok((pieces, before, left + span.len + right))
}
