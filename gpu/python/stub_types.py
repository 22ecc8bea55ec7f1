"""Types for the stubs: of parameters and results by name, which are NumPy's and CuPy's and have the same meaning
everywhere, and complete declarations that need several lines. `stubs.py` imports it."""

# The type of a parameter.
PARAMETERS = {
    'axis': 'int | Sequence[int] | None',
    'axes': 'Any',
    'dtype': 'DTypeLike',
    'out': 'Any',
    'keepdims': 'builtins.bool',
    'shape': 'int | Sequence[int]',
    'order': 'str | None',
    'casting': 'str',
    'copy': 'builtins.bool | None',
    'k': 'int',
    'kind': 'Any',
    'stable': 'builtins.bool | None',
    'descending': 'builtins.bool',
    'mode': 'str',
    'side': 'str',
    'ddof': 'float | None',
    'correction': 'float | None',
    'num': 'int',
    'endpoint': 'builtins.bool',
    'retstep': 'builtins.bool',
    'assume_unique': 'builtins.bool',
    'return_index': 'builtins.bool',
    'return_inverse': 'builtins.bool',
    'return_counts': 'builtins.bool',
    'equal_nan': 'builtins.bool',
    'indexing': 'str',
    'sparse': 'builtins.bool',
    'rtol': 'float',
    'atol': 'float',
    'blocking': 'builtins.bool',
    'ndmin': 'int',
    'subok': 'builtins.bool',
}

# Parameters of distributions have names with another meaning elsewhere.
OF_DISTRIBUTIONS = {'dtype': 'DTypeLike', 'size': 'int | Sequence[int] | None'}

# Names that have another meaning in these functions.
OF_FUNCTIONS = {
    **dict.fromkeys(('polyint', 'chebint', 'legint', 'lagint', 'hermint', 'hermeint', 'integ'), {'k': 'Any'}),
    'copyto': {'where': 'Any'},
    'triangular': {'mode': 'Any'},
    'ravel_multi_index': {'mode': 'str | Sequence[str]'},
    'pad': {'mode': 'Any'},
    'isclose': {'rtol': 'Any', 'atol': 'Any'},
    'allclose': {'rtol': 'Any', 'atol': 'Any'},
    'pinv': {'rtol': 'Any'},
    'matrix_rank': {'rtol': 'Any'},
    'empty_like': {'shape': 'int | Sequence[int] | None'},
    'zeros_like': {'shape': 'int | Sequence[int] | None'},
    'ones_like': {'shape': 'int | Sequence[int] | None'},
    'full_like': {'shape': 'int | Sequence[int] | None'},
    'get_fft_plan': {'shape': 'int | Sequence[int] | None'},
    'standard_gamma': {'shape': 'Any'},
    'gamma': {'shape': 'Any'},
}

# The results of functions that return no array.
RETURNS = {
    **dict.fromkeys(('array_split', 'split', 'hsplit', 'vsplit', 'dsplit', 'meshgrid', 'as_series'), 'list[ndarray]'),
    **dict.fromkeys(
        (
            'nonzero',
            'ix_',
            'unravel_index',
            'tril_indices',
            'triu_indices',
            'tril_indices_from',
            'triu_indices_from',
            'diag_indices',
            'diag_indices_from',
            'mask_indices',
            'unstack',
            'broadcast_arrays',
        ),
        'tuple[ndarray, ...]',
    ),
    **dict.fromkeys(
        (
            'isscalar',
            'iscomplexobj',
            'isrealobj',
            'isfortran',
            'can_cast',
            'isdtype',
            'may_share_memory',
            'shares_memory',
            'issubdtype',
            'is_available',
            'issctype',
            'issubclass_',
            'issubsctype',
            'is_ptds_enabled',
            'allclose',
            'array_equal',
            'array_equiv',
        ),
        'builtins.bool',
    ),
    **dict.fromkeys(('base_repr', 'binary_repr', 'format_float_positional', 'format_float_scientific', 'mintypecode'), 'str'),
    **dict.fromkeys(
        (
            'copyto',
            'put',
            'place',
            'putmask',
            'put_along_axis',
            'fill_diagonal',
            'save',
            'savez',
            'savez_compressed',
            'savetxt',
            'install_as_cupy',
            'show_config',
            'clear_memo',
            'disp',
            'who',
            'seed',
            'shuffle',
            'set_random_state',
            'reset_states',
            'show_plan_cache_info',
            'set_allocator',
            'set_pinned_memory_allocator',
            'scatter_add',
            'scatter_max',
            'scatter_min',
        ),
        'None',
    ),
    **dict.fromkeys(
        (
            'unique',
            'gradient',
            'find_peaks',
            'average',
            'load',
            'frexp',
            'unique_all',
            'unique_counts',
            'unique_inverse',
            'polyfit',
            'atleast_1d',
            'atleast_2d',
            'atleast_3d',
            'result_type',
            'promote_types',
            'min_scalar_type',
            'common_type',
            'intersect1d',
            'einsum_path',
            'lu',
            'qr',
            'choose_conv_method',
            'get_fft_plan',
            'get_plan_cache',
            'get_array_module',
        ),
        'Any',
    ),
    **dict.fromkeys(('histogram', 'polydiv', 'lu_factor', 'mapparms'), 'tuple[ndarray, ndarray]'),
    'indices': 'ndarray',
    'histogram2d': 'tuple[ndarray, ndarray, ndarray]',
    'histogramdd': 'tuple[ndarray, list[ndarray]]',
    'lstsq': 'tuple[ndarray, ndarray, ndarray, ndarray]',
    'cho_factor': 'tuple[ndarray, builtins.bool]',
    'eig': 'EigResult',
    'eigh': 'EighResult',
    'slogdet': 'SlogdetResult',
    'shape': 'tuple[int, ...]',
    'ndim': 'int',
    'size': 'int',
    'byte_bounds': 'tuple[int, int]',
    'next_fast_len': 'int',
    'prev_fast_len': 'int',
    'fhtoffset': 'float',
    'asnumpy': 'numpy.ndarray[Any, Any]',
    'find_common_type': 'numpy.dtype[Any]',
    'get_default_memory_pool': 'cuda.memory.MemoryPool',
    'get_default_pinned_memory_pool': 'cuda.pinned_memory.PinnedMemoryPool',
    'memoize': 'Callable[[_F], _F]',
    'asfarray': 'ndarray',
    'require': 'ndarray',
    # Random numbers.
    'bytes': 'builtins.bytes',
    'get_random_state': 'RandomState',
    'default_rng': 'Generator',
    # CUDA.
    'get_current_stream': 'Stream',
    'get_elapsed_time': 'float',
    'get_device_id': 'int',
    'get_compute_capability': 'str',
    'malloc_managed': 'MemoryPointer',
    'malloc_async': 'MemoryPointer',
    'alloc': 'MemoryPointer',
    'alloc_pinned_memory': 'PinnedMemoryPointer',
    'get_local_runtime_version': 'int',
    'get_build_version': 'int',
    **dict.fromkeys(
        (
            'runtimeGetVersion',
            'driverGetVersion',
            'getDeviceCount',
            'getDevice',
            'deviceGetAttribute',
            'malloc',
            'mallocManaged',
            'mallocAsync',
            'hostAlloc',
            'streamCreate',
            'eventCreate',
            'deviceGetLimit',
        ),
        'int',
    ),
    **dict.fromkeys(
        (
            'setDevice',
            'deviceSynchronize',
            'free',
            'freeAsync',
            'freeHost',
            'memcpy',
            'memcpyAsync',
            'memset',
            'memsetAsync',
            'streamDestroy',
            'streamSynchronize',
            'streamWaitEvent',
            'eventDestroy',
            'eventRecord',
            'eventSynchronize',
            'profilerStart',
            'profilerStop',
            'deviceSetLimit',
            'start',
            'stop',
            'RangePop',
        ),
        'None',
    ),
    'eventElapsedTime': 'float',
    'memGetInfo': 'tuple[int, int]',
    'deviceGetPCIBusId': 'str',
    'getDeviceProperties': 'dict[str, Any]',
    'geterr': 'dict[str, Any]',
    'seterr': 'dict[str, Any]',
    'rawkernel': 'Callable[[Callable[..., Any]], Any]',
}

# The results of array methods that return no array.
OF_ARRAYS = {
    **dict.fromkeys(('fill', 'sort', 'partition', 'set', 'tofile', 'dump', 'put', 'itemset', '__setitem__', '__delitem__', '__array_finalize__'), 'None'),
    **dict.fromkeys(
        (
            'tolist',
            'item',
            'toDlpack',
            '__dlpack__',
            '__array_namespace__',
            '__reduce__',
            '__divmod__',
            '__rdivmod__',
            '__array_ufunc__',
            '__array_function__',
            '__array__',
            '__setstate__',
            '__array_wrap__',
        ),
        'Any',
    ),
    **dict.fromkeys(('__bool__', '__contains__'), 'builtins.bool'),
    **dict.fromkeys(('__len__', '__int__', '__index__', '__hash__', '__sizeof__'), 'int'),
    **dict.fromkeys(('__repr__', '__str__', '__format__'), 'str'),
    **dict.fromkeys(('tobytes', 'dumps', '__bytes__'), 'builtins.bytes'),
    'get': 'numpy.ndarray[Any, Any]',
    '__float__': 'float',
    '__complex__': 'complex',
    '__iter__': 'Iterator[ndarray]',
    '__dlpack_device__': 'tuple[int, int]',
    'nonzero': 'tuple[ndarray, ...]',
}

# The attributes of an array.
ATTRIBUTES = {
    'shape': '_Shape_co',
    'strides': 'tuple[int, ...]',
    'ndim': 'int',
    'size': 'int',
    'itemsize': 'int',
    'nbytes': 'int',
    'dtype': '_DType_co',
    'T': 'ndarray[Any, _DType_co]',
    'mT': 'ndarray[Any, _DType_co]',
    'real': 'ndarray',
    'imag': 'ndarray',
    'base': 'ndarray | None',
    'flat': 'flatiter',
    'device': 'cuda.device.Device',
    'data': 'cuda.MemoryPointer',
}

# The results of members of other classes, by the name of the class and the member, or by the member only.
MEMBERS = {
    **dict.fromkeys(
        (
            'ptr',
            'size',
            'id',
            'device_id',
            'used_bytes',
            'free_bytes',
            'total_bytes',
            'n_free_blocks',
            'get_limit',
            '__int__',
            '__index__',
            '__hash__',
            '__len__',
            'nin',
            'nout',
            'nargs',
            'ndim',
            'priority',
            'order',
        ),
        'int',
    ),
    **dict.fromkeys(('done', 'is_capturing', 'is_non_blocking', '__bool__', '__eq__', '__ne__', '__lt__', '__le__', '__gt__', '__ge__'), 'builtins.bool'),
    # Comparisons of sparse arrays give sparse arrays.
    **{
        f'{format}_{kind}.__{name}__': 'Any'
        for format in ('coo', 'csr', 'csc', 'dia')
        for kind in ('array', 'matrix')
        for name in ('eq', 'ne', 'lt', 'le', 'gt', 'ge')
    },
    **dict.fromkeys(('__repr__', '__str__', 'compute_capability', 'pci_bus_id', 'code', 'debug_dot_str', 'to_str', 'variable'), 'str'),
    **dict.fromkeys(
        (
            'synchronize',
            '__exit__',
            '__init__',
            'record_',
            'wait_event',
            'launch_host_func',
            'add_callback',
            'begin_capture',
            'set_limit',
            'free_all_blocks',
            'free_all_free',
            'launch',
            'upload',
            'clear_cache',
            'compile',
            'seed',
            'shuffle',
            'print_report',
            '__setitem__',
            '__delitem__',
            '_set',
            'set_state',
            'copy_from',
            'copy_from_device',
            'copy_from_device_async',
            'copy_from_host',
            'copy_from_host_async',
            'copy_from_async',
            'copy_to_host',
            'copy_to_host_async',
            'memset',
            'memset_async',
            'prefetch',
            'advise',
        ),
        'None',
    ),
    **dict.fromkeys(('__enter__', 'from_pci_bus_id', 'jumped', 'advance'), 'Self'),
    'Event.record': 'None',
    'BaseStream.record': 'Event',
    'BaseStream.use': 'Self',
    'Device.use': 'None',
    'Stream.from_external': 'ExternalStream',
    'Device.mem_info': 'tuple[int, int]',
    'Device.attributes': 'dict[str, int]',
    'MemoryPool.malloc': 'MemoryPointer',
    'MemoryAsyncPool.malloc': 'MemoryPointer',
    'PinnedMemoryPool.malloc': 'PinnedMemoryPointer',
    'RawModule.get_function': 'RawKernel',
    'ReductionKernel.__call__': 'ndarray',
    'RawKernel.__call__': 'None',
    'ReductionKernel.name': 'str',
    'ElementwiseKernel.name': 'str',
    'RawKernel.name': 'str',
    'RawKernel.attributes': 'dict[str, int]',
    'poly1d.coeffs': 'ndarray',
    'poly1d.c': 'ndarray',
    'poly1d.roots': 'ndarray',
    'poly1d.r': 'ndarray',
    'poly1d.deriv': 'poly1d',
    'poly1d.integ': 'poly1d',
    'poly1d.__iter__': 'Iterator[ndarray]',
    'flatiter.__getitem__': 'ndarray',
    'flatiter.copy': 'ndarray',
    'flatiter.__iter__': 'Iterator[ndarray]',
    'flatiter.__next__': 'ndarray',
    'BaseStream.__cuda_stream__': 'tuple[int, int]',
    'Generator.bit_generator': 'BitGenerator',
    'Generator.spawn': 'list[Generator]',
    'Generator.choice': 'ndarray',
    'BitGenerator.random_raw': 'ndarray | None',
    'Generator.bytes': 'builtins.bytes',
    'RandomState.bytes': 'builtins.bytes',
}

# Classes whose methods return arrays unless specified otherwise.
DRAW = ('Generator', 'RandomState')

# Declarations in full: functions with several overloads, and callable objects.
WRITTEN = {
    'cuprum.where': '''@overload
def where(condition: Any, /) -> tuple[ndarray, ...]: ...
@overload
def where(condition: Any, x: Any, y: Any, /) -> ndarray: ...''',
    'cuprum.linspace': '''@overload
def linspace(start: Any, stop: Any, num: int = ..., endpoint: builtins.bool = ..., retstep: Literal[False] = ..., dtype: DTypeLike = ..., axis: int = ..., *, device: Any = ...) -> ndarray: ...
@overload
def linspace(start: Any, stop: Any, num: int = ..., endpoint: builtins.bool = ..., *, retstep: Literal[True], dtype: DTypeLike = ..., axis: int = ..., device: Any = ...) -> tuple[ndarray, ndarray]: ...''',
    'cuprum.linalg.svd': '''@overload
def svd(a: Any, full_matrices: builtins.bool = ..., compute_uv: Literal[True] = ..., hermitian: builtins.bool = ...) -> SVDResult: ...
@overload
def svd(a: Any, full_matrices: builtins.bool = ..., *, compute_uv: Literal[False], hermitian: builtins.bool = ...) -> ndarray: ...
@overload
def svd(a: Any, full_matrices: builtins.bool, compute_uv: Literal[False], hermitian: builtins.bool = ...) -> ndarray: ...''',
    'cuprum.linalg.qr': '''@overload
def qr(a: Any, mode: Literal['reduced', 'complete', 'raw'] = ...) -> QRResult: ...
@overload
def qr(a: Any, mode: Literal['r']) -> ndarray: ...''',
    'cuprum.fuse': '''class Fusion(Generic[_P, _R]):
    func: Callable[_P, _R]
    name: str | None
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    def __get__(self, instance: Any, owner: Any = ...) -> Any: ...
    def clear_cache(self) -> None: ...
class _FuseScope:
    def __call__(self, function: Callable[_P, _R]) -> Fusion[_P, _R]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: Any) -> None: ...
class _Fuse:
    @overload
    def __call__(self, function: Callable[_P, _R], kernel_name: str | None = ..., *, wait: builtins.bool = ...) -> Fusion[_P, _R]: ...
    @overload
    def __call__(self, function: None = ..., kernel_name: str | None = ..., *, wait: builtins.bool = ...) -> _FuseScope: ...
    def memory_stats(self) -> dict[str, int]: ...
fuse: _Fuse''',
}

# The start of the main stub: the class of ufuncs, and those with one result or two.
UFUNC = '''_P = ParamSpec('_P')
_R = TypeVar('_R')
_F = TypeVar('_F', bound=Callable[..., Any])
_Shape_co = TypeVar('_Shape_co', bound=tuple[int, ...], default=Any, covariant=True)
_DType_co = TypeVar('_DType_co', bound=numpy.dtype[Any], default=numpy.dtype[Any], covariant=True)

class ufunc:
    __name__: str
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def nargs(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def signature(self) -> str | None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def at(self, a: ndarray, indices: Any, b: Any = ..., /, *, order: str = ...) -> None: ...
    def accumulate(self, array: Any, axis: int = ..., dtype: DTypeLike = ..., out: Any = ...) -> ndarray: ...
    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> ndarray: ...
    def reduce(self, array: Any, axis: int | Sequence[int] | None = ..., dtype: DTypeLike = ..., out: Any = ..., keepdims: builtins.bool = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
    def reduceat(self, array: Any, indices: Any, axis: int = ..., dtype: DTypeLike = ..., out: Any = ...) -> ndarray: ...
    def resolve_dtypes(self, dtypes: tuple[Any, ...], *, signature: Any = ..., casting: str | None = ..., reduction: builtins.bool = ...) -> tuple[numpy.dtype[Any], ...]: ...

class _UfuncOfOne(ufunc):
    def __call__(self, *args: Any, **kwargs: Any) -> ndarray: ...

class _UfuncOfTwo(ufunc):
    def __call__(self, *args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]: ...
'''

# Decorators of tests, which return a test of the same type.
DECORATORS = ('for_', 'numpy_cupy_', 'numpy_cuprum_', 'with_requires', 'repeat', 'retry', 'multi_gpu', 'parameterize', 'fix_random')
