//! How a linear filter weighs the texels about a place.

/// The weights of the eight texels about a place, x counting fastest, of its fractions along x, y and z; all in 256ths. The
/// guide tells a weight of one axis alone; how their products are rounded is what an H200 does: each to 256ths, so that
/// all of them are one. Of a level that counts in part the first product is with its weight.
pub(crate) fn weights(level: u64, [x, y, z]: [u64; 3]) -> [u64; 8] {
    let mut all = [0; 8];
    let back = (level * z + 128) / 256;
    for (k, plane) in [level - back, back].into_iter().enumerate() {
        let right = (plane * x + 128) / 256;
        let left = plane - right;
        let (upper_right, upper_left) = ((right * y + 128) / 256, (left * y + 127) / 256);
        all[4 * k..][..4].copy_from_slice(&[left - upper_left, right - upper_right, upper_left, upper_right]);
    }
    all
}

/// 8 bits of a fraction: to the nearest.
pub(crate) fn nearest(a: f64) -> u64 {
    (a * 256.0 + 0.5).floor() as u64
}
