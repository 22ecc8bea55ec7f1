//! The oracle's side of cases of sparse arrays.

use cuprum_kernels::DType;
use cuprum_oracle::scipy::sparse::{self as oracle, Diagonal, Format, Product, Sparse, Stored};
use cuprum_oracle::{NdArray, Order, Value};

use super::{Chosen, Part, Parts, block_size, clear_outside, format_number, integer, operands, pointers, sizes, text};
use crate::call::logical;
use crate::case::{Case, Operand, Scalar};
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Number, Outcome, Tensor};
use crate::reference::{Rejection, Result, array, tensor, value};
use crate::text::Params;

const KINDS: [Format; 4] = [Format::Coo, Format::Csr, Format::Csc, Format::Dia];

fn format_of(name: &str) -> Result<Format> {
    KINDS.get(format_number(name)?).copied().ok_or_else(|| format!("{name} needs the size of its blocks").into())
}

fn number(t: &Tensor, i: usize) -> i64 {
    if let Number::Int(n) = t.get(i) { n as i64 } else { -1 }
}

/// Builds a sparse operand.
pub(super) fn built(parts: &Parts) -> Result<Sparse> {
    let format = format_of(parts.format)?;
    let index = parts.indices[0].dtype;
    let values = NdArray::from_packed(parts.data.dtype, &parts.data.shape, parts.data.bytes.clone())?.values();
    if format == Format::Dia {
        let length = parts.data.shape[1];
        let diagonal = |k: usize| Diagonal {
            offset: number(&parts.indices[0], k),
            elements: values[k * length..(k + 1) * length].to_vec(),
        };
        let diagonals = (0..parts.data.shape[0]).map(diagonal).collect();
        return Ok(Sparse::of_diagonals(&parts.shape, parts.data.dtype, index, length, diagonals));
    }
    let column = |t: &Tensor| (0..t.size()).map(|i| number(t, i)).collect::<Vec<_>>();
    let indices: Vec<Vec<i64>> = parts.indices.iter().map(column).collect();
    let dtype = parts.data.dtype;
    Ok(match format {
        Format::Coo => Sparse::of_coordinates(&parts.shape, dtype, index, &values, &indices)?,
        _ => Sparse::of_pointers(format, &parts.shape, index, (&values, dtype), &indices[0], &indices[1])?,
    })
}

fn integers(dtype: DType, values: impl IntoIterator<Item = usize>) -> Tensor {
    let values: Vec<usize> = values.into_iter().collect();
    let bytes = values.iter().flat_map(|v| Number::Int(*v as i128).encode(dtype)).collect();
    Tensor::packed(dtype, &[values.len()], bytes)
}

fn values_of(dtype: DType, shape: &[usize], values: Vec<Value>) -> Result<Tensor> {
    Ok(tensor(&NdArray::from_values(dtype, shape, values)?))
}

/// Returns the arrays of a result.
fn described(a: &Sparse) -> Result<Outcome> {
    let number = KINDS.iter().position(|f| *f == a.format).unwrap_or(KINDS.len());
    let header = integers(DType::I64, std::iter::once(number).chain(a.shape.iter().copied()));
    let mut out = match &a.stored {
        Stored::Entries(entries) => {
            let shape = match a.format {
                Format::Bsr([height, width]) => vec![entries.len() / (height * width), height, width],
                _ => vec![entries.len()],
            };
            let data = values_of(a.dtype, &shape, entries.iter().map(|e| e.value).collect())?;
            let column = |axis: usize| integers(a.index, entries.iter().map(|e| e.at[axis]));
            let pointers = |axis: usize| integers(a.index, pointers(entries.iter().map(|e| e.at[axis]), a.shape[axis]));
            let indices = match a.format {
                Format::Csr => vec![column(1), pointers(0)],
                Format::Csc => vec![column(0), pointers(1)],
                Format::Bsr([height, width]) => {
                    let firsts = || entries.iter().step_by(height * width);
                    let rows = super::pointers(firsts().map(|e| e.at[0] / height), a.shape[0] / height);
                    vec![integers(a.index, firsts().map(|e| e.at[1] / width)), integers(a.index, rows)]
                }
                _ => (0..a.shape.len()).map(column).collect(),
            };
            [vec![data], indices].concat()
        }
        Stored::Diagonals(diagonals, length) => {
            let elements = diagonals.iter().flat_map(|d| d.elements.clone()).collect();
            let mut data = values_of(a.dtype, &[diagonals.len(), *length], elements)?;
            let offsets: Vec<i64> = diagonals.iter().map(|d| d.offset).collect();
            clear_outside(&mut data, &offsets, &a.shape);
            let bytes = diagonals.iter().flat_map(|d| Number::Int(d.offset.into()).encode(a.index)).collect();
            vec![data, Tensor::packed(a.index, &[diagonals.len()], bytes)]
        }
    };
    out.insert(1, header);
    Ok(Outcome::Several(out))
}

fn order_of(params: &Params) -> Order {
    if params.get("order") == Some("F") { Order::F } else { Order::C }
}

fn points(params: &Params) -> Result<Vec<Vec<i64>>> {
    Ok([params.integers("rows")?, params.integers("columns")?].into_iter().flatten().collect())
}

/// A result, and the bounds of the errors of its elements where rounding depends on the order of additions.
pub(crate) enum Given {
    Sparse(Sparse, Option<Vec<f64>>),
    Dense(NdArray, Option<Vec<f64>>),
    Several(Vec<Tensor>),
}

impl Given {
    /// Returns the arrays of the result.
    pub(crate) fn outcome(&self) -> Result<Outcome> {
        Ok(match self {
            Given::Sparse(a, _) => described(a)?,
            Given::Dense(a, _) => Outcome::Array(tensor(a)),
            Given::Several(all) => Outcome::Several(all.clone()),
        })
    }
}

/// Runs a case.
pub(crate) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    run(op, case, inputs)?.outcome()
}

/// Bounds the error of the elements of the result, where rounding depends on the order of additions.
pub(crate) fn bounds(op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
    match run(op, case, inputs).ok()? {
        Given::Sparse(_, bounds) | Given::Dense(_, bounds) => bounds,
        Given::Several(_) => None,
    }
}

fn run(op: &Op, case: &Case, inputs: &[Input]) -> Result<Given> {
    let parts = operands(op, &case.params, &logical(inputs))?;
    let (mut sparse, mut arrays) = (vec![], vec![]);
    for (part, input) in parts.iter().zip(inputs) {
        match (part, input) {
            (Part::Sparse(parts), _) => {
                let a = built(parts)?;
                let size = block_size(&case.params, "block")?.filter(|_| sparse.is_empty());
                sparse.push(if let Some(size) = size { a.to_format(Format::Bsr(size))? } else { a });
            }
            (Part::Dense, Input::Array(_)) => arrays.push(array(input)?),
            (Part::Dense, Input::Scalar(_)) => {}
        }
    }
    // A new matrix has the dtype and the shape of an operand that is not read.
    if let ("sparse.eye", Some(Operand::Array { dtype, shape, .. })) = (op.name.as_str(), case.operands.first()) {
        let (k, to) = (integer(&case.params, "k")?, format_of(text(&case.params, "to")?)?);
        return Ok(Given::Sparse(oracle::eye([shape.0[0], shape.0[1]], k, *dtype, to)?, None));
    }
    let (sparse, arrays): (Vec<&Sparse>, Vec<&NdArray>) = (sparse.iter().collect(), arrays.iter().collect());
    applied(&op.name, &case.params, &sparse, &arrays)
}

/// Applies an operation by its name to sparse and dense operands.
pub(crate) fn applied(name: &str, params: &Params, sparse: &[&Sparse], arrays: &[&NdArray]) -> Result<Given> {
    let missing = || Rejection::from("an operand is missing".to_string());
    // A suffix distinguishes the cases of one function.
    let name = name.trim_start_matches("sparse.");
    let name = name.split('.').next().unwrap_or(name);
    let k = integer(params, "k")?;
    match name {
        "from_dense" => {
            let a = arrays.first().ok_or_else(missing)?;
            return Ok(Given::Sparse(Sparse::from_dense(a, format_of(text(params, "to")?)?)?, None));
        }
        "diagonals" => {
            let offsets = params.integers("offsets")?.unwrap_or_default();
            let of: Vec<(&NdArray, i64)> = arrays.iter().copied().zip(offsets).collect();
            let shape = sizes(params, "shape")?.ok_or_else(missing)?;
            return Ok(Given::Sparse(oracle::diagonals(&of, [shape[0], shape[1]])?, None));
        }
        _ => {}
    }
    let a = *sparse.first().ok_or_else(missing)?;
    let other = || sparse.get(1).copied().ok_or_else(missing);
    let given = || arrays.first().copied().ok_or_else(missing);
    let dense = |a: NdArray| Ok(Given::Dense(a, None));
    let axis = params.parsed::<usize>("axis")?;
    let rounded = |Product { result, bounds }: Product<NdArray>| Ok(Given::Dense(result, Some(bounds)));
    let result = match name {
        "asformat" => a.to_format(format_of(text(params, "to")?)?)?,
        "to_blocks" => a.to_format(Format::Bsr(block_size(params, "size")?.ok_or_else(missing)?))?,
        "toarray" => return dense(a.to_dense(order_of(params))?),
        "sum_duplicates" => a.sum_duplicates()?,
        "sort_indices" => a.sort_indices(),
        "eliminate_zeros" => a.eliminate_zeros(),
        "astype" => a.astype(params.parsed("to")?.ok_or_else(missing)?),
        "nnz" => return dense(NdArray::from_values(DType::I64, &[], [Value::Int(a.nnz() as i128)])?),
        "transpose" => a.transpose(sizes(params, "axes")?.as_deref())?,
        "reshape" => a.reshape(&sizes(params, "to")?.ok_or_else(missing)?, order_of(params))?,
        "broadcast_to" => a.broadcast_to(&sizes(params, "to")?.ok_or_else(missing)?)?,
        "diagonal" => return dense(a.diagonal(k)?),
        "setdiag" => a.setdiag(given()?, k)?,
        "tril" => a.triangle(k, false)?,
        "triu" => a.triangle(k, true)?,
        "nonzero" => {
            let index = if a.format == Format::Dia { DType::I32 } else { a.index };
            let all = a.nonzero()?.into_iter().map(|column| integers(index, column));
            return Ok(Given::Several(all.collect()));
        }
        "binary" => a.binary(text(params, "ufunc")?, other()?)?,
        "negative" => a.negative()?,
        "scaled" => a.scaled(text(params, "ufunc")?, value(text(params, "by")?.parse::<Scalar>()?))?,
        "power" => a.power(value(text(params, "by")?.parse::<Scalar>()?))?,
        "mean" => {
            let mean = a.mean(axis)?;
            return Ok(Given::Dense(mean.result, mean.bounds));
        }
        "components" => {
            let (count, labels) = a.connected_components()?;
            let count = integers(DType::I64, [count]);
            return Ok(Given::Several(vec![
                Tensor::packed(DType::I64, &[], count.bytes),
                integers(DType::I32, labels),
            ]));
        }
        // Results are checked by what defines them, on the side of the library.
        "graph" => return dense(NdArray::from_values(DType::I64, &[], [Value::Int(1)])?),
        // Whatever the solution is: its residual is small.
        "solve" => return dense(NdArray::from_values(DType::I64, &[2], [Value::Int(0), Value::Int(1)])?),
        "gather_dense" => return dense(a.gather_dense(given()?)?),
        "reduce" => {
            let reduced = a.reduce(text(params, "name")?, axis, params.parsed("dtype")?)?;
            return Ok(Given::Dense(reduced.result, reduced.bounds));
        }
        "getitem" => {
            let (m, n) = (a.shape[0], a.shape[a.shape.len() - 1]);
            let (rows, columns) = (Chosen::parse(params.get("rows"), m)?, Chosen::parse(params.get("columns"), n)?);
            // A slice that runs forwards keeps the order of the entries.
            let sorts = |c: &Chosen| !matches!(c, Chosen::All | Chosen::Range(_, 1.., _));
            let sorted = [sorts(&rows), sorts(&columns)];
            a.select(rows.indices().as_deref(), columns.indices().as_deref(), sorted)?
        }
        "points" => return dense(a.points(&points(params)?)?),
        "set_points" => a.set_points(&points(params)?, given()?)?,
        "dot" => return rounded(a.matmul_dense(given()?)?),
        "rdot" => return rounded(a.rmatmul_dense(given()?)?),
        "matmul" => {
            let Product { result, bounds } = a.matmul(other()?)?;
            return Ok(Given::Sparse(result, Some(bounds)));
        }
        "kron" => a.kron(other()?)?,
        "kronsum" => a.kronsum(other()?)?,
        "stack" => oracle::stack(&[a, other()?, a], axis.unwrap_or(0), format_of(text(params, "to")?)?)?,
        "blocks" => oracle::blocks(&[vec![Some(a), None], vec![None, Some(other()?)]])?,
        unknown => return Err(format!("the oracle has no {unknown} of sparse arrays").into()),
    };
    Ok(Given::Sparse(result, None))
}
