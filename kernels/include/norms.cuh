DEVICE f32 magnitude_of(f32 x) { return fabsf(x); }
DEVICE f64 magnitude_of(f64 x) { return fabs(x); }
DEVICE f32 square_of(f32 x) { return x * x; }
DEVICE f64 square_of(f64 x) { return x * x; }
