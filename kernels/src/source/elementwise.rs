//! The source text of elementwise kernels.

use std::fmt::Write;

use super::{DEEP_AXES, SHALLOW_AXES, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::registry::{Loop, UfuncId};

/// Bytes that each input takes in the parameters: an address, or a value of any dtype.
pub const VALUE_BYTES: usize = 16;

/// How a kernel reads one of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An array with as many elements as the result.
    Array,
    /// One element in memory.
    Uniform,
    /// A value in the parameters, of the loop's dtype.
    Value,
}

/// One input of an elementwise kernel: how it is read, and its dtype in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The dtype in memory; that of the loop for a value.
    pub dtype: DType,
    /// How it is read.
    pub mode: Mode,
}

/// How a kernel finds its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Everything is contiguous: 16-byte accesses.
    Flat,
    /// Any strides; `wide`: 64-bit indices, `deep`: more than [`SHALLOW_AXES`] axes.
    Strided {
        /// 64-bit indices.
        wide: bool,
        /// Room for [`DEEP_AXES`] axes.
        deep: bool,
    },
}

/// All that decides an elementwise kernel's text: small, `Copy`, the key of the kernel.
///
/// # Parameters of the kernel `elementwise`
///
/// One packed buffer of 64-bit words: the number of elements, a word (flat: whether every address is a multiple of 16;
/// strided: the number of axes), the address of the result, a word unused, and [`VALUE_BYTES`] for each input. Strided
/// kernels go on with the dividers of the axes' sizes (three words of 32 or 64 bits each) and the byte strides of the
/// inputs and of the result, each for [`SHALLOW_AXES`] or [`DEEP_AXES`] axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Elementwise {
    /// The operation.
    pub op: UfuncId,
    /// The index of its loop.
    pub signature: u8,
    /// The inputs; those past the operation's own are not looked at.
    pub ins: [Input; 3],
    /// The dtype of the result in memory.
    pub out: DType,
    /// How the elements are found.
    pub class: Class,
}

impl Elementwise {
    fn nin(&self) -> usize {
        self.op.record().nin
    }

    fn signature(&self) -> &'static Loop {
        &self.op.loops()[self.signature as usize]
    }

    /// The kernel's name in messages: `add/float32,float32/flat`.
    pub fn name(&self) -> String {
        let ins: Vec<_> = self.ins[..self.nin()].iter().map(|i| i.dtype.name()).collect();
        let class = match self.class {
            Class::Flat => "flat",
            Class::Strided { .. } => "strided",
        };
        format!("{}/{}/{class}", self.op.record().name, ins.join(","))
    }

    /// Elements that each thread of a flat kernel handles.
    pub fn elements_per_thread(&self) -> usize {
        if self.class != Class::Flat {
            return 1;
        }
        let arrays = self.ins[..self.nin()].iter().filter(|i| i.mode == Mode::Array).map(|i| i.dtype.size());
        let largest = arrays.chain([self.out.size()]).max().unwrap_or(1);
        // 16 bytes of the widest operand: one access of it a thread, which many threads in flight turn into full speed.
        let elements = (16 / largest).max(1);
        if self.op.record().heavy { elements.min(4) } else { elements }
    }

    /// The text of the kernel `elementwise`.
    pub fn source(&self) -> String {
        let signature = self.signature();
        let record = self.op.record();
        let nin = self.nin();
        let dtypes = signature.ins[..nin].iter().copied().chain(self.ins[..nin].iter().map(|i| i.dtype));
        let mut text = headers(dtypes.chain([signature.out, self.out]), record.wide);
        text.extend(record.include.iter().copied());
        for (k, input) in self.ins[..nin].iter().enumerate() {
            let _ = writeln!(text, "typedef {} in{k};", input.dtype.device_name());
        }
        let _ = writeln!(text, "typedef {} result;", self.out.device_name());
        self.write_apply(&mut text);
        match self.class {
            Class::Flat => self.write_flat(&mut text),
            Class::Strided { wide, deep } => self.write_strided(&mut text, wide, deep),
        }
        text
    }

    /// `apply`: from elements in memory to the element of the result, casts included.
    fn write_apply(&self, text: &mut String) {
        let signature = self.signature();
        let wide = self.op.record().wide;
        let parameters: Vec<_> = (0..self.nin()).map(|k| format!("in{k} x{k}")).collect();
        let _ = writeln!(text, "DEVICE result apply({}, u64 index) {{", parameters.join(", "));
        for (k, name) in ["a", "b", "c"].iter().enumerate().take(self.nin()) {
            let (from, to) = (self.ins[k].dtype, signature.ins[k]);
            let _ = writeln!(
                text,
                "  {} loop{k} = {};\n  {} {name} = {};",
                to.device_name(),
                cast(from, to, &format!("x{k}")),
                compute_type(to, wide),
                widen(to, wide, &format!("loop{k}"))
            );
        }
        let out = signature.out;
        let _ = writeln!(text, "  {} y = {};", out.device_name(), narrow(out, wide, signature.expr));
        let _ = writeln!(text, "  return {};\n}}", cast(out, self.out, "y"));
    }

    /// The parameters of input `k`, and the statement that reads an input which is the same for all elements.
    fn write_input_fields(&self, text: &mut String) {
        for k in 0..self.nin() {
            let field = match self.ins[k].mode {
                Mode::Array | Mode::Uniform => format!("const in{k} *p{k}; u64 pad{k};"),
                Mode::Value => format!("union {{ in{k} v{k}; u64 words{k}[2]; }};"),
            };
            let _ = writeln!(text, "  {field}");
        }
    }

    fn write_uniform_reads(&self, text: &mut String) {
        for k in 0..self.nin() {
            match self.ins[k].mode {
                Mode::Array => {}
                Mode::Uniform => {
                    let _ = writeln!(text, "  const in{k} u{k} = *p.p{k};");
                }
                Mode::Value => {
                    let _ = writeln!(text, "  const in{k} u{k} = p.v{k};");
                }
            }
        }
    }

    /// The arguments of `apply` for one element; `array` says how an array's element is written.
    fn arguments(&self, array: impl Fn(usize) -> String, index: &str) -> String {
        let mut arguments: Vec<_> =
            (0..self.nin()).map(|k| if self.ins[k].mode == Mode::Array { array(k) } else { format!("u{k}") }).collect();
        arguments.push(index.into());
        arguments.join(", ")
    }

    fn write_flat(&self, text: &mut String) {
        let v = self.elements_per_thread();
        let arrays = || (0..self.nin()).filter(|&k| self.ins[k].mode == Mode::Array);
        text.push_str(PACK);
        text.push_str("struct params {\n  u64 n, aligned;\n  result *out;\n  u64 unused;\n");
        self.write_input_fields(text);
        let _ = writeln!(text, "}};\n#define V {v}");
        text.push_str(
            "extern \"C\" __global__ void __launch_bounds__(256) elementwise(const __grid_constant__ params p) {\n  \
             const u64 first = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * V;\n  if (first >= p.n) return;\n",
        );
        self.write_uniform_reads(text);
        text.push_str("  if (p.aligned && first + V <= p.n) {\n");
        for k in arrays() {
            let _ = writeln!(text, "    pack<in{k}, V> x{k};\n    x{k}.load(p.p{k} + first);");
        }
        let packed = self.arguments(|k| format!("x{k}.v[j]"), "first + j");
        let _ = writeln!(
            text,
            "    pack<result, V> y;\n#pragma unroll\n    for (int j = 0; j < V; ++j) y.v[j] = apply({packed});\n    \
             y.store(p.out + first);\n    return;\n  }}"
        );
        let single = self.arguments(|k| format!("p.p{k}[i]"), "i");
        let _ = writeln!(
            text,
            "#pragma unroll 1\n  for (u64 i = first; i < p.n && i < first + V; ++i) p.out[i] = apply({single});\n}}"
        );
    }

    fn write_strided(&self, text: &mut String, wide: bool, deep: bool) {
        let axes = if deep { DEEP_AXES } else { SHALLOW_AXES };
        let (index, divider) = if wide { ("u64", "divider64") } else { ("u32", "divider32") };
        text.push_str("struct params {\n  u64 n, axes;\n  result *out;\n  u64 unused;\n");
        self.write_input_fields(text);
        let nin = self.nin();
        let _ = writeln!(text, "  {divider} size[{axes}];\n  i64 stride[{}][{axes}];\n}};", nin + 1);
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__(256) elementwise(const __grid_constant__ params p) {{\n  \
             const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;\n  if (first >= p.n) return;"
        );
        self.write_uniform_reads(text);
        let operands: Vec<_> = (0..nin).filter(|&k| self.ins[k].mode == Mode::Array).chain([nin]).collect();
        for k in &operands {
            let _ = writeln!(text, "  i64 at{k} = 0;");
        }
        let _ = writeln!(
            text,
            "  {index} rest = ({index})first;\n  for (u32 d = (u32)p.axes; d > 1; --d) {{\n    const {index} q = \
             divide(rest, p.size[d - 1]);\n    const i64 r = (i64)(rest - q * ({index})p.size[d - 1].divisor);"
        );
        for k in &operands {
            let _ = writeln!(text, "    at{k} += r * p.stride[{k}][d - 1];");
        }
        text.push_str("    rest = q;\n  }\n");
        for k in &operands {
            let _ = writeln!(text, "  at{k} += (i64)rest * p.stride[{k}][0];");
        }
        let element = self.arguments(|k| format!("*(const in{k} *)((const char *)p.p{k} + at{k})"), "first");
        let _ = writeln!(text, "  *(result *)((char *)p.out + at{nin}) = apply({element});\n}}");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_headers_it_needs_and_no_others() {
        let op = UfuncId::named("add").unwrap();
        let signature = op.loops().iter().position(|l| l.out == DType::F32).unwrap() as u8;
        let input = |dtype| Input { dtype, mode: Mode::Array };
        let mut key = Elementwise {
            op,
            signature,
            ins: [input(DType::F32); 3],
            out: DType::F32,
            class: Class::Strided { wide: false, deep: false },
        };
        assert!(!key.source().contains("struct f16"));
        key.ins[1] = input(DType::F16);
        assert!(key.source().contains("struct f16"));
        assert!(!key.source().contains("struct complex"));
    }
}
