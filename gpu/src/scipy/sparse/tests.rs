//! Sparse arrays against dense ones, whose operations are loops over all elements.

use cuprum_kernels::DType;

mod blocks;
mod bsr;

use super::{Format, Select, Sparse};
use crate::array::Array;
use crate::error::{ErrorKind, Result};
use crate::layout::Order;

const FORMATS: [Format; 5] = [Format::Coo, Format::Csr, Format::Csc, Format::Bsr, Format::Dia];

/// A dense matrix of integers.
#[derive(Clone, Debug, PartialEq)]
struct Dense {
    shape: [usize; 2],
    elements: Vec<i64>,
}

impl Dense {
    /// About a third of the elements, an empty row and an empty column.
    fn new(shape: [usize; 2], seed: u64) -> Dense {
        let mut state = seed;
        let elements = (0..shape[0] * shape[1])
            .map(|i| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (row, column) = (i / shape[1], i % shape[1]);
                let zero = !(state >> 40).is_multiple_of(3) || row == 1 || column == 2;
                if zero { 0 } else { (state >> 20) as i64 % 9 - 4 }
            })
            .collect();
        Dense { shape, elements }
    }

    fn at(&self, i: usize, j: usize) -> i64 {
        self.elements[i * self.shape[1] + j]
    }

    fn of(shape: [usize; 2], f: impl Fn(usize, usize) -> i64) -> Dense {
        let elements = (0..shape[0] * shape[1]).map(|i| f(i / shape[1], i % shape[1])).collect();
        Dense { shape, elements }
    }

    fn array(&self) -> Array {
        Array::from_slice(&self.elements, self.shape).unwrap()
    }

    fn sparse(&self, format: Format) -> Sparse {
        Sparse::from_dense(&self.array(), format).unwrap()
    }
}

#[track_caller]
fn assert_same(found: &Sparse, want: &Dense) {
    assert_eq!(found.shape(), want.shape);
    let dense = found.to_dense(()).unwrap().astype(DType::I64).unwrap();
    assert_eq!(dense.to_vec::<i64>().unwrap(), want.elements);
    let stored = want.elements.iter().filter(|&&x| x != 0).count();
    assert!(found.nnz().unwrap() >= stored);
}

#[test]
fn formats_convert_to_each_other() {
    for shape in [[5, 7], [7, 4], [1, 1], [0, 3], [3, 0]] {
        let dense = Dense::new(shape, 7);
        let transposed = Dense::of([shape[1], shape[0]], |i, j| dense.at(j, i));
        for format in FORMATS {
            let a = dense.sparse(format);
            assert_eq!(a.format(), format);
            for other in FORMATS {
                let b = a.to_format(other).unwrap();
                assert_eq!(b.format(), other);
                assert_same(&b, &dense);
                assert_same(&b.transpose(None).unwrap(), &transposed);
            }
            let f = a.to_dense(Order::F).unwrap();
            assert!(f.is_f_contiguous());
            assert_eq!(f.to_vec::<i64>().unwrap(), dense.elements);
        }
    }
}

/// Values of 1 to 16 bytes go through sorts as positions or as themselves.
#[test]
fn duplicates_are_added_for_every_dtype() {
    let (row, column) = ([2i64, 0, 2, 2, 0, 1], [1i64, 3, 1, 0, 3, 2]);
    let rows = Array::from_slice(&row, [6]).unwrap();
    let columns = Array::from_slice(&column, [6]).unwrap();
    for dtype in DType::ALL {
        let data = Array::from_slice(&[1i64, 2, 3, 4, 5, 0], [6]).unwrap().astype(dtype).unwrap();
        let a = Sparse::coo(&data, &[&rows, &columns], &[3, 4]).unwrap();
        let mut want = Dense::of([3, 4], |_, _| 0);
        (0..6).for_each(|k| want.elements[(row[k] * 4 + column[k]) as usize] += [1, 2, 3, 4, 5, 0][k]);
        if dtype == DType::Bool {
            want.elements.iter_mut().for_each(|x| *x = (*x != 0).into());
        }
        let real = |s: &Sparse| s.astype(if dtype.is_complex() { DType::C128 } else { dtype }).unwrap();
        for format in [Format::Coo, Format::Csr, Format::Csc] {
            let summed = real(&a.to_format(format).unwrap().sum_duplicates().unwrap());
            assert_eq!(summed.nnz().unwrap(), 4, "{dtype}");
            let dense = summed.to_dense(()).unwrap();
            let dense = if dtype.is_complex() { dense.real() } else { dense };
            assert_eq!(dense.astype(DType::I64).unwrap().to_vec::<i64>().unwrap(), want.elements, "{dtype}");
            assert_eq!(summed.eliminate_zeros().unwrap().nnz().unwrap(), 3, "{dtype}");
        }
    }
}

#[test]
fn binary_operations_unite_or_intersect_patterns() {
    let (x, y) = (Dense::new([6, 9], 1), Dense::new([6, 9], 2));
    type Op = fn(i64, i64) -> i64;
    let ops: [(&str, Op); 8] = [
        ("add", |a, b| a + b),
        ("subtract", |a, b| a - b),
        ("multiply", |a, b| a * b),
        ("maximum", i64::max),
        ("minimum", i64::min),
        ("not_equal", |a, b| (a != b).into()),
        ("less", |a, b| (a < b).into()),
        ("greater_equal", |a, b| (a >= b).into()),
    ];
    for (name, op) in ops {
        let want = Dense::of([6, 9], |i, j| op(x.at(i, j), y.at(i, j)));
        for (left, right) in [(Format::Csr, Format::Csr), (Format::Csc, Format::Csc), (Format::Coo, Format::Dia)] {
            let found = x.sparse(left).binary(name, &y.sparse(right)).unwrap();
            assert_same(&found, &want);
            assert_eq!(found.nnz().unwrap(), want.elements.iter().filter(|&&x| x != 0).count(), "{name}");
        }
    }
    let other = Dense::new([9, 6], 3).sparse(Format::Csr);
    assert_eq!(x.sparse(Format::Csr).binary("add", &other).unwrap_err().kind(), ErrorKind::Value);
    let error = x.sparse(Format::Csr).binary("true_divide", &y.sparse(Format::Csr)).unwrap_err();
    assert!(error.to_string().contains("to_dense"), "{error}");
}

#[test]
fn reductions_count_what_is_not_stored() {
    let x = Dense::new([5, 8], 4);
    let line = |axis: usize, k: usize| -> Vec<i64> {
        if axis == 1 { (0..8).map(|j| x.at(k, j)).collect() } else { (0..5).map(|i| x.at(i, k)).collect() }
    };
    type Op = fn(&[i64]) -> i64;
    let ops: [(&str, Op); 6] = [
        ("sum", |v| v.iter().sum()),
        ("max", |v| *v.iter().max().unwrap()),
        ("min", |v| *v.iter().min().unwrap()),
        ("count_nonzero", |v| v.iter().filter(|&&x| x != 0).count() as i64),
        ("argmax", |v| v.iter().position(|x| x == v.iter().max().unwrap()).unwrap() as i64),
        ("argmin", |v| v.iter().position(|x| x == v.iter().min().unwrap()).unwrap() as i64),
    ];
    for format in FORMATS {
        let a = x.sparse(format);
        for (name, op) in ops {
            for axis in [0, 1] {
                let want: Vec<i64> = (0..[8, 5][axis]).map(|k| op(&line(axis, k))).collect();
                let found = a.reduce(name, Some(axis), None).unwrap();
                assert_eq!(found.to_vec::<i64>().unwrap(), want, "{name} {axis} {format:?}");
            }
            assert_eq!(a.reduce(name, None, None).unwrap().item::<i64>().unwrap(), op(&x.elements), "{name}");
        }
    }
}

#[test]
fn rows_and_columns_are_chosen() -> Result<()> {
    let x = Dense::new([6, 7], 5);
    let selects = |size: usize| -> Vec<(Select, Vec<usize>)> {
        let list = [3i64, -1, 0, 3];
        let indices: Vec<usize> =
            list.iter().map(|&i| if i < 0 { (i + size as i64) as usize } else { i as usize }).collect();
        vec![
            (Select::All, (0..size).collect()),
            (Select::Range { start: 1, step: 1, len: 3 }, vec![1, 2, 3]),
            (Select::Range { start: 0, step: 2, len: 3 }, vec![0, 2, 4]),
            (Select::Range { start: 4, step: -2, len: 3 }, vec![4, 2, 0]),
            (Select::Range { start: 0, step: 1, len: 0 }, vec![]),
            (Select::Indices(Array::from_slice(&list, [4]).unwrap()), indices),
        ]
    };
    for format in [Format::Coo, Format::Csr, Format::Csc] {
        let a = x.sparse(format);
        for (rows, i) in selects(6) {
            for (columns, j) in selects(7) {
                let found = a.select(&rows, &columns)?;
                assert_eq!(found.format(), format);
                assert_same(&found, &Dense::of([i.len(), j.len()], |r, c| x.at(i[r], j[c])));
            }
        }
    }
    let wrong = Select::Indices(Array::from_slice(&[6i64], [1])?);
    let found = x.sparse(Format::Csr).select(&wrong, &Select::All);
    let error = found.and_then(|a| a.device().synchronize()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
    Ok(())
}

#[test]
fn points_are_read_and_written() -> Result<()> {
    let mut x = Dense::new([6, 7], 6);
    let (row, column) = ([0i64, 5, 5, 2, 5], [0i64, 6, -1, 3, 6]);
    let (rows, columns) = (Array::from_slice(&row, [5])?, Array::from_slice(&column, [5])?);
    let at = |k: usize| (row[k] as usize, (column[k] + if column[k] < 0 { 7 } else { 0 }) as usize);
    for format in FORMATS {
        let found = x.sparse(format).points(&[&rows, &columns])?;
        let want: Vec<i64> = (0..5).map(|k| x.at(at(k).0, at(k).1)).collect();
        assert_eq!(found.to_vec::<i64>()?, want);
    }
    let values = Array::from_slice(&[10i64, 20, 30, 40, 50], [5])?;
    let before = x.clone();
    (0..5).for_each(|k| x.elements[at(k).0 * 7 + at(k).1] = 10 * (k as i64 + 1));
    for format in FORMATS {
        assert_same(&before.sparse(format).set_points(&[&rows, &columns], &values)?, &x);
        let ones = Array::from_slice(&[1i64], [1])?.reshape(&[] as &[usize])?;
        for k in [-2isize, 0, 3] {
            let want = Dense::of([6, 7], |i, j| if j as isize - i as isize == k { 1 } else { before.at(i, j) });
            let changed = before.sparse(format).setdiag(&ones, k)?;
            assert_same(&changed, &want);
            let diagonal = before.sparse(format).diagonal(k)?;
            let positions = (0..6).filter(|&i| (0..7).contains(&(i + k)));
            let want: Vec<i64> = positions.map(|i| before.at(i as usize, (i + k) as usize)).collect();
            assert_eq!(diagonal.to_vec::<i64>()?, want);
        }
    }
    Ok(())
}

#[test]
fn products_agree_with_dense_ones() -> Result<()> {
    let (x, y) = (Dense::new([5, 6], 8), Dense::new([6, 4], 9));
    let want = Dense::of([5, 4], |i, j| (0..6).map(|k| x.at(i, k) * y.at(k, j)).sum());
    for left in FORMATS {
        for right in FORMATS {
            assert_same(&x.sparse(left).matmul(&y.sparse(right))?, &want);
        }
        assert_eq!(x.sparse(left).matmul_dense(&y.array())?.to_vec::<i64>()?, want.elements);
        assert_eq!(y.sparse(left).rmatmul_dense(&x.array())?.to_vec::<i64>()?, want.elements);
        let column = y.array().index(crate::s![.., 1])?;
        let of_column: Vec<i64> = (0..5).map(|i| want.at(i, 1)).collect();
        assert_eq!(x.sparse(left).matmul_dense(&column)?.to_vec::<i64>()?, of_column);
        let half = x.sparse(left).astype(DType::F16)?.matmul_dense(&y.array().astype(DType::F16)?)?;
        assert_eq!((half.dtype(), half.astype(DType::I64)?.to_vec::<i64>()?), (DType::F16, want.elements.clone()));
    }
    Ok(())
}

#[test]
fn shapes_change_in_both_orders() -> Result<()> {
    let x = Dense::new([6, 4], 10);
    for format in FORMATS {
        let a = x.sparse(format);
        assert_same(&a.reshape(&[8, 3], Order::C)?, &Dense { shape: [8, 3], elements: x.elements.clone() });
        let by_columns: Vec<i64> = (0..24).map(|k| x.at(k % 6, k / 6)).collect();
        assert_same(&a.reshape(&[3, 8], Order::F)?, &Dense::of([3, 8], |i, j| by_columns[j * 3 + i]));
        let cube = a.reshape(&[2, 3, 4], Order::C)?;
        assert_eq!(cube.to_dense(())?.to_vec::<i64>()?, x.elements);
        let sums: Vec<i64> = (0..12).map(|k| x.elements[k] + x.elements[k + 12]).collect();
        assert_eq!(cube.reduce("sum", Some(0), None)?.to_vec::<i64>()?, sums);
        assert_eq!(cube.transpose(Some(&[2, 0, 1]))?.shape(), [4, 2, 3]);
        assert_eq!(a.reshape(&[5, 5], Order::C).unwrap_err().kind(), ErrorKind::Value);
    }
    Ok(())
}

#[test]
fn matrices_are_built_from_parts() -> Result<()> {
    let (x, y) = (Dense::new([3, 4], 11), Dense::new([2, 4], 12));
    let (a, b) = (x.sparse(Format::Csr), y.sparse(Format::Coo));
    let below = Dense::of([5, 4], |i, j| if i < 3 { x.at(i, j) } else { y.at(i - 3, j) });
    assert_same(&Sparse::stack(&[&a, &b], 0, Format::Csr)?, &below);
    let kron = Dense::of([6, 16], |i, j| x.at(i / 2, j / 4) * y.at(i % 2, j % 4));
    assert_same(&a.kron(&b)?, &kron);
    let blocks = Sparse::blocks(&[vec![Some(&a), None], vec![None, Some(&b)]])?;
    let want = Dense::of([5, 8], |i, j| match (i < 3, j < 4) {
        (true, true) => x.at(i, j),
        (false, false) => y.at(i - 3, j - 4),
        _ => 0,
    });
    assert_same(&blocks, &want);
    assert_same(&a.triangle(1, true)?, &Dense::of([3, 4], |i, j| if j > i { x.at(i, j) } else { 0 }));
    assert_same(&a.triangle(-1, false)?, &Dense::of([3, 4], |i, j| if j < i { x.at(i, j) } else { 0 }));
    let wide = b.broadcast_to(&[2, 4])?;
    assert_same(&wide, &y);
    let row = Dense::new([1, 5], 13);
    assert_same(&row.sparse(Format::Csr).broadcast_to(&[3, 5])?, &Dense::of([3, 5], |_, j| row.at(0, j)));
    Ok(())
}

/// Indices that the device rejects: the next call that synchronises says which.
#[test]
fn wrong_indices_are_reported() -> Result<()> {
    let of = |list: &[i64]| Array::from_slice(list, [list.len()]).unwrap();
    let data = of(&[1, 2]);
    let wait = |a: Result<Sparse>| a.and_then(|a| a.device().synchronize()).unwrap_err();
    let error = wait(Sparse::coo(&data, &[&of(&[0, 3]), &of(&[0, 1])], &[3, 2]));
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.to_string().contains("index 3 at position 1"), "{error}");
    let error = wait(Sparse::coo(&data, &[&of(&[0, 1]), &of(&[-1, 1])], &[3, 2]));
    assert!(error.to_string().contains("index -1"), "{error}");
    for pointers in [&[0, 2, 1], &[1, 1, 2], &[0, 1, 3]] {
        let error = wait(Sparse::csr(&data, &of(&[0, 1]), &of(pointers), [2, 2]));
        assert!(error.to_string().contains("indptr["), "{error}");
    }
    assert_eq!(Sparse::csr(&data, &of(&[0, 1]), &of(&[0, 2]), [2, 2]).unwrap_err().kind(), ErrorKind::Value);
    // Kernels that run before the error is returned read no memory outside of the arrays.
    let bad = Sparse::csr(&data, &of(&[0, 9]), &of(&[0, 1, 900]), [2, 2])?;
    let product = bad.matmul_dense(&of(&[1, 1]))?;
    assert_eq!(product.to_vec::<i64>().unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

#[test]
fn an_index_selects_rows_and_columns() {
    use crate::array::array;
    use crate::{Ellipsis, s};
    let dense = array([[1, 0, 2, 0], [0, 3, 0, 0], [4, 0, 0, 5]]).unwrap();
    let mask = array([true, false, true]).unwrap();
    for format in FORMATS {
        let a = Sparse::from_dense(&dense, format).unwrap();
        let same = |index: Vec<crate::Index>| {
            let (got, want) = (a.index(&index).unwrap(), dense.index(&index).unwrap());
            assert_eq!(got.shape(), want.shape(), "{format:?} {index:?}");
            let values = got.to_dense(()).unwrap().to_vec::<i32>().unwrap();
            assert_eq!(values, want.to_vec::<i32>().unwrap(), "{format:?} {index:?}");
        };
        same(s![1]);
        same(s![.., -1]);
        same(s![Ellipsis, 2]);
        same(s![1.., ..;2]);
        same(s![..;-1, 3..0;-1]);
        same(s![[2, 0, 2]]);
        same(s![.., [3, 3, 0]]);
        same(s![&mask]);
        same(s![5.., ..]);
        let kinds = [s![0, 0], s![3], s![0, 0, 0], s![crate::NewAxis]].map(|index| a.index(index).unwrap_err().kind());
        assert_eq!(kinds, [ErrorKind::Index, ErrorKind::Index, ErrorKind::Index, ErrorKind::Type]);
    }
    let line = Sparse::from_dense(&array([0, 7, 0, 9]).unwrap(), Format::Coo).unwrap();
    assert_eq!(line.index(s![1..]).unwrap().to_dense(()).unwrap().to_vec::<i32>().unwrap(), [7, 0, 9]);
    let wrong = Sparse::from_triplets([2, 2], &[0, 2], &[0, 0], &[1.0, 2.0]).unwrap_err();
    assert_eq!(Sparse::from_triplets([2, 2], &[0], &[0, 0], &[1.0, 2.0]).unwrap_err().kind(), ErrorKind::Value);
    assert!(wrong.to_string().contains("coordinate 2 of entry 1 is out of bounds for axis 0 with size 2"), "{wrong}");
}
