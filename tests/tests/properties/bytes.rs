//! Tests that elements make the round trip to the device unchanged, for every dtype and layout.

use cuprum::{Array, Element, Index, Order, Slice};
use cuprum_conformance::case::Layout;
use cuprum_conformance::operand::{Placed, Step, lay_out};
use cuprum_conformance::random::Rng;
use cuprum_conformance::subject::upload;
use cuprum_conformance::text::Shape;
use cuprum_kernels::DType;
use half::{bf16, f16};
use num_complex::Complex;
use proptest::prelude::*;

use crate::config;

fn view(base: Array, placed: &Placed) -> Array {
    placed.steps.iter().fold(base, |array, step| {
        let view = match step {
            Step::Transpose(axes) => array.transpose(axes.iter().map(|a| *a as isize).collect::<Vec<_>>()),
            Step::Slice(slices) => {
                let part = |(start, stop, step): &(Option<i64>, Option<i64>, i64)| {
                    Index::Slice(Slice { start: *start, stop: *stop, step: Some(*step) })
                };
                array.index(slices.iter().map(part).collect::<Vec<_>>())
            }
            Step::Broadcast(shape) => array.broadcast_to(shape),
            Step::Reshape(shape) => array.reshape(shape.as_slice()),
        };
        view.unwrap()
    })
}

/// Returns the bytes of a row that was uploaded and downloaded as typed elements.
fn typed<T: Element>(array: &Array, of: fn(&T) -> Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let row = array.to_vec::<T>().unwrap();
    let again = Array::from_slice(&row, array.shape()).unwrap();
    (row.iter().flat_map(of).collect(), again.to_bytes().unwrap())
}

fn by_type(array: &Array) -> (Vec<u8>, Vec<u8>) {
    macro_rules! number {
        ($type:ty) => {
            typed::<$type>(array, |x| x.to_le_bytes().to_vec())
        };
    }
    match array.dtype() {
        DType::Bool => typed::<bool>(array, |b| vec![u8::from(*b)]),
        DType::I8 => number!(i8),
        DType::U8 => number!(u8),
        DType::I16 => number!(i16),
        DType::U16 => number!(u16),
        DType::I32 => number!(i32),
        DType::U32 => number!(u32),
        DType::I64 => number!(i64),
        DType::U64 => number!(u64),
        DType::F16 => number!(f16),
        DType::BF16 => number!(bf16),
        DType::F32 => number!(f32),
        DType::F64 => number!(f64),
        DType::C64 => typed::<Complex<f32>>(array, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()].concat()),
        DType::C128 => typed::<Complex<f64>>(array, |z| [z.re.to_le_bytes(), z.im.to_le_bytes()].concat()),
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn bytes_come_back(
        dtype in proptest::sample::select(DType::ALL.to_vec()),
        layout in proptest::sample::select(Layout::ALL.to_vec()),
        shape in proptest::collection::vec(0usize..6, 0..4),
        seed in any::<u64>(),
    ) {
        let shape = Shape(shape);
        let layout = if layout.applies(&shape) { layout } else { Layout::C };
        let mut rng = Rng::new(seed, "bytes");
        let bytes = shape.size() * dtype.size();
        // Only 0 and 1 are valid booleans.
        let byte = |rng: &mut Rng| if dtype == DType::Bool { rng.below(2) as u8 } else { rng.bits() as u8 };
        let elements: Vec<u8> = (0..bytes).map(|_| byte(&mut rng)).collect();
        let placed = lay_out(dtype, &shape, layout, &elements, &mut rng);
        let array = view(upload(&placed.base).unwrap(), &placed);
        let want = &placed.logical.bytes;
        prop_assert_eq!(&array.to_bytes().unwrap(), want);
        let (row, again) = by_type(&array);
        prop_assert_eq!(&row, want);
        prop_assert_eq!(&again, want);
        for order in [Order::C, Order::F, Order::K] {
            prop_assert_eq!(&array.copy(order).unwrap().to_bytes().unwrap(), want, "{:?}", order);
        }
    }
}
