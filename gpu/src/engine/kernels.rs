//! Thread-local cache of launched kernels, which is searched without a lock.
//!
//! A launch that hits the cache costs a hash of the key and no lock; a miss goes to the device's table, and from there
//! to the disk and the compiler.

use std::cell::RefCell;
use std::hash::Hash;
use std::thread::LocalKey;

use rustc_hash::FxHashMap;

use crate::cuda::{Device, Source};
use crate::driver::Function;
use crate::error::Result;

/// The functions of the sources that a thread has launched, by device and key.
pub(super) type Kernels<K, const N: usize = 1> = RefCell<FxHashMap<(usize, K), [Function; N]>>;

/// Returns the functions of a key that this thread has launched.
pub(super) fn launched<K: Copy + Eq + Hash, const N: usize>(
    launched: &'static LocalKey<Kernels<K, N>>,
    device: Device,
    key: K,
) -> Option<[Function; N]> {
    launched.with_borrow(|k| k.get(&(device.address(), key)).copied())
}

/// Returns the functions `names` of the source of `key`. `source` returns its name, for messages, and the source, if
/// this thread has not launched it before.
pub(super) fn kernels<K: Copy + Eq + Hash, const N: usize>(
    launched: &'static LocalKey<Kernels<K, N>>,
    device: Device,
    key: K,
    names: [&str; N],
    source: impl FnOnce() -> (String, String),
) -> Result<[Function; N]> {
    let kernel = (device.address(), key);
    if let Some(found) = launched.with_borrow(|k| k.get(&kernel).copied()) {
        return Ok(found);
    }
    let (name, text) = source();
    let source = Source { name: name.into(), text: text.into(), own: true, ..Source::default() };
    let compiled = device.compile(&source, &names)?;
    let functions = std::array::from_fn(|k| compiled[k]);
    launched.with_borrow_mut(|k| k.insert(kernel, functions));
    Ok(functions)
}
