//! Tests of chains of calls and reductions along rows: the same bits, one launch, one result in memory.

use super::tests::{Turns, apart, cost, launches, one_in, params};
use crate::{Array, DType, NewAxis, Reduce, Result, fuse, s};

fn rows(axis: isize) -> Reduce {
    Reduce::axis(axis).keepdims(true)
}

fn softmax(x: &Array, axis: isize) -> Result<Array> {
    let parts = crate::exp(x - crate::max(x, rows(axis))?)?;
    crate::divide(&parts, crate::sum(&parts, rows(axis))?)
}

fn log_softmax(x: &Array, axis: isize) -> Result<Array> {
    let below = x - crate::max(x, rows(axis))?;
    crate::subtract(&below, crate::log(crate::sum(crate::exp(&below)?, rows(axis))?)?)
}

fn layer_norm(x: &Array, axis: isize) -> Result<Array> {
    let apart = x - crate::mean(x, rows(axis))?;
    crate::divide(&apart, crate::sqrt(crate::var(x, rows(axis))? + 1e-5f32)?)
}

fn by_norm(x: &Array, axis: isize) -> Result<Array> {
    crate::divide(x, crate::sqrt(crate::sum(crate::square(x.absolute()?)?, rows(axis))?)?)
}

fn of_logarithms(x: &Array, axis: isize) -> Result<Array> {
    let most = crate::max(x, rows(axis))?;
    crate::add(&most, crate::log(crate::sum(crate::exp(x - &most)?, rows(axis))?)?)
}

fn counted(x: &Array, axis: isize) -> Result<Array> {
    let above = x.greater(crate::nanmean(x, rows(axis))?)?;
    let share = crate::divide(crate::count_nonzero(&above, rows(axis))?, 3)?;
    crate::where_(&above, share, crate::argmin(x, rows(axis))?)
}

type Program = fn(&Array, isize) -> Result<Array>;

const PROGRAMS: [(&str, Program); 6] = [
    ("softmax", softmax),
    ("log_softmax", log_softmax),
    ("layer_norm", layer_norm),
    ("by_norm", by_norm),
    ("of_logarithms", of_logarithms),
    ("counted", counted),
];

fn noise(shape: &[usize], dtype: DType) -> Result<Array> {
    let size = shape.iter().product::<usize>() as i64;
    (crate::arange(0, size, 1)?.astype(DType::F64)? * 0.618_034).sin()?.multiply(9.0)?.reshape(shape)?.astype(dtype)
}

fn same(what: &str, f: impl Fn() -> Result<Array>) -> Result<()> {
    assert_eq!(params(&fuse(&f)?)?, params(&f()?)?, "{what}");
    Ok(())
}

/// Compares as `same` does, if it is the turn of the combination.
fn same_in(turns: &Turns, what: &str, f: impl Fn() -> Result<Array>) -> Result<()> {
    if turns.is_next() { same(what, f) } else { Ok(()) }
}

#[test]
fn rows_are_the_same_to_the_bit() -> Result<()> {
    let shapes = [&[5, 7][..], &[3, 40], &[70, 130], &[600, 33], &[2, 1000], &[3, 4096], &[2, 6, 68], &[300, 8]];
    for (k, shape) in shapes.into_iter().enumerate() {
        // Every second shape with each program, in turn.
        for (i, (name, program)) in PROGRAMS.iter().enumerate().filter(|(i, _)| (i + k) % (2 * one_in(2)) == 0) {
            let dtype = [DType::F32, DType::F64, DType::F16, DType::F32, DType::I32][(i + k) % 5];
            let a = noise(shape, dtype)?;
            same(&format!("{name} {dtype} {shape:?}"), || program(&a, -1))?;
        }
    }
    Ok(())
}

#[test]
fn rows_may_lie_anyhow() -> Result<()> {
    let a = noise(&[66, 48], DType::F32)?;
    let cube = noise(&[4, 6, 32], DType::F32)?;
    // Of eight layouts with six programs.
    let turns = Turns::every(3);
    for (name, program) in PROGRAMS {
        same_in(&turns, &format!("{name} transposed"), || program(&a.t(), 0))?;
        same_in(&turns, &format!("{name} across"), || program(&a, 0))?;
        same_in(&turns, &format!("{name} gaps"), || program(&a.index(s![.., ..;3])?, 1))?;
        same_in(&turns, &format!("{name} backwards"), || program(&a.index(s![.., ..;-1])?, 1))?;
        same_in(&turns, &format!("{name} not aligned"), || program(&a.index(s![.., 1..])?, 1))?;
        same_in(&turns, &format!("{name} inner"), || program(&cube, 1))?;
        same_in(&turns, &format!("{name} of what waits"), || program(&(&a * 0.5f32), 1))?;
        same_in(&turns, &format!("{name} of one row"), || program(&a.index(s![..1])?, 1))?;
    }
    // Several axes, other operands, two dtypes, broadcast operands.
    let both = || Reduce::axes([1, 2]).keepdims(true);
    same("two axes", || Ok((&cube - crate::mean(&cube, both())?) / crate::std(&cube, both())?))?;
    let (row, column) = (noise(&[48], DType::F64)?, noise(&[66, 1], DType::F32)?);
    same("scaled", || Ok(layer_norm(&a, 1)? * &row + &column))?;
    same("broadcast", || softmax(&row.index(s![NewAxis, ..])?.broadcast_to([5, 48])?, 1))?;
    same("of positions", || Ok(crate::argmax(&a, rows(1))? + crate::argmin(&a * 2.0f32, rows(1))?))?;
    same("of extremes of numbers", || Ok(&a - crate::nanmax(&a, rows(1))?))?;
    same("of complex numbers", || {
        let z = a.astype(DType::C64)?;
        crate::divide(&z - crate::sum(&z, rows(1))?, crate::prod(&z * 0.1f32, rows(1))?)
    })
}

#[test]
fn a_chain_along_rows_is_one_launch() -> Result<()> {
    apart(|| {
        let cost = |a: &Array, f: &dyn Fn(&Array) -> Result<Array>| cost(a, || fuse(|| f(a)));
        let a = noise(&[3, 4096], DType::F32)?;
        for (name, program) in &PROGRAMS[..5] {
            assert_eq!(cost(&a, &|a| program(a, -1))?, [1, 1], "{name}");
        }
        assert_eq!(cost(&a, &|a| Ok(layer_norm(a, -1)? * &a.index(s![0])? + 1.0f32))?, [1, 1]);
        // An intermediate array that is still visible is written by the same kernel.
        let before = launches(&a);
        let (most, parts, all) = fuse(|| -> Result<_> {
            let most = crate::max(&a, rows(1))?;
            let parts = crate::exp(&a - &most)?;
            let all = crate::divide(&parts, crate::sum(&parts, rows(1))?)?;
            Ok((most, parts, all))
        })?;
        assert_eq!(launches(&a) - before, 1);
        assert_eq!(params(&most)?, params(&crate::max(&a, rows(1))?)?);
        assert_eq!(params(&parts)?, params(&crate::exp(&a - crate::max(&a, rows(1))?)?)?);
        assert_eq!(params(&all)?, params(&softmax(&a, 1)?)?);
        // A single reduction is that of an array; one that is dropped is not computed.
        assert_eq!(cost(&a, &|a| crate::sum(a, rows(1)))?, [1, 1]);
        assert_eq!(cost(&a, &|a| crate::sum(a, rows(1)).and_then(|_| crate::max(a, 1)))?, [1, 1]);
        // Rows that several blocks share: a launch for each pass, and the same bits.
        let long = noise(&[2, 30_000], DType::F32)?;
        assert!(cost(&long, &|a| softmax(a, -1))?[0] >= 3);
        same("long rows", || softmax(&long, -1))?;
        Ok(())
    })
}

#[test]
fn what_a_reduction_that_waits_reads_may_change_afterwards() -> Result<()> {
    let a = noise(&[4, 64], DType::F32)?;
    let expected = params(&crate::sum(&a, rows(1))?)?;
    let sums = fuse(|| -> Result<Array> {
        let sums = crate::sum(&a, rows(1))?;
        a.fill(7)?;
        Ok(sums)
    })?;
    assert_eq!(params(&sums)?, expected);
    // Growing chains, beyond the limits of a kernel.
    let grown = || -> Result<Array> {
        let mut x = noise(&[4, 64], DType::F32)?;
        for _ in 0..9 {
            x = crate::divide(&x, crate::max(x.absolute()?, rows(1))?)? + 0.25f32;
        }
        Ok(x)
    };
    same("grown", grown)?;
    let steps = super::mode::step_by_step(|| fuse(|| softmax(&noise(&[4, 64], DType::F32)?, 1)))?;
    assert_eq!(params(&steps)?, params(&softmax(&noise(&[4, 64], DType::F32)?, 1)?)?);
    Ok(())
}
