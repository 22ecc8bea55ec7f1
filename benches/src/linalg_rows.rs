//! Benchmarks of linear algebra: products, contractions, decompositions and solvers, of single matrices and of batches.

use cuprum::linalg::{self, SvdOptions};
use cuprum::{Array, DType, EinsumOptions, EinsumPath, Result};

use crate::data::{Data, Sizes};
use crate::device_rows::{Prepared, Row, row};

/// Scales a published side to the size of the operands.
fn side(data: &Data, n: usize) -> usize {
    (n * data.sizes.matrix / Sizes::LARGE.matrix).max(2).min(n)
}

/// Returns the number of matrices of a batch.
fn count(data: &Data, n: usize) -> usize {
    (n * data.sizes.short_rows / Sizes::LARGE.short_rows).max(2)
}

/// Returns random numbers in a shape.
fn numbers(base: &Array, shape: &[usize], dtype: DType) -> Result<Array> {
    cuprum::resize(base, shape)?.astype(dtype)
}

fn timed(call: impl Fn() -> Result<Array> + 'static) -> Result<Prepared> {
    Ok(Prepared { bytes: None, call: Box::new(call) })
}

fn product(name: &'static str, n: usize, dtype: DType, transposed: bool) -> Row {
    row(name, move |data| {
        let n = side(data, n);
        let (a, b) = (numbers(&data.a, &[n, n], dtype)?, numbers(&data.b, &[n, n], dtype)?);
        let (a, b) = if transposed { (a.t(), b.t()) } else { (a, b) };
        timed(move || cuprum::matmul(&a, &b))
    })
}

fn products() -> Vec<Row> {
    vec![
        product("matmul f32 8192", 8192, DType::F32, false),
        product("matmul f64 4096", 4096, DType::F64, false),
        product("matmul f64 8192", 8192, DType::F64, false),
        product("matmul c64 4096", 4096, DType::C64, false),
        product("matmul c64 8192", 8192, DType::C64, false),
        product("matmul f16 4096", 4096, DType::F16, false),
        product("matmul f16 8192", 8192, DType::F16, false),
        product("matmul bf16 4096", 4096, DType::BF16, false),
        product("matmul bf16 8192", 8192, DType::BF16, false),
        product("matmul i8 4096", 4096, DType::I8, false),
        product("matmul i8 8192", 8192, DType::I8, false),
        product("matmul i32 4096", 4096, DType::I32, false),
        product("matmul i32 8192", 8192, DType::I32, false),
        product("matmul i32 4096, both transposed", 4096, DType::I32, true),
        product("matmul i64 4096", 4096, DType::I64, false),
        product("matmul bool 4096", 4096, DType::Bool, false),
        product("matmul f32 4096, both transposed", 4096, DType::F32, true),
        row("matmul f32, 10^5 of 64", |data| {
            let shape = [count(data, 100_000), side(data, 64), side(data, 64)];
            let (a, b) = (numbers(&data.a, &shape, DType::F32)?, numbers(&data.b, &shape, DType::F32)?);
            timed(move || cuprum::matmul(&a, &b))
        }),
    ]
}

/// Contractions: the name, the subscripts, and the length of each subscript's axis.
const CONTRACTIONS: [(&str, &str, &str); 10] = [
    ("einsum attention scores", "bhqd,bhkd->bhqk", "b8 h16 q1024 k1024 d64"),
    ("einsum attention values", "bhqk,bhkd->bhqd", "b8 h16 q1024 k1024 d64"),
    ("einsum bilinear", "bi,oij,bj->bo", "b1024 i256 j256 o64"),
    ("einsum outer products", "bi,bj->bij", "b1024 i256 j256"),
    ("einsum chain", "ij,jk,kl->il", "i1024 j1024 k1024 l1024"),
    ("einsum matrix product state", "ab,bcd,def,fg->aceg", "a64 b64 c16 d64 e16 f64 g64"),
    ("einsum tensors of four", "abcd,cdef->abef", "a32 b32 c32 d32 e32 f32"),
    ("einsum trace of a product", "ij,ji->", "i4096 j4096"),
    ("einsum matrices by vectors", "bij,bj->bi", "b256 i1024 j1024"),
    ("einsum four indices", "ea,fb,abcd,gc,hd->efgh", "a32 b32 c32 d32 e32 f32 g32 h32"),
];

fn contraction(name: &'static str, text: &'static str, lengths: &'static str) -> Row {
    row(name, move |data| {
        let length = |letter: char| {
            let parsed = lengths.split(' ').find_map(|one| one.strip_prefix(letter)).and_then(|n| n.parse().ok());
            side(data, parsed.expect("every letter has a length"))
        };
        let operands = text.split("->").next().unwrap_or_default().split(',');
        let made = operands.map(|letters| {
            let shape: Vec<usize> = letters.chars().map(length).collect();
            numbers(&data.a, &shape, DType::F32)
        });
        let operands = made.collect::<Result<Vec<_>>>()?;
        timed(move || cuprum::einsum(text, &operands, EinsumOptions::new().optimize(EinsumPath::Greedy)))
    })
}

/// A function of a matrix, or of a batch of matrices, and of right-hand sides.
type Solved = fn(&Array, &Array) -> Result<Array>;

/// Decompositions and solvers: `a` is positive definite for `cholesky`; `b` has one right-hand side for each matrix.
const SOLVERS: [(&str, Solved); 7] = [
    ("svd", |a, _| Ok(linalg::svd(a, SvdOptions::new().full_matrices(false))?.1)),
    ("eigh", |a, _| Ok(linalg::eigh(a, ())?.0)),
    ("qr", |a, _| Ok(linalg::qr(a, ())?.1)),
    ("cholesky", |a, _| linalg::cholesky(a, ())),
    ("solve", |a, b| linalg::solve(a, b)),
    ("inv", |a, _| linalg::inv(a)),
    ("lstsq", |a, b| Ok(linalg::lstsq(a, b, ())?.0)),
];

fn solver(name: &'static str, f: Solved, n: usize, stack: Option<usize>) -> Row {
    let shown = match stack {
        None => format!("{name} f32 {n}"),
        Some(_) => format!("{name} f32, 10^4 of {n}"),
    };
    row(shown, move |data| {
        let n = side(data, n);
        let stack: Vec<usize> = stack.map(|stack| count(data, stack)).into_iter().collect();
        let shape = |columns: usize| [&stack[..], &[n, columns]].concat();
        let (a, b) = (numbers(&data.a, &shape(n), DType::F32)?, numbers(&data.b, &shape(1), DType::F32)?);
        // A dominant diagonal makes every matrix regular, and positive definite for Cholesky, which reads one triangle.
        let a = cuprum::add(&a, cuprum::multiply(cuprum::eye(n, ())?.astype(DType::F32)?, 9.0 * n as f64)?)?;
        timed(move || f(&a, &b))
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = products();
    rows.extend(CONTRACTIONS.map(|(name, text, lengths)| contraction(name, text, lengths)));
    for (name, f) in SOLVERS {
        rows.extend([256, 1024, 4096].map(|n| solver(name, f, n, None)));
        // Least squares are not batched.
        if name != "lstsq" {
            rows.extend([4, 32, 64].map(|n| solver(name, f, n, Some(10_000))));
        }
    }
    rows
}
