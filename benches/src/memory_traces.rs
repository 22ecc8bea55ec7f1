//! Traces of allocations and deallocations of device memory, replayed with each memory pool.

/// A step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Allocates a block of this many bytes. Blocks are numbered in order of allocation.
    Take(usize),
    /// Frees the block of this number.
    Give(usize),
}

/// The steps of a program, and the number of blocks that it allocates.
#[derive(Debug, Default)]
pub struct Trace {
    /// The steps in order.
    pub steps: Vec<Step>,
    taken: usize,
}

impl Trace {
    fn take(&mut self, bytes: usize) -> usize {
        self.steps.push(Step::Take(bytes));
        self.taken += 1;
        self.taken - 1
    }

    fn give(&mut self, blocks: impl IntoIterator<Item = usize>) {
        self.steps.extend(blocks.into_iter().map(Step::Give));
    }

    /// Returns the number of blocks allocated, all of which are freed.
    pub fn pairs(&self) -> usize {
        self.taken
    }

    /// Returns the maximum number of bytes allocated at one time.
    pub fn peak(&self) -> usize {
        let (mut sizes, mut used, mut peak) = (Vec::new(), 0, 0);
        for step in &self.steps {
            match *step {
                Step::Take(bytes) => {
                    sizes.push(bytes);
                    used += bytes;
                    peak = peak.max(used);
                }
                Step::Give(block) => used -= sizes[block],
            }
        }
        peak
    }

    /// Returns the steps as lines `+BYTES` and `-BLOCK`, for programs in other languages.
    pub fn lines(&self) -> String {
        let line = |step: &Step| match step {
            Step::Take(bytes) => format!("+{bytes}\n"),
            Step::Give(block) => format!("-{block}\n"),
        };
        self.steps.iter().map(line).collect()
    }
}

/// Xorshift random number generator, which is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        // 64-bit xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % below
    }

    /// Samples a size, with the powers of two between the bounds equally likely.
    fn size(&mut self, least: u32, most: u32) -> usize {
        let power = least as usize + self.roll((most - least) as usize);
        (1 << power) + self.roll(1 << power)
    }
}

/// Trace of training with twelve layers: parameters stay, each step allocates activations forward and frees them
/// backward, with scratch memory between.
fn training(dice: &mut Dice) -> Trace {
    let mut trace = Trace::default();
    let sizes: Vec<usize> = (0..12).map(|_| dice.size(16, 24)).collect();
    let stay: Vec<usize> = sizes.iter().flat_map(|&size| [size, size, size / 64]).map(|n| trace.take(n)).collect();
    for step in 0..100 {
        // The last batch of an epoch is smaller.
        let batch = if step % 10 == 9 { 5 } else { 8 };
        let mut forward = Vec::new();
        for &size in &sizes {
            let scratch = trace.take(dice.size(10, 22));
            forward.push([trace.take(size * batch / 8), trace.take(size * batch / 16)]);
            trace.give([scratch]);
        }
        while let Some(of_layer) = forward.pop() {
            let gradient = trace.take(sizes[forward.len()]);
            let scratch = trace.take(dice.size(10, 20));
            trace.give(of_layer.into_iter().chain([gradient, scratch]));
        }
    }
    trace.give(stay);
    trace
}

/// Trace of FFTs of many lengths: input, output and a work area of each, and plans of which some stay.
fn transforms(dice: &mut Dice) -> Trace {
    let (mut trace, mut plans) = (Trace::default(), Vec::new());
    for _ in 0..2000 {
        let size = dice.size(18, 26);
        let blocks = [size, size, size / 2 * (1 + dice.roll(3))].map(|bytes| trace.take(bytes));
        if dice.roll(4) == 0 {
            plans.push(trace.take(dice.size(12, 18)));
        }
        if plans.len() > 16 {
            let gone = plans.remove(dice.roll(16));
            trace.give([gone]);
        }
        trace.give(blocks);
    }
    trace.give(plans);
    trace
}

/// Trace of arrays of all sizes with random lifetimes.
fn chance(dice: &mut Dice) -> Trace {
    let (mut trace, mut live) = (Trace::default(), Vec::new());
    for _ in 0..40_000 {
        if live.len() < 200 && dice.roll(2) == 0 {
            live.push(trace.take(dice.size(6, 25)));
        } else if !live.is_empty() {
            let gone = live.swap_remove(dice.roll(live.len()));
            trace.give([gone]);
        }
    }
    trace.give(live);
    trace
}

/// Returns the traces by name, generated from a seed, which must not be 0.
pub fn traces(seed: u64) -> [(&'static str, Trace); 3] {
    let dice = || Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    [("training", training(&mut dice())), ("transforms", transforms(&mut dice())), ("chance", chance(&mut dice()))]
}
