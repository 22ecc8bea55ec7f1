//! Checks of arrays with more elements than 32 bits can count, against closed forms. The oracle would take hours.
//!
//! The operands are sequences whose sums, orders and positions have closed forms for any number of elements, so that
//! the same checks run with some thousand elements on the simulator, where they are tested, and with more than 2^31 on
//! a GPU.

mod checks;

use std::time::{Duration, Instant};

use cuprum::cuda::Device;
use cuprum::{Array, DType, ErrorKind, arange, remainder, s};

/// Default number of elements: more than a signed 32-bit integer holds, and no round number.
pub const ELEMENTS: usize = (1 << 31) + 4099;

/// Number of elements in the wide mode: more than an unsigned 32-bit integer holds.
pub const WIDE: usize = (1 << 32) + 4099;

/// Period of the bytes: a prime, so that no tile and no row ends with a period.
const PERIOD: usize = 251;

/// The result of a check.
#[derive(Clone, Debug)]
pub enum Fate {
    /// The values are correct.
    Passed,
    /// The device's memory is too small: nothing was checked, which is no success.
    NoRoom(String),
    /// The actual and the expected value.
    Failed(String),
}

/// A check that was executed.
#[derive(Clone, Debug)]
pub struct Done {
    /// The name of the check.
    pub name: &'static str,
    /// The result.
    pub fate: Fate,
    /// The time it took.
    pub time: Duration,
}

/// The reason why a check does not pass.
enum Failure {
    Wrong(String),
    Error(cuprum::Error),
}

impl From<cuprum::Error> for Failure {
    fn from(error: cuprum::Error) -> Failure {
        Failure::Error(error)
    }
}

type Outcome = std::result::Result<(), Failure>;

/// The operands that most checks use.
struct Operands {
    /// The number of elements.
    n: usize,
    /// The positions modulo [`PERIOD`], as uint8.
    bytes: Array,
}

impl Operands {
    fn new(n: usize) -> cuprum::Result<Operands> {
        let bytes = cuprum::empty([n], DType::U8)?;
        // In parts: the indices take eight bytes each.
        let part = PERIOD << 20;
        for start in (0..n).step_by(part) {
            let end = (start + part).min(n);
            let values = remainder(&arange(start as i64, end as i64, 1)?, PERIOD as i64)?;
            bytes.set(s![start as i64..end as i64], &values.astype(DType::U8)?)?;
        }
        Ok(Operands { n, bytes })
    }

    /// Returns the number of bytes equal to `value`.
    fn count(&self, value: usize) -> usize {
        (self.n + PERIOD - 1 - value) / PERIOD
    }

    /// Returns the number of bytes less than `value`.
    fn below(&self, value: usize) -> usize {
        (0..value).map(|v| self.count(v)).sum()
    }

    /// Returns the sum of the first `n` bytes.
    fn sum(n: usize) -> f64 {
        let (whole, rest) = (n / PERIOD, n % PERIOD);
        (whole * (PERIOD * (PERIOD - 1) / 2) + rest * rest.saturating_sub(1) / 2) as f64
    }

    /// Returns the indices to compare: the ends, the middle, and around the powers of two at which 32-bit integers end.
    fn sample_indices(&self) -> Vec<usize> {
        let about = |p: usize| [p - 1, p, p + 1];
        let mut indices = vec![0, 1, self.n / 2, self.n - 2, self.n - 1];
        indices.extend([1 << 31, 1 << 32].into_iter().flat_map(about).filter(|&p| p < self.n));
        indices
    }
}

/// Returns true if every check was executed and passed.
pub fn is_good(done: &[Done]) -> bool {
    !done.is_empty() && done.iter().all(|d| matches!(d.fate, Fate::Passed))
}

/// Returns the element at this index, as a number.
fn value(a: &Array, at: usize) -> cuprum::Result<f64> {
    a.index(s![at as i64])?.astype(DType::F64)?.item::<f64>()
}

fn same(what: impl AsRef<str>, found: f64, expected: f64) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(Failure::Wrong(format!("{}: {found} in place of {expected}", what.as_ref())))
}

/// Executes the checks whose names contain one of `only`, with `n` elements each, and calls `done` after each.
///
/// # Errors
///
/// If the operands themselves cannot be created.
pub fn run(device: Device, n: usize, only: &[String], mut done: impl FnMut(&Done)) -> cuprum::Result<Vec<Done>> {
    device.with(|| {
        let operands = Operands::new(n)?;
        let chosen = |name: &str| only.is_empty() || only.iter().any(|o| name.contains(o.as_str()));
        let mut all = vec![];
        for (name, check) in checks::ALL.iter().filter(|(name, _)| chosen(name)) {
            let start = Instant::now();
            let fate = match check(&operands) {
                Ok(()) => Fate::Passed,
                Err(Failure::Error(e)) if e.kind() == ErrorKind::OutOfMemory => Fate::NoRoom(e.to_string()),
                Err(Failure::Error(e)) => Fate::Failed(e.to_string()),
                Err(Failure::Wrong(message)) => Fate::Failed(message),
            };
            device.synchronize()?;
            device.free_all_blocks()?;
            all.push(Done { name, fate, time: start.elapsed() });
            done(&all[all.len() - 1]);
        }
        Ok(all)
    })
}
