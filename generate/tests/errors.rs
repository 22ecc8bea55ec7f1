//! Tests of the errors of the two files: their positions and messages.

use cuprum_generate::Project;
use cuprum_generate::date::Date;

const SCHEMA: &str = r#"tags:
  push: On every push.
  nightly: Once a day.
  manual: On demand.
axes:
  system: {doc: d, values: {linux: }}
  os: {doc: d, values: {"debian:12": {image: i, requires: {system: [linux]}}}}
  cuda: {doc: d, values: {null: }}
  nvrtc: {doc: d, values: {"13.0.88": }}
  rust: {doc: d, values: {stable: {image: i}}}
  python:
    doc: d
    values:
      "3.8":
      "3.10":
  numpy:
    doc: d
    values:
      null:
      "2.4":
        requires: {python: ["3.10"]}
  device: {doc: d, values: {sim: {runner: [r]}}}
  test: {doc: d, values: {unit: {stages: [test], minutes: 5}}}
  shards: {doc: d, values: {"1": }}
"#;

const MATRIX: &str = r#"ops: [anything, that: {the: suite}, declares: here]
targets:
  - target: one
    doc: d
    tags: [push]
    system: linux
    os: "debian:12"
    cuda: null
    nvrtc: "13.0.88"
    rust: stable
    python: 3.10
    numpy: 2.4
    device: sim
    test: unit
    shards: 1
  - target: two
    inherits: one
    numpy: null
    python: "3.8"
"#;

fn parse(schema: &str, matrix: &str) -> Result<Project, Vec<String>> {
    let today = Date::parse("2026-06-01").unwrap();
    Project::parse(schema, &matrix.into(), today)
}

/// Returns the problems after one replacement in the schema, which must contain `from`.
fn schema_errors(from: &str, to: &str) -> Vec<String> {
    assert!(SCHEMA.contains(from), "{from} is not in the schema");
    parse(&SCHEMA.replacen(from, to, 1), MATRIX).map(|_| ()).unwrap_err()
}

/// Returns the problems after one replacement in the matrix.
fn matrix_errors(from: &str, to: &str) -> Vec<String> {
    assert!(MATRIX.contains(from), "{from} is not in the matrix");
    parse(SCHEMA, &MATRIX.replacen(from, to, 1)).map(|_| ()).unwrap_err()
}

/// Returns the problems after text is appended to both files.
fn added(schema: &str, matrix: &str) -> Result<Project, Vec<String>> {
    parse(&format!("{SCHEMA}{schema}"), &format!("{MATRIX}{matrix}"))
}

#[test]
fn the_snippets_are_sound() {
    let project = parse(SCHEMA, MATRIX).unwrap();
    assert_eq!(project.targets.len(), 2);
    let two = &project.targets[1];
    assert_eq!(two.value("python").as_deref(), Some("3.8"));
    assert_eq!(two.value("numpy"), &None);
    assert_eq!(two.value("rust").as_deref(), Some("stable"), "inherited");
    assert_eq!(project.targets[0].value("python").as_deref(), Some("3.10"), "3.10 is not the number 3.1");
}

#[test]
fn syntax() {
    let errors = schema_errors("push: On every push.", "push: on: every push");
    assert_eq!(errors, ["ci/schema.yaml:2: mapping values are not allowed in this context"]);
    let errors = schema_errors("push: On every push.", "push: [");
    assert_eq!(errors, ["ci/schema.yaml:2: push: invalid type: sequence, expected a string"]);
}

#[test]
fn repeated_keys() {
    let errors = matrix_errors("    doc: d\n", "    doc: d\n    doc: e\n");
    assert_eq!(errors, ["matrix.yaml:3: the key doc occurs twice"]);
    let errors = schema_errors("sim: {runner: [r]}", "sim: {runner: [r], runner: [s]}");
    assert_eq!(errors, ["ci/schema.yaml:22: device.values.sim: duplicate field `runner`"]);
    let errors = schema_errors("requires: {python: [\"3.10\"]}", "requires: {os: [], os: []}");
    assert_eq!(errors, ["ci/schema.yaml:21: numpy.values.2.4.requires: the key \"os\" occurs twice"]);
    let errors = schema_errors("sim: {runner: [r]}", "sim: {runner: [r]}, sim: ");
    assert_eq!(errors, ["ci/schema.yaml:22: device.values: the key Some(\"sim\") occurs twice"]);
    let errors = schema_errors("  nightly:", "  push:");
    assert_eq!(errors, ["ci/schema.yaml:3: `push` occurs twice"]);
}

#[test]
fn unknown_keys_of_the_schema() {
    let errors = schema_errors("tags:\n", "tag: {}\ntags:\n");
    assert_eq!(errors, ["ci/schema.yaml:1: unknown key tag in the schema; known: tags, axes, allow_uncovered"]);
    let errors = schema_errors("  system: {doc: d,", "  cudnn: {doc: d, values: {null: }}\n  system: {doc: d,");
    let known = "system, os, cuda, nvrtc, rust, python, numpy, device, test, shards, env:NAME";
    assert!(errors.contains(&format!("ci/schema.yaml:6: unknown key cudnn in axes; known: {known}")), "{errors:?}");
    let errors = schema_errors("stable: {image: i}", "stable: {image: i, spec: s}");
    let known = "`requires`, `env`, `image`, `runner`, `stages`, `minutes`, `packages`";
    assert_eq!(
        errors,
        [format!("ci/schema.yaml:10: rust.values.stable: unknown field `spec`, expected one of {known}")]
    );
    let errors = schema_errors("stable: {image: i}", "stable: {image: i, minutes: 5}");
    assert_eq!(errors, ["ci/schema.yaml:10: rust stable has minutes, which no value of this axis has"]);
    let errors = schema_errors("rust: {doc: d,", "rust: {doc: d, docs: d,");
    assert_eq!(errors, ["ci/schema.yaml:10: rust: unknown field `docs`, expected `doc` or `values`"]);
}

#[test]
fn missing_parts_of_the_schema() {
    let errors = schema_errors("stable: {image: i}", "stable: {}");
    assert_eq!(errors, ["ci/schema.yaml:10: rust stable lacks image"]);
    let errors = schema_errors("  push: On every push.\n", "");
    assert!(errors.contains(&"ci/schema.yaml:1: the tag push is missing".to_owned()), "{errors:?}");
    let errors = schema_errors("  rust: {doc: d, values: {stable: {image: i}}}\n", "");
    assert!(errors.contains(&"ci/schema.yaml:1: the axis rust is missing".to_owned()), "{errors:?}");
    let errors = schema_errors("rust: {doc: d, values: {stable: {image: i}}}", "rust: ");
    assert!(errors.contains(&"ci/schema.yaml:10: axis rust has no values".to_owned()), "{errors:?}");
    assert!(errors.contains(&"ci/schema.yaml:10: axis rust has no doc".to_owned()), "{errors:?}");
}

#[test]
fn wrong_values_of_the_schema() {
    let errors = schema_errors("minutes: 5", "minutes: soon");
    assert_eq!(
        errors,
        ["ci/schema.yaml:23: test.values.unit.minutes: invalid type: string \"soon\", expected a nonzero u32"]
    );
    let errors = schema_errors("stages: [test]", "stages: test");
    assert_eq!(
        errors,
        ["ci/schema.yaml:23: test.values.unit.stages: invalid type: string \"test\", expected a sequence"]
    );
    let errors = schema_errors("stages: [test]", "stages: [test, null]");
    assert_eq!(errors, ["ci/schema.yaml:23: test.values.unit: an item must not be empty"]);
    let errors = schema_errors("push: On every push.", "push:");
    assert_eq!(errors, ["ci/schema.yaml:2: the tag push has no meaning"]);
    let errors = schema_errors("stable: {image: i}", "stable: {image: i, env: {A-B: c}}");
    assert_eq!(errors, ["ci/schema.yaml:10: rust stable: A-B is not the name of a variable"]);
    let errors = schema_errors(r#"{"1": }"#, r#"{"1": , many: }"#);
    assert!(errors.contains(&"ci/schema.yaml:24: shards must be whole numbers above 0, not many".to_owned()));
    let errors = schema_errors(r#"python: ["3.10"]"#, r#"python: ["3.9"], pip: [a]"#);
    assert!(errors.contains(&"ci/schema.yaml:16: numpy 2.4 requires python 3.9, which does not exist".to_owned()));
    assert!(errors.contains(&"ci/schema.yaml:16: numpy 2.4 requires the axis pip, which does not exist".to_owned()));
}

#[test]
fn the_section_is_missing() {
    let errors = matrix_errors("targets:", "target:");
    assert!(errors.contains(&"matrix.yaml:1: the section targets is missing".to_owned()), "{errors:?}");
}

#[test]
fn unknown_keys_of_a_target() {
    let errors = matrix_errors("    cuda: null\n", "    cuda: null\n    cudnn: null\n");
    assert_eq!(errors, ["matrix.yaml:3: one: unknown key cudnn in a target: no axis of ci/schema.yaml"]);
}

#[test]
fn names() {
    let errors = matrix_errors("target: two", "target: one");
    assert!(errors.contains(&"matrix.yaml:16: the target one is already on line 3".to_owned()), "{errors:?}");
    let errors = matrix_errors("target: two", "target: Two/..");
    assert_eq!(errors, ["matrix.yaml:16: Two/.. cannot name files: use a-z, 0-9, - and . only"]);
    let errors = matrix_errors("  - target: two\n    inherits", "  - inherits");
    assert!(errors.contains(&"matrix.yaml:16: a target without a name: the key target is missing".to_owned()));
}

#[test]
fn values_and_axes() {
    let errors = matrix_errors("rust: stable", "rust: beta");
    assert!(errors.contains(&"matrix.yaml:3: one: rust has no value beta; known: stable".to_owned()), "{errors:?}");
    let errors = matrix_errors("    device: sim\n", "");
    assert!(errors.contains(&"matrix.yaml:3: one lacks device".to_owned()), "{errors:?}");
    assert!(errors.contains(&"matrix.yaml:15: two lacks device".to_owned()), "{errors:?}");
}

#[test]
fn constraints() {
    let errors = matrix_errors("    numpy: null\n", "");
    assert!(
        errors.contains(&"matrix.yaml:16: two: numpy 2.4 goes with python 3.10 only, not 3.8".to_owned()),
        "{errors:?}"
    );
}

#[test]
fn tags() {
    let errors = matrix_errors("tags: [push]", "tags: [push, fast]");
    assert_eq!(errors, ["matrix.yaml:3: one: the tag fast is not in ci/schema.yaml"]);
    let errors = matrix_errors("    tags: [push]\n", "");
    assert_eq!(errors, ["matrix.yaml:3: one lacks tags", "matrix.yaml:15: two lacks tags"]);
    let errors = matrix_errors("tags: [push]", "tags: [push, nightly]");
    assert_eq!(errors[0], "matrix.yaml:3: one must have exactly one of the tags push, nightly, manual");
    let errors = matrix_errors("tags: [push]", "tags: []");
    assert_eq!(errors[0], "matrix.yaml:3: one must have exactly one of the tags push, nightly, manual");
}

#[test]
fn inheritance() {
    let three = "  - target: three\n    inherits: two\n";
    let project = added("", three).unwrap();
    assert_eq!(project.targets[2].value("python").as_deref(), Some("3.8"), "from the nearest");
    assert_eq!(project.targets[2].value("rust").as_deref(), Some("stable"), "from two levels up");

    let errors = matrix_errors("inherits: one", "inherits: zero");
    assert!(errors.contains(&"matrix.yaml:16: inherits zero, which is no target".to_owned()), "{errors:?}");
    let errors = matrix_errors("    doc: d\n", "    doc: d\n    inherits: two\n");
    assert!(errors.contains(&"matrix.yaml:17: one inherits itself: one -> two -> one".to_owned()), "{errors:?}");
    let errors = matrix_errors("    doc: d\n", "    doc: d\n    extern: maybe\n");
    assert_eq!(errors, ["matrix.yaml:5: extern: invalid type: string \"maybe\", expected a boolean"]);
}

#[test]
fn uncovered_values() {
    let errors = schema_errors(r#"{"13.0.88": }"#, r#"{"13.0.88": , "13.5.37": }"#);
    assert_eq!(errors, ["ci/schema.yaml:9: no target has nvrtc 13.5.37: add one, or an entry to allow_uncovered"]);
}

#[test]
fn exceptions() {
    let uncovered = SCHEMA.replace(r#"{"13.0.88": }"#, r#"{"13.0.88": , "13.5.37": }"#);
    let with = |entry: &str| {
        parse(&format!("{uncovered}allow_uncovered:\n  - {{{entry}}}\n"), MATRIX)
            .map(|project| project.schema.allowed.len())
    };
    assert_eq!(with(r#"axis: nvrtc, value: "13.5.37", reason: r, until: 2026-06-01"#), Ok(1), "the last day counts");
    let errors = with(r#"axis: nvrtc, value: "13.5.37", reason: r, until: 2026-05-31"#).unwrap_err();
    assert_eq!(errors, ["ci/schema.yaml:26: nvrtc 13.5.37 was allowed to be uncovered until 2026-05-31 only"]);
    let errors = with(r#"axis: nvrtc, value: "13.5.37", reason: r, until: soon"#).unwrap_err();
    assert!(errors.contains(&"ci/schema.yaml:26: soon is no day such as 2027-01-31".to_owned()));
    let errors = with(r#"axis: nvrtc, value: "13.5.37", until: 2027-01-01"#).unwrap_err();
    assert!(errors.contains(&"ci/schema.yaml:26: missing field `reason`".to_owned()));
    let errors = with(r#"axis: nvrtc, value: "13.5.37", reason: null, until: 2027-01-01"#).unwrap_err();
    assert_eq!(errors, ["ci/schema.yaml:26: this must not be empty"]);
    let errors = with("axis: nvrtc, reason: r, until: 2027-01-01").unwrap_err();
    assert_eq!(errors, ["ci/schema.yaml:26: missing field `value`"], "null is a value that must be said");
    let errors = with(r#"axis: nvrtc, value: "1.0", reason: r, until: 2027-01-01"#).unwrap_err();
    assert!(errors.contains(&"ci/schema.yaml:26: allow_uncovered names nvrtc 1.0, which does not exist".to_owned()));
    let errors = with(r#"axis: nvrtc, value: "13.5.37", reason: r, until: 2027-01-01, who: me"#).unwrap_err();
    let known = "`axis`, `value`, `reason`, `until`";
    assert_eq!(errors, [format!("ci/schema.yaml:26: unknown field `who`, expected one of {known}")]);
    let stale = "allow_uncovered:\n  - {axis: rust, value: stable, reason: r, until: 2027-01-01}\n";
    let errors = added(stale, "").map(|_| ()).unwrap_err();
    assert_eq!(errors, ["ci/schema.yaml:26: rust stable is covered: take its entry out of allow_uncovered"]);
}

#[test]
fn all_errors_at_once() {
    let all = |schema: &str, matrix: &str| parse(schema, matrix).map(|_| ()).unwrap_err();
    let schema = SCHEMA.replace("minutes: 5", "minutes: 0").replace("stable: {image: i}", "stable: {spec: i}");
    let errors = all(&schema, &MATRIX.replace("    doc: d\n", "    doc: [d]\n"));
    let lines: Vec<_> = errors.iter().filter_map(|error| Some(error.split_once(": ")?.0)).collect();
    assert_eq!(lines, ["ci/schema.yaml:10", "ci/schema.yaml:23", "matrix.yaml:4"], "{errors:#?}");

    let matrix = MATRIX.replace("rust: stable", "rust: beta").replace("tags: [push]", "tags: [fast]");
    let errors = all(&SCHEMA.replace("minutes: 5", "runner: [r]"), &matrix);
    for expected in [
        "ci/schema.yaml:23: test unit lacks minutes",
        "ci/schema.yaml:23: test unit has runner, which no value of this axis has",
        "matrix.yaml:3: one: the tag fast is not in ci/schema.yaml",
        "matrix.yaml:3: one: rust has no value beta; known: stable",
    ] {
        assert!(errors.contains(&expected.to_owned()), "{expected} is not in {errors:#?}");
    }
}
