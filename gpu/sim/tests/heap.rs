//! Tests of memory that kernels allocate: `malloc` and `free`, and the stack.

mod common;

use common::{Params, Rig};
use cuprum_sim::FaultKind;

fn rig() -> Rig {
    Rig::new(include_str!("ptx/heap.ptx"))
}

#[test]
fn lists_on_the_heap() {
    let rig = rig();
    let out = rig.empty::<i32>(96);
    // Memory that one launch freed is allocated again by the next.
    for _ in 0..20 {
        rig.launch("list", 1, 96, Params::default().with(out).with(3i32)).unwrap_or_else(|e| panic!("{e}"));
    }
    let want: Vec<i32> = (0..96).map(|i| (0..=i).map(|k| 3 * k).sum()).collect();
    assert_eq!(rig.download::<i32>(out, 96), want);
}

#[test]
fn a_full_heap_gives_no_memory() {
    let rig = rig();
    let out = rig.empty::<u64>(1);
    rig.launch("fill", 1, 1, Params::default().with(out)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<u64>(out, 1), [7]);
}

#[test]
fn freed_memory_is_not_read_and_not_freed_again() {
    let rig = rig();
    for kernel in ["late", "twice"] {
        let out = rig.empty::<i32>(1);
        let fault = rig.launch(kernel, 1, 1, Params::default().with(out)).expect_err("a fault");
        assert_eq!(fault.kind(), FaultKind::UseAfterFree, "{kernel}: {fault}");
    }
}

#[test]
fn lanes_take_stacks_of_their_own() {
    let rig = rig();
    let out = rig.empty::<i32>(64);
    rig.launch("stack", 1, 64, Params::default().with(out).with(5i32)).unwrap_or_else(|e| panic!("{e}"));
    // The called function adds a number from an array of its own, which must not overlap the caller's.
    let sum = |n: i32| [1, 2, 3, n][(n & 3) as usize] + (0..n).map(|k| 5 * k).sum::<i32>();
    let want: Vec<i32> = (0..64).map(|i| (0..3).map(|round| sum((i + round) % 7 + 1)).sum()).collect();
    assert_eq!(rig.download::<i32>(out, 64), want);
}
