//! NumPy semantics on the CPU, written to be read.
