//! Cases and their ids. An id is complete: it names, filters for and reproduces a case.

use std::fmt;
use std::str::FromStr;

use cuprum_kernels::DType;
use serde::{Deserialize, Serialize};

use crate::matrix::{Matrix, Op, OpKind};
use crate::outcome::{Kind, Number};
use crate::text::{Params, Shape, row_text, rows, split_outside};

mod setting;

pub use setting::Setting;

/// Defines an enum with its names in ids.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)* }

        impl $name {
            /// All variants, in order.
            pub const ALL: &[$name] = &[$($name::$variant),*];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $($name::$variant => $text),* })
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(s: &str) -> Result<Self, String> {
                match s { $($text => Ok($name::$variant),)* _ => Err(format!("`{s}` is none of {:?}", [$($text),*])) }
            }
        }
    };
}

named! {
    /// The memory layout of an operand. Scalars, empty arrays and axes of length 1 are shapes, not layouts.
    Layout {
        /// Contiguous, last axis fastest.
        C = "C",
        /// Contiguous, first axis fastest.
        F = "F",
        /// Contiguous, with the last two of three or more axes swapped: neither C nor F.
        Transposed = "transposed",
        /// Every second element of each axis, every third of the last.
        Strided = "strided",
        /// Every axis with a negative stride.
        Negative = "negative",
        /// One row, broadcast: stride 0.
        Broadcast = "broadcast",
        /// Contiguous, beginning one element into its buffer.
        Offset = "offset",
        /// Contiguous rows with gaps: each begins at a multiple of sixteen elements.
        Padded = "padded",
        /// Contiguous rows with gaps of one element: their starts are not aligned.
        Uneven = "uneven",
        /// Every second element of the last axis, starting at the first.
        Sparse = "sparse",
    }
}

impl Layout {
    /// Default layouts of an operation.
    pub const USUAL: &[Layout] = &[
        Layout::C,
        Layout::F,
        Layout::Transposed,
        Layout::Strided,
        Layout::Negative,
        Layout::Broadcast,
        Layout::Offset,
    ];
}

named! {
    /// The set of values of an operand's elements.
    ValueSet {
        /// Small numbers of both signs; multiples of 1/2 among floats.
        Small = "small",
        /// Small numbers that are not negative.
        Natural = "natural",
        /// Numbers that are not negative, one half of them below 1: shapes, orders, probabilities.
        Positive = "positive",
        /// The ends of the dtype's range and their neighbours.
        Limits = "limits",
        /// NaN, infinities, both zeros, subnormals, powers of two.
        Special = "special",
        /// Random numbers of moderate size; integers of the whole range.
        Uniform = "uniform",
        /// Random bits.
        Bits = "bits",
        /// A mixture: special values, random bits, and numbers at or next to the points where casts round and integer
        /// ranges end.
        Mixed = "mixed",
        /// Negative zeros.
        Zeros = "zeros",
        /// The smallest value: negative infinity for floats.
        Lowest = "lowest",
        /// Numbers whose exponents cover the whole range, also within one complex number.
        Apart = "apart",
        /// Small numbers and some infinities, also in one part of a complex number only; no NaN.
        Infinite = "infinite",
        /// Integers on both sides of those from which on a float has gaps, and of the limits of other dtypes.
        Beyond = "beyond",
    }
}

impl ValueSet {
    /// Default value sets of an operation.
    pub const USUAL: &[ValueSet] = &[
        ValueSet::Small,
        ValueSet::Limits,
        ValueSet::Special,
        ValueSet::Uniform,
        ValueSet::Bits,
        ValueSet::Apart,
        ValueSet::Infinite,
        ValueSet::Beyond,
    ];
}

/// The values of the operands of a case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Elements sampled from a set.
    Set(ValueSet),
    /// The elements of each array, written out: `[1.5,NaN]x[0]`. Arrays without a row are sampled.
    Literal(String),
}

impl Values {
    /// Creates values that are written out, a row for each array.
    pub fn literal(rows: &[Vec<Number>]) -> Values {
        let rows: Vec<String> = rows.iter().map(|row| row_text(row)).collect();
        Values::Literal(rows.join("x"))
    }
}

impl From<ValueSet> for Values {
    fn from(set: ValueSet) -> Values {
        Values::Set(set)
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Set(set) => set.fmt(f),
            Values::Literal(text) => f.write_str(text),
        }
    }
}

impl FromStr for Values {
    type Err = String;

    fn from_str(s: &str) -> Result<Values, String> {
        if s.starts_with('[') { rows(s).map(|_| Values::Literal(s.into())) } else { s.parse().map(Values::Set) }
    }
}

/// A Rust scalar next to an array, as in `&a + 2.5`: weak, so that it takes the array's dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `True`, `False`.
    Bool(bool),
    /// `300`.
    Int(i128),
    /// `2.5`.
    Float(f64),
    /// `1j`: a purely imaginary number.
    Imaginary(f64),
}

impl FromStr for Scalar {
    type Err = String;

    fn from_str(s: &str) -> Result<Scalar, String> {
        let bad = || format!("`{s}` is no scalar");
        match s {
            "True" => Ok(Scalar::Bool(true)),
            "False" => Ok(Scalar::Bool(false)),
            _ if s.ends_with('j') => s[..s.len() - 1].parse().map(Scalar::Imaginary).map_err(|_| bad()),
            _ => s.parse().map(Scalar::Int).or_else(|_| s.parse().map(Scalar::Float)).map_err(|_| bad()),
        }
    }
}

/// An operand of a case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// An array.
    Array {
        /// The element type.
        dtype: DType,
        /// The shape.
        shape: Shape,
        /// The memory layout.
        layout: Layout,
    },
    /// A weak scalar, as it is written.
    Scalar(String),
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The family: the first part of the id.
    pub family: String,
    /// The operation.
    pub op: String,
    /// The operands.
    pub operands: Vec<Operand>,
    /// The values of the operands.
    pub values: Values,
    /// The parameters.
    pub params: Params,
}

impl Case {
    /// Returns the id without family and operation: the description of the operands.
    fn rest(&self) -> String {
        let (mut dtypes, mut shapes, mut layouts) = (vec![], vec![], vec![]);
        for operand in &self.operands {
            match operand {
                Operand::Array { dtype, shape, layout } => {
                    dtypes.push(dtype.device_name().to_string());
                    shapes.push(shape.to_string());
                    layouts.push(layout.to_string());
                }
                Operand::Scalar(text) => dtypes.push(format!("py({text})")),
            }
        }
        let rest = [dtypes.join("-"), shapes.join("x"), layouts.join("-"), self.values.to_string()].join("/");
        if self.params.is_empty() { rest } else { format!("{rest}/{}", self.params) }
    }

    /// Returns the id: `math/add/f32-f16/(2,3)x(3,)/F-strided/special`.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.family, self.op, self.rest())
    }

    /// Returns the dtypes of the array operands.
    pub fn dtypes(&self) -> Vec<DType> {
        let dtype = |o: &Operand| if let Operand::Array { dtype, .. } = o { Some(*dtype) } else { None };
        self.operands.iter().filter_map(dtype).collect()
    }

    /// Parses an id.
    ///
    /// # Errors
    /// A message, if the id is not of the form that [`Case::id`] writes or names an operation that is not declared.
    pub fn parse(id: &str, matrix: &Matrix) -> Result<Case, String> {
        Case::read(id, |name| matrix.op(name))
    }

    /// Parses an id of a known operation, as [`Case::parse`] does.
    pub(crate) fn of(op: &Op, id: &str) -> Result<Case, String> {
        Case::read(id, |name| (name == op.name).then_some(op))
    }

    fn read<'a>(id: &str, find: impl Fn(&str) -> Option<&'a Op>) -> Result<Case, String> {
        let bad = |what: &str| format!("`{id}` is no id: {what}");
        let parts: Vec<&str> = id.splitn(7, '/').collect();
        let [family, op, dtypes, shapes, layouts, values, params @ ..] = parts.as_slice() else {
            return Err(bad("family/op/dtypes/shapes/layouts/values was expected"));
        };
        let declared = find(op).ok_or_else(|| bad(&format!("no operation is called `{op}`")))?;
        let list = |text: &'static str| move |_| format!("`{id}` is no id: too few {text}");
        let mut shapes = split_outside(shapes, 'x').into_iter();
        let mut layouts = layouts.split('-');
        let mut operand = |dtype: &str| -> Result<Operand, String> {
            if let Some(text) = dtype.strip_prefix("py(").and_then(|d| d.strip_suffix(')')) {
                text.parse::<Scalar>()?;
                return Ok(Operand::Scalar(text.into()));
            }
            Ok(Operand::Array {
                dtype: dtype.parse().map_err(|e| bad(&format!("{e}")))?,
                shape: shapes.next().ok_or(()).map_err(list("shapes"))?.parse()?,
                layout: layouts.next().ok_or(()).map_err(list("layouts"))?.parse()?,
            })
        };
        let operands = split_outside(dtypes, '-').into_iter().map(&mut operand).collect::<Result<Vec<_>, _>>()?;
        if operands.len() != declared.operands {
            return Err(bad(&format!("`{op}` takes {} operand(s)", declared.operands)));
        }
        let params = params.first().map_or(Ok(Params::default()), |p| p.parse())?;
        Ok(Case { family: (*family).into(), op: (*op).into(), operands, values: values.parse()?, params })
    }

    /// Returns the expected result of the case, as far as the matrix alone determines it.
    pub fn expectation(&self, matrix: &Matrix, op: &Op) -> Expectation {
        if let Some((kind, _)) = op.errors.iter().find(|(_, params)| params.contains(&self.params)) {
            return Expectation::Rejected(*kind);
        }
        let dtypes = self.dtypes();
        let alike = dtypes.len() == self.operands.len() && dtypes.windows(2).all(|w| w[0] == w[1]);
        // A parameter may request a dtype that the operation does not take, and any dtype can be printed. The dtypes of
        // a ufunc are claimed for its plain call.
        let open = matches!(op.kind, OpKind::Text | OpKind::Method | OpKind::Sparse);
        if !alike || self.params.get("dtype").is_some() || open {
            Expectation::Agreement
        } else if matrix.claims(op, dtypes[0]) {
            Expectation::Taken
        } else {
            Expectation::Rejected(Kind::Type)
        }
    }
}

/// The expected result of a case, independent of the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The dtype is claimed: any result but a `TypeError`.
    Taken,
    /// This error.
    Rejected(Kind),
    /// The oracle's result.
    Agreement,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_makes_its_case_again() {
        let matrix = Matrix::built_in().unwrap();
        for id in [
            "math/add/f32-f16/(2,3)x(3,)/F-strided/special",
            "math/add/u8-py(-1)/(3,)/C/small",
            "reduction/sum/i8/(2,3)/negative/limits/axis=(0,1);keepdims=1",
            "math/add/f32-c64/(2,)x()/C-strided/[-0.0,1e-40]x[(NaN,-inf)]",
        ] {
            assert_eq!(Case::parse(id, &matrix).unwrap().id(), id);
        }
    }

    #[test]
    fn what_is_no_id_is_rejected_with_the_reason() {
        let matrix = Matrix::built_in().unwrap();
        for (id, reason) in [
            ("math/add", "was expected"),
            ("math/nothing/f32/(1,)/C/small", "no operation"),
            ("math/add/f32/(1,)/C/small", "takes 2"),
            ("math/add/f32-f99/(1,)x(1,)/C-C/small", "f99"),
            ("math/add/f32-f32/(1,)x(1,)/C/small", "too few layouts"),
            ("math/add/f32-f32/(1,)x(1,)/C-Q/small", "`Q`"),
        ] {
            let error = Case::parse(id, &matrix).unwrap_err();
            assert!(error.contains(reason), "{id}: {error}");
        }
    }
}
