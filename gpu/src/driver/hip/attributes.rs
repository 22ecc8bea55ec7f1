//! Numbers of device attributes: CUDA's, which the library uses everywhere, and HIP's.

use std::ffi::c_int;

/// HIP's numbers, which its runtime uses: multiprocessors, the L2 cache, shared memory of a block, lanes of a wavefront.
pub(super) const MULTIPROCESSORS: c_int = 63;
pub(super) const L2_BYTES: c_int = 19;
pub(super) const SHARED_BYTES: c_int = 74;
pub(super) const WAVEFRONT: c_int = 87;

/// CUDA's number of an attribute and HIP's number of the same one.
const NUMBERS: &[(c_int, c_int)] = &[
    // Threads of a block, its dimensions, those of a grid.
    (1, 56),
    (2, 26),
    (3, 27),
    (4, 28),
    (5, 29),
    (6, 30),
    (7, 31),
    // Shared memory of a block, constant memory, lanes, pitch, registers, clock rate, alignment of textures.
    (8, SHARED_BYTES),
    (9, 83),
    (10, WAVEFRONT),
    (11, 58),
    (12, 71),
    (13, 5),
    (14, 81),
    // Multiprocessors, time limit, integrated, mapped memory, mode of computation.
    (16, MULTIPROCESSORS),
    (17, 18),
    (18, 16),
    (19, 3),
    (20, 6),
    // Concurrent kernels, error correction, bus and device, clock and width of memory, L2 cache, threads.
    (31, 8),
    (32, 0),
    (33, 67),
    (34, 68),
    (36, 60),
    (37, 59),
    (38, L2_BYTES),
    (39, 57),
    (50, 69),
    (51, 82),
    // Major and minor number of the architecture, managed memory.
    (75, 23),
    (76, 61),
    (83, 24),
    // Memory that host and device access concurrently, cooperative launches, pools.
    (88, 65),
    (89, 9),
    (95, 10),
    (97, SHARED_BYTES),
    (115, 88),
];

/// Returns HIP's number of an attribute from CUDA's.
pub(super) fn number(cuda: i32) -> Option<c_int> {
    NUMBERS.iter().find(|(known, _)| *known == cuda).map(|&(_, hip)| hip)
}
