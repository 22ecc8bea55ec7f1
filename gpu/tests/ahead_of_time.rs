//! Ahead-of-time compilation: a program lists its kernels, they are compiled, and it runs again without a compiler.

use std::path::Path;
use std::process::{Command, Output};

use cuprum::ErrorKind;
use cuprum::cuda::{Device, add_kernel_folder, build_kernels, load_kernels};

/// Runs the program, which is this test in a process of its own with the given variables.
fn program(name: &str, variables: &[(&str, &Path)]) -> Output {
    let test = std::env::current_exe().expect("a test has a path");
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    command.env("CUPRUM_PROGRAM", "1").env("CUPRUM_DEVICE", "sim").env("CUPRUM_CACHE_LIMIT", "0");
    command.envs(variables.iter().copied()).output().expect("the test runs once more")
}

fn is_program() -> bool {
    std::env::var_os("CUPRUM_PROGRAM").is_some()
}

#[test]
fn an_archive_replaces_the_compiler() {
    if is_program() {
        let folder = std::env::var_os("PROGRAM_FOLDER");
        folder.iter().for_each(add_kernel_folder);
        let a = cuprum::array([1.0f32, 2.0, 3.0]).unwrap();
        let sum = cuprum::sum(&(&a + &a), ()).unwrap();
        println!("sum {} compiles {}", sum.item::<f32>().unwrap(), Device::current().unwrap().cache_stats().compiles);
        if folder.is_some() || std::env::var_os("CUPRUM_KERNELS").is_some() {
            println!("{:?}", cuprum::sin(&a).unwrap_err().kind());
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("cuprum-ahead-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (list, archive) = (folder.join("list"), folder.join("compute_80.bin"));
    let name = "an_archive_replaces_the_compiler";
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();

    let first = text(program(name, &[("CUPRUM_KERNEL_LIST", &list)]));
    assert!(first.contains("sum 12 compiles 2"), "{first}");
    assert!(build_kernels(&list, &["compute_80"], &archive).unwrap() > 1000);

    let no_compiler = ("CUPRUM_NVRTC", Path::new("/nowhere"));
    let without_compiler = [("CUPRUM_KERNELS", archive.as_path()), no_compiler];
    for variables in [without_compiler, [("PROGRAM_FOLDER", folder.as_path()), no_compiler]] {
        let second = text(program(name, &variables));
        assert!(second.contains("sum 12 compiles 0") && second.contains("Library"), "{second}");
    }

    // One byte of the code is corrupted.
    let mut bytes = std::fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    let third = program(name, &without_compiler);
    let said = String::from_utf8(third.stderr).unwrap() + &String::from_utf8(third.stdout).unwrap();
    assert!(!third.status.success() && said.contains("damaged"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_list_or_an_archive_that_is_none_is_an_error() {
    let file = std::env::temp_dir().join(format!("cuprum-no-list-{}", std::process::id()));
    std::fs::write(&file, "neither").unwrap();
    assert_eq!(build_kernels(&file, &["sm_90"], &file).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(load_kernels(&file).unwrap_err().kind(), ErrorKind::Io);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(load_kernels(&file).unwrap_err().kind(), ErrorKind::Io);
}
