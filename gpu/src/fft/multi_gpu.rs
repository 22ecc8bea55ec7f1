//! Multi-GPU transforms of one axis.
//!
//! Many rows are distributed, each transformed completely on one device. Few long rows are transformed in four steps
//! (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): a row of `n1 * n2` numbers is a matrix, whose
//! columns are transformed on the devices that hold them, multiplied by twiddle factors, and redistributed by rows,
//! which are transformed; the result is the matrix in column-major order. Each number is transferred at most three
//! times: to the device of its column, to that of its row, and back. Nothing synchronises with a device, unless copies
//! go through the host.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::callbacks::are_in_force;
use super::calls::{CallOptions, to_complex};
use super::lengths::{Last, Lengths};
use super::standard::FftOptions;
use super::transforms::{Like, Norm, Results, results, spectrum_dtype};
use crate::array::{Array, AsArray, IntoArgument};
use crate::cuda::{Device, Source};
use crate::engine::launch::{Argument, Launcher, exchange};
use crate::engine::{self, Spectrum, make::empty};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;

/// Discrete Fourier transform along one axis on several devices; see [`fft`](crate::fft::fft). CuPy's `fft.fft` with
/// `fft.config.use_multi_gpus`.
///
/// The array and the result are on one device, the same for both. Rows are distributed if there is at least one for
/// each device, otherwise each is split by the two factors of its length that are closest to each other. Results differ
/// from those of one device in their last digits. Devices copy from each other as [`Array::to_device`] does.
///
/// The result has the shape of `a` with `n` elements along the axis, and a complex dtype.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::fft::fft_over;
/// use cuprum::{DType, ones};
/// let devices = [Device::current()?];
/// let x = fft_over(ones(16, DType::C64)?, &devices, ())?;
/// assert_eq!(x.real().to_vec::<f32>()?[..2], [16.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`fft`](crate::fft::fft); [`ErrorKind::Value`] without a device and for a repeated one, and, with fewer
/// rows than devices, for a length that is not a product of two factors of at least the number of devices.
///
/// # Synchronization
///
/// Same as [`Array::to_device`].
#[unrecorded("takes devices")]
pub fn fft_over<'a>(a: impl AsArray, devices: &[Device], options: impl IntoArgument<FftOptions<'a>>) -> Result<Array> {
    over(a.as_array(), devices, options.into(), false).map_err(|e| e.with_op("fft_over"))
}

/// Inverse of [`fft_over`]; see [`ifft`](crate::fft::ifft).
///
/// The result has the shape of `a` with `n` elements along the axis, and a complex dtype.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::fft::{fft_over, ifft_over};
/// use cuprum::{DType, arange};
/// let (a, devices) = (arange(0, 12, 1)?.astype(DType::C128)?, [Device::current()?]);
/// let back = ifft_over(fft_over(&a, &devices, ())?, &devices, ())?;
/// assert!((back.real().to_vec::<f64>()?[11] - 11.0).abs() < 1e-13);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft_over`].
///
/// # Synchronization
///
/// Same as [`Array::to_device`].
#[unrecorded("takes devices")]
pub fn ifft_over<'a>(a: impl AsArray, devices: &[Device], options: impl IntoArgument<FftOptions<'a>>) -> Result<Array> {
    over(a.as_array(), devices, options.into(), true).map_err(|e| e.with_op("ifft_over"))
}

fn over(a: &Array, devices: &[Device], options: FftOptions<'_>, inverse: bool) -> Result<Array> {
    let of = Lengths::one(a, options.n, options.axis, Last::Whole)?;
    let call_options =
        CallOptions { inverse, norm: options.norm.unwrap_or_default(), like: Like::Operand, out: options.out };
    shared(a, devices, &of, call_options)
}

/// Rejects an empty list of devices, and repeated ones.
pub(super) fn check(devices: &[Device]) -> Result<()> {
    if devices.is_empty() || (1..devices.len()).any(|k| devices[..k].contains(&devices[k])) {
        let message = format!("{devices:?} are not devices to share a transform: name each once, and at least one");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// Transforms along one axis on several devices.
pub(super) fn shared(a: &Array, devices: &[Device], of: &Lengths, call_options: CallOptions<'_>) -> Result<Array> {
    check(devices)?;
    if are_in_force() {
        let message = "callbacks are called by transforms of one device: these are shared by several";
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    let (axis, n) = (of.axes[0], of.n[0]);
    let dtype = spectrum_dtype(a.dtype());
    let shape = of.shape(a, false);
    let count = shape.iter().product::<usize>() / n;
    let split = if count >= devices.len() { None } else { Some(factors(n, devices.len())?) };
    let shown = Results { dtype, shape: &shape, like: call_options.like, out: call_options.out };
    results(a, shown, dtype, |out| {
        // The rows contiguous, truncated or zero-padded.
        let moved = |x: &Array| x.moveaxis([axis as isize], [-1]);
        let out = moved(out)?;
        let lines = empty(a.device(), out.shape(), dtype)?;
        Spectrum::copy(&moved(a)?, &lines, 1.0).run()?;
        let shared = Shared {
            devices,
            inverse: call_options.inverse,
            scale: call_options.norm.factor(call_options.inverse, n as f64),
        };
        let rows = lines.reshape([count as isize, n as isize])?;
        match split {
            None => shared.by_lines(&rows)?,
            Some((n1, n2)) => shared.in_steps(&rows, n1, n2)?,
        }
        engine::copy(&lines, &out)
    })
}

/// Returns the two factors of a length that are closest to each other, the smaller one first.
fn factors(n: usize, devices: usize) -> Result<(usize, usize)> {
    let small = (1..=n.isqrt()).rev().find(|k| n.is_multiple_of(*k)).unwrap_or(1);
    if small < devices {
        let message = format!(
            "a transform of {n} elements over {devices} devices: {n} is no product of two factors of {devices} or more each. \
             Take another length, as `next_fast_len` finds, or one device"
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok((small, n / small))
}

/// Returns the range of indices of each device.
fn parts(all: usize, devices: usize) -> impl Iterator<Item = (isize, isize)> {
    (0..devices).map(move |k| ((all * k / devices) as isize, (all * (k + 1) / devices) as isize))
}

/// Returns a slice of the last of three axes.
fn columns(x: &Array, (from, to): (isize, isize)) -> Result<Array> {
    x.index(s![.., .., from..to])
}

fn rows(x: &Array, (from, to): (isize, isize)) -> Result<Array> {
    x.index(s![.., from..to, ..])
}

/// A transform distributed over devices.
struct Shared<'a> {
    /// Devices that share the transform.
    devices: &'a [Device],
    /// True for an inverse transform.
    inverse: bool,
    /// Factor of the normalisation.
    scale: f64,
}

impl Shared<'_> {
    /// Transforms along an axis on the device of the array, without a factor.
    fn transform(&self, x: &Array, axis: usize) -> Result<Array> {
        let of = Lengths::alone(axis, x.shape()[axis]);
        // The norm for which this direction has no factor.
        let norm = if self.inverse { Norm::Forward } else { Norm::Backward };
        to_complex(x, &of, CallOptions { inverse: self.inverse, norm, like: Like::C, out: None })
    }

    /// Distributes the rows, which are transformed in place.
    fn by_lines(&self, lines: &Array) -> Result<()> {
        let home = lines.device();
        let own: Vec<Array> = parts(lines.shape()[0], self.devices.len())
            .map(|(from, to)| lines.index(s![from..to]))
            .collect::<Result<_>>()?;
        let there = |(device, part): (&Device, &Array)| part.to_device(*device);
        let moved: Vec<Array> = exchange(|| self.devices.iter().zip(&own).map(there).collect::<Result<_>>())?;
        let transform = |(device, part): (&Device, &Array)| device.with(|| self.scaled(&self.transform(part, 1)?));
        let done: Vec<Array> = self.devices.iter().zip(&moved).map(transform).collect::<Result<_>>()?;
        let back: Vec<Array> = exchange(|| done.iter().map(|part| part.to_device(home)).collect::<Result<_>>())?;
        back.iter().zip(&own).try_for_each(|(part, own)| engine::copy(part, own))
    }

    /// Transforms each row as an `n1` by `n2` matrix, in four steps.
    fn in_steps(&self, lines: &Array, n1: usize, n2: usize) -> Result<()> {
        let (home, count) = (lines.device(), lines.shape()[0] as isize);
        let (devices, dtype) = (self.devices, lines.dtype());
        let matrix = lines.reshape([count, n1 as isize, n2 as isize])?;
        let shares = || devices.iter().zip(parts(n2, devices.len()));
        let columns_of: Vec<Array> =
            shares().map(|(_, part)| columns(&matrix, part)?.copy(Order::C)).collect::<Result<_>>()?;
        let there = |(device, part): (&Device, &Array)| part.to_device(*device);
        let moved: Vec<Array> = exchange(|| devices.iter().zip(&columns_of).map(there).collect::<Result<_>>())?;
        let first = |((device, part), there): ((&Device, (isize, isize)), &Array)| {
            device.with(|| {
                let done = self.transform(there, 1)?;
                self.turn(&done, part.0, n1 * n2)?;
                Ok(done)
            })
        };
        let transposed: Vec<Array> = shares().zip(&moved).map(first).collect::<Result<_>>()?;
        // The parts that each device needs of each other one, contiguous.
        let needed = |part: (isize, isize)| {
            let of = |from: &Array| from.device().with(|| rows(from, part)?.copy(Order::C));
            transposed.iter().map(of).collect::<Result<Vec<_>>>()
        };
        let needed: Vec<Vec<Array>> = parts(n1, devices.len()).map(needed).collect::<Result<_>>()?;
        let arrived: Vec<Vec<Array>> = exchange(|| {
            let all = |(device, pieces): (&Device, &Vec<Array>)| {
                pieces.iter().map(|piece| piece.to_device(*device)).collect::<Result<_>>()
            };
            devices.iter().zip(&needed).map(all).collect()
        })?;
        let by_columns = lines.reshape([count, n2 as isize, n1 as isize])?;
        let mut results = Vec::with_capacity(devices.len());
        for ((&device, part), pieces) in devices.iter().zip(parts(n1, devices.len())).zip(&arrived) {
            let wide = (part.1 - part.0) as usize;
            let whole = empty(device, &[count as usize, wide, n2], dtype)?;
            for (piece, own) in pieces.iter().zip(parts(n2, devices.len())) {
                engine::copy(piece, &columns(&whole, own)?)?;
            }
            results.push(device.with(|| {
                let done = self.transform(&whole, 2)?;
                self.scaled(&done.transpose([0, 2, 1])?.copy(Order::C)?)
            })?);
        }
        // The rows are written after all of them have been read.
        let back: Vec<Array> = exchange(|| results.iter().map(|done| done.to_device(home)).collect::<Result<_>>())?;
        for (done, part) in back.iter().zip(parts(n1, devices.len())) {
            engine::copy(done, &columns(&by_columns, part)?)?;
        }
        Ok(())
    }

    fn scaled(&self, x: &Array) -> Result<Array> {
        if self.scale != 1.0 {
            Spectrum::copy(x, x, self.scale).run()?;
        }
        Ok(x.clone())
    }

    /// Multiplies element `(k, j)` of each matrix by the twiddle factor: the `n`-th root of unity to the power
    /// `k * (j + first)`.
    fn turn(&self, x: &Array, first: isize, n: usize) -> Result<()> {
        let wide = x.dtype() == DType::C128;
        let source = Source {
            name: "fft_turn".into(),
            text: TURN.replace("PART", if wide { "double" } else { "float" }).into(),
            options: vec![],
            expressions: vec![],
            own: false,
            nvcc: false,
        };
        let function = x.device().compile(&source, &["fft_turn"])?[0];
        let sign = if self.inverse { 2.0 } else { -2.0 };
        let (rows, wide) = (x.shape()[1] as i64, x.shape()[2] as i64);
        let arguments = [
            Argument::Array(x),
            Argument::I64(x.size() as i64),
            Argument::I64(rows),
            Argument::I64(wide),
            Argument::I64(first as i64),
            Argument::F64(sign),
            Argument::F64(n as f64),
        ];
        let blocks = u32::try_from(x.size().div_ceil(256)).map_err(|_| {
            Error::new(ErrorKind::NotImplemented, format!("{} elements are too many for one launch", x.size()))
        })?;
        // SAFETY: the arguments match the kernel's parameters, and it accesses only elements of the contiguous array.
        unsafe { Launcher::on(x.device()).launch_with(function, [blocks, 1, 1], [256, 1, 1], 0, &arguments, None) }
    }
}

/// Source of the twiddle kernel, which computes roots of unity and products in float64.
const TURN: &str = "
extern \"C\" __global__ void fft_turn(PART *x, long long all, long long rows, long long wide, long long first, double sign,
    double n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all) return;
  double s, c;
  sincospi(sign * (double)(i / wide % rows * (first + i % wide)) / n, &s, &c);
  const double re = x[2 * i], im = x[2 * i + 1];
  x[2 * i] = (PART)(re * c - im * s);
  x[2 * i + 1] = (PART)(re * s + im * c);
}
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::compare::distance;
    use crate::fft::{fft, ifft};
    use crate::{arange, sin};

    fn devices(count: usize) -> Vec<Device> {
        (0..count).map(|_| Device::another_for_test()).collect()
    }

    fn signal(shape: &[isize], dtype: DType) -> Result<Array> {
        let n: isize = shape.iter().product();
        let x = sin(&arange(0, n as i64, 1)?.astype(DType::F64)?)?;
        let y = &x * &x;
        let z = empty(x.device(), &[n as usize], DType::C128)?;
        z.real().assign(&x)?;
        z.imag()?.assign(&y)?;
        z.astype(dtype)?.reshape(shape)
    }

    #[test]
    fn several_devices_agree_with_one() -> Result<()> {
        let all = devices(3);
        for (dtype, budget) in [(DType::C64, 5e-7), (DType::C128, 1e-15)] {
            for shape in [&[60][..], &[2, 49], &[7, 5], &[3, 4, 6], &[2, 1000]] {
                let a = signal(shape, dtype)?;
                for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
                    let options = || FftOptions::new().norm(norm);
                    for (one, many) in [
                        (fft(&a, options())?, fft_over(&a, &all, options())?),
                        (ifft(&a, options())?, ifft_over(&a, &all, options())?),
                    ] {
                        assert_eq!((many.dtype(), many.shape(), many.device()), (dtype, one.shape(), a.device()));
                        let off = distance(&many, &one)?;
                        assert!(off <= budget, "{dtype} of {shape:?}, {norm:?}: {off}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn any_axis_length_and_out_are_taken() -> Result<()> {
        let all = devices(2);
        let a = signal(&[12, 5], DType::C128)?.t();
        for (axis, n) in [(0, None), (-1, Some(16)), (1, Some(6))] {
            let mut options = FftOptions::new().axis(axis);
            options.n = n;
            assert!(distance(&fft_over(&a, &all, options)?, &fft(&a, options)?)? < 1e-15, "{axis} {n:?}");
        }
        let out = empty(a.device(), &[5, 12], DType::C128)?;
        let real = arange(0, 60, 1)?.reshape([5, 12])?;
        fft_over(&real, &all, FftOptions::new().out(&out))?;
        assert!(distance(&out, &fft(&real, ())?)? < 1e-15);
        Ok(())
    }

    #[test]
    fn what_cannot_be_shared_is_rejected() -> Result<()> {
        let all = devices(2);
        let rejected = fft_over(signal(&[7], DType::C64)?, &all, ()).unwrap_err();
        assert_eq!(rejected.kind(), ErrorKind::Value);
        assert!(rejected.message().contains("7 is no product of two factors of 2 or more"), "{rejected}");
        // Any length is accepted if there is a row for each device.
        fft_over(signal(&[2, 7], DType::C64)?, &all, ())?;
        for wrong in [vec![], vec![all[0], all[0]]] {
            assert_eq!(fft_over(signal(&[8], DType::C64)?, &wrong, ()).unwrap_err().kind(), ErrorKind::Value);
        }
        Ok(())
    }
}
