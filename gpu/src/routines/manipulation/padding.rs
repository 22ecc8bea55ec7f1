//! Arrays with more elements around them.
//!
//! What stands around is copied from the array by one launch where it comes from there (`edge`, `reflect`, `symmetric`, `wrap`)
//! or is one constant. The other modes write the array into the result, and then side after side, axis after axis: what an
//! axis adds counts among the elements for the next one.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

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

/// What stands around the elements; NumPy's `mode` of `pad`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum PadMode {
    /// Constants: zeros, unless said.
    #[default]
    Constant,
    /// The elements at the edges.
    Edge,
    /// What lies on a line from an end value to the element at the edge.
    LinearRamp,
    /// The largest element of a line.
    Maximum,
    /// The mean of a line.
    Mean,
    /// The median of a line.
    Median,
    /// The smallest element of a line.
    Minimum,
    /// The elements mirrored at the element at the edge, which does not come again.
    Reflect,
    /// The elements mirrored at the edge: the element there comes again.
    Symmetric,
    /// The elements from the other side.
    Wrap,
    /// Whatever the memory holds.
    Empty,
}

/// How [`PadMode::Reflect`] and [`PadMode::Symmetric`] mirror.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum ReflectType {
    /// The elements themselves.
    #[default]
    Even,
    /// Twice the element at the edge less the elements: a line goes on as a line.
    Odd,
}

/// What stands around the elements. Every option but the mode is that of some modes, and rejected with the others.
#[derive(Clone, Debug, Default, PartialEq, Options)]
pub struct PadOptions {
    /// The mode.
    #[from]
    pub mode: PadMode,
    /// With `Maximum`, `Mean`, `Median` and `Minimum`: of how many elements at each side; of all, unless said.
    pub stat_length: Option<Sides>,
    /// With `Constant`: the values.
    pub constant_values: Option<Sides>,
    /// With `LinearRamp`: the values at the ends; 0, unless said.
    pub end_values: Option<Sides>,
    /// With `Reflect` and `Symmetric`: how they mirror.
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

/// An array with more elements around it, so many at the beginning and at the end of each axis; NumPy's `pad`.
/// [`pad_with`] has NumPy's mode that is a function.
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
/// [`ErrorKind::Value`] for negative widths, for widths of another number of axes, for an option of another mode, for an axis
/// without elements in a mode that needs some, and for the largest or smallest of none; [`ErrorKind::Type`] for widths that
/// are no integers.
#[routine(names = "array pad_width")]
pub fn pad(a: &Array, widths: Sides, options: PadOptions) -> Result<Array> {
    options.check()?;
    let widths = widths.counts(a, "the width")?;
    let formulas = |formula: fn(usize, usize) -> Formula| -> Vec<Formula> {
        let of = |(&(before, after), &n): (&(usize, usize), &usize)| match before + after {
            0 => Formula::Same,
            // One element is all that there is.
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

/// An array with zeros around it, which a function replaces: it is told each line of the result along the first axis, then
/// along the next one and so on, with the widths of its two sides and the axis, and writes to the line. NumPy's `pad` with a
/// function as its mode.
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
/// As [`pad`], and those of the function.
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

/// The result, unwritten: in Fortran order where the array is in that and not in C order.
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

/// The result while its sides are written.
struct Padding<'a> {
    out: &'a Array,
    /// The shape of what is padded.
    shape: &'a [usize],
    widths: &'a [(usize, usize)],
}

impl Padding<'_> {
    /// Where the elements stand that are there once the axes before this one are padded.
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
        let values = values.of(a, "the constant")?;
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

    /// What is added at the beginning and at the end of an axis.
    fn sides(&self, of: &Array, axis: usize) -> Result<(Array, Array)> {
        let (before, n) = (self.widths[axis].0 as i64, self.shape[axis] as i64);
        Ok((along(of, axis, ..before)?, along(of, axis, before + n..)?))
    }

    /// The elements at the two edges, with the axis.
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
            let asked = lengths.map_or((n, n), |all| ((all[axis].0 as i64).min(n), (all[axis].1 as i64).min(n)));
            if (asked.0 == 0 || asked.1 == 0) && matches!(mode, PadMode::Maximum | PadMode::Minimum) {
                let message = format!("of no elements there is no {mode:?}: a length of 1 is the least");
                return Err(Error::new(ErrorKind::Value, message));
            }
            if width == (0, 0) {
                continue;
            }
            let known = self.known(axis)?;
            let (left, right) = self.sides(&known, axis)?;
            let first = statistic(mode, &along(&known, axis, begin..begin + asked.0)?, axis)?;
            engine::copy(&first, &left)?;
            let last = match asked {
                (a, b) if a == n && b == n => first,
                _ => statistic(mode, &along(&known, axis, begin + n - asked.1..begin + n)?, axis)?,
            };
            engine::copy(&last, &right)?;
        }
        Ok(())
    }

    /// Twice the edge less the elements from there on; again from the new edge, until all is written.
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
            // Elements that come again, and how many of those that are there make whole periods.
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

/// Of each line along an axis, rounded where the elements are integers.
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

/// Writes what lies on lines from a value to the elements of `edge`, which it ends before.
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
    let place = out.device().with(|| arange(0, n as i64, 1))?.astype(dtype)?.reshape(shape)?;
    // Where a step is too small to be seen, what is divided last keeps it.
    let vanishes = logic::any(logic::equal(&step, 0)?, ())?;
    let small = math::multiply(math::true_divide(&place, n as f64)?, &far)?;
    let line = crate::ufunc::ufunc("where")?.call((&vanishes, &small, &math::multiply(&place, &step)?), ())?;
    let line = math::add(line, end)?;
    let line = if out.dtype().is_integer() && !complex { math::floor(&line)? } else { line };
    engine::copy(&line, out)
}
