//! SciPy's functions, as CuPy has them in `cupyx.scipy`.

pub mod special;
