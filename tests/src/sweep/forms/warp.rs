//! Warp-level instructions.

use super::super::form::Form;
use super::add;

/// A member mask, and the condition that selects those lanes.
const MEMBERS: [(&str, &str); 3] =
    [("0xffffffff", ""), ("0x55555555", "lane % 2 == 0"), ("0xfff00001", "lane == 0 || lane >= 20")];

pub(super) fn forms(out: &mut Vec<Form>) {
    for mode in ["up", "down", "bfly", "idx"] {
        for bounds in ["0x1f", "0", "0x1c03", "0x1807", "0x1e1f", "0x1008"] {
            add(out, format!("shfl.sync.{mode}.b32 d|e, a, b, {bounds}, -1"), "rp", "rc");
        }
        add(out, format!("shfl.sync.{mode}.b32 d|e, a, 3, c, -1"), "rp", "rrr");
        add(out, format!("shfl.sync.{mode}.b32 d, a, b, c, -1"), "r", "rcr");
    }
    for (mask, when) in MEMBERS {
        for op in ["all", "any", "uni"] {
            out.push(Form::new(format!("vote.sync.{op}.pred d, a, {mask}"), "p", "p").when(when));
            out.push(Form::new(format!("setp.ne.u32 d, b, 1; vote.sync.{op}.pred d, d, {mask}"), "p", "pr").when(when));
            out.push(Form::new(format!("vote.sync.{op}.pred d, !a, {mask}"), "p", "p").when(when));
        }
        out.push(Form::new(format!("vote.sync.ballot.b32 d, a, {mask}"), "r", "p").when(when));
        out.push(Form::new("activemask.b32 d", "r", "").when(when));
        for (ty, few, any) in [("b32", "n", "r"), ("b64", "N", "d")] {
            for k in [few, any] {
                out.push(Form::new(format!("match.any.sync.{ty} d, a, {mask}"), "r", k).when(when));
                out.push(Form::new(format!("match.all.sync.{ty} d|e, a, {mask}"), "rp", k).when(when));
            }
            let same = if ty == "b32" { "and.b32 a, a, 0" } else { "and.b64 a, a, 0" };
            out.push(Form::new(format!("{same}; match.all.sync.{ty} d|e, a, {mask}"), "rp", few).when(when));
        }
        for ty in ["s32", "u32"] {
            for op in ["add", "min", "max"] {
                out.push(Form::new(format!("redux.sync.{op}.{ty} d, a, {mask}"), "r", "r").when(when));
            }
        }
        for op in ["and", "or", "xor"] {
            out.push(Form::new(format!("redux.sync.{op}.b32 d, a, {mask}"), "r", "r").when(when));
        }
    }
}
