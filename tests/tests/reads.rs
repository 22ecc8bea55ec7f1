//! Tests of reductions and conditions fused with pending operations, against the same calls without fusion: every bit,
//! for each arrangement of threads and layout of operands.

use cuprum::random::{RandomOptions, default_rng};
use cuprum::{
    Array, DType, FuseOptions, NewAxis, Reduce, Result, ScanOptions, arange, argmax, argwhere, count_nonzero,
    fuse_with, mean, s, square, sum,
};

/// Returns numbers whose sums depend on the order of additions.
fn noise(shape: &[usize]) -> Result<Array> {
    let size = shape.iter().product::<usize>() as i64;
    let x = arange(0, size, 1)?.astype(DType::F32)?;
    (&x * 0.618_034f32).sin()?.reshape(shape)
}

/// Compares `f` in a fusing scope with the same calls without one.
fn same(what: &str, f: impl Fn() -> Result<Array>) -> Result<()> {
    let contents = |a: Array| -> Result<(Vec<usize>, Vec<u8>)> {
        let flat = a.copy(cuprum::Order::C)?.reshape(a.size())?;
        Ok((a.shape().to_vec(), flat.view(DType::U8)?.to_vec::<u8>()?))
    };
    let fused = fuse_with(FuseOptions { wait: true }, &f)?;
    assert_eq!(contents(fused)?, contents(f()?)?, "{what}");
    Ok(())
}

#[test]
fn rows() -> Result<()> {
    let (a, b) = (noise(&[40, 64])?, noise(&[64, 40])?.t().copy(cuprum::Order::C)?);
    same("dense", || sum(square(&a - &b)?, 1))?;
    same("wide operands of narrow elements", || count_nonzero(a.greater(&b)?, 1))?;
    let (part, other) = (a.index(s![.., ..;2])?, b.index(s![.., ..;-2])?);
    same("gaps", || sum(&part * &other, 1))?;
    let (long, row) = (noise(&[12, 35])?, noise(&[35])?);
    same("loads of two rows", || sum(&long - &row, ()))?;
    let flat = noise(&[4097])?;
    same("addresses that are not whole loads", || sum(flat.index(s![1..])? * 2.0f32, ()))?;
    same("broadcast in the middle", || {
        sum(square(a.index(s![..9, NewAxis, ..])? - b.index(s![NewAxis, ..5, ..])?)?, -1)
    })?;
    same("masked", || mean(&a * &b, Reduce::axis(1).where_(a.greater(0.1f32)?)))
}

#[test]
fn rows_that_are_held() -> Result<()> {
    let rows = || Reduce::axis(-1).keepdims(true);
    let standardised = |a: &Array| Ok((a - mean(a, rows())?) / cuprum::std(a, rows())?);
    for shape in [&[9, 7][..], &[70, 130], &[33, 36], &[3, 1000], &[2, 3000], &[5, 4, 64]] {
        let a = noise(shape)?;
        same(&format!("{shape:?}"), || standardised(&a))?;
    }
    let (a, row) = (noise(&[40, 64])?, noise(&[64])?);
    same("with other operands", || Ok(standardised(&a)? * &row + noise(&[40, 1])?))?;
    same("gaps", || standardised(&a.index(s![.., ..;2])?))?;
    same("transposed", || Ok(a.t() / sum(a.t(), Reduce::axis(0).keepdims(true))?))?;
    same("backwards", || Ok(&a / sum(a.index(s![.., ..;-1])?, rows())?))?;
    let odd = noise(&[40, 57])?;
    same("backwards, of an odd length", || Ok(&odd - mean(odd.index(s![.., ..;-1])?, rows())?))?;
    same("backwards, alone", || {
        let back = odd.index(s![.., ..;-1])?;
        Ok(&back - mean(&back, rows())?)
    })?;
    same("the first of equal ones, backwards", || {
        let back = (&odd * 2.0f32).floor()?.index(s![.., ..;-1])?;
        argmax(&back, rows())
    })?;
    same("backwards in two axes", || {
        let transposed = noise(&[40, 16, 40])?.transpose([0, 2, 1])?;
        Ok(&transposed - mean(&transposed, Reduce::axes([1, 2]).keepdims(true))?)
    })?;
    let wide = (arange(0, 40 * 64, 1)?.astype(DType::F64)? * 0.618_034).sin()?.reshape([40, 64])?;
    same("of two sizes", || Ok(&a / sum(&a, rows())? + sum(&wide, rows())?))?;
    let big = noise(&[40, 128])?;
    same("next to gaps", || Ok(big.index(s![.., ..;2])? - mean(&a, rows())?))?;
    let transposed = noise(&[64, 40])?;
    same("to transposed results", || Ok(transposed.t() - mean(&a, rows())?))?;
    same("that are long", || standardised(&noise(&[2, 8192])?))?;
    let full = noise(&[520, 16384])?;
    same("that fill the registers", || {
        let parts = (&full - cuprum::max(&full, rows())?).exp()?;
        Ok(&parts / sum(&parts, rows())?)
    })?;
    let split = noise(&[2, 16384])?;
    same("that are split", || Ok(&split / sum(&split, rows())?))?;
    let cube = noise(&[5, 6, 10])?;
    same("of two axes", || {
        let parts = &cube * noise(&[6, 1])?;
        Ok(&parts - mean(&parts, Reduce::axes([1, 2]).keepdims(true))?)
    })?;
    let zeros = &noise(&[3, 8])? * -0.0f32;
    same("of negative zeros", || Ok(sum(zeros.absolute()? * -1.0f32, rows())? * &a.index(s![..3, ..8])?))
}

#[test]
fn masks_of_reductions() -> Result<()> {
    let by = |axes: Reduce, mask: Result<Array>| Ok::<_, cuprum::Error>(axes.where_(mask?));
    let (a, b) = (noise(&[40, 64])?, noise(&[64, 40])?.t().copy(cuprum::Order::C)?);
    let mask = || (&a * 2.0f32).greater(&b);
    same("rows", || sum(&a, by(Reduce::axis(1), mask())?))?;
    same("columns", || sum(&a, by(Reduce::axis(0), mask())?))?;
    same("what waits", || mean(&a - &b, by(Reduce::axis(1), mask())?))?;
    same("the largest", || cuprum::max(&a, by(Reduce::axis(1).initial(-9.0f32), mask())?))?;
    let (long, row) = (noise(&[12, 35])?, noise(&[35])?);
    let few = || (&long - &row).greater(0.1f32);
    same("loads of two rows", || sum(&long, by(Reduce::all(), few())?))?;
    // Lengths whose reduction tree is not symmetric.
    let odd = noise(&[40, 1005])?;
    same("backwards", || {
        let mask = (&odd * 2.0f32).less(1.5f32);
        cuprum::var(odd.index(s![.., ..;-1])?, by(Reduce::axis(1), mask)?)
    })?;
    same("a part of what waits", || {
        let part = (&a * 3.0f32).index(s![.., 1..61])?;
        sum(part, by(Reduce::axis(1), a.index(s![.., 1..61])?.greater(0.1f32))?)
    })?;
    let tall = noise(&[300, 512])?;
    same("into what the mask is made of", || {
        let own = tall.copy(cuprum::Order::C)?;
        let out = own.index(s![299, ..300])?;
        sum(&tall, by(Reduce::axis(1).out(&out), own.greater(0.1f32))?)
    })
}

#[test]
fn masks_of_what_is_written() -> Result<()> {
    let (a, b) = (noise(&[40, 64])?, noise(&[40, 64])? * 2.0f32);
    let written = |out: &Array, mask: &Array| {
        let options = cuprum::CopytoOptions::new().where_(mask);
        cuprum::copyto(out, &a * 3.0f32 + &b, options)
    };
    same("chosen", || {
        let out = b.copy(cuprum::Order::C)?;
        written(&out, &(&a - 0.1f32).greater(0.2f32)?)?;
        Ok(out)
    })?;
    same("by a transposed operand", || {
        let own = noise(&[64, 64])?;
        own.set(s![(own.t() * 2.0f32).less(0.5f32)?], 100)?;
        Ok(own)
    })
}

#[test]
fn columns() -> Result<()> {
    let (a, b) = (noise(&[130, 68])?, noise(&[68])?);
    same("dense", || mean((&a - &b).absolute()?, 0))?;
    let (a, row) = (noise(&[9, 4, 35])?, noise(&[35])?);
    same("loads of two rows", || sum(square(&a - &row)?, 0))?;
    let column = noise(&[9, 1, 1])?;
    same("between", || cuprum::var(&a * &column, Reduce::axes([0])))
}

#[test]
fn short_rows() -> Result<()> {
    // Lengths of whole and partial vector loads, with and without a partial batch at the end.
    for n in [2, 7, 8, 12, 16, 17, 31, 32] {
        let (a, b) = (noise(&[600, n])?, noise(&[600, n])? * 0.7f32);
        let (row, column) = (noise(&[n])?, noise(&[600, 1])?);
        let what = |which: &str| format!("{which} of {n}");
        same(&what("dense"), || sum(square(&a - &b)?, -1))?;
        same(&what("broadcast"), || cuprum::var(&a * &row + &column, 1))?;
        same(&what("positions"), || argmax((&a * &row).absolute()?, 1))?;
        // Rows that are not aligned to vector loads, with gaps, reversed; float16, whose loads are half as wide.
        let odd = noise(&[600 * n + 1])?.index(s![1..])?.reshape([600, n])?;
        let wide = noise(&[600, 2 * n])?;
        same(&what("odd addresses"), || sum(&odd * &b, 1))?;
        same(&what("gaps"), || sum(&wide.index(s![.., ..;2])? * &wide.index(s![.., ..;-2])?, 1))?;
        let half = a.astype(DType::F16)?;
        same(&what("float16"), || mean(&half * &row.astype(DType::F16)?, 1))?;
        same(&what("doubles"), || sum(&a.astype(DType::F64)? * &column, 1))?;
    }
    let (cube, plane) = (noise(&[600, 3, 5])?, noise(&[3, 1])?);
    same("of two axes", || cuprum::var(&cube * &plane, Reduce::axes([1, 2])))?;
    same("of truth", || count_nonzero(cube.greater(&plane)?, Reduce::axes([1, 2])))
}

/// A thread processes four rows at a time if they share an operand: also for numbers of points that are not multiples
/// of four.
#[test]
fn short_rows_of_one_thread() -> Result<()> {
    for (points, centres, n) in [(1030, 16, 16), (823, 20, 3), (2049, 8, 17), (1024, 1, 24), (17, 1000, 4)] {
        let (x, c) = (noise(&[points, 1, n])?, noise(&[centres, n])? * 0.7f32);
        let c = c.copy(cuprum::Order::C)?;
        let what = |which: &str| format!("{which} of {points}, {centres}, {n}");
        same(&what("distances"), || sum(square(&x - &c)?, -1))?;
        same(&what("the other way"), || {
            let (x, c) = (x.reshape([points, n])?, c.reshape([centres, 1, n])?);
            sum(square(&c - &x)?, -1)
        })?;
        same(&what("the least"), || cuprum::argmin((&x - &c).absolute()?, -1))?;
        same(&what("from where they begin"), || cuprum::max(&x * &c, Reduce::axis(-1).initial(0.3f32)))?;
        same(&what("spread"), || cuprum::var(&x * &c, -1))?;
    }
    let (grid, scale) = (noise(&[40, 1, 30, 12])?, noise(&[20, 1, 12])?);
    same("of three axes", || sum(square(&grid - &scale)?, -1))?;
    same("with more than fits next to each other", || {
        let other = noise(&[40, 20, 30, 12])?.astype(DType::F64)?;
        sum(&grid * &scale + &other * &other.index(s![..;-1])?, -1)
    })
}

#[test]
fn conditions() -> Result<()> {
    let (a, row) = (noise(&[20, 33])?, noise(&[33])?);
    same("argwhere", || argwhere(a.greater(&row)?))?;
    same("a[mask]", || a.index(s![(&a + &row).greater(0.5f32)?]))
}

#[test]
fn scans() -> Result<()> {
    let (a, row) = (noise(&[20, 64])?, noise(&[20, 1])?);
    let along = |axis| ScanOptions::new().axis(axis);
    same("rows", || cuprum::cumsum(&(&a * &row), along(1)))?;
    same("columns", || cuprum::cumsum(&(&a * &row), along(0)))?;
    let long = noise(&[40_000])?;
    same("several tiles", || cuprum::cumsum(&(long.index(s![..;2])? - 0.1f32), ()))?;
    same("onto its own operands", || {
        let own = long.copy(cuprum::Order::C)?;
        let results = own.index(s![1..])?;
        cuprum::cumsum(&(own.index(s![..-1])? * 2.0f32), ScanOptions::new().out(&results)).map(drop)?;
        Ok(own)
    })
}

#[test]
fn random_numbers() -> Result<()> {
    let a = noise(&[16, 16])?;
    same("drawn", || {
        let options = RandomOptions::new().size([16, 16]).dtype(DType::F32);
        sum(&a * default_rng(3)?.uniform(0.0, 1.0, options)?, 1)
    })
}

#[test]
fn the_least_integer_has_no_magnitude_behind_a_cast_either() -> Result<()> {
    // A compiler may treat a magnitude that is cast next as one of more bits.
    for (dtype, least) in [(DType::I8, -128i64), (DType::I16, -32768), (DType::I32, -2147483648)] {
        let x = Array::from_slice(&[least, -5, 0, 7], [4])?.astype(dtype)?;
        for to in [DType::I64, DType::F32, DType::F64] {
            same(&format!("{dtype} to {to}"), || x.absolute()?.astype(to))?;
        }
    }
    Ok(())
}
