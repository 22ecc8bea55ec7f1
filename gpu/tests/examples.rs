//! Runs every example with its assertions, and checks that the cookbook or the gallery shows each of them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the directory of the compiled examples, next to that of this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.parent().and_then(Path::parent).expect("tests are in target/PROFILE/deps").join("examples")
}

#[test]
fn every_example_runs_and_is_short_and_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = |name: &str| std::fs::read_to_string(root.join("../docs/src").join(name)).expect("the page is there");
    let pages = [page("cookbook.md"), page("gallery.md")];
    let mut names: Vec<String> = std::fs::read_dir(root.join("examples"))
        .expect("there are examples")
        .map(|entry| {
            entry.expect("a folder is read").path().file_stem().expect("a name").to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        let text = std::fs::read_to_string(root.join(format!("examples/{name}.rs"))).expect("it is there");
        assert!(text.lines().count() <= 80, "{name} is long");
        assert!(
            pages.iter().any(|page| page.contains(&text)),
            "neither the cookbook nor the gallery has {name} as it is: run `cargo run -p cuprum-generate`"
        );
        let done = Command::new(built().join(&name)).output().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(!done.stdout.is_empty(), "{name} prints nothing");
    }
}
