//! Benchmarks of time on the device: the table of rows and its first chapters.

use std::cell::RefCell;

use cuprum::linalg::NormOptions;
use cuprum::{Array, Axes, CorrelateMode, DType, Order, Reduce, Result, s};

use crate::data::Data;

/// A row that is ready to run.
pub struct Prepared {
    /// Bytes read and written, each counted once; `None` if arithmetic is the limit.
    pub bytes: Option<u64>,
    /// Makes one call.
    pub call: Box<dyn Fn() -> Result<Array>>,
}

/// Function that builds the operands of a row and its call.
pub type Prepare = dyn Fn(&Data) -> Result<Prepared>;

/// A row of the benchmark: its name and its preparation.
pub struct Row {
    /// The name, which is also that of the other libraries' rows.
    pub name: String,
    /// Builds the operands and the call.
    pub prepare: Box<Prepare>,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("name", &self.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Prepares a row. One call determines the bytes of the result, to which those of the operands are added.
pub(crate) fn prepared(operands: &[&Array], call: impl Fn() -> Result<Array> + 'static) -> Result<Prepared> {
    let read: usize = operands.iter().map(|a| a.nbytes()).sum();
    let written = call()?.nbytes();
    Ok(Prepared { bytes: Some((read + written) as u64), call: Box::new(call) })
}

pub(crate) fn row(name: impl Into<String>, prepare: impl Fn(&Data) -> Result<Prepared> + 'static) -> Row {
    Row { name: name.into(), prepare: Box::new(prepare) }
}

/// Builds a row of a function of two flat operands of one dtype.
fn two(name: impl Into<String>, dtype: DType, f: fn(&Array, &Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, b) = data.pair(dtype)?;
        prepared(&[&a.clone(), &b.clone()], move || f(&a, &b))
    })
}

/// Builds a row of a function of one flat operand.
fn one(name: impl Into<String>, dtype: DType, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.pair(dtype)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Builds a row of a function of the square.
pub(crate) fn square(name: impl Into<String>, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.square)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Builds a row of a function of the cube.
fn cube(name: impl Into<String>, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.cube)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// Returns all rows in the order of the table.
pub fn rows() -> Vec<Row> {
    let mut rows = vec![one("copy device to device", DType::F32, |a| a.copy(Order::C))];
    rows.extend(transfers());
    rows.extend(elementwise());
    rows.extend(layouts());
    rows.extend(reductions());
    rows.extend(crate::manipulation_rows::rows());
    rows.extend(crate::math_rows::rows());
    rows.extend(crate::fused_rows::rows());
    rows.extend(crate::searching_rows::rows());
    rows.extend(crate::indexing_rows::rows());
    rows.extend(scans());
    rows.extend(crate::sorting_rows::rows());
    rows.extend(crate::creation_rows::rows());
    rows.extend(crate::random_rows::rows());
    rows.extend(crate::linalg_rows::rows());
    rows.extend(crate::fft_rows::rows());
    rows
}

/// Transfers between pageable host memory and the device. The rows of the other libraries copy pinned memory, which
/// measures the bus.
fn transfers() -> Vec<Row> {
    let upload = row("upload", |data| {
        let host = data.a.to_vec::<f32>()?;
        prepared(&[], move || Array::from_slice(&host, [host.len()]))
    });
    let download = row("download", |data| {
        let a = data.a.clone();
        let (bytes, host) = (Some(a.nbytes() as u64), RefCell::new(vec![1f32; a.size()]));
        let call = move || a.copy_to_slice(&mut host.borrow_mut()).map(|()| a.clone());
        Ok(Prepared { bytes, call: Box::new(call) })
    });
    let fresh = row("download into new memory", |data| {
        let a = data.a.clone();
        let bytes = Some(a.nbytes() as u64);
        Ok(Prepared { bytes, call: Box::new(move || a.to_vec::<f32>().map(|_| a.clone())) })
    });
    vec![upload, download, fresh]
}

fn elementwise() -> Vec<Row> {
    use DType::*;
    let mut rows = vec![
        two("add f32", F32, |a, b| cuprum::add(a, b)),
        two("multiply f32", F32, |a, b| cuprum::multiply(a, b)),
        two("divide f32", F32, |a, b| cuprum::true_divide(a, b)),
        two("less f32", F32, |a, b| cuprum::less(a, b)),
        two("maximum f32", F32, |a, b| cuprum::maximum(a, b)),
    ];
    for dtype in [F16, BF16, I8, U8, I16, I32, I64, F64, C64, C128, Bool] {
        rows.push(two(format!("add {}", dtype.device_name()), dtype, |a, b| cuprum::add(a, b)));
    }
    rows.extend([
        one("astype f32 to f16", F32, |a| a.astype(F16)),
        one("astype f32 to f64", F32, |a| a.astype(F64)),
        one("astype i32 to f32", I32, |a| a.astype(F32)),
        row("fill f32", |data| {
            let n = data.sizes.elements;
            prepared(&[], move || cuprum::full([n], 3.0, F32))
        }),
        one("sqrt f32", F32, |a| cuprum::sqrt(a)),
        one("exp f32", F32, |a| cuprum::exp(a)),
        one("sin f32", F32, |a| cuprum::sin(a)),
        two("power f64", F64, |a, b| cuprum::power(a, b)),
        two("hypot f64", F64, |a, b| cuprum::hypot(a, b)),
        one("log2 f64", F64, |a| cuprum::log2(a)),
        one("exp2 f64", F64, |a| cuprum::exp2(a)),
        one("absolute c128", C128, |a| cuprum::absolute(a)),
    ]);
    rows
}

/// Builds a row of the sum of the square and of a part of the other operand, of shape `broadcast`.
fn broadcast(name: &str, broadcast: fn([usize; 2]) -> [usize; 2]) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.square)?;
        let shape = broadcast(data.sizes.square);
        let b = data.b.index(s![0..(shape[0] * shape[1]) as i64])?.reshape(shape)?;
        prepared(&[&a.clone(), &b.clone()], move || cuprum::add(&a, &b))
    })
}

/// Builds a row of the sum of two views of the flat operands.
fn views(name: &str, view: fn(&Array, &Array) -> Result<(Array, Array)>) -> Row {
    row(name, move |data| {
        let (a, b) = view(&data.a, &data.b)?;
        prepared(&[&a.clone(), &b.clone()], move || cuprum::add(&a, &b))
    })
}

fn layouts() -> Vec<Row> {
    vec![
        broadcast("add a row", |[_, columns]| [1, columns]),
        broadcast("add a column", |[rows, _]| [rows, 1]),
        one("add a scalar", DType::F32, |a| cuprum::add(a, 2.5)),
        row("where", |data| {
            let (a, b) = data.pair(DType::F32)?;
            let mask = cuprum::less(&a, &b)?;
            prepared(&[&mask.clone(), &a.clone(), &b.clone()], move || cuprum::where_(&mask, &a, &b))
        }),
        row("add a transposed operand", |data| {
            let (a, b) = data.shaped(&data.sizes.square)?;
            let b = b.t();
            prepared(&[&a.clone(), &b.clone()], move || cuprum::add(&a, &b))
        }),
        square("transposed copy 2-D", |a| a.t().copy(Order::C)),
        cube("transposed copy 3-D (2,0,1)", |a| a.transpose([2, 0, 1])?.copy(Order::C)),
        views("add strided ::2", |a, b| Ok((a.index(s![..;2])?, b.index(s![..;2])?))),
        views("add reversed ::-1", |a, b| Ok((a.index(s![..;-1])?, b.clone()))),
        views("add misaligned 1:", |a, b| Ok((a.index(s![1..])?, b.index(s![1..])?))),
    ]
}

/// Builds a row of a function of many rows of `n` elements.
fn short(name: impl Into<String>, n: usize, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let rows = data.sizes.short_rows.min(data.sizes.elements / n);
        let a = data.a.index(s![0..(rows * n) as i64])?.reshape([rows, n])?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

fn reductions() -> Vec<Row> {
    use DType::*;
    let mut rows = vec![
        square("sum f32, all", |a| cuprum::sum(a, ())),
        square("sum f32, axis 0", |a| cuprum::sum(a, 0)),
        square("sum f32, axis 1", |a| cuprum::sum(a, 1)),
        cube("sum f32, axes (0,2)", |a| cuprum::sum(a, [0, 2])),
        square("sum f32, transposed, all", |a| cuprum::sum(a.t(), ())),
        one("sum f16, all", F16, |a| cuprum::sum(a, ())),
        one("sum i32, all", I32, |a| cuprum::sum(a, ())),
        one("sum i8, all", I8, |a| cuprum::sum(a, ())),
        one("sum f64, all", F64, |a| cuprum::sum(a, ())),
        square("max f32, all", |a| cuprum::max(a, ())),
        one("mean f16, all", F16, |a| cuprum::mean(a, ())),
        row("sum f32, where, all", |data| {
            let (a, b) = data.shaped(&data.sizes.square)?;
            let mask = cuprum::less(&a, &b)?;
            let operands = [a.clone(), mask.clone()];
            prepared(&[&operands[0], &operands[1]], move || cuprum::sum(&a, Reduce::all().where_(&mask)))
        }),
    ];
    type Function = fn(&Array, Axes) -> Result<Array>;
    let functions: [(&str, Function); 5] = [
        ("mean", |a, axes| cuprum::mean(a, axes)),
        ("var", |a, axes| cuprum::var(a, axes)),
        ("std", |a, axes| cuprum::std(a, axes)),
        ("norm", |a, axes| cuprum::linalg::norm(a, NormOptions::new().axis(axes))),
        ("argmax", |a, axes| cuprum::argmax(a, axes)),
    ];
    for (name, f) in functions {
        rows.extend(along(format!("{name} f32"), F32, f));
    }
    rows.extend(along("argmin f32".into(), F32, |a, axes| cuprum::argmin(a, axes)));
    rows.extend(along("any f32".into(), F32, |a, axes| cuprum::any(a, axes)));
    rows.extend(along("all f32".into(), F32, |a, axes| cuprum::all(a, axes)));
    rows.extend(along("any bool".into(), Bool, |a, axes| cuprum::any(a, axes)));
    rows.extend(along("all bool".into(), Bool, |a, axes| cuprum::all(a, axes)));
    rows.extend(along("sum f16".into(), F16, |a, axes| cuprum::sum(a, axes)).into_iter().skip(1));
    rows.extend(along("sum i8".into(), I8, |a, axes| cuprum::sum(a, axes)).into_iter().skip(1));
    rows.extend(along("var f16".into(), F16, |a, axes| cuprum::var(a, axes)));
    rows.extend(along("var f64".into(), F64, |a, axes| cuprum::var(a, axes)));
    rows.push(square("nansum f32, all", |a| cuprum::nansum(a, ())));
    rows.push(square("nanmean f32, all", |a| cuprum::nanmean(a, ())));
    rows.push(square("nanvar f32, all", |a| cuprum::nanvar(a, ())));
    rows.push(square("sum f32, few columns", |a| cuprum::sum(&a.reshape([a.size() / 8, 8])?, 0)));
    for n in [3, 17, 100] {
        rows.push(short(format!("sum f32, rows of {n}"), n, |a| cuprum::sum(a, 1)));
        rows.push(short(format!("var f32, rows of {n}"), n, |a| cuprum::var(a, 1)));
        rows.push(short(format!("argmax f32, rows of {n}"), n, |a| cuprum::argmax(a, 1)));
    }
    rows.push(row("allclose f32", |data| {
        let (a, b) = (data.a.clone(), data.a.copy(Order::C)?);
        // The answer is a host value; an empty array replaces the result.
        prepared(&[&a.clone(), &b.clone()], move || {
            cuprum::allclose(&a, &b, ())?;
            cuprum::empty([0], DType::Bool)
        })
    }));
    rows.push(two("isclose f32", DType::F32, |a, b| cuprum::isclose(a, b, ())));
    for dtype in [F32, F64, C64] {
        rows.push(row(format!("correlate {}, 1000", dtype.device_name()), move |data| {
            let a = data.a.index(s![0..data.sizes.sequence as i64])?.astype(dtype)?;
            let v = data.b.index(s![0..(data.sizes.sequence / 1000).max(3) as i64])?.astype(dtype)?;
            Ok(Prepared { bytes: None, call: Box::new(move || cuprum::correlate(&a, &v, CorrelateMode::Same)) })
        }));
    }
    rows.push(row("correlate f32, 2^24 with 31", |data| {
        let a = data.a.index(s![0..(data.sizes.elements / 16) as i64])?;
        let v = data.b.index(s![0..31])?;
        prepared(&[&a.clone()], move || cuprum::correlate(&a, &v, CorrelateMode::Same))
    }));
    rows.push(row("matmul f32 4096", |data| {
        let n = data.sizes.matrix;
        let matrix = |base: &Array| base.index(s![0..(n * n) as i64])?.reshape([n, n]);
        let (a, b) = (matrix(&data.a)?, matrix(&data.b)?);
        Ok(Prepared { bytes: None, call: Box::new(move || cuprum::matmul(&a, &b)) })
    }));
    rows
}

/// Builds rows of a reduction of a 2-D operand of a dtype: over all elements, along the first axis and along the
/// second.
fn along(name: String, dtype: DType, f: fn(&Array, Axes) -> Result<Array>) -> Vec<Row> {
    let made = |name: String, options: fn() -> Axes| {
        row(name, move |data| {
            let (a, _) = data.pair(dtype)?;
            // The square, or half of it if the elements are large; booleans for which no early exit is possible.
            let columns = data.sizes.square[1];
            let a = a.reshape([a.size() / columns, columns])?;
            let a = if dtype == DType::Bool { cuprum::zeros(a.shape(), dtype)? } else { a };
            prepared(&[&a.clone()], move || f(&a, options()))
        })
    };
    vec![
        made(format!("{name}, all"), || Axes::from(())),
        made(format!("{name}, axis 0"), || Axes::from(0)),
        made(format!("{name}, axis 1"), || Axes::from(1)),
    ]
}

fn scans() -> Vec<Row> {
    vec![
        square("cumsum f32, all", |a| cuprum::cumsum(a, ())),
        square("cumsum f32, axis 0", |a| cuprum::cumsum(a, 0)),
        square("cumsum f32, axis 1", |a| cuprum::cumsum(a, 1)),
        one("cumsum i32, all", DType::I32, |a| cuprum::cumsum(a, ())),
        one("cumsum f16, all", DType::F16, |a| cuprum::cumsum(a, ())),
        one("cumprod f32, all", DType::F32, |a| cuprum::cumprod(a, ())),
        one("maximum.accumulate f32", DType::F32, |a| cuprum::ufunc("maximum")?.accumulate(a, 0, ())),
        one("diff f32", DType::F32, |a| cuprum::diff(a, ())),
    ]
}
