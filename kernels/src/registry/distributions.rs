//! Distribution functions of `scipy.special`, their inverses, and the incomplete beta functions that they are made of.
//!
//! The loops are in the order of SciPy 1.18, float32 first; all are computed in float64.

use super::Ufunc;
use super::special::{NONE, device_text, loops, of_complex, special};

const BOXCOX: &str = device_text!("boxcox");
const LOG_NDTR: &str = device_text!("log_ndtr");
const COMPLEX_LOG_NDTR: &str = concat!(header!("complex_exponents"), device_text!("complex_log_ndtr"));
const BETAINC: &str = device_text!(twofold "gamma" "gamma_1p" "poch" "beta" "betainc");
const BETAINCINV: &str = device_text!(twofold "gamma" "gamma_1p" "poch" "beta" "betainc" "betaincinv");
const BETA_DISTRIBUTIONS: &str =
    device_text!(twofold "gamma" "gamma_1p" "poch" "beta" "betainc" "betaincinv" "distributions");
const GAMMA_DISTRIBUTIONS: &str = device_text!(twofold "gamma" "gamma_1p" "gammainc" "gamma_distributions");
const GAMMA_QUANTILES: &str = device_text!(twofold "gamma" "gamma_1p" "gammainc" "gammaincinv" "gamma_quantiles");

pub(super) const UFUNCS: &[&Ufunc] = &[
    &special("betainc", 3, BETAINC, loops!("fff->f ddd->d" "special_betainc(a, b, c)"), "The regularized incomplete beta function I(x) of the parameters a and b.")
        .example("betainc(1.0, 1.0, array([0.0, 1.0])?)? => f64 [0.0, 1.0]")
        .notes("The integral of tᵃ⁻¹ (1 - t)ᵇ⁻¹ from 0 to x, divided by `beta(a, b)`: the distribution function of the beta distribution. NaN for negative parameters and for x beyond 0 and 1."),
    &special("betaincinv", 3, BETAINCINV, loops!("fff->f ddd->d" "special_betaincinv(a, b, c)"), "The inverse of the regularized incomplete beta function: the x at which it is p.")
        .example("betaincinv(2.0, 3.0, array([0.0, 1.0])?)? => f64 [0.0, 1.0]")
        .notes("The inverse of `betainc` in its last operand."),
    &special("bdtr", 3, BETA_DISTRIBUTIONS, loops!("dld->d fff->f ddd->d" "special_bdtr(a, b, c)"), "The distribution function of the binomial distribution: the probability of at most k successes in n trials, each of probability p.")
        .example("bdtr(array([2.0])?, 2.0, 0.5)? => f64 [1.0]")
        .notes("Counts are truncated to integers. NaN for k below 0 or above n, and for p beyond 0 and 1."),
    &special("bdtrc", 3, BETA_DISTRIBUTIONS, loops!("dld->d fff->f ddd->d" "special_bdtrc(a, b, c)"), "The complement of the distribution function of the binomial distribution: the probability of more than k successes in n trials, each of probability p.")
        .example("bdtrc(array([2.0])?, 2.0, 0.5)? => f64 [0.0]")
        .notes("It is 1 for k below 0. Accurate where `bdtr` is next to 1."),
    &special("bdtri", 3, BETA_DISTRIBUTIONS, loops!("dld->d fff->f ddd->d" "special_bdtri(a, b, c)"), "The probability p of a success at which the distribution function of the binomial distribution is y.")
        .example("bdtri(0.0, 1.0, array([1.0])?)? => f64 [0.0]")
        .notes("The inverse of `bdtr` in its last operand."),
    &special("nbdtr", 3, BETA_DISTRIBUTIONS, loops!("lld->d fff->f ddd->d" "special_nbdtr(a, b, c)"), "The distribution function of the negative binomial distribution: the probability of at most k failures before success n, where a success has the probability p.")
        .example("nbdtr(array([3.0])?, 2.0, 1.0)? => f64 [1.0]")
        .notes("Counts are truncated to integers. NaN for k below 0, n of 0 and less, and p beyond 0 and 1."),
    &special("nbdtrc", 3, BETA_DISTRIBUTIONS, loops!("lld->d fff->f ddd->d" "special_nbdtrc(a, b, c)"), "The complement of the distribution function of the negative binomial distribution: the probability of more than k failures before success n, where a success has the probability p.")
        .example("nbdtrc(array([3.0])?, 2.0, 1.0)? => f64 [0.0]")
        .notes("Accurate where `nbdtr` is next to 1."),
    &special("nbdtri", 3, BETA_DISTRIBUTIONS, loops!("lld->d fff->f ddd->d" "special_nbdtri(a, b, c)"), "The probability p of a success at which the distribution function of the negative binomial distribution is y.")
        .example("nbdtri(3.0, 2.0, array([1.0])?)? => f64 [1.0]")
        .notes("The inverse of `nbdtr` in its last operand."),
    &special("fdtr", 3, BETA_DISTRIBUTIONS, loops!("fff->f ddd->d" "special_fdtr(a, b, c)"), "The distribution function of Fisher's F distribution of dfn and dfd degrees of freedom.")
        .example("fdtr(2.0, 3.0, array([0.0, f64::INFINITY])?)? => f64 [0.0, 1.0]")
        .notes("NaN for degrees of freedom of 0 and less, and for x below 0."),
    &special("fdtrc", 3, BETA_DISTRIBUTIONS, loops!("fff->f ddd->d" "special_fdtrc(a, b, c)"), "The complement of the distribution function of Fisher's F distribution of dfn and dfd degrees of freedom.")
        .example("fdtrc(2.0, 3.0, array([0.0, f64::INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("Accurate where `fdtr` is next to 1."),
    &special("fdtri", 3, BETA_DISTRIBUTIONS, loops!("fff->f ddd->d" "special_fdtri(a, b, c)"), "The inverse of the distribution function of Fisher's F distribution of dfn and dfd degrees of freedom.")
        .example("fdtri(2.0, 3.0, array([0.0, 1.0])?)? => f64 [0.0, f64::INFINITY]")
        .notes("The inverse of `fdtr` in its last operand."),
    &special("gdtr", 3, GAMMA_DISTRIBUTIONS, loops!("fff->f ddd->d" "special_gdtr(a, b, c)"), "The distribution function of the gamma distribution of the rate a and the shape b.")
        .example("gdtr(1.0, 2.0, array([0.0, f64::INFINITY])?)? => f64 [0.0, 1.0]")
        .notes("It is `gammainc(b, a x)`. NaN for x below 0."),
    &special("gdtrc", 3, GAMMA_DISTRIBUTIONS, loops!("fff->f ddd->d" "special_gdtrc(a, b, c)"), "The complement of the distribution function of the gamma distribution of the rate a and the shape b.")
        .example("gdtrc(1.0, 2.0, array([0.0, f64::INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("It is `gammaincc(b, a x)`. NaN for x below 0."),
    &special("chdtr", 2, GAMMA_DISTRIBUTIONS, loops!("ff->f dd->d" "special_chdtr(a, b)"), "The distribution function of the chi-squared distribution of v degrees of freedom.")
        .example("chdtr(2.0, array([0.0, f64::INFINITY])?)? => f64 [0.0, 1.0]")
        .notes("It is `gammainc(v / 2, x / 2)`."),
    &special("chdtrc", 2, GAMMA_DISTRIBUTIONS, loops!("ff->f dd->d" "special_chdtrc(a, b)"), "The complement of the distribution function of the chi-squared distribution of v degrees of freedom.")
        .example("chdtrc(2.0, array([0.0, f64::INFINITY])?)? => f64 [1.0, 0.0]")
        .notes("It is `gammaincc(v / 2, x / 2)`."),
    &special("chdtri", 2, GAMMA_QUANTILES, loops!("ff->f dd->d" "special_chdtri(a, b)"), "The inverse of the complement of the distribution function of the chi-squared distribution of v degrees of freedom.")
        .example("chdtri(2.0, array([1.0, 0.0])?)? => f64 [0.0, f64::INFINITY]")
        .notes("The inverse of `chdtrc` in its last operand."),
    &special("pdtr", 2, GAMMA_DISTRIBUTIONS, loops!("ff->f dd->d" "special_pdtr(a, b)"), "The distribution function of the Poisson distribution of the mean m: the probability of at most k events.")
        .example("pdtr(array([0.0, 5.0])?, 0.0)? => f64 [1.0, 1.0]")
        .notes("k is rounded down. NaN for negative operands."),
    &special("pdtrc", 2, GAMMA_DISTRIBUTIONS, loops!("ff->f dd->d" "special_pdtrc(a, b)"), "The complement of the distribution function of the Poisson distribution of the mean m: the probability of more than k events.")
        .example("pdtrc(array([0.0, 5.0])?, 0.0)? => f64 [0.0, 0.0]")
        .notes("k is rounded down. NaN for negative operands."),
    &special("pdtri", 2, GAMMA_QUANTILES, loops!("ld->d ff->f dd->d" "special_pdtri(a, b)"), "The mean m at which the distribution function of the Poisson distribution of k events is y.")
        .example("pdtri(3, array([0.0])?)? => f64 [f64::INFINITY]")
        .notes("The inverse of `pdtr` in its last operand."),
    &special("ndtri", 1, NONE, loops!("f->f d->d" "normcdfinv(a)"), "The inverse of the distribution function of the standard normal distribution; NaN beyond 0 and 1.")
        .example("ndtri(array([0.5, 1.0])?)? => f64 [0.0, f64::INFINITY]")
        .notes("The inverse of `ndtr`; infinite at 0 and 1."),
    &of_complex(COMPLEX_LOG_NDTR, special("log_ndtr", 1, LOG_NDTR, loops!("f->f d->d" "special_log_ndtr(a)", "F->F D->D" "complex_log_ndtr(a)"), "The logarithm of the distribution function of the standard normal distribution."))
        .example("log_ndtr(array([f64::INFINITY])?)? => f64 [0.0]")
        .notes("Accurate where `ndtr` is next to 0 or 1."),
    &special("boxcox", 2, BOXCOX, loops!("ff->f dd->d" "special_boxcox(a, b)"), "The transformation of Box and Cox, (x^λ - 1) / λ, or the logarithm for λ of 0.")
        .example("boxcox(array([1.0, 3.0])?, 1.0)? => f64 [0.0, 2.0]")
        .notes("NaN for x below 0."),
    &special("boxcox1p", 2, BOXCOX, loops!("ff->f dd->d" "special_boxcox1p(a, b)"), "The transformation of Box and Cox of 1 + x, ((1 + x)^λ - 1) / λ, or the logarithm for λ of 0.")
        .example("boxcox1p(array([0.0])?, 2.0)? => f64 [0.0]")
        .notes("NaN for x below -1. Accurate near 0."),
    &special("inv_boxcox", 2, BOXCOX, loops!("ff->f dd->d" "special_inv_boxcox(a, b)"), "The inverse of the transformation of Box and Cox: (1 + λ x)^(1/λ), or the exponential for λ of 0.")
        .example("inv_boxcox(array([0.0])?, 2.0)? => f64 [1.0]")
        .notes("The inverse of `boxcox` in its first operand."),
    &special("inv_boxcox1p", 2, BOXCOX, loops!("ff->f dd->d" "special_inv_boxcox1p(a, b)"), "The inverse of the transformation of Box and Cox of 1 + x: (1 + λ x)^(1/λ) - 1, or the exponential minus 1 for λ of 0.")
        .example("inv_boxcox1p(array([0.0])?, 2.0)? => f64 [0.0]")
        .notes("The inverse of `boxcox1p` in its first operand."),
];
