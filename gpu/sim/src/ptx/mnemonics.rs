//! The supported instructions, by name and family.

use crate::ops::Type;

/// The family of a mnemonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Copies between registers and of addresses.
    Move,
    /// Conversions.
    Convert,
    /// Comparisons.
    Compare,
    /// Integers and bits.
    Bits,
    /// Arithmetic of integers and floats.
    Arithmetic,
    /// Video instructions.
    Video,
    /// Instructions of whole warps.
    Warp,
    /// Loads, stores, atomics, addresses.
    Memory,
    /// Textures and surfaces.
    Texture,
    /// Branches, calls, barriers.
    Control,
    /// Hints, which change no result.
    Hint,
}

const TABLE: [(Family, &[&str]); 11] = [
    (Family::Move, &["mov", "cvta"]),
    (Family::Convert, &["cvt"]),
    (Family::Compare, &["setp", "set"]),
    (
        Family::Bits,
        &[
            "selp", "slct", "prmt", "shf", "lop3", "bfi", "bfe", "bfind", "popc", "clz", "brev", "fns", "cnot", "not",
            "and", "or", "xor", "shl", "shr", "sad", "mul24", "mad24", "dp4a", "dp2a", "rem", "bmsk", "szext", "addc",
            "subc", "madc",
        ],
    ),
    (
        Family::Arithmetic,
        &[
            "add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "abs", "neg", "min", "max", "ex2", "lg2",
            "sin", "cos", "tanh", "copysign", "testp",
        ],
    ),
    (
        Family::Video,
        &[
            "vadd",
            "vsub",
            "vabsdiff",
            "vmin",
            "vmax",
            "vshl",
            "vshr",
            "vset",
            "vmad",
            "vadd2",
            "vsub2",
            "vabsdiff2",
            "vmin2",
            "vmax2",
            "vavrg2",
            "vset2",
            "vadd4",
            "vsub4",
            "vabsdiff4",
            "vmin4",
            "vmax4",
            "vavrg4",
            "vset4",
        ],
    ),
    (Family::Warp, &["shfl", "vote", "match", "redux", "activemask", "ldmatrix", "movmatrix", "mma", "wmma"]),
    (
        Family::Memory,
        &[
            "ld",
            "ldu",
            "st",
            "cp",
            "atom",
            "red",
            "isspacep",
            "alloca",
            "stacksave",
            "stackrestore",
            "mbarrier",
            "createpolicy",
        ],
    ),
    (Family::Texture, &["tex", "tld4", "txq", "suld", "sust", "sured", "suq"]),
    (Family::Control, &["bra", "brx", "call", "ret", "exit", "trap", "brkpt", "bar", "barrier", "membar", "fence"]),
    (Family::Hint, &["nanosleep", "prefetch", "prefetchu", "pmevent", "discard", "applypriority", "griddepcontrol"]),
];

/// Returns all supported instructions: the mnemonic, without modifiers, and its family.
pub fn mnemonics() -> impl Iterator<Item = (&'static str, Family)> {
    TABLE.iter().flat_map(|(family, names)| names.iter().map(|name| (*name, *family)))
}

/// Returns true if a family has a modifier. Those of memory, of warps and of control flow have decoders that check
/// every one.
pub(super) fn takes(family: Option<Family>, modifier: &str) -> bool {
    let computes =
        matches!(family, Some(Family::Convert | Family::Compare | Family::Bits | Family::Arithmetic | Family::Video));
    !computes || Type::parse(modifier).is_some() || MODIFIERS.iter().any(|m| m.contains(&modifier))
}

/// Modifiers of arithmetic instructions, other than types.
const MODIFIERS: [&[&str]; 9] = [
    &["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"],
    &["ftz", "sat", "satfinite", "relu", "NaN", "xorsign", "abs", "approx", "full"],
    &["lo", "hi", "wide", "cc", "wrap", "clamp", "l", "r", "shiftamt", "pack"],
    &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"],
    &["eq", "ne", "lt", "le", "gt", "ge", "ls", "hs", "num", "nan"],
    &["equ", "neu", "ltu", "leu", "gtu", "geu", "and", "or", "xor"],
    &["finite", "infinite", "number", "notanumber", "normal", "subnormal"],
    &["tf32", "s4", "u4", "s2", "u2"],
    &["add", "min", "max", "shr7", "shr15", "po"],
];

/// Returns the family of a mnemonic; `None` for an instruction that is not supported.
pub(super) fn family(mnemonic: &str) -> Option<Family> {
    TABLE.iter().find(|(_, names)| names.contains(&mnemonic)).map(|(family, _)| *family)
}
