//! `()` is accepted for every optional argument, and scalars of any type where a number is expected.

use cuprum::linalg;
use cuprum::polynomial::{chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils};
use cuprum::prelude::*;
use cuprum::scipy::special;
use cuprum::{fft, scipy, table, ufunc};

/// Calls every function of the call table that has optional arguments with `()` for them. It is compiled and never run.
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
    scipy::signal::savgol_filter(a, 5, 2, ())?;
    scipy::signal::resample_poly(a, 3, 2, ())?;
    scipy::signal::resample_poly(a, 3, 2, -1)?;
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
    chebyshev::chebder(a, ())?;
    chebyshev::chebfit(a, a, n, ())?;
    chebyshev::chebint(a, ())?;
    chebyshev::chebpow(a, n, ())?;
    chebyshev::chebtrim(a, ())?;
    chebyshev::chebval(a, a, ())?;
    hermite::hermder(a, ())?;
    hermite::hermfit(a, a, n, ())?;
    hermite::hermint(a, ())?;
    hermite::hermpow(a, n, ())?;
    hermite::hermtrim(a, ())?;
    hermite::hermval(a, a, ())?;
    hermite_e::hermeder(a, ())?;
    hermite_e::hermefit(a, a, n, ())?;
    hermite_e::hermeint(a, ())?;
    hermite_e::hermepow(a, n, ())?;
    hermite_e::hermetrim(a, ())?;
    hermite_e::hermeval(a, a, ())?;
    laguerre::lagder(a, ())?;
    laguerre::lagfit(a, a, n, ())?;
    laguerre::lagint(a, ())?;
    laguerre::lagpow(a, n, ())?;
    laguerre::lagtrim(a, ())?;
    laguerre::lagval(a, a, ())?;
    legendre::legder(a, ())?;
    legendre::legfit(a, a, n, ())?;
    legendre::legint(a, ())?;
    legendre::legpow(a, n, ())?;
    legendre::legtrim(a, ())?;
    legendre::legval(a, a, ())?;
    polynomial::polyder(a, ())?;
    polynomial::polyfit(a, a, n, ())?;
    polynomial::polyint(a, ())?;
    polynomial::polypow(a, n, ())?;
    polynomial::polytrim(a, ())?;
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
    scipy::spatial::distance::cdist(a, a, ())?;
    scipy::spatial::distance::pdist(a, ())?;
    scipy::spatial::distance::squareform(a, ())?;
    scipy::spatial::distance_matrix(a, a, ())?;
    scipy::stats::entropy(a, ())?;
    scipy::stats::zmap(a, a, ())?;
    scipy::stats::zscore(a, ())?;
    special::lambertw(a, (), ())?;
    special::log_softmax(a, ())?;
    special::logsumexp(a, ())?;
    special::softmax(a, ())?;
    special::softplus(a)?;
    special::spherical_yn(1, a, ())?;
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

/// Calls the other functions with options: reductions, scans, creation, files and transforms.
#[allow(dead_code, unused_must_use, reason = "that it compiles is what is tested")]
fn options_are_left_out(a: &Array, n: usize) -> Result<()> {
    cuprum::all(a, ())?;
    cuprum::any(a, ())?;
    cuprum::argmax(a, ())?;
    cuprum::argmin(a, ())?;
    cuprum::max(a, ())?;
    cuprum::mean(a, ())?;
    cuprum::min(a, ())?;
    cuprum::nanargmax(a, ())?;
    cuprum::nanargmin(a, ())?;
    cuprum::nanmax(a, ())?;
    cuprum::nanmean(a, ())?;
    cuprum::nanmin(a, ())?;
    cuprum::nanprod(a, ())?;
    cuprum::nanstd(a, ())?;
    cuprum::nansum(a, ())?;
    cuprum::nanvar(a, ())?;
    cuprum::prod(a, ())?;
    cuprum::std(a, ())?;
    cuprum::sum(a, ())?;
    cuprum::var(a, ())?;
    cuprum::arange(0, 3, ())?;
    cuprum::average(a, ())?;
    cuprum::base_repr(3, (), ())?;
    cuprum::can_cast(DType::I32, DType::F64, ());
    cuprum::copy(a, ())?;
    cuprum::count_nonzero(a, ())?;
    cuprum::cumprod(a, ())?;
    cuprum::cumsum(a, ())?;
    cuprum::cumulative_prod(a, ())?;
    cuprum::cumulative_sum(a, ())?;
    cuprum::diag_indices(n, ())?;
    cuprum::empty(2, ())?;
    cuprum::format_float_positional(0.5, ())?;
    cuprum::format_float_scientific(0.5, ())?;
    cuprum::fromfile("a.bin", ())?;
    cuprum::fromstring("1 2", " ", ())?;
    cuprum::genfromtxt("a.txt", ())?;
    cuprum::intersect1d(a, a, ())?;
    cuprum::load("a.npy", ())?;
    cuprum::loadtxt("a.txt", ())?;
    cuprum::mintypecode("fd", (), ());
    cuprum::nancumprod(a, ())?;
    cuprum::nancumsum(a, ())?;
    cuprum::ones(2, ())?;
    cuprum::savetxt("a.txt", a, ())?;
    cuprum::select([a], [a], ())?;
    cuprum::tri(n, ())?;
    cuprum::tril_indices(n, ())?;
    cuprum::triu_indices(n, ())?;
    cuprum::vander(a, ())?;
    cuprum::zeros(2, ())?;
    scipy::fft::dct(a, (), ())?;
    scipy::fft::dctn(a, (), ())?;
    scipy::fft::dst(a, (), ())?;
    scipy::fft::dstn(a, (), ())?;
    scipy::fft::idct(a, (), ())?;
    scipy::fft::idctn(a, (), ())?;
    scipy::fft::idst(a, (), ())?;
    scipy::fft::idstn(a, (), ())?;
    scipy::fft::hfft2(a, ())?;
    scipy::fft::hfftn(a, ())?;
    scipy::fft::ihfft2(a, ())?;
    scipy::fft::ihfftn(a, ())?;
    a.diagonal(())?;
    a.partition(2, ())?;
    a.sort(())?;
    a.squeeze(())?;
    a.transpose(())?;
    a.tofile("a.bin", ())?;
    Ok(())
}

/// Calls the functions of ufuncs, which take operands only: `Ufunc::call` takes the options.
#[allow(dead_code, unused_must_use, reason = "that it compiles is what is tested")]
fn ufuncs_have_no_optional_arguments(a: &Array) -> Result<()> {
    cuprum::absolute(a)?;
    cuprum::add(a, a)?;
    cuprum::arccos(a)?;
    cuprum::arccosh(a)?;
    cuprum::arcsin(a)?;
    cuprum::arcsinh(a)?;
    cuprum::arctan(a)?;
    cuprum::arctan2(a, a)?;
    cuprum::arctanh(a)?;
    cuprum::bitwise_and(a, a)?;
    cuprum::bitwise_count(a)?;
    cuprum::bitwise_or(a, a)?;
    cuprum::bitwise_xor(a, a)?;
    cuprum::cbrt(a)?;
    cuprum::ceil(a)?;
    cuprum::conjugate(a)?;
    cuprum::copysign(a, a)?;
    cuprum::cos(a)?;
    cuprum::cosh(a)?;
    cuprum::deg2rad(a)?;
    cuprum::degrees(a)?;
    cuprum::divmod(a, a)?;
    cuprum::equal(a, a)?;
    cuprum::exp(a)?;
    cuprum::exp2(a)?;
    cuprum::expm1(a)?;
    cuprum::fabs(a)?;
    cuprum::float_power(a, a)?;
    cuprum::floor(a)?;
    cuprum::floor_divide(a, a)?;
    cuprum::fmax(a, a)?;
    cuprum::fmin(a, a)?;
    cuprum::fmod(a, a)?;
    cuprum::frexp(a)?;
    cuprum::gcd(a, a)?;
    cuprum::greater(a, a)?;
    cuprum::greater_equal(a, a)?;
    cuprum::heaviside(a, a)?;
    cuprum::hypot(a, a)?;
    cuprum::i0(a)?;
    cuprum::invert(a)?;
    cuprum::isfinite(a)?;
    cuprum::isinf(a)?;
    cuprum::isnan(a)?;
    cuprum::lcm(a, a)?;
    cuprum::ldexp(a, a)?;
    cuprum::left_shift(a, a)?;
    cuprum::less(a, a)?;
    cuprum::less_equal(a, a)?;
    cuprum::log(a)?;
    cuprum::log10(a)?;
    cuprum::log1p(a)?;
    cuprum::log2(a)?;
    cuprum::logaddexp(a, a)?;
    cuprum::logaddexp2(a, a)?;
    cuprum::logical_and(a, a)?;
    cuprum::logical_not(a)?;
    cuprum::logical_or(a, a)?;
    cuprum::logical_xor(a, a)?;
    cuprum::maximum(a, a)?;
    cuprum::minimum(a, a)?;
    cuprum::modf(a)?;
    cuprum::multiply(a, a)?;
    cuprum::negative(a)?;
    cuprum::nextafter(a, a)?;
    cuprum::not_equal(a, a)?;
    cuprum::positive(a)?;
    cuprum::power(a, a)?;
    cuprum::rad2deg(a)?;
    cuprum::radians(a)?;
    cuprum::reciprocal(a)?;
    cuprum::remainder(a, a)?;
    cuprum::right_shift(a, a)?;
    cuprum::rint(a)?;
    cuprum::sign(a)?;
    cuprum::signbit(a)?;
    cuprum::sin(a)?;
    cuprum::sinc(a)?;
    cuprum::sinh(a)?;
    cuprum::spacing(a)?;
    cuprum::sqrt(a)?;
    cuprum::square(a)?;
    cuprum::subtract(a, a)?;
    cuprum::tan(a)?;
    cuprum::tanh(a)?;
    cuprum::true_divide(a, a)?;
    cuprum::trunc(a)?;
    cuprum::exp10(a)?;
    cuprum::rsqrt(a)?;
    special::cbrt(a)?;
    special::cosdg(a)?;
    special::cotdg(a)?;
    special::entr(a)?;
    special::erf(a)?;
    special::erfc(a)?;
    special::erfcinv(a)?;
    special::erfcx(a)?;
    special::erfinv(a)?;
    special::exp10(a)?;
    special::exp2(a)?;
    special::expit(a)?;
    special::expm1(a)?;
    special::gamma(a)?;
    special::gammainc(a, a)?;
    special::gammaincc(a, a)?;
    special::gammainccinv(a, a)?;
    special::gammaincinv(a, a)?;
    special::gammaln(a)?;
    special::huber(a, a)?;
    special::i0(a)?;
    special::i1(a)?;
    special::j0(a)?;
    special::j1(a)?;
    special::kl_div(a, a)?;
    special::log1p(a)?;
    special::log_expit(a)?;
    special::logit(a)?;
    special::lpmv(a, a, a)?;
    special::ndtr(a)?;
    special::poch(a, a)?;
    special::pseudo_huber(a, a)?;
    special::psi(a)?;
    special::radian(a, a, a)?;
    special::rel_entr(a, a)?;
    special::sindg(a)?;
    special::sph_legendre_p(a, a, a)?;
    special::tandg(a)?;
    special::betainc(a, a, a)?;
    special::betaincinv(a, a, a)?;
    special::bdtr(a, a, a)?;
    special::bdtrc(a, a, a)?;
    special::bdtri(a, a, a)?;
    special::nbdtr(a, a, a)?;
    special::nbdtrc(a, a, a)?;
    special::nbdtri(a, a, a)?;
    special::fdtr(a, a, a)?;
    special::fdtrc(a, a, a)?;
    special::fdtri(a, a, a)?;
    special::gdtr(a, a, a)?;
    special::gdtrc(a, a, a)?;
    special::wright_bessel(a, a, a)?;
    special::btdtr(a, a, a)?;
    special::btdtri(a, a, a)?;
    special::chdtr(a, a)?;
    special::chdtrc(a, a)?;
    special::chdtri(a, a)?;
    special::pdtr(a, a)?;
    special::pdtrc(a, a)?;
    special::pdtri(a, a)?;
    special::boxcox(a, a)?;
    special::boxcox1p(a, a)?;
    special::inv_boxcox(a, a)?;
    special::inv_boxcox1p(a, a)?;
    special::beta(a, a)?;
    special::betaln(a, a)?;
    special::binom(a, a)?;
    special::ellipkinc(a, a)?;
    special::ellipeinc(a, a)?;
    special::expn(a, a)?;
    special::ellipj(a, a)?;
    special::ndtri(a)?;
    special::log_ndtr(a)?;
    special::rgamma(a)?;
    special::loggamma(a)?;
    special::gammasgn(a)?;
    special::zetac(a)?;
    special::cosm1(a)?;
    special::exprel(a)?;
    special::ellipk(a)?;
    special::ellipkm1(a)?;
    special::exp1(a)?;
    special::expi(a)?;
    special::k0(a)?;
    special::k0e(a)?;
    special::k1(a)?;
    special::k1e(a)?;
    special::i0e(a)?;
    special::i1e(a)?;
    special::sici(a)?;
    special::shichi(a)?;
    special::xlog1py(a, a)?;
    special::xlogy(a, a)?;
    special::y0(a)?;
    special::y1(a)?;
    special::yn(a, a)?;
    special::zeta(a, a)?;
    ufunc("add")?.call((a, a), ())?;
    Ok(())
}

/// Functions of the call table whose optional arguments are not parameters of the Rust function.
const UNCHECKED: &[&str] = &[
    // The order is a parameter of `copy` and of `asarray`, the casting rule one of `copyto`.
    "numpy.astype",
    // The order is a parameter of `reshape_in`.
    "numpy.reshape",
    // The names of arrays are passed with the arrays.
    "numpy.savez",
    "numpy.savez_compressed",
    // Filters of images take all options together, by reference.
    "scipy.ndimage.binary_dilation",
    "scipy.ndimage.binary_erosion",
    "scipy.ndimage.affine_transform",
    "scipy.ndimage.map_coordinates",
    "scipy.ndimage.rotate",
    "scipy.ndimage.shift",
    "scipy.ndimage.spline_filter",
    "scipy.ndimage.spline_filter1d",
    "scipy.ndimage.zoom",
    // Linear filters take all options together, by reference.
    "scipy.signal.filtfilt",
    "scipy.signal.find_peaks",
    "scipy.signal.lfilter",
    "scipy.signal.sosfilt",
    "scipy.signal.upfirdn",
    "scipy.ndimage.correlate1d",
    "scipy.ndimage.gaussian_filter",
    "scipy.ndimage.maximum_filter",
    "scipy.ndimage.median_filter",
    "scipy.ndimage.minimum_filter",
    "scipy.ndimage.rank_filter",
    "scipy.ndimage.sobel",
    "scipy.ndimage.uniform_filter",
];

/// Fails for a function with optional arguments whose call is missing above.
#[test]
fn no_function_with_optional_arguments_is_missing() {
    let here = include_str!("optional_arguments.rs");
    let mut missing = Vec::new();
    for record in table::records() {
        let is_optional = record.parameters().iter().any(|p| p.default.is_some() || p.optional);
        // Methods of ufuncs have the options of their types.
        let of_registry = record.name().contains('.') || record.function().is_empty() || record.alias_of().is_some();
        // The function of a record has NumPy's signature; the public one has NumPy's name, as a function or as a
        // method.
        let called = |name: &str| here.contains(&format!("::{name}(")) || here.contains(&format!(" a.{name}("));
        let is_written = called(record.function()) || called(record.name());
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
