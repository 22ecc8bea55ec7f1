//! Queues of deferred work, which run in a pseudorandom order among those that CUDA's streams and events allow.
//!
//! `CUPRUM_SIM_SEED` selects the order.

use std::collections::{BTreeMap, VecDeque};

use crate::driver::StreamHandle;

/// The default stream: it waits for all others, and they wait for it.
pub(super) const DEFAULT: StreamHandle = 0;

/// Position in a stream's work: after the item of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The stream.
    stream: StreamHandle,
    /// Number of the item.
    number: u64,
}

/// Queue entry: work, or a wait for a point in another queue.
#[derive(Debug)]
enum Step<W> {
    Work(W),
    Wait(Point),
}

/// An item of a queue with its number.
#[derive(Debug)]
struct Item<W> {
    /// Number of the entry over all streams, in the order of the calls.
    number: u64,
    /// The work or the wait.
    step: Step<W>,
    /// On the default stream: true if later work of other streams waits for it.
    fence: bool,
}

/// The streams of a device and their queues. The default stream always exists.
#[derive(Debug)]
pub(super) struct Queues<W> {
    /// The queue of each stream.
    streams: BTreeMap<StreamHandle, VecDeque<Item<W>>>,
    /// Number of the next item.
    next: u64,
    /// Number of queued items.
    len: usize,
    /// State of the generator that selects the next stream.
    random: u64,
    /// The stream that is currently run, and the number of its items before the next selection.
    turn: (StreamHandle, u32),
}

impl<W> Queues<W> {
    pub(super) fn new(seed: u64) -> Queues<W> {
        let streams = BTreeMap::from([(DEFAULT, VecDeque::new())]);
        Queues { streams, next: 0, len: 0, random: seed, turn: (DEFAULT, 0) }
    }

    /// Adds a stream.
    pub(super) fn open(&mut self, stream: StreamHandle) {
        self.streams.insert(stream, VecDeque::new());
    }

    /// Removes a stream, which has nothing queued.
    pub(super) fn close(&mut self, stream: StreamHandle) {
        debug_assert!(self.is_done(stream), "a stream is closed with work in its queue");
        self.streams.remove(&stream);
    }

    pub(super) fn has(&self, stream: StreamHandle) -> bool {
        self.streams.contains_key(&stream)
    }

    /// Returns the number of entries in all queues.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns true if a stream has no queued work.
    pub(super) fn is_done(&self, stream: StreamHandle) -> bool {
        self.streams.get(&stream).is_none_or(VecDeque::is_empty)
    }

    /// Returns the point after all queued work of a stream.
    pub(super) fn point(&mut self, stream: StreamHandle) -> Point {
        self.next += 1;
        Point { stream, number: self.next }
    }

    fn push_step(&mut self, stream: StreamHandle, step: Step<W>, fence: bool) -> Point {
        let point = self.point(stream);
        if let Some(queue) = self.streams.get_mut(&stream) {
            queue.push_back(Item { number: point.number, step, fence });
            self.len += 1;
        }
        point
    }

    /// Queues work, and returns the point after it.
    pub(super) fn push(&mut self, stream: StreamHandle, work: W) -> Point {
        self.push_step(stream, Step::Work(work), false)
    }

    /// Queues work as [`Queues::push`] does; if the stream is the default one, later work of the others waits for it.
    pub(super) fn push_fence(&mut self, stream: StreamHandle, work: W) {
        self.push_step(stream, Step::Work(work), true);
    }

    /// Makes later work of the stream wait for a point in another.
    pub(super) fn wait(&mut self, stream: StreamHandle, point: Point) {
        if !self.reached(point) {
            self.push_step(stream, Step::Wait(point), false);
        }
    }

    /// Returns true if all work before a point has completed.
    pub(super) fn reached(&self, point: Point) -> bool {
        let front = self.streams.get(&point.stream).and_then(VecDeque::front);
        front.is_none_or(|item| item.number > point.number)
    }

    /// Iterates over all queued work, in no particular order.
    pub(super) fn queued(&self) -> impl Iterator<Item = &W> {
        self.streams.values().flatten().filter_map(|item| match &item.step {
            Step::Work(work) => Some(work),
            Step::Wait(_) => None,
        })
    }

    /// Removes the work that runs next. There is some as long as anything is queued: the oldest item waits for none.
    pub(super) fn take(&mut self) -> Option<(Point, W)> {
        loop {
            let ready: Vec<StreamHandle> = self.streams.keys().copied().filter(|&s| self.is_ready(s)).collect();
            let (stream, left) = self.turn;
            let (stream, left) = if left > 0 && ready.contains(&stream) {
                (stream, left)
            } else {
                // Long and short runs of one stream: a missing dependency may be few or many items back.
                let index = self.draw(ready.len() as u64);
                (*ready.get(index as usize)?, 1 << self.draw(8))
            };
            self.turn = (stream, left - 1);
            let item = self.streams.get_mut(&stream)?.pop_front()?;
            self.len -= 1;
            if let Step::Work(work) = item.step {
                return Some((Point { stream, number: item.number }, work));
            }
        }
    }

    /// Returns true if the first item of a stream may run now.
    fn is_ready(&self, stream: StreamHandle) -> bool {
        let Some(item) = self.streams.get(&stream).and_then(VecDeque::front) else { return false };
        let after_default = if stream == DEFAULT {
            self.streams.values().flat_map(VecDeque::front).all(|other| other.number >= item.number)
        } else {
            !self.streams[&DEFAULT].iter().any(|other| other.fence && other.number < item.number)
        };
        after_default
            && match item.step {
                Step::Work(_) => true,
                Step::Wait(point) => self.reached(point),
            }
    }

    /// Returns a pseudorandom number below `bound`, or 0 (splitmix64).
    pub(super) fn draw(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31).checked_rem(bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn drain(queues: &mut Queues<&'static str>) -> String {
        std::iter::from_fn(|| queues.take()).map(|(_, work)| work).collect()
    }

    #[test]
    fn each_seed_gives_an_order_that_the_streams_allow_and_all_of_them_come() {
        let orders: HashSet<String> = (0..5000)
            .map(|seed| {
                let mut queues = Queues::new(seed);
                queues.open(1);
                queues.open(2);
                for (stream, work) in [(1, "a"), (1, "b"), (2, "x"), (2, "y")] {
                    queues.push(stream, work);
                }
                drain(&mut queues)
            })
            .collect();
        assert_eq!(orders, ["abxy", "axby", "axyb", "xaby", "xayb", "xyab"].map(String::from).into());
    }

    #[test]
    fn a_wait_holds_under_every_seed() {
        for seed in 0..200 {
            let mut queues = Queues::new(seed);
            queues.open(1);
            queues.open(2);
            queues.push(1, "a");
            let event = queues.push(1, "b");
            queues.push(1, "c");
            queues.push(2, "x");
            queues.wait(2, event);
            queues.push(2, "y");
            assert!(!queues.reached(event));
            let order = drain(&mut queues);
            assert!(queues.reached(event) && queues.len() == 0);
            assert!(order.find('b') < order.find('y'), "{order}");
        }
    }

    #[test]
    fn the_default_stream_waits_for_the_others_and_only_its_fences_hold_them() {
        let mut orders = HashSet::new();
        for seed in 0..200 {
            let mut queues = Queues::new(seed);
            queues.open(1);
            queues.push(1, "a");
            queues.push(DEFAULT, "d");
            queues.push(1, "b");
            orders.insert(drain(&mut queues));
            queues.push(1, "a");
            queues.push_fence(DEFAULT, "d");
            queues.push(1, "b");
            assert_eq!(drain(&mut queues), "adb");
        }
        assert_eq!(orders, ["adb", "abd"].map(String::from).into());
    }
}
