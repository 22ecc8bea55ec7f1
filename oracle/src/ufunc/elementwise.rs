//! Evaluation of elementwise functions: broadcasting, `out`, `where` and the layout of results.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, Order, broadcast_shapes};
use crate::core::promote::{Casting, can_cast, weak_as};
use crate::core::value::{Flag, Value, cast};
use crate::core::value_promotion;
use crate::core::version::{self, Change};
use crate::ufunc::loops::Form;

/// Options of a ufunc call.
#[derive(Clone, Debug, Default)]
pub struct UfuncOptions {
    /// The dtype of the result, which selects the loop.
    pub dtype: Option<DType>,
    /// The memory order of the result; `K` by default.
    pub order: Order,
    /// The casts of the operands, and of the result to the dtype of `out`, that are allowed.
    pub casting: Casting,
    /// The output: an array of any layout, with its current contents. The operands broadcast to it.
    pub out: Option<NdArray>,
    /// The second output, for a function with two results.
    pub second_out: Option<NdArray>,
    /// The mask: booleans, broadcast with the operands. Where it is false, `out` keeps its contents, and a new result
    /// is zero where NumPy leaves memory uninitialised.
    pub where_: Option<NdArray>,
}

/// Returns the default dtype of a scalar.
pub(crate) fn own_dtype(v: &Value) -> DType {
    match v {
        Value::Bool(_) => DType::Bool,
        Value::Int(_) => DType::I64,
        Value::Float(_) => DType::F64,
        Value::Complex(_) => DType::C128,
    }
}

impl UfuncOptions {
    /// Rejects options that no call accepts.
    pub(crate) fn check(&self) -> Result<()> {
        for out in [&self.out, &self.second_out].into_iter().flatten() {
            out.check_writable()?;
        }
        match &self.where_ {
            Some(mask) if mask.dtype() != DType::Bool => fail(ErrorKind::Type, "where is an array of bool"),
            _ => Ok(()),
        }
    }

    /// Returns the options for result `k`, with its own `out`.
    pub(crate) fn of_result(&self, k: usize) -> UfuncOptions {
        let out = if k == 0 { self.out.clone() } else { self.second_out.clone() };
        UfuncOptions { out, second_out: None, ..self.clone() }
    }

    /// Rejects casts of scalars that are not allowed; they count unless they are `forced`.
    pub(crate) fn check_scalars(&self, operands: &[Operand<'_>], form: &Form, forced: bool) -> Result<()> {
        let scalar = |(operand, _): &(&Operand<'_>, &DType)| matches!(operand, Operand::Scalar(_));
        let mut scalars = operands.iter().zip(&form.inputs).filter(scalar);
        scalars.try_for_each(|(operand, to)| self.check_operand(operand, *to, operands, forced))
    }

    /// Rejects casts that are not allowed; those of the operands count unless they are `forced`.
    pub(crate) fn check_casts(&self, operands: &[Operand<'_>], form: &Form, forced: bool) -> Result<()> {
        for (operand, to) in operands.iter().zip(&form.inputs) {
            self.check_operand(operand, *to, operands, forced)?;
        }
        for (out, from) in [&self.out, &self.second_out].into_iter().zip(&form.outputs) {
            if let Some(out) = out.as_ref().filter(|out| !can_cast(*from, out.dtype(), self.casting)) {
                return self.rejected(*from, out.dtype());
            }
        }
        Ok(())
    }

    fn rejected(&self, from: DType, to: DType) -> Result<()> {
        fail(ErrorKind::Type, format!("{from} cannot be cast to {to} by the rule {:?}", self.casting))
    }

    fn check_operand(&self, operand: &Operand<'_>, to: DType, all: &[Operand<'_>], forced: bool) -> Result<()> {
        let from = match operand {
            Operand::Array(a) => a.dtype(),
            Operand::Scalar(v) => weak_as(v, to),
        };
        let allowed = if version::has(Change::Promotion) {
            let allowed = match (operand, self.casting) {
                (Operand::Scalar(Value::Bool(_)), rule) => can_cast(DType::Bool, to, rule),
                // For a host scalar NumPy 2 requires its default dtype.
                (Operand::Scalar(v), Casting::Equiv) => own_dtype(v) == to,
                _ => can_cast(from, to, self.casting),
            };
            forced || allowed
        } else {
            // The booleans of operands whose values do not count are checked one by one.
            forced && !value_promotion::applies(all)? || value_promotion::can_cast_operand(operand, to, self.casting)?
        };
        if allowed { Ok(()) } else { self.rejected(from, to) }
    }
}

/// Broadcasts the operands, applies `f` to each set of elements that the mask selects, and lays the results out.
pub(crate) fn map(
    operands: &[Operand<'_>],
    options: &UfuncOptions,
    dtype: DType,
    f: impl Fn(&[Value]) -> Result<(Value, Flag)>,
) -> Result<NdArray> {
    let mut arrays: Vec<&NdArray> = operands
        .iter()
        .filter_map(|o| match o {
            Operand::Array(a) => Some(*a),
            Operand::Scalar(_) => None,
        })
        .collect();
    arrays.extend(&options.where_);
    let mut shape = broadcast_shapes(&arrays.iter().map(|a| a.shape()).collect::<Vec<_>>())?;
    if let Some(out) = &options.out {
        if broadcast_shapes(&[&shape, out.shape()])? != out.shape() {
            return fail(ErrorKind::Value, format!("a result of shape {shape:?} does not fit in {:?}", out.shape()));
        }
        shape = out.shape().to_vec();
    }
    let columns: Vec<Vec<Value>> = operands
        .iter()
        .map(|o| match o {
            Operand::Array(a) => a.broadcast_to(&shape).map(|a| a.values()),
            Operand::Scalar(v) => Ok(vec![*v; shape.iter().product()]),
        })
        .collect::<Result<_>>()?;
    let mask = options.where_.as_ref().map(|m| m.broadcast_to(&shape).map(|m| m.values())).transpose()?;
    let mut row = Vec::with_capacity(columns.len());
    let results: Vec<Option<(Value, Flag)>> = (0..shape.iter().product())
        .map(|i| {
            if mask.as_ref().is_some_and(|m| !m[i].truth()) {
                return Ok(None);
            }
            row.clear();
            row.extend(columns.iter().map(|c| c[i]));
            let (value, flag) = f(&row)?;
            Ok(Some((cast(value, dtype).0, flag)))
        })
        .collect::<Result<_>>()?;
    if let Some(out) = &options.out {
        return Ok(out.with_elements(&results));
    }
    let axes = result_axes(&arrays, &shape, options.order);
    let unwritten = (Value::zero(dtype), Flag::Exact);
    let (values, flags): (Vec<_>, Vec<_>) = results.into_iter().map(|r| r.unwrap_or(unwritten)).unzip();
    Ok(NdArray::from_order(dtype, &shape, &axes, &values).with_flags(flags))
}

/// Returns the axes of a result, outermost first, in NumPy's layout.
fn result_axes(arrays: &[&NdArray], shape: &[usize], order: Order) -> Vec<usize> {
    let c = layout::c_order(shape.len());
    let f: Vec<usize> = c.iter().rev().copied().collect();
    match order {
        Order::C => c,
        Order::F => f,
        // Unlike for copies, operands that have both orders count as Fortran-ordered.
        Order::A => {
            if arrays.iter().all(|a| a.is_f_contiguous()) {
                f
            } else {
                c
            }
        }
        Order::K => {
            let strides: Vec<Vec<isize>> = arrays
                .iter()
                .map(|a| {
                    let mut out = vec![0; shape.len() - a.ndim()];
                    out.extend(a.shape().iter().zip(a.strides()).map(|(n, s)| if *n == 1 { 0 } else { *s }));
                    out
                })
                .collect();
            layout::walk_order(shape.len(), &strides)
        }
    }
}
