//! Entries of compressed rows grouped by columns, where neighbouring rows have entries in few ranges of columns, as the
//! matrices of stencils and bands.
//!
//! Columns are cut into bins whose entries fit in the shared memory of a block. One pass counts the entries of each bin
//! and lists the tiles of rows that have some; then a block for each bin reads these tiles. Memory traffic, for n
//! entries with indices of i bytes and values of v: indices are read twice, values once, and both are written once,
//! n (3 i + 2 v), and all pointers; a tile is read from the cache for each bin that it has entries of.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{
    TRANSPOSE_CAPACITY, TRANSPOSE_COLUMNS, TRANSPOSE_LISTED, TRANSPOSE_ROWS, TRANSPOSE_TILES, TransposeParams,
    transpose_source,
};

use super::compressed::{THREADS, binary_loop, is_wide};
use super::entry_groups::Grouped;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, download, one_device, read, written};
use super::patterns::Pattern;
use super::{Scanning, make};
use crate::error::Result;

const KERNELS: [&str; 2] = ["bin_tiles", "transpose_bins"];

/// Entries of a row and of a column on average up to which their bins are of use.
const FEW_ENTRIES: usize = 12;

thread_local! {
    static TRANSPOSE_KERNELS: Kernels<(bool, u8), 2> = Kernels::default();
}

/// Returns the base-2 logarithm of the columns of a bin: bins are filled by a half, as entries are unevenly distributed.
fn columns_log2(columns: usize, entries: usize) -> u32 {
    let even = (TRANSPOSE_CAPACITY / 8 * 5).saturating_mul(columns) / entries.max(1);
    even.clamp(32, TRANSPOSE_COLUMNS).ilog2()
}

/// Groups the entries of compressed rows by their columns, of `columns`; those of a column stay in the order of the
/// rows. `is_canonical` if no row has a column twice. `None` where other ways are better: if neighbouring rows have
/// entries in many ranges of columns, or rows or columns have many entries; and while the stream is captured.
/// Synchronises to read whether that is so.
pub(crate) fn transpose_rows(of: Pattern<'_>, columns: usize, is_canonical: bool) -> Result<Option<Grouped>> {
    let device = one_device(of.ends, [of.indices, of.values])?;
    let (rows, entries, index) = (of.ends.size() - 1, of.indices.size(), of.ends.dtype());
    let is_sparse = entries <= FEW_ENTRIES.saturating_mul(rows.min(columns));
    let (tiles, shift) = (rows.div_ceil(TRANSPOSE_ROWS), columns_log2(columns, entries));
    let bins = columns.div_ceil(1 << shift);
    let is_counted = u32::try_from(tiles.max(bins)).is_ok();
    if entries == 0 || !is_sparse || !is_counted || device.current_stream().is_capturing() {
        return Ok(None);
    }
    let key = (is_wide(of.ends), of.values.itemsize() as u8);
    let source = || (format!("compressed transpose/{index}/{}-byte elements", key.1), transpose_source(key.0, key.1));
    let [bin_tiles, transpose_bins] = kernels(&TRANSPOSE_KERNELS, device, key, KERNELS, source)?;
    let (status, listed) = (make::zeros(device, &[2], DType::U32)?, make::zeros(device, &[bins], DType::U32)?);
    let counts = make::zeros(device, &[bins + 1], index)?;
    let lists = make::empty(device, &[bins * TRANSPOSE_LISTED], DType::U64)?;
    let params = TransposeParams {
        width: Width::default(),
        rows,
        columns: columns as i64,
        entries,
        ends: read(of.ends),
        indices: read(of.indices),
        input: read(of.values),
        counts: written(&counts),
        starts: Read(None),
        listed: written(&listed),
        tiles: written(&lists),
        status: written(&status),
        out_ends: Written(None),
        out_rows: Written(None),
        out: Written(None),
        shift,
    };
    let grid = Blocks::of(tiles.div_ceil(TRANSPOSE_TILES), rows, "rows");
    // SAFETY: entries are bounded by the pointers and their number, columns by theirs, and a list by its length.
    unsafe { Launcher::on(device).launch(bin_tiles, grid, THREADS, &params) }?;
    let starts = make::empty(device, &[bins + 1], index)?;
    let (op, signature) = binary_loop("add", index)?;
    let signature = signature.into();
    Scanning { op, signature, skip_nan: false, a: &counts, axis: 0, out: &starts, jumps: None }.run()?;
    let mut found = [0; 8];
    download(&mut found, &status, 0)?;
    if found[0] != 0 {
        return Ok(None);
    }
    let ends = make::empty(device, &[columns + 1], index)?;
    let (indices, data) =
        (make::empty(device, &[entries], index)?, make::empty(device, &[entries], of.values.dtype())?);
    let params = TransposeParams {
        starts: read(&starts),
        out_ends: written(&ends),
        out_rows: written(&indices),
        out: written(&data),
        ..params
    };
    // SAFETY: as above, and a bin has at most as many entries as the shared memory.
    unsafe { Launcher::on(device).launch(transpose_bins, Blocks::of(bins, columns, "columns"), THREADS, &params) }?;
    if !is_canonical {
        download(&mut found, &status, 0)?;
    }
    let has_duplicates = !is_canonical && found[4] != 0;
    Ok(Some(Grouped { ends, columns: Some(indices), data, has_duplicates }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;

    fn array(list: &[i64], dtype: DType) -> Array {
        Array::from_slice(list, [list.len()]).unwrap().astype(dtype).unwrap()
    }

    /// Rows with entries at some distances from the diagonal, in an order and with duplicates, of which each row lacks
    /// some.
    fn banded(rows: usize, columns: usize, distances: &[i64]) -> Vec<Vec<i64>> {
        let kept = |row: i64, d: i64| (row * 31 + d * 17).rem_euclid(5) != 0;
        let of = |row: i64| distances.iter().map(move |d| (d, row + d)).filter(move |(d, _)| kept(row, **d));
        let inside = |c: &i64| *c >= 0 && *c < columns as i64;
        (0..rows as i64).map(|row| of(row).map(|(_, c)| c).filter(inside).collect()).collect()
    }

    /// Columns of at most 8, of at most 16 and of more entries, of which the first rows have column 5.
    #[test]
    fn bands_are_transposed() {
        for (rows, columns, distances, rows_of_five, index, dtype) in [
            (5000, 5000, &[-900, -1, 0, 1, 900][..], 0, DType::I32, DType::F32),
            (5000, 5000, &[-900, -1, 0, 1, 900], 11, DType::I32, DType::F32),
            (5000, 5000, &[-900, -1, 0, 1, 900], 200, DType::I64, DType::F64),
            (4000, 4000, &[-9, 8, -7, 6, 5, -4, 3, -2, 1, 0, 11], 0, DType::I32, DType::F32),
            (9000, 9000, &[1, 0, 0, -1], 0, DType::I32, DType::I64),
            (3000, 700, &[0, -2000, 5], 0, DType::I64, DType::I16),
            (130, 4000, &[3, 2, 1, 7, 3000], 0, DType::I64, DType::C128),
        ] {
            let mut list = banded(rows, columns, distances);
            list[..rows_of_five].iter_mut().filter(|row| !row.contains(&5)).for_each(|row| row.push(5));
            let mut ends = vec![0];
            let mut want = vec![vec![]; columns];
            let mut value = 0;
            for (row, columns) in list.iter().enumerate() {
                for &c in columns {
                    want[c as usize].push((row as i64, value % 30_000));
                    value += 1;
                }
                ends.push(value);
            }
            let values: Vec<i64> = (0..value).map(|v| v % 30_000).collect();
            let (ends, indices) = (array(&ends, index), array(&list.concat(), index));
            let values = array(&values, dtype);
            let of = Pattern { ends: &ends, indices: &indices, values: &values };
            let found = transpose_rows(of, columns, false).unwrap().unwrap();
            let host = |a: &Array| a.astype(DType::I64).unwrap().to_vec::<i64>().unwrap();
            let mut pointers = vec![0];
            want.iter().for_each(|c| pointers.push(pointers[pointers.len() - 1] + c.len() as i64));
            let want = want.concat();
            assert_eq!(host(&found.ends), pointers);
            assert_eq!(host(&found.columns.unwrap()), want.iter().map(|e| e.0).collect::<Vec<_>>());
            let data = if dtype == DType::C128 { crate::real(&found.data) } else { found.data };
            assert_eq!(host(&data), want.iter().map(|e| e.1).collect::<Vec<_>>());
            assert_eq!(found.has_duplicates, distances.contains(&-1) && distances.len() == 4);
        }
    }

    /// A tile with entries in more than 32 bins, a row of more than 256 entries, a column that all rows have, and bins
    /// of entries from many tiles are left to other ways.
    #[test]
    fn other_matrices_are_left() {
        let n = 40_000i64;
        let scattered: Vec<Vec<i64>> = (0..n).map(|row| vec![row * 7919 % n]).collect();
        let mut long: Vec<Vec<i64>> = (0..n).map(|row| vec![row]).collect();
        long[77] = (0..257).collect();
        let column: Vec<Vec<i64>> = (0..n).map(|_| vec![5]).collect();
        let strided: Vec<Vec<i64>> = (0..n).map(|row| vec![row % 128 * 200]).collect();
        for list in [scattered, long, column, strided] {
            let mut ends = vec![0];
            list.iter().for_each(|row| ends.push(ends[ends.len() - 1] + row.len() as i64));
            let (ends, indices) = (array(&ends, DType::I32), array(&list.concat(), DType::I32));
            let of = Pattern { ends: &ends, indices: &indices, values: &indices };
            assert!(transpose_rows(of, n as usize, true).unwrap().is_none());
        }
    }
}
