//! Cases of sparse arrays.
//!
//! The operands of a case are ordinary arrays. Its parameters determine how both sides build sparse arrays of them: `format`, the
//! `structure` of the stored positions and the `index` dtype. The outcome of an operation with a sparse result is a list of arrays:
//! the data, the format and the shape, and the index arrays; all but the data are compared exactly.

mod graphs;
mod parts;
pub mod program;
pub(crate) mod reference;
mod solvers;
mod structure;
pub(crate) mod subject;

pub(crate) use parts::{Part, Parts, operands};

use crate::outcome::Tensor;
use crate::text::{Params, integers};

/// Numbers of the formats in outcomes, and their names. Blocks, the last, have a size in addition.
const FORMATS: [&str; 5] = ["coo", "csr", "csc", "dia", "bsr"];
/// Formats that need no size.
const PLAIN_FORMATS: [&str; 4] = ["coo", "csr", "csc", "dia"];

/// Returns the number of a format.
fn format_number(name: &str) -> Result<usize, String> {
    FORMATS.iter().position(|f| *f == name).ok_or_else(|| format!("no sparse format is called {name}"))
}

/// Returns the pointers of rows that are in order: for each row the number of entries before it, and their number.
fn pointers(rows: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
    let mut out = vec![0; count + 1];
    rows.for_each(|row| out[row + 1] += 1);
    (0..count).for_each(|row| out[row + 1] += out[row]);
    out
}

/// Sets the elements of diagonals that are outside of the matrix to zero: they have no meaning.
fn clear_outside(data: &mut Tensor, offsets: &[i64], shape: &[usize]) {
    let (size, length) = (data.dtype.size(), data.shape[1]);
    for (line, offset) in offsets.iter().enumerate() {
        for column in 0..length {
            if column >= shape[1] || !(0..shape[0] as i64).contains(&(column as i64 - offset)) {
                let at = (line * length + column) * size;
                data.bytes[at..at + size].fill(0);
            }
        }
    }
}

/// Returns a required parameter.
fn text<'a>(params: &'a Params, name: &str) -> Result<&'a str, String> {
    params.get(name).ok_or_else(|| format!("the parameter {name} is missing"))
}

/// Parses an integer, 0 by default.
fn integer(params: &Params, name: &str) -> Result<i64, String> {
    Ok(params.parsed(name)?.unwrap_or(0))
}

/// Parses a size of blocks.
fn block_size(params: &Params, name: &str) -> Result<Option<[usize; 2]>, String> {
    let size = |all: Vec<usize>| <[usize; 2]>::try_from(all).map_err(|all| format!("{all:?} is no size of blocks"));
    sizes(params, name)?.map(size).transpose()
}

/// Parses a shape or a list of axes.
fn sizes(params: &Params, name: &str) -> Result<Option<Vec<usize>>, String> {
    Ok(params.integers(name)?.map(|all| all.into_iter().map(|n| n as usize).collect()))
}

/// A selection along an axis.
#[derive(Clone, Debug)]
enum Chosen {
    All,
    /// The first index, the step and the number.
    Range(usize, isize, usize),
    List(Vec<i64>),
    /// Booleans: two of three indices.
    Mask(Vec<bool>),
}

impl Chosen {
    /// Parses `1:5:2` with Python's rules, a list of indices, or `mask`; without a text, all.
    fn parse(text: Option<&str>, size: usize) -> Result<Chosen, String> {
        let Some(text) = text else { return Ok(Chosen::All) };
        if text == "mask" {
            return Ok(Chosen::Mask((0..size).map(|i| i % 3 != 1).collect()));
        }
        if !text.contains(':') {
            return Ok(Chosen::List(integers(text)?));
        }
        let part = |part: &str| -> Result<Option<i64>, String> {
            if part.is_empty() { Ok(None) } else { part.parse().map(Some).map_err(|_| format!("`{text}` is no slice")) }
        };
        let parts = text.split(':').map(part).collect::<Result<Vec<_>, _>>()?;
        let (start, stop, step) = (parts[0], parts[1], parts.get(2).copied().flatten().unwrap_or(1));
        let n = size as i64;
        let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let bound = |index: Option<i64>, default: i64| {
            index.map_or(default, |i| (if i < 0 { i + n } else { i }).clamp(low, high))
        };
        let (first, last) =
            if step > 0 { (bound(start, 0), bound(stop, n)) } else { (bound(start, n - 1), bound(stop, -1)) };
        let length = ((last - first) as f64 / step as f64).ceil().max(0.0) as usize;
        Ok(Chosen::Range(if length == 0 { 0 } else { first as usize }, step as isize, length))
    }

    /// Returns the indices; `None` for all.
    fn indices(&self) -> Option<Vec<i64>> {
        match self {
            Chosen::All => None,
            Chosen::Range(start, step, len) => {
                Some((0..*len as i64).map(|k| *start as i64 + k * *step as i64).collect())
            }
            Chosen::List(list) => Some(list.clone()),
            Chosen::Mask(mask) => Some((0..mask.len()).filter(|i| mask[*i]).map(|i| i as i64).collect()),
        }
    }
}
