//! Operation registry: one record per operation, split by family.
//!
//! A record is everything that the device side of an operation needs. The loops are NumPy's: the first loop to which
//! every operand can be cast safely is the one that runs.

mod arithmetic;
mod bits;
mod bounded;
mod comparison;
mod distributions;
mod elementary;
mod exponents;
mod floating;
mod integrals;
mod internal;
mod logic;
mod random_expressions;
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

/// Device expression and the signatures that it implements.
///
/// `types` is in NumPy's notation: `"bb->b BB->B"`. In `expr` the operands are `a`, `b`, `c`, of the loop's type, with
/// float16 and bfloat16 widened to float32 (and complex64 to complex128 if [`Ufunc::wide`]). `loop0`, `loop1`, `loop2`
/// are the operands before they are widened, for bitwise expressions.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Signatures, separated by spaces.
    pub types: &'static str,
    /// A device expression of the operands; for two results, one whose value is a `pair` of both.
    pub expr: &'static str,
}

/// Roles of a function's operands, which decide how scalars are promoted with arrays and how dtypes select a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Numbers of one dtype. A scalar takes the dtype of the arrays, and must fit in it.
    Alike,
    /// Numbers of different dtypes, such as a float and its exponent. A scalar takes the dtype that the loops have at
    /// its position.
    Unlike,
    /// Numbers of one dtype, where integers are converted to floats: an integer scalar need not fit in the arrays'
    /// integer dtype.
    Divided,
    /// Numbers that are compared by value: an integer scalar need not fit in the arrays' integer dtype. The fields are
    /// the results for a first operand less than, and greater than, the second.
    Compared {
        /// The result if the first operand is less than the second.
        below: bool,
        /// The result if the first operand is greater than the second.
        above: bool,
    },
    /// Any values, of which only whether they are zero matters.
    Truths,
    /// A condition of any dtype, then numbers of one dtype.
    Chosen,
}

/// Element types for which a function is associative, so that many threads can share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associative {
    /// None.
    No,
    /// Integers and booleans.
    Integers,
    /// All: the results of integers, booleans and extremes are identical, those of floats within the same error bound.
    Always,
}

/// Properties of a binary function that decide how its methods may combine elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folds {
    /// Element types for which the function is associative.
    pub associative: Associative,
    /// True if the order does not matter either, although there is no identity: then several axes can be reduced at
    /// once.
    pub reorderable: bool,
    /// True if narrow integers are accumulated in 64 bits.
    pub widens: bool,
    /// The reduction that computes the same as `reduce`.
    pub reduction: Option<&'static str>,
    /// The device's atomic function for a step on an integer of 32 or 64 bits, whose result does not depend on the
    /// order of the steps. Also used for the minimum and maximum of floats.
    pub atomic: Option<&'static str>,
    /// True if a NaN loses against a number.
    pub skips_nan: bool,
}

/// Record of a universal function: names, loops and documentation.
#[derive(Debug)]
pub struct Ufunc {
    /// NumPy's name.
    pub name: &'static str,
    /// The module that exposes the function; empty for internal functions.
    pub namespace: &'static str,
    /// Other names of the same function.
    pub aliases: &'static [&'static str],
    /// Number of inputs.
    pub nin: usize,
    /// Number of results: 1 or 2.
    pub nout: usize,
    /// The loops, in the order in which they are searched.
    pub loops: &'static [Loops],
    /// The identity of the operation, if it has one, as a device literal.
    pub identity: Option<&'static str>,
    /// The roles of its operands.
    pub operands: Operands,
    /// Properties of its methods.
    pub folds: Folds,
    /// True if complex64 is computed as complex128 and rounded once.
    pub wide: bool,
    /// True if operands that are all booleans are rejected, though they could be cast to a dtype that has a loop.
    pub rejects_bool: bool,
    /// True if the second operand of a loop of signed integers must not be negative, such as an integer exponent.
    pub rejects_negative: bool,
    /// True if its device code is long: such kernels are unrolled less.
    pub heavy: bool,
    /// Device function of `quotients.cuh` that computes several elements of a loop at once, if the loop computes in
    /// float32, with identical results; empty if there is none.
    pub several: &'static str,
    /// Device function of `half_pairs.cuh` that computes a pair of float16 numbers, with identical results; empty if
    /// there is none.
    pub pairs: &'static str,
    /// Device code that its kernels contain after the headers.
    pub text: &'static str,
    /// Device code that its kernels for complex numbers contain in addition.
    pub complex_text: &'static str,
    /// The distribution of random numbers that it implements: an element depends on its index in C order.
    pub distribution: Option<&'static str>,
    /// One sentence for the reference.
    pub doc: &'static str,
    /// An example for the reference: `call => element type results`, or statements that end in semicolons. The call is
    /// written as in a program that imports the function and `array`.
    pub example: &'static str,
    /// Special values and neighbouring functions, for the reference; may be empty.
    pub notes: &'static str,
}

impl Ufunc {
    /// Adds an example to a record; see [`Ufunc::example`].
    const fn example(self, example: &'static str) -> Ufunc {
        Ufunc { example, ..self }
    }

    /// Adds notes to a record; see [`Ufunc::notes`].
    const fn notes(self, notes: &'static str) -> Ufunc {
        Ufunc { notes, ..self }
    }
}

const HALF_EXPONENTIAL: &str = header!("half_exponential");
const BITS: &str = header!("bits");
const CLOSENESS: &str = concat!(header!("hypotenuse"), header!("closeness"));
const FLOATING: &str = header!("floating");
const POWERS: &str = concat!(header!("twofold"), header!("powers"));
const RATIONAL: &str = header!("rational");
const SIGNS: &str = concat!(header!("hypotenuse"), header!("signs"));

/// Elements are combined sequentially.
const FOLDS: Folds = Folds {
    associative: Associative::No,
    reorderable: false,
    widens: false,
    reduction: None,
    atomic: None,
    skips_nan: false,
};

/// Default values of a record; families override what differs.
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
    several: "",
    pairs: "",
    text: "",
    complex_text: "",
    distribution: None,
    doc: "",
    example: "",
    notes: "",
};

/// Loop of a ufunc: input dtypes, result dtypes and expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The dtype each input is cast to.
    pub ins: [DType; 3],
    /// The dtype of each result.
    pub outs: [DType; 2],
    /// The device expression.
    pub expr: &'static str,
}

/// Handle to a ufunc's record: small and `Copy`, suitable as a part of a key.
#[derive(Clone, Copy)]
pub struct UfuncId(&'static Entry);

/// A record with its parsed loops.
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
            random_expressions::UFUNCS,
            rounding::UFUNCS,
            signs::UFUNCS,
            floating::UFUNCS,
            special::UFUNCS,
            distributions::UFUNCS,
            integrals::UFUNCS,
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

    /// Iterates over every ufunc, in the order of the families.
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

    /// Returns the position in [`UfuncId::all`].
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
    fn every_signature_is_well_formed_and_unique() {
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
