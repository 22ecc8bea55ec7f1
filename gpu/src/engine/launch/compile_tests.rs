//! Tests that the kernel sources of all keys compile, also those that no conformance case runs.
//!
//! Only the compiler's front end checks them, and no code is generated: many sources are in one program, each in a
//! namespace of its own, with uncalled functions in place of kernels.

use std::collections::HashSet;

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::registry::{ReductionId, UfuncId};
use cuprum_kernels::source::*;

use crate::driver::nvrtc::nvrtc;
use crate::dtype::promote_types;
use crate::engine::is_associative;
use crate::error::Result;

/// Number of sources in a program.
const TOGETHER: usize = 200;

/// Returns a source whose kernels are functions of a namespace with this number.
fn unlaunched(text: &str, number: usize) -> String {
    let begin = text.find("namespace ").map_or(0, |at| at + "namespace ".len());
    let end = begin + text[begin..].find(' ').unwrap_or(0);
    let mut out = format!("{}{}_{number}", &text[..begin], &text[begin..end]);
    let mut parts = text[end..].split("extern \"C\" __global__ void ");
    out.push_str(parts.next().unwrap_or_default());
    for kernel in parts {
        // The kernel's name follows the launch bounds.
        let bounds = kernel.find(") ").map_or(0, |at| at + 2);
        out.push_str("static __device__ void ");
        out.push_str(&kernel[bounds..].replacen("const __grid_constant__ ", "const ", 1));
    }
    out
}

fn compiled(texts: &[(String, String)]) -> Result<()> {
    let program: String = texts.iter().enumerate().map(|(k, (_, text))| unlaunched(text, k)).collect();
    let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
    nvrtc()?.compile(&program, "product", "compute_80", &options, &[]).map(drop)
}

/// Compiles one in `ONE_IN` of the sources in the gate, spread over operations, dtypes and classes, as it must end
/// soon; with `CUPRUM_SAMPLE=full`, as in a nightly job, every one is compiled.
const ONE_IN: usize = 23;

/// Compiles named sources; returns their total number.
fn check(texts: impl Iterator<Item = (String, String)>) -> usize {
    let mut seen = HashSet::new();
    let texts: Vec<_> = texts.filter(|(_, text)| seen.insert(text.clone())).collect();
    let step = if std::env::var("CUPRUM_SAMPLE").is_ok_and(|sample| sample == "full") { 1 } else { ONE_IN };
    let chosen: Vec<_> = texts.iter().step_by(step).cloned().collect();
    for several in chosen.chunks(TOGETHER) {
        if compiled(several).is_ok() {
            continue;
        }
        for one in several {
            if let Err(error) = compiled(std::slice::from_ref(one)) {
                panic!("{}: {error}", one.0);
            }
        }
        panic!("texts from {} to {} are not in one program", several[0].0, several[several.len() - 1].0);
    }
    texts.len()
}

#[test]
fn what_nobody_calls_is_looked_at() {
    let text = |body: &str| {
        let kernel = "extern \"C\" __global__ void __launch_bounds__(32) k(const __grid_constant__ params p)";
        format!(
            "namespace k {{ struct params {{ int n; }}; template <class T> struct pair {{ T a, b; }};\n\
             template <class T> __device__ T twice(T x) {{ {body} }}\n{kernel} {{ twice(p.n); }} }}"
        )
    };
    let checked = |body: &str| compiled(&[(String::new(), text(body))]).is_ok();
    assert!(checked("return x + x;"));
    assert!(!checked("return x.nothing;"));
    assert!(!checked("return pair<T>{x, x, x}.a;"));
}

fn maybe_dtypes() -> impl Iterator<Item = Option<DType>> {
    std::iter::once(None).chain(DType::ALL.map(Some))
}

/// Tests all reductions, operand dtypes, requested dtypes, and masks.
#[test]
fn every_reduction_compiles() {
    let mut texts = Vec::new();
    for (op, operand) in ReductionId::all().flat_map(|op| DType::ALL.map(|operand| (op, operand))) {
        for (result_dtype, masked) in
            maybe_dtypes().flat_map(|result_dtype| [false, true].map(|masked| (result_dtype, masked)))
        {
            for class in [ReductionClass::Rows, ReductionClass::Columns, ReductionClass::Staged] {
                // The requested dtype has the same effect in all classes.
                if result_dtype.is_some() && class != ReductionClass::Rows {
                    continue;
                }
                let (per_load, width) = (1, Width::default());
                let key = ReductionSource { op, operand, result_dtype, class, per_load, masked, words: false, width };
                if let Some(found) = key.resolve() {
                    texts.push((
                        format!("{} {class:?} as {result_dtype:?} masked {masked}", key.name()),
                        key.source(&found),
                    ));
                }
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 3604, "texts");
}

/// Scans of all dtypes into all dtypes, with and without NaNs.
#[test]
fn every_scan_compiles() {
    let mut texts = Vec::new();
    for op in UfuncId::all().filter(|op| op.record().nin == 2) {
        for (signature, found) in op.loops().iter().enumerate() {
            let out = found.out();
            if found.ins[..2] != [out; 2] || found.outs.len() != 2 || !is_associative(op.record().folds, out) {
                continue;
            }
            for method in [ScanMethod::Teams, ScanMethod::Rows, ScanMethod::Columns] {
                for (element, stored) in DType::ALL.into_iter().flat_map(|d| [(d, out), (out, d)]) {
                    for skip_nan in [false, true].into_iter().take(1 + usize::from(op.record().identity.is_some())) {
                        let (tree, vector) = (method != ScanMethod::Teams, method == ScanMethod::Rows);
                        let (signature, width) = (signature as u8, Width::default());
                        let (rounds, radix_log2) = (2, 5);
                        let key = Scan {
                            op,
                            signature,
                            element,
                            stored,
                            skip_nan,
                            method,
                            tree,
                            vector,
                            rounds,
                            radix_log2,
                            jumps: None,
                            width,
                        };
                        if method == ScanMethod::Rows || element == stored {
                            texts.push((format!("{} as {out} to {stored}", key.name()), key.source()));
                        }
                    }
                }
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 3948, "texts");
}

/// Folds and in-place updates by every loop.
#[test]
fn every_fold_compiles() {
    let mut texts = Vec::new();
    for op in UfuncId::all().filter(|op| op.record().nout == 1 && op.record().nin <= 2) {
        // Expressions of an element's index update nothing.
        for (signature, found) in op.loops().iter().enumerate().filter(|(_, found)| !found.expr.contains("index")) {
            let (signature, width, binary) = (signature as u8, Width::default(), op.record().nin == 2);
            let [array, operand] = [found.ins[0], found.ins[1]];
            let (operand_of, sharing) = (binary.then_some(operand), Sharing::Steps);
            let any_order = false;
            let at =
                At { op, signature, array, operand: operand_of, far: false, flat: true, sharing, any_order, width };
            texts.push((at.name(), at.source()));
            if (At { any_order: true, ..at }).adds_floats() {
                texts.push((at.name(), At { any_order: true, ..at }.source()));
            }
            let other = if at.atomic().is_some() { Sharing::Copies } else { Sharing::Elements };
            texts.push((at.name(), At { sharing: other, ..at }.source()));
            for key in [16, 24, 30].into_iter().filter_map(|log2| AtExact::of(at, 1 << log2)) {
                texts.push((key.name(), key.source()));
                let key = AtExact { linked: true, indices: Some(DType::I64), ..key };
                texts.push((key.name(), key.source()));
            }
            if !binary || found.out() != found.ins[0] {
                continue;
            }
            let masked = FoldMethod::Reduce { masked: true, start: FoldStart::Value };
            for method in [masked, FoldMethod::Accumulate, FoldMethod::Reduceat] {
                let key = Fold { op, signature, element: operand, method, width };
                texts.push((key.name(), key.source()));
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 2832, "texts");
}

/// Sorts, searches, counts, products and moves of all dtypes.
#[test]
fn every_engine_of_dtypes_compiles() {
    let width = Width::default();
    let mut texts = Vec::new();
    let mut add = |name: String, text: String| texts.push((name, text));
    add("eigenvector_pairs".into(), eigenvector_pairs_source(DType::F32));
    add("check_lapack_info".into(), check_lapack_info_source(DType::I32));
    for dtype in DType::ALL {
        for indexed in [false, true] {
            let key = SortBlock { dtype, threads: 256, items: 2, indexed };
            add(key.name(), key.source());
            if dtype.size() <= 8 {
                let key = SortShort { dtype, indexed };
                add(key.name(), key.source());
            }
        }
        for (carried, wide) in [
            (Carried::Nothing, false),
            (Carried::Position, false),
            (Carried::Position, true),
            (Carried::Given32, false),
            (Carried::Given64, true),
        ] {
            let parted: &[u8] = if carried == Carried::Nothing { &[0, 1, 8] } else { &[0] };
            for &wanted in parted {
                let key = SortPass { dtype, threads: 256, items: 8, carried, wanted, wide, leading: false };
                add(key.name(), key.source());
                if dtype.size() >= 8 && wanted == 0 {
                    let key = SortPass { leading: true, ..key };
                    add(key.name(), key.source());
                }
            }
        }
        for pick in [RunPick::FirstOfRun, RunPick::EqualToNext, RunPick::WithoutEqual, RunPick::Masked] {
            let key = SortRuns { dtype, pick };
            add(key.name(), key.source());
        }
        add(format!("sort_table/{dtype}"), table_source(dtype));
        add(format!("sort_take_along/{dtype}"), take_along_source(dtype));
        if !dtype.is_complex() {
            add(format!("ranks/{dtype}"), ranks_source(dtype));
        }
        if matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            for outside in [false, true] {
                add(format!("small_general/{dtype}/{outside}"), small_general_source(dtype, outside));
            }
            for kind in [Small::Singular, Small::Hermitian, Small::Reflectors] {
                for side in SMALL_SIDES {
                    add(format!("{kind:?}/{dtype}/{side}"), kind.source(dtype, side));
                }
            }
            for kind in [Small::PanelReflectors, Small::PanelSingular] {
                for side in PANEL_SIDES {
                    add(format!("{kind:?}/{dtype}/{side}"), kind.source(dtype, side));
                }
            }
        }
        if !dtype.is_float() && !dtype.is_complex() {
            for side in [1, 4, MatmulSource::most(dtype)] {
                let key = MatmulSource { dtype, side, rows: side > 1, columns: false };
                add(key.name(), key.source());
            }
            let key = Digits { digits: dtype.size() as u8, truth: dtype == DType::Bool };
            add(key.name(), key.source());
        }
        for group in [None, Some(8), Some(16)] {
            add(format!("correlate/{dtype}"), correlate_source(dtype, group));
        }
        if matches!(dtype, DType::F32 | DType::C64) {
            add(format!("correlate_fft/{dtype}"), correlate_fft_source(dtype));
        }
        for flat in [false, true] {
            let key = Mark { element: dtype, flat, width };
            add(format!("mark/{dtype}"), key.source());
        }
        for other in DType::ALL {
            let common = promote_types(dtype, other);
            for (right, sorter) in [(false, false), (true, true)] {
                let key = Search {
                    value: dtype,
                    needle: other,
                    common,
                    right,
                    member: false,
                    sorter,
                    staged: right,
                    ladder: right,
                    width,
                };
                add(format!("search/{dtype}-{other}"), key.source());
                if other == dtype {
                    let key = Search { right: false, member: true, sorter: false, ..key };
                    add(format!("search/{dtype} among {other}"), key.source());
                }
            }
            if dtype.is_complex() || other.is_complex() && common.is_complex() {
                continue;
            }
            let bins = [
                Bins::Edges(common),
                Bins::Uniform(common, BinArithmetic::Wide),
                Bins::Uniform(common, BinArithmetic::Own),
            ];
            for bins in
                bins.into_iter().skip(usize::from(!common.is_float())).take(if common.is_float() { 3 } else { 0 })
            {
                let clear = matches!(bins, Bins::Uniform(..));
                for counters in [Counters::Words, Counters::Bits16, Counters::Memory] {
                    let key = Histogram {
                        element: dtype,
                        bins,
                        weight: None,
                        clear,
                        counters,
                        found: false,
                        flat: true,
                        width,
                    };
                    add(format!("{} {counters:?}", key.name()), key.source());
                }
            }
            if !dtype.is_float() {
                let (bins, weight, counters) = (Bins::Direct, Some(other), Counters::Words);
                let key =
                    Histogram { element: dtype, bins, weight, clear: false, counters, found: false, flat: true, width };
                add(key.name(), key.source());
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 1302, "texts");
}

/// Compressed indices of both widths, and reductions of segments and products of every dtype.
#[test]
fn every_source_of_compressed_indices_compiles() {
    let mut texts = Vec::new();
    for wide in [false, true] {
        texts.push((format!("pointers {wide}"), pointers_source(wide)));
        texts.push((format!("patterns {wide}"), patterns_source(wide)));
        texts.push((format!("selection {wide}"), select_source(wide)));
        texts.push((format!("blocks {wide}"), blocks_source(wide)));
        for key in [false, true] {
            texts.push((format!("keys {wide} {key}"), keys_source(wide, key)));
        }
        for bytes in [1, 2, 4, 8, 16] {
            texts.push((format!("values {wide} {bytes}"), values_source(wide, bytes)));
            texts.push((format!("groups {wide} {bytes}"), groups_source(wide, bytes)));
            texts.push((format!("transpose {wide} {bytes}"), transpose_source(wide, bytes)));
        }
    }
    let loop_of = |name: &str, dtype: DType| {
        let op = UfuncId::named(name).expect("an operation of the registry");
        let found = op.loops().iter().position(|l| l.ins[..2] == [dtype; 2] && l.out() == dtype);
        found.map(|signature| (op, signature as u8))
    };
    for dtype in DType::ALL {
        for name in ["add", "maximum", "minimum", "fmax", "fmin", "logical_or"] {
            let Some((op, signature)) = loop_of(name, dtype) else { continue };
            let keys = [(1, false, dtype, true), (16, true, dtype, false), (1, false, DType::I8, false)];
            for (lanes, wide, element, direct) in keys {
                let key = Segments { op, signature, element, wide, lanes, direct };
                texts.push((key.name(), key.source()));
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 213, "texts");
}

/// Components, distances and statistics by labels of images, of every width.
#[test]
fn every_source_of_labels_compiles() {
    let mut texts = Vec::new();
    for width in [(false, false), (true, false), (false, true)].map(|(wide, deep)| Width { wide, deep }) {
        texts.push((format!("components/{width:?}"), components_source(width)));
        for value in [DType::I32, DType::I64, DType::F64] {
            let key = Distance { value, width };
            texts.push((key.name(), key.source()));
        }
        for float in [false, true] {
            let key = LabelSlots { float, width };
            texts.push((key.name(), key.source()));
        }
        let exact = LabelSource { kernels: LabelKernels::Exact, element: DType::F32, width };
        texts.push((exact.name(), exact.source()));
        for element in [DType::U8, DType::I32, DType::I64, DType::U64, DType::F32, DType::F64] {
            for kernels in [LabelKernels::Sums, LabelKernels::Segments, LabelKernels::Extremes] {
                let key = LabelSource { kernels, element, width };
                texts.push((key.name(), key.source()));
            }
        }
    }
    assert_eq!(check(texts.into_iter()), 75, "texts");
}
