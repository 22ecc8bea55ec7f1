//! Tests of distributions with fixed seeds: the Kolmogorov–Smirnov and Anderson–Darling statistics for floats,
//! chi-square with merged cells for counts.
//!
//! Each test fails for one seed in a million if the distribution is correct; there are about a hundred.

use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuprum::random::{BitGenerator, BitGeneratorState, Generator, RandomOptions, default_rng};
use cuprum::{Array, DType, Operand};

/// Returns the number of samples of a distribution: 8,000 unless `CUPRUM_TEST_DRAWS` sets another number, which on a
/// GPU can be millions.
fn many() -> usize {
    std::env::var("CUPRUM_TEST_DRAWS").map_or(8000, |n| n.parse().expect("CUPRUM_TEST_DRAWS is a number"))
}

fn drawn(seed: u64, distribution: &str, parameters: &[f64], dtype: Option<DType>) -> Vec<f64> {
    let operands: Vec<Operand<'_>> = parameters.iter().map(|x| (*x).into()).collect();
    let options = RandomOptions::new().size(many());
    let options = dtype.map_or(options.clone(), |dtype| options.dtype(dtype));
    let mut rng: Generator = default_rng(seed).expect("a seed");
    let a: Array =
        rng.draw(distribution, &operands, options).unwrap_or_else(|e| panic!("{distribution} {parameters:?}: {e}"));
    a.astype(DType::F64).and_then(|a| a.to_vec::<f64>()).expect("floats")
}

/// Tests each of these distributions, with as many threads as cores: with millions of samples some take seconds.
fn each<T: Sync>(all: &[T], look: impl Fn(usize, &T) + Sync) {
    let (next, cores) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        for _ in 0..cores.min(all.len()) {
            scope.spawn(|| {
                loop {
                    // The index, which determines the seed.
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = all.get(k) else { break };
                    look(k, one);
                }
            });
        }
    });
}

/// Computes the logarithm of the gamma function, cached since a density evaluates the same values repeatedly.
fn ln_gamma(x: f64) -> f64 {
    thread_local!(static KNOWN: RefCell<HashMap<u64, f64>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        if known.len() > 4096 {
            known.clear();
        }
        *known.entry(x.to_bits()).or_insert_with(|| ln_gamma_anew(x))
    })
}

/// Computes it by Stirling's series for x of at least 12, by the recurrence below.
fn ln_gamma_anew(mut x: f64) -> f64 {
    let mut product = 0.0;
    while x < 12.0 {
        product += x.ln();
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - product
}

fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// The limit of the Kolmogorov–Smirnov statistic, multiplied by the square root of the number of samples, for p = 1e-6.
pub(super) const KOLMOGOROV: f64 = 2.69;

/// The limit of the statistic of T. Anderson and D. Darling ("A test of goodness of fit", 1954), which is sensitive to
/// the tails, for p = 1e-6.
const ANDERSON: f64 = 12.6;

pub(super) fn distance(draws: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
    distances(draws, below).0
}

/// Returns the Kolmogorov–Smirnov and the Anderson–Darling statistics.
fn distances(mut draws: Vec<f64>, below: impl Fn(f64) -> f64) -> (f64, f64) {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let (mut most, mut tails): (f64, f64) = (0.0, 0.0);
    for (k, x) in draws.iter().enumerate() {
        let f = below(*x);
        assert!(f.is_finite(), "{x}");
        most = most.max((f - k as f64 / n).abs()).max(((k + 1) as f64 / n - f).abs());
        // Some float32 samples are rounded to 0 and 1.
        let inside = f.clamp(2f64.powi(-26), 1.0 - 2f64.powi(-26));
        let rank = 2.0 * k as f64 + 1.0;
        tails -= rank * inside.ln() + (2.0 * n - rank) * (-inside).ln_1p();
    }
    (most * n.sqrt(), tails / n - n)
}

/// Returns the Kolmogorov–Smirnov statistic from a density, integrated by Simpson's rule from the first sample, below
/// which the probability is taken as half of 1/n. Intervals are from sample to sample; for more than 16,384 samples
/// they span several, except among the outermost ones, with linear interpolation inside, which is within 10^-4 of the
/// total.
fn distance_of_density(mut draws: Vec<f64>, density: impl Fn(f64) -> f64) -> f64 {
    draws.sort_by(f64::total_cmp);
    let (count, n) = (draws.len(), draws.len() as f64);
    let step = count.div_ceil(16_384);
    let stops = |k: &usize| *k < 1000 || *k + 1000 >= count || k.is_multiple_of(step);
    let (mut f, mut most, mut from, mut at): (f64, f64, usize, f64) = (0.5 / n, 0.0, 0, density(draws[0]));
    for to in (1..count).filter(stops) {
        let (a, b) = (draws[from], draws[to]);
        let h = (b - a) / 8.0;
        let mut integral = 0.0;
        for part in 0..4 {
            let a = a + 2.0 * h * f64::from(part);
            let end = density(a + 2.0 * h);
            integral += h / 3.0 * (at + 4.0 * density(a + h) + end);
            at = end;
        }
        for (k, x) in draws[from..to].iter().enumerate() {
            let here = f + if b > a { integral * (x - a) / (b - a) } else { 0.0 };
            most = most.max((here - ((from + k) as f64 + 0.5) / n).abs());
        }
        (f, from) = (f + integral, to);
    }
    most.max((f - 1.0).abs()) * n.sqrt()
}

fn gamma_density(x: f64, shape: f64) -> f64 {
    ((shape - 1.0) * x.ln() - x - ln_gamma(shape)).exp()
}

type Below = fn(f64, &[f64]) -> f64;

#[test]
fn distributions_with_a_distribution_function() {
    let distributions: [(&str, &[f64], Below); 17] = [
        ("random", &[], |x, _| x),
        ("random_full", &[], |x, _| x),
        ("uniform", &[-3.0, 5.0], |x, p| (x - p[0]) / (p[1] - p[0])),
        ("standard_exponential", &[], |x, _| -(-x).exp_m1()),
        ("exponential", &[2.5], |x, p| -(-x / p[0]).exp_m1()),
        ("laplace", &[1.0, 2.0], |x, p| {
            let z = (x - p[0]) / p[1];
            if z < 0.0 { z.exp() / 2.0 } else { 1.0 - (-z).exp() / 2.0 }
        }),
        ("logistic", &[-1.0, 0.5], |x, p| 1.0 / (1.0 + (-(x - p[0]) / p[1]).exp())),
        ("gumbel", &[0.5, 2.0], |x, p| (-(-(x - p[0]) / p[1]).exp()).exp()),
        ("standard_cauchy", &[], |x, _| 0.5 + x.atan() / PI),
        ("rayleigh", &[1.5], |x, p| -(-x * x / (2.0 * p[0] * p[0])).exp_m1()),
        ("weibull", &[0.7], |x, p| -(-x.powf(p[0])).exp_m1()),
        ("pareto", &[3.0], |x, p| 1.0 - (1.0 + x).powf(-p[0])),
        ("power", &[0.3], |x, p| x.powf(p[0])),
        ("triangular", &[-1.0, 0.0, 3.0], |x, p| {
            let base = p[2] - p[0];
            if x < p[1] {
                (x - p[0]).powi(2) / (base * (p[1] - p[0]))
            } else {
                1.0 - (p[2] - x).powi(2) / (base * (p[2] - p[1]))
            }
        }),
        ("standard_gamma", &[1.0], |x, _| -(-x).exp_m1()),
        ("chisquare", &[2.0], |x, _| -(-x / 2.0).exp_m1()),
        ("beta", &[0.4, 1.0], |x, p| x.powf(p[0])),
    ];
    each(&distributions, |k, (distribution, parameters, below)| {
        for dtype in [None, Some(DType::F32)] {
            let draws = drawn(100 + k as u64, distribution, parameters, dtype);
            let (far, tails) = distances(draws, |x| below(x, parameters));
            assert!(far < KOLMOGOROV && tails < ANDERSON, "{distribution} {parameters:?} {dtype:?}: {far} {tails}");
        }
    });
}

type Density = fn(f64, &[f64]) -> f64;

#[test]
fn distributions_with_a_density() {
    let normal: Density = |x, p| {
        let z = (x - p[0]) / p[1];
        (-0.5 * z * z).exp() / (p[1] * (2.0 * PI).sqrt())
    };
    let distributions: Vec<(&str, &[f64], Density)> = vec![
        ("normal", &[0.0, 1.0], normal),
        ("normal", &[7.0, 0.1], normal),
        ("lognormal", &[0.3, 0.5], |x, p| {
            let z = (x.ln() - p[0]) / p[1];
            (-0.5 * z * z).exp() / (x * p[1] * (2.0 * PI).sqrt())
        }),
        ("standard_gamma", &[1.7], |x, p| gamma_density(x, p[0])),
        ("standard_gamma", &[60.0], |x, p| gamma_density(x, p[0])),
        ("gamma", &[0.9, 3.0], |x, p| gamma_density(x / p[1], p[0]) / p[1]),
        ("chisquare", &[5.0], |x, p| gamma_density(x / 2.0, p[0] / 2.0) / 2.0),
        ("beta", &[2.5, 4.0], |x, p| ((p[0] - 1.0) * x.ln() + (p[1] - 1.0) * (-x).ln_1p() - ln_beta(p[0], p[1])).exp()),
        ("beta", &[0.9, 0.8], |x, p| ((p[0] - 1.0) * x.ln() + (p[1] - 1.0) * (-x).ln_1p() - ln_beta(p[0], p[1])).exp()),
        ("f", &[4.0, 9.0], |x, p| {
            let (a, b) = (p[0] / 2.0, p[1] / 2.0);
            let ratio = p[0] / p[1];
            (a * ratio.ln() + (a - 1.0) * x.ln() - (a + b) * (ratio * x).ln_1p() - ln_beta(a, b)).exp()
        }),
        ("standard_t", &[5.0], |x, p| {
            let n = p[0];
            (-(n + 1.0) / 2.0 * (x * x / n).ln_1p() - ln_beta(n / 2.0, 0.5)).exp() / n.sqrt()
        }),
        ("wald", &[2.0, 3.0], |x, p| {
            (p[1] / (2.0 * PI * x * x * x)).sqrt() * (-p[1] * (x - p[0]).powi(2) / (2.0 * p[0] * p[0] * x)).exp()
        }),
        ("vonmises", &[0.5, 4.0], |x, p| {
            // The Bessel function by its series.
            let bessel: f64 =
                (0..60).map(|k| (2.0 * k as f64 * (p[1] / 2.0).ln() - 2.0 * ln_gamma(k as f64 + 1.0)).exp()).sum();
            (p[1] * (x - p[0]).cos()).exp() / (2.0 * PI * bessel)
        }),
        ("vonmises", &[0.0, 1e-3], |x, p| (p[1] * x.cos()).exp() / (2.0 * PI)),
        ("noncentral_chisquare", &[3.0, 2.0], |x, p| {
            let part = |j: f64| (-p[1] / 2.0 + j * (p[1] / 2.0).ln() - ln_gamma(j + 1.0)).exp();
            (0..40).map(|j| part(j as f64) * gamma_density(x / 2.0, p[0] / 2.0 + j as f64) / 2.0).sum()
        }),
        ("noncentral_f", &[6.0, 8.0, 1.5], |x, p| {
            let part = |j: f64| (-p[2] / 2.0 + j * (p[2] / 2.0).ln() - ln_gamma(j + 1.0)).exp();
            let term = |j: f64| {
                let (a, b, ratio) = (p[0] / 2.0 + j, p[1] / 2.0, p[0] / p[1]);
                (a * ratio.ln() + (a - 1.0) * x.ln() - (a + b) * (ratio * x).ln_1p() - ln_beta(a, b)).exp()
            };
            (0..40).map(|j| part(j as f64) * term(j as f64)).sum()
        }),
    ];
    each(&distributions, |k, (distribution, parameters, density)| {
        let far =
            distance_of_density(drawn(200 + k as u64, distribution, parameters, None), |x| density(x, parameters));
        assert!(far < KOLMOGOROV, "{distribution} {parameters:?}: {far}");
    });
}

/// Returns chi-square of counts against the probabilities of 0, 1, 2, …, and the degrees of freedom: cells with an
/// expected count below 12 are merged with the next.
fn squares(draws: &[f64], probability: impl Fn(f64) -> f64) -> (f64, f64) {
    let n = draws.len() as f64;
    let most = draws.iter().copied().fold(0.0, f64::max) as usize;
    assert!(most < 200_000, "{most}");
    let mut counts = vec![0.0; most + 1];
    for x in draws {
        assert!(*x >= 0.0 && x.fract() == 0.0, "{x}");
        counts[*x as usize] += 1.0;
    }
    let (mut sum, mut cells, mut expected, mut found, mut all) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (k, count) in counts.iter().enumerate() {
        let p = n * probability(k as f64);
        (expected, found, all) = (expected + p, found + count, all + p);
        if expected >= 12.0 && n - all >= 12.0 {
            (sum, cells) = (sum + (found - expected).powi(2) / expected, cells + 1.0);
            (expected, found) = (0.0, 0.0);
        }
    }
    // The last cell includes the tail.
    expected += n - all;
    (sum + (found - expected).powi(2) / expected, cells)
}

/// Returns the chi-square value exceeded with a probability of one in a million (E. Wilson, M. Hilferty, 1931).
fn limit(freedom: f64) -> f64 {
    let k = freedom.max(1.0);
    k * (1.0 - 2.0 / (9.0 * k) + 4.753 * (2.0 / (9.0 * k)).sqrt()).powi(3)
}

#[test]
fn counts_have_their_probabilities() {
    let poisson: Density = |k, p| (k * p[0].ln() - p[0] - ln_gamma(k + 1.0)).exp();
    let choose = |n: f64, k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let binomial = move |k: f64, p: &[f64]| {
        if k > p[0] { 0.0 } else { (choose(p[0], k) + k * p[1].ln() + (p[0] - k) * (-p[1]).ln_1p()).exp() }
    };
    let hypergeometric = move |k: f64, p: &[f64]| {
        let (good, bad, sample) = (p[0], p[1], p[2]);
        if k > good || k > sample || sample - k > bad {
            return 0.0;
        }
        (choose(good, k) + choose(bad, sample - k) - choose(good + bad, sample)).exp()
    };
    let negative = |k: f64, p: &[f64]| {
        (ln_gamma(k + p[0]) - ln_gamma(k + 1.0) - ln_gamma(p[0]) + p[0] * p[1].ln() + k * (-p[1]).ln_1p()).exp()
    };
    type Probability = Box<dyn Fn(f64, &[f64]) -> f64 + Sync>;
    let distributions: Vec<(&str, &[f64], Probability)> = vec![
        ("poisson", &[0.3], Box::new(poisson)),
        ("poisson", &[9.9], Box::new(poisson)),
        ("poisson", &[10.0], Box::new(poisson)),
        ("poisson", &[700.0], Box::new(poisson)),
        ("binomial", &[1.0, 0.3], Box::new(binomial)),
        ("binomial", &[30.0, 0.8], Box::new(binomial)),
        ("binomial", &[50.0, 0.4], Box::new(binomial)),
        ("binomial", &[10_000.0, 0.02], Box::new(binomial)),
        ("binomial", &[1000.0, 0.001], Box::new(binomial)),
        ("geometric", &[0.2], Box::new(|k, p| if k < 1.0 { 0.0 } else { p[0] * (1.0 - p[0]).powf(k - 1.0) })),
        ("negative_binomial", &[3.5, 0.3], Box::new(negative)),
        ("hypergeometric", &[7.0, 5.0, 6.0], Box::new(hypergeometric)),
        ("hypergeometric", &[60.0, 30.0, 40.0], Box::new(hypergeometric)),
        ("hypergeometric", &[300.0, 900.0, 700.0], Box::new(hypergeometric)),
        ("logseries", &[0.6], Box::new(|k, p| if k < 1.0 { 0.0 } else { -p[0].powf(k) / (k * (-p[0]).ln_1p()) })),
        ("zipf", &[4.0], Box::new(|k, p| if k < 1.0 { 0.0 } else { k.powf(-p[0]) / (PI.powi(4) / 90.0) })),
        ("bernoulli", &[0.15], Box::new(|k, p| if k > 0.5 { p[0] } else { 1.0 - p[0] })),
    ];
    each(&distributions, |k, (distribution, parameters, probability)| {
        let draws = drawn(300 + k as u64, distribution, parameters, None);
        let (sum, freedom) = squares(&draws, |k| probability(k, parameters));
        assert!(sum < limit(freedom), "{distribution} {parameters:?}: chi-square {sum} of {freedom} degrees");
    });
}

/// Large counts are compared by the moments of the normal limit, whose error is below that of the samples.
#[test]
fn large_counts_have_their_moments() {
    let distributions: [(&str, &[f64], f64, f64); 4] = [
        ("poisson", &[1e12], 1e12, 1e6),
        ("binomial", &[1e12, 0.25], 0.25e12, (1e12f64 * 0.1875).sqrt()),
        ("binomial", &[4e9, 0.5], 2e9, 1e9f64.sqrt()),
        ("hypergeometric", &[4e8, 6e8, 1e6], 4e5, (1e6f64 * 0.24 * (1e9 - 1e6) / (1e9 - 1.0)).sqrt()),
    ];
    each(&distributions, |k, &(distribution, parameters, mean, deviation)| {
        let draws = drawn(400 + k as u64, distribution, parameters, None);
        let z: Vec<f64> = draws.iter().map(|x| (x - mean) / deviation).collect();
        let n = z.len() as f64;
        let moment = |power: i32| z.iter().map(|x| x.powi(power)).sum::<f64>() / n;
        // Five standard errors of each moment.
        assert!(moment(1).abs() < 5.0 / n.sqrt(), "{distribution} {parameters:?}: {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{distribution} {parameters:?}: {}", moment(2));
        assert!((moment(4) - 3.0).abs() < 5.0 * (96.0 / n).sqrt(), "{distribution} {parameters:?}: {}", moment(4));
    });
}

/// Creates an XORWOW generator whose next `words` words are 0; the rest of the state follows from `x`.
fn before_zeros(words: usize, mut x: u64) -> Generator {
    let mut state: [u32; 6] = std::array::from_fn(|_| {
        // A step of a congruential generator (D. Knuth's MMIX).
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 32) as u32
    });
    let (mut last, mut counter) = (state[4], state[5]);
    for register in &mut state[..words] {
        counter = counter.wrapping_add(362437);
        let next = counter.wrapping_neg();
        // next = last ^ last << 4 ^ t ^ t << 1 with t = register ^ register >> 2: both are inverted by repeated doubled
        // shifts.
        let mut t = next ^ last ^ last << 4;
        [1, 2, 4, 8, 16].into_iter().for_each(|k| t ^= t << k);
        [2, 4, 8, 16].into_iter().for_each(|k| t ^= t >> k);
        (*register, last) = (t, next);
    }
    let state = BitGeneratorState { bit_generator: "XORWOW".into(), state, block: 0, lane: 0 };
    Generator::new(BitGenerator::from_state(&state).expect("a state"))
}

/// Beyond the smallest word an exponential sample continues with another word, as the distribution is memoryless.
#[test]
fn tails_go_on_behind_the_smallest_word() {
    for (words, dtype) in [(1, DType::F32), (2, DType::F64)] {
        let beyond = |seed| {
            let mut rng = before_zeros(words, seed);
            let raw = rng.clone().bit_generator_mut().random_raw(words).and_then(|a| a.to_vec::<u32>());
            assert_eq!(raw.expect("words"), vec![0; words]);
            let draw = rng.standard_exponential(RandomOptions::new().size(1).dtype(dtype)).expect("a number");
            draw.astype(DType::F64).and_then(|a| a.item::<f64>()).expect("a float") - 32.0 * words as f64 * 2f64.ln()
        };
        let far = distance((0..300).map(beyond).collect(), |x| -(-x).exp_m1());
        assert!(far < KOLMOGOROV, "{dtype}: {far}");
        let small = |seed| {
            let draw =
                before_zeros(words, seed).random_full(RandomOptions::new().size(1).dtype(dtype)).expect("a number");
            draw.astype(DType::F64).and_then(|a| a.item::<f64>()).expect("a float") * 2f64.powi(32 * words as i32)
        };
        let far = distance((0..300).map(small).collect(), |x| x);
        assert!(far < KOLMOGOROV, "{dtype}: {far}");
    }
}

#[test]
fn neighbours_rows_and_seeds_have_nothing_in_common() {
    let correlation = |x: &[f64], y: &[f64]| {
        let n = x.len().min(y.len()) as f64;
        x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>() / n.sqrt()
    };
    let a = drawn(500, "standard_normal", &[], Some(DType::F32));
    let b = drawn(501, "standard_normal", &[], Some(DType::F32));
    for lag in [1, 2, 3, 4, 100, 128, 1024] {
        let z = correlation(&a, &a[lag..]);
        assert!(z.abs() < 5.0, "elements {lag} apart: {z}");
    }
    let z = correlation(&a, &b);
    assert!(z.abs() < 5.0, "seeds that follow each other: {z}");
    let squares = |x: &[f64]| x.iter().map(|x| (x * x - 1.0) / 2f64.sqrt()).collect::<Vec<_>>();
    let z = correlation(&squares(&a), &squares(&a[1..]));
    assert!(z.abs() < 5.0, "the two of a pair: {z}");
}
