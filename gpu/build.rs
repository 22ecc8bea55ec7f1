//! Writes the reference of every operation, out of its record, as macros that document the function of its name:
//! `sentence!(add)` is the sentence, `details!(add)` the dtypes, special values and an example.

use std::fmt::Write;
use std::path::Path;

use cuprum_kernels::DType;
use cuprum_kernels::registry::{Operands, Reduction, ReductionId, Ufunc, UfuncId};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (mut sentences, mut details) = (String::new(), String::new());
    let arm = |arms: &mut String, name: &str, text: &str| {
        let _ = writeln!(arms, "    ({name:?}) => {{ {text:?} }};");
        // With its module a name is no identifier.
        if !name.contains('.') {
            let _ = writeln!(arms, "    ({name}) => {{ {text:?} }};");
        }
    };
    let mut write = |namespace: &str, name: &str, aliases: &[&str], doc: &str, text: &str| {
        arm(&mut sentences, name, doc);
        arm(&mut details, name, text);
        let module = if namespace == "scipy.special" { "crate::scipy::special" } else { "crate" };
        let other = format!("See [`{name}`]({module}::{name}()) for dtypes, options and an example.");
        for alias in aliases {
            arm(&mut sentences, alias, &format!("{doc} `{name}` by another name."));
            arm(&mut details, alias, &other);
        }
    };
    for id in UfuncId::all() {
        let record = id.record();
        write(record.namespace, record.name, record.aliases, record.doc, &ufunc(id, record));
    }
    for id in ReductionId::all() {
        let record = id.record();
        write("numpy", record.name, record.aliases, record.doc, &reduction(id, record));
    }
    let folder = std::env::var("OUT_DIR").expect("Cargo says where to write");
    let macros = format!("macro_rules! sentence {{\n{sentences}}}\nmacro_rules! details {{\n{details}}}\n");
    std::fs::write(Path::new(&folder).join("sentences.rs"), macros).expect("Cargo's folder can be written to");
}

/// Joins the names of dtypes, with the name of a kind in place of all of its dtypes.
fn grouped(dtypes: &[&str]) -> String {
    if dtypes.len() == DType::ALL.len() {
        return "all".into();
    }
    let kinds = ["integers", "floats", "complex numbers"];
    let mut rest = dtypes.to_vec();
    let mut names = Vec::new();
    for kind in kinds {
        let is_of = |d: &DType| match kind {
            "integers" => d.is_integer(),
            "floats" => d.is_float(),
            _ => d.is_complex(),
        };
        let all: Vec<&str> = DType::ALL.into_iter().filter(is_of).map(DType::name).collect();
        if all.iter().all(|name| rest.contains(name)) {
            rest.retain(|name| !all.contains(name));
            names.push(kind);
        }
    }
    rest.into_iter().chain(names).collect::<Vec<_>>().join(", ")
}

/// Returns rows of a table: dtypes with the same results are in one row.
fn table(rows: impl Iterator<Item = (DType, String)>) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (dtype, outcome) in rows {
        match groups.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, dtypes)) => dtypes.push(dtype.name()),
            None => groups.push((outcome, vec![dtype.name()])),
        }
    }
    let mut text = String::new();
    for (outcome, dtypes) in groups {
        let dtypes = grouped(&dtypes);
        let _ = writeln!(text, "| {dtypes} | {outcome} |");
    }
    text
}

fn ufunc(id: UfuncId, record: &Ufunc) -> String {
    let mut text = String::new();
    if !record.notes.is_empty() {
        let _ = writeln!(text, "{}\n", record.notes);
    }
    let several = record.nin > 1;
    let shape = if several {
        "the shape to which the operands are broadcast, their memory order,"
    } else {
        "the operand's shape and memory order,"
    };
    let each = if record.nout > 1 { "Each result has" } else { "The result has" };
    let _ = writeln!(text, "{each} {shape} and the dtype of the loop that runs:\n");
    if record.operands == Operands::Unlike {
        let _ = writeln!(text, "| operands | result |\n|---|---|");
        for l in id.loops() {
            let ins: Vec<&str> = l.ins[..record.nin].iter().map(|d| d.name()).collect();
            let _ = writeln!(text, "| {} | {} |", ins.join(", "), l.outs[0].name());
        }
    } else {
        text += &results(id, record);
    }
    if several {
        let rule = match record.operands {
            Operands::Alike => {
                "The first loop to which all operands can be cast safely runs. A Rust scalar takes the arrays' dtype, and must \
                 fit in it, unless it is of a higher kind (bool, integer, float, complex)."
            }
            Operands::Unlike => {
                "The operands have dtypes of their own; the first loop to which each can be cast safely runs. A Rust \
                 scalar takes the dtype that the loops have in its position."
            }
            Operands::Divided => {
                "The first loop to which all operands can be cast safely runs. A Rust scalar takes the arrays' dtype unless \
                 it is of a higher kind; an integer need not fit in it, since the quotient is computed in floats."
            }
            Operands::Compared { .. } => {
                "Operands of different dtypes are compared in the dtype to which both can be cast safely; int64 and uint64 \
                 by their values. A Rust integer need not fit in the array's dtype: it is compared by its value."
            }
            Operands::Truths => "Operands may be of any dtypes: it only matters which elements are zero.",
            Operands::Chosen => "The condition may be of any dtype; the other operands are promoted.",
        };
        let _ = writeln!(text, "\n{rule}");
    }
    let folds = record.identity.is_some() || record.folds.reduction.is_some() || record.folds.reorderable;
    if record.nin == 2 && record.nout == 1 && folds {
        let fold = match (record.identity, record.folds.reduction) {
            (_, Some(reduction)) => format!("`reduce` is [`{reduction}`](crate::{reduction}())"),
            (Some(_), None) => "`reduce` has an identity, so that axes may be empty".to_string(),
            (None, None) => {
                "`reduce` has no identity: an empty axis is an error unless there is an initial value".to_string()
            }
        };
        let name = record.name;
        let _ = writeln!(
            text,
            "\n`ufunc({name:?})` has the methods `reduce`, `accumulate`, `reduceat`, `outer` and `at`: {fold}."
        );
    }
    let name = record.name;
    let call = if record.nout > 1 { "call_pair" } else { "call" };
    let _ = writeln!(
        text,
        "\n`out`, `where_`, `dtype` and `casting` are options of [`Ufunc::{call}`](crate::Ufunc::{call}) of `ufunc({name:?})`."
    );
    text += &example(record);
    text
}

/// Returns the table of the results' dtypes, for operands of one dtype.
fn results(id: UfuncId, record: &Ufunc) -> String {
    let found = |d: DType| {
        let exact = id.loops().iter().find(|l| l.ins[..record.nin].iter().all(|&i| i == d));
        let safe = || id.loops().iter().find(|l| l.ins[..record.nin].iter().all(|&i| d.casts_safely(i)));
        exact.or_else(safe).filter(|_| !record.rejects_bool || d != DType::Bool)
    };
    let mut firsts = DType::ALL.into_iter().filter_map(|d| found(d).map(|l| l.outs[0]));
    let first = firsts.next();
    // If all results are of one dtype, it has its name in each row.
    let fixed = firsts.all(|d| Some(d) == first);
    let row = |d: DType| {
        let Some(l) = found(d) else { return "[`ErrorKind::Type`](crate::ErrorKind::Type)".into() };
        let named = |(k, out): (usize, &DType)| {
            let same = *out == d && !fixed && (k == 0 || l.outs[0] == d);
            if same { "the same".into() } else { out.name().to_string() }
        };
        let outs: Vec<String> = l.outs[..record.nout].iter().enumerate().map(named).collect();
        if outs.iter().all(|o| *o == outs[0]) { outs[0].clone() } else { outs.join(" and ") }
    };
    let head = if record.nin > 1 { "operands, all of" } else { "operand" };
    format!("| {head} | result |\n|---|---|\n{}", table(DType::ALL.into_iter().map(|d| (d, row(d)))))
}

fn example(record: &Ufunc) -> String {
    if record.example.is_empty() {
        return String::new();
    }
    let name = record.name.rsplit('.').next().unwrap_or_default();
    let mut code = String::new();
    let complex = if record.example.contains("Complex") { "use cuprum::num_complex::Complex;\n" } else { "" };
    let imports = match record.namespace {
        "scipy.special" => format!("use cuprum::array;\n{complex}use cuprum::scipy::special::{name};\n"),
        _ => format!("{complex}use cuprum::{{array, {name}}};\n"),
    };
    match record.example.split_once(" => ") {
        Some((call, result)) => {
            let (element, values) = result.split_once(' ').expect("an element type and values");
            let _ = writeln!(code, "assert_eq!({call}.to_vec::<{element}>()?, {values});");
        }
        None => code += &(record.example.replace("; ", ";\n") + "\n"),
    }
    format!("\n```\n{imports}{code}# Ok::<(), cuprum::Error>(())\n```\n")
}

fn reduction(id: ReductionId, record: &Reduction) -> String {
    let mut text = String::new();
    if !record.notes.is_empty() {
        let _ = writeln!(text, "{}\n", record.notes);
    }
    let _ = writeln!(
        text,
        "The result has the shape of `a` without the reduced axes, or with axes of size 1 by `keepdims`; over all axes, \
         it is an array without axes, where NumPy returns a scalar. Its dtype:\n"
    );
    let _ = writeln!(text, "| `a` | result |\n|---|---|");
    let mut outs = DType::ALL.into_iter().filter_map(|d| id.resolve(d, None, false).map(|l| l.out));
    let first = outs.next();
    let fixed = outs.all(|d| Some(d) == first);
    let row = |d: DType| match id.resolve(d, None, false) {
        Some(l) if l.out == d && !fixed => "the same".to_string(),
        Some(l) => l.out.name().to_string(),
        None => "[`ErrorKind::Type`](crate::ErrorKind::Type)".to_string(),
    };
    text += &table(DType::ALL.into_iter().map(|d| (d, row(d))));
    let mut options = vec!["`axis`, one or several", "`keepdims`", "`out`"];
    if id.is_position() {
        options[0] = "one `axis`, or all by default";
    }
    if id.takes_dtype() {
        options.push("`dtype`, in which the elements are gathered");
    }
    if !id.is_position() {
        options.push("`where_`");
    }
    if id.takes_initial() {
        options.push("`initial`");
    }
    if id.is_variance() {
        options.push("`ddof` (by default 0)");
        options.push("`mean`");
    }
    let _ = writeln!(text, "\nOptions of [`Reduce`](crate::Reduce): {}.", options.join(", "));
    let empty = match (record.identity, id.is_mean()) {
        (_, true) => "Of no elements it is NaN.",
        (Some("0"), _) => "Of no elements it is 0.",
        (Some("1"), _) => "Of no elements it is 1.",
        (Some("true"), _) => "Of no elements it is true.",
        (Some(_), _) => "Of no elements it is false.",
        (None, _) if id.takes_initial() => {
            "Of no elements, and with a mask, it is an error of [`ErrorKind::Value`](crate::ErrorKind::Value) unless there \
             is an initial value."
        }
        (None, _) => "Of no elements it is an error of [`ErrorKind::Value`](crate::ErrorKind::Value).",
    };
    let _ = writeln!(
        text,
        "{empty} The order of combination depends on shape and strides alone: the bits are reproducible."
    );
    if !record.example.is_empty() {
        let (call, result) = record.example.split_once(" => ").expect("a call and its result");
        let (element, values) = result.split_once(' ').expect("an element type and values");
        let name = record.name;
        let _ = writeln!(
            text,
            "\n```\nuse cuprum::{{array, {name}}};\nassert_eq!({call}.to_vec::<{element}>()?, {values});\n\
             # Ok::<(), cuprum::Error>(())\n```"
        );
    }
    text
}
