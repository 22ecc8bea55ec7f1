// Cooperative groups: groups of threads that synchronise, under the names of CUDA's header.
namespace cooperative_groups {
// Half of the counter's range represents one barrier of all blocks: the highest bit flips when the last one has
// arrived.
static __device__ unsigned meetings;

struct thread_block {
  __device__ unsigned thread_rank() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ unsigned num_threads() const { return size(); }
  __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ dim3 dim_threads() const { return group_dim(); }
  __device__ void sync() const { __syncthreads(); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

// The grid of a cooperative launch; two launches of one module must not run at the same time.
struct grid_group {
  __device__ unsigned long long size() const { return (unsigned long long)blocks() * this_thread_block().size(); }
  __device__ unsigned long long thread_rank() const {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return (unsigned long long)block * this_thread_block().size() + this_thread_block().thread_rank();
  }
  __device__ unsigned long long block_rank() const {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long num_blocks() const { return blocks(); }
  __device__ dim3 dim_blocks() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ dim3 group_dim() const { return dim_blocks(); }
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const {
    __syncthreads();
    if (this_thread_block().thread_rank() == 0) {
      const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
      __threadfence();
      const unsigned before = atomicAdd(&meetings, first ? 0x80000000u - (blocks() - 1) : 1u);
      while (((before ^ atomicAdd(&meetings, 0u)) & 0x80000000u) == 0) {}
      __threadfence();
    }
    __syncthreads();
  }

private:
  __device__ unsigned blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
};
__device__ inline grid_group this_grid() { return grid_group(); }

// A tile of a power of two of adjacent threads of a warp.
template <unsigned N> struct thread_block_tile {
  __device__ unsigned thread_rank() const { return this_thread_block().thread_rank() % N; }
  __device__ unsigned meta_group_rank() const { return this_thread_block().thread_rank() / N; }
  __device__ unsigned meta_group_size() const { return (this_thread_block().size() + N - 1) / N; }
  __device__ unsigned size() const { return N; }
  __device__ unsigned num_threads() const { return N; }
  __device__ void sync() const { __syncwarp(mask()); }
  template <class T> __device__ T shfl(T x, int from) const { return __shfl_sync(mask(), x, from, N); }
  template <class T> __device__ T shfl_down(T x, unsigned by) const { return __shfl_down_sync(mask(), x, by, N); }
  template <class T> __device__ T shfl_up(T x, unsigned by) const { return __shfl_up_sync(mask(), x, by, N); }
  template <class T> __device__ T shfl_xor(T x, unsigned with) const { return __shfl_xor_sync(mask(), x, with, N); }
  __device__ int any(int p) const { return __any_sync(mask(), p); }
  __device__ int all(int p) const { return __all_sync(mask(), p); }
  __device__ unsigned ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }

private:
  __device__ unsigned first() const { return this_thread_block().thread_rank() % 32 / N * N; }
  __device__ unsigned mask() const { return (N == 32 ? ~0u : (1u << N % 32) - 1) << first(); }
};
template <unsigned N> __device__ thread_block_tile<N> tiled_partition(thread_block) { return thread_block_tile<N>(); }
template <class G> __device__ void sync(const G &group) { group.sync(); }
}
