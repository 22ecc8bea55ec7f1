//! Sparse arrays of several blocks of entries and rows, against lists of their entries.

use super::*;

/// Row, column and value.
type Entry = (usize, usize, i64);

/// Entries in rows of 0 to `longest` of them, sorted and distinct; every seventh row is empty.
fn entries(rows: usize, columns: usize, longest: usize, seed: u64) -> Vec<Entry> {
    let mut state = seed;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut all = Vec::new();
    for row in 0..rows {
        let length = if row % 7 == 3 { 0 } else { next(longest + 1) };
        let own: std::collections::BTreeSet<usize> = (0..length).map(|_| next(columns)).collect();
        all.extend(own.into_iter().map(|column| (row, column, next(9) as i64 - 4)));
    }
    all
}

fn list(values: impl Iterator<Item = i64>) -> Array {
    let values: Vec<i64> = values.collect();
    Array::from_slice(&values, [values.len()]).unwrap()
}

/// Compressed rows.
fn rows_of(entries: &[Entry], shape: [usize; 2], index: DType, dtype: DType) -> Sparse {
    let mut ends = vec![0; shape[0] + 1];
    entries.iter().for_each(|e| ends[e.0 + 1] += 1);
    (0..shape[0]).for_each(|r| ends[r + 1] += ends[r]);
    let of = |a: Array, dtype| a.astype(dtype).unwrap();
    let data = of(list(entries.iter().map(|e| e.2)), dtype);
    let (indices, indptr) = (list(entries.iter().map(|e| e.1 as i64)), list(ends.into_iter()));
    Sparse::csr(&data, &of(indices, index), &of(indptr, index), shape).unwrap()
}

fn host(a: &Array) -> Vec<i64> {
    let real = if a.dtype().is_complex() { a.real() } else { a.clone() };
    real.astype(DType::I64).unwrap().to_vec().unwrap()
}

/// The entries of compressed rows in their stored order.
fn stored(a: &Sparse) -> Vec<Entry> {
    let (ends, columns, values) = (host(&a.indptr().unwrap()), host(&a.indices().unwrap()), host(&a.data()));
    assert_eq!((ends[0], ends[ends.len() - 1]), (0, columns.len() as i64));
    let rows = ends.windows(2).enumerate().flat_map(|(r, w)| (w[0]..w[1]).map(move |_| r));
    rows.zip(columns).zip(values).map(|((r, c), v)| (r, c as usize, v)).collect()
}

fn from_start(indices: &[i64], size: usize) -> Vec<usize> {
    indices.iter().map(|&i| if i < 0 { (i + size as i64) as usize } else { i as usize }).collect()
}

#[test]
fn rows_of_several_blocks_are_selected() {
    let shape = [2500, 300];
    for (longest, index, dtype) in [
        (9, DType::I32, DType::F32),
        (4, DType::I64, DType::C128),
        (40, DType::I32, DType::I8),
        (2, DType::I32, DType::F16),
    ] {
        let all = entries(shape[0], shape[1], longest, 3);
        let a = rows_of(&all, shape, index, dtype);
        let random: Vec<i64> = (0..3000).map(|k: i64| (k * 7919) % 5000 - 2500).collect();
        for (select, chosen) in [
            (Select::Range { start: 5, step: 1, len: 2400 }, (5..2405).collect()),
            (Select::Range { start: 2499, step: -2, len: 1250 }, (0..1250).map(|k| 2499 - 2 * k).collect()),
            (Select::Range { start: 3, step: 1, len: 1 }, vec![3]),
            (Select::Indices(list(random.iter().copied())), from_start(&random, 2500)),
            (Select::Indices(list(std::iter::empty())), vec![]),
        ] {
            let found = a.select(&select, &Select::All).unwrap();
            let starts: Vec<usize> = (0..=shape[0]).map(|r| all.partition_point(|e| e.0 < r)).collect();
            let want: Vec<Entry> = chosen
                .iter()
                .enumerate()
                .flat_map(|(k, &row)| all[starts[row]..starts[row + 1]].iter().map(move |e| (k, e.1, e.2)))
                .collect();
            assert_eq!(found.shape(), [chosen.len(), shape[1]]);
            assert!(stored(&found) == want, "{dtype} {select:?}");
            assert_eq!((found.index_dtype(), found.dtype()), (index, dtype));
        }
    }
}

#[test]
fn columns_of_several_blocks_are_selected() {
    let shape = [2500, 300];
    for (longest, index, dtype) in
        [(9, DType::I32, DType::F32), (3, DType::I64, DType::C128), (20, DType::I32, DType::U8)]
    {
        let mut all = entries(shape[0], shape[1], longest, 4);
        all.iter_mut().for_each(|e| e.2 = e.2.abs());
        let a = rows_of(&all, shape, index, dtype);
        let few: Vec<i64> = vec![7, 299, -300, 100];
        let many: Vec<i64> = (0..400).map(|k: i64| (k * 131) % 600 - 300).collect();
        for (select, chosen) in [
            (Select::Range { start: 5, step: 1, len: 290 }, (5..295).collect()),
            (Select::Range { start: 1, step: 3, len: 90 }, (0..90).map(|k| 1 + 3 * k).collect()),
            (Select::Range { start: 299, step: -7, len: 40 }, (0..40).map(|k| 299 - 7 * k).collect()),
            (Select::Range { start: 9, step: 1 << 40, len: 1 }, vec![9]),
            (Select::Indices(list(few.iter().copied())), from_start(&few, 300)),
            (Select::Indices(list([4, 4, 5].into_iter())), vec![4, 4, 5]),
            (Select::Indices(list(many.iter().copied())), from_start(&many, 300)),
        ] {
            let found = a.select(&Select::All, &select).unwrap();
            let mut want: Vec<Entry> = Vec::new();
            for e in &all {
                want.extend((0..chosen.len()).filter(|&k| chosen[k] == e.1).map(|k| (e.0, k, e.2)));
            }
            // In the order of the entries, several of one entry in that of the selection.
            assert_eq!(found.shape(), [shape[0], chosen.len()]);
            assert!(stored(&found) == want, "{dtype} {select:?}");
            assert_eq!(found.has_sorted_indices().unwrap(), want.is_sorted_by_key(|e| (e.0, e.1)));
            assert!(found.sort_indices().unwrap().has_canonical_format().unwrap());
        }
    }
    let wrong = Select::Indices(list([0, 300].into_iter()));
    let a = rows_of(&entries(4, 300, 3, 1), [4, 300], DType::I32, DType::F32);
    let error = a.select(&Select::All, &wrong).and_then(|a| a.device().synchronize()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
    let empty = Sparse::zeros(&[4, 300], DType::F32, Format::Csr, a.device()).unwrap();
    let error = empty.select(&Select::All, &wrong).and_then(|a| a.device().synchronize()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
}

/// Coordinates in scattered order: rows that are sorted in a block, a row that is too long for it, and duplicates.
#[test]
fn many_coordinates_are_compressed() {
    for (rows, longest, copies, dtype) in [
        (4000, 6, 1, DType::F32),
        (4000, 6, 2, DType::I64),
        (6000, 3, 2, DType::U8),
        (5000, 4, 1, DType::C128),
        (9000, 2, 3, DType::F16),
    ] {
        let mut all = entries(rows, 500, longest, 5);
        all.iter_mut().for_each(|e| e.2 = e.2.abs());
        if dtype == DType::F32 {
            all.retain(|e| e.0 != 9);
            all.extend((0..400).map(|c| (9, c, 1)));
            all.sort_unstable();
        }
        let given: Vec<Entry> = (0..copies).flat_map(|_| all.iter().copied()).collect();
        // Strides that are coprime with the number of entries reach all of them.
        let n = given.len();
        let step = (n / 3..).find(|k| (2..=*k).all(|d| !k.is_multiple_of(d) || !n.is_multiple_of(d))).unwrap();
        let scattered: Vec<Entry> = (0..n).map(|k| given[k * step % n]).collect();
        let data = list(scattered.iter().map(|e| e.2)).astype(dtype).unwrap();
        for index in [DType::I32, DType::I64] {
            let at = |f: fn(&Entry) -> usize| list(scattered.iter().map(|e| f(e) as i64)).astype(index).unwrap();
            let coo = Sparse::coo(&data, &[&at(|e| e.0), &at(|e| e.1)], &[rows, 500]).unwrap();
            let found = coo.to_format(Format::Csr).unwrap();
            let want: Vec<Entry> = all.iter().map(|e| (e.0, e.1, e.2 * copies as i64)).collect();
            assert!(stored(&found) == want, "{dtype} {index}");
            assert_eq!(found.index_dtype(), index);
            let columns = coo.to_format(Format::Csc).unwrap();
            assert!(stored(&columns.to_format(Format::Csr).unwrap()) == want, "{dtype} {index}");
        }
    }
}

/// Duplicates are added in the order in which they are stored: a small float after a large one is lost.
#[test]
fn duplicates_of_many_coordinates_are_added_in_their_order() {
    let n = 30_000i64;
    let values: Vec<f32> = (0..n).map(|k| [1.0e8, 1.0, -1.0e8][(k / 10_000) as usize]).collect();
    let data = Array::from_slice(&values, [n as usize]).unwrap();
    let rows = list((0..n).map(|k| (k * 7) % 10_000));
    let coo = Sparse::coo(&data, &[&rows, &list((0..n).map(|_| 0))], &[10_000, 1]).unwrap();
    let sums = coo.to_format(Format::Csr).unwrap();
    assert_eq!(sums.nnz().unwrap(), 10_000);
    assert!(sums.data().to_vec::<f32>().unwrap().iter().all(|&x| x == (1.0e8f32 + 1.0) - 1.0e8));
}

/// Extremes of many rows that are not zero, short and long on average.
#[test]
fn extremes_of_many_rows_are_sparse() {
    for (rows, longest, dtype) in [(20_000, 3, DType::F32), (17_000, 18, DType::I16), (40, 5, DType::I64)] {
        let all = entries(rows, 60, longest, 6);
        let a = rows_of(&all, [rows, 60], DType::I32, dtype);
        let mut best = vec![0; rows];
        all.iter().for_each(|e| best[e.0] = best[e.0].max(e.2));
        let want: Vec<(i64, i64)> =
            best.iter().enumerate().filter(|(_, v)| **v != 0).map(|(r, v)| (r as i64, *v)).collect();
        for (keepdims, shape) in [(true, vec![rows, 1]), (false, vec![rows])] {
            let found = a.reduce_sparse("max", 1, keepdims).unwrap();
            assert_eq!((found.shape(), found.format()), (&shape[..], Format::Coo));
            let coords = found.coords().unwrap();
            let got: Vec<(i64, i64)> = host(&coords[0]).into_iter().zip(host(&found.data())).collect();
            assert!(got == want, "{dtype}");
            if keepdims {
                assert!(host(&coords[1]).iter().all(|&c| c == 0));
            }
        }
        let columns = a.transpose(None).unwrap().reduce_sparse("max", 0, true).unwrap();
        assert_eq!(columns.shape(), [1, rows]);
        assert_eq!(host(&columns.coords().unwrap()[1]), want.iter().map(|w| w.0).collect::<Vec<_>>());
    }
}

/// Sums of few entries, whose rows one block merges whatever their lengths are.
#[test]
fn few_entries_are_merged_in_one_block() {
    for (shape, longest) in [([50, 40], 6), ([700, 9], 1), ([1, 300], 200), ([3, 90], 60), ([900, 40], 4)] {
        let (x, y) = (entries(shape[0], shape[1], longest, 8), entries(shape[0], shape[1], longest, 9));
        for (index, dtype) in [(DType::I32, DType::F64), (DType::I64, DType::I64)] {
            let (a, b) = (rows_of(&x, shape, index, dtype), rows_of(&y, shape, index, dtype));
            for (name, op) in [
                ("add", i64::wrapping_add as fn(i64, i64) -> i64),
                ("subtract", i64::wrapping_sub),
                ("multiply", i64::wrapping_mul),
            ] {
                let of =
                    |all: &[Entry]| all.iter().map(|e| ((e.0, e.1), e.2)).collect::<std::collections::BTreeMap<_, _>>();
                let (of_x, of_y) = (of(&x), of(&y));
                let at: std::collections::BTreeSet<_> = of_x.keys().chain(of_y.keys()).copied().collect();
                let value = |of: &std::collections::BTreeMap<_, i64>, k| of.get(k).copied().unwrap_or(0);
                let want: Vec<Entry> =
                    at.iter().map(|k| (k.0, k.1, op(value(&of_x, k), value(&of_y, k)))).filter(|e| e.2 != 0).collect();
                assert!(stored(&a.binary(name, &b).unwrap()) == want, "{name} {shape:?}");
            }
        }
    }
}
