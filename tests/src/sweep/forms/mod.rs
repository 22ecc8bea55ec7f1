//! All forms, by family.

mod approximate;
mod bits;
mod compare;
mod convert;
mod float;
mod half;
mod integer;
mod memory;
mod video;
mod warp;

use super::form::Form;

/// Returns every form of the sweep; those that access memory come last, since a fault there ends the run.
pub fn all() -> Vec<Form> {
    let mut forms = Vec::new();
    integer::forms(&mut forms);
    bits::forms(&mut forms);
    float::forms(&mut forms);
    approximate::forms(&mut forms);
    half::forms(&mut forms);
    convert::forms(&mut forms);
    compare::forms(&mut forms);
    video::forms(&mut forms);
    warp::forms(&mut forms);
    memory::forms(&mut forms);
    forms
}

/// Adds a form of registers.
fn add(forms: &mut Vec<Form>, body: impl Into<String>, results: &str, operands: &str) {
    forms.push(Form::new(body, results, operands));
}

/// The integer types and their kinds.
const INTEGERS: [(&str, &str); 6] =
    [("s16", "h"), ("u16", "h"), ("s32", "r"), ("u32", "r"), ("s64", "d"), ("u64", "d")];
