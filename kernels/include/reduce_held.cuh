// Loads held in registers: V adjacent elements each, `step` apart in a row; with a mask `kept` says which elements take
// part.

// Accumulates U of them, from AT on, and advances.
template <u32 U, u32 AT, u32 LOADS>
DEVICE void take_held(lane &a, const element (&e)[LOADS][V], const u32 *kept, u32 &taken, uindex &r, uindex step) {
  u32 keep = ALL_KEPT;
#if MASKED
  keep = 0;
#pragma unroll
  for (u32 u = 0; u < U; ++u) keep |= kept[AT + u] << (u * V);
#endif
  value x[U * V];
#pragma unroll
  for (u32 k = 0; k < U * V; ++k) x[k] = value_of(e[AT + k / V][k % V]);
  take<U * V, V>(a, x, keep, taken, r, step);
  taken += U * V;
  r += U * step;
}
// Accumulates the `left` remaining loads from AT on, fewer than 2 U, by halving.
template <u32 U, u32 AT, u32 LOADS>
DEVICE void take_left(lane &a, const element (&e)[LOADS][V], const u32 *kept, u32 &taken, uindex &r, uindex step, u32 left) {
  if constexpr (U > 0) {
    if constexpr (AT + U <= LOADS) {
      if (left >= U) {
        take_held<U, AT>(a, e, kept, taken, r, step);
        take_left<U / 2, AT + U>(a, e, kept, taken, r, step, left - U);
        return;
      }
    }
    take_left<U / 2, AT>(a, e, kept, taken, r, step, left);
  }
}
