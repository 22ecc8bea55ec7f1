//! Formatting of arrays as in NumPy, for `Display` and `Debug`.
//!
//! Only the elements that are printed are transferred: of a large array the edges.

mod digits;
mod floats;
mod functions;
mod lines;
mod options;
mod spec;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::array::Index;
use crate::error::{Error, Result};
use crate::index::Slice;
use crate::layout::Layout;
use crate::scalar::Scalar;

pub use floats::Trim;
pub(crate) use functions::scalar_text;
pub use functions::{
    Array2stringOptions, FormatFloat, FormatFloatOptions, array_repr, array_str, array2string, format_float_positional,
    format_float_scientific,
};
use options::InForce;
pub use options::{
    FloatMode, Formatter, PrintOptions, PrintOptionsGuard, Sign, get_printoptions, printoptions, set_printoptions,
};
use spec::{Notation, Spec};

/// Writes what NumPy's `str` writes, with the options of [`set_printoptions`]; a device error is written as its message
/// in angle brackets. If it is an error of earlier work, the next call that synchronises with the device also returns
/// it.
///
/// A format specification applies to each element: the precision is the number of digits after the point, the width the
/// minimum width of an element; fill and alignment, `+` and `0` have the same meaning as for Rust's numbers. `{:e}` and
/// `{:E}` write exponents as NumPy does, with a sign and at least two digits.
///
/// ```
/// let a = cuprum::array([[1.0, 2.5], [-3.25, 10.0]])?;
/// assert_eq!(format!("{a}"), "[[ 1.    2.5 ]\n [-3.25 10.  ]]");
/// assert_eq!(format!("{a:.1}"), "[[ 1.0  2.5]\n [-3.2 10.0]]");
/// assert_eq!(format!("{a:7.2}"), "[[   1.00    2.50]\n [  -3.25   10.00]]");
/// assert_eq!(format!("{:+.1e}", a.max(())?), "+1.0e+01");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Synchronization
///
/// Synchronises with the device; of a large array only the edges are transferred.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f, Notation::Plain)
    }
}

/// Writes each element in scientific notation: [`Display`](#impl-Display-for-Array).
impl fmt::LowerExp for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f, Notation::Exponent('e'))
    }
}

/// Writes each element in scientific notation: [`Display`](#impl-Display-for-Array).
impl fmt::UpperExp for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f, Notation::Exponent('E'))
    }
}

fn display(array: &Array, f: &mut fmt::Formatter<'_>, notation: Notation) -> fmt::Result {
    let spec = Spec::of(f, notation);
    match Printable::of(array, &InForce::now()) {
        Ok(printable) => f.write_str(&printable.str(&spec)),
        Err(e) => show(array, &e, f),
    }
}

/// Writes what NumPy's `repr` writes, with the options of [`set_printoptions`]; a device error is written as its
/// message in angle brackets. A format specification applies to each element, as in
/// [`Display`](#impl-Display-for-Array).
///
/// # Synchronization
///
/// Synchronises with the device; of a large array only the edges are transferred.
impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = Spec::of(f, Notation::Plain);
        match Printable::of(self, &InForce::now()) {
            Ok(printable) => f.write_str(&printable.repr(&spec)),
            Err(e) => show(self, &e, f),
        }
    }
}

/// Writes an error instead of the elements. The next call returns it if it is one of earlier work.
fn show(a: &Array, e: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    a.device().keep_displayed(e);
    write!(f, "<{e}>")
}

/// The elements of an array that are shown, on the host.
struct Printable<'o> {
    options: &'o InForce,
    dtype: DType,
    shape: Vec<usize>,
    /// The lengths of the axes without elided items.
    shown: Vec<usize>,
    items: Vec<Scalar>,
    summarized: bool,
}

impl<'o> Printable<'o> {
    fn of(array: &Array, options: &'o InForce) -> Result<Printable<'o>> {
        Printable::read(array.dtype(), array.layout(), options, |part| array.with_layout(part).to_bytes())
    }

    /// Reads the elements that are shown, block by block: `read` returns the bytes of a part in C order.
    fn read(
        dtype: DType,
        layout: &Layout,
        options: &'o InForce,
        mut read: impl FnMut(Layout) -> Result<Vec<u8>>,
    ) -> Result<Printable<'o>> {
        let shape = layout.shape.to_vec();
        let item = dtype.size();
        let (summarized, edge) = (layout.size() > options.threshold, options.edgeitems);
        // Without edge items NumPy shows the last element, but formats all of them.
        let left_out = |n: usize| summarized && edge > 0 && n > edge.saturating_mul(2);
        let shown: Vec<usize> = shape.iter().map(|&n| if left_out(n) { 2 * edge } else { n }).collect();
        // For every block, its slices of the array, and their positions among the elements shown.
        let mut blocks: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new()];
        for &n in &shape {
            let parts = if left_out(n) { vec![(0, 0, edge), (n - edge, edge, edge)] } else { vec![(0, 0, n)] };
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
        Ok(Printable { options, dtype, shape, shown, items, summarized })
    }

    fn str(&self, spec: &Spec) -> String {
        match self.items.first() {
            Some(&item) if self.shape.is_empty() && spec.is_empty() => words::scalar_text(item, self.dtype),
            _ => self.elements("", " ", self.options.linewidth as i64, spec),
        }
    }

    fn repr(&self, spec: &Spec) -> String {
        const PREFIX: &str = "array(";
        let width = self.options.linewidth as i64;
        let mut text = format!("{PREFIX}{}", self.elements(PREFIX, ", ", width - 1, spec));
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
            if (line + extras.len() + 2) as i64 > width {
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

    /// Formats the elements in brackets; the width may be negative.
    fn elements(&self, prefix: &str, separator: &str, width: i64, spec: &Spec) -> String {
        if self.items.is_empty() {
            return "[]".into();
        }
        let zero_dimensional = self.shape.is_empty();
        let words = match spec.is_empty() {
            true => words::words(&self.items, self.dtype, zero_dimensional, self.options),
            false => spec.words(&self.items, self.dtype, zero_dimensional, self.options),
        };
        self.lines(&words, separator).text(prefix.chars().count(), width)
    }

    fn lines<'a>(&'a self, words: &'a [String], separator: &'a str) -> lines::Lines<'a> {
        let edge = self.summarized.then_some(self.options.edgeitems);
        lines::Lines { words, shown: &self.shown, shape: &self.shape, edge, separator }
    }
}
