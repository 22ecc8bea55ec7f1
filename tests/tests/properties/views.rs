//! Any chain of views agrees with the oracle: the same shape, strides and elements, a view wherever NumPy returns one,
//! and the same errors.

use cuprum::{Array, Axes, Index, Slice};
use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, NdArray};
use proptest::prelude::*;

use crate::config;

/// A step of a chain. Axes and lengths are usually reduced to valid ones.
#[derive(Clone, Debug)]
enum Step {
    Index(Vec<Part>),
    /// Transposes the axes: the first one and the step.
    Transpose(usize, usize),
    Swap(isize, isize),
    Move(isize, isize),
    Expand(isize),
    Squeeze(Option<isize>),
    /// Reshapes to factors of the number of elements, in order C or F, with -1 at an optional position.
    Reshape(Vec<usize>, bool, Option<usize>),
    /// Broadcasts to this many new leading axes, and axes of length 1 to these lengths.
    Broadcast(Vec<usize>, usize),
    /// Reshapes to a shape that may not fit.
    Misfit(Vec<isize>),
}

#[derive(Clone, Copy, Debug)]
enum Part {
    At(i64),
    Slice(Option<i64>, Option<i64>, i64),
    NewAxis,
    Ellipsis,
}

fn part() -> impl Strategy<Value = Part> {
    let bound = || proptest::option::of(-7i64..8);
    prop_oneof![
        2 => (-3i64..3).prop_map(Part::At),
        5 => (bound(), bound(), prop_oneof![5 => 1i64..4, 4 => -3i64..0, 1 => Just(0i64)])
            .prop_map(|(a, b, c)| Part::Slice(a, b, c)),
        1 => Just(Part::NewAxis),
        1 => Just(Part::Ellipsis),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let axis = || -3isize..4;
    prop_oneof![
        4 => proptest::collection::vec(part(), 0..4).prop_map(Step::Index),
        2 => (0usize..4, 1usize..4).prop_map(|(from, by)| Step::Transpose(from, by)),
        1 => (axis(), axis()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => (axis(), axis()).prop_map(|(a, b)| Step::Move(a, b)),
        1 => axis().prop_map(Step::Expand),
        1 => proptest::option::of(axis()).prop_map(Step::Squeeze),
        4 => (proptest::collection::vec(1usize..5, 0..5), any::<bool>(), proptest::option::of(0usize..4))
            .prop_map(|(factors, f, open)| Step::Reshape(factors, f, open)),
        2 => (proptest::collection::vec(0usize..4, 4), 0usize..3).prop_map(|(to, front)| Step::Broadcast(to, front)),
        1 => proptest::collection::vec(-1isize..5, 0..3).prop_map(Step::Misfit),
    ]
}

/// Returns a shape of as many elements: each factor is used if it divides the remaining size.
fn shape_of(size: usize, factors: &[usize], open: Option<usize>) -> Vec<isize> {
    let (mut shape, mut left) = (vec![], size);
    for factor in factors {
        if left > 0 && left.is_multiple_of(*factor) {
            left /= factor;
            shape.push(*factor as isize);
        }
    }
    shape.push(left as isize);
    if let Some(at) = open {
        let at = at % shape.len();
        shape[at] = -1;
    }
    shape
}

type Both = (cuprum::Result<Array>, oracle::Result<NdArray>);

fn take(step: &Step, a: &Array, b: &NdArray) -> Both {
    match step {
        Step::Index(parts) => {
            let ours = |p: &Part| match *p {
                Part::At(i) => Index::At(i),
                Part::Slice(start, stop, step) => Index::Slice(Slice { start, stop, step: Some(step) }),
                Part::NewAxis => Index::NewAxis,
                Part::Ellipsis => Index::Ellipsis,
            };
            let wide = |i: Option<i64>| i.map(|i| i as isize);
            let theirs = |p: &Part| match *p {
                Part::At(i) => oracle::Index::At(i as isize),
                Part::Slice(a, b, c) => oracle::Index::Slice(wide(a), wide(b), Some(c as isize)),
                Part::NewAxis => oracle::Index::NewAxis,
                Part::Ellipsis => oracle::Index::Ellipsis,
            };
            let (x, y): (Vec<_>, Vec<_>) = parts.iter().map(|p| (ours(p), theirs(p))).unzip();
            (a.index(x), b.index(&y))
        }
        Step::Transpose(from, by) => {
            let n = a.ndim();
            // A permutation if `by` is coprime to the number of axes, otherwise an error.
            let axes: Vec<isize> = (0..n).map(|i| ((from + i * by) % n) as isize).collect();
            (a.transpose(&axes), b.transpose(Some(&axes)))
        }
        Step::Swap(i, j) => (a.swapaxes(*i, *j), b.swapaxes(*i, *j)),
        Step::Move(i, j) => (a.moveaxis([*i], [*j]), b.moveaxis(&[*i], &[*j])),
        Step::Expand(i) => (a.expand_dims([*i]), b.expand_dims(&[*i])),
        Step::Squeeze(i) => {
            let axes = i.map(|i| [i]);
            let axes = axes.as_ref().map(|a| a.as_slice());
            (a.squeeze(axes.map_or(Axes::from(()), Axes::from)), b.squeeze(axes))
        }
        Step::Reshape(factors, f, open) => {
            let to = shape_of(a.size(), factors, *open);
            let (ours, theirs) =
                if *f { (cuprum::Order::F, oracle::Order::F) } else { (cuprum::Order::C, oracle::Order::C) };
            (a.reshape_in(to.clone(), ours), b.reshape(&to, theirs))
        }
        Step::Broadcast(to, front) => {
            let broadcast = |(n, to): (&usize, &usize)| if *n == 1 { *to } else { *n };
            let own = a.shape().iter().zip(to.iter().cycle()).map(broadcast);
            let shape: Vec<usize> = to.iter().copied().take(*front).chain(own).collect();
            (a.broadcast_to(&shape), b.broadcast_to(&shape))
        }
        Step::Misfit(to) => (a.reshape_in(to.clone(), cuprum::Order::C), b.reshape(to, oracle::Order::C)),
    }
}

/// Returns the strides of axes that have more than one element.
fn strides<T: Copy + TryInto<i64>>(shape: &[usize], strides: &[T]) -> Vec<i64> {
    if shape.contains(&0) {
        return vec![];
    }
    let wide = |s: &T| (*s).try_into().unwrap_or(i64::MIN);
    shape.iter().zip(strides).filter(|(n, _)| **n > 1).map(|(_, s)| wide(s)).collect()
}

fn same_kind(a: &cuprum::Error, b: &oracle::OracleError) -> bool {
    format!("{:?}", a.kind()) == format!("{:?}", b.kind)
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn chains_of_views_are_those_of_the_oracle(
        shape in proptest::collection::vec(0usize..5, 0..4),
        steps in proptest::collection::vec(step(), 1..7),
    ) {
        let size: usize = shape.iter().product();
        let elements: Vec<i16> = (0..size as i16).collect();
        let mut a = Array::from_slice(&elements, shape.as_slice()).unwrap();
        let bytes: Vec<u8> = elements.iter().flat_map(|e| e.to_le_bytes()).collect();
        let mut b = NdArray::from_packed(DType::I16, &shape, bytes).unwrap();
        for step in &steps {
            let (x, y) = take(step, &a, &b);
            match (x, y) {
                (Ok(x), Ok(y)) => {
                    prop_assert_eq!(x.shape(), y.shape(), "{:?} of {:?}", step, a.shape());
                    let (ours, theirs) = (strides(x.shape(), x.strides()), strides(y.shape(), y.strides()));
                    prop_assert_eq!(ours, theirs, "{:?} of {:?}", step, (a.shape(), a.strides()));
                    if x.size() > 0 {
                        // A copy has its own memory.
                        let is_view = std::ptr::eq(y.buffer(), b.buffer());
                        prop_assert_eq!(x.may_share_memory(&a), is_view, "{:?} of {:?}", step, (a.shape(), a.strides()));
                    }
                    (a, b) = (x, y);
                }
                (Err(x), Err(y)) => prop_assert!(same_kind(&x, &y), "{step:?} of {:?}: {x} and {y}", a.shape()),
                (x, y) => prop_assert!(false, "{step:?} of {:?}: {x:?} and {y:?}", a.shape()),
            }
        }
        prop_assert_eq!(a.to_bytes().unwrap(), b.to_c_bytes(), "{:?}", steps);
    }

    #[test]
    fn what_is_written_through_a_view_is_in_the_array(
        shape in proptest::collection::vec(1usize..5, 1..4),
        parts in proptest::collection::vec(part(), 0..4),
    ) {
        let size: usize = shape.iter().product();
        let elements: Vec<i16> = (0..size as i16).collect();
        let a = Array::from_slice(&elements, shape.as_slice()).unwrap();
        let bytes: Vec<u8> = elements.iter().flat_map(|e| e.to_le_bytes()).collect();
        let b = NdArray::from_packed(DType::I16, &shape, bytes).unwrap();
        if let (Ok(view), Ok(expected)) = take(&Step::Index(parts), &a, &b) {
            view.fill(-1).unwrap();
            let mut want = elements.clone();
            expected.values().iter().for_each(|v| want[v.float() as usize] = -1);
            prop_assert_eq!(a.to_vec::<i16>().unwrap(), want);
        }
    }
}
