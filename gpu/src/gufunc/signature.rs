//! Signatures of generalised ufuncs.
//!
//! A signature such as `(m,n),(n)->(m)` names the core axes of operands and results; equal names have equal lengths.

use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// A core axis: its name, which is a number if the signature fixes its size, and whether it is optional.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CoreAxis {
    /// Name of the axis; equal names have equal sizes.
    name: String,
    /// Size, if the signature fixes it.
    size: Option<usize>,
    /// True if operands may lack the axis.
    optional: bool,
}

/// The core axes of each operand and of each result, the operands first, as in `"(m,n),(n)->(m)"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// The signature as it was passed.
    text: String,
    /// The distinct axes.
    axes: Vec<CoreAxis>,
    /// The indices of the axes of each array.
    arrays: Vec<Vec<usize>>,
    /// Number of operands.
    operands: usize,
}

/// The core axes of the arrays of one call: absent optional axes have size 1 for the function, and do not exist for the
/// caller.
#[derive(Debug)]
pub(super) struct Cores {
    /// Size of each named axis.
    pub(super) sizes: Vec<Option<usize>>,
    /// True for optional axes that the operands lack.
    absent: Vec<bool>,
}

impl Signature {
    /// Parses a signature; `None` if it is invalid.
    pub(super) fn parse(text: &str) -> Option<Signature> {
        let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (operands, results) = bare.split_once("->")?;
        let mut read = Signature { text: text.into(), axes: vec![], arrays: vec![], operands: 0 };
        for side in [operands, results] {
            read.operands = read.arrays.len();
            for core in side.strip_prefix('(')?.strip_suffix(')')?.split("),(") {
                let words = core.split(',').filter(|_| !core.is_empty());
                let numbers = words.map(|word| read.axis(word)).collect::<Option<_>>()?;
                read.arrays.push(numbers);
            }
        }
        Some(read)
    }

    /// Returns the index of an axis, which is the same for every occurrence of its name.
    fn axis(&mut self, word: &str) -> Option<usize> {
        let (name, optional) = word.strip_suffix('?').map_or((word, false), |name| (name, true));
        let is_size = name.chars().next()?.is_ascii_digit();
        let size = if is_size { Some(name.parse().ok()?) } else { None };
        if !name.chars().all(|c| c == '_' || c.is_alphanumeric()) {
            return None;
        }
        let axis = CoreAxis { name: name.into(), size, optional };
        match self.axes.iter().position(|known| known.name == name) {
            Some(k) => (self.axes[k] == axis).then_some(k),
            None => {
                self.axes.push(axis);
                Some(self.axes.len() - 1)
            }
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the numbers of operands and of results.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.operands, self.arrays.len() - self.operands]
    }

    /// Returns the core axes of an array.
    pub(super) fn core(&self, array: usize) -> &[usize] {
        &self.arrays[array]
    }

    /// Returns whether all arrays with core axes have the same single one.
    pub(super) fn is_along_one_axis(&self) -> bool {
        self.axes.len() == 1 && self.arrays.iter().all(|core| core.len() <= 1)
    }

    /// Returns an error that quotes the signature.
    pub(super) fn fault(&self, message: String) -> Error {
        Error::new(ErrorKind::Value, format!("{message}; the signature is {}", self.text))
    }

    /// Determines the sizes of the core axes, and absent ones, from the arrays' shapes.
    pub(super) fn cores(&self, shapes: &[Option<&[usize]>]) -> Result<Cores> {
        let mut cores =
            Cores { sizes: self.axes.iter().map(|axis| axis.size).collect(), absent: vec![false; self.axes.len()] };
        for (array, shape) in shapes.iter().enumerate() {
            let Some(shape) = shape else { continue };
            while cores.present(self.core(array)) > shape.len() {
                let gone = self.core(array).iter().find(|&&axis| self.axes[axis].optional && !cores.absent[axis]);
                let Some(&gone) = gone else {
                    return Err(self.fault(format!("an operand of shape {} has too few axes", shape_text(shape))));
                };
                (cores.absent[gone], cores.sizes[gone]) = (true, Some(1));
            }
        }
        Ok(cores)
    }
}

impl Cores {
    /// Returns the number of these axes that exist for the caller.
    pub(super) fn present(&self, core: &[usize]) -> usize {
        core.iter().filter(|&&axis| !self.absent[axis]).count()
    }

    /// Returns the axes that exist for the function alone, counted from the end of the core.
    pub(super) fn absent(&self, core: &[usize]) -> Vec<isize> {
        let of_core = core.iter().enumerate().filter(|(_, axis)| self.absent[**axis]);
        of_core.map(|(index, _)| index as isize - core.len() as isize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let read = Signature::parse(" (m, n),(n),() -> (m,3)").unwrap();
        assert_eq!(read.arrays, [vec![0, 1], vec![1], vec![], vec![0, 2]]);
        assert_eq!((read.counts(), read.axes[2].size), ([3, 1], Some(3)));
        for wrong in
            ["", "(m)", "(m->()", "(m,)->()", "m->n", "(m)(n)->()", "(-1)->()", "(n?),(n)->()", "(?)->()", "(3n)->()"]
        {
            assert_eq!(Signature::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn axes_that_may_be_missing_are_missing_everywhere() {
        let product = Signature::parse("(n?,k),(k,m?)->(n?,m?)").unwrap();
        let cores = product.cores(&[Some(&[4]), Some(&[4, 5])]).unwrap();
        assert_eq!([0, 1, 2].map(|k| cores.present(product.core(k))), [1, 2, 1]);
        assert_eq!(cores.absent(product.core(2)), [-2]);
        assert!(product.cores(&[Some(&[]), Some(&[4, 5])]).is_err());
    }
}
