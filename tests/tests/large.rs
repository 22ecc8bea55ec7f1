//! Tests of the checks of arrays over 2^31 elements, on the simulator with as many elements as it can process.

use std::time::Duration;

use cuprum_conformance::large::{Done, Fate, is_good, run};
use cuprum_conformance::subject::Subject;

#[test]
fn the_checks_hold_for_few_elements() {
    let subject = Subject::open(Some("sim")).expect("the simulator is always there");
    // Long enough for several tiles of every engine, and not a multiple of any tile size.
    let done = run(subject.device(), 30_011, &[], |_| {}).expect("the operands can be made");
    let failed: Vec<_> = done.iter().filter(|d| !matches!(d.fate, Fate::Passed)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(done.len() >= 35, "{} checks", done.len());
}

#[test]
fn names_choose_checks() {
    let subject = Subject::open(Some("sim")).expect("the simulator is always there");
    let done = run(subject.device(), 1009, &["cumsum".into()], |_| {}).expect("the operands can be made");
    assert_eq!(done.iter().map(|d| d.name).collect::<Vec<_>>(), ["cumsum", "cumsum along axes"]);
}

#[test]
fn a_check_without_room_is_no_success() {
    let done = |fate| Done { name: "sum", fate, time: Duration::ZERO };
    assert!(is_good(&[done(Fate::Passed)]));
    assert!(!is_good(&[]) && !is_good(&[done(Fate::Passed), done(Fate::NoRoom("64 GiB".into()))]));
}
