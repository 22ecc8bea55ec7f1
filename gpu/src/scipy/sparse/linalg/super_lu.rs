//! LU factors on the device.
//!
//! SciPy's `SuperLU` objects: a permuted matrix is the product of L and U. The factors are on the device as compressed
//! rows, in the order in which triangular systems are solved.

use std::sync::{Once, OnceLock};

use cuprum_direct::panels;
use cuprum_kernels::DType;
use num_complex::{Complex32, Complex64};

use super::super::{CastTo, Compressed, EntryOrder, Format, Select, Sparse, index_dtype, two_axes};
use super::LinearOperator;
use super::library::LibrarySolver;
use super::options::Trans;
use super::triangular::{TriangularRows, canonical_rows, check_right_sides, compressed, factor_dtype, square};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::sparse_batch::factor_batch;
use crate::driver::sparse_direct::{self, Method, Pattern, SparseDirect};
use crate::driver::sparse_library::{SparseOptions, Structure};
use crate::dtype::promote_types;
use crate::engine::make;
use crate::engine::triangular_solve::{InvertedPanels, Triangle};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::ufunc::apply;

/// Elements of the dense solutions that are computed at once.
const MOST_DENSE: usize = 1 << 26;

/// LU factors of a square sparse matrix; SciPy's `SuperLU`.
///
/// `L U` is the matrix with its rows and columns in the order of the pivots: the element in row `perm_r[i]` and column
/// `perm_c[j]` of the product is that in row i and column j of the matrix. The factors are stored on the device, where
/// systems are solved, and on the host, for [`SuperLu::refactor`].
///
/// On a GPU with NVIDIA's cuDSS the factors are in that library's memory. It gives no access to them: the host factors
/// the matrix when [`SuperLu::lower`], [`SuperLu::upper`], [`SuperLu::perm_r`] or [`SuperLu::perm_c`] is called first.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{FactorOptions, Trans, splu};
/// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csc)?;
/// let lu = splu(&a, FactorOptions::default())?;
/// assert_eq!((lu.size(), lu.dtype()), (2, cuprum::DType::F64));
/// assert!(cuprum::allclose(&lu.solve(&array([2.0, 9.0])?, Trans::None)?, &array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct SuperLu {
    /// Device of the solutions.
    device: Device,
    /// Dtype of the factors.
    dtype: DType,
    /// Number of rows.
    size: usize,
    /// The columns of the matrix; the lower triangle for a Cholesky factorisation.
    columns: Sparse,
    method: Method,
    /// Number of the matrices of one pattern that are the blocks of a block-diagonal matrix.
    batch: usize,
    /// The factors of a library of the device.
    library: Option<LibrarySolver>,
    /// The factors of the host: with a library these are computed when they are read.
    computed: OnceLock<Computed>,
}

/// Factors that the host has computed.
#[derive(Debug)]
struct Computed {
    host: Box<dyn SparseDirect>,
    factors: Factors,
}

impl Computed {
    /// Factors a matrix of compressed columns, or the blocks of a block-diagonal one. Synchronises.
    fn new(columns: &Sparse, method: Method, batch: usize) -> Result<Computed> {
        let (device, dtype) = (columns.device(), columns.dtype());
        report_host(device);
        let pattern = read_pattern(&first_block(columns, batch)?)?;
        let values = read_bytes(&columns.data())?;
        let host = if batch == 1 {
            sparse_direct::factor(pattern, &values, dtype, method)?
        } else {
            factor_batch(&pattern, &values, batch, dtype, method)?
        };
        let factors = Factors::new(&*host, device, dtype)?;
        Ok(Computed { host, factors })
    }

    /// Factors other values of the pattern. Synchronises.
    fn refactor(&mut self, values: &Array) -> Result<()> {
        self.factors = if self.host.refactor(&read_bytes(values)?)? {
            self.factors.with_values(&*self.host, values.dtype())?
        } else {
            Factors::new(&*self.host, values.device(), values.dtype())?
        };
        Ok(())
    }
}

/// The factors on the device.
#[derive(Debug)]
struct Factors {
    /// L, by rows.
    lower: Sparse,
    /// True if the diagonal of L is one.
    unit: bool,
    /// U, by rows.
    upper: Sparse,
    /// The pivot position of each row and column of the matrix.
    permutations: [Array; 2],
    /// The row and the column of each pivot.
    orders: [Array; 2],
    /// The columns of both factors: the rows of their transposes.
    transposed: OnceLock<[Sparse; 2]>,
    /// The panels of L and of U, if some of them are dense.
    panels: [Option<InvertedPanels>; 2],
}

/// Reads an array of indices.
fn read_indices<T>(a: &Array, convert: impl Fn(i64) -> Option<T>) -> Result<Vec<T>> {
    let wrong = || Error::new(ErrorKind::Value, "the indices of the matrix are out of bounds");
    let all: Vec<i64> = match a.dtype() {
        DType::I32 => a.to_vec::<i32>()?.into_iter().map(i64::from).collect(),
        _ => a.to_dtype(DType::I64)?.to_vec()?,
    };
    all.into_iter().map(|i| convert(i).ok_or_else(wrong)).collect()
}

/// Copies the elements of an array of the solver's dtype to the host.
pub(super) fn read_bytes(a: &Array) -> Result<Vec<u8>> {
    Ok(match a.dtype() {
        DType::F32 => bytemuck::cast_slice(&a.to_vec::<f32>()?).to_vec(),
        DType::C64 => bytemuck::cast_slice(&a.to_vec::<Complex32>()?).to_vec(),
        DType::C128 => bytemuck::cast_slice(&a.to_vec::<Complex64>()?).to_vec(),
        _ => bytemuck::cast_slice(&a.to_vec::<f64>()?).to_vec(),
    })
}

/// Copies the pattern of a matrix by columns to the host. Synchronises.
pub(super) fn read_pattern(columns: &Sparse) -> Result<Pattern> {
    let (c, n) = (compressed(columns)?, square(columns)?);
    let entries = c.data.size();
    let pointers = read_indices(&c.indptr, |i| usize::try_from(i).ok().filter(|&i| i <= entries))?;
    let rows = read_indices(&c.indices, |i| u32::try_from(i).ok().filter(|&i| (i as usize) < n))?;
    if pointers.windows(2).any(|p| p[0] > p[1]) || pointers[0] != 0 || pointers[n] != entries {
        return Err(Error::new(
            ErrorKind::Value,
            "the pointers of the matrix do not rise from 0 to the number of entries",
        ));
    }
    Ok(Pattern { pointers, rows })
}

/// Checks the right-hand sides for factors of `n` rows and a dtype, and casts them to it.
pub(super) fn safe_right_sides(n: usize, dtype: DType, b: &Array) -> Result<Array> {
    if promote_types(b.dtype(), dtype) != dtype {
        let message = format!(
            "Cannot cast array data of b from {} to {dtype}, the dtype of the factors: factor the matrix in it",
            b.dtype()
        );
        return Err(Error::new(ErrorKind::Type, message));
    }
    check_right_sides(n, b)?;
    if b.dtype() == dtype { Ok(b.clone()) } else { b.to_dtype(dtype) }
}

/// Copies a permutation to the device: the position of each element, and the element at each position.
pub(super) fn order_arrays(device: Device, positions: &[u32], index: DType) -> Result<[Array; 2]> {
    let mut order = vec![0; positions.len()];
    positions.iter().enumerate().for_each(|(i, &p)| order[p as usize] = i);
    Ok([upload(device, positions.iter().map(|&p| p as usize), index)?, upload(device, order.into_iter(), index)?])
}

/// Returns the matrix by columns, sorted and distinct, in the solver's dtype.
pub(super) fn columns_of(a: &Sparse, dtype: DType) -> Result<Sparse> {
    a.to_format(Format::Csc)?.sum_duplicates()?.astype(dtype)
}

/// Returns the first block of a block-diagonal matrix of equal blocks, in compressed rows or columns.
pub(super) fn first_block(a: &Sparse, blocks: usize) -> Result<Sparse> {
    if blocks == 1 {
        return Ok(a.clone());
    }
    let (c, n) = (compressed(a)?, square(a)? / blocks);
    let first = |a: &Array, count: usize| a.index(s![..count as i64]);
    let entries = c.data.size() / blocks;
    let order = OnceLock::from(EntryOrder::Canonical);
    let [indices, data] = [first(&c.indices, entries)?, first(&c.data, entries)?];
    let block = Compressed::new(c.major, first(&c.indptr, n + 1)?, indices, data, order);
    Ok(Sparse::of_compressed([n, n], block))
}

/// Returns the conjugates of the elements.
pub(super) fn conjugated(a: &Array) -> Result<Array> {
    apply("conjugate", [a.into()])
}

/// Returns true if both have the same pointers and indices. Synchronises unless they share their arrays.
fn same_pattern(a: &Compressed, b: &Compressed) -> Result<bool> {
    if a.indices.size() != b.indices.size() {
        return Ok(false);
    }
    for (a, b) in [(&a.indptr, &b.indptr), (&a.indices, &b.indices)] {
        if a.addr() == b.addr() || a.size() == 0 {
            continue;
        }
        let differ = apply("not_equal", [a.into(), b.into()])?;
        if reduced("any", &differ, &Reduce::all())?.item::<bool>()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reports once that factorisations run on the host of a GPU.
pub(super) fn report_host(device: Device) {
    static REPORT: Once = Once::new();
    if device.info().id.starts_with("cuda") {
        REPORT.call_once(|| {
            eprintln!("cuprum: sparse matrices are factored on the host; the factors are stored on the device")
        });
    }
}

/// Copies indices to the device, as integers of a dtype.
pub(super) fn upload(device: Device, indices: impl Iterator<Item = usize>, dtype: DType) -> Result<Array> {
    if dtype == DType::I32 {
        let list: Vec<i32> = indices.map(|i| i as i32).collect();
        return make::of(device, &list, &[list.len()]);
    }
    let list: Vec<i64> = indices.map(|i| i as i64).collect();
    make::of(device, &list, &[list.len()])
}

/// Returns the triangle of a factor's rows, or of `upper` ones.
fn triangle_of(a: &Sparse, upper: bool, unit: bool) -> Result<Triangle<'_>> {
    // The diagonal of U is stored.
    let rows = TriangularRows { rows: compressed(a)?, upper, unit: unit && !upper, conjugate: false, panels: None };
    Ok(rows.triangle())
}

impl Factors {
    fn new(host: &dyn SparseDirect, device: Device, dtype: DType) -> Result<Factors> {
        let [rows, columns] = host.permutations();
        let n = rows.len();
        let entries = [false, true].map(|upper| host.pattern(upper).1.len());
        let index = index_dtype([n, entries[0], entries[1]]);
        let factor = |upper| {
            let (pointers, columns) = host.pattern(upper);
            let indptr = upload(device, pointers.iter().copied(), index)?;
            let indices = upload(device, columns.iter().map(|&c| c as usize), index)?;
            Ok::<_, Error>(canonical_rows(n, indptr, indices, make::of_bytes(device, &host.values(upper), dtype)?))
        };
        let [[row_positions, row_order], [column_positions, column_order]] =
            [order_arrays(device, rows, index)?, order_arrays(device, columns, index)?];
        let (lower, upper, unit) = (factor(false)?, factor(true)?, host.is_unit());
        let inverted = |a: &Sparse, is_upper: bool| {
            let (pointers, columns) = host.pattern(is_upper);
            InvertedPanels::new(triangle_of(a, is_upper, unit)?, &panels(pointers, columns, is_upper))
        };
        Ok(Factors {
            panels: [inverted(&lower, false)?, inverted(&upper, true)?],
            lower,
            unit,
            upper,
            permutations: [row_positions, column_positions],
            orders: [row_order, column_order],
            transposed: OnceLock::new(),
        })
    }

    /// Returns the factors of the same pattern with the values of the host.
    fn with_values(&self, host: &dyn SparseDirect, dtype: DType) -> Result<Factors> {
        let device = self.lower.device();
        let values = |upper| make::of_bytes(device, &host.values(upper), dtype);
        let (lower, upper) = (self.lower.with_data(&values(false)?)?, self.upper.with_data(&values(true)?)?);
        let inverted = |a: &Sparse, is_upper: bool| {
            let known = &self.panels[usize::from(is_upper)];
            known.as_ref().map(|p| p.with_values(triangle_of(a, is_upper, self.unit)?)).transpose()
        };
        Ok(Factors {
            panels: [inverted(&lower, false)?, inverted(&upper, true)?],
            lower,
            unit: self.unit,
            upper,
            permutations: self.permutations.clone(),
            orders: self.orders.clone(),
            transposed: OnceLock::new(),
        })
    }

    fn transposed(&self) -> Result<&[Sparse; 2]> {
        if let Some(known) = self.transposed.get() {
            return Ok(known);
        }
        let new = [self.lower.to_format(Format::Csc)?, self.upper.to_format(Format::Csc)?];
        Ok(self.transposed.get_or_init(|| new))
    }

    /// Writes the solutions for `b` to `out`, an array in C order.
    fn solve(&self, b: &Array, trans: Trans, out: &Array) -> Result<()> {
        let across = b.shape().get(1).copied().unwrap_or(1);
        let out = out.reshape([b.shape()[0], across])?;
        let [row_order, column_order] = &self.orders;
        let conjugate = trans == Trans::Adjoint;
        let transposed = trans != Trans::None;
        let triangle = |a, upper, unit| {
            // Those of the upper triangle are U's, or L's if it is transposed.
            let panels = self.panels[usize::from(upper != transposed)].as_ref().map(|p| (p, transposed));
            Ok::<_, Error>(TriangularRows { rows: compressed(a)?, upper, unit, conjugate, panels })
        };
        if trans == Trans::None {
            let y = triangle(&self.lower, false, self.unit)?.solve(Some(row_order), b, None, None)?;
            triangle(&self.upper, true, false)?.solve(None, &y, Some(column_order), Some(&out))?;
        } else {
            let [lower, upper] = self.transposed()?;
            let y = triangle(upper, false, false)?.solve(Some(column_order), b, None, None)?;
            triangle(lower, true, self.unit)?.solve(None, &y, Some(row_order), Some(&out))?;
        }
        Ok(())
    }
}

impl SuperLu {
    pub(super) fn new(a: &Sparse, method: Method, deterministic: bool) -> Result<SuperLu> {
        square(a)?;
        SuperLu::of_columns(columns_of(a, factor_dtype(a.dtype())?)?, method, 1, deterministic)
    }

    /// Factors a matrix of compressed columns of the solver's dtype, or a block-diagonal one of `batch` matrices of one
    /// pattern: by a library of the device, if it has one and neither the order nor the pivots are given.
    pub(super) fn of_columns(columns: Sparse, method: Method, batch: usize, deterministic: bool) -> Result<SuperLu> {
        let structure = match method {
            Method::Lu(options) if !options.is_default() => None,
            Method::Lu(_) => Some(Structure::General),
            Method::Cholesky => Some(Structure::Positive),
        };
        let library = match structure {
            Some(structure) => LibrarySolver::new(&columns, SparseOptions { structure, batch, deterministic })?,
            None => None,
        };
        let library = library.map_or(Ok(None), LibrarySolver::checked)?;
        SuperLu::with(columns, method, batch, library)
    }

    /// Creates the factors of a library, or computes those of the host.
    pub(super) fn with(
        columns: Sparse,
        method: Method,
        batch: usize,
        library: Option<LibrarySolver>,
    ) -> Result<SuperLu> {
        let (size, dtype, device) = (square(&columns)?, columns.dtype(), columns.device());
        let new = SuperLu { device, dtype, size, columns, method, batch, library, computed: OnceLock::new() };
        if new.library.is_none() {
            new.computed()?;
        }
        Ok(new)
    }

    /// Returns the factors of the host.
    fn computed(&self) -> Result<&Computed> {
        if let Some(known) = self.computed.get() {
            return Ok(known);
        }
        let new = Computed::new(&self.columns, self.method, self.batch)?;
        Ok(self.computed.get_or_init(|| new))
    }

    /// Returns the number of entries of the matrix.
    pub(super) fn entries(&self) -> usize {
        self.columns.values().size()
    }

    /// The diagonal of U.
    pub(super) fn pivots(&self) -> Result<Array> {
        self.computed()?.factors.upper.diagonal(0)
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of entries of both factors, the unit diagonal of L included; SciPy's `nnz`. With cuDSS it is that
    /// of its factors, until the host has computed others.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [0.0, 4.0]])?, Format::Csc)?;
    /// assert_eq!(splu(&a, FactorOptions::default())?.nnz(), 4);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        match (self.computed.get(), &self.library) {
            (Some(Computed { factors, .. }), _) => {
                [&factors.lower, &factors.upper].map(|f| f.values().size()).iter().sum()
            }
            (None, library) => library.as_ref().map_or(0, LibrarySolver::entries),
        }
    }

    /// Returns the dtype of the factors: float32, float64, complex64 or complex128.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the pivot position of each row of the matrix, as int32; SciPy's `perm_r`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{ColumnOrder, FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[0.0, 1.0], [2.0, 0.0]])?, Format::Csc)?;
    /// let options = FactorOptions { permc_spec: ColumnOrder::Natural, ..FactorOptions::default() };
    /// assert_eq!(splu(&a, options)?.perm_r()?.to_vec::<i32>()?, [1, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn perm_r(&self) -> Result<Array> {
        self.computed()?.factors.permutations[0].to_dtype(DType::I32)
    }

    /// Returns the pivot position of each column of the matrix, as int32; SciPy's `perm_c`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{ColumnOrder, FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csc)?;
    /// let options = FactorOptions { permc_spec: ColumnOrder::Natural, ..FactorOptions::default() };
    /// assert_eq!(splu(&a, options)?.perm_c()?.to_vec::<i32>()?, [0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn perm_c(&self) -> Result<Array> {
        self.computed()?.factors.permutations[1].to_dtype(DType::I32)
    }

    /// Returns the lower triangular factor with its unit diagonal, of [`Format::Csc`]; SciPy's `L`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{ColumnOrder, FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csc)?;
    /// let options = FactorOptions { permc_spec: ColumnOrder::Natural, ..FactorOptions::default() };
    /// let lu = splu(&a, options)?;
    /// assert_eq!(lu.lower()?.to_dense(())?.to_vec::<f64>()?, [1.0, 0.0, 0.5, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn lower(&self) -> Result<Sparse> {
        self.computed()?.factors.transposed().map(|t| t[0].clone())
    }

    /// Returns the upper triangular factor, of [`Format::Csc`]; SciPy's `U`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{ColumnOrder, FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 6.0], [1.0, 4.0]])?, Format::Csc)?;
    /// let options = FactorOptions { permc_spec: ColumnOrder::Natural, ..FactorOptions::default() };
    /// let lu = splu(&a, options)?;
    /// assert_eq!(lu.upper()?.to_dense(())?.to_vec::<f64>()?, [2.0, 6.0, 0.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn upper(&self) -> Result<Sparse> {
        self.computed()?.factors.transposed().map(|t| t[1].clone())
    }

    /// Solves systems of equations on the device, without a transfer: `A x = b`, or with the transposed matrix or its
    /// conjugate.
    ///
    /// Returns the solution for a vector or a matrix, in its shape and in the dtype of the factors. Where the backward
    /// error of a system with a known solution was large after the factorisation, a step of iterative refinement
    /// follows each solution.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{FactorOptions, Trans, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csc)?;
    /// let lu = splu(&a, FactorOptions::default())?;
    /// let x = lu.solve(&array([4.0, 8.0])?, Trans::Transposed)?;
    /// assert!(cuprum::allclose(&x, &array([1.0, 2.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a `b` that has not as many rows as the matrix, [`ErrorKind::Type`] for one whose dtype
    /// cannot be cast safely to that of the factors.
    pub fn solve(&self, b: &Array, trans: Trans) -> Result<Array> {
        self.solved(b, trans).map_err(|e| e.with_op("sparse.linalg.SuperLU.solve"))
    }

    pub(super) fn solved(&self, b: &Array, trans: Trans) -> Result<Array> {
        let b = safe_right_sides(self.size, self.dtype, b)?;
        if b.size() == 0 {
            return make::empty(self.device, b.shape(), self.dtype);
        }
        let solve = |b: &Array| {
            if let Some(library) = &self.library {
                return library.solve(b, trans);
            }
            let x = make::empty(self.device, b.shape(), self.dtype)?;
            self.computed()?.factors.solve(b, trans, &x).map(|()| x)
        };
        let x = solve(&b)?;
        let (a, refined) = match &self.library {
            Some(library) => (library.rows(), library.refined),
            None => (&self.columns, self.computed()?.host.needs_refinement()),
        };
        if !refined {
            return Ok(x);
        }
        let a = match trans {
            Trans::None => a.clone(),
            Trans::Transposed => a.transpose(None)?,
            Trans::Adjoint => {
                let a = a.transpose(None)?;
                a.with_data(&conjugated(&a.data())?)?
            }
        };
        let residual = apply("subtract", [(&b).into(), (&a.matmul_dense(&x)?).into()])?;
        apply("add", [(&x).into(), (&solve(&residual)?).into()])
    }

    /// Factors another matrix of the same pattern, with the same order and the same pivots, which takes about half of
    /// the time. Pivots that are too small for it are chosen again.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{FactorOptions, Trans, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 4.0]])?, Format::Csc)?;
    /// let mut lu = splu(&a, FactorOptions::default())?;
    /// lu.refactor(&a.with_data(&array([1.0, 1.0, 2.0])?)?)?;
    /// let x = lu.solve(&array([1.0, 5.0])?, Trans::None)?;
    /// assert!(cuprum::allclose(&x, &array([1.0, 2.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a matrix of another shape or pattern, [`ErrorKind::LinAlg`] for a singular one: the
    /// factors are undefined then.
    ///
    /// # Synchronization
    ///
    /// Synchronises to copy the values to the host.
    pub fn refactor(&mut self, a: &Sparse) -> Result<()> {
        self.refactored(a).map_err(|e| e.with_op("sparse.linalg.SuperLU.refactor"))
    }

    pub(super) fn refactored(&mut self, a: &Sparse) -> Result<()> {
        let columns = columns_of(a, self.dtype)?;
        if columns.shape() != self.columns.shape() || !same_pattern(compressed(&columns)?, compressed(&self.columns)?)?
        {
            let message = "the matrix has another pattern than the one that was factored: factor it by splu";
            return Err(Error::new(ErrorKind::Value, message));
        }
        self.refactor_values(&columns.data())
    }

    /// Factors other values of the pattern by columns, of the dtype of the factors.
    pub(super) fn refactor_values(&mut self, values: &Array) -> Result<()> {
        self.columns = self.columns.with_data(values)?;
        if let Some(library) = &mut self.library {
            self.computed = OnceLock::new();
            if library.refactor(&self.columns)? {
                return Ok(());
            }
            self.library = None;
        }
        match self.computed.get_mut() {
            Some(computed) => computed.refactor(values),
            None => self.computed().map(|_| ()),
        }
    }

    /// Solves for the columns of a sparse matrix. The solution is of [`Format::Csc`], without the elements that are
    /// zero.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// use cuprum::scipy::sparse::linalg::{FactorOptions, splu};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [0.0, 4.0]])?, Format::Csc)?;
    /// let x = splu(&a, FactorOptions::default())?.solve_sparse(&a)?;
    /// assert_eq!(x.to_dense(())?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SuperLu::solve`].
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the numbers of entries.
    pub fn solve_sparse(&self, b: &Sparse) -> Result<Sparse> {
        let columns = b.to_format(Format::Csc)?;
        let &[_, across] = b.shape() else { return Err(two_axes(b.format(), b.shape())) };
        let each = (MOST_DENSE / self.size.max(1)).max(1);
        let mut parts = Vec::new();
        for start in (0..across.max(1)).step_by(each) {
            let len = each.min(across - start.min(across));
            let part = if len == across {
                columns.clone()
            } else {
                columns.select(&Select::All, &Select::Range { start, step: 1, len })?
            };
            let x = self.solve(&part.to_dense(Order::C)?, Trans::None)?;
            parts.push(Sparse::from_dense(&x, Format::Csc)?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Sparse::stack(&parts.iter().collect::<Vec<_>>(), 1, Format::Csc)
    }
}

/// The inverse of the matrix, as a preconditioner.
impl LinearOperator for SuperLu {
    fn shape(&self) -> [usize; 2] {
        [self.size; 2]
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        self.solve(v, Trans::None)
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        self.solve(v, Trans::Adjoint)
    }

    fn matmat(&self, x: &Array) -> Result<Array> {
        self.solve(x, Trans::None)
    }

    fn rmatmat(&self, x: &Array) -> Result<Array> {
        self.solve(x, Trans::Adjoint)
    }

    fn is_capturable(&self) -> bool {
        self.library.is_none()
    }
}
