//! Error messages of the library: one entry for each message, with a call that raises it and a remedy.
//!
//! The guide's troubleshooting page is generated from these entries.

mod corners;
mod creation;
mod elements;
mod exchange;
mod files;
mod fourier;
mod functions;
mod linalg;
mod making;
mod mathematics;
mod random;
mod rare;
mod shown;
mod statistics;

/// A message with an example that raises it.
#[derive(Debug)]
pub struct Message {
    /// The section of the page.
    pub section: &'static str,
    /// The source of a call that raises it.
    pub call: &'static str,
    /// The whole message.
    pub message: &'static str,
    /// The remedy.
    pub cure: &'static str,
    /// Makes the call: returns its message, or `None` if it does not raise.
    pub said: fn() -> Option<String>,
}

/// Declares entries by section: a call, its message, a remedy.
macro_rules! messages {
    ($($section:literal { $($call:expr => $message:literal, $cure:literal;)+ })+) => {
        pub(super) fn all() -> Vec<super::Message> {
            vec![$($(super::Message {
                section: $section,
                call: stringify!($call),
                message: $message,
                cure: $cure,
                said: || {
                    let tried = || -> cuprum::Result<Option<String>> { Ok($call.err().map(|e| e.to_string())) };
                    tried().unwrap_or_else(|e| Some(format!("on the way to the call: {e}")))
                },
            }),+),+]
        }
    };
}
pub(crate) use messages;

/// Returns all messages, in the order of the page.
pub fn all() -> Vec<Message> {
    [
        making::all(),
        creation::all(),
        elements::all(),
        functions::all(),
        mathematics::all(),
        linalg::all(),
        fourier::all(),
        statistics::all(),
        random::all(),
        files::all(),
        exchange::all(),
        corners::all(),
        rare::all(),
        shown::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_call_says_what_its_line_holds() {
        let differ: Vec<String> = all()
            .iter()
            .enumerate()
            .map(|(line, m)| (line, m, (m.said)()))
            .filter(|(_, m, said)| said.as_deref() != Some(m.message))
            .map(|(line, m, said)| format!("{line}\t{}\t{}", said.unwrap_or_else(|| "it is done".into()), m.call))
            .collect();
        assert!(differ.is_empty(), "lines that say something else:\n{}", differ.join("\n"));
    }

    #[test]
    fn messages_begin_with_the_function_and_have_no_jargon() {
        for m in all().iter().filter(|m| m.section != "Dtypes") {
            let name = m.message.split(": ").next().unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.:".contains(c));
            assert!(
                is_name || m.section == "Calls by name" || m.section == "Devices" || m.call.contains("parse"),
                "{m:?}"
            );
            for word in ["loop", "go()", "None)", "there is no loop"] {
                assert!(!m.message.contains(word), "{m:?}");
            }
        }
    }
}
