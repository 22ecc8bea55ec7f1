//! The program `conformance`.

fn main() -> std::process::ExitCode {
    cuprum_conformance::cli::main()
}
