//! Groups of simulated devices: every operation against a sequential computation, and what happens when ranks do not
//! agree or end.

use std::thread;

use super::*;
use crate::array::Array;
use crate::error::ErrorKind;
use cuprum_kernels::DType;

/// Runs a function as each rank of a group on a device of its own, and returns the results in the order of the ranks.
fn ranks<R: Send>(size: usize, f: impl Fn(&Communicator) -> R + Sync) -> Vec<R> {
    let id = GroupId::new(Device::open("sim").unwrap()).unwrap();
    thread::scope(|scope| {
        let start = |rank: usize| {
            let f = &f;
            scope.spawn(move || {
                let device = Device::open(&format!("sim:{rank}")).unwrap();
                device.with(|| f(&Communicator::join(device, &id, size, rank).unwrap()))
            })
        };
        let all: Vec<_> = (0..size).map(start).collect();
        all.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Returns small integers that differ between ranks, as an array of a dtype.
fn numbers(rank: usize, n: usize, dtype: DType) -> Array {
    let values: Vec<i64> = (0..n).map(|k| ((rank * 7 + k * 3) % 5) as i64).collect();
    crate::array(values).unwrap().astype(dtype).unwrap()
}

fn empty(n: usize, dtype: DType) -> Array {
    crate::zeros(n, dtype).unwrap()
}

fn values(a: &Array) -> Vec<f64> {
    a.astype(DType::F64).unwrap().to_vec().unwrap()
}

#[test]
fn operations_are_those_of_a_sequential_computation_in_every_dtype() {
    for size in [2, 3] {
        for dtype in DType::ALL.into_iter().filter(|d| !d.is_complex() && *d != DType::Bool) {
            let combined = !matches!(dtype, DType::I16 | DType::U16);
            let all: Vec<Vec<f64>> = (0..size).map(|rank| values(&numbers(rank, 6, dtype))).collect();
            let fold = |f: fn(f64, f64) -> f64| -> Vec<f64> {
                (0..6).map(|k| all.iter().map(|of| of[k]).reduce(f).unwrap()).collect()
            };
            let got = ranks(size, |group| {
                let (own, root) = (numbers(group.rank(), 6, dtype), size - 1);
                let (out, part, gathered) = (empty(6, dtype), empty(6 / size, dtype), empty(6 * size, dtype));
                let mut got = vec![];
                if combined {
                    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                        group.all_reduce(&own, &out, op).unwrap();
                        got.push(values(&out));
                    }
                    group.reduce(&own, Some(&out), root, ReduceOp::Max).unwrap();
                    got.push(values(&out));
                    group.reduce_scatter(&own, &part, ReduceOp::Sum).unwrap();
                    got.push(values(&part));
                } else {
                    let e = group.all_reduce(&own, &out, ReduceOp::Sum).unwrap_err();
                    assert_eq!(e.kind(), ErrorKind::Type, "{e}");
                }
                group.all_gather(&own, &gathered).unwrap();
                got.push(values(&gathered));
                group.broadcast(&own, root).unwrap();
                got.push(values(&own));
                group.barrier().unwrap();
                got
            });
            for (rank, got) in got.into_iter().enumerate() {
                let mut expected = vec![];
                if combined {
                    expected.extend([fold(|a, b| a + b), fold(|a, b| a * b), fold(f64::max), fold(f64::min)]);
                    // Ranks other than the root keep what they had.
                    expected.push(fold(if rank == size - 1 { f64::max } else { f64::min }));
                    expected.push(fold(|a, b| a + b)[rank * 6 / size..][..6 / size].to_vec());
                }
                expected.extend([all.concat(), all[size - 1].clone()]);
                assert_eq!(got, expected, "{dtype}, rank {rank} of {size}");
            }
        }
    }
}

#[test]
fn exchanges_of_any_layout_and_of_complex_numbers_and_booleans() {
    let got = ranks(3, |group| {
        let rank = group.rank();
        // Columns are not contiguous, of the input and of the output.
        let own = crate::arange(0, 6, 1).unwrap().reshape([2, 3]).unwrap();
        let own = (&own + (10 * rank) as i64).t();
        let out = crate::zeros([2, 3], DType::I64).unwrap().t();
        group.all_to_all(&own, &out).unwrap();
        let scattered = empty(2, DType::I64);
        group.scatter(Some(&own), &scattered, 1).unwrap();
        let gathered = crate::zeros([3, 2], DType::I64).unwrap();
        group.gather(&scattered, (rank == 2).then_some(&gathered), 2).unwrap();
        let z = crate::array([crate::num_complex::Complex64::new(1.0, rank as f64)]).unwrap();
        let sum = empty(1, DType::C128);
        group.all_reduce(&z, &sum, ReduceOp::Sum).unwrap();
        let product = group.all_reduce(&z, &sum, ReduceOp::Prod).unwrap_err();
        let any = crate::array([rank == 1, false]).unwrap();
        group.all_reduce(&any, &any, ReduceOp::Sum).unwrap();
        let sum = sum.to_vec::<crate::num_complex::Complex64>().unwrap()[0];
        (
            out.to_vec::<i64>().unwrap(),
            gathered.to_vec::<i64>().unwrap(),
            sum,
            product.kind(),
            any.to_vec::<bool>().unwrap(),
        )
    });
    for (rank, (out, gathered, sum, product, any)) in got.into_iter().enumerate() {
        let r = rank as i64;
        assert_eq!(out, [r, 3 + r, 10 + r, 13 + r, 20 + r, 23 + r]);
        assert_eq!(gathered, if rank == 2 { vec![10, 13, 11, 14, 12, 15] } else { vec![0; 6] });
        assert_eq!((sum.re, sum.im), (3.0, 3.0));
        assert_eq!((product, any), (ErrorKind::Type, vec![true, false]));
    }
}

#[test]
fn one_thread_makes_the_calls_of_several_ranks_in_a_group_of_calls() {
    let devices: Vec<Device> = (0..3).map(|k| Device::open(&format!("sim:{k}")).unwrap()).collect();
    let all = Communicator::init_all(&devices).unwrap();
    let arrays: Vec<Array> = devices.iter().map(|d| d.with(|| numbers(d.number(), 4, DType::F32))).collect();
    group_calls(devices[0], || {
        all.iter().zip(&arrays).try_for_each(|(group, a)| group.all_reduce(a, a, ReduceOp::Avg))
    })
    .unwrap();
    let expected: Vec<f64> =
        (0..4).map(|k| f64::from((0..3).map(|r| ((r * 7 + k * 3) % 5) as f32).sum::<f32>() / 3.0)).collect();
    assert!(arrays.iter().all(|a| values(a) == expected));
    assert!(group_end(devices[0]).is_err());
}

#[test]
fn a_group_is_divided_by_colours_in_the_order_of_keys() {
    let got = ranks(4, |group| {
        let rank = group.rank();
        let color = (rank != 3).then_some((rank % 2) as u32);
        let part = group.split(color, -(rank as i32)).unwrap()?;
        let out = empty(part.size(), DType::I32);
        part.all_gather(&crate::array([rank as i32]).unwrap(), &out).unwrap();
        Some((part.rank(), out.to_vec::<i32>().unwrap()))
    });
    assert_eq!(got, [Some((1, vec![2, 0])), Some((0, vec![1])), Some((0, vec![2, 0])), None]);
}

#[test]
fn calls_that_do_not_fit_together_are_errors_of_all_ranks_that_name_them() {
    let got = ranks(2, |group| {
        let a = numbers(0, 4 + group.rank(), DType::F32);
        let e = group.all_reduce(&a, &a, ReduceOp::Sum).unwrap_err();
        let next = group.barrier().unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Driver);
        assert_eq!(group.check_async_error().unwrap_err().kind(), ErrorKind::Driver);
        (e.message().to_string(), next.message().to_string())
    });
    for (message, next) in got {
        for part in ["rank 0", "rank 1", "4 elements of float32", "5 elements of float32", "all_reduce"] {
            assert!(message.contains(part), "{part} in {message}");
        }
        assert!(next.contains("do not fit together"), "{next}");
    }
}

#[test]
fn a_rank_that_leaves_or_aborts_is_named_to_those_that_wait_for_it() {
    let got = ranks(3, |group| {
        let a = numbers(0, 4, DType::F32);
        match group.rank() {
            1 => group.destroy().map(|()| String::new()).unwrap(),
            0 => group.all_reduce(&a, &a, ReduceOp::Sum).unwrap_err().message().to_string(),
            _ => group.recv(&a, 1).unwrap_err().message().to_string(),
        }
    });
    assert!(got[0].contains("rank 1") && got[2].contains("rank 1"), "{got:?}");
    let got = ranks(2, |group| {
        let a = numbers(0, 4, DType::F32);
        if group.rank() == 0 {
            group.abort().unwrap();
            let ended = group.send(&a, 1).unwrap_err();
            return ended.message().to_string();
        }
        group.recv(&a, 0).unwrap_err().message().to_string()
    });
    assert!(got[0].contains("destroyed or aborted") && got[1].contains("rank 0 has ended or aborted"), "{got:?}");
}

#[test]
fn arguments_are_checked() {
    let device = Device::open("sim").unwrap();
    let id = GroupId::new(device).unwrap();
    assert_eq!(Communicator::join(device, &id, 2, 2).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(Communicator::join(device, &GroupId::from_bytes([1; 128]), 1, 0).unwrap_err().kind(), ErrorKind::Value);
    let group = Communicator::join(device, &id, 1, 0).unwrap();
    let (a, b) = (numbers(0, 4, DType::F32), numbers(0, 4, DType::F64));
    for e in [
        group.all_reduce(&a, &b, ReduceOp::Sum).unwrap_err(),
        group.all_gather(&a, &numbers(0, 5, DType::F32)).unwrap_err(),
        group.broadcast(&a, 1).unwrap_err(),
        group.reduce(&a, None, 0, ReduceOp::Sum).unwrap_err(),
        group.all_to_all(&a, &a).unwrap_err(),
        group.scatter(None, &a, 0).unwrap_err(),
    ] {
        assert!(
            matches!(e.kind(), ErrorKind::Value | ErrorKind::Type) && e.message().contains("Communicator::"),
            "{e}"
        );
    }
    // The group is not affected, and a message to itself arrives.
    group_calls(device, || group.send(&a, 0).and_then(|()| group.recv(&a, 0))).unwrap();
    assert!(nccl_version(device).unwrap() > 0);
    group.destroy().unwrap();
}
