//! The gate's part of the default sample: cases that cover the same for less time.
//!
//! Most of the time of the default sample on the simulator goes into compiling a kernel for each operation, dtype and
//! class of plans, and into a few large cases. The gate runs a cover of the sample: each thing that an accepted case
//! covers, in the sense of [`covered`], is covered by a case of the gate. A greedy search makes its cost small, by an
//! estimate: kernels that no chosen case needs yet, and elements. Cases that became redundant by later choices stay: some of
//! them alone detect a seeded fault. Rejected cases all stay. The nightly jobs and GPUs run the whole sample: each function
//! with every dtype.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};

use cuprum::Engine;
use cuprum_kernels::{DType, Kind};

use super::plan::Plan;
use super::predict::elements;
use super::{CaseSet, case_sets};
use crate::case::{Case, Operand};
use crate::matrix::{Matrix, Op};
use crate::random::hash;
use crate::shard::Costs;

/// Estimated microseconds for a kernel that is not compiled yet, of the elementwise engine and of others; for a case, and
/// for an element.
const COMPILE_ELEMENTWISE: u64 = 30_000;
const COMPILE: u64 = 120_000;
const CASE: u64 = 1_000;
const ELEMENT: u64 = 1;

/// More elements are many.
const MANY: usize = 1024;

/// Operations and parameters whose results of many elements have millions: only the nightly jobs and GPUs run these cases.
const NIGHTLY: [(&str, &str); 1] = [("cov", "one=1;rowvar=0")];

/// Cases that alone in the default sample detect a seeded fault of `mutants/`, though others cover the same.
const REQUIRED: [&str; 19] = [
    "math/subtract/u64-u64/(2,1,3)x(3,2,1,1)/F-C/uniform",
    "cast/astype/i64/(1025,)/negative/mixed/to=bf16",
    "math/true_divide/c128-c128/(2,1,2,2,2,2,2,2,2,2)x(2,1,2,2,2,2,2,2,2,2)/transposed-C/limits",
    "options/add.call/u16-py(300)/(3,1)/broadcast/beyond/out=c64/strided",
    "options/maximum.call/bf16-bf16/(3,1)x(1,4)/offset-offset/special/dtype=f32",
    "math/power/f64-f64/(2,1,3)x(3,2,1,1)/strided-negative/limits",
    "histograms/histogramdd/f16/(2100,2)/C/uniform/bins=3;density=1",
    "creation/linspace/i32/()/C/small/start=-3;stop=3;num=5",
    "at/maximum.at/i64-i64/(7,)x(5,)/C-C/small/indices=(0,1,-1,0,1)",
    "linalg/matmul.digits/u8-u8/(2,65,129)x(1,129,64)/C-C/uniform",
    "linalg/matmul.digits/u16-u16/(67,131)x(131,70)/C-C/uniform",
    "reduction/sum/i8/(300,16)/F/limits/axis=0;where=1",
    "reduction/max/i64/(300,27)/strided/beyond/axis=-1;out=f64/strided",
    "searching/flatnonzero/f16/(1025,)/C/limits",
    "searching/searchsorted/c128-c64/(40,)x(33,65)/broadcast-F/special/right=1",
    "sorting/ndarray.sort/bool/(14000,)/C/small",
    "quantiles/median/i16/(9001,)/negative/uniform/axis=-1;keepdims=1",
    "quantiles/quantile/i8/(2,8200)/C/uniform/q=(0.3,0.75);axis=-1;of=f32",
    "histograms/histogram2d.many/u16-u16/(17000,)x(17000,)/broadcast-broadcast/uniform/bins=4",
];

/// Returns the cases of the default sample that the gate runs, in their order.
pub fn gate(matrix: &Matrix) -> Vec<Case> {
    let sets = case_sets(matrix, false, matrix.seed);
    let mut kept = cover(&Accepted::all(matrix, &sets)).into_iter();
    let mut cases = vec![];
    for set in sets.iter() {
        // In the order of `Accepted::all`.
        let accepted = set.filled.iter().chain(&set.slight).filter(|_| kept.next() == Some(true));
        cases.extend(accepted.chain(&set.rejected).cloned());
    }
    cases
}

/// Returns the ids of the default sample that the gate leaves to the nightly jobs.
pub fn nightly(matrix: &Matrix) -> HashSet<String> {
    let gate: HashSet<String> = gate(matrix).iter().map(Case::id).collect();
    let all = super::cases(matrix, false, matrix.seed);
    all.iter().map(Case::id).filter(|id| !gate.contains(id)).collect()
}

/// What an accepted case covers and is estimated to cost.
struct Accepted {
    covered: Vec<u64>,
    /// Microseconds without compiling.
    micros: u64,
    /// Identifies the kernels, as far as operation, dtypes and the relation of the strides determine them.
    kernels: u64,
    /// Microseconds to compile them: none where there is no element to compute.
    compile: u64,
    /// True for a case of [`REQUIRED`].
    is_required: bool,
}

impl Accepted {
    fn all(matrix: &Matrix, sets: &[CaseSet]) -> Vec<Accepted> {
        let costs = Costs::measured();
        let mut all = vec![];
        for (op, set) in matrix.ops.iter().zip(sets) {
            for case in set.filled.iter().chain(&set.slight) {
                let arrangement = Plan::of(op, case).map(|plan| plan.arrangement);
                let kernels = hash(format!("{} {:?} {arrangement:?}", op.name, case.dtypes()));
                let n = elements(op, case) as u64;
                let compile = match op.engine() {
                    _ if n == 0 => 0,
                    Some(Engine::Elementwise) => COMPILE_ELEMENTWISE,
                    _ => COMPILE,
                };
                // Costs are relative to those of the mean operation.
                let micros = CASE + ((ELEMENT * n) as f64 * (costs.case(case) / costs.mean()).max(0.1)) as u64;
                let is_required = REQUIRED.contains(&case.id().as_str());
                all.push(Accepted { covered: covered(op, case), micros, kernels, compile, is_required });
            }
        }
        all
    }
}

/// Returns for each case whether it belongs to the cover: those that are required, and then in each step the one with the least cost for
/// each thing that it newly covers.
fn cover(all: &[Accepted]) -> Vec<bool> {
    let mut kept: Vec<bool> = all.iter().map(|case| case.is_required).collect();
    let required = || all.iter().filter(|case| case.is_required);
    let mut done: HashSet<u64> = required().flat_map(|case| case.covered.iter().copied()).collect();
    let mut compiled: HashSet<u64> = required().filter(|case| case.compile > 0).map(|case| case.kernels).collect();
    // In nanoseconds; `None` if nothing is newly covered.
    let price = |case: &Accepted, done: &HashSet<u64>, compiled: &HashSet<u64>| -> Option<u64> {
        let new = case.covered.iter().filter(|what| !done.contains(what)).count() as u64;
        let compile = if compiled.contains(&case.kernels) { 0 } else { case.compile };
        (new > 0).then(|| 1000 * (case.micros + compile) / new)
    };
    let mut queue: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    queue.extend((0..all.len()).filter_map(|i| Some(Reverse((price(&all[i], &done, &compiled)?, i)))));
    while let Some(Reverse((_, i))) = queue.pop() {
        // A case may cover less anew than when it was queued.
        let Some(now) = price(&all[i], &done, &compiled) else { continue };
        if queue.peek().is_some_and(|Reverse((next, _))| now > *next) {
            queue.push(Reverse((now, i)));
            continue;
        }
        kept[i] = true;
        done.extend(all[i].covered.iter().copied());
        if all[i].compile > 0 {
            compiled.insert(all[i].kernels);
        }
    }
    kept
}

/// Returns the class of dtypes for which a function has one kernel body, as a rule: integers are templates of their type
/// or are converted to floats, float16 and bfloat16 are computed in float32.
fn class(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 | DType::BF16 => "16 bits",
        _ if dtype.kind() == Kind::Signed => "signed",
        _ if dtype.kind() == Kind::Unsigned => "unsigned",
        _ => dtype.device_name(),
    }
}

/// Returns the class of dtypes for which a function of elements has an expression of its own: the engine converts the others.
fn expression(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => "float32",
        DType::F64 => "float64",
        _ if dtype.is_complex() => "complex",
        _ => "integer",
    }
}

/// Returns what an accepted case covers. Of each operation: each class of dtypes; each set of values, of real and of complex
/// numbers; each dtype of empty operands; each scalar, some unequal dtypes; the parameters, and some case of many elements.
/// Of each operation that is not a function of elements, which its engine arranges: the parameters with each shape; each layout of
/// each operand; each relation of the strides. Of each engine, or of each family of operations
/// without one: the dtypes; classes of dtypes with the parameters and the sets of values; pairs of unequal dtypes, and
/// classes of three; the dtype of each operand with each layout; the shapes; each dtype with each class of plans, those of more than a
/// tile of elements among them.
fn covered(op: &Op, case: &Case) -> Vec<u64> {
    let (name, params, values) = (&op.name, &case.params, &case.values);
    let of_operand = |operand: &Operand, of: fn(DType) -> &'static str| match operand {
        Operand::Array { dtype, .. } => of(*dtype).to_string(),
        Operand::Scalar(text) => text.clone(),
    };
    let joined =
        |of: fn(DType) -> &'static str| case.operands.iter().map(|o| of_operand(o, of)).collect::<Vec<_>>().join("-");
    let (dtypes, classes) = (joined(DType::device_name), joined(class));
    let equal = case.operands.windows(2).all(|pair| {
        let [a, b] = [&pair[0], &pair[1]].map(|o| of_operand(o, DType::device_name));
        a == b
    });
    let n = elements(op, case);
    if n > MANY && NIGHTLY.iter().any(|(op, with)| op == name && params.to_string() == *with) {
        return vec![];
    }
    if n <= 1 {
        // No kernel runs on an empty array: these are the dtypes of results.
        let of_dtypes = if n == 0 { &dtypes } else { &classes };
        let of_dtypes = if equal { of_dtypes } else { "unequal" };
        return [format!("{name} {n} {of_dtypes}"), format!("{name} {params} {n}")].iter().map(hash).collect();
    }
    let elementwise = op.engine() == Some(Engine::Elementwise);
    let engine = op.engine().map_or_else(|| format!("family {}", op.family), |engine| format!("engine {engine}"));
    let mut covered = if equal {
        // Functions of real and of complex numbers have branches for ranges of values; integers overflow in the engine's
        // arithmetic.
        let by_values = match case.dtypes().first() {
            Some(d) if d.is_complex() => format!("{name} complex {values}"),
            Some(d) if d.is_float() => format!("{name} real {values}"),
            _ => format!("{engine} {dtypes} {values}"),
        };
        vec![
            by_values,
            format!("{name} {}", if elementwise { joined(expression) } else { classes.clone() }),
            format!("{name} {values}"),
            format!("{engine} {dtypes}"),
            format!("{engine} {classes} {values}"),
            format!("{engine} {classes} {params}"),
        ]
    } else {
        let scalar = case.operands.iter().find(|o| matches!(o, Operand::Scalar(_)));
        let scalar = scalar.map(|o| of_operand(o, DType::device_name));
        let tuple = if case.operands.len() == 2 { &dtypes } else { &classes };
        vec![format!("{name} {scalar:?}"), format!("{engine} {tuple}")]
    };
    for (k, operand) in case.operands.iter().enumerate() {
        if let Operand::Array { dtype, layout, shape } = operand {
            covered.push(format!("{engine} {k} {dtype} {layout}"));
            let of = if elementwise { &engine } else { name };
            covered.push(format!("{of} {k} {layout}"));
            if n <= MANY {
                covered.push(format!("{of} {k} {shape} {params}"));
            }
        }
    }
    covered.push(format!("{name} {params} {}", n > MANY));
    if let Some(Plan { arrangement, tiles }) = Plan::of(op, case) {
        covered.push(format!("{} {arrangement:?}", if elementwise { &engine } else { name }));
        covered.push(format!("{engine} {:?} {arrangement:?} {tiles}", case.dtypes().iter().max_by_key(|d| d.size())));
    }
    covered.iter().map(hash).collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::cases;

    #[test]
    fn required_cases_are_in_the_gate() {
        let ids: HashSet<String> = gate(&Matrix::built_in().unwrap()).iter().map(Case::id).collect();
        for id in REQUIRED {
            assert!(ids.contains(id), "the default sample has no case {id}: which other one detects the fault?");
        }
    }

    #[test]
    fn the_gate_covers_what_the_sample_covers_with_fewer_cases() {
        let matrix = Matrix::built_in().unwrap();
        let ids: HashSet<String> = gate(&matrix).iter().map(Case::id).collect();
        let sets = case_sets(&matrix, false, matrix.seed);
        let accepted: Vec<&Case> = sets.iter().flat_map(|set| set.filled.iter().chain(&set.slight)).collect();
        let all = accepted.iter().zip(Accepted::all(&matrix, &sets));
        let (in_gate, others): (Vec<_>, Vec<_>) = all.partition(|(case, _)| ids.contains(&case.id()));
        let covered: HashSet<u64> = in_gate.iter().flat_map(|(_, of)| of.covered.iter().copied()).collect();
        for (case, of) in &others {
            assert!(of.covered.iter().all(|what| covered.contains(what)), "the gate lacks what {case} covers");
        }
        let kernels = |all: &[(&&Case, Accepted)]| all.iter().map(|(_, of)| of.kernels).collect::<HashSet<_>>();
        let few = kernels(&in_gate);
        let more = kernels(&others).difference(&few).count();
        eprintln!("{} cases and {} kernels, {} and {more} are left out", in_gate.len(), few.len(), others.len());
        assert!(others.len() > in_gate.len() / 4, "{} of {}", in_gate.len(), in_gate.len() + others.len());
        let all = cases(&matrix, false, matrix.seed);
        assert!(sets.iter().flat_map(|set| &set.rejected).all(|case| ids.contains(&case.id())));
        assert_eq!(nightly(&matrix).len() + ids.len(), all.len());
    }
}
