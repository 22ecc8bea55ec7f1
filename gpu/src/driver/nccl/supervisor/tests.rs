use std::sync::Mutex;

use super::*;

/// Connection that records its messages.
#[derive(Clone, Debug, Default)]
struct Recorder(std::sync::Arc<Mutex<Vec<String>>>);

impl Connection for Recorder {
    fn notify(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().push(String::from_utf8_lossy(message).into_owned());
        Ok(())
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

fn group(size: usize, now: Instant) -> (Group<Recorder>, Vec<Recorder>) {
    let (mut group, recorders) =
        (Group::default(), Vec::from_iter(std::iter::repeat_with(Recorder::default).take(size)));
    for (rank, recorder) in recorders.iter().enumerate() {
        group.join(&Hello { rank: rank as u32, size: size as u32, process: 0 }, recorder.clone(), now);
    }
    (group, recorders)
}

fn report(calls: u64, done: u64, last: &str) -> Vec<u8> {
    Report { formed: true, collective: true, calls, done, last: last.into() }.bytes()
}

impl<C> Group<C> {
    fn says(&mut self, rank: usize, message: &[u8], at: Instant) {
        self.members[rank].as_mut().unwrap().take(message, at);
    }
}

#[test]
fn an_id_keeps_the_address_after_the_part_of_nccl() {
    let address = Address {
        ip: Ipv4Addr::LOCALHOST,
        port: 4321,
        gathers: true,
        token: *b"0123456789abcdef",
        machine: this_machine(),
    };
    let mut id = [0; 128];
    id[..40].fill(7);
    let own = id;
    address.store(&mut id);
    assert_eq!(Address::split(&id), (Some(address), own));
    assert_eq!(Address::split(&own), (None, own));
    // A loopback address of another machine is not reached, and an id that NCCL fills is left as it is.
    let mut elsewhere = own;
    Address { machine: [0; 8], ..address }.store(&mut elsewhere);
    assert_eq!(Address::split(&elsewhere), (None, own));
    let mut full = [9; 128];
    address.store(&mut full);
    assert_eq!(full, [9; 128]);
}

#[test]
fn messages_are_read_as_they_were_written() {
    let address = Address { ip: Ipv4Addr::LOCALHOST, port: 1, gathers: false, token: [5; 16], machine: [0; 8] };
    let hello = Hello { rank: 3, size: 70_000, process: 12 };
    assert_eq!(Hello::read(&hello.bytes(&address), &address), Some(hello));
    let other = Address { token: [6; 16], ..address };
    assert_eq!(Hello::read(&hello.bytes(&other), &address), None);
    let report = Report { formed: true, collective: false, calls: 1 << 40, done: 3, last: "send".into() };
    assert_eq!(Report::read(&report.bytes()), Some(report.clone()));
    assert_eq!(Report::read(&report.bytes()[..10]), None);
}

#[test]
fn ranks_that_do_not_come_are_named() {
    let now = Instant::now();
    let mut group: Group<Recorder> = Group::default();
    group.join(&Hello { rank: 1, size: 4, process: 0 }, Recorder::default(), now);
    group.announce();
    assert_eq!(group.fault(now + PATIENCE, PATIENCE), None);
    let late = group.fault(now + PATIENCE + TICK, PATIENCE).unwrap();
    assert_eq!(late, "ranks 0, 2 and 3 of a group of 4 did not join within 60 s (CUPRUM_COLLECTIVES_TIMEOUT)");
    let twice = Recorder::default();
    group.join(&Hello { rank: 1, size: 4, process: 0 }, twice.clone(), now);
    group.join(&Hello { rank: 0, size: 3, process: 0 }, twice.clone(), now);
    let messages = twice.0.lock().unwrap().clone();
    assert_eq!(messages, ["Frank 1 has joined twice", "Frank 0 joins a group of 3 ranks, others one of 4"]);
}

#[test]
fn a_lost_rank_fails_the_group_after_its_calls_had_time_to_complete() {
    let now = Instant::now();
    let (mut group, recorders) = group(3, now);
    group.announce();
    assert_eq!(recorders[2].0.lock().unwrap().as_slice(), ["J"]);
    group.members[1].as_mut().unwrap().lost = Some(now);
    assert_eq!(group.fault(now, PATIENCE).unwrap(), "rank 1 has ended or aborted before the group was formed");
    for rank in 0..3 {
        group.says(rank, &report(5, 4, "barrier"), now);
    }
    assert_eq!(group.fault(now + LOST, PATIENCE), None);
    assert_eq!(group.fault(now + LOST + TICK, PATIENCE).unwrap(), "rank 1 has ended or aborted");
}

#[test]
fn calls_that_do_not_complete_name_the_ranks_that_did_not_make_them() {
    let now = Instant::now();
    let (mut group, _) = group(3, now);
    group.says(0, &report(5, 5, "all_gather"), now);
    group.says(1, &report(6, 5, "all_reduce"), now);
    group.says(2, &report(6, 5, "all_reduce"), now + PATIENCE);
    assert_eq!(group.fault(now + PATIENCE, PATIENCE), None);
    let late = group.fault(now + PATIENCE + TICK, PATIENCE).unwrap();
    assert_eq!(late, "rank 0 did not call all_reduce within 60 s (CUPRUM_COLLECTIVES_TIMEOUT)");
    // Progress is a reason to wait on.
    group.says(1, &report(7, 6, "all_reduce"), now + PATIENCE);
    assert_eq!(group.fault(now + PATIENCE + TICK, PATIENCE), None);
    // A rank that has left makes no more calls.
    group.says(0, LEAVE, now + PATIENCE);
    let left = group.fault(now + PATIENCE + LEFT + TICK, PATIENCE).unwrap();
    assert_eq!(left, "rank 0 has left the group before all_reduce of others");
}

#[test]
fn calls_that_differ_fail_before_the_time_limit() {
    let now = Instant::now();
    let (mut group, _) = group(2, now);
    group.says(0, &report(2, 1, "broadcast (root 0)"), now);
    group.says(1, &report(2, 1, "all_gather"), now);
    assert_eq!(group.fault(now + DIFFERENT, PATIENCE), None);
    let message = group.fault(now + DIFFERENT + TICK, PATIENCE).unwrap();
    assert_eq!(
        message,
        "the calls of the ranks do not fit together: rank 0 has called broadcast (root 0), rank 1 all_gather"
    );
    // Calls of pairs differ in order.
    let pair = Report { formed: true, collective: false, calls: 2, done: 1, last: "send to rank 1".into() };
    group.says(0, &pair.bytes(), now);
    assert_eq!(group.fault(now + DIFFERENT + TICK, PATIENCE), None);
}
