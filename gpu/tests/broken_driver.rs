//! A CUDA driver that is installed but does not work raises an error, instead of a silent fallback to the simulator.

use std::path::{Path, PathBuf};
use std::process::Command;

use cuprum::cuda::Device;

/// Variable that makes the process report the library's result with the driver.
const ROLE: &str = "CUPRUM_TEST_ASKS_THE_DRIVER";

/// Compiles a stub driver with these functions, in a directory of its own.
fn driver(name: &str, functions: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cuprum-driver-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = folder.join("driver.rs");
    std::fs::write(&text, functions).unwrap();
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "-o"])
        .args([&folder.join("libcuda.so.1"), &text])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// Returns what a new process reports with the driver in the directory.
fn device_reported(folder: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_broken_driver_is_an_error", "--nocapture"])
        .env(ROLE, "1")
        .env_remove("CUPRUM_DEVICE")
        .env("LD_LIBRARY_PATH", folder)
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(folder);
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().find_map(|line| Some(line.split_once("FOUND ")?.1.to_owned())).unwrap_or(text.into_owned())
}

/// Returns the identifiers of the findings of `cuprum doctor` with the driver in the directory, and its exit status.
fn diagnosed(functions: &str) -> (Vec<String>, Option<i32>) {
    let folder = driver("doctor", functions);
    let output = Command::new(env!("CARGO_BIN_EXE_cuprum"))
        .args(["doctor", "--json"])
        .env_remove("CUPRUM_DEVICE")
        .env("LD_LIBRARY_PATH", &folder)
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(folder);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    (findings.map(|finding| finding["id"].as_str().unwrap().to_owned()).collect(), output.status.code())
}

#[test]
fn the_doctor_names_the_fault_of_a_driver() {
    for (code, id) in
        [("803", "driver-mismatch"), ("802", "fabric-manager"), ("34", "driver-stub"), ("804", "driver-compatibility")]
    {
        let (ids, status) = diagnosed(&COUNT.replace("CODE", code));
        assert!(ids.iter().any(|found| found == id) && status == Some(1), "{code}: {ids:?}, {status:?}");
    }
    // A driver that starts and lacks functions.
    let (ids, status) = diagnosed(&COUNT.replace("CODE", "0"));
    assert!(ids.iter().any(|found| found == "driver-old") && status == Some(1), "{ids:?}, {status:?}");
}

const COUNT: &str = "#[unsafe(no_mangle)] extern \"C\" fn cuInit(_: u32) -> i32 { CODE }
#[unsafe(no_mangle)] extern \"C\" fn cuDriverGetVersion(v: *mut i32) -> i32 { unsafe { *v = 12040 }; 0 }
#[unsafe(no_mangle)] extern \"C\" fn cuDeviceGetCount(n: *mut i32) -> i32 { unsafe { *n = 1 }; 0 }";

#[test]
fn a_broken_driver_is_an_error() {
    if std::env::var_os(ROLE).is_some() {
        match Device::current() {
            Ok(device) => println!("\nFOUND {}", device.info().id),
            Err(e) => println!("\nFOUND {:?}: {e}", e.kind()),
        }
        return;
    }
    // CUDA_ERROR_UNKNOWN, as after an update of the driver without a restart.
    let found = device_reported(&driver("unknown", &COUNT.replace("CODE", "999")));
    assert!(found.starts_with("Driver: the CUDA driver does not start: cuInit failed"), "{found}");
    assert!(found.contains("CUPRUM_DEVICE=sim"), "{found}");
    // CUDA_ERROR_NO_DEVICE selects the simulator, as documented.
    assert_eq!(device_reported(&driver("none", &COUNT.replace("CODE", "100"))), "sim");
    // A driver that starts but lacks required functions: the error names them, without a panic.
    let found = device_reported(&driver("old", &COUNT.replace("CODE", "0")));
    assert!(found.starts_with("Driver: ") && found.contains("12.4 has no function cuDeviceGet"), "{found}");
    // A file that is not a library.
    let folder = driver("empty", "");
    std::fs::write(folder.join("libcuda.so.1"), "nothing").unwrap();
    let found = device_reported(&folder);
    assert!(found.starts_with("Driver: ") && found.contains("does not load"), "{found}");
}
