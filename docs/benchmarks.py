"""The page of benchmarks: bar charts of tables of `docs/measurements/h200/`, drawn as SVG.

A table has a row for each call with the times of this library, CuPy and PyTorch on one GPU (`ci/run.sh cuda bench`).
"""

import math
import pathlib
import re

NOTES = pathlib.Path(__file__).parent / 'measurements' / 'h200'
HEAD = '| row | Cuprum | of a copy | CuPy | PyTorch | measured |'

# The charts: title, and the rows of each.
CHARTS = {
    'Elementwise functions': 'add f32|add f16|add i8|add f64|add c64|less f32|sqrt f32|exp f32|astype f32 to f64|where|add a row|add a transposed operand',
    'Reductions': 'sum f32, all|sum f32, axis 0|sum f16, all|sum i8, all|mean f32, all|norm f32, all|argmax f32, all|argmax f32, axis 1|any bool, all|var f32, axis 0',
    'Scans, sorting and searching': 'cumsum f32, all|cumsum f32, axis 0|cumsum f32, axis 1|sort f32, 2^26|sort i64, 2^26|argsort f32, 2^26|sort f32 square, rows|'
    'median f32 square, rows|unique i64, 2^26 of 10^6|searchsorted f32|a[mask] f32|nonzero of bool|histogram f32, 256 bins|bincount i32, 1024 bins',
    'Host time of a call': 'call add|call add, out|call add a scalar|call sum|call slice view|call empty',
}
# Calls of other tables in which another library was faster (notes of 2026-11-30 and 2026-12-01), in milliseconds.
SLOWER = """
layer normalisation, fused | 0.136 | - | 0.130 (compiled)
Black–Scholes, fused | 0.343 | - | 0.326 (compiled)
gamma, shapes of 1 to 10 by array, float64 | 0.744 | 0.920 | 0.647
eigh, 1,024 rows, float32 | 10.6 | 10.5 | 10.4
diag of 16,384 elements, float32 | 0.917 | 0.244 | -
"""
LIBRARIES = (('cuprum', '#b7410e'), ('cupy', '#4c9a2a'), ('torch', '#7d7d7d'))
NAMES = {'cuprum': 'Cuprum', 'cupy': 'CuPy', 'torch': 'PyTorch'}


def microseconds(text):
    """Returns a time of a table in microseconds, of a range its end, or None."""
    found = re.fullmatch(r'(?:[\d.]+ to )?([\d.]+) (us|ms)', text)
    return found and float(found[1]) * {'us': 1, 'ms': 1000}[found[2]]


def table():
    """Returns the rows of the tables: for each the times of the libraries in microseconds."""
    rows = {}
    for path in sorted(NOTES.glob('*.md')):
        inside = False
        for line in path.read_text().splitlines():
            inside = line == HEAD or inside and line.startswith('|')
            cells = [cell.strip() for cell in line.strip('|').split('|')]
            if inside and microseconds(cells[1]):
                rows[cells[0]] = dict(zip(NAMES, map(microseconds, (cells[1], cells[3], cells[4]))))
    return rows


def shown(time):
    """Returns a time with three digits."""
    return f'{time / 1000:.3g} ms' if time >= 1000 else f'{time:.3g} µs'


def chart(rows):
    """Returns a chart of the times of rows, on a logarithmic axis, as SVG."""
    times = [time for row in rows.values() for time in row.values() if time]
    low, high = math.floor(math.log10(min(times))), math.log10(max(times))
    left, width, bar = 186, 340, 12
    height = len(rows) * (3 * bar + 9) + 50
    x = lambda time: left + width * (math.log10(time) - low) / (high - low)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="600" height="{height}" fill="white"/>',
    ]
    for at, (library, colour) in enumerate(LIBRARIES):
        parts.append(
            f'<rect x="{left + 100 * at}" y="8" width="12" height="12" fill="{colour}"/><text x="{left + 100 * at + 18}" y="18">{NAMES[library]}</text>'
        )
    for power in range(low, math.floor(high) + 1):
        at = x(10**power)
        parts.append(f'<line x1="{at:.0f}" x2="{at:.0f}" y1="28" y2="{height - 20}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.0f}" y="{height - 6}" text-anchor="middle" fill="#555">{shown(10**power)}</text>')
    y = 34
    for name, row in rows.items():
        parts.append(f'<text x="{left - 8}" y="{y + 1.5 * bar + 4}" text-anchor="end">{name.replace("<", "&lt;")}</text>')
        for library, colour in LIBRARIES:
            if row[library]:
                end = x(row[library])
                parts.append(f'<rect x="{left}" y="{y}" width="{end - left:.1f}" height="{bar - 1}" fill="{colour}"/>')
                parts.append(f'<text x="{end + 4:.1f}" y="{y + bar - 1}" font-size="10.5" fill="#333">{shown(row[library])}</text>')
            y += bar
        y += 9
    return '\n'.join([*parts, '</svg>', ''])


def page():
    """Returns the page, and the charts by file name."""
    rows = table()
    text = [
        '# Benchmarks',
        'Times of one NVIDIA H200 (CUDA 13.0): Cuprum, CuPy 14.2 and PyTorch 2.11, in the same run or in one of the same week. Arrays have up to 2<sup>30</sup> bytes '
        'each, so that the GPU and not the call is measured, but in the last chart, which has the time that the host needs for a call of '
        'ten elements. The axes are logarithmic: a short bar is a short time. The bars of a library that lacks a function are left out. '
        'The repository has all rows with their dates in `docs/measurements/h200/`; `./ci/run.sh cuda bench` '
        'measures them anew.',
    ]
    files = {}
    for title, names in CHARTS.items():
        file = re.sub(r'\W+', '-', title.lower()) + '.svg'
        files[file] = chart({name: rows[name] for name in names.split('|')})
        text += [f'## {title}', f'![Times of calls: {title.lower()}](charts/{file})']
    listed = {name: row for name, row in rows.items() if row['cupy'] or row['torch']}
    slower = [name for name, row in listed.items() if row['cuprum'] and any(row[k] and row['cuprum'] > 1.05 * row[k] for k in ('cupy', 'torch'))]
    lines = [f'| {name} | ' + ' | '.join(shown(listed[name][k]) if listed[name][k] else '-' for k in NAMES) + ' |' for name in slower]
    for line in SLOWER.strip().splitlines():
        name, *times = (cell.strip() for cell in line.split('|'))
        lines.append(f'| {name} | ' + ' | '.join(re.sub(r'^([\d.]+)', r'\1 ms', time) for time in times) + ' |')
    text += [
        f'## Where another library is faster\n\nOf the {len(listed)} calls of these tables that another library has, {len(slower)} take Cuprum more than 1.05 times as '
        'long; the others below were timed later, in a run of their own.',
        '\n'.join(['| call | Cuprum | CuPy | PyTorch |', '|---|--:|--:|--:|', *lines]),
    ]
    return '\n\n'.join(text) + '\n', files
