//! Interoperation with another library that changes the driver's current context: calls run on the array's device, and
//! the other library's context is current again afterwards. Without a CUDA device the test reports that nothing was
//! checked.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cuprum::cuda::{Device, Event, Stream};
use cuprum::{DType, Result, full};
use libloading::Library;

type Context = *mut c_void;

/// The driver, as another library calls it.
struct Driver(Library);

impl Driver {
    fn new() -> Driver {
        // SAFETY: the library has loaded the driver already.
        Driver(unsafe { Library::new("libcuda.so.1") }.expect("there is a driver"))
    }

    /// Creates a second context of the device.
    fn create(&self, ordinal: c_int) -> Context {
        // SAFETY: the signature is that of the driver's header.
        let create: unsafe extern "C" fn(*mut Context, c_uint, c_int) -> c_int =
            *unsafe { self.0.get(b"cuCtxCreate_v2") }.expect("the driver makes contexts");
        let mut context = ptr::null_mut();
        // SAFETY: `context` is a live variable.
        assert_eq!(unsafe { create(&mut context, 0, ordinal) }, 0, "cuCtxCreate_v2");
        context
    }

    fn set(&self, context: Context) {
        // SAFETY: the signature is that of the driver's header.
        let set: unsafe extern "C" fn(Context) -> c_int =
            *unsafe { self.0.get(b"cuCtxSetCurrent") }.expect("the driver sets contexts");
        // SAFETY: the context is live, or null.
        assert_eq!(unsafe { set(context) }, 0, "cuCtxSetCurrent");
    }

    fn current(&self) -> Context {
        // SAFETY: the signature is that of the driver's header.
        let get: unsafe extern "C" fn(*mut Context) -> c_int =
            *unsafe { self.0.get(b"cuCtxGetCurrent") }.expect("the driver knows the context");
        let mut context = ptr::null_mut();
        // SAFETY: `context` is a live variable.
        assert_eq!(unsafe { get(&mut context) }, 0, "cuCtxGetCurrent");
        context
    }
}

fn main() -> Result<()> {
    let count = Device::count()?;
    if count == 0 {
        println!("context: nothing was checked: there is no CUDA device");
        return Ok(());
    }
    let driver = Driver::new();
    for ours in 0..count {
        let device = Device::open(&format!("cuda:{ours}"))?;
        let theirs = driver.create((count - 1 - ours) as c_int);
        for context in [theirs, ptr::null_mut()] {
            driver.set(context);
            // A thread without a context keeps that of the first device, as the CUDA runtime would set it.
            let kept = context.is_null() && ours == 0;
            let what = |call: &str| {
                assert!(kept || driver.current() == context, "{call} left another context current");
            };
            let stream = Stream::new(device)?;
            what("Stream::new");
            let x = device.with(|| full(1 << 20, 2, DType::F32))?;
            what("full");
            let y = stream.with(|| &x * &x);
            what("multiply");
            driver.set(ptr::null_mut());
            driver.set(context);
            let product = device.with(|| {
                let square = full([64, 64], 2, DType::F32)?;
                cuprum::matmul(&square, &square)?.to_vec::<f32>()
            });
            what("matmul");
            if let Ok(product) = product {
                assert_eq!(product, [256.0; 64 * 64]);
            } else {
                println!("context: without matmul: {}", product.unwrap_err());
            }
            let event = Event::new(device)?;
            event.record_on(&stream)?;
            event.synchronize()?;
            what("Event");
            assert!(y.to_vec::<f32>()?.iter().all(|&v| v == 4.0));
            what("to_vec");
            drop((x, y, stream, event));
            device.free_all_blocks()?;
            device.synchronize()?;
            what("synchronize");
        }
    }
    println!("context: ok on {count} CUDA devices");
    Ok(())
}
