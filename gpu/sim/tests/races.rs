//! Tests of races on global memory, and of race-free programs that resemble them.

mod common;

use common::{Params, Rig};
use cuprum_sim::{Config, FaultKind};

fn rig(seed: Option<u64>) -> Rig {
    Rig::with(include_str!("ptx/defined.ptx"), Config { races: true, seed, ..Config::default() })
}

#[test]
fn races_are_found_in_every_order() {
    for seed in [None, Some(1), Some(2), Some(3)] {
        let rig = rig(seed);
        let (p, out) = (rig.upload(&[7i32; 64]), rig.upload(&[0i32; 64]));
        let both = || Params::default().with(p).with(out);
        for (kernel, grid, params, words) in [
            ("blocks_race", 2, Params::default().with(p), "of the grid wrote them"),
            ("threads_race", 1, both(), "of the block"),
            ("reads_and_writes", 2, both(), "of the grid"),
        ] {
            let fault = rig.launch(kernel, grid, 64, params).expect_err(kernel);
            assert_eq!(fault.kind(), FaultKind::GlobalRace, "{kernel}: {fault}");
            assert!(fault.to_string().contains("race on global memory"), "{fault}");
            assert!(fault.to_string().contains(words), "{fault}");
            assert!(fault.site().is_some());
        }
    }
}

#[test]
fn what_is_ordered_or_apart_is_no_race() {
    for seed in [None, Some(1), Some(2), Some(3)] {
        let rig = rig(seed);
        let (p, out) = (rig.upload(&[7i32; 512]), rig.upload(&[0i32; 512]));
        let ticket = rig.upload(&[0i32]);
        let both = || Params::default().with(p).with(out);
        for (kernel, grid, params) in [
            ("threads_meet", 1, both()),
            ("apart", 8, both()),
            ("last_block", 8, Params::default().with(p).with(ticket).with(out)),
            ("counted_up", 8, Params::default().with(ticket)),
        ] {
            rig.launch(kernel, grid, 64, params).unwrap_or_else(|e| panic!("{kernel}: {e}"));
        }
        assert_eq!(rig.download::<i32>(out, 1), [36]);
    }
}

#[test]
fn races_are_looked_for_only_where_asked() {
    let rig = Rig::new(include_str!("ptx/defined.ptx"));
    let p = rig.upload(&[7i32; 64]);
    rig.launch("blocks_race", 2, 64, Params::default().with(p)).unwrap_or_else(|e| panic!("{e}"));
}
