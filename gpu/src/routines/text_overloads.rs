//! NumPy's signatures of functions of files and strings, for the call table alone: a path is a string.
#![allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "NumPy's keywords")]

use cuprum_kernels::DType;
use cuprum_macros::routine;
use half::{bf16, f16};

use crate::array::{self, Array, FormatFloat, FormatFloatOptions, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::routines::creation::{self, FromstringOptions};
use crate::routines::io::{self, Columns, FromfileOptions, GenfromtxtOptions, LoadOptions, LoadtxtOptions, MmapMode};
use crate::routines::io::{SavetxtOptions, TofileOptions};
use crate::routines::{bits, dtypes};
use crate::scalar::Scalar;

/// Converts a count, in which -1 means all.
fn count_of(count: i64) -> Option<usize> {
    usize::try_from(count).ok()
}

fn one_character(text: &str, what: &str) -> Result<char> {
    let mut all = text.chars();
    match (all.next(), all.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Error::new(ErrorKind::Value, format!("{what} is one character, not {text:?}"))),
    }
}

/// Saves an array to an npy file.
#[routine(
    no_cases = "writes a file: equal to NumPy's to the byte in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn save(file: String, arr: &Array) -> Result<()> {
    io::save(file, arr)
}

/// Returns whether a file begins with the signature of a zip archive.
#[cfg(feature = "npz")]
fn begins_as_archive(file: &str) -> Result<bool> {
    use std::io::Read;
    let unread = |e: std::io::Error| Error::new(ErrorKind::Io, format!("{file} cannot be read: {e}"));
    let mut front = vec![];
    std::fs::File::open(file).and_then(|f| f.take(4).read_to_end(&mut front)).map_err(unread)?;
    Ok(front.starts_with(b"PK\x03\x04") || front.starts_with(b"PK\x05\x06"))
}

/// One array, or the names and the arrays of an archive.
type Loaded = (Option<Array>, Option<(Vec<String>, Vec<Array>)>);

/// Loads the array of an npy file, or the names and the arrays of an npz file.
#[routine(
    no_cases = "reads a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn load(file: String, mmap_mode: Option<String>) -> Result<Loaded> {
    let mode = match mmap_mode.as_deref() {
        None => None,
        Some("r") => Some(MmapMode::Read),
        Some("r+") => Some(MmapMode::ReadWrite),
        Some("c") => Some(MmapMode::CopyOnWrite),
        Some(other) => {
            return Err(Error::new(ErrorKind::Value, format!("mmap_mode is {other:?}: there are r, r+ and c")));
        }
    };
    let options = LoadOptions::new().mmap_mode(mode);
    #[cfg(feature = "npz")]
    if begins_as_archive(&file)? {
        let archive = io::load_npz(file, options)?;
        let arrays = archive.names().iter().map(|name| archive.get(name)).collect::<Result<Vec<_>>>()?;
        return Ok((None, Some((archive.names().to_vec(), arrays))));
    }
    Ok((Some(io::load(file, options)?), None))
}

/// Pairs arrays with names; the first ones without a name are `arr_0` and so on.
#[cfg(feature = "npz")]
fn named(arrays: &[&Array], names: &[String]) -> Result<Vec<(String, Array)>> {
    let Some(without) = arrays.len().checked_sub(names.len()) else {
        let (names, arrays) = (names.len(), arrays.len());
        return Err(Error::new(ErrorKind::Value, format!("{names} names are more than the {arrays} arrays")));
    };
    let own = (0..without).map(|position| format!("arr_{position}")).chain(names.iter().cloned());
    Ok(own.zip(arrays.iter().map(|a| (*a).clone())).collect())
}

/// Saves arrays to an npz file: unnamed ones first, then as many as there are names.
#[cfg(feature = "npz")]
#[routine(
    kwds = Vec::new(),
    no_cases = "writes a file, which `ci/io_numpy.py` reads",
    no_programs = "works on files or text"
)]
fn savez(file: String, args: &[&Array], kwds: Vec<String>) -> Result<()> {
    io::savez(file, named(args, &kwds)?)
}

/// Saves arrays to a compressed npz file; see `savez`.
#[cfg(feature = "npz")]
#[routine(
    kwds = Vec::new(),
    no_cases = "writes a file, which `ci/io_numpy.py` reads",
    no_programs = "works on files or text"
)]
fn savez_compressed(file: String, args: &[&Array], kwds: Vec<String>) -> Result<()> {
    io::savez_compressed(file, named(args, &kwds)?)
}

/// Saves an array of one or two axes as text, with a line for each row.
#[routine(
    names = "fname X fmt delimiter newline header footer comments",
    fmt = "%.18e".into(), delimiter = " ".into(), newline = "\n".into(), header = String::new(),
    footer = String::new(), comments = "# ".into(),
    no_cases = "writes a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn savetxt(
    fname: String,
    x: &Array,
    fmt: String,
    delimiter: String,
    newline: String,
    header: String,
    footer: String,
    comments: String,
) -> Result<()> {
    let options = SavetxtOptions::new().fmt(fmt).delimiter(delimiter).newline(newline);
    io::savetxt(fname, x, options.header(header).footer(footer).comments(comments))
}

/// Loads a table of numbers from a text file, with a row for each line.
#[routine(
    dtype = DType::F64, comments = Some("#".into()), skiprows = 0, unpack = false, ndmin = 0,
    no_cases = "reads a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn loadtxt(
    fname: String,
    dtype: DType,
    comments: Option<String>,
    delimiter: Option<String>,
    skiprows: usize,
    usecols: Option<Vec<isize>>,
    unpack: bool,
    ndmin: usize,
    max_rows: Option<usize>,
    quotechar: Option<String>,
) -> Result<Array> {
    let character = |text: &Option<String>, what| text.as_deref().map(|t| one_character(t, what)).transpose();
    let mut options = LoadtxtOptions::new().dtype(dtype).comments(comments).skiprows(skiprows).unpack(unpack);
    options = options.delimiter(character(&delimiter, "delimiter")?).quotechar(character(&quotechar, "quotechar")?);
    if let Some(columns) = usecols {
        options = options.usecols(columns);
    }
    io::loadtxt(fname, options.ndmin(ndmin).max_rows(max_rows))
}

/// Loads a table of numbers with missing values from a text file, with a row for each line.
#[routine(
    dtype = Some(DType::F64), comments = Some("#".into()), skip_header = 0, skip_footer = 0,
    missing_values = Vec::new(), autostrip = false, unpack = false, loose = true, invalid_raise = true, ndmin = 0,
    no_cases = "reads a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn genfromtxt(
    fname: String,
    dtype: Option<DType>,
    comments: Option<String>,
    delimiter: Option<String>,
    skip_header: usize,
    skip_footer: usize,
    missing_values: Vec<String>,
    filling_values: Option<Scalar>,
    usecols: Option<Vec<isize>>,
    autostrip: bool,
    unpack: bool,
    loose: bool,
    invalid_raise: bool,
    max_rows: Option<usize>,
    ndmin: usize,
) -> Result<Array> {
    let mut options = GenfromtxtOptions::new();
    options.dtype = dtype;
    options.comments = comments;
    options.delimiter = delimiter.map_or(Columns::Blanks, Columns::Delimiter);
    (options.skip_header, options.skip_footer) = (skip_header, skip_footer);
    (options.missing_values, options.filling_values, options.usecols) = (missing_values, filling_values, usecols);
    (options.autostrip, options.unpack, options.loose) = (autostrip, unpack, loose);
    (options.invalid_raise, options.max_rows, options.ndmin) = (invalid_raise, max_rows, ndmin);
    io::genfromtxt(fname, options)
}

/// Reads the elements of a binary file, or with a separator the numbers of a text file; a count of -1 means all.
#[routine(
    dtype = DType::F64, count = -1, sep = String::new(), offset = 0,
    no_cases = "reads a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn fromfile(file: String, dtype: DType, count: i64, sep: String, offset: usize) -> Result<Array> {
    let options = FromfileOptions::new().dtype(dtype).count(count_of(count)).sep(sep);
    io::fromfile(file, options.offset(offset as u64))
}

/// Writes the elements in C order to a file: as bytes, or with a separator as text.
#[routine(
    namespace = "numpy.ndarray", sep = String::new(), format = "%s".into(),
    no_cases = "writes a file: compared with NumPy's in `gpu/tests/io.json`",
    no_programs = "works on files or text"
)]
fn tofile(a: &Array, fid: String, sep: String, format: String) -> Result<()> {
    let options = TofileOptions::new().sep(sep);
    a.tofile(fid, if format == "%s" { options } else { options.format(format) })
}

/// Parses the numbers of a string between separators; a count of -1 means all.
#[routine(
    dtype = DType::F64, count = -1, needed = "sep", python(keyword_only = 1),
    no_cases = "reads text: compared in its own tests",
    no_programs = "works on files or text"
)]
fn fromstring(string: String, dtype: DType, count: i64, sep: String) -> Result<Array> {
    creation::fromstring(&string, &sep, FromstringOptions { dtype: Some(dtype), count: count_of(count) })
}

/// Returns the binary representation of an integer; with a width, negative ones as two's complement.
#[routine(no_cases = "returns text, which its own tests compare with NumPy's", no_programs = "works on files or text")]
fn binary_repr(num: i64, width: Option<usize>) -> Result<String> {
    bits::binary_repr(num, width)
}

/// Returns the digits of an integer in a base from 2 to 36.
#[routine(
    base = 2,
    padding = 0,
    no_cases = "returns text, which its own tests compare with NumPy's",
    no_programs = "works on files or text"
)]
fn base_repr(number: i64, base: isize, padding: isize) -> Result<String> {
    bits::base_repr(number, base, padding)
}

/// Returns the name of a dtype by its character.
#[routine(names = "char", no_cases = "returns text", no_programs = "works on files or text")]
fn typename(char: String) -> Result<String> {
    dtypes::typename(one_character(&char, "char")?).map(Into::into)
}

/// Returns the character of the smallest dtype to which those of these characters can be cast.
#[routine(
    typeset = "GDFgdf".into(), default = "d".into(),
    no_cases = "takes type characters",
    no_programs = "works on files or text"
)]
fn mintypecode(typechars: String, typeset: String, default: String) -> Result<String> {
    Ok(dtypes::mintypecode(&typechars, &*typeset, one_character(&default, "default")?).into())
}

/// Returns a number and its dtype, which is float64 for a host scalar.
fn number(x: &Operand<'_>) -> Result<Number> {
    let (x, dtype) = match x {
        Operand::Scalar(s) => s.real().value_and_dtype(),
        Operand::Array(a) => match a.dtype() {
            DType::F16 => a.item::<f16>()?.value_and_dtype(),
            DType::BF16 => a.item::<bf16>()?.value_and_dtype(),
            DType::F32 => a.item::<f32>()?.value_and_dtype(),
            _ => a.astype(DType::F64)?.item::<f64>()?.value_and_dtype(),
        },
    };
    Ok(Number(x, dtype))
}

/// A number of a dtype that is known at run time.
#[derive(Clone, Copy)]
struct Number(f64, DType);

impl FormatFloat for Number {
    fn value_and_dtype(self) -> (f64, DType) {
        (self.0, self.1)
    }
}

fn trimming(trim: &str) -> Result<array::Trim> {
    trim.parse()
}

/// Formats a float in positional notation.
#[routine(
    unique = true, fractional = true, trim = "k".into(), sign = false,
    no_cases = "returns text, compared with NumPy's in `gpu/tests/data/format.json`",
    no_programs = "works on files or text"
)]
fn format_float_positional(
    x: Operand<'_>,
    precision: Option<usize>,
    unique: bool,
    fractional: bool,
    trim: String,
    sign: bool,
    pad_left: Option<usize>,
    pad_right: Option<usize>,
    min_digits: Option<usize>,
) -> Result<String> {
    let exp_digits = None;
    let trim = Some(trimming(&trim)?);
    let options =
        FormatFloatOptions { precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits, exp_digits };
    array::format_float_positional(number(&x)?, options)
}

/// Formats a float in scientific notation.
#[routine(
    unique = true, trim = "k".into(), sign = false,
    no_cases = "returns text, compared with NumPy's in `gpu/tests/data/format.json`",
    no_programs = "works on files or text"
)]
fn format_float_scientific(
    x: Operand<'_>,
    precision: Option<usize>,
    unique: bool,
    trim: String,
    sign: bool,
    pad_left: Option<usize>,
    exp_digits: Option<usize>,
    min_digits: Option<usize>,
) -> Result<String> {
    let (fractional, pad_right) = (true, None);
    let trim = Some(trimming(&trim)?);
    let options =
        FormatFloatOptions { precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits, exp_digits };
    array::format_float_scientific(number(&x)?, options)
}
