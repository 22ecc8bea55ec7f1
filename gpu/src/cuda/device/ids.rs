//! Device ids.
//!
//! An id is `cuda:N`, `hip:N` or `sim:N`; `cuda`, `hip` and `sim` alone mean the first one.

use crate::error::{Error, ErrorKind, Result};

/// Returns the canonical spelling of a device's id, so that a device is opened once.
pub(super) fn canonical(id: &str) -> Result<String> {
    match (simulated(id), ordinal(id), hip_ordinal(id)) {
        (Some(0), ..) => Ok("sim".into()),
        (Some(n), ..) if n < SIMULATED => Ok(format!("sim:{n}")),
        (_, Some(n), _) => Ok(format!("cuda:{n}")),
        (.., Some(n)) => Ok(format!("hip:{n}")),
        _ => Err(Error::new(
            ErrorKind::Value,
            format!(
                "there is no device {id:?}: devices are called cuda:0, cuda:1 and so on, sim, sim:1 to sim:{}, and hip:0 \
                 and so on for AMD GPUs",
                SIMULATED - 1
            ),
        )),
    }
}

/// Maximum number of simulated devices of a process.
const SIMULATED: usize = 16;

/// Returns the number in a simulated device's id; `sim` is the first.
pub(super) fn simulated(id: &str) -> Option<usize> {
    number(id, "sim")
}

/// Returns the number in a CUDA device's id; `cuda` is the first.
pub(super) fn ordinal(id: &str) -> Option<usize> {
    number(id, "cuda")
}

/// Returns the number in a HIP device's id; `hip` is the first.
pub(super) fn hip_ordinal(id: &str) -> Option<usize> {
    number(id, "hip")
}

fn number(id: &str, kind: &str) -> Option<usize> {
    match id.strip_prefix(kind)? {
        "" => Some(0),
        rest => rest.strip_prefix(':').filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_id_is_the_same_device() {
        // A machine without a driver has no second spelling to open; the names are resolved before the driver is
        // queried.
        assert_eq!(canonical("cuda").unwrap(), "cuda:0");
        assert_eq!(canonical("cuda:00").unwrap(), "cuda:0");
        assert_eq!(canonical("cuda:12").unwrap(), "cuda:12");
        assert_eq!(canonical("hip").unwrap(), "hip:0");
        assert_eq!(canonical("hip:03").unwrap(), "hip:3");
        assert_eq!(canonical("sim").unwrap(), "sim");
        assert_eq!(canonical("sim:0").unwrap(), "sim");
        assert_eq!(canonical("sim:03").unwrap(), "sim:3");
        for id in ["", "sim:", "sim:16", "cuda:", "cuda:-1", "cuda:+1", "hip:", "tpu:0"] {
            assert_eq!(canonical(id).unwrap_err().kind(), ErrorKind::Value, "{id}");
        }
    }
}
