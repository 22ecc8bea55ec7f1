//! Driver handles of arrays, textures and surfaces, and their destruction.

use super::{CudaArray, MipmappedArray, TextureResource};
use crate::cuda::{self, Device};

/// Kind of a driver handle, with the objects that it keeps alive.
#[derive(Debug)]
pub(super) enum Kind {
    Array,
    Levels,
    /// A level, which is destroyed with the others.
    Level(#[allow(dead_code, reason = "it is kept")] MipmappedArray),
    Texture(#[allow(dead_code, reason = "it is kept")] TextureResource),
    Surface(#[allow(dead_code, reason = "it is kept")] CudaArray),
}

/// Driver handle, which is destroyed after the device has completed its work.
#[derive(Debug)]
struct Owned {
    /// Device of the handle.
    device: Device,
    /// The driver's handle.
    handle: u64,
    /// Kind of the handle, which selects the function that destroys it.
    kind: Kind,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if matches!(self.kind, Kind::Level(_)) {
            return;
        }
        let ended = self.device.driver_for_drop().and_then(|driver| {
            if driver.is_capturing() {
                // Another thread captures: a device synchronisation is not allowed, and the handle is leaked.
                return Ok(());
            }
            driver.synchronize()?;
            match self.kind {
                // SAFETY: the array is not used any more, and the device has completed its work.
                Kind::Array => unsafe { driver.array_destroy(self.handle as usize) },
                // SAFETY: as above, for all levels.
                Kind::Levels => unsafe { driver.levels_destroy(self.handle as usize) },
                Kind::Level(_) => Ok(()),
                // SAFETY: as above, for the texture.
                Kind::Texture(_) => unsafe { driver.texture_destroy(self.handle) },
                // SAFETY: as above, for the surface.
                Kind::Surface(_) => unsafe { driver.surface_destroy(self.handle) },
            }
        });
        if let Err(e) = ended {
            self.device.lose(&e);
        }
    }
}

/// Owner of a handle. If this thread captures work for a graph when it is dropped, that work may use the handle when
/// the graph is launched: the graph then keeps it.
#[derive(Debug)]
pub(super) struct HandleOwner(Option<Owned>);

impl HandleOwner {
    pub(super) fn new(device: Device, handle: u64, kind: Kind) -> HandleOwner {
        HandleOwner(Some(Owned { device, handle, kind }))
    }

    pub(super) fn handle(&self) -> u64 {
        self.0.as_ref().map_or(0, |owned| owned.handle)
    }
}

impl Drop for HandleOwner {
    fn drop(&mut self) {
        let Some(owned) = self.0.take() else { return };
        let queue = owned.device.queue();
        if queue.is_captured() {
            // If the capture has ended meanwhile there is no graph, and the handle is destroyed immediately.
            let _ = cuda::keep_captured(&queue, Box::new(owned));
        }
    }
}
