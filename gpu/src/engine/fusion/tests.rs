//! Tests of fusion: the same bits, one launch, and no operand read after it changed.

use std::cell::Cell;

use crate::cuda::Device;
use crate::{Array, DType, ErrorKind, FuseOptions, Order, Result, fuse, fuse_with, s};

/// Returns arrays of every kind of layout: contiguous, transposed, every second element reversed, broadcast.
pub(super) fn layouts(dtype: DType) -> Result<Vec<Array>> {
    let all = crate::arange(-35, 49, 1)?.astype(dtype)?.reshape([7, 12])?;
    let columns = crate::arange(1, 85, 1)?.astype(dtype)?.reshape([12, 7])?;
    let wide = crate::arange(-60, 108, 1)?.astype(dtype)?.reshape([7, 24])?;
    let row = crate::arange(3, 15, 1)?.astype(dtype)?;
    let column = crate::arange(2, 9, 1)?.astype(dtype)?.reshape([7, 1])?;
    Ok(vec![all, columns.t(), wide.index(s![.., ..;-2])?, row, column, crate::array(3)?.astype(dtype)?])
}

/// Returns `n` in the gate, where one in `n` combinations of tests is run, since each compiles kernels of its own; 1
/// with `CUPRUM_SAMPLE=full`, as in a nightly job.
pub(super) fn one_in(n: usize) -> usize {
    if std::env::var("CUPRUM_SAMPLE").is_ok_and(|sample| sample == "full") { 1 } else { n }
}

/// Counts combinations, of which the gate runs every n-th. Where n and the lengths of the inner lists have no common
/// factor, each element of each list is met.
pub(super) struct Turns(usize, Cell<usize>);

impl Turns {
    pub(super) fn every(n: usize) -> Turns {
        Turns(one_in(n), Cell::new(0))
    }

    /// Returns true if the next combination is run.
    pub(super) fn is_next(&self) -> bool {
        self.1.set(self.1.get() + 1);
        self.1.get().is_multiple_of(self.0)
    }
}

/// Dtype, shape, strides and bytes of an array.
#[derive(Debug, PartialEq)]
pub(super) struct Properties(DType, Vec<usize>, Vec<i64>, Vec<u8>);

pub(super) fn params(a: &Array) -> Result<Properties> {
    let bytes = a.copy(Order::C)?.reshape(a.size())?.view(DType::U8)?.to_vec::<u8>()?;
    Ok(Properties(a.dtype(), a.shape().into(), a.strides().into(), bytes))
}

pub(super) fn launches(a: &Array) -> u64 {
    a.device().cache_stats().launches
}

/// Returns the launches and the allocations of a call.
pub(super) fn cost<R>(a: &Array, f: impl FnOnce() -> Result<R>) -> Result<[u64; 2]> {
    let now = || [launches(a), a.device().memory_pool().stats().allocations];
    let before = now();
    let _made = f()?;
    let after = now();
    Ok([after[0] - before[0], after[1] - before[1]])
}

/// Calls `f` on a device that no other test launches on.
pub(super) fn apart(f: impl FnOnce() -> Result<()>) -> Result<()> {
    Device::another_for_test().with(f)
}

#[test]
fn results_are_the_same_to_the_bit_for_every_dtype_and_layout() -> Result<()> {
    // Combinations of six layouts and five dtypes.
    let turns = Turns::every(5);
    for dtype in [DType::Bool, DType::I8, DType::F16, DType::F32, DType::C64] {
        let all = layouts(dtype)?;
        for (i, a) in all.iter().enumerate() {
            if dtype != DType::F32 && !turns.is_next() {
                continue;
            }
            let (b, c) = (&all[(i + 1) % all.len()], &all[(i + 3) % all.len()]);
            let chain = || -> Result<[Array; 3]> {
                let product = a.multiply(b)?;
                let sum = product.add(c)?.add(1)?;
                let chosen = crate::where_(sum.not_equal(&product)?, &sum, b)?;
                Ok([chosen.astype(DType::F32)?.multiply(0.3)?, sum.multiply(&sum)?, chosen])
            };
            let eager = chain()?;
            for (one, other) in eager.iter().zip(&fuse(chain)?) {
                assert_eq!(params(one)?, params(other)?, "{dtype} {i}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_chain_is_one_launch_and_an_unused_result_is_none() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let before = launches(&a);
        let b = fuse(|| (&a * 2.0 + 1.0) * &a - 3.0);
        assert_eq!(launches(&a) - before, 1);
        assert_eq!(b.index(s![..3])?.to_vec::<f32>()?, [-3.0, 0.0, 7.0]);
        let before = launches(&a);
        fuse(|| drop(&a * 2.0 + 1.0));
        assert_eq!(launches(&a) - before, 0);
        // Results of the same shape share a launch; their common operand is computed once.
        let (c, d) = fuse(|| {
            let shared = &a + 1.0;
            (&shared * 2.0, &shared * 3.0)
        });
        assert_eq!(launches(&a) - before, 1);
        assert_eq!(c.index(s![..2])?.to_vec::<f32>()?, [2.0, 4.0]);
        assert_eq!(d.index(s![..2])?.to_vec::<f32>()?, [3.0, 6.0]);
        Ok(())
    })
}

#[test]
fn what_is_written_to_is_read_before() -> Result<()> {
    let fresh = || crate::arange(0, 6, 1)?.astype(DType::F64);
    type Write<'a> = (&'a str, fn(&mut Array) -> Result<()>);
    let writes: [Write<'_>; 7] = [
        ("fill", |a| a.fill(9)),
        ("in place", |a| {
            *a += 7.0;
            Ok(())
        }),
        ("a part", |a| a.set(s![1..3], 5)),
        ("through a view", |a| a.reshape([2, 3])?.t().fill(1)),
        ("sort", |a| a.sort(0)),
        ("out", |a| crate::ufunc("negative")?.call((&*a,), crate::UfuncOptions::new().out(&*a)).map(drop)),
        ("assign", |a| a.assign(&crate::zeros(6, DType::F64)?)),
    ];
    for (name, write) in writes {
        let (mut one, mut other) = (fresh()?, fresh()?);
        let eager = (&one.index(s![..;-1])? * 2.0 + 1.0, {
            write(&mut one)?;
            &one + 1.0
        });
        let (early, late) = fuse(|| -> Result<_> {
            let early = &other.index(s![..;-1])? * 2.0 + 1.0;
            write(&mut other)?;
            let late = &other + 1.0;
            Ok((early, late))
        })?;
        assert_eq!(early.to_vec::<f64>()?, eager.0.to_vec::<f64>()?, "{name}");
        assert_eq!(late.to_vec::<f64>()?, eager.1.to_vec::<f64>()?, "{name}");
    }
    // With a pending array, too: what depends on it sees its old values.
    let (a, c) = fuse(|| -> Result<_> {
        let mut a = fresh()? + 1.0;
        let b = &a * 10.0;
        a += 100.0;
        Ok((a, b + 0.5))
    })?;
    assert_eq!(a.index(s![..2])?.to_vec::<f64>()?, [101.0, 102.0]);
    assert_eq!(c.index(s![..2])?.to_vec::<f64>()?, [10.5, 20.5]);
    Ok(())
}

#[test]
fn what_needs_elements_has_them() -> Result<()> {
    let a = crate::arange(0, 12, 1)?.astype(DType::F32)?.reshape([3, 4])?;
    fuse(|| -> Result<()> {
        let b = &a * 2.0 + 1.0;
        assert_eq!(crate::sum(&b, ())?.item::<f32>()?, 144.0);
        assert_eq!(b.t().index(s![1])?.to_vec::<f32>()?, [3.0, 11.0, 19.0]);
        let c = &(&b - 1.0).t() * 1.0 + 1.0;
        assert_eq!(c.shape(), [4, 3]);
        assert_eq!(crate::cumsum(&c, 0)?.index(s![.., 0])?.to_vec::<f32>()?, [1.0, 4.0, 9.0, 16.0]);
        assert_eq!(crate::matmul(&b, &c)?.index(s![0, 0])?.item::<f32>()?, 84.0);
        let most = crate::max(&b, crate::Reduce::axis(1).keepdims(true))?;
        let parts = crate::exp(&b - &most)?;
        let softmax = parts.divide(crate::sum(&parts, crate::Reduce::axis(1).keepdims(true))?)?;
        assert!((crate::sum(&softmax, ())?.item::<f32>()? - 3.0).abs() < 1e-6);
        // The address reveals where the elements are, so that they can be written from outside.
        let d = &a + 1.0;
        let e = &d + 1.0;
        assert_ne!(d.pointer(), 0);
        assert_eq!(e.index(s![0, 0])?.item::<f32>()?, 2.0);
        Ok(())
    })
}

#[test]
fn errors_come_at_the_call() -> Result<()> {
    let (a, b) = (crate::zeros([2, 3], DType::F32)?, crate::zeros(4, DType::F32)?);
    fuse(|| {
        let pending = &a + 1.0;
        assert_eq!(pending.add(&b).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(pending.bitwise_and(1).unwrap_err().kind(), ErrorKind::Type);
        assert_eq!(pending.astype(DType::I8).unwrap().add(1000).unwrap_err().kind(), ErrorKind::Overflow);
    });
    Ok(())
}

#[test]
fn long_chains_and_wide_ones_are_cut() -> Result<()> {
    let a = crate::arange(0, 40, 1)?.astype(DType::I32)?;
    let parts: Vec<Array> = (0..40).map(|k| crate::full(40, k, DType::I32)).collect::<Result<_>>()?;
    let long = |a: &Array| -> Array { (0..200).fold(a.clone(), |x, k| &(&x * 3) + k) };
    let squares = |a: &Array| -> Array { (0..40).fold(a.clone(), |x, _| &(&x * &x) + a) };
    let views = |a: &Array| -> Result<Array> { (0..300).try_fold(a.reshape([8, 5])?, |x, _| (&x + 1).t().add(1)) };
    let wide = |a: &Array| -> Array { parts.iter().fold(a.clone(), |x, p| x + p) };
    let all = |a: &Array| -> Result<[Array; 4]> { Ok([long(a), squares(a), views(a)?, wide(a)]) };
    let eager = all(&a)?;
    for (one, other) in eager.iter().zip(&fuse(|| all(&a))?) {
        assert_eq!(params(one)?, params(other)?);
    }
    Ok(())
}

#[test]
fn pending_arrays_go_to_other_threads() -> Result<()> {
    let a = crate::arange(0, 64, 1)?.astype(DType::F64)?;
    fuse_with(FuseOptions::new().wait(true), || -> Result<()> {
        let b = &a * 2.0 + 1.0;
        let c = &b + 1.0;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| -> Result<()> {
                    assert_eq!(c.index(s![1])?.item::<f64>()?, 4.0);
                    assert_eq!(b.index(s![2])?.item::<f64>()?, 5.0);
                    a.index(s![3..])?.fill(0)
                });
            }
        });
        assert_eq!(c.index(s![3])?.item::<f64>()?, 8.0);
        Ok(())
    })
}

#[test]
fn until_a_kernel_is_compiled_calls_are_made_one_by_one() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 9, 1)?.astype(DType::F32)?;
        let before = launches(&a);
        let b = super::mode::step_by_step(|| fuse(|| (&a + 1.0) * 2.0 - 1.0));
        assert_eq!(launches(&a) - before, 3);
        assert_eq!(b.to_vec::<f32>()?[..3], [1.0, 3.0, 5.0]);
        Ok(())
    })
}

/// Returns samples of a generator that has generated three words, then its next ones.
fn draws(dtype: DType, seed: u64) -> Result<Vec<Array>> {
    let mut rng = crate::random::default_rng(seed)?;
    rng.random(crate::random::RandomOptions::new().size(3).dtype(DType::F32))?;
    let options = || crate::random::RandomOptions::new().size([7, 12]).dtype(dtype);
    let x = crate::arange(0, 84, 1)?.astype(dtype)?.reshape([7, 12])?;
    let noisy = x.add(rng.uniform(-1.5, 2.0, options())?)?.multiply(0.5)?;
    let kept = x.multiply(rng.random(options())?.less(0.25)?)?;
    let both = rng.normal(3.0, 0.1, options())?.add(rng.exponential(2.0, options())?)?;
    // In other layouts: a transposed operand is computed alone.
    let across = x.t().add(rng.standard_normal(crate::random::RandomOptions::new().size([12, 7]).dtype(dtype))?)?;
    let row = x.index(s![0])?.multiply(rng.standard_exponential(options())?)?;
    let next = rng.random(options())?;
    Ok(vec![noisy, kept, both, across, row, next])
}

#[test]
fn random_numbers_are_expressions_of_the_index() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::F16] {
        for (one, other) in draws(dtype, 5)?.iter().zip(&fuse(|| draws(dtype, 5))?) {
            assert_eq!(params(one)?, params(other)?, "{dtype}");
        }
    }
    apart(|| {
        let x = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let mut rng = crate::random::default_rng(9)?;
        let options = || crate::random::RandomOptions::new().size(1000).dtype(DType::F32);
        let mut noisy = || fuse(|| x.add(rng.uniform(0.0, 3.0, options())?));
        let first = noisy()?;
        let before = x.device().cache_stats();
        let second = noisy()?;
        let after = x.device().cache_stats();
        // Another state, the same kernel.
        assert_eq!((after.launches - before.launches, after.compiles - before.compiles), (1, 0));
        assert_ne!(params(&first)?, params(&second)?);
        let before = launches(&x);
        let mut dropped = crate::random::default_rng(9)?;
        fuse(|| dropped.random(1000).map(drop))?;
        assert_eq!(launches(&x) - before, 0);
        assert_eq!(dropped.random(4)?.to_vec::<f64>()?, {
            let mut other = crate::random::default_rng(9)?;
            other.random(1000)?;
            other.random(4)?.to_vec::<f64>()?
        });
        Ok(())
    })
}

#[test]
fn numbers_that_are_equal_are_one_input_where_there_are_many() -> Result<()> {
    apart(|| {
        let a = crate::arange(0, 1000, 1)?.astype(DType::F32)?;
        let b = &a * 0.5f32;
        // 15 scalars, of which `different` are distinct.
        let chain = |different: usize| -> Result<Array> {
            let mut x = &a * &b;
            for k in 0..15 {
                let number = (k % different) as f32 + 0.25;
                x = if k % 2 == 0 { x + number } else { x * number };
            }
            Ok(x)
        };
        for (different, launched) in [(10, 1), (11, 2), (1, 1)] {
            let before = launches(&a);
            let fused = fuse(|| chain(different))?;
            assert_eq!(launches(&a) - before, launched, "{different}");
            assert_eq!(params(&fused)?, params(&chain(different)?)?, "{different}");
            // The same for expressions that are read through.
            let before = launches(&a);
            let sum = fuse(|| crate::sum(chain(different)?, ()))?;
            assert_eq!(launches(&a) - before, launched, "{different}");
            assert_eq!(params(&sum)?, params(&crate::sum(chain(different)?, ())?)?, "{different}");
        }
        // Zeros of two signs are two scalars.
        let zeros = |x: &Array| -> Result<Array> {
            let mut x = x.multiply(0.0f32)?;
            for _ in 0..12 {
                x = crate::copysign(&x + 1.0f32, -0.0f32)?;
            }
            crate::copysign(x, 0.0f32)
        };
        assert_eq!(params(&fuse(|| zeros(&a))?)?, params(&zeros(&a)?)?);
        Ok(())
    })
}

/// Numbers at the ends of the range, and quotients of numbers that are close to the middle of two results.
fn extremes() -> Vec<f32> {
    let ends = [0.0, 1e-45, 1e-40, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN];
    let powers = (-126..=127).step_by(11).map(|e| f32::powi(2.0, e) * 1.234_567_9);
    let positive: Vec<f32> = ends.into_iter().chain(powers).chain([1.0, 3.0, 2.0f32.next_down()]).collect();
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

#[test]
fn quotients_and_roots_of_vectors_have_the_bits_of_single_ones() -> Result<()> {
    let all = extremes();
    // Vectors of equal and of different numbers, in pairs with all others, and numbers after the last vector.
    let above: Vec<f32> = all.iter().flat_map(|&x| all.iter().map(move |_| x)).chain([7.0]).collect();
    let below: Vec<f32> = all.iter().flat_map(|_| all.iter().copied()).chain([3.0]).collect();
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let (a, b) = (crate::array(above.as_slice())?.astype(dtype)?, crate::array(below.as_slice())?.astype(dtype)?);
        let chain = || -> Result<[Array; 4]> {
            let quotient = crate::negative(a.divide(&b)?)?;
            let by_scalar = crate::negative(a.divide(0.3)?)?;
            let of_scalar = crate::negative(crate::divide(0.3, &b)?)?;
            Ok([quotient, by_scalar, of_scalar, crate::negative(b.sqrt()?)?])
        };
        for (k, (one, other)) in chain()?.iter().zip(&fuse(chain)?).enumerate() {
            assert_eq!(params(one)?, params(other)?, "{dtype} {k}");
        }
    }
    Ok(())
}

#[test]
fn quotients_next_to_the_middle_of_two_numbers_are_rounded_correctly() -> Result<()> {
    // Dividends a with a 2^24 = (b + c) / 2 modulo b: the quotient is c / 2b from the middle of two numbers.
    let (mut above, mut below) = (vec![], vec![]);
    for b in ((1u64 << 23) + 1..1 << 24).step_by(8_190 * one_in(4)) {
        let inverse = (0..24).fold(1u64, |h, _| if h % 2 == 1 { (h + b) / 2 } else { h / 2 });
        for c in [-3i64, -1, 1, 3] {
            let a = ((b as i64 + c) / 2) as u64 * inverse % b;
            let a = if a < 1 << 23 { a + b } else { a };
            if a < 1 << 24 {
                above.push(a as f32);
                below.push(b as f32);
            }
        }
    }
    let last = 2.0f32.next_down();
    above.extend((0..2048u32).map(|k| f32::from_bits(0x3f80_0000 + k * 4096)));
    below.resize(above.len(), last);
    let (a, b) = (crate::array(above.as_slice())?, crate::array(below.as_slice())?);
    let quotients = fuse(|| crate::negative(a.divide(&b)?))?.to_vec::<f32>()?;
    for ((a, b), q) in above.iter().zip(&below).zip(quotients) {
        assert_eq!(q.to_bits(), (-(a / b)).to_bits(), "{a} / {b}");
    }
    let squares: Vec<f32> = (0..4096u32).map(|k| f32::from_bits(0x3f80_0000 + k * 4096 + k % 3)).collect();
    let roots = fuse(|| crate::negative(crate::array(squares.as_slice())?.sqrt()?))?.to_vec::<f32>()?;
    for (x, root) in squares.iter().zip(roots) {
        assert_eq!(root.to_bits(), (-x.sqrt()).to_bits(), "{x}");
    }
    Ok(())
}
