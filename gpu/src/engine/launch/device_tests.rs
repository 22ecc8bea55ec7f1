//! Tests with arrays of two devices: rejected with the function's name if they are combined, and independent of the
//! current device otherwise.

use crate::cuda::Device;
use crate::engine::{self, launch};
use crate::routines::searching::SearchOptions;
use crate::routines::statistics::{BincountOptions, HistogramBins, HistogramOptions};
use crate::scan::ScanOptions;
use crate::{Array, Casting, DType, ErrorKind, Order, Reduce, Result, s, ufunc};

/// A call with arrays of one device and others of a second one.
type Call<'a> = (&'a str, Box<dyn Fn() -> Result<()> + 'a>);

#[test]
fn arrays_of_another_device_are_rejected_before_anything_is_launched() -> Result<()> {
    let (here, there) = (Device::another_for_test(), Device::another_for_test());
    let made = |d: Device, dtype| d.with(|| crate::arange(0, 64, 1)?.reshape([8, 8])?.astype(dtype));
    let (a, b) = (made(here, DType::F32)?, made(there, DType::F32)?);
    let (mask, flat_mask) = (made(there, DType::Bool)?, there.with(|| crate::ones([8], DType::Bool))?);
    let (i, j) = (made(here, DType::I64)?, made(there, DType::I64)?);
    let (row, other) = (a.index(s![0])?, b.index(s![0])?);
    let (numbers, positions) = (i.index(s![0])?, j.index(s![0])?);
    let scalar = there.with(|| crate::zeros((), DType::F32))?;
    let marked = there.with(|| engine::mark(&mask))?;
    let ok = |r: Result<Array>| r.map(drop);
    let by_columns = |out| ScanOptions { axis: Some(0), out: Some(out), ..Default::default() };
    let calls: Vec<Call<'_>> = vec![
        ("add", Box::new(|| ok(crate::add(&a, &b)))),
        ("where of add", Box::new(|| ufunc("add")?.call((&a, &a), crate::UfuncOptions::new().where_(&mask)).map(drop))),
        ("copy of dense arrays", Box::new(|| crate::copyto(&a, &b, Casting::SameKind))),
        ("copy of others", Box::new(|| crate::copyto(a.t(), &b, Casting::SameKind))),
        ("mask of sum", Box::new(|| ok(crate::sum(&a, Reduce::all().where_(&mask))))),
        ("out of sum", Box::new(|| ok(crate::sum(&a, Reduce::all().out(&scalar))))),
        ("out of var", Box::new(|| ok(crate::var(&a, Reduce::axis(0).out(&other))))),
        ("mask of max", Box::new(|| ok(crate::max(&a, Reduce::axis(1).where_(&mask).initial(0.0))))),
        ("out of cumsum", Box::new(|| ok(crate::cumsum(&a, by_columns(&b))))),
        ("indices of take", Box::new(|| ok(crate::take(&a, &positions, ())))),
        ("condition of compress", Box::new(|| ok(crate::compress(&flat_mask, &a, 0)))),
        ("condition of extract", Box::new(|| ok(crate::extract(&mask, &a)))),
        ("mask of elements", Box::new(|| marked.elements_of(&a).map(drop))),
        ("needles", Box::new(|| ok(crate::searchsorted(&row, &other, ())))),
        (
            "sorter",
            Box::new(|| {
                ok(crate::searchsorted(&row, &row, SearchOptions { sorter: Some(&positions), ..Default::default() }))
            }),
        ),
        (
            "weights of bincount",
            Box::new(|| ok(crate::bincount(&numbers, BincountOptions { weights: Some(&other), minlength: 0 }))),
        ),
        (
            "edges of histogram",
            Box::new(|| {
                crate::histogram(&a, HistogramOptions { bins: HistogramBins::Edges(&other), ..Default::default() })
                    .map(drop)
            }),
        ),
        (
            "weights of histogram",
            Box::new(|| crate::histogram(&a, HistogramOptions { weights: Some(&b), ..Default::default() }).map(drop)),
        ),
        ("matmul of floats", Box::new(|| ok(crate::matmul(&a, &b)))),
        ("matmul of integers", Box::new(|| ok(crate::matmul(&i, &j)))),
        ("indices of at", Box::new(|| ufunc("add")?.at(&row, [&positions], 1.0))),
        ("operand of at", Box::new(|| ufunc("add")?.at(&row, [&numbers], &other))),
        ("positions of sort", Box::new(|| engine::sort::sort_rows(&row, 8, None, Some(&positions)))),
        ("payload of a sort", Box::new(|| engine::sort::sort_pairs(&row, &positions).map(drop))),
        ("positions in rows", Box::new(|| ok(engine::sort::take_along(&row, &positions)))),
        ("correlate", Box::new(|| ok(crate::correlate(&row, &other, crate::CorrelateMode::Full)))),
        ("union1d", Box::new(|| ok(crate::union1d(&a, &b)))),
        ("isin", Box::new(|| ok(crate::isin(&a, &b, ())))),
        (
            "out of accumulate",
            Box::new(|| {
                ok(ufunc("subtract")?.accumulate(
                    &a,
                    0,
                    crate::AccumulateOptions { out: Some(&b), ..Default::default() },
                ))
            }),
        ),
    ];
    let launches = || [here, there].map(|d| d.cache_stats().launches);
    for (name, call) in &calls {
        for current in [here, there] {
            let before = launches();
            let rejected = current.with(call).expect_err(name);
            assert_eq!(rejected.kind(), ErrorKind::Value, "{name}: {rejected}");
            let text = rejected.message();
            assert!(text.contains("of the device Device(sim)") && text.contains("move it"), "{name}: {text}");
            assert_eq!(launches(), before, "{name}: something was launched");
        }
    }
    Ok(())
}

#[test]
fn helpers_are_made_on_the_device_of_the_operands() -> Result<()> {
    // The arrays are of a device that is never current.
    let there = Device::another_for_test();
    let x = there.with(|| crate::array([5, 1, 4, 1, 3, 2, 6, 0]))?;
    let floats = x.astype(DType::F64)?;
    let table = floats.reshape([2, 4])?;
    let sorted = crate::sort(&x, ())?;
    let all = [
        crate::bincount(&x, ())?,
        crate::bincount(&x.index(s![..0])?, ())?,
        crate::bincount(&x, BincountOptions { weights: Some(&floats), minlength: 9 })?,
        crate::histogram(&floats, 4)?.0,
        crate::histogram(&floats, 4)?.1,
        crate::searchsorted(&sorted, 3, ())?,
        crate::digitize(&x, &sorted, ())?,
        crate::correlate(&x, &x, crate::CorrelateMode::Full)?,
        crate::convolve(&floats, &floats, crate::CorrelateMode::Same)?,
        crate::median(&table, 1)?,
        crate::nanmedian(&table, 1)?,
        crate::cov(&table, ())?,
        crate::isreal(&x)?,
        crate::iscomplex(&x)?,
        crate::mean(&floats, Reduce::axis(0))?,
        crate::nanmean(&table, Reduce::axis(0))?,
        crate::unique(&table, crate::UniqueOptions { axis: Some(0), ..Default::default() })?.values,
        crate::union1d(&x, &sorted)?,
        crate::setdiff1d(&x, sorted.index(s![..4])?, ())?,
        crate::cumsum(&table, 1)?,
        crate::argsort(&x, ())?,
        crate::take(&x, &sorted, ())?,
        crate::nonzero(&x)?[0].clone(),
        crate::average(&table, 1)?,
        crate::gradient(&floats, ())?[0].clone(),
        crate::diff(&x, ())?,
        ufunc("subtract")?.reduceat(&floats, [0, 3], 0, ())?,
        launch_of_scalar(&x)?,
    ];
    for (k, result) in all.iter().enumerate() {
        assert!(result.device() == there, "result {k} is of another device");
    }
    assert_eq!(all[0].to_vec::<i64>()?, [1, 2, 1, 1, 1, 1, 1]);
    assert_eq!(all[5].item::<i64>()?, 4);
    assert_eq!(all[9].to_vec::<f64>()?, [2.5, 2.5]);
    Ok(())
}

/// Calls `add.at` with a host scalar, which becomes an array of the array operand's device.
fn launch_of_scalar(x: &Array) -> Result<Array> {
    ufunc("add")?.at(x, [crate::engine::make::zeros(x.device(), &[1], DType::I64)?], 1)?;
    let copy = x.copy(Order::C)?;
    launch::copy_bytes(x, &copy)?;
    Ok(copy)
}
