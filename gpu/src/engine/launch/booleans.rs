//! Booleans whose bytes are neither 0 nor 1.
//!
//! NumPy treats every byte but 0 as true. The kernels compute with the byte as it is, so that booleans which may have
//! been written from outside (a view of another dtype, a kernel of the user, another library) are copied before a
//! kernel reads them. All other booleans are written by the library itself, and need no copy.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::engine::{internal, make};
use crate::error::Result;
use crate::layout::Layout;

/// Kernels choose the width of loads by the address: a copy has the same alignment as the original.
const ALIGNMENT: u64 = 256;

/// Returns a copy of booleans with the same strides, whose bytes are 0 and 1.
pub(crate) fn canonical(a: &Array) -> Result<Array> {
    let (low, high) = a.layout().extent(1);
    let remainder = a.buffer().addr().wrapping_add_signed(low) % ALIGNMENT;
    let memory = make::empty(a.device(), &[(high - low) as usize + remainder as usize], DType::Bool)?;
    let offset = (a.layout().offset as i64 - low) as usize + remainder as usize;
    let copy = memory.with_layout(Layout { offset, ..a.layout().clone() });
    write(&distinct(a), &distinct(&copy))?;
    Ok(copy)
}

/// Replaces the bytes of booleans by 0 and 1 in place, before a kernel reads and writes them.
pub(crate) fn normalize(a: &Array) -> Result<()> {
    if a.may_have_any_bytes() { write(&distinct(a), &distinct(a)) } else { Ok(()) }
}

/// Returns the array with its axes of stride 0 reduced to one element.
fn distinct(a: &Array) -> Array {
    let mut layout = a.layout().clone();
    for (size, stride) in layout.shape.iter_mut().zip(&layout.strides) {
        if *stride == 0 {
            *size = (*size).min(1);
        }
    }
    a.with_layout(layout)
}

fn write(a: &Array, out: &Array) -> Result<()> {
    let (op, signature) = internal("copy", DType::Bool)?;
    crate::engine::elementwise(op, signature, &[(&a.boolean_bytes()).into()], out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, s};

    #[test]
    fn every_byte_but_0_is_true() -> Result<()> {
        let bytes = array([[0u8, 5, 1], [128, 0, 255]])?;
        let b = bytes.view(DType::Bool)?;
        assert_eq!(crate::sum(&b, ())?.item::<i64>()?, 4);
        for (view, expected) in [
            (b.clone(), [0, 1, 1, 1, 0, 1]),
            (b.index(s![.., ..;-1])?, [1, 1, 0, 1, 0, 1]),
            (b.index(s![1])?.broadcast_to([2, 3])?, [1, 0, 1, 1, 0, 1]),
        ] {
            assert_eq!(view.astype(DType::U8)?.to_vec::<u8>()?, expected);
            assert_eq!(view.copy(())?.view(DType::U8)?.to_vec::<u8>()?, expected);
        }
        // A view as bytes remains unchanged.
        assert_eq!(bytes.to_vec::<u8>()?, [0, 5, 1, 128, 0, 255]);
        Ok(())
    }

    #[test]
    fn booleans_of_the_library_are_read_where_they_are() -> Result<()> {
        let b = crate::greater(array([1, 2, 3])?, 1)?;
        assert!(!b.may_have_any_bytes() && !b.copy(())?.may_have_any_bytes());
        b.view(DType::U8)?.fill(7)?;
        assert!(b.may_have_any_bytes());
        assert_eq!(b.astype(DType::I32)?.to_vec::<i32>()?, [1, 1, 1]);
        Ok(())
    }
}
