//! Correctly rounded float32 and float64 arithmetic.

use super::super::form::Form;
use super::add;

const ROUNDINGS: [&str; 5] = ["", ".rn", ".rz", ".rm", ".rp"];

pub(super) fn forms(out: &mut Vec<Form>) {
    for round in ROUNDINGS {
        for op in ["add", "sub", "mul"] {
            for ftz in ["", ".ftz"] {
                for sat in ["", ".sat"] {
                    add(out, format!("{op}{round}{ftz}{sat}.f32 d, a, b"), "f", "ff");
                }
            }
            add(out, format!("{op}{round}.f64 d, a, b"), "e", "ee");
        }
        if round.is_empty() {
            continue;
        }
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                add(out, format!("fma{round}{ftz}{sat}.f32 d, a, b, c"), "f", "fff");
            }
            add(out, format!("mad{round}{ftz}.f32 d, a, b, c"), "f", "fff");
            add(out, format!("div{round}{ftz}.f32 d, a, b"), "f", "ff");
            add(out, format!("rcp{round}{ftz}.f32 d, a"), "f", "f");
            add(out, format!("sqrt{round}{ftz}.f32 d, a"), "f", "f");
        }
        add(out, format!("fma{round}.f64 d, a, b, c"), "e", "eee");
        add(out, format!("mad{round}.f64 d, a, b, c"), "e", "eee");
        add(out, format!("div{round}.f64 d, a, b"), "e", "ee");
        add(out, format!("rcp{round}.f64 d, a"), "e", "e");
        add(out, format!("sqrt{round}.f64 d, a"), "e", "e");
    }
    for op in ["min", "max"] {
        for ftz in ["", ".ftz"] {
            for nan in ["", ".NaN"] {
                for sign in ["", ".xorsign.abs"] {
                    add(out, format!("{op}{ftz}{nan}{sign}.f32 d, a, b"), "f", "ff");
                }
            }
        }
        add(out, format!("{op}.f64 d, a, b"), "e", "ee");
    }
    for op in ["abs", "neg"] {
        add(out, format!("{op}.f32 d, a"), "f", "f");
        add(out, format!("{op}.ftz.f32 d, a"), "f", "f");
        add(out, format!("{op}.f64 d, a"), "e", "e");
    }
    for (ty, k) in [("f32", "f"), ("f64", "e")] {
        add(out, format!("copysign.{ty} d, a, b"), k, &k.repeat(2));
        for question in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            add(out, format!("testp.{question}.{ty} d, a"), "p", k);
        }
    }
}
