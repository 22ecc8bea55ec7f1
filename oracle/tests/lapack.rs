//! Comparison with LAPACK, in both directions: LAPACK's results pass the oracle's checks, the oracle's results agree
//! with LAPACK's wherever they are mathematically unique, and a slightly wrong result is rejected.
//!
//! Requires the feature `lapack`, which uses the system's OpenBLAS: `./ci/run.sh sim lapack`.

use cuprum_kernels::DType;
use cuprum_oracle::table::{Argument, Arguments, find};
use cuprum_oracle::{Gathering, LIMIT, NdArray, Value};
use ndarray::{Array1, Array2};
use ndarray_linalg::{
    Cholesky, Determinant, Eig, Eigh, Inverse, Lapack, LeastSquaresSvd, QR, SVD, Scalar, Solve, UPLO, c32, c64,
};

/// An element type of LAPACK with its dtype in the oracle.
trait Element: Lapack {
    const DTYPE: DType;
    const EPSILON: f64;

    fn value(self) -> Value;

    /// Converts from two parts; a real type takes the first.
    fn of(re: f64, im: f64) -> Self;
}

macro_rules! element {
    ($type:ty, $dtype:ident, $epsilon:expr, |$x:ident| $value:expr, |$re:ident, $im:ident| $of:expr) => {
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const EPSILON: f64 = $epsilon as f64;

            fn value(self) -> Value {
                let $x = self;
                $value
            }

            fn of($re: f64, $im: f64) -> Self {
                let _ = $im;
                $of
            }
        }
    };
}
element!(f32, F32, f32::EPSILON, |x| Value::Float(f64::from(x)), |re, im| re as f32);
element!(f64, F64, f64::EPSILON, |x| Value::Float(x), |re, im| re);
element!(c32, C64, f32::EPSILON, |x| Value::Complex(c64::new(x.re.into(), x.im.into())), |re, im| c32::new(
    re as f32, im as f32
));
element!(c64, C128, f64::EPSILON, |x| Value::Complex(x), |re, im| c64::new(re, im));

fn stored<T: Element>(a: &Array2<T>) -> NdArray {
    NdArray::from_values(T::DTYPE, a.shape(), a.iter().map(|x| x.value())).expect("as many values as the shape has")
}

fn line<T: Element>(a: &Array1<T>) -> NdArray {
    NdArray::from_values(T::DTYPE, a.shape(), a.iter().map(|x| x.value())).expect("as many values as the shape has")
}

/// Converts real results of LAPACK to the dtype of the oracle's.
fn reals<R: Scalar<Real = R>>(a: &Array1<R>, of: DType) -> NdArray {
    let dtype = if matches!(of, DType::F32 | DType::C64) { DType::F32 } else { DType::F64 };
    let values = a.iter().map(|x| Value::Float(number(*x)));
    NdArray::from_values(dtype, a.shape(), values).expect("as many values as the shape has")
}

/// Returns the nearest `f64`, which holds every real element.
fn number<R: Scalar<Real = R>>(x: R) -> f64 {
    x.to_string().parse().expect("a number is written as one")
}

fn complex(values: &NdArray) -> Vec<c64> {
    values
        .values()
        .into_iter()
        .map(|v| match v {
            Value::Complex(z) => z,
            Value::Float(x) => c64::new(x, 0.0),
            Value::Int(i) => c64::new(i as f64, 0.0),
            other => panic!("{other:?} is no result of linear algebra"),
        })
        .collect()
}

fn arguments(all: &[(&str, Argument)]) -> Arguments {
    Arguments::new(all.iter().map(|(name, a)| ((*name).into(), a.clone())).collect(), Gathering::NUMPY)
}

/// Checks the oracle's results, and LAPACK's, by the oracle's residuals, and returns the oracle's.
fn judged(
    name: &str,
    arguments: &[(&str, Argument)],
    lapack: &[NdArray],
    seen: &mut ComparisonCounts,
    what: &str,
) -> Vec<NdArray> {
    let function = find(name).expect("the oracle has it");
    let own = function.call(&self::arguments(arguments)).unwrap_or_else(|fault| panic!("{name} of {what}: {fault:?}"));
    let worst = |results: &[NdArray]| {
        let rests =
            function.residuals(&self::arguments(arguments), results).expect("the call is one").expect("it is judged");
        assert!(!rests.is_empty(), "{name} of {what}: nothing was checked");
        rests.into_iter().max_by(|a, b| a.size.total_cmp(&b.size)).expect("not empty")
    };
    for (whose, results) in [("the oracle's", own.as_slice()), ("LAPACK's", lapack)] {
        let rest = worst(results);
        assert!(
            rest.size <= LIMIT,
            "{name} of {what}: {whose} {} is {} where {LIMIT} is allowed",
            rest.what,
            rest.size
        );
        seen.judged += 1;
    }
    // Changed by far more than the tolerance, each result has to be rejected.
    for k in 0..lapack.len() {
        let values = complex(&lapack[k]);
        let Some(largest) = (0..values.len()).max_by(|a, b| values[*a].norm().total_cmp(&values[*b].norm())) else {
            continue;
        };
        if values[largest].norm() == 0.0 || lapack[k].dtype() == DType::I64 {
            continue;
        }
        let moved = lapack[k].values().into_iter().enumerate().map(|(i, v)| match v {
            Value::Float(x) if i == largest => Value::Float(x * 1.25),
            Value::Complex(z) if i == largest => Value::Complex(z * 1.25),
            other => other,
        });
        let mut wrong = lapack.to_vec();
        wrong[k] = NdArray::from_values(lapack[k].dtype(), lapack[k].shape(), moved).expect("as many as before");
        assert!(worst(&wrong).size > LIMIT, "{name} of {what}: result {k} is a quarter too large, which passes");
        seen.rejected += 1;
    }
    own
}

/// Compares each value with LAPACK's, within `allowed`.
fn near(name: &str, own: &NdArray, lapack: &NdArray, allowed: f64, seen: &mut ComparisonCounts, what: &str) {
    assert_eq!(own.shape(), lapack.shape(), "{name} of {what}");
    for (a, b) in complex(own).into_iter().zip(complex(lapack)) {
        assert!(
            a == b || (a - b).norm() <= allowed,
            "{name} of {what}: {a} is {b} by LAPACK, {allowed:e} apart at most"
        );
        seen.beside += 1;
    }
}

/// Counts of comparisons with LAPACK.
#[derive(Default)]
struct ComparisonCounts {
    judged: usize,
    rejected: usize,
    beside: usize,
}

/// Numbers in [-1, 1) from a seed (Steele and Vigna's recurrence of 64 bits, upper half).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn matrix<T: Element>(&mut self, m: usize, n: usize) -> Array2<T> {
        Array2::from_shape_fn((m, n), |_| T::of(self.next(), self.next()))
    }

    /// Returns orthonormal columns, by LAPACK.
    fn orthogonal<T: Element>(&mut self, m: usize, n: usize) -> Array2<T> {
        self.matrix::<T>(m, n).qr().expect("columns of any kind").0
    }

    /// Returns a matrix with these singular values.
    fn of_values<T: Element>(&mut self, m: usize, n: usize, values: impl Fn(usize, usize) -> f64) -> Array2<T> {
        let k = m.min(n);
        let (u, v) = (self.orthogonal::<T>(m, k), self.orthogonal::<T>(n, k));
        let scaled = Array2::from_shape_fn((m, k), |(i, j)| u[[i, j]] * T::of(values(j, k), 0.0));
        scaled.dot(&v.mapv(|x| x.conj()).t())
    }
}

/// Returns matrices of known kinds: name, matrix, and whether linear systems with it are well-conditioned.
fn matrices<T: Element>(m: usize, n: usize, seed: u64) -> Vec<(String, Array2<T>, bool)> {
    let mut numbers = Numbers(seed);
    let exact = T::EPSILON.sqrt();
    let mut all = vec![
        ("random numbers", numbers.matrix(m, n), true),
        (
            "singular values that fall to a root of the epsilon",
            numbers.of_values(m, n, |j, k| exact.powf(j as f64 / k as f64)),
            true,
        ),
        (
            "two clusters of singular values",
            numbers.of_values(m, n, |j, k| if 2 * j < k { 1.0 } else { 1e-2 + 1e-5 * j as f64 }),
            true,
        ),
        ("half the rank", numbers.of_values(m, n, |j, k| if 2 * j < k { 1.0 } else { 0.0 }), false),
        ("Hilbert", Array2::from_shape_fn((m, n), |(i, j)| T::of(1.0 / (i + j + 1) as f64, 0.0)), false),
        (
            "rows from large to small",
            {
                let base = numbers.matrix::<T>(m, n);
                Array2::from_shape_fn((m, n), |(i, j)| base[[i, j]] * T::of(10f64.powf(-(i as f64) / 4.0), 0.0))
            },
            true,
        ),
    ];
    for (called, scale) in [("huge", 1e12), ("tiny", 1e-12)] {
        let base = numbers.matrix::<T>(m, n);
        all.push((called, base.mapv(|x| x * T::of(scale, 0.0)), true));
    }
    all.into_iter().map(|(called, a, sound)| (format!("{called}, {m} × {n} of {}", T::DTYPE), a, sound)).collect()
}

fn size<T: Element>(a: &Array2<T>) -> f64 {
    complex(&stored(a)).iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt()
}

fn array(a: NdArray) -> Argument {
    Argument::Array(a)
}

/// Compares decompositions of rectangular matrices.
fn rectangular<T: Element>(seen: &mut ComparisonCounts) {
    for (k, (m, n)) in [(1, 1), (4, 4), (7, 3), (3, 7), (12, 12), (20, 9)].into_iter().enumerate() {
        for (what, a, _) in matrices::<T>(m, n, k as u64 + 1) {
            let operand = array(stored(&a));
            let (u, s, vh) = a.svd(true, true).expect("finite numbers");
            let (u, vh) = (u.expect("it was requested"), vh.expect("it was requested"));
            let parts = [stored(&u), reals(&s, T::DTYPE), stored(&vh)];
            let own = judged("numpy.linalg.svd", &[("a", operand.clone())], &parts, seen, &what);
            // Weyl: a perturbation moves a singular value by no more than its norm.
            let allowed = LIMIT * m.max(n) as f64 * T::EPSILON * size(&a);
            near("svd", &own[1], &parts[1], allowed, seen, &what);
            let (q, r) = a.qr().expect("finite numbers");
            judged("numpy.linalg.qr", &[("a", operand)], &[stored(&q), stored(&r)], seen, &what);
        }
    }
}

/// Compares functions of square matrices.
fn square<T: Element>(seen: &mut ComparisonCounts)
where
    T::Complex: Element,
{
    for (k, n) in [1, 3, 5, 10].into_iter().enumerate() {
        for (what, a, sound) in matrices::<T>(n, n, k as u64 + 100) {
            let operand = ("a", array(stored(&a)));
            let (w, v) = a.eig().expect("finite numbers");
            let own = judged("numpy.linalg.eigvals", std::slice::from_ref(&operand), &[line(&w)], seen, &what);
            assert_eq!(own[0].shape(), [n]);
            if sound {
                judged("numpy.linalg.eig", std::slice::from_ref(&operand), &[line(&w), stored(&v)], seen, &what);
                let right = Numbers(k as u64 + 7).matrix::<T>(n, 1).column(0).to_owned();
                let x = a.solve(&right).expect("it is not singular");
                judged("numpy.linalg.solve", &[operand.clone(), ("b", array(line(&right)))], &[line(&x)], seen, &what);
                let inverse = a.inv().expect("it is not singular");
                judged("numpy.linalg.inv", std::slice::from_ref(&operand), &[stored(&inverse)], seen, &what);
            }
            let own = find("numpy.linalg.det")
                .expect("the oracle has it")
                .call(&self::arguments(&[operand]))
                .expect("it is square");
            let lapack = a.det().unwrap_or_else(|_| T::of(0.0, 0.0));
            // The determinant is linear in each row: it changes by the row's error times the product of the other rows'
            // norms.
            let lengths = a
                .rows()
                .into_iter()
                .map(|row| complex(&line(&row.to_owned())).iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt());
            let allowed = LIMIT * (n * n) as f64 * T::EPSILON * lengths.product::<f64>();
            let lapack = NdArray::from_values(T::DTYPE, &[], [lapack.value()]).expect("one value");
            near("det", &own[0], &lapack, allowed, seen, &what);
        }
    }
}

/// Compares functions of Hermitian and positive definite matrices.
fn hermitian<T: Element>(seen: &mut ComparisonCounts) {
    for (k, n) in [1, 4, 9, 16].into_iter().enumerate() {
        for (what, base, sound) in matrices::<T>(n, n, k as u64 + 200) {
            let adjoint = base.mapv(|x| x.conj()).reversed_axes();
            let half = T::of(0.5, 0.0);
            let a = (&base + &adjoint).mapv(|x| x * half);
            // Column by column, as in LAPACK: for rows, the crate's vectors are those of the conjugate.
            let columns = a.t().as_standard_layout().into_owned().reversed_axes();
            let (w, v) = columns.eigh(UPLO::Lower).expect("finite numbers");
            let parts = [reals(&w, T::DTYPE), stored(&v)];
            let own = judged("numpy.linalg.eigh", &[("a", array(stored(&a)))], &parts, seen, &what);
            let allowed = LIMIT * n as f64 * T::EPSILON * size(&a);
            near("eigh", &own[0], &parts[0], allowed, seen, &what);
            let positive = base.dot(&adjoint);
            if sound && let Ok(l) = positive.cholesky(UPLO::Lower) {
                let what = format!("the product with its adjoint of {what}");
                judged("numpy.linalg.cholesky", &[("a", array(stored(&positive)))], &[stored(&l)], seen, &what);
            }
        }
    }
}

/// Compares least-squares solutions of full rank, which are unique.
fn least_squares<T: Element>(seen: &mut ComparisonCounts) {
    for (k, (m, n)) in [(6, 3), (15, 8), (5, 5)].into_iter().enumerate() {
        let mut numbers = Numbers(k as u64 + 300);
        let a = numbers.of_values::<T>(m, n, |j, k| 0.5f64.powf(3.0 * j as f64 / k as f64));
        let b = numbers.matrix::<T>(m, 1).column(0).to_owned();
        let what = format!("full rank, {m} × {n} of {}", T::DTYPE);
        let arguments = [("a", array(stored(&a))), ("b", array(line(&b))), ("rcond", Argument::None)];
        let lapack = a.least_squares(&b).expect("finite numbers");
        let rest: Vec<Value> = match &lapack.residual_sum_of_squares {
            Some(rest) if m > n => rest.iter().map(|x| Value::Float(number(*x))).collect(),
            _ => vec![],
        };
        let real = reals(&lapack.singular_values, T::DTYPE);
        let parts = [
            line(&lapack.solution),
            NdArray::from_values(real.dtype(), &[rest.len()], rest).expect("as many as there are"),
            NdArray::from_values(DType::I64, &[], [Value::Int(lapack.rank.into())]).expect("one value"),
            real,
        ];
        let own = judged("numpy.linalg.lstsq", &arguments, &parts, seen, &what);
        // A condition number of 8: the solution changes by its square at most.
        let length = complex(&line(&b)).iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        let allowed = LIMIT * m as f64 * T::EPSILON * 64.0 * length;
        near("lstsq", &own[0], &parts[0], allowed, seen, &what);
    }
}

macro_rules! of_each_dtype {
    ($($name:ident: $check:ident, $judged:literal results judged, $beside:literal beside;)+) => {$(
        #[test]
        fn $name() {
            let mut seen = ComparisonCounts::default();
            $check::<f32>(&mut seen);
            $check::<f64>(&mut seen);
            $check::<c32>(&mut seen);
            $check::<c64>(&mut seen);
            println!("{} judged, {} rejected, {} beside", seen.judged, seen.rejected, seen.beside);
            assert!(seen.judged >= $judged && seen.beside >= $beside && 4 * seen.rejected >= seen.judged);
        }
    )+};
}

of_each_dtype! {
    any_shape: rectangular, 700 results judged, 900 beside;
    square_ones: square, 600 results judged, 120 beside;
    hermitian_ones: hermitian, 400 results judged, 900 beside;
    equations_without_a_solution: least_squares, 24 results judged, 60 beside;
}
