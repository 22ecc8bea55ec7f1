//! Raw binary and text files without a header: `fromfile` and `tofile`.
//!
//! Binary files are read by several threads into pinned memory, from which the device copies; text is parsed on the
//! host.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use cuprum_kernels::{DType, Kind};

use super::files::{Input, bad, failed};
use super::npy::{elements_to, streamed};
use super::text::numbers::{leading_complex, leading_integer, leading_real};
use super::text::percent::Format;
use crate::array::{Array, IntoArgument, IntoOptional, scalar_text};
use crate::cuda::Device;
use crate::driver::positioned::{read_exact_at, write_all_at};
use crate::engine::{launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::scalar::Scalar;

/// Options of [`fromfile`], with NumPy's names and defaults.
///
/// By default all of a binary file is read as float64.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FromfileOptions {
    /// The dtype. By default [`DType::F64`].
    pub dtype: DType,
    /// The maximum number of elements; `None` for all.
    pub count: Option<usize>,
    /// The separator between numbers of a text file; empty for a binary file.
    pub sep: String,
    /// The number of bytes skipped at the start of a binary file. By default 0.
    pub offset: u64,
}

impl Default for FromfileOptions {
    fn default() -> Self {
        FromfileOptions { dtype: DType::F64, count: None, sep: String::new(), offset: 0 }
    }
}

impl FromfileOptions {
    /// Creates the defaults.
    ///
    /// ```
    /// use cuprum::{DType, FromfileOptions};
    /// let options = FromfileOptions::new().dtype(DType::I16).count(3).offset(8);
    /// assert_eq!((options.dtype, options.count, options.offset), (DType::I16, Some(3), 8));
    /// ```
    pub fn new() -> FromfileOptions {
        FromfileOptions::default()
    }

    /// Sets the dtype.
    ///
    /// Elements of a binary file are little-endian.
    ///
    /// ```
    /// use cuprum::{DType, FromfileOptions};
    /// assert_eq!(FromfileOptions::new().dtype(DType::U8).dtype, DType::U8);
    /// ```
    pub fn dtype(self, dtype: DType) -> Self {
        Self { dtype, ..self }
    }

    /// Sets the maximum number of elements.
    ///
    /// A file with fewer elements returns those that it has.
    ///
    /// NumPy's `count`, whose -1 is `None` here.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-fromfile-count.bin");
    /// cuprum::array([1.0, 2.0, 3.0])?.tofile(&path, ())?;
    /// let two = cuprum::fromfile(&path, cuprum::FromfileOptions::new().count(2))?;
    /// assert_eq!(two.to_vec::<f64>()?, [1.0, 2.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn count(self, count: impl IntoOptional<usize>) -> Self {
        Self { count: count.into_optional(), ..self }
    }

    /// Sets the separator between numbers of a text file. Whitespace in it matches any amount of whitespace.
    ///
    /// By default it is empty, and the file is binary.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-fromfile-sep.txt");
    /// std::fs::write(&path, "1, 2,3").unwrap();
    /// let numbers = cuprum::fromfile(&path, cuprum::FromfileOptions::new().sep(", "))?;
    /// assert_eq!(numbers.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn sep(self, sep: impl Into<String>) -> Self {
        Self { sep: sep.into(), ..self }
    }

    /// Sets the number of bytes skipped at the start.
    ///
    /// It is an offset in bytes, not in elements; text files have none. See [`fromfile`] for an example.
    pub fn offset(self, offset: u64) -> Self {
        Self { offset, ..self }
    }
}

impl From<()> for FromfileOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Sets the dtype, with defaults for the other options.
impl From<DType> for FromfileOptions {
    fn from(dtype: DType) -> Self {
        Self::new().dtype(dtype)
    }
}

/// Reads the elements of a binary file without a header, or the numbers of a text file, to one axis; NumPy's
/// `fromfile`. Elements are little-endian; a partial element at the end is ignored.
///
/// ```
/// use cuprum::{DType, FromfileOptions, array, fromfile};
/// let path = std::env::temp_dir().join("cuprum-doc-fromfile.bin");
/// array([1i32, 2, 3])?.tofile(&path, ())?;
/// assert_eq!(fromfile(&path, DType::I32)?.to_vec::<i32>()?, [1, 2, 3]);
/// let tail = fromfile(&path, FromfileOptions::new().dtype(DType::I32).offset(4))?;
/// assert_eq!(tail.to_vec::<i32>()?, [2, 3]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Value`] where the offset is past its end or a text
/// contains something other than numbers, [`ErrorKind::Type`] for an offset in a text file.
pub fn fromfile(file: impl AsRef<Path>, options: impl IntoArgument<FromfileOptions>) -> Result<Array> {
    read(file.as_ref(), &options.into()).map_err(|e| e.with_op("fromfile"))
}

fn read(path: &Path, options: &FromfileOptions) -> Result<Array> {
    let name = path.display().to_string();
    let unread = |e| failed(&name, "read", &e);
    let mut file = File::open(path).map_err(unread)?;
    let item = options.dtype.size();
    if !options.sep.is_empty() {
        if options.offset > 0 {
            return Err(Error::new(
                ErrorKind::Type,
                "an offset goes with a file of bytes: with sep the file is a text",
            ));
        }
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).map_err(unread)?;
        return numbers(&name, &bytes, options);
    }
    let about = file.metadata().map_err(unread)?;
    if !about.is_file() {
        let mut input = Input::new(&*name, &file);
        let (mut skipped, mut passed) = (vec![], 0);
        while passed < options.offset {
            input.up_to((options.offset - passed).min(1 << 16) as usize, &mut skipped)?;
            if skipped.is_empty() {
                return Err(input.bad(format!("the file ends before the offset of {}", options.offset)));
            }
            passed += skipped.len() as u64;
        }
        let Some(count) = options.count else {
            let what = format!("{name} has no length: pass the number of elements as count");
            return Err(Error::new(ErrorKind::Value, what));
        };
        let needed = count.checked_mul(item).filter(|&n| n <= i64::MAX as usize);
        let needed = needed.ok_or_else(|| input.bad(format!("{count} elements are more than any array can have")))?;
        return streamed(&mut input, needed, |_| {})?.view(options.dtype);
    }
    let Some(there) = about.len().checked_sub(options.offset) else {
        return Err(bad(&name, about.len(), format!("the file ends before the offset of {}", options.offset)));
    };
    let n = options.count.unwrap_or(usize::MAX).min((there / item as u64) as usize);
    let out = make::empty(Device::current()?, &[n], options.dtype)?;
    launch::upload_from(&out, &|at, part| read_exact_at(&file, part, options.offset + at as u64).map_err(unread))?;
    Ok(out)
}

/// Parses the numbers of a text file.
fn numbers(name: &str, bytes: &[u8], options: &FromfileOptions) -> Result<Array> {
    let text = std::str::from_utf8(bytes).map_err(|e| bad(name, e.valid_up_to() as u64, "the text is no UTF-8"))?;
    let dtype = options.dtype;
    let (mut out, mut n, mut rest) = (vec![], 0, text.trim_start());
    while n < options.count.unwrap_or(usize::MAX) && !rest.is_empty() {
        let found = match dtype.kind() {
            Kind::Bool => leading_integer(rest).map(|(n, rest)| (Scalar::Bool(n != 0), rest)),
            Kind::Signed | Kind::Unsigned => leading_integer(rest).map(|(n, rest)| (Scalar::Int(n), rest)),
            Kind::Float => leading_real(rest).map(|(x, rest)| (Scalar::Float(x), rest)),
            Kind::Complex => leading_complex(rest).map(|(z, rest)| (Scalar::Complex(z), rest)),
        };
        let at = |rest: &str| (text.len() - rest.len()) as u64;
        let Some((scalar, behind)) = found else {
            return Err(bad(name, at(rest), format!("expected a number of {dtype}")));
        };
        out.extend_from_slice(&scalar.encode(dtype)[..dtype.size()]);
        n += 1;
        if behind.trim_start().is_empty() {
            break;
        }
        let Some(next) = separated(behind, &options.sep) else {
            if n == options.count.unwrap_or(usize::MAX) {
                break;
            }
            return Err(bad(name, at(behind), format!("expected the separator {:?}", options.sep)));
        };
        rest = next.trim_start();
    }
    Array::from_c_bytes(&out, &[n], dtype)
}

/// Returns the text after a separator, in which whitespace matches any or none; `None` where the text does not match.
fn separated<'a>(text: &'a str, sep: &str) -> Option<&'a str> {
    let mut rest = text;
    for c in sep.chars() {
        rest = if c.is_whitespace() { rest.trim_start() } else { rest.trim_start().strip_prefix(c)? };
    }
    (rest.len() < text.len()).then_some(rest)
}

/// Options of [`Array::tofile`], with NumPy's names and defaults.
///
/// By default elements are written as binary, little-endian, in C order.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TofileOptions {
    /// The separator between numbers; empty for a binary file.
    pub sep: String,
    /// The format of numbers in a text file, as in Python and C; by default `%s`, all of their digits.
    pub format: Option<String>,
}

impl TofileOptions {
    /// Creates the defaults.
    pub fn new() -> TofileOptions {
        TofileOptions::default()
    }

    /// Sets the separator between numbers.
    ///
    /// By default it is empty, and the file is binary: the elements in C order, little-endian, without a
    /// header.
    pub fn sep(self, sep: impl Into<String>) -> Self {
        Self { sep: sep.into(), ..self }
    }

    /// Sets the format of numbers in a text file.
    ///
    /// It is one conversion of Python's `%` operator, such as `%d` or `%.3f`.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-tofile-format.txt");
    /// cuprum::array([1.0, 2.5])?.tofile(&path, cuprum::TofileOptions::new().sep(" ").format("%.2f"))?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1.00 2.50");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn format(self, format: impl Into<String>) -> Self {
        Self { format: Some(format.into()), ..self }
    }
}

impl From<()> for TofileOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Sets the separator, with defaults for the other options.
impl From<&str> for TofileOptions {
    fn from(sep: &str) -> Self {
        Self::new().sep(sep)
    }
}

impl Array {
    /// Writes the elements in C order to a file: as little-endian bytes, or as text with a `sep`; NumPy's `tofile`.
    /// [`save`](crate::save) keeps dtype and shape as well.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-tofile.txt");
    /// cuprum::array([[1.5, 2.0], [3.0, 4.0]])?.tofile(&path, ", ")?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1.5, 2.0, 3.0, 4.0");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] where the file cannot be written, [`ErrorKind::Value`] and [`ErrorKind::Type`] for a format
    /// that does not apply to the numbers.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    pub fn tofile(&self, fid: impl AsRef<Path>, options: impl IntoArgument<TofileOptions>) -> Result<()> {
        write(self, fid.as_ref(), &options.into()).map_err(|e| e.with_op("tofile"))
    }

    /// Writes the array to a file of any name in the format of [`save`](crate::save); NumPy's `dump`. Where NumPy
    /// pickles, the file here is npy, which NumPy's `load` reads without pickles.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-dump.npy");
    /// cuprum::array([1, 2])?.dump(&path)?;
    /// assert_eq!(cuprum::load(&path, ())?.to_vec::<i32>()?, [1, 2]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] where the file cannot be written.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    pub fn dump(&self, file: impl AsRef<Path>) -> Result<()> {
        super::npy::save_file(file.as_ref(), self).map_err(|e| e.with_op("dump"))
    }

    /// Returns the bytes of the file that [`dump`](Array::dump) writes; NumPy's `dumps`.
    ///
    /// ```
    /// use cuprum::{array, load_from};
    /// let bytes = array([[1, 2]])?.dumps()?;
    /// assert_eq!(load_from(&bytes[..], ())?.shape(), [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream.
    pub fn dumps(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![];
        super::npy::to_stream(&mut bytes, "the bytes", self).map_err(|e| e.with_op("dumps"))?;
        Ok(bytes)
    }
}

fn write(a: &Array, path: &Path, options: &TofileOptions) -> Result<()> {
    let name = path.display().to_string();
    let unwritten = |e| failed(&name, "written", &e);
    let dense = if a.is_c_contiguous() { a.clone() } else { a.copy(Order::C)? };
    let format = options.format.as_deref().map(Format::parse).transpose()?;
    if let Some(format) = format.as_ref().filter(|format| format.conversions() != 1) {
        let what = format!("the format {:?} has {} conversions, not one", options.format, format.conversions());
        return Err(Error::new(ErrorKind::Value, what));
    }
    let file = File::create(path).map_err(unwritten)?;
    if options.sep.is_empty() {
        if !file.metadata().map_err(unwritten)?.is_file() {
            return elements_to(&mut &file, &name, &dense);
        }
        return launch::download_to(&dense, &|at, part| write_all_at(&file, part, at as u64).map_err(unwritten));
    }
    let mut file = BufWriter::new(file);
    let mut text = String::new();
    for (i, element) in dense.to_bytes()?.chunks_exact(a.itemsize()).enumerate() {
        text.clear();
        if i > 0 {
            text.push_str(&options.sep);
        }
        let (scalar, wide) = (Scalar::decode(element, a.dtype()), widest(a.dtype()));
        match &format {
            Some(format) => format.write(&[scalar], wide, &mut text)?,
            None => text.push_str(&scalar_text(scalar, wide)),
        }
        file.write_all(text.as_bytes()).map_err(unwritten)?;
    }
    file.flush().map_err(unwritten)
}

/// Widens floats and complex numbers to Python's types, whose text NumPy writes.
fn widest(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Float => DType::F64,
        Kind::Complex => DType::C128,
        _ => dtype,
    }
}
