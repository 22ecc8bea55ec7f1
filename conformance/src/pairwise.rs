//! A small set of combinations in which every allowed pair of values of two factors occurs.

use std::collections::HashSet;

use crate::random::Rng;

/// The factors of a test: how many values each has, and which two values may stand together.
pub struct Factors<'a> {
    /// Values per factor.
    pub sizes: Vec<usize>,
    /// Whether value `v` of factor `i` may stand beside value `w` of factor `j`; asked with `i < j` only.
    pub allowed: &'a dyn Fn(usize, usize, usize, usize) -> bool,
}

impl std::fmt::Debug for Factors<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Factors").field("sizes", &self.sizes).finish_non_exhaustive()
    }
}

type Pair = (usize, usize, usize, usize);

impl Factors<'_> {
    fn fits(&self, row: &[Option<usize>], i: usize, v: usize) -> bool {
        row.iter().enumerate().all(|(j, w)| match w {
            Some(_) if i == j => false,
            Some(w) if j < i => (self.allowed)(j, *w, i, v),
            Some(w) => (self.allowed)(i, v, j, *w),
            None => true,
        })
    }

    /// How many combinations the product has, forbidden ones included.
    pub fn product(&self) -> usize {
        self.sizes.iter().fold(1, |product, n| product.saturating_mul(*n))
    }

    /// Every allowed combination.
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

    /// Completes `row`, preferring at each factor the value that covers most pairs of `open`.
    fn complete(&self, mut row: Vec<Option<usize>>, open: &HashSet<Pair>, rng: &mut Rng) -> Option<Vec<usize>> {
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
            let start = rng.below(self.sizes[i]);
            for v in (0..self.sizes[i]).map(|k| (start + k) % self.sizes[i]) {
                if self.fits(&row, i, v) && best.is_none_or(|(g, _)| gain(v) > g) {
                    best = Some((gain(v), v));
                }
            }
            row[i] = Some(best?.1);
        }
        row.into_iter().collect()
    }

    /// Combinations that cover every allowed pair that any combination can cover.
    pub fn pairs(&self, rng: &mut Rng) -> Vec<Vec<usize>> {
        let k = self.sizes.len();
        let mut todo: Vec<Pair> = vec![];
        for i in 0..k {
            for j in i + 1..k {
                for v in 0..self.sizes[i] {
                    todo.extend((0..self.sizes[j]).filter(|w| (self.allowed)(i, v, j, *w)).map(|w| (i, v, j, w)));
                }
            }
        }
        if k == 1 {
            return (0..self.sizes[0]).map(|v| vec![v]).collect();
        }
        rng.shuffle(&mut todo);
        let mut open: HashSet<Pair> = todo.iter().copied().collect();
        let mut rows = vec![];
        for (i, v, j, w) in todo {
            if !open.contains(&(i, v, j, w)) {
                continue;
            }
            let mut row = vec![None; k];
            (row[i], row[j]) = (Some(v), Some(w));
            // A pair that the other factors forbid in every completion tried is given up: it has no row.
            if let Some(row) = (0..8).find_map(|_| self.complete(row.clone(), &open, rng)) {
                for a in 0..k {
                    for b in a + 1..k {
                        open.remove(&(a, row[a], b, row[b]));
                    }
                }
                rows.push(row);
            }
        }
        rows
    }

    /// A random combination, if one is found in a few tries.
    pub fn any(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.complete(vec![None; self.sizes.len()], &HashSet::new(), rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_allowed_pair_occurs_and_no_forbidden_one() {
        let allowed = |i: usize, v: usize, j: usize, w: usize| !(i == 0 && j == 2 && v == 1 && w != 0);
        let factors = Factors { sizes: vec![5, 4, 3, 6], allowed: &allowed };
        let rows = factors.pairs(&mut Rng::new(3, "test"));
        assert!(rows.len() < factors.product() / 4, "{} rows", rows.len());
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
    fn the_product_leaves_out_what_is_forbidden() {
        let factors = Factors { sizes: vec![2, 3], allowed: &|_, v, _, w| v != w };
        assert_eq!(factors.all(), [[0, 1], [0, 2], [1, 0], [1, 2]]);
        assert_eq!(factors.product(), 6);
    }
}
