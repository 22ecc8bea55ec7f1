//! Solutions by a library of the device, cuDSS, which is optional.
//!
//! The library replaces small pivots instead of failing, so the backward error of each solution is computed on the
//! device, and the solution is refined.

use cuprum_kernels::DType;

use super::super::{Format, Sparse};
use super::triangular::{compressed, square};
use crate::array::Array;
use crate::driver::sparse_library::SolveMode;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::engine::sparse_library::SparseLibrary;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::ufunc::apply;

/// Steps of iterative refinement, at most.
const STEPS: usize = 3;

/// Solves systems of equations in the dtype of the matrix, to which that of `b` is cast. Returns `None` if the device
/// has no library.
pub(super) fn solve(a: &Sparse, b: &Array) -> Result<Option<Array>> {
    let n = square(a)?;
    if b.size() == 0 || i32::try_from(n).is_err() {
        return Ok(None);
    }
    let rows = a.to_format(Format::Csr)?.sum_duplicates()?;
    let c = compressed(&rows)?;
    // Libraries take no matrix without entries, which is singular.
    if c.data.size() == 0 {
        return Ok(None);
    }
    match SparseLibrary::factor([c.indptr.clone(), c.indices.clone(), c.data.clone()], false)? {
        Some(library) => refined(&library, &rows, b).map(Some),
        None => Ok(None),
    }
}

fn magnitude(a: &Array) -> Result<Array> {
    apply("absolute", [a.into()])
}

fn largest(a: &Array) -> Result<Array> {
    reduced("max", &magnitude(a)?, &Reduce::all())
}

/// Solves for right-hand sides with the factors of a library, and refines the solution while its backward error falls.
fn refined(library: &SparseLibrary, rows: &Sparse, b: &Array) -> Result<Array> {
    let report = library.report;
    if report.info != 0 {
        return Err(singular(&format!("pivot {} of the factorisation is zero", report.info)));
    }
    if report.perturbed != 0 {
        return Err(singular(&format!("{} pivots are rounding errors", report.perturbed)));
    }
    let n = rows.shape()[0];
    // Each right-hand side is contiguous.
    let sides = b.t().copy(Order::C)?.reshape([b.size() / n, n])?;
    let solved = |sides: &Array| {
        let x = make::empty(sides.device(), sides.shape(), sides.dtype())?;
        library.solve(SolveMode::Normal, sides, &x).map(|()| x)
    };
    let sums = rows.with_data(&magnitude(&rows.data())?)?.reduce("sum", Some(1), None)?;
    let (norm, of_sides) = (largest(&sums)?, largest(&sides)?);
    let residual = |x: &Array| {
        let product = rows.matmul_dense(&x.t().copy(Order::C)?)?;
        apply("subtract", [(&sides).into(), (&product.t()).into()])?.copy(Order::C)
    };
    // The largest residual over |A| |x| + |b|; 0 where both are.
    let error = |r: &Array, x: &Array| {
        let size =
            apply("add", [(&apply("multiply", [(&norm).into(), (&largest(x)?).into()])?).into(), (&of_sides).into()])?;
        let (above, below) = (largest(r)?, size);
        let ratio = apply("divide", [(&above).into(), (&below).into()])?;
        let ratio =
            apply("where", [(&apply("equal", [(&above).into(), 0.into()])?).into(), (&above).into(), (&ratio).into()])?;
        ratio.cast(DType::F64, Order::C)?.item::<f64>()
    };
    let single = promote_types(rows.dtype(), DType::C64) == DType::C64;
    let eps = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut x = solved(&sides)?;
    let mut r = residual(&x)?;
    let mut best = error(&r, &x)?;
    for _ in 0..STEPS {
        if best <= eps || !best.is_finite() {
            break;
        }
        let next = apply("add", [(&x).into(), (&solved(&r)?).into()])?;
        let next_r = residual(&next)?;
        let next_error = error(&next_r, &next)?;
        let halved = next_error <= best / 2.0;
        if next_error < best {
            (x, r, best) = (next, next_r, next_error);
        }
        if !halved {
            break;
        }
    }
    // NaN is not below the bound.
    if best <= 100.0 * n as f64 * eps {
        let x = if b.ndim() == 1 { x.reshape(b.shape())? } else { x.t().copy(Order::C)? };
        return Ok(x);
    }
    Err(singular(&format!("the backward error of the solution is {best:e}")))
}

fn singular(why: &str) -> Error {
    Error::new(ErrorKind::LinAlg, format!("the matrix is singular to working precision: {why}"))
}

#[cfg(test)]
mod tests {
    use cuprum_direct::{Lu, LuOptions, Matrix};

    use super::*;
    use crate::cuda::Device;
    use crate::driver::StreamHandle;
    use crate::driver::sparse_library::{LibraryFactors, SparseReport, SparseStep};

    /// A library whose factorisation runs on the host, and whose solutions are multiples of the right ones.
    #[derive(Debug)]
    struct HostLibrary {
        device: Device,
        /// The addresses of pointers, columns and values.
        arrays: [u64; 3],
        size: usize,
        entries: usize,
        factors: Option<Lu<f64>>,
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
    }

    impl LibraryFactors for HostLibrary {
        unsafe fn run(&mut self, step: SparseStep, stream: StreamHandle) -> Result<()> {
            let n = self.size;
            match step {
                SparseStep::Factor => {
                    let ends: Vec<i32> = self.read(self.arrays[0], n + 1, stream)?;
                    let columns: Vec<i32> = self.read(self.arrays[1], self.entries, stream)?;
                    let values: Vec<f64> = self.read(self.arrays[2], self.entries, stream)?;
                    let mut dense = vec![0.0; n * n];
                    for row in 0..n {
                        for k in ends[row] as usize..ends[row + 1] as usize {
                            dense[columns[k] as usize * n + row] = values[k];
                        }
                    }
                    let pointers: Vec<usize> = (0..=n).map(|j| j * n).collect();
                    let rows: Vec<u32> = (0..n * n).map(|k| (k % n) as u32).collect();
                    let a = Matrix { pointers: &pointers, rows: &rows, values: &dense };
                    self.factors = Some(Lu::new(a, &LuOptions::default()).unwrap());
                }
                SparseStep::Solve { mode, b, x, columns } => {
                    assert_eq!(mode, SolveMode::Normal);
                    let mut sides: Vec<f64> = self.read(b, n * columns, stream)?;
                    let factors = self.factors.as_ref().unwrap();
                    sides.chunks_exact_mut(n).for_each(|side| factors.solve(side));
                    sides.iter_mut().for_each(|x| *x *= self.scale);
                    // SAFETY: as above.
                    unsafe { self.device.driver()?.upload(x, bytemuck::cast_slice(&sides), stream) }?;
                }
                SparseStep::Analyse | SparseStep::Refactor(_) => {}
            }
            Ok(())
        }

        fn report(&mut self) -> Result<SparseReport> {
            Ok(self.report)
        }
    }

    fn solved(scale: f64, report: SparseReport, b: &Array) -> Result<Array> {
        let dense = crate::array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 1.0, 5.0]])?;
        let rows = Sparse::from_dense(&dense, Format::Csr)?;
        let c = compressed(&rows)?;
        let arrays = [c.indptr.clone(), c.indices.clone(), c.data.clone()];
        let addresses = [0, 1, 2].map(|k: usize| arrays[k].addr());
        let (device, entries) = (rows.device(), arrays[2].size());
        let fake = HostLibrary { device, arrays: addresses, size: 3, entries, factors: None, scale, report };
        refined(&SparseLibrary::with(device, arrays, Box::new(fake))?, &rows, b)
    }

    #[test]
    fn solutions_are_refined_and_checked() -> Result<()> {
        // Of the solutions [1, 1, 1] and [2, 0, -1].
        let b = crate::array([[2.0, 0.0], [4.0, -1.0], [6.0, -5.0]])?;
        for scale in [1.0, 1.0 + 1e-7] {
            let x = solved(scale, SparseReport::default(), &b)?.to_vec::<f64>()?;
            for (x, want) in x.iter().zip([1.0, 2.0, 1.0, 0.0, 1.0, -1.0]) {
                assert!((x - want).abs() < 4e-15, "{x} {want}");
            }
        }
        let one = crate::array([2.0, 4.0, 6.0])?;
        assert_eq!(solved(1.0, SparseReport::default(), &one)?.shape(), [3]);
        let error = |scale, report| {
            let e = solved(scale, report, &one).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::LinAlg);
            assert!(e.message().starts_with("the matrix is singular to working precision: "), "{e}");
            e.message().to_owned()
        };
        assert!(error(0.0, SparseReport::default()).ends_with("the backward error of the solution is 1e0"));
        assert!(error(f64::NAN, SparseReport::default()).ends_with("is NaN"));
        assert!(
            error(1.0, SparseReport { perturbed: 2, ..SparseReport::default() })
                .ends_with("2 pivots are rounding errors")
        );
        assert!(error(1.0, SparseReport { info: 3, ..SparseReport::default() }).contains("pivot 3 "));
        Ok(())
    }
}
