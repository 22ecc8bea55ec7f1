//! Tests of compiled programs: calls, switches, constant and local memory, warps, atomics, library functions.

mod common;

use common::{Params, Rig};
use cuprum_sim::{Config, Launch};

const SEEDS: [Option<u64>; 3] = [None, Some(3), Some(4)];

fn config(seed: Option<u64>) -> Config {
    Config { seed, ..Config::default() }
}

#[test]
fn calls_recursion_and_function_pointers() {
    for seed in SEEDS {
        let rig = Rig::with(include_str!("ptx/calls.ptx"), config(seed));
        let (o, f) = (rig.empty::<i32>(64), rig.empty::<f32>(32));
        let sel: Vec<i32> = (0..32).map(|i| i * 7 / 3).collect();
        let params = Params::default().with(o).with(f).with(rig.upload(&sel));
        rig.launch("k", 1, 32, params).unwrap_or_else(|e| panic!("{e}"));
        fn fib(n: i32) -> i32 {
            if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
        }
        let want: Vec<i32> = (0..32).map(|i| fib(i % 10)).chain((0..32).map(|i| i + i % 5 + 7 + 2 * i)).collect();
        assert_eq!(rig.download::<i32>(o, 64), want);
        let want: Vec<f32> = (0..32).map(|i| if sel[i] & 1 == 0 { i as f32 + 1.0 } else { 2.0 * i as f32 }).collect();
        assert_eq!(rig.download::<f32>(f, 32), want);
    }
}

#[test]
fn a_switch() {
    let rig = Rig::new(include_str!("ptx/calls.ptx"));
    let o: Vec<i32> = (0..40).map(|i| 100 + 3 * i).collect();
    let s: Vec<i32> = (0..40).map(|i| (i * 5) % 12).collect();
    let out = rig.upload(&o);
    rig.launch("sw", 1, 40, Params::default().with(out).with(rig.upload(&s))).unwrap_or_else(|e| panic!("{e}"));
    let want: Vec<i32> = o
        .iter()
        .zip(&s)
        .map(|(&o, s)| match s {
            0 => o + 1,
            1 => o * 3,
            2 => o ^ 5,
            3 => o - 9,
            4 => o / 3,
            5 => o % 7,
            6 => o << 2,
            7 => -o,
            8 => o * o,
            9 => !o,
            _ => 77,
        })
        .collect();
    assert_eq!(rig.download::<i32>(out, 40), want);
}

#[test]
fn vectors_constants_and_a_struct_by_value() {
    let rig = Rig::new(include_str!("ptx/mem.ptx"));
    let n = 8usize;
    let a: Vec<f32> = (0..4 * n).map(|i| i as f32).collect();
    let c: Vec<f64> = (0..2 * n).map(|i| -(i as f64)).collect();
    let s8: Vec<i8> = (0..n).map(|i| -3 * i as i8).collect();
    let s4: Vec<i16> = (0..4 * n).map(|i| 100 - 9 * i as i16).collect();
    let (pa, pb, pc, pd) = (rig.upload(&a), rig.empty::<f32>(4 * n), rig.upload(&c), rig.empty::<f64>(2 * n));
    let (o, w) = (rig.empty::<i32>(n), rig.empty::<f32>(4 * n));
    let dims: [i32; 8] = std::array::from_fn(|i| 10 + i as i32);
    let count = 5i64;
    let mut params = Params::default().with(pa).with(pb).with(pc).with(pd).with(count);
    for d in dims {
        params = params.with(d);
    }
    let params = params.with(0u64).with(o).with(pa).with(w).with(rig.upload(&s8)).with(rig.upload(&s4));
    rig.launch("k", 1, n as u32, params).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<f32>(pb, 4 * n), a);
    assert_eq!(rig.download::<f32>(w, 4 * n), a);
    assert_eq!(rig.download::<f64>(pd, 2 * n), c);
    let want: Vec<i32> = (0..n)
        .map(|i| {
            let sum: i32 = (0..count as usize).map(|j| dims[(j * 3) & 7] * (((i + j) & 15) as i32 + 1)).sum();
            sum + 7 + i32::from(s8[i]) + i32::from(s4[4 * i]) + i32::from(s4[4 * i + 3])
        })
        .collect();
    assert_eq!(rig.download::<i32>(o, n), want);
    let (arr, bytes) = rig.module.global("arr").expect("a variable of the text");
    assert_eq!(bytes, 32);
    assert_eq!(rig.download::<i32>(arr, 8), (0..8).collect::<Vec<_>>());
}

#[test]
fn local_arrays_and_dynamic_shared_memory() {
    let rig = Rig::new(include_str!("ptx/mem.ptx"));
    let index: Vec<i32> = (0..50).map(|i| i * 13 % 71).collect();
    let o = rig.empty::<i32>(96);
    rig.launch("loc", 1, 96, Params::default().with(o).with(rig.upload(&index)).with(50i32))
        .unwrap_or_else(|e| panic!("{e}"));
    let mut a: Vec<i32> = (0..64).map(|j| j * j).collect();
    index.iter().enumerate().for_each(|(j, &i)| a[i as usize & 63] += j as i32);
    assert_eq!(rig.download::<i32>(o, 96), (0..96).map(|i| a[i & 63]).collect::<Vec<_>>());

    let out = rig.empty::<f64>(80);
    let kernel = rig.module.kernel("dyn").expect("there");
    let params = out.to_le_bytes();
    let launch = Launch { block: [80, 1, 1], shared_bytes: 640, params: &params, ..Launch::default() };
    rig.machine.launch(&kernel, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rig.download::<f64>(out, 80), (0..80).rev().map(f64::from).collect::<Vec<_>>());
    let short = Launch { shared_bytes: 632, ..launch };
    assert_eq!(rig.machine.launch(&kernel, &short).map_err(|e| e.kind()), Err(cuprum_sim::FaultKind::OutOfBounds));
}

#[test]
fn lanes_exchange_values() {
    for seed in SEEDS {
        let rig = Rig::with(include_str!("ptx/warp.ptx"), config(seed));
        let a: Vec<i32> = (0..32).map(|i| (i * 7) % 5 + i / 16).collect();
        let o = rig.empty::<i32>(32 * 24);
        rig.launch("k", 1, 32, Params::default().with(o).with(rig.upload(&a))).unwrap_or_else(|e| panic!("{e}"));
        let out = rig.download::<i32>(o, 32 * 24);
        let ballot = |f: &dyn Fn(i32) -> bool| (0..32).fold(0u32, |m, l| m | u32::from(f(a[l])) << l) as i32;
        let sum: i32 = a.iter().sum();
        for l in 0..32usize {
            let p = &out[24 * l..24 * l + 24];
            let in_range = |ok: bool, from: usize| a[if ok { from } else { l }];
            assert_eq!(p[0], a[3]);
            assert_eq!(p[1], in_range(l >= 2, l.wrapping_sub(2)));
            assert_eq!(p[2], in_range(l + 5 < 32, l + 5));
            assert_eq!(p[3], a[l ^ 1]);
            assert_eq!(p[4], a[l / 8 * 8 + 1]);
            assert_eq!(p[5], in_range(l % 4 >= 1, l.wrapping_sub(1)));
            assert_eq!(p[6], in_range(l % 4 < 3, l + 1));
            assert_eq!(p[7], a[l ^ 9]);
            assert_eq!(p[8], i32::from(a.iter().all(|&x| x > 2)));
            assert_eq!(p[9], i32::from(a.iter().any(|&x| x > 2)));
            assert_eq!(p[10], ballot(&|x| x > 2));
            assert_eq!(p[11], 0);
            assert_eq!(p[12], ballot(&|x| x == a[l]));
            assert_eq!((p[13], p[14], p[15]), (0, 0, -1));
            assert_eq!(p[16], 2 * sum);
            assert_eq!(p[17..19], [*a.iter().min().expect("32"), *a.iter().max().expect("32")]);
            assert_eq!(p[19], a.iter().fold(-1, |x, y| x & y));
            assert_eq!(p[20], a.iter().fold(0, |x, y| x | y));
            assert_eq!(p[21], a.iter().fold(0, |x, y| x ^ y));
            assert_eq!(p[22..24], [a[7], a[l ^ 2]]);
        }
        let o = rig.empty::<i32>(128);
        rig.launch("bars", 1, 128, Params::default().with(o)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(rig.download::<i32>(o, 128), vec![64 + 1; 128]);
    }
}

#[test]
fn atomics_add_up() {
    for seed in SEEDS {
        let rig = Rig::with(include_str!("ptx/atomics.ptx"), config(seed));
        macro_rules! sums {
            ($($name:literal $ty:ty),+) => {$(
                let p = rig.upload(&[0 as $ty, 0 as $ty]);
                let o = rig.empty::<$ty>(96);
                let params = Params::default().with(p).with(3 as $ty).with(o);
                rig.launch($name, 8, 96, params).unwrap_or_else(|e| panic!("{e}"));
                // Each thread adds 3 to the first; each adds its block's sum of 96 threes to the second.
                assert_eq!(rig.download::<$ty>(p, 2), [(8 * 96 * 3) as $ty, (8 * 96 * 96 * 3) as $ty], $name);
            )+};
        }
        sums!("add_int" i32, "add_unsigned" u32, "add_unsigned_long_long" u64, "add_float" f32, "add_double" f64);
        let p = rig.upload(&[50u32, 10, 0xffff_ffff, 0, 0xff, 1, 7, 0, 2]);
        let o = rig.empty::<u32>(32 * 8);
        rig.launch("rest_unsigned", 1, 32, Params::default().with(p).with(7u32).with(o))
            .unwrap_or_else(|e| panic!("{e}"));
        let want = (7..39u32)
            .fold([50u32, 10, u32::MAX, 0, 0xff], |[a, b, c, d, e], x| [a.min(x), b.max(x), c & x, d | x, e ^ x]);
        let got = rig.download::<u32>(p, 9);
        assert_eq!(got[..5], want);
        assert_eq!(got[5], 7);
        // `inc` wraps to 0 past 7: 32 steps of a cycle of 8. `dec` does so to 7 below 0.
        assert_eq!(got[7], 0);
        assert_eq!(got[8], 2);
        assert!(got[6] < 32);
    }
}

#[test]
fn library_functions_come_close() {
    let x: Vec<f64> = (0..400).map(|i| (f64::from(i) - 200.0) * 1.37).chain([1e10, 1e22, -3e300]).collect();
    let y: Vec<f64> = (0..x.len()).map(|i| 0.11 * i as f64 - 20.0).collect();
    let n = x.len();
    let apart = |a: f64, b: f64| if a == b || a.is_nan() && b.is_nan() { 0.0 } else { ((a - b) / b).abs() };
    // The CUDA manual states 2 units in the last place for both; the host's own functions are off by up to 1.
    let unit = 3.0 * f64::EPSILON;
    for (text, f) in [
        (include_str!("ptx/sin_double.ptx"), (|x: f64, _| x.sin()) as fn(f64, f64) -> f64),
        (include_str!("ptx/pow_double.ptx"), |x, y| x.abs().powf(y)),
        (include_str!("ptx/fmod_double.ptx"), |x, y| x.abs() % y),
    ] {
        let rig = Rig::new(text);
        let two = rig.module.kernel("k").expect("there").param_bytes() == 28;
        let operand: Vec<f64> = if two { x.iter().map(|x| x.abs()).collect() } else { x.clone() };
        let out = rig.empty::<f64>(n);
        let mut params = Params::default().with(rig.upload(&operand));
        if two {
            params = params.with(rig.upload(&y));
        }
        rig.launch("k", 13, 32, params.with(out).with(n as i32)).unwrap_or_else(|e| panic!("{e}"));
        for (i, got) in rig.download::<f64>(out, n).into_iter().enumerate() {
            let want = f(x[i], y[i]);
            assert!(apart(got, want) <= unit, "{} {}: {got:e}, not {want:e}", x[i], y[i]);
        }
    }
    let rig = Rig::new(include_str!("ptx/exp_float.ptx"));
    let x: Vec<f32> = (0..200).map(|i| (i as f32 - 100.0) * 0.83).collect();
    let out = rig.empty::<f32>(x.len());
    rig.launch("k", 7, 32, Params::default().with(rig.upload(&x)).with(out).with(x.len() as i32))
        .unwrap_or_else(|e| panic!("{e}"));
    for (x, got) in x.iter().zip(rig.download::<f32>(out, x.len())) {
        let want = f64::from(*x).exp();
        assert!(apart(got.into(), want) <= 2.0 * f64::from(f32::EPSILON), "{x}: {got:e}, not {want:e}");
    }
}
