//! Solution of systems of equations with a block tridiagonal matrix, by cyclic reduction on the device.
//!
//! Each level eliminates every second row of blocks, so that a system of n rows takes log2(n) levels of independent rows. Only the rows of a
//! block are permuted: diagonally dominant and totally positive matrices, those of splines, need no other pivots. One step of iterative
//! refinement removes most of the rounding. Lower bound of memory traffic: blocks and right-hand sides, read and written twice.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{BLOCK_TRIDIAGONAL_THREADS, BlockTridiagonalParams, block_tridiagonal_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::{copy, elementwise, internal, make};
use crate::array::{Array, Operand};
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;

thread_local! {
    static KERNELS: Kernels<(), 5> = Kernels::default();
}

/// Rows of blocks of a level.
struct Level {
    rows: usize,
    lower: Array,
    /// Inverses of the even blocks.
    diagonal: Array,
    upper: Array,
    before: Array,
    after: Array,
}

/// Block tridiagonal matrix that is factored level by level.
struct Factors {
    device: Device,
    side: usize,
    levels: Vec<Level>,
    functions: [Function; 5],
}

fn blank<'a>(rows: usize, side: usize, columns: usize) -> BlockTridiagonalParams<DevicePtr<'a>> {
    BlockTridiagonalParams {
        width: Width::default(),
        rows,
        side,
        columns,
        apart: 1,
        lower: Read(None),
        diagonal: Written(None),
        upper: Read(None),
        before: Written(None),
        after: Written(None),
        pivots: Written(None),
        next_lower: Written(None),
        next_diagonal: Written(None),
        next_upper: Written(None),
        rights: Read(None),
        next_rights: Written(None),
        known: Read(None),
        solutions: Written(None),
    }
}

fn blocks(threads: usize) -> Blocks {
    Blocks::of(threads.div_ceil(BLOCK_TRIDIAGONAL_THREADS), threads, "elements")
}

impl Factors {
    fn new(device: Device, blocks_of: [&Array; 3]) -> Result<Factors> {
        let [lower, diagonal, upper] = blocks_of;
        let names = ["block_invert", "block_reduce", "block_forward", "block_back", "block_residual"];
        let functions =
            kernels(&KERNELS, device, (), names, || ("block tridiagonal".into(), block_tridiagonal_source()))?;
        let (mut rows, side) = (diagonal.shape()[0], diagonal.shape()[1]);
        let (mut lower, mut upper) = (lower.clone(), upper.clone());
        let mut current = make::empty(device, diagonal.shape(), DType::F64)?;
        copy(diagonal, &current)?;
        let mut levels = Vec::new();
        let launcher = Launcher::on(device);
        let pivots = make::empty(device, &[rows * side], DType::I64)?;
        loop {
            let odd = rows / 2;
            let new = || make::empty(device, &[odd.max(1), side, side], DType::F64);
            let (before, after) = (new()?, new()?);
            let next = [new()?, new()?, new()?];
            let params = BlockTridiagonalParams {
                lower: read(&lower),
                diagonal: written(&current),
                upper: read(&upper),
                pivots: written(&pivots),
                before: written(&before),
                after: written(&after),
                next_lower: written(&next[0]),
                next_diagonal: written(&next[1]),
                next_upper: written(&next[2]),
                ..blank(rows, side, 0)
            };
            // SAFETY: arrays have `rows` blocks, and those of the next level half of them.
            unsafe {
                launcher.launch(functions[0], blocks(rows.div_ceil(2)), BLOCK_TRIDIAGONAL_THREADS, &params)?;
                if odd > 0 {
                    launcher.launch(functions[1], blocks(odd * side), BLOCK_TRIDIAGONAL_THREADS, &params)?;
                }
            }
            levels.push(Level { rows, lower, diagonal: current, upper, before, after });
            if odd == 0 {
                return Ok(Factors { device, side, levels, functions });
            }
            rows = odd;
            [lower, current, upper] = next;
        }
    }

    /// Returns the solutions for right-hand sides in C order.
    fn solve(&self, rights: &Array) -> Result<Array> {
        let columns = rights.shape()[1];
        let launcher = Launcher::on(self.device);
        let mut sides = vec![rights.clone()];
        for level in &self.levels[..self.levels.len() - 1] {
            let odd = level.rows / 2;
            let next = make::empty(self.device, &[odd * self.side, columns], DType::F64)?;
            let params = BlockTridiagonalParams {
                before: written(&level.before),
                after: written(&level.after),
                rights: read(&sides[sides.len() - 1]),
                next_rights: written(&next),
                ..blank(level.rows, self.side, columns)
            };
            // SAFETY: there is a right-hand side for each row of the level, and one of the next for each odd row of blocks.
            unsafe {
                launcher.launch(self.functions[2], blocks(next.size()), BLOCK_TRIDIAGONAL_THREADS, &params)?;
            }
            sides.push(next);
        }
        let mut known: Option<Array> = None;
        for (level, rights) in self.levels.iter().zip(&sides).rev() {
            let solutions = make::empty(self.device, rights.shape(), DType::F64)?;
            let params = BlockTridiagonalParams {
                apart: 2,
                lower: read(&level.lower),
                diagonal: written(&level.diagonal),
                upper: read(&level.upper),
                rights: read(rights),
                known: Read(known.as_ref().map(DevicePtr::of)),
                solutions: written(&solutions),
                ..blank(level.rows, self.side, columns)
            };
            // SAFETY: known solutions are those of the odd rows; a level of one row reads none.
            unsafe {
                launcher.launch(self.functions[3], blocks(solutions.size()), BLOCK_TRIDIAGONAL_THREADS, &params)?;
            }
            known = Some(solutions);
        }
        Ok(known.unwrap_or_else(|| rights.clone()))
    }
}

/// Returns the solutions for right-hand sides of two axes. The blocks before, on and after the diagonal have three axes: rows of blocks, and the rows and columns of
/// a block. All arrays are float64 and in C order; there is a row and a column at least.
pub(crate) fn solve_block_tridiagonal(blocks_of: [&Array; 3], rights: &Array) -> Result<Array> {
    let [lower, diagonal, upper] = blocks_of;
    let device = one_device(rights, blocks_of)?;
    let (rows, side, columns) = (diagonal.shape()[0], diagonal.shape()[1], rights.shape()[1]);
    let factors = Factors::new(device, blocks_of)?;
    let solutions = factors.solve(rights)?;
    let residual = make::empty(device, rights.shape(), DType::F64)?;
    let params = BlockTridiagonalParams {
        lower: read(lower),
        diagonal: written(diagonal),
        upper: read(upper),
        rights: read(rights),
        known: read(&solutions),
        solutions: written(&residual),
        ..blank(rows, side, columns)
    };
    // SAFETY: the kernel only reads the diagonal, and there is a solution and a right-hand side for each row.
    unsafe {
        Launcher::on(device).launch(
            factors.functions[4],
            blocks(residual.size()),
            BLOCK_TRIDIAGONAL_THREADS,
            &params,
        )?;
    }
    let correction = factors.solve(&residual)?;
    let (add, loop_of) = internal("add", DType::F64)?;
    elementwise(add, loop_of, &[Operand::Array(&solutions), Operand::Array(&correction)], &residual)?;
    Ok(residual)
}
