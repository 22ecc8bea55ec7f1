//! Comparisons and selections.

use super::super::form::Form;
use super::{INTEGERS, add};

const ORDERED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 4] = ["lo", "ls", "hi", "hs"];
const FLOAT: [&str; 14] = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

pub(super) fn forms(out: &mut Vec<Form>) {
    let mut types: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for (ty, k) in INTEGERS {
        let unsigned: &[&str] = if ty.starts_with('u') { &UNSIGNED } else { &[] };
        types.push((ty, k, ORDERED.iter().chain(unsigned).copied().collect()));
    }
    for (ty, k) in [("b16", "h"), ("b32", "r"), ("b64", "d")] {
        types.push((ty, k, vec!["eq", "ne"]));
    }
    for (ty, k) in [("f32", "f"), ("f64", "e"), ("f16", "H"), ("bf16", "B")] {
        types.push((ty, k, FLOAT.to_vec()));
    }
    for (ty, k, conditions) in &types {
        for condition in conditions {
            // 16-bit floats have no second result.
            let (pair, results) = if ty.ends_with("f16") { ("d", "p") } else { ("d|e", "pp") };
            add(out, format!("setp.{condition}.{ty} {pair}, a, b"), results, &k.repeat(2));
            if matches!(*ty, "f32" | "f16") {
                add(out, format!("setp.{condition}.ftz.{ty} {pair}, a, b"), results, &k.repeat(2));
            }
            let set: &[(&str, &str)] = match *ty {
                "f16" => &[("u16", "h"), ("s32", "r"), ("f16", "H")],
                "bf16" => &[("u16", "h"), ("s32", "r"), ("bf16", "B")],
                _ => &[("u32", "r"), ("s32", "r"), ("f32", "f"), ("f16", "H"), ("bf16", "B")],
            };
            for (to, d) in set {
                add(out, format!("set.{condition}.{to}.{ty} d, a, b"), d, &k.repeat(2));
            }
        }
        let condition = conditions[conditions.len() / 2];
        for combine in ["and", "or", "xor"] {
            let operands = format!("{k}{k}p");
            add(out, format!("setp.{condition}.{combine}.{ty} d, a, b, c"), "p", &operands);
            add(out, format!("setp.{condition}.{combine}.{ty} d, a, b, !c"), "p", &operands);
            if !ty.ends_with("f16") {
                add(out, format!("setp.{condition}.{combine}.{ty} d|e, a, b, c"), "pp", &operands);
                add(out, format!("setp.{condition}.{combine}.{ty} d|e, a, b, !c"), "pp", &operands);
            }
            add(out, format!("set.{condition}.{combine}.u32.{ty} d, a, b, c"), "r", &operands);
        }
    }
    for condition in FLOAT {
        add(out, format!("set.{condition}.ftz.f32.f32 d, a, b"), "f", "ff");
        for (ty, k) in [("f16x2", "X"), ("bf16x2", "Y")] {
            add(out, format!("setp.{condition}.{ty} d|e, a, b"), "pp", &k.repeat(2));
            add(out, format!("set.{condition}.{ty}.{ty} d, a, b"), k, &k.repeat(2));
            add(out, format!("set.{condition}.u32.{ty} d, a, b"), "r", &k.repeat(2));
        }
    }
    for (ty, k) in [("b16", "h"), ("b32", "r"), ("b64", "d"), ("f32", "f"), ("f64", "e")].iter().chain(&INTEGERS) {
        add(out, format!("selp.{ty} d, a, b, c"), k, &format!("{k}{k}p"));
        add(out, format!("slct.{ty}.s32 d, a, b, c"), k, &format!("{k}{k}r"));
        add(out, format!("slct.{ty}.f32 d, a, b, c"), k, &format!("{k}{k}f"));
        add(out, format!("slct.ftz.{ty}.f32 d, a, b, c"), k, &format!("{k}{k}f"));
    }
}
