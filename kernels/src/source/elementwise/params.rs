//! Parameters of the elementwise kernels.

use super::{Class, Elementwise, Width};
use crate::params::{Field, Fields, Parameters, Read, Size, Sizes, Strides, Value, Written};

/// Input of an elementwise kernel.
#[derive(Clone, Copy, Debug)]
pub enum ElementwiseInput<P> {
    /// Elements in memory at this address.
    Pointer(P),
    /// A scalar of the loop's dtype.
    Value([u8; 16]),
}

/// Parameters of the kernel `elementwise` of a key: those of every class, then those that the class adds. Tables of
/// strides have one entry for each operand: the inputs, the mask, the results.
#[derive(Clone, Copy, Debug)]
pub struct ElementwiseParams<'a, P> {
    /// The key of the kernel.
    pub key: &'a Elementwise,
    /// Sizes and strides.
    pub walk: Walk<'a>,
    /// The results.
    pub outs: [Option<P>; 2],
    /// The mask of the elements that are written (`where`).
    pub mask: Option<P>,
    /// The inputs.
    pub ins: [Option<ElementwiseInput<P>>; 3],
}

/// Sizes and strides by which a kernel finds its elements.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The number of elements, rows or vectors.
    pub n: u64,
    /// Flat: 1 if every address is aligned. Otherwise the number of axes.
    pub word: u64,
    /// Rows: number of vectors of a row. Tiled: number of tiles across and down.
    pub tiles: [Size; 2],
    /// Rows: length of a row. Tiled: number of elements across and down.
    pub lengths: [usize; 2],
    /// Sizes of the axes that the class does not treat specially.
    pub sizes: Sizes<'a>,
    /// Tiled: strides across and down.
    pub steps: &'a [[i64; 2]],
    /// Strides along the axes of `sizes`.
    pub strides: &'a [Strides<'a>],
}

impl<'a, P> ElementwiseParams<'a, P> {
    /// Returns parameters in which nothing is set yet.
    pub fn new(key: &'a Elementwise) -> Self {
        ElementwiseParams {
            key,
            walk: Walk::default(),
            outs: [const { None }; 2],
            mask: None,
            ins: [const { None }; 3],
        }
    }
}

impl Default for Walk<'_> {
    fn default() -> Self {
        Walk { n: 0, word: 0, tiles: [Size(1); 2], lengths: [0; 2], sizes: Sizes(&[]), steps: &[], strides: &[] }
    }
}

impl<P: Copy> Parameters<P> for ElementwiseParams<'_, P> {
    #[inline]
    fn visit(&self, to: &mut impl Fields<P>) {
        let (record, narrow) = (self.key.op.record(), Width::default());
        self.walk.visit_counts(to);
        for (k, name) in ["q0", "q1"].into_iter().enumerate().take(record.nout) {
            Written(self.outs[k]).visit(Some(["out0 *", "out1 *"][k]), name, narrow, to);
        }
        if self.key.mask.is_some() {
            Read(self.mask).visit(Some("bool *"), "mask", narrow, to);
        }
        for k in 0..record.nin {
            match self.ins[k] {
                Some(ElementwiseInput::Value(value)) => {
                    let of = ["parameter<in0>", "parameter<in1>", "parameter<in2>"][k];
                    Value(value).visit(Some(of), ["v0", "v1", "v2"][k], narrow, to);
                }
                Some(ElementwiseInput::Pointer(pointer)) => {
                    let of = ["in0 *", "in1 *", "in2 *"][k];
                    Read(Some(pointer)).visit(Some(of), ["p0", "p1", "p2"][k], narrow, to);
                }
                None => {}
            }
        }
        self.walk.visit_axes(self.key.class, to);
    }
}

impl Walk<'_> {
    /// Visits the parameters that kernels of every class begin with.
    #[inline]
    pub(super) fn visit_counts<P>(&self, to: &mut impl Fields<P>) {
        self.n.visit(None, "n", Width::default(), to);
        self.word.visit(None, "word", Width::default(), to);
    }

    /// Visits the parameters that the class adds at the end.
    #[inline]
    pub(super) fn visit_axes<P>(&self, class: Class, to: &mut impl Fields<P>) {
        let width = class.width();
        match class {
            Class::Flat => return,
            Class::Rows { .. } => {
                self.tiles[0].visit(None, "row", width, to);
                self.lengths[0].visit(None, "length", width, to);
                self.sizes.visit(None, "size", width, to);
            }
            Class::Tiled => {
                self.lengths[0].visit(None, "across", width, to);
                self.lengths[1].visit(None, "down", width, to);
                self.tiles.visit(None, "tiles", width, to);
                self.sizes.visit(None, "size", width, to);
                to.begin("i64", "step", &[self.steps.len(), 2], 8);
                for &step in self.steps.iter().flatten() {
                    to.long(step as u64);
                }
            }
            Class::Strided { .. } => self.sizes.visit(None, "size", width, to),
        }
        self.strides.visit(None, "stride", width, to);
    }
}
