//! Tests of calls with a pending mask: the bits of separate calls, one launch, no mask in memory, and no operand read
//! after it changed.

use super::tests::{Turns, apart, cost, launches, layouts, params};
use crate::{Array, CopytoOptions, DType, Order, Result, UfuncOptions, copyto, fuse, s, ufunc};

/// Compares a function that writes to a copy of an array in a scope with the same call by call.
fn same(what: &str, out: &Array, write: impl Fn(&Array) -> Result<()>) -> Result<()> {
    let [eager, fused] = [out.copy(Order::K)?, out.copy(Order::K)?];
    write(&eager)?;
    fuse(|| write(&fused))?;
    assert_eq!(params(&fused)?, params(&eager)?, "{what}");
    Ok(())
}

/// Compares as `same` does, if it is the turn of the combination.
fn same_in(turns: &Turns, what: &str, out: &Array, write: impl Fn(&Array) -> Result<()>) -> Result<()> {
    if turns.is_next() { same(what, out, write) } else { Ok(()) }
}

fn masked(name: &str, x: &Array, y: &Array, mask: &Array, out: &Array) -> Result<()> {
    ufunc(name)?.call((x, y), UfuncOptions::new().out(out).where_(mask)).map(drop)
}

#[test]
fn masked_writes_are_the_same_to_the_bit_for_every_dtype_and_layout() -> Result<()> {
    // Combinations of seven calls, three results, six layouts and seven dtypes.
    let turns = Turns::every(11);
    for dtype in [DType::Bool, DType::I8, DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64] {
        let all = layouts(dtype)?;
        // NaNs of every kind keep their bits where the mask is false.
        let bits = crate::arange(-9, 75, 1)?.astype(DType::I64)?.multiply(0x0101_0173_7f81_0301i64)?;
        let bits = bits.view(DType::U8)?.index(s![..84 * dtype.size() as i64])?.copy(Order::C)?;
        let odd = if dtype == DType::Bool { bits.bitwise_and(1)?.view(dtype)? } else { bits.view(dtype)? };
        let wide = crate::concatenate([&odd, &odd], 0)?.reshape([7, 24])?;
        let outs = [odd.reshape([7, 12])?, odd.reshape([12, 7])?.t(), wide.index(s![.., 1..;2])?];
        for (i, x) in all.iter().enumerate() {
            let y = &all[(i + 2) % all.len()];
            let mask = || crate::where_(x.not_equal(y)?, x, y)?.not_equal(3)?.broadcast_to([7, 12])?.logical_not();
            for (k, out) in outs.iter().enumerate() {
                let what = format!("{dtype} {i} {k}");
                let [a, b] = [x, y].map(|a| a.broadcast_to([7, 12]));
                let (a, b) = (a?, b?);
                same_in(&turns, &what, out, |out| copyto(out, true, CopytoOptions::new().where_(&mask()?)))?;
                same_in(&turns, &what, out, |out| copyto(out, &a, CopytoOptions::new().where_(&mask()?)))?;
                same_in(&turns, &what, out, |out| copyto(out, a.multiply(&b)?, CopytoOptions::new().where_(&mask()?)))?;
                same_in(&turns, &what, out, |out| out.set(s![mask()?], 1))?;
                same_in(&turns, &what, out, |out| masked("multiply", &a, &b, &mask()?, out))?;
                same_in(&turns, &what, out, |out| masked("add", out, &b, &mask()?, out))?;
                same_in(&turns, &what, out, |out| crate::putmask(out, mask()?, &a))?;
            }
        }
    }
    // Casts of the written values.
    let a = layouts(DType::F64)?.swap_remove(0);
    let out = crate::zeros([7, 12], DType::I8)?;
    let options = || CopytoOptions::new().casting(crate::Casting::Unsafe);
    same("cast", &out, |out| copyto(out, &a * 3.7, options().where_(&a.greater(2.0)?)))?;
    same("number", &out, |out| copyto(out, 2.5, options().where_(&a.greater(2.0)?)))
}

#[test]
fn a_mask_that_waits_is_no_launch_and_no_memory_of_its_own() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let out = crate::zeros(1000, DType::F32)?;
        let cost = |f: &dyn Fn() -> Result<()>| cost(&a, f);
        let mask = || (&a * 2.0f32).greater(5.0f32);
        for (what, f) in [
            ("copyto", &(|| copyto(&out, 7, CopytoOptions::new().where_(&mask()?))) as &dyn Fn() -> Result<()>),
            ("set", &|| out.set(s![mask()?], 7)),
            ("ufunc", &|| masked("add", &a, &a, &mask()?, &out)),
            ("what waits", &|| copyto(&out, &a + 1.0f32, CopytoOptions::new().where_(&mask()?))),
        ] {
            assert_eq!(cost(&|| fuse(f))?, [1, 0], "{what}");
        }
        assert_eq!(out.index(s![..4])?.to_vec::<f32>()?, [0.0, 0.0, 0.0, 4.0]);
        // A mask that is needed again is computed then.
        let kept = fuse(|| -> Result<Array> {
            let kept = mask()?;
            out.set(s![&kept], 1)?;
            out.set(s![&kept], 2)?;
            Ok(kept)
        })?;
        assert_eq!(kept.index(s![..4])?.to_vec::<bool>()?, [false, false, false, true]);
        assert_eq!(out.index(s![..4])?.to_vec::<f32>()?, [0.0, 0.0, 0.0, 2.0]);
        Ok(())
    })
}

#[test]
fn a_mask_of_what_is_written_is_of_what_was_there() -> Result<()> {
    let fresh = || crate::arange(-3, 9, 1)?.astype(DType::F64)?.reshape([3, 4]);
    same("itself", &fresh()?, |a| a.set(s![a.less(2.0)?], 100))?;
    same("a part", &fresh()?, |a| a.index(s![1..])?.set(s![a.index(s![..2])?.less(2.0)?], 100))?;
    same("transposed", &fresh()?, |a| {
        let square = a.index(s![.., ..3])?;
        square.set(s![square.t().less(2.0)?], 100)
    })?;
    same("value", &fresh()?, |a| {
        let square = a.index(s![.., ..3])?;
        copyto(&square, square.t() * 2.0, CopytoOptions::new().where_(&crate::eye(3, ())?.less(1.0)?))
    })?;
    // Arrays computed from the mask see its old values, and so does what reads the target.
    let (a, b) = (fresh()?, fresh()?);
    let (mask, sum) = fuse(|| -> Result<_> {
        let (mask, sum) = (b.greater(0.0)?, &a + 1.0);
        a.set(s![&mask], 0)?;
        b.fill(-1)?;
        Ok((mask, sum))
    })?;
    assert_eq!(mask.to_vec::<bool>()?, fresh()?.greater(0.0)?.to_vec::<bool>()?);
    assert_eq!(sum.to_vec::<f64>()?, (fresh()? + 1.0).to_vec::<f64>()?);
    assert_eq!(a.to_vec::<f64>()?, fresh()?.minimum(0.0)?.to_vec::<f64>()?);
    // A pending target, and a new result.
    let c = fuse(|| -> Result<Array> {
        let c = fresh()? * 2.0;
        c.set(s![fresh()?.greater(1.0)?], 0)?;
        Ok(c)
    })?;
    let kept = fresh()?.less_equal(1.0)?;
    assert_eq!(c.to_vec::<f64>()?, (fresh()? * 2.0 * kept.astype(DType::F64)?).to_vec::<f64>()?);
    let roots = |x: &Array| ufunc("sqrt")?.call((x,), UfuncOptions::new().where_(&x.greater(0.0)?));
    let new = fuse(|| roots(&fresh()?))?;
    let picked = fresh()?.greater(0.0)?;
    assert_eq!(new.index(s![&picked])?.to_vec::<f64>()?, crate::sqrt(fresh()?.index(s![&picked])?)?.to_vec::<f64>()?);
    Ok(())
}

#[test]
fn step_by_step_the_mask_is_made_before() -> Result<()> {
    apart(|| {
        let (a, out) = (crate::arange(0, 9, 1)?.astype(DType::F32)?, crate::zeros(9, DType::F32)?);
        let before = launches(&a);
        super::mode::step_by_step(|| fuse(|| out.set(s![(&a + 1.0f32).greater(3.0f32)?], 1)))?;
        assert_eq!(launches(&a) - before, 3);
        assert_eq!(out.to_vec::<f32>()?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        Ok(())
    })
}
