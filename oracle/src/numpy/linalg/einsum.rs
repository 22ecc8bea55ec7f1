//! NumPy's `einsum` from its definition: for each index of the result, the sum over all indices of the summed labels of
//! the product of one element of every operand.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::{Casting, can_cast, promote_types};
use crate::core::value::{Value, cast, wrap};
use crate::numpy::statistics::Bounded;
use crate::table::{Argument, Arguments, CallResult, counterparts};

/// Returns the labels of an operand's axes: a letter, or a digit for an axis of the ellipsis, counted from the last.
fn names(text: &str, ndim: Option<usize>, most: usize) -> Result<Vec<String>> {
    let bare = text.replacen("...", "", 1);
    if bare.contains('.') || !bare.chars().all(|c| c.is_ascii_alphabetic()) {
        return fail(ErrorKind::Value, format!("invalid subscripts {text}"));
    }
    let hidden = match ndim {
        None => most,
        Some(n) if text.contains("...") && n >= bare.len() => n - bare.len(),
        Some(n) if n == bare.len() => 0,
        Some(_) => return fail(ErrorKind::Value, "the subscripts do not name the axes of the operand"),
    };
    let (front, back) = text.split_once("...").unwrap_or((text, ""));
    let letters = |text: &str| text.chars().map(|c| c.to_string()).collect::<Vec<_>>();
    let hidden = if text.contains("...") { (0..hidden).rev().map(|k| k.to_string()).collect() } else { vec![] };
    Ok([letters(front), hidden, letters(back)].concat())
}

/// The labels of all operands and of the result, and the size of each.
type Parsed = (Vec<Vec<String>>, Vec<String>, Vec<(String, usize)>);

fn parsed(subscripts: &str, operands: &[&NdArray]) -> Result<Parsed> {
    let text: String = subscripts.chars().filter(|c| !c.is_whitespace()).collect();
    let (ins, out) = text.split_once("->").map_or((text.as_str(), None), |(ins, out)| (ins, Some(out)));
    let parts: Vec<&str> = ins.split(',').collect();
    if parts.len() != operands.len() {
        return fail(ErrorKind::Value, "another number of operands than of subscripts");
    }
    let named: Vec<Vec<String>> =
        parts.iter().zip(operands).map(|(part, a)| names(part, Some(a.ndim()), 0)).collect::<Result<_>>()?;
    let is_hidden = |name: &String| name.chars().all(|c| c.is_ascii_digit());
    let most = named.iter().map(|all| all.iter().filter(|n| is_hidden(n)).count()).max().unwrap_or(0);
    let result = match out {
        Some(out) => names(out, None, most)?,
        None => {
            let all: Vec<&String> = named.iter().flatten().collect();
            let mut once: Vec<String> = all
                .iter()
                .filter(|n| !is_hidden(n) && all.iter().filter(|m| m == n).count() == 1)
                .map(|n| n.to_string())
                .collect();
            once.sort();
            [(0..most).rev().map(|k| k.to_string()).collect(), once].concat()
        }
    };
    let known = |n: &String| named.iter().flatten().any(|m| m == n);
    if result.iter().any(|n| !known(n) || result.iter().filter(|m| *m == n).count() > 1) {
        return fail(ErrorKind::Value, "the result has a subscript twice, or one that no operand has");
    }
    if most > 0 && !result.contains(&"0".to_string()) {
        return fail(ErrorKind::Value, "the result lacks the ellipsis");
    }
    let mut sizes: Vec<(String, usize)> = vec![];
    for (all, a) in named.iter().zip(operands) {
        for (k, (name, n)) in all.iter().zip(a.shape()).enumerate() {
            let twice = all[..k].iter().zip(a.shape()).any(|(other, m)| other == name && m != n);
            match sizes.iter_mut().find(|(known, _)| known == name) {
                _ if twice => return fail(ErrorKind::Value, "dimensions of one operand do not match"),
                None => sizes.push((name.clone(), *n)),
                Some((_, m)) if *m == 1 => *m = *n,
                Some((_, m)) if *n != 1 && m != n => return fail(ErrorKind::Value, "operands do not broadcast"),
                Some(_) => {}
            }
        }
    }
    Ok((named, result, sizes))
}

/// Returns all indices of a shape, in C order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape
        .iter()
        .fold(vec![vec![]], |all, n| all.iter().flat_map(|at| (0..*n).map(move |i| [&at[..], &[i]].concat())).collect())
}

/// Computes NumPy's `einsum`, and bounds the error of another order of summation.
fn einsum(t: &Arguments) -> CallResult<Bounded> {
    let operands: Vec<&NdArray> = t.get("operands")?;
    let (named, result, sizes) = parsed(t.get("subscripts")?, &operands)?;
    let common = operands[1..].iter().fold(operands[0].dtype(), |dtype, a| promote_types(dtype, a.dtype()));
    // For one operand without summed labels NumPy returns a view, regardless of dtype and casting.
    let is_view = operands.len() == 1 && sizes.iter().all(|(name, _)| result.contains(name));
    let dtype = t.get::<Option<DType>>("dtype")?.filter(|_| !is_view).unwrap_or(common);
    let casting = t.or("casting", Casting::Safe)?;
    // The order of the contractions does not affect the result.
    let _: Option<Argument> = t.get("optimize")?;
    if !is_view && operands.iter().any(|a| !can_cast(a.dtype(), dtype, casting)) {
        return Ok(fail(ErrorKind::Type, "an operand cannot be cast by the rule")?);
    }
    let size = |name: &String| sizes.iter().find(|(known, _)| known == name).map_or(1, |(_, n)| *n);
    let shape: Vec<usize> = result.iter().map(size).collect();
    let summed: Vec<&String> = sizes.iter().map(|(name, _)| name).filter(|name| !result.contains(name)).collect();
    let inner = indices(&summed.iter().map(|name| size(name)).collect::<Vec<_>>());
    let (mut values, mut bounds) = (vec![], vec![]);
    for at in indices(&shape) {
        let mut sum = Sum::new(dtype);
        for other in &inner {
            let output_axis = |name: &String| match result.iter().position(|n| n == name) {
                Some(k) => at[k],
                None => summed.iter().position(|n| *n == name).map_or(0, |k| other[k]),
            };
            let element = |(names, a): (&Vec<String>, &&NdArray)| {
                // An axis of length 1 is broadcast.
                let index: Vec<usize> =
                    names.iter().zip(a.shape()).map(|(name, n)| if *n == 1 { 0 } else { output_axis(name) }).collect();
                cast(a.get(&index), dtype).0
            };
            sum.add(named.iter().zip(&operands).map(element));
        }
        values.push(sum.value());
        bounds.push(sum.bound(operands.len()));
    }
    Ok(Bounded { result: NdArray::from_values(dtype, &shape, values)?, bounds })
}

/// A sum of products in a dtype.
struct Sum {
    dtype: DType,
    integer: i128,
    any: bool,
    number: Complex64,
    mass: f64,
    terms: usize,
}

impl Sum {
    fn new(dtype: DType) -> Sum {
        Sum { dtype, integer: 0, any: false, number: Complex64::default(), mass: 0.0, terms: 0 }
    }

    fn add(&mut self, factors: impl Iterator<Item = Value>) {
        let factors: Vec<Value> = factors.collect();
        self.terms += 1;
        match self.dtype.kind() {
            Kind::Bool => self.any |= factors.iter().all(|v| v.truth()),
            Kind::Signed | Kind::Unsigned => {
                let product = factors.iter().fold(1, |p: i128, v| wrap(p.wrapping_mul(v.int()), self.dtype));
                self.integer = wrap(self.integer + product, self.dtype);
            }
            _ => {
                let product: Complex64 = factors.iter().map(|v| v.complex()).product();
                self.number += product;
                self.mass += factors.iter().map(|v| v.complex()).map(|z| z.re.abs() + z.im.abs()).product::<f64>();
            }
        }
    }

    fn value(&self) -> Value {
        match self.dtype.kind() {
            Kind::Bool => Value::Bool(self.any),
            Kind::Signed | Kind::Unsigned => Value::Int(self.integer),
            Kind::Float => Value::Float(self.number.re),
            Kind::Complex => Value::Complex(self.number),
        }
    }

    /// Bounds the error: each term errs by a rounding for each factor, each addition by one; float16 and bfloat16 also
    /// by the rounding of intermediate contractions.
    fn bound(&self, factors: usize) -> f64 {
        let epsilon = match self.dtype {
            DType::F16 => 2f64.powi(-10),
            DType::BF16 => 2f64.powi(-7),
            DType::F32 | DType::C64 => f32::EPSILON.into(),
            d if d.is_float() || d.is_complex() => f64::EPSILON,
            _ => return 0.0,
        };
        4.0 * (self.terms + 2 * factors) as f64 * epsilon * self.mass + 1e-44
    }
}

counterparts! {
    "numpy.einsum" = |t| Ok(einsum(t)?);
}
