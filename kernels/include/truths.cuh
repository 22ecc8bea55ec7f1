// 1 for each of four bytes that is not 0.
DEVICE u32 truths(u32 w) {
  w |= w >> 4;
  w |= w >> 2;
  return (w | w >> 1) & 0x01010101u;
}
