//! Integer matrix products on int8 tensor cores, by splitting into 8-bit digits.
//!
//! An integer of w bytes is the sum of w digits from -128 to 127, each times a power of 256, modulo 2^(8w), signed or
//! not. Digit s of the product is the sum of the products of digits whose positions have the sum s: one matrix product
//! of bytes along an inner axis that is s + 1 times as long, as the planes of the first operand's digits are in
//! ascending order and those of the second's in descending order. The sums for each digit position are then added in a
//! word.
//!
//! Lower bound: w (w + 1) / 2 products of bytes for each product of elements; each operand read once and written once,
//! and w sums of four bytes for each element of the result, written and read, unless the L2 cache holds them.
//!
//! A sum of products of digits may overflow int32 from 2^17 products on, and no library promises that it wraps: the
//! inner axis is divided into shorter parts, and the results of all but the first are added to the output. The
//! temporary memory is bounded likewise: the product is computed in blocks.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{
    DIGITS_PER_THREAD, DIGITS_THREADS, DIGITS_TILE, Digits, JoinDigitsParams, SplitDigitsParams,
};

use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, Matrix, Stack, gemm};
use crate::engine::make;
use crate::error::Result;

/// Multiple of the numbers of digits, rows and planes: the library's tensor cores take 16 bytes at once.
const UNIT: usize = 16;

/// Bounds of a block of a product.
#[derive(Clone, Copy)]
struct Bounds {
    /// Number of products of digits, each at most 2^14, in a sum.
    summed: usize,
    /// Rows of a product.
    rows: usize,
    /// Number of temporary sums.
    sums: usize,
    /// Number of temporary digits of an operand.
    digits: usize,
}

/// Sums that fit in int32, rows that keep tensor cores busy, 256 MiB of sums, and 512 MiB of digits of each operand.
const BOUNDS: Bounds = Bounds { summed: (1 << 17) - 1, rows: 1 << 12, sums: 1 << 26, digits: 1 << 29 };

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Digits, 2> = Kernels::default();
}

/// Returns true if `count` products of matrices of `m` by `k` and of `k` by `n` elements are computed faster by tensor
/// cores. The squares of tensor cores must be filled at least by half; 128 products take the time of the memory traffic
/// for an element of the result, some 10 bytes for each of its own; and in a batch, which keeps the integer cores busy
/// as well, matrices must be larger.
pub(in crate::engine) fn is_profitable(device: Device, [m, n, k]: [usize; 3], count: usize) -> Result<bool> {
    if m.min(n) < 64 || k < 128 {
        return Ok(false);
    }
    let products = m.saturating_mul(n).saturating_mul(k);
    let enough = |least| products >= least / 4 && products.saturating_mul(count) >= least;
    Ok(device.driver()?.byte_products().is_some_and(enough))
}

/// Batch of matrices as rows, with strides in bytes: rows of the first operand and of the result, columns of the second
/// operand.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Operand<'a> {
    pub(in crate::engine) array: &'a Array,
    pub(in crate::engine) line: i64,
    /// Stride between elements of a row.
    pub(in crate::engine) step: i64,
    /// Stride between matrices.
    pub(in crate::engine) stack: i64,
}

/// Part of an axis: its beginning and its length.
type Part = (usize, usize);

/// Divides an axis into parts of equal length, except for the last: at most `most`, a multiple of [`UNIT`].
fn parts(n: usize, most: usize) -> impl Iterator<Item = Part> {
    let length = n.div_ceil(n.div_ceil(most)).next_multiple_of(UNIT);
    (0..n).step_by(length).map(move |at| (at, length.min(n - at)))
}

/// Rows that are split into digits: those of a part of the inner axis, for some matrices of a batch.
struct Lines {
    /// First matrix of the batch, and their number.
    matrices: Part,
    /// First row of each matrix, and their number.
    lines: Part,
    /// First element of the inner axis, and their number.
    inner: Part,
    /// Number of rows that are written for each matrix: those beyond the last are zeros.
    padded: usize,
    /// True if digits are stored from the most significant on, as those of the second operand are.
    descending: bool,
}

/// Writes `count` products of matrices of `m` by `k` and of `k` by `n` elements of the result's dtype.
pub(in crate::engine) fn multiply(operands: [Operand<'_>; 3], sizes: [usize; 3], count: usize) -> Result<()> {
    multiply_within(BOUNDS, operands, sizes, count)
}

fn multiply_within(
    bounds: Bounds,
    [left, right, out]: [Operand<'_>; 3],
    [m, n, k]: [usize; 3],
    count: usize,
) -> Result<()> {
    if out.line.unsigned_abs() < out.step.unsigned_abs() {
        // The transposed product is the product of the transposed operands in reverse: results are then written
        // contiguously.
        let swapped = Operand { line: out.step, step: out.line, ..out };
        return multiply_within(bounds, [right, left, swapped], [n, m, k], count);
    }
    let (device, dtype) = (out.array.device(), out.array.dtype());
    let key = Digits { digits: dtype.size() as u8, truth: dtype == DType::Bool };
    let names = ["split_digits", "join_digits"];
    let [split, join] = kernels(&KERNELS, device, key, names, || (key.name(), key.source()))?;
    let plan = Plan { digits: dtype.size(), split, join };
    let digits = plan.digits;
    for inner in parts(k, bounds.summed / digits / UNIT * UNIT) {
        let line = digits * inner.1.next_multiple_of(UNIT);
        let rows = m.min(bounds.rows);
        let columns = (bounds.sums / (digits * rows)).min(bounds.digits / line) / UNIT * UNIT;
        let together = if rows == m && n <= columns {
            let n = n.next_multiple_of(UNIT);
            (bounds.sums / (digits * rows * n)).min(bounds.digits / (line * rows.max(n))).max(1)
        } else {
            1
        };
        for first in (0..count).step_by(together) {
            let matrices = (first, together.min(count - first));
            for down in parts(m, bounds.rows) {
                let lines = Lines { matrices, lines: down, inner, padded: down.1, descending: false };
                let first = plan.split(left, &lines)?;
                for across in parts(n, columns) {
                    let padded = across.1.next_multiple_of(UNIT);
                    let lines = Lines { matrices, lines: across, inner, padded, descending: true };
                    let second = plan.split(right, &lines)?;
                    let sums = plan.sums(&first, &second, matrices.1)?;
                    plan.join(&sums, out, [matrices, down, across], inner.0 > 0)?;
                }
            }
        }
    }
    Ok(())
}

/// Properties common to all blocks of a product.
struct Plan {
    /// Number of int8 digits of an element.
    digits: usize,
    /// Kernel that splits elements into digits.
    split: Function,
    /// Kernel that adds the products of digits with their weights.
    join: Function,
}

impl Plan {
    /// Returns the digits of rows, as an array of matrices, rows, and all planes of a row. A matrix that is broadcast
    /// over the batch is split once.
    fn split(&self, from: Operand<'_>, of: &Lines) -> Result<Array> {
        let (device, depth) = (from.array.device(), of.inner.1.next_multiple_of(UNIT));
        let matrices = if from.stack == 0 { 1 } else { of.matrices.1 };
        let digits = make::empty(device, &[matrices, of.padded, self.digits * depth], DType::I8)?;
        let start = [(of.matrices.0, from.stack), (of.lines.0, from.line), (of.inner.0, from.step)];
        let moved = start.iter().map(|(at, step)| *at as i64 * step).sum();
        let params = SplitDigitsParams {
            width: Width::default(),
            lines: of.lines.1,
            padded: of.padded,
            k: of.inner.1,
            depth,
            from: Read(Some(DevicePtr::of(from.array).moved(moved))),
            into: Written(Some(DevicePtr::of(&digits))),
            line_step: from.line,
            step: from.step,
            stack: from.stack,
            along: from.step.unsigned_abs() <= from.line.unsigned_abs(),
            descending: of.descending,
        };
        let tiles = matrices * of.padded.div_ceil(DIGITS_TILE) * depth.div_ceil(DIGITS_TILE);
        let blocks = Blocks::of(tiles, matrices * of.lines.1 * of.inner.1, "elements of an operand");
        // SAFETY: elements of the part's rows are read, and as many digits are written as the array has.
        unsafe { Launcher::on(device).launch(self.split, blocks, DIGITS_THREADS, &params) }?;
        Ok(digits)
    }

    /// Returns the sums of products of digits: an array of digit positions, matrices, rows and columns.
    fn sums(&self, first: &Array, second: &Array, matrices: usize) -> Result<Array> {
        let (&[_, rows, line], &[_, columns, _]) = (first.shape(), second.shape()) else {
            unreachable!("digits have three axes");
        };
        let depth = line / self.digits;
        let sums = make::empty(first.device(), &[self.digits, matrices, rows, columns], DType::I32)?;
        let stacked = |x: &Array| if x.shape()[0] == 1 { 0 } else { (x.size() / x.shape()[0]) as i64 };
        for digit in 0..self.digits {
            // In the library's column-major order the product is the transposed one.
            let left = Matrix { array: second, transposed: true, step: line };
            let right = Matrix { array: first, transposed: false, step: line };
            let product = Matrix { array: &sums, transposed: false, step: columns };
            let stack = Stack {
                count: matrices,
                strides: [stacked(second), stacked(first), (rows * columns) as i64],
                offsets: [((self.digits - 1 - digit) * depth) as i64, 0, sums.strides()[0] * digit as i64],
                adds: false,
            };
            // SAFETY: the planes that are read are within each row of digits, and a plane of sums is written.
            unsafe { gemm([columns, rows, (digit + 1) * depth], [left, right, product], stack) }?;
        }
        Ok(sums)
    }

    /// Joins the sums to the elements of a block of the result.
    fn join(&self, sums: &Array, out: Operand<'_>, [matrices, rows, columns]: [Part; 3], more: bool) -> Result<()> {
        let count = matrices.1 * rows.1 * columns.1;
        let start = [(matrices.0, out.stack), (rows.0, out.line), (columns.0, out.step)];
        let moved = start.iter().map(|(at, step)| *at as i64 * step).sum();
        let params = JoinDigitsParams {
            width: Width::default(),
            count: count as u32,
            rows: rows.1 as u32,
            columns: columns.1 as u32,
            more,
            padded: sums.shape()[3],
            plane: sums.size() / self.digits,
            sums: Read(Some(DevicePtr::of(sums))),
            out: Written(Some(DevicePtr::of(out.array).moved(moved))),
            row_step: out.line,
            step: out.step,
            stack: out.stack,
        };
        let blocks = Blocks::of(count.div_ceil(DIGITS_THREADS * DIGITS_PER_THREAD), count, "elements of a product");
        // SAFETY: the sums of the block are read, and its elements are written.
        unsafe { Launcher::on(sums.device()).launch(self.join, blocks, DIGITS_THREADS, &params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::index::s;

    /// Returns pseudorandom words.
    fn words(n: usize) -> Vec<u64> {
        let mut state = 1u64;
        let next = |_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        (0..n).map(next).collect()
    }

    /// Compares products of batches, in blocks of all kinds, with sums of words; the second operand is reversed and
    /// column-major, and the result is column-major, too.
    fn check<T: Element + Copy + PartialEq + std::fmt::Debug>(
        bounds: Bounds,
        of: fn(u64) -> T,
        joined: fn(u64, u64, u64) -> u64,
    ) -> Result<()> {
        let (count, m, n, k) = (3, 37, 50, 83);
        let (a, b) = (words(count * m * k), words(n * k));
        let first = Array::from_slice(&a.iter().map(|w| of(*w)).collect::<Vec<_>>(), [count, m, k])?;
        let second = Array::from_slice(&b.iter().map(|w| of(*w)).collect::<Vec<_>>(), [n, k])?;
        let second = second.index(s![.., ..; -1])?.t();
        for swapped in [false, true] {
            let out = make::empty(first.device(), &if swapped { [count, n, m] } else { [count, m, n] }, T::DTYPE)?;
            let out = if swapped { out.swapaxes(1, 2)? } else { out };
            let (rows, columns, results) = (first.strides(), second.strides(), out.strides());
            let operands = [
                Operand { array: &first, line: rows[1], step: rows[2], stack: rows[0] },
                Operand { array: &second, line: columns[1], step: columns[0], stack: 0 },
                Operand { array: &out, line: results[1], step: results[2], stack: results[0] },
            ];
            multiply_within(bounds, operands, [m, n, k], count)?;
            let mut expected = vec![];
            for row in a.chunks(k) {
                for column in b.chunks(k) {
                    expected.push(of(row.iter().zip(column.iter().rev()).fold(0, |sum, (x, y)| joined(sum, *x, *y))));
                }
            }
            assert_eq!(out.to_vec::<T>()?, expected, "{} swapped {swapped}", T::DTYPE);
        }
        Ok(())
    }

    fn check_all(bounds: Bounds) -> Result<()> {
        let wrapping = |sum: u64, x: u64, y: u64| sum.wrapping_add(x.wrapping_mul(y));
        check(bounds, |w| w as i8, wrapping)?;
        check(bounds, |w| w as u16, wrapping)?;
        check(bounds, |w| w as i32, wrapping)?;
        check(bounds, |w| w as u32, wrapping)?;
        check(bounds, |w| w as i64, wrapping)?;
        // One bit in eleven, so that some sums are zero.
        check(bounds, |w| w % 11 == 1, |sum, x, y| if x % 11 == 1 && y % 11 == 1 { 1 } else { sum })
    }

    #[test]
    fn products_are_those_of_words() -> Result<()> {
        check_all(BOUNDS)
    }

    #[test]
    fn products_in_parts_of_the_inner_axis_are_those_of_words() -> Result<()> {
        check_all(Bounds { summed: 8 * UNIT, ..BOUNDS })
    }

    #[test]
    fn products_in_blocks_are_those_of_words() -> Result<()> {
        check_all(Bounds { rows: UNIT, sums: 8 * UNIT * UNIT, ..BOUNDS })?;
        check_all(Bounds { digits: 8 * 96 * UNIT, summed: 8 * UNIT, ..BOUNDS })
    }

    #[test]
    fn stacks_in_parts_are_those_of_words() -> Result<()> {
        check_all(Bounds { sums: 8 * 64 * 37, ..BOUNDS })?;
        check_all(Bounds { sums: 2 * 64 * 50, ..BOUNDS })
    }

    #[test]
    fn parts_cover_an_axis() {
        for (n, most) in [(1, 16), (16, 16), (17, 16), (4100, 4096), (83, 48), (131_057, 131_056)] {
            let all: Vec<Part> = parts(n, most).collect();
            assert_eq!(all.iter().map(|part| part.1).sum::<usize>(), n);
            assert!(all.iter().all(|(at, length)| at % UNIT == 0 && *length <= most), "{all:?}");
            assert!(all.windows(2).all(|two| two[0].0 + two[0].1 == two[1].0), "{all:?}");
        }
    }
}
