//! Bounds of points along each axis.

/// Returns the smallest and the largest coordinates of points of `ndim` coordinates.
///
/// ```
/// assert_eq!(cuprum_geometry::bounds(&[0.0, 3.0, 2.0, 1.0], 2), [vec![0.0, 1.0], vec![2.0, 3.0]]);
/// ```
pub fn bounds(points: &[f64], ndim: usize) -> [Vec<f64>; 2] {
    let along = |k: usize| {
        // A comparison that is rarely true takes less time than a minimum, which waits for the one before it.
        points.chunks_exact(ndim).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
            let x = point[k];
            [if x < low { x } else { low }, if x > high { x } else { high }]
        })
    };
    let all: Vec<[f64; 2]> = (0..ndim).map(along).collect();
    [0, 1].map(|end| all.iter().map(|bounds| bounds[end]).collect())
}
