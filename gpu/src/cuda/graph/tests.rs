use super::*;
use crate::cuda::{Event, allow_synchronize};
use crate::{Array, DType, full};

fn device() -> Device {
    Device::another_for_test()
}

#[test]
fn a_graph_repeats_the_queued_work_with_the_values_of_the_arrays() -> Result<()> {
    device().with(|| {
        let x = full(100, 1, DType::I64)?;
        let (graph, y) = capture(|| crate::add(&crate::multiply(&x, 3)?, 1))?;
        assert!(graph.nodes()? >= 1 && graph.to_dot(0)?.starts_with("digraph"));
        for value in [1, 5] {
            x.fill(value)?;
            graph.launch()?;
            assert_eq!(y.to_vec::<i64>()?, [3 * value + 1; 100]);
        }
        Ok(())
    })
}

#[test]
fn the_memory_of_a_graph_lives_as_long_as_it_does() -> Result<()> {
    let device = device();
    device.with(|| {
        let x = full(1 << 16, 2, DType::I64)?;
        let out = full(1 << 16, 0, DType::I64)?;
        let address = x.pointer();
        let (graph, ()) = capture(|| out.assign(&crate::add(&x, 1)?))?;
        drop(x);
        // Memory of the array is not reused: it belongs to the graph.
        let others: Vec<Array> = (0..8).map(|_| full(1 << 16, 9, DType::I64)).collect::<Result<_>>()?;
        assert!(others.iter().all(|a| a.pointer() != address));
        device.free_all_blocks()?;
        graph.launch()?;
        assert_eq!(out.to_vec::<i64>()?, vec![3; 1 << 16]);
        let used = device.memory_pool().stats().used_bytes;
        drop(graph);
        assert_eq!(
            device.memory_pool().stats().used_bytes,
            used - (8 << 16),
            "the graph is gone, and what it kept is not"
        );
        Ok(())
    })
}

#[test]
fn temporaries_of_a_capture_use_one_memory() -> Result<()> {
    let device = device();
    device.with(|| {
        let x = full(1 << 20, 1, DType::F32)?;
        let before = device.memory_pool().stats().total_bytes;
        let (graph, y) = capture(|| {
            let mut y = crate::add(&x, 1)?;
            for _ in 0..20 {
                y = crate::add(&y, 1)?;
            }
            Ok(y)
        })?;
        let taken = device.memory_pool().stats().total_bytes - before;
        assert!(taken <= 12 << 20, "{taken} bytes for two arrays at a time of 4 MiB");
        graph.launch()?;
        assert!(y.to_vec::<f32>()?.iter().all(|&v| v == 22.0));
        Ok(())
    })
}

#[test]
fn what_waits_is_an_error_that_names_the_call() -> Result<()> {
    let device = device();
    device.with(|| {
        let x = full(10, 1, DType::I64)?;
        type Call<'a> = Box<dyn Fn() -> Result<()> + 'a>;
        let calls: [(&str, Call<'_>); 4] = [
            ("to_vec: ", Box::new(|| x.to_vec::<i64>().map(|_| ()))),
            ("nonzero: ", Box::new(|| crate::nonzero(&x).map(|_| ()))),
            ("Device::synchronize: ", Box::new(|| device.synchronize())),
            ("Stream::launch_host_func: ", Box::new(|| device.current_stream().launch_host_func(|| ()))),
        ];
        for (name, call) in calls {
            let e = capture(&call).unwrap_err();
            assert!(e.message().starts_with(name), "{e}");
            call()?;
        }
        assert!(!device.current_stream().is_capturing());
        Ok(())
    })
}

#[test]
fn a_capture_that_fails_or_panics_leaves_the_stream_as_it_was() -> Result<()> {
    let device = device();
    device.with(|| {
        let before = device.current_stream();
        capture::<()>(|| Err(Error::new(ErrorKind::Value, "on purpose"))).unwrap_err();
        let panicked = std::panic::catch_unwind(|| capture(|| -> Result<()> { panic!("on purpose") }));
        assert!(panicked.is_err());
        assert_eq!(device.current_stream(), before);
        let e = capture(|| capture(|| Ok(()))).unwrap_err();
        assert!(e.message().contains("goes on already"), "{e}");
        assert_eq!(full(3, 1, DType::I32)?.to_vec::<i32>()?, [1; 3]);
        Ok(())
    })
}

#[test]
fn launches_are_ordered_with_what_other_streams_do() -> Result<()> {
    let device = device();
    device.with(|| {
        let streams: Vec<Stream> = (0..3).map(|_| Stream::new(device)).collect::<Result<_>>()?;
        let (x, sum) = (full(100, 0, DType::I64)?, full(100, 0, DType::I64)?);
        let (graph, y) = capture(|| {
            let y = crate::multiply(&x, 2)?;
            sum.assign(&crate::add(&sum, &y)?)?;
            Ok(y)
        })?;
        let mut expected = 0;
        for step in 0..30_i64 {
            let [a, b, c] = [0, 1, 2].map(|k| &streams[(step as usize * 7 + k * (1 + step as usize % 2)) % 3]);
            a.with(|| x.fill(step))?;
            graph.launch_on(b)?;
            expected += 2 * step;
            let copy = c.with(|| crate::add(&y, 0))?;
            assert_eq!(copy.to_vec::<i64>()?, [2 * step; 100], "step {step}");
        }
        assert_eq!(sum.to_vec::<i64>()?, [expected; 100]);
        Ok(())
    })
}

#[test]
fn a_graph_is_updated_cloned_and_part_of_another() -> Result<()> {
    device().with(|| {
        let (x, out) = (full(10, 1, DType::I64)?, full(10, 0, DType::I64)?);
        let add = |n: i64| capture(|| out.assign(&crate::add(&x, n)?)).map(|(graph, ())| graph);
        let (mut graph, other) = (add(1)?, add(5)?);
        let clone = graph.try_clone()?;
        graph.update(&other)?;
        drop(other);
        graph.launch()?;
        assert_eq!(out.to_vec::<i64>()?, [6; 10]);
        clone.launch()?;
        assert_eq!(out.to_vec::<i64>()?, [2; 10]);
        let (longer, ()) = capture(|| {
            let sums = crate::cumsum(&x, ())?;
            out.assign(&crate::multiply(&crate::sin(&sums)?.astype(DType::I64)?, &sums)?)
        })?;
        assert_eq!(graph.update(&longer).unwrap_err().kind(), ErrorKind::Value);
        let (outer, ()) = capture(|| {
            graph.launch()?;
            x.assign(&out)
        })?;
        drop((graph, clone));
        outer.launch()?;
        assert_eq!(x.to_vec::<i64>()?, [6; 10]);
        Ok(())
    })
}

#[test]
fn errors_of_a_graph_are_reported_after_its_launch() -> Result<()> {
    device().with(|| {
        let (x, at) = (crate::arange(0, 5, 1)?, crate::array([1_i64, 2])?);
        let (graph, y) = capture(|| crate::take(&x, &at, ()))?;
        graph.launch()?;
        assert_eq!(y.to_vec::<i64>()?, [1, 2]);
        at.fill(9)?;
        graph.launch()?;
        let e = y.to_vec::<i64>().unwrap_err();
        assert!(e.kind() == ErrorKind::Index && e.message().contains("index 9"), "{e}");
        at.fill(4)?;
        graph.launch()?;
        assert_eq!(y.to_vec::<i64>()?, [4, 4]);
        Ok(())
    })
}

#[test]
fn waits_are_found_where_they_are_forbidden() -> Result<()> {
    let device = device();
    device.with(|| {
        let x = full(3, 1, DType::I64)?;
        let before = allow_synchronize(false);
        let made = crate::add(&x, 1);
        let errors = [x.to_vec::<i64>().map(|_| ()), device.synchronize(), device.default_stream().synchronize()];
        allow_synchronize(before);
        assert!(errors.iter().all(|e| e.as_ref().is_err_and(|e| e.kind() == ErrorKind::DeviceSynchronized)));
        assert_eq!(made?.to_vec::<i64>()?, [2; 3]);
        Ok(())
    })
}

#[test]
fn calls_that_wait_are_computed_where_they_were_made() -> Result<()> {
    let device = device();
    device.with(|| {
        let x = full(100, 1, DType::I64)?;
        let (mut before, mut within) = (None, None);
        let (graph, y) = crate::fuse(|| {
            before = Some(crate::add(&x, 1)?);
            capture(|| {
                within = Some(crate::multiply(&x, 10)?);
                crate::add(before.as_ref().unwrap(), within.as_ref().unwrap())
            })
        })?;
        let (before, within) = (before.unwrap(), within.unwrap());
        for value in [3, 4] {
            x.fill(value)?;
            graph.launch()?;
            // Arrays computed before the capture keep their values; those within are recomputed.
            assert_eq!(before.to_vec::<i64>()?, [2; 100]);
            assert_eq!(within.to_vec::<i64>()?, [10 * value; 100]);
            assert_eq!(y.to_vec::<i64>()?, [10 * value + 2; 100]);
        }
        // A fusing scope within the capture shares kernels of the graph.
        let (graph, y) = capture(|| crate::fuse(|| crate::negative(&crate::add(&crate::multiply(&x, 2)?, 1)?)))?;
        assert_eq!(graph.nodes()?, 1);
        x.fill(7)?;
        graph.launch()?;
        assert_eq!(y.to_vec::<i64>()?, [-15; 100]);
        // A write within the capture first computes the pending calls that read the old elements.
        let old = crate::fuse(|| -> Result<Array> {
            let old = crate::add(&x, 1)?;
            let (graph, ()) = capture(|| x.assign(&full(100, 5, DType::I64)?))?;
            graph.launch()?;
            Ok(old)
        })?;
        assert_eq!((old.to_vec::<i64>()?, x.to_vec::<i64>()?), (vec![8; 100], vec![5; 100]));
        Ok(())
    })
}

/// Concurrent streams do not share memory that one of them has freed.
#[test]
fn streams_fork_and_join_in_a_capture() -> Result<()> {
    let device = device();
    device.with(|| {
        let (first, second) = (Stream::new(device)?, Stream::new(device)?);
        let (fork, join) = (Event::new(device)?, Event::new(device)?);
        let x = full(1000, 1, DType::I64)?;
        first.begin_capture()?;
        let a = crate::add(&x, 1)?;
        fork.record_on(&first)?;
        second.wait_event(&fork)?;
        assert!(second.is_capturing() && second.capture_status()?);
        // Each frees an array while the other works.
        let b = second.with(|| crate::multiply(&crate::add(&a, 5)?, 2))?;
        let c = crate::multiply(&crate::add(&a, 7)?, 3)?;
        join.record_on(&second)?;
        first.wait_event(&join)?;
        let d = crate::add(&b, &c)?;
        let graph = first.end_capture()?;
        assert!(!second.is_capturing() && !first.is_capturing());
        for value in [1, 4] {
            x.fill(value)?;
            graph.launch()?;
            assert_eq!(d.to_vec::<i64>()?, [2 * (value + 6) + 3 * (value + 8); 1000]);
        }
        // Both streams can be used as before.
        assert_eq!(second.with(|| crate::add(&d, 1))?.size(), 1000);
        assert_eq!(fork.is_done().unwrap_err().status(), Some(907));
        assert_eq!(second.wait_event(&fork).unwrap_err().status(), Some(907));
        fork.record_on(&first)?;
        second.wait_event(&fork)?;
        fork.synchronize()
    })
}

#[test]
fn a_capture_that_does_not_join_or_is_invalid_has_no_graph() -> Result<()> {
    let device = device();
    device.with(|| {
        let (first, second, event) = (Stream::new(device)?, Stream::new(device)?, Event::new(device)?);
        let x = full(10, 1, DType::I64)?;
        let status = |e: Error| e.status();
        first.begin_capture()?;
        event.record_on(&first)?;
        second.wait_event(&event)?;
        let y = second.with(|| crate::add(&x, 1))?;
        assert_eq!(first.end_capture().map_err(status).unwrap_err(), Some(904));
        drop(y);
        first.begin_capture()?;
        assert_eq!(device.default_stream().capture_status().map_err(status), Err(Some(906)));
        assert_eq!(first.synchronize().map_err(status), Err(Some(900)));
        assert_eq!(first.capture_status().map_err(status), Err(Some(901)));
        assert_eq!(first.end_capture().map_err(status).unwrap_err(), Some(901));
        assert_eq!(first.end_capture().map_err(status).unwrap_err(), Some(401));
        // An event of work outside, and the end on another stream.
        event.record_on(&second)?;
        first.begin_capture()?;
        assert_eq!(first.wait_event(&event).map_err(status), Err(Some(905)));
        assert_eq!(first.end_capture().map_err(status).unwrap_err(), Some(901));
        first.begin_capture()?;
        event.record_on(&first)?;
        second.wait_event(&event)?;
        assert_eq!(second.end_capture().map_err(status).unwrap_err(), Some(903));
        assert_eq!(first.end_capture().map_err(status).unwrap_err(), Some(901));
        first.synchronize()?;
        assert_eq!(first.with(|| crate::add(&x, 1))?.to_vec::<i64>()?, [2; 10]);
        Ok(())
    })
}
