//! Progress line: what a long operation does, on one line of the terminal that vanishes when it ends.
//!
//! Nothing is written if the standard error is no terminal, if `CUPRUM_PROGRESS` is 0, or within the first half second. A
//! program that a user watches thus explains its pauses, and no log contains a line of it.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time after which an operation is shown.
const DELAY: Duration = Duration::from_millis(500);
/// Time between two updates of the line.
const INTERVAL: Duration = Duration::from_millis(100);
/// Columns of the line: it must not wrap, since only one line is erased.
const COLUMNS: usize = 78;

/// An operation that is shown while the value lives.
#[derive(Debug)]
pub(crate) struct Progress(Option<Writer>);

/// The thread that writes.
#[derive(Debug)]
struct Writer {
    /// The text that it writes.
    shared: Arc<Shared>,
    /// The thread; taken when the operation ends.
    thread: Option<JoinHandle<()>>,
}

/// State that the operation shares with the thread that writes.
#[derive(Debug)]
struct Shared {
    /// The present step; `None` when the operation has ended.
    step: Mutex<Option<String>>,
    /// Notified when the operation ends.
    ended: Condvar,
}

/// Returns true if the line is written.
fn is_shown() -> bool {
    static SHOWN: OnceLock<bool> = OnceLock::new();
    *SHOWN.get_or_init(|| {
        std::io::stderr().is_terminal()
            && std::env::var_os("CUPRUM_PROGRESS").is_none_or(|value| value != "0")
            && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
    })
}

impl Progress {
    /// Begins an operation, whose name precedes each step.
    pub(crate) fn start(name: &'static str) -> Progress {
        if is_shown() { Progress::on(name, std::io::stderr(), DELAY) } else { Progress(None) }
    }

    /// Begins an operation that is shown on a terminal after a time.
    fn on(name: &'static str, mut terminal: impl Write + Send + 'static, delay: Duration) -> Progress {
        let shared = Arc::new(Shared { step: Mutex::new(Some(String::new())), ended: Condvar::new() });
        let writer = Arc::clone(&shared);
        let begun = Instant::now();
        let write = move || {
            let (mut step, mut pause, mut is_written) = (writer.step(), delay, false);
            while step.is_some() {
                let (woken, timeout) = writer.ended.wait_timeout(step, pause).unwrap_or_else(PoisonError::into_inner);
                step = woken;
                if let Some(text) = step.as_deref().filter(|_| timeout.timed_out()) {
                    let _ = terminal.write_all(line(name, text, begun.elapsed()).as_bytes());
                    let _ = terminal.flush();
                    (pause, is_written) = (INTERVAL, true);
                }
            }
            if is_written {
                let _ = terminal.write_all(ERASE.as_bytes());
                let _ = terminal.flush();
            }
        };
        // Without a thread there is no line, which is no reason to fail.
        let started = std::thread::Builder::new().name("cuprum-progress".into()).spawn(write);
        Progress(started.ok().map(|thread| Writer { shared, thread: Some(thread) }))
    }

    /// Sets the present step.
    pub(crate) fn show(&self, step: String) {
        if let Some(writer) = &self.0 {
            *writer.shared.step() = Some(step);
        }
    }
}

impl Shared {
    fn step(&self) -> MutexGuard<'_, Option<String>> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        *self.shared.step() = None;
        self.shared.ended.notify_all();
        // The line is erased before the program writes another one.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Moves to the beginning of the line, and erases it.
const ERASE: &str = "\r\x1b[K";

/// Returns the line of a step.
fn line(name: &str, step: &str, time: Duration) -> String {
    let mut text = format!("cuprum: {name}");
    if !step.is_empty() {
        let _ = write!(text, ": {step}");
    }
    let seconds = format!(" ({} s)", time.as_secs());
    let room = COLUMNS - seconds.len();
    // Names of kernels may come from a user's source: a control character would move the cursor.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(room).collect();
    format!("{ERASE}{text}{seconds}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terminal whose bytes a test reads.
    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }

        /// Waits until the screen has a text.
        fn wait(&self, what: impl Fn(&str) -> bool) {
            let start = Instant::now();
            while !what(&self.text()) {
                assert!(start.elapsed() < Duration::from_secs(20), "the screen has {:?}", self.text());
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_long_operation_is_shown_and_its_line_vanishes() {
        let screen = Screen::default();
        let progress = Progress::on("compiling", screen.clone(), Duration::from_millis(1));
        progress.show("kernel add".into());
        screen.wait(|text| text.contains("cuprum: compiling: kernel add (0 s)"));
        progress.show("kernel sum".into());
        screen.wait(|text| text.contains("kernel sum"));
        drop(progress);
        assert!(screen.text().ends_with(ERASE) && !screen.text().contains('\n'), "{:?}", screen.text());
    }

    #[test]
    fn a_short_operation_is_not_shown() {
        let screen = Screen::default();
        let start = Instant::now();
        drop(Progress::on("compiling", screen.clone(), Duration::from_secs(600)));
        assert_eq!(screen.text(), "");
        assert!(start.elapsed() < Duration::from_secs(60), "the end waits for the line");
    }

    #[test]
    fn a_line_has_no_control_characters_and_does_not_wrap() {
        let text = line("compiling", &format!("kernel \x1b[2J\n{}", "x".repeat(200)), Duration::from_secs(12));
        let text = text.strip_prefix(ERASE).unwrap();
        assert!(
            text.chars().all(|c| !c.is_control()) && text.len() == COLUMNS && text.ends_with(" (12 s)"),
            "{text:?}"
        );
    }
}
