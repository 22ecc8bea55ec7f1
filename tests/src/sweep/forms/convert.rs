//! Conversions between all types.

use super::super::form::Form;
use super::add;

/// Types, with the register kinds of their operands.
const INTEGERS: [(&str, &str); 8] =
    [("s8", "y"), ("u8", "y"), ("s16", "h"), ("u16", "h"), ("s32", "r"), ("u32", "r"), ("s64", "d"), ("u64", "d")];
const FLOATS: [(&str, &str); 4] = [("f16", "H"), ("bf16", "B"), ("f32", "f"), ("f64", "e")];

/// Returns the kind of the full result register, so that its sign extension is compared.
fn result(k: &'static str) -> &'static str {
    if k == "y" { "r" } else { k }
}

/// Returns true if a type can represent all values of another, so that nothing saturates.
fn contains(to: &str, from: &str) -> bool {
    let bits = |t: &str| t[1..].parse::<u32>().unwrap_or(0);
    match (to.starts_with('s'), from.starts_with('s')) {
        (true, false) => bits(to) > bits(from),
        (false, true) => false,
        _ => bits(to) >= bits(from),
    }
}

pub(super) fn forms(out: &mut Vec<Form>) {
    for (to, d) in INTEGERS {
        for (from, a) in INTEGERS {
            add(out, format!("cvt.{to}.{from} d, a"), result(d), a);
            if !contains(to, from) {
                add(out, format!("cvt.sat.{to}.{from} d, a"), result(d), a);
            }
        }
    }
    // Registers wider than the type.
    for (to, d) in [("s8", "h"), ("u8", "h"), ("s8", "d"), ("s16", "r"), ("u16", "r"), ("s16", "d"), ("s32", "d")] {
        add(out, format!("cvt.{to}.s64 d, a"), d, "d");
        if !contains(to, "s32") {
            add(out, format!("cvt.sat.{to}.s32 d, a"), d, "r");
        }
        add(out, format!("cvt.rzi.{to}.f32 d, a"), d, "f");
    }
    for (to, d) in [("s32", "r"), ("u64", "d")] {
        for from in ["s16", "u16"] {
            add(out, format!("cvt.{to}.{from} d, a"), d, "w");
        }
        for from in ["s8", "u8"] {
            add(out, format!("cvt.{to}.{from} d, a"), d, "h");
        }
    }
    for (float, k) in FLOATS {
        for (integer, i) in INTEGERS {
            if float == "bf16" && i == "y" {
                continue;
            }
            for round in ["rni", "rzi", "rmi", "rpi"] {
                add(out, format!("cvt.{round}.{integer}.{float} d, a"), result(i), k);
                if float == "f32" {
                    add(out, format!("cvt.{round}.ftz.{integer}.{float} d, a"), result(i), k);
                }
            }
            if float != "bf16" {
                add(out, format!("cvt.rzi.sat.{integer}.{float} d, a"), result(i), k);
            }
            for round in ["rn", "rz", "rm", "rp"] {
                add(out, format!("cvt.{round}.{float}.{integer} d, a"), k, i);
            }
            if float == "f32" || float == "f16" {
                add(out, format!("cvt.rn.sat.{float}.{integer} d, a"), k, i);
            }
        }
        for round in [".rni", ".rzi", ".rmi", ".rpi", ""] {
            for sat in if float == "bf16" { &[""][..] } else { &["", ".sat"] } {
                add(out, format!("cvt{round}{sat}.{float}.{float} d, a"), k, k);
                if float == "f32" {
                    add(out, format!("cvt{round}.ftz{sat}.{float}.{float} d, a"), k, k);
                }
            }
        }
    }
    for (to, d) in FLOATS {
        for (from, a) in FLOATS {
            let bits = |t: &str| if t.ends_with("16") { 16 } else { t[1..].parse().unwrap_or(0) };
            if to == from {
                continue;
            }
            let widens = bits(to) > bits(from);
            let rounds: &[&str] = if widens { &[""] } else { &[".rn", ".rz", ".rm", ".rp"] };
            let flushes: &[&str] = if to == "f32" || from == "f32" { &["", ".ftz"] } else { &[""] };
            for round in rounds {
                for ftz in flushes {
                    for sat in if [to, from].contains(&"bf16") { &[""][..] } else { &["", ".sat"] } {
                        add(out, format!("cvt{round}{ftz}{sat}.{to}.{from} d, a"), d, a);
                    }
                }
            }
        }
    }
    for round in ["rn", "rz"] {
        for relu in ["", ".relu"] {
            for (to, d) in [("f16", "H"), ("bf16", "B")] {
                if !relu.is_empty() {
                    add(out, format!("cvt.{round}{relu}.{to}.f32 d, a"), d, "f");
                }
            }
            for (to, d) in [("f16x2", "X"), ("bf16x2", "Y")] {
                add(out, format!("cvt.{round}{relu}.{to}.f32 d, a, b"), d, "ff");
            }
            add(out, format!("cvt.{round}{relu}.tf32.f32 d, a"), "f", "f");
            for (to, d) in [("f16", "H"), ("bf16", "B")] {
                add(out, format!("cvt.{round}{relu}.satfinite.{to}.f32 d, a"), d, "f");
            }
            for (to, d) in [("f16x2", "X"), ("bf16x2", "Y")] {
                add(out, format!("cvt.{round}{relu}.satfinite.{to}.f32 d, a, b"), d, "ff");
            }
        }
    }
    add(out, "cvt.rna.tf32.f32 d, a", "f", "f");
    add(out, "cvt.rna.satfinite.tf32.f32 d, a", "f", "f");
    for to in ["s16", "u16"] {
        add(out, format!("cvt.pack.sat.{to}.s32 d, a, b"), "r", "rr");
    }
    for to in ["s8", "u8", "s4", "u4", "s2", "u2"] {
        add(out, format!("cvt.pack.sat.{to}.s32.b32 d, a, b, c"), "r", "rrr");
    }
}
