//! Tests of basic kernels: a loop over elements, and a reduction in shared memory.

use cuprum_sim::{Config, Launch, Machine};

fn floats(machine: &Machine, values: &[f32]) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let addr = machine.alloc(bytes.len() as u64).expect("room");
    machine.write(addr, &bytes).expect("fits");
    addr
}

fn read(machine: &Machine, addr: u64, count: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * count];
    machine.read(addr, &mut bytes).expect("readable");
    bytes.chunks(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

#[test]
fn elements_are_added() {
    let machine = Machine::new(Config::default());
    let module = machine.load(include_str!("ptx/basic.ptx")).expect("loads");
    let n = 10_007;
    let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.37).collect();
    let b: Vec<f32> = (0..n).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    let (pa, pb) = (floats(&machine, &a), floats(&machine, &b));
    let out = machine.alloc(4 * n as u64).expect("room");
    let mut params: Vec<u8> = [pa, pb, out].iter().flat_map(|p| p.to_le_bytes()).collect();
    params.extend((n as i32).to_le_bytes());
    let kernel = module.kernel("add").expect("there");
    let launch = Launch { grid: [7, 1, 1], block: [96, 1, 1], params: &params, ..Launch::default() };
    machine.launch(&kernel, &launch).expect("runs");
    let expected: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
    assert_eq!(read(&machine, out, n), expected);
}

#[test]
fn a_block_sums_in_shared_memory() {
    for seed in [None, Some(1), Some(2)] {
        let machine = Machine::new(Config { seed, ..Config::default() });
        let module = machine.load(include_str!("ptx/basic.ptx")).expect("loads");
        let n = 5000i32;
        let a: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
        let pa = floats(&machine, &a);
        let out = machine.alloc(12).expect("room");
        let mut params: Vec<u8> = [pa, out].iter().flat_map(|p| p.to_le_bytes()).collect();
        params.extend(n.to_le_bytes());
        let kernel = module.kernel("sum").expect("there");
        let launch = Launch { grid: [3, 1, 1], block: [256, 1, 1], params: &params, ..Launch::default() };
        machine.launch(&kernel, &launch).expect("runs");
        assert_eq!(read(&machine, out, 3).iter().sum::<f32>(), a.iter().sum::<f32>());
    }
}

/// A launch with calls leaves frames for reuse; those of the next launch on the thread have the same storage.
#[test]
fn parameters_have_generic_addresses_after_a_launch_that_calls() {
    let machine = Machine::new(Config::default());
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let calls = format!(
        "{head}.visible .entry outer(.param .u64 p) {{ .reg .b64 %rd<3>; call helper, (); call helper, (); ret; }}\n"
    );
    let calls = calls.replace(".visible", ".func helper() { ret; }\n.visible");
    // The kernel's index is that of `helper`.
    let generic = format!(
        "{head}.visible .entry alone(.param .align 8 .b8 p[24]) {{\n.reg .b64 %rd<6>;\nmov.b64 %rd1, p;\n\
         cvta.param.u64 %rd2, %rd1;\nld.u64 %rd3, [%rd2];\nld.u64 %rd4, [%rd2+16];\nst.global.u64 [%rd3], %rd4;\nret;\n}}\n"
    );
    let out = machine.alloc(8).expect("room");
    let run = |text: &str, name: &str, params: &[u64]| {
        let kernel = machine.load(text).expect("loads").kernel(name).expect("there");
        let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        machine.launch(&kernel, &Launch { grid: [1; 3], block: [32, 1, 1], params: &params, ..Launch::default() })
    };
    run(&calls, "outer", &[0]).expect("runs");
    run(&generic, "alone", &[out, 0, 77]).expect("runs");
    let mut bytes = [0; 8];
    machine.read(out, &mut bytes).expect("readable");
    assert_eq!(u64::from_le_bytes(bytes), 77);
}
