// Bits of 16 adjacent bytes that are 0 or 1.
DEVICE u32 pack4(u32 four) { return ((four & 0x01010101u) * 0x01020408u) >> 24 & 15; }
DEVICE u32 pack16(uint4 v) { return pack4(v.x) | pack4(v.y) << 4 | pack4(v.z) << 8 | pack4(v.w) << 12; }
DEVICE u32 unpack4(u32 b) { return ((b & 15) * 0x00204081u) & 0x01010101u; }
DEVICE uint4 unpack16(u32 b) {
  uint4 v;
  v.x = unpack4(b);
  v.y = unpack4(b >> 4);
  v.z = unpack4(b >> 8);
  v.w = unpack4(b >> 12);
  return v;
}
