//! NumPy's text forms of arrays, under `Display` and `Debug`.

mod digits;
mod lines;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::array::Index;
use crate::error::Result;
use crate::index::Slice;
use crate::layout::Layout;
use crate::scalar::Scalar;

/// Above so many elements only the edges are shown; NumPy's `threshold` and `edgeitems`.
const THRESHOLD: usize = 1000;
const EDGE: usize = 3;

/// NumPy's `linewidth`.
const LINE_WIDTH: usize = 75;

/// Writes what `str` writes in NumPy; a failure of the device as its message in angle brackets.
///
/// A precision is the number of digits behind the point of each float, a width the least of each element:
///
/// ```
/// let a = cuprum::array([[1.0, 2.5], [-3.25, 10.0]])?;
/// assert_eq!(format!("{a}"), "[[ 1.    2.5 ]\n [-3.25 10.  ]]");
/// assert_eq!(format!("{a:.1}"), "[[ 1.0  2.5]\n [-3.2 10.0]]");
/// assert_eq!(format!("{a:7.2}"), "[[   1.00    2.50]\n [  -3.25   10.00]]");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Synchronization
///
/// The host waits for the device; of a large array only the edges are transferred.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Printable::of(self) {
            Ok(printable) if f.precision().is_none() && f.width().is_none() => f.write_str(&printable.str()),
            Ok(printable) => f.write_str(&printable.told(f.width().unwrap_or(0), f.precision())),
            Err(e) => write!(f, "<{e}>"),
        }
    }
}

/// Writes what `repr` writes in NumPy; a failure of the device as its message in angle brackets.
///
/// # Synchronization
///
/// The host waits for the device; of a large array only the edges are transferred.
impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Printable::of(self) {
            Ok(printable) => f.write_str(&printable.repr()),
            Err(e) => write!(f, "<{e}>"),
        }
    }
}

/// What of an array is shown, on the host.
struct Printable {
    dtype: DType,
    shape: Vec<usize>,
    /// The lengths of the axes without what is left out.
    shown: Vec<usize>,
    items: Vec<Scalar>,
    summarized: bool,
}

impl Printable {
    fn of(array: &Array) -> Result<Printable> {
        Printable::read(array.dtype(), array.layout(), |part| array.with_layout(part).to_bytes())
    }

    /// Reads what is shown, block by block: `read` gives the bytes of a part in C order.
    fn read(dtype: DType, layout: &Layout, mut read: impl FnMut(Layout) -> Result<Vec<u8>>) -> Result<Printable> {
        let shape = layout.shape.to_vec();
        let item = dtype.size();
        let summarized = layout.size() > THRESHOLD;
        let left_out = |n: usize| summarized && n > 2 * EDGE;
        let shown: Vec<usize> = shape.iter().map(|&n| if left_out(n) { 2 * EDGE } else { n }).collect();
        // For every block its slices of the array, and where they come in what is shown.
        let mut blocks: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new()];
        for &n in &shape {
            let parts = if left_out(n) { vec![(0, 0, EDGE), (n - EDGE, EDGE, EDGE)] } else { vec![(0, 0, n)] };
            let with = |block: &Vec<_>, part| block.iter().copied().chain([part]).collect();
            blocks = blocks.iter().flat_map(|block| parts.iter().map(move |&part| with(block, part))).collect();
        }
        let whole = Layout::c_order(&shown, item);
        let mut bytes = vec![0; whole.size() * item];
        for block in &blocks {
            let slice = |start: usize, n: usize| {
                Index::Slice(Slice { start: Some(start as i64), stop: Some((start + n) as i64), step: None })
            };
            let from: Vec<Index> = block.iter().map(|&(from, _, n)| slice(from, n)).collect();
            let to: Vec<Index> = block.iter().map(|&(_, to, n)| slice(to, n)).collect();
            let part = read(layout.index(&from)?)?;
            let mut part = part.chunks_exact(item);
            whole.index(&to)?.for_each_offset(|at| {
                if let Some(element) = part.next() {
                    bytes[at..at + item].copy_from_slice(element);
                }
            });
        }
        let items = bytes.chunks_exact(item).map(|element| Scalar::decode(element, dtype)).collect();
        Ok(Printable { dtype, shape, shown, items, summarized })
    }

    fn str(&self) -> String {
        match self.items.first() {
            Some(&item) if self.shape.is_empty() => words::scalar_text(item, self.dtype),
            _ => self.elements("", " ", LINE_WIDTH),
        }
    }

    /// With a width and a number of digits that the reader of the text decides.
    fn told(&self, width: usize, precision: Option<usize>) -> String {
        let words = words::told(&self.items, self.dtype, width, precision);
        if self.shape.is_empty() {
            return words.into_iter().next().unwrap_or_default();
        }
        if self.items.is_empty() {
            return "[]".into();
        }
        lines::Lines { words: &words, shown: &self.shown, shape: &self.shape, separator: " " }.text(0, LINE_WIDTH)
    }

    fn repr(&self) -> String {
        const PREFIX: &str = "array(";
        let mut text = format!("{PREFIX}{}", self.elements(PREFIX, ", ", LINE_WIDTH - 1));
        let mut extras = Vec::new();
        let empty = self.items.is_empty();
        if (empty && self.shape != [0]) || self.summarized {
            let lengths: Vec<String> = self.shape.iter().map(usize::to_string).collect();
            let comma = if lengths.len() == 1 { "," } else { "" };
            extras.push(format!("shape=({}{comma})", lengths.join(", ")));
        }
        if empty || !matches!(self.dtype, DType::Bool | DType::I64 | DType::F64 | DType::C128) {
            extras.push(format!("dtype={}", self.dtype));
        }
        if !extras.is_empty() {
            text.push(',');
            let extras = extras.join(", ");
            let line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
            if line + extras.len() + 2 > LINE_WIDTH {
                text.push('\n');
                text.push_str(&" ".repeat(PREFIX.len()));
            } else {
                text.push(' ');
            }
            text.push_str(&extras);
        }
        text.push(')');
        text
    }

    /// The elements in brackets.
    fn elements(&self, prefix: &str, separator: &str, width: usize) -> String {
        if self.items.is_empty() {
            return "[]".into();
        }
        let words = words::words(&self.items, self.dtype, self.shape.is_empty());
        let lines = lines::Lines { words: &words, shown: &self.shown, shape: &self.shape, separator };
        lines.text(prefix.len(), width)
    }
}
