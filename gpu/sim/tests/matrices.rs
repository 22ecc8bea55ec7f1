//! Tests of matrix instructions against explicit products. All numbers are small integers, for which every order of
//! summation gives the same.

mod common;

use std::fmt::Write as _;

use common::{Params, Rig};
use cuprum_sim::FaultKind;

/// Returns a kernel with four pointers, with the thread's index in `%t`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
         .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{
           .reg .pred %p<4>; .reg .b32 %r<40>, %t, %l; .reg .b64 %a, %b, %c, %d, %x<8>, %w<8>;
           .shared .align 16 .b8 tile[1024];
           ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc]; ld.param.u64 %d, [pd];
           mov.u32 %t, %tid.x;
           {body}
           ret;
         }}"
    )
}

/// Returns a pseudo-random small integer for a row and a column of a matrix.
fn small(seed: u32, r: usize, c: usize, low: i64, high: i64) -> i64 {
    let mixed = (seed ^ (r as u32 * 0x9e37) ^ (c as u32 * 0x85eb)).wrapping_mul(0x9e37_79b9) >> 9;
    low + i64::from(mixed) % (high - low + 1)
}

/// Packs a small integer in a type of elements.
fn pack(ty: &str, x: i64) -> u64 {
    match ty {
        "f16" => {
            // Integers up to 2048 are exact: sign, exponent and fraction of a float32, narrowed.
            let bits = (x as f32).to_bits();
            let (sign, exponent) = (bits >> 16 & 0x8000, (bits >> 23 & 0xff) as i32 - 127 + 15);
            u64::from(if x == 0 { 0 } else { sign | (exponent as u32) << 10 | bits >> 13 & 0x3ff })
        }
        "bf16" => u64::from((x as f32).to_bits() >> 16),
        // The low 13 bits are ignored.
        "tf32" => u64::from((x as f32).to_bits() | 0x1fff & (x as u32).wrapping_mul(77)),
        "f32" => u64::from((x as f32).to_bits()),
        "f64" => (x as f64).to_bits(),
        "s8" | "u8" => u64::from(x as u8),
        "s4" | "u4" => x as u64 & 15,
        "b1" => x as u64 & 1,
        _ => u64::from(x as u32),
    }
}

fn bits(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 16,
        "f64" => 64,
        "s8" | "u8" => 8,
        "s4" | "u4" => 4,
        "b1" => 1,
        _ => 32,
    }
}

fn range(ty: &str) -> (i64, i64) {
    match ty {
        "u8" => (0, 255),
        "s8" => (-128, 127),
        "u4" => (0, 15),
        "s4" => (-8, 7),
        "b1" => (0, 1),
        _ => (-8, 8),
    }
}

/// Returns the row and column of element `i` of a lane of `mma` in the PTX ISA.
fn position(shape: [usize; 3], part: char, ty: &str, lane: usize, i: usize) -> (usize, usize) {
    let (group, four) = (lane >> 2, lane % 4);
    let wide = 32 / bits(ty).min(32);
    match (part, shape) {
        ('c', [8, ..]) => (group, four * 2 + i),
        ('c', _) => (if i < 2 { group } else { group + 8 }, four * 2 + (i & 1)),
        // Types of 8 rows have one register.
        ('a', [8, ..]) => (group, four * wide + i),
        ('b', [8, ..]) => (four * wide + i, group),
        ('a', _) => {
            let first = i < wide || (2 * wide..3 * wide).contains(&i);
            let k = four * wide + i % wide;
            (if first { group } else { group + 8 }, if i < 2 * wide { k } else { k + 4 * wide })
        }
        _ => (if i < wide { four * wide + i } else { four * wide + i % wide + 4 * wide }, group),
    }
}

/// Returns the registers of all lanes that hold a matrix, as words.
fn fragment(shape: [usize; 3], part: char, ty: &str, of: impl Fn(usize, usize) -> i64) -> Vec<Vec<u64>> {
    let [m, n, k] = shape;
    let elements = match part {
        'a' => m * k,
        'b' => k * n,
        _ => m * n,
    } / 32;
    let packed = if ty == "f64" { 1 } else { 32 / bits(ty) };
    let word = |lane: usize, register: usize| {
        (0..packed).fold(0, |word, i| {
            let (r, c) = position(shape, part, ty, lane, register * packed + i);
            word | pack(ty, of(r, c)) << (i * bits(ty) % 64)
        })
    };
    (0..32).map(|lane| (0..elements / packed).map(|register| word(lane, register)).collect()).collect()
}

fn upload(rig: &Rig, words: &[Vec<u64>], wide: bool) -> u64 {
    if wide {
        return rig.upload(&words.concat());
    }
    rig.upload(&words.concat().iter().map(|&w| w as u32).collect::<Vec<_>>())
}

/// Runs one `mma` on matrices of small integers, and compares its result with the explicit product.
fn product(shape: [usize; 3], [td, ta, tb, tc]: [&str; 4], opcode: &str, binary: Option<&str>) {
    let [_, n, k] = shape;
    let seed = opcode.len() as u32;
    let of = |part: u32, ty: &'static str| {
        let (low, high) = range(ty);
        move |r: usize, c: usize| small(seed + part, r, c, low, high)
    };
    let leak = |ty: &str| -> &'static str { Box::leak(ty.to_string().into_boxed_str()) };
    let (fa, fb, fc) = (of(1, leak(ta)), of(2, leak(tb)), of(3, leak(tc)));
    let words = [fragment(shape, 'a', ta, fa), fragment(shape, 'b', tb, fb), fragment(shape, 'c', tc, fc)];
    let result = fragment(shape, 'c', td, |_, _| 0);
    let wide = ta == "f64";
    let (bytes, ty, register) = if wide { (8, "b64", "%x") } else { (4, "b32", "%r") };
    let mut body = String::new();
    let mut vectors = Vec::new();
    let mut next = 0;
    for (pointer, words) in ["%a", "%b", "%c"].iter().zip(&words) {
        let count = words[0].len();
        let _ = writeln!(body, "mul.wide.u32 %w0, %t, {}; add.u64 %w1, {pointer}, %w0;", bytes * count);
        let names: Vec<String> = (next..next + count).map(|i| format!("{register}{i}")).collect();
        for (i, name) in names.iter().enumerate() {
            let _ = writeln!(body, "ld.global.{ty} {name}, [%w1+{}];", i * bytes);
        }
        vectors.push(format!("{{{}}}", names.join(", ")));
        next += count;
    }
    let count = result[0].len();
    let names: Vec<String> = (next..next + count).map(|i| format!("{register}{i}")).collect();
    let _ = writeln!(body, "{opcode} {{{}}}, {};", names.join(", "), vectors.join(", "));
    let _ = writeln!(body, "mul.wide.u32 %w0, %t, {}; add.u64 %w1, %d, %w0;", bytes * count);
    for (i, name) in names.iter().enumerate() {
        let _ = writeln!(body, "st.global.{ty} [%w1+{}], {name};", i * bytes);
    }
    let rig = Rig::new(&kernel(&body));
    let [a, b, c] = words.each_ref().map(|w| upload(&rig, w, wide));
    let d = rig.empty::<u8>(32 * count * bytes);
    rig.launch("k", 1, 32, Params::default().with(a).with(b).with(c).with(d))
        .unwrap_or_else(|e| panic!("{opcode}: {e}"));
    let sum = |r: usize, c: usize| -> i64 {
        let one = |i: usize| match binary {
            Some("and") => fa(r, i) & fb(i, c),
            Some(_) => fa(r, i) ^ fb(i, c),
            None => fa(r, i) * fb(i, c),
        };
        (0..k).map(one).sum::<i64>() + fc(r, c)
    };
    let wanted: Vec<u64> = fragment(shape, 'c', td, sum).concat();
    let got: Vec<u64> = if wide {
        rig.download(d, 32 * count)
    } else {
        rig.download::<u32>(d, 32 * count).into_iter().map(u64::from).collect()
    };
    assert_eq!(got, wanted, "{opcode} of {n} columns");
}

#[test]
fn products_are_those_that_are_written_out() {
    let floats = [
        ([16, 8, 8], "f16", "f16"),
        ([16, 8, 8], "f32", "f16"),
        ([16, 8, 16], "f16", "f16"),
        ([16, 8, 16], "f32", "f16"),
        ([16, 8, 8], "f32", "bf16"),
        ([16, 8, 16], "f32", "bf16"),
        ([16, 8, 4], "f32", "tf32"),
        ([16, 8, 8], "f32", "tf32"),
        ([8, 8, 4], "f64", "f64"),
    ];
    for (shape @ [m, n, k], sum, factor) in floats {
        let opcode = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.{sum}.{factor}.{factor}.{sum}");
        product(shape, [sum, factor, factor, sum], &opcode, None);
    }
    for (shapes, types) in
        [([[8, 8, 16], [16, 8, 16], [16, 8, 32]], ["s8", "u8"]), ([[8, 8, 32], [16, 8, 32], [16, 8, 64]], ["s4", "u4"])]
    {
        for shape @ [m, n, k] in shapes {
            for a in types {
                for b in types {
                    let opcode = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.satfinite.s32.{a}.{b}.s32");
                    product(shape, ["s32", a, b, "s32"], &opcode, None);
                }
            }
        }
    }
    for shape @ [m, n, k] in [[8, 8, 128], [16, 8, 128], [16, 8, 256]] {
        for op in ["and", "xor"] {
            let opcode = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.s32.b1.b1.s32.{op}.popc");
            product(shape, ["s32", "b1", "b1", "s32"], &opcode, Some(op));
        }
    }
}

/// Returns the row and column of element `i` of a lane of `mma.m8n8k4` of float16, for the product `quad`, in the PTX
/// ISA.
fn position_of_quad(part: char, along: bool, lane: usize, i: usize) -> (usize, usize) {
    let low = lane < 16;
    let four = lane % 4 + if low { 0 } else { 4 };
    match (part, along) {
        ('a', true) => (four, i),
        ('a', false) => (i + if low { 0 } else { 4 }, lane % 4),
        ('b', true) => (i, four),
        ('b', false) => (lane % 4, i + if low { 0 } else { 4 }),
        _ => ((lane & 1) + (i & 2) + if low { 0 } else { 4 }, (i & 4) + (lane & 2) + (i & 1)),
    }
}

#[test]
fn four_products_of_eight_rows() {
    for (left, right) in [(true, true), (true, false), (false, true), (false, false)] {
        let of = |part: usize| move |quad: usize, r: usize, c: usize| small((17 * quad + part) as u32, r, c, -8, 8);
        let (fa, fb) = (of(1), of(2));
        let words = |part: char, along: bool, f: &dyn Fn(usize, usize, usize) -> i64| -> Vec<u32> {
            let one = |lane: usize, i: usize| {
                let (r, c) = position_of_quad(part, along, lane, i);
                pack("f16", f(lane % 16 / 4, r, c)) as u32
            };
            (0..32).flat_map(|l| [one(l, 0) | one(l, 1) << 16, one(l, 2) | one(l, 3) << 16]).collect()
        };
        let layout = |along: bool, names: [&'static str; 2]| names[usize::from(!along)];
        let opcode = format!(
            "mma.sync.aligned.m8n8k4.{}.{}.f32.f16.f16.f32",
            layout(left, ["row", "col"]),
            layout(right, ["col", "row"])
        );
        let registers: Vec<String> = (8..16).map(|i| format!("%r{i}")).collect();
        let mut body = format!(
            "mul.wide.u32 %w0, %t, 8; add.u64 %w1, %a, %w0; add.u64 %w2, %b, %w0;
             ld.global.v2.b32 {{%r0, %r1}}, [%w1]; ld.global.v2.b32 {{%r2, %r3}}, [%w2];
             {opcode} {{{}}}, {{%r0, %r1}}, {{%r2, %r3}}, {{0, 0, 0, 0, 0, 0, 0, 0}};
             mul.wide.u32 %w0, %t, 32; add.u64 %w1, %d, %w0;\n",
            registers.join(", ")
        );
        for (i, r) in registers.iter().enumerate() {
            let _ = writeln!(body, "st.global.b32 [%w1+{}], {r};", 4 * i);
        }
        let rig = Rig::new(&kernel(&body));
        let (a, b) = (rig.upload(&words('a', left, &fa)), rig.upload(&words('b', right, &fb)));
        let d = rig.empty::<f32>(256);
        rig.launch("k", 1, 32, Params::default().with(a).with(b).with(0u64).with(d)).unwrap();
        let got = rig.download::<f32>(d, 256);
        for lane in 0..32 {
            for i in 0..8 {
                let (r, c) = position_of_quad('c', true, lane, i);
                let quad = lane % 16 / 4;
                let sum: i64 = (0..4).map(|k| fa(quad, r, k) * fb(quad, k, c)).sum();
                assert_eq!(got[lane * 8 + i], sum as f32, "{opcode}, lane {lane}, element {i}");
            }
        }
    }
}

/// Returns the bytes of a matrix in memory.
fn matrix(
    ty: &str,
    rows: usize,
    columns: usize,
    columns_first: bool,
    stride: usize,
    of: impl Fn(usize, usize) -> i64,
) -> Vec<u8> {
    let slow = if columns_first { columns } else { rows };
    let mut bytes = vec![0u8; (slow * stride * bits(ty)).div_ceil(8)];
    for r in 0..rows {
        for c in 0..columns {
            let at = if columns_first { c * stride + r } else { r * stride + c } * bits(ty);
            let value = pack(ty, of(r, c));
            for bit in 0..bits(ty) {
                bytes[(at + bit) / 8] |= ((value >> bit & 1) as u8) << ((at + bit) % 8);
            }
        }
    }
    bytes
}

#[test]
fn tiles_are_loaded_multiplied_and_stored() {
    let all = [
        ([16, 16, 16], "f16", "f32"),
        ([32, 8, 16], "f16", "f16"),
        ([8, 32, 16], "f16", "f32"),
        ([16, 16, 16], "bf16", "f32"),
        ([32, 8, 16], "bf16", "f32"),
        ([16, 16, 8], "tf32", "f32"),
        ([8, 8, 4], "f64", "f64"),
        ([16, 16, 16], "s8", "s32"),
        ([32, 8, 16], "u8", "s32"),
        ([8, 32, 16], "s8", "s32"),
        ([8, 8, 32], "s4", "s32"),
        ([8, 8, 32], "u4", "s32"),
        ([8, 8, 128], "b1", "s32"),
    ];
    for (shape @ [m, n, k], ty, sum) in all {
        for transposed in [false, true] {
            // Types of less than a byte have one layout.
            let (left, right) = if bits(ty) < 8 { (false, true) } else { (transposed, !transposed) };
            let word = |columns_first: bool| if columns_first { "col" } else { "row" };
            let (wide, f64s) = (ty == "f64", ty == "f64");
            let registers = |part: char, ty: &str| match part {
                _ if f64s => {
                    if part == 'c' {
                        2
                    } else {
                        1
                    }
                }
                'c' => m * n / 32 * bits(ty) / 32,
                _ if ty == "f16" => 8,
                'a' => (m * k / 32 * bits(ty)).div_ceil(32),
                _ => (k * n / 32 * bits(ty)).div_ceil(32),
            };
            let name = |first: usize, count: usize| {
                let names: Vec<String> =
                    (first..first + count).map(|i| format!("{}{i}", if wide { "%x" } else { "%r" })).collect();
                format!("{{{}}}", names.join(", "))
            };
            let (na, nb, nc) = (registers('a', ty), registers('b', ty), registers('c', sum));
            let (a, b, c, d) = (name(0, na), name(na, nb), name(na + nb, nc), name(na + nb, nc));
            let shaped = format!("m{m}n{n}k{k}");
            let extra = if bits(ty) < 8 { 0 } else { 16 / bits(ty).min(16) * 8 };
            let length =
                |columns_first: bool, rows: usize, columns: usize| if columns_first { rows } else { columns } + extra;
            let (sa, sb, sc) = (length(left, m, k), length(right, k, n), length(false, m, n));
            let op = match ty {
                "f16" => format!("wmma.mma.sync.aligned.{}.{}.{shaped}.{sum}.{sum}", word(left), word(right)),
                "b1" => format!("wmma.mma.xor.popc.sync.aligned.row.col.{shaped}.s32.b1.b1.s32"),
                _ => format!("wmma.mma.sync.aligned.{}.{}.{shaped}.{sum}.{ty}.{ty}.{sum}", word(left), word(right)),
            };
            let body = format!(
                "wmma.load.a.sync.aligned.{}.{shaped}.global.{ty} {a}, [%a], {sa};
                 wmma.load.b.sync.aligned.{}.{shaped}.{ty} {b}, [%b], {sb};
                 wmma.load.c.sync.aligned.row.{shaped}.global.{sum} {c}, [%c], {sc};
                 {op} {d}, {a}, {b}, {c};
                 wmma.store.d.sync.aligned.col.{shaped}.global.{sum} [%d], {d}, {m};",
                word(left),
                word(right)
            );
            let (low, high) = range(ty);
            let fa = |r, c| small(1, r, c, low, high);
            let fb = |r, c| small(2, r, c, low, high);
            let fc = |r, c| small(3, r, c, -8, 8);
            let rig = Rig::new(&kernel(&body));
            let a = rig.upload(&matrix(ty, m, k, left, sa, fa));
            let b = rig.upload(&matrix(ty, k, n, right, sb, fb));
            let c = rig.upload(&matrix(sum, m, n, false, sc, fc));
            let d = rig.empty::<u8>(m * n * bits(sum) / 8);
            rig.launch("k", 1, 32, Params::default().with(a).with(b).with(c).with(d))
                .unwrap_or_else(|e| panic!("{op}: {e}"));
            let value = |r: usize, c: usize| -> i64 {
                let one = |i: usize| if ty == "b1" { fa(r, i) ^ fb(i, c) } else { fa(r, i) * fb(i, c) };
                (0..k).map(one).sum::<i64>() + fc(r, c)
            };
            let got = rig.download::<u8>(d, m * n * bits(sum) / 8);
            assert_eq!(got, matrix(sum, m, n, true, m, value), "{op} {shape:?}");
        }
    }
}

#[test]
fn rows_are_loaded_and_turned() {
    for transposed in [false, true] {
        for count in [1, 2, 4] {
            let names: Vec<String> = (0..count).map(|i| format!("%r{i}")).collect();
            let trans = if transposed { ".trans" } else { "" };
            // Each lane stores 16 bytes: the row of 8 elements whose address it holds.
            let mut body = String::from(
                "mul.lo.u32 %l, %t, 16; mov.u32 %r30, tile; add.u32 %l, %l, %r30; mul.lo.u32 %r31, %t, 8;\n",
            );
            for i in 0..4 {
                let _ = writeln!(
                    body,
                    "add.u32 %r32, %r31, {}; add.u32 %r33, %r32, 1; shl.b32 %r33, %r33, 16; or.b32 %r32, %r32, %r33;
                     st.shared.b32 [%l+{}], %r32;",
                    2 * i,
                    4 * i
                );
            }
            let _ = writeln!(
                body,
                "bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{}}}, [%l];
                 mul.wide.u32 %w0, %t, {}; add.u64 %w1, %d, %w0;",
                names.join(", "),
                4 * count
            );
            for (i, name) in names.iter().enumerate() {
                let _ = writeln!(body, "st.global.b32 [%w1+{}], {name};", 4 * i);
            }
            let rig = Rig::new(&kernel(&body));
            let d = rig.empty::<u16>(32 * 2 * count);
            rig.launch("k", 1, 32, Params::default().with(0u64).with(0u64).with(0u64).with(d)).unwrap();
            let got = rig.download::<u16>(d, 64 * count);
            for lane in 0..32 {
                for i in 0..2 * count {
                    let (matrix, r, c) = (i / 2, lane / 4, lane % 4 * 2 + i % 2);
                    let (r, c) = if transposed { (c, r) } else { (r, c) };
                    assert_eq!(
                        usize::from(got[lane * 2 * count + i]),
                        (8 * matrix + r) * 8 + c,
                        "{transposed} x{count}"
                    );
                }
            }
        }
    }
    let body = "mul.lo.u32 %r0, %t, 2; add.u32 %r1, %r0, 1; shl.b32 %r1, %r1, 16; or.b32 %r0, %r0, %r1;
         movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;
         mul.wide.u32 %w0, %t, 4; add.u64 %w1, %d, %w0; st.global.b32 [%w1], %r2;";
    let rig = Rig::new(&kernel(body));
    let d = rig.empty::<u16>(64);
    rig.launch("k", 1, 32, Params::default().with(0u64).with(0u64).with(0u64).with(d)).unwrap();
    let wanted: Vec<u16> = (0..64).map(|at| at % 8 * 8 + at / 8).collect();
    assert_eq!(rig.download::<u16>(d, 64), wanted);
}

#[test]
fn undefined_elements_spoil_their_row_or_column_alone() {
    let names = |first: usize, n: usize| (first..first + n).map(|i| format!("%r{i}")).collect::<Vec<_>>().join(", ");
    let body = format!(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {{{}}}, [%a], 16;
         wmma.load.b.sync.aligned.col.m16n16k16.global.s8 {{{}}}, [%b], 16;
         wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {{{d}}}, {{{}}}, {{{}}}, {{0, 0, 0, 0, 0, 0, 0, 0}};
         wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d], {{{d}}}, 16;",
        names(0, 2),
        names(2, 2),
        names(0, 2),
        names(2, 2),
        d = names(4, 8)
    );
    let rig = Rig::new(&kernel(&body));
    let (a, b, d) = (rig.empty::<u8>(256), rig.upload(&[1u8; 256]), rig.empty::<i32>(256));
    // All of the left matrix except its sixth row.
    rig.machine.write(a, &[1; 5 * 16]).unwrap();
    rig.machine.write(a + 6 * 16, &[1; 10 * 16]).unwrap();
    rig.launch("k", 1, 32, Params::default().with(a).with(b).with(0u64).with(d)).unwrap();
    for r in 0..16u64 {
        let mut row = [0; 64];
        let read = rig.machine.read(d + 64 * r, &mut row);
        assert_eq!(read.map_err(|e| e.kind()), if r == 5 { Err(FaultKind::Unwritten) } else { Ok(()) }, "row {r}");
    }
}

#[test]
fn part_of_a_warp_is_rejected() {
    let rig =
        Rig::new(&kernel("setp.lt.u32 %p0, %t, 16; @!%p0 bra L0; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %t; L0: "));
    let fault = rig.launch("k", 1, 32, Params::default().with(0u64).with(0u64).with(0u64).with(0u64)).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::LaneMask);
    assert!(fault.to_string().contains("movmatrix is run by all 32 threads"), "{fault}");
}
