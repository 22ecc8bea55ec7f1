//! The results of one call, by the values of which they were computed: arrays repeat values, and an exact result may
//! take a millisecond.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::core::value::{Flag, Value};

/// The bits of up to four values, the most that a function takes.
type Key = [u128; 4];

/// Known results of a function for operands of one dtype each.
#[derive(Default)]
pub(super) struct Known(RefCell<HashMap<Key, (Value, Flag)>>);

impl Known {
    /// Returns the result for these values, evaluated by `f` for those that did not occur before.
    pub(super) fn get_or_evaluate(&self, args: &[Value], f: impl FnOnce() -> (Value, Flag)) -> (Value, Flag) {
        debug_assert!(args.len() <= 4, "{} operands", args.len());
        let mut key = Key::default();
        for (slot, value) in key.iter_mut().zip(args) {
            *slot = bits(*value);
        }
        *self.0.borrow_mut().entry(key).or_insert_with(f)
    }
}

/// Returns the bits of a value, by which zeros of both signs differ, as NaNs do.
fn bits(value: Value) -> u128 {
    match value {
        Value::Bool(v) => v.into(),
        Value::Int(v) => v as u128,
        Value::Float(v) => v.to_bits().into(),
        Value::Complex(v) => u128::from(v.re.to_bits()) << 64 | u128::from(v.im.to_bits()),
    }
}
