//! Copies, casts, and conversion of scalars to arrays.
//!
//! A copy of a contiguous array is one copy by the driver; another layout or dtype is one kernel.

use cuprum_kernels::DType;

use crate::array::{Array, IntoArgument, Operand};
use crate::cuda::Device;
use crate::dtype::made_dtype;
use crate::engine;
use crate::error::Result;
use crate::layout::Order;

impl Array {
    /// Copies the array in a memory order, by default its own; NumPy's `copy`.
    ///
    /// The result has the shape and the dtype of this array.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?;
    /// let b = a.copy(())?;
    /// a.fill(0)?;
    /// assert_eq!(b.to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
    pub fn copy(&self, order: impl IntoArgument<Order>) -> Result<Array> {
        self.cast(self.dtype(), order.into()).map_err(|e| e.with_op("copy"))
    }

    /// Casts a copy to a dtype, in the layout of this array; NumPy's `astype`.
    ///
    /// Floats are truncated to integers. A value out of the integer's range wraps if it fits in 64 bits, and saturates
    /// there otherwise.
    ///
    /// The result has the shape of this array.
    ///
    /// ```
    /// use cuprum::{DType, array};
    /// assert_eq!(array([1.7, -1.7])?.astype(DType::I32)?.to_vec::<i32>()?, [1, -1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
    pub fn astype(&self, dtype: DType) -> Result<Array> {
        self.cast(dtype, Order::K).map_err(|e| e.with_op("astype"))
    }

    /// Resolves the order for a layout of another dtype: `Order::A` depends on the layout of this array, which has its
    /// own item size.
    pub(crate) fn settled(&self, order: Order) -> Order {
        match order {
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => Order::F,
            Order::A => Order::C,
            other => other,
        }
    }

    pub(crate) fn cast(&self, dtype: DType, order: Order) -> Result<Array> {
        let layout = self.layout().in_order(dtype.size(), self.settled(order));
        if engine::fusion::fuses() && (dtype != self.dtype() || self.buffer().work().is_some()) {
            let (op, signature) = engine::internal("copy", dtype)?;
            if let Some(later) = engine::fusion::defer(op, signature, &[self.into()], self.device(), &layout)? {
                return Ok(later);
            }
        }
        let out = Array::of_layout(self.device(), layout, dtype)?;
        engine::copy(self, &out)?;
        Ok(out)
    }
}

impl Operand<'_> {
    /// Returns the operand as an array: a scalar becomes a 0-d array of the dtype that NumPy assigns to it, on the
    /// device of the other operand.
    pub(crate) fn strong(&self, beside: Option<Device>) -> Result<Array> {
        let s = match self {
            Operand::Array(a) => return Ok((*a).clone()),
            Operand::Scalar(s) => s,
        };
        let dtype = made_dtype(s);
        s.check_fits(dtype)?;
        let device = beside.map_or_else(Device::current, Ok)?;
        let out = engine::make::empty(device, &[], dtype)?;
        engine::fill(&out, *s)?;
        Ok(out)
    }
}
