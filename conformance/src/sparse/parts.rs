//! Sparse operands: the arrays of a format, built from a dense operand and the parameters of a case.

use cuprum_kernels::DType;

use super::structure::{Position, stored_positions};
use super::{FORMATS, format_number, pointers};
use crate::matrix::Op;
use crate::outcome::{Number, Tensor};
use crate::text::Params;

/// The arrays of a sparse operand.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The name of the format.
    pub(crate) format: &'static str,
    /// The lengths of the axes.
    pub(crate) shape: Vec<usize>,
    /// The values; of diagonals, a row for each.
    pub(crate) data: Tensor,
    /// The coordinates along each axis, the indices and the pointers, or the offsets.
    pub(crate) indices: Vec<Tensor>,
}

/// An operand of a case.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Sparse(Parts),
    Dense,
}

/// Operations whose first operand is dense.
const FIRST_DENSE: [&str; 3] = ["sparse.from_dense", "sparse.eye", "sparse.diagonals"];

/// Operations of two sparse operands.
const BOTH_SPARSE: [&str; 6] =
    ["sparse.binary", "sparse.matmul", "sparse.kron", "sparse.kronsum", "sparse.stack", "sparse.blocks"];

/// Minor indices of a huge array are multiplied by this.
const HUGE: u32 = 30;

/// Builds the operands of a case.
pub(crate) fn operands(op: &Op, params: &Params, given: &[Option<&Tensor>]) -> Result<Vec<Part>, String> {
    // A suffix distinguishes the cases of one function.
    let name: Vec<&str> = op.name.split('.').take(2).collect();
    let name = name.join(".");
    let one = |(k, tensor): (usize, &Option<&Tensor>)| {
        let sparse = if k == 0 { !FIRST_DENSE.contains(&name.as_str()) } else { BOTH_SPARSE.contains(&name.as_str()) };
        match tensor {
            Some(tensor) if sparse => parts(tensor, params, k).map(Part::Sparse),
            _ => Ok(Part::Dense),
        }
    };
    given.iter().take(op.operands).enumerate().map(one).collect()
}

fn indices(dtype: DType, values: impl IntoIterator<Item = i64>) -> Tensor {
    let values: Vec<i64> = values.into_iter().collect();
    let bytes = values.iter().flat_map(|v| Number::Int((*v).into()).encode(dtype)).collect();
    Tensor::packed(dtype, &[values.len()], bytes)
}

/// Builds the sparse operand number `k`. The second one has the parameters `with` and `other` instead of `format` and `structure`,
/// by default the same, and its columns rotated by one.
pub(super) fn parts(tensor: &Tensor, params: &Params, k: usize) -> Result<Parts, String> {
    let own = |name: &str, second: &str| params.get(second).filter(|_| k > 0).or_else(|| params.get(name));
    let format = FORMATS[format_number(own("format", "with").unwrap_or("csr"))?];
    let structure = own("structure", "other").unwrap_or("skewed");
    let huge = structure == "huge";
    let wide = huge || k == 0 && params.get("index") == Some("i64");
    let index = if wide { DType::I64 } else { DType::I32 };
    let Some((&n, front)) = tensor.shape.split_last() else { return Err("a sparse operand has axes".into()) };
    let m: usize = front.iter().product();
    let mut all = stored_positions(structure, [m, n])?;
    if k > 0 && params.get("other").is_none() {
        all.iter_mut().for_each(|p| p.column = (p.column + 1) % n);
    }
    let size = tensor.dtype.size();
    let element =
        |value: Option<usize>| value.map_or_else(|| vec![0; size], |k| tensor.bytes[k * size..(k + 1) * size].to_vec());
    if format == "dia" {
        return Ok(diagonals(tensor, &all, [m, n], structure == "unsorted"));
    }
    // Entries are grouped by the axis that is compressed.
    match format {
        "csr" => all.sort_by_key(|p| p.row),
        "csc" => all.sort_by_key(|p| p.column),
        _ => {}
    }
    let large = |axis: usize, i: usize| if huge && axis == usize::from(format != "csc") { (i << HUGE) + i } else { i };
    let row = |p: &Position| large(0, p.row) as i64;
    let column = |p: &Position| large(1, p.column) as i64;
    // An index that is out of bounds.
    let wrong = |of: Vec<i64>, size: usize| {
        let mut of = of;
        match (structure, of.last_mut()) {
            ("outside", Some(last)) => *last = size as i64,
            ("negative", Some(last)) => *last = -1,
            _ => {}
        }
        of
    };
    let data = Tensor::packed(tensor.dtype, &[all.len()], all.iter().flat_map(|p| element(p.value)).collect());
    let pointers = |major: fn(&Position) -> usize, lines: usize| {
        let mut of: Vec<i64> = pointers(all.iter().map(major), lines).into_iter().map(|n| n as i64).collect();
        if structure == "falling" {
            of[lines / 2] = all.len() as i64 + 1;
        }
        indices(index, of)
    };
    let mut shape = tensor.shape.clone();
    if huge {
        let axis = if format == "csc" { 0 } else { shape.len() - 1 };
        shape[axis] <<= HUGE;
    }
    let arrays = match format {
        "csr" => vec![indices(index, wrong(all.iter().map(column).collect(), n)), pointers(|p| p.row, m)],
        "csc" => vec![indices(index, wrong(all.iter().map(row).collect(), m)), pointers(|p| p.column, n)],
        _ => {
            let mut coords = vec![indices(index, wrong(all.iter().map(column).collect(), n))];
            // The rows of more than two axes are those of all axes but the last.
            let mut rest: Vec<usize> = all.iter().map(|p| p.row).collect();
            for n in front.iter().rev() {
                coords.insert(0, indices(index, rest.iter().map(|row| (row % n) as i64)));
                rest.iter_mut().for_each(|row| *row /= n);
            }
            coords
        }
    };
    Ok(Parts { format, shape, data, indices: arrays })
}

/// Stores the diagonals that have a stored position. Elements outside of the matrix are ones, which no operation reads.
fn diagonals(tensor: &Tensor, all: &[Position], [m, n]: [usize; 2], backwards: bool) -> Parts {
    let mut offsets: Vec<i64> = all.iter().map(|p| p.column as i64 - p.row as i64).collect();
    offsets.sort_unstable();
    offsets.dedup();
    if backwards {
        offsets.reverse();
    }
    let size = tensor.dtype.size();
    let one = Number::Int(1);
    let one = if tensor.dtype.is_complex() {
        Number::Complex(1.0, 0.0)
    } else if tensor.dtype.is_float() {
        Number::Float(1.0)
    } else {
        one
    };
    let mut bytes = vec![];
    for offset in &offsets {
        for column in 0..n {
            let row = column as i64 - offset;
            let position = all.iter().find(|p| p.row as i64 == row && p.column == column);
            match position.and_then(|p| p.value) {
                Some(k) => bytes.extend(&tensor.bytes[k * size..(k + 1) * size]),
                None if (0..m as i64).contains(&row) => bytes.extend(vec![0; size]),
                None => bytes.extend(one.encode(tensor.dtype)),
            }
        }
    }
    let data = Tensor::packed(tensor.dtype, &[offsets.len(), n], bytes);
    Parts { format: "dia", shape: vec![m, n], data, indices: vec![indices(DType::I32, offsets)] }
}
