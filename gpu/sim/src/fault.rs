//! Faults of simulated kernels and their locations.

use std::fmt;

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// An address in no live allocation, or past the end of one.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// An address in memory that was freed.
    UseAfterFree,
    /// Something depends on uninitialised bits: the direction of a branch, an address, the members of a barrier or a
    /// vote, the source lane of a shuffle, a copy to the host. Reading them is no fault, nor is computing with them.
    Unwritten,
    /// Two threads accessed one byte of shared memory, one of them writing, with no barrier between.
    SharedRace,
    /// A thread accessed bytes of shared memory that an asynchronous copy may still be storing: no thread waited for
    /// it.
    MissingWait,
    /// Two threads accessed one byte of global memory, one of them writing, without an order between them. Checked only
    /// if [`Config::races`](crate::Config::races) is set.
    GlobalRace,
    /// Lanes of a warp exchange values, and one has a member mask without itself, or another one than the others.
    LaneMask,
    /// An integer division by zero.
    DivisionByZero,
    /// Threads wait at different barriers, or for threads that never arrive.
    BarrierDivergence,
    /// The kernel ran `trap`.
    Trap,
    /// An `assert` of the kernel failed.
    Assert,
    /// The kernel exceeded the machine's instruction limit.
    Watchdog,
    /// The caller has interrupted the kernel.
    Interrupted,
    /// The machine's memory is exhausted.
    OutOfMemory,
    /// The launch itself is invalid: its grid, block, shared memory or parameters.
    BadLaunch,
    /// An instruction has an invalid operand, as a branch to an index outside its table.
    BadOperand,
}

/// The location of a fault in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The kernel's name.
    pub kernel: String,
    /// The line of the PTX source, counted from 1.
    pub line: u32,
    /// The line of the source and its text, if known (compiled with `-lineinfo`), and for an inlined function the lines
    /// of its calls.
    pub source: Option<String>,
    /// The block's coordinates in the grid.
    pub block: [u32; 3],
    /// The thread's coordinates in the block.
    pub thread: [u32; 3],
}

impl Site {
    /// Formats the location in parentheses, as at the end of messages.
    pub(crate) fn text(&self) -> String {
        let Site { kernel, line, source, block: [bx, by, bz], thread: [tx, ty, tz] } = self;
        let source = source.as_ref().map_or(String::new(), |source| format!("{source}, "));
        format!(" (kernel {kernel}, {source}PTX line {line}, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}))")
    }
}

/// An error of a simulated kernel or of an access from the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    pub(crate) site: Option<Box<Site>>,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into(), site: None }
    }

    /// Returns the kind of the fault.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// Returns the location; `None` for an access from the host.
    pub fn site(&self) -> Option<&Site> {
        self.site.as_deref()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        write!(f, "{}", self.site.as_ref().map_or(String::new(), |s| s.text()))
    }
}

impl std::error::Error for Fault {}

/// An error in a PTX source that the simulator cannot load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// The line of the source, counted from 1.
    pub line: u32,
    /// The message.
    pub message: String,
}

impl PtxError {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> PtxError {
        PtxError { line, message: message.into() }
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for PtxError {}
