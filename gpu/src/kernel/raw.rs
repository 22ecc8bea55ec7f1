//! Kernels given as CUDA C++, compiled as they stand.

use cuprum_kernels::params::{Fields, Parameters};

use crate::array::Array;
use crate::cuda::{Device, Source};
use crate::driver::Function;
use crate::engine::launch::{Launcher, Place};
use crate::error::Result;

/// A text of CUDA C++ compiled for a device; CuPy's `RawModule`.
///
/// Its kernels are `extern "C"`, so that they have the names that the text gives them.
///
/// ```
/// use cuprum::{Argument, Array, RawModule};
///
/// let text = r#"extern "C" __global__ void twice(float *x, int n) {
///     int i = blockIdx.x * blockDim.x + threadIdx.x;
///     if (i < n) x[i] *= 2.0f;
/// }"#;
/// let twice = RawModule::compile(text, &[])?.kernel("twice")?;
/// let x = Array::from_slice(&[1f32, 2.0, 3.0], [3])?;
/// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
/// unsafe { twice.launch([1, 1, 1], [32, 1, 1], &[Argument::Array(&x), Argument::I32(3)])? };
/// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawModule {
    device: Device,
    source: Source<'static>,
}

/// A kernel of a [`RawModule`].
#[derive(Clone, Debug)]
pub struct RawKernel {
    device: Device,
    function: Function,
}

/// An argument of a [`RawKernel`], of the type that the kernel declares.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Argument<'a> {
    /// The address of the array's first element.
    Array(&'a Array),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl RawModule {
    /// Compiles a text for the current device. `options` are those of NVRTC.
    ///
    /// # Errors
    ///
    /// [`Compile`](crate::ErrorKind::Compile) with the compiler's log; [`Library`](crate::ErrorKind::Library) where NVRTC is missing.
    pub fn compile(text: &str, options: &[&str]) -> Result<RawModule> {
        let device = Device::current()?;
        let source = Source {
            name: "raw".into(),
            text: text.to_owned().into(),
            options: options.iter().map(|o| o.to_string()).collect(),
            expressions: Vec::new(),
            own: false,
        };
        device.compile(&source, &[]).map_err(|e| e.with_op("RawModule"))?;
        Ok(RawModule { device, source })
    }

    /// The kernel of this name.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) where the module has none.
    pub fn kernel(&self, name: &str) -> Result<RawKernel> {
        let found = self.device.compile(&self.source, &[name]).map_err(|e| e.with_op("RawModule"))?;
        Ok(RawKernel { device: self.device, function: found[0] })
    }
}

impl RawKernel {
    /// Launches the kernel on the current stream.
    ///
    /// # Safety
    ///
    /// The arguments are of the number and the types that the kernel declares, and the kernel reaches nothing but the
    /// elements of its arrays.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for an array of another device; [`Driver`](crate::ErrorKind::Driver) and [`Fault`](crate::ErrorKind::Fault) as the
    /// device gives them.
    pub unsafe fn launch(&self, grid: [u32; 3], block: [u32; 3], arguments: &[Argument<'_>]) -> Result<()> {
        // SAFETY: the arguments lie as C lays them; for the rest the caller answers.
        unsafe { Launcher::on(self.device).launch_with(self.function, grid, block, &Arguments(arguments)) }
            .map_err(|e| e.with_op("RawKernel"))
    }
}

/// Arguments, each at the next multiple of its size.
struct Arguments<'a>(&'a [Argument<'a>]);

impl<'a> Parameters<Place<'a>> for Arguments<'a> {
    fn visit(&self, to: &mut impl Fields<Place<'a>>) {
        for argument in self.0 {
            match *argument {
                Argument::Array(a) => begin(8, to).write(Some(Place::of(a))),
                Argument::I32(x) => begin(4, to).word(x as u32),
                Argument::U32(x) => begin(4, to).word(x),
                Argument::F32(x) => begin(4, to).word(x.to_bits()),
                Argument::I64(x) => begin(8, to).long(x as u64),
                Argument::U64(x) => begin(8, to).long(x),
                Argument::F64(x) => begin(8, to).long(x.to_bits()),
            }
        }
    }
}

fn begin<'a, F: Fields<Place<'a>>>(bytes: usize, to: &mut F) -> &mut F {
    to.begin("", "", &[], bytes);
    to
}
