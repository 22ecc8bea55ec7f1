//! Tests of the workspace as a whole, in one program: each program that is linked with the library costs seconds.

mod approximate;
mod environment;
mod exhaustive;
mod features;
mod guide;
mod layers;
mod messages;
mod names;
mod nist;
mod nist_data;
mod numpy_users;
mod printed;
mod recursion;
mod shrinking;
mod sweep;
mod table;
