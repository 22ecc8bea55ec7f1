//! Integer arithmetic.

use super::super::form::Form;
use super::{INTEGERS, add};

pub(super) fn forms(out: &mut Vec<Form>) {
    for (ty, k) in INTEGERS {
        for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"] {
            add(out, format!("{op}.{ty} d, a, b"), k, &k.repeat(2));
        }
        add(out, format!("mad.lo.{ty} d, a, b, c"), k, &k.repeat(3));
        add(out, format!("mad.hi.{ty} d, a, b, c"), k, &k.repeat(3));
        add(out, format!("sad.{ty} d, a, b, c"), k, &k.repeat(3));
        if ty.starts_with('s') {
            add(out, format!("abs.{ty} d, a"), k, k);
            add(out, format!("neg.{ty} d, a"), k, k);
        }
        if k != "d" {
            let wide = if k == "h" { "r" } else { "d" };
            add(out, format!("mul.wide.{ty} d, a, b"), wide, &k.repeat(2));
            add(out, format!("mad.wide.{ty} d, a, b, c"), wide, &format!("{k}{k}{wide}"));
        }
        if k != "h" {
            carries(out, ty, k);
        }
    }
    for op in ["add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"] {
        add(out, format!("{op} d, a, b"), "r", "rr");
    }
    for op in ["mad.hi.sat.s32", "mad24.hi.sat.s32"] {
        add(out, format!("{op} d, a, b, c"), "r", "rrr");
    }
    for ty in ["s32", "u32"] {
        for part in ["lo", "hi"] {
            add(out, format!("mul24.{part}.{ty} d, a, b"), "r", "rr");
            add(out, format!("mad24.{part}.{ty} d, a, b, c"), "r", "rrr");
        }
        for other in ["s32", "u32"] {
            add(out, format!("dp4a.{ty}.{other} d, a, b, c"), "r", "rrr");
            for part in ["lo", "hi"] {
                add(out, format!("dp2a.{part}.{ty}.{other} d, a, b, c"), "r", "rrr");
            }
        }
    }
}

/// Adds sequences that produce, propagate and read a carry.
fn carries(out: &mut Vec<Form>, ty: &str, k: &str) {
    for op in ["add", "sub"] {
        let body = format!("{op}.cc.{ty} d, a, b; {op}c.cc.{ty} e, b, c; {op}c.{ty} g, c, a");
        add(out, body, &k.repeat(3), &k.repeat(3));
    }
    for part in ["lo", "hi"] {
        let body =
            format!("mad.{part}.cc.{ty} d, a, b, c; madc.{part}.cc.{ty} e, b, c, a; madc.{part}.{ty} g, c, a, b");
        add(out, body, &k.repeat(3), &k.repeat(3));
        let body = format!("mad.{part}.cc.{ty} d, a, b, c; addc.{ty} e, 0, 0");
        add(out, body, &k.repeat(2), &k.repeat(3));
    }
}
