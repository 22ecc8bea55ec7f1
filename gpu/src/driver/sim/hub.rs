//! Meeting point of the ranks of a group of simulated devices: a thread of the process that created the group's id,
//! with which the ranks, threads of this process or others, talk over a loopback connection.
//!
//! It collects what the ranks of a collective operation send, combines it in the order of the ranks and answers all of
//! them. Calls that do not fit together, a rank that ends, and one that is waited for in vain fail the group: every
//! rank gets an error that names the ranks. The protocol is in [`wire`](super::wire).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind as IoKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::combine::combine;
use super::wire::{Action, Hello, Reply, Request, id_of, read_hello, read_request, write_reply};
use crate::driver::collectives::{CallKind, GroupId, patience, ranks};
use crate::error::{Error, ErrorKind, Result};

/// Interval at which the group is searched for ranks that are missing.
const TICK: Duration = Duration::from_millis(20);

/// Begins a group, and returns its id.
pub(super) fn begin() -> Result<GroupId> {
    let patience = patience()?;
    let failed =
        |e: std::io::Error| Error::new(ErrorKind::Driver, format!("no loopback connection can be opened: {e}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    // The states of the standard library's hash tables are random.
    let token = [RandomState::new().hash_one(port), RandomState::new().hash_one(port)];
    let hub = Arc::new(Hub { token, patience, state: Mutex::default() });
    let serve = move || hub.serve(&listener);
    thread::Builder::new().name("cuprum group".into()).spawn(serve).map_err(failed)?;
    Ok(id_of(port, token))
}

/// Meeting point of a group.
struct Hub {
    /// Secret of the group's id, which every rank sends first.
    token: [u64; 2],
    /// Time after which a missing rank fails the group.
    patience: Duration,
    /// State of the group, under one lock.
    state: Mutex<State>,
}

/// Calls of a group that are not complete.
#[derive(Default)]
struct State {
    /// The writer of each rank that has joined; empty until the first has said how many there are.
    members: Vec<Option<Sender<Reply>>>,
    /// True for the ranks that have ended.
    left: Vec<bool>,
    /// The error that every later call gets.
    failed: Option<String>,
    /// For each rank the number of collective operations that it has called.
    called: Vec<u64>,
    /// Collective operations that some ranks have called, by number.
    open: BTreeMap<u64, Open>,
    /// Messages that were sent and not received yet, and the ranks that wait to receive, by sender and receiver.
    sent: HashMap<(usize, usize), VecDeque<Request>>,
    /// Receives for which no rank has sent yet, by sender and receiver.
    awaited: HashMap<(usize, usize), VecDeque<(Request, Instant)>>,
    /// Time at which the first rank joined.
    first_joined: Option<Instant>,
}

/// A collective operation that not all ranks have called.
struct Open {
    /// The call of each rank.
    calls: Vec<Option<Request>>,
    /// Time of the first call.
    since: Instant,
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts the ranks, and looks for those that are missing until all have left.
    fn serve(self: &Arc<Hub>, listener: &TcpListener) {
        let began = Instant::now();
        loop {
            match listener.accept() {
                Ok((socket, _)) => {
                    let hub = Arc::clone(self);
                    // A thread that cannot be started leaves the rank without an answer; it gets the error of the closed connection.
                    let _ = thread::Builder::new().name("cuprum rank".into()).spawn(move || hub.attend(socket));
                    continue;
                }
                Err(e) if e.kind() == IoKind::WouldBlock => thread::sleep(TICK),
                Err(_) => return,
            }
            let mut state = self.state();
            if state.is_over() || (state.members.is_empty() && began.elapsed() > self.patience) {
                return;
            }
            state.fail_what_is_late(self.patience);
        }
    }

    /// Reads the requests of one rank until it leaves.
    fn attend(&self, mut socket: TcpStream) {
        // On some systems an accepted socket is as its listener.
        if socket.set_nonblocking(false).and_then(|()| socket.set_nodelay(true)).is_err() {
            return;
        }
        let Ok(hello) = read_hello(&mut socket) else { return };
        let Ok(mut writing) = socket.try_clone() else { return };
        if hello.token != self.token {
            return;
        }
        let (sender, replies) = channel::<Reply>();
        thread::scope(|scope| {
            // Answers are written by a thread of their own: this one reads on while the rank still sends.
            scope.spawn(move || {
                for reply in replies {
                    if write_reply(&mut writing, &reply).is_err() {
                        return;
                    }
                }
            });
            let rank = hello.rank as usize;
            if self.state().join(&hello, sender) {
                loop {
                    match read_request(&mut socket) {
                        Ok(request) if request.action == Action::Leave => {
                            self.state().leave(rank, &request);
                            return;
                        }
                        Ok(request) => self.state().take(rank, request),
                        Err(_) => {
                            self.state().lose(rank);
                            return;
                        }
                    }
                }
            }
        });
    }
}

impl State {
    fn is_over(&self) -> bool {
        !self.members.is_empty() && self.left.iter().all(|&left| left)
    }

    fn reply(&self, rank: usize, id: u64, result: std::result::Result<Vec<u8>, String>) {
        if let Some(Some(member)) = self.members.get(rank) {
            // A rank whose connection is closed needs no answer.
            let _ = member.send(Reply { id, result });
        }
    }

    /// Adds a rank, and answers all when the last has joined. Returns false if it is no member.
    fn join(&mut self, hello: &Hello, sender: Sender<Reply>) -> bool {
        let (rank, size) = (hello.rank as usize, hello.size as usize);
        let reject = |message: String| {
            let _ = sender.send(Reply { id: 0, result: Err(message) });
            false
        };
        if self.members.is_empty() {
            (self.members, self.left, self.called) = (vec![None; size], vec![false; size], vec![0; size]);
        }
        if self.members.len() != size {
            let others = self.members.len();
            return reject(format!("rank {rank} joins a group of {size} ranks, others one of {others}"));
        }
        if let Some(message) = &self.failed {
            return reject(message.clone());
        }
        if self.members[rank].is_some() {
            return reject(format!("rank {rank} has joined twice"));
        }
        self.members[rank] = Some(sender);
        self.first_joined.get_or_insert_with(Instant::now);
        if self.members.iter().all(Option::is_some) {
            (0..size).for_each(|rank| self.reply(rank, 0, Ok(vec![])));
        }
        true
    }

    /// Takes a request of a rank.
    fn take(&mut self, rank: usize, request: Request) {
        if let Some(message) = &self.failed {
            return self.reply(rank, request.id, Err(message.clone()));
        }
        let Action::Call(kind) = request.action else { return self.reply(rank, request.id, Ok(vec![])) };
        match kind {
            CallKind::Send(peer) => {
                self.reply(rank, request.id, Ok(vec![]));
                self.sent.entry((rank, peer)).or_default().push_back(request);
                self.deliver(rank, peer);
            }
            CallKind::Recv(peer) => {
                self.awaited.entry((peer, rank)).or_default().push_back((request, Instant::now()));
                self.deliver(peer, rank);
                self.fail_what_left_ranks_owe();
            }
            _ => self.take_collective(rank, request),
        }
    }

    /// Answers those who wait to receive from a rank.
    fn deliver(&mut self, from: usize, to: usize) {
        let key = (from, to);
        while let (Some(sent), Some(awaited)) = (self.sent.get_mut(&key), self.awaited.get_mut(&key)) {
            let (Some(_), Some(_)) = (sent.front(), awaited.front()) else { return };
            let (Some(message), Some((wanted, _))) = (sent.pop_front(), awaited.pop_front()) else { return };
            if (message.count, message.dtype) != (wanted.count, wanted.dtype) {
                let text = format!(
                    "rank {to} receives {} elements of {} from rank {from}, which sends {} of {}",
                    wanted.count, wanted.dtype, message.count, message.dtype
                );
                self.reply(to, wanted.id, Err(text.clone()));
                return self.fail(text);
            }
            self.reply(to, wanted.id, Ok(message.data));
        }
    }

    fn take_collective(&mut self, rank: usize, request: Request) {
        let (size, number) = (self.members.len(), self.called[rank]);
        self.called[rank] += 1;
        let open = self.open.entry(number).or_insert_with(|| Open {
            calls: std::iter::repeat_with(|| None).take(size).collect(),
            since: Instant::now(),
        });
        let other = open.calls.iter().enumerate().find_map(|(other, call)| Some((other, call.as_ref()?)));
        let differs = other.filter(|(_, call)| !call.fits(&request));
        let differs = differs.map(|(other, call)| {
            format!("the calls of the ranks do not fit together: rank {other} has called {call}, rank {rank} {request}")
        });
        open.calls[rank] = Some(request);
        match differs {
            Some(message) => self.fail(message),
            None => {
                if self.open[&number].calls.iter().all(Option::is_some) {
                    self.complete(number);
                }
                self.fail_what_left_ranks_owe();
            }
        }
    }

    /// Answers all ranks of a collective operation that all have called.
    fn complete(&mut self, number: u64) {
        let Some(open) = self.open.remove(&number) else { return };
        let mut calls: Vec<Request> = open.calls.into_iter().flatten().collect();
        let data: Vec<Vec<u8>> = calls.iter_mut().map(|call| std::mem::take(&mut call.data)).collect();
        let (dtype, Action::Call(kind)) = (calls[0].dtype, calls[0].action) else { return };
        let answer = |rank: usize, bytes: Vec<u8>| self.reply(rank, calls[rank].id, Ok(bytes));
        match kind {
            CallKind::AllReduce(op) => {
                let all = combine(dtype, op, &data);
                (0..data.len()).for_each(|rank| answer(rank, all.clone()));
            }
            CallKind::Reduce(op, root) => {
                let all = combine(dtype, op, &data);
                (0..data.len()).for_each(|rank| answer(rank, if rank == root { all.clone() } else { vec![] }));
            }
            CallKind::Broadcast(root) => (0..data.len()).for_each(|rank| answer(rank, data[root].clone())),
            CallKind::AllGather => {
                let all = data.concat();
                (0..data.len()).for_each(|rank| answer(rank, all.clone()));
            }
            CallKind::ReduceScatter(op) => {
                let all = combine(dtype, op, &data);
                let part = all.len() / data.len();
                (0..data.len()).for_each(|rank| answer(rank, all[rank * part..][..part].to_vec()));
            }
            CallKind::Send(_) | CallKind::Recv(_) => {}
        }
    }

    /// Fails the group: all pending requests and all later ones get the message.
    fn fail(&mut self, message: String) {
        for open in std::mem::take(&mut self.open).into_values() {
            for (rank, call) in open.calls.iter().enumerate() {
                if let Some(call) = call {
                    self.reply(rank, call.id, Err(message.clone()));
                }
            }
        }
        for ((_, to), awaited) in std::mem::take(&mut self.awaited) {
            awaited.iter().for_each(|(call, _)| self.reply(to, call.id, Err(message.clone())));
        }
        self.failed.get_or_insert(message);
    }

    fn leave(&mut self, rank: usize, request: &Request) {
        self.reply(rank, request.id, Ok(vec![]));
        self.left[rank] = true;
        self.fail_what_left_ranks_owe();
    }

    /// Handles the closed connection of a rank that has not left.
    fn lose(&mut self, rank: usize) {
        self.left[rank] = true;
        let before = if self.members.iter().all(Option::is_some) { "" } else { " before all had joined" };
        let message = format!("rank {rank} has ended or aborted{before}");
        if before.is_empty() {
            return self.fail(message);
        }
        (0..self.members.len()).for_each(|other| self.reply(other, 0, Err(message.clone())));
        self.left.fill(true);
        self.fail(message);
    }

    /// Fails the group if one of its calls waits for a rank that has left.
    fn fail_what_left_ranks_owe(&mut self) {
        let missing = |(_, open): (&u64, &Open)| {
            let absent = |rank: &usize| self.left[*rank] && open.calls[*rank].is_none();
            let call = open.calls.iter().flatten().next()?;
            Some((call.to_string(), (0..self.left.len()).find(absent)?))
        };
        let in_collective = self.open.iter().find_map(missing);
        let in_receive = self.awaited.iter().find_map(|(&(from, to), calls)| {
            (self.left[from] && !calls.is_empty()).then(|| (format!("recv of rank {to}"), from))
        });
        if let Some((call, rank)) = in_collective.or(in_receive) {
            self.fail(format!("{call} waits for rank {rank}, which has left the group"));
        }
    }

    fn fail_what_is_late(&mut self, patience: Duration) {
        let seconds = patience.as_secs_f64();
        if let Some(first) = self.first_joined.filter(|first| first.elapsed() > patience) {
            let missing: Vec<usize> = (0..self.members.len()).filter(|&rank| self.members[rank].is_none()).collect();
            if !missing.is_empty() {
                let _ = first;
                let message = format!(
                    "{} of {} did not join within {seconds} s (CUPRUM_COLLECTIVES_TIMEOUT)",
                    ranks(&missing),
                    self.members.len()
                );
                (0..self.members.len()).for_each(|rank| self.reply(rank, 0, Err(message.clone())));
                self.left.fill(true);
                return self.fail(message);
            }
        }
        let late = self.open.values().find(|open| open.since.elapsed() > patience).map(|open| {
            let missing: Vec<usize> = (0..open.calls.len()).filter(|&rank| open.calls[rank].is_none()).collect();
            let call = open.calls.iter().flatten().next().map(ToString::to_string).unwrap_or_default();
            (call, ranks(&missing))
        });
        let late = late.or_else(|| {
            let of = |(&(from, to), calls): (&(usize, usize), &VecDeque<(Request, Instant)>)| {
                let (_, since) = calls.front()?;
                (since.elapsed() > patience).then(|| (format!("recv of rank {to}"), format!("rank {from}")))
            };
            self.awaited.iter().find_map(of)
        });
        if let Some((call, who)) = late {
            self.fail(format!("{call} waited {seconds} s for {who} (CUPRUM_COLLECTIVES_TIMEOUT)"));
        }
    }
}
