use super::krylov::norm;
use super::*;
use crate::array::Array;

type Solver = fn(&dyn LinearOperator, &Array, SolverOptions<'_>) -> Result<Solution>;

/// A matrix of three diagonals: symmetric for `skew` 0, indefinite for a `diagonal` below 2.
fn tridiagonal(n: usize, diagonal: f64, skew: f64) -> Result<Array> {
    let value = |i: usize| match (i / n) as i64 - (i % n) as i64 {
        0 => diagonal,
        1 => -1.0 - skew,
        -1 => -1.0 + skew,
        _ => 0.0,
    };
    Array::from_slice(&(0..n * n).map(value).collect::<Vec<_>>(), [n, n])
}

fn right_side(n: usize) -> Result<Array> {
    Array::from_slice(&(0..n).map(|i| (i as f64).sin()).collect::<Vec<_>>(), [n])
}

fn true_residual(a: &dyn LinearOperator, x: &Array, b: &Array) -> Result<f64> {
    norm(&apply("subtract", [b.into(), (&a.matvec(x)?).into()])?)?.item()
}

/// Products without a capture.
#[derive(Debug)]
struct StepByStep(Sparse);

impl LinearOperator for StepByStep {
    fn shape(&self) -> [usize; 2] {
        self.0.matrix_shape()
    }

    fn dtype(&self) -> DType {
        self.0.dtype()
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        self.0.matmul_dense(v)
    }
}

/// Solutions have small true residuals, iterations are counted, and a right side that is not finite is no success.
#[test]
fn conjugate_gradients_report_the_true_residual() -> Result<()> {
    let n = 50_usize;
    let a = Sparse::from_dense(&tridiagonal(n, 2.1, 0.0)?, Format::Csr)?;
    let b = right_side(n)?;
    for dtype in [DType::F32, DType::F64, DType::C128] {
        let rtol = if dtype == DType::F32 { 1e-4 } else { 1e-10 };
        let (a, b) = (a.astype(dtype)?, b.astype(dtype)?);
        let solution = cg(&a, &b, SolverOptions { rtol, ..SolverOptions::default() })?;
        let bound = rtol * norm(&b)?.item::<f64>()?;
        assert!(solution.info == 0 && true_residual(&a, &solution.x, &b)? <= bound, "{dtype}");
        let short = cg(&a, &b, SolverOptions { rtol: 1e-6, maxiter: Some(3), ..SolverOptions::default() })?;
        assert_eq!(short.info, 3);
        let steps = cg(&StepByStep(a.clone()), &b, SolverOptions { rtol, ..SolverOptions::default() })?;
        assert!(steps.info == 0 && steps.x.to_vec::<f64>().ok() == solution.x.to_vec::<f64>().ok(), "{dtype}");
    }
    let nan = apply("multiply", [(&b).into(), f64::NAN.into()])?;
    assert!(cg(&a, &nan, SolverOptions::default())?.info > 0);
    Ok(())
}

/// All methods solve systems of sparse and dense matrices, with a preconditioner and without.
#[test]
fn methods_solve_with_preconditioners() -> Result<()> {
    let (n, b) = (40_usize, right_side(40)?);
    let bound = 1e-9 * norm(&b)?.item::<f64>()?;
    let methods: [(Solver, f64, f64); 5] = [
        (|a, b, o| cg(a, b, o), 2.5, 0.0),
        (|a, b, o| bicg(a, b, o), 2.5, 0.3),
        (|a, b, o| cgs(a, b, o), 2.5, 0.3),
        (|a, b, o| bicgstab(a, b, o), 2.5, 0.3),
        (|a, b, o| minres(a, b, o), 1.3, 0.0),
    ];
    for (k, (solver, diagonal, skew)) in methods.into_iter().enumerate() {
        let dense = tridiagonal(n, diagonal, skew)?;
        let a = Sparse::from_dense(&dense, if k % 2 == 0 { Format::Csr } else { Format::Csc })?;
        let scales: Vec<f64> = (0..n * n).map(|i| if i / n == i % n { 1.0 + (i % 3) as f64 } else { 0.0 }).collect();
        let m = Sparse::from_dense(&Array::from_slice(&scales, [n, n])?, Format::Csr)?;
        let options = SolverOptions { rtol: 1e-9, ..SolverOptions::default() };
        for (operator, m) in [(&a as &dyn LinearOperator, None), (&a, Some(&m as &dyn LinearOperator)), (&dense, None)]
        {
            let solution = solver(operator, &b, SolverOptions { m, ..options })?;
            assert_eq!(solution.info, 0, "method {k}, preconditioned {}", m.is_some());
            assert!(true_residual(operator, &solution.x, &b)? <= bound, "method {k}");
        }
    }
    // A preconditioner that is not positive definite, and a breakdown: the first product with the shadow residual is zero.
    let a = Sparse::from_dense(&tridiagonal(n, 2.5, 0.0)?, Format::Csr)?;
    let minus = a.astype(DType::F64)?.with_data(&apply("negative", [(&a.data()).into()])?)?;
    let e = minres(&a, &b, SolverOptions { m: Some(&minus), ..SolverOptions::default() }).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Value);
    let skew = crate::array([[0.0, 1.0], [-1.0, 0.0]])?;
    assert_eq!(bicg(&skew, &crate::array([1.0, 0.0])?, SolverOptions::default())?.info, -11);
    Ok(())
}

/// The host looks after 1,024 iterations, whether they are captured or not; their number is the same.
#[test]
fn long_iterations_are_continued() -> Result<()> {
    let n = 300;
    let values: Vec<f64> = (0..n).map(|i| 1.04_f64.powi(i)).collect();
    let a = Sparse::dia(&Array::from_slice(&values, [1, n as usize])?, &crate::array([0])?, [n as usize; 2])?;
    let (a, b) = (a.to_format(Format::Csr)?, crate::ones(n as usize, DType::F64)?);
    let options = SolverOptions { rtol: 1e-13, maxiter: Some(1100), ..SolverOptions::default() };
    let (one, other) = (cg(&a, &b, options)?, cg(&StepByStep(a.clone()), &b, options)?);
    assert_eq!((one.info, one.x.to_vec::<f64>()?), (other.info, other.x.to_vec::<f64>()?));
    Ok(())
}

/// Factors are preconditioners whose products are captured, solve transposed systems, and those of another matrix of
/// the pattern.
#[test]
fn factors_solve_and_precondition() -> Result<()> {
    let n = 60;
    let dense = tridiagonal(n, 2.5, 0.3)?;
    let (a, b) = (Sparse::from_dense(&dense, Format::Csr)?, right_side(n)?);
    let bound = 1e-13 * norm(&b)?.item::<f64>()?;
    let mut lu = splu(&a, FactorOptions::default())?;
    for (trans, matrix) in [(Trans::None, a.clone()), (Trans::Transposed, a.transpose(None)?)] {
        assert!(true_residual(&matrix, &lu.solve(&b, trans)?, &b)? <= bound);
        let wide = crate::array([[1.0, 2.0]])?.broadcast_to_shape(&[n, 2])?;
        assert_eq!(lu.solve(&wide, trans)?.shape(), [n, 2]);
    }
    assert!(true_residual(&a, &spsolve(&a, &b, FactorOptions::default())?, &b)? <= bound);
    let ilu = spilu(&a, IncompleteOptions { drop_tol: 0.1, ..IncompleteOptions::default() })?;
    assert!(ilu.nnz() <= lu.nnz() && ilu.is_capturable());
    let options = SolverOptions { rtol: 1e-10, m: Some(&ilu), ..SolverOptions::default() };
    assert_eq!(bicgstab(&a, &b, options)?.info, 0);
    let exact = SolverOptions { rtol: 1e-10, m: Some(&lu), maxiter: Some(2), ..SolverOptions::default() };
    assert_eq!(bicg(&a, &b, exact)?.info, 0);
    lu.refactor(&a.binary("add", &a)?)?;
    let half = apply("multiply", [(&lu.solve(&b, Trans::None)?).into(), 2.0.into()])?;
    assert!(true_residual(&a, &half, &b)? <= bound);
    let e = lu.refactor(&Sparse::eye([n, n], 0, DType::F64, Format::Csr, a.device())?).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("pattern"));
    let inverse = inv(&a)?.matmul_dense(&b)?;
    assert!(true_residual(&a, &inverse, &b)? <= 10.0 * bound);
    assert_eq!(cholesky(&a.binary("subtract", &a.binary("add", &a)?)?).unwrap_err().kind(), ErrorKind::LinAlg);
    Ok(())
}
