//! Flat access to arrays; NumPy's `flat`.
//!
//! Reading and writing go through a view where the layout has one with a single axis, and otherwise through a copy in C
//! order, which is copied back after a change.

use cuprum_kernels::DType;

use super::{TakeOptions, bounds, take};
use crate::array::Index;
use crate::array::{Array, AsArray, AsOperand, IntoArgument, Operand};
use crate::element::Element;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Order, shape_text};
use crate::routines::searching;

/// The elements of an array of any layout in C order, as one axis: the result of [`Array::flat`]. They can be read and
/// written.
///
/// | NumPy | here |
/// |---|---|
/// | `a.flat[3]`, `a.flat[2:5]`, `a.flat[::-1]` | `a.flat().get(3)`, `a.flat().get(2..5)`, `a.flat().get(Slice::from(..).step(-1))` |
/// | `a.flat[[0, 3]]` | `a.flat().take(&indices)` |
/// | `a.flat[3] = 7`, `a.flat[2:5] = [1, 2]` | `a.flat().set(3, 7)`, `a.flat().set(2..5, &values)` |
/// | `a.flat[[0, 3]] = 7` | `a.flat().put(&indices, 7)` |
/// | `for x in a.flat` | `for x in a.flat().values::<f32>()?` |
///
/// ```
/// use cuprum::array;
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(a.t().flat().get(1)?.item::<i32>()?, 4);
/// a.t().flat().set(0..4, array([7, 8])?)?;
/// assert_eq!(a.to_vec::<i32>()?, [7, 7, 3, 8, 8, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flat {
    /// The underlying array.
    array: Array,
}

impl Array {
    /// Returns the elements in C order as one axis that can be read and written; NumPy's `flat`.
    ///
    /// Nothing is copied: the result keeps the array and its layout. See [`Flat`] for what NumPy's forms are here.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?.t();
    /// let flat = a.flat();
    /// assert_eq!((flat.len(), flat.copy()?.to_vec::<i32>()?), (4, vec![1, 3, 2, 4]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn flat(&self) -> Flat {
        Flat { array: self.clone() }
    }
}

impl Flat {
    /// Returns the underlying array; NumPy's `flat.base`.
    pub fn base(&self) -> &Array {
        &self.array
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.array.size()
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the elements to a new array of one axis; NumPy's `flat.copy`.
    ///
    /// The result has one axis, C order and the dtype of the array.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.t().flat().copy()?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn copy(&self) -> Result<Array> {
        self.array.flatten().map_err(|e| e.with_op("flat.copy"))
    }

    /// Returns an iterator over the elements on the host, which are read back in one transfer.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let sum: i32 = a.flat().values::<i32>()?.sum();
    /// assert_eq!(sum, 10);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where the elements are of another type.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the elements.
    pub fn values<T: Element>(&self) -> Result<std::vec::IntoIter<T>> {
        let values = self.array.elements::<T>().map_err(|e| e.with_op("flat.values"))?;
        Ok(values.into_iter())
    }

    /// Returns a copy of the element at an index, without axes, or of the elements of a slice; NumPy's `flat[…]`.
    /// Negative indices count from the end.
    ///
    /// The result has no axes for an index and one axis for a slice, and the dtype of the array. NumPy returns a scalar
    /// for an index, here [`Array::item`] reads it.
    ///
    /// ```
    /// use cuprum::array;
    /// let a = array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.flat().get(-1)?.item::<i32>()?, 6);
    /// assert_eq!(a.flat().get(2..5)?.to_vec::<i32>()?, [3, 4, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for an index out of bounds, [`ErrorKind::Value`] for a step of 0.
    pub fn get(&self, at: impl IntoArgument<Index>) -> Result<Array> {
        let go = || self.line()?.0.index([checked(at.into(), self.len())?])?.copy(Order::C);
        go().map_err(|e: Error| e.with_op("flat.get"))
    }

    /// Gathers the elements at indices, in the shape of these; NumPy's `flat[indices]`. For a mask, one boolean for
    /// each element, gathers the elements where it is true.
    ///
    /// ```
    /// use cuprum::array;
    /// let a = array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.flat().take(array([0, -1])?)?.to_vec::<i32>()?, [1, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for an index out of bounds, [`ErrorKind::Type`] for indices that are not integers.
    ///
    /// # Synchronization
    ///
    /// None, except to count the elements that a mask selects.
    pub fn take(&self, indices: impl AsArray) -> Result<Array> {
        let go = |indices: &Array| match indices.dtype() {
            DType::Bool => self.array.in_one_axis()?.mask(indices),
            _ => take(&self.array.in_one_axis()?, indices, TakeOptions::default()),
        };
        go(indices.as_array()).map_err(|e| e.with_op("flat.take"))
    }

    /// Writes to the element at an index or to those of a slice: a scalar, or the elements of an array repeated
    /// cyclically; NumPy's `flat[…] = value`.
    ///
    /// ```
    /// use cuprum::array;
    /// let a = array([[1, 2], [3, 4]])?;
    /// a.flat().set(0, 9)?;
    /// a.flat().set(1..4, array([7, 8])?)?;
    /// assert_eq!(a.to_vec::<i32>()?, [9, 7, 8, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Flat::get`] and [`Array::fill`].
    pub fn set(&self, at: impl IntoArgument<Index>, value: impl AsOperand) -> Result<()> {
        let go = |value: Operand<'_>| {
            let at = checked(at.into(), self.len())?;
            if let (Index::At(_), Operand::Array(values)) = (&at, value)
                && values.size() != 1
            {
                let shape = shape_text(values.shape());
                return Err(Error::new(ErrorKind::Value, format!("one element cannot be an array of shape {shape}")));
            }
            self.change(|line| write_over_and_over(&line.index([at])?.reshape(-1)?, value))
        };
        go(value.as_operand()).map_err(|e| e.with_op("flat.set"))
    }

    /// Writes to the elements at indices: a scalar, or the elements of an array repeated cyclically; NumPy's
    /// `flat[indices] = value`. For a repeated index the last value counts.
    ///
    /// ```
    /// use cuprum::array;
    /// let a = array([[1, 2], [3, 4]])?;
    /// a.flat().put(array([0, 3])?, 5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [5, 2, 3, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Flat::take`] and [`Array::fill`].
    ///
    /// # Synchronization
    ///
    /// None, except to count the elements that a mask selects.
    pub fn put(&self, indices: impl AsArray, value: impl AsOperand) -> Result<()> {
        self.put_values(indices.as_array(), value.as_operand()).map_err(|e| e.with_op("flat.put"))
    }

    fn put_values(&self, indices: &Array, value: Operand<'_>) -> Result<()> {
        engine::one_device(&self.array, [indices])?;
        let indices = match indices.dtype() {
            DType::Bool => {
                // As for reading: a mask has as many elements as the array.
                take_shape(indices, self.len())?;
                searching::flatnonzero(indices)?
            }
            _ => indices.in_one_axis()?,
        };
        bounds::check_integers(&indices)?;
        let many = indices.size();
        if many == 0 {
            return Ok(());
        }
        let values = engine::make::empty(self.array.device(), &[many], self.array.dtype())?;
        write_over_and_over(&values, value)?;
        self.change(|line| line.set([Index::from(&indices)], &values))
    }

    /// Returns the elements along one axis, and whether that is a view.
    fn line(&self) -> Result<(Array, bool)> {
        let a = &self.array;
        match a.layout().reshape(&[a.size()], a.itemsize(), Order::C) {
            Some(layout) => Ok((a.with_layout(layout), true)),
            None => Ok((a.copy(Order::C)?.ravel()?, false)),
        }
    }

    /// Changes the elements through a view or a copy with one axis, which is copied back.
    fn change(&self, change: impl FnOnce(&Array) -> Result<()>) -> Result<()> {
        self.array.check_writable()?;
        let (line, is_view) = self.line()?;
        change(&line)?;
        if !is_view {
            let shape: Vec<i64> = self.array.shape().iter().map(|n| *n as i64).collect();
            engine::copy(&line.reshape(shape)?, &self.array)?;
        }
        Ok(())
    }
}

/// Checks an index or a slice of one axis.
fn checked(at: Index, n: usize) -> Result<Index> {
    match at {
        Index::At(i) if i < -(n as i64) || i >= n as i64 => {
            Err(Error::new(ErrorKind::Index, format!("{i} is out of bounds for {n} elements")))
        }
        Index::At(_) | Index::Slice(_) => Ok(at),
        Index::Ellipsis => Ok(Index::Slice(Slice::default())),
        Index::Array(_) | Index::List(_) | Index::Truth(_) => {
            let message = "one number or a range is expected: for several indices there are flat.take and flat.put";
            Err(Error::new(ErrorKind::Index, message))
        }
        Index::NewAxis => Err(Error::new(ErrorKind::Index, "a flat array has one axis and takes no other")),
    }
}

fn take_shape(mask: &Array, n: usize) -> Result<()> {
    if mask.shape() != [n] {
        let shape = shape_text(mask.shape());
        return Err(Error::new(ErrorKind::Index, format!("a mask of shape {shape} does not go with {n} elements")));
    }
    Ok(())
}

/// Writes the elements of an array, repeated cyclically, to an array of one axis, or a scalar to any array.
pub(super) fn write_over_and_over(line: &Array, value: Operand<'_>) -> Result<()> {
    let values = match value {
        Operand::Scalar(number) => return line.fill(number),
        Operand::Array(values) => values.in_one_axis()?,
    };
    let (n, m) = (line.size(), values.size());
    if n == 0 || m == 0 {
        return Ok(());
    }
    let part = |a: &Array, from: usize, to: usize| {
        a.index([Index::Slice(Slice { start: Some(from as i64), stop: Some(to as i64), step: None })])
    };
    if m == 1 {
        let one = values.reshape(())?;
        return line.assign(&one);
    }
    let whole = n / m;
    if whole > 0 {
        part(line, 0, whole * m)?.reshape([whole, m])?.assign(&values)?;
    }
    part(line, whole * m, n)?.assign(part(&values, 0, n % m)?)
}

#[cfg(test)]
mod tests {
    use crate::{ErrorKind, Slice, arange, array};

    /// NumPy's results for a view that cannot be flattened without a copy.
    #[test]
    fn flat_is_read_and_written_as_one_axis() {
        let a = arange(0, 12, 1).unwrap().reshape([3, 4]).unwrap();
        let t = a.t();
        assert_eq!(t.flat().get(Slice::from(1..8).step(3)).unwrap().to_vec::<i64>().unwrap(), [4, 5, 6]);
        assert_eq!(t.flat().get(-1).unwrap().item::<i64>().unwrap(), 11);
        t.flat().set(Slice::from(..).step(-5), array([100i64, 200]).unwrap()).unwrap();
        assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 200, 3, 100, 5, 6, 7, 8, 9, 10, 100]);
        t.flat().put(array([1, -1, 1]).unwrap(), array([7i64, 8, 9]).unwrap()).unwrap();
        assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 200, 3, 9, 5, 6, 7, 8, 9, 10, 8]);
        t.flat().set(0..5, 3.9).unwrap();
        assert_eq!(t.flat().copy().unwrap().to_vec::<i64>().unwrap()[..6], [3, 3, 3, 3, 3, 9]);
        let mask = crate::greater(t.ravel().unwrap(), 9).unwrap();
        assert_eq!(t.flat().take(&mask).unwrap().to_vec::<i64>().unwrap(), [200, 10]);
        assert_eq!(t.flat().take(array([[0, 2], [-1, 5]]).unwrap()).unwrap().shape(), [2, 2]);
        assert_eq!(t.flat().get(12).unwrap_err().kind(), ErrorKind::Index);
        assert_eq!(t.flat().set(0, array([1, 2]).unwrap()).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(t.flat().values::<i64>().unwrap().len(), 12);
    }
}
