//! Error messages of statistics, histograms and calls by name.

use cuprum::cuda::Device;
use cuprum::num_complex::Complex64;
use cuprum::table::{Arguments, Value};
use cuprum::{
    AverageOptions, CovOptions, DType, Estimator, HistogramOptions, PointOptions, QuantileMethod, QuantileOptions,
    Quantiles, array, average, bincount, convolve, correlate, cov, digitize, histogram, histogram2d, histogramdd, ones,
    percentile, quantile, table, zeros,
};

use super::messages;

messages! {
    "Statistics" {
        average(array([1.0, 2.0])?, AverageOptions::new().weights(&array([1.0, -1.0])?))
            => "average: the weights add up to zero",
            "Weights have a sum.";
        average(ones([2, 3], ())?, AverageOptions::new().weights(&ones(3, ())?))
            => "average: weights of shape (3,) for an array of shape (2, 3) need an axis",
            "Name the axis that the weights are along.";
        average(ones([2, 3], ())?, AverageOptions::new().axis(0).weights(&ones(3, ())?))
            => "average: weights of shape (3,) do not fit the axes of shape (2,)",
            "Name the axis that the weights are along.";
        average(zeros([0, 3], ())?, 1)
            => "average: an array of shape (0, 3) has nothing to average over these axes",
            "Ask `is_empty` first.";
        quantile(array([1.0, 2.0])?, 1.5, ())
            => "quantile: 1.5 is not between 0 and 1",
            "`percentile` counts to 100.";
        percentile(array([1.0, 2.0])?, 101, ())
            => "percentile: 101 is not between 0 and 100",
            "`quantile` counts to 1.";
        quantile(array([Complex64::I])?, 0.5, ())
            => "quantile: complex numbers have no order, and so no quantiles",
            "Take `real()` or `abs()?` first.";
        quantile(zeros(0, ())?, 0.5, ())
            => "quantile: an array without elements has no quantile",
            "Ask `is_empty` first.";
        quantile(array([1.0])?, 0.5, QuantileOptions::new().weights(&array([1.0])?))
            => "quantile: weights go with QuantileMethod::InvertedCdf alone",
            "Say `.method(QuantileMethod::InvertedCdf)`.";
        quantile(array([1.0, 2.0])?, 0.5, QuantileOptions::new().method(QuantileMethod::InvertedCdf).weights(&array([-1.0, 1.0])?))
            => "quantile: weights must not be negative",
            "Weights count elements.";
        quantile(array([1.0, 2.0])?, 0.5, QuantileOptions::new().method(QuantileMethod::InvertedCdf).weights(&array([0.0, 0.0])?))
            => "quantile: the weights of a row are all 0, or not all finite",
            "Weights have a sum.";
        quantile(array([1.0, 2.0])?, [0.1, 0.9], QuantileOptions::new().out(&zeros(3, ())?))
            => "quantile: out has the shape (3,), the result (2,)",
            "`out` has a shape that the result can be broadcast to.";
        Quantiles::from_array(array([Complex64::I])?)
            => "Quantiles::from_array: quantiles are real numbers, not complex128",
            "Take `real()` first.";
        "middle".parse::<QuantileMethod>()
            => "there is no quantile method called \"middle\"; there are inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull, linear, median_unbiased, normal_unbiased, lower, higher, midpoint, nearest",
            "One of NumPy's methods.";
        cov(ones([2, 2], ())?, CovOptions::new().dtype(DType::I64))
            => "cov: dtype is int64: differences from a mean are floats, give float32, float64 or a complex dtype",
            "Leave `dtype` out, or name a floating-point one.";
        cov(ones([2, 2, 2], ())?, ())
            => "cov: an operand of shape (2, 2, 2) has more than two axes",
            "A row for each variable.";
        cov(ones([2, 3], ())?, &ones([2, 4], ())?)
            => "cov: variables of shapes (2, 3) and (2, 4) differ in the number of observations",
            "As many observations of each variable.";
        cov(ones([2, 3], ())?, CovOptions::new().fweights(&array([0.5, 1.0, 1.0])?))
            => "cov: fweights are no whole numbers",
            "`aweights` are real numbers.";
        cov(ones([2, 3], ())?, CovOptions::new().aweights(&array([1.0, -1.0, 1.0])?))
            => "cov: aweights has elements below zero",
            "Weights are 0 or more.";
        cov(ones([2, 3], ())?, CovOptions::new().aweights(&array([1.0, 1.0])?))
            => "cov: aweights has the shape (2,), there are 3 observations",
            "A weight for each observation.";
        cov(ones([2, 3], ())?, CovOptions::new().aweights(&ones([3, 1], ())?))
            => "cov: aweights has the shape (3, 1), more than one axis",
            "`ravel` them.";
        correlate(ones([2, 2], ())?, ones(2, ())?, ())
            => "correlate: the first operand has the shape (2, 2), not one axis",
            "`ravel` it.";
        convolve(zeros(0, ())?, ones(2, ())?, ())
            => "convolve: the first operand is empty",
            "Ask `is_empty` first.";
    }
    "Histograms" {
        bincount(ones([2, 2], DType::I32)?, ())
            => "bincount: an array of shape (2, 2) is counted: it must have one axis",
            "`ravel` it.";
        bincount(array([0.5])?, ())
            => "bincount: bins are numbered by integers: float64 cannot be cast to int64 safely",
            "Cast with `astype`, or use `histogram`.";
        bincount(array([-1])?, ())
            => "bincount: the element -1 is negative",
            "Take the least element away first.";
        bincount(array([1])?, &array([1.0, 2.0])?)
            => "bincount: weights of shape (2,) do not go with elements of shape (1,)",
            "A weight for each element.";
        bincount(array([1])?, &array([Complex64::I])?)
            => "bincount: weights are real, not complex128",
            "Add real and imaginary parts apart.";
        histogram(array([1.0])?, 0)
            => "histogram: 0 bins are no histogram: one is needed",
            "At least 1.";
        histogram(array([Complex64::I])?, ())
            => "histogram: elements of complex128 fall into no bins",
            "Take `real()` or `abs()?` first.";
        histogram(array([1.0])?, &ones([2, 2], ())?)
            => "histogram: edges of shape (2, 2) must have one axis",
            "Edges are a line.";
        histogram(array([1.0])?, &array([2.0, 1.0])?)
            => "histogram: edges must increase monotonically",
            "Sort the edges.";
        histogram(array([1.0])?, HistogramOptions::new().range((2.0, 1.0)))
            => "histogram: the range (2, 1) ends before it begins",
            "The lower end comes first.";
        histogram(array([1.0])?, HistogramOptions::new().range((0.0, f64::NAN)))
            => "histogram: the supplied range of [0, NaN] is not finite",
            "The ends are numbers.";
        histogram(array([f64::NAN])?, ())
            => "histogram: the autodetected range of [NaN, NaN] is not finite",
            "Give a range, or leave NaN out with `mask`.";
        histogram(array([1.0, 2.0])?, HistogramOptions::new().weights(&array([1.0])?))
            => "histogram: weights of shape (1,) do not go with an array of shape (2,)",
            "A weight for each element.";
        histogram(array([1.0, 2.0])?, HistogramOptions::from(Estimator::Auto).weights(&array([1.0, 1.0])?))
            => "histogram: the number of bins cannot be estimated for weighted elements",
            "Say how many bins.";
        histogram(array([1.0])?, HistogramOptions::from(10).range((1.0, 1.0 + f64::EPSILON)))
            => "histogram: between 1 and 1.0000000000000002 there are not 10 bins of a size in float64",
            "Take fewer bins, or a wider range.";
        histogram(array([0.5])?, HistogramOptions::from(&array([0.0, 1.0])?).weights(&array([true])?))
            => "histogram: boolean weights have no sums between given edges",
            "Cast the weights.";
        histogramdd(array([[Complex64::I]])?, ())
            => "histogramdd: points of complex128 fall into no bins",
            "Take `real()` first.";
        histogramdd(ones([2, 2], ())?, PointOptions::new().bins([Estimator::Auto]))
            => "histogramdd: bins along an axis are a number or edges, not a rule",
            "Say how many bins.";
        histogramdd(ones([2, 2], ())?, 0)
            => "histogramdd: 0 bins are no histogram: one is needed along each axis",
            "At least 1.";
        histogramdd(ones([2, 2, 2], ())?, ())
            => "histogramdd: a sample of shape (2, 2, 2) must have two axes",
            "A row for each point.";
        histogramdd(ones([2, 2], ())?, PointOptions::new().bins([1usize, 2, 3]))
            => "histogramdd: 3 bins and 0 ranges for 2 axes",
            "One number for all axes, or one for each.";
        histogram2d(ones(2, ())?, ones(3, ())?, ())
            => "histogram2d: coordinates of shapes (2,) and (3,) are no points",
            "As many x as y.";
        digitize(array([1.0])?, array([1.0, 3.0, 2.0])?, ())
            => "digitize: the edges must increase or decrease monotonically",
            "Sort the edges.";
        digitize(array([1.0])?, ones([2, 2], ())?, ())
            => "digitize: the edges, of shape (2, 2), must have one axis",
            "Edges are a line.";
        digitize(array([Complex64::I])?, array([1.0])?, ())
            => "digitize: elements of complex128 have no order",
            "Take `real()` or `abs()?` first.";
    }
    "Calls by name" {
        table::find("numpy.no_such")
            => "there is no function called numpy.no_such",
            "`cuprum::table::records` lists all.";
        table::find("numpy.can_cast")?.call(&Arguments::new([1.into(), DType::F32.into()]))
            => "can_cast: a number of the host has no dtype that it is cast from",
            "Name a dtype, or an array.";
        table::find("numpy.asarray")?.call(&Arguments::new([array([1])?.into()]).with("dtype", "float23"))
            => "asarray: the parameter `dtype`: there is no dtype called \"float23\"",
            "Names are NumPy's.";
        table::find("numpy.take")?.call(&Arguments::new([]))
            => "take: the parameter `a` is missing",
            "Give what has no default.";
        table::find("numpy.take")?.call(&Arguments::new([]).with("axes", 0))
            => "take: there is no parameter `axes`; they are a, indices, axis, out, mode",
            "Parameters have NumPy's names.";
        table::find("numpy.sort")?.call(&Arguments::new([Value::from(1)]))
            => "sort: the parameter `a`: an array is expected, not 1",
            "Give what the parameter takes.";
        table::find("numpy.sort")?.call(&Arguments::new([array([1])?.into(), 0.5.into()]))
            => "sort: the parameter `axis`: an integer is expected, not 0.5",
            "Give what the parameter takes.";
        table::find("numpy.take")?.call(&Arguments::new([array([1])?.into(), array([0])?.into()]).with("mode", "round"))
            => "take: the parameter `mode`: there is no index mode called \"round\"; there are raise, wrap, clip",
            "One of the names.";
        table::find("numpy.sort")?.call(&Arguments::new([array([1])?.into(), 0.into(), 0.into(), 0.into()]))
            => "sort: 4 arguments are given, it has 3 parameters",
            "Fewer arguments.";
        table::find("numpy.sort")?.call(&Arguments::new([array([1])?.into()]).with("a", 1))
            => "sort: the parameter `a` is given twice",
            "Each argument once.";
    }
    "Devices" {
        Device::open("gpu")
            => "there is no device \"gpu\": devices are called cuda:0, cuda:1 and so on, sim, sim:1 to sim:15, and hip:0 and so on for AMD GPUs",
            "`cuda:0`, or `sim`.";
    }
}
