//! Transforms distributed over several devices. The devices are set once for all threads, so this test has a process of
//! its own.

use cuprum::cuda::Device;
use cuprum::fft::{FftCallback, FftCallbacks, FftnOptions, config, fft, fft_over, fftn, ifft, ifft_over, rfft};
use cuprum::{Array, DType, ErrorKind, Result, arange, scipy};

/// Opens three devices of the simulator.
fn devices() -> Result<Vec<Device>> {
    (0..3).map(|k| Device::open(&format!("sim:{k}"))).collect()
}

#[test]
fn the_devices_that_are_named_share_transforms_of_one_axis() -> Result<()> {
    let devices = devices()?;
    devices[1].with(|| {
        let a = arange(0, 180, 1)?.remainder(13)?.astype(DType::C128)?.reshape([1, 180])?;
        let (alone, back) = (fft(&a, ())?, ifft(&a, ())?);
        let (half, whole) = (rfft(a.real(), ())?, fftn(&a, ())?);
        let shared = (fft_over(&a, &devices, ())?, ifft_over(&a, &devices, ())?);
        config::set_devices(&devices)?;
        assert_eq!(config::devices(), devices);
        let bytes = |x: &Array| x.to_bytes();
        for (got, want) in [
            (fft(&a, ())?, &shared.0),
            (scipy::fft::fft(&a, ())?, &shared.0),
            (fftn(&a, FftnOptions::new().axes(-1))?, &shared.0),
            (ifft(&a, ())?, &shared.1),
            (scipy::fft::ifft(&a, ())?, &shared.1),
            (rfft(a.real(), ())?, &half),
            (fftn(&a, ())?, &whole),
        ] {
            assert_eq!(bytes(&got)?, bytes(want)?);
            assert_eq!(got.device(), devices[1]);
        }
        // The four-step algorithm rounds differently from the library on one device, whose result would have the same
        // bits.
        assert_ne!(bytes(&shared.0)?, bytes(&alone)?);
        let elsewhere = std::thread::spawn(config::devices).join().expect("the thread ends");
        assert_eq!(elsewhere, devices, "they are of all threads");
        let callback = FftCallback::new("cufftDoubleComplex f(void *, size_t, void *, void *) { return {1, 0}; }", "f");
        let callbacks = FftCallbacks::new().load(callback);
        let scope = callbacks.scope()?;
        assert_eq!(fft(&a, ()).unwrap_err().kind(), ErrorKind::NotImplemented);
        drop(scope);
        assert_eq!(config::set_devices(&[devices[0], devices[0]]).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(config::devices(), devices, "what is wrong changes nothing");
        config::set_devices(&[])?;
        assert_eq!((bytes(&fft(&a, ())?)?, bytes(&ifft(&a, ())?)?), (bytes(&alone)?, bytes(&back)?));
        Ok(())
    })
}
