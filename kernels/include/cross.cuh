// Vector cross products. Required before it: `given_a` and `given_b` (the dtypes of the vectors in memory), `element`
// (of the products), as_element_a and as_element_b, which cast, times, minus and negated of elements, each rounded,
// `uindex`, PARTS_A and PARTS_B (the numbers of components, 2 or 3). A missing component is 0, and so are its products.
// For two vectors of two components only the third component of the product is written.
//
// A thread computes one product: its components are in the sectors that its neighbours read and write, too.

// Returns the component of a product that the components i and j of the vectors determine.
DEVICE element part(const element (&a)[3], const element (&b)[3], int i, int j) {
  const bool forth = i < PARTS_A && j < PARTS_B, back = j < PARTS_A && i < PARTS_B;
  if (forth && back) return minus(times(a[i], b[j]), times(a[j], b[i]));
  if (forth) return times(a[i], b[j]);
  if (back) return negated(times(a[j], b[i]));
  return element();
}

extern "C" __global__ void __launch_bounds__(256) cross_product(const __grid_constant__ params p) {
  const u64 number = (u64)blockIdx.x * 256 + threadIdx.x;
  if (number >= p.vectors) return;
  uindex rest = (uindex)number;
  i64 at_a = 0, at_b = 0, to = 0;
#pragma unroll 1
  for (u32 d = p.axes; d > 1; --d) {
    const uindex q = divide(rest, p.sizes[d - 1]);
    const i64 r = (i64)(rest - q * (uindex)p.sizes[d - 1].divisor);
    at_a += r * p.a_strides[d - 1];
    at_b += r * p.b_strides[d - 1];
    to += r * p.out_strides[d - 1];
    rest = q;
  }
  at_a += (i64)rest * p.a_strides[0];
  at_b += (i64)rest * p.b_strides[0];
  to += (i64)rest * p.out_strides[0];
  element a[3], b[3];
#pragma unroll
  for (int k = 0; k < PARTS_A; ++k) a[k] = as_element_a(*(const given_a *)((const char *)p.a + at_a + k * p.parts[0]));
#pragma unroll
  for (int k = 0; k < PARTS_B; ++k) b[k] = as_element_b(*(const given_b *)((const char *)p.b + at_b + k * p.parts[1]));
  char *out = (char *)p.out + to;
  if (PARTS_A + PARTS_B == 4) {
    *(element *)out = part(a, b, 0, 1);
    return;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) *(element *)(out + k * p.parts[2]) = part(a, b, (k + 1) % 3, (k + 2) % 3);
}
