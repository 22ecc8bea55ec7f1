//! The generated files: those committed are current, and drift of every kind is seen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, process};

use cuprum_generate::date::Date;
use cuprum_generate::{Project, files};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn contents() -> (Project, BTreeMap<String, String>) {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let matrix = read("matrix.yaml");
    let project = Project::parse(&read("ci/schema.yaml"), &matrix, Date::today()).unwrap();
    let (operations, cases) = (cuprum_generate::operations(&matrix), cuprum_generate::must_pass(&matrix));
    let names = cuprum_generate::names::page(&read(cuprum_generate::names::FILE));
    let files = files::contents(&project, &operations.unwrap(), &cases.unwrap(), &names.unwrap());
    (project, files)
}

/// A folder of its own for each test, gone at the end.
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
    let differences = files::differences(&root(), &project, &files).unwrap();
    assert!(differences.is_empty(), "{}", differences.concat());
}

#[test]
fn writing_makes_the_tree_current() {
    let (project, files) = contents();
    let folder = Folder::new("write");
    let missing = files::differences(&folder.0, &project, &files).unwrap();
    assert_eq!(missing.len(), files.len());
    let written = files::write(&folder.0, &project, &files).unwrap();
    assert_eq!(written.len(), files.len());
    assert!(files::differences(&folder.0, &project, &files).unwrap().is_empty());
    assert!(files::write(&folder.0, &project, &files).unwrap().is_empty(), "the second time there is nothing to do");
}

#[test]
fn drift_is_shown_as_a_diff() {
    let (project, files) = contents();
    let folder = Folder::new("drift");
    files::write(&folder.0, &project, &files).unwrap();
    let path = folder.0.join("ci/jobs/sim-test.sh");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("run.sh sim test", "run.sh sim build")).unwrap();
    let differences = files::differences(&folder.0, &project, &files).unwrap();
    assert_eq!(differences.len(), 1);
    for line in ["--- ci/jobs/sim-test.sh\n", "-./ci/run.sh sim build\n", "+./ci/run.sh sim test\n"] {
        assert!(differences[0].contains(line), "{}", differences[0]);
    }
}

#[test]
fn orphans_are_found() {
    let (project, files) = contents();
    let folder = Folder::new("orphan");
    files::write(&folder.0, &project, &files).unwrap();
    let generated = fs::read_to_string(folder.0.join("ci/jobs/sim-test.sh")).unwrap();
    fs::write(folder.0.join("ci/jobs/gone.sh"), generated).unwrap();
    fs::write(folder.0.join("ci/jobs/notes.txt"), "by hand").unwrap();
    let differences = files::differences(&folder.0, &project, &files).unwrap();
    assert_eq!(
        differences,
        [
            "ci/jobs/gone.sh: belongs to no target of matrix.yaml\n",
            "ci/jobs/notes.txt: belongs to no target of matrix.yaml\n"
        ]
    );
    assert_eq!(files::write(&folder.0, &project, &files).unwrap(), ["deleted ci/jobs/gone.sh"]);
    assert!(folder.0.join("ci/jobs/notes.txt").exists(), "what a person wrote is not deleted");
}

#[test]
fn an_extern_target_needs_its_script() {
    let (mut project, _) = contents();
    project.targets[0].external = true;
    let name = project.targets[0].name.clone();
    let files = files::contents(&project, "", "", "");
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
