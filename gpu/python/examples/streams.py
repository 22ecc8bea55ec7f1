"""Work on several streams, ordered and timed by events."""

import cupy as cp


def main(parts=4, n=1024):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(parts)]
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    pieces, done = [], []
    for at, stream in enumerate(streams):
        with stream:
            x = cp.arange(at * n, (at + 1) * n, dtype=cp.float64)
            pieces.append(cp.sqrt(x).sum())
            event = cp.cuda.Event()
            event.record()
            done.append(event)
    current = cp.cuda.get_current_stream()
    for event in done:
        current.wait_event(event)
    total = cp.stack(pieces).sum()
    stop.record()
    stop.synchronize()
    milliseconds = cp.cuda.get_elapsed_time(start, stop)
    assert milliseconds >= 0
    for stream in streams:
        stream.synchronize()
        assert stream.done
    return {'total': total}


if __name__ == '__main__':
    print('sum of square roots:', main()['total'])
