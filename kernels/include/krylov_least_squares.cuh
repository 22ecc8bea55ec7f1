// Iterations of LSQR (C. C. Paige, M. A. Saunders, 1982) and LSMR (D. C.-L. Fong, M. A. Saunders, 2011): the bidiagonalisation of a matrix,
// and the solution of the bidiagonal least-squares problem by rotations, whose scalars one thread computes. Before it: krylov_sweep.cuh
// and METHOD. `p.shift` is the damping.

// Positions in `reals`, of which the host writes those from MOST to SIZE_B, and reads all.
enum {
  COUNT, MOST, BOUND, BROKEN, PAUSED, A_TOLERANCE, B_TOLERANCE, LIMIT, SIZE_B, STOP, R1_NORM, R2_NORM, A_NORM, A_CONDITION, AR_NORM, X_NORM,
  ALPHA, BETA, RHO_BAR, PHI_BAR, D_NORM, RESIDUE, XX_NORM, Z, COSINE, SINE, RHO, THETA, PHI, TAU, PSI,
  // Of LSMR.
  ZETA_BAR, ALPHA_BAR, C_BAR, S_BAR, ZETA, BETA_DD, BETA_D, RHO_D, TAU_TILDE, THETA_TILDE, D, SQUARES, RHO_BAR_MOST, RHO_BAR_LEAST,
  H_BAR_FACTOR, X_FACTOR, H_FACTOR, RHO_TEMP
};

struct rotation {
  f64 c, s, r;
};

// The rotation that makes (a, b) to (r, 0).
DEVICE rotation rotated(f64 a, f64 b) {
  const f64 r = hypot(a, b);
  return r == 0 ? rotation{1, 0, 0} : rotation{a / r, b / r, r};
}

// u = A v - alpha u; `product` is A v.
KERNEL(krylov_left) {
  VECTOR(u, 0); VECTOR(product, 1);
  const f64 alpha = p.reals[ALPHA];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value x = product[i] - scaled(u[i], alpha);
             u[i] = x;
             sums[0] = sums[0] + inner(x, x);
           },
           [&](wide *sums) { p.reals[BETA] = sqrt(real_of(sums[0])); });
}

KERNEL(krylov_unit) {
  VECTOR(u, 0);
  const f64 beta = p.reals[BETA];
  if (beta > 0) update(p, [=](u64 i) { u[i] = scaled(u[i], 1 / beta); });
}

#if METHOD == LSQR
// The next rotation of the bidiagonal matrix, from the last alpha to the next.
DEVICE void rotate(const params &p, f64 alpha) {
  f64 *const s = p.reals;
  const f64 damp = p.shift, beta = s[BETA];
  if (beta > 0) s[A_NORM] = sqrt(s[A_NORM] * s[A_NORM] + s[ALPHA] * s[ALPHA] + beta * beta + damp * damp);
  s[ALPHA] = alpha;
  s[PSI] = 0;
  if (damp > 0) {
    const rotation first = rotated(s[RHO_BAR], damp);
    s[PSI] = first.s * s[PHI_BAR];
    s[PHI_BAR] *= first.c;
    s[RHO_BAR] = first.r;
  }
  const rotation q = rotated(s[RHO_BAR], beta);
  s[RHO] = q.r;
  s[THETA] = q.s * alpha;
  s[RHO_BAR] = -q.c * alpha;
  s[PHI] = q.c * s[PHI_BAR];
  s[PHI_BAR] *= q.s;
  s[TAU] = q.s * s[PHI];
}

// Estimates of norms, and whether the iterations stop.
DEVICE void finish(const params &p, wide *sums) {
  f64 *const s = p.reals;
  const f64 damp = p.shift;
  s[D_NORM] += real_of(sums[0]);
  const f64 delta = s[SINE] * s[RHO], bar = -s[COSINE] * s[RHO], right = s[PHI] - delta * s[Z];
  s[X_NORM] = sqrt(s[XX_NORM] + (right / bar) * (right / bar));
  const f64 gamma = hypot(bar, s[THETA]);
  s[COSINE] = bar / gamma;
  s[SINE] = s[THETA] / gamma;
  s[Z] = right / gamma;
  s[XX_NORM] += s[Z] * s[Z];
  s[A_CONDITION] = s[A_NORM] * sqrt(s[D_NORM]);
  s[RESIDUE] += s[PSI] * s[PSI];
  s[R2_NORM] = sqrt(s[PHI_BAR] * s[PHI_BAR] + s[RESIDUE]);
  s[AR_NORM] = s[ALPHA] * fabs(s[TAU]);
  const f64 square = s[R2_NORM] * s[R2_NORM] - damp * damp * s[XX_NORM];
  s[R1_NORM] = copysign(sqrt(fabs(square)), square);
}
#endif

#if METHOD == LSMR
DEVICE void rotate(const params &p, f64 alpha) {
  f64 *const s = p.reals;
  const f64 beta = s[BETA];
  s[ALPHA] = alpha;
  // The rotation of the damping, then those of the two factorisations.
  const rotation hat = rotated(s[ALPHA_BAR], p.shift), own = rotated(hat.r, beta);
  const f64 rho_before = s[RHO], bar_before = s[RHO_BAR], zeta_before = s[ZETA];
  s[RHO] = own.r;
  const f64 theta = own.s * alpha;
  s[ALPHA_BAR] = own.c * alpha;
  const f64 theta_bar = s[S_BAR] * s[RHO];
  s[RHO_TEMP] = s[C_BAR] * s[RHO];
  const rotation bar = rotated(s[C_BAR] * s[RHO], theta);
  s[C_BAR] = bar.c;
  s[S_BAR] = bar.s;
  s[RHO_BAR] = bar.r;
  s[ZETA] = bar.c * s[ZETA_BAR];
  s[ZETA_BAR] *= -bar.s;
  s[H_BAR_FACTOR] = theta_bar * s[RHO] / (rho_before * bar_before);
  s[X_FACTOR] = s[ZETA] / (s[RHO] * s[RHO_BAR]);
  s[H_FACTOR] = theta / s[RHO];
  // The norm of the residual.
  const f64 acute = hat.c * s[BETA_DD], check = -hat.s * s[BETA_DD];
  const f64 beta_hat = own.c * acute;
  s[BETA_DD] = -own.s * acute;
  const f64 theta_tilde_before = s[THETA_TILDE];
  const rotation tilde = rotated(s[RHO_D], theta_bar);
  s[THETA_TILDE] = tilde.s * s[RHO_BAR];
  s[RHO_D] = tilde.c * s[RHO_BAR];
  s[BETA_D] = -tilde.s * s[BETA_D] + tilde.c * beta_hat;
  s[TAU_TILDE] = (zeta_before - theta_tilde_before * s[TAU_TILDE]) / tilde.r;
  const f64 tau = (s[ZETA] - s[THETA_TILDE] * s[TAU_TILDE]) / s[RHO_D];
  s[D] += check * check;
  s[R2_NORM] = sqrt(s[D] + (s[BETA_D] - tau) * (s[BETA_D] - tau) + s[BETA_DD] * s[BETA_DD]);
  // The norm and the condition of the matrix.
  s[SQUARES] += beta * beta;
  s[A_NORM] = sqrt(s[SQUARES]);
  s[SQUARES] += alpha * alpha;
  s[RHO_BAR_MOST] = fmax(s[RHO_BAR_MOST], bar_before);
  if (s[COUNT] > 0) s[RHO_BAR_LEAST] = fmin(s[RHO_BAR_LEAST], bar_before);
  s[A_CONDITION] = fmax(s[RHO_BAR_MOST], s[RHO_TEMP]) / fmax(fmin(s[RHO_BAR_LEAST], s[RHO_TEMP]), 1e-300);
  s[AR_NORM] = fabs(s[ZETA_BAR]);
}

DEVICE void finish(const params &p, wide *sums) { p.reals[X_NORM] = sqrt(real_of(sums[0])); }
#endif

// The reason to stop, the smallest number of those that hold, or 0.
DEVICE f64 reason(const params &p) {
  const f64 *const s = p.reals;
  const f64 eps = 2.220446049250313e-16, size = s[SIZE_B], product = s[A_NORM] * s[R2_NORM];
  const f64 first = size > 0 ? s[R2_NORM] / size : 0, scale = size > 0 ? s[A_NORM] * s[X_NORM] / size : 0;
#if METHOD == LSQR
  const f64 second = s[AR_NORM] / (product + eps), third = 1 / (s[A_CONDITION] + eps);
#else
  const f64 second = product > 0 ? s[AR_NORM] / product : 1 / (product * 0), third = 1 / s[A_CONDITION];
#endif
  if (first <= s[B_TOLERANCE] + s[A_TOLERANCE] * scale) return 1;
  if (second <= s[A_TOLERANCE]) return 2;
  if (third <= s[LIMIT]) return 3;
  if (1 + first / (1 + scale) <= 1) return 4;
  if (1 + second <= 1) return 5;
  if (1 + third <= 1) return 6;
  return s[COUNT] >= s[MOST] ? 7 : 0;
}

// v = A^H u - beta v; `product` is A^H u. Both stay as they are where u is zero.
KERNEL(krylov_right) {
  VECTOR(v, 0); VECTOR(product, 1);
  const f64 beta = p.reals[BETA];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             if (!(beta > 0)) return;
             const value x = product[i] - scaled(v[i], beta);
             v[i] = x;
             sums[0] = sums[0] + inner(x, x);
           },
           [&](wide *sums) { rotate(p, beta > 0 ? sqrt(real_of(sums[0])) : p.reals[ALPHA]); });
}

// The next v is divided by its norm; the solution and its direction are updated.
KERNEL(krylov_direction) {
  VECTOR(x, 0); VECTOR(v, 1); VECTOR(w, 2);
  const f64 *const s = p.reals;
  const f64 by = s[BETA] > 0 && s[ALPHA] > 0 ? 1 / s[ALPHA] : 1;
#if METHOD == LSQR
  real *const variance = (real *)p.vectors[3];
  const f64 inverse = 1 / s[RHO], phi = s[PHI], theta = s[THETA];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value unit = scaled(v[i], by), step = scaled(w[i], inverse);
             v[i] = unit;
             x[i] = x[i] + scaled(step, phi);
             w[i] = unit - scaled(step, theta);
             const wide square = inner(step, step);
             if (variance) variance[i] += (real)real_of(square);
             sums[0] = sums[0] + square;
           },
#else
  VECTOR(w_bar, 3);
  const f64 of_bar = s[H_BAR_FACTOR], of_x = s[X_FACTOR], of_w = s[H_FACTOR];
  sweep<1>(p,
           [=](u64 i, wide *sums) {
             const value unit = scaled(v[i], by), bar = w[i] - scaled(w_bar[i], of_bar), next = x[i] + scaled(bar, of_x);
             v[i] = unit;
             w_bar[i] = bar;
             x[i] = next;
             w[i] = unit - scaled(w[i], of_w);
             sums[0] = sums[0] + inner(next, next);
           },
#endif
           [&](wide *sums) {
             f64 *const t = p.reals;
             finish(p, sums);
             t[COUNT] += 1;
             t[STOP] = reason(p);
             // The host looks after each 1,024 iterations.
             t[PAUSED] = t[STOP] == 0 && fmod(t[COUNT], 1024.0) == 0;
             if (t[STOP] != 0 || t[PAUSED] != 0 || !isfinite(t[R2_NORM])) *p.going = false;
           });
}

#undef KERNEL
#undef VECTOR
