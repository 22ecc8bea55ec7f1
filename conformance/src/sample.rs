//! Selection of cases: the pairwise sample of the default run, the bounded product of the full one, and their subsets
//! by filters.

mod axes;
mod gate;
mod generate;
mod plan;
mod predict;
mod quick;
mod tuples;

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::case::Case;
use crate::divergence;
use crate::matrix::{Matrix, Op};
use crate::must_pass;
use crate::random::hash;
use crate::text::matches;
pub use gate::{gate, nightly};
pub use generate::CaseSet;
pub use plan::{Arrangement, Plan, tiles};
pub use predict::elements;
pub use quick::{QUICK, quick};

/// Returns true if tests run all that they can, and not the gate's part: with `CUPRUM_SAMPLE=full`.
pub fn is_full() -> bool {
    std::env::var_os("CUPRUM_SAMPLE").is_some_and(|sample| sample == "full")
}

/// Returns the cases of one operation, which do not depend on the other operations.
pub fn cases_of(matrix: &Matrix, op: &Op, full: bool, seed: u64) -> Vec<Case> {
    case_set(matrix, op, full, seed).all().cloned().collect()
}

/// Returns the cases of one operation, which do not depend on the other operations: those that are listed in
/// [`must_pass::FILE`], if the operation is declared as it was when they were sampled.
pub fn case_set(matrix: &Matrix, op: &Op, full: bool, seed: u64) -> CaseSet {
    let listed = || must_pass::listed(&format!("{}/{}", op.family, op.name), fingerprint(matrix, op, seed));
    let Some(groups) = (if full { None } else { listed() }) else { return generate::case_set(matrix, op, full, seed) };
    let cases = |ids: Vec<String>| ids.iter().map(|id| Case::of(op, id)).collect::<Result<Vec<_>, _>>();
    let [filled, slight, rejected] = groups.map(cases);
    match (filled, slight, rejected) {
        (Ok(filled), Ok(slight), Ok(rejected)) => CaseSet { filled, slight, rejected, more: vec![] },
        _ => generate::case_set(matrix, op, full, seed),
    }
}

/// Identifies what the default sample of an operation depends on: its declaration and the seed.
pub fn fingerprint(matrix: &Matrix, op: &Op, seed: u64) -> u32 {
    let set = |name: Option<&String>| name.and_then(|name| matrix.dtypes.get(name));
    let sets = [set(Some(&op.dtypes)), set(op.large.as_ref())];
    hash(format!("{seed} {op:?} {:?} {sets:?}", matrix.shapes.get(&op.shapes))) as u32
}

/// Samples the cases of every operation anew, without the list.
pub fn sampled_anew(matrix: &Matrix) -> Vec<CaseSet> {
    of_every_op(matrix, |op| generate::case_set(matrix, op, false, matrix.seed))
}

/// A cached sample: of these declarations, with this seed.
type Remembered = Option<((u64, u64), Arc<Vec<CaseSet>>)>;

/// Returns the cases of every operation, in their order. The last sample is cached, because it is requested repeatedly.
pub fn case_sets(matrix: &Matrix, full: bool, seed: u64) -> Arc<Vec<CaseSet>> {
    static LAST: Mutex<Remembered> = Mutex::new(None);
    if full {
        return Arc::new(of_every_op(matrix, |op| case_set(matrix, op, full, seed)));
    }
    let key = (declared(matrix), seed);
    // Concurrent callers wait for the same sample.
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((of, sets)) if *of == key => sets.clone(),
        _ => {
            let sets = Arc::new(of_every_op(matrix, |op| case_set(matrix, op, full, seed)));
            *last = Some((key, sets.clone()));
            sets
        }
    }
}

/// Returns a hash of all declarations of a matrix.
fn declared(matrix: &Matrix) -> u64 {
    struct Into(DefaultHasher);
    impl fmt::Write for Into {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut into = Into(DefaultHasher::new());
    // Writing into a hash cannot fail.
    let _ = write!(into, "{matrix:?}");
    into.0.finish()
}

/// Computes something of every operation, in parallel.
fn of_every_op(matrix: &Matrix, of: impl Fn(&Op) -> CaseSet + Sync) -> Vec<CaseSet> {
    let (next, sets) = (AtomicUsize::new(0), Mutex::new(vec![CaseSet::default(); matrix.ops.len()]));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(op) = matrix.ops.get(at) else { break };
                    let of_one = of(op);
                    sets.lock().unwrap_or_else(PoisonError::into_inner)[at] = of_one;
                }
            });
        }
    });
    sets.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the cases of a run: the pairwise sample, or the bounded product.
pub fn cases(matrix: &Matrix, full: bool, seed: u64) -> Vec<Case> {
    case_sets(matrix, full, seed).iter().flat_map(CaseSet::all).cloned().collect()
}

/// Returns the cases of a run that the filters may select: those of operations whose names begin with a filter, if all
/// filters begin with a name.
pub fn cases_for(matrix: &Matrix, filters: &[String], full: bool, seed: u64) -> Vec<Case> {
    let named = |filter: &String| {
        let mut parts = filter.splitn(3, '/');
        let (family, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let is = |op: &&Op| op.family == family && op.name == name && !rest.is_empty();
        matrix.ops.iter().find(is)
    };
    match filters.iter().map(named).collect::<Option<Vec<&Op>>>() {
        Some(ops) if !ops.is_empty() => {
            let picked = matrix.ops.iter().filter(|op| ops.iter().any(|o| o.name == op.name));
            picked.flat_map(|op| cases_of(matrix, op, full, seed)).collect()
        }
        _ => cases(matrix, full, seed),
    }
}

/// Returns the ids of the default sample, and those of the divergences that are asserted in addition.
pub fn ids(matrix: &Matrix) -> Vec<String> {
    let cases = cases(matrix, false, matrix.seed);
    cases.iter().map(Case::id).chain(asserted(matrix)).collect()
}

fn asserted(matrix: &Matrix) -> impl Iterator<Item = String> {
    matrix.divergences.iter().filter(|d| d.is_run()).map(divergence::id)
}

/// Writes the list of the cases that must pass: of this sample of every operation, and the divergences.
///
/// # Errors
/// A message, if the sample of an operation is not expressible in the list.
pub fn must_pass(matrix: &Matrix, sets: &[CaseSet]) -> Result<String, String> {
    let sampled = matrix.ops.iter().zip(sets).map(|(op, set)| {
        let name = format!("{}/{}", op.family, op.name);
        must_pass::Sampled::new(name, fingerprint(matrix, op, matrix.seed), set)
    });
    must_pass::write(&sampled.collect::<Vec<_>>(), &asserted(matrix).collect::<Vec<_>>())
}

/// Returns the ids of the cases that are sampled to be rejected: these, and no others of the sample, must be.
pub fn rejected(matrix: &Matrix) -> HashSet<String> {
    case_sets(matrix, false, matrix.seed).iter().flat_map(|set| &set.rejected).map(Case::id).collect()
}

/// Counts the cases by family.
pub fn count(cases: &[Case]) -> BTreeMap<String, usize> {
    let mut count = BTreeMap::new();
    for case in cases {
        *count.entry(case.family.clone()).or_default() += 1;
    }
    count
}

/// Returns the differences between the numbers of cases of the default run and those that the matrix expects.
pub fn miscount(matrix: &Matrix, cases: &[Case]) -> Vec<String> {
    let found = count(cases);
    let families: HashSet<&String> = found.keys().chain(matrix.expected.keys()).collect();
    let (zero, mut differences) = (0, vec![]);
    for family in families {
        let (have, want) = (found.get(family).unwrap_or(&zero), matrix.expected.get(family).unwrap_or(&zero));
        if have != want {
            differences.push(format!("{family}: {have} cases, but matrix.yaml expects {want}"));
        }
    }
    differences.sort();
    differences
}

/// Returns the cases that the filters select: all, if there is none. An id that names no case of the run adds its own.
///
/// # Errors
/// A message, if a filter selects nothing and is no id either.
pub fn filter(matrix: &Matrix, cases: Vec<Case>, filters: &[String]) -> Result<Vec<Case>, String> {
    if filters.is_empty() {
        return Ok(cases);
    }
    let ids: Vec<String> = cases.iter().map(Case::id).collect();
    let mut picked = vec![false; cases.len()];
    let mut made = vec![];
    for filter in filters {
        if let Some(i) = ids.iter().position(|id| id == filter) {
            picked[i] = true;
            continue;
        }
        let exact = Case::parse(filter, matrix);
        if let Ok(case) = exact {
            made.push(case);
            continue;
        }
        let mut any = false;
        for (picked, id) in picked.iter_mut().zip(&ids) {
            if matches(filter, id) {
                (*picked, any) = (true, true);
            }
        }
        if !any {
            return Err(format!("the filter `{filter}` picks no case; and {}", exact.unwrap_err()));
        }
    }
    Ok(cases.into_iter().zip(picked).filter(|(_, p)| *p).map(|(c, _)| c).chain(made).collect())
}

#[cfg(test)]
mod tests {
    use cuprum_kernels::DType;

    use super::*;
    use crate::case::{Layout, Operand};

    fn matrix() -> Matrix {
        Matrix::built_in().unwrap()
    }

    #[test]
    fn the_default_run_has_the_cases_that_are_expected() {
        let matrix = matrix();
        let cases = cases(&matrix, false, matrix.seed);
        assert_eq!(miscount(&matrix, &cases), Vec::<String>::new(), "{:#?}", count(&cases));
    }

    #[test]
    fn every_plan_of_an_operation_is_met_and_each_dtype_in_every_way_to_lie() {
        let matrix = matrix();
        let cases_of = |name: &str| case_set(&matrix, matrix.op(name).unwrap(), false, matrix.seed).filled;
        let op = matrix.op("add").unwrap();
        let cases = cases_of("add");
        let plans: HashSet<Plan> = cases.iter().filter_map(|case| Plan::of(op, case)).collect();
        let others: Vec<Case> = ["equal", "maximum", "multiply", "less"].into_iter().flat_map(cases_of).collect();
        for arrangement in Arrangement::ALL.iter().filter(|arrangement| **arrangement != Arrangement::Steps) {
            assert!(plans.iter().any(|plan| plan.arrangement == *arrangement), "{arrangement:?}");
            // Rows of elements of sixteen bytes begin at multiples of sixteen.
            for dtype in DType::ALL.into_iter().filter(|d| *arrangement != Arrangement::Uneven || d.size() < 16) {
                let meets = |case: &Case| {
                    case.dtypes() == [dtype; 2]
                        && Plan::of(op, case).is_some_and(|plan| plan.arrangement == *arrangement)
                };
                assert!(cases.iter().chain(&others).any(meets), "{dtype} {arrangement:?}");
            }
        }
        assert!(plans.iter().filter(|plan| plan.tiles).count() > 3, "{plans:?}");
    }

    /// Empty axes at every position, many axes, one buffer for two operands, streams and threads, and every kind of
    /// aliasing.
    #[test]
    fn the_sample_has_what_single_cases_rarely_have() {
        let matrix = matrix();
        let all: Vec<String> = cases(&matrix, false, matrix.seed).iter().map(Case::id).collect();
        let parts = [
            "/(0,3)/",
            "/(2,0,3)/",
            "/(2,3,0)/",
            "(2,1,2,2,2,2,2,2,2,2)",
            "on=stream",
            "on=threads",
            "memory=overlapping",
            "memory=apart",
            "out=self",
            "out=second",
            "out=mask",
            "out=shifted",
            "/apart",
            "/infinite",
            "/beyond",
        ];
        for part in parts {
            let n = all.iter().filter(|id| id.contains(part)).count();
            assert!(n >= 2, "{n} cases with {part}");
        }
    }

    #[test]
    fn a_lost_case_is_seen() {
        let matrix = matrix();
        let mut cases = cases(&matrix, false, matrix.seed);
        cases.pop();
        assert_eq!(miscount(&matrix, &cases).len(), 1);
    }

    #[test]
    fn samples_do_not_depend_on_other_operations_and_repeat() {
        let mut matrix = matrix();
        matrix.ops.retain(|op| op.name.starts_with("ad"));
        let alone = cases_of(&matrix, matrix.op("add").unwrap(), false, 1);
        let among: Vec<Case> = cases(&matrix, false, 1).into_iter().filter(|c| c.op == "add").collect();
        assert_eq!(alone, among);
        assert_ne!(alone, cases_of(&matrix, matrix.op("add").unwrap(), false, 2));
    }

    #[test]
    fn every_layout_and_dtype_of_an_operation_meet() {
        let matrix = matrix();
        let cases = case_set(&matrix, matrix.op("add").unwrap(), false, matrix.seed).filled;
        for dtype in DType::ALL {
            for layout in Layout::USUAL {
                let meets = |c: &Case| {
                    c.operands.iter().all(|o| matches!(o, Operand::Array { dtype: d, .. } if *d == dtype))
                        && matches!(&c.operands[0], Operand::Array { layout: l, .. } if l == layout)
                };
                assert!(cases.iter().any(meets), "{dtype} {layout}");
            }
        }
    }

    #[test]
    fn every_id_of_the_default_run_makes_its_case_again() {
        let matrix = matrix();
        for case in cases(&matrix, false, matrix.seed) {
            assert_eq!(Case::parse(&case.id(), &matrix), Ok(case));
        }
    }

    #[test]
    fn filters_pick_by_parts_and_ids_make_their_case() {
        assert!(matches("add/*strided", "math/add/f32/(3,)/strided/small"));
        assert!(!matches("strided*add", "math/add/f32/(3,)/strided/small"));
        let matrix = matrix();
        let id = "math/add/f32-f32/(7,2,1)x(2,9)/C-C/small".to_string();
        let picked = filter(&matrix, cases(&matrix, false, matrix.seed), std::slice::from_ref(&id)).unwrap();
        assert_eq!(picked.iter().map(Case::id).collect::<Vec<_>>(), [id]);
        assert!(filter(&matrix, vec![], &["no such thing".into()]).unwrap_err().contains("picks no case"));
    }
}
