//! What the library says where it rejects: one line for each message, with a call that gives it and what helps.
//!
//! The guide's page of troubles is made of these lines.

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

/// A message, and how it comes about.
#[derive(Debug)]
pub struct Message {
    /// What it is about.
    pub section: &'static str,
    /// The text of a call that gives it.
    pub call: &'static str,
    /// The whole message.
    pub message: &'static str,
    /// What helps.
    pub cure: &'static str,
    /// Makes the call: what it says, or nothing where it does not reject.
    pub said: fn() -> Option<String>,
}

/// Lines by section: a call, its message, what helps.
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

/// All messages, in the order of the page.
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
