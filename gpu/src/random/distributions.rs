//! The functions of the distributions: methods of a generator, and the same over the generator that all threads share.

use super::generator::Generator;
use super::legacy::shared;
use super::options::DrawOptions;
use crate::array::{Array, AsOperand, IntoArgument};
use crate::error::Result;

/// Functions with a record in `kernels/src/distributions.rs`.
macro_rules! distributions {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident),*);)+) => {
        /// The distributions. Parameters are numbers or arrays, which are broadcast. A number that the distribution does not allow is rejected at once
        /// with [`ErrorKind::Value`](crate::ErrorKind::Value), one in an array at the next call that waits; a dtype
        /// that the distribution does not give with [`ErrorKind::Type`](crate::ErrorKind::Type).
        impl Generator {$(
            $(#[$doc])*
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) and [`ErrorKind::Type`](crate::ErrorKind::Type), as said above.
            pub fn $name<'a>(
                &mut self,
                $($parameter: impl AsOperand,)*
                options: impl IntoArgument<DrawOptions<'a>>,
            ) -> Result<Array> {
                self.draw(stringify!($name), &[$($parameter.as_operand()),*], options)
            }
        )+}

        $(
            #[doc = concat!("As [`Generator::", stringify!($name), "`], of the generator that all threads share.")]
            ///
            /// # Errors
            ///
            /// As the method.
            pub fn $name<'a>($($parameter: impl AsOperand,)* options: impl IntoArgument<DrawOptions<'a>>) -> Result<Array> {
                shared()?.$name($($parameter,)* options)
            }
        )+
    };
}
distributions! {
    /// Numbers from 0 to below 1, in steps of 2^-53, 2^-24 for float32, 2^-11 and 2^-8 for float16 and bfloat16.
    fn random();
    /// Numbers from 0 to below 1 as if rounded down from endless bits: every float can come, the smallest subnormal ones too, and
    /// none has fewer digits near 0. Neither NumPy nor CuPy has it.
    fn random_full();
    /// Numbers from `low` to `high`.
    fn uniform(low, high);
    /// Booleans, true with probability `p` to 2^-64.
    fn bernoulli(p);
    /// Normal numbers of mean 0 and deviation 1: in float32 the inverse of the distribution function, in float64 by Box and
    /// Muller (1958). None is further from 0 than 9.16 in float32, 13.37 in float64.
    fn standard_normal();
    /// Normal numbers of the mean `loc` and the deviation `scale`.
    fn normal(loc, scale);
    /// Exponential numbers of mean 1, by the logarithm, up to 45 in float32, 89 in float64.
    fn standard_exponential();
    /// Exponential numbers of the mean `scale`.
    fn exponential(scale);
    /// Powers of e of normal numbers of `mean` and `sigma`.
    fn lognormal(mean, sigma);
    /// Double exponential numbers around `loc`.
    fn laplace(loc, scale);
    /// Logistic numbers around `loc`.
    fn logistic(loc, scale);
    /// Extreme values of Gumbel's type.
    fn gumbel(loc, scale);
    /// Numbers of Cauchy's distribution.
    fn standard_cauchy();
    /// Lengths of vectors of two normal numbers of deviation `scale`.
    fn rayleigh(scale);
    /// Numbers of Weibull's distribution of the shape `a`.
    fn weibull(a);
    /// Numbers of Pareto's distribution of the second kind, which begin at 0.
    fn pareto(a);
    /// Numbers from 0 to 1 whose density grows as the power `a - 1`.
    fn power(a);
    /// Numbers whose density is a triangle.
    fn triangular(left, mode, right);
    /// Trials up to the first success of probability `p`.
    fn geometric(p);
    /// Gamma numbers of a shape (Marsaglia and Tsang, 2000).
    fn standard_gamma(shape);
    /// Gamma numbers of a shape, times `scale`.
    fn gamma(shape, scale);
    /// Beta numbers.
    fn beta(a, b);
    /// Sums of `df` squares of normal numbers.
    fn chisquare(df);
    /// Ratios of two mean squares.
    fn f(dfnum, dfden);
    /// Numbers of Student's distribution.
    fn standard_t(df);
    /// Times in which a drifting walk arrives: the inverse normal distribution.
    fn wald(mean, scale);
    /// Angles around `mu`, from -pi to pi (Best and Fisher, 1979).
    fn vonmises(mu, kappa);
    /// Sums of `df` squares of normal numbers whose means are not 0.
    fn noncentral_chisquare(df, nonc);
    /// Ratios of two mean squares, the upper one not central.
    fn noncentral_f(dfnum, dfden, nonc);
    /// Counts of events of which `lam` are expected (Hörmann, 1993).
    fn poisson(lam);
    /// Successes among `n` trials of probability `p` (Hörmann, 1993).
    fn binomial(n, p);
    /// Failures before `n` successes of probability `p`.
    fn negative_binomial(n, p);
    /// Good ones in a sample of `nsample` without replacement (Stadlober, 1990).
    fn hypergeometric(ngood, nbad, nsample);
    /// Numbers of the logarithmic distribution (Kemp, 1981).
    fn logseries(p);
    /// Numbers of Zipf's distribution (Devroye, 1986).
    fn zipf(a);
}
