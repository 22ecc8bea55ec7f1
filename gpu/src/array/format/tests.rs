use super::*;

/// Returns `str` and `repr` of an array whose elements have these bytes in C order.
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
    (printable.str(&Spec::NONE), printable.repr(&Spec::NONE))
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn texts_are_numpys() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../../../tests/data/text.json")).unwrap();
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

/// NumPy has no bfloat16; it is formatted as a NumPy float with three digits.
#[test]
fn bfloat16_has_its_own_digits() {
    use half::bf16;
    let bytes = |x: &[f32]| x.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect::<Vec<u8>>();
    let text = |x: &[f32]| texts(DType::BF16, &[x.len()], &bytes(x)).1;
    // 0.1 is within half a step of 2^-11 of its neighbour in the dtype, 1.0078125 is one step of 2^-7 above 1.
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

/// Parses the options of a case, with NumPy's names.
fn parse_options(options: &serde_json::Value) -> PrintOptions {
    let mut parsed = PrintOptions::new();
    for (name, value) in options.as_object().unwrap() {
        let number = || value.as_u64().unwrap() as usize;
        let text = || value.as_str().unwrap();
        parsed = match name.as_str() {
            "precision" => parsed.precision(number()),
            "threshold" => parsed.threshold(number()),
            "edgeitems" => parsed.edgeitems(number()),
            "linewidth" | "max_line_width" => parsed.linewidth(number()),
            "suppress" | "suppress_small" => parsed.suppress(value.as_bool().unwrap()),
            "nanstr" => parsed.nanstr(text()),
            "infstr" => parsed.infstr(text()),
            "sign" => parsed.sign(text().parse::<Sign>().unwrap()),
            "floatmode" => parsed.floatmode(text().parse::<FloatMode>().unwrap()),
            "separator" | "prefix" | "suffix" => parsed,
            other => panic!("{other}"),
        };
    }
    parsed
}

fn style(options: &serde_json::Value) -> FormatFloatOptions {
    let mut parsed = FormatFloatOptions::new();
    for (name, value) in options.as_object().unwrap() {
        let number = || value.as_u64().unwrap() as usize;
        let flag = || value.as_bool().unwrap();
        parsed = match name.as_str() {
            "precision" => parsed.precision(number()),
            "min_digits" => parsed.min_digits(number()),
            "pad_left" => parsed.pad_left(number()),
            "pad_right" => parsed.pad_right(number()),
            "exp_digits" => parsed.exp_digits(number()),
            "unique" => parsed.unique(flag()),
            "fractional" => parsed.fractional(flag()),
            "sign" => parsed.sign(flag()),
            "trim" => parsed.trim(value.as_str().unwrap().parse::<Trim>().unwrap()),
            other => panic!("{other}"),
        };
    }
    parsed
}

#[test]
fn texts_with_options_are_numpys() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../../../tests/data/format.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 1000, "the table has only {} cases", cases.len());
    let mut failures = Vec::new();
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let (dtype, options): (DType, _) = (text("dtype").parse().unwrap(), &case["options"]);
        let lengths = case["shape"].as_array().unwrap().iter();
        let shape: Vec<i64> = lengths.map(|n| n.as_i64().unwrap()).collect();
        let bytes = unhex(text("bytes"));
        let array = || Array::from_bytes(&bytes, &shape[..], dtype).unwrap();
        let around = |key: &str, default: &str| String::from(options[key].as_str().unwrap_or(default));
        let float = |one: fn(f64, DType, &floats::Style) -> String| match Scalar::decode(&bytes, dtype) {
            Scalar::Float(x) => style(options).style().map(|style| one(x, dtype, &style)),
            _ => panic!("{case}"),
        };
        let found = match text("function") {
            "format_float_positional" => vec![(float(floats::positional).ok(), "text")],
            "format_float_scientific" => vec![(float(floats::scientific).ok(), "text")],
            "array2string" => {
                let mut whole = Array2stringOptions::from(parse_options(options)).separator(around("separator", " "));
                whole = whole.prefix(around("prefix", "")).suffix(around("suffix", ""));
                vec![(Some(array2string(array(), whole).unwrap()), "text")]
            }
            "array_repr" => vec![(Some(array_repr(array(), parse_options(options)).unwrap()), "text")],
            "array_str" => vec![(Some(array_str(array(), parse_options(options)).unwrap()), "text")],
            "under" => {
                let _guard = printoptions(parse_options(options));
                vec![(Some(array().to_string()), "text"), (Some(format!("{:?}", array())), "repr")]
            }
            other => panic!("{other}"),
        };
        for (found, key) in found {
            if found.as_deref() != case[key].as_str() {
                let head = format!("{} of {dtype} {shape:?} {} with {options}", text("function"), text("bytes"));
                failures.push(format!("{head}\nfound\n{found:?}\nNumPy\n{:?}\n", case[key].as_str()));
            }
        }
    }
    let n = failures.len();
    assert!(failures.is_empty(), "{n} texts of {} differ:\n{}", cases.len(), failures[..n.min(12)].join("\n"));
}

#[test]
fn options_hold_for_their_thread_and_their_time() {
    let before = get_printoptions();
    let a = crate::array([1.0 / 3.0]).unwrap();
    {
        let _outer = printoptions(2);
        let _inner = printoptions(PrintOptions::new().sign(Sign::Plus));
        assert_eq!(a.to_string(), "[+0.33]");
        assert_eq!(std::thread::spawn(|| get_printoptions().precision).join().unwrap(), Some(8));
    }
    assert_eq!(a.to_string(), "[0.33333333]");
    assert_eq!(get_printoptions().precision, before.precision);
}

#[test]
fn functions_of_users_write_elements() {
    let a = crate::array([[1.5, -2.0], [0.25, 4.0]]).unwrap();
    let formatter = || Formatter::new().float(|x| format!("<{x}>"));
    let text = array2string(&a, Array2stringOptions::new().formatter(formatter())).unwrap();
    assert_eq!(text, "[[<1.5> <-2>]\n [<0.25> <4>]]");
    // The formatter is set for floats only.
    assert_eq!(
        array2string(crate::array([7]).unwrap(), Array2stringOptions::new().formatter(formatter())).unwrap(),
        "[7]"
    );
    let all = PrintOptions::new().formatter(Formatter::new().all(|s| format!("{s}\nend")));
    assert_eq!(array_str(crate::array([1, 22]).unwrap(), all.clone()).unwrap(), "[1\n end 22\n     end]");
    let _guard = printoptions(all);
    assert_eq!(crate::array(true).unwrap().to_string(), "True");
    set_printoptions(());
    assert_eq!(crate::array([1]).unwrap().to_string(), "[1]");
}
