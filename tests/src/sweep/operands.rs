//! Operands: the Cartesian product of special values, then mixtures of special and random ones. They are derived from
//! the name of the form and the seed, so that a recording need not contain them.

use super::draws::Draws;
use super::form::{Form, Kind};

/// Returns the number of operand tuples of a form, a multiple of the threads of a block. Approximate forms need more,
/// since their errors vary more than wrong bits.
pub fn tuples(form: &Form) -> usize {
    if form.is_approximate() { 640 } else { 320 }
}

const SHORTS: [u64; 14] = [0, 1, 0xffff, 0x8000, 0x7fff, 2, 0x7f, 0x80, 0xff, 0x100, 0x8001, 0xfffe, 0x5555, 0xaaaa];
const WORDS: [u64; 24] = [
    0,
    1,
    0xffff_ffff,
    0x8000_0000,
    0x7fff_ffff,
    2,
    0x80,
    0x7f,
    0xffff,
    0x8000,
    0x0001_0000,
    0xff,
    3,
    10,
    0x7fff,
    0x00ff_ffff,
    0x0080_0000,
    0x0100_0000,
    0x8000_0001,
    0xffff_fffe,
    0x8080_8080,
    0x7f80_ff01,
    0xffff_0000,
    0xaaaa_5555,
];
const LONGS: [u64; 22] = [
    0,
    1,
    u64::MAX,
    1 << 63,
    i64::MAX as u64,
    2,
    0xffff_ffff,
    0x8000_0000,
    1 << 32,
    0x7fff_ffff,
    1 << 53,
    (1 << 53) + 1,
    (1 << 24) + 1,
    0xffff_ffff_8000_0000,
    0xffff_ffff_0000_0000,
    (1 << 63) + 1,
    u64::MAX - 1,
    3,
    10,
    0xffff_ffff_7fff_ffff,
    0x8080_8080_8080_8080,
    0xffff_fc00_0000_0000,
];
const COUNTS: [u64; 32] = [
    0,
    32,
    1,
    31,
    255,
    33,
    64,
    63,
    8,
    16,
    0xffff_ffff,
    2,
    3,
    4,
    5,
    7,
    9,
    15,
    17,
    23,
    24,
    34,
    65,
    100,
    127,
    128,
    256,
    257,
    0x1f1f,
    0x1_0000,
    0x8000_0000,
    0x7654_3210,
];
const HALVES: [u64; 24] = [
    0, 0x3c00, 0x7e55, 0x7c00, 0x8000, 0xbc00, 0xfc00, 0x7c01, 0x7bff, 0x0001, 0xfe2a, 0x0400, 0xfbff, 0x03ff, 0x8001,
    0x4000, 0x3800, 0xfd00, 0x7fff, 0xffff, 0x6400, 0x6401, 0x3555, 0x8400,
];
const BRAINS: [u64; 24] = [
    0, 0x3f80, 0x7fc5, 0x7f80, 0x8000, 0xbf80, 0xff80, 0x7f81, 0x7f7f, 0x0001, 0xffd2, 0x0080, 0xff7f, 0x007f, 0x8001,
    0x4000, 0x3f00, 0xff91, 0x7fff, 0xffff, 0x4300, 0x4301, 0x3eab, 0x8080,
];
const SINGLES: [u64; 40] = [
    0,
    0x3f80_0000,
    0x7fc1_2345,
    0x7f80_0000,
    0x8000_0000,
    0xbf80_0000,
    0xff80_0000,
    0x7f81_2345,
    0x7f7f_ffff,
    0x0000_0001,
    0xffc5_4321,
    0x0080_0000,
    0xff7f_ffff,
    0x007f_ffff,
    0x8000_0001,
    0x8080_0000,
    0x807f_ffff,
    0xff91_1111,
    0x7fff_ffff,
    0xffff_ffff,
    0x4000_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0xbf00_0000,
    0x4020_0000,
    0x4b80_0000,
    0x4b80_0001,
    0x4f00_0000,
    0x4eff_ffff,
    0xcf00_0000,
    0xcf00_0001,
    0x4f80_0000,
    0x5f00_0000,
    0x5f80_0000,
    0x437f_8000,
    0xc300_8000,
    0x477f_e000,
    0x477f_f000,
    0x3300_0000,
    0x3380_0000,
];
const DOUBLES: [u64; 40] = [
    0,
    0x3ff0_0000_0000_0000,
    0x7ff8_0001_2345_6789,
    0x7ff0_0000_0000_0000,
    0x8000_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff0_0001_2345_6789,
    0x7fef_ffff_ffff_ffff,
    0x0000_0000_0000_0001,
    0xfff8_abcd_0000_0001,
    0x0010_0000_0000_0000,
    0xffef_ffff_ffff_ffff,
    0x000f_ffff_ffff_ffff,
    0x8000_0000_0000_0001,
    0x8010_0000_0000_0000,
    0xfff1_1111_2222_3333,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
    0x4000_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x41e0_0000_0000_0000,
    0x41df_ffff_ffc0_0000,
    0xc1e0_0000_0020_0000,
    0x41ef_ffff_ffe0_0000,
    0x43e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x4340_0000_0000_0001,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x3810_0000_0000_0000,
    0x380f_ffff_ffff_ffff,
    0x36a0_0000_0000_0000,
    0x3690_0000_0000_0000,
    0x40ef_fc00_0000_0000,
    0x40ef_fe00_0000_0000,
    0x3e70_0000_0000_0000,
    0x7ff0_0000_0000_0001,
];

fn special(kind: Kind, rng: &mut Draws, at: Option<usize>) -> u64 {
    let mut pick = |list: &[u64]| list[at.unwrap_or_else(|| rng.below(list.len())) % list.len()];
    match kind {
        Kind::Pred => pick(&[0, 1]),
        Kind::Short => pick(&SHORTS),
        Kind::Byte | Kind::Low | Kind::Word => pick(&WORDS),
        Kind::Long => pick(&LONGS),
        Kind::Count => pick(&COUNTS),
        Kind::Few => pick(&[0, 1, 0xffff_ffff, 0x8000_0000, 7, 0x7fff_ffff]),
        Kind::FewLong => pick(&[0, 1, u64::MAX, 1 << 32, 1 << 63, (1 << 32) | 1]),
        Kind::Half => pick(&HALVES),
        Kind::Brain => pick(&BRAINS),
        Kind::Halves => {
            let low = pick(&HALVES);
            low | HALVES[rng.below(HALVES.len())] << 16
        }
        Kind::Brains => {
            let low = pick(&BRAINS);
            low | BRAINS[rng.below(BRAINS.len())] << 16
        }
        Kind::Single | Kind::Small => pick(&SINGLES),
        Kind::Double => pick(&DOUBLES),
    }
}

/// Returns a random float of a format: arbitrary bits, or an exponent near that of 1 and a fraction that may end in a
/// tie.
fn float(rng: &mut Draws, exponent_bits: u32, fraction_bits: u32, spreads: &[u64]) -> u64 {
    let any = rng.bits() >> (63 - exponent_bits - fraction_bits);
    let way = rng.below(2 * spreads.len() + 1);
    if way == 0 {
        return any;
    }
    let spread = spreads[(way - 1) / 2];
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let exponent = bias + rng.bits() % (2 * spread + 1) - spread;
    let mut fraction = any & ((1 << fraction_bits) - 1);
    if way.is_multiple_of(2) {
        // A tie at some bit, or one unit away from one.
        let low = rng.below(fraction_bits as usize) as u32;
        fraction = (fraction >> low | 1) << low;
        fraction = match rng.below(4) {
            0 => fraction + 1,
            1 => fraction - 1,
            _ => fraction,
        } & ((1 << fraction_bits) - 1);
    }
    (any >> (exponent_bits + fraction_bits)) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
}

fn random(kind: Kind, rng: &mut Draws) -> u64 {
    match kind {
        Kind::Pred => rng.bits() & 1,
        // Short values, those next to a power of two, and arbitrary ones.
        Kind::Byte | Kind::Low | Kind::Word | Kind::Long | Kind::Short => match rng.below(4) {
            0 => rng.bits() >> rng.below(64),
            1 => (1u64 << rng.below(64)).wrapping_add(rng.bits() % 3).wrapping_sub(1),
            _ => rng.bits(),
        },
        Kind::Count => {
            if rng.below(4) == 0 {
                rng.bits()
            } else {
                rng.bits() % 70
            }
        }
        Kind::Few => rng.bits() % 3,
        Kind::FewLong => (rng.bits() % 3) << 31,
        Kind::Half => float(rng, 5, 10, &[4, 14]),
        Kind::Brain => float(rng, 8, 7, &[4, 20, 120]),
        Kind::Halves => float(rng, 5, 10, &[4, 14]) | float(rng, 5, 10, &[4, 14]) << 16,
        Kind::Brains => float(rng, 8, 7, &[4, 20, 120]) | float(rng, 8, 7, &[4, 20, 120]) << 16,
        Kind::Single => float(rng, 8, 23, &[3, 12, 40, 120]),
        Kind::Small => float(rng, 8, 23, &[1, 2, 4, 8, 24]),
        Kind::Double => float(rng, 11, 52, &[3, 14, 40, 70, 160]),
    }
}

/// Returns an operand related to another: equal, of the opposite sign, or one unit away.
fn beside(kind: Kind, other: u64, rng: &mut Draws) -> u64 {
    let sign = match kind {
        Kind::Pred | Kind::Count | Kind::Few | Kind::FewLong => return other,
        Kind::Halves | Kind::Brains => 0x8000_8000,
        _ => 1u64 << (kind.bits() - 1),
    };
    match rng.below(4) {
        0 => other,
        1 => other ^ sign,
        2 => other.wrapping_add(1),
        _ => other.wrapping_sub(1) ^ sign,
    }
}

/// Returns the operands of a form, one list per operand. Bits above the width of a register are zero.
pub fn operands(form: &Form, seed: u64) -> Vec<Vec<u64>> {
    let mut rng = Draws::new(seed, &form.name());
    let n = form.operands.len();
    // The number of special values per operand whose product fills half of the tuples.
    let core = match n {
        0 => 0,
        1 => 40,
        2 => 11,
        3 => 5,
        _ => 3,
    };
    let crossed = if n == 0 { 0 } else { usize::pow(core, n.min(4) as u32) };
    let tuples = tuples(form);
    let mut all = vec![Vec::with_capacity(tuples); n];
    for tuple in 0..tuples {
        let mut rest = tuple;
        for k in 0..n {
            let kind = form.operands[k];
            let same = k > 0 && form.operands[k - 1] == kind;
            let value = if tuple < crossed && k < 4 {
                let at = rest % core;
                rest /= core;
                special(kind, &mut rng, Some(at))
            } else {
                match rng.below(16) {
                    0..6 => special(kind, &mut rng, None),
                    6..8 if same => beside(kind, all[k - 1][tuple], &mut rng),
                    _ => random(kind, &mut rng),
                }
            };
            all[k].push(value & (u64::MAX >> (64 - kind.bits())));
        }
    }
    all
}
