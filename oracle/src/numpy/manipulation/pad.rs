//! NumPy's `pad`: 1-D slices along one axis after the other; the padding of an axis is part of the slices of the next.

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::{Flag, Value, cast, scalar_as};
use crate::numpy::manipulation::join::{Cell, cells, fortran_or_c, laid_out};
use crate::numpy::statistics::quantile::{QuantileOptions, median};
use crate::table::{Argument, Arguments, Fault, counterparts};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::reduce::{ReduceOptions, reduce};
use crate::ufunc::ufunc;

/// A pair of values for the two ends of each axis.
#[derive(Clone, Debug)]
struct Sides(Vec<(Value, Value)>);

impl Sides {
    fn read(t: &Arguments, name: &str) -> std::result::Result<Option<Sides>, Fault> {
        if !t.has(name) {
            return Ok(None);
        }
        let misuse = |what: &Argument| Fault::Misuse(format!("`{name}` cannot be {what:?}"));
        let all = |argument: &Argument| -> std::result::Result<Vec<Value>, Fault> {
            match argument {
                Argument::Scalar(v) => Ok(vec![*v]),
                Argument::Integers(all) => Ok(all.iter().map(|i| Value::Int(*i as i128)).collect()),
                Argument::List(all) => all
                    .iter()
                    .map(|one| if let Argument::Scalar(v) = one { Ok(*v) } else { Err(misuse(one)) })
                    .collect(),
                other => Err(misuse(other)),
            }
        };
        let pair = |argument: &Argument| match all(argument)?[..] {
            [one] => Ok((one, one)),
            [before, after] => Ok((before, after)),
            _ => Err(misuse(argument)),
        };
        let given: Argument = t.get(name)?;
        match &given {
            Argument::List(each) if each.iter().all(|a| !matches!(a, Argument::Scalar(_))) => {
                Ok(Some(Sides(each.iter().map(pair).collect::<std::result::Result<_, _>>()?)))
            }
            one => Ok(Some(Sides(vec![pair(one)?]))),
        }
    }

    fn of(&self, ndim: usize) -> Result<Vec<(Value, Value)>> {
        match self.0.len() {
            n if n == ndim => Ok(self.0.clone()),
            1 => Ok(vec![self.0[0]; ndim]),
            n => fail(ErrorKind::Value, format!("{n} pairs cannot be broadcast to {ndim} axes")),
        }
    }

    fn counts(&self, ndim: usize) -> Result<Vec<(usize, usize)>> {
        let one = |v: Value| match v {
            Value::Int(n) if n >= 0 => Ok(n as usize),
            Value::Int(_) => fail(ErrorKind::Value, "index can't contain negative values"),
            _ => fail(ErrorKind::Type, "`pad_width` must be of integral type."),
        };
        // The values are checked even where there are no axes.
        self.0.iter().try_for_each(|(before, after)| one(*before).and(one(*after)).map(|_| ()))?;
        self.of(ndim)?.into_iter().map(|(before, after)| Ok((one(before)?, one(after)?))).collect()
    }
}

/// Elements and their shape, while axes are padded.
struct Grid {
    shape: Vec<usize>,
    cells: Vec<Cell>,
}

impl Grid {
    /// Returns the 1-D slices along an axis, in C order of the other axes.
    fn lines(&self, axis: usize) -> Vec<Vec<Cell>> {
        let n = self.shape[axis];
        let (outer, inner) = self.around(axis);
        let line = |o: usize, r: usize| (0..n).map(|i| self.cells[(o * n + i) * inner + r]).collect();
        (0..outer).flat_map(|o| (0..inner).map(move |r| (o, r))).map(|(o, r)| line(o, r)).collect()
    }

    fn around(&self, axis: usize) -> (usize, usize) {
        (self.shape[..axis].iter().product(), self.shape[axis + 1..].iter().product())
    }

    /// Returns a grid with other slices along an axis.
    fn with_lines(&self, axis: usize, lines: &[Vec<Cell>], n: usize) -> Grid {
        let (outer, inner) = self.around(axis);
        let mut shape = self.shape.clone();
        shape[axis] = n;
        let mut cells = vec![];
        for o in 0..outer {
            for i in 0..n {
                cells.extend((0..inner).map(|r| lines[o * inner + r][i]));
            }
        }
        Grid { shape, cells }
    }
}

fn array(line: &[Cell], dtype: DType) -> NdArray {
    laid_out(dtype, &[line.len()], &[0], line)
}

fn cell(a: &NdArray, dtype: DType) -> Cell {
    cells(a, dtype)[0]
}

/// Computes the statistic of a slice that pads one side.
fn statistic(mode: &str, line: &[Cell], dtype: DType) -> Result<Cell> {
    let line = array(line, dtype);
    let found = match mode {
        "maximum" => reduce("max", &line, &ReduceOptions::default())?,
        "minimum" => reduce("min", &line, &ReduceOptions::default())?,
        "mean" => reduce("mean", &line, &ReduceOptions::default())?,
        _ => median(&line, &QuantileOptions::default())?,
    };
    if dtype.is_integer() && found.dtype().is_float() {
        let (value, flag) = (found.values()[0].float(), found.flags()[0]);
        let (value, of_cast) = cast(Value::Float(value.round_ties_even()), dtype);
        return Ok((value, flag.max(of_cast)));
    }
    Ok(cell(&found, dtype))
}

/// Computes the first `n` elements of a ramp from `end` to `edge`. `small`: some step of the slices is 0.
fn ramp(end: Value, edge: Value, n: usize, dtype: DType, small: bool) -> Vec<Cell> {
    // NumPy divides a complex number by a real one as by a complex one: it multiplies by the reciprocal.
    let line = |end: f64, edge: f64, over_n: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let far = edge - end;
        let step = over_n(far);
        let at = |k: usize| if small { over_n(k as f64) * far } else { k as f64 * step };
        (0..n).map(|k| at(k) + end).collect()
    };
    let (real, complex) = (|x: f64| x / n as f64, |x: f64| x * (1.0 / n as f64));
    if let (Value::Complex(_), _) | (_, Value::Complex(_)) = (end, edge) {
        let (end, edge) = (end.complex(), edge.complex());
        let parts = line(end.re, edge.re, &complex).into_iter().zip(line(end.im, edge.im, &complex));
        return parts.map(|(re, im)| cast(Value::Complex(num_complex::Complex64::new(re, im)), dtype)).collect();
    }
    let whole = |x: f64| if dtype.is_integer() { x.floor() } else { x };
    line(end.float(), edge.float(), &real).into_iter().map(|x| cast(Value::Float(whole(x)), dtype)).collect()
}

/// Computes twice the edge less an element, as NumPy does with arrays.
fn opposite(edge: Cell, element: Cell, dtype: DType) -> Result<Cell> {
    let options = UfuncOptions::default();
    let edge = array(&[edge], dtype);
    let twice = ufunc("multiply", &[Operand::Array(&edge), Operand::Scalar(Value::Int(2))], &options)?;
    let element = array(&[element], dtype);
    Ok(cell(&ufunc("subtract", &[Operand::Array(&twice), Operand::Array(&element)], &options)?, dtype))
}

/// Pads a slice with its reflections at both ends: each time as many whole periods as there are by then, like NumPy,
/// because intermediate rounding depends on it.
fn mirrored(
    line: &[Cell],
    (mut before, mut after): (usize, usize),
    with_edge: bool,
    odd: bool,
    dtype: DType,
) -> Result<Vec<Cell>> {
    let skipped = usize::from(!with_edge);
    let period = line.len() - skipped;
    let mut whole = line.to_vec();
    while before + after > 0 {
        let (n, most) = (whole.len(), (whole.len() - skipped) / period * period);
        let (left, right) = (most.min(before), most.min(after));
        let image = |edge: usize, of: usize| if odd { opposite(whole[edge], whole[of], dtype) } else { Ok(whole[of]) };
        let front: Vec<Cell> = (0..left).rev().map(|k| image(0, skipped + k)).collect::<Result<_>>()?;
        let back: Vec<Cell> = (0..right).map(|k| image(n - 1, n - 1 - skipped - k)).collect::<Result<_>>()?;
        (before, after) = (before - left, after - right);
        whole = [front, whole, back].concat();
    }
    Ok(whole)
}

fn pad(t: &Arguments) -> std::result::Result<NdArray, Fault> {
    let a: &NdArray = t.get("array")?;
    let mode: &str = t.or("mode", "constant")?;
    let (ndim, dtype) = (a.ndim(), a.dtype());
    let reject = |kind, message: &str| fail::<NdArray>(kind, message).map_err(Fault::from);
    let own: &[&str] = match mode {
        "constant" => &["constant_values"],
        "linear_ramp" => &["end_values"],
        "maximum" | "minimum" | "mean" | "median" => &["stat_length"],
        "reflect" | "symmetric" => &["reflect_type"],
        _ => &[],
    };
    for name in ["constant_values", "end_values", "stat_length", "reflect_type"] {
        if t.has(name) && !own.contains(&name) {
            return reject(ErrorKind::Value, "unsupported keyword arguments for the mode");
        }
    }
    let widths = Sides::read(t, "pad_width")?.ok_or(Fault::Misuse("there is no width".into()))?.counts(ndim)?;
    let zeros = || Sides(vec![(Value::Int(0), Value::Int(0))]);
    let constants = Sides::read(t, "constant_values")?.unwrap_or_else(zeros);
    let by_axis = constants.0.len() > 1;
    let constants = constants.of(ndim)?;
    // NumPy assigns one integer or two for all axes as its own scalars, which wrap in an unsigned dtype.
    if dtype.kind() == Kind::Signed || by_axis && dtype.kind() == Kind::Unsigned {
        for (before, after) in &constants {
            scalar_as(*before, dtype)?;
            scalar_as(*after, dtype)?;
        }
    }
    let ends = Sides::read(t, "end_values")?.unwrap_or_else(zeros).of(ndim)?;
    let lengths = Sides::read(t, "stat_length")?.map(|s| s.counts(ndim)).transpose()?;
    let odd = t.or("reflect_type", "even")? == "odd";
    let of_elements = !matches!(mode, "constant" | "empty");
    if of_elements && (0..ndim).any(|x| a.shape()[x] == 0 && widths[x] != (0, 0)) {
        return reject(ErrorKind::Value, "can't extend empty axis using modes other than 'constant' or 'empty'");
    }
    let mut grid = Grid { shape: a.shape().to_vec(), cells: cells(a, dtype) };
    for axis in 0..ndim {
        let ((before, after), n) = (widths[axis], a.shape()[axis]);
        let lines = grid.lines(axis);
        // A step of 0 in any slice is treated as a step of 0 in all.
        let vanishes = |end: Value, count: usize, at: usize| {
            lines.iter().any(|line| {
                let far = line[at].0.complex() - end.complex();
                far.re / count as f64 == 0.0 && far.im / count as f64 == 0.0
            })
        };
        let small = match mode {
            "linear_ramp" if n > 0 && !lines.is_empty() => {
                (before > 0 && vanishes(ends[axis].0, before, 0), after > 0 && vanishes(ends[axis].1, after, n - 1))
            }
            _ => (false, false),
        };
        let mut longer = vec![];
        for line in &lines {
            let around = |left: Vec<Cell>, right: Vec<Cell>| [&left[..], line, &right[..]].concat();
            let of_source = |source: &dyn Fn(isize) -> usize| -> Vec<Cell> {
                (-(before as isize)..(n + after) as isize).map(|i| line[source(i)]).collect()
            };
            let last = n as isize - 1;
            longer.push(match mode {
                _ if a.size() == 0 && of_elements => line.clone(),
                "constant" => {
                    let (first, last) = constants[axis];
                    around(vec![cast(first, dtype); before], vec![cast(last, dtype); after])
                }
                "empty" => {
                    around(vec![(Value::zero(dtype), Flag::Any); before], vec![(Value::zero(dtype), Flag::Any); after])
                }
                "edge" => of_source(&|i| i.clamp(0, last) as usize),
                "wrap" => of_source(&|i| i.rem_euclid(n as isize) as usize),
                "reflect" | "symmetric" if n == 1 => of_source(&|_| 0),
                "reflect" | "symmetric" => mirrored(line, (before, after), mode == "symmetric", odd, dtype)?,
                "linear_ramp" => {
                    let left = ramp(ends[axis].0, line[0].0, before, dtype, small.0);
                    let mut right = ramp(ends[axis].1, line[n - 1].0, after, dtype, small.1);
                    right.reverse();
                    around(left, right)
                }
                "maximum" | "minimum" | "mean" | "median" => {
                    let (first, last) = lengths.as_ref().map_or((n, n), |all| (all[axis].0.min(n), all[axis].1.min(n)));
                    if (first == 0 || last == 0) && matches!(mode, "maximum" | "minimum") {
                        return reject(ErrorKind::Value, "stat_length of 0 yields no value for padding");
                    }
                    let left = statistic(mode, &line[..first], dtype)?;
                    let right = statistic(mode, &line[n - last..], dtype)?;
                    around(vec![left; before], vec![right; after])
                }
                other => return reject(ErrorKind::Value, &format!("mode '{other}' is not supported")),
            });
        }
        grid = grid.with_lines(axis, &longer, before + n + after);
    }
    Ok(laid_out(dtype, &grid.shape, &fortran_or_c(a), &grid.cells))
}

counterparts! {
    "numpy.pad" = |t| pad(t)?;
}
