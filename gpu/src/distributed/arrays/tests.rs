//! Arrays over two to eight simulated devices with random index maps, against the same functions of one array.

use super::*;
use crate::array::{Array, Index};
use crate::cuda::Device;
use crate::error::{ErrorKind, Result};
use crate::index::Slice;
use crate::reduction::Reduce;
use crate::{DType, s};

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn device(k: usize) -> Device {
    Device::open(&format!("sim:{k}")).unwrap()
}

type IndexMap = Vec<(Device, Vec<Index>)>;

/// Divides boxes of an array at random, also into the even and the odd indices of an axis, and adds chunks that overlap.
fn random_map(random: &mut Random, shape: &[usize], devices: usize, may_step: bool) -> IndexMap {
    let mut boxes: Vec<Vec<(usize, usize, usize)>> = vec![shape.iter().map(|&n| (0, n, 1)).collect()];
    for _ in 0..2 + random.below(3) {
        let at = random.below(boxes.len());
        let axis = random.below(shape.len());
        let (start, stop, step) = boxes[at][axis];
        if (stop - start).div_ceil(step) < 2 {
            continue;
        }
        let mut other = boxes[at].clone();
        if may_step && random.below(2) == 0 {
            boxes[at][axis] = (start, stop, 2 * step);
            other[axis] = (start + step, stop, 2 * step);
        } else {
            let middle = start + step * (1 + random.below((stop - start).div_ceil(step) - 1));
            boxes[at][axis].1 = middle;
            other[axis] = (middle, stop, step);
        }
        boxes.push(other);
    }
    for _ in 0..random.below(3) {
        let span = |random: &mut Random, n: usize| {
            let start = random.below(n);
            (start, start + 1 + random.below(n - start), if may_step { 1 + random.below(3) } else { 1 })
        };
        boxes.push(shape.iter().map(|&n| span(random, n)).collect());
    }
    let index = |spans: Vec<(usize, usize, usize)>| -> Vec<Index> {
        let bound = |n: usize| Some(n as i64);
        let slice = |(a, b, c)| Index::Slice(Slice { start: bound(a), stop: bound(b), step: bound(c) });
        spans.into_iter().map(slice).collect()
    };
    boxes.into_iter().map(|spans| (device(random.below(devices)), index(spans))).collect()
}

fn numbers(random: &mut Random, shape: &[usize]) -> Array {
    let values: Vec<i64> = (0..shape.iter().product()).map(|_| random.below(9) as i64 - 4).collect();
    crate::array(values).unwrap().reshape(shape).unwrap()
}

fn check(found: Result<DistributedArray>, expected: Result<Array>, what: &str) {
    let (found, expected) = (found.unwrap(), expected.unwrap());
    assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()), "{what}");
    let values = |a: &Array| a.astype(DType::F64).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(values(&found.to_array(device(0)).unwrap()), values(&expected), "{what}");
    // Every chunk in the mode of copies has the elements of its region.
    for chunk in found.change_mode(ChunkMode::Replica).unwrap().chunks() {
        let part = expected.index(chunk.region().to_index()).unwrap();
        assert_eq!(values(chunk.array()), values(&part), "{what}, {}", chunk.region());
    }
}

#[test]
fn functions_are_those_of_one_array_for_random_index_maps() {
    let mut random = Random(44);
    for case in 0..10 {
        let devices = 2 + case % 7;
        let shape = &[&[13][..], &[5, 7], &[3, 4, 5]][case % 3];
        let (a, b) = (numbers(&mut random, shape), numbers(&mut random, shape));
        let may_step = case % 2 == 1;
        let [one, two] = [(); 2].map(|()| random_map(&mut random, shape, devices, may_step));
        let d = DistributedArray::new(&a, one, ChunkMode::Replica).unwrap();
        let e = DistributedArray::new(&b, two.clone(), ChunkMode::Replica).unwrap();
        check(Ok(d.clone()), Ok(a.clone()), "new");
        check(d.reshard(two), Ok(a.clone()), "reshard");
        for mode in [ChunkMode::Sum, ChunkMode::Prod, ChunkMode::Max, ChunkMode::Min] {
            let parts = d.change_mode(mode).unwrap();
            assert_eq!(parts.mode(), mode);
            check(Ok(parts.clone()), Ok(a.clone()), mode.name());
            check(parts.sum(0), a.sum(0), "sum of parts");
        }
        check(DistributedArray::zip(&[&d, &e], |x| x[0].subtract(&x[1])), a.subtract(&b), "zip");
        let axis = random.below(shape.len()) as isize;
        for keepdims in [false, true] {
            let options = || Reduce::axis(axis).keepdims(keepdims);
            check(d.sum(options()), a.sum(options()), "sum");
            check(d.max(options()), a.max(options()), "max");
        }
        check(d.min(()), a.min(()), "min");
        check(d.sum(()), a.sum(()), "sum of all");
        check(d.any(axis), crate::any(&a, axis), "any");
        check(d.argmax(Some(axis)), a.argmax(axis), "argmax");
        check(d.argmin(None), a.argmin(()), "argmin");
        check(d.cumsum(axis), crate::cumsum(&a, axis), "cumsum");
        check(d.sort(axis), crate::sort(&a, axis), "sort");
        check(d.transpose(()), a.transpose(()), "transpose");
        for index in [s![1..;2], s![..;-2], s![-1], s![crate::NewAxis, 2..;-1], s![crate::Ellipsis, 1..4]] {
            check(d.index(&index), a.index(&index), &format!("{index:?}"));
        }
    }
}

#[test]
fn products_of_matrices_for_random_index_maps_and_for_blocks_that_meet() {
    let mut random = Random(7);
    for (m, k, n) in [(4, 6, 5), (7, 3, 2), (1, 8, 9)] {
        let (a, b) = (numbers(&mut random, &[m, k]), numbers(&mut random, &[k, n]));
        let maps = [random_map(&mut random, &[m, k], 4, true), random_map(&mut random, &[k, n], 4, false)];
        let [one, two] = maps;
        let d = DistributedArray::new(&a, one, ChunkMode::Sum).unwrap();
        let e = DistributedArray::new(&b, two, ChunkMode::Replica).unwrap();
        check(matmul(&d, &e), a.matmul(&b), "matmul");
        check(matmul(&d, &e.index(s![.., 0]).unwrap()), a.matmul(b.part(s![.., 0])), "matmul of a vector");
    }
    // A grid of 1 x 2 blocks times one of 2 x 2: every device has the blocks that it multiplies.
    let sets = |rows: &[&[&[usize]]]| -> Vec<Vec<Vec<Device>>> {
        let set = |ids: &&[usize]| ids.iter().map(|&k| device(k)).collect();
        rows.iter().map(|row| row.iter().map(set).collect()).collect()
    };
    let (a, b) = (numbers(&mut random, &[2, 3]), numbers(&mut random, &[3, 4]));
    let left = grid_2d(&[0, 2], &[0, 1, 3], &sets(&[&[&[0], &[1, 2]]])).unwrap();
    let right = grid_2d(&[0, 1, 3], &[0, 2, 4], &sets(&[&[&[0], &[0]], &[&[1], &[2]]])).unwrap();
    let d = DistributedArray::new(&a, left, ChunkMode::Replica).unwrap();
    let e = DistributedArray::new(&b, right, ChunkMode::Replica).unwrap();
    let c = matmul(&d, &e).unwrap();
    assert_eq!(c.mode(), ChunkMode::Sum);
    assert_eq!(c.chunks().iter().map(|chunk| chunk.device().number()).collect::<Vec<_>>(), [0, 0, 1, 2]);
    check(Ok(c), a.matmul(&b), "blocks that meet");
    let e = matmul(&d, &d).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("(2, 3) and (2, 3)"), "{e}");
}

#[test]
fn halos_are_those_of_the_padded_array() {
    let mut random = Random(3);
    for (shape, widths) in [(&[9][..], &[3][..]), (&[5, 6], &[1, 2]), (&[4, 4], &[0, 3])] {
        let a = numbers(&mut random, shape);
        let d = DistributedArray::new(&a, random_map(&mut random, shape, 4, false), ChunkMode::Replica).unwrap();
        let pads: Vec<(i64, i64)> = widths.iter().map(|&w| (w as i64, w as i64)).collect();
        for (mode, name) in [
            (HaloMode::Constant(crate::Scalar::Int(9)), crate::PadMode::Constant),
            (HaloMode::Edge, crate::PadMode::Edge),
            (HaloMode::Reflect, crate::PadMode::Reflect),
            (HaloMode::Symmetric, crate::PadMode::Symmetric),
            (HaloMode::Wrap, crate::PadMode::Wrap),
        ] {
            let options = crate::PadOptions::new().mode(name);
            let options = if name == crate::PadMode::Constant { options.constant_values(9) } else { options };
            let padded = crate::pad(&a, pads.clone(), options).unwrap();
            for chunk in d.halo(widths, mode).unwrap() {
                let index: Vec<Index> = (chunk.region.bounds().iter().zip(widths))
                    .map(|(&(start, end, _), &w)| Index::from(start as i64..(end + 2 * w) as i64))
                    .collect();
                let expected = padded.index(index).unwrap();
                assert_eq!(chunk.array.shape(), expected.shape());
                assert_eq!(chunk.array.to_vec::<i64>().unwrap(), expected.to_vec::<i64>().unwrap(), "{name:?}");
            }
        }
        let same = d.map_overlap(widths, HaloMode::Clip, |a| Ok(a.clone()));
        check(same, Ok(a), "map_overlap");
    }
    let d =
        DistributedArray::new(&crate::array([1, 2, 3]).unwrap(), [(device(0), s![..])], ChunkMode::Replica).unwrap();
    assert!(d.halo(&[4], HaloMode::Wrap).unwrap_err().message().contains("exceeds 3"));
    assert!(d.halo(&[1, 1], HaloMode::Wrap).unwrap_err().message().contains("2 widths"));
}

#[test]
fn extremes_of_nan_and_means_and_variances() {
    let a = crate::array([[1.0, f64::NAN, 3.0, f64::NAN], [4.0, 9.0, 9.0, 2.0]]).unwrap();
    let map: IndexMap = (0..4).map(|k| (device(k % 3), s![.., 3 - k as i64..4 - k as i64])).collect();
    let d = DistributedArray::new(&a, map, ChunkMode::Replica).unwrap();
    assert_eq!(d.argmax(Some(1)).unwrap().to_vec::<i64>().unwrap(), [1, 1]);
    assert_eq!(d.argmin(Some(1)).unwrap().to_vec::<i64>().unwrap(), [1, 3]);
    let rest = d.index(s![1]).unwrap();
    assert_eq!(rest.mean(()).unwrap().to_vec::<f64>().unwrap(), [6.0]);
    assert_eq!(rest.var(Reduce::all().ddof(1.0)).unwrap().to_vec::<f64>().unwrap(), [38.0 / 3.0]);
    // A sum keeps the sign of zero, which parts of no value do not change.
    let zero = crate::array([-0.0, -0.0]).unwrap();
    let both = [(device(0), s![..]), (device(1), s![..])];
    let d = DistributedArray::new(&zero, both, ChunkMode::Sum).unwrap();
    assert!(d.to_vec::<f64>().unwrap().iter().all(|x| x.is_sign_negative()));
}

#[test]
fn bad_index_maps_are_errors_that_name_the_elements() {
    let a = crate::zeros([4, 4], DType::F32).unwrap();
    let of = |map: IndexMap| DistributedArray::new(&a, map, ChunkMode::Replica).unwrap_err();
    for (map, kind, part) in [
        (vec![], ErrorKind::Value, "no chunk"),
        (vec![(device(0), s![..2])], ErrorKind::Value, "leaves out the elements [2:4, 0:4]"),
        (vec![(device(0), s![..;-1])], ErrorKind::Index, "step -1"),
        (vec![(device(0), s![4])], ErrorKind::Index, "4 is out of bounds for axis 0 with size 4"),
        (vec![(device(0), s![.., .., ..])], ErrorKind::Index, "too many"),
        (vec![(device(0), s![[0, 1, 2, 3]])], ErrorKind::Index, "neither an integer nor a slice"),
    ] {
        let e = of(map);
        assert!(e.kind() == kind && e.message().contains(part) && e.message().starts_with("distributed_array"), "{e}");
    }
    let z = crate::zeros(3, DType::C64).unwrap();
    let e = DistributedArray::new(&z, [(device(0), s![..])], ChunkMode::Prod).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Type, "{e}");
    let d = DistributedArray::new(&a, [(device(0), s![..])], ChunkMode::Replica).unwrap();
    let e = d.map(|a| a.sum(())).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("a chunk of shape (4, 4)"), "{e}");
    assert!(d.index(s![[0, 1]]).is_err() && d.sum(2).is_err() && d.transpose([0]).is_err());
}
