// Elements by their labels: each has the number of its label in a sorted list, its slot, or -1. Required before it: `entry` (i64 or f64),
// `uindex`, ROOM and the parameter struct.

constexpr u32 THREADS = 256;

DEVICE const char *address_of(const params &p, u64 i) { return p.labels + offset_of((uindex)i, p.axes, p.sizes, p.steps); }
// Returns the label of an element: of float64, or an integer of any size.
DEVICE entry label_at(const params &p, const char *from) {
  if (p.bytes == 8) return *(const entry *)from;
  if (p.bytes == 4) return p.is_signed ? (entry)*(const i32 *)from : (entry)*(const u32 *)from;
  if (p.bytes == 2) return p.is_signed ? (entry)*(const i16 *)from : (entry)*(const u16 *)from;
  return p.is_signed ? (entry)*(const i8 *)from : (entry)*(const u8 *)from;
}

// Sets the flag if the list is not one of consecutive numbers of 32 bits.
extern "C" __global__ void __launch_bounds__(THREADS) label_list(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.count) return;
  const entry own = p.index[i];
  if (own != p.index[0] + (entry)i || !(own >= (entry)-0x80000000ll && own <= (entry)0x7fffffffll)) *(volatile u32 *)p.scattered = 1;
}

// The ends of the list, which are loaded once for several labels.
struct list_ends {
  entry first, last;
  bool scattered;
};
DEVICE list_ends ends_of(const params &p) { return {p.index[0], p.index[p.count - 1], *p.scattered != 0}; }

// A list of consecutive numbers is not searched. Of labels that occur more than once in the list the first is found.
DEVICE i64 slot_of(const params &p, const list_ends &ends, entry label) {
  if (!(label >= ends.first && label <= ends.last)) return -1;
  if (!ends.scattered) {
    const i64 slot = (i64)(label - ends.first);
    return ends.first + (entry)slot == label ? slot : -1;
  }
  i64 low = 0, high = (i64)p.count - 1;
#pragma unroll 1
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (p.index[middle] < label) low = middle + 1;
    else high = middle;
  }
  return p.index[low] == label ? low : -1;
}

// Elements of a thread, whose labels are loaded at once.
constexpr u32 AHEAD = 4;

extern "C" __global__ void __launch_bounds__(THREADS) label_slots(const __grid_constant__ params p) {
  const list_ends ends = ends_of(p);
  // Readers compute such slots from the labels.
  if (p.unless_consecutive && !ends.scattered) return;
#pragma unroll 1
  for (u64 start = (u64)blockIdx.x * (THREADS * AHEAD) + threadIdx.x; start < p.elements; start += (u64)gridDim.x * (THREADS * AHEAD)) {
    entry labels[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const u64 i = start + k * THREADS;
      if (i < p.elements) labels[k] = label_at(p, address_of(p, i));
    }
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const u64 i = start + k * THREADS;
      if (i < p.elements) p.slots[i] = (i32)slot_of(p, ends, labels[k]);
    }
  }
}

// The smallest and the largest coordinate along each axis, for each slot: tables of `axes` columns, of which the first is initially the
// largest number, the second 0. Along an axis only elements whose neighbour has another label can have the smallest or the largest
// coordinate. Most of those change nothing: they read the tables, which other blocks only improve.
extern "C" __global__ void __launch_bounds__(THREADS) label_boxes(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.elements) return;
  const char *from = address_of(p, i);
  const entry label = label_at(p, from);
  const i64 slot = slot_of(p, ends_of(p), label);
  if (slot < 0) return;
  uindex rest = (uindex)i;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const uindex size = (uindex)p.sizes[d].divisor, q = d > 0 ? divide(rest, p.sizes[d]) : 0, at = rest - q * size;
    const i64 step = p.steps[d];
    rest = q;
    if (at == 0 || label_at(p, from - step) != label) {
      u64 *first = p.first + slot * p.axes + d;
      if (at < *(volatile u64 *)first) atomicMin(first, (u64)at);
    }
    if (at + 1 == size || label_at(p, from + step) != label) {
      u64 *last = p.last + slot * p.axes + d;
      if (at + 1 > *(volatile u64 *)last) atomicMax(last, (u64)at + 1);
    }
  }
}
