//! Array manipulation: changing shapes and axes, joining, splitting, tiling, padding and rearranging elements.
//!
//! Most of them return views, which share memory with their argument and cost no kernel: a change of either is a change
//! of both. The page of each function states which one it returns; [`Array::copy`] makes a view independent.

mod add_remove;
mod block;
mod dims;
mod join;
mod overlap;
mod pad;
mod pad_widths;
mod rearrange;
mod resize;
mod shape;
mod sliding_window;
mod split;
mod tile;
mod trim;

pub use add_remove::*;
pub use block::*;
pub use dims::*;
pub(crate) use join::joined;
pub use join::*;
pub use overlap::*;
pub use pad::*;
pub use pad_widths::Sides;
pub use rearrange::*;
pub use resize::ResizeOptions;
pub use shape::*;
pub use sliding_window::*;
pub use split::*;
pub use tile::*;
pub use trim::*;

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::Index;
use crate::array::{Array, AsArray, Axes, DiagonalOptions, IntoArgument, IntoShape, Operand};
use crate::dtype::{Casting, can_cast};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{self, Order, normalize_axes};
use crate::routines::creation::CreationOptions;

/// Defines functions that forward to the array method of the same name.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*);)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        #[doc = concat!("As [`Array::", stringify!($name), "`].")]
        pub fn $name(a: &Array, $($argument: $type),*) -> Result<Array> {
            a.$name($($argument),*)
        }
    )+};
}
methods! {
    /// Gives the elements another shape; NumPy's `reshape`.
    ///
    /// ```
    /// let a = cuprum::array([1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(cuprum::reshape(&a, [3, -1])?.shape(), [3, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    reshape(shape: impl IntoShape);
    /// Permutes the axes; NumPy's `transpose`. [`Array::t`] reverses them.
    #[routine]
    transpose(axes: Axes);
    /// Exchanges two axes; NumPy's `swapaxes`.
    #[routine]
    swapaxes(axis1: isize, axis2: isize);
    /// Moves axes to other positions; NumPy's `moveaxis`.
    #[routine(needed = "source destination")]
    moveaxis(source: Axes, destination: Axes);
    /// Inserts axes of size 1; NumPy's `expand_dims`.
    #[routine(needed = "axis", python(axis = AxisForm::Sequence))]
    expand_dims(axis: Axes);
    /// Removes axes of size 1; NumPy's `squeeze`.
    #[routine(python(returns_same))]
    squeeze(axis: Axes);
    /// Broadcasts an array to a shape; NumPy's `broadcast_to`.
    #[routine(names = "array shape", python(extras = [("subok", Extra::Rejected)], read_only_views))]
    broadcast_to(shape: impl IntoShape);
    /// Returns a view of any shape and byte strides; NumPy's `lib.stride_tricks.as_strided`.
    #[routine(
        namespace = "numpy.lib.stride_tricks", names = "x shape strides",
        python(extras = [("subok", Extra::Rejected), ("writeable", Extra::Granted)]),
        no_cases = "the golden data is read through views of any strides"
    )]
    as_strided(shape: impl IntoShape, strides: &[i64]);
    /// Returns the diagonals of matrices, as a view; NumPy's `diagonal`.
    #[routine(python(read_only_views), no_cases = "a view, which the cases of `trace` sum")]
    diagonal(options: DiagonalOptions);
    /// Flattens an array; NumPy's `ravel`.
    #[routine]
    ravel();
    /// Returns the imaginary parts; NumPy's `imag`.
    #[routine(
        names = "val",
        no_cases = "a view of complex numbers, which `angle` reads; zeros of other dtypes have no memory, so that their strides are not NumPy's"
    )]
    imag();
    /// Returns a copy cast to a dtype; NumPy's `astype`.
    astype(dtype: DType);
}

/// Returns the real parts; see [`Array::real`].
///
/// NumPy's `real`: a view with the real dtype of half the size for complex arrays, and the array itself for
/// others.
///
/// ```
/// use cuprum::num_complex::Complex64;
/// let a = cuprum::array([Complex64::new(1.0, 2.0)])?;
/// assert_eq!(cuprum::real(&a).to_vec::<f64>()?, [1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(names = "val", python(returns_same))]
pub fn real(a: &Array) -> Array {
    a.real()
}

/// Returns whether two arrays may share memory; see [`Array::may_share_memory`].
///
/// NumPy's `may_share_memory`: only the bounds of the two are compared.
///
/// ```
/// let a = cuprum::zeros(4, ())?;
/// assert!(cuprum::may_share_memory(&a, a.index(cuprum::s![..2])?));
/// assert!(!cuprum::may_share_memory(&a, cuprum::zeros(4, ())?));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(no_cases = "depends on addresses")]
pub fn may_share_memory(a: &Array, b: &Array) -> bool {
    a.may_share_memory(b)
}

/// Copies an array, in its own memory order as closely as possible by default; NumPy's `copy`.
///
/// The result has the shape and the dtype of the array, and shares no memory with it.
///
/// ```
/// let a = cuprum::array([1, 2])?;
/// let b = cuprum::copy(&a, ())?;
/// a.fill(0)?;
/// assert_eq!(b.to_vec::<i32>()?, [1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Array::copy`].
pub fn copy(a: impl AsArray, order: impl IntoArgument<Order>) -> Result<Array> {
    a.as_array().copy(order)
}

/// Converts an array to a dtype and a memory order, without a copy if it has them; NumPy's `asarray`.
///
/// The result has the shape of the array.
///
/// ```
/// use cuprum::{DType, array, asarray};
/// let a = array([1.5f32])?;
/// assert!(asarray(&a, DType::F32)?.may_share_memory(&a));
/// assert_eq!(asarray(&a, DType::F64)?.to_vec::<f64>()?, [1.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Array::astype`].
#[routine(keywords = "a dtype", python(returns_same))]
pub fn asarray(a: &Array, options: CreationOptions) -> Result<Array> {
    let dtype = options.dtype.unwrap_or(a.dtype());
    let in_order = match options.order {
        Some(Order::C) => a.is_c_contiguous(),
        Some(Order::F) => a.is_f_contiguous(),
        _ => true,
    };
    if a.dtype() == dtype && in_order { Ok(a.clone()) } else { a.cast(dtype, options.order.unwrap_or(Order::K)) }
}

/// Options of [`copyto`].
///
/// ```
/// use cuprum::{CopytoOptions, array, copyto};
/// let (a, mask) = (array([1, 2])?, array([true, false])?);
/// copyto(&a, 9, CopytoOptions { where_: Some(&mask), ..Default::default() })?;
/// assert_eq!(a.to_vec::<i32>()?, [9, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct CopytoOptions<'a> {
    /// The casting rule; by default [`Casting::SameKind`].
    #[from]
    pub casting: Casting,
    /// A mask, broadcast to the shape of the destination: elements are written only where it is true.
    #[keyword(where)]
    pub where_: Option<&'a Array>,
}

/// Copies a value to an array, broadcasting it; NumPy's `copyto`. By default the cast must satisfy
/// [`Casting::SameKind`].
///
/// # Errors
///
/// [`ErrorKind::Type`] where the cast is not allowed and for a mask that is not boolean, [`ErrorKind::Value`] for a
/// mask of another shape, and those of [`Array::assign`].
///
/// ```
/// use cuprum::{CopytoOptions, array, copyto};
/// let a = array([1, 2, 3])?;
/// copyto(&a, 0, CopytoOptions::new().where_(&a.greater(1)?))?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(changes_first))]
pub fn copyto(dst: &Array, src: Operand<'_>, options: CopytoOptions<'_>) -> Result<()> {
    let casting = options.casting;
    let (allowed, from) = match src {
        Operand::Array(a) => (can_cast(a.dtype(), dst.dtype(), casting), a.dtype()),
        Operand::Scalar(s) => (s.casts_to(dst.dtype(), casting), s.own_dtype()),
    };
    if !allowed {
        return Err(Error::new(
            ErrorKind::Type,
            format!("{from} is not cast to {} under the rule {casting:?}: use Casting::Unsafe, or astype", dst.dtype()),
        ));
    }
    if let Some(mask) = options.where_ {
        if mask.dtype() != DType::Bool {
            return Err(Error::new(ErrorKind::Type, format!("a mask is boolean, not {}", mask.dtype())));
        }
        engine::one_device(dst, [mask])?;
        dst.check_writable()?;
        let mask = mask.broadcast_to_shape(dst.shape())?;
        return match src {
            Operand::Scalar(s) => s.check_fits(dst.dtype()).and_then(|()| engine::copy_where(src, &mask, dst)),
            Operand::Array(a) => {
                engine::one_device(dst, [a])?;
                engine::copy_where(Operand::Array(&a.broadcast_into(dst.shape())?), &mask, dst)
            }
        };
    }
    match src {
        Operand::Scalar(s) => {
            s.check_fits(dst.dtype())?;
            dst.check_writable()?;
            engine::fill(dst, s)
        }
        Operand::Array(_) => dst.assign(src),
    }
}

/// Reverses the order of elements along axes, by default along all; NumPy's `flip`. A view.
///
/// ```
/// let a = cuprum::array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(cuprum::flip(&a, ())?.to_vec::<i32>()?, [6, 5, 4, 3, 2, 1]);
/// assert_eq!(cuprum::flip(&a, 1)?.to_vec::<i32>()?, [3, 2, 1, 6, 5, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for one that occurs twice.
#[routine(method, python(aliases = [("a", "m")], axis = AxisForm::Sequence))]
pub fn flip(m: &Array, axis: Axes) -> Result<Array> {
    let go = || {
        let mut index = vec![Index::Slice(Slice::default()); m.ndim()];
        match axis.as_slice() {
            None => index.fill(BACKWARDS),
            Some(axes) => normalize_axes(axes, m.ndim())?.into_iter().for_each(|axis| index[axis] = BACKWARDS),
        }
        m.index(index)
    };
    go().map_err(|e: Error| e.with_op("flip"))
}

/// The index `::-1`.
const BACKWARDS: Index = Index::Slice(Slice { start: None, stop: None, step: Some(-1) });

/// Broadcasts arrays to their common shape, as views; NumPy's `broadcast_arrays`.
///
/// Each view has the dtype of its array and cannot be written to where it is broadcast.
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that cannot be broadcast.
///
/// ```
/// use cuprum::{array, broadcast_arrays};
/// let both = broadcast_arrays([array([1, 2, 3])?, array([[4], [5]])?])?;
/// assert_eq!(both[1].shape(), [2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(
    names = "args",
    python(varargs = "args", extras = [("subok", Extra::Rejected)], returns_same),
    no_cases = "`broadcast_to` of each array"
)]
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>> {
    let shapes: Vec<&[usize]> = arrays.iter().map(|a| a.shape()).collect();
    let shape = layout::broadcast_shapes(&shapes).map_err(|e| e.with_op("broadcast_arrays"))?;
    arrays.iter().map(|a| a.broadcast_to(shape.as_slice())).collect()
}
