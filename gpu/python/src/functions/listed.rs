//! Parameters that NumPy takes by their places alone, or by their names alone. Of what does not stand here all may be given
//! both ways. Ufuncs need no line: their operands have places, their options names.

/// So many parameters at the front are given by their places.
pub(crate) const POSITIONAL_ONLY: &[(&str, usize)] = &[];

/// So many parameters at the end are given by their names.
pub(crate) const KEYWORD_ONLY: &[(&str, usize)] = &[];
