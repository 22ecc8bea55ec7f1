//! Tests of expressions whose elements are computed in pairs or as vectors: the bits of single calls.

use super::tests::params;
use crate::{Array, DType, Order, Result, fuse, s};

/// Returns all numbers of float16, and the same in another order.
fn all_float16() -> Result<[Array; 2]> {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let other: Vec<u16> = bits.iter().map(|b| b.wrapping_mul(40_503).wrapping_add(12_345)).collect();
    let of = |bits: &[u16]| crate::array(bits)?.view(DType::F16);
    Ok([of(&bits)?, of(&other)?])
}

fn softplus(x: &Array, _: &Array) -> Result<Array> {
    x.absolute()?.negative()?.exp()?.log1p()?.add(x.maximum(0.0)?)
}

fn products(x: &Array, y: &Array) -> Result<Array> {
    crate::minimum(&(x * y - y), &(x + y)).map(|least| least * 0.3)
}

fn quotients(x: &Array, y: &Array) -> Result<Array> {
    crate::divide(x.divide(y)?, x.absolute()?.sqrt()? + 1.5)?.divide(0.3)
}

fn logarithms(x: &Array, y: &Array) -> Result<Array> {
    crate::add(x.log()?, crate::tanh(y)?)
}

type Chain = fn(&Array, &Array) -> Result<Array>;

const CHAINS: [(&str, Chain); 4] =
    [("softplus", softplus), ("products", products), ("quotients", quotients), ("logarithms", logarithms)];

#[test]
fn pairs_have_the_bits_of_single_numbers() -> Result<()> {
    let [x, y] = all_float16()?;
    for (name, chain) in CHAINS {
        assert_eq!(params(&fuse(|| chain(&x, &y))?)?, params(&chain(&x, &y)?)?, "{name}");
        // Operands that begin in the middle of a vector, and end in one.
        let (x, y) = (x.index(s![3..60_000])?, y.index(s![..59_997])?);
        assert_eq!(params(&fuse(|| chain(&x, &y))?)?, params(&chain(&x, &y)?)?, "{name} of parts");
    }
    Ok(())
}

#[test]
fn rows_and_columns_of_pairs_have_the_bits_of_single_numbers() -> Result<()> {
    let [x, y] = all_float16()?;
    let (x, row) = (x.reshape([512, 128])?, y.index(s![..128])?.copy(Order::C)?);
    for (name, chain) in CHAINS {
        assert_eq!(params(&fuse(|| chain(&x, &row))?)?, params(&chain(&x, &row)?)?, "{name}");
        let column = row.index(s![..64])?.reshape([64, 1])?;
        let part = x.index(s![..64, ..100])?;
        assert_eq!(params(&fuse(|| chain(&part, &column))?)?, params(&chain(&part, &column)?)?, "{name} of columns");
    }
    Ok(())
}

#[test]
fn logarithms_of_vectors_have_the_bits_of_single_ones() -> Result<()> {
    let bits: Vec<u32> = (0..=u32::MAX).step_by(65_521).chain([0x3f80_0000, 0x3f7f_ffff, 0x7f7f_ffff]).collect();
    let x = crate::array(bits.as_slice())?.view(DType::F32)?;
    let normal = x.absolute()?.maximum(1e-30f32)?.minimum(1e30f32)?;
    for x in [x, normal] {
        let chain = || crate::negative(x.log()?);
        assert_eq!(params(&fuse(chain)?)?, params(&chain()?)?);
    }
    Ok(())
}

/// The exponential of float16 is that of float32, rounded.
#[test]
fn exponentials_of_float16_are_those_of_float32() -> Result<()> {
    let [x, _] = all_float16()?;
    let wide = x.astype(DType::F32)?.exp()?.astype(DType::F16)?;
    assert_eq!(params(&x.exp()?)?, params(&wide)?);
    Ok(())
}
