//! Weights of the texels in linear texture filtering.

/// Returns the weights of the eight texels around a position, x varying fastest, from its fractions along x, y and z,
/// all in 256ths. The programming guide defines the weight along a single axis; products are rounded to 256ths as on an
/// H200, so that they sum to one. `level` is the weight of a mipmap level, which enters the first product.
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

/// Rounds a fraction to the nearest of 8 bits.
pub(crate) fn nearest(a: f64) -> u64 {
    (a * 256.0 + 0.5).floor() as u64
}
