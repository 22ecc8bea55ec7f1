//! Eigenvalues of matrices whose spectra are known.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::filtered::{Filterable, filtered};
use super::krylov_schur::{Krylov, Search};
use super::small::{adjoint, column_norms, real, rounding};
use super::*;
use crate::routines::linalg::matmul;
use crate::scipy::sparse::linalg::ChebyshevFilter;
use crate::ufunc::apply;

/// The five-point Laplacian of a square grid minus a multiple of the identity, by a diagonal unitary matrix if it is
/// complex, and its eigenvalues in ascending order. Most are double.
fn grid(side: usize, shift: f64, dtype: DType) -> Result<(Sparse, Vec<f64>)> {
    let device = Device::current()?;
    let ones = crate::ones(side, DType::F64)?;
    let band = |value: f64| apply("multiply", [(&ones).into(), value.into()]);
    let (below, middle) = (band(-1.0)?.index(crate::s![1..])?, band(2.0)?);
    let line = Sparse::diagonals(&[(&below, -1), (&middle, 0), (&below, 1)], [side, side])?;
    let plane = line.kronsum(&line)?;
    let n = side * side;
    let unit = Sparse::eye([n, n], 0, DType::F64, Format::Csr, device)?;
    let unit = unit.with_data(&apply("multiply", [(&unit.data()).into(), shift.into()])?)?;
    let mut matrix = plane.to_format(Format::Csr)?.binary("subtract", &unit)?.astype(dtype)?;
    if dtype.is_complex() {
        let phases: Vec<Complex64> = (0..n).map(|k| Complex64::cis(k as f64)).collect();
        let turn = |conjugate: bool| {
            let phases: Vec<Complex64> = phases.iter().map(|z| if conjugate { z.conj() } else { *z }).collect();
            Sparse::diagonals(&[(&Array::from_slice(&phases, [n])?.astype(dtype)?, 0)], [n, n])?.to_format(Format::Csr)
        };
        matrix = turn(false)?.matmul(&matrix)?.matmul(&turn(true)?)?;
    }
    let one = |k: usize| 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (side + 1) as f64).cos();
    let mut values: Vec<f64> = (0..n).map(|k| one(k / side) + one(k % side) - shift).collect();
    values.sort_by(f64::total_cmp);
    Ok((matrix, values))
}

fn ordered(values: &[f64], which: Which, k: usize) -> Vec<f64> {
    let complex: Vec<Complex64> = values.iter().map(|&w| w.into()).collect();
    let mut wanted: Vec<f64> = which.rank(&complex)[..k].iter().map(|&k| values[k]).collect();
    wanted.sort_by(f64::total_cmp);
    wanted
}

/// Checks eigenvalues, the norms of residuals and the orthogonality of vectors, all in units of rounding times the norm.
fn check(a: &Sparse, found: &Eigenpairs, wanted: &[f64], units: f64) -> Result<()> {
    let size = wanted.iter().fold(1.0, |size: f64, w| size.max(w.abs()));
    let bound = units * rounding(a.dtype()) * size;
    assert_eq!(found.info, 0);
    assert_eq!(found.vectors.dtype(), a.dtype());
    assert_eq!(found.values.dtype(), real(a.dtype()));
    let values = found.values.astype(DType::F64)?.to_vec::<f64>()?;
    assert_eq!(values.len(), wanted.len());
    for (w, wanted) in values.iter().zip(wanted) {
        assert!((w - wanted).abs() <= bound, "{w} {wanted} {bound}");
    }
    let scaled = apply("multiply", [(&found.vectors).into(), (&found.values).into()])?;
    let residual = apply("subtract", [(&a.matmul_dense(&found.vectors)?).into(), (&scaled).into()])?;
    assert!(column_norms(&residual)?.iter().all(|r| *r <= bound), "{:?} {bound}", column_norms(&residual)?);
    let products = matmul(adjoint(&found.vectors)?, &found.vectors)?;
    let unit = crate::eye(wanted.len(), ())?.astype(a.dtype())?;
    let difference = apply("subtract", [(&products).into(), (&unit).into()])?;
    assert!(column_norms(&difference)?.iter().all(|d| *d <= units * rounding(a.dtype())));
    Ok(())
}

#[test]
fn eigenvalues_at_each_end_of_a_spectrum_with_double_ones() -> Result<()> {
    let (a, values) = grid(11, 3.9, DType::F64)?;
    for (which, k) in [(Which::LM, 3), (Which::LA, 3), (Which::SA, 2), (Which::BE, 3)] {
        let found = eigsh(&a, k, EigshOptions { which, ..Default::default() })?;
        check(&a, &found, &ordered(&values, which, k), 2e3)?;
    }
    let near = EigshOptions { sigma: Some(0.21), ..Default::default() };
    let found = eigsh(&a, 3, near)?;
    let mut wanted = values.clone();
    wanted.sort_by(|x, y| (x - 0.21).abs().total_cmp(&(y - 0.21).abs()));
    wanted.truncate(3);
    wanted.sort_by(f64::total_cmp);
    check(&a, &found, &wanted, 2e3)?;
    let dense = eigsh(&a.to_dense(())?, 2, EigshOptions { which: Which::SA, ..Default::default() })?;
    check(&a, &dense, &values[..2], 2e3)
}

#[test]
fn all_members_of_a_cluster_are_found() -> Result<()> {
    let n = 120;
    let value = |k: usize| if k % 24 == 5 { 3.0 } else { k as f64 / n as f64 };
    let diagonal = Array::from_slice(&(0..n).map(value).collect::<Vec<_>>(), [n])?;
    let a = Sparse::diagonals(&[(&diagonal, 0)], [n, n])?;
    let found = eigsh(&a, 5, EigshOptions { which: Which::LA, ..Default::default() })?;
    check(&a, &found, &[3.0; 5], 2e3)
}

#[test]
fn filtered_subspaces_have_the_wanted_eigenvalues() -> Result<()> {
    let cases = [(Which::LA, 0.0, DType::F32), (Which::SA, 0.0, DType::C128), (Which::LM, 4.0, DType::F64)];
    for (which, shift, dtype) in cases {
        let (a, values) = grid(12, shift, dtype)?;
        let (n, k) = (a.shape()[0], 5);
        let mut krylov = Krylov::new(&a, dtype, true, 40, k)?;
        let search = Search { count: k, which, tol: 0.0, maxiter: 1 };
        let first = krylov.run(&start(None, n, dtype, 0)?, search, None)?;
        let of = Filterable { matrix: &a, outer: None };
        let found = filtered(&krylov, &first.vectors, of, search, 100_000)?.expect("filters converge");
        assert!(found.all_converged());
        let order = Which::SA.rank(&found.values);
        let values_found: Vec<f64> = order.iter().map(|&k| found.values[k].re).collect();
        let vectors = super::small::rows(&found.vectors, &order)?.t();
        let values_found = Array::from_slice(&values_found, [k])?.astype(real(dtype))?;
        let pairs = Eigenpairs { values: values_found, vectors, info: 0 };
        check(&a, &pairs, &ordered(&values, which, k), 2e2)?;
    }
    Ok(())
}

#[test]
fn filters_have_the_interval_of_the_unwanted_eigenvalues() -> Result<()> {
    let (a, _) = grid(3, 0.0, DType::F64)?;
    assert!(ChebyshevFilter::new(&a, None, 1)?.run(9, [1.0, 1.0]).is_err());
    Ok(())
}

#[test]
fn general_matrices_have_complex_eigenvalues() -> Result<()> {
    let n = 110;
    // Blocks of two rows with eigenvalues r exp(+-i t), and one real eigenvalue that is the largest.
    let modulus = |block: usize| 1.03f64.powi(block as i32);
    // In no order, so that real parts are distinct, too.
    let angle = |block: usize| 0.3 + (block * 7 % (n / 2)) as f64 / 40.0;
    let mut entries = vec![0.0; n * n];
    for block in 0..n / 2 {
        let (i, z) = (2 * block, Complex64::from_polar(modulus(block), angle(block)));
        (entries[i * n + i], entries[(i + 1) * n + i + 1]) = (z.re, z.re);
        (entries[i * n + i + 1], entries[(i + 1) * n + i]) = (z.im, -z.im);
    }
    let a = Sparse::from_dense(&Array::from_slice(&entries, [n, n])?, Format::Csr)?;
    for (options, wanted) in [
        (EigsOptions::default(), Complex64::from_polar(modulus(54), angle(54))),
        (EigsOptions { which: Which::LR, ..Default::default() }, Complex64::from_polar(1.0, 0.3)),
    ] {
        // The largest real part is not that of the first block: search it.
        let all: Vec<Complex64> = (0..n / 2)
            .flat_map(|block| {
                let z = Complex64::from_polar(modulus(block), angle(block));
                [z, z.conj()]
            })
            .collect();
        let order = options.which.rank(&all);
        assert!(
            options.which == Which::LR
                || (all[order[0]] - wanted).norm() < 1e-12
                || (all[order[0]] - wanted.conj()).norm() < 1e-12
        );
        let found = eigs(&a, 2, options)?;
        assert_eq!(found.info, 0);
        let values = found.values.to_vec::<Complex64>()?;
        for w in &values {
            assert!(all[order[0]].re - w.re < 1e-9 && (w.im.abs() - all[order[0]].im.abs()).abs() < 1e-9, "{w}");
        }
        assert!((values[0] - values[1].conj()).norm() < 1e-9);
        let product = a.astype(DType::C128)?.matmul_dense(&found.vectors)?;
        let scaled = apply("multiply", [(&found.vectors).into(), (&found.values).into()])?;
        let residual = apply("subtract", [(&product).into(), (&scaled).into()])?;
        assert!(column_norms(&residual)?.iter().all(|r| *r < 1e-9));
    }
    Ok(())
}

#[test]
fn singular_values_of_tall_and_wide_matrices() -> Result<()> {
    let (a, _) = grid(11, 0.0, DType::F64)?;
    let tall = Sparse::stack(&[&a, &a], 0, Format::Csr)?;
    let both = [Which::LM, Which::SM];
    let root = 2.0_f64.sqrt();
    for (matrix, factor, ends) in
        [(&tall, root, &both[..1]), (&tall.transpose(None)?, root, &both[1..]), (&a, 1.0, &both)]
    {
        for &which in ends {
            let (_, mut values) = grid(11, 0.0, DType::F64)?;
            values.iter_mut().for_each(|w| *w *= factor);
            let wanted = ordered(&values, if which == Which::LM { Which::LA } else { Which::SA }, 3);
            let found = svds(matrix, 3, SvdsOptions { which, ..Default::default() })?;
            assert_eq!(found.info, 0);
            for (s, wanted) in found.s.to_vec::<f64>()?.iter().zip(&wanted) {
                assert!((s - wanted).abs() < 1e-11, "{s} {wanted}");
            }
            let image = matrix.matmul_dense(&adjoint(&found.vh)?)?;
            let scaled = apply("multiply", [(&found.u).into(), (&found.s).into()])?;
            let residual = apply("subtract", [(&image).into(), (&scaled).into()])?;
            assert!(column_norms(&residual)?.iter().all(|r| *r < 1e-10));
        }
    }
    Ok(())
}

#[test]
fn blocks_converge_with_constraints_and_preconditioners() -> Result<()> {
    let n = 60;
    let diagonal: Vec<f64> = (1..=n).map(|k| k as f64).collect();
    let a = Sparse::diagonals(&[(&Array::from_slice(&diagonal, [n])?, 0)], [n, n])?.to_format(Format::Csr)?;
    let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
    let m = Sparse::diagonals(&[(&Array::from_slice(&inverse, [n])?, 0)], [n, n])?.to_format(Format::Csr)?;
    let guess = default_rng(3)?.uniform(-1.0, 1.0, [n, 3])?;
    let first = Array::from_slice(&(0..n).map(|k| f64::from(u8::from(k == 0))).collect::<Vec<_>>(), [n, 1])?;
    let options = LobpcgOptions { m: Some(&m), largest: false, tol: Some(1e-8), maxiter: 60, ..Default::default() };
    for (y, wanted) in [(None, [1.0, 2.0, 3.0]), (Some(&first), [2.0, 3.0, 4.0])] {
        let found = lobpcg(&a, &guess, LobpcgOptions { y, ..options })?;
        assert!(found.converged);
        for (w, wanted) in found.values.to_vec::<f64>()?.iter().zip(wanted) {
            assert!((w - wanted).abs() < 1e-9, "{w} {wanted}");
        }
    }
    // A x = w B x with B twice the identity.
    let twice = apply("multiply", [(&crate::eye(n, ())?).into(), 2.0.into()])?;
    let found =
        lobpcg(&a, &guess, LobpcgOptions { b: Some(&twice), tol: Some(1e-7), maxiter: 200, ..Default::default() })?;
    assert!(found.converged && (found.values.to_vec::<f64>()?[0] - 30.0).abs() < 1e-9);
    assert_eq!(found.lambdas.len(), found.residual_norms.len());
    let short = lobpcg(&a, &guess, LobpcgOptions { tol: Some(1e-12), maxiter: 1, ..Default::default() })?;
    assert!(!short.converged && short.lambdas.len() == 2);
    let equal = crate::ones([n, 2], DType::F64)?;
    assert!(lobpcg(&a, &equal, LobpcgOptions::default()).is_err());
    Ok(())
}

#[test]
fn arguments_that_do_not_fit_are_errors() -> Result<()> {
    let (a, _) = grid(11, 0.0, DType::F64)?;
    let kind = |result: Result<Eigenpairs>| result.err().map(|e| e.kind());
    let wrong = Some(ErrorKind::Value);
    assert_eq!(kind(eigsh(&a, 0, EigshOptions::default())), wrong);
    assert_eq!(kind(eigsh(&a, 121, EigshOptions::default())), wrong);
    assert_eq!(kind(eigsh(&a, 3, EigshOptions { which: Which::LR, ..Default::default() })), wrong);
    assert_eq!(kind(eigsh(&a, 3, EigshOptions { ncv: Some(3), ..Default::default() })), wrong);
    assert_eq!(kind(eigsh(&a, 3, EigshOptions { tol: f64::NAN, ..Default::default() })), wrong);
    assert_eq!(kind(eigs(&a, 3, EigsOptions { which: Which::BE, ..Default::default() })), wrong);
    let short = Array::from_slice(&[1.0], [1])?;
    assert_eq!(kind(eigsh(&a, 3, EigshOptions { v0: Some(&short), ..Default::default() })), wrong);
    let nan = a.with_data(&apply("multiply", [(&a.data()).into(), f64::NAN.into()])?)?;
    assert_eq!(kind(eigsh(&nan, 3, EigshOptions::default())), wrong);
    let few = EigshOptions { ncv: Some(6), maxiter: Some(1), ..Default::default() };
    let found = eigsh(&a, 4, few)?;
    assert!(found.info == 1 && found.values.size() < 4 && found.vectors.shape()[1] == found.values.size());
    let shifted = EigshOptions { sigma: Some(1.0), ..Default::default() };
    let gram = crate::scipy::sparse::linalg::Gram { a: &a, outer: false };
    assert_eq!(kind(eigsh(&gram, 2, shifted)), Some(ErrorKind::NotImplemented));
    assert!(svds(&a, 3, SvdsOptions { which: Which::SA, ..Default::default() }).is_err());
    Ok(())
}
