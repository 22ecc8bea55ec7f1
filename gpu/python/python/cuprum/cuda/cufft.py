"""Plans of Fourier transforms by cuFFT's parameters: CuPy's `cupy.cuda.cufft`.

`Plan1d` and `PlanNd` have CuPy's names and parameters. A transform is not normalised, in either direction. The library
keeps cuFFT's own plans in its cache, so that an object here has no handle and no work area.
"""

import math as _math
import operator as _operator
import threading as _threading

import cuprum as _cuprum
from cuprum import _cuprum as _extension

from cuprum._not_yet import lacking as _lacking

__all__ = [
    "CUFFT_C2C", "CUFFT_C2R", "CUFFT_D2Z", "CUFFT_FORWARD", "CUFFT_INVERSE", "CUFFT_R2C", "CUFFT_Z2D", "CUFFT_Z2Z", "CuFFTError",
    "Plan1d", "PlanNd", "get_current_plan",
]  # fmt: skip

CUFFT_C2C, CUFFT_R2C, CUFFT_C2R = 0x29, 0x2A, 0x2C
CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1

# The dtypes of the input and of the output.
_DTYPES = {CUFFT_C2C: "FF", CUFFT_R2C: "fF", CUFFT_C2R: "Ff", CUFFT_Z2Z: "DD", CUFFT_D2Z: "dD", CUFFT_Z2D: "Dd"}
_KINDS = {CUFFT_C2C: "C2C", CUFFT_R2C: "R2C", CUFFT_C2R: "C2R", CUFFT_Z2Z: "C2C", CUFFT_D2Z: "R2C", CUFFT_Z2D: "C2R"}


class CuFFTError(RuntimeError):
    """An error of cuFFT in CuPy. The functions here raise ValueError and TypeError instead."""


class _OfThread(_threading.local):
    plans = ()


_of_thread = _OfThread()


def get_current_plan():
    """Returns the `Plan1d` or `PlanNd` whose `with` block this thread is in; None outside of one."""
    return _of_thread.plans[-1] if _of_thread.plans else None


def _transform(call, kind, a, out, shape, axes, direction):
    """Writes the transform of `a` along axes to `out`."""
    fft = _cuprum.fft
    if kind == "C2C" and direction not in (CUFFT_FORWARD, CUFFT_INVERSE):
        raise ValueError(f"{call}: direction is {direction!r}: it must be CUFFT_FORWARD (-1) or CUFFT_INVERSE (1)")
    if kind == "R2C":
        fft.rfftn(a, shape, axes, out=out)
    elif kind == "C2R":
        fft.irfftn(a, shape, axes, norm="forward", out=out)
    elif direction == CUFFT_FORWARD:
        fft.fftn(a, shape, axes, out=out)
    else:
        fft.ifftn(a, shape, axes, norm="forward", out=out)


def _of_plan(plan, a, out, direction):
    """Runs `fft` of a plan of `get_fft_plan`."""
    with plan:
        _transform("Plan.fft", plan.value_type, a, out, plan.shape, plan.axes, direction)


def _output_of_plan(plan, a):
    """Returns a new array for the result of `fft` of a plan of `get_fft_plan`."""
    shape, last = list(a.shape), plan.axes[-1]
    for axis, length in zip(plan.axes, plan.shape):
        shape[axis] = length
    dtype = a.dtype
    if plan.value_type == "R2C":
        shape[last] = shape[last] // 2 + 1
        dtype = dtype.char.upper()
    elif plan.value_type == "C2R":
        dtype = dtype.char.lower()
    return _cuprum.empty(tuple(shape), dtype)


class _Plan:
    """What both plans have: the layouts are those of cuFFT's `cufftPlanMany`."""

    def _set(self, shape, fft_type, batch, inner, outer):
        name = type(self).__name__
        if fft_type not in _DTYPES:
            raise ValueError(f"{name}: fft_type is {fft_type!r}: it must be one of CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D")
        if not shape or min(shape) < 1:
            raise ValueError(f"{name}: the lengths {tuple(shape)} must be positive, at least one of them")
        if batch < 0:
            raise ValueError(f"{name}: batch is {batch}: it must not be negative")
        self.fft_type, self.batch, self._shape = fft_type, batch, tuple(shape)
        self.gpus, self.work_area, self._entered = None, None, None
        kind = _KINDS[fft_type]
        self._in = self._layout(self._half(kind == "C2R"), *inner)
        self._out = self._layout(self._half(kind == "R2C"), *outer)

    def _half(self, half):
        return (*self._shape[:-1], self._shape[-1] // 2 + 1) if half else self._shape

    def _layout(self, shape, embed, stride, dist):
        """Returns the shape with the batch in front, and the strides in elements."""
        if embed is None:
            embed, stride, dist = shape, 1, _math.prod(shape)
        elif len(embed) != len(shape):
            raise ValueError(f"{type(self).__name__}: {tuple(embed)} must have {len(shape)} lengths, as shape has")
        steps = [_math.prod(embed[axis + 1 :]) * stride for axis in range(len(shape))]
        return (self.batch, *shape), (dist, *steps)

    def _view(self, name, a, dtype, layout):
        if not isinstance(a, _cuprum.ndarray):
            raise TypeError(f"{type(self).__name__}.fft: {name} must be an array of the device, not {type(a).__name__}")
        if a.dtype != dtype:
            raise TypeError(f"{type(self).__name__}.fft: {name} has the dtype {a.dtype}, and the plan is for {dtype}: cast it by astype")
        shape, steps = layout
        return _cuprum.ndarray(shape, dtype, memptr=a.data, strides=tuple(step * a.itemsize for step in steps))

    def fft(self, a, out, direction):
        """Transforms `a` into `out`, from the first element of each on, in the layout of the plan. The result is not
        normalised."""
        taken, given = map(_cuprum.dtype, _DTYPES[self.fft_type])
        views = self._view("a", a, taken, self._in), self._view("out", out, given, self._out)
        if self.batch:
            axes = tuple(range(1, len(self._shape) + 1))
            _transform(f"{type(self).__name__}.fft", _KINDS[self.fft_type], *views, self._shape, axes, direction)

    def _result(self, a, axis, length):
        shape = list(a.shape)
        if _KINDS[self.fft_type] != "C2C":
            shape[axis] = length
        return tuple(shape), _cuprum.dtype(_DTYPES[self.fft_type][1])

    def _check(self, a, out, shape, dtype):
        if out is not a and out.shape != shape:
            raise ValueError(f"{type(self).__name__}: out has the shape {out.shape}: the result has {shape}")
        if out is not a and out.dtype != dtype:
            raise ValueError(f"{type(self).__name__}: out has the dtype {out.dtype}: the result has {dtype}")

    def __enter__(self):
        if self._entered is None:
            taken = _cuprum.dtype(_DTYPES[self.fft_type][0])
            # Transforms have results in C order: the axes of the array are those of the layout by falling strides.
            order = sorted(range(len(self._in[0])), key=lambda axis: -self._in[1][axis])
            shape, steps = ([part[axis] for axis in order] for part in self._in)
            extent = sum((n - 1) * step for n, step in zip(shape, steps)) + 1
            like = _cuprum.ndarray(shape, taken, memptr=_cuprum.empty(extent, taken).data, strides=[step * taken.itemsize for step in steps])
            axes = [order.index(axis) for axis in range(1, len(shape))]
            self._entered = _extension.get_fft_plan(like, self._shape, axes, _KINDS[self.fft_type])
        self._entered.__enter__()
        _of_thread.plans = (*_of_thread.plans, self)
        return self

    def __exit__(self, *exception):
        _of_thread.plans = _of_thread.plans[:-1]
        self._entered.__exit__(*exception)


class Plan1d(_Plan):
    """The plan of `batch` transforms of `nx` points each, one after the other in memory.

    In a `with` block the transforms of arrays with this layout use it. Several `devices` are not supported here:
    ``cupy.fft.config.use_multi_gpus`` distributes transforms.
    """

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if devices is not None:
            raise NotImplementedError("Plan1d: devices: set cupy.fft.config.use_multi_gpus and set_cufft_gpus, and call cupy.fft.fft")
        self.nx = _operator.index(nx)
        self._set((self.nx,), fft_type, _operator.index(batch), (None, 1, 0), (None, 1, 0))

    def _expected(self, a):
        half = _KINDS[self.fft_type] == "R2C"
        return self._result(a, -1, a.shape[-1] // 2 + 1 if half else self.nx)

    def get_output_array(self, a):
        """Returns a new array for the result of `fft`."""
        return _cuprum.empty(*self._expected(a))

    def check_output_array(self, a, out):
        """Raises ValueError unless the result of `fft` has the shape and dtype of `out`."""
        self._check(a, out, *self._expected(a))


class PlanNd(_Plan):
    """The plan of `batch` transforms over several axes, with the layouts of cuFFT's `cufftPlanMany`: the element
    ``(b, i, j)`` is at ``b * dist + (i * embed[1] + j) * stride``. `inembed` and `onembed` are None for data that are
    contiguous.

    `order`, `last_axis` and `last_size` describe the array that `get_output_array` returns: its order, and the
    length of the axis on which real numbers are halved.
    """

    def __init__(self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis, last_size):
        self.shape = tuple(map(_operator.index, shape))
        self._set(self.shape, fft_type, _operator.index(batch), (inembed, istride, idist), (onembed, ostride, odist))
        self.order, self.last_axis, self.last_size = order, last_axis, last_size

    def get_output_array(self, a, order="C"):
        """Returns a new array for the result of `fft`."""
        return _cuprum.empty(*self._result(a, self.last_axis, self.last_size), order=order)

    def check_output_array(self, a, out):
        """Raises ValueError unless the result of `fft` has the shape, dtype and order of `out`."""
        self._check(a, out, *self._result(a, self.last_axis, self.last_size))
        if out is not a and (out.flags.c_contiguous, out.flags.f_contiguous) != (a.flags.c_contiguous, a.flags.f_contiguous):
            raise ValueError("PlanNd: out must be contiguous in the order of a")


__getattr__ = _lacking(__name__)
