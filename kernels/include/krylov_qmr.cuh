// Iterations of the quasi-minimal residual method without look-ahead (R. W. Freund, N. M. Nachtigal, 1991). Before it: krylov_sweep.cuh.

// Positions in `reals`, the first of which the host reads or writes.
enum { COUNT, MOST, BOUND, BROKEN, PAUSED, XI, RHO, GAMMA, THETA, FACTOR };
// Positions in `scalars`.
enum { DELTA, EPSILON, BETA, ETA, OF_P, OF_Q };

DEVICE void give_up(const params &p, f64 code) {
  p.reals[BROKEN] = code;
  *p.going = false;
}

// The Lanczos vectors begin as the residual, without their norms.
KERNEL(krylov_begin) {
  VECTOR(r, 0); VECTOR(v, 1); VECTOR(w, 2); VECTOR(along, 3); VECTOR(other, 4); VECTOR(d, 5); VECTOR(s, 6);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value x = r[i];
             v[i] = w[i] = x;
             along[i] = other[i] = d[i] = s[i] = value{};
             sums[0] = sums[0] + inner(x, x);
           },
           [&](wide *sums) {
             p.reals[BROKEN] = 0;
             p.reals[RHO] = p.reals[XI] = sqrt(real_of(sums[0]));
             p.reals[GAMMA] = 1;
             p.reals[THETA] = 0;
             p.scalars[ETA] = wide{-1};
             p.scalars[EPSILON] = wide{};
           });
}

// Divides the Lanczos vectors by their norms, and computes delta and the coefficients of the directions.
KERNEL(krylov_unit) {
  VECTOR(v, 0); VECTOR(w, 1);
  const f64 rho = p.reals[RHO], xi = p.reals[XI];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value x = scaled(v[i], 1 / rho), y = scaled(w[i], 1 / xi);
             v[i] = x;
             w[i] = y;
             sums[0] = sums[0] + inner(y, x);
           },
           [&](wide *sums) {
             const wide delta = sums[0], epsilon = p.scalars[EPSILON];
             if (is_zero(delta)) return give_up(p, -10);
             p.scalars[DELTA] = delta;
             const wide quotient = is_zero(epsilon) ? wide{} : delta / epsilon;
             p.scalars[OF_P] = wide{xi} * quotient;
             p.scalars[OF_Q] = conjugated(wide{rho} * quotient);
           });
}

KERNEL(krylov_direction) {
  VECTOR(along, 0); VECTOR(other, 1); VECTOR(v, 2); VECTOR(w, 3);
  const value of_p = narrowed(p.scalars[OF_P]), of_q = narrowed(p.scalars[OF_Q]);
  update(p, [=](u64 i) {
    along[i] = v[i] - of_p * along[i];
    other[i] = w[i] - of_q * other[i];
  });
}

// epsilon = <q, A p>.
KERNEL(krylov_alpha) {
  VECTOR(other, 0); VECTOR(product, 1);
  sweep<1>(p, [=](u64 i, wide *sums) { sums[0] = sums[0] + inner(other[i], product[i]); },
           [&](wide *sums) {
             if (is_zero(sums[0])) return give_up(p, -10);
             p.scalars[EPSILON] = sums[0];
             p.scalars[BETA] = sums[0] / p.scalars[DELTA];
           });
}

// The next Lanczos vectors, and the rotation that follows from their norms.
KERNEL(krylov_lanczos) {
  VECTOR(v, 0); VECTOR(product, 1); VECTOR(w, 2); VECTOR(adjoint_product, 3);
  const wide beta = p.scalars[BETA];
  const value of_v = narrowed(beta), of_w = narrowed(conjugated(beta));
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             const value x = product[i] - of_v * v[i], y = adjoint_product[i] - of_w * w[i];
             v[i] = x;
             w[i] = y;
             sums[0] = sums[0] + inner(x, x);
             sums[1] = sums[1] + inner(y, y);
           },
           [&](wide *sums) {
             f64 *const s = p.reals;
             const f64 before = s[RHO], gamma = s[GAMMA], theta = s[THETA];
             s[RHO] = sqrt(real_of(sums[0]));
             s[XI] = sqrt(real_of(sums[1]));
             s[THETA] = s[RHO] / (gamma * sqrt(real_of(conjugated(beta) * beta)));
             s[GAMMA] = 1 / sqrt(1 + s[THETA] * s[THETA]);
             p.scalars[ETA] = (wide{} - p.scalars[ETA]) * wide{before * s[GAMMA] * s[GAMMA]} / (beta * wide{gamma * gamma});
             s[FACTOR] = theta * s[GAMMA] * (theta * s[GAMMA]);
           });
}

KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(d, 2); VECTOR(s, 3); VECTOR(along, 4); VECTOR(product, 5);
  const value eta = narrowed(p.scalars[ETA]);
  const f64 factor = p.reals[FACTOR];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value step = eta * along[i] + scaled(d[i], factor), change = eta * product[i] + scaled(s[i], factor);
             d[i] = step;
             s[i] = change;
             x[i] = x[i] + step;
             const value left = r[i] - change;
             r[i] = left;
             sums[0] = sums[0] + inner(left, left);
           },
           [&](wide *sums) {
             f64 *const t = p.reals;
             const f64 squared = real_of(sums[0]);
             t[COUNT] += 1;
             const bool on = squared > t[BOUND] && isfinite(squared) && t[COUNT] < t[MOST];
             // The host looks after each 1,024 iterations.
             t[PAUSED] = on && fmod(t[COUNT], 1024.0) == 0;
             *p.going = on && t[PAUSED] == 0;
             if (on && !(t[RHO] > 0 && t[XI] > 0)) give_up(p, -10);
           });
}

#undef KERNEL
#undef VECTOR
