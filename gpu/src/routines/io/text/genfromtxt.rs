//! Reading of tables with missing values: `genfromtxt`.
//!
//! Where no dtype is passed, the fields are read once to infer it, and once more to convert them.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::Path;

use cuprum_kernels::{DType, Kind};
use cuprum_macros::unrecorded;

use super::fields::{Converter, Lines, buffered, column, comment_at, open};
use super::loadtxt::{check_ndmin, finished, shortened};
use super::numbers::{complex, integer, real, without_underscores};
use crate::array::{Array, IntoArgument};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Separation of the fields of a line.
///
/// NumPy's parameter `delimiter` is `None`, a string, a number or a list of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// Any amount of whitespace.
    #[default]
    Blanks,
    /// A delimiter.
    Delimiter(String),
    /// None: every field has this number of characters.
    Width(usize),
    /// None: the fields have these numbers of characters.
    Widths(Vec<usize>),
}

impl From<&str> for Columns {
    fn from(delimiter: &str) -> Columns {
        Columns::Delimiter(delimiter.into())
    }
}

impl From<char> for Columns {
    fn from(delimiter: char) -> Columns {
        Columns::Delimiter(delimiter.into())
    }
}

impl From<usize> for Columns {
    fn from(width: usize) -> Columns {
        Columns::Width(width)
    }
}

impl From<Vec<usize>> for Columns {
    fn from(widths: Vec<usize>) -> Columns {
        Columns::Widths(widths)
    }
}

/// Options of [`genfromtxt`], with NumPy's names and defaults. Arrays have one dtype and no column names: skip a first
/// line of names with `skip_header`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GenfromtxtOptions {
    /// The dtype of the array; `None` chooses the smallest kind that all columns have.
    pub dtype: Option<DType>,
    /// The mark of a comment, which extends to the end of the line; by default `#`.
    pub comments: Option<String>,
    /// The separation of the fields. By default [`Columns::Blanks`].
    pub delimiter: Columns,
    /// The number of lines that are skipped at the beginning. By default 0.
    pub skip_header: usize,
    /// The number of rows that are dropped at the end. By default 0.
    pub skip_footer: usize,
    /// Converters of the fields of a column, by column index.
    pub converters: BTreeMap<isize, Converter>,
    /// Strings that mark missing numbers in all columns, in addition to the empty field.
    pub missing_values: Vec<String>,
    /// Strings that mark missing numbers in one column, by column index.
    pub missing_values_of: BTreeMap<isize, Vec<String>>,
    /// The value of missing numbers.
    pub filling_values: Option<Scalar>,
    /// The value of missing numbers in one column, by column index.
    pub filling_values_of: BTreeMap<isize, Scalar>,
    /// The columns that are read, in this order; by default all.
    pub usecols: Option<Vec<isize>>,
    /// If true, whitespace around a field is stripped. By default `false`.
    pub autostrip: bool,
    /// If true, the array is transposed. By default `false`.
    pub unpack: bool,
    /// If true, an invalid field counts as missing. By default `true`.
    pub loose: bool,
    /// If true, a row of another number of fields is an error, otherwise it is dropped. By default `true`.
    pub invalid_raise: bool,
    /// The maximum number of rows.
    pub max_rows: Option<usize>,
    /// The minimum number of axes: 0, 1 or 2. By default 0.
    pub ndmin: usize,
}

impl Default for GenfromtxtOptions {
    fn default() -> Self {
        GenfromtxtOptions {
            dtype: Some(DType::F64),
            comments: Some("#".into()),
            delimiter: Columns::Blanks,
            skip_header: 0,
            skip_footer: 0,
            converters: BTreeMap::new(),
            missing_values: vec![],
            missing_values_of: BTreeMap::new(),
            filling_values: None,
            filling_values_of: BTreeMap::new(),
            usecols: None,
            autostrip: false,
            unpack: false,
            loose: true,
            invalid_raise: true,
            max_rows: None,
            ndmin: 0,
        }
    }
}

/// Defines setters for plain fields.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $of:ty),+ $(,)?) => {
        impl GenfromtxtOptions {
            /// Creates the defaults.
            pub fn new() -> GenfromtxtOptions {
                GenfromtxtOptions::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> Self {
                Self { $name: value.into(), ..self }
            })+

            /// Sets the converter of the fields of one column.
            ///
            /// ```
            /// use cuprum::{Converter, GenfromtxtOptions, genfromtxt_from};
            /// let percent = Converter::new(|field| Ok(field.trim_end_matches('%').parse::<f64>().unwrap_or(f64::NAN)));
            /// let options = GenfromtxtOptions::new().converters(1, percent);
            /// assert_eq!(genfromtxt_from("1 50%\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 50.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn converters(mut self, column: isize, converter: Converter) -> Self {
                self.converters.insert(column, converter);
                self
            }

            /// Sets the strings that mark missing numbers.
            ///
            /// An empty field is missing in any case; NumPy's `missing_values`.
            ///
            /// ```
            /// use cuprum::{GenfromtxtOptions, genfromtxt_from};
            /// let options = GenfromtxtOptions::new().delimiter(',').missing_values(["n/a"]).filling_values(-1);
            /// assert_eq!(genfromtxt_from("1,n/a,3\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, -1.0, 3.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn missing_values<S: Into<String>>(self, texts: impl IntoIterator<Item = S>) -> Self {
                Self { missing_values: texts.into_iter().map(Into::into).collect(), ..self }
            }

            /// Sets the strings that mark missing numbers in one column.
            ///
            /// Columns are counted from 0, negative ones from the end.
            ///
            /// ```
            /// use cuprum::{GenfromtxtOptions, genfromtxt_from};
            /// let options = GenfromtxtOptions::new().delimiter(',').missing_values_of(1, ["-"]).filling_values(0);
            /// assert_eq!(genfromtxt_from("1,-\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 0.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn missing_values_of<S: Into<String>>(mut self, column: isize, texts: impl IntoIterator<Item = S>) -> Self {
                self.missing_values_of.insert(column, texts.into_iter().map(Into::into).collect());
                self
            }

            /// Sets the value of missing numbers.
            ///
            /// NumPy's `filling_values`; by default NaN, or -1 for integers. See [`genfromtxt`] for an example.
            pub fn filling_values(self, value: impl IntoArgument<Scalar>) -> Self {
                Self { filling_values: Some(value.into()), ..self }
            }

            /// Sets the value of missing numbers in one column.
            ///
            /// It takes precedence over that of all columns.
            ///
            /// ```
            /// use cuprum::{GenfromtxtOptions, genfromtxt_from};
            /// let options = GenfromtxtOptions::new().delimiter(',').filling_values(0).filling_values_of(1, 9);
            /// assert_eq!(genfromtxt_from("1,,\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 9.0, 0.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn filling_values_of(mut self, column: isize, value: impl IntoArgument<Scalar>) -> Self {
                self.filling_values_of.insert(column, value.into());
                self
            }

            /// Sets the columns that are read.
            ///
            /// ```
            /// use cuprum::{GenfromtxtOptions, genfromtxt_from};
            /// let options = GenfromtxtOptions::new().usecols([0, 2]);
            /// assert_eq!(genfromtxt_from("1 2 3\n4 5 6\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 3.0, 4.0, 6.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn usecols(self, columns: impl IntoIterator<Item = isize>) -> Self {
                Self { usecols: Some(columns.into_iter().collect()), ..self }
            }

            /// Sets the mark of a comment; `None` for no comments.
            ///
            /// By default it is `#`; the rest of the line after it is not read.
            ///
            /// ```
            /// use cuprum::{GenfromtxtOptions, genfromtxt_from};
            /// let options = GenfromtxtOptions::new().comments("%");
            /// assert_eq!(genfromtxt_from("1 2 % two numbers\n".as_bytes(), options)?.to_vec::<f64>()?, [1.0, 2.0]);
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn comments<'a>(self, comments: impl Into<Option<&'a str>>) -> Self {
                Self { comments: comments.into().map(Into::into), ..self }
            }
        }
    };
}
setters! {
    /// Sets the dtype of the array, or `None`.
    dtype: Option<DType>,
    /// Sets the separation of the fields: a delimiter, a width, or several.
    delimiter: Columns,
    /// Sets the number of lines that are skipped at the beginning.
    skip_header: usize,
    /// Sets the number of rows that are dropped at the end.
    skip_footer: usize,
    /// Sets whether whitespace around a field is stripped.
    autostrip: bool,
    /// Sets whether the array is transposed.
    unpack: bool,
    /// Sets whether an invalid field counts as missing.
    loose: bool,
    /// Sets whether a row of another number of fields is an error.
    invalid_raise: bool,
    /// Sets the maximum number of rows.
    max_rows: Option<usize>,
    /// Sets the minimum number of axes.
    ndmin: usize,
}

impl From<()> for GenfromtxtOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Loads a table of numbers with missing values from a text file; NumPy's `genfromtxt`. A file whose name ends with
/// `.gz` is decompressed.
///
/// ```
/// use cuprum::{GenfromtxtOptions, genfromtxt};
/// let path = std::env::temp_dir().join("cuprum-doc-genfromtxt.csv");
/// std::fs::write(&path, "1,2,3\n4,,6\n").unwrap();
/// let a = genfromtxt(&path, GenfromtxtOptions::new().delimiter(',').filling_values(0))?;
/// assert_eq!(a.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 0.0, 6.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Value`] where rows differ in length or, with `loose`
/// false, a field is not a number, [`ErrorKind::Overflow`] where an integer is out of range of the dtype, and
/// [`ErrorKind::NotImplemented`] where no dtype is passed and the columns have different ones.
pub fn genfromtxt(fname: impl AsRef<Path>, options: impl IntoArgument<GenfromtxtOptions>) -> Result<Array> {
    let go = |path: &Path, options: &GenfromtxtOptions| read(path.display().to_string(), open(path)?, options);
    go(fname.as_ref(), &options.into()).map_err(|e| e.with_op("genfromtxt"))
}

/// Loads a table from a stream: an open file, or the bytes of a text; see [`genfromtxt`].
///
/// ```
/// use cuprum::genfromtxt_from;
/// assert!(genfromtxt_from("1 x\n".as_bytes(), ())?.to_vec::<f64>()?[1].is_nan());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`genfromtxt`].
#[unrecorded("reads a stream: compared with NumPy's in `gpu/tests/io.json`")]
pub fn genfromtxt_from(reader: impl Read, options: impl IntoArgument<GenfromtxtOptions>) -> Result<Array> {
    read("the stream".into(), buffered(reader), &options.into()).map_err(|e| e.with_op("genfromtxt_from"))
}

/// The rows of a file, each with its line number.
type Rows = Vec<(usize, Vec<String>)>;

fn read(name: String, reader: impl BufRead, options: &GenfromtxtOptions) -> Result<Array> {
    check_ndmin(options.ndmin)?;
    if options.max_rows.is_some() && options.skip_footer > 0 {
        let what = "skip_footer and max_rows cannot both be passed: rows are counted from one end";
        return Err(Error::new(ErrorKind::Value, what));
    }
    if options.comments.as_deref() == Some("") {
        return Err(Error::new(ErrorKind::Value, "a comment begins with something: to have none, give None"));
    }
    if matches!(&options.delimiter, Columns::Delimiter(d) if d.is_empty()) || options.delimiter == Columns::Width(0) {
        return Err(Error::new(ErrorKind::Value, "the delimiter is empty: Columns::Blanks parts fields by blanks"));
    }
    let mut lines = Lines::new(name, reader);
    let (rows, width, of_file) = rows(&mut lines, options)?;
    let mut columns: Vec<Column<'_>> =
        (0..width).map(|column_index| Column::of(column_index, of_file, options)).collect::<Result<_>>()?;
    let dtype = match options.dtype {
        Some(dtype) => dtype,
        None => infer_dtype(&lines, &rows, &mut columns)?,
    };
    let mut bytes = Vec::with_capacity(rows.len() * width * dtype.size());
    for (line, row) in &rows {
        for (column_index, (field, column)) in row.iter().zip(&columns).enumerate() {
            let bad = |what: &str| lines.bad_in(*line, format!("column {column_index}: {what}"));
            let scalar = column.scalar(field, dtype, options).map_err(|why| bad(&why))?;
            scalar.check_fits(dtype).map_err(|e| Error::new(e.kind(), bad(e.message()).message()))?;
            bytes.extend_from_slice(&scalar.encode(dtype)[..dtype.size()]);
        }
    }
    // Without rows the number of columns is unknown.
    let width = if rows.is_empty() { 1 } else { width };
    let table = Array::from_c_bytes(&bytes, &[rows.len(), width], dtype)?;
    finished(&table, options.ndmin, options.unpack)
}

/// Reads the rows, the number of columns that are used, and that of the first row.
fn rows(lines: &mut Lines<impl BufRead>, options: &GenfromtxtOptions) -> Result<(Rows, usize, usize)> {
    lines.skip(options.skip_header)?;
    let comments: Vec<String> = options.comments.iter().cloned().collect();
    let (mut rows, mut invalid, mut line): (Rows, Vec<(usize, usize)>, _) = (vec![], vec![], vec![]);
    let (mut first, most) = (None, options.max_rows.unwrap_or(usize::MAX));
    while rows.len() < most {
        line.clear();
        if !lines.next(&mut line)? {
            break;
        }
        line.truncate(comment_at(&line, &comments));
        let text = std::str::from_utf8(&line).map_err(|_| lines.bad("the line is no UTF-8"))?;
        let fields = split(text, options);
        let n = fields.len();
        if n == 0 {
            continue;
        }
        let of_file = *first.get_or_insert(n);
        let taken: Option<Vec<String>> = match &options.usecols {
            None => (n == of_file).then(|| fields.into_iter().map(Into::into).collect()),
            Some(usecols) => {
                usecols.iter().map(|&i| column(i, n).map(|column_index| fields[column_index].into())).collect()
            }
        };
        match taken {
            Some(taken) => rows.push((lines.number, taken)),
            None => invalid.push((lines.number, n)),
        }
    }
    // Rows of the footer may be of any length.
    let mut footer = options.skip_footer;
    while footer > 0 {
        let last_row = rows.last().map_or(0, |row| row.0);
        if invalid.last().is_some_and(|row| row.0 > last_row) {
            invalid.pop();
        } else if rows.pop().is_none() {
            break;
        }
        footer -= 1;
    }
    let of_file = first.unwrap_or(1);
    let width = options.usecols.as_ref().map_or(of_file, Vec::len);
    if let Some(&(line, n)) = invalid.first().filter(|_| options.invalid_raise) {
        let more = match invalid.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more rows are so"),
        };
        return Err(
            lines.bad_in(line, format!("{n} fields, which do not make the {width} columns that are taken{more}"))
        );
    }
    Ok((rows, width, of_file))
}

fn split<'a>(line: &'a str, options: &GenfromtxtOptions) -> Vec<&'a str> {
    let cut = |widths: &mut dyn Iterator<Item = usize>, line: &'a str| {
        let mut rest = line;
        let mut fields = vec![];
        for width in widths {
            let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
            let (field, behind) = rest.split_at(end);
            fields.push(field);
            rest = behind;
        }
        fields
    };
    let mut fields: Vec<&str> = match &options.delimiter {
        Columns::Blanks => line.split_whitespace().collect(),
        _ if line.is_empty() => vec![],
        Columns::Delimiter(delimiter) => match line.trim_matches(' ') {
            "" => vec![],
            line => line.split(delimiter.as_str()).collect(),
        },
        Columns::Width(width) => {
            let n = line.chars().count().div_ceil(*width);
            cut(&mut std::iter::repeat_n(*width, n), line)
        }
        Columns::Widths(widths) => cut(&mut widths.iter().copied(), line),
    };
    if options.autostrip {
        fields.iter_mut().for_each(|field| *field = field.trim());
    }
    fields
}

/// Reading of the fields of a column.
struct Column<'a> {
    /// Strings that mark a missing number.
    missing: Vec<&'a str>,
    /// Value of a missing number.
    filling: Option<Scalar>,
    /// Converter of the fields.
    converter: Option<&'a Converter>,
}

impl Column<'_> {
    /// Returns the column at a position among those that are read; `n` is the number of columns of the file.
    fn of(column_index: usize, n: usize, options: &GenfromtxtOptions) -> Result<Column<'_>> {
        let own = match &options.usecols {
            None => column_index,
            Some(usecols) => column(usecols[column_index], n).unwrap_or(n),
        };
        fn find<T>(all: &BTreeMap<isize, T>, own: usize, n: usize) -> Option<&T> {
            all.iter().find(|(index, _)| column(**index, n) == Some(own)).map(|(_, found)| found)
        }
        let given = options.converters.keys().chain(options.missing_values_of.keys());
        if let Some(index) = given.chain(options.filling_values_of.keys()).find(|i| column(**i, n).is_none()) {
            let what = format!("an option names column {index}, and there are {n} columns");
            return Err(Error::new(ErrorKind::Value, what));
        }
        let mut missing: Vec<&str> = options.missing_values.iter().map(|text| text.trim()).collect();
        missing.extend(find(&options.missing_values_of, own, n).into_iter().flatten().map(|text| text.trim()));
        missing.push("");
        Ok(Column {
            missing,
            filling: find(&options.filling_values_of, own, n).copied().or(options.filling_values),
            converter: find(&options.converters, own, n),
        })
    }

    /// Parses the number of a field, or returns the reason why it is invalid.
    fn scalar(&self, field: &str, dtype: DType, options: &GenfromtxtOptions) -> std::result::Result<Scalar, String> {
        let read = match self.converter {
            Some(converter) => converter.call(field).map_err(|e| e.message().to_string()),
            None => number(field, dtype.kind())
                .ok_or_else(|| format!("{:?} is no number of {dtype}, nor known as missing", shortened(field))),
        };
        match read {
            Ok(scalar) => Ok(scalar),
            Err(why) if !options.loose && !self.missing.contains(&field.trim()) => Err(why),
            Err(_) => Ok(self.filling.unwrap_or(match dtype.kind() {
                Kind::Bool => Scalar::Bool(false),
                Kind::Signed | Kind::Unsigned => Scalar::Int(-1),
                Kind::Float => Scalar::Float(f64::NAN),
                Kind::Complex => Scalar::Complex(f64::NAN.into()),
            })),
        }
    }
}

/// Parses a number of a kind as Python does.
fn number(field: &str, kind: Kind) -> Option<Scalar> {
    let text = field.trim();
    if kind == Kind::Bool {
        return match () {
            () if text.len() == field.len() && text.eq_ignore_ascii_case("true") => Some(Scalar::Bool(true)),
            () if text.len() == field.len() && text.eq_ignore_ascii_case("false") => Some(Scalar::Bool(false)),
            () => None,
        };
    }
    let text = without_underscores(text)?;
    match kind {
        Kind::Bool => None,
        Kind::Signed | Kind::Unsigned => integer(&text).map(Scalar::Int),
        Kind::Float => real(&text).map(Scalar::Float),
        Kind::Complex => complex(&text).map(Scalar::Complex),
    }
}

/// Chooses the dtype from the contents: the smallest kind that represents all fields of all columns.
fn infer_dtype<R: BufRead>(lines: &Lines<R>, rows: &Rows, columns: &mut [Column<'_>]) -> Result<DType> {
    const LADDER: [DType; 4] = [DType::Bool, DType::I64, DType::F64, DType::C128];
    let mut all: Option<(DType, usize)> = None;
    for (column_index, column) in columns.iter_mut().enumerate() {
        let (mut rung, mut seen) = (0, false);
        for (line, row) in rows {
            let field = &row[column_index];
            if column.missing.contains(&field.trim()) || column.converter.is_some() {
                continue;
            }
            seen = true;
            let fits =
                |dtype: &DType| number(field, dtype.kind()).is_some_and(|scalar| scalar.check_fits(*dtype).is_ok());
            let Some(up) = LADDER[rung..].iter().position(fits) else {
                let what =
                    format!("column {column_index}: {:?} is no number, and arrays hold no texts", shortened(field));
                return Err(Error::new(ErrorKind::NotImplemented, lines.bad_in(*line, what).message()));
            };
            rung += up;
        }
        if !seen {
            // A column without numbers remains at the lowest kind.
            column.filling = column.filling.or(Some(Scalar::Bool(false)));
            continue;
        }
        match all {
            Some((dtype, before)) if dtype != LADDER[rung] => {
                let what = format!(
                    "{}: column {before} is of {dtype} and column {column_index} of {}, which in one array only a structured \
                     dtype would hold: name a dtype for all",
                    lines.name, LADDER[rung]
                );
                return Err(Error::new(ErrorKind::NotImplemented, what));
            }
            Some(_) => {}
            None => all = Some((LADDER[rung], column_index)),
        }
    }
    Ok(all.map_or(DType::Bool, |(dtype, _)| dtype))
}
