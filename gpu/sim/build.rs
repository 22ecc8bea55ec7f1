//! Passes the optimisation level to the crate: an interpreter that is not optimised is many times slower.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    if level == "0" {
        println!("cargo::rustc-cfg=unoptimised");
    }
}
