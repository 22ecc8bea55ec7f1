//! Times named rows on the current device and prints one JSON object per line; `peers.py` does the same for CuPy and
//! PyTorch, and `table.py` merges both into a table.
//!
//! `side_by_side --small` runs every row once with small operands, as a check on the simulator; `side_by_side --only
//! PART...` times the rows of the device whose names contain one of the parts, and with `call` those of the host;
//! `side_by_side --calls` times the calls that `python_calls.py` times from Python; `side_by_side --ladder [LARGEST]`
//! times ten calls at sizes up to the largest, which `ladder.py` plots.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs, process};

use cuprum::cuda::{Device, build_kernels};
use cuprum::{Array, Result};
use cuprum_benches::data::{Data, Sizes};
use cuprum_benches::device_rows::Row;
use cuprum_benches::{device_rows, host_rows, size_ladder, timing};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let done = match env::args().nth(1).as_deref() {
        None => all(&[]),
        Some("--only") => all(&env::args().skip(2).collect::<Vec<_>>()),
        Some("--small") => small(),
        Some("--calls") => host_rows::from_python(&mut host_row),
        Some("--ladder") => ladder(env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(1_000_000_001)),
        Some("--first-add") => first_add().map(|seconds| println!("{seconds}")),
        Some(other) => {
            eprintln!("side_by_side: unknown argument {other}; known: --small, --only, --calls, --ladder");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("side_by_side: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(row: Value) {
    println!("{row}");
}

fn host_row(name: &str, ns: f64) {
    print(json!({"library": "cuprum", "name": name, "host_ns": ns}));
}

fn all(only: &[String]) -> Result<()> {
    let info = Device::current()?.info();
    let (name, driver, nvrtc) = (&info.name, &info.driver, Device::nvrtc_version()?);
    print(json!({"fact": format!("device: {name}, driver {driver}, NVRTC {nvrtc}")}));
    let data = Data::new(Sizes::LARGE)?;
    let chosen = |row: &Row| only.is_empty() || only.iter().any(|part| row.name.contains(part.as_str()));
    for row in device_rows::rows().into_iter().filter(chosen) {
        let timed = (row.prepare)(&data).and_then(|ready| Ok((ready.bytes, timing::device_seconds(ready.call)?)));
        // A row that fails leaves a gap in the table, and the others continue.
        match timed {
            Ok((Some(bytes), seconds)) => {
                print(json!({"library": "cuprum", "name": row.name, "bytes": bytes, "seconds": seconds}));
            }
            Ok((None, seconds)) => print(json!({"library": "cuprum", "name": row.name, "seconds": seconds})),
            Err(error) => eprintln!("{}: {error}", row.name),
        }
        Device::current()?.free_all_blocks()?;
    }
    drop(data);
    if !only.is_empty() && !only.iter().any(|part| part == "call") {
        return Ok(());
    }
    host_rows::run(host_row)?;
    first_calls();
    Ok(())
}

fn ladder(largest: usize) -> Result<()> {
    for (name, prepare) in size_ladder::ROWS {
        for elements in size_ladder::sizes(largest) {
            match prepare(elements).and_then(timing::device_seconds) {
                Ok(seconds) => {
                    print(json!({"library": "cuprum", "name": name, "elements": elements, "seconds": seconds}))
                }
                Err(error) => eprintln!("{name}, {elements}: {error}"),
            }
            Device::current()?.free_all_blocks()?;
        }
    }
    Ok(())
}

fn small() -> Result<()> {
    let data = Data::new(Sizes::SMALL)?;
    let rows = device_rows::rows();
    for row in &rows {
        let ready = (row.prepare)(&data).map_err(|error| error.with_op(&row.name))?;
        (ready.call)().map_err(|error| error.with_op(&row.name))?;
    }
    println!("{} rows run", rows.len());
    Ok(())
}

/// Returns the seconds of the first `add` of this process, with the device already open.
fn first_add() -> Result<f64> {
    let a = Array::from_slice(&[1.0f32; 1000], [1000])?;
    let b = Array::from_slice(&[2.0f32; 1000], [1000])?;
    Device::current()?.synchronize()?;
    let start = Instant::now();
    cuprum::add(&a, &b)?;
    Device::current()?.synchronize()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Times the first `add` of new processes: with an empty cache of compiled kernels, with the cache that this one
/// filled, and with no cache but an archive of kernels compiled ahead of time.
fn first_calls() {
    let folder: PathBuf = env::temp_dir().join(format!("cuprum-first-{}", process::id()));
    let [cache, list, archive] = ["cache", "list", "archive"].map(|name| folder.join(name));
    if let Err(error) = fs::create_dir_all(&folder) {
        return eprintln!("{}: {error}", folder.display());
    }
    first_call("first add, empty cache", &[("CUPRUM_CACHE_DIR", &cache), ("CUPRUM_KERNEL_LIST", &list)]);
    first_call("first add, disk cache", &[("CUPRUM_CACHE_DIR", &cache)]);
    let built = Device::current().and_then(|d| build_kernels(&list, &[&d.info().target], &archive));
    match built {
        Ok(_) => first_call("first add, ahead of time", &[("CUPRUM_KERNELS", &archive)]),
        Err(error) => eprintln!("first add, ahead of time: {error}"),
    }
    // A folder that remains in the temporary directory does no harm.
    let _ = fs::remove_dir_all(&folder);
}

fn first_call(name: &str, variables: &[(&str, &PathBuf)]) {
    let child = env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        let no_cache = variables.iter().all(|(name, _)| *name != "CUPRUM_CACHE_DIR");
        if no_cache {
            command.env("CUPRUM_CACHE_LIMIT", "0");
        }
        command.arg("--first-add").envs(variables.iter().copied()).output()
    });
    match child {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            if let Ok(seconds) = text.trim().parse::<f64>() {
                print(json!({"library": "cuprum", "name": name, "seconds": seconds}));
            }
        }
        Ok(output) => eprintln!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => eprintln!("{name}: {error}"),
    }
}
