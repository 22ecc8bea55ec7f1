//! Counterparts of elementwise functions, their methods and reductions, which share one signature.

use cuprum_kernels::DType;

use super::{Argument, Arguments, CallResult, Function};
use crate::core::array::{NdArray, Operand};
use crate::core::layout::Order;
use crate::core::promote::Casting;
use crate::core::value::{Value, int_range, ulp};
use crate::numpy::creation::basic::full;
use crate::numpy::polynomials::power_bounds::power_bounds;
use crate::numpy::statistics::{KnownMean, STATISTICS, StatisticOptions, statistic, statistic_bound};
use crate::ufunc::at::at;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::loops;
use crate::ufunc::methods::{FoldOptions, fold_accumulate, fold_reduce, fold_reduceat, gathered_in, outer};
use crate::ufunc::reduce::{REDUCTIONS, ReduceOptions, reduce, reduction_bound};
use crate::ufunc::scan::accumulate_bounds;
use crate::ufunc::ufunc_all;

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

/// Returns the elementwise function at a path; a SciPy function that NumPy has too is known by its path.
fn function(path: &str) -> Option<&'static str> {
    let (_, name) = path.rsplit_once('.')?;
    loops::find(path).or_else(|_| loops::find(name)).ok().map(|spec| spec.name)
}

pub(crate) fn ufunc_options(args: &Arguments) -> CallResult<UfuncOptions> {
    // For a function of two results `out` is a list.
    let outs = match args.get("out")? {
        Argument::List(_) => args.get::<Vec<&NdArray>>("out")?.into_iter().cloned().collect(),
        Argument::None => vec![],
        _ => vec![args.get::<NdArray>("out")?],
    };
    Ok(UfuncOptions {
        dtype: args.get("dtype")?,
        order: args.or("order", Order::K)?,
        casting: args.or("casting", Casting::SameKind)?,
        out: outs.first().cloned(),
        second_out: outs.get(1).cloned(),
        where_: args.get("where")?,
    })
}

pub(super) fn ufunc(name: &str, args: &Arguments) -> CallResult<Vec<NdArray>> {
    Ok(ufunc_all(name, &args.operands()?, &ufunc_options(args)?)?)
}

/// Reads the axes of `reduce`: the first, by default.
fn axes(args: &Arguments) -> CallResult<Option<Vec<isize>>> {
    args.or("axis", Some(vec![0]))
}

fn fold_options(args: &Arguments) -> CallResult<FoldOptions> {
    let initial: Option<Value> = args.get("initial")?;
    // `None` is meaningful here: begin with the first element.
    let no_identity = args.has("initial") && initial.is_none();
    Ok(FoldOptions { out: args.get("out")?, where_: args.get("where")?, initial, no_identity })
}

pub(super) fn method(name: &str, method: &str, args: &Arguments) -> CallResult<Vec<NdArray>> {
    let one = match method {
        "outer" => return Ok(outer(name, &args.get("A")?, &args.get("B")?, &ufunc_options(args)?)?),
        "reduce" => {
            let (axis, keepdims) = (axes(args)?, args.or("keepdims", false)?);
            let options = ReduceOptions { axis, keepdims, dtype: args.get("dtype")? };
            fold_reduce(name, args.get("array")?, &options, &fold_options(args)?)?
        }
        "accumulate" => {
            let (axis, out): (_, Option<NdArray>) = (args.or("axis", 0)?, args.get("out")?);
            fold_accumulate(name, args.get("array")?, axis, args.get("dtype")?, out.as_ref())?
        }
        "reduceat" => {
            let (indices, out): (Vec<isize>, Option<NdArray>) = (args.get("indices")?, args.get("out")?);
            fold_reduceat(name, args.get("array")?, &indices, args.or("axis", 0)?, args.get("dtype")?, out.as_ref())?
        }
        _ => {
            let indices: Vec<NdArray> = args.get::<Vec<&NdArray>>("indices")?.into_iter().cloned().collect();
            let operand: Option<Operand<'_>> = args.get("b")?;
            crate::ufunc::at::check(name, operand.is_some())?;
            let with = match operand {
                Some(Operand::Scalar(v)) => Some(full(&[], v, None, Order::C)?),
                Some(Operand::Array(b)) => Some(b.clone()),
                None => None,
            };
            at(name, args.get("a")?, &indices, with.as_ref())?.copy(Order::K)
        }
    };
    Ok(vec![one])
}

/// Bounds the error of the results of a method, where the order of operations or a formula decides.
///
/// Sequential folds are exact, except for products and quotients of complex numbers: a few units of the modulus at each
/// step. Intermediate sums and products are combined in another order.
pub(super) fn method_bounds(name: &str, method: &str, args: &Arguments) -> CallResult<Option<Vec<f64>>> {
    let reduction = match (name, method) {
        ("add", "reduce") => "sum",
        ("multiply", "reduce") => "prod",
        ("add" | "multiply", "accumulate") => {
            let out: Option<&NdArray> = args.get("out")?;
            let dtypes = (out.map(NdArray::dtype), args.get("dtype")?);
            return Ok(Some(accumulate_bounds(name, args.get("array")?, args.or("axis", 0)?, dtypes, args.by)?));
        }
        ("power" | "pow" | "float_power", "accumulate" | "reduceat") if is_complex_power(args)? => {
            let (out, starts): (Option<&NdArray>, Option<Vec<isize>>) = (args.get("out")?, args.get("indices")?);
            let dtypes = (out.map(NdArray::dtype), args.get("dtype")?);
            let (a, axis) = (args.get("array")?, args.or("axis", 0)?);
            return Ok(Some(power_bounds(name, a, axis, starts.as_deref(), dtypes)?));
        }
        ("power" | "pow" | "float_power", "reduce") if is_complex_power(args)? => {
            let (out, a): (Option<&NdArray>, &NdArray) = (args.get("out")?, args.get("array")?);
            let dtypes = (out.map(NdArray::dtype), args.get("dtype")?);
            let axes = axes(args)?.unwrap_or_else(|| (0..a.ndim() as isize).collect());
            if let [axis] = axes[..]
                && !args.has("initial")
                && !args.has("where")
            {
                return Ok(Some(power_bounds(name, a, axis, Some(&[0]), dtypes)?));
            }
            let size = self::method(name, method, args)?[0].size();
            return Ok(Some(vec![f64::INFINITY; size]));
        }
        (_, "reduce" | "accumulate" | "reduceat") => {
            let result = &self::method(name, method, args)?[0];
            let steps = match args.get::<&NdArray>("array")?.size() {
                n if result.dtype().is_complex() && name != "subtract" => n as f64,
                _ => 0.0,
            };
            let out: Option<&NdArray> = args.get("out")?;
            let work =
                gathered_in(name, args.get::<&NdArray>("array")?.dtype(), out.map(NdArray::dtype), args.get("dtype")?)?;
            if result.dtype().is_integer() && !work.is_integer() && !ROUNDED_ONCE.contains(&name) {
                return Ok(Some(cut_bounds(name, method, args, work)?));
            }
            let unit = |v: &Value| {
                let size = v.complex().norm();
                if size.is_finite() { ulp(size, result.dtype()) } else { 0.0 }
            };
            return Ok(Some(result.values().iter().map(|v| 8.0 * steps * unit(v)).collect()));
        }
        _ => return Ok(None),
    };
    let options = ReduceOptions { axis: axes(args)?, keepdims: args.or("keepdims", false)?, dtype: args.get("dtype")? };
    let options = StatisticOptions { options, ..statistic_options(args)? };
    Ok(Some(statistic_bound(reduction, args.get("array")?, &options, args.by)?))
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

/// Bounds the error of floats that are truncated to the integers of `out`: a truncated value may fall to the next
/// integer, and a value out of the dtype's range wraps to anything.
fn cut_bounds(name: &str, method: &str, args: &Arguments, work: DType) -> CallResult<Vec<f64>> {
    let out: &NdArray = args.get("out")?;
    let (low, high) = int_range(out.dtype());
    let uncut = self::method(name, method, &args.for_new(work))?.remove(0);
    // One unit of the truncated value, and for large numbers one of theirs.
    let bound = |v: Value| {
        let v = v.complex().re;
        if v > low as f64 && v < high as f64 { ulp(v, work).max(1.0) } else { f64::INFINITY }
    };
    Ok(uncut.values().into_iter().map(bound).collect())
}

/// Returns true if the powers of a fold are complex.
fn is_complex_power(args: &Arguments) -> CallResult<bool> {
    let (out, dtype): (Option<&NdArray>, Option<DType>) = (args.get("out")?, args.get("dtype")?);
    let work = dtype.or(out.map(NdArray::dtype)).unwrap_or(args.get::<&NdArray>("array")?.dtype());
    Ok(work.is_complex())
}

fn statistic_options(args: &Arguments) -> CallResult<StatisticOptions> {
    Ok(StatisticOptions {
        options: reduce_options(args)?,
        fold: FoldOptions {
            out: args.get("out")?,
            where_: args.get("where")?,
            initial: args.get("initial")?,
            no_identity: false,
        },
        ddof: args.or("ddof", 0.0)?,
        mean: args.get::<Option<Operand<'_>>>("mean")?.map(|mean| match mean {
            Operand::Array(a) => KnownMean::Array(a.clone()),
            Operand::Scalar(v) => KnownMean::Number(v),
        }),
    })
}

/// Reads the axes, `keepdims`, and the dtype of a reduction.
pub(crate) fn reduce_options(args: &Arguments) -> CallResult<ReduceOptions> {
    Ok(ReduceOptions { axis: args.get("axis")?, keepdims: args.or("keepdims", false)?, dtype: args.get("dtype")? })
}

/// Returns true if a call has no arguments but the axes and the dtype.
fn is_plain(name: &str, args: &Arguments) -> bool {
    REDUCTIONS.contains(&name) && !["out", "where", "initial"].iter().any(|option| args.has(option))
}

pub(super) fn reduction(name: &str, args: &Arguments) -> CallResult<Vec<NdArray>> {
    if is_plain(name, args) {
        return Ok(vec![reduce(name, args.get("a")?, &reduce_options(args)?)?]);
    }
    Ok(vec![statistic(name, args.get("a")?, &statistic_options(args)?)?])
}

pub(super) fn reduction_bounds(name: &str, args: &Arguments) -> CallResult<Vec<f64>> {
    if is_plain(name, args) && matches!(name, "sum" | "prod" | "mean") {
        return Ok(reduction_bound(name, args.get("a")?, &reduce_options(args)?, args.by)?);
    }
    Ok(statistic_bound(name, args.get("a")?, &statistic_options(args)?, args.by)?)
}
