//! Source of the kernels of series in a basis of orthogonal polynomials.

use std::fmt::Write;

use super::horner::function;
use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};
use crate::registry::UfuncId;

parameters! {
    /// Parameters of the kernel `series_values`.
    SeriesValuesParams<P> {
        /// Number of values.
        results: usize,
        /// Number of points.
        points: usize,
        /// Number of coefficients of a series, at least one.
        count: usize,
        /// Number of series: the distance of their coefficients.
        columns: usize,
        /// The basis, numbered as in the header.
        basis: u32,
        /// True if each point has a series of its own, false if every series is evaluated at every point.
        paired: bool,
        /// The contiguous points.
        input: Read<P>,
        /// The contiguous coefficients, those of one degree in a row.
        coefficients: Read<P>,
        /// The contiguous values.
        out: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernel `series_vandermonde`.
    SeriesVandermondeParams<P> {
        /// Number of points.
        points: usize,
        /// The highest degree.
        degree: usize,
        /// The basis, numbered as in the header.
        basis: u32,
        /// The contiguous points.
        input: Read<P>,
        /// The contiguous values, those of one degree in a row.
        out: Written<P>,
    }
}

/// Key of the kernels `series_values`, with the parameters [`SeriesValuesParams`], and `series_vandermonde`, with
/// [`SeriesVandermondeParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Series {
    /// The dtype of coefficients, points and values: floating-point or complex.
    pub element: DType,
}

impl Series {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        format!("series/{}", self.element)
    }

    /// Returns the source of both kernels.
    pub fn source(&self) -> String {
        let dtype = self.element;
        let mut shared = headers([dtype], true);
        let names = [("times", "multiply"), ("plus", "add"), ("minus", "subtract")];
        for (_, of) in names {
            let op = UfuncId::named(of).expect("it is in the registry").record();
            shared.push_str(op.text);
            if dtype.is_complex() {
                shared.push_str(op.complex_text);
            }
        }
        let unit = Unit::new(shared, "series")
            .typed("element", dtype.device_name())
            .params_as("values_params", &SeriesValuesParams::<()>::default())
            .params_as("vandermonde_params", &SeriesVandermondeParams::<()>::default());
        let mut text = String::new();
        for (name, of) in names {
            function(&mut text, name, of, dtype);
        }
        let _ = writeln!(text, "DEVICE element real(f64 e) {{ return {}; }}", cast(DType::F64, dtype, "e"));
        unit.with(&text).with(body!("series")).finish()
    }
}
