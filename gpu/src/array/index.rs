//! Parts of an index.
//!
//! An index is a list of parts, one for each axis or more: integers and slices select, new axes and the ellipsis shape
//! the result.

use super::{Array, Typed};

/// Part of an index; NumPy's `int`, `slice`, `newaxis`, `Ellipsis`, and arrays of integers or booleans. The macro
/// [`s!`](crate::s) builds lists of them.
pub type Index = crate::index::Index<Array>;

impl From<Array> for Index {
    fn from(a: Array) -> Index {
        Index::Array(a)
    }
}

impl From<&Array> for Index {
    fn from(a: &Array) -> Index {
        Index::Array(a.clone())
    }
}

impl<T> From<&Typed<'_, T>> for Index {
    fn from(a: &Typed<'_, T>) -> Index {
        Index::Array((**a).clone())
    }
}

macro_rules! lists {
    ($([$($n:tt)*] $list:ty),+) => {$(
        impl<$($n)*> From<$list> for Index {
            fn from(list: $list) -> Index {
                Index::List(list.iter().map(|i| i64::try_from(*i).unwrap_or(i64::MAX)).collect())
            }
        }
    )+};
}
lists!([const N: usize] [i32; N], [const N: usize] [i64; N], [const N: usize] [usize; N]);
lists!([] & [i32], [] & [i64], [] & [usize]);
lists!([] Vec<i32>, [] Vec<i64>, [] Vec<usize>, [] &Vec<i32>, [] &Vec<i64>, [] &Vec<usize>);
