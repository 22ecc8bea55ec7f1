//! The checks: each builds its operands and compares elements whose values are known.

use cuprum::{
    AccumulateOptions, Array, BincountOptions, CorrelateMode, DType, HistogramBins, HistogramOptions, Order,
    QuantileOptions, Reduce, ScanOptions, SearchOptions, Side, UniqueOptions, arange, s,
};

use super::{Operands, Outcome, PERIOD, same, value};

/// A check with its name.
type Check = (&'static str, fn(&Operands) -> Outcome);

pub(super) const ALL: &[Check] = &[
    ("upload and download", host),
    ("elementwise", elementwise),
    ("elementwise, reversed", reversed),
    ("elementwise, strided", strided),
    ("transposed copy", transposed),
    ("broadcast row and column", broadcast),
    ("mask of an assignment", masked),
    ("sum, mean, var", sums),
    ("sum along axes", sums_along_axes),
    ("sum of a transposed view", sum_transposed),
    ("max, min, any, all", extremes),
    ("argmax, argmin", positions_of_extremes),
    ("count_nonzero", count_nonzero),
    ("norm", norm),
    ("cumsum", cumsum),
    ("cumsum along axes", cumsum_along_axes),
    ("accumulate", accumulate),
    ("diff", diff),
    ("sort of bytes", sort_bytes),
    ("sort of words", sort_words),
    ("argsort", argsort),
    ("sort of rows", sort_rows),
    ("partition", partition),
    ("median, percentile", order_statistics),
    ("unique", unique),
    ("isin", isin),
    ("nonzero", nonzero),
    ("elements of a mask", compress),
    ("take", take),
    ("set at indices", set_at),
    ("searchsorted, long", search_long),
    ("searchsorted, many", search_many),
    ("bincount", bincount),
    ("bincount with weights", bincount_weights),
    ("histogram", histogram),
    ("correlate", correlate),
    ("at", at),
    ("concatenate", joined),
    ("concatenate with a cast", joined_cast),
    ("roll, tile, pad", gathered),
    ("repeat", repeated),
    ("matmul", matmul),
    ("set at many indices", set_many),
    ("choose", chosen),
    ("eye, triu", generated),
    ("interp", interpolated),
    ("packbits, unpackbits", bits),
    ("stack along the last axis", stacked),
    ("repeat by uneven counts", uneven),
    ("permutation", permuted),
];

/// Returns the byte at an index.
fn byte(at: usize) -> f64 {
    (at % PERIOD) as f64
}

/// Returns the value of an array of one element.
fn scalar(a: &Array) -> cuprum::Result<f64> {
    a.astype(DType::F64)?.item::<f64>()
}

/// Checks that each element of `a` at the tested indices has the expected value.
fn same_at_samples(o: &Operands, a: &Array, expected: impl Fn(usize) -> f64) -> Outcome {
    o.sample_indices().into_iter().try_for_each(|i| same(format!("element {i}"), value(a, i)?, expected(i)))
}

/// Checks that all elements of a boolean array are true.
fn all_true(what: &str, a: &Array) -> Outcome {
    same(what, scalar(&cuprum::all(a, ())?)?, 1.0)
}

/// Reshapes the first elements, an even number of them, to two rows.
fn rows(o: &Operands) -> cuprum::Result<(Array, usize)> {
    let length = o.n / 2;
    Ok((o.bytes.index(s![..2 * length as i64])?.reshape([2, length])?, length))
}

/// Writes at as many indices as are stored in the order of the cells; every cell is indexed twice.
fn set_many(o: &Operands) -> Outcome {
    let cells = o.n.div_ceil(32) as i64;
    let (a, all) = (cuprum::zeros([cells as usize], DType::F64)?, arange(0, 2 * cells, 1)?);
    a.set(s![cuprum::remainder(&all, cells)?], &all)?;
    for i in [0, 1, cells / 2, cells - 1] {
        same(format!("cell {i}"), value(&a, i as usize)?, (cells + i) as f64)?;
    }
    let sum = scalar(&cuprum::sum(&a, ())?)?;
    same("sum", sum, (cells * cells + cells * (cells - 1) / 2) as f64)
}

fn chosen(o: &Operands) -> Outcome {
    let small = cuprum::less(&o.bytes, 100u8)?.astype(DType::I8)?;
    let none = cuprum::zeros([o.n], DType::U8)?;
    let picked = cuprum::choose(&small, [&o.bytes, &none], cuprum::IndexMode::Clip)?;
    same_at_samples(o, &picked, |i| if byte(i) < 100.0 { 0.0 } else { byte(i) })
}

fn generated(o: &Operands) -> Outcome {
    let (table, length) = rows(o)?;
    let options = cuprum::EyeOptions {
        columns: Some(length),
        k: length as isize - 1,
        dtype: Some(DType::U8),
        ..Default::default()
    };
    let one = cuprum::eye(2, options)?.reshape([2 * length])?;
    same("the diagonal", value(&one, length - 1)?, 1.0)?;
    same("sum", scalar(&cuprum::sum(&one, ())?)?, 1.0)?;
    let upper = cuprum::triu(&table, length as isize - 2)?.reshape([2 * length])?;
    for i in [0, length - 3, length - 2, length - 1, length, 2 * length - 2, 2 * length - 1] {
        let kept = i % length >= length - 2 + i / length;
        same(format!("element {i}"), value(&upper, i)?, if kept { byte(i) } else { 0.0 })?;
    }
    Ok(())
}

fn interpolated(o: &Operands) -> Outcome {
    let (knots, values) = (cuprum::array([0.0, 100.0, 250.0])?, cuprum::array([0.0, 50.0, 350.0])?);
    let lines = cuprum::interp(&o.bytes, &knots, &values, ())?;
    same_at_samples(o, &lines, |i| if byte(i) <= 100.0 { byte(i) / 2.0 } else { 2.0 * byte(i) - 150.0 })
}

fn bits(o: &Operands) -> Outcome {
    let packed = cuprum::packbits(&cuprum::less(&o.bytes, 100u8)?, ())?;
    let loose =
        cuprum::unpackbits(&packed, cuprum::UnpackBitsOptions { count: Some(o.n as i64), ..Default::default() })?;
    same_at_samples(o, &loose, |i| f64::from(byte(i) < 100.0))
}

fn stacked(o: &Operands) -> Outcome {
    let half = o.bytes.index(s![..o.n.div_ceil(2) as i64])?;
    let pairs = cuprum::stack([&half, &half], -1)?.reshape([2 * half.size()])?;
    same_at_samples(o, &pairs, |i| byte(i / 2))
}

/// Repeats elements: of every four the first does not occur, the others once, twice and three times.
fn uneven(o: &Operands) -> Outcome {
    let sources = o.n.div_ceil(2);
    let counts = cuprum::remainder(arange(0, sources as i64, 1)?, 4)?;
    let repeated = cuprum::repeat(o.bytes.index(s![..sources as i64])?, &counts, ())?;
    for i in o.sample_indices().into_iter().filter(|&i| i < repeated.size()) {
        let source = i / 6 * 4 + [1, 2, 2, 3, 3, 3][i % 6];
        same(format!("element {i}"), value(&repeated, i)?, byte(source))?;
    }
    let groups = sources / 4;
    same("size", repeated.size() as f64, (6 * groups + [0, 0, 1, 3][sources % 4]) as f64)
}

/// Concatenates two parts, passed in the parameters, and seven parts, listed in memory.
fn joined(o: &Operands) -> Outcome {
    for count in [2, 7] {
        let parts = cuprum::array_split(&o.bytes, count, ())?;
        same_at_samples(o, &cuprum::concatenate(&parts, ())?, byte)?;
    }
    Ok(())
}

fn joined_cast(o: &Operands) -> Outcome {
    let (first, second) = (o.bytes.index(s![..3])?.astype(DType::U16)?, o.bytes.index(s![3..])?);
    same_at_samples(o, &cuprum::concatenate([first, second], ())?, byte)
}

fn gathered(o: &Operands) -> Outcome {
    same_at_samples(o, &cuprum::roll(&o.bytes, 3, ())?, |i| byte((i + o.n - 3) % o.n))?;
    let half = o.bytes.index(s![..(o.n / 2) as i64])?;
    let twice = cuprum::tile(&half, 3)?;
    same_at_samples(o, &twice, |i| byte(i % (o.n / 2)))?;
    let padded = cuprum::pad(&o.bytes, (1, 2), ())?;
    same_at_samples(o, &padded, |i| if i == 0 { 0.0 } else { byte(i - 1) })
}

fn repeated(o: &Operands) -> Outcome {
    let quarter = o.bytes.index(s![..o.n.div_ceil(4) as i64])?;
    same_at_samples(o, &cuprum::repeat(&quarter, 4, ())?, |i| byte(i / 4))?;
    let counts = cuprum::full(quarter.size(), 4, DType::I64)?;
    same_at_samples(o, &cuprum::repeat(&quarter, &counts, ())?, |i| byte(i / 4))
}

fn host(o: &Operands) -> Outcome {
    let bytes = o.bytes.to_vec::<u8>()?;
    let wrong = bytes.iter().enumerate().find(|&(i, &b)| usize::from(b) != i % PERIOD);
    if let Some((i, &b)) = wrong {
        same(format!("element {i} on the host"), f64::from(b), byte(i))?;
    }
    let back = Array::from_slice(&bytes, [o.n])?;
    all_true("what comes back is the same", &cuprum::equal(&back, &o.bytes)?)
}

fn elementwise(o: &Operands) -> Outcome {
    let twice = cuprum::add(&o.bytes, &o.bytes.astype(DType::U16)?)?;
    same_at_samples(o, &twice, |i| 2.0 * byte(i))?;
    same("sum", scalar(&cuprum::sum(&twice, ())?)?, 2.0 * Operands::sum(o.n))
}

fn reversed(o: &Operands) -> Outcome {
    let wide = o.bytes.astype(DType::U16)?;
    let sum = cuprum::add(&wide, &wide.index(s![..;-1])?)?;
    same_at_samples(o, &sum, |i| byte(i) + byte(o.n - 1 - i))?;
    same("sum", scalar(&cuprum::sum(&sum, ())?)?, 2.0 * Operands::sum(o.n))
}

/// Both operands are strided, and the result has as many elements: every second column of two rows is read.
fn strided(o: &Operands) -> Outcome {
    let pairs = cuprum::empty([o.n, 2], DType::U8)?;
    pairs.set(s![.., 0], &o.bytes)?;
    pairs.set(s![.., 1], 1u8)?;
    let sum = cuprum::add(&pairs.index(s![.., 0])?, &pairs.index(s![.., 1])?)?;
    same_at_samples(o, &sum, |i| byte(i) + 1.0)?;
    same("sum", scalar(&cuprum::sum(&sum, ())?)?, Operands::sum(o.n) + o.n as f64)
}

fn transposed(o: &Operands) -> Outcome {
    let (across, down) = (1003.min(o.n), o.n / 1003.min(o.n));
    let table = o.bytes.index(s![..(across * down) as i64])?.reshape([down, across])?;
    let transposed = table.t().copy(Order::C)?.reshape([across * down])?;
    for index in [0, 1, down - 1, across * down / 2, across * down - 1] {
        let (row, column) = (index / down, index % down);
        same(format!("element {index}"), value(&transposed, index)?, byte(column * across + row))?;
    }
    same("sum", scalar(&cuprum::sum(&transposed, ())?)?, Operands::sum(across * down))
}

fn broadcast(o: &Operands) -> Outcome {
    let (table, length) = rows(o)?;
    let wide = table.astype(DType::U16)?;
    let column = Array::from_slice(&[1000u16, 2000], [2, 1])?;
    let sum = cuprum::add(&wide, &column)?;
    same("last", value(&sum.reshape([2 * length])?, 2 * length - 1)?, byte(2 * length - 1) + 2000.0)?;
    let sum = cuprum::add(&wide, &wide.index(s![0])?)?;
    same("last", value(&sum.reshape([2 * length])?, 2 * length - 1)?, byte(2 * length - 1) + byte(length - 1))?;
    let all = Operands::sum(2 * length) + 2.0 * Operands::sum(length);
    same("sum", scalar(&cuprum::sum(&sum, ())?)?, all)
}

fn masked(o: &Operands) -> Outcome {
    let picked = cuprum::where_(&cuprum::less(&o.bytes, 100u8)?, &o.bytes, 0u8)?;
    same_at_samples(o, &picked, |i| if byte(i) < 100.0 { byte(i) } else { 0.0 })?;
    let expected: usize = (0..100).map(|v| v * o.count(v)).sum();
    same("sum", scalar(&cuprum::sum(&picked, ())?)?, expected as f64)
}

fn sums(o: &Operands) -> Outcome {
    same("sum", scalar(&cuprum::sum(&o.bytes, ())?)?, Operands::sum(o.n))?;
    let mean = Operands::sum(o.n) / o.n as f64;
    same("mean", (scalar(&cuprum::mean(&o.bytes, ())?)? - mean).abs().max(1e-9), 1e-9)?;
    let squares: f64 = (0..PERIOD).map(|v| (v as f64 - mean).powi(2) * o.count(v) as f64).sum();
    let var = scalar(&cuprum::var(&o.bytes, ())?)?;
    same("var", (var * o.n as f64 / squares - 1.0).abs().max(1e-9), 1e-9)
}

fn sums_along_axes(o: &Operands) -> Outcome {
    let (table, length) = rows(o)?;
    let along = cuprum::sum(&table, 1)?;
    same("first row", value(&along, 0)?, Operands::sum(length))?;
    same("second row", value(&along, 1)?, Operands::sum(2 * length) - Operands::sum(length))?;
    let down = cuprum::sum(&table, Reduce::axis(0).dtype(DType::U16))?;
    for i in [0, 1, length / 2, length - 1] {
        same(format!("column {i}"), value(&down, i)?, byte(i) + byte(length + i))?;
    }
    let table = o.bytes.index(s![..2 * length as i64])?.reshape([length, 2])?;
    let down = cuprum::sum(&table, 0)?;
    same("both columns", value(&down, 0)? + value(&down, 1)?, Operands::sum(2 * length))?;
    let along = cuprum::sum(&table, Reduce::axis(1).dtype(DType::U16))?;
    same("last pair", value(&along, length - 1)?, byte(2 * length - 2) + byte(2 * length - 1))
}

fn sum_transposed(o: &Operands) -> Outcome {
    let (table, length) = rows(o)?;
    same("sum", scalar(&cuprum::sum(table.t(), ())?)?, Operands::sum(2 * length))?;
    let reversed = o.bytes.index(s![..;-1])?;
    same("sum of the reversed", scalar(&cuprum::sum(&reversed, ())?)?, Operands::sum(o.n))
}

fn extremes(o: &Operands) -> Outcome {
    let a = cuprum::zeros([o.n], DType::I8)?;
    same("any of zeros", scalar(&cuprum::any(&a, ())?)?, 0.0)?;
    a.set(s![-1], 1i8)?;
    a.set(s![-2], -1i8)?;
    same("max", scalar(&cuprum::amax(&a, ())?)?, 1.0)?;
    same("min", scalar(&cuprum::amin(&a, ())?)?, -1.0)?;
    same("any", scalar(&cuprum::any(&a, ())?)?, 1.0)?;
    let b = cuprum::ones([o.n], DType::Bool)?;
    same("all of ones", scalar(&cuprum::all(&b, ())?)?, 1.0)?;
    b.set(s![-1], false)?;
    same("all", scalar(&cuprum::all(&b, ())?)?, 0.0)
}

fn positions_of_extremes(o: &Operands) -> Outcome {
    let a = cuprum::zeros([o.n], DType::I8)?;
    for at in o.sample_indices() {
        a.set(s![at as i64], 1i8)?;
        same("argmax", scalar(&cuprum::argmax(&a, ())?)?, at as f64)?;
        a.set(s![at as i64], -1i8)?;
        same("argmin", scalar(&cuprum::argmin(&a, ())?)?, at as f64)?;
        a.set(s![at as i64], 0i8)?;
    }
    let columns = a.reshape([o.n, 1])?;
    columns.set(s![-1, 0], 1i8)?;
    same("argmax of a column", value(&cuprum::argmax(&columns, 0)?, 0)?, (o.n - 1) as f64)
}

fn count_nonzero(o: &Operands) -> Outcome {
    same("all", scalar(&cuprum::count_nonzero(&o.bytes, ())?)?, (o.n - o.count(0)) as f64)?;
    let (table, length) = rows(o)?;
    let zeros = |n: usize| n.div_ceil(PERIOD);
    let along = cuprum::count_nonzero(&table, 1)?;
    same("first row", value(&along, 0)?, (length - zeros(length)) as f64)?;
    same("second row", value(&along, 1)?, (length - (zeros(2 * length) - zeros(length))) as f64)
}

fn norm(o: &Operands) -> Outcome {
    let ones = cuprum::ones([o.n], DType::F32)?;
    let norm = scalar(&cuprum::linalg::norm(&ones, ())?)?;
    // float32: the root of the number of elements to half a unit in the last place of 24 bits, and one of the sum.
    same("norm", (norm / (o.n as f64).sqrt() - 1.0).abs().max(2e-7), 2e-7)
}

fn cumsum(o: &Operands) -> Outcome {
    let sums = cuprum::cumsum(&o.bytes, ())?;
    same_at_samples(o, &sums, |i| Operands::sum(i + 1))
}

fn cumsum_along_axes(o: &Operands) -> Outcome {
    let (table, length) = rows(o)?;
    let options = |axis| ScanOptions { axis: Some(axis), dtype: Some(DType::U64), ..ScanOptions::default() };
    let sums = cuprum::cumsum(&table, options(1))?.reshape([2 * length])?;
    same("end of the first row", value(&sums, length - 1)?, Operands::sum(length))?;
    let second = Operands::sum(2 * length) - Operands::sum(length);
    same("end of the second row", value(&sums, 2 * length - 1)?, second)?;
    drop(sums);
    let sums = cuprum::cumsum(&table, options(0))?.reshape([2 * length])?;
    same("last column", value(&sums, 2 * length - 1)?, byte(length - 1) + byte(2 * length - 1))?;
    drop(sums);
    let sums = cuprum::cumsum(&o.bytes.reshape([o.n, 1])?, options(0))?.reshape([o.n])?;
    same_at_samples(o, &sums, |i| Operands::sum(i + 1))
}

fn accumulate(o: &Operands) -> Outcome {
    let options = AccumulateOptions::default();
    let highest = cuprum::ufunc("maximum")?.accumulate(&o.bytes, 0, options)?;
    same_at_samples(o, &highest, |i| i.min(PERIOD - 1) as f64)
}

fn diff(o: &Operands) -> Outcome {
    let steps = cuprum::diff(o.bytes.astype(DType::I16)?, ())?;
    for i in o.sample_indices().into_iter().filter(|&i| i + 1 < o.n) {
        same(format!("step {i}"), value(&steps, i)?, byte(i + 1) - byte(i))?;
    }
    same("sum", scalar(&cuprum::sum(&steps, ())?)?, byte(o.n - 1))
}

/// Checks sorted bytes: every value begins where the smaller ones end.
fn sorted_bytes(o: &Operands, sorted: &Array) -> Outcome {
    for v in 0..PERIOD.min(o.n) {
        same(format!("first {v}"), value(sorted, o.below(v))?, v as f64)?;
        same(format!("last {v}"), value(sorted, o.below(v + 1) - 1)?, v as f64)?;
    }
    let ordered = cuprum::less_equal(&sorted.index(s![..-1])?, &sorted.index(s![1..])?)?;
    all_true("ordered", &ordered)
}

fn sort_bytes(o: &Operands) -> Outcome {
    sorted_bytes(o, &cuprum::sort(&o.bytes, -1)?)
}

/// Indices times an odd number, modulo 2^32: in no order, and 2^32 of them are all different.
fn sort_words(o: &Operands) -> Outcome {
    let words = cuprum::empty([o.n], DType::U32)?;
    let part = 1 << 28;
    for start in (0..o.n).step_by(part) {
        let range = s![start as i64..(start + part).min(o.n) as i64];
        let positions = arange(start as i64, (start + part).min(o.n) as i64, 1)?;
        words.set(range, &cuprum::multiply(&positions, 2_654_435_761i64)?.astype(DType::U32)?)?;
    }
    let sum = scalar(&cuprum::sum(&words, ())?)?;
    let sorted = cuprum::sort(&words, -1)?;
    same("sum", scalar(&cuprum::sum(&sorted, ())?)?, sum)?;
    let (left, right) = (sorted.index(s![..-1])?, sorted.index(s![1..])?);
    all_true("ordered", &cuprum::less_equal(&left, &right)?)?;
    let twice = scalar(&cuprum::count_nonzero(&cuprum::equal(&left, &right)?, ())?)?;
    same("equal ones", twice, o.n.saturating_sub(1 << 32) as f64)
}

fn argsort(o: &Operands) -> Outcome {
    let order = cuprum::argsort(&o.bytes, -1)?;
    for v in 0..PERIOD.min(o.n) {
        let (first, last) = (o.below(v), o.below(v + 1) - 1);
        same(format!("first {v}"), value(&order, first)?, v as f64)?;
        same(format!("last {v}"), value(&order, last)?, (v + (last - first) * PERIOD) as f64)?;
    }
    Ok(())
}

fn sort_rows(o: &Operands) -> Outcome {
    let length = 1009.min(o.n);
    let rows = o.n / length;
    let table = o.bytes.index(s![..(rows * length) as i64])?.reshape([rows, length])?;
    let sorted = cuprum::sort(&table, 1)?;
    same("sum", scalar(&cuprum::sum(&sorted, ())?)?, Operands::sum(rows * length))?;
    let ordered = cuprum::less_equal(&sorted.index(s![.., ..-1])?, &sorted.index(s![.., 1..])?)?;
    all_true("ordered", &ordered)
}

fn partition(o: &Operands) -> Outcome {
    let k = o.n - o.n / 4;
    let parted = cuprum::partition(&o.bytes, [k as isize], -1)?;
    let middle = (0..PERIOD).rfind(|&v| o.below(v) <= k).unwrap_or(0);
    same("element", value(&parted, k)?, middle as f64)?;
    let before = cuprum::amax(&parted.index(s![..k as i64])?, ())?;
    all_true("nothing greater before", &cuprum::less_equal(&before, middle as u8)?)?;
    let behind = cuprum::amin(&parted.index(s![k as i64..])?, ())?;
    all_true("nothing less after", &cuprum::greater_equal(&behind, middle as u8)?)
}

fn order_statistics(o: &Operands) -> Outcome {
    let ranked = |k: usize| (0..PERIOD).rfind(|&v| o.below(v) <= k).unwrap_or(0) as f64;
    let median = scalar(&cuprum::median(&o.bytes, ())?)?;
    same("median", median, (ranked((o.n - 1) / 2) + ranked(o.n / 2)) / 2.0)?;
    let highest = cuprum::percentile(&o.bytes, 100.0, ())?;
    same("percentile 100", scalar(&highest)?, ranked(o.n - 1))?;
    let nearest = QuantileOptions::new().method(cuprum::QuantileMethod::Lower);
    let quarter = cuprum::percentile(&o.bytes, 75.0, nearest)?;
    same("percentile 75", scalar(&quarter)?, ranked((o.n - 1) * 3 / 4))
}

fn unique(o: &Operands) -> Outcome {
    let options = UniqueOptions::new().return_index(true).return_inverse(true).return_counts(true);
    let found = cuprum::unique(&o.bytes, options)?;
    same("values", found.values.size() as f64, PERIOD.min(o.n) as f64)?;
    let (Some(index), Some(inverse), Some(counts)) = (found.index, found.inverse, found.counts) else {
        return same("requested results", 0.0, 3.0);
    };
    for v in 0..PERIOD.min(o.n) {
        same(format!("value {v}"), value(&found.values, v)?, v as f64)?;
        same(format!("first {v}"), value(&index, v)?, v as f64)?;
        same(format!("number of {v}"), value(&counts, v)?, o.count(v) as f64)?;
    }
    same_at_samples(o, &inverse, byte)
}

fn isin(o: &Operands) -> Outcome {
    let among = Array::from_slice(&[3u8, 7], [2])?;
    let found = cuprum::isin(&o.bytes, &among, ())?;
    same("number", scalar(&cuprum::count_nonzero(&found, ())?)?, (o.count(3) + o.count(7)) as f64)
}

fn nonzero(o: &Operands) -> Outcome {
    let mask = cuprum::equal(&o.bytes, 7u8)?;
    let found = cuprum::flatnonzero(&mask)?;
    same("number", found.size() as f64, o.count(7) as f64)?;
    let expected = arange(7, o.n as i64, PERIOD as i64)?;
    all_true("positions", &cuprum::equal(&found, &expected)?)?;
    // The number of results is that of the elements, or nearly.
    let found = cuprum::flatnonzero(&o.bytes)?;
    same("number of all but zeros", found.size() as f64, (o.n - o.count(0)) as f64)?;
    same("last", value(&found, found.size() - 1)?, if byte(o.n - 1) == 0.0 { o.n - 2 } else { o.n - 1 } as f64)
}

fn compress(o: &Operands) -> Outcome {
    let mask = cuprum::not_equal(&o.bytes, 0u8)?;
    let kept = cuprum::extract(&mask, &o.bytes)?;
    same("number", kept.size() as f64, (o.n - o.count(0)) as f64)?;
    for i in [0, kept.size() / 2, kept.size() - 1] {
        same(format!("element {i}"), value(&kept, i)?, (i % (PERIOD - 1) + 1) as f64)?;
    }
    Ok(())
}

fn take(o: &Operands) -> Outcome {
    let indices: Vec<i64> = o.sample_indices().into_iter().map(|p| p as i64).collect();
    let taken = cuprum::take(&o.bytes, &Array::from_slice(&indices, [indices.len()])?, ())?;
    for (k, &index) in indices.iter().enumerate() {
        same(format!("element {index}"), value(&taken, k)?, byte(index as usize))?;
    }
    let squares = cuprum::multiply(&arange(0, 256, 1)?, &arange(0, 256, 1)?)?;
    let taken = cuprum::take(&squares, &o.bytes, ())?;
    same_at_samples(o, &taken, |i| byte(i) * byte(i))
}

fn set_at(o: &Operands) -> Outcome {
    // Many indices of few elements: the last of each value is at the last index where it occurs.
    let last = cuprum::zeros([PERIOD], DType::I64)?;
    last.set(s![&o.bytes], &o.bytes)?;
    (0..PERIOD.min(o.n)).try_for_each(|v| same(format!("value {v}"), value(&last, v)?, v as f64))?;
    // Few indices of many elements, twice each.
    let indices: Vec<i64> = o.sample_indices().into_iter().chain(o.sample_indices()).map(|p| p as i64).collect();
    let values: Vec<u8> = (0..indices.len()).map(|k| (k % 251) as u8).collect();
    let (many, half) = (cuprum::zeros([o.n], DType::U8)?, indices.len() / 2);
    many.set(s![&Array::from_slice(&indices, [indices.len()])?], &Array::from_slice(&values, [values.len()])?)?;
    for (k, &index) in indices[half..].iter().enumerate() {
        let later = indices[half..].iter().rposition(|p| *p == index).unwrap_or(k);
        same(format!("element {index}"), value(&many, index as usize)?, f64::from(values[half + later]))?;
    }
    // A mask of all of them.
    many.set(s![cuprum::equal(&o.bytes, 7u8)?], 3)?;
    let set = cuprum::count_nonzero(cuprum::equal(&many, 3u8)?, ())?;
    all_true("under the mask", &cuprum::greater_equal(&set, o.count(7) as i64)?)
}

fn search_long(o: &Operands) -> Outcome {
    let sorted = cuprum::sort(&o.bytes, -1)?;
    let needles = arange(0, PERIOD as i64, 1)?.astype(DType::U8)?;
    let left = cuprum::searchsorted(&sorted, &needles, ())?;
    let right = cuprum::searchsorted(&sorted, &needles, SearchOptions { side: Side::Right, sorter: None })?;
    for v in 0..PERIOD {
        same(format!("left of {v}"), value(&left, v)?, o.below(v) as f64)?;
        same(format!("right of {v}"), value(&right, v)?, o.below(v + 1) as f64)?;
    }
    Ok(())
}

fn search_many(o: &Operands) -> Outcome {
    let sorted = cuprum::multiply(&arange(0, 128, 1)?, 2)?.astype(DType::U8)?;
    let indices = cuprum::searchsorted(&sorted, &o.bytes, ())?;
    same_at_samples(o, &indices, |i| (byte(i) / 2.0).ceil())
}

fn bincount(o: &Operands) -> Outcome {
    let counts = cuprum::bincount(&o.bytes, ())?;
    (0..PERIOD.min(o.n)).try_for_each(|v| same(format!("bin {v}"), value(&counts, v)?, o.count(v) as f64))
}

fn bincount_weights(o: &Operands) -> Outcome {
    let ones = cuprum::ones([o.n], DType::F32)?;
    let sums = cuprum::bincount(&o.bytes, BincountOptions { weights: Some(&ones), minlength: 0 })?;
    (0..PERIOD.min(o.n)).try_for_each(|v| same(format!("bin {v}"), value(&sums, v)?, o.count(v) as f64))
}

fn histogram(o: &Operands) -> Outcome {
    let options = HistogramOptions {
        bins: HistogramBins::Count(PERIOD),
        range: Some((0.0, PERIOD as f64)),
        ..HistogramOptions::default()
    };
    let (counts, _) = cuprum::histogram(&o.bytes, options)?;
    (0..PERIOD.min(o.n)).try_for_each(|v| same(format!("bin {v}"), value(&counts, v)?, o.count(v) as f64))
}

fn correlate(o: &Operands) -> Outcome {
    let weights = Array::from_slice(&[1u16, 10, 100], [3])?;
    let sums = cuprum::correlate(&o.bytes.astype(DType::U16)?, &weights, CorrelateMode::Valid)?;
    for i in o.sample_indices().into_iter().filter(|&i| i + 2 < o.n) {
        same(format!("element {i}"), value(&sums, i)?, byte(i) + 10.0 * byte(i + 1) + 100.0 * byte(i + 2))?;
    }
    Ok(())
}

fn at(o: &Operands) -> Outcome {
    let counts = cuprum::zeros([PERIOD], DType::I64)?;
    cuprum::ufunc("add")?.at(&counts, [&o.bytes], 1)?;
    (0..PERIOD.min(o.n)).try_for_each(|v| same(format!("element {v}"), value(&counts, v)?, o.count(v) as f64))
}

fn matmul(o: &Operands) -> Outcome {
    let rows = o.n / 8;
    let table = o.bytes.index(s![..8 * rows as i64])?.reshape([rows, 8])?.astype(DType::F32)?;
    let product = cuprum::matmul(&table, &cuprum::ones([8, 8], DType::F32)?)?.reshape([8 * rows])?;
    for i in [0, 8 * (rows / 2), 8 * rows - 1] {
        let expected = (0..8).map(|k| byte(i / 8 * 8 + k)).sum();
        same(format!("element {i}"), value(&product, i)?, expected)?;
    }
    Ok(())
}

/// Checks that the permutation contains every number once; descents are half of all, with variance (n + 1) / 12.
fn permuted(o: &Operands) -> Outcome {
    let order = cuprum::random::default_rng(17)?.permutation(o.n as i64)?;
    let pairs = (o.n - 1) as f64;
    let falls = scalar(&cuprum::count_nonzero(&cuprum::less(&order.index(s![1..])?, &order.index(s![..-1])?)?, ())?)?;
    let spread = (falls - pairs / 2.0) / ((pairs + 2.0) / 12.0).sqrt();
    same(format!("falls within five deviations of half of all ({spread})"), (spread.abs() < 5.0).into(), 1.0)?;
    let sorted = cuprum::sort(&order, -1)?;
    drop(order);
    let steps = cuprum::subtract(&sorted.index(s![1..])?, &sorted.index(s![..-1])?)?;
    same("the first in order", value(&sorted, 0)?, 0.0)?;
    same("the steps of 1", scalar(&cuprum::count_nonzero(&cuprum::equal(&steps, 1)?, ())?)?, pairs)
}
