//! Lifted points of a Delaunay triangulation: its simplices are the lower hull of the points on a paraboloid, in Qhull's scale.

use std::sync::LazyLock;

use cuprum_kernels::{DType, Kind};
use cuprum_macros::unrecorded;

use super::delaunay::Delaunay;
use super::{Lazy, kernel, of_dtype, run, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::routines::creation::ascontiguousarray;
use crate::routines::math;

static LIFT: Lazy = LazyLock::new(|| {
    let operation = "
    const long long row = i / (ndim + 1) * ndim, k = i % (ndim + 1);
    if (k < ndim) {
      lifted = x[row + k];
    } else {
      double height = 0;
      for (long long j = 0; j < ndim; ++j) height += x[row + j] * x[row + j];
      lifted = scale * height + shift;
    }";
    kernel("lift_points", "raw float64 x, int64 ndim, float64 scale, float64 shift", "float64 lifted", operation)
});

// A plane is the heights at the last vertex and along the edges from it, by the map to barycentric coordinates. At most 12 dimensions are triangulated.
static PLANES: Lazy = LazyLock::new(|| {
    let operation = "
    const long long t = i / (ndim + 2), k = i % (ndim + 2), map = t * (ndim + 1) * ndim;
    const double last = lifted[(long long)simplices[t * (ndim + 1) + ndim] * (ndim + 1) + ndim];
    double slopes[12], square = 1, offset = last;
    for (int j = 0; j < ndim; ++j) {
      slopes[j] = 0;
      for (int c = 0; c < ndim; ++c) {
        const double height = lifted[(long long)simplices[t * (ndim + 1) + c] * (ndim + 1) + ndim];
        slopes[j] += (height - last) * maps[map + c * ndim + j];
      }
      square += slopes[j] * slopes[j];
      offset -= slopes[j] * maps[map + ndim * ndim + j];
    }
    plane = (k < ndim ? slopes[k] : k == ndim ? -1.0 : offset) / sqrt(square);";
    let inputs = "raw float64 lifted, raw float64 maps, raw int32 simplices, int64 ndim";
    kernel("lifted_planes", inputs, "float64 plane", operation)
});

impl Delaunay {
    /// Returns the factor and the offset of the paraboloid's heights: those of the points, with a point above them, reach the largest
    /// coordinate.
    pub fn paraboloid(&self) -> [f64; 2] {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in self.host().chunks(self.ndim()) {
            let height = point.iter().map(|x| x * x).sum::<f64>();
            (low, high) = (low.min(height), high.max(height));
        }
        let [least, most] = self.bounds();
        let most = least.iter().chain(most).fold(0.0f64, |most, x| most.max(x.abs()));
        let scale = most / (1.1 * high - low);
        [scale, -low * scale]
    }

    /// Returns points with their heights on the paraboloid as one more coordinate, float64, as SciPy's `Delaunay.lift_points`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array without axes or with a last one of another length than the coordinates; [`ErrorKind::Type`] for complex points.
    ///
    /// ```
    /// use cuprum::{array, scipy::spatial::Delaunay};
    /// let triangle = Delaunay::new(&array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])?)?;
    /// let [scale, shift] = triangle.paraboloid();
    /// let lifted = triangle.lift_points(&array([2.0, 1.0])?)?.to_vec::<f64>()?;
    /// assert_eq!(lifted[..2], [2.0, 1.0]);
    /// assert!((lifted[2] - (5.0 * scale + shift)).abs() < 1e-15);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[unrecorded("takes a triangulation: compared with SciPy's in `gpu/python/tests/test_delaunay.py`")]
    pub fn lift_points(&self, x: &Array) -> Result<Array> {
        let ndim = self.ndim();
        if x.dtype().kind() == Kind::Complex {
            return Err(Error::new(ErrorKind::Type, "lift_points: points are real, not complex"));
        }
        if x.shape().last() != Some(&ndim) {
            let shape = x.shape();
            return wrong(format!(
                "lift_points: points of shape {shape:?}: the last axis must have {ndim} coordinates"
            ));
        }
        let x = ascontiguousarray(&of_dtype(x, DType::F64)?)?;
        let shape = [&x.shape()[..x.ndim() - 1], &[ndim + 1]].concat();
        let out = make::empty(x.device(), &shape, DType::F64)?;
        if out.size() > 0 {
            let [scale, shift] = self.paraboloid();
            run(&LIFT, &[(&x).into(), (ndim as i64).into(), scale.into(), shift.into()], &[&out], None)?;
        }
        Ok(out)
    }

    /// Returns the unit normal, which points down, and the offset of the hyperplane of each lifted simplex: float64 of the shape (simplices, ndim + 2), as
    /// SciPy's `Delaunay.equations`. Those of simplices without a map to barycentric coordinates are NaN.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn equations(&self) -> Result<Array> {
        let lifted = self.lift_points(self.points())?;
        let maps = self.transform()?;
        let shape = [self.simplices().shape()[0], self.ndim() + 2];
        let out = make::empty(lifted.device(), &shape, DType::F64)?;
        let arguments = [(&lifted).into(), (&maps).into(), self.simplices().into(), (self.ndim() as i64).into()];
        run(&PLANES, &arguments, &[&out], None)?;
        Ok(out)
    }

    /// Returns the signed distances of lifted points from the hyperplanes of all simplices, float64 with the simplices as the last axis, as SciPy's
    /// `Delaunay.plane_distance`.
    ///
    /// # Errors
    ///
    /// Same as [`Delaunay::lift_points`].
    #[unrecorded("takes a triangulation: compared with SciPy's in `gpu/python/tests/test_delaunay.py`")]
    pub fn plane_distance(&self, xi: &Array) -> Result<Array> {
        let lifted = self.lift_points(xi)?;
        let equations = self.equations()?;
        let normals = equations.index(s![.., ..-1])?.transpose(())?;
        math::add(&lifted.matmul(&normals)?, &equations.index(s![.., -1])?)
    }
}
