//! Views: the same bytes with another shape.

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{self, Order, axis_index, axis_indices};
use crate::table::{Arguments, Fault, counterparts};

impl NdArray {
    /// Reshapes the array; one length may be -1, which is inferred. The result is a view where strides allow it, else a
    /// copy. `Order::F` reads and fills with the first axis fastest; `Order::A` selects `F` for Fortran-contiguous
    /// arrays.
    ///
    /// # Errors
    ///
    /// `ValueError` if the sizes differ, for more than one negative length, and for `Order::K`.
    pub fn reshape(&self, shape: &[isize], order: Order) -> Result<NdArray> {
        let fortran = match order {
            Order::K => return fail(ErrorKind::Value, "order 'K' is not permitted for reshaping"),
            Order::F => true,
            Order::C => false,
            Order::A => self.is_f_contiguous() && !self.is_c_contiguous(),
        };
        let shape = self.complete(shape)?;
        if let Some(strides) = self.reshaped_strides(&shape, fortran) {
            return Ok(self.view(shape, strides, self.offset));
        }
        let copy = self.copy(if fortran { Order::F } else { Order::C });
        let mut axes = layout::c_order(shape.len());
        if fortran {
            axes.reverse();
        }
        let strides = layout::packed(&shape, self.dtype().size(), &axes);
        Ok(copy.view(shape, strides, 0))
    }

    /// Infers the length of -1.
    fn complete(&self, shape: &[isize]) -> Result<Vec<usize>> {
        let mismatch =
            || fail(ErrorKind::Value, format!("cannot reshape {} elements into shape {shape:?}", self.size()));
        let known: usize = shape.iter().filter(|n| **n >= 0).map(|n| *n as usize).product();
        match shape.iter().filter(|n| **n < 0).count() {
            0 if known == self.size() => Ok(shape.iter().map(|n| *n as usize).collect()),
            1 if known != 0 && self.size().is_multiple_of(known) => {
                let rest = self.size() / known;
                Ok(shape.iter().map(|n| if *n < 0 { rest } else { *n as usize }).collect())
            }
            0 | 1 => mismatch(),
            _ => fail(ErrorKind::Value, "only one length can be unknown"),
        }
    }

    /// Returns strides for the same elements with `shape` without a copy, if there are any.
    fn reshaped_strides(&self, shape: &[usize], fortran: bool) -> Option<Vec<isize>> {
        let item = self.dtype().size() as isize;
        if self.size() == 0 {
            let mut axes = layout::c_order(shape.len());
            if fortran {
                axes.reverse();
            }
            return Some(layout::packed(shape, item as usize, &axes));
        }
        // Both sides from the innermost axis outwards; axes of length 1 are ignored.
        let mut old: Vec<(usize, isize)> = self.shape.iter().copied().zip(self.strides.iter().copied()).collect();
        let mut new: Vec<(usize, usize)> = shape.iter().copied().enumerate().collect();
        if !fortran {
            old.reverse();
            new.reverse();
        }
        // Runs of axes with uniform strides, as (length, inner stride).
        let mut runs: Vec<(usize, isize)> = Vec::new();
        for (n, stride) in old.into_iter().filter(|(n, _)| *n != 1) {
            match runs.last_mut() {
                Some((length, inner)) if *inner * *length as isize == stride => *length *= n,
                _ => runs.push((n, stride)),
            }
        }
        let mut strides = vec![0; shape.len()];
        let mut runs = runs.into_iter();
        let (mut left, mut step) = (1, item);
        for (axis, n) in new {
            if n != 1 && left == 1 {
                (left, step) = runs.next()?;
            }
            if left % n != 0 {
                return None;
            }
            strides[axis] = step;
            left /= n;
            step *= n as isize;
        }
        Some(strides)
    }

    /// Permutes the axes; `None` reverses them.
    ///
    /// # Errors
    ///
    /// `ValueError` if `axes` is not a permutation, `AxisError` if one is out of bounds.
    pub fn transpose(&self, axes: Option<&[isize]>) -> Result<NdArray> {
        let axes = match axes {
            None => (0..self.ndim()).rev().collect(),
            Some(axes) if axes.len() != self.ndim() => return fail(ErrorKind::Value, "axes don't match array"),
            Some(axes) => axis_indices(axes, self.ndim(), "transpose")?,
        };
        Ok(self.permuted(&axes))
    }

    fn permuted(&self, axes: &[usize]) -> NdArray {
        let pick = |i: &usize| (self.shape[*i], self.strides[*i]);
        let (shape, strides) = axes.iter().map(pick).unzip();
        self.view(shape, strides, self.offset)
    }

    /// Exchanges two axes.
    ///
    /// # Errors
    ///
    /// `AxisError` if one is out of bounds.
    pub fn swapaxes(&self, a: isize, b: isize) -> Result<NdArray> {
        let mut axes = layout::c_order(self.ndim());
        axes.swap(axis_index(a, self.ndim())?, axis_index(b, self.ndim())?);
        Ok(self.permuted(&axes))
    }

    /// Moves axes to new positions; the others keep their order.
    ///
    /// # Errors
    ///
    /// `AxisError` if one is out of bounds, `ValueError` for repeated axes or lists of different lengths.
    pub fn moveaxis(&self, source: &[isize], destination: &[isize]) -> Result<NdArray> {
        let source = axis_indices(source, self.ndim(), "`source`")?;
        let destination = axis_indices(destination, self.ndim(), "`destination`")?;
        if source.len() != destination.len() {
            return fail(ErrorKind::Value, "`source` and `destination` must have the same number of elements");
        }
        let mut axes: Vec<usize> = (0..self.ndim()).filter(|i| !source.contains(i)).collect();
        let mut moves: Vec<(usize, usize)> = destination.into_iter().zip(source).collect();
        moves.sort_unstable();
        for (to, from) in moves {
            axes.insert(to, from);
        }
        Ok(self.permuted(&axes))
    }

    /// Returns the diagonals of the matrices of two axes, as the last axis.
    ///
    /// # Errors
    ///
    /// `ValueError` for fewer than two axes or one axis twice, `AxisError` if one is out of bounds.
    pub fn diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> Result<NdArray> {
        if self.ndim() < 2 {
            return fail(ErrorKind::Value, "diag requires an array of at least two dimensions");
        }
        let (rows, columns) = (axis_index(axis1, self.ndim())?, axis_index(axis2, self.ndim())?);
        if rows == columns {
            return fail(ErrorKind::Value, "axis1 and axis2 cannot be the same");
        }
        let (first_row, first_column) = ((-offset).max(0), offset.max(0));
        let (rest_down, rest_across) =
            (self.shape[rows] as isize - first_row, self.shape[columns] as isize - first_column);
        let length = rest_down.min(rest_across).max(0);
        let mut start = self.offset as isize;
        if length > 0 {
            start += first_row * self.strides[rows] + first_column * self.strides[columns];
        }
        let mut shape = self.shape.clone();
        let mut strides = self.strides.clone();
        for axis in [rows.max(columns), rows.min(columns)] {
            shape.remove(axis);
            strides.remove(axis);
        }
        shape.push(length as usize);
        strides.push(self.strides[rows] + self.strides[columns]);
        Ok(self.view(shape, strides, start as usize))
    }

    /// Inserts axes of length 1 at these positions of the result.
    ///
    /// # Errors
    ///
    /// `AxisError` if one is out of bounds, `ValueError` for repeated ones.
    pub fn expand_dims(&self, axes: &[isize]) -> Result<NdArray> {
        let ndim = self.ndim() + axes.len();
        let new = axis_indices(axes, ndim, "axis")?;
        let (mut shape, mut strides) = (vec![1; ndim], vec![0; ndim]);
        let old = (0..ndim).filter(|i| !new.contains(i));
        for (at, i) in old.zip(0..) {
            (shape[at], strides[at]) = (self.shape[i], self.strides[i]);
        }
        Ok(self.view(shape, strides, self.offset))
    }

    /// Removes the axes of length 1: all of them, or those passed.
    ///
    /// # Errors
    ///
    /// `AxisError` if one is out of bounds, `ValueError` if an axis has another length or is repeated.
    pub fn squeeze(&self, axes: Option<&[isize]>) -> Result<NdArray> {
        let drop: Vec<usize> = match axes {
            None => (0..self.ndim()).filter(|i| self.shape[*i] == 1).collect(),
            Some(axes) => axis_indices(axes, self.ndim(), "axis")?,
        };
        if drop.iter().any(|i| self.shape[*i] != 1) {
            return fail(ErrorKind::Value, "cannot squeeze out an axis whose length is not 1");
        }
        let keep: Vec<usize> = (0..self.ndim()).filter(|i| !drop.contains(i)).collect();
        Ok(self.permuted(&keep))
    }

    /// Returns the array in C order, with at least one axis: itself if it is contiguous, else a copy.
    pub fn ascontiguousarray(&self) -> NdArray {
        let a = if self.ndim() == 0 {
            self.view(vec![1], vec![self.dtype().size() as isize], self.offset)
        } else {
            self.clone()
        };
        if a.is_c_contiguous() { a } else { a.copy(Order::C) }
    }

    /// Returns the array in Fortran order, with at least one axis: itself if it is contiguous, else a copy.
    pub fn asfortranarray(&self) -> NdArray {
        let a = if self.ndim() == 0 { self.ascontiguousarray() } else { self.clone() };
        if a.is_f_contiguous() { a } else { a.copy(Order::F) }
    }

    /// Returns the elements in one axis, in C order, contiguous in memory: a view if possible; NumPy's `ravel`.
    ///
    /// # Errors
    ///
    /// Returns no error.
    pub fn ravel(&self) -> Result<NdArray> {
        let flat = self.reshape(&[-1], Order::C)?;
        let contiguous = flat.size() < 2 || flat.strides()[0] == flat.dtype().size() as isize;
        Ok(if contiguous { flat } else { flat.copy(Order::C) })
    }

    /// Returns a view of a larger shape, in which axes of length 1 (and new leading ones) are repeated.
    ///
    /// # Errors
    ///
    /// `ValueError` if the shape does not broadcast to `shape`.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<NdArray> {
        let rejected = || fail(ErrorKind::Value, format!("shape {:?} does not broadcast to {shape:?}", self.shape));
        let Some(front) = shape.len().checked_sub(self.ndim()) else { return rejected() };
        let mut strides = vec![0; shape.len()];
        for i in 0..self.ndim() {
            match (self.shape[i], shape[front + i]) {
                (a, b) if a == b => strides[front + i] = self.strides[i],
                (1, _) => {}
                _ => return rejected(),
            }
        }
        Ok(self.view(shape.to_vec(), strides, self.offset))
    }
}

/// Reverses the elements along axes, by default along all.
///
/// # Errors
///
/// `AxisError` for an axis that does not exist, `ValueError` for a repeated one.
fn flip(m: &NdArray, axis: Option<&[isize]>) -> Result<NdArray> {
    let axes = axis.map_or(Ok((0..m.ndim()).collect()), |axes| axis_indices(axes, m.ndim(), "axis"))?;
    let part = |x: usize| Index::Slice(None, None, axes.contains(&x).then_some(-1));
    m.index(&(0..m.ndim()).map(part).collect::<Vec<_>>())
}

/// Returns the array itself if it has the dtype, else a copy.
fn as_array(t: &Arguments) -> std::result::Result<NdArray, Fault> {
    let a: &NdArray = t.get("a")?;
    let dtype = t.or("dtype", a.dtype())?;
    Ok(if a.dtype() == dtype { a.clone() } else { a.astype(dtype, Order::K) })
}

counterparts! {
    "numpy.ravel" = |t| t.get::<&NdArray>("a")?.ravel();
    "numpy.asarray" = |t| as_array(t)?;
    "numpy.asanyarray" = |t| as_array(t)?;
    "numpy.asarray_chkfinite" = |t| {
        let a: &NdArray = t.get("a")?;
        let (dtype, order) = (t.or("dtype", a.dtype())?, t.or("order", Order::K)?);
        let made = if a.dtype() == dtype && order == Order::K { a.clone() } else { a.astype(dtype, order) };
        let finite = |v: &crate::core::value::Value| v.complex().re.is_finite() && v.complex().im.is_finite();
        if !dtype.is_integer() && !made.values().iter().all(finite) {
            return Err(crate::core::error::OracleError::new(ErrorKind::Value, "array must not contain infs or NaNs").into());
        }
        made
    };
    "numpy.flip" = |t| flip(t.get("m")?, t.get::<Option<Vec<isize>>>("axis")?.as_deref());
    "numpy.reshape" = |t| {
        t.get::<&NdArray>("a")?.reshape(&t.get::<Vec<isize>>("shape")?, t.or("order", Order::C)?)
    };
    "numpy.transpose" = |t| t.get::<&NdArray>("a")?.transpose(t.get::<Option<Vec<isize>>>("axes")?.as_deref());
    "numpy.swapaxes" = |t| t.get::<&NdArray>("a")?.swapaxes(t.get("axis1")?, t.get("axis2")?);
    "numpy.moveaxis" = |t| {
        let a: &NdArray = t.get("a")?;
        let axes = |name| t.get::<Option<Vec<isize>>>(name);
        match (axes("source")?, axes("destination")?) {
            (Some(source), Some(destination)) => a.moveaxis(&source, &destination),
            _ => fail(ErrorKind::Type, "moveaxis needs axes"),
        }
    };
    "numpy.expand_dims" = |t| match t.get::<Option<Vec<isize>>>("axis")? {
        Some(axes) => t.get::<&NdArray>("a")?.expand_dims(&axes),
        None => fail(ErrorKind::Type, "expand_dims needs axes"),
    };
    "numpy.diagonal" = |t| {
        t.get::<&NdArray>("a")?.diagonal(t.or("offset", 0)?, t.or("axis1", 0)?, t.or("axis2", 1)?)
    };
    "numpy.squeeze" = |t| t.get::<&NdArray>("a")?.squeeze(t.get::<Option<Vec<isize>>>("axis")?.as_deref());
    "numpy.broadcast_to" = |t| t.get::<&NdArray>("array")?.broadcast_to(&t.get::<Vec<usize>>("shape")?);
    "numpy.copy" = |t| t.get::<&NdArray>("a")?.copy(t.or("order", Order::K)?);
    "numpy.ascontiguousarray" = |t| t.get::<&NdArray>("a")?.ascontiguousarray();
    "numpy.asfortranarray" = |t| t.get::<&NdArray>("a")?.asfortranarray();
    "numpy.astype" = |t| t.get::<&NdArray>("x")?.astype(t.get("dtype")?, t.or("order", Order::K)?);
}
