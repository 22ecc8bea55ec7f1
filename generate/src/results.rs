//! `docs/src/results/`: one table for each device, generated from the records that `conformance record` wrote.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use cuprum_conformance::report::record::{Record, tables};

use crate::jobs::MARK;

/// The folder that contains a folder of records for each device.
const RUNS: &str = "docs/measurements/runs";
/// The folder of the pages in the book.
const PAGES: &str = "docs/src/results";
/// The devices: the name of the folder and of the file, and the heading.
const DEVICES: [(&str, &str); 3] = [
    ("h100", "NVIDIA H100"),
    ("h200", "NVIDIA H200"),
    ("simulator", "Simulator: two cores of a CPU without a GPU, NVRTC 13.0.88"),
];

/// Returns the pages, by their paths from the root.
///
/// # Errors
///
/// Returns an error if a record cannot be read or parsed.
pub fn pages(root: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for (device, heading) in DEVICES {
        let records = records(&root.join(RUNS).join(device))?;
        let table = match records.as_slice() {
            [] => "No run has been recorded yet.\n".to_owned(),
            records => tables(records),
        };
        files.insert(format!("{PAGES}/{device}.md"), format!("<!-- {MARK} -->\n\n# {heading}\n\n{table}"));
    }
    Ok(files)
}

/// Returns the records of a folder, in the order of their names; empty if there is no such folder.
fn records(folder: &Path) -> io::Result<Vec<Record>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let named = |error: String| io::Error::other(format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(|e| named(e.to_string()))?;
        serde_json::from_str(&text).map_err(|e| named(e.to_string()))
    };
    paths.iter().map(read).collect()
}
