//! Common code of the tests: a machine with typed buffers, and launches in one line.
#![allow(dead_code)] // Each test target uses a part.

use std::sync::Mutex;

use cuprum_sim::{Config, Fault, Launch, Machine, Module, Stats};

/// A value with a byte representation, for parameters and buffers.
pub(crate) trait Bytes: Copy {
    const SIZE: usize;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! bytes {
    ($($ty:ty),+) => {$(
        impl Bytes for $ty {
            const SIZE: usize = size_of::<$ty>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
        }
    )+};
}
bytes!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Packs parameters, each at its natural alignment.
#[derive(Default)]
pub(crate) struct Params(pub(crate) Vec<u8>);

impl Params {
    pub(crate) fn with<T: Bytes>(mut self, value: T) -> Params {
        self.0.resize(self.0.len().next_multiple_of(T::SIZE), 0);
        value.put(&mut self.0);
        self
    }
}

pub(crate) struct Rig {
    pub(crate) machine: Machine,
    pub(crate) module: Module,
    pub(crate) printed: Mutex<String>,
}

impl Rig {
    pub(crate) fn new(ptx: &str) -> Rig {
        Rig::with(ptx, Config::default())
    }

    pub(crate) fn with(ptx: &str, config: Config) -> Rig {
        let machine = Machine::new(config);
        let module = machine.load(ptx).unwrap_or_else(|e| panic!("{e}"));
        Rig { machine, module, printed: Mutex::default() }
    }

    pub(crate) fn upload<T: Bytes>(&self, values: &[T]) -> u64 {
        let mut bytes = Vec::new();
        values.iter().for_each(|v| v.put(&mut bytes));
        let addr = self.machine.alloc(bytes.len() as u64).expect("room");
        self.machine.write(addr, &bytes).expect("fits");
        addr
    }

    pub(crate) fn empty<T: Bytes>(&self, count: usize) -> u64 {
        self.machine.alloc((count * T::SIZE) as u64).expect("room")
    }

    pub(crate) fn download<T: Bytes>(&self, addr: u64, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * T::SIZE];
        self.machine.read(addr, &mut bytes).expect("readable");
        bytes.chunks(T::SIZE).map(T::get).collect()
    }

    pub(crate) fn launch(&self, kernel: &str, grid: u32, block: u32, params: Params) -> Result<Stats, Fault> {
        let kernel = self.module.kernel(kernel).expect("a kernel of the text");
        let print = |text: &str| self.printed.lock().expect("no panic while printing").push_str(text);
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            params: &params.0,
            output: Some(&print),
            ..Launch::default()
        };
        self.machine.launch(&kernel, &launch)
    }
}
