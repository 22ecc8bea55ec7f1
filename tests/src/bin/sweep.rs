//! Records a device's results of every instruction form, and compares a device with a recording.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cuprum::cuda::Device;
use cuprum_tests::sweep::{Form, Outcome, Recording, SEED, compare, forms, record, text};

#[derive(Parser)]
#[command(about = "Instruction forms on the GPU and on the simulator")]
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
        /// Only forms whose name contains this.
        #[arg(long, default_value = "")]
        filter: String,
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
    /// Names every form.
    List,
    /// Prints the kernels of all forms as one text of CUDA C++.
    Text,
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
        Command::Record { file, device, filter } => {
            let recording = answers(&selected(&filter), &device, SEED)?;
            recording.write(&file)?;
            let rejected: Vec<_> = recording.answers.iter().filter(|a| a.rejected.is_some()).collect();
            for answer in &rejected {
                println!("rejected: {}: {}", answer.form, answer.rejected.as_deref().unwrap_or_default());
            }
            let bytes = std::fs::metadata(&file)?.len();
            println!("{}", recording.made_by);
            println!(
                "{} forms recorded, {} rejected, {bytes} bytes",
                recording.answers.len() - rejected.len(),
                rejected.len()
            );
            Ok(true)
        }
        Command::Check { file, device, filter } => check(&file, &device, &filter),
        Command::Text => {
            println!("{}", text(&forms::all()));
            Ok(true)
        }
        Command::List => {
            for form in forms::all() {
                println!("{}", form.name());
            }
            Ok(true)
        }
    }
}

fn selected(filter: &str) -> Vec<Form> {
    forms::all().into_iter().filter(|f| f.name().contains(filter)).collect()
}

fn answers(forms: &[Form], device: &str, seed: u64) -> Result<Recording, Box<dyn std::error::Error>> {
    let total = forms.len();
    let progress = |done| eprintln!("{done} of {total} forms");
    Ok(Device::open(device)?.with(|| record(forms, seed, progress))?)
}

fn check(file: &Path, device: &str, filter: &str) -> Result<bool, Box<dyn std::error::Error>> {
    let expected = Recording::read(file)?;
    println!("recorded on {}", expected.made_by);
    let forms = selected(filter);
    let found = answers(&forms, device, expected.seed)?;
    let outcomes = compare(&forms, &expected, &found);
    for outcome in outcomes.iter().filter(|o| !o.is_good()) {
        show(outcome);
    }
    for outcome in &outcomes {
        if let Some(why) = outcome.departure() {
            println!("{}: {} of {} differ, as is known: {why}", outcome.form, outcome.differing, outcome.compared);
        }
    }
    for outcome in outcomes.iter().filter(|o| o.is_good() && o.largest > 0.0) {
        println!("{}: errors up to {:.0} % of the bound", outcome.form, 100.0 * outcome.largest);
    }
    let bad = outcomes.iter().filter(|o| !o.is_good()).count();
    let tuples: usize = outcomes.iter().map(|o| o.compared).sum();
    println!("{} of {} forms are as expected, {tuples} tuples compared", outcomes.len() - bad, outcomes.len());
    Ok(bad == 0)
}

fn show(outcome: &Outcome) {
    match &outcome.missing {
        Some(why) => println!("{}: {why}", outcome.form),
        None => println!("{}: {} of {} differ", outcome.form, outcome.differing, outcome.compared),
    }
    for example in &outcome.examples {
        println!("    {:x?}: recorded {:x?}, found {:x?}", example.operands, example.expected, example.found);
    }
}
