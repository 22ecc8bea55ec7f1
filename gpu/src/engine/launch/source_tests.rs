//! Tests of kernel sources with the compiler: struct layouts are as written, and engines can be combined in one source.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Parameters, Sizes, Strides, Width, Written, declaration, offsets};
use cuprum_kernels::registry::{ReductionId, UfuncId};
use cuprum_kernels::source::*;

use crate::driver::nvrtc::{Haste, nvrtc};

/// Compiles a source with the options of every kernel and all optimisations; returns its PTX.
fn optimised(text: &str) -> String {
    compiled(text, Haste::default())
}

/// Compiles a source with the options of every kernel; returns its PTX.
fn compiled(text: &str, haste: Haste) -> String {
    let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
    let image = nvrtc().unwrap().compile_in_haste(text, "test", "compute_80", &options, &[], haste).unwrap();
    String::from_utf8(image.code).unwrap()
}

/// For sources of which only the declarations matter.
const QUICKLY: Haste = Haste { plain: true, quick: true };

/// Static assertions that the compiler's struct layouts agree with the written bytes, in a namespace with these types.
#[derive(Default)]
struct Layouts {
    text: String,
    layouts_written: usize,
}

impl Layouts {
    fn ask(&mut self, types: &[(&str, &str)], parameters: &impl Parameters<()>) {
        let (fields, size) = offsets(parameters);
        let types: String = types.iter().map(|(name, of)| format!("typedef {of} {name};\n")).collect();
        let offsets: String = fields
            .iter()
            .map(|(name, at)| format!("static_assert(__INTADDR__(&((params *)0)->{name}) == {at}, \"{name}\");\n"))
            .collect();
        self.text += &format!(
            "namespace layout{} {{\n{types}{}{offsets}static_assert(sizeof(params) == {size}, \"size\");\n}}\n",
            self.layouts_written,
            declaration("params", parameters)
        );
        self.layouts_written += 1;
    }
}

fn gather(method: GatherMethod, split: bool, width: Width) -> Gather {
    let (indices, out_of_bounds) = ([Some(DType::I32), Some(DType::Bool), None, None], OutOfBounds::Rejected);
    Gather { method, item: 4, indices, out_of_bounds, split, width }
}

/// Returns a source that contains the headers of every dtype.
fn all_headers() -> String {
    let of = |d: DType| Search {
        value: d,
        needle: d,
        common: d,
        right: false,
        member: false,
        sorter: false,
        staged: false,
        ladder: false,
        width: Width::default(),
    };
    // The engine's own code follows the headers.
    let before = |text: String| text.split("namespace search {").next().unwrap_or_default().to_owned();
    [DType::F16, DType::BF16, DType::C64].map(|d| before(of(d).source())).concat()
}

#[test]
fn structs_lie_where_their_bytes_are_written() {
    let mut layouts = Layouts::default();
    let item: &[_] = &[("item", "u8"), ("element", "u8")];
    layouts.ask(item, &MatmulParams::default());
    layouts.ask(item, &SplitDigitsParams::default());
    layouts.ask(item, &JoinDigitsParams::default());
    layouts.ask(item, &CorrelateParams::default());
    layouts.ask(item, &CorrelateFftParams::default());
    layouts.ask(item, &SortBlockParams::default());
    layouts.ask(item, &SortPassParams::default());
    layouts.ask(item, &SortRunsParams::default());
    layouts.ask(item, &SortRanksParams::default());
    layouts.ask(item, &RankSampleParams::default());
    layouts.ask(item, &TakeAlongParams::default());
    layouts.ask(item, &SortTableParams::default());
    layouts.ask(item, &TotalParams::default());
    layouts.ask(item, &PointsParams::default());
    layouts.ask(item, &SmallParams::default());
    layouts.ask(item, &PanelSingularParams::default());
    layouts.ask(item, &HermitianParams::default());
    layouts.ask(item, &GeneralParams::default());
    layouts.ask(item, &EigenvectorPairsParams::default());
    layouts.ask(item, &TridiagonalParams::default());
    layouts.ask(item, &EigenvalueParams::default());
    layouts.ask(item, &BandParams::default());
    layouts.ask(item, &LastParams::default());
    layouts.ask(item, &BlockTridiagonalParams::default());
    layouts.ask(item, &RadialParams::default());
    layouts.ask(&[("value", "c64")], &FftPassParams::default());
    layouts.ask(item, &CubicParams::default());
    layouts.ask(item, &WindowBitsTileParams::default());
    let entries = [("value", "c64"), ("index", "i32")];
    layouts.ask(&entries, &TriangularSolveParams::default());
    layouts.ask(&entries, &TriangularInverseParams::default());
    for (wide, deep) in [(false, false), (false, true), (true, false), (true, true)] {
        let width = Width { wide, deep };
        layouts.ask(item, &AtParams { width, ..Default::default() });
        let linked = AtParams { width, heads: Some(Written(None)), links: Some(Written(None)), ..Default::default() };
        let checked = AtParams { room: Some(0), bound: Some(0), record: Some(Written(None)), call: Some(0), ..linked };
        layouts.ask(item, &AtParams { function: Some(0), axis: Some(0), ..checked });
        layouts.ask(item, &MarkParams { width, ..Default::default() });
        layouts.ask(item, &CompactParams { width, ..Default::default() });
        layouts.ask(item, &RemapParams { width, ..Default::default() });
        layouts.ask(item, &SpectralParams { width, ..Default::default() });
        for table in [false, true] {
            layouts.ask(item, &Concatenate::new(DType::F32, [DType::F32], table, width).params());
        }
        let methods = [GatherMethod::Elements, GatherMethod::Claim, GatherMethod::Store(Stored::Value)];
        for (k, method) in methods.into_iter().enumerate() {
            let key = gather(method, k > 0, width);
            let rows = vec![Strides::default(); key.rows()];
            layouts.ask(item, &GatherParams { strides: &rows, ..Default::default() }.of(&key));
        }
        layouts.ask(item, &SearchParams { width, ..Default::default() });
        layouts.ask(&[("number", "f64")], &DrawParams { width, ..Default::default() });
        let parameter_strides = &[Strides::default(); 3][..];
        let samples = DrawParams {
            width,
            axes: Some(0),
            sizes: Some(Sizes(&[])),
            parameter_strides: Some(parameter_strides),
            ..Default::default()
        };
        layouts.ask(&[("number", "u64")], &DrawParams { call: Some(0), function: Some(0), ..samples });
        layouts.ask(item, &HornerParams { width, ..Default::default() });
        layouts.ask(item, &CrossProductParams { width, ..Default::default() });
        layouts.ask(item, &PiecewiseParams { width, ..Default::default() });
        layouts.ask(item, &TensorProductParams { width, ..Default::default() });
        layouts.ask(item, &PackingParams { width, ..Default::default() });
        layouts.ask(item, &WindowBoxParams { width, ..Default::default() });
        layouts.ask(item, &WindowStreamParams { width, ..Default::default() });
        layouts.ask(item, &UpfirdnTileParams { width, ..Default::default() });
        layouts.ask(&[("value", "f64")], &InterpParams { width, ..Default::default() });
        layouts.ask(item, &HistogramParams { width, ..Default::default() });
        layouts.ask(item, &EndsParams { width, ..Default::default() });
        layouts.ask(item, &EdgesParams { width, ..Default::default() });
        layouts.ask(item, &PartsParams { width, ..Default::default() });
        layouts.ask(item, &ScanParams { width, ..Default::default() });
        layouts.ask(&[("value", "c128")], &GenerateParams { width, ..Default::default() });
        let steps = &[Strides::default(); 4];
        layouts.ask(item, &ChooseParams { width, steps, ..Default::default() });
        for dtype in DType::ALL {
            let result: &[_] = &[("result", dtype.device_name())];
            layouts.ask(result, &FoldParams { width, ..Default::default() });
            for mask in [None, Some(Strides::default())] {
                layouts.ask(result, &ReduceParams { width, kept_mask: mask, reduced_mask: mask, ..Default::default() });
            }
        }
        for name in ["negative", "add", "divmod", "where"] {
            let op = UfuncId::named(name).unwrap();
            for class in [Class::Flat, Class::Rows { wide }, Class::Tiled, Class::Strided { wide, deep }] {
                for dtype in DType::ALL {
                    for (mode, mask) in [(Mode::Value, None), (Mode::Array, Some(Mode::Array))] {
                        let input = Input { dtype, mode };
                        let key = Elementwise {
                            op,
                            signature: 0,
                            ins: [input; 3],
                            outs: [dtype; 2],
                            mask,
                            class,
                            all: false,
                        };
                        let name = dtype.device_name();
                        let types = ["in0", "in1", "in2", "out0", "out1"].map(|t| (t, name));
                        key.with_params(|params| layouts.ask(&types, params));
                    }
                }
            }
        }
        for class in [Class::Flat, Class::Rows { wide }, Class::Tiled, Class::Strided { wide, deep }] {
            let from = [StepOperand::Input(0), StepOperand::Input(1), StepOperand::Input(2)];
            let steps = vec![Step { op: UfuncId::named("add").unwrap(), signature: 0, from }];
            let ins = vec![DType::I8, DType::C128, DType::F16];
            let expression = ExpressionId::of(&Expression { steps, ins, outs: vec![0, 0] });
            let mut modes = [Mode::Array; FUSED_INPUTS];
            modes[1] = Mode::Value;
            let types = [("in0", "i8"), ("in1", "c128"), ("in2", "f16"), ("out0", "bool"), ("out1", "bool")];
            Fused { expression, modes, class }.with_params(|params| layouts.ask(&types, params));
        }
        let expression = ExpressionId::of(&where_expression());
        let mut inputs = [Neighbours::Dense; FUSED_INPUTS];
        inputs[1] = Neighbours::Value;
        let types = [("in0", "bool"), ("in1", "f32"), ("in2", "f32"), ("result", "f32")];
        Reading { expression, inputs, width }.with_params(|reading| {
            let reduce = ReduceParams { width, ..Default::default() };
            layouts.ask(&types, &ReadReduceParams { reduce, reading: *reading });
        });
        let types = [("in0", "f32"), ("in1", "f32"), ("out0", "f32")];
        Rows { width, ..softmax(4, false) }.with_params(|params| layouts.ask(&types, params));
    }
    assert_eq!(layouts.layouts_written, 30 + 4 * (36 + 3 * DType::ALL.len() + 4 * 4 * 2 * DType::ALL.len()));
    compiled(&(all_headers() + &layouts.text), QUICKLY);
}

/// Returns `where(x0, x1, x2)` of float32 as an expression.
fn where_expression() -> Expression {
    let op = UfuncId::named("where").unwrap();
    let ins = [DType::Bool, DType::F32, DType::F32];
    let signature = op.loops().iter().position(|l| l.ins == ins).unwrap() as u8;
    let from = [StepOperand::Input(0), StepOperand::Input(1), StepOperand::Input(2)];
    Expression { steps: vec![Step { op, signature, from }], ins: ins.into(), outs: vec![0] }
}

/// A reduction of an expression, in each arrangement of the threads, holds its operands in registers.
#[test]
fn expressions_are_read_into_registers() {
    let (expression, width) = (ExpressionId::of(&where_expression()), Width::default());
    let kinds = [Neighbours::Dense, Neighbours::Same, Neighbours::Apart, Neighbours::Value];
    for (k, class) in [ReductionClass::Rows, ReductionClass::Columns, ReductionClass::Staged].into_iter().enumerate() {
        for (name, whole) in [("sum", true), ("var", true), ("argmax", false)] {
            let mut inputs = [Neighbours::Apart; FUSED_INPUTS];
            if whole && class != ReductionClass::Staged {
                inputs = std::array::from_fn(|slot| kinds[(slot + k) % 4]);
            }
            let op = ReductionId::named(name).unwrap();
            let of_array = ReductionSource {
                op,
                operand: DType::F32,
                result_dtype: None,
                class,
                per_load: 4,
                masked: false,
                words: false,
                width,
            };
            let reading = Reading { expression, inputs, width };
            for own_rows in [None, Some(0), Some(2)] {
                let key = ReadReduction { of_array, reading, whole, own_rows };
                let ptx = optimised(&key.source().unwrap());
                let held = ptx.contains(".entry reduce(") && !ptx.contains(".local");
                assert!(held, "{} {class:?} {whole} {own_rows:?}", key.name());
            }
        }
    }
}

/// Returns the program `exp(x - max(x)) / sum(exp(x - max(x)))` for rows of float32.
fn softmax_program() -> RowProgram {
    let f32 = DType::F32;
    let step = |name: &str, from: [RowOperand; 3]| {
        let op = UfuncId::named(name).unwrap();
        let signature = op.loops().iter().position(|l| l.out() == f32).unwrap() as u8;
        RowNode { call: RowCall::Step { op, signature, from }, wide: true }
    };
    let reduce = |name: &str, from: RowOperand| {
        let op = ReductionId::named(name).unwrap();
        RowNode { call: RowCall::Reduce { op, result_dtype: None, from }, wide: false }
    };
    let (x, node) = (RowOperand::Input(0), RowOperand::Node);
    let nodes = vec![
        reduce("max", x),
        step("subtract", [x, node(0), x]),
        step("exp", [node(1), x, x]),
        reduce("sum", node(2)),
        step("true_divide", [node(2), node(3), x]),
    ];
    RowProgram { nodes, ins: vec![f32], outs: vec![4] }
}

/// Returns its kernel for rows along one axis, where a thread holds `loads` times four elements of its row.
fn softmax(loads: u8, all_loads: bool) -> Rows {
    let program = RowProgramId::of(&softmax_program());
    let (ins, outs) = ([RowMode::Dense; FUSED_INPUTS], [RowMode::Dense; FUSED_RESULTS]);
    Rows { program, ins, outs, per_load: 4, loads, one_axis: true, all_loads, width: Width::default() }
}

/// Rows that threads hold are kept in registers, up to the maximum length.
#[test]
fn rows_are_held_in_registers() {
    for (loads, all_loads) in [(1, false), (2, true), (4, false), (4, true), (16, false), (16, true)] {
        let key = softmax(loads, all_loads);
        assert_eq!(key.name(), "max+subtract+exp+sum+true_divide/float32/rows");
        let ptx = optimised(&key.source().unwrap());
        assert!(ptx.contains(".entry rows(") && !ptx.contains(".local"), "{loads}");
        // A value that a phase uses last frees its registers for the results.
        assert_eq!(softmax_program().held_bytes(|_| true), 4);
        // Each element is read once and written once, by loads of 16 bytes.
        let count = |what: &str| ptx.matches(what).count();
        assert_eq!((count("ld.global"), count("st.global")), (loads.into(), loads.into()), "{loads}");
    }
}

/// Three sources: between them every header and every kernel, each engine once in a source.
#[test]
fn engines_stand_side_by_side_in_one_text() {
    let (width, f32) = (Width::default(), DType::F32);
    let add = UfuncId::named("add").unwrap();
    let signature = add.loops().iter().position(|l| l.out() == f32).unwrap() as u8;
    let mut all = String::new();
    for (k, class) in [ReductionClass::Rows, ReductionClass::Columns, ReductionClass::Staged].into_iter().enumerate() {
        let operand = [f32, DType::C64, DType::U8][k];
        let op = ReductionId::named(["var", "argmax", "sum"][k]).unwrap();
        let reduction = ReductionSource {
            op,
            operand,
            result_dtype: None,
            class,
            per_load: 1,
            masked: k == 0,
            words: false,
            width,
        };
        let input = Input { dtype: f32, mode: [Mode::Array, Mode::Crossed, Mode::Array][k] };
        let elementwise = Elementwise {
            op: add,
            signature,
            ins: [input; 3],
            outs: [f32; 2],
            mask: (k == 2).then_some(Mode::Array),
            class: [Class::Flat, Class::Tiled, Class::Strided { wide: true, deep: false }][k],
            all: false,
        };
        let method = [ScanMethod::Teams, ScanMethod::Rows, ScanMethod::Columns][k];
        let scan = Scan {
            op: add,
            signature,
            element: f32,
            stored: f32,
            skip_nan: false,
            method,
            tree: k > 0,
            vector: k == 1,
            rounds: 4,
            radix_log2: 5,
            jumps: (k == 2).then_some(Jumps { halved: true, from: JumpFrom::Float }),
            width,
        };
        let method = [FoldMethod::Accumulate, FoldMethod::Reduceat, FoldMethod::Accumulate][k];
        let fold = Fold { op: add, signature, element: f32, method, width };
        let search = Search {
            value: operand,
            needle: f32,
            common: [f32, DType::C64, f32][k],
            right: true,
            member: false,
            sorter: k > 0,
            staged: true,
            ladder: k == 1,
            width,
        };
        let bins = [Bins::Direct, Bins::Edges(DType::F64), Bins::Uniform(f32, BinArithmetic::Own)][k];
        let element = [DType::I32, f32, f32][k];
        let weight = [None, None, Some(DType::BF16)][k];
        let counters = [Counters::Words, Counters::Bits16, Counters::Words][k];
        let histogram = Histogram { element, bins, weight, clear: k == 2, counters, found: false, flat: true, width };
        let methods = [GatherMethod::Elements, GatherMethod::Cells, GatherMethod::Store(Stored::Cast(DType::I8, f32))];
        let (form, value) =
            [(Form::TriangleRow, DType::F64), (Form::Kaiser, DType::F64), (Form::Steps, DType::C128)][k];
        let mode = [ChooseMode::Wrap, ChooseMode::Clip, ChooseMode::Clip][k];
        let carried = [Carried::Nothing, Carried::Position, Carried::Given64][k];
        let texts = [
            elementwise.source(),
            reduction.source(&reduction.resolve().unwrap()),
            scan.source(),
            fold.source(),
            Generate { form, out: f32, input: None, value, floor: false, width }.source(),
            Choose { item: 4, index: DType::I64, mode, room: 16, width }.source(),
            At {
                op: add,
                signature,
                array: f32,
                operand: Some(f32),
                far: k == 2,
                flat: k == 0,
                sharing: [Sharing::Steps, Sharing::Elements, Sharing::Steps][k],
                any_order: false,
                width,
            }
            .source(),
            MatmulSource { dtype: DType::I32, side: [1, 4, 8][k], rows: true, columns: false }.source(),
            Digits { digits: [1, 4, 8][k], truth: k == 0 }.source(),
            correlate_source(f32, (k == 1).then_some(8)),
            correlate_fft_source([f32, DType::C64, f32][k]),
            Mark { element: f32, flat: false, width }.source(),
            Compact { what: [Compacted::Coordinates(8), Compacted::Elements(4)][k % 2], width }.source(),
            gather(methods[k], k == 2, width).source(),
            last_source(),
            settle_source(4),
            expand_source([4, 1, 16][k]),
            search.source(),
            Concatenate {
                walk: [JoinWalk::Chunks, JoinWalk::Elements, JoinWalk::Short][k],
                ..Concatenate::new(f32, [[f32, operand, f32][k], f32], k == 1, width)
            }
            .source(),
            Remap { item: [4, 8, 1][k], searched: k == 1, repeats: k == 2, width }.source(),
            CrossProduct {
                given: [f32, operand],
                element: [f32, DType::C64, f32][k],
                parts: [3, if k == 1 { 2 } else { 3 }],
                width,
            }
            .source(),
            Horner { given: f32, element: [f32, DType::C64, DType::F64][k], width }.source(),
            Series { element: [f32, DType::C64, DType::F16][k] }.source(),
            Packing { item: 1, pack: k == 0, little: k == 1, flat: k != 2, width }.source(),
            Interp { given: f32, complex: k == 1, buckets: k != 1, shared: k == 0, width }.source(),
            histogram.source(),
            Points { element: f32, axes: 2, counters: Counters::Bits16, flat: k == 0 }.source(),
            ends_source(f32, k == 0, width),
            edges_source(f32, f32, k == 0),
            parts_source(),
            SortBlock { dtype: f32, threads: 256, items: 2, indexed: k == 0 }.source(),
            SortShort { dtype: f32, indexed: k == 0 }.source(),
            SortPass {
                dtype: [DType::F64, f32, f32][k],
                threads: 256,
                items: 8,
                carried,
                wanted: k as u8,
                wide: k == 2,
                leading: k == 0,
            }
            .source(),
            SortRuns { dtype: f32, pick: RunPick::FirstOfRun }.source(),
            ranks_source(f32),
            take_along_source(f32),
            table_source(f32),
            piecewise_source(width),
            tensor_product_source(width),
            block_tridiagonal_source(),
            TridiagonalSource { threads: 256, rows: 1, columns: [1, 2, 12][k] }.source(),
            tridiagonal_eigenvalues_source([256, 512, 1024][k]),
            band_source(),
            cubic_source(),
            radial_source(),
            check_lapack_info_source([DType::I32, DType::Bool, DType::I64][k]),
            [Small::Singular, Small::Hermitian, Small::Reflectors][k]
                .source([f32, DType::C64, DType::F64][k], [32, 64, 64][k]),
            small_general_source([f32, DType::C64, DType::F64][k], k == 2),
            eigenvector_pairs_source(f32),
            [Small::PanelReflectors, Small::PanelSingular, Small::PanelSingular][k]
                .source([f32, DType::C128, DType::F64][k], [96, 256, 128][k]),
            Spectral {
                form: [SpectralForm::Copy, SpectralForm::CosineTurn, SpectralForm::FourthFold][k],
                input: [DType::F16, DType::C64, DType::F64][k],
                out: [DType::C64, f32, DType::C128][k],
                wide: k == 2,
                width,
            }
            .source(),
        ];
        let text = texts.concat();
        let code = compiled(&text, QUICKLY);
        let mut entries: Vec<&str> = code.split(".entry ").skip(1).filter_map(|rest| rest.split('(').next()).collect();
        let several = texts.iter().flat_map(|t| t.split("extern \"C\" __global__ void ").skip(1)).count();
        assert_eq!(entries.len(), several);
        entries.sort();
        entries.dedup();
        assert_eq!(entries.len(), several, "two kernels have one name: {entries:?}");
        all += &text;
    }
    // Headers that no engine needs belong to operations, whose headers may be repeated.
    let engines = [
        "at",
        "at_targets",
        "band_chase",
        "band_reduce",
        "block_tridiagonal",
        "choose",
        "chunk",
        "compact",
        "correlate",
        "correlate_fft",
        "correlate_tiles",
        "cross",
        "cubic",
        "expand",
        "fold",
        "gather",
        "generate",
        "horner",
        "interp",
        "knots",
        "piecewise",
        "radial",
        "tensor_product",
        "concatenate",
        "unwrap",
        "tridiagonal_reduce",
        "tridiagonal_eigenvalues",
        "lane_moments",
        "lane_positions",
        "lane_values",
        "last",
        "mark",
        "matmul",
        "order",
        "order_complex",
        "packing",
        "panel_reflectors",
        "panel_singular",
        "panels",
        "reduce",
        "reduce_columns",
        "reduce_held",
        "reduce_rows",
        "reduce_staged",
        "reflectors",
        "device_errors",
        "remap",
        "scan",
        "search",
        "series",
        "settle",
        "small",
        "small_hermitian_iterate",
        "eigenvector_pairs",
        "small_general",
        "small_general_complex",
        "small_general_decompose",
        "small_general_real",
        "small_reflectors",
        "small_singular",
        "sort_block",
        "sort_key",
        "sort_leading",
        "sort_pass",
        "sort_publish",
        "sort_rank",
        "sort_ranks",
        "sort_runs",
        "sort_table",
        "sort_take_along",
        "fft_processing",
        "histogram",
        "histogram_count",
        "histogram_counting",
        "histogram_ends",
        "histogram_counters16",
        "histogram_packed",
        "histogram_points",
        "histogram_weighted",
        "check_lapack_info",
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/include");
    for name in engines {
        let header = std::fs::read_to_string(folder.join(name).with_extension("cuh")).unwrap();
        assert!(all.contains(header.trim_end()), "{name} is in none of the sources");
    }
}
