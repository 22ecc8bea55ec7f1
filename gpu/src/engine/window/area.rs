//! Windows over several axes.
//!
//! Lower bound: the input read and the result written once. Elements that the windows of a block share are read once
//! into shared memory or found in the cache.

use cuprum_kernels::DType;
use cuprum_kernels::source::{WINDOW_REACH, WindowArea, WindowOp};

use super::ordered::{Border, depends_on_order, ordered};
use super::tables::{Tables, Windows};
use super::{BorderRule, apart, wrapped};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::one_device;
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Dims, Strides, order_like};

/// Threads of a block, as in `include/window_area.cuh`.
pub(super) const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static AREA_KERNELS: Kernels<WindowArea> = Kernels::default();
}

/// Operation on the elements of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AreaOp {
    /// Sum of products with the weights.
    Weighted,
    /// Minimum of the elements; with weights, of the differences from them.
    Minimum,
    /// Maximum of the elements; with weights, of the sums with them.
    Maximum,
}

/// Window over all axes, of the elements of a footprint.
#[derive(Clone, Debug)]
pub(crate) struct Area<'a> {
    /// Size of the window along each axis.
    pub(crate) shape: &'a [usize],
    /// The elements of the window, in C order.
    pub(crate) footprint: &'a [bool],
    /// The weights or the structure, in C order.
    pub(crate) weights: Option<&'a [f64]>,
    /// Position of the result in the window along each axis: the window of the result at i begins at i - `leads`.
    pub(crate) leads: &'a [i64],
    /// Rule of the border along each axis.
    pub(crate) rules: &'a [BorderRule],
    /// Element beyond a constant border.
    pub(crate) cval: f64,
}

/// Options of a binary erosion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Binary<'a> {
    /// Elements where this is false keep their value.
    pub(crate) mask: Option<&'a Array>,
    /// Invert the input and the results: a dilation.
    pub(crate) invert: bool,
    /// A word of uint32 that becomes 1 if a result differs from its input.
    pub(crate) changed: Option<&'a Array>,
}

/// Elements of a window that are adjacent along the second to last axis.
#[derive(Debug)]
struct Run {
    /// Coordinates of the first element relative to the result.
    at: Strides,
    /// Number of elements.
    length: i64,
    /// Position of the first weight in the list of all.
    weight: usize,
}

impl Area<'_> {
    /// Returns the elements of the footprint: their coordinates relative to the result along the axes in an order, and
    /// their positions in C order.
    pub(super) fn elements(&self, order: &[usize]) -> Vec<(Strides, usize)> {
        let mut all = Vec::new();
        for (position, _) in self.footprint.iter().enumerate().filter(|(_, inside)| **inside) {
            let mut rest = position;
            let mut at: Strides = self.leads.iter().map(|lead| -lead).collect();
            for d in (0..self.shape.len()).rev() {
                at[d] += (rest % self.shape[d]) as i64;
                rest /= self.shape[d];
            }
            all.push((order.iter().map(|&d| at[d]).collect(), position));
        }
        all
    }

    /// Returns the runs along an axis of the elements, in order, and the weights in their order.
    fn runs(&self, elements: &[(Strides, usize)], tall: usize) -> (Vec<Run>, Vec<f64>) {
        let mut order: Vec<&(Strides, usize)> = elements.iter().collect();
        order.sort_by_cached_key(|(at, _)| {
            let mut key = at.clone();
            let y = key.remove(tall);
            key.push(y);
            key
        });
        let (mut runs, mut weights) = (Vec::<Run>::new(), Vec::new());
        for (at, position) in order {
            let follows = runs
                .last()
                .is_some_and(|run| (0..at.len()).all(|d| at[d] == run.at[d] + if d == tall { run.length } else { 0 }));
            if follows && let Some(run) = runs.last_mut() {
                run.length += 1;
            } else {
                runs.push(Run { at: at.clone(), length: 1, weight: weights.len() });
            }
            weights.extend(self.weights.map(|w| w[*position]));
        }
        (runs, weights)
    }

    pub(super) fn tables(&self, src: &Array, out: &Array, elements: &[(Strides, usize)], order: &[usize]) -> Tables {
        let rules = order.iter().map(|&d| self.rules[d] as i64).collect();
        Tables::new(src, out, rules, elements.iter().map(|(at, _)| at))
    }

    /// Computes an operation. The shape of `out` may differ from that of `src`, of which no axis is empty.
    pub(crate) fn run(&self, op: AreaOp, src: &Array, out: &Array) -> Result<()> {
        let op = match (op, self.weights) {
            (AreaOp::Weighted, _) => WindowOp::Weighted,
            (AreaOp::Minimum, None) => WindowOp::Minimum,
            (AreaOp::Maximum, None) => WindowOp::Maximum,
            (AreaOp::Minimum, Some(_)) => WindowOp::ShapedMinimum,
            (AreaOp::Maximum, Some(_)) => WindowOp::ShapedMaximum,
        };
        one_device(src, [out])?;
        if op == WindowOp::Weighted && depends_on_order(out.dtype(), self.weights.unwrap_or_default()) {
            let border = Border { rules: self.rules, cval: self.cval };
            return apart(src, out, |out| {
                let order = order_like(src.shape(), &[src.strides()]);
                let multiplied = src.ndim() >= 2 && self.patch(&src.permuted(&order), &out.permuted(&order), &order)?;
                if multiplied { Ok(()) } else { ordered(src, out, &border, &self.terms()) }
            });
        }
        apart(src, out, |out| self.launch(op, src, out, Binary::default()))
    }

    /// Computes a binary erosion: true where all elements of the footprint are.
    pub(crate) fn erode(&self, src: &Array, out: &Array, options: Binary<'_>) -> Result<()> {
        one_device(src, [out])?;
        apart(src, out, |out| self.launch(WindowOp::Binary, src, out, options))
    }

    fn launch(&self, op: WindowOp, src: &Array, out: &Array, options: Binary<'_>) -> Result<()> {
        if out.size() == 0 {
            return Ok(());
        }
        // One axis becomes the second to last of two or three.
        if src.ndim() < 2 {
            let wide = |a: &Array| a.expand_dims((src.ndim()..2).map(|d| d as isize).collect::<Vec<_>>());
            let fill = |list: &[usize]| -> Dims { list.iter().copied().chain([1; 2]).take(2).collect() };
            let shape = fill(self.shape);
            let leads: Strides = self.leads.iter().copied().chain([0; 2]).take(2).collect();
            let rules = [self.rules.first().copied().unwrap_or_default(); 2];
            let mask = options.mask.map(wide).transpose()?;
            let area = Area { shape: &shape, leads: &leads, rules: &rules, ..self.clone() };
            return area.launch(op, &wide(src)?, &wide(out)?, Binary { mask: mask.as_ref(), ..options });
        }
        let order = order_like(src.shape(), &[src.strides()]);
        let (src, out) = (&src.permuted(&order), &out.permuted(&order));
        let mask = options.mask.map(|mask| mask.permuted(&order));
        let options = Binary { mask: mask.as_ref(), ..options };
        if op == WindowOp::Weighted && self.patch(src, out, &order)? {
            return Ok(());
        }
        let elements = self.elements(&order);
        let t = self.tables(src, out, &elements, &order);
        let tall = t.axes - 2;
        let (runs, weights) = self.runs(&elements, tall);
        let mut table = Vec::with_capacity(runs.len() * (3 + t.axes));
        for run in &runs {
            let offset: i64 = run.at.iter().zip(&t.src_steps).map(|(at, step)| at * step).sum();
            table.extend([run.length, run.weight as i64, offset]);
            table.extend_from_slice(&run.at);
        }
        let device = out.device();
        let upload = |some: &[i64]| make::of(device, if some.is_empty() { &[0] } else { some }, &[some.len().max(1)]);
        let table = upload(&table)?;
        let weights = (!weights.is_empty()).then(|| make::of(device, &weights, &[weights.len()])).transpose()?;
        let cval = match op {
            WindowOp::Weighted | WindowOp::Mean | WindowOp::Binary => self.cval,
            _ => wrapped(src.dtype(), self.cval),
        };
        let windows = Windows {
            src,
            out,
            runs: &table,
            run_count: runs.len(),
            weights: weights.as_ref(),
            rank: 0,
            cval,
            reach: WINDOW_REACH,
            binary: options,
        };
        t.launch(&windows, |width| {
            let key = WindowArea { op, from: src.dtype(), to: out.dtype(), width };
            let [function] = kernels(&AREA_KERNELS, device, key, ["window_area"], || (key.name(), key.source()))?;
            Ok(function)
        })
    }
}

/// Returns an array for the word that reports whether an erosion changed anything, cleared.
pub(crate) fn changes(like: &Array) -> Result<Array> {
    make::zeros(like.device(), &[1], DType::U32)
}
