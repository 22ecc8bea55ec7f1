//! Arrays over devices: the core of `cuprum.cupyx.distributed.array`.

use cuprum::distributed::{self, ChunkMode, DistributedArray, HaloMode, Region};
use cuprum::{Index, Operand, Reduce, Scalar, Slice, Ufunc, UfuncOptions};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::array::NdArray;
use crate::convert::{number, python_number, wrap};
use crate::cuda::{device, id_of};
use crate::dtypes;
use crate::errors::{OrRaise, value_error};
use crate::indexing::{Parts, parts};

/// A device and the index of a chunk, as an index map lists them.
type Entry<'py> = (i64, Bound<'py, PyAny>);

/// A chunk: its device, its index and its elements.
type PyChunk<'py> = (usize, Bound<'py, PyTuple>, Bound<'py, NdArray>);

/// A chunk of an elementwise result: its device, its index, and the elements of the operands.
type Aligned<'py> = (usize, Bound<'py, PyTuple>, Vec<Bound<'py, NdArray>>);

/// A chunk with its halo: its device, its index, the elements, and the index of its own elements among them.
type Padded<'py> = (usize, Bound<'py, PyTuple>, Bound<'py, NdArray>, Bound<'py, PyTuple>);

#[pyclass(name = "DistributedHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyDistributed(DistributedArray);

fn mode_of(name: &str) -> PyResult<ChunkMode> {
    match ChunkMode::from_name(name) {
        Some(mode) => Ok(mode),
        None => value_error(format!("mode is '{name}': it must be 'replica', 'sum', 'prod', 'max' or 'min'")),
    }
}

fn entries(map: Vec<Entry<'_>>) -> PyResult<Vec<(cuprum::cuda::Device, Parts)>> {
    map.into_iter().map(|(id, key)| Ok((device(id)?, parts(&key)?))).collect()
}

fn slices<'py>(py: Python<'py>, region: &Region) -> PyResult<Bound<'py, PyTuple>> {
    let slice =
        |(start, end, step): (usize, usize, usize)| PySlice::new(py, start as isize, end as isize, step as isize);
    PyTuple::new(py, region.bounds().into_iter().map(slice))
}

fn slices_of<'py>(py: Python<'py>, index: &[Index]) -> PyResult<Bound<'py, PyTuple>> {
    let slice = |part: &Index| match part {
        Index::Slice(Slice { start, stop, .. }) => {
            PySlice::new(py, start.unwrap_or(0) as isize, stop.unwrap_or(i64::MAX) as isize, 1)
        }
        _ => PySlice::full(py),
    };
    PyTuple::new(py, index.iter().map(slice))
}

#[pymethods]
impl PyDistributed {
    /// Distributes an array of a device.
    #[staticmethod]
    fn distribute(py: Python<'_>, a: &NdArray, map: Vec<Entry<'_>>, mode: &str) -> PyResult<PyDistributed> {
        let (map, mode) = (entries(map)?, mode_of(mode)?);
        py.detach(|| DistributedArray::new(a.array(), map, mode)).or_raise().map(PyDistributed)
    }

    /// Assembles an array from the indices and the elements of its chunks.
    #[staticmethod]
    fn from_chunks(
        shape: Vec<usize>,
        chunks: Vec<(Bound<'_, PyAny>, Bound<'_, NdArray>)>,
        mode: &str,
    ) -> PyResult<PyDistributed> {
        let chunk = |(key, a): (Bound<'_, PyAny>, Bound<'_, NdArray>)| {
            Ok((Region::new(&shape, parts(&key)?).or_raise()?, a.get().array().clone()))
        };
        let chunks: Vec<_> = chunks.into_iter().map(chunk).collect::<PyResult<_>>()?;
        DistributedArray::from_chunks(&shape, chunks, mode_of(mode)?).or_raise().map(PyDistributed)
    }

    /// Returns, for each chunk of an elementwise result, its device, its index, and the elements of the operands.
    #[staticmethod]
    fn align<'py>(py: Python<'py>, operands: Vec<PyRef<'py, PyDistributed>>) -> PyResult<Vec<Aligned<'py>>> {
        let operands: Vec<_> = operands.iter().map(|operand| operand.0.clone()).collect();
        let all = || DistributedArray::align(&operands.iter().collect::<Vec<_>>());
        let chunk = |chunk: distributed::AlignedChunk| {
            let operands = chunk.operands.into_iter().map(|a| wrap(py, a)).collect::<PyResult<_>>()?;
            Ok((id_of(chunk.device), slices(py, &chunk.region)?, operands))
        };
        py.detach(all).or_raise()?.into_iter().map(chunk).collect()
    }

    /// Calls the ufunc of a name, with one result, with arrays over devices and Python scalars. Returns None for other
    /// operands, and where it fails: the general call has the error.
    #[staticmethod]
    fn ufunc(py: Python<'_>, name: &str, operands: Vec<Bound<'_, PyAny>>) -> PyResult<Option<PyDistributed>> {
        let (mut arrays, mut slots) = (vec![], vec![]);
        for operand in &operands {
            if let Ok(array) = operand.cast::<PyDistributed>() {
                slots.push(None);
                arrays.push(array.get().0.clone());
            } else if let Some(scalar) = python_number(operand).ok().flatten() {
                slots.push(Some(scalar));
            } else {
                return Ok(None);
            }
        }
        let Some(function) = Ufunc::named(name) else { return Ok(None) };
        if function.nout() != 1 || function.nin() != operands.len() {
            return Ok(None);
        }
        let call = |parts: &[cuprum::Array]| {
            let mut parts = parts.iter();
            let operand = |slot: &Option<Scalar>| match slot {
                Some(scalar) => Some(Operand::Scalar(*scalar)),
                None => parts.next().map(Operand::Array),
            };
            let operands: Vec<Operand<'_>> = slots.iter().filter_map(operand).collect();
            function.call(&operands[..], UfuncOptions::default())
        };
        let arrays: Vec<&DistributedArray> = arrays.iter().collect();
        Ok(py.detach(|| DistributedArray::zip(&arrays, call)).ok().map(PyDistributed))
    }

    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.0.shape().to_vec()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(dtypes::object(py, self.0.dtype())?.clone().into_any())
    }

    #[getter]
    fn mode(&self) -> &'static str {
        self.0.mode().name()
    }

    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Vec<PyChunk<'py>>> {
        let chunk = |chunk: &distributed::Chunk| {
            Ok((id_of(chunk.device()), slices(py, chunk.region())?, wrap(py, chunk.array().clone())?))
        };
        self.0.chunks().iter().map(chunk).collect()
    }

    /// Returns disjoint parts with their combined elements.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyTuple>, Bound<'py, NdArray>)>> {
        let parts = py.detach(|| self.0.parts()).or_raise()?;
        parts.into_iter().map(|(region, a)| Ok((slices(py, &region)?, wrap(py, a)?))).collect()
    }

    fn to_array<'py>(&self, py: Python<'py>, id: i64) -> PyResult<Bound<'py, NdArray>> {
        let device = device(id)?;
        wrap(py, py.detach(|| self.0.to_array(device)).or_raise()?)
    }

    fn reshard(&self, py: Python<'_>, map: Vec<Entry<'_>>) -> PyResult<PyDistributed> {
        let map = entries(map)?;
        py.detach(|| self.0.reshard(map)).or_raise().map(PyDistributed)
    }

    fn with_whole_axis(&self, py: Python<'_>, axis: isize) -> PyResult<PyDistributed> {
        py.detach(|| self.0.with_whole_axis(axis)).or_raise().map(PyDistributed)
    }

    fn change_mode(&self, py: Python<'_>, mode: &str) -> PyResult<PyDistributed> {
        let mode = mode_of(mode)?;
        py.detach(|| self.0.change_mode(mode)).or_raise().map(PyDistributed)
    }

    fn index(&self, key: &Bound<'_, PyAny>) -> PyResult<PyDistributed> {
        self.0.index(parts(key)?).or_raise().map(PyDistributed)
    }

    fn transpose(&self, axes: Option<Vec<isize>>) -> PyResult<PyDistributed> {
        match axes {
            None => self.0.transpose(()),
            Some(axes) => self.0.transpose(axes),
        }
        .or_raise()
        .map(PyDistributed)
    }

    /// Computes a reduction of one of the names of the methods in Rust.
    fn reduce(
        &self,
        py: Python<'_>,
        name: &str,
        axes: Option<Vec<isize>>,
        dtype: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        ddof: f64,
    ) -> PyResult<PyDistributed> {
        let mut options = axes.map_or_else(Reduce::all, Reduce::axes).keepdims(keepdims).ddof(ddof);
        if let Some(dtype) = dtypes::optional(dtype)? {
            options = options.dtype(dtype);
        }
        let (a, options) = (&self.0, options);
        py.detach(|| match name {
            "sum" => a.sum(options),
            "prod" => a.prod(options),
            "max" => a.max(options),
            "min" => a.min(options),
            "any" => a.any(options),
            "all" => a.all(options),
            "mean" => a.mean(options),
            _ => a.var(options),
        })
        .or_raise()
        .map(PyDistributed)
    }

    /// Computes `argmax` or `argmin`.
    fn argument(&self, py: Python<'_>, name: &str, axis: Option<isize>) -> PyResult<PyDistributed> {
        let go = || if name == "argmax" { self.0.argmax(axis) } else { self.0.argmin(axis) };
        py.detach(go).or_raise().map(PyDistributed)
    }

    /// Computes `cumsum`, `cumprod` or `sort`.
    fn along(&self, py: Python<'_>, name: &str, axis: isize) -> PyResult<PyDistributed> {
        let go = || match name {
            "cumsum" => self.0.cumsum(axis),
            "cumprod" => self.0.cumprod(axis),
            _ => self.0.sort(axis),
        };
        py.detach(go).or_raise().map(PyDistributed)
    }

    fn matmul(&self, py: Python<'_>, other: &PyDistributed) -> PyResult<PyDistributed> {
        py.detach(|| distributed::matmul(&self.0, &other.0)).or_raise().map(PyDistributed)
    }

    /// Returns, for each chunk, its device, its index, its elements with the halo, and its own elements' index there.
    fn halo<'py>(
        &self,
        py: Python<'py>,
        widths: Vec<usize>,
        mode: &str,
        constant: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Padded<'py>>> {
        let mode = match mode {
            "clip" => HaloMode::Clip,
            "constant" => match number(constant)? {
                Some(value) => HaloMode::Constant(value),
                None => return value_error(format!("halo: constant_values is {constant}: it must be a number")),
            },
            "edge" => HaloMode::Edge,
            "reflect" => HaloMode::Reflect,
            "symmetric" => HaloMode::Symmetric,
            "wrap" => HaloMode::Wrap,
            _ => {
                return value_error(format!(
                    "halo: mode is '{mode}': it must be 'clip', 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'"
                ));
            }
        };
        let chunk = |chunk: distributed::HaloChunk| {
            let interior = slices_of(py, &chunk.interior)?;
            Ok((id_of(chunk.device), slices(py, &chunk.region)?, wrap(py, chunk.array)?, interior))
        };
        py.detach(|| self.0.halo(&widths, mode)).or_raise()?.into_iter().map(chunk).collect()
    }
}

/// Returns the devices and the indices of the chunks of a grid of blocks.
#[pyfunction]
fn grid_2d<'py>(
    py: Python<'py>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    devices: Vec<Vec<Vec<i64>>>,
) -> PyResult<Vec<(usize, Bound<'py, PyTuple>)>> {
    let ids = |ids: Vec<i64>| ids.into_iter().map(device).collect::<PyResult<Vec<_>>>();
    let row = |row: Vec<Vec<i64>>| row.into_iter().map(ids).collect::<PyResult<Vec<_>>>();
    let devices: Vec<_> = devices.into_iter().map(row).collect::<PyResult<_>>()?;
    let map = distributed::grid_2d(&rows, &columns, &devices).or_raise()?;
    let shape = [rows.last().copied().unwrap_or(0), columns.last().copied().unwrap_or(0)];
    map.into_iter()
        .map(|(device, index)| Ok((id_of(device), slices(py, &Region::new(&shape, index).or_raise()?)?)))
        .collect()
}

/// Adds the class and the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDistributed>()?;
    module.add_function(wrap_pyfunction!(grid_2d, module)?)
}
