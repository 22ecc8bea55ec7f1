//! Assignment to arrays and views.
//!
//! The value is broadcast and cast as it is written, by one kernel. A value that overlaps the destination counts as
//! copied before.

use crate::array::Index;
use crate::array::{Array, AsIndex, AsOperand, Operand};
use crate::elements::{Picked, Resolved};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::scalar::Scalar;

impl Array {
    /// Assigns an array, broadcast to this array's shape and cast to its dtype, or a scalar; NumPy's `a[...] = value`.
    ///
    /// Every cast of an array is allowed, as in NumPy: floats are truncated to integers, integers wrap, imaginary parts
    /// are dropped. A scalar must be in range. If both share memory, the result is as if the value were copied first.
    ///
    /// ```
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// a.assign(cuprum::array([9.7, -1.2])?)?;
    /// assert_eq!(a.to_vec::<i32>()?, [9, -1, 9, -1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast, where elements of this array share memory, and for a
    /// NaN assigned to integers; [`ErrorKind::Overflow`] for a scalar out of range of the dtype; [`ErrorKind::Type`]
    /// for a complex scalar assigned to real elements.
    pub fn assign(&self, value: impl AsOperand) -> Result<()> {
        self.assign_operand(value.as_operand()).map_err(|e| e.with_op("assign"))
    }

    /// Assigns to the elements that an index selects; NumPy's `a[index] = value`. The value is broadcast to the shape
    /// of [`Array::index`].
    ///
    /// If index arrays select an element several times, the last value counts, in C order of the indices, reproducibly;
    /// [`Array::set_unique`] saves the cost of that. With an index out of bounds nothing is changed.
    ///
    /// # Errors
    ///
    /// Those of [`Array::index`] and [`Array::assign`].
    ///
    /// # Synchronization
    ///
    /// With a mask and an array of values, synchronises to count the selected elements.
    ///
    /// ```
    /// use cuprum::{array, s};
    /// let a = array([[1, 2], [3, 4]])?;
    /// a.set(s![.., 0], 7)?;
    /// assert_eq!(a.to_vec::<i32>()?, [7, 2, 7, 4]);
    /// a.set(s![a.equal(7)?], 0)?;
    /// a.set(s![[0, 1, 0], 1], array([5, 6, 8])?)?;
    /// assert_eq!(a.to_vec::<i32>()?, [0, 8, 0, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[doc(alias = "__setitem__")]
    pub fn set(&self, index: impl AsIndex, value: impl AsOperand) -> Result<()> {
        self.set_part(index.as_ref(), value.as_operand(), false).map_err(|e| e.with_op("set"))
    }

    /// Assigns to elements of which none is selected twice; see [`Array::set`]. The last of several values is not
    /// searched for: if an element is selected twice nonetheless, any of its values is stored.
    ///
    /// # Errors
    ///
    /// Same as [`Array::set`].
    ///
    /// # Synchronization
    ///
    /// Same as [`Array::set`].
    ///
    /// ```
    /// use cuprum::{array, s};
    /// let a = array([1, 2, 3])?;
    /// a.set_unique(s![[2, 0]], array([7, 8])?)?;
    /// assert_eq!(a.to_vec::<i32>()?, [8, 2, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_unique(&self, index: impl AsIndex, value: impl AsOperand) -> Result<()> {
        self.set_part(index.as_ref(), value.as_operand(), true).map_err(|e| e.with_op("set_unique"))
    }

    fn set_part(&self, index: &[Index], value: Operand<'_>, unique: bool) -> Result<()> {
        // A part of a read-only array is read-only, even a single element.
        self.check_writable()?;
        let part = match self.resolved(index)? {
            Resolved::View(layout) => self.with_layout(layout),
            Resolved::Mask(mask) => return self.set_masked(&mask, value),
            Resolved::Picked(picked) => return self.set_picked(*picked, value, unique),
        };
        let one = !index.is_empty() && index.iter().all(|i| matches!(i, Index::At(_)));
        if let Operand::Array(array) = value
            && one
            && part.ndim() == 0
            && array.ndim() > 0
        {
            let shape = shape_text(array.shape());
            return Err(Error::new(ErrorKind::Value, format!("one element cannot be an array of shape {shape}")));
        }
        part.assign_operand(value)
    }

    fn set_picked(&self, picked: Picked, value: Operand<'_>, unique: bool) -> Result<()> {
        let caller = (if unique { "set_unique" } else { "set" }, "");
        let picked = if picked.reads(self) { picked.apart()? } else { picked };
        match value {
            Operand::Scalar(number) => {
                number.check_assigns(self.dtype())?;
                if picked.is_broadcast() {
                    let one = engine::make::full(self.device(), &[], number, self.dtype())?;
                    return picked.store(self, &one.broadcast_to(&picked.shape()[..])?, unique, caller);
                }
                picked.store_one(self, number.encode(self.dtype()), caller)
            }
            Operand::Array(value) => {
                engine::one_device(self, [value])?;
                let own = if value.may_share_memory(self) { value.copy(Order::K)? } else { value.clone() };
                picked.store(self, &own.broadcast_into(&picked.shape())?, unique, caller)
            }
        }
    }

    /// Writes where a mask of this array's shape is true: in one pass for one value, or two for the elements of an
    /// array in their order.
    pub(crate) fn set_masked(&self, mask: &Array, value: Operand<'_>) -> Result<()> {
        let array = match value {
            Operand::Scalar(number) => {
                number.check_assigns(self.dtype())?;
                return engine::copy_where(value, mask, self);
            }
            Operand::Array(array) => array,
        };
        engine::one_device(self, [array, mask])?;
        if array.ndim() > 1 {
            let shape = shape_text(array.shape());
            let message = format!("the elements that a mask picks are given in one axis, not as shape {shape}");
            return Err(Error::new(ErrorKind::Type, message));
        }
        if array.size() == 1 {
            return engine::copy_where(
                Operand::Array(&array.with_layout(array.layout().without_front(array.ndim()))),
                mask,
                self,
            );
        }
        let marked = engine::mark(mask)?;
        let (given, picked) = (array.size(), marked.count()?);
        if given != picked {
            let message = format!("{given} elements are given to the {picked} that the mask picks");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let given = if array.dtype() != self.dtype() {
            array.cast(self.dtype(), Order::C)?
        } else if array.may_share_memory(self) {
            array.copy(Order::C)?
        } else {
            array.clone()
        };
        marked.spread(&given, self)
    }

    /// Sets every element to a scalar; NumPy's `fill`.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?;
    /// a.fill(7)?;
    /// assert_eq!(a.to_vec::<i32>()?, [7, 7]);
    /// assert!(a.fill(1i64 << 40).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Array::assign`] with a scalar.
    pub fn fill(&self, value: impl Into<Scalar>) -> Result<()> {
        self.assign_operand(Operand::Scalar(value.into())).map_err(|e| e.with_op("fill"))
    }

    fn assign_operand(&self, value: Operand<'_>) -> Result<()> {
        self.check_writable()?;
        match value {
            Operand::Scalar(number) => {
                number.check_assigns(self.dtype())?;
                engine::fill(self, number)
            }
            Operand::Array(value) => engine::copy(&value.broadcast_into(self.shape())?, self),
        }
    }

    /// Broadcasts the elements to a shape for assignment.
    pub(crate) fn broadcast_into(&self, shape: &[usize]) -> Result<Array> {
        // Additional leading axes are allowed if they have length 1.
        let more = self.ndim().saturating_sub(shape.len());
        let ones = self.shape()[..more].iter().all(|&n| n == 1);
        let fits = if ones { self.layout().without_front(more) } else { self.layout().clone() };
        match fits.broadcast_to(shape) {
            Ok(layout) => Ok(self.with_layout(layout)),
            Err(_) => {
                let (own, shape) = (shape_text(self.shape()), shape_text(shape));
                let message = format!("an array of shape {own} cannot be broadcast into shape {shape}");
                Err(Error::new(ErrorKind::Value, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType, ErrorKind, array, s, zeros};
    use num_complex::Complex64;

    fn filled(dtype: DType, value: impl Into<crate::Scalar>) -> Result<Array, ErrorKind> {
        let a = zeros(2, dtype).unwrap();
        a.fill(value).map_err(|e| e.kind())?;
        Ok(a)
    }

    #[test]
    fn numbers_must_fit() {
        assert_eq!(filled(DType::I8, 1.9).unwrap().to_vec::<i8>().unwrap(), [1, 1]);
        assert_eq!(filled(DType::I8, -128.9).unwrap().to_vec::<i8>().unwrap(), [-128, -128]);
        for (dtype, value) in [(DType::I8, 300.0), (DType::U8, -1.0), (DType::I64, 1e30), (DType::I64, f64::INFINITY)] {
            assert_eq!(filled(dtype, value).unwrap_err(), ErrorKind::Overflow, "{value} as {dtype}");
        }
        assert_eq!(filled(DType::I32, f64::NAN).unwrap_err(), ErrorKind::Value);
        assert_eq!(filled(DType::U8, 256).unwrap_err(), ErrorKind::Overflow);
        assert_eq!(filled(DType::F32, Complex64::new(0.0, 1.0)).unwrap_err(), ErrorKind::Type);
        assert_eq!(filled(DType::Bool, Complex64::new(0.0, 1.0)).unwrap().to_vec::<bool>().unwrap(), [true, true]);
        assert_eq!(filled(DType::F32, 1e300).unwrap().to_vec::<f32>().unwrap(), [f32::INFINITY; 2]);
    }

    #[test]
    fn shapes_must_go_together() {
        let a = zeros((2, 3), DType::I64).unwrap();
        a.assign(array([[[[1i64], [2]]]]).unwrap()).unwrap();
        assert_eq!(a.to_vec::<i64>().unwrap(), [1, 1, 1, 2, 2, 2]);
        let e = a.assign(zeros((3, 3), DType::I64).unwrap()).unwrap_err();
        assert!(
            e.kind() == ErrorKind::Value && e.message().contains("(3, 3) cannot be broadcast into shape (2, 3)"),
            "{e}"
        );
        let e = a.set(s![0], zeros((2, 1, 3), DType::I64).unwrap()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Value);
        let e = a.index(s![..1]).unwrap().broadcast_to([4, 3]).unwrap().fill(1).unwrap_err();
        assert!(e.message().contains("read-only"), "{e}");
    }

    #[test]
    fn shared_memory_is_read_before_it_is_written() {
        let a = array([0i32, 1, 2, 3, 4]).unwrap();
        a.set(s![1..], a.index(s![..-1]).unwrap()).unwrap();
        assert_eq!(a.to_vec::<i32>().unwrap(), [0, 0, 1, 2, 3]);
        a.assign(a.index(s![..;-1]).unwrap()).unwrap();
        assert_eq!(a.to_vec::<i32>().unwrap(), [3, 2, 1, 0, 0]);
    }
}
