//! Errors detected by kernels: printing an array shows them without clearing them, and the exit of the process reports
//! those left. Each test has a process of its own, since any thread may take the errors that another has left.

use std::process::{Command, Output};

use cuprum::cuda::{Device, Stream, take_untaken_errors};
use cuprum::{ErrorKind, Result, array, s};

/// Runs a test of this file in a process of its own.
fn apart(name: &str) -> Option<Output> {
    if std::env::var("CUPRUM_TEST_APART").as_deref() == Ok(name) {
        return None;
    }
    let own = std::env::current_exe().expect("the test has a file");
    let run = Command::new(own).args([name, "--exact", "--nocapture"]).env("CUPRUM_TEST_APART", name).output();
    Some(run.expect("the test begins"))
}

#[test]
fn printing_keeps_the_error() -> Result<()> {
    if let Some(run) = apart("printing_keeps_the_error") {
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        return Ok(());
    }
    let message = "index: index 9 at position 1 is out of bounds for axis 0 with size 3";
    let a = array([1, 2, 3])?;
    let y = a.index(s![array([0, 9, 8])?])?;
    for _ in 0..2 {
        assert_eq!(format!("{y}"), format!("<{message}>"));
        assert_eq!(format!("{y:?}"), format!("<{message}>"));
        let e = y.to_vec::<i32>().unwrap_err();
        assert_eq!((e.kind(), e.message()), (ErrorKind::Index, message));
        assert_eq!(y.to_vec::<i32>()?.len(), 3);
        a.index(s![array([0, 9, 8])?])?;
    }
    assert_eq!(take_untaken_errors().len(), 1);
    Ok(())
}

#[test]
fn the_end_of_the_process_reports_what_no_call_has_returned() -> Result<()> {
    if let Some(run) = apart("the_end_of_the_process_reports_what_no_call_has_returned") {
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{said}");
        let line = |index: i64| {
            format!(
                "cuprum: an error that no call has returned: IndexError: set: index {index} at position 0 is out of bounds for \
                 axis 0 with size 3"
            )
        };
        assert!(said.contains(&line(9)) && said.contains(&line(7)), "{said}");
        assert_eq!(said.matches("no call has returned").count(), 2, "{said}");
        return Ok(());
    }
    let a = array([1, 2, 3])?;
    a.set(s![array([9])?], 1)?;
    // An error of a finished thread, on a dropped stream.
    let stream = Stream::new(Device::current()?)?;
    let other = std::thread::spawn(move || stream.with(|| array([1, 2, 3])?.set(s![array([7])?], 1)));
    other.join().expect("the thread ends")
}

/// There are more calls than the error record has slots for; the first error is reported.
#[test]
fn the_first_of_many_calls_counts() -> Result<()> {
    if let Some(run) = apart("the_first_of_many_calls_counts") {
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        return Ok(());
    }
    let a = array([1, 2, 3])?;
    let good = array([2, 0])?;
    for bad in [3, 4200] {
        let at = array([5, bad])?;
        for call in 0..4300 {
            let index = if call == bad { &at } else { &good };
            a.index(s![index])?;
            if call == 4250 {
                a.index(s![array([77])?])?;
            }
        }
        let e = a.to_vec::<i32>().unwrap_err();
        assert_eq!(e.message(), "index: index 5 at position 0 is out of bounds for axis 0 with size 3");
        a.to_vec::<i32>()?;
    }
    Ok(())
}

/// The first position in C order is reported, whatever the order of the threads is.
#[test]
fn the_first_position_counts() -> Result<()> {
    if let Some(run) = apart("the_first_position_counts") {
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        return Ok(());
    }
    let n = 20_000;
    let bad: Vec<i64> = (0..n).map(|k| k + 1000).collect();
    let bad = array(bad)?;
    let a = array([1, 2, 3])?;
    for (at, first) in [(bad.clone(), 1000), (bad.index(s![..;-1])?, n + 999), (bad.reshape([100, 200])?.t(), 1000)] {
        a.index(s![&at])?;
        let e = a.to_vec::<i32>().unwrap_err();
        let message = format!("index: index {first} at position 0 is out of bounds for axis 0 with size 3");
        assert_eq!(e.message(), message);
    }
    Ok(())
}
