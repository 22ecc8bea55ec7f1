//! Parameters of records in the call table.
//!
//! A parameter has a name, a kind and a default, from which signatures and stubs are generated.

use super::{Argument, Value};

/// Kind of values that a parameter accepts.
///
/// Bindings convert values by the kind, and error messages name it.
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
    /// A scalar.
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
    /// An array, a dtype or a scalar, for promotion.
    DTypes,
    /// An axis.
    Axis,
    /// Axes: one, or several.
    Axes,
    /// A shape.
    Shape,
    /// A number of sections, or their starts.
    Sections,
    /// A number; two for the beginning and the end of every axis; or two for each axis.
    Sides,
    /// A string, such as a path or a separator.
    Text,
    /// Strings.
    Texts,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A number, several, or an array of them: quantiles.
    Quantiles,
    /// A number of bins, the edges of bins, or the name of a rule for them.
    Bins,
    /// A number of bins or the edges of bins for each axis.
    BinsOfAxes,
    /// An interval, by its two ends.
    Range,
    /// An interval for each axis.
    Ranges,
}

/// A parameter of a function.
///
/// Its name is NumPy's.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name: NumPy's keyword.
    pub name: &'static str,
    /// The kind of values.
    pub kind: ParameterKind,
    /// True if `None` is accepted, too.
    pub optional: bool,
    /// The default; without one, the parameter is required. Its text form is Python's.
    pub default: Option<Value>,
}

impl Parameter {
    /// Creates a parameter that is required unless its type accepts `None`.
    pub(crate) fn new<'v, T: Argument<'v>>(name: &'static str) -> Parameter {
        // An axis is an integer, distinguished by its name.
        let kind = match T::KIND {
            ParameterKind::Int if name.starts_with("axis") => ParameterKind::Axis,
            ParameterKind::Integers if name.starts_with("ax") => ParameterKind::Axes,
            ParameterKind::Integers if name == "shape" => ParameterKind::Shape,
            kind => kind,
        };
        Parameter { name, kind, optional: T::OPTIONAL, default: T::OPTIONAL.then_some(Value::None) }
    }

    /// Makes the parameter required, without `None`.
    pub(crate) fn needed(self) -> Parameter {
        Parameter { optional: false, default: None, ..self }
    }

    /// Creates a parameter with a default.
    pub(crate) fn keyword<'v, T: Argument<'v>>(name: &'static str, default: &T) -> Parameter {
        Parameter { default: Some(default.value()), ..Parameter::new::<T>(name) }
    }
}
