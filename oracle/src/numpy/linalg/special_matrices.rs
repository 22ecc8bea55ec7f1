//! SciPy's special matrices, element by element.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::promote::promote_types;
use crate::core::value::{Value, ulp};
use crate::numpy::math::difference::{call, float, part};
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, counterparts};

/// Converts a 0-d array to a 1-D array of one element.
fn line(a: &NdArray) -> Result<NdArray> {
    if a.ndim() == 0 { a.reshape(&[1], Order::C) } else { Ok(a.clone()) }
}

fn length(a: &NdArray) -> usize {
    a.shape()[a.ndim() - 1]
}

/// Creates a matrix for each 1-D slice, or for each group of slices of broadcast batches.
fn of_lines(
    lines: &[&NdArray],
    dtype: DType,
    [rows, columns]: [usize; 2],
    element: impl Fn(&[&[Value]], usize, usize) -> Value,
) -> Result<NdArray> {
    let stacks: Vec<&[usize]> = lines.iter().map(|a| &a.shape()[..a.ndim() - 1]).collect();
    let stack = broadcast_shapes(&stacks)?;
    let full = |a: &&NdArray| Ok(a.broadcast_to(&[&stack[..], &[length(a)]].concat())?.values());
    let all: Vec<Vec<Value>> = lines.iter().map(full).collect::<Result<_>>()?;
    let mut values = vec![];
    for number in 0..stack.iter().product() {
        let own: Vec<&[Value]> =
            all.iter().zip(lines).map(|(all, a)| &all[number * length(a)..(number + 1) * length(a)]).collect();
        for i in 0..rows {
            values.extend((0..columns).map(|j| element(&own, i, j)));
        }
    }
    NdArray::from_values(dtype, &[&stack[..], &[rows, columns]].concat(), values)
}

fn toeplitz(c: &NdArray, r: Option<&NdArray>) -> Result<NdArray> {
    let c = line(c)?;
    let r = match r {
        Some(r) => line(r)?,
        None if c.dtype().is_complex() => call("conjugate", &[(&c).into()])?,
        None => c.clone(),
    };
    let dtype = promote_types(c.dtype(), r.dtype());
    of_lines(&[&c, &r], dtype, [length(&c), length(&r)], |l, i, j| if i >= j { l[0][i - j] } else { l[1][j - i] })
}

fn hankel(c: &NdArray, r: Option<&NdArray>) -> Result<NdArray> {
    let c = c.reshape(&[-1], Order::C)?;
    let r = match r {
        Some(r) => r.reshape(&[-1], Order::C)?,
        None => NdArray::from_values(c.dtype(), c.shape(), vec![Value::zero(c.dtype()); c.size()])?,
    };
    let (m, dtype) = (c.size(), promote_types(c.dtype(), r.dtype()));
    of_lines(&[&c, &r], dtype, [m, r.size()], |l, i, j| if i + j < m { l[0][i + j] } else { l[1][i + j + 1 - m] })
}

fn circulant(c: &NdArray) -> Result<NdArray> {
    let c = line(c)?;
    let n = length(&c);
    of_lines(&[&c], c.dtype(), [n, n], |l, i, j| l[0][(i + n - j) % n])
}

fn convolution_matrix(a: &NdArray, n: isize, mode: &str) -> Result<NdArray> {
    let a = line(a)?;
    let count = length(&a);
    if n <= 0 || count == 0 {
        return fail(ErrorKind::Value, "n must be a positive integer, and a not empty");
    }
    let n = n as usize;
    let short = n.min(count) - 1;
    let (rows, from) = match mode {
        "same" => (n.max(count), short / 2),
        "valid" => (n.max(count) - short, short),
        _ => (n + count - 1, 0),
    };
    of_lines(&[&a], a.dtype(), [rows, n], |l, i, j| {
        let at = (i + from).checked_sub(j).filter(|k| *k < count);
        at.map_or(Value::zero(a.dtype()), |k| l[0][k])
    })
}

fn any_zero(a: &NdArray) -> bool {
    a.values().iter().any(|v| !v.truth())
}

fn companion(a: &NdArray) -> Result<NdArray> {
    let a = line(a)?;
    let n = length(&a);
    if n < 2 {
        return fail(ErrorKind::Value, "the length of a must be at least 2");
    }
    let (lead, rest) = (part(&a, a.ndim() - 1, None, Some(1))?, part(&a, a.ndim() - 1, Some(1), None)?);
    // Booleans have no negative, whatever the first element is.
    let negative = call("negative", &[(&rest).into()])?;
    if any_zero(&lead) {
        return fail(ErrorKind::Value, "the first coefficient must not be zero");
    }
    let lead = call("multiply", &[float(1.0), (&lead).into()])?;
    let row = call("true_divide", &[(&negative).into(), (&lead).into()])?;
    let dtype = row.dtype();
    of_lines(&[&row], dtype, [n - 1, n - 1], |l, i, j| match i {
        0 => l[0][j],
        _ if i == j + 1 => Value::Int(1),
        _ => Value::Int(0),
    })
}

fn leslie(f: &NdArray, s: &NdArray) -> Result<NdArray> {
    let (f, s) = (line(f)?, line(s)?);
    let n = length(&f);
    if n != length(&s) + 1 || n == 1 {
        return fail(ErrorKind::Value, "incorrect lengths for f and s");
    }
    of_lines(&[&f, &s], promote_types(f.dtype(), s.dtype()), [n, n], |l, i, j| match i {
        0 => l[0][j],
        _ if i == j + 1 => l[1][j],
        _ => Value::Int(0),
    })
}

fn fiedler(a: &NdArray) -> Result<NdArray> {
    let a = line(a)?;
    if a.size() < 2 {
        let shape: &[usize] = if a.size() == 0 { &[0] } else { &[1, 1] };
        return NdArray::from_values(DType::F64, shape, vec![Value::Float(0.0); a.size()]);
    }
    let last = a.ndim() as isize;
    let (down, across) = (a.expand_dims(&[last])?, a.expand_dims(&[last - 1])?);
    call("absolute", &[(&call("subtract", &[(&down).into(), (&across).into()])?).into()])
}

fn fiedler_companion(a: &NdArray) -> Result<NdArray> {
    let a = line(a)?;
    let count = length(&a);
    if count < 2 {
        let shape = [&a.shape()[..a.ndim() - 1], &[0]].concat();
        return NdArray::from_values(a.dtype(), &shape, []);
    }
    let lead = part(&a, a.ndim() - 1, None, Some(1))?;
    if count > 2 && any_zero(&lead) {
        return fail(ErrorKind::Value, "the leading coefficient is zero");
    }
    let a = call("true_divide", &[(&a).into(), (&lead).into()])?;
    let below = call("negative", &[(&a).into()])?;
    let n = count - 1;
    of_lines(&[&below], a.dtype(), [n, n], |l, i, j| match (i, j) {
        (0, 0) => l[0][1],
        (1, 0) => Value::Int(1),
        // Odd coefficients are below the diagonal, even ones above it.
        _ if i == j + 1 && i % 2 == 0 => l[0][i + 1],
        _ if j == i + 1 && i % 2 == 0 => l[0][j + 1],
        _ if i == j + 2 && i % 2 == 1 => Value::Int(1),
        _ if j == i + 2 && i % 2 == 0 => Value::Int(1),
        _ => Value::Int(0),
    })
}

fn block_diag(arrays: &[&NdArray]) -> Result<NdArray> {
    let two = |a: &&NdArray| {
        let a = line(a)?;
        if a.ndim() == 1 { a.expand_dims(&[0]) } else { Ok(a) }
    };
    let all: Vec<NdArray> = arrays.iter().map(two).collect::<Result<_>>()?;
    let stacks: Vec<&[usize]> = all.iter().map(|a| &a.shape()[..a.ndim() - 2]).collect();
    let stack = broadcast_shapes(&stacks)?;
    let side = |a: &NdArray, k: usize| a.shape()[a.ndim() - 1 - k];
    let (m, n) = (all.iter().map(|a| side(a, 1)).sum::<usize>(), all.iter().map(|a| side(a, 0)).sum::<usize>());
    let dtype = all.iter().map(NdArray::dtype).reduce(promote_types).unwrap_or(DType::F64);
    let count: usize = stack.iter().product();
    let mut values = vec![Value::zero(dtype); count * m * n];
    let (mut row, mut column) = (0, 0);
    for a in &all {
        let (rows, columns) = (side(a, 1), side(a, 0));
        let own = a.broadcast_to(&[&stack[..], &[rows, columns]].concat())?.values();
        for (at, value) in own.into_iter().enumerate() {
            let (number, i, j) = (at / (rows * columns), at / columns % rows, at % columns);
            values[(number * m + row + i) * n + column + j] = value;
        }
        (row, column) = (row + rows, column + columns);
    }
    NdArray::from_values(dtype, &[&stack[..], &[m, n]].concat(), values)
}

fn khatri_rao(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    if a.ndim() < 2 || b.ndim() < 2 || length(a) != length(b) {
        return fail(ErrorKind::Value, "matrices with as many columns are needed");
    }
    let (first, second) = (a.expand_dims(&[a.ndim() as isize - 1])?, b.expand_dims(&[b.ndim() as isize - 2])?);
    let product = call("multiply", &[(&first).into(), (&second).into()])?;
    let shape: Vec<isize> = product.shape().iter().map(|n| *n as isize).collect();
    let [stack @ .., m, rows, n] = &shape[..] else { return fail(ErrorKind::Value, "no matrices") };
    product.reshape(&[stack, &[m * rows, *n]].concat(), Order::C)
}

/// Creates a float64 matrix from a function of row and column.
fn square(n: usize, element: impl Fn(usize, usize) -> f64) -> Result<NdArray> {
    NdArray::from_values(DType::F64, &[n, n], (0..n * n).map(|at| Value::Float(element(at / n, at % n))))
}

fn hadamard(n: isize, dtype: Option<DType>) -> Result<NdArray> {
    if n < 1 || n.count_ones() != 1 {
        return fail(ErrorKind::Value, "n must be a power of 2");
    }
    let (n, dtype) = (n as usize, dtype.unwrap_or(DType::I64));
    if dtype == DType::Bool && n > 1 {
        return fail(ErrorKind::Type, "booleans have no negatives");
    }
    // Sylvester's doubling: the last quarter is the negative of the others.
    let mut all = vec![vec![1i128]];
    while all.len() < n {
        let above = all.iter().map(|row| [&row[..], &row[..]].concat());
        let below = all.iter().map(|row| row.iter().copied().chain(row.iter().map(|x| -x)).collect::<Vec<_>>());
        all = above.chain(below).collect();
    }
    let wrapped = |x: i128| crate::core::value::cast(Value::Int(x), dtype).0;
    NdArray::from_values(dtype, &[n, n], all.into_iter().flatten().map(wrapped))
}

fn helmert(n: usize, full: bool) -> Result<NdArray> {
    if n == 0 {
        return fail(ErrorKind::Index, "index 0 is out of bounds");
    }
    let element = |i: usize, j: usize| {
        if i == 0 {
            return 1.0 / (n as f64).sqrt();
        }
        let by = ((i * (i + 1)) as f64).sqrt();
        match i.cmp(&j) {
            std::cmp::Ordering::Greater => 1.0 / by,
            std::cmp::Ordering::Equal => -(i as f64) / by,
            std::cmp::Ordering::Less => 0.0 / by,
        }
    };
    let all = square(n, element)?;
    if full { Ok(all) } else { part(&all, 0, Some(1), None) }
}

fn binomial(n: usize, k: usize) -> i128 {
    if k > n { 0 } else { (0..k as i128).fold(1, |all, i| all * (n as i128 - i) / (i + 1)) }
}

fn invhilbert(n: usize, exact: bool) -> Result<Bounded> {
    if n > if exact { 14 } else { 25 } {
        return fail(ErrorKind::Value, "no integers of the dtype");
    }
    let element = |i: usize, j: usize| {
        let sign = if (i + j).is_multiple_of(2) { 1 } else { -1 };
        let size = (i + j + 1) as i128 * binomial(n + i, n - j - 1) * binomial(n + j, n - i - 1);
        sign * size * binomial(i + j, i).pow(2)
    };
    let all = (0..n * n).map(|at| element(at / n, at % n));
    let result = if exact {
        NdArray::from_values(DType::I64, &[n, n], all.map(Value::Int))?
    } else {
        NdArray::from_values(DType::F64, &[n, n], all.map(|x| Value::Float(x as f64)))?
    };
    // Four products of rounded numbers.
    let unit = |v: &Value| if exact { 0.0 } else { 16.0 * ulp(v.float(), DType::F64) };
    let bounds = result.values().iter().map(unit).collect();
    Ok(Bounded { result, bounds })
}

fn pascal(n: usize, kind: &str, exact: bool) -> Result<NdArray> {
    if exact && n > 34 {
        return fail(ErrorKind::Value, "no integers of 64 bits");
    }
    if kind == "upper" {
        return pascal(n, "lower", exact)?.transpose(None);
    }
    let element = |at: usize| match (kind, at / n, at % n) {
        ("lower", i, j) => binomial(i, j),
        (_, i, j) => binomial(i + j, i),
    };
    match exact {
        true => NdArray::from_values(DType::U64, &[n, n], (0..n * n).map(|at| Value::Int(element(at)))),
        false => NdArray::from_values(DType::F64, &[n, n], (0..n * n).map(|at| Value::Float(element(at) as f64))),
    }
}

/// Computes the DFT matrix: roots of unity of an angle that is rounded a few times.
fn dft(n: usize, scale: Option<&str>) -> Result<Bounded> {
    let by = match scale {
        None => 1.0,
        Some("sqrtn") => (n as f64).sqrt(),
        Some("n") => n as f64,
        Some(_) => return fail(ErrorKind::Value, "scale must be None, 'sqrtn' or 'n'"),
    };
    let root = |at: usize| {
        // Whole turns are removed before anything is rounded.
        let turn = (at / n * (at % n)) % n;
        let angle = -2.0 * std::f64::consts::PI * turn as f64 / n as f64;
        Value::Complex(Complex64::new(angle.cos() / by, angle.sin() / by))
    };
    let result = NdArray::from_values(DType::C128, &[n, n], (0..n * n).map(root))?;
    let bounds = vec![32.0 * f64::EPSILON / by; n * n];
    Ok(Bounded { result, bounds })
}

fn flag(t: &Arguments, name: &str) -> CallResult<bool> {
    t.or(name, false)
}

counterparts! {
    "scipy.linalg.toeplitz" = |t| toeplitz(t.get("c")?, t.get::<Option<&NdArray>>("r")?);
    "scipy.linalg.hankel" = |t| hankel(t.get("c")?, t.get::<Option<&NdArray>>("r")?);
    "scipy.linalg.circulant" = |t| circulant(t.get("c")?);
    "scipy.linalg.convolution_matrix" = |t| convolution_matrix(t.get("a")?, t.get("n")?, t.or("mode", "full")?);
    "scipy.linalg.companion" = |t| companion(t.get("a")?);
    "scipy.linalg.leslie" = |t| leslie(t.get("f")?, t.get("s")?);
    "scipy.linalg.fiedler" = |t| fiedler(t.get("a")?);
    "scipy.linalg.fiedler_companion" = |t| fiedler_companion(t.get("a")?);
    "scipy.linalg.block_diag" = |t| block_diag(&t.get::<Vec<&NdArray>>("arrs")?);
    "scipy.linalg.khatri_rao" = |t| khatri_rao(t.get("a")?, t.get("b")?);
    "scipy.linalg.hadamard" = |t| hadamard(t.get("n")?, t.get("dtype")?);
    "scipy.linalg.helmert" = |t| helmert(t.get("n")?, flag(t, "full")?);
    "scipy.linalg.hilbert" = |t| square(t.get("n")?, |i, j| 1.0 / (1 + i + j) as f64);
    "scipy.linalg.invhilbert" = |t| invhilbert(t.get("n")?, flag(t, "exact")?);
    "scipy.linalg.pascal" = |t| pascal(t.get("n")?, t.or("kind", "symmetric")?, t.or("exact", true)?);
    "scipy.linalg.dft" = |t| dft(t.get("n")?, t.get::<Option<&str>>("scale")?);
}
