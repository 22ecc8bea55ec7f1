//! Control of NVIDIA's profilers, and annotations for them: CuPy's `cupyx.profiler` and `cupy.cuda.nvtx`.
//!
//! Without a profiler none of this has an effect.

use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

use libloading::Library;

use super::Device;
use crate::error::Result;

/// The libraries that pass annotations to profilers (NVTX), the older first.
const NAMES: [&str; 4] = ["libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvtx3interop.so", "nvToolsExt64_1.dll"];

/// Starts profiling, with a profiler that was configured to wait for it.
///
/// It is `cudaProfilerStart`, for `nsys profile --capture-range=cudaProfilerApi`.
///
/// CuPy's `cuda.profiler.start`.
///
/// # Errors
///
/// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
pub fn start() -> Result<()> {
    Device::current()?.driver()?.profiler(true).map_err(|e| e.with_op("profiler::start"))
}

/// Stops profiling.
///
/// CuPy's `cuda.profiler.stop`.
///
/// # Errors
///
/// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
pub fn stop() -> Result<()> {
    Device::current()?.driver()?.profiler(false).map_err(|e| e.with_op("profiler::stop"))
}

/// Calls `f` with profiling on; CuPy's `profile`.
///
/// # Errors
///
/// As [`start`].
///
/// ```
/// let a = cuprum::cuda::profiler::profile(|| cuprum::arange(0, 3, 1))??;
/// assert_eq!(a.size(), 3);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn profile<R>(f: impl FnOnce() -> R) -> Result<R> {
    start()?;
    let made = f();
    stop()?;
    Ok(made)
}

/// Named time range, until it is dropped; CuPy's `time_range`.
///
/// ```
/// use cuprum::cuda::profiler::Range;
/// let _range = Range::new("the first step");
/// // Calls in this scope are under the name.
/// ```
#[derive(Debug)]
pub struct Range(());

impl Range {
    /// Begins a range.
    ///
    /// It is shown by Nsight Systems as a bar over the work that the thread queues before the range is dropped.
    ///
    /// It is an NVTX range; without a profiler it costs one test. CuPy's `cupyx.profiler.time_range`.
    ///
    /// ```
    /// use cuprum::cuda::profiler::Range;
    /// let range = Range::new("forward");
    /// let y = cuprum::add(&cuprum::ones(3, ())?, 1)?;
    /// drop(range);
    /// assert_eq!(y.to_vec::<f64>()?, [2.0; 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new(name: &str) -> Range {
        call(Marks::push, name);
        Range(())
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some(Some(pop)) = marks().map(|marks| marks.pop) {
            // SAFETY: the function takes nothing; a pop without a push does nothing.
            unsafe { pop() };
        }
    }
}

/// Adds a named mark to the timeline.
///
/// It is an NVTX mark; CuPy's `cuda.nvtx.Mark`.
pub fn mark(name: &str) {
    call(Marks::mark, name);
}

type Named = unsafe extern "C" fn(*const c_char) -> c_int;

/// Function table of the library.
#[derive(Debug)]
struct Marks {
    /// `nvtxMarkA`.
    mark: Option<Named>,
    /// `nvtxRangePushA`.
    push: Option<Named>,
    /// `nvtxRangePop`.
    pop: Option<unsafe extern "C" fn() -> c_int>,
}

impl Marks {
    fn mark(&self) -> Option<Named> {
        self.mark
    }

    fn push(&self) -> Option<Named> {
        self.push
    }
}

fn call(function: impl Fn(&Marks) -> Option<Named>, name: &str) {
    let Some(function) = marks().and_then(function) else { return };
    // The part after a NUL is not shown.
    let name = CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default();
    // SAFETY: the text ends with NUL, and the library copies it.
    unsafe { function(name.as_ptr()) };
}

fn marks() -> Option<&'static Marks> {
    static FOUND: OnceLock<Option<Marks>> = OnceLock::new();
    let find = || {
        // SAFETY: loading NVIDIA's annotation library runs its initialisers, which have no preconditions.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        // SAFETY: the declarations are those of the library's header.
        let (mark, push) = unsafe { (library.get::<Named>(b"nvtxMarkA"), library.get::<Named>(b"nvtxRangePushA")) };
        // SAFETY: as above.
        let pop = unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"nvtxRangePop") };
        let marks = Marks { mark: mark.ok().map(|f| *f), push: push.ok().map(|f| *f), pop: pop.ok().map(|f| *f) };
        // The library stays loaded until the process ends.
        std::mem::forget(library);
        Some(marks)
    };
    FOUND.get_or_init(find).as_ref()
}
