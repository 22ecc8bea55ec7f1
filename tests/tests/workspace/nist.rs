//! Tests of means and standard deviations on the univariate data sets of the Statistical Reference Datasets (StRD) of
//! the National Institute of Standards and Technology, <https://www.itl.nist.gov/div898/strd/univ/homepage.html>: all
//! but PiDigits, some of whose elements are not the digits of pi.

use crate::nist_data::{LEW, LOTTERY, MAVRO, MICHELSO};
use cuprum::{Array, DType, Result};

/// A data set: its elements, the certified mean and the certified standard deviation (with n - 1 degrees of freedom).
struct Dataset {
    name: &'static str,
    elements: Vec<f64>,
    mean: f64,
    deviation: f64,
    /// The expected correct digits of the deviation in float64: 15.95 reduced by the spread of the elements about their
    /// mean, and the 15 certified digits reduced by the rounding of the last.
    digits: f64,
}

/// Returns NumAcc2 to NumAcc4: one element, then as many pairs, which differ from it by a tenth in either direction.
fn alternating(first: f64, low: f64, high: f64) -> Vec<f64> {
    let pair = |i: usize| if i.is_multiple_of(2) { low } else { high };
    std::iter::once(first).chain((0..1000).map(pair)).collect()
}

fn datasets() -> Vec<Dataset> {
    let condition = |mean: f64, deviation: f64| (mean / deviation).abs().log10();
    let scaled = |units: &[i32], above: i32, one: f64| -> Vec<f64> {
        units.iter().map(|u| f64::from(above + u) / one).collect()
    };
    let set = |name, elements, mean: f64, deviation: f64| Dataset {
        name,
        elements,
        mean,
        deviation,
        digits: (15.0 - condition(mean, deviation).max(0.0)).min(14.3),
    };
    vec![
        set("Lew", scaled(&LEW, 0, 1.0), -177.435, 277.332168044316),
        set("Lottery", scaled(&LOTTERY, 0, 1.0), 518.95871559633, 291.699727470969),
        set("Mavro", scaled(&MAVRO, 200_000, 1e5), 2.001856, 0.000429123454003053),
        set("Michelso", scaled(&MICHELSO, 29_900, 100.0), 299.8524, 0.0790105478190518),
        set("NumAcc1", vec![10_000_001.0, 10_000_003.0, 10_000_002.0], 10_000_002.0, 1.0),
        set("NumAcc2", alternating(1.2, 1.1, 1.3), 1.2, 0.1),
        set("NumAcc3", alternating(1_000_000.2, 1_000_000.1, 1_000_000.3), 1_000_000.2, 0.1),
        set("NumAcc4", alternating(10_000_000.2, 10_000_000.1, 10_000_000.3), 10_000_000.2, 0.1),
    ]
}

/// Returns the number of correct decimal digits.
fn digits(got: f64, certified: f64) -> f64 {
    if got == certified { 16.0 } else { -((got - certified) / certified).abs().log10() }
}

fn statistics(a: &Array) -> Result<(f64, f64)> {
    let deviation = cuprum::std(a, cuprum::Reduce::all().ddof(1.0))?;
    Ok((cuprum::mean(a, ())?.astype(DType::F64)?.item()?, deviation.astype(DType::F64)?.item()?))
}

#[test]
fn certified_values_are_met_as_far_as_the_elements_allow() {
    for set in datasets() {
        let line = Array::from_slice(&set.elements, [set.elements.len()]).unwrap();
        // As a row, as a column among columns, and with a stride of two.
        let columns = line.reshape([line.size(), 1]).unwrap().broadcast_to([line.size(), 5]).unwrap();
        let (mean, deviation) = statistics(&line).unwrap();
        let options = cuprum::Reduce::axis(0).ddof(1.0);
        let across: Vec<f64> = cuprum::std(&columns, options).unwrap().to_vec().unwrap();
        assert!(digits(mean, set.mean) >= 14.5, "{}: the mean is {mean}", set.name);
        for found in across.into_iter().chain([deviation]) {
            let right = digits(found, set.deviation);
            assert!(right >= set.digits, "{}: the deviation is {found}: {right} digits, not {}", set.name, set.digits);
        }
    }
}

#[test]
fn sums_of_float32_are_no_worse_than_pairwise_ones() {
    // 2^24 and then ones: sequential addition would lose all of them.
    let n = 70_000;
    let mut elements = vec![1.0f32; n];
    elements[0] = 16_777_216.0;
    let exact = 16_777_216.0 + (n - 1) as f64;
    let a = Array::from_slice(&elements, [n]).unwrap();
    let sum: f32 = cuprum::sum(&a, ()).unwrap().item().unwrap();
    // NumPy adds 128 elements in eight partial sums, then adds the sums pairwise: 16 + 3 + log2(n / 128) roundings.
    let pairwise = 16.0 + 3.0 + (n as f64 / 128.0).log2();
    let error = (f64::from(sum) - exact).abs();
    assert!(error <= pairwise * f64::from(f32::EPSILON) / 2.0 * exact, "{sum} is {error} off");
}
