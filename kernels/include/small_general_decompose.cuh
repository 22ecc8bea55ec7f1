// Kernels of the eigendecomposition of small general matrices. Required before it: `small_general.cuh`, and
// `small_general_real.cuh` or `small_general_complex.cuh`.

template <bool VECTORS> DEVICE void decompose(const params &p) {
  const u32 n = p.n, team = p.team, thread = threadIdx.x % team, pitch = n | 1;
  const u64 matrix = (u64)blockIdx.x * (blockDim.x / team) + threadIdx.x / team;
  // Teams of a block with several matrices are warps, which share no barrier.
  if (matrix >= p.batch) return;
  element *first = (element *)(memory + (u64)(threadIdx.x / team) * p.bytes);
  element *vectors = VECTORS ? (element *)p.vectors + matrix * (n * n) : nullptr;
  const u32 elements = (VECTORS && !OUTSIDE ? 2 : 1) * n * pitch;
  complex<real> *values = (complex<real> *)(first + elements + n);
  u32 *order = (u32 *)(values + n);
  workspace w = {first, OUTSIDE ? vectors : first + n * pitch, first + elements, values, order, (int *)(order + n),
                 n,     pitch, team, thread, threadIdx.x % WARP};
  const extent of = read(w, (const element *)p.a + matrix * (n * n));
  u64 pairs = 0;
  u32 left = 0;
  real norm = 0;
  if (of.is_finite) {
    balance(w, of);
    norm = largest_element(w);
    w.barrier();
    reduce<VECTORS>(w, of);
    left = iterate<VECTORS>(w, norm, pairs);
    w.barrier();
  }
  if (thread == 0) {
    ((i32 *)p.not_finite)[matrix] = !of.is_finite;
    ((i32 *)p.info)[matrix] = (i32)left;
  }
  const bool is_found = of.is_finite && left == 0;
  const real no_number = (real)__int_as_float(0x7fc00000);
  complex<real> *out = (complex<real> *)p.values + matrix * n;
  for (u32 k = thread; k < n; k += team) out[k] = is_found ? shifted(w.values[k], of.exponent) : complex<real>{no_number, no_number};
  if constexpr (VECTORS) {
    if (is_found) {
      substitute(w, norm, pairs);
      multiply(w, pairs);
      if constexpr (OUTSIDE) {
        for (u32 e = thread; e < n * n; e += team) put(w.row(e % n) + e / n, get(w.z + e));
        w.z = w.a;
        w.barrier();
      }
      normalise(w, pairs);
    }
    for (u32 e = thread; e < n * n; e += team) {
      const u32 r = e / n, c = e % n;
      if (is_found) vectors[w.order[r] * n + c] = get(w.z + r * pitch + c);
      else vectors[e] = number(no_number);
    }
  }
}

extern "C" __global__ void __launch_bounds__(128) small_general_values(const __grid_constant__ params p) { decompose<false>(p); }
extern "C" __global__ void __launch_bounds__(128) small_general_vectors(const __grid_constant__ params p) { decompose<true>(p); }
