//! Tests of single instructions, on special and random operands, against Rust's own arithmetic.

mod common;

use common::Rig;

/// Runs `body` (which computes `%d` from `%a`, `%b`, `%c`, each of 64 bits) for every triple.
fn evaluate(declare: &str, body: &str, triples: &[[u64; 3]]) -> Vec<u64> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry form(.param .u64 in, .param .u64 out, .param .u32 n)\n\
         {{\n.reg .b64 %p0, %p1, %a, %b, %c, %d, %off;\n.reg .b32 %n, %i, %bx, %bs;\n.reg .pred %end;\n{declare}\n\
         ld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\nld.param.u32 %n, [n];\nmov.u32 %bx, %ctaid.x;\n\
         mov.u32 %bs, %ntid.x;\nmov.u32 %i, %tid.x;\nmad.lo.s32 %i, %bx, %bs, %i;\nsetp.ge.u32 %end, %i, %n;\n\
         @%end bra DONE;\nmul.wide.u32 %off, %i, 24;\nadd.s64 %p0, %p0, %off;\nld.global.u64 %a, [%p0];\n\
         ld.global.u64 %b, [%p0+8];\nld.global.u64 %c, [%p0+16];\nmov.b64 %d, 0;\n{body}\nmul.wide.u32 %off, %i, 8;\n\
         add.s64 %p1, %p1, %off;\nst.global.u64 [%p1], %d;\nDONE:\nret;\n}}\n"
    );
    let rig = Rig::new(&text);
    let flat: Vec<u64> = triples.iter().flatten().copied().collect();
    let (a, d) = (rig.upload(&flat), rig.empty::<u64>(triples.len()));
    let params = common::Params::default().with(a).with(d).with(triples.len() as u32);
    let grid = triples.len().div_ceil(96) as u32;
    rig.launch("form", grid, 96, params).unwrap_or_else(|e| panic!("{body}: {e}"));
    rig.download(d, triples.len())
}

/// Runs [`evaluate`] for an instruction of up to three operands of 16, 32 or 64 bits.
fn form(opcode: &str, widths: [u32; 4], operands: usize, triples: &[[u64; 3]]) -> Vec<u64> {
    let mut declare = String::new();
    let mut body = String::new();
    let mut names = vec!["%x0".to_string()];
    declare += &format!(".reg .b{} %x0;\n", widths[0]);
    for i in 1..=operands {
        declare += &format!(".reg .b{} %x{i};\n", widths[i]);
        let from = ["%a", "%b", "%c"][i - 1];
        body += &match widths[i] {
            64 => format!("mov.b64 %x{i}, {from};\n"),
            w => format!("cvt.u{w}.u64 %x{i}, {from};\n"),
        };
        names.push(format!("%x{i}"));
    }
    body += &format!("{opcode} {};\n", names.join(", "));
    body += &match widths[0] {
        64 => "mov.b64 %d, %x0;".to_string(),
        w => format!("cvt.u64.u{w} %d, %x0;"),
    };
    evaluate(&declare, &body, triples)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

fn integers() -> Vec<[u64; 3]> {
    let special = [
        0u64,
        1,
        2,
        7,
        8,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
        u64::MAX - 1,
        0x1234_5678_9abc_def0,
    ];
    let mut all = Vec::new();
    for a in special {
        for b in special {
            all.push([a, b, a ^ b.rotate_left(7)]);
        }
    }
    let mut r = Random(42);
    all.extend((0..500).map(|_| [r.next(), r.next() >> (r.next() % 64), r.next() >> (r.next() % 64)]));
    all
}

#[track_caller]
fn check(opcode: &str, widths: [u32; 4], n: usize, triples: &[[u64; 3]], expected: impl Fn(u64, u64, u64) -> u64) {
    let got = form(opcode, widths, n, triples);
    for (&[a, b, c], d) in triples.iter().zip(got) {
        let want = expected(a, b, c);
        assert_eq!(d, want, "{opcode} {a:#x}, {b:#x}, {c:#x}: {d:#x}, not {want:#x}");
    }
}

macro_rules! integer_forms {
    ($($suffix:literal $ty:ty as $un:ty, $w:literal);+ $(;)?) => {$({
        let t = integers();
        let w = [$w; 4];
        let to = |x: $ty| x as $un as u64;
        let bin = |name: &str, f: fn($ty, $ty) -> $ty| {
            check(&format!("{name}.{}", $suffix), w, 2, &t, move |a, b, _| to(f(a as $ty, b as $ty)));
        };
        bin("add", |a, b| a.wrapping_add(b));
        bin("sub", |a, b| a.wrapping_sub(b));
        bin("mul.lo", |a, b| a.wrapping_mul(b));
        bin("min", |a, b| if a < b { a } else { b });
        bin("max", |a, b| if a > b { a } else { b });
        bin("mul.hi", |a, b| ((a as i128).wrapping_mul(b as i128) >> $w) as $ty);
        // Division by zero and of the smallest integer by -1 is not specified.
        let defined: Vec<[u64; 3]> =
            t.iter().copied().filter(|&[a, b, _]| (a as $ty).checked_div(b as $ty).is_some()).collect();
        check(concat!("div.", $suffix), w, 2, &defined, |a, b, _| to(a as $ty / b as $ty));
        check(concat!("rem.", $suffix), w, 2, &defined, |a, b, _| to(a as $ty % b as $ty));
        check(concat!("mad.lo.", $suffix), w, 3, &t, |a, b, c| {
            to((a as $ty).wrapping_mul(b as $ty).wrapping_add(c as $ty))
        });
        check(concat!("sad.", $suffix), w, 3, &t, |a, b, c| {
            let far = (a as $ty as i128 - b as $ty as i128).abs();
            (c as $un).wrapping_add(far as $un) as u64
        });
        check(concat!("shr.", $suffix), [$w, $w, 32, 32], 2, &t, |a, b, _| {
            let mut x = a as $ty;
            for _ in 0..(b as u32).min(64) {
                x >>= 1;
            }
            to(x)
        });
    })+};
}

#[test]
fn integer_arithmetic() {
    integer_forms! {
        "s16" i16 as u16, 16; "u16" u16 as u16, 16; "s32" i32 as u32, 32; "u32" u32 as u32, 32; "s64" i64 as u64, 64;
        "u64" u64 as u64, 64;
    }
}

#[test]
fn wide_products_and_carries() {
    let t = integers();
    check("mul.wide.s32", [64, 32, 32, 32], 2, &t, |a, b, _| (a as i32 as i64 * b as i32 as i64) as u64);
    check("mul.wide.u32", [64, 32, 32, 32], 2, &t, |a, b, _| a as u32 as u64 * b as u32 as u64);
    check("mul.wide.s16", [32, 16, 16, 32], 2, &t, |a, b, _| (a as i16 as i32 * b as i16 as i32) as u32 as u64);
    check("mul.wide.u16", [32, 16, 16, 32], 2, &t, |a, b, _| (a as u16 as u32 * b as u16 as u32) as u64);
    check("mad.wide.s32", [64, 32, 32, 64], 3, &t, |a, b, c| {
        ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c)
    });
    check("mul24.lo.u32", [32; 4], 2, &t, |a, b, _| ((a & 0xff_ffff) * (b & 0xff_ffff)) as u32 as u64);
    check("add.sat.s32", [32; 4], 2, &t, |a, b, _| (a as i32).saturating_add(b as i32) as u32 as u64);
    check("sub.sat.s32", [32; 4], 2, &t, |a, b, _| (a as i32).saturating_sub(b as i32) as u32 as u64);
    // (a + (b << 64)) + (c + (a << 64)), the upper half of it, by 32-bit pieces.
    let declare = ".reg .b32 %x<4>, %y<4>, %s<4>;";
    let body = "mov.b64 {%x0, %x1}, %a;\nmov.b64 {%x2, %x3}, %b;\nmov.b64 {%y0, %y1}, %c;\nmov.b64 {%y2, %y3}, %a;\n\
        OP.cc.u32 %s0, %x0, %y0;\nOPc.cc.u32 %s1, %x1, %y1;\nOPc.cc.u32 %s2, %x2, %y2;\nOPc.u32 %s3, %x3, %y3;\n\
        mov.b64 %d, {%s2, %s3};";
    let pair = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    let sums = evaluate(declare, &body.replace("OP", "add"), &t);
    let differences = evaluate(declare, &body.replace("OP", "sub"), &t);
    for ((&[a, b, c], sum), difference) in t.iter().zip(sums).zip(differences) {
        assert_eq!(sum, (pair(a, b).wrapping_add(pair(c, a)) >> 64) as u64);
        assert_eq!(difference, (pair(a, b).wrapping_sub(pair(c, a)) >> 64) as u64);
    }
    // A product of 64 by 64 bits from 32-bit multiply-adds.
    let body = "mov.b64 {%x0, %x1}, %a;\nmov.b64 {%y0, %y1}, %b;\nmul.lo.u32 %s0, %x0, %y0;\nmul.hi.u32 %s1, %x0, %y0;\n\
        mad.lo.cc.u32 %s1, %x0, %y1, %s1;\nmadc.hi.u32 %s2, %x0, %y1, 0;\nmad.lo.cc.u32 %s1, %x1, %y0, %s1;\n\
        madc.hi.cc.u32 %s2, %x1, %y0, %s2;\naddc.u32 %s3, 0, 0;\nmad.lo.cc.u32 %s2, %x1, %y1, %s2;\n\
        madc.hi.u32 %s3, %x1, %y1, %s3;\nmov.b64 %d, {%s2, %s3};";
    for (&[a, b, _], high) in t.iter().zip(evaluate(declare, body, &t)) {
        assert_eq!(high, ((u128::from(a) * u128::from(b)) >> 64) as u64, "{a:#x} * {b:#x}");
    }
}

#[test]
fn bits() {
    let t = integers();
    let w = [32; 4];
    check("and.b32", w, 2, &t, |a, b, _| a as u32 as u64 & b);
    check("or.b64", [64; 4], 2, &t, |a, b, _| a | b);
    check("xor.b16", [16; 4], 2, &t, |a, b, _| (a ^ b) & 0xffff);
    check("not.b32", w, 1, &t, |a, _, _| !a & 0xffff_ffff);
    check("cnot.b32", w, 1, &t, |a, _, _| u64::from(a as u32 == 0));
    check("popc.b64", [32, 64, 64, 64], 1, &t, |a, _, _| a.count_ones().into());
    check("clz.b32", w, 1, &t, |a, _, _| (a as u32).leading_zeros().into());
    check("clz.b64", [32, 64, 64, 64], 1, &t, |a, _, _| a.leading_zeros().into());
    check("brev.b32", w, 1, &t, |a, _, _| (a as u32).reverse_bits().into());
    check("brev.b64", [64; 4], 1, &t, |a, _, _| a.reverse_bits());
    check("bfind.u32", w, 1, &t, |a, _, _| 31u32.wrapping_sub((a as u32).leading_zeros()).into());
    check("bfind.s64", [32, 64, 64, 64], 1, &t, |a, _, _| {
        let x = if (a as i64) < 0 { !a } else { a };
        63u32.wrapping_sub(x.leading_zeros()).into()
    });
    check(
        "shl.b32",
        [32, 32, 32, 32],
        2,
        &t,
        |a, b, _| if b as u32 > 31 { 0 } else { ((a as u32) << b as u32).into() },
    );
    check("shl.b64", [64, 64, 32, 32], 2, &t, |a, b, _| if b as u32 > 63 { 0 } else { a << b as u32 });
    check("shf.l.wrap.b32", w, 3, &t, |a, b, c| ((u64::from(b as u32) << 32 | u64::from(a as u32)) << (c & 31)) >> 32);
    check("shf.r.clamp.b32", w, 3, &t, |a, b, c| {
        ((u64::from(b as u32) << 32 | u64::from(a as u32)) >> (c as u32).min(32)) & 0xffff_ffff
    });
    check("prmt.b32", w, 3, &t, |a, b, c| {
        let bytes: Vec<u8> = (a as u32).to_le_bytes().into_iter().chain((b as u32).to_le_bytes()).collect();
        let pick = |i: u32| {
            let s = c >> (4 * i);
            let byte = bytes[(s & 7) as usize];
            u64::from(if s & 8 == 0 {
                byte
            } else if byte & 0x80 != 0 {
                0xff
            } else {
                0
            }) << (8 * i)
        };
        (0..4).map(pick).sum()
    });
    // The reference of the PTX manual, bit by bit.
    check("bfe.u32", w, 3, &t, |a, b, c| field(a as u32 as u64, 32, b & 0xff, c & 0xff, false));
    check("bfe.s32", w, 3, &t, |a, b, c| field(a as u32 as u64, 32, b & 0xff, c & 0xff, true));
    // For 64 bits, a GPU uses positions and lengths whole, where the manual uses their low bytes. All from 64 on are
    // equivalent.
    let whole = |x: u64| (x & 0xffff_ffff).min(255);
    check("bfe.s64", [64, 64, 32, 32], 3, &t, |a, b, c| field(a, 64, whole(b), whole(c), true));
    check("bfe.u64", [64, 64, 32, 32], 3, &t, |a, b, c| field(a, 64, whole(b), whole(c), false));
    let body = "mov.b64 {%x, %n0}, %a;\nmov.b64 {%y, %n0}, %b;\nmov.b64 {%z, %len}, %c;\n\
        bfi.b32 %r, %x, %y, %z, %len;\ncvt.u64.u32 %d, %r;";
    for (&[a, b, c], d) in t.iter().zip(evaluate(".reg .b32 %x, %y, %z, %len, %r, %n0;", body, &t)) {
        let (pos, len) = (c & 0xff, c >> 32 & 0xff);
        let mut want = b as u32;
        for i in 0..len.min(32) {
            if pos + i < 32 {
                want = want & !(1 << (pos + i)) | ((a >> i & 1) as u32) << (pos + i);
            }
        }
        assert_eq!(d, u64::from(want), "bfi {a:#x} {b:#x} {pos} {len}");
    }
    for table in [0u8, 0x96, 0xe8, 0xca, 0x1b, 0xff] {
        let body = format!(
            "cvt.u32.u64 %x, %a;\ncvt.u32.u64 %y, %b;\ncvt.u32.u64 %z, %c;\nlop3.b32 %r, %x, %y, %z, {table};\n\
             cvt.u64.u32 %d, %r;"
        );
        for (&[a, b, c], d) in t.iter().zip(evaluate(".reg .b32 %x, %y, %z, %r;", &body, &t)) {
            let want = (0..32).fold(0u64, |m, i| {
                let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                m | u64::from(table >> index & 1) << i
            });
            assert_eq!(d, want);
        }
    }
    check("dp4a.s32.s32", w, 3, &t, |a, b, c| {
        let sum: i32 = (0..4).map(|i| i32::from((a >> (8 * i)) as i8) * i32::from((b >> (8 * i)) as i8)).sum();
        (c as i32).wrapping_add(sum) as u32 as u64
    });
    check("dp2a.hi.u32.u32", w, 3, &t, |a, b, c| {
        let part = |i: u32| ((a >> (16 * i)) as u16 as u32).wrapping_mul((b >> (16 + 8 * i)) as u8 as u32);
        (c as u32).wrapping_add(part(0)).wrapping_add(part(1)).into()
    });
}

fn field(a: u64, width: u64, pos: u64, len: u64, signed: bool) -> u64 {
    let bit = |x: u64, i: u64| x >> i & 1;
    let sign = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(width - 1)) };
    (0..width).fold(0, |d, i| d | (if i < len && pos + i < width { bit(a, pos + i) } else { sign }) << i)
}

/// Returns operands for float32 whose exponents are close enough that float64 holds sums and products exactly.
fn floats() -> Vec<[u64; 3]> {
    let special = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        1.5,
        3.0,
        1e-3,
        7.25,
        f32::EPSILON,
        1.0 + f32::EPSILON,
        65504.0,
        0.1,
        -0.3,
        1048577.0,
    ];
    let mut all = Vec::new();
    for a in special {
        for b in special {
            all.push([a, b, a + 0.5].map(|x| x.to_bits().into()));
        }
    }
    let mut r = Random(7);
    let mut one = move || u64::from((r.next() as u32 & 0x807f_ffff) | ((120 + (r.next() % 14) as u32) << 23));
    all.extend((0..2000).map(|_| [one(), one(), one()]));
    all
}

fn any_floats() -> Vec<[u64; 3]> {
    let special: Vec<u32> = vec![
        0,
        1 << 31,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x4f00_0000,
        0x3f00_0000,
        0x3fc0_0000,
        0x4020_0000,
    ];
    let mut all = Vec::new();
    for &a in &special {
        for &b in &special {
            all.push([a.into(), b.into(), u64::from(a ^ b)]);
        }
    }
    let mut r = Random(9);
    all.extend((0..1000).map(|_| [r.next() as u32 as u64, r.next() as u32 as u64, r.next() as u32 as u64]));
    all
}

fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

/// Returns the float32 rounding in a mode of a value that float64 holds exactly.
fn rounded(exact: f64, mode: &str) -> f32 {
    let near = exact as f32;
    let back = f64::from(near);
    match mode {
        "rm" if back > exact => near.next_down(),
        "rp" if back < exact => near.next_up(),
        "rz" if back.abs() > exact.abs() => {
            if exact > 0.0 {
                near.next_down()
            } else {
                near.next_up()
            }
        }
        _ => near,
    }
}

fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits().into() }
}

#[test]
fn float32_in_all_rounding_modes() {
    let t = floats();
    let w = [32; 4];
    for mode in ["rn", "rz", "rm", "rp"] {
        check(&format!("mul.{mode}.f32"), w, 2, &t, |a, b, _| bits32(rounded(f64::from(f(a)) * f64::from(f(b)), mode)));
        let sum = |x: f64, y: f64| {
            let s = x + y;
            if s == 0.0 && mode == "rm" && (x.is_sign_negative() || y.is_sign_negative()) {
                -0.0
            } else {
                rounded(s, mode)
            }
        };
        check(&format!("add.{mode}.f32"), w, 2, &t, |a, b, _| bits32(sum(f(a).into(), f(b).into())));
        check(&format!("sub.{mode}.f32"), w, 2, &t, |a, b, _| bits32(sum(f(a).into(), (-f(b)).into())));
        check(&format!("cvt.{mode}.f32.s32"), w, 1, &t, |a, _, _| bits32(rounded(f64::from(a as i32), mode)));
        let doubles: Vec<[u64; 3]> =
            t.iter().map(|&[a, b, _]| [(f64::from(f(a)) * f64::from(f(b))).to_bits(), 0, 0]).collect();
        check(&format!("cvt.{mode}.f32.f64"), [32, 64, 64, 64], 1, &doubles, |a, _, _| {
            bits32(rounded(f64::from_bits(a), mode))
        });
    }
}

#[test]
fn float32_to_nearest_on_every_kind_of_operand() {
    let t = any_floats();
    let w = [32; 4];
    check("add.f32", w, 2, &t, |a, b, _| bits32(f(a) + f(b)));
    check("sub.rn.f32", w, 2, &t, |a, b, _| bits32(f(a) - f(b)));
    check("mul.rn.f32", w, 2, &t, |a, b, _| bits32(f(a) * f(b)));
    check("div.rn.f32", w, 2, &t, |a, b, _| bits32(f(a) / f(b)));
    check("fma.rn.f32", w, 3, &t, |a, b, c| bits32(f(a).mul_add(f(b), f(c))));
    check("sqrt.rn.f32", w, 1, &t, |a, _, _| bits32(f(a).sqrt()));
    check("rcp.rn.f32", w, 1, &t, |a, _, _| bits32(1.0 / f(a)));
    let flush = |x: f32| if x.is_subnormal() { 0.0f32.copysign(x) } else { x };
    check("mul.ftz.f32", w, 2, &t, |a, b, _| bits32(flush(flush(f(a)) * flush(f(b)))));
    check("add.ftz.f32", w, 2, &t, |a, b, _| bits32(flush(flush(f(a)) + flush(f(b)))));
    check("add.sat.f32", w, 2, &t, |a, b, _| {
        let x = f(a) + f(b);
        bits32(if x.is_nan() || x <= 0.0 { 0.0 } else { x.min(1.0) })
    });
    check("min.f32", w, 2, &t, |a, b, _| {
        let (x, y) = (f(a), f(b));
        if x == 0.0 && y == 0.0 {
            return a | b;
        };
        bits32(if x.is_nan() {
            y
        } else if y.is_nan() || x < y {
            x
        } else {
            y
        })
    });
    check("max.NaN.f32", w, 2, &t, |a, b, _| {
        let (x, y) = (f(a), f(b));
        if x == 0.0 && y == 0.0 {
            return a & b;
        };
        bits32(if x.is_nan() || y.is_nan() {
            f32::NAN
        } else if x > y {
            x
        } else {
            y
        })
    });
    for (mode, round) in
        [("rni", f32::round_ties_even as fn(f32) -> f32), ("rzi", f32::trunc), ("rmi", f32::floor), ("rpi", f32::ceil)]
    {
        check(&format!("cvt.{mode}.f32.f32"), w, 1, &t, |a, _, _| bits32(round(f(a))));
        check(&format!("cvt.{mode}.s32.f32"), w, 1, &t, |a, _, _| round(f(a)) as i32 as u32 as u64);
        check(&format!("cvt.{mode}.u32.f32"), w, 1, &t, |a, _, _| round(f(a)) as u32 as u64);
        check(&format!("cvt.{mode}.s64.f32"), [64, 32, 32, 32], 1, &t, |a, _, _| {
            if f(a).is_nan() { 1 << 63 } else { round(f(a)) as i64 as u64 }
        });
    }
    for (name, test) in [
        ("eq", (|x: f32, y: f32| x == y) as fn(f32, f32) -> bool),
        ("ne", |x, y| x != y && !x.is_nan() && !y.is_nan()),
        ("lt", |x, y| x < y),
        ("ge", |x, y| x >= y),
        ("neu", |x, y| x != y),
        ("ltu", |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_lt())),
        ("geu", |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_ge())),
        ("equ", |x, y| x == y || x.is_nan() || y.is_nan()),
        ("num", |x, y| !x.is_nan() && !y.is_nan()),
        ("nan", |x, y| x.is_nan() || y.is_nan()),
        ("gtu", |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_gt())),
        ("leu", |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_le())),
    ] {
        check(&format!("set.{name}.u32.f32"), w, 2, &t, |a, b, _| if test(f(a), f(b)) { 0xffff_ffff } else { 0 });
    }
}

#[test]
fn float64() {
    let mut t = Vec::new();
    let special = [
        0u64,
        1 << 63,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0xbff8_0000_0000_0000,
        0x4330_0000_0000_0001,
    ];
    for a in special {
        for b in special {
            t.push([a, b, a ^ b]);
        }
    }
    let mut r = Random(77);
    t.extend(
        (0..1000).map(|_| [r.next(), r.next(), r.next()]).filter(|t| t.iter().all(|&x| !f64::from_bits(x).is_nan())),
    );
    let d = f64::from_bits;
    // The bits of a NaN are tested elsewhere; that the result is NaN is tested here.
    let same = |opcode: &str, n: usize, want: &dyn Fn(f64, f64, f64) -> f64| {
        for (&[a, b, c], got) in t.iter().zip(form(opcode, [64; 4], n, &t)) {
            let want = want(d(a), d(b), d(c));
            let equal = if want.is_nan() { d(got).is_nan() } else { got == want.to_bits() };
            assert!(equal, "{opcode} {:e} {:e} {:e}: {:e}, not {want:e}", d(a), d(b), d(c), d(got));
        }
    };
    same("add.rn.f64", 2, &|a, b, _| a + b);
    same("sub.f64", 2, &|a, b, _| a - b);
    same("mul.rn.f64", 2, &|a, b, _| a * b);
    same("div.rn.f64", 2, &|a, b, _| a / b);
    same("fma.rn.f64", 3, &f64::mul_add);
    same("sqrt.rn.f64", 1, &|a, _, _| a.sqrt());
    same("rcp.rn.f64", 1, &|a, _, _| 1.0 / a);
    same("abs.f64", 1, &|a, _, _| a.abs());
    same("neg.f64", 1, &|a, _, _| -a);
    same("cvt.rmi.f64.f64", 1, &|a, _, _| a.floor());
    // Integers of 50 bits: their products are exact in 128 bits.
    let mut r = Random(3);
    let small: Vec<[u64; 3]> =
        (0..1000).map(|_| [r.next(), r.next(), r.next()].map(|x| ((x as i64 >> 13) as f64).to_bits())).collect();
    for mode in ["rn", "rz", "rm", "rp"] {
        let round = |exact: i128| {
            let near = exact as f64;
            let back = near as i128;
            match mode {
                "rm" if back > exact => near.next_down(),
                "rp" if back < exact => near.next_up(),
                "rz" if back.abs() > exact.abs() => {
                    if exact > 0 {
                        near.next_down()
                    } else {
                        near.next_up()
                    }
                }
                _ => near,
            }
        };
        let exact = |opcode: String, n: usize, want: &dyn Fn(i128, i128, i128) -> i128| {
            for (&[a, b, c], got) in small.iter().zip(form(&opcode, [64; 4], n, &small)) {
                let want = round(want(d(a) as i128, d(b) as i128, d(c) as i128));
                assert_eq!(d(got), want, "{opcode} {} {} {}", d(a), d(b), d(c));
            }
        };
        exact(format!("mul.{mode}.f64"), 2, &|a, b, _| a * b);
        exact(format!("fma.{mode}.f64"), 3, &|a, b, c| a * b + c);
        for (&[a, b, _], got) in integers().iter().zip(form(&format!("cvt.{mode}.f64.s64"), [64; 4], 1, &integers())) {
            assert_eq!(d(got), round((a as i64).into()), "cvt.{mode}.f64.s64 {a:#x} {b:#x}");
        }
    }
    let nan = [[f64::NAN.to_bits(), 0, 0]];
    assert_eq!(form("cvt.rzi.s32.f64", [32, 64, 64, 64], 1, &nan), [0x8000_0000]);
    assert_eq!(form("cvt.rzi.u64.f64", [64; 4], 1, &nan), [1 << 63]);
    assert_eq!(form("cvt.rzi.s32.f32", [32; 4], 1, &[[0x7fc0_0000, 0, 0]]), [0]);
}

/// Returns the value of a 16-bit float with `fraction` bits of fraction.
fn half_value(bits: u64, fraction: u32) -> f64 {
    let exponent_bits = 15 - fraction;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let e = (bits >> fraction & ((1 << exponent_bits) - 1)) as i32;
    let m = (bits & ((1 << fraction) - 1)) as f64 / f64::from(1u32 << fraction);
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    sign * match e {
        0 => m * 2f64.powi(1 - bias),
        e if e == (1 << exponent_bits) - 1 => {
            if m == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        e => (1.0 + m) * 2f64.powi(e - bias),
    }
}

/// Returns the nearest 16-bit float, by search among all of them: ties go to the even pattern.
fn nearest_half(x: f64, all: &[(f64, u64)]) -> u64 {
    if x.is_nan() {
        return 0x7fff;
    }
    let sign = u64::from(x.is_sign_negative()) << 15;
    let x = x.abs();
    let at = all.partition_point(|(v, _)| *v < x);
    let largest = all[all.len() - 1];
    let beyond = largest.0 + (largest.0 - all[all.len() - 2].0) / 2.0;
    if x >= beyond {
        return sign | (largest.1 + 1);
    }
    let Some(&(above, up)) = all.get(at) else { return sign | largest.1 };
    let Some(&(below, down)) = at.checked_sub(1).and_then(|i| all.get(i)) else { return sign | up };
    let (to_below, to_above) = (x - below, above - x);
    let pick = if to_below < to_above || to_below == to_above && down % 2 == 0 { down } else { up };
    sign | pick
}

#[test]
fn sixteen_bit_floats() {
    let mut r = Random(5);
    for (name, fraction) in [("f16", 10), ("bf16", 7)] {
        let all: Vec<(f64, u64)> =
            (0..0x7fffu64).map(|b| (half_value(b, fraction), b)).take_while(|(v, _)| v.is_finite()).collect();
        let mut t: Vec<[u64; 3]> =
            (0..1500).map(|_| [r.next() & 0xffff, r.next() & 0xffff, r.next() & 0xffff]).collect();
        // Operands of similar size, where rounding matters.
        t.extend((0..1500).map(|_| [0; 3].map(|_: u64| (r.next() & 0x83ff) | 0x3c00)));
        let v = |x: u64| half_value(x & 0xffff, fraction);
        let w = [16; 4];
        let near = |x: f64| nearest_half(x, &all);
        // Sums and products of two are exact in float64 within this range of exponents for f16, and for bf16 where the
        // operands are close to each other.
        let close: Vec<[u64; 3]> = t
            .iter()
            .copied()
            .filter(|t| name == "f16" || t.iter().all(|&x| (1e-6..1e6).contains(&v(x).abs())))
            .collect();
        check(&format!("fma.rn.{name}"), w, 3, &close, |a, b, c| near(v(a) * v(b) + v(c)));
        check(&format!("cvt.rn.{name}.f32"), [16, 32, 32, 32], 1, &any_floats(), |a, _, _| near(f(a).into()));
        if name == "f16" {
            check("add.f16", w, 2, &close, |a, b, _| near(v(a) + v(b)));
            check("sub.rn.f16", w, 2, &close, |a, b, _| near(v(a) - v(b)));
            check("mul.rn.f16", w, 2, &close, |a, b, _| near(v(a) * v(b)));
            check("cvt.f32.f16", [32, 16, 16, 16], 1, &t, |a, _, _| bits32(v(a) as f32));
            let numbers: Vec<[u64; 3]> = t.iter().copied().filter(|t| !v(t[0]).is_nan()).collect();
            check("cvt.f64.f16", [64, 16, 16, 16], 1, &numbers, |a, _, _| v(a).to_bits());
        }
        check(&format!("neg.{name}"), w, 1, &close, |a, _, _| if v(a).is_nan() { 0x7fff } else { a ^ 0x8000 });
    }
}

#[test]
fn a_signed_result_fills_its_register() {
    let t = integers();
    check("cvt.s8.s32", [32, 32, 32, 32], 1, &t, |a, _, _| a as i8 as u32 as u64);
    check("cvt.s16.s64", [32, 64, 32, 32], 1, &t, |a, _, _| a as i16 as u32 as u64);
    check("cvt.sat.s8.s32", [32, 32, 32, 32], 1, &t, |a, _, _| (a as i32).clamp(-128, 127) as u32 as u64);
    check("cvt.sat.u16.s64", [16, 64, 32, 32], 1, &t, |a, _, _| (a as i64).clamp(0, 65535) as u64);
}

#[test]
fn packed_sixteen_bit_floats_are_two() {
    let mut r = Random(12);
    let t: Vec<[u64; 3]> =
        (0..500).map(|_| [r.next() as u32 as u64, r.next() as u32 as u64, r.next() as u32 as u64]).collect();
    for (one, two, n) in [
        ("fma.rn.f16", "fma.rn.f16x2", 3),
        ("add.f16", "add.f16x2", 2),
        ("max.f16", "max.f16x2", 2),
        ("fma.rn.bf16", "fma.rn.bf16x2", 3),
    ] {
        let low: Vec<[u64; 3]> = t.iter().map(|t| t.map(|x| x & 0xffff)).collect();
        let high: Vec<[u64; 3]> = t.iter().map(|t| t.map(|x| x >> 16)).collect();
        let (low, high) = (form(one, [16; 4], n, &low), form(one, [16; 4], n, &high));
        let both = form(two, [32; 4], n, &t);
        for i in 0..t.len() {
            assert_eq!(both[i], low[i] | high[i] << 16);
        }
    }
}
