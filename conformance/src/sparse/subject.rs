//! The library's side of cases of sparse arrays.

use cuprum::cuda::Device;
use cuprum::scipy::sparse::{Format, Select, Sparse, csgraph};
use cuprum::{Array, DType, Index, Order, Slice};

use super::{
    Chosen, FORMATS, Part, Parts, block_size, clear_outside, format_number, graphs, integer, operands, sizes, solvers,
    text,
};
use crate::call::logical;
use crate::case::{Case, Operand, Scalar};
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Number, Outcome, Tensor};
use crate::subject::{Rejection, Result, scalar, tensor, upload, view};
use crate::text::Params;

/// Uploads a sparse operand.
pub(crate) fn built(parts: &Parts) -> Result<Sparse> {
    let data = upload(&parts.data)?;
    let indices = parts.indices.iter().map(upload).collect::<cuprum::Result<Vec<_>>>()?;
    let refs: Vec<&Array> = indices.iter().collect();
    let matrix = || [parts.shape[0], parts.shape[1]];
    Ok(match parts.format {
        "csr" => Sparse::csr(&data, refs[0], refs[1], matrix())?,
        "csc" => Sparse::csc(&data, refs[0], refs[1], matrix())?,
        "dia" => Sparse::dia(&data, refs[0], matrix())?,
        _ => Sparse::coo(&data, &refs, &parts.shape)?,
    })
}

/// Converts the first operand to blocks, if the case says their size.
fn in_blocks(a: Sparse, params: &Params, is_first: bool) -> Result<Sparse> {
    match block_size(params, "block")? {
        Some(size) if is_first => Ok(a.to_blocks(size)?),
        _ => Ok(a),
    }
}

fn format_of(name: &str) -> Result<Format> {
    Ok(Format::named(FORMATS[format_number(name)?])?)
}

fn order_of(params: &Params) -> Order {
    if params.get("order") == Some("F") { Order::F } else { Order::C }
}

/// Returns the arrays of a result, and checks what the library claims of their order.
fn described(a: &Sparse) -> Result<Outcome> {
    let header: Vec<usize> =
        std::iter::once(format_number(a.format().name())?).chain(a.shape().iter().copied()).collect();
    let bytes = header.iter().flat_map(|n| Number::Int(*n as i128).encode(DType::I64)).collect();
    let header = Tensor::packed(DType::I64, &[header.len()], bytes);
    let indices = match a.format() {
        Format::Coo => a.coords()?,
        Format::Csr | Format::Csc | Format::Bsr => vec![a.indices()?, a.indptr()?],
        Format::Dia => vec![a.offsets()?],
    };
    let indices = indices.iter().map(tensor).collect::<Result<Vec<_>>>()?;
    if a.format() != Format::Dia {
        let keys = keys(a, &indices);
        let distinct = keys.windows(2).all(|pair| pair[0] < pair[1]);
        let claimed = a.has_canonical_format()?;
        // That of coordinates is known, or it is not.
        if claimed != distinct && (claimed || a.format() != Format::Coo) {
            return Err(format!(
                "has_canonical_format is {claimed} of entries that are distinct and sorted: {distinct}"
            )
            .into());
        }
        if a.format() != Format::Coo && a.has_sorted_indices()? != keys.is_sorted() {
            return Err(format!("has_sorted_indices is not {}", keys.is_sorted()).into());
        }
    }
    let mut data = tensor(&a.data())?;
    if a.format() == Format::Dia {
        let offsets: Vec<i64> = column(&indices[0]).into_iter().map(|k| k as i64).collect();
        clear_outside(&mut data, &offsets, a.shape());
    }
    Ok(Outcome::Several([vec![data, header], indices].concat()))
}

/// Returns the elements of an index array.
fn column(indices: &Tensor) -> Vec<i128> {
    let number = |i: usize| if let Number::Int(n) = indices.get(i) { n } else { -1 };
    (0..indices.size()).map(number).collect()
}

/// Returns the positions of the entries, by the axis that is compressed first.
fn keys(a: &Sparse, indices: &[Tensor]) -> Vec<Vec<i128>> {
    let columns: Vec<Vec<i128>> = if a.format() == Format::Coo {
        indices.iter().map(column).collect()
    } else {
        let (minor, pointers) = (column(&indices[0]), column(&indices[1]));
        let entries = pointers.windows(2).enumerate().flat_map(|(line, p)| (p[0]..p[1]).map(move |_| line as i128));
        vec![entries.collect(), minor]
    };
    (0..columns[0].len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect()
}

/// Selects rows and columns: by an index if one of them is a mask.
fn selected(a: &Sparse, rows: Chosen, columns: Chosen) -> Result<Sparse> {
    if matches!((&rows, &columns), (Chosen::Mask(_), _) | (_, Chosen::Mask(_))) {
        return Ok(a.index(vec![index(rows)?, index(columns)?])?);
    }
    Ok(a.select(&select(rows)?, &select(columns)?)?)
}

fn index(chosen: Chosen) -> Result<Index> {
    Ok(match chosen {
        Chosen::Mask(mask) => Index::Array(Array::from_slice(&mask, [mask.len()])?),
        Chosen::List(list) => Index::Array(Array::from_slice(&list, [list.len()])?),
        Chosen::All | Chosen::Range(..) => Index::Slice(Slice::default()),
    })
}

fn select(chosen: Chosen) -> Result<Select> {
    Ok(match chosen {
        Chosen::All => Select::All,
        Chosen::Range(start, step, len) => Select::Range { start, step, len },
        Chosen::List(list) => Select::Indices(Array::from_slice(&list, [list.len()])?),
        Chosen::Mask(_) => return Err("a mask is an index".to_string().into()),
    })
}

/// Returns the lists of indices along the axes.
fn points(params: &Params) -> Result<Vec<Array>> {
    let lists = [params.integers("rows")?, params.integers("columns")?].into_iter().flatten();
    lists.map(|list| Ok(Array::from_slice(&list, [list.len()])?)).collect()
}

/// A result. One exists at a time, so that its size does not matter.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Given {
    Sparse(Sparse),
    Dense(Array),
    Several(Vec<Array>),
}

impl Given {
    /// Fetches the result.
    pub(crate) fn outcome(&self) -> Result<Outcome> {
        Ok(match self {
            Given::Sparse(a) => described(a)?,
            Given::Dense(a) => Outcome::Array(tensor(a)?),
            Given::Several(all) => Outcome::Several(all.iter().map(tensor).collect::<Result<_>>()?),
        })
    }
}

/// Runs a case.
pub(crate) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    let parts = operands(op, &case.params, &logical(inputs))?;
    let mut sparse = vec![];
    let mut arrays = vec![];
    for (part, input) in parts.iter().zip(inputs) {
        match (part, input) {
            (Part::Sparse(parts), _) => sparse.push(in_blocks(built(parts)?, &case.params, sparse.is_empty())?),
            (Part::Dense, Input::Array(placed)) => arrays.push(view(upload(&placed.base)?, placed)?),
            (Part::Dense, Input::Scalar(_)) => {}
        }
    }
    // A new matrix has the dtype and the shape of an operand that is not read.
    if let ("sparse.eye", Some(Operand::Array { dtype, shape, .. })) = (op.name.as_str(), case.operands.first()) {
        let (k, to) = (integer(&case.params, "k")? as isize, format_of(text(&case.params, "to")?)?);
        return described(&Sparse::eye([shape.0[0], shape.0[1]], k, *dtype, to, Device::current()?)?);
    }
    let (sparse, arrays): (Vec<&Sparse>, Vec<&Array>) = (sparse.iter().collect(), arrays.iter().collect());
    applied(&op.name, &case.params, &sparse, &arrays)?.outcome()
}

/// Applies an operation by its name to sparse and dense operands.
pub(crate) fn applied(name: &str, params: &Params, sparse: &[&Sparse], arrays: &[&Array]) -> Result<Given> {
    let missing = || Rejection::from("an operand is missing".to_string());
    // A suffix distinguishes the cases of one function.
    let name = name.trim_start_matches("sparse.");
    let name = name.split('.').next().unwrap_or(name);
    let k = integer(params, "k")? as isize;
    // Operations of dense operands alone.
    match name {
        "from_dense" => {
            let a = arrays.first().ok_or_else(missing)?;
            return Ok(Given::Sparse(Sparse::from_dense(a, format_of(text(params, "to")?)?)?));
        }
        "diagonals" => {
            let offsets = params.integers("offsets")?.unwrap_or_default();
            let of: Vec<(&Array, isize)> = arrays.iter().copied().zip(offsets.iter().map(|k| *k as isize)).collect();
            let shape = sizes(params, "shape")?.ok_or_else(missing)?;
            return Ok(Given::Sparse(Sparse::diagonals(&of, [shape[0], shape[1]])?));
        }
        _ => {}
    }
    let a = *sparse.first().ok_or_else(missing)?;
    let other = || sparse.get(1).copied().ok_or_else(missing);
    let array = || arrays.first().copied().ok_or_else(missing);
    let dense = |a: Array| Ok(Given::Dense(a));
    let axis = params.parsed::<usize>("axis")?;
    let result = match name {
        "asformat" => a.to_format(format_of(text(params, "to")?)?)?,
        "to_blocks" => a.to_blocks(block_size(params, "size")?.ok_or_else(missing)?)?,
        "toarray" => return dense(a.to_dense(order_of(params))?),
        "sum_duplicates" => a.sum_duplicates()?,
        "sort_indices" => a.sort_indices()?,
        "eliminate_zeros" => a.eliminate_zeros()?,
        "astype" => a.astype(params.parsed("to")?.ok_or_else(missing)?)?,
        "nnz" => return dense(Array::from_slice(&[a.nnz()? as i64], ())?),
        "transpose" => a.transpose(sizes(params, "axes")?.as_deref())?,
        "reshape" => a.reshape(&sizes(params, "to")?.ok_or_else(missing)?, order_of(params))?,
        "broadcast_to" => a.broadcast_to(&sizes(params, "to")?.ok_or_else(missing)?)?,
        "diagonal" => return dense(a.diagonal(k)?),
        "setdiag" => a.setdiag(array()?, k)?,
        "tril" => a.triangle(k, false)?,
        "triu" => a.triangle(k, true)?,
        "nonzero" => {
            let all = a.nonzero()?;
            return Ok(Given::Several(all));
        }
        "binary" => a.binary(text(params, "ufunc")?, other()?)?,
        "negative" => a.with_data(&a.data().negative()?)?,
        "scaled" => {
            let factor: Scalar = text(params, "by")?.parse()?;
            let data = cuprum::ufunc(text(params, "ufunc")?)?.call((&a.data(), scalar(factor)), ())?;
            a.with_data(&data)?
        }
        "power" => {
            let exponent: Scalar = text(params, "by")?.parse()?;
            a.power(scalar(exponent))?
        }
        "mean" => return dense(a.mean(axis)?),
        "components" => {
            let (count, labels) = csgraph::connected_components(a)?;
            return Ok(Given::Several(vec![Array::from_slice(&[count as i64], ())?, labels]));
        }
        "graph" => return graphs::check(text(params, "method")?, a),
        "solve" => return solvers::solve(text(params, "method")?, params.get("system"), a, array()?),
        "gather_dense" => return dense(a.gather_dense(array()?)?),
        "reduce" => return dense(a.reduce(text(params, "name")?, axis, params.parsed("dtype")?)?),
        "getitem" => {
            let shape = a.shape().to_vec();
            let rows = Chosen::parse(params.get("rows"), shape[0])?;
            let columns = Chosen::parse(params.get("columns"), shape[shape.len() - 1])?;
            // The order of the entries of a list is that of SciPy, which Python's tests compare.
            let minor = if a.format() == Format::Csc { &rows } else { &columns };
            let is_list = !matches!(minor, Chosen::All | Chosen::Range(_, 1.., _));
            let found = selected(a, rows, columns)?;
            match found.format() {
                _ if !is_list => found,
                Format::Coo => found.to_format(Format::Csr)?.sort_indices()?.to_format(Format::Coo)?,
                _ => found.sort_indices()?,
            }
        }
        "points" => {
            let points = points(params)?;
            return dense(a.points(&points.iter().collect::<Vec<_>>())?);
        }
        "set_points" => {
            let points = points(params)?;
            a.set_points(&points.iter().collect::<Vec<_>>(), array()?)?
        }
        "dot" => return dense(a.matmul_dense(array()?)?),
        "rdot" => return dense(a.rmatmul_dense(array()?)?),
        "matmul" => a.matmul(other()?)?,
        "kron" => a.kron(other()?)?,
        "kronsum" => a.kronsum(other()?)?,
        "stack" => Sparse::stack(&[a, other()?, a], axis.unwrap_or(0), format_of(text(params, "to")?)?)?,
        "blocks" => Sparse::blocks(&[vec![Some(a), None], vec![None, Some(other()?)]])?,
        unknown => return Err(format!("the library has no {unknown} of sparse arrays").into()),
    };
    Ok(Given::Sparse(result))
}
