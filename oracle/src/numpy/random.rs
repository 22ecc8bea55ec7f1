//! Random numbers as defined in the papers: bit generators as recurrences, and distributions of their words.

/// A bit generator of 32-bit words.
#[derive(Clone, Debug)]
pub enum Words {
    /// J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
    Philox {
        /// Its key.
        key: [u32; 2],
        /// The words of the counter, the lowest first.
        counter: [u32; 4],
        /// The remaining words of the block.
        block: Vec<u32>,
    },
    /// P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999.
    Mrg32k3a([i64; 6]),
    /// G. Marsaglia, "Xorshift RNGs", 2003, page 5.
    Xorwow([u32; 6]),
}

/// Computes a block of Philox4x32 with ten rounds.
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = (counter, key);
    for _ in 0..10 {
        let (x, y) = (0xD251_1F53u64 * u64::from(a), 0xCD9E_8D57u64 * u64::from(c));
        let high = |p: u64| (p >> 32) as u32;
        (a, b, c, d) = (high(y) ^ b ^ k, y as u32, high(x) ^ d ^ l, x as u32);
        (k, l) = (k.wrapping_add(0x9E37_79B9), l.wrapping_add(0xBB67_AE85));
    }
    [a, b, c, d]
}

impl Words {
    /// Creates a Philox generator from a key, starting at the first block.
    pub fn philox(key: [u32; 2]) -> Words {
        Words::Philox { key, counter: [0; 4], block: vec![] }
    }
}

impl Iterator for Words {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        Some(match self {
            Words::Philox { key, counter, block } => {
                if block.is_empty() {
                    *block = philox4x32(*counter, *key).to_vec();
                    // The streams of rejection sampling and of jumps are separate generators.
                    let number = (u64::from(counter[1]) << 32 | u64::from(counter[0])).wrapping_add(1);
                    (counter[0], counter[1]) = (number as u32, (number >> 32) as u32);
                }
                block.remove(0)
            }
            Words::Mrg32k3a([x0, x1, x2, y0, y1, y2]) => {
                let (m1, m2) = (4294967087, 4294944443);
                let x = (1403580 * *x1 - 810728 * *x0).rem_euclid(m1);
                let y = (527612 * *y2 - 1370589 * *y0).rem_euclid(m2);
                (*x0, *x1, *x2) = (*x1, *x2, x);
                (*y0, *y1, *y2) = (*y1, *y2, y);
                (x - y).rem_euclid(m1) as u32
            }
            Words::Xorwow([x, y, z, w, v, d]) => {
                let t = *x ^ (*x >> 2);
                (*x, *y, *z, *w) = (*y, *z, *w, *v);
                *v = (*v ^ (*v << 4)) ^ (t ^ (t << 1));
                *d = d.wrapping_add(362437);
                d.wrapping_add(*v)
            }
        })
    }
}

/// Combines two words to 64 bits, the lower one first.
pub fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Converts a word of `bits` bits to a number in [0, 1) of `digits` binary digits.
pub fn unit(word: u64, bits: u32, digits: u32) -> f64 {
    (word >> (bits - digits)) as f64 / (digits as f64).exp2()
}

/// Returns the midpoint of the interval of a word of `bits` bits within (0, 1), as its distances from 0 and from 1.
fn middle(word: u64, bits: u32) -> (f64, f64) {
    let scale = (bits as f64).exp2();
    let other = (!word) & (u64::MAX >> (64 - bits));
    ((word as f64 + 0.5) / scale, (other as f64 + 0.5) / scale)
}

/// Computes minus the logarithm of the midpoint, from the nearer end.
pub fn minus_log(word: u64, bits: u32) -> f64 {
    let (low, high) = middle(word, bits);
    if low < 0.5 { -low.ln() } else { -(-high).ln_1p() }
}

/// Computes two normal numbers from radius and angle (G. Box, M. Muller, 1958).
pub fn two_normals(radius: u64, angle: u64, bits: u32) -> [f64; 2] {
    let r = (2.0 * minus_log(radius, bits)).sqrt();
    let theta = 2.0 * std::f64::consts::PI * middle(angle, bits).0;
    [r * theta.cos(), r * theta.sin()]
}

/// Computes the z that a normal number exceeds with probability `p`, at most 1/2, passed as `p` (`Ok`) or as 1/2 - p
/// (`Err`): Newton's iteration on the series of the Gaussian integral, from 3 on on its continued fraction (P.
/// Laplace).
pub fn normal_beyond(p: Result<f64, f64>) -> f64 {
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner = |z: f64| {
        let (mut term, mut sum, mut odd) = (z, 0.0, 1.0);
        while term > sum * 1e-18 {
            sum += term;
            odd += 2.0;
            term *= z * z / odd;
        }
        sum * density(z)
    };
    let beyond = |z: f64| density(z) / (1..300).rev().fold(z, |below, k| z + f64::from(k) / below);
    let mut z = 0.0;
    // From the left no Newton step overshoots. In the tail it iterates on the logarithm, which is nearly a parabola.
    for _ in 0..200 {
        let step = match p {
            Ok(p) if z >= 3.0 => (beyond(z) / p).ln() * beyond(z),
            Ok(p) => 0.5 - inner(z) - p,
            Err(share) => share - inner(z),
        };
        z += step / density(z);
        if step.abs() <= z * density(z) * 1e-15 {
            break;
        }
    }
    z
}

/// Computes a normal number by the inverse of the cumulative distribution function: the upper bit of a word is its
/// sign, the others select the part of (0, 1/2); below 2^18 they are followed by the bits of `further`.
pub fn normal(word: u32, further: impl FnOnce() -> u32) -> f64 {
    let (part, unit) = (word & 0x7fff_ffff, 2f64.powi(-32));
    let z = match part {
        0..0x4_0000 => normal_beyond(Ok((f64::from(part) + (f64::from(further()) + 0.5) * unit) * unit)),
        0x4_0000..0x4000_0000 => normal_beyond(Ok((f64::from(part) + 0.5) * unit)),
        _ => normal_beyond(Err((f64::from(0x7fff_ffff - part) + 0.5) * unit)),
    };
    if word >> 31 == 1 { -z } else { z }
}

/// Computes an integer below `many` as the upper half of a product, unless the lower half rejects it (D. Lemire, 2019).
pub fn bounded(word: u64, bits: u32, many: u128) -> Option<u64> {
    let product = u128::from(word) * many;
    let (upper, lower) = ((product >> bits) as u64, product & ((1u128 << bits) - 1));
    (lower >= (1u128 << bits) % many).then_some(upper)
}

/// Computes four rounds of a Feistel network of 64 bits, with a function of the round and half of the bits.
pub fn feistel(position: u64, function: impl Fn(u32, u32) -> u32) -> u64 {
    let (mut left, mut right) = ((position >> 32) as u32, position as u32);
    for round in 0..4 {
        (left, right) = (right, left ^ function(round, right));
    }
    u64::from(left) << 32 | u64::from(right)
}

/// Mixes the bits of a word: the finaliser of MurmurHash3 (A. Appleby).
fn mixed(mut x: u32) -> u32 {
    for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35)] {
        x = (x ^ (x >> shift)).wrapping_mul(factor);
    }
    x ^ (x >> 16)
}

/// Permutes the indices below `many`: a Feistel network over the fewest bits that hold them all, repeated until the
/// result is below `many` (cycle walking: J. Black, P. Rogaway, 2002).
pub fn permuted(position: u64, many: u64, keys: [u32; 8]) -> u64 {
    let bits = (many - 1).checked_ilog2().map_or(2, |b| b + 1).max(2);
    let low = bits / 2;
    let half = |word: u32, bits: u32| u64::from(word) & ((1 << bits) - 1);
    let (mut left, mut right) = (position >> low, position & ((1 << low) - 1));
    for (k, key) in keys.into_iter().enumerate() {
        if k % 2 == 0 {
            left ^= half(mixed(right as u32 ^ key), bits - low);
        } else {
            right ^= half(mixed(left as u32 ^ key), low);
        }
    }
    let image = left << low | right;
    if image < many { image } else { permuted(image, many, keys) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of Random123's `kat_vectors`.
    #[test]
    fn philox_gives_the_known_answers() {
        let known = [
            ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
            ([!0; 4], [!0; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
            (
                [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
                [0xa4093822, 0x299f31d0],
                [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
            ),
        ];
        for (counter, key, block) in known {
            assert_eq!(philox4x32(counter, key), block);
        }
    }

    /// Quantiles of M. Abramowitz and I. Stegun's tables 26.5 and 26.6, and 1/2 exactly.
    #[test]
    fn normal_numbers_are_those_of_the_tables() {
        for (p, z) in
            [(0.25, 0.67448975), (0.05, 1.64485363), (0.001, 3.09023231), (1e-6, 4.75342431), (1e-9, 5.99780702)]
        {
            assert!((normal_beyond(Ok(p)) - z).abs() < 6e-9, "{p}: {}", normal_beyond(Ok(p)));
        }
        assert!((normal_beyond(Err(0.25)) - normal_beyond(Ok(0.25))).abs() < 1e-14);
    }

    /// L'Ecuyer's package RngStreams returns 0.127011, 0.318528, 0.309186, 0.825847, 0.221630 from its default seed.
    #[test]
    fn mrg32k3a_gives_the_known_answers() {
        let words = Words::Mrg32k3a([12345; 6]);
        let known = [0.127011, 0.318528, 0.309186, 0.825847, 0.221630];
        for (word, x) in words.zip(known) {
            assert!((f64::from(word) * 2.328306549295727688e-10 - x).abs() < 6e-7, "{word} {x}");
        }
    }

    /// The initial state of the paper.
    #[test]
    fn xorwow_gives_the_known_answers() {
        let words = Words::Xorwow([123456789, 362436069, 521288629, 88675123, 5783321, 6615241]);
        assert_eq!(words.take(4).collect::<Vec<_>>(), [246875399, 3690007200, 1264581005, 3906711041]);
    }
}
