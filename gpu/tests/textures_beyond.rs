//! Cube maps, mipmapped textures and formatted surface stores on the device of `CUPRUM_DEVICE`, compared with the
//! tables and formulas of the CUDA programming guide and the PTX manual.
//!
//! Positions, levels and texels are such that each sum is exact in any order of operations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuprum::cuda::texture::{
    AddressMode, ArrayBox, ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, MipmappedArray,
    SurfaceObject, TextureDescriptor, TextureObject, TextureResource,
};
use cuprum::cuda::{Device, graph};
use cuprum::{Argument, Array, DType, ErrorKind, RawModule, Result, zeros};
use rand::rngs::Xoshiro256PlusPlus as Dice;
use rand::{RngExt, SeedableRng};

mod texture_weights;
use texture_weights::{nearest, weights};

/// Serialises the tests: while one captures a stream, no other may synchronise the device.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kernels that fetch a float at each of `n` positions of four coordinates.
const TEXT: &str = r#"
#define AT_POINTS(NAME, CALL) extern "C" __global__ void NAME(cudaTextureObject_t t, const float4 *p, float *out, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) return; \
    float x = p[i].x, y = p[i].y, z = p[i].z, w = p[i].w; (void)z; (void)w; \
    out[i] = CALL; \
}
AT_POINTS(cube, texCubemap<float>(t, x, y, z))
AT_POINTS(cubes, texCubemapLayered<float>(t, x, y, z, (int)w))
AT_POINTS(cube_level, texCubemapLod<float>(t, x, y, z, w))
AT_POINTS(one_level, tex1DLod<float>(t, x, w))
AT_POINTS(two_level, tex2DLod<float>(t, x, y, w))
AT_POINTS(three_level, tex3DLod<float>(t, x, y, z, w))
AT_POINTS(layers_level, tex2DLayeredLod<float>(t, x, y, (int)z, w))
AT_POINTS(two_base, tex2D<float>(t, x, y))
AT_POINTS(two_along, tex2DGrad<float>(t, x, y, make_float2(w, 0.0f), make_float2(0.0f, w / 4)))
AT_POINTS(two_across, tex2DGrad<float>(t, x, y, make_float2(w / 4, 0.0f), make_float2(0.0f, w)))
"#;

fn fetch(name: &str, texture: &TextureObject, points: &[[f32; 4]]) -> Result<Vec<f32>> {
    let n = points.len();
    let at = Array::from_slice(points.as_flattened(), [4 * n])?;
    let out = zeros([n], DType::F32)?;
    let arguments = [Argument::from(texture), Argument::Array(&at), Argument::Array(&out), Argument::I32(n as i32)];
    let kernel = RawModule::compile(TEXT, &[])?.kernel(name)?;
    // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
    unsafe { kernel.launch([n.div_ceil(128) as u32, 1, 1], [128, 1, 1], &arguments) }?;
    out.to_vec::<f32>()
}

fn float() -> Result<ChannelFormat> {
    ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)
}

/// Samples small integers, and returns them with an array of them.
fn numbers(shape: &[usize], dice: &mut Dice) -> Result<(Vec<f32>, Array)> {
    let all: Vec<f32> = (0..shape.iter().product()).map(|_| dice.random_range(0..256) as f32).collect();
    let array = Array::from_slice(&all, shape)?;
    Ok((all, array))
}

/// Returns the direction of a position on a face, by inverting the guide's table.
fn direction(face: usize, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Filters a 2-D or 3-D texture at a position in units of texels, clamped at the edges.
fn sample(values: &[f32], size: [usize; 3], at: [f64; 3], filter: FilterMode) -> f64 {
    part(256, values, size, at, filter)
}

/// Filters a texture whose mipmap level has a weight of `level` 256ths.
fn part(level: u64, values: &[f32], size: [usize; 3], at: [f64; 3], filter: FilterMode) -> f64 {
    let x: [f64; 3] = std::array::from_fn(|axis| match filter {
        FilterMode::Point => at[axis].floor(),
        FilterMode::Linear => (at[axis] - 0.5).clamp(0.0, size[axis].max(1) as f64 - 1.0),
    });
    let all = weights(level, x.map(|x| nearest(x - x.floor()))).into_iter().enumerate();
    let number = |k: usize| {
        let inside = |axis: usize| {
            let i = x[axis].floor() + (k >> axis & 1) as f64;
            i.clamp(0.0, size[axis].max(1) as f64 - 1.0) as usize
        };
        f64::from(values[(inside(2) * size[1].max(1) + inside(1)) * size[0] + inside(0)])
    };
    all.map(|(k, w)| w as f64 / 256.0 * number(k)).sum()
}

#[test]
fn a_direction_meets_a_face_of_a_cube() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0xc0be);
    let n = 8;
    for layers in [0usize, 3] {
        let options = CudaArrayOptions { cubemap: true, layered: layers > 0, ..Default::default() };
        let count = 6 * layers.max(1);
        let pixels = CudaArray::new(Device::current()?, float()?, [n, n, count], options)?;
        let (values, array) = numbers(&[count, n, n], &mut dice)?;
        pixels.copy_from(&array)?;
        for filter in [FilterMode::Point, FilterMode::Linear] {
            let descriptor = TextureDescriptor {
                address_modes: [AddressMode::Clamp; 3],
                filter,
                normalized: true,
                ..Default::default()
            };
            let texture = TextureObject::new(TextureResource::Array(pixels.clone()), &descriptor)?;
            let (mut points, mut wanted) = (vec![], vec![]);
            for _ in 0..600 {
                let (face, layer) = (dice.random_range(0..6) as usize, dice.random_range(0..layers.max(1)));
                // In 16ths of a texel, at least half a texel from the edges, so that no other face contributes.
                let [u, v] = [0; 2].map(|_| f64::from(dice.random_range(8..16 * n as u32 - 8) as f32 + 0.5) / 16.0);
                let [s, t] = [u, v].map(|c| (2.0 * c / n as f64 - 1.0) as f32);
                let [x, y, z] = direction(face, s, t).map(|c| c * 4.0);
                points.push([x, y, z, layer as f32]);
                let from = (6 * layer + face) * n * n;
                wanted.push(sample(&values[from..from + n * n], [n, n, 0], [u, v, 0.5], filter) as f32);
            }
            let found = fetch(if layers > 0 { "cubes" } else { "cube" }, &texture, &points)?;
            for (k, point) in points.iter().enumerate() {
                assert_eq!(found[k], wanted[k], "{filter:?} of {layers} layers at {point:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn levels_are_chosen_and_weighed() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0x1e7e);
    let device = Device::current()?;
    let plain = CudaArrayOptions::default();
    let layered = CudaArrayOptions { layered: true, ..plain };
    let mut compared = 0;
    for (name, size, options) in [
        ("one_level", [16, 0, 0], plain),
        ("two_level", [16, 8, 0], plain),
        ("three_level", [8, 4, 4], plain),
        ("layers_level", [8, 8, 3], layered),
    ] {
        let pixels = MipmappedArray::new(device, float()?, size, 4, options)?;
        let mut levels = vec![];
        for k in 0..pixels.levels() {
            let level = pixels.level(k)?;
            let (values, array) = numbers(&level.shape(), &mut dice)?;
            level.copy_from(&array)?;
            levels.push((level.size(), values));
        }
        for (filter, level_filter, level_bias, level_clamp) in [
            (FilterMode::Point, FilterMode::Point, 0.0, None),
            (FilterMode::Linear, FilterMode::Point, 0.0, None),
            (FilterMode::Point, FilterMode::Linear, 0.0, None),
            (FilterMode::Linear, FilterMode::Linear, 0.0, None),
            (FilterMode::Point, FilterMode::Linear, -0.75, None),
            (FilterMode::Point, FilterMode::Linear, 0.0, Some([0.5, 1.25])),
        ] {
            let descriptor = TextureDescriptor {
                address_modes: [AddressMode::Clamp; 3],
                filter,
                normalized: true,
                level_filter,
                level_bias,
                level_clamp,
                ..Default::default()
            };
            let texture = TextureObject::new(TextureResource::Mipmapped(pixels.clone()), &descriptor)?;
            let (mut points, mut wanted) = (vec![], vec![]);
            for _ in 0..300 {
                let layer = dice.random_range(0..size[2].max(1));
                // In quarters of a texel of the first level, and of a level; off the midpoint of two levels, where the
                // nearest is ambiguous.
                let point: [f64; 3] = std::array::from_fn(|axis| {
                    let quarters = 4 * size[axis].max(1) as u32;
                    (f64::from(dice.random_range(0..quarters)) + 0.5) / f64::from(quarters)
                });
                let level_given = (dice.random_range(0..24) as f32 + 0.25) / 4.0 - 1.0;
                let at = point.map(|c| c as f32);
                points.push(if options.layered {
                    [at[0], at[1], layer as f32, level_given]
                } else {
                    [at[0], at[1], at[2], level_given]
                });
                let [least, most] = level_clamp.unwrap_or([0.0, 3.0]);
                let level = f64::from((level_given + level_bias).clamp(least, most));
                let of = |k: usize, weight: u64| {
                    let (size, values) = &levels[k.min(3)];
                    let mut texels: [f64; 3] = std::array::from_fn(|axis| point[axis] * size[axis].max(1) as f64);
                    if options.layered {
                        texels[2] = layer as f64 + 0.5;
                    }
                    for axis in 0..3 {
                        if size[axis] == 0 {
                            texels[axis] = 0.5;
                        }
                    }
                    part(weight, values, *size, texels, filter)
                };
                let (k, a) = match level_filter {
                    FilterMode::Point => ((level + 0.5).floor(), 0),
                    FilterMode::Linear => (level.floor(), ((level - level.floor()) * 256.0) as u64),
                };
                wanted.push((of(k as usize, 256 - a) + of(k as usize + 1, a)) as f32);
            }
            let found = fetch(name, &texture, &points)?;
            for (k, point) in points.iter().enumerate() {
                assert_eq!(found[k], wanted[k], "{name} at {point:?}, {descriptor:?}");
                compared += 1;
            }
            if name == "two_level" && level_clamp.is_none() {
                // Without a level the first one is read, unless a bias applies.
                let texels = |p: &[f32; 4]| [f64::from(p[0]) * 16.0, f64::from(p[1]) * 8.0, 0.5];
                if level_bias == 0.0 {
                    for (p, found) in points.iter().zip(fetch("two_base", &texture, &points)?) {
                        let (size, values) = &levels[0];
                        assert_eq!(f64::from(found), sample(values, *size, texels(p), filter), "{p:?}");
                    }
                }
            }
        }
    }
    assert_eq!(compared, 4 * 6 * 300);
    Ok(())
}

#[test]
fn the_longer_step_chooses_the_level() -> Result<()> {
    let _alone = alone();
    let pixels = MipmappedArray::new(Device::current()?, float()?, [16, 16, 0], 5, CudaArrayOptions::default())?;
    for k in 0..5 {
        let level = pixels.level(k)?;
        level.copy_from(&cuprum::full(level.shape(), 10.0 + k as f64, DType::F32)?)?;
    }
    let descriptor = TextureDescriptor { normalized: true, ..Default::default() };
    let texture = TextureObject::new(TextureResource::Mipmapped(pixels), &descriptor)?;
    // A texel of the first level is 1/16 wide.
    let steps: Vec<f32> = (-2..6).map(|k| 2f32.powi(k) / 16.0).collect();
    let points: Vec<[f32; 4]> = steps.iter().map(|&step| [0.3, 0.6, 0.0, step]).collect();
    for name in ["two_along", "two_across"] {
        assert_eq!(fetch(name, &texture, &points)?, [10.0, 10.0, 10.0, 11.0, 12.0, 13.0, 14.0, 14.0], "{name}");
    }
    Ok(())
}

#[test]
fn cubes_have_levels() -> Result<()> {
    let _alone = alone();
    let options = CudaArrayOptions { cubemap: true, ..Default::default() };
    let pixels = MipmappedArray::new(Device::current()?, float()?, [4, 4, 6], 3, options)?;
    for k in 0..3 {
        let level = pixels.level(k)?;
        let n = level.size()[0];
        assert_eq!(level.size(), [4 >> k, 4 >> k, 6]);
        let values: Vec<f32> = (0..6 * n * n).map(|i| (100 * k + i / (n * n)) as f32).collect();
        level.copy_from(&Array::from_slice(&values, level.shape())?)?;
    }
    let descriptor = TextureDescriptor { normalized: true, level_filter: FilterMode::Linear, ..Default::default() };
    let texture = TextureObject::new(TextureResource::Mipmapped(pixels), &descriptor)?;
    for face in 0..6 {
        let [x, y, z] = direction(face, 0.2, -0.3);
        let points = [0.0, 0.5, 1.25, 2.0].map(|level| [x, y, z, level]);
        let wanted = [0.0, 50.0, 125.0, 200.0].map(|v| v + face as f32);
        assert_eq!(fetch("cube_level", &texture, &points)?, wanted, "{face}");
    }
    Ok(())
}

/// Formatted stores, each thread one texel.
const STORES: &str = r#"
#define STORE(NAME, VEC, ...) extern "C" __global__ void NAME(cudaSurfaceObject_t s, const int4 *v) { \
    int x = threadIdx.x, y = threadIdx.y; \
    int4 c = v[y * blockDim.x + x]; \
    asm volatile("sust.p.2d." VEC ".trap [%0, {%1, %2}], " __VA_ARGS__ : \
        : "l"(s), "r"(x), "r"(y), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w) : "memory"); \
}
STORE(one, "b32", "{%3};")
STORE(two, "v2.b32", "{%3, %4};")
STORE(four, "v4.b32", "{%3, %4, %5, %6};")
extern "C" __global__ void faces(cudaSurfaceObject_t s) {
    surfCubemapwrite<int>(100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x, s, threadIdx.x * 4, threadIdx.y, threadIdx.z);
}
"#;

#[test]
fn formatted_stores_convert_to_the_elements_of_a_surface() -> Result<()> {
    let _alone = alone();
    let mut dice = Dice::seed_from_u64(0x5057);
    let module = RawModule::compile(STORES, &[])?;
    for (kind, bits, channels, dtype) in [
        (ChannelKind::Float, 32, 1, DType::F32),
        (ChannelKind::Float, 16, 4, DType::F16),
        (ChannelKind::Unsigned, 8, 4, DType::U8),
        (ChannelKind::Signed, 8, 2, DType::I8),
        (ChannelKind::Signed, 16, 1, DType::I16),
        (ChannelKind::Unsigned, 16, 2, DType::U16),
        (ChannelKind::Signed, 32, 4, DType::I32),
    ] {
        let format = ChannelFormat::new(std::array::from_fn(|k| if k < channels { bits } else { 0 }), kind)?;
        let options = CudaArrayOptions { surface: true, ..Default::default() };
        let cells = CudaArray::new(Device::current()?, format, [8, 4, 0], options)?;
        let surface = SurfaceObject::new(cells.clone())?;
        let low = if kind == ChannelKind::Unsigned { 0 } else { -100 };
        let values: Vec<[i32; 4]> = (0..32).map(|_| std::array::from_fn(|_| low + dice.random_range(0..200))).collect();
        let words: Vec<i32> = values
            .as_flattened()
            .iter()
            .map(|&v| if kind == ChannelKind::Float { (v as f32 / 4.0).to_bits() as i32 } else { v.min(127) })
            .collect();
        let sources = Array::from_slice(&words, [128])?;
        let kernel = module.kernel(match channels {
            1 => "one",
            2 => "two",
            _ => "four",
        })?;
        // SAFETY: the arguments are those of the kernel, which stays inside the array.
        unsafe { kernel.launch([1; 3], [8, 4, 1], &[Argument::from(&surface), Argument::Array(&sources)]) }?;
        let out = zeros([4, 8, channels], dtype)?;
        cells.copy_to(&out)?;
        let wanted: Vec<f64> = words
            .chunks(4)
            .flat_map(|texel| &texel[..channels])
            .map(|&w| if kind == ChannelKind::Float { f32::from_bits(w as u32).into() } else { f64::from(w) })
            .collect();
        assert_eq!(out.astype(DType::F64)?.to_vec::<f64>()?, wanted, "{kind:?} {bits} x {channels}");
    }
    Ok(())
}

#[test]
fn faces_are_written_as_layers() -> Result<()> {
    let _alone = alone();
    let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Signed)?;
    let options = CudaArrayOptions { surface: true, cubemap: true, ..Default::default() };
    let cells = CudaArray::new(Device::current()?, format, [4, 4, 6], options)?;
    let surface = SurfaceObject::new(cells.clone())?;
    // SAFETY: the argument is that of the kernel.
    unsafe {
        RawModule::compile(STORES, &[])?.kernel("faces")?.launch([1; 3], [4, 4, 6], &[Argument::from(&surface)])
    }?;
    let out = zeros([6, 4, 4], DType::I32)?;
    cells.copy_to(&out)?;
    let wanted: Vec<i32> = (0..96).map(|i| 100 * (i / 16) + 10 * (i / 4 % 4) + i % 4).collect();
    assert_eq!(out.to_vec::<i32>()?, wanted);
    Ok(())
}

#[test]
fn a_box_is_copied_between_an_array_and_rows_of_memory() -> Result<()> {
    let _alone = alone();
    let cells = CudaArray::new(Device::current()?, float()?, [8, 4, 3], CudaArrayOptions::default())?;
    let values: Vec<f32> = (0..96).map(|i| i as f32).collect();
    cells.copy_from(&Array::from_slice(&values, [3, 4, 8])?)?;
    // Rows of 6 floats, 5 of them a slice, of which a box of 3 x 2 x 2 is copied.
    let memory = Array::from_slice(&[-1f32; 60], [2, 5, 6])?;
    let part = ArrayBox { origin: [8, 1, 1], extent: [12, 2, 2], addr: memory.pointer(), pitch: 24, rows: 5 };
    // SAFETY: the rows are in the array, which nothing else uses.
    unsafe { cells.copy_box(&part, false) }?;
    let found = memory.to_vec::<f32>()?;
    for (i, found) in found.iter().enumerate() {
        let (z, y, x) = (i / 30, i / 6 % 5, i % 6);
        let inside = x < 3 && y < 2;
        let wanted = if inside { ((z + 1) * 32 + (y + 1) * 8 + x + 2) as f32 } else { -1.0 };
        assert_eq!(*found, wanted, "{z}, {y}, {x}");
    }
    memory.fill(7.0)?;
    // SAFETY: as above.
    unsafe { cells.copy_box(&part, true) }?;
    let out = zeros([3, 4, 8], DType::F32)?;
    cells.copy_to(&out)?;
    for (i, found) in out.to_vec::<f32>()?.iter().enumerate() {
        let (z, y, x) = (i / 32, i / 8 % 4, i % 8);
        let inside = (1..3).contains(&z) && (1..3).contains(&y) && (2..5).contains(&x);
        assert_eq!(*found, if inside { 7.0 } else { i as f32 }, "{z}, {y}, {x}");
    }
    let beyond = ArrayBox { origin: [24, 1, 1], ..part };
    // SAFETY: nothing is copied.
    let e = unsafe { cells.copy_box(&beyond, true) }.unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("the array has (32, 4, 3)"), "{e}");
    Ok(())
}

#[test]
fn a_texture_keeps_its_levels_also_for_a_graph() -> Result<()> {
    let _alone = alone();
    let descriptor = TextureDescriptor { normalized: true, ..Default::default() };
    let out = zeros([1], DType::F32)?;
    let at = Array::from_slice(&[0.5f32, 0.5, 0.0, 1.0], [4])?;
    let kernel = RawModule::compile(TEXT, &[])?.kernel("two_level")?;
    let (again, ()) = {
        let pixels = MipmappedArray::new(Device::current()?, float()?, [4, 4, 0], 2, CudaArrayOptions::default())?;
        pixels.level(1)?.copy_from(&cuprum::full([2, 2], 5.0, DType::F32)?)?;
        let texture = TextureObject::new(TextureResource::Mipmapped(pixels), &descriptor)?;
        graph::capture(|| {
            let texture = texture;
            let arguments = [Argument::from(&texture), Argument::Array(&at), Argument::Array(&out), Argument::I32(1)];
            // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
            unsafe { kernel.launch([1; 3], [32, 1, 1], &arguments) }
        })?
    };
    again.launch()?;
    assert_eq!(out.to_vec::<f32>()?, [5.0]);
    Ok(())
}

#[test]
fn what_no_cube_and_no_levels_can_be_is_rejected_with_what_to_do() -> Result<()> {
    let _alone = alone();
    let device = Device::current()?;
    let plain = CudaArrayOptions::default();
    let wrong = |e: cuprum::Error, words: &str| {
        assert!(e.kind() == ErrorKind::Value && e.message().contains(words), "{e}");
    };
    let cube = CudaArrayOptions { cubemap: true, ..plain };
    wrong(CudaArray::new(device, float()?, [4, 2, 6], cube).unwrap_err(), "as high as wide");
    wrong(CudaArray::new(device, float()?, [4, 4, 12], cube).unwrap_err(), "six of each layer");
    wrong(CudaArrayOptions::of_flags(16).unwrap_err(), "the flags are 16");
    wrong(MipmappedArray::new(device, float()?, [8, 4, 0], 5, plain).unwrap_err(), "it has one to 4");
    wrong(MipmappedArray::new(device, float()?, [8, 4, 0], 0, plain).unwrap_err(), "it has one to 4");
    let pixels = MipmappedArray::new(device, float()?, [8, 4, 0], 2, plain)?;
    wrong(pixels.level(2).unwrap_err(), "level 2 of 2");
    let resource = TextureResource::Mipmapped(pixels);
    wrong(TextureObject::new(resource.clone(), &TextureDescriptor::default()).unwrap_err(), "normalised");
    let upside_down = TextureDescriptor { normalized: true, level_clamp: Some([2.0, 1.0]), ..Default::default() };
    wrong(TextureObject::new(resource, &upside_down).unwrap_err(), "the least comes first");
    Ok(())
}
