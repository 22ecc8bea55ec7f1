// Connected components of the true elements of an image, by union-find on runs: blocks join the runs of a tile in shared memory
// (D. P. Playne, K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", TPDS 29(6), 2018), then runs are joined
// across the borders of tiles. Required before it: `position` (unsigned type of positions), ROOM (axes that tables have room for),
// union_roots.cuh and the parameter struct.
//
// Each line along the last axis is stored in chunks of a power of two of elements, at most 32, with a word of bits each. A position is
// the number of a chunk and of an element in it: positions have the order of the elements in C order. A run is a maximal sequence of true
// elements of a chunk, which are connected if the structure has neighbours along the last axis; otherwise each element is one. Only the
// first element of a run has a parent, at a smaller or the same position: in the end the root of a component is its first element.

constexpr u32 THREADS = 256;
constexpr u32 TILE = 4096, TILE_CHUNKS = 512;
// Elements of a thread that are loaded at once.
constexpr u32 AHEAD = 4;

// Returns true if an element of `bytes` bytes has any of the bits of a mask.
DEVICE bool any_bits(const char *from, u32 bytes, u64 mask) {
  u64 bits;
  if (bytes == 1) bits = *(const u8 *)from;
  else if (bytes == 2) bits = *(const u16 *)from;
  else if (bytes == 4) bits = *(const u32 *)from;
  else bits = *(const u64 *)from;
  return (bits & mask) != 0;
}

// Returns true for an element of the image, or of the seeds.
DEVICE bool is_true(const params &p, i64 image, i64 seed) {
  if (!p.image || any_bits(p.image + image, p.image_bytes, p.image_mask)) return true;
  return p.seeds && any_bits(p.seeds + seed, p.seed_bytes, p.seed_mask) != (p.invert != 0);
}

// Returns the first element of the run of an element.
DEVICE u32 run_start(const params &p, u32 word, u32 bit) {
  const u32 below = ~word & ((1u << bit) - 1);
  return p.horizontal ? (below ? 32 - __clz(below) : 0) : bit;
}

// Elements of a chunk with a neighbour at the next, the same and the previous element of another line.
struct links {
  u32 bits[3];
};

// Returns those that join runs which others do not join yet. `left` and `right` are the elements before and after the other chunk.
DEVICE links links_of(const params &p, u32 own, u32 other, u32 left, u32 right, u32 pattern) {
  const u32 last = (1u << p.bits_log2) - 1;
  links l;
  l.bits[0] = pattern & 1 ? own & (other << 1 | left) : 0;
  l.bits[1] = pattern & 2 ? own & other : 0;
  l.bits[2] = pattern & 4 ? own & (other >> 1 | right << last) : 0;
  if (p.horizontal) {
    // Both elements of the other line are in a run that the element between them joins.
    if (pattern & 2) l.bits[0] &= ~other, l.bits[2] &= ~other;
#pragma unroll
    for (u32 k = 0; k < 3; ++k) l.bits[k] &= ~(l.bits[k] << 1);
  }
  return l;
}

// Returns the first elements of the runs of a chunk.
DEVICE u32 heads_of(const params &p, u32 word) { return p.horizontal ? word & ~(word << 1) : word; }

// Returns the first element of the run of an element of a tile.
DEVICE u32 run_at(const params &p, const u32 *words, u32 e) {
  const u32 q = e >> p.bits_log2, c = 1u << p.bits_log2;
  return q << p.bits_log2 | run_start(p, words[q], e & (c - 1));
}

// Returns true for the coordinates of a chunk that the image has.
DEVICE bool is_inside(const params &p, i64 x, i64 y, i64 z) {
  return x < p.line_chunks && (p.axes < 2 || y < p.lengths[p.axes - 2]) && (p.axes < 3 || z < p.lengths[p.axes - 3]);
}

// Loads four bytes, of which `left` are in the line: the others are 0.
DEVICE u32 bytes_at(const char *from, i64 left) {
  if (left >= 4) return *(const u32 *)from;
  u32 value = 0;
#pragma unroll 1
  for (i64 k = 0; k < left; ++k) value |= (u32)(u8)from[k] << 8 * k;
  return value;
}

// Returns a bit for each of four bytes that is not 0: the product moves the highest bits of the bytes to its four highest ones.
DEVICE u32 true_bytes(u32 value) {
  const u32 some = (((value & 0x7f7f7f7f) + 0x7f7f7f7f) | value) & 0x80808080;
  return (some >> 7) * 0x10204080u >> 28;
}

// Coordinates of the first chunk of a tile.
struct tile_origin {
  i64 at[ROOM];
  u64 chunk;
};
DEVICE void find_tile(const params &p, tile_origin &o) {
  u64 rest = blockIdx.x;
  o.chunk = 0;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const u32 back = p.axes - 1 - d;
    const u64 q = d > 0 ? rest / (u64)p.tiles[d] : 0;
    o.at[d] = (i64)(rest - q * (u64)p.tiles[d]) << (back < 3 ? p.tile_log2[back] : 0);
    o.chunk += (u64)o.at[d] * (u64)p.chunk_steps[d];
    rest = q;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) component_tiles(const __grid_constant__ params p) {
  __shared__ u32 words[TILE_CHUNKS];
  __shared__ u32 parents[TILE];
  tile_origin o;
  find_tile(p, o);
  const u32 b = p.bits_log2, c = 1u << b, lane = threadIdx.x & 31;
  const u32 xs = p.tile_log2[0], ys = p.tile_log2[1], zs = p.tile_log2[2];
  const u32 chunks = 1u << (xs + ys + zs), elements = chunks << b;
  const i64 origin_x = o.at[p.axes - 1], origin_y = p.axes > 1 ? o.at[p.axes - 2] : 0, origin_z = p.axes > 2 ? o.at[p.axes - 3] : 0;
  i64 image = 0, seed = 0;
#pragma unroll 1
  for (u32 d = 0; d + 1 < p.axes; ++d) {
    image += o.at[d] * p.image_steps[d];
    seed += o.at[d] * p.seed_steps[d];
  }
  const i64 y_chunks = p.axes > 1 ? p.chunk_steps[p.axes - 2] : 0, z_chunks = p.axes > 2 ? p.chunk_steps[p.axes - 3] : 0;
  const u32 limit = elements > 32 ? elements : 32;
  // A thread has a half of a chunk of 32 elements, or a smaller chunk.
  const u32 split = b == 5 ? 1 : 0, parts = chunks << split, part_limit = parts > 32 ? parts : 32;
  if (p.packed && ((u64)p.image & 3) == 0) {
#pragma unroll 1
    for (u32 part = threadIdx.x; part - lane < part_limit; part += THREADS) {
      const u32 q = part >> 1, half = part & 1, x = q & ((1u << xs) - 1), y = q >> xs & ((1u << ys) - 1), z = q >> (xs + ys);
      const bool line = part < parts && is_inside(p, origin_x + x, origin_y + y, origin_z + z);
      const i64 i = (origin_x + x) << 5 | half << 4, left = line ? p.lengths[p.axes - 1] - i : 0;
      const char *from = p.image + image + i;
      if (p.axes > 1) from += y * p.image_steps[p.axes - 2];
      if (p.axes > 2) from += z * p.image_steps[p.axes - 3];
      u32 values[4];
#pragma unroll
      for (u32 k = 0; k < 4; ++k) values[k] = bytes_at(from + 4 * k, left - 4 * k);
      u32 bits = 0;
#pragma unroll
      for (u32 k = 0; k < 4; ++k) bits |= true_bytes(values[k]) << 4 * k;
      const u32 other = __shfl_xor_sync(~0u, bits, 1), word = half ? other | bits << 16 : bits | other << 16;
      if (part < parts && half == 0) words[q] = word;
      if (line && half == 0) p.words[o.chunk + z * z_chunks + y * y_chunks + x] = word;
#pragma unroll 1
      for (u32 heads = heads_of(p, word) & 0xffffu << 16 * half; heads != 0; heads &= heads - 1) {
        const u32 e = q << 5 | (__ffs(heads) - 1);
        parents[e] = e;
      }
    }
  } else {
#pragma unroll 1
    for (u32 base = threadIdx.x; base < limit; base += AHEAD * THREADS) {
      bool line[AHEAD], on[AHEAD];
#pragma unroll
      for (u32 k = 0; k < AHEAD; ++k) {
        const u32 e = base + k * THREADS;
        const u32 q = e >> b, bit = e & (c - 1), x = q & ((1u << xs) - 1), y = q >> xs & ((1u << ys) - 1), z = q >> (xs + ys);
        const i64 i = (origin_x + x) << b | bit;
        line[k] = e < elements && is_inside(p, origin_x + x, origin_y + y, origin_z + z);
        on[k] = false;
        if (line[k] && i < p.lengths[p.axes - 1]) {
          i64 from = image + i * p.image_steps[p.axes - 1], other = seed + i * p.seed_steps[p.axes - 1];
          if (p.axes > 1) from += y * p.image_steps[p.axes - 2], other += y * p.seed_steps[p.axes - 2];
          if (p.axes > 2) from += z * p.image_steps[p.axes - 3], other += z * p.seed_steps[p.axes - 3];
          on[k] = is_true(p, from, other);
        }
      }
#pragma unroll
      for (u32 k = 0; k < AHEAD; ++k) {
        const u32 e = base + k * THREADS;
        if (e - lane >= limit) break;
        const u32 q = e >> b, bit = e & (c - 1), x = q & ((1u << xs) - 1), y = q >> xs & ((1u << ys) - 1), z = q >> (xs + ys);
        const u32 all = __ballot_sync(~0u, on[k]);
        const u32 word = all >> (lane & ~(c - 1)) & (u32)((1ull << c) - 1);
        if (e < elements && bit == 0) {
          words[q] = word;
          if (line[k]) p.words[o.chunk + z * z_chunks + y * y_chunks + x] = word;
        }
        if (on[k]) parents[e] = (e & ~(c - 1)) | run_start(p, word, bit);
      }
    }
  }
  __syncthreads();
  // A thread joins the runs of a chunk with those before it, or with those of one neighbouring line: most words have few links.
#pragma unroll 1
  for (u32 item = threadIdx.x; item < chunks * (u32)(p.neighbour_count + 1); item += THREADS) {
    const u32 q = item & (chunks - 1), k = item >> (xs + ys + zs);
    const u32 x = q & ((1u << xs) - 1), y = q >> xs & ((1u << ys) - 1), z = q >> (xs + ys), first = q << b;
    const u32 own = words[q];
    if (own == 0) continue;
    if (k == 0) {
      if (p.horizontal && (own & 1) && x > 0 && words[q - 1] >> (c - 1)) unite(parents, first, run_at(p, words, first - 1));
      continue;
    }
    const i64 *row = p.neighbours + (k - 1) * (p.axes + 2);
    // Neighbours along further axes are in other tiles.
    if (row[1] != 0) continue;
    const i64 ny = y + (p.axes > 1 ? row[3 + p.axes - 2] : 0), nz = z + (p.axes > 2 ? row[3 + p.axes - 3] : 0);
    if (ny < 0 || ny >> ys != 0 || nz < 0 || nz >> zs != 0) continue;
    const u32 other = (u32)(nz << ys | ny) << xs | x;
    const u32 left = x > 0 ? words[other - 1] >> (c - 1) : 0, right = x + 1 < 1u << xs ? words[other + 1] & 1 : 0;
    const links l = links_of(p, own, words[other], left, right, (u32)row[2]);
#pragma unroll 1
    for (u32 s = 0; s < 3; ++s) {
#pragma unroll 1
      for (u32 bits = s == 0 ? l.bits[0] : s == 1 ? l.bits[1] : l.bits[2]; bits != 0; bits &= bits - 1) {
        const u32 bit = __ffs(bits) - 1;
        unite(parents, run_at(p, words, first | bit), run_at(p, words, (other << b | bit) + s - 1));
      }
    }
  }
  __syncthreads();
#pragma unroll 1
  for (u32 part = threadIdx.x; part - lane < part_limit; part += THREADS) {
    const u32 q = part >> split, x = q & ((1u << xs) - 1), y = q >> xs & ((1u << ys) - 1), z = q >> (xs + ys);
    const u64 from = o.chunk + z * z_chunks + y * y_chunks + x;
    u32 heads = part < parts ? heads_of(p, words[q]) : 0, tops = 0;
    if (split) heads &= 0xffffu << 16 * (part & 1);
#pragma unroll 1
    for (; heads != 0; heads &= heads - 1) {
      const u32 bit = __ffs(heads) - 1, root = root_of(parents, q << b | bit), rq = root >> b;
      const u32 rx = rq & ((1u << xs) - 1), ry = rq >> xs & ((1u << ys) - 1), rz = rq >> (xs + ys);
      const u64 to = o.chunk + rz * z_chunks + ry * y_chunks + rx;
      p.parents[from << b | bit] = (position)(to << b | (root & (c - 1)));
      if (root == (q << b | bit)) tops |= 1u << bit;
    }
    const u32 other = __shfl_xor_sync(~0u, tops, 1);
    if (split) tops |= other;
    if (part < parts && (!split || (part & 1) == 0) && is_inside(p, origin_x + x, origin_y + y, origin_z + z)) p.tops[from] = tops;
  }
}

// Returns the position of the run of an element of a chunk.
DEVICE position run_of(const params &p, u64 chunk, u32 word, u32 bit) { return (position)(chunk << p.bits_log2 | run_start(p, word, bit)); }

// Joins runs across the borders of tiles: a thread has a chunk.
extern "C" __global__ void __launch_bounds__(THREADS) component_borders(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.chunks) return;
  const u32 own = p.words[i];
  if (own == 0) return;
  const u32 c = 1u << p.bits_log2;
  i64 at[ROOM];
  u64 rest = i;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const u64 q = d > 0 ? divide((position)rest, p.grid[d]) : 0;
    at[d] = (i64)(rest - q * (u64)p.grid[d].divisor);
    rest = q;
  }
  const i64 x = at[p.axes - 1], tile = (1ll << p.tile_log2[0]) - 1;
  const bool first = x > 0 && (x & tile) == 0, last = x + 1 < p.line_chunks && ((x + 1) & tile) == 0;
  if (p.horizontal && first && (own & 1)) {
    const u32 before = p.words[i - 1];
    if (before >> (c - 1)) unite(p.parents, run_of(p, i, own, 0), run_of(p, i - 1, before, c - 1));
  }
  const i64 *row = p.neighbours;
#pragma unroll 1
  for (u64 k = 0; k < p.neighbour_count; ++k, row += p.axes + 2) {
    bool within = true, apart = row[1] != 0;
#pragma unroll 1
    for (u32 d = 0; d + 1 < p.axes; ++d) {
      const i64 to = at[d] + row[3 + d];
      const u32 back = p.axes - 1 - d;
      within = within && to >= 0 && to < p.lengths[d];
      if (back < 3) apart = apart || to >> p.tile_log2[back] != at[d] >> p.tile_log2[back];
    }
    if (!within || !(apart || first || last)) continue;
    const u64 j = i + row[0];
    const u32 other = p.words[j], pattern = (u32)row[2];
    const u32 before = (pattern & 1) && x > 0 && (apart || first) ? p.words[j - 1] : 0;
    const u32 after = (pattern & 4) && x + 1 < p.line_chunks && (apart || last) ? p.words[j + 1] : 0;
    links l = links_of(p, own, other, before >> (c - 1), after & 1, pattern);
    // Within the tile's lines only the links that leave it are left.
    if (!apart) l.bits[0] &= before >> (c - 1), l.bits[1] = 0, l.bits[2] &= (after & 1) << (c - 1);
#pragma unroll 1
    for (u32 s = 0; s < 3; ++s) {
#pragma unroll 1
      for (u32 bits = s == 0 ? l.bits[0] : s == 1 ? l.bits[1] : l.bits[2]; bits != 0; bits &= bits - 1) {
        const u32 bit = __ffs(bits) - 1;
        position to;
        if (s == 0 && bit == 0) to = run_of(p, j - 1, before, c - 1);
        else if (s == 2 && bit == c - 1) to = run_of(p, j + 1, after, 0);
        else to = run_of(p, j, other, bit + s - 1);
        unite(p.parents, run_of(p, i, own, bit), to);
      }
    }
  }
}

// Counts the roots of each chunk, which are among those of its tile, and makes the others children of their roots: a thread has a quarter of
// a chunk, or one of fewer elements.
extern "C" __global__ void __launch_bounds__(THREADS) component_roots(const __grid_constant__ params p) {
  const u32 parts_log2 = p.bits_log2 < 2 ? 0 : 2, width = 1u << (p.bits_log2 - parts_log2);
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x, chunk = i >> parts_log2;
  const u32 part = (u32)i & ((1u << parts_log2) - 1);
  u32 roots = 0;
#pragma unroll 1
  for (u32 bits = chunk < p.chunks ? p.tops[chunk] & ((1u << width) - 1) << part * width : 0; bits != 0; bits &= bits - 1) {
    const u32 bit = __ffs(bits) - 1;
    const position at = (position)(chunk << p.bits_log2 | bit), root = root_of(p.parents, at);
    if (root == at) roots |= 1u << bit;
    else atomicMin(p.parents + at, root);
  }
#pragma unroll
  for (u32 step = 1; step < 4; step *= 2) {
    const u32 other = __shfl_xor_sync(~0u, roots, step);
    if (parts_log2 != 0) roots |= other;
  }
  if (part != 0 || chunk >= p.chunks) return;
  p.roots[chunk] = roots;
  p.counts[chunk] = __popc(roots);
}

// Marks the roots of components with a seed, or with an element that touches a true border.
extern "C" __global__ void __launch_bounds__(THREADS) component_seeds(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x, chunk = i >> p.bits_log2;
  const u32 bit = (u32)i & ((1u << p.bits_log2) - 1);
  if (chunk >= p.chunks) return;
  const u32 own = p.words[chunk];
  if (!(own >> bit & 1)) return;
  u64 rest = chunk;
  i64 seed = 0;
  bool on = false;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const u64 q = d > 0 ? divide((position)rest, p.grid[d]) : 0;
    i64 at = (i64)(rest - q * (u64)p.grid[d].divisor);
    if (d + 1 == p.axes) at = at << p.bits_log2 | bit;
    rest = q;
    seed += at * p.seed_steps[d];
    on = on || ((p.touching >> d & 1) && (at == 0 || at == p.lengths[d] - 1));
  }
  if (!on && p.seeds) on = any_bits(p.seeds + seed, p.seed_bytes, p.seed_mask) != (p.invert != 0);
  if (!on) return;
  const position root = root_of(p.parents, run_of(p, chunk, own, bit));
  u32 *word = p.roots + (root >> p.bits_log2);
  const u32 mark = 1u << ((u32)root & ((1u << p.bits_log2) - 1));
  if (!(*(volatile u32 *)word & mark)) atomicOr(word, mark);
}

// Writes the numbers of components from 1, or, without counts, whether a component is marked: a thread has four elements of a chunk, or one
// of a chunk with fewer.
extern "C" __global__ void __launch_bounds__(THREADS) component_write(const __grid_constant__ params p) {
  const u32 span_log2 = p.bits_log2 < 2 ? 0 : 2, last = (1u << p.bits_log2) - 1;
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x, chunk = i >> (p.bits_log2 - span_log2);
  if (chunk >= p.chunks) return;
  const u32 first = (u32)i << span_log2 & last;
  const u64 line = p.axes > 1 ? divide((position)chunk, p.grid[p.axes - 1]) : 0;
  const i64 at = (i64)(chunk - line * (u64)p.line_chunks) << p.bits_log2 | first, left = p.lengths[p.axes - 1] - at;
  if (left <= 0) return;
  const u64 to = line * (u64)p.lengths[p.axes - 1] + at;
  const u32 own = p.words[chunk];
  u64 values[4], value = 0;
  u32 start = ~0u;
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    values[k] = 0;
    if (k >> span_log2 != 0 || !(own >> (first + k) & 1)) continue;
    if (run_start(p, own, first + k) != start) {
      start = run_start(p, own, first + k);
      // No thread changes parents, so that paths are read only.
      position root = (position)(chunk << p.bits_log2 | start);
#pragma unroll 1
      for (position next = p.parents[root]; next != root; next = p.parents[next]) root = next;
      const u64 of = root >> p.bits_log2;
      const u32 upper = p.roots[of] >> ((u32)root & last);
      value = p.counts ? (u64)p.counts[of] - __popc(upper) + 1 : upper & 1;
    }
    values[k] = value;
  }
  i32 *labels = (i32 *)p.out + to;
  if (p.out_bytes == 4 && span_log2 != 0 && left >= 4 && ((u64)labels & 15) == 0) {
    *(int4 *)labels = make_int4((i32)values[0], (i32)values[1], (i32)values[2], (i32)values[3]);
    return;
  }
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    if (k >> span_log2 != 0 || k >= left) break;
    if (p.out_bytes == 1) p.out[to + k] = (char)((values[k] != 0) != (p.invert != 0));
    else if (p.out_bytes == 4) labels[k] = (i32)values[k];
    else ((i64 *)p.out)[to + k] = (i64)values[k];
  }
}
