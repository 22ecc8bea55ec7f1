//! Formats of the device's `printf`, which the simulator prints with the bytes that follow as arguments.
#![no_main]

use std::fmt::Write;

use cuprum_sim::{Config, Launch, Machine};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (arguments, format) = bytes.split_at(bytes.len().min(32));
    let list = |bytes: &[u8], size: usize| {
        let mut text = String::new();
        for at in 0..size {
            let _ = write!(text, "{}{}", if at == 0 { "" } else { ", " }, bytes.get(at).copied().unwrap_or(0));
        }
        text
    };
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n\
         .global .align 1 .b8 format[{}] = {{{}}};\n.global .align 8 .b8 arguments[64] = {{{}}};\n\
         .visible .entry k() {{\n.reg .b64 %rd<3>;\n\
         mov.u64 %rd1, format;\nmov.u64 %rd2, arguments;\n\
         {{ .param .b64 p0; st.param.b64 [p0], %rd1; .param .b64 p1; st.param.b64 [p1], %rd2; .param .b32 q;\n\
         call.uni (q), vprintf, (p0, p1); }}\nret;\n}}\n",
        format.len() + 1,
        list(format, format.len() + 1),
        list(arguments, 64),
    );
    let machine = Machine::new(Config { memory_limit: 1 << 20, threads: 1, max_instructions: 1000, ..Config::default() });
    let module = machine.load(&text).expect("the source is correct");
    let kernel = module.kernel("k").expect("the source has the kernel");
    let _ = machine.launch(&kernel, &Launch { grid: [1; 3], block: [1; 3], ..Launch::default() });
});
