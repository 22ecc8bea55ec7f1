//! Source of the kernel that computes arrays from their indices (`arange`, `linspace`, `eye`, windows).

use std::fmt::Write;

use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Value, Width, Written, parameters};

parameters! {
    /// Parameters of the kernel `generate`.
    GenerateParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The results.
        out: Written<P>,
        /// The operand, for forms that have one.
        input: Read<P>,
        /// Value of the linear form at the first element.
        first: i64,
        /// Integer parameters of the form.
        integers: [i64; 4],
        /// First floating-point parameter of the form.
        a: Value as "parameter<value>",
        /// Second floating-point parameter of the form.
        b: Value as "parameter<value>",
        /// Third floating-point parameter of the form.
        c: Value as "parameter<value>",
        /// Number of axes of the results.
        axes: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the results.
        steps: Strides<'a>,
        /// Strides of the operand.
        input_steps: Strides<'a>,
        /// Coefficients of the linear form along each axis.
        weights: Strides<'a>,
    }
}

/// Element value as a function of the linear form `d` of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The operand's element where `d` is 0, and 0 elsewhere. Without an operand, 1.
    Diagonal,
    /// The operand's element where `d` is 0 or less (`tril`).
    Lower,
    /// The operand's element where `d` is 0 or more (`triu`).
    Upper,
    /// `d * b + a`, and `c` where `d` is the first integer.
    Steps,
    /// `d / c * b + a`, for steps that are so short that they underflow to 0.
    Parts,
    /// Row index of element `d` of a triangle, times the fourth integer plus the third. The first two integers are the
    /// lengths of its first row and of its longest rows.
    TriangleRow,
    /// Column index of the same element.
    TriangleColumn,
    /// Bartlett window at `d` of `a + 1` points.
    Bartlett,
    /// Blackman window.
    Blackman,
    /// Hamming window.
    Hamming,
    /// Hann window.
    Hanning,
    /// Kaiser window of shape `b`.
    Kaiser,
}

/// Key of the kernel `generate`, with the parameters [`GenerateParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Generate {
    /// The form.
    pub form: Form,
    /// The dtype of the results.
    pub out: DType,
    /// The dtype of the operand, if there is one.
    pub input: Option<DType>,
    /// The dtype in which the form computes: float64 or complex128.
    pub value: DType,
    /// True if results are rounded down before they are cast.
    pub floor: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Form {
    /// Returns the dtype of the form's value, and a device expression of `d`, `x`, `a`, `b` and `c`.
    fn expression(self, value: DType) -> (DType, &'static str) {
        let complex = value.is_complex();
        match self {
            Form::Diagonal => (DType::Bool, "d == 0"),
            Form::Lower => (DType::Bool, "d <= 0"),
            Form::Upper => (DType::Bool, "d >= 0"),
            Form::Steps if complex => (value, "d == p.integers[0] ? c : value{(f64)d, 0} * b + a"),
            Form::Steps => (value, "d == p.integers[0] ? c : (f64)d * b + a"),
            Form::Parts if complex => (value, "value{(f64)d, 0} * value{1.0 / c.re, 0} * b + a"),
            Form::Parts => (value, "(f64)d / c * b + a"),
            Form::TriangleRow => {
                (DType::I64, "p.integers[2] + p.integers[3] * triangle_row(d, p.integers[0], p.integers[1])")
            }
            Form::TriangleColumn => {
                (DType::I64, "p.integers[2] + p.integers[3] * triangle_column(d, p.integers[0], p.integers[1])")
            }
            Form::Bartlett => {
                (value, "2.0 * (f64)d <= a ? 1.0 + (2.0 * (f64)d - a) / a : 1.0 - (2.0 * (f64)d - a) / a")
            }
            Form::Blackman => (value, "0.42 + 0.5 * cos(angle(d, a)) + 0.08 * cos(2.0 * angle(d, a))"),
            Form::Hamming => (value, "0.54 + 0.46 * cos(angle(d, a))"),
            Form::Hanning => (value, "0.5 + 0.5 * cos(angle(d, a))"),
            Form::Kaiser => (value, "kaiser(d, a, b)"),
        }
    }
}

impl Generate {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("generate/{:?}/{}", self.form, self.out)
    }

    /// Returns the source of the kernel `generate`.
    pub fn source(&self) -> String {
        let dtypes = [self.out, self.value].into_iter().chain(self.input);
        let mut text = headers(dtypes, false);
        match self.form {
            Form::TriangleRow | Form::TriangleColumn => text.push_str(header!("triangle")),
            Form::Blackman | Form::Hamming | Form::Hanning | Form::Kaiser => text.push_str(header!("windows")),
            _ => {}
        }
        let (given, expression) = self.form.expression(self.value);
        let mut made = String::from("DEVICE element made(const params &p, i64 d, const char *from) {\n");
        let _ = writeln!(made, "  const value a = p.a.value, b = p.b.value, c = p.c.value;");
        let _ = match self.input {
            Some(input) => writeln!(
                made,
                "  if (!({expression})) return element{{}};\n  const {} x = *(const {0} *)from;\n  return {};",
                input.device_name(),
                cast(input, self.out, "x")
            ),
            None if self.floor => {
                writeln!(
                    made,
                    "  const {} y = floor({expression});\n  return {};",
                    given.device_name(),
                    cast(given, self.out, "y")
                )
            }
            None => writeln!(
                made,
                "  const {} y = {expression};\n  return {};",
                given.device_name(),
                cast(given, self.out, "y")
            ),
        };
        made.push_str("}\n");
        Unit::new(text, "generate")
            .typed("element", self.out.device_name())
            .typed("value", self.value.device_name())
            .indexed(self.width)
            .params(&GenerateParams::<()> { width: self.width, ..Default::default() })
            .with(&made)
            .with(body!("generate"))
            .finish()
    }
}
