//! The first kernels: a loop over elements, and a reduction in shared memory.

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
