//! Tests of distributions that compute an element from a fixed number of words, element by element against the oracle.

use cuprum::random::{BitGenerator, BitGeneratorState, ChoiceOptions, Generator, RandomOptions};
use cuprum::{Array, DType, Result};
use cuprum_oracle::random::{
    Words, bounded, feistel, minus_log, normal, permuted, philox4x32, two_normals, unit, wide,
};

const N: usize = 4001;
const KEY: [u32; 2] = [11, 0xdead_beef];

fn generator() -> Generator {
    let state = [KEY[0], KEY[1], 0, 0, 0, 0];
    let state = BitGeneratorState { bit_generator: "Philox4x3210".into(), state, block: 0, lane: 0 };
    Generator::new(BitGenerator::from_state(&state).expect("a state"))
}

fn narrow() -> Vec<u64> {
    Words::philox(KEY).take(N + 3).map(u64::from).collect()
}

fn wides() -> Vec<u64> {
    let words: Vec<u32> = Words::philox(KEY).take(2 * N + 2).collect();
    words.chunks(2).map(|w| wide(w[0], w[1])).collect()
}

/// Returns the words of `bits` bits that an element uses after a rejected one: from further attempts at its own block.
fn further(element: usize, bits: u32) -> Box<dyn Iterator<Item = u64>> {
    let per = if bits == 64 { 2 } else { 4 };
    let attempts = (0..).map(move |k| (1 + element % per + k * per) as u32);
    let words = attempts.flat_map(move |attempt| philox4x32([(element / per) as u32, 0, attempt, 0], KEY));
    let mut words = words.map(u64::from);
    match bits {
        64 => Box::new(std::iter::from_fn(move || Some(words.next()? | words.next()? << 32))),
        _ => Box::new(words),
    }
}

fn floats(a: Array) -> Vec<f64> {
    a.astype(DType::F64).and_then(|a| a.to_vec::<f64>()).expect("floats")
}

/// Panics unless all values are within the relative and the absolute tolerance.
fn near(found: &[f64], known: impl Iterator<Item = f64>, relative: f64, absolute: f64) {
    for (k, (x, y)) in found.iter().zip(known).enumerate() {
        assert!((x - y).abs() <= relative * y.abs() + absolute, "element {k}: {x}, and {y} is right");
    }
}

#[test]
fn uniform_numbers_are_the_bits_of_the_words() -> Result<()> {
    let draw = |dtype| floats(generator().random(RandomOptions::new().size(N).dtype(dtype)).expect("numbers"));
    for (dtype, digits) in [(DType::F32, 24), (DType::F16, 11), (DType::BF16, 8)] {
        let known: Vec<f64> = narrow()[..N].iter().map(|w| unit(*w, 32, digits)).collect();
        assert_eq!(draw(dtype), known, "{dtype}");
    }
    let known: Vec<f64> = wides()[..N].iter().map(|w| unit(*w, 64, 53)).collect();
    assert_eq!(draw(DType::F64), known);
    let between = floats(generator().uniform(-2.0, 3.0, N)?);
    assert_eq!(between, known.iter().map(|u| -2.0 + 5.0 * u).collect::<Vec<_>>());
    Ok(())
}

/// Numbers are rounded down from infinitely many bits: they have as many significant digits as the dtype.
#[test]
fn full_numbers_have_all_digits_of_their_dtype() -> Result<()> {
    let down = |x: f64, digits: i32| {
        let unit = 2f64.powi(x.log2().floor() as i32 + 1 - digits);
        (x / unit).floor() * unit
    };
    for (dtype, digits) in [(DType::F32, 24), (DType::F16, 11), (DType::BF16, 8)] {
        let found = floats(generator().random_full(RandomOptions::new().size(N).dtype(dtype))?);
        let mut longer = 0;
        for (e, (x, w)) in found.iter().zip(narrow()).enumerate() {
            let next = further(e, 32).next().expect("words do not end");
            // The leading bits of the further word extend at most 53 bits after the first set bit.
            let whole = w as f64 + (next >> 11) as f64 * 2f64.powi(-21);
            let short = w < 1 << 23;
            longer += usize::from(short);
            assert_eq!(*x, down(if short { whole } else { w as f64 } * 2f64.powi(-32), digits), "{dtype}, element {e}");
        }
        assert!(longer > 0);
    }
    let found = floats(generator().random_full(N)?);
    for (e, (x, w)) in found.iter().zip(wides()).enumerate() {
        let next = further(e, 64).next().expect("words do not end");
        let bits = u128::from(w) << 64 | u128::from(if w < 1 << 52 { next } else { 0 });
        let known = (bits >> (75 - bits.leading_zeros())) as f64 * 2f64.powi(75 - bits.leading_zeros() as i32 - 128);
        assert_eq!(*x, known, "element {e}");
    }
    Ok(())
}

#[test]
fn normal_and_exponential_numbers_are_the_formulas() -> Result<()> {
    let f32s = |distribution: &str| {
        floats(generator().draw(distribution, &[], RandomOptions::new().size(N).dtype(DType::F32)).expect("numbers"))
    };
    let (few, many) = (narrow(), wides());
    // Each row of the table is a cubic with an error below one unit in the last place; its sum is rounded once.
    let next = |e| move || further(e, 32).next().expect("words do not end") as u32;
    let known = few.iter().enumerate().map(|(e, w)| normal(*w as u32, next(e)));
    near(&f32s("standard_normal"), known, 3e-7, 0.0);
    // No word here needs additional bits: the tails are covered by the tests of the distribution.
    assert!(few.iter().all(|w| *w >= 1 << 16) && many.iter().all(|w| *w >= 1 << 24));
    near(&f32s("standard_exponential"), few.iter().map(|w| minus_log(*w, 32)), 3e-7, 0.0);
    let normal = floats(generator().standard_normal(N)?);
    let pairs = many.chunks(2).flat_map(|w| two_normals(w[0], w[1], 64));
    near(&normal, pairs, 1e-15, 4e-15);
    // Two units of the library's error, and as many of the oracle's, which rounds the word before its logarithm.
    near(&floats(generator().standard_exponential(N)?), many.iter().map(|w| minus_log(*w, 64)), 9e-16, 0.0);
    near(&floats(generator().normal(3.0, 0.5, N)?), normal.iter().map(|z| 3.0 + 0.5 * z), 0.0, 0.0);
    Ok(())
}

/// Words without a row in the table: those nearest to the tail and to the centre, or to 0 and 1.
#[test]
fn words_beyond_the_tables_are_the_formulas() -> Result<()> {
    const MANY: usize = 1 << 17;
    let words: Vec<u32> = Words::philox(KEY).take(MANY).collect();
    let draw = |distribution: &str| {
        let options = RandomOptions::new().size(MANY).dtype(DType::F32);
        generator()
            .draw(distribution, &[], options)?
            .to_vec::<f32>()
            .map(|all| all.into_iter().map(f64::from).collect::<Vec<_>>())
    };
    let (normals, exponentials) = (draw("standard_normal")?, draw("standard_exponential")?);
    let (mut tails, mut centres) = (0, 0);
    for (e, word) in words.into_iter().enumerate() {
        let (part, next) = (word & 0x7fff_ffff, || further(e, 32).next().expect("words do not end") as u32);
        let (tail, centre) = (part < 1 << 19, part >= (1 << 31) - (1 << 19));
        if tail || centre {
            near(&normals[e..=e], [normal(word, next)].into_iter(), 3e-7, 0.0);
            (tails, centres) = (tails + usize::from(tail), centres + usize::from(centre));
        }
        if (1 << 16..1 << 20).contains(&word) || word >= u32::MAX << 20 {
            near(&exponentials[e..=e], [minus_log(word.into(), 32)].into_iter(), 3e-7, 0.0);
        }
    }
    assert!(tails > 9 && centres > 9, "{tails} {centres}");
    Ok(())
}

#[test]
fn integers_are_the_upper_halves_of_products() -> Result<()> {
    for (dtype, bits) in [(DType::U8, 8), (DType::I16, 16), (DType::I32, 32), (DType::I64, 64), (DType::U64, 64)] {
        let (words, of) = if bits == 64 { (wides(), 64) } else { (narrow(), 32) };
        let (signed, whole) = (dtype != DType::U8 && dtype != DType::U64, 1u128 << bits);
        let least = if signed { -((whole / 2) as i128) } else { 0 };
        for many in [1, 2, 7, 100, whole / 3 * 2 + 1, whole - 1, whole] {
            let (low, high) = (least, least + many as i128 - 1);
            let options = RandomOptions::new().size(N).dtype(dtype).endpoint(true);
            let scalar = cuprum::Scalar::Int;
            let drawn = generator().integers(scalar(low), scalar(high), options)?;
            let mut rejected = 0;
            let found: Vec<i128> = match dtype {
                DType::U64 => drawn.to_vec::<u64>()?.into_iter().map(i128::from).collect(),
                _ => drawn.astype(DType::I64)?.to_vec::<i64>()?.into_iter().map(i128::from).collect(),
            };
            for (e, (x, w)) in found.iter().zip(&words).enumerate() {
                let known = bounded(*w, of, many).unwrap_or_else(|| {
                    rejected += 1;
                    further(e, of).find_map(|w| bounded(w, of, many)).expect("words do not end")
                });
                assert_eq!(*x, low + i128::from(known), "{dtype}, {many} integers, element {e}");
                assert!((low..=high).contains(x), "{dtype} {many}: {x}");
            }
            // A third of the words is rejected for one more than 2/3 of the range.
            assert_eq!(rejected > N / 4, of == bits && many == whole / 3 * 2 + 1, "{dtype}, {many}: {rejected}");
        }
    }
    Ok(())
}

#[test]
fn permutations_sort_by_the_keys_of_a_network() -> Result<()> {
    let key = |position: u64| feistel(position, |round, half| philox4x32([half, 0, round, 0], KEY)[0]);
    let mut known: Vec<i64> = (0..500).collect();
    known.sort_by_key(|position| key(*position as u64));
    assert_eq!(generator().permutation(500)?.to_vec::<i64>()?, known);
    Ok(())
}

#[test]
fn many_places_are_permuted_by_a_network_over_themselves() -> Result<()> {
    let keys: Vec<u32> = Words::philox(KEY).take(8).collect();
    let keys: [u32; 8] = keys.try_into().expect("eight words");
    for (many, count) in [(1u64 << 16, 1usize << 16), (65_537, 65_537), (1 << 33, 999), ((1 << 62) + 5, 999)] {
        let known: Vec<i64> = (0..count as u64).map(|position| permuted(position, many, keys) as i64).collect();
        let chosen = generator().choice(many as i64, ChoiceOptions::new().size(count).replace(false))?;
        assert_eq!(chosen.to_vec::<i64>()?, known, "{many}");
    }
    assert_eq!(
        generator().permutation(65_537)?.to_vec::<i64>()?[..3],
        [0, 1, 2].map(|k| permuted(k, 65_537, keys) as i64)
    );
    // Two blocks are used.
    let mut rng = generator();
    rng.permutation(1 << 16)?;
    let next = floats(rng.random(RandomOptions::new().size(2).dtype(DType::F32))?);
    let words: Vec<u32> = Words::philox(KEY).skip(8).take(2).collect();
    assert_eq!(next, [unit(words[0].into(), 32, 24), unit(words[1].into(), 32, 24)]);
    Ok(())
}
