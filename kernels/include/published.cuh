// Numbers that warps of one launch pass to each other through global memory, without flags and fences. Before it: `word`, the unsigned
// integer of the size of a real number, and COMPLEX.
//
// An element that is not known yet has the bits of UNKNOWN, a NaN that no result has. Who needs it reads until it has other bits. A
// complex number is known when both of its parts are.

constexpr word UNKNOWN = ~(word)0;

// Reads a real number that may be unknown.
template <class T> DEVICE T peek(const T *at) {
  const word w = *(const volatile word *)at;
  T x;
  memcpy(&x, &w, sizeof x);
  return x;
}
// Waits for a real number, of which `x` was read.
template <class T> DEVICE T await(T x, const T *at) {
  word w;
  memcpy(&w, &x, sizeof x);
  // A sleep takes longer than most waits.
  for (u32 tries = 0; w == UNKNOWN; ++tries) {
    if (tries >= 64) __nanosleep(20);
    w = *(const volatile word *)at;
  }
  memcpy(&x, &w, sizeof x);
  return x;
}
// Publishes a real number: a NaN with the bits of UNKNOWN as another one.
template <class T> DEVICE void publish(T *at, T x) {
  word w;
  memcpy(&w, &x, sizeof x);
  *(volatile word *)at = w == UNKNOWN ? UNKNOWN >> 1 : w;
}
// Sets a real number to unknown.
DEVICE void forget(f32 *at) { *(volatile word *)at = UNKNOWN; }
DEVICE void forget(f64 *at) { *(volatile word *)at = UNKNOWN; }
DEVICE f32 shuffled(f32 x, u32 lanes) { return __shfl_xor_sync(~0u, x, lanes); }
DEVICE f64 shuffled(f64 x, u32 lanes) { return __shfl_xor_sync(~0u, x, lanes); }
DEVICE f32 from_lane(f32 x, u32 lane) { return __shfl_sync(~0u, x, lane); }
DEVICE f64 from_lane(f64 x, u32 lane) { return __shfl_sync(~0u, x, lane); }
DEVICE f32 conjugated(f32 x) { return x; }
DEVICE f64 conjugated(f64 x) { return x; }
#if COMPLEX
template <class T> DEVICE complex<T> peek(const complex<T> *at) { return {peek(&at->re), peek(&at->im)}; }
template <class T> DEVICE complex<T> await(complex<T> x, const complex<T> *at) { return {await(x.re, &at->re), await(x.im, &at->im)}; }
template <class T> DEVICE void publish(complex<T> *at, complex<T> x) {
  publish(&at->re, x.re);
  publish(&at->im, x.im);
}
template <class T> DEVICE void forget(complex<T> *at) {
  forget(&at->re);
  forget(&at->im);
}
template <class T> DEVICE complex<T> shuffled(complex<T> x, u32 lanes) { return {shuffled(x.re, lanes), shuffled(x.im, lanes)}; }
template <class T> DEVICE complex<T> from_lane(complex<T> x, u32 lane) { return {from_lane(x.re, lane), from_lane(x.im, lane)}; }
template <class T> DEVICE complex<T> conjugated(complex<T> x) { return {x.re, -x.im}; }
#endif
