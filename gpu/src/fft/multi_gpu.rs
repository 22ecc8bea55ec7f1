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
use crate::elements::copy_across;
use crate::engine::launch::{Argument, Launcher, arrive, exchange};
use crate::engine::{self, Spectrum, make::empty};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;

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
        let moved = |x: &Array| x.moveaxis([axis as isize], [-1]);
        let (a, out) = (moved(a)?, moved(out)?);
        let contiguous = || empty(out.device(), out.shape(), dtype);
        let lines = if a.dtype() == dtype && a.shape() == out.shape() && a.is_c_contiguous() {
            a
        } else {
            // The rows contiguous, truncated or zero-padded.
            let lines = contiguous()?;
            Spectrum::copy(&a, &lines, 1.0).run()?;
            lines
        };
        let target = if out.is_c_contiguous() { out.clone() } else { contiguous()? };
        let shared = Shared { devices, inverse: call_options.inverse, norm: call_options.norm };
        let shape = [count as isize, n as isize];
        let [rows, results] = [lines.reshape(shape)?, target.reshape(shape)?];
        match split {
            None => shared.by_lines(&rows, &results)?,
            Some((n1, n2)) => shared.in_steps(&rows, &results, n1, n2)?,
        }
        if out.is_c_contiguous() { Ok(()) } else { engine::copy(&target, &out) }
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

/// Returns the number of the device and the range of indices of each piece: the first piece of each device, the second of
/// each, and so on.
fn pieces_of(all: usize, devices: usize, pieces: usize) -> impl Iterator<Item = (usize, (isize, isize))> {
    let of = move |piece: usize| {
        parts(all, devices).enumerate().filter_map(move |(k, (from, to))| {
            let at = |i: usize| from + (to - from) * i as isize / pieces as isize;
            (at(piece) < at(piece + 1)).then(|| (k, (at(piece), at(piece + 1))))
        })
    };
    (0..pieces).flat_map(of)
}

/// Returns a slice of the last of three axes.
fn columns(x: &Array, (from, to): (isize, isize)) -> Result<Array> {
    x.index(s![.., .., from..to])
}

fn rows(x: &Array, (from, to): (isize, isize)) -> Result<Array> {
    x.index(s![.., from..to, ..])
}

/// Copies parts of the result to the device of the result at the same time; those that are there are in place already.
fn gather(done: &[Array], results: &[Array]) -> Result<()> {
    exchange(|| {
        let mut others = done.iter().zip(results).filter(|(part, result)| part.device() != result.device());
        others.try_for_each(|(part, result)| copy_across(part, result))
    })
}

/// The pieces of a device's columns and rows.
const PIECES: usize = 4;
/// The bytes below which a launch for each piece costs more than the copies that run at the same time.
const WITHOUT_PIECES: usize = 64 << 20;

/// A transform distributed over devices.
struct Shared<'a> {
    /// Devices that share the transform.
    devices: &'a [Device],
    /// True for an inverse transform.
    inverse: bool,
    /// Normalisation. The factors of two lengths multiply to that of their product.
    norm: Norm,
}

impl Shared<'_> {
    /// Transforms along an axis on the device of the array, to `out` if it is there too.
    fn transform(&self, x: &Array, axis: usize, out: Option<&Array>) -> Result<Array> {
        let of = Lengths::alone(axis, x.shape()[axis]);
        let out = out.filter(|out| out.device() == x.device());
        x.device()
            .with(|| to_complex(x, &of, CallOptions { inverse: self.inverse, norm: self.norm, like: Like::C, out }))
    }

    /// Moves an array to each device at the same time.
    fn to_devices(&self, parts: &[Array]) -> Result<Vec<Array>> {
        exchange(|| self.devices.iter().zip(parts).map(|(device, part)| part.to_device(*device)).collect())
    }

    /// Distributes the rows.
    fn by_lines(&self, lines: &Array, results: &Array) -> Result<()> {
        let own = |x: &Array| {
            let all = parts(lines.shape()[0], self.devices.len());
            all.map(|(from, to)| x.index(s![from..to])).collect::<Result<Vec<_>>>()
        };
        let results = own(results)?;
        let moved = self.to_devices(&own(lines)?)?;
        let transform = |(part, result)| self.transform(part, 1, Some(result));
        let done: Vec<Array> = moved.iter().zip(&results).map(transform).collect::<Result<_>>()?;
        gather(&done, &results)
    }

    /// Transforms each row as an `n1` by `n2` matrix, in four steps. The columns and the rows of a device are divided into
    /// pieces, so that some are transformed while others are on the way.
    fn in_steps(&self, lines: &Array, results: &Array, n1: usize, n2: usize) -> Result<()> {
        let (count, devices) = (lines.shape()[0], self.devices);
        let shape = |n1: usize, n2: usize| [count as isize, n1 as isize, n2 as isize];
        let (matrix, results) = (lines.reshape(shape(n1, n2))?, results.reshape(shape(n2, n1))?);
        let pieces = if lines.nbytes() < WITHOUT_PIECES { 1 } else { PIECES };
        let by_rows: Vec<Array> = exchange(|| {
            let column_pieces: Vec<_> = pieces_of(n2, devices.len(), pieces).collect();
            let there = |&(k, part): &(usize, _)| columns(&matrix, part)?.to_device(devices[k]);
            let moved: Vec<Array> = column_pieces.iter().map(there).collect::<Result<_>>()?;
            let of_device = |(device, (from, to)): (&Device, (isize, isize))| {
                empty(*device, &[count, (to - from) as usize, n2], lines.dtype())
            };
            let by_rows: Vec<Array> =
                devices.iter().zip(parts(n1, devices.len())).map(of_device).collect::<Result<_>>()?;
            for (piece, &(_, own)) in moved.iter().zip(&column_pieces) {
                arrive(piece)?;
                let done = self.transform(piece, 1, None)?;
                done.device().with(|| self.turn(&done, own.0, n1 * n2))?;
                for (whole, part) in by_rows.iter().zip(parts(n1, devices.len())) {
                    copy_across(&rows(&done, part)?, &columns(whole, own)?)?;
                }
            }
            Ok(by_rows)
        })?;
        exchange(|| {
            for (k, part) in pieces_of(n1, devices.len(), pieces) {
                let first = (n1 * k / devices.len()) as isize;
                let piece = rows(&by_rows[k], (part.0 - first, part.1 - first))?;
                // Each row is a column of the result.
                let result = columns(&results, part)?;
                let is_there = piece.device() == result.device();
                let done =
                    if is_there { result.clone() } else { empty(piece.device(), result.shape(), piece.dtype())? };
                self.transform(&piece, 2, Some(&done.transpose([0, 2, 1])?))?;
                if !is_there {
                    copy_across(&done, &result)?;
                }
            }
            Ok(())
        })
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
