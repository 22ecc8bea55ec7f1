use crate::{
    Array, BincountOptions, DType, ErrorKind, HistogramOptions, PointOptions, array, bincount, histogram, histogram2d,
    histogramdd, zeros,
};

#[test]
fn what_does_not_go_together_is_refused() {
    let kind = |r: crate::Result<Array>| r.unwrap_err().kind();
    let (a, four) = (zeros([2, 3], DType::F64).unwrap(), zeros([4], DType::F64).unwrap());
    let weighted = |weights| HistogramOptions { weights: Some(weights), ..HistogramOptions::default() };
    assert_eq!(kind(histogram(&a, weighted(&four)).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(histogram(&zeros([3], DType::C64).unwrap(), ()).map(|h| h.0)), ErrorKind::Type);
    assert_eq!(kind(histogram(&four, &a).map(|h| h.0)), ErrorKind::Value);
    let endless = HistogramOptions { range: Some((0.0, f64::INFINITY)), ..HistogramOptions::default() };
    assert_eq!(kind(histogram(&four, endless).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(histogram2d(&four, &a, ()).map(|h| h.0)), ErrorKind::Value);
    let three = PointOptions { range: vec![None; 3], ..PointOptions::default() };
    assert_eq!(kind(histogramdd(&a.index(crate::s![.., ..2]).unwrap(), three).map(|h| h.0)), ErrorKind::Value);
    assert_eq!(kind(bincount(&a.astype(DType::I8).unwrap(), ())), ErrorKind::Value);
}

#[test]
fn more_bins_than_counters_are_counted() {
    // 8192 counters fit in a block's shared memory, and 4096 sums of weights.
    let x: Vec<i32> = (0..40_000).map(|i| i * 7 % 20_011).collect();
    let mut want = vec![0i64; 20_011];
    x.iter().for_each(|&i| want[i as usize] += 1);
    let a = Array::from_vec(x).unwrap();
    assert_eq!(bincount(&a, ()).unwrap().to_vec::<i64>().unwrap(), want);
    let halves = crate::full([40_000], 0.5, DType::F32).unwrap();
    let sums = bincount(&a, BincountOptions { weights: Some(&halves), minlength: 0 }).unwrap();
    assert_eq!(sums.to_vec::<f64>().unwrap(), want.iter().map(|&n| n as f64 / 2.0).collect::<Vec<_>>());
    let long = bincount(&array([1, 1, 9]).unwrap(), BincountOptions { weights: None, minlength: 9000 }).unwrap();
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
