use std::ffi::c_int;
use std::net::Ipv4Addr;
use std::sync::atomic::AtomicPtr;
use std::sync::mpsc;

use cuprum_kernels::DType;

use super::super::{supervisor, watch};
use super::*;
use crate::driver::collectives::ReduceOp;

/// Numbers of the communicators that were aborted and destroyed, which tests distinguish by their own.
static ENDED: Mutex<Vec<(usize, char)>> = Mutex::new(Vec::new());

unsafe extern "C" fn abort(comm: Comm) -> c_int {
    lock(&ENDED).push((comm as usize, 'a'));
    0
}

unsafe extern "C" fn destroy(comm: Comm) -> c_int {
    lock(&ENDED).push((comm as usize, 'd'));
    0
}

fn ended(number: usize) -> String {
    lock(&ENDED).iter().filter(|(own, _)| *own == number).map(|(_, how)| how).collect()
}

fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| Api { abort: Ok(abort), destroy: Ok(destroy), ..Api::absent() })
}

/// A member of a communicator of a number, whose calls complete if `completes`; its context is the same number.
fn member(number: usize, completes: bool) -> Arc<Member> {
    let done: &'static AtomicU32 = Box::leak(Box::default());
    let write = move |_: StreamHandle, calls: u32| {
        if completes {
            done.store(calls, Ordering::Release);
        }
        Ok(true)
    };
    let slot = Box::new(AtomicPtr::new(number as Comm));
    let member = Arc::new(Member::new(api(), slot, number, Some(Marker { write: Box::new(write), done })));
    member.set_formed();
    member
}

const CALL: Call = Call { kind: CallKind::AllReduce(ReduceOp::Sum), send: 0, recv: 0, count: 4, dtype: DType::F32 };

fn call(member: &Member) -> Result<()> {
    let made = member.begin_call(&CALL, |_| Ok(()));
    member.end_calls(Some(0), made)
}

#[test]
fn a_failure_ends_pending_calls_and_is_returned_by_the_next_wait() {
    let pending = member(101, false);
    call(&pending).unwrap();
    let report = pending.report();
    assert_eq!((report.calls, report.done, report.last.as_str()), (1, 0, "all_reduce (sum) of 4 elements of float32"));
    pending.fail("rank 1 has ended");
    assert_eq!(ended(101), "a");
    let waited = failures::check(101).unwrap_err();
    assert_eq!(waited.message(), "the group of ranks has failed: rank 1 has ended");
    failures::check(101).unwrap();
    assert_eq!(call(&pending).unwrap_err().message(), waited.message());
    pending.leave().unwrap();
    assert_eq!(ended(101), "a");
}

#[test]
fn a_failure_that_a_call_returns_is_returned_by_no_wait() {
    let pending = member(108, false);
    call(&pending).unwrap();
    // The group fails while a call of NCCL waits.
    let failing = Arc::clone(&pending);
    let mut thread = None;
    let made = pending.begin_call(&CALL, |_| {
        thread = Some(thread::spawn(move || failing.fail("rank 1 has ended")));
        while pending.failure.get().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        Err(Error::new(ErrorKind::Driver, "aborted"))
    });
    thread.unwrap().join().unwrap();
    assert_eq!(made.unwrap_err().message(), "the group of ranks has failed: rank 1 has ended");
    failures::check(108).unwrap();
}

#[test]
fn a_failure_between_calls_is_returned_by_the_next_call_alone() {
    let idle = member(102, true);
    call(&idle).unwrap();
    idle.fail("rank 1 has ended");
    failures::check(102).unwrap();
    assert!(call(&idle).unwrap_err().message().contains("rank 1"));
    let calm = member(103, true);
    call(&calm).unwrap();
    calm.leave().unwrap();
    assert_eq!((ended(102), ended(103)), ("a".into(), "d".into()));
    assert!(call(&calm).unwrap_err().message().contains("destroyed or aborted"));
}

#[test]
fn calls_that_are_captured_or_fail_are_not_counted() {
    let done: &'static AtomicU32 = Box::leak(Box::default());
    // The second call is on a captured stream.
    let write = move |stream: StreamHandle, calls: u32| {
        if stream == 0 {
            done.store(calls, Ordering::Release);
        }
        Ok(stream == 0)
    };
    let slot = Box::new(AtomicPtr::new(108 as Comm));
    let member = Member::new(api(), slot, 108, Some(Marker { write: Box::new(write), done }));
    let call = |stream: StreamHandle, result: Result<()>| {
        let made = member.begin_call(&CALL, |_| result);
        member.end_calls(Some(stream), made)
    };
    let counts = || (member.report().calls, member.report().done);
    call(0, Ok(())).unwrap();
    call(1, Ok(())).unwrap();
    call(0, Err(Error::new(ErrorKind::Driver, "code 4"))).unwrap_err();
    assert_eq!(counts(), (1, 1));
    done.store(0, Ordering::Release);
    call(1, Ok(())).unwrap();
    assert_eq!(counts(), (1, 0));
}

#[test]
fn a_call_that_does_not_return_is_interrupted_by_the_abort() {
    let stuck = member(104, false);
    let (entered, is_in) = mpsc::channel();
    let caller = Arc::clone(&stuck);
    let thread = thread::spawn(move || {
        caller.begin_call(&CALL, |_| {
            entered.send(()).unwrap();
            while ended(104).is_empty() {
                thread::sleep(Duration::from_millis(1));
            }
            Err(Error::new(ErrorKind::Driver, "code 3"))
        })
    });
    is_in.recv().unwrap();
    stuck.fail("rank 2 has ended");
    assert!(thread.join().unwrap().unwrap_err().message().contains("rank 2 has ended"));
}

#[test]
fn ranks_learn_from_the_supervisor_that_another_has_ended() {
    let address = supervisor::start(Ipv4Addr::LOCALHOST, false).unwrap();
    let ranks = [member(105, false), member(106, false), member(107, true)];
    for (rank, member) in ranks.iter().enumerate() {
        watch::begin(&address, 3, rank, member).unwrap();
    }
    call(&ranks[0]).unwrap();
    call(&ranks[1]).unwrap();
    // The last rank leaves in order, and the first breaks off: the second still waits for others.
    ranks[2].leave().unwrap();
    ranks[0].abort().unwrap();
    let begin = Instant::now();
    while failures::check(106).is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(20));
    }
    let message = call(&ranks[1]).unwrap_err().message().to_string();
    assert_eq!(message, "the group of ranks has failed: rank 0 has ended or aborted");
}
