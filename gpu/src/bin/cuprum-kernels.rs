//! Compiles a list of kernels ahead of time: `cuprum-kernels LIST ARCHIVE TARGET...`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [list, archive, targets @ ..] = arguments.as_slice() else {
        eprintln!("usage: cuprum-kernels LIST ARCHIVE TARGET...\n");
        eprintln!("LIST: what a program wrote that ran with CUPRUM_KERNEL_LIST=LIST, on any device");
        eprintln!("ARCHIVE: the file to make, for CUPRUM_KERNELS or cuprum::cuda::load_kernels");
        eprintln!("TARGET: an architecture, as sm_90; compute_80 is the simulator's");
        return ExitCode::from(2);
    };
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    match cuprum::cuda::build_kernels(list, &targets, archive) {
        Ok(bytes) => {
            println!("{archive}: {bytes} bytes for {}", targets.join(", "));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cuprum-kernels: {error}");
            ExitCode::FAILURE
        }
    }
}
