//! Writing of tables of numbers: `savetxt`.
//!
//! The array is copied to the host once, and its rows are formatted there in order.

use cuprum_macros::unrecorded;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::super::files::failed;
use super::percent::Format;
use crate::array::{Array, AsArray, IntoArgument};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::shape_text;
use crate::scalar::Scalar;

/// Options of [`savetxt`], with NumPy's names and defaults.
///
/// By default numbers have 19 significant digits, from which float64 is read back exactly.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SavetxtOptions {
    /// The format of numbers, as in Python and C: one for all, or for a whole row; by default `%.18e`.
    pub fmt: String,
    /// One format for each column, in place of `fmt`.
    pub formats: Vec<String>,
    /// The delimiter of columns; by default a space.
    pub delimiter: String,
    /// The line ending.
    pub newline: String,
    /// The text before the table.
    pub header: String,
    /// The text after the table.
    pub footer: String,
    /// The prefix of the lines of header and footer; by default `# `.
    pub comments: String,
}

impl Default for SavetxtOptions {
    fn default() -> Self {
        SavetxtOptions {
            fmt: "%.18e".into(),
            formats: vec![],
            delimiter: " ".into(),
            newline: "\n".into(),
            header: String::new(),
            footer: String::new(),
            comments: "# ".into(),
        }
    }
}

impl SavetxtOptions {
    /// Creates the defaults.
    ///
    /// ```
    /// use cuprum::SavetxtOptions;
    /// let options = SavetxtOptions::new().fmt("%d").delimiter(",").header("a,b");
    /// assert_eq!((options.fmt.as_str(), options.delimiter.as_str()), ("%d", ","));
    /// ```
    pub fn new() -> SavetxtOptions {
        SavetxtOptions::default()
    }

    /// Sets one format for all numbers, or for a whole row.
    ///
    /// Formats are those of Python's `%` operator; by default `%.18e`.
    ///
    /// ```
    /// use cuprum::{SavetxtOptions, array, savetxt_to};
    /// let mut text = vec![];
    /// savetxt_to(&mut text, array([[1, 2]])?, SavetxtOptions::new().fmt("%d:%d"))?;
    /// assert_eq!(text, b"1:2\n");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn fmt(self, fmt: impl Into<String>) -> Self {
        Self { fmt: fmt.into(), ..self }
    }

    /// Sets one format for each column.
    ///
    /// ```
    /// use cuprum::{SavetxtOptions, array, savetxt_to};
    /// let mut text = vec![];
    /// savetxt_to(&mut text, array([[1.0, 2.0]])?, SavetxtOptions::new().formats(["%d", "%.1f"]))?;
    /// assert_eq!(text, b"1 2.0\n");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn formats<S: Into<String>>(self, formats: impl IntoIterator<Item = S>) -> Self {
        Self { formats: formats.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the delimiter of columns.
    ///
    /// By default a space.
    ///
    /// ```
    /// use cuprum::{SavetxtOptions, array, savetxt_to};
    /// let mut text = vec![];
    /// savetxt_to(&mut text, array([[1, 2]])?, SavetxtOptions::new().fmt("%d").delimiter(";"))?;
    /// assert_eq!(text, b"1;2\n");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn delimiter(self, delimiter: impl Into<String>) -> Self {
        Self { delimiter: delimiter.into(), ..self }
    }

    /// Sets the line ending.
    ///
    /// By default `\n`.
    pub fn newline(self, newline: impl Into<String>) -> Self {
        Self { newline: newline.into(), ..self }
    }

    /// Sets the text before the table.
    ///
    /// ```
    /// use cuprum::{SavetxtOptions, array, savetxt_to};
    /// let mut text = vec![];
    /// savetxt_to(&mut text, array([1])?, SavetxtOptions::new().fmt("%d").header("count"))?;
    /// assert_eq!(text, b"# count\n1\n");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn header(self, header: impl Into<String>) -> Self {
        Self { header: header.into(), ..self }
    }

    /// Sets the text after the table.
    ///
    /// ```
    /// use cuprum::{SavetxtOptions, array, savetxt_to};
    /// let mut text = vec![];
    /// let options = SavetxtOptions::new().fmt("%d").footer("end").comments("% ");
    /// savetxt_to(&mut text, array([1, 2])?, options)?;
    /// assert_eq!(text, b"1\n2\n% end\n");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn footer(self, footer: impl Into<String>) -> Self {
        Self { footer: footer.into(), ..self }
    }

    /// Sets the prefix of the lines of header and footer.
    ///
    /// By default `# `, which [`loadtxt`](crate::loadtxt) skips. See [`SavetxtOptions::footer`] for an example.
    pub fn comments(self, comments: impl Into<String>) -> Self {
        Self { comments: comments.into(), ..self }
    }
}

impl From<()> for SavetxtOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Sets the format, with defaults for the other options.
impl From<&str> for SavetxtOptions {
    fn from(fmt: &str) -> Self {
        Self::new().fmt(fmt)
    }
}

/// Saves a table or a column of numbers to a text file; NumPy's `savetxt`. A file whose name ends with `.gz` is
/// compressed.
///
/// ```
/// use cuprum::{SavetxtOptions, array, savetxt};
/// let path = std::env::temp_dir().join("cuprum-doc-savetxt.csv");
/// let options = SavetxtOptions::new().fmt("%.1f").delimiter(",").header("x,y");
/// savetxt(&path, array([[1.0, 2.0], [3.0, 4.5]])?, options)?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "# x,y\n1.0,2.0\n3.0,4.5\n");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of no axes or more than two, and for invalid formats or another number of them
/// than of columns; [`ErrorKind::Type`] for a format that does not apply to the dtype; [`ErrorKind::Io`] where the file
/// cannot be written.
///
/// # Synchronization
///
/// Synchronises with the current stream.
pub fn savetxt(fname: impl AsRef<Path>, x: impl AsArray, options: impl IntoArgument<SavetxtOptions>) -> Result<()> {
    to_file(fname.as_ref(), x.as_array(), &options.into()).map_err(|e| e.with_op("savetxt"))
}

/// Saves a table to a stream; see [`savetxt`].
///
/// ```
/// use cuprum::{array, savetxt_to};
/// let mut text = vec![];
/// savetxt_to(&mut text, array([1, 2])?, "%d")?;
/// assert_eq!(text, b"1\n2\n");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`savetxt`].
///
/// # Synchronization
///
/// Synchronises with the current stream.
#[unrecorded("writes a stream: compared with NumPy's in `gpu/tests/io.json`")]
pub fn savetxt_to(mut writer: impl Write, x: impl AsArray, options: impl IntoArgument<SavetxtOptions>) -> Result<()> {
    let mut go = |options: &SavetxtOptions| Table::of(x.as_array(), options)?.write(&mut writer, "the stream");
    go(&options.into()).map_err(|e| e.with_op("savetxt_to"))
}

fn to_file(path: &Path, x: &Array, options: &SavetxtOptions) -> Result<()> {
    let name = path.display().to_string();
    let table = Table::of(x, options)?;
    let unwritten = |e| failed(&name, "written", &e);
    let compressed = path.extension().is_some_and(|e| e == "gz");
    if cfg!(not(feature = "npz")) && compressed {
        let cure = "turn the feature `npz` of the crate cuprum on";
        return Err(Error::new(ErrorKind::Library, format!("{name} is to be compressed by gzip: {cure}")));
    }
    let file = BufWriter::new(File::create(path).map_err(unwritten)?);
    #[cfg(feature = "npz")]
    if compressed {
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        table.write(&mut packed, &name)?;
        return packed.finish().and_then(|mut file| file.flush()).map_err(unwritten);
    }
    let mut file = file;
    table.write(&mut file, &name)?;
    file.flush().map_err(unwritten)
}

/// A table to be written.
struct Table<'a> {
    rows: Array,
    format: Format,
    options: &'a SavetxtOptions,
}

impl Table<'_> {
    fn of<'a>(x: &Array, options: &'a SavetxtOptions) -> Result<Table<'a>> {
        let rows = match x.ndim() {
            1 => x.reshape([x.size(), 1])?,
            2 => x.clone(),
            _ => {
                let shape = shape_text(x.shape());
                let what = format!("a table has 1 or 2 axes, and the array the shape {shape}: reshape it first");
                return Err(Error::new(ErrorKind::Value, what));
            }
        };
        let columns = rows.shape()[1];
        let is_complex = rows.dtype().is_complex();
        let needed = if is_complex { 2 * columns } else { columns };
        let wrong = |what: String| Error::new(ErrorKind::Value, what);
        let format = if !options.formats.is_empty() {
            let given = options.formats.len();
            if given != columns {
                return Err(wrong(format!("{given} formats are given for {columns} columns")));
            }
            let all: Vec<Format> = options.formats.iter().map(|f| Format::parse(f)).collect::<Result<_>>()?;
            Format::joined(all, &options.delimiter)
        } else {
            let (fmt, signs) = (&options.fmt, options.fmt.matches('%').count());
            if signs == 1 {
                let one = if is_complex { Format::parse(&format!(" ({fmt}+{fmt}j)"))? } else { Format::parse(fmt)? };
                Format::joined(std::iter::repeat_n(one, columns), &options.delimiter)
            } else if signs != needed {
                return Err(wrong(format!("the format {fmt:?} has {signs} signs %, and a row has {needed} numbers")));
            } else {
                Format::parse(fmt)?
            }
        };
        if format.conversions() != needed {
            let count = format.conversions();
            return Err(wrong(format!("the formats have {count} conversions, and a row has {needed}")));
        }
        Ok(Table { rows, format, options })
    }

    fn write(&self, writer: &mut dyn Write, name: &str) -> Result<()> {
        let SavetxtOptions { newline, header, footer, comments, .. } = self.options;
        let mut put = |text: &str| writer.write_all(text.as_bytes()).map_err(|e| failed(name, "written", &e));
        let noted = |note: &str| format!("{comments}{}{newline}", note.replace('\n', &format!("\n{comments}")));
        if !header.is_empty() {
            put(&noted(header))?;
        }
        self.rows(newline, &mut put)?;
        if !footer.is_empty() {
            put(&noted(footer))?;
        }
        writer.flush().map_err(|e| failed(name, "written", &e))
    }

    /// Writes the rows in chunks, so that the host never holds a copy of the whole table.
    fn rows(&self, newline: &str, put: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        const BYTES: usize = 4 << 20;
        let (n, columns, dtype) = (self.rows.shape()[0], self.rows.shape()[1], self.rows.dtype());
        let step = (BYTES / (columns * dtype.size()).max(1)).max(1);
        let (mut text, mut numbers) = (String::new(), vec![]);
        for from in (0..n).step_by(step) {
            let to = n.min(from + step);
            let slice = Slice { start: Some(from as i64), stop: Some(to as i64), step: None };
            let bytes = self.rows.index([Index::Slice(slice)])?.to_bytes()?;
            for row in 0..to - from {
                numbers.clear();
                for element in bytes[row * columns * dtype.size()..].chunks_exact(dtype.size()).take(columns) {
                    match Scalar::decode(element, dtype) {
                        Scalar::Complex(z) => numbers.extend([Scalar::Float(z.re), Scalar::Float(z.im)]),
                        other => numbers.push(other),
                    }
                }
                text.clear();
                self.format.write(&numbers, dtype.real(), &mut text)?;
                if dtype.is_complex() {
                    text = text.replace("+-", "-");
                }
                text.push_str(newline);
                put(&text)?;
            }
        }
        Ok(())
    }
}
