//! Discrete Fourier transforms, as the devices' libraries take them.

/// Of what, and into what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Turning {
    /// Complex numbers of complex numbers, in either direction.
    Complex,
    /// The first half of the last axis, of real numbers.
    Forward,
    /// Real numbers of the first half of the one axis. It overwrites its input.
    Backward,
}

/// How the elements of one side lie, counted in elements of that side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lie {
    /// How many elements of the axis behind it one of an axis spans: that of the first axis counts for nothing.
    pub(crate) embed: [i64; 3],
    /// From an element of the last axis to the next.
    pub(crate) stride: i64,
    /// From a transform of the batch to the next.
    pub(crate) dist: i64,
}

/// Code that is called for each element that a transform reads, or for each that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hook {
    /// Of what is written: multiplied, and conjugated behind it. The bits of a float64.
    Factor { bits: u64, conjugate: bool },
    /// A text of the user's, by its number among [those that there are](super::hooks), and the address that it is told.
    Text { number: u32, data: u64 },
}

/// A transform without its addresses: what a library makes a plan of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(any(feature = "cuda", feature = "sim")), allow(dead_code, reason = "no device reads it"))]
pub(crate) struct Transform {
    pub(crate) turning: Turning,
    /// Of float64 and complex128, not of float32 and complex64.
    pub(crate) wide: bool,
    /// Axes: one, two or three.
    pub(crate) rank: usize,
    /// Their lengths, of the whole and not of the half.
    pub(crate) n: [i64; 3],
    pub(crate) input: Lie,
    pub(crate) output: Lie,
    pub(crate) batch: i64,
    pub(crate) load: Option<Hook>,
    pub(crate) store: Option<Hook>,
}

/// A plan of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    /// What the library knows it by.
    pub(crate) handle: usize,
    /// Bytes of the work area that each transform needs.
    pub(crate) work: usize,
}

/// A transform with its addresses.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's libraries alone read some of it"))]
pub(crate) struct Transforming {
    pub(crate) transform: Transform,
    pub(crate) plan: Planned,
    /// Of complex numbers: in the other direction.
    pub(crate) inverse: bool,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Of as many bytes as the plan says.
    pub(crate) work: u64,
}
