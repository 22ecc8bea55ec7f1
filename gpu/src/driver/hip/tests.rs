//! The HIP device beside stubs of ROCm's libraries, which record the calls.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::AtomicUsize;

use cuprum_kernels::DType;

use super::api::{Api, Pointer, start};
use super::blas::{self, Rocblas};
use super::fft::{self, Hipfft};
use super::solver::{self, Rocsolver};
use super::{Hip, attributes};
use crate::driver::dense::{SingularVectors, Task, Transpose};
use crate::driver::runtime_api::RuntimeApi;
use crate::driver::transform::{BatchLayout, Hook, LibraryPlan, Transform, TransformKind, Transforming};
use crate::driver::{Dense, DeviceInfo, Driver, Function, FunctionAttribute, Gemm};
use crate::error::ErrorKind;

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// The current device.
    static CURRENT: Cell<c_int> = const { Cell::new(0) };
}

fn note(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

fn taken() -> Vec<String> {
    CALLS.take()
}

fn number(pointer: impl Into<*const c_void>) -> usize {
    pointer.into() as usize
}

unsafe extern "C" fn device(device: *mut c_int) -> c_int {
    // SAFETY: the variable is live, here and in the functions below.
    unsafe { *device = CURRENT.get() };
    0
}

unsafe extern "C" fn set_device(device: c_int) -> c_int {
    CURRENT.set(device);
    note(format!("device {device}"));
    0
}

unsafe extern "C" fn alloc(addr: *mut Pointer, bytes: usize) -> c_int {
    note(format!("alloc {bytes} on {}", CURRENT.get()));
    // SAFETY: as above.
    unsafe { *addr = 0x1000 as Pointer };
    if bytes > 1000 { 2 } else { 0 }
}

unsafe extern "C" fn upload(dst: Pointer, src: *const c_void, bytes: usize, stream: Pointer) -> c_int {
    // SAFETY: the source has at least one byte.
    let first = unsafe { *src.cast::<u8>() };
    note(format!("upload {bytes} from {first} to {} on {}", number(dst), number(stream)));
    0
}

unsafe extern "C" fn download(dst: Pointer, src: Pointer, bytes: usize, stream: Pointer) -> c_int {
    note(format!("download {bytes} from {} on {}", number(src), number(stream)));
    // SAFETY: the destination has this number of bytes.
    unsafe { dst.cast::<u8>().write_bytes(7, bytes) };
    0
}

unsafe extern "C" fn synchronize_stream(stream: Pointer) -> c_int {
    note(format!("wait for {}", number(stream)));
    0
}

unsafe extern "C" fn query_event(event: Pointer) -> c_int {
    number(event) as c_int
}

unsafe extern "C" fn create_event(event: *mut Pointer, flags: c_uint) -> c_int {
    note(format!("event with {flags}"));
    // SAFETY: as above.
    unsafe { *event = 5 as Pointer };
    0
}

unsafe extern "C" fn create_stream(stream: *mut Pointer, flags: c_uint, priority: c_int) -> c_int {
    note(format!("stream with {flags}, priority {priority}"));
    // SAFETY: as above.
    unsafe { *stream = 9 as Pointer };
    0
}

unsafe extern "C" fn destroy_stream(stream: Pointer) -> c_int {
    note(format!("destroy stream {}", number(stream)));
    0
}

/// The parameters and their size are between HIP's marks.
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn launch(
    function: Pointer,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Pointer,
    params: *mut Pointer,
    extra: *mut Pointer,
) -> c_int {
    // SAFETY: five entries are passed, of which the second and the fourth are the addresses of the buffer and of its size.
    let (marks, bytes) = unsafe {
        let extra = std::slice::from_raw_parts(extra, 5);
        let size = *extra[3].cast::<usize>();
        (
            [extra[0], extra[2], extra[4]].map(|mark| mark as usize),
            std::slice::from_raw_parts(extra[1].cast::<u8>(), size),
        )
    };
    assert!(params.is_null());
    let size = [gx, gy, gz, bx, by, bz];
    note(format!("launch {} {size:?} {shared} on {} {marks:?} {bytes:?}", number(function), number(stream)));
    0
}

unsafe extern "C" fn attribute(value: *mut c_int, attribute: c_int, _: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { *value = if attribute == attributes::WAVEFRONT { LANES.get() } else { 100 + attribute } };
    0
}

thread_local! {
    static LANES: Cell<c_int> = const { Cell::new(64) };
}

unsafe extern "C" fn device_name(name: *mut c_char, length: c_int, device: c_int) -> c_int {
    assert_eq!(length, 256);
    for (at, &byte) in format!("Instinct {device}\0").as_bytes().iter().enumerate() {
        // SAFETY: the text is shorter than the buffer.
        unsafe { *name.add(at) = byte as c_char };
    }
    0
}

unsafe extern "C" fn device_memory(bytes: *mut usize, _: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { *bytes = 64 << 30 };
    0
}

/// The architecture is somewhere behind the name, which may itself look like one.
unsafe extern "C" fn properties(properties: Pointer, _: c_int) -> c_int {
    for (at, text) in [(0, "gfx000"), (396, "gfx90a:sramecc+:xnack-")] {
        // SAFETY: the buffer is larger than HIP's structure.
        unsafe { properties.cast::<u8>().add(at).copy_from(text.as_ptr(), text.len()) };
    }
    0
}

unsafe extern "C" fn runtime_version(version: *mut c_int) -> c_int {
    // SAFETY: as above.
    unsafe { *version = 60_241_134 };
    0
}

unsafe extern "C" fn init(_: c_uint) -> c_int {
    0
}

unsafe extern "C" fn no_devices(_: *mut c_int) -> c_int {
    100
}

unsafe extern "C" fn no_driver(_: *mut c_int) -> c_int {
    35
}

unsafe extern "C" fn enable_peer(peer: c_int, flags: c_uint) -> c_int {
    note(format!("peer {peer} with {flags}"));
    if peer == 2 { 704 } else { 0 }
}

unsafe extern "C" fn host_call(_: Pointer, call: unsafe extern "C" fn(Pointer), data: Pointer) -> c_int {
    // SAFETY: the pointer is the one that came with the function.
    unsafe { call(data) };
    0
}

fn stub() -> Api {
    Api {
        init: Ok(init),
        device: Ok(device),
        set_device: Ok(set_device),
        alloc: Ok(alloc),
        upload: Ok(upload),
        download: Ok(download),
        synchronize_stream: Ok(synchronize_stream),
        query_event: Ok(query_event),
        create_event: Ok(create_event),
        create_stream: Ok(create_stream),
        destroy_stream: Ok(destroy_stream),
        launch: Ok(launch),
        device_attribute: Ok(attribute),
        device_name: Ok(device_name),
        device_memory: Ok(device_memory),
        properties: Ok(properties),
        runtime_version: Ok(runtime_version),
        enable_peer: Ok(enable_peer),
        host_call: Ok(host_call),
        ..Api::absent()
    }
}

/// Opens a device of a stub with three.
fn open(ordinal: usize) -> Hip {
    Hip::of(Box::leak(Box::new(stub())), 3, ordinal).unwrap()
}

#[test]
fn a_device_is_described_with_its_label() {
    let DeviceInfo { name, id, target, multiprocessors, memory_bytes, l2_bytes, shared_bytes, driver } =
        open(1).info().clone();
    assert_eq!([name.as_str(), &id], ["Instinct 1 (HIP: compiled, never run)", "hip:1"]);
    assert_eq!([target.as_str(), &driver], ["gfx90a", "HIP 6.2"]);
    assert_eq!((multiprocessors, memory_bytes, l2_bytes, shared_bytes), (163, 64 << 30, 119, 174));
    let e = Hip::of(Box::leak(Box::new(stub())), 3, 3).unwrap_err();
    assert_eq!((e.kind(), e.message()), (ErrorKind::Driver, "there is no device hip:3: 3 were found"));
    LANES.set(32);
    let e = Hip::of(Box::leak(Box::new(stub())), 3, 0).unwrap_err();
    assert!(e.message().contains("has wavefronts of 32 lanes: kernels are translated for 64"), "{e}");
}

#[test]
fn a_machine_without_devices_is_distinguished_from_a_broken_one() {
    assert_eq!(start(Api { device_count: Ok(no_devices), ..stub() }).unwrap().1, 0);
    let e = start(Api { device_count: Ok(no_driver), ..stub() }).unwrap_err();
    assert!(e.message().contains("does not start: hipGetDeviceCount failed: code 35, the driver is too old"), "{e}");
}

#[test]
fn the_device_is_current_for_each_call_and_the_callers_restored() {
    let hip = open(1);
    assert_eq!(hip.alloc(64).unwrap(), 0x1000);
    assert_eq!(taken(), ["device 1", "alloc 64 on 1", "device 0"]);
    CURRENT.set(1);
    hip.alloc(8).unwrap();
    assert_eq!(taken(), ["alloc 8 on 1"]);
    let e = hip.alloc(2000).unwrap_err();
    assert_eq!((e.kind(), e.message()), (ErrorKind::OutOfMemory, "hipMalloc failed: code 2, out of memory"));
}

#[test]
fn copies_of_pageable_memory_have_completed_on_return() {
    let hip = open(0);
    let mut bytes = [3_u8; 16];
    // SAFETY: the stub reads the slice and writes to it.
    unsafe {
        hip.upload(0x2000, &bytes, 4).unwrap();
        hip.download(&mut bytes, 0x3000, 5).unwrap();
    }
    let calls = ["upload 16 from 3 to 8192 on 4", "wait for 4", "download 16 from 12288 on 5", "wait for 5"];
    assert_eq!((taken(), bytes), (calls.map(String::from).to_vec(), [7; 16]));
}

#[test]
fn parameters_of_a_launch_are_passed_as_a_buffer() {
    let hip = open(0);
    // SAFETY: the stub reads the buffer.
    unsafe { hip.launch(Function(6), [1, 2, 3], [64, 1, 1], 128, 9, &[1, 2, 3]) }.unwrap();
    assert_eq!(taken(), ["launch 6 [1, 2, 3, 64, 1, 1] 128 on 9 [1, 2, 3] [1, 2, 3]"]);
}

#[test]
fn events_and_streams() {
    let hip = open(0);
    // SAFETY: the events of the stub are the codes that it returns.
    let query = |code| unsafe { hip.event_query(code) };
    assert!(query(0).unwrap() && !query(600).unwrap());
    let e = query(700).unwrap_err();
    assert!(e.message().starts_with("hipEventQuery failed: code 700, illegal address: a kernel has failed"), "{e}");
    assert_eq!((hip.event_create_untimed().unwrap(), hip.stream_create_with(true, -1).unwrap()), (5, 9));
    assert_eq!(taken(), ["event with 2", "stream with 1, priority -1"]);
    assert!(hip.takes_events_of(&open(1)));
    let called = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = called.clone();
    let call = Box::new(move || {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    // SAFETY: the stub makes the call at once.
    unsafe { hip.host_call(0, call) }.unwrap();
    assert_eq!(called.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn attributes_have_hips_numbers() {
    let hip = open(0);
    assert_eq!([1, 10, 16].map(|cuda| hip.attribute(cuda).unwrap()), [156, 64, 163]);
    let e = hip.attribute(4321).unwrap_err();
    let what = "HIP devices do not have the attribute 4321: use a CUDA device";
    assert_eq!((e.kind(), e.message()), (ErrorKind::NotImplemented, what));
    let shared = FunctionAttribute::MaxDynamicSharedSizeBytes;
    hip.set_function_attribute(Function(1), shared, 65536).unwrap();
    let e = hip.set_function_attribute(Function(1), shared, 65537).unwrap_err();
    assert!(e.message().contains("MaxDynamicSharedSizeBytes of 65537"), "{e}");
}

#[test]
fn peers_are_named_by_their_numbers() {
    let hip = open(0);
    hip.enable_peer(&open(1)).unwrap();
    // It is enabled already.
    hip.enable_peer(&open(2)).unwrap();
    assert_eq!(taken(), ["peer 1 with 0", "peer 2 with 0"]);
}

/// What has no counterpart is an error that says so.
#[test]
fn missing_features_are_named() {
    let hip = open(0);
    let errors = [
        (hip.create_pool().unwrap_err(), "memory pools besides their own"),
        (hip.linker().unwrap_err(), "a linker of device code"),
        // SAFETY: nothing is called.
        (unsafe { hip.graph_dot(1, 0) }.unwrap_err(), "a text form of graphs"),
        // SAFETY: as above.
        (unsafe { hip.begin_conditional(0, 0, true) }.unwrap_err(), "conditions in graphs"),
        (hip.group_id(None).unwrap_err(), "collective operations"),
        // SAFETY: as above.
        (unsafe { hip.launch_together(Function(1), [[1; 3]; 2], 0, 0, &[], &[]) }.unwrap_err(), "cooperative launches"),
    ];
    for (e, what) in errors {
        assert!(e.kind() == ErrorKind::NotImplemented && e.message().contains(what), "{e}");
    }
    // A function that this version of the runtime lacks is named.
    assert!(hip.synchronize().unwrap_err().message().contains("hipDeviceSynchronize"));
}

unsafe extern "C" fn create_handle(handle: *mut Pointer) -> c_int {
    note("handle".into());
    // SAFETY: as above.
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
