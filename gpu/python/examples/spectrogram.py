"""The spectrogram of a sound: a rising tone, a constant one, and a click."""

import cupy as cp
from cupyx.scipy import signal


def sound(rate, seconds):
    t = cp.arange(int(rate * seconds)) / rate
    wave = signal.chirp(t, 50.0, seconds, 400.0) + 0.5 * cp.sin(2 * cp.pi * 150 * t)
    wave[len(t) // 2] += 20
    return wave


def main(rate=1000, seconds=1.0, nperseg=64):
    frequencies, times, power = signal.spectrogram(sound(rate, seconds), fs=rate, nperseg=nperseg, noverlap=3 * nperseg // 4)
    # The tone rises from 50 to 400 hertz.
    loudest = frequencies[power.argmax(axis=0)]
    assert float(loudest[1]) < 100 and float(loudest[-2]) > 300
    return {'frequencies': frequencies, 'times': times, 'power': power}


PICTURE = dict(seconds=4.0, nperseg=128)


def draw(figure, found):
    """Draws the power in decibels by time and frequency."""
    axes = figure.subplots()
    level = cp.asnumpy(10 * cp.log10(found['power'] + 1e-9))
    image = axes.pcolormesh(cp.asnumpy(found['times']), cp.asnumpy(found['frequencies']), level, cmap='magma', vmin=-70, shading='auto')
    figure.colorbar(image, ax=axes, label='power, dB')
    axes.set(xlabel='time, s', ylabel='frequency, Hz')


if __name__ == '__main__':
    found = main()
    print('shape of the spectrogram:', found['power'].shape)
    print('loudest frequencies:', found['frequencies'][found['power'].argmax(axis=0)][::8])
