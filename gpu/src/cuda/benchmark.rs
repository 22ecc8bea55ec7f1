//! Benchmarks: the times of calls on the host and on the device.
//!
//! Host times are those of the call until it returns; device times are between events before and after its work. A call
//! whose host time is the longer one is bound by the launches, not by the device.

use std::fmt;
use std::time::{Duration, Instant};

use super::{Device, Event};
use crate::array::IntoArgument;
use crate::error::{Error, ErrorKind, Result};

/// Options of [`benchmark`].
///
/// The names are those of CuPy's `cupyx.profiler.benchmark`.
#[derive(Clone, Debug)]
pub struct BenchmarkOptions {
    /// The name of the call in the table. By default `call`.
    pub name: String,
    /// Number of calls that are timed. By default 10,000.
    pub n_repeat: usize,
    /// Number of calls before the measurement. By default 10.
    pub n_warmup: usize,
    /// Maximum total time, after which the measurement ends.
    pub max_duration: Option<Duration>,
}

impl Default for BenchmarkOptions {
    fn default() -> Self {
        BenchmarkOptions { name: "call".into(), n_repeat: 10_000, n_warmup: 10, max_duration: None }
    }
}

impl From<()> for BenchmarkOptions {
    fn from((): ()) -> Self {
        BenchmarkOptions::default()
    }
}

impl From<&str> for BenchmarkOptions {
    fn from(name: &str) -> Self {
        BenchmarkOptions { name: name.into(), ..BenchmarkOptions::default() }
    }
}

/// Times of a call; `Display` prints a table.
///
/// Values are in seconds; see [`benchmark`] for an example.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// Name that the table shows.
    name: String,
    /// Times in seconds, in the order of measurement and sorted.
    host: Times,
    /// Times between the events of each call.
    device: Times,
}

/// Durations in seconds.
#[derive(Clone, Debug)]
struct Times {
    /// In the order of the calls.
    all: Vec<f64>,
    /// In ascending order, for percentiles.
    sorted: Vec<f64>,
}

impl Times {
    fn new(all: Vec<f64>) -> Times {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        Times { all, sorted }
    }

    /// Returns a percentile, interpolated linearly between the two nearest times as by NumPy's `percentile`.
    fn percentile(&self, q: f64) -> f64 {
        let at = q.clamp(0.0, 100.0) / 100.0 * (self.sorted.len() - 1) as f64;
        let (low, high) = (self.sorted[at.floor() as usize], self.sorted[at.ceil() as usize]);
        low + (high - low) * at.fract()
    }
}

/// Calls a function repeatedly, and measures the times: the duration of each call on the host, and that of its work on
/// the device. CuPy's `benchmark`.
///
/// ```
/// use cuprum::cuda::{BenchmarkOptions, benchmark};
/// let x = cuprum::arange(0, 100, 1)?;
/// let options = BenchmarkOptions { name: "add".into(), n_repeat: 5, ..Default::default() };
/// let times = benchmark(|| cuprum::add(&x, &x).map(drop), options)?;
/// assert_eq!(times.host_times().len(), 5);
/// assert!(times.device_percentile(50.0) <= times.device_percentile(100.0));
/// println!("{times}");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of the function; [`ErrorKind::Value`] if it is never called.
///
/// # Synchronization
///
/// Synchronises with the device after each call.
pub fn benchmark(f: impl FnMut() -> Result<()>, options: impl IntoArgument<BenchmarkOptions>) -> Result<Benchmark> {
    fn imp(f: &mut dyn FnMut() -> Result<()>, options: BenchmarkOptions) -> Result<Benchmark> {
        if options.n_repeat == 0 {
            return Err(
                Error::new(ErrorKind::Value, "n_repeat is 0: a call that is timed is made").with_op("benchmark")
            );
        }
        let device = Device::current()?;
        let (start, end) = (Event::new(device)?, Event::new(device)?);
        for _ in 0..options.n_warmup {
            f()?;
        }
        device.synchronize()?;
        let (begun, mut host, mut on_device) = (Instant::now(), Vec::new(), Vec::new());
        for _ in 0..options.n_repeat {
            start.record()?;
            let called = Instant::now();
            f()?;
            host.push(called.elapsed().as_secs_f64());
            end.record()?;
            end.synchronize()?;
            on_device.push(f64::from(end.elapsed_ms_since(&start)?) * 1e-3);
            if options.max_duration.is_some_and(|most| begun.elapsed() > most) {
                break;
            }
        }
        Ok(Benchmark { name: options.name, host: Times::new(host), device: Times::new(on_device) })
    }
    let mut f = f;
    imp(&mut f, options.into())
}

impl Benchmark {
    /// Returns the duration of each call on the host, in seconds.
    pub fn host_times(&self) -> &[f64] {
        &self.host.all
    }

    /// Returns the time from the first to the last work of each call on the device, in seconds.
    pub fn device_times(&self) -> &[f64] {
        &self.device.all
    }

    /// Returns the percentile of the host times, in seconds; 50 is the median.
    ///
    /// `q` is from 0 to 100.
    ///
    /// Between two times it is interpolated linearly, as NumPy's `percentile` does.
    pub fn host_percentile(&self, q: f64) -> f64 {
        self.host.percentile(q)
    }

    /// Returns the percentile of the device times, in seconds.
    ///
    /// `q` is from 0 to 100.
    pub fn device_percentile(&self, q: f64) -> f64 {
        self.device.percentile(q)
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, n) = (&self.name, self.host.all.len());
        writeln!(f, "{name}: {n} calls, times in us")?;
        writeln!(f, "{:8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}", "", "mean", "min", "50 %", "90 %", "99 %", "max")?;
        for (side, times) in [("host", &self.host), ("device", &self.device)] {
            let mean = times.all.iter().sum::<f64>() / n as f64;
            write!(f, "{side:8}{:12.3}", mean * 1e6)?;
            for q in [0.0, 50.0, 90.0, 99.0, 100.0] {
                write!(f, "{:12.3}", times.percentile(q) * 1e6)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_numpys() {
        let times = Times::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!([0.0, 25.0, 50.0, 90.0, 100.0].map(|q| times.percentile(q)), [1.0, 1.75, 2.5, 3.7, 4.0]);
    }

    #[test]
    fn calls_are_counted_and_time_is_kept() -> Result<()> {
        let mut calls = 0;
        let options = BenchmarkOptions { n_repeat: 7, n_warmup: 2, .."count".into() };
        let found = benchmark(
            || {
                calls += 1;
                Ok(())
            },
            options,
        )?;
        assert_eq!((calls, found.host_times().len(), found.device_times().len()), (9, 7, 7));
        assert!(found.to_string().starts_with("count: 7 calls"));
        let none = BenchmarkOptions { n_repeat: 0, ..().into() };
        assert_eq!(benchmark(|| Ok(()), none).unwrap_err().kind(), ErrorKind::Value);
        let short = BenchmarkOptions { max_duration: Some(Duration::ZERO), ..().into() };
        assert_eq!(benchmark(|| Ok(()), short)?.host_times().len(), 1);
        Ok(())
    }
}
