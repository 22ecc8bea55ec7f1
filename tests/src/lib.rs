//! Workspace tests: conformance, golden data, properties.
