//! Tests of series against closed forms and results of NumPy 2.4.6.

use super::{algebra, calculus, fit, quadrature, values};
use crate::array::{Array, Operand};
use crate::error::{ErrorKind, Result};
use crate::polynomial::{
    Basis, Degrees, PolyDerOptions, SeriesFitOptions, SeriesIntOptions, antiderivative, derivative,
};
use crate::{CloseOptions, allclose, array};

const BASES: [Basis; 5] = [Basis::Chebyshev, Basis::Legendre, Basis::Laguerre, Basis::Hermite, Basis::HermiteE];

fn close(found: &Array, expected: &[f64]) -> Result<()> {
    let options = CloseOptions::new().rtol(1e-12).atol(1e-12);
    let expected = Array::from_slice(expected, found.shape())?;
    assert!(allclose(found, &expected, options)?, "{found} is not {expected}");
    Ok(())
}

fn values_at(basis: Basis, x: &Array, c: &Array) -> Result<Array> {
    values::value(basis, Operand::Array(x), c, true)
}

#[test]
fn values_are_those_of_closed_forms() -> Result<()> {
    let x = 0.5f64;
    let cubes = [
        4.0 * x.powi(3) - 3.0 * x,
        (5.0 * x.powi(3) - 3.0 * x) / 2.0,
        (-x.powi(3) + 9.0 * x.powi(2) - 18.0 * x + 6.0) / 6.0,
        8.0 * x.powi(3) - 12.0 * x,
        x.powi(3) - 3.0 * x,
    ];
    for (basis, expected) in BASES.into_iter().zip(cubes) {
        let third = array([0.0, 0.0, 0.0, 1.0])?;
        close(&values_at(basis, &array([x])?, &third)?, &[expected])?;
        let columns = values::vandermonde(basis, &array([x, -2.0])?, 3)?;
        assert_eq!(columns.shape(), [2, 4]);
        close(&columns.index(crate::s![0, 3])?, &[expected])?;
        // Many series at many points, and one series for each point.
        let both = array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])?;
        close(&values_at(basis, &array([x, x])?, &both)?, &[expected, expected, 1.0, 1.0])?;
        close(&values::value(basis, Operand::Array(&array([x, x])?), &both, false)?, &[expected, 1.0])?;
    }
    Ok(())
}

#[test]
fn derivatives_and_antiderivatives_are_numpys() -> Result<()> {
    let c = array([1, 2, 3, 4])?;
    let expected: [(&[f64], &[f64]); 5] = [
        (&[14.0, 12.0, 24.0], &[0.75, -0.5, -0.5, 0.5, 0.5]),
        (&[6.0, 9.0, 20.0], &[23.0 / 96.0, 0.4, 2.0 / 21.0, 0.6, 4.0 / 7.0]),
        (&[-9.0, -7.0, -4.0], &[-173.0 / 96.0, 1.0, 1.0, 1.0, -4.0]),
        (&[4.0, 12.0, 24.0], &[2.0, 0.5, 0.5, 0.5, 0.5]),
        (&[2.0, 6.0, 12.0], &[0.0625, 1.0, 1.0, 1.0, 1.0]),
    ];
    for (basis, (slope, area)) in BASES.into_iter().zip(expected) {
        close(&derivative(basis, &c, PolyDerOptions::new())?, slope)?;
        let found = antiderivative(basis, &c, SeriesIntOptions::new().lbnd(0.5))?;
        close(&found, area)?;
        close(&derivative(basis, &found, PolyDerOptions::new())?, &[1.0, 2.0, 3.0, 4.0])?;
        let rows = calculus::derived(basis, &array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])?)?;
        close(&rows.index(crate::s![.., 1])?, slope)?;
    }
    Ok(())
}

#[test]
fn products_and_quotients_are_numpys() -> Result<()> {
    let (a, b) = (array([1.0, 2.0, 3.0])?, array([3.0, 2.0])?);
    let expected = [
        [5.0, 11.0, 11.0, 3.0],
        [13.0 / 3.0, 10.4, 35.0 / 3.0, 3.6],
        [7.0, 12.0, -7.0, 18.0],
        [11.0, 32.0, 13.0, 6.0],
        [7.0, 20.0, 13.0, 6.0],
    ];
    for (basis, expected) in BASES.into_iter().zip(expected) {
        let product = algebra::product(basis, &a, &b)?;
        close(&product, &expected)?;
        let (quotient, rest) = algebra::quotient(basis, &product, &b)?;
        close(&quotient, &[1.0, 2.0, 3.0])?;
        close(&rest, &[0.0])?;
        assert_eq!(algebra::quotient(basis, &a, &array([0.0])?).unwrap_err().kind(), ErrorKind::ZeroDivision);
        let powers = algebra::converted(basis, &product, Basis::Power)?;
        close(&algebra::converted(Basis::Power, &powers, basis)?, &expected)?;
        close(&basis.compose(&a, basis, array(basis.x())?)?, &[1.0, 2.0, 3.0])?;
        assert_eq!(algebra::power(basis, &a, 17, Some(16)).unwrap_err().kind(), ErrorKind::Value);
    }
    let complex = array([num_complex::Complex64::new(0.0, 1.0), 1.0.into()])?;
    let square = algebra::product(Basis::HermiteE, &complex, &complex)?; // (i + x)² = -1 + 2 i x + x²
    assert_eq!(square.to_vec::<num_complex::Complex64>()?, [0.0.into(), 2.0 * num_complex::Complex64::i(), 1.0.into()]);
    Ok(())
}

#[test]
fn quadratures_are_exact_and_fits_find_the_coefficients() -> Result<()> {
    for basis in BASES {
        let (x, w) = quadrature::gauss(basis, 5)?;
        let squares = values::vandermonde(basis, &x, 4)?;
        // Orthogonal: the sum of the weights is the product of the first polynomial with itself.
        let products = crate::matmul(squares.t(), crate::multiply(&squares, w.expand_dims(1)?)?)?;
        let off = products.index(crate::s![0, 1..])?;
        close(&off, &[0.0; 4])?;
        close(&products.index(crate::s![0, 0])?, &[basis.total_weight()])?;
        let c = array([1.0, -2.0, 0.0, 0.5])?;
        let points = array([0.1, 0.3, 0.7, 1.1, 1.5, 1.9])?;
        let y = values_at(basis, &points, &c)?;
        let options = SeriesFitOptions::default();
        for degrees in [Degrees::from(3), Degrees::from([0, 1, 3])] {
            let (found, _) = fit::fit(basis, &points, &y, &degrees, options)?;
            assert!(allclose(&found, &c, CloseOptions::new().atol(1e-9))?, "{basis:?}: {found}");
        }
        // The eigenvalues of a basis polynomial are those of a symmetric matrix.
        let matrix = quadrature::companion(basis, &array([0.0, 0.0, 0.0, 1.0])?)?;
        assert!(allclose(&matrix, matrix.t(), ())?);
    }
    Ok(())
}
