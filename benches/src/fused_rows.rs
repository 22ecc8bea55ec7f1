//! Benchmarks of several calls in a fusing scope. The bytes are a lower bound: those of the operands and of the result,
//! each counted once.

use cuprum::random::{RandomOptions, default_rng};
use cuprum::{Array, DType, FuseOptions, NewAxis, Reduce, Result, fuse_with, s};

use crate::data::Data;
use crate::device_rows::{Row, prepared, row};

/// Calls `f` in a scope that waits until its kernels are compiled, so that the fused kernel is timed.
fn fused(f: impl FnOnce() -> Result<Array>) -> Result<Array> {
    fuse_with(FuseOptions { wait: true }, f)
}

/// Builds a row of a chain of calls on the operands that `of` builds.
fn chain(
    name: impl Into<String>,
    of: impl Fn(&Data) -> Result<Vec<Array>> + 'static,
    f: fn(&[Array]) -> Result<Array>,
) -> Row {
    row(name, move |data| {
        let operands = of(data)?;
        let read: Vec<&Array> = operands.iter().collect();
        let all = operands.clone();
        prepared(&read, move || fused(|| f(&all)))
    })
}

/// Returns the first half of each flat operand.
fn scaled_operands(data: &Data, dtype: DType) -> Result<Vec<Array>> {
    let (a, b) = data.pair(dtype)?;
    let half = a.size() as i64 / 2;
    let parts = |a: &Array| -> Result<[Array; 2]> { Ok([a.index(s![..half])?, a.index(s![half..])?]) };
    Ok([parts(&a)?, parts(&b)?].concat())
}

/// Softplus, log(1 + exp(x)), in five calls that do not overflow.
fn softplus(x: &[Array]) -> Result<Array> {
    let x = &x[0];
    x.absolute()?.negative()?.exp()?.log1p()?.add(x.maximum(0.0)?)
}

fn products(x: &[Array]) -> Result<Array> {
    Ok(&x[0] * &x[1] + &x[2] * &x[3] - &x[0])
}

/// Black-Scholes price of a call option, from the spot price, the strike and the years to expiry.
fn black_scholes(x: &[Array]) -> Result<Array> {
    let (spot, strike, years, rate, volatility) = (&x[0], &x[1] + 1.0f32, &x[2] + 0.1f32, 0.02f32, 0.3f32);
    let spread = years.sqrt()? * volatility;
    let d1 = ((spot + 1.0f32) / &strike).log()? + &years * (rate + 0.5 * volatility * volatility);
    let d1 = d1 / &spread;
    let d2 = &d1 - &spread;
    let normal =
        |d: &Array| -> Result<Array> { Ok((cuprum::scipy::special::erf(d * 0.707_106_77f32)? + 1.0f32) * 0.5f32) };
    Ok(spot * normal(&d1)? - strike * (years * -rate).exp()? * normal(&d2)?)
}

fn mandelbrot(x: &[Array]) -> Result<Array> {
    let z = &x[0] * &x[0] + &x[1];
    cuprum::where_(z.absolute()?.less(2.0)?, &z, &x[0])
}

fn quantized(x: &[Array]) -> Result<Array> {
    cuprum::clip(cuprum::rint(&x[0] * 3.0f32)? + 4.0f32, -128.0f32, 127.0f32, ())?.astype(DType::I8)
}

fn softmax(x: &[Array]) -> Result<Array> {
    let most = cuprum::max(&x[0], Reduce::axis(1).keepdims(true))?;
    let parts = (&x[0] - &most).exp()?;
    let total = cuprum::sum(&parts, Reduce::axis(1).keepdims(true))?;
    Ok(parts / total)
}

/// Layer normalisation: rows of mean 0 and variance 1.
fn layer_norm(x: &[Array]) -> Result<Array> {
    let along = || Reduce::axis(1).keepdims(true);
    let (middle, spread) = (cuprum::mean(&x[0], along())?, cuprum::var(&x[0], along())?);
    Ok((&x[0] - middle) / (spread + 1e-5f32).sqrt()?)
}

/// Index of the nearest of 16 centres to each point.
fn nearest(x: &[Array]) -> Result<Array> {
    let apart = x[0].index(s![.., NewAxis])? - &x[1];
    cuprum::argmin(cuprum::sum(&apart * &apart, -1)?, 1)
}

/// Reshapes a flat operand to rows of the given length, or to a single shorter row.
fn long_rows(data: &Data, length: usize) -> Result<Array> {
    let a = data.pair(DType::F32)?.0;
    let length = length.min(a.size());
    a.reshape([a.size() / length, length])
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    use DType::*;
    let one = |dtype| move |data: &Data| Ok(vec![data.pair(dtype)?.0]);
    let two = |dtype| move |data: &Data| data.pair(dtype).map(|(a, b)| vec![a, b]);
    let square = |data: &Data| data.shaped(&data.sizes.square).map(|(a, b)| vec![a, b]);
    vec![
        chain("fused softplus f32", one(F32), softplus),
        chain("fused softplus f16", one(F16), softplus),
        chain("fused a*b + c*d - a f32", |data| scaled_operands(data, F32), products),
        chain("fused a*b + c*d - a c64", |data| scaled_operands(data, C64), products),
        chain("fused sqrt(x*x + y*y) f32", two(F32), |x| (&x[0] * &x[0] + &x[1] * &x[1]).sqrt()),
        chain("fused Black-Scholes f32", |data| scaled_operands(data, F32).map(|x| x[..3].to_vec()), black_scholes),
        chain("fused Mandelbrot step c64", |data| scaled_operands(data, C64).map(|x| x[..2].to_vec()), mandelbrot),
        chain("fused rint(a*s) + z, clipped to i8", one(F32), quantized),
        chain("fused sum((a-b)**2) f32", square, |x| {
            let d = &x[0] - &x[1];
            cuprum::sum(&d * &d, ())
        }),
        chain("fused mean(abs(a-b)) f32 by columns", square, |x| cuprum::mean((&x[0] - &x[1]).absolute()?, 0)),
        chain("fused softmax of rows f32", move |data| square(data).map(|x| x[..1].to_vec()), softmax),
        chain("fused softmax of rows of 4,096 f32", |data| Ok(vec![long_rows(data, 4096)?]), softmax),
        chain("fused layer norm of rows of 4,096 f32", |data| Ok(vec![long_rows(data, 4096)?]), layer_norm),
        chain("fused sum(where(m, a, 0)) by rows f32", square, |x| {
            cuprum::sum(cuprum::where_(x[1].greater(4.5f32)?, &x[0], 0.0f32)?, 1)
        }),
        chain("fused sum((a-b)**2) f16", two(F16), |x| {
            let d = &x[0] - &x[1];
            cuprum::sum(&d * &d, ())
        }),
        chain(
            "fused argmin of distances f32, 16 centres",
            |data| {
                let points = long_rows(data, 16)?;
                Ok(vec![points.clone(), points.index(s![..16])?.copy(cuprum::Order::C)?])
            },
            nearest,
        ),
        chain("fused a + uniform f32", one(F32), |x| {
            let options = RandomOptions::new().size(x[0].size()).dtype(F32);
            x[0].add(default_rng(1)?.uniform(-0.1, 0.1, options)?)
        }),
        chain("fused a*b + a, b transposed f32", square, |x| Ok(&x[0] * x[1].t() + &x[0])),
    ]
}
