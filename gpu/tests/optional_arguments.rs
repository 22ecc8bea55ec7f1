//! `()` is accepted for every optional argument, and numbers of any type where numbers are taken.

use cuprum::linalg;
use cuprum::polynomial::{polynomial, polyutils};
use cuprum::prelude::*;
use cuprum::{fft, scipy, table};

/// Every function of the call table that has optional arguments, called with `()` for them. Compiled, and never run.
#[allow(dead_code, unused_must_use, reason = "that it compiles is what is tested")]
fn every_optional_argument_is_left_out(a: &Array, n: usize) -> Result<()> {
    fft::fft(a, ())?;
    fft::fft2(a, ())?;
    fft::fftfreq(n, ())?;
    fft::fftn(a, ())?;
    fft::fftshift(a, ())?;
    fft::hfft(a, ())?;
    fft::ifft(a, ())?;
    fft::ifft2(a, ())?;
    fft::ifftn(a, ())?;
    fft::ifftshift(a, ())?;
    fft::ihfft(a, ())?;
    fft::irfft(a, ())?;
    fft::irfft2(a, ())?;
    fft::irfftn(a, ())?;
    fft::rfft(a, ())?;
    fft::rfft2(a, ())?;
    fft::rfftfreq(n, ())?;
    fft::rfftn(a, ())?;
    linalg::cholesky(a, ())?;
    linalg::cond(a, ())?;
    linalg::eigh(a, ())?;
    linalg::eigvalsh(a, ())?;
    linalg::lstsq(a, a, ())?;
    linalg::matrix_rank(a, ())?;
    linalg::norm(a, ())?;
    linalg::pinv(a, ())?;
    linalg::qr(a, ())?;
    linalg::svd(a, ())?;
    linalg::tensorinv(a, ())?;
    linalg::tensorsolve(a, a, ())?;
    scipy::linalg::cho_factor(a, ())?;
    scipy::linalg::cho_solve(a, a, ())?;
    scipy::linalg::convolution_matrix(a, n, ())?;
    scipy::linalg::dft(n, ())?;
    scipy::linalg::hadamard(n, ())?;
    scipy::linalg::hankel(a, ())?;
    scipy::linalg::helmert(n, ())?;
    scipy::linalg::invhilbert(n, ())?;
    scipy::linalg::lu(a, ())?;
    scipy::linalg::lu_solve(a, a, a, ())?;
    scipy::linalg::pascal(n, ())?;
    scipy::linalg::solve_triangular(a, a, ())?;
    scipy::linalg::toeplitz(a, ())?;
    cuprum::allclose(a, a, ())?;
    cuprum::angle(a, ())?;
    cuprum::append(a, a, ())?;
    cuprum::argpartition(a, 2, ())?;
    cuprum::argsort(a, ())?;
    cuprum::around(a, ())?;
    cuprum::array_equal(a, a, ())?;
    cuprum::array_split(a, 2, ())?;
    cuprum::asanyarray(a, ())?;
    cuprum::asarray(a, ())?;
    cuprum::asarray_chkfinite(a, ())?;
    cuprum::asfarray(a, ())?;
    cuprum::bincount(a, ())?;
    cuprum::choose(a, [a, a], ())?;
    cuprum::clip(a, (), (), ())?;
    cuprum::compress(a, a, ())?;
    cuprum::concat([a, a], ())?;
    cuprum::concatenate([a, a], ())?;
    cuprum::convolve(a, a, ())?;
    cuprum::copyto(a, a, ())?;
    cuprum::corrcoef(a, ())?;
    cuprum::correlate(a, a, ())?;
    cuprum::cov(a, ())?;
    cuprum::cross(a, a, ())?;
    cuprum::delete(a, 2, ())?;
    cuprum::diag(a, ())?;
    cuprum::diagflat(a, ())?;
    cuprum::diff(a, ())?;
    cuprum::digitize(a, a, ())?;
    cuprum::ediff1d(a, ())?;
    cuprum::einsum("ij", [a, a], ())?;
    cuprum::empty_like(a, ())?;
    cuprum::fill_diagonal(a, a, ())?;
    cuprum::flip(a, ())?;
    cuprum::full_like(a, n, ())?;
    cuprum::geomspace(a, a, ())?;
    cuprum::gradient(a, ())?;
    cuprum::histogram(a, ())?;
    cuprum::histogram2d(a, a, ())?;
    cuprum::histogram_bin_edges(a, ())?;
    cuprum::histogramdd(a, ())?;
    cuprum::hstack([a, a], ())?;
    cuprum::identity(n, ())?;
    cuprum::in1d(a, a, ())?;
    cuprum::insert(a, 2, a, ())?;
    cuprum::interp(a, a, a, ())?;
    cuprum::isclose(a, a, ())?;
    cuprum::isin(a, a, ())?;
    cuprum::isneginf(a, ())?;
    cuprum::isposinf(a, ())?;
    cuprum::lexsort([a, a], ())?;
    cuprum::logspace(a, a, ())?;
    cuprum::matmul_with(a, a, ())?;
    cuprum::matvec(a, a, ())?;
    cuprum::median(a, ())?;
    cuprum::meshgrid([a, a], ())?;
    cuprum::nan_to_num(a, ())?;
    cuprum::nanmedian(a, ())?;
    cuprum::nanpercentile(a, 0.5, ())?;
    cuprum::nanquantile(a, 0.5, ())?;
    cuprum::ones_like(a, ())?;
    cuprum::outer(a, a, ())?;
    cuprum::packbits(a, ())?;
    cuprum::pad(a, 2, ())?;
    cuprum::partition(a, 2, ())?;
    cuprum::percentile(a, 0.5, ())?;
    cuprum::permute_dims(a, ())?;
    cuprum::polyder(a, ())?;
    cuprum::polyfit(a, a, n, ())?;
    cuprum::polyint(a, ())?;
    cuprum::ptp(a, ())?;
    cuprum::put(a, a, a, ())?;
    cuprum::put_along_axis(a, a, a, ())?;
    cuprum::quantile(a, 0.5, ())?;
    cuprum::ravel_multi_index([a, a], 2, ())?;
    cuprum::real_if_close(a, ())?;
    cuprum::repeat(a, a, ())?;
    cuprum::roll(a, 2, ())?;
    cuprum::rollaxis(a, n, ())?;
    cuprum::rot90(a, ())?;
    cuprum::round(a, ())?;
    cuprum::round_(a, ())?;
    cuprum::row_stack([a, a], ())?;
    cuprum::searchsorted(a, a, ())?;
    cuprum::setdiff1d(a, a, ())?;
    cuprum::setxor1d(a, a, ())?;
    cuprum::sliding_window_view(a, 2, ())?;
    cuprum::sort(a, ())?;
    cuprum::split(a, 2, ())?;
    cuprum::stack([a, a], ())?;
    cuprum::take(a, a, ())?;
    cuprum::take_along_axis(a, a, ())?;
    cuprum::tensordot(a, a, ())?;
    cuprum::trace(a, ())?;
    cuprum::trapezoid(a, ())?;
    cuprum::trapz(a, ())?;
    cuprum::tril(a, ())?;
    cuprum::tril_indices_from(a, ())?;
    cuprum::trim_zeros(a, ())?;
    cuprum::triu(a, ())?;
    cuprum::triu_indices_from(a, ())?;
    cuprum::unique(a, ())?;
    cuprum::unpackbits(a, ())?;
    cuprum::unravel_index(a, 2, ())?;
    cuprum::unstack(a, ())?;
    cuprum::unwrap(a, ())?;
    cuprum::vecdot(a, a, ())?;
    cuprum::vecmat(a, a, ())?;
    cuprum::vstack([a, a], ())?;
    cuprum::zeros_like(a, ())?;
    polynomial::polyder(a, ())?;
    polynomial::polyint(a, ())?;
    polynomial::polypow(a, n, ())?;
    polynomial::polyval(a, a, ())?;
    polynomial::polyvalfromroots(a, a, ())?;
    polyutils::as_series([a, a], ())?;
    polyutils::trimcoef(a, ())?;
    scipy::signal::choose_conv_method(a, a, ())?;
    scipy::signal::convolve(a, a, ())?;
    scipy::signal::correlate(a, a, ())?;
    scipy::signal::correlation_lags(n, n, ())?;
    scipy::signal::fftconvolve(a, a, ())?;
    scipy::signal::oaconvolve(a, a, ())?;
    scipy::fft::fftfreq(n, ())?;
    scipy::fft::fftshift(a, ())?;
    scipy::fft::fht(a, n, n, ())?;
    scipy::fft::fhtoffset(n, n, ())?;
    scipy::fft::ifftshift(a, ())?;
    scipy::fft::ifht(a, n, n, ())?;
    scipy::fft::next_fast_len(n, ())?;
    scipy::fft::prev_fast_len(n, ())?;
    scipy::fft::rfftfreq(n, ())?;
    scipy::fftpack::irfft(a, ())?;
    scipy::fftpack::rfft(a, ())?;
    scipy::stats::entropy(a, ())?;
    scipy::stats::trim_mean(a, n, ())?;
    a.tril(())?;
    a.sort(())?;
    a.partition(2, ())?;
    a.sum(())?;
    a.squeeze(())?;
    a.copy(())?;
    arange(0, 3, ())?;
    cuprum::arange_of(0, 3, (), ())?;
    cuprum::indices([2, 2], ())?;
    cuprum::eye(2, ())?;
    cuprum::linspace(0, 1, ())?;
    cuprum::full(2, 1, ())?;
    cuprum::hanning(n)?;
    cuprum::kaiser(n, n)?;
    cuprum::binary_repr(3, ())?;
    cuprum::Poly1d::new(a)?.deriv(())?;
    cuprum::random::default_rng(())?.random(())?;
    cuprum::random::default_rng(())?.permuted(a, ())?;
    Ok(())
}

/// Functions without a call above: those of the registry, whose options are of one type each, and those whose optional arguments are
/// not of this form yet. The list only gets shorter.
#[rustfmt::skip]
const UNCHECKED: &[&str] = &[
    "cupyx.rsqrt", "cupyx.scipy.special.exp10", "numpy.absolute", "numpy.add", "numpy.all", "numpy.any",
    "numpy.arange", "numpy.arccos", "numpy.arccosh", "numpy.arcsin", "numpy.arcsinh", "numpy.arctan", "numpy.arctan2",
    "numpy.arctanh", "numpy.argmax", "numpy.argmin", "numpy.astype", "numpy.average", "numpy.base_repr",
    "numpy.bitwise_and", "numpy.bitwise_count", "numpy.bitwise_or", "numpy.bitwise_xor", "numpy.can_cast",
    "numpy.cbrt", "numpy.ceil", "numpy.conjugate", "numpy.copy", "numpy.copysign", "numpy.cos", "numpy.cosh",
    "numpy.count_nonzero", "numpy.cumprod", "numpy.cumsum", "numpy.cumulative_prod", "numpy.cumulative_sum",
    "numpy.deg2rad", "numpy.degrees", "numpy.diag_indices", "numpy.diagonal", "numpy.divmod", "numpy.empty",
    "numpy.equal", "numpy.exp", "numpy.exp2", "numpy.expm1", "numpy.fabs", "numpy.float_power", "numpy.floor",
    "numpy.floor_divide", "numpy.fmax", "numpy.fmin", "numpy.fmod", "numpy.format_float_positional",
    "numpy.format_float_scientific", "numpy.frexp", "numpy.fromfile", "numpy.fromstring", "numpy.gcd",
    "numpy.genfromtxt", "numpy.greater", "numpy.greater_equal", "numpy.heaviside", "numpy.hypot", "numpy.i0",
    "numpy.intersect1d", "numpy.invert", "numpy.isfinite", "numpy.isinf", "numpy.isnan", "numpy.lcm", "numpy.ldexp",
    "numpy.left_shift", "numpy.less", "numpy.less_equal", "numpy.load", "numpy.loadtxt", "numpy.log", "numpy.log10",
    "numpy.log1p", "numpy.log2", "numpy.logaddexp", "numpy.logaddexp2", "numpy.logical_and", "numpy.logical_not",
    "numpy.logical_or", "numpy.logical_xor", "numpy.max", "numpy.maximum", "numpy.mean", "numpy.min", "numpy.minimum",
    "numpy.mintypecode", "numpy.modf", "numpy.multiply", "numpy.nanargmax", "numpy.nanargmin", "numpy.nancumprod",
    "numpy.nancumsum", "numpy.nanmax", "numpy.nanmean", "numpy.nanmin", "numpy.nanprod", "numpy.nanstd",
    "numpy.nansum", "numpy.nanvar", "numpy.negative", "numpy.nextafter", "numpy.not_equal", "numpy.ones",
    "numpy.positive", "numpy.power", "numpy.prod", "numpy.rad2deg", "numpy.radians", "numpy.reciprocal",
    "numpy.remainder", "numpy.reshape", "numpy.right_shift", "numpy.rint", "numpy.savetxt", "numpy.savez",
    "numpy.savez_compressed", "numpy.select", "numpy.sign", "numpy.signbit", "numpy.sin", "numpy.sinc", "numpy.sinh",
    "numpy.spacing", "numpy.sqrt", "numpy.square", "numpy.squeeze", "numpy.std", "numpy.subtract", "numpy.sum",
    "numpy.tan", "numpy.tanh", "numpy.transpose", "numpy.tri", "numpy.tril_indices", "numpy.triu_indices",
    "numpy.true_divide", "numpy.trunc", "numpy.vander", "numpy.var", "numpy.zeros", "numpy.ndarray.partition",
    "numpy.ndarray.sort", "numpy.ndarray.tofile", "scipy.fft.dct", "scipy.fft.dctn", "scipy.fft.dst",
    "scipy.fft.dstn", "scipy.fft.hfft2", "scipy.fft.hfftn", "scipy.fft.idct", "scipy.fft.idctn", "scipy.fft.idst",
    "scipy.fft.idstn", "scipy.fft.ihfft2", "scipy.fft.ihfftn", "scipy.special.cbrt", "scipy.special.cosdg",
    "scipy.special.cotdg", "scipy.special.entr", "scipy.special.erf", "scipy.special.erfc", "scipy.special.erfcinv",
    "scipy.special.erfcx", "scipy.special.erfinv", "scipy.special.exp10", "scipy.special.exp2", "scipy.special.expit",
    "scipy.special.expm1", "scipy.special.gamma", "scipy.special.gammainc", "scipy.special.gammaincc",
    "scipy.special.gammainccinv", "scipy.special.gammaincinv", "scipy.special.gammaln", "scipy.special.huber",
    "scipy.special.i0", "scipy.special.i1", "scipy.special.j0", "scipy.special.j1", "scipy.special.kl_div",
    "scipy.special.log1p", "scipy.special.log_expit", "scipy.special.logit", "scipy.special.lpmv",
    "scipy.special.ndtr", "scipy.special.poch", "scipy.special.pseudo_huber", "scipy.special.psi",
    "scipy.special.radian", "scipy.special.rel_entr", "scipy.special.sindg", "scipy.special.sph_legendre_p",
    "scipy.special.tandg", "scipy.special.xlog1py", "scipy.special.xlogy", "scipy.special.y0", "scipy.special.y1",
    "scipy.special.yn", "scipy.special.zeta",
];

/// The same for a function that is new: the test fails until its call is above.
#[test]
fn no_function_with_optional_arguments_is_missing() {
    let here = include_str!("optional_arguments.rs");
    let mut missing = Vec::new();
    for record in table::records() {
        let is_optional = record.parameters().iter().any(|p| p.default.is_some() || p.optional);
        // Ufuncs and reductions have their options from the registry, whose macro gives them to all alike.
        let of_registry = record.name().contains('.') || record.function().is_empty() || record.alias_of().is_some();
        let is_written = here.contains(&format!("::{}(", record.function()));
        if is_optional && !of_registry && !is_written {
            missing.push(record.path());
        }
    }
    let new: Vec<_> = missing.iter().filter(|path| !UNCHECKED.contains(&path.as_str())).collect();
    assert!(new.is_empty(), "optional_arguments.rs has no call of {new:?}");
    let done: Vec<_> = UNCHECKED.iter().filter(|path| !missing.iter().any(|m| m == *path)).collect();
    assert!(done.is_empty(), "UNCHECKED still lists {done:?}");
}

#[test]
fn numbers_of_any_type_are_arguments() -> Result<()> {
    assert_eq!(cuprum::hanning(3i32)?.to_vec::<f64>()?, cuprum::hanning(3usize)?.to_vec::<f64>()?);
    assert_eq!(fft::rfftfreq(4u8, 0.5f32)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    let counts = cuprum::histogram(arange(0, 8, ())?, cuprum::HistogramOptions::new().bins(2).range((0, 8usize)))?.0;
    assert_eq!(counts.to_vec::<i64>()?, [4, 4]);
    let e = scipy::linalg::hilbert(-1).unwrap_err();
    assert_eq!((e.kind(), e.message().contains("n is -1")), (ErrorKind::Value, true));
    Ok(())
}
