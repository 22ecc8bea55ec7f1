//! Writes the sentence of every operation, out of its record, as a macro that documents the function of its name.

use std::fmt::Write;
use std::path::Path;

use cuprum_kernels::registry::{ReductionId, UfuncId};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let ufuncs = UfuncId::all().map(|id| (id.record().name, id.record().aliases, id.record().doc));
    let reductions = ReductionId::all().map(|id| (id.record().name, id.record().aliases, id.record().doc));
    let mut arms = String::new();
    for (name, aliases, doc) in ufuncs.chain(reductions) {
        let mut arm = |name: &str, sentence: &str| {
            let _ = writeln!(arms, "    ({name:?}) => {{ {sentence:?} }};");
            // With its module a name is no identifier.
            if !name.contains('.') {
                let _ = writeln!(arms, "    ({name}) => {{ {sentence:?} }};");
            }
        };
        arm(name, doc);
        for alias in aliases {
            arm(alias, &format!("{doc} `{name}` by another name."));
        }
    }
    let folder = std::env::var("OUT_DIR").expect("Cargo says where to write");
    std::fs::write(Path::new(&folder).join("sentences.rs"), format!("macro_rules! sentence {{\n{arms}}}\n"))
        .expect("Cargo's folder can be written to");
}
