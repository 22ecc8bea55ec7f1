//! What the pool takes from the device for programs of three kinds, beside the most that they use at one time.

use super::*;
use crate::cuda::{Buffer, Device, mock};

/// Random numbers from a seed: the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        // Xorshift of 64 bits.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % below
    }

    /// Sizes of each power of two as often as of any other.
    fn size(&mut self, least: u32, most: u32) -> usize {
        let power = least as usize + self.roll((most - least) as usize);
        (1 << power) + self.roll(1 << power)
    }
}

/// A program takes memory of the device, and says what it did in steps.
type Program = fn(&mut Dice, &mut dyn FnMut(usize) -> Buffer);

/// Twelve layers: parameters stay, each step makes what it needs forward and gives it back backward, with scratch between.
fn training(dice: &mut Dice, take: &mut dyn FnMut(usize) -> Buffer) {
    let sizes: Vec<usize> = (0..12).map(|_| dice.size(16, 24)).collect();
    let _parameters: Vec<Buffer> = sizes.iter().flat_map(|&size| [take(size), take(size), take(size / 64)]).collect();
    for step in 0..40 {
        // The last batch of an epoch is smaller.
        let batch = if step % 10 == 9 { 5 } else { 8 };
        let mut forward = Vec::new();
        for &size in &sizes {
            let scratch = take(dice.size(10, 22));
            forward.push((take(size * batch / 8), take(size * batch / 16)));
            drop(scratch);
        }
        while let Some(of_layer) = forward.pop() {
            let gradient = take(sizes[forward.len()]);
            let _scratch = take(dice.size(10, 20));
            drop((of_layer, gradient));
        }
    }
}

/// Transforms of many lengths: input, output and a work area of each, and plans of which some stay.
fn transforms(dice: &mut Dice, take: &mut dyn FnMut(usize) -> Buffer) {
    let mut plans: Vec<Buffer> = Vec::new();
    for _ in 0..400 {
        let size = dice.size(18, 26);
        let (input, output) = (take(size), take(size));
        let work = take(size / 2 * (1 + dice.roll(3)));
        if dice.roll(4) == 0 {
            plans.push(take(dice.size(12, 18)));
        }
        if plans.len() > 16 {
            plans.remove(dice.roll(16));
        }
        drop((input, work, output));
    }
}

/// Arrays of all sizes that live for as long as chance has it.
fn chance(dice: &mut Dice, take: &mut dyn FnMut(usize) -> Buffer) {
    let mut live: Vec<Buffer> = Vec::new();
    for _ in 0..20_000 {
        if live.len() < 200 && dice.roll(2) == 0 {
            live.push(take(dice.size(6, 25)));
        } else if !live.is_empty() {
            live.swap_remove(dice.roll(live.len()));
        }
    }
}

/// The most bytes that the pool held, and the most that were used at one time.
fn run(program: Program, seed: u64) -> [usize; 2] {
    let (device, _mock): (Device, _) = mock::device();
    let mut held = 0;
    let mut take = |bytes: usize| {
        let buffer = device.alloc(bytes).unwrap();
        held = held.max(device.memory_pool().stats().total_bytes);
        buffer
    };
    program(&mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), &mut take);
    let stats = device.memory_pool().stats();
    assert_eq!(stats.used_bytes, 0);
    [held, stats.peak_bytes]
}

#[test]
fn the_pool_holds_no_more_than_twice_what_a_program_uses_and_the_slack() {
    for (name, program) in [("training", training as Program), ("transforms", transforms), ("chance", chance)] {
        for seed in 1..=3 {
            let [held, used] = run(program, seed);
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
    // A small array may break up the large segment where there is nothing else, and only there.
    mock.state().memory = Some(64 << 20);
    let held = device.alloc(32 << 20).unwrap();
    let small: Vec<Buffer> = (0..32).map(|_| device.alloc(1 << 20).unwrap()).collect();
    let e = device.alloc(1 << 20).unwrap_err();
    for part in ["1048576 bytes are asked for", "67108864", "largest free block has 0", "taken by others"] {
        assert!(e.message().contains(part), "{e}");
    }
    drop((held, small));
    device.alloc(64 << 20).expect("neighbours have joined");
}
