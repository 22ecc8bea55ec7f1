//! Tests of undefined bits: programs that carry them without depending on them run, and those that depend on them fail.

mod common;

use common::{Params, Rig};
use cuprum_sim::{Config, Fault, FaultKind, Launch, Mark};

fn rig() -> Rig {
    Rig::new(include_str!("ptx/defined.ptx"))
}

fn params() -> Params {
    Params::default()
}

#[track_caller]
fn runs(rig: &Rig, kernel: &str, grid: u32, block: u32, params: Params) {
    rig.launch(kernel, grid, block, params).unwrap_or_else(|e| panic!("{kernel}: {e}"));
}

/// Returns a fault of a kind whose message has all these words.
#[track_caller]
fn fails(result: Result<cuprum_sim::Stats, Fault>, kind: FaultKind, words: &[&str]) -> Fault {
    let fault = result.expect_err("a fault");
    assert_eq!(fault.kind(), kind, "{fault}");
    for word in words {
        assert!(fault.to_string().contains(word), "{word:?} is not in: {fault}");
    }
    fault
}

/// Returns the fault of a copy to the host.
#[track_caller]
fn rejects(rig: &Rig, addr: u64, bytes: usize, words: &[&str]) {
    let read = rig.machine.read(addr, &mut vec![0; bytes]).map(|()| Default::default());
    fails(read, FaultKind::Unwritten, words);
}

#[test]
fn argmin_takes_the_padding_of_its_structs_along() {
    for seed in [None, Some(5)] {
        let rig = Rig::with(include_str!("ptx/defined.ptx"), Config { seed, ..Config::default() });
        let x: Vec<f64> = (0..500).map(|i| ((i * 37) % 499) as f64 - if i == 321 { 1e3 } else { 0.0 }).collect();
        let (parts, copy, out) = (rig.empty::<f64>(16), rig.empty::<f64>(16), rig.empty::<i32>(1));
        runs(&rig, "argmin_parts", 8, 64, params().with(rig.upload(&x)).with(parts).with(500i32));
        runs(&rig, "argmin_last", 1, 1, params().with(parts).with(copy).with(8i32).with(out));
        assert_eq!(rig.download::<i32>(out, 1), [321]);
        // The values are initialised, the padding is not.
        assert_eq!(rig.download::<f64>(copy + 16 * 5, 1), [x[321]]);
        rejects(&rig, copy, 16, &["copied to the host", "undefined values were stored", "kernel argmin_last"]);
    }
}

#[test]
fn padding_goes_through_calls() {
    let rig = rig();
    let (from, to) = (rig.empty::<f64>(64), rig.empty::<f64>(64));
    for i in 0..32u64 {
        rig.machine.write(from + 16 * i, &(i as f64).to_le_bytes()).expect("inside");
        rig.machine.write(from + 16 * i + 8, &(i as i32).to_le_bytes()).expect("inside");
    }
    runs(&rig, "passed", 1, 32, params().with(from).with(to).with(7i32));
    assert_eq!(rig.download::<f64>(to + 16 * 9, 1), [16.0]);
    assert_eq!(rig.download::<i32>(to + 16 * 4 + 8, 1), [5]);
    rejects(&rig, to, 16, &["undefined"]);
}

#[test]
fn garbage_that_is_masked_or_selected_away() {
    let rig = rig();
    let (x, out) = (rig.upload(&[7i32, 8, 9]), rig.empty::<i32>(1));
    runs(&rig, "masked", 1, 1, params().with(x).with(out).with(3i32).with(2i32));
    assert_eq!(rig.download::<i32>(out, 1), [9]);
    // Here the byte that is read is uninitialised.
    runs(&rig, "masked", 1, 1, params().with(x).with(out).with(3i32).with(5i32));
    rejects(&rig, out, 4, &["kernel masked"]);
    let x = rig.upload(&[1007i32, 8, 9]);
    runs(&rig, "masked", 1, 1, params().with(x).with(out).with(3i32).with(2i32));
    rejects(&rig, out, 4, &["kernel masked"]);
}

#[test]
fn bit_fields_are_put_together() {
    let rig = rig();
    let run = |f: u64, part: i32| {
        let out = rig.empty::<u32>(32);
        let result = rig.launch("fields", 1, 32, params().with(out).with(f).with(part));
        result.map(|_| rig.download::<u32>(out, 32))
    };
    let f = rig.empty::<u32>(32);
    let want: Vec<u32> = (0..32).map(|i| (i & 7) + 5).collect();
    assert_eq!(run(f, 0).as_ref(), Ok(&want));
    assert_eq!(rig.download::<u16>(f, 1), [5 << 3]);
    rejects(&rig, f, 4, &["undefined"]);
    assert_eq!(run(f, 1).as_ref(), Ok(&want));
    assert_eq!(rig.download::<u32>(f, 1), [9 << 16 | 5 << 3]);
    assert_eq!(run(rig.empty::<u32>(32), 2), Ok(want.iter().map(|x| x + 100).collect()));
}

#[test]
fn what_must_not_depend_on_undefined_bits() {
    let rig = rig();
    let (x, out) = (rig.empty::<i32>(64), rig.upload(&[0i32; 128]));
    rig.machine.write(x, &[0; 4 * 20]).expect("fits");
    let run = |kernel| rig.launch(kernel, 1, 32, params().with(x).with(out));
    let from = &["4 bytes at", "of global memory", "thread (20, 0, 0) at PTX line", "never written"];
    let fault = fails(run("branch"), FaultKind::Unwritten, &[from.as_slice(), &["a branch depends on"]].concat());
    assert_eq!(fault.site().map(|s| s.thread), Some([20, 0, 0]));
    let text = include_str!("ptx/defined.ptx");
    let line = |n: usize| text.lines().nth(n - 1).expect("a line of the text");
    let site = fault.site().expect("a location").line as usize;
    assert!(line(site).contains("bra"), "{}", line(site));
    let message = fault.to_string();
    let load = message.split("PTX line ").nth(1).and_then(|s| s.split(' ').next()).and_then(|s| s.parse().ok());
    assert!(line(load.expect("a line")).contains("ld.global.u32"), "{message}");
    fails(run("address"), FaultKind::Unwritten, &[from.as_slice(), &["the address of a store"]].concat());
    fails(run("lane"), FaultKind::Unwritten, &[from.as_slice(), &["the lane that a shuffle reads"]].concat());
    fails(run("vote_undefined"), FaultKind::Unwritten, &["a branch depends on"]);
    runs(&rig, "vote", 1, 32, params().with(x).with(out));
    let words = ["a branch", "of shared memory", "an undefined value was stored"];
    fails(rig.launch("through_shared", 1, 64, params().with(x).with(out)), FaultKind::Unwritten, &words);
    let message = "what a system call reads depends on undefined bits";
    fails(rig.launch("say", 1, 1, params().with(x + 80)), FaultKind::Unwritten, &[message]);
    runs(&rig, "say", 1, 1, params().with(x));
}

#[test]
fn shared_memory_without_a_barrier_is_named() {
    let out = rig().upload(&[0i32; 64]);
    for seed in 0..6 {
        let rig = Rig::with(include_str!("ptx/defined.ptx"), Config { seed: Some(seed), ..Config::default() });
        assert_eq!(rig.upload(&[0i32; 64]), out);
        let fault = rig.launch("missing_barrier", 1, 64, params().with(out)).expect_err("no barrier");
        let words = ["race on shared memory", "a barrier is missing"];
        assert!(words.iter().any(|w| fault.to_string().contains(w)), "{fault}");
    }
    let rig = rig();
    let out = rig.upload(&[0i32; 64]);
    let words = ["no thread of the block has written"];
    fails(rig.launch("first_only", 1, 64, params().with(out)), FaultKind::Unwritten, &words);
}

#[test]
fn lanes_that_take_no_part() {
    let rig = rig();
    let (x, out) = (rig.upload(&(0..32).collect::<Vec<i32>>()), rig.empty::<i32>(32));
    runs(&rig, "half_tree", 1, 32, params().with(x).with(out));
    assert_eq!(rig.download::<i32>(out, 1), [120]);
    let words = ["a branch depends on", "lane 16", "takes no part in the exchange"];
    fails(rig.launch("absent_lane", 1, 32, params().with(x).with(out)), FaultKind::Unwritten, &words);
    let words = ["lane 31 is not in the member mask 0x7fffffff"];
    fails(rig.launch("without_caller", 1, 32, params().with(out)), FaultKind::LaneMask, &words);
    let words = ["lane 0 is not in the member mask 0xfffffffe"];
    fails(rig.launch("sync_without_caller", 1, 32, params().with(out)), FaultKind::LaneMask, &words);
}

#[test]
fn integers_divided_by_zero() {
    let rig = rig();
    let (x, y, out) = (rig.upload(&[9i32; 32]), rig.upload(&[2i32; 32]), rig.empty::<i32>(32));
    runs(&rig, "divide", 1, 32, params().with(x).with(y).with(out));
    rig.machine.write(y + 4 * 17, &[0; 4]).expect("inside");
    let fault = fails(
        rig.launch("divide", 1, 32, params().with(x).with(y).with(out)),
        FaultKind::DivisionByZero,
        &["an integer is divided by zero"],
    );
    assert_eq!(fault.site().map(|s| s.thread), Some([17, 0, 0]));
    let (x, y, out) = (rig.upload(&[9i64; 2]), rig.upload(&[2i64, 0]), rig.empty::<i64>(2));
    runs(&rig, "modulo", 1, 1, params().with(x).with(y).with(out));
    fails(rig.launch("modulo", 1, 2, params().with(x).with(y).with(out)), FaultKind::DivisionByZero, &[]);
}

#[test]
fn a_shared_variable_ends_where_the_next_begins() {
    let rig = rig();
    let kernel = rig.module.kernel("neighbours").expect("there");
    // A GPU has no guards: 33 ints, up to a multiple of 64, and 16 doubles.
    assert_eq!(kernel.shared_bytes(), 192 + 128);
    let out = rig.empty::<i32>(32);
    let run = |at: i32| {
        let params = params().with(out).with(at);
        let launch = Launch { block: [32, 1, 1], shared_bytes: 128, params: &params.0, ..Launch::default() };
        rig.machine.launch(&kernel, &launch)
    };
    run(32).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<i32>(out, 32), [1 + 2 + 3; 32]);
    for at in [33, 34, 48, -2, -3] {
        fails(run(at), FaultKind::OutOfBounds, &["of shared memory are in no variable"]);
    }
}

#[test]
fn atomics_on_uninitialised_memory() {
    let rig = rig();
    let (p, out) = (rig.empty::<i32>(1), rig.empty::<i32>(32));
    runs(&rig, "counted", 1, 32, params().with(p).with(out));
    rejects(&rig, p, 4, &["undefined"]);
    rejects(&rig, out, 128, &["undefined"]);
    runs(&rig, "exchanged", 1, 1, params().with(p));
    assert_eq!(rig.download::<i32>(p, 1), [4]);
}

#[test]
fn a_reserve_is_not_what_was_freed() {
    let rig = rig();
    let a = rig.empty::<i32>(64);
    rig.machine.mark(a, 256, Mark::Freed).expect("inside");
    let out = rig.upload(&[0i32; 64]);
    let run = || rig.launch("branch", 1, 1, params().with(a).with(out));
    fails(run(), FaultKind::OutOfBounds, &["never allocated"]);
    let read = rig.machine.read(a, &mut [0; 4]).expect_err("never allocated");
    assert_eq!(read.kind(), FaultKind::OutOfBounds, "{read}");
    rig.machine.mark(a, 256, Mark::Fresh).expect("inside");
    fails(run(), FaultKind::Unwritten, &["never written"]);
    rig.machine.mark(a, 256, Mark::Freed).expect("inside");
    fails(run(), FaultKind::UseAfterFree, &["were freed"]);
}
