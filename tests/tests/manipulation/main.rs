//! Tests of concatenation, insertion and deletion against NumPy's results (`ci/golden_manipulation.py`).

use cuprum::{Array, Block, Positions, Result, Slice, arange_of, block, concatenate, delete, insert, s};
use serde_json::Value;

/// The dtype, the shape, the strides of axes with several elements, and the elements.
type Shown = (String, Vec<i64>, Vec<i64>, Vec<f64>);

fn integers(v: &Value) -> Vec<i64> {
    v.as_array().expect("a list").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

/// Creates an array from its description.
fn made(a: &Value) -> Result<Array> {
    let (mut shape, seen) = (integers(&a["shape"]), a["seen"].as_str().expect("a text"));
    if seen == "T" {
        shape.reverse();
    }
    let first = a["first"].as_i64().expect("an integer");
    let dtype = a["dtype"].as_str().and_then(|d| d.parse().ok()).expect("a dtype");
    let array = arange_of(first, first + shape.iter().product::<i64>(), 1, None)?.astype(dtype)?.reshape(shape)?;
    match seen {
        "T" => Ok(array.t()),
        "-1" if array.ndim() > 0 => array.index(s![cuprum::Ellipsis, ..;-1]),
        _ => Ok(array),
    }
}

fn nested(blocks: &Value) -> Result<Block> {
    match blocks.as_array() {
        Some(all) => all.iter().map(nested).collect::<Result<Vec<_>>>().map(Block::from),
        None => made(blocks).map(Block::from),
    }
}

fn called(case: &Value) -> Result<Array> {
    let axis = case["axis"].as_i64().unwrap_or(0) as isize;
    let slice = || {
        let bounds: Vec<Option<i64>> = case["slice"].as_array().expect("a slice").iter().map(Value::as_i64).collect();
        Positions::from(Slice { start: bounds[0], stop: bounds[1], step: bounds[2] })
    };
    match case["call"].as_str().expect("a name") {
        "concatenate" => {
            let arrays = case["arrays"].as_array().expect("arrays").iter().map(made).collect::<Result<Vec<_>>>()?;
            concatenate(&arrays, axis)
        }
        "block" => block(nested(&case["blocks"])?),
        "delete slice" => delete(made(&case["array"])?, slice(), axis),
        "insert slice" => insert(made(&case["array"])?, slice(), made(&case["values"])?, axis),
        "delete mask" => {
            let mask: Vec<bool> = case["mask"].as_array().expect("a mask").iter().map(|b| b == true).collect();
            delete(made(&case["array"])?, &Array::from_vec(mask)?, axis)
        }
        other => panic!("nothing is called {other}"),
    }
}

#[test]
fn results_are_numpys() {
    let cases: Value = serde_json::from_str(include_str!("golden.json")).expect("JSON");
    let mut failures = vec![];
    for case in cases.as_array().expect("a list") {
        let want = &case["want"];
        let shown = |a: &Array| -> Result<Shown> {
            let step = |(n, s): (&usize, &i64)| if *n > 1 { *s } else { 0 };
            let strides = a.shape().iter().zip(a.strides()).map(step).filter(|_| a.size() > 0).collect();
            let shape = a.shape().iter().map(|n| *n as i64).collect();
            Ok((a.dtype().to_string(), shape, strides, a.astype(cuprum::DType::F64)?.to_vec()?))
        };
        let elements = want["elements"].as_array().expect("numbers").iter().filter_map(Value::as_f64).collect();
        let dtype = want["dtype"].as_str().expect("a dtype").to_string();
        let expected = (dtype, integers(&want["shape"]), integers(&want["strides"]), elements);
        match called(case).and_then(|a| shown(&a)) {
            Ok(found) if found == expected => {}
            other => failures.push(format!("{case}: {other:?}")),
        }
    }
    let n = failures.len();
    assert!(failures.is_empty(), "{n} results differ:\n{}", failures[..n.min(5)].join("\n"));
}
