//! Integer array indexing: results as in NumPy, and the errors of indices out of bounds.

use cuprum::cuda::{Device, Event, Stream};
use cuprum::{Array, AtOrder, DType, Ellipsis, ErrorKind, NewAxis, Result, arange, array, put, s, take, ufunc, zeros};

fn table() -> Result<Array> {
    arange(0, 120, 1)?.reshape([2, 3, 4, 5])
}

fn strides(a: &Array) -> Vec<i64> {
    a.strides().iter().map(|s| s / a.itemsize() as i64).collect()
}

/// The expected shapes and strides are those of NumPy 2.4.
#[test]
fn new_axes_go_where_numpy_puts_them() -> Result<()> {
    let (a, i) = (table()?, array([0, 1])?);
    let deep = array([[0, 1], [1, 0], [1, 1]])?;
    let (one, truth) = (array(1)?, array(true)?);
    let mask = array([true, false, true])?;
    type Row<'a> = (Vec<cuprum::Index>, &'a [usize], &'a [i64]);
    let rows: Vec<Row<'_>> = vec![
        (s![&i], &[2, 3, 4, 5], &[60, 20, 5, 1]),
        (s![.., &i], &[2, 2, 4, 5], &[20, 40, 5, 1]),
        (s![.., .., &i], &[2, 3, 2, 5], &[15, 5, 30, 1]),
        (s![Ellipsis, &i], &[2, 3, 4, 2], &[12, 4, 1, 24]),
        (s![.., &deep], &[2, 3, 2, 4, 5], &[20, 80, 40, 5, 1]),
        (s![&i, .., &i], &[2, 3, 5], &[15, 5, 1]),
        (s![.., &i, .., &i], &[2, 2, 4], &[8, 4, 1]),
        (s![0, .., &i], &[2, 3, 5], &[15, 5, 1]),
        (s![.., 0, &i], &[2, 2, 5], &[5, 10, 1]),
        (s![true, .., &i], &[2, 2, 4, 5], &[40, 20, 5, 1]),
        (s![.., true], &[2, 1, 3, 4, 5], &[60, 120, 20, 5, 1]),
        (s![&truth], &[1, 2, 3, 4, 5], &[120, 60, 20, 5, 1]),
        (s![false], &[0, 2, 3, 4, 5], &[0, 60, 20, 5, 1]),
        (s![.., &mask], &[2, 2, 4, 5], &[20, 40, 5, 1]),
        (s![&one, .., &one], &[3, 5], &[5, 1]),
        (s![.., &one], &[2, 4, 5], &[20, 5, 1]),
        (s![&i, NewAxis, &i], &[2, 1, 4, 5], &[20, 20, 5, 1]),
    ];
    for (k, (index, shape, steps)) in rows.into_iter().enumerate() {
        let got = a.index(&index)?;
        assert_eq!(got.shape(), shape, "row {k}");
        let same = got.shape().iter().zip(strides(&got)).zip(steps).all(|((n, a), b)| *n <= 1 || a == *b);
        assert!(same || got.is_empty(), "row {k}: {:?}", strides(&got));
    }
    // Without other axes the result has the memory order of the index array.
    let (line, fortran) = (arange(0, 6, 1)?, deep.copy(cuprum::Order::F)?);
    assert_eq!(strides(&line.index(s![&fortran])?), [1, 3]);
    assert_eq!(strides(&line.index(s![deep.t()])?), [1, 2]);
    assert_eq!(strides(&line.index(s![deep.index(s![..;-1])?])?), [2, 1]);
    Ok(())
}

#[test]
fn many_arrays_of_many_dtypes_go_together() -> Result<()> {
    let a = arange(0, 64, 1)?.reshape([2; 6])?;
    let bits: Vec<Array> = (0..6).map(|k| array([1, 0, 1 - k % 2])).collect::<Result<_>>()?;
    let dtypes = [DType::I8, DType::U8, DType::I16, DType::U32, DType::U64, DType::I64];
    let index: Vec<cuprum::Index> =
        bits.iter().zip(dtypes).map(|(b, d)| Ok(b.astype(d)?.into())).collect::<Result<_>>()?;
    assert_eq!(a.index(&index)?.to_vec::<i64>()?, [63, 0, 0b101010]);
    a.set(&index, array([-1, -2, -3])?)?;
    assert_eq!(a.index(&index)?.to_vec::<i64>()?, [-1, -2, -3]);
    let mut far = index;
    far[4] = array([0, 0, -3])?.into();
    let e = a.index(&far)?.to_vec::<i64>().unwrap_err();
    assert_eq!(e.message(), "index: index -3 at position 2 is out of bounds for axis 4 with size 2");
    a.set(&far, 700)?;
    assert_eq!(Device::current()?.synchronize().unwrap_err().kind(), ErrorKind::Index);
    assert!(!a.to_vec::<i64>()?.contains(&700), "a bad index changed something");
    Ok(())
}

#[test]
fn the_last_of_several_values_is_stored() -> Result<()> {
    // Few cells and many indices, which claim cells in a table; many cells and few indices, which are sorted.
    for (cells, count) in [(7usize, 5000usize), (60_000, 300)] {
        let a = zeros(cells, DType::I64)?;
        let positions: Vec<i64> = (0..count as i64).map(|k| k * k % 97 % cells as i64).collect();
        let values: Vec<i64> = (0..count as i64).map(|k| k + 1).collect();
        let mut want = vec![0; cells];
        positions.iter().zip(&values).for_each(|(at, v)| want[*at as usize] = *v);
        let (positions, values) = (Array::from_slice(&positions, count)?, Array::from_slice(&values, count)?);
        a.set(s![&positions], &values)?;
        assert!(a.to_vec::<i64>()? == want, "{cells} cells");
        a.fill(0)?;
        put(&a, &positions, &values, ())?;
        assert!(a.to_vec::<i64>()? == want, "put in {cells} cells");
    }
    Ok(())
}

#[test]
fn what_is_read_may_be_what_is_written() -> Result<()> {
    let a = arange(0, 6, 1)?;
    a.set(s![array([5, 4, 3, 2, 1, 0])?], &a)?;
    assert_eq!(a.to_vec::<i64>()?, [5, 4, 3, 2, 1, 0]);
    a.set(s![&a], array([10, 11, 12, 13, 14, 15])?)?;
    assert_eq!(a.to_vec::<i64>()?, [15, 14, 13, 12, 11, 10]);
    a.set(s![a.greater(12)?], a.index(s![..3])?)?;
    assert_eq!(a.to_vec::<i64>()?, [15, 14, 13, 12, 11, 10]);
    a.set(s![a.greater(12)?], a.index(s![3..])?)?;
    assert_eq!(a.to_vec::<i64>()?, [12, 11, 10, 12, 11, 10]);
    Ok(())
}

#[test]
fn rows_of_any_length_come_whole() -> Result<()> {
    // Elements of 1 to 16 bytes are copied as words.
    for columns in [1usize, 2, 3, 4, 8, 16, 24, 33] {
        let a = arange(0, 50 * columns as i64, 1)?.astype(DType::U8)?.reshape([50, columns])?;
        let rows = array([3, -1, 49, 0, 3])?;
        let want: Vec<u8> =
            [3, 49, 49, 0, 3].iter().flat_map(|r| (0..columns).map(move |c| (r * columns + c) as u8)).collect();
        assert_eq!(a.index(s![&rows])?.to_vec::<u8>()?, want, "{columns}");
        assert_eq!(take(&a, &rows, 0)?.to_vec::<u8>()?, want, "{columns}");
        let shifted = zeros(50 * columns + 1, DType::U8)?.index(s![1..])?.reshape([50, columns])?;
        shifted.set(s![&rows], a.index(s![&rows])?)?;
        assert_eq!(shifted.index(s![&rows])?.to_vec::<u8>()?, want, "{columns} shifted");
    }
    Ok(())
}

#[test]
fn the_first_bad_index_is_reported_once_by_the_next_call_that_waits() -> Result<()> {
    let (a, device) = (arange(0, 5, 1)?, Device::current()?);
    let bad = array([[0, 9], [-6, 1]])?;
    let first = take(&a, &bad, ())?;
    let other = a.index(s![&bad])?;
    // The first call, and within it the first index in C order, is reported.
    let e = other.to_vec::<i64>().unwrap_err();
    assert_eq!(
        (e.kind(), e.message()),
        (ErrorKind::Index, "take: index 9 at position 1 is out of bounds for axis 0 with size 5")
    );
    // The error is reported once; a valid element was read instead.
    assert!(first.to_vec::<i64>()?.iter().all(|x| *x < 5));
    ufunc("add")?.at(&a, [&bad], 1)?;
    assert_eq!(a.to_vec::<i64>().unwrap_err().message().split(':').next(), Some("add.at"));
    assert_eq!(a.to_vec::<i64>()?, [0, 1, 2, 3, 4], "a bad index changed something");
    a.set(s![&bad], 7)?;
    let event = Event::new(device)?;
    event.record()?;
    assert_eq!(event.synchronize().unwrap_err().kind(), ErrorKind::Index);
    assert_eq!(a.to_vec::<i64>()?, [0, 1, 2, 3, 4], "a bad index changed something");
    Ok(())
}

#[test]
fn errors_of_another_stream_are_reported_too() -> Result<()> {
    let (a, bad) = (arange(0, 5, 1)?, array([7])?);
    let stream = Stream::new(Device::current()?)?;
    stream.with(|| a.index(s![&bad]))?;
    assert!(a.to_vec::<i64>().unwrap_err().message().starts_with("index: index 7 at position 0"));
    stream.with(|| a.index(s![&bad]))?;
    assert_eq!(stream.synchronize().unwrap_err().kind(), ErrorKind::Index);
    Ok(())
}

#[test]
fn nothing_waits_for_the_check_of_indices() -> Result<()> {
    let (a, i) = (arange(0, 5, 1)?, array([1, 2])?);
    let empty = zeros((3, 0), ())?;
    // Indices are checked although there is nothing to read.
    let none = empty.index(s![array([5])?])?;
    assert_eq!(none.shape(), [1, 0]);
    assert_eq!(Device::current()?.synchronize().unwrap_err().kind(), ErrorKind::Index);
    assert_eq!(take(&a, &i, ())?.to_vec::<i64>()?, [1, 2]);
    Ok(())
}

#[test]
fn additions_in_any_order_reach_strided_elements_and_rows() -> Result<()> {
    let table = zeros([4, 6], DType::F32)?;
    let every_other = table.index(s![.., ..;2])?;
    let values = arange(0, 9, 1)?.reshape([3, 3])?.astype(DType::F32)?;
    ufunc("add")?.at_in(AtOrder::Any, &every_other, s![array([3, 1, 3])?], &values)?;
    let want: [f32; 12] = [0., 0., 0., 3., 4., 5., 0., 0., 0., 6., 8., 10.];
    assert_eq!(every_other.to_vec::<f32>()?, want);
    assert_eq!(table.index(s![.., 1..;2])?.to_vec::<f32>()?, [0.0; 12]);
    // An addend of another dtype is added in order.
    ufunc("add")?.at_in(AtOrder::Any, &every_other, s![array([3, 3])?, array([0, 0])?], array([1, 2])?)?;
    assert_eq!(every_other.to_vec::<f32>()?[9], 9.0);
    Ok(())
}
