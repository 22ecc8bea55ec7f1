//! The rows whose time on the device is measured.

use cuprum::{Array, DType, Order, Result, s};

use crate::data::Data;

/// A row that is ready to run.
pub struct Prepared {
    /// Bytes read and written, each once; `None` where arithmetic is the limit.
    pub bytes: Option<u64>,
    /// One call.
    pub call: Box<dyn Fn() -> Result<Array>>,
}

/// What makes the operands of a row and its call.
pub type Prepare = dyn Fn(&Data) -> Result<Prepared>;

/// A row: its name, and what makes it ready.
pub struct Row {
    /// The name, which the peers' rows have as well.
    pub name: String,
    /// Makes the operands.
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

/// One call now tells how many bytes the result has; those of the operands are added.
fn prepared(operands: &[&Array], call: impl Fn() -> Result<Array> + 'static) -> Result<Prepared> {
    let read: usize = operands.iter().map(|a| a.nbytes()).sum();
    let written = call()?.nbytes();
    Ok(Prepared { bytes: Some((read + written) as u64), call: Box::new(call) })
}

fn row(name: impl Into<String>, prepare: impl Fn(&Data) -> Result<Prepared> + 'static) -> Row {
    Row { name: name.into(), prepare: Box::new(prepare) }
}

/// A row of one function of two flat operands of one dtype.
fn two(name: impl Into<String>, dtype: DType, f: fn(&Array, &Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, b) = data.pair(dtype)?;
        prepared(&[&a.clone(), &b.clone()], move || f(&a, &b))
    })
}

/// A row of one function of one flat operand.
fn one(name: impl Into<String>, dtype: DType, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.pair(dtype)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// A row of one function of the square.
fn square(name: impl Into<String>, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.square)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// A row of one function of the cube.
fn cube(name: impl Into<String>, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.cube)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// All of them, in the order of the table.
pub fn rows() -> Vec<Row> {
    let mut rows = vec![one("copy device to device", DType::F32, |a| a.copy(Order::C))];
    rows.extend(elementwise());
    rows.extend(layouts());
    rows.extend(reductions());
    rows.extend(sorts());
    rows
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
    ]);
    rows
}

/// A row of the sum of the square and of a part of the other operand, of shape `stretched`.
fn broadcast(name: &str, stretched: fn([usize; 2]) -> [usize; 2]) -> Row {
    row(name, move |data| {
        let (a, _) = data.shaped(&data.sizes.square)?;
        let shape = stretched(data.sizes.square);
        let b = data.b.index(s![0..(shape[0] * shape[1]) as i64])?.reshape(shape)?;
        prepared(&[&a.clone(), &b.clone()], move || cuprum::add(&a, &b))
    })
}

/// A row of the sum of two views of the flat operands.
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
        cube("transposed copy 3-D (2,0,1)", |a| a.transpose(&[2, 0, 1])?.copy(Order::C)),
        views("add strided ::2", |a, b| Ok((a.index(s![..;2])?, b.index(s![..;2])?))),
        views("add reversed ::-1", |a, b| Ok((a.index(s![..;-1])?, b.clone()))),
        views("add misaligned 1:", |a, b| Ok((a.index(s![1..])?, b.index(s![1..])?))),
    ]
}

/// Elements of the sorted rows, and the sides of the sorted square.
const SORTED: usize = 1 << 26;
const SIDE: usize = 1 << 13;

/// Numbers in no order: steps of an odd multiplier through the integers, of which the upper bits are taken.
fn shuffled(n: usize, dtype: DType, modulus: i64) -> Result<Array> {
    let steps = cuprum::multiply(&cuprum::arange(0, n as i64, 1)?, 0x5851_f42d_4c95_7f2d_i64)?;
    let mixed = cuprum::bitwise_xor(&steps, &cuprum::right_shift(&steps, 29)?)?;
    let mixed = cuprum::multiply(&mixed, 0x2545_f491_4f6c_dd1d_i64)?;
    let upper = cuprum::right_shift(&mixed, if modulus == 0 { 0 } else { 20 })?;
    if modulus == 0 { Ok(upper) } else { cuprum::remainder(&upper, modulus)?.astype(dtype) }
}

/// A row of one function of flat numbers in no order, the first of the operand's own.
fn sorted(name: &str, n: usize, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let a = data.a.index(s![0..n.min(data.a.size()) as i64])?.copy(Order::C)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

/// A row of one function of a square of numbers in no order.
fn sorted_square(name: &str, f: fn(&Array) -> Result<Array>) -> Row {
    row(name, move |data| {
        let side = SIDE.min((data.a.size() as f64).sqrt() as usize);
        let a = data.a.index(s![0..(side * side) as i64])?.reshape([side, side])?.copy(Order::C)?;
        prepared(&[&a.clone()], move || f(&a))
    })
}

fn sorts() -> Vec<Row> {
    vec![
        sorted("sort f32, 2^26", SORTED, |a| cuprum::sort(a, -1)),
        row("sort i64, 2^26", |data| {
            let a = shuffled(SORTED.min(data.sizes.elements), DType::I64, 0)?;
            prepared(&[&a.clone()], move || cuprum::sort(&a, -1))
        }),
        sorted("argsort f32, 2^26", SORTED, |a| cuprum::argsort(a, -1)),
        sorted_square("sort f32 square, rows", |a| cuprum::sort(a, 1)),
        sorted_square("sort f32 square, columns", |a| cuprum::sort(a, 0)),
        sorted_square("median f32 square, rows", |a| cuprum::median(a, 1, &cuprum::MedianOptions::default())),
        sorted_square("median f32 square, columns", |a| cuprum::median(a, 0, &cuprum::MedianOptions::default())),
        row("unique i64, 2^26 of 10^6", |data| {
            let a = shuffled(SORTED.min(data.sizes.elements), DType::I64, 1_000_000)?;
            prepared(&[&a.clone()], move || Ok(cuprum::unique(&a, &cuprum::UniqueOptions::default())?.values))
        }),
        sorted("percentile f32, 2^28", 1 << 28, |a| {
            cuprum::percentile(a, 37.0, (), &cuprum::QuantileOptions::default())
        }),
    ]
}

fn reductions() -> Vec<Row> {
    vec![
        square("sum f32, all", |a| cuprum::sum(a, ())),
        square("sum f32, axis 0", |a| cuprum::sum(a, 0)),
        square("sum f32, axis 1", |a| cuprum::sum(a, 1)),
        cube("sum f32, axes (0,2)", |a| cuprum::sum(a, [0, 2])),
        square("max f32, all", |a| cuprum::max(a, ())),
        one("mean f16, all", DType::F16, |a| cuprum::mean(a, ())),
        square("argmax f32, all", |a| cuprum::argmax(a, ())),
        square("argmax f32, axis 0", |a| cuprum::argmax(a, 0)),
        square("argmax f32, axis 1", |a| cuprum::argmax(a, 1)),
        row("any bool", |data| {
            let a = cuprum::zeros([data.sizes.elements], DType::Bool)?;
            prepared(&[&a.clone()], move || cuprum::any(&a, ()))
        }),
        row("matmul f32 4096", |data| {
            let n = data.sizes.matrix;
            let matrix = |base: &Array| base.index(s![0..(n * n) as i64])?.reshape([n, n]);
            let (a, b) = (matrix(&data.a)?, matrix(&data.b)?);
            Ok(Prepared { bytes: None, call: Box::new(move || cuprum::matmul(&a, &b)) })
        }),
    ]
}
