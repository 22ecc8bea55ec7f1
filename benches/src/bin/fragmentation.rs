//! Fragmentation of memory pools: memory held relative to memory in use, and the time of an allocation and its
//! deallocation.
//!
//! `fragmentation [FOLDER]` replays the same traces with the library's pool and with the driver's (`cudaMallocAsync`),
//! and prints one JSON object per line: the maximum of bytes held over the maximum of bytes used, and nanoseconds per
//! pair in the first round, when the pool takes memory of the device, and in later ones. With a folder, the traces are
//! written there, one file each, for `benches/fragmentation.py FOLDER` to replay with CuPy's pools.

use std::path::Path;
use std::time::Instant;

use cuprum::cuda::{AsyncPool, Device, Memory};
use cuprum::{Error, ErrorKind, Result};
use cuprum_benches::memory_traces::{Step, Trace, traces};
use cuprum_benches::timing::median;
use serde_json::json;

const ROUNDS: usize = 5;

/// Replays the steps, calling `look` after each allocation; returns nanoseconds per pair.
fn replay<M>(trace: &Trace, take: impl Fn(usize) -> Result<M>, mut look: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut blocks: Vec<Option<M>> = Vec::with_capacity(trace.pairs());
    let start = Instant::now();
    for step in &trace.steps {
        match *step {
            Step::Take(bytes) => {
                blocks.push(Some(take(bytes)?));
                look()?;
            }
            Step::Give(block) => drop(blocks[block].take()),
        }
    }
    Ok(start.elapsed().as_nanos() as f64 / trace.pairs() as f64)
}

/// Prints a row of the table.
fn print_row<M>(
    pool: &str,
    name: &str,
    trace: &Trace,
    take: impl Fn(usize) -> Result<M>,
    held: impl Fn() -> Result<usize>,
) -> Result<()> {
    let device = Device::current()?;
    device.synchronize()?;
    let mut most = 0;
    let first = replay(trace, &take, || {
        most = most.max(held()?);
        Ok(())
    })?;
    let mut later = Vec::new();
    for _ in 0..ROUNDS {
        device.synchronize()?;
        later.push(replay(trace, &take, || Ok(()))?);
    }
    let ratio = most as f64 / trace.peak() as f64;
    let row = json!({
        "library": "cuprum", "pool": pool, "name": name, "peak_used": trace.peak(), "held_over_used": ratio,
        "first_ns": first, "pair_ns": median(later),
    });
    println!("{row}");
    Ok(())
}

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1);
    let device = Device::current()?;
    for (name, trace) in traces(1) {
        if let Some(folder) = &folder {
            let path = Path::new(folder).join(name);
            std::fs::write(&path, trace.lines())
                .map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())))?;
        }
        device.free_all_blocks()?;
        let held = || Ok(device.memory_pool().stats().total_bytes);
        print_row("own", name, &trace, |bytes| Memory::new(device, bytes), held)?;
        device.free_all_blocks()?;
        let pool = AsyncPool::new(device)?;
        // The pool releases no memory, as frameworks configure it.
        pool.set_release_threshold(usize::MAX)?;
        print_row("driver", name, &trace, |bytes| pool.alloc(bytes), || pool.reserved_bytes())?;
        device.synchronize()?;
        pool.trim_to(0)?;
    }
    Ok(())
}
