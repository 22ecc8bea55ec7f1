//! Tests of the simulator against a GPU's results of every instruction form: bit by bit if the result is exact, within
//! NVIDIA's bounds otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cuprum::cuda::Device;
use cuprum_sim::{Family, mnemonics};
use cuprum_tests::sweep::matrices::{differences, record_products};
use cuprum_tests::sweep::{Form, Recording, SEED, compare, forms, record};

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/sweep");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "bin")).collect();
    files.sort();
    files
}

fn on_the_simulator(forms: &[Form], seed: u64) -> Recording {
    Device::open("sim").and_then(|sim| sim.with(|| record(forms, seed, |_| {}))).expect("the simulator records")
}

#[test]
fn the_simulator_agrees_with_the_recordings() {
    let files = recordings();
    assert!(!files.is_empty(), "no recording in tests/golden/sweep");
    let all = forms::all();
    for file in files {
        let expected = Recording::read(&file).expect("the recording reads");
        let outcomes = compare(&all, &expected, &on_the_simulator(&all, expected.seed));
        let bad: Vec<String> = outcomes
            .iter()
            .filter(|o| !o.is_good())
            .map(|o| match (&o.missing, o.examples.first()) {
                (Some(why), _) => format!("{}: {why}", o.form),
                (None, None) => format!("{}: agrees, though it is known not to", o.form),
                (None, example) => format!("{}: {} of {} differ: {example:x?}", o.form, o.differing, o.compared),
            })
            .collect();
        assert!(bad.is_empty(), "{} of {} forms:\n{}", bad.len(), all.len(), bad.join("\n"));
    }
}

#[test]
fn every_instruction_of_the_simulator_is_in_the_sweep() {
    let reasons = BTreeMap::from(
        [
            (Family::Control, "moves threads, not values; programs of the simulator's own tests run them"),
            (Family::Hint, "changes no result"),
            (Family::Texture, "reads by handles, which a program makes: gpu/tests/textures.rs is their sweep"),
        ]
        .map(|(family, why)| (format!("{family:?}"), why)),
    );
    // Addresses differ between devices. Copies between them are covered by loads and stores, and so are barriers in
    // shared memory and policies.
    let addresses = ["cvta", "isspacep", "ldu", "cp", "mbarrier", "createpolicy"];
    // Matrix instructions have a separate sweep; two of them move bits, which the simulator's tests cover.
    let matrices = ["mma", "wmma", "ldmatrix", "movmatrix"];
    let all = forms::all();
    let swept: BTreeSet<&str> =
        all.iter().flat_map(Form::opcodes).filter_map(|opcode| opcode.split('.').next()).collect();
    let missing: Vec<&str> = mnemonics()
        .filter(|(_, family)| !reasons.contains_key(&format!("{family:?}")))
        .map(|(mnemonic, _)| mnemonic)
        .filter(|mnemonic| !swept.contains(mnemonic) && !addresses.contains(mnemonic) && !matrices.contains(mnemonic))
        .collect();
    assert!(missing.is_empty(), "in no form: {missing:?}");
}

#[test]
fn products_of_matrices_are_recorded_and_compared() {
    let sim = Device::open("sim").expect("the simulator");
    let recorded = |filter: &str| sim.with(|| record_products(SEED, filter)).expect("the simulator records");
    let expected = recorded("");
    let rejected: Vec<_> = expected.answers.iter().filter_map(|a| a.rejected.as_ref()).collect();
    assert!(rejected.is_empty(), "{rejected:?}");
    let again = recorded("m16n8k16.row.col.f32.f16");
    assert!(differences(&again, &expected).iter().all(|d| d.differing == 0 && d.words >= 4096));
    let gpu = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/matrices/h200.bin");
    let gpu = differences(&expected, &Recording::read(&gpu).expect("the recording reads"));
    assert!(gpu.len() == 11 && gpu.iter().all(|d| d.differing == 0 && d.words >= 4096), "{gpu:?}");
    let mut found = expected.clone();
    found.answers[1].results[4] ^= 1;
    let one = differences(&expected, &found).remove(1);
    assert!(one.differing == 1 && one.example.is_some_and(|(at, wanted, got)| at == 1 && wanted ^ got == 1), "{one:?}");
}

#[test]
fn forms_have_names_of_their_own() {
    let mut names = BTreeSet::new();
    for form in forms::all() {
        assert!(names.insert(form.name()), "{} is defined twice", form.name());
    }
}

#[test]
fn a_recording_survives_its_file_and_a_planted_difference_is_found() {
    let forms: Vec<Form> = forms::all()
        .into_iter()
        .filter(|f| {
            f.name().starts_with("add.rn.f32")
                || f.name().starts_with("ex2.approx.f32 d, a (")
                || f.name().starts_with("vote.sync.all")
        })
        .collect();
    assert!(forms.len() > 4);
    let mut recording = on_the_simulator(&forms, SEED);
    let path = std::env::temp_dir().join(format!("sweep-{}.bin", std::process::id()));
    recording.write(&path).unwrap();
    let read = Recording::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read, recording);
    assert!(compare(&forms, &read, &recording).iter().all(|o| o.is_good()));

    // The lowest bit of one result: wrong for an addition, within the bound for an exponential.
    for answer in &mut recording.answers {
        if !answer.form.starts_with("vote") {
            let last = answer.results.len() - 4;
            answer.results[last] ^= 1;
        }
    }
    for outcome in compare(&forms, &read, &recording) {
        let expected = usize::from(outcome.form.starts_with("add"));
        assert_eq!(outcome.differing, expected, "{}", outcome.form);
        assert_eq!(outcome.examples.len(), expected);
    }

    // A form that one side rejects is a failure, with a message.
    recording.answers[0].rejected = Some("on a whim".into());
    let outcomes = compare(&forms, &read, &recording);
    assert!(!outcomes[0].is_good() && outcomes[0].missing.as_deref().is_some_and(|m| m.contains("on a whim")));
    // So is one without a recording.
    recording.answers.remove(0);
    assert!(!compare(&forms, &recording, &read)[0].is_good());
}
