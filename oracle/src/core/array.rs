//! N-dimensional arrays on the host, with NumPy's strides.

use std::sync::Arc;

use cuprum_kernels::DType;

use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, Order};
use crate::core::value::{Flag, Value, cast};

/// An n-dimensional array: a view of shared bytes. A write through one array detaches it from the others.
#[derive(Clone, Debug)]
pub struct NdArray {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: usize,
    pub(crate) data: Arc<Vec<u8>>,
    /// One flag for each element in C order; `None` where all are exact. Views drop the flags.
    flags: Option<Arc<Vec<Flag>>>,
}

/// An operand of a function: an array, or a scalar that takes its dtype from the others.
#[derive(Clone, Debug)]
pub enum Operand<'a> {
    /// An array; its dtype counts in promotion.
    Array(&'a NdArray),
    /// A Python-like scalar; only its kind counts in promotion.
    Scalar(Value),
}

impl<'a> From<&'a NdArray> for Operand<'a> {
    fn from(a: &'a NdArray) -> Self {
        Operand::Array(a)
    }
}

impl<'a> From<Value> for Operand<'a> {
    fn from(v: Value) -> Self {
        Operand::Scalar(v)
    }
}

impl NdArray {
    /// Creates an array over `data`: element 0 starts at byte `offset`, strides are in bytes.
    ///
    /// # Errors
    ///
    /// `ValueError` if the strides do not fit the shape or reach outside `data`.
    pub fn from_bytes(
        dtype: DType,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
        data: Vec<u8>,
    ) -> Result<NdArray> {
        if shape.len() != strides.len() {
            return fail(ErrorKind::Value, "as many strides as axes are needed");
        }
        if !shape.contains(&0) {
            let reach = |sign: isize| {
                let far = shape.iter().zip(strides).map(|(n, s)| (*n as isize - 1) * s);
                offset as isize + far.filter(|d| d.signum() == sign).sum::<isize>()
            };
            if reach(-1) < 0 || reach(1) as usize + dtype.size() > data.len() {
                return fail(ErrorKind::Value, "the strides reach outside the data");
            }
        }
        let array = NdArray {
            dtype,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset,
            data: Arc::new(data),
            flags: None,
        };
        Ok(array)
    }

    /// Creates a C-contiguous array over packed bytes.
    ///
    /// # Errors
    ///
    /// `ValueError` if `data` has too few bytes.
    pub fn from_packed(dtype: DType, shape: &[usize], data: Vec<u8>) -> Result<NdArray> {
        NdArray::from_bytes(dtype, shape, &layout::packed(shape, dtype.size(), &layout::c_order(shape.len())), 0, data)
    }

    /// Creates a C-contiguous array of values in C order, each cast to `dtype`.
    ///
    /// # Errors
    ///
    /// `ValueError` if the number of values is not the product of the shape.
    pub fn from_values(dtype: DType, shape: &[usize], values: impl IntoIterator<Item = Value>) -> Result<NdArray> {
        let values: Vec<Value> = values.into_iter().collect();
        if values.len() != shape.iter().product::<usize>() {
            return fail(ErrorKind::Value, format!("{} values do not fill the shape {shape:?}", values.len()));
        }
        Ok(NdArray::from_order(dtype, shape, &layout::c_order(shape.len()), &values))
    }

    /// Creates an array with memory in `axes` order (outermost first), from values in C order, cast to `dtype`.
    pub(crate) fn from_order(dtype: DType, shape: &[usize], axes: &[usize], values: &[Value]) -> NdArray {
        let strides = layout::packed(shape, dtype.size(), axes);
        let mut data = vec![0; values.len() * dtype.size()];
        let mut element = Vec::with_capacity(16);
        for (value, at) in values.iter().zip(layout::offsets(shape, &strides, 0)) {
            element.clear();
            value.encode(dtype, &mut element);
            data[at..at + element.len()].copy_from_slice(&element);
        }
        NdArray { dtype, shape: shape.to_vec(), strides, offset: 0, data: Arc::new(data), flags: None }
    }

    /// Returns the same array with a flag for each element, in C order.
    pub(crate) fn with_flags(mut self, flags: Vec<Flag>) -> NdArray {
        self.flags = flags.iter().any(|f| *f != Flag::Exact).then(|| Arc::new(flags));
        self
    }

    /// Returns the same array with the flags of another array of its shape.
    #[must_use]
    pub fn flagged_as(self, other: &NdArray) -> NdArray {
        NdArray { flags: other.flags.clone(), ..self }
    }

    /// Returns the same array with new elements, in C order, each cast to its dtype; `None` leaves an element
    /// unchanged.
    pub(crate) fn with_elements(&self, elements: &[Option<(Value, Flag)>]) -> NdArray {
        let mut data = self.data.to_vec();
        let mut flags = vec![Flag::Exact; elements.len()];
        let offsets = layout::offsets(&self.shape, &self.strides, self.offset);
        for ((element, at), slot) in elements.iter().zip(offsets).zip(&mut flags) {
            if let Some((value, flag)) = element {
                let (value, of_cast) = cast(*value, self.dtype);
                let mut bytes = Vec::with_capacity(16);
                value.encode(self.dtype, &mut bytes);
                data[at..at + bytes.len()].copy_from_slice(&bytes);
                *slot = of_cast.max(*flag);
            }
        }
        NdArray { data: Arc::new(data), ..self.clone() }.with_flags(flags)
    }

    /// Creates a view of the same bytes.
    pub(crate) fn view(&self, shape: Vec<usize>, strides: Vec<isize>, offset: usize) -> NdArray {
        NdArray { dtype: self.dtype, shape, strides, offset, data: self.data.clone(), flags: None }
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the distances in bytes between consecutive elements along each axis.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns the byte offset of element 0 in the shared data.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns all bytes of which the array is a view.
    pub fn buffer(&self) -> &[u8] {
        &self.data
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns for each element, in C order, the extent to which NumPy determines it.
    pub fn flags(&self) -> Vec<Flag> {
        self.flags.as_ref().map_or_else(|| vec![Flag::Exact; self.size()], |f| f.to_vec())
    }

    /// Returns true if NumPy determines every element.
    pub fn is_exact(&self) -> bool {
        self.flags.is_none()
    }

    /// Returns the element at an index of one number for each axis, each within its axis.
    ///
    /// # Panics
    ///
    /// If the index is not within the array.
    pub fn get(&self, index: &[usize]) -> Value {
        assert!(index.len() == self.ndim() && index.iter().zip(&self.shape).all(|(i, n)| i < n), "index out of bounds");
        let at = index.iter().zip(&self.strides).fold(self.offset as isize, |at, (i, s)| at + *i as isize * s);
        Value::decode(self.dtype, &self.data[at as usize..])
    }

    /// Returns the elements in C order.
    pub fn values(&self) -> Vec<Value> {
        layout::offsets(&self.shape, &self.strides, self.offset)
            .into_iter()
            .map(|at| Value::decode(self.dtype, &self.data[at..]))
            .collect()
    }

    /// Returns the elements' bytes packed in C order. Not a cast: NaNs keep their bits.
    pub fn to_c_bytes(&self) -> Vec<u8> {
        let size = self.dtype.size();
        let offsets = layout::offsets(&self.shape, &self.strides, self.offset);
        offsets.into_iter().flat_map(|at| self.data[at..at + size].iter().copied()).collect()
    }

    /// Returns true if the elements are contiguous in C order. Axes of length 1 do not matter, and an empty array
    /// always is.
    pub fn is_c_contiguous(&self) -> bool {
        self.is_packed(layout::c_order(self.ndim()))
    }

    /// Returns true if the elements are contiguous in Fortran order.
    pub fn is_f_contiguous(&self) -> bool {
        self.is_packed((0..self.ndim()).rev().collect())
    }

    fn is_packed(&self, axes: Vec<usize>) -> bool {
        let packed = layout::packed(&self.shape, self.dtype.size(), &axes);
        self.size() == 0 || (0..self.ndim()).all(|i| self.shape[i] == 1 || self.strides[i] == packed[i])
    }

    /// Returns the axes, outermost first, of a copy in this memory order.
    pub(crate) fn order_axes(&self, order: Order) -> Vec<usize> {
        let c = layout::c_order(self.ndim());
        let f: Vec<usize> = c.iter().rev().copied().collect();
        match order {
            Order::C => c,
            Order::F => f,
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => f,
            Order::A => c,
            Order::K if self.is_c_contiguous() => c,
            Order::K if self.is_f_contiguous() => f,
            Order::K => layout::sorted_by_stride(&self.strides),
        }
    }

    /// Copies the elements in an order; NumPy's `copy` has `Order::C` as its default, `astype` has `Order::K`.
    pub fn copy(&self, order: Order) -> NdArray {
        self.astype(self.dtype, order)
    }

    /// Copies the array cast to `dtype`. Elements whose cast NumPy leaves undefined are flagged [`Flag::Ours`].
    pub fn astype(&self, dtype: DType, order: Order) -> NdArray {
        let (values, mut flags): (Vec<_>, Vec<_>) = self.values().into_iter().map(|v| cast(v, dtype)).unzip();
        // An undefined element stays undefined.
        for (flag, before) in flags.iter_mut().zip(self.flags()) {
            *flag = before.max(*flag);
        }
        NdArray::from_order(dtype, &self.shape, &self.order_axes(order), &values).with_flags(flags)
    }
}
