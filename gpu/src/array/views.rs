//! Views that change shape, axes or strides. None of them involves the device, unless documented.
//!
//! A view shares the buffer, and a write through either is visible through both. `reshape` and `ravel` copy where no
//! strides describe the new shape.

use super::{Array, Axes, IntoArgument, IntoAxis, IntoShape, checked_shape, signed_shape_text};
use cuprum_macros::Options;

use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, checked_bytes, checked_ndim, normalize_axes, normalize_axis, shape_text};

/// Options of [`Array::diagonal`].
///
/// An integer converts to options that set the offset alone.
///
/// ```
/// use cuprum::{DiagonalOptions, array, diagonal};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(diagonal(&a, DiagonalOptions::new().offset(1))?.to_vec::<i32>()?, [2, 6]);
/// assert_eq!(diagonal(&a, -1)?.to_vec::<i32>()?, [4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct DiagonalOptions {
    /// The offset from the main diagonal; positive ones are above it. By default 0.
    #[from]
    pub offset: isize,
    /// The axis of rows; by default the first.
    pub axis1: isize,
    /// The axis of columns; by default the second.
    pub axis2: isize,
}

impl Default for DiagonalOptions {
    fn default() -> DiagonalOptions {
        DiagonalOptions { offset: 0, axis1: 0, axis2: 1 }
    }
}

/// Returns the axes, which are required.
fn named(axes: &Axes) -> Result<&[isize]> {
    axes.as_slice().ok_or_else(|| Error::new(ErrorKind::Type, "an axis is needed: none is named"))
}

impl Array {
    /// Gives the elements another shape of the same size; NumPy's `reshape` with `order`. One axis may be -1 and is
    /// computed.
    ///
    /// The result is a view where the strides allow it, otherwise a copy. `order` is the order in which elements are
    /// counted.
    ///
    /// The dtype stays.
    ///
    /// ```
    /// use cuprum::{Order, array};
    /// let a = array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.reshape_in([4], Order::F)?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the sizes differ or more than one axis is negative.
    pub fn reshape_in(&self, shape: impl IntoShape, order: Order) -> Result<Array> {
        let order = match order {
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => Order::F,
            Order::F => Order::F,
            Order::C | Order::A => Order::C,
            Order::K => {
                return Err(
                    Error::new(ErrorKind::Value, "elements are counted in order C, F or A, not K").with_op("reshape")
                );
            }
        };
        let requested = shape.into_shape();
        let shape = self.computed_shape(&requested)?;
        if let Some(layout) = self.layout.reshape(&shape, self.itemsize(), order) {
            return Ok(self.with_layout(layout));
        }
        let copy = self.copy(order)?;
        let dense = if order == Order::F {
            Layout::f_order(&shape, self.itemsize())
        } else {
            Layout::c_order(&shape, self.itemsize())
        };
        Ok(copy.with_layout(dense))
    }

    /// Gives the elements another shape of the same size, in C order; NumPy's `reshape`. See [`Array::reshape_in`].
    ///
    /// # Errors
    ///
    /// Same as [`Array::reshape_in`].
    ///
    /// ```
    /// let a = cuprum::arange(0, 6, 1)?.reshape([2, -1])?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn reshape(&self, shape: impl IntoShape) -> Result<Array> {
        self.reshape_in(shape, Order::C)
    }

    fn computed_shape(&self, requested: &[i64]) -> Result<Vec<usize>> {
        let fail = || {
            Error::new(
                ErrorKind::Value,
                format!(
                    "an array of shape {}, of {} elements, cannot be given the shape {}",
                    shape_text(self.shape()),
                    self.size(),
                    signed_shape_text(requested)
                ),
            )
            .with_op("reshape")
        };
        let known = requested.iter().filter(|&&n| n >= 0).try_fold(1usize, |p, &n| p.checked_mul(n as usize));
        let known = known.ok_or_else(fail)?;
        let open = requested.iter().filter(|&&n| n < 0).count();
        let rest = match open {
            0 if known == self.size() => 0,
            1 if known > 0 && self.size().is_multiple_of(known) => self.size() / known,
            _ => return Err(fail()),
        };
        if requested.iter().any(|&n| n < -1) {
            return Err(fail());
        }
        let shape: Vec<usize> = requested.iter().map(|&n| if n < 0 { rest } else { n as usize }).collect();
        checked_bytes(&shape, self.itemsize()).map_err(|e| e.with_op("reshape"))?;
        Ok(shape)
    }

    /// Transposes the array: reverses the order of its axes; NumPy's `T`.
    ///
    /// It is a view of the same dtype; arrays of no or one axis are unchanged. [`transpose`](Self::transpose) takes an
    /// order of axes.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.t().to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[doc(alias = "T")]
    pub fn t(&self) -> Array {
        let mut layout = self.layout.clone();
        layout.shape.reverse();
        layout.strides.reverse();
        self.with_layout(layout)
    }

    /// Permutes the axes, by default in reverse order; NumPy's `transpose`.
    ///
    /// The result is a view of the same dtype.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where `axes` is not a permutation of the axes, [`ErrorKind::Axis`] for an axis that is out
    /// of bounds.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3, 4], ())?;
    /// assert_eq!(a.transpose((2, 0, 1))?.shape(), [4, 2, 3]);
    /// assert_eq!(a.transpose(())?.shape(), [4, 3, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn transpose(&self, axes: impl IntoArgument<Axes>) -> Result<Array> {
        axes.into().as_slice().map_or_else(|| Ok(self.t()), |axes| self.transposed(axes))
    }

    fn transposed(&self, axes: &[isize]) -> Result<Array> {
        if axes.len() != self.ndim() {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "{} axes are given, an array of shape {} has {}",
                    axes.len(),
                    shape_text(self.shape()),
                    self.ndim()
                ),
            )
            .with_op("transpose"));
        }
        let axes = normalize_axes(axes, self.ndim()).map_err(|e| e.with_op("transpose"))?;
        Ok(self.permuted(&axes))
    }

    /// Returns a view with the axes in another order; they are valid.
    pub(crate) fn permuted(&self, axes: &[usize]) -> Array {
        self.with_layout(Layout {
            shape: axes.iter().map(|&a| self.layout.shape[a]).collect(),
            strides: axes.iter().map(|&a| self.layout.strides[a]).collect(),
            offset: self.layout.offset,
        })
    }

    /// Exchanges two axes; NumPy's `swapaxes`.
    ///
    /// It is a view of the same dtype. Negative axes count from the end.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3, 4], ())?;
    /// assert_eq!(a.swapaxes(0, -1)?.shape(), [4, 3, 2]);
    /// assert!(a.swapaxes(0, 3).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that is out of bounds.
    pub fn swapaxes(&self, axis1: impl IntoAxis, axis2: impl IntoAxis) -> Result<Array> {
        self.swapped(axis1.into_axis(), axis2.into_axis())
    }

    fn swapped(&self, first: isize, second: isize) -> Result<Array> {
        let go = || Ok((normalize_axis(first, self.ndim())?, normalize_axis(second, self.ndim())?));
        let (a, b) = go().map_err(|e: Error| e.with_op("swapaxes"))?;
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        axes.swap(a, b);
        Ok(self.permuted(&axes))
    }

    /// Returns a read-only view of the diagonals of the matrices formed by two axes; NumPy's `diagonal`. The result has
    /// the other axes, then the diagonal.
    ///
    /// ```
    /// let a = cuprum::arange(0, 6, 1)?.reshape([2, 3])?;
    /// assert_eq!(a.diagonal(())?.to_vec::<i64>()?, [0, 4]);
    /// assert_eq!(a.diagonal(1)?.to_vec::<i64>()?, [1, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for fewer than two axes and for two equal axes, [`ErrorKind::Axis`] for an axis that is out
    /// of bounds.
    pub fn diagonal(&self, options: impl IntoArgument<DiagonalOptions>) -> Result<Array> {
        self.diagonal_of(options.into())
    }

    fn diagonal_of(&self, options: DiagonalOptions) -> Result<Array> {
        let DiagonalOptions { offset, axis1, axis2 } = options;
        let go = || {
            if self.ndim() < 2 {
                let message =
                    format!("an array of shape {} has no diagonal: that needs two axes", shape_text(self.shape()));
                return Err(Error::new(ErrorKind::Value, message));
            }
            let (down, across) = (normalize_axis(axis1, self.ndim())?, normalize_axis(axis2, self.ndim())?);
            if down == across {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("axis1 and axis2 are both axis {down}: a diagonal needs two"),
                ));
            }
            Ok((down, across))
        };
        let (down, across) = go().map_err(|e| e.with_op("diagonal"))?;
        let Layout { shape, strides, offset: start } = &self.layout;
        let skipped = [offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs()];
        let left = [shape[down].saturating_sub(skipped[0]), shape[across].saturating_sub(skipped[1])];
        let length = left[0].min(left[1]);
        // An empty diagonal begins at the start of the array.
        let step = |axis: usize, by: usize| if length == 0 { 0 } else { strides[axis] * by as i64 };
        let others = (0..self.ndim()).filter(|&axis| axis != down && axis != across);
        Ok(self.with_layout(Layout {
            shape: others.clone().map(|axis| shape[axis]).chain([length]).collect(),
            strides: others.map(|axis| strides[axis]).chain([strides[down] + strides[across]]).collect(),
            offset: (*start as i64 + step(down, skipped[0]) + step(across, skipped[1])) as usize,
        }))
    }

    /// Moves axes to other positions, keeping the order of the rest; NumPy's `moveaxis`.
    ///
    /// The result is a view of the same dtype.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the lists differ in length or repeat an axis, [`ErrorKind::Axis`] for an axis that is
    /// out of bounds.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3, 4], ())?;
    /// assert_eq!(a.moveaxis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn moveaxis(&self, source: impl IntoArgument<Axes>, destination: impl IntoArgument<Axes>) -> Result<Array> {
        self.moved(source.into(), destination.into())
    }

    fn moved(&self, source: Axes, destination: Axes) -> Result<Array> {
        let go = || {
            let (source, destination) = (named(&source)?, named(&destination)?);
            let (from, to) = (normalize_axes(source, self.ndim())?, normalize_axes(destination, self.ndim())?);
            if from.len() != to.len() {
                let message = format!("{} source axes are moved to {} destination axes", from.len(), to.len());
                return Err(Error::new(ErrorKind::Value, message));
            }
            Ok((from, to))
        };
        let (from, to) = go().map_err(|e| e.with_op("moveaxis"))?;
        let mut axes: Vec<usize> = (0..self.ndim()).filter(|a| !from.contains(a)).collect();
        let mut moves: Vec<_> = to.iter().zip(&from).collect();
        moves.sort();
        for (&at, &axis) in moves {
            axes.insert(at, axis);
        }
        Ok(self.permuted(&axes))
    }

    /// Inserts axes of size 1 at positions of the result; NumPy's `expand_dims`.
    ///
    /// The result is a view of the same dtype, with as many more axes as there are positions.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for a position that is out of bounds, [`ErrorKind::Value`] for a repeated one and for too
    /// many axes.
    ///
    /// ```
    /// let a = cuprum::zeros([2, 3], ())?;
    /// assert_eq!(a.expand_dims(0)?.shape(), [1, 2, 3]);
    /// assert_eq!(a.expand_dims((0, -1))?.shape(), [1, 2, 3, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn expand_dims(&self, axis: impl IntoArgument<Axes>) -> Result<Array> {
        let axes = axis.into();
        self.expanded(named(&axes).map_err(|e| e.with_op("expand_dims"))?)
    }

    fn expanded(&self, axes: &[isize]) -> Result<Array> {
        let ndim = self.ndim() + axes.len();
        let new = normalize_axes(axes, ndim).map_err(|e| e.with_op("expand_dims"))?;
        checked_ndim(ndim).map_err(|e| e.with_op("expand_dims"))?;
        let mut old = (0..self.ndim()).map(|a| (self.layout.shape[a], self.layout.strides[a]));
        let (shape, strides) =
            (0..ndim).map(|a| if new.contains(&a) { (1, 0) } else { old.next().unwrap_or((1, 0)) }).unzip();
        Ok(self.with_layout(Layout { shape, strides, offset: self.layout.offset }))
    }

    /// Removes axes of size 1: the given ones, or all; NumPy's `squeeze`.
    ///
    /// The result is a view of the same dtype.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an axis of another size, [`ErrorKind::Axis`] for an axis that is out of bounds.
    ///
    /// ```
    /// let a = cuprum::zeros([1, 2, 1], ())?;
    /// assert_eq!(a.squeeze(())?.shape(), [2]);
    /// assert_eq!(a.squeeze(0)?.shape(), [2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn squeeze(&self, axis: impl IntoArgument<Axes>) -> Result<Array> {
        self.squeezed(axis.into().as_slice())
    }

    fn squeezed(&self, axes: Option<&[isize]>) -> Result<Array> {
        let gone = match axes {
            None => (0..self.ndim()).filter(|&a| self.shape()[a] == 1).collect(),
            Some(axes) => normalize_axes(axes, self.ndim()).map_err(|e| e.with_op("squeeze"))?,
        };
        if let Some(&long) = gone.iter().find(|&&a| self.shape()[a] != 1) {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "axis {long} of an array of shape {} is of size {}, not 1",
                    shape_text(self.shape()),
                    self.shape()[long]
                ),
            )
            .with_op("squeeze"));
        }
        let kept: Vec<usize> = (0..self.ndim()).filter(|a| !gone.contains(a)).collect();
        Ok(self.permuted(&kept))
    }

    /// Broadcasts the array to a shape; NumPy's `broadcast_to`. The view is read-only.
    ///
    /// The dtype is kept, and new or repeated axes have the stride 0.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?.broadcast_to([2, 2])?;
    /// assert_eq!((a.to_vec::<i32>()?, a.strides()), (vec![1, 2, 1, 2], &[0, 4][..]));
    /// assert!(a.broadcast_to([3]).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast, and for a shape that exceeds the largest array.
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Array> {
        let shape = checked_shape(&shape.into_shape()).map_err(|e| e.with_op("broadcast_to"))?;
        self.broadcast_to_shape(&shape)
    }

    /// Broadcasts the array to a shape that is already checked.
    pub(crate) fn broadcast_to_shape(&self, shape: &[usize]) -> Result<Array> {
        let go = || {
            checked_bytes(shape, self.itemsize())?;
            Ok(self.with_layout(self.layout.broadcast_to(shape)?))
        };
        go().map_err(|e: Error| e.with_op("broadcast_to"))
    }

    /// Returns a view of any shape and byte strides, starting at this array's first element; NumPy's
    /// `lib.stride_tricks.as_strided`. Its elements may overlap in memory; unlike in NumPy, it is then read-only. It
    /// must stay within the array's allocation.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where shape and strides have different lengths, a stride is not a multiple of the component
    /// size, or an element would be outside the memory.
    ///
    /// ```
    /// let windows = cuprum::arange(0, 4, 1)?.as_strided(&[2, 3], &[8, 8])?;
    /// assert_eq!(windows.to_vec::<i64>()?, [0, 1, 2, 1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn as_strided(&self, shape: impl IntoShape, strides: &[i64]) -> Result<Array> {
        let shape = shape.into_shape();
        let go = || {
            let shape = checked_shape(&shape)?;
            self.strided(&shape, strides)
        };
        go().map_err(|e: Error| e.with_op("as_strided"))
    }

    fn strided(&self, shape: &[usize], strides: &[i64]) -> Result<Array> {
        checked_ndim(shape.len())?;
        checked_bytes(shape, self.itemsize())?;
        let part = self.dtype.real().size() as i64;
        let fits = shape.len() == strides.len() && strides.iter().all(|s| s % part == 0);
        let layout = Layout { shape: shape.into(), strides: strides.into(), offset: self.layout.offset };
        let reach: i128 = shape.iter().zip(strides).map(|(&n, &s)| n as i128 * i128::from(s.unsigned_abs())).sum();
        let (low, high) = match fits {
            // An empty view is always within the memory.
            true if shape.contains(&0) => (0, 0),
            true if reach < 1 << 62 => layout.extent(self.itemsize()),
            _ => (-1, 0),
        };
        if low < 0 || high as u64 > self.buffer.bytes() as u64 {
            let (shape, from) = (shape_text(shape), shape_text(self.shape()));
            let message =
                format!("shape {shape} with strides {strides:?} leaves the memory of an array of shape {from}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        Ok(self.with_layout(layout))
    }

    /// Flattens the array to one contiguous axis in C order, as a view if it is contiguous, otherwise as a copy;
    /// NumPy's `ravel`. `reshape(-1)` is a view wherever one is possible.
    ///
    /// The dtype is kept.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert!(a.ravel()?.may_share_memory(&a));
    /// assert_eq!(a.t().ravel()?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device, where a copy is needed.
    pub fn ravel(&self) -> Result<Array> {
        let go = || {
            let flat = self.in_one_axis()?;
            if flat.is_c_contiguous() { Ok(flat) } else { flat.copy(Order::C) }
        };
        go().map_err(|e: Error| e.with_op("ravel"))
    }

    /// Flattens the array in a given order; see [`Array::ravel`]. [`Order::K`] is the order in memory, with C order for
    /// axes whose order the strides do not determine.
    ///
    /// The dtype is kept.
    ///
    /// ```
    /// use cuprum::{Order, array};
    /// let a = array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.ravel_in(Order::F)?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert_eq!(a.t().ravel_in(Order::K)?.to_vec::<i32>()?, [1, 2, 3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Array::ravel`].
    pub fn ravel_in(&self, order: Order) -> Result<Array> {
        match order {
            Order::C => self.ravel(),
            Order::F => self.t().ravel(),
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => self.t().ravel(),
            Order::A => self.ravel(),
            Order::K => self.permuted(&crate::layout::order_like(self.shape(), &[self.strides()])).ravel(),
        }
    }

    /// Flattens the array to one axis in C order, as a view wherever one is possible.
    pub(crate) fn in_one_axis(&self) -> Result<Array> {
        self.reshape(-1)
    }

    /// Returns the real parts: a view of a complex array, otherwise the array itself. NumPy's `real`.
    ///
    /// The dtype is the real one of half the size: float32 for complex64.
    ///
    /// ```
    /// use cuprum::{array, num_complex::Complex};
    /// let a = array([Complex::new(1.0, 2.0)])?;
    /// assert_eq!((a.real().to_vec::<f64>()?, a.imag()?.to_vec::<f64>()?), (vec![1.0], vec![2.0]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn real(&self) -> Array {
        Array { dtype: self.dtype.real(), ..self.clone() }
    }

    /// Returns the imaginary parts, as a view; for a real array read-only zeros. NumPy's `imag`.
    ///
    /// The dtype is the real one of half the size. See [`Array::real`] for an example.
    ///
    /// ```
    /// use cuprum::num_complex::Complex64;
    /// let a = cuprum::array([Complex64::new(1.0, 2.0)])?;
    /// assert_eq!(a.imag()?.to_vec::<f64>()?, [2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device, if zeros are needed.
    pub fn imag(&self) -> Result<Array> {
        let dtype = self.dtype.real();
        if !self.dtype.is_complex() {
            let zero = Array::from_c_bytes(&[0; 16][..dtype.size()], &[], dtype);
            return zero.and_then(|z| z.broadcast_to_shape(self.shape())).map_err(|e| e.with_op("imag"));
        }
        let mut layout = self.layout.clone();
        layout.offset += dtype.size();
        Ok(Array { layout, dtype, ..self.clone() })
    }

    /// Copies the elements to an array of one axis, in C order; NumPy's `flatten`.
    ///
    /// The dtype is kept. Unlike [`ravel`](Self::ravel) it always copies.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let flat = a.flatten()?;
    /// assert!(flat.shape() == [4] && !flat.may_share_memory(&a));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn flatten(&self) -> Result<Array> {
        self.copy(Order::C).and_then(|c| c.reshape(-1)).map_err(|e| e.with_op("flatten"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, array, s, zeros};

    #[test]
    fn strided_views_stay_in_the_memory() -> Result<()> {
        let a = crate::arange(0, 6, 1)?;
        assert_eq!(a.index(s![5..])?.as_strided([3], &[-16])?.to_vec::<i64>()?, [5, 3, 1]);
        assert_eq!(a.as_strided([0, 9], &[800, 800])?.size(), 0);
        let from = a.index(s![2..])?;
        for (shape, strides) in [(&[2, 3][..], &[8][..]), (&[100_000], &[8]), (&[4], &[-8]), (&[2], &[3])] {
            let error = from.as_strided(shape, strides).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value, "{error}");
        }
        assert!(a.as_strided([usize::MAX / 16], &[i64::MAX / 8 * 8]).is_err());
        Ok(())
    }

    #[test]
    fn elements_are_ravelled_in_every_order() -> Result<()> {
        let a = crate::arange(0, 9, 1)?.index(s![..;3])?;
        assert!(a.ravel()?.is_c_contiguous() && !a.ravel()?.may_share_memory(&a));
        // Axes along which elements are broadcast keep their position in the order K.
        let b = crate::arange(0, 3, 1)?.reshape([3, 1])?.broadcast_to([2, 3, 2])?;
        assert_eq!(b.ravel_in(Order::K)?.to_vec::<i64>()?, [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert_eq!(b.ravel_in(Order::F)?.to_vec::<i64>()?, [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        let c = crate::arange(0, 24, 1)?.reshape([2, 3, 4])?.transpose([1, 2, 0])?;
        assert_eq!(c.ravel_in(Order::K)?.to_vec::<i64>()?, (0..24).collect::<Vec<i64>>());
        Ok(())
    }

    #[test]
    fn views_of_what_is_read_only_are_read_only() -> Result<()> {
        let a = zeros((2, 2), DType::F64)?;
        for view in [a.read_only(), a.read_only().t(), a.read_only().index(s![..1])?, a.read_only().view(DType::I64)?] {
            assert!(view.is_read_only() && !view.is_writable() && view.copy(())?.is_writable());
            assert_eq!(view.fill(1).unwrap_err().kind(), ErrorKind::Value);
        }
        assert!(a.is_writable() && !a.broadcast_to([3, 2, 2])?.is_writable());
        Ok(())
    }

    #[test]
    fn impossible_shapes_are_rejected() {
        let a = zeros((2, 3), DType::F64).unwrap();
        let kind = |r: Result<Array>| r.unwrap_err().kind();
        assert_eq!(kind(a.reshape([4, -1])), ErrorKind::Value);
        assert_eq!(kind(a.reshape([-1, -1])), ErrorKind::Value);
        assert_eq!(kind(a.reshape([i64::MAX, i64::MAX])), ErrorKind::Value);
        assert_eq!(kind(a.reshape_in(6, Order::K)), ErrorKind::Value);
        let one = a.index(s![..1, 0]).unwrap();
        assert_eq!(kind(one.reshape(vec![1; 65])), ErrorKind::Value);
        assert_eq!(kind(one.expand_dims(0..64)), ErrorKind::Value);
        assert_eq!(kind(one.broadcast_to([1usize << 40, 1 << 21])), ErrorKind::Value);
        assert_eq!(one.broadcast_to([1usize << 40, 1 << 19]).unwrap().size(), 1 << 59);
    }

    #[test]
    fn axes_that_do_not_exist_are_rejected() {
        let a = zeros((2, 3), DType::I32).unwrap();
        let kind = |r: Result<Array>| r.unwrap_err().kind();
        assert_eq!(kind(a.transpose([0])), ErrorKind::Value);
        assert_eq!(kind(a.transpose([0, 0])), ErrorKind::Value);
        assert_eq!(kind(a.transpose([0, 2])), ErrorKind::Axis);
        assert_eq!(kind(a.swapaxes(0, isize::MIN)), ErrorKind::Axis);
        assert_eq!(kind(a.moveaxis([0, 1], [0])), ErrorKind::Value);
        assert_eq!(kind(a.moveaxis([0], [5])), ErrorKind::Axis);
        assert_eq!(kind(a.expand_dims([5])), ErrorKind::Axis);
        assert_eq!(kind(a.expand_dims([0, -4])), ErrorKind::Value);
        assert_eq!(kind(a.squeeze(0)), ErrorKind::Value);
        assert_eq!(kind(a.squeeze(2)), ErrorKind::Axis);
    }

    #[test]
    fn axes_move_with_their_elements() {
        let a = array([[[0i32, 1, 2], [3, 4, 5]]]).unwrap();
        assert_eq!(a.moveaxis([0, -1], [-1, 0]).unwrap().shape(), [3, 2, 1]);
        assert_eq!(a.transpose([-1, 0, 1]).unwrap().to_vec::<i32>().unwrap(), [0, 3, 1, 4, 2, 5]);
        assert_eq!(a.swapaxes(1, 2).unwrap().strides(), [24, 4, 12]);
        assert_eq!(a.squeeze(()).unwrap().expand_dims([0, -1]).unwrap().shape(), [1, 2, 3, 1]);
        let transposed = a.t();
        assert_eq!(transposed.reshape_in(-1, Order::F).unwrap().to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(transposed.ravel().unwrap().to_vec::<i32>().unwrap(), [0, 3, 1, 4, 2, 5]);
        assert!(transposed.flatten().unwrap().is_c_contiguous() && !transposed.flatten().unwrap().may_share_memory(&a));
    }

    #[test]
    fn the_parts_of_numbers_are_views() {
        use num_complex::Complex;
        let a = array([Complex::new(1f64, 2.0), Complex::new(3.0, 4.0)]).unwrap();
        a.imag().unwrap().fill(9).unwrap();
        a.index(s![1..]).unwrap().real().fill(7).unwrap();
        assert_eq!(a.to_vec::<Complex<f64>>().unwrap(), [Complex::new(1.0, 9.0), Complex::new(7.0, 9.0)]);
        let real = array([1i8, 2]).unwrap();
        assert_eq!(real.imag().unwrap().to_vec::<i8>().unwrap(), [0, 0]);
        assert!(real.imag().unwrap().fill(1).is_err(), "the zeros of a real array were written to");
        assert!(real.real().may_share_memory(&real));
    }

    #[test]
    fn arrays_go_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Array>();
    }
}
