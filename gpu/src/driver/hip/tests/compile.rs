//! Calls of hipRTC.

use std::ffi::{CStr, c_char, c_int};

use super::super::api::Pointer;
use super::super::hiprtc::Api;
use super::{note, number, taken};
use crate::error::ErrorKind;

/// A program that does not compile.
const BROKEN: usize = 13;

unsafe extern "C" fn create(
    program: *mut Pointer,
    source: *const c_char,
    name: *const c_char,
    headers: c_int,
    _: *const *const c_char,
    _: *const *const c_char,
) -> c_int {
    // SAFETY: both strings end with NUL, and the variable is live.
    let (source, name) = unsafe { (CStr::from_ptr(source).to_string_lossy(), CStr::from_ptr(name).to_string_lossy()) };
    let (first, last) = (source.lines().next().unwrap(), source.lines().rev().take(2).collect::<Vec<_>>());
    note(format!("create {name} {headers}: {first} ... {} {}", last[1], last[0]));
    // SAFETY: as above.
    unsafe { *program = if source.contains("broken") { BROKEN } else { 12 } as Pointer };
    0
}

unsafe extern "C" fn destroy(program: *mut Pointer) -> c_int {
    // SAFETY: the variable is live.
    note(format!("destroy {}", number(unsafe { *program })));
    0
}

unsafe extern "C" fn compile(program: Pointer, count: c_int, options: *const *const c_char) -> c_int {
    // SAFETY: the table has this number of strings, which end with NUL.
    let options = unsafe { std::slice::from_raw_parts(options, count as usize) };
    // SAFETY: as above.
    let options: Vec<_> = options.iter().map(|&o| unsafe { CStr::from_ptr(o) }.to_string_lossy()).collect();
    note(format!("compile {}", options.join(" ")));
    if number(program) == BROKEN { 6 } else { 0 }
}

unsafe extern "C" fn add_name(_: Pointer, expression: *const c_char) -> c_int {
    // SAFETY: the string ends with NUL.
    note(format!("name {}", unsafe { CStr::from_ptr(expression) }.to_string_lossy()));
    0
}

unsafe extern "C" fn lowered_name(_: Pointer, _: *const c_char, name: *mut *const c_char) -> c_int {
    // SAFETY: the variable is live.
    unsafe { *name = c"_Z1f".as_ptr() };
    0
}

unsafe extern "C" fn four(_: Pointer, bytes: *mut usize) -> c_int {
    // SAFETY: as above.
    unsafe { *bytes = 4 };
    0
}

unsafe extern "C" fn log(_: Pointer, text: *mut c_char) -> c_int {
    // SAFETY: the buffer has four bytes, of which the last ends the text.
    unsafe { text.cast::<u8>().copy_from(b"log\0".as_ptr(), 4) };
    0
}

unsafe extern "C" fn code(_: Pointer, code: *mut c_char) -> c_int {
    // SAFETY: the buffer has four bytes.
    unsafe { code.cast::<u8>().copy_from(b"\x7fELF".as_ptr(), 4) };
    0
}

fn stub() -> Api {
    Api {
        create: Ok(create),
        destroy: Ok(destroy),
        compile: Ok(compile),
        add_name: Ok(add_name),
        lowered_name: Ok(lowered_name),
        log_size: Ok(four),
        log: Ok(log),
        code_size: Ok(four),
        code: Ok(code),
        ..Api::absent()
    }
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

#[test]
fn sources_are_in_a_namespace_and_options_those_of_clang() {
    let options = strings(&["--std=c++17", "-default-device", "--fmad=false", "-DX=1"]);
    let image = stub().compiled("int x;", "k", "gfx90a", &options, &strings(&["f<int>"])).unwrap();
    assert_eq!((image.code.as_slice(), image.log.as_str(), image.names), (&b"\x7fELF"[..], "log", strings(&["_Z1f"])));
    assert_eq!(
        taken(),
        [
            "create k.hip 0: namespace cuprum { ... int x; }",
            "name cuprum::f<int>",
            "compile --offload-arch=gfx90a -std=c++17 -ffp-contract=off -DX=1",
            "destroy 12"
        ]
    );
}

#[test]
fn a_broken_source_is_shown_with_the_log() {
    let e = stub().compiled("broken;", "k", "gfx90a", &[], &[]).unwrap_err();
    assert_eq!(taken().last().unwrap(), "destroy 13");
    assert_eq!(e.kind(), ErrorKind::Compile);
    let first = "kernel k does not compile for gfx90a (hiprtcCompileProgram failed: code 6):\nlog\nThe source:\n";
    assert!(e.message().starts_with(first) && e.message().contains(" | broken;\n"), "{e}");
    let e = stub().compiled("int x;", "k", "gfx90a", &strings(&["-dlto"]), &[]).unwrap_err();
    assert!(e.kind() == ErrorKind::NotImplemented && taken().is_empty(), "{e}");
}
