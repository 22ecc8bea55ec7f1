//! Text representation of arrays, with NumPy's print options.

use cuprum_kernels::{DType, Kind};

use crate::core::array::NdArray;
use crate::core::layout;
use crate::core::value::{Value, round};
use crate::core::version::{self, Change};
use crate::exact::decimal::{Decimal, exact_scientific, exponent_text, positional, scientific, scientific_fixed};

/// Print options, with NumPy's names and defaults.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// The maximum number of digits after the decimal point.
    pub precision: usize,
    /// The number of elements above which only the edges are printed.
    pub threshold: usize,
    /// The number of items at either edge.
    pub edgeitems: usize,
    /// The number of characters in a line.
    pub max_line_width: usize,
    /// Prints small numbers without an exponent.
    pub suppress_small: bool,
    /// The character before a number without a minus: `-` (none), `+` or a blank.
    pub sign: char,
    /// The number of digits of a float.
    pub floatmode: FloatMode,
    /// The separator of elements.
    pub separator: String,
}

/// NumPy's `floatmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatMode {
    /// As many digits as the precision.
    Fixed,
    /// The shortest digits that identify the number.
    Unique,
    /// The shortest digits that identify the number, limited by the precision.
    MaxPrec,
    /// The digits of `MaxPrec`, with the same number for all elements.
    MaxPrecEqual,
}

impl std::str::FromStr for FloatMode {
    type Err = String;

    fn from_str(name: &str) -> Result<FloatMode, String> {
        match name {
            "fixed" => Ok(FloatMode::Fixed),
            "unique" => Ok(FloatMode::Unique),
            "maxprec" => Ok(FloatMode::MaxPrec),
            "maxprec_equal" => Ok(FloatMode::MaxPrecEqual),
            other => Err(format!("{other} is no floatmode")),
        }
    }
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            precision: 8,
            threshold: 1000,
            edgeitems: 3,
            max_line_width: 75,
            suppress_small: false,
            sign: '-',
            floatmode: FloatMode::MaxPrec,
            separator: " ".into(),
        }
    }
}

/// Formats the elements in brackets, as NumPy's `array2string`.
pub fn array2string(a: &NdArray, options: &TextOptions) -> String {
    array_text(a, "", options.max_line_width, options)
}

/// Formats an array as NumPy's `str` and `array_str`.
pub fn array_str(a: &NdArray) -> String {
    if a.ndim() == 0 { scalar_text(a.get(&[]), a.dtype()) } else { array2string(a, &TextOptions::default()) }
}

/// Formats an array with its dtype where it is not the default, as NumPy's `repr` and `array_repr`.
pub fn array_repr(a: &NdArray) -> String {
    let start = "array(";
    let options = TextOptions { separator: ", ".into(), ..TextOptions::default() };
    let width = options.max_line_width;
    let body = array_text(a, start, width - ")".len(), &options);
    let mut more = Vec::new();
    if a.size() == 0 && a.shape() != [0] || a.size() > options.threshold && version::has(Change::ShapeInRepr) {
        let lengths: Vec<String> = a.shape().iter().map(|n| n.to_string()).collect();
        more.push(format!("shape=({}{})", lengths.join(", "), if a.ndim() == 1 { "," } else { "" }));
    }
    if a.size() == 0 || !matches!(a.dtype(), DType::Bool | DType::I64 | DType::F64 | DType::C128) {
        more.push(format!("dtype={}", a.dtype()));
    }
    if more.is_empty() {
        return format!("{start}{body})");
    }
    let (text, more) = (format!("{start}{body},"), more.join(", ") + ")");
    let last_line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    let fits = last_line + 1 + more.len() <= width;
    let gap = if fits { " ".into() } else { format!("\n{}", " ".repeat(start.len())) };
    text + &gap + &more
}

/// Formats one element as NumPy formats scalars.
fn scalar_text(v: Value, dtype: DType) -> String {
    match v {
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => alone(x, dtype, ".0"),
        Value::Complex(z) => {
            let imaginary = alone(z.im, dtype, "");
            if z.re == 0.0 && z.re.is_sign_positive() {
                return format!("{imaginary}j");
            }
            let plus = if z.im.is_nan() || z.im.is_sign_positive() { "+" } else { "" };
            format!("({}{plus}{imaginary}j)", alone(z.re, dtype, ""))
        }
    }
}

/// Formats a single float, with all the digits that it needs; `whole` is appended to one without a fraction.
fn alone(x: f64, dtype: DType, whole: &str) -> String {
    if !x.is_finite() {
        return not_finite(x, false).into();
    }
    let minus = minus(x, "");
    let dtype = dtype.real();
    let limit = if dtype == DType::F64 || !version::has(Change::ShortFloats) { 1e16 } else { trusted(dtype) };
    if x != 0.0 && !(1e-4..limit).contains(&x.abs()) {
        let shortest = Decimal::shortest(x, dtype);
        let fraction = shortest.fraction().len();
        let (digits, exponent) = scientific_fixed(x, dtype, fraction);
        return format!("{minus}{}{}", digits.trim_end_matches('.'), exponent_text(exponent, 2));
    }
    let (before, behind) = positional(x, dtype, usize::MAX);
    if behind.is_empty() { format!("{minus}{before}{whole}") } else { format!("{minus}{before}.{behind}") }
}

/// Returns the power of ten from which on a float dtype no longer represents all integers.
fn trusted(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1e3,
        DType::BF16 => 1e2,
        DType::F32 => 1e6,
        _ => 1e15,
    }
}

fn not_finite(x: f64, plus: bool) -> &'static str {
    match (x.is_nan(), x < 0.0, plus) {
        (true, _, false) => "nan",
        (true, _, true) => "+nan",
        (_, true, _) => "-inf",
        (_, _, false) => "inf",
        (_, _, true) => "+inf",
    }
}

fn minus(x: f64, plus: &'static str) -> &'static str {
    if x.is_sign_negative() { "-" } else { plus }
}

/// Format of the floats of an array with aligned decimal points.
struct Column<'o> {
    dtype: DType,
    /// The prefix of a number without a minus: nothing or a plus.
    plus: &'static str,
    options: &'o TextOptions,
    /// Digits after the point and of the exponent, if there is one.
    exponent: Option<(usize, usize)>,
    /// Characters before and after the point.
    left: usize,
    right: usize,
}

impl Column<'_> {
    fn new<'o>(values: &[f64], dtype: DType, sign: char, options: &'o TextOptions) -> Column<'o> {
        let dtype = dtype.real();
        let finite: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        let sizes = || finite.iter().map(|x| x.abs()).filter(|x| *x != 0.0);
        let (low, high) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
        // The limits are numbers of the dtype, where they are weak scalars, and so is the ratio.
        let limit = if version::has(Change::ShortFloats) { trusted(dtype).min(1e8) } else { 1e8 };
        let least = if version::has(Change::Promotion) { round(1e-4, dtype) } else { 1e-4 };
        let small = !options.suppress_small && (low < least || round(high / low, dtype) > 1000.0);
        let needs_exponent = sizes().next().is_some() && (high >= limit || small);
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let plus = if sign == '+' { "+" } else { "" };
        let mut column = Column { dtype, plus, options, exponent: None, left: 0, right: 0 };
        let before = |x: f64| minus(x, plus).len();
        if needs_exponent {
            let written: Vec<(usize, i32)> = finite.iter().map(|x| column.fraction_and_exponent(*x)).collect();
            let fraction = longest(&mut written.iter().map(|(fraction, _)| *fraction));
            let digits = longest(&mut written.iter().map(|(_, e)| exponent_text(*e, 2).len() - "e+".len()));
            column.exponent = Some((fraction, digits));
            column.left = longest(&mut finite.iter().map(|x| before(*x) + 1));
            column.right = fraction + "e+".len() + digits;
        } else {
            let written: Vec<(String, String)> = finite.iter().map(|x| column.written_out(*x)).collect();
            column.left = longest(&mut written.iter().zip(&finite).map(|((b, _), x)| before(*x) + b.len()));
            column.right = longest(&mut written.iter().map(|(_, b)| b.len()));
        }
        if sign == ' ' && finite.iter().all(|x| x.is_sign_positive()) {
            column.left += 1;
        }
        if finite.len() < values.len() {
            // Room for "inf" with its sign, whether it occurs or only a NaN.
            let signed = sign != '-' || values.contains(&f64::NEG_INFINITY);
            column.left = column.left.max(("inf".len() + signed as usize).saturating_sub(column.right + 1));
        }
        column
    }

    /// Returns the maximum number of digits after the point.
    fn limit(&self) -> usize {
        if self.options.floatmode == FloatMode::Unique { usize::MAX } else { self.options.precision }
    }

    /// Returns the number of digits after the point, and the exponent.
    fn fraction_and_exponent(&self, x: f64) -> (usize, i32) {
        if self.options.floatmode == FloatMode::Fixed {
            return (self.options.precision, Decimal::fixed(x.abs(), self.options.precision).exponent);
        }
        let decimal = scientific(x, self.dtype, self.limit());
        (decimal.fraction().len(), decimal.exponent)
    }

    /// Returns the digits before and after the point of a single number.
    fn written_out(&self, x: f64) -> (String, String) {
        if self.options.floatmode == FloatMode::Fixed {
            return split(format!("{:.1$}", x.abs(), self.options.precision));
        }
        in_column(x, self.dtype, self.limit())
    }

    /// Returns the digits before and after the point, aligned with the other elements.
    fn beside_others(&self, x: f64) -> (String, String) {
        let (before, behind) = self.written_out(x);
        let is_short = self.options.floatmode == FloatMode::MaxPrecEqual && behind.len() < self.right;
        // The shortest digits are followed by those of the exact value.
        if is_short { split(format!("{:.1$}", x.abs(), self.right)) } else { (before, behind) }
    }

    fn word(&self, x: f64) -> String {
        let (left, right) = (self.left, self.right);
        if !x.is_finite() {
            return format!("{:>width$}", not_finite(x, self.plus == "+"), width = left + 1 + right);
        }
        let sign = minus(x, self.plus);
        match self.exponent {
            Some((fraction, digits)) => {
                let (number, exponent) = match self.options.floatmode {
                    FloatMode::Fixed => exact_scientific(x, fraction),
                    _ => scientific_fixed(x, self.dtype, fraction),
                };
                let width = left + 1 + fraction;
                format!("{:>width$}{}", format!("{sign}{number}"), exponent_text(exponent, digits))
            }
            None => {
                let (before, behind) = self.beside_others(x);
                format!("{:>left$}.{behind:<right$}", format!("{sign}{before}"))
            }
        }
    }
}

/// Splits a text at the decimal point.
fn split(text: String) -> (String, String) {
    text.split_once('.').map_or((text.clone(), String::new()), |(before, behind)| (before.into(), behind.into()))
}

/// Returns the digits before and after the point. Before NumPy used an exponent, an element without a fraction had all
/// its digits.
fn in_column(x: f64, dtype: DType, limit: usize) -> (String, String) {
    let (before, behind) = positional(x, dtype, limit);
    if behind.is_empty() && !version::has(Change::ShortFloats) {
        return (format!("{:.0}", x.abs()), behind);
    }
    (before, behind)
}

/// Formats every printed element with the same width.
fn words(values: &[Value], dtype: DType, alone: bool, options: &TextOptions) -> Vec<String> {
    match dtype.kind() {
        Kind::Bool => {
            values.iter().map(|v| format!("{:>1$}", scalar_text(*v, dtype), if alone { 0 } else { 5 })).collect()
        }
        Kind::Signed | Kind::Unsigned => {
            let any_minus = values.iter().any(|v| v.int() < 0);
            let plus = match options.sign {
                '+' => "+",
                ' ' if !any_minus => " ",
                _ => "",
            };
            let text = |v: &Value| if v.int() < 0 { v.int().to_string() } else { format!("{plus}{}", v.int()) };
            let width = values.iter().map(|v| text(v).len()).max().unwrap_or(0);
            values.iter().map(|v| format!("{:>width$}", text(v))).collect()
        }
        Kind::Float => {
            let floats: Vec<f64> = values.iter().map(|v| v.float()).collect();
            let column = Column::new(&floats, dtype, options.sign, options);
            values.iter().map(|v| column.word(v.float())).collect()
        }
        Kind::Complex => {
            let part = |pick: fn(&Value) -> f64, sign| {
                let parts: Vec<f64> = values.iter().map(pick).collect();
                let column = Column::new(&parts, dtype, sign, options);
                parts.into_iter().map(|x| column.word(x)).collect::<Vec<_>>()
            };
            let (real, imaginary) = (part(|v| v.complex().re, options.sign), part(|v| v.complex().im, '+'));
            let join = |(re, im): (&String, &String)| {
                let digits = im.trim_end();
                format!("{re}{digits}j{}", &im[digits.len()..])
            };
            real.iter().zip(&imaginary).map(join).collect()
        }
    }
}

/// Formats the elements in brackets.
fn array_text(a: &NdArray, prefix: &str, width: usize, options: &TextOptions) -> String {
    let edge = options.edgeitems;
    if a.size() == 0 {
        return "[]".into();
    }
    let cut = |n: usize| a.size() > options.threshold && n > 2 * edge;
    // The indices along each axis that are printed.
    let offsets_along: Vec<Vec<usize>> = a
        .shape()
        .iter()
        .map(|n| if cut(*n) { (0..edge).chain(n - edge..*n).collect() } else { (0..*n).collect() })
        .collect();
    let lengths: Vec<usize> = offsets_along.iter().map(Vec::len).collect();
    let c_strides = layout::packed(&lengths, 1, &layout::c_order(lengths.len()));
    let values: Vec<Value> = layout::offsets(&lengths, &c_strides, 0)
        .into_iter()
        .map(|at| {
            let step = |i: usize| offsets_along[i][at / c_strides[i] as usize % lengths[i]];
            a.get(&(0..lengths.len()).map(step).collect::<Vec<_>>())
        })
        .collect();
    let words = words(&values, a.dtype(), a.ndim() == 0, options);
    let gaps: Vec<Option<usize>> = a.shape().iter().map(|n| cut(*n).then_some(edge)).collect();
    Brackets { lengths: &lengths, gaps: &gaps, separator: &options.separator }.text(&words, prefix.len() + 1, width)
}

/// Nested brackets of formatted elements.
struct Brackets<'a> {
    /// The number of elements along each axis from here inwards, and the index after which some are omitted.
    lengths: &'a [usize],
    gaps: &'a [Option<usize>],
    separator: &'a str,
}

impl Brackets<'_> {
    /// Formats with `indent` blanks before every line but the first, which follows the opening bracket.
    fn text(&self, words: &[String], indent: usize, width: usize) -> String {
        let [n, inner @ ..] = self.lengths else { return words[0].clone() };
        let gap = self.gaps[0];
        if inner.is_empty() {
            return format!("[{}]", self.lines(words, gap, indent, width));
        }
        let nested = Brackets { lengths: inner, gaps: &self.gaps[1..], separator: self.separator };
        let mut items: Vec<String> =
            words.chunks(words.len() / n).map(|part| nested.text(part, indent + 1, width.saturating_sub(1))).collect();
        if let Some(at) = gap {
            items.insert(at, "...".into());
        }
        let between = format!("{}{}{}", self.separator.trim_end(), "\n".repeat(inner.len()), " ".repeat(indent));
        format!("[{}]", items.join(&between))
    }

    /// Formats elements in lines, as many to a line as fit.
    fn lines(&self, words: &[String], gap: Option<usize>, indent: usize, width: usize) -> String {
        let mut items: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(at) = gap {
            items.insert(at, "...");
        }
        // The last element of a line is followed by a separator or a bracket.
        let width = width.saturating_sub(self.separator.trim_end().len().max(1));
        let (mut text, mut used) = (String::new(), indent);
        for (i, item) in items.iter().enumerate() {
            // An empty line takes an element of any length.
            if used > indent && used + item.len() > width {
                text.truncate(text.trim_end().len());
                text += "\n";
                text += &" ".repeat(indent);
                used = indent;
            }
            text += item;
            used += item.len();
            if i + 1 < items.len() {
                text += self.separator;
                used += self.separator.len();
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(dtype: DType, values: &[f64]) -> NdArray {
        NdArray::from_values(dtype, &[values.len()], values.iter().map(|v| Value::Float(*v))).expect("the shape fits")
    }

    fn zeros(dtype: DType, shape: &[usize]) -> NdArray {
        NdArray::from_values(dtype, shape, vec![Value::Int(0); shape.iter().product()]).expect("the shape fits")
    }

    #[test]
    fn points_stand_in_one_column() {
        assert_eq!(array_str(&floats(DType::F64, &[1.0, 10.25, -0.5])), "[ 1.   10.25 -0.5 ]");
        assert_eq!(array_str(&floats(DType::F64, &[1.0 / 3.0, 2.0])), "[0.33333333 2.        ]");
        assert_eq!(array_str(&floats(DType::F64, &[f64::NAN, 1.0, f64::NEG_INFINITY])), "[ nan   1. -inf]");
    }

    #[test]
    fn wide_ranges_take_an_exponent() {
        assert_eq!(array_str(&floats(DType::F64, &[1e8, 1.0])), "[1.e+08 1.e+00]");
        assert_eq!(array_str(&floats(DType::F64, &[1000.0, 1.0])), "[1000.    1.]");
        assert_eq!(array_str(&floats(DType::F64, &[1001.0, 1.0])), "[1.001e+03 1.000e+00]");
        assert_eq!(array_str(&floats(DType::F64, &[1e-5])), "[1.e-05]");
        // Six digits of float32 are certain, three of float16.
        assert_eq!(array_str(&floats(DType::F32, &[1e6])), "[1.e+06]");
        assert_eq!(array_str(&floats(DType::F16, &[1000.0])), "[1.e+03]");
    }

    #[test]
    fn elements_on_their_own_have_all_their_digits() {
        let one = |dtype, v| array_str(&NdArray::from_values(dtype, &[], [v]).expect("one value"));
        assert_eq!(one(DType::F64, Value::Float(1.0)), "1.0");
        assert_eq!(one(DType::F64, Value::Float(1e16)), "1e+16");
        assert_eq!(one(DType::F64, Value::Float(0.1 + 0.2)), "0.30000000000000004");
        assert_eq!(one(DType::C128, Value::Complex(num_complex::Complex64::new(1.0, -2.5))), "(1-2.5j)");
        assert_eq!(one(DType::C128, Value::Complex(num_complex::Complex64::new(0.0, 2.0))), "2j");
        assert_eq!(one(DType::Bool, Value::Bool(true)), "True");
    }

    #[test]
    fn repr_says_what_the_elements_do_not() {
        assert_eq!(array_repr(&floats(DType::F64, &[1.0])), "array([1.])");
        assert_eq!(array_repr(&floats(DType::F32, &[1.0])), "array([1.], dtype=float32)");
        assert_eq!(array_repr(&zeros(DType::F64, &[0])), "array([], dtype=float64)");
        assert_eq!(array_repr(&zeros(DType::F64, &[0, 3])), "array([], shape=(0, 3), dtype=float64)");
        assert_eq!(array_repr(&zeros(DType::Bool, &[2])), "array([False, False])");
    }

    #[test]
    fn large_arrays_show_their_edges() {
        assert_eq!(array_str(&zeros(DType::I64, &[1001])), "[0 0 0 ... 0 0 0]");
        assert_eq!(array_repr(&zeros(DType::I64, &[1001])), "array([0, 0, 0, ..., 0, 0, 0], shape=(1001,))");
        let rows = "[0 0]\n [0 0]\n [0 0]";
        assert_eq!(array_str(&zeros(DType::I64, &[501, 2])), format!("[{rows}\n ...\n {rows}]"));
    }

    #[test]
    fn lines_end_before_the_limit() {
        // Elements of width 2 with blanks between: 75 characters hold the brackets' column and 25 numbers less the
        // bracket.
        let text = array_str(&zeros(DType::I64, &[60]));
        assert!(text.lines().all(|l| l.len() <= 75) && text.lines().count() == 2, "{text}");
        assert_eq!(array_str(&zeros(DType::I64, &[2, 1, 1])), "[[[0]]\n\n [[0]]]");
    }
}
