//! Binary and grey morphology.
//!
//! Erosion and dilation are minima and maxima over a footprint. Binary ones with iterations repeat a pass, each of
//! which changes the elements next to those that the pass before has changed.
//!
//! Structures are small host lists, passed to the kernel as parameters. A binary pass reads each element
//! once and writes one byte; repeating until nothing changes is one labelling pass if the structure joins
//! neighbours (see [`erode`]), instead of as many passes as the longest path has elements.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::filters::into;
use super::{AreaWindow, AxisOp, BorderRule, FilterOptions, erode, filters::sized, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::routines::logic;

/// Options of binary morphology.
///
/// The methods return the options, so that calls are chained. SciPy's `output` is not an option: results
/// are new boolean arrays.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_erosion};
/// let a = cuprum::array([true, true, true, true])?;
/// let pair = MorphologyOptions::new().structure(&[2], &[true, true]).border_value(true);
/// assert_eq!(binary_erosion(&a, &pair)?.to_vec::<bool>()?, [true; 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MorphologyOptions {
    structure: Option<(Vec<usize>, Vec<bool>)>,
    iterations: Option<usize>,
    mask: Option<Array>,
    border_value: bool,
    origins: Vec<isize>,
}

crate::array::default_options!(MorphologyOptions);

impl MorphologyOptions {
    /// One iteration with the structure of the nearest neighbours, without a mask, and with a false border.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{MorphologyOptions, binary_dilation};
    /// let a = cuprum::array([false, false, true, false])?;
    /// let grown = binary_dilation(&a, &MorphologyOptions::new())?;
    /// assert_eq!(grown.to_vec::<bool>()?, [false, true, true, true]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> MorphologyOptions {
        MorphologyOptions::default()
    }

    /// Sets the structure: its size along each axis, and its elements in C order.
    ///
    /// There are as many sizes as the input has axes, and as many elements as their product.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{MorphologyOptions, binary_dilation};
    /// let a = cuprum::array([[true, false], [false, false]])?;
    /// let all = MorphologyOptions::new().structure(&[3, 3], &[true; 9]);
    /// assert_eq!(binary_dilation(&a, &all)?.to_vec::<bool>()?, [true; 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn structure(mut self, shape: &[usize], elements: &[bool]) -> MorphologyOptions {
        self.structure = Some((shape.into(), elements.into()));
        self
    }

    /// Sets the number of iterations; 0 repeats until nothing changes.
    ///
    /// Repetition until nothing changes synchronises after passes, to read whether anything has.
    pub fn iterations(mut self, iterations: usize) -> MorphologyOptions {
        self.iterations = Some(iterations);
        self
    }

    /// Keeps the elements where an array is false.
    ///
    /// Where the mask is false the result has the input's element.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{MorphologyOptions, binary_dilation};
    /// let (a, mask) = (cuprum::array([false, true, false])?, cuprum::array([true, true, false])?);
    /// let grown = binary_dilation(&a, &MorphologyOptions::new().mask(&mask))?;
    /// assert_eq!(grown.to_vec::<bool>()?, [true, true, false]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn mask(mut self, mask: &Array) -> MorphologyOptions {
        self.mask = Some(mask.clone());
        self
    }

    /// Sets the value beyond the borders.
    ///
    /// By default `false`: an erosion removes elements at the borders, and a dilation adds none from outside.
    pub fn border_value(mut self, value: bool) -> MorphologyOptions {
        self.border_value = value;
        self
    }

    /// Moves the structure along each axis.
    ///
    /// There is one offset for each axis; positive ones move the structure towards the beginning of the input.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{MorphologyOptions, binary_erosion};
    /// let a = cuprum::array([true, true, true, false])?;
    /// let pair = MorphologyOptions::new().structure(&[2], &[true; 2]).origins(&[-1]);
    /// assert_eq!(binary_erosion(&a, &pair)?.to_vec::<bool>()?, [true, true, false, false]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn origins(mut self, origins: &[isize]) -> MorphologyOptions {
        self.origins = origins.into();
        self
    }

    fn parts(&self, axes: usize) -> (Vec<usize>, Vec<bool>, Vec<isize>) {
        let (shape, elements) =
            self.structure.clone().unwrap_or_else(|| (vec![3; axes], generate_binary_structure(axes, 1)));
        let origins = if self.origins.is_empty() { vec![0; axes] } else { self.origins.clone() };
        (shape, elements, origins)
    }

    fn apply(&self, input: &Array, dilate: bool) -> Result<Array> {
        let (shape, mut footprint, mut origins) = self.parts(input.ndim());
        if dilate {
            footprint.reverse();
            for (origin, n) in origins.iter_mut().zip(&shape) {
                *origin = -*origin - isize::from(n % 2 == 0);
            }
        }
        let window = AreaWindow {
            modes: vec![BorderRule::Constant; shape.len()],
            shape,
            footprint,
            weights: None,
            origins,
            cval: Complex64::from(f64::from(u8::from(self.border_value))),
        };
        let out = make::empty(input.device(), input.shape(), DType::Bool)?;
        let mask = self.mask.as_ref().map(|mask| mask.astype(DType::Bool)).transpose()?;
        erode(input, &window, mask.as_ref(), dilate, self.iterations.unwrap_or(1), &out)?;
        Ok(out)
    }
}

/// Structure of the elements that are at most `connectivity` steps along axes from the centre, in C order, of size 3
/// along each of `rank` axes; SciPy's `scipy.ndimage.generate_binary_structure`.
///
/// The list has 3**`rank` elements; a connectivity below 1 counts as 1.
///
/// ```
/// use cuprum::scipy::ndimage::generate_binary_structure;
/// let cross = generate_binary_structure(2, 1);
/// assert_eq!(cross.iter().filter(|inside| **inside).count(), 5);
/// assert_eq!(generate_binary_structure(2, 2), [true; 9]);
/// ```
#[unrecorded("returns a host list: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
pub fn generate_binary_structure(rank: usize, connectivity: usize) -> Vec<bool> {
    let steps = |i: usize| (0..rank).filter(|d| i / 3usize.pow(*d as u32) % 3 != 1).count();
    (0..3usize.pow(rank as u32)).map(|i| steps(i) <= connectivity.max(1)).collect()
}

/// Dilates a structure with itself, so that it acts as `iterations` of it; SciPy's `scipy.ndimage.iterate_structure`.
/// Returns the sizes and the elements.
///
/// One dilation on the device computes the elements. SciPy returns the new origin too if one is passed;
/// here it is the old one times `iterations`.
///
/// ```
/// use cuprum::scipy::ndimage::{generate_binary_structure, iterate_structure};
/// let (shape, diamond) = iterate_structure(&[3, 3], &generate_binary_structure(2, 1), 2)?;
/// assert_eq!(shape, [5, 5]);
/// assert_eq!(diamond.iter().filter(|inside| **inside).count(), 13);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a list of elements that does not fit the sizes.
///
/// # Synchronization
///
/// Synchronises to read the elements, if `iterations` is 2 or more.
#[unrecorded("returns a host list: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
pub fn iterate_structure(shape: &[usize], elements: &[bool], iterations: usize) -> Result<(Vec<usize>, Vec<bool>)> {
    if iterations < 2 {
        return Ok((shape.into(), elements.into()));
    }
    let more = iterations - 1;
    let large: Vec<usize> = shape.iter().map(|n| n + more * n.saturating_sub(1)).collect();
    let centre = Array::from_slice(elements, shape)?;
    let mut padded = vec![false; large.iter().product()];
    for (i, &inside) in elements.iter().enumerate() {
        let (mut rest, mut at, mut step) = (i, 0, 1);
        for (n, wide) in shape.iter().zip(&large).rev() {
            at += (rest % n + more * (n / 2)) * step;
            rest /= n;
            step *= wide;
        }
        padded[at] = inside;
    }
    let image = Array::from_slice(&padded, large.as_slice())?;
    let options = MorphologyOptions::new().structure(centre.shape(), elements).iterations(more);
    Ok((large, binary_dilation(&image, &options)?.to_vec()?))
}

/// Erosion: true where all elements of the structure are; SciPy's `scipy.ndimage.binary_erosion`.
///
/// The result is boolean and has the shape of the input; elements that are not 0 count as true.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_erosion};
/// let a = cuprum::array([true, true, true, false])?;
/// let shrunk = binary_erosion(&a, &MorphologyOptions::new())?;
/// assert_eq!(shrunk.to_vec::<bool>()?, [false, true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a structure that does not fit the input;
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for complex inputs.
#[signature]
pub fn binary_erosion(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    options.apply(input, false)
}

/// Dilation: true where an element of the structure is; SciPy's `scipy.ndimage.binary_dilation`.
///
/// The result is boolean and has the shape of the input. See [`MorphologyOptions::new`] for an example.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_dilation};
/// let a = cuprum::array([1, 0, 0, 0, 0])?;
/// let twice = binary_dilation(&a, &MorphologyOptions::new().iterations(2))?;
/// assert_eq!(twice.to_vec::<bool>()?, [true, true, true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[signature]
pub fn binary_dilation(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    options.apply(input, true)
}

/// Opening: an erosion and a dilation; SciPy's `scipy.ndimage.binary_opening`.
///
/// The result is boolean and has the shape of the input. It removes objects that the structure does not fit
/// in; the iterations are those of the erosion and of the dilation.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_opening};
/// let a = cuprum::array([true, false, true, true, true])?;
/// let opened = binary_opening(&a, &MorphologyOptions::new().border_value(false))?;
/// assert_eq!(opened.to_vec::<bool>()?, [false, false, true, true, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn binary_opening(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    binary_dilation(&binary_erosion(input, options)?, options)
}

/// Closing: a dilation and an erosion; SciPy's `scipy.ndimage.binary_closing`.
///
/// The result is boolean and has the shape of the input. It fills gaps that the structure does not fit in.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_closing};
/// let a = cuprum::array([false, true, true, false, true, true, false])?;
/// let closed = binary_closing(&a, &MorphologyOptions::new())?;
/// assert_eq!(closed.to_vec::<bool>()?, [false, true, true, true, true, true, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn binary_closing(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    binary_erosion(&binary_dilation(input, options)?, options)
}

/// Dilation until nothing changes, within the mask; SciPy's `scipy.ndimage.binary_propagation`. It synchronises only if
/// the structure does not join neighbours, see [`erode`].
///
/// The result is boolean and has the shape of the input: the components of the mask that have an element of
/// the input.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_propagation};
/// let seed = cuprum::array([true, false, false, false])?;
/// let mask = cuprum::array([true, true, false, true])?;
/// let reached = binary_propagation(&seed, &MorphologyOptions::new().mask(&mask))?;
/// assert_eq!(reached.to_vec::<bool>()?, [true, true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn binary_propagation(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    binary_dilation(input, options.clone().iterations(0))
}

/// Fills the holes of objects: the false elements that no path of false elements connects with the border; SciPy's
/// `scipy.ndimage.binary_fill_holes`. It synchronises only if the structure does not join neighbours, see [`erode`].
///
/// The result is boolean and has the shape of the input.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_fill_holes};
/// let ring = cuprum::array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])?;
/// assert_eq!(binary_fill_holes(&ring, &MorphologyOptions::new())?.to_vec::<bool>()?, [true; 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn binary_fill_holes(input: &Array, options: &MorphologyOptions) -> Result<Array> {
    let outside = make::zeros(input.device(), input.shape(), DType::Bool)?;
    let options = options.clone().mask(&logic::logical_not(input)?).border_value(true).iterations(0);
    logic::logical_not(binary_dilation(&outside, &options)?)
}

/// Hit-or-miss transform: true where all elements of the first structure are true and all of the second are false;
/// SciPy's `scipy.ndimage.binary_hit_or_miss`. Without a second structure it is the complement of the first.
///
/// The result is boolean and has the shape of the input.
///
/// ```
/// use cuprum::scipy::ndimage::{MorphologyOptions, binary_hit_or_miss};
/// let a = cuprum::array([true, false, true, true, true])?;
/// let ends = MorphologyOptions::new().structure(&[3], &[false, true, true]);
/// assert_eq!(binary_hit_or_miss(&a, &ends, None)?.to_vec::<bool>()?, [false, false, true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`binary_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn binary_hit_or_miss(input: &Array, hit: &MorphologyOptions, miss: Option<&MorphologyOptions>) -> Result<Array> {
    let (shape, elements, origins) = hit.parts(input.ndim());
    let complement: Vec<bool> = elements.iter().map(|inside| !inside).collect();
    let opposite = MorphologyOptions::new().structure(&shape, &complement).origins(&origins);
    let miss = miss.unwrap_or(&opposite).clone().border_value(true);
    let background = binary_erosion(&logic::logical_not(input)?, &miss)?;
    logic::logical_and(binary_erosion(input, hit)?, background)
}

/// Erosion: the minimum in a box of sizes along the filtered axes; SciPy's `scipy.ndimage.grey_erosion`.
///
/// The result has the shape of the input, and its dtype unless the options name another. It is
/// [`minimum_filter`](super::minimum_filter) of the same box; SciPy's `footprint` and `structure` are an
/// [`AreaWindow`] with [`WindowOp::Minimum`](super::WindowOp::Minimum).
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, grey_erosion};
/// let a = cuprum::array([4, 2, 7, 7, 7])?;
/// assert_eq!(grey_erosion(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [2, 2, 2, 7, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`minimum_filter`](super::minimum_filter).
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn grey_erosion(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    sized("grey_erosion", input, size, options, AxisOp::Minimum)
}

/// Dilation: the maximum in the mirrored box of sizes along the filtered axes; SciPy's `scipy.ndimage.grey_dilation`.
///
/// The result has the shape of the input, and its dtype unless the options name another. The box is
/// mirrored about its centre, which changes results of boxes with an even size or an origin only.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, grey_dilation};
/// let a = cuprum::array([4, 2, 7, 0, 0])?;
/// assert_eq!(grey_dilation(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [4, 7, 7, 7, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`minimum_filter`](super::minimum_filter).
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn grey_dilation(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    let plan = options.plan("grey_dilation", input)?;
    let sizes = super::for_axes("grey_dilation", "size", size, plan.axes.len())?;
    if sizes.contains(&0) {
        return wrong("grey_dilation: a size is 0".into());
    }
    let mirrored: Vec<isize> = plan.origins.iter().zip(&sizes).map(|(o, n)| -o - isize::from(n % 2 == 0)).collect();
    let options = if mirrored.is_empty() { options.clone() } else { options.clone().origins(&mirrored) };
    sized("grey_dilation", input, &sizes, &options, AxisOp::Maximum)
}

fn new_result(options: &FilterOptions) -> FilterOptions {
    FilterOptions { out: None, ..options.clone() }
}

/// Opening: an erosion and a dilation; SciPy's `scipy.ndimage.grey_opening`.
///
/// The result has the shape of the input, and its dtype unless the options name another. Bright details
/// narrower than the box take the value around them.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, grey_opening};
/// let a = cuprum::array([1, 9, 1, 5, 5, 5])?;
/// assert_eq!(grey_opening(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [1, 1, 1, 5, 5, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn grey_opening(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    grey_dilation(&grey_erosion(input, size, new_result(options))?, size, options)
}

/// Closing: a dilation and an erosion; SciPy's `scipy.ndimage.grey_closing`.
///
/// The result has the shape of the input, and its dtype unless the options name another. Dark details
/// narrower than the box take the value around them.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, grey_closing};
/// let a = cuprum::array([9, 1, 9, 5, 5, 5])?;
/// assert_eq!(grey_closing(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [9, 9, 9, 5, 5, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn grey_closing(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    grey_erosion(&grey_dilation(input, size, new_result(options))?, size, options)
}

/// Subtracts, or, for booleans, takes the exclusive or.
fn difference(a: &Array, b: &Array, out: &Array) -> Result<()> {
    into(if out.dtype() == DType::Bool { "bitwise_xor" } else { "subtract" }, a, b, out)
}

/// Difference of a dilation and an erosion; SciPy's `scipy.ndimage.morphological_gradient`.
///
/// The result has the shape of the input, and its dtype unless the options name another. For booleans the
/// difference is an exclusive or, which NumPy's subtraction rejects.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, morphological_gradient};
/// let a = cuprum::array([1, 1, 1, 6, 6])?;
/// assert_eq!(morphological_gradient(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [0, 0, 5, 5, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn morphological_gradient(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    let high = grey_dilation(input, size, new_result(options))?;
    let out = grey_erosion(input, size, options)?;
    difference(&high, &out, &out)?;
    Ok(out)
}

/// Sum of a dilation and an erosion less twice the input; SciPy's `scipy.ndimage.morphological_laplace`.
///
/// The result has the shape of the input, and its dtype unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, morphological_laplace};
/// let a = cuprum::array([1, 1, 1, 6, 6])?;
/// assert_eq!(morphological_laplace(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [0, 0, 5, -5, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn morphological_laplace(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    let own = if options.out.as_ref().is_some_and(|out| out.may_share_memory(input)) {
        input.copy(crate::layout::Order::C)?
    } else {
        input.clone()
    };
    let high = grey_dilation(&own, size, new_result(options))?;
    let out = grey_erosion(&own, size, options)?;
    into("add", &high, &out, &out)?;
    into("subtract", &out, &own, &out)?;
    into("subtract", &out, &own, &out)?;
    Ok(out)
}

/// Input less its opening: bright details smaller than the box; SciPy's `scipy.ndimage.white_tophat`.
///
/// The result has the shape of the input, and its dtype unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, white_tophat};
/// let a = cuprum::array([1, 9, 1, 5, 5, 5])?;
/// assert_eq!(white_tophat(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [0, 8, 0, 0, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn white_tophat(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    let own = if options.out.as_ref().is_some_and(|out| out.may_share_memory(input)) {
        input.copy(crate::layout::Order::C)?
    } else {
        input.clone()
    };
    let out = grey_opening(&own, size, options)?;
    difference(&own, &out, &out)?;
    Ok(out)
}

/// Closing less the input: dark details smaller than the box; SciPy's `scipy.ndimage.black_tophat`.
///
/// The result has the shape of the input, and its dtype unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, black_tophat};
/// let a = cuprum::array([9, 1, 9, 5, 5, 5])?;
/// assert_eq!(black_tophat(&a, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [0, 8, 0, 0, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`grey_erosion`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_morphology.py`")]
#[signature]
pub fn black_tophat(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    let own = if options.out.as_ref().is_some_and(|out| out.may_share_memory(input)) {
        input.copy(crate::layout::Order::C)?
    } else {
        input.clone()
    };
    let out = grey_closing(&own, size, options)?;
    difference(&out, &own, &out)?;
    Ok(out)
}
