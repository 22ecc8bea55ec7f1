"""User-defined kernels: `RawKernel`, `RawModule`, `RawCode`, `ElementwiseKernel`, `ReductionKernel`.

They are created when a module is imported, and compiled when they are first called.
"""

import pathlib

from cuprum import _cuprum

__all__ = ["ElementwiseKernel", "RawCode", "RawKernel", "RawModule", "ReductionKernel"]


def _options(options, backend, jitify, what):
    if backend not in ("nvrtc", "nvcc", "auto"):
        raise ValueError(f"{what}: backend is {backend!r}: it must be 'nvrtc' or 'nvcc'")
    if jitify and backend == "nvcc":
        raise ValueError(f"{what}: jitify needs backend='nvrtc': nvcc searches the headers itself")
    if isinstance(options, str):
        raise TypeError(f"{what}: options is a tuple of texts, not one text")
    if backend == "nvcc":
        return tuple(options)
    # These are set by the library already, and NVRTC accepts each once.
    return tuple(o for o in options if o not in ("--std=c++17", "-std=c++17", "--std=c++14", "-std=c++14", "--std=c++11", "-std=c++11"))


class RawCode:
    """Compiled device code that is not yet linked: it may call functions and name variables that other code
    defines.

    `code` is a source in CUDA C++, or compiled code as bytes: LTO-IR, PTX, a CUBIN, a fatbin, an object or a
    library with device code. `path` is that of a file with either. With ``-dlto`` among the options a source is
    compiled to LTO-IR, which the linker optimises together with the other objects. ``RawModule(code=…,
    link=[piece])`` links.
    """

    def __init__(self, code=None, *, path=None, options=(), name_expressions=None):
        if (code is None) == (path is None):
            raise TypeError("RawCode: exactly one of code and path is needed")
        self.options = _options(options, "nvrtc", None, "RawCode")
        self.name_expressions = [] if name_expressions is None else list(name_expressions)
        self.code, self.file_path, self._pieces = code, path, {}

    def __getstate__(self):
        # Compiled code belongs to this process: a copy compiles its own.
        return {**self.__dict__, "_pieces": {}}

    @property
    def _piece(self):
        device = _cuprum.current_device()
        found = self._pieces.get(device)
        if found is None:
            code, options = self.code, list(self.options)
            if self.file_path is not None:
                path = pathlib.Path(self.file_path)
                code = path.read_bytes()
                if path.suffix in (".cu", ".cuh", ".cpp"):
                    code, options = code.decode(), [f"-I{path.parent}", *options]
            if isinstance(code, str):
                found = _cuprum.CodeHandle(code, options, self.name_expressions)
            else:
                found = _cuprum.CodeHandle.load(bytes(code))
            self._pieces[device] = found
        return found

    @property
    def kind(self):
        """The kind of the code: ``'PTX'``, ``'LTO-IR'``, ``'a CUBIN'``."""
        return self._piece.kind

    def __bytes__(self):
        return self._piece.bytes


class RawModule:
    """A module compiled from CUDA C++ source without changes.

    `name_expressions` names the template instances to compile: ``'scale<float>'``. `path` is the path of a file:
    CUDA C++ (``.cu``), PTX or CUBIN. Sources may include ``cuprum/complex.cuh``, ``cuprum/half.cuh``,
    ``cuprum/array.cuh``, ``cooperative_groups.h`` and ``cuComplex.h``; with `translate_cucomplex` the types of the
    last are ``complex<float>`` and ``complex<double>``, which have operators. With `enable_cooperative_groups` all
    blocks run concurrently, and can synchronise with one another.

    `backend` is the compiler: ``'nvrtc'``, or ``'nvcc'``, a program of the CUDA toolkit, for sources that need the
    toolkit's own headers. nvcc is the command in the environment variable `NVCC`, or is searched; the code is cached in
    the same way. It takes neither `name_expressions` nor the headers of the library. Headers are searched in the
    folders of ``-I``, among the library's and in the CUDA toolkit, with and without `jitify`, and are part of the
    source, so that a change of one compiles it anew.

    `link` is a list of pieces of code (`RawCode`) to link with: the source may call their functions and refer to
    their variables. With ``-dlto`` among the options the linker optimises all of them together. `link_options` are
    the options of the linker.
    """

    def __init__(
        self,
        *,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=None,
        link=(),
        link_options=(),
    ):
        if (code is None) == (path is None):
            raise TypeError("RawModule: exactly one of code and path is needed")
        self._headers = [("cuComplex.h", _cuprum.ModuleHandle.cucomplex_header)] if translate_cucomplex else []
        self.code, self.file_path, self.backend = code, path, backend
        self.options = _options(options, backend, jitify, "RawModule")
        if backend == "nvcc" and (translate_cucomplex or link or link_options):
            raise ValueError("RawModule: translate_cucomplex, link and link_options need backend='nvrtc'")
        self.name_expressions = None if name_expressions is None else list(name_expressions)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self.link, self.link_options, self._modules = tuple(link), tuple(link_options), {}
        if not all(isinstance(piece, RawCode) for piece in self.link):
            raise TypeError("RawModule: link is a list of RawCode, which code in bytes becomes by RawCode(code)")

    def __getstate__(self):
        # Compiled code belongs to this process: a copy compiles its own.
        return {**self.__dict__, "_modules": {}}

    def _module_options(self):
        return list(self.options), self.name_expressions or [], self._headers, self.backend == "nvcc"

    @property
    def module(self):
        """The compiled module, for the current device."""
        device = _cuprum.current_device()
        found = self._modules.get(device)
        if found is None:
            if self.link or self.link_options:
                own = RawCode(self.code, path=self.file_path, options=self.options, name_expressions=self.name_expressions or [])
                pieces = [piece._piece for piece in (own, *self.link)]
                found = _cuprum.ModuleHandle.link(pieces, list(self.link_options))
            elif self.file_path is not None:
                found = _cuprum.ModuleHandle.open(self.file_path, self._module_options())
            else:
                found = _cuprum.ModuleHandle(self.code, self._module_options())
            self._modules[device] = found
        return found

    def compile(self, log_stream=None):
        """Compiles the source for the current device.

        The compiler's log, with its warnings, is written to `log_stream`, in which case the source is compiled even
        if it is cached.
        """
        if log_stream is not None and self.code is not None:
            log_stream.write(_cuprum.ModuleHandle.log(self.code, self._module_options()))
        self.module

    def get_function(self, name):
        """Returns the kernel of this name."""
        self.module.kernel(name)
        return RawKernel._of(self, name)

    def get_global(self, name):
        """Returns the address of a variable of the module as a `MemoryPointer`."""
        return self.module.variable(name)


def _attribute(number, doc):
    def get(self):
        return self.kernel.attribute(number)

    get.__doc__ = doc
    return property(get)


class RawKernel:
    """A kernel of CUDA C++ source. ``kernel(grid, block, args)`` launches it.

    Python numbers are converted to the type of their parameter; NumPy scalars such as ``numpy.float32(x)`` must
    have it, and another type is a TypeError. So is another number of arguments. A struct is passed by value as an
    element of a NumPy array or an object of `ctypes`; None is a null pointer. An array is passed as the address of
    its first element or, if the parameter is a ``CArray<float, 2>`` of ``cuprum/array.cuh``, with its shape and
    strides.
    """

    def __init__(self, code, name, options=(), backend="nvrtc", *, translate_cucomplex=False, enable_cooperative_groups=False, jitify=None):
        options = _options(options, backend, jitify, "RawKernel")
        self._set(
            RawModule(
                code=code, options=options, backend=backend, translate_cucomplex=translate_cucomplex, enable_cooperative_groups=enable_cooperative_groups
            ),
            name,
        )

    @classmethod
    def _of(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._set(module, name)
        return kernel

    def _set(self, module, name):
        self._module, self.name, self._kernels = module, name, {}
        self.code, self.options, self.backend = module.code, module.options, module.backend
        self.file_path, self.enable_cooperative_groups = module.file_path, module.enable_cooperative_groups

    def __getstate__(self):
        # Compiled code belongs to this process: a copy compiles its own.
        return {**self.__dict__, "_kernels": {}}

    @property
    def kernel(self):
        """The compiled kernel, for the current device."""
        device = _cuprum.current_device()
        found = self._kernels.get(device)
        if found is None:
            found = self._kernels[device] = self._module.module.kernel(self.name)
        return found

    def compile(self, log_stream=None):
        """Compiles the source now, for the current device. See `RawModule.compile`."""
        self._module.compile(log_stream)
        self.kernel

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        self.kernel.launch(grid, block, tuple(args), shared_mem, stream, self.enable_cooperative_groups)

    def tune(self, blocks, args, grid, *, shared_mem=0):
        """Returns the number of threads per block with which the kernel is fastest.

        In a scope of ``cupyx.optimizing.optimize`` the kernel is launched with each of `blocks` on copies of the
        arrays in `args`; outside of one, the first of them is returned. `grid` is called with the number of threads
        and returns the number of blocks; `shared_mem` may be a function too, which returns the bytes of shared
        memory. The result is reused for this kernel with arrays of the same dtypes, shapes and strides and the same
        `blocks`.
        """
        shared = shared_mem if callable(shared_mem) else lambda block: shared_mem
        return self.kernel.tune([(block, grid(block), shared(block)) for block in blocks], tuple(args))

    def max_active_blocks(self, block_size, shared_mem=0):
        """Returns the number of blocks of this size that a multiprocessor runs concurrently."""
        return self.kernel.max_active_blocks(block_size, shared_mem)

    def suggested_block(self, shared_mem=0):
        """Returns the block size with the highest occupancy."""
        return self.kernel.suggested_block(shared_mem)

    max_threads_per_block = _attribute(0, "The most threads that a block may have.")
    shared_size_bytes = _attribute(1, "Bytes of static shared memory.")
    const_size_bytes = _attribute(2, "Bytes of constants of the user's.")
    local_size_bytes = _attribute(3, "Bytes of local memory of a thread.")
    num_regs = _attribute(4, "Registers of a thread.")
    ptx_version = _attribute(5, "The PTX that it was compiled from.")
    binary_version = _attribute(6, "The architecture that it was compiled for.")
    cache_mode_ca = _attribute(7, "Whether loads go by the first cache.")

    @property
    def max_dynamic_shared_size_bytes(self):
        """Bytes of dynamic shared memory that a block may have."""
        return self.kernel.attribute(8)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, bytes):
        self.kernel.set_max_dynamic_shared_size_bytes(bytes)

    @property
    def preferred_shared_memory_carveout(self):
        """The preferred share of shared memory in the first-level cache."""
        return self.kernel.attribute(9)

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, percent):
        self.kernel.set_preferred_shared_memory_carveout(percent)

    @property
    def attributes(self):
        """All attributes of the compiled kernel that the device reports."""
        known = {}
        for name in (
            "max_threads_per_block",
            "shared_size_bytes",
            "const_size_bytes",
            "local_size_bytes",
            "num_regs",
            "ptx_version",
            "binary_version",
            "cache_mode_ca",
            "max_dynamic_shared_size_bytes",
            "preferred_shared_memory_carveout",
        ):
            try:
                known[name] = getattr(self, name)
            except NotImplementedError:
                continue
        return known


def _override(args, protocol):
    """Returns the method of the first argument whose class computes kernels itself, such as an array over devices."""
    return next((getattr(value, protocol) for value in args if hasattr(type(value), protocol)), None)


def _rebuilt(kernel, parameters):
    """Returns the kernel of a pickle: it is compiled again when it is called."""
    return kernel(**parameters)


class ElementwiseKernel:
    """A kernel for an elementwise operation on its arguments, which are broadcast."""

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        loop_prep="",
        after_loop="",
        options=(),
        doc=None,
        cpu_ufunc=None,
        **kwargs,
    ):
        if kwargs:
            raise TypeError(f"ElementwiseKernel has no parameter {next(iter(kwargs))!r}")
        self.in_params, self.out_params, self.operation, self.name = in_params, out_params, operation, name
        self.reduce_dims, self.preamble = reduce_dims, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self.__name__ = name
        self._rest = {"loop_prep": loop_prep, "after_loop": after_loop, "options": tuple(options), "doc": doc, "cpu_ufunc": cpu_ufunc}
        self._handle = _cuprum.ElementwiseHandle(in_params, out_params, operation, name, bool(reduce_dims), preamble, loop_prep, after_loop, list(options))
        self.nin, self.nout = self._handle.arity
        self.nargs = self.nin + self.nout

    def __reduce__(self):
        names = ("in_params", "out_params", "operation", "name", "reduce_dims", "preamble", "no_return", "return_tuple")
        return _rebuilt, (type(self), {**{name: getattr(self, name) for name in names}, **self._rest})

    def __call__(self, *args, size=None, stream=None, block_size=None):
        try:
            results = self._handle.call(list(args), None if size is None else int(size), stream, block_size)
        except TypeError:
            override = _override(args, "__cupy_override_elementwise_kernel__")
            if override is None:
                raise
            return override(self, *args, size=size, stream=stream, block_size=block_size)
        if self.no_return:
            return None
        return results[0] if len(results) == 1 and not self.return_tuple else tuple(results)


class ReductionKernel:
    """A kernel that maps elements and reduces the results, along axes."""

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.in_params, self.out_params = in_params, out_params
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.name, self.preamble, self.reduce_dims = name, preamble, reduce_dims
        self.__name__ = name
        self._handle = _cuprum.ReductionHandle(
            in_params, out_params, map_expr, reduce_expr, post_map_expr, self.identity, name, reduce_type, preamble, list(options)
        )
        self.nin = self._handle.arity
        self.nout, self.nargs = 1, self.nin + 1
        self._rest = {"reduce_type": reduce_type, "options": tuple(options)}

    def __reduce__(self):
        names = ("in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr", "identity", "name", "reduce_dims", "preamble")
        return _rebuilt, (type(self), {**{name: getattr(self, name) for name in names}, **self._rest})

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        args = list(args)
        if len(args) == self.nin + 1 and out is None:
            out = args.pop()
        try:
            return self._handle.call(args, out, axis, keepdims, stream)
        except TypeError:
            override = _override(args, "__cupy_override_reduction_kernel__")
            if override is None:
                raise
            return override(self, *args, out=out, axis=axis, keepdims=keepdims, stream=stream)
