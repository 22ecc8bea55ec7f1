//! Source of the kernels for the correlation of two sequences, and of two arrays of several axes.

use super::{Unit, body, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

parameters! {
    /// Parameters of the kernel `correlate`, tiled or not: sizes in elements, strides in bytes.
    CorrelateParams<P> {
        /// Number of results.
        count: usize,
        /// Length of the longer sequence.
        n: usize,
        /// Length of the shorter sequence.
        k: usize,
        /// Offset of the longer sequence from the first result.
        lead: usize,
        /// The longer sequence.
        a: Read<P> as "const char *",
        /// The shorter sequence, conjugated.
        v: Read<P> as "const char *",
        /// The results.
        out: Written<P> as "element *",
        /// Stride of the longer sequence.
        a_step: i64,
        /// Stride of the shorter sequence.
        v_step: i64,
        /// Base-2 logarithm of the number of results of a block.
        outputs_log2: u32,
        /// Results of each element of `left`, a multiple of those of a tile.
        left_each: u32,
        /// uint32: a flag for each `left_each` results, 1 if they are to be computed; without it all are.
        left: Read<P> as "const u32 *",
    }
}

parameters! {
    /// Parameters of the kernel `correlate_axes`: sizes in elements, strides in bytes.
    CorrelateAxesParams<'a, P> {
        /// Number of results.
        count: usize,
        /// The longer array.
        a: Read<P> as "const char *",
        /// The shorter array, conjugated.
        v: Read<P> as "const char *",
        /// The results, in C order.
        out: Written<P> as "element *",
        /// Sizes of the results' axes.
        sizes: Sizes<'a>,
        /// Sizes of the longer array's axes.
        longs: Strides<'a>,
        /// Sizes of the shorter array's axes.
        shorts: Strides<'a>,
        /// Offset of the longer array along each axis.
        leads: Strides<'a>,
        /// Strides of the longer array.
        a_steps: Strides<'a>,
        /// Strides of the shorter array.
        v_steps: Strides<'a>,
    }
}

/// Key of the kernel `correlate_axes`, with the parameters [`CorrelateAxesParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CorrelateAxes {
    /// The dtype of the elements; integers wrap on overflow.
    pub dtype: DType,
    /// Number of axes, at least one.
    pub axes: usize,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Threads of a block of the kernel `correlate_axes`, each with one result: `THREADS` of `include/correlate_axes.cuh`.
pub const CORRELATE_AXES_THREADS: usize = 256;

impl CorrelateAxes {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("correlate_axes/{}/{}", self.dtype, self.axes)
    }

    /// Returns the source of the kernel `correlate_axes`.
    pub fn source(&self) -> String {
        arithmetic(self.dtype, "correlate_axes")
            .indexed(self.width)
            .number("AXES", self.axes)
            .params(&CorrelateAxesParams::<()> { width: self.width, ..Default::default() })
            .with(body!("correlate_axes"))
            .finish()
    }
}

/// Threads of a block of the kernel `correlate` for few results: `THREADS` of `include/correlate.cuh`.
pub const CORRELATE_THREADS: usize = 256;

/// Maximum number of threads of a block of the tiled kernel `correlate`: `MOST_THREADS` of
/// `include/correlate_tiles.cuh`.
pub const CORRELATE_MOST_THREADS: usize = 512;

/// Returns the number of results of a warp's tile, in which each thread computes `group` results.
pub const fn correlate_tile(group: usize) -> usize {
    32 * group
}

/// Returns the bytes of shared memory for the tile of a warp: `LONG_BYTES` and `SHORT_BYTES` of
/// `include/correlate_tiles.cuh`.
pub fn correlate_tile_bytes(dtype: DType, group: usize) -> usize {
    // Elements are gathered in words of at least four bytes.
    let value = dtype.size().max(4);
    let (steps, chunk) = (2048 / value, 16 / value);
    let (span, rows) = ((correlate_tile(group) + steps + 2 * group).next_multiple_of(32), group / chunk);
    let row = 16 * ((span / group).next_multiple_of(8) + 8 / rows % 8);
    rows * row + (steps + 2 * chunk) * value
}

/// Returns the source of the kernel `correlate` for elements of a dtype, whose integers wrap on overflow: tiled, with 8
/// or 16 results for each thread, or, without a `group`, for few results.
pub fn correlate_source(dtype: DType, group: Option<usize>) -> String {
    let unit = arithmetic(dtype, "correlate").params(&CorrelateParams::<()>::default());
    match group {
        Some(group) => unit.number("GROUP", group).with(body!("correlate_tiles")).finish(),
        None => unit.with(body!("correlate")).finish(),
    }
}

/// Starts a source with the types and the multiply-add of sums of products. Floats are multiplied and added by FMA: a
/// product is not rounded before it is added.
fn arithmetic(dtype: DType, namespace: &str) -> Unit {
    // Sums of integers are computed in words, whose low bits are the narrow sums.
    let (value, value_of, result_of) = match dtype {
        DType::Bool => ("u32", "(u32)e".into(), "a != 0".into()),
        DType::I64 | DType::U64 => ("u64", "(u64)e".into(), format!("({})a", dtype.device_name())),
        d if d.is_integer() => ("u32", "(u32)e".into(), format!("({})a", d.device_name())),
        DType::F16 | DType::BF16 => ("f32", widen(dtype, false, "e"), narrow(dtype, false, "a")),
        d => (d.device_name(), "e".to_string(), "a".to_string()),
    };
    let fused = if matches!(dtype, DType::F64 | DType::C128) { "__fma_rn" } else { "__fmaf_rn" };
    let step = match dtype {
        DType::Bool => "return s | (a & v);".into(),
        d if d.is_integer() => "return s + a * v;".into(),
        d if d.is_complex() => format!(
            "s.re = {fused}(a.re, v.re, s.re);\n  s.im = {fused}(a.re, v.im, s.im);\n  \
             s.re = {fused}(-a.im, v.im, s.re);\n  s.im = {fused}(a.im, v.re, s.im);\n  return s;"
        ),
        _ => format!("return {fused}(a, v, s);"),
    };
    let plus = if dtype == DType::Bool { "a | b" } else { "a + b" };
    let functions = format!(
        "DEVICE value none() {{ return value{{}}; }}\n\
         DEVICE value value_of(element e) {{ return {value_of}; }}\n\
         DEVICE element result_of(value a) {{ return {result_of}; }}\n\
         DEVICE value step(value s, value a, value v) {{\n  {step}\n}}\n\
         DEVICE value plus(value a, value b) {{ return {plus}; }}\n"
    );
    Unit::new(headers([dtype], false), namespace)
        .typed("element", dtype.device_name())
        .typed("value", value)
        .with(&functions)
}
