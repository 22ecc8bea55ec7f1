//! Kernels that run forms: CUDA C++ around the PTX.

use std::fmt::Write;

use super::form::{Cell, Form, Kind};

/// Threads of a block.
pub(super) const BLOCK: u32 = 64;

const OPERANDS: [&str; 5] = ["a", "b", "c", "x", "y"];
const RESULTS: [&str; 3] = ["d", "e", "g"];

/// Returns the name of the kernel of the `i`th form of a source.
pub(super) fn name(i: usize) -> String {
    format!("form{i}")
}

/// Returns the source of a module with a kernel for each form.
pub(super) fn text(forms: &[&Form]) -> String {
    let mut out = String::from("typedef unsigned long long u64;\n");
    for (i, form) in forms.iter().enumerate() {
        kernel(&mut out, &name(i), form);
    }
    out
}

/// Writes a kernel that reads operand `k` of tuple `i` at `in[k * n + i]` and writes result `k` at `out[k * n + i]`;
/// the memory cells follow the results.
fn kernel(out: &mut String, name: &str, form: &Form) {
    let results = form.results.len();
    let mut asm = String::from("{ ");
    let registers = form.results.iter().zip(RESULTS).chain(form.operands.iter().zip(OPERANDS));
    for (kind, register) in registers {
        let _ = write!(asm, ".reg {} {register}; ", kind.register());
    }
    asm += form.declare;
    for (k, (kind, register)) in form.operands.iter().zip(OPERANDS).enumerate() {
        let from = results + k;
        let _ = match kind.bits() {
            1 => write!(asm, "setp.ne.u64 {register}, %{from}, 0; "),
            64 => write!(asm, "mov.b64 {register}, %{from}; "),
            bits => write!(asm, "cvt.u{bits}.u64 {register}, %{from}; "),
        };
    }
    let address = results + form.operands.len();
    match form.cell {
        Cell::None => {}
        Cell::Global => {
            let _ = write!(asm, ".reg .b64 m; mov.b64 m, %{address}; ");
        }
        Cell::Shared | Cell::Common => {
            let _ = write!(asm, ".reg .b32 m; cvt.u32.u64 m, %{address}; ");
        }
    }
    if form.divides_integers() {
        // The result of a division by zero is unspecified in PTX, and the simulator rejects it; GPUs return all ones.
        let bits = form.results[0].bits();
        let _ = write!(asm, ".reg .pred z; setp.ne.u{bits} z, b, 0; mov.b{bits} d, -1; @z ");
    }
    asm += &form.body.replace('%', "%%");
    for (k, (kind, register)) in form.results.iter().zip(RESULTS).enumerate() {
        let _ = match kind.bits() {
            1 => write!(asm, " selp.u64 %{k}, 1, 0, {register};"),
            64 => write!(asm, " mov.b64 %{k}, {register};"),
            bits => write!(asm, " cvt.u64.u{bits} %{k}, {register};"),
        };
    }
    asm += " }";
    let _ = writeln!(out, "extern \"C\" __global__ void {name}(const u64 *in, u64 *out, unsigned n) {{");
    out.push_str("  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; (void)lane;\n");
    let address = match form.cell {
        Cell::None => None,
        Cell::Global => Some(format!("\"l\"(out + {results} * n + i)")),
        Cell::Shared | Cell::Common => {
            let _ = writeln!(
                out,
                "  __shared__ u64 cells[{BLOCK}]; cells[threadIdx.x] = 0x0123456789abcdefull; __syncthreads();"
            );
            let at = if form.cell == Cell::Shared { "cells + threadIdx.x" } else { "cells" };
            Some(format!("\"l\"(__cvta_generic_to_shared({at}))"))
        }
    };
    for k in 0..results {
        let _ = writeln!(out, "  u64 r{k} = 0;");
    }
    let outputs: Vec<String> = (0..results).map(|k| format!("\"=l\"(r{k})")).collect();
    let inputs: Vec<String> =
        (0..form.operands.len()).map(|k| format!("\"l\"(in[{k} * n + i])")).chain(address).collect();
    if !form.when.is_empty() {
        let _ = write!(out, "  if ({})", form.when);
    }
    let _ = writeln!(out, "  asm volatile(\"{asm}\" : {} : {} : \"memory\");", outputs.join(", "), inputs.join(", "));
    for k in 0..results {
        let _ = writeln!(out, "  out[{k} * n + i] = r{k};");
    }
    out.push_str("}\n");
}

/// Returns the number of words after the results that hold memory cells.
pub(super) fn cell_words(form: &Form, tuples: usize) -> usize {
    if form.cell == Cell::Global { tuples } else { 0 }
}

/// Returns the bytes of a result in a recording.
pub(super) fn narrow(kind: Kind, word: u64) -> impl Iterator<Item = u8> {
    word.to_le_bytes().into_iter().take(kind.bytes())
}
