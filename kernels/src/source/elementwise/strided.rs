//! Elementwise kernels over operands with any strides.
//!
//! Axes are traversed from the fastest, which is the last. Adjacent threads have adjacent elements, and a thread has
//! several, a block apart.

use std::fmt::Write;

use super::{Frame, Moving, Width};

impl Frame<'_> {
    pub(super) fn write_strided(&self, text: &mut String, wide: bool) {
        let index = Width { wide, deep: false }.index();
        let count = self.in_flight();
        self.write_head(text);
        let operands: Vec<Moving> = self.sources().into_iter().chain(self.results()).collect();
        let _ = writeln!(
            text,
            "  const u64 first = (u64)blockIdx.x * blockDim.x * {count} + threadIdx.x;\n  {index} rest[{count}];"
        );
        for o in &operands {
            let _ = writeln!(text, "  i64 at{}[{count}];", o.slot);
        }
        let each = format!("#pragma unroll\n    for (int j = 0; j < {count}; ++j) {{\n");
        let zeros: String = operands.iter().map(|o| format!(" at{}[j] = 0;", o.slot)).collect();
        let _ = writeln!(text, "{each}      rest[j] = ({index})(first + j * blockDim.x);{zeros}\n    }}");
        let moves: String =
            operands.iter().map(|o| format!(" at{0}[j] += r * p.stride[{0}][d - 1];", o.slot)).collect();
        let _ = writeln!(
            text,
            "#pragma unroll 1\n  for (u32 d = (u32)p.word; d > 1; --d) {{\n{each}      \
             const {index} q = divide(rest[j], p.size[d - 1]);\n      \
             const i64 r = (i64)(rest[j] - q * ({index})p.size[d - 1].divisor);\n     {moves}\n      \
             rest[j] = q;\n    }}\n  }}"
        );
        let last: String =
            operands.iter().map(|o| format!(" at{0}[j] += (i64)rest[j] * p.stride[{0}][0];", o.slot)).collect();
        let _ = writeln!(text, "{each}     {last}\n    }}");
        let pointer = |o: &Moving| o.element(&format!("at{}[j]", o.slot));
        self.write_batch(text, count, "first + j * blockDim.x", "i < p.n", pointer);
        text.push_str("}\n");
    }
}
