//! Mandelbrot set: the number of iterations before each point of the complex plane escapes.

use cuprum::num_complex::Complex64;
use cuprum::prelude::*;

const STEPS: usize = 40;

fn main() -> Result<()> {
    // A complex grid: a row of real parts plus a column of imaginary parts.
    let re = arange(-2.0, 0.7, 0.05)?;
    let im = arange(-1.1, 1.15, 0.1)?.expand_dims(1)?;
    let c = &re + im * Complex64::I;

    let mut z = zeros_like(&c, ())?;
    let steps = zeros(c.shape(), DType::I32)?;
    for _ in 0..STEPS {
        let near = z.abs()?.less_equal(2.0)?;
        steps.assign(&steps + &near)?;
        // Escaped points keep their value, so that nothing overflows.
        z = where_(&near, &z * &z + &c, &z)?;
    }

    let shades = b" .:-=+*#%@";
    for row in steps.to_vec::<i32>()?.chunks(re.len()) {
        let shade = |n: &i32| char::from(shades[*n as usize * (shades.len() - 1) / STEPS]);
        println!("{}", row.iter().map(shade).collect::<String>());
    }
    let inside = steps.equal(STEPS)?.count_nonzero(())?.item::<usize>()?;
    println!("{inside} of {} points stay", steps.size());
    assert!((200..400).contains(&inside));
    Ok(())
}
