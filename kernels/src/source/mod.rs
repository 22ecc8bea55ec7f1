//! Assembly of kernel sources.
//!
//! A source contains only the headers that it needs and has no `#include`: compiling it needs no CUDA toolkit and takes
//! tens of milliseconds.

mod at;
mod at_exact;
mod band;
mod block_tridiagonal;
mod cast;
mod check_lapack_info;
mod choose;
mod compaction;
mod components;
mod compressed;
mod compressed_blocks;
mod compressed_select;
mod compressed_transpose;
mod concatenate;
mod correlate;
mod correlate_fft;
mod cross;
mod cubic;
mod distance;
mod draw;
mod elementwise;
mod expand;
mod fft_pass;
mod fft_processing;
mod fold;
mod gather;
mod gemm_int8_split;
mod generate;
mod histogram;
mod histogram_points;
mod horner;
mod incomplete_factors;
mod interp;
mod krylov;
mod labels;
mod matmul;
mod packing;
mod pairwise;
mod piecewise;
mod point_tree;
mod radial;
mod recurrence;
mod reduction;
mod remap;
mod rows;
mod sample;
mod scan;
mod search;
mod series;
mod singular_lu;
mod small_decompositions;
mod small_general;
mod sort;
mod sparse_merge;
mod sparse_product;
mod sparse_rows;
mod sparse_sparse;
mod spline_prefilter;
mod triangular_solve;
mod tridiagonal;
mod union_find;
mod unit;
mod upfirdn;
mod window;
mod window_bits;
mod window_box;
mod window_patch;
mod window_product;
mod window_rank;
mod window_stream;
mod window_tile;

pub use at::{At, AtParams, Sharing};
pub use at_exact::AtExact;
pub use band::{
    BAND, BAND_CHASE_THREADS, BAND_PANEL_ROWS, BAND_PANEL_THREADS, BAND_PRODUCT_ROWS, BAND_VECTOR_ROWS, BandParams,
    band_source,
};
pub use block_tridiagonal::{BLOCK_TRIDIAGONAL_THREADS, BlockTridiagonalParams, block_tridiagonal_source};
pub use cast::cast;
pub use check_lapack_info::{LapackInfoParams, check_lapack_info_source};
pub use choose::{CHOICES, Choose, ChooseMode, ChooseParams};
pub use compaction::{
    COMPACTION_THREADS, COMPACTION_UNIT, Compact, CompactParams, Compacted, MARK_BLOCKS, Mark, MarkParams, ReadMark,
    ReadMarkParams,
};
pub use components::{COMPONENT_TILE_LOG2, ComponentParams, components_source};
pub use compressed::{
    CheckParams, DescentParams, FindParams, FirstParams, GatherOrZeroParams, GroupParams, LongestParams, MERGE_TILE,
    MergeParams, PackParams, PatternParams, PointerParams, RowParams, ScatterParams, Segments, SegmentsParams,
    groups_source, keys_source, patterns_source, pointers_source, values_source,
};
pub use compressed_blocks::{ExpandBlocksParams, blocks_source};
pub use compressed_select::{
    GATHERED, GATHERED_ROWS, RANKED_COLUMNS, SORTED_COLUMNS, SelectColumnsParams, SelectCopyParams, SelectGatherParams,
    SelectListParams, SelectRowsParams, select_source,
};
pub use compressed_transpose::{
    TRANSPOSE_CAPACITY, TRANSPOSE_COLUMNS, TRANSPOSE_LISTED, TRANSPOSE_ROWS, TRANSPOSE_TILES, TransposeParams,
    transpose_source,
};
pub use concatenate::{CONCATENATE_INLINE, Concatenate, ConcatenateParams, JoinWalk};
pub use correlate::{
    CORRELATE_AXES_THREADS, CORRELATE_MOST_THREADS, CORRELATE_THREADS, CorrelateAxes, CorrelateAxesParams,
    CorrelateParams, correlate_source, correlate_tile, correlate_tile_bytes,
};
pub use correlate_fft::{
    CORRELATE_FFT_BYTES, CORRELATE_FFT_LENGTH, CORRELATE_FFT_THREADS, CorrelateFftParams, correlate_fft_roots,
    correlate_fft_source,
};
pub use cross::{CrossProduct, CrossProductParams};
pub use cubic::{CubicParams, cubic_source};
pub use distance::{DISTANCE_BAND, Distance, DistanceParams};
pub use draw::{Bits, DRAW_MANY_THREADS, DRAW_RESIDENT, DRAW_THREADS, Draw, DrawParams, RANDOM};
pub use elementwise::{
    Class, ELEMENTWISE_THREADS, Elementwise, ElementwiseInput, ElementwiseParams, Expression, ExpressionId,
    FUSED_INPUTS, FUSED_RESULTS, FUSED_STEPS, Fused, FusedParams, Input, Mode, Neighbours, Reading, ReadingParams,
    Step, StepOperand, Walk,
};
pub use expand::{EXPAND_MOST, EXPAND_TILE, ExpandParams, ExpandTilesParams, expand_source};
pub use fft_pass::{FFT_PASS_THREADS, FftPass, FftPassParams};
pub use fft_processing::{SPECTRAL_TILE, Spectral, SpectralForm, SpectralParams};
pub use fold::{Fold, FoldMethod, FoldParams, FoldStart};
pub use gather::{
    GATHER_INDICES, GATHER_ITEMS, Gather, GatherMethod, GatherParams, LastParams, OutOfBounds, SettleParams, Stored,
    last_source, settle_source,
};
pub use gemm_int8_split::{
    DIGITS_PER_THREAD, DIGITS_THREADS, DIGITS_TILE, Digits, JoinDigitsParams, SplitDigitsParams,
};
pub use generate::{Form, Generate, GenerateParams};
pub use histogram::{
    BinArithmetic, Bins, Counters, EdgesParams, EndsParams, HISTOGRAM_SLOTS, HISTOGRAM_WEIGHTED_BYTES, Histogram,
    HistogramParams, PartsParams, TotalParams, edges_source, ends_source, parts_source,
};
pub use histogram_points::{POINT_AXES, Points, PointsParams};
pub use horner::{Horner, HornerParams};
pub use incomplete_factors::{INCOMPLETE_THREADS, IncompleteParams, incomplete_source};
pub use interp::{INTERP_BUCKETS, Interp, InterpParams};
pub use krylov::{
    ARNOLDI_KERNELS, ARNOLDI_REALS, ARNOLDI_SLAB, ARNOLDI_THREADS, ArnoldiParams, ArnoldiReal, KRYLOV_REALS,
    KRYLOV_SCALARS, KRYLOV_THREADS, KRYLOV_VECTORS, KrylovMethod, KrylovParams, KrylovReal, KrylovStep,
    LeastSquaresReal, arnoldi_source,
};
pub use labels::{
    LABEL_LIMB, LABEL_PRODUCTS, LABEL_SEGMENT_TILE, LabelKernels, LabelParams, LabelSlots, LabelSlotsParams,
    LabelSource,
};
pub use matmul::{MATMUL_ACROSS, MatmulParams, MatmulSource};
pub use packing::{Packing, PackingParams};
pub use pairwise::{PAIRWISE_SIDE, PairFamily, Pairwise, PairwiseParams};
pub use piecewise::{
    PiecewiseParams, SPLINE_DEGREES, TENSOR_WEIGHTS, TensorProductParams, piecewise_source, tensor_product_source,
};
pub use point_tree::{
    POINT_BUILD_KERNELS, POINT_CURVE_DIMS, POINT_DIMS, POINT_LEAF, POINT_LEVELS, PointArrangeParams, PointBoxesParams,
    PointKeysParams, PointSearch, PointSearchParams, PointTreeSearch, point_build_source,
};
pub use radial::{RADIAL_EACH, RADIAL_THREADS, RadialParams, radial_source};
pub use recurrence::{
    RECURRENCE_GROUP, RECURRENCE_LONG, RECURRENCE_PASSED, RECURRENCE_SEGMENTS, RECURRENCE_SPAN, RECURRENCE_STATES,
    RECURRENCE_WARPS, RECURRENCE_WEIGHTS, Recurrence, RecurrenceLongParams, RecurrenceParams,
};
pub use reduction::{
    REDUCTION_BATCH, REDUCTION_ROWS, REDUCTION_SHORT, REDUCTION_STAGED, REDUCTION_VECTOR, ReadReduceParams,
    ReadReduction, ReduceParams, ReductionClass, ReductionSource,
};
pub use remap::{Remap, RemapParams};
pub use rows::{
    ROWS_HELD, ROWS_REDUCTIONS, RowCall, RowMode, RowNode, RowOperand, RowProgram, RowProgramId, Rows, RowsParams,
};
pub use sample::{Sample, SampleParams};
pub use scan::{
    JumpFrom, Jumps, ReadScan, ReadScanParams, SCAN_COLUMNS, SCAN_LEVELS, SCAN_THREADS, Scan, ScanMethod, ScanParams,
};
pub use search::{SEARCH_CELLS, Search, SearchParams};
pub use series::{Series, SeriesValuesParams, SeriesVandermondeParams};
pub use singular_lu::{EliminateParams, eliminate_source};
pub use small_decompositions::{
    HERMITIAN_SIDES, HermitianParams, PANEL_SIDES, PanelSingularParams, REFLECTOR_PANEL, SMALL_SIDES, Small,
    SmallParams, hermitian_group, panel_singular_threads, small_team,
};
pub use small_general::{
    EIGENVECTOR_PAIRS_THREADS, EigenvectorPairsParams, GENERAL_SIDE, GENERAL_THREADS, GeneralParams,
    eigenvector_pairs_source, small_general_source,
};
pub use sort::{
    Carried, RANK_BITS, RANK_TARGETS, RUNS_TILE, RankSampleParams, RunPick, SORT_LISTED_SLOTS, SORT_REPAIRERS,
    SORT_SAMPLE_BYTES, SORT_SAMPLERS, SORT_SHORT, SORT_SHORT_ITEMS, SORT_SHORT_THREADS, SortBlock, SortBlockParams,
    SortPass, SortPassParams, SortRanksParams, SortRuns, SortRunsParams, SortShort, SortTableParams, TABLE_TILE,
    TakeAlongParams, ranks_source, sort_repaired, table_source, take_along_source,
};
pub use sparse_merge::{SparseMergeParams, SparseMergeSource};
pub use sparse_product::{SPARSE_PATH, SPARSE_THREADS, SparseProductParams, SparseProductSource, SparseTilesParams};
pub use sparse_rows::{
    SPARSE_ROWS_CAPACITY, SPARSE_ROWS_SHORT, SPARSE_ROWS_THREADS, SparseRowsParams, SparseRowsSource,
};
pub use sparse_sparse::{SPARSE_CAPACITIES, SparseSparseParams, SparseSparseSource};
pub use spline_prefilter::{SPLINE_SEGMENT, SplinePrefilter, SplinePrefilterParams};
pub use triangular_solve::{
    TriangularInverseParams, TriangularSolveParams, triangular_inverses_source, triangular_solve_source,
};
pub use tridiagonal::{
    EIGENVALUE_ROW, EigenvalueParams, TridiagonalParams, TridiagonalSource, tridiagonal_eigenvalues_source,
};
pub use union_find::{UNION_FIND_KERNELS, UnionFindParams, union_find_source};
pub use upfirdn::{UPFIRDN_REACH, UPFIRDN_TILE_REACH, UPFIRDN_WEIGHTS, Upfirdn, UpfirdnParams, UpfirdnTileParams};
pub use window::{
    WINDOW_CHUNK, WINDOW_FEW, WINDOW_REACH, WindowArea, WindowAreaParams, WindowLine, WindowLineParams, WindowOp,
    WindowOrdered,
};
pub use window_bits::{
    BitsStep, WINDOW_BIT_AXES, WINDOW_BIT_ENTRIES, WINDOW_BITS_TILE_THREADS, WindowBits, WindowBitsParams,
    WindowBitsTileParams, window_bits_tile_source,
};
pub use window_box::{WindowBox, WindowBoxParams};
pub use window_patch::{WINDOW_PATCH, WINDOW_PATCH_WEIGHTS, WindowPatch, WindowPatchParams};
pub use window_product::{ProductOrder, WindowProduct};
pub use window_rank::{
    WINDOW_ITEMS, WINDOW_RUNS, WINDOW_WALKERS, WindowColumns, WindowMedian, WindowMedianParams, WindowRank,
    WindowSelect, WindowSelectParams,
};
pub use window_stream::{WindowStream, WindowStreamParams};
pub use window_tile::{TileOrder, WINDOW_TILE_WEIGHTS, WindowTile, WindowTileParams};

use crate::DType;
use crate::params::{Width, declaration};
use elementwise::READING;
use unit::Unit;

/// The fixed-width number types, which users' elementwise and reduction kernels have unless they declare the names
/// themselves.
pub const USER_TYPES: &str = header!("user_types");

/// The other headers that the sources of users' elementwise and reduction kernels contain.
pub const USER_ARRAYS: &str =
    concat!(header!("user_half"), header!("user_complex"), header!("user_extremes"), header!("user_array"));

macro_rules! complex_functions {
    () => {
        concat!(
            "#ifndef HEADER_complex_functions\n#define HEADER_complex_functions\nnamespace cuprum_functions {\n",
            include_str!("../../include/types.cuh"),
            include_str!("../../include/complex.cuh"),
            include_str!("../../include/hypotenuse.cuh"),
            include_str!("../../include/complex_math.cuh"),
            include_str!("../../include/complex_exponents.cuh"),
            include_str!("../../include/complex_inverse.cuh"),
            "}\n",
            include_str!("../../include/user_complex_functions.cuh"),
            "#endif\n",
        )
    };
}

/// The elementary functions of `complex<T>`.
pub const USER_COMPLEX_FUNCTIONS: &str = complex_functions!();

const COMPLEX_HEADER: &str = concat!(header!("user_complex"), complex_functions!());

const KERNEL_HEADER: &str = concat!(
    header!("user_types"),
    header!("user_half"),
    header!("user_complex"),
    header!("user_extremes"),
    header!("user_array"),
);

/// Atomic operations on float16, and extremes of floating-point numbers.
pub const USER_ATOMICS: &str = concat!(header!("user_half"), header!("user_atomics"));

/// CUDA's dot product functions (`__dp4a` and others), for versions of NVRTC that lack them.
pub const USER_DOT: &str = header!("user_dot");

/// The constants of `math.h`.
pub const USER_MATH: &str = header!("user_math");

/// The names of `cuComplex.h` for `complex<T>`, which replace that header if a source is compiled with `complex<T>`.
pub const USER_CUCOMPLEX: &str =
    concat!(header!("user_complex"), complex_functions!(), header!("user_cucomplex_templates"),);

/// The headers that the sources of kernels written in Rust contain.
pub const USER_RUST: &str =
    concat!(header!("types"), header!("device_errors"), header!("user_half"), header!("user_rust"));

/// The headers that the sources of users' kernels may include, by name. Those of the C library are here so that sources
/// written for a toolkit compile without one: the compiler itself knows what they declare.
pub const USER_HEADERS: &[(&str, &str)] = &[
    ("cuprum/types.cuh", header!("user_types")),
    ("cuprum/half.cuh", header!("user_half")),
    ("cuprum/complex.cuh", COMPLEX_HEADER),
    ("cuprum/array.cuh", concat!(header!("user_types"), header!("user_array"))),
    ("cuprum/kernel.cuh", KERNEL_HEADER),
    ("cupy/complex.cuh", COMPLEX_HEADER),
    ("cupy/carray.cuh", KERNEL_HEADER),
    ("cupy/atomics.cuh", USER_ATOMICS),
    ("cupy/math_constants.h", concat!(header!("user_math"), header!("user_cudart_constants"))),
    ("math_constants.h", header!("user_cudart_constants")),
    ("cuComplex.h", header!("user_cucomplex")),
    ("cooperative_groups.h", header!("user_groups")),
    (
        "cooperative_groups/memcpy_async.h",
        concat!(header!("user_groups"), header!("user_pipeline"), header!("user_groups_async")),
    ),
    ("cuda_fp16.h", concat!(header!("user_half"), header!("user_fp16"))),
    ("cuda_bf16.h", concat!(header!("user_half"), header!("user_fp16"))),
    ("mma.h", concat!(header!("user_half"), header!("user_fp16"), header!("user_mma"))),
    ("cuda_pipeline.h", header!("user_pipeline")),
    ("cuda_pipeline_primitives.h", header!("user_pipeline")),
    ("cuda_awbarrier_primitives.h", header!("user_pipeline")),
    ("stdint.h", concat!(header!("user_types"), header!("user_stdint"))),
    ("cstdint", concat!(header!("user_types"), header!("user_stdint"))),
    ("stddef.h", header!("user_types")),
    ("cstddef", header!("user_types")),
    ("inttypes.h", concat!(header!("user_types"), header!("user_stdint"))),
    ("cinttypes", concat!(header!("user_types"), header!("user_stdint"))),
    ("limits.h", header!("user_limits")),
    ("climits", header!("user_limits")),
    ("float.h", header!("user_limits")),
    ("cfloat", header!("user_limits")),
    ("limits", concat!(header!("user_limits"), header!("user_numeric_limits"))),
    ("type_traits", header!("user_type_traits")),
    ("math.h", header!("user_math")),
    ("cmath", header!("user_math")),
    ("stdio.h", ""),
    ("cstdio", ""),
    ("assert.h", ""),
    ("cassert", ""),
    ("stdlib.h", ""),
    ("cstdlib", ""),
    ("string.h", ""),
    ("cstring", ""),
    ("cuda.h", ""),
    ("cuda_runtime.h", ""),
    ("cuda_runtime_api.h", ""),
    ("device_launch_parameters.h", ""),
    ("vector_types.h", ""),
    ("thrust/complex.h", COMPLEX_HEADER),
];
const TYPES: &str = header!("types");
const HALF: &str = header!("half");
const BFLOAT16: &str = header!("bfloat16");
const COMPLEX: &str = header!("complex");
const COMPLEX_MATH: &str = concat!(header!("hypotenuse"), header!("complex_math"));
const MATH: &str = header!("math");
const QUOTIENTS: &str = header!("quotients");
const HALF_PAIRS: &str = header!("half_pairs");
const INDEX: &str = header!("index");

/// Returns a header that is placed within the namespace of an engine, after the definitions that depend on the key.
macro_rules! body {
    ($name:literal) => {
        include_str!(concat!("../../include/", $name, ".cuh"))
    };
}
use body;

/// Returns the headers that kernels over these dtypes need.
fn headers(dtypes: impl IntoIterator<Item = DType>, complex_math: bool) -> String {
    let (mut half, mut bfloat, mut complex) = (false, false, false);
    for d in dtypes {
        half |= d == DType::F16;
        bfloat |= d == DType::BF16;
        complex |= d.is_complex();
    }
    let mut text = String::from(TYPES);
    for (needed, header) in [
        (half, HALF),
        (bfloat, BFLOAT16),
        (true, MATH),
        (complex, COMPLEX),
        (complex && complex_math, COMPLEX_MATH),
        (true, INDEX),
    ] {
        if needed {
            text.push_str(header);
        }
    }
    text
}

/// Returns the type in which a loop of this dtype computes.
fn compute_type(dtype: DType, wide: bool) -> &'static str {
    match dtype {
        DType::F16 | DType::BF16 => "f32",
        DType::C64 if wide => "c128",
        other => other.device_name(),
    }
}

/// Widens a value of `dtype` to the type in which its loop computes.
fn widen(dtype: DType, wide: bool, value: &str) -> String {
    if compute_type(dtype, wide) == dtype.device_name() { value.into() } else { format!("widen({value})") }
}

/// Rounds a computed value back to `dtype`.
fn narrow(dtype: DType, wide: bool, value: &str) -> String {
    match dtype {
        DType::F16 => format!("f16_from({value})"),
        DType::BF16 => format!("bf16_from({value})"),
        DType::C64 if wide => format!("narrow({value})"),
        other => format!("({})({value})", other.device_name()),
    }
}
