use super::*;

/// The text forms of an array whose elements have these bytes in C order.
fn texts(dtype: DType, shape: &[usize], bytes: &[u8]) -> (String, String) {
    let layout = Layout::c_order(shape, dtype.size());
    let part = |part: Layout| {
        let (start, end) = part.extent(dtype.size());
        let mut out = vec![0; part.size() * dtype.size()];
        part.gather(&bytes[start as usize..end as usize], dtype.size(), &mut out);
        Ok(out)
    };
    let printable = Printable::read(dtype, &layout, part).unwrap();
    (printable.str(), printable.repr())
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn texts_are_numpys() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("golden.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 400, "the table has only {} cases", cases.len());
    let mut failures = Vec::new();
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let dtype: DType = text("dtype").parse().unwrap();
        let shape: Vec<usize> =
            case["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let (str, repr) = texts(dtype, &shape, &unhex(text("bytes")));
        for (found, expected) in [(str, text("str")), (repr, text("repr"))] {
            if found != expected {
                failures.push(format!("{dtype} {shape:?}\nfound\n{found}\nNumPy\n{expected}\n"));
            }
        }
    }
    let n = failures.len();
    assert!(failures.is_empty(), "{n} texts of {} differ:\n{}", cases.len(), failures[..n.min(8)].join("\n"));
}
