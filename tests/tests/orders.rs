//! Tests that results do not depend on the order in which the device runs blocks and warps: the simulator runs them in
//! different orders, in separate processes.

use std::env;
use std::process::Command;

use cuprum::{Array, DType, HistogramOptions, Result};

/// The variable that marks a process whose results are compared.
const CHILD: &str = "CUPRUM_TEST_OF_ORDERS";

/// Returns numbers of all magnitudes, so that another order of additions would be visible.
fn numbers(n: usize) -> Vec<f64> {
    (0..n as i32).map(|i| f64::from(i * 7919 % 10007 - 5000) * 2f64.powi(i % 40 - 20)).collect()
}

/// Returns results that many blocks contribute to.
fn results() -> Result<Vec<Array>> {
    let a = Array::from_vec(numbers(70_000))?;
    let mask = cuprum::greater(&a, 0.0)?;
    let bins = cuprum::remainder(&a.astype(DType::I64)?, 300)?;
    let weighted = HistogramOptions { weights: Some(&a), ..HistogramOptions::from(40) };
    let large = Array::from_vec((0..300_000).map(|i| i % 7 < 3).collect::<Vec<bool>>())?;
    Ok([
        cuprum::nonzero(&mask)?,
        cuprum::nonzero(&large)?,
        vec![
            a.mask(&mask)?,
            cuprum::bincount(&bins, ())?,
            cuprum::bincount(&bins, &a)?,
            cuprum::histogram(&a, 1000)?.0,
            cuprum::histogram(&a, weighted)?.0,
        ],
    ]
    .concat())
}

/// Computes the FNV-1a hash.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn blocks_in_any_order_give_the_same_bits() {
    if env::var_os(CHILD).is_some() {
        let digests =
            results().and_then(|all| all.iter().map(|a| Ok(digest(&a.to_bytes()?))).collect::<Result<Vec<_>>>());
        println!("digests: {:?}", digests.expect("the results are made"));
        return;
    }
    let run = |seed: Option<&str>| {
        let mut child = Command::new(env::current_exe().expect("the test has a path"));
        child.args(["--exact", "blocks_in_any_order_give_the_same_bits", "--nocapture"]).env(CHILD, "1");
        match seed {
            Some(seed) => child.env("CUPRUM_SIM_SEED", seed),
            None => child.env_remove("CUPRUM_SIM_SEED"),
        };
        let output = child.output().expect("the test runs itself");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let at = text.find("digests: ").unwrap_or_else(|| {
            panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        });
        text[at..].lines().next().unwrap_or_default().to_string()
    };
    let plain = run(None);
    for seed in ["1", "20260", "987654321"] {
        assert_eq!(run(Some(seed)), plain, "blocks in the order of seed {seed}");
    }
}
