//! Matrices of dense blocks against dense matrices.

use super::{Dense, assert_same};
use crate::array::Array;
use crate::error::{ErrorKind, Result};
use crate::layout::Order;
use crate::scipy::sparse::{Format, Sparse};

fn of(list: &[i64]) -> Array {
    Array::from_slice(list, [list.len()]).unwrap()
}

#[test]
fn blocks_of_a_size_have_all_elements() -> Result<()> {
    let x = Dense::new([6, 9], 21);
    for size in [[1, 1], [2, 3], [3, 1], [6, 9]] {
        for format in super::FORMATS {
            let a = x.sparse(format).to_blocks(size)?;
            assert_eq!((a.format(), a.block_size()?), (Format::Bsr, size));
            assert_same(&a, &x);
            assert_same(&a.to_format(Format::Csr)?, &x);
            assert_same(&a.transpose(None)?, &Dense::of([9, 6], |i, j| x.at(j, i)));
            assert_eq!(a.transpose(None)?.block_size()?, [size[1], size[0]]);
            let sorted = a.sort_indices()?;
            assert!(sorted.has_canonical_format()?);
            assert_same(&sorted, &x);
        }
        // A block is stored if it has an element that is not zero.
        let count = (0..6 / size[0] * (9 / size[1])).filter(|k| {
            let (row, column) = (k / (9 / size[1]) * size[0], k % (9 / size[1]) * size[1]);
            (0..size[0] * size[1]).any(|e| x.at(row + e / size[1], column + e % size[1]) != 0)
        });
        let a = x.sparse(Format::Csr).to_blocks(size)?;
        assert_eq!(a.nnz()?, count.count() * size[0] * size[1]);
        assert_eq!(a.eliminate_zeros()?.nnz()?, a.nnz()?);
        let y = Dense::new([9, 2], 22);
        let product = Dense::of([6, 2], |i, j| (0..9).map(|k| x.at(i, k) * y.at(k, j)).sum());
        assert_eq!(a.matmul_dense(&y.array())?.to_vec::<i64>()?, product.elements);
        assert_same(&a.matmul(&y.sparse(Format::Csr))?, &product);
    }
    assert_eq!(x.sparse(Format::Csr).to_blocks([4, 3]).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(x.sparse(Format::Csr).to_blocks([0, 3]).unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

/// Blocks in the order in which rows mention them, repeated blocks, and blocks of zeros.
#[test]
fn blocks_have_an_order() -> Result<()> {
    let x = Dense { shape: [2, 6], elements: vec![0, 0, 0, 0, 5, 0, 7, 0, 0, 8, 0, 0] };
    let a = x.sparse(Format::Csr).to_blocks([2, 2])?;
    assert_eq!(a.indices()?.to_vec::<i32>()?, [2, 0, 1]);
    assert_eq!(a.data().to_vec::<i64>()?, [5, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 8]);
    assert!(!a.has_sorted_indices()?);

    let data = Array::from_slice(&[1i64, 2, 0, 0, 10, 20], [3, 1, 2])?;
    let b = Sparse::bsr(&data, &of(&[1, 0, 1]), &of(&[0, 3, 3]), [2, 4])?;
    let want = Dense { shape: [2, 4], elements: vec![0, 0, 11, 22, 0, 0, 0, 0] };
    assert_same(&b, &want);
    assert_eq!((b.nnz()?, b.sum_duplicates()?.nnz()?, b.eliminate_zeros()?.nnz()?), (6, 4, 4));
    assert_same(&b.sum_duplicates()?, &want);
    assert_same(&b.eliminate_zeros()?, &want);
    assert_eq!(b.sort_indices()?.data().to_vec::<i64>()?, [0, 0, 1, 2, 10, 20]);
    assert_eq!(b.reduce("sum", Some(1), None)?.to_vec::<i64>()?, [33, 0]);
    assert_same(&b.reshape(&[4, 2], Order::C)?, &Dense { shape: [4, 2], elements: want.elements.clone() });
    let scaled = b.with_data(&b.data().negative()?)?;
    assert_eq!(scaled.to_dense(())?.to_vec::<i64>()?, want.elements.iter().map(|x| -x).collect::<Vec<_>>());

    assert_eq!(Sparse::bsr(&data, &of(&[1, 0, 1]), &of(&[0, 3]), [2, 4]).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(Sparse::bsr(&data, &of(&[1, 0, 1]), &of(&[0, 3, 3]), [2, 3]).unwrap_err().kind(), ErrorKind::Value);
    // Kernels that run before the error is returned read no memory outside of the arrays.
    let bad = Sparse::bsr(&data, &of(&[1, 0, 9]), &of(&[0, 900, 2]), [2, 4])?;
    let product = bad.matmul_dense(&of(&[1, 1, 1, 1]))?;
    assert_eq!(product.to_vec::<i64>().unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

/// The size of blocks is the largest of 6, 4, 3 and 2 rows and columns that few zeros fill.
#[test]
fn the_size_of_blocks_is_estimated() -> Result<()> {
    for (n, want) in [(1, 1), (2, 2), (3, 3), (4, 4), (6, 6)] {
        let x = Dense::of([12, 12], |i, j| i64::from(i / n == j / n));
        assert_eq!(x.sparse(Format::Bsr).block_size()?, [want; 2], "{n}");
    }
    Ok(())
}
