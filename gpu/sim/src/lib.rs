//! A SIMT interpreter that runs PTX on the CPU and checks every access.
//!
//! [`Machine`] is one simulated GPU: memory, and a way to load PTX text and launch its kernels. Warps of 32 lanes run
//! in lockstep over vectors of lanes; where lanes diverge, the group that is furthest behind runs first, so that they
//! meet again. Blocks run on several threads.
//!
//! Always checked, each a [`Fault`] that names the kernel, the line of PTX, the block and the thread: accesses out of
//! bounds or misaligned, use after free, reads of memory nobody wrote, races on shared memory, threads that wait at
//! different barriers, and loops without end.
//!
//! Arithmetic is IEEE 754 to the bit. The approximate instructions (`ex2.approx`, `rcp.approx` and so on) are computed
//! in double precision and rounded; a GPU differs from that in the last bits.
//!
//! ```
//! use cuprum_sim::{Config, Launch, Machine};
//! let machine = Machine::new(Config::default());
//! let module = machine.load(
//!     ".version 8.0\n.target sm_80\n.address_size 64\n
//!      .visible .entry answer(.param .u64 out) {
//!        .reg .b64 %rd<2>; .reg .b32 %r<1>;
//!        ld.param.u64 %rd0, [out];
//!        mov.u32 %r0, 42;
//!        st.global.u32 [%rd0], %r0;
//!        ret;
//!      }",
//! )?;
//! let out = machine.alloc(4)?;
//! let kernel = module.kernel("answer").unwrap();
//! machine.launch(&kernel, &Launch { params: &out.to_le_bytes(), ..Launch::default() })?;
//! let mut bytes = [0; 4];
//! machine.read(out, &mut bytes)?;
//! assert_eq!(u32::from_le_bytes(bytes), 42);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod exec;
mod fault;
mod machine;
mod memory;
mod ops;
mod ptx;

pub use fault::{Fault, FaultKind, PtxError, Site};
pub use machine::{Config, Kernel, Launch, Machine, Module, Stats};
pub use memory::Mark;
