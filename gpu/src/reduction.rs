//! Reductions over axes.

use cuprum_kernels::DType;
use cuprum_kernels::registry::ReductionId;
use cuprum_kernels::source::ReductionSource;

use crate::array::Array;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Strides, normalize_axes, shape_text};

/// A reduction, as NumPy's `sum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction(ReductionId);

/// Over which axes a reduction goes, and what comes out.
///
/// ```
/// use cuprum::{DType, Reduce};
/// let a = cuprum::ones([2, 3], DType::I32)?;
/// assert_eq!(cuprum::sum(&a, ())?.item::<i64>()?, 6);
/// assert_eq!(cuprum::sum(&a, 0)?.to_vec::<i64>()?, [2, 2, 2]);
/// assert_eq!(cuprum::sum(&a, Reduce::axis(-1).keepdims(true))?.shape(), [2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reduce {
    pub(crate) axes: Option<Vec<isize>>,
    pub(crate) keepdims: bool,
    pub(crate) dtype: Option<DType>,
}

impl Reduce {
    /// Over all axes.
    pub fn all() -> Reduce {
        Reduce::default()
    }

    /// Over one axis; negative ones count from the end.
    pub fn axis(axis: isize) -> Reduce {
        Reduce { axes: Some(vec![axis]), ..Reduce::default() }
    }

    /// Over several axes; over none, each element alone.
    pub fn axes(axes: &[isize]) -> Reduce {
        Reduce { axes: Some(axes.into()), ..Reduce::default() }
    }

    /// Whether the reduced axes stay, with size 1.
    pub fn keepdims(self, keepdims: bool) -> Reduce {
        Reduce { keepdims, ..self }
    }

    /// The dtype in which elements are gathered, and of the result.
    pub fn dtype(self, dtype: DType) -> Reduce {
        Reduce { dtype: Some(dtype), ..self }
    }
}

impl From<()> for Reduce {
    fn from((): ()) -> Reduce {
        Reduce::all()
    }
}

impl From<isize> for Reduce {
    fn from(axis: isize) -> Reduce {
        Reduce::axis(axis)
    }
}

impl From<i32> for Reduce {
    fn from(axis: i32) -> Reduce {
        Reduce::axis(axis as isize)
    }
}

impl<const N: usize> From<[isize; N]> for Reduce {
    fn from(axes: [isize; N]) -> Reduce {
        Reduce::axes(&axes)
    }
}

/// The reduction of this name.
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] where there is none.
pub fn reduction(name: &str) -> Result<Reduction> {
    ReductionId::named(name)
        .map(Reduction)
        .ok_or_else(|| Error::new(ErrorKind::NotImplemented, format!("there is no reduction called {name}")))
}

impl Reduction {
    /// NumPy's name of the function.
    pub fn name(&self) -> &'static str {
        self.0.record().name
    }

    /// Reduces an array.
    ///
    /// The order in which elements are combined depends on the array's shape and strides alone: the same input gives
    /// the same bits.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that does not exist, [`ErrorKind::Value`] for one that stands twice and for
    /// the extreme of no elements, [`ErrorKind::Type`] for a dtype that is not possible.
    pub fn call(&self, a: &Array, how: &Reduce) -> Result<Array> {
        self.run(a, how).map_err(|e| e.with_op(self.name()))
    }

    fn run(&self, a: &Array, how: &Reduce) -> Result<Array> {
        let record = self.0.record();
        let mut reduced = match &how.axes {
            None => (0..a.ndim()).collect(),
            // A 0-d array has the axes 0 and -1 for this purpose, but, as in NumPy, not for the mean.
            Some(axes) if a.ndim() == 0 && record.name != "mean" && matches!(axes.as_slice(), [0 | -1]) => Dims::new(),
            Some(axes) => normalize_axes(axes, a.ndim())?,
        };
        reduced.sort();
        let positional = matches!(record.name, "argmax" | "argmin");
        if positional && how.axes.as_ref().is_some_and(|axes| axes.len() != 1) {
            return Err(Error::new(ErrorKind::Type, "positions are found along one axis or all"));
        }
        if let Some(asked) = how.dtype.filter(|_| !matches!(record.name, "sum" | "prod" | "mean")) {
            return Err(Error::new(ErrorKind::Type, format!("the result's dtype is fixed, it cannot be {asked}")));
        }
        let key = ReductionSource { op: self.0, operand: a.dtype(), asked: how.dtype, wide: false, deep: false };
        let Some(l) = key.resolve() else {
            return Err(Error::new(ErrorKind::Type, format!("there is no loop for {}", a.dtype())));
        };
        let kept: Vec<usize> = (0..a.ndim()).filter(|x| !reduced.contains(x)).collect();
        let outputs = kept.iter().map(|&x| a.shape()[x]).product::<usize>();
        if record.identity.is_none() && a.size() == 0 && outputs > 0 {
            return Err(Error::new(
                ErrorKind::Value,
                format!("an array of shape {} has no elements to choose from", shape_text(a.shape())),
            ));
        }
        // The result's axes lie in memory as those of the operand; positions, as in NumPy, and what comes
        // of nothing in C order.
        let (shape, strides): (Dims, Strides) = kept.iter().map(|&x| (a.shape()[x], a.strides()[x])).unzip();
        let layout = if positional || a.size() == 0 {
            Layout::c_order(&shape, l.out.size())
        } else {
            Layout::like(&shape, l.out.size(), &[&strides])
        };
        let out = Array::of_layout(a.device(), layout, l.out)?;
        engine::reduce(key, &l, a, &reduced, &out)?;
        if how.keepdims {
            let axes: Vec<isize> = reduced.iter().map(|&x| x as isize).collect();
            return out.expand_dims(&axes);
        }
        Ok(out)
    }
}
