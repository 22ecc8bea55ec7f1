//! Two CUDA devices in one process. On other machines the test reports that nothing was checked.

use cuprum::cuda::{Device, Event, Stream};
use cuprum::{Array, DType, ErrorKind, Result, full};

fn main() -> Result<()> {
    if Device::count()? < 2 {
        println!("two_gpus: nothing was checked: there are {} CUDA devices, and two are needed", Device::count()?);
        return Ok(());
    }
    let devices = [Device::open("cuda:0")?, Device::open("cuda:1")?];
    arrays_of_another_device_are_rejected(devices)?;
    each_device_has_a_current_stream(devices)?;
    streams_wait_for_events_of_the_other_device(devices)?;
    println!("two_gpus: ok on {}", devices.map(|d| d.info().name.as_str()).join(" and "));
    Ok(())
}

fn arrays_of_another_device_are_rejected([first, second]: [Device; 2]) -> Result<()> {
    let x = first.with(|| full(1000, 1, DType::I32))?;
    let y = second.with(|| full(1000, 2, DType::I32))?;
    let e = cuprum::add(&x, &y).expect_err("an array of another device was taken");
    assert_eq!(e.kind(), ErrorKind::Value);
    let e = x.assign(&y).expect_err("an array of another device was taken");
    assert_eq!(e.kind(), ErrorKind::Value);
    // Copied through the host.
    let there = second.with(|| Array::from_slice(&x.to_vec::<i32>()?, 1000))?;
    assert_eq!((&there + &y).to_vec::<i32>()?, [3; 1000]);
    Ok(())
}

fn each_device_has_a_current_stream([first, second]: [Device; 2]) -> Result<()> {
    let (a, b) = (Stream::new(first)?, Stream::new(second)?);
    let n = 1 << 22;
    a.with(|| {
        b.with(|| {
            assert_eq!((first.current_stream(), second.current_stream()), (a.clone(), b.clone()));
            let y = full(n, 3, DType::I32)?;
            // A call on an array of the other device runs there, on that device's stream.
            let x = first.with(|| full(n, 4, DType::I32))?;
            assert_eq!((x.device(), y.device()), (first, second));
            for _ in 0..20 {
                x.assign(&(&x + 1))?;
                y.assign(&(&y + 2))?;
            }
            assert!(x.to_vec::<i32>()?.iter().all(|&v| v == 24));
            assert!(y.to_vec::<i32>()?.iter().all(|&v| v == 43));
            Ok(())
        })
    })
}

fn streams_wait_for_events_of_the_other_device([first, second]: [Device; 2]) -> Result<()> {
    let (a, b, event) = (Stream::new(first)?, Stream::new(second)?, Event::new(first)?);
    a.with(|| event.record())?;
    b.wait_event(&event)?;
    b.synchronize()?;
    assert!(event.is_done()?, "the stream did not wait for the other device");
    assert_eq!(event.record_on(&b).unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}
