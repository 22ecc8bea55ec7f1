//! Calls of rocBLAS, rocSOLVER and hipFFT.

use std::ffi::{c_int, c_void};

use cuprum_kernels::DType;

use super::super::api::Pointer;
use super::super::blas::{self, Rocblas};
use super::super::fft::{self, Hipfft};
use super::super::solver::{self, Rocsolver};
use super::{note, number, taken};
use crate::driver::dense::{SingularVectors, Task, Transpose};
use crate::driver::transform::{BatchLayout, Hook, LibraryPlan, Transform, TransformKind, Transforming};
use crate::driver::{Dense, Gemm};
use crate::error::ErrorKind;

unsafe extern "C" fn create_handle(handle: *mut Pointer) -> c_int {
    note("handle".into());
    // SAFETY: the variable is live, here and in the functions below.
    unsafe { *handle = 70 as Pointer };
    0
}

unsafe extern "C" fn set_atomics(handle: Pointer, mode: c_int) -> c_int {
    note(format!("atomics {mode} of {}", number(handle)));
    0
}

unsafe extern "C" fn set_stream(handle: Pointer, stream: Pointer) -> c_int {
    note(format!("stream {} of {}", number(stream), number(handle)));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn gemm(
    handle: Pointer,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    a: Pointer,
    a_type: c_int,
    lda: c_int,
    a_stride: i64,
    b: Pointer,
    b_type: c_int,
    ldb: c_int,
    b_stride: i64,
    beta: *const c_void,
    c: Pointer,
    c_type: c_int,
    ldc: c_int,
    c_stride: i64,
    d: Pointer,
    d_type: c_int,
    ldd: c_int,
    d_stride: i64,
    batch: c_int,
    compute: c_int,
    algorithm: c_int,
    solution: i32,
    flags: u32,
) -> c_int {
    // SAFETY: the scales have the type of the computation, of which float32 and float64 occur here.
    let scales = unsafe {
        match compute {
            151 => [alpha, beta].map(|scale| f64::from(*scale.cast::<f32>())),
            _ => [alpha, beta].map(|scale| *scale.cast::<f64>()),
        }
    };
    assert_eq!((scales, c, ldc, c_stride), ([1.0, 0.0], d, ldd, d_stride));
    assert_eq!((a_type, b_type, d_type, algorithm, solution, flags), (c_type, c_type, c_type, 0, 0, 0));
    note(format!(
        "gemm of {} [{transpose_a}, {transpose_b}] {m} {n} {k} a {} {lda} {a_stride} b {} {ldb} {b_stride} c {} {ldc} \
         {c_stride} types {a_type} {compute} batch {batch}",
        number(handle),
        number(a),
        number(b),
        number(c)
    ));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn trsm(
    _: Pointer,
    side: c_int,
    triangle: c_int,
    transpose: c_int,
    diagonal: c_int,
    m: c_int,
    n: c_int,
    alpha: *const c_void,
    a: Pointer,
    lda: c_int,
    a_stride: i64,
    b: Pointer,
    ldb: c_int,
    b_stride: i64,
    batch: c_int,
) -> c_int {
    // SAFETY: the scale is a float32.
    assert_eq!(unsafe { *alpha.cast::<f32>() }, 1.0);
    let modes = [side, triangle, transpose, diagonal];
    note(format!(
        "trsm {modes:?} {m} {n} a {} {lda} {a_stride} b {} {ldb} {b_stride} batch {batch}",
        number(a),
        number(b)
    ));
    0
}

fn rocblas() -> Rocblas {
    let api = blas::Api {
        create: Ok(create_handle),
        set_atomics: Ok(set_atomics),
        set_stream: Ok(set_stream),
        gemm: Ok(gemm),
        strsm: Ok(trsm),
        ..blas::Api::absent()
    };
    let rocblas = Rocblas::default();
    rocblas.api.set(api).unwrap();
    rocblas
}

const PRODUCT: Gemm = Gemm {
    dtype: DType::F64,
    transpose: [false, true],
    m: 2,
    n: 3,
    k: 4,
    a: (100, 2),
    b: (200, 3),
    c: (300, 2),
    batch: 5,
    strides: [8, 0, 6],
    adds: false,
};

#[test]
fn products_are_calls_of_rocblas_without_atomics() {
    let rocblas = rocblas();
    // SAFETY: the stub reads no memory of the device.
    unsafe { rocblas.gemm(&PRODUCT, 9) }.unwrap();
    assert_eq!(
        taken(),
        [
            "handle",
            "atomics 0 of 70",
            "stream 9 of 70",
            "gemm of 70 [111, 112] 2 3 4 a 100 2 8 b 200 3 0 c 300 2 6 types 152 152 batch 5"
        ]
    );
    // SAFETY: as above.
    unsafe { rocblas.gemm(&Gemm { dtype: DType::BF16, ..PRODUCT }, 9) }.unwrap();
    assert_eq!(taken(), ["gemm of 70 [111, 112] 2 3 4 a 100 2 8 b 200 3 0 c 300 2 6 types 168 151 batch 5"]);
    // The handle of a destroyed stream is used again.
    rocblas.forget(9);
    // SAFETY: as above.
    let e = unsafe { rocblas.gemm(&Gemm { m: 1 << 31, ..PRODUCT }, 8) }.unwrap_err();
    assert_eq!(taken(), ["stream 8 of 70"]);
    assert!(e.kind() == ErrorKind::Value && e.message().contains("2147483648 is more than"), "{e}");
    // SAFETY: as above.
    let e = unsafe { rocblas.gemm(&Gemm { dtype: DType::I8, ..PRODUCT }, 8) }.unwrap_err();
    assert_eq!((e.kind(), e.message()), (ErrorKind::Type, "rocBLAS has no product of int8"));
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn getrf(
    _: Pointer,
    m: c_int,
    n: c_int,
    a: Pointer,
    lda: c_int,
    a_stride: i64,
    pivots: *mut c_int,
    pivots_stride: i64,
    info: *mut c_int,
    batch: c_int,
) -> c_int {
    let [a, pivots, info] = [a as usize, pivots as usize, info as usize];
    note(format!("getrf {m} {n} {a} {lda} {a_stride} {pivots} {pivots_stride} {info} {batch}"));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn orgqr(_: Pointer, m: c_int, n: c_int, k: c_int, a: Pointer, lda: c_int, tau: Pointer) -> c_int {
    note(format!("ungqr {m} {n} {k} {} {lda} {}", number(a), number(tau)));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn gesvd(
    _: Pointer,
    left: c_int,
    right: c_int,
    m: c_int,
    n: c_int,
    _: Pointer,
    lda: c_int,
    a_stride: i64,
    _: Pointer,
    s_stride: i64,
    _: Pointer,
    ldu: c_int,
    u_stride: i64,
    _: Pointer,
    ldv: c_int,
    v_stride: i64,
    e: Pointer,
    e_stride: i64,
    mode: c_int,
    _: *mut c_int,
    batch: c_int,
) -> c_int {
    let strides = [a_stride, s_stride, u_stride, v_stride, e_stride];
    note(format!("gesvd {left} {right} {m} {n} [{lda}, {ldu}, {ldv}] {strides:?} {} {mode} {batch}", number(e)));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn potrf(
    _: Pointer,
    triangle: c_int,
    n: c_int,
    _: Pointer,
    _: c_int,
    _: i64,
    _: *mut c_int,
    _: c_int,
) -> c_int {
    note(format!("potrf {triangle} {n}"));
    5
}

const TASK: Dense = Dense {
    task: Task::Getrf,
    dtype: DType::F32,
    m: 4,
    n: 3,
    k: 2,
    batch: 2,
    arrays: [1000, 2000, 3000, 4000],
    pointers: [0; 2],
    info: 5000,
};

#[test]
fn decompositions_are_calls_for_strided_batches() {
    let (rocblas, rocsolver) = (rocblas(), Rocsolver::default());
    let api = solver::Api {
        sgetrf: Ok(getrf),
        cungqr: Ok(orgqr),
        dgesvd: Ok(gesvd),
        zpotrf: Ok(potrf),
        ..solver::Api::absent()
    };
    rocsolver.api.set(api).unwrap();
    // SAFETY: the stub reads no memory of the device.
    let run = |dense: Dense| unsafe { rocsolver.run(&rocblas, &dense, 6000, 0) };
    run(TASK).unwrap();
    assert_eq!(taken()[3..], ["getrf 4 3 1000 4 12 2000 3 5000 2"]);
    run(Dense { task: Task::Trsm { upper: true, transpose: Transpose::Adjoint, unit: true }, ..TASK }).unwrap();
    assert_eq!(taken(), ["trsm [141, 121, 113, 132] 3 2 a 1000 3 9 b 2000 3 6 batch 2"]);
    // Complex numbers of eight bytes: the second matrix begins after 12 of them, its factors after 2.
    run(Dense { task: Task::Orgqr, dtype: DType::C64, ..TASK }).unwrap();
    assert_eq!(taken(), ["ungqr 4 3 2 1000 4 2000", "ungqr 4 3 2 1096 4 2016"]);
    let svd = Dense { task: Task::Gesvd { vectors: SingularVectors::Thin }, dtype: DType::F64, ..TASK };
    run(svd).unwrap();
    assert_eq!(taken(), ["gesvd 192 192 4 3 [4, 4, 3] [12, 3, 12, 9, 3] 6000 201 2"]);
    assert_eq!((solver::workspace(&svd), solver::workspace(&TASK)), (2 * 3 * 8, 0));
    let e = run(Dense { task: Task::Potrf { upper: false }, dtype: DType::C128, ..TASK }).unwrap_err();
    assert_eq!(taken(), ["potrf 122 3"]);
    let what = "rocsolver_zpotrf_strided_batched failed: code 5, allocation failed";
    assert_eq!((e.kind(), e.message()), (ErrorKind::OutOfMemory, what));
    let e = run(Dense { task: Task::Geev { vectors: true }, ..TASK }).unwrap_err();
    assert!(e.kind() == ErrorKind::NotImplemented && e.message().contains("geev"), "{e}");
}

unsafe extern "C" fn create_plan(plan: *mut Pointer) -> c_int {
    // SAFETY: as above.
    unsafe { *plan = 80 as Pointer };
    0
}

unsafe extern "C" fn of_plan(plan: Pointer) -> c_int {
    note(format!("destroy plan {}", number(plan)));
    0
}

unsafe extern "C" fn set_auto_allocation(_: Pointer, automatic: c_int) -> c_int {
    note(format!("automatic {automatic}"));
    0
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn make(
    _: Pointer,
    rank: c_int,
    n: *mut c_int,
    inembed: *mut c_int,
    istride: c_int,
    idist: c_int,
    onembed: *mut c_int,
    ostride: c_int,
    odist: c_int,
    kind: c_int,
    batch: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: the tables have three entries, and the variable is live.
    let tables = unsafe {
        *work = 4096;
        [n, inembed, onembed].map(|table| std::slice::from_raw_parts(table, rank as usize).to_vec())
    };
    note(format!("plan {tables:?} in {istride} {idist} out {ostride} {odist} kind {kind:#x} batch {batch}"));
    0
}

unsafe extern "C" fn set_work_area(plan: Pointer, work: Pointer) -> c_int {
    note(format!("work {} of {}", number(work), number(plan)));
    0
}

unsafe extern "C" fn complex(_: Pointer, input: Pointer, output: Pointer, direction: c_int) -> c_int {
    note(format!("complex {} {} {direction}", number(input), number(output)));
    0
}

unsafe extern "C" fn real(_: Pointer, input: Pointer, output: Pointer) -> c_int {
    note(format!("real {} {}", number(input), number(output)));
    0
}

#[test]
fn transforms_are_plans_of_hipfft() {
    let api = fft::Api {
        create: Ok(create_plan),
        destroy: Ok(of_plan),
        set_auto_allocation: Ok(set_auto_allocation),
        make: Ok(make),
        set_stream: Ok(set_stream),
        set_work_area: Ok(set_work_area),
        z2z: Ok(complex),
        c2r: Ok(real),
        ..fft::Api::absent()
    };
    let hipfft = Hipfft::default();
    hipfft.api.set(api).unwrap();
    let layout = |stride| BatchLayout { embed: [4, 6, 1], stride, dist: 24 };
    let of = Transform {
        turning: TransformKind::Complex,
        wide: true,
        rank: 2,
        n: [4, 6, 1],
        input: layout(1),
        output: layout(2),
        batch: 3,
        load: None,
        store: Some(Hook::Text { number: 1, data: 0 }),
    };
    let plan = hipfft.plan(&of).unwrap();
    assert_eq!(plan, LibraryPlan { handle: 80, work: 4096 });
    assert_eq!(taken(), ["automatic 0", "plan [[4, 6], [4, 6], [4, 6]] in 1 24 out 2 24 kind 0x69 batch 3"]);
    let call = Transforming { transform: of, plan, inverse: true, input: 1, output: 2, work: 3 };
    // SAFETY: the stub reads no memory.
    unsafe { hipfft.run(&call, 9) }.unwrap();
    assert_eq!(taken(), ["stream 9 of 80", "work 3 of 80", "complex 1 2 1"]);
    let half = Transform { turning: TransformKind::Backward, wide: false, ..of };
    hipfft.plan(&half).unwrap();
    assert!(taken()[1].contains("kind 0x2c"));
    // SAFETY: as above.
    unsafe { hipfft.run(&Transforming { transform: half, ..call }, 9) }.unwrap();
    assert_eq!(taken()[2], "real 1 2");
    // A plan that could not be made is destroyed.
    let e = hipfft.plan(&Transform { n: [1 << 31, 1, 1], ..of }).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && taken() == ["destroy plan 80"], "{e}");
    let factor = Hook::Factor { bits: 0.5_f64.to_bits(), conjugate: false };
    let e = hipfft.plan(&Transform { store: Some(factor), ..of }).unwrap_err();
    assert!(e.message().contains("CUPRUM_FFT_CALLBACKS") && taken() == ["destroy plan 80"], "{e}");
}
