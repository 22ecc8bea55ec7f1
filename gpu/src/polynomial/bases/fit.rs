//! Least-squares fits of series.
//!
//! The columns of the pseudo-Vandermonde matrix are scaled to unit length before the least-squares solution, as in
//! NumPy.

use cuprum_kernels::DType;
use cuprum_macros::Options;

use super::basis::Basis;
use super::values::vandermonde;
use crate::array::{Array, IntoInteger, integer};
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, s};
use crate::layout::shape_text;
use crate::linalg::{LstsqOptions, lstsq};
use crate::polynomial::polyutils::floated;
use crate::reduction::Reduce;
use crate::routines::dtypes::finfo;
use crate::routines::{logic, math, searching};
use crate::scan::part;
use crate::table::{Argument, ParameterKind, Value};

/// The degrees of a fitted series: all up to one, or those of a list.
///
/// ```
/// use cuprum::polynomial::Degrees;
/// assert_eq!(Degrees::from(3), Degrees::UpTo(3));
/// assert_eq!(Degrees::from([0, 2]), Degrees::Only(vec![0, 2]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Degrees {
    /// All degrees up to this one.
    UpTo(isize),
    /// These degrees; the coefficients of others are 0.
    Only(Vec<isize>),
}

impl<T: IntoInteger> From<T> for Degrees {
    fn from(degree: T) -> Degrees {
        Degrees::UpTo(integer(degree))
    }
}

impl<T: IntoInteger, const N: usize> From<[T; N]> for Degrees {
    fn from(degrees: [T; N]) -> Degrees {
        Degrees::Only(degrees.into_iter().map(integer).collect())
    }
}

impl<T: IntoInteger> From<Vec<T>> for Degrees {
    fn from(degrees: Vec<T>) -> Degrees {
        Degrees::Only(degrees.into_iter().map(integer).collect())
    }
}

impl Argument<'_> for Degrees {
    const KIND: ParameterKind = ParameterKind::Sections;

    fn read(value: &Value) -> Result<Degrees> {
        match value {
            Value::Integers(degrees) => Ok(Degrees::Only(degrees.clone())),
            one => isize::read(one).map(Degrees::UpTo),
        }
    }

    fn value(&self) -> Value {
        match self {
            Degrees::UpTo(degree) => degree.value(),
            Degrees::Only(degrees) => Value::Integers(degrees.clone()),
        }
    }
}

/// Options of the fits of series, such as [`chebfit`](crate::polynomial::chebyshev::chebfit).
///
/// By default the coefficients alone are returned, and all points have the weight 1.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct SeriesFitOptions<'a> {
    /// The share of the largest singular value below which others count as zero; by default the number of points times
    /// the epsilon of the dtype.
    pub rcond: Option<f64>,
    /// If true, the residuals, the rank, the singular values and `rcond` are returned, too. By default `false`.
    pub full: bool,
    /// The weights by which the residuals of the points are multiplied.
    pub w: Option<&'a Array>,
}

/// Result of a fit of a series: the coefficients; with `full` the sums of squared residuals, the rank, the singular
/// values and `rcond`.
pub type SeriesFit = (Array, Option<(Array, Array, Array, Array)>);

fn wrong(what: &str, a: &Array) -> Error {
    Error::new(ErrorKind::Type, format!("{what}, not of shape {}", shape_text(a.shape())))
}

/// Returns the sorted degrees, and whether they are all up to the last.
fn sorted(degrees: &Degrees) -> Result<(Vec<usize>, bool)> {
    let all = match degrees {
        Degrees::UpTo(degree) => std::slice::from_ref(degree),
        Degrees::Only(degrees) => degrees,
    };
    let mut found = vec![];
    for degree in all {
        let Ok(degree) = usize::try_from(*degree) else {
            let what = format!("the degree {degree} is negative: give at least 0");
            return Err(Error::new(ErrorKind::Value, what));
        };
        found.push(degree);
    }
    found.sort_unstable();
    match (degrees, found.last()) {
        (_, None) => {
            let what = "deg is an empty list: give at least one degree";
            Err(Error::new(ErrorKind::Type, what))
        }
        (Degrees::UpTo(_), Some(last)) => Ok(((0..=*last).collect(), true)),
        (Degrees::Only(_), _) => Ok((found, false)),
    }
}

/// Fits a series to values at points by least squares. The columns of the system are scaled to length one.
pub(in crate::polynomial) fn fit(
    basis: Basis,
    x: &Array,
    y: &Array,
    deg: &Degrees,
    options: SeriesFitOptions<'_>,
) -> Result<SeriesFit> {
    one_device(x, [y].into_iter().chain(options.w))?;
    let (kept, whole) = sorted(deg)?;
    if x.ndim() != 1 || x.size() == 0 {
        return Err(wrong("x is 1-D, of at least one number", x));
    }
    if !(1..=2).contains(&y.ndim()) || y.shape()[0] != x.size() {
        return Err(wrong(&format!("y is 1-D or 2-D, with {} numbers along the first axis", x.size()), y));
    }
    let (x, y) = (floated(x)?, floated(y)?);
    let highest = kept[kept.len() - 1];
    let mut left = vandermonde(basis, &x, highest as isize)?;
    let index = make::of(x.device(), &kept.iter().map(|k| *k as i64).collect::<Vec<_>>(), &[kept.len()])?;
    if !whole {
        left = left.index(s![.., &index])?;
    }
    let mut right = y.clone();
    if let Some(w) = options.w {
        if w.ndim() != 1 || w.size() != x.size() {
            return Err(wrong(&format!("w is 1-D, of {} numbers", x.size()), w));
        }
        let (w, rows) = (floated(w)?, floated(w)?.expand_dims(1)?);
        left = math::multiply(&left, &rows)?;
        right = math::multiply(&right, if y.ndim() == 2 { &rows } else { &w })?;
    }
    let share = match options.rcond {
        Some(share) => share,
        None => x.size() as f64 * finfo(x.dtype())?.eps,
    };
    let squares = crate::reduction::reduced("sum", &math::square(&math::absolute(&left)?)?, &Reduce::axis(0))?;
    let size = math::sqrt(&squares)?;
    let size = searching::where_(&logic::equal(&size, 0)?, 1, &size)?;
    let (c, residuals, rank, singular) =
        lstsq(math::true_divide(&left, &size)?, &right, LstsqOptions::new().rcond(share))?;
    let of_columns = if y.ndim() == 2 { size.expand_dims(1)? } else { size };
    let mut c = math::true_divide(&c, &of_columns)?;
    if !whole {
        let shape: Vec<usize> = std::iter::once(highest + 1).chain(c.shape()[1..].iter().copied()).collect();
        let all = make::zeros(c.device(), &shape, c.dtype())?;
        for (row, degree) in kept.iter().enumerate() {
            all.index([Index::At(*degree as i64)])?.assign(&part(&c, 0, row as i64..row as i64 + 1)?.squeeze(0)?)?;
        }
        c = all;
    }
    if !options.full {
        return Ok((c, None));
    }
    let share = make::full(c.device(), &[], share, DType::F64)?;
    Ok((c, Some((residuals, rank, singular, share))))
}
