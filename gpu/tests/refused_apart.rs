//! Errors left unread by a thread that ends are reported to the next thread that synchronises, whichever it is; so this
//! test has a process of its own.

use cuprum::{ErrorKind, Result, arange, array, s};

#[test]
fn what_a_thread_leaves_unread_is_reported_to_another() -> Result<()> {
    let (a, bad) = (arange(0, 5, 1)?, array([7])?);
    let got = std::thread::scope(|scope| scope.spawn(|| a.index(s![&bad])).join()).expect("the thread ends")?;
    let e = got.to_vec::<i64>().unwrap_err();
    assert_eq!(
        (e.kind(), e.message()),
        (ErrorKind::Index, "index: index 7 at position 0 is out of bounds for axis 0 with size 5")
    );
    assert_eq!(got.to_vec::<i64>()?.len(), 1);
    Ok(())
}
