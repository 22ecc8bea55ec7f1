//! The instructions that the simulator knows, by name and family.

/// What kind of instruction a mnemonic is.
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
    /// Branches, calls, barriers.
    Control,
    /// Hints, which change no result.
    Hint,
}

const TABLE: [(Family, &[&str]); 10] = [
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
    (Family::Warp, &["shfl", "vote", "match", "redux", "activemask"]),
    (Family::Memory, &["ld", "ldu", "st", "atom", "red", "isspacep", "alloca", "stacksave", "stackrestore"]),
    (Family::Control, &["bra", "brx", "call", "ret", "exit", "trap", "brkpt", "bar", "barrier", "membar", "fence"]),
    (Family::Hint, &["nanosleep", "prefetch", "prefetchu", "pmevent", "discard", "applypriority", "griddepcontrol"]),
];

/// Every instruction that the simulator knows: its mnemonic, without modifiers, and its family.
pub fn mnemonics() -> impl Iterator<Item = (&'static str, Family)> {
    TABLE.iter().flat_map(|(family, names)| names.iter().map(|name| (*name, *family)))
}

/// The family of a mnemonic; none for an instruction that is not known.
pub(super) fn family(mnemonic: &str) -> Option<Family> {
    TABLE.iter().find(|(_, names)| names.contains(&mnemonic)).map(|(family, _)| *family)
}
