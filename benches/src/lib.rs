//! Benchmarks: host-side costs and the side-by-side run against peers.
