//! Conversion of an error record to an error with its message.
//!
//! A record has numbers only: the function, the kind, a position, a value and its bounds. The text is composed on the
//! host.

use std::sync::OnceLock;

use super::{Function, RECORD_WORDS};
use crate::error::{Error, ErrorKind};

/// Number of bits of the description in a word, and of the position in the key above it: as in
/// `include/device_errors.cuh`.
const PIECE: u32 = 12;
const POSITION: u32 = 40;

/// Numbers of words of the value, the size, the axis and the function.
const WORDS: [usize; 4] = [6, 6, 3, 1];

/// The size that a kernel writes if it rejects a parameter instead of an index.
const PARAMETER: u64 = !0;

/// Functions whose indices are numbers of elements or of arrays, or coordinates of entries, for which NumPy and SciPy
/// raise `ValueError`.
const VALUES: [&str; 7] =
    ["choose", "ravel_multi_index", "unravel_index", "sparse.coo", "sparse.csr", "sparse.csc", "sparse.bsr"];

/// Returns the message for a rejected parameter, from the name of the function, the number of the rule and the value.
/// It is provided by the engine that has such kernels, which is of a higher layer.
pub(crate) type Rules = fn(&str, usize, f64) -> String;

static RULES: OnceLock<Rules> = OnceLock::new();

pub(super) fn set_rules(rules: Rules) {
    RULES.get_or_init(|| rules);
}

/// Reason why a linear algebra problem has no solution, or why an array is not a row pointer array. The numbers are
/// those of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    Singular,
    Indefinite,
    NotConverged,
    NotFinite,
    Pointers,
}

impl Rejection {
    const ALL: [Rejection; 5] = [
        Rejection::Singular,
        Rejection::Indefinite,
        Rejection::NotConverged,
        Rejection::NotFinite,
        Rejection::Pointers,
    ];

    /// The axis numbers from which a record is about a matrix, and not an index: no array has that many axes.
    pub(crate) const AXES: u32 = 0xffff_ff00;

    /// Returns the kind and the message of a record, if it is about a matrix or row pointers.
    fn of_record(found: &DecodedError) -> Option<(ErrorKind, String)> {
        let rejection = Rejection::ALL.get(found.axis.checked_sub(Rejection::AXES.into())? as usize)?;
        let (position, value) = (found.position, found.value);
        let matrix = if found.size == 1 { "the matrix".into() } else { format!("matrix {position} of the stack") };
        let what = match rejection {
            Rejection::Pointers => {
                let bound = found.size;
                let message = format!(
                    "indptr[{position}] is {value}: row pointers begin at 0, never decrease, and end at the number of \
                     entries, {bound}"
                );
                return Some((ErrorKind::Value, message));
            }
            Rejection::Singular => format!("{matrix} is singular: its pivot {value} is zero; pinv and lstsq take it"),
            Rejection::Indefinite => {
                format!("{matrix} is not positive definite: its leading minor {value} is not positive")
            }
            Rejection::NotConverged => {
                format!("the decomposition of {matrix} did not converge; look for NaN and infinity in it")
            }
            Rejection::NotFinite => format!("{matrix} has elements that are infinite or NaN: it has no eigenvalues"),
        };
        Some((ErrorKind::LinAlg, what))
    }
}

/// Decoded error record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DecodedError {
    /// Position of the element that raised it, in C order.
    position: u64,
    /// The rejected value, such as an index.
    value: i64,
    /// Bound of the value.
    size: u64,
    /// Axis of an index.
    axis: u64,
    /// Number of the function that was called.
    pub(super) function: usize,
}

impl DecodedError {
    /// Decodes the words of a record; `None` if no kernel has reported.
    pub(super) fn of(words: &[u64; RECORD_WORDS]) -> Option<DecodedError> {
        if words[0] == u64::MAX {
            return None;
        }
        let mut rest = &words[..];
        let [value, size, axis, function] = WORDS.map(|count| {
            let (own, behind) = rest.split_at(count);
            rest = behind;
            own.iter().rev().fold(0, |all, word| all << PIECE | word & ((1 << PIECE) - 1))
        });
        let position = words[0] >> PIECE & ((1 << POSITION) - 1);
        Some(DecodedError { position, value: value as i64, size, axis, function: function as usize })
    }

    pub(super) fn error(&self, (name, method): Function) -> Error {
        let DecodedError { position, value, size, axis, .. } = self;
        if let Some((kind, what)) = Rejection::of_record(self) {
            return Error::of_call(kind, &format!("{name}{method}"), &what);
        }
        if let (PARAMETER, Some(rules)) = (*size, RULES.get()) {
            let what = format!("at position {position} {}", rules(name, *axis as usize, f64::from_bits(*value as u64)));
            return Error::of_call(ErrorKind::Value, name, &what);
        }
        let what = format!("index {value} at position {position} is out of bounds for axis {axis} with size {size}");
        let kind = if VALUES.contains(&name) { ErrorKind::Value } else { ErrorKind::Index };
        Error::of_call(kind, &format!("{name}{method}"), &what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words that a kernel writes: a key above the pieces of a description.
    fn words(call: u64, position: u64, parts: [u64; 4]) -> [u64; RECORD_WORDS] {
        let key = call << POSITION | position;
        let pieces = WORDS.into_iter().zip(parts).flat_map(|(count, part)| {
            (0..count as u32).map(move |k| part.checked_shr(PIECE * k).unwrap_or(0) & ((1 << PIECE) - 1))
        });
        let all: Vec<u64> = pieces.map(|piece| key << PIECE | piece).collect();
        all.try_into().expect("a word for each piece")
    }

    #[test]
    fn a_description_survives_its_pieces() {
        assert_eq!(DecodedError::of(&[u64::MAX; RECORD_WORDS]), None);
        for (position, value, size, axis, function) in [
            (0, 9, 3, 0, 0),
            (7, i64::MIN, u64::MAX, 0xffff_ff03, 4095),
            ((1 << POSITION) - 1, -1, i64::MAX as u64, 63, 1),
            (1 << 33, i64::MAX, 1 << 40, 2, 77),
        ] {
            let found = DecodedError::of(&words(4094, position, [value as u64, size, axis, function as u64]));
            assert_eq!(found, Some(DecodedError { position, value, size, axis, function }));
        }
    }
}
