//! Tests with data that other threads change between the launches of one call: no kernel accesses memory out of bounds,
//! whatever the data becomes. The simulator stops a kernel that does.

use std::cell::RefCell;

use crate::array::Array;
use crate::element::bytes_of;
use crate::engine::launch;
use crate::{DType, Element, Result, ufunc};

thread_local! {
    static AFTER: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// Runs the callback of this thread after one of its launches is queued.
pub(super) fn after_launch() {
    // The callback may launch, too.
    let called = AFTER.with_borrow_mut(Option::take);
    if let Some(mut called) = called {
        called();
        AFTER.with_borrow_mut(|after| *after = Some(called));
    }
}

/// Runs `f` while after each launch `a` becomes the next of these values: as if another thread had written it.
fn changing<T: Element, R>(a: &Array, all: Vec<Vec<T>>, f: impl FnOnce() -> R) -> R {
    let (a, mut next) = (a.clone(), 0);
    let change = move || {
        launch::upload(&a, bytes_of(&all[next % all.len()])).unwrap();
        next += 1;
    };
    AFTER.with_borrow_mut(|after| *after = Some(Box::new(change)));
    let result = f();
    AFTER.with_borrow_mut(|after| *after = None);
    result
}

const N: usize = 20_000;

/// Returns numbers that differ in every byte, all of one value at the end or at the front of the order, and others.
fn values() -> Vec<Vec<u32>> {
    let mixed = |by: u32| (0..N as u32).map(|i| i.wrapping_mul(by) ^ i.rotate_right(7)).collect();
    vec![mixed(0x9e37_79b9), vec![!0; N], mixed(0x85eb_ca6b), vec![0; N], vec![0x0100_0000; N]]
}

/// Checks that a result has no out-of-bounds access. Elements that are written over others leave an uninitialised one,
/// which the simulator reports when it is read.
fn inside<T>(result: Result<T>) {
    if let Err(e) = result {
        assert!(e.message().contains("never written"), "{e}");
    }
}

#[test]
fn a_sort_stays_in_its_rows() -> Result<()> {
    // A pass writes the result itself: elements written outside of the middle row would be in the others.
    for wild in [0u8, 7, 255] {
        let row = |k: usize| (0..N).map(|i| (i * (2 * k + 3) % 251) as u8).collect::<Vec<_>>();
        let table = |middle: Vec<u8>| [row(0), middle, row(2)].concat();
        let a = Array::from_slice(&table(row(1)), [3, N])?;
        let sorted = changing(&a, vec![table(vec![wild; N])], || crate::sort(&a, -1))?;
        for k in [0, 2] {
            let mut want = row(k);
            want.sort();
            assert!(sorted.index(crate::s![k as i64])?.to_vec::<u8>()? == want, "row {k} with {wild}");
        }
    }
    // Four passes, of which the first ones see the counted data, sorted to another array, in place, and to positions
    // alone.
    let all = values();
    for quiet in 0..8 {
        let later = || [vec![all[0].clone(); quiet], all[1..].to_vec()].concat();
        let fresh = || Array::from_slice(&all[0], [N]);
        let a = fresh()?;
        inside(changing(&a, later(), || crate::sort(&a, -1)));
        let a = fresh()?;
        inside(changing(&a, later(), || crate::argsort(&a, -1)));
        let a = fresh()?;
        inside(changing(&a, later(), || a.sort(0)));
    }
    Ok(())
}

#[test]
fn ranks_of_a_changing_row_are_looked_for_in_vain() -> Result<()> {
    let all = values();
    let a = Array::from_slice(&all[0], [N])?;
    changing(&a, all, || crate::engine::sort::pick_ranks(&a, N, &[0, 1, N / 2, N - 1])).map(drop)
}

#[test]
fn indices_are_the_callers_own_once_they_are_checked() -> Result<()> {
    let a = crate::arange(0, N as i64, 1)?;
    let wild = vec![vec![i64::MAX; 100], vec![-1 << 40; 100], vec![1 << 31; 100]];
    let indices = Array::from_slice(&(0..100).collect::<Vec<i64>>(), [100])?;
    let mut taken = changing(&indices, wild.clone(), || crate::take(&a, &indices, ()));
    // An index that was out of bounds when it was checked is rejected; none is followed.
    for _ in 0..3 {
        let ok = taken.as_ref().is_ok_and(|t| t.to_vec::<i64>().unwrap().iter().all(|&x| x < 100));
        assert!(ok || taken.is_err());
        indices.assign(&crate::arange(0, 100, 1)?)?;
        taken = changing(&indices, wild.clone(), || crate::take(&a, &indices, ()));
    }
    indices.assign(&crate::arange(0, 100, 1)?)?;
    let _ = changing(&indices, wild.clone(), || ufunc("add")?.at(&a, [&indices], 1));
    let sorter = crate::arange(0, 100, 1)?;
    let (few, options) =
        (a.index(crate::s![..100])?, crate::SearchOptions { sorter: Some(&sorter), ..Default::default() });
    let _ = changing(&sorter, wild, || crate::searchsorted(&few, &few, options));
    Ok(())
}

#[test]
fn counts_and_picks_stay_in_their_memory() -> Result<()> {
    let numbers = Array::from_slice(&vec![3i64; N], [N])?;
    let wild = vec![vec![i64::MAX; N], vec![-5; N], vec![100; N]];
    let _ = changing(&numbers, wild, || crate::bincount(&numbers, ()));
    let mask = Array::from_slice(&vec![true; N], [N])?;
    let flips = vec![vec![false; N], vec![true; N]];
    let a = crate::zeros(N, DType::F32)?;
    let picked = changing(&mask, flips.clone(), || crate::extract(&mask, &a))?;
    assert!(picked.size() <= N);
    mask.fill(false)?;
    assert!(changing(&mask, flips, || crate::nonzero(&mask))?[0].size() <= N);
    let edges = Array::from_slice(&[0.0, 1.0, 2.0], [3])?;
    let wild = vec![vec![f64::NAN; 3], vec![9.0, -9.0, 1e300]];
    let options = crate::HistogramOptions { bins: crate::HistogramBins::Edges(&edges), ..Default::default() };
    let _ = changing(&edges, wild, || crate::histogram(&a, options));
    Ok(())
}
