//! Halo exchange: chunks with the neighbouring elements that a window needs.

use smallvec::SmallVec;

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::{Array, Index};
use crate::cuda::Device;
use crate::elements::copy_across;
use crate::engine::{launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::shape_text;
use crate::scalar::Scalar;

/// Mode of a halo: its elements beyond the edges of the whole array, as in NumPy's `pad`.
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

/// Pieces of a padded chunk along each axis.
type Along = SmallVec<[Vec<Piece>; 4]>;

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
            let padded = chunks.map(|chunk| source.padded(chunk, widths, mode)).collect::<Result<Vec<_>>>()?;
            // A copy waits for the work of both devices: those between devices are queued before all others.
            let fill = |is_local: bool| {
                let mut chunks = padded.iter();
                chunks.try_for_each(|(chunk, along)| source.fill(chunk, along, &mut SmallVec::new(), is_local))
            };
            launch::exchange(|| fill(false))?;
            fill(true)?;
            Ok(padded.into_iter().map(|(chunk, _)| chunk).collect())
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

    /// Returns a chunk with memory for its halo, and the pieces along each axis that are copied to it.
    fn padded(&self, chunk: &Chunk, widths: &[usize], mode: HaloMode) -> Result<(HaloChunk, Along)> {
        let mut along = Along::new();
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
        Ok((HaloChunk { device: chunk.device, region: chunk.region.clone(), array, interior }, along))
    }

    /// Copies each combination of the pieces of all axes to a padded chunk: the elements that its device has, or the
    /// others.
    fn fill(&self, out: &HaloChunk, along: &Along, chosen: &mut SmallVec<[Piece; 4]>, is_local: bool) -> Result<()> {
        if let Some(pieces) = along.get(chosen.len()) {
            for &piece in pieces {
                chosen.push(piece);
                self.fill(out, along, chosen, is_local)?;
                chosen.pop();
            }
            return Ok(());
        }
        let from = Region(chosen.iter().map(|piece| piece.from).collect());
        for (at, part) in self.pieces(&from, Some(out.device))? {
            let source = &self.chunks[at];
            if (source.device == out.device) != is_local {
                continue;
            }
            let target = chosen.iter().zip(&part.0).map(|(piece, span)| piece.target_of(*span)).collect();
            let to = out.array.index(Region(target).to_index())?;
            let direction =
                |piece: &Piece| Slice { step: Some(if piece.is_reversed { -1 } else { 1 }), ..Slice::default() };
            let order: Vec<Index> = chosen.iter().map(|piece| Index::Slice(direction(piece))).collect();
            let value = source.part(&part)?;
            if value.shape() == to.shape() && !chosen.iter().any(|piece| piece.is_reversed) {
                copy_across(&value, &to)?;
            } else {
                // A piece of one element is repeated by broadcasting.
                let there = value.to_device(out.device)?;
                launch::arrive(&there)?;
                to.assign(&there.index(order)?)?;
            }
        }
        Ok(())
    }
}

impl Piece {
    /// Returns where some of the elements of the piece are in the padded chunk.
    fn target_of(&self, span: Span) -> Span {
        if self.from.len != self.to.len {
            return self.to;
        }
        let at = self.from.positions_of(span);
        let at = if self.is_reversed { Span::new(self.from.len - at.end(), at.len, at.step) } else { at };
        self.to.at(at)
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
