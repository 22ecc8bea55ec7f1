//! A case and its id. The id says everything: it names the case, filters for it and makes it again.

use std::fmt;
use std::str::FromStr;

use cuprum_kernels::DType;
use serde::{Deserialize, Serialize};

use crate::matrix::{Matrix, Op, OpKind};
use crate::outcome::{Kind, Number};
use crate::text::{Params, Shape, row_text, rows, split_outside};

mod setting;

pub use setting::Setting;

/// Gives an enum its names in ids.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)* }

        impl $name {
            /// Every one, in order.
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
    /// How an operand lies in memory. Scalars, empty arrays and axes of length 1 are shapes, not layouts.
    Layout {
        /// Contiguous, last axis fastest.
        C = "C",
        /// Contiguous, first axis fastest.
        F = "F",
        /// Contiguous, with the last two of three or more axes swapped: neither C nor F.
        Transposed = "transposed",
        /// Every second element of each axis, every third of the last.
        Strided = "strided",
        /// Every axis backwards.
        Negative = "negative",
        /// One row, broadcast: stride 0.
        Broadcast = "broadcast",
        /// Contiguous, beginning one element into its buffer.
        Offset = "offset",
        /// Contiguous rows, with other elements between them: each begins at a multiple of sixteen elements.
        Padded = "padded",
        /// Contiguous rows, with one other element between them: they begin at no multiple of anything.
        Uneven = "uneven",
        /// Every second element of the last axis, from the first on.
        Sparse = "sparse",
    }
}

impl Layout {
    /// Those that an operation is tested with unless it names its own.
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
    /// Which elements an operand holds.
    ValueSet {
        /// Small numbers of both signs; halves among floats.
        Small = "small",
        /// Small numbers that are not negative.
        Natural = "natural",
        /// Numbers that are not negative, one half of them below 1: shapes, orders, probabilities.
        Positive = "positive",
        /// The ends of the dtype's range and what is next to them.
        Limits = "limits",
        /// NaN, infinities, both zeros, subnormals, powers of two.
        Special = "special",
        /// Random numbers of moderate size; integers of the whole range.
        Uniform = "uniform",
        /// Random bits.
        Bits = "bits",
        /// Something of all: what is special, random bits, and what lies at or beside the places where casts round
        /// and integers end.
        Mixed = "mixed",
        /// Negative zeros.
        Zeros = "zeros",
        /// The least that there is: negative infinity of floats.
        Lowest = "lowest",
        /// Numbers as far apart as the exponents go, also the parts of one complex number.
        Apart = "apart",
        /// Small numbers and some infinities, also in one part of a complex number alone; no NaN.
        Infinite = "infinite",
        /// Integers on both sides of those from which on a float has gaps, and of those that another dtype ends at.
        Beyond = "beyond",
    }
}

impl ValueSet {
    /// Those that an operation is tested with unless it names its own.
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

/// What the operands of a case hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Elements drawn from a set.
    Set(ValueSet),
    /// The elements of each array, written out: `[1.5,NaN]x[0]`. What no row is given for is drawn.
    Literal(String),
}

impl Values {
    /// Elements written out, a row for each array.
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

/// A Rust scalar beside an array, as in `&a + 2.5`: weak, so that it takes the array's dtype.
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
        /// Its elements' type.
        dtype: DType,
        /// Its axes.
        shape: Shape,
        /// How it lies in memory.
        layout: Layout,
    },
    /// A weak scalar, as it is written.
    Scalar(String),
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The first part of the id.
    pub family: String,
    /// The operation.
    pub op: String,
    /// The operands.
    pub operands: Vec<Operand>,
    /// What the operands hold.
    pub values: Values,
    /// The parameters.
    pub params: Params,
}

impl Case {
    /// The id without family and operation: what the operands are made of.
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

    /// The id: `math/add/f32-f16/(2,3)x(3,)/F-strided/special`.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.family, self.op, self.rest())
    }

    /// The dtypes of the array operands.
    pub fn dtypes(&self) -> Vec<DType> {
        let dtype = |o: &Operand| if let Operand::Array { dtype, .. } = o { Some(*dtype) } else { None };
        self.operands.iter().filter_map(dtype).collect()
    }

    /// Makes the case of an id.
    ///
    /// # Errors
    /// A message, where the id is not of the form that [`Case::id`] writes or names an operation that is not declared.
    pub fn parse(id: &str, matrix: &Matrix) -> Result<Case, String> {
        let bad = |what: &str| format!("`{id}` is no id: {what}");
        let parts: Vec<&str> = id.splitn(7, '/').collect();
        let [family, op, dtypes, shapes, layouts, values, params @ ..] = parts.as_slice() else {
            return Err(bad("family/op/dtypes/shapes/layouts/values was expected"));
        };
        let declared = matrix.op(op).ok_or_else(|| bad(&format!("no operation is called `{op}`")))?;
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

    /// What must come of the case, as far as the matrix alone can say.
    pub fn expectation(&self, matrix: &Matrix, op: &Op) -> Expectation {
        if let Some((kind, _)) = op.errors.iter().find(|(_, params)| params.contains(&self.params)) {
            return Expectation::Rejected(*kind);
        }
        let dtypes = self.dtypes();
        let alike = dtypes.len() == self.operands.len() && dtypes.windows(2).all(|w| w[0] == w[1]);
        // A parameter may ask for a dtype that the operation does not take, and the text of any dtype is given. What a
        // ufunc takes is claimed where it is called without more ado.
        let open = matches!(op.kind, OpKind::Text | OpKind::Method);
        if !alike || self.params.get("dtype").is_some() || open {
            Expectation::Agreement
        } else if matrix.claims(op, dtypes[0]) {
            Expectation::Taken
        } else {
            Expectation::Rejected(Kind::Type)
        }
    }
}

/// What must come of a case, whatever the oracle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The dtype is claimed: anything but a `TypeError`.
    Taken,
    /// This error.
    Rejected(Kind),
    /// What the oracle gives.
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
