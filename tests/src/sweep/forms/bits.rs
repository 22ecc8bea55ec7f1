//! Bit instructions: logic, shifts, fields, permutations.

use super::super::form::Form;
use super::add;

pub(super) fn forms(out: &mut Vec<Form>) {
    for (ty, k) in [("pred", "p"), ("b16", "h"), ("b32", "r"), ("b64", "d")] {
        for op in ["and", "or", "xor"] {
            add(out, format!("{op}.{ty} d, a, b"), k, &k.repeat(2));
        }
        add(out, format!("not.{ty} d, a"), k, k);
        if k == "p" {
            continue;
        }
        add(out, format!("cnot.{ty} d, a"), k, k);
        add(out, format!("shl.{ty} d, a, b"), k, &format!("{k}c"));
        for sign in ["b", "u", "s"] {
            add(out, format!("shr.{sign}{} d, a, b", &ty[1..]), k, &format!("{k}c"));
        }
        if k == "h" {
            continue;
        }
        add(out, format!("brev.{ty} d, a"), k, k);
        add(out, format!("popc.{ty} d, a"), "r", k);
        add(out, format!("clz.{ty} d, a"), "r", k);
        add(out, format!("bfi.{ty} d, a, b, c, x"), k, &format!("{k}{k}cc"));
        for sign in ["u", "s"] {
            let bits = &ty[1..];
            add(out, format!("bfe.{sign}{bits} d, a, b, c"), k, &format!("{k}cc"));
            add(out, format!("bfind.{sign}{bits} d, a"), "r", k);
            add(out, format!("bfind.shiftamt.{sign}{bits} d, a"), "r", k);
        }
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        add(out, format!("prmt.b32{mode} d, a, b, c"), "r", "rrr");
    }
    for table in ["0x96", "0xe8", "0xca", "0x01", "0xfe", "0x3c", "0x1b", "0xff", "0x00", "0x6a"] {
        add(out, format!("lop3.b32 d, a, b, c, {table}"), "r", "rrr");
    }
    for (op, table) in [("or", "0x96"), ("and", "0xe8"), ("or", "0x80"), ("and", "0xfe")] {
        add(out, format!("lop3.{op}.b32 d|e, a, b, c, {table}, x"), "rp", "nnnp");
        add(out, format!("lop3.{op}.b32 _|d, a, b, c, {table}, !x"), "p", "nnnp");
    }
    for side in ["l", "r"] {
        for mode in ["wrap", "clamp"] {
            add(out, format!("shf.{side}.{mode}.b32 d, a, b, c"), "r", "rrc");
        }
    }
    for mode in ["wrap", "clamp"] {
        add(out, format!("bmsk.{mode}.b32 d, a, b"), "r", "cc");
        for ty in ["u32", "s32"] {
            add(out, format!("szext.{mode}.{ty} d, a, b"), "r", "rc");
        }
    }
    // The base is a position, the offset a small signed count.
    add(out, "and.b32 b, b, 31; and.b32 c, c, 15; sub.s32 c, c, 8; fns.b32 d, a, b, c", "r", "rcr");
    add(out, "and.b32 b, b, 31; fns.b32 d, a, b, 0", "r", "nc");
    add(out, "mov.b32 d, {a, b}", "r", "hh");
    add(out, "mov.b64 d, {a, b}", "d", "rr");
    add(out, "mov.b64 d, {a, b, c, x}", "d", "hhhh");
    add(out, "mov.b64 {d, e}, a", "rr", "d");
    add(out, "mov.b32 {d, e}, a", "hh", "r");
    add(out, "mov.b64 {_, d}, a", "r", "d");
    add(out, "mov.f32 d, a", "f", "f");
    add(out, "mov.f64 d, a", "e", "e");
    add(out, "mov.pred d, a", "p", "p");
}
