//! A battery for bit generators: statistics of their words, counted on the device in chunks, so that volumes of 2^38 bytes and
//! more are a matter of seconds on a GPU.
//!
//! Each statistic puts what it looks at into cells whose probabilities are known; chi-square of all chunks together says how
//! far the counts are from them. Ranks and birthday spacings are G. Marsaglia's ("The Marsaglia random number CDROM including
//! the Diehard battery of tests of randomness", 1995), the others are D. Knuth's ("The art of computer programming", volume 2,
//! 3.3.2); the spacings' sizes keep to P. L'Ecuyer's and R. Simard's bounds ("On the performance of birthday spacings tests",
//! 2001).

use cuprum::{Argument, Array, BincountOptions, DType, RawKernel, RawModule, Result, Scalar, s};

/// Ranks of matrices of 32 words, each a row of bits: rows are cleared of the lowest bit of those before.
const RANKS: &str = r#"
extern "C" __global__ void ranks(const unsigned *words, int *rank, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rows[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) rows[k] = words[32 * i + k];
  int found = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const unsigned lowest = rows[k] & (0u - rows[k]);
    found += lowest != 0;
#pragma unroll
    for (int j = k + 1; j < 32; ++j) rows[j] ^= rows[j] & lowest ? rows[k] : 0u;
  }
  rank[i] = found;
}
"#;

/// What a statistic has counted.
#[derive(Clone, Debug)]
pub struct Statistic {
    /// What it looks at.
    pub name: &'static str,
    probabilities: Vec<f64>,
    counts: Vec<f64>,
}

impl Statistic {
    fn new(name: &'static str, probabilities: Vec<f64>) -> Statistic {
        let counts = vec![0.0; probabilities.len()];
        Statistic { name, probabilities, counts }
    }

    fn uniform(name: &'static str, cells: usize) -> Statistic {
        Statistic::new(name, vec![1.0 / cells as f64; cells])
    }

    /// Adds what lies in which cell. What is beyond the last cell counts as the last.
    fn add(&mut self, cells: &Array) -> Result<()> {
        let last = self.counts.len() - 1;
        let found = cuprum::bincount(cells, BincountOptions { weights: None, minlength: last + 1 })?.to_vec::<i64>()?;
        for (k, n) in found.into_iter().enumerate() {
            self.counts[k.min(last)] += n as f64;
        }
        Ok(())
    }

    /// How many were counted.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Chi-square as standard deviations from what is expected, by the cube root (E. Wilson, M. Hilferty, 1931). A cell of
    /// fewer than 16 expected is one with the next. A large negative number tells as much as a large one: counts are too even.
    pub fn deviation(&self) -> f64 {
        let n = self.total();
        let mut cells: Vec<[f64; 2]> = vec![];
        for (p, found) in self.probabilities.iter().zip(&self.counts) {
            match cells.last_mut() {
                Some(cell) if cell[0] < 16.0 => *cell = [cell[0] + n * p, cell[1] + found],
                _ => cells.push([n * p, *found]),
            }
        }
        if let Some(last) = cells.pop_if(|cell| cell[0] < 16.0)
            && let Some(cell) = cells.last_mut()
        {
            *cell = [cell[0] + last[0], cell[1] + last[1]];
        }
        let k = cells.len() as f64 - 1.0;
        let square: f64 = cells.iter().map(|[expected, found]| (found - expected).powi(2) / expected).sum();
        ((square / k).cbrt() - (1.0 - 2.0 / (9.0 * k))) / (2.0 / (9.0 * k)).sqrt()
    }
}

/// All statistics.
#[derive(Clone, Debug)]
pub struct Battery {
    statistics: Vec<Statistic>,
    ranks: RawKernel,
    /// Bits of a birthday and birthdays of a year: as many as have one pair of equal spacings on average.
    birthdays: (u32, usize),
}

fn binomial(n: usize) -> Vec<f64> {
    let mut all = vec![0.5f64.powi(n as i32)];
    for k in 0..n {
        all.push(all[k] * (n - k) as f64 / (k + 1) as f64);
    }
    all
}

/// Of Poisson's distribution with mean 1; what is beyond belongs to the last.
fn poisson(cells: usize) -> Vec<f64> {
    let mut all = vec![(-1.0f64).exp()];
    for k in 1..cells {
        all.push(all[k - 1] / k as f64);
    }
    let beyond = 1.0 - all.iter().sum::<f64>();
    all[cells - 1] += beyond;
    all
}

/// Bits `low` to below `low + many`.
fn bits(words: &Array, low: u32, many: u32) -> Result<Array> {
    let mask = ((1u64 << many) - 1) as i128;
    cuprum::bitwise_and(&cuprum::right_shift(words, Scalar::Int(low.into()))?, Scalar::Int(mask))
}

/// Two cells as one.
fn both(first: &Array, second: &Array, cells: i128) -> Result<Array> {
    cuprum::add(&cuprum::multiply(first, Scalar::Int(cells))?, second)
}

impl Battery {
    /// Of chunks of so many words: a power of 2, 2^16 or more.
    ///
    /// # Errors
    ///
    /// Where the kernel of ranks does not compile.
    pub fn new(words: usize) -> Result<Battery> {
        let pairs = binomial(32).iter().flat_map(|p| binomial(32).into_iter().map(move |q| p * q)).collect();
        // P. of rank 32 - k: 2^(-k k) times the product of (1 - 2^-j)^2 over the ranks that are left, by the recurrence.
        let of_rank = |r: i32| {
            let product: f64 =
                (0..r).map(|i| (1.0 - 0.5f64.powi(32 - i)).powi(2) / (1.0 - 0.5f64.powi(r - i))).product();
            product * 2f64.powi(r * (64 - r) - 1024)
        };
        let statistics = vec![
            Statistic::uniform("byte 0", 256),
            Statistic::uniform("byte 1", 256),
            Statistic::uniform("byte 2", 256),
            Statistic::uniform("byte 3", 256),
            Statistic::uniform("upper half", 65_536),
            Statistic::uniform("lower half", 65_536),
            Statistic::uniform("upper bytes of neighbours", 65_536),
            Statistic::uniform("lower bytes of neighbours", 65_536),
            Statistic::uniform("upper bytes of words 4 apart", 65_536),
            Statistic::new("ones", binomial(32)),
            Statistic::new("ones of neighbours", pairs),
            Statistic::uniform("orders of four", 24),
            Statistic::new("ranks of 32 words", (0..=32).map(of_rank).collect()),
            Statistic::new("birthday spacings", poisson(10)),
        ];
        let ranks = RawModule::compile(RANKS, &[])?.kernel("ranks")?;
        let birthdays = if words >= 1 << 24 { (64, 1 << 22) } else { (25, 1 << 9) };
        Ok(Battery { statistics, ranks, birthdays })
    }

    /// What was found.
    pub fn statistics(&self) -> &[Statistic] {
        &self.statistics
    }

    /// Looks at a chunk of words of 32 bits.
    ///
    /// # Errors
    ///
    /// Those of the device.
    ///
    /// # Synchronization
    ///
    /// Waits for the counts.
    pub fn add(&mut self, words: &Array) -> Result<()> {
        let n = words.size() as i64;
        let (even, odd) = (words.index(s![0..;2])?, words.index(s![1..;2])?);
        let eights = words.reshape([n / 8, 8])?;
        let (first, second) = (eights.index(s![.., ..4])?.reshape(-1)?, eights.index(s![.., 4..])?.reshape(-1)?);
        let ones = cuprum::bitwise_count(words)?.astype(DType::I32)?;
        let cells = [
            bits(words, 0, 8)?,
            bits(words, 8, 8)?,
            bits(words, 16, 8)?,
            bits(words, 24, 8)?,
            bits(words, 16, 16)?,
            bits(words, 0, 16)?,
            both(&bits(&even, 24, 8)?, &bits(&odd, 24, 8)?, 256)?,
            both(&bits(&even, 0, 8)?, &bits(&odd, 0, 8)?, 256)?,
            both(&bits(&first, 24, 8)?, &bits(&second, 24, 8)?, 256)?,
            ones.clone(),
            both(&ones.index(s![0..;2])?, &ones.index(s![1..;2])?, 33)?,
            orders(words)?,
            self.ranks(words)?,
            self.spacings(words)?,
        ];
        self.statistics.iter_mut().zip(&cells).try_for_each(|(statistic, cells)| statistic.add(cells))
    }

    fn ranks(&self, words: &Array) -> Result<Array> {
        let many = words.size() / 32;
        let ranks = cuprum::zeros(many, DType::I32)?;
        let arguments = [Argument::Array(words), Argument::Array(&ranks), Argument::I64(many as i64)];
        // SAFETY: the kernel reads 32 words for each of the ranks that it writes.
        unsafe { self.ranks.launch([many.div_ceil(128) as u32, 1, 1], [128, 1, 1], &arguments) }?;
        Ok(ranks)
    }

    /// How many spacings of a year's birthdays are equal, of each year.
    fn spacings(&self, words: &Array) -> Result<Array> {
        let (bits, year) = self.birthdays;
        let days = cuprum::right_shift(&words.view(DType::U64)?, Scalar::Int((64 - bits).into()))?;
        let years = days.reshape([-1, year as i64])?;
        let sorted = cuprum::sort(&years, 1)?;
        let apart = cuprum::subtract(&sorted.index(s![.., 1..])?, &sorted.index(s![.., ..-1])?)?;
        let apart = cuprum::sort(&apart, 1)?;
        cuprum::count_nonzero(&cuprum::equal(&apart.index(s![.., 1..])?, &apart.index(s![.., ..-1])?)?, 1)
    }
}

/// The number of the order that four words have: how many of those behind are less than the first, the second, the third.
fn orders(words: &Array) -> Result<Array> {
    let fours = words.reshape([-1, 4])?;
    let column = |k: i64| fours.index(s![.., k]);
    let less = |a: i64, b: i64| cuprum::less(&column(b)?, &column(a)?).and_then(|m| m.astype(DType::I32));
    let first = cuprum::add(&cuprum::add(&less(0, 1)?, &less(0, 2)?)?, &less(0, 3)?)?;
    let second = cuprum::add(&less(1, 2)?, &less(1, 3)?)?;
    both(&both(&first, &second, 3)?, &less(2, 3)?, 2)
}
