//! Convex hull of points of any number of dimensions on the host.
//!
//! A point above a facet, the farthest of those above it, replaces the facets that it is above by those of it and their outline (C. B. Barber, D. P.
//! Dobkin and H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996). Every side is that of exact arithmetic, so that facets are
//! not merged: a point on the hyperplane of a facet is not above it, and a face with more points than a simplex is a set of facets on one
//! hyperplane.
//!
//! Points may be lifted to a paraboloid (K. Q. Brown, "Voronoi diagrams from convex hulls", 1979). Together with a point at infinity above it, the facets
//! of their hull that do not have that point are the simplices of the Delaunay triangulation.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::determinants::{Bounded, Number, Wide, error_bound, minors};
use crate::floats::{FIXED_BITS, multiples, scale_to_one};
use crate::integer::{Integer, lowest_exponent};

/// The number of the point at infinity.
pub(crate) const INFINITY: u32 = u32::MAX;

/// Points, scaled by a power of two to at most 1.
#[derive(Debug)]
pub struct Space {
    points: Vec<f64>,
    /// The coordinates as multiples of one power of two, if these fit.
    fixed: Option<Vec<i64>>,
    ndim: usize,
    lifted: bool,
    /// The exponent of the power of two by which the coordinates are multiplied.
    pub scale: i32,
}

/// Hyperplane through the vertices of a facet, in the scaled coordinates.
#[derive(Clone, Debug)]
pub struct Plane {
    /// The vertex from which points are measured.
    pub base: u32,
    /// Normal to the outside: the minors of the differences of the vertices.
    pub normal: Vec<f64>,
    /// The sums of the magnitudes of the products of each minor.
    pub(crate) sizes: Vec<f64>,
}

impl Space {
    /// Creates a space of finite points of `ndim` coordinates.
    pub fn new(mut points: Vec<f64>, ndim: usize, lifted: bool) -> Space {
        let (factors, scale) = scale_to_one(&points);
        points.iter_mut().for_each(|x| *x = *x * factors[0] * factors[1]);
        // Differences have one bit more than coordinates, and a lifted coordinate is a sum of squares.
        let products = (FIXED_BITS as usize + 1) * (ndim + if lifted { 2 } else { 0 });
        let mut fixed = vec![0; points.len()];
        let fits = products <= Wide::BITS && multiples(&points, &mut fixed).is_some();
        Space { points, fixed: fits.then_some(fixed), ndim, lifted, scale }
    }

    /// Returns the number of coordinates of the hull.
    fn order(&self) -> usize {
        self.ndim + usize::from(self.lifted)
    }

    /// Returns the scaled coordinates of a point.
    pub fn point(&self, i: u32) -> &[f64] {
        &self.points[i as usize * self.ndim..][..self.ndim]
    }

    /// Returns the coordinates of a point as bits, of which those of both zeros are equal.
    pub(crate) fn key(&self, i: u32) -> Vec<u64> {
        self.point(i).iter().map(|x| (x + 0.0).to_bits()).collect()
    }

    /// Returns the extents of the points along the axes.
    pub fn widths(&self) -> Vec<f64> {
        let along = |k: usize| self.points.iter().skip(k).step_by(self.ndim);
        let bound = |k: usize, pick: fn(f64, f64) -> f64| along(k).copied().reduce(pick).unwrap_or_default();
        (0..self.ndim).map(|k| bound(k, f64::max) - bound(k, f64::min)).collect()
    }

    /// Returns the difference of a point from another one, or the direction of the point at infinity.
    fn row<T: Number>(&self, base: u32, i: u32, difference: impl Fn(usize, usize) -> T) -> Vec<T> {
        if i == INFINITY {
            let mut row = vec![T::zero(); self.order()];
            row[self.ndim] = T::one();
            return row;
        }
        let [i, base] = [i, base].map(|i| i as usize * self.ndim);
        let mut row: Vec<T> = (0..self.ndim).map(|k| difference(i + k, base + k)).collect();
        if self.lifted {
            let mut square = T::zero();
            row.iter().for_each(|x| square.add_product(x, x, false));
            row.push(square);
        }
        row
    }

    /// Returns the exponent of the lowest bit of the coordinates of points.
    fn lowest_exponent(&self, points: impl Iterator<Item = u32>) -> i32 {
        lowest_exponent(points.filter(|i| *i != INFINITY).flat_map(|i| self.point(i)).copied())
    }

    fn bounded(&self, i: usize, j: usize) -> Bounded {
        Bounded::new(self.points[i] - self.points[j])
    }

    /// Returns the vertex from which the others are measured, and whether it is not the first one, which changes the sign.
    fn base(vertices: &[u32]) -> (usize, bool) {
        if vertices[0] == INFINITY { (1, true) } else { (0, false) }
    }

    /// Compares the side of the hyperplane through `order` vertices on which a point is with the outer one: `Greater` is outside.
    fn exact_side(&self, vertices: &[u32], point: u32) -> Ordering {
        fn sign<T: Number>(
            space: &Space,
            vertices: &[u32],
            point: u32,
            difference: impl Fn(usize, usize) -> T,
            sign: fn(&T) -> Ordering,
        ) -> Ordering {
            let (base, negative) = Space::base(vertices);
            let others = vertices.iter().enumerate().filter(|(k, _)| *k != base).map(|(_, v)| *v);
            let rows: Vec<Vec<T>> = others.chain([point]).map(|v| space.row(vertices[base], v, &difference)).collect();
            let found = minors(&rows).last().map_or(Ordering::Equal, sign);
            if negative { found.reverse() } else { found }
        }
        match &self.fixed {
            Some(fixed) => sign(self, vertices, point, |i, j| Wide::new(fixed[i] - fixed[j]), Wide::sign),
            None => {
                let low = self.lowest_exponent(vertices.iter().copied().chain([point]));
                let difference = |i, j| Integer::difference(self.points[i], self.points[j], low);
                sign(self, vertices, point, difference, Integer::sign)
            }
        }
    }

    /// Returns the hyperplane through `order` vertices.
    pub fn plane(&self, vertices: &[u32]) -> Plane {
        let (base, negative) = Self::base(vertices);
        let others = vertices.iter().enumerate().filter(|(k, _)| *k != base);
        let rows: Vec<Vec<Bounded>> =
            others.map(|(_, v)| self.row(vertices[base], *v, |i, j| self.bounded(i, j))).collect();
        let (order, all) = (self.order(), minors(&rows));
        let part = |k: usize| all[((1 << order) - 1) ^ 1 << k];
        let signed = |k: usize| {
            if (order - 1 + k) % 2 == usize::from(!negative) { -part(k).value } else { part(k).value }
        };
        let normal = (0..order).map(signed).collect();
        Plane { base: vertices[base], normal, sizes: (0..order).map(|k| part(k).size).collect() }
    }

    /// Returns the bound of the error of heights above a hyperplane of points whose differences from its base have at most given magnitudes.
    pub fn slack(&self, plane: &Plane, widths: &[f64]) -> f64 {
        let size: f64 = plane.sizes.iter().zip(widths).map(|(size, width)| size * width).sum();
        error_bound(self.order()) * size + f64::MIN_POSITIVE
    }

    /// Returns the signed distance of a finite point from a hyperplane, multiplied by the length of the normal, if it is above it.
    fn above(&self, vertices: &[u32], plane: &Plane, point: u32) -> Option<f64> {
        let (mut value, mut size, mut square) = (0.0, 0.0, 0.0);
        let differences = self.point(point).iter().zip(self.point(plane.base)).map(|(p, b)| p - b);
        for ((x, normal), bound) in differences.zip(&plane.normal).zip(&plane.sizes) {
            value += normal * x;
            size += bound * x.abs();
            square += x * x;
        }
        if self.lifted {
            value += plane.normal[self.ndim] * square;
            size += plane.sizes[self.ndim] * square;
        }
        let outside = if value.abs() > error_bound(self.order()) * size + f64::MIN_POSITIVE {
            value > 0.0
        } else {
            self.exact_side(vertices, point) == Ordering::Greater
        };
        outside.then_some(value)
    }

    /// Returns true if points are not on one flat of fewer dimensions than their number less one.
    fn are_independent(&self, points: &[u32]) -> bool {
        let flat = Space { lifted: false, points: Vec::new(), fixed: None, ..*self };
        let (base, others) = (points[0], &points[1..]);
        let order = |set: &usize| set.count_ones() as usize == others.len();
        fn rows<T: Number>(of: &Space, base: u32, others: &[u32], difference: impl Fn(usize, usize) -> T) -> Vec<T> {
            minors(&others.iter().map(|v| of.row(base, *v, &difference)).collect::<Vec<_>>())
        }
        let near = rows(&flat, base, others, |i, j| self.bounded(i, j));
        let bound = error_bound(self.ndim);
        if (1..near.len()).filter(order).any(|set| near[set].value.abs() > bound * near[set].size + f64::MIN_POSITIVE) {
            return true;
        }
        if let Some(fixed) = &self.fixed {
            let exact = rows(&flat, base, others, |i, j| Wide::new(fixed[i] - fixed[j]));
            return (1..exact.len()).filter(order).any(|set| exact[set].sign() != Ordering::Equal);
        }
        let low = self.lowest_exponent(points.iter().copied());
        let exact = rows(&flat, base, others, |i, j| Integer::difference(self.points[i], self.points[j], low));
        (1..exact.len()).filter(order).any(|set| exact[set].sign() != Ordering::Equal)
    }

    /// Returns `ndim + 1` points that are not on one hyperplane; `None` if all of them are. Each is the one farthest from the flat of those
    /// before it, as far as rounding allows.
    fn simplex(&self, members: &[u32]) -> Option<Vec<u32>> {
        let first = *members.iter().min_by(|a, b| self.point(**a)[0].total_cmp(&self.point(**b)[0]))?;
        let mut found = vec![first];
        // The parts of the differences from the first point that are orthogonal to the flat.
        let differences = |i: &u32| self.point(*i).iter().zip(self.point(first)).map(|(p, b)| p - b);
        let mut rest: Vec<f64> = members.iter().flat_map(differences).collect();
        for _ in 0..self.ndim {
            let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
            let lengths = rest.chunks(self.ndim).map(length).enumerate();
            let (far, square) = lengths.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let joined = |next: u32| [&found[..], &[next]].concat();
            let chosen = if self.are_independent(&joined(members[far])) {
                members[far]
            } else {
                *members.iter().find(|i| self.are_independent(&joined(**i)))?
            };
            found.push(chosen);
            let along = rest[far * self.ndim..][..self.ndim].to_vec();
            if square > 0.0 {
                for row in rest.chunks_mut(self.ndim) {
                    let share = row.iter().zip(&along).map(|(x, y)| x * y).sum::<f64>() / square;
                    row.iter_mut().zip(&along).for_each(|(x, y)| *x -= share * y);
                }
            }
        }
        Some(found)
    }
}

/// Facets of a hull, which are simplices.
#[derive(Debug)]
pub struct Hull {
    /// The vertices of each facet, as many as the points of the hull have coordinates; of two facets that share a ridge it has
    /// opposite orientations.
    pub vertices: Vec<u32>,
    /// The facet opposite to each vertex.
    pub neighbors: Vec<u32>,
}

struct Facet {
    vertices: Vec<u32>,
    neighbors: Vec<u32>,
    plane: Plane,
    /// Points above the facet with their heights, the highest one first.
    outside: Vec<(f64, u32)>,
    /// Twice the number of the step that has last compared a point with the facet, plus one if it is above it; facets of a step have twice its number.
    mark: u64,
}

impl Facet {
    fn push(&mut self, height: f64, point: u32) {
        self.outside.push((height, point));
        if height > self.outside[0].0 {
            let last = self.outside.len() - 1;
            self.outside.swap(0, last);
        }
    }

    fn position(&self, vertex: u32) -> usize {
        self.vertices.iter().position(|v| *v == vertex).unwrap_or_default()
    }
}

struct Builder<'a> {
    space: &'a Space,
    facets: Vec<Facet>,
    /// Numbers of facets that are no longer used.
    free: Vec<u32>,
    /// Facets that may have points above them.
    pending: Vec<u32>,
    /// The number of steps: an insertion has one for the search of facets, and one for new facets.
    step: u64,
}

impl Builder<'_> {
    fn facet(&mut self, vertices: Vec<u32>, neighbors: Vec<u32>, mark: u64) -> u32 {
        let plane = self.space.plane(&vertices);
        let facet = Facet { vertices, neighbors, plane, outside: Vec::new(), mark };
        if let Some(number) = self.free.pop() {
            self.facets[number as usize] = facet;
            return number;
        }
        self.facets.push(facet);
        self.facets.len() as u32 - 1
    }

    /// Adds a point to the first of some facets that it is above.
    fn place(&mut self, point: u32, facets: &[u32]) {
        for &f in facets {
            let facet = &mut self.facets[f as usize];
            if let Some(height) = self.space.above(&facet.vertices, &facet.plane, point) {
                facet.push(height, point);
                return;
            }
        }
    }

    /// Begins with the facets of a simplex, whose vertices turn so that the simplex is below them.
    fn begin(&mut self, corners: &[u32], members: &[u32]) {
        for omitted in 0..corners.len() {
            let others = || (0..corners.len()).filter(|k| *k != omitted);
            let mut vertices: Vec<u32> = others().map(|k| corners[k]).collect();
            let mut neighbors: Vec<u32> = others().map(|k| k as u32).collect();
            if self.space.exact_side(&vertices, corners[omitted]) == Ordering::Greater {
                vertices.swap(0, 1);
                neighbors.swap(0, 1);
            }
            self.facet(vertices, neighbors, 0);
        }
        let all: Vec<u32> = (0..corners.len() as u32).collect();
        for &point in members.iter().filter(|i| !corners.contains(i)) {
            self.place(point, &all);
        }
        self.pending = all;
    }

    /// Returns the facets that a point is above, of which one is known, and the ridges of their outline: a facet and the position of the vertex opposite to
    /// the ridge.
    fn visible(&mut self, point: u32, first: u32) -> (Vec<u32>, Vec<(u32, usize)>) {
        let (below, above) = (2 * self.step, 2 * self.step + 1);
        let (mut found, mut outline) = (vec![first], Vec::new());
        self.facets[first as usize].mark = above;
        let mut next = 0;
        while let Some(&f) = found.get(next) {
            next += 1;
            for k in 0..self.facets[f as usize].neighbors.len() {
                let n = self.facets[f as usize].neighbors[k];
                let other = &mut self.facets[n as usize];
                if other.mark != above && other.mark != below {
                    let is_above = self.space.above(&other.vertices, &other.plane, point).is_some();
                    other.mark = if is_above { above } else { below };
                    if is_above {
                        found.push(n);
                    }
                }
                if other.mark == below {
                    outline.push((f, k));
                }
            }
        }
        (found, outline)
    }

    /// Replaces the facets that a point is above.
    fn insert(&mut self, point: u32, first: u32) {
        self.step += 1;
        let (visible, outline) = self.visible(point, first);
        self.step += 1;
        let new = 2 * self.step;
        let mut added = Vec::with_capacity(outline.len());
        for &(f, k) in &outline {
            let old = &self.facets[f as usize];
            let (mut vertices, beyond) = (old.vertices.clone(), old.neighbors[k]);
            vertices[k] = point;
            let mut neighbors = vec![u32::MAX; vertices.len()];
            neighbors[k] = beyond;
            let number = self.facet(vertices, neighbors, new);
            let other = &mut self.facets[beyond as usize].neighbors;
            if let Some(back) = other.iter().position(|n| *n == f) {
                other[back] = number;
            }
            // From here on, the way over the ridge leads to the new facet.
            self.facets[f as usize].neighbors[k] = number;
            added.push(number);
        }
        for (&(f, k), &number) in outline.iter().zip(&added) {
            for j in (0..self.facets[f as usize].vertices.len()).filter(|j| *j != k) {
                self.facets[number as usize].neighbors[j] = self.around(f, j, k);
            }
        }
        for &f in &visible {
            for (_, other) in std::mem::take(&mut self.facets[f as usize].outside) {
                if other != point {
                    self.place(other, &added);
                }
            }
        }
        self.free.extend(&visible);
        self.pending.extend(&added);
    }

    /// Returns the new facet that is next to the one over a ridge: facets that have the vertices of `f` but two are passed, over the ridge opposite
    /// to the vertex at `over` first, until one is new.
    fn around(&self, f: u32, over: usize, kept: usize) -> u32 {
        let (mut f, mut over) = (f, over);
        let mut kept = self.facets[f as usize].vertices[kept];
        let new = 2 * self.step;
        loop {
            let next = self.facets[f as usize].neighbors[over];
            let facet = &self.facets[next as usize];
            if facet.mark == new {
                return next;
            }
            let entered = facet.neighbors.iter().position(|n| *n == f).unwrap_or_default();
            (f, over, kept) = (next, facet.position(kept), facet.vertices[entered]);
        }
    }

    fn finish(mut self) -> Hull {
        for f in std::mem::take(&mut self.free) {
            self.facets[f as usize].vertices.clear();
        }
        let mut numbers = vec![0; self.facets.len()];
        let mut count = 0;
        for (number, facet) in numbers.iter_mut().zip(&self.facets) {
            *number = count;
            count += u32::from(!facet.vertices.is_empty());
        }
        let used = || self.facets.iter().filter(|facet| !facet.vertices.is_empty());
        Hull {
            vertices: used().flat_map(|facet| facet.vertices.iter().copied()).collect(),
            neighbors: used().flat_map(|facet| facet.neighbors.iter().map(|n| numbers[*n as usize])).collect(),
        }
    }
}

/// Returns the hull of some points, which are not all on one hyperplane. Some of its vertices may be on faces of it.
fn hull_of(space: &Space, members: &[u32]) -> Option<Hull> {
    let mut corners = space.simplex(members)?;
    if space.lifted {
        corners.push(INFINITY);
    }
    let mut builder = Builder { space, facets: Vec::new(), free: Vec::new(), pending: Vec::new(), step: 0 };
    builder.begin(&corners, members);
    while let Some(&f) = builder.pending.last() {
        match builder.facets[f as usize].outside.first() {
            Some(&(_, point)) => builder.insert(point, f),
            None => {
                builder.pending.pop();
            }
        }
    }
    Some(builder.finish())
}

/// Returns the faces of the facets: those of neighbours on one hyperplane have one number.
fn faces_of(space: &Space, hull: &Hull) -> Vec<u32> {
    let order = space.order();
    let mut faces: Vec<u32> = (0..(hull.vertices.len() / order) as u32).collect();
    fn root(faces: &mut [u32], mut f: u32) -> u32 {
        while faces[f as usize] != f {
            faces[f as usize] = faces[faces[f as usize] as usize];
            f = faces[f as usize];
        }
        f
    }
    for (f, (vertices, neighbors)) in hull.vertices.chunks(order).zip(hull.neighbors.chunks(order)).enumerate() {
        let plane = space.plane(vertices);
        for &n in neighbors.iter().filter(|n| f < **n as usize) {
            let other = &hull.vertices[n as usize * order..][..order];
            let Some(&apex) = other.iter().find(|v| !vertices.contains(v)) else {
                continue;
            };
            // A vertex that is not above a facet of a hull is below it or on its hyperplane.
            if space.is_near(&plane, apex) && space.exact_side(vertices, apex) == Ordering::Equal {
                let [a, b] = [f as u32, n].map(|f| root(&mut faces, f));
                faces[a.max(b) as usize] = a.min(b);
            }
        }
    }
    (0..faces.len() as u32).map(|f| root(&mut faces, f)).collect()
}

impl Space {
    /// Returns true unless rounding errors do not matter for the side of a point.
    fn is_near(&self, plane: &Plane, point: u32) -> bool {
        let differences: Vec<f64> = self.point(point).iter().zip(self.point(plane.base)).map(|(p, b)| p - b).collect();
        let value: f64 = differences.iter().zip(&plane.normal).map(|(x, n)| x * n).sum();
        let widths: Vec<f64> = differences.iter().map(|x| x.abs()).collect();
        value.abs() <= self.slack(plane, &widths)
    }
}

/// Returns the vertices of a hull that are within a face of it: all faces at such a vertex have another one in common.
fn within_faces(space: &Space, hull: &Hull) -> Vec<u32> {
    let (order, faces) = (space.order(), faces_of(space, hull));
    let mut sizes = vec![0u32; faces.len()];
    faces.iter().for_each(|face| sizes[*face as usize] += 1);
    let mut of_face: Vec<[u32; 2]> = Vec::new();
    let mut of_vertex: Vec<[u32; 2]> = Vec::new();
    for (vertices, &face) in hull.vertices.chunks(order).zip(&faces) {
        of_face.extend(vertices.iter().map(|v| [face, *v]).filter(|_| sizes[face as usize] > 1));
        of_vertex.extend(vertices.iter().map(|v| [*v, face]));
    }
    for pairs in [&mut of_face, &mut of_vertex] {
        pairs.sort_unstable();
        pairs.dedup();
    }
    let vertices_of = |face: u32| {
        let start = of_face.partition_point(|[f, _]| *f < face);
        of_face[start..].iter().take_while(move |[f, _]| *f == face).map(|[_, v]| *v)
    };
    let mut found = Vec::new();
    for group in of_vertex.chunk_by(|a, b| a[0] == b[0]) {
        // The vertices of a simplex are not between each other.
        if group.iter().any(|[_, face]| sizes[*face as usize] == 1) {
            continue;
        }
        let mut common: Vec<u32> = vertices_of(group[0][1]).collect();
        for &[_, face] in &group[1..] {
            let others: Vec<u32> = vertices_of(face).collect();
            common.retain(|v| others.binary_search(v).is_ok());
        }
        if common.len() > 1 {
            found.push(group[0][0]);
        }
    }
    found
}

/// Replaces the vertices of a hull by the first points with their coordinates.
fn name_first_points(space: &Space, hull: &mut Hull, members: &[u32]) {
    let mut firsts: HashMap<Vec<u64>, u32> = hull.vertices.iter().map(|v| (space.key(*v), *v)).collect();
    let columns: HashSet<u64> = firsts.keys().map(|key| key[0]).collect();
    for &i in members.iter().filter(|i| columns.contains(&(space.point(**i)[0] + 0.0).to_bits())) {
        if let Some(first) = firsts.get_mut(&space.key(i)) {
            *first = i.min(*first);
        }
    }
    hull.vertices.iter_mut().for_each(|v| *v = firsts[&space.key(*v)]);
}

/// Returns the convex hull of points; `None` if all of them are on one hyperplane. Points within faces are no vertices, and of equal points the first one
/// is.
pub fn convex_hull(space: &Space, members: &[u32]) -> Option<Hull> {
    let mut hull = hull_of(space, members)?;
    let within = within_faces(space, &hull);
    if !within.is_empty() {
        let mut vertices = hull.vertices;
        vertices.sort_unstable();
        vertices.dedup();
        vertices.retain(|v| within.binary_search(v).is_err());
        hull = hull_of(space, &vertices)?;
    }
    name_first_points(space, &mut hull, members);
    Some(hull)
}

/// Returns the hull of lifted points and the point at infinity; `None` if all points are on one hyperplane.
pub(crate) fn lifted_hull(space: &Space) -> Option<Hull> {
    let count = space.points.len() / space.ndim;
    hull_of(space, &(0..count as u32).collect::<Vec<_>>())
}
