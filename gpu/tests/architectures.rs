//! Compilation of the kernels for every supported architecture: NVRTC needs no GPU for it.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::process::Command;

use cuprum::cuda::build_kernels;
use cuprum::random::{BitGenerator, Generator, default_rng};
use cuprum::scipy::interpolate::{self, PPoly, RadialFunction};
use cuprum::scipy::ndimage::{
    self, DistanceOptions, FilterOptions, InterpolationOptions, LabelOptions, MorphologyOptions,
};
use cuprum::scipy::signal::{self, LinearFilterOptions, UpfirdnOptions};
use cuprum::scipy::sparse::{Format, Sparse, csgraph};
use cuprum::scipy::spatial::distance::{Metric, cdist};
use cuprum::scipy::spatial::{KdTree, NearestOptions};
use cuprum::{
    Argument, Array, DType, ElementwiseKernel, FoldOptions, RawModule, Result, UniqueOptions, arange, s, ufunc,
};

/// Supported architectures, oldest first.
const TARGETS: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];
/// Those of the gate: the oldest, before the instructions that the headers choose from 8.0 on, and the newest.
const IN_GATE: [&str; 2] = ["sm_75", "sm_120"];

/// Calls kernels from every header that depends on the architecture, each for a dtype of its class.
fn program() -> Result<()> {
    let line = arange(0, 5000, 1)?;
    let table = line.reshape([50, 100])?;
    for dtype in [DType::BF16, DType::F16, DType::F32] {
        let b = table.astype(dtype)?;
        let _ = cuprum::sqrt(&(&b * &b))?;
        let _ = (cuprum::sum(&b, ())?, cuprum::max(&b, 0)?, cuprum::max(&b, 1)?, cuprum::var(&b, 1)?);
    }
    let (a, b) = (line.astype(DType::F32)?, table.astype(DType::F32)?);
    let _ = (a.cumsum(0)?, b.cumsum(0)?, b.cumsum(1)?);
    // Tiles of distances, and searches of neighbours in registers.
    let points = b.index(s![.., ..3])?;
    let _ = (cdist(&points, &points, ())?, cdist(&points, &points, Metric::Cosine)?);
    let _ = KdTree::new(&points, None)?.query(&points, 5, NearestOptions::default())?;
    // Sums of 8-bit integers.
    let _ = cuprum::sum(&table.astype(DType::I8)?, 1)?;
    // Quotients and roots of vectors.
    let _ = cuprum::fuse(|| a.divide(&a)?.sqrt())?;
    // Pairs of float16, and their exponentials.
    let f16 = a.astype(DType::F16)?;
    let _ = cuprum::fuse(|| f16.exp()?.multiply(&f16)?.add(&f16))?;
    // Batched small matrices.
    let identity = cuprum::eye(4, ())?;
    let _ =
        (cuprum::linalg::svdvals(&identity)?, cuprum::linalg::eigh(&identity, ())?, cuprum::linalg::eig(&identity)?);
    // Eigenvalues by blocks that exchange elements.
    let _ = cuprum::linalg::eigvalsh(&cuprum::eye(65, ())?, ())?;
    let _ = (cuprum::sort(&line, -1)?, cuprum::argsort(&a, -1)?, cuprum::sort(&table.astype(DType::U8)?, 1)?);
    let _ = cuprum::unique(&a, UniqueOptions { counts: true, ..UniqueOptions::default() })?;
    let _ = (cuprum::nonzero(&b)?, a.mask(&a.astype(DType::Bool)?)?);
    let _ = (cuprum::searchsorted(&a, &a, ())?, cuprum::histogram(&a, 10)?);
    let (positions, values) = (line.index(s![..3])?, a.index(s![..3])?.copy(cuprum::Order::C)?);
    ufunc("add")?.at(&a, [&positions], &values)?;
    ufunc("add")?.at(&line, [&positions], values.astype(DType::I64)?)?;
    ufunc("maximum")?.at(&a, [&positions], &values)?;
    // Enough elements for exact accumulation.
    let many = cuprum::zeros([1 << 16], DType::I64)?;
    ufunc("add")?.at(&a, [&many], many.astype(DType::F32)?)?;
    // Enough elements for linked updates.
    let more = cuprum::zeros([(1 << 16) + 1], DType::I64)?;
    ufunc("add")?.at(more.astype(DType::F32)?, [&more], more.astype(DType::F32)?)?;
    // Histograms by few blocks, and by many blocks whose counters are added.
    let _ = cuprum::histogram2d(&a, &a, 10)?;
    let points = many.astype(DType::F32)?;
    let _ = cuprum::histogram2d(&points, &points, 10)?;
    let _ = ufunc("subtract")?.reduce(&b, 0, FoldOptions::default())?;
    // A 1-D slice long enough to select its ranks without a sort.
    let _ = cuprum::median(&cuprum::zeros([1 << 14], DType::U8)?, ())?;
    let _ = cuprum::bincount(&line, ())?;
    let _ = cuprum::bincount(&line, &line.astype(DType::F32)?)?;
    // Repeats by counts, and a concatenation of more parts than kernel parameters can describe.
    let _ = cuprum::repeat(&a, &line, ())?;
    let _ = cuprum::concatenate(vec![a.index(s![..40])?; 300], ())?;
    // Rows of a sparse matrix, and two patterns merged.
    let sparse = Sparse::from_dense(&b, Format::Csr)?;
    let _ = sparse.binary("add", &sparse.copy()?)?;
    let eye = |k| Sparse::eye([1 << 16; 2], k, DType::F32, Format::Csr, sparse.device());
    let _ = eye(0)?.binary("add", &eye(1)?)?;
    let _ = sparse.to_format(Format::Csc)?;
    // Products of a sparse matrix, of rows of similar lengths as well, a solver, and the components of a graph.
    let diagonal = Sparse::from_dense(&cuprum::eye(100, ())?, Format::Csr)?;
    let _ = cuprum::scipy::sparse::linalg::cg(&diagonal, &cuprum::ones([100], ())?, ())?;
    let _ = cuprum::scipy::sparse::linalg::tfqmr(&diagonal, &cuprum::ones([100], ())?, ())?;
    let _ = diagonal.matmul(&diagonal)?;
    let _ = cuprum::scipy::sparse::linalg::gmres(&diagonal, &cuprum::ones([100], ())?, ())?;
    let _ = cuprum::scipy::sparse::linalg::spsolve_triangular(&diagonal, &a.index(s![..100])?, ())?;
    // Factors with dense panels.
    let full = Sparse::from_dense(&(cuprum::eye(40, ())? * 50.0 + 1.0), Format::Csc)?;
    let factors = cuprum::scipy::sparse::linalg::splu(&full, ())?;
    let _ = factors.solve(&cuprum::ones([40], DType::F64)?, Default::default())?;
    let _ = cuprum::scipy::sparse::linalg::ilu0(&diagonal, Default::default())?;
    let even = Sparse::from_dense(&cuprum::ones([100, 100], DType::F32)?, Format::Csr)?;
    let _ = even.matmul_dense(&a.index(s![..100])?)?;
    let _ = (sparse.matmul_dense(&a.index(s![..100])?)?, sparse.matmul(&sparse.transpose(None)?)?);
    let _ = csgraph::connected_components(&Sparse::from_dense(&b.index(s![.., ..50])?, Format::Csr)?)?;
    // Windows along both axes of an image.
    let _ = ndimage::uniform_filter(&b, &[3], FilterOptions::new())?;
    let _ = (
        ndimage::maximum_filter(&b, &[3], FilterOptions::new())?,
        ndimage::minimum_filter(&b, &[3], FilterOptions::new())?,
    );
    // Medians along a line, extremes of boxes, exact sums of blocks, and a filter by tiles that are loaded ahead.
    let _ = ndimage::maximum_filter(&cuprum::ones([20, 30, 40], DType::F32)?, &[3], FilterOptions::new())?;
    let _ = ndimage::median_filter(&a, &[5], FilterOptions::new())?;
    let large = cuprum::ones([300, 300], DType::F32)?;
    let _ = ndimage::sum_labels(&large, &large.astype(DType::I32)?, &line.index(s![..9])?)?;
    // Weighted sums as products of matrices.
    let _ = ndimage::gaussian_filter(&large, &[3.0], FilterOptions::new())?;
    let _ = signal::upfirdn(&[1.0, 2.0], &a, 1, 1, UpfirdnOptions::new())?;
    // Components of an image, and sums, extremes and boxes of few and of many labels.
    let (labels, _) = ndimage::label(&b, LabelOptions::new())?;
    let _ = (
        ndimage::binary_propagation(&b, MorphologyOptions::new())?,
        ndimage::binary_erosion(&b, MorphologyOptions::new())?,
    );
    for index in [line.index(s![..9])?, line.clone()] {
        let _ = (ndimage::sum_labels(&b, &labels, &index)?, ndimage::extrema(&b, &labels, &index)?);
    }
    let _ = ndimage::sum_labels(&table.astype(DType::U8)?, &labels, &line)?;
    let _ = ndimage::sum_labels(&points, &many, &line)?;
    let _ = (ndimage::find_objects(&labels, 3)?, ndimage::distance_transform_edt(&b, DistanceOptions::new())?);
    // Coefficients of splines along both axes, their values axis by axis, a recurrence over several tiles, and one of many coefficients.
    let _ = ndimage::spline_filter(&b, InterpolationOptions::new())?;
    let _ = ndimage::zoom(&b, &[0.5], false, InterpolationOptions::new())?;
    let _ = signal::lfilter(&[1.0], &[1.0, -0.5], &line, -1, LinearFilterOptions::new())?;
    let _ = signal::lfilter(&[1.0], &[1.0; 20], &line, -1, LinearFilterOptions::new())?;
    // A piecewise polynomial, normal equations, a grid, radial functions and a block tridiagonal system.
    let (c, knots) = (cuprum::ones([2, 4], ())?, line.index(s![..5])?);
    let _ = PPoly::new(&c, &knots)?.evaluate(&a, 0)?;
    let (values, first) = interpolate::bspline_basis(&line.index(s![..8])?, 1, &line, 0, false)?;
    let column = line.reshape([5000, 1])?;
    let _ = interpolate::bspline_normal_equations(&values, &first, None, &column, 6, true)?;
    let _ = interpolate::RegularGrid::new(std::slice::from_ref(&knots), &knots)?.linear(&column)?;
    let sites = column.index(s![..9])?;
    let _ = interpolate::radial_sum(&column, &sites, &sites, RadialFunction::Gaussian, 1.0)?;
    let blocks = cuprum::ones([4, 1, 1], ())?;
    let _ = interpolate::solve_block_tridiagonal(&blocks, &(4.0 * &blocks), &blocks, &column.index(s![..4])?)?;
    // A distribution whose kernel checks its parameter, with every generator.
    for bits in [BitGenerator::philox4x3210(1)?, BitGenerator::mrg32k3a(1)?, BitGenerator::xorwow(1)?] {
        let _ = Generator::new(bits).poisson(line.index(s![..3])?, ())?;
    }
    // Many elements, of a distribution that samples by rejection and of one that does not.
    let mut rng = default_rng(1)?;
    let _ = (rng.poisson(1.0, 1 << 18)?, rng.bernoulli(0.5, 1 << 21)?, rng.standard_gamma(2.5, 1 << 18)?);
    let _ = cuprum::linalg::lu_factor(b.index(s![..8])?.reshape([8, 10, 10])?)?;
    let half = ElementwiseKernel::new("float16 x", "float16 y", "y = x", ())?;
    // SAFETY: the operation accesses only its own elements.
    let _ = unsafe { half.call(&[(&a.astype(DType::F16)?).into()], &[], None, None) }?;
    Ok(())
}

/// Splits a list of kernels into its entries.
fn entries(mut list: &str) -> Vec<&str> {
    let mut entries = vec![];
    while let Some((head, rest)) = list.split_once('\n') {
        // The counts of lines of options and expressions, and of bytes of source.
        let counts: Vec<usize> = head.rsplitn(4, ' ').take(3).map(|n| n.parse().unwrap()).collect();
        let lines: usize = rest.split_inclusive('\n').take(counts[1] + counts[2]).map(str::len).sum();
        let (entry, after) = list.split_at(head.len() + 1 + lines + counts[0] + 1);
        entries.push(entry);
        list = after;
    }
    entries
}

#[test]
fn every_kernel_in_which_the_architecture_matters_compiles_for_all_of_them() {
    if std::env::var_os("CUPRUM_PROGRAM").is_some() {
        return program().unwrap();
    }
    let folder = std::env::temp_dir().join(format!("cuprum-architectures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let list = folder.join("list");
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "every_kernel_in_which_the_architecture_matters_compiles_for_all_of_them"])
        .envs([("CUPRUM_PROGRAM", "1"), ("CUPRUM_DEVICE", "sim")])
        .env("CUPRUM_KERNEL_LIST", &list)
        .status();
    assert!(status.unwrap().success());
    let text = std::fs::read_to_string(&list).unwrap();
    let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/include");
    let (mut missing, mut all) = (vec![], vec![]);
    for header in std::fs::read_dir(headers).unwrap().map(|entry| entry.unwrap().path()) {
        // Headers that user kernels include are compiled by the tests of user kernels, that of the translation to HIP by
        // the stage `hip`. A sort by leading digits needs a row of millions of elements, and a reduction by way of a band a
        // matrix of a thousand rows; their operations of warps are in other headers as well.
        let name = header.file_name().unwrap().to_string_lossy().into_owned();
        let large = name == "sort_leading.cuh" || name.starts_with("band_");
        if name.starts_with("user_") || name == "hip.cuh" || large {
            continue;
        }
        let lines = std::fs::read_to_string(&header).unwrap();
        let depends = |line: &&str| {
            ["asm", "_sync(", "atomic", "__nanosleep", "__CUDA_ARCH__"].iter().any(|word| line.contains(word))
                && !line.trim_start().starts_with("//")
                // Available on every architecture, in kernels that only large arrays need.
                && !line.contains("prefetch.")
        };
        if lines.lines().find(depends).is_some_and(|line| !text.contains(line)) {
            missing.push(header);
        }
        all.extend(lines.lines().filter(depends).map(str::to_owned));
    }
    assert!(missing.is_empty(), "no kernel of the program has {missing:?}");
    // Selects a small set of kernels that covers every such line.
    let mut kernels: Vec<(&str, BTreeSet<&String>)> =
        entries(&text).into_iter().map(|k| (k, all.iter().filter(|line| k.contains(*line)).collect())).collect();
    kernels.sort_by_key(|(entry, lines)| (Reverse(lines.len()), entry.len()));
    let mut seen = BTreeSet::new();
    kernels.retain(|(_, lines)| {
        let new = lines.difference(&seen).next().is_some();
        seen.extend(lines.iter().copied());
        new
    });
    assert!(kernels.len() > 10 && kernels.len() < 80, "{} kernels", kernels.len());
    std::fs::write(&list, kernels.iter().map(|(entry, _)| *entry).collect::<String>()).unwrap();
    // The simulator's fast compilation must not leave state in the compiler.
    let unseen = format!("// {}\nextern \"C\" __global__ void unseen() {{}}\n", std::process::id());
    RawModule::compile(&unseen, &[]).unwrap().kernel("unseen").unwrap();
    let is_full = std::env::var_os("CUPRUM_SAMPLE").is_some_and(|sample| sample == "full");
    let targets = if is_full { &TARGETS[..] } else { &IN_GATE };
    assert!(build_kernels(&list, targets, folder.join("archive")).unwrap() > 10_000);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Preprocesses the headers for one architecture, in a namespace of its own.
fn headers(namespace: &str, arch: Option<u32>) -> String {
    let parts = [
        include_str!("../../kernels/include/types.cuh"),
        include_str!("../../kernels/include/bfloat16.cuh"),
        include_str!("../../kernels/include/math.cuh"),
        include_str!("../../kernels/include/extremes.cuh"),
    ];
    let arch = arch.map_or(String::new(), |arch| format!("#undef __CUDA_ARCH__\n#define __CUDA_ARCH__ {arch}\n"));
    format!("{arch}namespace {namespace} {{\n{}\n}}\n", parts.concat())
}

#[test]
fn replacements_of_newer_instructions_return_their_bits() -> Result<()> {
    let text = headers("newer", None)
        + &headers("older", Some(750))
        + r#"
__device__ unsigned sample(unsigned i) {
  const unsigned low[8] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x4321, 0xfffe};
  return i >> 3 << 16 | low[i & 7];
}
extern "C" __global__ void compare(unsigned *wrong) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = __uint_as_float(sample(i));
  if (newer::bf16_from(x).bits != older::bf16_from(x).bits) atomicAdd(wrong, 1u);
  const unsigned few[12] = {0, 0x80000000u, 1, 0x80000001u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u,
                            0x7fc00001u, 0xffc00002u, 0x7f800001u, 0xff800003u};
  const float y = __uint_as_float(few[(i >> 3) % 12]);
  if (__float_as_uint(newer::larger(x, y)) != __float_as_uint(older::larger(x, y))) atomicAdd(wrong + 1, 1u);
  if (__float_as_uint(newer::larger(y, x)) != __float_as_uint(older::larger(y, x))) atomicAdd(wrong + 1, 1u);
  if (__float_as_uint(newer::smaller(x, y)) != __float_as_uint(older::smaller(x, y))) atomicAdd(wrong + 2, 1u);
  if (__float_as_uint(newer::smaller(y, x)) != __float_as_uint(older::smaller(y, x))) atomicAdd(wrong + 2, 1u);
  const unsigned part = i * 2654435761u;
  if (newer::warp_sum(part) != older::warp_sum(part)) atomicAdd(wrong + 3, 1u);
}
"#;
    let compare = RawModule::compile(&text, &[])?.kernel("compare")?;
    let wrong = Array::from_vec(vec![0u32; 4])?;
    // SAFETY: the argument is the kernel's, which adds to four elements.
    unsafe { compare.launch([2048, 1, 1], [256, 1, 1], &[Argument::Array(&wrong)])? };
    assert_eq!(wrong.to_vec::<u32>()?, [0; 4], "of bfloat16, larger, smaller, warp_sum");
    Ok(())
}
