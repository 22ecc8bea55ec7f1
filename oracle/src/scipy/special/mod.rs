//! The special functions of SciPy.
//!
//! Each is a series, an asymptotic expansion or a root found in arithmetic of 256 bits, with its equation in the
//! Digital Library of Mathematical Functions (DLMF). At the ends of the domains SciPy's conventions apply.

mod bessel;
mod beta;
mod complex;
mod composed;
mod condition;
mod degrees;
mod elliptic;
mod entropy;
mod erf;
mod gamma;
mod incomplete;
mod integrals;
mod legendre;
mod ops;
mod poch;
mod routines;
mod scale;
mod yn;
mod zeta;

use std::collections::HashSet;
use std::sync::LazyLock;

use cuprum_kernels::DType;

pub(crate) use complex::hankel_factor;
pub use condition::{complex_special_condition, special_condition, special_value};
pub use scale::{complex_special_scale, special_scale};

use crate::core::value::{Flag, Value, round};
use crate::exact::big::Big;
use crate::exact::complex_elementary;
use crate::exact::elementary;
use crate::ufunc::loops::Spec;

/// The result of a function.
enum Real {
    /// An exact value.
    Float(f64),
    /// A value to be rounded.
    Big(Big),
    /// A zero whose sign is undetermined.
    Zero,
    /// An argument for which no value is computed.
    Unknown,
}

impl From<f64> for Real {
    fn from(v: f64) -> Real {
        Real::Float(v)
    }
}

impl From<Big> for Real {
    fn from(v: Big) -> Real {
        Real::Big(v)
    }
}

impl Real {
    fn round(&self, dtype: DType) -> (Value, Flag) {
        match self {
            Real::Float(v) => (Value::Float(round(*v, dtype)), Flag::Exact),
            Real::Big(v) => (Value::Float(v.round(dtype)), Flag::Exact),
            Real::Zero => (Value::Float(0.0), Flag::AnySign),
            Real::Unknown => (Value::Float(f64::NAN), Flag::Any),
        }
    }
}

/// SciPy's loops, in the order of SciPy 1.18.
const REAL1: &[&str] = &["f->f d->d"];
const REAL2: &[&str] = &["ff->f dd->d"];
const REAL3: &[&str] = &["fff->f ddd->d"];
const COMPLEX1: &[&str] = &["f->f d->d F->F D->D"];
const COMPLEX2: &[&str] = &["ff->f dd->d FF->F DD->D"];

const fn spec(name: &'static str, nin: usize, loops: &'static [&'static str]) -> Spec {
    Spec { name, nin, loops }
}

pub(crate) const SPECS: &[Spec] = &[
    spec("erf", 1, REAL1),
    spec("erfc", 1, REAL1),
    spec("erfcx", 1, REAL1),
    spec("erfinv", 1, REAL1),
    spec("erfcinv", 1, REAL1),
    spec("ndtr", 1, REAL1),
    spec("gamma", 1, COMPLEX1),
    spec("gammaln", 1, REAL1),
    spec("psi", 1, COMPLEX1),
    spec("poch", 2, REAL2),
    spec("zeta", 2, REAL2),
    spec("gammaincc", 2, REAL2),
    spec("gammainc", 2, REAL2),
    spec("gammaincinv", 2, REAL2),
    spec("gammainccinv", 2, REAL2),
    spec("j0", 1, REAL1),
    spec("j1", 1, REAL1),
    spec("y0", 1, REAL1),
    spec("y1", 1, REAL1),
    spec("yn", 2, &["ld->d ff->f dd->d"]),
    spec("scipy.special.i0", 1, REAL1),
    spec("i1", 1, REAL1),
    spec("lpmv", 3, &["fff->f ddd->d"]),
    spec("sph_legendre_p", 3, &["lld->d"]),
    spec("logit", 1, &["d->d f->f"]),
    spec("expit", 1, REAL1),
    spec("log_expit", 1, REAL1),
    spec("entr", 1, REAL1),
    spec("rel_entr", 2, REAL2),
    spec("kl_div", 2, REAL2),
    spec("huber", 2, REAL2),
    spec("pseudo_huber", 2, REAL2),
    spec("xlogy", 2, COMPLEX2),
    spec("xlog1py", 2, COMPLEX2),
    spec("scipy.special.cbrt", 1, REAL1),
    spec("scipy.special.exp2", 1, REAL1),
    spec("scipy.special.exp10", 1, REAL1),
    spec("scipy.special.expm1", 1, COMPLEX1),
    spec("scipy.special.log1p", 1, COMPLEX1),
    spec("sindg", 1, REAL1),
    spec("cosdg", 1, REAL1),
    spec("tandg", 1, REAL1),
    spec("cotdg", 1, REAL1),
    spec("radian", 3, REAL3),
    spec("betainc", 3, REAL3),
    spec("betaincinv", 3, REAL3),
    spec("fdtr", 3, REAL3),
    spec("fdtrc", 3, REAL3),
    spec("fdtri", 3, REAL3),
    spec("gdtr", 3, REAL3),
    spec("gdtrc", 3, REAL3),
    spec("wright_bessel", 3, REAL3),
    spec("bdtr", 3, &["dld->d fff->f ddd->d"]),
    spec("bdtrc", 3, &["dld->d fff->f ddd->d"]),
    spec("bdtri", 3, &["dld->d fff->f ddd->d"]),
    spec("nbdtr", 3, &["lld->d fff->f ddd->d"]),
    spec("nbdtrc", 3, &["lld->d fff->f ddd->d"]),
    spec("nbdtri", 3, &["lld->d fff->f ddd->d"]),
    spec("chdtr", 2, REAL2),
    spec("chdtrc", 2, REAL2),
    spec("chdtri", 2, REAL2),
    spec("pdtr", 2, REAL2),
    spec("pdtrc", 2, REAL2),
    spec("boxcox", 2, REAL2),
    spec("boxcox1p", 2, REAL2),
    spec("inv_boxcox", 2, REAL2),
    spec("inv_boxcox1p", 2, REAL2),
    spec("beta", 2, REAL2),
    spec("betaln", 2, REAL2),
    spec("binom", 2, REAL2),
    spec("ellipkinc", 2, REAL2),
    spec("ellipeinc", 2, REAL2),
    spec("pdtri", 2, &["ld->d ff->f dd->d"]),
    spec("expn", 2, &["ld->d ff->f dd->d"]),
    spec("ndtri", 1, REAL1),
    spec("gammasgn", 1, REAL1),
    spec("zetac", 1, REAL1),
    spec("cosm1", 1, REAL1),
    spec("exprel", 1, REAL1),
    spec("ellipk", 1, REAL1),
    spec("ellipkm1", 1, REAL1),
    spec("k0", 1, REAL1),
    spec("k0e", 1, REAL1),
    spec("k1", 1, REAL1),
    spec("k1e", 1, REAL1),
    spec("i0e", 1, REAL1),
    spec("i1e", 1, REAL1),
    spec("log_ndtr", 1, COMPLEX1),
    spec("rgamma", 1, COMPLEX1),
    spec("loggamma", 1, COMPLEX1),
    spec("exp1", 1, COMPLEX1),
    spec("expi", 1, COMPLEX1),
    spec("sici", 1, &["f->ff d->dd F->FF D->DD"]),
    spec("shichi", 1, &["f->ff d->dd F->FF D->DD"]),
];

/// Functions of a formula in elementary functions, the gamma function or the error function.
const FORMULAS: [&str; 11] = [
    "cosm1",
    "exprel",
    "gammasgn",
    "rgamma",
    "loggamma",
    "ndtri",
    "log_ndtr",
    "boxcox",
    "boxcox1p",
    "inv_boxcox",
    "inv_boxcox1p",
];

/// Computes a result of a function that has two.
pub(crate) fn pair(name: &str, args: &[Value], k: usize, dtype: DType) -> (Value, Flag) {
    let sign = if name == "sici" { -1.0 } else { 1.0 };
    if dtype.is_complex() {
        return complex::integral(args[0].complex(), sign, k, dtype);
    }
    integrals::integrals(args[0].float(), sign)[k].round(dtype)
}

/// Returns true if there is a special function of this name.
pub(crate) fn has(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| SPECS.iter().map(|s| s.name).collect());
    NAMES.contains(name)
}

/// Returns the name of NumPy's function with the same values and other loops.
fn of_numpy(name: &str) -> Option<&str> {
    name.strip_prefix("scipy.special.").filter(|name| matches!(*name, "cbrt" | "exp2" | "exp10" | "expm1" | "log1p"))
}

/// Returns the correctly rounded value.
pub(crate) fn value(name: &str, args: &[Value], dtype: DType) -> (Value, Flag) {
    if let ("yn", &[Value::Int(n), x]) = (name, args) {
        return yn::bessel_yn_of_integer(n, x.float()).round(dtype);
    }
    if let (Some(name), &[x]) = (of_numpy(name), args) {
        let z = x.complex();
        return if name == "expm1" && dtype.is_complex() && !z.is_finite() {
            // SciPy subtracts 1 from the exponential, next to an infinity too.
            (Value::Complex(crate::exact::complex::exp(z, dtype) - 1.0), Flag::AnySign)
        } else if dtype.is_complex() {
            // SciPy's zeros in the parts of the logarithm have the other sign than NumPy's.
            let w = complex_elementary::of_complex(name, x.complex(), x.complex(), dtype);
            let is_zero = w.re == 0.0 || w.im == 0.0;
            (Value::Complex(w), if name == "log1p" && is_zero { Flag::AnySign } else { Flag::Exact })
        } else {
            (Value::Float(elementary::of_floats(name, x.float(), 0.0, dtype)), Flag::Exact)
        };
    }
    if dtype.is_complex() {
        let z: Vec<_> = args.iter().map(|v| v.complex()).collect();
        return complex::value(name, &z, dtype);
    }
    let x: Vec<f64> = args.iter().map(|v| v.float()).collect();
    of_reals(name, &x).round(dtype)
}

fn of_reals(name: &str, x: &[f64]) -> Real {
    match (name, x) {
        ("erf", &[x]) => erf::erf(x),
        ("erfc", &[x]) => erf::erfc(x),
        ("erfcx", &[x]) => erf::erfcx(x),
        ("erfinv", &[y]) => erf::erfinv(y),
        ("erfcinv", &[q]) => erf::erfcinv(q),
        ("ndtr", &[x]) => erf::ndtr(x),
        ("gamma", &[x]) => gamma::gamma(x),
        ("gammaln", &[x]) => gamma::gammaln(x),
        ("psi", &[x]) => gamma::psi(x),
        ("poch", &[a, m]) => poch::poch(a, m),
        ("zeta", &[x, q]) => zeta::zeta(x, q),
        ("gammaincc", &[a, x]) => incomplete::gammaincc(a, x),
        ("gammainc", &[a, x]) => incomplete::gammainc(a, x),
        ("gammaincinv", &[a, p]) => incomplete::gammaincinv(a, p),
        ("gammainccinv", &[a, q]) => incomplete::gammainccinv(a, q),
        ("j0", &[x]) => bessel::bessel_j(0.0, x),
        ("j1", &[x]) => bessel::bessel_j(1.0, x),
        ("y0", &[x]) => bessel::bessel_y(0.0, x),
        ("y1", &[x]) => bessel::bessel_y(1.0, x),
        ("yn", &[n, x]) => yn::bessel_yn(n, x),
        ("scipy.special.i0", &[x]) => bessel::bessel_i(0.0, x),
        ("i1", &[x]) => bessel::bessel_i(1.0, x),
        ("lpmv", &[m, v, x]) => legendre::lpmv(m, v, x),
        ("sph_legendre_p", &[n, m, theta]) => legendre::spherical(n as i64, m as i64, theta),
        ("logit", &[p]) => entropy::logit(p),
        ("expit", &[x]) => entropy::expit(x),
        ("log_expit", &[x]) => entropy::log_expit(x),
        ("entr", &[x]) => entropy::entr(x),
        ("rel_entr", &[x, y]) => entropy::rel_entr(x, y),
        ("kl_div", &[x, y]) => entropy::kl_div(x, y),
        ("huber", &[delta, r]) => entropy::huber(delta, r),
        ("pseudo_huber", &[delta, r]) => entropy::pseudo_huber(delta, r),
        ("xlogy", &[x, y]) => entropy::xlogy(x, y),
        ("xlog1py", &[x, y]) => entropy::xlog1py(x, y),
        ("sindg", &[x]) => degrees::sindg(x),
        ("cosdg", &[x]) => degrees::cosdg(x),
        ("tandg", &[x]) => degrees::tandg(x, false),
        ("cotdg", &[x]) => degrees::tandg(x, true),
        ("radian", &[d, m, s]) => degrees::radian(d, m, s),
        ("beta", &[a, b]) => beta::beta(a, b),
        ("betaln", &[a, b]) => beta::betaln(a, b),
        ("binom", &[n, k]) => beta::binom(n, k),
        ("betainc", &[a, b, x]) => beta::betainc(a, b, x),
        ("betaincinv", &[a, b, p]) => beta::betaincinv(a, b, p),
        ("bdtr" | "bdtrc", &[k, n, p]) => beta::bdtr(k, n, p, name == "bdtrc"),
        ("bdtri", &[k, n, y]) => beta::bdtri(k, n, y),
        ("nbdtr" | "nbdtrc", &[k, n, p]) => beta::nbdtr(k, n, p, name == "nbdtrc"),
        ("nbdtri", &[k, n, y]) => beta::nbdtri(k, n, y),
        ("fdtr" | "fdtrc", &[n, d, x]) => beta::fdtr(n, d, x, name == "fdtrc"),
        ("fdtri", &[n, d, y]) => beta::fdtri(n, d, y),
        ("gdtr" | "gdtrc" | "chdtr" | "chdtrc" | "chdtri" | "pdtr" | "pdtrc" | "pdtri", x) => beta::of_gamma(name, x),
        ("exp1", &[x]) => integrals::exp1(x),
        ("expi", &[x]) => integrals::expi(x),
        ("expn", &[n, x]) => integrals::expn(n, x),
        ("k0" | "k0e", &[x]) => integrals::bessel_k(0.0, x, name == "k0e"),
        ("k1" | "k1e", &[x]) => integrals::bessel_k(1.0, x, name == "k1e"),
        ("i0e", &[x]) => integrals::bessel_ie(0.0, x),
        ("i1e", &[x]) => integrals::bessel_ie(1.0, x),
        ("zetac", &[x]) => integrals::zetac(x),
        ("ellipk" | "ellipkm1", &[x]) if x.is_nan() => x.into(),
        ("ellipk" | "ellipkm1", &[x]) if x.is_infinite() => {
            (if (name == "ellipk") == (x < 0.0) { 0.0 } else { f64::NAN }).into()
        }
        ("ellipk", &[m]) => elliptic::ellipkm1(&(Big::new(1.0) - m)),
        ("ellipkm1", &[p]) => elliptic::ellipkm1(&Big::new(p)),
        ("ellipkinc" | "ellipeinc", &[phi, m]) => elliptic::incomplete(phi, m, name == "ellipeinc"),
        ("wright_bessel", &[a, b, x]) => integrals::wright_bessel(a, b, x),
        // Their condition differs between the results, and is left out.
        ("sici" | "shichi", _) => Real::Unknown,
        (name, x) if FORMULAS.contains(&name) => integrals::formula(name, x),
        _ => unreachable!("{name} has no form of {} operands", x.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, x: &[f64]) -> f64 {
        of_reals(name, x).round(DType::F64).0.float()
    }

    /// Values to 16 digits and more from Abramowitz & Stegun's tables and from closed forms.
    #[test]
    fn published_values() {
        use std::f64::consts::LN_2;
        assert_eq!(of("erf", &[1.0]), 0.842_700_792_949_714_9);
        assert_eq!(of("gamma", &[0.5]), 1.772_453_850_905_516);
        assert_eq!(of("gamma", &[5.0]), 24.0);
        assert_eq!(of("poch", &[0.5, 3.0]), 1.875);
        assert_eq!(of("zeta", &[2.0, 1.0]), 1.644_934_066_848_226_4);
        assert_eq!(of("gammaincc", &[1.0, LN_2]), 0.5);
        assert_eq!(of("psi", &[1.0]), -0.577_215_664_901_532_9);
        assert_eq!(of("j0", &[2.0]), 0.223_890_779_141_235_67);
        assert_eq!(of("gammainc", &[1.0, LN_2]), 0.5);
        // DLMF 14.30.3: one over the root of 4 pi, and the root of 15 over 8 pi times half the sine of twice the angle.
        assert_eq!(of("sph_legendre_p", &[0.0, 0.0, 1.0]), 0.282_094_791_773_878_14);
        let second = -(15.0 / (8.0 * std::f64::consts::PI)).sqrt() * 0.5 * 2f64.sin();
        assert!((of("sph_legendre_p", &[2.0, 1.0, 1.0]) - second).abs() < 1e-16);
        assert_eq!(of("ellipk", &[0.5]), 1.854_074_677_301_371_9);
        assert_eq!(of("exp1", &[1.0]), 0.219_383_934_395_520_273_677);
        assert_eq!(of("expi", &[1.0]), 1.895_117_816_355_936_8);
        assert_eq!(of("expn", &[2.0, 1.0]), 0.148_495_506_775_922_05);
        assert_eq!(of("k0", &[1.0]), 0.421_024_438_240_708_33);
        assert_eq!(of("k1", &[1.0]), 0.601_907_230_197_234_6);
        assert_eq!(of("zetac", &[2.0]), 0.644_934_066_848_226_4);
        assert_eq!(of("betainc", &[2.0, 3.0, 0.5]), 0.6875);
        assert_eq!(of("bdtr", &[2.0, 4.0, 0.5]), 0.6875);
        assert_eq!(of("binom", &[5.0, 2.0]), 10.0);
        assert_eq!(of("gammaincinv", &[1.0, 0.5]), LN_2);
        // By the Cornish-Fisher expansion of the gamma distribution, from the normal one's quantile.
        assert_eq!(of("gammaincinv", &[2e7, 0.4]), 19_998_866.685_383_472);
        assert_eq!(of("gammaincinv", &[7.920_985_659_254_129e18, 0.4]), 7.920_985_658_541_102e18);
    }

    /// Below and above the points where the algorithm changes, both must agree.
    #[test]
    fn a_function_goes_on_where_its_formula_changes() {
        for (name, at) in [("erfc", 10.0), ("erfcx", 10.0), ("j0", 60.0), ("y1", 60.0), ("psi", 40.0)] {
            let step = 2f64.powi(-24);
            let [a, b, c, d] = [-3.0, -1.0, 1.0, 3.0].map(|k| of(name, &[at + k * step]));
            // The third difference of a smooth function is negligible.
            let third = (d - a) - 3.0 * (c - b);
            assert!(third.abs() < 1e-14 * a.abs().max(b.abs()), "{name} at {at}: {third:e}");
        }
    }
}
