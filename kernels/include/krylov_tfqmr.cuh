// Iterations of the quasi-minimal residual method without transposes (R. W. Freund, 1993). Before it: krylov_sweep.cuh.
//
// An iteration has two steps, each with a product of the matrix and a vector z, the preconditioned y. The residual is updated with the
// solution, by `s`, the product of the matrix and the direction `d`: the norm that ends the iterations is that of a residual, not the bound
// of the method.

// Positions in `reals`, the first of which the host reads or writes.
enum { COUNT, MOST, BOUND, BROKEN, PAUSED, TAU, THETA };
// Positions in `scalars`: ETA is the length of the step, and FACTOR that of the last direction.
enum { RHO, ALPHA, BETA, ETA, FACTOR, NEXT_RHO };

DEVICE void give_up(const params &p, f64 code) {
  p.reals[BROKEN] = code;
  *p.going = false;
}

// Ends the iterations where the square of the residual's norm is small or not finite.
DEVICE bool is_open(const params &p, f64 squared) {
  const bool on = squared > p.reals[BOUND] && isfinite(squared);
  *p.going = on;
  return on;
}

KERNEL(krylov_begin) {
  VECTOR(r, 0); VECTOR(shadow, 1); VECTOR(y, 2); VECTOR(w, 3); VECTOR(along, 4); VECTOR(other, 5); VECTOR(d, 6); VECTOR(s, 7);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value x = r[i];
             shadow[i] = y[i] = w[i] = x;
             along[i] = other[i] = d[i] = s[i] = value{};
             sums[0] = sums[0] + inner(x, x);
           },
           [&](wide *sums) {
             p.reals[BROKEN] = p.reals[THETA] = 0;
             p.reals[TAU] = sqrt(real_of(sums[0]));
             p.scalars[RHO] = sums[0];
             p.scalars[BETA] = p.scalars[ETA] = p.scalars[FACTOR] = wide{};
             if (is_zero(sums[0])) give_up(p, -1);
           });
}

// along = A z + beta (other + beta along), and alpha = rho / <shadow, along>. `other` is the product of the half before.
KERNEL(krylov_alpha) {
  VECTOR(shadow, 0); VECTOR(along, 1); VECTOR(other, 2); VECTOR(product, 3);
  const value beta = narrowed(p.scalars[BETA]);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value x = product[i] + beta * (other[i] + beta * along[i]);
             along[i] = x;
             sums[0] = sums[0] + inner(shadow[i], x);
           },
           [&](wide *sums) {
             if (is_zero(sums[0])) return give_up(p, -1);
             const wide alpha = p.scalars[RHO] / sums[0];
             p.scalars[ALPHA] = alpha;
             const f64 theta = p.reals[THETA];
             p.scalars[FACTOR] = is_zero(p.scalars[ETA]) ? wide{} : wide{theta * theta} * p.scalars[ETA] / alpha;
           });
}

// The next direction and its product, and the rotation that follows from the norm of w.
KERNEL(krylov_rotate) {
  VECTOR(shadow, 0); VECTOR(w, 1); VECTOR(d, 2); VECTOR(s, 3); VECTOR(z, 4); VECTOR(product, 5);
  const value alpha = narrowed(p.scalars[ALPHA]), factor = narrowed(p.scalars[FACTOR]);
  sweep<2>(p,
           [=](u64 i, wide *sums) {
             const value along = product[i], left = w[i] - alpha * along;
             d[i] = z[i] + factor * d[i];
             s[i] = along + factor * s[i];
             w[i] = left;
             sums[0] = sums[0] + inner(left, left);
             sums[1] = sums[1] + inner(shadow[i], left);
           },
           [&](wide *sums) {
             const f64 theta = sqrt(real_of(sums[0])) / p.reals[TAU], squared = 1 / (1 + theta * theta);
             p.reals[THETA] = theta;
             p.reals[TAU] *= theta * sqrt(squared);
             p.scalars[ETA] = wide{squared} * p.scalars[ALPHA];
             // Of the second half, where alpha is the same.
             p.scalars[FACTOR] = wide{theta * theta * squared};
             p.scalars[NEXT_RHO] = sums[1];
           });
}

KERNEL(krylov_half) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(d, 2); VECTOR(s, 3); VECTOR(y, 4); VECTOR(along, 5);
  const value alpha = narrowed(p.scalars[ALPHA]), eta = narrowed(p.scalars[ETA]);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + eta * d[i];
             const value left = r[i] - eta * s[i];
             r[i] = left;
             y[i] = y[i] - alpha * along[i];
             sums[0] = sums[0] + inner(left, left);
           },
           [&](wide *sums) { is_open(p, real_of(sums[0])); });
}

KERNEL(krylov_update) {
  VECTOR(x, 0); VECTOR(r, 1); VECTOR(d, 2); VECTOR(s, 3); VECTOR(y, 4); VECTOR(w, 5); VECTOR(other, 6); VECTOR(product, 7);
  const wide next = p.scalars[NEXT_RHO] / p.scalars[RHO];
  const value beta = narrowed(next), eta = narrowed(p.scalars[ETA]);
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             x[i] = x[i] + eta * d[i];
             const value left = r[i] - eta * s[i];
             r[i] = left;
             y[i] = w[i] + beta * y[i];
             other[i] = product[i];
             sums[0] = sums[0] + inner(left, left);
           },
           [&](wide *sums) {
             const f64 count = p.reals[COUNT] += 1;
             p.reals[PAUSED] = 0;
             if (!is_open(p, real_of(sums[0]))) return;
             if (is_zero(p.scalars[NEXT_RHO])) return give_up(p, -1);
             p.scalars[BETA] = next;
             p.scalars[RHO] = p.scalars[NEXT_RHO];
             if (count >= p.reals[MOST]) *p.going = false;
             // The host looks after each 1,024 iterations.
             else if (fmod(count, 1024.0) == 0) {
               p.reals[PAUSED] = 1;
               *p.going = false;
             }
           });
}

#undef KERNEL
#undef VECTOR
