//! Arrays as text, with NumPy's default print options.

use cuprum_kernels::{DType, Kind};

use crate::array::NdArray;
use crate::decimal::{Decimal, exponent_text, positional, scientific, scientific_fixed};
use crate::layout;
use crate::value::{Value, round};
use crate::version::{self, Change};

/// Digits behind the point at most.
const PRECISION: usize = 8;
/// From more elements than this only the edges are shown.
const THRESHOLD: usize = 1000;
/// So many items on either edge.
const EDGE: usize = 3;
/// So many characters in a line.
const LINE_WIDTH: usize = 75;

/// The text of an array, as NumPy's `str` and `array_str`.
pub fn array_str(a: &NdArray) -> String {
    if a.ndim() == 0 { scalar_text(a.get(&[]), a.dtype()) } else { array_text(a, "", " ", LINE_WIDTH) }
}

/// The text of an array that says its dtype where it is not obvious, as NumPy's `repr` and `array_repr`.
pub fn array_repr(a: &NdArray) -> String {
    let start = "array(";
    let body = array_text(a, start, ", ", LINE_WIDTH - ")".len());
    let mut more = Vec::new();
    if a.size() == 0 && a.shape() != [0] || a.size() > THRESHOLD && version::has(Change::ShapeInRepr) {
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
    let fits = last_line + 1 + more.len() <= LINE_WIDTH;
    let gap = if fits { " ".into() } else { format!("\n{}", " ".repeat(start.len())) };
    text + &gap + &more
}

/// One element on its own, as NumPy's scalars print.
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

/// A float on its own, with all the digits that it needs; `whole` follows one without a fraction.
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

/// The power of ten from which on a float dtype does not tell all integers apart to the digit.
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

/// How the floats of an array are written so that their points stand in one column.
struct Column {
    dtype: DType,
    /// Whether positive numbers have a sign.
    plus: bool,
    /// Digits behind the point and of the exponent, if there is one.
    exponent: Option<(usize, usize)>,
    /// Characters before the point and behind it.
    left: usize,
    right: usize,
}

impl Column {
    fn new(values: &[f64], dtype: DType, plus: bool) -> Column {
        let dtype = dtype.real();
        let finite: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        let sizes = || finite.iter().map(|x| x.abs()).filter(|x| *x != 0.0);
        let (low, high) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
        // The limits are numbers of the dtype, where they are weak beside it, and so is the ratio.
        let limit = if version::has(Change::ShortFloats) { trusted(dtype).min(1e8) } else { 1e8 };
        let small = if version::has(Change::Promotion) { round(1e-4, dtype) } else { 1e-4 };
        let needs_exponent =
            sizes().next().is_some() && (high >= limit || low < small || round(high / low, dtype) > 1000.0);
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let sign = |x: f64| minus(x, if plus { "+" } else { "" }).len();
        let mut column = Column { dtype, plus, exponent: None, left: 0, right: 0 };
        if needs_exponent {
            let written: Vec<Decimal> = finite.iter().map(|x| scientific(*x, dtype, PRECISION)).collect();
            let fraction = longest(&mut written.iter().map(|d| d.fraction().len()));
            let digits = longest(&mut written.iter().map(|d| exponent_text(d.exponent, 2).len() - "e+".len()));
            column.exponent = Some((fraction, digits));
            column.left = longest(&mut finite.iter().map(|x| sign(*x) + 1));
            column.right = fraction + "e+".len() + digits;
        } else {
            let written: Vec<(String, String)> = finite.iter().map(|x| in_column(*x, dtype)).collect();
            column.left = longest(&mut written.iter().zip(&finite).map(|((b, _), x)| sign(*x) + b.len()));
            column.right = longest(&mut written.iter().map(|(_, b)| b.len()));
        }
        if finite.len() < values.len() {
            // Room for "inf" with its sign, whether it is there or only a NaN.
            let signed = plus || values.contains(&f64::NEG_INFINITY);
            column.left = column.left.max(("inf".len() + signed as usize).saturating_sub(column.right + 1));
        }
        column
    }

    fn word(&self, x: f64) -> String {
        let (left, right) = (self.left, self.right);
        if !x.is_finite() {
            return format!("{:>width$}", not_finite(x, self.plus), width = left + 1 + right);
        }
        let sign = minus(x, if self.plus { "+" } else { "" });
        match self.exponent {
            Some((fraction, digits)) => {
                let (number, exponent) = scientific_fixed(x, self.dtype, fraction);
                let width = left + 1 + fraction;
                format!("{:>width$}{}", format!("{sign}{number}"), exponent_text(exponent, digits))
            }
            None => {
                let (before, behind) = in_column(x, self.dtype);
                format!("{:>left$}.{behind:<right$}", format!("{sign}{before}"))
            }
        }
    }
}

/// What is before the point and what is behind it. Where no exponent took over, an element without a fraction had all its
/// digits.
fn in_column(x: f64, dtype: DType) -> (String, String) {
    let (before, behind) = positional(x, dtype, PRECISION);
    if behind.is_empty() && !version::has(Change::ShortFloats) {
        return (format!("{:.0}", x.abs()), behind);
    }
    (before, behind)
}

/// Every element that is shown as a word of the same width.
fn words(values: &[Value], dtype: DType, alone: bool) -> Vec<String> {
    match dtype.kind() {
        Kind::Bool => {
            values.iter().map(|v| format!("{:>1$}", scalar_text(*v, dtype), if alone { 0 } else { 5 })).collect()
        }
        Kind::Signed | Kind::Unsigned => {
            let width = values.iter().map(|v| v.int().to_string().len()).max().unwrap_or(0);
            values.iter().map(|v| format!("{:>width$}", v.int())).collect()
        }
        Kind::Float => {
            let column = Column::new(&values.iter().map(|v| v.float()).collect::<Vec<_>>(), dtype, false);
            values.iter().map(|v| column.word(v.float())).collect()
        }
        Kind::Complex => {
            let part = |pick: fn(&Value) -> f64, plus| {
                let parts: Vec<f64> = values.iter().map(pick).collect();
                let column = Column::new(&parts, dtype, plus);
                parts.into_iter().map(|x| column.word(x)).collect::<Vec<_>>()
            };
            let (real, imaginary) = (part(|v| v.complex().re, false), part(|v| v.complex().im, true));
            let join = |(re, im): (&String, &String)| {
                let digits = im.trim_end();
                format!("{re}{digits}j{}", &im[digits.len()..])
            };
            real.iter().zip(&imaginary).map(join).collect()
        }
    }
}

/// The elements in brackets.
fn array_text(a: &NdArray, prefix: &str, separator: &str, width: usize) -> String {
    if a.size() == 0 {
        return "[]".into();
    }
    let cut = |n: usize| a.size() > THRESHOLD && n > 2 * EDGE;
    // The places along each axis that are shown.
    let places: Vec<Vec<usize>> = a
        .shape()
        .iter()
        .map(|n| if cut(*n) { (0..EDGE).chain(n - EDGE..*n).collect() } else { (0..*n).collect() })
        .collect();
    let lengths: Vec<usize> = places.iter().map(Vec::len).collect();
    let c_strides = layout::packed(&lengths, 1, &layout::c_order(lengths.len()));
    let values: Vec<Value> = layout::offsets(&lengths, &c_strides, 0)
        .into_iter()
        .map(|at| {
            let step = |i: usize| places[i][at / c_strides[i] as usize % lengths[i]];
            a.get(&(0..lengths.len()).map(step).collect::<Vec<_>>())
        })
        .collect();
    let words = words(&values, a.dtype(), a.ndim() == 0);
    let gaps: Vec<bool> = a.shape().iter().map(|n| cut(*n)).collect();
    Brackets { lengths: &lengths, gaps: &gaps, separator }.text(&words, prefix.len() + 1, width)
}

/// Words in nested brackets.
struct Brackets<'a> {
    /// The words along each axis from here inwards, and whether some are left out in their middle.
    lengths: &'a [usize],
    gaps: &'a [bool],
    separator: &'a str,
}

impl Brackets<'_> {
    /// `indent` blanks stand before every line but the first, which follows the opening bracket.
    fn text(&self, words: &[String], indent: usize, width: usize) -> String {
        let [n, inner @ ..] = self.lengths else { return words[0].clone() };
        let gap = self.gaps[0].then_some(EDGE);
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

    /// Words side by side, as many to a line as fit.
    fn lines(&self, words: &[String], gap: Option<usize>, indent: usize, width: usize) -> String {
        let mut items: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(at) = gap {
            items.insert(at, "...");
        }
        // Behind the last word of a line there is a separator or a bracket.
        let width = width.saturating_sub(self.separator.trim_end().len().max(1));
        let (mut text, mut used) = (String::new(), indent);
        for (i, item) in items.iter().enumerate() {
            // A line that is still empty takes a word of any length.
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
        // Of float32 six digits are sure, of float16 three.
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
        // Words of 2 and blanks between: 75 characters hold the brackets' column and 25 numbers less the bracket.
        let text = array_str(&zeros(DType::I64, &[60]));
        assert!(text.lines().all(|l| l.len() <= LINE_WIDTH) && text.lines().count() == 2, "{text}");
        assert_eq!(array_str(&zeros(DType::I64, &[2, 1, 1])), "[[[0]]\n\n [[0]]]");
    }
}
