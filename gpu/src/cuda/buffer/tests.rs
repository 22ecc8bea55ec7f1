use std::sync::Arc;

use super::*;
use crate::cuda::Stream;
use crate::cuda::mock::{self, work};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

fn access(write: usize) -> Access {
    if write == 1 { Access::Write } else { Access::Read }
}

#[test]
fn readers_wait_for_the_writer_and_writers_for_all() {
    let (device, mock) = mock::device();
    let streams: Vec<Stream> = (0..3).map(|_| Stream::new(device).unwrap()).collect();
    let [a, b, c] = [0, 1, 2].map(|k| streams[k].queue());
    let x = streams[0].with(|| device.alloc(512)).unwrap();
    let touch = |queue: &Queue, access| {
        work(queue, &[(&x, 1, access)]);
        mock.calls()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(touch(&a, Access::Write), nothing, "work on one stream recorded an event");
    assert_eq!(touch(&a, Access::Read), nothing);
    assert_eq!(touch(&b, Access::Read), ["create", "record on 1", "2 waits"]);
    assert_eq!(touch(&b, Access::Read), nothing, "a reader waited twice for one write");
    // The event has completed and is reused.
    assert_eq!(touch(&c, Access::Read), ["record on 1", "3 waits"]);
    assert_eq!(touch(&a, Access::Read), nothing, "the writer waited for itself");
    assert_eq!(touch(&c, Access::Write), ["record on 2", "3 waits", "record on 1", "3 waits"]);
    assert_eq!(touch(&c, Access::Write), nothing);
    assert_eq!(touch(&b, Access::Read), ["record on 3", "2 waits"]);
    assert_eq!(mock.state().races, [0, 0]);
}

#[test]
fn memory_that_another_stream_used_waits_for_it() {
    let (device, mock) = mock::device();
    let (a, b) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let stats = || device.memory_pool().stats();
    let take = || a.with(|| device.alloc(1 << 20)).unwrap();
    let x = take();
    let addr = x.addr();
    drop(x);
    assert_eq!(take().addr(), addr, "memory of one stream is not used again there at once");

    let x = take();
    work(&b.queue(), &[(&x, 1, Access::Read)]);
    mock.state().stopped = true;
    drop(x);
    assert_eq!((stats().used_bytes, stats().pending_bytes), (0, 1 << 20));
    let y = take();
    assert_ne!(y.addr(), addr, "memory that is still used was allocated again");
    assert_eq!((stats().used_bytes, stats().pending_bytes), (1 << 20, 1 << 20));
    mock.state().stopped = false;
    let z = take();
    assert_eq!(z.addr(), addr, "unused memory was not reused");
    assert_eq!(stats().pending_bytes, 0);
    work(&a.queue(), &[(&z, 2, Access::Write), (&y, 3, Access::Write)]);
    assert_eq!(mock.state().races, [0, 0]);
}

#[test]
fn a_full_device_waits_for_pending_memory() {
    let (device, mock) = mock::device();
    let (a, b) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    mock.state().memory = Some(4 << 20);
    mock.state().stopped = true;
    let x = a.with(|| device.alloc(4 << 20)).unwrap();
    let addr = x.addr();
    work(&b.queue(), &[(&x, 1, Access::Write)]);
    drop(x);
    mock.calls();
    let y = a.with(|| device.alloc(3 << 20)).expect("the device is not full but late");
    assert_eq!(y.addr(), addr);
    assert_eq!(mock.calls(), ["the host waits"]);
    work(&a.queue(), &[(&y, 2, Access::Write)]);
    assert_eq!(mock.state().races, [0, 0]);
    let e = b.with(|| device.alloc(2 << 20)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::OutOfMemory);
}

#[test]
fn memory_of_a_device_that_fails_is_not_handed_out_again() {
    let (device, mock) = mock::device();
    let (a, b) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let x = a.with(|| device.alloc(1 << 20)).unwrap();
    let addr = x.addr();
    work(&b.queue(), &[(&x, 1, Access::Read)]);
    mock.state().failing = true;
    drop(x);
    let e = device.synchronize().unwrap_err();
    assert_eq!(e.message(), "when an array or a stream was dropped: the mock fails");
    device.synchronize().expect("a failure is reported once");
    assert_ne!(a.with(|| device.alloc(1 << 20)).unwrap().addr(), addr);
}

#[test]
fn the_memory_of_a_stream_that_ended_serves_the_next() {
    let (device, mock) = mock::device();
    let a = Stream::new(device).unwrap();
    let (x, y) = a.with(|| (device.alloc(2 << 20).unwrap(), device.alloc(2 << 20).unwrap()));
    work(&a.queue(), &[(&x, 1, Access::Write), (&y, 2, Access::Write)]);
    let addrs = [x.addr(), y.addr()];
    drop((x, a));
    let b = Stream::new(device).unwrap();
    let again = b.with(|| device.alloc(2 << 20)).unwrap();
    assert_eq!(again.addr(), addrs[0]);
    work(&b.queue(), &[(&again, 3, Access::Write)]);
    // An array outlives its stream; no stream waits for a destroyed one.
    mock.calls();
    work(&b.queue(), &[(&y, 2, Access::Write)]);
    assert!(mock.calls().is_empty());
    drop(y);
    let again = b.with(|| device.alloc(2 << 20)).unwrap();
    assert_eq!(again.addr(), addrs[1]);
    work(&b.queue(), &[(&again, 4, Access::Write)]);
    assert_eq!(mock.state().races, [0, 0]);
}

#[test]
fn an_array_of_another_device_is_rejected() {
    let ((here, _), (there, _)) = (mock::device(), mock::device());
    let x = here.alloc(512).unwrap();
    let e = x.touch(&there.queue(), Access::Read).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Value);
}

/// Random work on buffers and streams that are created and destroyed. The required order does not depend on when the
/// device runs the work.
#[test]
fn random_work_is_ordered() {
    for seed in 1..=40u64 {
        let mut dice = Dice::seed_from_u64(seed);
        let (device, mock) = mock::device();
        mock.state().memory = Some(64 << 20);
        let mut streams = vec![device.default_stream()];
        let mut buffers: Vec<(Buffer, u64)> = Vec::new();
        for step in 0..600 {
            mock.state().stopped = dice.random_range(0..4) > 0;
            match dice.random_range(0..10) {
                0 if streams.len() < 5 => streams.push(Stream::new(device).unwrap()),
                1 if streams.len() > 1 => drop(streams.swap_remove(1 + dice.random_range(0..streams.len() - 1))),
                2..5 if buffers.len() < 12 => {
                    let stream = &streams[dice.random_range(0..streams.len())];
                    let bytes = [512, 512, 3 << 20][dice.random_range(0..3)];
                    buffers.push((stream.with(|| device.alloc(bytes)).unwrap(), step));
                }
                5 if !buffers.is_empty() => drop(buffers.swap_remove(dice.random_range(0..buffers.len()))),
                _ if !buffers.is_empty() => {
                    let queue = streams[dice.random_range(0..streams.len())].queue();
                    let uses: Vec<_> = (0..3)
                        .map(|_| {
                            let (buffer, owner) = &buffers[dice.random_range(0..buffers.len())];
                            (buffer, *owner, access(dice.random_range(0..2)))
                        })
                        .collect();
                    work(&queue, &uses);
                }
                _ => {}
            }
        }
        assert_eq!(mock.state().races, [0, 0], "seed {seed}");
        let created = mock.calls().iter().filter(|call| *call == "create").count();
        assert!(created < 64, "{created} events were made: they are not used again");
    }
}

/// A buffer that several threads use, and its owner's number.
type Slot = Mutex<Option<(Arc<Buffer>, u64)>>;

/// Threads that use the same buffers without synchronisation: their results are undefined, but no memory is reused
/// while it is in use.
#[test]
fn threads_that_do_not_order_themselves_meet_no_reused_memory() {
    let (device, mock) = mock::device();
    mock.state().memory = Some(256 << 20);
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(device).unwrap()).collect();
    let slots: Vec<Slot> = (0..6).map(|_| Mutex::new(None)).collect();
    let owners = AtomicU64::new(1);
    std::thread::scope(|scope| {
        for seed in 1..=4u64 {
            let (streams, slots, owners, mock) = (&streams, &slots, &owners, &mock);
            scope.spawn(move || {
                let mut dice = Dice::seed_from_u64(seed);
                for _ in 0..1500 {
                    let (stream, slot) =
                        (&streams[dice.random_range(0..streams.len())], &slots[dice.random_range(0..slots.len())]);
                    if dice.random_range(0..4) == 0 {
                        mock.state().stopped = dice.random_range(0..2) == 0;
                        let buffer = stream.with(|| device.alloc(512)).unwrap();
                        let new = (Arc::new(buffer), owners.fetch_add(1, Relaxed));
                        drop(slot.lock().unwrap().replace(new));
                    }
                    let found = slot.lock().unwrap().clone();
                    if let Some((buffer, owner)) = found {
                        work(&stream.queue(), &[(&buffer, owner, access(dice.random_range(0..2)))]);
                    }
                }
            });
        }
    });
    assert_eq!(mock.state().races[1], 0, "memory was allocated while another stream used it");
}
