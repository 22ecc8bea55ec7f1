//! Use of the parent's devices in a forked child: errors, and no deadlock.

use std::time::{Duration, Instant};

use cuprum::cuda::{Device, Stream};
use cuprum::{Array, ErrorKind, Result};

/// Runs `f` in a forked child and returns its answer, or `None` if it does not end.
fn in_child(f: impl FnOnce() -> bool) -> Option<bool> {
    // SAFETY: the child calls `f`, the code under test, and exits without any cleanup.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork failed");
    if child == 0 {
        let answer = f();
        // SAFETY: the child ends here.
        unsafe { libc::_exit(if answer { 0 } else { 1 }) };
    }
    let start = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: the child is ours, and `status` is a live variable.
        if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
            return Some(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0);
        }
        if start.elapsed() > Duration::from_secs(20) {
            // SAFETY: the child is ours.
            unsafe { libc::kill(child, libc::SIGKILL) };
            // SAFETY: as above.
            unsafe { libc::waitpid(child, &mut status, 0) };
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn rejected<T>(result: Result<T>) -> bool {
    result.is_err_and(|e| e.kind() == ErrorKind::Driver && e.message().contains("open devices after the fork"))
}

#[test]
fn a_child_works_on_its_own_devices_and_not_on_its_parents() {
    // A child of a process without an open device opens its own. The parent has none before this test, the only one of
    // its program.
    let own =
        || Array::from_slice(&[1i32, 2, 3], [3]).and_then(|a| (&a + &a).to_vec::<i32>()).is_ok_and(|v| v == [2, 4, 6]);
    assert_eq!(in_child(own), Some(true), "a child without a parent's device does not work");

    let device = Device::current().unwrap();
    let (stream, a) = (Stream::new(device).unwrap(), Array::from_slice(&[1i32, 2, 3], [3]).unwrap());
    assert_eq!((&a + &a).to_vec::<i32>().unwrap(), [2, 4, 6]);
    // Each in a child of its own, so that a deadlock of one does not hide another.
    assert_eq!(in_child(|| rejected(a.to_vec::<i32>())), Some(true), "reading");
    assert_eq!(in_child(|| rejected(cuprum::add(&a, &a))), Some(true), "computing");
    assert_eq!(in_child(|| rejected(Array::from_slice(&[1i32], [1]))), Some(true), "making");
    assert_eq!(in_child(|| rejected(device.synchronize())), Some(true), "waiting");
    assert_eq!(in_child(|| rejected(Stream::new(device))), Some(true), "a new stream");
    assert_eq!(in_child(|| rejected(stream.synchronize())), Some(true), "a stream");
    assert_eq!(in_child(|| rejected(Device::open("sim"))), Some(true), "opening");
    let dropped = || {
        drop((a.clone(), stream.clone()));
        true
    };
    assert_eq!(in_child(dropped), Some(true), "dropping");
    // The parent is not affected.
    assert_eq!((&a + &a).to_vec::<i32>().unwrap(), [2, 4, 6]);
}
