//! Conditional nodes of graphs, on the device of `CUPRUM_DEVICE`. A driver before CUDA 12.3 lacks them and raises an
//! error.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuprum::cuda::{Device, Graph, graph};
use cuprum::{Array, DType, ErrorKind, Result, array, full};

/// Serialises the tests: while one captures a stream, no other may synchronise the device.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Captures a graph; `None` if the driver is too old for conditional nodes, which its error must say.
fn captured(f: impl FnOnce() -> Result<()>) -> Result<Option<Graph>> {
    match graph::capture(f) {
        Ok((graph, ())) => Ok(Some(graph)),
        Err(e) if e.message().contains("a newer driver of NVIDIA's is needed") => {
            assert!(Device::current()?.ordinal().is_some(), "{e}");
            println!("no conditions: {e}");
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

fn flag(value: bool) -> Result<Array> {
    full((), value, DType::Bool)
}

#[test]
fn work_is_done_where_the_flag_says_so() -> Result<()> {
    let _alone = alone();
    let (x, on) = (full(100, 1, DType::I64)?, flag(false)?);
    let Some(steps) = captured(|| {
        graph::when(&on, || x.assign(&cuprum::multiply(&x, 3)?))?;
        x.assign(&cuprum::add(&x, 1)?)
    })?
    else {
        return Ok(());
    };
    let mut expected = 1;
    for round in 0..6 {
        let set = round % 2 == 0;
        on.fill(set)?;
        steps.launch()?;
        expected = if set { 3 * expected + 1 } else { expected + 1 };
    }
    assert_eq!(x.to_vec::<i64>()?, [expected; 100]);
    Ok(())
}

#[test]
fn work_is_repeated_until_the_flag_falls() -> Result<()> {
    let _alone = alone();
    // Collatz steps of several numbers at once, until all have reached 1.
    let starts = [27i64, 1, 97, 6];
    let (x, steps, going) = (array(starts)?, array([0i64; 4])?, flag(true)?);
    let Some(collatz) = captured(|| {
        going.assign(&cuprum::any(&cuprum::not_equal(&x, 1)?, ())?)?;
        graph::repeat_while(&going, || {
            let open = cuprum::not_equal(&x, 1)?;
            let odd = cuprum::equal(&cuprum::remainder(&x, 2)?, 1)?;
            let next =
                cuprum::where_(&odd, &cuprum::add(&cuprum::multiply(&x, 3)?, 1)?, &cuprum::floor_divide(&x, 2)?)?;
            x.assign(&cuprum::where_(&open, &next, &x)?)?;
            steps.assign(&cuprum::add(&steps, &open)?)?;
            going.assign(&cuprum::any(&cuprum::not_equal(&x, 1)?, ())?)
        })
    })?
    else {
        return Ok(());
    };
    let length = |mut n: i64| {
        let mut count = 0;
        while n != 1 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            count += 1;
        }
        count
    };
    for round in 1..=2 {
        collatz.launch()?;
        assert_eq!(x.to_vec::<i64>()?, [1; 4]);
        assert_eq!(steps.to_vec::<i64>()?, starts.map(|n| round * length(n)));
        x.assign(&array(starts)?)?;
    }
    Ok(())
}

/// The simulator rejects bodies that CUDA does not instantiate, such as those with library calls.
#[test]
fn library_calls_in_a_body_are_errors() -> Result<()> {
    let _alone = alone();
    let (a, on) = (full((4, 4), 1.0, DType::F64)?, flag(true)?);
    if Device::current()?.ordinal().is_none() {
        let e = graph::capture(|| graph::when(&on, || cuprum::matmul(&a, &a).map(drop))).unwrap_err();
        assert!(e.kind() == ErrorKind::Driver && e.message().contains("CUDA does not allow there"), "{e}");
    }
    Ok(())
}

#[test]
fn conditions_nest_and_what_was_made_before_them_stays() -> Result<()> {
    let _alone = alone();
    let (x, count, going, odd) = (array(0i64)?, array(0i64)?, flag(true)?, flag(false)?);
    let Some(nested) = captured(|| {
        // Allocated in the capture and dropped in the body: each iteration reads it, so its memory is not reused there.
        let by = cuprum::add(&full(64, 2, DType::I64)?, 1)?;
        graph::repeat_while(&going, || {
            let sum = cuprum::sum(&by, ())?;
            drop(by);
            let other = cuprum::sum(&cuprum::multiply(&full(64, 7, DType::I64)?, &count)?, ())?;
            x.assign(&cuprum::add(&x, &cuprum::add(&sum, &other)?)?)?;
            odd.assign(&cuprum::equal(&cuprum::remainder(&count, 2)?, 1)?)?;
            graph::when(&odd, || x.assign(&cuprum::add(&x, 1_000_000)?))?;
            count.assign(&cuprum::add(&count, 1)?)?;
            going.assign(&cuprum::less(&count, 5)?)
        })
    })?
    else {
        return Ok(());
    };
    nested.launch()?;
    // Five iterations add 3 * 64 and 7 * 64 times the iteration, and two of them a million.
    assert_eq!(count.item::<i64>()?, 5);
    assert_eq!(x.item::<i64>()?, 5 * 192 + 448 * (1 + 2 + 3 + 4) + 2_000_000);
    Ok(())
}

#[test]
fn what_no_condition_can_be_is_rejected() -> Result<()> {
    let _alone = alone();
    let on = flag(true)?;
    let e = graph::when(&on, || Ok(())).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("call it in graph::capture"), "{e}");
    let e = graph::capture(|| graph::when(&array([1i32])?, || Ok(()))).unwrap_err();
    assert!(e.kind() == ErrorKind::Type && e.message().contains("compare first"), "{e}");
    let e = graph::capture(|| graph::repeat_while(&full(2, true, DType::Bool)?, || Ok(()))).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("all or any"), "{e}");
    // A body that fails ends the capture, and the stream is usable again.
    let x = array([1i64, 2])?;
    let e = graph::capture(|| graph::when(&on, || x.to_vec::<i64>().map(drop))).unwrap_err();
    assert!(e.message().contains("to_vec"), "{e}");
    assert_eq!(cuprum::add(&x, 1)?.to_vec::<i64>()?, [2, 3]);
    Ok(())
}
