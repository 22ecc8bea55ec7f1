//! Tests that `matrix.yaml` marks exactly the results that depend on approximate instructions, by the PTX of every
//! loop.
//!
//! PTX specifies these instructions only within bounds, so that a GPU and the simulator may differ in the last bits of
//! their results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use cuprum_conformance::matrix::OpKind;
use cuprum_conformance::{Matrix, sample};
use cuprum_kernels::DType;
use cuprum_kernels::registry::{Loop, UfuncId};
use cuprum_kernels::source::{Class, Elementwise, Input, Mode};

/// Returns the approximate instructions in a PTX module.
fn approximations(ptx: &str) -> BTreeSet<&str> {
    let opcode = |line: &str| line.split_whitespace().find(|word| !word.starts_with('@')).map(str::len).unwrap_or(0);
    let opcodes = ptx.lines().map(str::trim_start).filter_map(|line| {
        let start = if line.starts_with('@') { line.split_once(' ')?.1.trim_start() } else { line };
        Some(&start[..opcode(start)])
    });
    opcodes.filter(|o| o.contains(".approx") || o.contains(".full")).collect()
}

/// Returns true if a result may differ because of this instruction.
///
/// In double precision the instructions compute an initial approximation, which the library's code refines. With
/// simulator approximations that were off by their last bit, no result that depends on a reciprocal differed, but
/// results that depend on a reciprocal square root did (`hypot` and its callers, `i0`, `i1`).
fn counts(opcode: &str) -> bool {
    opcode != "rcp.approx.ftz.f64"
}

/// Functions whose approximate instructions are part of `fmod`, which corrects its quotient until the remainder is
/// exact.
const EXACT: [&str; 8] = ["floor_divide", "remainder", "divmod", "fmod", "sindg", "cosdg", "tandg", "cotdg"];

/// Returns the dtype by which the matrix names a loop: that of the result, or of the operand if only that is complex.
fn label(form: &Loop) -> &'static str {
    if form.ins[0].is_complex() { form.ins[0].device_name() } else { form.out().device_name() }
}

/// Returns the kernel source of a loop on arrays.
fn text(op: UfuncId, signature: usize, form: &Loop) -> String {
    let input = |dtype| Input { dtype, mode: Mode::Array };
    Elementwise {
        op,
        signature: signature as u8,
        ins: form.ins.map(input),
        outs: form.outs,
        mask: None,
        class: Class::Strided { wide: false, deep: false },
        all: false,
    }
    .source()
}

#[test]
fn approximate_instructions_are_those_that_the_matrix_names() {
    let matrix = Matrix::built_in().expect("the matrix of this checkout is right");
    // The loops of half precision compute in float32; they are compiled where all kernel sources are.
    let full = sample::is_full();
    let of_floats = |d: DType| (d.is_float() && (full || d.size() > 2)) || d.is_complex();
    let is_checked = |label: &str| label.parse().is_ok_and(of_floats);
    let loops = UfuncId::all().flat_map(|op| op.loops().iter().enumerate().map(move |(i, form)| (op, i, form)));
    // Each loop is a compilation: one function in three, but where all are compiled.
    let is_sampled = |op: UfuncId| full || UfuncId::all().position(|id| id == op).is_some_and(|k| k % 3 == 0);
    // Integers have no approximate instructions.
    let loops = loops.filter(|(op, _, _)| is_sampled(*op)).filter(|(op, _, form)| {
        form.ins[..op.record().nin].iter().chain(&form.outs[..op.record().nout]).any(|d| of_floats(*d))
    });
    let work = Mutex::new(loops);
    let found: Mutex<BTreeMap<&str, BTreeSet<&str>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some((op, i, form)) = { work.lock().expect("no thread panics here").next() } {
                    let ptx = cuprum::cuda::ptx(&text(op, i, form)).expect("every kernel compiles");
                    assert!(
                        !super::recursion::is_recursive(&ptx),
                        "{} calls itself: its stack has no bound",
                        op.record().name
                    );
                    if approximations(&ptx).into_iter().any(counts) {
                        let name = op.record().name;
                        found.lock().expect("no thread panics here").entry(name).or_default().insert(label(form));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no thread panics");
    for name in EXACT.into_iter().filter(|name| UfuncId::named(name).is_some_and(is_sampled)) {
        assert!(found.remove(name).is_some(), "{name} has no approximate instruction: it is no exception");
    }
    let none = BTreeSet::new();
    let mut wrong = vec![];
    for op in matrix.ops.iter().filter(|op| op.kind == OpKind::Ufunc) {
        let Some(id) = UfuncId::named(&op.name).filter(|id| is_sampled(*id)) else { continue };
        let name = id.record().name;
        let named: BTreeSet<&str> = op.approximate.iter().map(String::as_str).filter(|d| is_checked(d)).collect();
        let right: BTreeSet<&str> =
            found.get(name).unwrap_or(&none).iter().copied().filter(|d| is_checked(d)).collect();
        if named != right {
            wrong.push(format!("{}: {named:?} in matrix.yaml, {right:?} in the PTX", op.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_approximate_instruction_is_seen() {
    let kernel = |body: &str| format!("extern \"C\" __global__ void k(float *x, double *y) {{ {body} }}");
    let seen = |body: &str| {
        let ptx = cuprum::cuda::ptx(&kernel(body)).expect("it compiles");
        approximations(&ptx).into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(seen("x[0] = __expf(x[1]);"), ["ex2.approx.f32"]);
    assert_eq!(seen("x[0] = __fdividef(x[1], x[2]);").len(), 1);
    assert!(seen("x[0] = x[1] / x[2]; y[0] = sqrt(y[1]);").is_empty());
}
