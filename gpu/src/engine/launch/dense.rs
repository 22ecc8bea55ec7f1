//! Dense linear algebra by the device's library.
//!
//! It is the only path to cuSOLVER and cuBLAS: it checks the sizes, allocates the status codes, and records the uses of
//! the arrays.

use cuprum_kernels::DType;

use super::one_device;
use crate::array::Array;
use crate::cuda::{self, Access, Device};
use crate::driver::{Dense, Task};
use crate::engine::{arange, make};
use crate::error::{Error, ErrorKind, Result};

/// Sizes of a task: rows, columns, a third size, and the number of matrices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sides {
    /// Rows.
    pub(crate) m: usize,
    /// Columns.
    pub(crate) n: usize,
    /// Third size, such as right-hand sides or reflectors.
    pub(crate) k: usize,
    /// Matrices of the batch.
    pub(crate) batch: usize,
}

/// Checks that the arrays are those of the task, in its order, in C order and of the sizes that follow from `sides`.
pub(crate) fn check_arrays(task: Task, sides: Sides, arrays: &[Option<&Array>]) -> Result<()> {
    let Sides { m, n, k, batch } = sides;
    let first = arrays.first().copied().flatten();
    let dtype = first.map_or(DType::F64, Array::dtype);
    let pivots = first.map_or(Ok(DType::I32), |a| pivot_dtype(a.device(), batch, m, n))?;
    let expected = task.lengths(m, n, k).into_iter().zip(task.dtypes(dtype, pivots));
    for (at, (length, dtype)) in expected.enumerate().filter(|(_, (length, _))| *length > 0) {
        let array = arrays.get(at).copied().flatten();
        if !array.is_some_and(|a| a.is_c_contiguous() && a.dtype() == dtype && a.size() == batch * length) {
            let what =
                format!("array {at} of {task:?} is not one of {batch} x {length} elements of {dtype} in C order");
            return Err(Error::new(ErrorKind::Value, what));
        }
    }
    Ok(())
}

/// Returns the dtype of the pivots of a batch of `m` by `n` matrices on a device.
pub(crate) fn pivot_dtype(device: Device, batch: usize, m: usize, n: usize) -> Result<DType> {
    Ok(device.driver()?.pivot_dtype(batch, m, n))
}

/// Queues a task on contiguous column-major matrices; returns LAPACK's `info`, an `int32` for each matrix.
pub(crate) fn dense(task: Task, sides: Sides, arrays: &[Option<&Array>]) -> Result<Array> {
    check_arrays(task, sides, arrays)?;
    let Sides { m, n, k, batch } = sides;
    let first = arrays[0].expect("each task has a matrix");
    let device = one_device(first, arrays.iter().copied().flatten())?;
    if task.is_shared_with_the_host(batch) {
        cuda::announce(device)?;
    }
    let info = make::zeros(device, &[batch], DType::I32)?;
    let tables: Vec<Array> = match batch {
        0 | 1 => vec![],
        _ => task
            .pointer_array_args()
            .iter()
            .filter_map(|&at| arrays[at])
            .map(|a| addresses(a, batch))
            .collect::<Result<_>>()?,
    };
    let (queue, driver) = (device.queue(), device.driver()?);
    for array in arrays.iter().copied().flatten().chain([&info]) {
        array.buffer().touch(&queue, Access::Write)?;
    }
    for table in &tables {
        table.buffer().touch(&queue, Access::Read)?;
    }
    let at = |k: usize| arrays.get(k).copied().flatten().map_or(0, Array::addr);
    let params = Dense {
        task,
        dtype: first.dtype(),
        m,
        n,
        k,
        batch,
        arrays: std::array::from_fn(at),
        pointers: std::array::from_fn(|k| tables.get(k).map_or(0, Array::addr)),
        info: info.addr(),
    };
    let bytes = driver.dense_workspace(&params, queue.handle())?;
    let workspace = device.alloc(bytes)?;
    workspace.touch(&queue, Access::Write)?;
    // SAFETY: the arrays are checked above; the workspace has the requested size; the buffers have recorded the stream.
    let done = unsafe { driver.dense(&params, (workspace.addr(), bytes), queue.handle()) };
    done.map_err(|e| if queue.is_captured() { uncaptured(&e) } else { e })?;
    Ok(info)
}

/// Returns the error of a task that the library does partly on the host.
#[cold]
fn uncaptured(e: &Error) -> Error {
    let what = format!("the library does not do this in a capture ({}): do it before or after the graph", e.message());
    Error::new(e.kind(), what)
}

/// Returns the addresses of the matrices of a batch, computed on the device.
fn addresses(stack: &Array, batch: usize) -> Result<Array> {
    let table = make::empty(stack.device(), &[batch], DType::I64)?;
    let (first, step) = (stack.addr() as i64, (stack.nbytes() / batch) as i64);
    arange(&table, first.into(), (first + step).into())?;
    Ok(table)
}
