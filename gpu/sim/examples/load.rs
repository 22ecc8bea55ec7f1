//! Loads PTX files and lists those that the simulator rejects.
//!
//! `cargo run --release -p cuprum-sim --example load -- FILE...`

use cuprum_sim::{Config, Machine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::new(Config::default());
    let mut failed = 0;
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        if let Err(e) = machine.load(&std::fs::read_to_string(path)?) {
            println!("{path}: {e}");
            failed += 1;
        }
    }
    println!("{} of {} load", paths.len() - failed, paths.len());
    if failed > 0 { Err("some texts do not load".into()) } else { Ok(()) }
}
