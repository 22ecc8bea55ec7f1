//! Comparison of NumPy's results with the oracle's, aspect by aspect.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::case::Expectation;
use crate::judge::{Allowance, judge};
use crate::outcome::{Kind, Outcome, Tensor};

/// The aspects in which two outcomes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// The existence of a result, the number of arrays, or the exception class.
    Outcome,
    /// The dtype of an array.
    Dtype,
    /// The shape of an array.
    Shape,
    /// The strides of an array, where they address anything.
    Strides,
    /// The form: a scalar or a 0-d array.
    Form,
    /// The elements of an array.
    Values,
    /// The text of an array.
    Text,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Aspect::Outcome => "exception class",
            Aspect::Dtype => "dtype",
            Aspect::Shape => "shape",
            Aspect::Strides => "strides",
            Aspect::Form => "scalar or array",
            Aspect::Values => "values",
            Aspect::Text => "text",
        })
    }
}

/// A comparison: the compared aspects, and the differences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The aspects that both sides have, one for each array.
    pub aspects: Vec<Aspect>,
    /// The differences with descriptions.
    pub differences: Vec<(Aspect, String)>,
}

impl Compared {
    /// Compares one aspect; `message` describes the difference.
    pub fn aspect(&mut self, aspect: Aspect, same: bool, message: impl FnOnce() -> String) {
        self.aspects.push(aspect);
        if !same {
            self.differences.push((aspect, message()));
        }
    }
}

/// Compares NumPy's outcome with the oracle's. `allowances` are those of the arrays of the result, in sequence.
pub fn compare(numpy: &Outcome, oracle: &Outcome, allowances: &[Allowance]) -> Compared {
    let mut out = Compared::default();
    let kind = |o: &Outcome| match o {
        Outcome::Array(_) => "an array".to_string(),
        Outcome::Several(arrays) => format!("{} arrays", arrays.len()),
        Outcome::Text(_) => "a text".into(),
        Outcome::Rejected(kind, _) => kind.to_string(),
    };
    let in_words = |o: &Outcome| match o {
        Outcome::Rejected(kind, message) => format!("{kind} ({message})"),
        other => kind(other),
    };
    // A breakdown has nothing to compare.
    let broken = |o: &Outcome| matches!(o, Outcome::Rejected(Kind::Broken, _));
    // Code that catches NumPy's class also catches a derived one.
    let derived = |of: &Outcome, from: &Outcome| match (of, from) {
        (Outcome::Rejected(Kind::Axis, _), Outcome::Rejected(from, _)) => matches!(from, Kind::Index | Kind::Value),
        (Outcome::Rejected(Kind::LinAlg, _), Outcome::Rejected(from, _)) => *from == Kind::Value,
        _ => false,
    };
    let same = (kind(numpy) == kind(oracle) || derived(oracle, numpy)) && !broken(numpy) && !broken(oracle);
    out.aspect(Aspect::Outcome, same, || format!("NumPy gives {}, the oracle {}", in_words(numpy), in_words(oracle)));
    match (numpy, oracle) {
        (Outcome::Array(got), Outcome::Array(want)) => arrays(got, want, allowances.first(), &mut out),
        (Outcome::Several(got), Outcome::Several(want)) if got.len() == want.len() => {
            for (k, (got, want)) in got.iter().zip(want).enumerate() {
                arrays(got, want, allowances.get(k), &mut out);
            }
        }
        (Outcome::Text(got), Outcome::Text(want)) => {
            out.aspect(Aspect::Text, got == want, || format!("NumPy writes\n{got}\nthe oracle\n{want}"));
        }
        _ => {}
    }
    out
}

fn arrays(got: &Tensor, want: &Tensor, allowance: Option<&Allowance>, out: &mut Compared) {
    out.aspect(Aspect::Dtype, got.dtype == want.dtype, || {
        format!("NumPy's is {}, the oracle's {}", got.dtype, want.dtype)
    });
    out.aspect(Aspect::Shape, got.shape == want.shape, || {
        format!("NumPy's is {:?}, the oracle's {:?}", got.shape, want.shape)
    });
    if got.shape != want.shape || got.dtype != want.dtype {
        return;
    }
    // The stride of an axis of length 1 addresses nothing, and in an empty array none does.
    if want.size() > 0 {
        let longer = |t: &Tensor| -> Vec<i64> {
            t.strides.iter().zip(&t.shape).filter(|(_, n)| **n > 1).map(|(s, _)| *s).collect()
        };
        out.aspect(Aspect::Strides, longer(got) == longer(want), || {
            format!("NumPy's are {:?}, the oracle's {:?}", got.strides, want.strides)
        });
    }
    let got = Outcome::Array(Tensor { strides: want.strides.clone(), ..got.clone() });
    let exact = Allowance::default();
    let verdict = judge(&got, &Outcome::Array(want.as_numpy()), Expectation::Agreement, allowance.unwrap_or(&exact));
    out.aspect(Aspect::Values, verdict.failure.is_none(), || {
        format!("of NumPy's: {}", verdict.failure.map_or(String::new(), |f| f.message))
    });
}

#[cfg(test)]
mod tests {
    use cuprum_kernels::DType;

    use super::*;
    use crate::outcome::{Freedom, Number};

    fn floats(values: &[f64]) -> Tensor {
        let bytes = values.iter().flat_map(|x| Number::Float(*x).encode(DType::F32)).collect();
        Tensor::packed(DType::F32, &[2, 2], bytes)
    }

    fn found(plant: impl FnOnce(&mut Tensor)) -> Vec<Aspect> {
        let want = floats(&[1.0, -0.5, 0.0, f64::NAN]);
        let mut got = want.clone();
        plant(&mut got);
        let compared = compare(&Outcome::Array(got), &Outcome::Array(want), &[]);
        compared.differences.into_iter().map(|(aspect, _)| aspect).collect()
    }

    #[test]
    fn equal_outcomes_have_no_difference_in_any_of_five_aspects() {
        assert_eq!(found(|_| {}), []);
        let one = Outcome::Array(floats(&[0.0; 4]));
        let aspects = [Aspect::Outcome, Aspect::Dtype, Aspect::Shape, Aspect::Strides, Aspect::Values];
        assert_eq!(compare(&one, &one, &[]).aspects, aspects);
    }

    #[test]
    fn a_planted_dtype_is_found() {
        assert_eq!(found(|t| t.dtype = DType::I32), [Aspect::Dtype]);
    }

    #[test]
    fn a_planted_shape_is_found() {
        assert_eq!(found(|t| t.shape = vec![4, 1]), [Aspect::Shape]);
        assert_eq!(found(|t| t.shape = vec![1, 2, 2]), [Aspect::Shape]);
    }

    #[test]
    fn planted_strides_are_found_where_they_address_something() {
        assert_eq!(found(|t| t.strides = vec![4, 8]), [Aspect::Strides]);
        let row = |strides: &[i64]| {
            let t = Tensor::packed(DType::U8, &[1, 3], vec![1, 2, 3]);
            Outcome::Array(Tensor { strides: strides.to_vec(), ..t })
        };
        assert_eq!(compare(&row(&[99, 1]), &row(&[3, 1]), &[]).differences, []);
        assert_eq!(compare(&row(&[3, -1]), &row(&[3, 1]), &[]).differences.len(), 1);
    }

    #[test]
    fn one_planted_unit_in_the_last_place_is_found() {
        assert_eq!(found(|t| t.bytes[0] ^= 1), [Aspect::Values]);
    }

    #[test]
    fn a_planted_sign_of_zero_and_a_planted_nan_are_found() {
        assert_eq!(found(|t| t.bytes[11] ^= 0x80), [Aspect::Values]);
        assert_eq!(found(|t| t.bytes[6] = 0xc0), [Aspect::Values]);
    }

    #[test]
    fn a_budget_lets_one_unit_pass_and_not_two() {
        let want = floats(&[1.0, 2.0, 3.0, 4.0]);
        let at = |units: u8| {
            let mut got = want.clone();
            got.bytes[0] = units;
            let allowance = Allowance { ulp: 1, ..Allowance::default() };
            compare(&Outcome::Array(got), &Outcome::Array(want.clone()), &[allowance]).differences.len()
        };
        assert_eq!((at(1), at(2)), (0, 1));
    }

    #[test]
    fn what_numpy_leaves_open_is_not_compared() {
        let mut want = floats(&[1.0; 4]);
        want.freedom = vec![Freedom::Any, Freedom::Exact, Freedom::Exact, Freedom::Exact];
        let mut got = floats(&[1.0; 4]);
        got.bytes[0] ^= 1;
        let differ =
            |got: &Tensor| compare(&Outcome::Array(got.clone()), &Outcome::Array(want.clone()), &[]).differences;
        assert_eq!(differ(&got), []);
        got.bytes[4] ^= 1;
        assert_eq!(differ(&got).len(), 1);
    }

    #[test]
    fn a_planted_exception_class_is_found() {
        let rejected = |kind| Outcome::Rejected(kind, "no".into());
        assert_eq!(compare(&rejected(Kind::Value), &rejected(Kind::Value), &[]).differences, []);
        for other in
            [rejected(Kind::Type), rejected(Kind::Axis), Outcome::Array(floats(&[0.0; 4])), Outcome::Text("".into())]
        {
            let differences = compare(&other, &rejected(Kind::Value), &[]).differences;
            assert_eq!(differences.iter().map(|(a, _)| *a).collect::<Vec<_>>(), [Aspect::Outcome], "{other:?}");
        }
        let several = |n| Outcome::Several(vec![floats(&[0.0; 4]); n]);
        assert_eq!(compare(&several(2), &several(2), &[]).aspects.len(), 9);
        assert_eq!(compare(&several(2), &several(3), &[]).differences.len(), 1);
    }

    #[test]
    fn two_sides_that_broke_down_do_not_agree() {
        let broken = Outcome::Rejected(Kind::Broken, "gone".into());
        assert_eq!(compare(&broken, &broken, &[]).differences.len(), 1);
    }

    #[test]
    fn a_planted_text_is_found() {
        let text = |t: &str| Outcome::Text(t.into());
        assert_eq!(compare(&text("[1]"), &text("[1]"), &[]).differences, []);
        assert_eq!(compare(&text("[1]"), &text("[1.]"), &[]).differences.len(), 1);
    }
}
