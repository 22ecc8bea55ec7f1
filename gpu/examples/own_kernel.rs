//! A user-defined CUDA C++ kernel, with its time on the device measured by events.

use cuprum::cuda::Event;
use cuprum::prelude::*;
use cuprum::{Argument, RawModule};

const TEXT: &str = r#"
extern "C" __global__ void logistic(float *x, float r, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < rounds; ++k) v = r * v * (1 - v);
    x[i] = v;
}"#;

fn main() -> Result<()> {
    let n = 1000usize;
    let x = ((arange(0, n, 1)? + 0.5) / n).astype(DType::F32)?;
    let expected = (0..50).try_fold(x.copy(())?, |v, _| Ok::<_, Error>(&v * 2.5 * (1.0 - &v)))?;

    let kernel = RawModule::compile(TEXT, &[])?.kernel("logistic")?;
    let (start, end) = (Event::new(x.device())?, Event::new(x.device())?);
    start.record()?;
    let arguments = [Argument::Array(&x), Argument::F32(2.5), Argument::I32(50), Argument::I32(n as i32)];
    // SAFETY: the arguments are those of the kernel, which stays inside the array.
    unsafe { kernel.launch([n.div_ceil(256) as u32, 1, 1], [256, 1, 1], &arguments)? };
    end.record()?;
    end.synchronize()?;

    println!("{:.3} ms for 50 rounds in one launch", end.elapsed_ms_since(&start)?);
    assert!(x.allclose(&expected, ())?);
    // With r = 2.5 the logistic map converges to 1 - 1 / r from every start.
    assert!((&x - 0.6).abs()?.max(())?.item::<f32>()? < 1e-4);
    Ok(())
}
