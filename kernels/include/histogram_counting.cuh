// Counts of elements, whose bins are found as in histogram.cuh. Required before it: IN_WORDS and IN_16_BITS (32-bit or
// 16-bit counters in shared memory, see histogram_counters16.cuh; otherwise the counts in device memory) and block_ends.cuh.
// COUNTING is the number of threads of a block.
constexpr int COUNTING = IN_16_BITS ? 1024 : THREADS;

struct alignas(16) pack {
  element e[V];
};

// A type that holds an element, and can be compared with 32 bits if it has no more.
template <bool NARROW> struct bin_number { typedef i64 type; };
template <> struct bin_number<true> { typedef element type; };
typedef bin_number<DIRECT && sizeof(element) <= 4>::type bin_type;

constexpr bin_type LEAST = (bin_type)-1 < 0 ? (bin_type)(1ull << (8 * sizeof(bin_type) - 1)) : (bin_type)0;

struct counting {
  const params &p;
  const bounds &b;
  const bin_finder &finder;
  // The counters of a lane.
  u32 *mine, copies;
  bin_type least = (bin_type)~LEAST, most = LEAST;
  // Counts one for an existing bin.
  DEVICE void count_in(u64 bin) {
#if IN_WORDS
    atomicAdd(mine + bin * copies, 1u);
#elif IN_16_BITS
    add_half((u32)bin);
#else
    atomicAdd((u64 *)p.out + bin, 1ull);
#endif
  }
  DEVICE void add(element e) {
    const i64 bin = finder.bin_of(e);
#if DIRECT
    least = (bin_type)bin < least ? (bin_type)bin : least;
    most = (bin_type)bin > most ? (bin_type)bin : most;
#endif
    // Counters in shared memory have 32-bit indices, as most elements have.
    const bool narrow = (IN_WORDS || IN_16_BITS) && !(DIRECT && sizeof(element) > 4);
    if (narrow ? (u32)bin < (u32)p.bins : (u64)bin < p.bins) count_in(narrow ? (u32)bin : (u64)bin);
  }
  // The same if the bin is clear; returns false if it is not.
  DEVICE bool add_clear(element e) {
#if CLEAR
    u32 bin;
    if (!is_clear(b, key_of(e), bin)) return false;
    count_in(bin);
#else
    add(e);
#endif
    return true;
  }
};

#if DIRECT
// Reports the minimum and the maximum of a block.
DEVICE void tell_ends(const params &p, const counting &c) {
  i64 least = (i64)c.least, most = (i64)c.most;
  block_ends<COUNTING / 32>(least, most);
  if (threadIdx.x > 0) return;
  atomicMin((i64 *)p.ends, least);
  atomicMax((i64 *)p.ends + 1, most);
}
#endif
