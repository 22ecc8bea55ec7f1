//! Pairwise testing: a small set of combinations in which every requested and possible pair of values of two factors
//! occurs.

use std::collections::HashSet;

use crate::random::Rng;

/// Number of completions that are tried for a pair.
const TRIES: usize = 8;

/// The factors of a test: their sizes, which pairs of values are compatible, which are requested, and which
/// combinations are accepted.
pub struct Factors<'a> {
    /// Number of values of each factor.
    pub sizes: Vec<usize>,
    /// Returns true if value `v` of factor `i` is compatible with value `w` of factor `j`; called with `i < j` only.
    pub allowed: &'a dyn Fn(usize, usize, usize, usize) -> bool,
    /// Returns true if a combination with both values is requested; called with `i < j` only.
    pub wanted: &'a dyn Fn(usize, usize, usize, usize) -> bool,
    /// Returns true if a combination is accepted as a whole.
    pub takes: &'a dyn Fn(&[usize]) -> bool,
    /// Factors from this index on have their first value unless a pair requests another.
    pub quiet_from: usize,
}

impl std::fmt::Debug for Factors<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Factors").field("sizes", &self.sizes).finish_non_exhaustive()
    }
}

type Pair = (usize, usize, usize, usize);

/// The pairs that have no combination yet.
pub type Open = HashSet<Pair>;

impl Factors<'_> {
    fn fits(&self, row: &[Option<usize>], i: usize, v: usize) -> bool {
        row.iter().enumerate().all(|(j, w)| match w {
            Some(_) if i == j => false,
            Some(w) if j < i => (self.allowed)(j, *w, i, v),
            Some(w) => (self.allowed)(i, v, j, *w),
            None => true,
        })
    }

    /// Returns the number of combinations of the product, incompatible ones included.
    pub fn product(&self) -> usize {
        self.sizes.iter().fold(1, |product, n| product.saturating_mul(*n))
    }

    /// Returns all compatible combinations.
    pub fn all(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![vec![]];
        for (i, n) in self.sizes.iter().enumerate() {
            let extend = |row: &Vec<usize>| {
                let row = row.clone();
                (0..*n)
                    .filter(|v| row.iter().enumerate().all(|(j, w)| (self.allowed)(j, *w, i, *v)))
                    .map(|v| [row.as_slice(), &[v]].concat())
                    .collect::<Vec<_>>()
            };
            rows = rows.iter().flat_map(extend).collect();
        }
        rows
    }

    /// Completes `row`, preferring for each factor the value that covers most pairs of `open`.
    fn complete(&self, mut row: Vec<Option<usize>>, open: &Open, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..row.len()).filter(|i| row[*i].is_none()).collect();
        rng.shuffle(&mut order);
        for i in order {
            let gain = |v: usize| {
                let covers = |(j, w): (usize, &Option<usize>)| {
                    w.is_some_and(|w| open.contains(&if j < i { (j, w, i, v) } else { (i, v, j, w) }))
                };
                row.iter().enumerate().filter(|p| covers(*p)).count()
            };
            let mut best = None;
            let start = if i < self.quiet_from { rng.below(self.sizes[i]) } else { 0 };
            for v in (0..self.sizes[i]).map(|k| (start + k) % self.sizes[i]) {
                if self.fits(&row, i, v) {
                    let gain = gain(v);
                    if best.is_none_or(|(most, _)| gain > most) {
                        best = Some((gain, v));
                    }
                }
            }
            row[i] = Some(best?.1);
        }
        row.into_iter().collect()
    }

    /// Returns an accepted combination with fixed values of factors, if one is found in a few tries, and removes its
    /// pairs from `open`.
    pub fn with(&self, fixed: &[(usize, usize)], open: &mut Open, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut start = vec![None; self.sizes.len()];
        for &(i, v) in fixed {
            if !self.fits(&start, i, v) {
                return None;
            }
            start[i] = Some(v);
        }
        for attempt in 0..TRIES {
            // If the row that covers most is rejected, later attempts take any.
            let none = Open::new();
            let open_now = if attempt < TRIES / 2 { &*open } else { &none };
            let Some(row) = self.complete(start.clone(), open_now, rng).filter(|row| (self.takes)(row)) else {
                continue;
            };
            for a in 0..row.len() {
                for b in a + 1..row.len() {
                    open.remove(&(a, row[a], b, row[b]));
                }
            }
            return Some(row);
        }
        None
    }

    /// Returns combinations that cover all requested pairs that can be covered, and the pairs that cannot.
    pub fn pairs(&self, rng: &mut Rng) -> (Vec<Vec<usize>>, Open) {
        let k = self.sizes.len();
        let mut todo: Vec<Pair> = vec![];
        for i in 0..k {
            for j in i + 1..k {
                for v in 0..self.sizes[i] {
                    let both = |w: &usize| (self.wanted)(i, v, j, *w) && (self.allowed)(i, v, j, *w);
                    todo.extend((0..self.sizes[j]).filter(both).map(|w| (i, v, j, w)));
                }
            }
        }
        rng.shuffle(&mut todo);
        let mut open: Open = todo.iter().copied().collect();
        let mut rows = vec![];
        for (i, v, j, w) in todo {
            if open.contains(&(i, v, j, w)) {
                rows.extend(self.with(&[(i, v), (j, w)], &mut open, rng));
            }
        }
        (rows, open)
    }

    /// Returns a random combination, if one is found in a few tries.
    pub fn any(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.complete(vec![None; self.sizes.len()], &Open::new(), rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yes(_: usize, _: usize, _: usize, _: usize) -> bool {
        true
    }

    #[test]
    fn every_allowed_pair_occurs_and_no_forbidden_one() {
        let allowed = |i: usize, v: usize, j: usize, w: usize| !(i == 0 && j == 2 && v == 1 && w != 0);
        let sizes = vec![5, 4, 3, 6];
        let factors = Factors { sizes, allowed: &allowed, wanted: &yes, takes: &|_| true, quiet_from: 4 };
        let (rows, open) = factors.pairs(&mut Rng::new(3, "test"));
        assert!(open.is_empty() && rows.len() < factors.product() / 4, "{} rows", rows.len());
        for i in 0..4 {
            for j in i + 1..4 {
                for v in 0..factors.sizes[i] {
                    for w in 0..factors.sizes[j] {
                        let occurs = rows.iter().any(|r| r[i] == v && r[j] == w);
                        assert_eq!(occurs, allowed(i, v, j, w), "factors {i}, {j}: values {v}, {w}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_taken_does_not_count_and_what_is_not_wanted_costs_nothing() {
        let sizes = vec![4, 4, 3];
        let takes = |row: &[usize]| row[0] != 2 || row[1] == 3;
        let wanted = |i: usize, _: usize, _: usize, _: usize| i == 0;
        let factors = Factors { sizes, allowed: &yes, wanted: &wanted, takes: &takes, quiet_from: 2 };
        let (rows, open) = factors.pairs(&mut Rng::new(3, "test"));
        assert!(rows.iter().all(|row| takes(row)) && rows.len() < 18, "{rows:?}");
        let lost: Vec<Pair> = (0..3).map(|w| (0, 2, 1, w)).collect();
        assert!(open.len() == 3 && lost.iter().all(|pair| open.contains(pair)), "{open:?}");
    }

    #[test]
    fn the_product_leaves_out_what_is_forbidden() {
        let sizes = vec![2, 3];
        let factors = Factors { sizes, allowed: &|_, v, _, w| v != w, wanted: &yes, takes: &|_| true, quiet_from: 2 };
        assert_eq!(factors.all(), [[0, 1], [0, 2], [1, 0], [1, 2]]);
        assert_eq!(factors.product(), 6);
    }
}
