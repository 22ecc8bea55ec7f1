//! Heat equation on a plate with fixed boundary temperatures, relaxed by Jacobi iteration.

use cuprum::prelude::*;

fn main() -> Result<()> {
    let plate = zeros([32, 32], DType::F32)?;
    plate.set(s![0], 100)?;

    let inner = plate.part(s![1..-1, 1..-1]);
    let (above, below) = (plate.part(s![..-2, 1..-1]), plate.part(s![2.., 1..-1]));
    let (left, right) = (plate.part(s![1..-1, ..-2]), plate.part(s![1..-1, 2..]));
    let mut steps = 0;
    loop {
        // The views share memory with the plate, so they see every update.
        let next = (&above + &below + &left + &right) / 4.0;
        let change = (&next - &inner).abs()?.max(())?.item::<f32>()?;
        inner.assign(next)?;
        steps += 1;
        if change < 0.05 {
            break;
        }
    }
    println!("after {steps} steps\n{:.0}", plate.index(s![..;6, ..;6])?);
    let (top, middle) = (plate.index(s![1, 16])?.item::<f32>()?, plate.index(s![16, 16])?.item::<f32>()?);
    assert!(top > middle && middle > 1.0);
    // The solution is symmetric.
    assert!(plate.allclose(plate.flip(1)?, cuprum::CloseOptions::new().atol(1e-3))?);
    Ok(())
}
