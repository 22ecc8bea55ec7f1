//! DLPack tensors in the host's memory, whose description is a stranger's: shape, strides, dtype, offset and version.
//!
//! A description that stays inside the memory is imported or rejected; one that leaves it would break the exporter's
//! promise, and is not passed on.
#![no_main]

use std::ffi::c_void;
use std::ptr::NonNull;

use cuprum::{Array, dlpack};

/// Bytes of the tensor's memory.
const BYTES: usize = 4096;

/// Reads numbers from the input; zeros after its end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> i64 {
        // Small numbers are frequent.
        match self.byte() {
            255 => i64::from_le_bytes(std::array::from_fn(|_| self.byte())),
            small => i64::from(small as i8),
        }
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let mut memory = vec![0u64; BYTES / 8];
    let rank = usize::from(input.byte() % 70);
    let mut shape: Vec<i64> = (0..rank).map(|_| input.number()).collect();
    let mut strides: Vec<i64> = (0..rank).map(|_| input.number()).collect();
    let has_strides = input.byte() & 1 == 1;
    let dtype = dlpack::DlDataType { code: input.byte() % 20, bits: input.byte(), lanes: u16::from(input.byte() % 3) };
    let byte_offset = u64::from(input.byte() % 64);
    let itemsize = i128::from(dtype.bits).max(8) / 8 * i128::from(dtype.lanes.max(1));
    let product = |sizes: &[i64]| sizes.iter().fold(1i128, |all, &n| all.saturating_mul(i128::from(n)));
    let reach = if shape.iter().any(|&n| n <= 0) {
        (0, 0)
    } else if has_strides {
        shape.iter().zip(&strides).fold((0i128, 0i128), |(low, high), (&n, &step)| {
            let end = i128::from(n - 1).saturating_mul(i128::from(step)).saturating_mul(itemsize);
            (low.saturating_add(end.min(0)), high.saturating_add(end.max(0)))
        })
    } else {
        (0, product(&shape).saturating_sub(1).saturating_mul(itemsize))
    };
    let room = (BYTES as i128 - itemsize - i128::from(byte_offset)) / 2;
    if reach.0 < -room || reach.1 > room || product(&shape) > 1 << 20 {
        return;
    }
    let mut tensor = dlpack::ManagedTensorVersioned {
        major: u32::from(input.byte() % 3),
        minor: u32::from(input.byte()),
        manager_ctx: std::ptr::null_mut(),
        deleter: None,
        flags: u64::from(input.byte() & 3),
        dl_tensor: dlpack::DlTensor {
            data: memory.as_mut_ptr().wrapping_byte_add(BYTES / 2).cast::<c_void>(),
            device: dlpack::DlDevice { device_type: i32::from(input.byte() % 4), device_id: 0 },
            ndim: rank as i32,
            dtype,
            shape: shape.as_mut_ptr(),
            strides: if has_strides { strides.as_mut_ptr() } else { std::ptr::null_mut() },
            byte_offset,
        },
    };
    // SAFETY: the tensor and its memory live until the end of the function, and host memory is copied.
    let imported = unsafe { dlpack::Tensor::from_versioned(NonNull::from(&mut tensor)) };
    if let Ok(array) = Array::from_dlpack(imported, None) {
        let _ = array.to_bytes();
    }
});
