//! Tests of the battery: it detects faulty generators and passes the library's, with a small volume on the simulator.

use cuprum::random::{BitGenerator, RandomOptions};
use cuprum::{Array, Result};
use cuprum_tests::battery::Battery;

const WORDS: usize = 1 << 16;

/// Returns the names of the statistics whose p-value is below one in a million.
fn found(words: &Array) -> Result<Vec<&'static str>> {
    let mut battery = Battery::new(WORDS)?;
    battery.add(words)?;
    Ok(battery.statistics().iter().filter(|s| s.deviation().abs() > 4.9).map(|s| s.name).collect())
}

#[test]
fn our_generators_show_nothing() -> Result<()> {
    for mut bits in [BitGenerator::philox4x3210(5)?, BitGenerator::mrg32k3a(5)?, BitGenerator::xorwow(5)?] {
        let none: [&str; 0] = [];
        assert_eq!(found(&bits.random_raw(RandomOptions::new().size(WORDS))?)?, none, "{}", bits.name());
    }
    Ok(())
}

#[test]
fn faults_are_found() -> Result<()> {
    let good = || BitGenerator::philox4x3210(5).and_then(|mut bits| bits.random_raw(WORDS)?.to_vec::<u32>());
    let of = |words: Vec<u32>| Array::from_slice(&words, [WORDS]).and_then(|a| found(&a));
    // The lower bits of a congruential generator have short periods.
    let mut x = 1u32;
    let congruential = std::iter::repeat_with(|| {
        x = x.wrapping_mul(69069).wrapping_add(1);
        x
    });
    assert!(of(congruential.take(WORDS).collect())?.contains(&"lower bytes of neighbours"));
    // One bit is set slightly too often.
    let mut biased = good()?;
    biased.iter_mut().step_by(8).for_each(|w| *w |= 1 << 11);
    assert!(of(biased)?.contains(&"byte 1"));
    // Every fourth block of the counter is used twice.
    let mut reused = good()?;
    for k in (0..WORDS - 8).step_by(16) {
        reused.copy_within(k..k + 4, k + 4);
    }
    assert!(of(reused)?.contains(&"upper bytes of words 4 apart"));
    // A linear feedback register of few bits has matrices of low rank.
    let mut register = 1u64;
    let linear: Vec<u32> = (0..WORDS)
        .map(|_| {
            (0..32).fold(0, |word, k| {
                register =
                    register << 1 & 0xff_ffff | (register >> 23 ^ register >> 22 ^ register >> 21 ^ register >> 16) & 1;
                word | (register as u32 & 1) << k
            })
        })
        .collect();
    assert!(of(linear)?.contains(&"ranks of 32 words"));
    // Birthdays on a grid.
    let mut grid = good()?;
    grid.iter_mut().skip(1).step_by(2).for_each(|w| *w &= !0xfff);
    assert!(of(grid)?.contains(&"birthday spacings"));
    Ok(())
}
