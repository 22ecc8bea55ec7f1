//! Filters and morphology of `scipy.ndimage`: one loop over the results, and in it one over the elements of the window.

use cuprum_kernels::DType;

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

/// Numbers with the bounds of their errors.
struct Numbers {
    values: Vec<f64>,
    bounds: Vec<f64>,
}

/// Computes weighted sums, rounded to the dtype of the input, and bounds their errors. `divisor` divides the sums.
fn weighted(a: &Bounded, window: &Window, weights: &[f64], divisor: f64, border: &Border<'_>) -> Result<Bounded> {
    let dtype = a.result.dtype();
    let x = Numbers { values: a.result.values().iter().map(|v| v.float()).collect(), bounds: a.bounds.clone() };
    let exact = weights.iter().all(|w| w.fract() == 0.0) && !dtype.is_float();
    let sums = window.each(&a.result, border.mode, |elements| {
        let (mut sum, mut mass, mut bound) = (0.0, 0.0, 0.0);
        for (element, w) in elements.iter().zip(weights) {
            let v = element.map_or(border.cval, |k| x.values[k]);
            sum += w * v;
            mass += (w * v).abs();
            bound += w.abs() * element.map_or(0.0, |k| x.bounds[k]);
        }
        (sum / divisor, (bound + (weights.len() + 2) as f64 * f64::EPSILON * mass) / divisor)
    });
    let values: Vec<f64> = sums.iter().map(|(sum, _)| *sum).collect();
    let result = NdArray::from_values(DType::F64, a.result.shape(), values.iter().map(|v| Value::Float(*v)))?;
    // Booleans are the low byte of the sum.
    let result = if dtype == DType::Bool { result.astype(DType::U8, Order::C) } else { result };
    let result = result.astype(dtype, Order::C);
    let bounds = sums.iter().map(|(sum, bound)| match dtype.is_float() {
        true => bound + ulp(*sum, dtype),
        // A sum of whole numbers is exact; another one may be near a whole number.
        false if exact && *bound < 0.5 => 0.0,
        false => bound.ceil(),
    });
    let bounds = bounds.collect();
    Ok(Bounded { result, bounds })
}

fn exact(a: &NdArray) -> Bounded {
    Bounded { result: a.clone(), bounds: vec![0.0; a.size()] }
}

/// Returns the element of a rank of each window.
fn ranked(a: &NdArray, window: &Window, rank: usize, border: &Border<'_>) -> Result<NdArray> {
    let values = a.values();
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

/// Computes weighted sums along axes one after another.
fn along_axes(a: &NdArray, passes: &[(usize, Vec<f64>, f64)], origin: i64, border: &Border<'_>) -> Result<Bounded> {
    passes.iter().try_fold(exact(a), |a, (axis, weights, divisor)| {
        let window = Window::along(*axis, a.result.ndim(), weights.len(), origin)?;
        weighted(&a, &window, weights, *divisor, border)
    })
}

fn floats(weights: &NdArray) -> Vec<f64> {
    weights.values().iter().map(|v| v.float()).collect()
}

fn gaussian(sigma: f64) -> Vec<f64> {
    let radius = (4.0 * sigma + 0.5) as i64;
    let phi: Vec<f64> = (-radius..=radius).map(|x| (-0.5 * (x * x) as f64 / (sigma * sigma)).exp()).collect();
    let sum: f64 = phi.iter().sum();
    phi.iter().map(|x| x / sum).collect()
}

/// Computes an erosion of a binary image by the nearest neighbours, or, inverted, a dilation.
fn eroded(a: &NdArray, dilate: bool, iterations: i64, border_value: bool) -> Result<NdArray> {
    let mut window = Window::new(&vec![3; a.ndim()], 0)?;
    for (at, used) in multi_indices(&window.shape).iter().zip(&mut window.used) {
        *used = at.iter().filter(|i| **i != 1).count() <= 1;
    }
    let mut image: Vec<bool> = a.values().iter().map(|v| v.float() != 0.0).collect();
    loop {
        let next = window.each(a, "constant", |elements| {
            let value = |e: &Option<usize>| e.map_or(border_value, |k| image[k]);
            if dilate { elements.iter().any(value) } else { elements.iter().all(value) }
        });
        let same = next == image;
        image = next;
        let done = (iterations - 1).max(0);
        if iterations > 0 && done == 0 || same {
            break;
        }
        if iterations > 1 {
            let rest = NdArray::from_values(DType::Bool, a.shape(), image.iter().map(|b| Value::Bool(*b)))?;
            return eroded(&rest, dilate, iterations - 1, border_value);
        }
    }
    NdArray::from_values(DType::Bool, a.shape(), image.into_iter().map(Value::Bool))
}

fn edges(t: &Arguments, smooth: [f64; 3]) -> std::result::Result<Bounded, Fault> {
    let a: &NdArray = t.get("input")?;
    let axis = axis_index(t.or("axis", -1)?, a.ndim())?;
    let others = (0..a.ndim()).filter(|d| *d != axis).map(|d| (d, smooth.to_vec(), 1.0));
    let passes: Vec<_> = std::iter::once((axis, vec![-1.0, 0.0, 1.0], 1.0)).chain(others).collect();
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
        along_axes(a, &[(axis, floats(weights), 1.0)], t.or("origin", 0)?, &border(t)?)?
    };
    "scipy.ndimage.correlate" = |t| {
        let (a, weights): (&NdArray, &NdArray) = (t.get("input")?, t.get("weights")?);
        if weights.ndim() != a.ndim() {
            fail(ErrorKind::Value, "the weights have other axes")?;
        }
        weighted(&exact(a), &Window::new(weights.shape(), t.or("origin", 0)?)?, &floats(weights), 1.0, &border(t)?)?
    };
    "scipy.ndimage.uniform_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let (size, _) = sized(t, a)?;
        let passes: Vec<_> = (0..a.ndim()).map(|d| (d, vec![1.0; size], size as f64)).collect();
        along_axes(a, &passes, t.or("origin", 0)?, &border(t)?)?
    };
    "scipy.ndimage.gaussian_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        let weights = gaussian(t.get("sigma")?);
        let passes: Vec<_> = (0..a.ndim()).map(|d| (d, weights.clone(), 1.0)).collect();
        along_axes(a, &passes, 0, &border(t)?)?
    };
    "scipy.ndimage.sobel" = |t| edges(t, [1.0, 2.0, 1.0])?;
    "scipy.ndimage.prewitt" = |t| edges(t, [1.0; 3])?;
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
