//! Disk cache of compiled kernels: checksummed, written atomically, bounded in size, shared by processes.
//!
//! An entry is a file that is named by its key, with a checksum of key and content: a file that another process or a crash
//! has damaged, and one that was renamed to another key, is detected and compiled anew. Files are written under another
//! name and renamed, so that readers never see half of one.
//!
//! An entry is device code, which runs with the rights of the process. So a file is used only if it belongs to the user
//! of the process or to root, and no one else may write to it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Once, OnceLock};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::folders;
use super::nvrtc::Image;
use super::ownership::{self, effective_user};
use super::switches::switch;
use crate::error::Result;

/// Magic number of an entry's format, with its version.
const MAGIC: &[u8; 8] = b"cuprum02";
/// Bytes of all entries unless `CUPRUM_CACHE_LIMIT` is set.
pub(crate) const DEFAULT_LIMIT: u64 = 512 << 20;
/// Permissions of a file or folder to which others than its owner may write.
pub(crate) const OPEN: u32 = 0o022;

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

    /// Returns the folder; `None` if the cache is disabled.
    #[cfg(feature = "cuda")]
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
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

    /// Returns the entry if it exists, is intact, and can have been written by this user or root alone. A damaged one is
    /// removed. The first entry of a process that is not used is reported on the standard error.
    pub(crate) fn get(&self, key: &Key) -> Option<Image> {
        let path = self.path(key)?;
        let file = ownership::open_unlinked(&path).ok()?;
        if let Some(why) = rejection(&file, effective_user()) {
            report(&format!("the cached kernel {} {why}", path.display()));
            return None;
        }
        let mut bytes = Vec::new();
        (&file).take(self.limit).read_to_end(&mut bytes).ok()?;
        match decode(&bytes, key) {
            Some(image) => {
                // The time of last use decides what is evicted.
                let _ = file.set_modified(SystemTime::now());
                Some(image)
            }
            None => {
                report(&format!("the cached kernel {} is damaged", path.display()));
                let _ = fs::remove_file(&path);
                None
            }
        }
    }

    /// Stores an entry. A folder that cannot be written to is not an error: the kernel is compiled again next time.
    pub(crate) fn put(&self, key: &Key, image: &Image) {
        let Some(path) = self.path(key) else { return };
        let bytes = encode(image, key);
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

/// Returns why an entry is not used, as the end of a sentence: somebody else may have written it. The open file is
/// examined, which cannot be exchanged between the check and the reading.
pub(super) fn rejection(file: &fs::File, user: u32) -> Option<String> {
    let Ok(meta) = file.metadata() else { return Some("cannot be examined".into()) };
    if !meta.is_file() {
        return Some("is no regular file".into());
    }
    let owner = ownership::owner(&meta)?;
    if owner.user != user && owner.user != 0 {
        Some(format!("belongs to user {}, and this process to {user}", owner.user))
    } else if owner.mode & OPEN != 0 {
        Some(format!("may be written to by others (its mode is {:o})", owner.mode & 0o777))
    } else {
        None
    }
}

/// Reports an entry that is not used, once in a process.
fn report(what: &str) {
    static REPORTED: Once = Once::new();
    REPORTED.call_once(|| {
        eprintln!("cuprum: {what}; the kernel is compiled anew. `cuprum doctor` examines the cache");
    });
}

/// Writes a temporary file in the same folder and renames it: a reader sees the complete entry or none. File and folders
/// are those of the user alone, whatever the process's mask is.
pub(super) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    ownership::create_private_folder(folder)?;
    let temporary = folder.join(format!(".{}-{}", std::process::id(), COUNTER.fetch_add(1, Relaxed)));
    // A file or link that somebody has put there is not written to.
    let created = || ownership::create_private_file(&temporary);
    let mut file = created().or_else(|_| fs::remove_file(&temporary).and_then(|()| created()))?;
    let done = file.write_all(bytes).and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Returns the checksum of an entry.
fn checksum(key: &Key, payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update(payload);
    hash.finalize().into()
}

/// Returns the bytes of an entry.
pub(super) fn encode(image: &Image, key: &Key) -> Vec<u8> {
    let mut payload = (image.names.len() as u32).to_le_bytes().to_vec();
    for name in &image.names {
        payload.extend((name.len() as u32).to_le_bytes());
        payload.extend(name.as_bytes());
    }
    payload.extend(&image.code);
    [MAGIC.as_slice(), &checksum(key, &payload), &payload].concat()
}

/// Reads the entry of a key; `None` if its checksum does not match.
pub(crate) fn decode(bytes: &[u8], key: &Key) -> Option<Image> {
    let rest = bytes.strip_prefix(MAGIC.as_slice())?;
    let (sum, payload) = rest.split_at_checked(32)?;
    if checksum(key, payload) != sum {
        return None;
    }
    decode_payload(payload)
}

/// Reads the names and the code of an entry.
pub(crate) fn decode_payload(payload: &[u8]) -> Option<Image> {
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

    /// Folder of a test, which is removed at its end.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn folder(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cuprum-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn image(byte: u8, bytes: usize) -> Image {
        Image { code: vec![byte; bytes], names: vec!["_Z1fIfEvPT_".into()], log: String::new() }
    }

    #[test]
    fn entries_come_back_and_damaged_ones_do_not() {
        let folder = folder("damage");
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 20);
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
    fn an_entry_of_another_key_is_not_used() {
        let folder = folder("renamed");
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 20);
        let (own, other) = (key(&["own"]), key(&["other"]));
        cache.put(&own, &image(1, 100));
        cache.put(&other, &image(2, 100));
        fs::copy(cache.path(&other).unwrap(), cache.path(&own).unwrap()).unwrap();
        assert_eq!(cache.get(&own), None);
        assert_eq!(cache.get(&other), Some(image(2, 100)));
    }

    #[test]
    fn entries_that_others_can_have_written_are_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("rights");
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 20);
        let key = key(&["source"]);
        let path = cache.path(&key).unwrap();
        cache.put(&key, &image(7, 100));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        for (bits, is_used) in [(0o644, true), (0o620, false), (0o602, false), (0o666, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            assert_eq!(cache.get(&key).is_some(), is_used, "{bits:o}");
        }
        // It is written anew, with the user's rights alone.
        cache.put(&key, &image(8, 100));
        assert_eq!((cache.get(&key), mode(&path)), (Some(image(8, 100)), 0o600));
        let file = ownership::open_unlinked(&path).unwrap();
        let owner = ownership::owner(&file.metadata().unwrap()).unwrap().user;
        assert_eq!(rejection(&file, owner), None);
        let another = rejection(&file, owner + 1);
        assert_eq!(another.is_some(), owner != 0, "root's files are used, {another:?}");
    }

    #[test]
    fn an_entry_that_is_no_file_is_not_opened() {
        let folder = folder("links");
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 20);
        let (key, other) = (key(&["source"]), key(&["other"]));
        cache.put(&key, &image(7, 100));
        let (path, target) = (cache.path(&key).unwrap(), cache.path(&other).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::rename(&path, &target).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert_eq!(cache.get(&key), None, "a link is followed");
        fs::remove_file(&path).unwrap();
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the string ends with NUL and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(cache.get(&key), None, "a pipe is read");
    }

    #[test]
    fn the_folder_stays_bounded() {
        let folder = folder("bound");
        let cache = DiskCache::new(Some(folder.0.clone()), 64 << 10);
        for i in 0..64u8 {
            cache.put(&key(&[&i.to_string()]), &image(i, 4 << 10));
        }
        let total: u64 = fs::read_dir(&folder.0)
            .unwrap()
            .flat_map(|shard| fs::read_dir(shard.unwrap().path()).unwrap())
            .map(|e| e.unwrap().metadata().unwrap().len())
            .sum();
        assert!(total <= 72 << 10, "{total} bytes are left");
        assert!(cache.get(&key(&["63"])).is_some(), "the newest entry is gone");
    }

    #[test]
    fn the_source_of_an_entry_is_next_to_it_and_counts() {
        let folder = folder("source");
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 20);
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
        let mut racers = [(); 2].map(|()| racer("fill", &folder.0, rounds));
        for racer in &mut racers {
            assert!(racer.wait().unwrap().success(), "a racer found an entry that is not whole");
        }
        let cache = DiskCache::new(Some(folder.0.clone()), 1 << 40);
        for (key, image) in (0..rounds).map(entry) {
            assert_eq!(cache.get(&key), Some(image));
        }
        // No temporary files are left.
        assert_eq!(entries(&folder.0).len() as u64, rounds);

        // A process is killed while it writes, again and again: each entry is unchanged or complete.
        for pause in [20, 30, 40, 50] {
            let mut killed = racer("write", &folder.0, rounds);
            std::thread::sleep(std::time::Duration::from_millis(pause));
            killed.kill().unwrap();
            killed.wait().unwrap();
            for (key, image) in (0..rounds).map(entry) {
                assert_eq!(cache.get(&key), Some(image), "after {pause} ms");
            }
        }
    }

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
