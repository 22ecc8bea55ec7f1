//! Unbuffered operations at indices: `ufunc.at`.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{At, Sharing};
use smallvec::SmallVec;

use crate::array::{Array, AsArray, AsOptionalOperand, Index, Operand, listed, referred};
use crate::cuda::Function;
use crate::dtype::made_dtype;
use crate::elements::{Picked, Resolved};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::scalar::OperandType;
use crate::ufunc::{Ufunc, loops};

/// The order in which [`Ufunc::at_in`] updates an element whose index occurs several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtOrder {
    /// That of [`Ufunc::at`], which has bitwise reproducible results.
    #[default]
    Deterministic,
    /// Any order, which may differ from call to call: floats are added by atomic instructions where that takes less time.
    Any,
}

impl AtOrder {
    /// Returns the order of a name: `deterministic` or `any`.
    ///
    /// ```
    /// assert_eq!(cuprum::AtOrder::named("any")?, cuprum::AtOrder::Any);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another name.
    pub fn named(name: &str) -> Result<AtOrder> {
        match name {
            "deterministic" => Ok(AtOrder::Deterministic),
            "any" => Ok(AtOrder::Any),
            _ => Err(Error::new(ErrorKind::Value, format!("ufunc.at: order is deterministic or any, not {name:?}"))),
        }
    }
}

impl Ufunc {
    /// Applies the ufunc in place at indices, once for each occurrence of an index; NumPy's `ufunc.at`.
    ///
    /// `indices` are integer arrays, one for each of the first axes of `a`, broadcast together; negative ones count
    /// from the end. A boolean mask, with as many axes as it covers, means the indices at which it is true. A binary
    /// ufunc takes `operand` as its second operand (a unary one takes `()`), which is broadcast to the shape of the
    /// indices followed by the remaining axes of `a`. An element whose index occurs several times is changed several
    /// times, each time from its previous value, in the order of the indices: as in NumPy, and with bitwise
    /// reproducible results.
    ///
    /// Sums of many floats are the exception. `add` of at least 2^20 elements of 32 or 64 bits, or complex numbers of
    /// such, to an array of at most 3,072 elements of the same dtype (1,843 complex ones) accumulates the summands of
    /// each element in float64, in an order that depends on both sizes alone, and adds and rounds the sum once.
    /// Otherwise `add` and `subtract` of at least 2^16 elements of float32 or complex64, to an array of the same dtype
    /// with at most a quarter as many, or half as many for up to 2^21 additions (for complex numbers half of that),
    /// compute exact sums in any order and round once; only a result can overflow, no intermediate value. To larger
    /// arrays, of up to four times as many elements, up to 2^21 are added in the order of the indices where an element
    /// has at most 16 of them, and by exact sums where it has more. As in NumPy, scalars are not weak here, and results
    /// are cast to the dtype of `a` with any loss.
    ///
    /// ```
    /// use cuprum::Array;
    /// let a = Array::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [4])?;
    /// let at = Array::from_slice(&[0, 2, 0, -1], [4])?;
    /// cuprum::ufunc("add")?.at(&a, [&at], 10.0)?;
    /// assert_eq!(a.to_vec::<f32>()?, [21.0, 2.0, 13.0, 14.0]);
    ///
    /// let table = cuprum::zeros([2, 2], cuprum::DType::I64)?;
    /// let mask = cuprum::array([[true, false], [true, true]])?;
    /// cuprum::ufunc("add")?.at(&table, [&mask], cuprum::array([1, 2, 3])?)?;
    /// assert_eq!(table.to_vec::<i64>()?, [1, 0, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for arrays of other dtypes, for those that cannot be broadcast, for more of them than axes,
    /// and for a mask without axes or of another shape than the axes it covers; [`ErrorKind::Value`] for an operand of
    /// another shape, for a ufunc that is neither unary nor binary or has two results, and where the second operand is
    /// missing or superfluous; [`ErrorKind::Type`] where there is no loop for the dtypes. Nothing is changed then, nor
    /// where an index is out of bounds, which the next call of this thread that synchronises reports as
    /// [`ErrorKind::Index`].
    ///
    /// # Synchronization
    ///
    /// Synchronises to count the true elements of a mask.
    pub fn at<I: AsArray>(
        &self,
        a: impl AsArray,
        indices: impl IntoIterator<Item = I>,
        operand: impl AsOptionalOperand,
    ) -> Result<()> {
        let indices = listed(indices);
        let go = || {
            let index = of_arrays(&referred(&indices))?;
            let caller = (self.0.record().name, ".at");
            self.change(a.as_array(), &index, operand.as_optional_operand(), AtOrder::Deterministic, caller)
        };
        go().map_err(|e| e.with_op(&format!("{}.at", self.name())))
    }

    /// Applies [`Ufunc::at`] with an index of any kind, such as [`Array::index`] takes.
    ///
    /// ```
    /// use cuprum::{s, ufunc, zeros};
    /// let a = zeros([3, 2], cuprum::DType::I64)?;
    /// ufunc("add")?.at_index(&a, s![[0, 2, 0], ..], 1)?;
    /// assert_eq!(a.to_vec::<i64>()?, [2, 2, 0, 0, 1, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Ufunc::at`] and [`Array::index`].
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::at`].
    pub fn at_index(&self, a: impl AsArray, index: impl AsRef<[Index]>, operand: impl AsOptionalOperand) -> Result<()> {
        self.at_in(AtOrder::Deterministic, a, index, operand)
    }

    /// Applies [`Ufunc::at_index`] in an order of the updates of an element.
    ///
    /// The order is that of [`Ufunc::at`] except with [`AtOrder::Any`] for `add` of float32, float64, complex64 or
    /// complex128 numbers to an array of the same dtype. Then the sum of an element is rounded after each addition, in an
    /// order that is not specified: it differs from the exact one by at most as many units roundoff of the sum of
    /// magnitudes as there are additions, and may differ in every call.
    ///
    /// ```
    /// use cuprum::{AtOrder, s, ufunc, zeros};
    /// let a = zeros(3, cuprum::DType::F32)?;
    /// let values = cuprum::Array::from_slice(&[0.5f32, 1.0, 2.0], [3])?;
    /// ufunc("add")?.at_in(AtOrder::Any, &a, s![[0, 2, 0]], &values)?;
    /// assert_eq!(a.to_vec::<f32>()?, [2.5, 0.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Ufunc::at_index`].
    ///
    /// # Synchronization
    ///
    /// Same as [`Ufunc::at`].
    pub fn at_in(
        &self,
        order: AtOrder,
        a: impl AsArray,
        index: impl AsRef<[Index]>,
        operand: impl AsOptionalOperand,
    ) -> Result<()> {
        let caller = (self.0.record().name, ".at");
        self.change(a.as_array(), index.as_ref(), operand.as_optional_operand(), order, caller)
            .map_err(|e| e.with_op(&format!("{}.at", self.name())))
    }

    pub(crate) fn change(
        &self,
        a: &Array,
        index: &[Index],
        operand: Option<Operand<'_>>,
        order: AtOrder,
        caller: Function,
    ) -> Result<()> {
        if self.nout() != 1 || self.nin() > 2 {
            return Err(Error::new(
                ErrorKind::Value,
                "only functions of one or two operands with one result have `at`",
            ));
        }
        if self.nin() != 1 + usize::from(operand.is_some()) {
            let what = if operand.is_some() { "has no second operand" } else { "needs a second operand" };
            return Err(Error::new(ErrorKind::Value, format!("the function {what}")));
        }
        a.check_writable()?;
        let beside = operand.iter().filter_map(|o| if let Operand::Array(b) = o { Some(*b) } else { None });
        engine::one_device(a, beside)?;
        // Before any launch: rejects arrays of another device.
        let resolved = a.resolved(index)?;
        // Here a scalar counts as an array of its own dtype.
        let operand = match operand {
            None => None,
            Some(Operand::Scalar(s)) => Some(engine::make::full(a.device(), &[], s, made_dtype(&s))?),
            Some(Operand::Array(b)) if b.may_share_memory(a) => Some(b.copy(Order::K)?),
            Some(Operand::Array(b)) => Some(b.clone()),
        };
        let picked = match resolved {
            // A view has each element once.
            Resolved::View(layout) => return self.change_view(&a.with_layout(layout), operand.as_ref()),
            Resolved::Mask(_) => Picked::of(a, index)?,
            Resolved::Picked(picked) => *picked,
        };
        let types: SmallVec<[OperandType; 2]> = [a].into_iter().chain(&operand).map(OperandType::from).collect();
        let signature = loops::resolve(self.0, &types, None)?;
        // NumPy checks the axes before the operand's shape.
        picked.check_axes(a)?;
        let shape = picked.shape();
        // An index out of bounds takes precedence over the operand's error.
        let behind_indices =
            |error| picked.cells(a, caller).and_then(|_| a.device().synchronize()).err().unwrap_or(error);
        let operand = operand.map(|b| b.broadcast_to(&shape[..])).transpose().map_err(behind_indices)?;
        let (view, operand) = picked.indices_first(a, operand.as_ref())?;
        if self.0.record().rejects_negative {
            let exponent = operand.as_ref().map_or(Operand::Array(a), Operand::Array);
            loops::check_negative(&exponent, self.0.loops()[signature].ins[1], None, shape.iter().product())
                .map_err(behind_indices)?;
        }
        let key = At {
            op: self.0,
            signature: signature as u8,
            array: a.dtype(),
            operand: operand.as_ref().map(Array::dtype),
            far: false,
            flat: false,
            sharing: Sharing::default(),
            any_order: order == AtOrder::Any,
            width: Width::default(),
        };
        if let Some(pick) = picked.one_line()
            && engine::add_at_indices(key, &view, pick, operand.as_ref(), caller)?
        {
            return a.device().check_errors_now();
        }
        let (positions, rejected) = picked.cells(a, caller)?;
        let leading = view.ndim() - picked.left();
        engine::at(key, &view, leading, &positions, operand.as_ref(), rejected.as_ref())?;
        a.device().check_errors_now()
    }
}

impl Ufunc {
    /// Applies the ufunc once to each element of a view.
    fn change_view(&self, view: &Array, operand: Option<&Array>) -> Result<()> {
        let operands: SmallVec<[Operand<'_>; 2]> = [view].into_iter().chain(operand).map(Operand::from).collect();
        let changed = self.called(&operands, &Default::default())?;
        engine::copy(&changed.broadcast_to_shape(view.shape())?, view)
    }
}

/// Builds an index of arrays, one for each of the first axes.
fn of_arrays(indices: &[&Array]) -> Result<SmallVec<[Index; 4]>> {
    if let Some(mask) = indices.iter().find(|i| i.dtype() == DType::Bool && i.ndim() == 0) {
        let shape = shape_text(mask.shape());
        return Err(Error::new(ErrorKind::Index, format!("a mask of shape {shape} indexes no axis")));
    }
    if indices.is_empty() {
        return Err(Error::new(ErrorKind::Index, "an array of indices is needed"));
    }
    Ok(indices.iter().map(|i| Index::from(*i)).collect())
}
