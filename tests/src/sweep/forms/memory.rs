//! Atomics on a memory cell, whose old and new values are the results; and stack memory.

use super::super::form::{Cell, Form};
use super::add;

/// Operations, their type, the width of an access and the kind of the operand.
const ATOMICS: [(&str, &str, &str, &str); 30] = [
    ("add", "u32", "b32", "r"),
    ("add", "s32", "b32", "r"),
    ("add", "u64", "b64", "d"),
    ("add", "f32", "b32", "f"),
    ("add", "f64", "b64", "e"),
    ("add.noftz", "f16", "b16", "H"),
    ("add.noftz", "bf16", "b16", "B"),
    ("add.noftz", "f16x2", "b32", "X"),
    ("add.noftz", "bf16x2", "b32", "Y"),
    ("min", "s32", "b32", "r"),
    ("min", "u32", "b32", "r"),
    ("min", "s64", "b64", "d"),
    ("min", "u64", "b64", "d"),
    ("max", "s32", "b32", "r"),
    ("max", "u32", "b32", "r"),
    ("max", "s64", "b64", "d"),
    ("max", "u64", "b64", "d"),
    ("and", "b32", "b32", "r"),
    ("and", "b64", "b64", "d"),
    ("or", "b32", "b32", "r"),
    ("or", "b64", "b64", "d"),
    ("xor", "b32", "b32", "r"),
    ("xor", "b64", "b64", "d"),
    ("exch", "b32", "b32", "r"),
    ("exch", "b64", "b64", "d"),
    ("inc", "u32", "b32", "r"),
    ("dec", "u32", "b32", "r"),
    ("cas", "b16", "b16", "h"),
    ("cas", "b32", "b32", "n"),
    ("cas", "b64", "b64", "N"),
];

pub(super) fn forms(out: &mut Vec<Form>) {
    for (space, cell) in [(".global", Cell::Global), (".shared", Cell::Shared), ("", Cell::Global)] {
        for (op, ty, width, k) in ATOMICS {
            let name = op.trim_end_matches(".noftz");
            let (more, operands) = if name == "cas" { (", c", k.repeat(3)) } else { ("", k.repeat(2)) };
            let store = format!("st.volatile{space}.{width} [m], a");
            let load = format!("ld.volatile{space}.{width} e, [m]");
            let body = format!("{store}; atom{space}.{op}.{ty} d, [m], b{more}; {load}");
            out.push(Form::new(body, &k.repeat(2), &operands).cell(cell));
            if !matches!(name, "cas" | "exch") && !space.is_empty() {
                let load = load.replace(" e,", " d,");
                out.push(Form::new(format!("{store}; red{space}.{op}.{ty} [m], b; {load}"), k, &operands).cell(cell));
            }
        }
    }
    // All threads of a block on one cell: the sum does not depend on the order.
    for (op, ty, width, k) in ATOMICS {
        if matches!(op, "add" | "min" | "max" | "and" | "or" | "xor") && !ty.starts_with('f') {
            let body = format!("red.shared.{op}.{ty} [m], a; bar.sync 0; ld.volatile.shared.{width} d, [m]");
            out.push(Form::new(body, k, k).cell(Cell::Common));
        }
    }
    let body =
        "stacksave.u64 s; alloca.u64 q, 16, 16; st.local.b32 [q+4], a; ld.local.b32 d, [q+4]; stackrestore.u64 s";
    out.push(Form::new(body, "r", "r").declare(".reg .b64 q, s; "));
    // A load of a narrow element fills its register.
    for (ty, k) in [("s8", "r"), ("u8", "r"), ("s16", "r"), ("u16", "r"), ("s8", "d"), ("s16", "d"), ("s32", "d")] {
        let body = format!("st.volatile.global.b64 [m], a; ld.volatile.global.{ty} d, [m]");
        out.push(Form::new(body, k, "d").cell(Cell::Global));
    }
    let body = "st.global.v2.b32 [m], {a, b}; ld.global.v2.b32 {d, e}, [m]";
    out.push(Form::new(body, "rr", "rr").cell(Cell::Global));
    add(out, "{ .reg .pred q; setp.lt.s32 q, a, b; @q mov.b32 d, a; @!q mov.b32 d, b; }", "r", "rr");
}
