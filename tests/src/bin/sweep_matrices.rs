//! Records a device's results of matrix instructions, and compares a device with a recording.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cuprum::cuda::Device;
use cuprum_tests::sweep::matrices::{Difference, differences, record_products};
use cuprum_tests::sweep::{Recording, SEED};

#[derive(Parser)]
#[command(about = "Matrix instructions on the GPU and on the simulator")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every form on a device and writes the answers.
    Record {
        /// The file to write.
        file: PathBuf,
        /// The device: `cuda:0`, `sim`.
        #[arg(long, default_value = "cuda:0")]
        device: String,
    },
    /// Runs every form on a device and compares the answers with a file.
    Check {
        /// The file to compare with.
        file: PathBuf,
        /// The device: `sim`, `cuda:0`.
        #[arg(long, default_value = "sim")]
        device: String,
        /// Only forms whose name contains this.
        #[arg(long, default_value = "")]
        filter: String,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<bool, Box<dyn std::error::Error>> {
    match command {
        Command::Record { file, device } => {
            let recording = Device::open(&device)?.with(|| record_products(SEED, ""))?;
            recording.write(&file)?;
            println!("{}: {} forms", recording.made_by, recording.answers.len());
            let rejected = recording.answers.iter().filter_map(|a| Some((&a.form, a.rejected.as_ref()?)));
            let rejected: Vec<_> = rejected.inspect(|(form, why)| println!("rejected: {form}: {why}")).collect();
            Ok(rejected.is_empty())
        }
        Command::Check { file, device, filter } => {
            let mut expected = Recording::read(&file)?;
            expected.answers.retain(|a| a.form.contains(&filter));
            let found = Device::open(&device)?.with(|| record_products(expected.seed, &filter))?;
            println!("recorded on {}, compared with {}", expected.made_by, found.made_by);
            let mut good = true;
            for Difference { form, differing, words, example } in differences(&expected, &found) {
                println!("{form}: {differing} of {words} differ");
                if let Some((at, wanted, got)) = example {
                    println!("    word {at}: recorded {wanted:#010x}, found {got:#010x}");
                    good = false;
                }
            }
            Ok(good)
        }
    }
}
