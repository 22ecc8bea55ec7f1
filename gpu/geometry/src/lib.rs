//! Delaunay triangulations and convex hulls on the CPU: those of the crate cuprum.
//!
//! Every choice depends on the sign of a determinant, which is that of exact arithmetic: grids, points on circles, spheres and lines need
//! no perturbation. Only coordinates below 2^-1022 of the largest one are rounded.
//!
//! ```
//! use cuprum_geometry::triangulate;
//!
//! let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
//! let triangles = triangulate(&square).unwrap();
//! assert_eq!(triangles.simplices.len(), 2 * 3);
//! assert!(triangulate(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).is_none());
//! ```

mod bounds;
mod determinants;
mod floats;
mod hull;
mod integer;
mod lifted;
mod order;
mod planar;
mod predicates;
mod threads;
mod triangulation;

pub use bounds::bounds;
pub use hull::{Hull, Plane, Space, convex_hull};
pub use lifted::triangulate_lifted;
pub use triangulation::{Triangulation, triangulate};
