//! Scans in cases that the conformance suite does not sample: overlapping memory, reproducibility in any order of
//! blocks, options.

use cuprum::{AccumulateOptions, Array, DType, ErrorKind, Result, ScanOptions, arange, cumprod, cumsum, s, ufunc};

fn prefix_sums(values: &[i64]) -> Vec<i64> {
    let each = |so_far: &mut i64, x: &i64| {
        *so_far = so_far.wrapping_add(*x);
        Some(*so_far)
    };
    values.iter().scan(0, each).collect()
}

#[test]
fn a_scan_in_place_and_onto_shifted_memory_reads_what_was_there() -> Result<()> {
    let n = 30_000;
    for (from, to) in [(0, 0), (0, 1), (1, 0), (0, 700)] {
        let base = arange(0, n + 700, 1)?;
        let host = base.to_vec::<i64>()?;
        let (a, out) = (base.index(s![from..from + n])?, base.index(s![to..to + n])?);
        let options = ScanOptions { axis: Some(0), out: Some(&out), ..ScanOptions::default() };
        cumsum(&a, options)?;
        assert!(out.to_vec::<i64>()? == prefix_sums(&host[from as usize..(from + n) as usize]), "{from} to {to}");
    }
    // In reverse over its own operand, and with a result narrower than the operand.
    let a = arange(0, n, 1)?;
    let host = a.to_vec::<i64>()?;
    let back = a.index(s![..;-1])?;
    cumsum(&a, ScanOptions { axis: Some(0), out: Some(&back), ..ScanOptions::default() })?;
    assert!(back.to_vec::<i64>()? == prefix_sums(&host));
    let a = arange(0, n, 1)?;
    let narrow = a.view(DType::I32)?.index(s![0..n as i64])?;
    cumsum(&a, ScanOptions { axis: Some(0), out: Some(&narrow), ..ScanOptions::default() })?;
    let wrapped: Vec<i32> = prefix_sums(&host).into_iter().map(|x| x as i32).collect();
    assert!(narrow.to_vec::<i32>()? == wrapped);
    Ok(())
}

/// Builds an array whose sum in float32 depends on the order.
fn uneven(n: usize) -> Result<Array> {
    let values: Vec<f32> = (0..n).map(|i| ((i * 7919) % 10007) as f32 / 97.0 - 50.0).collect();
    Array::from_slice(&values, n)
}

/// Returns the bits of floating scans on every path: a tree of tiles, a tree of strips, and sequential 1-D slices.
fn bits() -> Result<Vec<u8>> {
    let a = uneven(90_001)?;
    let all = a.index(s![0..90_000])?;
    let mut bits = cumsum(&a, 0)?.to_bytes()?;
    for (shape, axis) in [([3000, 30], 0), ([1500, 60], 1), ([30, 3000], 0), ([10, 9000], 1)] {
        bits.extend(cumsum(&all.reshape(shape)?, axis)?.to_bytes()?);
    }
    Ok(bits)
}

#[test]
fn two_runs_give_the_same_bits() -> Result<()> {
    assert!(bits()? == bits()?);
    Ok(())
}

/// The simulator reads the order of blocks from the environment when it opens, so each order needs a process.
#[test]
fn the_order_of_blocks_changes_no_bit() -> Result<()> {
    const CHILD: &str = "CUPRUM_TEST_OF_BLOCK_ORDER";
    if let Some(path) = std::env::var_os(CHILD) {
        std::fs::write(path, bits()?).expect("the parent's folder can be written to");
        return Ok(());
    }
    let run = |seed: &str| {
        let path = std::env::temp_dir().join(format!("cuprum-scan-{}-{seed}", std::process::id()));
        let mut child = std::process::Command::new(std::env::current_exe().expect("a test is a program"));
        child.args(["--exact", "the_order_of_blocks_changes_no_bit"]).env(CHILD, &path).env("CUPRUM_DEVICE", "sim");
        if seed != "none" {
            child.env("CUPRUM_SIM_SEED", seed);
        }
        assert!(child.output().expect("the child starts").status.success(), "seed {seed}");
        let bits = std::fs::read(&path).expect("the child has written them");
        std::fs::remove_file(&path).expect("they are there");
        bits
    };
    let plain = run("none");
    assert!(!plain.is_empty() && plain == run("1") && plain == run("77"));
    Ok(())
}

#[test]
fn sums_of_halves_do_not_stick() -> Result<()> {
    // Added sequentially in float16, 2048 + 1 would be 2048.
    let ones = cuprum::ones(5000, DType::F16)?;
    let sums = cumsum(&ones, 0)?;
    assert_eq!(sums.dtype(), DType::F16);
    assert_eq!(sums.index(s![-1])?.astype(DType::F32)?.item::<f32>()?, 5000.0);
    Ok(())
}

#[test]
fn a_nan_an_overflow_and_a_zero_show_from_their_position_on() -> Result<()> {
    let n = 20_000usize;
    let mut values = vec![1.0f32; n];
    values[12_345] = f32::NAN;
    let sums = cumsum(&Array::from_slice(&values, n)?, 0)?.to_vec::<f32>()?;
    assert!(sums[..12_345].iter().all(|x| x.is_finite()) && sums[12_345..].iter().all(|x| x.is_nan()));
    (values[12_345], values[3]) = (f32::INFINITY, -0.0);
    let products = cumprod(&Array::from_slice(&values, n)?, 0)?.to_vec::<f32>()?;
    assert!(products[3..12_345].iter().all(|x| *x == 0.0 && x.is_sign_negative()));
    assert!(products[12_345..].iter().all(|x| x.is_nan()));
    let zeros = Array::from_slice(&[-0.0f64; 3], 3)?;
    assert!(cumsum(&zeros, 0)?.to_vec::<f64>()?.iter().all(|x| x.is_sign_negative()));
    Ok(())
}

#[test]
fn what_is_no_result_is_rejected() -> Result<()> {
    let a = cuprum::ones([2, 3], DType::F32)?;
    let kind = |r: Result<Array>| r.map(|_| ()).unwrap_err().kind();
    assert_eq!(kind(cumsum(&a, 2)), ErrorKind::Axis);
    assert_eq!(kind(cuprum::cumulative_sum(&a, ())), ErrorKind::Value);
    let flat = cuprum::zeros(6, DType::F32)?;
    let options = AccumulateOptions { out: Some(&flat), ..AccumulateOptions::default() };
    assert_eq!(kind(ufunc("add")?.accumulate(&a, 0, options)), ErrorKind::Value);
    assert_eq!(kind(ufunc("subtract")?.reduceat(&a, [0], 0, options)), ErrorKind::Value);
    assert_eq!(kind(ufunc("add")?.accumulate(&cuprum::ones((), DType::F32)?, 0, ())), ErrorKind::Type);
    assert_eq!(kind(cuprum::ediff1d(&cuprum::ones(3, DType::Bool)?, ())), ErrorKind::Type);
    Ok(())
}
