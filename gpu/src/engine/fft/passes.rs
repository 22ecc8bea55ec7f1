//! Fourier transforms of powers of two by kernels of our own: along an axis whose elements are not adjacent, and along rows whose
//! results have a factor.
//!
//! Lower bound of memory traffic: each element read once and written once for each pass. A row is one pass, and the library
//! needs another one for the factor. A transform along another axis is two passes; the library needs more from some length on,
//! and does all shorter ones.

use std::cell::RefCell;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width};
use cuprum_kernels::source::{FFT_PASS_THREADS, FftPass, FftPassParams, correlate_fft_roots};

use super::fourier::{BatchAxis, beside};
use super::plans::plans_are_held;
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Largest length of a pass along an axis whose elements are not adjacent: 8 adjacent transforms share a block.
const LONGEST_COLUMN: usize = 256;
/// Smallest length along such an axis that the library takes longer for: complex64, complex128.
const SHORTEST_COLUMN: [usize; 2] = [8192, 4096];
/// Smallest length of a row, so that adjacent threads read adjacent elements.
const SHORTEST_ROW: usize = 256;
/// Number of elements from which a transform is worth the compile of its kernel.
const LARGE: usize = 1 << 18;
/// Number of tables of roots that a thread keeps.
const MOST_TABLES: usize = 16;

/// Roots of unity of a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Roots {
    /// exp(-2 pi i k / n), for k < n.
    Whole(usize),
    /// Those of the stages of a pass of this length.
    Stages(usize),
    /// Those of the transforms of a correlation.
    Correlation,
}

/// Roots of unity on a device, complex128 or not.
type Table = ((usize, Roots, bool), Array);

thread_local! {
    static KERNELS: Kernels<FftPass> = Kernels::default();
    /// Tables of roots of unity, the most recently used last.
    static TABLES: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

/// Returns a table of roots of unity, rounded once.
fn table(device: Device, of: Roots, wide: bool) -> Result<Array> {
    let key = (device.address(), of, wide);
    let kept = TABLES.with_borrow_mut(|tables| {
        let at = tables.iter().position(|(of, _)| *of == key)?;
        tables[at..].rotate_left(1);
        tables.last().map(|(_, table)| table.clone())
    });
    if let Some(table) = kept {
        return Ok(table);
    }
    let parts: Vec<f64> = match of {
        Roots::Whole(n) => (0..n).flat_map(|k| root(k, n)).collect(),
        Roots::Stages(length) => FftPass::stages(length).flat_map(|(k, n)| root(k, n)).collect(),
        Roots::Correlation => correlate_fft_roots().flat_map(|(k, n)| root(k, n)).collect(),
    };
    let table = if wide {
        make::of_bytes(device, bytemuck::cast_slice(&parts), DType::C128)?
    } else {
        let parts: Vec<f32> = parts.into_iter().map(|x| x as f32).collect();
        make::of_bytes(device, bytemuck::cast_slice(&parts), DType::C64)?
    };
    TABLES.with_borrow_mut(|tables| {
        if tables.len() == MOST_TABLES {
            tables.remove(0);
        }
        tables.push((key, table.clone()));
    });
    Ok(table)
}

/// Returns the roots of unity of the transforms of a correlation, as complex128.
pub(in crate::engine) fn correlation_roots(device: Device) -> Result<Array> {
    table(device, Roots::Correlation, true)
}

/// Returns exp(-2 pi i k / n), for k < n and n a multiple of 8, from an angle within an eighth of a turn, so that roots that
/// are reflections of each other are so exactly.
fn root(k: usize, n: usize) -> [f64; 2] {
    let eighth = |k: usize| (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
    let within = k % (n / 4);
    let (sin, cos) = if 8 * within < n {
        eighth(within)
    } else {
        let (cos, sin) = eighth(n / 4 - within);
        (sin, cos)
    };
    match 4 * k / n {
        0 => [cos, -sin],
        1 => [-sin, -cos],
        2 => [-cos, sin],
        _ => [sin, cos],
    }
}

/// Axes of a pass: strides in bytes, of the input and of the results.
#[derive(Clone, Copy)]
struct Pass<'a> {
    kernel: FftPass,
    input: &'a Array,
    out: &'a Array,
    /// Strides along a transform.
    step: [i64; 2],
    columns: BatchAxis,
    /// Number of groups of transforms that make one whole transform, and their strides.
    numbers: (usize, [i64; 2]),
    outer: BatchAxis,
    inverse: bool,
    scale: f64,
    /// Length of the whole transform, if a second pass follows.
    whole: Option<usize>,
}

impl Pass<'_> {
    fn run(&self) -> Result<()> {
        let Pass { kernel, input, out, step, columns, numbers, outer, .. } = *self;
        let device = out.device();
        let stages = table(device, Roots::Stages(kernel.length), kernel.wide)?;
        let roots = self.whole.map(|n| table(device, Roots::Whole(n), kernel.wide)).transpose()?;
        let [function] = kernels(&KERNELS, device, kernel, ["fft_pass"], || (kernel.name(), kernel.source()))?;
        let tiles = columns.size.div_ceil(kernel.transforms());
        let params = FftPassParams {
            width: Width::default(),
            columns: columns.size,
            input: read(input),
            out: written(out),
            roots: Read(roots.as_ref().and_then(|roots| read(roots).0)),
            stages: read(&stages),
            scale: self.scale,
            in_step: step[0],
            in_column: columns.input,
            in_number: numbers.1[0],
            in_outer: outer.input,
            out_step: step[1],
            out_column: columns.output,
            out_number: numbers.1[1],
            out_outer: outer.output,
            tiles: tiles as u32,
            numbers: numbers.0 as u32,
            inverse: self.inverse,
            is_first: self.whole.is_some(),
        };
        let blocks = Blocks::of(tiles * numbers.0 * outer.size, out.size(), "elements");
        // SAFETY: sizes and strides are those of the axes of both arrays, and those of the groups reach every element of
        // the transformed axis once; the kernel tests columns. Indices of roots are below their number: see
        // `include/fft_pass.cuh`.
        unsafe { Launcher::on(device).launch(function, blocks, FFT_PASS_THREADS, &params) }
    }
}

/// Transforms complex numbers along one axis, with a factor. Returns false, and does nothing, where the library does as
/// well. The arrays have the same shape and dtype, and may be the same.
pub(crate) fn fourier_by_passes(inverse: bool, scale: f64, input: &Array, output: &Array, axis: usize) -> Result<bool> {
    let (n, item) = (output.shape()[axis], output.itemsize() as i64);
    let wide = output.dtype() == DType::C128;
    let aligned = |a: &Array| a.addr().is_multiple_of(item as u64) && a.strides().iter().all(|s| s % item == 0);
    let is_large = n.is_power_of_two() && output.size() >= LARGE;
    if !is_large || plans_are_held() || output.device().queue().is_captured() || !aligned(input) || !aligned(output) {
        return Ok(false);
    }
    let one = BatchAxis { size: 1, input: 0, output: 0 };
    let rest = beside(input, output, &[axis]);
    let (columns, outer) = match rest[..] {
        [columns] => (columns, one),
        [outer, columns] => (columns, outer),
        _ => return Ok(false),
    };
    let step = [input.strides()[axis], output.strides()[axis]];
    let is_row = step == [item; 2];
    let pass = |length: usize| Pass {
        kernel: FftPass { wide, length, rows: is_row },
        input,
        out: output,
        step,
        columns,
        numbers: (1, [0; 2]),
        outer,
        inverse,
        scale,
        whole: None,
    };
    if is_row {
        let worthwhile = scale != 1.0 && (SHORTEST_ROW..=FftPass::LONGEST).contains(&n) && columns.size >= 16;
        if worthwhile {
            pass(n).run()?;
        }
        return Ok(worthwhile);
    }
    let lengths = SHORTEST_COLUMN[usize::from(wide)]..=LONGEST_COLUMN * LONGEST_COLUMN;
    if [columns.input, columns.output] != [item; 2] || columns.size < 16 || !lengths.contains(&n) {
        return Ok(false);
    }
    // Element a * second + b is first combined over a, then over b: result c + first * d comes from group c.
    let first = 1 << n.ilog2().div_ceil(2);
    let second = n / first;
    let between = make::empty(output.device(), &[outer.size, n, columns.size], output.dtype())?;
    let row = columns.size as i64 * item;
    let (from, to) = (step[0], step[1]);
    Pass {
        out: &between,
        step: [from * second as i64, row * second as i64],
        columns: BatchAxis { output: item, ..columns },
        numbers: (second, [from, row]),
        outer: BatchAxis { output: row * n as i64, ..outer },
        scale: 1.0,
        whole: Some(n),
        ..pass(first)
    }
    .run()?;
    Pass {
        input: &between,
        step: [row, to * first as i64],
        columns: BatchAxis { input: item, ..columns },
        numbers: (first, [row * second as i64, to]),
        outer: BatchAxis { input: row * n as i64, ..outer },
        ..pass(second)
    }
    .run()?;
    Ok(true)
}
