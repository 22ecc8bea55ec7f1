// Trigonometric functions in degrees. The angle is reduced to [0, 45] exactly; SciPy returns 0 beyond 1e14.
template <class T> DEVICE bool angle_is_lost(T x) { return (f64)fabs(x) > 1e14; }
template <class T> DEVICE T radians_of(T degrees) { return degrees * (T)0.017453292519943295; }
// The sine and the cosine of an angle from 0 to 90 degrees.
template <class T> DEVICE T sine_of(T r) { return r > 45 ? cos(radians_of(90 - r)) : sin(radians_of(r)); }
template <class T> DEVICE T sindg(T x) {
  if (angle_is_lost(x)) return 0;
  T r = fmod(fabs(x), (T)360);
  bool negative = (x < 0) != (r >= 180);
  if (r >= 180) r -= 180;
  T y = sine_of(r > 90 ? 180 - r : r);
  return negative ? -y : y;
}
template <class T> DEVICE T cosdg(T x) {
  if (angle_is_lost(x)) return 0;
  T r = fmod(fabs(x), (T)360);
  bool negative = (r >= 180) != (r >= 90 && r < 180 || r >= 270);
  if (r >= 180) r -= 180;
  T y = sine_of(r > 90 ? r - 90 : 90 - r);
  return negative ? -y : y;
}
// The tangent, or the cotangent, of an angle in degrees; infinite at the poles, without a sign.
template <class T> DEVICE T tandg(T x, bool cotangent) {
  if (angle_is_lost(x)) return 0;
  T r = fmod(fabs(x), (T)180);
  if (r == (cotangent ? 0 : 90)) return (T)__int_as_float(0x7f800000);
  if (r == (cotangent ? 90 : 0)) return 0;
  bool negative = (x < 0) != (r > 90);
  if (r > 90) r = 180 - r;
  T t = tan(radians_of(r > 45 ? 90 - r : r));
  T y = (r > 45) != cotangent ? 1 / t : t;
  return negative ? -y : y;
}
template <class T> DEVICE T radian(T d, T m, T s) {
  const T degrees = d + m / 60 + s / 3600, unit = (T)0.017453292519943295;
  // The sum may overflow where the angle in radians does not.
  return isfinite(degrees) ? degrees * unit : d * unit + m * (unit / 60) + s * (unit / 3600);
}
