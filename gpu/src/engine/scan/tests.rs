//! Tests of plans, and of scans with tiles so small that a few thousand elements make a deep tree.

use cuprum_kernels::source::{SCAN_COLUMNS, SCAN_LEVELS, ScanMethod};

use super::{LineShape, Plan, Scanning, Tuning, Unwrapping};
use crate::array::Array;
use crate::layout::Order;
use crate::{DType, Index, Slice};

const SMALL: Tuning = Tuning {
    rounds: [1; 2],
    rounds_ahead: 1,
    column_bytes: 8,
    radix_log2: 1,
    column_radix_log2: 1,
    many_lines: usize::MAX,
    many_panels: usize::MAX,
};

fn plan(lines: usize, length: usize, side_by_side: bool) -> Plan {
    let shape = LineShape { lines, length, aligned: true, vector: 4, widest: 4, side_by_side, across: side_by_side };
    Plan::new(shape, Tuning::default())
}

#[test]
fn tiles_cover_every_line() {
    for lines in [1, 2, 31, 33, 5000, 1 << 20] {
        for length in [1, 2, 255, 257, 8192, 8193, 1 << 20, (1 << 28) + 1] {
            for side_by_side in [false, true] {
                let p = plan(lines, length, side_by_side);
                let columns = if p.vector && side_by_side { SCAN_COLUMNS } else { 1 };
                let per_thread = p.rounds * if p.vector && !side_by_side { 4 } else { 1 };
                let tile = match p.method {
                    ScanMethod::Teams => per_thread << p.width_log2,
                    ScanMethod::Rows => 256 * per_thread,
                    ScanMethod::Columns => (256 * per_thread) >> p.width_log2,
                };
                assert!(p.tiles * tile >= length && (p.tiles - 1) * tile < length, "{lines} x {length}: {p:?}");
                let shared = if side_by_side { (p.groups * columns) << p.width_log2 } else { p.groups };
                assert!(shared >= lines, "{lines} x {length}: {p:?}");
                assert!(p.levels <= SCAN_LEVELS, "{p:?}");
            }
        }
    }
}

#[test]
fn a_tree_has_a_level_for_each_factor_of_128() {
    let p = plan(1, 1 << 28, false);
    assert_eq!((p.tree, p.tiles, p.levels, p.totals), (true, 1 << 15, 3, (1 << 15) + (1 << 8) + 2));
    assert!(!plan(1, 8192, false).tree);
    // Many slices need no tree: a block walks along each.
    let p = plan(1 << 14, 1 << 14, false);
    assert_eq!((p.method, p.tree, p.rounds, p.blocks), (ScanMethod::Rows, false, 4, 1 << 14));
    let p = plan(1 << 14, 1 << 14, true);
    assert_eq!((p.method, p.tree, p.vector, p.rounds, p.blocks), (ScanMethod::Columns, false, true, 8, 256));
    let p = plan(1 << 13, 1 << 14, true);
    assert_eq!((p.method, p.tree, p.vector, p.rounds, p.blocks), (ScanMethod::Columns, false, false, 16, 256));
    assert_eq!(plan(1 << 20, 3, false).width_log2, 0);
}

/// Compares a scan of integers by the engine with these numbers with a sequential one.
fn agrees(a: &Array, axis: usize, tuning: Tuning) {
    let (op, signature) = crate::engine::internal("add", DType::I64).unwrap();
    let out = crate::empty(a.shape(), DType::I64).unwrap();
    let scanning = Scanning { op, signature: signature.into(), skip_nan: false, a, axis, out: &out, jumps: None };
    scanning.run_tuned(tuning).unwrap();
    let (got, mut want) =
        (out.to_vec::<i64>().unwrap(), a.astype(DType::I64).unwrap().copy(Order::C).unwrap().to_vec::<i64>().unwrap());
    let step: usize = a.shape()[axis + 1..].iter().product();
    for i in 0..want.len() {
        if !(i / step).is_multiple_of(a.shape()[axis]) {
            want[i] += want[i - step];
        }
    }
    assert!(got == want, "of shape {:?}, axis {axis}, {tuning:?}", a.shape());
}

fn numbers(shape: &[usize]) -> Array {
    let n = shape.iter().product::<usize>() as i64;
    let elements: Vec<i32> = (0..n).map(|i| ((i * 7919) % 2003 - 1000) as i32).collect();
    Array::from_slice(&elements, shape).unwrap()
}

#[test]
fn deep_trees_of_rows_scan() {
    // 41 tiles in pairs: six levels.
    agrees(&numbers(&[1024 * 40 + 3]), 0, SMALL);
    // Eleven tiles in groups of 4.
    agrees(&numbers(&[512 * 20 + 5]), 0, Tuning { radix_log2: 2, ..SMALL });
    // 140 tiles in groups of 64, which two warps combine.
    agrees(&numbers(&[1024 * 140 + 7]), 0, Tuning { radix_log2: 6, ..SMALL });
    // Several slices, each with its own tree.
    agrees(&numbers(&[3, 256 * 9 + 1]), 1, SMALL);
    // Reversed, and every third element.
    let a = numbers(&[9000]);
    let slice = |step| Index::Slice(Slice { start: None, stop: None, step: Some(step) });
    agrees(&a.index([slice(-1)]).unwrap(), 0, SMALL);
    agrees(&a.index([slice(3)]).unwrap(), 0, SMALL);
}

#[test]
fn deep_trees_of_columns_scan() {
    for columns in [2, 5, 33] {
        agrees(&numbers(&[700, columns]), 0, SMALL);
    }
    agrees(&numbers(&[2, 300, 40]), 1, Tuning { column_radix_log2: 2, ..SMALL });
}

#[test]
fn lines_are_walked_where_there_are_many() {
    let few = Tuning { many_lines: 1, many_panels: 1, ..SMALL };
    agrees(&numbers(&[2, 256 * 5 + 1]), 1, few);
    agrees(&numbers(&[300, 40]), 0, few);
    agrees(&numbers(&[70, 3]), 1, few);
}

/// Scans floats with exact sums in pairs of adjacent slices: aligned pairs, and pairs that would begin at an odd
/// address or end with another row.
#[test]
fn neighbouring_lines_are_read_in_pairs() {
    let few = Tuning { many_lines: 1, many_panels: 1, ..SMALL };
    let n = 4 * 90 * 70;
    let elements: Vec<f32> = (0..n).map(|i| ((i * 7919) % 2003) as f32 - 1000.0).collect();
    let whole = Array::from_slice(&elements, [4, 90, 70]).unwrap();
    let slice = |start| Index::Slice(Slice { start: Some(start), stop: None, step: None });
    let all = Index::Slice(Slice { start: None, stop: None, step: None });
    for a in [
        whole.clone(),
        whole.index([all.clone(), all.clone(), slice(1)]).unwrap(),
        whole.index([all.clone(), all, slice(2)]).unwrap(),
    ] {
        for dtype in [DType::F32, DType::F16, DType::I8] {
            let (op, signature) = crate::engine::internal("maximum", dtype).unwrap();
            let a = a.astype(dtype).unwrap();
            let out = crate::empty(a.shape(), dtype).unwrap();
            let scanning =
                Scanning { op, signature: signature.into(), skip_nan: false, a: &a, axis: 1, out: &out, jumps: None };
            scanning.run_tuned(few).unwrap();
            let mut want = a.copy(Order::C).unwrap().astype(DType::F32).unwrap().to_vec::<f32>().unwrap();
            let columns = a.shape()[2];
            for i in 0..want.len() {
                if !(i / columns).is_multiple_of(90) {
                    want[i] = want[i].max(want[i - columns]);
                }
            }
            assert!(out.astype(DType::F32).unwrap().to_vec::<f32>().unwrap() == want, "{:?} {dtype}", a.shape());
        }
    }
}

/// Deep trees of phase unwrapping, along rows and columns: a sawtooth of ten steps of three becomes a straight line.
#[test]
fn jumps_are_taken_away_across_tiles() {
    for (shape, axis) in [(vec![256 * 11 + 3], 0), (vec![2, 700], 1), (vec![700, 3], 0), (vec![2, 300, 5], 1)] {
        let step: usize = shape[axis + 1..].iter().product();
        let along = |i: usize| (i / step % shape[axis]) as i64;
        let n = shape.iter().product::<usize>();
        let saw: Vec<i64> = (0..n).map(|i| along(i) * 3 % 10).collect();
        let line: Vec<i64> = (0..n).map(|i| along(i) * 3).collect();
        for dtype in [DType::I16, DType::F32, DType::F64] {
            let p = Array::from_slice(&saw, &shape[..]).unwrap().astype(dtype).unwrap();
            let out = crate::empty(p.shape(), dtype).unwrap();
            let [period, low, high, least] = [10, -5, 5, 5].map(crate::Scalar::Int);
            let unwrapping = Unwrapping { p: &p, axis, period, low, high, halved: true, least, out: &out };
            unwrapping.run_tuned(SMALL).unwrap();
            assert!(out.astype(DType::I64).unwrap().to_vec::<i64>().unwrap() == line, "{shape:?} {dtype}");
        }
    }
}
