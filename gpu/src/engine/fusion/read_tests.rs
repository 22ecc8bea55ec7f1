//! Tests of reductions of pending arrays: the same bits, and no more launches and memory than for an array.

use super::tests::{Turns, apart, cost, launches, layouts, one_in, params};
use crate::{Array, DType, Reduce, Result, fuse, s};

/// Compares a function of two operands in a scope with the same call by call.
fn same(what: &str, a: &Array, b: &Array, f: impl Fn(&Array, &Array) -> Result<Array>) -> Result<()> {
    let eager = f(a, b)?;
    let fused = fuse(|| f(a, b))?;
    assert_eq!(params(&fused)?, params(&eager)?, "{what}");
    Ok(())
}

/// Compares as `same` does, if it is the turn of the combination.
fn same_in(turns: &Turns, what: &str, a: &Array, b: &Array, f: impl Fn(&Array, &Array) -> Result<Array>) -> Result<()> {
    if turns.is_next() { same(what, a, b, f) } else { Ok(()) }
}

/// Returns the result of a chain, of the dtype of `a` unless that is bool.
fn chain(a: &Array, b: &Array) -> Result<Array> {
    let product = a.multiply(b)?;
    crate::where_(product.not_equal(b)?, &product, a)
}

#[test]
fn reductions_are_the_same_to_the_bit_for_every_dtype_and_layout() -> Result<()> {
    let names = ["sum", "var", "max", "argmin", "nanmean", "any", "prod"];
    for (k, dtype) in [DType::F16, DType::F32, DType::C64, DType::I8, DType::Bool].into_iter().enumerate() {
        let all = layouts(dtype)?;
        // Every second layout with each dtype, in turn.
        for (i, a) in all.iter().enumerate().filter(|(i, _)| (i + k) % (2 * one_in(2)) == 0) {
            let b = &all[(i + 2) % all.len()];
            let name = names[(i + 3 * k) % names.len()];
            let options = [Reduce::all(), Reduce::axis(-1).keepdims(true), Reduce::axis(0)];
            let options = if a.ndim().max(b.ndim()) == 0 { Reduce::all() } else { options[(i + k) % 3].clone() };
            let reduction = crate::reduction(name)?;
            let what = format!("{name} {dtype} {i}");
            same(&what, a, b, |a, b| reduction.call(chain(a, b)?, options.clone()))?;
        }
    }
    Ok(())
}

#[test]
fn elements_are_combined_in_the_order_of_the_array_that_would_hold_them() -> Result<()> {
    // Sums whose last bits depend on the order: split ones, along either axis, of short rows, of vectors that cross
    // rows.
    let noise = |shape: &[usize]| -> Result<Array> {
        let size = shape.iter().product::<usize>() as i64;
        let x = crate::arange(0, size, 1)?.astype(DType::F32)?;
        (&x * 0.618_034f32).sin()?.reshape(shape)
    };
    let row = |a: &Array| noise(&a.shape()[a.ndim() - 1..]);
    // Combinations of two calls and seven shapes.
    let turns = Turns::every(3);
    for (shape, axis) in [
        (&[20_000][..], None),
        (&[70, 130], Some(1)),
        (&[130, 68], Some(0)),
        (&[600, 7], Some(1)),
        (&[12, 35, 6], None),
        (&[9, 5, 14], Some(0)),
        (&[6, 5, 14], Some(1)),
    ] {
        let a = noise(shape)?;
        let options = || axis.map_or(Reduce::all(), Reduce::axis);
        let (what, row) = (format!("{shape:?} {axis:?}"), row(&a)?);
        same_in(&turns, &what, &a, &row, |a, b| crate::sum(crate::square(a - b)?, options()))?;
        same_in(&turns, &what, &a, &a, |a, _| crate::mean((a * 3.0f32).index(s![..])?, options()))?;
    }
    // Transposed, every second one, broadcast, masked.
    let a = noise(&[48, 64])?;
    let part = a.index(s![.., ..;2])?;
    same("transposed", &a.t(), &a.t(), |a, b| crate::sum(a * b, 1))?;
    same("across", &a, &noise(&[64, 48])?.t(), |a, b| crate::sum(a * b, 1))?;
    same("gaps", &part, &part, |a, b| crate::std(a * b + 1.0f32, 0))?;
    same("three", &a.index(s![.., crate::NewAxis, ..])?, &a.index(s![..5])?, |a, b| {
        crate::sum(crate::square(a - b)?, -1)
    })?;
    same("masked", &a, &row(&a)?, |a, b| crate::mean(a * b, Reduce::axis(1).where_(a.greater(0.1f32)?)))?;
    same("masked columns", &a, &row(&a)?, |a, b| crate::sum(a * b, Reduce::axis(0).where_(b.greater(0.1f32)?)))?;
    same("initial", &a, &row(&a)?, |a, b| crate::max(a * b, Reduce::axis(1).initial(0.5f32)))
}

#[test]
fn what_a_reduction_alone_needs_is_not_computed_before() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 100_000, 1)?.astype(DType::F32)?;
        let b = &a * 0.5f32;
        let cost = |f: &dyn Fn() -> Result<Array>| cost(&a, f);
        let alone = cost(&|| crate::sum(&a, ()))?;
        assert_eq!(cost(&|| fuse(|| crate::sum(crate::square(&a - &b)?, ())))?, alone);
        // An operand of further calls is pending again.
        let twice = cost(&|| fuse(|| crate::max(&a - crate::mean(&a * 2.0f32, ())?, ())))?;
        assert_eq!(twice, alone.map(|n| 2 * n));
        Ok(())
    })
}

#[test]
fn reductions_by_a_mask_that_waits_are_the_same_to_the_bit_for_every_dtype_and_layout() -> Result<()> {
    let names = [
        "sum",
        "nanmean",
        "max",
        "var",
        "count_nonzero",
        "nanmin",
        "prod",
        "nanstd",
        "any",
        "nansum",
        "min",
        "mean",
        "nanmax",
        "all",
        "nanprod",
        "std",
        "nanvar",
    ];
    // Combinations of six layouts and six dtypes.
    let turns = Turns::every(5);
    for (k, dtype) in [DType::F16, DType::BF16, DType::F32, DType::C64, DType::I8, DType::Bool].into_iter().enumerate()
    {
        let all = layouts(dtype)?;
        for (i, a) in all.iter().enumerate() {
            if !turns.is_next() && dtype != DType::F32 {
                continue;
            }
            let b = &all[(i + 2) % all.len()];
            let shape = crate::add(a, b)?.shape().to_vec();
            let options = [Reduce::all(), Reduce::axis(-1).keepdims(true), Reduce::axis(0)];
            let options = if shape.is_empty() { Reduce::all() } else { options[(i + k) % 3].clone() };
            let name = names[(3 * i + k) % names.len()];
            let options = if name.ends_with("max") || name.ends_with("min") { options.initial(1) } else { options };
            let reduction = crate::reduction(name)?;
            let mask = |a: &Array, b: &Array| chain(a, b)?.not_equal(b)?.broadcast_to(&shape)?.logical_not();
            let what = format!("{name} {dtype} {i}");
            let (broadcast, kept, operand) = (a.broadcast_to(&shape)?, mask(b, a)?, chain(a, b)?);
            // In turn: with an operand in memory; with a pending one, too; with one that is pending with a mask in
            // memory; across the memory order.
            match (i + k) % 4 {
                0 => same(&what, a, b, |a, b| reduction.call(&broadcast, options.clone().where_(mask(a, b)?)))?,
                1 => same(&what, a, b, |a, b| reduction.call(chain(a, b)?, options.clone().where_(mask(a, b)?)))?,
                2 => same(&what, a, b, |a, b| reduction.call(chain(a, b)?, options.clone().where_(&kept)))?,
                _ => same(&what, a, b, |a, b| {
                    reduction.call(operand.t(), options.clone().where_(mask(a, b)?.t().logical_not()?))
                })?,
            }
        }
    }
    Ok(())
}

#[test]
fn by_a_mask_that_waits_elements_are_combined_in_the_order_of_the_array() -> Result<()> {
    let noise = |shape: &[usize]| -> Result<Array> {
        let size = shape.iter().product::<usize>() as i64;
        (crate::arange(0, size, 1)?.astype(DType::F32)? * 0.618_034f32).sin()?.reshape(shape)
    };
    // Combinations of six calls and five shapes.
    let turns = Turns::every(5);
    for (shape, axis) in [
        (&[20_000][..], None),
        (&[70, 130], Some(1)),
        (&[130, 68], Some(0)),
        (&[600, 7], Some(1)),
        (&[9, 5, 14], Some(0)),
    ] {
        let a = noise(shape)?;
        let options = || axis.map_or(Reduce::all(), Reduce::axis);
        let row = noise(&shape[shape.len() - 1..])?;
        let what = format!("{shape:?} {axis:?}");
        let mask = |a: &Array, b: &Array| (a * 2.0f32).greater(b);
        same_in(&turns, &what, &a, &row, |a, b| crate::sum(a, options().where_(mask(a, b)?)))?;
        same_in(&turns, &what, &a, &row, |a, b| crate::mean(crate::square(a - b)?, options().where_(mask(a, b)?)))?;
        same_in(&turns, &what, &a, &row, |a, b| crate::var(a - b, options().where_((a - b).less(0.5f32)?)))?;
        // An operand that begins at an odd element, has a negative stride, or has gaps.
        for part in [a.index(s![1..])?, a.index(s![..;-1])?, a.index(s![..;2])?] {
            same_in(&turns, &what, &part, &row.index(s![..1])?, |a, b| crate::sum(a, options().where_(mask(a, b)?)))?;
        }
    }
    // A part of a pending array is in memory before, from an odd element on.
    let a = noise(&[41, 64])?;
    same("a part", &a, &a, |a, b| {
        let part = (a * 3.0f32).index(s![.., 1..])?;
        crate::sum(part, Reduce::axis(1).where_(b.index(s![.., 1..])?.greater(0.1f32)?))
    })
}

#[test]
fn a_mask_of_a_reduction_that_waits_is_no_launch_and_no_memory_of_its_own() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let out = crate::zeros((), DType::F32)?;
        let cost = |f: &dyn Fn() -> Result<Array>| cost(&a, f);
        let mask = || (&a * 2.0f32).greater(5.0f32);
        let all = || Ok::<_, crate::Error>(Reduce::all().where_(mask()?));
        let alone = cost(&|| crate::sum(&a, ()))?;
        for (what, f) in [
            ("sum", &(|| crate::sum(&a, all()?)) as &dyn Fn() -> Result<Array>),
            ("nansum", &|| crate::nansum(&a, all()?)),
            ("what waits", &|| crate::mean(&a - 1.0f32, all()?)),
            ("initial", &|| crate::max(&a, all()?.initial(0))),
        ] {
            assert_eq!(cost(&|| fuse(f))?, alone, "{what}");
        }
        // A result that is written to an array takes no memory at all.
        assert_eq!(cost(&|| fuse(|| crate::sum(&a + 1.0f32, all()?.out(&out))))?, [alone[0], alone[1] - 1]);
        assert_eq!(out.item::<f32>()?, 500_494.0);
        // An array that is needed again is computed then.
        let [sum, count] = fuse(|| -> Result<_> {
            let kept = mask()?;
            Ok([crate::sum(&a, Reduce::all().where_(&kept))?, crate::sum(&kept, ())?])
        })?;
        assert_eq!((sum.item::<f32>()?, count.item::<i64>()?), (499_497.0, 997));
        Ok(())
    })
}

#[test]
fn what_two_reductions_need_is_computed_once() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let before = launches(&a);
        let (b, sums) = fuse(|| -> Result<_> {
            let b = &a * 2.0f32 + 1.0f32;
            let sums = [crate::sum(&b, ())?, crate::max(&b, ())?, crate::min(&b, ())?];
            Ok((b, sums))
        })?;
        // The first reduction reads through it, the second has it computed.
        assert_eq!(launches(&a) - before, 4);
        assert_eq!(sums[0].item::<f32>()?, 1_000_000.0);
        assert_eq!((sums[1].item::<f32>()?, sums[2].item::<f32>()?), (1999.0, 1.0));
        assert_eq!(b.index(s![..2])?.to_vec::<f32>()?, [1.0, 3.0]);
        // Each part of a growing chain is computed twice at most: once as it is read through, once for what follows.
        let before = launches(&a);
        fuse(|| -> Result<()> {
            let mut x = a.clone();
            for _ in 0..3 {
                x = &x * 0.5f32 + 1.0f32;
                crate::sum(&x, ())?;
            }
            Ok(())
        })?;
        assert_eq!(launches(&a) - before, 5);
        Ok(())
    })
}

#[test]
fn what_is_read_through_may_change_afterwards() -> Result<()> {
    let a = crate::arange(0, 6, 1)?.astype(DType::F64)?;
    let total = fuse(|| -> Result<Array> {
        let total = crate::sum(&a * 2.0, ())?;
        a.fill(100)?;
        Ok(total)
    })?;
    assert_eq!(total.item::<f64>()?, 30.0);
    // A result that is written to a part of its operand, or of its mask's operand.
    let c = crate::arange(0, 6, 1)?.astype(DType::F64)?.reshape([2, 3])?;
    let ones = crate::ones([2, 3], ())?;
    fuse(|| crate::sum(&ones, Reduce::axis(0).where_(c.greater(1.0)?).out(&c.index(s![0])?)).map(drop))?;
    assert_eq!(c.to_vec::<f64>()?, [1.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let b = crate::arange(0, 6, 1)?.astype(DType::F64)?.reshape([2, 3])?;
    fuse(|| crate::sum(&b * 2.0, Reduce::axis(0).out(&b.index(s![0])?)).map(drop))?;
    assert_eq!(b.to_vec::<f64>()?, [6.0, 10.0, 14.0, 3.0, 4.0, 5.0]);
    Ok(())
}

#[test]
fn until_a_kernel_is_compiled_reductions_are_made_after_their_operands() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 9, 1)?.astype(DType::F32)?;
        let before = launches(&a);
        let b = super::mode::step_by_step(|| fuse(|| crate::sum((&a + 1.0) * 2.0, ())))?;
        assert_eq!(launches(&a) - before, 3);
        assert_eq!(b.item::<f32>()?, 90.0);
        Ok(())
    })
}

#[test]
fn errors_of_reductions_come_at_the_call() -> Result<()> {
    let a = crate::zeros([2, 3], DType::F32)?;
    fuse(|| {
        let kind = |r: Result<Array>| r.unwrap_err().kind();
        assert_eq!(kind(crate::sum(&a + 1.0, 2)), crate::ErrorKind::Axis);
        assert_eq!(kind(crate::argmax(&a + 1.0, Reduce::axes([0, 1]))), crate::ErrorKind::Type);
    });
    Ok(())
}

#[test]
fn what_is_true_is_looked_for_as_it_is_computed() -> Result<()> {
    // Combinations of two calls, six layouts and three dtypes.
    let turns = Turns::every(5);
    for dtype in [DType::F32, DType::I8, DType::C64] {
        let all = layouts(dtype)?;
        for (i, a) in all.iter().enumerate() {
            let b = &all[(i + 2) % all.len()];
            let what = format!("{dtype} {i}");
            same_in(&turns, &what, a, b, |a, b| crate::argwhere(chain(a, b)?))?;
            same_in(&turns, &what, a, b, |a, b| (a * b).index(s![(a * b).not_equal(3)?]))?;
        }
    }
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let mask = a.greater(2.0f32)?;
        let before = launches(&a);
        a.index(s![&mask])?;
        let alone = launches(&a) - before;
        let found = fuse(|| a.index(s![(&a * 2.0f32 + 1.0f32).greater(5.0f32)?]))?;
        assert_eq!(launches(&a) - before, 2 * alone);
        assert_eq!(found.index(s![..2])?.to_vec::<f32>()?, [3.0, 4.0]);
        Ok(())
    })
}

#[test]
fn scans_are_the_same_to_the_bit() -> Result<()> {
    // Combinations of three calls and five shapes.
    let turns = Turns::every(2);
    for (shape, axis) in [(&[40_000][..], 0), (&[12, 35], 1), (&[70, 33], 0), (&[3, 5, 64], 2), (&[3, 16_384], 0)] {
        let size = shape.iter().product::<usize>() as i64;
        let a = (crate::arange(0, size, 1)?.astype(DType::F32)? * 0.618_034f32).sin()?.reshape(shape)?;
        let last = a.ndim() as isize - 1;
        let row = a.index(s![0])?;
        let options = || crate::ScanOptions::new().axis(axis);
        same_in(&turns, &format!("{shape:?} {axis}"), &a, &row, |a, b| crate::cumsum(&(a * b + 0.5f32), options()))?;
        same_in(&turns, &format!("transposed {shape:?}"), &a.t(), &a.t(), |a, b| {
            crate::cumprod(&(a - b + 1.0f32), last - axis)
        })?;
        same_in(&turns, &format!("bytes {shape:?}"), &a, &a, |a, _| crate::nancumsum(&a.greater(0.1f32)?, options()))?;
    }
    // A result that is written to its operand.
    let a = crate::arange(0, 6, 1)?.astype(DType::F64)?;
    let b = a.index(s![1..])?;
    fuse(|| crate::cumsum(&(&b * 2.0), crate::ScanOptions::new().axis(0).out(&a.index(s![..5])?)).map(drop))?;
    assert_eq!(a.to_vec::<f64>()?, [2.0, 6.0, 12.0, 20.0, 30.0, 5.0]);
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let cost = |f: &dyn Fn() -> Result<Array>| -> Result<u64> {
            let before = launches(&a);
            f()?;
            Ok(launches(&a) - before)
        };
        let alone = cost(&|| crate::cumsum(&a, 0))?;
        assert_eq!(cost(&|| fuse(|| crate::cumsum(&(&a * 2.0f32 + 1.0f32), 0)))?, alone);
        Ok(())
    })
}
