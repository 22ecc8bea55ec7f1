//! Loops: the dtypes of each function, and the choice of the loop of a call.

use cuprum_kernels::{DType, Kind};

use crate::core::array::Operand;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::{Casting, can_cast, result_type};
use crate::core::value::Value;
use crate::core::value_promotion;
use crate::core::version::{self, Change};
use crate::scipy::special;

/// Description of an elementwise function.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) nin: usize,
    /// Loops in NumPy's notation, in its order of search; `E` is bfloat16.
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

const OF_INTEGERS: &str = "?->d b->d B->d h->d H->d i->d I->d l->d L->d";
const FLOATING: &[&str] = &[FLOAT1, COMPLEX1];
const REAL: &[&str] = &[FLOAT1];
const WHOLE: &[&str] = &[BOOL1, INT1, FLOAT1];
const NUMBERS: &[&str] = &[INT1, FLOAT1, COMPLEX1];
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
    spec("tan", 1, FLOATING),
    spec("arcsin", 1, FLOATING),
    spec("arccos", 1, FLOATING),
    spec("arctan", 1, FLOATING),
    spec("arctan2", 2, &[FLOAT2]),
    spec("hypot", 2, &[FLOAT2]),
    spec("sinh", 1, FLOATING),
    spec("cosh", 1, FLOATING),
    spec("arcsinh", 1, FLOATING),
    spec("arccosh", 1, FLOATING),
    spec("arctanh", 1, FLOATING),
    spec("degrees", 1, REAL),
    spec("radians", 1, REAL),
    spec("rad2deg", 1, REAL),
    spec("deg2rad", 1, REAL),
    spec("sinc", 1, &[OF_INTEGERS, FLOAT1, COMPLEX1]),
    spec("expm1", 1, FLOATING),
    spec("exp2", 1, FLOATING),
    spec("exp10", 1, &["f->f d->d"]),
    spec("log2", 1, FLOATING),
    spec("log10", 1, FLOATING),
    spec("log1p", 1, FLOATING),
    spec("logaddexp", 2, &[FLOAT2]),
    spec("logaddexp2", 2, &[FLOAT2]),
    spec("float_power", 2, &["dd->d DD->D"]),
    spec("cbrt", 1, REAL),
    spec("rsqrt", 1, FLOATING),
    spec("reciprocal", 1, &[INT1, FLOAT1, COMPLEX1]),
    spec("square", 1, &[INT1, FLOAT1, COMPLEX1]),
    spec("i0", 1, &[OF_INTEGERS, FLOAT1]),
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
    spec("isinf", 1, &[TRUTH1]),
    spec("rint", 1, FLOATING),
    spec("floor", 1, WHOLE),
    spec("ceil", 1, WHOLE),
    spec("trunc", 1, WHOLE),
    spec("positive", 1, NUMBERS),
    spec("conjugate", 1, NUMBERS),
    spec("sign", 1, NUMBERS),
    spec("fabs", 1, &[FLOAT1]),
    spec("signbit", 1, &["e->? E->? f->? d->?"]),
    spec("spacing", 1, &[FLOAT1]),
    spec("copysign", 2, &[FLOAT2]),
    spec("nextafter", 2, &[FLOAT2]),
    spec("heaviside", 2, &[FLOAT2]),
    spec("fmax", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("fmin", 2, &[BOOL2, INT2, FLOAT2, COMPLEX2]),
    spec("ldexp", 2, &["ei->e Ei->E fi->f el->e El->E fl->f di->d dl->d"]),
    spec("fmod", 2, &[INT2, FLOAT2]),
    spec("gcd", 2, &[INT2]),
    spec("lcm", 2, &[INT2]),
    spec("left_shift", 2, &[INT2]),
    spec("right_shift", 2, &[INT2]),
    spec("bitwise_count", 1, &["b->B B->B h->B H->B i->B I->B l->B L->B"]),
    spec("logical_xor", 2, &[BOOL2, TRUTH_INT2, TRUTH_REST2]),
    spec("frexp", 1, &["e->ei E->Ei f->fi d->di"]),
    spec("modf", 1, &["e->ee E->EE f->ff d->dd"]),
    spec("divmod", 2, &["bb->bb BB->BB hh->hh HH->HH ii->ii II->II ll->ll LL->LL", "ee->ee EE->EE ff->ff dd->dd"]),
];

/// Returns the names of all functions that [`ufunc`](crate::ufunc) knows, except `where`.
pub fn ufunc_names() -> impl Iterator<Item = &'static str> {
    SPECS.iter().chain(special::SPECS).map(|s| s.name)
}

/// One loop of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) inputs: Vec<DType>,
    pub(crate) outputs: Vec<DType>,
}

impl Form {
    /// Returns the dtype of the first result, which is the only one of most functions.
    pub(crate) fn output(&self) -> DType {
        self.outputs[0]
    }
}

pub(crate) fn find(name: &str) -> Result<&'static Spec> {
    let name = match name {
        "divide" => "true_divide",
        "mod" => "remainder",
        "pow" => "power",
        "abs" => "absolute",
        "bitwise_not" | "bitwise_invert" => "invert",
        "digamma" => "psi",
        "asin" => "arcsin",
        "acos" => "arccos",
        "atan" => "arctan",
        "atan2" => "arctan2",
        "asinh" => "arcsinh",
        "acosh" => "arccosh",
        "atanh" => "arctanh",
        "fix" => "trunc",
        "conj" => "conjugate",
        "bitwise_left_shift" => "left_shift",
        "bitwise_right_shift" => "right_shift",
        other => other,
    };
    match SPECS.iter().chain(special::SPECS).find(|s| s.name == name) {
        Some(spec) => Ok(spec),
        None => fail(ErrorKind::Value, format!("there is no function {name:?}")),
    }
}

impl Spec {
    fn forms(&self) -> impl Iterator<Item = Form> {
        let rounds = matches!(self.name, "floor" | "ceil" | "trunc") && !version::has(Change::IntegerRounding);
        let exact = !self.is_comparison() || version::has(Change::ExactComparison);
        let applies = move |form: &Form| {
            (!rounds || form.inputs[0].is_float()) && (exact || form.inputs.windows(2).all(|pair| pair[0] == pair[1]))
        };
        let parse = |c| DType::from_char(c).expect("the table holds type characters only");
        self.loops
            .iter()
            .flat_map(|l| l.split(' '))
            .map(move |l| {
                let (inputs, outputs) = l.split_once("->").expect("a form has an arrow");
                Form { inputs: inputs.chars().map(parse).collect(), outputs: outputs.chars().map(parse).collect() }
            })
            .filter(applies)
    }

    /// Returns the dtype of a weak scalar among arrays: if no array is of a lower kind, the first loop's dtype of the
    /// operand `index`, so that the arrays decide; its default otherwise.
    fn promoted_at(&self, index: usize, v: &Value, operands: &[Operand<'_>]) -> DType {
        let rung = |kind| match kind {
            Kind::Bool => 0,
            Kind::Unsigned | Kind::Signed => 1,
            Kind::Float | Kind::Complex => 2,
        };
        let default = match v {
            Value::Bool(_) => DType::Bool,
            Value::Int(_) => DType::I64,
            Value::Float(_) => DType::F64,
            Value::Complex(_) => DType::C128,
        };
        let arrays = operands.iter().filter_map(|o| match o {
            Operand::Array(a) => Some(rung(a.dtype().kind())),
            Operand::Scalar(_) => None,
        });
        let weak = arrays.max().is_some_and(|highest| rung(default.kind()) <= highest);
        let first = self.forms().next().map(|f| f.inputs[index]).filter(|t| t.kind() >= default.kind());
        first.filter(|_| weak).unwrap_or(default)
    }

    /// Returns the number of results.
    pub(crate) fn nout(&self) -> usize {
        self.forms().next().map_or(0, |form| form.outputs.len())
    }

    pub(crate) fn is_comparison(&self) -> bool {
        matches!(self.name, "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal")
    }

    /// Returns true if operands were promoted before a loop was looked up, in value-based promotion.
    fn meets_first(&self) -> bool {
        let uniform =
            ["add", "subtract", "multiply", "positive", "sign", "maximum", "minimum", "fmax", "fmin", "gcd", "lcm"];
        self.is_comparison() || uniform.contains(&self.name)
    }

    /// Returns true if operands that are all booleans are rejected, though they could be cast.
    fn rejects_bool(&self) -> bool {
        matches!(self.name, "subtract" | "negative" | "positive" | "sign" | "gcd" | "lcm")
    }

    /// Returns the loop of a call: that of exactly the operands' dtypes, if all are arrays, or else the first to which
    /// all operands can be cast safely.
    ///
    /// With `dtype`, only loops with that result count; if none takes the operands safely, it is the first one. Whether
    /// the necessary casts are allowed is checked elsewhere.
    pub(crate) fn resolve(&self, operands: &[Operand<'_>], dtype: Option<DType>) -> Result<Form> {
        if operands.len() != self.nin {
            return fail(ErrorKind::Type, format!("{} takes {} operands, not {}", self.name, self.nin, operands.len()));
        }
        let weak = version::has(Change::Promotion);
        let common = result_type(operands)?;
        let types: Vec<DType> = operands
            .iter()
            .enumerate()
            .map(|(k, o)| match o {
                // NumPy's own sinc replaces zero by a small number.
                _ if !weak && self.name == "sinc" => {
                    value_promotion::result_type(&[o.clone(), Operand::Scalar(Value::Float(1e-20))])
                }
                _ if !weak => value_promotion::own_type(o),
                Operand::Array(a) => Ok(a.dtype()),
                Operand::Scalar(v) if matches!(self.name, "ldexp" | "sph_legendre_p") => {
                    Ok(self.promoted_at(k, v, operands))
                }
                Operand::Scalar(_) => Ok(common),
            })
            .collect::<Result<_>>()?;
        let by_value = !weak && value_promotion::applies(operands)?;
        let rejected = || {
            let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
            fail(ErrorKind::Type, format!("{} is not defined for {}", self.name, names.join(", ")))
        };
        if self.rejects_bool() && types.iter().all(|t| t.kind() == Kind::Bool) && dtype.is_none_or(|d| d == DType::Bool)
        {
            return rejected();
        }
        let takes = |operand: &Operand<'_>, own: DType, input: DType| match by_value {
            true => value_promotion::can_cast_operand(operand, input, Casting::Safe).is_ok_and(|safe| safe),
            false => can_cast(own, input, Casting::Safe),
        };
        let fits =
            |form: &Form| operands.iter().zip(&types).zip(&form.inputs).all(|((o, own), input)| takes(o, *own, *input));
        let wanted = |form: &Form| dtype.is_none_or(|d| d == form.output());
        if by_value && self.meets_first() && dtype.is_none() {
            let meet = |form: &Form| form.inputs.iter().all(|input| *input == common);
            if let Some(form) = self.forms().find(meet) {
                return Ok(form);
            }
        }
        let arrays = !by_value && operands.iter().all(|o| matches!(o, Operand::Array(_)));
        let same = self.forms().find(|f| arrays && wanted(f) && f.inputs == types);
        let safe = || self.forms().find(|f| wanted(f) && fits(f));
        if let Some(requested) = dtype
            && self.is_comparison()
            && !version::has(Change::ComparisonDtype)
        {
            // It is the dtype of the operands, unless they have a loop with this result.
            return Ok(same.unwrap_or(Form { inputs: vec![requested; 2], outputs: vec![DType::Bool] }));
        }
        match same.or_else(safe).or_else(|| self.forms().find(wanted).filter(|_| dtype.is_some())) {
            // The quotient of integers is computed in floats.
            Some(form) if self.name == "true_divide" && form.inputs[0].is_integer() => {
                Ok(Form { inputs: vec![DType::F64; 2], ..form })
            }
            Some(form) => Ok(form),
            None => rejected(),
        }
    }

    /// Returns the loop in which a method folds elements of dtype `second` into a result that is an operand of the next
    /// step: its result's dtype is that of its first operand. `first` is the dtype of the output.
    ///
    /// With `dtype`, the result has this dtype; if no loop takes the operands safely, it is the first one. Where
    /// `every` element may be a result by itself, its dtype is the result's too.
    pub(crate) fn resolve_fold(&self, first: DType, second: DType, dtype: Option<DType>, every: bool) -> Result<Form> {
        let rejected = || fail(ErrorKind::Type, format!("{} of {second} gives no {second} again", self.name));
        let both_bool = first == DType::Bool && second == DType::Bool;
        if self.rejects_bool() && both_bool && dtype.is_none_or(|d| d == DType::Bool) {
            return rejected();
        }
        if self.name.starts_with("logical") {
            return match dtype {
                None | Some(DType::Bool) => Ok(Form { inputs: vec![DType::Bool; 2], outputs: vec![DType::Bool] }),
                Some(_) => rejected(),
            };
        }
        let gives =
            |form: &Form, d: DType| form.output() == d && form.inputs[0] == d && (!every || form.inputs[1] == d);
        let takes = |form: &Form| can_cast(second, form.inputs[1], Casting::Safe);
        let safe = |form: &Form| can_cast(first, form.inputs[0], Casting::Safe) && takes(form);
        let found = match dtype {
            Some(d) => {
                let wanted = self.forms().find(|f| gives(f, d) && safe(f));
                wanted.or_else(|| self.forms().find(|f| gives(f, d)))
            }
            None => self.forms().find(safe).and_then(|found| {
                let again = |f: &Form| gives(f, found.output()) && takes(f);
                if gives(&found, found.output()) { Some(found) } else { self.forms().find(again) }
            }),
        };
        found.map_or_else(rejected, Ok)
    }
}
