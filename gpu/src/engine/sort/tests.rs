use num_complex::Complex32;

use super::*;

/// Returns pseudorandom words.
fn words(n: usize) -> impl Iterator<Item = u64> {
    let mut state = 1u64;
    (0..n).map(move |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state >> 20
    })
}

fn run(a: &Array, length: usize, sorted: &Array, positions: Option<&Array>, items: u16) -> Result<()> {
    let carried = if positions.is_some() { Carried::Position } else { Carried::Nothing };
    Sorting {
        device: a.device(),
        dtype: a.dtype(),
        rows: a.size() / length,
        length,
        input: a,
        sorted: Some(sorted),
        carried,
        given: None,
        payload: positions,
        parts: None,
    }
    .run(Some(items))
}

#[test]
fn small_tiles_sort_as_well_as_large_ones() -> Result<()> {
    // One to twelve tiles in a row, full and not; keys of one to four digits that differ.
    for (rows, length, mask) in [(1, 3000, !0), (3, 257, !0), (2, 256, 0xff00), (1, 1, !0), (4, 700, 0), (2, 600, 7)] {
        let values: Vec<u32> = words(rows * length).map(|w| w as u32 & mask).collect();
        let a = Array::from_slice(&values, [rows, length])?;
        let (sorted, positions) =
            (crate::empty([rows, length], DType::U32)?, crate::empty([rows, length], DType::I64)?);
        run(&a, length, &sorted, Some(&positions), 1)?;
        let (mut want, mut from) = (vec![], vec![]);
        for row in values.chunks(length) {
            let mut order: Vec<i64> = (0..length as i64).collect();
            order.sort_by_key(|&i| row[i as usize]);
            want.extend(order.iter().map(|&i| row[i as usize]));
            from.extend(order);
        }
        assert_eq!(sorted.to_vec::<u32>()?, want, "{rows} x {length}");
        assert_eq!(positions.to_vec::<i64>()?, from, "{rows} x {length}");
        // In place, where an odd number of passes ends in the wrong buffer.
        run(&a, length, &a, None, 1)?;
        assert_eq!(a.to_vec::<u32>()?, want, "{rows} x {length} in place");
    }
    Ok(())
}

/// Sorts a row by its leading digits, with positions, without the elements, in place and alone; the standard library's
/// stable sort is the same in all of these.
fn check_leading<T: crate::Element + Copy>(values: &[T], key: impl Fn(T) -> u64, name: &str) -> Result<()> {
    let (n, a) = (values.len(), Array::from_slice(values, [values.len()])?);
    let mut from: Vec<i64> = (0..n as i64).collect();
    from.sort_by_key(|&i| key(values[i as usize]));
    let want: Vec<T> = from.iter().map(|&i| values[i as usize]).collect();
    let bytes = |a: &Array| a.view(DType::U8)?.to_vec::<u8>();
    let want = bytes(&Array::from_slice(&want, [n])?)?;
    let (sorted, positions) = (crate::empty([n], T::DTYPE)?, crate::empty([n], DType::I64)?);
    let payload = Array::from_slice(&(0..n as u32).map(|i| i ^ 5).collect::<Vec<_>>(), [n])?;
    let carrying = crate::empty([n], DType::U32)?;
    let sorting = Sorting {
        device: a.device(),
        dtype: a.dtype(),
        rows: 1,
        length: n,
        input: &a,
        sorted: Some(&sorted),
        carried: Carried::Position,
        given: None,
        payload: Some(&positions),
        parts: None,
    };
    sorting.in_passes_by(None, true)?;
    assert!(bytes(&sorted)? == want && positions.to_vec::<i64>()? == from, "{name}: pairs");
    positions.fill(0)?;
    Sorting { sorted: None, ..sorting }.in_passes_by(None, true)?;
    assert!(positions.to_vec::<i64>()? == from, "{name}: positions");
    let given = Sorting { carried: Carried::Given32, given: Some(&payload), payload: Some(&carrying), ..sorting };
    given.in_passes_by(None, true)?;
    let carried: Vec<i64> = carrying.to_vec::<u32>()?.into_iter().map(|i| i64::from(i ^ 5)).collect();
    assert!(bytes(&sorted)? == want && carried == from, "{name}: payload");
    let alone = Sorting { carried: Carried::Nothing, payload: None, ..sorting };
    sorted.fill(0)?;
    alone.in_passes_by(None, true)?;
    assert!(bytes(&sorted)? == want, "{name}: alone");
    Sorting { sorted: Some(&a), ..alone }.in_passes_by(None, true)?;
    assert!(bytes(&a)? == want, "{name}: in place");
    Ok(())
}

#[test]
fn rows_are_sorted_by_leading_digits() -> Result<()> {
    const N: usize = 20_000;
    let random = |n: usize| words(n).map(|w| w.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let all: Vec<u64> = random(N).collect();
    check_leading(&all, |x| x, "distinct in three digits")?;
    check_leading(&all[..9000], |x| x, "fewer elements")?;
    // Runs of two, of some ten, of some hundred and of several thousand elements, which differ in the last digit alone.
    for (runs, name) in [(1 << 20, "short runs"), (1 << 11, "runs of ten"), (1 << 7, "listed runs"), (3, "long runs")] {
        let values: Vec<u64> =
            all.iter().map(|x| ((x >> 40) % runs).wrapping_mul(0x9e37_79b9_7f4a_7c00) | x & 0xff).collect();
        check_leading(&values, |x| x, name)?;
    }
    // One run among distinct keys: of any length, and with a first element that is greater than the next one.
    let rare = |length: usize| {
        all.iter().enumerate().map(move |(i, x)| match i / 7 {
            0 if i == 3 => 1 << 60 | 0xff,
            k if i % 7 == 3 && k < length => 1 << 60 | x & 0x7f,
            _ => *x,
        })
    };
    for length in [10, 33, 100, 2048, 2049, 2800] {
        check_leading(&rare(length).collect::<Vec<_>>(), |x| x, "one run")?;
    }
    // Few distinct keys, sorted and constant ones, and digits that are equal in all elements.
    check_leading(&all.iter().map(|x| (x % 50).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect::<Vec<_>>(), |x| x, "few")?;
    check_leading(&(0..N as u64).collect::<Vec<_>>(), |x| x, "in order")?;
    check_leading(&vec![7u64; N], |x| x, "constant")?;
    check_leading(&all.iter().map(|x| x & 0xff_ffff_ff00_ff00).collect::<Vec<_>>(), |x| x, "constant digits")?;
    let signed = |x: i64| x as u64 ^ 1 << 63;
    check_leading(&all.iter().map(|&x| x as i64).collect::<Vec<_>>(), signed, "int64")?;
    // Zeros of both signs and NaNs of other bit patterns are equal, and keep their order.
    let floats: Vec<f64> = all
        .iter()
        .map(|x| if x % 9 == 0 { [0.0, -0.0, f64::NAN, -f64::NAN][(x >> 8) as usize % 4] } else { f64::from_bits(*x) })
        .collect();
    let key = |x: f64| match x.to_bits() {
        _ if x.is_nan() => !0,
        _ if x == 0.0 => 1 << 63,
        bits if bits >> 63 == 1 => !bits,
        bits => bits | 1 << 63,
    };
    check_leading(&floats, key, "float64")?;
    let complex: Vec<num_complex::Complex64> =
        all.iter().map(|&x| num_complex::Complex64::new((x >> 20) as f64, (x & 0xff) as f64)).collect();
    check_leading(&complex, |z| (z.re as u64) << 8 | z.im as u64, "complex128")
}

/// Rows of every length that a warp holds, with numbers of rows that do not fill a warp; among the elements both zeros,
/// infinities and NaNs of several bit patterns, which a stable sort moves as they are.
#[test]
fn short_rows_are_sorted_in_numpy_s_order() -> Result<()> {
    fn check<T: crate::Element + Copy>(element: impl Fn(u64) -> T, key: impl Fn(T) -> u64) -> Result<()> {
        for length in (1..=20).chain([31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256]) {
            let rows = [1, 3, 7, 40][length % 4];
            let values: Vec<T> = words(rows * length).map(&element).collect();
            let a = Array::from_slice(&values, [rows, length])?;
            let (sorted, positions) =
                (crate::empty([rows, length], T::DTYPE)?, crate::empty([rows, length], DType::I64)?);
            sort_rows(&a, length, Some(&sorted), Some(&positions))?;
            sort_rows(&a, length, Some(&a), None)?;
            let (mut want, mut from) = (vec![], vec![]);
            for row in values.chunks(length) {
                let mut order: Vec<i64> = (0..length as i64).collect();
                order.sort_by_key(|&i| key(row[i as usize]));
                want.extend(order.iter().map(|&i| row[i as usize]));
                from.extend(order);
            }
            let bytes = |a: &Array| a.view(DType::U8)?.to_vec::<u8>();
            let want = bytes(&Array::from_slice(&want, [rows, length])?)?;
            assert!(bytes(&sorted)? == want && bytes(&a)? == want, "{} {rows} x {length}", T::DTYPE);
            assert_eq!(positions.to_vec::<i64>()?, from, "{} {rows} x {length}", T::DTYPE);
        }
        Ok(())
    }
    fn float(bits: u64, half: u32, infinity: u64) -> u64 {
        let sign = 1u64 << (half - 1);
        match bits & (sign - 1) {
            m if m > infinity => !0 >> (64 - half),
            0 => sign,
            _ if bits & sign != 0 => !bits & (!0 >> (64 - half)),
            _ => bits | sign,
        }
    }
    let special = [0x8000_0000u32, 0, 0x7f80_0000, 0xff80_0000, 0x7fff_ffff, 0x7fc0_0001, 0xffc0_0000];
    let some = |w: u64| if w % 8 < 7 && w & 0x300 == 0 { special[(w % 8) as usize] } else { (w as u32).rotate_left(7) };
    let of = |x: f32| float(x.to_bits().into(), 32, 0x7f80_0000);
    check(|w| f32::from_bits(some(w)), of)?;
    check(|w| (w % 9) as f32 - 4.0, of)?;
    check(
        |w| Complex32::new(f32::from_bits((w as u32 & 0xfff) << 20), (w >> 12) as f32),
        |z| {
            let (re, im) = (of(z.re), of(z.im));
            match (z.re.is_nan(), z.im.is_nan()) {
                (false, false) => re << 32 | im,
                (false, true) => 0xff80_0001 << 32 | re,
                (true, false) => 0xff80_0002 << 32 | im,
                (true, true) => !0,
            }
        },
    )?;
    check(|w| f64::from_bits(u64::from(some(w)) << 32 | w & 3), |x| float(x.to_bits(), 64, 0x7ff0 << 48))?;
    check(|w| half::f16::from_bits((some(w) >> 16) as u16), |x| float(x.to_bits().into(), 16, 0x7c00))?;
    check(|w| w as i8, |x| (i64::from(x) + 128) as u64)?;
    check(|w| w as u16 % 300, u64::from)?;
    check(|w| w as i32, |x| (i64::from(x) + (1 << 31)) as u64)?;
    check(|w| w << 24, |x| x)?;
    check(|w| ((w << 30) as i64) >> 3, |x| (x as u64) ^ 1 << 63)?;
    check(|w| w % 3 == 0, u64::from)
}

#[test]
fn pairs_of_equal_keys_keep_their_order() -> Result<()> {
    let keys: Vec<i32> = words(9000).map(|w| (w % 5) as i32 - 2).collect();
    let payload: Vec<u32> = (0..9000).collect();
    let (k, p) = (Array::from_slice(&keys, [9000])?, Array::from_slice(&payload, [9000])?);
    let (sorted, carried) = sort_pairs(&k, &p)?;
    let mut want: Vec<(i32, u32)> = keys.into_iter().zip(payload).collect();
    want.sort_by_key(|x| x.0);
    assert_eq!(sorted.to_vec::<i32>()?, want.iter().map(|x| x.0).collect::<Vec<_>>());
    assert_eq!(carried.to_vec::<u32>()?, want.iter().map(|x| x.1).collect::<Vec<_>>());
    let (_, carried) = sort_pairs(&k, &p.astype(DType::U64)?)?;
    assert_eq!(carried.to_vec::<u64>()?, want.iter().map(|x| x.1.into()).collect::<Vec<u64>>());
    Ok(())
}

#[test]
fn selection_finds_what_sorting_does() -> Result<()> {
    const N: usize = 5000;
    let ranks = [0, 1, 2, 2499, 2500, N - 1];
    fn check<T: crate::Element + Copy + PartialEq + std::fmt::Debug>(
        values: Vec<T>,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
        ranks: &[usize],
    ) -> Result<()> {
        let a = Array::from_slice(&values, [2, N / 2])?;
        let mut sorted = values;
        sorted.chunks_mut(N / 2).for_each(|row| row.sort_by(&order));
        let ranks: Vec<usize> = ranks.iter().map(|r| r / 2).collect();
        let want: Vec<T> =
            (0..2).flat_map(|row| ranks.iter().map(move |r| row * N / 2 + r)).map(|i| sorted[i]).collect();
        assert_eq!(pick_ranks(&a, N / 2, &ranks)?.to_vec::<T>()?, want);
        Ok(())
    }
    check(words(N).map(|w| w as i64).collect(), i64::cmp, &ranks)?;
    check(words(N).map(|w| w as u8).collect(), u8::cmp, &ranks)?;
    check(words(N).map(|w| (w as i16) % 7).collect(), i16::cmp, &ranks)?;
    check(words(N).map(|w| (w % 1000) as f32 - 500.5).collect(), f32::total_cmp, &ranks)?;
    check(vec![-2.5f64; N], f64::total_cmp, &ranks)
}

#[test]
fn a_narrowed_row_has_the_same_elements_at_its_ranks() -> Result<()> {
    fn check<T: crate::Element + Copy + PartialEq + std::fmt::Debug>(
        values: Vec<T>,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) -> Result<()> {
        let (n, a) = (values.len(), Array::from_slice(&values, [values.len()])?);
        let mut sorted = values;
        sorted.sort_by(&order);
        for ranks in [vec![0, 1, n / 2, n / 2 + 1, n * 2 / 3, n - 2, n - 1], vec![n / 10], vec![5, n / 5 * 4]] {
            let want: Vec<T> = ranks.iter().map(|&i| sorted[i]).collect();
            assert_eq!(ranks::pick_ranks_by(&a, n, &ranks, true)?.to_vec::<T>()?, want, "{} {ranks:?}", T::DTYPE);
        }
        Ok(())
    }
    const N: usize = 70_001;
    check(words(N).map(|w| w as u32).collect(), u32::cmp)?;
    check(words(N).map(|w| w as i64 * if w % 2 == 0 { 1 } else { -1 }).collect(), i64::cmp)?;
    check(words(N).map(|w| w as f32 - 8e12).collect(), f32::total_cmp)?;
    check(words(N).map(|w| f64::from(w as u32).sqrt()).collect(), f64::total_cmp)?;
    // Many equal elements, at the ends of a bracket and between them; all of them equal; and a few of another dtype.
    check(words(N).map(|w| w as i16 % 7).collect(), i16::cmp)?;
    check(words(N).map(|w| w as u8).collect(), u8::cmp)?;
    check(vec![-2.5f32; N], f32::total_cmp)?;
    check(words(N).map(|w| if w % 1000 == 0 { f32::INFINITY } else { 1.0 }).collect(), f32::total_cmp)?;
    // Sorted already, in either direction.
    check((0..N as i32).collect(), i32::cmp)?;
    check((0..N as i32).rev().collect(), i32::cmp)
}

#[test]
fn a_sample_that_misleads_costs_time_alone() -> Result<()> {
    // The elements of the sample, at positions that the kernel chooses, are all 0: no rank is in its bracket.
    const N: usize = 100_000;
    let probe = Array::from_slice(&(0..N as u32).collect::<Vec<_>>(), [N])?;
    let samples = tile(DType::U32);
    let mut values: Vec<u32> = (0..N as u32).rev().map(|i| i + 1).collect();
    let sampled = ranks::sample_of(&probe, DevicePtr::of(&probe), N, samples)?.to_vec::<u32>()?;
    sampled.iter().for_each(|&at| values[at as usize] = 0);
    let mut positions = sampled.clone();
    positions.dedup();
    assert_eq!(positions.len(), samples, "no element is taken twice");
    let a = Array::from_slice(&values, [N])?;
    values.sort();
    for ranks in [vec![0, 3], vec![samples - 1, samples, N / 2, N - 1]] {
        let want: Vec<u32> = ranks.iter().map(|&i| values[i]).collect();
        assert_eq!(ranks::pick_ranks_by(&a, N, &ranks, true)?.to_vec::<u32>()?, want, "{ranks:?}");
    }
    Ok(())
}

#[test]
fn brackets_rise_and_have_their_ranks() {
    for (n, samples) in [(10_000, 8192), (1 << 28, 8192), (1 << 31, 4096)] {
        for ranks in [vec![0, n - 1], vec![n / 2, n / 2 + 1, n - 1], vec![1, n / 9, n / 8, n / 2], vec![n / 3]] {
            let b = ranks::Brackets::new(&ranks, n, samples);
            for k in 0..b.count {
                assert!(b.lows[k] <= b.highs[k] && (k == 0 || b.lows[k] > b.highs[k - 1] + 1), "{b:?}");
            }
            for (k, rank) in ranks.iter().enumerate() {
                let (bracket, position) = (b.of[k] as usize, (rank * samples / n) as u32);
                assert!(bracket < b.count && b.lows[bracket] <= position && position <= b.highs[bracket], "{b:?}");
            }
        }
    }
}

#[test]
fn a_block_holds_whole_rows_and_no_more_than_its_memory() {
    for item in [1, 2, 4, 8, 16] {
        for rows in [1, 2, 100, 1 << 20] {
            for length in [1, 2, 3, 31, 256, 511, 512, 513, 2048, 2049, 4096, 8192, 8193] {
                let Some(s) = BlockShape::of(item, rows, length) else {
                    assert!(length * item > 32 << 10 || length > 8192, "{item} {rows} {length}");
                    continue;
                };
                assert!(s.rows >= 1 && s.rows <= rows.min(256) && s.rows * length <= s.threads * s.items, "{s:?}");
                assert!(s.threads * s.items * item <= 32 << 10, "{s:?}");
            }
        }
    }
}

#[test]
fn two_tiles_and_their_counters_fit_in_shared_memory() {
    for item in [1, 2, 4, 8, 16] {
        for payload in [0, 4, 8] {
            let (threads, items) = passes::shape_of(item, payload);
            let block = threads * items as usize * (item + payload) + passes::counters_of(threads);
            assert!(2 * block <= 164 << 10, "{item} {payload}: {block}");
            assert!(threads * (item + payload) + passes::counters_of(threads) <= 48 << 10);
        }
    }
}

/// Returns the positions and differences of a table's rows by the standard library's sort.
fn sorted_rows<T>(values: &[T], m: usize, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> (Vec<i64>, Vec<bool>) {
    let row = |i: i64| &values[i as usize * m..][..m];
    let compared = |i: i64, j: i64| row(i).iter().zip(row(j)).map(|(x, y)| order(x, y)).find(|o| o.is_ne());
    let mut positions: Vec<i64> = (0..(values.len() / m) as i64).collect();
    positions.sort_by(|&i, &j| compared(i, j).unwrap_or(std::cmp::Ordering::Equal));
    let differs = (0..positions.len()).map(|k| k == 0 || compared(positions[k - 1], positions[k]).is_some()).collect();
    (positions, differs)
}

#[test]
fn tables_are_sorted_by_rows() -> Result<()> {
    fn check<T: crate::Element + std::fmt::Debug>(
        values: &[T],
        m: usize,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) -> Result<()> {
        let n = values.len() / m;
        let sorted = SortedTable::of(&Array::from_slice(values, [n, m])?)?;
        let (positions, differs) = sorted_rows(values, m, order);
        assert_eq!(sorted.order.to_vec::<i64>()?, positions, "{n} x {m} of {}", T::DTYPE);
        assert_eq!(sorted.differs()?.to_vec::<bool>()?, differs, "{n} x {m} of {}", T::DTYPE);
        Ok(())
    }
    // One row and many; tiles of one part, full and not, and several; parts of several blocks; levels of ranks;
    // columns.
    let shapes =
        [(1, 1), (1, 200), (2, 4500), (3, 64), (7, 65), (1024, 3), (1025, 5), (3000, 3), (5000, 2), (1500, 130)];
    for (n, m) in shapes {
        for modulus in [1, 2, 1000] {
            let values: Vec<i64> = words(n * m).map(|w| (w % modulus) as i64 - 1).collect();
            check(&values, m, i64::cmp)?;
        }
    }
    // Rows that differ only in their last elements.
    let late: Vec<u16> =
        words(90 * 300).enumerate().map(|(i, w)| if i % 300 < 299 { 7 } else { w as u16 % 40 }).collect();
    check(&late, 300, u16::cmp)?;
    check(&words(2100 * 16).map(|w| w as u8 % 2).collect::<Vec<_>>(), 16, u8::cmp)?;
    let floats: Vec<f32> = words(1100 * 6).map(|w| [-1.0, 0.0, -0.0, f32::NAN][w as usize % 4]).collect();
    let rank = |x: &f32| if x.is_nan() { 2 } else { *x as i32 };
    check(&floats, 6, |x, y| rank(x).cmp(&rank(y)))?;
    let complex: Vec<Complex32> = words(50 * 3).map(|w| Complex32::new((w % 2) as f32, (w / 2 % 2) as f32)).collect();
    check(&complex, 3, |x, y| (x.re as i32, x.im as i32).cmp(&(y.re as i32, y.im as i32)))
}
