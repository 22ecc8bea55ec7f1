"""Doc comments of the crate's routines, as prose for Python: results, errors, synchronisation."""

import functools
import pathlib
import re

SOURCES = pathlib.Path(__file__).parents[2] / 'gpu' / 'src'

PARENTHESES = r'\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)'
ROUTINE = re.compile(rf'((?:^///.*\n)*)(?:^#\[(?!routine).*\n)*^#\[routine({PARENTHESES})?\]\n(?:^#\[.*\n)*^(?:pub )?fn (\w+)', re.MULTILINE)
PUBLIC = re.compile(r'((?:^///.*\n)+)(?:^#\[.*\n)*^pub fn (\w+)', re.MULTILINE)

EXCEPTIONS = {
    'Value': 'ValueError',
    'Type': 'TypeError',
    'Axis': 'AxisError',
    'Index': 'IndexError',
    'LinAlg': 'LinAlgError',
    'NotImplemented': 'NotImplementedError',
    'Overflow': 'OverflowError',
    'ZeroDivision': 'ZeroDivisionError',
    'OutOfMemory': 'OutOfMemoryError',
    'Io': 'OSError',
    'Compile': 'CompileException',
    'Driver': 'CUDADriverError',
    'Library': 'RuntimeError',
    'Fault': 'RuntimeError',
}
# Sentences with these speak of Rust's form of a function.
OF_RUST = re.compile(r'\w::\w|Options\b|\bimpl\b|\(\)\?|`\(\)`|\bmethod\b|convert to the options|`&')
# What names the counterpart: the page links it.
COUNTERPART = re.compile(r"^(?:It is |It corresponds to )?(?:NumPy|SciPy|CuPy)'s `[\w.]+`\.?$|^It corresponds to ")


class Documentation:
    """The parts of a doc comment: paragraphs after the first sentence, and sections by heading."""

    def __init__(self, comment):
        text = '\n'.join(line.removeprefix('///').removeprefix(' ') for line in comment.splitlines())
        text = re.sub(r'```.*?```', '', text, flags=re.DOTALL)
        text = re.sub(r'\[`ErrorKind::(\w+)`\](?:\([^)]*\))?', lambda m: f'`{EXCEPTIONS.get(m[1], "RuntimeError")}`', text)
        text = re.sub(r'\[(`[^`\]]+`)\](?:\([^)]*\)|\[[^\]]*\])?', lambda m: m[1] if '::' not in m[1] else f'[{m[1]}', text)
        head, *sections = re.split(r'^# (.*)$', text, flags=re.MULTILINE)
        self.sections = {name: self.prose(body) for name, body in zip(sections[::2], sections[1::2])}
        summary, *paragraphs = head.strip().split('\n\n')
        # The docstring has the first sentence.
        _, *rest = re.split(r'(?<=\.)\s+', summary, maxsplit=1)
        self.body = self.prose('\n\n'.join([*rest, *paragraphs]))

    @staticmethod
    def prose(text):
        """Returns the sentences that hold in Python, by paragraphs."""
        paragraphs = []
        for paragraph in text.strip().split('\n\n'):
            if paragraph.lstrip().startswith(('*', '|', '-', '1.')):
                if not OF_RUST.search(paragraph):
                    paragraphs.append(paragraph.strip())
                continue
            sentences = re.split(r'(?<=[.:;])\s+(?=[A-Z`])', ' '.join(paragraph.split()))
            kept = [s for s in sentences if s and not OF_RUST.search(s) and not COUNTERPART.search(s)]
            if kept:
                paragraphs.append(re.sub('[;:]$', '.', ' '.join(kept)))
        return '\n\n'.join(paragraphs)


@functools.cache
def documentation():
    """Returns the documentation of the routines by module and name: `('numpy', 'flip')`. An overload of NumPy's signature has that of the
    public function of its name."""
    found, public = {}, {}
    for path in sorted(SOURCES.rglob('*.rs')):
        text = path.read_text()
        if 'routines' in path.parts:
            for comment, function in PUBLIC.findall(text):
                public.setdefault(function, Documentation(comment))
        for comment, arguments, function in ROUTINE.findall(text):
            namespace, name = (re.search(pattern, arguments) for pattern in (r'namespace = "([\w.]+)"', r'\bname = "(\w+)"'))
            found.setdefault((namespace[1] if namespace else 'numpy', name[1] if name else function.rstrip('_')), Documentation(comment))
    for (module, name), documentation in found.items():
        if not documentation.sections and name in public and module == 'numpy':
            found[module, name] = public[name]
    return found
