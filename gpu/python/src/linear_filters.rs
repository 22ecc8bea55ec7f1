//! Linear filters of `cuprum.scipy.signal`, whose Python functions read SciPy's arguments.

use cuprum::num_complex::Complex64;
use cuprum::scipy::ndimage::BorderRule;
use cuprum::scipy::signal::windows::{DpssNorm, Window, WindowEnds, dpss, get_window};
use cuprum::scipy::signal::{
    FilterPadding, LinearFilterOptions, UpfirdnOptions, ZeroPhaseOptions, filtfilt, lfilter, sosfilt, sosfiltfilt,
    upfirdn,
};
use numpy::PyArrayDescr;
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes::of_descr;
use crate::errors::OrRaise;
use crate::ndimage::array;

/// Options with an initial state and an output.
fn options(zi: Option<&Bound<'_, PyAny>>, out: &cuprum::Array) -> PyResult<LinearFilterOptions> {
    let options = LinearFilterOptions::new().out(out);
    Ok(match zi {
        None => options,
        Some(zi) => options.zi(array(zi)?),
    })
}

/// The parts of a complex number.
type Parts = (f64, f64);

/// Coefficients of a filter, which Python passes as numbers, or as pairs of the parts of complex ones.
#[derive(FromPyObject)]
enum Numbers<R, C> {
    Real(R),
    Complex(C),
}

fn complex((re, im): Parts) -> Complex64 {
    Complex64::new(re, im)
}

#[pyfunction]
#[pyo3(signature = (input, axis, coefficients, zi, out))]
fn filter_rational<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    axis: isize,
    coefficients: Numbers<[Vec<f64>; 2], [Vec<Parts>; 2]>,
    zi: Option<&Bound<'_, PyAny>>,
    out: &Bound<'_, PyAny>,
) -> PyResult<Option<Bound<'py, NdArray>>> {
    let (input, out) = (array(input)?, array(out)?);
    let options = options(zi, out)?;
    let (_, last) = py
        .detach(|| match coefficients {
            Numbers::Real([b, a]) => lfilter(&b, &a, input, axis, &options),
            Numbers::Complex(lists) => {
                let [b, a] = lists.map(|list| list.into_iter().map(complex).collect::<Vec<_>>());
                lfilter(&b, &a, input, axis, &options)
            }
        })
        .or_raise()?;
    last.map(|last| wrap(py, last)).transpose()
}

#[pyfunction]
#[pyo3(signature = (input, axis, sos, zi, out))]
fn filter_cascade<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    axis: isize,
    sos: Numbers<Vec<[f64; 6]>, Vec<[Parts; 6]>>,
    zi: Option<&Bound<'_, PyAny>>,
    out: &Bound<'_, PyAny>,
) -> PyResult<Option<Bound<'py, NdArray>>> {
    let (input, out) = (array(input)?, array(out)?);
    let options = options(zi, out)?;
    let (_, last) = py
        .detach(|| match sos {
            Numbers::Real(sos) => sosfilt(&sos, input, axis, &options),
            Numbers::Complex(sos) => {
                let sos: Vec<_> = sos.into_iter().map(|section| section.map(complex)).collect();
                sosfilt(&sos, input, axis, &options)
            }
        })
        .or_raise()?;
    last.map(|last| wrap(py, last)).transpose()
}

/// A continuation at both ends: its rule and its number of elements.
type Padding = (u8, usize);

fn zero_phase(axis: isize, (rule, n): Padding, dtype: &Bound<'_, PyArrayDescr>) -> PyResult<ZeroPhaseOptions> {
    let padding = match rule {
        0 => FilterPadding::Odd(n),
        1 => FilterPadding::Even(n),
        _ => FilterPadding::Constant(n),
    };
    Ok(ZeroPhaseOptions::new().axis(axis).padding(padding).dtype(of_descr(dtype)?))
}

#[pyfunction]
fn filter_rational_twice<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    axis: isize,
    coefficients: Numbers<[Vec<f64>; 2], [Vec<Parts>; 2]>,
    padding: Padding,
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<Bound<'py, NdArray>> {
    let (input, options) = (array(input)?, zero_phase(axis, padding, dtype)?);
    let out = py.detach(|| match coefficients {
        Numbers::Real([b, a]) => filtfilt(&b, &a, input, &options),
        Numbers::Complex(lists) => {
            let [b, a] = lists.map(|list| list.into_iter().map(complex).collect::<Vec<_>>());
            filtfilt(&b, &a, input, &options)
        }
    });
    wrap(py, out.or_raise()?)
}

#[pyfunction]
fn filter_cascade_twice<'py>(
    py: Python<'py>,
    input: &Bound<'_, PyAny>,
    axis: isize,
    sos: Numbers<Vec<[f64; 6]>, Vec<[Parts; 6]>>,
    padding: Padding,
    every: usize,
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<Bound<'py, NdArray>> {
    let (input, options) = (array(input)?, zero_phase(axis, padding, dtype)?.every(every));
    let out = py.detach(|| match sos {
        Numbers::Real(sos) => sosfiltfilt(&sos, input, &options),
        Numbers::Complex(sos) => {
            let sos: Vec<_> = sos.into_iter().map(|section| section.map(complex)).collect();
            sosfiltfilt(&sos, input, &options)
        }
    });
    wrap(py, out.or_raise()?)
}

/// Evaluates a window by the name of its function and its parameters.
#[pyfunction]
fn window_function<'py>(
    py: Python<'py>,
    name: &str,
    m: usize,
    parameters: Vec<f64>,
    sym: bool,
) -> PyResult<Bound<'py, NdArray>> {
    let at = |k: usize| parameters.get(k).copied().unwrap_or(f64::NAN);
    let window = match name {
        "barthann" => Window::Barthann,
        "bartlett" => Window::Bartlett,
        "blackman" => Window::Blackman,
        "blackmanharris" => Window::BlackmanHarris,
        "bohman" => Window::Bohman,
        "chebwin" => Window::Chebwin(at(0)),
        "cosine" => Window::Cosine,
        "exponential" => Window::Exponential { center: parameters.get(1).copied(), tau: at(0) },
        "flattop" => Window::Flattop,
        "gaussian" => Window::Gaussian(at(0)),
        "general_cosine" => Window::GeneralCosine(parameters),
        "general_gaussian" => Window::GeneralGaussian { p: at(0), sig: at(1) },
        "general_hamming" => Window::GeneralHamming(at(0)),
        "hamming" => Window::Hamming,
        "hann" => Window::Hann,
        "kaiser" => Window::Kaiser(at(0)),
        "kaiser_bessel_derived" => Window::KaiserBesselDerived(at(0)),
        "lanczos" => Window::Lanczos,
        "nuttall" => Window::Nuttall,
        "parzen" => Window::Parzen,
        "taylor" => Window::Taylor { nbar: at(0) as usize, sll: at(1), norm: at(2) != 0.0 },
        "triang" => Window::Triang,
        "tukey" => Window::Tukey(at(0)),
        _ => Window::Boxcar,
    };
    let ends = if sym { WindowEnds::Symmetric } else { WindowEnds::Periodic };
    wrap(py, py.detach(|| get_window(&window, m, ends)).or_raise()?)
}

#[pyfunction]
fn window_dpss<'py>(
    py: Python<'py>,
    m: usize,
    nw: f64,
    count: usize,
    sym: bool,
    norm: &str,
) -> PyResult<(Bound<'py, NdArray>, Vec<f64>)> {
    let ends = if sym { WindowEnds::Symmetric } else { WindowEnds::Periodic };
    let norm = match norm {
        "approximate" => DpssNorm::Approximate,
        "subsample" => DpssNorm::Subsample,
        _ => DpssNorm::Unit,
    };
    let (sequences, ratios) = py.detach(|| dpss(m, nw, count, ends, norm)).or_raise()?;
    Ok((wrap(py, sequences)?, ratios))
}

/// A filter between rates: factor, divisor, first position, border rule and constant.
type Rates = (usize, usize, usize, u8, f64);

#[pyfunction]
fn filter_rates(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    axis: isize,
    h: Vec<f64>,
    rates: Rates,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, out) = (array(input)?, array(out)?);
    let (up, down, shift, rule, cval) = rates;
    let rule = match rule {
        0 => BorderRule::Reflect,
        1 => BorderRule::Mirror,
        2 => BorderRule::Nearest,
        3 => BorderRule::Wrap,
        _ => BorderRule::Constant,
    };
    let options = UpfirdnOptions::new().axis(axis).mode(rule, cval).shift(shift).out(out);
    py.detach(|| upfirdn(&h, input, up, down, &options)).or_raise()?;
    Ok(())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(filter_rational, module)?)?;
    module.add_function(wrap_pyfunction!(filter_cascade, module)?)?;
    module.add_function(wrap_pyfunction!(filter_rational_twice, module)?)?;
    module.add_function(wrap_pyfunction!(filter_cascade_twice, module)?)?;
    module.add_function(wrap_pyfunction!(filter_rates, module)?)?;
    module.add_function(wrap_pyfunction!(window_function, module)?)?;
    module.add_function(wrap_pyfunction!(window_dpss, module)?)
}
