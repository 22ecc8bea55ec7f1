//! `CUPRUM_CHECK=now`: each call reports its own indices out of bounds.

use std::process::Command;

use cuprum::{ErrorKind, arange, array, s, take, ufunc};

#[test]
fn each_call_tells_of_its_own_indices() {
    // The variable is read once per process, so this one starts another.
    match std::env::var("CUPRUM_CHECK") {
        Ok(now) if now == "now" => at_once(),
        _ => {
            let own = std::env::current_exe().expect("the test has a file");
            let status = Command::new(own).env("CUPRUM_CHECK", "now").status().expect("the test begins");
            assert!(status.success());
        }
    }
}

fn at_once() {
    let (a, bad) = (arange(0, 5, 1).unwrap(), array([0, 7]).unwrap());
    let all = [
        take(&a, &bad, ()).unwrap_err(),
        a.index(s![&bad]).unwrap_err(),
        a.set(s![&bad], 1).unwrap_err(),
        ufunc("add").unwrap().at(&a, [&bad], 1).unwrap_err(),
    ];
    for (e, name) in all.iter().zip(["take", "index", "set", "add.at"]) {
        let message = format!("{name}: index 7 at position 1 is out of bounds for axis 0 with size 5");
        assert_eq!((e.kind(), e.message()), (ErrorKind::Index, message.as_str()));
    }
    assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4]);
}
