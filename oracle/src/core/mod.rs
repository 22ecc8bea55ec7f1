//! Arrays, indices, layouts, promotion and errors: what every other module uses.

pub(crate) mod advanced_index;
pub(crate) mod array;
pub(crate) mod error;
pub(crate) mod index;
pub(crate) mod layout;
pub(crate) mod promote;
pub(crate) mod strided_views;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod value_promotion;
pub(crate) mod version;
pub(crate) mod views;
