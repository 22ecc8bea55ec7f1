//! Filters and morphology of `scipy.ndimage`: one loop over the results, and in it one over the elements of the window.

mod labels;
mod sampling;

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::value::{Value, ulp};
use crate::numpy::searching::multi_indices;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, Fault, counterparts};

/// Returns the index that a position beyond the ends of an axis of n elements refers to; `None` for the constant.
fn continued(i: i64, n: i64, mode: &str) -> Option<usize> {
    if (0..n).contains(&i) {
        return Some(i as usize);
    }
    // Reflections repeat after twice the length, or one less for each end that is not repeated.
    let folded = |period: i64, low: i64| {
        let k = i.rem_euclid(period);
        if k < n { k } else { period - low - k }
    };
    Some(match mode {
        "constant" => return None,
        "nearest" => i.clamp(0, n - 1),
        "wrap" => i.rem_euclid(n),
        "mirror" if n == 1 => 0,
        "mirror" => folded(2 * n - 2, 0),
        _ => folded(2 * n, 1),
    } as usize)
}

/// A window: its shape, its elements that are used, and the position of the result in it.
struct Window {
    shape: Vec<usize>,
    used: Vec<bool>,
    lead: Vec<i64>,
}

/// The way in which the input continues beyond its ends.
#[derive(Clone, Copy)]
struct Border<'a> {
    mode: &'a str,
    cval: f64,
}

impl Window {
    /// Returns a window, from the offset of its centre.
    fn new(shape: &[usize], origin: i64) -> Result<Window> {
        for &n in shape {
            let half = n as i64 / 2;
            if n == 0 || origin < -half || origin > (n as i64 - 1) / 2 {
                return fail(ErrorKind::Value, "the origin is outside the window");
            }
        }
        let lead = shape.iter().map(|n| *n as i64 / 2 + origin).collect();
        Ok(Window { shape: shape.to_vec(), used: vec![true; shape.iter().product()], lead })
    }

    /// Returns the window along one axis.
    fn along(axis: usize, ndim: usize, size: usize, origin: i64) -> Result<Window> {
        let one = Window::new(&[size], origin)?;
        let (mut shape, mut lead) = (vec![1; ndim], vec![0; ndim]);
        (shape[axis], lead[axis]) = (size, one.lead[0]);
        Ok(Window { shape, used: one.used, lead })
    }

    /// Calls a function for each result with the positions of its elements in C order, `None` beyond a constant border.
    fn each<T>(&self, a: &NdArray, mode: &str, mut result: impl FnMut(&[Option<usize>]) -> T) -> Vec<T> {
        let offsets = multi_indices(&self.shape);
        let element = |out: &[usize], offset: &[usize]| {
            (0..a.ndim()).try_fold(0, |sum, d| {
                let n = a.shape()[d];
                let at = continued(out[d] as i64 + offset[d] as i64 - self.lead[d], n as i64, mode)?;
                Some(sum * n + at)
            })
        };
        let one = |out: Vec<usize>| {
            let used = offsets.iter().zip(&self.used).filter(|(_, used)| **used);
            result(&used.map(|(offset, _)| element(&out, offset)).collect::<Vec<_>>())
        };
        multi_indices(a.shape()).into_iter().map(one).collect()
    }
}

/// A pass along an axis, or over all axes.
struct Weights {
    values: Vec<f64>,
    /// Divides the sums.
    divisor: f64,
    /// Roundings of each weight, where it is computed.
    roundings: usize,
    /// Roundings of the largest sum, where a sum is computed from the one before it.
    sliding: usize,
}

impl Weights {
    fn new(values: Vec<f64>) -> Weights {
        Weights { values, divisor: 1.0, roundings: 0, sliding: 0 }
    }
}

/// Converts a sum in float64 to the dtype of a result: it rounds to floats and truncates to integers.
fn converted(sums: &[f64], dtype: DType, shape: &[usize]) -> Result<NdArray> {
    let result = NdArray::from_values(DType::F64, shape, sums.iter().map(|v| Value::Float(*v)))?;
    // A boolean is the low byte of the sum.
    let result = if dtype == DType::Bool { result.astype(DType::U8, Order::C) } else { result };
    let result = result.astype(dtype, Order::C);
    if dtype != DType::U64 {
        return Ok(result);
    }
    // Sums of 2^64 and more, which the integers next to 0 that are below it lead to, are 0.
    let within = |(v, sum): (Value, &f64)| if *sum >= 2f64.powi(64) { Value::Int(0) } else { v };
    NdArray::from_values(dtype, shape, result.values().into_iter().zip(sums).map(within))
}

/// Computes weighted sums of real numbers, and bounds the difference of any two that are computed in float64.
fn weighted(a: &Bounded, window: &Window, weights: &Weights, border: &Border<'_>) -> Result<Bounded> {
    let dtype = a.result.dtype();
    let values: Vec<f64> = a.result.values().iter().map(|v| v.float()).collect();
    // Sums of whole numbers are exact, and so is the rounding of their quotient.
    let whole = !dtype.is_float() && weights.values.iter().chain([&border.cval]).all(|w| w.fract() == 0.0);
    // On either side each of n products is rounded, each of n - 1 sums and the quotient.
    let roundings = (weights.values.len() + 1 + weights.roundings) as f64;
    let mut largest = 0.0f64;
    let mut sums = window.each(&a.result, border.mode, |elements| {
        let (mut sum, mut size, mut before) = (0.0, 0.0, 0.0);
        for (element, w) in elements.iter().zip(&weights.values) {
            let v = element.map_or(border.cval, |k| values[k]);
            sum += w * v;
            size += (w * v).abs();
            before += w.abs() * element.map_or(0.0, |k| a.bounds[k]);
        }
        let exact = whole && before == 0.0 && size < 1.0 / f64::EPSILON;
        let error = if exact { 0.0 } else { before + roundings * f64::EPSILON * (size + before) };
        largest = largest.max(size + before);
        (sum / weights.divisor, error / weights.divisor)
    });
    for (_, error) in sums.iter_mut().filter(|(_, error)| *error > 0.0) {
        *error += weights.sliding as f64 * f64::EPSILON * largest / weights.divisor;
    }
    let moved = |by: f64| -> Vec<f64> { sums.iter().map(|(sum, error)| sum + by * error).collect() };
    let convert = |sums: &[f64]| converted(sums, dtype, a.result.shape());
    let result = convert(&moved(0.0))?;
    let bounds = match dtype {
        DType::F64 => sums.iter().map(|(_, error)| *error).collect(),
        _ if dtype.is_float() => sums.iter().map(|(sum, error)| error + ulp(sum.abs() + error, dtype)).collect(),
        // A sum next to a whole number may be truncated to that or to the one before.
        _ => {
            let ends = [convert(&moved(-1.0))?.values(), convert(&moved(1.0))?.values()];
            let apart = |k: usize, v: &Value| {
                let widest = ends.iter().map(|end| end[k].float() - v.float()).fold(0.0, |m: f64, d| m.max(d.abs()));
                widest.max(if sums[k].1 < 0.5 { 0.0 } else { sums[k].1.ceil() })
            };
            result.values().iter().enumerate().map(|(k, v)| apart(k, v)).collect()
        }
    };
    Ok(Bounded { result, bounds })
}

fn exact(a: &NdArray) -> Bounded {
    Bounded { result: a.clone(), bounds: vec![0.0; a.size()] }
}

/// Returns the element of a rank of each window.
fn ranked(a: &NdArray, window: &Window, rank: usize, border: &Border<'_>) -> Result<NdArray> {
    let values = real(a)?.values();
    let constant =
        NdArray::from_values(DType::F64, &[], [Value::Float(border.cval)])?.astype(a.dtype(), Order::C).values()[0];
    let key = |v: &Value| match v {
        Value::Int(i) => (*i as f64, *i),
        other => (other.float(), 0),
    };
    let all = window.each(a, border.mode, |elements| {
        let mut all: Vec<Value> = elements.iter().map(|e| e.map_or(constant, |k| values[k])).collect();
        all.sort_by(|one, two| key(one).partial_cmp(&key(two)).unwrap_or(std::cmp::Ordering::Equal));
        all[rank]
    });
    NdArray::from_values(a.dtype(), a.shape(), all)
}

fn border(t: &Arguments) -> std::result::Result<Border<'_>, Fault> {
    Ok(Border { mode: t.or("mode", "reflect")?, cval: t.or("cval", 0.0)? })
}

/// Returns the size along every axis of the input.
fn sized(t: &Arguments, a: &NdArray) -> std::result::Result<(usize, Vec<usize>), Fault> {
    let size: i64 = t.or("size", 3)?;
    if size < 1 {
        return Ok(fail(ErrorKind::Value, "a window has at least one element")?);
    }
    Ok((size as usize, vec![size as usize; a.ndim()]))
}

/// Computes weighted sums along axes one after another, of complex numbers those of their parts.
fn along_axes(a: &NdArray, passes: &[(usize, Weights)], origin: i64, border: &Border<'_>) -> Result<Bounded> {
    let dtype = a.dtype();
    if dtype.is_complex() {
        let numbers: Vec<_> = a.values().iter().map(|v| v.complex()).collect();
        let filtered = |part: &dyn Fn(usize) -> f64, cval: f64| {
            let values = (0..numbers.len()).map(|k| Value::Float(part(k)));
            let part = NdArray::from_values(dtype.real(), a.shape(), values)?;
            along_axes(&part, passes, origin, &Border { cval, ..*border })
        };
        let (re, im) = (filtered(&|k| numbers[k].re, border.cval)?, filtered(&|k| numbers[k].im, 0.0)?);
        let parts = re.result.values().into_iter().zip(im.result.values());
        let values = parts.map(|(re, im)| Value::Complex(Complex64::new(re.float(), im.float())));
        let bounds = re.bounds.iter().zip(&im.bounds).map(|(re, im)| re.max(*im)).collect();
        return Ok(Bounded { result: NdArray::from_values(dtype, a.shape(), values)?, bounds });
    }
    // Between two passes a boolean is a byte of any value.
    if dtype == DType::Bool && passes.len() > 1 {
        let bytes = along_axes(&a.astype(DType::U8, Order::C), passes, origin, border)?;
        let bounds = bytes.bounds.iter().map(|bound| f64::from(*bound > 0.0)).collect();
        return Ok(Bounded { result: bytes.result.astype(dtype, Order::C), bounds });
    }
    passes.iter().try_fold(exact(a), |a, (axis, weights)| {
        let window = Window::along(*axis, a.result.ndim(), weights.values.len(), origin)?;
        weighted(&a, &window, weights, border)
    })
}

/// Rejects complex numbers.
fn real(a: &NdArray) -> Result<&NdArray> {
    if a.dtype().is_complex() {
        return fail(ErrorKind::Type, "complex numbers are not taken");
    }
    Ok(a)
}

fn floats(weights: &NdArray) -> Result<Weights> {
    Ok(Weights::new(real(weights)?.values().iter().map(|v| v.float()).collect()))
}

/// Returns the weights of a Gaussian. An exponential is within one unit of the last place, which is two roundings; their sum and the
/// quotients are rounded, too.
fn gaussian(sigma: f64) -> Weights {
    let radius = (4.0 * sigma + 0.5) as i64;
    let phi: Vec<f64> = (-radius..=radius).map(|x| (-0.5 * (x * x) as f64 / (sigma * sigma)).exp()).collect();
    let sum: f64 = phi.iter().sum();
    let roundings = 2 + 2 + phi.len() + 1;
    Weights { values: phi.iter().map(|x| x / sum).collect(), divisor: 1.0, roundings, sliding: 0 }
}

/// Computes an erosion of a binary image by the nearest neighbours, or, inverted, a dilation.
fn eroded(a: &NdArray, dilate: bool, iterations: i64, border_value: bool) -> Result<NdArray> {
    let mut window = Window::new(&vec![3; real(a)?.ndim()], 0)?;
    for (at, used) in multi_indices(&window.shape).iter().zip(&mut window.used) {
        *used = at.iter().filter(|i| **i != 1).count() <= 1;
    }
    let mut image: Vec<bool> = a.values().iter().map(|v| v.float() != 0.0).collect();
    // Less than one iteration repeats until nothing changes.
    let mut left = iterations;
    loop {
        let next = window.each(a, "constant", |elements| {
            let value = |e: &Option<usize>| e.map_or(border_value, |k| image[k]);
            if dilate { elements.iter().any(value) } else { elements.iter().all(value) }
        });
        let same = next == image;
        image = next;
        left -= 1;
        if left == 0 || same {
            break;
        }
    }
    NdArray::from_values(DType::Bool, a.shape(), image.into_iter().map(Value::Bool))
}

/// Computes the difference along an axis, smoothed along the others.
fn sobel(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let a: &NdArray = t.get("input")?;
    let axis = axis_index(t.or("axis", -1)?, a.ndim())?;
    let others = (0..a.ndim()).filter(|d| *d != axis).map(|d| (d, Weights::new(vec![1.0, 2.0, 1.0])));
    let passes: Vec<_> = std::iter::once((axis, Weights::new(vec![-1.0, 0.0, 1.0]))).chain(others).collect();
    Ok(along_axes(a, &passes, 0, &border(t)?)?)
}

/// Computes the extreme of a box.
fn extreme(t: &Arguments, greatest: bool) -> std::result::Result<NdArray, Fault> {
    let a: &NdArray = t.get("input")?;
    let (_, shape) = sized(t, a)?;
    let window = Window::new(&shape, t.or("origin", 0)?)?;
    let last = window.used.len() - 1;
    Ok(ranked(a, &window, if greatest { last } else { 0 }, &border(t)?)?)
}

counterparts! {
    "scipy.ndimage.correlate1d" = |t| {
        let (a, weights): (&NdArray, &NdArray) = (t.get("input")?, t.get("weights")?);
        let axis = axis_index(t.or("axis", -1)?, a.ndim())?;
        if weights.size() == 0 {
            fail(ErrorKind::Value, "there are no weights")?;
        }
        along_axes(real(a)?, &[(axis, floats(weights)?)], t.or("origin", 0)?, &border(t)?)?
    };
    "scipy.ndimage.correlate" = |t| {
        let (a, weights): (&NdArray, &NdArray) = (t.get("input")?, t.get("weights")?);
        if weights.ndim() != a.ndim() {
            fail(ErrorKind::Value, "the weights have other axes")?;
        }
        let window = Window::new(weights.shape(), t.or("origin", 0)?)?;
        weighted(&exact(real(a)?), &window, &floats(weights)?, &border(t)?)?
    };
    "scipy.ndimage.uniform_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let (size, _) = sized(t, a)?;
        // SciPy adds an element to each sum and subtracts another.
        let sliding = |d: usize| if t.by.is_sequential() { 2 * a.shape()[d] } else { 0 };
        let mean = |d| Weights { divisor: size as f64, sliding: sliding(d), ..Weights::new(vec![1.0; size]) };
        let passes: Vec<_> = (0..a.ndim()).map(|d| (d, mean(d))).collect();
        along_axes(a, &passes, t.or("origin", 0)?, &border(t)?)?
    };
    "scipy.ndimage.gaussian_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let sigma: f64 = t.get("sigma")?;
        let passes: Vec<_> = (0..a.ndim()).map(|d| (d, gaussian(sigma))).collect();
        along_axes(a, &passes, 0, &border(t)?)?
    };
    "scipy.ndimage.sobel" = |t| sobel(t)?;
    "scipy.ndimage.minimum_filter" = |t| extreme(t, false)?;
    "scipy.ndimage.maximum_filter" = |t| extreme(t, true)?;
    "scipy.ndimage.median_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let window = Window::new(&sized(t, a)?.1, t.or("origin", 0)?)?;
        ranked(a, &window, window.used.len() / 2, &border(t)?)?
    };
    "scipy.ndimage.rank_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let window = Window::new(&sized(t, a)?.1, t.or("origin", 0)?)?;
        let (rank, n): (i64, i64) = (t.get("rank")?, window.used.len() as i64);
        let rank = if rank < 0 { rank + n } else { rank };
        if !(0..n).contains(&rank) {
            fail(ErrorKind::Value, "the window has no such rank")?;
        }
        ranked(a, &window, rank as usize, &border(t)?)?
    };
    "scipy.ndimage.binary_erosion" = |t| {
        eroded(t.get("input")?, false, t.or("iterations", 1)?, t.or("border_value", false)?)?
    };
    "scipy.ndimage.binary_dilation" = |t| {
        eroded(t.get("input")?, true, t.or("iterations", 1)?, t.or("border_value", false)?)?
    };
}
