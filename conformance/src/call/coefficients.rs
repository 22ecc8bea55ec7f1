//! Operands that describe a filter or a map: coefficients whose results stay bounded, and coordinates between elements.

use cuprum_kernels::DType;

use crate::outcome::{Number, Tensor};

fn of(dtype: DType, shape: &[usize], values: impl Iterator<Item = f64>) -> Tensor {
    let count = shape.iter().product();
    let number = |(k, x): (usize, f64)| match dtype {
        d if d.is_complex() => Number::Complex(x, if k % 6 % 3 == 0 { 0.0 } else { x / 4.0 }),
        d if d.is_float() => Number::Float(x),
        _ => Number::Int(x as i128),
    };
    let bytes = values.enumerate().take(count).flat_map(|x| number(x).encode(dtype)).collect();
    Tensor::packed(dtype, shape, bytes)
}

/// Replaces an operand of a filter or a map; `None` for other functions and operands. `first` is the shape of the first operand.
pub(super) fn replaced(op: &str, k: usize, a: &Tensor, first: &[usize]) -> Option<Tensor> {
    let shape = a.shape.as_slice();
    let counted = (0..).map(f64::from);
    Some(match (op, k) {
        // The sum of the others is less than the first.
        ("scipy.signal.lfilter" | "scipy.signal.filtfilt", 1) => {
            let n = shape.iter().product::<usize>() as f64;
            of(a.dtype, shape, counted.map(|i| if i == 0.0 { 2.0 } else { (1.25 - i % 2.0 * 2.0) / n }))
        }
        ("scipy.signal.sosfilt", 0) if shape.len() == 2 && shape[1] == 6 => {
            let section = [0.5, 0.25, -0.125, 1.0, -0.5, 0.25];
            of(
                a.dtype,
                shape,
                counted.map(|i| section[i as usize % 6] * if i % 6.0 == 3.0 { 1.0 } else { 1.0 - i / 64.0 }),
            )
        }
        // Within and outside the input.
        ("scipy.ndimage.map_coordinates", 1) if shape.len() > 1 => {
            let points: usize = shape[1..].iter().product();
            let length = move |i: usize| first.get(i / points.max(1)).map_or(1, |n| *n) as f64;
            let values: Vec<f64> =
                (0..a.shape.iter().product()).map(|i| (i as f64 * 0.73) % (length(i) + 3.0) - 1.6).collect();
            of(DType::F64, shape, values.into_iter())
        }
        ("scipy.ndimage.affine_transform", 1) => of(DType::F64, shape, [0.8, 0.3, -0.25, 0.9].into_iter()),
        _ => return None,
    })
}
