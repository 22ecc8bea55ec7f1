//! Bounds of points along each axis.

/// Returns the smallest and the largest coordinates of points of `ndim` coordinates.
///
/// ```
/// assert_eq!(cuprum_geometry::bounds(&[0.0, 3.0, 2.0, 1.0], 2), [vec![0.0, 1.0], vec![2.0, 3.0]]);
/// ```
pub fn bounds(points: &[f64], ndim: usize) -> [Vec<f64>; 2] {
    let (mut low, mut high) = (vec![f64::INFINITY; ndim], vec![f64::NEG_INFINITY; ndim]);
    for point in points.chunks_exact(ndim) {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(x);
            *high = high.max(x);
        }
    }
    [low, high]
}
