//! Statistical tests of the network that permutes many positions, with the oracle, which gives the device's bits:
//! properties of a uniformly random permutation.

use cuprum_oracle::random::{Words, permuted};

/// Returns the network's permutation for a seed.
fn permutation(many: u64, seed: u32) -> Vec<u64> {
    let keys: Vec<u32> = Words::philox([seed, many as u32]).take(8).collect();
    let keys: [u32; 8] = keys.try_into().expect("eight words");
    (0..many).map(|position| permuted(position, many, keys)).collect()
}

/// Returns the deviation of chi-square in standard deviations, by the cube-root transformation (E. Wilson, M. Hilferty,
/// 1931).
fn deviation(counts: &[f64], expected: f64) -> f64 {
    let (sum, k) = (counts.iter().map(|n| (n - expected).powi(2) / expected).sum::<f64>(), counts.len() as f64 - 1.0);
    ((sum / k).cbrt() - (1.0 - 2.0 / (9.0 * k))) / (2.0 / (9.0 * k)).sqrt()
}

/// The limit, which fails for one seed in a million if all permutations are equally likely.
const LIMIT: f64 = 4.9;

/// Three domain sizes: a power of two, one more than that, and neither.
const MANY: [u64; 3] = [1 << 16, (1 << 16) + 1, 100_003];

#[test]
fn each_is_a_permutation() {
    for many in MANY {
        let mut all = permutation(many, 3);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..many), "{many}");
    }
}

/// The upper and lower bits of a position are independent of those of its image, and its image of its neighbour's.
#[test]
fn images_hang_on_no_bits_of_their_places() {
    const SEEDS: u32 = 40;
    for many in MANY {
        let mut tables = vec![vec![0.0; 256]; 5];
        for seed in 0..SEEDS {
            let all = permutation(many, seed);
            let upper = |x: u64| (x * 16 / many) as usize;
            let lower = |x: u64| (x % 16) as usize;
            for (position, &image) in all.iter().enumerate() {
                let (position, next) = (position as u64, all[(position + 1) % all.len()]);
                let apart = (next + many - image) % many;
                let cells = [
                    (upper(position), upper(image)),
                    (lower(position), lower(image)),
                    (upper(position), lower(image)),
                    (lower(position), upper(image)),
                    (upper(image), upper(apart)),
                ];
                for (table, (row, column)) in tables.iter_mut().zip(cells) {
                    table[16 * row + column] += 1.0;
                }
            }
        }
        for (k, table) in tables.iter().enumerate() {
            // Margins are fixed: there are fewer degrees of freedom than cells, which only widens the limit.
            let far = deviation(table, f64::from(SEEDS) * many as f64 / 256.0);
            assert!(far < LIMIT, "{many}, table {k}: {far}");
        }
    }
}

/// The number of fixed points is Poisson-distributed with mean 1; ascents and records are those of uniformly random
/// permutations.
#[test]
fn fixed_points_ascents_and_records_are_as_many_as_chance_has() {
    const SEEDS: u32 = 100;
    let many = 66_000u64;
    let n = many as f64;
    let (mut fixed, mut ascents, mut records) = (0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let all = permutation(many, seed);
        fixed += all.iter().enumerate().filter(|(k, x)| **x == *k as u64).count() as f64;
        ascents += all.windows(2).filter(|w| w[0] < w[1]).count() as f64;
        let mut most = None;
        for x in all {
            if most < Some(x) {
                (most, records) = (Some(x), records + 1.0);
            }
        }
    }
    let seeds = f64::from(SEEDS);
    let harmonic = |power: i32| (1..=many).map(|k| (k as f64).powi(-power)).sum::<f64>();
    let near = |what: &str, found: f64, mean: f64, variance: f64| {
        let far = (found - seeds * mean) / (seeds * variance).sqrt();
        assert!(far.abs() < LIMIT, "{what}: {found}, {far} standard deviations");
    };
    near("fixed points", fixed, 1.0, 1.0);
    near("ascents", ascents, (n - 1.0) / 2.0, (n + 1.0) / 12.0);
    near("records", records, harmonic(1), harmonic(1) - harmonic(2));
}

/// Over seeds, the image of a position is uniformly distributed.
#[test]
fn a_place_goes_anywhere() {
    for position in [0, 1, 65_999] {
        let mut counts = vec![0.0; 100];
        for seed in 0..20_000u32 {
            let keys: Vec<u32> = Words::philox([seed, 77]).take(8).collect();
            let image = permuted(position, 66_000, keys.try_into().expect("eight words"));
            counts[(image / 660) as usize] += 1.0;
        }
        let far = deviation(&counts, 200.0);
        assert!(far < LIMIT, "{position}: {far}");
    }
}
