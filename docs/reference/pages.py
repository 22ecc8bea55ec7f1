"""Pages of the Python reference: one for each chapter of NumPy's namespace and for each other module, with a section for each name."""

import importlib
import inspect
import pathlib
import re
import sys
import types

import numpy as np

from . import examples, rust

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'gpu' / 'python'))

# Modules in the order of the summary: this package's, NumPy's or SciPy's, the title of the page.
MODULES = [
    ('cuprum', 'numpy', None),
    ('cuprum.linalg', 'numpy.linalg', 'Linear algebra'),
    ('cuprum.fft', 'numpy.fft', 'Fourier transforms'),
    ('cuprum.random', 'numpy.random', 'Random numbers'),
    ('cuprum.polynomial', 'numpy.polynomial', 'Polynomial classes'),
    ('cuprum.polynomial.polynomial', 'numpy.polynomial.polynomial', 'Power series'),
    ('cuprum.polynomial.chebyshev', 'numpy.polynomial.chebyshev', 'Chebyshev series'),
    ('cuprum.polynomial.hermite', 'numpy.polynomial.hermite', 'Hermite series'),
    ('cuprum.polynomial.hermite_e', 'numpy.polynomial.hermite_e', 'HermiteE series'),
    ('cuprum.polynomial.laguerre', 'numpy.polynomial.laguerre', 'Laguerre series'),
    ('cuprum.polynomial.legendre', 'numpy.polynomial.legendre', 'Legendre series'),
    ('cuprum.polynomial.polyutils', 'numpy.polynomial.polyutils', 'Polynomial utilities'),
    ('cuprum.lib.stride_tricks', 'numpy.lib.stride_tricks', 'Strided views'),
    ('cuprum.testing', 'numpy.testing', 'Testing'),
    ('cuprum.cuda', None, 'Devices, streams and memory'),
    ('cuprum.cuda.runtime', None, 'CUDA runtime'),
    ('cuprum.cuda.texture', None, 'Textures'),
    ('cuprum.cuda.nccl', None, 'NCCL'),
    ('cuprum.cuda.nvtx', None, 'NVTX'),
    ('cuprum.cupyx', None, 'Extensions'),
    ('cuprum.cupyx.jit', None, 'Kernels in Python'),
    ('cuprum.cupyx.profiler', None, 'Profiling'),
    ('cuprum.cupyx.distributed', None, 'Several GPUs'),
    ('cuprum.cupyx.distributed.array', None, 'Arrays over several GPUs'),
    ('cuprum.cupyx.linalg', None, 'Linear algebra beyond NumPy'),
    ('cuprum.cupyx.signal', None, 'Radar and convolution'),
    ('cuprum.cupyx.scipy.special', 'scipy.special', 'Special functions'),
    ('cuprum.cupyx.scipy.linalg', 'scipy.linalg', 'Linear algebra of SciPy'),
    ('cuprum.cupyx.scipy.fft', 'scipy.fft', 'Fourier transforms of SciPy'),
    ('cuprum.cupyx.scipy.fftpack', 'scipy.fftpack', 'Fourier transforms, older names'),
    ('cuprum.cupyx.scipy.ndimage', 'scipy.ndimage', 'Images'),
    ('cuprum.cupyx.scipy.signal', 'scipy.signal', 'Signals'),
    ('cuprum.cupyx.scipy.signal.windows', 'scipy.signal.windows', 'Windows'),
    ('cuprum.cupyx.scipy.interpolate', 'scipy.interpolate', 'Interpolation'),
    ('cuprum.cupyx.scipy.sparse', 'scipy.sparse', 'Sparse arrays'),
    ('cuprum.cupyx.scipy.sparse.linalg', 'scipy.sparse.linalg', 'Sparse linear algebra'),
    ('cuprum.cupyx.scipy.sparse.csgraph', 'scipy.sparse.csgraph', 'Graphs'),
    ('cuprum.cupyx.scipy.spatial', 'scipy.spatial', 'Points in space'),
    ('cuprum.cupyx.scipy.spatial.distance', 'scipy.spatial.distance', 'Distances'),
    ('cuprum.cupyx.scipy.spatial.transform', 'scipy.spatial.transform', 'Rotations'),
    ('cuprum.cupyx.scipy.stats', 'scipy.stats', 'Statistics of SciPy'),
]

# Chapters of NumPy's namespace that the table of names does not have, and where its chapters go.
CHAPTERS = {
    'Functional programming': 'Functional programming',
    'Interoperability': 'Interoperability',
    'Windows': 'Mathematics',
    'Miscellaneous': 'Miscellaneous',
    'Bits': 'Mathematics',
    'Linear algebra': 'Products and matrices',
    'Polynomials': 'Polynomials, older functions',
}
# Names without a chapter in that table, by their chapter.
FURTHER = {
    'Arrays and kernels': 'ndarray ufunc flatiter broadcast RawKernel RawModule RawCode ElementwiseKernel ReductionKernel fuse vectorize '
    'memoize clear_memo ndenumerate get_default_memory_pool get_default_pinned_memory_pool',
    'Creation': 'geomspace',
    'Manipulation': 'concat permute_dims matrix_transpose unstack trim_zeros put_along_axis astype block delete insert ndim size '
    'may_share_memory shares_memory row_stack',
    'Elementwise functions': 'abs acos acosh asin asinh atan atan2 atanh bitwise_count bitwise_invert bitwise_left_shift bitwise_not '
    'bitwise_right_shift float_power heaviside pow spacing isneginf isposinf isnat real_if_close round round_',
    'Reductions': 'max min alltrue sometrue product nanpercentile nanquantile',
    'Sets': 'intersect1d setdiff1d setxor1d union1d',
    'Sorting and searching': 'unique_all unique_counts unique_inverse unique_values msort',
    'Scans and differences': 'cumulative_prod cumulative_sum trapezoid trapz cumproduct',
    'Products and matrices': 'vecdot matvec vecmat matmul cross einsum einsum_path',
    'Indexing': 'indices ix_ mask_indices',
    'Dtypes': 'isdtype finfo iinfo dtype',
    'Functional programming': 'apply_over_axes piecewise',
    'Interoperability': 'asnumpy get_array_module from_dlpack fromDlpack install_as_cupy is_available get_array_wrap __array_namespace_info__',
    'Input and output': 'NpzFile array2string array_repr array_str format_float_scientific disp',
    'Errors': 'CUDADriverError CompileException OutOfMemoryError',
    'Statistics': 'histogram_bin_edges histogramdd',
}


def chapters():
    """Returns the chapter of each name of NumPy's namespace."""
    found = {}
    for line in (ROOT / 'docs' / 'names.tsv').read_text().splitlines():
        chapter, module, name, *_ = line.split('\t')
        if module == 'numpy':
            found[name] = CHAPTERS.get(chapter, chapter)
    for chapter, names in FURTHER.items():
        for name in names.split():
            found[name] = chapter
    return found


def public_names(module):
    """Returns the functions and classes of a module that are the package's own, in alphabetical order."""
    names = []
    for name in sorted(set(vars(module)) | set(getattr(module, '__all__', ())), key=lambda name: (name.lower(), name)):
        value = getattr(module, name, None)
        home = getattr(value, '__module__', None) or ''
        if name.startswith('_') or isinstance(value, types.ModuleType) or not callable(value) or vars(np).get(name) is value:
            continue
        if isinstance(value, (type, types.FunctionType)) and not home.startswith('cuprum'):
            continue
        names.append(name)
    return names


def ufunc():
    """Returns the class of universal functions."""
    return importlib.import_module('cuprum').ufunc


def signature(path, name, value):
    """Returns the call of a function as text."""
    if isinstance(value, ufunc()):
        return f'{path}.{value.__doc__.split(chr(10), 1)[0]}'.replace(f'.{value.__name__}(', f'.{name}(', 1)
    try:
        text = re.sub(r'<[\w.]+ object at 0x\w+>|<no value>', '…', str(inspect.signature(value)))
    except (TypeError, ValueError):
        text = '(…)'
    return f'{path}.{name}{text}'


def description(value):
    """Returns the docstring of a function without its signature, as Markdown."""
    # The docstring of a universal function is an attribute, and so the class of them has none.
    text = (
        'Universal function: an elementwise function with broadcasting, dtype loops, `out`, `where` and methods.'
        if value is ufunc()
        else inspect.getdoc(value) or ''
    )
    if isinstance(value, ufunc()):
        text = text.partition('\n\n')[2]
    # What is no code must not be read as a tag.
    return re.sub(r'(`[^`]*`)|<', lambda m: m[1] or '&lt;', text)


def loops(types_):
    """Returns the loops of a universal function in dtype names: `float32 -> float32`."""
    names = {'?': 'bool', 'e': 'float16', 'E': 'bfloat16'}
    word = lambda c: names.get(c) or np.dtype(c).name
    seen = dict.fromkeys(' , '.join(map(word, a)) + ' → ' + ', '.join(map(word, b)) for a, b in (t.split('->') for t in types_))
    return seen


def dtypes(value):
    """Returns the sentence on the dtypes of a universal function."""
    rows = list(loops(value.types))
    inputs = {row.split(' → ')[0].split(' , ')[0] for row in rows}
    same = all(len(set(re.split(r' , | → |, ', row))) == 1 for row in rows)
    order = 'bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128'.split()
    listed = ', '.join(d for d in order if d in inputs)
    ends = {row.split(' → ')[1] for row in rows}
    result = 'The result has the dtype of the operands' if same else f'The result is {next(iter(ends))}' if len(ends) == 1 else 'The result is of the loop'
    shape = 'the shape of the operand' if value.nin == 1 else 'the shape to which the operands are broadcast'
    return f'{result}, and {shape}. There are loops for {listed}; an operand of another dtype is cast to the first loop that holds it safely.'


def counterpart(module, name):
    """Returns the link to NumPy's or SciPy's page of a function, if it has one."""
    if module is None:
        return None
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None
    if isinstance(found, types.ModuleType):
        return None
    home = 'numpy.org/doc/stable' if module.startswith('numpy') else 'docs.scipy.org/doc/scipy'
    shown = f'{module}.{name}'
    return f'[{shown}](https://{home}/reference/generated/{shown}.html)'


def members(value):
    """Returns a table of the public methods and attributes of a class."""
    rows = []
    for name in sorted(n for n in dir(value) if not n.startswith('_')):
        member = inspect.getattr_static(value, name)
        target = getattr(value, name, None)
        summary = (inspect.getdoc(target if callable(target) else member) or '').split('\n\n')[0].replace('\n', ' ').replace('|', '\\|')
        if summary and not callable(target) and type(member).__name__ not in ('property', 'getset_descriptor', 'cached_property', 'member_descriptor'):
            summary = ''
        shown = name + '()' if callable(target) else name
        rows.append(f'| `{shown}` | {re.sub(r"(`[^`]*`)|<", lambda m: m[1] or "&lt;", summary)} |')
    return '\n'.join(['| member | |', '|---|---|', *rows]) if rows else ''


def without_example():
    """Returns the functions, and the classes that NumPy or SciPy has, that have no example."""
    found = []
    for path, theirs, _ in MODULES:
        module, known = importlib.import_module(path), examples.read(theirs or path)
        for name in public_names(module):
            value = getattr(module, name)
            if (theirs or not isinstance(value, type)) and examples.of(name, value, known) is None:
                found.append(f'{path}.{name}')
    return found


class Reference:
    """The pages of the reference, and what they lack."""

    def __init__(self, differences, crates):
        """The reference, with links to the crates' pages in this folder where it exists."""
        self.differences, self.rust, self.crates = differences, rust.documentation(), crates
        self.pages, self.index = {}, []
        self.without_description, self.wrong = [], []

    def section(self, module, theirs, name):
        value, path = getattr(module, name), module.__name__
        documented = self.rust.get((theirs, name)) if theirs else None
        text = description(value)
        if not text.strip():
            self.without_description.append(f'{path}.{name}')
        parts = [f'## {name}', f'```text\n{signature(path, name, value)}\n```', text]
        if documented and documented.body:
            parts.append(documented.body)
        if isinstance(value, ufunc()):
            parts.append(f'**Dtypes.** {dtypes(value)}')
        for heading, shown in (('Errors', 'Errors'), ('Synchronization', 'Synchronisation')):
            if documented and documented.sections.get(heading):
                parts.append(f'**{shown}.** {self.resolved(theirs, documented.sections[heading], heading)}')
        for says in self.differences.get((theirs, name), ()):
            parts.append(f'**Difference.** {says}')
        if isinstance(value, type):
            parts.append(members(value))
        example = examples.of(name, value, self.examples)
        if example is not None:
            parts.append(f'```python\n{self.run(path, name, example)}\n```')
        links = [('Counterpart: ', counterpart(theirs, name)), ('Rust: ', self.rust_link(theirs, name))]
        parts.append(' · '.join(label + link for label, link in links if link))
        return '\n\n'.join(filter(None, parts))

    def resolved(self, theirs, text, heading):
        """Returns a section, with what it refers to in place of a reference to another function."""
        other = re.fullmatch(r'Same as (?:for |of )?`(\w+)`\.', text)
        documented = other and self.rust.get((theirs, other[1]))
        return documented.sections.get(heading, text) if documented else text

    def rust_link(self, theirs, name):
        """Returns the link to the page of the Rust function of the same name, if it has one."""
        home = re.sub('^numpy', 'cuprum', theirs or '') if (theirs or '').startswith('numpy') else f'cuprum.{theirs}'
        page = f'{home.replace(".", "/")}/fn.{name}.html'
        return f'[`{home.replace(".", "::")}::{name}`](../rust/{page})' if (self.crates / page).exists() else None

    def run(self, path, name, example):
        """Returns an example with its result; what fails or differs from the counterpart's result is recorded."""
        try:
            shown = example.shown()
            if example.compared and examples.differs(example.value(True), example.value(False)):
                self.wrong.append(f'{path}.{name}: {example.statements}: {example.value(True)!r} is not {example.value(False)!r}')
        except Exception as e:
            self.wrong.append(f'{path}.{name}: {example.statements}: {type(e).__name__}: {e}')
            return ''
        return shown

    def page(self, file, title, module, theirs, names):
        self.examples = examples.read(theirs or module.__name__)
        own = ', '.join(f'[{name}](#{name.lower()})' for name in names)
        head = f'# {title}\n\nModule `{module.__name__}`' + (f', after `{theirs}`' if theirs else '') + f'. {own}.'
        self.pages[file] = head + '\n\n' + '\n\n'.join(self.section(module, theirs, name) for name in names) + '\n'
        self.index.append((file, title, module.__name__, names))

    def build(self):
        where = chapters()
        for path, theirs, title in MODULES:
            module = importlib.import_module(path)
            names = public_names(module)
            if title:
                self.page(path.removeprefix('cuprum.').replace('.', '-') + '.md', title, module, theirs, names)
                continue
            by_chapter = {}
            for name in names:
                by_chapter.setdefault(where.get(name, 'Miscellaneous'), []).append(name)
            for chapter in sorted(by_chapter):
                self.page(re.sub(r'\W+', '-', chapter.lower()) + '.md', chapter, module, theirs, by_chapter[chapter])
        listed = [
            f'**[{title}]({file})**, `{module}`: ' + ', '.join(f'[{name}]({file}#{name.lower()})' for name in names)
            for file, title, module, names in self.index
        ]
        count = len({(module, name) for _, _, module, names in self.index for name in names})
        self.pages['README.md'] = (
            f'# Python reference\n\nThe {count:,} functions and classes of the package. A section has the signature, the dtypes and the shape of the result, '
            'the errors, the differences from the counterpart, and an example, whose result was compared with that of NumPy or SciPy when this page was built; '
            f'{len(without_example())} names, most of them of CUDA and of `cuprum.testing`, have no example. '
            '`python -m cuprum.as_cupy` makes the modules importable as `cupy` and `cupyx`.\n\n' + '\n\n'.join(listed) + '\n'
        )
        return self
