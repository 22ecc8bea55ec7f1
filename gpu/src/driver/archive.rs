//! Ahead-of-time compilation of kernels: lists of the kernels that programs compile, and archives of compiled code that
//! replace NVRTC.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::{Key, decode, encode, key};
use super::nvrtc::{Image, nvrtc};
use super::progress::Progress;
use super::{clang, hip};
use crate::error::{Error, ErrorKind, Result};

/// Magic number of the file format, with its version.
const MAGIC: &[u8; 8] = b"cuprumA1";
const ENTRY: usize = 32 + 8 + 8;

/// Compile request: everything that the code depends on except the target and the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Name of the kernel in messages and lists.
    pub(crate) name: String,
    /// The source with its headers.
    pub(crate) text: String,
    /// Compile options.
    pub(crate) options: Vec<String>,
    /// Template instances that are kernels.
    pub(crate) expressions: Vec<String>,
}

impl Request {
    /// Returns the key of the compiled code in an archive, which does not depend on the compiler.
    fn key(&self, target: &str) -> Key {
        let count = self.options.len().to_string();
        let mut parts = vec![env!("CARGO_PKG_VERSION"), target, self.text.as_str(), &count];
        parts.extend(self.options.iter().chain(&self.expressions).map(String::as_str));
        key(&parts)
    }
}

/// The archives that this process has loaded.
#[derive(Default)]
struct Loaded {
    /// Contents of the archives.
    bytes: Vec<&'static [u8]>,
    /// Archive and range of bytes of each compiled kernel, by its key.
    index: FxHashMap<Key, (usize, Range<usize>)>,
    /// The number of folders whose archives for a target are loaded, and the architecture of these, `None` if there are
    /// none.
    served: FxHashMap<String, (usize, Option<String>)>,
}

/// Folders with one archive for each architecture. They are kept apart from what is loaded, so that a program that adds one
/// reads nothing.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn loaded() -> Result<&'static RwLock<Loaded>> {
    static LOADED: OnceLock<Result<RwLock<Loaded>>> = OnceLock::new();
    LOADED
        .get_or_init(|| {
            let mut all = Loaded::default();
            for path in std::env::var_os("CUPRUM_KERNELS").iter().flat_map(std::env::split_paths) {
                if !path.as_os_str().is_empty() {
                    all.add(read(&path)?, &path.display().to_string())?;
                }
            }
            Ok(RwLock::new(all))
        })
        .as_ref()
        .map_err(Clone::clone)
}

fn read(path: &Path) -> Result<&'static [u8]> {
    // Loaded kernels are needed until the process ends.
    fs::read(path).map(|b| &*b.leak()).map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())))
}

fn damaged(name: &str) -> Error {
    Error::new(ErrorKind::Io, format!("{name} is no archive of kernels, or a damaged one"))
}

/// Returns the key and the range of bytes of each entry of an archive.
fn entries(bytes: &[u8], name: &str) -> Result<Vec<(Key, Range<usize>)>> {
    let number = |b: &[u8]| b.try_into().map(u64::from_le_bytes).map_err(|_| damaged(name));
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or_else(|| damaged(name))?;
    let (count, rest) = rest.split_at_checked(8).ok_or_else(|| damaged(name))?;
    let table = usize::try_from(number(count)?).ok().and_then(|n| n.checked_mul(ENTRY));
    let (table, _) = table.and_then(|n| rest.split_at_checked(n)).ok_or_else(|| damaged(name))?;
    let mut found = vec![];
    for entry in table.chunks_exact(ENTRY) {
        let key: Key = entry[..32].try_into().map_err(|_| damaged(name))?;
        let (start, length) = (number(&entry[32..40])? as usize, number(&entry[40..])? as usize);
        let end = start.checked_add(length).filter(|&end| end <= bytes.len()).ok_or_else(|| damaged(name))?;
        found.push((key, start..end));
    }
    Ok(found)
}

impl Loaded {
    fn add(&mut self, bytes: &'static [u8], name: &str) -> Result<()> {
        let archive = self.bytes.len();
        self.index.extend(entries(bytes, name)?.into_iter().map(|(key, range)| (key, (archive, range))));
        self.bytes.push(bytes);
        Ok(())
    }

    /// Loads the archives of the folders that serve a target.
    fn serve(&mut self, target: &str, folders: &[PathBuf]) -> Result<()> {
        let mut serving = None;
        for arch in runs_on(target) {
            let files: Vec<PathBuf> = folders.iter().map(|folder| folder.join(format!("{arch}.bin"))).collect();
            for path in files.iter().filter(|path| path.exists()) {
                self.add(read(path)?, &path.display().to_string())?;
                serving = Some(arch.clone());
            }
            if serving.is_some() {
                break;
            }
        }
        self.served.insert(target.to_string(), (folders.len(), serving));
        Ok(())
    }
}

/// Returns the architectures whose code runs on a target, the best one first: code of an earlier minor version runs on
/// all later ones of its major version.
fn runs_on(target: &str) -> Vec<String> {
    match target.strip_prefix("sm_").and_then(|digits| digits.parse::<u32>().ok()) {
        Some(arch) => (arch / 10 * 10..=arch).rev().map(|arch| format!("sm_{arch}")).collect(),
        None => vec![target.to_string()],
    }
}

/// Adds a folder of archives, one for each architecture: `sm_90.bin`. The one for a device is loaded when the device
/// first needs a kernel.
pub(crate) fn add_folder(path: &Path) {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
}

/// Adds the kernels of an archive to those that need no compiler.
pub(crate) fn load(path: &Path) -> Result<()> {
    let bytes = read(path)?;
    loaded()?.write().unwrap_or_else(PoisonError::into_inner).add(bytes, &path.display().to_string())
}

/// Loads an archive as [`load`] does, from memory that is part of the program.
pub(crate) fn load_bytes(bytes: &'static [u8]) -> Result<()> {
    loaded()?.write().unwrap_or_else(PoisonError::into_inner).add(bytes, "the memory given")
}

/// Returns the code of a kernel, if an archive has it.
pub(crate) fn find(request: &Request, target: &str) -> Result<Option<Image>> {
    let all = loaded()?;
    let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut loaded = all.read().unwrap_or_else(PoisonError::into_inner);
    if loaded.served.get(target).map_or(0, |(count, _)| *count) < folders.len() {
        drop(loaded);
        all.write().unwrap_or_else(PoisonError::into_inner).serve(target, &folders)?;
        loaded = all.read().unwrap_or_else(PoisonError::into_inner);
    }
    if loaded.index.is_empty() {
        return Ok(None);
    }
    let serving = loaded.served.get(target).and_then(|(_, arch)| arch.as_deref()).filter(|&arch| arch != target);
    let entry = [Some(target), serving].into_iter().flatten().find_map(|arch| {
        let key = request.key(arch);
        Some((key, loaded.index.get(&key)?))
    });
    let Some((key, (archive, range))) = entry else { return Ok(None) };
    decode(&loaded.bytes[*archive][range.clone()], &key).map(Some).ok_or_else(|| damaged("an archive that was loaded"))
}

/// Reads an archive and its entries, whose keys are not known.
#[cfg(fuzzing)]
pub(super) fn examine(bytes: &[u8]) {
    for (key, range) in entries(bytes, "an input").unwrap_or_default() {
        let _ = decode(&bytes[range], &key);
    }
}

/// Reads a list of kernels.
#[cfg(fuzzing)]
pub(super) fn examine_list(list: &str) {
    let _ = parse(list);
}

/// Adds the request to the list that `CUPRUM_KERNEL_LIST` names, if it does.
pub(crate) fn record(request: &Request) -> Result<()> {
    static LISTED: OnceLock<Mutex<FxHashSet<Key>>> = OnceLock::new();
    let Some(path) = std::env::var_os("CUPRUM_KERNEL_LIST").filter(|p| !p.is_empty()) else { return Ok(()) };
    let listed = LISTED.get_or_init(Mutex::default);
    if !listed.lock().unwrap_or_else(PoisonError::into_inner).insert(request.key("")) {
        return Ok(());
    }
    let Request { name, text, options, expressions } = request;
    let name = name.replace(char::is_whitespace, "_");
    let mut entry = format!("kernel {name} {} {} {}\n", options.len(), expressions.len(), text.len());
    for line in options.iter().chain(expressions) {
        entry += line;
        entry.push('\n');
    }
    entry += text;
    entry.push('\n');
    // One write for a whole entry: several processes may append to the same list.
    let added =
        fs::File::options().create(true).append(true).open(&path).and_then(|mut f| f.write_all(entry.as_bytes()));
    added.map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", Path::new(&path).display())))
}

/// Returns the requests of a list.
fn parse(list: &str) -> Option<Vec<Request>> {
    let (mut requests, mut rest) = (vec![], list);
    while !rest.is_empty() {
        let (head, tail) = rest.strip_prefix("kernel ")?.split_once('\n')?;
        rest = tail;
        let mut words = head.split(' ');
        let name = words.next()?.to_string();
        let mut number = || words.next()?.parse::<usize>().ok();
        let (options, expressions, bytes) = (number()?, number()?, number()?);
        let mut lines = |count: usize| -> Option<Vec<String>> {
            (0..count)
                .map(|_| {
                    let (line, tail) = rest.split_once('\n')?;
                    rest = tail;
                    Some(line.to_string())
                })
                .collect()
        };
        let (options, expressions) = (lines(options)?, lines(expressions)?);
        let (text, tail) = rest.split_at_checked(bytes)?;
        rest = tail.strip_prefix('\n')?;
        requests.push(Request { name, text: text.into(), options, expressions });
    }
    Some(requests)
}

/// Compiles every kernel of a list for every target, and packs the code into an archive.
///
/// # Errors
///
/// The first kernel's that does not compile, with the names of the others: all are tried.
pub(crate) fn build(list: &str, targets: &[&str]) -> Result<Vec<u8>> {
    let requests = parse(list).ok_or_else(|| Error::new(ErrorKind::Value, "this is no list of kernels"))?;
    let (mut codes, mut seen, mut failures) = (vec![], FxHashSet::default(), Vec::<(String, Error)>::new());
    let (progress, total) = (Progress::start("compiling kernels"), requests.len() * targets.len());
    for target in targets {
        for request in &requests {
            let key = request.key(target);
            if seen.insert(key) {
                let Request { name, text, options, expressions } = request;
                progress.show(format!("kernel {} of {total}, {name} for {target}", codes.len() + 1));
                let compiled = match clang::is_target(target) {
                    true if clang::is_hiprtc() => hip::compile(request, target),
                    true => clang::clang()?.compile(text, name, target),
                    false => nvrtc()?.compile(text, name, target, options, expressions),
                };
                match compiled {
                    Ok(image) => codes.push((key, encode(&image, &key))),
                    Err(e) if e.kind() == ErrorKind::Compile => failures.push((format!("{name} for {target}"), e)),
                    Err(e) => return Err(e),
                }
            }
        }
    }
    drop(progress);
    if let Some(((_, first), others)) = failures.split_first() {
        let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        let more = match others.len() {
            0 => String::new(),
            count => format!("\n{count} others do not compile: {}", others.join(", ")),
        };
        return Err(Error::new(ErrorKind::Compile, format!("{}{more}", first.message())));
    }
    let mut at = MAGIC.len() + 8 + codes.len() * ENTRY;
    let mut archive = [MAGIC.as_slice(), &(codes.len() as u64).to_le_bytes()].concat();
    for (key, code) in &codes {
        archive.extend(key);
        archive.extend((at as u64).to_le_bytes());
        archive.extend((code.len() as u64).to_le_bytes());
        at += code.len();
    }
    codes.iter().for_each(|(_, code)| archive.extend(code));
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        let text = "kernel k 1 1 9\n--fmad=false\nf<int>\nline\nkern\nkernel l 0 0 0\n\n";
        let requests = parse(text).unwrap();
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[0].text.as_str(), requests[0].expressions[0].as_str()), ("line\nkern", "f<int>"));
        assert_eq!(requests[1].text, "");
        for damaged in [&text[..text.len() - 1], "kernel k 1 0 5\n", "other"] {
            assert_eq!(parse(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn a_target_is_served_by_code_of_its_major_version() {
        assert_eq!(runs_on("sm_89").first().unwrap(), "sm_89");
        assert_eq!(runs_on("sm_89").last().unwrap(), "sm_80");
        assert_eq!(runs_on("sm_120").last().unwrap(), "sm_120");
        assert_eq!(runs_on("compute_80"), ["compute_80"]);
    }

    #[test]
    fn what_is_no_archive_is_rejected() {
        let mut all = Loaded::default();
        let cut: &[u8] = b"cuprumA1\x01\0\0\0\0\0\0\0short";
        let beyond =
            [MAGIC.as_slice(), &1u64.to_le_bytes(), &[7; 32], &60u64.to_le_bytes(), &9u64.to_le_bytes()].concat();
        for bytes in [b"", b"cuprumA2".as_slice(), cut, beyond.leak()] {
            assert_eq!(all.add(bytes, "x").unwrap_err().kind(), ErrorKind::Io);
        }
        assert!(all.index.is_empty() && all.bytes.is_empty(), "a part of a damaged archive is kept");
    }
}
