//! Sizes of blocks that are found by trying: what was found, the scopes in which it is looked for, and its file.

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
    /// What is looked for in this thread, the innermost scope last.
    static SCOPES: RefCell<Vec<Tuning>> = const { RefCell::new(Vec::new()) };
}

/// How long a [`Tuning`] tries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuningOptions {
    /// Sizes that are tried for a call, the usual one among them: at least one.
    pub max_trials: usize,
    /// No further size is tried for a call when so much time is over.
    pub timeout: Duration,
    /// A size is measured again and again until so much time is over, and at least once.
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

/// Sizes of blocks for kernels of the user's, found by trying; CuPy's `cupyx.optimizing.optimize`.
///
/// In a scope of it, the first call of an [`ElementwiseKernel`](crate::ElementwiseKernel) or a
/// [`ReductionKernel`](crate::ReductionKernel) for some dtypes, shapes and strides is made with several sizes of blocks, and the
/// times on the device are taken; that call and later ones in such a scope use the size that took the least. The results are the same
/// **to the bit** with every size: the elements of a result are shared out between as many threads, and put together in the same
/// order. The clones of a `Tuning` share what is found.
///
/// ```
/// use cuprum::{ElementwiseKernel, Tuning, arange};
/// let square = ElementwiseKernel::new("T x", "T y", "y = x * x", Default::default())?;
/// let (x, tuning) = (arange(0, 1000, 1)?, Tuning::new(()));
/// // SAFETY: the operation reaches its elements and nothing else.
/// let call = || unsafe { square.call(&[(&x).into()], &[], None, None) };
/// let y = tuning.with(call)?.remove(0);
/// assert_eq!((y.to_vec::<i64>()?, tuning.len()), ((&x * &x).to_vec::<i64>()?, 1));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// What is tried works on copies of the outputs and of raw arrays, so that nothing is done twice to the user's. These calls are made
/// as outside of a scope: those that are given a size of their blocks; those of a text that can tell blocks apart, or does
/// something else than to write its elements (`threadIdx`, `atomicAdd`, `__shared__`, `printf`, `asm`, `loop_prep` and their like); those
/// that are kept in a graph, which may use what was found before. A [`RawKernel`](crate::RawKernel) is launched with the blocks that the
/// caller gives, which [`RawKernel::tune`](crate::RawKernel::tune) looks for among some; a kernel of `#[kernel]` has those that its
/// text was written for. Of a text that counts in a variable of its own module the variable counts what is tried, too.
///
/// On the simulator the times are those of the host's threads, which tell nothing of a GPU: what is found there is kept apart
/// from what is found on a device of another name.
///
/// # Synchronization
///
/// The host waits for the device while a size is looked for. Where one was found, a call goes on as ever.
///
/// CuPy tunes its own reductions by this, too, with results that may differ in their last digits; the library's functions here have blocks
/// of the sizes that they were measured with.
#[derive(Clone, Debug)]
pub struct Tuning(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    key: Option<String>,
    options: TuningOptions,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    sizes: FxHashMap<Key, u32>,
    /// True if something was found since it was saved or loaded.
    dirty: bool,
}

impl Tuning {
    /// One that has found nothing, without a key.
    pub fn new(options: impl IntoArgument<TuningOptions>) -> Tuning {
        Tuning(Arc::new(Inner { key: None, options: options.into(), found: Mutex::default() }))
    }

    /// As [`Tuning::new`], with a key, which its file tells and [`Tuning::load`] asks for.
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

    /// How it tries.
    pub fn options(&self) -> &TuningOptions {
        &self.0.options
    }

    /// For how many calls a size was found, or loaded.
    pub fn len(&self) -> usize {
        self.found().sizes.len()
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if something was found since it was saved or loaded.
    pub fn is_dirty(&self) -> bool {
        self.found().dirty
    }

    /// Calls a function, in which kernels look for the sizes of their blocks.
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        let _scope = self.begin();
        f()
    }

    /// Begins a scope of this thread, which ends as the result is dropped.
    ///
    /// ```
    /// use cuprum::{ReductionKernel, Tuning, arange};
    /// let total = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", Default::default())?;
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

    /// Writes what was found to a file: one line for each call, of a hash and the threads of a block. The file is written to one side
    /// and renamed.
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
    /// [`Io`](ErrorKind::Io) where the file cannot be written; [`Value`](ErrorKind::Value) for a key of several lines.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.write(path.as_ref()).map_err(|e| e.with_op("Tuning::save"))
    }

    fn write(&self, path: &Path) -> Result<()> {
        if self.key().is_some_and(|key| key.contains(['\n', '\r'])) {
            return Err(Error::new(ErrorKind::Value, "a key that is saved is of one line"));
        }
        let mut found = self.found();
        let mut lines: Vec<String> = found.sizes.iter().map(|(key, size)| format!("{} {size}\n", hex(key))).collect();
        lines.sort();
        let text = format!("{FIRST}\n{}\n{}", params(self.key()), lines.concat());
        let aside = path.with_extension(format!("{}.part", std::process::id()));
        let written = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, path));
        written.map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())))?;
        found.dirty = false;
        Ok(())
    }

    /// Takes what a file has in place of what was found.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) where the file cannot be read; [`Value`](ErrorKind::Value) for one of another key, and for one that is
    /// damaged or none of ours.
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
        *self.found() = Found { sizes, dirty: false };
        Ok(())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<usize> {
        self.found().sizes.get(key).map(|&size| size as usize)
    }

    pub(super) fn set(&self, key: Key, size: usize) {
        let mut found = self.found();
        found.sizes.insert(key, size as u32);
        found.dirty = true;
    }

    /// That of the innermost scope of this thread.
    pub(super) fn current() -> Option<Tuning> {
        SCOPES.with_borrow(|scopes| scopes.last().cloned())
    }
}

/// A scope of a [`Tuning`], which ends as this is dropped. Scopes of a thread end in the order in which they lie in one another.
#[derive(Debug)]
#[must_use = "the scope ends as this is dropped"]
pub struct TuningScope {
    /// A scope is of its thread.
    _thread: PhantomData<*const ()>,
}

impl Drop for TuningScope {
    fn drop(&mut self) {
        // At the end of a thread the list may be no more.
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
