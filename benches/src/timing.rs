//! Median times on the device and on the host.

use std::time::Instant;

use cuprum::Result;
use cuprum::cuda::{Device, Event};

const WARM_UPS: usize = 3;
const SAMPLES: usize = 11;
const CALLS: usize = 200;
const REPEATS: usize = 25;

/// Returns the median.
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Measures the seconds of a call on the device. Short calls are timed in batches, so that queued work hides the host's
/// time.
pub fn device_seconds<T>(call: impl Fn() -> Result<T>) -> Result<f64> {
    let device = Device::current()?;
    for _ in 0..WARM_UPS {
        call()?;
    }
    device.synchronize()?;
    let once = between_events(device, &call, 1)?;
    let repeats = ((2e-3 / once.max(1e-6)) as usize + 1).clamp(1, 20);
    let samples: Result<Vec<f64>> =
        (0..SAMPLES).map(|_| Ok(between_events(device, &call, repeats)? / repeats as f64)).collect();
    Ok(median(samples?))
}

fn between_events<T>(device: Device, call: impl Fn() -> Result<T>, repeats: usize) -> Result<f64> {
    let (start, end) = (Event::new(device)?, Event::new(device)?);
    start.record()?;
    for _ in 0..repeats {
        call()?;
    }
    end.record()?;
    end.synchronize()?;
    Ok(f64::from(end.elapsed_ms_since(&start)?) * 1e-3)
}

/// Measures the nanoseconds of a call on the host. The device is synchronised between repetitions, so that its queue
/// never fills.
pub fn host_ns<T>(call: impl Fn() -> Result<T>) -> Result<f64> {
    let device = Device::current()?;
    for _ in 0..CALLS {
        call()?;
    }
    let mut samples = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        device.synchronize()?;
        let start = Instant::now();
        for _ in 0..CALLS {
            call()?;
        }
        samples.push(start.elapsed().as_nanos() as f64 / CALLS as f64);
    }
    device.synchronize()?;
    Ok(median(samples))
}
