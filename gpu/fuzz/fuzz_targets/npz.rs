//! Archives of npy files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("cuprum-fuzz-{}.npz", std::process::id()));
    if std::fs::write(&path, bytes).is_ok()
        && let Ok(archive) = cuprum::load_npz(&path, ())
    {
        archive.iter().take(8).for_each(drop);
    }
});
