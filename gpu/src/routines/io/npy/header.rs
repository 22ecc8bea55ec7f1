//! Header of npy files: a Python dictionary of the dtype, the order and the shape.
//!
//! The header is parsed by a grammar of the literals that NumPy writes, not evaluated: a file cannot run code. Versions
//! 1, 2 and 3 of the format differ in the size of the length field and in the encoding.

use std::fmt::Write;
use std::io::Read;

use cuprum_kernels::{DType, Kind};

use super::super::files::{Input, bad};
use crate::error::Result;
use crate::layout::{checked_bytes, shape_text};

const MAGIC: [u8; 6] = *b"\x93NUMPY";
/// The alignment of the elements in the file, in bytes.
const ALIGNMENT: usize = 64;
/// The number of characters reserved for the longest axis, so that it can grow in the file.
const GROWTH: usize = 21;

/// Contents of the header.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    /// Dtype of the elements.
    pub(super) dtype: DType,
    /// True if numbers are big-endian.
    pub(super) swapped: bool,
    /// True if the first axis varies fastest.
    pub(super) fortran: bool,
    /// Shape of the array.
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Returns the header, byte for byte as NumPy writes it.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let order = if self.fortran { "True" } else { "False" };
        let shape = shape_text(&self.shape);
        let mut text = format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': {shape}, }}", descr(self.dtype));
        let grows = if self.fortran { self.shape.last() } else { self.shape.first() };
        if let Some(axis) = grows {
            let _ = write!(text, "{:1$}", "", GROWTH.saturating_sub(axis.to_string().len()));
        }
        // The magic, two bytes of version, two of length: sufficient for the shape of any array.
        let front = MAGIC.len() + 4;
        let padding = ALIGNMENT - (front + text.len() + 1) % ALIGNMENT;
        let length = u16::try_from(text.len() + padding + 1).expect("64 sizes of 20 digits each fit in a header");
        let mut out = Vec::with_capacity(front + usize::from(length));
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[1, 0]);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(text.as_bytes());
        out.resize(out.len() + padding, b' ');
        out.push(b'\n');
        Ok(out)
    }

    /// Reads a header of any version; the input is then positioned at the first element.
    pub(super) fn read<R: Read>(input: &mut Input<R>, most: usize) -> Result<Header> {
        let mut front = Vec::new();
        input.up_to(MAGIC.len() + 2, &mut front)?;
        if front.starts_with(b"PK\x03\x04") || front.starts_with(b"PK\x05\x06") {
            return Err(bad(&input.name, 0, "it is an archive of arrays: open it with load_npz"));
        }
        if front.first() == Some(&0x80) && !front.starts_with(&MAGIC) {
            return Err(bad(
                &input.name,
                0,
                "it is a pickle of Python, which is not loaded: save the array with numpy.save",
            ));
        }
        if !front.starts_with(&MAGIC) {
            return Err(bad(&input.name, 0, "it is no npy file, which begins with \"\\x93NUMPY\""));
        }
        let &[_, _, _, _, _, _, major, minor] = &front[..] else {
            return Err(input.bad("the file ends before the version of the format"));
        };
        let length = match (major, minor) {
            (1, 0) => input.exactly(2, "the header's length")?,
            (2 | 3, 0) => input.exactly(4, "the header's length")?,
            _ => {
                let reason = format!("the format has the version {major}.{minor}; 1.0, 2.0 and 3.0 are known");
                return Err(bad(&input.name, MAGIC.len() as u64, reason));
            }
        };
        let at = input.at;
        let length = length.iter().rev().fold(0_usize, |n, &byte| n << 8 | usize::from(byte));
        if length > most {
            let reason = format!(
                "the header says that it has {length} bytes, more than {most}: where the file is to be trusted, allow them \
                 with LoadOptions::max_header_size"
            );
            return Err(bad(&input.name, at, reason));
        }
        let text = input.exactly(length, "the header")?;
        let header = Parser { text: &text, at: 0 }
            .header()
            .map_err(|Wrong(offset, why)| bad(&input.name, at + offset as u64, why))?;
        checked_bytes(&header.shape, header.dtype.size()).map_err(|e| bad(&input.name, at, e.message()))?;
        Ok(header)
    }

    /// Returns the lengths of the axes from the slowest to the fastest.
    pub(super) fn axes(&self) -> Vec<usize> {
        let mut axes = self.shape.clone();
        if self.fortran {
            axes.reverse();
        }
        axes
    }

    /// Converts whole numbers of the file to the host's byte order.
    pub(super) fn put_right(&self, bytes: &mut [u8]) {
        if self.swapped {
            let word = self.dtype.real().size();
            bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse);
        }
    }
}

/// Returns NumPy's name of a dtype in headers. bfloat16, which NumPy lacks, is two bytes without a type, as the package
/// ml_dtypes writes it.
fn descr(dtype: DType) -> String {
    let kind = match dtype.kind() {
        Kind::Bool => return "|b1".into(),
        _ if dtype == DType::BF16 => 'V',
        Kind::Signed => 'i',
        Kind::Unsigned => 'u',
        Kind::Float => 'f',
        Kind::Complex => 'c',
    };
    let order = if dtype.size() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", dtype.size())
}

/// Parses the name of a dtype, and whether its byte order is swapped.
fn dtype_of(descr: &str) -> std::result::Result<(DType, bool), String> {
    let (order, code) = match descr.chars().next() {
        Some(c @ ('<' | '>' | '|' | '=')) => (c, &descr[1..]),
        _ => ('=', descr),
    };
    let dtype = match code {
        "?" | "b1" => DType::Bool,
        "i1" => DType::I8,
        "u1" => DType::U8,
        "i2" => DType::I16,
        "u2" => DType::U16,
        "i4" => DType::I32,
        "u4" => DType::U32,
        "i8" => DType::I64,
        "u8" => DType::U64,
        "f2" => DType::F16,
        "V2" => DType::BF16,
        "f4" => DType::F32,
        "f8" => DType::F64,
        "c8" => DType::C64,
        "c16" => DType::C128,
        _ => {
            let what = match code.chars().next() {
                Some('O') => "holds objects of Python, which are pickled and not loaded",
                Some('U' | 'S' | 'a') => "holds texts",
                Some('M' | 'm') => "holds dates or durations: view them as int64 before they are saved",
                Some('f' | 'c' | 'g' | 'G') => "holds floats wider than 64 bits: cast them before they are saved",
                Some('V') => "holds bytes without a meaning",
                _ => "is unknown",
            };
            return Err(format!(
                "the dtype '{}' {what}; there are booleans, integers, floats and complex numbers",
                descr.escape_default()
            ));
        }
    };
    Ok((dtype, order == '>' && dtype.size() > 1))
}

/// A parse error with its byte position in the header.
struct Wrong(usize, String);

type Parsed<T> = std::result::Result<T, Wrong>;

/// Parser of the dictionary, which evaluates nothing: strings without escapes, booleans, tuples of integers.
struct Parser<'a> {
    /// The header.
    text: &'a [u8],
    /// Position of the next character.
    at: usize,
}

impl Parser<'_> {
    fn header(mut self) -> Parsed<Header> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{', "the header is no dictionary")?;
        while !self.took(b'}') {
            let offset = self.here();
            let key = self.string("a key")?;
            self.expect(b':', "a key has no value")?;
            let value = self.here();
            let twice = match key.as_str() {
                "descr" if self.peek() == Some(b'[') => {
                    return Err(Wrong(
                        value,
                        "a structured dtype; there are none here: save each field by itself".into(),
                    ));
                }
                "descr" => {
                    let name = self.string("the dtype")?;
                    dtype.replace(dtype_of(&name).map_err(|why| Wrong(value, why))?).is_some()
                }
                "fortran_order" => fortran.replace(self.truth()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(Wrong(offset, format!("the header has an unknown key '{}'", key.escape_default()))),
            };
            if twice {
                return Err(Wrong(offset, format!("the header has '{key}' twice")));
            }
            if !self.took(b',') && self.peek() != Some(b'}') {
                return Err(self.wrong("a comma or the end of the dictionary is missing"));
            }
        }
        if self.peek().is_some() {
            return Err(self.wrong("there is text after the dictionary"));
        }
        let lacks = |key: &str| Wrong(0, format!("the header lacks '{key}'"));
        let (dtype, swapped) = dtype.ok_or_else(|| lacks("descr"))?;
        Ok(Header {
            dtype,
            swapped,
            fortran: fortran.ok_or_else(|| lacks("fortran_order"))?,
            shape: shape.ok_or_else(|| lacks("shape"))?,
        })
    }

    fn wrong(&self, why: &str) -> Wrong {
        Wrong(self.at, why.into())
    }

    /// Skips whitespace and returns the position of the next character.
    fn here(&mut self) -> usize {
        self.at += self.text[self.at..].iter().take_while(|c| c.is_ascii_whitespace()).count();
        self.at
    }

    fn peek(&mut self) -> Option<u8> {
        let at = self.here();
        self.text.get(at).copied()
    }

    fn took(&mut self, c: u8) -> bool {
        let is_there = self.peek() == Some(c);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, c: u8, otherwise: &str) -> Parsed<()> {
        if self.took(c) { Ok(()) } else { Err(self.wrong(otherwise)) }
    }

    fn string(&mut self, what: &str) -> Parsed<String> {
        let quote = self.peek().filter(|c| matches!(c, b'\'' | b'"'));
        let Some(quote) = quote else { return Err(self.wrong(&format!("{what} is no text in quotes"))) };
        self.at += 1;
        let rest = &self.text[self.at..];
        let Some(length) = rest.iter().position(|&c| c == quote) else {
            return Err(self.wrong(&format!("{what} has no end")));
        };
        if rest[..length].contains(&b'\\') {
            return Err(self.wrong(&format!("{what} has an escape in it")));
        }
        self.at += length + 1;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn truth(&mut self) -> Parsed<bool> {
        let at = self.here();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("'fortran_order' is neither True nor False"))
    }

    /// Parses a tuple of lengths: `(2, 3)`, `(2,)`, `()`.
    fn shape(&mut self) -> Parsed<Vec<usize>> {
        self.expect(b'(', "'shape' is no tuple")?;
        let (mut shape, mut commas) = (vec![], 0);
        while !self.took(b')') {
            let at = self.here();
            let digits = self.text[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            let digits = std::str::from_utf8(&self.text[at..at + digits]).unwrap_or_default();
            let length = match digits {
                "" => return Err(self.wrong("an axis of 'shape' has no length that is an integer, 0 or more")),
                digits => digits.parse().map_err(|_| self.wrong("an axis of 'shape' is longer than any can be"))?,
            };
            self.at += digits.len();
            // Python 2 wrote long integers with a suffix `L`.
            self.at += usize::from(self.text.get(self.at) == Some(&b'L'));
            shape.push(length);
            if self.took(b',') {
                commas += 1;
            } else if self.peek() != Some(b')') {
                return Err(self.wrong("a comma or the end of 'shape' is missing"));
            }
        }
        if shape.len() == 1 && commas == 0 {
            return Err(self.wrong("'shape' is an integer, no tuple"));
        }
        Ok(shape)
    }
}
