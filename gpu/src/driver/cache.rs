//! Disk cache of compiled kernels: checksummed, written atomically, bounded in size, shared by processes.
//!
//! An entry is a file that is named by its key, with a checksum: a file that another process or a crash has damaged is
//! detected and compiled anew. Files are written under another name and renamed, so that readers never see half of one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::folders;
use super::nvrtc::Image;
use super::switches::switch;
use crate::error::Result;

/// Magic number of an entry's format, with its version.
const MAGIC: &[u8; 8] = b"cuprum01";
const DEFAULT_LIMIT: u64 = 512 << 20;

/// SHA-256 of all that the compiled code depends on.
pub(crate) type Key = [u8; 32];

/// Returns the key of a compile, a hash of everything that the code depends on.
pub(crate) fn key(parts: &[impl AsRef<[u8]>]) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Cache folder and its limit.
#[derive(Debug)]
pub(crate) struct DiskCache {
    /// The folder; `None` if the cache is off.
    folder: Option<PathBuf>,
    /// The most bytes of all entries: the least recently used ones are removed.
    limit: u64,
    /// Bytes written by this process since the size of the folder was last measured.
    written: AtomicU64,
}

impl DiskCache {
    /// Returns the cache in `CUPRUM_CACHE_DIR` or in the user's cache folder; `CUPRUM_CACHE_LIMIT` bounds its bytes,
    /// and 0 disables it.
    pub(crate) fn from_environment() -> DiskCache {
        let named = std::env::var_os("CUPRUM_CACHE_DIR").map(PathBuf::from).filter(|p| !p.as_os_str().is_empty());
        let folder = named.or_else(|| folders::user().map(|root| root.join("kernels")));
        let limit = std::env::var("CUPRUM_CACHE_LIMIT").ok().and_then(|n| n.parse().ok()).unwrap_or(DEFAULT_LIMIT);
        DiskCache::new(folder.filter(|_| limit > 0), limit)
    }

    /// Returns the folder, its size in bytes, and the limit; `None` if the cache is disabled.
    pub(crate) fn measure(&self) -> Option<(&Path, u64, u64)> {
        let folder = self.folder.as_deref()?;
        Some((folder, entries(folder).iter().map(|e| e.1).sum(), self.limit))
    }

    /// Creates a cache in a folder, with a limit in bytes.
    pub(crate) fn new(folder: Option<PathBuf>, limit: u64) -> DiskCache {
        // The first entry that is written triggers a measurement of the folder.
        DiskCache { folder, limit, written: AtomicU64::new(limit) }
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        let name: String = key.iter().map(|b| format!("{b:02x}")).collect();
        Some(self.folder.as_ref()?.join(&name[..2]).join(&name[2..]))
    }

    /// Returns the entry if it exists and is intact. A damaged one is removed.
    pub(crate) fn get(&self, key: &Key) -> Option<Image> {
        let path = self.path(key)?;
        let bytes = fs::read(&path).ok()?;
        match decode(&bytes) {
            Some(image) => {
                // The time of last use decides what is evicted.
                if let Ok(file) = fs::File::options().append(true).open(&path) {
                    let _ = file.set_modified(SystemTime::now());
                }
                Some(image)
            }
            None => {
                let _ = fs::remove_file(&path);
                None
            }
        }
    }

    /// Stores an entry. A folder that cannot be written to is not an error: the kernel is compiled again next time.
    pub(crate) fn put(&self, key: &Key, image: &Image) {
        let Some(path) = self.path(key) else { return };
        let bytes = encode(image);
        if write(&path, &bytes).is_ok() && self.written.fetch_add(bytes.len() as u64, Relaxed) >= self.limit / 16 {
            self.written.store(0, Relaxed);
            self.evict();
        }
    }

    /// Stores the source of an entry next to it, with the suffix `.cu`, if `CUPRUM_CACHE_SOURCE=1`. Sources count as
    /// entries do.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for another value of the variable.
    pub(crate) fn put_source(&self, key: &Key, source: impl FnOnce() -> String) -> Result<()> {
        static STORES: OnceLock<Result<bool>> = OnceLock::new();
        if STORES.get_or_init(|| switch("CUPRUM_CACHE_SOURCE")).clone()? {
            self.write_source(key, &source());
        }
        Ok(())
    }

    fn write_source(&self, key: &Key, source: &str) {
        if let Some(path) = self.path(key)
            && write(&path.with_extension("cu"), source.as_bytes()).is_ok()
        {
            self.written.fetch_add(source.len() as u64, Relaxed);
        }
    }

    /// Evicts the least recently used entries until the size is nine tenths of the limit.
    fn evict(&self) {
        let Some(folder) = &self.folder else { return };
        let mut entries = entries(folder);
        let mut total = entries.iter().map(|e| e.1).sum::<u64>();
        if total <= self.limit {
            return;
        }
        entries.sort();
        for (_, bytes, path) in entries {
            if total <= self.limit / 10 * 9 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Returns the time of last use, the size and the path of every entry.
fn entries(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let shards = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = shards.flat_map(|shard| fs::read_dir(shard.path()).into_iter().flatten().flatten());
    files
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len(), entry.path()))
        })
        .collect()
}

/// Writes a temporary file in the same folder and renames it: a reader sees the complete entry or none.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = folder.join(format!(".{}-{}", std::process::id(), COUNTER.fetch_add(1, Relaxed)));
    let mut file = fs::File::create(&temporary)?;
    let done = file.write_all(bytes).and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Returns the bytes of an entry.
pub(super) fn encode(image: &Image) -> Vec<u8> {
    let mut payload = (image.names.len() as u32).to_le_bytes().to_vec();
    for name in &image.names {
        payload.extend((name.len() as u32).to_le_bytes());
        payload.extend(name.as_bytes());
    }
    payload.extend(&image.code);
    [MAGIC.as_slice(), &Sha256::digest(&payload), &payload].concat()
}

/// Reads an entry; `None` if its checksum does not match.
pub(super) fn decode(bytes: &[u8]) -> Option<Image> {
    let rest = bytes.strip_prefix(MAGIC.as_slice())?;
    let (sum, payload) = rest.split_at_checked(32)?;
    if Sha256::digest(payload).as_slice() != sum {
        return None;
    }
    let (count, mut rest) = payload.split_at_checked(4)?;
    let word = |b: &[u8]| b.try_into().map(u32::from_le_bytes).ok();
    let mut names = Vec::new();
    for _ in 0..word(count)? {
        let (length, tail) = rest.split_at_checked(4)?;
        let (name, tail) = tail.split_at_checked(word(length)? as usize)?;
        names.push(String::from_utf8(name.to_vec()).ok()?);
        rest = tail;
    }
    Some(Image { code: rest.to_vec(), names, log: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cuprum-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn image(byte: u8, bytes: usize) -> Image {
        Image { code: vec![byte; bytes], names: vec!["_Z1fIfEvPT_".into()], log: String::new() }
    }

    #[test]
    fn entries_come_back_and_damaged_ones_do_not() {
        let cache = DiskCache::new(Some(folder("damage")), 1 << 20);
        let key = key(&["source", "option"]);
        assert_eq!(cache.get(&key), None);
        cache.put(&key, &image(7, 100));
        assert_eq!(cache.get(&key), Some(image(7, 100)));
        let path = cache.path(&key).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.get(&key), None);
        assert!(!path.exists(), "the damaged entry is still there");
        cache.put(&key, &image(8, 100));
        assert_eq!(cache.get(&key), Some(image(8, 100)));
    }

    #[test]
    fn the_folder_stays_bounded() {
        let folder = folder("bound");
        let cache = DiskCache::new(Some(folder.clone()), 64 << 10);
        for i in 0..64u8 {
            cache.put(&key(&[&i.to_string()]), &image(i, 4 << 10));
        }
        let total: u64 = fs::read_dir(&folder)
            .unwrap()
            .flat_map(|shard| fs::read_dir(shard.unwrap().path()).unwrap())
            .map(|e| e.unwrap().metadata().unwrap().len())
            .sum();
        assert!(total <= 72 << 10, "{total} bytes are left");
        assert!(cache.get(&key(&["63"])).is_some(), "the newest entry is gone");
    }

    #[test]
    fn the_source_of_an_entry_is_next_to_it_and_counts() {
        let cache = DiskCache::new(Some(folder("source")), 1 << 20);
        let key = key(&["with its source"]);
        cache.put(&key, &image(7, 100));
        let before = cache.measure().unwrap().1;
        cache.write_source(&key, "// a kernel\n");
        assert_eq!(fs::read_to_string(cache.path(&key).unwrap().with_extension("cu")).unwrap(), "// a kernel\n");
        assert_eq!(cache.measure().unwrap().1, before + 12);
        assert_eq!(cache.get(&key), Some(image(7, 100)));
        DiskCache::new(None, 0).write_source(&key, "a cache that is off stores nothing");
    }

    /// Returns an entry of a racing process: entries have several sizes, and are identified by a number.
    fn entry(number: u64) -> (Key, Image) {
        (key(&["race", &number.to_string()]), image(number as u8, 1 + (number * 7919 % 10_000) as usize))
    }

    /// Starts this test alone in a process of its own, which does `work` instead. `CUPRUM_TEST_RACER` says what, and
    /// where.
    fn racer(work: &str, folder: &Path, rounds: u64) -> std::process::Child {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "driver::cache::tests::two_processes_race_and_one_is_killed", "--nocapture"])
            .env("CUPRUM_TEST_RACER", format!("{work} {rounds} {}", folder.display()))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    }

    fn race(work: &str, folder: &Path, rounds: u64) {
        let cache = DiskCache::new(Some(folder.into()), 1 << 40);
        match work {
            // Both look for the same entry, and the one that does not find it writes it. An entry that is found is
            // intact.
            "fill" => {
                for (key, image) in (0..rounds).map(entry) {
                    match cache.get(&key) {
                        Some(found) => assert_eq!(found, image),
                        None => cache.put(&key, &image),
                    }
                }
            }
            _ => loop {
                (0..rounds).map(entry).for_each(|(key, image)| cache.put(&key, &image));
            },
        }
    }

    /// `CUPRUM_TEST_RACES=10000` runs as many races; there are fewer in a run of all tests.
    #[test]
    fn two_processes_race_and_one_is_killed() {
        if let Ok(arguments) = std::env::var("CUPRUM_TEST_RACER") {
            let mut words = arguments.splitn(3, ' ');
            let (work, rounds) = (words.next().unwrap(), words.next().unwrap().parse().unwrap());
            return race(work, Path::new(words.next().unwrap()), rounds);
        }
        let rounds = std::env::var("CUPRUM_TEST_RACES").map_or(150, |n| n.parse().unwrap());
        let folder = folder("race");
        let mut racers = [(); 2].map(|()| racer("fill", &folder, rounds));
        for racer in &mut racers {
            assert!(racer.wait().unwrap().success(), "a racer found an entry that is not whole");
        }
        let cache = DiskCache::new(Some(folder.clone()), 1 << 40);
        for (key, image) in (0..rounds).map(entry) {
            assert_eq!(cache.get(&key), Some(image));
        }
        // No temporary files are left.
        assert_eq!(entries(&folder).len() as u64, rounds);

        // A process is killed while it writes, again and again: each entry is unchanged or complete.
        for pause in [20, 30, 40, 50] {
            let mut killed = racer("write", &folder, rounds);
            std::thread::sleep(std::time::Duration::from_millis(pause));
            killed.kill().unwrap();
            killed.wait().unwrap();
            for (key, image) in (0..rounds).map(entry) {
                assert_eq!(cache.get(&key), Some(image), "after {pause} ms");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
