//! Host time of a call: promotion, indexing, views, and whole calls on the simulator.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use cuprum::cuda::Device;
use cuprum::{Array, DType, s};

fn array(shape: [usize; 3]) -> Array {
    Device::open("sim")
        .and_then(|device| device.with(|| cuprum::zeros(shape, DType::F32)))
        .expect("the simulator works")
}

fn promotion(c: &mut Criterion) {
    c.bench_function("promote_types, all pairs", |b| {
        b.iter(|| {
            for x in DType::ALL {
                for y in DType::ALL {
                    black_box(cuprum::promote_types(black_box(x), black_box(y)));
                }
            }
        });
    });
    let a = array([2, 3, 4]);
    c.bench_function("result_type, array and scalar", |b| {
        b.iter(|| cuprum::result_type(black_box(&[(&a).into(), 2.5.into()])));
    });
}

fn views(c: &mut Criterion) {
    let a = array([8, 16, 32]);
    c.bench_function("index, one slice", |b| b.iter(|| a.index(black_box(&s![2..7]))));
    c.bench_function("index, three axes", |b| b.iter(|| a.index(black_box(&s![-1, ..;-1, 3..20;2]))));
    c.bench_function("transpose", |b| b.iter(|| a.transpose(black_box(&[2, 0, 1]))));
    c.bench_function("reshape, a view", |b| b.iter(|| a.reshape(black_box([128, 32]))));
    c.bench_function("broadcast_to", |b| b.iter(|| a.broadcast_to(black_box(&[5, 8, 16, 32]))));
}

fn calls(c: &mut Criterion) {
    let device = Device::open("sim").expect("the simulator works");
    device.with(|| {
        let ten = cuprum::arange(0, 10, 1).and_then(|a| a.astype(DType::F32)).expect("the simulator works");
        c.bench_function("empty", |b| b.iter(|| cuprum::empty([10], DType::F32)));
        c.bench_function("add of ten elements on the simulator", |b| b.iter(|| cuprum::add(&ten, &ten)));
        c.bench_function("sum of ten elements on the simulator", |b| b.iter(|| cuprum::sum(&ten, ())));
    });
}

criterion_group!(benches, promotion, views, calls);
criterion_main!(benches);
