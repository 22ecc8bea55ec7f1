//! Combination of the elements of all ranks on the host: in the order of the ranks, so that equal inputs give equal
//! bits.
//!
//! Sums of floats are in the order of the ranks; NCCL's order depends on its algorithm.

use cuprum_kernels::DType;
use half::{bf16, f16};

use crate::driver::ReduceOp;

/// An element: its arithmetic is that of the device, integers wrap.
trait Combined: Copy {
    /// The type of intermediate results.
    type Wide: Copy;
    fn read(bytes: &[u8]) -> Self::Wide;
    fn write(value: Self::Wide, bytes: &mut [u8]);
    fn apply(op: ReduceOp, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn divide(a: Self::Wide, ranks: usize) -> Self::Wide;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Combined for $t {
            type Wide = $t;
            fn read(bytes: &[u8]) -> $t {
                let mut own = [0; size_of::<$t>()];
                own.copy_from_slice(bytes);
                <$t>::from_le_bytes(own)
            }
            fn write(value: $t, bytes: &mut [u8]) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
            fn apply(op: ReduceOp, a: $t, b: $t) -> $t {
                match op {
                    ReduceOp::Sum | ReduceOp::Avg => a.wrapping_add(b),
                    ReduceOp::Prod => a.wrapping_mul(b),
                    ReduceOp::Max => a.max(b),
                    ReduceOp::Min => a.min(b),
                }
            }
            fn divide(a: $t, ranks: usize) -> $t {
                <$t>::try_from(ranks).map_or(0, |ranks| a.wrapping_div(ranks))
            }
        }
    )*};
}

/// Real numbers; those of 16 bits are combined in float32 and rounded once. A NaN of any rank is the maximum and the
/// minimum.
macro_rules! reals {
    ($($t:ty, $wide:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Combined for $t {
            type Wide = $wide;
            fn read(bytes: &[u8]) -> $wide {
                let mut own = [0; size_of::<$t>()];
                own.copy_from_slice(bytes);
                $widen(<$t>::from_le_bytes(own))
            }
            fn write(value: $wide, bytes: &mut [u8]) {
                let narrow: $t = $narrow(value);
                bytes.copy_from_slice(&narrow.to_le_bytes());
            }
            fn apply(op: ReduceOp, a: $wide, b: $wide) -> $wide {
                match op {
                    ReduceOp::Sum | ReduceOp::Avg => a + b,
                    ReduceOp::Prod => a * b,
                    ReduceOp::Max => if a.is_nan() || a > b { a } else { b },
                    ReduceOp::Min => if a.is_nan() || a < b { a } else { b },
                }
            }
            fn divide(a: $wide, ranks: usize) -> $wide {
                a / ranks as $wide
            }
        }
    )*};
}

integers!(i8, u8, i32, u32, i64, u64);
reals! {
    f16, f32, f16::to_f32, f16::from_f32;
    bf16, f32, bf16::to_f32, bf16::from_f32;
    f32, f32, |x| x, |x| x;
    f64, f64, |x| x, |x| x;
}

/// Returns the combination of arrays of the same length, one of each rank. The dtype is one of a
/// [`Call`](crate::driver::collectives::Call).
pub(super) fn combine(dtype: DType, op: ReduceOp, ranks: &[Vec<u8>]) -> Vec<u8> {
    match dtype {
        DType::I8 => of::<i8>(op, ranks),
        DType::I32 => of::<i32>(op, ranks),
        DType::U32 => of::<u32>(op, ranks),
        DType::I64 => of::<i64>(op, ranks),
        DType::U64 => of::<u64>(op, ranks),
        DType::F16 => of::<f16>(op, ranks),
        DType::BF16 => of::<bf16>(op, ranks),
        DType::F32 => of::<f32>(op, ranks),
        DType::F64 => of::<f64>(op, ranks),
        _ => of::<u8>(op, ranks),
    }
}

fn of<T: Combined>(op: ReduceOp, ranks: &[Vec<u8>]) -> Vec<u8> {
    let (bytes, item) = (ranks[0].len(), size_of::<T>());
    let mut out = vec![0; bytes];
    for (k, element) in out.chunks_exact_mut(item).enumerate() {
        let at = |rank: &Vec<u8>| T::read(&rank[k * item..][..item]);
        let first = at(&ranks[0]);
        let all = ranks[1..].iter().fold(first, |sum, rank| T::apply(op, sum, at(rank)));
        T::write(if op == ReduceOp::Avg { T::divide(all, ranks.len()) } else { all }, element);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_averages_are_rounded_towards_zero() {
        let ranks = [vec![100u8, 0xff], vec![100, 0xfe]];
        assert_eq!(combine(DType::I8, ReduceOp::Sum, &ranks), [200, 0xfd]);
        assert_eq!(combine(DType::I8, ReduceOp::Avg, &ranks), [(-28i8) as u8, (-1i8) as u8]);
        assert_eq!(combine(DType::U8, ReduceOp::Max, &ranks), [100, 0xff]);
    }

    #[test]
    fn a_nan_of_any_rank_is_the_extremum() {
        let of = |x: f32| x.to_le_bytes().to_vec();
        for ranks in [[of(1.0), of(f32::NAN)], [of(f32::NAN), of(1.0)]] {
            for op in [ReduceOp::Max, ReduceOp::Min] {
                let got = combine(DType::F32, op, &ranks);
                assert!(f32::from_le_bytes(got.try_into().unwrap()).is_nan());
            }
        }
    }
}
