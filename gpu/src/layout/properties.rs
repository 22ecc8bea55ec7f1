//! Layouts against the enumeration of their elements.
