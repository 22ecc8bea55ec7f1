//! The worker's side: reads ids, executes them one after the other, writes results.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::report::{About, CaseResult};
use crate::run::Run;

/// Prefix of a message, at the beginning of a line: other output of a library is no message.
const MARK: &str = "@worker ";

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// The worker is ready, on this device.
    Ready(About),
    /// The result of a case.
    Result(Box<CaseResult>),
    /// There are no more cases; with the number of compiled kernels.
    Done(About),
    /// The worker cannot run.
    Unable(String),
}

fn send(output: &mut impl Write, message: &Message) -> io::Result<()> {
    writeln!(output, "\n{MARK}{}", serde_json::to_string(message)?)?;
    output.flush()
}

/// Parses the message of a line, if it is one.
pub(super) fn heard(line: &str) -> Option<Message> {
    serde_json::from_str(line.strip_prefix(MARK)?).ok()
}

/// Reports to the parent that this worker cannot run.
///
/// # Errors
/// If the parent has exited.
pub fn unable(reason: &str, mut output: impl Write) -> io::Result<()> {
    send(&mut output, &Message::Unable(reason.into()))
}

/// Executes cases until the parent has no more ids.
///
/// # Errors
/// If the parent has exited.
pub fn serve(run: &Run<'_>, about: &dyn Fn() -> About, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    send(&mut output, &Message::Ready(about()))?;
    for id in input.lines() {
        send(&mut output, &Message::Result(Box::new(run.id(&id?))))?;
    }
    send(&mut output, &Message::Done(about()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_the_mark_are_messages() {
        let mut out = Vec::new();
        unable("no device", &mut out).unwrap();
        let text = format!("a library's own words{}", String::from_utf8(out).unwrap());
        let heard: Vec<Message> = text.lines().filter_map(heard).collect();
        assert!(matches!(heard.as_slice(), [Message::Unable(reason)] if reason == "no device"), "{text}");
    }
}
