//! Functions of arrays and parameters: the harness knows how they are called.

use cuprum::{Error, ErrorKind, Operand};
use cuprum_conformance::subject;
use serde_json::Value as Json;

use super::Called;
use crate::golden_oracle::routine::told;

pub(super) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    const KINDS: [ErrorKind; 7] = [
        ErrorKind::Value,
        ErrorKind::Type,
        ErrorKind::Index,
        ErrorKind::Axis,
        ErrorKind::Overflow,
        ErrorKind::ZeroDivision,
        ErrorKind::LinAlg,
    ];
    let (op, case) = told(name, p)?;
    match subject::routine(op, &case, operands) {
        Ok(results) => Ok(Ok(results)),
        Err((kind, message)) => match KINDS.into_iter().find(|k| k.exception() == kind.to_string()) {
            Some(kind) => Ok(Err(Error::new(kind, message))),
            None => Err(message),
        },
    }
}
