//! Heat flowing through a plate whose edges are held: the explicit scheme on a grid.

use cuprum::prelude::*;

fn main() -> Result<()> {
    let plate = zeros([32, 32], DType::F32)?;
    plate.set(s![0], 100)?;

    let inner = plate.part(s![1..-1, 1..-1]);
    let (above, below) = (plate.part(s![..-2, 1..-1]), plate.part(s![2.., 1..-1]));
    let (left, right) = (plate.part(s![1..-1, ..-2]), plate.part(s![1..-1, 2..]));
    let mut steps = 0;
    loop {
        // The views see every change of the plate.
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
    // Left and right are alike.
    assert!(plate.allclose(plate.flip(1)?, cuprum::CloseOptions::new().atol(1e-3))?);
    Ok(())
}
