//! Streams and threads: concurrent calls give the results of the same calls in sequence.
//!
//! On the device of `CUPRUM_DEVICE`. `CUPRUM_STREAMS_ELEMENTS` is the size of the arrays (4096; 16777216 makes 64 MiB),
//! `CUPRUM_STREAMS_STEPS` the number of calls of each thread (500), `CUPRUM_STREAMS_SEED` the seed of the random
//! numbers.

use cuprum::cuda::{Device, Event, Stream};
use cuprum::{Array, DType, Result, full};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

fn setting(name: &str, usual: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")),
        Err(_) => usual,
    }
}

fn elements() -> usize {
    setting("CUPRUM_STREAMS_ELEMENTS", 4096)
}

/// Checks that every element of the array has this value.
fn check(array: &Array, value: i32, what: impl Fn() -> String) -> Result<()> {
    let wrong = array.to_vec::<i32>()?.into_iter().filter(|&x| x != value).count();
    assert_eq!(wrong, 0, "{}: {wrong} of {} elements are not {value}", what(), array.size());
    Ok(())
}

#[test]
fn memory_freed_on_one_stream_is_not_written_while_another_reads_it() -> Result<()> {
    let device = Device::current()?;
    let (a, b) = (Stream::new(device)?, Stream::new(device)?);
    let n = elements();
    for round in 0..5 {
        let x = a.with(|| full(n, 1, DType::I32))?;
        let sum = b.with(|| -> Result<Array> {
            let y = full(n, 2, DType::I32)?;
            for _ in 0..40 {
                y.assign(&(&y + 1))?;
            }
            cuprum::add(&y, &x)
        })?;
        drop(x);
        let again = a.with(|| full(n, 100, DType::I32))?;
        check(&sum, 43, || format!("round {round}"))?;
        check(&again, 100, || format!("round {round}, the memory's next array"))?;
    }
    Ok(())
}

#[test]
fn an_array_is_read_after_it_was_written_whatever_the_stream() -> Result<()> {
    let device = Device::current()?;
    let streams = (0..3).map(|_| Stream::new(device)).collect::<Result<Vec<_>>>()?;
    let x = full(elements(), 0, DType::I32)?;
    let mut copies = Vec::new();
    for step in 0..30 {
        streams[step % 3].with(|| x.assign(&(&x + 1)))?;
        copies.push(streams[(step + 1) % 3].with(|| &x + 0));
    }
    for (step, copy) in copies.iter().enumerate() {
        check(copy, step as i32 + 1, || format!("step {step}"))?;
    }
    Ok(())
}

#[test]
fn a_stream_that_ends_leaves_what_it_made() -> Result<()> {
    let device = Device::current()?;
    let mut sum = full(elements(), 0, DType::I32)?;
    for round in 1..=20 {
        let stream = Stream::new(device)?;
        let x = stream.with(|| full(elements(), round, DType::I32))?;
        sum = stream.with(|| &sum + &x);
        drop(stream);
    }
    check(&sum, 210, || "the sum".into())
}

#[test]
fn events_order_what_the_library_does_not_see() -> Result<()> {
    let device = Device::current()?;
    let (a, b, event) = (Stream::new(device)?, Stream::new(device)?, Event::new(device)?);
    let x = a.with(|| full(elements(), 7, DType::I32))?;
    event.record_on(&a)?;
    b.wait_event(&event)?;
    event.synchronize()?;
    assert!(event.is_done()?);
    b.with(|| check(&x, 7, || "after the event".into()))
}

/// Runs one thread's calls: its own arrays, each of one value, on streams that all threads share.
fn program(seed: u64, steps: usize, streams: &[Stream], shared: &[(Array, i32)]) -> Result<()> {
    let mut dice = Dice::seed_from_u64(seed);
    let n = elements();
    // The arrays, with the values expected from the same calls in sequence.
    let mut arrays: Vec<(Array, i32)> = vec![(full(n, 1, DType::I32)?, 1)];
    for step in 0..steps {
        let what = || format!("seed {seed}, step {step}");
        let own = Stream::new(streams[0].device());
        let stream =
            if dice.random_range(0..20) == 0 { own? } else { streams[dice.random_range(0..streams.len())].clone() };
        let [i, j] = [0; 2].map(|_: i32| dice.random_range(0..arrays.len()));
        let made = stream.with(|| -> Result<Option<(Array, i32)>> {
            let ((x, a), (y, b)) = (&arrays[i], &arrays[j]);
            Ok(Some(match dice.random_range(0..11) {
                0 => {
                    let value = dice.random_range(0..1000);
                    (full(n, value, DType::I32)?, value)
                }
                1 => {
                    let value = dice.random_range(0..1000);
                    (Array::from_slice(&vec![value; n], n)?, value)
                }
                2 | 3 => (cuprum::add(x, y)?, a.wrapping_add(*b)),
                4 => {
                    let (z, c) = &shared[dice.random_range(0..shared.len())];
                    (cuprum::subtract(x, z)?, a.wrapping_sub(*c))
                }
                // A temporary is dropped while it is read.
                5 => (cuprum::add(&cuprum::multiply(x, 3)?, y)?, a.wrapping_mul(3).wrapping_add(*b)),
                6 => {
                    check(x, *a, what)?;
                    return Ok(None);
                }
                // Calls of several launches, whose temporary memory is reused.
                7 => (cuprum::sort(x, ())?, *a),
                8 => {
                    let total = cuprum::sum(x, ())?.astype(DType::I32)?;
                    (cuprum::add(x, &total)?, a.wrapping_add((i64::from(*a) * n as i64) as i32))
                }
                // Pending calls, fused into one.
                9 => {
                    let sum = || cuprum::multiply(&cuprum::add(x, y)?, 2);
                    let fused = cuprum::fuse(|| cuprum::subtract(&sum()?, x))?;
                    (fused, a.wrapping_add(*b).wrapping_mul(2).wrapping_sub(*a))
                }
                _ => {
                    x.assign(y)?;
                    return Ok(Some((x.clone(), *b)));
                }
            }))
        })?;
        let Some(made) = made else { continue };
        if made.0.may_share_memory(&arrays[i].0) {
            arrays[i].1 = made.1;
        } else if arrays.len() < 8 {
            arrays.push(made);
        } else {
            // The previous array is dropped on whichever stream is current.
            arrays[dice.random_range(0..8)] = made;
        }
    }
    for (k, (x, a)) in arrays.iter().enumerate() {
        streams[k % streams.len()].with(|| check(x, *a, || format!("seed {seed}, at the end, array {k}")))?;
    }
    Ok(())
}

#[test]
fn random_programs_of_several_threads_give_what_they_give_one_after_the_other() -> Result<()> {
    let device = Device::current()?;
    let steps = setting("CUPRUM_STREAMS_STEPS", 500);
    let first = setting("CUPRUM_STREAMS_SEED", 1) as u64;
    let mut streams = (0..3).map(|_| Stream::new(device)).collect::<Result<Vec<_>>>()?;
    streams.push(device.default_stream());
    let shared: Vec<(Array, i32)> = (0..3)
        .map(|k| Ok((streams[k].with(|| full(elements(), k as i32 + 5, DType::I32))?, k as i32 + 5)))
        .collect::<Result<_>>()?;
    std::thread::scope(|scope| {
        let (streams, shared) = (&streams, &shared);
        let threads: Vec<_> =
            (0..4).map(|k| scope.spawn(move || device.with(|| program(first + k, steps, streams, shared)))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("the thread's checks hold"))
    })
}
