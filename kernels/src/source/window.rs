//! Source of the kernels of windows along one axis and over several axes.

use super::{Unit, body, cast, headers, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Weights that the parameters of the kernel `window_line` have room for.
pub const WINDOW_FEW: usize = 32;

/// Elements that a warp of the kernel `window_line` reads at once beyond its results: `CHUNK` of its header, if lanes have adjacent results.
pub const WINDOW_CHUNK: usize = 16;

/// Results along the second to last axis of a thread of the kernels `window_area` and `window_ordered`: `REACH` of their headers.
pub const WINDOW_REACH: usize = 8;

parameters! {
    /// Parameters of the kernel `window_line`: sizes in elements, strides in bytes.
    WindowLineParams<'a, P> {
        /// Number of lines.
        lines: usize,
        /// Length of a line.
        n: i64,
        /// Length of the window.
        k: usize,
        /// Position of the first result in its window.
        lead: i64,
        /// Element beyond a constant border.
        cval: f64,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The weights, or 0.
        weights: Read<P> as "const f64 *",
        /// Stride of the input along the line.
        src_step: i64,
        /// Stride of the results along the line.
        dst_step: i64,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// Number of the other axes.
        axes: u32,
        /// Rule of the border.
        rule: u32,
        /// Base-2 logarithm of the number of lanes of a line.
        lanes_log2: u32,
        /// The weights, if there are few.
        few: [f64; WINDOW_FEW],
    }
}

parameters! {
    /// Parameters of the kernels `window_area`, `window_ordered` and `window_rank`: sizes in elements, strides in bytes.
    WindowAreaParams<'a, P> {
        /// Number of threads with results.
        count: usize,
        /// Number of runs of the window, or of its elements.
        run_count: usize,
        /// The rank.
        rank: usize,
        /// Number of results along the second to last axis.
        height: i64,
        /// Element beyond a constant border.
        cval: f64,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// For each run its length, its first weight, the offset of its first element in bytes, and its coordinates relative to the result; for
        /// ranks the offset and the coordinates of each element.
        runs: Read<P> as "const i64 *",
        /// The weights of all runs.
        weights: Read<P> as "const f64 *",
        /// The mask, or 0.
        mask: Read<P> as "const char *",
        /// A word that is set to 1 if a result differs from its input, or 0.
        changed: Written<P> as "u32 *",
        /// Sizes of the walk.
        sizes: Sizes<'a>,
        /// Sizes of the input.
        lengths: Strides<'a>,
        /// First coordinate of the window relative to the result.
        first: Strides<'a>,
        /// Last coordinate of the window relative to the result.
        last: Strides<'a>,
        /// Rules of the border.
        rules: Strides<'a>,
        /// Strides of the input.
        src_steps: Strides<'a>,
        /// Strides of the results.
        dst_steps: Strides<'a>,
        /// Strides of the mask.
        mask_steps: Strides<'a>,
        /// Number of axes.
        axes: u32,
        /// Invert input and results.
        invert: bool,
    }
}

/// Operation on the elements of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowOp {
    /// Sum of products with weights, in float64.
    Weighted,
    /// Mean, of sums in float64.
    Mean,
    /// Minimum; NaN if an element is.
    Minimum,
    /// Maximum; NaN if an element is.
    Maximum,
    /// Minimum of the elements less those of a structure, in float64.
    ShapedMinimum,
    /// Maximum of the elements plus those of a structure, in float64.
    ShapedMaximum,
    /// True if all elements are.
    Binary,
}

/// Key of the kernel `window_line`, with the parameters [`WindowLineParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowLine {
    /// The operation, without a structure and not binary.
    pub op: WindowOp,
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// True if lanes have adjacent results of a line, false if they have adjacent lines.
    pub along: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Key of the kernel `window_ordered`, with the parameters [`WindowAreaParams`]: `runs` has for each term the kind of its mate, and the offset and
/// the coordinates of the element and of the mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowOrdered {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Key of the kernel `window_area`, with the parameters [`WindowAreaParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowArea {
    /// The operation.
    pub op: WindowOp,
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Returns the dtype in which the operation is computed.
pub(super) fn value_dtype(op: WindowOp, from: DType) -> DType {
    match (op, from) {
        (WindowOp::Minimum | WindowOp::Maximum, DType::F16 | DType::BF16) => DType::F32,
        (WindowOp::Minimum | WindowOp::Maximum, _) => from,
        (WindowOp::Binary, _) => DType::Bool,
        _ => DType::F64,
    }
}

/// Returns the conversion of a result. Booleans are the low byte of the number, and uint64 beyond its range is 0, as in a cast of C on x86-64.
pub(super) fn result_cast(from: DType, to: DType) -> String {
    match (from, to) {
        (DType::F32 | DType::F64, DType::Bool) => format!("({} & 255) != 0", cast(from, DType::I64, "v")),
        (DType::F32 | DType::F64, DType::U64) => format!("v >= 0x1p64 ? 0 : {}", cast(from, to, "v")),
        _ => cast(from, to, "v"),
    }
}

/// Returns the type of keys, and the functions key_of(value) and value_from(key): the order of keys is that of the numbers, NaN last.
pub(super) fn order_keys(value: DType) -> (&'static str, String) {
    let (key, to_key, from_key) = match value {
        DType::F32 => (
            "u32",
            "const u32 b = __float_as_uint(v);\n  return v != v ? 0xffc00000u : b ^ ((u32)((i32)b >> 31) | 0x80000000u);",
            "return __uint_as_float(k ^ (~(u32)((i32)k >> 31) | 0x80000000u));",
        ),
        DType::F64 => (
            "u64",
            "const u64 b = (u64)__double_as_longlong(v);\n  return v != v ? 0xfff8000000000000ull : b ^ ((u64)((i64)b >> 63) | 1ull << 63);",
            "return __longlong_as_double((i64)(k ^ (~(u64)((i64)k >> 63) | 1ull << 63)));",
        ),
        DType::I64 => ("u64", "return (u64)v ^ 1ull << 63;", "return (i64)(k ^ 1ull << 63);"),
        DType::U64 => ("u64", "return v;", "return k;"),
        DType::I8 | DType::I16 | DType::I32 => {
            ("u32", "return (u32)(i32)v ^ 1u << 31;", "return (value)(i32)(k ^ 1u << 31);")
        }
        _ => ("u32", "return v;", "return (value)k;"),
    };
    let functions =
        format!("DEVICE key key_of(value v) {{\n  {to_key}\n}}\nDEVICE value value_from(key k) {{\n  {from_key}\n}}\n");
    (key, functions)
}

/// Starts a source with the types and functions of an operation.
pub(super) fn unit(op: WindowOp, from: DType, to: DType, namespace: &str) -> Unit {
    Unit::new(headers([from, to], false), namespace)
        .typed("element", from.device_name())
        .typed("result", to.device_name())
        .typed("value", value_dtype(op, from).device_name())
}

/// Returns the functions of an operation.
pub(super) fn functions(op: WindowOp, from: DType, to: DType) -> String {
    let value = value_dtype(op, from);
    let load = match op {
        WindowOp::Binary => cast(from, DType::Bool, "e"),
        WindowOp::Minimum | WindowOp::Maximum => widen(from, false, "e"),
        _ => cast(from, DType::F64, "e"),
    };
    let join = match op {
        WindowOp::Weighted | WindowOp::Mean => "a + b",
        WindowOp::Minimum if value == DType::F32 => "one_nan_minimum(a, b)",
        WindowOp::Maximum if value == DType::F32 => "one_nan_maximum(a, b)",
        WindowOp::Minimum | WindowOp::ShapedMinimum => "b < a || b != b ? b : a",
        WindowOp::Maximum | WindowOp::ShapedMaximum => "b > a || b != b ? b : a",
        WindowOp::Binary => "a && b",
    };
    let shifted = match op {
        WindowOp::ShapedMinimum => "v - w",
        WindowOp::ShapedMaximum => "v + w",
        _ => "v",
    };
    let outside = match op {
        WindowOp::Binary => "(p.cval != 0) != (p.invert != 0)".to_string(),
        _ => format!("({})p.cval", value.device_name()),
    };
    format!(
        "DEVICE value value_of(element e) {{ return {load}; }}\n\
         DEVICE result result_of(value v) {{ return {}; }}\n\
         DEVICE value join(value a, value b) {{ return {join}; }}\n\
         DEVICE value shifted(value v, f64 w) {{ return {shifted}; }}\n\
         DEVICE value outside(const params &p) {{ return {outside}; }}\n",
        result_cast(value, to)
    )
}

impl WindowLine {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_line/{:?}/{}/{}", self.op, self.from, self.to)
    }

    /// Returns the dtype of elements in shared memory.
    pub fn value(&self) -> DType {
        value_dtype(self.op, self.from)
    }

    /// Returns the source of the kernel `window_line`.
    pub fn source(&self) -> String {
        unit(self.op, self.from, self.to, "window_line")
            .indexed(self.width)
            .switch("WEIGHTED", self.op == WindowOp::Weighted)
            .switch("MEAN", self.op == WindowOp::Mean)
            .switch("ALONG", self.along)
            .params(&WindowLineParams::<()> { width: self.width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(self.op, self.from, self.to))
            .with(body!("window_line"))
            .finish()
    }
}

impl WindowOrdered {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_ordered/{}/{}", self.from, self.to)
    }

    /// Returns the source of the kernel `window_ordered`.
    pub fn source(&self) -> String {
        unit(WindowOp::Weighted, self.from, self.to, "window_ordered")
            .indexed(self.width)
            .number("ROOM", self.width.axes())
            .params(&WindowAreaParams::<()> { width: self.width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(WindowOp::Weighted, self.from, self.to))
            .with(body!("window_walk"))
            .with(body!("window_ordered"))
            .finish()
    }
}

impl WindowArea {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_area/{:?}/{}/{}", self.op, self.from, self.to)
    }

    /// Returns the source of the kernel `window_area`.
    pub fn source(&self) -> String {
        unit(self.op, self.from, self.to, "window_area")
            .indexed(self.width)
            .number("ROOM", self.width.axes())
            .switch("WEIGHTED", self.op == WindowOp::Weighted)
            .switch("SHAPED", matches!(self.op, WindowOp::ShapedMinimum | WindowOp::ShapedMaximum))
            .switch("BINARY", self.op == WindowOp::Binary)
            .params(&WindowAreaParams::<()> { width: self.width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(self.op, self.from, self.to))
            .with(body!("window_walk"))
            .with(body!("window_area"))
            .finish()
    }
}
