//! The special functions of `scipy.special`.
//!
//! Names are those of SciPy; if NumPy has another function of the same name, the module is part of the name. The loops
//! are in the order of SciPy 1.18: float32 first, so that narrow integers and float16 have float32 results. The
//! exception is `logit`, where the loop of exactly the operand's dtype runs, or else that of float64.

use super::{Loops, Operands, POWERS, UFUNC, Ufunc};

macro_rules! device_text {
    ($($file:literal)+) => { concat!($(header!("special_" $file)),+) };
    (twofold $($file:literal)+) => { concat!(header!("twofold"), device_text!($($file)+)) };
}
pub(super) use device_text;

pub(super) const NONE: &str = "";
const BESSEL: &str = device_text!("bessel");
const MODIFIED: &str = device_text!("modified_bessel");
const YN: &str = device_text!(twofold "bessel" "yn");
const GAMMA: &str = device_text!("gamma");
const GAMMALN: &str = device_text!(twofold "gamma" "gammaln");
const GAMMAINC: &str = device_text!(twofold "gamma" "gamma_1p" "gammainc");
const GAMMAINCINV: &str = device_text!(twofold "gamma" "gamma_1p" "gammainc" "gammaincinv");
const POCH: &str = device_text!(twofold "gamma" "poch");
const ZETA: &str = device_text!("zeta");
const ENTROPY: &str = device_text!("entropy");
const DEGREES: &str = device_text!("degrees");
const LEGENDRE: &str = device_text!(twofold "legendre");
const SPHERICAL: &str = device_text!(twofold "legendre" "spherical");
const COMPLEX_GAMMA: &str = device_text!("complex_gamma");
const COMPLEX_PSI: &str = device_text!("complex_psi");
const COMPLEX_EXPONENTS: &str = header!("complex_exponents");
const COMPLEX_LOGS: &str = concat!(header!("complex_exponents"), device_text!("complex_logs"));

pub(super) const fn special(
    name: &'static str,
    nin: usize,
    text: &'static str,
    loops: &'static [Loops],
    doc: &'static str,
) -> Ufunc {
    Ufunc { name, namespace: "scipy.special", nin, loops, text, heavy: true, doc, ..UFUNC }
}

/// Extends a record by complex loops, whose kernels contain `complex_text`.
pub(super) const fn of_complex(complex_text: &'static str, real: Ufunc) -> Ufunc {
    Ufunc { complex_text, wide: true, ..real }
}

macro_rules! loops {
    ($($types:literal $expr:literal),+) => { &[$($crate::registry::Loops { types: $types, expr: $expr }),+] };
}
pub(super) use loops;

pub(super) const UFUNCS: &[&Ufunc] = &[
    // Error functions.
    &special("erf", 1, NONE, loops!("f->f d->d" "erf(a)"), "The error function.")
        .example("erf(array([0.0, f64::INFINITY])?)? => f64 [0.0, 1.0]")
        .notes("It is 2/√π times the integral of exp(-t²) from 0 to x."),
    &special("erfc", 1, NONE, loops!("f->f d->d" "erfc(a)"), "The complement of the error function, 1 - erf.")
        .example("erfc(array([0.0, f64::INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("Accurate where erf(x) is next to 1."),
    &special(
        "erfcx",
        1,
        NONE,
        loops!("f->f d->d" "erfcx(a)"),
        "The scaled complement of the error function, exp(x²) erfc(x).",
    )
    .example("erfcx(array([0.0])?)? => f64 [1.0]")
    .notes("It does not underflow for large positive x, where it is about 1 / (x √π)."),
    &special(
        "erfinv",
        1,
        NONE,
        loops!("f->f d->d" "erfinv(a) + 0"),
        "The inverse of the error function; NaN beyond -1 and 1.",
    )
    .example("erfinv(array([0.0, 1.0])?)? => f64 [0.0, f64::INFINITY]")
    .notes("The x at which erf(x) is y; infinite at -1 and 1."),
    &special(
        "erfcinv",
        1,
        NONE,
        loops!("f->f d->d" "erfcinv(a)"),
        "The inverse of the complement of the error function; NaN beyond 0 and 2.",
    )
    .example("erfcinv(array([1.0, 0.0])?)? => f64 [0.0, f64::INFINITY]")
    .notes("The x at which erfc(x) is y; infinite at 0 and 2."),
    &special(
        "ndtr",
        1,
        NONE,
        loops!("f->f d->d" "normcdf(a)"),
        "The distribution function of the standard normal distribution.",
    )
    .example("ndtr(array([0.0, f64::INFINITY])?)? => f64 [0.5, 1.0]")
    .notes("It is (1 + erf(x / √2)) / 2."),
    // Gamma functions. Those that need more than a call of a CUDA function are computed in float64.
    &of_complex(
        COMPLEX_GAMMA,
        special(
            "gamma",
            1,
            NONE,
            loops!("f->f d->d" "tgamma(a)", "F->F D->D" "complex_gamma(a)"),
            "The gamma function; NaN at negative integers, infinite at both zeros, of which the complex one \
             is a NaN.",
        ),
    )
    .example("gamma(array([1.0, 5.0])?)? => f64 [1.0, 24.0]")
    .notes("Γ(n + 1) is n! for integers n of 0 or more."),
    &special(
        "gammaln",
        1,
        GAMMALN,
        loops!("f->f d->d" "gammaln(a)"),
        "The logarithm of the magnitude of the gamma function.",
    )
    .example("gammaln(array([1.0, 2.0])?)? => f64 [0.0, 0.0]")
    .notes("Infinite at 0 and at negative integers."),
    &Ufunc {
        aliases: &["digamma"],
        notes: "At 1 it is minus Euler's constant, 0.5772….",
        ..of_complex(
            COMPLEX_PSI,
            special(
                "psi",
                1,
                GAMMA,
                loops!("f->f d->d" "psi(a)", "F->F D->D" "complex_psi(a)"),
                "The digamma function, the derivative of the logarithm of the gamma function; `psi` and \
                 `digamma` are names of it.",
            ),
        )
    },
    &special("poch", 2, POCH, loops!("ff->f dd->d" "poch(a, b)"), "The rising factorial Γ(a + m) / Γ(a).")
        .example("poch(array([2.0, 3.0])?, 0.0)? => f64 [1.0, 1.0]")
        .notes("For an integer m it is the product a (a + 1) … (a + m - 1)."),
    &special("zeta", 2, ZETA, loops!("ff->f dd->d" "zeta(a, b)"), "The Hurwitz zeta function; NaN for x below 1.")
        .notes("With q of 1 it is Riemann's zeta function; infinite at x of 1."),
    &special(
        "gammaincc",
        2,
        GAMMAINC,
        loops!("ff->f dd->d" "gammaincc(a, b)"),
        "The regularized upper incomplete gamma function Q(a, x).",
    )
    .example("gammaincc(array([1.0, 2.0])?, 0.0)? => f64 [1.0, 1.0]")
    .notes("Q(a, x) is 1 - P(a, x), computed without the difference. NaN for negative a or x."),
    &special(
        "gammainc",
        2,
        GAMMAINC,
        loops!("ff->f dd->d" "gammainc(a, b)"),
        "The regularized lower incomplete gamma function P(a, x).",
    )
    .example("gammainc(array([1.0, 2.0])?, 0.0)? => f64 [0.0, 0.0]")
    .notes("P(a, x) is the integral of tᵃ⁻¹ exp(-t) from 0 to x, divided by Γ(a). NaN for negative a or x."),
    &special(
        "gammaincinv",
        2,
        GAMMAINCINV,
        loops!("ff->f dd->d" "gammaincinv(a, b)"),
        "Inverse of the regularized lower incomplete gamma function: the x at which P(a, x) is p.",
    )
    .example("gammaincinv(array([1.0, 2.0])?, 0.0)? => f64 [0.0, 0.0]")
    .notes("The inverse of `gammainc` in its second operand."),
    &special(
        "gammainccinv",
        2,
        GAMMAINCINV,
        loops!("ff->f dd->d" "gammainccinv(a, b)"),
        "Inverse of the regularized upper incomplete gamma function: the x at which Q(a, x) is q.",
    )
    .example("gammainccinv(array([1.0, 2.0])?, 1.0)? => f64 [0.0, 0.0]")
    .notes("The inverse of `gammaincc` in its second operand."),
    // Bessel functions.
    &special("j0", 1, BESSEL, loops!("f->f d->d" "bessel_j0(a)"), "The Bessel function of the first kind of order 0.")
        .notes("It is 1 at 0, and oscillates with an amplitude of about √(2 / (π x))."),
    &special("j1", 1, BESSEL, loops!("f->f d->d" "bessel_j1(a)"), "The Bessel function of the first kind of order 1.")
        .example("j1(array([0.0])?)? => f64 [0.0]")
        .notes("It is 0 at 0, and minus the derivative of `j0`."),
    &special(
        "y0",
        1,
        BESSEL,
        loops!("f->f d->d" "bessel_y0(a)"),
        "The Bessel function of the second kind of order 0; NaN below 0.",
    )
    .example("y0(array([0.0])?)? => f64 [f64::NEG_INFINITY]")
    .notes("Minus infinity at 0."),
    &special(
        "y1",
        1,
        BESSEL,
        loops!("f->f d->d" "bessel_y1(a)"),
        "The Bessel function of the second kind of order 1; NaN below 0.",
    )
    .example("y1(array([0.0])?)? => f64 [f64::NEG_INFINITY]")
    .notes("Minus infinity at 0."),
    &special(
        "yn",
        2,
        YN,
        loops!("ld->d ff->f dd->d" "bessel_yn(a, b)"),
        "The Bessel function of the second kind of integer order; NaN for x below 0, and for orders beyond \
         2³¹ next to x.",
    )
    .example("yn(2, array([0.0])?)? => f64 [f64::NEG_INFINITY]"),
    &special(
        "scipy.special.i0",
        1,
        MODIFIED,
        loops!("f->f d->d" "bessel_i0(a)"),
        "The modified Bessel function of the first kind of order 0.",
    )
    .example("i0(array([0.0])?)? => f64 [1.0]")
    .notes("It grows as exp(x) / √(2 π x), and overflows with it."),
    &special(
        "i1",
        1,
        MODIFIED,
        loops!("f->f d->d" "bessel_i1(a)"),
        "The modified Bessel function of the first kind of order 1.",
    )
    .example("i1(array([0.0])?)? => f64 [0.0]")
    .notes("It is the derivative of `i0`."),
    // Legendre functions.
    &special(
        "lpmv",
        3,
        LEGENDRE,
        loops!("fff->f ddd->d" "lpmv(a, b, c)"),
        "The associated Legendre function of the first kind of order m and degree v, with Condon and \
         Shortley's phase; NaN of orders between integers, beyond -1 and 1, of an order of -v - 1 and below \
         for an integer degree v, and of orders and degrees beyond 10⁶.",
    )
    .example("lpmv(0, 1, array([0.5, -0.25])?)? => f64 [0.5, -0.25]"),
    &Ufunc {
        operands: Operands::Unlike,
        ..special(
            "sph_legendre_p",
            3,
            SPHERICAL,
            loops!("lld->d" "sph_legendre_p(a, b, c)"),
            "The Legendre function of degree n and order m of the cosine of an angle, normalised on the \
             sphere, with Condon and Shortley's phase; 0 of orders beyond the degree, NaN of degrees beyond \
             10⁶.",
        )
    },
    // Logits, entropies and loss functions.
    &special(
        "logit",
        1,
        ENTROPY,
        loops!("d->d f->f" "logit(a)"),
        "The logarithm of the odds p / (1 - p); NaN beyond 0 and 1.",
    )
    .example("logit(array([0.5, 0.0])?)? => f64 [0.0, f64::NEG_INFINITY]")
    .notes("The inverse of `expit`."),
    &special("expit", 1, ENTROPY, loops!("f->f d->d" "expit(a)"), "The logistic function 1 / (1 + exp(-x)).")
        .example("expit(array([0.0, f64::INFINITY])?)? => f64 [0.5, 1.0]")
        .notes("The inverse of `logit`; 0 and 1 at the infinities."),
    &special("log_expit", 1, ENTROPY, loops!("f->f d->d" "log_expit(a)"), "The logarithm of the logistic function.")
        .example("log_expit(array([f64::INFINITY])?)? => f64 [0.0]")
        .notes("Accurate where the logistic function is next to 1 or 0."),
    &special("entr", 1, ENTROPY, loops!("f->f d->d" "entr(a)"), "The entropy -x log x; minus infinity below 0.")
        .example("entr(array([0.0, 1.0, -1.0])?)? => f64 [0.0, 0.0, f64::NEG_INFINITY]"),
    &special(
        "rel_entr",
        2,
        ENTROPY,
        loops!("ff->f dd->d" "rel_entr(a, b)"),
        "The relative entropy x log(x / y); infinite outside its domain.",
    )
    .example("rel_entr(array([0.0, 2.0, -1.0])?, array([1.0, 2.0, 1.0])?)? => f64 [0.0, 0.0, f64::INFINITY]")
    .notes("0 where x is 0 and y is 0 or more."),
    &special(
        "kl_div",
        2,
        ENTROPY,
        loops!("ff->f dd->d" "kl_div(a, b)"),
        "The Kullback-Leibler divergence x log(x / y) - x + y; infinite outside its domain.",
    )
    .example("kl_div(array([0.0, 2.0])?, array([3.0, 2.0])?)? => f64 [3.0, 0.0]")
    .notes("y where x is 0 and y is 0 or more."),
    &special(
        "huber",
        2,
        ENTROPY,
        loops!("ff->f dd->d" "huber(a, b)"),
        "The Huber loss of a residual: quadratic up to `delta`, then linear.",
    )
    .example("huber(1.0, array([0.5, 3.0])?)? => f64 [0.125, 2.5]")
    .notes("Infinite for a negative `delta`."),
    &special(
        "pseudo_huber",
        2,
        ENTROPY,
        loops!("ff->f dd->d" "pseudo_huber(a, b)"),
        "The smooth Huber loss δ²(√(1 + (r/δ)²) - 1).",
    )
    .example("pseudo_huber(2.0, array([0.0])?)? => f64 [0.0]")
    .notes("Infinite for a negative `delta`."),
    &of_complex(
        COMPLEX_LOGS,
        special(
            "xlogy",
            2,
            ENTROPY,
            loops!("ff->f dd->d" "xlogy(a, b)", "FF->F DD->D" "complex_xlogy(a, b)"),
            "The product x log y; 0 where x is 0 and y is no NaN.",
        ),
    )
    .example("xlogy(array([0.0, 3.0])?, array([0.0, 1.0])?)? => f64 [0.0, 0.0]"),
    &of_complex(
        COMPLEX_LOGS,
        special(
            "xlog1py",
            2,
            ENTROPY,
            loops!("ff->f dd->d" "xlog1py(a, b)", "FF->F DD->D" "complex_xlog1py(a, b)"),
            "The product x log(1 + y); 0 where x is 0 and y is no NaN.",
        ),
    )
    .example("xlog1py(array([0.0, 3.0])?, array([-1.0, 0.0])?)? => f64 [0.0, 0.0]"),
    // Functions that NumPy also has, with other loops.
    &special("scipy.special.cbrt", 1, NONE, loops!("f->f d->d" "cbrt(a)"), "The cube root, also of negative numbers.")
        .example("cbrt(array([0.0])?)? => f64 [0.0]")
        .notes("NumPy's function of the name keeps float16; this one results in float32."),
    &special(
        "scipy.special.exp2",
        1,
        POWERS,
        loops!("f->f d->d" "exponential_2(a)"),
        "Exponential to base 2: 2 to the power of the operand.",
    )
    .example("exp2(array([3.0, -1.0])?)? => f64 [8.0, 0.5]")
    .notes("NumPy's function of the name keeps float16; this one results in float32."),
    &special(
        "scipy.special.exp10",
        1,
        NONE,
        loops!("f->f d->d" "exp10(a)"),
        "Exponential to base 10: 10 to the power of the operand.",
    )
    .example("exp10(array([0.0])?)? => f64 [1.0]"),
    &of_complex(
        COMPLEX_EXPONENTS,
        special(
            "scipy.special.expm1",
            1,
            NONE,
            loops!(
                "f->f d->d" "expm1(a)",
                "F->F D->D" "is_finite(a) ? complex_expm1(a) : complex_exp(a) - c128{1.0, 0.0}"
            ),
            "The exponential minus 1, accurate near 0.",
        ),
    )
    .example("expm1(array([0.0])?)? => f64 [0.0]")
    .notes("NumPy's function of the name keeps float16; this one results in float32."),
    &of_complex(
        COMPLEX_EXPONENTS,
        special(
            "scipy.special.log1p",
            1,
            NONE,
            loops!("f->f d->d" "log1p(a)", "F->F D->D" "complex_log1p(a)"),
            "The natural logarithm of 1 plus the operand, accurate near 0.",
        ),
    )
    .example("log1p(array([0.0])?)? => f64 [0.0]")
    .notes("NumPy's function of the name keeps float16; this one results in float32."),
    // Trigonometric functions of angles in degrees.
    &special(
        "sindg",
        1,
        DEGREES,
        loops!("f->f d->d" "sindg(a)"),
        "The sine of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    )
    .example("sindg(array([0.0, 90.0])?)? => f64 [0.0, 1.0]"),
    &special(
        "cosdg",
        1,
        DEGREES,
        loops!("f->f d->d" "cosdg(a)"),
        "The cosine of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    )
    .example("cosdg(array([0.0, 90.0])?)? => f64 [1.0, 0.0]"),
    &special(
        "tandg",
        1,
        DEGREES,
        loops!("f->f d->d" "tandg(a, false)"),
        "The tangent of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    )
    .example("tandg(array([0.0, 180.0])?)? => f64 [0.0, 0.0]"),
    &special(
        "cotdg",
        1,
        DEGREES,
        loops!("f->f d->d" "tandg(a, true)"),
        "The cotangent of an angle in degrees; 0 beyond 10¹⁴, as SciPy has it.",
    )
    .example("cotdg(array([90.0])?)? => f64 [0.0]"),
    &special(
        "radian",
        3,
        DEGREES,
        loops!("fff->f ddd->d" "radian(a, b, c)"),
        "Converts an angle of degrees, minutes and seconds to radians.",
    )
    .example("radian(180.0, 0.0, array([0.0])?)? => f64 [std::f64::consts::PI]"),
];
