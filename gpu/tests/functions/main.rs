//! Calls of public functions on the device of `CUPRUM_DEVICE`, in one program: each program that is linked with the
//! library costs seconds. Tests that capture streams, or that change or observe the whole process, have programs of their
//! own.

mod first_programs;
mod io;
mod nonfinite;
mod optional_arguments;
mod options;
mod overlap;
mod sorting;
