use crate::{
    Array, BincountOptions, DType, ErrorKind, HistogramOptions, PointOptions, arange, array, bincount, histogram,
    histogram2d, histogramdd, remainder, zeros,
};

#[test]
fn what_does_not_go_together_is_rejected() {
    let kind = |r: crate::Result<Array>| r.unwrap_err().kind();
    let (a, four) = (zeros([2, 3], DType::F64).unwrap(), zeros([4], DType::F64).unwrap());
    let weighted = |weights| HistogramOptions { weights: Some(weights), ..HistogramOptions::default() };
    assert_eq!(kind(histogram(&a, weighted(&four)).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(histogram(zeros([3], DType::C64).unwrap(), ()).map(|h| h.0)), ErrorKind::Type);
    assert_eq!(kind(histogram(&four, &a).map(|h| h.0)), ErrorKind::Value);
    let endless = HistogramOptions { range: Some((0.0, f64::INFINITY)), ..HistogramOptions::default() };
    assert_eq!(kind(histogram(&four, endless).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(histogram2d(&four, &a, ()).map(|h| h.0)), ErrorKind::Value);
    let three = PointOptions { range: vec![None; 3], ..PointOptions::default() };
    assert_eq!(kind(histogramdd(a.index(crate::s![.., ..2]).unwrap(), three).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(bincount(a.astype(DType::I8).unwrap(), ())), ErrorKind::Value);
}

#[test]
fn more_bins_than_counters_are_counted() {
    // A block's shared memory has room for 8192 counters, or 4096 sums of weights.
    let x: Vec<i32> = (0..40_000).map(|i| i * 7 % 20_011).collect();
    let mut want = vec![0i64; 20_011];
    x.iter().for_each(|&i| want[i as usize] += 1);
    let a = Array::from_vec(x).unwrap();
    assert_eq!(bincount(&a, ()).unwrap().to_vec::<i64>().unwrap(), want);
    let weights_of_half = crate::full([40_000], 0.5, DType::F32).unwrap();
    let sums = bincount(&a, BincountOptions { weights: Some(&weights_of_half), minlength: 0 }).unwrap();
    assert_eq!(sums.to_vec::<f64>().unwrap(), want.iter().map(|&n| n as f64 / 2.0).collect::<Vec<_>>());
    let long = bincount(array([1, 1, 9]).unwrap(), BincountOptions { weights: None, minlength: 9000 }).unwrap();
    assert_eq!((long.size(), long.to_vec::<i64>().unwrap().iter().sum::<i64>()), (9000, 3));
}

#[test]
fn edges_that_do_not_fit_in_shared_memory_are_searched_all_the_same() {
    let a = crate::arange(0, 30_000, 1).unwrap();
    for bins in [511usize, 512, 3000] {
        let (counts, edges) = histogram(&a, bins).unwrap();
        let given = histogram(&a, &edges).unwrap().0;
        assert_eq!(counts.to_vec::<i64>().unwrap(), given.to_vec::<i64>().unwrap(), "{bins}");
        assert_eq!(counts.to_vec::<i64>().unwrap().iter().sum::<i64>(), 30_000);
    }
}

/// Checks sums of integral weights, which are exact: chunks with tails, lanes that share bins in every way, more bins
/// than a window has, many chunks and few.
#[test]
fn weights_are_summed_wherever_their_elements_are() -> crate::Result<()> {
    let n = 40_003i64;
    let x = arange(0, n, 1)?;
    for bins in [1i64, 2, 3, 17, 31, 1000, 5000] {
        for by in [1i64, 7] {
            let bin = remainder(&crate::floor_divide(&x, by)?, bins)?;
            for dtype in [DType::F32, DType::U8, DType::F64] {
                let weights = remainder(&x, 101)?.astype(dtype)?;
                let mut expected = vec![0.0; bins as usize];
                for i in 0..n {
                    expected[(i / by % bins) as usize] += (i % 101) as f64;
                }
                assert_eq!(bincount(&bin, &weights)?.to_vec::<f64>()?, expected, "{bins} {by} {dtype}");
            }
        }
    }
    Ok(())
}

/// Checks that the counts for all numbers of bins at once are those of individual histograms: for elements on and near
/// edges, narrow dtypes with large position errors, integers, and a range.
#[test]
fn counts_of_many_numbers_of_bins_are_those_of_each() -> crate::Result<()> {
    use super::{bin_candidates::uniform_counts, bin_edges::Outer};
    let n = 3000;
    let x = crate::true_divide(&remainder(&crate::multiply(&arange(0, n, 1)?, 7919)?, 1000)?, 1000)?;
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::U8, DType::I64, DType::Bool] {
        for range in [None, Some((0.0, 1.0)), Some((-0.5, 300.0))] {
            let scale = if dtype == DType::U8 { 200 } else { 1 };
            let a = crate::multiply(&x, scale)?.astype(dtype)?;
            let (outer, mut looked) = (Outer::of(&a, range)?, 0);
            uniform_counts(&a, outer, 300, |bins, counts| {
                looked += 1;
                // One in four, of each remainder.
                if bins % 4 != looked / 75 {
                    return;
                }
                let options = HistogramOptions { range, ..HistogramOptions::from(bins) };
                let want = histogram(&a, options).and_then(|h| h.0.to_vec::<i64>()).unwrap();
                assert_eq!(counts, want, "{dtype} {range:?} {bins}");
            })?;
            assert_eq!(looked, 300);
        }
    }
    Ok(())
}

/// Checks that counts and edges between the smallest and the largest float, which the device computes before the host knows
/// the two, are those of the edges passed: for elements of one value, for edges that only the host can compute, and for
/// contiguous and strided elements, in counters of every kind.
#[test]
fn ends_that_the_device_finds_are_those_of_the_host() -> crate::Result<()> {
    use super::bin_edges::{edge_dtype, extremes};
    let n = (1 << 18) + 3;
    let x = crate::true_divide(&remainder(&crate::multiply(&arange(0, n, 1)?, 7919)?, 9973)?, 9973)?;
    for (dtype, bins) in
        [(DType::F16, 10), (DType::BF16, 33), (DType::F32, 256), (DType::F64, 3000), (DType::F32, 70_000)]
    {
        let more = if dtype == DType::F32 { &[(0.0, 3.0), (1.0, 1e4)][..] } else { &[] };
        for &(scale, shift) in [(-5e3, 7e3)].iter().chain(more) {
            let a = crate::add(&crate::multiply(&x, scale)?, shift)?.astype(dtype)?;
            for a in [a.index(crate::s![..;-1])?, a].into_iter().take(1 + more.len() / 2) {
                let own = edge_dtype(dtype);
                let wanted = extremes(&a)?.not_alike(own).map(|outer| outer.edges(bins, own))?;
                let found = histogram(&a, bins);
                if wanted.windows(2).any(|w| w[0] >= w[1]) {
                    assert_eq!(found.unwrap_err().kind(), ErrorKind::Value, "{dtype} {scale} {shift}");
                    continue;
                }
                let (counts, edges) = found?;
                assert_eq!(edges.dtype(), own);
                assert!(edges.astype(DType::F64)?.to_vec::<f64>()? == wanted, "{dtype} {scale} {shift}");
                let expected = histogram(&a, &edges)?.0.to_vec::<i64>()?;
                assert!(counts.to_vec::<i64>()? == expected, "{dtype} {scale} {shift}");
            }
        }
    }
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let a = x.copy(crate::layout::Order::C)?;
        a.index(crate::s![77])?.fill(wrong)?;
        assert_eq!(histogram(&a, 10).unwrap_err().kind(), ErrorKind::Value, "{wrong}");
    }
    Ok(())
}
