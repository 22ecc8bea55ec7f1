//! Storage formats.

use crate::error::{Error, ErrorKind, Result};

/// Storage format of a sparse array.
///
/// SciPy's names are the variants' in lower case. Products are fastest by compressed rows; building entry by entry
/// suits coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A coordinate along each axis for each entry, in any order.
    Coo,
    /// Compressed sparse rows: the column of each entry, and where each row begins.
    Csr,
    /// Compressed sparse columns: the row of each entry, and where each column begins.
    Csc,
    /// Compressed rows of dense blocks of one size.
    Bsr,
    /// Diagonals, each with its offset from the main one.
    Dia,
}

impl Format {
    /// Returns SciPy's name of the format: `coo`, `csr`, `csc`, `bsr` or `dia`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::Format;
    /// assert_eq!(Format::named("csr")?.name(), "csr");
    /// assert!(Format::named("xyz").is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Format::Coo => "coo",
            Format::Csr => "csr",
            Format::Csc => "csc",
            Format::Bsr => "bsr",
            Format::Dia => "dia",
        }
    }

    /// Returns the format of a name; the inverse of [`Format::name`].
    ///
    /// ```
    /// use cuprum::scipy::sparse::Format;
    /// assert_eq!(Format::named("dia")?, Format::Dia);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a name that is none of `coo`, `csr`, `csc`, `bsr` and `dia`.
    pub fn named(name: &str) -> Result<Format> {
        [Format::Coo, Format::Csr, Format::Csc, Format::Bsr, Format::Dia]
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| {
                Error::new(ErrorKind::Value, format!("{name:?} is no sparse format: coo, csr, csc, bsr or dia"))
            })
    }

    /// The axis that is compressed, of compressed formats.
    pub(super) fn major(self) -> Option<usize> {
        match self {
            Format::Csr => Some(0),
            Format::Csc => Some(1),
            _ => None,
        }
    }
}
