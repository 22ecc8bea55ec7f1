//! Input and output: files written by NumPy are read, written files equal NumPy's byte for byte, and text is parsed and
//! formatted as in NumPy. The expected values are in `io.json`, which `ci/golden_io.py` writes.

use std::io::Cursor;
use std::path::PathBuf;

use cuprum::{
    Array, Columns, DType, ErrorKind, FromfileOptions, GenfromtxtOptions, LoadtxtOptions, MmapMode, Order,
    SavetxtOptions, TofileOptions, fromfile, genfromtxt_from, load, load_from, loadtxt_from, save, save_to, savetxt_to,
};
use serde_json::Value;

fn cases(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../io.json")).unwrap();
    let all = all.as_array().unwrap().iter().filter(|case| case["kind"] == kind).cloned().collect::<Vec<_>>();
    assert!(all.len() > 1, "there are only {} cases of {kind}", all.len());
    all
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Dtype, shape and bytes of the elements of an array.
type Parts = (DType, Vec<usize>, Vec<u8>);

fn parts_of(array: &Value) -> Parts {
    let shape = array["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    (array["dtype"].as_str().unwrap().parse().unwrap(), shape, unhex(&array["bytes"]))
}

/// Returns dtype, shape and bytes of an array; `same` compares NaN without its sign and payload.
fn found(a: &Array) -> Parts {
    (a.dtype(), a.shape().to_vec(), a.to_bytes().unwrap())
}

fn same(found: &Parts, expected: &Parts) -> bool {
    let number = |(dtype, _, bytes): &Parts| -> Option<Vec<Option<u64>>> {
        let as_number = |x: f64| if x.is_nan() { None } else { Some(x.to_bits()) };
        match dtype.real() {
            DType::F64 => Some(bytes.chunks(8).map(|b| as_number(f64::from_le_bytes(b.try_into().unwrap()))).collect()),
            DType::F32 => {
                Some(bytes.chunks(4).map(|b| as_number(f32::from_le_bytes(b.try_into().unwrap()).into())).collect())
            }
            _ => None,
        }
    };
    let values = number(found).is_some_and(|values| Some(values) == number(expected)) || found.2 == expected.2;
    found.0 == expected.0 && found.1 == expected.1 && values
}

fn made((dtype, shape, bytes): &Parts) -> Array {
    let shape: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    Array::from_bytes(bytes, &shape[..], *dtype).unwrap()
}

struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        File(std::env::temp_dir().join(format!("cuprum-io-{}-{name}", std::process::id())))
    }

    fn of(name: &str, bytes: &[u8]) -> File {
        let file = File::new(name);
        std::fs::write(&file.0, bytes).unwrap();
        file
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Fails with all differences in one message, if there are any.
#[track_caller]
fn none(failures: &[String], of: usize) {
    let n = failures.len();
    assert!(failures.is_empty(), "{n} of {of} differ:\n{}", failures[..n.min(12)].join("\n"));
}

#[test]
fn npy_files_are_numpys() {
    let cases = cases("npy");
    for case in &cases {
        let (bytes, expected) = (unhex(&case["file"]), parts_of(&case["array"]));
        let file = File::of("npy.npy", &bytes);
        for array in [load(&file.0, ()), load(&file.0, MmapMode::Read), load_from(&bytes[..], ())] {
            let array = array.unwrap();
            assert!(same(&found(&array), &expected), "{case}\n{array:?}");
        }
        if case["same"] == true {
            let order = if case["order"] == "F" { Order::F } else { Order::C };
            let array = made(&expected).copy(order).unwrap();
            let (mut stream, ours) = (vec![], File::new("ours.npy"));
            save_to(&mut stream, &array).unwrap();
            save(&ours.0, &array).unwrap();
            assert_eq!(stream, bytes, "{case}");
            assert_eq!(std::fs::read(&ours.0).unwrap(), bytes, "{case}");
            assert_eq!(array.dumps().unwrap(), bytes);
        }
    }
}

#[test]
fn headers_are_read_as_numpy_reads_them_or_rejected() {
    // NumPy parses headers as Python literals; the stricter reader rejects these.
    let stricter = ["'shape': (2,), 'shape'"];
    let (cases, mut failures) = (cases("header"), vec![]);
    for case in &cases {
        let bytes = unhex(&case["file"]);
        let file = File::of("header.npy", &bytes);
        for loaded in [load(&file.0, ()), load_from(&bytes[..], ())] {
            let text = String::from_utf8_lossy(&bytes);
            match (&loaded, case["array"].is_null()) {
                (Ok(a), false) if same(&found(a), &parts_of(&case["array"])) => {}
                (Err(e), true) => {
                    assert_eq!(e.kind(), ErrorKind::Value, "{e}");
                    assert!(e.message().contains(", byte "), "{e}");
                }
                (Err(_), false) if stricter.iter().any(|s| text.contains(s)) => {}
                _ => failures.push(format!("{text:?}\nfound {loaded:?}\nNumPy {}\n", case["array"])),
            }
        }
    }
    none(&failures, cases.len());
}

#[test]
#[cfg(feature = "npz")]
fn npz_archives_are_numpys() {
    for case in cases("npz") {
        let file = File::of("archive.npz", &unhex(&case["file"]));
        let archive = cuprum::load_npz(&file.0, ()).unwrap();
        let arrays = case["arrays"].as_object().unwrap();
        assert_eq!(archive.len(), arrays.len());
        for item in archive.iter() {
            let (name, array) = item.unwrap();
            assert!(same(&found(&array), &parts_of(&arrays[name])), "{name}");
        }
        // Round trip through archives of the library.
        let ours = File::new("ours.npz");
        let all: Vec<(&String, Array)> = arrays.iter().map(|(name, a)| (name, made(&parts_of(a)))).collect();
        cuprum::savez(&ours.0, all.iter().map(|(name, a)| (name, a))).unwrap();
        cuprum::savez_compressed(&ours.0, all.iter().map(|(name, a)| (name, a))).unwrap();
        let again = cuprum::load_npz(&ours.0, ()).unwrap();
        for (name, a) in &all {
            assert!(same(&found(&again.get(name).unwrap()), &found(a)), "{name}");
        }
        assert_eq!(again.get("missing").unwrap_err().kind(), ErrorKind::Value);
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn columns(value: &Value) -> Vec<isize> {
    value.as_array().unwrap().iter().map(|n| n.as_i64().unwrap() as isize).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Compares the results of a text reader with those of NumPy's.
fn compared(kind: &str, read: impl Fn(&str, &serde_json::Map<String, Value>) -> cuprum::Result<Array>) {
    let (cases, mut failures) = (cases(kind), vec![]);
    for case in &cases {
        let data = case.get("text").map_or_else(|| text(&case["file"]), text);
        let result = read(data, case["options"].as_object().unwrap());
        let agrees = match &result {
            Ok(a) => !case["array"].is_null() && same(&found(a), &parts_of(&case["array"])),
            Err(_) => case["array"].is_null(),
        };
        if !agrees {
            failures.push(format!("{data:?} with {}\nfound {result:?}\nNumPy {}\n", case["options"], case["array"]));
        }
    }
    none(&failures, cases.len());
}

#[test]
fn loadtxt_reads_as_numpy_does() {
    compared("loadtxt", |data, options| {
        let mut parsed = LoadtxtOptions::new();
        for (name, value) in options {
            let character = || text(value).chars().next().unwrap();
            parsed = match name.as_str() {
                "dtype" => parsed.dtype(text(value).parse().unwrap()),
                "delimiter" => parsed.delimiter(character()),
                "quotechar" => parsed.quotechar(character()),
                "comments" => parsed.comments(value.as_array().into_iter().flatten().map(text)),
                "usecols" => parsed.usecols(columns(value)),
                "ndmin" => parsed.ndmin(number(value)),
                "skiprows" => parsed.skiprows(number(value)),
                "max_rows" => parsed.max_rows(number(value)),
                "unpack" => parsed.unpack(value.as_bool().unwrap()),
                other => panic!("{other}"),
            };
        }
        loadtxt_from(data.as_bytes(), parsed)
    });
}

#[test]
fn genfromtxt_reads_as_numpy_does() {
    compared("genfromtxt", |data, options| {
        let mut parsed = GenfromtxtOptions::new();
        for (name, value) in options {
            parsed = match (name.as_str(), value) {
                ("dtype", Value::Null) => parsed.dtype(None),
                ("dtype", name) => parsed.dtype(text(name).parse::<DType>().unwrap()),
                ("delimiter", Value::String(delimiter)) => parsed.delimiter(&**delimiter),
                ("delimiter", Value::Array(widths)) => parsed.delimiter(widths.iter().map(number).collect::<Vec<_>>()),
                ("delimiter", width) => parsed.delimiter(number(width)),
                ("comments", mark) => parsed.comments(mark.as_str()),
                ("missing_values", missing) => parsed.missing_values([text(missing)]),
                ("filling_values", value) => parsed.filling_values(value.as_i64().unwrap()),
                ("usecols", value) => parsed.usecols(columns(value)),
                ("ndmin", n) => parsed.ndmin(number(n)),
                ("skip_header", n) => parsed.skip_header(number(n)),
                ("skip_footer", n) => parsed.skip_footer(number(n)),
                ("max_rows", n) => parsed.max_rows(number(n)),
                ("unpack", flag) => parsed.unpack(flag.as_bool().unwrap()),
                ("loose", flag) => parsed.loose(flag.as_bool().unwrap()),
                ("invalid_raise", flag) => parsed.invalid_raise(flag.as_bool().unwrap()),
                ("autostrip", flag) => parsed.autostrip(flag.as_bool().unwrap()),
                (other, _) => panic!("{other}"),
            };
        }
        genfromtxt_from(data.as_bytes(), parsed)
    });
}

#[test]
fn savetxt_writes_as_numpy_does() {
    let (cases, mut failures) = (cases("savetxt"), vec![]);
    for case in &cases {
        let mut options = SavetxtOptions::new();
        for (name, value) in case["options"].as_object().unwrap() {
            options = match (name.as_str(), value) {
                ("fmt", Value::Array(all)) => options.formats(all.iter().map(text)),
                ("fmt", fmt) => options.fmt(text(fmt)),
                ("delimiter", value) => options.delimiter(text(value)),
                ("newline", value) => options.newline(text(value)),
                ("header", value) => options.header(text(value)),
                ("footer", value) => options.footer(text(value)),
                ("comments", value) => options.comments(text(value)),
                (other, _) => panic!("{other}"),
            };
        }
        let mut out = vec![];
        let done = savetxt_to(&mut out, made(&parts_of(&case["array"])), options);
        let written = done.map(|()| String::from_utf8(out).unwrap());
        if written.as_deref().ok() != case["text"].as_str() {
            failures.push(format!("{case}\nfound {written:?}\nNumPy {}\n", case["text"]));
        }
    }
    none(&failures, cases.len());
}

#[test]
fn fromfile_reads_as_numpy_does() {
    compared("fromfile", |data, options| {
        let file = File::of("elements.bin", &unhex(&Value::String(data.into())));
        let mut parsed = FromfileOptions::new();
        for (name, value) in options {
            parsed = match name.as_str() {
                "dtype" => parsed.dtype(text(value).parse().unwrap()),
                "sep" => parsed.sep(text(value)),
                "count" => parsed.count(number(value)),
                "offset" => parsed.offset(number(value) as u64),
                other => panic!("{other}"),
            };
        }
        fromfile(&file.0, parsed)
    });
}

#[test]
fn tofile_writes_as_numpy_does() {
    for case in cases("tofile") {
        let mut options = TofileOptions::new();
        for (name, value) in case["options"].as_object().unwrap() {
            options = match name.as_str() {
                "sep" => options.sep(text(value)),
                "format" => options.format(text(value)),
                other => panic!("{other}"),
            };
        }
        let file = File::new("tofile.bin");
        made(&parts_of(&case["array"])).tofile(&file.0, options).unwrap();
        let (found, expected) = (std::fs::read(&file.0).unwrap(), unhex(&case["file"]));
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(&found), shown(&expected), "{case}");
    }
}

#[test]
fn converters_make_numbers_of_fields() -> cuprum::Result<()> {
    use cuprum::Converter;
    let length = || Converter::new(|text| Ok(text.len()));
    let options = || LoadtxtOptions::new().delimiter(',').quotechar('"');
    let a = loadtxt_from("\"1\"\"2\",2".as_bytes(), options().converter(length()))?;
    assert_eq!(a.to_vec::<f64>()?, [3.0, 1.0]);
    let a = loadtxt_from("abc,2".as_bytes(), options().converters(-2, length()))?;
    assert_eq!(a.to_vec::<f64>()?, [3.0, 2.0]);
    assert!(loadtxt_from("1,2".as_bytes(), options().converters(5, length())).is_err());
    let months = Converter::new(|text| match text {
        "January" => Ok(1),
        other => Err(cuprum::Error::new(ErrorKind::Value, format!("{other:?} is no month"))),
    });
    let e = loadtxt_from("1,January\n2,Mai".as_bytes(), options().converters(1, months.clone())).unwrap_err();
    assert_eq!(e.message(), "loadtxt_from: the stream, line 2, column 1: \"Mai\" is no month");
    let options = GenfromtxtOptions::new().delimiter(',').converters(1, months).filling_values(0);
    assert_eq!(genfromtxt_from("1,January\n2,Mai".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 1.0, 2.0, 0.0]);
    Ok(())
}

/// Blanks after a closing quote at the end of a row are ignored; NumPy reads them as one more, empty field.
#[test]
fn blanks_behind_quotes_are_no_field() -> cuprum::Result<()> {
    let a = loadtxt_from("\"1\" \n2 # two\n".as_bytes(), LoadtxtOptions::new().quotechar('"'))?;
    assert_eq!(a.to_vec::<f64>()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn columns_are_built_from_delimiters_and_widths() {
    assert_eq!(Columns::from(","), Columns::from(','));
    assert_eq!((Columns::from(3), Columns::from(vec![1, 2])), (Columns::Width(3), Columns::Widths(vec![1, 2])));
}

/// Views of every kind are saved in their order, in chunks.
#[test]
fn views_are_saved_and_loaded() -> cuprum::Result<()> {
    let a = cuprum::arange(0, 3 << 20, 1)?.astype(DType::F32)?.reshape([3, 1 << 20])?;
    for view in [a.clone(), a.t(), a.part(cuprum::s![.., ..;-1]), a.part(cuprum::s![1..]), a.part(cuprum::s![0])] {
        let file = File::new("view.npy");
        save(&file.0, &view)?;
        assert!(cuprum::array_equal(load(&file.0, ())?, &view, ())?);
        assert!(cuprum::array_equal(load(&file.0, MmapMode::CopyOnWrite)?, &view, ())?);
        assert!(cuprum::array_equal(load_from(Cursor::new(std::fs::read(&file.0).unwrap()), ())?, &view, ())?);
    }
    Ok(())
}

#[test]
fn compressed_texts_are_read_and_written() -> cuprum::Result<()> {
    let a = cuprum::array([[1.5, 2.0], [3.0, -4.25]])?;
    let file = File::new("table.csv.gz");
    cuprum::savetxt(&file.0, &a, ())?;
    assert_eq!(std::fs::read(&file.0).unwrap()[..2], [0x1f, 0x8b]);
    assert!(cuprum::array_equal(cuprum::loadtxt(&file.0, ())?, &a, ())?);
    Ok(())
}

/// Writes files into the directory `CUPRUM_IO_FILES`, for `ci/io_numpy.py` to read with NumPy.
#[test]
fn files_for_numpy_are_written() -> cuprum::Result<()> {
    let Some(folder) = std::env::var_os("CUPRUM_IO_FILES").map(PathBuf::from) else { return Ok(()) };
    for dtype in DType::ALL {
        let a = cuprum::arange(0, 12, 1)?.remainder(5)?.reshape([3, 4])?.astype(dtype)?;
        save(folder.join(format!("{dtype}-C")), &a)?;
        save(folder.join(format!("{dtype}-F")), a.copy(Order::F)?)?;
        #[cfg(feature = "npz")]
        {
            cuprum::savez(folder.join(format!("{dtype}-stored")), [("a", &a), ("t", &a.t())])?;
            cuprum::savez_compressed(folder.join(format!("{dtype}-packed")), [("a", &a), ("t", &a.t())])?;
        }
        if dtype != DType::BF16 {
            cuprum::savetxt(folder.join(format!("{dtype}.txt")), &a, ())?;
        }
    }
    Ok(())
}
