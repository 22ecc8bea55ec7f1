//! The HIP device with stubs of ROCm's libraries, which record the calls.

mod compile;
mod libraries;

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::AtomicUsize;

use super::api::{Api, Pointer, start};
use super::{Hip, attributes};
use crate::driver::runtime_api::RuntimeApi;
use crate::driver::{DeviceInfo, Driver, Function, FunctionAttribute};
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

fn number(pointer: Pointer) -> usize {
    pointer as usize
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

/// The architecture is somewhere after the name, which may itself look like one.
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

/// Features without a counterpart are errors that name them.
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
