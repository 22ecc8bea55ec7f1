//! Nothing: `Cargo.toml` is what the other packages use of this one.
