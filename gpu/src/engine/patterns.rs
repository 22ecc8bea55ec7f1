//! Union and intersection of two patterns of compressed rows, with the values of both.
//!
//! Each entry of the smaller pattern is searched in the same row of the other one, and common entries are flagged; a
//! sum of the flags says where each entry of the result is, so that both patterns are then written in place, in one
//! pass each (an intersection in one). Memory traffic, for patterns of n entries with indices of i bytes and values of
//! v that are the same: a search reads both lists of columns, 2 n i; a pass reads them again and moves n (i + 2 v).
//! Searches of neighbouring entries read the same cache lines.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Width, Written};
use cuprum_kernels::source::{PatternParams, patterns_source};

use super::compressed::{ENTRY_TILE, THREADS, binary_loop, blocks, is_wide};
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, download, one_device, read, written};
use super::{Scanning, make};
use crate::array::Array;
use crate::error::Result;

const KERNELS: [&str; 3] = ["match_entries", "write_entries", "write_pointers"];

thread_local! {
    static PATTERN_KERNELS: Kernels<bool, 3> = Kernels::default();
}

/// Compressed rows whose columns strictly increase within each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<'a> {
    /// The position at which each row begins, and the number of entries.
    pub(crate) ends: &'a Array,
    /// The column of each entry.
    pub(crate) indices: &'a Array,
    /// The value of each entry.
    pub(crate) values: &'a Array,
}

/// Compressed rows with two values for each entry.
#[derive(Debug)]
pub(crate) struct MergedPatterns {
    /// The position at which each row begins, and the number of entries.
    pub(crate) ends: Array,
    /// The column of each entry.
    pub(crate) indices: Array,
    /// The values of both patterns; zero where a pattern does not have the entry.
    pub(crate) values: [Array; 2],
}

/// Merges two patterns of as many rows: their union, or their intersection. Their indices are of one dtype, which
/// represents the sum of their numbers of entries; their values have one size. Synchronises to read the number of
/// results.
pub(crate) fn merge_patterns(a: Pattern<'_>, b: Pattern<'_>, intersection: bool) -> Result<MergedPatterns> {
    if b.indices.size() < a.indices.size() {
        let merged = merge_patterns(b, a, intersection)?;
        let [second, first] = merged.values;
        return Ok(MergedPatterns { values: [first, second], ..merged });
    }
    let device = one_device(a.ends, [a.indices, a.values, b.ends, b.indices, b.values])?;
    let (index, rows) = (a.ends.dtype(), a.ends.size() - 1);
    debug_assert!([a.indices, b.ends, b.indices].iter().all(|x| x.dtype() == index));
    debug_assert!(b.ends.size() == rows + 1 && a.values.itemsize() == b.values.itemsize());
    let (patterns, sizes) = ([a, b], [a.indices.size(), b.indices.size()]);
    let wide = is_wide(a.ends);
    let source = || (format!("compressed patterns/{index}"), patterns_source(wide));
    let [match_entries, write_entries, write_pointers] = kernels(&PATTERN_KERNELS, device, wide, KERNELS, source)?;
    let words = sizes[0].div_ceil(32);
    let flags = make::empty(device, &[words], DType::U32)?;
    let [counts, upto] = [make::empty(device, &[words], index)?, make::empty(device, &[words], index)?];
    let params = PatternParams {
        width: Width::default(),
        rows,
        sizes,
        results: 0,
        ends: patterns.map(|p| read(p.ends)),
        indices: patterns.map(|p| read(p.indices)),
        inputs: patterns.map(|p| read(p.values)),
        flags: written(&flags),
        counts: written(&counts),
        columns: Written(None),
        values: [Written(None); 2],
        out: Written(None),
        bytes: a.values.itemsize() as u32,
        own: 0,
        intersection,
    };
    let tiles = |n: usize| Blocks::of(n.div_ceil(ENTRY_TILE), n, "entries");
    let mut common = 0;
    if sizes[0] > 0 {
        // SAFETY: rows are clamped to the pointers and pointers to the entries; there is a word for each 32 entries.
        unsafe { Launcher::on(device).launch(match_entries, tiles(sizes[0]), THREADS, &params) }?;
        let (op, signature) = binary_loop("add", index)?;
        let signature = signature.into();
        Scanning { op, signature, skip_nan: false, a: &counts, axis: 0, out: &upto, jumps: None }.run()?;
        let mut last = [0; 8];
        download(&mut last[..index.size()], &upto, upto.nbytes() - index.size())?;
        common = u64::from_le_bytes(last) as usize;
    }
    let results = if intersection { common } else { sizes[0] + sizes[1] - common };
    let empty = |n: usize, dtype: DType| make::empty(device, &[n], dtype);
    let (ends, indices) = (empty(rows + 1, index)?, empty(results, index)?);
    let values = [empty(results, a.values.dtype())?, empty(results, b.values.dtype())?];
    let params = PatternParams {
        results,
        counts: written(&upto),
        columns: written(&indices),
        values: [written(&values[0]), written(&values[1])],
        out: written(&ends),
        ..params
    };
    for (own, &size) in sizes.iter().enumerate().take(if intersection { 1 } else { 2 }) {
        if results > 0 && size > 0 {
            let params = PatternParams { own: own as u32, ..params };
            // SAFETY: as above; entries are written below their number only.
            unsafe { Launcher::on(device).launch(write_entries, tiles(size), THREADS, &params) }?;
        }
    }
    // SAFETY: there is a pointer for each row and one more.
    unsafe { Launcher::on(device).launch(write_pointers, blocks(rows + 1, "rows"), THREADS, &params) }?;
    Ok(MergedPatterns { ends, indices, values })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Entries = BTreeMap<(usize, i64), i64>;

    fn random(rows: usize, columns: i64, n: usize, seed: u64) -> Entries {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        (0..n).map(|i| ((next(rows), next(columns as usize) as i64), i as i64 + 1)).collect()
    }

    fn arrays(entries: &Entries, rows: usize, index: DType, values: DType) -> [Array; 3] {
        let of = |list: Vec<i64>, dtype| Array::from_slice(&list, [list.len()]).unwrap().astype(dtype).unwrap();
        let ends = (0..=rows).map(|r| entries.keys().filter(|e| e.0 < r).count() as i64).collect();
        let columns = entries.keys().map(|e| e.1).collect();
        [of(ends, index), of(columns, index), of(entries.values().copied().collect(), values)]
    }

    /// Rows in several tiles, without entries, with common and other entries; patterns without any; both index dtypes,
    /// elements of three sizes.
    #[test]
    fn patterns_are_united_and_intersected() {
        for (rows, columns, sizes, index, dtype) in [
            (400, 30, [6000, 5000], DType::I32, DType::I32),
            (1, 9000, [4000, 4200], DType::I64, DType::I64),
            (5, 5, [0, 9], DType::I32, DType::C128),
            (5, 5, [8, 0], DType::I32, DType::C128),
            (0, 5, [0, 0], DType::I32, DType::I32),
            (9000, 4, [2500, 8000], DType::I32, DType::C128),
        ] {
            let [a, b] = [0, 1]
                .map(|k| if sizes[k] == 0 { Entries::new() } else { random(rows, columns, sizes[k], k as u64 + 5) });
            let (x, y) = (arrays(&a, rows, index, dtype), arrays(&b, rows, index, dtype));
            for intersection in [false, true] {
                let keys: Vec<(usize, i64)> = if intersection {
                    a.keys().filter(|k| b.contains_key(k)).copied().collect()
                } else {
                    a.keys().chain(b.keys()).copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect()
                };
                let merged = merge_patterns(
                    Pattern { ends: &x[0], indices: &x[1], values: &x[2] },
                    Pattern { ends: &y[0], indices: &y[1], values: &y[2] },
                    intersection,
                )
                .unwrap();
                let host = |a: &Array| a.astype(DType::I64).unwrap().to_vec::<i64>().unwrap();
                let real = |a: &Array| a.astype(DType::F64).unwrap().to_vec::<f64>().unwrap();
                let want = |of: &Entries| keys.iter().map(|k| of.get(k).map_or(0.0, |&v| v as f64)).collect::<Vec<_>>();
                assert_eq!(host(&merged.indices), keys.iter().map(|k| k.1).collect::<Vec<_>>());
                let ends: Vec<i64> = (0..=rows).map(|r| keys.iter().filter(|k| k.0 < r).count() as i64).collect();
                assert_eq!(host(&merged.ends), ends);
                assert_eq!(real(&merged.values[0]), want(&a));
                assert_eq!(real(&merged.values[1]), want(&b));
            }
        }
    }
}
