//! Reductions: elements that are not stored count as zeros.

use std::collections::BTreeMap;

use cuprum_kernels::DType;

use super::{Entry, Sparse, listed, positions};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;
use crate::numpy::statistics::{StatisticOptions, statistic};
use crate::ufunc::reduce::{Gathering, ReduceOptions, reduce, reduction_bound};

/// A dense result and the bound of the error of each of its elements, where rounding depends on the order of additions.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The result.
    pub result: NdArray,
    /// An absolute error for each element.
    pub bounds: Option<Vec<f64>>,
}

impl Sparse {
    /// Reduces along an axis, or all elements, by the name of NumPy's function. Sums along an axis add all stored entries, also those
    /// of one position; all others are those of the dense array, whose elements are sums in its dtype.
    ///
    /// # Errors
    ///
    /// `AxisError` for an axis out of bounds, `ValueError` for extrema of no elements.
    pub fn reduce(&self, name: &str, axis: Option<usize>, dtype: Option<DType>) -> Result<Reduced> {
        if axis.is_some_and(|axis| axis >= self.shape.len()) {
            return fail(ErrorKind::Axis, format!("axis {axis:?} is out of bounds"));
        }
        let axes = axis.map(|axis| vec![axis as isize]);
        if name == "sum" {
            return self.sum(axis, dtype);
        }
        let dense = self.to_dense(crate::core::layout::Order::C)?;
        let options = ReduceOptions { axis: axes, ..ReduceOptions::default() };
        let result = match name {
            "nanmax" | "nanmin" => {
                statistic(name, &dense, &StatisticOptions { options, ..StatisticOptions::default() })?
            }
            _ => reduce(name, &dense, &options)?,
        };
        Ok(Reduced { result, bounds: None })
    }

    /// Returns the arithmetic mean along an axis, or of all elements: the sum of the stored elements times the reciprocal of the number
    /// of elements.
    ///
    /// # Errors
    ///
    /// As [`Sparse::reduce`].
    pub fn mean(&self, axis: Option<usize>) -> Result<Reduced> {
        let count: usize = axis.map_or(self.shape.iter().product(), |axis| self.shape[axis]);
        let integral = self.dtype.is_integer() || self.dtype == DType::Bool;
        let of = if integral { self.astype(DType::F64) } else { self.clone() };
        of.scaled("multiply", Value::Float(1.0 / count as f64))?.reduce("sum", axis, None)
    }

    fn sum(&self, axis: Option<usize>, dtype: Option<DType>) -> Result<Reduced> {
        let shape: Vec<usize> = match axis {
            None => vec![],
            Some(axis) => self.shape.iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, n)| *n).collect(),
        };
        let entries = if axis.is_none() || self.shape.len() == 1 { listed(self.elements()?) } else { self.entries() };
        let options = ReduceOptions { dtype, ..ReduceOptions::default() };
        let mut groups: BTreeMap<Vec<usize>, Vec<Value>> = BTreeMap::new();
        for Entry { at, value } in entries {
            let kept = at.iter().enumerate().filter(|(k, _)| axis.is_some_and(|axis| axis != *k));
            groups.entry(kept.map(|(_, i)| *i).collect()).or_default().push(value);
        }
        let (mut values, mut bounds, mut of) = (vec![], vec![], None);
        for at in positions(&shape) {
            let terms = groups.remove(&at).unwrap_or_default();
            let terms = NdArray::from_values(self.dtype, &[terms.len()], terms)?;
            let sum = reduce("sum", &terms, &options)?;
            bounds.push(reduction_bound("sum", &terms, &options, Gathering::DEVICE)?[0]);
            of = Some(sum.dtype());
            values.push(sum.values()[0]);
        }
        let none = NdArray::from_values(self.dtype, &[0], [])?;
        let of = of.map_or_else(|| reduce("sum", &none, &options).map(|sum| sum.dtype()), Ok)?;
        Ok(Reduced { result: NdArray::from_values(of, &shape, values)?, bounds: Some(bounds) })
    }
}
