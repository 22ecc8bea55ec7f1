//! Mathematical functions.

pub(crate) mod angle;
pub(crate) mod clip;
pub(crate) mod cross;
pub(crate) mod difference;
pub(crate) mod gradient;
pub(crate) mod interp;
pub(crate) mod rounding;
