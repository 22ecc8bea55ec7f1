//! Test that the page of environment variables matches the table in the library.

#[test]
fn every_variable_that_is_read_is_in_the_table_and_on_its_page() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let page = std::fs::read_to_string(format!("{root}/docs/src/environment.md")).unwrap();
    let known: Vec<&str> = cuprum::cuda::ENVIRONMENT.iter().map(|(name, _)| *name).collect();
    for (name, what) in cuprum::cuda::ENVIRONMENT {
        let row = format!("| `{name}` | {what} |");
        assert!(page.contains(&row), "docs/src/environment.md lacks\n{row}");
    }
    let mut read = 0;
    let folders = [("gpu/src", "rs"), ("gpu/python/python", "py")]
        .map(|(folder, extension)| sources(format!("{root}/{folder}").as_ref(), extension));
    for file in folders.concat() {
        let text = std::fs::read_to_string(&file).unwrap();
        // Variables that tests set for their children are excluded.
        let text = text.split("#[cfg(test)]").next().unwrap();
        for name in text.split(['"', '\'']).filter(|s| {
            s.starts_with("CUPRUM_") && !s.ends_with("_") && s.bytes().all(|b| b == b'_' || b.is_ascii_uppercase())
        }) {
            assert!(known.contains(&name), "{}: {name} is not in cuda::ENVIRONMENT", file.display());
            read += 1;
        }
    }
    assert!(read >= known.len(), "only {read} readings were found");
}

fn sources(folder: &std::path::Path, extension: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(sources(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension)
            && !path.ends_with("tests.rs")
            // It tests that every kernel's source compiles.
            && !path.ends_with("launch/compile_tests.rs")
            && !path.ends_with("config.rs")
        {
            files.push(path);
        }
    }
    files
}
