//! Tests of the reproducibility of calls: results depend on the seed and the position of an element, not on layout or
//! on the split into calls.

use cuprum::random::{self, BitGenerator, ChoiceOptions, Generator, RandomOptions, RandomState, default_rng};
use cuprum::{Array, DType, ErrorKind, Order, Result, array, s, zeros};

fn generators() -> Result<Vec<Generator>> {
    let all = [BitGenerator::philox4x3210(9)?, BitGenerator::mrg32k3a(9)?, BitGenerator::xorwow(9)?];
    Ok(all.into_iter().map(Generator::new).collect())
}

fn bytes(a: &Array) -> Vec<u8> {
    a.copy(Order::C).and_then(|a| a.to_bytes()).expect("bytes")
}

#[test]
fn elements_hang_on_their_places_alone() -> Result<()> {
    let distributions = [
        ("random", DType::F32),
        ("standard_normal", DType::F64),
        ("standard_gamma", DType::F64),
        ("random", DType::F64),
        ("standard_normal", DType::F32),
        ("standard_exponential", DType::F16),
        ("lognormal", DType::F32),
    ];
    for (k, rng) in generators()?.into_iter().enumerate() {
        // The generators differ in their words only: for the others the first distributions are enough.
        for &(distribution, dtype) in &distributions[..if k == 0 { distributions.len() } else { 3 }] {
            let shape = array([2.5])?;
            let few: Vec<cuprum::Operand<'_>> =
                if distribution == "standard_gamma" { vec![2.5.into()] } else { vec![] };
            let whole = rng.clone().draw(distribution, &few, RandomOptions::new().size([6, 7]).dtype(dtype))?;
            // A call equals several consecutive ones.
            let (mut parts, mut again) = (rng.clone(), vec![]);
            for n in [1, 13, 28] {
                again.extend(bytes(&parts.draw(distribution, &few, RandomOptions::new().size(n).dtype(dtype))?));
            }
            assert_eq!(again, bytes(&whole), "{distribution} {dtype} in parts");
            // In any memory order, and with gaps.
            let transposed = zeros([7, 6], dtype)?.t();
            rng.clone().draw(distribution, &few, RandomOptions::new().out(&transposed))?;
            assert_eq!(bytes(&transposed), bytes(&whole), "{distribution} {dtype} transposed");
            let wide = zeros([6, 15], dtype)?;
            let gaps = wide.index(s![.., 1..;2])?;
            let mut after = rng.clone();
            after.draw(distribution, &few, RandomOptions::new().out(&gaps))?;
            assert_eq!(bytes(&gaps), bytes(&whole), "{distribution} {dtype} with gaps");
            // A parameter given as an array gives the same numbers.
            if distribution == "standard_gamma" {
                let by_array = rng.clone().draw(distribution, &[(&shape).into()], RandomOptions::new().size([6, 7]))?;
                assert_eq!(bytes(&by_array), bytes(&whole));
            }
        }
    }
    Ok(())
}

/// Calls of many elements use a fast path for most of them: the results equal those of calls of few.
#[test]
fn many_elements_are_those_of_few() -> Result<()> {
    const THREADS: usize = 1 << 18;
    let words: [(&str, DType, &[cuprum::Scalar]); 5] = [
        ("standard_normal", DType::F32, &[]),
        ("standard_normal", DType::F64, &[]),
        ("bernoulli", DType::Bool, &[cuprum::Scalar::Float(0.3)]),
        ("bernoulli", DType::I16, &[cuprum::Scalar::Float(0.3)]),
        ("integers", DType::U32, &[cuprum::Scalar::Int(3), cuprum::Scalar::Int(3_000_000_000)]),
    ];
    let blocks: [(&str, DType, &[cuprum::Scalar]); 4] = [
        ("gamma", DType::F32, &[cuprum::Scalar::Float(2.5), cuprum::Scalar::Float(3.0)]),
        ("beta", DType::F64, &[cuprum::Scalar::Float(2.0), cuprum::Scalar::Float(3.0)]),
        ("poisson", DType::I32, &[cuprum::Scalar::Float(5.0)]),
        ("binomial", DType::I64, &[cuprum::Scalar::Float(100.0), cuprum::Scalar::Float(0.6)]),
    ];
    let each = |share: usize| move |(distribution, dtype, arguments)| (distribution, dtype, arguments, THREADS * share);
    for (distribution, dtype, arguments, many) in words.into_iter().map(each(4)).chain(blocks.into_iter().map(each(1)))
    {
        let many = match distribution {
            // A block generates two elements, or eight.
            "standard_normal" if dtype == DType::F64 => many / 2,
            "bernoulli" => many * 2,
            _ => many,
        };
        let (rng, arguments) =
            (default_rng(6)?, arguments.iter().map(|x| (*x).into()).collect::<Vec<cuprum::Operand<'_>>>());
        let whole = rng.clone().draw(distribution, &arguments, RandomOptions::new().size(many).dtype(dtype))?;
        let (mut parts, few) = (rng, zeros(many, dtype)?);
        for k in 0..8 {
            let part = few.index(s![(k * many / 8) as i64..((k + 1) * many / 8) as i64])?;
            parts.draw(distribution, &arguments, RandomOptions::new().out(&part))?;
        }
        assert!(bytes(&whole) == bytes(&few), "{distribution} {dtype}");
    }
    // For this number of positions a third of the results are cycle-walked.
    let many = 4 * THREADS as i64 + 300_001;
    let order = default_rng(6)?.permutation(many)?.to_vec::<i64>()?;
    let mut seen = vec![false; many as usize];
    for position in &order {
        assert!(!std::mem::replace(&mut seen[*position as usize], true), "{position} is there twice");
    }
    let first = default_rng(6)?.choice(many, ChoiceOptions::new().size(1000).replace(false))?;
    assert_eq!(first.to_vec::<i64>()?, order[..1000]);
    Ok(())
}

/// The same with array parameters; one invalid parameter among many is reported.
#[test]
fn many_elements_of_arrays_are_those_of_few() -> Result<()> {
    const ROWS: i64 = 1 << 15;
    let shapes = array([1.5, 1.0, 0.5, 4.0, 9.0, 12.0, 40.0, 300.0])?;
    let scales = cuprum::linspace(0.01, 0.99, ROWS as usize)?.reshape([ROWS, 1])?;
    for distribution in ["gamma", "beta", "poisson", "binomial"] {
        let arguments = if distribution == "poisson" { vec![&shapes] } else { vec![&shapes, &scales] };
        let arguments = arguments.into_iter().map(Into::into).collect::<Vec<cuprum::Operand<'_>>>();
        let rng = default_rng(6)?;
        let whole = rng.clone().draw(distribution, &arguments, [ROWS as usize, 8])?;
        let (mut parts, few) = (rng, zeros([ROWS as usize, 8], whole.dtype())?);
        for k in 0..8 {
            let rows = ROWS * k / 8..ROWS * (k + 1) / 8;
            let (part, mine) = (few.index(s![rows.clone()])?, scales.index(s![rows])?);
            let arguments = if distribution == "poisson" { vec![&shapes] } else { vec![&shapes, &mine] };
            let arguments = arguments.into_iter().map(Into::into).collect::<Vec<cuprum::Operand<'_>>>();
            parts.draw(distribution, &arguments, RandomOptions::new().out(&part))?;
        }
        assert!(bytes(&whole) == bytes(&few), "{distribution}");
    }
    let scales = scales.copy(Order::C)?;
    scales.set(s![20_000, 0], -2.0)?;
    let e = default_rng(6)?.gamma(&shapes, &scales, ()).and_then(|a| a.to_bytes()).unwrap_err();
    assert_eq!(e.message(), "gamma: at position 160000 `scale` is -2: it must be 0 or more");
    Ok(())
}

#[test]
fn parameters_are_broadcast_and_checked() -> Result<()> {
    let mut rng = default_rng(4)?;
    let lam = array([[0.0], [1.0], [1e6]])?;
    let counts = rng.poisson(&lam, [3, 1000])?;
    assert_eq!(cuprum::max(counts.index(s![0])?, ())?.item::<i64>()?, 0);
    let mean = cuprum::mean(&counts, 1)?.to_vec::<f64>()?;
    assert!((mean[1] - 1.0).abs() < 0.2 && (mean[2] - 1e6).abs() < 200.0, "{mean:?}");
    assert_eq!(rng.binomial(array([3, 5])?, array([[0.0], [1.0]])?, ())?.to_vec::<i64>()?, [0, 0, 3, 5]);
    assert_eq!(rng.normal(array([1.0, 2.0])?, 0.0, ())?.to_vec::<f64>()?, [1.0, 2.0]);
    let dice = rng.integers(array([0, 10, -5])?, array([1, 11, -4])?, ())?;
    assert_eq!(dice.to_vec::<i64>()?, [0, 10, -5]);
    let rejected = |made: Result<Array>, text: &str| {
        let e = made.and_then(|a| a.to_bytes()).unwrap_err();
        assert!(e.kind() == ErrorKind::Value && e.message() == text, "{e}");
    };
    let lam = array([1.0, f64::NAN, -2.0])?;
    rejected(rng.poisson(&lam, ()), "poisson: at position 1 `lam` is NaN: it must be from 0 to 9.2e18");
    rejected(rng.poisson(-1, 3), "poisson: `lam` is -1: it must be from 0 to 9.2e18");
    let sides = array([0.0, 2.0])?;
    let text = "triangular: at position 1 of the parameters `left <= mode <= right` and `left < right` must hold";
    rejected(rng.triangular(&sides, 1.0, 3.0, ()), text);
    rejected(
        rng.integers(array([3])?, 3, ()),
        "integers: at position 0 of the parameters `low` must be less than `high`, and both must be within the dtype",
    );
    rejected(rng.integers(3, 3, ()), "integers: there is no integer from 3 to below 3: `low` must be less than `high`");
    rejected(rng.integers(0, 257, DType::U8), "integers: `high` is 257: uint8 does not hold what is below it");
    rejected(rng.random([-1]), "random: negative dimensions are not allowed: -1 in shape (-1,)");
    let e = rng.random(DType::I32).unwrap_err();
    assert!(e.kind() == ErrorKind::Type && e.message().contains("there are none of int32"), "{e}");
    assert_eq!(rng.draw("zipff", &[], ()).unwrap_err().kind(), ErrorKind::NotImplemented);
    assert!(rng.draw("zipf", &[], ()).unwrap_err().message().contains("`a` is missing"));
    // A rejected call does not advance the generator.
    let before = rng.clone();
    let _ = rng.poisson(-1, 3);
    assert_eq!(rng, before);
    Ok(())
}

#[test]
fn distributions_are_cast_to_other_dtypes() -> Result<()> {
    let rng = default_rng(4)?;
    let whole = |a: Array| -> Result<Vec<i64>> { a.astype(DType::I64)?.to_vec::<i64>() };
    let numbers = rng.clone().standard_gamma(9.0, 30)?.to_vec::<f64>()?;
    let cut = rng.clone().standard_gamma(9.0, RandomOptions::new().size(30).dtype(DType::I8))?;
    assert_eq!(cut.dtype(), DType::I8);
    assert_eq!(whole(cut)?, numbers.iter().map(|x| x.trunc() as i64).collect::<Vec<_>>());
    let counts = rng.clone().poisson(1.0, 30)?.to_vec::<i64>()?;
    let floats = rng.clone().poisson(1.0, RandomOptions::new().size(30).dtype(DType::F32))?;
    assert_eq!((floats.dtype(), whole(floats)?), (DType::F32, counts));
    // Distributions with a single formula return floats only.
    assert_eq!(rng.clone().standard_normal(DType::I32).unwrap_err().kind(), ErrorKind::Type);
    let shares = rng.clone().dirichlet(array(4.0)?, [5, 3])?;
    assert_eq!(bytes(&shares), bytes(&rng.clone().dirichlet(array([4.0; 3])?, 5)?));
    assert_eq!(rng.clone().dirichlet(array(4.0)?, ()).unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

#[test]
fn bounds_are_cut_and_compared() -> Result<()> {
    let mut rng = default_rng(4)?;
    assert_eq!(rng.integers(-0.5, 1.5, 4)?.to_vec::<i64>()?, [0; 4]);
    let last = rng.integers(u64::MAX, f64::from(2.0f32.powi(64)), DType::U64);
    assert_eq!(last?.to_scalar()?.as_u64(), Some(u64::MAX));
    let signed = rng.integers(0, array([1i64, 1])?, DType::U64)?;
    assert_eq!(signed.to_vec::<u64>()?, [0, 0]);
    let kind = |result: Result<Array>| result.unwrap_err().kind();
    assert_eq!(kind(rng.integers(0, f64::NAN, ())), ErrorKind::Value);
    assert_eq!(kind(rng.integers(0, f64::INFINITY, ())), ErrorKind::Overflow);
    assert_eq!(kind(rng.integers(array([-1i64])?, 5, DType::U64)), ErrorKind::Value);
    assert_eq!(kind(rng.integers(0, array([0u64])?, DType::U64)), ErrorKind::Value);
    assert_eq!(kind(rng.integers(0, array([1e30])?, ())), ErrorKind::Value);
    Ok(())
}

#[test]
fn orders_and_choices() -> Result<()> {
    let sorted = |a: &Array| cuprum::sort(a, ()).and_then(|a| a.to_vec::<i64>());
    for mut rng in generators()? {
        let numbers: Vec<i64> = (0..70).collect();
        assert_eq!(sorted(&rng.permutation(70)?)?, numbers);
        let table = cuprum::arange(0, 60, 1)?.reshape([20, 3])?;
        let rows = rng.permutation(&table)?;
        assert_eq!(cuprum::sort(&rows, 0)?.to_vec::<i64>()?, table.to_vec::<i64>()?);
        assert_eq!(cuprum::ptp(&rows, 1)?.to_vec::<i64>()?, [2; 20]);
        rng.shuffle(&table, 1)?;
        assert_eq!(cuprum::sort(&table, 1)?.to_vec::<i64>()?, Vec::from_iter(0..60));
        let each = rng.permuted(&table, 0)?;
        assert_eq!(cuprum::sort(&each, 0)?.to_vec::<i64>()?, cuprum::sort(&table, 0)?.to_vec::<i64>()?);
        assert_eq!(sorted(&rng.permuted(&table, None)?.reshape(60)?)?, Vec::from_iter(0..60));
        let few = rng.choice(100, ChoiceOptions::new().size(50).replace(false))?;
        assert_eq!(cuprum::unique(&few, ())?.values.size(), 50);
    }
    let mut rng = default_rng(12)?;
    // All permutations of four are equally likely: 24 of them in 24000 samples, each within five standard errors.
    let each = rng.permuted(cuprum::broadcast_to(cuprum::arange(0, 4, 1)?, [24_000, 4])?, 1)?;
    let weights = array([64, 16, 4, 1])?;
    let counts = cuprum::bincount(cuprum::sum(&each * &weights, 1)?, ())?.to_vec::<i64>()?;
    let found: Vec<i64> = counts.into_iter().filter(|n| *n > 0).collect();
    assert_eq!(found.len(), 24);
    assert!(found.iter().all(|n| (n - 1000).abs() < 160), "{found:?}");
    let p = array([0.1, 0.0, 0.6, 0.3])?;
    let picks = rng.choice(4, ChoiceOptions::new().size(20_000).p(&p))?;
    let shares = cuprum::bincount(&picks, ())?.to_vec::<i64>()?;
    for (n, p) in shares.iter().zip([0.1, 0.0, 0.6, 0.3]) {
        assert!((*n as f64 - 20_000.0 * p).abs() <= 5.0 * (20_000.0f64 * p * (1.0 - p)).sqrt(), "{shares:?}");
    }
    let few = rng.choice(array([10, 20, 30, 40])?, ChoiceOptions::new().size(3).replace(false).p(&p))?;
    assert_eq!(cuprum::sort(&few, ())?.to_vec::<i32>()?, [10, 30, 40]);
    let rejections = [
        (ChoiceOptions::new().size(5).replace(false), "5 are to be chosen of 4 without replacement"),
        (ChoiceOptions::new().size(4).replace(false).p(&p), "3 have a p above 0"),
    ];
    for (options, text) in rejections {
        let e = rng.choice(4, options).unwrap_err();
        assert!(e.kind() == ErrorKind::Value && e.message().contains(text), "{e}");
    }
    assert!(rng.choice(5, ChoiceOptions::new().p(&p)).unwrap_err().message().contains("there are 5 to choose from"));
    let odd = array([0.5, 0.6])?;
    assert!(rng.choice(2, ChoiceOptions::new().p(&odd)).unwrap_err().message().contains("p is together 1.1"));
    Ok(())
}

#[test]
fn several_numbers_at_once() -> Result<()> {
    let mut rng = default_rng(31)?;
    let counts = rng.multinomial(100, array([0.2, 0.5, 0.3])?, 2000)?;
    assert_eq!(cuprum::sum(&counts, 1)?.to_vec::<i64>()?, vec![100; 2000]);
    for (mean, known) in cuprum::mean(&counts, 0)?.to_vec::<f64>()?.into_iter().zip([20.0, 50.0, 30.0]) {
        assert!((mean - known).abs() < 0.6, "{mean} {known}");
    }
    let colours = rng.multivariate_hypergeometric(array([30, 20, 50])?, 40, 2000)?;
    assert_eq!(cuprum::sum(&colours, 1)?.to_vec::<i64>()?, vec![40; 2000]);
    for (mean, known) in cuprum::mean(&colours, 0)?.to_vec::<f64>()?.into_iter().zip([12.0, 8.0, 20.0]) {
        assert!((mean - known).abs() < 0.3, "{mean} {known}");
    }
    for alpha in [array([1.0, 2.0, 5.0])?, array([0.01, 0.02, 0.05])?] {
        let shares = rng.dirichlet(&alpha, 4000)?;
        let sums = cuprum::sum(&shares, 1)?.to_vec::<f64>()?;
        assert!(sums.iter().all(|x| (x - 1.0).abs() < 1e-12));
        for (mean, known) in cuprum::mean(&shares, 0)?.to_vec::<f64>()?.into_iter().zip([0.125, 0.25, 0.625]) {
            assert!((mean - known).abs() < 0.04, "{mean} {known}");
        }
    }
    assert!(rng.dirichlet(array([1.0, 0.0])?, ()).is_err() && rng.multinomial(3, array([0.9, 0.9, 0.1])?, ()).is_err());
    Ok(())
}

/// All threads share one state: no other test of this program uses it.
#[test]
fn functions_share_a_state() -> Result<()> {
    random::seed(77)?;
    let first = bytes(&random::rand([3, 4])?);
    let state = random::get_random_state()?;
    let second = bytes(&random::randn(5)?);
    random::set_random_state(&state);
    assert_eq!(bytes(&random::standard_normal(5)?), second);
    let mut own = RandomState::new(77)?;
    assert_eq!(bytes(&own.random_sample([3, 4])?), first);
    assert_eq!(bytes(&own.randn(5)?), second);
    let kept = own.get_state();
    let drawn = bytes(&own.randint(0, 100, 10)?);
    own.set_state(&kept)?;
    assert_eq!(bytes(&own.integers(0, 100, 10)?), drawn);
    let most = cuprum::max(random::random_integers(3, (), 200)?, ())?.item::<i64>()?;
    assert_eq!(most, 3);
    assert_eq!(random::bytes(7)?.len(), 7);
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| random::random(100)?.to_vec::<f64>())).collect();
    let mut all = vec![];
    for thread in threads {
        all.extend(thread.join().expect("no panic")?);
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    assert_eq!(all.len(), 400);
    Ok(())
}

/// Samples of every kind of distribution: their bits are part of the stability guarantee of a version.
#[test]
fn a_list_of_calls_has_the_bits_that_it_had() -> Result<()> {
    let mut digest = 0xcbf2_9ce4_8422_2325u64;
    let mut all = vec![];
    for mut rng in generators()? {
        let mut add = |a: Array| all.extend(bytes(&a));
        add(rng.random(37)?);
        add(rng.poisson(array([[0.5], [50.0]])?, [2, 37])?);
        add(rng.permutation(30)?);
        // The other generators differ in their words only.
        if rng.bit_generator().name() != "Philox4x3210" {
            continue;
        }
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            add(rng.random(RandomOptions::new().size(37).dtype(dtype))?);
            add(rng.normal(1.0, 2.0, RandomOptions::new().size(37).dtype(dtype))?);
            add(rng.standard_exponential(RandomOptions::new().size(37).dtype(dtype))?);
        }
        for dtype in [DType::Bool, DType::I8, DType::U16, DType::I32, DType::U64] {
            add(rng.integers(0, 2, RandomOptions::new().size(37).dtype(dtype))?);
        }
        add(rng.integers(-5, 1i64 << 40, 37)?);
        add(rng.bernoulli(0.3, 37)?);
        for distribution in ["laplace", "logistic", "gumbel", "standard_cauchy", "rayleigh", "lognormal", "poisson"] {
            add(rng.draw(distribution, &[], 37)?);
        }
        for distribution in ["weibull", "pareto", "power", "standard_gamma", "chisquare", "standard_t"] {
            add(rng.draw(distribution, &[1.7.into()], 37)?);
        }
        for distribution in ["beta", "f", "wald", "vonmises", "noncentral_chisquare"] {
            add(rng.draw(distribution, &[1.7.into(), 0.6.into()], 37)?);
        }
        for distribution in ["geometric", "logseries"] {
            add(rng.draw(distribution, &[0.4.into()], 37)?);
        }
        add(rng.binomial(array([[5], [5000]])?, 0.4, [2, 37])?);
        add(rng.zipf(2.5, 37)?);
        add(rng.hypergeometric(50, 60, 40, 37)?);
    }
    for byte in all {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    assert_eq!(digest, 0xbf1f_2ed4_d5f4_c08f, "{digest:#018x}: a seed draws other numbers than it did");
    Ok(())
}
