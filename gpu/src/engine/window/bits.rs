//! Binary erosion of packed bits.
//!
//! Few erosions of an image of bytes are one launch. Otherwise the image is packed once, eroded as bits as often as requested, and unpacked by the
//! last erosion.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Size, Width, Written};
use cuprum_kernels::source::{BitsStep, WINDOW_BIT_AXES, WINDOW_BIT_ENTRIES, WindowBits, WindowBitsParams};

use super::BorderRule;
use super::area::{Area, THREADS};
use super::bits_tile::BitsTile;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Strides, order_like};

/// Erosions between two reads of whether anything changed.
const ROUNDS: usize = 8;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowBits> = Kernels::default();
}

/// Image of bits: the shape of its elements, with three axes and the last one.
#[derive(Debug)]
pub(super) struct Image<'a> {
    /// Sizes of the axes other than the last one.
    pub(super) sizes: [usize; 3],
    /// Length of the last axis.
    pub(super) n: usize,
    /// Words of a row.
    pub(super) words: usize,
    /// The coordinates of the elements of the structure relative to the result.
    entries: Vec<u64>,
    /// The same on the device, if the parameters have no room for them.
    list: Option<Array>,
    /// The window.
    pub(super) area: &'a Area<'a>,
    /// Invert input and results.
    pub(super) invert: bool,
}

/// Returns the strides of the last axis and of the three before it.
pub(super) fn steps(a: &Array) -> (i64, [i64; 3]) {
    let (last, others) = a.strides().split_last().map_or((0, &[][..]), |(last, others)| (*last, others));
    (last, std::array::from_fn(|k| (others.len() + k).checked_sub(3).map_or(0, |d| others[d])))
}

impl Image<'_> {
    fn count(&self) -> usize {
        self.sizes.iter().product::<usize>() * self.words
    }

    /// Returns true if rows of an array are bytes in vectors of 16.
    pub(super) fn dense(&self, a: &Array) -> bool {
        let (step, others) = steps(a);
        a.dtype() == DType::Bool
            && step == 1
            && self.n.is_multiple_of(16)
            && DevicePtr::of(a).is_aligned(16)
            && others.iter().all(|step| step % 16 == 0)
    }

    fn params(&self) -> WindowBitsParams<DevicePtr<'_>> {
        let mut few = [[0; 32]; WINDOW_BIT_ENTRIES / 32];
        if let Some(some) = few.as_flattened_mut().get_mut(..self.entries.len()) {
            some.copy_from_slice(&self.entries);
        }
        WindowBitsParams {
            width: Width { wide: self.count() > u32::MAX as usize, deep: false },
            count: self.count(),
            n: self.n as i64,
            cval: self.area.cval,
            src: Read(None),
            dst: Written(None),
            bits_in: Read(None),
            bits_out: Written(None),
            mask: Read(None),
            changed: Written(None),
            entries: self.list.as_ref().map_or(Read(None), read),
            src_step: 0,
            src_steps: [0; 3],
            dst_step: 0,
            dst_steps: [0; 3],
            words: Size(self.words),
            sizes: self.sizes.map(Size),
            entry_count: self.entries.len() as u32,
            invert: self.invert,
            dense: false,
            few,
        }
    }

    fn launch(&self, step: BitsStep, like: &Array, params: &WindowBitsParams<DevicePtr<'_>>) -> Result<()> {
        let key = WindowBits { step, wide: params.width.wide };
        let device = like.device();
        let [function] = kernels(&KERNELS, device, key, ["window_bits"], || (key.name(), key.source()))?;
        let blocks = Blocks::of(self.count().div_ceil(THREADS), self.count(), "words of bits");
        // SAFETY: words and elements are read and written within the sizes of the image; beyond them is the border.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, params) }
    }

    /// Packs elements, inverted if the image is and `plain` is false.
    fn pack(&self, a: &Array, plain: bool) -> Result<Array> {
        let bits = make::empty(a.device(), &[self.count()], DType::U32)?;
        let (src_step, src_steps) = steps(a);
        let params = WindowBitsParams {
            src: read(a),
            bits_out: written(&bits),
            src_step,
            src_steps,
            invert: self.invert && !plain,
            dense: self.dense(a),
            ..self.params()
        };
        self.launch(BitsStep::Pack(a.dtype()), a, &params)?;
        Ok(bits)
    }

    fn erode(&self, from: &Array, to: &Array, mask: Option<&Array>, changed: Option<&Array>) -> Result<()> {
        let params = WindowBitsParams {
            bits_in: read(from),
            bits_out: written(to),
            mask: mask.map_or(Read(None), read),
            changed: changed.map_or(Written(None), written),
            ..self.params()
        };
        self.launch(BitsStep::Erode, from, &params)
    }

    fn erode_to(&self, from: &Array, out: &Array, mask: Option<&Array>) -> Result<()> {
        let (dst_step, dst_steps) = steps(out);
        let params = WindowBitsParams {
            bits_in: read(from),
            dst: written(out),
            mask: mask.map_or(Read(None), read),
            dst_step,
            dst_steps,
            dense: self.dense(out),
            ..self.params()
        };
        self.launch(BitsStep::Unpack(out.dtype()), from, &params)
    }
}

impl Area<'_> {
    /// Erodes a binary image a number of times, or, for 0, until nothing changes, and returns true; returns false, and does
    /// nothing, for borders that are not constant and for more axes than an image of bits has.
    pub(crate) fn erode_bits(
        &self,
        src: &Array,
        out: &Array,
        mask: Option<&Array>,
        invert: bool,
        iterations: usize,
    ) -> Result<bool> {
        one_device(src, [out])?;
        let constant = self.rules.iter().all(|rule| *rule == BorderRule::Constant);
        let near = self.shape.iter().zip(self.leads).all(|(n, lead)| *n < 1 << 14 && lead.abs() < 1 << 14);
        if !constant || !near || src.ndim() == 0 || src.ndim() > WINDOW_BIT_AXES {
            return Ok(false);
        }
        if out.size() == 0 {
            return Ok(true);
        }
        let order = order_like(src.shape(), &[src.strides()]);
        let (src, out) = (&src.permuted(&order), &out.permuted(&order));
        let axes = order.len();
        let entry =
            |at: &Strides| at.iter().rev().enumerate().fold(0, |sum, (k, c)| sum | u64::from(*c as u16) << (16 * k));
        let elements = self.elements(&order);
        let entries: Vec<u64> = elements.iter().map(|(at, _)| entry(at)).collect();
        let device = out.device();
        let list =
            (entries.len() > WINDOW_BIT_ENTRIES).then(|| make::of(device, &entries, &[entries.len()])).transpose()?;
        let n = src.shape()[axes - 1];
        let sizes = std::array::from_fn(|k| (axes + k).checked_sub(4).map_or(1, |d| src.shape()[d]));
        let image = Image { sizes, n, words: n.div_ceil(32), entries, list, area: self, invert };
        if mask.is_none()
            && let Some(tile) = BitsTile::of(&image, &elements, iterations, src, out)
        {
            tile.run(&image, src, out)?;
            return Ok(true);
        }
        let mask = mask.map(|mask| image.pack(&mask.permuted(&order), true)).transpose()?;
        let mut one = image.pack(src, false)?;
        if iterations != 1 {
            let mut two = make::empty(device, &[image.count()], DType::U32)?;
            for _ in 1..iterations {
                image.erode(&one, &two, mask.as_ref(), None)?;
                std::mem::swap(&mut one, &mut two);
            }
            if iterations == 0 {
                loop {
                    let changed = make::zeros(device, &[1], DType::U32)?;
                    for round in 1..=ROUNDS {
                        image.erode(&one, &two, mask.as_ref(), (round == ROUNDS).then_some(&changed))?;
                        std::mem::swap(&mut one, &mut two);
                    }
                    if changed.to_vec::<u32>()? == [0] {
                        break;
                    }
                }
            }
        }
        image.erode_to(&one, out, mask.as_ref())?;
        Ok(true)
    }
}
