//! Tests that the call table contains every public function, and that every function in it has cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cuprum::table::{Arguments, ParameterKind, Record, Value, find, records};
use cuprum::{Array, ErrorKind};
use cuprum_conformance::call::path;
use cuprum_conformance::matrix::OpKind;
use cuprum_conformance::{Matrix, sample};

/// Modules whose public functions are not functions of arrays: those of `random` depend on a state.
const OTHER_ROOMS: [&str; 8] = ["bin", "cuda", "driver", "engine", "kernel", "random", "table", "element"];

/// Macros that create a public function for each of their entries.
const MAKERS: [&str; 7] = ["unary!", "binary!", "pairs!", "reductions!", "special!", "scans!", "methods!"];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the library").flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if OTHER_ROOMS.contains(&stem) {
            continue;
        }
        match path.is_dir() {
            true => sources(&path, all),
            false => all.push(path),
        }
    }
}

/// Returns the name at the start of a line.
fn name(line: &str) -> &str {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns the public functions of a file, those written out and those that a macro creates, and whether each is marked
/// as unrecorded.
fn functions(text: &str) -> Vec<(&str, bool)> {
    let (mut all, mut made, mut unrecorded) = (vec![], false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("#[unrecorded(") {
            unrecorded = true;
        } else if let Some(rest) = line.strip_prefix("pub fn ") {
            all.push((name(rest), std::mem::take(&mut unrecorded)));
        } else if MAKERS.iter().any(|maker| line.strip_prefix(maker).is_some_and(|rest| rest.trim() == "{")) {
            made = true;
        } else if line == "}" {
            made = false;
        } else if made
            && let Some(entry) = line.strip_prefix("    ")
            && entry.starts_with(|c: char| c.is_ascii_lowercase())
            && entry[name(entry).len()..].starts_with([':', '(', ','])
        {
            all.push((name(entry), std::mem::take(&mut unrecorded)));
        }
    }
    all
}

#[test]
fn every_public_function_is_in_the_table() {
    let mut files = vec![];
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/src"), &mut files);
    let known: BTreeSet<&str> = records().iter().flat_map(|r| [r.function(), r.name()]).collect();
    let (mut missing, mut stale, mut seen) = (vec![], vec![], BTreeSet::new());
    for file in &files {
        let text = fs::read_to_string(file).expect("a file of the library");
        for (function, unrecorded) in functions(&text) {
            seen.insert(function.to_string());
            match (known.contains(function), unrecorded) {
                (false, false) => missing.push(format!("{}: {function}", file.display())),
                (true, true) => stale.push(format!("{}: {function}", file.display())),
                _ => {}
            }
        }
    }
    assert!(seen.len() > 200, "only {} public functions were found", seen.len());
    assert!(missing.is_empty(), "write #[routine], or #[unrecorded] with the reason, above:\n{}", missing.join("\n"));
    assert!(stale.is_empty(), "#[unrecorded] is above functions with records:\n{}", stale.join("\n"));
}

#[test]
fn every_function_of_the_table_has_cases() {
    let matrix = Matrix::built_in().expect("matrix.yaml is read");
    use OpKind::{Getitem, Operator, Setitem, Sparse, Spatial, Text};
    let called = |kind| !matches!(kind, Operator | Getitem | Setitem | Text | Sparse | Spatial);
    // Rejected cases and cases without elements do not count as coverage.
    let drawn = sample::case_sets(&matrix, false, matrix.seed);
    let looked_at = matrix.ops.iter().zip(drawn.iter()).filter(|(_, drawn)| !drawn.filled.is_empty()).map(|(op, _)| op);
    let ops = looked_at.filter(|op| called(op.kind));
    let covered: BTreeSet<String> = ops.map(|op| path(op).expect("an operation is in the table")).collect();
    let is_covered = |record: &Record| {
        let own = |name: &str| covered.contains(&format!("{}.{name}", record.namespace()));
        // A method is the same for all functions; functions with special methods have cases of their own.
        let function = record.name().rsplit_once('.').map_or(record.name(), |(function, _)| function);
        own(record.name())
            || record.alias_of().is_some_and(|name| own(name) || own(name.rsplit_once('.').map_or(name, |n| n.0)))
            || (function != record.name() && own(function))
    };
    let paths = |records: &mut dyn Iterator<Item = &Record>| records.map(Record::path).collect::<Vec<_>>();
    let bare = paths(&mut records().iter().filter(|r| !is_covered(r)));
    let excused = paths(&mut records().iter().filter(|r| r.no_cases().is_some()));
    assert_eq!(bare, excused, "functions without cases, and those with `no_cases`");
}

#[test]
fn no_path_stands_twice() {
    let mut paths = BTreeMap::new();
    for record in records() {
        *paths.entry(record.path()).or_insert(0) += 1;
    }
    let twice: Vec<_> = paths.into_iter().filter(|(_, count)| *count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn signatures_are_those_of_numpy() {
    let signatures = [
        "numpy.take(a, indices, axis=None, out=None, mode='raise')",
        "numpy.sort(a, axis=-1, kind='quicksort')",
        "numpy.cumsum(a, axis=None, dtype=None, out=None)",
        "numpy.sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
        "numpy.add(x1, x2, out=None, where=None, casting='same_kind', order='K', dtype=None)",
        "numpy.add.reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None)",
        "numpy.quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, weights=None)",
        "numpy.cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None)",
        "numpy.isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False)",
        "numpy.linalg.norm(x, ord=None, axis=None, keepdims=False)",
        "numpy.unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True)",
        "numpy.zeros(shape, dtype=float64, order='C')",
        "scipy.special.erf(x, out=None, where=None, casting='same_kind', order='K', dtype=None)",
    ];
    for signature in signatures {
        let path = signature.split('(').next().unwrap_or_default();
        assert_eq!(find(path).expect("a function of NumPy's or SciPy's").signature(), signature);
    }
}

#[test]
fn what_a_parameter_takes_is_said() {
    let take = find("numpy.take").expect("NumPy's take");
    let kinds: Vec<ParameterKind> = take.parameters().iter().map(|p| p.kind).collect();
    let modes = ParameterKind::Choice(&["raise", "wrap", "clip"]);
    assert_eq!(kinds, [ParameterKind::Array, ParameterKind::Array, ParameterKind::Axis, ParameterKind::Array, modes]);
    assert_eq!(
        take.doc(),
        "Gathers the elements of `a` at indices along an axis, which is replaced by the axes of the indices."
    );
    for record in records() {
        assert!(record.doc().ends_with('.') && record.doc().len() > 8, "{record:?} says {:?}", record.doc());
        let first_default = record.parameters().iter().position(|p| p.default.is_some());
        let behind = &record.parameters()[first_default.unwrap_or(record.parameters().len())..];
        // The separator is keyword-only; NumPy also lists it after parameters with defaults.
        let by_name = |name: &str| record.signature().starts_with("numpy.fromstring(") && name == "sep";
        assert!(
            behind.iter().all(|p| p.default.is_some() || by_name(p.name)),
            "{record:?} has a default before what must be given"
        );
    }
}

#[test]
fn wrong_calls_are_rejected_by_name() -> cuprum::Result<()> {
    let take = find("numpy.take")?;
    let (a, i) = (Array::from_slice(&[1, 2, 3], 3)?, Array::from_slice(&[0, 9], 2)?);
    let rejection =
        |arguments: Arguments| take.call(&arguments).map_err(|e| (e.kind(), e.message().to_string())).unwrap_err();
    let both = || Arguments::new([Value::from(&a), Value::from(&i)]);
    let expected = [
        (both().with("axes", 0), ErrorKind::Type, "there is no parameter `axes`; they are a, indices, axis, out, mode"),
        (both().with("a", &a), ErrorKind::Type, "the parameter `a` is given twice"),
        (Arguments::new([Value::from(&a)]), ErrorKind::Type, "the parameter `indices` is missing"),
        (both().with("axis", 0.5), ErrorKind::Type, "the parameter `axis`: an integer is expected, not 0.5"),
        (
            both().with("mode", "round"),
            ErrorKind::Value,
            "there is no index mode called \"round\"; there are raise, wrap, clip",
        ),
    ];
    for (arguments, kind, message) in expected {
        let (got, text) = rejection(arguments);
        assert_eq!(got, kind, "{text}");
        assert!(text.starts_with("take: ") && text.contains(message), "{text}");
    }
    assert_eq!(find("numpy.no_such").map_err(|e| e.kind()).unwrap_err(), ErrorKind::NotImplemented);
    Ok(())
}

/// Functions of files and of text are called by name only if their argument is a path or a string.
#[test]
fn files_and_texts_are_called_by_name() -> cuprum::Result<()> {
    let folder = std::env::temp_dir().join(format!("cuprum-table-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for files");
    let path = |name: &str| folder.join(name).display().to_string();
    let call = |name: &str, arguments: Arguments| find(&format!("numpy.{name}"))?.call(&arguments);
    let a = Array::from_slice(&[1.5f64, -2.0, 3.0], 3)?;
    let to_file = |file: &str| Arguments::new([Value::from(&*path(file)), Value::from(&a)]);
    let read = |name: &str, file: &str| call(name, Arguments::new([Value::from(&*path(file))]));
    call("save", to_file("a.npy"))?;
    assert_eq!(read("load", "a.npy")?[0].array()?.to_vec::<f64>()?, [1.5, -2.0, 3.0]);
    call("savetxt", to_file("a.txt"))?;
    for reader in ["loadtxt", "genfromtxt"] {
        assert_eq!(read(reader, "a.txt")?[0].array()?.to_vec::<f64>()?, [1.5, -2.0, 3.0]);
    }
    call("ndarray.tofile", Arguments::new([Value::from(&a), Value::from(&*path("a.bin"))]))?;
    assert_eq!(read("fromfile", "a.bin")?[0].array()?.size(), 3);
    let list = Value::List(vec![Value::from(&a), Value::from(&a)]);
    let names = Value::List(vec![Value::from("last")]);
    call("savez", Arguments::new([Value::from(&*path("a.npz")), list]).with("kwds", names))?;
    let archive = format!("{:?}", read("load", "a.npz")?);
    assert!(archive.starts_with(r#"[Texts(["arr_0", "last"])"#), "{archive}");
    let text = |name: &str, arguments: Arguments| Ok::<_, cuprum::Error>(format!("{:?}", call(name, arguments)?));
    assert_eq!(text("binary_repr", Arguments::new([Value::from(-3)]).with("width", 5))?, r#"[Text("11101")]"#);
    assert_eq!(text("base_repr", Arguments::new([Value::from(255)]).with("base", 16))?, r#"[Text("FF")]"#);
    assert_eq!(text("format_float_positional", Arguments::new([Value::from(0.5)]))?, r#"[Text("0.5")]"#);
    assert_eq!(text("format_float_scientific", Arguments::new([Value::from(0.5)]))?, r#"[Text("5.e-01")]"#);
    assert_eq!(text("typename", Arguments::new([Value::from("f")]))?, r#"[Text("single precision")]"#);
    let parts = call("fromstring", Arguments::new([Value::from("1 2")]).with("sep", " "))?;
    assert_eq!(parts[0].array()?.to_vec::<f64>()?, [1.0, 2.0]);
    fs::remove_dir_all(&folder).expect("the folder is there");
    Ok(())
}
