//! Features of dependencies: a build of one package selects those of the whole workspace, so that it uses what that has
//! built.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Returns the dependencies that cargo selects for packages, each with its version and its features.
fn selected(packages: &[&str]) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["tree", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p} {f}"]);
    let output = command.args(packages).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    // A line that was printed before ends with `(*)`.
    text.lines().map(|line| line.trim_end_matches(" (*)").trim().to_string()).filter(|line| !line.is_empty()).collect()
}

/// The Python package is built alone for wheels, where a dependency of the tests has no business.
#[test]
fn a_build_of_one_package_selects_the_features_of_the_workspace() {
    let all = selected(&["--workspace"]);
    assert!(all.len() > 100, "{all:?}");
    let packages = [
        "cuprum",
        "cuprum-benches",
        "cuprum-conformance",
        "cuprum-dense",
        "cuprum-direct",
        "cuprum-fourier",
        "cuprum-geometry",
        "cuprum-generate",
        "cuprum-kernels",
        "cuprum-macros",
        "cuprum-oracle",
        "cuprum-sim",
        "cuprum-tests",
    ];
    std::thread::scope(|scope| {
        for package in packages {
            let all = &all;
            scope.spawn(move || {
                let of_one = selected(&["--package", package]);
                let others: Vec<&String> = of_one.difference(all).collect();
                assert!(
                    others.is_empty(),
                    "{package} alone: {others:?}; ci/features/Cargo.toml lists the features of all"
                );
            });
        }
    });
}
