//! Device ids.
//!
//! An id is `cuda:N` or `sim:N`; `cuda` and `sim` alone mean the first one.

use crate::error::{Error, ErrorKind, Result};

/// Returns the canonical spelling of a device's id, so that a device is opened once.
pub(super) fn canonical(id: &str) -> Result<String> {
    match (simulated(id), ordinal(id)) {
        (Some(0), _) => Ok("sim".into()),
        (Some(n), _) if n < SIMULATED => Ok(format!("sim:{n}")),
        (_, Some(n)) => Ok(format!("cuda:{n}")),
        _ => Err(Error::new(
            ErrorKind::Value,
            format!(
                "there is no device {id:?}: devices are called cuda:0, cuda:1 and so on, and sim, sim:1 to sim:{}",
                SIMULATED - 1
            ),
        )),
    }
}

/// Maximum number of simulated devices of a process.
const SIMULATED: usize = 16;

/// Returns the number in a simulated device's id; `sim` is the first.
pub(super) fn simulated(id: &str) -> Option<usize> {
    match id.strip_prefix("sim")? {
        "" => Some(0),
        rest => rest.strip_prefix(':').filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?.parse().ok(),
    }
}

/// Returns the number in a CUDA device's id; `cuda` is the first.
pub(super) fn ordinal(id: &str) -> Option<usize> {
    match id.strip_prefix("cuda")? {
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
        assert_eq!(canonical("sim").unwrap(), "sim");
        assert_eq!(canonical("sim:0").unwrap(), "sim");
        assert_eq!(canonical("sim:03").unwrap(), "sim:3");
        for id in ["", "sim:", "sim:16", "cuda:", "cuda:-1", "cuda:+1", "tpu:0"] {
            assert_eq!(canonical(id).unwrap_err().kind(), ErrorKind::Value, "{id}");
        }
    }
}
