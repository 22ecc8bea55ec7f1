//! Elementwise kernels over contiguous operands.
//!
//! A block whose elements all exist and are aligned moves them as vectors. Any other block (the last one, and every
//! block if an address is not aligned) moves single elements: adjacent threads move adjacent elements, and each thread
//! has several in flight.
//!
//! Under a mask no block moves vectors: a thread would write the selected elements of its vector one by one, and
//! adjacent threads would write each sector four times over. With single elements the threads of a warp write each
//! sector once.

use std::fmt::Write;

use super::Frame;

impl Frame<'_> {
    pub(super) fn write_flat(&self, text: &mut String) {
        self.write_head(text);
        text.push_str("  const u64 start = (u64)blockIdx.x * blockDim.x * V;\n");
        if self.some_are_written() {
            text.push_str("  const bool whole = start + (u64)blockDim.x * V <= p.n;\n");
            self.write_singles(text);
            return;
        }
        text.push_str(
            "  if (p.word && start + (u64)blockDim.x * V <= p.n) {\n    const u64 first = start + threadIdx.x * V;\n",
        );
        self.write_vector(text, "first", |o| format!("{} + first", o.pointer));
        text.push_str("    return;\n  }\n");
        self.write_singles(text);
    }

    fn write_singles(&self, text: &mut String) {
        let vector = self.vector();
        let count = self.in_flight().min(vector);
        let _ = writeln!(
            text,
            "#pragma unroll 1\n  for (u32 k = 0; k < V; k += {count}) {{\n    \
             const u64 first = start + k * blockDim.x + threadIdx.x;\n    if (first >= p.n) return;"
        );
        self.write_batch(text, count, "first + j * blockDim.x", "i < p.n", |o| format!("{}[i]", o.pointer));
        text.push_str("  }\n}\n");
    }
}
