//! A battery of tests for bit generators: statistics of their words, counted on the device in chunks, so that volumes
//! of 2^38 bytes and more take seconds on a GPU.
//!
//! Each statistic sorts its observations into cells of known probabilities; the chi-square statistic over all chunks
//! measures the deviation of the counts from them. Ranks and birthday spacings are G. Marsaglia's ("The Marsaglia
//! random number CDROM including the Diehard battery of tests of randomness", 1995), the others are D. Knuth's ("The
//! art of computer programming", volume 2, 3.3.2); the sizes of the spacings test follow the bounds of P. L'Ecuyer and
//! R. Simard ("On the performance of birthday spacings tests", 2001).

use cuprum::{Argument, Array, BincountOptions, DType, RawKernel, RawModule, Result, Scalar, s};

/// Ranks of matrices of 32 words, each a row of bits: Gaussian elimination over GF(2) by the lowest bit of each row.
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

/// The counts of a statistic.
#[derive(Clone, Debug)]
pub struct Statistic {
    /// The observed quantity.
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

    /// Counts the cells of the observations. Values beyond the last cell count as the last.
    fn add(&mut self, cells: &Array) -> Result<()> {
        let last = self.counts.len() - 1;
        let found = cuprum::bincount(cells, BincountOptions { weights: None, minlength: last + 1 })?.to_vec::<i64>()?;
        for (k, n) in found.into_iter().enumerate() {
            self.counts[k.min(last)] += n as f64;
        }
        Ok(())
    }

    /// Returns the total count.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Returns the deviation of chi-square in standard deviations, by the cube-root transformation (E. Wilson, M.
    /// Hilferty, 1931). Cells with an expected count below 16 are merged with the next. A large negative value is as
    /// significant as a large positive one: the counts are too even.
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
    /// The number of bits of a birthday and of birthdays in a year, chosen so that one pair of spacings is equal on
    /// average.
    birthdays: (u32, usize),
}

fn binomial(n: usize) -> Vec<f64> {
    let mut all = vec![0.5f64.powi(n as i32)];
    for k in 0..n {
        all.push(all[k] * (n - k) as f64 / (k + 1) as f64);
    }
    all
}

/// Returns the probabilities of the Poisson distribution of mean 1; the last includes the tail.
fn poisson(cells: usize) -> Vec<f64> {
    let mut all = vec![(-1.0f64).exp()];
    for k in 1..cells {
        all.push(all[k - 1] / k as f64);
    }
    let beyond = 1.0 - all.iter().sum::<f64>();
    all[cells - 1] += beyond;
    all
}

/// Returns the bits from `low` to below `low + many`.
fn bits(words: &Array, low: u32, many: u32) -> Result<Array> {
    let mask = ((1u64 << many) - 1) as i128;
    cuprum::bitwise_and(&cuprum::right_shift(words, Scalar::Int(low.into()))?, Scalar::Int(mask))
}

/// Combines two cells into one.
fn both(first: &Array, second: &Array, cells: i128) -> Result<Array> {
    cuprum::add(&cuprum::multiply(first, Scalar::Int(cells))?, second)
}

impl Battery {
    /// Creates a battery for chunks of `words` words: a power of 2, at least 2^16.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel of ranks does not compile.
    pub fn new(words: usize) -> Result<Battery> {
        let pairs = binomial(32).iter().flat_map(|p| binomial(32).into_iter().map(move |q| p * q)).collect();
        // The probability of rank 32 - k: 2^(-k k) times the product of (1 - 2^-j)^2 over the remaining ranks, by the
        // recurrence.
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

    /// Returns the statistics.
    pub fn statistics(&self) -> &[Statistic] {
        &self.statistics
    }

    /// Adds a chunk of 32-bit words.
    ///
    /// # Errors
    ///
    /// Returns errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the counts.
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
        // SAFETY: the kernel reads 32 words for each rank that it writes.
        unsafe { self.ranks.launch([many.div_ceil(128) as u32, 1, 1], [128, 1, 1], &arguments) }?;
        Ok(ranks)
    }

    /// Returns the number of equal spacings of birthdays of each year.
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

/// Returns the index of the order of four words, from the numbers of later words that are less than the first, the
/// second and the third.
fn orders(words: &Array) -> Result<Array> {
    let fours = words.reshape([-1, 4])?;
    let column = |k: i64| fours.index(s![.., k]);
    let less = |a: i64, b: i64| cuprum::less(&column(b)?, &column(a)?).and_then(|m| m.astype(DType::I32));
    let first = cuprum::add(&cuprum::add(&less(0, 1)?, &less(0, 2)?)?, &less(0, 3)?)?;
    let second = cuprum::add(&less(1, 2)?, &less(1, 3)?)?;
    both(&both(&first, &second, 3)?, &less(2, 3)?, 2)
}
