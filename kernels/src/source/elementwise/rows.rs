//! Elementwise kernels over rows: along the fastest axis every operand is contiguous or has stride 0, and each row
//! begins aligned.
//!
//! A thread has one vector.

use std::fmt::Write;

use super::{Frame, Mode, Moving, Width};

impl Frame<'_> {
    pub(super) fn write_rows(&self, text: &mut String, wide: bool) {
        let index = Width { wide, deep: false }.index();
        self.write_head(text);
        let _ = writeln!(
            text,
            "  const u64 v = (u64)blockIdx.x * blockDim.x + threadIdx.x;\n  if (v >= p.n) return;\n  \
             {index} rest = divide(({index})v, p.row);\n  \
             const u64 column = (u64)(({index})v - rest * ({index})p.row.divisor) * V;"
        );
        let operands: Vec<Moving> = self.sources().into_iter().chain(self.results()).collect();
        for o in &operands {
            let _ = match o.mode {
                Mode::Repeat => writeln!(text, "  i64 at{} = 0;", o.slot),
                _ => writeln!(text, "  i64 at{} = (i64)(column * sizeof({}));", o.slot, o.typename),
            };
        }
        let moves: String = operands.iter().map(|o| format!(" at{0} += r * p.stride[{0}][d - 1];", o.slot)).collect();
        let _ = writeln!(
            text,
            "#pragma unroll 1\n  for (u32 d = (u32)p.word; d > 1; --d) {{\n    \
             const {index} q = divide(rest, p.size[d - 1]);\n    \
             const i64 r = (i64)(rest - q * ({index})p.size[d - 1].divisor);\n   {moves}\n    rest = q;\n  }}"
        );
        for o in &operands {
            let _ = writeln!(
                text,
                "  at{0} += (i64)rest * p.stride[{0}][0];\n  {1} *const row{0} = ({1} *)((char *){2} + at{0});",
                o.slot, o.typename, o.pointer
            );
        }
        text.push_str("  if (column + V <= p.length) {\n");
        self.write_vector(text, "column", |o| format!("row{}", o.slot));
        let pointer = |o: &Moving| match o.mode {
            Mode::Repeat => format!("*row{}", o.slot),
            _ => format!("row{}[i]", o.slot),
        };
        text.push_str("    return;\n  }\n#pragma unroll 1\n  for (u64 k = 0; k < p.length - column; ++k) {\n");
        self.write_batch(text, 1, "k", "true", pointer);
        text.push_str("  }\n}\n");
    }
}
