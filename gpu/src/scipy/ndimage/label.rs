//! Connected components of images.
//!
//! Components are found by union-find on the device, within tiles in shared memory and across them by atomic
//! operations; they are numbered in the order of their first elements, so that labels do not depend on the order of
//! threads.

use cuprum_kernels::DType;
use cuprum_macros::signature;

use super::{generate_binary_structure, wrong};
use crate::array::Array;
use crate::engine::{components, copy, labels, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// Options of [`label`] and [`watershed_ift`](super::watershed_ift).
#[derive(Clone, Debug, Default)]
pub struct LabelOptions {
    pub(super) structure: Option<Vec<bool>>,
    pub(super) dtype: Option<DType>,
    pub(super) out: Option<Array>,
}

crate::array::default_options!(LabelOptions);

impl LabelOptions {
    /// The structure of the nearest neighbours, and labels of int32, or of int64 for images of 2^31 - 2 elements or
    /// more.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{LabelOptions, label};
    /// let (labels, count) = label(&cuprum::array([1, 1, 0, 1])?, &LabelOptions::new())?;
    /// assert_eq!((labels.to_vec::<i32>()?, count), (vec![1, 1, 0, 2], 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> LabelOptions {
        LabelOptions::default()
    }

    /// Sets the structure: the neighbours that are connected with the element in the middle, of size 3 along each axis,
    /// in C order.
    ///
    /// The structure is symmetric about its centre; SciPy's parameter `structure`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{LabelOptions, label};
    /// let image = cuprum::array([[1, 0], [0, 1]])?;
    /// let (_, diagonal) = label(&image, &LabelOptions::new().structure(&[true; 9]))?;
    /// assert_eq!(diagonal, 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn structure(mut self, elements: &[bool]) -> LabelOptions {
        self.structure = Some(elements.into());
        self
    }

    /// Sets the dtype of the labels.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::ndimage::{LabelOptions, label};
    /// let (labels, _) = label(&cuprum::array([0, 7])?, &LabelOptions::new().dtype(DType::U8))?;
    /// assert_eq!(labels.to_vec::<u8>()?, [0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(mut self, dtype: DType) -> LabelOptions {
        self.dtype = Some(dtype);
        self
    }

    /// Writes the labels to an array, which may be the input.
    ///
    /// It has the shape of the input and a real dtype; SciPy's parameter `output`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{LabelOptions, label};
    /// let image = cuprum::array([3, 0, 3])?;
    /// label(&image, &LabelOptions::new().out(&image))?;
    /// assert_eq!(image.to_vec::<i32>()?, [1, 0, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(mut self, out: &Array) -> LabelOptions {
        self.out = Some(out.clone());
        self
    }
}

/// Returns an error for complex inputs.
pub(super) fn real(function: &str, name: &str, a: &Array) -> Result<()> {
    if a.dtype().is_complex() {
        let message =
            format!("{function}: `{name}` is {}, and complex numbers are not supported: pass real ones", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

/// Returns the largest label that a dtype has, such that all smaller ones are different.
fn most_labels(dtype: DType) -> u64 {
    match dtype {
        DType::Bool => 1,
        DType::F16 => 1 << 11,
        DType::BF16 => 1 << 8,
        DType::F32 => 1 << 24,
        DType::F64 => 1 << 53,
        other => u64::MAX >> (64 - 8 * other.size() + usize::from(other.kind() == cuprum_kernels::Kind::Signed)),
    }
}

/// Labels the connected components of the elements that are not 0; SciPy's `scipy.ndimage.label`. Returns the label of
/// each element, 0 for the background, and the number of components.
///
/// The labels have the shape of the input, and are int32 unless the options name another dtype. Components are numbered
/// from 1 in the order of their first elements in C order.
///
/// Algorithm: union-find on runs of elements, within tiles in shared memory and then across their borders (D. P.
/// Playne, K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", TPDS 29(6), 2018).
///
/// ```
/// use cuprum::scipy::ndimage::{LabelOptions, generate_binary_structure, label};
///
/// let image = cuprum::array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]])?;
/// let (labels, count) = label(&image, &LabelOptions::new())?;
/// assert_eq!((labels.to_vec::<i32>()?, count), (vec![1, 0, 0, 2, 0, 3, 0, 2, 0, 0, 0, 0], 3));
/// let diagonals = LabelOptions::new().structure(&generate_binary_structure(2, 2));
/// assert_eq!(label(&image, &diagonals)?.1, 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex inputs and outputs; [`ErrorKind::Value`] for a structure that is not of size 3 along
/// each axis of the input or not symmetric, for an output of another shape, and for a dtype that has not enough labels.
///
/// # Synchronization
///
/// Synchronises to read the number of components.
#[signature]
pub fn label(input: &Array, options: &LabelOptions) -> Result<(Array, usize)> {
    real("label", "input", input)?;
    let axes = input.ndim();
    let structure = options.structure.clone().unwrap_or_else(|| generate_binary_structure(axes, 1));
    if 3usize.checked_pow(axes as u32) != Some(structure.len()) {
        return wrong(format!(
            "label: a structure of {} elements does not fit an input of {axes} axes: it has the size 3 along each",
            structure.len()
        ));
    }
    if !structure.iter().eq(structure.iter().rev()) {
        return wrong("label: the structure is not symmetric about its centre".into());
    }
    let wide = input.size() >= (1 << 31) - 2;
    let dtype = options.out.as_ref().map(Array::dtype).or(options.dtype);
    let dtype = dtype.unwrap_or(if wide { DType::I64 } else { DType::I32 });
    let out = match &options.out {
        None => make::empty(input.device(), input.shape(), dtype)?,
        Some(out) if out.shape() == input.shape() => out.clone(),
        Some(out) => {
            let (one, two) = (shape_text(out.shape()), shape_text(input.shape()));
            return wrong(format!("label: output of shape {one} does not fit the input of shape {two}"));
        }
    };
    real("label", "output", &out)?;
    if input.size() == 0 {
        return Ok((out, 0));
    }
    let own = if wide { DType::I64 } else { DType::I32 };
    let direct = out.dtype() == own && out.is_c_contiguous() && !out.may_share_memory(input);
    let labels = if direct { out.clone() } else { make::empty(input.device(), input.shape(), own)? };
    let (image, target);
    let (image, target, structure) = if axes == 0 {
        (image, target) = (input.reshape([1])?, labels.reshape([1])?);
        (&image, &target, vec![false, true, false])
    } else {
        (input, &labels, structure)
    };
    let count = labels::cast(&components::label(image, &structure, target)?, DType::U64)?.item::<u64>()?;
    if count > most_labels(dtype) {
        return wrong(format!("label: {count} components do not fit an output of {dtype}: pass a larger dtype"));
    }
    if !direct {
        copy(&labels, &out)?;
    }
    Ok((out, count as usize))
}

/// Box of a label: along each axis the first coordinate and one more than the last.
///
/// A label that does not occur has no box.
pub type LabelBox = Vec<(usize, usize)>;

/// Returns the smallest box of the elements of each label from 1 to `max_label`: along each axis the first coordinate
/// and one more than the last, or `None` for a label that does not occur; SciPy's `scipy.ndimage.find_objects`.
///
/// ```
/// use cuprum::scipy::ndimage::find_objects;
///
/// let labels = cuprum::array([[0, 3, 3], [1, 0, 3]])?;
/// assert_eq!(find_objects(&labels, 3)?, [Some(vec![(1, 2), (0, 1)]), None, Some(vec![(0, 2), (1, 3)])]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for labels that are not integers.
///
/// # Synchronization
///
/// Synchronises to read the boxes.
pub fn find_objects(input: &Array, max_label: usize) -> Result<Vec<Option<LabelBox>>> {
    if !input.dtype().is_integer() && input.dtype() != DType::Bool {
        let message = format!("find_objects: labels are integers, and `input` is {}", input.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let axes = input.ndim();
    let [first, last] = labels::boxes(input, max_label)?;
    let (first, last) = (first.to_vec::<u64>()?, last.to_vec::<u64>()?);
    let of = |label: usize| {
        let range = label * axes..(label + 1) * axes;
        let pairs: Vec<_> = range.map(|k| (first[k] as usize, last[k] as usize)).collect();
        pairs.iter().all(|pair| pair.1 > 0).then_some(pairs)
    };
    Ok((0..max_label).map(|label| if axes == 0 { None } else { of(label) }).collect())
}
