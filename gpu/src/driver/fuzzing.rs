//! Entry points of the fuzz targets (`gpu/fuzz`) to readers that are not public.
//!
//! They exist only in a build for a fuzzer (`--cfg fuzzing`).

use super::{archive, cache, sim};

/// Reads an archive of kernels, and the entries in it.
pub fn kernel_archive(bytes: &[u8]) {
    archive::examine(bytes);
}

/// Reads an entry of the disk cache as it is, and with its checksum corrected.
pub fn cache_entry(bytes: &[u8]) {
    let key = [7; 32];
    let as_it_is = cache::decode(bytes, &key);
    if let Some(payload) = bytes.get(40..)
        && let Some(image) = cache::decode_payload(payload)
    {
        let corrected = cache::encode(&image, &key);
        let read = cache::decode(&corrected, &key);
        assert_eq!(read.as_ref(), Some(&image), "an entry is not read as it was written");
        assert!(as_it_is.is_none_or(|found| found == image));
    }
}

/// Reads a list of kernels.
pub fn kernel_list(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        archive::examine_list(text);
    }
}

/// Reads messages between the ranks of a group of simulated devices.
pub fn messages(bytes: &[u8]) {
    sim::examine_messages(bytes);
}
