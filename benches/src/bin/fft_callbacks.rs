//! Cost of FFT callbacks: the factor of a norm in a callback or in a pass after the transform, a window in a callback
//! or in a product before the transform, and batches on two devices or on one. The results are compared as well.
//!
//! `fft_callbacks [small] [devices]` prints one JSON object per line. It restarts itself with `CUPRUM_FFT_CALLBACKS=1`,
//! a variable that a process reads once. `devices` runs only the rows of two devices, which are skipped if one is
//! hidden (`CUDA_VISIBLE_DEVICES=0`). `small` is for the simulator, where times mean nothing.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;
use std::time::Instant;

use cuprum::cuda::Device;
use cuprum::fft::{FftCallback, FftCallbacks, FftOptions, Norm, fft, fft_over, ifft, ifft_over, ifft2, rfft};
use cuprum::random::default_rng;
use cuprum::{Array, DType, Result, multiply};
use cuprum_benches::timing::device_seconds;
use serde_json::json;

const VARIABLE: &str = "CUPRUM_FFT_CALLBACKS";

type Call = fn(&Array) -> Result<Array>;

/// Transforms with a factor and without a preceding copy: callbacks save the pass after them.
const FACTORS: [(&str, [usize; 2], DType, Call); 7] = [
    ("ifft c64, 2^16 of 2^10", [1 << 16, 1 << 10], DType::C64, |a| ifft(a, ())),
    ("ifft c64, 2^20 of 2^6", [1 << 20, 1 << 6], DType::C64, |a| ifft(a, ())),
    ("ifft c64, 1 of 2^26", [1, 1 << 26], DType::C64, |a| ifft(a, ())),
    ("ifft c64, 1000 of 65537", [1000, 65537], DType::C64, |a| ifft(a, ())),
    ("ifft2 c64 8192", [1 << 13, 1 << 13], DType::C64, |a| ifft2(a, ())),
    ("ifft c128, 2^15 of 2^10", [1 << 15, 1 << 10], DType::C128, |a| ifft(a, ())),
    ("rfft f32 orthogonal, 2^16 of 2^11", [1 << 16, 1 << 11], DType::F32, |a| {
        rfft(a, FftOptions::new().norm(Norm::Ortho))
    }),
];

const WINDOW: &str = "
__device__ cufftComplex windowed(void *in, unsigned long long at, void *data, void *) {
  cufftComplex x = ((const cufftComplex *)in)[at];
  const float w = ((const float *)data)[at % N];
  x.x *= w;
  x.y *= w;
  return x;
}";

/// Returns uniform random numbers in [0, 1), complex if the dtype is.
fn numbers(shape: &[usize], dtype: DType) -> Result<Array> {
    let parts = shape.iter().product::<usize>() * if dtype.is_complex() { 2 } else { 1 };
    let x = default_rng(7)?.random(parts)?.astype(dtype.real())?;
    if dtype.is_complex() { x.view(dtype)?.reshape(shape) } else { x.reshape(shape) }
}

/// Returns the relative distance of two arrays in the Euclidean norm.
fn distance(a: &Array, b: &Array) -> Result<f64> {
    let norm = |x: &Array| -> Result<f64> {
        let squares = cuprum::square(&cuprum::absolute(x)?.astype(DType::F64)?)?;
        Ok(cuprum::sum(&squares, ())?.item::<f64>()?.sqrt())
    };
    Ok(norm(&cuprum::subtract(a, b)?)? / norm(b)?)
}

fn factors(small: bool) -> Result<()> {
    let rides = std::env::var(VARIABLE).is_ok_and(|value| value == "1");
    for (name, shape, dtype, call) in FACTORS {
        let shape = if small { shape.map(|n| n.min(12)) } else { shape };
        let a = numbers(&shape, dtype)?;
        let start = Instant::now();
        let result = call(&a)?;
        result.device().synchronize()?;
        let first = start.elapsed().as_secs_f64();
        let mut hasher = DefaultHasher::new();
        result.to_bytes()?.hash(&mut hasher);
        drop(result);
        let seconds = device_seconds(|| call(&a))?;
        println!(
            "{}",
            json!({"row": name, "factor in the call": rides, "ms": seconds * 1e3, "first call, ms": first * 1e3,
                   "bits": format!("{:016x}", hasher.finish())})
        );
    }
    Ok(())
}

/// Compares a window applied by a callback with one applied by a product.
fn window(small: bool) -> Result<()> {
    let (lines, n) = if small { (3, 12) } else { (1 << 16, 1 << 10) };
    let (a, w) = (numbers(&[lines, n], DType::C64)?, numbers(&[n], DType::F32)?);
    let callback = FftCallback { options: vec![format!("-DN={n}")], ..FftCallback::new(WINDOW, "windowed").data(&w) };
    let callbacks = FftCallbacks::new().load(callback);
    let by_product = || fft(multiply(&a, &w)?, ());
    let product = by_product()?;
    let apart = device_seconds(by_product)?;
    let scope = callbacks.scope()?;
    let off = distance(&fft(&a, ())?, &product)?;
    let along = device_seconds(|| fft(&a, ()))?;
    drop(scope);
    let plain = device_seconds(|| fft(&a, ()))?;
    println!(
        "{}",
        json!({"row": format!("window and fft c64, {lines} of {n}"), "callback, ms": along * 1e3, "product, ms": apart * 1e3,
               "without a window, ms": plain * 1e3, "distance": off})
    );
    Ok(())
}

/// Compares 1-D transforms, single and batched, on two devices and on one.
fn devices(small: bool) -> Result<()> {
    let kind = if Device::current()?.ordinal().is_some() { "cuda" } else { "sim" };
    let open = |k: usize| Device::open(&format!("{kind}:{k}"));
    let Ok(second) = open(1) else {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        let why = json!({"row": "two devices", "nothing was checked": "there is one device", "CUDA_VISIBLE_DEVICES": visible});
        println!("{why}");
        return Ok(());
    };
    let devices = [open(0)?, second];
    let mut shapes: Vec<[usize; 2]> =
        if small { vec![[1, 144]] } else { (20..=27).map(|log2| [1, 1 << log2]).collect() };
    shapes.push(if small { [4, 12] } else { [1 << 12, 1 << 16] });
    for shape in shapes {
        let a = devices[0].with(|| numbers(&shape, DType::C64))?;
        let (one, two) = (fft(&a, ())?, fft_over(&a, &devices, ())?);
        let off = distance(&two, &one)?;
        let back = distance(&ifft_over(&two, &devices, ())?, &a)?;
        drop((one, two));
        let time = |call: &dyn Fn() -> Result<Array>| -> Result<f64> {
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let start = Instant::now();
                call()?;
                devices.iter().try_for_each(Device::synchronize)?;
                least = least.min(start.elapsed().as_secs_f64());
            }
            Ok(least)
        };
        let (one, two) = (time(&|| fft(&a, ()))?, time(&|| fft_over(&a, &devices, ()))?);
        println!(
            "{}",
            json!({"row": format!("fft c64, {} of {}", shape[0], shape[1]), "one device, ms": one * 1e3,
                   "two devices, ms": two * 1e3, "distance": off, "distance of the way back": back})
        );
    }
    Ok(())
}

fn main() -> Result<()> {
    let has_argument = |word: &str| std::env::args().skip(1).any(|one| one == word);
    let small = has_argument("small");
    if has_argument("devices") {
        return devices(small);
    }
    let again = std::env::var(VARIABLE).is_ok_and(|value| value == "1");
    factors(small)?;
    if again {
        return Ok(());
    }
    let own = std::env::current_exe().expect("the program has a file");
    let status = Command::new(own).args(std::env::args().skip(1)).env(VARIABLE, "1").status().expect("it begins anew");
    assert!(status.success(), "with {VARIABLE}=1 it failed");
    window(small)?;
    devices(small)
}
