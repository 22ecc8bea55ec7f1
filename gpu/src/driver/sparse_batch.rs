//! Factors of a batch of sparse matrices of one pattern, as those of one block-diagonal matrix.
//!
//! The matrix is analysed once; the others of the batch are factored with the same order and pivots. The rows of the
//! factors are interleaved: row r of all matrices comes before row r + 1, so that a solution works on all matrices at
//! once.

use std::sync::OnceLock;
use std::thread;

use cuprum_kernels::DType;

use super::sparse_direct::{Method, Pattern, SparseDirect, factor};
use crate::error::{Error, Result};

/// The factors of the matrices of a batch.
#[derive(Debug)]
struct BatchFactors {
    /// Bytes of a value.
    itemsize: usize,
    /// The factors of each matrix.
    parts: Vec<Box<dyn SparseDirect>>,
    /// The pivot position of each row and column of the block-diagonal matrix.
    permutations: [Vec<u32>; 2],
    /// L and U by rows, computed when they are first read.
    rows: [OnceLock<(Vec<usize>, Vec<u32>)>; 2],
}

/// Factors matrices of one pattern, whose values follow each other. All of them have fewer than 2<sup>32</sup> - 1 rows.
///
/// # Errors
///
/// As [`factor`], with the number of the matrix.
pub(crate) fn factor_batch(
    pattern: &Pattern,
    values: &[u8],
    batch: usize,
    dtype: DType,
    method: Method,
) -> Result<Box<dyn SparseDirect>> {
    let each = pattern.rows.len() * dtype.size();
    let first =
        factor(pattern.clone(), &values[..each.min(values.len())], dtype, method).map_err(|e| numbered(e, 0))?;
    let mut parts = vec![first];
    for _ in 1..batch {
        parts.push(parts[0].duplicate());
    }
    let mut factors =
        BatchFactors { itemsize: dtype.size(), parts, permutations: Default::default(), rows: Default::default() };
    factors.refactor_from(1, &values[each.min(values.len())..])?;
    factors.permute();
    Ok(Box::new(factors))
}

/// Names the matrix of an error.
fn numbered(e: Error, k: usize) -> Error {
    Error::new(e.kind(), format!("matrix {k} of the batch: {}", e.message()))
}

impl BatchFactors {
    /// Factors the matrices from `first` on, in several threads. Returns true if all patterns stay the same.
    fn refactor_from(&mut self, first: usize, values: &[u8]) -> Result<bool> {
        let parts = &mut self.parts[first..];
        if parts.is_empty() {
            return Ok(true);
        }
        let each = values.len() / parts.len();
        let run = |(k, part): (usize, &mut Box<dyn SparseDirect>)| {
            part.refactor(&values[k * each..(k + 1) * each]).map_err(|e| numbered(e, first + k))
        };
        let share = parts.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
        // The first error of the batch, whatever the order of the threads.
        let results: Vec<Result<bool>> = thread::scope(|scope| {
            let spawned: Vec<_> = parts
                .chunks_mut(share)
                .enumerate()
                .map(|(c, chunk)| {
                    let work =
                        move || chunk.iter_mut().enumerate().map(|(k, p)| run((c * share + k, p))).collect::<Vec<_>>();
                    scope.spawn(work)
                })
                .collect();
            let joined = spawned.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
            joined.flatten().collect()
        });
        results.into_iter().try_fold(true, |same, part| Ok(same & part?))
    }

    fn permute(&mut self) {
        let batch = self.parts.len();
        let of = |axis: usize| {
            let parts = self.parts.iter().enumerate();
            parts
                .flat_map(|(k, p)| p.permutations()[axis].iter().map(move |&at| at * batch as u32 + k as u32))
                .collect()
        };
        self.permutations = [of(0), of(1)];
        self.rows = Default::default();
    }

    fn rows(&self, upper: bool) -> &(Vec<usize>, Vec<u32>) {
        self.rows[usize::from(upper)].get_or_init(|| {
            let (mut pointers, mut columns) = (vec![0], Vec::new());
            let batch = self.parts.len() as u32;
            self.each_row(upper, |k, part, range| {
                columns.extend(part.pattern(upper).1[range].iter().map(|&c| c * batch + k as u32));
                pointers.push(columns.len());
            });
            (pointers, columns)
        })
    }

    /// Calls `visit` with each row of a factor in the interleaved order: the matrix and the positions of its entries.
    fn each_row(&self, upper: bool, mut visit: impl FnMut(usize, &dyn SparseDirect, std::ops::Range<usize>)) {
        let n = self.parts[0].permutations()[0].len();
        for r in 0..n {
            for (k, part) in self.parts.iter().enumerate() {
                let pointers = part.pattern(upper).0;
                visit(k, &**part, pointers[r]..pointers[r + 1]);
            }
        }
    }
}

impl SparseDirect for BatchFactors {
    fn refactor(&mut self, values: &[u8]) -> Result<bool> {
        let same = self.refactor_from(0, values)?;
        if !same {
            self.permute();
        }
        Ok(same)
    }

    fn duplicate(&self) -> Box<dyn SparseDirect> {
        Box::new(BatchFactors {
            itemsize: self.itemsize,
            parts: self.parts.iter().map(|p| p.duplicate()).collect(),
            permutations: self.permutations.clone(),
            rows: self.rows.clone(),
        })
    }

    fn is_unit(&self) -> bool {
        self.parts[0].is_unit()
    }

    fn permutations(&self) -> [&[u32]; 2] {
        [&self.permutations[0], &self.permutations[1]]
    }

    fn pattern(&self, upper: bool) -> (&[usize], &[u32]) {
        let (pointers, columns) = self.rows(upper);
        (pointers, columns)
    }

    fn values(&self, upper: bool) -> Vec<u8> {
        let values: Vec<Vec<u8>> = self.parts.iter().map(|p| p.values(upper)).collect();
        let mut out = Vec::with_capacity(values.iter().map(Vec::len).sum());
        let size = self.itemsize;
        self.each_row(upper, |k, _, range| out.extend_from_slice(&values[k][range.start * size..range.end * size]));
        out
    }

    fn solve(&self, b: &[u8]) -> (Vec<u8>, f64) {
        let each = b.len() / self.parts.len();
        let (mut x, mut error) = (Vec::with_capacity(b.len()), 0.0_f64);
        for (k, part) in self.parts.iter().enumerate() {
            let (own, own_error) = part.solve(&b[k * each..(k + 1) * each]);
            x.extend(own);
            error = error.max(own_error);
        }
        (x, error)
    }

    fn needs_refinement(&self) -> bool {
        self.parts.iter().any(|p| p.needs_refinement())
    }
}
