//! The beta function, elliptic and exponential integrals, modified Bessel functions and others of `scipy.special`.
//!
//! The loops are in the order of SciPy 1.18, float32 first; nearly all are computed in float64.

use super::special::{NONE, device_text, loops, of_complex, special};
use super::{Operands, Ufunc};

const BETA: &str = device_text!(twofold "gamma" "gamma_1p" "poch" "beta");
const BINOM: &str = device_text!(twofold "gamma" "gamma_1p" "poch" "beta" "binom");
const RGAMMA: &str = device_text!("rgamma");
const COMPLEX_GAMMA: &str = device_text!("complex_gamma");
const COMPLEX_LOGGAMMA: &str = device_text!("complex_loggamma");
const ZETAC: &str = device_text!("polynomial" "zetac");
const EXPREL: &str = device_text!("exprel");
const ELLIPTIC: &str = device_text!("elliptic");
const ELLIPJ: &str = device_text!("ellipj");
const EXPINT: &str = device_text!("polynomial" "expint");
const EXPN: &str = device_text!("polynomial" "expint" "expn");
const SICI: &str = device_text!("polynomial" "expint" "sici");
const COMPLEX_EXPINT: &str = device_text!("complex_expint");
const KN: &str = device_text!("polynomial" "kn");
const INE: &str = device_text!("ine");
const WRIGHT: &str = device_text!("wright");
const SPHERICAL_YN: &str = device_text!(twofold "spherical_yn");
const LAMBERTW: &str = device_text!("lambertw");

pub(super) const UFUNCS: &[&Ufunc] = &[
    &special("beta", 2, BETA, loops!("ff->f dd->d" "special_beta(a, b)"), "The beta function Γ(a) Γ(b) / Γ(a + b).")
        .example("beta(array([1.0, 2.0])?, 1.0)? => f64 [1.0, 0.5]")
        .notes("Infinite at poles of the gamma function, other than for an integer b up to -a for a negative integer a."),
    &special("betaln", 2, BETA, loops!("ff->f dd->d" "special_betaln(a, b)"), "The logarithm of the magnitude of the beta function.")
        .example("betaln(array([1.0])?, 1.0)? => f64 [0.0]")
        .notes("Accurate where `beta` underflows."),
    &special("binom", 2, BINOM, loops!("ff->f dd->d" "special_binom(a, b)"), "The binomial coefficient of n over k, of real operands.")
        .example("binom(5.0, array([0.0, 1.0, 2.0])?)? => f64 [1.0, 5.0, 10.0]")
        .notes("It is Γ(n + 1) / (Γ(k + 1) Γ(n - k + 1)); NaN for negative integers n."),
    &of_complex(COMPLEX_GAMMA, special("rgamma", 1, RGAMMA, loops!("f->f d->d" "special_rgamma(a)", "F->F D->D" "complex_rgamma(a)"), "The reciprocal of the gamma function."))
        .example("rgamma(array([0.0, 1.0, -2.0])?)? => f64 [0.0, 1.0, 0.0]")
        .notes("0 at the poles of the gamma function."),
    &of_complex(COMPLEX_LOGGAMMA, special("loggamma", 1, RGAMMA, loops!("f->f d->d" "special_loggamma(a)", "F->F D->D" "complex_loggamma(a)"), "The principal branch of the logarithm of the gamma function."))
        .example("loggamma(array([1.0, 2.0])?)? => f64 [0.0, 0.0]")
        .notes("Of real operands it is NaN below 0, where the gamma function is negative in places: a complex operand has the logarithm there."),
    &special("gammasgn", 1, RGAMMA, loops!("f->f d->d" "special_gammasgn(a)"), "The sign of the gamma function.")
        .example("gammasgn(array([1.5, -0.5, -1.5])?)? => f64 [1.0, -1.0, 1.0]")
        .notes("NaN at negative integers; the sign of 0 at 0."),
    &special("zetac", 1, ZETAC, loops!("f->f d->d" "special_zetac(a)"), "Riemann's zeta function minus 1.")
        .example("zetac(array([-2.0])?)? => f64 [-1.0]")
        .notes("Accurate where the zeta function is next to 1, and defined for operands below 1."),
    &special("cosm1", 1, EXPREL, loops!("f->f d->d" "special_cosm1(a)"), "The cosine minus 1, accurate near 0.")
        .example("cosm1(array([0.0])?)? => f64 [0.0]"),
    &special("exprel", 1, EXPREL, loops!("f->f d->d" "special_exprel(a)"), "The relative error exponential, (exp(x) - 1) / x.")
        .example("exprel(array([0.0])?)? => f64 [1.0]")
        .notes("It is 1 at 0."),
    &special("ellipk", 1, ELLIPTIC, loops!("f->f d->d" "special_ellipk(a)"), "The complete elliptic integral of the first kind, of the parameter m = k².")
        .example("ellipk(array([1.0])?)? => f64 [f64::INFINITY]")
        .notes("Infinite at 1, NaN above."),
    &special("ellipkm1", 1, ELLIPTIC, loops!("f->f d->d" "special_ellipkm1(a)"), "The complete elliptic integral of the first kind, of the complementary parameter p = 1 - m.")
        .example("ellipkm1(array([0.0])?)? => f64 [f64::INFINITY]")
        .notes("Accurate next to the singularity at p of 0; NaN below."),
    &special("ellipkinc", 2, ELLIPTIC, loops!("ff->f dd->d" "special_ellipkinc(a, b)"), "The incomplete elliptic integral of the first kind, of the amplitude phi and the parameter m = k².")
        .example("ellipkinc(array([0.0])?, 0.5)? => f64 [0.0]")
        .notes("NaN for m above 1."),
    &special("ellipeinc", 2, ELLIPTIC, loops!("ff->f dd->d" "special_ellipeinc(a, b)"), "The incomplete elliptic integral of the second kind, of the amplitude phi and the parameter m = k².")
        .example("ellipeinc(array([0.0])?, 0.5)? => f64 [0.0]")
        .notes("NaN for m above 1."),
    &of_complex(COMPLEX_EXPINT, special("exp1", 1, EXPINT, loops!("f->f d->d" "special_exp1(a)", "F->F D->D" "complex_e1(a)"), "The exponential integral E₁, the integral of exp(-t) / t from x to infinity."))
        .example("exp1(array([0.0, f64::INFINITY])?)? => f64 [f64::INFINITY, 0.0]")
        .notes("Infinite at 0. Of real operands it is NaN below 0; the complex one has a branch cut there."),
    &of_complex(COMPLEX_EXPINT, special("expi", 1, EXPINT, loops!("f->f d->d" "special_expi(a)", "F->F D->D" "complex_ei(a)"), "The exponential integral Ei, the principal value of the integral of exp(t) / t from minus infinity to x."))
        .example("expi(array([0.0])?)? => f64 [f64::NEG_INFINITY]")
        .notes("Minus infinity at 0."),
    &special("expn", 2, EXPN, loops!("ld->d ff->f dd->d" "special_expn(a, b)"), "The generalized exponential integral Eₙ of integer order n.")
        .example("expn(2, array([0.0])?)? => f64 [1.0]")
        .notes("An order between integers is truncated; NaN for negative operands."),
    &of_complex(COMPLEX_EXPINT, Ufunc { nout: 2, ..special("sici", 1, SICI, loops!("f->ff d->dd" "special_sici(a)", "F->FF D->DD" "complex_sici(a)"), "The sine integral and the cosine integral.") })
        .example("let (si, ci) = sici(array([0.0])?)?; assert_eq!(si.to_vec::<f64>()?, [0.0]); assert_eq!(ci.to_vec::<f64>()?, [f64::NEG_INFINITY]);")
        .notes("The cosine integral of a negative real operand is that of its magnitude."),
    &of_complex(COMPLEX_EXPINT, Ufunc { nout: 2, ..special("shichi", 1, SICI, loops!("f->ff d->dd" "special_shichi(a)", "F->FF D->DD" "complex_shichi(a)"), "The hyperbolic sine integral and the hyperbolic cosine integral.") })
        .example("let (shi, chi) = shichi(array([0.0])?)?; assert_eq!(shi.to_vec::<f64>()?, [0.0]); assert_eq!(chi.to_vec::<f64>()?, [f64::NEG_INFINITY]);")
        .notes("The hyperbolic cosine integral of a negative real operand is that of its magnitude."),
    &special("k0", 1, KN, loops!("f->f d->d" "bessel_k(0, a)"), "The modified Bessel function of the second kind of order 0; NaN below 0.")
        .example("k0(array([0.0, f64::INFINITY])?)? => f64 [f64::INFINITY, 0.0]")
        .notes("Infinite at 0; it decreases as exp(-x) √(π / (2 x))."),
    &special("k0e", 1, KN, loops!("f->f d->d" "bessel_ke(0, a)"), "The modified Bessel function of the second kind of order 0, times exp(x); NaN below 0.")
        .example("k0e(array([0.0, f64::INFINITY])?)? => f64 [f64::INFINITY, 0.0]")
        .notes("It does not underflow for large x."),
    &special("i0e", 1, INE, loops!("f->f d->d" "bessel_i0e(a)"), "The modified Bessel function of the first kind of order 0, times exp(-|x|).")
        .example("i0e(array([0.0, f64::INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("It does not overflow for large x."),
    &special("k1", 1, KN, loops!("f->f d->d" "bessel_k(1, a)"), "The modified Bessel function of the second kind of order 1; NaN below 0.")
        .example("k1(array([0.0, f64::INFINITY])?)? => f64 [f64::INFINITY, 0.0]")
        .notes("Infinite at 0; it decreases as exp(-x) √(π / (2 x))."),
    &special("k1e", 1, KN, loops!("f->f d->d" "bessel_ke(1, a)"), "The modified Bessel function of the second kind of order 1, times exp(x); NaN below 0.")
        .example("k1e(array([0.0, f64::INFINITY])?)? => f64 [f64::INFINITY, 0.0]")
        .notes("It does not underflow for large x."),
    &special("i1e", 1, INE, loops!("f->f d->d" "bessel_i1e(a)"), "The modified Bessel function of the first kind of order 1, times exp(-|x|).")
        .example("i1e(array([0.0, f64::INFINITY])?)? => f64 [0.0, 0.0]")
        .notes("It does not overflow for large x."),
    &special("wright_bessel", 3, WRIGHT, loops!("fff->f ddd->d" "special_wright_bessel(a, b, c)"), "Wright's generalized Bessel function Φ(a, b; x), the sum of xᵏ / (k! Γ(a k + b)).")
        .example("wright_bessel(0.0, 1.0, array([0.0])?)? => f64 [1.0]")
        .notes("NaN for negative operands."),
    // Functions that the library exposes under another signature.
    &Ufunc {
        namespace: "",
        nout: 2,
        wide: true,
        ..special(
            "ellipj_parts",
            2,
            ELLIPJ,
            loops!("ff->FF dd->DD" "special_ellipj(a, b)"),
            "Jacobian elliptic functions: sn and cn as parts of one number, dn and the amplitude as those of another.",
        )
    },
    &Ufunc {
        namespace: "",
        operands: Operands::Unlike,
        ..special(
            "spherical_yn_of",
            3,
            SPHERICAL_YN,
            loops!("lf?->f ld?->d" "special_spherical_yn(a, b, c)"),
            "The spherical Bessel function of the second kind, or its derivative.",
        )
    },
    &Ufunc {
        namespace: "",
        operands: Operands::Unlike,
        complex_text: LAMBERTW,
        wide: true,
        ..special(
            "lambertw_of",
            3,
            NONE,
            loops!("Dld->D" "complex_lambertw(a, b, c)"),
            "A branch of Lambert's W function, to a tolerance.",
        )
    },
];
