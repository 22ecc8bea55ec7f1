//! What a record says of each parameter.

use super::{Argument, Value};

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// An array.
    Array,
    /// An array or a scalar.
    Operand,
    /// A list of arrays.
    Arrays,
    /// A list of arrays and scalars.
    Operands,
    /// A number.
    Scalar,
    /// An integer.
    Int,
    /// Integers.
    Integers,
    /// A real number.
    Float,
    /// A boolean.
    Bool,
    /// A dtype.
    DType,
    /// An array, a dtype or a scalar, of which the dtype counts.
    DTypes,
    /// An axis.
    Axis,
    /// Axes: one, or several.
    Axes,
    /// The lengths of axes.
    Shape,
    /// A number of parts, or where they begin.
    Sections,
    /// A number; two, for the beginning and the end of every axis; or of each axis two.
    Sides,
    /// A text: of a path, of what stands between numbers.
    Text,
    /// Texts.
    Texts,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A number, several, or an array of them: the quantiles that are wanted.
    Quantiles,
    /// A number of bins, the edges of bins, or the name of a rule for them.
    Bins,
    /// Of each axis a number of bins or the edges of bins.
    BinsOfAxes,
    /// The two ends of an interval.
    Range,
    /// Of each axis the two ends of an interval.
    Ranges,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name: NumPy's keyword.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParameterKind,
    /// Whether it takes `None` too.
    pub optional: bool,
    /// What it is where it is not given; without one, it must be given. Its text is Python's.
    pub default: Option<Value>,
}

impl Parameter {
    /// A parameter that must be given; one that takes `None` is that by itself.
    pub(crate) fn new<'v, T: Argument<'v>>(name: &'static str) -> Parameter {
        // An axis is an integer, told apart by its name.
        let kind = match T::KIND {
            ParameterKind::Int if name.starts_with("axis") => ParameterKind::Axis,
            ParameterKind::Integers if name.starts_with("ax") => ParameterKind::Axes,
            ParameterKind::Integers if name == "shape" => ParameterKind::Shape,
            kind => kind,
        };
        Parameter { name, kind, optional: T::OPTIONAL, default: T::OPTIONAL.then_some(Value::None) }
    }

    /// The same, which takes no `None`, though its type does.
    pub(crate) fn needed(self) -> Parameter {
        Parameter { optional: false, default: None, ..self }
    }

    /// A parameter with a default.
    pub(crate) fn keyword<'v, T: Argument<'v>>(name: &'static str, default: &T) -> Parameter {
        Parameter { default: Some(default.value()), ..Parameter::new::<T>(name) }
    }
}
