//! Programs in separate processes: a fault of the device ends one process and not the run.

use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::run::Totals;

/// Prefix of the line with the counts of a process.
const MARK: &str = "@totals ";
/// Maximum number of programs of a process, which limits the idle time at the end.
const PART: u64 = 250;
/// Number of processes that each worker starts, if there are enough programs.
const STARTS: u64 = 3;

/// Formats the line with which a process reports its counts.
///
/// # Errors
/// If they cannot be written as JSON.
pub fn line(totals: &Totals) -> serde_json::Result<String> {
    Ok(format!("{MARK}{}\n", serde_json::to_string(totals)?))
}

/// Executes the programs of these seeds in `workers` concurrent processes. `command` builds a command for some of the
/// seeds, and `print_line` receives each line that it prints except its counts.
///
/// # Errors
/// The seeds whose process reported no counts, and how it ended; the others have been executed.
pub fn programs(
    seeds: Range<u64>,
    workers: usize,
    command: &(dyn Fn(&Range<u64>) -> Command + Sync),
    print_line: &(dyn Fn(&str) + Sync),
) -> Result<Totals, String> {
    let step = ((seeds.end - seeds.start) / (workers.max(1) as u64 * STARTS)).clamp(1, PART);
    let next = AtomicU64::new(seeds.start);
    let (all, broken) = (Mutex::new(Totals::default()), Mutex::new(vec![]));
    let work = || {
        loop {
            let start = next.fetch_add(step, Ordering::Relaxed);
            if start >= seeds.end {
                break;
            }
            let part = start..(start + step).min(seeds.end);
            match process(command(&part), print_line) {
                Ok(totals) => all.lock().expect("no thread panics while it holds the lock").add(totals),
                Err(reason) => {
                    let message = format!("the programs {} to {}: {reason}", part.start, part.end - 1);
                    broken.lock().expect("no thread panics while it holds the lock").push(message);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(work);
        }
    });
    let broken = broken.into_inner().expect("no thread panics while it holds the lock");
    let totals = all.into_inner().expect("no thread panics while it holds the lock");
    if broken.is_empty() { Ok(totals) } else { Err(format!("{totals}{}", broken.join("\n"))) }
}

fn process(mut command: Command, print_line: &(dyn Fn(&str) + Sync)) -> Result<Totals, String> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("no process: {e}"))?;
    let mut totals = None;
    if let Some(stdout) = child.stdout.take() {
        // A line need not be valid text: kernels may print anything.
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match line.strip_prefix(MARK) {
                Some(numbers) => totals = serde_json::from_str(numbers).ok(),
                None => print_line(&line),
            }
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    totals.ok_or_else(|| status.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: String) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        command
    }

    #[test]
    fn numbers_are_added_and_other_lines_are_printed() {
        let command = |part: &Range<u64>| {
            let mut totals = Totals { failed: 1, ..Totals::default() };
            totals.counts.programs = part.end - part.start;
            shell(format!("echo a report; echo '{}'", line(&totals).unwrap().trim()))
        };
        let lines = Mutex::new(vec![]);
        let print_line = |line: &str| lines.lock().unwrap().push(line.to_string());
        let totals = programs(100..147, 2, &command, &print_line).unwrap();
        assert_eq!((totals.counts.programs, totals.failed), (47, 7));
        assert_eq!(lines.into_inner().unwrap(), ["a report"; 7]);
    }

    #[test]
    fn a_process_that_dies_is_reported_with_its_seeds() {
        let command = |part: &Range<u64>| {
            let numbers = line(&Totals::default()).unwrap();
            shell(if part.start == 8 { "kill -9 $$".into() } else { format!("echo '{}'", numbers.trim()) })
        };
        let message = programs(0..12, 1, &command, &|_| {}).unwrap_err();
        assert!(message.contains("the programs 8 to 11: signal: 9"), "{message}");
    }
}
