//! Distributions, as methods of a generator and as functions of the global generator.
//!
//! Each distribution is a record in a table: its parameters with NumPy's names and defaults, and the dtypes of its
//! samples.

use super::generator::Generator;
use super::legacy::shared;
use super::options::RandomOptions;
use crate::array::{Array, AsOperand, IntoArgument};
use crate::error::Result;

/// Defines functions for distributions with a record in `kernels/src/distributions.rs`.
macro_rules! distributions {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident),*);)+) => {
        /// Distributions. Parameters are scalars or arrays, which are broadcast. A scalar outside the domain of the
        /// distribution is rejected immediately with [`ErrorKind::Value`](crate::ErrorKind::Value), an element of an
        /// array at the next synchronisation; a dtype that the distribution does not support is rejected with
        /// [`ErrorKind::Type`](crate::ErrorKind::Type).
        impl Generator {$(
            $(#[$doc])*
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) and [`ErrorKind::Type`](crate::ErrorKind::Type), see
            /// above.
            pub fn $name<'a>(
                &mut self,
                $($parameter: impl AsOperand,)*
                options: impl IntoArgument<RandomOptions<'a>>,
            ) -> Result<Array> {
                self.draw(stringify!($name), &[$($parameter.as_operand()),*], options)
            }
        )+}

        $(
            #[doc = concat!("As [`Generator::", stringify!($name), "`], of the generator that all threads share.")]
            ///
            /// # Errors
            ///
            /// Same as the method.
            pub fn $name<'a>($($parameter: impl AsOperand,)* options: impl IntoArgument<RandomOptions<'a>>) -> Result<Array> {
                shared()?.$name($($parameter,)* options)
            }
        )+
    };
}
distributions! {
    /// Uniform distribution on `[0, 1)`, in steps of 2^-53, or 2^-24 for float32, 2^-11 for float16 and 2^-8 for
    /// bfloat16.
    ///
    /// Each multiple of the step in the interval is equally likely; 1 does not occur. NumPy's `random`. The result is
    /// float64 unless the options name another dtype.
    fn random();
    /// Uniform distribution on `[0, 1)`, as if rounded down from infinitely many bits: every float can occur, including
    /// subnormal ones, and numbers near 0 have full precision. Neither NumPy nor CuPy has it.
    ///
    /// The result is float64 unless the options name another dtype.
    fn random_full();
    /// Uniform distribution from `low` to `high`.
    ///
    /// `low` is included, and `high` is not unless rounding yields it; `high - low` must be 0 or more and finite. Mean
    /// (low + high) / 2, variance (high - low)² / 12. NumPy's `uniform`. The result is float64 unless the options name
    /// another dtype.
    ///
    /// ```
    /// let a = cuprum::random::default_rng(42)?.uniform(2.0, 3.0, 100)?;
    /// assert!(a.to_vec::<f64>()?.iter().all(|x| (2.0..=3.0).contains(x)));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    fn uniform(low, high);
    /// Bernoulli distribution: booleans that are true with probability `p`, to 2^-48.
    ///
    /// `p` is from 0 to 1. Mean p, variance p (1 - p). NumPy has no function for it. The result is boolean.
    fn bernoulli(p);
    /// Normal distribution of mean 0 and standard deviation 1: in float32 by the inverse of the distribution function,
    /// in float64 by the transform of Box and Muller (1958). No number is further from 0 than 9.16 in float32, 13.37 in
    /// float64.
    ///
    /// Density exp(-x² / 2) / √(2π). NumPy's `standard_normal`. The result is float64 unless the options name another
    /// dtype.
    fn standard_normal();
    /// Normal distribution of mean `loc` and standard deviation `scale`.
    ///
    /// `scale` is 0 or more. Density exp(-(x - loc)² / (2 scale²)) / (scale √(2π)). NumPy's `normal`. The result is
    /// float64 unless the options name another dtype.
    ///
    /// ```
    /// use cuprum::{array, random::default_rng};
    /// let mut rng = default_rng(42)?;
    /// assert_eq!(rng.normal(0.0, 1.0, [2, 3])?.shape(), [2, 3]);
    /// // A mean for each row.
    /// assert_eq!(rng.normal(array([[0.0], [100.0]])?, 1.0, [2, 3])?.shape(), [2, 3]);
    /// assert!(rng.normal(0.0, -1.0, 3).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    fn normal(loc, scale);
    /// Exponential distribution of mean 1, by the logarithm, up to 45 in float32, 89 in float64.
    ///
    /// Density exp(-x) for x of 0 or more; variance 1. NumPy's `standard_exponential`. The result is float64 unless the
    /// options name another dtype.
    fn standard_exponential();
    /// Exponential distribution of mean `scale`.
    ///
    /// `scale` is 0 or more. Density exp(-x / scale) / scale; variance scale². NumPy's `exponential`. The result is
    /// float64 unless the options name another dtype.
    fn exponential(scale);
    /// Log-normal distribution: exponentials of normal numbers of `mean` and `sigma`.
    ///
    /// `mean` and `sigma` are those of the logarithm; `sigma` is 0 or more. Mean exp(mean + sigma² / 2). NumPy's
    /// `lognormal`. The result is float64 unless the options name another dtype.
    fn lognormal(mean, sigma);
    /// Laplace (double exponential) distribution around `loc`.
    ///
    /// `scale` is 0 or more. Density exp(-|x - loc| / scale) / (2 scale); variance 2 scale². NumPy's `laplace`. The
    /// result is float64 unless the options name another dtype.
    fn laplace(loc, scale);
    /// Logistic distribution around `loc`.
    ///
    /// `scale` is 0 or more. Distribution function 1 / (1 + exp(-(x - loc) / scale)); variance π² scale² / 3. NumPy's
    /// `logistic`. The result is float64 unless the options name another dtype.
    fn logistic(loc, scale);
    /// Gumbel (extreme value) distribution.
    ///
    /// `scale` is 0 or more. Distribution function exp(-exp(-(x - loc) / scale)); mean loc + 0.5772 scale. NumPy's
    /// `gumbel`. The result is float64 unless the options name another dtype.
    fn gumbel(loc, scale);
    /// Standard Cauchy distribution.
    ///
    /// Density 1 / (π (1 + x²)); it has neither mean nor variance. NumPy's `standard_cauchy`. The result is float64
    /// unless the options name another dtype.
    fn standard_cauchy();
    /// Rayleigh distribution: lengths of vectors of two normal numbers of standard deviation `scale`.
    ///
    /// `scale` is 0 or more. Density x exp(-x² / (2 scale²)) / scale²; mean scale √(π / 2). NumPy's `rayleigh`. The
    /// result is float64 unless the options name another dtype.
    fn rayleigh(scale);
    /// Weibull distribution of shape `a`.
    ///
    /// `a` is 0 or more. Distribution function 1 - exp(-xᵃ); a factor of the result is its scale. NumPy's `weibull`.
    /// The result is float64 unless the options name another dtype.
    fn weibull(a);
    /// Pareto distribution of the second kind (Lomax), which begins at 0.
    ///
    /// `a` is more than 0. Density a (1 + x)⁻⁽ᵃ⁺¹⁾; add 1 for the classical distribution, which begins at 1. NumPy's
    /// `pareto`. The result is float64 unless the options name another dtype.
    fn pareto(a);
    /// Power distribution on `[0, 1]`, with density proportional to the power `a - 1`.
    ///
    /// `a` is more than 0. Density a xᵃ⁻¹; mean a / (a + 1). NumPy's `power`. The result is float64 unless the options
    /// name another dtype.
    fn power(a);
    /// Triangular distribution.
    ///
    /// The density rises from `left` to `mode` and falls to `right`; they are in this order, and the ends differ. Mean
    /// (left + mode + right) / 3. NumPy's `triangular`. The result is float64 unless the options name another dtype.
    fn triangular(left, mode, right);
    /// Geometric distribution: the number of trials up to the first success of probability `p`.
    ///
    /// `p` is more than 0 and at most 1. Probability of k, from 1 on, p (1 - p)ᵏ⁻¹; mean 1 / p. NumPy's `geometric`.
    /// The result is int64 unless the options name another dtype.
    fn geometric(p);
    /// Gamma distribution of a shape (Marsaglia and Tsang, 2000).
    ///
    /// `shape` is 0 or more. Density xˢʰᵃᵖᵉ⁻¹ exp(-x) / Γ(shape); mean and variance are the shape. NumPy's
    /// `standard_gamma`. The result is float64 unless the options name another dtype.
    fn standard_gamma(shape);
    /// Gamma distribution of a shape, times `scale`.
    ///
    /// Both parameters are 0 or more. Mean shape scale, variance shape scale². NumPy's `gamma`. The result is float64
    /// unless the options name another dtype.
    fn gamma(shape, scale);
    /// Beta distribution.
    ///
    /// `a` and `b` are more than 0. Density proportional to xᵃ⁻¹ (1 - x)ᵇ⁻¹ on [0, 1]; mean a / (a + b). NumPy's
    /// `beta`. The result is float64 unless the options name another dtype.
    fn beta(a, b);
    /// Chi-square distribution: sums of `df` squares of normal numbers.
    ///
    /// `df` is more than 0 and need not be an integer. Mean df, variance 2 df. NumPy's `chisquare`. The result is
    /// float64 unless the options name another dtype.
    fn chisquare(df);
    /// F distribution: ratios of two mean squares.
    ///
    /// The degrees of freedom of numerator and denominator are more than 0. Mean dfden / (dfden - 2) for `dfden` above
    /// 2. NumPy's `f`. The result is float64 unless the options name another dtype.
    fn f(dfnum, dfden);
    /// Student's t distribution.
    ///
    /// `df` is more than 0. Mean 0 for `df` above 1, variance df / (df - 2) above 2. NumPy's `standard_t`. The result
    /// is float64 unless the options name another dtype.
    fn standard_t(df);
    /// Wald (inverse Gaussian) distribution.
    ///
    /// `mean` and `scale` are more than 0. Variance mean³ / scale. NumPy's `wald`. The result is float64 unless the
    /// options name another dtype.
    fn wald(mean, scale);
    /// Von Mises distribution: angles around `mu`, from -pi to pi (Best and Fisher, 1979).
    ///
    /// `kappa` is 0 or more; at 0 the angles are uniform. Density proportional to exp(kappa cos(x - mu)). NumPy's
    /// `vonmises`. The result is float64 unless the options name another dtype.
    fn vonmises(mu, kappa);
    /// Noncentral chi-square distribution: sums of `df` squares of normal numbers whose means are not 0.
    ///
    /// `df` is more than 0, `nonc`, the sum of the squared means, 0 or more. Mean df + nonc. NumPy's
    /// `noncentral_chisquare`. The result is float64 unless the options name another dtype.
    fn noncentral_chisquare(df, nonc);
    /// Noncentral F distribution: ratios of two mean squares, the numerator noncentral.
    ///
    /// The degrees of freedom are more than 0, `nonc` is 0 or more. NumPy's `noncentral_f`. The result is float64
    /// unless the options name another dtype.
    fn noncentral_f(dfnum, dfden, nonc);
    /// Poisson distribution of mean `lam` (Hörmann, 1993).
    ///
    /// `lam` is from 0 to 9.2e18. Probability of k lamᵏ exp(-lam) / k!; mean and variance are lam. NumPy's `poisson`.
    /// The result is int64 unless the options name another dtype.
    ///
    /// ```
    /// use cuprum::{DType, random::default_rng};
    /// let counts = default_rng(42)?.poisson(0.0, 3)?;
    /// assert_eq!((counts.dtype(), counts.to_vec::<i64>()?), (DType::I64, vec![0; 3]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    fn poisson(lam);
    /// Binomial distribution: successes among `n` trials of probability `p` (Hörmann, 1993).
    ///
    /// `n` is from 0 to 9.2e18, `p` from 0 to 1. Mean n p, variance n p (1 - p). NumPy's `binomial`. The result is
    /// int64 unless the options name another dtype.
    fn binomial(n, p);
    /// Negative binomial distribution: failures before `n` successes of probability `p`.
    ///
    /// `n` is more than 0 and need not be an integer, `p` more than 0 and at most 1. Mean n (1 - p) / p. NumPy's
    /// `negative_binomial`. The result is int64 unless the options name another dtype.
    fn negative_binomial(n, p);
    /// Hypergeometric distribution: good elements in a sample of `nsample` without replacement (Stadlober, 1990).
    ///
    /// Each is from 0 to 1e9, and `nsample` at most `ngood + nbad`. Mean nsample ngood / (ngood + nbad). NumPy's
    /// `hypergeometric`. The result is int64 unless the options name another dtype.
    fn hypergeometric(ngood, nbad, nsample);
    /// Logarithmic series distribution (Kemp, 1981).
    ///
    /// `p` is from 0 on and less than 1. Probability of k, from 1 on, -pᵏ / (k log(1 - p)). NumPy's `logseries`. The
    /// result is int64 unless the options name another dtype.
    fn logseries(p);
    /// Zipf distribution (Devroye, 1986).
    ///
    /// `a` is more than 1. Probability of k, from 1 on, k⁻ᵃ / ζ(a). NumPy's `zipf`. The result is int64 unless the
    /// options name another dtype.
    fn zipf(a);
}
