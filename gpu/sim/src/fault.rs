//! What can go wrong, and where it did.

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
    /// Something depends on bits that nobody wrote: the way of a branch, an address, who takes part in a barrier or a
    /// vote, the lane that a shuffle reads, a copy to the host. Reading them is no fault, nor is computing with them.
    Unwritten,
    /// Two threads touched one byte of shared memory, one of them writing, with no barrier between.
    SharedRace,
    /// A thread touched bytes of shared memory that an asynchronous copy may still be storing: nobody waited for it.
    MissingWait,
    /// Two threads touched one byte of global memory, one of them writing, and nothing orders the two. Looked for only
    /// where [`Config::races`](crate::Config::races) asks for it.
    GlobalRace,
    /// Lanes of a warp exchange values, and one names members that it is not among, or others than they do.
    LaneMask,
    /// An integer division by zero.
    DivisionByZero,
    /// Threads wait at different barriers, or for threads that never come.
    BarrierDivergence,
    /// The kernel ran `trap`.
    Trap,
    /// An `assert` of the kernel failed.
    Assert,
    /// The kernel ran longer than the machine's limit.
    Watchdog,
    /// The caller has interrupted the kernel.
    Interrupted,
    /// The machine's memory is full.
    OutOfMemory,
    /// The launch itself is wrong: its grid, block, shared memory or parameters.
    BadLaunch,
    /// An instruction was given what it cannot work with, as a branch to an index outside its table.
    BadOperand,
}

/// Where in a kernel a fault happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The kernel's name.
    pub kernel: String,
    /// The line of the PTX text, counted from 1.
    pub line: u32,
    /// The line of the source and what it says, where the text tells (compiled with `-lineinfo`), and for a function that was
    /// inlined the lines of its calls.
    pub source: Option<String>,
    /// The block's coordinates in the grid.
    pub block: [u32; 3],
    /// The thread's coordinates in the block.
    pub thread: [u32; 3],
}

impl Site {
    /// The place in parentheses, as messages have it at their end.
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

    /// What kind of fault it is.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// Where it happened; `None` for an access from the host.
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

/// A PTX text that the simulator cannot load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// The line of the text, counted from 1.
    pub line: u32,
    /// What is wrong with it.
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
