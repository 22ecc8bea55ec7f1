//! Background compilation of kernels that replace others: fused kernels, and those that take seconds to compile. A thread
//! compiles them, and calls use them once they are compiled.
//!
//! In this mode a call never waits for the compiler: until the kernel is ready, the results are computed with other
//! kernels, to the same bits.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread::LocalKey;

use cuprum_kernels::source::{Fused, ReadMark, ReadReduction, ReadScan, Rows, WindowColumns};
use rustc_hash::FxHashMap;

use super::mode;
use crate::cuda::{Device, Source};
use crate::driver::{Function, fork};
use crate::engine::kernels::{Kernels, kernels, launched};
use crate::error::Result;

/// Key of a kernel that can be compiled in the background.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::engine) enum Unseen {
    Calls(Fused),
    Reduction(ReadReduction),
    Mark(ReadMark),
    Scan(ReadScan),
    Rows(Rows),
    Medians(WindowColumns),
}

impl From<Fused> for Unseen {
    fn from(key: Fused) -> Unseen {
        Unseen::Calls(key)
    }
}

impl From<ReadReduction> for Unseen {
    fn from(key: ReadReduction) -> Unseen {
        Unseen::Reduction(key)
    }
}

impl From<ReadMark> for Unseen {
    fn from(key: ReadMark) -> Unseen {
        Unseen::Mark(key)
    }
}

impl From<ReadScan> for Unseen {
    fn from(key: ReadScan) -> Unseen {
        Unseen::Scan(key)
    }
}

impl From<Rows> for Unseen {
    fn from(key: Rows) -> Unseen {
        Unseen::Rows(key)
    }
}

impl From<WindowColumns> for Unseen {
    fn from(key: WindowColumns) -> Unseen {
        Unseen::Medians(key)
    }
}

impl Unseen {
    /// Returns its name and its source. An empty source is one that the compiler rejects.
    fn source(self) -> (String, String) {
        match self {
            Unseen::Calls(key) => (key.name(), key.source()),
            Unseen::Reduction(key) => (key.name(), key.source().unwrap_or_default()),
            Unseen::Mark(key) => (key.name(), key.source()),
            Unseen::Scan(key) => (key.name(), key.source()),
            Unseen::Rows(key) => (key.name(), key.source().unwrap_or_default()),
            Unseen::Medians(key) => (key.name(), key.source()),
        }
    }
}

/// State of a kernel that is compiled in the background.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    CompileRequest,
    Compiled,
    /// The compiler rejected it; the other kernels report their own errors.
    Rejected,
}

/// Returns the functions of a key if they are compiled; on a device that compiles in the background they are requested,
/// and available once the thread has compiled them.
pub(in crate::engine) fn ready<K: Copy + Eq + Hash + Into<Unseen>, const N: usize>(
    own: &'static LocalKey<Kernels<K, N>>,
    device: Device,
    key: K,
    names: [&'static str; N],
) -> Result<Option<[Function; N]>> {
    let of_key = || kernels(own, device, key, names, || key.into().source()).map(Some);
    if let Some(functions) = launched(own, device, key) {
        return Ok(Some(functions));
    }
    // A captured graph replays the kernels that it recorded: it waits for the better kernel.
    if mode::waits()? || device.driver()?.runs_rarely() || device.queue().is_captured() {
        return of_key();
    }
    let state = match states().entry((device.address(), key.into())) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(slot) => {
            ask(device, key.into(), names.to_vec());
            *slot.insert(State::CompileRequest)
        }
    };
    if state == State::Compiled { of_key() } else { Ok(None) }
}

type States = FxHashMap<(usize, Unseen), State>;

fn states() -> std::sync::MutexGuard<'static, States> {
    static STATES: OnceLock<Mutex<States>> = OnceLock::new();
    STATES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held while the thread compiles.
static BUSY: Mutex<()> = Mutex::new(());

/// Lets the thread finish the current compilation and start no more: the process ends, and the compiler is unloaded.
extern "C" fn stop() {
    // The thread that may hold the lock does not exist in a child of the process.
    if !fork::forked() {
        std::mem::forget(BUSY.lock());
    }
}

/// Requests that the background thread compile the kernel of a key.
fn ask(device: Device, key: Unseen, names: Vec<&'static str>) {
    type CompileRequest = (Device, Unseen, Vec<&'static str>);
    static ASKED: OnceLock<Mutex<mpsc::Sender<CompileRequest>>> = OnceLock::new();
    let begin = || {
        let (sender, requests) = mpsc::channel::<CompileRequest>();
        // The compiler is initialised before the exit handler is registered, so that it is destroyed after that.
        // Without a thread nothing is ever compiled, and calls are made one by one.
        let compile = move || {
            for (device, key, names) in requests {
                let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
                let (name, text) = key.source();
                let source = Source { name: name.into(), text: text.into(), own: true, ..Source::default() };
                let compiled = device.compile(&source, &names).is_ok();
                states().insert((device.address(), key), if compiled { State::Compiled } else { State::Rejected });
            }
        };
        if Device::nvrtc_version().is_ok() && fork::at_exit(stop) {
            let _ = std::thread::Builder::new().name("cuprum-fusion".into()).spawn(compile);
        }
        Mutex::new(sender)
    };
    let _ = ASKED.get_or_init(begin).lock().unwrap_or_else(PoisonError::into_inner).send((device, key, names));
}
