//! Tests of seeds as NumPy expands them, and of generators against published values.

use cuprum::random::{BitGenerator, BitGeneratorState, Seed, SeedSequence, default_rng};
use cuprum::{DType, Result};
use cuprum_oracle::random::{Words, philox4x32};
use serde_json::Value;

fn words(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|w| w.as_u64().expect("a word") as u32).collect()
}

#[test]
fn seed_sequences_are_those_of_numpy() -> Result<()> {
    let all: Value = serde_json::from_str(include_str!("seeds.json")).expect("golden data");
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 60);
    for case in all {
        let parts = case["entropy"].as_array().expect("a list").iter();
        let parts: Vec<u128> = parts.map(|x| x.as_str().expect("a number").parse().expect("a number")).collect();
        let mut entropy = vec![];
        for &part in &parts {
            let Seed::Words(more) = Seed::from(part) else { panic!("words") };
            entropy.extend(more);
        }
        let mut seeds = SeedSequence::new(entropy)?.with_spawn_key(&words(&case["key"]));
        assert_eq!(seeds.generate_state(7), words(&case["state"]), "{case}");
        let children: Vec<Vec<u32>> = seeds.spawn(2).iter().map(|s| s.generate_state(3)).collect();
        let known: Vec<Vec<u32>> = case["children"].as_array().expect("a list").iter().map(words).collect();
        assert_eq!(children, known, "{case}");
        assert_eq!(seeds.children_spawned(), 2);
    }
    assert_ne!(SeedSequence::new(())?, SeedSequence::new(())?);
    assert!(default_rng(-1).unwrap_err().message().contains("a seed is -1"));
    Ok(())
}

/// Returns the generators of a state and their oracle equivalents.
fn generators() -> Vec<(BitGenerator, Words)> {
    let made = |name: &str, state| {
        let state = BitGeneratorState { bit_generator: name.into(), state, block: 0, lane: 0 };
        BitGenerator::from_state(&state).expect("a state")
    };
    let register = [123456789, 362436069, 521288629, 88675123, 5783321, 6615241];
    let wide = |s: [u32; 6]| s.map(i64::from);
    let far = [4294967086, 4294967086, 4294967086, 4294944442, 4294944442, 4294944442];
    vec![
        (made("Philox4x3210", [0; 6]), Words::philox([0; 2])),
        (made("Philox4x3210", [0xa4093822, 0x299f31d0, 0, 0, 0, 0]), Words::philox([0xa4093822, 0x299f31d0])),
        (made("MRG32k3a", [12345; 6]), Words::Mrg32k3a([12345; 6])),
        (made("MRG32k3a", far), Words::Mrg32k3a(wide(far))),
        (made("XORWOW", register), Words::Xorwow(register)),
    ]
}

#[test]
fn words_are_those_of_the_recurrences() -> Result<()> {
    for (mut bits, words) in generators() {
        let known: Vec<u32> = words.take(3000).collect();
        let cut = [bits.random_raw(1)?, bits.random_raw(1198)?, bits.random_raw(801)?];
        let cut: Vec<u32> = cut.iter().flat_map(|a| a.to_vec::<u32>().expect("words")).collect();
        assert_eq!(cut, known[..2000], "{bits:?}");
        bits.advance(501);
        let state = bits.state();
        assert_eq!(BitGenerator::from_state(&state)?.random_raw(499)?.to_vec::<u32>()?, known[2501..], "{bits:?}");
    }
    Ok(())
}

#[test]
fn far_words_are_reached_without_those_before() -> Result<()> {
    // A counter with a carry, and the steps that follow.
    let mut bits = BitGenerator::from_state(&BitGeneratorState {
        bit_generator: "Philox4x3210".into(),
        state: [7, 8, 3, 0, 0, 0],
        block: u64::from(u32::MAX),
        lane: 0,
    })?;
    let known = [philox4x32([!0, 0, 0, 3], [7, 8]), philox4x32([0, 1, 0, 3], [7, 8])].concat();
    assert_eq!(bits.random_raw(8)?.to_vec::<u32>()?, known);
    for (bits, _) in generators() {
        let far = 1u64 << 40;
        let (mut one, mut many) = (bits.clone(), bits.clone());
        one.advance(far);
        for _ in 0..1024 {
            many.advance(far / 1024);
        }
        assert_eq!(one, many);
        assert_ne!(one.random_raw(8)?.to_vec::<u32>()?, bits.clone().random_raw(8)?.to_vec::<u32>()?);
        let (mut jumped, mut twice) = (bits.jumped(2), bits.jumped(1).jumped(1));
        assert_eq!(jumped, twice);
        assert_eq!(jumped.random_raw(5)?.to_vec::<u32>()?, twice.random_raw(5)?.to_vec::<u32>()?);
    }
    let mut seeded = BitGenerator::xorwow([1u64, 2])?;
    let children = seeded.spawn(2)?;
    assert!(children[0] != children[1] && children[0].name() == "XORWOW");
    let known = SeedSequence::new([1u32, 2])?.with_spawn_key(&[1]).generate_state(6);
    assert_eq!(children[1].state().state.to_vec(), known);
    let mut plain = BitGenerator::from_state(&seeded.state())?;
    assert!(plain.spawn(1).unwrap_err().message().contains("no seed to spawn from"));
    for (name, state) in [("PCG64", [1; 6]), ("MRG32k3a", [0; 6]), ("XORWOW", [0; 6]), ("MRG32k3a", [!0; 6])] {
        let state = BitGeneratorState { bit_generator: name.into(), state, block: 0, lane: 0 };
        assert!(BitGenerator::from_state(&state).is_err(), "{name}");
    }
    assert_eq!(BitGenerator::mrg32k3a(1)?.random_raw(DType::U64)?.dtype(), DType::U64);
    Ok(())
}
