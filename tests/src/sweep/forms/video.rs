//! Video instructions.

use super::super::form::Form;
use super::add;

const TYPES: [&str; 8] = [
    "u32.u32.u32",
    "s32.s32.s32",
    "s32.u32.u32",
    "u32.s32.s32",
    "u32.u32.s32",
    "u32.s32.u32",
    "s32.u32.s32",
    "s32.s32.u32",
];
const PARTS: [(&str, &str); 5] = [(".b0", ".b3"), (".h1", ".b1"), (".b2", ""), ("", ".h0"), (".h0", ".h1")];
const INTO: [&str; 6] = [".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];

pub(super) fn forms(out: &mut Vec<Form>) {
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"] {
        let shifts = op.starts_with("vsh");
        let b = if shifts { "c" } else { "r" };
        // The amount of a shift is unsigned.
        let types: Vec<&str> = TYPES.into_iter().filter(|t| !shifts || t.ends_with("u32")).collect();
        let modes: &[&str] = if shifts { &[".clamp", ".wrap"] } else { &[""] };
        for mode in modes {
            for ty in &types {
                for sat in ["", ".sat"] {
                    add(out, format!("{op}.{ty}{sat}{mode} d, a, b"), "r", &format!("r{b}"));
                }
            }
            for (i, ty) in types[..2.min(types.len())].iter().enumerate() {
                for (j, merge) in [".add", ".min", ".max"].into_iter().enumerate() {
                    let sat = if (i + j) % 2 == 0 { "" } else { ".sat" };
                    add(out, format!("{op}.{ty}{sat}{mode}{merge} d, a, b, c"), "r", &format!("r{b}r"));
                }
                for (j, (of_a, of_b)) in PARTS.into_iter().enumerate() {
                    let sat = if (i + j) % 2 == 0 { "" } else { ".sat" };
                    add(out, format!("{op}.{ty}{sat}{mode} d, a{of_a}, b{of_b}"), "r", &format!("r{b}"));
                }
                for (j, into) in INTO.into_iter().enumerate() {
                    let sat = if (i + j) % 2 == 0 { "" } else { ".sat" };
                    add(out, format!("{op}.{ty}{sat}{mode} d{into}, a.h1, b, c"), "r", &format!("r{b}r"));
                }
            }
        }
    }
    for condition in ["eq", "ne", "lt", "le", "gt", "ge"] {
        for ty in ["u32.u32", "s32.s32", "u32.s32", "s32.u32"] {
            add(out, format!("vset.{ty}.{condition} d, a, b"), "r", "rr");
        }
        add(out, format!("vset.s32.s32.{condition} d, a.b1, b.b2"), "r", "rr");
        for merge in [".add", ".min", ".max"] {
            add(out, format!("vset.u32.u32.{condition}{merge} d, a.h0, b.h0, c"), "r", "rrr");
        }
        add(out, format!("vset.u32.s32.{condition} d.b2, a, b, c"), "r", "rrr");
        for n in ["2", "4"] {
            for ty in ["u32.u32", "s32.s32", "u32.s32"] {
                add(out, format!("vset{n}.{ty}.{condition} d, a, b, c"), "r", "rrr");
            }
            add(out, format!("vset{n}.s32.s32.{condition}.add d, a, b, c"), "r", "rrr");
        }
    }
    for ty in ["u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "s32.s32.u32"] {
        for mode in ["", ".sat", ".shr7", ".shr15", ".sat.shr7", ".sat.shr15"] {
            add(out, format!("vmad.{ty}{mode} d, a, b, c"), "r", "rrr");
        }
        add(out, format!("vmad.{ty} d, a.b1, b.h1, c"), "r", "rrr");
        add(out, format!("vmad.{ty}.po d, a, b, c"), "r", "rrr");
        add(out, format!("vmad.{ty}.po.sat.shr7 d, a.h0, b.h1, c"), "r", "rrr");
    }
    for body in [
        "vmad.s32.s32.s32 d, -a, b, c",
        "vmad.s32.s32.s32 d, a, b, -c",
        "vmad.s32.s32.s32.sat.shr15 d, a.h0, -b.h1, c",
        "vmad.s32.s32.s32 d, a.b1, b.b2, -c",
    ] {
        add(out, body, "r", "rrr");
    }
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"] {
        for n in ["2", "4"] {
            for ty in ["u32.u32.u32", "s32.s32.s32", "s32.u32.u32", "u32.s32.s32", "s32.u32.s32"] {
                for sat in ["", ".sat"] {
                    add(out, format!("{op}{n}.{ty}{sat} d, a, b, c"), "r", "rrr");
                }
            }
            add(out, format!("{op}{n}.u32.u32.u32.add d, a, b, c"), "r", "rrr");
            add(out, format!("{op}{n}.s32.s32.s32.add d, a, b, c"), "r", "rrr");
        }
        // Lanes selected from both operands, and results that replace some lanes of the third.
        add(out, format!("{op}2.s32.s32.s32 d, a.h32, b.h01, c"), "r", "rrr");
        add(out, format!("{op}2.u32.u32.u32 d.h0, a.h10, b.h13, c"), "r", "rrr");
        add(out, format!("{op}2.s32.s32.s32.sat d.h1, a, b.h22, c"), "r", "rrr");
        add(out, format!("{op}4.s32.s32.s32 d, a.b7654, b.b0123, c"), "r", "rrr");
        add(out, format!("{op}4.u32.u32.u32 d.b20, a.b0716, b.b3210, c"), "r", "rrr");
        add(out, format!("{op}4.s32.s32.s32.sat d.b3, a, b.b4444, c"), "r", "rrr");
        add(out, format!("{op}4.u32.u32.u32.add d.b321, a.b0246, b, c"), "r", "rrr");
    }
}
