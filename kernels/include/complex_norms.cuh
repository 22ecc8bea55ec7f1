DEVICE f32 magnitude_of(c64 z) { return (f32)hypot((f64)z.re, (f64)z.im); }
DEVICE f64 magnitude_of(c128 z) { return hypot(z.re, z.im); }
DEVICE f32 square_of(c64 z) { return z.re * z.re + z.im * z.im; }
DEVICE f64 square_of(c128 z) { return z.re * z.re + z.im * z.im; }
