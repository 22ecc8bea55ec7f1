//! Shapes and byte strides, as pure arithmetic without a device.
//!
//! A layout is a shape, a byte stride for each axis and the offset of the first element. Strides may be negative, or 0
//! for broadcast axes; sizes and offsets are 64-bit. Everything here is tested without a device.

#[cfg(test)]
mod numpy_tests;
mod overlap;
#[cfg(test)]
mod property_tests;
mod walk;

pub(crate) use overlap::divisor;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};

/// The maximum number of axes, as in NumPy.
pub const MAX_NDIM: usize = 64;

/// Sizes of axes.
pub(crate) type Dims = SmallVec<[usize; 6]>;
/// Byte strides of axes.
pub(crate) type Strides = SmallVec<[i64; 6]>;

/// The order in which elements are laid out; NumPy's `order`.
///
/// ```
/// use cuprum::{Order, array};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(a.copy(Order::F)?.strides(), [4, 8]);
/// assert_eq!(a.copy(Order::C)?.strides(), [8, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// C order: the last axis varies fastest.
    #[default]
    C,
    /// Fortran order: the first axis varies fastest.
    F,
    /// F if the operand is in Fortran order and not in C order, otherwise C.
    A,
    /// The order of the operand, as closely as possible.
    K,
}

/// Defaults to K, the order of copies.
impl From<()> for Order {
    fn from((): ()) -> Order {
        Order::K
    }
}

/// Layout of an array: shape, strides and offset in its buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Dims,
    pub(crate) strides: Strides,
    /// The offset of the first element in bytes from the start of the buffer.
    pub(crate) offset: usize,
}

/// Formats a shape as NumPy does: `(2, 3)`, `(3,)`, `()`.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the number of elements of a shape.
pub(crate) fn size_of(shape: &[usize]) -> usize {
    // Layouts are created by checked arithmetic: the product fits unless an axis is empty.
    if shape.contains(&0) { 0 } else { shape.iter().product() }
}

/// Rejects more axes than an array can have.
pub(crate) fn checked_ndim(ndim: usize) -> Result<()> {
    if ndim > MAX_NDIM {
        let message = format!("{ndim} axes are more than the {MAX_NDIM} that an array can have");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// Returns the size of a shape in bytes, or an error if it exceeds the largest array.
pub(crate) fn checked_bytes(shape: &[usize], itemsize: usize) -> Result<usize> {
    checked_ndim(shape.len())?;
    let nonzero = shape.iter().filter(|&&n| n != 0).try_fold(itemsize, |p, &n| p.checked_mul(n));
    match nonzero.filter(|&b| b <= i64::MAX as usize) {
        Some(bytes) => Ok(if shape.contains(&0) { 0 } else { bytes }),
        None => Err(Error::new(
            ErrorKind::Value,
            format!("an array of shape {} is too large to be addressed", shape_text(shape)),
        )),
    }
}

impl Layout {
    /// Returns a contiguous layout whose axes, from slowest to fastest, are those of `order`.
    fn dense(shape: &[usize], itemsize: usize, order: impl DoubleEndedIterator<Item = usize>) -> Layout {
        let mut strides: Strides = smallvec::smallvec![0; shape.len()];
        let mut step = itemsize as i64;
        for axis in order.rev() {
            strides[axis] = step;
            step = step.saturating_mul(shape[axis].max(1) as i64);
        }
        Layout { shape: shape.into(), strides, offset: 0 }
    }

    /// Returns the layout of a new array in C order.
    pub(crate) fn c_order(shape: &[usize], itemsize: usize) -> Layout {
        Layout::dense(shape, itemsize, 0..shape.len())
    }

    /// Returns the layout of a new array in Fortran order.
    pub(crate) fn f_order(shape: &[usize], itemsize: usize) -> Layout {
        Layout::dense(shape, itemsize, (0..shape.len()).rev())
    }

    /// Returns a contiguous layout for a result of these operands, all broadcast to `shape`, in the order of axes that
    /// most of them have: NumPy's order 'K'.
    pub(crate) fn like(shape: &[usize], itemsize: usize, operands: &[&[i64]]) -> Layout {
        Layout::dense(shape, itemsize, order_like(shape, operands).into_iter())
    }

    /// Returns the layout of a batch of cores in C order, whose batch axes are ordered as [`Layout::like`] orders those
    /// of the operands, given by shape and strides: axes of one element, and broadcast ones, do not count.
    pub(crate) fn stacked(stack: &[usize], core: &[usize], itemsize: usize, operands: &[(&[usize], &[i64])]) -> Layout {
        let whole = core.iter().product::<usize>() * itemsize;
        let shape: Dims = stack.iter().chain(core).copied().collect();
        if stack.len() < 2 || whole == 0 {
            return Layout::c_order(&shape, itemsize);
        }
        let front = |(shape, strides): &(&[usize], &[i64])| -> Strides {
            let own = shape.iter().zip(*strides).map(|(n, stride)| if *n == 1 { 0 } else { *stride });
            std::iter::repeat_n(0, stack.len() - shape.len()).chain(own).collect()
        };
        let fronts: SmallVec<[Strides; 2]> = operands.iter().map(front).collect();
        let fronts: SmallVec<[&[i64]; 2]> = fronts.iter().map(|strides| strides.as_slice()).collect();
        let mut layout = Layout::like(stack, whole, &fronts);
        layout.strides.extend_from_slice(&Layout::c_order(core, itemsize).strides);
        layout.shape = shape;
        layout
    }

    /// Returns the layout of the remaining axes of a reduction; the reduced ones take part in determining the order of
    /// the others.
    pub(crate) fn like_reduced(shape: &[usize], gone: &[usize], itemsize: usize, operands: &[&[i64]]) -> Layout {
        let kept: Dims = (0..shape.len()).filter(|axis| !gone.contains(axis)).collect();
        let order = order_like(shape, operands).into_iter().filter_map(|axis| kept.iter().position(|&k| k == axis));
        let shape: Dims = kept.iter().map(|&axis| shape[axis]).collect();
        Layout::dense(&shape, itemsize, order)
    }

    /// Returns the layout of a concatenation of arrays, given by shape and strides. Unlike in `like`, an axis counts if
    /// an array has several elements along it, whatever the stride: a broadcast one requires C order.
    pub(crate) fn joined(shape: &[usize], itemsize: usize, arrays: &[(&[usize], &[i64])]) -> Layout {
        let mut axes: SmallVec<[usize; 6]> = (0..shape.len()).collect();
        for i in 1..axes.len() {
            let mut at = i;
            for j in (0..i).rev() {
                let (inner, outer) = (axes[i], axes[j]);
                let mut known = arrays.iter().filter(|(n, _)| n[inner] != 1 && n[outer] != 1).peekable();
                if known.peek().is_none() {
                    continue;
                }
                if known.any(|(_, s)| s[inner].unsigned_abs() <= s[outer].unsigned_abs()) {
                    break;
                }
                at = j;
            }
            axes[at..=i].rotate_right(1);
        }
        Layout::dense(shape, itemsize, axes.iter().copied())
    }

    /// Returns the layout of a copy in an order; `K` keeps that of this one as closely as possible.
    pub(crate) fn in_order(&self, itemsize: usize, order: Order) -> Layout {
        match order {
            Order::C => Layout::c_order(&self.shape, itemsize),
            Order::F => Layout::f_order(&self.shape, itemsize),
            Order::A if self.is_f_contiguous(itemsize) && !self.is_c_contiguous(itemsize) => {
                Layout::f_order(&self.shape, itemsize)
            }
            Order::A => Layout::c_order(&self.shape, itemsize),
            Order::K if self.is_c_contiguous(itemsize) => Layout::c_order(&self.shape, itemsize),
            Order::K => {
                // With one operand every axis is ordered by its stride, a broadcast one being the fastest.
                let mut axes: SmallVec<[usize; 6]> = (0..self.shape.len()).collect();
                axes.sort_by_key(|&a| std::cmp::Reverse(self.strides[a].unsigned_abs()));
                Layout::dense(&self.shape, itemsize, axes.iter().copied())
            }
        }
    }

    /// Returns the number of elements.
    pub(crate) fn size(&self) -> usize {
        size_of(&self.shape)
    }

    /// Returns true if elements follow each other in C order.
    pub(crate) fn is_c_contiguous(&self, itemsize: usize) -> bool {
        contiguous(self.shape.iter().rev().zip(self.strides.iter().rev()), itemsize) || self.size() == 0
    }

    /// Returns true if elements follow each other in Fortran order.
    pub(crate) fn is_f_contiguous(&self, itemsize: usize) -> bool {
        contiguous(self.shape.iter().zip(&self.strides), itemsize) || self.size() == 0
    }

    /// Returns the extent of the elements in bytes relative to the buffer: first, and one past the last.
    pub(crate) fn extent(&self, itemsize: usize) -> (i64, i64) {
        if self.size() == 0 {
            return (self.offset as i64, self.offset as i64);
        }
        let (mut low, mut high) = (self.offset as i64, self.offset as i64 + itemsize as i64);
        for (&n, &s) in self.shape.iter().zip(&self.strides) {
            let reach = s * (n as i64 - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        (low, high)
    }

    /// Broadcasts the layout to a shape: missing axes and those of size 1 are broadcast.
    pub(crate) fn broadcast_to(&self, shape: &[usize]) -> Result<Layout> {
        let fail = || {
            Error::new(
                ErrorKind::Value,
                format!("shape {} cannot be broadcast to {}", shape_text(&self.shape), shape_text(shape)),
            )
        };
        let missing = shape.len().checked_sub(self.shape.len()).ok_or_else(fail)?;
        if self.shape.iter().zip(&shape[missing..]).any(|(&n, &to)| n != to && n != 1) {
            return Err(fail());
        }
        checked_bytes(shape, 1)?;
        Ok(Layout { shape: shape.into(), strides: self.broadcast_strides(shape), offset: self.offset })
    }

    /// Returns the strides of the layout broadcast to a shape, which must be possible.
    pub(crate) fn broadcast_strides(&self, shape: &[usize]) -> Strides {
        let mut strides: Strides = smallvec::smallvec![0; shape.len()];
        let missing = shape.len() - self.shape.len();
        for (slot, (&n, &s)) in strides[missing..].iter_mut().zip(self.shape.iter().zip(&self.strides)) {
            *slot = if n == 1 { 0 } else { s };
        }
        strides
    }

    /// Returns the layout of the same elements in another shape, if no copy is needed; `order` is C or F.
    pub(crate) fn reshape(&self, shape: &[usize], itemsize: usize, order: Order) -> Option<Layout> {
        let fresh = |strides: Strides| Layout { shape: shape.into(), strides, offset: self.offset };
        if self.size() == 0 {
            return Some(fresh(Layout::c_order(shape, itemsize).strides));
        }
        let reversed = order == Order::F;
        let turn = |v: &[usize]| -> Dims { if reversed { v.iter().rev().copied().collect() } else { v.into() } };
        let kept: SmallVec<[usize; 6]> = (0..self.shape.len()).filter(|&a| self.shape[a] != 1).collect();
        let kept = turn(&kept);
        let new = turn(shape);
        let mut strides: Strides = smallvec::smallvec![itemsize as i64; new.len()];
        let (mut i, mut j) = (0, 0);
        while i < kept.len() && j < new.len() {
            // The shortest runs of old and of new axes with equal numbers of elements.
            let (mut old_size, mut new_size) = (self.shape[kept[i]], new[j]);
            let (mut i_end, mut j_end) = (i + 1, j + 1);
            while old_size != new_size {
                if old_size < new_size {
                    old_size *= self.shape[*kept.get(i_end)?];
                    i_end += 1;
                } else {
                    new_size *= *new.get(j_end)?;
                    j_end += 1;
                }
            }
            for w in kept[i..i_end].windows(2) {
                if self.strides[w[0]] != self.strides[w[1]] * self.shape[w[1]] as i64 {
                    return None;
                }
            }
            let mut step = self.strides[kept[i_end - 1]];
            for k in (j..j_end).rev() {
                strides[k] = step;
                step *= new[k] as i64;
            }
            (i, j) = (i_end, j_end);
        }
        // The remaining axes have size 1.
        for k in j..new.len() {
            strides[k] = if k == 0 { itemsize as i64 } else { strides[k - 1] };
        }
        if reversed {
            strides.reverse();
        }
        Some(fresh(strides))
    }
}

fn contiguous<'a>(axes: impl Iterator<Item = (&'a usize, &'a i64)>, itemsize: usize) -> bool {
    let mut expected = itemsize as i64;
    for (&n, &s) in axes {
        if n != 1 {
            if s != expected {
                return false;
            }
            expected *= n as i64;
        }
    }
    true
}

/// Returns the axes of a result of these operands, all broadcast to `shape`, from the slowest to the fastest.
pub(crate) fn order_like(shape: &[usize], operands: &[&[i64]]) -> SmallVec<[usize; 6]> {
    // From the fastest to the slowest. The comparison is not transitive, so that an insertion sort in exactly this
    // direction is needed: axes that no operand orders keep their order.
    let mut axes: SmallVec<[usize; 6]> = (0..shape.len()).rev().collect();
    for i in 1..axes.len() {
        let mut at = i;
        for j in (0..i).rev() {
            match order_of(axes[i], axes[j], shape, operands) {
                Some(std::cmp::Ordering::Less) => at = j,
                Some(_) => break,
                None => {}
            }
        }
        axes[at..=i].rotate_right(1);
    }
    axes.reverse();
    axes
}

/// Compares the strides along axis `first` with those along `second`, if any operand determines their order.
fn order_of(first: usize, second: usize, shape: &[usize], operands: &[&[i64]]) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let mut found = None;
    for strides in operands {
        let (a, b) = (strides[first].unsigned_abs(), strides[second].unsigned_abs());
        if a == 0 || b == 0 || shape[first] == 1 || shape[second] == 1 {
            continue;
        }
        // An operand in C order takes precedence over those that would exchange the axes.
        match a.cmp(&b) {
            Greater | Equal => return Some(Greater),
            Less => found = Some(Less),
        }
    }
    found
}

/// Returns the broadcast shape of several operands.
///
/// # Errors
///
/// [`ErrorKind::Value`], naming the shapes, if they cannot be broadcast.
pub(crate) fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Dims> {
    let ndim = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out: Dims = smallvec::smallvec![1; ndim];
    for shape in shapes {
        for (slot, &n) in out[ndim - shape.len()..].iter_mut().zip(*shape) {
            if *slot == 1 {
                *slot = n;
            } else if n != 1 && n != *slot {
                let all: Vec<_> = shapes.iter().map(|s| shape_text(s)).collect();
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("operands could not be broadcast together with shapes {}", all.join(" and ")),
                ));
            }
        }
    }
    Ok(out)
}

/// Axes shared by several operands, the fastest last, merged to as few as possible for a kernel's loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes<const N: usize> {
    pub(crate) sizes: Dims,
    /// The byte strides of each operand.
    pub(crate) strides: [Strides; N],
}

impl<const N: usize> Axes<N> {
    /// Drops axes of size 1, sorts the rest by the strides of the last operand, with ties decided by the others, and
    /// merges axes that are contiguous in all operands. With `keep_order`, axes are merged but not sorted.
    pub(crate) fn collapse(shape: &[usize], strides: [&[i64]; N], keep_order: bool) -> Axes<N> {
        let mut axes: SmallVec<[usize; 6]> = (0..shape.len()).filter(|&a| shape[a] != 1).collect();
        if !keep_order {
            let key = |a: usize| -> [u64; N] { std::array::from_fn(|k| strides[N - 1 - k][a].unsigned_abs()) };
            // A stable sort, so that axes with equal strides stay in C order.
            axes.sort_by_key(|&a| std::cmp::Reverse(key(a)));
        }
        let mut out = Axes { sizes: Dims::new(), strides: std::array::from_fn(|_| Strides::new()) };
        for &a in &axes {
            let n = shape[a] as i64;
            let merges = out.sizes.last().is_some_and(|_| {
                (0..N).all(|k| out.strides[k].last().is_some_and(|&outer| outer == strides[k][a].wrapping_mul(n)))
            });
            if merges {
                let last = out.sizes.len() - 1;
                out.sizes[last] *= shape[a];
                for k in 0..N {
                    out.strides[k][last] = strides[k][a];
                }
            } else {
                out.sizes.push(shape[a]);
                for k in 0..N {
                    out.strides[k].push(strides[k][a]);
                }
            }
        }
        out
    }
}

/// Normalises an axis; negative ones count from the end.
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds.
pub(crate) fn normalize_axis(axis: isize, ndim: usize) -> Result<usize> {
    let at = if axis < 0 { axis + ndim as isize } else { axis };
    if at < 0 || at >= ndim as isize {
        return Err(Error::new(ErrorKind::Axis, format!("axis {axis} is out of bounds for an array of {ndim} axes")));
    }
    Ok(at as usize)
}

/// Normalises several distinct axes.
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for a repeated one.
pub(crate) fn normalize_axes(axes: &[isize], ndim: usize) -> Result<Dims> {
    let mut out = Dims::new();
    for &axis in axes {
        let at = normalize_axis(axis, ndim)?;
        if out.contains(&at) {
            return Err(Error::new(ErrorKind::Value, format!("axis {axis} is named twice")));
        }
        out.push(at);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[i64]) -> Layout {
        Layout { shape: shape.into(), strides: strides.into(), offset: 0 }
    }

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        assert_eq!(broadcast_shapes(&[&[2, 1], &[3]]).unwrap().as_slice(), [2, 3]);
        assert_eq!(broadcast_shapes(&[&[], &[0]]).unwrap().as_slice(), [0]);
        assert_eq!(broadcast_shapes(&[&[1], &[0]]).unwrap().as_slice(), [0]);
        let e = broadcast_shapes(&[&[2, 3], &[4]]).unwrap_err();
        assert!(e.message().contains("(2, 3) and (4,)"), "{e}");
    }

    #[test]
    fn results_take_the_order_of_their_operands() {
        let c = Layout::c_order(&[2, 3], 8);
        let f = Layout::f_order(&[2, 3], 8);
        let like = |a: &Layout, b: &Layout| Layout::like(&[2, 3], 8, &[&a.strides, &b.strides]).strides;
        assert_eq!(like(&f, &f), f.strides);
        assert_eq!(like(&f, &c), c.strides);
        assert_eq!(like(&c, &f), c.strides);
        assert_eq!(like(&f, &f.broadcast_to(&[2, 3]).unwrap()), f.strides);
        let row = Layout::c_order(&[3], 8).broadcast_to(&[2, 3]).unwrap();
        assert_eq!(like(&f, &row), f.strides);
        assert_eq!(Layout::like(&[2, 3, 4], 1, &[&[4, 8, 1]]).strides.as_slice(), [4, 8, 1]);
        assert_eq!(Layout::like(&[4], 8, &[&[-16]]).strides.as_slice(), [8]);
    }

    #[test]
    fn reshaping_needs_no_copy_where_axes_merge() {
        let a = layout(&[2, 3, 4], &[96, 32, 8]);
        assert_eq!(a.reshape(&[6, 4], 8, Order::C).unwrap().strides.as_slice(), [32, 8]);
        assert_eq!(a.reshape(&[24], 8, Order::C).unwrap().strides.as_slice(), [8]);
        assert_eq!(a.reshape(&[2, 3, 2, 2, 1], 8, Order::C).unwrap().strides.as_slice(), [96, 32, 16, 8, 8]);
        let transposed = layout(&[3, 2], &[8, 24]);
        assert_eq!(transposed.reshape(&[6], 8, Order::C), None);
        assert_eq!(transposed.reshape(&[6], 8, Order::F).unwrap().strides.as_slice(), [8]);
        let reversed = layout(&[6], &[-8]);
        assert_eq!(reversed.reshape(&[2, 3], 8, Order::C).unwrap().strides.as_slice(), [-24, -8]);
    }

    #[test]
    fn axes_collapse_where_all_operands_agree() {
        let a = Axes::collapse(&[2, 1, 3, 4], [&[48, 0, 16, 4], &[24, 9, 8, 2]], false);
        assert_eq!((a.sizes.as_slice(), a.strides[0].as_slice()), ([24].as_slice(), [4].as_slice()));
        let b = Axes::collapse(&[3, 4], [&[4, 12], &[4, 12]], false);
        assert_eq!(b.sizes.as_slice(), [12]);
        let mixed = Axes::collapse(&[3, 4], [&[4, 12], &[16, 4]], false);
        assert_eq!(mixed.sizes.as_slice(), [3, 4]);
    }

    #[test]
    fn too_large_shapes_are_rejected() {
        assert_eq!(checked_bytes(&[usize::MAX, 2], 8).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(checked_bytes(&[usize::MAX / 4, 0], 1).unwrap(), 0);
        assert_eq!(checked_bytes(&[1; 65], 1).unwrap_err().kind(), ErrorKind::Value);
    }
}
