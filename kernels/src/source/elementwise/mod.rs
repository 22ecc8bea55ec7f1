//! Source of the elementwise kernels.
//!
//! The function `apply` computes an operation on one set of elements, casts included; the class of the kernel, one file
//! each, decides how the elements are found and moved.

mod flat;
mod fused;
mod pairs;
mod params;
mod reading;
mod rows;
mod strided;
mod tiled;
mod vectors;

use std::fmt::Write;

use super::{Unit, Width, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::Strides;
use crate::registry::{Loop, UfuncId};

pub use fused::{
    Expression, ExpressionId, FUSED_INPUTS, FUSED_RESULTS, FUSED_STEPS, Fused, FusedParams, Step, StepOperand,
};
pub(super) use fused::{INS, OUTS, PARAMETERS, POINTERS, RESULTS, VALUES, headers_of, write_step};
pub use params::{ElementwiseInput, ElementwiseParams, Walk};
pub(super) use reading::READING;
pub use reading::{Neighbours, Reading, ReadingParams};
pub(super) use vectors::{several, write_several, write_step_operands};

/// Maximum number of operands of a kernel: three inputs, a mask, two results.
const SLOTS: usize = 6;

/// Threads of a block of a tiled kernel, and maximum for any other kernel.
pub const ELEMENTWISE_THREADS: usize = 256;

/// Mode in which a kernel reads one of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An array with as many elements as the result.
    Array,
    /// An array with one element for each row: [`Class::Rows`] only.
    Repeat,
    /// An array whose adjacent elements are along the other axis of a tile: [`Class::Tiled`] only.
    Crossed,
    /// One element in memory.
    Uniform,
    /// A scalar in the parameters, of the loop's dtype.
    Value,
}

/// Input of an elementwise kernel: its dtype in memory and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The dtype in memory; that of the loop for a value.
    pub dtype: DType,
    /// The mode in which it is read.
    pub mode: Mode,
}

/// Class of memory layouts that a kernel is compiled for. `wide`: 64-bit indices; `deep`: room for
/// [`DEEP_AXES`](crate::params::DEEP_AXES) axes, not [`SHALLOW_AXES`](crate::params::SHALLOW_AXES).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// All operands are contiguous: accesses of 16 bytes if the addresses are aligned, otherwise of whole warps.
    Flat,
    /// The rows of all operands are contiguous, or one element long, and aligned: accesses of 16 bytes.
    Rows {
        /// True for 64-bit indices.
        wide: bool,
    },
    /// Some inputs are contiguous along another axis than the results: they are transposed in tiles in shared memory.
    Tiled,
    /// Any strides; each thread has several elements in flight.
    Strided {
        /// True for 64-bit indices.
        wide: bool,
        /// True for more than [`SHALLOW_AXES`](crate::params::SHALLOW_AXES) axes.
        deep: bool,
    },
}

/// Key of the kernel `elementwise`, with the parameters [`ElementwiseParams`]: everything that its source depends on.
/// Small and `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Elementwise {
    /// The operation.
    pub op: UfuncId,
    /// The index of its loop.
    pub signature: u8,
    /// The inputs; those beyond the operation's own are ignored.
    pub ins: [Input; 3],
    /// The dtypes of the results in memory; those beyond the operation's own are ignored.
    pub outs: [DType; 2],
    /// The mode of the mask, if there is one: results are written where it is true.
    pub mask: Option<Mode>,
    /// The class of memory layouts.
    pub class: Class,
    /// True if only a flag is written, the one result of bool: it becomes false if any result is false.
    pub all: bool,
}

/// Operand in memory whose elements are visited one by one.
struct Moving {
    /// The variable that holds an element: `x0`, `m`, `y1`.
    name: String,
    /// The name of its type.
    typename: String,
    /// The variable of its address.
    pointer: String,
    /// Its index in the tables of strides.
    slot: usize,
    mode: Mode,
}

impl Moving {
    /// Returns the expression of the element `at` bytes from the address.
    fn element(&self, at: &str) -> String {
        let Moving { typename, pointer, .. } = self;
        format!("*({typename} *)((char *){pointer} + {at})")
    }
}

impl Elementwise {
    fn nin(&self) -> usize {
        self.op.record().nin
    }

    fn nout(&self) -> usize {
        self.op.record().nout
    }

    fn signature(&self) -> &'static Loop {
        &self.op.loops()[self.signature as usize]
    }

    /// Returns the kernel's name in messages: `add/float32,float32/flat`.
    pub fn name(&self) -> String {
        let ins: Vec<_> = self.ins[..self.nin()].iter().map(|i| i.dtype.name()).collect();
        let class = match self.class {
            Class::Flat => "flat",
            Class::Rows { .. } => "rows",
            Class::Tiled => "tiled",
            Class::Strided { .. } => "strided",
        };
        format!("{}/{}/{class}", self.op.record().name, ins.join(","))
    }

    fn frame(&self) -> Frame<'_> {
        Frame {
            ins: &self.ins[..self.nin()],
            outs: &self.outs[..self.nout()],
            mask: self.mask,
            class: self.class,
            all: self.all,
            heavy: self.op.record().heavy,
            several: false,
            pairs: false,
        }
    }

    /// Returns the number of elements that each thread handles.
    pub fn elements_per_thread(&self) -> usize {
        self.frame().elements_per_thread()
    }

    /// Returns the side of a tile.
    pub fn tile(&self) -> usize {
        self.frame().tile()
    }

    /// Returns the source of the kernel `elementwise`.
    pub fn source(&self) -> String {
        let signature = self.signature();
        let (nin, nout) = (self.nin(), self.nout());
        let dtypes = signature.ins[..nin].iter().chain(&signature.outs[..nout]).chain(&self.outs[..nout]).copied();
        let dtypes = dtypes.chain(self.ins[..nin].iter().map(|i| i.dtype));
        let record = self.op.record();
        let mut text = headers(dtypes, record.wide);
        text.push_str(record.text);
        if signature.ins[..nin].iter().any(|d| d.is_complex()) {
            text.push_str(record.complex_text);
        }
        let unit = self.frame().typed(Unit::new(text, "elementwise"));
        let mut text = String::new();
        self.write_apply(&mut text);
        self.frame().write_kernel(&mut text);
        self.with_params(|params| unit.params(params).with(&text).finish())
    }

    /// Calls `f` with the kernel's parameters without values, which declare its struct.
    pub fn with_params<T>(&self, f: impl FnOnce(&ElementwiseParams<'_, ()>) -> T) -> T {
        let ins = std::array::from_fn(|k| match self.ins[k].mode {
            Mode::Value => Some(ElementwiseInput::Value([0; 16])),
            _ => Some(ElementwiseInput::Pointer(())),
        });
        let slots = self.frame().slots();
        let strides = &[Strides::default(); SLOTS][..slots];
        let steps = &[[0; 2]; SLOTS][..slots];
        f(&ElementwiseParams { ins, walk: Walk { strides, steps, ..Walk::default() }, ..ElementwiseParams::new(self) })
    }

    /// Appends `apply`: from elements in memory to the elements of the results, casts included.
    fn write_apply(&self, text: &mut String) {
        let signature = self.signature();
        let wide = self.op.record().wide;
        let parameters: String = (0..self.nin()).map(|k| format!("in{k} x{k}, ")).collect();
        let results: String = (0..self.nout()).map(|k| format!(", out{k} &r{k}")).collect();
        let _ = writeln!(text, "DEVICE void apply({parameters}u64 index{results}) {{");
        write_operands(text, self.ins[..self.nin()].iter().map(|i| i.dtype), &signature.ins, wide);
        let expressions = if self.nout() == 1 {
            [signature.expr, ""]
        } else {
            let _ = writeln!(text, "  const auto both = {};", signature.expr);
            ["both.first", "both.second"]
        };
        for (k, expression) in expressions.into_iter().enumerate().take(self.nout()) {
            let out = signature.outs[k];
            let _ = writeln!(text, "  {} y{k} = {};", out.device_name(), narrow(out, wide, expression));
            let _ = writeln!(text, "  r{k} = {};", cast(out, self.outs[k], &format!("y{k}")));
        }
        text.push_str("}\n");
    }
}

/// Appends the operands of an expression, `a`, `b`, `c`, of the loop's dtypes, from the elements `x0`, `x1`, `x2` of
/// dtypes `from`.
fn write_operands(text: &mut String, from: impl Iterator<Item = DType>, ins: &[DType; 3], wide: bool) {
    for (k, ((from, &to), name)) in from.zip(ins).zip(["a", "b", "c"]).enumerate() {
        let _ = writeln!(
            text,
            "  {} loop{k} = {};\n  {} {name} = {};",
            to.device_name(),
            cast(from, to, &format!("x{k}")),
            compute_type(to, wide),
            widen(to, wide, &format!("loop{k}"))
        );
    }
}

impl Class {
    /// Returns the width of indices, and the number of axes that tables have room for.
    fn width(self) -> Width {
        match self {
            Class::Flat | Class::Tiled => Width::default(),
            Class::Rows { wide } => Width { wide, deep: false },
            Class::Strided { wide, deep } => Width { wide, deep },
        }
    }
}

/// The part of a kernel's key that the code around `apply` depends on: the layouts of the operands, whatever is
/// computed.
#[derive(Clone, Copy)]
struct Frame<'a> {
    ins: &'a [Input],
    outs: &'a [DType],
    mask: Option<Mode>,
    class: Class,
    all: bool,
    /// True if the device code of `apply` is long.
    heavy: bool,
    /// True if a vector is computed by `apply_vector`.
    several: bool,
    /// True if that function computes in pairs, which need no fewer elements where device code is long.
    pairs: bool,
}

impl Frame<'_> {
    fn elements_per_thread(&self) -> usize {
        match self.class {
            Class::Flat | Class::Rows { .. } => self.vector(),
            Class::Strided { .. } => self.in_flight(),
            Class::Tiled => self.tile() * self.tile() / ELEMENTWISE_THREADS,
        }
    }

    /// Returns true if the kernel moves vectors.
    fn has_vectors(&self) -> bool {
        matches!(self.class, Class::Flat | Class::Rows { .. })
    }

    /// Returns the number of elements of a vector: 16 bytes of the widest operand. One such access per thread, with
    /// many threads in flight, reaches full bandwidth.
    fn vector(&self) -> usize {
        let ins = self.ins.iter().filter(|i| matches!(i.mode, Mode::Array)).map(|i| i.dtype.size());
        let outs = self.outs.iter().map(|d| d.size());
        let elements = (16 / ins.chain(outs).max().unwrap_or(1)).max(1);
        if self.heavy && !self.pairs { elements.min(4) } else { elements }
    }

    /// Returns the number of elements that a thread of a kernel without vectors reads before it computes, to have them
    /// in flight together.
    fn in_flight(&self) -> usize {
        if self.heavy { 1 } else { 4 }
    }

    /// Returns true if as many threads as possible should be resident, for which a thread has 32 registers: its code is
    /// long, and the vectors that it reads and writes leave half of them for what it computes. The latency of its
    /// instructions is then hidden, whatever their order.
    fn fills_multiprocessor(&self) -> bool {
        let ins = self.ins.iter().filter(|i| matches!(i.mode, Mode::Array)).map(|i| i.dtype.size());
        let bytes: usize = ins.chain(self.outs.iter().map(|d| d.size())).sum::<usize>() * self.vector();
        self.several && self.has_vectors() && self.heavy && bytes <= 64
    }

    /// Returns the side of a tile: 32 elements, 64 of small ones, so that a thread has enough bytes in flight.
    fn tile(&self) -> usize {
        let crossed = self.ins.iter().filter(|i| i.mode == Mode::Crossed);
        if crossed.map(|i| i.dtype.size()).max().unwrap_or(4) < 4 && !self.heavy { 64 } else { 32 }
    }

    /// Adds typedefs for the operands in memory.
    fn typed(&self, mut unit: Unit) -> Unit {
        for (k, input) in self.ins.iter().enumerate() {
            unit = unit.typed(&format!("in{k}"), input.dtype.device_name());
        }
        for (k, out) in self.outs.iter().enumerate() {
            unit = unit.typed(&format!("out{k}"), out.device_name());
        }
        unit
    }

    /// Appends the kernel `elementwise`, to follow `apply`.
    fn write_kernel(&self, text: &mut String) {
        if self.all {
            text.push_str(DENY);
        }
        if matches!(self.class, Class::Flat | Class::Rows { .. }) {
            let _ = writeln!(text, "constexpr int V = {};\n{PACK}", self.vector());
        }
        if self.class == Class::Flat && self.some_are_written() {
            text.push_str(FETCH_EARLY);
        }
        match self.class {
            Class::Flat => self.write_flat(text),
            Class::Rows { wide } => self.write_rows(text, wide),
            Class::Tiled => self.write_tiled(text),
            Class::Strided { wide, .. } => self.write_strided(text, wide),
        }
    }

    fn nin(&self) -> usize {
        self.ins.len()
    }

    fn nout(&self) -> usize {
        self.outs.len()
    }

    /// Appends the beginning of the kernel, which reads the values common to all elements.
    fn write_head(&self, text: &mut String) {
        let resident = if self.fills_multiprocessor() { ", 8" } else { "" };
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__(256{resident}) elementwise(const __grid_constant__ params p) {{"
        );
        for k in 0..self.nin() {
            let value = match self.ins[k].mode {
                Mode::Uniform => format!("*p.p{k}"),
                Mode::Value => format!("p.v{k}.value"),
                _ => continue,
            };
            let _ = writeln!(text, "  const in{k} u{k} = {value};");
        }
    }

    /// Returns the inputs in memory and the mask.
    fn sources(&self) -> Vec<Moving> {
        let nin = self.nin();
        let input = |k: usize| Moving {
            name: format!("x{k}"),
            typename: format!("in{k}"),
            pointer: format!("p.p{k}"),
            slot: k,
            mode: self.ins[k].mode,
        };
        let moves = |k: &usize| !matches!(self.ins[*k].mode, Mode::Uniform | Mode::Value);
        let mask = self.mask.map(|mode| Moving {
            name: "m".into(),
            typename: "bool".into(),
            pointer: "p.mask".into(),
            slot: nin,
            mode,
        });
        (0..nin).filter(moves).map(input).chain(mask).collect()
    }

    /// Returns the results.
    fn results(&self) -> Vec<Moving> {
        let first = self.nin() + usize::from(self.mask.is_some());
        let result = |k: usize| Moving {
            name: format!("y{k}"),
            typename: format!("out{k}"),
            pointer: format!("p.q{k}"),
            slot: first + k,
            mode: Mode::Array,
        };
        (0..self.nout()).map(result).collect()
    }

    /// Returns the number of entries of a table of strides.
    fn slots(&self) -> usize {
        self.nin() + usize::from(self.mask.is_some()) + self.nout()
    }

    /// Returns the call of a function such as `apply`, given the expression of an element of input `k` in memory, and
    /// of result `k`.
    fn call(
        &self,
        function: &str,
        input: impl Fn(usize) -> String,
        index: &str,
        result: impl Fn(usize) -> String,
    ) -> String {
        let moving = |k: usize| !matches!(self.ins[k].mode, Mode::Uniform | Mode::Value);
        let ins: String = (0..self.nin()).map(|k| if moving(k) { input(k) } else { format!("u{k}") } + ", ").collect();
        let outs: String = (0..self.nout()).map(|k| format!(", {}", result(k))).collect();
        format!("{function}({ins}{index}{outs});")
    }

    /// Appends code that reads `count` elements of each operand, then computes and writes them. Element `j` has the
    /// index `i`, exists if `exists` is true, and is located at `pointer`.
    fn write_batch(
        &self,
        text: &mut String,
        count: usize,
        index: &str,
        exists: &str,
        pointer: impl Fn(&Moving) -> String,
    ) {
        let sources = self.sources();
        for s in &sources {
            let _ = writeln!(text, "    {} {}[{count}];", s.typename, s.name);
        }
        let each = format!("#pragma unroll\n    for (int j = 0; j < {count}; ++j) {{\n      const u64 i = {index};\n");
        if !sources.is_empty() {
            let reads: String = sources.iter().map(|s| format!(" {}[j] = {};", s.name, pointer(s))).collect();
            let _ = writeln!(text, "{each}      if ({exists}) {{{reads} }}\n    }}");
        }
        if self.class == Class::Flat && self.some_are_written() {
            // A partially written sector is read before it is written back: the read is issued early, to overlap with
            // other work.
            let _ = writeln!(text, "    if (whole) {{\n{each}      const u32 votes = __ballot_sync(~0u, m[j]);");
            for r in &self.results() {
                let _ = writeln!(text, "      fetch_early(votes, {} + i);", r.pointer);
            }
            text.push_str("    }\n    }\n");
        }
        let masked = if self.mask.is_some() { " && m[j]" } else { "" };
        let call = self.call("apply", |k| format!("x{k}[j]"), "i", |k| format!("y{k}"));
        let results = self.results();
        let declared: String = results.iter().map(|r| format!(" {} {};", r.typename, r.name)).collect();
        let writes: String = if self.all {
            " if (!y0) deny(p.q0);".into()
        } else {
            results.iter().map(|r| format!(" {} = {};", pointer(r), r.name)).collect()
        };
        let _ = writeln!(text, "{each}      if (({exists}){masked}) {{{declared} {call}{writes} }}\n    }}");
    }
}

/// V elements that are moved as 16-byte words, or as one smaller word.
const PACK: &str = "\
template <int BYTES> struct word_of { typedef uint4 type; };
template <> struct word_of<1> { typedef u8 type; };
template <> struct word_of<2> { typedef u16 type; };
template <> struct word_of<4> { typedef u32 type; };
template <> struct word_of<8> { typedef u64 type; };
template <class T, int N> struct pack {
  typedef typename word_of<(sizeof(T) * N > 16 ? 16 : sizeof(T) * N)>::type word;
  enum { WORDS = sizeof(T) * N / sizeof(word) };
  T v[N];
  DEVICE void load(const T *p) {
    word w[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) w[i] = ((const word *)p)[i];
    memcpy(v, w, sizeof(v));
  }
  DEVICE void store(T *p) const {
    word w[WORDS];
    memcpy(w, v, sizeof(v));
#pragma unroll
    for (int i = 0; i < WORDS; ++i) ((word *)p)[i] = w[i];
  }
};
";

/// Prefetches a partially written sector, where lanes of a warp have adjacent elements, of which `votes` are written.
const FETCH_EARLY: &str = "\
template <class T> DEVICE void fetch_early(u32 votes, const T *at) {
  constexpr u32 LANES = 32 / sizeof(T), ALL = LANES == 32 ? ~0u : (1u << (LANES & 31)) - 1;
  const u32 lane = threadIdx.x & 31, own = votes >> (lane & ~(LANES - 1)) & ALL;
  if ((lane & (LANES - 1)) == 0 && own != 0 && own != ALL) asm volatile(\"prefetch.global.L2 [%0];\" ::\"l\"(at));
}
";

/// All threads that write the flag write the same value; the lanes of a warp do so in one transaction.
const DENY: &str = "DEVICE void deny(bool *flag) { *(volatile bool *)flag = false; }\n";

impl Frame<'_> {
    /// Returns true if a mask selects the results that are written.
    fn some_are_written(&self) -> bool {
        self.mask == Some(Mode::Array) && !self.all
    }

    /// Appends code that computes a vector of elements at `pointer` and writes those that the mask selects.
    fn write_vector(&self, text: &mut String, index: &str, pointer: impl Fn(&Moving) -> String) {
        for s in self.sources() {
            let Moving { name, typename, mode, .. } = &s;
            let at = pointer(&s);
            let _ = match mode {
                Mode::Array => writeln!(text, "    pack<{typename}, V> {name};\n    {name}.load({at});"),
                _ => writeln!(text, "    const {typename} {name} = *({at});"),
            };
        }
        let results = self.results();
        if self.some_are_written() {
            // A partially written sector is read before it is written back: the read is issued early, to overlap with
            // other work.
            text.push_str(
                "    bool whole = true, some = false;\n#pragma unroll\n    for (int j = 0; j < V; ++j) {\n      whole &= \
                 m.v[j];\n      some |= m.v[j];\n    }\n    if (some && !whole) {\n",
            );
            for r in &results {
                let _ = writeln!(
                    text,
                    "#pragma unroll\n      for (int b = 0; b < V * (int)sizeof({}); b += 32) asm \
                     volatile(\"prefetch.global.L2 [%0];\" ::\"l\"((const char *)({}) + b));",
                    r.typename,
                    pointer(r)
                );
            }
            text.push_str("    }\n");
        }
        for r in &results {
            let _ = writeln!(text, "    pack<{}, V> {};", r.typename, r.name);
        }
        let input = |k: usize| if self.ins[k].mode == Mode::Array { format!("x{k}.v[j]") } else { format!("x{k}") };
        if self.several {
            let input = |k: usize| if self.ins[k].mode == Mode::Array { format!("x{k}.v") } else { format!("x{k}") };
            let call = self.call("apply_vector<V>", input, index, |k| format!("y{k}.v"));
            let _ = writeln!(text, "    {call}");
        } else {
            let call = self.call("apply", input, &format!("{index} + j"), |k| format!("y{k}.v[j]"));
            let _ = writeln!(text, "#pragma unroll\n    for (int j = 0; j < V; ++j) {call}");
        }
        if self.all {
            text.push_str(
                "    bool whole = true;\n#pragma unroll\n    for (int j = 0; j < V; ++j) whole &= y0.v[j];\n    \
                 if (!whole) deny(p.q0);\n",
            );
            return;
        }
        let singles: String = results.iter().map(|r| format!(" ({})[j] = {}.v[j];", pointer(r), r.name)).collect();
        match self.mask {
            None => {}
            Some(Mode::Array) => {
                let _ = writeln!(
                    text,
                    "    if (!whole) {{\n#pragma unroll\n      for (int j = 0; j < V; ++j) if (m.v[j]) {{{singles} }}\n      \
                     return;\n    }}"
                );
            }
            Some(_) => text.push_str("    if (!m) return;\n"),
        }
        for r in &results {
            let _ = writeln!(text, "    {}.store({});", r.name, pointer(r));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_headers_it_needs_and_no_others() {
        let op = UfuncId::named("add").unwrap();
        let signature = op.loops().iter().position(|l| l.out() == DType::F32).unwrap() as u8;
        let input = |dtype| Input { dtype, mode: Mode::Array };
        let mut key = Elementwise {
            op,
            signature,
            ins: [input(DType::F32); 3],
            outs: [DType::F32; 2],
            mask: None,
            class: Class::Strided { wide: false, deep: false },
            all: false,
        };
        assert!(!key.source().contains("struct f16"));
        key.ins[1] = input(DType::F16);
        assert!(key.source().contains("struct f16"));
        assert!(!key.source().contains("struct complex"));
    }
}
