//! Robustness of the file readers: valid files are corrupted thousands of times. No reader panics, hangs, or allocates
//! more than the length of the file and a constant. `gpu/fuzz` has the same readers as fuzz targets.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cuprum::{Columns, DType, FromfileOptions, GenfromtxtOptions, LoadtxtOptions};

/// Allocator that counts allocated and freed bytes.
struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn taken(bytes: usize) {
    MOST.fetch_max(HELD.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// Serialises the tests of this file, which share the count.
static ALONE: Mutex<()> = Mutex::new(());

/// Allowance beyond the bytes of a file: units of the device and its pool, and 16 MiB for the start of a stream.
const CONSTANT: usize = 64 << 20;

/// SplitMix64 random number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Returns a file with some bytes changed, removed, duplicated or cut off.
fn mutated(valid: &[u8], random: &mut Random) -> Vec<u8> {
    const PIECES: [&[u8]; 14] = [
        b"'",
        b"(",
        b")",
        b",",
        b"\n",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"99999999999999999",
        b"'O'",
        b"{",
        b"e999",
        b"-",
        b"\"",
        b"\xc3",
    ];
    let mut out = valid.to_vec();
    for _ in 0..1 + random.below(4) {
        // The beginning of a file holds its structure.
        let reach = if random.below(2) == 0 { out.len() } else { out.len().min(140) };
        let at = random.below(reach);
        match random.below(7) {
            0 if !out.is_empty() => out[at] = random.next() as u8,
            1 if !out.is_empty() => out[at] ^= 1 << random.below(8),
            2 => out.truncate(at),
            3 if !out.is_empty() => drop(out.drain(at..(at + random.below(20)).min(out.len()))),
            4 => {
                let piece = PIECES[random.below(PIECES.len())];
                out.splice(at..at, piece.iter().copied());
            }
            5 => {
                let piece = PIECES[random.below(PIECES.len())];
                let end = (at + piece.len()).min(out.len());
                out.splice(at..end, piece.iter().copied());
            }
            _ => {
                let part = out[at..(at + random.below(30)).min(out.len())].to_vec();
                out.splice(at..at, part);
            }
        }
    }
    out
}

/// Reads corrupted files for the given number of rounds; returns how many were rejected and how many were read.
fn hunt(seed: u64, rounds: usize, valid: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) -> (usize, usize) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for valid in valid {
        assert!(read(valid), "a valid file is rejected: {:?}", String::from_utf8_lossy(valid));
    }
    let mut random = Random(seed);
    let (mut rejected, mut done) = (0, 0);
    for _ in 0..rounds {
        let file = mutated(&valid[random.below(valid.len())], &mut random);
        MOST.store(HELD.load(Relaxed), Relaxed);
        let (before, start) = (HELD.load(Relaxed), Instant::now());
        match read(&file) {
            true => done += 1,
            false => rejected += 1,
        }
        let (took, taken) = (start.elapsed(), MOST.load(Relaxed).saturating_sub(before));
        let shown = String::from_utf8_lossy(&file);
        assert!(taken <= CONSTANT + 40 * file.len(), "{taken} bytes are taken for {} of {shown:?}", file.len());
        assert!(took < Duration::from_secs(20), "{took:?} for {shown:?}");
    }
    assert!(rejected > rounds / 20 && done > rounds / 100, "{rejected} are rejected and {done} read: the hunt is dull");
    (rejected, done)
}

fn npy_files() -> Vec<Vec<u8>> {
    let a = cuprum::arange(0, 24, 1).unwrap().reshape([2, 3, 4]).unwrap();
    let dumped = |a: cuprum::Array| a.dumps().unwrap();
    let dtypes = [DType::Bool, DType::U8, DType::I16, DType::F32, DType::C128, DType::BF16];
    dtypes.into_iter().flat_map(|d| [dumped(a.astype(d).unwrap()), dumped(a.astype(d).unwrap().t())]).collect()
}

#[test]
fn damaged_npy_files_are_read_or_rejected() {
    let path = std::env::temp_dir().join(format!("cuprum-readers-{}.npy", std::process::id()));
    let valid = npy_files();
    hunt(1, 3000, &valid, |bytes| cuprum::load_from(bytes, ()).is_ok());
    hunt(2, 1000, &valid, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let read = cuprum::load(&path, ()).map(|a| a.to_bytes().map(drop));
        let mapped = cuprum::load(&path, cuprum::MmapMode::Read);
        assert_eq!(read.is_ok(), mapped.is_ok());
        read.is_ok()
    });
    std::fs::remove_file(&path).unwrap();
}

#[test]
#[cfg(feature = "npz")]
fn damaged_archives_are_read_or_rejected() {
    let path = std::env::temp_dir().join(format!("cuprum-readers-{}.npz", std::process::id()));
    let a = cuprum::arange(0, 40, 1).unwrap();
    let arrays = || [("a", a.clone()), ("b", a.astype(DType::F32).unwrap())];
    cuprum::savez(&path, arrays()).unwrap();
    let stored = std::fs::read(&path).unwrap();
    cuprum::savez_compressed(&path, arrays()).unwrap();
    let packed = std::fs::read(&path).unwrap();
    hunt(3, 3000, &[stored, packed], |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(archive) = cuprum::load_npz(&path, ()) else { return false };
        archive.iter().take(8).all(|item| item.is_ok())
    });
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn damaged_texts_are_read_or_rejected() {
    let table = b"# x, y\n1,2,3\n4.5,-6e3,nan\n\"7\",8,9\n".to_vec();
    let blanks = b"1 2 3\n4 5 6 # note\n\n7 8 9\n".to_vec();
    let commas = LoadtxtOptions::new().delimiter(',').quotechar('"');
    hunt(4, 3000, std::slice::from_ref(&table), |bytes| cuprum::loadtxt_from(bytes, commas.clone()).is_ok());
    hunt(5, 2000, std::slice::from_ref(&blanks), |bytes| cuprum::loadtxt_from(bytes, DType::I32).is_ok());
    let gaps = GenfromtxtOptions::new().delimiter(',').invalid_raise(false);
    hunt(6, 2000, std::slice::from_ref(&table), |bytes| cuprum::genfromtxt_from(bytes, gaps.clone()).is_ok());
    let widths = GenfromtxtOptions::new().delimiter(Columns::Width(2)).dtype(None).loose(false);
    hunt(7, 2000, &[b"1 2 3 \n4 5 6 \n".to_vec()], |bytes| cuprum::genfromtxt_from(bytes, widths.clone()).is_ok());
}

#[test]
fn damaged_files_without_headers_are_read_or_rejected() {
    let path = std::env::temp_dir().join(format!("cuprum-readers-{}.txt", std::process::id()));
    let options = FromfileOptions::new().sep(" , ").dtype(DType::C64);
    hunt(8, 2000, &[b"1, 2.5 ,3+4j, nan,-1e5".to_vec()], |bytes| {
        std::fs::write(&path, bytes).unwrap();
        cuprum::fromfile(&path, options.clone()).is_ok()
    });
    let options = FromfileOptions::new().dtype(DType::I16).offset(3).count(5);
    hunt(9, 500, &[vec![7; 20], vec![1; 3]], |bytes| {
        std::fs::write(&path, bytes).unwrap();
        cuprum::fromfile(&path, options.clone()).is_ok()
    });
    std::fs::remove_file(&path).unwrap();
}

/// A header may claim any size; no memory is allocated for data that is missing.
#[test]
fn claims_of_headers_are_not_believed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    cuprum::zeros(1, ()).unwrap();
    let path = std::env::temp_dir().join(format!("cuprum-claims-{}.npy", std::process::id()));
    for shape in ["(1099511627776,)", "(1048576, 1048576)", "(17179869184, 2)"] {
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([0; 1000]);
        std::fs::write(&path, &bytes).unwrap();
        let before = HELD.load(Relaxed);
        MOST.store(before, Relaxed);
        assert!(cuprum::load(&path, ()).unwrap_err().message().contains("the file ends after 1000 of the"));
        let of_file = MOST.load(Relaxed).saturating_sub(before);
        assert!(of_file < 1 << 20, "{of_file} bytes are taken");
        assert!(cuprum::load_from(&bytes[..], ()).unwrap_err().message().contains("the file ends after 1000 of the"));
        let of_stream = MOST.load(Relaxed).saturating_sub(before);
        assert!(of_stream < CONSTANT, "{of_stream} bytes are taken");
    }
    std::fs::remove_file(&path).unwrap();
}
