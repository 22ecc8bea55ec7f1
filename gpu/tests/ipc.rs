//! Sharing of memory between two processes through CUDA IPC handles, on a GPU; the simulator rejects it.

use std::process::Command;
use std::sync::Arc;

use cuprum::cuda::ipc::{self, Handle, OpenMemory};
use cuprum::cuda::{Device, Event};
use cuprum::{Array, DType, ErrorKind, RawParts, Result, array};

/// Variable that passes both handles and the offset of the array to the other process.
const HANDLES: &str = "CUPRUM_TEST_SHARED";

fn text(handle: Handle) -> String {
    handle.iter().map(|b| format!("{b:02x}")).collect()
}

fn handle(text: &str) -> Handle {
    std::array::from_fn(|k| u8::from_str_radix(&text[2 * k..2 * k + 2], 16).unwrap())
}

/// Body of the other process: doubles the array of the first.
fn other(handles: &str) -> Result<()> {
    let words: Vec<&str> = handles.split(' ').collect();
    let device = Device::current()?;
    let written = Event::from_ipc_handle(device, handle(words[1]))?;
    device.current_stream().wait_event(&written)?;
    let memory = Arc::new(OpenMemory::open(device, handle(words[0]), true)?);
    let at = memory.pointer() + words[2].parse::<u64>().unwrap();
    // SAFETY: the memory is the array's of the first process, which outlives this one, and stays open as long.
    let a = unsafe { Array::from_raw_parts(RawParts::new(device, at, DType::F32, [4]), memory) }?;
    assert_eq!(a.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    a.assign(&cuprum::multiply(&a, 2)?)?;
    device.synchronize()
}

#[test]
fn a_process_opens_the_memory_of_another() -> Result<()> {
    if let Ok(handles) = std::env::var(HANDLES) {
        return other(&handles);
    }
    let device = Device::current()?;
    let a = array([1f32, 2.0, 3.0, 4.0])?;
    if device.ordinal().is_none() {
        let rejected = |e: cuprum::Error| {
            e.kind() == ErrorKind::NotImplemented && e.message().contains("this device does not have")
        };
        assert!(rejected(ipc::share(&a).unwrap_err()));
        assert!(rejected(OpenMemory::open(device, [0; 64], true).unwrap_err()));
        assert!(rejected(Event::interprocess(device).unwrap_err()));
        assert!(rejected(Event::from_ipc_handle(device, [0; 64]).unwrap_err()));
        return Ok(());
    }
    let (shared, written) = (ipc::share(&a)?, Event::interprocess(device)?);
    written.record()?;
    let handles = format!("{} {} {}", text(shared.handle), text(written.ipc_handle()?), shared.offset);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_opens_the_memory_of_another"])
        .env(HANDLES, handles)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(a.to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0]);
    Ok(())
}
