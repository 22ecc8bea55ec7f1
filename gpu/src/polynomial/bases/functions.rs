//! NumPy's functions of series, in a module for each basis.
//!
//! A macro defines the functions once for all bases; their prefixes are those of NumPy (`cheb`, `leg`, `lag`, `herm`,
//! `herme`).

use cuprum_macros::Options;

/// Options of the powers of series, such as [`chebpow`](crate::polynomial::chebyshev::chebpow).
///
/// NumPy's default of `maxpower` is 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct SeriesPowOptions {
    /// The highest power that is accepted; `None` accepts all. By default 16.
    #[from]
    pub maxpower: Option<isize>,
}

impl Default for SeriesPowOptions {
    fn default() -> Self {
        SeriesPowOptions { maxpower: Some(16) }
    }
}

/// Creates the module of a basis: its name, its namespace in NumPy, its basis, the options of the record of its
/// Vandermonde matrix, of which the suite has cases in one basis, and the names of its functions.
macro_rules! basis_module {
    (
        $(#[doc = $about:literal])+
        $module:ident, $namespace:tt, $basis:ident, [$($vandermonde:tt)*]:
        $add:ident $sub:ident $mulx:ident $mul:ident $div:ident $pow:ident
        $val:ident $val2d:ident $val3d:ident $valnd:ident $grid2d:ident $grid3d:ident
        $vander:ident $vander2d:ident $vander3d:ident
        $der:ident $int:ident $line:ident $fromroots:ident $roots:ident $companion:ident
        $fit:ident $gauss:ident $weight:ident $to_powers:ident $of_powers:ident $trim:ident
        $($more:item)*
    ) => {
        $(#[doc = $about])+
        pub mod $module {
            use cuprum_macros::routine;

            use crate::array::{Array, Operand};
            use crate::error::Result;
            use crate::polynomial::{
                Basis, Degrees, PolyDerOptions, PolyvalOptions, SeriesFit, SeriesFitOptions, SeriesIntOptions,
                SeriesPowOptions, antiderivative, bases, derivative, grids, linear, polynomial, polyutils,
            };
            use crate::scalar::Scalar;

            const BASIS: Basis = Basis::$basis;

            /// Default domain of a series.
            pub const DOMAIN: [f64; 2] = BASIS.domain();

            /// Coefficients of 0.
            pub const ZERO: [i64; 1] = [0];

            /// Coefficients of 1.
            pub const ONE: [i64; 1] = [1];

            /// Coefficients of the variable.
            pub const X: [f64; 2] = BASIS.x();

            /// Sum of two series, without trailing zeros.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to find the last nonzero coefficients.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $add(c1: &Array, c2: &Array) -> Result<Array> {
                polynomial::together(c1, c2, false)
            }

            /// Difference of two series, without trailing zeros.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to find the last nonzero coefficients.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $sub(c1: &Array, c2: &Array) -> Result<Array> {
                polynomial::together(c1, c2, true)
            }

            /// Multiplies a series by the variable. The coefficients are computed on the host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $mulx(c: &Array) -> Result<Array> {
                bases::product_with_x(BASIS, c)
            }

            /// Product of two series in the same basis, without trailing zeros. The coefficients are computed on the
            /// host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $mul(c1: &Array, c2: &Array) -> Result<Array> {
                bases::product(BASIS, c1, c2)
            }

            /// Quotient and remainder of two series. The coefficients are computed on the host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series), and
            /// [`ErrorKind::ZeroDivision`](crate::ErrorKind::ZeroDivision) for a divisor of zeros.
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $div(c1: &Array, c2: &Array) -> Result<(Array, Array)> {
                bases::quotient(BASIS, c1, c2)
            }

            /// Raises a series to a power, by repeated multiplication on the host. Powers above 16 are rejected unless
            /// `maxpower` is higher.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series), and
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a power below 0 or above `maxpower`.
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(
                namespace = $namespace,
                python(rounded = [("pow", Rounding::Exact)]),
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $pow(c: &Array, pow: isize, options: SeriesPowOptions) -> Result<Array> {
                bases::power(BASIS, c, pow, options.maxpower)
            }

            /// Evaluates series at points, by Clenshaw's recurrence in one launch. The coefficients of a series are
            /// along the first axis of `c`; integers count as float64. With `tensor`, the default, every series is
            /// evaluated at every point, and the result has the other axes of `c`, then those of `x`; otherwise these
            /// are broadcast. The result has the promoted dtype of coefficients and points.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients,
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) where coefficients and points cannot be broadcast.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $val(x: Operand<'_>, c: &Array, options: PolyvalOptions) -> Result<Array> {
                bases::value(BASIS, x, c, options.tensor)
            }

            /// Evaluates a series in two variables at points, where `c[i, j]` is the coefficient of the product of the
            /// basis polynomials `i` and `j`. The coordinates have one shape, which is that of the result.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coordinates of different shapes,
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $val2d(x: &Array, y: &Array, c: &Array) -> Result<Array> {
                grids::at_points(BASIS, c, &[x, y])
            }

            /// Evaluates a series in three variables at points.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coordinates of different shapes,
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $val3d(x: &Array, y: &Array, z: &Array, c: &Array) -> Result<Array> {
                grids::at_points(BASIS, c, &[x, y, z])
            }

            /// Evaluates a series in any number of variables at points, given by an array of coordinates for each
            /// variable.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coordinates of different shapes and for no variable,
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $valnd(pts: &[&Array], c: &Array) -> Result<Array> {
                grids::at_ordinates(BASIS, c, pts)
            }

            /// Evaluates a series in two variables over the grid of all pairs of coordinates. The result has the axes
            /// of `x`, then those of `y`.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $grid2d(x: &Array, y: &Array, c: &Array) -> Result<Array> {
                grids::over_grid(BASIS, c, &[x, y])
            }

            /// Evaluates a series in three variables over the grid of all triples of coordinates.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Index`](crate::ErrorKind::Index) for empty coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $grid3d(x: &Array, y: &Array, z: &Array, c: &Array) -> Result<Array> {
                grids::over_grid(BASIS, c, &[x, y, z])
            }

            /// Vandermonde matrix: the values of the basis polynomials up to degree `deg` at points, along a new last
            /// axis, in one launch. Integer points count as float64.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative `deg`.
            #[routine(namespace = $namespace $($vandermonde)*)]
            pub fn $vander(x: &Array, deg: isize) -> Result<Array> {
                bases::vandermonde(BASIS, x, deg)
            }

            /// Pseudo-Vandermonde matrix of two coordinates along a new last axis, with the product of the polynomials
            /// `i` and `j` at index `(deg[1] + 1) i + j`.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coordinates of different shapes, and for negative
            /// degrees or another number of them.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $vander2d(x: &Array, y: &Array, deg: impl AsRef<[isize]>) -> Result<Array> {
                grids::products(BASIS, &[x, y], deg.as_ref())
            }

            /// Pseudo-Vandermonde matrix of three coordinates along a new last axis, with the degree of the last
            /// coordinate varying fastest.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coordinates of different shapes, and for negative
            /// degrees or another number of them.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $vander3d(x: &Array, y: &Array, z: &Array, deg: impl AsRef<[isize]>) -> Result<Array> {
                grids::products(BASIS, &[x, y, z], deg.as_ref())
            }

            /// Derivative of series along an axis. The result has the dtype of the coefficients, or float64 for
            /// integers.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative `m`,
            /// [`ErrorKind::Axis`](crate::ErrorKind::Axis).
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $der(c: &Array, options: PolyDerOptions) -> Result<Array> {
                derivative(BASIS, c, options)
            }

            /// Antiderivative of series along an axis, which at `lbnd` has the value of the integration constant. The
            /// result has the dtype of the coefficients, or float64 for integers.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative `m` and for more constants than that,
            /// [`ErrorKind::Axis`](crate::ErrorKind::Axis), [`ErrorKind::Index`](crate::ErrorKind::Index) for empty
            /// coefficients, [`ErrorKind::Type`](crate::ErrorKind::Type) for complex constants of real coefficients of
            /// several axes.
            ///
            /// # Synchronization
            ///
            /// Synchronises if there is one coefficient along the axis: the antiderivative of zeros is not longer than
            /// they are.
            #[routine(namespace = $namespace, no_programs = "series are long sums, whose errors grow with the degree")]
            pub fn $int(c: &Array, options: SeriesIntOptions<'_>) -> Result<Array> {
                antiderivative(BASIS, c, options)
            }

            /// Series of the polynomial `off + scl x`, of a single coefficient if `scl` is 0.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for an integer out of range of every dtype; errors
            /// of the device.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $line(off: Scalar, scl: Scalar) -> Result<Array> {
                linear(BASIS, off, scl)
            }

            /// Series of the monic polynomial with given roots, float64 or complex128. The coefficients are computed
            /// on the host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the roots.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $fromroots(roots: &Array) -> Result<Array> {
                bases::from_roots(BASIS, roots)
            }

            /// Roots of a series in ascending order: the eigenvalues of its companion matrix, complex if one of them
            /// is.
            ///
            /// # Errors
            ///
            /// Same as [`polyroots`](crate::polynomial::polynomial::polyroots).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients, and to check whether the roots are real.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $roots(c: &Array) -> Result<Array> {
                bases::roots(BASIS, c)
            }

            /// Scaled companion matrix of a series, whose eigenvalues are the roots; symmetric for a basis polynomial.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a constant series.
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $companion(c: &Array) -> Result<Array> {
                bases::companion(BASIS, c)
            }

            /// Least-squares fit of a series to values at points. The columns of a `y` of two axes are fitted
            /// separately. `deg` is the highest degree, or the list of all degrees that take part.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative degree;
            /// [`ErrorKind::Type`](crate::ErrorKind::Type) for points, values or weights of incompatible shapes, and
            /// for empty ones; [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for NaN, at the next synchronisation.
            ///
            /// # Synchronization
            ///
            /// Same as [`lstsq`](crate::linalg::lstsq).
            #[routine(
                namespace = $namespace,
                python(fit = crate::table::Fit::Series),
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $fit(
                x: &Array,
                y: &Array,
                deg: impl Into<Degrees>,
                options: SeriesFitOptions<'_>,
            ) -> Result<SeriesFit> {
                bases::fit(BASIS, x, y, &deg.into(), options)
            }

            /// Nodes and weights of the Gaussian quadrature of `deg` points, float64, which is exact for polynomials
            /// up to degree `2 deg - 1` times the weight function.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a `deg` below 1.
            ///
            /// # Synchronization
            ///
            /// Synchronises to refine the nodes on the host.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $gauss(deg: isize) -> Result<(Array, Array)> {
                bases::gauss(BASIS, deg)
            }

            /// Weight function with which the basis polynomials are orthogonal, at points.
            ///
            /// # Errors
            ///
            /// Errors of the device.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $weight(x: &Array) -> Result<Array> {
                bases::weight(BASIS, x)
            }

            /// Converts a series to a power series. The coefficients are computed on the host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $to_powers(c: &Array) -> Result<Array> {
                bases::converted(BASIS, c, Basis::Power)
            }

            /// Converts a power series to a series in this basis. The coefficients are computed on the host.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series).
            ///
            /// # Synchronization
            ///
            /// Synchronises to read the coefficients.
            #[routine(
                namespace = $namespace,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $of_powers(pol: &Array) -> Result<Array> {
                bases::converted(Basis::Power, pol, BASIS)
            }

            /// Trims trailing coefficients of magnitude `tol` or less, converting to floats.
            ///
            /// # Errors
            ///
            /// Same as [`as_series`](crate::polynomial::polyutils::as_series), and
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative `tol`.
            ///
            /// # Synchronization
            ///
            /// Synchronises to find the last remaining coefficient.
            #[routine(
                namespace = $namespace, tol = 0.0,
                outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
            )]
            pub fn $trim(c: &Array, tol: f64) -> Result<Array> {
                polyutils::above(c, tol)
            }

            $($more)*
        }
    };
}

basis_module! {
    /// Series of Chebyshev polynomials of the first kind; NumPy's `numpy.polynomial.chebyshev`.
    ///
    /// ```
    /// use cuprum::polynomial::chebyshev::{chebfromroots, chebgauss, chebroots, chebval};
    /// use cuprum::{CloseOptions, allclose, array, sum};
    /// let c = chebfromroots(array([-0.5, 1.0, 2.0])?)?; // (x + 0.5) (x - 1) (x - 2)
    /// assert!(((chebval(3, &c, ())?.item::<f64>()?) - 7.0).abs() < 1e-12);
    /// assert!(allclose(chebroots(&c)?, array([-0.5, 1.0, 2.0])?, ())?);
    /// // The quadrature is exact: the basis polynomials are orthogonal.
    /// let (x, w) = chebgauss(4)?;
    /// let first = chebval(&x, array([0.0, 1.0])?, ())?;
    /// assert!(allclose(sum(&first * &w, ())?, 0.0, CloseOptions::new().atol(1e-12))?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    chebyshev, "numpy.polynomial.chebyshev", Chebyshev,
    [, outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"]:
    chebadd chebsub chebmulx chebmul chebdiv chebpow
    chebval chebval2d chebval3d chebvalnd chebgrid2d chebgrid3d
    chebvander chebvander2d chebvander3d
    chebder chebint chebline chebfromroots chebroots chebcompanion
    chebfit chebgauss chebweight cheb2poly poly2cheb chebtrim

    pub use crate::polynomial::interpolation::{chebinterpolate, chebpts1, chebpts2};
}

basis_module! {
    /// Series of Legendre polynomials; NumPy's `numpy.polynomial.legendre`.
    ///
    /// ```
    /// use cuprum::polynomial::legendre::{legfromroots, leggauss, legroots, legval};
    /// use cuprum::{CloseOptions, allclose, array, sum};
    /// let c = legfromroots(array([-0.5, 1.0, 2.0])?)?; // (x + 0.5) (x - 1) (x - 2)
    /// assert!(((legval(3, &c, ())?.item::<f64>()?) - 7.0).abs() < 1e-12);
    /// assert!(allclose(legroots(&c)?, array([-0.5, 1.0, 2.0])?, ())?);
    /// // The quadrature is exact: the basis polynomials are orthogonal.
    /// let (x, w) = leggauss(4)?;
    /// let first = legval(&x, array([0.0, 1.0])?, ())?;
    /// assert!(allclose(sum(&first * &w, ())?, 0.0, CloseOptions::new().atol(1e-12))?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    legendre, "numpy.polynomial.legendre", Legendre,
    [, outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"]:
    legadd legsub legmulx legmul legdiv legpow
    legval legval2d legval3d legvalnd leggrid2d leggrid3d
    legvander legvander2d legvander3d
    legder legint legline legfromroots legroots legcompanion
    legfit leggauss legweight leg2poly poly2leg legtrim
}

basis_module! {
    /// Series of Laguerre polynomials; NumPy's `numpy.polynomial.laguerre`.
    ///
    /// ```
    /// use cuprum::polynomial::laguerre::{lagfromroots, laggauss, lagroots, lagval};
    /// use cuprum::{CloseOptions, allclose, array, sum};
    /// let c = lagfromroots(array([-0.5, 1.0, 2.0])?)?; // (x + 0.5) (x - 1) (x - 2)
    /// assert!(((lagval(3, &c, ())?.item::<f64>()?) - 7.0).abs() < 1e-12);
    /// assert!(allclose(lagroots(&c)?, array([-0.5, 1.0, 2.0])?, ())?);
    /// // The quadrature is exact: the basis polynomials are orthogonal.
    /// let (x, w) = laggauss(4)?;
    /// let first = lagval(&x, array([0.0, 1.0])?, ())?;
    /// assert!(allclose(sum(&first * &w, ())?, 0.0, CloseOptions::new().atol(1e-12))?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    laguerre, "numpy.polynomial.laguerre", Laguerre,
    [, no_programs = "series are long sums, whose errors grow with the degree"]:
    lagadd lagsub lagmulx lagmul lagdiv lagpow
    lagval lagval2d lagval3d lagvalnd laggrid2d laggrid3d
    lagvander lagvander2d lagvander3d
    lagder lagint lagline lagfromroots lagroots lagcompanion
    lagfit laggauss lagweight lag2poly poly2lag lagtrim
}

basis_module! {
    /// Series of physicists' Hermite polynomials; NumPy's `numpy.polynomial.hermite`.
    ///
    /// ```
    /// use cuprum::polynomial::hermite::{hermfromroots, hermgauss, hermroots, hermval};
    /// use cuprum::{CloseOptions, allclose, array, sum};
    /// let c = hermfromroots(array([-0.5, 1.0, 2.0])?)?; // (x + 0.5) (x - 1) (x - 2)
    /// assert!(((hermval(3, &c, ())?.item::<f64>()?) - 7.0).abs() < 1e-12);
    /// assert!(allclose(hermroots(&c)?, array([-0.5, 1.0, 2.0])?, ())?);
    /// // The quadrature is exact: the basis polynomials are orthogonal.
    /// let (x, w) = hermgauss(4)?;
    /// let first = hermval(&x, array([0.0, 1.0])?, ())?;
    /// assert!(allclose(sum(&first * &w, ())?, 0.0, CloseOptions::new().atol(1e-12))?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    hermite, "numpy.polynomial.hermite", Hermite,
    [, outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"]:
    hermadd hermsub hermmulx hermmul hermdiv hermpow
    hermval hermval2d hermval3d hermvalnd hermgrid2d hermgrid3d
    hermvander hermvander2d hermvander3d
    hermder hermint hermline hermfromroots hermroots hermcompanion
    hermfit hermgauss hermweight herm2poly poly2herm hermtrim
}

basis_module! {
    /// Series of probabilists' Hermite polynomials; NumPy's `numpy.polynomial.hermite_e`.
    ///
    /// ```
    /// use cuprum::polynomial::hermite_e::{hermefromroots, hermegauss, hermeroots, hermeval};
    /// use cuprum::{CloseOptions, allclose, array, sum};
    /// let c = hermefromroots(array([-0.5, 1.0, 2.0])?)?; // (x + 0.5) (x - 1) (x - 2)
    /// assert!(((hermeval(3, &c, ())?.item::<f64>()?) - 7.0).abs() < 1e-12);
    /// assert!(allclose(hermeroots(&c)?, array([-0.5, 1.0, 2.0])?, ())?);
    /// // The quadrature is exact: the basis polynomials are orthogonal.
    /// let (x, w) = hermegauss(4)?;
    /// let first = hermeval(&x, array([0.0, 1.0])?, ())?;
    /// assert!(allclose(sum(&first * &w, ())?, 0.0, CloseOptions::new().atol(1e-12))?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    hermite_e, "numpy.polynomial.hermite_e", HermiteE,
    [, outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"]:
    hermeadd hermesub hermemulx hermemul hermediv hermepow
    hermeval hermeval2d hermeval3d hermevalnd hermegrid2d hermegrid3d
    hermevander hermevander2d hermevander3d
    hermeder hermeint hermeline hermefromroots hermeroots hermecompanion
    hermefit hermegauss hermeweight herme2poly poly2herme hermetrim
}
