//! Stream capture of calls of every family, on the device of `CUPRUM_DEVICE`: a replay gives the same bits as the call,
//! also after the operands have changed. Calls that depend on values are rejected, which `cuda_face.rs` tests together
//! with the functions of libraries.

use cuprum::cuda::{Device, graph};
use cuprum::fft::{self, FftCallback, FftCallbacks};
use cuprum::polynomial::polynomial;
use cuprum::scipy::{signal, special};
use cuprum::{Array, DType, Order, Result, s};

type Call = fn(&Array) -> Result<Array>;

/// Returns the last of several results.
fn last(all: Vec<Array>) -> Array {
    all.into_iter().last().expect("there is one")
}

/// Returns a modified copy.
fn changed(x: &Array, by: impl FnOnce(&Array) -> Result<()>) -> Result<Array> {
    let made = x.copy(Order::K)?;
    by(&made)?;
    Ok(made)
}

fn positions() -> Result<Array> {
    Array::from_slice(&[3i64, 0, -1, 3, 11], [5])
}

#[test]
fn calls_of_every_family_are_captured() -> Result<()> {
    let host: Vec<f32> = (0..192).map(|k| ((k * 37) % 101) as f32 / 4.0 - 9.0).collect();
    let x = Array::from_slice(&host, [12, 16])?;
    let calls: &[(&str, Call)] = &[
        ("elementwise", |x| cuprum::hypot(x, cuprum::exp(cuprum::negative(cuprum::absolute(x)?)?)?)),
        ("of float16 and of scalars", |x| cuprum::multiply(x.astype(DType::F16)?, 3)),
        ("clip", |x| cuprum::clip(x, -2.0, 3.5, ())),
        ("round", |x| cuprum::round(x, 1)),
        ("nan_to_num", |x| cuprum::nan_to_num(cuprum::log(x)?, ())),
        ("cast and copy", |x| x.astype(DType::I16)?.t().copy(Order::C)),
        ("mean", |x| cuprum::mean(x, 0)),
        ("var", |x| cuprum::var(x, 1)),
        ("argmax", |x| cuprum::argmax(x, 1)),
        ("nansum", |x| cuprum::nansum(x, 1)),
        ("cumprod", |x| cuprum::cumprod(cuprum::sin(x)?, 1)),
        ("diff", |x| cuprum::diff(x, ())),
        ("gradient", |x| Ok(last(cuprum::gradient(x, ())?))),
        ("unwrap", |x| cuprum::unwrap(x, ())),
        ("cross", |x| cuprum::cross(x.index(s![.., 0..3])?, x.index(s![.., 3..6])?, ())),
        ("interp", |x| {
            let knots = cuprum::arange(-10.0, 20.0, 1.5)?.astype(DType::F64)?;
            cuprum::interp(x, &knots, &cuprum::square(&knots)?, ())
        }),
        ("take", |x| cuprum::take(x, positions()?, 0)),
        ("x[i, j]", |x| x.index(s![positions()?, positions()?])),
        ("x[i] = y", |x| changed(x, |y| y.set(s![positions()?], cuprum::ones(16, DType::F32)?))),
        ("x[m] = 0", |x| changed(x, |y| y.set(s![cuprum::less(x, 0)?], 0.0))),
        ("put", |x| changed(x, |y| cuprum::put(y, positions()?, 7.0, ()))),
        ("putmask", |x| changed(x, |y| cuprum::putmask(y, cuprum::greater(x, 0)?, -1.0))),
        ("take_along_axis", |x| cuprum::take_along_axis(x, cuprum::argsort(x, 1)?, 1)),
        ("where", |x| cuprum::where_(cuprum::greater(x, 1)?, x, -1.0)),
        ("fill_diagonal", |x| changed(x, |y| cuprum::fill_diagonal(y, 5.0, ()))),
        ("concatenate", |x| cuprum::concatenate([x, x], 1)),
        ("stack", |x| cuprum::stack([x, x, x], ())),
        ("tile", |x| cuprum::tile(x, [2, 3])),
        ("repeat", |x| cuprum::repeat(x, 3, 0)),
        ("roll", |x| cuprum::roll(x, 5, ())),
        ("rot90", |x| cuprum::rot90(x, ())?.copy(Order::C)),
        ("triu", |x| cuprum::triu(x, 1)),
        ("linspace", |x| cuprum::add(x, cuprum::linspace(0.0, 1.0, 16)?)),
        ("searchsorted", |x| cuprum::searchsorted(cuprum::sort(x, None)?, x, ())),
        ("partition", |x| cuprum::partition(x, [3], 1)),
        ("lexsort", |x| cuprum::lexsort([&x.index(s![0])?, &x.index(s![1])?], ())),
        ("isin", |x| cuprum::isin(x, x.index(s![0])?, ())),
        ("median", |x| cuprum::median(x, 1)),
        ("percentile", |x| cuprum::percentile(x, [10.0, 75.0], 0)),
        ("convolve", |x| cuprum::convolve(x.index(s![0])?, x.index(s![1])?, ())),
        ("packbits", |x| cuprum::packbits(cuprum::greater(x, 0)?, ())),
        ("polyval", |x| polynomial::polyval(x, cuprum::array([1.0, 2.0, 3.0])?, ())),
        ("einsum", |x| cuprum::einsum("ij,kj->ik", [x, x], ())),
        ("a product of bytes", |x| {
            let a = cuprum::tile(x.astype(DType::I8)?, [64, 40])?;
            cuprum::matmul(&a, a.t())
        }),
        ("kron", |x| cuprum::kron(x.index(s![0])?, x.index(s![1])?)),
        ("a special function", |x| special::gammaln(x)),
        ("sph_harm_y", |x| special::sph_harm_y(x.astype(DType::I16)?, 2, x, 0.5)),
        ("fftconvolve", |x| signal::fftconvolve(x.index(s![0])?, x.index(s![1])?, ())),
    ];
    for (name, call) in calls {
        call(&x).unwrap_or_else(|e| panic!("{name}, as a call: {e}"));
        let (replayed, y) = graph::capture(|| call(&x)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for step in 0..2 {
            if step == 1 {
                x.assign(cuprum::multiply(&x, -0.5)?)?;
            }
            replayed.launch()?;
            assert_eq!(y.to_bytes()?, call(&x)?.to_bytes()?, "{name}, step {step}");
        }
        x.assign(Array::from_slice(&host, [12, 16])?)?;
    }
    Device::current()?.synchronize()
}

/// A launch of the graph reads the callback's data as they are at that time.
#[test]
fn a_captured_transform_calls_its_callbacks() -> Result<()> {
    let text = "
__device__ cufftComplex weighted(void *in, unsigned long long at, void *data, void *) {
  cufftComplex x = ((const cufftComplex *)in)[at];
  return {x.x * ((const float *)data)[at], x.y};
}
__device__ void doubled(void *out, unsigned long long at, cufftComplex x, void *, void *) {
  ((cufftComplex *)out)[at] = {x.x * 2, x.y * 2};
}";
    let weights = Array::from_slice(&[1f32, 2.0, 3.0, 4.0], [4])?;
    let a = cuprum::ones(4, DType::C64)?;
    let callbacks = FftCallbacks::new()
        .load(FftCallback::new(text.replace("doubled", "unused"), "weighted").data(&weights))
        .store(FftCallback::new(text.replace("weighted", "unused_too"), "doubled"));
    let scope = callbacks.scope()?;
    let call = || fft::fft(&a, ());
    call()?;
    let (replayed, y) = graph::capture(call)?;
    drop(scope);
    for sum in [20.0, 40.0] {
        replayed.launch()?;
        assert_eq!(y.real().to_vec::<f32>()?[0], sum);
        weights.assign(cuprum::multiply(&weights, 2.0)?)?;
    }
    Ok(())
}

/// An index out of bounds is reported to the thread that launches the graph, as for a call.
#[test]
fn a_rejected_index_of_a_launch_is_reported() -> Result<()> {
    let x = Array::from_slice(&[1f32, 2.0, 3.0], [3])?;
    let i = Array::from_slice(&[0i64, 1], [2])?;
    let (replayed, y) = graph::capture(|| cuprum::take(&x, &i, ()))?;
    replayed.launch()?;
    assert_eq!(y.to_vec::<f32>()?, [1.0, 2.0]);
    i.assign(Array::from_slice(&[0i64, 9], [2])?)?;
    replayed.launch()?;
    let e = y.to_vec::<f32>().expect_err("9 is out of bounds for three");
    assert!(e.message().contains('9') && e.message().contains('3'), "{e}");
    Ok(())
}
