//! Which element types each function has a form for, and which form a call takes.

use cuprum_kernels::{DType, Kind};

use crate::array::Operand;
use crate::error::{ErrorKind, Result, fail};
use crate::promote::{Casting, can_cast, result_type};
use crate::special;

/// A function of elements.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) nin: usize,
    /// Forms as NumPy writes them, in its order of search; `E` is bfloat16.
    pub(crate) loops: &'static [&'static str],
}

const BOOL2: &str = "??->?";
const INT2: &str = "bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L";
const FLOAT2: &str = "ee->e EE->E ff->f dd->d";
const COMPLEX2: &str = "FF->F DD->D";
const TRUTH_INT2: &str = "bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->?";
const TRUTH_MIXED: &str = "lL->? Ll->?";
const TRUTH_REST2: &str = "ee->? EE->? ff->? dd->? FF->? DD->?";
const BOOL1: &str = "?->?";
const INT1: &str = "b->b B->B h->h H->H i->i I->I l->l L->L";
const FLOAT1: &str = "e->e E->E f->f d->d";
const COMPLEX1: &str = "F->F D->D";
const TRUTH1: &str = "?->? b->? B->? h->? H->? i->? I->? l->? L->? e->? E->? f->? d->? F->? D->?";
const DIVIDE_INT: &str = "bb->d BB->d hh->d HH->d ii->d II->d ll->d LL->d";

const fn spec(name: &'static str, nin: usize, loops: &'static [&'static str]) -> Spec {
    Spec { name, nin, loops }
}

const FLOATING: &[&str] = &[FLOAT1, COMPLEX1];
const COMPARE: &[&str] = &[BOOL2, TRUTH_INT2, TRUTH_MIXED, TRUTH_REST2];

const SPECS: &[Spec] = &[
    spec("add", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("subtract", 2, &[INT2, FLOAT2, COMPLEX2]),
    spec("multiply", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("true_divide", 2, &[DIVIDE_INT, FLOAT2, COMPLEX2]),
    spec("floor_divide", 2, &[INT2, FLOAT2]),
    spec("remainder", 2, &[INT2, FLOAT2]),
    spec("power", 2, &[INT2, FLOAT2, COMPLEX2]),
    spec("maximum", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("minimum", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("negative", 1, &[INT1, FLOAT1, COMPLEX1]),
    spec("absolute", 1, &[BOOL1, INT1, FLOAT1, "F->f D->d"]),
    spec("sqrt", 1, FLOATING),
    spec("exp", 1, FLOATING),
    spec("log", 1, FLOATING),
    spec("sin", 1, FLOATING),
    spec("cos", 1, FLOATING),
    spec("tanh", 1, FLOATING),
    spec("equal", 2, COMPARE),
    spec("not_equal", 2, COMPARE),
    spec("less", 2, COMPARE),
    spec("less_equal", 2, COMPARE),
    spec("greater", 2, COMPARE),
    spec("greater_equal", 2, COMPARE),
    spec("logical_and", 2, &[BOOL2, TRUTH_INT2, TRUTH_REST2]),
    spec("logical_or", 2, &[BOOL2, TRUTH_INT2, TRUTH_REST2]),
    spec("logical_not", 1, &[TRUTH1]),
    spec("bitwise_and", 2, &[BOOL2, INT2]),
    spec("bitwise_or", 2, &[BOOL2, INT2]),
    spec("bitwise_xor", 2, &[BOOL2, INT2]),
    spec("invert", 1, &[BOOL1, INT1]),
    spec("isnan", 1, &[TRUTH1]),
    spec("isfinite", 1, &[TRUTH1]),
];

/// The names of every function that [`ufunc`](crate::ufunc) knows, `where` excepted.
pub fn ufunc_names() -> impl Iterator<Item = &'static str> {
    SPECS.iter().chain(special::SPECS).map(|s| s.name)
}

/// One form of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) inputs: Vec<DType>,
    pub(crate) output: DType,
}

pub(crate) fn find(name: &str) -> Result<&'static Spec> {
    let name = match name {
        "divide" => "true_divide",
        "mod" => "remainder",
        "pow" => "power",
        "abs" => "absolute",
        "bitwise_not" | "bitwise_invert" => "invert",
        "digamma" => "psi",
        other => other,
    };
    match SPECS.iter().chain(special::SPECS).find(|s| s.name == name) {
        Some(spec) => Ok(spec),
        None => fail(ErrorKind::Value, format!("there is no function {name:?}")),
    }
}

impl Spec {
    fn forms(&self) -> impl Iterator<Item = Form> {
        let parse = |c| DType::from_char(c).expect("the table holds type characters only");
        self.loops.iter().flat_map(|l| l.split(' ')).map(move |l| {
            let (inputs, output) = l.split_once("->").expect("a form has an arrow");
            Form {
                inputs: inputs.chars().map(parse).collect(),
                output: output.chars().map(parse).next().expect("one output"),
            }
        })
    }

    pub(crate) fn is_comparison(&self) -> bool {
        matches!(self.name, "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal")
    }

    /// The form that a call takes: that of exactly the operands' dtypes, if all are arrays, or else the first into which
    /// all operands cast safely.
    ///
    /// With `dtype`, only forms with that result count; if none takes the operands so, the first one may if they cast
    /// within their kind.
    pub(crate) fn resolve(&self, operands: &[Operand<'_>], dtype: Option<DType>) -> Result<Form> {
        if operands.len() != self.nin {
            return fail(ErrorKind::Type, format!("{} takes {} operands, not {}", self.name, self.nin, operands.len()));
        }
        let common = result_type(operands)?;
        let types: Vec<DType> = operands
            .iter()
            .map(|o| match o {
                Operand::Array(a) => a.dtype(),
                Operand::Scalar(_) => common,
            })
            .collect();
        let refused = || {
            let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
            fail(ErrorKind::Type, format!("{} is not defined for {}", self.name, names.join(", ")))
        };
        if matches!(self.name, "subtract" | "negative")
            && types.iter().all(|t| t.kind() == Kind::Bool)
            && dtype.is_none_or(|d| d == DType::Bool)
        {
            return refused();
        }
        let fits = |form: &Form, casting| types.iter().zip(&form.inputs).all(|(t, i)| can_cast(*t, *i, casting));
        let wanted = |form: &Form| dtype.is_none_or(|d| d == form.output);
        let arrays = operands.iter().all(|o| matches!(o, Operand::Array(_)));
        if arrays && let Some(form) = self.forms().find(|f| wanted(f) && f.inputs == types) {
            return Ok(form);
        }
        if let Some(form) = self.forms().find(|f| wanted(f) && fits(f, Casting::Safe)) {
            return Ok(form);
        }
        match self.forms().find(wanted).filter(|f| dtype.is_some() && fits(f, Casting::SameKind)) {
            Some(form) => Ok(form),
            None => refused(),
        }
    }
}
