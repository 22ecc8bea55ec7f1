//! Conway's Game of Life on a field with dead borders.

use cuprum::prelude::*;

/// Returns for each cell how many of its eight neighbours are alive.
fn neighbours(field: &Array) -> Result<Array> {
    let (rows, columns) = (field.shape()[0], field.shape()[1]);
    let wide = zeros([rows + 2, columns + 2], DType::U8)?;
    wide.set(s![1..-1, 1..-1], field)?;
    let count = zeros([rows, columns], DType::U8)?;
    for down in 0..3 {
        for right in 0..3 {
            if (down, right) != (1, 1) {
                let shifted = wide.index(s![down..down + rows, right..right + columns])?;
                count.assign(&count + shifted)?;
            }
        }
    }
    Ok(count)
}

fn step(field: &Array) -> Result<Array> {
    let count = neighbours(field)?;
    let alive = field.equal(1)?;
    let lives = count.equal(3)? | (count.equal(2)? & alive);
    lives.astype(DType::U8)
}

fn show(field: &Array) -> Result<()> {
    for row in field.to_vec::<u8>()?.chunks(field.shape()[1]) {
        println!("{}", row.iter().map(|&cell| if cell == 1 { '#' } else { '.' }).collect::<String>());
    }
    println!();
    Ok(())
}

fn main() -> Result<()> {
    let glider = array([[0u8, 1, 0], [0, 0, 1], [1, 1, 1]])?;
    let mut field = zeros([8, 8], DType::U8)?;
    field.set(s![..3, ..3], &glider)?;
    show(&field)?;
    for _ in 0..16 {
        field = step(&field)?;
    }
    show(&field)?;
    // Every four steps a glider moves one cell down and to the right.
    assert_eq!(field.index(s![4..7, 4..7])?.to_vec::<u8>()?, glider.to_vec::<u8>()?);
    assert_eq!(field.sum(())?.item::<u64>()?, 5);
    Ok(())
}
