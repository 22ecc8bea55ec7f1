//! Padding of arrays; NumPy's `pad`.
//!
//! Modes that copy elements of the array (`edge`, `reflect`, `symmetric`, `wrap`) or a single constant take one launch.
//! The other modes write the array into the result and then pad it axis by axis: the padding of one axis counts among
//! the elements for the next.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine, unrecorded};

use super::{Sides, flip};
use crate::array::Index;
use crate::array::{Array, IntoArgument};
use crate::engine::{self, Formula};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Dims, Layout, shape_text};
use crate::reduction::Reduce;
use crate::routines::creation::arange;
use crate::routines::statistics::MedianOptions;
use crate::routines::{logic, math, statistics};
use crate::scalar::Scalar;

/// The kind of padding; NumPy's `mode` of `pad`.
///
/// Each has NumPy's name in lower case with underscores (`linear_ramp`), by which the call table and Python pass it.
///
/// The elements `a b c d`, padded by three on both sides, become:
///
/// | mode | result |
/// |---|---|
/// | `Constant` | `0 0 0`, then `a b c d`, then `0 0 0` |
/// | `Edge` | `a a a`, then `a b c d`, then `d d d` |
/// | `Reflect` | `d c b`, then `a b c d`, then `c b a` |
/// | `Symmetric` | `c b a`, then `a b c d`, then `d c b` |
/// | `Wrap` | `b c d`, then `a b c d`, then `a b c` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum PadMode {
    /// Constant values, by default zeros.
    #[default]
    Constant,
    /// The elements at the edges.
    Edge,
    /// A linear ramp from an end value to the edge element.
    LinearRamp,
    /// The maximum along the axis.
    Maximum,
    /// The mean along the axis.
    Mean,
    /// The median along the axis.
    Median,
    /// The minimum along the axis.
    Minimum,
    /// The reflection at the edge element, which is not repeated.
    Reflect,
    /// The reflection at the edge, which repeats the edge element.
    Symmetric,
    /// The elements from the opposite end.
    Wrap,
    /// Uninitialised memory.
    Empty,
}

/// Style of reflection of [`PadMode::Reflect`] and [`PadMode::Symmetric`].
///
/// It is NumPy's parameter `reflect_type`, `"even"` or `"odd"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum ReflectType {
    /// The reflected elements themselves.
    #[default]
    Even,
    /// Twice the edge element minus the reflected elements, which continues a linear sequence.
    Odd,
}

/// Options of [`pad`]. Every option but the mode belongs to certain modes, and is rejected with the others.
///
/// A [`PadMode`] converts to options that set it alone. [`Sides`] may be one number for all ends, a pair, or a pair for
/// each axis.
///
/// ```
/// use cuprum::{PadMode, array, pad};
/// let a = array([1, 2, 3])?;
/// assert_eq!(pad(&a, 1, ())?.to_vec::<i32>()?, [0, 1, 2, 3, 0]);
/// assert_eq!(pad(&a, (1, 2), PadMode::Reflect)?.to_vec::<i32>()?, [2, 1, 2, 3, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Options)]
pub struct PadOptions {
    /// The mode. By default [`PadMode::Constant`].
    #[from]
    pub mode: PadMode,
    /// For `Maximum`, `Mean`, `Median` and `Minimum`: the number of elements at each edge that count; by default all.
    pub stat_length: Option<Sides>,
    /// For `Constant`: the padding values; by default 0.
    pub constant_values: Option<Sides>,
    /// For `LinearRamp`: the end values; by default 0.
    pub end_values: Option<Sides>,
    /// For `Reflect` and `Symmetric`: the style of reflection.
    pub reflect_type: Option<ReflectType>,
}

impl PadOptions {
    fn check(&self) -> Result<()> {
        use PadMode::{Constant, LinearRamp, Maximum, Mean, Median, Minimum, Reflect, Symmetric};
        let allowed: [(&str, bool, &[PadMode]); 4] = [
            ("stat_length", self.stat_length.is_some(), &[Maximum, Mean, Median, Minimum]),
            ("constant_values", self.constant_values.is_some(), &[Constant]),
            ("end_values", self.end_values.is_some(), &[LinearRamp]),
            ("reflect_type", self.reflect_type.is_some(), &[Reflect, Symmetric]),
        ];
        match allowed.iter().find(|(_, given, modes)| *given && !modes.contains(&self.mode)) {
            Some((name, _, modes)) => {
                let message = format!("{name} is no option of the mode {:?}: it is one of {modes:?}", self.mode);
                Err(Error::new(ErrorKind::Value, message))
            }
            None => Ok(()),
        }
    }
}

/// Pads an array, by a number of elements at the beginning and at the end of each axis; NumPy's `pad`. [`pad_with`] is
/// the variant whose mode is a function.
///
/// The result has the dtype of `a`, and along each axis the length of `a` and both widths. Constants and means are cast
/// to the dtype as NumPy casts them. It is in Fortran order if `a` is in that order alone.
///
/// ```
/// use cuprum::{PadMode, PadOptions, ReflectType, array, pad};
/// let a = array([1, 2, 4])?;
/// assert_eq!(pad(&a, 2, ())?.to_vec::<i32>()?, [0, 0, 1, 2, 4, 0, 0]);
/// assert_eq!(pad(&a, (2, 1), PadMode::Reflect)?.to_vec::<i32>()?, [4, 2, 1, 2, 4, 2]);
/// let ones = PadOptions::new().constant_values((1, 9));
/// assert_eq!(pad(&a, 1, ones)?.to_vec::<i32>()?, [1, 1, 2, 4, 9]);
/// let odd = PadOptions::new().mode(PadMode::Reflect).reflect_type(ReflectType::Odd);
/// assert_eq!(pad(&a, 2, odd)?.to_vec::<i32>()?, [-2, 0, 1, 2, 4, 6, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for negative widths, for widths of another number of axes, for an option of another mode, for
/// an empty axis in a mode that needs elements, and for the maximum or minimum of no elements; [`ErrorKind::Type`] for
/// widths that are not integers; [`ErrorKind::Overflow`] for an integer constant that a signed dtype cannot
/// hold, and for one of several axes that an unsigned dtype cannot hold; otherwise it wraps there.
#[routine(names = "array pad_width", python(keyword_only = 4))]
pub fn pad(a: &Array, widths: Sides, options: PadOptions) -> Result<Array> {
    options.check()?;
    let widths = widths.counts(a, "the width")?;
    let formulas = |formula: fn(usize, usize) -> Formula| -> Vec<Formula> {
        let of = |(&(before, after), &n): (&(usize, usize), &usize)| match before + after {
            0 => Formula::Same,
            // With a single element every padding element is that one.
            _ if n == 1 => Formula::Clamped(before),
            _ => formula(before, n),
        };
        widths.iter().zip(a.shape()).map(of).collect()
    };
    let out = padded(a, &widths)?;
    if !matches!(options.mode, PadMode::Constant | PadMode::Empty) && a.size() == 0 {
        let extended = |&x: &usize| a.shape()[x] == 0 && widths[x] != (0, 0);
        return match (0..a.ndim()).find(extended) {
            Some(axis) => {
                let message = format!(
                    "axis {axis} has no elements to pad with in the mode {:?}: use Constant or Empty",
                    options.mode
                );
                Err(Error::new(ErrorKind::Value, message))
            }
            None => Ok(out),
        };
    }
    let odd = options.reflect_type == Some(ReflectType::Odd);
    let copied = match options.mode {
        PadMode::Edge => Some(formulas(|before, _| Formula::Clamped(before))),
        PadMode::Wrap => Some(formulas(|before, _| Formula::Wrapped(-(before as i64)))),
        PadMode::Reflect if !odd => Some(formulas(|before, _| Formula::Reflected(before))),
        PadMode::Symmetric if !odd => Some(formulas(|before, _| Formula::Symmetric(before))),
        _ => None,
    };
    if let Some(formulas) = copied {
        engine::remap(a, &formulas, None, [0; 16], &out)?;
        return Ok(out);
    }
    let side = Padding { out: &out, shape: a.shape(), widths: &widths };
    match options.mode {
        PadMode::Constant => side.constants(a, &options.constant_values.unwrap_or(Sides::All(Scalar::Int(0))))?,
        PadMode::Empty => side.inside(a)?,
        PadMode::LinearRamp => {
            side.inside(a)?;
            side.ramps(a, &options.end_values.unwrap_or(Sides::All(Scalar::Int(0))))?;
        }
        PadMode::Reflect | PadMode::Symmetric => {
            side.inside(a)?;
            side.mirrored(options.mode == PadMode::Symmetric)?;
        }
        mode => {
            side.inside(a)?;
            let lengths = options.stat_length.map(|of| of.counts(a, "the length")).transpose()?;
            side.statistics(mode, lengths.as_deref())?;
        }
    }
    Ok(out)
}

/// Pads an array with values that a function writes; NumPy's `pad` with a function as its mode. The array is padded
/// with zeros; then the function is called, for each axis in turn, with every 1-D slice of the result along it, the
/// widths of its two sides and the axis, and changes the slice in place.
///
/// The result has the dtype of `a`. The function runs on the host once for each 1-D slice, and the kernels that it
/// launches are small: a mode of [`pad`] is much faster where one fits.
///
/// ```
/// use cuprum::{array, pad_with, s};
/// let a = array([[1, 2]])?;
/// let sevens = pad_with(&a, (0, 1), |line, (before, after), _| {
///     line.set(s![..before as i64], 7)?;
///     line.set(s![(line.len() - after) as i64..], 7)
/// })?;
/// assert_eq!(sevens.to_vec::<i32>()?, [1, 2, 7, 7, 7, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`pad`], and those of the function.
#[unrecorded("calls a host function")]
pub fn pad_with(
    a: impl crate::array::AsArray,
    widths: impl IntoArgument<Sides>,
    mut function: impl FnMut(&Array, (usize, usize), usize) -> Result<()>,
) -> Result<Array> {
    let (a, widths) = (a.as_array(), widths.into());
    let counts = widths.counts(a, "the width").map_err(|e| e.with_op("pad_with"))?;
    let out = pad(a, widths, ()).map_err(|e| e.with_op("pad_with"))?;
    for (axis, &width) in counts.iter().enumerate() {
        let lines = out.moveaxis(axis, -1)?;
        let others = &lines.shape()[..out.ndim() - 1];
        for k in 0..others.iter().product::<usize>() {
            let mut rest = k;
            let mut index: Vec<Index> = others
                .iter()
                .rev()
                .map(|&n| {
                    let at = rest % n;
                    rest /= n;
                    Index::At(at as i64)
                })
                .collect();
            index.reverse();
            function(&lines.index(index)?, width, axis)?;
        }
    }
    Ok(out)
}

/// Allocates the result: in Fortran order if the array is in Fortran order but not in C order.
fn padded(a: &Array, widths: &[(usize, usize)]) -> Result<Array> {
    let too_large = || {
        let shape = shape_text(a.shape());
        Error::new(ErrorKind::Value, format!("an array of shape {shape} with {widths:?} around it cannot be addressed"))
    };
    let longer = |(&n, &(before, after)): (&usize, &(usize, usize))| {
        n.checked_add(before).and_then(|n| n.checked_add(after)).ok_or_else(too_large)
    };
    let shape: Dims = a.shape().iter().zip(widths).map(longer).collect::<Result<_>>()?;
    let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
    let layout = if fortran { Layout::f_order(&shape, a.itemsize()) } else { Layout::c_order(&shape, a.itemsize()) };
    Array::of_layout(a.device(), layout, a.dtype())
}

/// A result whose padding is being written.
struct Padding<'a> {
    out: &'a Array,
    /// The shape of the array that is padded.
    shape: &'a [usize],
    widths: &'a [(usize, usize)],
}

impl Padding<'_> {
    /// Returns the region of the result that is valid once the axes before this one are padded.
    fn known(&self, axis: usize) -> Result<Array> {
        let bounds = |x: usize| {
            let before = self.widths[x].0 as i64;
            if x <= axis { Slice::default() } else { Slice::from(before..before + self.shape[x] as i64) }
        };
        self.out.index((0..self.out.ndim()).map(|x| Index::Slice(bounds(x))).collect::<Vec<_>>())
    }

    fn inside(&self, a: &Array) -> Result<()> {
        let part = |x: usize| {
            let before = self.widths[x].0 as i64;
            Index::Slice(Slice::from(before..before + self.shape[x] as i64))
        };
        engine::copy(a, &self.out.index((0..a.ndim()).map(part).collect::<Vec<_>>())?)
    }

    fn constants(&self, a: &Array, values: &Sides) -> Result<()> {
        // In NumPy an integer wraps in an unsigned dtype, unless the constants are those of each axis.
        let wraps = !matches!(values, Sides::Each(each) if each.len() > 1);
        let values = values.of(a, "the constant")?;
        if a.dtype() != DType::Bool && !(wraps && a.dtype().kind() == Kind::Unsigned) {
            for value in values.iter().flat_map(|&(before, after)| [before, after]) {
                value.check_fits(a.dtype())?;
            }
        }
        let bytes = |s: Scalar| s.encode(a.dtype());
        let first = values.first().map_or([0; 16], |v| bytes(v.0));
        if a.size() > 0 && values.iter().all(|v| bytes(v.0) == first && bytes(v.1) == first) {
            let formula = |&(before, after): &(usize, usize)| match before + after {
                0 => Formula::Same,
                _ => Formula::Bounded(before),
            };
            let formulas: Vec<Formula> = self.widths.iter().map(formula).collect();
            return engine::remap(a, &formulas, None, first, self.out);
        }
        self.inside(a)?;
        for (axis, &(before, after)) in values.iter().enumerate() {
            let (left, right) = self.sides(self.out, axis)?;
            engine::fill(&left, before)?;
            engine::fill(&right, after)?;
        }
        Ok(())
    }

    /// Returns the padding at the beginning and at the end of an axis.
    fn sides(&self, of: &Array, axis: usize) -> Result<(Array, Array)> {
        let (before, n) = (self.widths[axis].0 as i64, self.shape[axis] as i64);
        Ok((along(of, axis, ..before)?, along(of, axis, before + n..)?))
    }

    /// Returns the elements at the two edges of an axis, keeping the axis.
    fn edges(&self, of: &Array, axis: usize) -> Result<(Array, Array)> {
        let (before, n) = (self.widths[axis].0 as i64, self.shape[axis] as i64);
        Ok((along(of, axis, before..before + 1)?, along(of, axis, before + n - 1..before + n)?))
    }

    fn ramps(&self, a: &Array, ends: &Sides) -> Result<()> {
        let ends = ends.of(a, "the end value")?;
        for (axis, &(first, last)) in ends.iter().enumerate() {
            let known = self.known(axis)?;
            let (left, right) = self.sides(&known, axis)?;
            let edges = self.edges(&known, axis)?;
            ramp(&left, axis, first, &edges.0)?;
            ramp(&flip(&right, axis as isize)?, axis, last, &edges.1)?;
        }
        Ok(())
    }

    fn statistics(&self, mode: PadMode, lengths: Option<&[(usize, usize)]>) -> Result<()> {
        for (axis, &width) in self.widths.iter().enumerate() {
            let (begin, n) = (width.0 as i64, self.shape[axis] as i64);
            let counts = lengths.map_or((n, n), |all| ((all[axis].0 as i64).min(n), (all[axis].1 as i64).min(n)));
            if (counts.0 == 0 || counts.1 == 0) && matches!(mode, PadMode::Maximum | PadMode::Minimum) {
                let message = format!("of no elements there is no {mode:?}: a length of 1 is the least");
                return Err(Error::new(ErrorKind::Value, message));
            }
            if width == (0, 0) {
                continue;
            }
            let known = self.known(axis)?;
            let (left, right) = self.sides(&known, axis)?;
            let first = statistic(mode, &along(&known, axis, begin..begin + counts.0)?, axis)?;
            engine::copy(&first, &left)?;
            let last = match counts {
                (a, b) if a == n && b == n => first,
                _ => statistic(mode, &along(&known, axis, begin + n - counts.1..begin + n)?, axis)?,
            };
            engine::copy(&last, &right)?;
        }
        Ok(())
    }

    /// Writes odd reflections: twice the edge minus the reflected elements, repeated from the new edge until the
    /// padding is full.
    fn mirrored(&self, with_edge: bool) -> Result<()> {
        for (axis, &(before, after)) in self.widths.iter().enumerate() {
            let known = self.known(axis)?;
            let n = self.shape[axis];
            if n == 1 {
                let ((left, right), edges) = (self.sides(&known, axis)?, self.edges(&known, axis)?);
                engine::copy(&edges.0, &left)?;
                engine::copy(&edges.1, &right)?;
                continue;
            }
            let (mut begin, mut end) = (before, before + n);
            let whole = before + n + after;
            // The period of the reflection, and the largest multiple of it that the valid elements cover.
            let period = if with_edge { n } else { n - 1 };
            let skipped = i64::from(!with_edge);
            while begin > 0 || end < whole {
                let most = (end - begin - skipped as usize) / period * period;
                let (low, high) = (begin as i64, end as i64);
                let (left, right) = (most.min(begin) as i64, most.min(whole - end) as i64);
                if left > 0 {
                    let from = along(&known, axis, low + skipped..low + skipped + left)?;
                    let edge = along(&known, axis, low..low + 1)?;
                    opposite(&edge, &from, &flip(&along(&known, axis, low - left..low)?, axis as isize)?)?;
                }
                if right > 0 {
                    let from = along(&known, axis, high - skipped - right..high - skipped)?;
                    let edge = along(&known, axis, high - 1..high)?;
                    opposite(&edge, &from, &flip(&along(&known, axis, high..high + right)?, axis as isize)?)?;
                }
                (begin, end) = (begin - left as usize, end + right as usize);
            }
        }
        Ok(())
    }
}

fn opposite(edge: &Array, from: &Array, to: &Array) -> Result<()> {
    engine::copy(&math::subtract(math::multiply(edge, 2)?, from)?, to)
}

fn along(a: &Array, axis: usize, bounds: impl Into<Slice>) -> Result<Array> {
    let mut index = vec![Index::Slice(Slice::default()); axis + 1];
    index[axis] = Index::Slice(bounds.into());
    a.index(index)
}

/// Computes the statistic of each 1-D slice along an axis, rounded for integer dtypes.
fn statistic(mode: PadMode, of: &Array, axis: usize) -> Result<Array> {
    let options = || Reduce::axis(axis).keepdims(true);
    let found = match mode {
        PadMode::Maximum => statistics::max(of, options())?,
        PadMode::Minimum => statistics::min(of, options())?,
        PadMode::Mean => statistics::mean(of, options())?,
        _ => statistics::median(of, MedianOptions::new().axis(axis).keepdims(true))?,
    };
    if of.dtype().is_integer() && !found.dtype().is_integer() { math::rint(&found) } else { Ok(found) }
}

/// Writes linear ramps from a value to the elements of `edge`, which are not included.
fn ramp(out: &Array, axis: usize, end: Scalar, edge: &Array) -> Result<()> {
    let n = out.shape()[axis];
    if n == 0 {
        return Ok(());
    }
    let complex = edge.dtype().is_complex() || matches!(end, Scalar::Complex(_));
    let dtype = if complex { DType::C128 } else { DType::F64 };
    let far = math::subtract(edge.astype(dtype)?, end)?;
    let step = math::true_divide(&far, n as f64)?;
    let mut shape = vec![1; out.ndim()];
    shape[axis] = n;
    let position = out.device().with(|| arange(0, n as i64, 1))?.astype(dtype)?.reshape(shape)?;
    // Where the step underflows to zero, dividing before multiplying by the difference keeps precision.
    let vanishes = logic::any(logic::equal(&step, 0)?, ())?;
    let small = math::multiply(math::true_divide(&position, n as f64)?, &far)?;
    let line = crate::ufunc::ufunc("where")?.call((&vanishes, &small, &math::multiply(&position, &step)?), ())?;
    let line = math::add(line, end)?;
    let line = if out.dtype().is_integer() && !complex { math::floor(&line)? } else { line };
    engine::copy(&line, out)
}
