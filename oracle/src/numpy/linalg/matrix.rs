//! Matrices of complex numbers in float64. Real matrices have zero imaginary parts.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;

pub(crate) const ZERO: Complex64 = Complex64 { re: 0.0, im: 0.0 };
pub(crate) const ONE: Complex64 = Complex64 { re: 1.0, im: 0.0 };

/// A matrix, stored by rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) at: Vec<Vec<Complex64>>,
}

impl Matrix {
    pub(crate) fn of(rows: usize, columns: usize, element: impl Fn(usize, usize) -> Complex64) -> Matrix {
        let at = (0..rows).map(|i| (0..columns).map(|j| element(i, j)).collect()).collect();
        Matrix { rows, columns, at }
    }

    pub(crate) fn identity(n: usize) -> Matrix {
        Matrix::of(n, n, |i, j| if i == j { ONE } else { ZERO })
    }

    pub(crate) fn adjoint(&self) -> Matrix {
        Matrix::of(self.columns, self.rows, |i, j| self.at[j][i].conj())
    }

    pub(crate) fn transposed(&self) -> Matrix {
        Matrix::of(self.columns, self.rows, |i, j| self.at[j][i])
    }

    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows);
        Matrix::of(self.rows, other.columns, |i, j| (0..self.columns).map(|k| self.at[i][k] * other.at[k][j]).sum())
    }

    pub(crate) fn minus(&self, other: &Matrix) -> Matrix {
        Matrix::of(self.rows, self.columns, |i, j| self.at[i][j] - other.at[i][j])
    }

    /// Returns the leading submatrix of `rows` rows and `columns` columns.
    pub(crate) fn leading(&self, rows: usize, columns: usize) -> Matrix {
        Matrix::of(rows, columns, |i, j| self.at[i][j])
    }

    pub(crate) fn column(&self, j: usize) -> Vec<Complex64> {
        self.at.iter().map(|row| row[j]).collect()
    }

    /// Computes the Frobenius norm, without squares that overflow.
    pub(crate) fn size(&self) -> f64 {
        norm(self.at.iter().flatten())
    }

    pub(crate) fn has_nan(&self) -> bool {
        self.at.iter().flatten().any(|x| x.is_nan())
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.at.iter().flatten().all(|x| x.is_finite())
    }
}

/// Computes the Euclidean norm.
pub(crate) fn norm<'a>(of: impl IntoIterator<Item = &'a Complex64> + Clone) -> f64 {
    let largest = of.clone().into_iter().map(|x| x.norm()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * of.into_iter().map(|x| (x / largest).norm_sqr()).sum::<f64>().sqrt()
}

/// A batch of matrices: the last two axes of an array.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) shape: Vec<usize>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) dtype: DType,
    pub(crate) all: Vec<Matrix>,
}

/// Returns the dtype in which NumPy's linear algebra computes.
pub(crate) fn work_dtype(dtype: DType) -> Result<DType> {
    match dtype {
        DType::F16 | DType::BF16 => fail(ErrorKind::Type, format!("array type {dtype} is unsupported in linalg")),
        d if d.is_float() || d.is_complex() => Ok(d),
        _ => Ok(DType::F64),
    }
}

/// Returns the machine epsilon of a dtype.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { f32::EPSILON.into() } else { f64::EPSILON }
}

impl Stack {
    pub(crate) fn of(a: &NdArray) -> Result<Stack> {
        if a.ndim() < 2 {
            return fail(ErrorKind::LinAlg, "the array must be at least two-dimensional");
        }
        let dtype = work_dtype(a.dtype())?;
        Ok(Stack { dtype, ..Stack::of_any(a) })
    }

    /// Creates a batch from an array of any dtype.
    pub(crate) fn of_any(a: &NdArray) -> Stack {
        let (shape, core) = a.shape().split_at(a.ndim() - 2);
        let (rows, columns) = (core[0], core[1]);
        let values: Vec<Complex64> = a.values().into_iter().map(Value::complex).collect();
        let one = |k: usize| Matrix::of(rows, columns, |i, j| values[(k * rows + i) * columns + j]);
        let all = (0..shape.iter().product()).map(one).collect();
        Stack { shape: shape.to_vec(), rows, columns, dtype: a.dtype(), all }
    }

    pub(crate) fn square(a: &NdArray) -> Result<Stack> {
        let stack = Stack::of(a)?;
        if stack.rows != stack.columns {
            return fail(ErrorKind::LinAlg, "the last two axes must be square");
        }
        Ok(stack)
    }

    pub(crate) fn real(&self) -> DType {
        self.dtype.real()
    }

    /// Converts matrices of one size to an array with the batch axes.
    pub(crate) fn matrices(&self, dtype: DType, [rows, columns]: [usize; 2], all: &[Matrix]) -> Result<NdArray> {
        let values = all.iter().flat_map(|m| m.at.iter().flatten()).map(|z| of_dtype(*z, dtype));
        NdArray::from_values(dtype, &[&self.shape[..], &[rows, columns]].concat(), values)
    }

    /// Converts vectors of one length to an array with the batch axes.
    pub(crate) fn vectors(&self, dtype: DType, length: usize, all: &[Vec<Complex64>]) -> Result<NdArray> {
        let values = all.iter().flatten().map(|z| of_dtype(*z, dtype));
        NdArray::from_values(dtype, &[&self.shape[..], &[length]].concat(), values)
    }

    /// Converts a number for each matrix to an array with the batch axes.
    pub(crate) fn numbers(&self, dtype: DType, all: &[Complex64]) -> Result<NdArray> {
        NdArray::from_values(dtype, &self.shape, all.iter().map(|z| of_dtype(*z, dtype)))
    }
}

/// Converts a number to a value of a dtype.
pub(crate) fn of_dtype(z: Complex64, dtype: DType) -> Value {
    if dtype.is_complex() { Value::Complex(z) } else { Value::Float(z.re) }
}

pub(crate) fn real(all: &[f64]) -> Vec<Complex64> {
    all.iter().map(|x| Complex64::new(*x, 0.0)).collect()
}
