//! Functions of arrays and parameters: the harness knows how they are called.

use std::sync::OnceLock;

use cuprum_conformance::Matrix;
use cuprum_conformance::case::{Case, ValueSet};
use cuprum_conformance::matrix::Op;
use cuprum_conformance::reference;
use cuprum_oracle::{ErrorKind, Operand, OracleError};
use serde_json::Value as Json;

use super::Called;

/// The operation of this name, and a case of the parameters that it is told.
pub(crate) fn told(name: &str, p: &Json) -> Result<(&'static Op, Case), String> {
    static MATRIX: OnceLock<Matrix> = OnceLock::new();
    let matrix = MATRIX.get_or_init(|| Matrix::built_in().expect("matrix.yaml is read"));
    let op = matrix.op(name).ok_or_else(|| format!("matrix.yaml has no {name}"))?;
    let params = p["told"].as_str().ok_or("nothing is told")?.parse()?;
    let (family, op_name) = (op.family.clone(), op.name.clone());
    Ok((op, Case { family, op: op_name, operands: vec![], values: ValueSet::Small.into(), params }))
}

pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
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
    match reference::routine(op, &case, operands) {
        Ok(results) => Ok(Ok(results)),
        Err((kind, message)) => match KINDS.into_iter().find(|k| k.numpy_name() == kind.to_string()) {
            Some(kind) => Ok(Err(OracleError::new(kind, message))),
            None => Err(message),
        },
    }
}
