//! The hosted workflow, the tags and the attributes: one file each for all targets.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroU32;

use crate::jobs::MARK;
use crate::schema::{EVENTS, Schema};
use crate::targets::Target;

/// Returns `.github/workflows/ci.yml`: a job for each event, with the targets and their shards as its matrix. Compiled
/// kernels are cached between runs; kernels with changed sources are recompiled.
pub fn workflow(schema: &Schema, targets: &[Target]) -> String {
    let mut text = format!(
        "# {MARK}\n\
         name: ci\n\
         \n\
         on:\n\
         \x20 push:\n\
         \x20   branches: [main]\n\
         \x20 pull_request:\n\
         \x20 schedule:\n\
         \x20   - cron: \"17 3 * * *\"\n\
         \x20 workflow_dispatch:\n\
         \n\
         permissions:\n\
         \x20 contents: read\n\
         \n\
         concurrency:\n\
         \x20 group: ${{{{ github.workflow }}}}-${{{{ github.event_name }}}}-${{{{ github.ref }}}}\n\
         \x20 cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}\n\
         \n\
         jobs:\n"
    );
    for event in EVENTS {
        let chosen: Vec<_> = targets.iter().filter(|target| !target.external && target.event() == event).collect();
        if !chosen.is_empty() {
            job(schema, event, &chosen, &mut text);
        }
    }
    text
}

fn job(schema: &Schema, event: &str, targets: &[&Target], text: &mut String) {
    let condition = match event {
        "push" => None,
        "nightly" => Some("github.event_name == 'schedule' || github.event_name == 'workflow_dispatch'"),
        _ => Some("github.event_name == 'workflow_dispatch'"),
    };
    let _ = writeln!(text, "  {event}:");
    if let Some(condition) = condition {
        let _ = writeln!(text, "    if: {condition}");
    }
    text.push_str(
        "    name: ${{ matrix.name }}\n    \
         runs-on: ${{ matrix.runner }}\n    \
         timeout-minutes: ${{ matrix.minutes }}\n    \
         strategy:\n      \
         fail-fast: false\n      \
         matrix:\n        \
         include:\n",
    );
    for target in targets {
        let runner = target.record(schema, "device").map(|record| record.runner.join(", ")).unwrap_or_default();
        let minutes = target.record(schema, "test").and_then(|record| record.minutes).map_or(60, NonZeroU32::get);
        let name = &target.name;
        for part in 1..=target.shards() {
            let (label, shard) = match target.shards() {
                1 => (name.clone(), String::new()),
                count => (format!("{name} {part} of {count}"), format!("{part}/{count}")),
            };
            let _ = writeln!(
                text,
                "          - {{name: \"{label}\", target: {name}, part: {part}, shard: \"{shard}\", runner: [{runner}], minutes: {minutes}}}"
            );
        }
    }
    text.push_str(
        "    steps:\n      \
         - uses: actions/checkout@v4\n        \
         with:\n          \
         persist-credentials: false\n      \
         - uses: actions/cache@v4\n        \
         with:\n          \
         path: .cuda\n          \
         key: kernels-${{ matrix.target }}-${{ matrix.part }}-${{ hashFiles('kernels/**', 'gpu/src/bin/cuprum/setup.py') }}\n          \
         restore-keys: kernels-${{ matrix.target }}-${{ matrix.part }}-\n      \
         - run: ./ci/run.sh ${{ matrix.target }} container\n        \
         env:\n          \
         CUPRUM_SHARD: ${{ matrix.shard }}\n      \
         - uses: actions/upload-artifact@v4\n        \
         if: always()\n        \
         with:\n          \
         name: report ${{ strategy.job-index }} ${{ matrix.target }}\n          \
         path: report/\n          \
         if-no-files-found: ignore\n",
    );
}

/// Returns `ci/tags.json`: the tags of each target.
pub fn tags(targets: &[Target]) -> String {
    let tags: BTreeMap<_, _> = targets.iter().map(|target| (&target.name, &target.tags)).collect();
    let mut text = serde_json::to_string_pretty(&tags).expect("strings always have a JSON form");
    text.push('\n');
    text
}

/// Returns `.gitattributes`, which collapses generated files in reviews.
pub fn attributes<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let mut text = format!("# {MARK}\n*.npz binary\n");
    for path in paths {
        let _ = writeln!(text, "/{path} linguist-generated");
    }
    text
}
