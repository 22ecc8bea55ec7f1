//! Compilation and loading of kernel sources.
//!
//! A source is looked up by its hash, the compiler's version and the architecture: in memory, in archives, on disk, and
//! is compiled otherwise.

use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{OnceLock, PoisonError};

use super::Device;
use crate::cuda::trace::{self, TraceKind};
use crate::driver::Piece;
use crate::driver::archive::{self, Request};
use crate::driver::cache::{Key, key};
use crate::driver::nvcc::nvcc;
use crate::driver::nvrtc::{FOR_LINKER, Haste, Image, lines};
use crate::driver::switches::switch;
use crate::driver::{self, Function};
use crate::error::Result;

/// Compile options of every source. Contraction of a multiplication and an addition would round differently from device
/// to device.
pub(in crate::cuda) const OPTIONS: [&str; 3] = ["--std=c++17", DEVICE_DEFAULT, "--fmad=false"];

/// Functions without an execution space are functions of the device. nvcc has no such option.
const DEVICE_DEFAULT: &str = "-default-device";

/// A kernel's source and its compile options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source<'a> {
    /// The name in messages.
    pub(crate) name: Cow<'a, str>,
    /// The source with its headers.
    pub(crate) text: Cow<'a, str>,
    /// Compile options besides those of the library.
    pub(crate) options: Vec<String>,
    /// Name expressions of template instances that are kernels: `f<float>`.
    pub(crate) expressions: Vec<String>,
    /// True if it is one of the library's own sources, which use nothing of CUDA's runtime and can be compiled in
    /// batches.
    pub(crate) own: bool,
    /// True if nvcc compiles it, and not NVRTC.
    pub(crate) nvcc: bool,
}

/// Options that `CUPRUM_COMPILE_DEBUG=1` adds.
const DEBUG_OPTIONS: [&str; 2] = ["--device-debug", "--generate-line-info"];

/// Returns true if every source is compiled with debug information.
fn debugs() -> Result<bool> {
    static DEBUGS: OnceLock<Result<bool>> = OnceLock::new();
    DEBUGS.get_or_init(|| switch("CUPRUM_COMPILE_DEBUG")).clone()
}

/// Returns true if sources are compiled to PTX for a GPU, too, from which the driver generates machine code.
fn compiles_to_ptx() -> Result<bool> {
    static COMPILES: OnceLock<Result<bool>> = OnceLock::new();
    COMPILES.get_or_init(|| switch("CUPRUM_COMPILE_PTX")).clone()
}

impl Device {
    /// Returns the functions of a compiled source: those of the name expressions, then those of `names`.
    pub(crate) fn compile(&self, source: &Source<'_>, names: &[&str]) -> Result<Vec<Function>> {
        let driver = self.driver()?;
        let (module, lowered) = self.module(source)?;
        let lowered = lowered.iter().map(String::as_str);
        let found = |name| {
            let function = driver.function(module, name)?;
            // A user's kernel has its function's name; one of the library's, that of its source, with operation and dtype.
            let label = if source.own { format!("{} {name}", source.name) } else { name.to_owned() };
            trace::named(*self, function, &label);
            Ok(function)
        };
        lowered.chain(names.iter().copied()).map(found).collect()
    }

    /// Unloads a module from the device, and removes it from the cache.
    ///
    /// # Safety
    ///
    /// Neither it nor its functions and variables are used again.
    pub(crate) unsafe fn unload(&self, module: usize) -> Result<()> {
        let mut modules = self.0.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules.retain(|_, (known, _)| *known != module);
        // SAFETY: the caller guarantees the module; it can no longer be found.
        unsafe { self.driver()?.unload(module) }
    }

    /// Loads the module of a source, and returns its handle and the lowered names of its expressions: from
    /// memory, an archive or the disk, and otherwise compiled.
    pub(crate) fn module(&self, source: &Source<'_>) -> Result<(usize, Vec<String>)> {
        let driver = self.driver()?;
        let (key, making) = self.making(source)?;
        let modules = || self.0.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = &self.0.stats;
        if let Some(found) = modules().get(&key) {
            stats.memory_hits.fetch_add(1, Relaxed);
            return Ok(found.clone());
        }
        if !making.nvcc {
            archive::record(&making.request)?;
            if let Some(image) = archive::find(&making.request, &making.target)? {
                let module = driver.load(&image.code)?;
                modules().insert(key, (module, image.names.clone()));
                return Ok((module, image.names));
            }
        }
        // An entry that the device does not load is ignored.
        let kept = self.0.disk.get(&key).and_then(|image| Some((driver.load(&image.code).ok()?, image)));
        let (module, image) = match kept {
            Some(found) => {
                stats.disk_hits.fetch_add(1, Relaxed);
                found
            }
            None => {
                let image = self.build_image(key, making)?;
                let module = driver.load(&image.code)?;
                self.0.disk.put(&key, &image);
                (module, image)
            }
        };
        modules().insert(key, (module, image.names.clone()));
        Ok((module, image.names))
    }

    /// Returns the log of a compile, which caches do not store.
    pub(crate) fn compile_log(&self, source: &Source<'_>) -> Result<String> {
        let (_, CompileParams { request, target, haste, nvcc: by_nvcc, .. }) = self.making(source)?;
        if by_nvcc {
            let Request { name, text, options, .. } = &request;
            return Ok(nvcc()?.compile(text, name, &target, options)?.log);
        }
        Ok(driver::compile(&request, &target, haste)?.log)
    }

    /// Compiles a source to a piece that is to be linked.
    pub(crate) fn piece(&self, source: &Source<'_>) -> Result<Image> {
        let (key, making) = self.making(source)?;
        if let Some(image) = self.0.disk.get(&key) {
            self.0.stats.disk_hits.fetch_add(1, Relaxed);
            return Ok(image);
        }
        let image = self.build_image(key, making)?;
        self.0.disk.put(&key, &image);
        Ok(image)
    }

    /// Returns the module of linked pieces.
    pub(crate) fn linked(&self, pieces: &[Piece<'_>], options: &[String]) -> Result<usize> {
        let driver = self.driver()?;
        let (target, linker) = (&self.info().target, driver.linker()?);
        let count = options.len().to_string();
        let inputs = ["link", env!("CARGO_PKG_VERSION"), linker.as_deref().unwrap_or_default(), target, &count];
        let inputs = inputs.into_iter().chain(options.iter().map(String::as_str)).map(str::as_bytes);
        let parts: Vec<&[u8]> = inputs.chain(pieces.iter().map(|piece| piece.code)).collect();
        let key = key(&parts);
        let modules = || self.0.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((module, _)) = modules().get(&key) {
            self.0.stats.memory_hits.fetch_add(1, Relaxed);
            return Ok(*module);
        }
        let kept = linker.as_ref().and_then(|_| driver.load(&self.0.disk.get(&key)?.code).ok());
        let module = match kept {
            Some(module) => module,
            None => {
                let _span = trace::span(TraceKind::Compile, "link");
                let code = [driver.link(pieces, target, options)?, vec![0]].concat();
                let module = driver.load(&code)?;
                if linker.is_some() {
                    self.0.disk.put(&key, &Image { code, names: vec![], log: String::new() });
                }
                module
            }
        };
        modules().insert(key, (module, vec![]));
        Ok(module)
    }

    /// Returns the key of a compile, and its parameters.
    fn making(&self, source: &Source<'_>) -> Result<(Key, CompileParams)> {
        let target = match self.info().target.strip_prefix("sm_") {
            Some(arch) if compiles_to_ptx()? => format!("compute_{arch}"),
            _ => self.info().target.clone(),
        };
        let for_linker = source.options.iter().any(|o| o == FOR_LINKER);
        // Code for the linker has no debug information.
        let debug = !for_linker && debugs()?;
        let mut options = library_options(source);
        options.extend(source.options.iter().cloned());
        options.extend(DEBUG_OPTIONS.iter().filter(|_| debug).map(|o| o.to_string()));
        // The count separates options from name expressions.
        let count = options.len().to_string();
        let as_it_is = source.nvcc || debug;
        let haste = match as_it_is {
            true => Haste::default(),
            false => Haste { plain: source.own, quick: self.0.driver.runs_rarely() && !for_linker },
        };
        let compiler = if source.nvcc { nvcc()?.identity() } else { driver::compiler_identity(&target)? };
        let mut parts = vec![env!("CARGO_PKG_VERSION"), compiler, &target, source.text.as_ref(), &count];
        parts.extend(options.iter().chain(&source.expressions).map(String::as_str));
        // The code of plain sources is the same.
        parts.extend(haste.quick.then_some("Ofast-compile=min"));
        // The simulator reports lines of users' sources.
        let line_info = !source.own && haste.quick;
        parts.extend(line_info.then_some(lines::OPTION));
        let key = key(&parts);
        let request = Request {
            name: source.name.clone().into_owned(),
            text: source.text.clone().into_owned(),
            options,
            expressions: source.expressions.clone(),
        };
        Ok((key, CompileParams { request, target, haste, line_info, nvcc: source.nvcc }))
    }

    fn build_image(&self, key: Key, params: CompileParams) -> Result<Image> {
        let CompileParams { mut request, target, haste, line_info, nvcc: by_nvcc } = params;
        let _span = trace::span(TraceKind::Compile, &request.name);
        self.0.disk.put_source(&key, || commented(&request, &target))?;
        if line_info && !request.options.iter().any(|o| o == lines::OPTION) {
            request.options.push(lines::OPTION.into());
        }
        let compiled = match by_nvcc {
            true => nvcc().and_then(|nvcc| nvcc.compile(&request.text, &request.name, &target, &request.options)),
            false => self.0.compiler.compile(key, &request, &target, haste),
        };
        let mut image = compiled.inspect_err(trace::compile_error)?;
        if line_info {
            lines::annotate(&mut image, &request.name, &request.text, &request.expressions);
        }
        Ok(image)
    }
}

/// Returns the library's compile options of a source. nvcc rejects options that are passed twice.
fn library_options(source: &Source<'_>) -> Vec<String> {
    let name = |option: &str| option.trim_start_matches('-').split('=').next().unwrap_or_default().to_owned();
    let mut options = OPTIONS.to_vec();
    if source.nvcc {
        options.retain(|o| *o != DEVICE_DEFAULT && !source.options.iter().any(|own| name(own) == name(o)));
    }
    options.into_iter().map(String::from).collect()
}

/// Returns a source for a person to read, with its name, target and options in comments.
fn commented(request: &Request, target: &str) -> String {
    let Request { name, text, options, expressions } = request;
    let expressions: String = expressions.iter().map(|e| format!("// instance: {e}\n")).collect();
    format!("// {name}, compiled for {target} with {}\n{expressions}{text}", options.join(" "))
}

/// Parameters of a compile.
struct CompileParams {
    /// The source and all that its code depends on.
    request: Request,
    /// Architecture that code is generated for.
    target: String,
    /// Parts of the compile that are omitted.
    haste: Haste,
    /// True if the result is annotated with the lines of the source.
    line_info: bool,
    /// True if nvcc compiles it.
    nvcc: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_text_is_compiled_once() {
        let device = Device::open("sim").unwrap();
        let source = Source {
            name: "once".into(),
            text: "extern \"C\" __global__ void once(int *p) { *p = 7; }".into(),
            ..Source::default()
        };
        let first = device.compile(&source, &["once"]).unwrap()[0];
        let before = device.cache_stats();
        device.compile(&source, &["once"]).unwrap();
        assert!(device.cache_stats().memory_hits > before.memory_hits);
        let buffer = device.alloc(4).unwrap();
        // SAFETY: the kernel takes one address and writes four bytes there.
        unsafe { device.queue().launch(first, [1; 3], [1; 3], 0, &buffer.addr().to_le_bytes()) }.unwrap();
        let mut bytes = [0; 4];
        // SAFETY: the buffer has this size.
        unsafe { device.driver().unwrap().download(&mut bytes, buffer.addr(), 0) }.unwrap();
        assert_eq!(i32::from_le_bytes(bytes), 7);
    }

    #[test]
    fn a_fault_of_a_kernel_is_an_error_that_says_where() {
        let device = Device::open("sim").unwrap();
        let source = Source {
            name: "beyond".into(),
            text: "extern \"C\" __global__ void beyond(int *p) { p[threadIdx.x] = 7; }".into(),
            ..Source::default()
        };
        let beyond = device.compile(&source, &["beyond"]).unwrap()[0];
        let buffer = device.alloc(12).unwrap();
        // SAFETY: on the simulator a kernel that accesses memory out of bounds is stopped.
        let e =
            unsafe { device.queue().launch(beyond, [1; 3], [4, 1, 1], 0, &buffer.addr().to_le_bytes()) }.unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Fault);
        assert!(e.message().contains("kernel beyond") && e.message().contains("thread (3, 0, 0)"), "{e}");
    }
}
