//! Tests that every form of the crate's table of instructions loads, and that others are rejected by name.

use cuprum_sim::{Config, Machine};

fn load(statement: &str) -> Result<(), String> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<5>;\n\
         .reg .b16 %h<5>;\n.reg .b32 %r<9>;\n.reg .b64 %d<5>;\n.reg .f32 %f<5>;\n.reg .f64 %e<5>;\n\
         .local .align 8 .b8 depot[64];\n.shared .align 8 .b8 tile[64];\nL0:\n{statement}\nret;\n}}\n"
    );
    Machine::new(Config::default()).load(&text).map(|_| ()).map_err(|e| e.to_string())
}

/// Formats `opcode` with registers of the widths named by letters: p, h (16), r (32), d (64), f, e.
fn statement(opcode: &str, letters: &str) -> String {
    let operands: Vec<String> = letters.chars().enumerate().map(|(i, c)| format!("%{c}{i}")).collect();
    format!("{opcode} {};", operands.join(", "))
}

#[test]
fn listed_forms_load() {
    let mut forms: Vec<(String, &str)> = Vec::new();
    let widths = [("s16", "h"), ("u16", "h"), ("s32", "r"), ("u32", "r"), ("s64", "d"), ("u64", "d")];
    let repeat = |l: &str, n: usize| -> &'static str {
        match (l, n) {
            ("h", 2) => "hh",
            ("h", 3) => "hhh",
            ("h", 4) => "hhhh",
            ("r", 2) => "rr",
            ("r", 3) => "rrr",
            ("r", 4) => "rrrr",
            ("d", 2) => "dd",
            ("d", 3) => "ddd",
            ("d", 4) => "dddd",
            ("f", 2) => "ff",
            ("f", 3) => "fff",
            ("f", 4) => "ffff",
            ("e", 2) => "ee",
            ("e", 3) => "eee",
            _ => "eeee",
        }
    };
    for (ty, l) in widths {
        for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"] {
            forms.push((format!("{op}.{ty}"), repeat(l, 3)));
        }
        forms.push((format!("mad.lo.{ty}"), repeat(l, 4)));
        forms.push((format!("sad.{ty}"), repeat(l, 4)));
        if ty.starts_with('s') {
            forms.push((format!("abs.{ty}"), repeat(l, 2)));
            forms.push((format!("neg.{ty}"), repeat(l, 2)));
        }
        if l != "h" {
            for op in ["add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"] {
                forms.push((format!("{op}.{ty}"), repeat(l, 3)));
            }
            for op in ["mad.hi", "mad.lo.cc", "madc.lo", "madc.lo.cc", "mad.hi.cc", "madc.hi", "madc.hi.cc"] {
                forms.push((format!("{op}.{ty}"), repeat(l, 4)));
            }
        }
    }
    for round in [".rn", ".rz", ".rm", ".rp"] {
        for ftz in ["", ".ftz"] {
            for op in ["add", "sub", "mul"] {
                forms.push((format!("{op}{round}{ftz}.f32"), "fff"));
                forms.push((format!("{op}{round}{ftz}.sat.f32"), "fff"));
            }
            forms.push((format!("div{round}{ftz}.f32"), "fff"));
            forms.push((format!("fma{round}{ftz}.f32"), "ffff"));
            forms.push((format!("mad{round}{ftz}.f32"), "ffff"));
            forms.push((format!("rcp{round}{ftz}.f32"), "ff"));
            forms.push((format!("sqrt{round}{ftz}.f32"), "ff"));
        }
        for op in ["add", "sub", "mul", "div"] {
            forms.push((format!("{op}{round}.f64"), "eee"));
        }
        forms.push((format!("fma{round}.f64"), "eeee"));
        forms.push((format!("rcp{round}.f64"), "ee"));
        forms.push((format!("sqrt{round}.f64"), "ee"));
    }
    for ftz in ["", ".ftz"] {
        for op in ["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"] {
            forms.push((format!("{op}.approx{ftz}.f32"), "ff"));
        }
        forms.push((format!("div.approx{ftz}.f32"), "fff"));
        forms.push((format!("div.full{ftz}.f32"), "fff"));
        forms.push((format!("rsqrt.approx{ftz}.f64"), "ee"));
        for op in ["min", "max", "min.NaN", "max.NaN"] {
            let (op, nan) = op.split_once('.').map_or((op, ""), |(op, _)| (op, ".NaN"));
            forms.push((format!("{op}{ftz}{nan}.f32"), "fff"));
            forms.push((format!("{op}{ftz}{nan}.f16"), "hhh"));
            forms.push((format!("{op}{ftz}{nan}.f16x2"), "rrr"));
        }
        forms.push((format!("abs{ftz}.f32"), "ff"));
        forms.push((format!("neg{ftz}.f32"), "ff"));
        forms.push((format!("set.lt.and{ftz}.u32.f32"), "rffp"));
        forms.push((format!("slct{ftz}.u32.f32"), "rrrf"));
    }
    for (ty, l) in [("f16", "h"), ("bf16", "h"), ("f16x2", "r"), ("bf16x2", "r")] {
        for op in ["add", "sub", "mul", "min", "max"] {
            forms.push((format!("{op}.{ty}"), repeat(l, 3)));
        }
        forms.push((format!("fma.rn.{ty}"), repeat(l, 4)));
        forms.push((format!("fma.rn.relu.{ty}"), repeat(l, 4)));
        for op in ["neg", "abs", "ex2.approx.ftz", "tanh.approx"] {
            forms.push((format!("{op}.{ty}"), repeat(l, 2)));
        }
    }
    for (op, l) in [
        ("tanh.approx.f32", "ff"),
        ("rcp.approx.ftz.f64", "ee"),
        ("abs.f64", "ee"),
        ("neg.f64", "ee"),
        ("min.f64", "eee"),
        ("max.f64", "eee"),
        ("copysign.f32", "fff"),
        ("copysign.f64", "eee"),
        ("testp.finite.f32", "pf"),
        ("testp.subnormal.f64", "pe"),
        ("mul.wide.s16", "rhh"),
        ("mul.wide.u32", "drr"),
        ("mad.wide.s32", "drrd"),
        ("mul24.hi.s32", "rrr"),
        ("mad24.lo.u32", "rrrr"),
        ("add.sat.s32", "rrr"),
        ("sub.sat.s32", "rrr"),
        ("and.pred", "ppp"),
        ("or.pred", "ppp"),
        ("xor.pred", "ppp"),
        ("not.pred", "pp"),
        ("and.b16", "hhh"),
        ("xor.b64", "ddd"),
        ("not.b64", "dd"),
        ("cnot.b32", "rr"),
        ("shl.b16", "hhr"),
        ("shl.b64", "ddr"),
        ("shr.s64", "ddr"),
        ("shr.b32", "rrr"),
        ("shf.l.wrap.b32", "rrrr"),
        ("shf.r.clamp.b32", "rrrr"),
        ("prmt.b32", "rrrr"),
        ("prmt.b32.f4e", "rrrr"),
        ("bfe.u32", "rrrr"),
        ("bfe.s64", "ddrr"),
        ("bfi.b32", "rrrrr"),
        ("bfi.b64", "dddrr"),
        ("bfind.u32", "rr"),
        ("bfind.shiftamt.s64", "rd"),
        ("brev.b64", "dd"),
        ("clz.b32", "rr"),
        ("popc.b64", "rd"),
        ("bmsk.clamp.b32", "rrr"),
        ("dp4a.s32.u32", "rrrr"),
        ("dp2a.lo.s32.s32", "rrrr"),
        ("setp.lt.s16", "phh"),
        ("setp.geu.f32", "pff"),
        ("setp.lo.u64", "pdd"),
        ("setp.eq.or.f64", "peep"),
        ("setp.num.f16", "phh"),
        ("setp.lt.bf16", "phh"),
        ("set.eq.s32.u64", "rdd"),
        ("set.gt.f32.s32", "frr"),
        ("selp.f64", "eeep"),
        ("selp.b16", "hhhp"),
        ("slct.s64.s32", "dddr"),
        ("cvt.rn.f16.f32", "hf"),
        ("cvt.rz.f16.f64", "he"),
        ("cvt.f32.f16", "fh"),
        ("cvt.f32.bf16", "fh"),
        ("cvt.rn.bf16.f32", "hf"),
        ("cvt.rz.bf16.f32", "hf"),
        ("cvt.rn.relu.bf16.f32", "hf"),
        ("cvt.rn.f16x2.f32", "rff"),
        ("cvt.rn.bf16x2.f32", "rff"),
        ("cvt.rna.tf32.f32", "rf"),
        ("cvt.rzi.s8.f32", "rf"),
        ("cvt.sat.u8.s32", "hr"),
        ("cvt.rni.ftz.f32.f32", "ff"),
        ("cvt.sat.f32.f32", "ff"),
        ("cvt.rpi.u64.f64", "de"),
        ("cvt.rn.f16.s64", "hd"),
        ("cvt.rzi.s16.f16", "hh"),
        ("cvta.global.u64", "dd"),
        ("cvta.to.shared.u64", "dd"),
        ("cvta.param.u64", "dd"),
        ("isspacep.local", "pd"),
        ("activemask.b32", "r"),
        ("vote.sync.all.pred", "ppr"),
        ("vote.sync.ballot.b32", "rpr"),
        ("match.any.sync.b64", "rdr"),
        ("match.all.sync.b32", "rrr"),
        ("redux.sync.min.s32", "rrr"),
        ("redux.sync.xor.b32", "rrr"),
        ("shfl.sync.up.b32", "rrrrr"),
        ("bar.warp.sync", "r"),
        ("barrier.sync", "r"),
        ("bar.sync", "rr"),
        ("barrier.sync.aligned", "rr"),
        ("bar.arrive", "rr"),
        ("bar.red.popc.u32", "rrp"),
        ("bar.red.and.pred", "prp"),
        ("barrier.red.or.pred", "prrp"),
        ("nanosleep.u32", "r"),
        ("vadd.s32.s32.u32", "rrr"),
        ("vadd.s32.s32.u32.sat.add", "rrrr"),
        ("vabsdiff4.u32.u32.u32.add", "rrrr"),
        ("vset2.s32.s32.lt", "rrrr"),
        ("vmad.u32.u32.u32.shr7", "rrrr"),
        ("vavrg4.u32.u32.u32", "rrrr"),
        ("vshl.u32.u32.u32.clamp", "rrr"),
        ("min.xorsign.abs.f32", "fff"),
        ("fns.b32", "rrrr"),
        ("szext.wrap.s32", "rrr"),
        ("mad24.hi.sat.s32", "rrrr"),
        ("cvt.pack.sat.u8.s32.b32", "rrrr"),
        ("set.lt.f16x2.f16x2", "rrr"),
        ("vmad.s32.s32.s32.po.sat", "rrrr"),
        ("stacksave.u64", "d"),
        ("stackrestore.u64", "d"),
    ] {
        forms.push((op.into(), l));
    }
    let mut rejected: Vec<String> = forms.iter().filter_map(|(op, l)| load(&statement(op, l)).err()).collect();
    for whole in [
        "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f0, %f1, %f2, %f3}, [%d1+16];",
        "ldu.global.u32 %r1, [%d1];",
        "ld.const.u8 %h1, [%d1];",
        "ld.volatile.shared.f64 %e1, [tile+8];",
        "ld.acquire.gpu.global.u32 %r1, [%d1];",
        "ld.relaxed.sys.u64 %d1, [%d2];",
        "ld.param.u64 %d1, [p];",
        "ld.local.s8 %r1, [depot+3];",
        "st.local.v2.u32 [depot], {%r1, %r2};",
        "st.release.cta.shared.b16 [tile], %h1;",
        "st.global.cs.b64 [%d1+-8], 5;",
        "st.wt.u8 [%d1], %h1;",
        "atom.global.add.f64 %e1, [%d1], %e2;",
        "atom.shared.cas.b16 %h1, [tile], %h2, %h3;",
        "red.global.add.noftz.bf16x2 [%d1], %r1;",
        "atom.add.noftz.f16 %h1, [%d1], %h2;",
        "atom.global.gpu.acq_rel.exch.b64 %d1, [%d2], %d3;",
        "red.gpu.relaxed.global.inc.u32 [%d1], 7;",
        "atom.max.s64 %d1, [%d2], %d3;",
        "red.async.frob [%d1], 1;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "prefetch.global.L2 [%d1];",
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "mov.b64 {%r1, _}, %d1;",
        "mov.b32 %r1, {%h1, %h2};",
        "mov.b64 %d1, {%h1, %h2, %h3, %h4};",
        "mov.u64 %d1, depot;",
        "mov.u32 %r1, tile;",
        "mov.u64 %d1, tile+4;",
        "mov.u32 %r1, %lanemask_lt;",
        "mov.u64 %d1, %clock64;",
        "mov.pred %p1, 1;",
        "@!%p1 bra.uni L0;",
        "@%p1 exit;",
        "trap;",
        "brkpt;",
        "pmevent 1;",
        "setp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3;",
        "shfl.sync.idx.b32 %r1|%p1, %r2, 3, 31, -1;",
        "vadd.s32.u32.s32 %r1.h1, %r2.b3, %r3.h0, %r4;",
        "bar.sync 0;",
        "barrier.cta.sync 1, 64;",
        "add.f32 %f1, %f2, 0f3F800000;",
        "add.f64 %e1, %e2, 1.5;",
        "selp.u32 %r1, 1, 0, %p1;",
        "match.all.sync.b32 %r1|%p1, %r2, -1;",
        "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, !%p2;",
        "lop3.and.b32 _|%p1, %r2, %r3, %r4, 0x80, %p2;",
        "vmad.s32.s32.s32 %r1, -%r2.h0, %r3.b1, -%r4;",
        "vadd4.u32.u32.u32.add %r1.b321, %r2.b0246, %r3, %r4;",
        "alloca.u64 %d1, %d2, 16;",
        "setp.lt.f16x2 %p1|%p2, %r1, %r2;",
        "cp.async.cg.shared.global.L2::cache_hint.L2::256B [tile], [%d1], 16, %r1, %d2;",
        "cp.async.ca.shared.global.L2::64B [tile], [%d1], 8, !%p1;",
        "cp.async.wait_group 3;",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [tile];",
        "mbarrier.init.b64 [%d1], 7;",
        "mbarrier.arrive_drop.noComplete.shared.b64 %d1, [tile], %r1;",
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [tile], 0;",
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 0.5;",
        "createpolicy.range.global.L2::evict_last.b64 %d1, [%d2], 64, 128;",
        "ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %r1, [%d1], %d2;",
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r1, %r2}, [tile+16];",
        "ldmatrix.sync.aligned.m8n8.x1.b16 %r1, [%d1];",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, 0};",
        "wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [tile], {%e1, %e2}, 8;",
        "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}];",
        "tex.level.acube.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%r1, %f2, %f3, %f4}], %f1;",
        "tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}], {%f1, %f2, %f3, %f4}, {%f1, %f2, %f3, %f4};",
        "tex.base.a1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%r1, %f2}];",
        "sust.p.2d.b32.trap [%d1, {%r1, %r2}], {%r3};",
        "sust.p.3d.v4.b32.zero [%d1, {%r1, %r2, %r3, %r4}], {%r1, %r2, %r3, %r4};",
        "txq.num_mipmap_levels.b32 %r1, [%d1];",
        "{.reg.b32 t; .reg.pred q; mov.b32 t, %envreg2; mov.u32 t, %pm3;}",
    ] {
        rejected.extend(load(whole).err());
    }
    // One of them is in no table.
    assert_eq!(rejected.len(), 1, "{rejected:#?}");
    assert!(rejected[0].contains("red.async.frob"), "{rejected:?}");
}

#[test]
fn what_is_not_listed_is_rejected() {
    for (opcode, letters) in [
        ("elect.sync", "rr"),
        ("add.frob.s32", "rrr"),
        ("add.sat.u32", "rrr"),
        ("max.f32", "ffff"),
        ("fma.rn.oob.f16", "hhhh"),
        ("add.rn.f32x2", "ddd"),
        ("vadd22.s32.s32.s32", "rrrr"),
        ("vavrg.s32.s32.s32", "rrr"),
        ("tex.2d.v4.f32.f32", "fff"),
        ("tld4.r.2d.v4.f32.f32", "fff"),
        ("suld.b.1d.b32.trap", "rr"),
        ("sust.b.1d.b32.trap", "rr"),
        ("min.relu.u32", "rrr"),
        ("cvt.pack.sat.s32.s32", "rrr"),
        ("set.lt.f64.f32", "eff"),
        ("add.b32", "rrr"),
        ("mul.wide.u64", "ddd"),
        ("cvt.rn.e4m3x2.f32", "hff"),
        ("sin.f64", "ee"),
        ("mma.sync.aligned.m16n8k8", "rrrr"),
        ("tex.2d.v4.f32.f32", "rrr"),
        ("add.f8", "hhh"),
        ("atom.add.b32", "rrr"),
        ("shfl.sync.left.b32", "rrrrr"),
        ("bar.wait", "r"),
        ("vote.sync.most.pred", "ppr"),
        ("ld.global.v3.u32", "rd"),
        ("addc.u16", "hhh"),
        ("dp4a.s32", "rrrr"),
    ] {
        let error = load(&statement(opcode, letters)).expect_err(opcode);
        assert!(error.contains(opcode) || error.contains("operand") || error.contains("address"), "{opcode}: {error}");
    }
    // Operands that only such an instruction has do not hide its name.
    for whole in [
        "tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2, %r3, %r4}];",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}], {%f1, %f2}, {%f1};",
        "tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}];",
        "suld.p.2d.b32.trap {%r1}, [%d1, {%r1, %r2}];",
        "sust.p.2d.b16.trap [%d1, {%r1, %r2}], {%r3};",
        "elect.sync %r1|%p1, -1;",
        "cp.async.cg.shared.global [tile], [%d1], 8;",
        "cp.async.bulk.wait_group 0;",
        "mbarrier.expect_tx.shared.b64 [tile], 4;",
        "mbarrier.init.noComplete.shared.b64 [tile], 4;",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [tile];",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1}, {%r2}, {%f2};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r3, 0;",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 4;",
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r3, 0;",
        "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r3, 0;",
        "wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r1}, [%d1];",
        "ld.global.b128 %d1, [%d2];",
    ] {
        let error = load(whole).expect_err(whole);
        assert!(error.contains(whole.split(' ').next().unwrap_or_default()), "{whole}: {error}");
    }
}
