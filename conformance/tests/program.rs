//! Tests of the program on the simulator: a run in worker processes, and its reports.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn conformance(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().expect("the program can be started")
}

/// Returns the standard output of a call that must end with this code.
fn says(arguments: &[&str], code: i32) -> String {
    let output = conformance(arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    out.into_owned()
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn workers_give_what_threads_give_and_runs_can_be_compared() {
    let folder = scratch("run");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let run = |name: &str, filters: &[&str], more: &[&str]| {
        let (json, digest) = (file(&format!("{name}.json")), file(&format!("{name}.digest")));
        let mut arguments = vec!["run", "--device", "sim", "--json", &json, "--digest", &digest];
        filters.iter().for_each(|filter| arguments.extend(["--filter", filter]));
        arguments.extend(more);
        says(&arguments, 0)
    };
    let both = ["math/negative/i32/", "divergence/"];
    let (junit, html) = (file("run.xml"), file("run.html"));
    let threads = run("threads", &both, &[]);
    let workers = run("workers", &both, &["--workers", "2", "--junit", &junit, "--html", &html]);
    assert!(threads.contains("thread(s)") && workers.contains("2 worker process(es)"), "{threads}\n{workers}");
    let same = says(&["digests", &file("threads.digest"), &file("workers.digest")], 0);
    assert!(same.contains(", 0 different") && same.contains("in one of the two runs only: 0"), "{same}");
    let text = std::fs::read_to_string(&junit).unwrap();
    assert!(text.contains("conformance run --device sim") && text.contains("math/negative/i32/"), "{text}");
    assert!(std::fs::read_to_string(&html).unwrap().contains("Cuprum simulator"));

    run("fewer", &both[..1], &[]);
    let fewer = says(&["compare", &file("threads.json"), &file("fewer.json")], 1);
    assert!(fewer.contains("### Vanished") && fewer.contains("- `divergence/"), "{fewer}");
    let more = says(&["compare", &file("fewer.json"), &file("threads.json")], 0);
    assert!(more.contains("### New") && !more.contains("### Vanished"), "{more}");

    let page = file("page.html");
    says(&["report", &file("threads.json"), &file("workers.json"), "--html", &page], 0);
    let page = std::fs::read_to_string(&page).unwrap();
    assert_eq!(page.matches("<h2>Cuprum simulator</h2>").count(), 2);
}

#[test]
fn a_missing_device_is_reported_by_the_workers_too() {
    let output = conformance(&["run", "--device", "nowhere", "--workers", "2", "--filter", "math/negative/i32"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("there is no device \"nowhere\""), "{message}");
}
