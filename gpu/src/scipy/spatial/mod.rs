//! Points in space: distances, nearest neighbours and triangulations of `scipy.spatial`.

#[allow(non_snake_case, reason = "keywords of SciPy's are V and VI")]
pub mod distance;

mod convex_hull;
mod delaunay;
mod find_simplex;
mod kd_tree;
mod kd_tree_pairs;
mod paraboloid;
mod squareform;

pub use convex_hull::ConvexHull;
pub use delaunay::Delaunay;
pub use distance::{DistanceMatrixOptions, distance_matrix};
pub use kd_tree::{KdTree, Nearest, NearestOptions};
pub use kd_tree_pairs::{BallOptions, Neighbors};

use std::sync::LazyLock;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{ElementwiseKernel, ElementwiseKernelOptions, KernelArgument};

/// Kernel that is created when it is first called.
type Lazy = LazyLock<Result<ElementwiseKernel>>;

fn kernel(name: &str, inputs: &str, outputs: &str, operation: &str) -> Result<ElementwiseKernel> {
    let options = ElementwiseKernelOptions { name: name.into(), ..Default::default() };
    ElementwiseKernel::new(inputs, outputs, operation, options)
}

/// Calls a kernel whose operation accesses raw arrays within their length only.
fn run(kernel: &Lazy, inputs: &[KernelArgument<'_>], outputs: &[&Array], size: Option<usize>) -> Result<()> {
    let kernel = kernel.as_ref().map_err(Clone::clone)?;
    // SAFETY: the operations of the kernels of these modules access raw arrays within the lengths that they are passed.
    unsafe { kernel.call(inputs, outputs, size, None) }?;
    Ok(())
}

fn wrong<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message.into()))
}

/// Returns an array of a dtype, which is copied only if it has another one.
fn of_dtype(x: &Array, dtype: DType) -> Result<Array> {
    if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) }
}

/// Returns true if all elements are true. This synchronises.
fn all_true(x: &Array) -> Result<bool> {
    crate::routines::logic::all(x, ())?.item::<bool>()
}
