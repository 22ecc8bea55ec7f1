//! Options of transforms.

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::axis_index;
use crate::table::{Arguments, CallResult};

/// The library whose function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    NumPy,
    SciPy,
}

/// The axes that are transformed by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    One,
    Two,
    Any,
}

/// The direction that has the normalisation factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Norm {
    Backward,
    Ortho,
    Forward,
}

impl Norm {
    pub(super) fn read(t: &Arguments) -> CallResult<Norm> {
        Ok(match t.get::<Option<&str>>("norm")? {
            None | Some("backward") => Norm::Backward,
            Some("ortho") => Norm::Ortho,
            Some("forward") => Norm::Forward,
            Some(other) => fail(ErrorKind::Value, format!("Invalid norm value {other}"))?,
        })
    }

    pub(super) fn factor(self, inverse: bool, n: f64) -> f64 {
        match (self, inverse) {
            (Norm::Ortho, _) => 1.0 / n.sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n,
            _ => 1.0,
        }
    }

    pub(super) fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }
}

/// The axes, the lengths of the transform along each, and the norm.
#[derive(Clone, Debug)]
pub(super) struct TransformOptions {
    pub(super) axes: Vec<usize>,
    pub(super) n: Vec<isize>,
    pub(super) norm: Norm,
}

impl TransformOptions {
    /// Reads the options. `of_half`: the last axis has half a spectrum.
    pub(super) fn read(
        t: &Arguments,
        a: &NdArray,
        face: Face,
        last: Last,
        of_half: bool,
    ) -> CallResult<TransformOptions> {
        let norm = Norm::read(t)?;
        if face == Face::SciPy {
            // These options affect how the transform is computed, not the result.
            let _ = (t.has("overwrite_x"), t.has("workers"), t.has("plan"));
        }
        if last == Last::One {
            let n = t.get::<Option<isize>>("n")?.map(|n| vec![n]);
            let axis = axis_index(t.or("axis", -1)?, a.ndim())?;
            return Ok(TransformOptions { norm, ..TransformOptions::of(a, n, vec![axis], of_half, false)? });
        }
        let s: Option<Vec<isize>> = t.get("s")?;
        let axes: Option<Vec<isize>> = match last {
            Last::Two => Some(t.or("axes", vec![-2, -1])?),
            _ => t.get("axes")?,
        };
        Ok(TransformOptions { norm, ..TransformOptions::several(a, s, axes, face, of_half)? })
    }

    pub(super) fn several(
        a: &NdArray,
        s: Option<Vec<isize>>,
        axes: Option<Vec<isize>>,
        face: Face,
        of_half: bool,
    ) -> Result<TransformOptions> {
        let count = s.as_ref().map_or(a.ndim(), Vec::len);
        let axes = match axes {
            Some(axes) => axes.into_iter().map(|axis| axis_index(axis, a.ndim())).collect::<Result<Vec<_>>>()?,
            None if count > a.ndim() => return fail(ErrorKind::Axis, "shape requires more axes than are present"),
            None => (a.ndim() - count..a.ndim()).collect(),
        };
        let twice = (1..axes.len()).any(|k| axes[..k].contains(&axes[k]));
        if face == Face::SciPy && twice {
            return fail(ErrorKind::Value, "all axes must be unique");
        }
        TransformOptions::of(a, s, axes, of_half, true)
    }

    fn of(a: &NdArray, n: Option<Vec<isize>>, axes: Vec<usize>, of_half: bool, own: bool) -> Result<TransformOptions> {
        if n.as_ref().is_some_and(|n| n.len() != axes.len()) {
            return fail(ErrorKind::Value, "Shape and axes have different lengths.");
        }
        let length = |k: usize| {
            let size = a.shape()[axes[k]] as isize;
            match &n {
                Some(n) if own && n[k] == -1 => size,
                Some(n) => n[k],
                None if of_half && k + 1 == axes.len() => 2 * (size - 1),
                None => size,
            }
        };
        let n = (0..axes.len()).map(length).collect();
        Ok(TransformOptions { axes, n, norm: Norm::Backward })
    }
}
