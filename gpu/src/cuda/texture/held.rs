//! Handles of the driver's of arrays, textures and surfaces, and when they are destroyed.

use super::{CudaArray, MipmappedArray, TextureResource};
use crate::cuda::{self, Device};

/// What a handle of the driver's stands for, and what it keeps.
#[derive(Debug)]
pub(super) enum Kind {
    Array,
    Levels,
    /// A level, which goes with the others.
    Level(#[allow(dead_code, reason = "it is kept")] MipmappedArray),
    Texture(#[allow(dead_code, reason = "it is kept")] TextureResource),
    Surface(#[allow(dead_code, reason = "it is kept")] CudaArray),
}

/// A handle of the driver's, which is destroyed once the device has done its work.
#[derive(Debug)]
struct Owned {
    device: Device,
    handle: u64,
    kind: Kind,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if matches!(self.kind, Kind::Level(_)) {
            return;
        }
        let ended = self.device.driver_for_drop().and_then(|driver| {
            if driver.is_capturing() {
                // Another thread captures: nobody may wait for the device, and the handle stays for as long as the process.
                return Ok(());
            }
            driver.synchronize()?;
            match self.kind {
                // SAFETY: nobody has the array any more, and the device has done its work.
                Kind::Array => unsafe { driver.array_destroy(self.handle as usize) },
                // SAFETY: as above, of all levels.
                Kind::Levels => unsafe { driver.levels_destroy(self.handle as usize) },
                Kind::Level(_) => Ok(()),
                // SAFETY: as above, of the texture.
                Kind::Texture(_) => unsafe { driver.texture_destroy(self.handle) },
                // SAFETY: as above, of the surface.
                Kind::Surface(_) => unsafe { driver.surface_destroy(self.handle) },
            }
        });
        if let Err(e) = ended {
            self.device.lose(&e);
        }
    }
}

/// What has a handle for as long as it lives. Where this thread captures work for a graph, that work may use the handle
/// when the graph is launched: the graph keeps it then.
#[derive(Debug)]
pub(super) struct Held(Option<Owned>);

impl Held {
    pub(super) fn new(device: Device, handle: u64, kind: Kind) -> Held {
        Held(Some(Owned { device, handle, kind }))
    }

    pub(super) fn handle(&self) -> u64 {
        self.0.as_ref().map_or(0, |owned| owned.handle)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(owned) = self.0.take() else { return };
        let queue = owned.device.queue();
        if queue.is_captured() {
            // Where the capture has ended meanwhile there is no graph, and the handle goes at once.
            let _ = cuda::keep_captured(&queue, Box::new(owned));
        }
    }
}
