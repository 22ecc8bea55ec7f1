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
    let options = InForce::default();
    let printable = Printable::read(dtype, &layout, &options, part).unwrap();
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

/// NumPy has no bfloat16; the rules are those of its floats with three digits.
#[test]
fn bfloat16_has_its_own_digits() {
    use half::bf16;
    let bytes = |x: &[f32]| x.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect::<Vec<u8>>();
    let text = |x: &[f32]| texts(DType::BF16, &[x.len()], &bytes(x)).1;
    // 0.1 lies within half a step of 2^-11 of its neighbour in the dtype, 1.0078125 is one step of 2^-7 above 1.
    assert_eq!(text(&[0.1, 1.007_812_5, 3.0]), "array([0.1 , 1.01, 3.  ], dtype=bfloat16)");
    assert_eq!(text(&[1.0, 128.0]), "array([1.00e+00, 1.28e+02], dtype=bfloat16)");
    assert_eq!(texts(DType::BF16, &[], &bytes(&[0.5])).0, "0.5");
}

#[test]
fn only_the_edges_of_a_large_array_are_read() {
    let layout = Layout::c_order(&[50, 60], 1);
    let mut read = 0;
    let part = |part: Layout| {
        read += part.size();
        Ok(vec![1; part.size()])
    };
    let options = InForce::default();
    let printable = Printable::read(DType::U8, &layout, &options, part).unwrap();
    assert_eq!((read, printable.items.len()), (36, 36));
}

#[test]
fn views_are_written_from_the_device() {
    use crate::{array, s};
    let a = array([[1.5f32, 2.0], [3.0, -4.0]]).unwrap();
    assert_eq!(a.t().to_string(), "[[ 1.5  3. ]\n [ 2.  -4. ]]");
    assert_eq!(format!("{:?}", a.index(s![.., 1]).unwrap()), "array([ 2., -4.], dtype=float32)");
    let wide = array(vec![7u8]).unwrap().broadcast_to([1 << 30, 1 << 30]).unwrap();
    assert!(wide.to_string().starts_with("[[7 7 7 ... 7 7 7]\n"));
}
