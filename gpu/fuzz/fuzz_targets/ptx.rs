//! PTX sources, which the simulator loads and runs within limits.
#![no_main]

use cuprum_sim::{Config, Launch, Machine};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let config = Config { memory_limit: 1 << 20, threads: 1, max_instructions: 2000, ..Config::default() };
    let machine = Machine::new(config);
    let Ok(module) = machine.load(text) else { return };
    let Ok(buffer) = machine.alloc(1 << 12) else { return };
    let _ = machine.fill(buffer, &[1, 0, 0, 0], 1 << 12);
    let params: Vec<u8> = buffer.to_le_bytes().into_iter().cycle().take(4096).collect();
    for name in module.kernels() {
        let Some(kernel) = module.kernel(name) else { continue };
        if kernel.param_bytes() <= params.len() {
            let size = Launch { grid: [2, 1, 1], block: [33, 1, 1], shared_bytes: 512, ..Launch::default() };
            // A fault is a proper end; a panic, a hang and an access outside of the machine are not.
            let _ = machine.launch(&kernel, &Launch { params: &params, ..size });
        }
    }
});
