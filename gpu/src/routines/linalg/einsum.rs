//! Einstein summation: `einsum` and `einsum_path`.
//!
//! Operands are contracted in pairs, each by [`contracted`].

use std::collections::BTreeSet;

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine, unrecorded};

use super::contraction::{Label, LabeledOperand, Labels, contracted};
use crate::array::{Array, IntoArgument};
use crate::dtype::{Casting, result_type};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, shape_text};
use crate::table::{Argument, ParameterKind, Value};
use crate::ufunc::loops::check_cast;

/// Contraction order of [`einsum`].
///
/// NumPy's `optimize` is `False` for `InOrder`, `"greedy"`, `"optimal"`, or a list of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EinsumPath {
    /// From the first operand to the last.
    #[default]
    InOrder,
    /// Greedy: next the pair whose contraction reduces the size of the arrays most.
    Greedy,
    /// The order with the fewest multiplications, by exhaustive search.
    Optimal,
    /// Explicit positions, one contraction after the other: the contracted operands leave the list, and the result is
    /// appended.
    Explicit(Vec<Vec<usize>>),
}

impl From<bool> for EinsumPath {
    fn from(optimize: bool) -> EinsumPath {
        if optimize { EinsumPath::Greedy } else { EinsumPath::InOrder }
    }
}

impl From<Vec<Vec<usize>>> for EinsumPath {
    fn from(path: Vec<Vec<usize>>) -> EinsumPath {
        EinsumPath::Explicit(path)
    }
}

impl Argument<'_> for EinsumPath {
    const KIND: ParameterKind = ParameterKind::Choice(&["greedy", "optimal"]);
    const OPTIONAL: bool = false;

    fn read(value: &Value) -> Result<EinsumPath> {
        match value {
            Value::Text(name) if name == "greedy" => Ok(EinsumPath::Greedy),
            Value::Text(name) if name == "optimal" => Ok(EinsumPath::Optimal),
            Value::Text(name) => Err(Error::new(
                ErrorKind::Value,
                format!("there is no path called {name:?}; pass greedy, optimal or a list of positions"),
            )),
            // NumPy's lists begin with the string `einsum_path`.
            Value::List(all) => {
                let steps = all.iter().filter(|step| !matches!(step, Value::Text(_)));
                steps.map(Vec::<usize>::read).collect::<Result<_>>().map(EinsumPath::Explicit)
            }
            other => bool::read(other).map(EinsumPath::from),
        }
    }

    fn value(&self) -> Value {
        match self {
            EinsumPath::InOrder => Value::from(false),
            EinsumPath::Greedy => Value::from("greedy"),
            EinsumPath::Optimal => Value::from("optimal"),
            EinsumPath::Explicit(path) => {
                let step = |all: &Vec<usize>| Value::Integers(all.iter().map(|at| *at as isize).collect());
                Value::List(path.iter().map(step).collect())
            }
        }
    }
}

/// Options of [`einsum`].
///
/// The defaults are no output array, the promoted dtype, safe casts, and contraction in order.
///
/// ```
/// use cuprum::{EinsumOptions, EinsumPath, einsum, ones};
/// let (a, b, c) = (ones([2, 3], ())?, ones([3, 4], ())?, ones([4, 5], ())?);
/// let options = EinsumOptions { optimize: EinsumPath::Optimal, ..Default::default() };
/// assert_eq!(einsum("ij,jk,kl->il", &[&a, &b, &c], options)?.shape(), [2, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Options)]
pub struct EinsumOptions<'a> {
    /// The output array; by default a new one.
    pub out: Option<&'a Array>,
    /// The dtype of the products and of the result; by default the promoted dtype of the operands.
    pub dtype: Option<DType>,
    /// The casts of operands that are allowed. By default [`Casting::Safe`].
    pub casting: Casting,
    /// The order in which operands are contracted. By default [`EinsumPath::InOrder`].
    pub optimize: EinsumPath,
}

impl Default for EinsumOptions<'_> {
    fn default() -> Self {
        EinsumOptions { out: None, dtype: None, casting: Casting::Safe, optimize: EinsumPath::InOrder }
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

/// Parses the labels of one operand or of the result; `hidden` returns the number of axes that the ellipsis covers.
fn labels(text: &str, hidden: impl Fn(usize) -> Result<usize>) -> Result<Labels> {
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let (mut all, mut rest, mut seen) = (Labels::new(), text, false);
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("...") {
            if seen {
                return Err(wrong(format!("subscripts {text:?} have more than one ellipsis")));
            }
            seen = true;
            all.extend((0..hidden(letters)?).rev().map(Label::Broadcast));
            rest = behind;
            continue;
        }
        if !c.is_ascii_alphabetic() {
            return Err(wrong(format!("{c:?} is no subscript of {text:?}: letters and an ellipsis are")));
        }
        all.push(Label::Letter(c));
        rest = &rest[1..];
    }
    Ok(all)
}

/// Parses subscripts: the labels of each operand's axes, and those of the result.
fn parsed(subscripts: &str, operands: &[&Array]) -> Result<(Vec<Labels>, Labels)> {
    let text: String = subscripts.chars().filter(|c| !c.is_whitespace()).collect();
    let (ins, out) = match text.split_once("->") {
        Some((ins, out)) => (ins.to_string(), Some(out.to_string())),
        None => (text, None),
    };
    let parts: Vec<&str> = ins.split(',').collect();
    if parts.len() != operands.len() {
        return Err(wrong(format!(
            "there are subscripts of {} operands, and {} operands",
            parts.len(),
            operands.len()
        )));
    }
    let mut named = vec![];
    let mut most = 0;
    for (part, a) in parts.iter().zip(operands) {
        let mismatch = || {
            let shape = shape_text(a.shape());
            wrong(format!("subscripts {part:?} do not name the axes of an operand of shape {shape}"))
        };
        let own = labels(part, |letters| a.ndim().checked_sub(letters).ok_or_else(mismatch))?;
        if own.len() != a.ndim() {
            return Err(mismatch());
        }
        most = most.max(own.iter().filter(|l| matches!(l, Label::Broadcast(_))).count());
        named.push(own);
    }
    let all: Vec<Label> = named.iter().flatten().copied().collect();
    let result = match &out {
        Some(out) => labels(out, |_| Ok(most))?,
        // Implicit result: the letters that occur once, in alphabetical order.
        None => {
            let letters: BTreeSet<Label> = all.iter().copied().filter(|l| matches!(l, Label::Letter(_))).collect();
            let once = letters.into_iter().filter(|l| all.iter().filter(|other| *other == l).count() == 1);
            (0..most).rev().map(Label::Broadcast).chain(once).collect()
        }
    };
    if let Some(twice) = result.iter().enumerate().find(|(k, l)| result[..*k].contains(l)) {
        return Err(wrong(format!("the result has the subscript {:?} twice", twice.1)));
    }
    if let Some(unknown) = result.iter().find(|l| !all.contains(l)) {
        return Err(wrong(format!("the result has the subscript {unknown:?}, which no operand has")));
    }
    if out.is_some() && most > 0 && !result.contains(&Label::Broadcast(0)) {
        return Err(wrong("the operands have an ellipsis, the result has none: put ... into it".into()));
    }
    Ok((named, result))
}

/// Returns the size of each label.
fn sizes(named: &[Labels], operands: &[&Array]) -> Result<Vec<(Label, usize)>> {
    let mut known: Vec<(Label, usize)> = vec![];
    for (labels, a) in named.iter().zip(operands) {
        for (label, &size) in labels.iter().zip(a.shape()) {
            match known.iter_mut().find(|(l, _)| l == label) {
                None => known.push((*label, size)),
                Some((_, n)) if *n == 1 => *n = size,
                Some((_, n)) if size != 1 && *n != size => {
                    return Err(wrong(format!("the subscript {label:?} labels axes of {n} and of {size} elements")));
                }
                Some(_) => {}
            }
        }
    }
    Ok(known)
}

fn size_in(sizes: &[(Label, usize)], label: Label) -> usize {
    sizes.iter().find(|(l, _)| *l == label).map_or(1, |(_, n)| *n)
}

/// Returns the steps of a path: positions of the operands contracted, in a list that shrinks.
fn steps(path: &EinsumPath, named: &[Labels], out: &Labels, sizes: &[(Label, usize)]) -> Result<Vec<Vec<usize>>> {
    let count = named.len();
    match path {
        // The result is appended: the next pair is the first of the others and the result.
        EinsumPath::InOrder => Ok((1..count).map(|k| if k == 1 { vec![0, 1] } else { vec![0, count - k] }).collect()),
        EinsumPath::Explicit(given) => {
            let mut left = count;
            for step in given {
                let mut seen = BTreeSet::new();
                if step.is_empty() || !step.iter().all(|at| *at < left && seen.insert(*at)) {
                    return Err(wrong(format!("a step of the path names the positions {step:?} of {left} operands")));
                }
                left = left + 1 - step.len();
            }
            let mut steps = given.clone();
            if left > 1 {
                steps.push((0..left).collect());
            }
            Ok(steps)
        }
        EinsumPath::Greedy | EinsumPath::Optimal => {
            let sets: Vec<BTreeSet<Label>> = named.iter().map(|l| l.iter().copied().collect()).collect();
            let out: BTreeSet<Label> = out.iter().copied().collect();
            Ok(if *path == EinsumPath::Greedy || count > 8 {
                greedy(sets, &out, sizes)
            } else {
                optimal(sets, &out, sizes).1
            })
        }
    }
}

/// Returns the labels that remain of two sets, and the number of multiplications of their contraction.
fn joined(
    sets: &[BTreeSet<Label>],
    (i, j): (usize, usize),
    out: &BTreeSet<Label>,
    sizes: &[(Label, usize)],
) -> (BTreeSet<Label>, f64) {
    let both: BTreeSet<Label> = sets[i].union(&sets[j]).copied().collect();
    let cost = both.iter().map(|l| size_in(sizes, *l) as f64).product();
    let others =
        |l: &Label| out.contains(l) || sets.iter().enumerate().any(|(k, set)| k != i && k != j && set.contains(l));
    (both.into_iter().filter(others).collect(), cost)
}

fn without(sets: &[BTreeSet<Label>], (i, j): (usize, usize), left: BTreeSet<Label>) -> Vec<BTreeSet<Label>> {
    let kept = sets.iter().enumerate().filter(|(k, _)| *k != i && *k != j).map(|(_, set)| set.clone());
    kept.chain([left]).collect()
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}

fn greedy(mut sets: Vec<BTreeSet<Label>>, out: &BTreeSet<Label>, sizes: &[(Label, usize)]) -> Vec<Vec<usize>> {
    let volume = |set: &BTreeSet<Label>| -> f64 { set.iter().map(|l| size_in(sizes, *l) as f64).product() };
    let mut steps = vec![];
    while sets.len() > 1 {
        let score = |&(i, j): &(usize, usize)| {
            let (left, cost) = joined(&sets, (i, j), out, sizes);
            (volume(&left) - volume(&sets[i]) - volume(&sets[j]), cost)
        };
        let best = pairs(sets.len()).min_by(|a, b| {
            let ((a, x), (b, y)) = (score(a), score(b));
            a.total_cmp(&b).then(x.total_cmp(&y))
        });
        let Some((i, j)) = best else { break };
        let left = joined(&sets, (i, j), out, sizes).0;
        sets = without(&sets, (i, j), left);
        steps.push(vec![i, j]);
    }
    steps
}

fn optimal(sets: Vec<BTreeSet<Label>>, out: &BTreeSet<Label>, sizes: &[(Label, usize)]) -> (f64, Vec<Vec<usize>>) {
    if sets.len() < 2 {
        return (0.0, vec![]);
    }
    let mut best = (f64::INFINITY, vec![]);
    for (i, j) in pairs(sets.len()) {
        let (left, cost) = joined(&sets, (i, j), out, sizes);
        if cost >= best.0 {
            continue;
        }
        let (rest, steps) = optimal(without(&sets, (i, j), left), out, sizes);
        if cost + rest < best.0 || best.1.is_empty() {
            best = (cost + rest, [vec![vec![i, j]], steps].concat());
        }
    }
    best
}

/// Einstein summation: sums of products over labelled axes; NumPy's `einsum`. The axes of each operand are labelled by
/// letters before `->`, separated by commas; after it come the axes of the result. A letter that the result lacks is
/// summed over; a letter that occurs twice in an operand means its diagonal; `...` denotes unlabelled axes, which
/// are broadcast. Without `->` the result has the letters that occur once, in alphabetical order. If the only operand
/// has no axis to sum over, the result is a view of it, whatever `dtype` and `casting` are. A computed result is dense;
/// the order of its axes in memory is the one that its products are computed in, as NumPy's order `K` permits.
///
/// ```
/// use cuprum::{arange, einsum};
/// let a = arange(0, 6, 1)?.reshape([2, 3])?;
/// assert_eq!(einsum("ij,kj->ik", [&a, &a], ())?.to_vec::<i64>()?, [5, 14, 14, 50]);
/// assert_eq!(einsum("ij->j", [&a], ())?.to_vec::<i64>()?, [3, 5, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for subscripts that do not match the operands, and for an `out` of another shape;
/// [`ErrorKind::Type`] for casts that `casting` does not allow.
#[routine(keywords = "subscripts operands out dtype casting optimize", no_programs = "takes subscripts as text")]
pub fn einsum(subscripts: &str, operands: &[&Array], options: EinsumOptions<'_>) -> Result<Array> {
    if operands.is_empty() {
        return Err(wrong("there is no operand: at least one is needed".into()));
    }
    let (named, out) = parsed(subscripts, operands)?;
    let sizes = sizes(&named, operands)?;
    let common = result_type(&operands.iter().map(|a| (*a).into()).collect::<Vec<_>>())?;
    let dtype = options.dtype.unwrap_or(common);
    if let ([a], [labels], None) = (operands, &named[..], options.out)
        && labels.iter().all(|l| out.contains(l))
    {
        // Nothing is computed, so NumPy ignores the dtype and the casting.
        return LabeledOperand::of(a, labels)?.ordered(&out);
    }
    let mut list: Vec<LabeledOperand> = vec![];
    for (a, labels) in operands.iter().zip(&named) {
        check_cast(a.dtype(), dtype, options.casting, "an operand")?;
        let cast = if a.dtype() == dtype { (*a).clone() } else { a.cast(dtype, Order::K)? };
        list.push(LabeledOperand::of(&cast, labels)?);
    }
    for step in steps(&options.optimize, &named, &out, &sizes)? {
        let mut taken: Vec<LabeledOperand> = step.iter().map(|&at| list[at].clone()).collect();
        let mut at = 0;
        list.retain(|_| {
            at += 1;
            !step.contains(&(at - 1))
        });
        let mut made = taken.remove(0);
        for k in 0..taken.len() {
            let later: BTreeSet<Label> = taken[k + 1..]
                .iter()
                .chain(&list)
                .flat_map(|n| n.labels.iter().copied())
                .chain(out.iter().copied())
                .collect();
            made = contracted(made, taken[k].clone(), &|l| later.contains(&l), &out)?;
        }
        list.push(made);
    }
    let last = list.pop().expect("a path leaves one operand");
    let result = last.summed(|l| out.contains(&l))?.ordered(&out)?;
    let Some(given) = options.out else { return Ok(result) };
    let shape: Dims = out.iter().map(|l| size_in(&sizes, *l)).collect();
    if given.shape() != &shape[..] {
        let (one, two) = (shape_text(given.shape()), shape_text(&shape));
        return Err(wrong(format!("out has the shape {one}, the result {two}")));
    }
    check_cast(dtype, given.dtype(), options.casting, "the result")?;
    given.assign(&result)?;
    Ok(given.clone())
}

/// Evaluates the contraction order and its cost for [`einsum`] of operands of these shapes; NumPy's `einsum_path`. Each
/// step names positions of a list from which the contracted operands are removed, and to which the result is appended.
///
/// ```
/// use cuprum::{EinsumPath, einsum_path, ones};
/// let (a, b) = (ones([2, 30], ())?, ones([30, 40], ())?);
/// let (path, text) = einsum_path("ij,jk,kl->il", [&a, &b, &ones([40, 2], ())?], EinsumPath::Greedy)?;
/// assert_eq!((path.len(), path[1].clone()), (2, vec![0, 1]));
/// assert!(text.contains("il"));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`einsum`].
#[unrecorded("returns a contraction path")]
pub fn einsum_path<A: crate::array::AsArray>(
    subscripts: &str,
    operands: impl IntoIterator<Item = A>,
    optimize: impl IntoArgument<EinsumPath>,
) -> Result<(Vec<Vec<usize>>, String)> {
    let operands: Vec<A> = operands.into_iter().collect();
    let operands: Vec<&Array> = operands.iter().map(A::as_array).collect();
    let go = || {
        let (named, out) = parsed(subscripts, &operands)?;
        let sizes = sizes(&named, &operands)?;
        let steps = steps(&optimize.into(), &named, &out, &sizes)?;
        let wanted: BTreeSet<Label> = out.iter().copied().collect();
        let mut sets: Vec<BTreeSet<Label>> = named.iter().map(|l| l.iter().copied().collect()).collect();
        let mut products = 0.0;
        for step in steps.iter().filter(|step| step.len() == 2) {
            let pair = (step[0].min(step[1]), step[0].max(step[1]));
            let (left, cost) = joined(&sets, pair, &wanted, &sizes);
            products += cost;
            sets = without(&sets, pair, left);
        }
        let all: f64 = sizes.iter().map(|(_, n)| *n as f64).product();
        let text =
            format!("contraction: {subscripts}\nproducts at once: {all:e}\nproducts on this path: {products:e}\n");
        Ok((steps, text))
    };
    go().map_err(|e: Error| e.with_op("einsum_path"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zeros;

    #[test]
    fn axes_without_elements_stay() -> Result<()> {
        let cases: [(&str, [&[usize]; 3]); 4] = [
            ("ij,jk->ik", [&[0, 2], &[2, 3], &[0, 3]]),
            ("ij,jk->ik", [&[2, 0], &[0, 0], &[2, 0]]),
            ("...ab,abc->...c", [&[1, 0, 2], &[0, 2, 0], &[1, 0]]),
            ("ij,ij->j", [&[1, 3], &[0, 3], &[3]]),
        ];
        for (subscripts, [a, b, expected]) in cases {
            let (a, b) = (zeros(a, DType::F64)?, zeros(b, DType::F64)?);
            assert_eq!(einsum(subscripts, [&a, &b], ())?.shape(), expected, "{subscripts}");
        }
        Ok(())
    }

    #[test]
    fn one_operand_without_sums_is_a_view() -> Result<()> {
        let a = zeros([2, 3], DType::I8)?;
        let transposed = einsum("ij->ji", [&a], EinsumOptions { dtype: Some(DType::F64), ..Default::default() })?;
        assert!(transposed.dtype() == DType::I8 && transposed.shares_allocation(&a));
        Ok(())
    }
}
