//! Common part of user-defined elementwise and reduction kernels: declarations before their sources, the axes that they
//! walk, and the cache of compiled kernels by types and layouts.
//!
//! Offsets come from divisions of the element's index by the sizes of the axes; axes along which all arrays are
//! contiguous are merged before.

use std::sync::{Mutex, PoisonError};

use cuprum_kernels::DType;
use cuprum_kernels::source::{USER_ARRAYS, USER_ATOMICS, USER_COMPLEX_FUNCTIONS, USER_TYPES};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::parameters::{Value, c_type};
use super::{Argument, RawKernel, RawModule};
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Layout;

/// Returns the declarations that precede a user's sources. The name of an integer type that one of them declares itself
/// is omitted, and the functions of complex numbers are included only if a source or a type names them.
pub(super) fn header(sources: &[&str]) -> String {
    let mut text: String =
        USER_TYPES.lines().filter(|line| !redeclares(sources, line)).fold(String::new(), |all, line| all + line + "\n");
    text.push_str(USER_ARRAYS);
    if sources.iter().any(|source| source.contains("complex")) {
        text.push_str(USER_COMPLEX_FUNCTIONS);
    }
    let atomics = ["atomicAdd", "atomicMax", "atomicMin"];
    let declared = || sources.iter().any(|source| atomics.iter().any(|name| declares(source, name)));
    if sources.iter().any(|source| names(source, &atomics)) && !declared() {
        text.push_str(USER_ATOMICS);
    }
    text
}

/// Returns true if a source declares a name: a word precedes it, such as a type or `define`, but not a keyword that
/// precedes a value.
pub(super) fn declares(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let spaced = before.trim_end_matches([' ', '\t']);
        let word = &spaced[spaced.rfind(|c| !part(c)).map_or(0, |from| from + 1)..];
        spaced.len() < before.len()
            && !after.starts_with(part)
            && !word.is_empty()
            && !word.starts_with(|c: char| c.is_ascii_digit())
            && !["return", "case", "else"].contains(&word)
    })
}

/// Returns true if a source declares the name that a `typedef` declares.
fn redeclares(sources: &[&str], line: &str) -> bool {
    let Some(name) = line.strip_prefix("typedef ").and_then(|rest| rest.trim_end_matches(';').rsplit(' ').next())
    else {
        return false;
    };
    let declares = |statement: &str| {
        let (typedef, using) = (format!(" {name}"), format!("using {name} "));
        statement.contains("typedef ") && statement.trim_end().ends_with(&typedef)
            || format!("{statement} ").replace('=', " ").contains(&using)
    };
    sources.iter().any(|source| source.contains(name) && source.split(';').any(declares))
}

/// Maximum number of blocks, beyond which each thread processes several elements.
pub(super) const MOST_BLOCKS: usize = 1 << 16;

/// Key of a compiled kernel of a source: types, numbers of axes, and everything else that the source depends on.
pub(super) type Key = SmallVec<[u8; 48]>;

/// Compiled kernels by device and key, with a number that was read from the module.
#[derive(Debug, Default)]
pub(super) struct Compiled(Mutex<FxHashMap<(usize, Key), (RawKernel, usize)>>);

impl Compiled {
    /// Returns the kernel of a key, whose source `text` writes at its first use. `bytes` names a variable of the module
    /// that contains a number.
    pub(super) fn get(
        &self,
        device: Device,
        key: &Key,
        (name, options): (&str, &[String]),
        bytes: Option<&str>,
        text: impl FnOnce() -> String,
    ) -> Result<(RawKernel, usize)> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (device.address(), key.clone());
        if let Some(found) = all().get(&key) {
            return Ok(found.clone());
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let module = device.with(|| RawModule::compile(&text(), &options))?;
        let number = match bytes {
            Some(variable) => module.global(variable)?.view(DType::I32)?.item::<i32>()? as usize,
            None => 0,
        };
        let found = (module.kernel(name)?, number);
        all().insert(key, found.clone());
        Ok(found)
    }
}

/// Axes that a kernel walks: their sizes, and the strides of each array along them.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) sizes: Vec<usize>,
    pub(super) strides: Vec<Vec<i64>>,
}

impl Walk {
    pub(super) fn new(sizes: &[usize], arrays: &[&Array]) -> Walk {
        Walk { sizes: sizes.to_vec(), strides: arrays.iter().map(|a| a.strides().to_vec()).collect() }
    }

    /// Sorts axes so that the last of the arrays has the smallest stride along the last one, with the others as tie
    /// breakers.
    pub(super) fn sort(&mut self, from: usize) {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        let key = |axis: usize| -> Vec<u64> { self.strides.iter().rev().map(|s| s[axis].unsigned_abs()).collect() };
        order[from..].sort_by_key(|&axis| std::cmp::Reverse(key(axis)));
        self.sizes = order.iter().map(|&axis| self.sizes[axis]).collect();
        for strides in &mut self.strides {
            *strides = order.iter().map(|&axis| strides[axis]).collect();
        }
    }

    /// Merges axes that all arrays walk as one, and drops those of one element; axis `apart` is not merged with the one
    /// before it. Returns the number of axes that remain before it.
    pub(super) fn merge(&mut self, apart: usize) -> usize {
        let (mut sizes, mut front) = (Vec::<usize>::new(), 0);
        let mut strides: Vec<Vec<i64>> = vec![vec![]; self.strides.len()];
        for axis in 0..self.sizes.len() {
            if axis == apart {
                front = sizes.len();
            }
            let n = self.sizes[axis];
            if n == 1 {
                continue;
            }
            let first = sizes.len() == if axis >= apart { front } else { 0 };
            let one = |k: usize| strides[k].last() == Some(&self.strides[k][axis].wrapping_mul(n as i64));
            if !first && (0..strides.len()).all(one) {
                if let Some(last) = sizes.last_mut() {
                    *last *= n;
                }
                for (to, from) in strides.iter_mut().zip(&self.strides) {
                    to.pop();
                    to.push(from[axis]);
                }
            } else {
                sizes.push(n);
                strides.iter_mut().zip(&self.strides).for_each(|(to, from)| to.push(from[axis]));
            }
        }
        if apart >= self.sizes.len() {
            front = sizes.len();
        }
        *self = Walk { sizes, strides };
        front
    }

    /// Appends axes of one element up to this number of axes.
    pub(super) fn at_least(&mut self, axes: usize) {
        while self.sizes.len() < axes {
            self.sizes.push(1);
            self.strides.iter_mut().for_each(|s| s.push(0));
        }
    }

    /// Returns true if every index and every byte offset fit in 32 bits.
    pub(super) fn is_narrow(&self) -> bool {
        let most = i32::MAX as i128;
        let elements: i128 = self.sizes.iter().map(|&n| n as i128).product();
        let reach = |strides: &Vec<i64>| -> i128 {
            strides.iter().zip(&self.sizes).map(|(&s, &n)| i128::from(s).abs() * n as i128).sum()
        };
        elements <= most && self.strides.iter().all(|s| reach(s) <= most)
    }

    /// Returns the view of an array along these axes.
    pub(super) fn view(&self, k: usize, a: &Array) -> Array {
        let layout = Layout {
            shape: self.sizes.iter().copied().collect(),
            strides: self.strides[k].iter().copied().collect(),
            offset: a.layout().offset,
        };
        a.with_layout(layout)
    }
}

/// Returns true if a source contains one of these names.
pub(super) fn names(text: &str, wanted: &[&str]) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !word(c)).any(|found| wanted.contains(&found))
}

/// Returns the C type of a kernel parameter.
pub(super) fn declared(value: &Value, dtype: DType, narrow: bool) -> String {
    match value {
        Value::Array(a) => {
            let dense = a.layout().is_c_contiguous(dtype.size());
            format!("CArray<{}, {}, {dense}, {narrow}>", c_type(dtype), a.ndim())
        }
        Value::Number(..) => c_type(dtype).into(),
    }
}

/// Adds to the key what the source depends on of a parameter.
pub(super) fn note(value: &Value, dtype: DType, key: &mut Key) {
    let of = match value {
        Value::Array(a) => 2 * a.ndim() as u8 + u8::from(a.layout().is_c_contiguous(dtype.size())),
        Value::Number(..) => u8::MAX,
    };
    key.extend([dtype as u8, of]);
}

/// Returns the bytes of the index struct for these sizes, as in `include/user_array.cuh`.
pub(super) fn indexer(sizes: &[usize]) -> Vec<u8> {
    let all = sizes.iter().product::<usize>();
    let axes = sizes.len().max(1);
    let shape = (0..axes).map(|k| sizes.get(k).copied().unwrap_or_default());
    let words = std::iter::once(all).chain(shape).chain((0..axes).map(|_| 0));
    words.flat_map(|n| (n as u64).to_le_bytes()).collect()
}

/// Appends the launch arguments of values.
pub(super) fn append_arguments<'a>(values: &'a [Value], to: &mut Vec<Argument<'a>>) {
    to.extend(values.iter().map(|value| match value {
        Value::Array(a) => Argument::View(a),
        Value::Number(bytes, dtype) => Argument::Bytes { bytes: &bytes[..dtype.size()], align: dtype.real().size() },
    }));
}

/// Returns the device of the first array.
pub(super) fn device_of<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<Device> {
    arrays.into_iter().next().map_or_else(Device::current, |a| Ok(a.device()))
}

/// Returns the error for an output whose shape differs from that of the results.
pub(super) fn wrong_shape(given: &[usize], wanted: &[usize]) -> Error {
    let (given, wanted) = (crate::layout::shape_text(given), crate::layout::shape_text(wanted));
    let message = format!("an output of shape {given} is given where the results have shape {wanted}");
    Error::new(ErrorKind::Value, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_source_declares_are_left_out() {
        let all = header(&["x = 1"]);
        assert!(all.contains("uint64_t;") && all.contains("ptrdiff_t;") && !all.contains("cuprum_functions"));
        for own in [
            "typedef unsigned long long uint64_t;",
            "int i; typedef unsigned long\n long  uint64_t ;",
            "using uint64_t = unsigned;",
        ] {
            let text = header(&["x = y", own]);
            assert!(
                !text.contains(" uint64_t;") && text.contains(" uint32_t;") && text.contains("ptrdiff_t;"),
                "{own}"
            );
        }
        assert!(header(&["uint64_t x = 1; typedef int my_uint64_t;"]).contains(" uint64_t;"));
        assert!(header(&["complex<float> z"]).contains("cuprum_functions"));
        assert!(header(&["atomicMax(&y[0], x)"]).contains("noftz"));
        assert!(!header(&["atomicMax(&y[0], x)", "__device__ float atomicMax(float *at, float x);"]).contains("noftz"));
    }
}
