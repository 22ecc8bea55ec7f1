//! Call table records of ufuncs and their methods, derived from the registry.

use cuprum_kernels::DType;
use cuprum_kernels::registry::{Ufunc as Entry, UfuncId};
use linkme::distributed_slice;

use super::{AccumulateOptions, FoldOptions, Ufunc, UfuncOptions};
use crate::array::{Array, Operand};
use crate::dtype::Casting;
use crate::error::Result;
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::scalar::Scalar;
use crate::table::{
    Bound, FAMILIES, Output, Parameter, ParameterKind, PythonSignature, Record, Returned, Thunk, Value,
};

/// Returns NumPy's names of `count` operands.
fn operands(count: usize) -> &'static [&'static str] {
    match count {
        1 => &["x"],
        2 => &["x1", "x2"],
        _ => &["x1", "x2", "x3"],
    }
}

/// Returns the options of all ufuncs but the output arrays.
fn placement() -> [Parameter; 4] {
    [
        Parameter::new::<Option<&Array>>("where"),
        Parameter::keyword::<Casting>("casting", &Casting::SameKind),
        Parameter::keyword::<Order>("order", &Order::K),
        Parameter::new::<Option<DType>>("dtype"),
    ]
}

fn options<'v>(bound: &'v Bound<'_>, outs: [Option<&'v Array>; 2]) -> Result<UfuncOptions<'v>> {
    Ok(UfuncOptions {
        out: outs[0],
        second_out: outs[1],
        where_: bound.get("where")?,
        dtype: bound.get("dtype")?,
        casting: bound.or("casting", Casting::SameKind)?,
        order: Some(bound.or("order", Order::K)?),
    })
}

/// Returns the output parameter: a list for a function with two results.
fn out(f: Ufunc) -> Parameter {
    match f.nout() {
        2 => Parameter::new::<Option<Vec<&Array>>>("out"),
        _ => Parameter::new::<Option<&Array>>("out"),
    }
}

fn two_outs<'v>(bound: &'v Bound<'_>) -> Result<[Option<&'v Array>; 2]> {
    let outs: Option<Vec<&Array>> = bound.get("out")?;
    Ok(outs.map_or([None; 2], |outs| [outs.first().copied(), outs.get(1).copied()]))
}

fn call(f: Ufunc, bound: &Bound<'_>) -> Result<Vec<Output>> {
    let given: Vec<Operand<'_>> = operands(f.nin()).iter().map(|name| bound.get(name)).collect::<Result<_>>()?;
    if f.nout() == 2 {
        return f.called_pair(&given, &options(bound, two_outs(bound)?)?).outputs();
    }
    f.called(&given, &options(bound, [bound.get("out")?, None])?).outputs()
}

fn record(id: UfuncId, name: &'static str) -> Record {
    let entry = id.record();
    let f = Ufunc(id);
    let mut parameters: Vec<Parameter> = operands(f.nin()).iter().map(|x| Parameter::new::<Operand<'_>>(x)).collect();
    parameters.push(out(f));
    parameters.extend(placement());
    named(entry, name, "", parameters, Box::new(move |bound| call(f, bound)))
}

/// Creates a record under a name of the entry, or of one of its methods.
fn named(entry: &'static Entry, name: &'static str, method: &str, parameters: Vec<Parameter>, call: Thunk) -> Record {
    // A name that NumPy uses for another function is called by its path in the registry.
    let short = |name: &'static str| name.strip_prefix(entry.namespace).map_or(name, |rest| &rest[1..]);
    let path = |name| format!("{}{method}", short(name));
    Record {
        name: path(name).into(),
        namespace: entry.namespace,
        function: short(name),
        alias_of: (name != entry.name).then(|| path(entry.name).into()),
        doc: entry.doc.into(),
        python: PythonSignature::new(),
        no_cases: None,
        no_programs: None,
        parameters,
        call,
    }
}

/// Creates the records of `reduce`, `accumulate`, `reduceat`, `outer` and `at`: as in NumPy each ufunc has all, and
/// rejects those that it does not support.
fn methods(id: UfuncId, name: &'static str) -> Vec<Record> {
    let (entry, f) = (id.record(), Ufunc(id));
    let array = || Parameter::new::<&Array>("array");
    let axis = || Parameter::keyword::<isize>("axis", &0);
    let dtype = || Parameter::new::<Option<DType>>("dtype");
    let out = || Parameter::new::<Option<&Array>>("out");
    let mut all: Vec<(&str, Vec<Parameter>, Thunk)> = vec![];
    // A single axis is the usual case, so that the default is a number; several are possible.
    let axes = Parameter { kind: ParameterKind::Axes, optional: true, ..axis() };
    let parameters = vec![
        array(),
        axes,
        dtype(),
        out(),
        Parameter::keyword::<bool>("keepdims", &false),
        Parameter { default: Some(Value::None), ..Parameter::new::<Option<Scalar>>("initial") },
        Parameter::new::<Option<&Array>>("where"),
    ];
    all.push((".reduce", parameters, Box::new(move |bound| reduce(f, bound))));
    all.push((
        ".accumulate",
        vec![array(), axis(), dtype(), out()],
        Box::new(move |bound| {
            let passed = AccumulateOptions { dtype: bound.get("dtype")?, out: bound.get("out")? };
            f.accumulate(bound.get::<&Array>("array")?, bound.or("axis", 0isize)?, passed).outputs()
        }),
    ));
    let indices = Parameter::new::<&[isize]>("indices");
    all.push((
        ".reduceat",
        vec![array(), indices, axis(), dtype(), out()],
        Box::new(move |bound| {
            let passed = AccumulateOptions { dtype: bound.get("dtype")?, out: bound.get("out")? };
            f.reduceat(
                bound.get::<&Array>("array")?,
                bound.get::<&[isize]>("indices")?,
                bound.or("axis", 0isize)?,
                passed,
            )
            .outputs()
        }),
    ));
    let mut parameters = vec![Parameter::new::<Operand<'_>>("A"), Parameter::new::<Operand<'_>>("B"), self::out(f)];
    parameters.extend(placement());
    all.push((
        ".outer",
        parameters,
        Box::new(move |bound| {
            let (a, b): (Operand<'_>, Operand<'_>) = (bound.get("A")?, bound.get("B")?);
            if f.nout() == 2 {
                return f.outer_pair(a, b, options(bound, two_outs(bound)?)?).outputs();
            }
            f.outer(a, b, options(bound, [bound.get("out")?, None])?).outputs()
        }),
    ));
    let at = vec![
        Parameter::new::<&Array>("a"),
        Parameter::new::<Vec<&Array>>("indices"),
        Parameter::new::<Option<Operand<'_>>>("b"),
    ];
    all.push((
        ".at",
        at,
        Box::new(move |bound| {
            f.at(
                bound.get::<&Array>("a")?,
                bound.get::<Vec<&Array>>("indices")?,
                bound.get::<Option<Operand<'_>>>("b")?,
            )
            .outputs()
        }),
    ));
    all.into_iter().map(|(method, parameters, call)| named(entry, name, method, parameters, call)).collect()
}

fn reduce(f: Ufunc, bound: &Bound<'_>) -> Result<Vec<Output>> {
    let axes: Option<Vec<isize>> = bound.or("axis", Some(vec![0]))?;
    let options = axes.as_deref().map_or_else(Reduce::all, Reduce::axes).keepdims(bound.or("keepdims", false)?);
    let options = match bound.get("dtype")? {
        Some(dtype) => options.dtype(dtype),
        None => options,
    };
    let initial: Option<Scalar> = bound.get("initial")?;
    // `None` has a meaning of its own here: start with the elements.
    let no_identity = bound.has("initial") && initial.is_none();
    let passed = FoldOptions { out: bound.get("out")?, where_: bound.get("where")?, initial, no_identity };
    f.reduce(bound.get::<&Array>("array")?, options, passed).outputs()
}

#[distributed_slice(FAMILIES)]
static UFUNCS: fn() -> Vec<Record> = || {
    let mut all = vec![];
    for id in UfuncId::all().filter(|id| !id.record().namespace.is_empty()) {
        for name in std::iter::once(id.record().name).chain(id.record().aliases.iter().copied()) {
            all.push(record(id, name));
            all.extend(methods(id, name));
        }
    }
    all
};
