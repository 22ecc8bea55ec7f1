//! Engines: one for each pattern of computation, each with a plan and a launch.
//!
//! An engine is a plan, a launch and the device code in `kernels/include` that belongs to them. The plan is arithmetic
//! on shapes and strides: it merges axes, picks a class of kernel and fills the parameters, and is tested without a
//! device. Sizes, ranks and modes are parameters; the text of a kernel varies with dtypes alone, so that a new shape is
//! never a new compile.
//!
//! | pattern | modules |
//! |---|---|
//! | an element from elements at the same position | `elementwise`, `fusion`, `generate`, `random` |
//! | one result from many elements | `reduction`, `fold`, `histogram`, `labels` |
//! | a result for each prefix | `scan`, `recurrence` |
//! | elements moved by position or order | `index`, `remap`, `concatenate`, `sort`, `search` |
//! | a result from a neighbourhood | `window`, `signal`, `sample`, `upfirdn` |
//! | pairs of points | `pairwise`, `point_tree` |
//! | products and systems | `matrix`, `fft`, `sparse_*`, `krylov`, `triangular_solve`, `incomplete_factors`, `block_tridiagonal` |
//! | a result from a few coefficients around a point | `piecewise`, `radial`, `cubic` |
//!
//! Each engine states the lower bound of its memory traffic. Engines do not know of the modules above them: ufuncs,
//! reductions and routines call engines, never the other way round.

pub(crate) mod arnoldi;
mod bits;
mod block_tridiagonal;
pub(crate) mod components;
pub(crate) mod compressed;
pub(crate) mod compressed_blocks;
pub(crate) mod compressed_select;
pub(crate) mod compressed_transpose;
mod concatenate;
mod cross;
pub(crate) mod cubic;
pub(crate) mod distance;
mod elementwise;
pub(crate) mod entry_groups;
mod expand;
mod fft;
mod fold;
pub(crate) mod fusion;
mod generate;
mod histogram;
mod horner;
pub(crate) mod incomplete_factors;
mod index;
mod interp;
mod kernels;
pub(crate) mod krylov;
pub(crate) mod labels;
pub(crate) mod launch;
pub(crate) mod make;
mod matrix;
pub(crate) mod pairwise;
pub(crate) mod patterns;
pub(crate) mod piecewise;
pub(crate) mod point_tree;
pub(crate) mod radial;
mod random;
mod recurrence;
mod reduction;
mod remap;
mod sample;
mod scan;
mod search;
mod series;
mod signal;
pub(crate) mod sort;
pub(crate) mod sparse_library;
pub(crate) mod sparse_merge;
pub(crate) mod sparse_product;
pub(crate) mod sparse_sparse;
mod tiles;
pub(crate) mod triangular_solve;
pub(crate) mod union_find;
mod upfirdn;
mod window;

pub(crate) use bits::{pack, unpack};
pub(crate) use block_tridiagonal::solve_block_tridiagonal;
pub(crate) use concatenate::concatenate;
pub(crate) use cross::cross_product;
pub(crate) use elementwise::{Call, all_of, elementwise};
pub(crate) use expand::{expand, tiles_of_counts};
pub(crate) use fft::fourier::{Hooks, fourier, slowest_first};
pub(crate) use fft::passes::fourier_by_passes;
pub(crate) use fft::plans::{
    HeldPlans, Plan, Plans, describe as describe_transform, enter_plans, leave_plans, plans_are_held, plans_of,
};
pub(crate) use fft::processing::Spectrum;
pub(crate) use fold::Folding;
pub(crate) use generate::{Form, Generating};
pub(crate) use histogram::edges::edges;
pub(crate) use histogram::points::{Edges, counts as counts_points, holds as holds_points, points};
pub(crate) use histogram::{Bins, FAST_BINS, Uniform, count, count_between_ends, float_ends, integer_ends, weigh};
pub(crate) use horner::horner;
pub(crate) use index::at::{add_at_indices, at};
pub(crate) use index::choose::{ChooseMode, choose};
pub(crate) use index::compaction::mark;
pub(crate) use index::gather::{Along, Gathering, Pick, Source};
pub(crate) use interp::Interpolation;
pub(crate) use launch::{Reading, one_device};
pub(crate) use matrix::check_lapack_info::check_lapack_info;
pub(crate) use matrix::matmul::matmul;
pub(crate) use matrix::panel_decompositions::{decompose_panels, singular_panels};
pub(crate) use matrix::singular_lu::singular_lu;
pub(crate) use matrix::small_decompositions::{decompose_small, decompose_small_hermitian};
pub(crate) use matrix::small_general::{complex_eigenvectors, decompose_small_general};
pub(crate) use matrix::tridiagonal::{has_symmetric_eigenvalues, symmetric_eigenvalues};
pub(crate) use random::{DrawNumber, RandomFill};
pub(crate) use recurrence::{Filter, PadRule, Pass as RecurrencePass, recurrence, recurrence_settled};
pub(crate) use reduction::Reducing;
pub(crate) use remap::{Formula, remap};
pub use sample::SampleMode;
pub(crate) use sample::{AxisByAxis, Coordinates, Sampling, spline_coefficients};
pub(crate) use scan::{Scanning, Unwrapping, is_associative};
pub(crate) use search::{members, members_need_order, search, search_rising};
pub(crate) use series::{series_values, series_vandermonde};
pub(crate) use signal::correlate::Correlation;
pub(crate) use signal::correlate_axes::AxesCorrelation;
pub use tiles::Engine;
pub(crate) use upfirdn::Resampling;
pub use window::BorderRule;
pub(crate) use window::{Area, AreaOp, Binary, LineOp, Pass, changes as window_changes, passes as window_passes};

use cuprum_kernels::registry::UfuncId;

use crate::array::Array;
use crate::array::Operand;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Returns an internal operation, and the loop whose result has the dtype.
pub(crate) fn internal(name: &str, dtype: cuprum_kernels::DType) -> Result<(UfuncId, u8)> {
    UfuncId::named(name)
        .and_then(|op| Some((op, op.loops().iter().position(|l| l.out() == dtype)? as u8)))
        .ok_or_else(|| Error::new(ErrorKind::NotImplemented, format!("there is no operation {name} for {dtype}")))
}

/// Writes `src`, broadcast to the shape of `dst` and cast to its dtype, into `dst`. They may overlap.
pub(crate) fn copy(src: &Array, dst: &Array) -> Result<()> {
    let src = src.broadcast_to_shape(dst.shape())?;
    if src.dtype() == dst.dtype()
        && src.is_c_contiguous()
        && dst.is_c_contiguous()
        && !src.may_share_memory(dst)
        && !src.may_have_any_bytes()
    {
        return launch::copy_bytes(&src, dst);
    }
    let (op, signature) = internal("copy", dst.dtype())?;
    elementwise(op, signature, &[Operand::Array(&src)], dst)
}

/// Writes a value, broadcast to the shape of `dst`, where a mask of that shape is true.
pub(crate) fn copy_where(value: Operand<'_>, mask: &Array, dst: &Array) -> Result<()> {
    let (op, signature) = internal("copy", dst.dtype())?;
    let broadcast;
    let value = match value {
        Operand::Array(a) => {
            broadcast = a.broadcast_to_shape(dst.shape())?;
            Operand::Array(&broadcast)
        }
        number => number,
    };
    Call { op, signature, ins: &[value], mask: Some(mask), outs: &[dst], all: false }.run()
}

/// Sets every element of `dst`.
pub(crate) fn fill(dst: &Array, value: Scalar) -> Result<()> {
    let (op, signature) = internal("copy", dst.dtype())?;
    elementwise(op, signature, &[Operand::Scalar(value)], dst)
}

/// Writes an arithmetic sequence, given its first and its second element, to `dst`, which is contiguous and has one
/// axis.
pub(crate) fn arange(dst: &Array, first: Scalar, second: Scalar) -> Result<()> {
    let (op, signature) = internal("arange", dst.dtype())?;
    elementwise(op, signature, &[Operand::Scalar(first), Operand::Scalar(second)], dst)
}
