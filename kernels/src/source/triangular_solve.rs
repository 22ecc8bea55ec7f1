//! Sources of the kernels that solve systems of equations with a sparse triangular matrix.

use super::compressed::index_type;
use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `triangular_solve`.
    TriangularSolveParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of entries.
        entries: usize,
        /// Number of right-hand sides.
        right_sides: usize,
        /// Number of panels, if there are any.
        panels: usize,
        /// Number of blocks that share the right-hand sides of some rows.
        tiles: usize,
        /// The binary logarithm of the number of right-hand sides of a block.
        across_log2: u32,
        /// The binary logarithm of the number of threads of a row: at least that of right-hand sides.
        lanes_log2: u32,
        /// True if the rows are solved from the last one on: an upper triangle.
        backward: bool,
        /// True if the diagonal is one, whatever is stored.
        unit: bool,
        /// True for the conjugate of the matrix.
        conjugate: bool,
        /// True if the inverses are those of the transposed matrix.
        transposed: bool,
        /// The first row of each panel, and the number of rows.
        starts: Read<P> as "const u32 *",
        /// The number of each panel's inverse, or -1.
        slots: Read<P> as "const i32 *",
        /// The inverses: 32 rows of 32 elements each, of which those of the panel's rows and columns are defined.
        inverses: Read<P> as "const value *",
        /// Not zero for an inverse that is used.
        stable: Read<P> as "const u32 *",
        /// The end of each row, after a zero.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// The values.
        values: Read<P> as "const value *",
        /// The row of `b` for each row of the matrix, if they are permuted.
        gather: Read<P> as "const index *",
        /// The right-hand sides.
        b: Read<P> as "const value *",
        /// The distances of their rows and of their columns, in elements.
        b_steps: [i64; 2],
        /// The solutions in C order, unknown at first.
        x: Written<P> as "value *",
        /// Number of blocks that have started, from -1 on.
        ticket: Written<P> as "u64 *",
        /// The row of `out` for each row of the matrix, if they are permuted.
        scatter: Read<P> as "const index *",
        /// A second copy of the solutions.
        out: Written<P> as "value *",
        /// The distances of its rows and of its columns, in elements.
        out_steps: [i64; 2],
    }
}

parameters! {
    /// Parameters of the kernel `triangular_inverses`.
    TriangularInverseParams<P> {
        /// True for an upper triangle.
        backward: bool,
        /// True if the diagonal is one, whatever is stored.
        unit: bool,
        /// The end of each row, after a zero.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// The values.
        values: Read<P> as "const value *",
        /// The first row of each panel, and the number of rows.
        starts: Read<P> as "const u32 *",
        /// The number of each panel's inverse, or -1.
        slots: Read<P> as "const i32 *",
        /// The inverses: 32 rows of 32 elements each.
        inverses: Written<P> as "value *",
        /// Becomes 1 for an inverse of moderate growth, otherwise 0.
        stable: Written<P> as "u32 *",
    }
}

/// Returns the source of the kernel `triangular_inverses` for values of float32, float64, complex64 or complex128.
pub fn triangular_inverses_source(dtype: DType, wide: bool) -> String {
    Unit::new(headers([dtype], false), "triangular_inverses")
        .typed("value", dtype.device_name())
        .typed("index", index_type(wide))
        .switch("COMPLEX", dtype.is_complex())
        .params(&TriangularInverseParams::<()>::default())
        .with(body!("triangular_inverses"))
        .finish()
}

/// Returns the source of the kernel `triangular_solve` for values of float32, float64, complex64 or complex128.
pub fn triangular_solve_source(dtype: DType, wide: bool) -> String {
    let single = matches!(dtype, DType::F32 | DType::C64);
    Unit::new(headers([dtype], false), "triangular_solve")
        .typed("value", dtype.device_name())
        .typed("index", index_type(wide))
        .typed("word", if single { "u32" } else { "u64" })
        .switch("COMPLEX", dtype.is_complex())
        .params(&TriangularSolveParams::<()>::default())
        .with(body!("published"))
        .with(body!("triangular_solve"))
        .finish()
}
