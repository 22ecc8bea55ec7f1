//! Error messages of mathematics, bits, polynomials and functional programming.

use cuprum::num_complex::Complex64;
use cuprum::polynomial::polynomial::SeriesIntOptions;
use cuprum::polynomial::{polynomial, polyutils};
use cuprum::scipy::stats;
use cuprum::{
    InterpOptions, NanToNumOptions, Piece, PolyIntOptions, RoundOptions, UnpackBitsOptions, apply_along_axis,
    apply_over_axes, array, base_repr, binary_repr, cross, interp, nan_to_num, ones, packbits, piecewise, poly,
    polyadd, polyder, polydiv, polyint, polymul, polyval, round, typename, unpackbits, unwrap, zeros,
};

use super::messages;

messages! {
    "Mathematics and bits" {
        round(array([true])?, 1)
            => "round: booleans have no 1 decimals: cast them to integers",
            "Cast to integers.";
        round(array([1.5])?, RoundOptions::new().out(&zeros(2, ())?))
            => "round: out has the shape (2,), the operand (1,)",
            "`out` has the shape of the operand.";
        round(array([Complex64::new(1.5, 0.0)])?, RoundOptions::new().out(&zeros(1, ())?))
            => "round: an out of float64 has no imaginary parts for results of complex128",
            "Give an `out` of complex numbers, or round `real()`.";
        nan_to_num(array([1.0])?, NanToNumOptions::new().nan(Complex64::new(0.0, 1.0)))
            => "nan_to_num: nan is a real number, which replaces a component: 0+1i is none",
            "Give a real number.";
        interp(array([Complex64::new(0.0, 1.0)])?, array([1.0])?, array([1.0])?, ())
            => "interp: x of complex128: its numbers must be ordered, and complex numbers are not",
            "Take the real parts.";
        interp(0.5, ones([2, 2], ())?, array([1.0])?, ())
            => "interp: xp and fp have one axis each, not the shapes (2, 2) and (1,)",
            "`ravel` them.";
        interp(0.5, array([1.0, 2.0])?, array([1.0])?, ())
            => "interp: there are 2 knots in xp and 1 values in fp",
            "Give a value for each knot.";
        interp(0.5, zeros(0, ())?, zeros(0, ())?, ())
            => "interp: xp has no knots: there is nothing to interpolate between",
            "One knot is enough.";
        interp(0.5, array([1.0])?, array([1.0])?, InterpOptions::new().left(Complex64::new(0.0, 1.0)))
            => "interp: left is a complex number, the values are of float64",
            "Give a real number, or complex values.";
        interp(0.5, array([1.0])?, array([1.0])?, InterpOptions::new().period(0.0))
            => "interp: a period of 0 has no end: it is any other number",
            "Leave `period` out where there is none.";
        unwrap(array([Complex64::new(0.0, 1.0)])?, ())
            => "unwrap: complex numbers have no order: take their angle first",
            "`unwrap(angle(z, ())?, ())`.";
        cross(array([1, 2, 3])?, array(1)?, ())
            => "cross: operands of shapes (3,) and (): both need an axis",
            "A vector is an array of three elements.";
        cross(array([1, 2, 3, 4])?, array([1, 2, 3])?, ())
            => "cross: vectors of 4 and 3 parts have no cross product: they have 3 (or 2)",
            "Say by `axisa`, `axisb` or `axis` along which axis the vectors are.";
        packbits(array([1.0])?, ())
            => "packbits: integers and booleans have bits, float64 has none: compare first",
            "`packbits(not_equal(&a, 0)?, ())`.";
        unpackbits(array([1])?, ())
            => "unpackbits: bits are taken out of uint8, not out of int32: use view, or astype",
            "`a.view(DType::U8)` has all bytes, `astype` one for each element.";
        unpackbits(array([1u8])?, UnpackBitsOptions::new().count(-9))
            => "unpackbits: 9 of 8 bits cannot be left out",
            "A negative count leaves out at most all.";
        binary_repr(9, 3)
            => "binary_repr: 9 has 4 bits, the width is 3",
            "Give a larger width, or none.";
        base_repr(9, 37, 0)
            => "base_repr: there are digits for the bases from 2 to 36, not for 37",
            "Take a smaller base.";
        typename('x')
            => "typename: no dtype has the type character 'x': there are ?bBhHiIlLqQfdFD",
            "`DType::name` has the names.";
        stats::entropy(array([1.0])?, stats::EntropyOptions::new().base(-1.0))
            => "entropy: the base -1 is no base of a logarithm: it is above 0",
            "Take a base above 0.";
        stats::trim_mean(array([1.0, 2.0, 3.0])?, 0.7, ())
            => "trim_mean: a share of 0.7 at both ends leaves nothing of 3 elements",
            "Take a share below a half.";
    }
    "Polynomials and functions of functions" {
        polyval(array(1.0)?, 2)
            => "polyval: p is 0-D: the coefficients are along an axis",
            "`reshape([1])`.";
        polyadd(ones([2, 2], ())?, array([1.0])?)
            => "polyadd: coefficients of shapes (2, 2) and (1,) do not go together: they have one axis",
            "`ravel` them.";
        polymul(ones([2, 2], ())?, array([1.0])?)
            => "polymul: coefficients of shape (2, 2) have more than one axis",
            "`ravel` them.";
        polydiv(zeros(0, ())?, array([1.0])?)
            => "polydiv: coefficients of shape (0,) are no polynomial",
            "The polynomial 0 has the coefficient 0.";
        polyder(array([1, 2])?, -1)
            => "polyder: a derivative is taken 0 times or more, not -1 times",
            "`polyint` goes the other way.";
        polyint(array([1, 2])?, -1)
            => "polyint: an integral is taken 0 times or more, not -1 times",
            "`polyder` goes the other way.";
        polyint(array([1, 2])?, PolyIntOptions::new().m(3).k(&array([1, 2])?))
            => "polyint: 2 constants do not do for 3 integrals: give one, or one for each",
            "One constant counts for all.";
        polyutils::as_series([zeros(0, ())?], ())
            => "as_series: an array of shape (0,) holds no coefficients",
            "The polynomial 0 has the coefficient 0.";
        polyutils::as_series([array([true])?], ())
            => "as_series: coefficients of bool have no floating-point dtype: cast them to integers",
            "Cast to integers.";
        polyutils::trimseq(ones([2, 2], ())?)
            => "trimseq: coefficients of shape (2, 2) have not one axis",
            "`ravel` them.";
        polyutils::trimcoef(array([1.0])?, -1.0)
            => "trimcoef: tol is -1: a magnitude is never below 0",
            "0 trims zeros alone.";
        polynomial::polyvander(array([1.0])?, -1)
            => "polyvander: deg is -1: the highest power is 0 or more",
            "Take the highest power.";
        polynomial::polycompanion(array([1.0])?)
            => "polycompanion: a constant has no companion matrix: a power above 0 is needed",
            "A constant has no roots.";
        polynomial::polydiv(array([1.0])?, array([0.0])?)
            => "polydiv: the divisor is zero",
            "Divide by another polynomial.";
        poly(ones([2, 2], ())?)
            => "poly: roots of shape (2, 2) have more than one axis: of a matrix give the eigenvalues",
            "Roots are along one axis.";
        polynomial::polypow(array([1.0])?, -1, None)
            => "polypow: pow is -1: a polynomial has powers of 0 and more",
            "`polydiv` divides.";
        polynomial::polypow(array([1.0])?, 3, Some(2))
            => "polypow: pow is 3, which is above maxpower, 2: it is too large",
            "`maxpower` says how far to go.";
        polynomial::polyint(array([1.0])?, -1)
            => "polyint: an integral is taken 0 times or more, not -1 times",
            "`polyder` goes the other way.";
        polynomial::polyint(array([1.0])?, SeriesIntOptions::new().k(&array([1.0, 2.0])?))
            => "polyint: 2 constants are more than the 1 integrals: give one for each at most",
            "`m` says how many integrals.";
        polynomial::polyint(zeros(0, ())?, ())
            => "polyint: there are no coefficients",
            "The polynomial 0 has the coefficient 0.";
        polynomial::polyint(ones([2, 2], ())?, SeriesIntOptions::new().k(Complex64::new(0.0, 1.0)))
            => "polyint: complex constants do not go into coefficients of float64: make those complex",
            "`astype(DType::C128)`.";
        polynomial::polyvalfromroots(ones([2, 2], ())?, ones(2, ())?, false)
            => "polyvalfromroots: without tensor x has fewer axes than the roots, not 2 and 1",
            "Leave `tensor` as it is.";
        polynomial::polyval2d(array([1.0])?, array([1.0, 2.0])?, ones([2, 2], ())?)
            => "polyval2d: coordinates of shapes (1,) and (2,) are no points: give one of each for every point",
            "`polygrid2d` takes the points of each variable.";
        polynomial::polyvander2d(array([1.0])?, array([1.0, 2.0])?, [1, 1])
            => "polyvander2d: coordinates of shapes (1,) and (2,) are no points: give one of each for every point",
            "Every point has a coordinate along each variable.";
        polynomial::polyvander2d(array([1.0])?, array([1.0])?, [1])
            => "polyvander2d: 1 degrees do not do for 2 variables: give one for each",
            "Give a degree for each variable.";
        polyutils::mapparms(array([1.0])?, array([1.0, 2.0])?)
            => "mapparms: an array of shape (1,) has not the two ends of an interval",
            "An interval is two numbers.";
        apply_along_axis(|line| line.copy(()), 0, zeros([3, 0], ())?)
            => "apply_along_axis: an array of shape (3, 0) has no lines along axis 0",
            "Ask `is_empty` first.";
        apply_over_axes(|a, _| a.expand_dims(0), ones([2, 2], ())?, 0)
            => "apply_over_axes: of an array of shape (2, 2) the function made one of shape (1, 1, 2, 2)",
            "The function keeps the axes, or takes one away.";
        piecewise(array([1.0])?, [array([true])?], [Piece::value(1), Piece::value(2), Piece::value(3)])
            => "piecewise: with 1 conditions there are 1 or 2 pieces, not 3",
            "One piece for each condition, and one for where none holds.";
        piecewise(array([1.0])?, [array([true, false])?], [Piece::value(1)])
            => "piecewise: a condition of shape (2,) does not pick elements of shape (1,)",
            "Conditions have the shape of the elements.";
    }
}
