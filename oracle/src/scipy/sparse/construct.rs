//! Sparse arrays of others, and of diagonals.

use cuprum_kernels::DType;

use super::{Diagonal, Entry, Format, Sparse, index_dtype, map};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::{Value, cast};

/// A matrix with ones on a diagonal.
///
/// # Errors
///
/// `ValueError` for a diagonal outside of the matrix.
pub fn eye(shape: [usize; 2], k: i64, dtype: DType, format: Format) -> Result<Sparse> {
    let one = NdArray::from_values(dtype, &[1], [Value::Int(1)])?;
    diagonals(&[(&one, k)], shape)?.to_format(format)
}

/// A matrix of diagonals, each an array of its elements from the top; one element is repeated.
///
/// # Errors
///
/// `ValueError` for a diagonal outside of the matrix, a length that is neither that of the diagonal nor 1, an offset that comes twice, and no diagonals.
pub fn diagonals(of: &[(&NdArray, i64)], [m, n]: [usize; 2]) -> Result<Sparse> {
    let Some((first, _)) = of.first() else { return fail(ErrorKind::Value, "no diagonals") };
    let dtype = of.iter().fold(first.dtype(), |dtype, (a, _)| promote_types(dtype, a.dtype()));
    // The columns up to the last one that a diagonal has.
    let last = |k: i64| (0..n).filter(|j| (0..m as i64).contains(&(*j as i64 - k))).max().map_or(0, |j| j + 1);
    let length = of.iter().map(|(_, k)| last(*k)).max().unwrap_or(0);
    let mut out: Vec<Diagonal> = vec![];
    for (a, k) in of {
        let columns: Vec<usize> = (0..n).filter(|j| (0..m as i64).contains(&(*j as i64 - k))).collect();
        if -k > m as i64 || *k > n as i64 {
            return fail(ErrorKind::Value, format!("the diagonal {k} is outside of the matrix"));
        }
        if a.ndim() > 1 || a.size() != columns.len() && a.size() != 1 {
            return fail(ErrorKind::Value, format!("the diagonal {k} has {} elements", columns.len()));
        }
        if out.iter().any(|d| d.offset == *k) {
            return fail(ErrorKind::Value, format!("the offset {k} comes twice"));
        }
        let values = a.values();
        let mut elements = vec![Value::zero(dtype); length];
        for (rank, column) in columns.into_iter().enumerate() {
            elements[column] = cast(if values.len() == 1 { values[0] } else { values[rank] }, dtype).0;
        }
        out.push(Diagonal { offset: *k, elements });
    }
    Ok(Sparse::of_diagonals(&[m, n], dtype, index_dtype([], [m, n]), length, out))
}

/// Joins arrays along an axis. Parts of the compressed format of the result keep the order and the duplicates of their entries; of
/// others duplicates are added where the result is compressed.
///
/// # Errors
///
/// `ValueError` for shapes that differ elsewhere.
pub fn stack(parts: &[&Sparse], axis: usize, format: Format) -> Result<Sparse> {
    let Some(first) = parts.first() else { return fail(ErrorKind::Value, "no arrays to join") };
    let fits = |p: &&Sparse| {
        p.shape.len() == first.shape.len() && (0..p.shape.len()).all(|k| k == axis || p.shape[k] == first.shape[k])
    };
    if axis >= first.shape.len() || !parts.iter().all(fits) {
        return fail(ErrorKind::Value, format!("shapes do not fit along axis {axis}"));
    }
    let dtype = parts.iter().fold(first.dtype, |dtype, p| promote_types(dtype, p.dtype));
    let (mut entries, mut before) = (vec![], 0);
    for part in parts {
        for mut entry in part.astype(dtype).entries() {
            entry.at[axis] += before;
            entries.push(entry);
        }
        before += part.shape[axis];
    }
    let mut shape = first.shape.clone();
    shape[axis] = before;
    let given = parts.iter().filter_map(|p| p.given_index()).collect::<Vec<_>>();
    let index = index_dtype(given, shape.iter().copied().chain([entries.len()]));
    if matches!(format, Format::Csr | Format::Csc) && parts.iter().all(|p| p.format == format) {
        let major = usize::from(format == Format::Csc);
        entries.sort_by_key(|entry| entry.at[major]);
        return Ok(Sparse::new(format, &shape, dtype, index, entries));
    }
    Sparse::new(Format::Coo, &shape, dtype, index, entries).to_format(format)
}

/// A matrix of blocks; `None` is a block of zeros. The result has coordinates.
///
/// # Errors
///
/// `ValueError` for a row or column of blocks without any, and blocks that do not fit.
pub fn blocks(table: &[Vec<Option<&Sparse>>]) -> Result<Sparse> {
    let columns = table.first().map_or(0, Vec::len);
    if columns == 0 || table.iter().any(|row| row.len() != columns) {
        return fail(ErrorKind::Value, "blocks are rows of one length");
    }
    let size = |axis: usize, of: Vec<Option<&Sparse>>| {
        let sizes: Vec<usize> = of.into_iter().flatten().map(|b| b.shape[axis]).collect();
        match sizes.first() {
            Some(first) if sizes.iter().all(|n| n == first) => Ok(*first),
            _ => fail(ErrorKind::Value, "blocks do not fit"),
        }
    };
    let heights = table.iter().map(|row| size(0, row.clone())).collect::<Result<Vec<_>>>()?;
    let widths = (0..columns).map(|j| size(1, table.iter().map(|row| row[j]).collect())).collect::<Result<Vec<_>>>()?;
    let some: Vec<&Sparse> = table.iter().flatten().flatten().copied().collect();
    let dtype = some.iter().fold(some[0].dtype, |dtype, b| promote_types(dtype, b.dtype));
    let mut entries = vec![];
    for (i, row) in table.iter().enumerate() {
        for (j, block) in row.iter().enumerate() {
            let Some(block) = block else { continue };
            let moved = [heights[..i].iter().sum::<usize>(), widths[..j].iter().sum()];
            for mut entry in block.astype(dtype).entries() {
                entry.at = vec![entry.at[0] + moved[0], entry.at[1] + moved[1]];
                entries.push(entry);
            }
        }
    }
    let shape = [heights.iter().sum(), widths.iter().sum()];
    let index = index_dtype(some.iter().filter_map(|b| b.given_index()), shape);
    Ok(Sparse::new(Format::Coo, &shape, dtype, index, entries))
}

impl Sparse {
    /// The Kronecker sum of two square matrices, compressed by rows: the product of an identity and the first, plus the product of the
    /// second and an identity. Elements that are zero are dropped.
    ///
    /// # Errors
    ///
    /// `ValueError` for arrays that are not square matrices.
    pub fn kronsum(&self, b: &Sparse) -> Result<Sparse> {
        let ([m, n], [p, q]) = (self.two_axes()?, b.two_axes()?);
        if m != n || p != q {
            return fail(ErrorKind::Value, "a Kronecker sum of matrices that are not square");
        }
        let dtype = promote_types(self.dtype, b.dtype);
        let one = |n: usize| eye([n, n], 0, dtype, Format::Coo);
        one(p)?.kron(self)?.binary("add", &b.kron(&one(m)?)?)
    }

    /// The Kronecker product of two matrices. The result has coordinates: for each entry of the first all of the second.
    ///
    /// # Errors
    ///
    /// `ValueError` for arrays that have not two axes.
    pub fn kron(&self, b: &Sparse) -> Result<Sparse> {
        let ([m, n], [p, q]) = (self.two_axes()?, b.two_axes()?);
        let (left, right) = (self.entries(), b.entries());
        let pairs: Vec<(&Entry, &Entry)> = left.iter().flat_map(|x| right.iter().map(move |y| (x, y))).collect();
        let x: Vec<Value> = pairs.iter().map(|(x, _)| x.value).collect();
        let y: Vec<Value> = pairs.iter().map(|(_, y)| y.value).collect();
        let (values, dtype) = map("multiply", &[(&x, self.dtype), (&y, b.dtype)])?;
        let at = |(x, y): &(&Entry, &Entry)| vec![x.at[0] * p + y.at[0], x.at[1] * q + y.at[1]];
        let entries: Vec<Entry> = pairs.iter().zip(values).map(|(pair, value)| Entry { at: at(pair), value }).collect();
        let shape = [m * p, n * q];
        let given = self.given_index().into_iter().chain(b.given_index());
        let index = index_dtype(given, shape.into_iter().chain([entries.len()]));
        Ok(Sparse::new(Format::Coo, &shape, dtype, index, entries))
    }
}
