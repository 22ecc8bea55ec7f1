//! Random numbers as elementwise functions of an element's index, for fused kernels: for the distributions that use a
//! fixed number of words for each element. A call on its own runs in the random number engine, which computes several
//! elements from one generator block.

use super::{Loops, UFUNC, Ufunc};

/// Returns the source of a distribution's namespace: its table and the functions that use it.
macro_rules! distribution {
    ($name:literal, $narrow:literal, $distribution:literal, $table:literal) => {
        concat!(
            header!("random_philox"),
            "namespace ",
            $name,
            " {\n#define NARROW ",
            $narrow,
            "\n#define WIDE !NARROW\n#define STAGED 0\n#define DISTRIBUTION ",
            $distribution,
            "\nstruct params {\n  u32 state[3];\n};\n",
            include_str!("../../include/random_philox_block.cuh"),
            include_str!(concat!("../../include/", $table, ".cuh")),
            include_str!("../../include/random_staged.cuh"),
            include_str!("../../include/random_draws.cuh"),
            include_str!("../../include/random_expression.cuh"),
            "#undef NARROW\n#undef WIDE\n#undef STAGED\n#undef DISTRIBUTION\n}\n"
        )
    };
}

/// Returns the record of a distribution, whose operands are the generator's key, the index of the call's first element
/// in the generator's sequence, and the stream.
const fn distribution_record(
    name: &'static str,
    loops: &'static [Loops],
    text: &'static str,
    distribution: &'static str,
) -> Ufunc {
    Ufunc {
        name,
        namespace: "",
        nin: 3,
        loops,
        heavy: true,
        text,
        distribution: Some(distribution),
        doc: "A random number of each element.",
        ..UFUNC
    }
}

const UNIFORM: &str = concat!(header!("random_philox"), header!("random_unit"), header!("random_number"));

pub(super) const UFUNCS: &[&Ufunc] = &[
    &distribution_record(
        "uniform_single",
        &[Loops { types: "LLL->f", expr: "random_single(a, b, c, index)" }],
        UNIFORM,
        "random",
    ),
    &distribution_record(
        "uniform_double",
        &[Loops { types: "LLL->d", expr: "random_double(a, b, c, index)" }],
        UNIFORM,
        "random",
    ),
    &distribution_record(
        "normal_single",
        &[Loops {
            types: "LLL->f",
            expr: "normal_single::element<normal_single::normal_distribution>(a, b, c, index)",
        }],
        distribution!("normal_single", "1", "", "random_normal_table"),
        "standard_normal",
    ),
    &distribution_record(
        "normal_double",
        &[Loops { types: "LLL->d", expr: "normal_double::element(a, b, c, index)" }],
        distribution!("normal_double", "0", "normals", "random_wide_table"),
        "standard_normal",
    ),
    &distribution_record(
        "exponential_single",
        &[Loops {
            types: "LLL->f",
            expr: "exponential_single::element<exponential_single::exponential_distribution>(a, b, c, index)",
        }],
        distribution!("exponential_single", "1", "", "random_exponential_table"),
        "standard_exponential",
    ),
    &distribution_record(
        "exponential_double",
        &[Loops { types: "LLL->d", expr: "exponential_double::element(a, b, c, index)" }],
        distribution!("exponential_double", "0", "exponentials", "random_wide_table"),
        "standard_exponential",
    ),
];
