// Prologue fusion: elements of an expression over arrays, computed as they are read. Required before it: `params` with
// the arrays' addresses and the scalars, `uindex`, ARRAYS, and `reading`, the expression. It is followed by functions
// that depend on the operands' layouts: beginning(p), the addresses of the arrays; gathered<N>, the operands at N
// adjacent positions; gather(p, at, strides, axis, g), which reads them; and compute(p, g, e), which computes the
// elements and returns a bit mask of those that take part, if the expression has a mask as its second result.

// Address in each of the arrays.
struct origin {
  const char *at[ARRAYS];
};

// Advances to element i of a walk over several axes.
template <class D, int AXES>
DEVICE void walk(origin &to, uindex i, u32 axes, const D *sizes, const i64 (&strides)[ARRAYS][AXES]) {
#pragma unroll 1
  for (u32 d = axes; d > 1; --d) {
    const uindex q = divide(i, sizes[d - 1]);
    const i64 c = (i64)(i - q * (uindex)sizes[d - 1].divisor);
#pragma unroll
    for (u32 k = 0; k < ARRAYS; ++k) to.at[k] += c * strides[k][d - 1];
    i = q;
  }
#pragma unroll
  for (u32 k = 0; k < ARRAYS; ++k) to.at[k] += (i64)i * strides[k][0];
}

// N contiguous elements, by loads of up to 16 bytes.
template <int BYTES> struct chunk_of { typedef uint4 type; };
template <> struct chunk_of<1> { typedef u8 type; };
template <> struct chunk_of<2> { typedef u16 type; };
template <> struct chunk_of<4> { typedef u32 type; };
template <> struct chunk_of<8> { typedef uint2 type; };
template <class T, int N> DEVICE void gather_dense(T (&x)[N], const char *at) {
  typedef typename chunk_of<(sizeof(T) * N > 16 ? 16 : sizeof(T) * N)>::type chunk;
  constexpr int CHUNKS = sizeof(T) * N / sizeof(chunk);
  chunk w[CHUNKS];
#pragma unroll
  for (int k = 0; k < CHUNKS; ++k) w[k] = ((const chunk *)at)[k];
  memcpy(x, w, sizeof(x));
}
// N elements that are `step` bytes apart.
template <class T, int N> DEVICE void gather_apart(T (&x)[N], const char *at, i64 step) {
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = *(const T *)(at + k * step);
}
