//! Dense linear algebra of the simulator, in place of cuSOLVER. Float32 is computed in float64 and rounded at the end.
//!
//! The crate faer computes the decompositions, one matrix of a batch after the other.

use cuprum_dense::{Complex, Element, Transpose, Vectors};
use cuprum_kernels::DType;
use cuprum_sim::Machine;

use super::fault;
use crate::driver::Dense;
use crate::driver::dense::{self, SingularVectors, Task, pivot_dtype};
use crate::error::{Error, ErrorKind, Result};

/// Numbers in their memory format.
trait Stored: Element {
    const ZERO: Self;
    const ONE: Self;
    fn conjugate(self) -> Self;
    fn load(narrow: bool, bytes: &[u8]) -> Self;
    fn store(self, narrow: bool, bytes: &mut Vec<u8>);
}

fn load(narrow: bool, b: &[u8]) -> f64 {
    if narrow {
        f32::from_le_bytes(std::array::from_fn(|i| b[i])).into()
    } else {
        f64::from_le_bytes(std::array::from_fn(|i| b[i]))
    }
}

fn store(x: f64, narrow: bool, bytes: &mut Vec<u8>) {
    if narrow { bytes.extend((x as f32).to_le_bytes()) } else { bytes.extend(x.to_le_bytes()) }
}

impl Stored for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    fn conjugate(self) -> f64 {
        self
    }
    fn load(narrow: bool, bytes: &[u8]) -> f64 {
        load(narrow, bytes)
    }
    fn store(self, narrow: bool, bytes: &mut Vec<u8>) {
        store(self, narrow, bytes);
    }
}

impl Stored for Complex {
    const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    const ONE: Complex = Complex { re: 1.0, im: 0.0 };
    fn conjugate(self) -> Complex {
        self.conj()
    }
    fn load(narrow: bool, bytes: &[u8]) -> Complex {
        Complex::new(load(narrow, bytes), load(narrow, &bytes[bytes.len() / 2..]))
    }
    fn store(self, narrow: bool, bytes: &mut Vec<u8>) {
        store(self.re, narrow, bytes);
        store(self.im, narrow, bytes);
    }
}

/// Runs a task immediately.
pub(super) fn run(machine: &Machine, dense: &Dense) -> Result<()> {
    match dense.dtype {
        DType::F32 | DType::F64 => run_as::<f64>(machine, dense),
        DType::C64 | DType::C128 => run_as::<Complex>(machine, dense),
        other => Err(Error::new(ErrorKind::Type, format!("there is no linear algebra of {other}"))),
    }
}

/// The arrays of a task, of which each matrix of a batch has its part.
struct Memory<'a> {
    /// The simulated memory.
    machine: &'a Machine,
    /// The task.
    dense: &'a Dense,
    /// The index of the matrix in the batch.
    number: usize,
    /// True if elements are float32 or complex64: they are computed in double precision.
    narrow: bool,
}

impl Memory<'_> {
    fn at(&self, array: usize, len: usize, size: usize) -> u64 {
        self.dense.arrays[array] + (self.number * len * size) as u64
    }

    fn read_with<T>(&self, array: usize, len: usize, size: usize, of: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        let mut bytes = vec![0; len * size];
        if len > 0 {
            self.machine.read(self.at(array, len, size), &mut bytes).map_err(fault)?;
        }
        Ok(bytes.chunks_exact(size).map(of).collect())
    }

    fn write_with<T: Copy>(&self, array: usize, size: usize, all: &[T], of: impl Fn(T, &mut Vec<u8>)) -> Result<()> {
        if all.is_empty() || self.dense.arrays[array] == 0 {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(all.len() * size);
        all.iter().for_each(|&x| of(x, &mut bytes));
        self.machine.write(self.at(array, all.len(), size), &bytes).map_err(fault)
    }

    fn read<T: Stored>(&self, array: usize, len: usize) -> Result<Vec<T>> {
        self.read_with(array, len, self.dense.dtype.size(), |b| T::load(self.narrow, b))
    }

    fn write<T: Stored>(&self, array: usize, all: &[T]) -> Result<()> {
        self.write_with(array, self.dense.dtype.size(), all, |x, bytes| x.store(self.narrow, bytes))
    }

    fn write_real(&self, array: usize, all: &[f64]) -> Result<()> {
        self.write_with(array, if self.narrow { 4 } else { 8 }, all, |x, bytes| x.store(self.narrow, bytes))
    }

    fn wide_pivots(&self) -> bool {
        pivot_dtype(self.dense.batch, self.dense.m, self.dense.n) == DType::I64
    }

    fn read_pivots(&self, len: usize) -> Result<Vec<i64>> {
        if self.wide_pivots() {
            return self.read_with(1, len, 8, |b| i64::from_le_bytes(std::array::from_fn(|i| b[i])));
        }
        self.read_with(1, len, 4, |b| i32::from_le_bytes(std::array::from_fn(|i| b[i])).into())
    }

    fn write_pivots(&self, all: &[i64]) -> Result<()> {
        if self.wide_pivots() {
            return self.write_with(1, 8, all, |x, bytes| bytes.extend(x.to_le_bytes()));
        }
        self.write_with(1, 4, all, |x, bytes| bytes.extend((x as i32).to_le_bytes()))
    }
}

fn transposed(transpose: dense::Transpose) -> Transpose {
    match transpose {
        dense::Transpose::None => Transpose::None,
        dense::Transpose::Transposed => Transpose::Transposed,
        dense::Transpose::Adjoint => Transpose::Adjoint,
    }
}

fn run_as<T: Stored>(machine: &Machine, dense: &Dense) -> Result<()> {
    let narrow = matches!(dense.dtype, DType::F32 | DType::C64);
    for number in 0..dense.batch {
        let info = one::<T>(&Memory { machine, dense, number, narrow })?;
        if dense.info != 0 {
            machine.write(dense.info + 4 * number as u64, &info.to_le_bytes()).map_err(fault)?;
        }
    }
    Ok(())
}

fn one<T: Stored>(memory: &Memory<'_>) -> Result<i32> {
    let &Dense { task, m, n, k, .. } = memory.dense;
    let short = m.min(n);
    match task {
        Task::Potrf { upper } => {
            let mut a = memory.read::<T>(0, n * n)?;
            let info = T::potrf(upper, n, &mut a);
            memory.write(0, &a)?;
            Ok(info)
        }
        Task::Getrf => {
            let (mut a, mut pivots) = (memory.read::<T>(0, m * n)?, vec![0; short]);
            let info = T::getrf(m, n, &mut a, &mut pivots);
            memory.write(0, &a)?;
            memory.write_pivots(&pivots)?;
            Ok(info)
        }
        Task::Getrs { transpose } => {
            let mut b = memory.read::<T>(2, n * k)?;
            T::getrs(transposed(transpose), n, k, &memory.read::<T>(0, n * n)?, &memory.read_pivots(n)?, &mut b);
            memory.write(2, &b)?;
            Ok(0)
        }
        Task::Getri => {
            let mut out = vec![T::ZERO; n * n];
            (0..n).for_each(|i| out[i * n + i] = T::ONE);
            T::getrs(Transpose::None, n, n, &memory.read::<T>(0, n * n)?, &memory.read_pivots(n)?, &mut out);
            memory.write(2, &out)?;
            Ok(0)
        }
        Task::Trsm { upper, transpose, unit } => {
            let mut b = memory.read::<T>(1, n * k)?;
            T::trsm(upper, transposed(transpose), unit, n, k, &memory.read::<T>(0, n * n)?, &mut b);
            memory.write(1, &b)?;
            Ok(0)
        }
        Task::Geqrf => {
            let (mut a, mut tau) = (memory.read::<T>(0, m * n)?, vec![T::ZERO; short]);
            T::geqrf(m, n, &mut a, &mut tau);
            memory.write(0, &a)?;
            memory.write(1, &tau)?;
            Ok(0)
        }
        Task::Orgqr => {
            let mut a = memory.read::<T>(0, m * n)?;
            T::orgqr(m, n, k, &mut a, &memory.read::<T>(1, k)?);
            memory.write(0, &a)?;
            Ok(0)
        }
        Task::Gesvd { vectors } | Task::Gesvdp { vectors } => {
            let (vectors, columns, rows) = match vectors {
                SingularVectors::None => (Vectors::None, 0, 0),
                SingularVectors::Thin => (Vectors::Thin, short, short),
                SingularVectors::Full => (Vectors::Full, m, n),
            };
            let (mut s, mut u, mut vt) = (vec![0.0; short], vec![T::ZERO; m * columns], vec![T::ZERO; rows * n]);
            let mut info = T::gesvd(m, n, vectors, &memory.read::<T>(0, m * n)?, &mut s, &mut u, &mut vt);
            if let Task::Gesvdp { .. } = task {
                // The right vectors are columns.
                vt = (0..rows * n).map(|at| vt[at % n * n + at / n].conjugate()).collect();
                // The library perturbs matrices with a condition of more than some 1e13.
                if info == 0 && s.last() < s.first().map(|s| s * 1e-13).as_ref() {
                    info = 1;
                }
            }
            memory.write_real(1, &s)?;
            memory.write(2, &u)?;
            memory.write(3, &vt)?;
            Ok(info)
        }
        Task::Syevd { upper, vectors } => {
            let (mut a, mut w) = (memory.read::<T>(0, n * n)?, vec![0.0; n]);
            let info = T::syevd(upper, vectors, n, &mut a, &mut w);
            memory.write(0, &a)?;
            memory.write_real(1, &w)?;
            Ok(info)
        }
        Task::Geev { vectors } => {
            let (mut w, mut v) = (vec![Complex::default(); n], vec![T::ZERO; if vectors { n * n } else { 0 }]);
            let info = T::geev(vectors, n, &memory.read::<T>(0, n * n)?, &mut w, &mut v);
            memory.write_with(1, if memory.narrow { 8 } else { 16 }, &w, |x, bytes| x.store(memory.narrow, bytes))?;
            memory.write(2, &v)?;
            Ok(info)
        }
    }
}
