//! Error messages of random numbers.

use cuprum::random::{BitGenerator, BitGeneratorState, ChoiceOptions, default_rng};
use cuprum::{DType, array};

use super::messages;

messages! {
    "Random numbers" {
        default_rng(-1)
            => "default_rng: a seed is -1: it must be 0 or more",
            "Any integer from 0 on is a seed, and a list of them.";
        default_rng(1)?.random(DType::I32)
            => "random: what is drawn are floats: there are none of int32",
            "`integers` draws integers.";
        default_rng(1)?.poisson(-1, 3)
            => "poisson: `lam` is -1: it must be from 0 to 9.2e18",
            "Give what the distribution allows.";
        default_rng(1)?.poisson(array([1.0, -2.0])?, ())?.to_vec::<i64>()
            => "poisson: at position 1 `lam` is -2: it must be from 0 to 9.2e18",
            "A parameter in an array is reported by the next synchronising call. Give what the distribution allows.";
        default_rng(1)?.triangular(0, 5, 3, ())
            => "triangular: of the parameters `left <= mode <= right` and `left < right` must hold",
            "Give them in order.";
        default_rng(1)?.integers(3, 3, ())
            => "integers: there is no integer from 3 to below 3: `low` must be less than `high`",
            "With `endpoint` the upper bound is drawn, too.";
        default_rng(1)?.integers(0, 257, DType::U8)
            => "integers: `high` is 257: uint8 does not hold what is below it",
            "Request a wider dtype.";
        default_rng(1)?.choice(4, ChoiceOptions::new().size(5).replace(false))
            => "choice: 5 are to be chosen of 4 without replacement: there are only 4",
            "Choose fewer, or with replacement.";
        default_rng(1)?.choice(2, ChoiceOptions::new().p(&array([0.5, 0.25])?))
            => "choice: p is together 0.75: it must be 1",
            "Divide by the sum.";
        default_rng(1)?.multivariate_normal(array([0.0, 0.0])?, array([[1.0]])?, ())
            => "multivariate_normal: `cov` has the shape (1, 1): for a mean of 2 elements it must be (2, 2)",
            "Give the covariance of each pair of elements.";
        default_rng(1)?.multivariate_normal(array([0.0, 0.0])?, array([[1.0, 2.0], [2.0, 1.0]])?, ())
            => "multivariate_normal: `cov` is not symmetric and positive semidefinite to 0.00000001: fix it, allow more by \
                `tol`, or skip the check",
            "A covariance is symmetric, and its eigenvalues are 0 or more.";
        BitGenerator::from_state(&BitGeneratorState {
            bit_generator: "PCG64".into(),
            state: [1; 6],
            block: 0,
            lane: 0,
        }) => "BitGenerator: there is no bit generator \"PCG64\": they are Philox4x3210, MRG32k3a and XORWOW",
            "Give the state of one of them.";
    }
}
