//! Sources of the kernels of piecewise polynomials and of tensor products.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Size, Strides, Width, Written, parameters};

/// Highest degree of B-splines.
pub const SPLINE_DEGREES: usize = 31;
/// Largest sum over the axes of the numbers of weights of a tensor product.
pub const TENSOR_WEIGHTS: usize = 160;

parameters! {
    /// Parameters of the kernels `piecewise`, `spline_basis` and `spline_normal`.
    PiecewiseParams<P> {
        /// Number of results, or of points.
        results: usize,
        /// Number of knots.
        count: usize,
        /// Position of the knot at which the first interval begins.
        first: i64,
        /// Position of the knot at which the last interval ends.
        last: i64,
        /// Degree.
        degree: usize,
        /// Order of the derivative.
        nu: usize,
        /// The points of evaluation.
        x: Read<P> as "const f64 *",
        /// The knots.
        knots: Read<P> as "const f64 *",
        /// The coefficients.
        coefficients: Read<P> as "const f64 *",
        /// The results in C order.
        out: Written<P> as "f64 *",
        /// The number of the first B-spline that is not zero at each point.
        begins: Written<P> as "i64 *",
        /// The values of the B-splines at each point.
        basis: Read<P> as "const f64 *",
        /// The weights of the points, if they are not 1.
        weights: Read<P> as "const f64 *",
        /// The values at the points.
        y: Read<P> as "const f64 *",
        /// The matrix of the normal equations.
        normal: Written<P> as "f64 *",
        /// Their right-hand sides.
        rights: Written<P> as "f64 *",
        /// Number of elements of each coefficient.
        trailing: Size,
        /// Polynomials: 0 in powers, 1 in Bernstein polynomials, 2 in B-splines.
        kind: u32,
        /// Outside of the knots: 0 for NaN, 1 for the polynomial of the nearest interval, 2 for the periodic continuation.
        extrapolate: u32,
        /// True if the knots are the negatives of decreasing ones.
        descending: bool,
        /// True if the knots are copied to shared memory.
        shared: bool,
    }
}

/// Returns the source of the kernels `piecewise`, `spline_basis` and `spline_normal`.
pub fn piecewise_source(width: Width) -> String {
    Unit::new(headers([DType::F64], false), "piecewise_polynomials")
        .indexed(width)
        .number("DEGREES", SPLINE_DEGREES)
        .params(&PiecewiseParams::<()> { width, ..Default::default() })
        .with(body!("knots"))
        .with(body!("piecewise"))
        .finish()
}

parameters! {
    /// Parameters of the kernel `tensor_product`: strides in elements.
    TensorProductParams<'a, P> {
        /// Number of results.
        results: usize,
        /// Number of knots of all axes.
        count: usize,
        /// The coordinates, one for each axis, of each point.
        x: Read<P> as "const f64 *",
        /// The knots of the axes, one after the other.
        knots: Read<P> as "const f64 *",
        /// The values at the nodes, or the coefficients.
        values: Read<P> as "const f64 *",
        /// The results in C order.
        out: Written<P> as "f64 *",
        /// The result outside of the knots: of even and of odd trailing elements if they are parts of complex numbers.
        fill: [f64; 2],
        /// Number of elements at each node.
        trailing: Size,
        /// Number of axes.
        rank: u32,
        /// Functions of one variable: 0 linear, 1 nearest, 2 powers, 3 B-splines.
        kind: u32,
        /// True if results outside of the knots are those of the nearest cell.
        extrapolate: bool,
        /// True if trailing elements are parts of complex numbers.
        pairs: bool,
        /// True if the knots are copied to shared memory.
        shared: bool,
        /// Position of the first knot of each axis.
        begins: Strides<'a>,
        /// Number, within the axis, of the knot at which the first interval begins.
        firsts: Strides<'a>,
        /// Number of the knot at which the last interval ends.
        lasts: Strides<'a>,
        /// Degrees.
        degrees: Strides<'a>,
        /// Orders of the derivatives.
        derivatives: Strides<'a>,
        /// Distances of the nodes, or of the intervals.
        steps: Strides<'a>,
        /// Distances of the coefficients of powers.
        power_steps: Strides<'a>,
    }
}

/// Returns the source of the kernel `tensor_product`.
pub fn tensor_product_source(width: Width) -> String {
    Unit::new(headers([DType::F64], false), "tensor_products")
        .indexed(width)
        .number("DEGREES", SPLINE_DEGREES)
        .number("WEIGHTS", TENSOR_WEIGHTS)
        .number("RANK", width.axes())
        .params(&TensorProductParams::<()> { width, ..Default::default() })
        .with(body!("knots"))
        .with(body!("tensor_product"))
        .finish()
}
