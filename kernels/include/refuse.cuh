// The error record of a thread of the host: the first index that a kernel refused, by the number of the call, then by the
// position of the index and its axis. `RECORD_WORDS` of `gpu/src/cuda/record.rs` are its words.
struct refusal {
  u32 lock, function;
  u64 call; // 0 while nothing is refused
  u64 position;
  i64 value;
  u64 axis, size;
};

// Whoever comes later in that order leaves the record as it is: what it holds in the end hangs on no order of the threads.
// The loop lets a lane that has the lock give it back before another of its warp asks again.
DEVICE void refuse_index(refusal *r, u64 call, u32 function, u64 position, i64 value, u32 axis, u64 size) {
#pragma unroll 1
  for (bool told = false; !told;) {
    if (atomicCAS(&r->lock, 0u, 1u) != 0) continue;
    const u64 known = atomicAdd(&r->call, 0ull), place = atomicAdd(&r->position, 0ull), along = atomicAdd(&r->axis, 0ull);
    const bool first =
        known == 0 || call < known || (call == known && (position < place || (position == place && axis < along)));
    if (first) {
      atomicExch(&r->call, call);
      atomicExch(&r->position, position);
      atomicExch((u64 *)&r->value, (u64)value);
      atomicExch(&r->axis, (u64)axis);
      atomicExch(&r->size, size);
      atomicExch(&r->function, function);
    }
    __threadfence();
    atomicExch(&r->lock, 0u);
    told = true;
  }
}
