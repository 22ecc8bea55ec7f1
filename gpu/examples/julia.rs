//! A kernel written in Rust: the Julia set of z² + c, one thread for each pixel.

use cuprum::prelude::*;
use cuprum::{kernel, kernel_fn};

#[kernel_fn]
fn escape(x: f32, y: f32, rounds: i32) -> i32 {
    let mut re: f32 = x;
    let mut im: f32 = y;
    let mut count: i32 = 0;
    while count < rounds && re * re + im * im <= 4.0 {
        let square: f32 = re * re - im * im - 0.8;
        im = 2.0 * re * im + 0.156;
        re = square;
        count += 1;
    }
    count
}

#[kernel]
fn julia(width: usize, height: usize, rounds: i32, steps: &mut [i32]) {
    let i = grid();
    if i < steps.len() {
        let x: f32 = (i % width) as f32 * 3.0 / width as f32 - 1.5;
        let y: f32 = (i / width) as f32 * 2.0 / height as f32 - 1.0;
        let count: i32 = escape(x, y, rounds);
        steps[i] = count;
    }
}

fn main() -> Result<()> {
    let (width, height, rounds) = (60, 24, 60);
    let steps = zeros([height, width], DType::I32)?;
    julia::indexed(steps.size(), width, height, rounds, &steps)?;

    let shades = b" .:-=+*#%@";
    for row in steps.to_vec::<i32>()?.chunks(width) {
        println!("{}", row.iter().map(|n| char::from(shades[(*n as usize / 6).min(9)])).collect::<String>());
    }
    assert_eq!(steps.max(())?.item::<i32>()?, rounds);
    // The set is symmetric to the origin, which is a pixel: without the first row and column, so is the picture.
    let inner = steps.index(s![1.., 1..])?;
    let opposite = inner.equal(inner.flip(())?)?.mean(())?.item::<f64>()?;
    assert!(opposite > 0.95, "{opposite}");
    Ok(())
}
