//! Views with internal overlap can be read, but not written to.

use cuprum::{
    AccumulateOptions, Array, Casting, DType, ErrorKind, FoldOptions, Reduce, Result, ScanOptions, UfuncOptions,
    arange, array, copyto, cumulative_sum, empty, s, sum, ufunc, zeros,
};

/// Three overlapping windows of four elements over six.
fn windows() -> Result<Array> {
    arange(0, 6, 1)?.as_strided([3, 4], &[8, 8])
}

fn rejected<T>(result: Result<T>, function: &str) {
    let Err(error) = result else { panic!("{function} wrote to windows") };
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    let message = error.to_string();
    for part in [function, "(3, 4)", "[8, 8]", "copy"] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}

#[test]
fn windows_are_read_and_not_written() -> Result<()> {
    let windows = windows()?;
    assert_eq!(sum(&windows, 1)?.to_vec::<i64>()?, [6, 10, 14]);
    let full = zeros([3, 4], DType::I64)?;
    let out = UfuncOptions { out: Some(&windows), ..UfuncOptions::default() };
    rejected(windows.fill(1), "fill");
    rejected(windows.assign(&full), "assign");
    rejected(windows.set(s![..], 1), "set");
    rejected(copyto(&windows, &full, Casting::SameKind), "copyto");
    rejected(windows.sort(-1), "sort");
    rejected(windows.partition([1], -1), "partition");
    rejected(ufunc("add")?.call((&full, 1), out), "add");
    rejected(ufunc("add")?.at(&windows, [array([0, 1])?], 1), "add.at");
    let table = zeros([2, 3, 4], DType::I64)?;
    rejected(sum(&table, Reduce::axis(0).out(&windows)), "sum");
    let options = FoldOptions { out: Some(&windows), ..FoldOptions::default() };
    rejected(ufunc("subtract")?.reduce(&table, 0, options), "subtract.reduce");
    let options = AccumulateOptions { out: Some(&windows), ..AccumulateOptions::default() };
    rejected(ufunc("add")?.accumulate(&full, 0, options), "add.accumulate");
    rejected(ufunc("add")?.reduceat(&full, [0, 1, 2], 0, options), "add.reduceat");
    let scan = ScanOptions { axis: Some(0), out: Some(&windows), include_initial: true, ..ScanOptions::default() };
    rejected(cumulative_sum(&zeros([2, 4], DType::I64)?, scan), "cumulative_sum");
    assert_eq!(windows.to_vec::<i64>()?, [0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5]);
    windows.copy(cuprum::Order::C)?.fill(1)
}

/// Each part alone is writable; both together overlap.
#[test]
fn a_scan_with_its_start_does_not_write_over_itself() -> Result<()> {
    let out = arange(0, 3, 1)?.as_strided([2, 2], &[8, 8])?;
    let scan = ScanOptions { axis: Some(0), out: Some(&out), include_initial: true, ..ScanOptions::default() };
    assert_eq!(cumulative_sum(&zeros([1, 2], DType::I64)?, scan).unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

/// Elements of a broadcast axis share memory, which makes the view read-only as in NumPy.
#[test]
fn no_part_of_a_broadcast_array_is_set() -> Result<()> {
    let one = zeros(1, DType::I64)?;
    let broadcast = one.broadcast_to([3])?;
    for error in [broadcast.set(s![0], 1).unwrap_err(), broadcast.set(s![0..1], 1).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(error.to_string().starts_with("set: "), "{error}");
    }
    assert_eq!(one.to_vec::<i64>()?, [0]);
    Ok(())
}

#[test]
fn elements_that_reach_into_each_other_are_not_written() -> Result<()> {
    let wide = empty(6, DType::C128)?.as_strided([4], &[8])?;
    assert_eq!(wide.fill(0).unwrap_err().kind(), ErrorKind::Value);
    // Interleaved without overlap.
    let apart = zeros(6, DType::I64)?;
    apart.as_strided([2, 2], &[24, 16])?.fill(1)?;
    assert_eq!(apart.to_vec::<i64>()?, [1, 0, 1, 1, 0, 1]);
    Ok(())
}

/// A row that is broadcast to the whole array shares its start, and would be overwritten before the other rows have
/// read it.
#[test]
fn a_broadcast_part_of_the_result_is_read_before_it_is_written() -> Result<()> {
    let a = arange(1, 2001, 1)?.reshape([500, 4])?;
    let first = a.index(s![..1])?;
    ufunc("subtract")?.call((&a, &first), UfuncOptions { out: Some(&a), ..UfuncOptions::default() })?;
    let want: Vec<i64> = (0..2000).map(|i| i / 4 * 4).collect();
    assert_eq!(a.to_vec::<i64>()?, want);
    let line = arange(1, 1001, 1)?.astype(DType::I8)?;
    let host = line.to_vec::<i8>()?;
    let first = line.index(s![..1])?;
    ufunc("add")?.call((&first, &line), UfuncOptions { out: Some(&line), ..UfuncOptions::default() })?;
    let want: Vec<i8> = host.iter().map(|x| x.wrapping_add(host[0])).collect();
    assert_eq!(line.to_vec::<i8>()?, want);
    Ok(())
}
