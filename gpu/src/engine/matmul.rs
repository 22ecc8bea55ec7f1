//! Matrix products of integers and booleans.

use std::cell::RefCell;

use cuprum_kernels::DType;
use cuprum_kernels::source::{MATMUL_TILE, matmul_source};
use rustc_hash::FxHashMap;

use super::params::Params;
use crate::array::Array;
use crate::cuda::Source;
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: RefCell<FxHashMap<(usize, DType), Function>> = RefCell::default();
}

/// Writes the product of two matrices of one dtype and any layout into `out`, which is in C order.
pub(crate) fn matmul(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (device, dtype) = (a.device(), out.dtype());
    let key = (device.address(), dtype);
    let function = match KERNELS.with_borrow(|k| k.get(&key).copied()) {
        Some(found) => found,
        None => {
            let name = format!("matmul/{dtype}");
            let source = Source { name: name.into(), text: matmul_source(dtype).into(), ..Source::default() };
            let function = device.compile(&source, &["matmul"])?[0];
            KERNELS.with_borrow_mut(|k| k.insert(key, function));
            function
        }
    };
    let (m, n, k) = (a.shape()[0], b.shape()[1], a.shape()[1]);
    let tiles = |n: usize, most: u32| {
        u32::try_from(n.div_ceil(MATMUL_TILE)).ok().filter(|&t| t <= most).ok_or_else(|| {
            Error::new(ErrorKind::Value, format!("a product of {m} by {n} is more than one launch can reach"))
        })
    };
    let grid = [tiles(n, i32::MAX as u32)?, tiles(m, 65535)?, 1];
    let mut params = Params::default();
    for word in [m as u64, n as u64, k as u64, a.addr(), b.addr(), out.addr()] {
        params.u64(word);
    }
    params.strides(a.strides(), 2);
    params.strides(b.strides(), 2);
    let block = [(MATMUL_TILE * MATMUL_TILE) as u32, 1, 1];
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, and the sizes and
    // strides reach their elements only.
    unsafe { device.launch(function, grid, block, params.as_bytes()) }
}
