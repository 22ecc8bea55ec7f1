// Extremes of boxes over the last three axes, of few elements along each. Required before it: `element`, which is `result`, too, `value`,
// value_of(element), result_of(value), join(value, value), outside(params), ASYNC (elements have 4 or 8 bytes), REACH, ROOM, `uindex`,
// window_border.cuh, window_slide.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A block goes through adjacent planes with a tile of each, and the tile of the next plane is on
// the way to shared memory meanwhile. A thread has REACH results of a column in registers: the extremes over the two axes of a plane,
// which it keeps for as many planes as a box has. The order of the axes does not matter to an extreme.
constexpr u32 COLUMNS = 64, THREADS = 256, HEIGHT = THREADS / COLUMNS * REACH;
// Most elements of a box along an axis.
constexpr u32 MOST = 5;

DEVICE void send(const element *from, element *to) {
#if ASYNC && __CUDA_ARCH__ >= 800
  const u32 at = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(element)) : "memory");
#else
  *to = *from;
#endif
}
DEVICE void arrive() {
#if ASYNC && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Loads the column x of the rows from `top` on of the plane z; positions below 0 are beyond a constant border.
DEVICE void load(const params &p, const char *src, i64 z, i64 top, i64 x, element *tile) {
  const u32 rows = HEIGHT + p.sizes_of[1] - 1, column = threadIdx.x % COLUMNS;
  src += z * p.src_z + x * sizeof(element);
  tile += column;
  if ((x | z) >= 0 && top >= 0 && top + rows <= p.n[1]) {
    src += top * p.src_y;
#pragma unroll 4
    for (u32 row = threadIdx.x / COLUMNS; row < rows; row += THREADS / COLUMNS) send((const element *)(src + row * p.src_y), tile + row * COLUMNS);
    return;
  }
#pragma unroll 1
  for (u32 row = threadIdx.x / COLUMNS; row < rows; row += THREADS / COLUMNS) {
    const i64 y = border(top + row, p.n[1], p.rules[1]);
    element *to = tile + row * COLUMNS;
    if ((x | y | z) < 0) *to = result_of(outside(p));
    else send((const element *)(src + y * p.src_y), to);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) window_box(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 column = threadIdx.x % COLUMNS, first = threadIdx.x / COLUMNS * REACH, size_z = p.sizes_of[0], size_y = p.sizes_of[1], size_x = p.sizes_of[2];
  __builtin_assume(size_y <= MOST);
  const u32 width = COLUMNS + 1 - size_x, tile_size = (HEIGHT + size_y - 1) * COLUMNS;
  element *tiles = (element *)shared, *kept = tiles + 2 * tile_size + first * COLUMNS + column;
  u32 rest = blockIdx.x;
  const u32 tile_x = rest % p.tiles_x;
  rest /= p.tiles_x;
  const u32 tile_y = rest % p.tiles_y;
  rest /= p.tiles_y;
  const u32 part = rest % p.parts, other = rest / p.parts;
  const i64 x0 = (i64)tile_x * width, y0 = (i64)tile_y * HEIGHT, z0 = (i64)part * p.depth;
  const u32 depth = p.n[0] - z0 < p.depth ? (u32)(p.n[0] - z0) : p.depth, planes = depth + size_z - 1;
  const char *src = p.src + (p.axes ? offset_of((uindex)other, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)other, p.axes, p.sizes, p.dst_steps) : 0) + z0 * p.dst_z + (y0 + first) * p.dst_y +
    (x0 + column) * sizeof(element);
  const i64 x = border(x0 - p.leads[2] + column, p.n[2], p.rules[2]), top = y0 - p.leads[1], before = z0 - p.leads[0];
  const bool active = column < width && x0 + column < p.n[2];
  const i64 count = p.n[1] - (y0 + first);
  u32 turn = 0;
#pragma unroll 1
  for (u32 loaded = 0; loaded <= planes; ++loaded) {
    arrive();
    __syncthreads();
    if (loaded < planes) load(p, src, border(before + loaded, p.n[0], p.rules[0]), top, x, tiles + (loaded & 1) * tile_size);
    if (loaded > 0 && active) {
      // The plane before the one that is on the way.
      const element *own = tiles + (~loaded & 1) * tile_size + first * COLUMNS + column;
      value found[REACH];
      compute(found, nullptr, size_y, [&](u32 group, u32 e) {
        const element *row = own + (group * REACH + e) * COLUMNS;
        value v = value_of(row[0]);
#pragma unroll
        for (u32 i = 1; i < MOST; ++i) {
          if (i < size_x) v = join(v, value_of(row[i]));
        }
        return v;
      });
      // The extremes of the plane replace those of the one that no later box has.
      element *of_plane = kept + turn * (HEIGHT * COLUMNS);
      if (size_z > 1) {
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) of_plane[r * COLUMNS] = result_of(found[r]);
      }
      if (loaded >= size_z) {
#pragma unroll 1
        for (u32 k = 0; k < size_z; ++k) {
          if (k == turn) continue;
#pragma unroll
          for (u32 r = 0; r < REACH; ++r) found[r] = join(found[r], value_of(kept[k * (HEIGHT * COLUMNS) + r * COLUMNS]));
        }
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) {
          if (r < count) *(element *)(dst + r * p.dst_y) = result_of(found[r]);
        }
        dst += p.dst_z;
      }
      turn = turn + 1 < size_z ? turn + 1 : 0;
    }
  }
}
