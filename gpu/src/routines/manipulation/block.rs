//! Assembly of an array from nested blocks; NumPy's `block`.
//!
//! Blocks are joined from the innermost list outwards, each level by one [`concatenate`](fn@crate::concatenate): a
//! matrix of blocks costs one copy for its rows and one for the whole.

use super::join::joined;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::table::{Argument, ParameterKind, Value};
use cuprum_macros::routine;

/// A block, or a nested list of blocks.
///
/// ```
/// use cuprum::{Block, array};
/// let a = array([1, 2])?;
/// let row = Block::from([&a, &a]);
/// assert!(matches!(row, Block::Several(_)));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Block {
    /// One array.
    One(Array),
    /// Adjacent blocks, or rows of blocks.
    Several(Vec<Block>),
}

impl From<Array> for Block {
    fn from(a: Array) -> Block {
        Block::One(a)
    }
}

impl From<&Array> for Block {
    fn from(a: &Array) -> Block {
        Block::One(a.clone())
    }
}

impl<B: Into<Block>, const N: usize> From<[B; N]> for Block {
    fn from(blocks: [B; N]) -> Block {
        Block::Several(blocks.into_iter().map(B::into).collect())
    }
}

impl<B: Into<Block>> From<Vec<B>> for Block {
    fn from(blocks: Vec<B>) -> Block {
        Block::Several(blocks.into_iter().map(B::into).collect())
    }
}

impl Argument<'_> for Block {
    const KIND: ParameterKind = ParameterKind::Arrays;

    fn read(value: &Value) -> Result<Block> {
        match value {
            Value::List(all) => Ok(Block::Several(all.iter().map(Block::read).collect::<Result<_>>()?)),
            other => <&Array>::read(other).map(Block::from),
        }
    }

    fn value(&self) -> Value {
        match self {
            Block::One(a) => a.into(),
            Block::Several(all) => Value::List(all.iter().map(Block::value).collect()),
        }
    }
}

/// Assembles an array from nested lists of blocks: the innermost lists are concatenated along the last axis, those
/// around them along the second to last, and so on; NumPy's `block`. Blocks with fewer axes get leading axes of length
/// 1.
///
/// The dtype is that to which all blocks are promoted.
///
/// ```
/// use cuprum::{Block, array, block};
/// let (a, b) = (array([[1, 2], [3, 4]])?, array([[5], [6]])?);
/// let row = array([[7, 8, 9]])?;
/// let all = block(vec![Block::from([&a, &b]), Block::from([&row])])?;
/// assert_eq!(all.to_vec::<i32>()?, [1, 2, 5, 3, 4, 6, 7, 8, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an empty list, for blocks at different depths and for incompatible shapes.
#[routine]
pub fn block(arrays: Block) -> Result<Array> {
    let depth = depth_of(&arrays)?;
    let ndim = most_axes(&arrays).max(depth);
    let all = put_together(&arrays, ndim, depth)?;
    if depth == 0 { all.copy(Order::C) } else { Ok(all) }
}

/// Returns the nesting depth of lists, which must be the same everywhere.
fn depth_of(block: &Block) -> Result<usize> {
    let Block::Several(all) = block else { return Ok(0) };
    let depths = all.iter().map(depth_of).collect::<Result<Vec<_>>>()?;
    let Some(first) = depths.first() else {
        return Err(Error::new(ErrorKind::Value, "a list of blocks is empty: each needs one at least"));
    };
    match depths.iter().find(|d| *d != first) {
        Some(other) => {
            let message = format!("blocks are nested to different depths: {} and {} lists deep", first + 1, other + 1);
            Err(Error::new(ErrorKind::Value, message))
        }
        None => Ok(first + 1),
    }
}

fn most_axes(block: &Block) -> usize {
    match block {
        Block::One(a) => a.ndim(),
        Block::Several(all) => all.iter().map(most_axes).max().unwrap_or(0),
    }
}

/// Concatenates the blocks of a list along the axis of its depth.
fn put_together(block: &Block, ndim: usize, depth: usize) -> Result<Array> {
    match block {
        Block::One(a) => a.expand_dims(0..ndim - a.ndim()),
        Block::Several(all) => {
            let parts = all.iter().map(|b| put_together(b, ndim, depth - 1)).collect::<Result<Vec<_>>>()?;
            joined(&parts.iter().collect::<Vec<_>>(), ndim - depth)
        }
    }
}
