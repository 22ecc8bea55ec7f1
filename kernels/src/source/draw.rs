//! Source of the random number kernels.

use std::fmt::Write;

use super::{Unit, body, headers};
use crate::DType;
use crate::distributions::{DistributionId, Gives, Raw};
use crate::params::{Read, Sizes, Strides, Value, Width, Written, parameters};

/// Threads of a block: as in `include/random_draw.cuh`.
pub const DRAW_THREADS: usize = 256;

/// Threads of a block of the kernel for many elements.
pub const DRAW_MANY_THREADS: usize = 512;
/// Blocks of [`DRAW_MANY_THREADS`] threads that are resident on a multiprocessor.
pub const DRAW_RESIDENT: usize = 2;

/// Device functions for kernels of users: the generator Philox4x32-10 by key and block number.
pub const RANDOM: &str = header!("random_philox");

parameters! {
    /// Parameters of the kernel `draw`.
    DrawParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The results.
        out: Written<P>,
        /// Number of the first generator block.
        first: u64,
        /// Number of elements of that block that belong to earlier calls.
        skip: u32,
        /// True if the elements of a generator block are aligned in memory.
        aligned: bool,
        /// The state of the generator.
        state: [u32; 6],
        /// The round keys of Philox.
        keys: Option<[u32; 20]>,
        /// Skip-ahead matrices, for generators that skip by matrix products.
        table: Read<P>,
        /// Parameters of the distribution that are the same for all elements.
        a: Value as "parameter<number>",
        /// The second parameter.
        b: Value as "parameter<number>",
        /// The third parameter.
        c: Value as "parameter<number>",
        /// Number of axes; only for strided results, as are all fields below.
        axes: Option<u32>,
        /// Sizes of the axes.
        sizes: Option<Sizes<'a>>,
        /// Strides of the results.
        steps: Option<Strides<'a>>,
        /// Strides of the parameters.
        parameter_strides: Option<&'a [Strides<'a>]>,
        /// First parameter, if it is an array.
        pa: Option<Read<P>>,
        /// Second parameter, if it is an array.
        pb: Option<Read<P>>,
        /// Third parameter, if it is an array.
        pc: Option<Read<P>>,
        /// The error record.
        record: Option<Written<P>>,
        /// Number of the call in the error record.
        call: Option<u64>,
        /// Number of the function in the error record.
        function: Option<u32>,
    }
}

/// Bit generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bits {
    /// Philox4x32-10.
    Philox,
    /// MRG32k3a.
    Mrg32k3a,
    /// XORWOW.
    Xorwow,
}

/// Key of the kernel `draw`, with the parameters [`DrawParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draw {
    /// The distribution.
    pub distribution: DistributionId,
    /// The generator.
    pub bits: Bits,
    /// The dtype of the results.
    pub out: DType,
    /// True if the results are contiguous, and no parameter is an array.
    pub flat: bool,
    /// True for the kernel of many elements, whose blocks go from tile to tile. For strided results this is only for
    /// distributions with a fast path.
    pub many: bool,
    /// True if parameters are arrays, which the kernel validates.
    pub checked: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Draw {
    /// Returns the number of elements that are computed from a generator block of four words: 1, 2, 4 or 8.
    pub fn per_block(&self) -> usize {
        match self.distribution.distribution().raw {
            Raw::Own => 1,
            Raw::Wide | Raw::WideNormal => 2,
            Raw::Short => 8,
            Raw::Words | Raw::Normal | Raw::Exponential if self.out.size() == 8 => 2,
            Raw::Words | Raw::Normal | Raw::Exponential | Raw::Positions => 4,
        }
    }

    /// Returns true if the distribution samples by rejection, and has a fast path for most elements.
    pub fn is_short(&self) -> bool {
        self.distribution.distribution().raw == Raw::Own && self.distribution.distribution().quick != "quick_own"
    }

    /// Returns true if float32 numbers are computed with the table of the distribution.
    fn narrow(&self) -> bool {
        matches!(self.distribution.distribution().raw, Raw::Normal | Raw::Exponential) && self.out != DType::F64
    }

    /// Returns true if float64 numbers are computed with the table of logarithms and angles.
    fn wide(&self) -> bool {
        let raw = self.distribution.distribution().raw;
        !self.narrow() && matches!(raw, Raw::Own | Raw::Wide | Raw::WideNormal | Raw::Normal | Raw::Exponential)
    }

    /// Returns the bytes of dynamic shared memory of the kernel for many elements: eight copies of its table.
    pub fn shared(&self) -> usize {
        match (self.many, self.narrow(), self.wide()) {
            (true, true, _) => 8 * 16 * 384,
            (true, _, true) => 8 * 16 * 256,
            _ => 0,
        }
    }

    /// Returns the number of generator blocks that a thread block of the kernel for many elements computes at a time:
    /// four for each thread, or one if elements can need further blocks.
    pub fn tile(&self) -> usize {
        if self.distribution.distribution().raw == Raw::Own { DRAW_MANY_THREADS } else { 4 * DRAW_MANY_THREADS }
    }

    /// Returns the dtype of the parameters.
    pub fn number(&self) -> DType {
        match (self.distribution.distribution().gives, self.out) {
            (Gives::Integers, DType::U64) => DType::U64,
            (Gives::Integers, _) => DType::I64,
            _ => DType::F64,
        }
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("draw/{}/{:?}/{}", self.distribution.distribution().name, self.bits, self.out)
    }

    /// Returns the source of the kernel `draw`.
    pub fn source(&self) -> String {
        let (distribution, per_block) = (self.distribution.distribution(), self.per_block());
        let mut text = headers([self.out, DType::F64], false);
        text.push_str(RANDOM);
        if self.checked {
            text.push_str(header!("device_errors"));
        }
        let native = if self.out == DType::F64 { "f64" } else { "f32" };
        let (raw, standard) = match distribution.raw {
            Raw::Own => ("u32", "nothing"),
            Raw::Words | Raw::Wide | Raw::Short => (if per_block == 2 { "u64" } else { "u32" }, "words"),
            Raw::Normal => (native, "normals"),
            Raw::WideNormal => ("f64", "normals"),
            Raw::Exponential => (native, "exponentials"),
            Raw::Positions => ("u64", "positions"),
        };
        let narrow = self.out != DType::F64 && matches!(distribution.raw, Raw::Words | Raw::Normal | Raw::Exponential);
        let (number, compute) = match distribution.gives {
            Gives::Integers => (self.number().device_name(), self.number().device_name()),
            Gives::Truths => ("f64", "bool"),
            Gives::Counts => ("f64", "f64"),
            Gives::Floats => ("f64", if narrow { "f32" } else { "f64" }),
        };
        let of = if matches!(distribution.gives, Gives::Floats) { compute } else { "number" };
        let from = match distribution.gives {
            Gives::Integers => self.number(),
            Gives::Truths => DType::Bool,
            Gives::Floats if compute == "f32" => DType::F32,
            _ => DType::F64,
        };
        // A 16-bit float that is generated directly has as many random bits as its dtype has.
        let code = distribution.code.replace(
            "unit<element>",
            match self.out {
                DType::F16 => "unit<half_bits>",
                DType::BF16 => "unit<brain_bits>",
                DType::F32 => "unit<f32>",
                _ => "unit<f64>",
            },
        );
        let mut finish = format!(
            "DEVICE element given(compute y) {{ return {}; }}\n\
             DEVICE compute of_distribution(const params &p, u64 e, raw x, number a0, number b0, number c0, draws &d) {{\n  \
             const {of} a = ({of})a0, b = ({of})b0, c = ({of})c0;\n  (void)a, (void)b, (void)c;\n  return {code};\n}}\n\
             // The parameter that breaks a rule, or a negative number.\n\
             DEVICE int broken_of(number a, number b, number c) {{ return {}; }}\n\
             DEVICE element finish(const params &p, u64 e, raw x, number a0, number b0, number c0, draws &d) {{\n",
            super::cast(from, self.out, "y"),
            if self.checked { distribution.check() } else { "-1".to_string() }
        );
        if self.checked {
            finish.push_str(
                "  const int broken = broken_of(a0, b0, c0);\n  if (broken >= 0) {\n    \
                 const number wrong[4] = {a0, b0, c0, a0};\n    \
                 report_error((error_record *)p.record, p.call, p.function, e, parameter_bits(wrong[broken]), (u32)broken, ~0ull);\n    \
                 return element{};\n  }\n",
            );
        }
        finish.push_str("  return given(of_distribution(p, e, x, a0, b0, c0, d));\n}\n");
        let generator = match self.bits {
            Bits::Philox => body!("random_keyed_block"),
            Bits::Mrg32k3a => body!("random_mrg_block"),
            Bits::Xorwow => body!("random_xorwow_block"),
        };
        let mut unit = Unit::new(text, "draw")
            .typed("element", self.out.device_name())
            .typed("raw", raw)
            .typed("number", number)
            .typed("compute", compute)
            .indexed(self.width)
            .number("PER", per_block)
            .switch("OWN", distribution.raw == Raw::Own)
            .switch("FLAT", self.flat)
            .switch("MANY", self.many)
            .number("RESIDENT", DRAW_RESIDENT)
            .switch("NARROW", self.narrow())
            .switch("WIDE", self.wide())
            .switch("STAGED", self.shared() > 0)
            .params(&self.params())
            .with(generator);
        if self.narrow() || self.wide() {
            unit = unit.with(match distribution.raw {
                _ if self.wide() => body!("random_wide_table"),
                Raw::Normal => body!("random_normal_table"),
                _ => body!("random_exponential_table"),
            });
            unit = unit.with(body!("random_staged"));
        }
        unit = unit
            .with(body!("random_draws"))
            .with(body!("random_unit"))
            .with(body!("random_full"))
            .with(body!("random_integers"));
        if matches!(distribution.gives, Gives::Floats | Gives::Counts)
            && matches!(distribution.raw, Raw::Own | Raw::Wide | Raw::WideNormal)
        {
            unit = unit.with(body!("random_distributions"));
            if distribution.raw == Raw::Own {
                unit = unit.with(body!("random_counts"));
            }
        }
        unit = unit
            .with(&format!(
                "DEVICE void standard(const params &p, u64 number, const random_words &w, raw (&x)[PER]) {{\n  \
                 {standard}(p, number, w, x);\n}}\n"
            ))
            .with(&finish)
            .with(body!("random_draw"));
        if self.many {
            unit = unit.with(&self.quick());
        }
        unit.finish()
    }

    /// Returns the body of the kernel for many elements, and its fast paths.
    fn quick(&self) -> String {
        let distribution = self.distribution.distribution();
        let surely = match distribution.raw {
            Raw::Normal if self.narrow() => "return four_near<normal_distribution>(w, x);",
            Raw::Exponential if self.narrow() => "return four_near<exponential_distribution>(w, x);",
            Raw::Normal | Raw::WideNormal => "return normals_near(w, x);",
            _ => "standard(p, number, w, x);\n  return true;",
        };
        let mut text = format!("constexpr u32 THREADS = {DRAW_MANY_THREADS};\n");
        if distribution.raw == Raw::Own {
            text.push_str(body!("random_quick_own"));
            match distribution.gives {
                Gives::Floats => text.push_str(body!("random_quick_gamma")),
                Gives::Counts => text.push_str(body!("random_quick_counts")),
                _ => (),
            }
        } else {
            let _ = writeln!(
                text,
                "DEVICE bool surely(const params &p, u64 number, const random_words &w, raw (&x)[PER]) {{\n  {surely}\n}}"
            );
            text.push_str(body!("random_quick"));
            match distribution.quick {
                "quick_integers" => text.push_str(body!("random_quick_integers")),
                "quick_truths" => text.push_str(body!("random_quick_truths")),
                "quick_positions" => text.push_str(body!("random_quick_positions")),
                _ => (),
            }
        }
        let _ = writeln!(text, "typedef {} quick;", distribution.quick);
        text + if distribution.raw == Raw::Own { body!("random_often") } else { body!("random_many") }
    }

    /// Returns the parameters without values, with the fields that this kernel has.
    fn params(&self) -> DrawParams<'_, ()> {
        let mut params = DrawParams::<()> { width: self.width, ..Default::default() };
        params.keys = (self.bits == Bits::Philox).then_some([0; 20]);
        if !self.flat {
            params.axes = Some(0);
            params.sizes = Some(Sizes::default());
            params.steps = Some(Strides::default());
            params.parameter_strides = Some(&const { [Strides(&[]); 3] });
            (params.pa, params.pb, params.pc) = (Some(Read(None)), Some(Read(None)), Some(Read(None)));
        }
        if self.checked {
            params.record = Some(Written(None));
            params.call = Some(0);
            params.function = Some(0);
        }
        params
    }
}
