//! Tests of textures and surfaces that CUDA C++ does not reach, and of every check on them.

mod common;

use common::{Params, Rig};
use cuprum_sim::{Address, FaultKind, Image, Sampling, TexelKind, Texels};

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry sizes(.param .u64 t, .param .u64 s, .param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [s]; ld.param.u64 %rd3, [out];
  txq.width.b32 %r1, [%rd1]; txq.height.b32 %r2, [%rd1]; txq.depth.b32 %r3, [%rd1];
  suq.width.b32 %r4, [%rd2]; suq.height.b32 %r5, [%rd2]; suq.array_size.b32 %r6, [%rd2];
  st.global.u32 [%rd3], %r1; st.global.u32 [%rd3+4], %r2; st.global.u32 [%rd3+8], %r3;
  st.global.u32 [%rd3+12], %r4; st.global.u32 [%rd3+16], %r5; st.global.u32 [%rd3+20], %r6;
  ret;
}
.visible .entry reduce(.param .u64 s) {
  .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [s];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  sured.b.add.2d.u32.trap [%rd1, {%r2, %r2}], %r1;
  mov.u32 %r3, 4;
  sured.b.max.2d.s32.clamp [%rd1, {%r3, %r2}], %r1;
  mov.u32 %r3, -4;
  sured.b.min.2d.u32.zero [%rd1, {%r3, %r2}], %r2;
  ret;
}
.visible .entry read(.param .u64 t, .param .u64 out, .param .f32 x) {
  .reg .b64 %rd<3>; .reg .f32 %f<6>;
  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; ld.param.f32 %f1, [x];
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1, %f1}];
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry far(.param .u64 s) {
  .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [s];
  mov.u32 %r1, 64;
  suld.b.2d.b32.trap {%r2}, [%rd1, {%r1, %r1}];
  ret;
}
";

/// Levels, gradients and formatted stores.
const OTHERS: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry levels(.param .u64 t, .param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out];
  txq.num_mipmap_levels.b32 %r1, [%rd1];
  st.global.u32 [%rd2], %r1;
  ret;
}
.visible .entry steps(.param .u64 t, .param .u64 out, .param .f32 x) {
  .reg .b64 %rd<3>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; ld.param.f32 %f1, [x];
  mov.f32 %f6, 0f00000000;
  tex.grad.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f6, %f6}], {%f1, %f6}, {%f6, %f1};
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry round_about(.param .u64 t, .param .u64 out, .param .f32 x) {
  .reg .b64 %rd<3>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; ld.param.f32 %f1, [x];
  mov.f32 %f6, 0f3e800000;
  tex.cube.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1, %f6, %f6, %f6}];
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry format(.param .u64 s, .param .u32 x) {
  .reg .b64 %rd<2>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [s]; ld.param.u32 %r1, [x];
  mov.u32 %r2, 1;
  sust.p.2d.v2.b32.trap [%rd1, {%r2, %r2}], {%r1, %r2};
  ret;
}
";

const FLOAT: Texels = Texels { kind: TexelKind::Float, bits: 32, channels: 1 };

fn image(rig: &Rig, size: [u32; 3], layered: bool) -> Image {
    let count = size.iter().map(|&n| n.max(1) as usize).product();
    let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let addr = rig.upload(&values);
    Image { addr, texels: FLOAT, size, layered, cube: false, pitch: u64::from(size[0]) * 4, linear: false }
}

fn sampling() -> Sampling {
    Sampling {
        address: [Address::Clamp; 3],
        linear: false,
        normalized_float: false,
        normalized: false,
        srgb: false,
        border: [0.0; 4],
        levels_linear: false,
        bias: 0.0,
        clamp: [0.0, 16.0],
        anisotropy: 0,
    }
}

#[test]
fn textures_and_surfaces_tell_their_sizes() {
    let rig = Rig::new(PTX);
    let texture = rig.machine.texture(image(&rig, [8, 4, 2], false), &[], sampling());
    let surface = rig.machine.surface(image(&rig, [16, 3, 5], true));
    let out = rig.empty::<u32>(6);
    rig.launch("sizes", 1, 1, Params::default().with(texture).with(surface).with(out)).unwrap();
    assert_eq!(rig.download::<u32>(out, 6), [8, 4, 2, 16, 3, 5]);
}

#[test]
fn threads_reduce_into_a_surface() {
    let rig = Rig::new(PTX);
    let of = Image { texels: Texels { kind: TexelKind::Unsigned, ..FLOAT }, ..image(&rig, [2, 1, 0], false) };
    rig.machine.write(of.addr, &[0; 8]).unwrap();
    let surface = rig.machine.surface(of);
    rig.launch("reduce", 2, 64, Params::default().with(surface)).unwrap();
    assert_eq!(rig.download::<u32>(of.addr, 2), [2 * (63 * 64 / 2), 63]);
}

#[test]
fn wrong_uses_are_faults_that_say_what_they_are() {
    let rig = Rig::new(PTX);
    let flat = image(&rig, [4, 4, 0], false);
    let (texture, surface) = (rig.machine.texture(flat, &[], sampling()), rig.machine.surface(flat));
    let deep = rig.machine.texture(image(&rig, [4, 4, 4], false), &[], sampling());
    let out = rig.empty::<f32>(1);
    let read = |handle: u64| rig.launch("read", 1, 1, Params::default().with(handle).with(out).with(1.5f32));
    read(texture).unwrap();
    assert_eq!(rig.download::<f32>(out, 1), [5.0]);
    for (handle, kind, words) in [
        (deep, FaultKind::BadOperand, "a 3-D texture is used as a 2-D one"),
        (surface, FaultKind::BadOperand, "a surface is read as a texture"),
        (999, FaultKind::BadOperand, "no texture and no surface"),
    ] {
        let fault = read(handle).unwrap_err();
        assert!(fault.kind() == kind && fault.to_string().contains(words), "{fault}");
    }
    let far = |handle: u64| rig.launch("far", 1, 1, Params::default().with(handle)).unwrap_err();
    let fault = far(surface);
    assert!(fault.kind() == FaultKind::OutOfBounds && fault.to_string().contains("byte 64 of a surface"), "{fault}");
    assert!(far(texture).to_string().contains("a texture is used as a surface"));
    assert!(rig.machine.forget_image(texture) && !rig.machine.forget_image(texture));
    assert!(read(texture).unwrap_err().to_string().contains("or one that was destroyed"));
}

#[test]
fn freed_and_unwritten_memory_is_noticed_through_a_texture() {
    let rig = Rig::new(PTX);
    let unwritten = Image { addr: rig.empty::<f32>(16), ..image(&rig, [4, 4, 0], false) };
    let texture = rig.machine.texture(unwritten, &[], sampling());
    let out = rig.empty::<f32>(1);
    // Reading uninitialised memory is no fault; depending on it is.
    rig.launch("read", 1, 1, Params::default().with(texture).with(out).with(0.5f32)).unwrap();
    assert_eq!(rig.machine.read(out, &mut [0; 4]).unwrap_err().kind(), FaultKind::Unwritten);
    rig.machine.free(unwritten.addr).unwrap();
    let fault = rig.launch("read", 1, 1, Params::default().with(texture).with(out).with(0.5f32)).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::UseAfterFree, "{fault}");
}

#[test]
fn gradients_choose_a_level_and_are_rejected_where_they_would_be_weighed_along_a_line() {
    let rig = Rig::new(OTHERS);
    let base = image(&rig, [4, 4, 0], false);
    let smaller = [[2, 2, 0], [1, 1, 0]].map(|size| {
        let of = image(&rig, size, false);
        let values: Vec<u8> = [100.0f32 * size[0] as f32; 4].iter().flat_map(|v| v.to_le_bytes()).collect();
        rig.machine.write(of.addr, &values[..4 * (size[0] * size[1]) as usize]).unwrap();
        of
    });
    let options = Sampling { normalized: true, ..sampling() };
    let texture = rig.machine.texture(base, &smaller, options);
    let out = rig.empty::<f32>(1);
    let count = rig.empty::<u32>(1);
    rig.launch("levels", 1, 1, Params::default().with(texture).with(count)).unwrap();
    assert_eq!(rig.download::<u32>(count, 1), [3]);
    // A step of a quarter of four texels is one texel.
    for (step, value) in [(0.0, 0.0), (0.25, 0.0), (0.5, 200.0), (-0.5, 200.0), (1.0, 100.0), (8.0, 100.0)] {
        rig.launch("steps", 1, 1, Params::default().with(texture).with(out).with(step as f32)).unwrap();
        assert_eq!(rig.download::<f32>(out, 1), [value], "{step}");
    }
    let broadcast = rig.machine.texture(base, &smaller, Sampling { anisotropy: 8, ..options });
    let fault = rig.launch("steps", 1, 1, Params::default().with(broadcast).with(out).with(0.5f32)).unwrap_err();
    assert!(fault.to_string().contains("an anisotropy of 8"), "{fault}");
}

#[test]
fn a_cube_is_read_as_one_alone() {
    let rig = Rig::new(OTHERS);
    let faces = Image { cube: true, ..image(&rig, [2, 2, 6], false) };
    let (cube, deep) = (rig.machine.texture(faces, &[], sampling()), Image { cube: false, ..faces });
    let out = rig.empty::<f32>(1);
    let read = |handle: u64, x: f32| rig.launch("round_about", 1, 1, Params::default().with(handle).with(out).with(x));
    // Of the first rows of the faces the left texel for +x, the right one for -x.
    for (x, value) in [(1.0, 0.0), (-1.0, 5.0)] {
        read(cube, x).unwrap();
        assert_eq!(rig.download::<f32>(out, 1), [value], "{x}");
    }
    let fault = read(rig.machine.texture(deep, &[], sampling()), 1.0).unwrap_err();
    assert!(fault.to_string().contains("a 3-D texture is used as a cube one"), "{fault}");
}

#[test]
fn a_formatted_store_converts_and_tells_what_does_not_fit() {
    let rig = Rig::new(OTHERS);
    let texels = Texels { kind: TexelKind::Signed, bits: 8, channels: 1 };
    let store = |of: Image, x: u32| rig.launch("format", 1, 1, Params::default().with(rig.machine.surface(of)).with(x));
    let of = Image { texels, pitch: 2, ..image(&rig, [2, 2, 0], false) };
    store(of, -3i32 as u32).unwrap();
    assert_eq!(rig.download::<i8>(of.addr + 3, 1), [-3]);
    let fault = store(of, 200).unwrap_err();
    assert!(fault.to_string().contains("200 is stored to a surface of integers of 8 bits"), "{fault}");
    // The 16-bit float nearest to one and a third.
    let float16 = Texels { kind: TexelKind::Float, bits: 16, channels: 1 };
    let of = Image { texels: float16, pitch: 4, ..image(&rig, [2, 2, 0], false) };
    store(of, (4.0f32 / 3.0).to_bits()).unwrap();
    assert_eq!(rig.download::<u16>(of.addr + 6, 1), [0x3d55]);
    // A channel that the vector lacks is uninitialised.
    let four = Texels { kind: TexelKind::Unsigned, bits: 8, channels: 4 };
    let of = Image { texels: four, pitch: 8, ..image(&rig, [2, 2, 0], false) };
    store(of, 255).unwrap();
    assert_eq!(rig.download::<u8>(of.addr + 12, 2), [255, 1]);
    assert_eq!(rig.machine.read(of.addr + 14, &mut [0]).unwrap_err().kind(), FaultKind::Unwritten);
}
