//! Property tests of layouts against the enumeration of their elements.

use proptest::prelude::*;

use super::{Axes, Layout, MAX_NDIM, Order, broadcast_shapes, checked_bytes, normalize_axis, size_of};
use crate::index::Slice;

type Index = crate::index::Index<()>;

/// Returns the offset of every element in C order: the reference for all other results.
fn offsets(layout: &Layout) -> Vec<i64> {
    let mut all = vec![layout.offset as i64];
    for (&n, &stride) in layout.shape.iter().zip(&layout.strides) {
        all = all.iter().flat_map(|at| (0..n as i64).map(move |i| at + i * stride)).collect();
    }
    all
}

/// Returns the elements of a shape in the order `order`, as flat indices in C order.
fn counted(shape: &[usize], order: Order) -> Vec<usize> {
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    match order {
        Order::F => {
            let c = offsets(&Layout::c_order(shape, 1));
            // Reading the transposed indices in C order is reading the indices in F order.
            let mut transposed = Layout::c_order(shape, 1);
            transposed.shape = reversed.into();
            transposed.strides.reverse();
            offsets(&transposed).iter().map(|at| c.iter().position(|c| c == at).unwrap()).collect()
        }
        _ => (0..size_of(shape)).collect(),
    }
}

fn slice() -> impl Strategy<Value = Slice> {
    let bound = || proptest::option::of(-7i64..7);
    (bound(), bound(), prop_oneof![-3i64..0, 1i64..4]).prop_map(|(start, stop, step)| Slice {
        start,
        stop,
        step: Some(step),
    })
}

/// Strategy for a view of a contiguous array: permuted, sliced, with new and broadcast axes.
fn view() -> impl Strategy<Value = Layout> {
    sized_view().prop_map(|(layout, _)| layout)
}

/// Strategy for a view with the item size and the size of the buffer.
fn sized_view() -> impl Strategy<Value = (Layout, (usize, usize))> {
    let shape = proptest::collection::vec(0usize..5, 0..4);
    (shape, any::<u64>(), proptest::collection::vec((slice(), any::<bool>(), 0usize..4), 4), 1usize..9).prop_map(
        |(shape, turn, parts, item)| {
            let mut layout = Layout::c_order(&shape, item);
            let bytes = layout.size() * item;
            if shape.len() > 1 {
                let at = turn as usize % shape.len();
                layout.shape.rotate_left(at);
                layout.strides.rotate_left(at);
            }
            let mut index = Vec::new();
            for (part, cut, _) in parts.iter().take(shape.len()) {
                index.push(if *cut { Index::Slice(*part) } else { Index::Slice(Slice::default()) });
            }
            if turn % 3 == 0 {
                index.push(Index::NewAxis);
            }
            let mut layout = layout.index(&index).unwrap();
            let target: Vec<usize> =
                layout.shape.iter().zip(&parts).map(|(&n, p)| if n == 1 { p.2 } else { n }).collect();
            if turn % 5 == 0 && target.len() == layout.shape.len() {
                layout = layout.broadcast_to(&target).unwrap();
            }
            (layout, (item, bytes))
        },
    )
}

/// Sets the number of cases, which is smaller under Miri, where each is a thousand times slower.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases: if cfg!(miri) { 8 } else { cases }, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn views_stay_within_the_buffer((layout, (item, bytes)) in sized_view()) {
        for at in offsets(&layout) {
            prop_assert!(at >= 0 && at as usize + item <= bytes, "{layout:?} reaches {at} of {bytes} bytes");
        }
    }

    #[test]
    fn extents_are_the_lowest_and_the_highest_byte(layout in view(), item in 1usize..9) {
        let all = offsets(&layout);
        let expected = match (all.iter().min(), all.iter().max()) {
            (Some(low), Some(high)) => (*low, high + item as i64),
            _ => (layout.offset as i64, layout.offset as i64),
        };
        prop_assert_eq!(layout.extent(item), expected);
    }

    #[test]
    fn the_walk_visits_every_element_in_order(layout in view()) {
        let mut walked = Vec::new();
        layout.for_each_offset(|at| walked.push(at as i64));
        prop_assert_eq!(walked, offsets(&layout));
    }

    #[test]
    fn contiguity_is_that_offsets_count_up(layout in view(), item in 1usize..5) {
        let dense = |l: &Layout| offsets(l).iter().enumerate().all(|(i, at)| *at == (l.offset + i * item) as i64);
        let mut transposed = layout.clone();
        transposed.shape.reverse();
        transposed.strides.reverse();
        prop_assert_eq!(layout.is_c_contiguous(item), dense(&layout));
        prop_assert_eq!(layout.is_f_contiguous(item), dense(&transposed));
    }

    #[test]
    fn reshaped_elements_are_the_same_in_the_requested_order(
        layout in view(),
        cuts in proptest::collection::vec(1usize..7, 0..4),
        item in 1usize..9,
        fortran in any::<bool>(),
    ) {
        let order = if fortran { Order::F } else { Order::C };
        // A shape of the same size: divisors where they divide, followed by the rest.
        let (mut shape, mut left) = (Vec::new(), layout.size());
        for n in cuts {
            if left > 0 && left.is_multiple_of(n) {
                shape.push(n);
                left /= n;
            }
        }
        shape.push(left);
        let pick = |l: &Layout| {
            let all = offsets(l);
            counted(&l.shape, order).into_iter().map(|i| all[i]).collect::<Vec<_>>()
        };
        match layout.reshape(&shape, item, order) {
            Some(reshaped) => {
                prop_assert_eq!(reshaped.shape.as_slice(), shape.as_slice());
                prop_assert_eq!(pick(&reshaped), pick(&layout));
            }
            None => {
                let dense = if fortran { layout.is_f_contiguous(item) } else { layout.is_c_contiguous(item) };
                prop_assert!(!dense, "a dense layout needs no copy");
            }
        }
    }

    #[test]
    fn broadcasting_repeats_elements(layout in view(), front in 0usize..3, stretch in 1usize..4) {
        let mut shape: Vec<usize> = layout.shape.iter().map(|&n| if n == 1 { stretch } else { n }).collect();
        shape.insert(0, front);
        let wide = layout.broadcast_to(&shape).unwrap();
        let common = broadcast_shapes(&[&layout.shape, &shape]).unwrap();
        prop_assert_eq!(common.as_slice(), shape.as_slice());
        let mut indices = vec![Vec::new()];
        for &n in &shape {
            indices = indices.iter().flat_map(|p: &Vec<i64>| (0..n as i64).map(move |i| { let mut p = p.clone(); p.push(i); p })).collect();
        }
        let expected: Vec<i64> = indices.iter().map(|multi_index| {
            let own = multi_index[1..].iter().zip(&layout.shape).zip(&layout.strides);
            layout.offset as i64 + own.map(|((&i, &n), &s)| if n == 1 { 0 } else { i * s }).sum::<i64>()
        }).collect();
        prop_assert_eq!(offsets(&wide), expected);
    }

    #[test]
    fn collapsed_axes_hold_the_same_pairs_of_elements(layout in view(), keep in any::<bool>()) {
        let other = Layout::f_order(&layout.shape, 3);
        let axes = Axes::collapse(&layout.shape, [&layout.strides, &other.strides], keep);
        let at = |k: usize| offsets(&Layout { shape: axes.sizes.clone(), strides: axes.strides[k].clone(), offset: 0 });
        let relative: Vec<i64> = offsets(&layout).iter().map(|at| at - layout.offset as i64).collect();
        let mut expected: Vec<(i64, i64)> = relative.into_iter().zip(offsets(&other)).collect();
        let mut found: Vec<(i64, i64)> = at(0).into_iter().zip(at(1)).collect();
        if !keep {
            expected.sort_unstable();
            found.sort_unstable();
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn slices_take_what_python_takes(n in 0i64..7, slice in slice()) {
        let step = slice.step.unwrap_or(1);
        let wrap = |b: i64| if b < 0 { b + n } else { b };
        let mut at = match slice.start {
            Some(b) if step > 0 => wrap(b).max(0),
            Some(b) => wrap(b).min(n - 1),
            None => if step > 0 { 0 } else { n - 1 },
        };
        let mut expected = Vec::new();
        while (0..n).contains(&at) && slice.stop.is_none_or(|b| if step > 0 { at < wrap(b) } else { at > wrap(b) }) {
            expected.push(at);
            at += step;
        }
        let view = Layout::c_order(&[n as usize], 1).index(&[Index::Slice(slice)]).unwrap();
        prop_assert_eq!(offsets(&view), expected);
    }

    #[test]
    fn elements_are_where_an_index_says(layout in view(), seed in any::<u64>()) {
        if layout.size() == 0 {
            return Ok(());
        }
        let all = offsets(&layout);
        let number = seed as usize % all.len();
        let mut rest = number;
        let mut index = Vec::new();
        for &n in layout.shape.iter().rev() {
            // Half of the indices count from the end.
            let i = (rest % n) as i64;
            index.push(Index::At(if seed >> 40 & 1 == 0 { i } else { i - n as i64 }));
            rest /= n;
        }
        index.reverse();
        let element = layout.index(&index).unwrap();
        prop_assert!(element.shape.is_empty());
        prop_assert_eq!(element.offset as i64, all[number]);
    }

    #[test]
    fn axes_are_counted_from_both_ends(ndim in 0usize..6, axis in -8isize..8) {
        let all: Vec<isize> = (0..ndim as isize).collect();
        let expected = if axis < 0 { all.iter().rev().nth((-axis - 1) as usize) } else { all.get(axis as usize) };
        prop_assert_eq!(normalize_axis(axis, ndim).ok(), expected.map(|a| *a as usize));
    }

    #[test]
    fn no_index_makes_it_panic(layout in view(), parts in proptest::collection::vec(any_index(), 0..5)) {
        if let Ok(view) = layout.index(&parts) {
            let (low, high) = view.extent(1);
            let (all_low, all_high) = layout.extent(1);
            prop_assert!(view.size() == 0 || (all_low <= low && high <= all_high));
        }
    }

    #[test]
    fn no_shape_makes_it_panic(shapes in proptest::collection::vec(proptest::collection::vec(any_size(), 0..70), 1..4)) {
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        if let Ok(common) = broadcast_shapes(&shapes) {
            let fits = checked_bytes(&common, 8);
            prop_assert!(fits.is_ok() || common.len() > MAX_NDIM || common.iter().any(|&n| n > 1));
            let one = Layout::c_order(&[1], 8);
            prop_assert_eq!(one.broadcast_to(&common).is_ok(), !common.is_empty() && checked_bytes(&common, 1).is_ok());
        }
    }
}

/// Strategy for ordinary numbers and those at which arithmetic could overflow.
fn any_number() -> impl Strategy<Value = i64> {
    prop_oneof![Just(i64::MIN), Just(i64::MIN + 1), Just(i64::MAX), -5i64..5]
}

fn any_index() -> impl Strategy<Value = Index> {
    let bound = || proptest::option::of(any_number());
    prop_oneof![
        any_number().prop_map(Index::At),
        (bound(), bound(), bound()).prop_map(|(start, stop, step)| Index::Slice(Slice { start, stop, step })),
        Just(Index::NewAxis),
        Just(Index::Ellipsis),
    ]
}

fn any_size() -> impl Strategy<Value = usize> {
    prop_oneof![Just(1), 0usize..4, Just(1 << 40), Just(usize::MAX)]
}
