//! Modes: what the common elements of several chunks are, and the conversion between modes.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::array::{Chunk, DistributedArray};
use super::region::{Coverage, Region};
use crate::elements::copy_across;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::routines::dtypes::iinfo;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Mode of a [`DistributedArray`]: the meaning of elements that several of its chunks hold.
///
/// ```
/// use cuprum::distributed::ChunkMode;
/// assert_eq!(ChunkMode::from_name("sum"), Some(ChunkMode::Sum));
/// assert_eq!(ChunkMode::Replica.name(), "replica");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkMode {
    /// Copies: all chunks hold the element's value.
    Replica,
    /// The value is the sum of what the chunks hold; of booleans, whether any is true.
    Sum,
    /// The value is the product; of booleans, whether all are true.
    Prod,
    /// The value is the maximum.
    Max,
    /// The value is the minimum.
    Min,
}

impl ChunkMode {
    /// Returns the mode of one of the names `replica`, `sum`, `prod`, `max` and `min`.
    pub fn from_name(name: &str) -> Option<ChunkMode> {
        [ChunkMode::Replica, ChunkMode::Sum, ChunkMode::Prod, ChunkMode::Max, ChunkMode::Min]
            .into_iter()
            .find(|mode| mode.name() == name)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            ChunkMode::Replica => "replica",
            ChunkMode::Sum => "sum",
            ChunkMode::Prod => "prod",
            ChunkMode::Max => "max",
            ChunkMode::Min => "min",
        }
    }

    /// Returns the ufunc that combines elements.
    pub(super) fn ufunc(self) -> Option<&'static str> {
        match self {
            ChunkMode::Replica => None,
            ChunkMode::Sum => Some("add"),
            ChunkMode::Prod => Some("multiply"),
            ChunkMode::Max => Some("maximum"),
            ChunkMode::Min => Some("minimum"),
        }
    }

    /// Checks that the mode combines elements of a dtype.
    pub(super) fn check(self, dtype: DType) -> Result<()> {
        self.identity(dtype).map(drop)
    }

    /// Returns the value that combined with an element is the element, to the bit.
    fn identity(self, dtype: DType) -> Result<Scalar> {
        let extreme = |low: bool| -> Result<Scalar> {
            Ok(match dtype {
                DType::Bool => Scalar::Bool(!low),
                dtype if dtype.is_integer() => {
                    let info = iinfo(dtype)?;
                    Scalar::Int(if low { info.min } else { info.max })
                }
                dtype if dtype.is_complex() => {
                    let infinity = if low { f64::NEG_INFINITY } else { f64::INFINITY };
                    Scalar::Complex(Complex64::new(infinity, infinity))
                }
                _ => Scalar::Float(if low { f64::NEG_INFINITY } else { f64::INFINITY }),
            })
        };
        match self {
            ChunkMode::Replica => Ok(Scalar::Int(0)),
            ChunkMode::Sum if dtype == DType::Bool => Ok(Scalar::Bool(false)),
            ChunkMode::Prod if dtype == DType::Bool => Ok(Scalar::Bool(true)),
            // The sum of 0.0 and -0.0 is 0.0.
            ChunkMode::Sum if dtype.is_complex() => Ok(Scalar::Complex(Complex64::new(-0.0, -0.0))),
            ChunkMode::Sum if !dtype.is_integer() => Ok(Scalar::Float(-0.0)),
            ChunkMode::Sum => Ok(Scalar::Int(0)),
            // (1 + 0i) times a complex number with an infinite or NaN part is another number.
            ChunkMode::Prod if dtype.is_complex() => {
                let message = format!("the mode 'prod' combines no elements of {dtype}: use the mode 'replica'");
                Err(Error::new(ErrorKind::Type, message))
            }
            ChunkMode::Prod => Ok(Scalar::Int(1)),
            ChunkMode::Max => extreme(true),
            ChunkMode::Min => extreme(false),
        }
    }
}

impl DistributedArray {
    /// Returns the array in another mode; CuPy's `change_mode`. The elements, the shape and the dtype are the same.
    ///
    /// Into [`ChunkMode::Replica`] every chunk gets the combined elements. From it, the first chunk that holds an
    /// element keeps it, and the others get the identity of the operation.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..2]), (Device::open("sim:1")?, s![1..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 3])?, map, ChunkMode::Replica)?;
    /// let parts = d.change_mode(ChunkMode::Sum)?;
    /// assert_eq!(parts.chunks()[1].array().to_vec::<i32>()?, [0, 3]);
    /// assert_eq!(parts.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for products of complex numbers, which have no exact identity.
    pub fn change_mode(&self, mode: ChunkMode) -> Result<DistributedArray> {
        self.to_mode(mode).map_err(|e| e.with_op("change_mode"))
    }

    pub(super) fn to_mode(&self, mode: ChunkMode) -> Result<DistributedArray> {
        if mode == self.mode {
            return Ok(self.clone());
        }
        mode.check(self.dtype)?;
        let resolved = if self.mode == ChunkMode::Replica { self.clone() } else { self.combined()? };
        if mode == ChunkMode::Replica { Ok(resolved) } else { resolved.assigned_to_first(mode) }
    }

    /// Combines the common elements of chunks, in the order of the chunks, for each of them.
    fn combined(&self) -> Result<DistributedArray> {
        let Some(ufunc) = self.mode.ufunc() else { return Ok(self.clone()) };
        let combine = |at: usize| -> Result<Chunk> {
            let own = &self.chunks[at];
            let common = |other: &usize| own.region.intersect(&self.chunks[*other].region).is_some();
            if !(0..self.chunks.len()).any(|other| other != at && common(&other)) {
                return Ok(own.clone());
            }
            let out = make::empty(own.device, &own.region.shape(), self.dtype)?;
            let mut coverage = Coverage::of(own.region.clone());
            let in_out = |part: &Region| out.index(own.region.positions_of(part).to_index());
            for next in &self.chunks {
                let added = coverage.add(&next.region);
                for part in &added.again {
                    let (value, to) = (next.part(part)?.to_device(own.device)?, in_out(part)?);
                    to.assign(&apply(ufunc, [(&to).into(), (&value).into()])?)?;
                }
                for part in &added.first {
                    copy_across(&next.part(part)?, &in_out(part)?)?;
                }
            }
            Ok(Chunk { array: out, ..own.clone() })
        };
        let chunks = (0..self.chunks.len()).map(combine).collect::<Result<_>>()?;
        Ok(DistributedArray { chunks, mode: ChunkMode::Replica, shape: self.shape.clone(), ..*self })
    }

    /// Replaces elements that an earlier chunk holds by the identity of the mode.
    fn assigned_to_first(&self, mode: ChunkMode) -> Result<DistributedArray> {
        let mut chunks = self.chunks.clone();
        for (at, own) in chunks.iter_mut().enumerate() {
            let mut is_copied = false;
            for earlier in &self.chunks[..at] {
                let Some(common) = own.region.intersect(&earlier.region) else { continue };
                if !is_copied {
                    own.array = own.array.copy(Order::C)?;
                    is_copied = true;
                }
                own.part(&common)?.fill(mode.identity(self.dtype)?)?;
            }
        }
        Ok(DistributedArray { chunks, mode, shape: self.shape.clone(), ..*self })
    }
}
