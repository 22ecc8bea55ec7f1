//! How fast an npy file comes to the device, beside what must be: a plain read of the file, and a copy of as many bytes.
//!
//! `npy FILE [GIB]` writes a file of so many GiB (4), measures, and removes it. A file in memory (`/dev/shm`) leaves the disk
//! out of account.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use cuprum::cuda::Device;
use cuprum::{Array, DType, MmapMode, Result, load, ones, save};

const ROUNDS: usize = 5;

/// The least seconds of a few rounds, after one that takes memory and starts threads.
fn seconds(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let device = Device::current()?;
    let mut least = f64::INFINITY;
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        call()?;
        device.synchronize()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = PathBuf::from(arguments.next().expect("npy FILE [GIB]"));
    let gib: f64 =
        arguments.next().map_or(4.0, |text| text.to_str().and_then(|t| t.parse().ok()).expect("GIB is a number"));
    let n = (gib * (1u64 << 30) as f64) as usize / 4;
    let a = ones(n, DType::F32)?;
    let saved = seconds(|| save(&path, &a))?;

    // Into memory that is there.
    let mut host = vec![0u8; 4 * n];
    let read = seconds(|| {
        let mut file = File::open(&path).expect("the file that was written");
        file.read_exact(&mut host).expect("as many bytes as were written");
        Ok(())
    })?;
    let copied = seconds(|| Array::from_bytes(&host, n, DType::F32).map(drop))?;
    let loaded = seconds(|| load(&path, ()).map(drop))?;
    let mapped = seconds(|| load(&path, MmapMode::Read).map(drop))?;
    let rate = |seconds: f64| gib * 1.073_741_824 / seconds;
    for (what, seconds) in
        [("save", saved), ("read", read), ("copy", copied), ("load", loaded), ("load mapped", mapped)]
    {
        println!("{what:<12} {:8.3} s {:8.2} GB/s", seconds, rate(seconds));
    }
    println!("load is at {:.0} % of read and copy together", 100.0 * (read + copied) / loaded);
    std::fs::remove_file(&path).expect("the file that was written");
    Ok(())
}
