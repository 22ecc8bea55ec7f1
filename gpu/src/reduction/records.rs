//! Call table records of reductions, and the names of their options there.
//!
//! A record lists the parameters that a reduction has: `initial`, `where` and `ddof` only where NumPy's function has
//! them.

use cuprum_kernels::DType;
use cuprum_kernels::registry::ReductionId;
use linkme::distributed_slice;

use super::{Reduce, Reduction};
use crate::array::{Array, Operand};
use crate::error::Result;
use crate::scalar::Scalar;
use crate::table::{AxisForm, Bound, Extra, FAMILIES, Options, Parameter, PythonSignature, Record, Returned};

/// The options in NumPy's order. Those of `var` and `std` alone come last.
impl<'v> Options<'v> for Reduce {
    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new::<Option<Vec<isize>>>("axis"),
            Parameter::new::<Option<DType>>("dtype"),
            Parameter::new::<Option<&Array>>("out"),
            Parameter::keyword::<f64>("ddof", &0.0),
            Parameter::keyword::<bool>("keepdims", &false),
            Parameter::new::<Option<Scalar>>("initial"),
            Parameter::new::<Option<&Array>>("where"),
            Parameter::new::<Option<Operand<'_>>>("mean"),
        ]
    }

    fn read(bound: &'v Bound<'_>) -> Result<Reduce> {
        let axes: Option<Vec<isize>> = bound.get("axis")?;
        let mut options = axes.as_deref().map_or_else(Reduce::all, Reduce::axes).keepdims(bound.or("keepdims", false)?);
        options = options.ddof(bound.or("ddof", 0.0)?);
        if let Some(dtype) = bound.get("dtype")? {
            options = options.dtype(dtype);
        }
        if let Some(initial) = bound.get::<Option<Scalar>>("initial")? {
            options = options.initial(initial);
        }
        let arrays = [
            ("out", (|options, a| options.out(a)) as fn(Reduce, &Array) -> Reduce),
            ("where", |options, a| options.where_(a)),
        ];
        for (name, set) in arrays {
            if let Some(a) = bound.get::<Option<&Array>>(name)? {
                options = set(options, a);
            }
        }
        if let Some(mean) = bound.get::<Option<Operand<'_>>>("mean")? {
            options = options.mean(mean);
        }
        Ok(options)
    }
}

fn record(id: ReductionId, name: &'static str) -> Record {
    let entry = id.record();
    let taken = |parameter: &Parameter| match parameter.name {
        "dtype" => id.takes_dtype(),
        "initial" => id.takes_initial(),
        "where" => !id.is_position(),
        "ddof" | "mean" => id.is_variance(),
        _ => true,
    };
    // Positions are found along one axis; CuPy's functions have their dtype.
    let python = match id {
        id if id.is_position() => {
            PythonSignature::new().dtype_before_out(true).axis(AxisForm::Integer).extras(&[("dtype", Extra::Cast)])
        }
        id if id.is_variance() => PythonSignature::new().extras(&[("correction", Extra::Alias("ddof"))]),
        _ => PythonSignature::new(),
    };
    let options = Reduce::parameters().into_iter().filter(taken);
    Record {
        name: name.into(),
        namespace: "numpy",
        function: name,
        alias_of: (name != entry.name).then(|| entry.name.into()),
        doc: entry.doc.into(),
        parameters: std::iter::once(Parameter::new::<&Array>("a")).chain(options).collect(),
        python,
        no_cases: None,
        no_programs: None,
        call: Box::new(move |bound| Reduction(id).called(bound.get("a")?, &Reduce::read(bound)?).outputs()),
    }
}

#[distributed_slice(FAMILIES)]
static REDUCTIONS: fn() -> Vec<Record> = || {
    let names = |id: ReductionId| std::iter::once(id.record().name).chain(id.record().aliases.iter().copied());
    ReductionId::all().flat_map(|id| names(id).map(move |name| record(id, name))).collect()
};
