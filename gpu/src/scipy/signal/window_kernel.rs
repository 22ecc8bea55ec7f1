//! Kernel of window functions: which one, the length and the parameters are its arguments.
//!
//! Lower bound: the bytes of the window, once.

use std::sync::LazyLock;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::Result;
use crate::kernel::{ElementwiseKernel, ElementwiseKernelOptions, KernelArgument};

const OPERATION: &str = "
    const double pi = 3.141592653589793, last = (double)(m - 1), at = (double)i;
    const double middle = fabs(at - last / 2), edge = (double)min((long long)i, (long long)(m - 1 - i));
    switch (kind) {
      case 0: {
        const double t = pi * (2 * at - last) / last;
        w = a + b * cos(t);
        if (c != 0) w += c * cos(2 * t);
        if (d != 0) w += d * cos(3 * t);
        if (e != 0) w += e * cos(4 * t);
        break;
      }
      case 1: w = m % 2 ? 2 * (edge + 1) / (last + 2) : (2 * edge + 1) / (last + 1); break;
      case 2: {
        const double r = middle / ((last + 1) / 2);
        w = middle <= last / 4 ? 1 - 6 * r * r + 6 * r * r * r : 2 * (1 - r) * (1 - r) * (1 - r);
        break;
      }
      case 3: {
        const double r = 2 * middle / last;
        w = edge == 0 ? 0.0 : (1 - r) * cos(pi * r) + sin(pi * r) / pi;
        break;
      }
      case 4: w = 2 * edge / last; break;
      case 5: w = edge <= floor(a * last / 2) ? 0.5 * (1 + cos(pi * (2 * edge / a / last - 1))) : 1.0; break;
      case 6: {
        const double r = middle / last;
        w = 0.62 - 0.48 * r + 0.38 * cos(2 * pi * r);
        break;
      }
      case 7: w = exp(-0.5 * pow(fabs(middle / b), 2 * a)); break;
      case 8: w = exp(-(middle * middle) / (2 * a * a)); break;
      case 9: w = sin(pi / (last + 1) * (at + 0.5)); break;
      case 10: w = exp(-fabs(at - a) / b); break;
      case 11: {
        const double x = pi * (2 * middle / last);
        w = middle == 0 ? 1.0 : sin(x) / x;
        break;
      }
      case 12: {
        // Chebyshev's polynomial of order m - 1, at a point that may be outside of [-1, 1].
        const double x = a * cos(pi * at / (last + 1));
        w = fabs(x) <= 1 ? cos(last * acos(x)) : cosh(last * acosh(fabs(x)));
        if (x < -1 && m % 2 == 0) w = -w;
        break;
      }
      default: {
        const double t = pi * (2 * at - last) / a;
        w = 0;
        for (long long k = 0; k < (long long)b; ++k) w += coefficients[k] * cos((double)k * t);
      }
    }
";

static WINDOW: LazyLock<Result<ElementwiseKernel>> = LazyLock::new(|| {
    let inputs = "raw float64 coefficients, int32 kind, int64 m, float64 a, float64 b, float64 c, float64 d, float64 e";
    let options = ElementwiseKernelOptions { name: "signal_window".into(), ..Default::default() };
    ElementwiseKernel::new(inputs, "float64 w", OPERATION, options)
});

/// The cases of the kernel.
#[derive(Clone, Copy)]
pub(super) enum Case {
    Cosines,
    Triangle,
    Parzen,
    Bohman,
    Bartlett,
    Tukey,
    Barthann,
    Power,
    Gaussian,
    Sine,
    Exponential,
    Lanczos,
    Chebyshev,
    CosineSum,
}

/// Evaluates `size` elements of a window of `m`.
pub(super) fn evaluate(case: Case, m: usize, size: usize, numbers: &[f64], coefficients: &[f64]) -> Result<Array> {
    let device = Device::current()?;
    let out = make::empty(device, &[size], DType::F64)?;
    let list = if coefficients.is_empty() { &[0.0] } else { coefficients };
    let list = make::of(device, list, &[list.len()])?;
    let kernel = WINDOW.as_ref().map_err(Clone::clone)?;
    let mut arguments: Vec<KernelArgument<'_>> = vec![(&list).into(), (case as i32).into(), (m as i64).into()];
    arguments.extend((0..5).map(|k| KernelArgument::from(numbers.get(k).copied().unwrap_or(0.0))));
    // SAFETY: the operation reads `b` coefficients, the length of their array, and only in the case of their sum.
    unsafe { kernel.call(&arguments, &[&out], None, None) }?;
    Ok(out)
}
