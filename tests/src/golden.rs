//! Reader of golden data: calls and their outcomes as computed by NumPy (see `ci/golden.py` for the format).
//!
//! A case consists of a function, its operands and parameters, and NumPy's outcome. Every implementation that follows
//! NumPy is run on the cases and compared.

use std::path::Path;
use std::sync::Arc;

use cuprum_kernels::DType;
use cuprum_oracle::Value;
use num_complex::Complex64;
use serde_json::Value as Json;

/// The cases of a file.
#[derive(Clone, Debug)]
pub struct Golden {
    /// The version of NumPy that computed them.
    pub numpy: String,
    /// The calls.
    pub cases: Vec<Case>,
}

/// A call and its outcome.
#[derive(Clone, Debug)]
pub struct Case {
    /// The position: version, file, number.
    pub id: String,
    /// `kind` or `kind:name`: `ufunc:add`, `reduce:sum`, `reshape`, …
    pub function: String,
    /// Arrays and scalars.
    pub operands: Vec<Operand>,
    /// Named parameters, with NumPy's names.
    pub parameters: Json,
    /// The outcome.
    pub outcome: Outcome,
}

/// An operand of a call.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An array.
    Array(Arc<Array>),
    /// A Python scalar.
    Scalar(Value),
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// One or several results.
    Arrays(Vec<Arc<Array>>),
    /// The class of the exception.
    Error(String),
    /// A table of single characters, with rows separated by spaces.
    Table(String),
    /// The text of an array.
    Text(String),
}

/// An array in NumPy's memory layout.
#[derive(Clone, Debug)]
pub struct Array {
    /// The element type.
    pub dtype: DType,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The stride of each axis in bytes.
    pub strides: Vec<isize>,
    /// The byte offset of element 0.
    pub offset: usize,
    /// All bytes that the elements span.
    pub bytes: Vec<u8>,
}

/// The versions of NumPy with golden data; each is a folder under `tests/golden`.
pub const VERSIONS: [&str; 2] = ["numpy-2.4", "numpy-1.22"];

/// Reads every file of a version, in the order of their names.
///
/// # Errors
///
/// Returns the file and the problem of a malformed file.
pub fn read_version(version: &str) -> Result<Vec<Golden>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(version);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    paths.iter().map(|p| read(p, version).map_err(|e| format!("{}: {e}", p.display()))).collect()
}

/// NumPy's dtypes, in the order of the tables.
pub const CHARS: &str = "?bBhHiIlLefdFD";

/// Element-wise functions of NumPy that are not implemented.
pub const ABSENT: &[&str] = &["isnat"];

/// Returns true if a table is of a function that is not implemented: `NAME:RESULT`.
pub fn is_absent(table: &str) -> bool {
    table.split_once(':').is_some_and(|(name, _)| ABSENT.contains(&name))
}

/// Compares a table, with rows separated by spaces, with the results of `cell` for a row and a column; returns the
/// number of cells.
///
/// # Errors
///
/// Returns the first cell that differs.
pub fn check_table(table: &str, cell: impl Fn(usize, usize) -> Result<char, String>) -> Result<usize, String> {
    let mut count = 0;
    for (i, row) in table.split(' ').enumerate() {
        for (j, want) in row.chars().enumerate() {
            match cell(i, j)? {
                got if got == want => count += 1,
                got => return Err(format!("row {i} column {j}: NumPy {want}, not {got}")),
            }
        }
    }
    Ok(count)
}

/// Returns the position of a weak scalar after the dtypes of a table: `bool`, `int`, `float` or `complex`.
pub fn weak_of(kind: &str) -> usize {
    let kinds = ["bool", "int", "float", "complex"];
    CHARS.len() + kinds.iter().position(|k| *k == kind).unwrap_or(2)
}

/// Returns the function, the index of the result and the indices of the operands for a cell of a table of dtypes
/// `NAME:RESULT`.
pub fn dtypes_of<'a>(table: &str, name: &'a str, i: usize, j: usize) -> (&'a str, usize, Vec<usize>) {
    let (name, result) = name.split_once(':').unwrap_or((name, "0"));
    let operands = if table.contains(' ') { vec![i, j] } else { vec![j] };
    (name, result.parse().unwrap_or(0), operands)
}

fn read(path: &Path, version: &str) -> Result<Golden, String> {
    let file = std::fs::read(path).map_err(|e| e.to_string())?;
    let (mut index, mut data) = (None, None);
    for (name, content) in stored_entries(&file)? {
        match name.as_str() {
            "index.npy" => index = Some(npy_bytes(content)?),
            "data.npy" => data = Some(npy_bytes(content)?),
            other => return Err(format!("unexpected entry {other}")),
        }
    }
    let (index, data) = index.zip(data).ok_or("an entry is missing")?;
    let index: Json = serde_json::from_slice(index).map_err(|e| e.to_string())?;
    let arrays = list(&index["arrays"])?.iter().map(|a| array(a, data).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("?");
    let cases = list(&index["cases"])?
        .iter()
        .enumerate()
        .map(|(i, c)| case(c, &arrays, format!("{version}/{stem}/{i}")))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Golden { numpy: index["numpy"].as_str().ok_or("no version")?.into(), cases })
}

/// Returns the entries of a ZIP archive, all of which must be stored without compression.
fn stored_entries(file: &[u8]) -> Result<Vec<(String, &[u8])>, String> {
    let number = |at: usize, n: usize| -> Result<usize, String> {
        let bytes = file.get(at..at + n).ok_or("the archive is cut off")?;
        Ok(bytes.iter().rev().fold(0, |acc, b| acc << 8 | *b as usize))
    };
    let (mut out, mut at) = (Vec::new(), 0);
    while file[at..].starts_with(b"PK\x03\x04") {
        let (method, crc, size) = (number(at + 8, 2)?, number(at + 14, 4)?, number(at + 18, 4)?);
        let (name, extra) = (number(at + 26, 2)?, number(at + 28, 2)?);
        if method != 0 {
            return Err("an entry is compressed".into());
        }
        let start = at + 30 + name + extra;
        let content = file.get(start..start + size).ok_or("the archive is cut off")?;
        if crc32(content) as usize != crc {
            return Err("a checksum is wrong".into());
        }
        out.push((String::from_utf8_lossy(&file[at + 30..at + 30 + name]).into_owned(), content));
        at = start + size;
    }
    Ok(out)
}

/// Computes the CRC-32 of ZIP: the polynomial 0xEDB88320, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ *byte as u32, |c, _| if c & 1 == 1 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

/// Returns the elements of a `.npy` file of bytes, version 1.
fn npy_bytes(file: &[u8]) -> Result<&[u8], String> {
    if !file.starts_with(b"\x93NUMPY\x01") || file.len() < 10 {
        return Err("not a .npy file".into());
    }
    let start = 10 + u16::from_le_bytes([file[8], file[9]]) as usize;
    let header = String::from_utf8_lossy(file.get(10..start).ok_or("the header is cut off")?);
    if !header.contains("'|u1'") { Err("the elements are not bytes".into()) } else { Ok(&file[start..]) }
}

fn list(json: &Json) -> Result<&Vec<Json>, String> {
    json.as_array().ok_or_else(|| format!("{json} is not a list"))
}

/// Parses a list of integers.
///
/// # Errors
///
/// Returns an error for anything else.
pub fn integers(json: &Json) -> Result<Vec<isize>, String> {
    let one = |v: &Json| v.as_i64().map(|v| v as isize).ok_or_else(|| format!("{v} is not an integer"));
    list(json)?.iter().map(one).collect()
}

/// Parses a dtype from its character.
///
/// # Errors
///
/// Returns an error if there is no such dtype.
pub fn dtype(json: &Json) -> Result<DType, String> {
    let char = json.as_str().and_then(|s| s.chars().next());
    char.and_then(DType::from_char).ok_or_else(|| format!("{json} is not a dtype"))
}

fn array(json: &Json, data: &[u8]) -> Result<Array, String> {
    let parts = list(json)?;
    let dtype = dtype(&parts[0])?;
    let shape: Vec<usize> = integers(&parts[1])?.into_iter().map(|n| n as usize).collect();
    let at = |i: usize| parts[i].as_u64().map(|v| v as usize).ok_or("not a number");
    let start = at(2)?;
    let (length, strides, offset) = if parts.len() > 3 {
        (at(3)?, integers(&parts[4])?, at(5)?)
    } else {
        let mut step = dtype.size() as isize;
        let mut strides = vec![0; shape.len()];
        for (stride, n) in strides.iter_mut().zip(&shape).rev() {
            *stride = step;
            step *= *n as isize;
        }
        (shape.iter().product::<usize>() * dtype.size(), strides, 0)
    };
    let bytes = data.get(start..start + length).ok_or("an array is outside the data")?.to_vec();
    Ok(Array { dtype, shape, strides, offset, bytes })
}

fn case(json: &Json, arrays: &[Arc<Array>], id: String) -> Result<Case, String> {
    let parts = list(json)?;
    let pick = |v: &Json| {
        let i = v.as_u64().ok_or_else(|| format!("{id}: {v} is not an array"))?;
        arrays.get(i as usize).cloned().ok_or_else(|| format!("{id}: there is no array {i}"))
    };
    let function = parts[0].as_str().ok_or("no function")?.to_string();
    let operands = list(&parts[1])?
        .iter()
        .map(|o| if o.is_u64() { pick(o).map(Operand::Array) } else { scalar(o).map(Operand::Scalar) })
        .collect::<Result<Vec<_>, _>>()?;
    let outcome = match parts[3].as_str() {
        Some(text) if function.starts_with("text:") => Outcome::Text(text.into()),
        Some(text) if text.ends_with("Error") => Outcome::Error(text.into()),
        Some(text) => Outcome::Table(text.into()),
        None if parts[3].is_array() => Outcome::Arrays(list(&parts[3])?.iter().map(pick).collect::<Result<_, _>>()?),
        None => Outcome::Arrays(vec![pick(&parts[3])?]),
    };
    Ok(Case { id, function, operands, parameters: parts[2].clone(), outcome })
}

fn scalar(json: &Json) -> Result<Value, String> {
    let rejected = || format!("{json} is not a scalar");
    let float = |v: &Json| v.as_str().and_then(|s| s.parse::<f64>().ok()).ok_or_else(rejected);
    let (kind, value) = json.as_object().and_then(|o| o.iter().next()).ok_or_else(rejected)?;
    Ok(match kind.as_str() {
        "bool" => Value::Bool(value.as_bool().ok_or_else(rejected)?),
        "int" => Value::Int(value.as_str().and_then(|s| s.parse().ok()).ok_or_else(rejected)?),
        "float" => Value::Float(float(value)?),
        _ => Value::Complex(Complex64::new(float(&value[0])?, float(&value[1])?)),
    })
}
