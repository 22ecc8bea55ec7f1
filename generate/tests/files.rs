//! Tests of the generated files: the committed files are current, and every kind of drift is detected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, process};

use cuprum_conformance::matrix::Source;
use cuprum_conformance::{Matrix, sample};
use cuprum_generate::date::Date;
use cuprum_generate::{Project, files, operations, scripts};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn matrix() -> Source {
    Source::read(&root().join("matrix.yaml")).unwrap()
}

fn project() -> Project {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    Project::parse(&read("ci/schema.yaml"), &matrix(), Date::today()).unwrap()
}

/// Returns the expected files, computed once for all tests.
fn contents() -> (Project, &'static BTreeMap<String, String>) {
    static FILES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        // The listed sample: that it is what would be sampled anew is checked by `generate --check`.
        let matrix = Matrix::parse(&matrix()).unwrap();
        let sets = sample::case_sets(&matrix, false, matrix.seed);
        let given = cuprum_generate::given(&root(), &matrix, &sets).unwrap();
        files::contents(&project(), &operations::tables(&matrix, &sets), given)
    });
    (project(), files)
}

/// A separate folder for each test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cuprum-generate-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn committed_files_are_current() {
    let (project, files) = contents();
    let differences = files::differences(&root(), &project, files).unwrap();
    assert!(differences.is_empty(), "{}", differences.concat());
}

#[test]
fn writing_makes_the_tree_current() {
    let (project, files) = contents();
    let folder = Folder::new("write");
    let missing = files::differences(&folder.0, &project, files).unwrap();
    assert_eq!(missing.len(), files.len());
    let written = files::write(&folder.0, &project, files).unwrap();
    assert_eq!(written.len(), files.len());
    assert!(files::differences(&folder.0, &project, files).unwrap().is_empty());
    assert!(files::write(&folder.0, &project, files).unwrap().is_empty(), "the second time there is nothing to do");
}

#[test]
fn drift_is_shown_as_a_diff() {
    let (project, files) = contents();
    let folder = Folder::new("drift");
    files::write(&folder.0, &project, files).unwrap();
    let path = folder.0.join("ci/jobs/sim-test.sh");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("run.sh sim build test", "run.sh sim build")).unwrap();
    let differences = files::differences(&folder.0, &project, files).unwrap();
    assert_eq!(differences.len(), 1);
    for line in ["--- ci/jobs/sim-test.sh\n", "-./ci/run.sh sim build\n", "+./ci/run.sh sim build test\n"] {
        assert!(differences[0].contains(line), "{}", differences[0]);
    }
}

#[test]
fn orphans_are_found() {
    let (project, files) = contents();
    let folder = Folder::new("orphan");
    files::write(&folder.0, &project, files).unwrap();
    let generated = fs::read_to_string(folder.0.join("ci/jobs/sim-test.sh")).unwrap();
    fs::write(folder.0.join("ci/jobs/gone.sh"), generated).unwrap();
    fs::write(folder.0.join("ci/jobs/notes.txt"), "by hand").unwrap();
    let differences = files::differences(&folder.0, &project, files).unwrap();
    assert_eq!(
        differences,
        [
            "ci/jobs/gone.sh: belongs to no target of matrix.yaml\n",
            "ci/jobs/notes.txt: belongs to no target of matrix.yaml\n"
        ]
    );
    assert_eq!(files::write(&folder.0, &project, files).unwrap(), ["deleted ci/jobs/gone.sh"]);
    assert!(folder.0.join("ci/jobs/notes.txt").exists(), "what a person wrote is not deleted");
}

#[test]
fn an_extern_target_needs_its_script() {
    let mut project = project();
    project.targets[0].external = true;
    let name = project.targets[0].name.clone();
    let files = files::contents(&project, "", BTreeMap::new());
    assert!(!files.contains_key(&format!("ci/jobs/{name}.sh")));
    let folder = Folder::new("extern");
    files::write(&folder.0, &project, &files).unwrap();
    let differences = files::differences(&folder.0, &project, &files).unwrap();
    assert_eq!(differences, [format!("ci/jobs/{name}.sh: the target is extern, but its script is not there\n")]);
    fs::write(folder.0.join(format!("ci/jobs/{name}.sh")), "#!/bin/sh\n").unwrap();
    assert!(files::differences(&folder.0, &project, &files).unwrap().is_empty());
}

#[test]
fn the_workflow_covers_every_target_and_shard() {
    let (project, files) = contents();
    let workflow = &files[".github/workflows/ci.yml"];
    for target in &project.targets {
        let jobs = workflow.matches(&format!("target: {},", target.name)).count();
        assert_eq!(jobs, target.shards() as usize, "{}", target.name);
    }
    let steps: Vec<_> = workflow.lines().filter(|line| line.contains("run:")).collect();
    assert!(!steps.is_empty() && steps.iter().all(|step| step.contains("./ci/run.sh ")), "{steps:?}");
    assert!(workflow.contains("permissions:\n  contents: read\n"));
}

#[test]
fn the_stages_and_numpys_of_the_schema_are_those_of_the_scripts() {
    let project = project();
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (stages, numpy) = (read(scripts::STAGES), read(scripts::NUMPY));
    let none: [String; 0] = [];
    assert_eq!(scripts::check(&project.schema, &stages, &numpy), none);
    let renamed = stages.replace("stage_lint() {", "stage_style() {");
    assert_eq!(
        scripts::check(&project.schema, &renamed, &numpy),
        [
            "ci/schema.yaml: no stage of ci/run.sh is called lint",
            "ci/run.sh: no value of the axis test has the stage style: no job runs it",
            "ci/run.sh: the usage does not describe style"
        ]
    );
    let older = numpy.replace("NUMPYS=(2.4.6 ", "NUMPYS=(2.3.0 ");
    assert_eq!(
        scripts::check(&project.schema, &stages, &older),
        [
            "ci/schema.yaml: ci/python.sh does not install NumPy 2.4.6",
            "ci/python.sh: NumPy 2.3.0 is no value of the axis numpy: no job installs it"
        ]
    );
}

/// `.ci/run` in a separate tree runs all jobs with the tag `gate`, and fails if one of them fails.
#[test]
#[cfg(unix)]
fn the_gate_runs_what_the_tag_says() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("gate");
    let write = |path: &str, text: &str| {
        let path = folder.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write(".ci/run", &fs::read_to_string(root().join(".ci/run")).unwrap());
    for (job, code) in [("one", 1), ("two", 0), ("three", 0)] {
        write(&format!("ci/jobs/{job}.sh"), &format!("#!/bin/sh\necho {job} >>ran\nexit {code}\n"));
    }
    let run = |tags: &str| {
        write("ci/tags.json", tags);
        let _ = fs::remove_file(folder.0.join("ran"));
        // The tree has no script that downloads the compiler.
        let gate = process::Command::new(folder.0.join(".ci/run")).env("CUPRUM_NVRTC", "there").output().unwrap();
        // The jobs run concurrently and end in any order.
        let ran = fs::read_to_string(folder.0.join("ran")).unwrap_or_default();
        let mut ran: Vec<String> = ran.lines().map(String::from).collect();
        ran.sort();
        (gate.status.success(), ran.join(" "))
    };
    let two = r#"{"one": ["push", "gate"], "three": ["nightly"], "two": ["gate"]}"#;
    assert_eq!(run(two), (false, "one two".into()), "the failure of one job hides no other");
    assert_eq!(run(r#"{"one": ["push"], "two": ["gate"]}"#), (true, "two".into()));
    assert_eq!(run(r#"{"one": ["push"]}"#), (false, String::new()), "a gate of nothing is no gate");
    assert_eq!(run("no JSON"), (false, String::new()));
}

/// Based on the measured times of cases on the two cores of a hosted runner, and on the full sample of a part of the
/// operations: that of all takes a minute.
#[test]
fn every_part_of_a_full_run_ends_in_time() {
    const ONE_OF: usize = 12;
    let project = project();
    let mut matrix = Matrix::built_in().unwrap();
    let all = matrix.ops.len();
    matrix.ops = matrix.ops.into_iter().step_by(ONE_OF).collect();
    let cases = sample::cases(&matrix, true, matrix.seed);
    let of_all = all as f64 / matrix.ops.len() as f64;
    let seconds = of_all * cuprum_conformance::shard::Costs::measured().seconds(&cases) / 2.0;
    let full = |t: &&cuprum_generate::targets::Target| t.value("env:CUPRUM_SAMPLE").as_deref() == Some("full");
    // For unit tests, `full` refers to the kernel sources that they compile.
    let runs_cases = |t: &&cuprum_generate::targets::Target| t.value("test").as_deref() != Some("unit");
    for target in project.targets.iter().filter(full).filter(runs_cases) {
        let minutes = target.record(&project.schema, "test").and_then(|record| record.minutes).unwrap();
        let part = seconds / f64::from(target.shards()) / 60.0;
        assert!(part < 0.75 * f64::from(minutes.get()), "{}: a part takes some {part:.0} minutes", target.name);
    }
}
