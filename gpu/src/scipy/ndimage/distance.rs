//! Distance transforms of images.
//!
//! Every metric is separable: one pass for each axis combines the distances along the axes before it with
//! those along its own. A pass reads and writes each element once, and searches a line of n elements in
//! log2(n) steps for each of them, so that the time does not depend on the distances.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, signature};

use super::{MorphologyOptions, binary_erosion, filters::into, wrong};
use crate::array::Array;
use crate::engine::distance::{Distances, Metric, Without};
use crate::engine::labels::cast;
use crate::engine::{copy, make};
use crate::error::Result;
use crate::layout::shape_text;
use crate::routines::{logic, searching};

/// Results of a distance transform: those that were requested.
///
/// By default distances are returned, coordinates are not, and elements have size 1 along each axis.
#[derive(Clone, Debug, Default)]
pub struct DistanceOptions {
    sampling: Option<Vec<f64>>,
    without_distances: bool,
    with_indices: bool,
    distances: Option<Array>,
    indices: Option<Array>,
}

crate::array::default_options!(DistanceOptions);

/// Distances, and the coordinates of the nearest elements of the background.
///
/// Distances have the shape of the input; coordinates have one more axis in front, as long as the input has axes.
#[derive(Clone, Debug)]
pub struct DistanceTransform {
    /// The distance of each element, of the shape of the input.
    pub distances: Option<Array>,
    /// The coordinates of the nearest element, of int32, with the axes as a first one.
    pub indices: Option<Array>,
}

impl DistanceOptions {
    /// New distances, without indices, with elements of size 1.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let image = cuprum::array([[1, 1, 0], [1, 1, 1]])?;
    /// let found = distance_transform_edt(&image, &DistanceOptions::new())?;
    /// let distances = found.distances.expect("they are requested by default");
    /// assert_eq!(distances.to_vec::<f64>()?, [2.0, 1.0, 0.0, 5f64.sqrt(), 2f64.sqrt(), 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> DistanceOptions {
        DistanceOptions::default()
    }

    /// Sets the distance between elements along each axis.
    ///
    /// There is one number for each axis; SciPy's `sampling`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let options = DistanceOptions::new().sampling(&[2.0, 3.0]);
    /// let found = distance_transform_edt(&cuprum::array([[0, 1], [1, 1]])?, &options)?;
    /// assert_eq!(found.distances.unwrap().to_vec::<f64>()?[..3], [0.0, 3.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn sampling(mut self, sampling: &[f64]) -> DistanceOptions {
        self.sampling = Some(sampling.into());
        self
    }

    /// Returns the coordinates of the nearest elements, too.
    ///
    /// SciPy's `return_indices`. The coordinates are int32, and have one more axis in front than the input.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let found = distance_transform_edt(&cuprum::array([1, 1, 0])?, &DistanceOptions::new().indices())?;
    /// assert_eq!(found.indices.unwrap().to_vec::<i32>()?, [2, 2, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn indices(mut self) -> DistanceOptions {
        self.with_indices = true;
        self
    }

    /// Returns no distances.
    ///
    /// SciPy's `return_distances=False`, used with [`indices`](DistanceOptions::indices).
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let options = DistanceOptions::new().indices().without_distances();
    /// let found = distance_transform_edt(&cuprum::array([1, 0])?, &options)?;
    /// assert!(found.distances.is_none() && found.indices.is_some());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn without_distances(mut self) -> DistanceOptions {
        self.without_distances = true;
        self
    }

    /// Writes the distances to an array.
    ///
    /// The array has the shape of the input and the dtype of the distances; SciPy's `distances`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let (image, out) = (cuprum::array([1, 1, 0])?, cuprum::zeros(3, ())?);
    /// distance_transform_edt(&image, &DistanceOptions::new().distances_out(&out))?;
    /// assert_eq!(out.to_vec::<f64>()?, [2.0, 1.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn distances_out(mut self, out: &Array) -> DistanceOptions {
        self.distances = Some(out.clone());
        self
    }

    /// Writes the coordinates to an array.
    ///
    /// The array is int32 with an axis in front, as long as the input has axes; SciPy's `indices`.
    ///
    /// ```
    /// use cuprum::{DType, array, zeros};
    /// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
    /// let out = zeros([1, 3], DType::I32)?;
    /// distance_transform_edt(&array([1, 1, 0])?, &DistanceOptions::new().indices_out(&out))?;
    /// assert_eq!(out.to_vec::<i32>()?, [2, 2, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn indices_out(mut self, out: &Array) -> DistanceOptions {
        self.indices = Some(out.clone());
        self.indices()
    }

    /// Returns the array for a result, and one in C order that a kernel writes.
    fn target(out: &Option<Array>, like: &Array, shape: &[usize], dtype: DType, name: &str) -> Result<(Array, Array)> {
        let new = || make::empty(like.device(), shape, dtype);
        match out {
            None => new().map(|a| (a.clone(), a)),
            Some(out) if out.shape() != shape || out.dtype() != dtype => {
                let (one, two) = (shape_text(out.shape()), shape_text(shape));
                let own = out.dtype();
                wrong(format!(
                    "{name} array of shape {one} and dtype {own}: it has the shape {two} and the dtype {dtype}"
                ))
            }
            Some(out) if out.is_c_contiguous() && !out.may_share_memory(like) => Ok((out.clone(), out.clone())),
            Some(out) => Ok((out.clone(), new()?)),
        }
    }

    fn run(&self, function: &str, input: &Array, dtype: DType, options: Distances<'_>) -> Result<DistanceTransform> {
        let axes = input.ndim();
        let go = || {
            if let Some(sampling) = &self.sampling
                && sampling.len() != axes
            {
                return wrong(format!(
                    "{} distances between elements for {axes} axes: pass one for each",
                    sampling.len()
                ));
            }
            let shape: Vec<usize> = [axes].iter().chain(input.shape()).copied().collect();
            let distances = (!self.without_distances)
                .then(|| DistanceOptions::target(&self.distances, input, input.shape(), dtype, "distances"))
                .transpose()?;
            let indices = self
                .with_indices
                .then(|| DistanceOptions::target(&self.indices, input, &shape, DType::I32, "indices"))
                .transpose()?;
            options.run(input, distances.as_ref().map(|d| &d.1), indices.as_ref().map(|d| &d.1))?;
            for (to, from) in distances.iter().chain(&indices) {
                if to.addr() != from.addr() {
                    copy(from, to)?;
                }
            }
            Ok(DistanceTransform { distances: distances.map(|d| d.0), indices: indices.map(|d| d.0) })
        };
        go().map_err(|e: crate::error::Error| e.with_op(function))
    }
}

/// Returns an image with at least one axis.
fn with_axis(input: &Array) -> Result<Array> {
    if input.ndim() == 0 { input.reshape([1]) } else { Ok(input.clone()) }
}

/// Exact Euclidean distance of each element from the nearest one that is 0; SciPy's
/// `scipy.ndimage.distance_transform_edt`.
///
/// The distances are float64, and exact before the square root unless [`DistanceOptions::sampling`] is passed.
/// Coordinates are those of any one of several nearest elements. Without an element that is 0, distances are those from
/// the element before the first one along the first axis, as in SciPy.
///
/// Algorithm: axis after axis the smallest sum of the squares so far and of the square of the distance along the axis,
/// by a search whose positions do not fall along a line (A. Aggarwal et al., Algorithmica 2, 1987).
///
/// ```
/// use cuprum::scipy::ndimage::{DistanceOptions, distance_transform_edt};
///
/// let image = cuprum::array([[0, 1, 1], [1, 1, 1]])?;
/// let found = distance_transform_edt(&image, &DistanceOptions::new().indices())?;
/// assert_eq!(found.distances.unwrap().to_vec::<f64>()?[..3], [0.0, 1.0, 2.0]);
/// assert_eq!(found.indices.unwrap().to_vec::<i32>()?, [0; 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for outputs of another shape or dtype, and for a number of sampling
/// distances that is not that of the axes.
#[signature]
pub fn distance_transform_edt(input: &Array, options: &DistanceOptions) -> Result<DistanceTransform> {
    let sampling = options.sampling.as_deref();
    let distances = Distances { metric: Metric::Euclidean, sampling, without: Without::Before };
    options.run("distance_transform_edt", &with_axis(input)?, DType::F64, distances)
}

/// Metric of [`distance_transform_bf`].
///
/// SciPy spells them in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum DistanceMetric {
    /// The root of the sum of the squares along the axes.
    Euclidean,
    /// The sum of the distances along the axes.
    Taxicab,
    /// The largest of the distances along the axes.
    Chessboard,
}

/// Distance of each element from the nearest one that is 0, by a metric; SciPy's `scipy.ndimage.distance_transform_bf`.
///
/// Euclidean distances are float64, others uint32, and sampling is used for the former only. Without an element that is
/// 0, distances are the largest, and indices are 0. It is no slower than [`distance_transform_edt`], as it is computed
/// in the same way.
///
/// ```
/// use cuprum::scipy::ndimage::{DistanceMetric, DistanceOptions, distance_transform_bf};
///
/// let image = cuprum::array([[0, 1, 1], [1, 1, 1]])?;
/// let found = distance_transform_bf(&image, DistanceMetric::Chessboard, &DistanceOptions::new())?;
/// assert_eq!(found.distances.unwrap().to_vec::<u32>()?, [0, 1, 2, 1, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`distance_transform_edt`].
#[signature]
pub fn distance_transform_bf(
    input: &Array,
    metric: DistanceMetric,
    options: &DistanceOptions,
) -> Result<DistanceTransform> {
    let (metric, dtype) = match metric {
        DistanceMetric::Euclidean => (Metric::Euclidean, DType::F64),
        DistanceMetric::Taxicab => (Metric::Taxicab, DType::U32),
        DistanceMetric::Chessboard => (Metric::Chessboard, DType::U32),
    };
    let sampling = options.sampling.as_deref().filter(|_| metric == Metric::Euclidean);
    options.run(
        "distance_transform_bf",
        &with_axis(input)?,
        dtype,
        Distances { metric, sampling, without: Without::First },
    )
}

/// Metric of [`distance_transform_cdt`].
///
/// SciPy spells them in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChamferMetric {
    /// The sum of the distances along the axes.
    Taxicab,
    /// The largest of the distances along the axes.
    Chessboard,
    /// The number of steps to neighbours of a structure of size 3 along each axis, whose first half is mirrored about
    /// its centre.
    Steps(Vec<bool>),
}

/// Iterations between two reads of whether elements are left.
const ROUNDS: usize = 8;

/// Chamfer distance of each element from the nearest one that is 0; SciPy's `scipy.ndimage.distance_transform_cdt`.
///
/// The distances are int32; without an element that is 0 they are -1, and the nearest element is the element itself.
/// The steps of a structure that is none of the named metrics are counted by repeated erosion, in a time that grows
/// with the largest distance: on a shortest path, where SciPy's two passes find a longer one for some structures, such
/// as that of the diagonals.
///
/// ```
/// use cuprum::scipy::ndimage::{ChamferMetric, DistanceOptions, distance_transform_cdt};
///
/// let image = cuprum::array([[0, 1, 1], [1, 1, 1]])?;
/// let found = distance_transform_cdt(&image, &ChamferMetric::Taxicab, &DistanceOptions::new())?;
/// assert_eq!(found.distances.unwrap().to_vec::<i32>()?, [0, 1, 2, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`distance_transform_edt`]; [`ErrorKind::Value`](crate::ErrorKind::Value) for a structure that does not
/// fit the input, and for one that is none of the named metrics if indices are requested.
///
/// # Synchronization
///
/// None for the named metrics; for other structures it synchronises every few iterations.
#[signature]
pub fn distance_transform_cdt(
    input: &Array,
    metric: &ChamferMetric,
    options: &DistanceOptions,
) -> Result<DistanceTransform> {
    let input = &with_axis(input)?;
    let metric = match metric {
        ChamferMetric::Taxicab => Metric::Taxicab,
        ChamferMetric::Chessboard => Metric::Chessboard,
        ChamferMetric::Steps(structure) => {
            let full = 3usize.checked_pow(input.ndim() as u32);
            if full != Some(structure.len()) {
                return wrong(format!(
                    "distance_transform_cdt: a structure of {} elements does not fit an input of {} axes",
                    structure.len(),
                    input.ndim()
                ));
            }
            let mirrored = mirrored(structure);
            let same = |connectivity| mirrored == super::generate_binary_structure(input.ndim(), connectivity);
            if same(1) {
                Metric::Taxicab
            } else if same(input.ndim()) {
                Metric::Chessboard
            } else {
                return steps(input, &mirrored, options);
            }
        }
    };
    options.run(
        "distance_transform_cdt",
        input,
        DType::I32,
        Distances { metric, sampling: None, without: Without::Own },
    )
}

/// Returns a structure with its second half mirrored from the first, and its centre.
fn mirrored(structure: &[bool]) -> Vec<bool> {
    let half = &structure[..structure.len() / 2];
    half.iter().copied().chain([true]).chain(half.iter().rev().copied()).collect()
}

/// Counts steps by erosions: an element at distance n is left by n - 1 of them.
fn steps(input: &Array, structure: &[bool], options: &DistanceOptions) -> Result<DistanceTransform> {
    if options.with_indices {
        return wrong(
            "distance_transform_cdt: indices of this structure are not computed: pass 'chessboard' or 'taxicab'".into(),
        );
    }
    let (out, _) = DistanceOptions::target(&options.distances, input, input.shape(), DType::I32, "distances")?;
    let size = vec![3; input.ndim()];
    let erosion = MorphologyOptions::new().structure(&size, structure).border_value(true);
    let mut left = logic::not_equal(input, 0)?;
    let distances = make::zeros(input.device(), input.shape(), DType::I32)?;
    let mut before = usize::MAX;
    loop {
        for _ in 0..ROUNDS {
            into("add", &distances, &cast(&left, DType::I32)?, &distances)?;
            left = binary_erosion(&left, &erosion)?;
        }
        let count = cast(&left, DType::I64)?.sum(())?.item::<i64>()? as usize;
        if count == before || count == 0 {
            break;
        }
        before = count;
    }
    copy(&searching::where_(&left, -1, &distances)?, &out)?;
    Ok(DistanceTransform { distances: Some(out), indices: None })
}
