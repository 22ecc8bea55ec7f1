//! Row-wise fusion: elementwise calls and reductions along rows in one kernel, whose threads hold their rows in
//! registers.
//!
//! A reduction combines its elements in the order of the kernel that would reduce an array of them, and every step
//! rounds to its dtype, so that the results are identical to the bit.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::elementwise::{
    INS, OUTS, PARAMETERS, POINTERS, RESULTS, VALUES, headers_of, several, write_several, write_step,
    write_step_operands,
};
use super::{
    ElementwiseInput, FUSED_INPUTS, FUSED_RESULTS, QUOTIENTS, READING, ReductionClass, ReductionSource, Unit, Width,
    body,
};
use crate::DType;
use crate::params::{Field, Fields, Parameters, Read, Sizes, Strides, Value, Written};
use crate::registry::{ReductionId, ReductionLoop, UfuncId};

/// Maximum number of reductions of a program.
pub const ROWS_REDUCTIONS: usize = 4;

/// Maximum number of bytes of a row that a thread holds between reductions.
pub const ROWS_HELD: usize = 256;

const DDOFS: [&str; ROWS_REDUCTIONS] = ["ddof0", "ddof1", "ddof2", "ddof3"];

/// Source of a node's operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOperand {
    /// An input of the program.
    Input(u8),
    /// The value of an earlier node.
    Node(u8),
}

/// Operation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowCall {
    /// A loop of a function with one result, with as many operands as it takes.
    Step {
        /// The function.
        op: UfuncId,
        /// The index of its loop.
        signature: u8,
        /// Its operands; those beyond the function's own are ignored.
        from: [RowOperand; 3],
    },
    /// A reduction of the elements of a row.
    Reduce {
        /// The reduction.
        op: ReductionId,
        /// The dtype that was requested.
        result_dtype: Option<DType>,
        /// The operand, which has an element at each position of the row.
        from: RowOperand,
    },
}

/// Node of a row program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowNode {
    /// The operation.
    pub call: RowCall,
    /// True if the node has a value for each element of a row, false if it has one value for the row.
    pub wide: bool,
}

/// Program that is computed for each row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowProgram {
    /// The nodes in topological order.
    pub nodes: Vec<RowNode>,
    /// The dtypes of the inputs in memory; for a scalar, the dtype of the loop that takes it.
    pub ins: Vec<DType>,
    /// The nodes whose values are written.
    pub outs: Vec<u8>,
}

/// Assignment of nodes to phases. A phase ends with its reductions.
struct Schedule {
    /// The earliest phase in which the value of each node is available.
    soonest: Vec<usize>,
    /// The phase in which each node is computed: the first that needs it.
    phase: Vec<usize>,
    /// The first and the last phase that needs each node, and each input.
    nodes: Vec<Option<(usize, usize)>>,
    ins: Vec<Option<(usize, usize)>>,
    phases: usize,
}

fn needed(slot: &mut Option<(usize, usize)>, phase: usize) {
    *slot = Some(slot.map_or((phase, phase), |(first, last)| (first.min(phase), last.max(phase))));
}

impl RowProgram {
    fn operands(call: &RowCall) -> &[RowOperand] {
        match call {
            RowCall::Step { op, from, .. } => &from[..op.record().nin],
            RowCall::Reduce { from, .. } => std::slice::from_ref(from),
        }
    }

    /// Returns the dtype of a node's value.
    pub fn dtype(&self, node: u8) -> DType {
        match self.nodes[usize::from(node)].call {
            RowCall::Step { op, signature, .. } => op.loops()[usize::from(signature)].out(),
            RowCall::Reduce { op, result_dtype, from } => {
                op.resolve(self.dtype_of(from), result_dtype, false).map_or(DType::F64, |l| l.out)
            }
        }
    }

    /// Returns the dtype of an operand.
    pub fn dtype_of(&self, operand: RowOperand) -> DType {
        match operand {
            RowOperand::Input(k) => self.ins[usize::from(k)],
            RowOperand::Node(k) => self.dtype(k),
        }
    }

    /// Iterates over the reductions: node index, reduction, requested dtype and operand.
    pub fn reductions(&self) -> impl Iterator<Item = (usize, ReductionId, Option<DType>, RowOperand)> + '_ {
        self.nodes.iter().enumerate().filter_map(|(k, node)| match node.call {
            RowCall::Reduce { op, result_dtype, from } => Some((k, op, result_dtype, from)),
            RowCall::Step { .. } => None,
        })
    }

    /// Returns true if a step is computed for several elements at once.
    fn has_several(&self) -> bool {
        self.nodes.iter().any(|node| match node.call {
            RowCall::Step { op, signature, .. } => node.wide && several((op, signature)).is_some(),
            RowCall::Reduce { .. } => false,
        })
    }

    fn schedule(&self) -> Schedule {
        let n = self.nodes.len();
        let mut s = Schedule {
            soonest: vec![0; n],
            phase: vec![0; n],
            nodes: vec![None; n],
            ins: vec![None; self.ins.len()],
            phases: 1,
        };
        for (k, node) in self.nodes.iter().enumerate() {
            let of = |operand: &RowOperand| match operand {
                RowOperand::Input(_) => 0,
                RowOperand::Node(k) => s.soonest[usize::from(*k)],
            };
            let ready = Self::operands(&node.call).iter().map(of).max().unwrap_or(0);
            s.soonest[k] = ready + usize::from(matches!(node.call, RowCall::Reduce { .. }));
            s.phases = s.phases.max(s.soonest[k] + 1);
        }
        for &out in &self.outs {
            needed(&mut s.nodes[usize::from(out)], s.soonest[usize::from(out)]);
        }
        for (k, node) in self.nodes.iter().enumerate().rev() {
            // A reduction is computed at the end of the phase that has its operand; a value of the whole row as early
            // as possible.
            s.phase[k] = match node.call {
                RowCall::Reduce { .. } => s.soonest[k] - 1,
                RowCall::Step { .. } if !node.wide => s.soonest[k],
                RowCall::Step { .. } => s.nodes[k].map_or(s.soonest[k], |(first, _)| first),
            };
            let phase = s.phase[k];
            for operand in Self::operands(&node.call) {
                match *operand {
                    RowOperand::Input(k) => needed(&mut s.ins[usize::from(k)], phase),
                    RowOperand::Node(k) => needed(&mut s.nodes[usize::from(k)], phase),
                }
            }
        }
        s
    }

    /// Returns the largest number of bytes that a thread holds for each position of a row in any phase; `is_wide` says
    /// which inputs have an element for each position.
    pub fn held_bytes(&self, is_wide: impl Fn(usize) -> bool) -> usize {
        let s = self.schedule();
        let at = |phase: usize| {
            // A value that a phase uses last frees its register for the result; the operand of a reduction is held to
            // the end of the phase.
            let lives = |first: usize, needs: Option<(usize, usize)>, of: RowOperand| {
                let reduced = || self.reductions().any(|(k, .., from)| from == of && s.phase[k] == phase);
                needs.is_some_and(|(_, last)| first <= phase && (last > phase || reduced()))
            };
            let of_nodes = (0..self.nodes.len())
                .filter(|&k| self.nodes[k].wide && lives(s.phase[k], s.nodes[k], RowOperand::Node(k as u8)));
            let of_ins = (0..self.ins.len()).filter(|&k| {
                is_wide(k) && lives(s.ins[k].map_or(0, |(first, _)| first), s.ins[k], RowOperand::Input(k as u8))
            });
            of_nodes.map(|k| self.dtype(k as u8).size()).sum::<usize>()
                + of_ins.map(|k| self.ins[k].size()).sum::<usize>()
        };
        (0..s.phases).map(at).max().unwrap_or(0)
    }
}

/// Handle of an interned program: small and `Copy`, suitable as a part of a key.
#[derive(Clone, Copy, Debug)]
pub struct RowProgramId {
    number: usize,
    program: &'static RowProgram,
}

impl RowProgramId {
    /// Interns a program and returns its handle. A new program is copied and never freed.
    pub fn of(program: &RowProgram) -> RowProgramId {
        static KNOWN: OnceLock<Mutex<FxHashMap<&'static RowProgram, usize>>> = OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((&program, &number)) = known.get_key_value(program) {
            return RowProgramId { number, program };
        }
        let (number, program) = (known.len(), &*Box::leak(Box::new(program.clone())));
        known.insert(program, number);
        RowProgramId { number, program }
    }
}

impl PartialEq for RowProgramId {
    fn eq(&self, other: &RowProgramId) -> bool {
        self.number == other.number
    }
}

impl Eq for RowProgramId {}

impl Hash for RowProgramId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// Layout of an input's or a result's elements along a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowMode {
    /// Contiguous, and aligned for vector loads.
    Dense,
    /// Any strides.
    Apart,
    /// One element for the row.
    Row,
    /// A scalar among the parameters.
    Value,
}

/// Key of the kernel `rows`, with the parameters [`RowsParams`]: everything that its source depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The program.
    pub program: RowProgramId,
    /// Layouts of the inputs; those beyond the program's own are ignored.
    pub ins: [RowMode; FUSED_INPUTS],
    /// Layouts of the results.
    pub outs: [RowMode; FUSED_RESULTS],
    /// Number of adjacent elements in one load of a thread.
    pub per_load: u8,
    /// Maximum number of such loads that a thread holds.
    pub loads: u8,
    /// True if the elements of a row are along one axis.
    pub one_axis: bool,
    /// True if each thread has all its loads.
    pub all_loads: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Rows {
    fn of(&self) -> &'static RowProgram {
        self.program.program
    }

    fn arrays(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.of().ins.len()).filter(|&k| self.ins[k] != RowMode::Value)
    }

    /// Returns the kernel's name in messages: `max+subtract+exp+sum+true_divide/float32/rows`.
    pub fn name(&self) -> String {
        let name = |node: &RowNode| match node.call {
            RowCall::Step { op, .. } => op.record().name,
            RowCall::Reduce { op, .. } => op.record().name,
        };
        let names: Vec<_> = self.of().nodes.iter().map(name).collect();
        let ins: Vec<_> = self.of().ins.iter().map(|d| d.name()).collect();
        format!("{}/{}/rows", names.join("+"), ins.join(","))
    }

    /// Returns the kernel that would compute one of the reductions from an array.
    fn alone(&self, op: ReductionId, result_dtype: Option<DType>, operand: DType) -> ReductionSource {
        ReductionSource {
            op,
            operand,
            result_dtype,
            class: ReductionClass::Rows,
            per_load: self.per_load,
            masked: false,
            words: false,
            width: self.width,
        }
    }

    /// Returns the source of the kernel `rows`, or `None` if a reduction has no loop for its dtype.
    pub fn source(&self) -> Option<String> {
        let of = self.of();
        let mut reductions: Vec<(usize, ReductionSource, ReductionLoop, RowOperand)> = vec![];
        for (node, op, result_dtype, from) in of.reductions() {
            let alone = self.alone(op, result_dtype, of.dtype_of(from));
            reductions.push((node, alone, alone.resolve()?, from));
        }
        let steps: Vec<(UfuncId, u8)> = of
            .nodes
            .iter()
            .filter_map(|node| match node.call {
                RowCall::Step { op, signature, .. } => Some((op, signature)),
                RowCall::Reduce { .. } => None,
            })
            .collect();
        let more = reductions.iter().flat_map(|(_, alone, l, _)| [alone.operand, l.element, l.out]);
        let mut text = headers_of(&steps, of.ins.iter().copied().chain(more));
        for (_, alone, l, _) in &reductions {
            for header in alone.own_headers(l) {
                text.push_str(header);
            }
        }
        if of.has_several() {
            text.push_str(QUOTIENTS);
        }
        let mut unit = Unit::new(text, "rows")
            .number("V", self.per_load.into())
            .number("LOADS", self.loads.into())
            .switch("ONE_AXIS", self.one_axis)
            .switch("ALL_LOADS", self.all_loads)
            .indexed(self.width);
        for (k, dtype) in of.ins.iter().enumerate() {
            unit = unit.typed(&format!("in{k}"), dtype.device_name());
        }
        for (k, &out) in of.outs.iter().enumerate() {
            unit = unit.typed(&format!("out{k}"), of.dtype(out).device_name());
        }
        let mut text = self.reading();
        text.push_str(body!("rows"));
        for (k, node) in of.nodes.iter().enumerate() {
            if let RowCall::Step { op, signature, .. } = node.call {
                let from = RowProgram::operands(&node.call).iter().map(|operand| of.dtype_of(*operand));
                write_step(&mut text, k, (op, signature), from.clone());
                if node.wide && several((op, signature)).is_some() {
                    write_step_operands(&mut text, k, (op, signature), from);
                }
            }
        }
        for (node, alone, l, _) in &reductions {
            text.push_str(&alone.held(*node, l));
        }
        self.write_kernel(&mut text);
        Some(self.with_params(|params| unit.params(params).with(&text).finish()))
    }

    /// Returns the code that computes the addresses at which the arrays begin.
    fn reading(&self) -> String {
        let begins: String = self.arrays().map(|k| format!("(const char *)p.p{k}, ")).collect();
        format!(
            "constexpr int ARRAYS = {};\n{READING}DEVICE origin beginning(const params &p) {{ return {{{{{begins}}}}}; }}\n",
            self.arrays().count()
        )
    }

    fn write_kernel(&self, text: &mut String) {
        let (of, s) = (self.of(), self.of().schedule());
        let is_wide = |k: usize| matches!(self.ins[k], RowMode::Dense | RowMode::Apart);
        let slot = |k: usize| self.arrays().position(|array| array == k).unwrap_or(0);
        let reduced: Vec<RowOperand> = of.reductions().map(|(.., from)| from).collect();
        // Values that are needed again, or reduced, are held; the values between them are computed one element at a
        // time, or those of one load.
        let by_loads = of.has_several();
        let is_held = |k: usize| {
            let last = s.nodes[k].map_or(0, |(_, last)| last);
            last > s.phase[k] || reduced.contains(&RowOperand::Node(k as u8))
        };
        // The longest rows are held by two blocks of a multiprocessor: all their loads are issued before the first is
        // used, for which the compiler must not save registers.
        let resident = if self.all_loads && self.held_elements() >= 64 { ", 2" } else { "" };
        let _ = write!(
            text,
            "extern \"C\" __global__ void __launch_bounds__(THREADS{resident}) rows(const __grid_constant__ params p) {{\n  \
             uindex o;\n  const row_position at = row_start(p, o);\n  const bool there = o < p.outputs;\n  \
             const origin base = there ? row_of(p, o) : beginning(p);\n"
        );
        for k in self.arrays() {
            let _ = match self.ins[k] {
                RowMode::Row => {
                    writeln!(text, "  in{k} x{k} = {{}};\n  if (there) x{k} = *(const in{k} *)base.at[{}];", slot(k))
                }
                _ => writeln!(text, "  in{k} x{k}[LOADS][V];"),
            };
        }
        for (k, node) in of.nodes.iter().enumerate() {
            if node.wide && is_held(k) {
                let _ = writeln!(text, "  {} h{k}[LOADS][V];", of.dtype(k as u8).device_name());
            }
        }
        let operand = |operand: &RowOperand, phase: usize| match *operand {
            RowOperand::Input(k) => match self.ins[usize::from(k)] {
                RowMode::Value => format!("p.v{k}.value, "),
                RowMode::Row => format!("x{k}, "),
                _ => format!("x{k}[u][j], "),
            },
            RowOperand::Node(k) => {
                let at = usize::from(k);
                match of.nodes[at].wide {
                    true if s.phase[at] < phase => format!("h{k}[u][j], "),
                    true if by_loads => format!("s{k}[j], "),
                    _ => format!("s{k}, "),
                }
            }
        };
        let operands = |k: usize, phase: usize| -> String {
            RowProgram::operands(&of.nodes[k].call).iter().map(|from| operand(from, phase)).collect()
        };
        let step = |k: usize, phase: usize| -> String {
            format!("const {} s{k} = step{k}({}0);\n", of.dtype(k as u8).device_name(), operands(k, phase))
        };
        let is_step = |k: usize| matches!(of.nodes[k].call, RowCall::Step { .. });
        for phase in 0..s.phases {
            for k in (0..of.nodes.len()).filter(|&k| is_step(k) && !of.nodes[k].wide && s.phase[k] == phase) {
                let _ = write!(text, "  {}", step(k, phase));
            }
            // All loads of a phase together, so that nothing is computed between them.
            let begins = |k: &usize| is_wide(*k) && s.ins[*k].is_some_and(|(first, _)| first == phase);
            let reads: String = self.arrays().filter(begins).map(|k| self.read(k, slot(k))).collect();
            let every = "#pragma unroll\n  for (u32 u = 0; u < LOADS; ++u) {\n    if (u >= at.loads) continue;\n";
            if !reads.is_empty() {
                let from = match self.one_axis {
                    true => "",
                    false => "    const origin from = origin_at(p, base, at.first + u * at.step);\n",
                };
                let _ = writeln!(text, "{every}{from}{reads}  }}");
            }
            let here: Vec<usize> =
                (0..of.nodes.len()).filter(|&k| is_step(k) && of.nodes[k].wide && s.phase[k] == phase).collect();
            let writes: Vec<(usize, u8)> = of
                .outs
                .iter()
                .enumerate()
                .filter(|(_, out)| of.nodes[usize::from(**out)].wide && s.soonest[usize::from(**out)] == phase)
                .map(|(slot, out)| (slot, *out))
                .collect();
            for (slot, _) in &writes {
                let _ = writeln!(text, "  {}", self.row_written(*slot));
            }
            if !here.is_empty() {
                text.push_str(every);
                for (slot, _) in &writes {
                    let _ = writeln!(text, "    out{slot} y{slot}[V];");
                }
                if by_loads {
                    for &k in &here {
                        if let RowCall::Step { op, signature, .. } = of.nodes[k].call {
                            let narrow = |from: &RowOperand| match *from {
                                RowOperand::Input(k) => !is_wide(usize::from(k)),
                                RowOperand::Node(k) => !of.nodes[usize::from(k)].wide,
                            };
                            let one_divisor = RowProgram::operands(&of.nodes[k].call).get(1).is_some_and(narrow);
                            let call = (op, signature);
                            write_several(text, k, call, one_divisor, "V", &operands(k, phase), "0");
                        }
                    }
                }
                text.push_str("#pragma unroll\n    for (u32 j = 0; j < V; ++j) {\n");
                let element = if by_loads { "[j]" } else { "" };
                for &k in &here {
                    if !by_loads {
                        let _ = write!(text, "      {}", step(k, phase));
                    }
                    if is_held(k) {
                        let _ = writeln!(text, "      h{k}[u][j] = s{k}{element};");
                    }
                }
                for (slot, out) in &writes {
                    let _ = writeln!(text, "      y{slot}[j] = s{out}{element};");
                }
                text.push_str("    }\n");
                for (slot, _) in &writes {
                    text.push_str(&self.write(*slot));
                }
                text.push_str("  }\n");
            }
            for (number, (k, .., from)) in of.reductions().enumerate().filter(|(_, (k, ..))| s.phase[*k] == phase) {
                let held = match from {
                    RowOperand::Input(k) => format!("x{k}"),
                    RowOperand::Node(k) => format!("h{k}"),
                };
                let _ = writeln!(
                    text,
                    "  const of{k}::result s{k} = of{k}::of_row({held}, at, p.reduced, p.ddof{number});"
                );
            }
        }
        for (slot, out) in of.outs.iter().enumerate().filter(|(_, out)| !of.nodes[usize::from(**out)].wide) {
            let row = self.row_written(slot);
            let _ = writeln!(text, "  {row}\n  if (there && at.mine == 0) *(out{slot} *)to{slot} = s{out};");
        }
        text.push_str("}\n");
    }

    /// Returns the number of positions of a row that a thread holds.
    fn held_elements(&self) -> usize {
        usize::from(self.loads) * usize::from(self.per_load)
    }

    /// Returns the statement that reads load `u` of input `k`, the array `slot`.
    fn read(&self, k: usize, slot: usize) -> String {
        let dense = self.ins[k] == RowMode::Dense;
        let (from, step) = match (self.one_axis, dense) {
            (true, true) => (format!("base.at[{slot}] + load_offset(at, u, sizeof(in{k}))"), String::new()),
            (true, false) => {
                let step = format!("p.read_reduced[{slot}][0]");
                (format!("base.at[{slot}] + load_offset(at, u, {step})"), step)
            }
            (false, _) => (
                format!("from.at[{slot}]"),
                format!("p.read_reduced[{slot}][p.reduced_axes > 1 ? p.reduced_axes - 1 : 0]"),
            ),
        };
        match dense {
            true => format!("    gather_dense(x{k}[u], {from});\n"),
            false => format!("    gather_apart(x{k}[u], {from}, {step});\n"),
        }
    }

    /// Returns the declaration of the address at which the row of result `slot` begins.
    fn row_written(&self, slot: usize) -> String {
        format!("char *const to{slot} = written_row(p, (char *)p.q{slot}, o, p.write_kept[{slot}]);")
    }

    /// Returns the statement that writes load `u` of result `slot`.
    fn write(&self, slot: usize) -> String {
        let dense = self.outs[slot] == RowMode::Dense;
        let (to, step) = match (self.one_axis, dense) {
            (true, true) => (format!("to{slot} + load_offset(at, u, sizeof(out{slot}))"), String::new()),
            (true, false) => {
                let step = format!("p.write_reduced[{slot}][0]");
                (format!("to{slot} + load_offset(at, u, {step})"), step)
            }
            (false, _) => (
                format!("written_at(p, to{slot}, at.first + u * at.step, p.write_reduced[{slot}])"),
                format!("p.write_reduced[{slot}][p.reduced_axes > 1 ? p.reduced_axes - 1 : 0]"),
            ),
        };
        let exists = if self.all_loads { "if (there) " } else { "" };
        match dense {
            true => format!("    {exists}put_dense(y{slot}, {to});\n"),
            false => format!("    {exists}put_apart(y{slot}, {to}, {step});\n"),
        }
    }

    /// Calls `f` with the kernel's parameters without values, which declare its struct.
    pub fn with_params<T>(&self, f: impl FnOnce(&RowsParams<'_, ()>) -> T) -> T {
        let ins: [_; FUSED_INPUTS] = std::array::from_fn(|k| match self.ins[k] {
            RowMode::Value => ElementwiseInput::Value([0; 16]),
            _ => ElementwiseInput::Pointer(()),
        });
        let tables = &[Strides::default(); FUSED_INPUTS];
        let (arrays, outs) = (self.arrays().count(), self.of().outs.len());
        f(&RowsParams {
            width: self.width,
            outputs: 0,
            reduced: 0,
            outputs_log2: 0,
            kept_axes: 0,
            reduced_axes: 0,
            kept: Sizes::default(),
            reduced_sizes: Sizes::default(),
            ddofs: &[0.0; ROWS_REDUCTIONS][..self.of().reductions().count()],
            outs: &[(); FUSED_RESULTS][..outs],
            ins: &ins[..self.of().ins.len()],
            read_kept: &tables[..arrays],
            read_reduced: &tables[..arrays],
            write_kept: &tables[..outs],
            write_reduced: &tables[..outs],
        })
    }
}

impl ReductionSource {
    /// Returns the namespace that reduces the elements that threads hold: `of3`, or another number.
    fn held(&self, node: usize, l: &ReductionLoop) -> String {
        Unit::new(String::new(), &format!("of{node}"))
            .number("UNROLL", self.unroll(l))
            .switch("MASKED", false)
            .switch("SKIP_NAN", self.op.skips(self.operand))
            .switch("COUNTED", matches!(l.accumulator, crate::registry::Accumulator::Counted(_)))
            .switch("ADDS", self.op.adds_to_zero())
            .typed("element", self.operand.device_name())
            .typed("result", l.out.device_name())
            .with(&self.functions(l))
            .with(body!("reduce_tree"))
            .with(Self::lane(l))
            .with(body!("reduce_held"))
            .with(body!("rows_reduce"))
            .finish()
    }
}

/// Parameters of the kernel `rows`.
#[derive(Clone, Copy, Debug)]
pub struct RowsParams<'a, P> {
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
    /// Number of rows.
    pub outputs: usize,
    /// Length of a row.
    pub reduced: usize,
    /// Base-2 logarithm of the number of rows of a block.
    pub outputs_log2: u32,
    /// Number of axes of the rows.
    pub kept_axes: u32,
    /// Number of axes of the elements of a row.
    pub reduced_axes: u32,
    /// Sizes of the rows' axes.
    pub kept: Sizes<'a>,
    /// Sizes of the axes of a row's elements.
    pub reduced_sizes: Sizes<'a>,
    /// The ddof of each reduction: what it subtracts from the number of elements.
    pub ddofs: &'a [f64],
    /// The results.
    pub outs: &'a [P],
    /// The inputs.
    pub ins: &'a [ElementwiseInput<P>],
    /// Strides of each input from row to row.
    pub read_kept: &'a [Strides<'a>],
    /// Strides of each input along a row.
    pub read_reduced: &'a [Strides<'a>],
    /// Strides of each result from row to row.
    pub write_kept: &'a [Strides<'a>],
    /// Strides of each result along a row.
    pub write_reduced: &'a [Strides<'a>],
}

impl<P: Copy> Parameters<P> for RowsParams<'_, P> {
    fn visit(&self, to: &mut impl Fields<P>) {
        let width = self.width;
        self.outputs.visit(None, "outputs", width, to);
        self.reduced.visit(None, "reduced", width, to);
        self.outputs_log2.visit(None, "outputs_log2", width, to);
        self.kept_axes.visit(None, "kept_axes", width, to);
        self.reduced_axes.visit(None, "reduced_axes", width, to);
        self.kept.visit(None, "kept", width, to);
        self.reduced_sizes.visit(None, "reduced_sizes", width, to);
        for (k, ddof) in self.ddofs.iter().enumerate() {
            ddof.visit(None, DDOFS[k], width, to);
        }
        for (k, &out) in self.outs.iter().enumerate() {
            Written(Some(out)).visit(Some(OUTS[k]), RESULTS[k], width, to);
        }
        for (k, &input) in self.ins.iter().enumerate() {
            match input {
                ElementwiseInput::Value(value) => Value(value).visit(Some(PARAMETERS[k]), VALUES[k], width, to),
                ElementwiseInput::Pointer(pointer) => Read(Some(pointer)).visit(Some(INS[k]), POINTERS[k], width, to),
            }
        }
        self.read_kept.visit(None, "read_kept", width, to);
        self.read_reduced.visit(None, "read_reduced", width, to);
        self.write_kept.visit(None, "write_kept", width, to);
        self.write_reduced.visit(None, "write_reduced", width, to);
    }
}
