//! Shapes and byte strides: pure arithmetic, no device.

#[cfg(test)]
mod numpy;
mod overlap;
#[cfg(test)]
mod properties;
mod walk;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};

/// The most axes that an array has, as in NumPy.
pub const MAX_NDIM: usize = 64;

/// Sizes of axes.
pub(crate) type Dims = SmallVec<[usize; 6]>;
/// Byte strides of axes.
pub(crate) type Strides = SmallVec<[i64; 6]>;

/// The order in which elements are laid out; NumPy's `order`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The last axis is the fastest.
    #[default]
    C,
    /// The first axis is the fastest.
    F,
    /// F where the operand is laid out so and not C, else C.
    A,
    /// As the operand is laid out, as closely as possible.
    K,
}

/// The order of what is copied.
impl From<()> for Order {
    fn from((): ()) -> Order {
        Order::K
    }
}

/// Where an array's elements are, relative to its buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Dims,
    pub(crate) strides: Strides,
    /// Bytes from the start of the buffer to the first element.
    pub(crate) offset: usize,
}

/// A shape as NumPy writes it: `(2, 3)`, `(3,)`, `()`.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The number of elements of a shape.
pub(crate) fn size_of(shape: &[usize]) -> usize {
    // Layouts are made by checked arithmetic: the product fits unless an axis is empty.
    if shape.contains(&0) { 0 } else { shape.iter().product() }
}

/// Fails for more axes than an array can have.
pub(crate) fn checked_ndim(ndim: usize) -> Result<()> {
    if ndim > MAX_NDIM {
        let message = format!("{ndim} axes are more than the {MAX_NDIM} that an array can have");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// Bytes of a shape, or an error where there are more than any array can have.
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
    /// A dense layout whose axes are, from slowest to fastest, those of `order`.
    fn dense(shape: &[usize], itemsize: usize, order: impl DoubleEndedIterator<Item = usize>) -> Layout {
        let mut strides: Strides = smallvec::smallvec![0; shape.len()];
        let mut step = itemsize as i64;
        for axis in order.rev() {
            strides[axis] = step;
            step = step.saturating_mul(shape[axis].max(1) as i64);
        }
        Layout { shape: shape.into(), strides, offset: 0 }
    }

    pub(crate) fn c_order(shape: &[usize], itemsize: usize) -> Layout {
        Layout::dense(shape, itemsize, 0..shape.len())
    }

    pub(crate) fn f_order(shape: &[usize], itemsize: usize) -> Layout {
        Layout::dense(shape, itemsize, (0..shape.len()).rev())
    }

    /// A dense layout for a result of these operands, all broadcast to `shape`: the order of axes that most of them
    /// have, NumPy's order 'K'.
    pub(crate) fn like(shape: &[usize], itemsize: usize, operands: &[&[i64]]) -> Layout {
        Layout::dense(shape, itemsize, order_like(shape, operands).into_iter())
    }

    /// The layout of parts in C order, one for each place of a stack, whose axes lie as [`Layout::like`] says of the stacks of these
    /// operands, given as shape and strides: an axis of one element lies nowhere there, and so does one that is broadcast.
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

    /// The same of the axes that a reduction leaves; those that go have their say in the order of the others, too.
    pub(crate) fn like_reduced(shape: &[usize], gone: &[usize], itemsize: usize, operands: &[&[i64]]) -> Layout {
        let kept: Dims = (0..shape.len()).filter(|axis| !gone.contains(axis)).collect();
        let order = order_like(shape, operands).into_iter().filter_map(|axis| kept.iter().position(|&k| k == axis));
        let shape: Dims = kept.iter().map(|&axis| shape[axis]).collect();
        Layout::dense(&shape, itemsize, order)
    }

    /// The layout of arrays, given as shape and strides, one behind the other in an array of this shape. As `like`, but
    /// that an axis counts where an array has several elements along it, whatever the stride: a broadcast one asks for C
    /// order.
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
                // Of one operand every axis is ordered by its stride, a broadcast one being the fastest.
                let mut axes: SmallVec<[usize; 6]> = (0..self.shape.len()).collect();
                axes.sort_by_key(|&a| std::cmp::Reverse(self.strides[a].unsigned_abs()));
                Layout::dense(&self.shape, itemsize, axes.iter().copied())
            }
        }
    }

    pub(crate) fn size(&self) -> usize {
        size_of(&self.shape)
    }

    pub(crate) fn is_c_contiguous(&self, itemsize: usize) -> bool {
        contiguous(self.shape.iter().rev().zip(self.strides.iter().rev()), itemsize) || self.size() == 0
    }

    pub(crate) fn is_f_contiguous(&self, itemsize: usize) -> bool {
        contiguous(self.shape.iter().zip(&self.strides), itemsize) || self.size() == 0
    }

    /// The bytes that the elements cover, from the first to behind the last, relative to the buffer.
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

    /// The same elements seen in a larger shape: axes that are missing or of size 1 are broadcast.
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

    /// The strides of the same elements seen in a larger shape, to which they are known to broadcast.
    pub(crate) fn broadcast_strides(&self, shape: &[usize]) -> Strides {
        let mut strides: Strides = smallvec::smallvec![0; shape.len()];
        let missing = shape.len() - self.shape.len();
        for (slot, (&n, &s)) in strides[missing..].iter_mut().zip(self.shape.iter().zip(&self.strides)) {
            *slot = if n == 1 { 0 } else { s };
        }
        strides
    }

    /// The same elements in another shape, if no copy is needed; `order` is C or F.
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
            // The shortest runs of old and of new axes with as many elements.
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
        // What is left are axes of size 1.
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

/// The axes of a result of these operands, all broadcast to `shape`, from the slowest to the fastest.
pub(crate) fn order_like(shape: &[usize], operands: &[&[i64]]) -> SmallVec<[usize; 6]> {
    // From the fastest to the slowest. An insertion sort in this very direction, because the comparison is not
    // transitive: axes that no operand orders stay as they are.
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

/// How the steps along axis `first` stand to those along `second`, if any operand has a say.
fn order_of(first: usize, second: usize, shape: &[usize], operands: &[&[i64]]) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let mut found = None;
    for strides in operands {
        let (a, b) = (strides[first].unsigned_abs(), strides[second].unsigned_abs());
        if a == 0 || b == 0 || shape[first] == 1 || shape[second] == 1 {
            continue;
        }
        // An operand that keeps C order wins over those that would turn it.
        match a.cmp(&b) {
            Greater | Equal => return Some(Greater),
            Less => found = Some(Less),
        }
    }
    found
}

/// The common shape of several operands.
///
/// # Errors
///
/// [`ErrorKind::Value`], naming the shapes, where they do not go together.
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
                    format!("operands of shapes {} cannot be broadcast together", all.join(" and ")),
                ));
            }
        }
    }
    Ok(out)
}

/// Axes that several operands share, the fastest last, in as few as possible: what a kernel walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes<const N: usize> {
    pub(crate) sizes: Dims,
    /// The byte strides of each operand.
    pub(crate) strides: [Strides; N],
}

impl<const N: usize> Axes<N> {
    /// Drops axes of size 1, sorts the rest by the strides of the last operand, the others deciding ties, and merges
    /// those that all operands walk as one. With `keep_order`, axes are merged but never sorted.
    pub(crate) fn collapse(shape: &[usize], strides: [&[i64]; N], keep_order: bool) -> Axes<N> {
        let mut axes: SmallVec<[usize; 6]> = (0..shape.len()).filter(|&a| shape[a] != 1).collect();
        if !keep_order {
            let key = |a: usize| -> [u64; N] { std::array::from_fn(|k| strides[N - 1 - k][a].unsigned_abs()) };
            // Stable, so that axes which all strides leave open stay in C order.
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

/// An axis counted from the front; negative ones count from the end.
///
/// # Errors
///
/// [`ErrorKind::Axis`] where the array has no such axis.
pub(crate) fn normalize_axis(axis: isize, ndim: usize) -> Result<usize> {
    let at = if axis < 0 { axis + ndim as isize } else { axis };
    if at < 0 || at >= ndim as isize {
        return Err(Error::new(ErrorKind::Axis, format!("axis {axis} is out of bounds for an array of {ndim} axes")));
    }
    Ok(at as usize)
}

/// Several axes, each at most once.
///
/// # Errors
///
/// [`ErrorKind::Axis`] where one does not exist, [`ErrorKind::Value`] where one stands twice.
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
        let turned = layout(&[3, 2], &[8, 24]);
        assert_eq!(turned.reshape(&[6], 8, Order::C), None);
        assert_eq!(turned.reshape(&[6], 8, Order::F).unwrap().strides.as_slice(), [8]);
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
