//! Communicators of several devices: the core of `cuprum.cuda.nccl` and of `cuprum.cupyx.distributed`.

use cuprum::DType;
use cuprum::cuda::Device;
use cuprum::distributed::{self, Call, CallKind, Communicator, GroupId, ReduceOp};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::NdArray;
use crate::cuda::{device_of, id_of};
use crate::errors::{OrRaise, value_error};

/// The dtypes of NCCL, by their numbers.
const DTYPES: [DType; 10] = [
    DType::I8,
    DType::U8,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
    DType::F16,
    DType::F32,
    DType::F64,
    DType::BF16,
];

/// The operations of NCCL, by their numbers.
const OPS: [ReduceOp; 5] = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::Avg];

/// Returns NCCL's version as its number.
#[pyfunction]
fn nccl_version() -> PyResult<i32> {
    distributed::nccl_version(Device::current().or_raise()?).or_raise()
}

/// Returns the 128 bytes of the id of a new group, whose ranks wait for each other at the host if there is one.
#[pyfunction]
#[pyo3(signature = (host = None))]
fn nccl_unique_id<'py>(py: Python<'py>, host: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
    let create = || match host {
        Some(host) => GroupId::at_host(Device::current()?, host),
        None => GroupId::new(Device::current()?),
    };
    Ok(PyBytes::new(py, create().or_raise()?.as_bytes()))
}

/// Begins a group of calls.
#[pyfunction]
fn nccl_group_start() -> PyResult<()> {
    distributed::group_start(Device::current().or_raise()?).or_raise()
}

/// Ends a group of calls.
#[pyfunction]
fn nccl_group_end(py: Python<'_>) -> PyResult<()> {
    py.detach(|| distributed::group_end(Device::current()?)).or_raise()
}

/// Membership of a device in a group.
#[pyclass(name = "Communicator", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyCommunicator(Communicator);

fn op_of(name: &str) -> PyResult<ReduceOp> {
    match ReduceOp::from_name(name) {
        Some(op) => Ok(op),
        None => value_error(format!("op is '{name}': it must be 'sum', 'prod', 'max', 'min' or 'avg'")),
    }
}

#[pymethods]
impl PyCommunicator {
    #[new]
    fn new(py: Python<'_>, size: usize, id: &[u8], rank: usize) -> PyResult<PyCommunicator> {
        let Ok(id) = <[u8; 128]>::try_from(id) else {
            return value_error(format!(
                "the id of a group has 128 bytes, not {}: get_unique_id returns one",
                id.len()
            ));
        };
        let join = || Communicator::join(Device::current()?, &GroupId::from_bytes(id), size, rank);
        py.detach(join).or_raise().map(PyCommunicator)
    }

    /// Forms a group of devices of this process.
    #[staticmethod]
    fn init_all(py: Python<'_>, devices: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<PyCommunicator>> {
        let devices: Vec<Device> = devices.iter().map(device_of).collect::<PyResult<_>>()?;
        let all = py.detach(|| Communicator::init_all(&devices)).or_raise()?;
        Ok(all.into_iter().map(PyCommunicator).collect())
    }

    #[getter]
    fn rank(&self) -> usize {
        self.0.rank()
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    #[getter]
    fn device(&self) -> usize {
        id_of(self.0.device())
    }

    fn destroy(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.destroy()).or_raise()
    }

    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.abort()).or_raise()
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.check_async_error()).or_raise()
    }

    fn split(&self, py: Python<'_>, color: Option<u32>, key: i32) -> PyResult<Option<PyCommunicator>> {
        Ok(py.detach(|| self.0.split(color, key)).or_raise()?.map(PyCommunicator))
    }

    /// Queues a call on memory given by its addresses: an operation, addresses, a count, NCCL's numbers of the dtype and of how to combine,
    /// the root or the peer, and the handle of a stream.
    #[allow(clippy::too_many_arguments)]
    fn raw(
        &self,
        py: Python<'_>,
        name: &str,
        send: u64,
        recv: u64,
        count: usize,
        dtype: usize,
        op: usize,
        who: usize,
        stream: usize,
    ) -> PyResult<()> {
        let (Some(&dtype), Some(&op)) = (DTYPES.get(dtype), OPS.get(op)) else {
            return value_error(format!(
                "{name}: NCCL has no dtype {dtype} or no operation {op}: nccl.NCCL_* are the numbers"
            ));
        };
        let kind = match name {
            "allReduce" => CallKind::AllReduce(op),
            "reduce" => CallKind::Reduce(op, who),
            "broadcast" => CallKind::Broadcast(who),
            "allGather" => CallKind::AllGather,
            "reduceScatter" => CallKind::ReduceScatter(op),
            "send" => CallKind::Send(who),
            _ => CallKind::Recv(who),
        };
        let call = Call { kind, send, recv, count, dtype };
        // SAFETY: the caller of CuPy's functions passes pointers, for which it is responsible as in CuPy.
        py.detach(|| unsafe { self.0.call_raw(&call, stream) }).or_raise()
    }

    fn all_reduce(&self, py: Python<'_>, a: &NdArray, out: &NdArray, op: &str) -> PyResult<()> {
        let op = op_of(op)?;
        py.detach(|| self.0.all_reduce(a.array(), out.array(), op)).or_raise()
    }

    fn reduce(&self, py: Python<'_>, a: &NdArray, out: Option<&NdArray>, root: usize, op: &str) -> PyResult<()> {
        let (op, out) = (op_of(op)?, out.map(|out| out.array()));
        py.detach(|| self.0.reduce(a.array(), out, root, op)).or_raise()
    }

    fn broadcast(&self, py: Python<'_>, a: &NdArray, root: usize) -> PyResult<()> {
        py.detach(|| self.0.broadcast(a.array(), root)).or_raise()
    }

    fn all_gather(&self, py: Python<'_>, a: &NdArray, out: &NdArray) -> PyResult<()> {
        py.detach(|| self.0.all_gather(a.array(), out.array())).or_raise()
    }

    fn reduce_scatter(&self, py: Python<'_>, a: &NdArray, out: &NdArray, op: &str) -> PyResult<()> {
        let op = op_of(op)?;
        py.detach(|| self.0.reduce_scatter(a.array(), out.array(), op)).or_raise()
    }

    fn send(&self, py: Python<'_>, a: &NdArray, peer: usize) -> PyResult<()> {
        py.detach(|| self.0.send(a.array(), peer)).or_raise()
    }

    fn recv(&self, py: Python<'_>, out: &NdArray, peer: usize) -> PyResult<()> {
        py.detach(|| self.0.recv(out.array(), peer)).or_raise()
    }

    fn all_to_all(&self, py: Python<'_>, a: &NdArray, out: &NdArray) -> PyResult<()> {
        py.detach(|| self.0.all_to_all(a.array(), out.array())).or_raise()
    }

    fn scatter(&self, py: Python<'_>, a: Option<&NdArray>, out: &NdArray, root: usize) -> PyResult<()> {
        let a = a.map(|a| a.array());
        py.detach(|| self.0.scatter(a, out.array(), root)).or_raise()
    }

    fn gather(&self, py: Python<'_>, a: &NdArray, out: Option<&NdArray>, root: usize) -> PyResult<()> {
        let out = out.map(|out| out.array());
        py.detach(|| self.0.gather(a.array(), out, root)).or_raise()
    }

    fn barrier(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.barrier()).or_raise()
    }
}

/// Adds the functions and the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyCommunicator>()?;
    module.add_function(wrap_pyfunction!(nccl_version, module)?)?;
    module.add_function(wrap_pyfunction!(nccl_unique_id, module)?)?;
    module.add_function(wrap_pyfunction!(nccl_group_start, module)?)?;
    module.add_function(wrap_pyfunction!(nccl_group_end, module)?)
}
