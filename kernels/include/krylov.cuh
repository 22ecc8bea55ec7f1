// Iterations of Krylov methods: updates of vectors, fused with dot products and with the scalars that follow from those. Before it:
// krylov_sweep.cuh and METHOD.

// Positions in `reals`, the first of which the host reads or writes.
enum { COUNT, MOST, BOUND, BROKEN, PAUSED, BETA, BETA_BEFORE, COSINE, SINE, DELTA, EPSILON, PHI, STEP, OLD, NEXT, GAMMA, ALPHA, FIRST, DONE };
// Positions in `scalars`.
enum { RHO, RATIO, OMEGA };

// Ends the iterations with a breakdown.
DEVICE void give_up(const params &p, f64 code) {
  p.reals[BROKEN] = code;
  *p.going = false;
}

// Lets the host look after each 1,024 iterations, where these are not ended already. The kernels of the iteration before this call have
// changed nothing that they read, so that the host repeats them.
DEVICE bool pauses(const params &p) {
  const bool due = p.reals[PAUSED] == 0 && p.reals[COUNT] > 0 && fmod(p.reals[COUNT], 1024.0) == 0;
  p.reals[PAUSED] = due;
  if (due) *p.going = false;
  return due;
}

// Counts an iteration, and ends the iterations where the square of the residual's norm is small or not finite.
DEVICE bool goes_on(const params &p, f64 squared) {
  const f64 count = p.reals[COUNT] += 1;
  const bool on = squared > p.reals[BOUND] && isfinite(squared) && count < p.reals[MOST];
  *p.going = on;
  return on;
}

// rho = <a, b>.
KERNEL(krylov_rho) {
  VECTOR(a, 0); VECTOR(b, 1);
  sweep<1>(p, [=](u64 i, wide *sums) { sums[0] = sums[0] + inner(a[i], b[i]); },
           [&](wide *sums) {
             p.scalars[RHO] = sums[0];
             p.reals[BROKEN] = 0;
             if (is_zero(sums[0])) give_up(p, -10);
           });
}

// The ratio of rho and <a, b>.
KERNEL(krylov_alpha) {
  VECTOR(a, 0); VECTOR(b, 1);
  sweep<1>(p, [=](u64 i, wide *sums) { sums[0] = sums[0] + inner(a[i], b[i]); },
           [&](wide *sums) {
             if (pauses(p)) return;
             if (is_zero(sums[0])) return give_up(p, -11);
             p.scalars[RATIO] = p.scalars[RHO] / sums[0];
           });
}

// The ratio of the next rho, <a, b>, and rho.
KERNEL(krylov_beta) {
  VECTOR(a, 0); VECTOR(b, 1);
  sweep<1>(p, [=](u64 i, wide *sums) { sums[0] = sums[0] + inner(a[i], b[i]); },
           [&](wide *sums) {
             if (is_zero(sums[0])) return give_up(p, -10);
             p.scalars[RATIO] = sums[0] / p.scalars[RHO];
             p.scalars[RHO] = sums[0];
           });
}

// What follows from the square of the residual's norm and the next rho, where there is one.
DEVICE void next(const params &p, wide squared, wide rho) {
  if (!goes_on(p, real_of(squared)) || p.preconditioned) return;
  if (is_zero(rho)) return give_up(p, -10);
  p.scalars[RATIO] = rho / p.scalars[RHO];
  p.scalars[RHO] = rho;
}

#if METHOD == CG
KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(direction, 2); VECTOR(q, 3);
  const value alpha = narrowed(p.scalars[RATIO]);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + alpha * direction[i];
             const value left = r[i] - alpha * q[i];
             r[i] = left;
             sums[0] = sums[0] + inner(left, left);
           },
           [&](wide *sums) { next(p, sums[0], sums[0]); });
}

KERNEL(krylov_direction) {
  VECTOR(direction, 0); VECTOR(z, 1);
  const value beta = narrowed(p.scalars[RATIO]);
  update(p, [=](u64 i) { direction[i] = z[i] + beta * direction[i]; });
}
#endif

#if METHOD == BICG
KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(shadow, 2); VECTOR(direction, 3); VECTOR(q, 4); VECTOR(shadow_q, 5);
  const value alpha = narrowed(p.scalars[RATIO]), adjoint = narrowed(conjugated(p.scalars[RATIO]));
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + alpha * direction[i];
             const value left = r[i] - alpha * q[i], left_shadow = shadow[i] - adjoint * shadow_q[i];
             r[i] = left;
             shadow[i] = left_shadow;
             sums[0] = sums[0] + inner(left, left);
             sums[1] = sums[1] + inner(left_shadow, left);
           },
           [&](wide *sums) { next(p, sums[0], sums[1]); });
}

KERNEL(krylov_direction) {
  VECTOR(direction, 0); VECTOR(z, 1); VECTOR(shadow, 2); VECTOR(shadow_z, 3);
  const value beta = narrowed(p.scalars[RATIO]), adjoint = narrowed(conjugated(p.scalars[RATIO]));
  update(p, [=](u64 i) {
    direction[i] = z[i] + beta * direction[i];
    shadow[i] = shadow_z[i] + adjoint * shadow[i];
  });
}
#endif

#if METHOD == CGS
// q = u - alpha v; u becomes u + q.
KERNEL(krylov_half) {
  VECTOR(u, 0); VECTOR(q, 1); VECTOR(v, 2);
  const value alpha = narrowed(p.scalars[RATIO]);
  update(p, [=](u64 i) {
    const value half = u[i] - alpha * v[i];
    q[i] = half;
    u[i] = u[i] + half;
  });
}

KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(shadow, 2); VECTOR(step, 3); VECTOR(w, 4);
  const value alpha = narrowed(p.scalars[RATIO]);
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + alpha * step[i];
             const value left = r[i] - alpha * w[i];
             r[i] = left;
             sums[0] = sums[0] + inner(left, left);
             sums[1] = sums[1] + inner(shadow[i], left);
           },
           [&](wide *sums) { next(p, sums[0], sums[1]); });
}

KERNEL(krylov_direction) {
  VECTOR(direction, 0); VECTOR(r, 1); VECTOR(u, 2); VECTOR(q, 3);
  const value beta = narrowed(p.scalars[RATIO]);
  update(p, [=](u64 i) {
    const value along = r[i] + beta * q[i];
    u[i] = along;
    direction[i] = along + beta * (q[i] + beta * direction[i]);
  });
}
#endif

#if METHOD == BICGSTAB
KERNEL(krylov_half) {
  VECTOR(r, 0); VECTOR(v, 1);
  const value alpha = narrowed(p.scalars[RATIO]);
  update(p, [=](u64 i) { r[i] = r[i] - alpha * v[i]; });
}

// omega = <t, s> / <t, t>, or 0.
KERNEL(krylov_omega) {
  VECTOR(s, 0); VECTOR(t, 1);
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             sums[0] = sums[0] + inner(t[i], s[i]);
             sums[1] = sums[1] + inner(t[i], t[i]);
           },
           [&](wide *sums) { p.scalars[OMEGA] = is_zero(sums[1]) ? wide{} : sums[0] / sums[1]; });
}

KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(shadow, 2); VECTOR(direction, 3); VECTOR(second, 4); VECTOR(t, 5);
  const value alpha = narrowed(p.scalars[RATIO]), omega = narrowed(p.scalars[OMEGA]);
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + (alpha * direction[i] + omega * second[i]);
             const value left = r[i] - omega * t[i];
             r[i] = left;
             sums[0] = sums[0] + inner(left, left);
             sums[1] = sums[1] + inner(shadow[i], left);
           },
           [&](wide *sums) {
             if (!goes_on(p, real_of(sums[0]))) return;
             if (is_zero(sums[1])) return give_up(p, -10);
             if (is_zero(p.scalars[OMEGA])) return give_up(p, -11);
             p.scalars[RATIO] = (sums[1] / p.scalars[RHO]) * (p.scalars[RATIO] / p.scalars[OMEGA]);
             p.scalars[RHO] = sums[1];
           });
}

KERNEL(krylov_direction) {
  VECTOR(direction, 0); VECTOR(r, 1); VECTOR(v, 2);
  const value beta = narrowed(p.scalars[RATIO]), omega = narrowed(p.scalars[OMEGA]);
  update(p, [=](u64 i) { direction[i] = r[i] + beta * (direction[i] - omega * v[i]); });
}
#endif

#if METHOD == MINRES
// The square of a norm that a preconditioner defines; ends the iterations where it is negative.
DEVICE bool beta_of(const params &p, wide squared) {
  const f64 beta = real_of(squared);
  if (!(beta >= 0)) {
    give_up(p, 1);
    return false;
  }
  p.reals[BETA_BEFORE] = p.reals[BETA];
  p.reals[BETA] = sqrt(beta);
  return true;
}

// The first vectors: r is the residual, z the preconditioned one, which is copied to y. BOUND is the factor by which the norm shall fall.
KERNEL(krylov_begin) {
  VECTOR(r, 0); VECTOR(z, 1); VECTOR(before, 2); VECTOR(w, 3); VECTOR(w_before, 4); VECTOR(y, 5);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value last = z[i];
             sums[0] = sums[0] + inner(r[i], last);
             y[i] = last;
             before[i] = w[i] = w_before[i] = value{};
           },
           [&](wide *sums) {
             f64 *const s = p.reals;
             s[BROKEN] = 0;
             if (!beta_of(p, sums[0])) return;
             s[FIRST] = s[PHI] = s[BETA];
             s[BETA_BEFORE] = s[SINE] = s[DELTA] = s[EPSILON] = s[DONE] = 0;
             s[COSINE] = -1;
             if (s[BETA] == 0) give_up(p, 2);
           });
}

KERNEL(krylov_unit) {
  VECTOR(v, 0); VECTOR(y, 1);
  const f64 by = 1 / p.reals[BETA];
  sweep<0>(p, [=](u64 i, wide *) { v[i] = scaled(y[i], by); }, [&](wide *) { pauses(p); });
}

// Orthogonalises A v against the vector before the last one.
KERNEL(krylov_lanczos) {
  VECTOR(v, 0); VECTOR(product, 1); VECTOR(before, 2);
  const f64 shift = p.shift, by = p.reals[BETA_BEFORE] > 0 ? p.reals[BETA] / p.reals[BETA_BEFORE] : 0;
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value left = product[i] - scaled(v[i], shift) - scaled(before[i], by);
             before[i] = left;
             sums[0] = sums[0] + inner(v[i], left);
           },
           [&](wide *sums) { p.reals[ALPHA] = real_of(sums[0]); });
}

// The next rotation, from the square of the next norm.
DEVICE void rotate(const params &p, wide squared) {
  f64 *const s = p.reals;
  if (!beta_of(p, squared)) return;
  s[OLD] = s[EPSILON];
  s[NEXT] = s[COSINE] * s[DELTA] + s[SINE] * s[ALPHA];
  const f64 bar = s[SINE] * s[DELTA] - s[COSINE] * s[ALPHA];
  s[EPSILON] = s[SINE] * s[BETA];
  s[DELTA] = -s[COSINE] * s[BETA];
  s[GAMMA] = hypot(bar, s[BETA]);
  if (!(s[GAMMA] > 0) || !isfinite(s[GAMMA])) return give_up(p, 2);
  s[COSINE] = bar / s[GAMMA];
  s[SINE] = s[BETA] / s[GAMMA];
  s[STEP] = s[COSINE] * s[PHI];
  s[PHI] *= s[SINE];
  s[COUNT] += 1;
  s[DONE] = !(s[PHI] > s[BOUND] * s[FIRST]) || !isfinite(s[PHI]) || s[BETA] == 0 || s[COUNT] >= s[MOST];
}

// Orthogonalises against the last vector.
KERNEL(krylov_update) {
  VECTOR(before, 0); VECTOR(r, 1);
  const f64 by = p.reals[ALPHA] / p.reals[BETA];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value last = r[i], left = before[i] - scaled(last, by);
             before[i] = last;
             r[i] = left;
             sums[0] = sums[0] + inner(left, left);
           },
           [&](wide *sums) {
             if (!p.preconditioned) rotate(p, sums[0]);
           });
}

// The rotation with the norm of a preconditioner; z is copied to y.
KERNEL(krylov_rotate) {
  VECTOR(r, 0); VECTOR(z, 1); VECTOR(y, 2);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value next = z[i];
             sums[0] = sums[0] + inner(r[i], next);
             y[i] = next;
           },
           [&](wide *sums) { rotate(p, sums[0]); });
}

KERNEL(krylov_direction) {
  VECTOR(x, 0); VECTOR(v, 1); VECTOR(w, 2); VECTOR(w_before, 3);
  const f64 old = p.reals[OLD], next = p.reals[NEXT], by = 1 / p.reals[GAMMA], step = p.reals[STEP];
  sweep<0>(p,
           [=](u64 i, wide *) {
             const value last = w[i], direction = scaled(v[i] - scaled(w_before[i], old) - scaled(last, next), by);
             w_before[i] = last;
             w[i] = direction;
             x[i] = x[i] + scaled(direction, step);
           },
           [&](wide *) {
             if (p.reals[DONE] != 0) *p.going = false;
           });
}
#endif

#undef KERNEL
#undef VECTOR
