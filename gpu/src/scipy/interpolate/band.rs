//! Banded least squares by rotations, and values of B-splines, on the host.

/// Rotation that turns (diagonal, pivot) into (length, 0).
fn rotation(pivot: f64, diagonal: &mut f64) -> (f64, f64) {
    let length = pivot.hypot(*diagonal);
    if length == 0.0 {
        return (1.0, 0.0);
    }
    let (cos, sin) = (*diagonal / length, pivot / length);
    *diagonal = length;
    (cos, sin)
}

fn rotate((cos, sin): (f64, f64), a: &mut f64, b: &mut f64) {
    (*a, *b) = (cos * *a - sin * *b, cos * *b + sin * *a);
}

/// Upper triangle of a band: a row of `width` elements from the diagonal on.
pub(super) struct Band {
    pub(super) rows: Vec<f64>,
    pub(super) width: usize,
}

impl Band {
    /// Adds a row of the system that begins in column `begin`, and returns what remains of its right-hand side.
    pub(super) fn add(&mut self, mut row: Vec<f64>, begin: usize, mut right: f64, z: &mut [f64]) -> f64 {
        let n = z.len();
        for j in begin..n {
            let pivot = row[0];
            if pivot != 0.0 {
                let own = &mut self.rows[j * self.width..(j + 1) * self.width];
                let turn = rotation(pivot, &mut own[0]);
                rotate(turn, &mut right, &mut z[j]);
                for i in 1..self.width.min(row.len()) {
                    rotate(turn, &mut row[i], &mut own[i]);
                }
            }
            row.rotate_left(1);
            if let Some(last) = row.last_mut() {
                *last = 0.0;
            }
            if row.iter().all(|v| *v == 0.0) {
                break;
            }
        }
        right
    }

    /// Returns the solution for rotated right-hand sides.
    pub(super) fn solve(&self, z: &[f64]) -> Vec<f64> {
        let n = z.len();
        let mut c = z.to_vec();
        for i in (0..n).rev() {
            let row = &self.rows[i * self.width..];
            let sum: f64 = (1..self.width.min(n - i)).map(|j| row[j] * c[i + j]).sum();
            c[i] = (c[i] - sum) / row[0];
        }
        c
    }
}

/// Values of the B-splines that are not zero between knots `i` and `i + 1`.
pub(super) fn basis(t: &[f64], k: usize, x: f64, i: usize) -> Vec<f64> {
    let mut h = vec![0.0; k + 1];
    h[0] = 1.0;
    for j in 1..=k {
        let mut carried = 0.0;
        for n in 1..=j {
            let (right, left) = (t[i + n], t[i + n - j]);
            let part = if right == left { 0.0 } else { h[n - 1] / (right - left) };
            h[n - 1] = carried + part * (right - x);
            carried = part * (x - left);
        }
        h[j] = carried;
    }
    h
}
