//! Arguments that a kernel takes one by one, as its text declares them.

use cuprum_kernels::params::Fields;

use super::Place;
use super::told::Told;
use crate::array::Array;

/// An argument of a [`RawKernel`](crate::RawKernel), of the type that the kernel declares.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Argument<'a> {
    /// The address of the array's first element.
    Array(&'a Array),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
    /// A value of another type, a struct for example: its bytes as C lays them, at a multiple of `align`.
    Bytes {
        bytes: &'a [u8],
        align: usize,
    },
}

/// Writes arguments, each at the next multiple of its size.
pub(super) fn tell(arguments: &[Argument<'_>], to: &mut Told<'_>) {
    for argument in arguments {
        match *argument {
            // Nobody knows what the kernel does with an array; of one that is read-only the caller has said that it reads.
            Argument::Array(a) if a.is_read_only() => begin(8, to).read(Some(Place::of(a))),
            Argument::Array(a) => begin(8, to).write(Some(Place::of(a))),
            Argument::I32(x) => begin(4, to).word(x as u32),
            Argument::U32(x) => begin(4, to).word(x),
            Argument::F32(x) => begin(4, to).word(x.to_bits()),
            Argument::I64(x) => begin(8, to).long(x as u64),
            Argument::U64(x) => begin(8, to).long(x),
            Argument::F64(x) => begin(8, to).long(x.to_bits()),
            Argument::Bytes { bytes, align } => begin(align.max(1), to).all(bytes),
        }
    }
}

fn begin<'t, 'q>(align: usize, to: &'t mut Told<'q>) -> &'t mut Told<'q> {
    to.begin("", "", &[], align);
    to
}
