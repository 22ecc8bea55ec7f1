//! What no text of CUDA C++ reaches of textures and surfaces, and every check on them.

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

const FLOAT: Texels = Texels { kind: TexelKind::Float, bits: 32, channels: 1 };

fn image(rig: &Rig, size: [u32; 3], layered: bool) -> Image {
    let count = size.iter().map(|&n| n.max(1) as usize).product();
    let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let addr = rig.upload(&values);
    Image { addr, texels: FLOAT, size, layered, pitch: u64::from(size[0]) * 4, linear: false }
}

fn sampling() -> Sampling {
    Sampling {
        address: [Address::Clamp; 3],
        linear: false,
        normalized_float: false,
        normalized: false,
        srgb: false,
        border: [0.0; 4],
    }
}

#[test]
fn textures_and_surfaces_tell_their_sizes() {
    let rig = Rig::new(PTX);
    let texture = rig.machine.texture(image(&rig, [8, 4, 2], false), sampling());
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
    let (texture, surface) = (rig.machine.texture(flat, sampling()), rig.machine.surface(flat));
    let deep = rig.machine.texture(image(&rig, [4, 4, 4], false), sampling());
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
    let texture = rig.machine.texture(unwritten, sampling());
    let out = rig.empty::<f32>(1);
    // To read what nobody wrote is no fault; to look at it is.
    rig.launch("read", 1, 1, Params::default().with(texture).with(out).with(0.5f32)).unwrap();
    assert_eq!(rig.machine.read(out, &mut [0; 4]).unwrap_err().kind(), FaultKind::Unwritten);
    rig.machine.free(unwritten.addr).unwrap();
    let fault = rig.launch("read", 1, 1, Params::default().with(texture).with(out).with(0.5f32)).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::UseAfterFree, "{fault}");
}
