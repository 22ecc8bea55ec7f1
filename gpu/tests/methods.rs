//! Methods of ufuncs in cases that the conformance suite does not sample: many axes, long 1-D slices, masks that select
//! nothing.

use cuprum::{Array, DType, ErrorKind, FoldOptions, Result, arange, s, ufunc};

fn subtract_of(line: &[i64]) -> i64 {
    line[1..].iter().fold(line[0], |so_far, x| so_far - x)
}

/// Builds a view of eleven axes with every second element of each, of which no axes merge.
fn deep() -> Result<Array> {
    let all = arange(0, 4i64.pow(11), 1)?.reshape([4; 11])?;
    all.index(s![..;2, ..;2, ..;2, ..;2, ..;2, ..;2, ..;2, ..;2, ..;2, ..;2, ..;2])
}

#[test]
fn folds_go_along_one_of_many_axes() -> Result<()> {
    let a = deep()?;
    let host = a.to_vec::<i64>()?;
    for axis in [0usize, 5, 10] {
        let inner = 2usize.pow(10 - axis as u32);
        let first = |i: usize| (i / inner) * 2 * inner + i % inner;
        let want: Vec<i64> = (0..1024).map(|i| subtract_of(&[host[first(i)], host[first(i) + inner]])).collect();
        let got = ufunc("subtract")?.reduce(&a, axis as isize, ())?;
        assert_eq!(got.to_vec::<i64>()?, want, "axis {axis}");
        let all = ufunc("subtract")?.accumulate(&a, axis as isize, ())?;
        let last = ufunc("subtract")?.reduceat(&all, [1], axis as isize, ())?;
        assert_eq!(last.to_vec::<i64>()?, want, "axis {axis}");
    }
    Ok(())
}

#[test]
fn a_mask_goes_along_many_axes_too() -> Result<()> {
    let a = deep()?;
    let host = a.to_vec::<i64>()?;
    let mask = cuprum::equal(&cuprum::remainder(&a, 3)?, 0)?;
    let want = host.iter().filter(|x| *x % 3 == 0).fold(0, |so_far, x| so_far ^ x);
    let options = FoldOptions { where_: Some(&mask), ..FoldOptions::default() };
    assert_eq!(ufunc("bitwise_xor")?.reduce(&a, (), options)?.item::<i64>()?, want);
    Ok(())
}

#[test]
fn a_long_line_is_gone_along_in_its_order() -> Result<()> {
    let n = 40_001;
    let a = cuprum::true_divide(&arange(1, n + 1, 1)?, 7.0)?.astype(DType::F32)?;
    let host = a.to_vec::<f32>()?;
    let want: Vec<f32> = host[1..]
        .iter()
        .scan(host[0], |so_far, x| {
            *so_far -= x;
            Some(*so_far)
        })
        .collect();
    let all = ufunc("subtract")?.accumulate(&a, 0, ())?;
    assert!(all.index(s![1..])?.to_vec::<f32>()? == want);
    let rest = host[1..].iter().fold(host[0], |so_far, x| so_far - x);
    assert_eq!(ufunc("subtract")?.reduce(&a, 0, ())?.item::<f32>()?, rest);
    Ok(())
}

#[test]
fn where_a_mask_leaves_nothing_the_identity_is_left() -> Result<()> {
    let (a, none) = (arange(1, 5, 1)?, Array::from_slice(&[false; 4], [4])?);
    for (name, identity) in [("add", 0), ("multiply", 1), ("bitwise_and", -1), ("bitwise_or", 0)] {
        let options = FoldOptions { where_: Some(&none), ..FoldOptions::default() };
        assert_eq!(ufunc(name)?.reduce(&a, 0, options)?.item::<i64>()?, identity, "{name}");
        let options = FoldOptions { initial: Some(6.into()), ..options };
        assert_eq!(ufunc(name)?.reduce(&a, 0, options)?.item::<i64>()?, 6, "{name}");
    }
    let (x, none) = (cuprum::ones([4], DType::F32)?, FoldOptions { where_: Some(&none), ..FoldOptions::default() });
    for (name, identity) in [("hypot", 0.0), ("logaddexp", f32::NEG_INFINITY), ("logaddexp2", f32::NEG_INFINITY)] {
        assert_eq!(ufunc(name)?.reduce(&x, 0, none)?.item::<f32>()?, identity, "{name}");
    }
    assert_eq!(ufunc("hypot")?.reduce(&x, (), ())?.item::<f32>()?, 2.0);
    Ok(())
}

#[test]
fn out_may_overlap_what_is_reduced() -> Result<()> {
    let a = arange(0, 12, 1)?.reshape([3, 4])?;
    let row = a.index(s![1])?;
    ufunc("subtract")?.reduce(&a, 0, FoldOptions { out: Some(&row), ..FoldOptions::default() })?;
    assert_eq!(a.to_vec::<i64>()?, [0, 1, 2, 3, -12, -13, -14, -15, 8, 9, 10, 11]);
    Ok(())
}

/// Which methods a function has follows from its record, so that functions added later are covered.
#[test]
fn every_function_of_two_operands_has_the_methods() -> Result<()> {
    let mut with_methods = 0;
    for id in cuprum_kernels::registry::UfuncId::all() {
        let record = id.record();
        if record.name == "arange" {
            continue;
        }
        let f = ufunc(record.name)?;
        // Operands that the function accepts again as results: of the dtype of its last loop whose inputs have the
        // output's dtype.
        let gives = |l: &&cuprum_kernels::registry::Loop| l.ins[..record.nin].iter().all(|d| *d == l.out());
        let dtype = id.loops().iter().rev().find(gives).map_or(DType::Bool, |l| l.out());
        let a = cuprum::ones([2, 3], dtype)?;
        let results =
            [f.reduce(&a, 1, ()), f.accumulate(&a, 1, ()), f.reduceat(&a, [0, 2], 1, ()), f.outer(&a, &a, ())];
        let again = id.loops().iter().rev().any(|l| gives(&l));
        if record.nin == 2 && record.nout == 1 && !again {
            // No loop has a second operand of the result's dtype: only `reduce` and `outer` are valid, as in NumPy.
            let kinds = results.map(|r| r.map_err(|e| e.kind()).err());
            assert_eq!(kinds, [None, Some(ErrorKind::Type), Some(ErrorKind::Type), None], "{}", record.name);
        } else if record.nin == 2 && record.nout == 1 {
            let shapes: Vec<Vec<usize>> =
                results.into_iter().map(|r| r.map(|a| a.shape().to_vec())).collect::<Result<_>>()?;
            assert_eq!(shapes, [vec![2], vec![2, 3], vec![2, 2], vec![2, 3, 2, 3]], "{}", record.name);
            with_methods += 1;
        } else {
            for result in results.into_iter().take(if record.nin == 2 { 3 } else { 4 }) {
                assert_eq!(result.unwrap_err().kind(), ErrorKind::Value, "{}", record.name);
            }
        }
    }
    assert!(with_methods >= 20, "{with_methods}");
    Ok(())
}

/// Order-dependent updates of elements whose indices occur from once to a thousand times: a single thread does up to 16
/// of them, and a warp reads 128 more at a time.
#[test]
fn steps_at_one_element_are_done_in_their_order() -> Result<()> {
    let times = [1usize, 15, 16, 17, 143, 144, 145, 271, 272, 273, 1000, 2, 40];
    let mut order: Vec<i64> = times.iter().enumerate().flat_map(|(at, &n)| vec![at as i64; n]).collect();
    // Shuffled with a stride that is a prime coprime to the length.
    let n = order.len();
    assert_ne!(n % 1009, 0);
    order = (0..n).map(|i| order[i * 1009 % n]).collect();
    let given: Vec<f32> = (0..n).map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect();
    let (indices, operand) = (Array::from_slice(&order, [n])?, Array::from_slice(&given, [n])?);
    let add = |a: f32, b: f32| a + b;
    let subtract = |a: f32, b: f32| a - b;
    for (name, step) in [("add", &add as &dyn Fn(f32, f32) -> f32), ("subtract", &subtract)] {
        let a = cuprum::ones([times.len()], DType::F32)?;
        ufunc(name)?.at(&a, [&indices], &operand)?;
        let mut want = vec![1.0f32; times.len()];
        order.iter().zip(&given).for_each(|(&at, &x)| want[at as usize] = step(want[at as usize], x));
        assert_eq!(a.to_vec::<f32>()?, want, "{name}");
    }
    Ok(())
}
