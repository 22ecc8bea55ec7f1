// Sort order: NaN after all numbers. Complex numbers are ordered by real, then by imaginary part; those without a NaN
// come first, then those with one in the imaginary part, then those with one in the real part.
template <class T> DEVICE bool goes_before(T a, T b) { return a < b; }
DEVICE bool goes_before(f32 a, f32 b) { return a < b || (b != b && a == a); }
DEVICE bool goes_before(f64 a, f64 b) { return a < b || (b != b && a == a); }
