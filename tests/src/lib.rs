//! Workspace tests: conformance, golden data, properties.

pub mod golden;
