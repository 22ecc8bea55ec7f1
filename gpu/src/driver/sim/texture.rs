//! Arrays, textures and surfaces of the simulated device: an array is memory with its rows side by side.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cuprum_sim::{Address, Image, TexelKind};

use super::late::Work;
use super::queues::DEFAULT;
use super::{Sim, fault, invalid};
use crate::driver::texture::{
    AddressMode, ArrayCopy, ArrayForm, ChannelKind, FilterMode, LAYERED, Sampling, Texels, TextureMemory, Textures,
};
use crate::driver::{Driver, StreamHandle};
use crate::error::Result;

/// The arrays that live, by handle, which is where each begins.
#[derive(Debug, Default)]
pub(super) struct Arrays(Mutex<HashMap<usize, ArrayForm>>);

fn texels(of: Texels) -> cuprum_sim::Texels {
    let kind = match of.kind {
        ChannelKind::Signed => TexelKind::Signed,
        ChannelKind::Unsigned => TexelKind::Unsigned,
        ChannelKind::Float => TexelKind::Float,
    };
    cuprum_sim::Texels { kind, bits: of.bits, channels: of.channels }
}

fn pitch(form: &ArrayForm) -> usize {
    form.size[0] * form.texels.bytes()
}

impl Sim {
    fn array(&self, array: usize) -> Result<ArrayForm> {
        let arrays = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.get(&array).copied().ok_or_else(|| invalid("a CUDA array"))
    }

    fn image(&self, array: usize) -> Result<Image> {
        let form = self.array(array)?;
        Ok(Image {
            addr: array as u64,
            texels: texels(form.texels),
            size: form.size.map(|n| n as u32),
            layered: form.flags & LAYERED != 0,
            pitch: pitch(&form) as u64,
            linear: false,
        })
    }
}

impl Textures for Sim {
    fn array_create(&self, form: &ArrayForm) -> Result<usize> {
        let bytes = pitch(form) * form.size[1].max(1) * form.size[2].max(1);
        let array = self.alloc(bytes)? as usize;
        self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner).insert(array, *form);
        Ok(array)
    }

    unsafe fn array_destroy(&self, array: usize) -> Result<()> {
        let known = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&array);
        known.ok_or_else(|| invalid("a CUDA array"))?;
        // SAFETY: the memory is the array's, and used no more.
        unsafe { self.free(array as u64) }
    }

    unsafe fn array_copy(&self, copy: &ArrayCopy, stream: StreamHandle) -> Result<()> {
        let form = self.array(copy.array)?;
        let ([x, y, z], [bytes, rows, slices]) = (copy.origin, copy.extent);
        let (pitch, height) = (pitch(&form), form.size[1].max(1));
        // Rows that follow one another on both sides are one copy.
        let whole = x == 0 && y == 0 && bytes == pitch && copy.pitch == pitch && rows == height && copy.rows == height;
        let (count, run) = if whole { (1, bytes * rows * slices) } else { (rows * slices, bytes) };
        if stream == DEFAULT {
            self.settle()?;
        }
        for k in 0..count {
            let (slice, row) = (k / rows, k % rows);
            let there = (copy.array + ((z + slice) * height + y + row) * pitch + x) as u64;
            let here = copy.addr + ((slice * copy.rows + row) * copy.pitch) as u64;
            let (dst, src) = if copy.to_array { (there, here) } else { (here, there) };
            if stream == DEFAULT {
                self.machine.copy(dst, src, run as u64).map_err(fault)?;
            } else {
                self.queue(stream, Work::Copy { dst, src, bytes: run })?;
            }
        }
        Ok(())
    }

    unsafe fn texture_create(&self, memory: &TextureMemory, how: &Sampling) -> Result<u64> {
        let image = match *memory {
            TextureMemory::Array(array) => self.image(array)?,
            TextureMemory::Linear { addr, texels: of, bytes } => {
                let size = [(bytes / of.bytes()) as u32, 0, 0];
                Image { addr, texels: texels(of), size, layered: false, pitch: bytes as u64, linear: true }
            }
            TextureMemory::Pitch2D { addr, texels: of, width, height, pitch } => {
                let size = [width as u32, height as u32, 0];
                Image { addr, texels: texels(of), size, layered: false, pitch: pitch as u64, linear: false }
            }
        };
        let address = how.address.map(|mode| match mode {
            AddressMode::Wrap => Address::Wrap,
            AddressMode::Clamp => Address::Clamp,
            AddressMode::Mirror => Address::Mirror,
            AddressMode::Border => Address::Border,
        });
        let sampling = cuprum_sim::Sampling {
            address,
            linear: how.filter == FilterMode::Linear,
            normalized_float: !how.read_integers,
            normalized: how.normalized,
            srgb: how.srgb,
            border: how.border,
        };
        Ok(self.machine.texture(image, sampling))
    }

    unsafe fn texture_destroy(&self, texture: u64) -> Result<()> {
        self.machine.forget_image(texture).then_some(()).ok_or_else(|| invalid("a texture"))
    }

    unsafe fn surface_create(&self, array: usize) -> Result<u64> {
        Ok(self.machine.surface(self.image(array)?))
    }

    unsafe fn surface_destroy(&self, surface: u64) -> Result<()> {
        self.machine.forget_image(surface).then_some(()).ok_or_else(|| invalid("a surface"))
    }
}
