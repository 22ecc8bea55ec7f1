//! Reading of tables of numbers: `loadtxt`.
//!
//! The text is parsed on the host in one pass, and the numbers are copied to the device once.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::ops::Range;
use std::path::Path;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::fields::{Converter, Lines, buffered, column, comment_at, open};
use super::numbers::number;
use crate::array::{Array, IntoArgument, IntoOptional};
use crate::error::{Error, ErrorKind, Result};

/// Options of [`loadtxt`], with NumPy's names and defaults.
///
/// By default all lines but comments are read as float64 numbers between whitespace.
///
/// ```
/// use cuprum::LoadtxtOptions;
/// let options = LoadtxtOptions::new().delimiter(',').usecols([0, 2]).max_rows(10);
/// assert_eq!((options.delimiter, options.max_rows), (Some(','), Some(10)));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadtxtOptions {
    /// The dtype of the array. By default [`DType::F64`].
    pub dtype: DType,
    /// The marks of comments, which extend to the end of the line; by default `#`.
    pub comments: Vec<String>,
    /// The delimiter of fields; `None` for any amount of whitespace.
    pub delimiter: Option<char>,
    /// Converters of the fields of a column, by column index.
    pub converters: BTreeMap<isize, Converter>,
    /// The converter of the fields of all columns.
    pub converter: Option<Converter>,
    /// The number of lines that are skipped, including comments. By default 0.
    pub skiprows: usize,
    /// The columns that are read, in this order; by default all.
    pub usecols: Option<Vec<isize>>,
    /// If true, the array is transposed. By default `false`.
    pub unpack: bool,
    /// The minimum number of axes: 0, 1 or 2. Axes of length 1 are dropped, down to this number. By default 0.
    pub ndmin: usize,
    /// The maximum number of rows; lines without data do not count.
    pub max_rows: Option<usize>,
    /// The quotation mark around a field that contains delimiters, comment marks or line endings.
    pub quotechar: Option<char>,
}

impl Default for LoadtxtOptions {
    fn default() -> Self {
        LoadtxtOptions {
            dtype: DType::F64,
            comments: vec!["#".into()],
            delimiter: None,
            converters: BTreeMap::new(),
            converter: None,
            skiprows: 0,
            usecols: None,
            unpack: false,
            ndmin: 0,
            max_rows: None,
            quotechar: None,
        }
    }
}

impl LoadtxtOptions {
    /// Creates the defaults.
    ///
    /// ```
    /// use cuprum::{DType, LoadtxtOptions};
    /// let options = LoadtxtOptions::new().dtype(DType::I32).delimiter(',').skiprows(1);
    /// assert_eq!((options.dtype, options.delimiter, options.skiprows), (DType::I32, Some(','), 1));
    /// ```
    pub fn new() -> LoadtxtOptions {
        LoadtxtOptions::default()
    }

    /// Sets the dtype of the array.
    ///
    /// ```
    /// use cuprum::{DType, LoadtxtOptions, loadtxt_from};
    /// let a = loadtxt_from("1 2\n".as_bytes(), LoadtxtOptions::new().dtype(DType::I8))?;
    /// assert_eq!(a.to_vec::<i8>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(self, dtype: DType) -> Self {
        Self { dtype, ..self }
    }

    /// Sets the marks of comments; an empty list for no comments.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// let options = LoadtxtOptions::new().comments(["%", "//"]);
    /// assert_eq!(loadtxt_from("1 % one\n2 // two\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn comments<S: Into<String>>(self, comments: impl IntoIterator<Item = S>) -> Self {
        Self { comments: comments.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the delimiter of fields; `None` for any amount of whitespace.
    ///
    /// See [`loadtxt`] for an example. Whitespace around fields is not part of them.
    pub fn delimiter(self, delimiter: impl IntoOptional<char>) -> Self {
        Self { delimiter: delimiter.into_optional(), ..self }
    }

    /// Sets the converter of the fields of one column.
    ///
    /// The column is counted from 0; NumPy's dictionary `converters`.
    ///
    /// ```
    /// use cuprum::{Converter, LoadtxtOptions, loadtxt_from};
    /// let hex = Converter::new(|field| Ok(i64::from_str_radix(field, 16).unwrap_or(-1)));
    /// let options = LoadtxtOptions::new().converters(1, hex);
    /// assert_eq!(loadtxt_from("1 ff\n2 10\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 255.0, 2.0, 16.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn converters(mut self, column: isize, converter: Converter) -> Self {
        self.converters.insert(column, converter);
        self
    }

    /// Sets the converter of the fields of all columns.
    ///
    /// NumPy's `converters` with a function in place of a dictionary.
    ///
    /// ```
    /// use cuprum::{Converter, LoadtxtOptions, loadtxt_from};
    /// let comma = Converter::new(|field| Ok(field.replace(',', ".").parse::<f64>().unwrap_or(f64::NAN)));
    /// let options = LoadtxtOptions::new().converter(comma);
    /// assert_eq!(loadtxt_from("1,5 2,25\n".as_bytes(), options)?.to_vec::<f64>()?, [1.5, 2.25]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn converter(self, converter: Converter) -> Self {
        Self { converter: Some(converter), ..self }
    }

    /// Sets the number of lines that are skipped.
    ///
    /// Comments and empty lines among them count.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// let options = LoadtxtOptions::new().skiprows(1);
    /// assert_eq!(loadtxt_from("x y\n1 2\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn skiprows(self, skiprows: usize) -> Self {
        Self { skiprows, ..self }
    }

    /// Sets the columns that are read.
    ///
    /// The array has the columns in this order; negative ones count from the end.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// let options = LoadtxtOptions::new().usecols([-1, 0]);
    /// assert_eq!(loadtxt_from("1 2 3\n".as_bytes(), options)?.to_vec::<f64>()?, [3.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn usecols(self, columns: impl IntoIterator<Item = isize>) -> Self {
        Self { usecols: Some(columns.into_iter().collect()), ..self }
    }

    /// Sets whether the array is transposed.
    ///
    /// NumPy's `unpack`; the result is one array, whose rows are the columns of the file.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// let columns = loadtxt_from("1 2\n3 4\n".as_bytes(), LoadtxtOptions::new().unpack(true))?;
    /// assert_eq!(columns.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn unpack(self, unpack: bool) -> Self {
        Self { unpack, ..self }
    }

    /// Sets the minimum number of axes.
    ///
    /// Axes of length 1 are removed unless fewer than this would be left; NumPy's `ndmin`, from 0 to 2.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// assert_eq!(loadtxt_from("1 2\n".as_bytes(), ())?.shape(), [2]);
    /// assert_eq!(loadtxt_from("1 2\n".as_bytes(), LoadtxtOptions::new().ndmin(2))?.shape(), [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn ndmin(self, ndmin: usize) -> Self {
        Self { ndmin, ..self }
    }

    /// Sets the maximum number of rows.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// assert_eq!(loadtxt_from("1\n2\n3\n".as_bytes(), LoadtxtOptions::new().max_rows(2))?.shape(), [2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn max_rows(self, rows: impl IntoOptional<usize>) -> Self {
        Self { max_rows: rows.into_optional(), ..self }
    }

    /// Sets the quotation mark.
    ///
    /// A delimiter or a comment mark between two of them is part of the field.
    ///
    /// ```
    /// use cuprum::{LoadtxtOptions, loadtxt_from};
    /// let options = LoadtxtOptions::new().delimiter(',').quotechar('"');
    /// assert_eq!(loadtxt_from("\"1\",\"2\"\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn quotechar(self, quote: impl IntoOptional<char>) -> Self {
        Self { quotechar: quote.into_optional(), ..self }
    }

    fn check(&self) -> Result<()> {
        check_ndmin(self.ndmin)?;
        let rejected = |what: String| Err(Error::new(ErrorKind::Value, what));
        if self.comments.iter().any(String::is_empty) {
            return rejected("a comment begins with something: to have none, give an empty list".into());
        }
        if self.quotechar.is_some() && (self.comments.len() > 1 || self.comments.iter().any(|c| c.chars().count() > 1))
        {
            return rejected("quotes go with one comment of one character: set quotechar to None".into());
        }
        let controls = [("delimiter", self.delimiter), ("quotechar", self.quotechar)];
        for (what, c) in controls {
            if let Some(c @ ('\n' | '\r')) = c {
                return rejected(format!("{what} is {c:?}, which ends lines"));
            }
            if let Some(c) = c.filter(|c| self.comments.iter().any(|comment| comment == c.encode_utf8(&mut [0; 4]))) {
                return rejected(format!("{what} is {c:?}, which begins comments"));
            }
        }
        if self.delimiter.is_some() && self.delimiter == self.quotechar {
            return rejected("delimiter and quotechar are one character".into());
        }
        Ok(())
    }
}

impl From<()> for LoadtxtOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Sets the dtype, with defaults for the other options.
impl From<DType> for LoadtxtOptions {
    fn from(dtype: DType) -> Self {
        Self::new().dtype(dtype)
    }
}

/// Loads a table of numbers from a text file; NumPy's `loadtxt`. A file whose name ends with `.gz` is decompressed.
///
/// ```
/// use cuprum::{LoadtxtOptions, loadtxt};
/// let path = std::env::temp_dir().join("cuprum-doc-loadtxt.csv");
/// std::fs::write(&path, "# x, y\n1, 2\n3, 4\n").unwrap();
/// let a = loadtxt(&path, LoadtxtOptions::new().delimiter(','))?;
/// assert_eq!((a.shape(), a.to_vec::<f64>()?), (&[2, 2][..], vec![1.0, 2.0, 3.0, 4.0]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Value`] where a field is not a number of the dtype or
/// a row has another number of fields: the message gives the file, the line and the column.
pub fn loadtxt(fname: impl AsRef<Path>, options: impl IntoArgument<LoadtxtOptions>) -> Result<Array> {
    let go = |path: &Path, options: &LoadtxtOptions| read(path.display().to_string(), open(path)?, options);
    go(fname.as_ref(), &options.into()).map_err(|e| e.with_op("loadtxt"))
}

/// Loads a table from a stream: an open file, or the bytes of a text; see [`loadtxt`].
///
/// ```
/// use cuprum::{DType, loadtxt_from};
/// let a = loadtxt_from("1 2\n3 4\n".as_bytes(), DType::I32)?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 2, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`loadtxt`].
#[unrecorded("reads a stream: compared with NumPy's in `gpu/tests/io.json`")]
pub fn loadtxt_from(reader: impl Read, options: impl IntoArgument<LoadtxtOptions>) -> Result<Array> {
    read("the stream".into(), buffered(reader), &options.into()).map_err(|e| e.with_op("loadtxt_from"))
}

fn read(name: String, reader: impl BufRead, options: &LoadtxtOptions) -> Result<Array> {
    options.check()?;
    let mut lines = Lines::new(name, reader);
    lines.skip(options.skiprows)?;
    let (mut row, mut bytes, mut rows) = (Row::default(), vec![], 0);
    // The number of fields of the first row, and the converter of each column that is read.
    let mut columns: Option<(usize, Vec<Option<&Converter>>)> = None;
    let most = options.max_rows.unwrap_or(usize::MAX);
    while rows < most && row.next(&mut lines, options)? {
        let n = row.fields.len();
        let columns_read: Vec<usize> = match &options.usecols {
            None => (0..n).collect(),
            Some(usecols) => {
                let column_index = |&index: &isize| {
                    column(index, n).ok_or_else(|| lines.bad(format!("there is no column {index} among {n}")))
                };
                usecols.iter().map(column_index).collect::<Result<_>>()?
            }
        };
        let (first, converters) = match &columns {
            Some(columns) => columns,
            None => &*columns.insert((n, converters(options, &columns_read, n)?)),
        };
        if options.usecols.is_none() && n != *first {
            let what = format!("{n} fields in a row, {first} in the rows above: take those that all have with usecols");
            return Err(lines.bad(what));
        }
        for (&column_index, converter) in columns_read.iter().zip(converters) {
            let field = &row.text[row.fields[column_index].clone()];
            let text =
                std::str::from_utf8(field).map_err(|_| lines.bad_field(column_index, "the field is no UTF-8"))?;
            let scalar = match converter {
                Some(converter) => converter
                    .call(text)
                    .and_then(|s| s.check_fits(options.dtype).map(|()| s))
                    .map_err(|e| lines.bad_field(column_index, e.message()))?,
                None => number(text, options.dtype).ok_or_else(|| {
                    lines.bad_field(column_index, format!("{:?} is no number of {}", shortened(text), options.dtype))
                })?,
            };
            bytes.extend_from_slice(&scalar.encode(options.dtype)[..options.dtype.size()]);
        }
        rows += 1;
    }
    let width = match (&options.usecols, columns) {
        (Some(usecols), _) => usecols.len(),
        (None, Some((n, _))) => n,
        (None, None) => 1,
    };
    let table = Array::from_c_bytes(&bytes, &[rows, width], options.dtype)?;
    finished(&table, options.ndmin, options.unpack)
}

/// Returns the converter of each column that is read.
fn converters<'a>(options: &'a LoadtxtOptions, columns_read: &[usize], n: usize) -> Result<Vec<Option<&'a Converter>>> {
    let mut all: Vec<Option<&Converter>> = vec![options.converter.as_ref(); columns_read.len()];
    for (&index, converter) in &options.converters {
        let Some(of) = column(index, n) else {
            let what = format!("there is a converter of column {index}, and {n} columns");
            return Err(Error::new(ErrorKind::Value, what));
        };
        for (slot, _) in all.iter_mut().zip(columns_read).filter(|(_, column_index)| **column_index == of) {
            *slot = Some(converter);
        }
    }
    Ok(all)
}

pub(super) fn check_ndmin(ndmin: usize) -> Result<()> {
    if ndmin <= 2 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Value, format!("ndmin is {ndmin}; a table has 0, 1 or 2 axes at least")))
}

/// Drops axes of length 1 that are not requested.
pub(super) fn finished(table: &Array, ndmin: usize, unpack: bool) -> Result<Array> {
    let long: Vec<usize> = table.shape().iter().copied().filter(|&n| n != 1).collect();
    let out = match (long.len(), ndmin) {
        (_, 2) | (2, _) => table.clone(),
        (0, 0) => table.reshape(())?,
        (0, _) => table.reshape(1)?,
        _ => table.reshape(&long[..])?,
    };
    Ok(if unpack { out.t() } else { out })
}

/// Shortens a text for an error message.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST { text.into() } else { text.chars().take(MOST).chain("...".chars()).collect() }
}

/// The fields of a row.
#[derive(Default)]
struct Row {
    line: Vec<u8>,
    /// The concatenated fields, without quotation marks.
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

impl Row {
    /// Reads the next nonempty row; returns false at the end of the file.
    fn next(&mut self, lines: &mut Lines<impl BufRead>, options: &LoadtxtOptions) -> Result<bool> {
        loop {
            self.line.clear();
            if !lines.next(&mut self.line)? {
                return Ok(false);
            }
            self.text.clear();
            self.fields.clear();
            self.split(lines, options)?;
            let is_empty = match &self.fields[..] {
                [] => true,
                [only] => {
                    only.is_empty()
                        && !self.line.iter().any(|b| options.quotechar.is_some_and(|q| *b as u32 == q as u32))
                }
                _ => false,
            };
            if !is_empty {
                return Ok(true);
            }
        }
    }

    fn split(&mut self, lines: &mut Lines<impl BufRead>, options: &LoadtxtOptions) -> Result<()> {
        let mut buffers = [[0; 4]; 2];
        let [delimiter, quote] = &mut buffers;
        let delimiter = options.delimiter.map(|c| &*c.encode_utf8(delimiter));
        let quote = options.quotechar.map(|c| &*c.encode_utf8(quote));
        if quote.is_none() {
            self.line.truncate(comment_at(&self.line, &options.comments));
        }
        let is_delimiter = |rest: &[u8]| match delimiter {
            Some(delimiter) => rest.starts_with(delimiter.as_bytes()).then_some(delimiter.len()),
            None => rest[0].is_ascii_whitespace().then_some(1).or((rest[0] == 0x0b).then_some(1)),
        };
        let starts = |rest: &[u8], text: Option<&str>| text.is_some_and(|text| rest.starts_with(text.as_bytes()));
        let comment = options.comments.first().map(String::as_str);
        let mut at = 0;
        loop {
            if delimiter.is_none() {
                while at < self.line.len() && is_delimiter(&self.line[at..]).is_some() {
                    at += 1;
                }
                if at == self.line.len() || (quote.is_some() && starts(&self.line[at..], comment)) {
                    return Ok(());
                }
            }
            let start = self.text.len();
            if let Some(quote) = quote.filter(|quote| self.line[at..].starts_with(quote.as_bytes())) {
                at += quote.len();
                loop {
                    if at == self.line.len() {
                        // The field continues on the next line.
                        self.text.push(b'\n');
                        self.line.clear();
                        at = 0;
                        if !lines.next(&mut self.line)? {
                            self.text.pop();
                            break;
                        }
                    } else if self.line[at..].starts_with(quote.as_bytes()) {
                        at += quote.len();
                        if !self.line[at..].starts_with(quote.as_bytes()) {
                            break;
                        }
                        self.text.extend_from_slice(quote.as_bytes());
                        at += quote.len();
                    } else {
                        self.text.push(self.line[at]);
                        at += 1;
                    }
                }
            }
            let mut step = None;
            while at < self.line.len() {
                let rest = &self.line[at..];
                if quote.is_some() && starts(rest, comment) {
                    self.line.truncate(at);
                    break;
                }
                step = is_delimiter(rest);
                if step.is_some() {
                    break;
                }
                self.text.push(self.line[at]);
                at += 1;
            }
            self.fields.push(start..self.text.len());
            match step {
                Some(step) => at += step,
                None => return Ok(()),
            }
        }
    }
}
