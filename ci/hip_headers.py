"""Compares the function tables of gpu/src/driver/hip with the headers of HIP, rocBLAS, rocSOLVER and hipFFT.

    python3 ci/hip_headers.py INCLUDE...

INCLUDE are the folders of the headers, as packages for development install them. Needs libclang (`pip install libclang`).
Each function must be declared, with as many arguments of the same classes: pointers, integers by their size, floats.
"""

import pathlib
import re
import sys

from clang import cindex

TABLES = pathlib.Path(__file__).parent.parent / 'gpu/src/driver/hip'
HEADERS = ['hip/hip_runtime_api.h', 'hip/hiprtc.h', 'rocblas/rocblas.h', 'rocsolver/rocsolver.h', 'hipfft/hipfft.h']
# Classes of argument types in registers: the kind and the bytes.
CLASSES = {
    'c_int': 'integer 4', 'c_uint': 'integer 4', 'i32': 'integer 4', 'u32': 'integer 4',
    'i64': 'integer 8', 'u64': 'integer 8', 'usize': 'integer 8', 'c_ulonglong': 'integer 8', 'f32': 'float 4', 'f64': 'float 8',
    'Pointer': 'pointer',
}  # fmt: skip


def rust_class(text):
    """Returns the class of a Rust type."""
    return 'pointer' if text.startswith(('*', 'unsafe extern')) else CLASSES[text]


def tables():
    """Yields the names that a function may have and the classes of its arguments."""
    for path in sorted(TABLES.glob('*.rs')):
        source = path.read_text()
        functions = re.findall(r'\bfn (\$?\w+)\(([^{}]*?)\)\s*= ((?:"\w+"(?:\s*\|\s*)?)+|\$\w+);', source)
        for method, arguments, names in functions:
            arguments = arguments.replace('fn(Pointer)', 'call')
            types = [part.split(':', 1)[1].strip() for part in re.sub(r'\s+', ' ', arguments).split(',') if ':' in part]
            classes = [rust_class(t) for t in types]
            found = re.findall(r'"(\w+)"', names)
            if not found:
                # A family of functions, one for each dtype: those whose names have the stem of the method.
                stem = method.removeprefix('$')
                stem = {'orgqr': '(?:orgqr|ungqr)', 'syevd': '(?:syevd|heevd)'}.get(stem, stem)
                found = sorted(set(re.findall(rf'"(\w+_[sdcz]{stem}(?:_\w+)?)"', source)))
                for name in found:
                    yield [name], classes
                assert len(found) == 4, (path, method, found)
            else:
                yield found, classes


def declared(includes):
    """Returns the classes of the arguments of every function of the headers."""
    index, functions = cindex.Index.create(), {}
    for header in HEADERS:
        text = f'#include <stddef.h>\n#include <stdint.h>\n#include <{header}>\n'
        options = ['-x', 'c++', '-std=c++17', '-D__HIP_PLATFORM_AMD__', '-D__HIP_PLATFORM_HCC__', *(f'-I{folder}' for folder in includes)]
        unit = index.parse('headers.cpp', options, [('headers.cpp', text)])
        for problem in unit.diagnostics:
            if problem.severity >= cindex.Diagnostic.Error:
                print(f'{header}: {problem.spelling}', file=sys.stderr)
        for node in unit.cursor.walk_preorder():
            if node.kind != cindex.CursorKind.FUNCTION_DECL:
                continue
            functions.setdefault(node.spelling, [c_class(a.type.get_canonical()) for a in node.get_arguments()])
    return functions


def c_class(kind):
    """Returns the class of a C type."""
    if kind.kind in (cindex.TypeKind.POINTER, cindex.TypeKind.CONSTANTARRAY, cindex.TypeKind.INCOMPLETEARRAY):
        return 'pointer'
    if kind.kind in (cindex.TypeKind.FLOAT, cindex.TypeKind.DOUBLE):
        return f'float {kind.get_size()}'
    return f'integer {kind.get_size()}' if kind.kind != cindex.TypeKind.RECORD else f'structure {kind.get_size()}'


def main():
    functions, wrong, count = declared(sys.argv[1:]), 0, 0
    for names, classes in tables():
        known = [name for name in names if name in functions]
        count += 1
        if not known:
            wrong += 1
            print(f'{" | ".join(names)}: no header has it')
        for name in known:
            if functions[name] != classes:
                wrong += 1
                print(f'{name}: the table has {classes}, the header {functions[name]}')
    print(f'{count} functions compared, {wrong} differ')
    return bool(wrong or not count)


if __name__ == '__main__':
    sys.exit(main())
