//! First programs in the style of the guide, as a NumPy user would write them: they must compile as they are.

use cuprum::prelude::*;
use cuprum::random::default_rng;
use cuprum::{
    DigitizeOptions, ElementwiseKernel, HistogramOptions, LinspaceOptions, QuantileOptions, UniqueOptions, fft, linalg,
    ufunc,
};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[test]
fn logistic_loss() -> Result<()> {
    let p = array([0.2, 0.5, 0.9])?;
    let y = array([0.0, 1.0, 1.0])?;
    let loss = -(&y * p.log()? + (1.0 - &y) * (1.0 - &p).log()?).mean(())?;
    let expected = -((0.8f64).ln() + (0.5f64).ln() + (0.9f64).ln()) / 3.0;
    assert!(close(loss.item::<f64>()?, expected));
    let x = 2.0 * p;
    let root = x.sqrt()?;
    assert!(close(root.index(s![1])?.item::<f64>()?, 1.0));
    let odds = (1 / (1 + (-&y).exp()?)).sum(())?;
    assert!(close(odds.item::<f64>()?, 0.5 + 2.0 / (1.0 + (-1f64).exp())));
    Ok(())
}

#[test]
fn k_means() -> Result<()> {
    let points = array([[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]])?;
    let mut centres = array([[0.0, 0.0], [1.0, 1.0]])?;
    for _ in 0..5 {
        let d = points.expand_dims(1)? - centres.expand_dims(0)?;
        let nearest = (&d * &d).sum(-1)?.argmin(1)?;
        let new: Vec<Array> = (0..2).map(|k| points.mask(nearest.equal(k)?)?.mean(0)).collect::<Result<Vec<_>>>()?;
        centres = cuprum::stack(&new, ())?;
    }
    assert!(centres.allclose(array([[0.1, 0.05], [5.1, 5.05]])?, ())?);
    println!("{centres:.2}");
    Ok(())
}

#[test]
fn line_through_points() -> Result<()> {
    let n = 20usize;
    let x = cuprum::linspace(0, 1, n)?;
    let y = 3.0 * &x - 1.0;
    let (p, ..) = cuprum::polyfit(&x, &y, 1, ())?;
    let c = p.to_vec::<f64>()?;
    assert!(close(c[0], 3.0) && close(c[1], -1.0), "{c:?}");
    let design = cuprum::column_stack([&x, &cuprum::ones_like(&x, ())?])?;
    let (w, ..) = linalg::lstsq(&design, &y, ())?;
    assert!(w.allclose(array([3.0, -1.0])?, ())?);
    let slope = cuprum::polyder(&p, ())?;
    assert!(close(slope.item::<f64>()?, 3.0));
    Ok(())
}

#[test]
fn heat_equation() -> Result<()> {
    let mut u = zeros([16, 16], ())?;
    u.set(s![0, ..], 100)?;
    let dt = 0.2;
    for _ in 0..20 {
        let inner = u.index(s![1..-1, 1..-1])?;
        let lap = u.index(s![..-2, 1..-1])?
            + u.index(s![2.., 1..-1])?
            + u.index(s![1..-1, ..-2])?
            + u.index(s![1..-1, 2..])?
            - 4.0 * &inner;
        let next = u.copy(())?;
        next.set(s![1..-1, 1..-1], &inner + dt * &lap)?;
        u = next;
    }
    let centre: f64 = u.index(s![8, 8])?.item()?;
    assert!(centre > 0.0 && centre < 100.0);
    Ok(())
}

#[test]
fn histogram_equalisation() -> Result<()> {
    let image = default_rng(1)?.integers(0, 128, [32, 32])?;
    let (counts, edges) = cuprum::histogram(&image, HistogramOptions::new().bins(256usize).range((0, 256)))?;
    assert_eq!((counts.size(), edges.size()), (256, 257));
    let cdf = counts.cumsum(())?;
    let total: i64 = cdf.index(s![-1])?.item()?;
    assert_eq!(total, 32 * 32);
    let table = (255.0 * &cdf / total).rint()?.astype(DType::U8)?;
    let out = table.take(&image, ())?;
    assert_eq!((out.shape(), out.dtype()), (image.shape(), DType::U8));
    assert_eq!(out.max(())?.item::<u8>()?, 255);
    let bins = cuprum::digitize(&image, array([32, 64, 96])?, DigitizeOptions::new().right(true))?;
    assert_eq!(bins.shape(), [32, 32]);
    Ok(())
}

#[test]
fn monte_carlo() -> Result<()> {
    let mut rng = default_rng(7)?;
    let n = 10_000;
    let (x, y) = (rng.random(n)?, rng.random(n)?);
    let inside = (&x * &x + &y * &y).less_equal(1)?;
    let pi = 4.0 * inside.mean(())?;
    println!("pi is {pi:.3}, error {:.1e}", (&pi - std::f64::consts::PI).abs()?);
    assert!((pi.item::<f64>()? - std::f64::consts::PI).abs() < 0.1);
    Ok(())
}

#[test]
fn low_pass_filter() -> Result<()> {
    let rate = 100i32;
    let n = 200usize;
    let t = arange(0, n, ())? / rate;
    let two_pi = 2.0 * std::f64::consts::PI;
    let slow = (two_pi * &t).sin()?;
    let signal = &slow + 0.5 * (20.0 * two_pi * &t).sin()?;
    let spectrum = fft::rfft(&signal, ())?;
    let frequencies = fft::rfftfreq(n, 1.0 / f64::from(rate))?;
    assert_eq!(fft::rfftfreq(n, ())?.shape(), [101]);
    let kept = cuprum::where_(frequencies.less(5)?, &spectrum, 0)?;
    let filtered = fft::irfft(&kept, n)?;
    assert!(filtered.allclose(&slow, cuprum::CloseOptions::new().atol(1e-9))?);
    let window = cuprum::hanning(n)?;
    assert_eq!((&signal * window).shape(), [n]);
    Ok(())
}

#[test]
fn principal_components() -> Result<()> {
    let x = default_rng(3)?.normal(0.0, 1.0, [50, 3])?;
    let centred = &x - x.mean(0)?;
    let (_, s, vh) = linalg::svd(&centred, linalg::SvdOptions::new().full_matrices(false))?;
    let explained = &s * &s / (x.len() - 1);
    let values = linalg::eigvalsh(cuprum::cov(x.t(), ())?, ())?;
    assert!(cuprum::flip(&values, ())?.allclose(&explained, ())?);
    let scores = centred.matmul(vh.expect("vectors are computed").t())?;
    assert_eq!(scores.shape(), [50, 3]);
    let inverse = linalg::inv(array([[2.0, 0.0], [0.0, 4.0]])?)?;
    let product = linalg::multi_dot([&inverse, &array([[2.0, 0.0], [0.0, 4.0]])?])?;
    assert!(product.allclose(cuprum::eye(2, ())?, ())?);
    Ok(())
}

#[test]
fn text_forms() -> Result<()> {
    let dtype: DType = "f4".parse::<DType>()?;
    let a = array([1.0, 20.5, -300.0])?.astype(dtype)?;
    assert_eq!(format!("{a:.2e}"), "[ 1.00e+00  2.05e+01 -3.00e+02]");
    assert_eq!(format!("{:>8.1}|{:<8.1}|{:+}", a.max(())?, a.max(())?, a.max(())?), "    20.5|20.5    |+20.5");
    assert_eq!(format!("{:08.2}", array(-1.5)?), "-0001.50");
    let number = 2.5;
    assert_eq!((number * a).dtype(), DType::F32);
    Ok(())
}

#[test]
fn masks_and_indices() -> Result<()> {
    let a = arange(0, 12, 1)?.reshape((3, 4))?;
    let even = (&a % 2).equal(0)?;
    assert_eq!(a.index(s![&even])?.to_vec::<i64>()?, [0, 2, 4, 6, 8, 10]);
    a.set(s![!&even], -1)?;
    assert_eq!(a.sum(())?.item::<i64>()?, 30 - 6);
    let rows = [0usize, 2];
    assert_eq!(a.index(s![rows, 1])?.to_vec::<i64>()?, [-1, -1]);
    assert_eq!(a.index(s![.., [0, 2]])?.shape(), [3, 2]);
    let upper = a.triu(())?;
    assert_eq!(upper.index(s![2, 0])?.item::<i64>()?, 0);
    let sums = ufunc("add")?.reduceat(arange(0, 8, 1)?, &array([0, 4])?, 0, ())?;
    assert_eq!(sums.to_vec::<i64>()?, [6, 22]);
    Ok(())
}

#[test]
fn sorting_and_sets() -> Result<()> {
    let words = array([3, 1, 2, 3, 1])?;
    let u = words.unique(UniqueOptions::new().return_counts(true))?;
    assert_eq!(u.values.to_vec::<i32>()?, [1, 2, 3]);
    let sorted = words.copy(())?;
    sorted.sort(())?;
    assert_eq!(sorted.to_vec::<i32>()?, [1, 1, 2, 3, 3]);
    let order = words.argsort(())?;
    assert_eq!(words.take(&order, ())?.to_vec::<i32>()?, [1, 1, 2, 3, 3]);
    assert_eq!(cuprum::partition(&words, 2, ())?.index(s![2])?.item::<i32>()?, 2);
    let q = words.quantile([0.25, 0.5], QuantileOptions::new())?;
    assert_eq!(q.to_vec::<f64>()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn interpolation_and_files() -> Result<()> {
    let x = cuprum::linspace(0.0, 10.0, LinspaceOptions::new().num(11))?;
    let y = x.square()?;
    let at = cuprum::interp(array([2.5, 20.0])?, &x, &y, ())?;
    assert_eq!(at.to_vec::<f64>()?, [6.5, 100.0]);
    let clipped = y.clip(4, 50, ())?;
    assert_eq!(clipped.min(())?.item::<f64>()?, 4.0);
    let path = std::env::temp_dir().join(format!("first_programs_{}.npy", std::process::id()));
    cuprum::save(&path, &clipped)?;
    let back = cuprum::load(&path, ())?;
    std::fs::remove_file(&path).expect("the file is there");
    assert!(cuprum::array_equal(&back, &clipped, ())?);
    let windows = cuprum::sliding_window_view(&x, 3, ())?;
    assert_eq!(windows.mean(-1)?.index(s![0])?.item::<f64>()?, 1.0);
    let padded = cuprum::pad(&x, 2, ())?;
    assert_eq!(padded.shape(), [15]);
    Ok(())
}

#[test]
fn elementwise_kernel() -> Result<()> {
    let kernel = ElementwiseKernel::new("T a, T x, T y", "T z", "z = a * x + y", ())?;
    let (x, y) = (array([1.0, 2.0])?, array([10.0, 20.0])?);
    // SAFETY: the operation accesses only its own elements.
    let z = unsafe { kernel.call(&[2.into(), (&x).into(), (&y).into()], &[], None, None)? }.remove(0);
    assert_eq!(z.to_vec::<f64>()?, [12.0, 24.0]);
    Ok(())
}

#[cuprum::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid();
    if i < x.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[test]
fn kernel_in_rust() -> Result<()> {
    let (x, y) = (arange(0, 4, ())?.astype(DType::F32)?, ones(4, DType::F32)?);
    saxpy::indexed(4, 2.0, &x, &y)?;
    assert_eq!(y.to_vec::<f32>()?, [1.0, 3.0, 5.0, 7.0]);
    Ok(())
}
