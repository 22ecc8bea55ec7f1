//! A SIMT interpreter that runs PTX on the CPU and checks every access.
//!
//! [`Machine`] is one simulated GPU: memory, and functions to load PTX source and launch its kernels. Warps of 32 lanes
//! run in lockstep over vectors of lanes; where lanes diverge, the group that is furthest behind runs first, so that
//! they reconverge. Blocks run on several threads, which persist between launches; those of a kernel that prints run on
//! the thread that launches it, so that the output is in their order.
//!
//! The following checks are always active, each raising a [`Fault`] that names the kernel, the line of PTX, the block
//! and the thread: accesses out of bounds or misaligned, use after free, branches and addresses that depend on
//! uninitialised bits, races on shared memory, shared memory that an asynchronous copy may still be storing to, threads
//! that wait at different barriers, member masks without the lane that names them, integer division by zero, and
//! infinite loops. [`Config::races`] adds races on global memory.
//!
//! Reading uninitialised memory is no fault. Undefined bits are tracked through registers and memory, exactly where
//! bits are moved, masked, selected and compared, as a whole where they are used in arithmetic; a fault is raised by
//! what depends on them: the direction of a branch or a guard, an address, the members of a barrier or a vote, the
//! source lane of a shuffle, a copy to the host. The message names the memory they come from and the thread and
//! instruction that read it.
//!
//! A launch is limited to what every GPU accepts by default: 1024 threads and 48 KiB of shared memory a block. A kernel
//! with more static shared memory does not load.
//!
//! Arithmetic is IEEE 754 to the bit: every rounding mode, `.ftz`, `.sat`, float16 and bfloat16 with one rounding. The
//! approximate instructions are computed in double precision and rounded; a GPU differs from that in the last bits.
//! [`mnemonics`] lists all instructions.
//!
//! # Supported instructions
//!
//! PTX as NVRTC generates it for `compute_80`, with 64-bit addresses. An instruction that is not listed is an error of
//! [`Machine::load`] that names it. `T` represents the types listed after it; braces enclose optional parts.
//!
//! | Instruction | Forms |
//! |---|---|
//! | `add sub` | `{.sat}.s32`, `.T` for s16 u16 s32 u32 s64 u64, `{.cc}.T` for u32 s32 u64 s64; `{.rn.rz.rm.rp}{.ftz}{.sat}.f32`, `{.rn.rz.rm.rp}.f64`; `{.rn}{.ftz}{.sat}.T` for f16 f16x2 bf16 bf16x2 |
//! | `addc subc` | `{.cc}.T` for u32 s32 u64 s64 |
//! | `mul mad` | `.lo.hi.wide.T` for s16 u16 s32 u32 s64 u64 (wide up to 32 bits), `mad.hi.sat.s32`; `mad{c}.lo.hi{.cc}.T`; floats as `add` |
//! | `fma` | `.rn.rz.rm.rp{.ftz}{.sat}.f32`, `.rn.rz.rm.rp.f64`, `.rn{.ftz}{.sat}{.relu}.T` for f16 f16x2 bf16 bf16x2 |
//! | `mul24 mad24` | `.lo.hi.T` for s32 u32, `mad24.hi.sat.s32` |
//! | `div` | `.T` for the integers; `.rn.rz.rm.rp{.ftz}.f32`, `.approx.full{.ftz}.f32`, `.rn.rz.rm.rp.f64` |
//! | `rem sad abs neg min max` | `.T` for the integers (`abs neg`: signed); `abs neg min max`: `{.ftz}{.NaN}{.xorsign.abs}.f32`, `.f64`, and the 16-bit floats; `min max`: `.relu.s32` |
//! | `rcp sqrt` | `.rn.rz.rm.rp{.ftz}.f32`, `.approx{.ftz}.f32`, `.rn.rz.rm.rp.f64`, `rcp.approx.ftz.f64` |
//! | `rsqrt ex2 lg2 sin cos tanh` | `.approx{.ftz}.f32`; `rsqrt.approx{.ftz}.f64`; `ex2 tanh`: the 16-bit floats |
//! | `and or xor not cnot` | `.pred` (but `cnot`), `.b16 .b32 .b64` |
//! | `shl shr shf lop3 prmt bfe bfi bfind brev clz popc fns bmsk szext dp4a dp2a` | all |
//! | `set setp` | all conditions and `.and.or.xor`, of integers, f32, f64, f16, f16x2, bf16, bf16x2, `{.ftz}`; `set` into u16 s16 u32 s32 f32 and the 16-bit floats |
//! | `selp slct testp copysign` | all |
//! | `mov` | registers, addresses, special registers, `{a, b, ...}` to and from a vector |
//! | `cvt` | all pairs of integers, f16, bf16, f32, f64, with `.rn.rz.rm.rp.rni.rzi.rmi.rpi.ftz.sat.relu.satfinite`; `.f16x2.f32 .bf16x2.f32`, `.rn.rz.rna.tf32.f32`, `.pack.sat` |
//! | `cvta isspacep` | global, const, shared, local, param |
//! | `ld ldu st` | every space, `.v2 .v4 .v8`, cache and eviction hints, `.volatile .relaxed .acquire .release` |
//! | `cp` | `.async.ca.cg.shared.global` of 4, 8 and 16 bytes, with the bytes that are read or a predicate, hints and policies; `.async.commit_group .wait_group .wait_all .mbarrier.arrive{.noinc}` |
//! | `mbarrier` | `.init .inval .arrive .arrive_drop{.noComplete} .test_wait .try_wait{.parity} .pending_count` |
//! | `ldmatrix movmatrix` | `.x1 .x2 .x4 {.trans}` of b16; `.trans.b16` |
//! | `mma` | f16, bf16, tf32, f64, s8 u8, s4 u4, b1, of all shapes of `compute_80`; `.sp`, with ordered metadata or without |
//! | `wmma` | `.load .store .mma` of the same types, all shapes and layouts |
//! | `createpolicy` | `.fractional .range .cvt`: policies change no result |
//! | `atom red` | `add` (integers, f16 f16x2 bf16 bf16x2 f32 f64), `min max` (32, 64 bits), `and or xor exch inc dec`, `cas` (16, 32, 64 bits) |
//! | `alloca stacksave stackrestore` | `.u64` |
//! | `bra brx.idx call ret exit trap brkpt` | direct and indirect, recursion, arguments in param space |
//! | `bar barrier` | `.sync .arrive .red` with ids and counts, `.warp.sync` |
//! | `shfl vote match redux activemask` | all; `redux` of s32, u32, b32 |
//! | `vadd vsub vabsdiff vmin vmax vshl vshr vset vmad` | of u32 and s32 with parts of registers; `vadd2 ... vset4`, `vavrg2`, `vavrg4` with selected lanes |
//! | `tex tld4 txq` | `{.level .base .grad}.1d .2d .3d .a1d .a2d .cube .acube.v4` of f32, s32 and u32 at coordinates of f32 and s32; `.r .g .b .a.2d.v4`; `.width .height .depth .array_size .num_mipmap_levels.b32`; by handles of 64 bits |
//! | `suld sust sured suq` | `.b.1d .2d .3d .a1d .a2d{.v2 .v4}.b8 .b16 .b32 .b64.trap .clamp .zero`; stores `.p{.v2 .v4}.b32`, too; `.b.add .min .max .and .or` of 32 bits, `.b.add.u64`; as `txq` |
//! | `membar fence nanosleep prefetch pmevent` | all |
//!
//! System calls: `vprintf` (to [`Launch::output`]), `__assertfail`, `malloc` and `free` (a heap of 8 MiB).
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
mod job;
mod machine;
mod memory;
mod ops;
mod ptx;
mod texture;
mod workers;

pub use fault::{Fault, FaultKind, PtxError, Site};
pub use machine::{Config, Kernel, Launch, Machine, Module, Stats};
pub use memory::Mark;
pub use ptx::link::{LinkError, link};
pub use ptx::mnemonics::{Family, mnemonics};
pub use texture::{Address, Image, Sampling, TexelKind, Texels};

/// True if this crate is compiled with optimisation. Without, kernels run some twenty times slower.
pub const OPTIMISED: bool = !cfg!(unoptimised);
