//! The operation registry: one record per operation, split by family.
//!
//! A record is everything that the device side of an operation needs. The table of loops is NumPy's: the first loop
//! to which every operand can be cast safely is the one that runs.

mod arithmetic;
mod bits;
mod bounded;
mod comparison;
mod drawn;
mod elementary;
mod exponents;
mod floating;
mod internal;
mod logic;
mod rational;
mod reductions;
mod rounding;
mod signs;
mod special;
mod trigonometric;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::DType;

/// One device expression and the type loops it serves.
///
/// `types` is written as NumPy writes it: `"bb->b BB->B"`. In `expr` the operands are `a`, `b`, `c`; their type is the
/// loop's, float16 and bfloat16 having been widened to float32 (and complex64 to complex128 where [`Ufunc::wide`]).
/// `loop0`, `loop1`, `loop2` are the same before they are widened, for expressions about bits.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Signatures, separated by spaces.
    pub types: &'static str,
    /// A device expression of the operands; of two results, one that gives a `pair` of both.
    pub expr: &'static str,
}

/// What the operands are to a function: how scalars count beside arrays, and what the loops do with the dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Numbers of one dtype. A scalar takes the arrays' dtype, and must fit in it.
    Alike,
    /// Numbers of several dtypes, as a float and its exponent. A scalar takes what the loops have in its place.
    Unlike,
    /// Numbers of one dtype, of which integers become floats: an integer scalar need not fit beside integers.
    Divided,
    /// Numbers that are compared by value: an integer scalar need not fit beside integers. The answers are those of a
    /// first operand below the second and of one above it.
    Compared {
        /// Of a first operand below the second.
        below: bool,
        /// Of a first operand above the second.
        above: bool,
    },
    /// Anything, of which it matters only whether it is zero.
    Truths,
    /// A condition of any dtype, then numbers of one dtype.
    Chosen,
}

/// Of which elements it does not matter how a function groups them: so that many threads can share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associative {
    /// Of none.
    No,
    /// Of integers and booleans.
    Integers,
    /// Of all: integers, booleans and extremes come out the very same, floats within the same bound.
    Always,
}

/// How the methods of a function of two operands may combine elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folds {
    /// Of which elements the grouping does not matter.
    pub associative: Associative,
    /// True if the order does not matter either, although there is no identity: then several axes can be reduced at
    /// once.
    pub reorderable: bool,
    /// True if narrow integers are gathered in 64 bits.
    pub widens: bool,
    /// The reduction that gives what `reduce` gives.
    pub reduction: Option<&'static str>,
    /// The device's function that does one step on an integer of 32 or 64 bits at once: the order of the steps does not
    /// matter to the result. Nor does it to the larger or the smaller one of floats.
    pub atomic: Option<&'static str>,
    /// True if a NaN gives way to a number.
    pub skips_nan: bool,
}

/// A universal function: its names, its loops and what the documentation says of it.
#[derive(Debug)]
pub struct Ufunc {
    /// NumPy's name.
    pub name: &'static str,
    /// The module that has a function of this name; empty for what the library itself runs.
    pub namespace: &'static str,
    /// Other names of the same function.
    pub aliases: &'static [&'static str],
    /// Number of inputs.
    pub nin: usize,
    /// Number of results: 1 or 2.
    pub nout: usize,
    /// The loops, in the order in which they are searched.
    pub loops: &'static [Loops],
    /// The identity of the operation where it has one, as a device literal.
    pub identity: Option<&'static str>,
    /// What its operands are to it.
    pub operands: Operands,
    /// How its methods may combine elements.
    pub folds: Folds,
    /// True if complex64 is computed as complex128 and rounded once.
    pub wide: bool,
    /// True if booleans alone are rejected, though they could be cast to a dtype that has a loop.
    pub rejects_bool: bool,
    /// True if the second operand of a loop of signed integers must not be negative, as exponents of integers.
    pub rejects_negative: bool,
    /// True if device code for it is long: such kernels are unrolled less.
    pub heavy: bool,
    /// Device text that its kernels hold beside the headers.
    pub text: &'static str,
    /// Device text that its kernels of complex numbers hold beside that.
    pub complex_text: &'static str,
    /// The distribution of random numbers that it is an expression of: an element hangs on its number in C order.
    pub distribution: Option<&'static str>,
    /// One sentence for the reference.
    pub doc: &'static str,
}

const BITS: &str = header!("bits");
const CLOSENESS: &str = concat!(header!("hypotenuse"), header!("closeness"));
const FLOATING: &str = header!("floating");
const POWERS: &str = concat!(header!("twofold"), header!("powers"));
const RATIONAL: &str = header!("rational");
const SIGNS: &str = concat!(header!("hypotenuse"), header!("signs"));

/// Elements are combined one after the other.
const FOLDS: Folds = Folds {
    associative: Associative::No,
    reorderable: false,
    widens: false,
    reduction: None,
    atomic: None,
    skips_nan: false,
};

/// A ufunc with the usual fields; families override what differs.
const UFUNC: Ufunc = Ufunc {
    name: "",
    namespace: "numpy",
    aliases: &[],
    nin: 2,
    nout: 1,
    loops: &[],
    identity: None,
    operands: Operands::Alike,
    folds: FOLDS,
    wide: false,
    rejects_bool: false,
    rejects_negative: false,
    heavy: false,
    text: "",
    complex_text: "",
    distribution: None,
    doc: "",
};

/// One loop of a ufunc: what it takes, what it gives, how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The dtype each input is cast to.
    pub ins: [DType; 3],
    /// The dtype of each result.
    pub outs: [DType; 2],
    /// The device expression.
    pub expr: &'static str,
}

/// A handle to a ufunc's record: small, `Copy`, good as a part of a key.
#[derive(Clone, Copy)]
pub struct UfuncId(&'static Entry);

/// A record beside its loops, parsed.
struct Entry {
    index: usize,
    ufunc: &'static Ufunc,
    loops: Vec<Loop>,
}

struct Registry {
    ufuncs: Vec<Entry>,
    by_name: FxHashMap<&'static str, usize>,
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let families = [
            arithmetic::UFUNCS,
            comparison::UFUNCS,
            elementary::UFUNCS,
            trigonometric::UFUNCS,
            exponents::UFUNCS,
            logic::UFUNCS,
            internal::UFUNCS,
            drawn::UFUNCS,
            rounding::UFUNCS,
            signs::UFUNCS,
            floating::UFUNCS,
            special::UFUNCS,
            rational::UFUNCS,
            bits::UFUNCS,
            bounded::UFUNCS,
        ]
        .concat();
        let mut by_name = FxHashMap::default();
        let mut ufuncs = Vec::new();
        for (index, ufunc) in families.into_iter().enumerate() {
            for name in std::iter::once(&ufunc.name).chain(ufunc.aliases) {
                by_name.insert(*name, index);
            }
            ufuncs.push(Entry { index, ufunc, loops: ufunc.loops.iter().flat_map(parse_loops).collect() });
        }
        Registry { ufuncs, by_name }
    })
}

fn parse_loops(group: &'static Loops) -> impl Iterator<Item = Loop> {
    group.types.split_whitespace().map(|signature| {
        let dtype = |c| DType::from_char(c).expect("the registry is tested to hold known type characters only");
        let (ins, out) =
            signature.split_once("->").expect("the registry is tested to hold well-formed signatures only");
        let mut found = Loop { ins: [DType::Bool; 3], outs: [DType::Bool; 2], expr: group.expr };
        for (slot, c) in found.ins.iter_mut().zip(ins.chars()).chain(found.outs.iter_mut().zip(out.chars())) {
            *slot = dtype(c);
        }
        found
    })
}

impl Loop {
    /// Returns the dtype of the first result.
    pub fn out(&self) -> DType {
        self.outs[0]
    }
}

impl UfuncId {
    /// Returns the ufunc with this name or alias.
    pub fn named(name: &str) -> Option<UfuncId> {
        let registry = registry();
        registry.by_name.get(name).map(|&at| UfuncId(&registry.ufuncs[at]))
    }

    /// Every ufunc, in the order of the families.
    pub fn all() -> impl Iterator<Item = UfuncId> {
        registry().ufuncs.iter().map(UfuncId)
    }

    /// Returns the record.
    pub fn record(self) -> &'static Ufunc {
        self.0.ufunc
    }

    /// Returns the loops, in the order in which they are searched.
    pub fn loops(self) -> &'static [Loop] {
        &self.0.loops
    }

    /// Returns the place in [`UfuncId::all`].
    pub fn index(self) -> usize {
        self.0.index
    }
}

impl fmt::Debug for UfuncId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UfuncId").field(&self.0.ufunc.name).finish()
    }
}

impl PartialEq for UfuncId {
    fn eq(&self, other: &UfuncId) -> bool {
        self.0.index == other.0.index
    }
}

impl Eq for UfuncId {}

impl Hash for UfuncId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.index.hash(state);
    }
}

pub use reductions::{Accumulator, Combination, Reduction, ReductionId, ReductionLoop};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_well_formed_and_stands_once() {
        for id in UfuncId::all() {
            let record = id.record();
            for group in record.loops {
                for signature in group.types.split_whitespace() {
                    let (ins, out) = signature.split_once("->").expect(signature);
                    assert_eq!(ins.chars().count(), record.nin, "{}: {signature}", record.name);
                    assert_eq!(out.chars().count(), record.nout, "{}: {signature}", record.name);
                    assert!(ins.chars().chain(out.chars()).all(|c| DType::from_char(c).is_some()), "{signature}");
                }
            }
            let loops = id.loops();
            for (i, l) in loops.iter().enumerate() {
                assert!(loops[..i].iter().all(|earlier| earlier.ins != l.ins), "{}: {:?} twice", record.name, l.ins);
            }
            assert!(!record.doc.is_empty(), "{} has no documentation", record.name);
        }
    }

    #[test]
    fn aliases_name_the_same_record() {
        assert_eq!(UfuncId::named("divide"), UfuncId::named("true_divide"));
        assert!(UfuncId::named("no such function").is_none());
    }
}
