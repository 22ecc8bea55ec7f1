// The frame of every reduction. Before it stand: `element` (the dtype in memory), `accumulator`, `result`, `uindex`,
// `divider`, AXES, and the functions identity(), start(element, index), combine(a, b), accumulate(a, element, index),
// which adds a later element to a partial result, and finish(a, n).
//
// The threads of a block stand side by side along the reduced elements (rows) or along the outputs (columns), so
// that neighbours read neighbours. The order of combination depends on the plan alone: the same bits every time.
struct params {
  u64 outputs, reduced, per_split;
  u64 out, in, scratch;
  u32 splits, outputs_log2, columns, kept_axes, reduced_axes, vector, second, unused;
  divider kept[AXES], reduced_sizes[AXES];
  i64 kept_in[AXES], kept_out[AXES], reduced_in[AXES];
};
#define THREADS 256
#define V (sizeof(element) < 16 ? 16 / sizeof(element) : 1)
struct alignas(16) pack {
  element e[V];
};

DEVICE i64 offset_of(uindex i, u32 axes, const divider *sizes, const i64 *strides) {
  i64 offset = 0;
#pragma unroll 1
  for (u32 d = axes; d > 1; --d) {
    uindex q = divide(i, sizes[d - 1]);
    offset += (i64)(i - q * (uindex)sizes[d - 1].divisor) * strides[d - 1];
    i = q;
  }
  return offset + (i64)i * strides[0];
}

// What a thread gathers: elements of the operand (first pass) or partial results of the splits (second pass).
DEVICE accumulator gather(const params &p, const char *base, uindex o, uindex r) {
  if (p.second) return ((const accumulator *)p.scratch)[(u64)r * p.outputs + o];
  i64 at = p.reduced_axes <= 1 ? (i64)r * p.reduced_in[0] : offset_of(r, p.reduced_axes, p.reduced_sizes, p.reduced_in);
  return start(*(const element *)(base + at), (i64)r);
}

// The same of V neighbouring elements, in four partial results that do not wait for each other.
DEVICE void gather_vector(accumulator (&a)[4], const pack &x, u64 r) {
#pragma unroll
  for (int k = 0; k < V; ++k) a[k % 4] = accumulate(a[k % 4], x.e[k], (i64)r + k);
}
DEVICE pack load_vector(const params &p, const char *base, u64 r) {
  i64 at = p.reduced_axes <= 1 ? (i64)(r * sizeof(element)) : offset_of((uindex)r, p.reduced_axes, p.reduced_sizes, p.reduced_in);
  const uint4 word = *(const uint4 *)(base + at);
  pack x;
  memcpy(&x, &word, sizeof(x));
  return x;
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ accumulator shared[THREADS];
  const u32 t = threadIdx.x, kn = 1u << p.outputs_log2, rn = THREADS >> p.outputs_log2;
  const u32 along_outputs = p.columns ? t & (kn - 1) : t / rn;
  const u32 along_reduced = p.columns ? t >> p.outputs_log2 : t & (rn - 1);
  const uindex o = (uindex)((u64)blockIdx.x * kn + along_outputs);
  const u64 total = p.second ? p.splits : p.reduced;
  const u64 begin = p.second ? 0 : (u64)blockIdx.y * p.per_split;
  const u64 end = !p.second && begin + p.per_split < total ? begin + p.per_split : total;
  accumulator a = identity();
  if (o < p.outputs) {
    const char *base = (const char *)p.in + (p.second ? 0 : offset_of(o, p.kept_axes, p.kept, p.kept_in));
    accumulator part[4] = {a, a, a, a};
    if (p.vector) {
      // Rows are whole vectors, and so are the splits.
      u64 r = begin + along_reduced * V;
      pack x, next;
      if (r < end) x = load_vector(p, base, r);
#pragma unroll 1
      for (; r < end; r += rn * V, x = next) {
        if (r + rn * V < end) next = load_vector(p, base, r + rn * V);
        gather_vector(part, x, r);
      }
    } else {
      u64 r = begin + along_reduced;
#pragma unroll 1
      for (; r + 3 * rn < end; r += 4 * rn) {
        accumulator x[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = gather(p, base, o, (uindex)(r + k * rn));
#pragma unroll
        for (int k = 0; k < 4; ++k) part[k] = combine(part[k], x[k]);
      }
#pragma unroll 1
      for (; r < end; r += rn) part[0] = combine(part[0], gather(p, base, o, (uindex)r));
    }
    a = combine(combine(part[0], part[1]), combine(part[2], part[3]));
  }
  const u32 step = p.columns ? kn : 1;
  shared[t] = a;
  __syncthreads();
#pragma unroll 1
  for (u32 half = rn / 2; half > 0; half /= 2) {
    if (along_reduced < half) shared[t] = a = combine(a, shared[t + half * step]);
    __syncthreads();
  }
  if (along_reduced != 0 || o >= p.outputs) return;
  if (!p.second && p.splits > 1) {
    ((accumulator *)p.scratch)[(u64)blockIdx.y * p.outputs + o] = a;
  } else {
    *(result *)((char *)p.out + offset_of(o, p.kept_axes, p.kept, p.kept_out)) = finish(a, p.reduced);
  }
}
