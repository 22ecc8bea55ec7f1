//! Runs the battery on the words of a generator.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use cuprum::random::{BitGenerator, RandomOptions};
use cuprum_tests::battery::Battery;

#[derive(Parser)]
#[command(about = "Statistics of a bit generator's words; fails where one of them happens to chance once in 10^9")]
struct Arguments {
    /// `philox4x3210`, `mrg32k3a` or `xorwow`.
    generator: String,
    /// The logarithm of the volume in bytes, to base 2.
    #[arg(long, default_value_t = 32)]
    bytes: u32,
    /// The logarithm of a chunk in bytes, to base 2.
    #[arg(long, default_value_t = 30)]
    chunk: u32,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The maximum deviation in standard deviations.
const LIMIT: f64 = 6.1;

fn main() -> cuprum::Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut generator = match arguments.generator.as_str() {
        "mrg32k3a" => BitGenerator::mrg32k3a(arguments.seed)?,
        "xorwow" => BitGenerator::xorwow(arguments.seed)?,
        _ => BitGenerator::philox4x3210(arguments.seed)?,
    };
    let words = 1usize << (arguments.chunk.min(arguments.bytes) - 2);
    let mut battery = Battery::new(words)?;
    let start = Instant::now();
    for _ in 0..1u64 << (arguments.bytes - 2 - words.ilog2()) {
        battery.add(&generator.random_raw(RandomOptions::new().size(words))?)?;
    }
    println!("{}, 2^{} bytes, {:.1} s", generator.name(), arguments.bytes, start.elapsed().as_secs_f64());
    let mut bad = false;
    for statistic in battery.statistics() {
        let far = statistic.deviation();
        bad |= far.abs() > LIMIT;
        println!("{:<30} {:>16} {far:>8.2}", statistic.name, statistic.total());
    }
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
