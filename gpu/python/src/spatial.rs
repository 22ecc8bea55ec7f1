//! Distances, triangulations and trees of `cuprum.cupyx.scipy.spatial`, whose Python functions read SciPy's arguments.

use cuprum::scipy::spatial::distance::{DistanceOptions, Metric, distance};
use cuprum::scipy::spatial::{BallOptions, ConvexHull, Delaunay, KdTree, NearestOptions};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::errors::OrRaise;
use crate::ndimage::array;

/// Distance of two vectors by a metric.
#[pyfunction]
#[pyo3(signature = (u, v, metric, p=None, w=None, matrix=None))]
fn spatial_distance<'py>(
    py: Python<'py>,
    u: &Bound<'_, PyAny>,
    v: &Bound<'_, PyAny>,
    metric: &str,
    p: Option<f64>,
    w: Option<&Bound<'_, PyAny>>,
    matrix: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let (u, v) = (array(u)?, array(v)?);
    let (w, matrix) = (w.map(array).transpose()?, matrix.map(array).transpose()?);
    let metric: Metric = metric.parse().or_raise()?;
    let of = |this| if metric == this { matrix } else { None };
    let options = DistanceOptions { metric, p, w, v: of(Metric::Seuclidean), vi: of(Metric::Mahalanobis), out: None };
    wrap(py, py.detach(|| distance(u, v, options)).or_raise()?)
}

/// Triangulation of points.
#[pyclass(frozen, module = "cuprum._cuprum")]
struct Triangulation(Delaunay);

#[pymethods]
impl Triangulation {
    #[new]
    fn new(py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Triangulation> {
        let points = array(points)?;
        Ok(Triangulation(py.detach(|| Delaunay::new(points)).or_raise()?))
    }

    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.points().clone())
    }

    fn simplices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.simplices().clone())
    }

    fn neighbors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.neighbors().clone())
    }

    fn coplanar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.coplanar().or_raise()?)
    }

    fn convex_hull<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.convex_hull().or_raise()?)
    }

    fn vertex_to_simplex<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.vertex_to_simplex().or_raise()?)
    }

    fn vertex_neighbor_vertices<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, NdArray>; 2]> {
        let (pointers, indices) = py.detach(|| self.0.vertex_neighbor_vertices()).or_raise()?;
        Ok([wrap(py, pointers)?, wrap(py, indices)?])
    }

    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, py.detach(|| self.0.transform()).or_raise()?)
    }

    fn bounds(&self) -> [Vec<f64>; 2] {
        self.0.bounds().clone()
    }

    fn paraboloid(&self) -> [f64; 2] {
        self.0.paraboloid()
    }

    fn equations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, py.detach(|| self.0.equations()).or_raise()?)
    }

    fn lift_points<'py>(&self, py: Python<'py>, x: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let x = array(x)?;
        wrap(py, py.detach(|| self.0.lift_points(x)).or_raise()?)
    }

    fn plane_distance<'py>(&self, py: Python<'py>, xi: &Bound<'_, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let xi = array(xi)?;
        wrap(py, py.detach(|| self.0.plane_distance(xi)).or_raise()?)
    }

    #[pyo3(signature = (xi, tol))]
    fn find_simplex<'py>(
        &self,
        py: Python<'py>,
        xi: &Bound<'_, PyAny>,
        tol: Option<f64>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let xi = array(xi)?;
        wrap(py, py.detach(|| self.0.find_simplex(xi, tol)).or_raise()?)
    }
}

/// Convex hull of points.
#[pyclass(frozen, module = "cuprum._cuprum")]
struct PointHull(ConvexHull);

#[pymethods]
impl PointHull {
    #[new]
    fn new(py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<PointHull> {
        let points = array(points)?;
        Ok(PointHull(py.detach(|| ConvexHull::new(points)).or_raise()?))
    }

    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.points().clone())
    }

    /// Vertices, and the vertices, neighbours and equations of facets.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, NdArray>; 4]> {
        let hull = &self.0;
        let [vertices, simplices] = [hull.vertices(), hull.simplices()].map(|a| wrap(py, a.clone()));
        let [neighbors, equations] = [hull.neighbors(), hull.equations()].map(|a| wrap(py, a.clone()));
        Ok([vertices?, simplices?, neighbors?, equations?])
    }

    fn measures(&self) -> [f64; 2] {
        [self.0.area(), self.0.volume()]
    }
}

/// Tree of points.
#[pyclass(frozen, module = "cuprum._cuprum")]
struct PointTree(KdTree);

/// Offsets, queries, indices and distances of neighbours.
type Pairs<'py> = ([Bound<'py, NdArray>; 3], Option<Bound<'py, NdArray>>);

#[pymethods]
impl PointTree {
    #[new]
    fn new(py: Python<'_>, data: &Bound<'_, PyAny>, boxsize: Option<Vec<f64>>) -> PyResult<PointTree> {
        let data = array(data)?;
        Ok(PointTree(py.detach(|| KdTree::new(data, boxsize.as_deref())).or_raise()?))
    }

    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.0.data().clone())
    }

    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, NdArray>; 2]> {
        let [low, high] = py.detach(|| self.0.bounds()).or_raise()?;
        Ok([wrap(py, low)?, wrap(py, high)?])
    }

    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn query<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        k: usize,
        eps: f64,
        p: f64,
        distance_upper_bound: f64,
    ) -> PyResult<[Bound<'py, NdArray>; 2]> {
        let x = array(x)?;
        let options = NearestOptions { eps, p, distance_upper_bound };
        let found = py.detach(|| self.0.query(x, k, options)).or_raise()?;
        Ok([wrap(py, found.distances)?, wrap(py, found.indices)?])
    }

    fn count_within<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        r: &Bound<'_, PyAny>,
        p: f64,
        above: bool,
    ) -> PyResult<Bound<'py, NdArray>> {
        let (x, r) = (array(x)?, array(r)?);
        let options = BallOptions { p, above, sorted: false };
        wrap(py, py.detach(|| self.0.count_within(x, r, options)).or_raise()?)
    }

    fn within<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        r: &Bound<'_, PyAny>,
        p: f64,
        above: bool,
        sorted: bool,
    ) -> PyResult<Pairs<'py>> {
        let (x, r) = (array(x)?, array(r)?);
        let options = BallOptions { p, above, sorted };
        let found = py.detach(|| self.0.within(x, r, options)).or_raise()?;
        let arrays = [wrap(py, found.offsets)?, wrap(py, found.queries)?, wrap(py, found.indices)?];
        Ok((arrays, found.distances.map(|d| wrap(py, d)).transpose()?))
    }
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Triangulation>()?;
    module.add_class::<PointHull>()?;
    module.add_class::<PointTree>()?;
    module.add_function(wrap_pyfunction!(spatial_distance, module)?)
}
