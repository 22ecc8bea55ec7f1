//! Checks of the benchmark: every row runs, and the other libraries' scripts have rows of the same names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cuprum_benches::data::{Data, Sizes};
use cuprum_benches::device_rows;

#[test]
fn every_row_runs_with_small_operands() {
    let data = Data::new(Sizes::SMALL).unwrap();
    for row in device_rows::rows() {
        let ready = (row.prepare)(&data).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        (ready.call)().unwrap_or_else(|error| panic!("{}: {error}", row.name));
    }
}

#[test]
fn the_peers_have_the_same_rows() {
    let read = |name| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let script = ["peers_cupy.py", "peers_torch.py", "peers_libraries.py"].map(read).concat();
    // A long row is split over lines, in parentheses.
    let script = script.split_whitespace().collect::<Vec<_>>().join(" ");
    let names: BTreeSet<String> = device_rows::rows().into_iter().map(|row| row.name).collect();
    assert_eq!(names.len(), device_rows::rows().len(), "a name occurs twice");
    for name in names {
        // The rows of `add` by dtype are built from a table of dtypes.
        let by_dtype = name.strip_prefix("add ").is_some_and(|dtype| script.contains(&format!("\"{dtype}\": ")));
        // The rows of reductions are built from a function, a dtype and an axis.
        let parts = name.split_once(", ").map(|(what, along)| (what, what.split_once(' '), along));
        let along = parts.is_some_and(|(what, split, along)| {
            let function = split.map_or("", |(function, _)| function);
            let listed = script.contains(&format!("\"{what}\""))
                || script.contains(&format!("{function} "))
                || script.contains(&format!(" {function}\""));
            listed && (["all", "axis 0", "axis 1"].contains(&along) || along.starts_with("rows of "))
        });
        let own = ["yield ", "yield ( "].iter().any(|start| script.contains(&format!("{start}\"{name}\"")));
        assert!(by_dtype || along || own, "the peers have no row {name}");
    }
}
