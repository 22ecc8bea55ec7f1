//! Kernels written in Rust: the run-time part of the attribute `#[kernel]`.
//!
//! The attribute translates the function to CUDA C++ when the program is compiled; NVRTC compiles that at the first
//! call.

use std::sync::{Mutex, PoisonError};

use cuprum_kernels::DType;
use smallvec::SmallVec;

use super::parameters::c_type;
use super::{Argument, RawKernel, RawModule};
use crate::array::Array;
use crate::cuda::{Access, Device};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, shape_text};

/// Kernel that was translated when the program was compiled; [`kernel`](macro@crate::kernel) declares it.
#[doc(hidden)]
#[derive(Debug)]
pub struct RustKernel {
    name: &'static str,
    text: fn() -> String,
    /// Compiled kernels by device, and by the dtypes of generic parameters.
    compiled: Mutex<Vec<(Compiled, RawKernel)>>,
}

type Compiled = (usize, SmallVec<[DType; 2]>);

/// A call of a kernel, with its arguments.
#[doc(hidden)]
#[derive(Debug)]
pub struct RustCall<'k> {
    kernel: &'k RustKernel,
    given: SmallVec<[KernelArgument; 8]>,
}

#[derive(Debug)]
enum KernelArgument {
    /// A contiguous array of one axis, and true if it is written.
    Array(Array, bool),
    Number(Argument<'static>),
}

impl RustKernel {
    /// Threads of a block of `indexed`.
    pub const THREADS: u32 = 256;

    /// Returns a kernel with a name and a source.
    pub const fn new(name: &'static str, text: fn() -> String) -> RustKernel {
        RustKernel { name, text, compiled: Mutex::new(Vec::new()) }
    }

    /// Returns the number of blocks for one thread for each of `n` elements.
    ///
    /// ```
    /// use cuprum::RustKernel;
    /// assert_eq!(RustKernel::blocks(257)?, 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for more blocks than a launch can have.
    pub fn blocks(n: usize) -> Result<u32> {
        let blocks = n.div_ceil(Self::THREADS as usize);
        if blocks <= i32::MAX as usize {
            return Ok(blocks as u32);
        }
        Err(Error::new(ErrorKind::Value, format!("{n} threads are more than one launch can have")))
    }

    /// Begins a call.
    ///
    /// The code that [`kernel`](macro@crate::kernel) generates adds the arguments in the order of the parameters.
    pub fn call(&self) -> RustCall<'_> {
        RustCall { kernel: self, given: SmallVec::new() }
    }

    fn compiled(&self, device: Device, generics: &[(&str, DType)]) -> Result<RawKernel> {
        let all = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |(of, dtypes): &Compiled| {
            *of == device.address() && dtypes.iter().eq(generics.iter().map(|(_, dtype)| dtype))
        };
        if let Some((_, kernel)) = all().iter().find(|(key, _)| is(key)) {
            return Ok(kernel.clone());
        }
        let mut text = String::from(cuprum_kernels::source::USER_RUST);
        for (name, dtype) in generics {
            text += &format!("typedef {} {name};\n", c_type(*dtype));
        }
        text += &(self.text)();
        let kernel = device.with(|| RawModule::compile(&text, &[]))?.kernel(self.name)?;
        let key = (device.address(), generics.iter().map(|(_, dtype)| *dtype).collect());
        all().push((key, kernel.clone()));
        Ok(kernel)
    }
}

impl RustCall<'_> {
    /// Adds an array argument.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for another element type; [`ErrorKind::Value`] for a layout that is not C-contiguous.
    pub fn array<T: Element>(&mut self, parameter: &str, a: &Array, written: bool) -> Result<()> {
        let name = self.kernel.name;
        if a.dtype() != T::DTYPE {
            let message =
                format!("{parameter} has elements of {}, and {} is given: cast it with astype", T::DTYPE, a.dtype());
            return Err(Error::new(ErrorKind::Type, message).with_op(name));
        }
        if !a.is_c_contiguous() {
            let shape = shape_text(a.shape());
            let message =
                format!("{parameter} of shape {shape} is not contiguous in C order: give its ascontiguousarray");
            return Err(Error::new(ErrorKind::Value, message).with_op(name));
        }
        if written {
            a.check_writable().map_err(|e| e.with_op(name))?;
        }
        for given in &self.given {
            if let KernelArgument::Array(other, also) = given
                && (written || *also)
                && a.may_share_memory(other)
            {
                let message =
                    format!("{parameter} shares memory with another array, and one of them is written: copy one");
                return Err(Error::new(ErrorKind::Value, message).with_op(name));
            }
        }
        let layout = Layout { offset: a.layout().offset, ..Layout::c_order(&[a.size()], a.itemsize()) };
        self.given.push(KernelArgument::Array(a.with_layout(layout), written));
        Ok(())
    }

    /// Adds a scalar argument.
    pub fn number(&mut self, number: Argument<'static>) {
        self.given.push(KernelArgument::Number(number));
    }

    /// Launches the kernel.
    ///
    /// # Errors
    ///
    /// As [`RawKernel::launch`].
    pub fn launch(&self, grid: [u32; 3], block: [u32; 3], generics: &[(&str, DType)]) -> Result<()> {
        let go = || {
            let first = self
                .given
                .iter()
                .find_map(|g| if let KernelArgument::Array(a, _) = g { Some(a.device()) } else { None });
            let device = first.map_or_else(Device::current, Ok)?;
            let kernel = self.kernel.compiled(device, generics)?;
            let checked = device.checked_call((self.kernel.name, ""))?;
            checked.memory.touch(&device.queue(), Access::Write)?;
            let rejecting = [checked.memory.addr(), checked.call, u64::from(checked.function)];
            let mut arguments: SmallVec<[Argument<'_>; 8]> = SmallVec::new();
            arguments.push(Argument::of(&rejecting));
            arguments.extend(self.given.iter().map(|given| match given {
                KernelArgument::Array(a, _) => Argument::View(a),
                KernelArgument::Number(number) => *number,
            }));
            // SAFETY: the source was translated for these arguments, whose dtypes are checked; its indices are checked
            // on the device, except those for which an `unsafe` block of the user takes responsibility.
            unsafe { kernel.launch(grid, block, &arguments) }?;
            device.check_errors_now()
        };
        go().map_err(|e: Error| e.with_op(self.kernel.name))
    }
}
