//! Sorts of rows with presorted runs, and of elements that compare equal but differ in bits.

use cuprum::{Array, DType, MedianOptions, QuantileMethod, QuantileOptions, Result, SetOptions, UniqueOptions, s};

/// Lengths that fill a warp, a block, a tile of a pass or several, and lengths that do not.
const LENGTHS: [usize; 8] = [1, 32, 33, 512, 513, 2048, 8192, 11_000];

/// Returns the stable order of float32 values, NaN last.
fn stable_order(values: &[u32]) -> Vec<i64> {
    let of = |i: i64| f32::from_bits(values[i as usize]);
    let mut order: Vec<i64> = (0..values.len() as i64).collect();
    order.sort_by(|&i, &j| {
        let (x, y) = (of(i), of(j));
        x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(&y).unwrap_or(std::cmp::Ordering::Equal))
    });
    order
}

#[test]
fn equal_elements_keep_their_order_and_their_bits() -> Result<()> {
    // Both zeros and NaNs with several payloads, each of which must keep its bits.
    let some = [0x8000_0000u32, 0, 0x7fc0_0001, 0x3f80_0000, 0xffc0_0002, 0x7f80_0001, 0xff80_0000, 0x7f80_0000];
    for n in LENGTHS {
        let values: Vec<u32> = (0..n).map(|i| some[i * i % 61 % some.len()]).collect();
        let order = stable_order(&values);
        let want: Vec<u32> = order.iter().map(|&i| values[i as usize]).collect();
        let a = Array::from_slice(&values, [n])?.view(DType::F32)?;
        assert_eq!(cuprum::argsort(&a, -1)?.to_vec::<i64>()?, order, "{n}");
        assert_eq!(cuprum::sort(&a, -1)?.view(DType::U32)?.to_vec::<u32>()?, want, "{n}");
        a.sort(0)?;
        assert_eq!(a.view(DType::U32)?.to_vec::<u32>()?, want, "{n} in place");
    }
    Ok(())
}

#[test]
fn rows_in_order_and_against_it_are_sorted() -> Result<()> {
    for n in LENGTHS {
        let up = cuprum::arange(0, n as i64, 1)?;
        let (down, alike) = (up.index(s![..;-1])?, cuprum::full([n], 7, DType::I64)?);
        let (first, last) = (up.to_vec::<i64>()?, down.to_vec::<i64>()?);
        assert_eq!(cuprum::sort(&up, -1)?.to_vec::<i64>()?, first);
        assert_eq!(cuprum::sort(&down, -1)?.to_vec::<i64>()?, first);
        assert_eq!(cuprum::argsort(&down, -1)?.to_vec::<i64>()?, last);
        assert_eq!(cuprum::argsort(&alike, -1)?.to_vec::<i64>()?, first);
        let u = cuprum::unique(&alike, UniqueOptions { counts: true, ..UniqueOptions::default() })?;
        assert_eq!(
            (u.values.to_vec::<i64>()?, u.counts.map(|c| c.to_vec::<i64>()).transpose()?),
            (vec![7], Some(vec![n as i64]))
        );
    }
    Ok(())
}

#[test]
fn nothing_but_nan_has_a_median_and_one_element() -> Result<()> {
    for n in LENGTHS {
        let a = cuprum::full([n], f64::NAN, DType::F32)?;
        assert!(cuprum::median(&a, ())?.item::<f32>()?.is_nan());
        assert!(cuprum::nanmedian(&a, ())?.item::<f32>()?.is_nan());
        assert_eq!(cuprum::unique(&a, ())?.values.size(), 1);
        let apart = UniqueOptions { equal_nan: false, ..UniqueOptions::default() };
        assert_eq!(cuprum::unique(&a, apart)?.values.size(), n);
        assert!(!cuprum::any(&cuprum::isin(&a, &a, ())?, ())?.item::<bool>()?);
    }
    Ok(())
}

#[test]
fn numbers_of_64_bits_are_compared_as_they_are() -> Result<()> {
    let large = Array::from_vec(vec![u64::MAX, 1 << 63, (1 << 53) + 1, 3])?;
    let signed = Array::from_vec(vec![-1, i64::MIN, (1 << 53) + 1, 1 << 53, 4])?;
    let isin = |a: &Array, b: &Array, invert| {
        cuprum::isin(a, b, SetOptions { invert, ..SetOptions::default() })?.to_vec::<bool>()
    };
    assert_eq!(isin(&large, &signed, false)?, [false, false, true, false]);
    assert_eq!(isin(&signed, &large, false)?, [false, false, true, false, false]);
    assert_eq!(isin(&signed, &large, true)?, [true, true, false, true, true]);
    Ok(())
}

#[test]
fn weights_are_broadcast_along_the_other_axes() -> Result<()> {
    let a = cuprum::arange(0, 6, 1)?.reshape([2, 3])?;
    let weights = Array::from_vec(vec![0.0, 1.0, 3.0])?;
    let options = QuantileOptions::new().method(QuantileMethod::InvertedCdf).weights(&weights);
    assert_eq!(cuprum::quantile(&a, [0.0, 0.25, 0.26], options.clone().axis(1))?.to_vec::<i64>()?, [1, 4, 1, 4, 2, 5]);
    assert!(cuprum::quantile(&a, 0.5, options).is_err());
    Ok(())
}

#[test]
fn results_are_written_to_out() -> Result<()> {
    let a = cuprum::arange(0, 12, 1)?.reshape([3, 4])?;
    let out = cuprum::zeros([4, 3], DType::F32)?;
    let column = out.index(s![1])?;
    cuprum::quantile(&a, 0.5, QuantileOptions::new().axis(1).out(&column))?;
    cuprum::median(&a, MedianOptions::new().axis(1).out(&out.index(s![2])?))?;
    assert_eq!(out.to_vec::<f32>()?, [0.0, 0.0, 0.0, 1.5, 5.5, 9.5, 1.5, 5.5, 9.5, 0.0, 0.0, 0.0]);
    let wrong = cuprum::zeros([3], DType::I32)?;
    assert!(cuprum::quantile(&a, 0.5, QuantileOptions::new().axis(1).out(&wrong)).is_err());
    Ok(())
}

#[test]
fn parts_are_sorted_together_however_long_they_are() -> Result<()> {
    // Two rows of 65,537 elements and three of 200,001: one launch per row or column would take too long.
    for (n, m) in [(2i64, 65_537i64), (3, 200_001)] {
        let row = cuprum::arange(0, m, 1)?;
        let a = cuprum::zeros([m as usize, n as usize], DType::I64)?;
        for j in 0..n {
            // The first and the last column are equal.
            a.index(s![.., j])?.assign(&cuprum::subtract(&row, j % (n - 1))?)?;
        }
        let options =
            UniqueOptions { axis: Some(1), index: true, counts: true, inverse: true, ..UniqueOptions::default() };
        let u = cuprum::unique(&a, options)?;
        let first = u.values.index(s![0])?.to_vec::<i64>()?;
        assert_eq!(first, if n == 2 { vec![0] } else { vec![-1, 0] });
        assert_eq!(u.index.unwrap().to_vec::<i64>()?, if n == 2 { vec![0] } else { vec![1, 0] });
        assert_eq!(u.counts.unwrap().to_vec::<i64>()?, if n == 2 { vec![2] } else { vec![1, 2] });
        assert_eq!(u.inverse.unwrap().to_vec::<i64>()?, if n == 2 { vec![0, 0] } else { vec![1, 0, 1] });
    }
    // Many keys of lexsort, the last of which is the primary one.
    let table = cuprum::zeros([4000, 3], DType::F32)?;
    table.index(s![0])?.assign(&Array::from_vec(vec![2.0f32, 1.0, 3.0])?)?;
    let rows: Vec<Array> = (0..4000).map(|i| table.index(s![i])).collect::<Result<_>>()?;
    assert_eq!(cuprum::lexsort(rows.iter().collect::<Vec<_>>(), -1)?.to_vec::<i64>()?, [1, 0, 2]);
    Ok(())
}
