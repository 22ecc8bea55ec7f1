//! What elementwise kernels are told.

use super::{Class, Elementwise, Width};
use crate::params::{Field, Fields, Parameters, Read, Size, Sizes, Strides, Value, Written};

/// An input of an elementwise kernel.
#[derive(Clone, Copy, Debug)]
pub enum ElementwiseInput<P> {
    /// Elements in memory.
    Place(P),
    /// A value of the loop's dtype.
    Value([u8; 16]),
}

/// What the kernel `elementwise` of a key is told: what every class has, then what the class adds. Tables of strides have
/// one entry for each operand: the inputs, the mask, the results.
#[derive(Clone, Copy, Debug)]
pub struct ElementwiseParams<'a, P> {
    /// The key of the kernel.
    pub key: &'a Elementwise,
    /// How the elements are found.
    pub walk: Walk<'a>,
    /// The results.
    pub outs: [Option<P>; 2],
    /// Where results are written.
    pub mask: Option<P>,
    /// The inputs.
    pub ins: [Option<ElementwiseInput<P>>; 3],
}

/// What a kernel is told of how the elements are found.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The number of elements; of rows, of vectors.
    pub n: u64,
    /// Flat: whether every address is aligned. Otherwise the number of axes.
    pub word: u64,
    /// Rows: vectors of a row. Tiled: tiles across and down.
    pub tiles: [Size; 2],
    /// Rows: elements of a row. Tiled: elements across and down.
    pub lengths: [usize; 2],
    /// Of the axes that the class does not treat on its own.
    pub sizes: Sizes<'a>,
    /// Tiled: across and down.
    pub steps: &'a [[i64; 2]],
    /// Along the axes of `sizes`.
    pub strides: &'a [Strides<'a>],
}

impl<'a, P> ElementwiseParams<'a, P> {
    /// Nothing told yet.
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
                Some(ElementwiseInput::Place(place)) => {
                    let of = ["in0 *", "in1 *", "in2 *"][k];
                    Read(Some(place)).visit(Some(of), ["p0", "p1", "p2"][k], narrow, to);
                }
                None => {}
            }
        }
        self.walk.visit_axes(self.key.class, to);
    }
}

impl Walk<'_> {
    /// What kernels of every class are told first.
    #[inline]
    pub(super) fn visit_counts<P>(&self, to: &mut impl Fields<P>) {
        self.n.visit(None, "n", Width::default(), to);
        self.word.visit(None, "word", Width::default(), to);
    }

    /// What the class adds at the end.
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
