//! Benchmark of the simulator: nanoseconds for each instruction of a lane, on one core and on all, and microseconds for
//! a launch of little work.
//!
//! `cargo run --release -p cuprum-sim --example speed`

use std::time::Instant;

use cuprum_sim::{Config, Launch, Machine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = 1_000_000usize;
    let a: Vec<u8> = (0..n).flat_map(|i| (i as f32 * 0.5).to_le_bytes()).collect();
    println!("{:<22}{:>10}{:>16}{:>14}{:>12}", "kernel", "threads", "instructions", "ns/instr.", "ms");
    let cores = Config::default().threads;
    for threads in if cores > 1 { vec![1, cores] } else { vec![1] } {
        let machine = Machine::new(Config { threads, ..Config::default() });
        let module = machine.load(include_str!("../tests/ptx/basic.ptx"))?;
        let (x, y, z) = (machine.alloc(4 * n as u64)?, machine.alloc(4 * n as u64)?, machine.alloc(4 * n as u64)?);
        machine.write(x, &a)?;
        machine.write(y, &a)?;
        let mut add: Vec<u8> = [x, y, z].iter().flat_map(|p| p.to_le_bytes()).collect();
        add.extend((n as i32).to_le_bytes());
        let mut sum: Vec<u8> = [x, z].iter().flat_map(|p| p.to_le_bytes()).collect();
        sum.extend((n as i32).to_le_bytes());
        let blocks = n.div_ceil(256) as u32;
        for (name, kernel, params, grid) in [
            ("add, one each", "add", &add, blocks),
            ("add, grid stride", "add", &add, 32),
            ("sum, 256 blocks", "sum", &sum, 256),
            ("sum, 8 blocks", "sum", &sum, 8),
            ("sum, one each", "sum", &sum, blocks),
        ] {
            let kernel = module.kernel(kernel).ok_or("no kernel")?;
            let launch = Launch { grid: [grid, 1, 1], block: [256, 1, 1], params, ..Launch::default() };
            let mut best = f64::INFINITY;
            let mut stats = Default::default();
            for _ in 0..5 {
                let start = Instant::now();
                stats = machine.launch(&kernel, &launch)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            let each = best * 1e9 / stats.instructions as f64;
            println!("{name:<22}{threads:>10}{:>16}{each:>14.3}{:>12.2}", stats.instructions, best * 1e3);
        }
        let kernel = module.kernel("add").ok_or("no kernel")?;
        for (blocks, block) in [(1u32, 32u32), (2, 32), (8, 32), (1, 256), (2, 256), (8, 256)] {
            let mut small = add.clone();
            small.truncate(24);
            small.extend((blocks * block).to_le_bytes());
            let launch = Launch { grid: [blocks, 1, 1], block: [block, 1, 1], params: &small, ..Launch::default() };
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let start = Instant::now();
                for _ in 0..1000 {
                    machine.launch(&kernel, &launch)?;
                }
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            let name = format!("add, {blocks} x {block}");
            println!("{name:<22}{threads:>10}{best:>39.2} us");
        }
    }
    Ok(())
}
