//! Fuzz test: for any broken PTX source the simulator returns an error or runs within its limits.

mod common;

use cuprum_sim::{Config, Launch, Machine};
use proptest::prelude::*;

const TEXTS: [&str; 7] = [
    include_str!("ptx/basic.ptx"),
    include_str!("ptx/faults.ptx"),
    include_str!("ptx/calls.ptx"),
    include_str!("ptx/mem.ptx"),
    include_str!("ptx/warp.ptx"),
    include_str!("ptx/bits.ptx"),
    include_str!("ptx/rounding.ptx"),
];

/// One change of a source.
#[derive(Clone, Debug)]
enum Change {
    Byte(usize, u8),
    SwapLines(usize, usize),
    DropToken(usize),
    CopyToken(usize, usize),
    DropLine(usize),
    Cut(usize),
    Number(usize, u64),
}

fn change() -> impl Strategy<Value = Change> {
    let n = any::<usize>;
    prop_oneof![
        1 => (n(), any::<u8>()).prop_map(|(a, b)| Change::Byte(a, b)),
        3 => (n(), n()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        3 => n().prop_map(Change::DropToken),
        6 => (n(), n()).prop_map(|(a, b)| Change::CopyToken(a, b)),
        2 => n().prop_map(Change::DropLine),
        1 => n().prop_map(Change::Cut),
        4 => (n(), prop_oneof![Just(0), Just(u64::MAX), 0..300u64, any::<u64>()]).prop_map(|(a, b)| Change::Number(a, b)),
    ]
}

fn apply(text: &mut String, change: &Change) {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    if lines.is_empty() {
        return;
    }
    let count = lines.len();
    let token = |line: &mut String, at: usize, new: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        let at = at % words.len();
        words[at] = new;
        *line = words.join(" ");
    };
    match change {
        Change::Byte(at, b) => {
            let mut bytes = text.clone().into_bytes();
            let at = at % bytes.len().max(1);
            if let Some(slot) = bytes.get_mut(at) {
                *slot = *b;
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
            return;
        }
        Change::Cut(at) => {
            let at = at % (text.len() + 1);
            *text = String::from_utf8_lossy(&text.as_bytes()[..at]).into_owned();
            return;
        }
        Change::SwapLines(a, b) => lines.swap(a % count, b % count),
        Change::DropLine(a) => drop(lines.remove(a % count)),
        Change::DropToken(a) => token(&mut lines[a % count], a / count, ""),
        Change::CopyToken(a, b) => {
            let words: Vec<String> = lines[b % count].split(' ').map(String::from).collect();
            let word = words[b / count % words.len()].clone();
            token(&mut lines[a % count], a / count, &word);
        }
        Change::Number(a, n) => token(&mut lines[a % count], a / count, &format!("{n},")),
    }
    *text = lines.join("\n");
}

fn run(text: &str) {
    let machine =
        Machine::new(Config { memory_limit: 1 << 20, threads: 1, max_instructions: 3000, ..Config::default() });
    let Ok(module) = machine.load(text) else { return };
    let buffer = machine.alloc(1 << 14).expect("room");
    machine.fill(buffer, &[1, 0, 0, 0], 1 << 14).expect("inside");
    let params: Vec<u8> = buffer.to_le_bytes().into_iter().cycle().take(4096).collect();
    for name in module.kernels() {
        let kernel = module.kernel(name).expect("named by the module");
        if kernel.param_bytes() <= params.len() {
            let launch =
                Launch { grid: [2, 1, 1], block: [48, 1, 1], shared_bytes: 512, params: &params, ..Launch::default() };
            // A fault is as good as an end; a panic or a hang is not.
            let _ = machine.launch(&kernel, &launch);
        }
    }
}

#[test]
fn the_texts_themselves_run() {
    for text in TEXTS {
        Machine::new(Config::default()).load(text).unwrap_or_else(|e| panic!("{e}"));
        run(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_texts_are_rejected_or_run(which in 0..TEXTS.len(), changes in prop::collection::vec(change(), 1..6)) {
        let mut text = TEXTS[which].to_string();
        for change in &changes {
            apply(&mut text, change);
        }
        run(&text);
    }
}
