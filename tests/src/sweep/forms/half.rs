//! float16 and bfloat16 arithmetic, scalar and packed.

use super::super::form::Form;
use super::add;

pub(super) fn forms(out: &mut Vec<Form>) {
    for (ty, k) in [("f16", "H"), ("f16x2", "X"), ("bf16", "B"), ("bf16x2", "Y")] {
        // bfloat16 supports neither flushing nor saturation.
        let wide = k == "H" || k == "X";
        let modes: &[&str] = if wide { &["", ".rn", ".ftz", ".sat", ".rn.ftz.sat"] } else { &["", ".rn"] };
        for mode in modes {
            for op in ["add", "sub", "mul"] {
                add(out, format!("{op}{mode}.{ty} d, a, b"), k, &k.repeat(2));
            }
        }
        let modes: &[&str] =
            if wide { &["", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"] } else { &["", ".relu"] };
        for mode in modes {
            add(out, format!("fma.rn{mode}.{ty} d, a, b, c"), k, &k.repeat(3));
        }
        let flushes: &[&str] = if wide { &["", ".ftz"] } else { &[""] };
        for ftz in flushes {
            for op in ["min", "max"] {
                for nan in ["", ".NaN"] {
                    for sign in ["", ".xorsign.abs"] {
                        add(out, format!("{op}{ftz}{nan}{sign}.{ty} d, a, b"), k, &k.repeat(2));
                    }
                }
            }
            for op in ["neg", "abs"] {
                add(out, format!("{op}{ftz}.{ty} d, a"), k, k);
            }
        }
        let ftz = if wide { "" } else { ".ftz" };
        add(out, format!("ex2.approx{ftz}.{ty} d, a"), k, k);
        add(out, format!("tanh.approx.{ty} d, a"), k, k);
    }
}
