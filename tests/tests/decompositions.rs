//! Tests of decompositions of small matrices by the library's own kernels: every side up to the largest, batches of
//! matrices of all kinds, batched and single.

use cuprum::linalg::{EighOptions, Triangle, eigh, eigvalsh, qr, svd, svdvals};
use cuprum::random::default_rng;
use cuprum::{Array, DType, Result, matmul, s};
use num_complex::Complex64;

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];
const SIDES: [(usize, usize); 8] = [(1, 1), (2, 2), (3, 2), (8, 9), (17, 31), (32, 32), (33, 40), (64, 20)];

/// Returns a batch of matrices: random; of rank one; all ones; with columns scaled from 1 down to 1e-12; zeros.
fn stack(m: usize, n: usize, dtype: DType) -> Result<Array> {
    let mut rng = default_rng(m as u64 * 100 + n as u64)?;
    let mut some = |shape: &[usize]| -> Result<Array> {
        let x = rng.standard_normal(shape)?.astype(DType::C128)?;
        let y = rng.standard_normal(shape)?.astype(DType::C128)?;
        let i = cuprum::multiply(Complex64::new(0.0, if dtype.is_complex() { 1.0 } else { 0.0 }), y)?;
        cuprum::add(x, i)
    };
    let by_chance = some(&[m, n])?;
    let one = matmul(some(&[m, 1])?, some(&[1, n])?)?;
    let falling = cuprum::power(10.0, cuprum::multiply(cuprum::arange(0, n as i64, 1)?, -12.0 / n as f64)?)?;
    let graded = cuprum::multiply(&by_chance, falling)?;
    let (ones, zeros) = (cuprum::ones([m, n], DType::C128)?, cuprum::zeros([m, n], DType::C128)?);
    let all = cuprum::stack(&[by_chance, one, ones, graded, zeros], 0)?;
    if dtype.is_complex() { all.astype(dtype) } else { all.real().astype(dtype) }
}

fn epsilon(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { f32::EPSILON.into() } else { f64::EPSILON }
}

fn adjoint(a: &Array) -> Result<Array> {
    cuprum::conjugate(a.swapaxes(-1, -2)?)
}

/// Returns the largest difference of elements of two batches.
fn distance(a: &Array, b: &Array) -> Result<f64> {
    let apart = cuprum::subtract(a.astype(DType::C128)?, b.astype(DType::C128)?)?;
    cuprum::max(cuprum::absolute(apart)?, ())?.item()
}

/// Checks the orthogonality of columns and the residual of a product within the bounds of LAPACK's tests.
fn agree(what: &str, a: &Array, product: &Array, columns: &[&Array]) -> Result<()> {
    let (side, epsilon) = (a.shape()[1].max(a.shape()[2]) as f64, epsilon(a.dtype()));
    let size = distance(a, &cuprum::zeros_like(a, ())?)?.max(1.0);
    let off = distance(a, product)? / (size * side * epsilon);
    assert!(off < 10.0, "{what} of {:?} {:?}: {off}", a.shape(), a.dtype());
    for q in columns {
        let q = q.astype(DType::C128)?;
        let unit = cuprum::eye(q.shape()[2], ())?.broadcast_to([q.shape()[0], q.shape()[2], q.shape()[2]])?;
        let off = distance(&matmul(adjoint(&q)?, &q)?, &unit)? / (side * epsilon);
        assert!(off < 10.0, "{what} of {:?} {:?}: not orthogonal by {off}", a.shape(), a.dtype());
    }
    Ok(())
}

fn wide(a: &Array) -> Result<Array> {
    a.astype(DType::C128)
}

fn one_of(a: &Array, k: i64) -> Result<Array> {
    a.index(s![k])
}

#[test]
fn singular_values_and_vectors_make_the_matrix() -> Result<()> {
    for (dtype, (m, n)) in DTYPES.into_iter().flat_map(|d| SIDES.map(|s| (d, s))) {
        let a = stack(m, n, dtype)?;
        for full in [false, true] {
            let options = cuprum::linalg::SvdOptions::new().full_matrices(full);
            let (u, s, vh) = svd(&a, options)?;
            let (u, vh, short) = (u.unwrap(), vh.unwrap(), m.min(n));
            let first = |x: &Array, axis: isize| cuprum::take(x, cuprum::arange(0, short as i64, 1)?, axis);
            let scaled = cuprum::multiply(wide(&first(&u, -1)?)?, wide(&s)?.expand_dims(-2)?)?;
            agree("svd", &a, &matmul(scaled, wide(&first(&vh, -2)?)?)?, &[&u, &adjoint(&vh)?])?;
            let falls = cuprum::less_equal(cuprum::diff(&s, ())?, 0.0)?;
            assert!(cuprum::all(falls, ())?.item::<bool>()?);
            assert_eq!(distance(&svdvals(&a)?, &s)?, 0.0);
            for k in if full { 0..5 } else { 0..0 } {
                let (u1, s1, v1) = svd(one_of(&a, k)?, options)?;
                for (alone, all) in [(u1.unwrap(), &u), (s1, &s), (v1.unwrap(), &vh)] {
                    assert_eq!(distance(&alone, &one_of(all, k)?)?, 0.0, "{dtype:?} {m} {n} {k}");
                }
            }
        }
    }
    Ok(())
}

/// Singular vectors of larger matrices come from eigenvectors in float64 or from polar decompositions; batched and
/// single.
#[test]
fn larger_matrices_are_decomposed_in_the_same_way() -> Result<()> {
    for (dtype, (m, n)) in DTYPES.into_iter().flat_map(|d| [(d, (70, 65)), (d, (9, 70))]) {
        let all = stack(m, n, dtype)?;
        for a in [all.clone(), all.index(s![..1])?] {
            let (u, s, vh) = svd(&a, cuprum::linalg::SvdOptions::new().full_matrices(m < 10))?;
            let (u, vh) = (u.unwrap(), vh.unwrap());
            let right = cuprum::take(&vh, cuprum::arange(0, m.min(n) as i64, 1)?, -2)?;
            let scaled = cuprum::multiply(wide(&u)?, wide(&s)?.expand_dims(-2)?)?;
            agree("svd", &a, &matmul(scaled, wide(&right)?)?, &[&u, &adjoint(&vh)?])?;
            assert!(cuprum::all(cuprum::less_equal(cuprum::diff(&s, ())?, 0.0)?, ())?.item::<bool>()?);
        }
    }
    Ok(())
}

#[test]
fn eigenvectors_of_one_triangle_are_orthogonal() -> Result<()> {
    for (dtype, (_, n)) in DTYPES.into_iter().flat_map(|d| SIDES.map(|s| (d, s))) {
        let a = stack(n, n, dtype)?;
        let a = cuprum::add(&a, adjoint(&a)?)?;
        for (uplo, one) in [(Triangle::L, cuprum::tril(&a, 0)?), (Triangle::U, cuprum::triu(&a, 0)?)] {
            let (w, v) = eigh(&one, EighOptions { uplo })?;
            let product = matmul(cuprum::multiply(wide(&v)?, wide(&w)?.expand_dims(-2)?)?, adjoint(&wide(&v)?)?)?;
            agree("eigh", &a, &product, &[&v])?;
            assert!(cuprum::all(cuprum::greater_equal(cuprum::diff(&w, ())?, 0.0)?, ())?.item::<bool>()?);
            assert_eq!(distance(&eigvalsh(&one, EighOptions { uplo })?, &w)?, 0.0);
            let (_, alone) = eigh(one_of(&one, 3)?, EighOptions { uplo })?;
            assert_eq!(distance(&alone, &one_of(&v, 3)?)?, 0.0);
        }
    }
    Ok(())
}

#[test]
fn reflectors_and_triangles_make_the_matrix() -> Result<()> {
    use cuprum::linalg::QrMode;
    for (dtype, (m, n)) in DTYPES.into_iter().flat_map(|d| SIDES.map(|s| (d, s))) {
        // Columns of any magnitude: no square may overflow or underflow.
        let a = stack(m, n, dtype)?;
        let far = cuprum::multiply(&a, 1e30)?;
        for a in [a, far] {
            for mode in [QrMode::Reduced, QrMode::Complete] {
                let (q, r) = qr(&a, mode)?;
                let q = q.unwrap();
                agree("qr", &a, &matmul(wide(&q)?, wide(&r)?)?, &[&q])?;
                assert_eq!(distance(&cuprum::triu(&r, 0)?, &r)?, 0.0);
            }
        }
    }
    Ok(())
}
