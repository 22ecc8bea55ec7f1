//! Read-ahead of CUDA's libraries while the driver starts, by records of the parts that earlier processes used.
//!
//! The libraries have hundreds of megabytes, of which a process uses a tenth, in hundreds of pieces: if the system has not
//! cached them, loading reads the disk piece by piece. So a process records, when it ends, which blocks of the libraries
//! that it loaded are in its memory, and a later one that starts the driver requests those blocks from the system, on a
//! thread of its own.
//!
//! A record is a file in the folder of the disk cache of kernels, within the cache's limit; without that cache nothing is
//! recorded. All of it is a hint: an error ends it without a message. Only Linux has the files and calls that it takes.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::cache::{self, DiskCache};
use super::ownership::{self, effective_user};
use super::{fork, positioned};

/// First line of a record: its format, with the version.
const MAGIC: &str = "cuprum read-ahead 1";
/// Folder of the records in the folder of the cache.
const FOLDER: &str = "read-ahead";
/// Bytes of a block: the system maps up to as many around an access.
const BLOCK: u64 = 64 << 10;
/// Bytes of a request. The system reads no more for one than its read-ahead window, which is 128 KiB unless set.
const REQUEST: u64 = 128 << 10;
/// Most bytes of a record that are read.
const MOST: u64 = 1 << 20;
/// Age from which a record is not used: the user has not loaded its library for so long.
const STALE: Duration = Duration::from_secs(30 * 24 * 3600);
/// Age from which a record is written again although its blocks are the same.
const FRESH: Duration = Duration::from_secs(24 * 3600);

/// Blocks of a file that a process has in its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Used {
    /// Path of the file.
    path: PathBuf,
    /// Its size and its time of modification: records of another version of it are not used.
    identity: (u64, u128),
    /// Numbers of the blocks.
    blocks: BTreeSet<u64>,
}

/// The libraries that this process loaded: their names, and the files that were mapped for each.
static LOADED: Mutex<Vec<(&'static str, Vec<PathBuf>)>> = Mutex::new(Vec::new());

/// Starts the thread that requests the blocks of all records from the system.
pub(super) fn start() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let cache = DiskCache::from_environment();
    let Some(folder) = cache.folder().map(|folder| folder.join(FOLDER)) else { return };
    let read = move || {
        for used in recent(&folder, SystemTime::now()) {
            request(&used);
        }
    };
    let _ = std::thread::Builder::new().name("cuprum-read-ahead".into()).spawn(read);
}

/// Loads a library by `load`, and notes which files it maps, for the record that is written when the process ends.
pub(super) fn recorded<T>(name: &'static str, load: impl FnOnce() -> T) -> T {
    static AT_EXIT: Once = Once::new();
    let mapped = || -> Vec<PathBuf> { mappings().into_iter().map(|(path, ..)| path).collect() };
    let before: BTreeSet<PathBuf> = mapped().into_iter().collect();
    let value = load();
    let mut files: Vec<PathBuf> = mapped().into_iter().filter(|path| !before.contains(path)).collect();
    files.dedup();
    // Libraries are mapped at descending addresses.
    files.reverse();
    if !files.is_empty() {
        LOADED.lock().unwrap_or_else(PoisonError::into_inner).push((name, files));
        AT_EXIT.call_once(|| {
            let _ = fork::at_exit(record_at_exit);
        });
    }
    value
}

/// Writes the records of the libraries that this process loaded.
extern "C" fn record_at_exit() {
    // A panic must not unwind out of a C function.
    let _ = catch_unwind(|| {
        if fork::forked() {
            return;
        }
        let cache = DiskCache::from_environment();
        let Some(folder) = cache.folder().map(|folder| folder.join(FOLDER)) else { return };
        for (name, files) in std::mem::take(&mut *LOADED.lock().unwrap_or_else(PoisonError::into_inner)) {
            let used: Vec<Used> = files.iter().filter_map(|path| in_memory(path)).collect();
            record(&folder.join(name), used);
        }
    });
}

/// Adds blocks to a record, and marks it as used now.
fn record(path: &Path, mut all: Vec<Used>) {
    let (old, modified) = read(path).unwrap_or((Vec::new(), UNIX_EPOCH));
    for old in &old {
        match all.iter_mut().find(|used| used.path == old.path) {
            Some(used) if used.identity == old.identity => used.blocks.extend(&old.blocks),
            Some(_) => {}
            // Another library of this process loaded the file first.
            None => all.push(old.clone()),
        }
    }
    let is_fresh = SystemTime::now().duration_since(modified).is_ok_and(|age| age < FRESH);
    if !(is_fresh && old.len() == all.len() && old.iter().all(|used| all.contains(used))) {
        let _ = cache::write(path, text(&all).as_bytes());
    }
}

/// Returns the files of all records that are not stale, those of the record that was written last first.
fn recent(folder: &Path, now: SystemTime) -> Vec<Used> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut records: Vec<_> = entries.filter_map(|entry| read(&entry.path())).collect();
    records.retain(|(_, modified)| now.duration_since(*modified).is_ok_and(|age| age < STALE));
    records.sort_by_key(|(_, modified)| std::cmp::Reverse(*modified));
    records.into_iter().flat_map(|(used, _)| used).collect()
}

/// Returns a record and the time at which it was written; `None` for one that others can have written, and for another
/// format.
fn read(path: &Path) -> Option<(Vec<Used>, SystemTime)> {
    let file = ownership::open_unlinked(path).ok()?;
    if cache::rejection(&file, effective_user()).is_some() {
        return None;
    }
    let mut text = String::new();
    (&file).take(MOST).read_to_string(&mut text).ok()?;
    Some((parse(&text)?, file.metadata().ok()?.modified().ok()?))
}

/// Returns the text of a record: for each file a line with its size, its time of modification and its path, and a line with
/// the first and the last number of each run of blocks.
fn text(all: &[Used]) -> String {
    let mut text = format!("{MAGIC}\n");
    for Used { path, identity: (bytes, modified), blocks } in all {
        // A path that is not a line of text is left out.
        let Some(path) = path.to_str().filter(|path| !path.contains('\n')) else { continue };
        let _ = writeln!(text, "{bytes} {modified} {path}");
        let runs: Vec<String> = runs(blocks).iter().map(|run| format!("{}-{}", run.start, run.end - 1)).collect();
        let _ = writeln!(text, "{}", runs.join(" "));
    }
    text
}

/// Reads the text of a record.
fn parse(text: &str) -> Option<Vec<Used>> {
    let mut lines = text.lines();
    if lines.next() != Some(MAGIC) {
        return None;
    }
    let mut all = Vec::new();
    while let Some(line) = lines.next() {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next();
        let identity = (word()?.parse().ok()?, word()?.parse().ok()?);
        let path = PathBuf::from(word()?);
        let mut blocks = BTreeSet::new();
        for run in lines.next()?.split_whitespace() {
            let (first, last) = run.split_once('-')?;
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            // A damaged number must not make a set without end.
            if last > identity.0 / BLOCK {
                return None;
            }
            blocks.extend(first..=last);
        }
        all.push(Used { path, identity, blocks });
    }
    Some(all)
}

/// Returns the runs of successive numbers.
fn runs(blocks: &BTreeSet<u64>) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for &block in blocks {
        match runs.last_mut() {
            Some(run) if run.end == block => run.end += 1,
            _ => runs.push(block..block + 1),
        }
    }
    runs
}

/// Returns the size and the time of modification of a regular file.
fn identity(file: &File) -> Option<(u64, u128)> {
    let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((meta.len(), meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos()))
}

/// Requests the blocks of a file from the system, which reads them while the caller continues. Returns the bytes.
fn request(used: &Used) -> u64 {
    let Ok(file) = ownership::open_unlinked(&used.path) else { return 0 };
    if identity(&file) != Some(used.identity) {
        return 0;
    }
    let mut requested = 0;
    for run in runs(&used.blocks) {
        let end = (run.end * BLOCK).min(used.identity.0);
        let mut at = run.start * BLOCK;
        while at < end {
            let bytes = REQUEST.min(end - at);
            will_need(&file, at, bytes);
            (at, requested) = (at + bytes, requested + bytes);
        }
    }
    requested
}

/// Announces to the system that bytes of a file will be read.
#[cfg(target_os = "linux")]
fn will_need(file: &File, at: u64, bytes: u64) {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open, and the call accesses no memory of the process.
    unsafe {
        libc::posix_fadvise(file.as_raw_fd(), at as libc::off_t, bytes as libc::off_t, libc::POSIX_FADV_WILLNEED)
    };
}

/// Announces nothing: other systems have no such call.
#[cfg(not(target_os = "linux"))]
fn will_need(_: &File, _: u64, _: u64) {}

/// Returns the bytes of a page of memory.
fn page() -> u64 {
    #[cfg(target_os = "linux")]
    // SAFETY: the call has no preconditions.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    #[cfg(not(target_os = "linux"))]
    let bytes = 0;
    u64::try_from(bytes).ok().filter(|&bytes| bytes > 0).unwrap_or(4096)
}

/// Returns the mappings of files in this process: the path, the addresses and the position in the file.
fn mappings() -> Vec<(PathBuf, Range<u64>, u64)> {
    let text = fs::read("/proc/self/maps").unwrap_or_default();
    // start-end permissions position device inode path
    let mapping = |line: &str| {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let position = words.nth(1)?;
        let path = words.nth(2)?.trim_start();
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        path.starts_with('/').then_some(())?;
        Some((path.into(), number(start)?..number(end)?, number(position)?))
    };
    String::from_utf8_lossy(&text).lines().filter_map(mapping).collect()
}

/// Returns the blocks of a file that are in this process's memory; `None` if there are none, or if the file has changed
/// its type or is gone.
fn in_memory(path: &Path) -> Option<Used> {
    /// The bit of an entry of the page map that is set if the page is in memory.
    const PRESENT: u64 = 1 << 63;
    let identity = identity(&ownership::open_unlinked(path).ok()?)?;
    let pages = File::open("/proc/self/pagemap").ok()?;
    let page = page();
    let mut blocks = BTreeSet::new();
    for (_, addresses, position) in mappings().into_iter().filter(|(mapped, ..)| mapped == path) {
        let mut entries = vec![0; ((addresses.end - addresses.start) / page * 8) as usize];
        positioned::read_exact_at(&pages, &mut entries, addresses.start / page * 8).ok()?;
        for (i, entry) in entries.chunks_exact(8).enumerate() {
            if u64::from_ne_bytes(entry.try_into().ok()?) & PRESENT != 0 {
                blocks.insert((position + i as u64 * page) / BLOCK);
            }
        }
    }
    // Pages past the end of a file are mapped, too.
    blocks.retain(|block| block * BLOCK < identity.0);
    (!blocks.is_empty()).then(|| Used { path: path.into(), identity, blocks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::mapped::Mapped;

    /// Folder of a test, which is removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("cuprum-read-ahead-{name}-{}", std::process::id()));
            ownership::create_private_folder(&path).unwrap();
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn used(path: &str, bytes: u64, blocks: impl IntoIterator<Item = u64>) -> Used {
        Used { path: path.into(), identity: (bytes, 7), blocks: blocks.into_iter().collect() }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let all = vec![used("/a/lib with spaces.so", 10 * BLOCK, [0, 1, 2, 5, 9]), used("/b.so", 1, [0])];
        assert_eq!(text(&all), format!("{MAGIC}\n655360 7 /a/lib with spaces.so\n0-2 5-5 9-9\n1 7 /b.so\n0-0\n"));
        assert_eq!(parse(&text(&all)), Some(all));
        for damaged in ["", "another\n", "1 7 /b.so\n", "1 7 /b.so\n0-9999999999\n", "1 /b.so\n0-0\n", "1 7 /b.so\n0\n"]
        {
            assert_eq!(parse(&format!("{MAGIC}\n{damaged}")).filter(|all| !all.is_empty()), None, "{damaged}");
        }
        assert_eq!(parse("another format\n"), None);
    }

    #[test]
    fn records_grow_until_the_file_changes() {
        let folder = Folder::new("grow");
        let path = folder.0.join(FOLDER).join("cuFFT");
        record(&path, vec![used("/a.so", 10 * BLOCK, [1])]);
        record(&path, vec![used("/a.so", 10 * BLOCK, [2]), used("/b.so", BLOCK, [0])]);
        record(&path, vec![used("/b.so", BLOCK, [0])]);
        let both = vec![used("/b.so", BLOCK, [0]), used("/a.so", 10 * BLOCK, [1, 2])];
        let (mut found, modified) = read(&path).unwrap();
        found.sort_by_key(|used| used.blocks.len());
        assert_eq!(found, both);
        record(&path, vec![used("/a.so", 20 * BLOCK, [3])]);
        assert!(read(&path).unwrap().0.contains(&used("/a.so", 20 * BLOCK, [3])));
        assert_eq!(recent(&folder.0.join(FOLDER), modified + STALE / 2).len(), 2);
        assert_eq!(recent(&folder.0.join(FOLDER), modified + STALE * 2), []);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_blocks_that_were_accessed_are_requested() {
        let folder = Folder::new("blocks");
        let path = folder.0.join("lib.so");
        let bytes = 128 * BLOCK + 100;
        fs::write(&path, vec![1; bytes as usize]).unwrap();
        let file = File::open(&path).unwrap();
        let map = Mapped::of(&file, bytes as usize).unwrap();
        for block in [3, 128] {
            map.read((block * BLOCK) as usize, &mut [0]);
        }
        let used = in_memory(&path).unwrap();
        // The system may map a large page of 32 blocks around an access.
        assert!([3, 128].iter().all(|block| used.blocks.contains(block)) && used.blocks.len() < 70, "{used:?}");
        let part = Used { blocks: [3, 4, 5, 128].into(), ..used };
        assert_eq!(request(&part), 3 * BLOCK + 100);
        assert_eq!(request(&Used { identity: (bytes, 7), ..part.clone() }), 0, "another version of the file");
        drop(map);
        assert_eq!(in_memory(&path), None);
        fs::remove_file(&path).unwrap();
        assert_eq!(request(&part), 0);
    }
}
