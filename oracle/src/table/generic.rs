//! Functions of one form: of elements, their methods, reductions.

use cuprum_kernels::DType;

use super::{Argument, Arguments, Called, Function};
use crate::array::{NdArray, Operand};
use crate::at::at;
use crate::creation::full;
use crate::elementwise::UfuncOptions;
use crate::fold::{FoldOptions, fold_accumulate, fold_reduce, fold_reduceat, gathered_in, outer};
use crate::layout::Order;
use crate::loops;
use crate::power_bounds::power_bounds;
use crate::promote::Casting;
use crate::reduce::{REDUCTIONS, ReduceOptions, reduce, reduction_bound};
use crate::scan::accumulate_bounds;
use crate::statistics::{KnownMean, STATISTICS, StatisticOptions, statistic, statistic_bound};
use crate::ufunc::ufunc_all;
use crate::value::{Value, int_range, ulp};

const METHODS: [&str; 5] = ["reduce", "accumulate", "reduceat", "outer", "at"];

pub(super) fn find(path: &str) -> Option<Function> {
    let (module, name) = path.rsplit_once('.')?;
    if let Some(method) = METHODS.into_iter().find(|method| *method == name) {
        return Some(Function::Method(function(module)?, method));
    }
    if module == "numpy"
        && let Some(name) = REDUCTIONS.into_iter().chain(STATISTICS).find(|reduction| *reduction == name)
    {
        return Some(Function::Reduction(name));
    }
    function(path).map(Function::Ufunc)
}

/// The function of elements at a path; one of SciPy's that NumPy has too is known by its path.
fn function(path: &str) -> Option<&'static str> {
    let (_, name) = path.rsplit_once('.')?;
    loops::find(path).or_else(|_| loops::find(name)).ok().map(|spec| spec.name)
}

pub(crate) fn ufunc_options(told: &Arguments) -> Called<UfuncOptions> {
    // Of a function of two results `out` is a list.
    let outs = match told.get("out")? {
        Argument::List(_) => told.get::<Vec<&NdArray>>("out")?.into_iter().cloned().collect(),
        Argument::None => vec![],
        _ => vec![told.get::<NdArray>("out")?],
    };
    Ok(UfuncOptions {
        dtype: told.get("dtype")?,
        order: told.or("order", Order::K)?,
        casting: told.or("casting", Casting::SameKind)?,
        out: outs.first().cloned(),
        second_out: outs.get(1).cloned(),
        where_: told.get("where")?,
    })
}

pub(super) fn ufunc(name: &str, told: &Arguments) -> Called<Vec<NdArray>> {
    Ok(ufunc_all(name, &told.operands()?, &ufunc_options(told)?)?)
}

/// The axes of `reduce`: the first, unless told otherwise.
fn axes(told: &Arguments) -> Called<Option<Vec<isize>>> {
    told.or("axis", Some(vec![0]))
}

fn fold_options(told: &Arguments) -> Called<FoldOptions> {
    let initial: Option<Value> = told.get("initial")?;
    // `None` is a word of its own here: begin with the elements.
    let no_identity = told.has("initial") && initial.is_none();
    Ok(FoldOptions { out: told.get("out")?, where_: told.get("where")?, initial, no_identity })
}

pub(super) fn method(name: &str, method: &str, told: &Arguments) -> Called<Vec<NdArray>> {
    let one = match method {
        "outer" => return Ok(outer(name, &told.get("A")?, &told.get("B")?, &ufunc_options(told)?)?),
        "reduce" => {
            let (axis, keepdims) = (axes(told)?, told.or("keepdims", false)?);
            let options = ReduceOptions { axis, keepdims, dtype: told.get("dtype")? };
            fold_reduce(name, told.get("array")?, &options, &fold_options(told)?)?
        }
        "accumulate" => {
            let (axis, out): (_, Option<NdArray>) = (told.or("axis", 0)?, told.get("out")?);
            fold_accumulate(name, told.get("array")?, axis, told.get("dtype")?, out.as_ref())?
        }
        "reduceat" => {
            let (indices, out): (Vec<isize>, Option<NdArray>) = (told.get("indices")?, told.get("out")?);
            fold_reduceat(name, told.get("array")?, &indices, told.or("axis", 0)?, told.get("dtype")?, out.as_ref())?
        }
        _ => {
            let indices: Vec<NdArray> = told.get::<Vec<&NdArray>>("indices")?.into_iter().cloned().collect();
            let operand: Option<Operand<'_>> = told.get("b")?;
            crate::at::check(name, operand.is_some())?;
            let with = match operand {
                Some(Operand::Scalar(v)) => Some(full(&[], v, None, Order::C)?),
                Some(Operand::Array(b)) => Some(b.clone()),
                None => None,
            };
            at(name, told.get("a")?, &indices, with.as_ref())?.copy(Order::K)
        }
    };
    Ok(vec![one])
}

/// How far results of a method may be off, where the order of the work or a formula decides.
///
/// What goes along the elements in their order is exact, but for products and quotients of complex numbers: a few units
/// of the modulus at each step. Sums and products on the way are combined in another order.
pub(super) fn method_bounds(name: &str, method: &str, told: &Arguments) -> Called<Option<Vec<f64>>> {
    let reduction = match (name, method) {
        ("add", "reduce") => "sum",
        ("multiply", "reduce") => "prod",
        ("add" | "multiply", "accumulate") => {
            let out: Option<&NdArray> = told.get("out")?;
            let dtypes = (out.map(NdArray::dtype), told.get("dtype")?);
            return Ok(Some(accumulate_bounds(name, told.get("array")?, told.or("axis", 0)?, dtypes, told.by)?));
        }
        ("power" | "pow" | "float_power", "accumulate" | "reduceat") if is_complex_power(told)? => {
            let (out, starts): (Option<&NdArray>, Option<Vec<isize>>) = (told.get("out")?, told.get("indices")?);
            let dtypes = (out.map(NdArray::dtype), told.get("dtype")?);
            let (a, axis) = (told.get("array")?, told.or("axis", 0)?);
            return Ok(Some(power_bounds(name, a, axis, starts.as_deref(), dtypes)?));
        }
        ("power" | "pow" | "float_power", "reduce") if is_complex_power(told)? => {
            let (out, a): (Option<&NdArray>, &NdArray) = (told.get("out")?, told.get("array")?);
            let dtypes = (out.map(NdArray::dtype), told.get("dtype")?);
            let axes = axes(told)?.unwrap_or_else(|| (0..a.ndim() as isize).collect());
            if let [axis] = axes[..]
                && !told.has("initial")
                && !told.has("where")
            {
                return Ok(Some(power_bounds(name, a, axis, Some(&[0]), dtypes)?));
            }
            let size = self::method(name, method, told)?[0].size();
            return Ok(Some(vec![f64::INFINITY; size]));
        }
        (_, "reduce" | "accumulate" | "reduceat") => {
            let result = &self::method(name, method, told)?[0];
            let steps = match told.get::<&NdArray>("array")?.size() {
                n if result.dtype().is_complex() && name != "subtract" => n as f64,
                _ => 0.0,
            };
            let out: Option<&NdArray> = told.get("out")?;
            let work =
                gathered_in(name, told.get::<&NdArray>("array")?.dtype(), out.map(NdArray::dtype), told.get("dtype")?)?;
            if result.dtype().is_integer() && !work.is_integer() && !ROUNDED_ONCE.contains(&name) {
                return Ok(Some(cut_bounds(name, method, told, work)?));
            }
            let unit = |v: &Value| {
                let size = v.complex().norm();
                if size.is_finite() { ulp(size, result.dtype()) } else { 0.0 }
            };
            return Ok(Some(result.values().iter().map(|v| 8.0 * steps * unit(v)).collect()));
        }
        _ => return Ok(None),
    };
    let options = ReduceOptions { axis: axes(told)?, keepdims: told.or("keepdims", false)?, dtype: told.get("dtype")? };
    let options = StatisticOptions { options, ..statistic_options(told)? };
    Ok(Some(statistic_bound(reduction, told.get("array")?, &options, told.by)?))
}

/// Functions of floats whose result is exact or rounded once.
const ROUNDED_ONCE: [&str; 14] = [
    "subtract",
    "divide",
    "true_divide",
    "floor_divide",
    "remainder",
    "mod",
    "fmod",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "copysign",
    "nextafter",
    "heaviside",
];

/// How far floats that are cut to the integers of `out` may be off: what is cut may fall to the next one, and what no
/// integer of the dtype is near wraps to anything.
fn cut_bounds(name: &str, method: &str, told: &Arguments, work: DType) -> Called<Vec<f64>> {
    let out: &NdArray = told.get("out")?;
    let (low, high) = int_range(out.dtype());
    let uncut = self::method(name, method, &told.for_new(work))?.remove(0);
    // A unit of what is cut, and of large numbers one of theirs.
    let bound = |v: Value| {
        let v = v.complex().re;
        if v > low as f64 && v < high as f64 { ulp(v, work).max(1.0) } else { f64::INFINITY }
    };
    Ok(uncut.values().into_iter().map(bound).collect())
}

/// Whether the powers of a fold are complex.
fn is_complex_power(told: &Arguments) -> Called<bool> {
    let (out, dtype): (Option<&NdArray>, Option<DType>) = (told.get("out")?, told.get("dtype")?);
    let work = dtype.or(out.map(NdArray::dtype)).unwrap_or(told.get::<&NdArray>("array")?.dtype());
    Ok(work.is_complex())
}

fn statistic_options(told: &Arguments) -> Called<StatisticOptions> {
    Ok(StatisticOptions {
        options: reduce_options(told)?,
        told: FoldOptions {
            out: told.get("out")?,
            where_: told.get("where")?,
            initial: told.get("initial")?,
            no_identity: false,
        },
        ddof: told.or("ddof", 0.0)?,
        mean: told.get::<Option<Operand<'_>>>("mean")?.map(|mean| match mean {
            Operand::Array(a) => KnownMean::Array(a.clone()),
            Operand::Scalar(v) => KnownMean::Number(v),
        }),
    })
}

/// The axes, whether they stay, and the dtype of a reduction.
pub(crate) fn reduce_options(told: &Arguments) -> Called<ReduceOptions> {
    Ok(ReduceOptions { axis: told.get("axis")?, keepdims: told.or("keepdims", false)?, dtype: told.get("dtype")? })
}

/// Whether a call is told nothing but the axes and the dtype.
fn is_plain(name: &str, told: &Arguments) -> bool {
    REDUCTIONS.contains(&name) && !["out", "where", "initial"].iter().any(|option| told.has(option))
}

pub(super) fn reduction(name: &str, told: &Arguments) -> Called<Vec<NdArray>> {
    if is_plain(name, told) {
        return Ok(vec![reduce(name, told.get("a")?, &reduce_options(told)?)?]);
    }
    Ok(vec![statistic(name, told.get("a")?, &statistic_options(told)?)?])
}

pub(super) fn reduction_bounds(name: &str, told: &Arguments) -> Called<Vec<f64>> {
    if is_plain(name, told) && matches!(name, "sum" | "prod" | "mean") {
        return Ok(reduction_bound(name, told.get("a")?, &reduce_options(told)?, told.by)?);
    }
    Ok(statistic_bound(name, told.get("a")?, &statistic_options(told)?, told.by)?)
}
