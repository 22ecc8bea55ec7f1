//! The sweep of matrix instructions: sums of products, whose rounding and order no manual specifies.
//!
//! Each form is one `mma`, run on registers of many random samples. The values of a sample are of one kind: of similar
//! magnitude; one large product among small ones; cancelling terms; subnormals and infinities; arbitrary bits. A GPU's
//! results determine the rule of the simulator (`gpu/sim/src/ops/tensor.rs`), which follows published models until
//! there is a recording.

use std::fmt::Write as _;

use cuprum::cuda::Device;
use cuprum::{Argument, Array, DType, Error, RawModule, zeros};

use super::draws::Draws;
use super::recording::{Answer, Recording};

/// The number of samples of a form; each uses its own warp.
const DRAWS: usize = 64;

/// An instruction: its opcode, the types of its factors and of its sums, and the number of 32-bit registers per thread
/// of the result, the factors and the addend.
/// the result, the factors and the addend.
#[derive(Clone, Debug)]
pub struct Product {
    opcode: String,
    factor: &'static str,
    sum: &'static str,
    registers: [usize; 4],
}

/// Returns all forms.
pub fn products() -> Vec<Product> {
    let mut all = Vec::new();
    let mut add = |shape: &str, sum: &'static str, factor: &'static str, registers| {
        let opcode = format!("mma.sync.aligned.{shape}.row.col.{sum}.{factor}.{factor}.{sum}");
        all.push(Product { opcode, factor, sum, registers });
    };
    add("m16n8k8", "f32", "f16", [4, 2, 1, 4]);
    add("m16n8k16", "f32", "f16", [4, 4, 2, 4]);
    add("m16n8k8", "f16", "f16", [2, 2, 1, 2]);
    add("m16n8k16", "f16", "f16", [2, 4, 2, 2]);
    add("m16n8k8", "f32", "bf16", [4, 2, 1, 4]);
    add("m16n8k16", "f32", "bf16", [4, 4, 2, 4]);
    add("m16n8k4", "f32", "tf32", [4, 2, 1, 4]);
    add("m16n8k8", "f32", "tf32", [4, 4, 2, 4]);
    add("m16n8k32", "s32", "s8", [4, 4, 2, 4]);
    add("m16n8k64", "s32", "u4", [4, 4, 2, 4]);
    // Each double occupies two registers.
    add("m8n8k4", "f64", "f64", [4, 2, 2, 4]);
    all
}

impl Product {
    /// Returns the name in a recording.
    pub fn name(&self) -> &str {
        &self.opcode
    }

    fn text(&self) -> String {
        let wide = self.sum == "f64";
        let [d, a, b, c] = self.registers.map(|n| if wide { n / 2 } else { n });
        let (ty, letter) = if wide { ("double", 'd') } else { ("unsigned", 'r') };
        let list = |from: usize, n: usize| (from..from + n).map(|i| format!("%{i}")).collect::<Vec<_>>().join(", ");
        let inputs = |name: char, n: usize| (0..n).map(|i| format!("\"{letter}\"({name}[{i}])")).collect::<Vec<_>>();
        let outputs: Vec<String> = (0..d).map(|i| format!("\"={letter}\"(d[{i}])")).collect();
        let given = [inputs('a', a), inputs('b', b), inputs('c', c)].concat().join(", ");
        let mut text = format!(
            "extern \"C\" __global__ void k(const {ty} *x, const {ty} *y, const {ty} *z, {ty} *out) {{\n\
             const int at = blockIdx.x * 32 + threadIdx.x;\n{ty} a[{a}], b[{b}], c[{c}], d[{d}];\n"
        );
        for (name, from, n) in [('a', 'x', a), ('b', 'y', b), ('c', 'z', c)] {
            let _ = writeln!(text, "for (int i = 0; i < {n}; ++i) {name}[i] = {from}[at * {n} + i];");
        }
        let _ = writeln!(
            text,
            "asm volatile(\"{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\" : {} : {given});",
            self.opcode,
            list(0, d),
            list(d, a),
            list(d + a, b),
            list(d + a + b, c),
            outputs.join(", ")
        );
        let _ = writeln!(text, "for (int i = 0; i < {d}; ++i) out[at * {d} + i] = d[i];\n}}");
        text
    }

    /// Returns the words of all samples of an operand.
    fn words(&self, ty: &str, registers: usize, draws: &mut Draws) -> Vec<u32> {
        let mut words = Vec::with_capacity(DRAWS * 32 * registers);
        for draw in 0..DRAWS {
            for _ in 0..32 * registers {
                let mut one = || element(ty, draw % 5, draws);
                words.push(match ty {
                    "f16" | "bf16" => one() & 0xffff | one() << 16,
                    _ => one(),
                });
            }
        }
        words
    }

    fn run(&self, seed: u64) -> Result<Vec<u8>, Error> {
        let kernel = RawModule::compile(&self.text(), &[])?.kernel("k")?;
        let mut draws = Draws::new(seed, &self.opcode);
        let [d, a, b, c] = self.registers;
        let array = |words: Vec<u32>| Array::from_slice(&words, [words.len()]);
        let x = array(self.words(self.factor, a, &mut draws))?;
        let y = array(self.words(self.factor, b, &mut draws))?;
        let z = array(self.words(self.sum, c, &mut draws))?;
        let out = zeros(DRAWS * 32 * d, DType::U32)?;
        let arguments = [&x, &y, &z, &out].map(Argument::Array);
        // SAFETY: the arrays hold the registers of one warp per sample.
        unsafe { kernel.launch([DRAWS as u32, 1, 1], [32, 1, 1], &arguments) }?;
        Ok(out.to_vec::<u32>()?.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

/// Returns a random element of one kind. For doubles, each half is generated separately.
fn element(ty: &str, kind: usize, draws: &mut Draws) -> u32 {
    let bits = draws.bits() as u32;
    let (fraction, bias) = match ty {
        "f16" => (10, 15),
        "bf16" => (7, 127),
        "f32" | "tf32" => (23, 127),
        _ => return bits,
    };
    let width = if ty == "f16" || ty == "bf16" { 15 } else { 31 };
    let (sign, low) = (bits >> 31 << width, bits & ((1 << fraction) - 1));
    let random = draws.bits() as u32;
    let exponent = match kind {
        // Of similar magnitude.
        0 => bias,
        // One in eight is large.
        1 if random.is_multiple_of(8) => bias + 9,
        1 => bias - random / 8 % 8,
        // Of very different magnitudes.
        2 => bias - 14 + random % 28,
        // Subnormals, zeros, and occasionally an infinity or a NaN.
        3 if random.is_multiple_of(64) => 2 * bias + 1,
        3 if random.is_multiple_of(4) => 0,
        3 => 1 + random / 4 % (2 * bias),
        _ => return bits,
    };
    // Few bits, so that terms cancel.
    let low = if kind == 1 { low >> (fraction - 3) << (fraction - 3) } else { low };
    sign | exponent << fraction | low
}

/// Runs every form on the current device and records its results.
///
/// # Errors
///
/// Returns errors of the device; a form that the compiler or the device rejects is recorded as rejected.
pub fn record_products(seed: u64, filter: &str) -> Result<Recording, Error> {
    let info = Device::current()?.info().clone();
    let made_by = format!("{}, {}, driver {}, NVRTC {}", info.name, info.target, info.driver, Device::nvrtc_version()?);
    let all = products().into_iter().filter(|p| p.name().contains(filter));
    let answers = all.map(|product| match product.run(seed) {
        Ok(results) => Answer { form: product.opcode, results, rejected: None },
        Err(e) => {
            let why = e.message().lines().next().unwrap_or_default().to_string();
            Answer { form: product.opcode, results: vec![], rejected: Some(why) }
        }
    });
    let answers = answers.collect();
    Ok(Recording { made_by, seed, answers })
}

/// The difference of two results of one form.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The form.
    pub form: String,
    /// The number of words that differ.
    pub differing: usize,
    /// The number of words of the expected result.
    pub words: usize,
    /// The first word that differs: its position, the expected and the actual word.
    pub example: Option<(usize, u32, u32)>,
}

/// Returns the differences of two recordings, form by form.
pub fn differences(expected: &Recording, given: &Recording) -> Vec<Difference> {
    let words = |a: &Answer| -> Vec<u32> {
        a.results.chunks_exact(4).map(|w| w.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b))).collect()
    };
    let of_form = |expected: &Answer| {
        let found = given.answers.iter().find(|a| a.form == expected.form);
        let (wanted, got) = (words(expected), found.map(words).unwrap_or_default());
        let differ = |i: &usize| got.get(*i) != Some(&wanted[*i]);
        let differing = (0..wanted.len()).filter(differ).count();
        let example = (0..wanted.len()).find(differ);
        let example = example.map(|i| (i, wanted[i], got.get(i).copied().unwrap_or_default()));
        Difference { form: expected.form.clone(), differing, words: wanted.len(), example }
    };
    expected.answers.iter().map(of_form).collect()
}
