// The exponential of a float16 number, to be rounded to float16: 2^(a p) (1 + a q), where p + q / log 2 = 1 / log 2 and
// the product of p, which has 13 bits, and of a number of 11 bits is exact. The last term of the factor makes up for the
// approximate power, whose errors are mostly negative. Below -100 the result is 0.
DEVICE f32 half_exp(f32 a) {
  const f32 x = one_nan_maximum(a, -100.0f);
  f32 power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * 0x1.715p0f));
  return __fmaf_rn(power, __fmaf_rn(x, 4.719484162185275e-05f, 0x1.ep-25f), power);
}
