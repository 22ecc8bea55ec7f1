//! Matrix products of the simulator, in place of cuBLAS.
//!
//! The crate matrixmultiply computes products of floats; integers wrap.

use cuprum_kernels::DType;
use cuprum_sim::Machine;
use half::{bf16, f16};

use super::fault;
use crate::driver::Gemm;
use crate::error::{Error, ErrorKind, Result};

/// Reads a matrix whose columns are `ld` elements apart. The memory between them is not read, and may be uninitialised.
fn read_matrix<T: Copy>(
    machine: &Machine,
    (addr, ld): (u64, usize),
    (rows, columns): (usize, usize),
    size: usize,
    of: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>> {
    // The last column ends with its last element: the memory after it need not belong to this matrix.
    let len = if rows == 0 || columns == 0 { 0 } else { ld * (columns - 1) + rows };
    let mut bytes = vec![0; len * size];
    for column in 0..if len == 0 { 0 } else { columns } {
        let start = column * ld * size;
        machine.read(addr + start as u64, &mut bytes[start..start + rows * size]).map_err(fault)?;
    }
    Ok(bytes.chunks_exact(size).map(of).collect())
}

/// Computes a product immediately, or those of a batch.
pub(super) fn product(machine: &Machine, g: &Gemm) -> Result<()> {
    let size = g.dtype.size() as i64;
    let sizes = [size, size, if g.dtype == DType::I8 { 4 } else { size }];
    for number in 0..g.batch as i64 {
        let at =
            |(addr, step): (u64, usize), k: usize| (addr.wrapping_add_signed(number * g.strides[k] * sizes[k]), step);
        one(machine, &Gemm { a: at(g.a, 0), b: at(g.b, 1), c: at(g.c, 2), batch: 1, ..*g })?;
    }
    Ok(())
}

fn one(machine: &Machine, g: &Gemm) -> Result<()> {
    /// Multiplies in the given type, after widening from the one in memory, and stores results of `$size` bytes.
    macro_rules! product {
        ($gemm:path, $zero:expr, $one:expr, $size:literal, $load:expr, $store:expr $(, $flags:expr)?) => {{
            let stored = |t: bool, (rows, columns): (usize, usize), ld: usize| -> ((usize, usize), isize, isize) {
                let form = if t { (columns, rows) } else { (rows, columns) };
                (form, if t { ld as isize } else { 1 }, if t { 1 } else { ld as isize })
            };
            let (a_form, a_row, a_column) = stored(g.transpose[0], (g.m, g.k), g.a.1);
            let (b_form, b_row, b_column) = stored(g.transpose[1], (g.k, g.n), g.b.1);
            let a = read_matrix(machine, g.a, a_form, $size, $load)?;
            let b = read_matrix(machine, g.b, b_form, $size, $load)?;
            let (mut c, scale) = match g.adds {
                true => {
                    let given = read_matrix(machine, g.c, (g.m, g.n), $size, $load)?;
                    (given.chunks(g.c.1).flat_map(|column| &column[..g.m]).copied().collect(), $one)
                }
                false => (vec![$zero; g.m * g.n], $zero),
            };
            // SAFETY: the vectors hold all elements that these sizes and strides reach.
            unsafe {
                $gemm(
                    $($flags, $flags,)? g.m, g.k, g.n, $one, a.as_ptr(), a_row, a_column, b.as_ptr(), b_row, b_column,
                    scale, c.as_mut_ptr(), 1, g.m as isize,
                );
            }
            for (j, column) in c.chunks_exact(g.m).enumerate() {
                let bytes: Vec<u8> = column.iter().flat_map($store).collect();
                let step = g.c.1 * (bytes.len() / g.m);
                machine.write(g.c.0 + (j * step) as u64, &bytes).map_err(fault)?;
            }
        }};
    }
    let f32_at = |b: &[u8], i: usize| f32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
    let f64_at = |b: &[u8], i: usize| {
        f64::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7]])
    };
    let half_bits = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
    if g.m == 0 || g.n == 0 {
        return Ok(());
    }
    if g.adds && g.dtype == DType::I8 {
        return Err(Error::new(ErrorKind::Type, "products of int8 are not added".to_owned()));
    }
    use matrixmultiply::{CGemmOption::Standard, cgemm, dgemm, sgemm, zgemm};
    match g.dtype {
        // Sums that fit in int32 are exact in float64; others saturate.
        DType::I8 => product!(dgemm, 0.0, 1.0, 1, |b| f64::from(b[0] as i8), |x| (*x as i32).to_le_bytes()),
        DType::F16 => {
            product!(sgemm, 0.0, 1.0, 2, |b| f16::from_bits(half_bits(b)).to_f32(), |x| f16::from_f32(*x).to_le_bytes())
        }
        DType::BF16 => {
            product!(sgemm, 0.0, 1.0, 2, |b| bf16::from_bits(half_bits(b)).to_f32(), |x| bf16::from_f32(*x)
                .to_le_bytes())
        }
        DType::F32 => product!(sgemm, 0.0, 1.0, 4, |b| f32_at(b, 0), |x| x.to_le_bytes()),
        DType::F64 => product!(dgemm, 0.0, 1.0, 8, |b| f64_at(b, 0), |x| x.to_le_bytes()),
        DType::C64 => product!(
            cgemm,
            [0.0, 0.0],
            [1.0, 0.0],
            8,
            |b| [f32_at(b, 0), f32_at(b, 4)],
            |x: &[f32; 2]| [x[0].to_le_bytes(), x[1].to_le_bytes()].concat(),
            Standard
        ),
        DType::C128 => product!(
            zgemm,
            [0.0, 0.0],
            [1.0, 0.0],
            16,
            |b| [f64_at(b, 0), f64_at(b, 8)],
            |x: &[f64; 2]| [x[0].to_le_bytes(), x[1].to_le_bytes()].concat(),
            Standard
        ),
        other => return Err(Error::new(ErrorKind::Type, format!("there is no matrix product of {other}"))),
    }
    Ok(())
}
