//! Instructions for which only an error bound is specified.

use super::super::form::Form;
use super::add;

pub(super) fn forms(out: &mut Vec<Form>) {
    for ftz in ["", ".ftz"] {
        for op in ["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"] {
            add(out, format!("{op}.approx{ftz}.f32 d, a"), "f", "f");
            // Values near zero and one, where sines and exponentials have most digits, and the same values negated.
            add(out, format!("{op}.approx{ftz}.f32 d, a; neg.f32 b, a; {op}.approx{ftz}.f32 e, b"), "ff", "ss");
        }
        add(out, format!("div.approx{ftz}.f32 d, a, b"), "f", "ff");
        add(out, format!("div.full{ftz}.f32 d, a, b"), "f", "ff");
        add(out, format!("rsqrt.approx{ftz}.f64 d, a"), "e", "e");
    }
    add(out, "tanh.approx.f32 d, a", "f", "s");
    add(out, "rcp.approx.ftz.f64 d, a", "e", "e");
}
