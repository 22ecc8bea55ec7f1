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
    fn random();
    /// Uniform distribution on `[0, 1)`, as if rounded down from infinitely many bits: every float can occur, including
    /// subnormal ones, and numbers near 0 have full precision. Neither NumPy nor CuPy has it.
    fn random_full();
    /// Uniform distribution from `low` to `high`.
    fn uniform(low, high);
    /// Bernoulli distribution: booleans that are true with probability `p`, to 2^-64.
    fn bernoulli(p);
    /// Normal distribution of mean 0 and standard deviation 1: in float32 by the inverse of the distribution function,
    /// in float64 by the transform of Box and Muller (1958). No number is further from 0 than 9.16 in float32, 13.37 in
    /// float64.
    fn standard_normal();
    /// Normal distribution of mean `loc` and standard deviation `scale`.
    fn normal(loc, scale);
    /// Exponential distribution of mean 1, by the logarithm, up to 45 in float32, 89 in float64.
    fn standard_exponential();
    /// Exponential distribution of mean `scale`.
    fn exponential(scale);
    /// Log-normal distribution: exponentials of normal numbers of `mean` and `sigma`.
    fn lognormal(mean, sigma);
    /// Laplace (double exponential) distribution around `loc`.
    fn laplace(loc, scale);
    /// Logistic distribution around `loc`.
    fn logistic(loc, scale);
    /// Gumbel (extreme value) distribution.
    fn gumbel(loc, scale);
    /// Standard Cauchy distribution.
    fn standard_cauchy();
    /// Rayleigh distribution: lengths of vectors of two normal numbers of standard deviation `scale`.
    fn rayleigh(scale);
    /// Weibull distribution of shape `a`.
    fn weibull(a);
    /// Pareto distribution of the second kind (Lomax), which begins at 0.
    fn pareto(a);
    /// Power distribution on `[0, 1]`, with density proportional to the power `a - 1`.
    fn power(a);
    /// Triangular distribution.
    fn triangular(left, mode, right);
    /// Geometric distribution: the number of trials up to the first success of probability `p`.
    fn geometric(p);
    /// Gamma distribution of a shape (Marsaglia and Tsang, 2000).
    fn standard_gamma(shape);
    /// Gamma distribution of a shape, times `scale`.
    fn gamma(shape, scale);
    /// Beta distribution.
    fn beta(a, b);
    /// Chi-square distribution: sums of `df` squares of normal numbers.
    fn chisquare(df);
    /// F distribution: ratios of two mean squares.
    fn f(dfnum, dfden);
    /// Student's t distribution.
    fn standard_t(df);
    /// Wald (inverse Gaussian) distribution.
    fn wald(mean, scale);
    /// Von Mises distribution: angles around `mu`, from -pi to pi (Best and Fisher, 1979).
    fn vonmises(mu, kappa);
    /// Noncentral chi-square distribution: sums of `df` squares of normal numbers whose means are not 0.
    fn noncentral_chisquare(df, nonc);
    /// Noncentral F distribution: ratios of two mean squares, the numerator noncentral.
    fn noncentral_f(dfnum, dfden, nonc);
    /// Poisson distribution of mean `lam` (Hörmann, 1993).
    fn poisson(lam);
    /// Binomial distribution: successes among `n` trials of probability `p` (Hörmann, 1993).
    fn binomial(n, p);
    /// Negative binomial distribution: failures before `n` successes of probability `p`.
    fn negative_binomial(n, p);
    /// Hypergeometric distribution: good elements in a sample of `nsample` without replacement (Stadlober, 1990).
    fn hypergeometric(ngood, nbad, nsample);
    /// Logarithmic series distribution (Kemp, 1981).
    fn logseries(p);
    /// Zipf distribution (Devroye, 1986).
    fn zipf(a);
}
