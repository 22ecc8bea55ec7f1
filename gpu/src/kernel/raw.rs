//! Kernels given as CUDA C++, compiled as they stand.

use crate::array::{Array, RawParts};
use crate::cuda::{Device, Source};
use crate::driver::Function;
use crate::engine::launch::{Argument, Launcher};
use crate::error::{Error, ErrorKind, Result};

pub use crate::driver::FunctionAttribute;

/// A text of CUDA C++ compiled for a device; CuPy's `RawModule`.
///
/// Its kernels are `extern "C"`, so that they have the names that the text gives them, or templates that are named as they
/// are to be made.
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

impl RawModule {
    /// Compiles a text for the current device. `options` are those of NVRTC.
    ///
    /// # Errors
    ///
    /// [`Compile`](ErrorKind::Compile) with the compiler's log; [`Library`](ErrorKind::Library) where NVRTC is missing.
    pub fn compile(text: &str, options: &[&str]) -> Result<RawModule> {
        RawModule::instantiate(text, options, &[])
    }

    /// As [`RawModule::compile`], of a text with templates: `expressions` name those that are wanted, as
    /// `scale<float>`. CuPy's `name_expressions`.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, array};
    /// let text = "template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }";
    /// let module = RawModule::instantiate(text, &[], &["scale<double>"])?;
    /// let x = array([1.0, 2.0])?;
    /// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
    /// unsafe { module.kernel("scale<double>")?.launch([1; 3], [2, 1, 1], &[Argument::Array(&x), Argument::F64(3.0)])? };
    /// assert_eq!(x.to_vec::<f64>()?, [3.0, 6.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RawModule::compile`].
    pub fn instantiate(text: &str, options: &[&str], expressions: &[&str]) -> Result<RawModule> {
        let device = Device::current()?;
        let source = Source {
            name: "raw".into(),
            text: text.to_owned().into(),
            options: options.iter().map(|o| o.to_string()).collect(),
            expressions: expressions.iter().map(|e| e.to_string()).collect(),
            own: false,
        };
        device.compile(&source, &[]).map_err(|e| e.with_op("RawModule"))?;
        Ok(RawModule { device, source })
    }

    /// The kernel of this name, or of this expression.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) where the module has none.
    pub fn kernel(&self, name: &str) -> Result<RawKernel> {
        let of_expression = self.source.expressions.iter().position(|e| e == name);
        let names: &[&str] = if of_expression.is_some() { &[] } else { &[name] };
        let found = self.device.compile(&self.source, names).map_err(|e| e.with_op("RawModule"))?;
        let at = of_expression.unwrap_or(self.source.expressions.len());
        Ok(RawKernel { device: self.device, function: found[at] })
    }

    /// A variable of the module, `__device__` or `__constant__`, as its bytes; CuPy's `get_global`.
    ///
    /// ```
    /// use cuprum::{DType, RawModule};
    /// let module = RawModule::compile("extern \"C\" __device__ int table[3] = {1, 2, 3};", &[])?;
    /// assert_eq!(module.global("table")?.view(DType::I32)?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) where the module has none.
    pub fn global(&self, name: &str) -> Result<Array> {
        let go = || {
            let (module, _) = self.device.module(&self.source)?;
            let (pointer, bytes) = self.device.driver()?.global(module, name)?;
            let parts = RawParts::new(self.device, pointer, crate::DType::U8, [bytes]);
            // SAFETY: the variable is of so many bytes, and its module is never unloaded.
            unsafe { Array::from_raw_parts(parts, ()) }
        };
        go().map_err(|e| e.with_op("RawModule"))
    }
}

impl RawKernel {
    /// Launches the kernel on the current stream.
    ///
    /// # Safety
    ///
    /// The arguments are of the number and the types that the kernel declares, and the kernel reaches nothing but the
    /// elements of its arrays; of one that is read-only it writes none.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for an array of another device; [`Driver`](ErrorKind::Driver) and [`Fault`](ErrorKind::Fault) as the
    /// device gives them.
    pub unsafe fn launch(&self, grid: [u32; 3], block: [u32; 3], arguments: &[Argument<'_>]) -> Result<()> {
        // SAFETY: the caller answers for the arguments.
        unsafe { self.launch_shared(grid, block, 0, arguments) }
    }

    /// As [`RawKernel::launch`], with so many bytes of dynamic shared memory for each block.
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// As [`RawKernel::launch`].
    pub unsafe fn launch_shared(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        // SAFETY: the arguments lie as C lays them; for the rest the caller answers.
        unsafe { Launcher::on(self.device).launch_with(self.function, grid, block, shared, arguments) }
            .map_err(|e| e.with_op("RawKernel"))
    }

    /// The device that the kernel is compiled for.
    pub fn device(&self) -> Device {
        self.device
    }

    /// A fact of the compiled kernel; CuPy's `RawKernel.attributes`.
    ///
    /// ```
    /// use cuprum::{FunctionAttribute, RawModule};
    /// let text = r#"extern "C" __global__ void f() { __shared__ int x[8]; x[threadIdx.x] = 1; }"#;
    /// let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    /// assert_eq!(kernel.attribute(FunctionAttribute::MaxThreadsPerBlock)?, 1024);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotImplemented`](ErrorKind::NotImplemented) for what the simulator does not have, as registers.
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        self.device.driver()?.function_attribute(self.function, attribute).map_err(|e| e.with_op("RawKernel"))
    }

    /// Allows so many bytes of dynamic shared memory, beyond the 48 KiB that every kernel may have.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) where the device has not so much.
    pub fn set_max_dynamic_shared_bytes(&self, bytes: i32) -> Result<()> {
        let go = || {
            if bytes < 0 {
                return Err(Error::new(ErrorKind::Value, format!("{bytes} bytes of shared memory are asked for")));
            }
            self.device.driver()?.set_max_dynamic_shared_bytes(self.function, bytes)
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_every_size_lie_as_c_lays_them() -> Result<()> {
        let text = r#"
            struct Pair { char a; double b; };
            extern "C" __global__ void f(signed char a, short b, double *out, char c, Pair p, float d) {
                extern __shared__ double room[];
                room[0] = a; room[1] = b; room[2] = c; room[3] = p.a; room[4] = p.b; room[5] = d;
                for (int i = 0; i < 6; i++) out[i] = room[i];
            }"#;
        let kernel = RawModule::compile(text, &[])?.kernel("f")?;
        let out = crate::zeros(6, crate::DType::F64)?;
        let mut pair = [0u8; 16];
        pair[0] = 4;
        pair[8..].copy_from_slice(&5.5f64.to_le_bytes());
        let arguments = [
            Argument::Bytes { bytes: &[1], align: 1 },
            Argument::Bytes { bytes: &[2, 0], align: 2 },
            Argument::Array(&out),
            Argument::Bytes { bytes: &[3], align: 1 },
            Argument::Bytes { bytes: &pair, align: 8 },
            Argument::F32(6.5),
        ];
        // SAFETY: the arguments are those of the kernel, which stays inside the array.
        unsafe { kernel.launch_shared([1; 3], [1; 3], 48, &arguments) }?;
        assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.5, 6.5]);
        Ok(())
    }
}
