//! NumPy-compatible n-dimensional arrays on NVIDIA GPUs, with an embedded simulator where there is none.
