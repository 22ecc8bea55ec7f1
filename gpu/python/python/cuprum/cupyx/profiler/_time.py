"""Timing of calls on the host and on the device."""

import math
import time

import numpy as np

import cuprum

__all__ = ['benchmark']


class _PerfCaseResult:
    """The times of a call: `cpu_times` is an array of seconds, `gpu_times` has a row of seconds for each device."""

    def __init__(self, name, ts, devices):
        if ts.ndim != 2 or ts.shape[0] != len(devices) + 1 or ts.shape[1] < 1:
            raise ValueError(f'times of {len(devices)} devices have {len(devices) + 1} rows, and the shape is {ts.shape}')
        self.name, self._ts, self._devices = name, ts, devices

    @property
    def cpu_times(self):
        """The seconds that each call took on the host."""
        return self._ts[0]

    @property
    def gpu_times(self):
        """The seconds that each call took on each device."""
        return self._ts[1:]

    def _row(self, label, times, show_gpu):
        in_us = times * 1e6
        text = f'    {label}: {in_us.mean():9.3f} us'
        if in_us.size > 1:
            text += f'   +/- {in_us.std():6.3f} (min: {in_us.min():9.3f} / max: {in_us.max():9.3f}) us'
        return text

    def to_str(self, show_gpu=False):
        """Returns the mean, deviation and extremes in one line, for the host and optionally for the devices."""
        rows = [self._row('CPU', self.cpu_times, False)]
        if show_gpu:
            rows += [self._row(f'GPU-{device}', times, True) for device, times in zip(self._devices, self.gpu_times)]
        return f'{self.name:<20s}:{" ".join(rows)}'

    def __str__(self):
        return self.to_str(show_gpu=True)


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):
    """Calls a function repeatedly, and measures the times on the host and on the device.

    It stops after `n_repeat` calls or after `max_duration` seconds. `print` the result.
    """
    if name is None:
        name = getattr(func, '__name__', repr(func))
    if devices is None:
        devices = (cuprum.cuda.Device().id,)
    for what, given, kind in (('args', args, tuple), ('kwargs', kwargs, dict), ('name', name, str), ('n_repeat', n_repeat, int), ('n_warmup', n_warmup, int)):
        if not isinstance(given, kind):
            raise ValueError(f'benchmark: {what} is a {kind.__name__}, not {type(given).__name__}')
    if not callable(func):
        raise ValueError(f'benchmark: func is called, and {type(func).__name__} cannot be')
    if n_repeat < 1:
        raise ValueError(f'benchmark: n_repeat is 1 or more, not {n_repeat}')

    starts, stops = [], []
    for device in devices:
        with cuprum.cuda.Device(device):
            starts.append(cuprum.cuda.Event())
            stops.append(cuprum.cuda.Event())
    for _ in range(n_warmup):
        func(*args, **kwargs)
    _wait(devices, stops)

    rows, spent = [], 0.0
    for _ in range(n_repeat):
        if spent > max_duration:
            break
        _record(devices, starts)
        begin = time.perf_counter()
        func(*args, **kwargs)
        on_host = time.perf_counter() - begin
        _wait(devices, stops)
        on_devices = [cuprum.cuda.get_elapsed_time(*pair) * 1e-3 for pair in zip(starts, stops)]
        rows.append([on_host, *on_devices])
        spent += time.perf_counter() - begin
    return _PerfCaseResult(name, np.array(rows).T, devices)


def _record(devices, events):
    for device, event in zip(devices, events):
        with cuprum.cuda.Device(device):
            event.record()


def _wait(devices, events):
    _record(devices, events)
    for event in events:
        event.synchronize()
