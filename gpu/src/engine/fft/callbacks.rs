//! Callbacks of Fourier transforms without library support: a pass before the transform and one after it, each a kernel
//! that calls the user's function for every element, with the offset that the library would pass.
//!
//! Each pass reads and writes all elements once, which a callback inside the library saves.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::cuda::{Device, Source};
use crate::driver::fft_callbacks::{Hooked, Side};
use crate::driver::{BatchLayout, Hook, Transform, TransformKind};
use crate::engine::fft::plans::Plan;
use crate::engine::launch::{Argument, Launcher, transform};
use crate::engine::make::empty;
use crate::error::{Error, ErrorKind, Result};

/// Statements of the kernel that call the function of each side.
const LOADS: &str = "((ELEMENT *)to)[at] = cuprum_fft_load(from, at, (void *)data, shared)";
const STORES: &str = "cuprum_fft_store(to, at, ((const ELEMENT *)from)[at], (void *)data, shared)";

/// Bytes of shared memory of a block that a callback may use.
const SHARED: u32 = 16 << 10;

fn kernel(element: &str, call: &str) -> String {
    format!(
        "
extern \"C\" __global__ void cuprum_fft_each(void *from, void *to, unsigned long long data, long long n0, long long n1,
    long long n2, long long e1, long long e2, long long stride, long long dist, long long all) {{
  extern __shared__ char shared[];
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all) return;
  const long long row = i / n2;
  const unsigned long long at =
      row / (n1 * n0) * dist + ((row / n1 % n0 * e1 + row % n1) * e2 + i % n2) * stride;
  {};
}}
",
        call.replace("ELEMENT", element)
    )
}

/// Returns the sizes of the three axes of one side, their embedding, and the number of elements from the first to the
/// end of the last one.
fn sizes(of: &Transform, side: Side, layout: &BatchLayout) -> ([i64; 3], [i64; 3], i64) {
    let (mut sizes, mut embed) = ([1; 3], [1; 3]);
    sizes[3 - of.rank..].copy_from_slice(&of.n[..of.rank]);
    embed[3 - of.rank..].copy_from_slice(&layout.embed[..of.rank]);
    if matches!((of.turning, side), (TransformKind::Forward, Side::Store) | (TransformKind::Backward, Side::Load)) {
        sizes[2] = sizes[2] / 2 + 1;
    }
    let last = ((sizes[0] - 1) * embed[1] + sizes[1] - 1) * embed[2] + sizes[2] - 1;
    (sizes, embed, last * layout.stride + (of.batch - 1) * layout.dist + 1)
}

/// Calls a callback for every element of one side, from one array to another; `at` are the byte offsets of the first
/// elements.
fn each(of: &Transform, hook: Hook, side: Side, (from, to): (&Array, &Array), at: (i64, i64)) -> Result<()> {
    let Hook::Text { data, .. } = hook else { unreachable!("a factor is the library's") };
    let layout = if side == Side::Load { &of.input } else { &of.output };
    let (sizes, embed, _) = sizes(of, side, layout);
    let hooked = Hooked::new(of, hook, side);
    let text = hooked.text.clone() + &kernel(side.element(of), if side == Side::Load { LOADS } else { STORES });
    let source = Source {
        name: "callback".into(),
        text: text.into(),
        options: hooked.options.clone(),
        expressions: vec![],
        own: false,
        nvcc: false,
    };
    let device = to.device();
    let function = device.compile(&source, &["cuprum_fft_each"]).map_err(|e| hooked.describe(e))?[0];
    let all = sizes.iter().product::<i64>() * of.batch;
    let blocks = u32::try_from((all + 255) / 256).map_err(|_| {
        Error::new(ErrorKind::NotImplemented, format!("{all} elements are too many for callbacks on this device"))
    })?;
    let (from, to) = (moved(from, at.0), moved(to, at.1));
    let [n0, n1, n2] = sizes.map(Argument::I64);
    let [_, e1, e2] = embed.map(Argument::I64);
    let (stride, dist) = (Argument::I64(layout.stride), Argument::I64(layout.dist));
    let (arrays, data, all) = ([Argument::Array(&from), Argument::Array(&to)], Argument::U64(data), Argument::I64(all));
    let [from, to] = arrays;
    let arguments = [from, to, data, n0, n1, n2, e1, e2, stride, dist, all];
    // SAFETY: the kernel calls the user's function, for which its source is responsible, with offsets of elements of
    // the two sides.
    unsafe { Launcher::on(device).launch_with(function, [blocks, 1, 1], [256, 1, 1], SHARED, &arguments, None) }
}

/// Returns a view that begins `bytes` later.
fn moved(a: &Array, bytes: i64) -> Array {
    let mut layout = a.layout().clone();
    layout.offset = layout.offset.wrapping_add_signed(bytes as isize);
    a.with_layout(layout)
}

/// Returns a new array with the layout of one side.
fn beside(of: &Transform, side: Side, device: Device) -> Result<Array> {
    let layout = if side == Side::Load { &of.input } else { &of.output };
    let complex = if of.wide { DType::C128 } else { DType::C64 };
    let real =
        matches!((of.turning, side), (TransformKind::Forward, Side::Load) | (TransformKind::Backward, Side::Store));
    let dtype = if real { complex.real() } else { complex };
    empty(device, &[sizes(of, side, layout).2 as usize], dtype)
}

/// Transforms with the callbacks of users, without passing them to the library.
///
/// # Safety
///
/// As [`transform`].
pub(in crate::engine) unsafe fn hooked(
    params: Transform,
    plan: &Plan,
    inverse: bool,
    (input, output): (&Array, &Array),
    (from, to): (i64, i64),
) -> Result<()> {
    let text = |hook: Option<Hook>| hook.filter(|hook| matches!(hook, Hook::Text { .. }));
    let (load, store) = (text(params.load), text(params.store));
    let plain = Transform { load: None, store: params.store.filter(|_| store.is_none()), ..params };
    let device = output.device();
    let (mut source, mut at) = (input.clone(), from);
    if let Some(hook) = load {
        (source, at) = (beside(&params, Side::Load, device)?, 0);
        each(&params, hook, Side::Load, (input, &source), (from, 0))?;
    }
    let Some(hook) = store else {
        // SAFETY: guaranteed by the caller; the new array has room for all elements of its side.
        return unsafe { transform(plain, plan.planned, inverse, (&source, output), (at, to)) };
    };
    let results = beside(&params, Side::Store, device)?;
    // SAFETY: as above.
    unsafe { transform(plain, plan.planned, inverse, (&source, &results), (at, 0)) }?;
    each(&params, hook, Side::Store, (&results, output), (0, to))
}
