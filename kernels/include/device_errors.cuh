// Error record of a host thread: the first error that the kernels of its calls have raised, ordered by the number of
// the call and then by the position in it. `device_errors.rs` of the crate `cuprum` reads it.
//
// Each word is a key of 52 bits, call and position, above 12 bits of the error's description. The smallest key wins in
// each word independently, and equal keys have equal descriptions: once the kernels have finished, all words belong to
// the first error, in whatever order the threads ran. No thread waits for another. An empty record is all ones.
struct error_record {
  u64 value[6], size[6], axis[3], function[1];
};
constexpr int ERROR_PIECE = 12, ERROR_POSITION = 40;

template <int WORDS> DEVICE void describe_error(u64 (&words)[WORDS], u64 key, u64 x) {
#pragma unroll 1
  for (int k = 0; k < WORDS; ++k)
    atomicMin(&words[k], key << ERROR_PIECE | (x >> ERROR_PIECE * k & ((1u << ERROR_PIECE) - 1)));
}

// Returns true if a lane has to report its key: false for keys larger than that of the first or the last active lane.
// If positions increase or decrease along the lanes, as is usual, one lane is left.
DEVICE bool leads_warp(u64 key) {
  const u32 lanes = __activemask();
  const int first = __ffs((int)lanes) - 1, last = 31 - __clz((int)lanes);
  const u64 at_first = __shfl_sync(lanes, key, first), at_last = __shfl_sync(lanes, key, last);
  const u64 best = at_first <= at_last ? at_first : at_last;
  const u32 lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) & 31;
  return key < best || (key == best && (int)lane == (at_first <= at_last ? first : last));
}

// Reports an error of a call. Of two errors at one position a thread reports the one with precedence.
DEVICE void report_error(error_record *record, u64 call, u32 function, u64 position, i64 value, u32 axis, u64 size) {
  const u64 most = ((u64)1 << ERROR_POSITION) - 1;
  const u64 key = call << ERROR_POSITION | (position < most ? position : most);
  if (!leads_warp(key)) return;
  // A read is cheaper than an atomic operation, and sufficient after the first errors.
  if (*(volatile u64 *)&record->value[0] >> ERROR_PIECE <= key) return;
  const u64 mine = key << ERROR_PIECE | ((u64)value & ((1u << ERROR_PIECE) - 1));
  if (atomicMin(&record->value[0], mine) >> ERROR_PIECE <= key) return;
  describe_error(record->value, key, (u64)value);
  describe_error(record->size, key, size);
  describe_error(record->axis, key, axis);
  describe_error(record->function, key, function);
}
