//! Loading speed of npy and npz files to the device, compared with its parts: a plain read of the file into existing
//! memory, and a copy of as many bytes to the device through pinned buffers.
//!
//! `npy [FOLDER [GIB]]` writes files of the given size in GiB (4) to a folder (the temporary one), measures, and
//! removes them. A folder in memory (`/dev/shm`) excludes the disk. The minimum of three rounds counts; a measurement
//! also ends after five seconds.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use cuprum::cuda::Device;
use cuprum::{Array, DType, MmapMode, Result, load, load_npz, ones, save, savez};

const ROUNDS: usize = 3;
const ENOUGH: f64 = 5.0;

/// Returns the minimum seconds of a few rounds, of which the first also allocates memory and starts threads.
fn seconds(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let device = Device::current()?;
    let (mut least, mut all) = (f64::INFINITY, 0.0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        call()?;
        device.synchronize()?;
        let taken = start.elapsed().as_secs_f64();
        (least, all) = (least.min(taken), all + taken);
        if all > ENOUGH {
            break;
        }
    }
    Ok(least)
}

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that was never written need not be removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn main() -> Result<()> {
    let begin = Instant::now();
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let gib: f64 =
        arguments.next().map_or(4.0, |text| text.to_str().and_then(|t| t.parse().ok()).expect("GIB is a number"));
    let file = |end: &str| Temporary(folder.join(format!("cuprum-bench-{}.{end}", std::process::id())));
    let (npy, npz) = (file("npy"), file("npz"));
    let n = (gib * (1u64 << 30) as f64) as usize / 4;
    let a = ones(n, DType::F32)?;
    let saved = seconds(|| save(&npy.0, &a))?;
    let packed = seconds(|| savez(&npz.0, [("a", &a)]))?;
    drop(a);

    let mut host = vec![0u8; 4 * n];
    let read = seconds(|| {
        let mut file = File::open(&npy.0).expect("the file that was written");
        file.read_exact(&mut host).expect("as many bytes as were written");
        Ok(())
    })?;
    let copied = seconds(|| Array::from_bytes(&host, n, DType::F32).map(drop))?;
    drop(host);
    let loaded = seconds(|| load(&npy.0, ()).map(drop))?;
    let mapped = seconds(|| load(&npy.0, MmapMode::Read).map(drop))?;
    let unpacked = seconds(|| load_npz(&npz.0, ())?.get("a").map(drop))?;
    let all = [
        ("save", saved),
        ("savez", packed),
        ("read", read),
        ("copy", copied),
        ("load", loaded),
        ("load mapped", mapped),
        ("load npz", unpacked),
    ];
    for (what, seconds) in all {
        println!("{what:<12} {seconds:8.3} s {:8.2} GB/s", gib * 1.073_741_824 / seconds);
    }
    for (what, seconds) in &all[4..] {
        println!("{what} is at {:.0} % of read and copy together", 100.0 * (read + copied) / seconds);
    }
    println!("{:.1} s in all", begin.elapsed().as_secs_f64());
    Ok(())
}
