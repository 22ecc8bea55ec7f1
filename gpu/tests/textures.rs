//! Textures and surfaces on the device of `CUPRUM_DEVICE`, compared with the formulas of the CUDA programming guide,
//! evaluated here in double precision.
//!
//! Coordinates are multiples of 256ths, sizes are powers of two and texels small integers, so that weights and sums are
//! exact in any order of operations and are compared bit for bit. At other coordinates the weights may differ by one
//! step. `cargo test -p cuprum --test textures -- --nocapture` prints how the device rounds weights.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuprum::cuda::texture::{
    AddressMode, ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, ReadMode, SurfaceObject,
    TextureDescriptor, TextureObject, TextureResource,
};
use cuprum::cuda::{Device, Stream, graph};
use cuprum::{Argument, Array, DType, ErrorKind, RawKernel, RawModule, Result, zeros};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

mod texture_weights;
use texture_weights::{nearest, weights};

/// Kernels for each geometry, which fetch four channels at each of `n` positions.
const TEXT: &str = r#"
#define AT_POINTS(NAME, T, CALL) extern "C" __global__ void NAME(cudaTextureObject_t t, const float *p, T *out, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) return; \
    float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2]; (void)y; (void)z; \
    out[i] = CALL; \
}
#define BOTH(NAME, F, ...) AT_POINTS(NAME##_f, float4, F<float4>(t, __VA_ARGS__)) AT_POINTS(NAME##_i, int4, F<int4>(t, __VA_ARGS__))
BOTH(one, tex1D, x)
BOTH(two, tex2D, x, y)
BOTH(three, tex3D, x, y, z)
BOTH(layers_one, tex1DLayered, x, (int)z)
BOTH(layers_two, tex2DLayered, x, y, (int)z)
BOTH(fetch, tex1Dfetch, (int)x)
BOTH(level, tex2DLod, x, y, 0.0f)
AT_POINTS(gradient_f, float4, tex2DGrad<float4>(t, x, y, make_float2(0.5f, 0.0f), make_float2(0.0f, 0.5f)))
AT_POINTS(gather_0, float4, tex2Dgather<float4>(t, x, y, 0))
AT_POINTS(gather_1, float4, tex2Dgather<float4>(t, x, y, 1))
"#;

/// Serialises the tests: while one captures a stream, no other may synchronise the device.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kernel(name: &str) -> Result<RawKernel> {
    RawModule::compile(TEXT, &[])?.kernel(name)
}

/// Parameters of a texture in the formulas: sizes along x, y and z, texel values, and whether z is a layer index.
struct Picture {
    size: [i64; 3],
    layered: bool,
    channels: usize,
    /// Values as a fetch returns them, in the order z, y, x, channel; the channel varies fastest.
    numbers: Vec<f64>,
    descriptor: TextureDescriptor,
}

impl Picture {
    /// Returns the effective address mode along an axis.
    fn mode(&self, axis: usize) -> AddressMode {
        match self.descriptor.address_modes[axis] {
            _ if axis == 2 && self.layered => AddressMode::Clamp,
            AddressMode::Wrap | AddressMode::Mirror if !self.descriptor.normalized => AddressMode::Clamp,
            mode => mode,
        }
    }

    /// Returns the texel value at integer coordinates, which may be out of bounds.
    fn at(&self, coordinates: [i64; 3], channel: usize) -> f64 {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let (n, i) = (self.size[axis].max(1), coordinates[axis]);
            inside[axis] = match self.mode(axis) {
                AddressMode::Border if i < 0 || i >= n => return f64::from(self.descriptor.border[channel]),
                AddressMode::Wrap => i.rem_euclid(n),
                AddressMode::Mirror if i.rem_euclid(2 * n) >= n => 2 * n - 1 - i.rem_euclid(2 * n),
                AddressMode::Mirror => i.rem_euclid(2 * n),
                _ => i.max(0).min(n - 1),
            };
        }
        let [x, y, z] = inside;
        let texel = (z * self.size[1].max(1) + y) * self.size[0] + x;
        self.numbers[texel as usize * self.channels + channel]
    }

    /// Returns the coordinate in units of texels.
    fn coordinate(&self, axis: usize, x: f64) -> f64 {
        if !self.descriptor.normalized {
            return x;
        }
        x * self.size[axis] as f64
    }

    /// Evaluates the guide's filtering formula with [`weights`]; `weight` converts a fraction to 256ths.
    fn sample(&self, p: [f32; 3], channel: usize, weight: fn(f64) -> u64) -> f64 {
        let (mut low, mut fractions) = ([0i64; 3], [0; 3]);
        for axis in 0..3 {
            if self.size[axis] == 0 {
                continue;
            }
            if axis == 2 && self.layered {
                low[2] = p[2] as i64;
                continue;
            }
            let x = self.coordinate(axis, f64::from(p[axis]));
            let point = self.descriptor.filter == FilterMode::Point;
            let mut x = if point { x.floor() } else { x - 0.5 };
            // Clamping the coordinate avoids rounding of weights beyond the edge.
            if !point && self.mode(axis) == AddressMode::Clamp {
                x = x.clamp(0.0, self.size[axis] as f64 - 1.0);
            }
            (low[axis], fractions[axis]) = (x.floor() as i64, weight(x - x.floor()));
        }
        let all = weights(256, fractions).into_iter().enumerate().filter(|(_, w)| *w > 0);
        let number = |k: usize| self.at(std::array::from_fn(|axis| low[axis] + (k >> axis & 1) as i64), channel);
        all.map(|(k, w)| w as f64 / 256.0 * number(k)).sum()
    }
}

/// Truncates a fraction to 8 bits.
fn cut(a: f64) -> u64 {
    (a * 256.0).floor() as u64
}

/// Texels of a format, and the values that a texture fetch returns for them.
struct BuiltTexture {
    format: ChannelFormat,
    array: Array,
    numbers: Vec<f64>,
    /// True if the texture returns integers.
    integers: bool,
}

fn made(
    kind: ChannelKind,
    bits: u32,
    channels: usize,
    count: usize,
    read: ReadMode,
    dice: &mut Dice,
) -> Result<BuiltTexture> {
    let format = ChannelFormat::new(std::array::from_fn(|k| if k < channels { bits } else { 0 }), kind)?;
    let n = [count * channels];
    let raw: Vec<i64> = (0..n[0])
        .map(|_| dice.random_range(0..256) as i64 - if kind == ChannelKind::Signed { 128 } else { 0 })
        .collect();
    let dtype = match (kind, bits) {
        (ChannelKind::Float, 16) => DType::F16,
        (ChannelKind::Float, _) => DType::F32,
        (ChannelKind::Unsigned, 8) => DType::U8,
        (ChannelKind::Unsigned, 16) => DType::U16,
        (ChannelKind::Unsigned, _) => DType::U32,
        (ChannelKind::Signed, 8) => DType::I8,
        (ChannelKind::Signed, 16) => DType::I16,
        (ChannelKind::Signed, _) => DType::I32,
    };
    let array = Array::from_slice(&raw, n)?.astype(dtype)?;
    let integers = kind != ChannelKind::Float && (bits == 32 || read == ReadMode::Element);
    let number = |&v: &i64| match kind {
        _ if integers || kind == ChannelKind::Float => v as f64,
        ChannelKind::Unsigned => v as f64 / ((1u64 << bits) - 1) as f64,
        _ => (v as f64 / ((1u64 << (bits - 1)) - 1) as f64).max(-1.0),
    };
    Ok(BuiltTexture { format, numbers: raw.iter().map(number).collect(), array, integers })
}

/// Returns the kernel's fetches at positions, as float64.
fn device(kernel: &RawKernel, texture: &TextureObject, points: &[[f32; 3]], integers: bool) -> Result<Vec<[f64; 4]>> {
    let n = points.len();
    let at = Array::from_slice(points.as_flattened(), [3 * n])?;
    let out = zeros([n, 4], if integers { DType::I32 } else { DType::F32 })?;
    let blocks = [n.div_ceil(128) as u32, 1, 1];
    let arguments = [Argument::from(texture), Argument::Array(&at), Argument::Array(&out), Argument::I32(n as i32)];
    // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
    unsafe { kernel.launch(blocks, [128, 1, 1], &arguments) }?;
    let out = out.astype(DType::F64)?.to_vec::<f64>()?;
    Ok(out.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect())
}

const MODES: [AddressMode; 4] = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];

/// Samples positions inside and outside, at multiples of `1 / steps` of a texel.
fn sample_points(
    size: [i64; 3],
    layered: bool,
    normalized: bool,
    steps: i64,
    count: usize,
    dice: &mut Dice,
) -> Vec<[f32; 3]> {
    let one = |axis: usize, dice: &mut Dice| {
        let n = size[axis].max(1);
        if axis == 2 && layered {
            // A layer out of bounds is clamped to the first or the last.
            return dice.random_range(0..n as u64 + 2) as f32;
        }
        let x = (dice.random_range(0..(4 * n * steps) as u64) as i64 - n * steps) as f64 / steps as f64;
        (if normalized { x / n as f64 } else { x }) as f32
    };
    (0..count).map(|_| std::array::from_fn(|axis| one(axis, dice))).collect()
}

type Format = (ChannelKind, u32, usize, ReadMode);

const FORMATS: [Format; 11] = [
    (ChannelKind::Float, 32, 1, ReadMode::Element),
    (ChannelKind::Float, 32, 4, ReadMode::Element),
    (ChannelKind::Float, 16, 2, ReadMode::Element),
    (ChannelKind::Unsigned, 8, 4, ReadMode::NormalizedFloat),
    (ChannelKind::Signed, 8, 1, ReadMode::NormalizedFloat),
    (ChannelKind::Unsigned, 16, 2, ReadMode::NormalizedFloat),
    (ChannelKind::Signed, 16, 1, ReadMode::NormalizedFloat),
    (ChannelKind::Unsigned, 8, 2, ReadMode::Element),
    (ChannelKind::Signed, 8, 4, ReadMode::Element),
    (ChannelKind::Signed, 16, 1, ReadMode::Element),
    (ChannelKind::Unsigned, 32, 1, ReadMode::NormalizedFloat),
];

/// Compares every mode of a texture of one geometry with the formulas, for each format.
fn sweep(name: &str, size: [usize; 3], layered: bool, formats: &[Format]) -> Result<usize> {
    let mut dice = Dice::seed_from_u64(0x5eed ^ size[0] as u64);
    let device_now = Device::current()?;
    let count = size.iter().map(|&n| n.max(1)).product();
    let whole = size.map(|n| n as i64);
    let mut compared = 0;
    for &(kind, bits, channels, read) in formats {
        let made = made(kind, bits, channels, count, read, &mut dice)?;
        let options = CudaArrayOptions { layered, ..Default::default() };
        let pixels = CudaArray::new(device_now, made.format, size, options)?;
        pixels.copy_from(&made.array.reshape(pixels.shape())?)?;
        let kernel = kernel(&format!("{name}_{}", if made.integers { 'i' } else { 'f' }))?;
        // Borders of integer textures, and borders outside the range of a normalised format, are not specified.
        let border = match kind {
            _ if made.integers => [0.0; 4],
            ChannelKind::Float => [5.0, 6.0, 7.0, 8.0],
            _ => [1.0, 0.0, 1.0, 0.0],
        };
        for mode in MODES {
            for (filter, normalized) in
                [FilterMode::Point, FilterMode::Linear].into_iter().flat_map(|f| [(f, false), (f, true)])
            {
                if filter == FilterMode::Linear && made.integers {
                    continue;
                }
                let descriptor = TextureDescriptor {
                    address_modes: [mode; 3],
                    filter,
                    read,
                    normalized,
                    border,
                    ..Default::default()
                };
                let texture = TextureObject::new(TextureResource::Array(pixels.clone()), &descriptor)?;
                let at = sample_points(whole, layered, normalized, 256, 300, &mut dice);
                let given = device(&kernel, &texture, &at, made.integers)?;
                let numbers = made.numbers.clone();
                let picture = Picture { size: whole, layered, channels, numbers, descriptor };
                // A quotient by 255 is not representable, and the device's order of summation is unknown.
                let exact = kind == ChannelKind::Float || made.integers;
                let off = if exact && bits == 16 && filter == FilterMode::Linear {
                    // Sums of float16 texels are rounded to float16.
                    256.0 * 2f64.powi(-12)
                } else if exact {
                    0.0
                } else if filter == FilterMode::Point {
                    2f64.powi(-22)
                } else {
                    2f64.powi(-15)
                };
                for (p, found) in at.iter().zip(&given) {
                    for channel in 0..channels {
                        let wanted = picture.sample(*p, channel, nearest);
                        assert!(
                            (found[channel] - wanted).abs() <= off,
                            "{name} {kind:?} {bits} x {channels}, {descriptor:?}, at {p:?}: {} and not {wanted}",
                            found[channel]
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    Ok(compared)
}

#[test]
fn textures_of_arrays_are_read_as_the_guide_says() -> Result<()> {
    let _alone = alone();
    let few = &FORMATS[..4];
    let compared = [
        sweep("one", [64, 0, 0], false, &FORMATS)?,
        sweep("two", [16, 8, 0], false, &FORMATS)?,
        sweep("three", [8, 4, 4], false, few)?,
        sweep("layers_one", [32, 0, 3], true, few)?,
        sweep("layers_two", [8, 8, 3], true, few)?,
        sweep("level", [16, 8, 0], false, few)?,
    ];
    println!("numbers compared: {compared:?}");
    assert!(compared.iter().all(|&n| n > 5000), "{compared:?}");
    Ok(())
}

#[test]
fn gradients_of_one_level_change_nothing() -> Result<()> {
    let _alone = alone();
    sweep("gradient", [16, 16, 0], false, &FORMATS[..1]).map(drop)
}

#[test]
fn other_coordinates_are_a_step_of_the_weights_off_at_most() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0xace);
    let size = [64, 0, 0];
    let made = made(ChannelKind::Float, 32, 1, 64, ReadMode::Element, &mut dice)?;
    let pixels = CudaArray::new(Device::current()?, made.format, size, CudaArrayOptions::default())?;
    pixels.copy_from(&made.array)?;
    let descriptor =
        TextureDescriptor { address_modes: [AddressMode::Clamp; 3], filter: FilterMode::Linear, ..Default::default() };
    let texture = TextureObject::new(TextureResource::Array(pixels), &descriptor)?;
    let picture = Picture { size: [64, 0, 0], layered: false, channels: 1, numbers: made.numbers, descriptor };
    // A fraction has sixteen bits, a weight only eight.
    let at = sample_points([64, 0, 0], false, false, 1 << 16, 4000, &mut dice);
    let given = device(&kernel("one_f")?, &texture, &at, false)?;
    let mut alike = [0; 2];
    for (p, found) in at.iter().zip(&given) {
        let wanted = [nearest, cut].map(|weight| picture.sample(*p, 0, weight));
        let step = (picture.sample(*p, 0, |_| 256) - picture.sample(*p, 0, |_| 0)).abs() / 256.0;
        assert!((found[0] - wanted[0]).abs() <= step + 1e-4, "{p:?}: {} and not {}", found[0], wanted[0]);
        (0..2).for_each(|k| alike[k] += usize::from((found[0] - wanted[k]).abs() <= 1e-4));
    }
    println!("of {} numbers {} are of weights to the nearest, {} of weights cut off", at.len(), alike[0], alike[1]);
    Ok(())
}

#[test]
fn plain_memory_is_read_by_number_and_is_zero_outside() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0xbee);
    for &(kind, bits, channels, read) in &FORMATS {
        let made = made(kind, bits, channels, 48, read, &mut dice)?;
        let descriptor = TextureDescriptor { read, border: [3.0; 4], ..Default::default() };
        let texture = TextureObject::new(TextureResource::Linear(made.array, made.format), &descriptor)?;
        let at: Vec<[f32; 3]> = (-3..60).map(|i| [i as f32, 0.0, 0.0]).collect();
        let name = if made.integers { "fetch_i" } else { "fetch_f" };
        for (p, found) in at.iter().zip(device(&kernel(name)?, &texture, &at, made.integers)?) {
            for channel in 0..channels {
                let i = usize::try_from(p[0] as i64).ok().filter(|&i| i < 48);
                let wanted = i.map_or(0.0, |i| made.numbers[i * channels + channel]);
                assert!((found[channel] - wanted).abs() <= 2f64.powi(-22), "{kind:?} {bits} at {p:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn rows_of_memory_are_a_texture() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0xcab);
    // A pitch of 24 floats, of which the texture has 16.
    let made = made(ChannelKind::Float, 32, 1, 24 * 8, ReadMode::Element, &mut dice)?;
    let descriptor = TextureDescriptor {
        address_modes: [AddressMode::Border; 3],
        filter: FilterMode::Linear,
        border: [9.0; 4],
        ..Default::default()
    };
    let resource = TextureResource::Pitch2D { array: made.array, format: made.format, width: 16, height: 8, pitch: 96 };
    let texture = TextureObject::new(resource, &descriptor)?;
    let numbers = made.numbers.chunks(24).flat_map(|row| row[..16].to_vec()).collect();
    let picture = Picture { size: [16, 8, 0], layered: false, channels: 1, numbers, descriptor };
    let at = sample_points([16, 8, 0], false, false, 256, 500, &mut dice);
    for (p, found) in at.iter().zip(device(&kernel("two_f")?, &texture, &at, false)?) {
        assert_eq!(found[0], picture.sample(*p, 0, nearest), "{p:?}");
    }
    Ok(())
}

#[test]
fn four_texels_are_gathered_against_the_clock() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0xdad);
    let made = made(ChannelKind::Float, 32, 2, 16 * 8, ReadMode::Element, &mut dice)?;
    let options = CudaArrayOptions { gather: true, ..Default::default() };
    let pixels = CudaArray::new(Device::current()?, made.format, [16, 8, 0], options)?;
    pixels.copy_from(&made.array.reshape([8, 32])?)?;
    let descriptor = TextureDescriptor { address_modes: [AddressMode::Clamp; 3], ..Default::default() };
    let texture = TextureObject::new(TextureResource::Array(pixels), &descriptor)?;
    let picture = Picture { size: [16, 8, 0], layered: false, channels: 2, numbers: made.numbers, descriptor };
    // Away from the boundaries at which the four nearest texels change.
    let at: Vec<[f32; 3]> = (0..200)
        .map(|_| [dice.random_range(0..20) as f32 - 1.75, dice.random_range(0..12) as f32 - 1.75, 0.0])
        .collect();
    for channel in 0..2 {
        let given = device(&kernel(&format!("gather_{channel}"))?, &texture, &at, false)?;
        for (p, found) in at.iter().zip(given) {
            let (i, j) = ((p[0] - 0.5).floor() as i64, (p[1] - 0.5).floor() as i64);
            let wanted = [(i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)].map(|(i, j)| picture.at([i, j, 0], channel));
            assert_eq!(found, wanted, "{p:?}");
        }
    }
    Ok(())
}

#[test]
fn bytes_of_srgb_are_given_as_light() -> Result<()> {
    let _alone = alone();
    let format = ChannelFormat::new([8, 8, 8, 8], ChannelKind::Unsigned)?;
    let raw: Vec<u8> = (0..=255).flat_map(|v| [v; 4]).collect();
    let pixels = CudaArray::new(Device::current()?, format, [256, 1, 0], CudaArrayOptions::default())?;
    pixels.copy_from(&Array::from_slice(&raw, [1, 256, 4])?)?;
    let descriptor = TextureDescriptor { read: ReadMode::NormalizedFloat, srgb: true, ..Default::default() };
    let texture = TextureObject::new(TextureResource::Array(pixels), &descriptor)?;
    let at: Vec<[f32; 3]> = (0..256).map(|i| [i as f32 + 0.5, 0.5, 0.0]).collect();
    for (i, found) in device(&kernel("two_f")?, &texture, &at, false)?.iter().enumerate() {
        let v = i as f64 / 255.0;
        let light = if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
        // The hardware's sRGB table has eight bits, the last of which may be off by one on an H200.
        let step = (light.max(1e-9).log2().floor() - 7.0).exp2();
        assert!((found[0] - light).abs() <= 1.5 * step && (found[3] - v).abs() <= 2f64.powi(-22), "{i}: {found:?}");
    }
    Ok(())
}

/// Surface kernels for each geometry: every thread moves its element by one position and doubles it.
const SURFACES: &str = r#"
extern "C" __global__ void one(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x;
    surf1Dwrite<int>(2 * surf1Dread<int>(from, x * 4), to, (x + 1) % w * 4);
}
extern "C" __global__ void two(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite<int>(2 * surf2Dread<int>(from, x * 4, y), to, (x + 1) % w * 4, y);
}
extern "C" __global__ void three(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    surf3Dwrite<int>(2 * surf3Dread<int>(from, x * 4, y, z), to, (x + 1) % w * 4, y, z);
}
extern "C" __global__ void layers_one(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, z = blockIdx.y;
    surf1DLayeredwrite<int>(2 * surf1DLayeredread<int>(from, x * 4, z), to, (x + 1) % w * 4, z);
}
extern "C" __global__ void layers_two(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    surf2DLayeredwrite<int>(2 * surf2DLayeredread<int>(from, x * 4, y, z), to, (x + 1) % w * 4, y, z);
}
extern "C" __global__ void outside(cudaSurfaceObject_t s, int *out) {
    int x = (int)threadIdx.x - 4, y = (int)threadIdx.y - 2;
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    out[2 * i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
    out[2 * i + 1] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
}
extern "C" __global__ void nowhere(cudaSurfaceObject_t s) {
    surf2Dwrite<int>(77, s, -4, 0, cudaBoundaryModeZero);
    surf2Dwrite<int>(77, s, 0, 99, cudaBoundaryModeZero);
}
extern "C" __global__ void bytes(cudaSurfaceObject_t s) {
    int x = threadIdx.x;
    uchar4 c = surf2Dread<uchar4>(s, x * 4, 0);
    surf2Dwrite<uchar4>(make_uchar4(c.w, c.z, c.y, c.x), s, x * 4, 1);
}
"#;

#[test]
fn surfaces_are_read_and_written_in_every_geometry() -> Result<()> {
    let _alone = alone();
    let module = RawModule::compile(SURFACES, &[])?;
    let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Signed)?;
    for (name, size, layered) in [
        ("one", [8, 0, 0], false),
        ("two", [8, 3, 0], false),
        ("three", [8, 3, 2], false),
        ("layers_one", [8, 0, 3], true),
        ("layers_two", [8, 3, 2], true),
    ] {
        let options = CudaArrayOptions { layered, surface: true, ..Default::default() };
        let [from, to] = [0, 1].map(|_| CudaArray::new(Device::current()?, format, size, options));
        let (from, to) = (from?, to?);
        let count: usize = size.iter().map(|&n| n.max(1)).product();
        let values: Vec<i32> = (0..count as i32).map(|i| 3 * i - 7).collect();
        from.copy_from(&Array::from_slice(&values, from.shape())?)?;
        let (a, b) = (SurfaceObject::new(from)?, SurfaceObject::new(to.clone())?);
        let grid = [size[1].max(1) as u32, size[2].max(1) as u32, 1];
        let arguments = [Argument::from(&a), Argument::from(&b), Argument::I32(8)];
        // SAFETY: the arguments are those of the kernel.
        unsafe { module.kernel(name)?.launch(grid, [8, 1, 1], &arguments) }?;
        let out = zeros(to.shape(), DType::I32)?;
        to.copy_to(&out)?;
        let wanted: Vec<i32> = values.chunks(8).flat_map(|row| (0..8).map(|x| 2 * row[(x + 7) % 8])).collect();
        assert_eq!(out.to_vec::<i32>()?, wanted, "{name}");
    }
    Ok(())
}

#[test]
fn coordinates_outside_of_a_surface_are_clamped_or_zero() -> Result<()> {
    let _alone = alone();
    let module = RawModule::compile(SURFACES, &[])?;
    let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Signed)?;
    let options = CudaArrayOptions { surface: true, ..Default::default() };
    let cells = CudaArray::new(Device::current()?, format, [8, 3, 0], options)?;
    let values: Vec<i32> = (1..=24).collect();
    cells.copy_from(&Array::from_slice(&values, [3, 8])?)?;
    let surface = SurfaceObject::new(cells.clone())?;
    let out = zeros([7, 16, 2], DType::I32)?;
    // SAFETY: the arguments are those of the kernel, which stays inside the array.
    unsafe {
        module.kernel("outside")?.launch([1; 3], [16, 7, 1], &[Argument::from(&surface), Argument::Array(&out)])
    }?;
    for (i, found) in out.to_vec::<i32>()?.chunks(2).enumerate() {
        let (x, y) = (i as i32 % 16 - 4, i as i32 / 16 - 2);
        let inside = (0..8).contains(&x) && (0..3).contains(&y);
        let clamped = values[(y.clamp(0, 2) * 8 + x.clamp(0, 7)) as usize];
        assert_eq!(found, [clamped, if inside { clamped } else { 0 }], "{x}, {y}");
    }
    // SAFETY: the argument is that of the kernel.
    unsafe { module.kernel("nowhere")?.launch([1; 3], [1; 3], &[Argument::from(&surface)]) }?;
    let left = zeros([3, 8], DType::I32)?;
    cells.copy_to(&left)?;
    assert_eq!(left.to_vec::<i32>()?, values);
    Ok(())
}

#[test]
fn elements_of_several_bytes_are_moved_as_they_are() -> Result<()> {
    let _alone = alone();
    let module = RawModule::compile(SURFACES, &[])?;
    let format = ChannelFormat::new([8, 8, 8, 8], ChannelKind::Unsigned)?;
    let options = CudaArrayOptions { surface: true, ..Default::default() };
    let cells = CudaArray::new(Device::current()?, format, [4, 2, 0], options)?;
    let values: Vec<u8> = (0..32).collect();
    cells.copy_from(&Array::from_slice(&values, [2, 16])?)?;
    let surface = SurfaceObject::new(cells.clone())?;
    // SAFETY: the argument is that of the kernel.
    unsafe { module.kernel("bytes")?.launch([1; 3], [4, 1, 1], &[Argument::from(&surface)]) }?;
    let out = zeros([2, 4, 4], DType::U8)?;
    cells.copy_to(&out)?;
    let swizzled = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
    assert_eq!(out.to_vec::<u8>()?[16..], swizzled);
    Ok(())
}

#[test]
fn copies_go_in_the_order_of_a_stream_and_into_a_graph() -> Result<()> {
    let _alone = alone();
    let device_now = Device::current()?;
    let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
    let pixels = CudaArray::new(device_now, format, [4, 0, 0], CudaArrayOptions::default())?;
    let descriptor = TextureDescriptor { address_modes: [AddressMode::Clamp; 3], ..Default::default() };
    let texture = TextureObject::new(TextureResource::Array(pixels.clone()), &descriptor)?;
    let source = Array::from_slice(&[1f32, 2.0, 3.0, 4.0], [4])?;
    let at = Array::from_slice(&[2.5f32, 0.0, 0.0], [3])?;
    let out = zeros([1, 4], DType::F32)?;
    let one = kernel("one_f")?;
    let work = || -> Result<()> {
        pixels.copy_from(&source)?;
        let arguments = [Argument::from(&texture), Argument::Array(&at), Argument::Array(&out), Argument::I32(1)];
        // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
        unsafe { one.launch([1; 3], [32, 1, 1], &arguments) }
    };
    Stream::new(device_now)?.with(work)?;
    assert_eq!(out.to_vec::<f32>()?[0], 3.0);
    let (again, ()) = graph::capture(work)?;
    source.fill(8.0)?;
    again.launch()?;
    assert_eq!(out.to_vec::<f32>()?[0], 8.0);
    Ok(())
}

#[test]
fn what_no_texture_can_be_is_rejected_with_what_to_do() -> Result<()> {
    let _alone = alone();
    let device_now = Device::current()?;
    let float = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
    let byte = ChannelFormat::new([8, 0, 0, 0], ChannelKind::Unsigned)?;
    let plain = CudaArrayOptions::default();
    let wrong = |e: cuprum::Error, words: &str| {
        assert!(e.kind() == ErrorKind::Value && e.message().contains(words), "{e}");
    };
    wrong(CudaArray::new(device_now, float, [4, 0, 2], plain).unwrap_err(), "with a depth a height");
    wrong(CudaArrayOptions::of_flags(16).unwrap_err(), "the flags are 16");
    let pixels = CudaArray::new(device_now, float, [4, 2, 0], plain)?;
    wrong(pixels.copy_from(&zeros([4, 2], DType::F32)?).unwrap_err(), "takes (2, 4) or (2, 4, 1)");
    assert_eq!(pixels.copy_from(&zeros([2, 4], DType::F64)?).unwrap_err().kind(), ErrorKind::Type);
    wrong(pixels.copy_to(&zeros([4, 2], DType::F32)?.t()).unwrap_err(), "not in C order");
    wrong(SurfaceObject::new(pixels).unwrap_err(), "CudaArrayOptions::surface");
    let bytes = zeros(1024, DType::U8)?;
    let linear = TextureDescriptor { filter: FilterMode::Linear, ..Default::default() };
    let of_bytes = TextureResource::Linear(bytes.clone(), byte);
    wrong(TextureObject::new(of_bytes, &linear).unwrap_err(), "read integers of 8 and 16 bits as normalised floats");
    let shifted = TextureResource::Linear(bytes.index(cuprum::s![16..])?, byte);
    wrong(TextureObject::new(shifted, &TextureDescriptor::default()).unwrap_err(), "bytes after a multiple of");
    let rows = TextureResource::Pitch2D { array: bytes, format: byte, width: 64, height: 20, pitch: 64 };
    wrong(TextureObject::new(rows, &TextureDescriptor::default()).unwrap_err(), "leave the 1024 bytes");
    Ok(())
}
