//! Command-line tool for the setup of a machine and information about it.

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: cuprum COMMAND

  info                          what the library runs on: devices, driver, compiler, libraries, caches, environment
  doctor [--json]               what is wrong with this installation, and the command that repairs it; the exit status is 1
                                if programs fail or a GPU is not used
  setup                         fetches the pinned compiler of kernels (NVRTC 13.0.88, 90 MB) with pip into the user's folder;
                                NVRTC 12.0 to 13.5 are known to work: CUPRUM_NVRTC names another one
  kernels LIST ARCHIVE TARGET.. compiles kernels ahead of time
                                LIST: what a program wrote that ran with CUPRUM_KERNEL_LIST=LIST, on any device
                                ARCHIVE: the file to make, for CUPRUM_KERNELS or cuprum::cuda::load_kernels
                                TARGET: an architecture, as sm_90; compute_80 is the simulator's. For gfx90a and other AMD GPUs
                                clang compiles (CUPRUM_CLANG names one): that code has never been run";

/// The script that downloads the compiler, in Python because pip knows the user's index, proxy and certificates.
const SETUP: &str = include_str!("setup.py");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["info"] => {
            print!("{}", cuprum::show_config());
            Ok(())
        }
        ["doctor", options @ ..] if matches!(options, [] | ["--json"]) => {
            let diagnosis = cuprum::cuda::diagnose(None);
            print!("{}", if options.is_empty() { diagnosis.to_string() } else { diagnosis.to_json() });
            return if diagnosis.is_healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["setup"] => setup(),
        ["kernels", list, archive, targets @ ..] if !targets.is_empty() => kernels(list, archive, targets),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cuprum {}: {message}", words[0]);
            ExitCode::FAILURE
        }
    }
}

fn kernels(list: &str, archive: &str, targets: &[&str]) -> Result<(), String> {
    let bytes = cuprum::cuda::build_kernels(list, targets, archive).map_err(|e| e.to_string())?;
    println!("{archive}: {bytes} bytes for {}", targets.join(", "));
    Ok(())
}

fn setup() -> Result<(), String> {
    let python = std::env::var("CUPRUM_PYTHON").unwrap_or_else(|_| "python3".into());
    let missing = |e: std::io::Error| {
        format!(
            "{python} does not start: {e}. pip fetches the compiler: install Python 3.8 or later, or name one with \
                 CUPRUM_PYTHON, or set CUPRUM_NVRTC to the path of a libnvrtc.so that is there already"
        )
    };
    let mut child = Command::new(&python).arg("-").stdin(Stdio::piped()).spawn().map_err(missing)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(SETUP.as_bytes()).map_err(|e| format!("{python}: {e}"))?;
    }
    let status = child.wait().map_err(|e| format!("{python}: {e}"))?;
    if !status.success() {
        return Err("the compiler was not fetched".into());
    }
    print!("{}", cuprum::show_config());
    Ok(())
}
