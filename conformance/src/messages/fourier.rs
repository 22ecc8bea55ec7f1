//! Error messages of Fourier transforms.

use cuprum::fft::{self, FftOptions, FftnOptions};
use cuprum::scipy::signal::{FftconvolveOptions, convolve, correlation_lags, fftconvolve};
use cuprum::scipy::{fft as scipy, fftpack};
use cuprum::{CorrelateMode, DType, ones, zeros};

use super::messages;

messages! {
    "Fourier transforms" {
        fft::fft(ones(4, ())?, 0)
            => "fft: a transform of 0 elements: it needs at least one",
            "Omit `n`, or check the shape first.";
        fft::rfft(ones(4, DType::C64)?, ())
            => "rfft: elements of complex64 are not real: take `fft`, or the real part first",
            "`fft`, or `a.real()`.";
        fft::fftn(ones([2, 3], ())?, FftnOptions::new().s([4]).axes([0, 1]))
            => "fftn: 1 lengths are not one for each of 2 axes",
            "-1 is the length of the axis.";
        fft::fftn(ones(3, ())?, [4, 4])
            => "fftn: 2 lengths are more than the 1 axes of the array",
            "A length for each axis, or fewer for the last ones.";
        fft::rfftn(ones(3, ())?, FftnOptions::new().axes(Vec::<i32>::new()))
            => "rfftn: `axes` names no axis: a transform of real numbers needs at least one",
            "Without `axes` it is all of them.";
        fft::fft(ones(3, ())?, FftOptions::new().out(&zeros(4, DType::C128)?))
            => "fft: `out` has the shape (4,): the result has (3,)",
            "`empty_like` of a result.";
        fft::fft(ones(3, ())?, FftOptions::new().out(&zeros(3, ())?))
            => "fft: `out` is of float64, to which complex128 cannot be cast by the rule same_kind",
            "A complex `out`.";
        fft::fftfreq(0, 1.0)
            => "fftfreq: frequencies of 0 samples at a distance of 1: both must be other than 0",
            "At least one sample.";
        fft::rfftfreq(-3, 1.0)
            => "rfftfreq: -3 samples are fewer than none",
            "At least one sample.";
        fftconvolve(ones(3, ())?, ones([2, 2], ())?, ())
            => "fftconvolve: operands of shapes (3,) and (2, 2) have other numbers of axes",
            "`expand_dims` of one of them.";
        fftconvolve(ones([2, 3], ())?, ones([3, 2], ())?, CorrelateMode::Valid)
            => "fftconvolve: of operands of shapes (2, 3) and (3, 2) neither covers the other, as the mode valid needs",
            "`CorrelateMode::Full`, and a part of it.";
        fftconvolve(ones([2, 3], ())?, ones([3, 3], ())?, FftconvolveOptions::new().axes(1))
            => "fftconvolve: operands of shapes (2, 3) and (3, 3) do not broadcast along the axes that are not convolved",
            "Name the other axes, too.";
        fftconvolve(ones([2, 3], ())?, ones([2, 3], ())?, FftconvolveOptions::new().axes([1, -1]))
            => "fftconvolve: an axis is named twice: each is convolved along once",
            "Each axis once.";
        fftconvolve(ones([2, 3], ())?, ones([2, 3], ())?, FftconvolveOptions::new().axes(Vec::<i32>::new()))
            => "fftconvolve: no axis is named: name one, or say nothing for all",
            "Leave `axes` out.";
        fftpack::rfft(ones(3, DType::C64)?, ())
            => "rfft: a packed spectrum is of real numbers, not of complex64: take fft or ifft",
            "`fftpack::fft`.";
        fftpack::fftn(ones([2, 3], ())?, [4])
            => "fftn: 1 lengths are not those of the 2 axes of the array: name the axes",
            "`axes` with `shape`.";
        scipy::fftn(ones([2, 2], ())?, scipy::FftnOptions::new().axes([0, 0]))
            => "fftn: an axis is named twice: each is transformed once",
            "NumPy's functions transform an axis as often as it is named.";
        scipy::dct(ones(3, ())?, 5, ())
            => "dct: there is no transform of type 5: there are 1 to 4",
            "Type 2 is the usual one.";
        scipy::dct(ones(1, ())?, 1, ())
            => "dct: cosines of the first type of 1 elements: they need at least two",
            "Type 2 takes any length.";
        scipy::get_fft_plan(ones(8, DType::C64)?, ())?.scope().and_then(|_scope| fft::fft(ones(4, DType::C64)?, ()))
            => "fft: the plan is not one of Complex of [4] in parts of float32, 1 at once: make one of an array of this shape, layout and dtype",
            "`get_fft_plan` of the array that is transformed.";
        convolve(ones([2, 2], ())?, zeros([0, 2], ())?, ())
            => "convolve: operands of shapes (2, 2) and (0, 2): one of them has no elements to convolve",
            "Operands with elements; `fftconvolve` of none is empty.";
        correlation_lags(0, 3, ())
            => "correlation_lags: sequences of 0 and 3 elements: each needs at least one",
            "The lengths of what is correlated.";
        scipy::fht(ones(4, DType::C64)?, 0.1, 2.0, ())
            => "fht: elements of complex64 are not real: transform both parts, each by itself",
            "`a.real()` and `a.imag()`.";
        scipy::next_fast_len(-1, false)
            => "next_fast_len: a length of -1 is less than none",
            "A length of 0 or more.";
    }
}
