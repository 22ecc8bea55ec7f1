//! Concurrent allocation and deallocation by many threads, on the device of `CUPRUM_DEVICE`.
//!
//! By default each thread allocates ten thousand times, or `CUPRUM_TEST_ALLOCATIONS=1000000` times, best with
//! optimisation: `cargo test --release -p cuprum --test allocations -- --nocapture`.

use std::sync::mpsc;
use std::time::Instant;

use cuprum::Result;
use cuprum::cuda::{Device, Memory, Stream};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

const THREADS: usize = 8;
/// Maximum number of live allocations of a thread.
const LIVE: usize = 24;

#[test]
fn eight_threads_lose_no_memory_and_waste_little() -> Result<()> {
    let count: usize = std::env::var("CUPRUM_TEST_ALLOCATIONS").map_or(10_000, |n| n.parse().unwrap());
    let device = Device::current()?;
    let before = device.memory_pool().stats().used_bytes;
    let start = Instant::now();
    // Each thread passes some of its memory to the next, which frees it.
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| mpsc::channel::<Memory>()).unzip();
    let mut receivers = receivers.into_iter();
    let most: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|k| {
                let (to, from) = (senders[(k + 1) % THREADS].clone(), receivers.next().unwrap());
                scope.spawn(move || -> Result<usize> {
                    // Every second thread uses a stream of its own.
                    let stream = if k % 2 == 0 { Some(Stream::new(device)?) } else { None };
                    let work = || -> Result<usize> {
                        let mut dice = Dice::seed_from_u64(0x1234_5678 + k as u64);
                        let mut live: Vec<Memory> = Vec::new();
                        let (mut held, mut most) = (0, 0);
                        for round in 0..count {
                            // Sizes are distributed over powers of two: many small, some large.
                            let scale = 4 + dice.random_range(0..12);
                            let bytes = 1 + dice.random_range(0..1 << scale);
                            live.push(Memory::new(device, bytes)?);
                            held += bytes;
                            most = most.max(held);
                            if live.len() > dice.random_range(0..LIVE) {
                                let which = dice.random_range(0..live.len());
                                let gone = live.swap_remove(which);
                                held -= gone.bytes();
                                if round % 16 == 0 {
                                    // A thread that has ended receives nothing.
                                    let _ = to.send(gone);
                                }
                            }
                            while let Ok(theirs) = from.try_recv() {
                                drop(theirs);
                            }
                        }
                        Ok(most)
                    };
                    match &stream {
                        Some(stream) => stream.with(work),
                        None => work(),
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<_>>()
    })?;
    drop(senders);
    device.synchronize()?;
    let stats = device.memory_pool().stats();
    let ns = start.elapsed().as_nanos() / (THREADS * count) as u128;
    let requested: usize = most.iter().sum();
    println!(
        "{THREADS} threads x {count}: {ns} ns a pair, {} of {requested} bytes taken from the device",
        stats.total_bytes
    );
    assert_eq!(stats.used_bytes, before, "memory is lost");
    // The pool needs at most the sum of the threads' maxima, each rounded up to the pool's units; allow as much again
    // for fragmentation, and a block for each stream.
    let units = THREADS * LIVE * 512;
    let bound = 2 * (requested + units) + THREADS * (64 << 20);
    assert!(stats.total_bytes <= bound, "{} bytes are held for {requested}", stats.total_bytes);
    device.free_all_blocks()
}
