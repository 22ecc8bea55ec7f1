//! Tests of `at` without a sort: order-independent operations, the minimum and maximum of floats, exact sums of many
//! float32 numbers, and few operations in order. The expected values are computed on the host.

use cuprum::{Array, DType, Result, s, ufunc};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// Pseudorandom words.
fn words(n: usize) -> impl Iterator<Item = u64> {
    let mut state = 7u64;
    (0..n).map(move |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state >> 20
    })
}

/// The number of additions from which sums are exact.
const MANY: usize = 1 << 16;

/// The maximum number of operations that each block scans for its own.
const FEW: usize = 1 << 16;

/// An exact sum of float32 numbers: base-256 digits of a multiple of 2^-149, without carries.
#[derive(Clone)]
struct Sum([i64; 48]);

impl Sum {
    /// Adds a value; infinity counts as 2^128, the next number after the largest.
    fn add(&mut self, x: f32, times: i64) {
        let (exponent, fraction) = (x.to_bits() >> 23 & 255, i64::from(x.to_bits() & 0x7f_ffff));
        let (digits, e) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 23, exponent - 1) };
        let signed = if x.is_sign_negative() { -digits } else { digits };
        self.0[e as usize / 8] += (signed << (e % 8)) * times;
    }

    fn sign(&self) -> i64 {
        let (mut carry, mut any) = (0, false);
        for digit in self.0 {
            let all = digit + carry;
            any |= all & 255 != 0;
            carry = all >> 8;
        }
        if carry < 0 { -1 } else { (any || carry > 0).into() }
    }

    /// Panics unless `found` is the sum rounded to nearest, ties to even.
    fn check(&self, found: f32, what: &str) {
        assert!(!found.is_nan(), "{what}");
        let mut twice = self.clone();
        twice.0.iter_mut().for_each(|digit| *digit *= 2);
        let beyond_middle = |neighbour: f32| {
            let mut off = twice.clone();
            off.add(found, -1);
            off.add(neighbour, -1);
            off.sign()
        };
        let even = found.to_bits() & 1 == 0;
        if found < f32::INFINITY {
            let above = beyond_middle(found.next_up());
            assert!(above < 0 || above == 0 && even, "{what}: {found:e} is too small");
        }
        if found > f32::NEG_INFINITY {
            let below = beyond_middle(found.next_down());
            assert!(below > 0 || below == 0 && even, "{what}: {found:e} is too large");
        }
    }
}

fn bits(a: &Array) -> Result<Vec<u32>> {
    Ok(a.to_vec::<f32>()?.into_iter().map(f32::to_bits).collect())
}

/// Returns numbers of all magnitudes, of one magnitude, and ones that cancel earlier ones; and their positions.
fn additions(n: usize, targets: usize) -> (Vec<i64>, Vec<f32>) {
    let (mut at, mut values) = (Vec::<i64>::new(), Vec::<f32>::new());
    for (k, w) in words(n).enumerate() {
        let any = f32::from_bits(w as u32);
        let any = if any.is_finite() { any } else { 0.0 };
        let (target, value) = match k % 4 {
            0 => ((w >> 8) as usize % targets, any),
            1 if k > 40 => (at[k - 33] as usize, -values[k - 33]),
            2 => ((w >> 8) as usize % targets, f32::from_bits(w as u32 & 0x83ff_ffff)),
            _ => ((w >> 8) as usize % targets, (w as i32 >> 3) as f32),
        };
        at.push(target as i64);
        values.push(value);
    }
    (at, values)
}

fn check_sums(n: usize, targets: usize) -> Result<()> {
    let (mut at, mut values) = additions(n, targets);
    let elements: Vec<f32> = words(targets).map(|w| (w as i32) as f32 * 1e-7).collect();
    let mut sums: Vec<Sum> = vec![Sum([0; 48]); targets];
    elements.iter().enumerate().for_each(|(i, &x)| sums[i].add(x, 1));
    at.iter().zip(&values).for_each(|(&i, &x)| sums[i as usize].add(x, 1));
    let a = Array::from_slice(&elements, [targets])?;
    ufunc("add")?.at(&a, [&Array::from_slice(&at, [n])?], &Array::from_slice(&values, [n])?)?;
    for (i, found) in a.to_vec::<f32>()?.into_iter().enumerate() {
        sums[i].check(found, &format!("element {i} of {targets}"));
    }
    // In another order, and subtracted.
    at.reverse();
    values.reverse();
    let b = Array::from_slice(&elements, [targets])?;
    let negated: Vec<f32> = values.iter().map(|x| -x).collect();
    ufunc("subtract")?.at(&b, [&Array::from_slice(&at, [n])?], &Array::from_slice(&negated, [n])?)?;
    assert_eq!(bits(&a)?, bits(&b)?);
    Ok(())
}

#[test]
fn many_floats_are_added_exactly() -> Result<()> {
    for targets in [1, 900, 5003, 8_000, 32_000] {
        check_sums(MANY + 5, targets)?;
    }
    check_sums((1 << 20) + 7, 5003)
}

#[test]
fn limbs_hold_the_largest_sums() -> Result<()> {
    // The largest 24-bit integer, at the exponents with the largest shifts.
    for (n, exponent) in [((1 << 20) - 1, 139), ((1 << 20) - 1, 140), (1 << 20, 139), (1 << 20, 140), (1 << 20, 153)] {
        let x = 16_777_215.0 * 2f32.powi(exponent - 149);
        let mut sum = Sum([0; 48]);
        sum.add(x, n + 1);
        for sign in [1.0, -1.0] {
            let a = cuprum::full([4000], sign * x, DType::F32)?;
            let all = Array::from_slice(&vec![3999i64; n as usize], [n as usize])?;
            ufunc("add")?.at(&a, [&all], &Array::from_slice(&[sign * x], [1])?)?;
            sum.check(sign * a.to_vec::<f32>()?[3999], &format!("{n} times {x}"));
        }
    }
    Ok(())
}

/// Non-commutative operations, up to the limit of the method for few: more operations on one element than a block
/// buffers, more elements than operations, and less than a warp.
#[test]
fn few_steps_are_done_in_their_order() -> Result<()> {
    fn check<T: cuprum::Element + Copy + PartialEq + std::fmt::Debug>(
        name: &str,
        [n, targets]: [usize; 2],
        number: impl Fn(u64) -> T,
        step: impl Fn(T, T) -> T,
    ) -> Result<()> {
        // Half of the operations are at four positions.
        let target = |w: u64| (if w & 1 == 0 { w >> 1 & 3 } else { w >> 3 }) as i64 % targets as i64;
        let at: Vec<i64> = words(n).map(target).collect();
        let operand: Vec<T> = words(n).map(|w| number(w >> 5)).collect();
        let elements: Vec<T> = words(targets).map(|w| number(w >> 7)).collect();
        let mut want = elements.clone();
        at.iter().zip(&operand).for_each(|(&i, &x)| want[i as usize] = step(want[i as usize], x));
        // Every other element of an array, and operands in reverse order.
        let a = cuprum::zeros([2 * targets], T::DTYPE)?.index(s![..;2])?;
        cuprum::copyto(&a, &Array::from_slice(&elements, [targets])?, ())?;
        let reversed: Vec<T> = operand.into_iter().rev().collect();
        let operand = Array::from_slice(&reversed, [n])?.index(s![..;-1])?;
        ufunc(name)?.at(&a, [&Array::from_slice(&at, [n])?], &operand)?;
        assert!(a.to_vec::<T>()? == want, "{name} of {} at {targets} targets, {n} times", T::DTYPE);
        Ok(())
    }
    for [n, targets] in [[1, 1], [31, 7], [65, 3], [129, 1], [1000, 5000], [4097, 4], [9999, 1024]] {
        check("subtract", [n, targets], |w| (w % 1_000_003) as f32 / 7.0, |a, b| a - b)?;
        check("add", [n, targets], |w| Complex64::new((w % 1_000_003) as f64 / 7.0, (w % 97) as f64), |a, b| a + b)?;
        check("add", [n, targets], |w| w as i8, i8::wrapping_add)?;
    }
    // Beyond the limit, positions are sorted.
    for n in [FEW, FEW + 1] {
        check("add", [n, 20_000], |w| (w % 1_000_003) as f64 / 7.0, |a, b| a + b)?;
    }
    // One less than the number from which sums are exact.
    check("add", [MANY - 1, 900], |w| (w % 1_000_003) as f32 / 7.0, |a, b| a + b)
}

/// Elements: initial value, addends, and expected result.
const SPECIAL: &[(f32, &[f32], f32)] = &[
    (-0.0, &[], -0.0),
    (-0.0, &[-0.0, -0.0], -0.0),
    (-0.0, &[-0.0, 0.0], 0.0),
    (-0.0, &[3.0, -3.0], 0.0),
    (0.0, &[-0.0], 0.0),
    (5.0, &[-5.0, -0.0], 0.0),
    (5.0, &[], 5.0),
    (f32::INFINITY, &[-3e38, -3e38], f32::INFINITY),
    (f32::INFINITY, &[f32::NEG_INFINITY], f32::NAN),
    (1.0, &[f32::NEG_INFINITY, 1.0], f32::NEG_INFINITY),
    (-0.0, &[f32::INFINITY, f32::NEG_INFINITY], f32::NAN),
    (1.0, &[f32::NAN], f32::NAN),
    (f32::NAN, &[1.0], f32::NAN),
    (f32::NEG_INFINITY, &[-f32::NAN], f32::NAN),
    (0.0, &[1e38, 1.0, -1e38], 1.0),
    (1e-45, &[3e38, -3e38], 1e-45),
    (f32::MAX, &[f32::MAX, -f32::MAX], f32::MAX),
    (f32::MAX, &[f32::MAX], f32::INFINITY),
    (f32::MIN, &[f32::MIN], f32::NEG_INFINITY),
    // Half a unit beyond the largest number, and slightly less.
    (f32::MAX, &[1.014_120_5e31], f32::INFINITY),
    (f32::MAX, &[1.014_120_5e31, -1e-45], f32::MAX),
    (1e-45, &[1e-45, 1e-45], 4e-45),
    (f32::MIN_POSITIVE, &[-1e-45], 1.175_494_2e-38),
    (-f32::MIN_POSITIVE, &[1e-45], -1.175_494_2e-38),
    // Half a unit in the last target: rounds to even; slightly more, and slightly less than the next one.
    (1.0, &[5.960_464_5e-8], 1.0),
    (1.0, &[5.960_464_5e-8, 1e-45], 1.000_000_1),
    (-1.0, &[-5.960_464_5e-8, -1e-45], -1.000_000_1),
    (1.000_000_1, &[5.960_464_5e-8], 1.000_000_2),
    (1.000_000_1, &[5.960_464_5e-8, -1e-45], 1.000_000_1),
    (16_777_216.0, &[-1.0, -1e-45], 16_777_215.0),
];

fn same(found: f32, want: f32) -> bool {
    found.to_bits() == want.to_bits() || found.is_nan() && want.is_nan()
}

/// Floats to more elements than half of them: in order, and exactly where an element has more than 16 of them.
#[test]
fn few_floats_of_each_element_are_added_in_order() -> Result<()> {
    const ALONE: usize = 16;
    let n = FEW + 77;
    for (targets, hot) in [(n, 0), (40_000, 3), (n / 2 + 1, 1), (3 * n, 900)] {
        // Every third addition is to one of the hot elements; others are to elements at random.
        let at: Vec<i64> = words(n)
            .enumerate()
            .map(|(k, w)| if k % 3 == 0 && hot > 0 { k % hot * 7 } else { (w >> 8) as usize % targets } as i64)
            .collect();
        let values: Vec<f32> = words(n).map(|w| (w as i32 >> 3) as f32 * f32::exp2((w >> 33) as f32 % 40.0)).collect();
        let elements: Vec<f32> = words(targets).map(|w| (w as i32) as f32).collect();
        let (mut in_order, mut counts) = (elements.clone(), vec![0; targets]);
        let mut sums = vec![Sum([0; 48]); targets];
        elements.iter().enumerate().for_each(|(i, &x)| sums[i].add(x, 1));
        for (&i, &x) in at.iter().zip(&values) {
            in_order[i as usize] += x;
            counts[i as usize] += 1;
            sums[i as usize].add(x, 1);
        }
        assert_eq!(counts.iter().any(|&count| count > ALONE), hot > 0);
        let check = |found: Vec<f32>, what: &str| {
            for (i, found) in found.into_iter().enumerate() {
                if counts[i] <= ALONE {
                    assert_eq!(found.to_bits(), in_order[i].to_bits(), "{what}: element {i} of {targets}");
                } else {
                    sums[i].check(found, &format!("{what}: element {i} of {targets}"));
                }
            }
        };
        // Indices from the end, of several dtypes, and two arrays of indices, which become positions.
        let operand = Array::from_slice(&values, [n])?;
        let ends: Vec<i64> = at.iter().map(|&i| if i % 2 == 0 { i } else { i - targets as i64 }).collect();
        for dtype in [DType::I64, DType::I32, DType::U32] {
            let indices = Array::from_slice(if dtype == DType::U32 { &at } else { &ends }, [n])?.astype(dtype)?;
            let a = Array::from_slice(&elements, [targets])?;
            ufunc("add")?.at(&a, [&indices], &operand)?;
            check(a.to_vec::<f32>()?, &format!("{dtype}"));
        }
        let a = Array::from_slice(&elements, [targets])?;
        let zero = cuprum::zeros([n], DType::I64)?;
        ufunc("subtract")?.at(a.reshape([1, targets])?, [&zero, &Array::from_slice(&ends, [n])?], &(-&operand))?;
        check(a.to_vec::<f32>()?, "two arrays");
        // Both parts of complex numbers, of an array with gaps.
        let double = |of: &[f32]| of.iter().map(|&x| Complex32::new(x, -x)).collect::<Vec<_>>();
        let b = cuprum::zeros([2 * targets], DType::C64)?.index(s![..;2])?;
        cuprum::copyto(&b, &Array::from_slice(&double(&elements), [targets])?, ())?;
        ufunc("add")?.at(&b, [&Array::from_slice(&ends, [n])?], &Array::from_slice(&double(&values), [n])?)?;
        let found = b.to_vec::<Complex32>()?;
        check(found.iter().map(|z| z.re).collect(), "real");
        check(found.iter().map(|z| -z.im).collect(), "imaginary");
    }
    Ok(())
}

/// The first index out of bounds is reported, and nothing is changed: with exact sums, and with linked additions.
#[test]
fn indices_out_of_bounds_change_nothing() -> Result<()> {
    for targets in [3000, MANY] {
        let mut at: Vec<i64> = words(MANY + 9).map(|w| (w >> 8) as i64 % targets as i64).collect();
        (at[50_000], at[777], at[60_000]) = (targets as i64, -1 - targets as i64, i64::MAX);
        let (a, one) = (cuprum::full([targets], 0.5, DType::F32)?, Array::from_slice(&[1.0f32], [1])?);
        let indices = Array::from_slice(&at, [at.len()])?;
        let ended = ufunc("add")?.at(&a, [&indices], &one).and_then(|()| a.device().synchronize());
        let message = format!("index {} at position 777 is out of bounds for axis 0 with size {targets}", at[777]);
        assert!(ended.is_err_and(|e| e.message().contains(&message)), "{message}");
        assert!(a.to_vec::<f32>()?.iter().all(|&x| x == 0.5));
    }
    Ok(())
}

#[test]
fn zeros_infinities_and_ties_are_added() -> Result<()> {
    // The special elements are followed by one that receives the other additions.
    let last = SPECIAL.len();
    let (mut at, mut values) = (vec![last as i64; MANY], vec![1.0f32; MANY]);
    for (i, (_, added, _)) in SPECIAL.iter().enumerate() {
        for (k, &x) in added.iter().enumerate() {
            // Neighbouring additions are to different elements, and processed by the same thread.
            let target = 4 * i + 1000 * k + i % 4;
            (at[target], values[target]) = (i as i64, x);
        }
    }
    let elements: Vec<f32> = SPECIAL.iter().map(|x| x.0).chain([0.0]).collect();
    let (indices, operand) = (Array::from_slice(&at, [MANY])?, Array::from_slice(&values, [MANY])?);
    let check = |found: Vec<f32>, what: &str| {
        for (&(x, added, want), found) in SPECIAL.iter().zip(found) {
            assert!(same(found, want), "{what}: {x:e} and {added:?}: {found:e}, not {want:e}");
        }
    };
    // Also for an array that shares its memory.
    for a in [cuprum::zeros([last + 1], DType::F32)?, cuprum::zeros([2 * last + 2], DType::F32)?.index(s![..;2])?] {
        cuprum::copyto(&a, &Array::from_slice(&elements, [last + 1])?, ())?;
        ufunc("add")?.at(&a, [&indices], &operand)?;
        check(a.to_vec::<f32>()?, "add");
    }
    // In the real and in the imaginary part of complex numbers.
    let double = |of: &[f32]| of.iter().map(|&x| Complex32::new(2.0, x)).collect::<Vec<_>>();
    let a = Array::from_slice(&double(&elements), [last + 1])?;
    ufunc("add")?.at(&a, [&indices], &Array::from_slice(&double(&values), [MANY])?)?;
    let found = a.to_vec::<Complex32>()?;
    check(found.iter().map(|z| z.im).collect(), "imaginary");
    for (z, (_, added, _)) in found.iter().zip(SPECIAL) {
        assert_eq!(z.re, 2.0 + 2.0 * added.len() as f32);
    }
    // One number for all positions.
    let (a, one) = (cuprum::zeros([last + 1], DType::F32)?, Array::from_slice(&[0.5f32], [1])?);
    ufunc("add")?.at(&a, [&indices], &one)?;
    assert_eq!(a.to_vec::<f32>()?[14..16], [1.5, 1.0]);
    // Nothing is changed if an index is out of bounds.
    at[MANY - 1] = 1 + last as i64;
    let result =
        ufunc("add")?.at(&a, [&Array::from_slice(&at, [MANY])?], &one).and_then(|()| a.to_vec::<f32>().map(|_| ()));
    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::Index);
    assert_eq!(a.to_vec::<f32>()?[14..16], [1.5, 1.0]);
    Ok(())
}

/// Returns the result of the named function for two floats that float64 can represent.
fn extreme(name: &str, a: f64, b: f64) -> f64 {
    let (greatest, skips) = (name.ends_with("max") || name == "maximum", name.starts_with('f'));
    match (a.is_nan(), b.is_nan()) {
        (true, _) => {
            if skips {
                b
            } else {
                a
            }
        }
        (_, true) => {
            if skips {
                a
            } else {
                b
            }
        }
        _ => {
            if (a.total_cmp(&b) == std::cmp::Ordering::Less) == greatest {
                b
            } else {
                a
            }
        }
    }
}

#[test]
fn floats_are_changed_to_the_larger_and_the_smaller_in_any_order() -> Result<()> {
    const N: usize = 30_011;
    fn check<T: cuprum::Element + Copy>(
        targets: usize,
        float: impl Fn(u64) -> T,
        wide: impl Fn(T) -> f64,
    ) -> Result<()> {
        for name in ["maximum", "minimum", "fmax", "fmin"] {
            let at: Vec<i64> = words(N).map(|w| (w >> 3) as i64 % targets as i64).collect();
            let operand: Vec<T> = words(N).map(|w| float(w >> 5)).collect();
            let elements: Vec<T> = words(targets).map(|w| float(w >> 2)).collect();
            let mut want: Vec<f64> = elements.iter().map(|&x| wide(x)).collect();
            at.iter().zip(&operand).for_each(|(&i, &x)| want[i as usize] = extreme(name, want[i as usize], wide(x)));
            let a = Array::from_slice(&elements, [targets])?;
            ufunc(name)?.at(&a, [&Array::from_slice(&at, [N])?], &Array::from_slice(&operand, [N])?)?;
            for (i, (found, want)) in a.to_vec::<T>()?.into_iter().zip(want).enumerate() {
                let found = wide(found);
                let alike = found.to_bits() == want.to_bits() || found.is_nan() && want.is_nan();
                assert!(alike, "{name} of {} at {i} of {targets}: {found:e}, not {want:e}", T::DTYPE);
            }
        }
        Ok(())
    }
    // Both zeros, NaNs of both signs, infinities, subnormal numbers, and others.
    let rare = |w: u64, sign: u64, infinite: u64| match w % 3001 {
        0 => Some(sign),
        1 => Some(0),
        2 => Some(infinite + 1),
        3 => Some(sign | infinite | infinite >> 1),
        4 => Some(infinite),
        5 => Some(sign | infinite),
        6 => Some(sign | 3),
        _ => None,
    };
    // With 16 and 13 operations per element, few contain a NaN; in the last case most elements get none, a third of
    // them one or two operations.
    for targets in [1, 100, 2500, 30_000] {
        check(
            targets,
            |w| f16::from_bits(rare(w, 1 << 15, 0x7c00).unwrap_or((w % 0x7c00) | (w >> 9 & (1 << 15))) as u16),
            |x| x.into(),
        )?;
        check(
            targets,
            |w| bf16::from_bits(rare(w, 1 << 15, 0x7f80).unwrap_or((w % 0x7f80) | (w >> 9 & (1 << 15))) as u16),
            |x| x.into(),
        )?;
        check(
            targets,
            |w| f32::from_bits(rare(w, 1 << 31, 0x7f80_0000).unwrap_or(w & 0xbfff_ffff) as u32),
            |x| x.into(),
        )?;
        check(targets, |w| f64::from_bits(rare(w, 1 << 63, 0x7ff << 52).unwrap_or(w << 25 & !(1 << 62))), |x: f64| x)?;
    }
    // All zeros: the sign depends on the order.
    check(50, |w| if w & 1 == 0 { 0.0f32 } else { -0.0 }, |x| x.into())
}
