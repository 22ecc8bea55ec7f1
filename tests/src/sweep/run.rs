//! Runs forms on the current device.

use cuprum::cuda::Device;
use cuprum::{Argument, Array, DType, Error, RawKernel, RawModule, zeros};

use super::form::Form;
use super::kernel::{BLOCK, cell_words, name, narrow, text};
use super::operands::{operands, tuples};
use super::recording::{Answer, Recording};

/// The number of forms per module: many enough to amortise the start of the compiler, few enough to locate a rejection
/// soon.
const GROUP: usize = 48;

/// Runs every form and records its results. `progress` is called with the number of completed forms.
///
/// # Errors
///
/// Returns errors of the device; a form that the compiler or the device rejects is recorded as rejected.
pub fn record(forms: &[Form], seed: u64, mut progress: impl FnMut(usize)) -> Result<Recording, Error> {
    let device = Device::current()?;
    let info = device.info();
    let mut answers = Vec::with_capacity(forms.len());
    for (i, group) in forms.chunks(GROUP).enumerate() {
        let group: Vec<&Form> = group.iter().collect();
        run_group(&group, seed, &mut answers);
        progress(i * GROUP + group.len());
    }
    let made_by = format!("{}, {}, driver {}, NVRTC {}", info.name, info.target, info.driver, Device::nvrtc_version()?);
    Ok(Recording { made_by, seed, answers })
}

/// Runs the forms of a group; if one is rejected, the group is bisected.
fn run_group(group: &[&Form], seed: u64, answers: &mut Vec<Answer>) {
    let rejected = match RawModule::compile(&text(group), &[]) {
        Ok(module) => {
            for (i, form) in group.iter().enumerate() {
                let run = module.kernel(&name(i)).and_then(|kernel| run(form, &kernel, seed));
                answers.push(answer(form, run));
            }
            return;
        }
        Err(e) => e,
    };
    match group {
        [form] => answers.push(answer(form, Err(rejected))),
        _ => {
            let (first, second) = group.split_at(group.len() / 2);
            run_group(first, seed, answers);
            run_group(second, seed, answers);
        }
    }
}

fn answer(form: &Form, results: Result<Vec<u8>, Error>) -> Answer {
    let (results, rejected) = match results {
        Ok(results) => (results, None),
        Err(e) => (Vec::new(), Some(first_line(e.message()))),
    };
    Answer { form: form.name(), results, rejected }
}

/// Returns the line of a compiler's log that contains the error.
fn first_line(message: &str) -> String {
    let line = message.lines().find(|l| l.contains("error") || l.contains("instruction"));
    line.or(message.lines().next()).unwrap_or_default().trim().to_string()
}

/// Returns the concatenated results of a form on its operands.
fn run(form: &Form, kernel: &RawKernel, seed: u64) -> Result<Vec<u8>, Error> {
    let mut flat: Vec<u64> = operands(form, seed).concat();
    // An empty array has no address.
    flat.push(0);
    let input = Array::from_slice(&flat, [flat.len()])?;
    let tuples = tuples(form);
    let words = tuples * form.results.len() + cell_words(form, tuples);
    let output = zeros([words], DType::U64)?;
    let arguments = [Argument::Array(&input), Argument::Array(&output), Argument::U32(tuples as u32)];
    // SAFETY: the arguments match the kernel's parameters. Thread i of `tuples`, a multiple of BLOCK, accesses word i
    // of each list of operands, of results and of memory cells, all of which fit in the arrays.
    unsafe { kernel.launch([tuples as u32 / BLOCK, 1, 1], [BLOCK, 1, 1], &arguments)? };
    let words = output.to_vec::<u64>()?;
    Ok(form
        .results
        .iter()
        .zip(words.chunks_exact(tuples))
        .flat_map(|(kind, list)| list.iter().flat_map(|word| narrow(*kind, *word)))
        .collect())
}
