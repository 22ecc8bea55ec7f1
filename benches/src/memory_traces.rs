//! What programs take of the device's memory and return, step by step: the same for each pool that is checked.

/// A step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many bytes are taken: a block, whose number is how many were taken before.
    Take(usize),
    /// The block of this number is returned.
    Give(usize),
}

/// A program's steps, and what it has.
#[derive(Debug, Default)]
pub struct Trace {
    /// What is done, in order.
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

    /// Number of blocks that are taken; all of them are returned.
    pub fn pairs(&self) -> usize {
        self.taken
    }

    /// The most bytes that are taken at one time.
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

    /// The steps as lines, for programs in other languages: `+BYTES` and `-BLOCK`.
    pub fn lines(&self) -> String {
        let line = |step: &Step| match step {
            Step::Take(bytes) => format!("+{bytes}\n"),
            Step::Give(block) => format!("-{block}\n"),
        };
        self.steps.iter().map(line).collect()
    }
}

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

/// Twelve layers: parameters stay, each step makes what it needs forward and gives it back backward, with scratch between.
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

/// Transforms of many lengths: input, output and a work area of each, and plans of which some stay.
fn transforms(dice: &mut Dice) -> Trace {
    let (mut trace, mut plans) = (Trace::default(), Vec::new());
    for _ in 0..2000 {
        let size = dice.size(18, 26);
        let places = [size, size, size / 2 * (1 + dice.roll(3))].map(|bytes| trace.take(bytes));
        if dice.roll(4) == 0 {
            plans.push(trace.take(dice.size(12, 18)));
        }
        if plans.len() > 16 {
            let gone = plans.remove(dice.roll(16));
            trace.give([gone]);
        }
        trace.give(places);
    }
    trace.give(plans);
    trace
}

/// Arrays of all sizes that live for as long as chance has it.
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

/// The programs by name, with what a seed (not 0) draws for them.
pub fn traces(seed: u64) -> [(&'static str, Trace); 3] {
    let dice = || Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    [("training", training(&mut dice())), ("transforms", transforms(&mut dice())), ("chance", chance(&mut dice()))]
}
