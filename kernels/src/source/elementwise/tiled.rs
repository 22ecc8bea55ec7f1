//! Tiled elementwise kernels: some inputs are contiguous along another axis ("down") than the results ("across").
//!
//! A block reads a square tile of each such input along the axis on which it is contiguous, and transposes it in shared
//! memory.

use std::fmt::Write;

use super::{ELEMENTWISE_THREADS, Frame, Mode, Moving};

impl Frame<'_> {
    pub(super) fn write_tiled(&self, text: &mut String) {
        let tile = self.tile();
        let lines = ELEMENTWISE_THREADS / tile;
        let count = tile / lines;
        self.write_head(text);
        let crossed: Vec<Moving> = self.sources().into_iter().filter(|s| s.mode == Mode::Crossed).collect();
        for s in &crossed {
            // One element of padding per row, so that the threads of a warp access different banks when they read a
            // column.
            let _ = writeln!(text, "  __shared__ {} tile{}[{tile}][{tile} + 1];", s.typename, s.slot);
        }
        let _ = writeln!(
            text,
            "  const u32 lane = threadIdx.x % {tile}, line = threadIdx.x / {tile};\n  \
             u32 rest = blockIdx.x, q = divide(rest, p.tiles[0]);\n  \
             const u64 first_across = (u64)(rest - q * (u32)p.tiles[0].divisor) * {tile};\n  \
             rest = q, q = divide(rest, p.tiles[1]);\n  \
             const u64 first_down = (u64)(rest - q * (u32)p.tiles[1].divisor) * {tile};\n  rest = q;"
        );
        let operands: Vec<Moving> = self.sources().into_iter().chain(self.results()).collect();
        for o in &operands {
            let _ = writeln!(text, "  i64 at{} = 0;", o.slot);
        }
        let moves: String = operands.iter().map(|o| format!(" at{0} += r * p.stride[{0}][d - 1];", o.slot)).collect();
        let _ = writeln!(
            text,
            "#pragma unroll 1\n  for (u32 d = (u32)p.word; d > 0; --d) {{\n    \
             q = divide(rest, p.size[d - 1]);\n    \
             const i64 r = (i64)(rest - q * (u32)p.size[d - 1].divisor);\n   {moves}\n    rest = q;\n  }}"
        );
        let reads: String = crossed
            .iter()
            .map(|s| {
                let at = format!("at{0} + (i64)x * p.step[{0}][0] + (i64)y * p.step[{0}][1]", s.slot);
                format!(" tile{}[line + {lines} * j][lane] = {};", s.slot, s.element(&at))
            })
            .collect();
        let _ = writeln!(
            text,
            "#pragma unroll\n  for (int j = 0; j < {count}; ++j) {{\n    \
             const u64 x = first_across + line + {lines} * j, y = first_down + lane;\n    \
             if (x < p.across && y < p.down) {{{reads} }}\n  }}\n  __syncthreads();\n  {{\n    \
             const u64 x = first_across + lane;"
        );
        let pointer = |o: &Moving| match o.mode {
            Mode::Crossed => format!("tile{}[lane][line + {lines} * j]", o.slot),
            _ => o.element(&format!("at{0} + (i64)x * p.step[{0}][0] + (i64)i * p.step[{0}][1]", o.slot)),
        };
        let index = format!("first_down + line + {lines} * j");
        self.write_batch(text, count, &index, "x < p.across && i < p.down", pointer);
        text.push_str("  }\n}\n");
    }
}
