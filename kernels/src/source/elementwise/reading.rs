//! Prologue fusion: expressions that other engines read, whose elements are computed as they are read and never stored.

use std::fmt::Write;

use super::fused::{INS, PARAMETERS, POINTERS, VALUES};
use super::{ElementwiseInput, ExpressionId, FUSED_INPUTS};
use crate::DType;
use crate::params::{Field, Fields, Parameters, Read, Strides, Value, Width};

pub(in super::super) const READING: &str = include_str!("../../../include/reading.cuh");

/// Layout of an input along adjacent elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// Contiguous, and aligned for vector loads.
    Dense,
    /// The same element for all of them.
    Same,
    /// Any stride.
    Apart,
    /// A scalar among the parameters.
    Value,
}

/// Expression that a kernel reads in place of an array, and the layouts of its inputs. It has one result, or one and a
/// mask of the elements that take part. It is a part of the key of the reading kernel, whose parameters include
/// [`ReadingParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The expression.
    pub expression: ExpressionId,
    /// Layouts of the inputs along adjacent elements; those beyond the expression's own are ignored.
    pub inputs: [Neighbours; FUSED_INPUTS],
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Reading {
    /// Returns the dtype of an element.
    pub fn dtype(&self) -> DType {
        let of = self.expression.expression();
        of.dtype(of.outs[0])
    }

    /// Iterates over the inputs that are arrays.
    pub fn arrays(&self) -> impl Iterator<Item = usize> + '_ {
        let own = &self.inputs[..self.expression.expression().ins.len()];
        own.iter().enumerate().filter(|(_, of)| **of != Neighbours::Value).map(|(k, _)| k)
    }

    /// Returns the names of the functions and of the operands' dtypes: `subtract+square/float32,float32`.
    pub fn name(&self) -> String {
        let of = self.expression.expression();
        let names: Vec<_> = of.steps.iter().map(|s| s.op.record().name).collect();
        let ins: Vec<_> = of.ins.iter().map(|d| d.name()).collect();
        format!("{}/{}", names.join("+"), ins.join(","))
    }

    /// Returns what precedes the kernel's own namespace: the headers for these dtypes and for the expression, and the
    /// namespace `reading` with the expression.
    pub(in super::super) fn headers(&self, more: impl IntoIterator<Item = DType>) -> String {
        let of = self.expression.expression();
        let mut text = of.headers(more);
        text.push_str("namespace reading {\n");
        for (k, dtype) in of.ins.iter().enumerate() {
            let _ = writeln!(text, "typedef {} in{k};", dtype.device_name());
        }
        for (k, &step) in of.outs.iter().enumerate() {
            let _ = writeln!(text, "typedef {} out{k};", of.dtype(step).device_name());
        }
        of.write_steps(&mut text);
        text.push_str("}\n");
        text
    }

    /// Returns the functions that read elements, to follow the kernel's parameter struct.
    pub(in super::super) fn text(&self) -> String {
        let mut text = format!("constexpr int ARRAYS = {};\n{READING}", self.arrays().count());
        let (mut fields, mut begins, mut reads) = (String::new(), String::new(), String::new());
        for (slot, k) in self.arrays().enumerate() {
            let (count, read) = match self.inputs[k] {
                Neighbours::Dense => ("N", format!("gather_dense(g.x{k}, from.at[{slot}]);")),
                Neighbours::Same => ("1", format!("g.x{k}[0] = *(const reading::in{k} *)from.at[{slot}];")),
                _ => ("N", format!("gather_apart(g.x{k}, from.at[{slot}], strides[{slot}][axis]);")),
            };
            let _ = writeln!(fields, "  reading::in{k} x{k}[{count}];");
            let _ = write!(begins, "(const char *)p.p{k}, ");
            let _ = writeln!(reads, "  {read}");
        }
        let operands: String = (0..self.expression.expression().ins.len())
            .map(|k| match self.inputs[k] {
                Neighbours::Value => format!("p.v{k}.value, "),
                Neighbours::Same => format!("g.x{k}[0], "),
                _ => format!("g.x{k}[k], "),
            })
            .collect();
        let masked = self.expression.expression().outs.len() > 1;
        let (keeps, kept) =
            if masked { ("reading::out1 keep;", ", keep") } else { ("constexpr bool keep = true;", "") };
        let _ = write!(
            text,
            "DEVICE origin beginning(const params &p) {{ return {{{{{begins}}}}}; }}\n\
             template <int N> struct gathered {{\n{fields}}};\n\
             template <int N, int AXES>\n\
             DEVICE void gather(const params &p, const origin &from, const i64 (&strides)[ARRAYS][AXES], u32 axis, gathered<N> &g) {{\n\
             {reads}}}\n\
             template <int N> DEVICE u32 compute(const params &p, const gathered<N> &g, reading::out0 (&e)[N]) {{\n  \
               u32 kept = 0;\n\
             #pragma unroll\n  for (int k = 0; k < N; ++k) {{\n    {keeps}\n    reading::apply({operands}0, e[k]{kept});\n    \
                 kept |= (u32)keep << k;\n  }}\n  return kept;\n}}\n"
        );
        text
    }

    /// Calls `f` with the parameters without values, which declare the struct.
    pub fn with_params<T>(&self, f: impl FnOnce(&ReadingParams<'_, ()>) -> T) -> T {
        let ins: [_; FUSED_INPUTS] = std::array::from_fn(|k| match self.inputs[k] {
            Neighbours::Value => ElementwiseInput::Value([0; 16]),
            _ => ElementwiseInput::Pointer(()),
        });
        let tables = &[Strides::default(); FUSED_INPUTS][..self.arrays().count()];
        let ins = &ins[..self.expression.expression().ins.len()];
        f(&ReadingParams { width: self.width, ins, kept: tables, reduced: Some(tables) })
    }
}

/// Parameters of the expression that a kernel reads.
#[derive(Clone, Copy, Debug)]
pub struct ReadingParams<'a, P> {
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
    /// The inputs.
    pub ins: &'a [ElementwiseInput<P>],
    /// Strides of each array along the axes of the results.
    pub kept: &'a [Strides<'a>],
    /// Strides of each array along the axes of a result's elements, if a result has several.
    pub reduced: Option<&'a [Strides<'a>]>,
}

impl<P: Copy> Parameters<P> for ReadingParams<'_, P> {
    fn visit(&self, to: &mut impl Fields<P>) {
        for (k, &input) in self.ins.iter().enumerate() {
            match input {
                ElementwiseInput::Value(value) => Value(value).visit(Some(PARAMETERS[k]), VALUES[k], self.width, to),
                ElementwiseInput::Pointer(pointer) => {
                    Read(Some(pointer)).visit(Some(INS[k]), POINTERS[k], self.width, to)
                }
            }
        }
        self.kept.visit(None, "read_kept", self.width, to);
        self.reduced.visit(None, "read_reduced", self.width, to);
    }
}
