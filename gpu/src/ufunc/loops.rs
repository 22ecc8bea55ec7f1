//! Loop resolution: the loop that a call runs, and checks of its operands.
//!
//! The rule is NumPy's: loops are searched in the order of the record, and the first one that takes the operands by
//! safe casts runs.

use std::sync::OnceLock;

use cuprum_kernels::registry::{Loop, Operands, UfuncId};
use cuprum_kernels::{DType, Kind};
use smallvec::SmallVec;

use super::{UfuncOptions, apply};
use crate::array::{Array, Operand};
use crate::dtype::{Casting, can_cast, made_dtype, promote_types, weak_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::reduction::{Reduce, reduction};
use crate::scalar::{OperandType, Scalar};

/// Cached loops of a function for operands of a single dtype, indexed by it.
struct LoopsOfOneDType {
    /// Loops for arrays alone.
    strong: [Option<u8>; DType::ALL.len()],
    /// Loops for arrays and scalars that take their dtype; `None` where scalars have a rule of their own.
    weak: [Option<u8>; DType::ALL.len()],
}

impl LoopsOfOneDType {
    fn of(op: UfuncId) -> &'static LoopsOfOneDType {
        static ALL: OnceLock<Vec<LoopsOfOneDType>> = OnceLock::new();
        &ALL.get_or_init(|| UfuncId::all().map(LoopsOfOneDType::new).collect())[op.index()]
    }

    fn new(op: UfuncId) -> LoopsOfOneDType {
        let record = op.record();
        let own_rule = record.operands != Operands::Alike;
        let same = DType::ALL.map(|d| [d; 3]);
        let found = |dtypes: &[DType; 3]| find(op, &dtypes[..record.nin], None).ok().map(|at| at as u8);
        let exact = |dtypes: &[DType; 3]| {
            let at = op.loops().iter().position(|l| l.ins[..record.nin] == dtypes[..record.nin]);
            if record.operands == Operands::Chosen { None } else { at.map(|at| at as u8).or_else(|| found(dtypes)) }
        };
        LoopsOfOneDType {
            strong: std::array::from_fn(|d| exact(&same[d])),
            weak: std::array::from_fn(|d| if own_rule { None } else { found(&same[d]) }),
        }
    }
}

/// Resolves the loop of the common case: arrays of one dtype, scalars that fit in it, no dtype requested, no cast
/// forbidden. The result is that of [`resolve`] and [`check`].
pub(crate) fn resolve_alike(op: UfuncId, operands: &[Operand<'_>], options: &UfuncOptions<'_>) -> Option<usize> {
    if options.dtype.is_some() || options.casting < Casting::Safe {
        return None;
    }
    let (mut dtype, mut strong) = (None, true);
    for o in operands {
        match o {
            Operand::Array(a) if *dtype.get_or_insert(a.dtype()) != a.dtype() => return None,
            Operand::Array(_) => {}
            Operand::Scalar(_) => strong = false,
        }
    }
    let (dtype, loops) = (dtype?, LoopsOfOneDType::of(op));
    if strong {
        return loops.strong[dtype as usize].map(usize::from);
    }
    let at = usize::from(loops.weak[dtype as usize]?);
    let fits = |(o, to): (&Operand<'_>, &DType)| match o {
        Operand::Array(_) => true,
        Operand::Scalar(s) => weak_dtype(s, Some(dtype)) == dtype && s.check_fits(*to).is_ok(),
    };
    operands.iter().zip(&op.loops()[at].ins).all(fits).then_some(at)
}

/// Resolves the loop that a call runs: that for exactly the dtypes of the arrays, or otherwise the first to which all
/// operands can be cast safely.
///
/// If a result dtype is requested, only loops with that result are considered, and if none accepts the operands, it is
/// the first of them.
pub(crate) fn resolve(op: UfuncId, operands: &[OperandType], result_dtype: Option<DType>) -> Result<usize> {
    let rule = op.record().operands;
    // A condition may be of any dtype and does not take part.
    let first = usize::from(rule == Operands::Chosen);
    let arrays = operands[first..].iter().filter_map(OperandType::array).reduce(promote_types);
    let mut dtypes: SmallVec<[DType; 3]> = operands
        .iter()
        .enumerate()
        .map(|(k, o)| match o {
            OperandType::Array(dtype) => *dtype,
            OperandType::Scalar(s) if rule == Operands::Unlike => in_slot(op, k, s, arrays),
            // Booleans are compared as other functions treat them.
            OperandType::Scalar(s) if is_comparison(rule) && arrays == Some(DType::Bool) => weak_dtype(s, arrays),
            // A single scalar operand has the dtype of an array created from it.
            OperandType::Scalar(s) if operands.len() == 1 => scalar_dtype(rule, s, made_dtype(s)),
            OperandType::Scalar(s) => scalar_dtype(rule, s, weak_dtype(s, arrays)),
        })
        .collect();
    if first > 0 {
        dtypes[0] = DType::Bool;
    }
    // An exact match takes precedence over loops that require casts.
    let wanted = |l: &Loop| result_dtype.is_none_or(|d| d == l.out());
    let strong = operands.iter().all(|o| matches!(o, OperandType::Array(_)));
    let same = op.loops().iter().position(|l| strong && wanted(l) && l.ins[..dtypes.len()] == dtypes[..]);
    same.map_or_else(|| find(op, &dtypes, result_dtype), Ok)
}

/// Rejects casts of operands that `casting` does not allow, and scalars out of range of the loop's dtype, which NumPy
/// checks first.
pub(crate) fn check(op: UfuncId, at: usize, operands: &[OperandType], options: &UfuncOptions<'_>) -> Result<()> {
    let (rule, ins, casting) = (op.record().operands, &op.loops()[at].ins, options.casting);
    let first = usize::from(rule == Operands::Chosen);
    // The casts of a loop that was not requested are safe; and operands that count as booleans may be of any dtype.
    let safe = options.dtype.is_none() && casting >= Casting::Safe || rule == Operands::Truths;
    // A quotient of integers is computed in floats, although the loop takes integers.
    let taken = |k: usize| if rule == Operands::Divided && ins[k].is_integer() { DType::F64 } else { ins[k] };
    for (k, o) in operands.iter().enumerate() {
        let OperandType::Scalar(s) = o else { continue };
        if !safe && k >= first && !s.casts_to(taken(k), casting) {
            let what = format!("a number of {} cannot become {} under Casting::{casting:?}", s.own_dtype(), taken(k));
            return Err(Error::new(ErrorKind::Type, what));
        }
        match rule {
            // Chosen elements wrap, except for integers outside 64 bits.
            Operands::Chosen if k >= first && ins[k].is_integer() => {
                s.check_fits(DType::U64).or_else(|_| s.check_fits(DType::I64))?;
            }
            Operands::Chosen => {}
            _ => s.check_fits(ins[k])?,
        }
    }
    if safe {
        return Ok(());
    }
    for (k, o) in operands.iter().enumerate().skip(first) {
        let OperandType::Array(dtype) = o else { continue };
        // An array compared with an integer out of range of its dtype is compared by value: it is not cast.
        let by_value = is_comparison(rule) && is_beyond(&operands[1 - k], *dtype);
        check_cast(if by_value { taken(k) } else { *dtype }, taken(k), casting, "an operand")?;
    }
    Ok(())
}

/// Returns the first loop to which these dtypes can be cast safely; with a result dtype `result_dtype`, otherwise the
/// first one with that.
pub(crate) fn find(op: UfuncId, dtypes: &[DType], result_dtype: Option<DType>) -> Result<usize> {
    let rejected = op.record().rejects_bool && dtypes.iter().all(|&d| d == DType::Bool);
    if rejected && result_dtype.is_none_or(|d| d == DType::Bool) {
        return Err(Error::new(
            ErrorKind::Type,
            "booleans have no difference and no sign: use not_equal, bitwise_xor or logical_not",
        ));
    }
    let wanted = |at: &usize| result_dtype.is_none_or(|d| d == op.loops()[*at].out());
    let safe = |at: &usize| dtypes.iter().zip(&op.loops()[*at].ins).all(|(&d, &to)| can_cast(d, to, Casting::Safe));
    let mut loops = (0..op.loops().len()).filter(wanted);
    let first = loops.clone().next().filter(|_| result_dtype.is_some());
    loops.find(safe).or(first).ok_or_else(|| {
        let names: Vec<_> = dtypes.iter().map(|d| d.name()).collect();
        let result_dtype = result_dtype.map_or(String::new(), |d| format!(" with result {d}"));
        let kinds = taken_kinds(op);
        let together = dtypes.iter().all(|d| kinds.contains(&kind_name(*d)));
        let what = match (dtypes, together) {
            ([_], _) => format!("an operand of {} is not taken{result_dtype}", names[0]),
            (_, true) => format!("operands of {} are not taken together{result_dtype}", names.join(" and ")),
            (_, false) => format!("operands of {} are not taken{result_dtype}", names.join(" and ")),
        };
        let cure = if together { "cast one with astype".into() } else { format!("it takes {}", listed(&kinds)) };
        Error::new(ErrorKind::Type, format!("{what}: {cure}"))
    })
}

fn kind_name(dtype: DType) -> &'static str {
    match dtype.kind() {
        Kind::Bool => "booleans",
        Kind::Unsigned | Kind::Signed => "integers",
        Kind::Float => "floats",
        Kind::Complex => "complex numbers",
    }
}

/// Returns the kinds of numbers that the function accepts as its first operand, also by safe casts.
fn taken_kinds(op: UfuncId) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    let safe = |d: DType| op.loops().iter().any(|l| can_cast(d, l.ins[0], Casting::Safe));
    for dtype in DType::ALL.into_iter().filter(|&d| safe(d)) {
        if !kinds.contains(&kind_name(dtype)) {
            kinds.push(kind_name(dtype));
        }
    }
    kinds
}

/// Joins kinds as in `booleans, integers and floats`.
fn listed(kinds: &[&str]) -> String {
    match kinds {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        kinds => kinds.concat(),
    }
}

/// Resolves the loop in which a method folds elements of dtype `second` into a result: its result must be the first
/// operand of the next step; if `every` element may itself be a result, the elements have the result's dtype, too.
/// `first` is the dtype of the output; `result_dtype`, if given, that of the result.
pub(crate) fn find_fold(
    op: UfuncId,
    first: DType,
    second: DType,
    result_dtype: Option<DType>,
    every: bool,
) -> Result<usize> {
    let record = op.record();
    let gives = |at: usize, d: DType| {
        let of = &op.loops()[at];
        of.out() == d && of.ins[0] == d && (!every || of.ins[1] == d)
    };
    let rejected = || {
        let name = record.name;
        Error::new(
            ErrorKind::Type,
            format!(
                "elements of {second} cannot be combined one after the other: no result of {name} is an operand of it again"
            ),
        )
    };
    let all = 0..op.loops().len();
    if record.operands == Operands::Truths {
        // Elements of any dtype convert to booleans.
        let truth = all.clone().find(|&at| gives(at, DType::Bool));
        return truth.filter(|_| result_dtype.is_none_or(|d| d == DType::Bool)).ok_or_else(rejected);
    }
    let takes = |at: usize| can_cast(second, op.loops()[at].ins[1], Casting::Safe);
    let both = |at: usize| takes(at) && can_cast(first, op.loops()[at].ins[0], Casting::Safe);
    let found = match result_dtype {
        Some(d) => {
            let rejects = record.rejects_bool && [first, second, d] == [DType::Bool; 3];
            let mut wanted = all.filter(|&at| gives(at, d) && !rejects);
            let any = wanted.clone().next();
            wanted.find(|&at| both(at)).or(any)
        }
        None => {
            let at = find(op, &[first, second], None)?;
            let out = op.loops()[at].out();
            if gives(at, out) { Some(at) } else { all.clone().find(|&at| gives(at, out) && takes(at)) }
        }
    };
    found.ok_or_else(rejected)
}

/// Rejects a cast of `what` that `casting` does not allow.
pub(crate) fn check_cast(from: DType, to: DType, casting: Casting, what: &str) -> Result<()> {
    if can_cast(from, to, casting) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Type,
        format!(
            "{what} of {from} cannot be cast to {to} under Casting::{casting:?}: cast with astype, or say Casting::Unsafe"
        ),
    ))
}

fn is_comparison(rule: Operands) -> bool {
    matches!(rule, Operands::Compared { .. })
}

/// Returns whether an operand is an integer scalar out of range of an integer dtype.
fn is_beyond(o: &OperandType, dtype: DType) -> bool {
    matches!(o, OperandType::Scalar(s @ Scalar::Int(_)) if s.check_fits(dtype).is_err())
}

/// Returns the dtype of a scalar whose function has operands of different dtypes: what the first loop takes there, if
/// the scalar's kind allows it and no array is of a lower kind; otherwise its own.
fn in_slot(op: UfuncId, k: usize, s: &Scalar, arrays: Option<DType>) -> DType {
    let level = |d: DType| match d.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float | Kind::Complex => 2,
    };
    let own = weak_dtype(s, None);
    let slot = op.loops()[0].ins[k];
    let weak = arrays.is_some_and(|d| level(own) <= level(d));
    if weak && own.kind() <= slot.kind() { slot } else { own }
}

/// Returns the dtype of a scalar for loop resolution, where `dtype` is the one that it takes from the arrays.
fn scalar_dtype(rule: Operands, s: &Scalar, dtype: DType) -> DType {
    match s {
        Scalar::Int(n) if s.check_fits(dtype).is_err() => match rule {
            // Comparisons are by value.
            Operands::Compared { .. } if *n > i64::MAX.into() => DType::U64,
            Operands::Compared { .. } => DType::I64,
            // They are representable as floats.
            Operands::Divided => DType::F64,
            _ => dtype,
        },
        _ => dtype,
    }
}

/// Converts the scalars of a logical function to booleans, which need not fit the arrays' dtype.
pub(crate) fn truths<'a>(op: UfuncId, operands: &[Operand<'a>]) -> Result<Option<SmallVec<[Operand<'a>; 3]>>> {
    if op.record().operands != Operands::Truths || !operands.iter().any(|o| matches!(o, Operand::Scalar(_))) {
        return Ok(None);
    }
    let truth = |o: &Operand<'a>| match o {
        Operand::Scalar(s) => {
            // However, an integer must fit int64, or as the only operand uint64.
            let unsigned = operands.len() == 1 && s.check_fits(DType::U64).is_ok();
            if !unsigned {
                s.check_fits(DType::I64)?;
            }
            Ok(Operand::Scalar(Scalar::Bool(s.is_true())))
        }
        other => Ok(*other),
    };
    operands.iter().map(truth).collect::<Result<_>>().map(Some)
}

/// Returns the constant result of a comparison with an integer outside 64 bits.
pub(crate) fn beyond_range(op: UfuncId, operands: &[Operand<'_>]) -> Option<bool> {
    let Operands::Compared { below, above } = op.record().operands else { return None };
    let exact = |a: &Array| a.dtype().is_integer();
    let (n, scalar_first) = match operands {
        [Operand::Scalar(Scalar::Int(n)), Operand::Array(a)] if exact(a) => (*n, true),
        [Operand::Array(a), Operand::Scalar(Scalar::Int(n))] if exact(a) => (*n, false),
        _ => return None,
    };
    if n >= i64::MIN.into() && n <= u64::MAX.into() {
        return None;
    }
    let first_is_below = (n > 0) != scalar_first;
    Some(if first_is_below { below } else { above })
}

/// Rejects negative integers in the second operand of a function that does not accept them, where the mask selects
/// them. `dtype` is that of the loop.
pub(crate) fn check_negative(exponent: &Operand<'_>, dtype: DType, mask: Option<&Array>, size: usize) -> Result<()> {
    if dtype.kind() != Kind::Signed || size == 0 {
        return Ok(());
    }
    let any = |a: &Array| reduction("any")?.call(a, Reduce::all())?.item::<bool>();
    let negative = match exponent {
        Operand::Scalar(s) => {
            let negative = Scalar::decode(&s.encode(dtype), dtype);
            matches!(negative, Scalar::Int(n) if n < 0) && mask.map_or(Ok(true), any)?
        }
        // A safe cast from another kind has no negative values.
        Operand::Array(a) if a.dtype().kind() != Kind::Signed && can_cast(a.dtype(), dtype, Casting::Safe) => false,
        Operand::Array(a) => {
            let cast = if a.dtype() == dtype { (*a).clone() } else { a.astype(dtype)? };
            let below = apply("less", [(&cast).into(), 0.into()])?;
            match mask {
                None => any(&below)?,
                Some(mask) => any(&apply("logical_and", [(&below).into(), mask.into()])?)?,
            }
        }
    };
    if negative {
        return Err(Error::new(
            ErrorKind::Value,
            "an integer to a negative power is no integer: cast the base to a float with astype",
        ));
    }
    Ok(())
}
