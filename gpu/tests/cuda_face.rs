//! The public CUDA interface on the device of `CUPRUM_DEVICE`: memory, streams, events, graphs, devices, profiler.
//!
//! `cargo test -p cuprum --test cuda_face -- --nocapture` also prints measurements.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;

use cuprum::cuda::{
    self, Advice, AsyncPool, Device, Event, Graph, ManagedMemory, MemLocation, Memory, MemoryEvent, MemoryHook,
    PinnedPool, Stream, ThreadAllocator, graph, profiler,
};
use cuprum::{Array, DType, ErrorKind, RawParts, Result, fft, full, linalg, random};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

/// Serialises the tests: while one captures a stream, no other may synchronise the device.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
struct Counted([AtomicUsize; 3]);

impl MemoryHook for Counted {
    fn alloc_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        self.0[0].fetch_add(1, Relaxed);
        Ok(())
    }

    fn malloc_postprocess(&self, event: &MemoryEvent) -> Result<()> {
        assert!(event.address != 0 && event.given_bytes >= event.bytes);
        self.0[1].fetch_add(1, Relaxed);
        Ok(())
    }

    fn free_postprocess(&self, _: &MemoryEvent) -> Result<()> {
        self.0[2].fetch_add(1, Relaxed);
        Ok(())
    }
}

#[test]
fn hooks_receive_the_memory_events_of_their_thread() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let counted = Arc::new(Counted::default());
    cuda::with_memory_hook("counted", counted.clone(), || -> Result<()> {
        for _ in 0..3 {
            Memory::new(device, 3 << 20)?;
        }
        let again = cuda::push_memory_hook("counted", counted.clone()).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::Value);
        std::thread::spawn(move || Memory::new(device, 100).map(drop)).join().unwrap()
    })??;
    Memory::new(device, 100)?;
    let [taken, given, freed] = [0, 1, 2].map(|k| counted.0[k].load(Relaxed));
    // In guard mode each array has an allocation of its own.
    let guarded = std::env::var_os("CUPRUM_MEMORY_GUARD").is_some();
    assert!(taken <= 1 || guarded, "the pool asked the device {taken} times for one size");
    assert_eq!((given, freed), (3, 3));
    Ok(())
}

#[test]
fn threads_have_allocators_of_their_own() -> Result<()> {
    let _alone = alone();
    let pool = AsyncPool::new(Device::current()?)?;
    // SAFETY: the pool returns memory of the device that is not in use.
    let (a, b) = unsafe {
        cuda::using_allocator(ThreadAllocator::Own(pool.allocator()), || -> Result<(Array, Array)> {
            let theirs = std::thread::spawn(|| full(10, 1, DType::I32)).join().unwrap()?;
            Ok((full(1000, 2, DType::I32)?, theirs))
        })
    }?;
    assert!(a.is_foreign() && !b.is_foreign());
    assert!(pool.used_bytes()? >= 4000 && pool.reserved_bytes()? >= 4000);
    assert_eq!((&a + 1).to_vec::<i32>()?, [3; 1000]);
    drop(a);
    Device::current()?.synchronize()?;
    full(1, 0, DType::I32)?.to_vec::<i32>()?;
    Device::current()?.synchronize()?;
    assert_eq!(pool.used_bytes()?, 0, "what is dropped has not gone back");
    pool.set_limit(Some(1000));
    assert_eq!(pool.alloc(2000).unwrap_err().kind(), ErrorKind::OutOfMemory);
    pool.trim_to(0)?;
    pool.set_release_threshold(1 << 20)?;
    assert_eq!(pool.release_threshold()?, 1 << 20);
    AsyncPool::usual(Device::current()?)?.make_current()
}

#[test]
fn managed_memory_is_an_arrays() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let memory = Arc::new(ManagedMemory::new(device, 4000)?);
    for advice in [Advice::PreferredLocation, Advice::AccessedBy, Advice::NotAccessedBy, Advice::NoPreferredLocation] {
        memory.advise(advice, MemLocation::Device(device))?;
    }
    memory.prefetch(&device.current_stream(), MemLocation::Device(device))?;
    let parts = RawParts::new(device, memory.pointer(), DType::F32, [1000]);
    // SAFETY: the memory is the array's, and lives as long.
    let a = unsafe { Array::from_raw_parts(parts, memory) }?;
    a.fill(2)?;
    assert_eq!((&a * 2.0).to_vec::<f32>()?, [4.0; 1000]);
    Ok(())
}

#[test]
fn pinned_memory_is_kept() -> Result<()> {
    let _alone = alone();
    let pool = PinnedPool::new(Device::current()?);
    let sizes = [100, 512, 513, 5000];
    let blocks = sizes.map(|bytes| pool.alloc(bytes).unwrap());
    assert_eq!(pool.free_blocks(), 0);
    drop(blocks);
    assert_eq!(pool.free_blocks(), 4);
    let again = pool.alloc(1024)?;
    assert_eq!((again.bytes(), pool.free_blocks()), (1024, 3));
    pool.free_all_blocks();
    assert_eq!(pool.free_blocks(), 0);
    Ok(())
}

#[test]
fn a_full_device_says_what_it_holds_and_goes_on() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let held = full(1 << 20, 1, DType::F32)?;
    let e = Memory::new(device, 1 << 60).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::OutOfMemory);
    for part in ["1152921504606846976 bytes are requested", "the pool holds", "largest free block", "are free"] {
        assert!(e.message().contains(part), "{e}");
    }
    assert_eq!((&held + 1.0).to_vec::<f32>()?[..3], [2.0; 3]);
    Ok(())
}

#[test]
fn the_host_is_called_in_the_order_of_the_stream() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let stream = Stream::with_options(device, true, Stream::priorities(device)?.1)?;
    assert!(stream.is_non_blocking());
    let (sender, received) = mpsc::channel();
    for step in 0..20 {
        stream.with(|| full(1000, step, DType::I32))?;
        let sender = sender.clone();
        stream.launch_host_func(move || sender.send(step).unwrap())?;
    }
    stream.synchronize()?;
    assert!(stream.is_done()?);
    assert_eq!(received.try_iter().collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn events_tell_times_or_do_not() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let stream = Stream::of_thread(device)?;
    let (start, end) = (Event::with_options(device, true, true)?, Event::with_options(device, false, true)?);
    let untimed = Event::with_options(device, true, false)?;
    start.record_on(&stream)?;
    stream.with(|| full(1 << 16, 1, DType::I32))?;
    end.record_on(&stream)?;
    untimed.record_on(&stream)?;
    untimed.synchronize()?;
    end.synchronize()?;
    assert!(end.elapsed_ms_since(&start)? >= 0.0 && untimed.is_done()?);
    Ok(())
}

/// A chain of 20 small calls, eager or captured.
fn chain(x: &Array) -> Result<Array> {
    let mut y = cuprum::add(x, 1.0)?;
    for _ in 0..9 {
        y = cuprum::multiply(&y, 0.5)?;
        y = cuprum::add(&y, x)?;
    }
    cuprum::negative(&y)
}

#[test]
fn graphs_replay_a_chain_of_calls() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let x = full(1000, 1.0, DType::F32)?;
    let (replayed, y) = graph::capture(|| chain(&x))?;
    let nodes = replayed.nodes()?;
    // In a fusing scope, calls are merged into fewer nodes.
    assert!(nodes >= 20 || std::env::var_os("CUPRUM_FUSE").is_some(), "{nodes}");
    replayed.upload(&device.current_stream())?;
    for value in [1.0, 3.0, -2.5] {
        x.fill(value)?;
        replayed.launch()?;
        assert_eq!(y.to_vec::<f32>()?, chain(&x)?.to_vec::<f32>()?);
    }
    let rounds = if device.ordinal().is_some() { 1000 } else { 3 };
    device.synchronize()?;
    let start = Instant::now();
    for _ in 0..rounds {
        replayed.launch()?;
    }
    let each = start.elapsed().as_nanos() as f64 / f64::from(rounds) / nodes as f64;
    device.synchronize()?;
    println!("a graph of {nodes} nodes: {each:.0} ns of the host for each node");
    assert!(replayed.to_dot(0)?.contains("digraph"));
    Ok(())
}

#[test]
fn graphs_capture_reductions_sorts_products_and_uploads() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let host: Vec<f32> = (0..4096).map(|k| ((k * 37) % 101) as f32).collect();
    let x = Array::from_slice(&host, [64, 64])?;
    type Call = fn(&Array) -> Result<Array>;
    let calls: [(&str, Call); 7] = [
        ("sum", |x| cuprum::sum(x, ())),
        ("sum of rows", |x| cuprum::sum(x, 1)),
        ("cumsum", |x| cuprum::cumsum(x, ())),
        ("sort", |x| cuprum::sort(x, ())),
        ("argsort", |x| cuprum::argsort(x, ())),
        ("matmul", |x| cuprum::matmul(x, x)),
        ("upload", |x| cuprum::add(x, &Array::from_slice(&[1.0_f32; 64], 64)?)),
    ];
    for (name, call) in calls {
        let (replayed, y) = graph::capture(|| call(&x)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for step in 0..2 {
            x.assign(&Array::from_slice(&host, [64, 64])?)?;
            if step == 1 {
                x.assign(&cuprum::subtract(&x, 50.0)?)?;
            }
            replayed.launch()?;
            assert_eq!(y.to_bytes()?, call(&x)?.to_bytes()?, "{name}, step {step}");
        }
    }
    device.synchronize()
}

/// Compares results whose rounding depends on the library's order of summation: close, but not bitwise equal.
fn check_close(found: &Array, expected: &Array, what: &str) -> Result<()> {
    let options = cuprum::CloseOptions::new().rtol(1e-4).atol(1e-4);
    assert!(cuprum::allclose(found, expected, options)?, "{what}: {found:?} is not {expected:?}");
    Ok(())
}

#[test]
fn graphs_capture_decompositions_transforms_and_random_numbers() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let host: Vec<f32> = (0..64).map(|k| ((k * 37) % 101) as f32 / 101.0).collect();
    let x = Array::from_slice(&host, [8, 8])?;
    // Symmetric positive definite.
    let even = |x: &Array| {
        cuprum::add(&cuprum::add(x, x.t())?, &cuprum::multiply(&cuprum::eye(8, ())?.astype(DType::F32)?, 20.0)?)
    };
    type Call = Box<dyn Fn(&Array) -> Result<Array>>;
    let calls: [(&str, Call); 11] = [
        ("solve", Box::new(move |x| linalg::solve(&even(x)?, x))),
        ("inv", Box::new(move |x| linalg::inv(&even(x)?))),
        ("det", Box::new(move |x| linalg::det(&cuprum::multiply(&even(x)?, 0.05)?))),
        ("cholesky", Box::new(move |x| linalg::cholesky(&even(x)?, ()))),
        ("qr", Box::new(|x| Ok(linalg::qr(x, ())?.1))),
        ("svdvals", Box::new(|x| linalg::svdvals(x))),
        ("fft", Box::new(|x| fft::fft(x, ()))),
        ("rfft and back", Box::new(|x| fft::irfft(&fft::rfft(x, ())?, ()))),
        ("fft of two axes", Box::new(|x| fft::fft2(x, ()))),
        ("normal", Box::new(|x| cuprum::add(x, &random::default_rng(3)?.standard_normal([8, 8])?))),
        ("permutation", Box::new(|x| random::default_rng(4)?.permutation(x))),
    ];
    for (name, call) in &calls {
        // Libraries initialise themselves at the first call.
        call(&x)?;
        let (replayed, y) = match graph::capture(|| call(&x)) {
            Ok(made) => made,
            Err(e) if device.ordinal().is_some() && e.message().contains("does not do this in a capture") => {
                println!("{name}: {e}");
                continue;
            }
            Err(e) => panic!("{name}: {e}"),
        };
        // The thread's caches of the libraries may be cleared: the graph keeps what it needs.
        fft::config::get_plan_cache()?.clear();
        for step in 0..2 {
            x.assign(&Array::from_slice(&host, [8, 8])?)?;
            if step == 1 {
                x.assign(&cuprum::negative(&x)?)?;
            }
            replayed.launch()?;
            check_close(&y, &call(&x)?, &format!("{name}, step {step}"))?;
        }
        x.assign(&Array::from_slice(&host, [8, 8])?)?;
    }
    device.synchronize()
}

#[test]
fn what_depends_on_values_is_rejected_by_name_in_a_capture() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let x = Array::from_slice(&[3_i64, 0, 1, 3], [4])?;
    let mask = cuprum::greater(&x, 0)?;
    type Call<'a> = Box<dyn Fn() -> Result<()> + 'a>;
    // Eigenvalues of more than 64 rows are computed by the library, in part on the host.
    let (even, large) = (cuprum::eye(8, ())?, cuprum::eye(65, ())?);
    linalg::eigvalsh(&even, ())?;
    graph::capture(|| linalg::eigvalsh(&even, ()).map(drop))?;
    let calls: [(&str, Call<'_>); 11] = [
        ("eigvalsh", Box::new(|| linalg::eigvalsh(&large, ()).map(drop))),
        ("eigvals", Box::new(|| linalg::eigvals(&even).map(drop))),
        ("nonzero", Box::new(|| cuprum::nonzero(&x).map(drop))),
        ("flatnonzero", Box::new(|| cuprum::flatnonzero(&x).map(drop))),
        ("argwhere", Box::new(|| cuprum::argwhere(&x).map(drop))),
        ("unique", Box::new(|| cuprum::unique(&x, ()).map(drop))),
        ("extract", Box::new(|| cuprum::extract(&mask, &x).map(drop))),
        ("compress", Box::new(|| cuprum::compress(&mask, &x, ()).map(drop))),
        ("bincount", Box::new(|| cuprum::bincount(&x, ()).map(drop))),
        ("repeat", Box::new(|| cuprum::repeat(&x, &x, ()).map(drop))),
        ("index", Box::new(|| x.index(cuprum::s![&mask]).map(drop))),
    ];
    for (name, call) in &calls {
        let e = graph::capture(call).map(drop).unwrap_err();
        assert!(
            e.message().starts_with(&format!("{name}: the call waits for the device, which no graph")),
            "{name}: {e}"
        );
        call()?;
    }
    device.synchronize()
}

#[test]
fn a_stream_is_captured_where_it_is_used() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    // Another thread uses the default stream meanwhile and must not wait for the capture.
    let stream = Stream::with_options(device, true, 0)?;
    let x = full(100, 1, DType::I32)?;
    let y = stream.with(|| -> Result<Array> {
        stream.begin_capture()?;
        let y = cuprum::add(&x, 1);
        assert!(stream.is_capturing() && device.current_stream().is_capturing());
        let e = x.to_vec::<i32>().unwrap_err();
        assert!(e.message().starts_with("to_vec: the call waits"), "{e}");
        // Another thread is not affected, even when it reads the same array.
        let (theirs, copy) = (x.clone(), &x);
        let there = std::thread::spawn(move || cuprum::add(&theirs, 5)?.to_vec::<i32>()).join().unwrap()?;
        assert_eq!((there, copy.size()), (vec![6; 100], 100));
        let graph: Graph = stream.end_capture()?;
        graph.launch()?;
        y
    })?;
    assert_eq!(stream.end_capture().unwrap_err().kind(), ErrorKind::Value);
    // An array created by the graph outlives it.
    assert_eq!(y.to_vec::<i32>()?, [2; 100]);
    Ok(())
}

#[test]
fn random_programs_with_graphs_give_what_they_give_one_after_the_other() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let streams: Vec<Stream> = (0..3).map(|_| Stream::with_options(device, true, 0)).collect::<Result<_>>()?;
    for seed in 1..=4_u64 {
        let mut dice = Dice::seed_from_u64(seed);
        // Arrays of one value each, with the value expected if the operations ran in order.
        let mut arrays: Vec<(Array, i64)> =
            (0..6).map(|k| Ok((full(500, k, DType::I64)?, k))).collect::<Result<_>>()?;
        let mut graphs: Vec<(Graph, usize, usize, i64)> = Vec::new();
        for step in 0..80 {
            let [i, j] = [0; 2].map(|_: i32| dice.random_range(0..arrays.len()));
            let stream = &streams[dice.random_range(0..3)];
            match dice.random_range(0..7) {
                0 => {
                    // A graph that sets array j to twice array i plus a number.
                    let add = dice.random_range(0..10) as i64;
                    let (x, y) = (arrays[i].0.clone(), arrays[j].0.clone());
                    let (graph, ()) = graph::capture(|| y.assign(&cuprum::add(&cuprum::multiply(&x, 2)?, add)?))?;
                    graphs.push((graph, i, j, add));
                }
                1 | 2 if !graphs.is_empty() => {
                    let (graph, i, j, add) = &graphs[dice.random_range(0..graphs.len())];
                    graph.launch_on(stream)?;
                    arrays[*j].1 = (arrays[*i].1).wrapping_mul(2).wrapping_add(*add);
                }
                3 if graphs.len() > 4 => {
                    let at = dice.random_range(0..graphs.len());
                    drop(graphs.swap_remove(at));
                }
                4 => {
                    let (x, value) = &arrays[i];
                    let found = stream.with(|| x.to_vec::<i64>())?;
                    assert!(found.iter().all(|v| v == value), "seed {seed}, step {step}: {} is not {value}", found[0]);
                }
                _ => {
                    let sum = arrays[i].1.wrapping_add(arrays[j].1);
                    stream.with(|| arrays[j].0.assign(&cuprum::add(&arrays[i].0, &arrays[j].0)?))?;
                    arrays[j].1 = sum;
                }
            }
        }
        for (k, (x, value)) in arrays.iter().enumerate() {
            assert!(x.to_vec::<i64>()?.iter().all(|v| v == value), "seed {seed}, at the end, array {k}");
        }
    }
    device.synchronize()
}

#[test]
fn devices_tell_what_they_are() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    assert_eq!(device.attribute(10)?, 32);
    assert_eq!(Device::open(&device.info().id)?, device);
    match device.ordinal() {
        Some(_) => {
            assert_eq!(Device::by_pci_bus_id(&device.pci_bus_id()?)?, device);
            assert!(device.limit(0)? > 0);
            device.set_limit(0, device.limit(0)?)?;
        }
        None => {
            assert_eq!(device.limit(0).unwrap_err().kind(), ErrorKind::NotImplemented);
            let other = Device::open("sim:1")?;
            assert!(other != device && other.number() == 1 && !device.can_access_peer(other)?);
            let a = cuprum::arange(0, 6, 1)?;
            let there = a.to_device(other)?;
            assert_eq!(there.device(), other);
            assert_eq!(cuprum::add(&a, &there).unwrap_err().kind(), ErrorKind::Value);
            assert_eq!(other.with(|| cuprum::add(&there, 1))?.to_vec::<i64>()?, [1, 2, 3, 4, 5, 6]);
        }
    }
    Ok(())
}

#[test]
fn devices_copy_from_each_other() -> Result<()> {
    let _alone = alone();
    if Device::count()? < 2 || Device::current()?.ordinal().is_none() {
        println!("devices_copy_from_each_other: nothing was checked, as two CUDA devices are needed");
        return Ok(());
    }
    let (first, second) = (Device::open("cuda:0")?, Device::open("cuda:1")?);
    let streams = [Stream::new(first)?, Stream::new(second)?];
    if second.can_access_peer(first)? {
        second.enable_peer_access(first)?;
    }
    let x = first.with(|| full(1 << 26, 0, DType::F32))?;
    for step in 1..=5 {
        let there = streams[0].with(|| -> Result<Array> {
            x.fill(step)?;
            let there = streams[1].with(|| x.to_device(second))?;
            x.fill(-1)?;
            Ok(there)
        })?;
        assert!(there.to_vec::<f32>()?.iter().all(|&v| v == step as f32), "step {step}");
    }
    Ok(())
}

#[test]
fn waits_can_be_forbidden() -> Result<()> {
    let _alone = alone();
    let (x, event) = (full(3, 1, DType::I64)?, Event::new(Device::current()?)?);
    let before = cuda::allow_synchronize(false);
    let waits = [
        x.to_vec::<i64>().map(drop),
        cuprum::nonzero(&x).map(drop),
        event.synchronize(),
        Stream::new(Device::current()?)?.synchronize(),
        Device::current()?.synchronize(),
    ];
    let works = event.record().and_then(|()| cuprum::add(&x, 1));
    cuda::allow_synchronize(before);
    for (k, wait) in waits.into_iter().enumerate() {
        assert_eq!(wait.unwrap_err().kind(), ErrorKind::DeviceSynchronized, "{k}");
    }
    assert_eq!(works?.to_vec::<i64>()?, [2; 3]);
    profiler::mark("a mark");
    let _range = profiler::Range::new("a range");
    profiler::profile(|| x.to_vec::<i64>())?.map(drop)
}

#[test]
fn threads_take_and_give_back_without_loss() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let rounds = std::env::var("CUPRUM_FACE_ROUNDS").map_or(2_000, |text| text.parse().expect("a number"));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            scope.spawn(move || {
                let mut dice = Dice::seed_from_u64(thread * 2 + 1);
                let mut live: Vec<Memory> = Vec::new();
                for _ in 0..rounds {
                    if live.len() < 20 && dice.random_range(0..2) == 0 {
                        let most = 1 << (6 + dice.random_range(0..12));
                        live.push(Memory::new(device, 1 + dice.random_range(0..most)).unwrap());
                    } else if !live.is_empty() {
                        live.swap_remove(dice.random_range(0..live.len()));
                    }
                }
            });
        }
    });
    println!("8 threads, {rounds} rounds each: {:.0} ns a round", start.elapsed().as_nanos() as f64 / rounds as f64);
    let stats = device.memory_pool().stats();
    assert!(stats.total_bytes >= stats.used_bytes);
    Ok(())
}
