//! Tests of the layouts of results against NumPy's.

use super::{Layout, Order, Strides};

#[test]
fn results_and_copies_are_laid_out_as_numpys() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../../tests/data/layout.json")).unwrap();
    let integers =
        |v: &serde_json::Value| v.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect::<Vec<_>>();
    let mut failures = Vec::new();
    for case in cases.as_array().unwrap() {
        let shape: Vec<usize> = integers(&case["shape"]).into_iter().map(|n| n as usize).collect();
        let views: Vec<Vec<i64>> = case["views"].as_array().unwrap().iter().map(integers).collect();
        let views: Vec<&[i64]> = views.iter().map(Vec::as_slice).collect();
        let first = Layout { shape: shape.as_slice().into(), strides: views[0].into(), offset: 0 };
        for (what, found) in [
            ("result", Layout::like(&shape, 1, &views)),
            ("K", first.in_order(1, Order::K)),
            ("A", first.in_order(1, Order::A)),
        ] {
            // The stride of an axis of length 1 is irrelevant, and differs between NumPy's functions.
            let found: Strides = found.strides.iter().zip(&shape).map(|(&s, &n)| if n > 1 { s } else { 0 }).collect();
            let expected = integers(&case[what]);
            if found.as_slice() != expected {
                failures.push(format!("{what} of {case}: {found:?}"));
            }
        }
    }
    let n = failures.len();
    assert!(failures.is_empty(), "{n} layouts differ:\n{}", failures[..n.min(10)].join("\n"));
}
