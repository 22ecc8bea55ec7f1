//! Compiler queue: compiles requested sources, as many programs at a time as there are cores. Requests wait while all
//! cores compile, and waiting requests are compiled together: a single request is served immediately, and many share
//! the compiler's start-up time.
//!
//! NVRTC's start-up is most of the time of a small kernel, so that compiling several sources as one program costs
//! little more than one of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::driver;
use crate::driver::archive::Request;
use crate::driver::batch;
use crate::driver::cache::Key;
use crate::driver::nvrtc::{Haste, Image, nvrtc};
use crate::driver::progress::Progress;
use crate::error::{Error, ErrorKind, Result};

/// Maximum number of sources of one program: twice as many save little more, and all of them wait for the whole
/// program.
const TOGETHER: usize = 8;

/// A requested source.
#[derive(Debug)]
struct Job {
    /// Key of the result in the caches.
    key: Key,
    /// The source and its options.
    request: Request,
    /// Architecture that code is generated for.
    target: String,
    /// Parts of the compile that are omitted.
    haste: Haste,
    /// The result, once a thread has compiled it.
    done: OnceLock<Result<Image>>,
}

impl Job {
    /// Returns true if two requests may be compiled in one program, from which each gets its part.
    fn goes_with(&self, other: &Job) -> bool {
        // Machine code cannot be split.
        let textual = self.target.starts_with("compute_");
        let alike = self.target == other.target && self.haste == other.haste;
        let options = self.request.options == other.request.options;
        let plain = self.request.expressions.is_empty() && other.request.expressions.is_empty();
        textual && self.haste.plain && alike && options && plain
    }
}

/// Queue of compile requests, with statistics.
#[derive(Debug, Default)]
pub(super) struct Compiler {
    /// The requests.
    state: Mutex<State>,
    /// Notified when a batch is done.
    changed: Condvar,
    /// Number of compiled sources.
    texts: AtomicU64,
    /// Microseconds spent in the compiler.
    micros: AtomicU64,
}

/// Requests of all threads.
#[derive(Debug, Default)]
struct State {
    /// The requests that no thread compiles yet.
    waiting: Vec<Arc<Job>>,
    /// The requests that are being compiled.
    running: Vec<Arc<Job>>,
    /// Number of programs that are being compiled.
    programs: usize,
}

impl State {
    /// Removes the first waiting request, and those that can be compiled with it.
    fn take(&mut self) -> Vec<Arc<Job>> {
        let mut batch: Vec<Arc<Job>> = vec![];
        self.waiting.retain(|job| {
            let taken = batch.first().is_none_or(|first| batch.len() < TOGETHER && first.goes_with(job));
            if taken {
                batch.push(Arc::clone(job));
            }
            !taken
        });
        self.running.extend(batch.iter().cloned());
        self.programs += 1;
        batch
    }
}

/// The batch of the thread that compiles. When it is dropped, even after a panic, all waiting threads are notified.
struct Leading<'a> {
    /// The queue.
    compiler: &'a Compiler,
    /// The requests that are compiled as one program.
    batch: Vec<Arc<Job>>,
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        let mut state = self.compiler.state();
        state.programs -= 1;
        state.running.retain(|job| !self.batch.iter().any(|done| Arc::ptr_eq(done, job)));
        for job in &self.batch {
            job.done.get_or_init(|| Err(Error::new(ErrorKind::Compile, "the thread that compiled broke down")));
        }
        self.compiler.changed.notify_all();
    }
}

/// Returns the number of programs that are compiled at a time.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Compiler {
    /// Returns the code of the source with this key.
    pub(super) fn compile(&self, key: Key, request: &Request, target: &str, haste: Haste) -> Result<Image> {
        let mut state = self.state();
        let known = state.waiting.iter().chain(&state.running).find(|job| job.key == key).cloned();
        let job = known.unwrap_or_else(|| {
            let (request, target) = (request.clone(), target.to_owned());
            let job = Arc::new(Job { key, request, target, haste, done: OnceLock::new() });
            state.waiting.push(Arc::clone(&job));
            job
        });
        loop {
            if let Some(done) = job.done.get() {
                return done.clone();
            }
            if state.programs < cores() && !state.waiting.is_empty() {
                let leading = Leading { compiler: self, batch: state.take() };
                drop(state);
                let start = Instant::now();
                let progress = Progress::start("compiling");
                progress.show(label(&leading.batch));
                together(&leading.batch);
                drop(progress);
                self.texts.fetch_add(leading.batch.len() as u64, Relaxed);
                self.micros.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
                drop(leading);
                state = self.state();
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Returns the number of compiled sources.
    pub(super) fn texts(&self) -> u64 {
        self.texts.load(Relaxed)
    }

    /// Returns the microseconds spent in the compiler, summed over all threads.
    pub(super) fn micros(&self) -> u64 {
        self.micros.load(Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what is compiled, for a terminal: `kernel add`, or `kernel add and 7 more`.
fn label(batch: &[Arc<Job>]) -> String {
    let name = batch.first().map_or("", |job| job.request.name.as_str());
    match batch.len() {
        0 | 1 => format!("kernel {name}"),
        count => format!("kernel {name} and {} more", count - 1),
    }
}

/// Compiles a batch as one program, or, if that fails, one source after the other, so that an error is that of its
/// source.
fn together(batch: &[Arc<Job>]) {
    if let Some(parts) = program(batch) {
        for (job, code) in batch.iter().zip(parts) {
            job.done.get_or_init(|| Ok(Image { code: code.into_bytes(), names: vec![], log: String::new() }));
        }
        return;
    }
    for job in batch {
        job.done.get_or_init(|| driver::compile(&job.request, &job.target, job.haste));
    }
}

/// Returns the PTX of each source of a batch, if they can be compiled together.
fn program(batch: &[Arc<Job>]) -> Option<Vec<String>> {
    let [first, _, ..] = batch else { return None };
    let texts: Vec<&str> = batch.iter().map(|job| job.request.text.as_str()).collect();
    let text = batch::joined(&texts)?;
    let options = &first.request.options;
    let image = nvrtc().ok()?.compile_in_haste(&text, "batch", &first.target, options, &[], first.haste).ok()?;
    batch::split(std::str::from_utf8(&image.code).ok()?, &texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: [&str; 3] = ["--std=c++17", "-default-device", "--fmad=false"];

    fn request(body: &str) -> Request {
        let text = format!(
            "namespace unit {{\nconstexpr int X = {};\nextern \"C\" __global__ void __launch_bounds__(32) k(int *p) {{ {body} }}\n}}\n",
            body.len()
        );
        let text = format!("#ifndef HEADER_of_test\n#define HEADER_of_test\ntypedef int i32;\n#endif\n{text}");
        Request { name: "k".into(), text, options: OPTIONS.map(String::from).into(), expressions: vec![] }
    }

    fn job(n: u8, request: Request, target: &str) -> Arc<Job> {
        let haste = Haste { plain: true, quick: true };
        Arc::new(Job { key: [n; 32], request, target: target.into(), haste, done: OnceLock::new() })
    }

    fn code(job: &Job) -> String {
        let image = job.done.get().unwrap().clone().unwrap();
        String::from_utf8_lossy(&image.code).into_owned()
    }

    #[test]
    fn texts_of_one_program_come_apart_as_they_would_alone() {
        // The sine of a large double needs a table, which is a variable next to the kernel.
        let bodies =
            ["*p = X;", "*p = (int)sin((double)*p * 1e30);", "__shared__ int s[32]; s[threadIdx.x] = 7; *p = s[1];"];
        let jobs: Vec<_> = (0..).zip(bodies).map(|(n, body)| job(n, request(body), "compute_80")).collect();
        assert_eq!(program(&jobs).unwrap().len(), 3);
        together(&jobs);
        let instructions = |code: &str| {
            let ops = code.lines().map(str::trim).filter(|l| l.ends_with(';') && !l.starts_with('.'));
            ops.map(|l| l.split_whitespace().next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        for (n, body) in (10..).zip(bodies) {
            let alone = [job(n, request(body), "compute_80")];
            together(&alone);
            let (alone, part) = (code(&alone[0]), code(&jobs[n as usize - 10]));
            assert_eq!(instructions(&part), instructions(&alone), "{part}");
            assert_eq!((part.matches(".entry k(").count(), part.matches(".entry").count()), (1, 1), "{part}");
            assert_eq!(part.contains("i2opi"), body.contains("sin"), "{part}");
        }
    }

    #[test]
    fn a_source_that_does_not_compile_is_reported_alone() {
        let jobs = [job(1, request("*p = 1;"), "compute_80"), job(2, request("*p = undeclared;"), "compute_80")];
        together(&jobs);
        assert!(jobs[0].done.get().unwrap().is_ok());
        let error = jobs[1].done.get().unwrap().clone().unwrap_err();
        assert!(error.message().contains("undeclared") && error.message().contains("kernel k"), "{error}");
    }

    #[test]
    fn what_waits_is_compiled_together_and_what_is_asked_for_twice_once() {
        let compiler = Compiler::default();
        // As if every core were compiling.
        compiler.state().programs = cores();
        let requested: Vec<u8> = (0..24).map(|n| n % 12).collect();
        std::thread::scope(|scope| {
            for &n in &requested {
                let compiler = &compiler;
                scope.spawn(move || {
                    let request = request(&format!("*p = {n};"));
                    let haste = Haste { plain: true, quick: true };
                    let image = compiler.compile([n; 32], &request, "compute_80", haste).unwrap();
                    assert!(String::from_utf8_lossy(&image.code).contains(&format!(", {n};")), "{n}");
                });
            }
            // A source is referenced by the compiler and by the threads that request it.
            let asking = || compiler.state().waiting.iter().map(|job| Arc::strong_count(job) - 1).sum::<usize>();
            while asking() < requested.len() {
                std::thread::yield_now();
            }
            compiler.state().programs = 0;
            compiler.changed.notify_all();
        });
        assert_eq!(compiler.texts(), 12);
        let state = compiler.state();
        assert!(state.waiting.is_empty() && state.running.is_empty() && state.programs == 0);
    }

    #[test]
    fn machine_code_and_texts_of_users_stand_alone() {
        let [a, b] = ["compute_80", "sm_90"].map(|target| job(1, request("*p = 1;"), target));
        assert!(a.goes_with(&job(2, request("*p = 2;"), "compute_80")));
        assert!(!b.goes_with(&job(2, request("*p = 2;"), "sm_90")) && !a.goes_with(&b));
        let mut other = request("*p = 3;");
        other.options.push("-DX=1".into());
        assert!(!a.goes_with(&job(3, other, "compute_80")));
    }
}
