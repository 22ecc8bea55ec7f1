//! Arrays of more elements than 32 bits can count. The oracle would take hours: these are results that arithmetic knows.
//!
//! The operands are sequences whose sums, orders and positions have closed forms for any number of elements, so that the same
//! checks run with some thousand on the simulator, where they are tested, and with more than 2^31 on a GPU.

mod checks;

use std::time::{Duration, Instant};

use cuprum::cuda::Device;
use cuprum::{Array, DType, ErrorKind, arange, remainder, s};

/// Elements, unless said otherwise: more than a signed integer of 32 bits holds, and no round number.
pub const ELEMENTS: usize = (1 << 31) + 4099;

/// Elements in the wide mode: more than an unsigned integer of 32 bits holds.
pub const WIDE: usize = (1 << 32) + 4099;

/// How often the bytes repeat: a prime, so that no tile and no row ends with a period.
const PERIOD: usize = 251;

/// What became of a check.
#[derive(Clone, Debug)]
pub enum Fate {
    /// All is as it must be.
    Passed,
    /// The device's memory does not hold it: nothing was checked, which is no success.
    NoRoom(String),
    /// What was found, and what must be.
    Failed(String),
}

/// One check that was carried out.
#[derive(Clone, Debug)]
pub struct Done {
    /// The name of the check.
    pub name: &'static str,
    /// What became of it.
    pub fate: Fate,
    /// How long it took.
    pub time: Duration,
}

/// Why a check does not pass.
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
        // In parts: the positions take eight bytes each.
        let part = PERIOD << 20;
        for start in (0..n).step_by(part) {
            let end = (start + part).min(n);
            let values = remainder(&arange(start as i64, end as i64, 1)?, PERIOD as i64)?;
            bytes.set(s![start as i64..end as i64], &values.astype(DType::U8)?)?;
        }
        Ok(Operands { n, bytes })
    }

    /// How many bytes are `value`.
    fn count(&self, value: usize) -> usize {
        (self.n + PERIOD - 1 - value) / PERIOD
    }

    /// How many bytes are less than `value`.
    fn below(&self, value: usize) -> usize {
        (0..value).map(|v| self.count(v)).sum()
    }

    /// The sum of the first `n` bytes.
    fn sum(n: usize) -> f64 {
        let (whole, rest) = (n / PERIOD, n % PERIOD);
        (whole * (PERIOD * (PERIOD - 1) / 2) + rest * rest.saturating_sub(1) / 2) as f64
    }

    /// Positions to look at: the ends, the middle, and about the powers of two that integers of 32 bits end at.
    fn places(&self) -> Vec<usize> {
        let about = |p: usize| [p - 1, p, p + 1];
        let mut places = vec![0, 1, self.n / 2, self.n - 2, self.n - 1];
        places.extend([1 << 31, 1 << 32].into_iter().flat_map(about).filter(|&p| p < self.n));
        places
    }
}

/// Whether every check was carried out and found what must be.
pub fn is_good(done: &[Done]) -> bool {
    !done.is_empty() && done.iter().all(|d| matches!(d.fate, Fate::Passed))
}

/// The element at this position, as a number.
fn value(a: &Array, at: usize) -> cuprum::Result<f64> {
    a.index(s![at as i64])?.astype(DType::F64)?.item::<f64>()
}

fn same(what: impl AsRef<str>, found: f64, expected: f64) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(Failure::Wrong(format!("{}: {found} in place of {expected}", what.as_ref())))
}

/// Carries out the checks whose names contain one of `only`, with `n` elements each, and tells `done` of each.
///
/// # Errors
///
/// Where the operands themselves cannot be made.
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
