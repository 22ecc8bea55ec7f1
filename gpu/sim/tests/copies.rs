//! Tests of asynchronous copies and mbarriers: their results, and the faults of a missing wait.

mod common;

use common::{Params, Rig};
use cuprum_sim::{Config, FaultKind};

fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
         .visible .entry k(.param .u64 from, .param .u64 to, .param .u32 n) {{
           .reg .pred %p<4>; .reg .b32 %r<20>, %t, %s, %m, %n; .reg .b64 %a, %d, %x<8>;
           .shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 gate;
           ld.param.u64 %a, [from]; ld.param.u64 %d, [to]; ld.param.u32 %n, [n];
           mov.u32 %t, %tid.x; mov.u32 %m, gate; mov.u32 %s, tile;
           mul.wide.u32 %x0, %t, 16; add.u64 %a, %a, %x0; add.u64 %d, %d, %x0;
           shl.b32 %r0, %t, 4; add.u32 %s, %s, %r0;
           {body}
           ret;
         }}"
    )
}

/// Reads of a thread from its own part of shared memory, or from its neighbour's.
const OWN: &str = "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%s]; st.global.v4.b32 [%d], {%r1, %r2, %r3, %r4};";
const OTHER: &str = "xor.b32 %r0, %r0, 16; mov.u32 %s, tile; add.u32 %s, %s, %r0;
     ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%s]; st.global.v4.b32 [%d], {%r1, %r2, %r3, %r4};";

fn run(body: &str, threads: u32, n: u32) -> Result<Vec<u8>, cuprum_sim::Fault> {
    let rig = Rig::with(&kernel(body), Config { max_instructions: 100_000, ..Config::default() });
    let bytes: Vec<u8> = (0..16 * threads).map(|i| (i % 251) as u8 + 1).collect();
    let (from, to) = (rig.upload(&bytes), rig.empty::<u8>(bytes.len()));
    rig.launch("k", 1, threads, Params::default().with(from).with(to).with(n))?;
    Ok(rig.download(to, bytes.len()))
}

fn given(threads: usize) -> Vec<u8> {
    (0..16 * threads).map(|i| (i % 251) as u8 + 1).collect()
}

#[test]
fn copies_bring_what_they_say() {
    let whole = "cp.async.cg.shared.global [%s], [%a], 16; cp.async.wait_all;";
    assert_eq!(run(&format!("{whole} {OWN}"), 32, 0).unwrap(), given(32));
    // Of 16 bytes 6 are read, by a constant and by a register.
    let part =
        |n: usize| -> Vec<u8> { given(32).iter().enumerate().map(|(i, &b)| if i % 16 < n { b } else { 0 }).collect() };
    for size in ["6", "%n"] {
        let body = format!("cp.async.ca.shared.global.L2::128B [%s], [%a], 16, {size}; cp.async.wait_all; {OWN}");
        assert_eq!(run(&body, 32, 6).unwrap(), part(6), "{size}");
    }
    // A predicate suppresses the whole read.
    let body =
        format!("setp.ne.u32 %p0, %n, 0; cp.async.ca.shared.global [%s], [%a], 16, %p0; cp.async.wait_all; {OWN}");
    assert_eq!(run(&body, 32, 1).unwrap(), part(0));
    assert_eq!(run(&body, 32, 0).unwrap(), given(32));
    // In parts.
    let body = format!(
        "cp.async.ca.shared.global [%s], [%a], 4; cp.async.ca.shared.global [%s+4], [%a+4], 4;
         cp.async.ca.shared.global [%s+8], [%a+8], 8; cp.async.commit_group; cp.async.wait_group 0; {OWN}"
    );
    assert_eq!(run(&body, 32, 0).unwrap(), given(32));
    let fault = run(&format!("cp.async.ca.shared.global [%s], [%a], 8, %n; {OWN}"), 32, 9).unwrap_err();
    assert!(fault.to_string().contains("cp.async is to read 9 bytes, of 8"), "{fault}");
}

#[test]
fn what_is_read_before_its_wait_is_a_fault() {
    let two = "cp.async.cg.shared.global [%s], [%a], 16; cp.async.commit_group;
         cp.async.cg.shared.global [%s+1024], [%a], 16; cp.async.commit_group;";
    let after = |wait: &str, end: &str| run(&format!("{two} {wait} {end}"), 32, 0);
    for missing in ["", "cp.async.wait_group 2;", "bar.sync 0;"] {
        let fault = after(missing, OWN).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::MissingWait, "{missing}: {fault}");
        assert!(fault.to_string().contains("has not been waited for (cp.async.wait_group"), "{fault}");
    }
    assert_eq!(after("cp.async.wait_group 1;", OWN).unwrap(), given(32));
    // The second group is still pending, and a write to its target is a fault as well.
    let fault = after("cp.async.wait_group 1;", "st.shared.b32 [%s+1024], %t;").unwrap_err();
    assert_eq!(fault.kind(), FaultKind::MissingWait, "{fault}");
    assert!(fault.to_string().contains("are written here"), "{fault}");
    // For another thread, a barrier has to follow the wait.
    let fault = after("cp.async.wait_all;", OTHER).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::SharedRace, "{fault}");
    assert!(after("cp.async.wait_all; bar.warp.sync -1;", OTHER).is_ok());
    let fault = after("bar.sync 0; cp.async.wait_all;", OTHER).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::SharedRace, "{fault}");
}

/// Initialises an mbarrier of 64 arrivals, and arrives.
const GATE: &str = "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [%m], 64; bar.sync 0;";

#[test]
fn mbarriers_order_threads() {
    let store = "st.shared.v4.b32 [%s], {%t, %t, %t, %t};";
    let by_state =
        "mbarrier.arrive.shared.b64 %x1, [%m]; L0: mbarrier.test_wait.shared.b64 %p1, [%m], %x1; @!%p1 bra L0;";
    let by_parity =
        "mbarrier.arrive.shared.b64 _, [%m]; L0: mbarrier.test_wait.parity.shared.b64 %p1, [%m], 0; @!%p1 bra L0;";
    let across = OTHER.replace("xor.b32 %r0, %r0, 16", "xor.b32 %r0, %r0, 512");
    for wait in [by_state, by_parity] {
        let got = run(&format!("{GATE} {store} {wait} {across}"), 64, 0).unwrap();
        assert!(
            got.chunks(4).enumerate().all(|(i, w)| u32::from_le_bytes(w.try_into().unwrap()) == (i as u32 / 4) ^ 32)
        );
    }
    // Without the wait it is a race.
    let fault = run(&format!("{GATE} {store} mbarrier.arrive.shared.b64 _, [%m]; {across}"), 64, 0).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::SharedRace, "{fault}");
    // Copies that arrive by themselves.
    for (arrive, more) in [
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [%m];", ""),
        ("cp.async.mbarrier.arrive.shared.b64 [%m];", "mbarrier.arrive.shared.b64 _, [%m];"),
    ] {
        let body = format!(
            "{GATE} cp.async.cg.shared.global [%s], [%a], 16; {arrive} {more}
             L0: mbarrier.test_wait.parity.shared.b64 %p1, [%m], 0; @!%p1 bra L0; {across}"
        );
        let got = run(&body, 64, 0).unwrap();
        assert_eq!(got[..512], given(64)[512..]);
    }
    // Without its arrival, a copy is pending whatever the phases are.
    let body = format!("{GATE} cp.async.cg.shared.global [%s], [%a], 16; {by_state} {across}");
    assert_eq!(run(&body, 64, 0).unwrap_err().kind(), FaultKind::MissingWait);
}

#[test]
fn mbarriers_count_phases() {
    // The number missing before each arrival; one that does not arrive again; the phase of a state.
    let body = "setp.ne.u32 %p0, %t, 0; @%p0 ret; mbarrier.init.shared.b64 [%m], 3;
         mbarrier.arrive.noComplete.shared.b64 %x1, [%m], 2; mbarrier.pending_count.b64 %r1, %x1;
         mbarrier.arrive_drop.shared.b64 %x2, [%m]; mbarrier.pending_count.b64 %r2, %x2;
         mbarrier.test_wait.shared.b64 %p1, [%m], %x2; selp.u32 %r3, 1, 0, %p1;
         mbarrier.arrive.shared.b64 %x3, [%m]; mbarrier.pending_count.b64 %r4, %x3;
         st.global.v4.b32 [%d], {%r1, %r2, %r3, %r4}; mbarrier.inval.shared.b64 [%m];";
    let rig = Rig::new(&kernel(body));
    let to = rig.empty::<u32>(4);
    rig.launch("k", 1, 32, Params::default().with(0u64).with(to).with(0u32)).unwrap();
    assert_eq!(rig.download::<u32>(to, 4), [3, 1, 1, 2]);
    let alone = "setp.ne.u32 %p0, %t, 0; @%p0 ret;";
    for (body, words) in [
        ("mbarrier.arrive.shared.b64 _, [%m];", "is no mbarrier"),
        ("mbarrier.init.shared.b64 [%m], 0;", "an mbarrier of 0 arrivals"),
        ("mbarrier.init.shared.b64 [%m], 1; mbarrier.arrive.noComplete.shared.b64 _, [%m], 1;", "completes phase 0"),
        ("mbarrier.init.shared.b64 [%m], 1; mbarrier.arrive.noComplete.shared.b64 _, [%m], 2;", "lacks 1 of 1"),
        (
            "mbarrier.init.shared.b64 [%m], 1; mbarrier.arrive.shared.b64 %x1, [%m]; mbarrier.arrive.shared.b64 %x2, [%m];
             mbarrier.test_wait.shared.b64 %p1, [%m], %x1;",
            "is in phase 2, and the state that is waited for is of phase 0",
        ),
        (
            "mbarrier.init.shared.b64 [%m], 2; L0: mbarrier.test_wait.parity.shared.b64 %p1, [%m], 0; @!%p1 bra L0;",
            "it waits for the mbarrier at",
        ),
    ] {
        let fault = run(&format!("{alone} {body}"), 32, 0).unwrap_err();
        assert!(fault.to_string().contains(words), "{body}: {fault}");
    }
    // A new mbarrier is not visible to other threads without a barrier.
    let fault = run(&GATE.replace("bar.sync 0;", "mbarrier.arrive.shared.b64 _, [%m];"), 64, 0).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::SharedRace, "{fault}");
}

#[test]
fn faults_name_the_source_and_the_argument() {
    let text = format!(
        "{}\n.file 1 \"/home/someone/raw.cu\"\n//.cuprum line 1 7   y = x[i + 4];\n//.cuprum arguments k x out n\n",
        kernel("\n.loc 1 7 3\nld.global.b32 %r1, [%a+16];\n.loc 1 8 1\nst.global.b32 [%d], %r1;")
    );
    let rig = Rig::new(&text);
    let (from, to) = (rig.empty::<u8>(64), rig.empty::<u8>(64));
    let fault = rig.launch("k", 1, 4, Params::default().with(from).with(to).with(0u32)).unwrap_err();
    let message = fault.to_string();
    assert_eq!(fault.kind(), FaultKind::OutOfBounds);
    assert!(message.contains("raw.cu:7 `y = x[i + 4];`, PTX line"), "{message}");
    assert!(message.contains("0 bytes beyond the end of the memory of argument `x`, which has 64 bytes"), "{message}");
}
