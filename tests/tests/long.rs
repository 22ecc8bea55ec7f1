//! Tests of the paths for many elements, by the public functions: selection by radix and partition, search by an index
//! table, `at` in shared memory or with partial sums, merged histogram counts, and integer products by digits. The
//! expected values are computed on the host.

use cuprum::{Array, BincountOptions, DType, HistogramOptions, PointOptions, Result, s, ufunc};

/// Pseudorandom words.
fn words(n: usize) -> impl Iterator<Item = u64> {
    let mut state = 1u64;
    (0..n).map(move |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state >> 20
    })
}

/// Panics unless the elements at these positions are those of the sorted row, and the others are on the correct sides.
fn check_partition(parted: &[f32], sorted: &[f32], kth: &[usize]) {
    for &k in kth {
        assert_eq!(parted[k], sorted[k], "at {k}");
        assert!(parted[..k].iter().all(|x| *x <= sorted[k]), "before {k}");
        assert!(parted[k..].iter().all(|x| *x >= sorted[k]), "after {k}");
    }
    let mut again = parted.to_vec();
    again.sort_by(f32::total_cmp);
    assert!(again.iter().zip(sorted).all(|(x, y)| x.to_bits() == y.to_bits()), "the same elements");
}

#[test]
fn long_rows_are_partitioned() -> Result<()> {
    const N: usize = (1 << 20) + 77;
    let values: Vec<f32> = words(N).map(|w| (w as u32 >> 12) as f32 - 5e5).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f32::total_cmp);
    let a = Array::from_slice(&values, [N])?;
    for (kth, positions) in [(vec![5isize], vec![5]), (vec![-3, 1000, N as isize / 2], vec![1000, N / 2, N - 3])] {
        let parted = cuprum::partition(&a, &kth, ())?.to_vec::<f32>()?;
        check_partition(&parted, &sorted, &positions);
        let from = cuprum::argpartition(&a, &kth, ())?.to_vec::<i64>()?;
        assert!(from.iter().zip(&parted).all(|(&i, x)| values[i as usize] == *x), "the positions are theirs");
        // Elements between two positions keep their order.
        let ends = [&[0][..], &positions, &[N]].concat();
        for part in ends.windows(2) {
            let inner = &from[part[0]..part[1]];
            let ties = |i: &&i64| positions.iter().all(|&k| values[**i as usize] != sorted[k]);
            assert!(inner.iter().filter(ties).is_sorted(), "{part:?}");
        }
    }
    let own = a.copy(cuprum::Order::C)?;
    own.partition([N as isize / 3], 0)?;
    check_partition(&own.to_vec::<f32>()?, &sorted, &[N / 3]);
    // Columns, in place, of an array that is not contiguous by rows.
    let table = a.index(s![..N as i64 - 1])?.reshape([N / 2, 2])?;
    let long = cuprum::concatenate([&table, &table, &table], 0)?;
    let want: Vec<Vec<f32>> = (0..2)
        .map(|c| {
            let mut column: Vec<f32> = (0..3 * (N / 2)).map(|i| values[i % (N / 2) * 2 + c]).collect();
            column.sort_by(f32::total_cmp);
            column
        })
        .collect();
    long.partition([100], 0)?;
    for (c, sorted) in want.iter().enumerate() {
        check_partition(&long.index(s![.., c as i64])?.to_vec::<f32>()?, sorted, &[100]);
    }
    Ok(())
}

#[test]
fn elements_of_eight_bytes_are_partitioned() -> Result<()> {
    const N: usize = 1 << 20;
    let values: Vec<i64> = words(N).map(|w| w as i64 % 1_000_003 - 500_000).collect();
    let mut sorted = values.clone();
    sorted.sort();
    let parted = cuprum::partition(Array::from_slice(&values, [N])?, [N as isize / 3], ())?.to_vec::<i64>()?;
    assert_eq!(parted[N / 3], sorted[N / 3]);
    assert!(parted[..N / 3].iter().max() <= parted[N / 3..].iter().min());
    Ok(())
}

#[test]
fn long_rows_have_their_percentiles() -> Result<()> {
    const N: usize = (1 << 22) + 5;
    let values: Vec<f32> = words(N).map(|w| (w as u32) as f32 / 7.0).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f32::total_cmp);
    let a = Array::from_slice(&values, [N])?;
    let lower = cuprum::QuantileOptions::new().method(cuprum::QuantileMethod::Lower);
    let found = cuprum::quantile(&a, [0.0, 0.37, 0.5, 0.9999, 1.0], lower)?.to_vec::<f32>()?;
    let want = [0.0, 0.37, 0.5, 0.9999, 1.0].map(|q: f64| sorted[(q * (N - 1) as f64).floor() as usize]);
    assert_eq!(found, want);
    Ok(())
}

#[test]
fn many_needles_are_searched_by_a_ladder() -> Result<()> {
    const NEEDLES: usize = 1 << 18;
    for values in [8191usize, 8192, 70_001, 300_000] {
        // Each value several times, and keys at, between and beyond them.
        let sorted: Vec<f32> = (0..values).map(|i| (i / 3) as f32).collect();
        let needles: Vec<f32> = words(NEEDLES).map(|w| (w % (2 * values as u64)) as f32 / 5.0 - 2.0).collect();
        let (v, x) = (Array::from_slice(&sorted, [values])?, Array::from_slice(&needles, [NEEDLES])?);
        for right in [false, true] {
            let side = if right { cuprum::Side::Right } else { cuprum::Side::Left };
            let want: Vec<i64> =
                needles.iter().map(|x| sorted.partition_point(|v| v < x || right && v == x) as i64).collect();
            assert!(cuprum::searchsorted(&v, &x, side)?.to_vec::<i64>()? == want, "{values} {right}");
        }
    }
    Ok(())
}

/// A bit table is used for 9,000 integers 100 apart, and an index table if they are further apart or floats.
#[test]
fn many_needles_are_looked_for() -> Result<()> {
    for (apart, dtype) in [(100, DType::I32), (100, DType::U64), (1000, DType::I32), (100, DType::F32)] {
        let values = cuprum::multiply(&cuprum::arange(0, 9000, 1)?, apart)?;
        let needles: Vec<i64> = words(1 << 18).map(|w| (w % (9100 * apart as u64)) as i64 / 50 * 50).collect();
        let want: Vec<bool> = needles.iter().map(|x| x % apart == 0 && *x < 9000 * apart).collect();
        let x = Array::from_vec(needles)?;
        // The values in descending order.
        let among = cuprum::flip(&values, ())?.astype(dtype)?;
        let found = cuprum::isin(&x.astype(dtype)?, &among, ())?;
        assert!(found.to_vec::<bool>()? == want, "{apart} {dtype}");
    }
    Ok(())
}

#[test]
fn many_results_are_correlated() -> Result<()> {
    const N: usize = (1 << 18) + 77;
    let long: Vec<i64> = words(N).map(|w| (w % 7) as i64).collect();
    let short: Vec<i64> = words(261).map(|w| (w % 5) as i64 - 2).collect();
    let (a, v) = (Array::from_slice(&long, [N])?, Array::from_slice(&short, [261])?);
    for dtype in [DType::I32, DType::F32, DType::F64, DType::C64] {
        // Sums of small numbers are exact. Both arrays are reversed: a stride may be negative.
        let (a, v) = (cuprum::flip(&a.astype(dtype)?, ())?, cuprum::flip(&v.astype(dtype)?, ())?);
        let found = cuprum::correlate(&a, &v, cuprum::CorrelateMode::Same)?;
        let found = cuprum::flip(&found, ())?.astype(DType::I64)?.to_vec::<i64>()?;
        for at in (0..600).chain((600..N - 600).step_by(1009)).chain(N - 600..N) {
            let pairs = short.iter().enumerate().filter_map(|(j, v)| Some(v * long.get((at + j).checked_sub(130)?)?));
            assert_eq!(found[at], pairs.sum::<i64>(), "{dtype} {at}");
        }
    }
    Ok(())
}

#[test]
fn many_floats_are_added_to_few_elements() -> Result<()> {
    const N: usize = (1 << 20) + 3;
    let at: Vec<i32> = words(N).map(|w| (w % 900) as i32 - 450).collect();
    // Sums that float64 represents and float32 does not.
    let added: Vec<f32> = words(N).map(|w| (w % 4096) as f32 * 0.25).collect();
    let mut want = vec![0.0f64; 1000];
    for (&i, &x) in at.iter().zip(&added) {
        want[if i < 0 { (i + 1000) as usize } else { i as usize }] += f64::from(x);
    }
    let (indices, operand) = (Array::from_slice(&at, [N])?, Array::from_slice(&added, [N])?);
    let a = cuprum::full([1000], -0.0, DType::F32)?;
    ufunc("add")?.at(&a, [&indices], &operand)?;
    let found = a.to_vec::<f32>()?;
    let want: Vec<f32> = want.into_iter().map(|x| x as f32).collect();
    assert_eq!(found, want);
    // An element without additions is unchanged.
    assert!(found[500].is_sign_negative() && found[500] == 0.0);
    // Nothing is changed if an index is out of bounds.
    let wrong = cuprum::where_(cuprum::equal(&indices, 3)?, 1000, &indices)?;
    let untouched = cuprum::zeros([1000], DType::F32)?;
    let result = ufunc("add")?.at(&untouched, [&wrong], &operand).and_then(|()| untouched.to_vec::<f32>().map(|_| ()));
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Index);
    assert!(untouched.to_vec::<f32>()?.iter().all(|x| *x == 0.0));
    Ok(())
}

#[test]
fn integers_are_changed_in_shared_memory() -> Result<()> {
    const N: usize = 50_003;
    fn check<T: cuprum::Element + Copy + PartialEq + std::fmt::Debug>(
        targets: usize,
        value: impl Fn(u64) -> T,
        name: &str,
        step: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let at: Vec<i64> = words(N).map(|w| (w % targets as u64) as i64).collect();
        let operand: Vec<T> = words(N).map(|w| value(w >> 7)).collect();
        let mut want: Vec<T> = (0..targets as u64).map(&value).collect();
        let a = Array::from_slice(&want, [targets])?;
        at.iter().zip(&operand).for_each(|(&i, &x)| want[i as usize] = step(want[i as usize], x));
        ufunc(name)?.at(&a, [&Array::from_slice(&at, [N])?], &Array::from_slice(&operand, [N])?)?;
        assert_eq!(a.to_vec::<T>()?, want, "{name} of {} to {targets}", T::DTYPE);
        Ok(())
    }
    for targets in [1, 3, 100, 4096] {
        check(targets, |w| w as i32, "add", i32::wrapping_add)?;
        check(targets, |w| w as i64 - (1 << 40), "maximum", i64::max)?;
        check(targets, |w| w as i32, "minimum", i32::min)?;
        check(targets, |w| w as u32, "maximum", u32::max)?;
        check(targets, |w| w, "minimum", u64::min)?;
        check(targets, |w| w as u32 | 0xffff_0000, "bitwise_and", |a, b| a & b)?;
        check(targets, |w| w, "bitwise_xor", |a, b| a ^ b)?;
    }
    Ok(())
}

#[test]
fn elements_beside_edges_are_in_numpy_s_bins() -> Result<()> {
    // Bin edges of NumPy's `histogram` in float32, for ranges between which the edges are rounded in every way.
    for (first, last, bins) in [(0.1f32, 0.9f32, 300usize), (-1e3, 7.0, 1000), (1e6, 1e6 + 300.0, 256), (0.0, 1e-3, 7)]
    {
        let length = last - first;
        let step = length / bins as f32;
        let edges: Vec<f32> = (0..bins).map(|i| i as f32 * step + first).chain([last]).collect();
        let mut values: Vec<f32> =
            words(20_000).map(|w| first + length * (w as u32 as f32 / u32::MAX as f32)).collect();
        values.extend(edges.iter().flat_map(|&e| [e.next_down(), e, e.next_up()]));
        values.retain(|x| (first..=last).contains(x));
        let mut want = vec![0i64; bins];
        for &x in &values {
            let mut i = ((x - first) / length * bins as f32) as usize;
            i = i.min(bins - 1);
            if x < edges[i] {
                i -= 1;
            } else if i + 1 < bins && x >= edges[i + 1] {
                i += 1;
            }
            want[i] += 1;
        }
        let a = Array::from_slice(&values, [values.len()])?;
        assert_eq!(cuprum::histogram(&a, bins)?.0.to_vec::<i64>()?, want, "{first} {last} {bins}");
        let given = HistogramOptions { range: Some((first.into(), last.into())), ..HistogramOptions::from(bins) };
        let all = cuprum::histogram(&a, given)?.0;
        assert_eq!(all.to_vec::<i64>()?.iter().sum::<i64>(), values.len() as i64);
    }
    Ok(())
}

/// Counts of many blocks are merged at the end: points on edges and next to them, in few and many bins, and integers.
#[test]
fn counts_of_many_blocks_are_put_together() -> Result<()> {
    const N: usize = 70_001;
    for bins in [[10usize, 7], [100, 80]] {
        let edges = bins.map(|n| {
            let step = (0.9 - 0.1) / n as f64;
            (0..n).map(|i| i as f64 * step + 0.1).chain([0.9]).collect::<Vec<f64>>()
        });
        let near = |edges: &[f64], w: u64| match w % 5 {
            0 => (edges[(w >> 8) as usize % edges.len()] as f32).next_down(),
            1 => edges[(w >> 8) as usize % edges.len()] as f32,
            2 => (edges[(w >> 8) as usize % edges.len()] as f32).next_up(),
            _ => (w >> 8) as u32 as f32 / u32::MAX as f32,
        };
        let x: Vec<f32> = words(N).map(|w| near(&edges[0], w)).collect();
        let y: Vec<f32> = words(2 * N).skip(N).map(|w| near(&edges[1], w)).collect();
        let bin = |edges: &[f64], v: f32| {
            let inside = (0.1..=0.9).contains(&f64::from(v));
            inside.then(|| edges.partition_point(|&e| e <= f64::from(v)).min(edges.len() - 1) - 1)
        };
        let mut want = vec![0f64; bins[0] * bins[1]];
        for (&x, &y) in x.iter().zip(&y) {
            if let (Some(i), Some(j)) = (bin(&edges[0], x), bin(&edges[1], y)) {
                want[i * bins[1] + j] += 1.0;
            }
        }
        let options = PointOptions {
            bins: bins.map(Into::into).to_vec(),
            range: vec![Some((0.1, 0.9)); 2],
            ..PointOptions::default()
        };
        let (x, y) = (Array::from_slice(&x, [N])?, Array::from_slice(&y, [N])?);
        assert_eq!(cuprum::histogram2d(&x, &y, options)?.0.to_vec::<f64>()?, want, "{bins:?}");
    }
    let numbers: Vec<i32> = words(600_000).map(|w| (w % 9001) as i32).collect();
    let mut want = vec![0i64; 9001];
    numbers.iter().for_each(|&i| want[i as usize] += 1);
    let options = BincountOptions { minlength: 9001, ..BincountOptions::default() };
    assert_eq!(cuprum::bincount(Array::from_slice(&numbers, [numbers.len()])?, options)?.to_vec::<i64>()?, want);
    Ok(())
}

/// Rows and columns of one repeated number each, of any sign and with every bit set, large enough for multiplication by
/// digits on any device.
#[test]
fn products_of_integers_wrap_as_their_digits_do() -> Result<()> {
    const K: u64 = 1024;
    fn check<T: cuprum::Element + Copy + PartialEq + std::fmt::Debug>(of: fn(u64) -> T, zero: T) -> Result<()> {
        let numbers =
            [0, 1, 127, 128, 255, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 1 << 63, u64::MAX, 0x8080_8080_8080_8080];
        let of_line = |i: usize| numbers[i % numbers.len()].wrapping_add((i / 300) as u64);
        let lines: Vec<T> = (0..512).map(|i| of(of_line(i))).collect();
        let a = cuprum::broadcast_to(Array::from_slice(&lines, [512, 1])?, [512, K as usize])?;
        let product = cuprum::matmul(&a, a.t())?.to_vec::<T>()?;
        assert!(product.iter().any(|x| *x != zero));
        for (at, x) in product.into_iter().enumerate() {
            let (i, j) = (at / 512, at % 512);
            assert_eq!(x, of(K.wrapping_mul(of_line(i).wrapping_mul(of_line(j)))), "{} at {i}, {j}", T::DTYPE);
        }
        Ok(())
    }
    check(|w| w as u16, 0)?;
    check(|w| w as i32, 0)?;
    check(|w| w as i64, 0)?;
    check(|w| w, 0)
}

/// All digits are -128, with a sum that exceeds 32 bits unless it is split.
#[test]
fn long_sums_of_digits_are_cut() -> Result<()> {
    const K: usize = 16_400;
    let x = 0x8080_8080_8080_8080u64.wrapping_neg() as i64;
    let a = cuprum::full([256, K], x, ())?;
    let b = cuprum::full([K, 64], x, ())?;
    b.set(s![-1], cuprum::arange(0, 64, 1)?)?;
    let product = cuprum::matmul(&a, &b)?.to_vec::<i64>()?;
    for (at, sum) in product.into_iter().enumerate() {
        let last = (at % 64) as i64;
        assert_eq!(sum, x.wrapping_mul(x).wrapping_mul(K as i64 - 1).wrapping_add(x.wrapping_mul(last)), "at {at}");
    }
    Ok(())
}
