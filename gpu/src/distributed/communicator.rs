//! Communicators: the functions of a rank on arrays.
//!
//! Arrays of any layout are exchanged; those that are not C-contiguous are copied before or after. The functions are
//! queued on the current stream.

use std::sync::{PoisonError, RwLock};

use cuprum_kernels::DType;

use super::groups::{group_calls, has_begun, keep};
use super::raw::units;
use super::{Call, CallKind, GroupId, ReduceOp};
use crate::array::Array;
use crate::cuda::{Access, Device};
use crate::driver::collectives::{Membership, has_ended};
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::shape_text;
use crate::routines::creation::ascontiguousarray;

/// Membership of a device in a group of ranks; NCCL's communicator, CuPy's `NcclCommunicator`.
///
/// Every rank of the group must call the same operations in the same order, with arrays of the same sizes and dtypes.
/// Calls that do not fit together, a rank that ends and one that does not come within `CUPRUM_COLLECTIVES_TIMEOUT`
/// seconds (300 unless set) are errors of the kind [`Driver`](ErrorKind::Driver) that name the ranks; the group is
/// unusable afterwards. On GPUs a call is queued, and the next function that waits for the device returns the error. The
/// process that created the group's id supervises the ranks by loopback connections, so that ranks of another machine
/// are not supervised, unless the id is one of [`GroupId::at_host`].
///
/// Arrays may have any layout: those that are not C-contiguous are copied before, or after. Elements of any dtype can
/// be moved. NCCL combines no 16-bit integers, and complex numbers by sum and average alone; those are errors on the
/// simulator, too. Booleans are combined by or (sum, maximum) and by and (product, minimum).
#[derive(Debug)]
pub struct Communicator {
    device: Device,
    member: RwLock<Option<Membership>>,
    rank: usize,
    size: usize,
}

impl Communicator {
    /// Joins a group of `size` ranks with a device as one of them.
    ///
    /// NCCL's `ncclCommInitRank`; CuPy's `NcclCommunicator(ndev, commId, rank)`. See [`distributed`](super) for
    /// an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a rank that is not below `size`, [`ErrorKind::Library`] if NCCL is missing,
    /// [`ErrorKind::Driver`] if the group cannot be formed.
    ///
    /// # Synchronization
    ///
    /// Waits until all ranks have joined, unless it is called within [`group_calls`].
    pub fn join(device: Device, id: &GroupId, size: usize, rank: usize) -> Result<Communicator> {
        let go = || {
            if rank >= size || size > 1 << 20 {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("the rank {rank} of {size}: ranks are 0 to {size} - 1"),
                ));
            }
            Ok(Communicator::of(device, device.driver()?.join(&id.0, size, rank)?))
        };
        go().map_err(|e: Error| e.with_op("Communicator::join"))
    }

    /// Forms a group of devices of this process, and returns its communicators in the order of the ranks; NCCL's
    /// `ncclCommInitAll`.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::Communicator};
    /// let ranks = Communicator::init_all(&[Device::open("sim")?, Device::open("sim:1")?])?;
    /// assert_eq!((ranks.len(), ranks[1].rank(), ranks[1].size()), (2, 1, 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::join`]; [`ErrorKind::Value`] without a device.
    pub fn init_all(devices: &[Device]) -> Result<Vec<Communicator>> {
        let go = || {
            let Some(&first) = devices.first() else {
                return Err(Error::new(ErrorKind::Value, "no device is named: a group has one rank at least"));
            };
            let id = GroupId::new(first)?;
            let join = |(rank, &device)| Communicator::join(device, &id, devices.len(), rank);
            group_calls(first, || devices.iter().enumerate().map(join).collect())
        };
        go().map_err(|e: Error| e.with_op("Communicator::init_all"))
    }

    fn of(device: Device, member: Membership) -> Communicator {
        let (rank, size) = (member.rank, member.size);
        Communicator { device, member: RwLock::new(Some(member)), rank, size }
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the device of this rank.
    pub fn device(&self) -> Device {
        self.device
    }

    pub(super) fn member(&self) -> Result<Membership> {
        self.member.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(has_ended)
    }

    /// Combines the elements of all ranks: every rank gets the combination in `out`, which may be `a`.
    ///
    /// NCCL's `ncclAllReduce`. Arrays of all ranks have one shape and one dtype. See [`group_calls`] for an
    /// example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for arrays of different shapes or of another device, [`ErrorKind::Type`] for dtypes that
    /// differ or cannot be combined, [`ErrorKind::Driver`] if another rank fails.
    ///
    /// # Synchronization
    ///
    /// None on a GPU: the call is queued on the current stream. On the simulator the ranks wait for each other.
    pub fn all_reduce(&self, a: &Array, out: &Array, op: ReduceOp) -> Result<()> {
        self.run("all_reduce", CallKind::AllReduce(op), Some(a), Some(out), [1, 1])
    }

    /// Combines the elements of all ranks in `out` of the rank `root`; other ranks need no output.
    ///
    /// NCCL's `ncclReduce`.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, ReduceOp}};
    /// let only = Communicator::init_all(&[Device::open("sim")?])?.remove(0);
    /// let a = only.device().with(|| cuprum::array([1.0, 2.0]))?;
    /// let out = only.device().with(|| cuprum::zeros_like(&a, ()))?;
    /// only.reduce(&a, Some(&out), 0, ReduceOp::Sum)?;
    /// assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`], and [`ErrorKind::Value`] for a root that is no rank or without an output.
    pub fn reduce(&self, a: &Array, out: Option<&Array>, root: usize, op: ReduceOp) -> Result<()> {
        let out = if self.rank == root { out } else { None };
        self.run("reduce", CallKind::Reduce(op, root), Some(a), out, [1, 1])
    }

    /// Copies the elements of `a` of the rank `root` to `a` of all ranks.
    ///
    /// NCCL's `ncclBroadcast` in place.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let own = [devices[0].with(|| cuprum::array([7]))?, devices[1].with(|| cuprum::array([0]))?];
    /// group_calls(devices[0], || {
    ///     ranks[0].broadcast(&own[0], 0)?;
    ///     ranks[1].broadcast(&own[1], 0)
    /// })?;
    /// assert_eq!(own[1].item::<i32>()?, 7);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::reduce`].
    pub fn broadcast(&self, a: &Array, root: usize) -> Result<()> {
        self.run("broadcast", CallKind::Broadcast(root), Some(a), Some(a), [1, 1])
    }

    /// Copies the elements of all ranks to `out` of all ranks, one after the other in the order of the ranks. `out` has
    /// as many elements as all of them together.
    ///
    /// NCCL's `ncclAllGather`.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let own = [devices[0].with(|| cuprum::array([1]))?, devices[1].with(|| cuprum::array([2]))?];
    /// let all = [0, 1].map(|k| devices[k].with(|| cuprum::zeros(2, cuprum::DType::I32)));
    /// let [first, second] = all;
    /// let (first, second) = (first?, second?);
    /// group_calls(devices[0], || {
    ///     ranks[0].all_gather(&own[0], &first)?;
    ///     ranks[1].all_gather(&own[1], &second)
    /// })?;
    /// assert_eq!((first.to_vec::<i32>()?, second.to_vec::<i32>()?), (vec![1, 2], vec![1, 2]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`].
    pub fn all_gather(&self, a: &Array, out: &Array) -> Result<()> {
        self.run("all_gather", CallKind::AllGather, Some(a), Some(out), [1, self.size])
    }

    /// Combines the elements of all ranks, and copies the part with the number of the rank to `out`. `a` has as many
    /// elements as the outputs of all ranks together.
    ///
    /// NCCL's `ncclReduceScatter`.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, ReduceOp, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let first = devices[0].with(|| cuprum::array([1, 2]))?;
    /// let second = devices[1].with(|| cuprum::array([10, 20]))?;
    /// let out = devices[0].with(|| cuprum::zeros(1, cuprum::DType::I32))?;
    /// let other = devices[1].with(|| cuprum::zeros(1, cuprum::DType::I32))?;
    /// group_calls(devices[0], || {
    ///     ranks[0].reduce_scatter(&first, &out, ReduceOp::Sum)?;
    ///     ranks[1].reduce_scatter(&second, &other, ReduceOp::Sum)
    /// })?;
    /// assert_eq!((out.item::<i32>()?, other.item::<i32>()?), (11, 22));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`].
    pub fn reduce_scatter(&self, a: &Array, out: &Array, op: ReduceOp) -> Result<()> {
        self.run("reduce_scatter", CallKind::ReduceScatter(op), Some(a), Some(out), [self.size, 1])
    }

    /// Sends the elements of an array to a rank, which calls [`Communicator::recv`].
    ///
    /// NCCL's `ncclSend`. The shapes of the two arrays may differ; their numbers of elements and their dtypes
    /// are equal.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let a = devices[0].with(|| cuprum::array([1, 2]))?;
    /// let out = devices[1].with(|| cuprum::zeros(2, cuprum::DType::I32))?;
    /// group_calls(devices[0], || {
    ///     ranks[0].send(&a, 1)?;
    ///     ranks[1].recv(&out, 0)
    /// })?;
    /// assert_eq!(out.to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`], and [`ErrorKind::Value`] for a peer that is no rank.
    pub fn send(&self, a: &Array, peer: usize) -> Result<()> {
        self.run("send", CallKind::Send(peer), Some(a), None, [1, 1])
    }

    /// Receives the elements of an array from a rank, which calls [`Communicator::send`].
    ///
    /// NCCL's `ncclRecv`. See [`Communicator::send`] for an example.
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`].
    pub fn recv(&self, out: &Array, peer: usize) -> Result<()> {
        self.run("recv", CallKind::Recv(peer), None, Some(out), [1, 1])
    }

    /// Sends an array to each rank and receives one from each: `a` and `out` have the ranks along their first axis.
    ///
    /// CuPy's `all_to_all`: a group of sends and receives. Part `k` of `a` goes to rank `k`, and part `k` of
    /// `out` comes from it.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let first = devices[0].with(|| cuprum::array([1, 2]))?;
    /// let second = devices[1].with(|| cuprum::array([3, 4]))?;
    /// let out = devices[0].with(|| cuprum::zeros(2, cuprum::DType::I32))?;
    /// let other = devices[1].with(|| cuprum::zeros(2, cuprum::DType::I32))?;
    /// group_calls(devices[0], || {
    ///     ranks[0].all_to_all(&first, &out)?;
    ///     ranks[1].all_to_all(&second, &other)
    /// })?;
    /// assert_eq!((out.to_vec::<i32>()?, other.to_vec::<i32>()?), (vec![1, 3], vec![2, 4]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_reduce`]; [`ErrorKind::Value`] for a first axis that has not one part for each rank.
    pub fn all_to_all(&self, a: &Array, out: &Array) -> Result<()> {
        let go = || {
            self.check_parts(a, "a")?;
            self.check_parts(out, "out")?;
            group_calls(self.device, || {
                (0..self.size).try_for_each(|peer| {
                    self.send(&part(a, peer)?, peer)?;
                    self.recv(&part(out, peer)?, peer)
                })
            })
        };
        go().map_err(|e: Error| e.with_op("Communicator::all_to_all"))
    }

    /// Copies to each rank its part of `a` of the rank `root`, which has the ranks along its first axis; other ranks
    /// need no input.
    ///
    /// CuPy's `scatter`: sends of the root and one receive of each rank.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let all = devices[0].with(|| cuprum::array([[1], [2]]))?;
    /// let first = devices[0].with(|| cuprum::zeros(1, cuprum::DType::I32))?;
    /// let second = devices[1].with(|| cuprum::zeros(1, cuprum::DType::I32))?;
    /// group_calls(devices[0], || {
    ///     ranks[0].scatter(Some(&all), &first, 0)?;
    ///     ranks[1].scatter(None, &second, 0)
    /// })?;
    /// assert_eq!((first.item::<i32>()?, second.item::<i32>()?), (1, 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_all`].
    pub fn scatter(&self, a: Option<&Array>, out: &Array, root: usize) -> Result<()> {
        let go = || {
            self.check_rank(root, "root")?;
            group_calls(self.device, || {
                if self.rank == root {
                    let a = a.ok_or_else(|| missing("a", root))?;
                    self.check_parts(a, "a")?;
                    (0..self.size).try_for_each(|peer| self.send(&part(a, peer)?, peer))?;
                }
                self.recv(out, root)
            })
        };
        go().map_err(|e: Error| e.with_op("Communicator::scatter"))
    }

    /// Copies the elements of all ranks to `out` of the rank `root`, which has the ranks along its first axis; other
    /// ranks need no output.
    ///
    /// CuPy's `gather`: one send of each rank and receives of the root.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, group_calls}};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let ranks = Communicator::init_all(&devices)?;
    /// let first = devices[0].with(|| cuprum::array([1]))?;
    /// let second = devices[1].with(|| cuprum::array([2]))?;
    /// let out = devices[0].with(|| cuprum::zeros([2, 1], cuprum::DType::I32))?;
    /// group_calls(devices[0], || {
    ///     ranks[0].gather(&first, Some(&out), 0)?;
    ///     ranks[1].gather(&second, None, 0)
    /// })?;
    /// assert_eq!(out.to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_all`].
    pub fn gather(&self, a: &Array, out: Option<&Array>, root: usize) -> Result<()> {
        let go = || {
            self.check_rank(root, "root")?;
            group_calls(self.device, || {
                if self.rank == root {
                    let out = out.ok_or_else(|| missing("out", root))?;
                    self.check_parts(out, "out")?;
                    (0..self.size).try_for_each(|peer| self.recv(&part(out, peer)?, peer))?;
                }
                self.send(a, root)
            })
        };
        go().map_err(|e: Error| e.with_op("Communicator::gather"))
    }

    /// Waits until all ranks have called it, and all their work before it has completed.
    ///
    /// CuPy's `barrier`: a sum over all ranks, which the host waits for.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::Communicator};
    /// let only = Communicator::init_all(&[Device::open("sim")?])?.remove(0);
    /// only.barrier()?;
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if another rank fails.
    ///
    /// # Synchronization
    ///
    /// Synchronises the current stream of the device.
    pub fn barrier(&self) -> Result<()> {
        let go = || {
            let one = make::full(self.device, &[1], 0, DType::I32)?;
            self.all_reduce(&one, &one, ReduceOp::Sum)?;
            self.device.current_stream().synchronize()
        };
        go().map_err(|e: Error| e.with_op("Communicator::barrier"))
    }

    /// Divides the group: the ranks of a colour form a group, in the order of their keys and then of their ranks; a
    /// rank without a colour is in none. NCCL's `ncclCommSplit`. All ranks must call it.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::Communicator};
    /// let only = Communicator::init_all(&[Device::open("sim")?])?.remove(0);
    /// assert_eq!(only.split(Some(7), 0)?.unwrap().size(), 1);
    /// assert!(only.split(None, 0)?.is_none());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if another rank fails.
    pub fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Communicator>> {
        let go = || {
            Ok(self
                .member()?
                .of
                .split(self.device.driver()?, color, key)?
                .map(|new| Communicator::of(self.device, new)))
        };
        go().map_err(|e: Error| e.with_op("Communicator::split"))
    }

    /// Returns the error of a call that has failed since it was queued; CuPy's `check_async_error`.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::Communicator};
    /// let only = Communicator::init_all(&[Device::open("sim")?])?.remove(0);
    /// only.check_async_error()?;
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] with the failure.
    pub fn check_async_error(&self) -> Result<()> {
        self.member().and_then(|member| member.of.check()).map_err(|e| e.with_op("Communicator::check_async_error"))
    }

    /// Ends the membership at once: calls of this rank that have not completed fail, and those of other ranks that wait
    /// for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if NCCL fails.
    pub fn abort(&self) -> Result<()> {
        self.end().map_or(Ok(()), |member| member.of.abort()).map_err(|e| e.with_op("Communicator::abort"))
    }

    /// Ends the membership after the calls of this rank. Dropping the communicator does the same without an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if a call has failed.
    pub fn destroy(&self) -> Result<()> {
        self.end().map_or(Ok(()), |member| member.of.leave()).map_err(|e| e.with_op("Communicator::destroy"))
    }

    fn end(&self) -> Option<Membership> {
        self.member.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Checks the root or the peer of a call.
    pub(super) fn check_ranks(&self, kind: CallKind) -> Result<()> {
        match kind {
            CallKind::Reduce(_, root) | CallKind::Broadcast(root) => self.check_rank(root, "root"),
            CallKind::Send(peer) | CallKind::Recv(peer) => self.check_rank(peer, "peer"),
            CallKind::AllReduce(_) | CallKind::AllGather | CallKind::ReduceScatter(_) => Ok(()),
        }
    }

    fn check_rank(&self, rank: usize, name: &str) -> Result<()> {
        if rank < self.size {
            return Ok(());
        }
        let last = self.size - 1;
        Err(Error::new(ErrorKind::Value, format!("{name} is {rank}: the ranks of the group are 0 to {last}")))
    }

    fn check_parts(&self, a: &Array, name: &str) -> Result<()> {
        if a.shape().first() == Some(&self.size) {
            return Ok(());
        }
        let (shape, size) = (shape_text(a.shape()), self.size);
        Err(Error::new(
            ErrorKind::Value,
            format!("{name} has the shape {shape}: its first axis must have one part for each of the {size} ranks"),
        ))
    }

    /// Queues a call on arrays of any layout. `parts` is how many times the count of the call each of them has
    /// elements.
    fn run(&self, name: &str, kind: CallKind, a: Option<&Array>, out: Option<&Array>, parts: [usize; 2]) -> Result<()> {
        let go = || {
            self.check_ranks(kind)?;
            if let CallKind::Reduce(_, root) = kind
                && root == self.rank
                && out.is_none()
            {
                return Err(missing("out", root));
            }
            let (Some(any), [sent, received]) = (a.or(out), parts) else { return Ok(()) };
            let count = a.map_or_else(|| any.size() / received, |a| a.size() / sent);
            for (array, parts, name) in [(a, sent, "a"), (out, received, "out")] {
                let Some(array) = array else { continue };
                self.check_array(array, count * parts, any, name)?;
            }
            let (unit, factor, kind) = units(any.dtype(), kind)?;
            let staged =
                |array: &Array| if array.is_c_contiguous() { Ok(array.clone()) } else { ascontiguousarray(array) };
            let send = a.map(staged).transpose()?;
            let recv = match out {
                Some(out) if !out.is_c_contiguous() && a.is_some_and(|a| a.may_share_memory(out)) => send.clone(),
                Some(out) if !out.is_c_contiguous() => Some(make::empty(self.device, out.shape(), out.dtype())?),
                out => out.cloned(),
            };
            let addr = |array: &Option<Array>| array.as_ref().map_or(0, Array::addr);
            let queue = self.device.queue();
            for (array, access) in [(&send, Access::Read), (&recv, Access::Write)] {
                if let Some(array) = array {
                    array.buffer().touch(&queue, access)?;
                }
            }
            let call = Call { kind, send: addr(&send), recv: addr(&recv), count: count * factor, dtype: unit };
            let driver = self.device.driver()?;
            // SAFETY: the arrays are of this device, have the elements of the call and are kept until it is queued; their buffers
            // record the stream.
            unsafe { self.member()?.of.call(driver, &call, queue.handle()) }?;
            let copy = recv.clone().zip(out.filter(|out| !out.is_c_contiguous()).cloned());
            if has_begun() {
                let copy = copy.map(|(from, to)| (from, to, self.device.current_stream()));
                keep(send.into_iter().chain(recv), copy);
                return Ok(());
            }
            copy.map_or(Ok(()), |(from, to)| to.assign(&from))
        };
        go().map_err(|e: Error| e.with_op(&format!("Communicator::{name}")))
    }

    fn check_array(&self, array: &Array, elements: usize, other: &Array, name: &str) -> Result<()> {
        if array.device() != self.device {
            let (own, its) = (&self.device.info().id, &array.device().info().id);
            return Err(Error::new(
                ErrorKind::Value,
                format!("{name} is an array of {its}, the rank is that of {own}: to_device brings it there"),
            ));
        }
        if array.dtype() != other.dtype() {
            let (a, b) = (other.dtype(), array.dtype());
            return Err(Error::new(
                ErrorKind::Type,
                format!("the arrays have the dtypes {a} and {b}: both must be equal"),
            ));
        }
        if array.size() != elements {
            let shape = shape_text(array.shape());
            return Err(Error::new(
                ErrorKind::Value,
                format!("{name} has the shape {shape}, and {elements} elements are needed"),
            ));
        }
        Ok(())
    }
}

fn missing(name: &str, root: usize) -> Error {
    Error::new(ErrorKind::Value, format!("{name} is missing: the root, rank {root}, needs it"))
}

/// Returns the part of an array that has a number along the first axis.
fn part(a: &Array, number: usize) -> Result<Array> {
    a.index(s![number as isize])
}
