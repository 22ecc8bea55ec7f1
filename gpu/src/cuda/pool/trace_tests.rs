//! Tests of the pool with allocation traces of three kinds of programs: memory taken from the device, compared with the
//! peak use.

use super::*;
use crate::cuda::{Buffer, mock};

// The traces that the benchmarks also replay with other pools, and write to files.
#[allow(dead_code, unreachable_pub)]
#[path = "../../../../benches/src/memory_traces.rs"]
mod memory_traces;

use memory_traces::{Step, traces};

#[test]
fn the_pool_holds_no_more_than_twice_what_a_program_uses_and_the_slack() {
    for seed in 1..=3 {
        for (name, trace) in traces(seed) {
            let (device, _mock) = mock::device();
            let (mut blocks, mut held) = (Vec::with_capacity(trace.pairs()), 0);
            for step in trace.steps {
                match step {
                    Step::Take(bytes) => {
                        blocks.push(Some(device.alloc(bytes).unwrap()));
                        held = held.max(device.memory_pool().stats().total_bytes);
                    }
                    Step::Give(block) => drop::<Option<Buffer>>(blocks[block].take()),
                }
            }
            let stats = device.memory_pool().stats();
            assert_eq!(stats.used_bytes, 0);
            let used = stats.peak_bytes;
            println!("{name}, seed {seed}: peak held over peak used {:.3}", held as f64 / used as f64);
            assert!(held <= 2 * used + SLACK, "{name}, seed {seed}: {held} bytes were held for {used}");
        }
    }
}

#[test]
fn no_small_array_holds_a_large_segment() {
    let (device, _mock) = mock::device();
    drop(device.alloc(1 << 30).unwrap());
    for (bytes, most) in [(512, SEGMENT), (SMALL, SEGMENT), (SMALL + 1, 16 << 20), (10 << 20, 160 << 20)] {
        let held = device.alloc(bytes).unwrap();
        device.free_all_blocks().unwrap();
        let total = device.memory_pool().stats().total_bytes;
        assert!(total <= most, "{bytes} bytes hold {total} of the device");
        drop(held);
        device.free_all_blocks().unwrap();
        drop(device.alloc(1 << 30).unwrap());
    }
}

#[test]
fn what_is_free_serves_before_the_device_is_full() {
    let (device, mock) = mock::device();
    mock.state().memory = Some(64 << 20);
    let large = device.alloc(64 << 20).unwrap();
    drop(large);
    // A small array may split the large segment only if there is no other memory.
    mock.state().memory = Some(64 << 20);
    let held = device.alloc(32 << 20).unwrap();
    let small: Vec<Buffer> = (0..32).map(|_| device.alloc(1 << 20).unwrap()).collect();
    let e = device.alloc(1 << 20).unwrap_err();
    for part in ["1048576 bytes are requested", "67108864", "largest free block has 0", "taken by others"] {
        assert!(e.message().contains(part), "{e}");
    }
    drop((held, small));
    device.alloc(64 << 20).expect("neighbours have joined");
}
