//! Conditional nodes in the graphs of a CUDA device. A kernel of one thread sets the node's conditional handle from a
//! flag in memory.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::{CUcontext, CUgraph, CUgraphNode, CUstream};

use super::Cuda;
use super::runtime::RELAXED;
use crate::driver::runtime_api::Conditional;
use crate::driver::runtime_table::ConditionalNode;
use crate::driver::{Driver, Function, StreamHandle};
use crate::error::Result;

/// `CU_STREAM_SET_CAPTURE_DEPENDENCIES`: later work depends on these nodes only.
const SET: c_uint = 1;

/// PTX of the setter kernel. The driver links the function that it calls, which NVRTC does not know.
const SETTER: &str = "\
.version 8.0
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry cuprum_set_condition(.param .u64 handle, .param .u64 flag) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
  .param .b64 to; .param .b32 value;
  ld.param.u64 %rd1, [handle];
  ld.param.u64 %rd2, [flag];
  cvta.to.global.u64 %rd2, %rd2;
  ld.global.u8 %r1, [%rd2];
  setp.ne.u32 %p1, %r1, 0;
  selp.u32 %r2, 1, 0, %p1;
  st.param.b64 [to], %rd1;
  st.param.b32 [value], %r2;
  call.uni cudaGraphSetConditional, (to, value);
  ret;
}
\0";

impl Cuda {
    /// Returns the kernel that sets a conditional handle.
    fn setter(&self) -> Result<Function> {
        let made = self
            .setter
            .get_or_init(|| self.load(SETTER.as_bytes()).and_then(|m| self.function(m, "cuprum_set_condition")));
        made.clone()
    }

    /// Queues the setter kernel.
    ///
    /// # Safety
    ///
    /// The stream is captured, and the flag is live memory as long as the graph.
    unsafe fn set_condition(&self, handle: u64, flag: u64, stream: StreamHandle) -> Result<()> {
        let params = [handle.to_le_bytes(), flag.to_le_bytes()].concat();
        let setter = self.setter()?;
        // SAFETY: the parameters are those of the kernel, which reads one byte at the flag.
        unsafe { self.launch(setter, [1; 3], [1; 3], 0, stream, &params) }
    }

    /// Returns the graph that a stream is captured into, and the nodes that later work depends on.
    ///
    /// # Safety
    ///
    /// The stream is captured. The nodes are the driver's, and valid until more is queued.
    unsafe fn capture_of(&self, stream: StreamHandle) -> Result<(CUgraph, *const CUgraphNode, usize)> {
        let (mut status, mut id, mut graph, mut nodes, mut count) = (0, 0, ptr::null_mut(), ptr::null(), 0);
        let of = stream as CUstream;
        // SAFETY: all are live variables; the caller guarantees the stream.
        unsafe { self.shown.capture_info(of, &mut status, &mut id, &mut graph, &mut nodes, &mut count) }?;
        Ok((graph, nodes, count))
    }

    /// Begins a conditional node, and the capture of its body.
    ///
    /// # Safety
    ///
    /// As [`crate::driver::runtime_api::RuntimeApi::begin_conditional`].
    pub(super) unsafe fn begin_condition(&self, stream: StreamHandle, flag: u64, repeats: bool) -> Result<Conditional> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream.
        let (graph, _, _) = unsafe { self.capture_of(stream) }?;
        let mut handle = 0;
        // SAFETY: the variable is live, and the graph is the capture's.
        unsafe { self.shown.condition_handle(&mut handle, graph, self.context as CUcontext, 0, 0) }?;
        // SAFETY: the caller guarantees the stream and the flag.
        unsafe { self.set_condition(handle, flag, stream) }?;
        // SAFETY: as above; nothing is queued before the nodes are used.
        let (graph, nodes, count) = unsafe { self.capture_of(stream) }?;
        let mut node_params = ConditionalNode::new(handle, repeats, self.context as CUcontext);
        let mut node: CUgraphNode = ptr::null_mut();
        // SAFETY: the variables are live, and the nodes are those of the graph.
        unsafe { self.shown.add_node(&mut node, graph, nodes, count, &mut node_params) }?;
        // SAFETY: the node is in the graph that the stream is captured into.
        unsafe { self.shown.follow_in_capture(stream as CUstream, &mut node, 1, SET) }?;
        // SAFETY: the driver has written an array of one graph, which lives as long as the node.
        let body = unsafe { *node_params.graphs };
        let inside = self.stream_create_with(true, 0)?;
        let (none, no_data) = (ptr::null(), ptr::null::<c_void>());
        // SAFETY: the stream was created just now, and the graph is the node's.
        if let Err(e) = unsafe { self.shown.capture_to(inside as CUstream, body, none, no_data, 0, RELAXED) } {
            // SAFETY: no one else has the stream.
            let _ = unsafe { self.stream_destroy(inside) };
            return Err(e);
        }
        Ok(Conditional { stream: inside, handle, flag, repeats })
    }

    /// Ends a conditional node, and the capture of its body.
    ///
    /// # Safety
    ///
    /// As [`crate::driver::runtime_api::RuntimeApi::end_conditional`].
    pub(super) unsafe fn end_condition(&self, node: &Conditional) -> Result<()> {
        let _bound = self.bind()?;
        let set = if node.repeats {
            // SAFETY: the caller guarantees the flag; the stream is captured.
            unsafe { self.set_condition(node.handle, node.flag, node.stream) }
        } else {
            Ok(())
        };
        let mut graph = ptr::null_mut();
        // SAFETY: the variable is live, and the stream is captured; the graph is owned by the node.
        let ended = unsafe { self.shown.end_capture(node.stream as CUstream, &mut graph) };
        // SAFETY: no one else has the stream.
        let destroyed = unsafe { self.stream_destroy(node.stream) };
        set.and(ended).and(destroyed)
    }
}

const _: () = assert!(size_of::<ConditionalNode>() == 256 && size_of::<c_int>() == 4);
