//! Basic and advanced indexing: views where possible, otherwise gathered elements.
//!
//! Integers, slices, new axes and the ellipsis give views, which cost nothing; arrays of integers and booleans gather
//! elements into a new array. The rules for the position of the gathered axes are NumPy's.

use cuprum_kernels::DType;
use cuprum_kernels::source::GATHER_INDICES;
use smallvec::SmallVec;

use crate::array::{Array, AsIndex, Index};
use crate::cuda::Function;
use crate::engine::{self, Along, Gathering, Pick, Source, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index;
use crate::layout::{Dims, Layout, Order, Strides, broadcast_shapes, shape_text, size_of};

/// The elements that an index selects.
#[derive(Debug)]
pub(crate) enum Resolved {
    /// A view.
    View(Layout),
    /// The elements where a mask of the array's own shape is true.
    Mask(Array),
    /// Elements selected by index arrays.
    Picked(Box<Picked>),
}

/// Elements selected by index arrays, and the remaining axes.
#[derive(Debug)]
pub(crate) struct Picked {
    /// The remaining axes, starting from the element whose indices are all 0.
    rest: Layout,
    picks: SmallVec<[Pick; 2]>,
    /// The broadcast shape of the index arrays.
    shape: Dims,
    /// The position of the index axes among the remaining axes.
    at: usize,
    /// True if no two of the indices are equal.
    unique: bool,
    /// The number of elements that can be selected.
    cells: usize,
}

impl Array {
    /// Indexes the array; NumPy's `a[...]` with integers, slices, new axes, the ellipsis, arrays of integers and masks
    /// in any order. See [`s!`](crate::s).
    ///
    /// Without arrays the result is a view. Arrays of integers, of any dtype, are broadcast together, and a mask counts
    /// as the index arrays of its true elements. Their axes replace those that they index, and come first if other
    /// parts separate them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] where the index is out of bounds or has too many parts, for arrays of other dtypes, for
    /// those that cannot be broadcast, and for a mask of another shape; [`ErrorKind::Value`] for a step of 0. An
    /// element of an index array out of bounds is reported by the next call of this thread that synchronises (`to_vec`,
    /// `item`, `synchronize` …), in the name of this one.
    ///
    /// # Synchronization
    ///
    /// With a mask, synchronises to count the selected elements.
    ///
    /// ```
    /// use cuprum::{array, s};
    /// let a = array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.index(s![.., 1])?.to_vec::<i32>()?, [2, 5]);
    /// assert_eq!(a.index(s![2]).unwrap_err().message(), "index: 2 is out of bounds for axis 0 with size 2");
    ///
    /// let columns = array([2, 0])?;
    /// assert_eq!(a.index(s![.., &columns])?.to_vec::<i32>()?, [3, 1, 6, 4]);
    /// assert_eq!(a.index(s![[1, 0], &columns])?.to_vec::<i32>()?, [6, 1]);
    /// assert_eq!(a.index(s![a.greater(4)?])?.to_vec::<i32>()?, [5, 6]);
    /// let far = a.index(s![array([9])?])?;
    /// assert!(far.to_vec::<i32>().unwrap_err().message().starts_with("index: index 9 at position 0 is out of bounds"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[doc(alias = "__getitem__")]
    pub fn index(&self, index: impl AsIndex) -> Result<Array> {
        self.part_at(index.as_ref()).map_err(|e| e.with_op("index"))
    }

    /// Indexes the array with an index that is known to be valid; see [`Array::index`].
    ///
    /// It saves the `?` where an index is a constant of the program, as in a chain of operators.
    ///
    /// ```
    /// use cuprum::{array, s};
    /// let a = array([1, 2, 3])?;
    /// let differences = &a.part(s![1..]) - &a.part(s![..-1]);
    /// assert_eq!(differences.to_vec::<i32>()?, [1, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If [`Array::index`] returns an error, with its message.
    #[track_caller]
    pub fn part(&self, index: impl AsIndex) -> Array {
        match self.index(index) {
            Ok(a) => a,
            Err(e) => panic!("{e}"),
        }
    }

    pub(crate) fn part_at(&self, index: &[Index]) -> Result<Array> {
        match self.resolved(index)? {
            Resolved::View(layout) => Ok(self.with_layout(layout)),
            Resolved::Mask(mask) => engine::mark(&mask)?.elements_of(self),
            Resolved::Picked(picked) => picked.read(self, ("index", "")),
        }
    }

    /// Resolves an index of this array.
    pub(crate) fn resolved(&self, index: &[Index]) -> Result<Resolved> {
        if !index.iter().any(index::Index::is_advanced) {
            return self.layout().index(index).map(Resolved::View);
        }
        if index.iter().any(|part| matches!(part, Index::List(_))) {
            let uploaded = |part: &Index| match part {
                Index::List(list) => make::of(self.device(), list, &[list.len()]).map(Index::Array),
                other => Ok(other.clone()),
            };
            let parts = index.iter().map(uploaded).collect::<Result<Vec<_>>>()?;
            return self.resolved(&parts);
        }
        if let [Index::Array(mask)] = index
            && mask.dtype() == DType::Bool
            && mask.shape() == self.shape()
            && mask.ndim() > 0
        {
            return Ok(Resolved::Mask(mask.clone()));
        }
        Picked::of(self, index).map(|p| Resolved::Picked(Box::new(p)))
    }
}

impl Picked {
    pub(crate) fn of(a: &Array, parts: &[Index]) -> Result<Picked> {
        let fail = |message: String| Err(Error::new(ErrorKind::Index, message));
        let takes = |part: &Index| match part {
            Index::At(_) | Index::Slice(_) | Index::List(_) => 1,
            Index::Array(mask) if mask.dtype() == DType::Bool => mask.ndim(),
            Index::Array(_) => 1,
            Index::NewAxis | Index::Ellipsis | Index::Truth(_) => 0,
        };
        let used: usize = parts.iter().map(takes).sum();
        let ellipses = parts.iter().filter(|p| matches!(p, Index::Ellipsis)).count();
        if ellipses > 1 {
            return fail("an index can have only one ellipsis".into());
        }
        let Some(left) = a.ndim().checked_sub(used) else {
            let (shape, axes) = (shape_text(a.shape()), a.ndim());
            return fail(format!("too many indices: an array of shape {shape} has {axes} axes, {used} were indexed"));
        };
        let (mut sizes, mut strides, mut offset) = (Dims::new(), Strides::new(), a.layout().offset as i64);
        let mut picks: SmallVec<[Pick; 2]> = SmallVec::new();
        let mut shapes: SmallVec<[Dims; 2]> = SmallVec::new();
        let (mut axis, mut unique) = (0, true);
        // The position of the first run of index arrays, and whether another kind of part followed it.
        let (mut at, mut ended, mut apart) = (None, false, false);
        let trailing = [Index::Ellipsis];
        for part in parts.iter().chain(trailing.iter().filter(|_| ellipses == 0)) {
            if matches!(part, Index::At(_)) || part.is_advanced() {
                apart |= ended;
                at = at.or(Some(sizes.len()));
            } else {
                ended = at.is_some();
            }
            match part {
                Index::At(i) => {
                    let n = a.shape()[axis] as i64;
                    let from_front = if *i < 0 { i.saturating_add(n) } else { *i };
                    if from_front < 0 || from_front >= n {
                        return fail(format!("{i} is out of bounds for axis {axis} with size {n}"));
                    }
                    offset += from_front * a.strides()[axis];
                    axis += 1;
                }
                Index::Slice(slice) => {
                    let (start, count, step) = slice.resolve(a.shape()[axis])?;
                    if count > 0 {
                        offset += start * a.strides()[axis];
                    }
                    sizes.push(count);
                    strides.push(a.strides()[axis].wrapping_mul(step));
                    axis += 1;
                }
                Index::NewAxis => {
                    sizes.push(1);
                    strides.push(0);
                }
                Index::Ellipsis => {
                    sizes.extend_from_slice(&a.shape()[axis..axis + left]);
                    strides.extend_from_slice(&a.strides()[axis..axis + left]);
                    axis += left;
                }
                Index::Truth(truth) => shapes.push(smallvec::smallvec![usize::from(*truth)]),
                Index::Array(mask) if mask.dtype() == DType::Bool => {
                    let axes = axis..axis + mask.ndim();
                    // NumPy compares the lengths that are not 0: an empty mask selects nothing.
                    if mask.shape().iter().zip(&a.shape()[axes.clone()]).any(|(&n, &own)| n != own && n != 0) {
                        let (mask, own) = (shape_text(mask.shape()), shape_text(a.shape()));
                        return fail(format!("a mask of shape {mask} does not fit axes {axes:?} of shape {own}"));
                    }
                    // A boolean on the device selects one element or none.
                    let marked = engine::mark(&if axes.is_empty() { mask.reshape([1])? } else { mask.clone() })?;
                    shapes.push(smallvec::smallvec![marked.count()?]);
                    let positions = marked.coordinates(if axes.is_empty() { &[1] } else { mask.shape() }, 0)?;
                    for (k, axis) in axes.clone().enumerate() {
                        let column = positions
                            .layout()
                            .index::<()>(&[index::Index::Slice(index::Slice::default()), index::Index::At(k as i64)])?;
                        picks.push(Pick {
                            indices: positions.with_layout(column),
                            bound: 0,
                            axis,
                            step: a.strides()[axis],
                            cell_step: a.shape()[axis] as i64,
                        });
                    }
                    axis = axes.end;
                }
                Index::Array(indices) => {
                    if !indices.dtype().is_integer() {
                        let dtype = indices.dtype();
                        return fail(format!("arrays of indices are of integers or booleans, not of {dtype}"));
                    }
                    engine::one_device(a, [indices])?;
                    shapes.push(indices.shape().into());
                    picks.push(Pick {
                        indices: indices.clone(),
                        bound: a.shape()[axis],
                        axis,
                        step: a.strides()[axis],
                        cell_step: a.shape()[axis] as i64,
                    });
                    unique = false;
                    axis += 1;
                }
                Index::List(_) => unreachable!("lists have become arrays"),
            }
        }
        let all: SmallVec<[&[usize]; 2]> = shapes.iter().map(|s| &s[..]).collect();
        let shape = broadcast_shapes(&all).map_err(|e| Error::new(ErrorKind::Index, e.message()))?;
        let whole: Dims = sizes.iter().chain(&shape).copied().collect();
        crate::layout::checked_ndim(whole.len()).map_err(|e| Error::new(ErrorKind::Index, e.message()))?;
        crate::layout::checked_bytes(&whole, a.itemsize())?;
        // Broadcasting a mask repeats its indices.
        unique &= shapes.iter().all(|s| size_of(s) == size_of(&shape));
        // Replaces the sizes of axes by the products of the sizes after them.
        let mut cells = 1i64;
        for pick in picks.iter_mut().rev() {
            cells *= std::mem::replace(&mut pick.cell_step, cells);
        }
        let (rest, at) = (Layout { shape: sizes, strides, offset: offset as usize }, at.unwrap_or(0));
        Ok(Picked { rest, picks, shape, at: if apart { 0 } else { at }, unique, cells: cells as usize })
    }

    /// Returns the shape of the result.
    pub(crate) fn shape(&self) -> Dims {
        let (front, back) = self.rest.shape.split_at(self.at);
        front.iter().chain(&self.shape).chain(back).copied().collect()
    }

    /// Builds the gather: the axes of the indices in C order, then the remaining ones in memory order.
    fn gathering(&self, a: &Array, caller: Function, value: Option<&Layout>) -> Result<Gathering> {
        let order = self.rest.in_order(a.itemsize(), Order::K);
        self.check_axes(a)?;
        let (picks, rejected) = self.joined(caller)?;
        let mut axes = along(&self.shape, &picks);
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.value = value.map_or(0, |v| v.strides[self.at + k]);
        }
        let mut rest: SmallVec<[usize; 6]> = (0..self.rest.shape.len()).collect();
        rest.sort_by_key(|&x| std::cmp::Reverse((order.strides[x], order.shape[x])));
        for x in rest {
            let of_value = if x < self.at { x } else { x + self.shape.len() };
            axes.push(Along {
                size: self.rest.shape[x],
                offset: self.rest.strides[x],
                value: value.map_or(0, |v| v.strides[of_value]),
                ..Along::default()
            });
        }
        Ok(Gathering { rejected, most: self.cells, ..Gathering::new(caller, picks, axes) })
    }

    /// Rejects indices of axes without elements. Index arrays of masks are empty then.
    pub(crate) fn check_axes(&self, a: &Array) -> Result<()> {
        match self.picks.iter().find(|p| a.shape().get(p.axis) == Some(&0)) {
            Some(pick) if size_of(&self.shape) > 0 => {
                let shape = shape_text(a.shape());
                let message = format!("there is nothing to index along axis {} of shape {shape}", pick.axis);
                Err(Error::new(ErrorKind::Index, message))
            }
            _ => Ok(()),
        }
    }

    /// Reduces the index arrays to the number that one launch reads: several are combined to byte offsets and cell
    /// numbers, with a flag for rejected indices.
    fn joined(&self, caller: Function) -> Result<(SmallVec<[Pick; 2]>, Option<Array>)> {
        let (mut picks, mut rejected) = (self.picks.clone(), None);
        while picks.len() > GATHER_INDICES {
            let some: SmallVec<[Pick; 2]> = picks.drain(..GATHER_INDICES).collect();
            let device = some[0].indices.device();
            let flag = match rejected.take() {
                Some(flag) => flag,
                None => make::zeros(device, &[1], DType::U32)?,
            };
            let axes = along(&self.shape, &some);
            let named = |of: fn(&Pick) -> i64| {
                let out = make::empty(device, &self.shape, DType::I64)?;
                let steps = some.iter().map(|p| Pick { cell_step: of(p), ..p.clone() }).collect();
                Gathering::new(caller, steps, axes.clone()).write_cells(&out, Some(&flag))?;
                Ok::<Array, Error>(out)
            };
            let (positions, cells) = (named(|p| p.step)?, named(|p| p.cell_step)?);
            picks.push(Pick { indices: positions, bound: 0, axis: 0, step: 1, cell_step: 0 });
            picks.push(Pick { indices: cells, bound: 0, axis: 0, step: 0, cell_step: 1 });
            rejected = Some(flag);
        }
        Ok((picks, rejected))
    }

    /// Gathers the elements in NumPy's layout: those of one index are adjacent.
    fn read(&self, a: &Array, caller: Function) -> Result<Array> {
        // A kernel accesses the whole array from the address of the remaining axes, so all of it is copied.
        let copy = if a.may_have_any_bytes() { Some(engine::launch::canonical(a)?) } else { None };
        let view = match &copy {
            Some(copy) => {
                let offset = self.rest.offset + copy.layout().offset - a.layout().offset;
                copy.with_layout(Layout { offset, ..self.rest.clone() })
            }
            None => a.with_layout(self.rest.clone()),
        };
        if self.picks.is_empty() {
            // Without index arrays: the remaining axes, repeated as the booleans require.
            return view.with_layout(self.laid(&view)?).copy(Order::K);
        }
        let rest = self.rest.in_order(a.itemsize(), Order::K);
        let of_one = (size_of(&rest.shape).max(1) * a.itemsize()) as i64;
        let indices = if self.rest.shape.is_empty() {
            let of: SmallVec<[Strides; 2]> =
                self.picks.iter().map(|p| p.indices.layout().broadcast_strides(&self.shape)).collect();
            let of: SmallVec<[&[i64]; 2]> = of.iter().map(|s| &s[..]).collect();
            Layout::like(&self.shape, a.itemsize(), &of)
        } else {
            Layout::c_order(&self.shape, of_one as usize)
        };
        let mut strides = rest.strides.clone();
        strides.insert_many(self.at, indices.strides.iter().copied());
        let shape = self.shape();
        crate::layout::checked_bytes(&shape, a.itemsize())?;
        let out = Array::of_layout(a.device(), Layout { shape, strides, offset: 0 }, a.dtype())?;
        let mut gathering = self.gathering(a, caller, None)?;
        // Results are computed in memory order.
        let n = self.shape.len();
        let mut order: SmallVec<[usize; 6]> = (0..n).collect();
        order.sort_by_key(|&k| std::cmp::Reverse((indices.strides[k], self.shape[k])));
        let sorted: SmallVec<[Along; 6]> = order.iter().map(|&k| gathering.axes[k]).collect();
        gathering.axes[..n].copy_from_slice(&sorted);
        gathering.read(&view, &out)?;
        Ok(out)
    }

    /// Returns the remaining layout of a view with the axes of booleans inserted.
    fn laid(&self, view: &Array) -> Result<Layout> {
        let mut strides = view.layout().strides.clone();
        strides.insert_many(self.at, self.shape.iter().map(|_| 0));
        Ok(Layout { shape: self.shape(), strides, offset: view.layout().offset })
    }

    /// Stores a value that is broadcast to the shape of the result, or a single element.
    pub(crate) fn store(&self, a: &Array, value: &Array, unique: bool, caller: Function) -> Result<()> {
        let view = a.with_layout(self.rest.clone());
        if self.picks.is_empty() {
            let Some(one) = self.shape.first() else { return Ok(()) };
            return if *one == 0 { Ok(()) } else { engine::copy(value, &view.with_layout(self.laid(&view)?)) };
        }
        let gathering = self.gathering(a, caller, Some(value.layout()))?;
        gathering.store(&view, self.cells, Source::Elements(value), unique || self.unique)
    }

    /// Stores one value, encoded as an element.
    pub(crate) fn store_one(&self, a: &Array, value: [u8; 16], caller: Function) -> Result<()> {
        let gathering = self.gathering(a, caller, None)?;
        gathering.store(&a.with_layout(self.rest.clone()), self.cells, Source::Value(value), true)
    }

    /// Returns the array with the indexed axes before the remaining ones, and a value of the result's shape with the
    /// axes of the indices first.
    pub(crate) fn indices_first(&self, a: &Array, value: Option<&Array>) -> Result<(Array, Option<Array>)> {
        let mut layout = self.rest.clone();
        let (sizes, strides) = (self.picks.iter().map(|p| a.shape()[p.axis]), self.picks.iter().map(|p| p.step));
        layout.shape.insert_many(0, sizes);
        layout.strides.insert_many(0, strides);
        let n = self.shape.len() as isize;
        let from: Vec<isize> = (0..n).map(|k| self.at as isize + k).collect();
        let to: Vec<isize> = (0..n).collect();
        let moved = |value: &Array| value.broadcast_to(&self.shape()[..])?.moveaxis(&from[..], &to[..]);
        Ok((a.with_layout(layout), value.map(moved).transpose()?))
    }

    /// Returns the number of remaining axes.
    pub(crate) fn left(&self) -> usize {
        self.rest.shape.len()
    }

    /// Returns the index array, if there is one alone, of the results' shape, whose indices are adjacent in memory and
    /// not known to be in bounds.
    pub(crate) fn one_line(&self) -> Option<&Pick> {
        match &self.picks[..] {
            [pick] if pick.bound > 0 && pick.indices.shape() == &self.shape[..] && pick.indices.is_c_contiguous() => {
                Some(pick)
            }
            _ => None,
        }
    }

    /// Returns the flat numbers of the selected elements, in C order over the indexed axes: uint32 if they fit,
    /// otherwise int64, in C order. The second result is nonzero if an index is out of bounds, and absent if all are
    /// known to be valid.
    pub(crate) fn cells(&self, a: &Array, caller: Function) -> Result<(Array, Option<Array>)> {
        self.check_axes(a)?;
        let device = a.device();
        let dtype = if u32::try_from(self.cells).is_ok() { DType::U32 } else { DType::I64 };
        let cells = make::empty(device, &self.shape, dtype)?;
        let (picks, rejected) = self.joined(caller)?;
        let checked = picks.iter().any(|p| p.bound > 0);
        let rejected = match rejected {
            None if checked => Some(make::zeros(device, &[1], DType::U32)?),
            rejected => rejected,
        };
        let axes = along(&self.shape, &picks);
        Gathering { most: self.cells, ..Gathering::new(caller, picks, axes) }.write_cells(&cells, rejected.as_ref())?;
        Ok((cells, rejected))
    }

    /// Returns whether an index array shares memory with the array that is written to.
    pub(crate) fn reads(&self, a: &Array) -> bool {
        self.picks.iter().any(|p| p.indices.may_share_memory(a))
    }

    /// Replaces the index arrays by copies.
    pub(crate) fn apart(mut self) -> Result<Picked> {
        for pick in &mut self.picks {
            pick.indices = pick.indices.copy(Order::K)?;
        }
        Ok(self)
    }

    /// Returns whether the index has booleans but no index arrays.
    pub(crate) fn is_broadcast(&self) -> bool {
        self.picks.is_empty()
    }
}

/// Returns the axes of index arrays broadcast to a shape, in C order.
pub(crate) fn along(shape: &[usize], picks: &[Pick]) -> SmallVec<[Along; 6]> {
    let counted = Layout::c_order(shape, 1);
    let broadcast: SmallVec<[Strides; 2]> = picks.iter().map(|p| p.indices.layout().broadcast_strides(shape)).collect();
    let axis = |k: usize| Along {
        size: shape[k],
        indices: std::array::from_fn(|p| broadcast.get(p).map_or(0, |s| s[k])),
        position: counted.strides[k],
        ..Along::default()
    };
    (0..shape.len()).map(axis).collect()
}
