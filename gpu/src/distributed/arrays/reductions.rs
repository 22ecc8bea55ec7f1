//! Reductions along axes: each device reduces what it holds, and the partial results are combined when they are needed.

use cuprum_kernels::DType;
use smallvec::SmallVec;

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::IntoArgument;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axes};
use crate::reduction::{Reduce, reduction};
use crate::ufunc::apply;

/// Returns parts of chunks, by their numbers, that together hold each element once.
pub(super) fn disjoint(chunks: &[Chunk]) -> Vec<(usize, Region)> {
    let mut parts = vec![];
    for (at, chunk) in chunks.iter().enumerate() {
        let mut rest = vec![chunk.region.clone()];
        for earlier in &chunks[..at] {
            rest = rest
                .into_iter()
                .flat_map(|piece| match piece.intersect(&earlier.region) {
                    None => vec![piece],
                    Some(common) => piece.without(&common),
                })
                .collect();
        }
        parts.extend(rest.into_iter().filter(|piece| !piece.is_empty()).map(|piece| (at, piece)));
    }
    parts
}

/// Returns the region of a result without the reduced axes, or with them as axes of one element.
pub(super) fn reduced_region(region: &Region, gone: &[usize], keepdims: bool) -> Region {
    let span = |(axis, span): (usize, &Span)| match (gone.contains(&axis), keepdims) {
        (false, _) => Some(*span),
        (true, true) => Some(Span::all(1)),
        (true, false) => None,
    };
    Region(region.0.iter().enumerate().filter_map(span).collect())
}

/// Returns the shape of a result.
pub(super) fn reduced_shape(shape: &[usize], gone: &[usize], keepdims: bool) -> Dims {
    let length = |(axis, &n): (usize, &usize)| match (gone.contains(&axis), keepdims) {
        (false, _) => Some(n),
        (true, true) => Some(1),
        (true, false) => None,
    };
    shape.iter().enumerate().filter_map(length).collect()
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident: $mode:ident;)+) => {
        impl DistributedArray {$(
            $(#[$doc])*
            ///
            /// Each device reduces its chunks. The result has the axes that are left, and the parts of the devices are
            /// combined when they are needed: its mode is that of the reduction. Without axes it has no axes, too.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Type`] for the options `out`, `where_` and
            /// `initial`, and those of the function of this name of arrays.
            pub fn $name(&self, options: impl IntoArgument<Reduce>) -> Result<DistributedArray> {
                self.reduced(stringify!($name), ChunkMode::$mode, &options.into()).map_err(|e| e.with_op(stringify!($name)))
            }
        )+}
    };
}

reductions! {
    /// Returns the sum along axes; NumPy's `sum`. See [`DistributedArray`] for an example.
    sum: Sum;
    /// Returns the product along axes; NumPy's `prod`.
    prod: Prod;
    /// Returns the maximum along axes; NumPy's `max`.
    max: Max;
    /// Returns the minimum along axes; NumPy's `min`.
    min: Min;
    /// Returns whether any element along axes is not zero; NumPy's `any`.
    any: Max;
    /// Returns whether all elements along axes are not zero; NumPy's `all`.
    all: Min;
}

impl DistributedArray {
    /// Returns the mean along axes; NumPy's `mean`.
    ///
    /// The result has the dtype of NumPy's: float64 for integers. Parts of float16 and bfloat16 are added in float32.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..1]), (Device::open("sim:1")?, s![1..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 6])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.mean(())?.to_vec::<f64>()?, [3.0]);
    /// assert_eq!(d.var(())?.to_vec::<f64>()?, [14.0 / 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`DistributedArray::sum`].
    pub fn mean(&self, options: impl IntoArgument<Reduce>) -> Result<DistributedArray> {
        self.mean_of(&options.into()).map_err(|e| e.with_op("mean"))
    }

    /// Returns the variance along axes; NumPy's `var`. The mean is computed first, then the mean of the squared
    /// distances from it.
    ///
    /// The result is real, with the dtype of the mean. See [`DistributedArray::mean`] for an example.
    ///
    /// # Errors
    ///
    /// Those of [`DistributedArray::sum`].
    pub fn var(&self, options: impl IntoArgument<Reduce>) -> Result<DistributedArray> {
        let go = |options: Reduce| {
            let source = self.resolved()?;
            let mean = source.mean_of(&Reduce { keepdims: true, ddof: 0.0, ..options.clone() })?;
            let squares = DistributedArray::zip(&[&source, &mean], |x| {
                let distance = apply("subtract", [(&x[0]).into(), (&x[1]).into()])?;
                let size =
                    if distance.dtype().is_complex() { apply("absolute", [(&distance).into()])? } else { distance };
                apply("square", [(&size).into()])
            })?;
            squares.mean_of(&Reduce { dtype: None, ..options })
        };
        go(options.into()).map_err(|e: Error| e.with_op("var"))
    }

    /// Returns the mean, with the sum divided by `ddof` fewer than the number of elements.
    fn mean_of(&self, options: &Reduce) -> Result<DistributedArray> {
        let is_exact = self.dtype.is_integer() || self.dtype == DType::Bool;
        let out = options.dtype.unwrap_or(if is_exact { DType::F64 } else { self.dtype });
        let wide = if out.size() == 2 { DType::F32 } else { out };
        let gone = self.gone(options)?;
        let count: usize = gone.iter().map(|&axis| self.shape[axis]).product();
        let divisor = (count as f64 - options.ddof).max(0.0);
        let sum = self.reduced("sum", ChunkMode::Sum, &Reduce { ddof: 0.0, dtype: Some(wide), ..options.clone() })?;
        sum.map(|a| apply("true_divide", [a.into(), divisor.into()])?.astype(out))
    }

    /// Returns the axes that a reduction removes.
    fn gone(&self, options: &Reduce) -> Result<SmallVec<[usize; 4]>> {
        match &options.axes {
            None => Ok((0..self.ndim()).collect()),
            Some(axes) => Ok(normalize_axes(axes, self.ndim())?.into_iter().collect()),
        }
    }

    fn reduced(&self, name: &str, mode: ChunkMode, options: &Reduce) -> Result<DistributedArray> {
        if options.rare.is_some() {
            let message = "it takes no out, where_ and initial for an array over devices: apply them to its result";
            return Err(Error::new(ErrorKind::Type, message));
        }
        let gone = self.gone(options)?;
        let options = Reduce { axes: Some(gone.iter().map(|&axis| axis as isize).collect()), ..options.clone() };
        let is_sum = matches!(mode, ChunkMode::Sum | ChunkMode::Prod);
        // Parts in the mode of the reduction are reduced as they are, unless the result's dtype is another one.
        let keeps_dtype =
            !is_sum || options.dtype == Some(self.dtype) || (options.dtype.is_none() && self.dtype.size() > 4);
        let as_is = self.mode == mode && name == mode.name() && keeps_dtype && self.dtype != DType::Bool;
        let source = if as_is { self.clone() } else { self.resolved()? };
        // A maximum may count elements several times.
        let parts = if as_is || !is_sum {
            source.chunks.iter().enumerate().map(|(at, chunk)| (at, chunk.region.clone())).collect()
        } else {
            disjoint(&source.chunks)
        };
        let reduce = |(at, region): (usize, Region)| {
            let chunk: &Chunk = &source.chunks[at];
            let array = reduction(name)?.call(&chunk.part(&region)?, options.clone())?;
            Ok(Chunk { device: chunk.device, region: reduced_region(&region, &gone, options.keepdims), array })
        };
        // Chunks without elements contribute nothing, unless the array has none.
        let mut parts: Vec<_> = parts.into_iter().filter(|(_, region)| !region.is_empty()).collect();
        if source.size() == 0 {
            parts = source.chunks.iter().enumerate().map(|(at, chunk)| (at, chunk.region.clone())).collect();
        }
        let chunks = parts.into_iter().map(reduce).collect::<Result<_>>()?;
        of_chunks(reduced_shape(&source.shape, &gone, options.keepdims), chunks, mode)
    }
}
