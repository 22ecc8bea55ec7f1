use super::*;
use crate::array;

#[test]
fn arguments_of_every_size_lie_as_c_lays_them() -> Result<()> {
    let text = r#"
        struct Pair { char a; double b; };
        extern "C" __global__ void f(signed char a, short b, double *out, char c, Pair p, float d) {
            extern __shared__ double room[];
            room[0] = a; room[1] = b; room[2] = c; room[3] = p.a; room[4] = p.b; room[5] = d;
            for (int i = 0; i < 6; i++) out[i] = room[i];
        }"#;
    let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    let out = crate::zeros(6, DType::F64)?;
    let mut pair = [0u8; 16];
    pair[0] = 4;
    pair[8..].copy_from_slice(&5.5f64.to_le_bytes());
    let arguments = [
        Argument::from(1i8),
        Argument::from(2i16),
        Argument::Array(&out),
        Argument::Bytes { bytes: &[3], align: 1 },
        Argument::Bytes { bytes: &pair, align: 8 },
        Argument::F32(6.5),
    ];
    // SAFETY: the arguments are those of the kernel, which stays inside the array.
    unsafe { kernel.launch_shared([1; 3], [1; 3], 48, &arguments) }?;
    assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.5, 6.5]);
    assert_eq!(kernel.parameter_bytes(), Some(vec![1, 2, 8, 1, 16, 4]));
    Ok(())
}

#[test]
fn a_launch_with_other_arguments_than_the_kernel_declares_is_rejected() -> Result<()> {
    let kernel = RawModule::compile("extern \"C\" __global__ void f(int *p, float x) { *p = (int)x; }", &[])?;
    let kernel = kernel.kernel("f")?;
    let p = array([1i32])?;
    let all = [Argument::Array(&p), Argument::F32(7.0), Argument::F32(1.0)];
    for (given, said) in
        [(&all[..1], "takes 2 arguments, and 1 are given"), (&all, "takes 2 arguments, and 3 are given")]
    {
        // SAFETY: the launch is rejected.
        let e = unsafe { kernel.launch([1; 3], [1; 3], given) }.unwrap_err();
        assert!(e.kind() == ErrorKind::Type && e.message().contains(said), "{e}");
    }
    // SAFETY: the launch is rejected.
    let e = unsafe { kernel.launch([1; 3], [1; 3], &[Argument::Array(&p), Argument::F64(7.0)]) }.unwrap_err();
    assert!(e.message().contains("argument 1 of the kernel f has 8 bytes, and its parameter has 4"), "{e}");
    // SAFETY: the arguments are those of the kernel, which stays inside the array.
    unsafe { kernel.launch([1; 3], [1; 3], &all[..2]) }?;
    assert_eq!(p.item::<i32>()?, 7);
    Ok(())
}

#[test]
fn headers_of_ours_and_of_the_users_are_at_hand() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("cuprum-headers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("near.h"), "#pragma once\n#include \"nearer.h\"\n").unwrap();
    std::fs::write(folder.join("nearer.h"), "__device__ float half_of(float x) { return x / 2; }\n").unwrap();
    let text = "#include <stdint.h>\n#include <cuComplex.h>\n#include \"near.h\"\n#include \"near.h\"\n\
        #include <cuprum/complex.cuh>\n#include <cuprum/half.cuh>\n#include <cuprum/array.cuh>\n\
        extern \"C\" __global__ void f(CArray<float, 2> x, complex<float> z, float16 h, bfloat16 b, int64_t n) {\n\
          const cuFloatComplex c = cuCmulf(make_cuFloatComplex(z.real(), z.imag()), make_cuFloatComplex(0, 1));\n\
          x[0] = half_of(c.x); x[1] = (float)h; x[2] = (float)b; x[3] = n + x.shape()[0];\n\
        }";
    std::fs::write(folder.join("f.cu"), text).unwrap();
    let kernel = RawModule::open(folder.join("f.cu"), &RawModuleOptions::default())?.kernel("f")?;
    let x = crate::zeros([2, 2], DType::F32)?;
    let z = crate::num_complex::Complex32::new(1.0, 4.0);
    let t = x.t();
    let arguments = [
        Argument::View(&t),
        Argument::from(z),
        Argument::from(crate::half::f16::from_f32(1.5)),
        Argument::from(crate::half::bf16::from_f32(2.5)),
        Argument::I64(1 << 20),
    ];
    // SAFETY: the arguments are those of the kernel, which stays inside the array.
    unsafe { kernel.launch([1; 3], [1; 3], &arguments) }?;
    assert_eq!(x.t().ravel()?.to_vec::<f32>()?, [-2.0, 1.5, 2.5, (1 << 20) as f32 + 2.0]);
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

#[test]
fn what_does_not_compile_is_shown_by_the_users_lines() {
    let text = "#include <stdint.h>\n\nextern \"C\" __global__ void f() {\n  nonsense = 1;\n}";
    let e = RawModule::compile(text, &[]).unwrap_err();
    assert!(e.message().contains("raw.cu(4): error") && e.message().contains("    4 |   nonsense = 1;"), "{e}");
}

#[test]
fn code_is_loaded_and_unloaded() -> Result<()> {
    let code = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry set(.param .u64 p) {\n\
        .reg .b64 %rd<2>;\n.reg .b32 %r<1>;\nld.param.u64 %rd0, [p];\nmov.u32 %r0, 42;\nst.global.u32 [%rd0], %r0;\nret;\n}";
    let module = RawModule::load(code.as_bytes())?;
    let p = array([1i32])?;
    // SAFETY: the argument is that of the kernel, which stays inside the array.
    unsafe { module.kernel("set")?.launch([1; 3], [1; 3], &[Argument::Array(&p)]) }?;
    assert_eq!(p.item::<i32>()?, 42);
    let again = module.clone();
    // SAFETY: its kernels are not used any more.
    unsafe { module.unload() }?;
    assert_eq!(again.kernel("set").unwrap_err().kind(), ErrorKind::Driver);
    let text = "extern \"C\" __global__ void unloaded(int *p) { *p = 1; }";
    let first = RawModule::compile(text, &[])?;
    // SAFETY: as above.
    unsafe { first.unload() }?;
    // SAFETY: the argument is that of the kernel, which stays inside the array.
    unsafe { RawModule::compile(text, &[])?.kernel("unloaded")?.launch([1; 3], [1; 3], &[Argument::Array(&p)]) }?;
    assert_eq!(p.item::<i32>()?, 1);
    Ok(())
}

#[test]
fn attributes_are_set_and_bound_what_is_launched() -> Result<()> {
    let text =
        "extern \"C\" __global__ void f(int *p) { extern __shared__ int room[]; room[threadIdx.x] = 1; *p = room[0]; }";
    let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    let p = array([0i32])?;
    // SAFETY: the argument is that of the kernel, which stays inside the array.
    let launch = |shared| unsafe { kernel.launch_shared([1; 3], [1; 3], shared, &[Argument::Array(&p)]) };
    kernel.set_max_dynamic_shared_bytes(96 << 10)?;
    assert_eq!(kernel.attribute(FunctionAttribute::MaxDynamicSharedSizeBytes)?, 96 << 10);
    launch(96 << 10)?;
    assert_eq!(p.item::<i32>()?, 1);
    kernel.set_attribute(FunctionAttribute::PreferredSharedMemoryCarveout, 50)?;
    assert_eq!(kernel.set_attribute(FunctionAttribute::NumRegs, 1).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(kernel.set_max_dynamic_shared_bytes(-1).unwrap_err().kind(), ErrorKind::Value);
    assert!(kernel.max_active_blocks(64, 0)? > kernel.max_active_blocks(64, 40 << 10)?);
    Ok(())
}

#[test]
fn blocks_of_a_cooperative_launch_wait_for_one_another() -> Result<()> {
    let text = r#"extern "C" __global__ void f(unsigned *here, unsigned *out) {
        if (threadIdx.x == 0) { atomicAdd(here, 1u); while (atomicAdd(here, 0u) < gridDim.x) {} }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile unsigned *)here;
    }"#;
    let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    let (here, out) = (crate::zeros(1, DType::U32)?, crate::zeros(64, DType::U32)?);
    let arguments = [Argument::Array(&here), Argument::Array(&out)];
    // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
    unsafe { kernel.launch_cooperative([2, 1, 1], [32, 1, 1], 0, &arguments) }?;
    assert_eq!(out.to_vec::<u32>()?, [2; 64]);
    let most = kernel.max_active_blocks(32, 0)? * kernel.device().info().multiprocessors;
    // SAFETY: the launch is rejected.
    let e = unsafe { kernel.launch_cooperative([most + 1, 1, 1], [32, 1, 1], 0, &arguments) }.unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Driver);
    Ok(())
}

#[test]
fn asynchronous_copies_to_shared_memory_run() -> Result<()> {
    let text = r#"extern "C" __global__ void f(const float *x, float *y) {
        __shared__ __align__(16) float room[4 * 32];
        const unsigned to = (unsigned)__cvta_generic_to_shared(room + 4 * threadIdx.x);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + 4 * threadIdx.x));
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        for (int k = 0; k < 4; k++) y[4 * threadIdx.x + k] = room[127 - 4 * threadIdx.x - k];
    }"#;
    let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    let x = crate::arange(0, 128, 1)?.astype(DType::F32)?;
    let y = crate::zeros(128, DType::F32)?;
    // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
    unsafe { kernel.launch([1; 3], [32, 1, 1], &[Argument::Array(&x), Argument::Array(&y)]) }?;
    assert_eq!(y.to_vec::<f32>()?, (0..128).rev().map(|n| n as f32).collect::<Vec<_>>());
    Ok(())
}
