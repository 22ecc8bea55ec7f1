// Positions of updates: given, or read from an array of indices of one axis, which are checked.
//
// Required before it: at_targets.cuh; `cell`, the type of the positions or indices; CHECKED; and, if they are indices,
// device_errors.cuh.

#if CHECKED
// A bit of the flags of the call.
constexpr u32 REJECTED = 2;

// Reads the position of update n, counted from the front. Returns false for an index out of bounds, which is reported,
// and which becomes 0; then nothing of the call must be changed.
DEVICE bool position_of(const params &p, u64 n, u64 &position) {
  const i64 index = (i64)((const cell *)p.keys)[n], from_front = index + (index < 0 ? (i64)p.bound : 0);
  const bool fine = (u64)from_front < p.bound;
  position = fine ? (u64)from_front : 0;
  if (!fine) {
    atomicOr((u32 *)p.marks, REJECTED);
    report_error((error_record *)p.record, p.call, p.function, n, index, p.axis, p.bound);
  }
  return fine;
}
// All indices are checked, so that the first one out of bounds is reported.
DEVICE bool is_rejected_before(const params &) { return false; }
DEVICE bool is_rejected(const params &p) { return *(const u32 *)p.marks & REJECTED; }
#else
DEVICE bool position_of(const params &p, u64 n, u64 &position) {
  position = (u64)((const cell *)p.keys)[n];
  return true;
}
DEVICE bool is_rejected_before(const params &p) { return p.rejected && *(const u32 *)p.rejected != 0; }
DEVICE bool is_rejected(const params &p) { return is_rejected_before(p); }
#endif
