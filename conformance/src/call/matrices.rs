//! Matrices with known spectra, which replace an operand of a case if `of` names a kind.
//!
//! They are products of two reflections with a diagonal between them, whose elements are the singular values; for a
//! Hermitian kind both reflections are the same, and the elements are the eigenvalues. With a complex dtype the
//! reflections have complex parts.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::outcome::{Number, Tensor};

/// Functions whose first operand can be of a kind.
pub(super) const MADE: [&str; 21] = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "lu_factor",
    "matrix_rank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "cho_solve",
    "cho_factor",
    "expm",
    "lu",
];

/// Returns element `k` of a diagonal of `n`.
fn spectrum(kind: &str, k: usize, n: usize) -> Option<f64> {
    let (k, n) = (k as f64, n as f64);
    Some(match kind {
        "orthogonal" => 1.0,
        // Descending from 1 to 2^-10.
        "graded" => (-10.0 * k / n.max(2.0)).exp2(),
        "clustered" => 1.0 + if k < n / 2.0 { 1e-6 * k } else { 1.0 },
        "deficient" => {
            if k < n / 2.0 {
                1.0 + k
            } else {
                0.0
            }
        }
        "definite" => 1.0 + k,
        "indefinite" => {
            if k == 0.0 {
                -1.0
            } else {
                1.0 + k
            }
        }
        "alternating" => {
            if k % 2.0 == 0.0 {
                1.0 + k
            } else {
                -0.5 - k
            }
        }
        "tiny" => (1.0 + k) * 1e-20,
        "huge" => (1.0 + k) * 1e15,
        _ => return None,
    })
}

/// Creates a Householder reflection of `n` elements for a vector that the seed selects.
fn reflection(n: usize, seed: usize, complex: bool) -> Vec<Vec<Complex64>> {
    let part = |k: usize| ((k * 37 + seed * 11 + 5) % 17) as f64 / 8.0 - 0.9;
    let v: Vec<Complex64> = (0..n).map(|k| Complex64::new(part(k), if complex { part(k + 29) } else { 0.0 })).collect();
    let size: f64 = v.iter().map(|x| x.norm_sqr()).sum();
    let one = |i: usize, j: usize| Complex64::new(f64::from(u8::from(i == j)), 0.0);
    (0..n).map(|i| (0..n).map(|j| one(i, j) - 2.0 * v[i] * v[j].conj() / size).collect()).collect()
}

/// Creates a batch of matrices of a kind, with the shape and the dtype of an operand.
pub(super) fn of_kind(kind: &str, like: &Tensor) -> Result<Tensor, String> {
    let &[ref stack @ .., m, n] = &like.shape[..] else { return Ok(like.clone()) };
    let complex = like.dtype.is_complex();
    let hermitian = ["definite", "indefinite", "alternating"].contains(&kind);
    let mut bytes = vec![];
    for number in 0..stack.iter().product() {
        let scale = 1.0 + number as f64;
        let (left, right) =
            (reflection(m, 1 + number, complex), reflection(n, if hermitian { 1 + number } else { 3 }, complex));
        for i in 0..m {
            for j in 0..n {
                let z: Complex64 = match kind {
                    "hilbert" => Complex64::new(scale / (1 + i + j) as f64, 0.0),
                    "nan" => Complex64::new(if i + j == 0 { f64::NAN } else { 1.0 }, 0.0),
                    // The last rows are equal.
                    "singular" => Complex64::new(
                        if i + 2 > m && i > 0 { j as f64 + 1.0 } else { ((i * n + j * j) % 5) as f64 },
                        0.0,
                    ),
                    // Zero below the diagonal: real eigenvalues.
                    "triangle" => {
                        Complex64::new(if i > j { 0.0 } else { (1 + i) as f64 + (j - i.min(j)) as f64 / 2.0 }, 0.0)
                    }
                    // Rotations of planes: pairs of complex eigenvalues.
                    "turning" => Complex64::new(
                        if i % 2 == 0 && j == i + 1 {
                            1.0 + i as f64
                        } else if i % 2 == 1 && j + 1 == i {
                            -1.0 - i as f64
                        } else if i == j {
                            0.5
                        } else {
                            0.0
                        },
                        0.0,
                    ),
                    "integers" => Complex64::new(if i == j { m as f64 + 2.0 } else { 1.0 }, 0.0),
                    _ => {
                        let mut sum = Complex64::default();
                        for k in 0..m.min(n) {
                            let by = spectrum(kind, k, m.min(n))
                                .ok_or_else(|| format!("there are no matrices of the kind {kind}"))?;
                            sum += left[i][k] * by * right[j][k].conj();
                        }
                        sum * scale
                    }
                };
                bytes.extend(number_of(z, like.dtype).encode(like.dtype));
            }
        }
    }
    Ok(Tensor::packed(like.dtype, &like.shape, bytes))
}

fn number_of(z: Complex64, dtype: DType) -> Number {
    match dtype {
        d if d.is_complex() => Number::Complex(z.re, z.im),
        d if d.is_float() => Number::Float(z.re),
        d if d.kind() == Kind::Signed => Number::Int(z.re as i128),
        _ => Number::Int(z.re.abs() as i128),
    }
}
