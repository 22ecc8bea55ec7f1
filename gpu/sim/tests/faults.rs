//! Tests of every check, on a kernel that violates it, and on a similar one that does not.

mod common;

use std::sync::Mutex;

use common::{Params, Rig};
use cuprum_sim::{Config, Fault, FaultKind, Launch, Machine, Mark};

fn rig() -> Rig {
    Rig::new(include_str!("ptx/faults.ptx"))
}

#[track_caller]
fn expect(result: Result<cuprum_sim::Stats, Fault>, kind: FaultKind) -> Fault {
    let fault = result.expect_err("a fault");
    assert_eq!(fault.kind(), kind, "{fault}");
    fault
}

/// Returns the address of the first undefined byte, as the fault of a copy to the host names it.
#[track_caller]
fn undefined(rig: &Rig, addr: u64, bytes: usize) -> u64 {
    let fault = rig.machine.read(addr, &mut vec![0; bytes]).expect_err("undefined bytes");
    assert_eq!(fault.kind(), FaultKind::Unwritten, "{fault}");
    let text = fault.to_string();
    let at = text.split("the one at 0x").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address");
    u64::from_str_radix(at, 16).expect("a hexadecimal number")
}

#[test]
fn a_fault_says_where_it_happened() {
    let rig = rig();
    let (a, b) = (rig.upload(&[0i32; 100]), rig.empty::<i32>(200));
    let fault =
        expect(rig.launch("copy", 4, 50, Params::default().with(a).with(b).with(120i32)), FaultKind::OutOfBounds);
    let site = fault.site().expect("a kernel's fault has a location");
    assert_eq!(site.kernel, "copy");
    assert_eq!((site.block, site.thread), ([2, 0, 0], [0, 0, 0]));
    let text = include_str!("ptx/faults.ptx");
    let line = text.lines().nth(site.line as usize - 1).expect("a line of the text");
    assert!(line.contains("ld.global"), "{line}");
    for part in ["copy", "PTX line", "block (2, 0, 0)", "thread (0, 0, 0)"] {
        assert!(fault.to_string().contains(part), "{fault}");
    }
}

#[test]
fn stores_beyond_an_allocation_and_to_nowhere() {
    let rig = rig();
    let (a, b) = (rig.upload(&[0i32; 100]), rig.empty::<i32>(99));
    expect(rig.launch("copy", 1, 100, Params::default().with(a).with(b).with(100i32)), FaultKind::OutOfBounds);
    expect(rig.launch("copy", 1, 100, Params::default().with(a).with(0u64).with(100i32)), FaultKind::OutOfBounds);
    assert!(rig.launch("copy", 1, 100, Params::default().with(a).with(b).with(99i32)).is_ok());
}

#[test]
fn misaligned() {
    let rig = rig();
    let (a, b) = (rig.upload(&[0i32; 100]), rig.empty::<i32>(32));
    let fault = expect(rig.launch("odd", 1, 32, Params::default().with(a).with(b)), FaultKind::Misaligned);
    assert_eq!(fault.site().map(|s| s.thread), Some([1, 0, 0]));
}

#[test]
fn freed_memory() {
    let rig = rig();
    let (a, b) = (rig.upload(&[0i32; 100]), rig.empty::<i32>(100));
    rig.machine.free(a).expect("it is live");
    expect(rig.launch("copy", 1, 32, Params::default().with(a).with(b).with(32i32)), FaultKind::UseAfterFree);
    assert_eq!(rig.machine.free(a).expect_err("freed twice").kind(), FaultKind::UseAfterFree);
    assert_eq!(rig.machine.read(a, &mut [0; 4]).expect_err("freed").kind(), FaultKind::UseAfterFree);
}

#[test]
fn ranges_that_a_pool_took_back() {
    let rig = rig();
    let (a, b) = (rig.upload(&[1i32; 512]), rig.empty::<i32>(512));
    rig.machine.mark(a + 256, 256, Mark::Freed).expect("inside");
    assert!(rig.launch("copy", 1, 64, Params::default().with(a).with(b).with(64i32)).is_ok());
    expect(rig.launch("copy", 1, 128, Params::default().with(a).with(b).with(65i32)), FaultKind::UseAfterFree);
    expect(rig.launch("copy", 1, 128, Params::default().with(b).with(a + 256).with(1i32)), FaultKind::UseAfterFree);
    assert_eq!(rig.machine.write(a + 300, &[0]).expect_err("freed").kind(), FaultKind::UseAfterFree);
    rig.machine.mark(a + 256, 256, Mark::Fresh).expect("inside");
    // Copying uninitialised memory is no fault; depending on it is.
    assert!(rig.launch("copy", 1, 128, Params::default().with(a).with(b).with(65i32)).is_ok());
    assert_eq!(undefined(&rig, b, 260), b + 256);
    assert!(rig.launch("copy", 1, 1, Params::default().with(b).with(a + 256).with(1i32)).is_ok());
}

#[test]
fn uninitialised_bytes() {
    let rig = rig();
    let (a, b) = (rig.empty::<i32>(100), rig.empty::<i32>(100));
    rig.machine.write(a, &[1; 41]).expect("fits");
    assert!(rig.launch("copy", 1, 32, Params::default().with(a).with(b).with(32i32)).is_ok());
    // Of the eleventh element one byte is defined; it stays so.
    assert_eq!(rig.download::<u8>(b, 41), [1; 41]);
    assert_eq!(undefined(&rig, b, 42), b + 41);
    // Copies include the marks.
    let c = rig.empty::<i32>(100);
    rig.machine.copy(c, a, 100).expect("inside");
    assert_eq!(rig.download::<u8>(c, 41), [1; 41]);
    assert_eq!(undefined(&rig, c, 100), c + 41);
}

#[test]
fn uninitialised_shared_and_local_memory() {
    let rig = rig();
    let b = rig.empty::<i32>(64);
    rig.launch("unwritten", 1, 64, Params::default().with(b)).expect("nothing depends on it yet");
    assert_eq!(undefined(&rig, b, 256), b);
    // The writes of one block are not initialisation for the next.
    let rig = Rig::with(include_str!("ptx/faults.ptx"), Config { threads: 1, ..Config::default() });
    let b = rig.empty::<i32>(64);
    assert!(rig.launch("raceless", 3, 64, Params::default().with(b)).is_ok());
    rig.launch("unwritten", 2, 64, Params::default().with(b)).expect("nothing depends on it yet");
    assert_eq!(undefined(&rig, b, 256), b);
    rig.machine.write(b, &[0; 4]).expect("fits");
    rig.launch("local_unwritten", 1, 1, Params::default().with(b).with(5i32)).expect("nothing depends on it yet");
    assert_eq!(undefined(&rig, b, 4), b);
}

#[test]
fn shared_memory_has_an_end() {
    let rig = rig();
    let b = rig.empty::<i32>(64);
    let params = |i: i32| Params::default().with(b).with(i);
    expect(rig.launch("beyond_shared", 1, 1, params(1 << 20)), FaultKind::OutOfBounds);
    expect(rig.launch("beyond_shared", 1, 1, params(-1)), FaultKind::OutOfBounds);
    assert!(rig.launch("beyond_shared", 1, 1, params(7)).is_ok());
}

#[test]
fn races_on_shared_memory() {
    let rig = rig();
    let b = rig.empty::<i32>(64);
    // Which of the two it is depends on the order of execution.
    let fault = rig.launch("race", 1, 64, Params::default().with(b)).expect_err("no barrier");
    assert!(matches!(fault.kind(), FaultKind::SharedRace | FaultKind::Unwritten), "{fault}");
    expect(rig.launch("reuse_race", 1, 64, Params::default().with(b)), FaultKind::SharedRace);
    expect(rig.launch("late_read", 1, 64, Params::default().with(b)), FaultKind::SharedRace);
    expect(rig.launch("warprace", 1, 32, Params::default().with(b)), FaultKind::SharedRace);
    for kernel in ["raceless", "reuse", "counter", "flag"] {
        for seed in 0..4 {
            let rig = Rig::with(include_str!("ptx/faults.ptx"), Config { seed: Some(seed), ..Config::default() });
            let b = rig.empty::<i32>(64);
            rig.launch(kernel, 2, 64, Params::default().with(b)).unwrap_or_else(|e| panic!("{kernel}: {e}"));
        }
    }
    assert_eq!(rig.launch("raceless", 1, 64, Params::default().with(b)).map(|_| ()), Ok(()));
    assert_eq!(rig.download::<i32>(b, 64), (0..64).rev().collect::<Vec<_>>());
    rig.launch("warpsync", 1, 64, Params::default().with(b)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<i32>(b, 64), (0..64).map(|i| ((i ^ 3) ^ 1) * 2).collect::<Vec<_>>());
}

#[test]
fn barriers_that_not_all_come_to() {
    let rig = rig();
    let b = rig.upload(&[0i32; 128]);
    for (kernel, threads) in
        [("half_warp", 32), ("half_warp", 64), ("one_warp", 64), ("two_barriers", 64), ("uneven", 96)]
    {
        let fault = expect(rig.launch(kernel, 1, threads, Params::default().with(b)), FaultKind::BarrierDivergence);
        assert!(fault.site().is_some());
    }
}

#[test]
fn threads_that_return_early_are_not_waited_for() {
    let rig = rig();
    let b = rig.upload(&[9i32; 128]);
    for n in [3, 32, 40, 64, 128] {
        rig.launch("early", 1, 128, Params::default().with(b).with(n)).unwrap_or_else(|e| panic!("{n}: {e}"));
        assert_eq!(rig.download::<i32>(b, n as usize), vec![2; n as usize]);
    }
}

#[test]
fn what_never_ends_is_stopped() {
    let config = Config { max_instructions: 100_000, ..Config::default() };
    let rig = Rig::with(include_str!("ptx/faults.ptx"), config);
    let b = rig.upload(&[0i32]);
    expect(rig.launch("forever", 2, 32, Params::default().with(b)), FaultKind::Watchdog);
}

#[test]
fn what_never_ends_is_interrupted() {
    let rig = Rig::with(include_str!("ptx/faults.ptx"), Config { threads: 3, ..Config::default() });
    let kernel = rig.module.kernel("forever").expect("there");
    let params = rig.upload(&[0i32]).to_le_bytes();
    for blocks in [1, 2, 7] {
        for together in [false, true] {
            let asked = std::cell::Cell::new(0);
            let wish = || {
                asked.set(asked.get() + 1);
                asked.get() == 3
            };
            let launch = Launch { grid: [blocks, 1, 1], params: &params, interrupt: Some(&wish), ..Launch::default() };
            let ran = if together {
                rig.machine.launch_together(&kernel, &launch)
            } else {
                rig.machine.launch(&kernel, &launch)
            };
            let fault = expect(ran, FaultKind::Interrupted);
            assert!(fault.to_string().contains("forever"), "{fault}");
            assert_eq!(asked.get(), 3);
        }
    }
}

#[test]
fn lanes_may_wait_for_each_other() {
    let rig = rig();
    let (lock, b) = (rig.upload(&[0i32]), rig.upload(&[0i32]));
    rig.launch("spin", 4, 64, Params::default().with(lock).with(b)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<i32>(b, 1), [256]);
    rig.launch("handshake", 1, 32, Params::default().with(lock).with(b)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<i32>(b, 1), [7]);
}

#[test]
fn trap_assert_and_printf() {
    let rig = rig();
    let fault = expect(rig.launch("trapping", 1, 32, Params::default().with(1i32)), FaultKind::Trap);
    assert_eq!(fault.site().map(|s| s.thread), Some([5, 0, 0]));
    assert!(rig.launch("trapping", 1, 32, Params::default().with(0i32)).is_ok());
    let fault = expect(rig.launch("asserting", 1, 32, Params::default().with(20i32)), FaultKind::Assert);
    assert_eq!(fault.site().map(|s| s.thread), Some([20, 0, 0]));
    assert!(fault.to_string().contains("x + (int)threadIdx.x < 40"), "{fault}");
    rig.launch("printing", 1, 2, Params::default().with(3i32)).unwrap_or_else(|e| panic!("{e}"));
    let line = |i| format!("i={i} x= 4.50 s=abc l=-123456789012 u=7 h=ff c=z e=1.235e+04 g=0.0001 %\n");
    assert_eq!(*rig.printed.lock().expect("no panic"), line(0) + &line(1));
}

#[test]
fn widths_that_printf_reads_are_bounded() {
    let format = b"%*d|%*d|%*d\0";
    let arguments: Vec<u8> = [6, 42, -6, 42, i32::MAX, 7].iter().flat_map(|n: &i32| n.to_le_bytes()).collect();
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n\
         .global .align 1 .b8 format[{}] = {{{}}};\n.global .align 8 .b8 arguments[{}] = {{{}}};\n\
         .visible .entry k() {{\n.reg .b64 %rd<3>;\nmov.u64 %rd1, format;\nmov.u64 %rd2, arguments;\n\
         {{ .param .b64 p0; st.param.b64 [p0], %rd1; .param .b64 p1; st.param.b64 [p1], %rd2; .param .b32 q;\n\
         call.uni (q), vprintf, (p0, p1); }}\nret;\n}}\n",
        format.len(),
        list(format),
        arguments.len(),
        list(&arguments),
    );
    let machine = Machine::new(Config::default());
    let kernel = machine.load(&text).expect("correct").kernel("k").expect("there");
    let printed = Mutex::new(String::new());
    let print = |text: &str| printed.lock().expect("no panic while printing").push_str(text);
    machine.launch(&kernel, &Launch { output: Some(&print), ..Launch::default() }).expect("no fault");
    // A negative width aligns to the left, as in C.
    assert_eq!(*printed.lock().expect("no panic"), format!("    42|42    |{:>1000}", 7));
}

#[test]
fn launches_that_no_device_takes() {
    let rig = rig();
    let b = rig.upload(&[0i32; 64]);
    let kernel = rig.module.kernel("raceless").expect("there");
    let params = b.to_le_bytes();
    let base = Launch { params: &params, block: [64, 1, 1], ..Launch::default() };
    assert!(rig.machine.launch(&kernel, &base).is_ok());
    for launch in [
        Launch { grid: [0, 1, 1], ..base },
        Launch { block: [2048, 1, 1], ..base },
        Launch { block: [0, 1, 1], ..base },
        Launch { params: &params[..4], ..base },
        Launch { shared_bytes: (48 << 10) + 1, ..base },
    ] {
        expect(rig.machine.launch(&kernel, &launch), FaultKind::BadLaunch);
    }
    let small = Machine::new(Config { memory_limit: 1000, ..Config::default() });
    assert_eq!(small.alloc(1001).expect_err("too much").kind(), FaultKind::OutOfMemory);
    let held = small.alloc(1000).expect("all of it");
    assert_eq!(small.alloc(1).expect_err("full").kind(), FaultKind::OutOfMemory);
    small.free(held).expect("live");
    assert!(small.alloc(1000).is_ok());
}

#[test]
fn text_that_is_not_known_is_named() {
    let machine = Machine::new(Config::default());
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\nfrobnicate.u32 %r1, %r2;\n}";
    let error = machine.load(text).expect_err("no such instruction");
    assert_eq!(error.line, 7);
    assert!(error.message.contains("frobnicate.u32"), "{error}");
}

#[test]
fn a_kernel_with_more_static_shared_memory_than_a_gpu_gives_does_not_load() {
    let machine = Machine::new(Config::default());
    let text = |bytes: u32| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry big()\n{{\n\
             .shared .align 4 .b8 part[{bytes}];\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\nst.shared.u32 [part], %r1;\nret;\n}}"
        )
    };
    let fits = machine.load(&text(48 << 10)).expect("what every GPU takes").kernel("big").expect("there");
    assert!(machine.launch(&fits, &Launch::default()).is_ok());
    // Static and dynamic shared memory count together.
    expect(machine.launch(&fits, &Launch { shared_bytes: 4, ..Launch::default() }), FaultKind::BadLaunch);
    let error = machine.load(&text((48 << 10) + 4)).expect_err("more than any GPU gives");
    for part in ["big", "49156", "49152"] {
        assert!(error.message.contains(part), "{error}");
    }
}

#[test]
fn launches_from_several_threads_share_the_workers() {
    let rig = rig();
    let kernel = rig.module.kernel("raceless").expect("there");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let params = rig.upload(&[0i32; 64]).to_le_bytes();
                let launch = Launch { params: &params, block: [64, 1, 1], grid: [3, 1, 1], ..Launch::default() };
                for _ in 0..200 {
                    rig.machine.launch(&kernel, &launch).expect("no fault");
                }
            });
        }
    });
}
