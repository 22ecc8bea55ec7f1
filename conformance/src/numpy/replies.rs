//! NumPy's replies to cases of the harness, stored in a file: the oracle is compared with them where NumPy is not
//! installed.
//!
//! From the samples, each function has a case of each tuple of dtypes with each set of keywords, with each parameter,
//! in each layout, with each value set and each rank of its operands, its largest one, and those that are rejected; in
//! addition every pair of dtypes. Of a large result some elements are stored, evenly spaced; of integers a digest of
//! all as well.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuprum_kernels::DType;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::proof::{Proof, held};
use super::{Answer, Worker, known};
use crate::case::{Case, Layout, Operand, ValueSet};
use crate::matrix::{Matrix, OpKind};
use crate::operand::inputs;
use crate::outcome::{Freedom, Kind, Outcome, Tensor};
use crate::random::hash;
use crate::reference::Reference;
use crate::sample::rejected;
use crate::side::Side;
use crate::text::{Params, Shape};

/// Number of stored elements of a larger result.
const KEPT: usize = 192;
/// Larger results are not recorded, to limit the size of the file and the time of the tests.
const LARGEST: usize = 1 << 17;

/// The recorded replies of NumPy 2.4, for [`Replies::read`].
pub const NUMPY_2_4: &[u8] = include_bytes!("../../../tests/golden/replies/numpy-2.4.gz");
/// The recorded replies of NumPy 1.22.
pub const NUMPY_1_22: &[u8] = include_bytes!("../../../tests/golden/replies/numpy-1.22.gz");
/// The recorded replies of SciPy 1.17.
pub const SCIPY_1_17: &[u8] = include_bytes!("../../../tests/golden/replies/scipy-1.17.gz");

/// An array as NumPy returned it: all of its elements, or those at [`stored_indices`], follow in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ArrayReply {
    #[serde(with = "name")]
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<i64>,
    /// Digest of all elements, where some are stored and all are integers: these must be equal to the bit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<u64>,
}

/// Serialisation of a dtype by its name.
mod name {
    use cuprum_kernels::DType;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(dtype: &DType, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(dtype.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DType, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A reply of NumPy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ReplyOutcome {
    Arrays(Vec<ArrayReply>),
    Text(String),
    Rejected(Kind),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Reply {
    pub(super) id: String,
    pub(super) seed: u64,
    pub(super) said: ReplyOutcome,
    pub(super) scalar: bool,
}

impl Reply {
    /// Returns the number of bytes of its stored elements.
    fn bytes(&self) -> usize {
        if let ReplyOutcome::Arrays(all) = &self.said { all.iter().map(bytes_of).sum() } else { 0 }
    }
}

/// The replies of one NumPy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Replies {
    /// Its version.
    pub numpy: String,
    all: Vec<Reply>,
    #[serde(skip)]
    elements: Vec<u8>,
}

/// Returns the indices of the stored elements among `size`.
fn stored_indices(size: usize) -> impl Iterator<Item = usize> {
    let kept = size.min(KEPT);
    (0..kept).map(move |k| k * size / kept.max(1))
}

fn bytes_of(given: &ArrayReply) -> usize {
    stored_indices(given.shape.iter().product()).count() * given.dtype.size()
}

fn arrays(outcome: &Outcome) -> &[Tensor] {
    match outcome {
        Outcome::Array(one) => std::slice::from_ref(one),
        Outcome::Several(all) => all,
        _ => &[],
    }
}

/// Returns every pair of dtypes of the functions of two elements, and every dtype with each of their scalars: more than
/// a device runs.
fn pairs(matrix: &Matrix) -> Vec<(Case, u64)> {
    let array = |dtype| Operand::Array { dtype, shape: Shape(vec![5]), layout: Layout::C };
    let mut out = vec![];
    for op in matrix.ops.iter().filter(|op| op.kind == OpKind::Ufunc && op.operands == 2) {
        let values = op.values.as_deref().unwrap_or(ValueSet::USUAL);
        let seconds = DType::ALL.into_iter().map(array).chain(op.scalars.iter().cloned().map(Operand::Scalar));
        for (k, (first, second)) in seconds.flat_map(|b| DType::ALL.map(|a| (array(a), b.clone()))).enumerate() {
            let (family, op, operands) = (op.family.clone(), op.name.clone(), vec![first, second]);
            let values = values[k % values.len()].into();
            out.push((Case { family, op, operands, values, params: Params::default() }, matrix.seed));
        }
    }
    out
}

/// Returns the cases whose replies are stored, each with its seed.
pub fn chosen(matrix: &Matrix, cases: Vec<(Case, u64)>) -> Vec<(Case, u64)> {
    let shapes = |case: &Case| -> Vec<Vec<usize>> {
        let of = |operand: &Operand| match operand {
            Operand::Array { shape, .. } => shape.0.clone(),
            Operand::Scalar(_) => vec![],
        };
        case.operands.iter().map(of).collect()
    };
    let size = |case: &Case| shapes(case).iter().map(|shape| shape.iter().product()).max().unwrap_or(0);
    let layouts = |case: &Case| -> String {
        let of = |operand: &Operand| match operand {
            Operand::Array { layout, .. } => layout.to_string(),
            Operand::Scalar(_) => String::new(),
        };
        case.operands.iter().map(of).collect()
    };
    let ranks = |case: &Case| -> Vec<(usize, bool)> {
        shapes(case).iter().map(|shape| (shape.len(), shape.contains(&0))).collect()
    };
    let rejected = rejected(matrix);
    let mut seen: HashSet<(String, String)> = HashSet::new();
    let mut largest: BTreeMap<String, (Case, u64)> = BTreeMap::new();
    let mut out = vec![];
    for (case, seed) in cases {
        if matrix.op(&case.op).is_none() || size(&case) > LARGEST {
            continue;
        }
        // A keyword may have an effect for one dtype only.
        let keywords: Vec<&str> = case.params.pairs().iter().map(|(name, _)| name.as_str()).collect();
        let aspects = [
            format!("{:?} {keywords:?}", case.dtypes()),
            format!("with {}", case.params),
            format!("in {}", layouts(&case)),
            format!("of {}", case.values),
            format!("along {:?}", ranks(&case)),
        ];
        let new = aspects.map(|aspect| seen.insert((case.op.clone(), aspect)));
        if new.contains(&true) || seed == matrix.seed && rejected.contains(&case.id()) {
            out.push((case.clone(), seed));
        }
        let best = largest.entry(case.op.clone()).or_insert_with(|| (case.clone(), seed));
        if size(&case) > size(&best.0) {
            *best = (case, seed);
        }
    }
    out.extend(largest.into_values());
    // Of a part of the functions, those of the others are not needed.
    let ops: HashSet<String> = out.iter().map(|(case, _)| case.op.clone()).collect();
    out.extend(pairs(matrix).into_iter().filter(|(case, _)| ops.contains(&case.op)));
    let mut known: HashSet<(String, u64)> = HashSet::new();
    out.retain(|(case, seed)| known.insert((case.id(), *seed)));
    out
}

impl Replies {
    /// Runs the cases with NumPy.
    ///
    /// # Errors
    /// A message, if NumPy does not start or fails.
    pub fn ask(matrix: &Matrix, cases: &[(Case, u64)], python: &Path, script: &Path) -> Result<Replies, String> {
        let mut worker = Worker::start(python, script)?;
        let mut out = Replies { numpy: worker.version.clone(), ..Replies::default() };
        for (case, seed) in cases {
            let op = matrix.op(&case.op).ok_or_else(|| format!("no operation is called {}", case.op))?;
            if known::skipped(op, case, &worker).is_some() {
                continue;
            }
            let inputs = inputs(case, *seed)?;
            let answer = worker.ask(op, case, &inputs).map_err(|e| format!("{case}: {e}"))?;
            let (outcome, scalar) = match answer {
                Answer::Outcome(outcome, scalar) => (outcome, scalar),
                Answer::Absent(_) => continue,
                Answer::Crashed(_) => {
                    worker = Worker::start(python, script)?;
                    continue;
                }
            };
            // A result that is checked by all of its elements cannot be checked by some.
            let some = arrays(&outcome).iter().any(|t| t.size() > KEPT);
            if some && Reference.remainders(op, case, &inputs, &outcome).is_some() {
                continue;
            }
            let said = match &outcome {
                Outcome::Text(text) => ReplyOutcome::Text(text.clone()),
                Outcome::Rejected(kind, _) => ReplyOutcome::Rejected(*kind),
                arrays => ReplyOutcome::Arrays(out.kept(arrays)),
            };
            out.all.push(Reply { id: case.id(), seed: *seed, said, scalar });
        }
        Ok(out)
    }

    /// Builds the replies that hold this outcome of one case alone.
    #[cfg(test)]
    pub(super) fn of(numpy: &str, id: &str, seed: u64, outcome: &Outcome) -> Replies {
        let mut out = Replies { numpy: numpy.into(), ..Replies::default() };
        let said = ReplyOutcome::Arrays(out.kept(outcome));
        out.all.push(Reply { id: id.into(), seed, said, scalar: false });
        out
    }

    fn kept(&mut self, outcome: &Outcome) -> Vec<ArrayReply> {
        let one = |t: &Tensor| {
            let size = t.dtype.size();
            stored_indices(t.size()).for_each(|i| self.elements.extend(&t.bytes[i * size..(i + 1) * size]));
            let exact = !(t.dtype.is_float() || t.dtype.is_complex());
            let digest = (exact && t.size() > KEPT).then(|| hash(&t.bytes));
            ArrayReply { dtype: t.dtype, shape: t.shape.clone(), strides: t.strides.clone(), digest }
        };
        arrays(outcome).iter().map(one).collect()
    }

    /// Packs the file: a line of JSON and the elements, compressed.
    ///
    /// # Errors
    /// A message, if compression fails.
    pub fn packed(&self) -> Result<Vec<u8>, String> {
        let mut out = GzEncoder::new(vec![], Compression::best());
        let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(|e| e.to_string());
        write(serde_json::to_string(self).map_err(|e| e.to_string())?.as_bytes())?;
        write(b"\n")?;
        write(&self.elements)?;
        out.finish().map_err(|e| e.to_string())
    }

    /// Reads [`Replies::packed`].
    ///
    /// # Errors
    /// A message, if the file is invalid.
    pub fn read(bytes: &[u8]) -> Result<Replies, String> {
        let mut plain = vec![];
        GzDecoder::new(bytes).read_to_end(&mut plain).map_err(|e| e.to_string())?;
        let end = plain.iter().position(|b| *b == b'\n').ok_or("there is no line of JSON")?;
        let replies: Replies = serde_json::from_slice(&plain[..end]).map_err(|e| e.to_string())?;
        Ok(Replies { elements: plain.split_off(end + 1), ..replies })
    }

    /// Returns the number of replies.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the replies without those to these cases.
    #[must_use]
    pub fn without(&self, ids: &HashSet<String>) -> Replies {
        self.filtered(|reply, _| !ids.contains(&reply.id))
    }

    /// Returns the replies without those of more than this number of elements, of which few are stored.
    #[must_use]
    pub fn without_larger(&self, elements: usize) -> Replies {
        let count = |of: &ArrayReply| of.shape.iter().product::<usize>();
        self.filtered(|reply, _| match &reply.said {
            ReplyOutcome::Arrays(all) => all.iter().map(count).sum::<usize>() <= elements,
            _ => true,
        })
    }

    /// Returns the replies without those to these cases with operands of this seed.
    #[must_use]
    pub fn without_seeded(&self, ids: &HashSet<String>, seed: u64) -> Replies {
        self.filtered(|reply, _| reply.seed != seed || !ids.contains(&reply.id))
    }

    /// Returns the replies that are not the same, to the bit, in another version.
    #[must_use]
    pub fn different_from(&self, other: &Replies) -> Replies {
        let same: HashMap<(&str, u64), (&Reply, &[u8])> =
            other.each().map(|(reply, elements)| ((reply.id.as_str(), reply.seed), (reply, elements))).collect();
        self.filtered(|reply, elements| same.get(&(reply.id.as_str(), reply.seed)) != Some(&(reply, elements)))
    }

    fn filtered(&self, is_kept: impl Fn(&Reply, &[u8]) -> bool) -> Replies {
        let mut kept = Replies { numpy: self.numpy.clone(), all: vec![], elements: vec![] };
        for (reply, elements) in self.each().filter(|(reply, elements)| is_kept(reply, elements)) {
            kept.all.push(reply.clone());
            kept.elements.extend_from_slice(elements);
        }
        kept
    }

    /// Iterates over the replies with their elements, fewer where the file is cut off.
    pub(super) fn each(&self) -> impl Iterator<Item = (&Reply, &[u8])> {
        let mut rest = self.elements.as_slice();
        self.all.iter().map(move |reply| {
            let own = rest.split_off(..reply.bytes().min(rest.len())).unwrap_or_default();
            (reply, own)
        })
    }

    /// Compares the oracle with the replies.
    ///
    /// # Errors
    /// A message, for a reply to a case that does not belong to this matrix.
    pub fn prove(&self, matrix: &Matrix) -> Result<Proof, String> {
        let all: Vec<(&Reply, &[u8])> = self.each().collect();
        if all.iter().any(|(reply, own)| own.len() < reply.bytes()) {
            return Err("the file is cut off".into());
        }
        let next = AtomicUsize::new(0);
        let work = || -> Result<Proof, String> {
            let mut proof = Proof { numpy: self.numpy.clone(), ..Proof::default() };
            while let Some((reply, own)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                let case = Case::parse(&reply.id, matrix)?;
                let op = matrix.op(&case.op).ok_or_else(|| format!("no operation is called {}", case.op))?;
                let inputs = inputs(&case, reply.seed)?;
                let numpy = |oracle: &Outcome| said(&reply.said, own, oracle);
                held(matrix, (op, &case, &inputs), (&numpy, reply.scalar), &self.numpy, None, &mut proof);
            }
            Ok(proof)
        };
        let mut proof = Proof { numpy: self.numpy.clone(), ..Proof::default() };
        let parts: Vec<Result<Proof, String>> = std::thread::scope(|scope| {
            let jobs = std::thread::available_parallelism().map_or(1, usize::from);
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|t| t.join().expect("cases do not panic")).collect()
        });
        for part in parts {
            proof.add(part?);
        }
        proof.differences.sort();
        Ok(proof)
    }
}

/// Reconstructs NumPy's outcome, with the oracle's own elements in place of those that are not stored.
pub(super) fn said(said: &ReplyOutcome, mut elements: &[u8], oracle: &Outcome) -> Outcome {
    let given = match said {
        ReplyOutcome::Text(text) => return Outcome::Text(text.clone()),
        ReplyOutcome::Rejected(kind) => return Outcome::Rejected(*kind, "as recorded".into()),
        ReplyOutcome::Arrays(given) => given,
    };
    let mut tensors = vec![];
    for (k, of) in given.iter().enumerate() {
        let (size, count) = (of.dtype.size(), of.shape.iter().product::<usize>());
        let like = arrays(oracle).get(k).filter(|t| t.dtype == of.dtype && t.shape == of.shape);
        let mut bytes = like.map_or_else(|| vec![0; size * count], |t| t.bytes.clone());
        for i in stored_indices(count) {
            let (one, rest) = elements.split_at(size);
            bytes[i * size..(i + 1) * size].copy_from_slice(one);
            elements = rest;
        }
        let fixed = like.is_some_and(|t| t.freedom.iter().all(|f| *f == Freedom::Exact));
        if fixed && of.digest.is_some_and(|digest| digest != hash(&bytes)) {
            // The digest shows that an element that is not stored differs, but not which: the last one is marked.
            bytes.last_mut().into_iter().for_each(|byte| *byte ^= 1);
        }
        let ArrayReply { dtype, shape, strides, .. } = of.clone();
        tensors.push(Tensor { dtype, shape, strides, bytes, freedom: vec![] });
    }
    if tensors.len() == 1 { Outcome::Array(tensors.remove(0)) } else { Outcome::Several(tensors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_kept_and_a_planted_difference_is_found() {
        let matrix = Matrix::built_in().unwrap();
        let bytes: Vec<u8> = [3f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let given = ArrayReply { dtype: DType::F32, shape: vec![2], strides: vec![4], digest: None };
        let id = crate::sample::cases(&matrix, false, matrix.seed)
            .into_iter()
            .find(|c| c.op == "negative" && c.id().contains("/f32/(5,)/"))
            .unwrap()
            .id();
        let reply = Reply { id, seed: matrix.seed, said: ReplyOutcome::Arrays(vec![given]), scalar: false };
        let replies = Replies { numpy: "2.4.6".into(), all: vec![reply], elements: bytes };
        let again = Replies::read(&replies.packed().unwrap()).unwrap();
        assert_eq!((again.len(), &again.elements), (1, &replies.elements));
        let proof = again.prove(&matrix).unwrap();
        assert_eq!(proof.cases, 1);
        assert!(proof.differences[0].message.contains("[2]"), "{:?}", proof.differences);
        assert!(Replies::read(&replies.packed().unwrap()[..40]).is_err());
    }

    #[test]
    fn a_difference_of_an_element_that_is_not_kept_is_found() {
        let tensor = |last: u8| {
            let mut bytes = vec![7; KEPT + 9];
            bytes[66] = last;
            Outcome::Array(Tensor::packed(DType::U8, &[KEPT + 9], bytes))
        };
        let mut replies = Replies::default();
        let given = ReplyOutcome::Arrays(replies.kept(&tensor(1)));
        assert!(stored_indices(KEPT + 9).all(|i| i != 66), "it is kept");
        assert_eq!(said(&given, &replies.elements, &tensor(1)), tensor(1));
        assert_ne!(said(&given, &replies.elements, &tensor(2)), tensor(2));
    }

    #[test]
    fn stored_indices_are_spread_from_the_first_element_on() {
        assert_eq!(stored_indices(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(stored_indices(0).count(), 0);
        let some: Vec<usize> = stored_indices(1 << 16).collect();
        assert!(some.len() == KEPT && some[0] == 0 && some[KEPT - 1] > 65_000 && some.is_sorted());
    }
}
