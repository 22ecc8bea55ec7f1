//! Tests of linking: names are found across pieces and kept apart, errors name symbols, and code may be stored as
//! bytes.

use super::*;
use crate::{array, zeros};

fn piece(text: &str) -> Result<RawCode> {
    RawCode::compile(text, &RawModuleOptions::default())
}

const USER: &str = r#"
    extern "C" __device__ int f(int);
    extern __device__ int table[3];
    static __device__ int own = 100;
    static __device__ __noinline__ int helper(int x) { return x + own; }
    extern "C" __global__ void k(int *x) {
        __shared__ int room[3];
        room[threadIdx.x] = helper(x[threadIdx.x]);
        x[threadIdx.x] = f(room[threadIdx.x]) + table[threadIdx.x];
    }"#;
const OWNER: &str = r#"
    __device__ int table[3] = {1, 2, 3};
    static __device__ int own = 7;
    static __device__ __noinline__ int helper(int x) { return x * own; }
    extern "C" __device__ int f(int x) { return helper(x) * 1000; }"#;

/// Runs the user's kernel with the user's arguments.
fn run(module: &RawModule, x: &Array) -> Result<Vec<i32>> {
    // SAFETY: the argument is that of the kernel, which stays inside the array.
    unsafe { module.kernel("k")?.launch([1; 3], [3, 1, 1], &[Argument::Array(x)]) }?;
    x.to_vec()
}

#[test]
fn pieces_find_what_others_define_and_keep_their_own() -> Result<()> {
    let expected = [700_001, 707_002, 714_003];
    for order in [[USER, OWNER], [OWNER, USER]] {
        let module = RawModule::link(&[piece(order[0])?, piece(order[1])?], &[])?;
        assert_eq!(run(&module, &array([0i32, 1, 2])?)?, expected);
        assert_eq!(module.global("table")?.view(DType::I32)?.to_vec::<i32>()?, [1, 2, 3]);
    }
    // Code that was stored, and code that was compiled elsewhere.
    let kept = RawCode::load(piece(OWNER)?.bytes())?;
    assert_eq!(run(&RawModule::link(&[piece(USER)?, kept], &["-O3"])?, &array([0i32, 1, 2])?)?, expected);
    Ok(())
}

#[test]
fn templates_of_a_piece_are_kernels_of_the_module() -> Result<()> {
    let text = "extern \"C\" __device__ int f(int); template <class T> __global__ void g(T *x) { *x = f((int)*x); }";
    let module_options =
        RawModuleOptions { expressions: vec!["g<double>".into(), "g<short>".into()], ..Default::default() };
    let module = RawModule::link(
        &[piece("extern \"C\" __device__ int f(int x) { return -x; }")?, RawCode::compile(text, &module_options)?],
        &[],
    )?;
    let x = array([5.0])?;
    // SAFETY: the argument is that of the kernel, which stays inside the array.
    unsafe { module.kernel("g<double>")?.launch([1; 3], [1; 3], &[Argument::Array(&x)]) }?;
    assert_eq!(x.item::<f64>()?, -5.0);
    module.kernel("g<short>").map(drop)
}

#[test]
fn symbols_that_none_or_two_pieces_define_are_named() -> Result<()> {
    let rejected = |pieces: &[RawCode]| RawModule::link(pieces, &[]).unwrap_err();
    let e = rejected(&[piece(OWNER)?.clone(), piece(USER.replace("f(", "absent(").as_str())?]);
    assert_eq!(e.kind(), ErrorKind::Compile);
    assert!(e.message().contains("absent") && e.message().contains("RawModule"), "{e}");
    let e = rejected(&[piece(OWNER)?, piece(USER)?, piece(OWNER)?]);
    assert!(e.kind() == ErrorKind::Compile && e.message().contains("define"), "{e}");
    assert_eq!(rejected(&[]).kind(), ErrorKind::Value);
    let e = RawCode::load(b"int f();").unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("RawCode::compile"), "{e}");
    Ok(())
}

#[test]
fn code_for_the_linker_runs_on_a_gpu_and_is_rejected_by_the_simulator_by_name() -> Result<()> {
    let module_options = RawModuleOptions { options: vec!["-dlto".into()], ..Default::default() };
    let pieces = [RawCode::compile(USER, &module_options)?, RawCode::compile(OWNER, &module_options)?];
    assert_eq!(pieces.each_ref().map(RawCode::kind), [CodeKind::Ltoir; 2]);
    let alone = "extern \"C\" __global__ void k(int *x) { x[threadIdx.x] += 1; }";
    let made = [
        RawModule::link(&pieces, &[]),
        RawModule::link(&[pieces[0].clone(), piece(OWNER)?], &[]),
        RawModule::compile_with(alone, &module_options),
        RawModule::load(RawCode::compile(alone, &module_options)?.bytes()),
    ];
    let is_simulated = Device::current()?.info().id.starts_with("sim");
    for (at, made) in made.into_iter().enumerate() {
        match made {
            Ok(module) => {
                let expected = if at < 2 { [700_001, 707_002, 714_003] } else { [1, 2, 3] };
                assert_eq!(run(&module, &array([0i32, 1, 2])?)?, expected, "{at}");
            }
            Err(e) if is_simulated => {
                assert_eq!(e.kind(), ErrorKind::NotImplemented, "{at}: {e}");
                assert!(e.message().contains("LTO-IR") && e.message().contains("without -dlto"), "{at}: {e}");
            }
            Err(e) => assert!(e.kind() == ErrorKind::Library && e.message().contains("nvJitLink"), "{at}: {e}"),
        }
    }
    Ok(())
}

#[test]
fn the_simulator_names_the_lines_of_each_piece() -> Result<()> {
    if !Device::current()?.info().id.starts_with("sim") {
        return Ok(());
    }
    let owner = "extern \"C\" __device__ int f(int x) {\n  return ((int *)0)[x];\n}\n__device__ int table[3];";
    let module = RawModule::link(&[piece(USER)?, piece(owner)?], &[])?;
    let x = zeros(3, DType::I32)?;
    // SAFETY: the simulator stops the kernel.
    let launched = unsafe { module.kernel("k")?.launch([1; 3], [3, 1, 1], &[Argument::Array(&x)]) };
    let e = launched.and_then(|()| x.to_vec::<i32>()).unwrap_err();
    assert!(e.message().contains("return ((int *)0)[x];"), "{e}");
    Ok(())
}
