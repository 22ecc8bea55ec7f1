//! Elementwise functions of two sparse arrays, products with scalars, and the elements of a dense array at stored positions.

use std::collections::BTreeSet;

use super::{Entry, Format, Sparse, index_dtype, map, positions};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::Value;

/// Functions that are zero wherever one operand is. A product of zero with an infinite or NaN element is not.
const OF_BOTH: [&str; 2] = ["logical_and", "bitwise_and"];

/// Comparisons that are true where both operands are zero: every element is compared.
const EVERYWHERE: [&str; 3] = ["equal", "less_equal", "greater_equal"];

impl Sparse {
    /// Applies an elementwise function to two arrays of one shape, and drops results that are zero. Duplicates are added first, in
    /// the promoted dtype. The result is compressed by columns if both operands are, otherwise by rows; it has coordinates where
    /// the operands have not two axes.
    ///
    /// # Errors
    ///
    /// `ValueError` for unequal shapes and for a function that is not zero of two zeros; `TypeError` for dtypes that it does not take.
    pub fn binary(&self, name: &str, other: &Sparse) -> Result<Sparse> {
        if self.shape != other.shape {
            return fail(ErrorKind::Value, format!("inconsistent shapes {:?} and {:?}", self.shape, other.shape));
        }
        let both = promote_types(self.dtype, other.dtype);
        let zeros = map(name, &[(&[Value::zero(self.dtype)], self.dtype), (&[Value::zero(other.dtype)], other.dtype)])?;
        let everywhere = EVERYWHERE.contains(&name);
        if zeros.0[0].truth() && !everywhere {
            return fail(ErrorKind::Value, format!("{name} of two zeros is not zero"));
        }
        // Only where entries are added does the dtype of the sum matter.
        let distinct = |a: &Sparse| a.elements().map(|e| e.len() == a.entries().len());
        let (a, b) = if distinct(self)? && distinct(other)? {
            (self.clone(), other.clone())
        } else {
            (self.astype(both), other.astype(both))
        };
        let (in_a, in_b) = (a.elements()?, b.elements()?);
        let at: BTreeSet<Vec<usize>> = if everywhere {
            positions(&self.shape).into_iter().collect()
        } else if OF_BOTH.contains(&name) {
            in_a.keys().filter(|at| in_b.contains_key(*at)).cloned().collect()
        } else {
            in_a.keys().chain(in_b.keys()).cloned().collect()
        };
        let x: Vec<Value> = at.iter().map(|at| Sparse::get(&in_a, at, a.dtype)).collect();
        let y: Vec<Value> = at.iter().map(|at| Sparse::get(&in_b, at, b.dtype)).collect();
        let (values, dtype) = map(name, &[(&x, a.dtype), (&y, b.dtype)])?;
        let entry = |(at, value)| Entry { at, value };
        let entries: Vec<Entry> = at.into_iter().zip(values).map(entry).filter(|e| e.value.truth()).collect();
        let format = match (self.format, other.format) {
            _ if self.shape.len() != 2 => Format::Coo,
            (Format::Csc, Format::Csc) => Format::Csc,
            _ => Format::Csr,
        };
        let index = index_dtype(self.given_index().into_iter().chain(other.given_index()), self.shape.clone());
        Ok(Sparse::new(format, &self.shape, dtype, index, entries))
    }

    /// Returns the index dtype as far as it counts in results: that of offsets does not.
    pub(crate) fn given_index(&self) -> Option<cuprum_kernels::DType> {
        (self.format != Format::Dia).then_some(self.index)
    }

    /// Multiplies or divides the stored values by a scalar; the structure stays.
    ///
    /// # Errors
    ///
    /// Those of the function.
    pub fn scaled(&self, name: &str, factor: Value) -> Result<Sparse> {
        let of = |value: Value| -> Result<(Value, cuprum_kernels::DType)> {
            let one = NdArray::from_values(self.dtype, &[1], [value])?;
            let result = crate::ufunc::ufunc(
                name,
                &[(&one).into(), factor.into()],
                &crate::ufunc::elementwise::UfuncOptions::default(),
            )?;
            Ok((result.values()[0], result.dtype()))
        };
        let (_, dtype) = of(Value::zero(self.dtype))?;
        Ok(self.with_values(dtype, |value| of(value).map_or(value, |(v, _)| v)))
    }

    /// Raises the elements to a power; duplicates are added first.
    ///
    /// # Errors
    ///
    /// Those of the function.
    pub fn power(&self, exponent: Value) -> Result<Sparse> {
        let distinct = if self.format == Format::Dia { self.clone() } else { self.sum_duplicates()? };
        if self.dtype.is_integer() && matches!(exponent, Value::Int(n) if n < 0) {
            return fail(ErrorKind::Value, "integers to negative integer powers");
        }
        distinct.scaled("power", exponent)
    }

    /// Negates the stored values.
    ///
    /// # Errors
    ///
    /// `TypeError` for booleans.
    pub fn negative(&self) -> Result<Sparse> {
        let (_, dtype) = map("negative", &[(&[Value::zero(self.dtype)], self.dtype)])?;
        Ok(self.with_values(dtype, |value| map("negative", &[(&[value], self.dtype)]).map_or(value, |(v, _)| v[0])))
    }

    /// Returns the elements of a dense array, broadcast to this one's shape, at the positions of the entries.
    ///
    /// # Errors
    ///
    /// `ValueError` for a shape that does not broadcast.
    pub fn gather_dense(&self, dense: &NdArray) -> Result<NdArray> {
        let dense = dense.broadcast_to(&self.shape)?;
        let values: Vec<Value> = self.entries().iter().map(|e| dense.get(&e.at)).collect();
        NdArray::from_values(dense.dtype(), &[values.len()], values)
    }
}
