// Positions beyond the ends of an axis. The rules are numbered as `BorderRule` of the host.
enum border_rule : u32 { REFLECT, MIRROR, NEAREST, WRAP, CONSTANT };

// Returns the position of an axis of n elements that a position refers to, or -1 for the constant. Only positions more
// than an axis away are divided.
DEVICE i64 border(i64 i, i64 n, u32 rule) {
  if ((u64)i < (u64)n) return i;
  if (rule == CONSTANT) return -1;
  if (rule == NEAREST) return i < 0 ? 0 : n - 1;
  if (n == 1) return 0;
  const i64 period = rule == WRAP ? n : rule == REFLECT ? 2 * n : 2 * n - 2;
  if (i < -period || i >= period) i %= period;
  if (i < 0) i += period;
  if (i < n) return i;
  return rule == REFLECT ? period - 1 - i : period - i;
}
