//! The quick sample: a few cases of each family, for a first look.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::random::hash;
use crate::shard::Costs;

/// Number of cases of the quick sample: with nothing compiled before, two minutes of four cores.
pub const QUICK: usize = 240;

/// Operations with a longer case time, in milliseconds, are left out.
const LONGEST: f64 = 250.0;

/// Chooses `count` of the cases by the seed, equally many of each family as far as it has them. They stay in their
/// order.
pub fn quick(cases: Vec<Case>, count: usize, costs: &Costs, seed: u64) -> Vec<Case> {
    let mut families: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate().filter(|(_, case)| costs.case(case) <= LONGEST) {
        families.entry(&case.family).or_default().push((hash(format!("{seed}/{}", case.id())), at));
    }
    let mut picked = vec![false; cases.len()];
    let mut left = count;
    let mut families: Vec<_> = families.into_values().collect();
    families.iter_mut().for_each(|family| family.sort_unstable_by(|a, b| b.cmp(a)));
    while left > 0 && families.iter().any(|family| !family.is_empty()) {
        for family in &mut families {
            if let (1.., Some((_, at))) = (left, family.pop()) {
                picked[at] = true;
                left -= 1;
            }
        }
    }
    cases.into_iter().zip(picked).filter(|(_, picked)| *picked).map(|(case, _)| case).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::matrix::Matrix;
    use crate::sample;

    #[test]
    fn the_quick_sample_has_cases_of_every_family_and_repeats() {
        let matrix = Matrix::built_in().unwrap();
        let all = sample::cases(&matrix, false, matrix.seed);
        let of = |seed| quick(all.clone(), QUICK, &Costs::measured(), seed);
        let cases = of(1);
        assert_eq!((cases.len(), &cases), (QUICK, &of(1)));
        assert_ne!(cases, of(2));
        let families = |cases: &[Case]| cases.iter().map(|case| case.family.clone()).collect::<HashSet<_>>();
        assert_eq!(families(&cases), families(&all));
        let mut rest = all.iter();
        assert!(cases.iter().all(|case| rest.any(|other| other == case)), "the order is that of the sample");
    }
}
