//! Discrete Fourier transforms: the driver interface.
//!
//! A plan has up to three axes, any strides that cuFFT's advanced layout can express, and a batch.

/// Kind of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TransformKind {
    /// Complex to complex, in either direction.
    Complex,
    /// Real to complex: the first half of the last axis.
    Forward,
    /// Complex to real, from the first half of the one axis. It overwrites its input.
    Backward,
}

/// Layout of the elements of one side, in elements of that side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct BatchLayout {
    /// Number of elements of the next axis that one element of an axis spans (`embed`): that of the first axis is
    /// ignored.
    pub(crate) embed: [i64; 3],
    /// Stride of the last axis.
    pub(crate) stride: i64,
    /// Distance between consecutive transforms of the batch.
    pub(crate) dist: i64,
}

/// Callback for each element that a transform reads, or for each that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hook {
    /// A factor for each written element, followed by an optional conjugation. The bits of a float64.
    Factor { bits: u64, conjugate: bool },
    /// A source of the user's, by its number among [the registered ones](super::fft_callbacks), and the address that is
    /// passed to it.
    Text { number: u32, data: u64 },
}

/// A transform without its addresses, for which a library creates a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(any(feature = "cuda", feature = "sim")), allow(dead_code, reason = "no device reads it"))]
pub(crate) struct Transform {
    /// Kind: complex, real to complex, complex to real.
    pub(crate) turning: TransformKind,
    /// True for float64 and complex128, false for float32 and complex64.
    pub(crate) wide: bool,
    /// Number of axes: one, two or three.
    pub(crate) rank: usize,
    /// Their lengths, of the full and not of the halved axis.
    pub(crate) n: [i64; 3],
    /// Layout of the input.
    pub(crate) input: BatchLayout,
    /// Layout of the output.
    pub(crate) output: BatchLayout,
    /// Number of transforms.
    pub(crate) batch: i64,
    /// Callback for each element that is read.
    pub(crate) load: Option<Hook>,
    /// Callback for each element that is written.
    pub(crate) store: Option<Hook>,
}

/// A plan of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LibraryPlan {
    /// The library's handle.
    pub(crate) handle: usize,
    /// Bytes of the work area that each transform needs.
    pub(crate) work: usize,
}

/// A transform with its addresses.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's libraries alone read some of it"))]
pub(crate) struct Transforming {
    /// The transform.
    pub(crate) transform: Transform,
    /// The library's plan.
    pub(crate) plan: LibraryPlan,
    /// For complex transforms: true for the inverse direction.
    pub(crate) inverse: bool,
    /// Address of the input.
    pub(crate) input: u64,
    /// Address of the output.
    pub(crate) output: u64,
    /// The work area, of the plan's size.
    pub(crate) work: u64,
}
