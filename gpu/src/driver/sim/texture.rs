//! Arrays, textures and surfaces of the simulated device: an array is memory with contiguous rows.
//!
//! Fetches are computed by the simulator's machine with the weights that CUDA documents.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cuprum_sim::{Address, Image, TexelKind};

use super::deferred::Work;
use super::queues::DEFAULT;
use super::{Sim, fault, invalid};
use crate::driver::texture::{
    AddressMode, ArrayCopy, ArrayForm, CUBEMAP, ChannelKind, FilterMode, LAYERED, Sampling, Texels, TextureMemory,
    Textures,
};
use crate::driver::{Driver, StreamHandle};
use crate::error::Result;

/// The live arrays, by handle, which is their address; and the mipmapped ones, whose levels are arrays, too.
#[derive(Debug, Default)]
pub(super) struct Arrays(Mutex<HashMap<usize, ArrayForm>>, Mutex<HashMap<usize, Vec<usize>>>);

/// Alignment of each level.
const LEVEL_ALIGNMENT: usize = 512;

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

fn bytes(form: &ArrayForm) -> usize {
    pitch(form) * form.size[1].max(1) * form.size[2].max(1)
}

impl Sim {
    fn array(&self, array: usize) -> Result<ArrayForm> {
        let arrays = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.get(&array).copied().ok_or_else(|| invalid("a CUDA array"))
    }

    fn known_levels(&self, levels: usize) -> Result<Vec<usize>> {
        let known = self.arrays.1.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&levels).cloned().ok_or_else(|| invalid("a mipmapped CUDA array"))
    }

    fn image(&self, array: usize) -> Result<Image> {
        let form = self.array(array)?;
        Ok(Image {
            addr: array as u64,
            texels: texels(form.texels),
            size: form.size.map(|n| n as u32),
            layered: form.flags & LAYERED != 0,
            cube: form.flags & CUBEMAP != 0,
            pitch: pitch(&form) as u64,
            linear: false,
        })
    }
}

impl Textures for Sim {
    fn array_create(&self, form: &ArrayForm) -> Result<usize> {
        let array = self.alloc(bytes(form))? as usize;
        self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner).insert(array, *form);
        Ok(array)
    }

    unsafe fn array_destroy(&self, array: usize) -> Result<()> {
        let known = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&array);
        known.ok_or_else(|| invalid("a CUDA array"))?;
        // SAFETY: the memory is the array's, and not used again.
        unsafe { self.free(array as u64) }
    }

    unsafe fn array_copy(&self, copy: &ArrayCopy, stream: StreamHandle) -> Result<()> {
        let form = self.array(copy.array)?;
        let ([x, y, z], [bytes, rows, slices]) = (copy.origin, copy.extent);
        let (pitch, height) = (pitch(&form), form.size[1].max(1));
        // Rows that are contiguous on both sides are one copy.
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

    fn levels_create(&self, form: &ArrayForm, count: usize) -> Result<usize> {
        let forms: Vec<ArrayForm> = (0..count).map(|k| form.level(k)).collect();
        let mut end = 0;
        let offsets: Vec<usize> = forms
            .iter()
            .map(|form| {
                let offset = end;
                end += bytes(form).next_multiple_of(LEVEL_ALIGNMENT);
                offset
            })
            .collect();
        let start = self.alloc(end)? as usize;
        let handles: Vec<usize> = offsets.iter().map(|offset| start + offset).collect();
        let mut arrays = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.extend(handles.iter().copied().zip(forms));
        self.arrays.1.lock().unwrap_or_else(PoisonError::into_inner).insert(start, handles);
        Ok(start)
    }

    unsafe fn levels_destroy(&self, levels: usize) -> Result<()> {
        let handles = self.known_levels(levels)?;
        self.arrays.1.lock().unwrap_or_else(PoisonError::into_inner).remove(&levels);
        let mut arrays = self.arrays.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.retain(|handle, _| !handles.contains(handle));
        drop(arrays);
        // SAFETY: the memory is that of all levels, and not used again.
        unsafe { self.free(levels as u64) }
    }

    unsafe fn level(&self, levels: usize, level: usize) -> Result<usize> {
        self.known_levels(levels)?.get(level).copied().ok_or_else(|| invalid("a level of a mipmapped CUDA array"))
    }

    unsafe fn texture_create(&self, memory: &TextureMemory, options: &Sampling) -> Result<u64> {
        let mut smaller = Vec::new();
        let image = match *memory {
            TextureMemory::Array(array) => self.image(array)?,
            TextureMemory::Levels(levels) => {
                for array in self.known_levels(levels)?.into_iter().skip(1) {
                    smaller.push(self.image(array)?);
                }
                self.image(levels)?
            }
            TextureMemory::Linear { addr, texels: of, bytes } => {
                let size = [(bytes / of.bytes()) as u32, 0, 0];
                Image { addr, texels: texels(of), size, layered: false, cube: false, pitch: bytes as u64, linear: true }
            }
            TextureMemory::Pitch2D { addr, texels: of, width, height, pitch } => {
                let size = [width as u32, height as u32, 0];
                Image {
                    addr,
                    texels: texels(of),
                    size,
                    layered: false,
                    cube: false,
                    pitch: pitch as u64,
                    linear: false,
                }
            }
        };
        let address = options.address.map(|mode| match mode {
            AddressMode::Wrap => Address::Wrap,
            AddressMode::Clamp => Address::Clamp,
            AddressMode::Mirror => Address::Mirror,
            AddressMode::Border => Address::Border,
        });
        let sampling = cuprum_sim::Sampling {
            address,
            linear: options.filter == FilterMode::Linear,
            normalized_float: !options.read_integers,
            normalized: options.normalized,
            srgb: options.srgb,
            border: options.border,
            levels_linear: options.level_filter == FilterMode::Linear,
            bias: options.level_bias,
            clamp: options.level_clamp,
            anisotropy: options.max_anisotropy,
        };
        Ok(self.machine.texture(image, &smaller, sampling))
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
