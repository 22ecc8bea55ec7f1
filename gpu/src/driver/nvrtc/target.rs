//! Compile target of a GPU.
//!
//! A CUBIN of the device's own architecture needs no further compilation by the driver, which PTX does.

use super::{Version, nvrtc};
use crate::driver::search_paths;
use crate::error::{Error, ErrorKind, Result};

/// The oldest architecture that the kernels are written for.
const OLDEST: u32 = 75;
/// Every NVRTC of CUDA 12 and 13 knows these: it need not be opened and queried.
const KNOWN: [u32; 6] = [75, 80, 86, 87, 89, 90];

/// Returns the target of a GPU of this compute capability: its own architecture, or, if NVRTC does not know that, PTX
/// of the newest one that it knows, which the driver compiles further.
///
/// # Errors
///
/// [`ErrorKind::Driver`] for a GPU that is too old, or for which no code can be compiled that the driver loads.
pub(crate) fn target(capability: (i32, i32)) -> Result<String> {
    let arch = (capability.0 * 10 + capability.1) as u32;
    if KNOWN.contains(&arch) || arch < OLDEST {
        return choose(arch, &KNOWN, None);
    }
    match nvrtc() {
        Ok(nvrtc) => choose(arch, nvrtc.archs(), Some((nvrtc.version, search_paths::driver()))),
        // Kernels that were compiled ahead of time need no compiler; for others the compile reports that it is missing.
        Err(_) => Ok(format!("sm_{arch}")),
    }
}

fn choose(arch: u32, known: &[u32], versions: Option<(Version, Option<Version>)>) -> Result<String> {
    let rejected = |why: String| {
        let (major, minor) = (arch / 10, arch % 10);
        Err(Error::new(ErrorKind::Driver, format!("the GPU has compute capability {major}.{minor} (sm_{arch}): {why}")))
    };
    if arch < OLDEST {
        return rejected(format!("the oldest that is supported is sm_{OLDEST}"));
    }
    if known.contains(&arch) {
        return Ok(format!("sm_{arch}"));
    }
    let named = versions.map_or(String::new(), |((major, minor), _)| format!(" {major}.{minor}"));
    let Some(base) = known.iter().copied().filter(|&k| k < arch && k >= OLDEST).max() else {
        let oldest = known.iter().min().map_or(String::new(), |k| format!(", whose oldest is sm_{k}"));
        return rejected(format!(
            "NVRTC{named} does not compile for it{oldest}. An NVRTC of an earlier CUDA does; name it with CUPRUM_NVRTC"
        ));
    };
    if let Some((nvrtc, Some(driver))) = versions
        && nvrtc > driver
    {
        let (major, minor) = driver;
        return rejected(format!(
            "NVRTC{named} does not know it, and the driver, which is of CUDA {major}.{minor}, does not load PTX of a newer \
             CUDA. Update the driver, or name an NVRTC of CUDA {major}.{minor} with CUPRUM_NVRTC"
        ));
    }
    Ok(format!("compute_{base}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_12_4: [u32; 9] = [50, 60, 70, 75, 80, 86, 87, 89, 90];

    fn with(arch: u32, driver: Version) -> Result<String> {
        choose(arch, &OF_12_4, Some(((12, 4), Some(driver))))
    }

    #[test]
    fn a_gpu_that_nvrtc_knows_has_its_own_code_and_a_newer_one_ptx() {
        assert_eq!(with(90, (12, 4)).unwrap(), "sm_90");
        assert_eq!(with(90, (12, 2)).unwrap(), "sm_90", "machine code is loaded within a major version");
        assert_eq!(with(120, (12, 8)).unwrap(), "compute_90");
        assert_eq!(choose(103, &[75, 80, 90, 100, 120], None).unwrap(), "compute_100");
    }

    #[test]
    fn what_cannot_be_compiled_for_is_rejected_by_name() {
        let e = with(120, (12, 2)).unwrap_err();
        for part in ["12.0 (sm_120)", "NVRTC 12.4", "CUDA 12.2", "PTX"] {
            assert!(e.message().contains(part), "{e}");
        }
        let e = with(70, (12, 4)).unwrap_err();
        assert!(e.message().contains("7.0 (sm_70)") && e.message().contains("sm_75"), "{e}");
        let e = choose(75, &[80, 90], Some(((14, 0), None))).unwrap_err();
        assert!(e.message().contains("NVRTC 14.0") && e.message().contains("oldest is sm_80"), "{e}");
    }

    #[test]
    fn nvrtc_says_which_architectures_it_knows() {
        let archs = nvrtc().unwrap().archs();
        assert!(KNOWN.iter().all(|k| archs.contains(k)), "{archs:?}");
        assert_eq!(target((7, 5)).unwrap(), "sm_75");
        // An architecture that does not exist yet.
        assert_eq!(target((99, 9)).unwrap(), format!("compute_{}", archs.iter().max().unwrap()));
    }
}
