//! Entries sorted by their keys: the form in which patterns are merged, searched and summed.
//!
//! A key is the position of an entry in C order; two patterns are compared by a binary search of the keys of one in
//! those of the other.
//!
//! Bound: a sort of n keys reads and writes them once for each digit of the key; entries that are known to
//! be in order are not sorted.

use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage, index_dtype, result_index};
use crate::array::Array;
use crate::engine::compressed::{
    SegmentReduction, bits_of, compress_pointers, descents, expand_pointers, first_keys, gather_or_zero, pack, unpack,
};
use crate::engine::compressed_transpose::transpose_rows;
use crate::engine::entry_groups::{Grouped, group_entries};
use crate::engine::sort::sort_pairs;
use crate::engine::{make, mark};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::routines::manipulation::concatenate;
use crate::ufunc::apply;

/// Entries in the order of (major, minor) without duplicates.
#[derive(Clone, Debug)]
pub(super) struct Entries {
    /// Sizes of the major and of the minor axis.
    pub(super) shape: [usize; 2],
    /// Strictly rising.
    pub(super) keys: Array,
    /// Value of each entry.
    pub(super) data: Array,
    /// The dtype of the operands' indices: int64 if one of them has it.
    pub(super) index: DType,
}

/// Arithmetic progression of `n` indices on the device of an array.
pub(super) fn progression(like: &Array, first: i64, step: i64, n: usize, dtype: DType) -> Result<Array> {
    let out = make::empty(like.device(), &[n], dtype)?;
    crate::engine::arange(&out, first.into(), (first + step).into())?;
    Ok(out)
}

/// The sequence 0, 1, … of an index dtype.
pub(super) fn counted(like: &Array, n: usize, dtype: DType) -> Result<Array> {
    progression(like, 0, 1, n, dtype)
}

/// The error of a shape whose positions 64 bits do not hold.
fn too_large(shape: &[usize]) -> Error {
    let message = format!("the shape {} has more elements than 64-bit positions can count", shape_text(shape));
    Error::new(ErrorKind::Value, message)
}

/// The number of elements of a shape, which 64-bit positions count.
pub(super) fn checked_size(shape: &[usize]) -> Result<usize> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let size = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
    size.filter(|&size| size <= i64::MAX as usize).ok_or_else(|| too_large(shape))
}

/// The keys of coordinates.
pub(super) fn keys_of(major: &Array, minor: &Array, shape: [usize; 2]) -> Result<Array> {
    pack(major, minor, shape)?.ok_or_else(|| too_large(&shape))
}

/// Sorts entries by their keys; those of equal keys stay in their order.
pub(super) fn sorted(keys: &Array, data: &Array) -> Result<(Array, Array)> {
    if matches!(data.itemsize(), 4 | 8) {
        return sort_pairs(keys, data);
    }
    let (keys, positions) = sort_pairs(keys, &counted(keys, keys.size(), index_dtype([keys.size()]))?)?;
    Ok((keys, gather_or_zero(&[(&positions, data)])?))
}

/// Adds entries of equal keys, which are sorted. Synchronises to read the number of different keys.
pub(super) fn combined(keys: Array, data: Array) -> Result<(Array, Array)> {
    let marked = mark(&first_keys(&keys)?)?;
    if marked.count()? == keys.size() {
        return Ok((keys, data));
    }
    let end = make::of(keys.device(), &[keys.size() as i64], &[1])?;
    let ends = concatenate([&marked.positions()?, &end], ())?;
    let out = make::empty(keys.device(), &[marked.count()?], data.dtype())?;
    let reduction = SegmentReduction {
        op: "add",
        ends: &ends,
        input: &data,
        order: None,
        in_order: true,
        empty: 0.into(),
        full: 0,
        out: &out,
    };
    reduction.run()?;
    Ok((marked.elements_of(&keys)?, out))
}

impl Entries {
    /// Sorts entries by their keys and adds those of equal keys.
    pub(super) fn of_keys(shape: [usize; 2], keys: &Array, data: &Array, index: DType) -> Result<Entries> {
        let (keys, data) = sorted(keys, data)?;
        let (keys, data) = combined(keys, data)?;
        Ok(Entries { shape, keys, data, index })
    }

    /// The dtype of the indices of these entries.
    pub(super) fn index_dtype(&self) -> DType {
        result_index([self.index], self.shape.into_iter().chain([self.keys.size()]))
    }

    /// Major and minor coordinates.
    pub(super) fn coordinates(&self) -> Result<[Array; 2]> {
        unpack(&self.keys, self.shape, self.index_dtype())
    }

    /// A matrix of compressed rows, or of compressed columns where `major` is 1.
    pub(super) fn into_compressed(self, major: usize) -> Result<Sparse> {
        let [rows, indices] = self.coordinates()?;
        let indptr = compress_pointers(&rows, self.shape[0])?;
        let order = OnceLock::from(EntryOrder::Canonical);
        let shape = if major == 0 { self.shape } else { [self.shape[1], self.shape[0]] };
        Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, self.data, order)))
    }

    /// The entries whose values are not zero. Synchronises to read their number.
    pub(super) fn without_zeros(self) -> Result<Entries> {
        let marked = mark(&apply("not_equal", [(&self.data).into(), 0.into()])?)?;
        if marked.count()? == self.data.size() {
            return Ok(self);
        }
        Ok(Entries { keys: marked.elements_of(&self.keys)?, data: marked.elements_of(&self.data)?, ..self })
    }
}

impl Sparse {
    /// The shape as of a matrix; one axis is a row.
    pub(super) fn matrix_shape(&self) -> [usize; 2] {
        match *self.shape.as_slice() {
            [n] => [1, n],
            [m, n] => [m, n],
            _ => [self.shape[..self.shape.len() - 1].iter().product(), self.shape[self.shape.len() - 1]],
        }
    }

    /// The coordinates of all entries in the order in which they are stored: rows and columns of a matrix. Further axes
    /// are counted with the rows, in C order.
    pub(super) fn stored_coordinates(&self) -> Result<[Array; 2]> {
        match &self.storage {
            Storage::Coo { coords, .. } => match coords.as_slice() {
                [column] => {
                    let row = make::zeros(column.device(), &[column.size()], column.dtype())?;
                    Ok([row, column.clone()])
                }
                [row, column] => Ok([row.clone(), column.clone()]),
                _ => {
                    let (rows, last) = (&coords[..coords.len() - 1], &coords[coords.len() - 1]);
                    super::of_one_dtype([flat(rows, &self.shape[..rows.len()])?, last.clone()])
                }
            },
            Storage::Compressed(c) => {
                let major = expand_pointers(&c.indptr, c.data.size())?;
                Ok(if c.major == 0 { [major, c.indices.clone()] } else { [c.indices.clone(), major] })
            }
            Storage::Blocks(c) => self.block_coordinates(c),
            Storage::Dia { .. } => self.to_format(Format::Coo)?.stored_coordinates(),
        }
    }

    /// The keys of all entries in the order in which they are stored, by an axis of the matrix.
    pub(super) fn stored_keys(&self, major: usize) -> Result<Array> {
        let [m, n] = self.matrix_shape();
        let [row, column] = self.stored_coordinates()?;
        if major == 0 { keys_of(&row, &column, [m, n]) } else { keys_of(&column, &row, [n, m]) }
    }

    /// The order of the entries of a compressed matrix, which is found at the first call.
    pub(super) fn order_of(&self, c: &Compressed) -> Result<EntryOrder> {
        if let Some(order) = c.order.get() {
            return Ok(*order);
        }
        let found = match descents(&c.indptr, &c.indices)? {
            [0, _] => EntryOrder::Canonical,
            [_, 0] => EntryOrder::Sorted,
            _ => EntryOrder::Unsorted,
        };
        Ok(*c.order.get_or_init(|| found))
    }

    /// The entries of a compressed matrix by the other axis; within a row in the order of the coordinates along the own
    /// axis, which are computed if `with_minor`. Duplicates stay. `None` for other arrays, and if the engine does not
    /// group them. Synchronises.
    pub(super) fn grouped(&self, with_minor: bool) -> Result<Option<Grouped>> {
        let Storage::Compressed(c) = &self.storage else { return Ok(None) };
        let is_canonical = c.order.get() == Some(&EntryOrder::Canonical);
        if with_minor && let Some(found) = transpose_rows(c.pattern(), self.matrix_shape()[1 - c.major], is_canonical)?
        {
            return Ok(Some(found));
        }
        group_entries(&c.indices, with_minor.then_some(&c.indptr), &c.data, self.matrix_shape()[1 - c.major])
    }

    /// The entries sorted by an axis of the matrix, without duplicates.
    pub(super) fn entries(&self, major: usize) -> Result<Entries> {
        match &self.storage {
            Storage::Dia { .. } => return self.to_format(Format::Coo)?.entries(major),
            Storage::Blocks(c) => {
                // Elements are sorted if blocks are.
                self.order_of(c)?;
                return self.blocks_by_rows(c)?.entries(major);
            }
            _ => {}
        }
        let [m, n] = self.matrix_shape();
        let shape = if major == 0 { [m, n] } else { [n, m] };
        let order = match &self.storage {
            Storage::Coo { canonical: true, .. } if major == 0 => EntryOrder::Canonical,
            Storage::Compressed(c) if c.major == major => self.order_of(c)?,
            _ => EntryOrder::Unsorted,
        };
        let (keys, data, index) = (self.stored_keys(major)?, self.data(), self.operand_index());
        match order {
            EntryOrder::Canonical => Ok(Entries { shape, keys, data, index }),
            EntryOrder::Sorted => {
                let (keys, data) = combined(keys, data)?;
                Ok(Entries { shape, keys, data, index })
            }
            EntryOrder::Unsorted => Entries::of_keys(shape, &keys, &data, index),
        }
    }
}

/// Positions in C order of coordinates along axes, as int64.
pub(super) fn flat(coords: &[Array], shape: &[usize]) -> Result<Array> {
    let total = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).filter(|&n| i64::try_from(n).is_ok());
    if total.is_none() || shape.iter().map(|&n| bits_of(n)).sum::<u32>() > 63 {
        return Err(too_large(shape));
    }
    let mut position = coords[0].to_dtype(DType::I64)?;
    for (c, &n) in coords.iter().zip(shape).skip(1) {
        let scaled = apply("multiply", [(&position).into(), (n as i64).into()])?;
        position = apply("add", [(&scaled).into(), c.into()])?;
    }
    Ok(position)
}

/// The coordinates along axes of positions in C order.
pub(super) fn unflat(position: &Array, shape: &[usize], dtype: DType) -> Result<Vec<Array>> {
    let mut rest = position.clone();
    let mut coords = Vec::with_capacity(shape.len());
    for &n in shape[1..].iter().rev() {
        let size = make::full(rest.device(), &[], n.max(1) as i64, DType::I64)?;
        coords.push(apply("remainder", [(&rest).into(), (&size).into()])?.to_dtype(dtype)?);
        rest = apply("floor_divide", [(&rest).into(), (&size).into()])?;
    }
    coords.push(rest.to_dtype(dtype)?);
    coords.reverse();
    Ok(coords)
}
