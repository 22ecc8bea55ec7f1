use super::*;

/// Calls with any handle: the simulator rejects one that is not live.
impl Sim {
    fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::stream_destroy(self, stream) }
    }

    fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::stream_synchronize(self, stream) }
    }

    fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::stream_wait(self, stream, event) }
    }

    fn event_destroy(&self, event: usize) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::event_destroy(self, event) }
    }

    fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::event_record(self, event, stream) }
    }

    fn event_query(&self, event: usize) -> Result<bool> {
        // SAFETY: handles are checked.
        unsafe { Driver::event_query(self, event) }
    }

    fn event_synchronize(&self, event: usize) -> Result<()> {
        // SAFETY: handles are checked.
        unsafe { Driver::event_synchronize(self, event) }
    }

    fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        // SAFETY: handles are checked.
        unsafe { Driver::event_elapsed_ms(self, start, end) }
    }
}

/// `next` stores one more than `*from` to `*to`.
const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry next(.param .u64 to, .param .u64 from) {
  .reg .b64 %rd<2>; .reg .b32 %r<1>;
  ld.param.u64 %rd0, [from];
  ld.global.u32 %r0, [%rd0];
  add.s32 %r0, %r0, 1;
  ld.param.u64 %rd1, [to];
  st.global.u32 [%rd1], %r0;
  ret;
}
";

/// A simulated device with the kernel, and two streams.
struct Bench {
    sim: Sim,
    next: Function,
    streams: [StreamHandle; 2],
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let sim = Sim::with_order(Config::default(), seed);
        let module = sim.load(PTX.as_bytes()).unwrap();
        let next = sim.function(module, "next").unwrap();
        let streams = [(); 2].map(|()| sim.stream_create().unwrap());
        Bench { sim, next, streams }
    }

    fn int(&self, value: i32) -> u64 {
        let addr = self.sim.alloc(4).unwrap();
        self.set(addr, value, DEFAULT).unwrap();
        addr
    }

    fn set(&self, addr: u64, value: i32, stream: StreamHandle) -> Result<()> {
        // SAFETY: the simulator rejects what is not live memory.
        unsafe { self.sim.upload(addr, &value.to_le_bytes(), stream) }
    }

    fn get(&self, addr: u64, stream: StreamHandle) -> Result<i32> {
        let mut bytes = [0; 4];
        // SAFETY: as above.
        unsafe { self.sim.download(&mut bytes, addr, stream) }.map(|()| i32::from_le_bytes(bytes))
    }

    fn next(&self, to: u64, from: u64, stream: StreamHandle) -> Result<()> {
        let params: Vec<u8> = [to, from].iter().flat_map(|p| p.to_le_bytes()).collect();
        // SAFETY: as above; the parameters are the kernel's.
        unsafe { self.sim.launch(self.next, [1; 3], [1; 3], 0, stream, &params) }
    }

    /// Sets the mark that a pool sets when it allocates memory.
    fn take(&self, addr: u64, stream: StreamHandle) {
        self.sim.mark(addr, 4, Mark::Fresh, stream).unwrap();
    }

    /// Sets the mark that a pool sets when memory is freed.
    fn give(&self, addr: u64, stream: StreamHandle) {
        self.sim.mark(addr, 4, Mark::Freed, stream).unwrap();
    }

    /// Records an event after the work of one stream, for which another waits.
    fn order(&self, first: StreamHandle, then: StreamHandle) {
        let event = self.sim.event_create().unwrap();
        self.sim.event_record(event, first).unwrap();
        self.sim.stream_wait(then, event).unwrap();
        self.sim.event_destroy(event).unwrap();
    }
}

#[test]
fn a_missing_dependency_between_streams_gives_wrong_values_under_some_seed_and_none_with_an_event() {
    let run = |seed: u64, ordered: bool| {
        let bench = Bench::new(seed);
        let [s, t] = bench.streams;
        let (x, y, z) = (bench.int(1), bench.int(50), bench.int(0));
        bench.next(y, x, s).unwrap();
        if ordered {
            bench.order(s, t);
        }
        bench.next(z, y, t).unwrap();
        bench.get(z, t).unwrap()
    };
    let mut without: Vec<i32> = (0..8).map(|seed| run(seed, false)).collect();
    assert!((0..8).all(|seed| run(seed, true) == 3));
    without.sort_unstable();
    without.dedup();
    assert_eq!(without, [3, 51], "one order alone was tried");
}

#[test]
fn memory_that_another_stream_still_reads_is_seen_to_be_handed_out() {
    let run = |seed: u64, ordered: bool| -> Result<i32> {
        let bench = Bench::new(seed);
        let [s, t] = bench.streams;
        let (sum, x) = (bench.int(0), bench.sim.alloc(4)?);
        bench.take(x, s);
        bench.set(x, 7, s)?;
        bench.order(s, t);
        for _ in 0..5 {
            bench.next(sum, x, t)?;
        }
        if ordered {
            bench.order(t, s);
        }
        bench.give(x, s);
        bench.take(x, s);
        bench.set(x, 100, s)?;
        bench.next(x, x, s)?;
        assert_eq!(bench.get(x, s)?, 101);
        bench.get(sum, t)
    };
    for seed in 0..32 {
        assert_eq!(run(seed, true).unwrap(), 8, "seed {seed}");
    }
    let without: Vec<Result<i32>> = (0..32).map(|seed| run(seed, false)).collect();
    assert!(without.iter().any(|r| matches!(r, Ok(8))), "{without:?}");
    assert!(without.iter().any(|r| matches!(r, Ok(101 | 102))), "no seed gives a wrong value: {without:?}");
    let freed = |r: &Result<i32>| r.as_ref().is_err_and(|e| e.kind() == ErrorKind::Fault);
    assert!(without.iter().any(freed), "no seed gives a fault: {without:?}");
}

#[test]
fn memory_may_be_freed_and_taken_again_on_the_stream_that_still_uses_it() {
    for seed in 0..16 {
        let bench = Bench::new(seed);
        let [s, t] = bench.streams;
        let blocks = [(); 2].map(|()| bench.sim.alloc(4).unwrap());
        let results: Vec<u64> = (0..20).map(|_| bench.int(0)).collect();
        for (i, result) in results.iter().enumerate() {
            let stream = [s, t][i % 2];
            let x = blocks[i % 2];
            bench.take(x, stream);
            bench.set(x, i as i32, stream).unwrap();
            bench.next(*result, x, stream).unwrap();
            bench.give(x, stream);
        }
        bench.sim.synchronize().unwrap();
        for (i, result) in results.iter().enumerate() {
            assert_eq!(bench.get(*result, DEFAULT).unwrap(), i as i32 + 1);
        }
    }
}

#[test]
fn the_default_stream_waits_for_all_streams_and_they_for_it() {
    for seed in 0..16 {
        let bench = Bench::new(seed);
        let [s, t] = bench.streams;
        let (x, y, z) = (bench.int(1), bench.int(50), bench.int(70));
        bench.next(y, x, s).unwrap();
        bench.next(z, y, DEFAULT).unwrap();
        bench.next(x, z, t).unwrap();
        assert_eq!(bench.get(x, t).unwrap(), 4);
    }
    // Memory of the default stream that another stream uses is reused after that work.
    for seed in 0..16 {
        let bench = Bench::new(seed);
        let [s, t] = bench.streams;
        let (sum, x) = (bench.int(0), bench.sim.alloc(4).unwrap());
        bench.take(x, DEFAULT);
        bench.set(x, 7, DEFAULT).unwrap();
        bench.next(sum, x, s).unwrap();
        bench.give(x, DEFAULT);
        bench.take(x, DEFAULT);
        bench.set(x, 100, t).unwrap();
        assert_eq!([bench.get(sum, s).unwrap(), bench.get(x, DEFAULT).unwrap()], [8, 100]);
    }
}

#[test]
fn a_fault_of_deferred_work_is_reported_once_by_a_call_that_waits_or_queues() {
    let bench = Bench::new(0);
    let [s, t] = bench.streams;
    let small = bench.sim.alloc(4).unwrap();
    let x = bench.int(1);
    let fails = || bench.next(x, small + 4, s).unwrap();
    let check_error = |e: Error| {
        assert_eq!(e.kind(), ErrorKind::Fault);
        for part in ["queued on a stream", "kernel next", "PTX line 8", "block (0, 0, 0), thread (0, 0, 0)"] {
            assert!(e.message().contains(part), "{e} does not say {part}");
        }
    };
    fails();
    check_error(bench.sim.stream_synchronize(s).unwrap_err());
    bench.sim.stream_synchronize(s).unwrap();
    fails();
    check_error(bench.sim.synchronize().unwrap_err());
    fails();
    check_error(bench.get(x, DEFAULT).unwrap_err());
    fails();
    check_error(bench.next(x, x, DEFAULT).unwrap_err());
    fails();
    // A call that cannot report a failure leaves it to the next one.
    bench.sim.stream_destroy(s).unwrap();
    bench.sim.mark(x, 4, Mark::Fresh, t).unwrap();
    // SAFETY: the memory is not used again.
    unsafe { bench.sim.free(small) }.unwrap();
    check_error(bench.set(x, 5, t).unwrap_err());
    bench.set(x, 5, t).unwrap();
    assert_eq!(bench.get(x, t).unwrap(), 5);
}

#[test]
fn a_launch_that_no_gpu_takes_is_rejected_by_the_call_on_every_stream() {
    let bench = Bench::new(0);
    for stream in [DEFAULT, bench.streams[0]] {
        // SAFETY: the launch is rejected.
        let e = unsafe { bench.sim.launch(bench.next, [1; 3], [2048, 1, 1], 0, stream, &[0; 16]) }.unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Driver);
        assert!(e.message().contains("2048"), "{e}");
    }
}

#[test]
fn events_are_reached_in_time_and_leave_nothing_behind() {
    let bench = Bench::new(0);
    let sim = &bench.sim;
    let [s, t] = bench.streams;
    let (x, y) = (bench.int(1), bench.int(1));
    for _ in 0..100 {
        bench.order(s, t);
    }
    assert_eq!(sim.late.lock().unwrap().events.len(), 0);
    let [start, end] = [(); 2].map(|()| sim.event_create().unwrap());
    assert!(sim.event_query(end).unwrap(), "an event that was never recorded");
    assert!(sim.event_elapsed_ms(start, end).unwrap_err().message().contains("never recorded"));
    sim.event_record(start, s).unwrap();
    for _ in 0..20 {
        bench.next(y, x, s).unwrap();
    }
    sim.event_record(end, s).unwrap();
    assert!(!sim.event_query(end).unwrap());
    assert!(sim.event_elapsed_ms(start, end).unwrap_err().message().contains("has not been reached"));
    assert!((0..20).any(|_| sim.event_query(end).unwrap()), "asking again and again does not end");
    assert!(sim.event_elapsed_ms(start, end).unwrap() >= 0.0);
    bench.next(x, x, t).unwrap();
    sim.event_record(end, t).unwrap();
    sim.event_synchronize(end).unwrap();
    assert!(sim.event_query(end).unwrap());
    sim.event_destroy(end).unwrap();
    assert!(sim.event_record(end, s).unwrap_err().message().contains("an event is invalid"));
}

#[test]
fn handles_of_another_device_are_rejected() {
    let (bench, other) = (Bench::new(0), Bench::new(0));
    let x = bench.int(1);
    assert!(bench.set(x, 2, other.streams[0]).unwrap_err().message().contains("a stream is invalid"));
    assert!(bench.sim.stream_synchronize(other.streams[0]).is_err());
    let event = other.sim.event_create().unwrap();
    assert!(bench.sim.stream_wait(bench.streams[0], event).is_err());
}

#[test]
fn a_function_has_one_handle_and_queues_are_bounded() {
    let bench = Bench::new(0);
    let module = bench.sim.load(PTX.as_bytes()).unwrap();
    let handles = [(); 3].map(|()| bench.sim.function(module, "next").unwrap());
    assert_eq!(handles, [handles[0]; 3]);
    assert_ne!(handles[0], bench.next, "another module's function");
    let x = bench.int(0);
    for i in 0..2000 {
        bench.next(x, x, bench.streams[i % 2]).unwrap();
        assert!(bench.sim.late.lock().unwrap().queues.len() <= 256);
    }
    bench.sim.synchronize().unwrap();
    assert_eq!(bench.get(x, DEFAULT).unwrap(), 2000);
}
