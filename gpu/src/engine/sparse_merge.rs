//! Elementwise operations of two sparse matrices whose rows have few entries.
//!
//! Lower bound of the traffic, for n entries of both matrices with indices of i bytes and values of v, and r results:
//! (n + r) (i + v), and three pointers for each row. Entries are read once: a block learns from those before it where
//! its results begin. The memory of the results is that of all entries; it is reduced if more than half of it is not
//! used, which two matrices of one pattern do not reach.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Width, Written};
use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::source::{SparseMergeParams, SparseMergeSource};

use super::compressed::{THREADS, is_wide};
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, download, one_device, read, written};
use super::make;
use super::patterns::Pattern;
use crate::array::Array;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;

/// Rows of at most this number of entries are merged by a thread each.
pub(crate) const FEW_ENTRIES: usize = 32;

/// Entries below which one kernel for each operation and dtype does not pay.
pub(crate) const MANY_ENTRIES: usize = 1 << 16;
/// Entries of both matrices up to which a thread merges a row whatever its length.
pub(crate) const ANY_ROWS: usize = 512;
/// Bytes of an array that is not shortened to what is used of it.
const SMALL_BYTES: usize = 1 << 16;

thread_local! {
    static KERNELS: Kernels<SparseMergeSource, 1> = Kernels::default();
}

/// Compressed rows.
#[derive(Debug)]
pub(crate) struct MergedRows {
    /// The position at which each row begins, and the number of entries.
    pub(crate) ends: Array,
    /// The column of each entry.
    pub(crate) indices: Array,
    /// The value of each entry.
    pub(crate) values: Array,
}

/// Finds the loop of an operation whose two operands have a dtype.
fn loop_of(op: &str, dtype: DType) -> Option<(UfuncId, u8)> {
    let op = UfuncId::named(op)?;
    let fits = |l: &cuprum_kernels::registry::Loop| l.ins[..2] == [dtype; 2];
    Some((op, op.loops().iter().position(fits)? as u8))
}

/// Applies an operation that is zero of two zeros to two patterns of as many rows, and drops results that are zero.
/// Their indices are of one dtype, which represents the sum of their numbers of entries, and their values of one; no
/// row has more entries than `longest`. `None` if the operation has no loop for them. Synchronises to read the number
/// of results.
pub(crate) fn merge_rows(op: &str, a: Pattern<'_>, b: Pattern<'_>, longest: [usize; 2]) -> Result<Option<MergedRows>> {
    let Some((op, signature)) = loop_of(op, a.values.dtype()) else { return Ok(None) };
    let device = one_device(a.ends, [a.indices, a.values, b.ends, b.indices, b.values])?;
    let (index, rows, patterns) = (a.ends.dtype(), a.ends.size() - 1, [a, b]);
    debug_assert!(b.ends.size() == rows + 1 && b.ends.dtype() == index && a.values.dtype() == b.values.dtype());
    if rows == 0 || a.indices.size() + b.indices.size() == 0 {
        let none = |dtype: DType| make::empty(device, &[0], dtype);
        let (indices, values) = (none(index)?, none(op.loops()[signature as usize].out())?);
        return Ok(Some(MergedRows { ends: make::zeros(device, &[rows + 1], index)?, indices, values }));
    }
    let key = SparseMergeSource { op, signature, wide: is_wide(a.ends) };
    let [merge] = kernels(&KERNELS, device, key, ["merge_rows"], || (key.name(), key.source()))?;
    // The results of `a` and `b` are at most all entries; what is not used is returned below.
    let most = a.indices.size() + b.indices.size();
    let fitting = if most <= key.capacity() { THREADS } else { key.capacity() / (longest[0] + longest[1]).max(1) };
    let rows_of_block = fitting.clamp(1, THREADS);
    let blocks = rows.div_ceil(rows_of_block);
    let out_dtype = op.loops()[signature as usize].out();
    let (indices, values) = (make::empty(device, &[most], index)?, make::empty(device, &[most], out_dtype)?);
    let ends = make::empty(device, &[rows + 1], index)?;
    let state = if blocks > 1 { Some(make::zeros(device, &[blocks + 1], DType::U64)?) } else { None };
    let params = SparseMergeParams {
        width: Width::default(),
        rows,
        rows_of_block: rows_of_block as u32,
        results: most,
        sizes: patterns.map(|p| p.indices.size() as i64),
        ends: patterns.map(|p| read(p.ends)),
        indices: patterns.map(|p| read(p.indices)),
        values: patterns.map(|p| read(p.values)),
        state: Written(state.as_ref().map(DevicePtr::of)),
        out_ends: written(&ends),
        columns: written(&indices),
        out: written(&values),
    };
    // SAFETY: pointers are clamped to the entries and to the shared memory, each row has a pointer, and results are written below `most`.
    unsafe { Launcher::on(device).launch(merge, Blocks::of(blocks, rows, "rows"), THREADS, &params) }?;
    let mut last = [0; 8];
    download(&mut last[..index.size()], &ends, ends.nbytes() - index.size())?;
    let results = (u64::from_le_bytes(last) as usize).min(most);
    let part = |a: &Array| -> Result<Array> {
        let part = a.index(s![..results as i64])?;
        if results >= most / 2 || a.nbytes() <= SMALL_BYTES { Ok(part) } else { part.copy(Order::C) }
    };
    Ok(Some(MergedRows { ends, indices: part(&indices)?, values: part(&values)? }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Entries = BTreeMap<(usize, i64), f64>;

    fn random(rows: usize, n: usize, seed: u64) -> Entries {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        (0..n).map(|_| ((next(rows), next(40) as i64), [-1.0, 1.0, 2.0][next(3)])).collect()
    }

    fn arrays(entries: &Entries, rows: usize, index: DType, values: DType) -> [Array; 3] {
        let of = |list: Vec<i64>| Array::from_slice(&list, [list.len()]).unwrap().astype(index).unwrap();
        let ends = (0..=rows).map(|r| entries.range(..(r, 0)).count() as i64).collect();
        let list: Vec<f64> = entries.values().copied().collect();
        let data = Array::from_slice(&list, [list.len()]).unwrap().astype(values).unwrap();
        [of(ends), of(entries.keys().map(|e| e.1).collect()), data]
    }

    fn pattern([ends, indices, values]: &[Array; 3]) -> Pattern<'_> {
        Pattern { ends, indices, values }
    }

    fn longest(entries: &Entries, rows: usize) -> usize {
        (0..rows).map(|r| entries.range((r, 0)..(r + 1, 0)).count()).max().unwrap_or(0)
    }

    /// Rows of several blocks, with results that are zero and rows without entries.
    #[test]
    fn rows_are_merged_as_maps_are() {
        let rows = 300;
        let (x, y) = (random(rows, 900, 1), random(rows, 500, 2));
        let apply = |name: &str, a: f64, b: f64| match name {
            "add" => a + b,
            "multiply" => a * b,
            _ => f64::from(u8::from(a < b)),
        };
        for (index, dtype) in [(DType::I32, DType::F32), (DType::I64, DType::F16), (DType::I32, DType::I64)] {
            let (a, b) = (arrays(&x, rows, index, dtype), arrays(&y, rows, index, dtype));
            for name in ["add", "multiply", "less"] {
                let found =
                    merge_rows(name, pattern(&a), pattern(&b), [&x, &y].map(|of| longest(of, rows))).unwrap().unwrap();
                let zero = |of: &Entries, at| of.get(at).copied().unwrap_or(0.0);
                let keys: std::collections::BTreeSet<_> = x.keys().chain(y.keys()).collect();
                let want: Vec<(usize, i64, f64)> = keys
                    .into_iter()
                    .map(|at| (at.0, at.1, apply(name, zero(&x, at), zero(&y, at))))
                    .filter(|entry| entry.2 != 0.0)
                    .collect();
                let host = |a: &Array| a.astype(DType::F64).unwrap().to_vec::<f64>().unwrap();
                assert_eq!(host(&found.indices), want.iter().map(|e| e.1 as f64).collect::<Vec<_>>(), "{name}");
                assert_eq!(host(&found.values), want.iter().map(|e| e.2).collect::<Vec<_>>(), "{name}");
                let ends: Vec<f64> = (0..=rows).map(|r| want.iter().filter(|e| e.0 < r).count() as f64).collect();
                assert_eq!(host(&found.ends), ends, "{name}");
            }
        }
    }
}
