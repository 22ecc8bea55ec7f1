// Warp matrix multiply-accumulate (WMMA), under the names of CUDA's header. The loads, stores and products are compiler
// builtins.
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major {
  enum { code = 0 };
};
struct col_major {
  enum { code = 1 };
};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

// The elements of a matrix that a thread holds.
template <class T, int N> struct __align__(8) fragment_elements {
  typedef T element_type;
  typedef T storage_element_type;
  enum { num_elements = N, num_storage_elements = N };
  T x[N];
};
template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;

template <class T, int N, class V> __device__ inline void fill_fragment(fragment_elements<T, N> &f, const V &value) {
#pragma unroll
  for (int i = 0; i < N; ++i) f.x[i] = (T)value;
}
__device__ inline float __float_to_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

// A factor: its type, its layout, the elements of a thread, its load, and the type that the load takes.
#define CUPRUM_FACTOR(use, M, N, K, T, S, P, count, load, R)                                                           \
  template <class L> class fragment<use, M, N, K, T, L> : public fragment_elements<S, count> {};                       \
  template <class L>                                                                                                   \
  __device__ inline void load_matrix_sync(fragment<use, M, N, K, T, L> &f, const P *from, unsigned stride) {           \
    load((R *)f.x, (const R *)from, stride, L::code);                                                                  \
  }
// An accumulator.
#define CUPRUM_SUM(M, N, K, T, count, load, store, R)                                                                  \
  template <> class fragment<accumulator, M, N, K, T> : public fragment_elements<T, count> {};                         \
  __device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned stride,        \
                                          layout_t layout) {                                                           \
    if (layout == mem_row_major) load((R *)f.x, (const R *)from, stride, 0);                                           \
    else load((R *)f.x, (const R *)from, stride, 1);                                                                   \
  }                                                                                                                    \
  __device__ inline void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride,         \
                                           layout_t layout) {                                                          \
    if (layout == mem_row_major) store((R *)to, (const R *)f.x, stride, 0);                                            \
    else store((R *)to, (const R *)f.x, stride, 1);                                                                    \
  }
// A product of factors of T with accumulators of D and C; for integers it may saturate.
#define CUPRUM_PRODUCT(M, N, K, T, D, C, multiply, RD, RT, RC)                                                         \
  template <class LA, class LB>                                                                                        \
  __device__ inline void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,   \
                                  const fragment<matrix_b, M, N, K, T, LB> &b,                                         \
                                  const fragment<accumulator, M, N, K, C> &c, bool saturates = false) {                \
    if (saturates) multiply((RD *)d.x, (const RT *)a.x, (const RT *)b.x, (const RC *)c.x, 2 * LA::code + LB::code, 1); \
    else multiply((RD *)d.x, (const RT *)a.x, (const RT *)b.x, (const RC *)c.x, 2 * LA::code + LB::code, 0);           \
  }

#define CUPRUM_OF_HALF(M, N, K)                                                                                        \
  CUPRUM_FACTOR(matrix_a, M, N, K, half, half, half, 16, __hmma_m##M##n##N##k##K##_ld_a, int)                          \
  CUPRUM_FACTOR(matrix_b, M, N, K, half, half, half, 16, __hmma_m##M##n##N##k##K##_ld_b, int)                          \
  CUPRUM_SUM(M, N, K, half, 8, __hmma_m##M##n##N##k##K##_ld_c_f16, __hmma_m##M##n##N##k##K##_st_c_f16, int)            \
  CUPRUM_SUM(M, N, K, float, 8, __hmma_m##M##n##N##k##K##_ld_c_f32, __hmma_m##M##n##N##k##K##_st_c_f32, float)         \
  CUPRUM_PRODUCT(M, N, K, half, half, half, __hmma_m##M##n##N##k##K##_mma_f16f16, int, int, int)                       \
  CUPRUM_PRODUCT(M, N, K, half, half, float, __hmma_m##M##n##N##k##K##_mma_f16f32, int, int, float)                    \
  CUPRUM_PRODUCT(M, N, K, half, float, half, __hmma_m##M##n##N##k##K##_mma_f32f16, float, int, int)                    \
  CUPRUM_PRODUCT(M, N, K, half, float, float, __hmma_m##M##n##N##k##K##_mma_f32f32, float, int, float)
#define CUPRUM_OF_BFLOAT(M, N, K, na, nb)                                                                              \
  CUPRUM_FACTOR(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, na,                                    \
                __mma_bf16_m##M##n##N##k##K##_ld_a, int)                                                               \
  CUPRUM_FACTOR(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, nb,                                    \
                __mma_bf16_m##M##n##N##k##K##_ld_b, int)                                                               \
  CUPRUM_PRODUCT(M, N, K, __nv_bfloat16, float, float, __mma_bf16_m##M##n##N##k##K##_mma_f32, float, int, float)
#define CUPRUM_OF_BYTE(M, N, K, T, name, na, nb)                                                                       \
  CUPRUM_FACTOR(matrix_a, M, N, K, T, T, T, na, __imma_m##M##n##N##k##K##_ld_a_##name, int)                            \
  CUPRUM_FACTOR(matrix_b, M, N, K, T, T, T, nb, __imma_m##M##n##N##k##K##_ld_b_##name, int)                            \
  CUPRUM_PRODUCT(M, N, K, T, int, int, __imma_m##M##n##N##k##K##_mma_##name, int, int, int)
#define CUPRUM_OF_BYTES(M, N, K, na, nb)                                                                               \
  CUPRUM_SUM(M, N, K, int, 8, __imma_m##M##n##N##k##K##_ld_c, __imma_m##M##n##N##k##K##_st_c_i32, int)                 \
  CUPRUM_OF_BYTE(M, N, K, signed char, s8, na, nb)                                                                     \
  CUPRUM_OF_BYTE(M, N, K, unsigned char, u8, na, nb)
#define CUPRUM_OF_NIBBLE(T, name)                                                                                      \
  CUPRUM_FACTOR(matrix_a, 8, 8, 32, T, int, void, 1, __imma_m8n8k32_ld_a_##name, int)                                  \
  CUPRUM_FACTOR(matrix_b, 8, 8, 32, T, int, void, 1, __imma_m8n8k32_ld_b_##name, int)                                  \
  CUPRUM_PRODUCT(8, 8, 32, T, int, int, __imma_m8n8k32_mma_##name, int, int, int)

CUPRUM_OF_HALF(16, 16, 16)
CUPRUM_OF_HALF(32, 8, 16)
CUPRUM_OF_HALF(8, 32, 16)
CUPRUM_OF_BYTES(16, 16, 16, 8, 8)
CUPRUM_OF_BYTES(32, 8, 16, 16, 4)
CUPRUM_OF_BYTES(8, 32, 16, 4, 16)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
CUPRUM_OF_BFLOAT(16, 16, 16, 8, 8)
CUPRUM_OF_BFLOAT(32, 8, 16, 16, 4)
CUPRUM_OF_BFLOAT(8, 32, 16, 4, 16)
CUPRUM_FACTOR(matrix_a, 16, 16, 8, precision::tf32, float, float, 4, __mma_tf32_m16n16k8_ld_a, int)
CUPRUM_FACTOR(matrix_b, 16, 16, 8, precision::tf32, float, float, 4, __mma_tf32_m16n16k8_ld_b, int)
CUPRUM_SUM(16, 16, 8, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32, float)
CUPRUM_PRODUCT(16, 16, 8, precision::tf32, float, float, __mma_tf32_m16n16k8_mma_f32, float, int, float)
CUPRUM_FACTOR(matrix_a, 8, 8, 4, double, double, double, 1, __dmma_m8n8k4_ld_a, double)
CUPRUM_FACTOR(matrix_b, 8, 8, 4, double, double, double, 1, __dmma_m8n8k4_ld_b, double)
CUPRUM_SUM(8, 8, 4, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64, double)
CUPRUM_PRODUCT(8, 8, 4, double, double, double, __dmma_m8n8k4_mma_f64, double, double, double)
#endif
CUPRUM_SUM(8, 8, 32, int, 2, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32, int)
CUPRUM_OF_NIBBLE(experimental::precision::s4, s4)
CUPRUM_OF_NIBBLE(experimental::precision::u4, u4)
CUPRUM_FACTOR(matrix_a, 8, 8, 128, experimental::precision::b1, int, void, 1, __bmma_m8n8k128_ld_a_b1, int)
CUPRUM_FACTOR(matrix_b, 8, 8, 128, experimental::precision::b1, int, void, 1, __bmma_m8n8k128_ld_b_b1, int)
CUPRUM_SUM(8, 8, 128, int, 2, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32, int)
template <class LA, class LB>
__device__ inline void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                                 const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, LA> &a,
                                 const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, LB> &b,
                                 const fragment<accumulator, 8, 8, 128, int> &c,
                                 experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                 experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (op == experimental::bmmaBitOpAND) {
    __bmma_m8n8k128_mma_and_popc_b1(d.x, a.x, b.x, c.x, 1);
    return;
  }
#endif
  __bmma_m8n8k128_mma_xor_popc_b1(d.x, a.x, b.x, c.x, 1);
}
namespace experimental {
using wmma::bmma_sync;
}
#undef CUPRUM_FACTOR
#undef CUPRUM_SUM
#undef CUPRUM_PRODUCT
#undef CUPRUM_OF_HALF
#undef CUPRUM_OF_BFLOAT
#undef CUPRUM_OF_BYTE
#undef CUPRUM_OF_BYTES
#undef CUPRUM_OF_NIBBLE
}
}
