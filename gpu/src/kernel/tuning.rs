//! Tuning of block sizes by measurement: results, scopes in which sizes are tried, and the file format.
//!
//! Results are stored in a file of text, which serves other processes.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::array::IntoArgument;
use crate::driver::cache::Key;
use crate::error::{Error, ErrorKind, Result};

pub(super) mod measure;

/// The first line of a file.
const FIRST: &str = "cuprum block sizes 1";

thread_local! {
    /// The scopes of this thread, the innermost last.
    static SCOPES: RefCell<Vec<Tuning>> = const { RefCell::new(Vec::new()) };
}

/// Limits of the trials of a [`Tuning`].
///
/// They bound the time that a search may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuningOptions {
    /// Maximum number of sizes that are tried for a call, including the usual one: at least one. By default 100.
    pub max_trials: usize,
    /// No further size is tried for a call after this time.
    pub timeout: Duration,
    /// A size is measured repeatedly for this time, and at least once.
    pub max_time_per_trial: Duration,
}

impl Default for TuningOptions {
    fn default() -> Self {
        TuningOptions {
            max_trials: 100,
            timeout: Duration::from_secs(1),
            max_time_per_trial: Duration::from_millis(100),
        }
    }
}

impl From<()> for TuningOptions {
    fn from((): ()) -> Self {
        TuningOptions::default()
    }
}

/// Block sizes of user-defined kernels, found by measurement; CuPy's `cupyx.optimizing.optimize`.
///
/// In a scope of it, the first call of an [`ElementwiseKernel`](crate::ElementwiseKernel) or a
/// [`ReductionKernel`](crate::ReductionKernel) for some dtypes, shapes and strides is made with several block sizes,
/// and the times on the device are measured; that call and later ones in such a scope use the fastest size. The results
/// are the same **to the bit** with every size: the elements of a result are distributed over the same number of
/// threads, and combined in the same order. The clones of a `Tuning` share its results.
///
/// ```
/// use cuprum::{ElementwiseKernel, Tuning, arange};
/// let square = ElementwiseKernel::new("T x", "T y", "y = x * x", ())?;
/// let (x, tuning) = (arange(0, 1000, 1)?, Tuning::new(()));
/// // SAFETY: the operation reaches its elements and nothing else.
/// let call = || unsafe { square.call(&[(&x).into()], &[], None, None) };
/// let y = tuning.with(call)?.remove(0);
/// assert_eq!((y.to_vec::<i64>()?, tuning.len()), ((&x * &x).to_vec::<i64>()?, 1));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// Trials work on copies of the outputs and of raw arrays, so that the user's arrays are not modified. Some calls are
/// made as outside of a scope: those with an explicit block size; those of a source that can distinguish blocks, or
/// that does something else than write its elements (`threadIdx`, `atomicAdd`, `__shared__`, `printf`, `asm`,
/// `loop_prep` and the like); and those that are captured in a graph, which may use earlier results. A
/// [`RawKernel`](crate::RawKernel) is launched with the block size that the caller passes, which
/// [`RawKernel::tune`](crate::RawKernel::tune) selects among several; a kernel of `#[kernel]` has the block size that
/// its source was written for. If a source counts in a variable of its own module, the variable also counts the trials.
///
/// On the simulator the times are those of the host's threads, which say nothing about a GPU: results are kept
/// separately for devices with different names.
///
/// # Synchronization
///
/// Synchronises with the device during a search. If a size is known, a call does not.
///
/// CuPy also tunes its own reductions in this way, with results that may differ in their last digits; the library's
/// functions here have fixed block sizes.
#[derive(Clone, Debug)]
pub struct Tuning(Arc<Inner>);

/// State of a tuning, which its handles share.
#[derive(Debug)]
struct Inner {
    /// Key that a file must have.
    key: Option<String>,
    /// Bounds of the search.
    options: TuningOptions,
    /// Block sizes that were found.
    found: Mutex<TuningResult>,
}

/// Block sizes that were found.
#[derive(Debug, Default)]
struct TuningResult {
    /// Block size for each kernel and shape.
    sizes: FxHashMap<Key, u32>,
    /// True if there are results that were found since the last save or load.
    dirty: bool,
}

impl Tuning {
    /// Creates a tuning without results and without a key.
    ///
    /// ```
    /// use cuprum::Tuning;
    /// let tuning = Tuning::new(());
    /// assert!(tuning.is_empty() && !tuning.is_dirty());
    /// ```
    pub fn new(options: impl IntoArgument<TuningOptions>) -> Tuning {
        Tuning(Arc::new(Inner { key: None, options: options.into(), found: Mutex::default() }))
    }

    /// Creates a tuning with a key, which is stored in its file and which [`Tuning::load`] compares.
    ///
    /// ```
    /// use cuprum::{Tuning, TuningOptions};
    /// let tuning = Tuning::with_key("rows of 4096", TuningOptions::default());
    /// assert_eq!(tuning.key(), Some("rows of 4096"));
    /// ```
    pub fn with_key(key: &str, options: impl IntoArgument<TuningOptions>) -> Tuning {
        Tuning(Arc::new(Inner { key: Some(key.into()), options: options.into(), found: Mutex::default() }))
    }

    /// Returns the key.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// Returns the options.
    pub fn options(&self) -> &TuningOptions {
        &self.0.options
    }

    /// Returns the number of calls for which a size was found or loaded.
    ///
    /// ```
    /// let tuning = cuprum::Tuning::with_key("rows", ());
    /// assert!(tuning.is_empty() && tuning.len() == 0 && !tuning.is_dirty());
    /// assert_eq!(tuning.key(), Some("rows"));
    /// ```
    pub fn len(&self) -> usize {
        self.result().sizes.len()
    }

    /// Returns true if there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if results were found since the last save or load.
    pub fn is_dirty(&self) -> bool {
        self.result().dirty
    }

    /// Calls a function, in which kernels search for their block sizes.
    ///
    /// Calls outside use the sizes that were found for their key, if any. Scopes may be nested: the innermost counts.
    ///
    /// See [`Tuning`] for an example.
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        let _scope = self.begin();
        f()
    }

    /// Begins a scope of this thread, which ends when the result is dropped.
    ///
    /// ```
    /// use cuprum::{ReductionKernel, Tuning, arange};
    /// let total = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", ())?;
    /// let (tuning, x) = (Tuning::new(()), arange(0, 100, 1)?);
    /// let scope = tuning.begin();
    /// // SAFETY: the expressions reach their elements and nothing else.
    /// let y = unsafe { total.call(&[(&x).into()], None, (), false) }?;
    /// drop(scope);
    /// assert_eq!(y.item::<i64>()?, 4950);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn begin(&self) -> TuningScope {
        SCOPES.with_borrow_mut(|scopes| scopes.push(self.clone()));
        TuningScope { _thread: PhantomData }
    }

    /// Writes the results to a file: one line for each call, with a hash and the number of threads of a block. A
    /// temporary file is written and renamed.
    ///
    /// ```
    /// use cuprum::Tuning;
    /// let file = std::env::temp_dir().join(format!("blocks-{}", std::process::id()));
    /// Tuning::new(()).save(&file)?;
    /// let again = Tuning::new(());
    /// again.load(&file)?;
    /// assert!(again.is_empty());
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) if the file cannot be written; [`Value`](ErrorKind::Value) for a key of several lines.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.write(path.as_ref()).map_err(|e| e.with_op("Tuning::save"))
    }

    fn write(&self, path: &Path) -> Result<()> {
        if self.key().is_some_and(|key| key.contains(['\n', '\r'])) {
            return Err(Error::new(ErrorKind::Value, "a key that is saved is of one line"));
        }
        let mut found = self.result();
        let mut lines: Vec<String> = found.sizes.iter().map(|(key, size)| format!("{} {size}\n", hex(key))).collect();
        lines.sort();
        let text = format!("{FIRST}\n{}\n{}", params(self.key()), lines.concat());
        let aside = path.with_extension(format!("{}.part", std::process::id()));
        let written = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, path));
        written.map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())))?;
        found.dirty = false;
        Ok(())
    }

    /// Replaces the results by those of a file.
    ///
    /// CuPy's `optimize(path=…)`. Calls for which the file has a size do not search again.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) if the file cannot be read; [`Value`](ErrorKind::Value) for a file with another key, and
    /// for one that is damaged or of another format.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        self.read(path.as_ref()).map_err(|e| e.with_op("Tuning::load"))
    }

    fn read(&self, path: &Path) -> Result<()> {
        let text =
            std::fs::read_to_string(path).map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())))?;
        let rejected = |what: String| Error::new(ErrorKind::Value, format!("{}: {what}", path.display()));
        let mut lines = text.lines();
        if lines.next() != Some(FIRST) {
            return Err(rejected(format!("the file does not begin with {FIRST:?}: it is none of block sizes")));
        }
        let (own, its) = (params(self.key()), lines.next().unwrap_or_default());
        if own != its {
            return Err(rejected(format!("the file has {its:?} where this has {own:?}: load it with the same key")));
        }
        let mut sizes = FxHashMap::default();
        for (k, line) in lines.enumerate() {
            let read = || -> Option<(Key, u32)> {
                let (key, size) = line.split_once(' ')?;
                let size: u32 = size.parse().ok()?;
                (1..=1024).contains(&size).then_some((unhex(key)?, size))
            };
            let (key, size) = read().ok_or_else(|| {
                rejected(format!("line {} is damaged: {line:?} is not a hash and the threads of a block", k + 3))
            })?;
            sizes.insert(key, size);
        }
        *self.result() = TuningResult { sizes, dirty: false };
        Ok(())
    }

    fn result(&self) -> MutexGuard<'_, TuningResult> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<usize> {
        self.result().sizes.get(key).map(|&size| size as usize)
    }

    pub(super) fn set(&self, key: Key, size: usize) {
        let mut found = self.result();
        found.sizes.insert(key, size as u32);
        found.dirty = true;
    }

    /// Returns the tuning of the innermost scope of this thread.
    pub(super) fn current() -> Option<Tuning> {
        SCOPES.with_borrow(|scopes| scopes.last().cloned())
    }
}

/// Scope of a [`Tuning`], which ends when it is dropped. Nested scopes of a thread must end in the reverse order of
/// their beginnings.
#[derive(Debug)]
#[must_use = "the scope ends as this is dropped"]
pub struct TuningScope {
    /// A scope belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl Drop for TuningScope {
    fn drop(&mut self) {
        // At the end of a thread the list may be destroyed already.
        let _ = SCOPES.try_with(|scopes| scopes.borrow_mut().pop());
    }
}

/// Returns the line of a key.
fn params(key: Option<&str>) -> String {
    key.map_or_else(|| "no key".into(), |key| format!("key {key}"))
}

fn hex(key: &Key) -> String {
    key.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Key> {
    let mut key = Key::default();
    if text.len() != 2 * key.len() || !text.is_ascii() {
        return None;
    }
    for (k, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * k..2 * k + 2], 16).ok()?;
    }
    Some(key)
}
