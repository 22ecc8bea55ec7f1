"""Draws the pictures of the gallery with matplotlib: `python docs/gallery.py [--folder FOLDER] [NAME...]`, with the package on the path.

Each program of `gpu/python/examples` with a function `draw` runs at the size of its `PICTURE`, and draws its result into a figure.
"""

import argparse
import pathlib
import runpy

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import cuprum

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / 'docs' / 'src' / 'pictures' / 'gallery'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--folder', type=pathlib.Path, default=FOLDER, help='where the pictures are written')
    parser.add_argument('names', nargs='*', help='programs, by default all that draw')
    arguments = parser.parse_args()
    cuprum.install_as_cupy()
    matplotlib.rcParams.update({'font.size': 9, 'figure.facecolor': 'white'})
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / 'gpu' / 'python' / 'examples').glob('*.py')):
        if arguments.names and path.stem not in arguments.names or 'def draw(' not in path.read_text():
            continue
        program = runpy.run_path(str(path))
        figure = Figure(figsize=(4.8, 3.6), layout='constrained')
        FigureCanvasAgg(figure)
        program['draw'](figure, program['main'](**program.get('PICTURE', {})))
        picture = arguments.folder / f'{path.stem}.png'
        figure.savefig(picture, dpi=110, metadata={'Software': None})
        print(picture)


if __name__ == '__main__':
    main()
