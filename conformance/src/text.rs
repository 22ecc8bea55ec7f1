//! Notations that ids and `matrix.yaml` share: shapes, parameters, index expressions.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use cuprum_kernels::DType;

use crate::outcome::{Number, Tensor};

/// The lengths of the axes, written `(2,3)`, `(3,)`, `()`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(pub Vec<usize>);

impl Shape {
    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        self.0.iter().product()
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "({one},)"),
            many => write!(f, "({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(s: &str) -> Result<Shape, String> {
        let dims = integers(s)?.into_iter().map(usize::try_from).collect::<Result<_, _>>();
        Ok(Shape(dims.map_err(|_| format!("`{s}` has a negative length"))?))
    }
}

/// Parses `(1,-2)`, `(3,)`, `()` or `4`.
pub fn integers(s: &str) -> Result<Vec<i64>, String> {
    let inner = s.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    let parts = inner.unwrap_or(s).split(',').map(str::trim).filter(|p| inner.is_none() || !p.is_empty());
    parts.map(|p| p.parse().map_err(|_| format!("`{s}` is not an integer or a tuple of integers"))).collect()
}

/// Returns the coordinates along an axis of a case: at equal or at increasing distances.
pub fn positions(even: bool, length: usize) -> Vec<f64> {
    (0..length).map(|i| if even { 3.0 * i as f64 } else { (i * (i + 3) / 2) as f64 }).collect()
}

/// Parses `0.5` or `(0.25,1)`: the numbers, and their shape.
pub fn numbers(s: &str) -> Result<(Vec<f64>, Vec<usize>), String> {
    let inner = s.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    let parts = inner.unwrap_or(s).split(',').map(str::trim).filter(|p| inner.is_none() || !p.is_empty());
    let values: Vec<f64> = parts
        .map(|p| p.parse().map_err(|_| format!("`{s}` is no number, and no tuple of them")))
        .collect::<Result<_, _>>()?;
    let shape = if inner.is_some() { vec![values.len()] } else { vec![] };
    Ok((values, shape))
}

/// Splits at `separator` where no parenthesis or bracket is open.
pub fn split_outside(s: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0i32, 0);
    for (i, c) in s.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&s[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&s[start..]);
    parts
}

/// Named parameters, written `axis=(0,1);keepdims=1`; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Returns the text of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Parses a parameter; `None` if it is not passed.
    ///
    /// # Errors
    /// A message that names the parameter, if its text does not parse.
    pub fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.get(name).map(|v| v.parse().map_err(|_| format!("the parameter {name}={v} does not parse"))).transpose()
    }

    /// Parses a parameter that is an integer or a tuple of integers.
    ///
    /// # Errors
    /// A message that names the parameter, if its text does not parse.
    pub fn integers(&self, name: &str) -> Result<Option<Vec<i64>>, String> {
        self.get(name).map(integers).transpose()
    }

    /// Returns the names and texts of all parameters.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Returns the parameters with another text for the one at this index, or without it.
    #[must_use]
    pub fn with(&self, at: usize, text: Option<String>) -> Params {
        let mut pairs = self.0.clone();
        match text {
            Some(text) => pairs[at].1 = text,
            None => drop(pairs.remove(at)),
        }
        Params(pairs)
    }

    /// Returns the parameters with one more.
    #[must_use]
    pub fn and(&self, name: &str, text: &str) -> Params {
        let mut pairs = self.0.clone();
        pairs.push((name.into(), text.into()));
        Params(pairs)
    }

    /// Returns the names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(n, _)| n.as_str())
    }

    /// Returns true if there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(";"))
    }
}

impl FromStr for Params {
    type Err = String;

    fn from_str(s: &str) -> Result<Params, String> {
        let pair = |p: &str| {
            let (n, v) = p.split_once('=').ok_or(format!("`{p}` is no parameter: `name=value` was expected"))?;
            Ok((n.to_string(), v.to_string()))
        };
        s.split(';').filter(|p| !p.is_empty()).map(pair).collect::<Result<_, String>>().map(Params)
    }
}

/// One part of an index expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// An integer: selects one element of an axis, which is removed.
    At(i64),
    /// `start:stop:step`.
    Slice(Option<i64>, Option<i64>, i64),
    /// A new axis of length 1.
    NewAxis,
    /// `...`: as many whole axes as remain.
    Ellipsis,
    /// `True` or `False`.
    Truth(bool),
    /// `[0,2]`, a list on the host.
    List(Vec<i64>),
    /// `at.u8(2,3)`, `far(3)`, `mask(1)`: an array that is created for the axes that it indexes.
    Made(Making),
    /// The array that was created.
    Array(Tensor),
}

/// An index array in its notation: `at` has indices within the axis, `far` one out of bounds, with a dtype and a shape;
/// `mask` has booleans for a number of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    of: MakingOf,
    dtype: DType,
    numbers: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MakingOf {
    At,
    Far,
    Mask,
}

impl Making {
    fn read(text: &str) -> Option<Making> {
        let (name, rest) = text.split_once('(')?;
        let (name, dtype) = name.split_once('.').unwrap_or((name, "i64"));
        let of = match name {
            "at" => MakingOf::At,
            "far" => MakingOf::Far,
            "mask" => MakingOf::Mask,
            _ => return None,
        };
        let numbers = integers(&format!("({rest}")).ok()?.into_iter().map(|n| n as usize).collect();
        Some(Making { of, dtype: dtype.parse().ok()?, numbers })
    }

    /// Creates the index array that a routine's parameter requests, for an operand of this shape along an axis; a mask
    /// of all of it.
    ///
    /// # Errors
    /// A message, if the text requests none.
    pub fn of_routine(text: &str, shape: &[usize], axis: usize) -> Result<Tensor, String> {
        if text == "mask" {
            let whole = Making { of: MakingOf::Mask, dtype: DType::Bool, numbers: vec![shape.len()] };
            return Ok(whole.made(shape, 0));
        }
        Ok(Making::read(text).ok_or(format!("`{text}` makes no array"))?.made(shape, axis))
    }

    /// Returns the number of axes that it indexes.
    fn axes(&self) -> usize {
        if self.of == MakingOf::Mask { self.numbers.first().copied().unwrap_or(0) } else { 1 }
    }

    /// Creates the array, for an operand's axes from `axis` on. `ci/oracle_numpy.py` creates the same.
    fn made(&self, shape: &[usize], axis: usize) -> Tensor {
        if self.of == MakingOf::Mask {
            let shape: Vec<usize> = shape.iter().skip(axis).take(self.axes()).copied().collect();
            let bits = (0..shape.iter().product()).map(|k: usize| u8::from((k * k + 3 * k) % 5 < 2)).collect();
            return Tensor::packed(DType::Bool, &shape, bits);
        }
        let n = shape.get(axis).copied().unwrap_or(0) as i64;
        let from_front = matches!(self.dtype.kind(), cuprum_kernels::Kind::Unsigned);
        let index = |k: i64| match n {
            _ if self.of == MakingOf::Far && k == 1 => n + 3,
            0 => 0,
            _ if from_front => (3 * k * k + 7 * k + 2) % n,
            _ => (3 * k * k + 7 * k + 2) % (2 * n) - n,
        };
        let size: usize = self.numbers.iter().product();
        let bytes = (0..size as i64).flat_map(|k| Number::Int(index(k).into()).encode(self.dtype)).collect();
        Tensor::packed(self.dtype, &self.numbers, bytes)
    }
}

/// Returns the same parts, with their arrays created for an operand of this shape.
pub fn made_for(keys: Vec<Key>, shape: &[usize]) -> Vec<Key> {
    let taken = |key: &Key| match key {
        Key::At(_) | Key::Slice(..) | Key::List(_) | Key::Array(_) => 1,
        Key::Made(making) => making.axes(),
        Key::NewAxis | Key::Ellipsis | Key::Truth(_) => 0,
    };
    let left = shape.len().saturating_sub(keys.iter().map(taken).sum());
    let mut axis = 0;
    let made = |key: Key| {
        let at = axis;
        axis += if key == Key::Ellipsis { left } else { taken(&key) };
        match key {
            Key::Made(making) => Key::Array(making.made(shape, at)),
            other => other,
        }
    };
    keys.into_iter().map(made).collect()
}

/// Parses `[1,::-2,None,...,at(3),True,[0,2]]`.
///
/// # Errors
/// A message, if a part has none of the forms.
pub fn keys(s: &str) -> Result<Vec<Key>, String> {
    let inner = s.strip_prefix('[').and_then(|s| s.strip_suffix(']')).ok_or(format!("`{s}` is not in brackets"))?;
    let number = |p: &str| match p {
        "" => Ok(None),
        p => p.parse().map(Some).map_err(|_| format!("`{p}` in `{s}` is not an integer")),
    };
    let key = |part: &str| match part {
        "None" => Ok(Key::NewAxis),
        "..." => Ok(Key::Ellipsis),
        "True" | "False" => Ok(Key::Truth(part == "True")),
        p if p.starts_with('[') => integers(&p.replace('[', "(").replace(']', ")")).map(Key::List),
        p if p.contains('(') => Making::read(p).map(Key::Made).ok_or(format!("`{p}` in `{s}` makes no array")),
        p if p.contains(':') => {
            let mut numbers = p.split(':').map(number);
            let mut next = || numbers.next().unwrap_or(Ok(None));
            Ok(Key::Slice(next()?, next()?, next()?.unwrap_or(1)))
        }
        p => number(p)?.map(Key::At).ok_or(format!("`{s}` has an empty part")),
    };
    split_outside(inner, ',').into_iter().map(str::trim).filter(|p| !p.is_empty()).map(key).collect()
}

/// Formats elements: `[1,-2]`, `[0.5,-NaN]`, `[(1.0,-inf)]`.
pub fn row_text(row: &[Number]) -> String {
    let float = |x: f64| if x.is_nan() && x.is_sign_negative() { "-NaN".into() } else { format!("{x:?}") };
    let number = |x: &Number| match *x {
        Number::Int(i) => i.to_string(),
        Number::Float(x) => float(x),
        Number::Complex(re, im) => format!("({},{})", float(re), float(im)),
    };
    format!("[{}]", row.iter().map(number).collect::<Vec<_>>().join(","))
}

/// Parses the elements of arrays, separated by `x`: `[1,-2]x[(0.5,inf)]`.
///
/// # Errors
/// A message, if an element is no number.
pub fn rows(s: &str) -> Result<Vec<Vec<Number>>, String> {
    let float = |p: &str| p.parse::<f64>().map_err(|_| format!("`{p}` in `{s}` is not a number"));
    let number = |p: &str| {
        if let Some(parts) = p.strip_prefix('(').and_then(|p| p.strip_suffix(')')) {
            let (re, im) = parts.split_once(',').ok_or(format!("`{p}` in `{s}` has no imaginary part"))?;
            return Ok(Number::Complex(float(re)?, float(im)?));
        }
        p.parse().map(Number::Int).or_else(|_| float(p).map(Number::Float))
    };
    let row = |row: &str| {
        let inner =
            row.strip_prefix('[').and_then(|r| r.strip_suffix(']')).ok_or(format!("`{row}` is not in brackets"))?;
        split_outside(inner, ',').into_iter().filter(|p| !p.is_empty()).map(number).collect()
    };
    split_outside(s, 'x').into_iter().map(row).collect()
}

macro_rules! deserialize_from_str {
    ($($type:ty),*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}
deserialize_from_str!(Shape, Params);

/// Returns true if a filter matches an id: the id itself, or parts of one in their order, with `*` between them.
pub fn matches(filter: &str, id: &str) -> bool {
    let mut rest = id;
    filter.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_parameters_read_what_they_write() {
        for text in ["()", "(3,)", "(2,3)", "(0,1,5)"] {
            assert_eq!(text.parse::<Shape>().unwrap().to_string(), text);
        }
        assert!("(2,x)".parse::<Shape>().is_err() && "(-1,)".parse::<Shape>().is_err());
        let params: Params = "axis=(0,-1);keepdims=1".parse().unwrap();
        assert_eq!(params.to_string(), "axis=(0,-1);keepdims=1");
        assert_eq!(params.integers("axis").unwrap(), Some(vec![0, -1]));
        assert!("axis".parse::<Params>().is_err());
    }

    #[test]
    fn index_expressions_have_four_forms() {
        let read = keys("[1,::-2,None,...,-3:]").unwrap();
        let want = [Key::At(1), Key::Slice(None, None, -2), Key::NewAxis, Key::Ellipsis, Key::Slice(Some(-3), None, 1)];
        assert_eq!(read, want);
        assert!(keys("[a]").is_err() && keys("1").is_err());
    }

    #[test]
    fn elements_read_what_they_write() {
        let text = "[1,-2]x[]x[0.5,-0.0,inf]x[(NaN,-NaN)]";
        let read = rows(text).unwrap();
        assert_eq!(read.iter().map(|r| row_text(r)).collect::<Vec<_>>().join("x"), text);
        assert_eq!(read[0], [Number::Int(1), Number::Int(-2)]);
        assert!(rows("[a]").is_err() && rows("[(1)]").is_err() && rows("1").is_err());
    }

    #[test]
    fn splitting_respects_brackets() {
        assert_eq!(split_outside("f32-py(-1)-u8", '-'), ["f32", "py(-1)", "u8"]);
    }
}
