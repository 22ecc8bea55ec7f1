//! Reports of the mutants: a page for the guide, a few lines for the screen.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Fate, Outcome};

fn count(outcomes: &[Outcome], fates: &[Fate]) -> usize {
    outcomes.iter().filter(|o| fates.contains(&o.fate)).count()
}

/// Returns the percentage of killed mutants among those that are not excepted.
fn rate(outcomes: &[Outcome]) -> f64 {
    let open = outcomes.len() - count(outcomes, &[Fate::Excepted]);
    100.0 * count(outcomes, &[Fate::Killed]) as f64 / open.max(1) as f64
}

fn name(fate: Fate) -> &'static str {
    match fate {
        Fate::Killed => "killed",
        Fate::Survived => "SURVIVED",
        Fate::Excepted => "excepted",
        Fate::Unreached => "UNREACHED",
        Fate::Invalid => "INVALID",
        Fate::Stale => "STALE EXCEPTION",
    }
}

/// Returns the unexpected results, and the counts.
pub fn summary(outcomes: &[Outcome], seconds: f64) -> String {
    let mut out = String::new();
    for outcome in outcomes.iter().filter(|o| !o.fate.is_good()) {
        let Outcome { id, engine, fault, fate, reason, .. } = outcome;
        let _ = writeln!(out, "{} {id} ({engine}): {fault}\n  {reason}", name(*fate));
    }
    let _ = write!(
        out,
        "{} mutants in {seconds:.0} s: {} killed ({:.1} %), {} excepted, {} not as they should be",
        outcomes.len(),
        count(outcomes, &[Fate::Killed]),
        rate(outcomes),
        count(outcomes, &[Fate::Excepted]),
        outcomes.iter().filter(|o| !o.fate.is_good()).count()
    );
    out
}

/// Returns the tables of the page of results.
pub fn page(outcomes: &[Outcome], date: &str, commit: &str, seconds: f64) -> String {
    let mut out = format!(
        "{date} (UTC), commit {commit}: {} mutants in {seconds:.0} s, {} killed of {} that can be ({:.1} %).\n\n\
         | engine | mutants | killed | excepted | others |\n|---|---:|---:|---:|---:|\n",
        outcomes.len(),
        count(outcomes, &[Fate::Killed]),
        outcomes.len() - count(outcomes, &[Fate::Excepted]),
        rate(outcomes)
    );
    let mut engines: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        engines.entry(&outcome.engine).or_default().push(outcome.clone());
    }
    for (engine, of) in &engines {
        let (killed, excepted) = (count(of, &[Fate::Killed]), count(of, &[Fate::Excepted]));
        let others = of.len() - killed - excepted;
        let _ = writeln!(out, "| {engine} | {} | {killed} | {excepted} | {others} |", of.len());
    }
    out += "\n| mutant | engine | the fault | fate | by this case, or why not | cases |\n|---|---|---|---|---|---:|\n";
    for Outcome { id, engine, fault, fate, reason, cases, .. } in outcomes {
        let shown = match fate {
            Fate::Killed => format!("`{}`", reason.split(": ").next().unwrap_or_default()),
            _ => reason.clone(),
        };
        let clean = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(out, "| {id} | {engine} | {} | {} | {} | {cases} |", clean(fault), name(*fate), clean(&shown));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(fate: Fate, reason: &str) -> Outcome {
        let (id, engine, fault) = ("a-b".into(), "flat".into(), "x | y".into());
        Outcome { id, engine, fault, fate, reason: reason.into(), cases: 3, seconds: 0.5 }
    }

    #[test]
    fn rates_leave_out_what_cannot_be_killed() {
        let fates = [Fate::Killed, Fate::Killed, Fate::Killed, Fate::Survived, Fate::Excepted];
        let outcomes: Vec<Outcome> = fates.into_iter().map(|f| outcome(f, "math/add/f32: wrong")).collect();
        let text = summary(&outcomes, 7.4);
        assert!(text.ends_with("5 mutants in 7 s: 3 killed (75.0 %), 1 excepted, 1 not as they should be"), "{text}");
        assert!(text.starts_with("SURVIVED a-b (flat): x | y"), "{text}");
        let page = page(&outcomes, "2026-01-01", "abc", 7.4);
        assert!(page.contains("| flat | 5 | 3 | 1 | 1 |"), "{page}");
        assert!(page.contains("| a-b | flat | x \\| y | killed | `math/add/f32` | 3 |"), "{page}");
    }
}
