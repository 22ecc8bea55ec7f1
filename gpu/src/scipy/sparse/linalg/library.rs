//! Solutions by a library of the device, cuDSS, which is optional.
//!
//! The library replaces small pivots instead of failing. Its factors are used where it has replaced none and where the
//! backward error of a solution, which is computed on the device, is small; otherwise the matrix is factored on the host
//! with partial pivoting.

use cuprum_kernels::DType;

use super::super::{Format, Sparse};
use super::options::Trans;
use super::super_lu::{conjugated, first_block};
use super::triangular::{compressed, square};
use crate::array::Array;
use crate::driver::sparse_library::{SolveMode, SparseOptions, Structure};
use crate::dtype::promote_types;
use crate::engine::make;
use crate::engine::sparse_library::SparseLibrary;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::ufunc::apply;

/// Steps of iterative refinement, at most.
const STEPS: usize = 3;

/// Backward errors of at most this times the precision need no refinement.
const STABLE: f64 = 1e3;

/// Factors in the memory of a library.
#[derive(Debug)]
pub(super) struct LibrarySolver {
    library: SparseLibrary,
    /// The matrix by rows, of all matrices of a batch as one block-diagonal matrix.
    rows: Sparse,
    /// True for a factorisation of one triangle of a Hermitian matrix, of which `rows` has both.
    hermitian: bool,
    /// True if solutions need a step of iterative refinement.
    pub(super) refined: bool,
}

/// Returns both triangles of a Hermitian matrix, by rows.
pub(super) fn both_triangles(lower: &Sparse) -> Result<Sparse> {
    let across = lower.triangle(-1, false)?.transpose(None)?.to_format(Format::Csr)?;
    let across = across.with_data(&conjugated(&across.data())?)?;
    lower.to_format(Format::Csr)?.binary("add", &across)
}

fn magnitude(a: &Array) -> Result<Array> {
    apply("absolute", [a.into()])
}

fn largest(a: &Array) -> Result<Array> {
    reduced("max", &magnitude(a)?, &Reduce::all())
}

/// Returns the distance of 1 from the next larger number of a dtype's real numbers.
pub(super) fn epsilon(dtype: DType) -> f64 {
    let single = promote_types(dtype, DType::C64) == DType::C64;
    if single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

impl LibrarySolver {
    /// Factors a matrix of the solver's dtype, the lower triangle of a Hermitian one, or the block-diagonal matrix of a
    /// batch of one pattern. Returns `None` if the device has no library, or if its pivots do not suit the matrix.
    pub(super) fn new(a: &Sparse, options: SparseOptions) -> Result<Option<LibrarySolver>> {
        let batch = options.batch;
        let n = square(a)? / batch;
        if n == 0 || i32::try_from(n).is_err() || i32::try_from(batch).is_err() {
            return Ok(None);
        }
        let rows = a.to_format(Format::Csr)?.sum_duplicates()?;
        // Libraries take no matrix without entries, which is singular.
        if rows.data().size() == 0 {
            return Ok(None);
        }
        let block = first_block(&rows, batch)?;
        let c = compressed(&block)?;
        let arrays = [c.indptr.clone(), c.indices.clone(), rows.data()];
        let Some(library) = SparseLibrary::factor(arrays, options)? else { return Ok(None) };
        let hermitian = options.structure != Structure::General;
        let rows = if hermitian { both_triangles(&rows)? } else { rows };
        Ok(LibrarySolver::of(library, rows, hermitian))
    }

    /// Returns factors of the library if it has replaced no pivot.
    fn of(library: SparseLibrary, rows: Sparse, hermitian: bool) -> Option<LibrarySolver> {
        let new = LibrarySolver { library, rows, hermitian, refined: false };
        new.has_pivots().then_some(new)
    }

    fn has_pivots(&self) -> bool {
        self.library.report.info == 0 && self.library.report.perturbed == 0
    }

    /// Solves a system with a known solution. Returns the factors if its backward error is small, and decides whether
    /// solutions need refinement. Synchronises.
    pub(super) fn checked(mut self) -> Result<Option<LibrarySolver>> {
        Ok(self.check()?.then_some(self))
    }

    fn check(&mut self) -> Result<bool> {
        let n = self.rows.shape()[0];
        let ones = make::full(self.rows.device(), &[n], 1, self.rows.dtype())?;
        let b = self.rows.matmul_dense(&ones)?;
        let problem = Problem::new(self, &b)?;
        let x = self.solve(&b, Trans::None)?;
        let residual = problem.residual(&x)?;
        let mut error = problem.backward_error(&residual, &x)?;
        let bound = STABLE * epsilon(self.rows.dtype());
        let refined = error.is_nan() || error > bound;
        if refined {
            let x = apply("add", [(&x).into(), (&self.solve(&residual, Trans::None)?).into()])?;
            error = problem.backward_error(&problem.residual(&x)?, &x)?;
        }
        self.refined = refined;
        Ok(error <= bound)
    }

    /// Factors other values of the pattern. Returns false if the library's pivots do not suit them. Synchronises.
    pub(super) fn refactor(&mut self, a: &Sparse) -> Result<bool> {
        let rows = a.to_format(Format::Csr)?;
        self.library.refactor(rows.data())?;
        self.rows = if self.hermitian { both_triangles(&rows)? } else { rows };
        Ok(self.has_pivots() && self.check()?)
    }

    /// Returns the number of entries of the factors.
    pub(super) fn entries(&self) -> usize {
        self.library.report.entries.try_into().unwrap_or(0)
    }

    /// Returns the numbers of positive and of negative pivots of a Hermitian matrix, if the library has counted all.
    pub(super) fn inertia(&self) -> Option<[usize; 2]> {
        let counts = self.library.report.inertia?.map(|count| usize::try_from(count).ok());
        let counts = [counts[0]?, counts[1]?];
        (counts[0].checked_add(counts[1]) == Some(self.rows.shape()[0])).then_some(counts)
    }

    /// Returns the matrix by rows.
    pub(super) fn rows(&self) -> &Sparse {
        &self.rows
    }

    /// Solves for a vector or a matrix of the dtype of the factors, of one row or more, without refinement.
    pub(super) fn solve(&self, b: &Array, trans: Trans) -> Result<Array> {
        // A Hermitian matrix is the conjugate of its transpose, and libraries have no transposed solutions for it.
        if self.hermitian && trans == Trans::Transposed && b.dtype().is_complex() {
            return conjugated(&self.solve(&conjugated(b)?, Trans::None)?);
        }
        let mode = match trans {
            Trans::Transposed if !self.hermitian => SolveMode::Transposed,
            Trans::Adjoint if !self.hermitian => SolveMode::Adjoint,
            _ => SolveMode::Normal,
        };
        let n = self.rows.shape()[0];
        // Each right-hand side is contiguous.
        let sides = b.t().copy(Order::C)?.reshape([b.size() / n, n])?;
        let x = make::empty(b.device(), sides.shape(), b.dtype())?;
        self.library.solve(mode, &sides, &x)?;
        if b.ndim() == 1 { x.reshape(b.shape()) } else { x.t().copy(Order::C) }
    }

    /// Solves for a vector or a matrix, and refines the solution while its backward error falls. Returns `None` if it
    /// remains above 100 n eps. Synchronises.
    pub(super) fn solve_refined(&self, b: &Array) -> Result<Option<Array>> {
        let (n, eps) = (self.rows.shape()[0], epsilon(self.rows.dtype()));
        let problem = Problem::new(self, b)?;
        let mut x = self.solve(b, Trans::None)?;
        let mut r = problem.residual(&x)?;
        let mut best = problem.backward_error(&r, &x)?;
        for _ in 0..STEPS {
            if best <= eps || !best.is_finite() {
                break;
            }
            let next = apply("add", [(&x).into(), (&self.solve(&r, Trans::None)?).into()])?;
            let next_r = problem.residual(&next)?;
            let next_error = problem.backward_error(&next_r, &next)?;
            let halved = next_error <= best / 2.0;
            if next_error < best {
                (x, r, best) = (next, next_r, next_error);
            }
            if !halved {
                break;
            }
        }
        // NaN is not below the bound.
        Ok((best <= 100.0 * n as f64 * eps).then_some(x))
    }
}

/// A system of equations whose solutions are checked.
struct Problem<'a> {
    rows: &'a Sparse,
    b: &'a Array,
    /// The norms of the matrix and of the right-hand sides: arrays of no axes.
    norms: [Array; 2],
}

impl Problem<'_> {
    fn new<'a>(factors: &'a LibrarySolver, b: &'a Array) -> Result<Problem<'a>> {
        let rows = &factors.rows;
        let sums = rows.with_data(&magnitude(&rows.data())?)?.reduce("sum", Some(1), None)?;
        Ok(Problem { rows, b, norms: [largest(&sums)?, largest(b)?] })
    }

    fn residual(&self, x: &Array) -> Result<Array> {
        apply("subtract", [self.b.into(), (&self.rows.matmul_dense(x)?).into()])
    }

    /// Returns the largest residual over `|A| |x| + |b|`; 0 where both are. Synchronises.
    fn backward_error(&self, residual: &Array, x: &Array) -> Result<f64> {
        let [norm, of_sides] = &self.norms;
        let product = apply("multiply", [norm.into(), (&largest(x)?).into()])?;
        let (above, below) = (largest(residual)?, apply("add", [(&product).into(), of_sides.into()])?);
        let ratio = apply("divide", [(&above).into(), (&below).into()])?;
        let is_zero = apply("equal", [(&above).into(), 0.into()])?;
        let ratio = apply("where", [(&is_zero).into(), (&above).into(), (&ratio).into()])?;
        ratio.cast(DType::F64, Order::C)?.item::<f64>()
    }
}

/// Returns the error of a solution whose backward error is large.
pub(super) fn singular(error: f64) -> Error {
    let message =
        format!("the matrix is singular to working precision: the backward error of the solution is {error:e}");
    Error::new(ErrorKind::LinAlg, message)
}

#[cfg(test)]
mod tests {
    use cuprum_direct::{Lu, LuOptions, Matrix};

    use super::super::super_lu::SuperLu;
    use super::*;
    use crate::cuda::Device;
    use crate::driver::StreamHandle;
    use crate::driver::sparse_direct::Method;
    use crate::driver::sparse_library::{self, SparseReport, SparseStep};

    /// A value for which the library replaces a pivot.
    const SMALL: f64 = 1e-30;

    /// A library whose factorisation runs on the host, and whose solutions are multiples of the right ones.
    #[derive(Debug)]
    struct HostLibrary {
        device: Device,
        /// The addresses of pointers, columns and values.
        arrays: [u64; 3],
        size: usize,
        entries: usize,
        /// The factors of the matrix and of its transpose.
        factors: Option<[Lu<f64>; 2]>,
        scale: f64,
        report: SparseReport,
    }

    impl HostLibrary {
        fn read<T: bytemuck::Pod>(&self, at: u64, count: usize, stream: StreamHandle) -> Result<Vec<T>> {
            let mut bytes = vec![0; count * size_of::<T>()];
            // SAFETY: the addresses are those of live arrays of this size.
            unsafe { self.device.driver()?.download(&mut bytes, at, stream) }?;
            Ok(bytemuck::pod_collect_to_vec(&bytes))
        }

        fn factor(&mut self, stream: StreamHandle) -> Result<()> {
            let n = self.size;
            let ends: Vec<i32> = self.read(self.arrays[0], n + 1, stream)?;
            let columns: Vec<i32> = self.read(self.arrays[1], self.entries, stream)?;
            let values: Vec<f64> = self.read(self.arrays[2], self.entries, stream)?;
            let dense = [true, false].map(|by_columns| {
                let mut dense = vec![0.0; n * n];
                for row in 0..n {
                    for k in ends[row] as usize..ends[row + 1] as usize {
                        let column = columns[k] as usize;
                        dense[if by_columns { column * n + row } else { row * n + column }] = values[k];
                    }
                }
                dense
            });
            let pointers: Vec<usize> = (0..=n).map(|j| j * n).collect();
            let rows: Vec<u32> = (0..n * n).map(|k| (k % n) as u32).collect();
            self.factors = Some(dense.map(|values| {
                let a = Matrix { pointers: &pointers, rows: &rows, values: &values };
                Lu::new(a, &LuOptions::default()).unwrap()
            }));
            if values.contains(&SMALL) {
                self.report.perturbed = 1;
            }
            Ok(())
        }
    }

    impl sparse_library::LibraryFactors for HostLibrary {
        unsafe fn run(&mut self, step: SparseStep, stream: StreamHandle) -> Result<()> {
            match step {
                SparseStep::Factor => self.factor(stream)?,
                SparseStep::Refactor(values) => {
                    self.arrays[2] = values;
                    self.factor(stream)?;
                }
                SparseStep::Solve { mode, b, x, columns } => {
                    let mut sides: Vec<f64> = self.read(b, self.size * columns, stream)?;
                    let factors = &self.factors.as_ref().unwrap()[usize::from(mode != SolveMode::Normal)];
                    sides.chunks_exact_mut(self.size).for_each(|side| factors.solve(side));
                    sides.iter_mut().for_each(|x| *x *= self.scale);
                    // SAFETY: as above.
                    unsafe { self.device.driver()?.upload(x, bytemuck::cast_slice(&sides), stream) }?;
                }
                SparseStep::Analyse => {}
            }
            Ok(())
        }

        fn report(&mut self) -> Result<SparseReport> {
            Ok(self.report)
        }
    }

    /// A matrix of which the first value can be chosen.
    fn matrix(first: f64) -> Result<Sparse> {
        let dense = crate::array([[first, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 1.0, 5.0]])?;
        Sparse::from_dense(&dense, Format::Csr)
    }

    fn factors(rows: &Sparse, scale: f64, report: SparseReport) -> Result<Option<LibrarySolver>> {
        let c = compressed(rows)?;
        let arrays = [c.indptr.clone(), c.indices.clone(), c.data.clone()];
        let addresses = [0, 1, 2].map(|k: usize| arrays[k].addr());
        let (device, entries) = (rows.device(), arrays[2].size());
        let fake = HostLibrary { device, arrays: addresses, size: 3, entries, factors: None, scale, report };
        Ok(LibrarySolver::of(SparseLibrary::with(device, arrays, Box::new(fake))?, rows.clone(), false))
    }

    #[test]
    fn solutions_are_refined_and_checked() -> Result<()> {
        let rows = matrix(7.0)?;
        let report = SparseReport::default();
        // Of the solutions [1, 1, 1] and [2, 0, -1].
        let b = crate::array([[9.0, 14.0], [4.0, -1.0], [6.0, -5.0]])?;
        for scale in [1.0, 1.0 + 1e-7] {
            let x = factors(&rows, scale, report)?.unwrap().solve_refined(&b)?.unwrap().to_vec::<f64>()?;
            for (x, want) in x.iter().zip([1.0, 2.0, 1.0, 0.0, 1.0, -1.0]) {
                assert!((x - want).abs() < 4e-15, "{x} {want}");
            }
        }
        let one = crate::array([9.0, 4.0, 6.0])?;
        assert_eq!(factors(&rows, 1.0, report)?.unwrap().solve_refined(&one)?.unwrap().shape(), [3]);
        for scale in [0.0, f64::NAN] {
            assert!(factors(&rows, scale, report)?.unwrap().solve_refined(&one)?.is_none());
            assert!(factors(&rows, scale, report)?.unwrap().checked()?.is_none());
        }
        let refined = factors(&rows, 1.0 + 1e-10, report)?.unwrap().checked()?.unwrap();
        assert!(refined.refined && !factors(&rows, 1.0, report)?.unwrap().checked()?.unwrap().refined);
        assert!(factors(&rows, 1.0, SparseReport { perturbed: 2, ..report })?.is_none());
        assert!(factors(&rows, 1.0, SparseReport { info: 3, ..report })?.is_none());
        Ok(())
    }

    /// The signs of a library's pivots are used if there is one for each row.
    #[test]
    fn pivots_of_a_hermitian_matrix_are_counted() -> Result<()> {
        let rows = matrix(7.0)?;
        for (inertia, want) in [
            (Some([2, 1]), Some([2, 1])),
            (Some([2, 0]), None),
            (Some([-1, 4]), None),
            (Some([i64::MAX, i64::MAX]), None),
            (None, None),
        ] {
            let report = SparseReport { inertia, ..SparseReport::default() };
            assert_eq!(factors(&rows, 1.0, report)?.unwrap().inertia(), want);
        }
        Ok(())
    }

    fn close(x: &Array, want: &[f64]) -> Result<()> {
        let x = x.to_vec::<f64>()?;
        assert!(x.len() == want.len() && x.iter().zip(want).all(|(x, want)| (x - want).abs() < 1e-14), "{x:?}");
        Ok(())
    }

    /// The factors of a library solve; those of the host are computed when they are read, and where the library's pivots
    /// do not suit other values.
    #[test]
    fn factors_of_a_library_are_those_of_splu() -> Result<()> {
        let rows = matrix(7.0)?;
        let report = SparseReport { entries: 100, ..SparseReport::default() };
        for scale in [1.0, 1.0 + 1e-10] {
            let library = factors(&rows, scale, report)?.unwrap().checked()?;
            let mut lu = SuperLu::with(rows.to_format(Format::Csc)?, Method::Lu(LuOptions::default()), 1, library)?;
            close(&lu.solve(&crate::array([9.0, 4.0, 6.0])?, Trans::None)?, &[1.0; 3])?;
            for trans in [Trans::Transposed, Trans::Adjoint] {
                close(&lu.solve(&crate::array([8.0, 3.0, 8.0])?, trans)?, &[1.0; 3])?;
            }
            assert!(lu.nnz() == 100 && !super::super::LinearOperator::is_capturable(&lu));
            let product = lu.lower()?.matmul(&lu.upper()?)?.to_dense(())?.to_vec::<f64>()?;
            let (r, c) = (lu.perm_r()?.to_vec::<i32>()?, lu.perm_c()?.to_vec::<i32>()?);
            let dense = rows.to_dense(())?.to_vec::<f64>()?;
            for (k, want) in dense.iter().enumerate() {
                let at = r[k / 3] as usize * 3 + c[k % 3] as usize;
                assert!((product[at] - want).abs() < 1e-14);
            }
            lu.refactor(&matrix(3.0)?)?;
            assert_eq!(lu.nnz(), 100);
            close(&lu.solve(&crate::array([5.0, 4.0, 6.0])?, Trans::None)?, &[1.0; 3])?;
            lu.refactor(&matrix(SMALL)?)?;
            assert!(lu.nnz() < 100);
            close(&lu.solve(&crate::array([2.0, 4.0, 6.0])?, Trans::None)?, &[1.0; 3])?;
            lu.refactor(&matrix(1.0)?)?;
            close(&lu.solve(&crate::array([3.0, 4.0, 6.0])?, Trans::None)?, &[1.0; 3])?;
        }
        Ok(())
    }

    #[test]
    fn hermitian_matrices_are_checked_by_both_triangles() -> Result<()> {
        let lower = Sparse::from_dense(&crate::array([[4.0, 0.0], [1.0, 3.0]])?, Format::Csc)?;
        assert_eq!(both_triangles(&lower)?.to_dense(())?.to_vec::<f64>()?, [4.0, 1.0, 1.0, 3.0]);
        Ok(())
    }
}
