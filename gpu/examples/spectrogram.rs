//! Spectrogram of a sound: a tone that rises from 50 to 400 hertz, and one of 150 hertz.

use std::f64::consts::TAU;

use cuprum::prelude::*;
use cuprum::scipy::signal::windows::Window;
use cuprum::scipy::signal::{SpectrumOptions, spectrogram};
use cuprum::sin;

fn main() -> Result<()> {
    let rate = 1000.0;
    let t = arange(0, 1000, 1)? / rate;
    // The frequency of the first tone grows linearly.
    let wave = sin(TAU * (50.0 * &t + 175.0 * &t * &t))? + 0.5 * sin(TAU * 150.0 * &t)?;

    let options =
        SpectrumOptions { fs: rate, nperseg: 64, noverlap: Some(48), window: Window::Hann, ..Default::default() };
    let found = spectrogram(&wave, &options)?;
    let loudest = found.frequencies.take(found.values.argmax(0)?, ())?;
    println!("shape {:?}\nloudest frequencies {:.0}", found.values.shape(), loudest.index(s![..;8])?);
    let (first, last) = (loudest.index(s![1])?.item::<f64>()?, loudest.index(s![-2])?.item::<f64>()?);
    assert!(first < 100.0 && last > 300.0);
    Ok(())
}
