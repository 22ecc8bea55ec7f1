//! Functions over the last axes of their operands, broadcast over the others.

use std::fmt;

use smallvec::SmallVec;

use crate::array::Array;
use crate::array::Index;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{broadcast_shapes, shape_text};

/// A core axis: its name, or its size where the signature fixes it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Core {
    Named(String),
    Fixed(usize),
}

/// The core axes of each operand.
type Operands = Vec<Vec<Core>>;

type Function = dyn Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync;

/// A function of arrays that works on the last axes of each operand, as its signature says, and that is broadcast over
/// all other axes; CuPy's `GeneralizedUFunc`.
///
/// The signature is NumPy's: `"(m,n),(n,p)->(m,p)"`; a number is an axis of that size. Axes of one name have one size.
///
/// ```
/// use cuprum::{Array, GeneralizedUfunc, Reduce};
/// // The mean over the last axis: the function is given whole stacks.
/// let mean = GeneralizedUfunc::batched("mean", "(n)->()", |x| Ok(vec![cuprum::mean(&x[0], Reduce::axis(-1))?]))?;
/// let a = cuprum::array([[1.0, 3.0], [5.0, 9.0]])?;
/// assert_eq!(mean.call(&[&a])?[0].to_vec::<f64>()?, [2.0, 7.0]);
/// // The product of matrices, one pair after the other, broadcast over the first axis.
/// let product =
///     GeneralizedUfunc::new("product", "(m,n),(n,p)->(m,p)", |x| Ok(vec![cuprum::matmul(&x[0], &x[1])?]))?;
/// let stack = a.broadcast_to(&[3, 2, 2])?;
/// assert_eq!(product.call(&[&stack, &a])?[0].shape(), [3, 2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub struct GeneralizedUfunc {
    name: String,
    signature: String,
    ins: Operands,
    outs: Operands,
    function: Box<Function>,
    batched: bool,
}

impl fmt::Debug for GeneralizedUfunc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GeneralizedUfunc({:?}, {:?})", self.name, self.signature)
    }
}

impl GeneralizedUfunc {
    /// A function that is called for each place of the axes which it is broadcast over, with the core axes only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a signature that is none.
    pub fn new(
        name: &str,
        signature: &str,
        function: impl Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync + 'static,
    ) -> Result<GeneralizedUfunc> {
        let (ins, outs) = parse(signature).ok_or_else(|| {
            let message = format!("{signature:?} is no signature, as \"(m,n),(n)->(m)\" is one");
            Error::new(ErrorKind::Value, message).with_op(name)
        })?;
        let (name, signature) = (name.into(), signature.into());
        Ok(GeneralizedUfunc { name, signature, ins, outs, function: Box::new(function), batched: false })
    }

    /// A function that is called once, with all operands broadcast, and that minds the axes in front of the core ones
    /// itself.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a signature that is none.
    pub fn batched(
        name: &str,
        signature: &str,
        function: impl Fn(&[Array]) -> Result<Vec<Array>> + Send + Sync + 'static,
    ) -> Result<GeneralizedUfunc> {
        Ok(GeneralizedUfunc { batched: true, ..GeneralizedUfunc::new(name, signature, function)? })
    }

    /// Calls the function; one array for each result of the signature.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of operands, for sizes that differ under one name, for other axes that do
    /// not broadcast, and for results that are not what the signature says; the function's own errors.
    pub fn call(&self, operands: &[&Array]) -> Result<Vec<Array>> {
        self.run(operands).map_err(|e| e.with_op(&self.name))
    }

    /// As [`GeneralizedUfunc::call`], with the core axes of each operand, and then of each result, where `axes` says;
    /// NumPy's `axes`.
    ///
    /// # Errors
    ///
    /// As [`GeneralizedUfunc::call`], and [`ErrorKind::Axis`] for an axis that does not exist.
    pub fn call_along(&self, operands: &[&Array], axes: &[&[isize]]) -> Result<Vec<Array>> {
        let go = || {
            let counts: Vec<usize> = self.ins.iter().chain(&self.outs).map(Vec::len).collect();
            if axes.iter().map(|a| a.len()).ne(counts.iter().copied()) || operands.len() != self.ins.len() {
                return Err(self.fault(format!("axes {axes:?} are not those of the core axes")));
            }
            let last = |n: usize| -> SmallVec<[isize; 6]> { (0..n).map(|k| k as isize - n as isize).collect() };
            let moved: Vec<Array> = operands
                .iter()
                .zip(axes)
                .map(|(a, from)| a.moveaxis(*from, &last(from.len())[..]))
                .collect::<Result<_>>()?;
            let results = self.run(&moved.iter().collect::<Vec<_>>())?;
            results.iter().zip(&axes[operands.len()..]).map(|(a, to)| a.moveaxis(&last(to.len())[..], *to)).collect()
        };
        go().map_err(|e: Error| e.with_op(&self.name))
    }

    fn fault(&self, message: String) -> Error {
        Error::new(ErrorKind::Value, format!("{message}; the signature is {}", self.signature))
    }

    fn run(&self, operands: &[&Array]) -> Result<Vec<Array>> {
        if operands.len() != self.ins.len() {
            return Err(self.fault(format!("{} operands are needed, {} are given", self.ins.len(), operands.len())));
        }
        let mut sizes: Vec<(&str, usize)> = vec![];
        let mut stacks: Vec<&[usize]> = vec![];
        for (a, core) in operands.iter().zip(&self.ins) {
            let split = a.ndim().checked_sub(core.len());
            let (stack, shape) = split
                .map(|at| a.shape().split_at(at))
                .ok_or_else(|| self.fault(format!("an operand of shape {} has too few axes", shape_text(a.shape()))))?;
            for (axis, &size) in core.iter().zip(shape) {
                let known = match axis {
                    Core::Fixed(n) => Some(*n),
                    Core::Named(name) => sizes.iter().find(|(known, _)| known == name).map(|(_, n)| *n),
                };
                match (known, axis) {
                    (Some(n), _) if n != size => {
                        let shape = shape_text(a.shape());
                        return Err(self.fault(format!("an operand of shape {shape} has {size} where {n} is expected")));
                    }
                    (None, Core::Named(name)) => sizes.push((name, size)),
                    _ => {}
                }
            }
            stacks.push(stack);
        }
        let stack = broadcast_shapes(&stacks)?;
        let whole: Vec<Array> = operands
            .iter()
            .zip(&stacks)
            .map(|(a, own)| a.broadcast_to([&stack, &a.shape()[own.len()..]].concat()))
            .collect::<Result<_>>()?;
        if self.batched || stack.is_empty() {
            let results = (self.function)(&whole)?;
            self.check(&results, &stack, &sizes)?;
            return Ok(results);
        }
        let mut outs: Vec<Array> = vec![];
        let mut at: Vec<Index> = vec![Index::At(0); stack.len()];
        for number in 0..stack.iter().product() {
            let mut rest = number;
            for (place, size) in at.iter_mut().zip(&stack).rev() {
                *place = Index::At((rest % size) as i64);
                rest /= size;
            }
            let parts: Vec<Array> = whole.iter().map(|a| a.index(&at)).collect::<Result<_>>()?;
            let results = (self.function)(&parts)?;
            self.check(&results, &[], &sizes)?;
            if outs.is_empty() {
                let full = |r: &Array| make::empty(r.device(), &[&stack, r.shape()].concat(), r.dtype());
                outs = results.iter().map(full).collect::<Result<_>>()?;
            }
            for (out, result) in outs.iter().zip(&results) {
                out.set(&at, result)?;
            }
        }
        if outs.is_empty() {
            return Err(self.fault(format!("there is no place in {} to call the function for", shape_text(&stack))));
        }
        Ok(outs)
    }

    /// Fails where the results are not those of the signature.
    fn check(&self, results: &[Array], stack: &[usize], sizes: &[(&str, usize)]) -> Result<()> {
        if results.len() != self.outs.len() {
            return Err(self.fault(format!("the function gave {} results", results.len())));
        }
        for (result, core) in results.iter().zip(&self.outs) {
            let (shape, front) = (result.shape(), stack.len());
            let fits = |(axis, &size): (&Core, &usize)| match axis {
                Core::Fixed(n) => size == *n,
                Core::Named(name) => sizes.iter().all(|(known, n)| known != name || size == *n),
            };
            let core_fits = shape.len() == front + core.len() && core.iter().zip(&shape[front..]).all(fits);
            if !core_fits || shape[..front] != *stack {
                return Err(self.fault(format!("the function gave a result of shape {}", shape_text(shape))));
            }
        }
        Ok(())
    }
}

/// The operands and the results of a signature.
fn parse(signature: &str) -> Option<(Operands, Operands)> {
    let text: String = signature.chars().filter(|c| !c.is_whitespace()).collect();
    let (ins, outs) = text.split_once("->")?;
    Some((parse_list(ins)?, parse_list(outs)?))
}

fn parse_list(text: &str) -> Option<Operands> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    inner.split("),(").map(parse_core).collect()
}

fn parse_core(text: &str) -> Option<Vec<Core>> {
    if text.is_empty() {
        return Some(vec![]);
    }
    text.split(',')
        .map(|axis| {
            let first = axis.chars().next()?;
            if first.is_ascii_digit() {
                return axis.parse().ok().map(Core::Fixed);
            }
            let word = axis.chars().all(|c| c == '_' || c.is_alphanumeric());
            word.then(|| Core::Named(axis.into()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reduce, arange, zeros};

    #[test]
    fn signatures_are_read() {
        let (ins, outs) = parse(" (m, n),(n),() -> (m,3)").unwrap();
        assert_eq!((ins.len(), ins[0].len(), ins[2].len()), (3, 2, 0));
        assert_eq!(outs, [vec![Core::Named("m".into()), Core::Fixed(3)]]);
        for wrong in ["", "(m)", "(m->()", "(m,)->()", "m->n", "(m)(n)->()", "(-1)->()"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_does_not_fit_the_signature_is_an_error() -> Result<()> {
        let dot = GeneralizedUfunc::batched("dot", "(n),(n)->()", |x| {
            Ok(vec![crate::sum(&crate::multiply(&x[0], &x[1])?, Reduce::axis(-1))?])
        })?;
        let (a, b) = (arange(0, 6, 1)?.reshape([2, 3])?, arange(0, 3, 1)?);
        assert_eq!(dot.call(&[&a, &b])?[0].to_vec::<i64>()?, [5, 14]);
        let f64 = crate::DType::F64;
        for operands in
            [vec![&a], vec![&a, &zeros([2], f64)?], vec![&a, &zeros([4, 3], f64)?], vec![&b, &zeros([0; 0], f64)?]]
        {
            let error = dot.call(&operands).unwrap_err();
            assert!(error.kind() == ErrorKind::Value && error.message().starts_with("dot: "), "{error}");
        }
        let wrong = GeneralizedUfunc::new("wrong", "(n)->(n)", |x| Ok(vec![crate::sum(&x[0], ())?]))?;
        assert!(wrong.call(&[&a]).unwrap_err().message().contains("gave a result of shape ()"));
        Ok(())
    }

    #[test]
    fn core_axes_may_stand_anywhere() -> Result<()> {
        let last = GeneralizedUfunc::new("reverse", "(n)->(n)", |x| Ok(vec![x[0].index(crate::s![..;-1])?]))?;
        let a = arange(0, 6, 1)?.reshape([2, 3])?;
        let turned = last.call_along(&[&a], &[&[0], &[0]])?;
        assert_eq!(turned[0].to_vec::<i64>()?, [3, 4, 5, 0, 1, 2]);
        assert_eq!(last.call_along(&[&a], &[&[2], &[0]]).unwrap_err().kind(), ErrorKind::Axis);
        Ok(())
    }
}
