// Asynchronous copies by all threads of a group, completed by `wait`, under the names of CUDA's header. Data aligned to
// 4 bytes is copied from global to shared memory without a register in between, if the GPU supports that.
namespace cooperative_groups {
template <unsigned long long N> struct aligned_size_t {
  unsigned long long bytes;
  __device__ aligned_size_t(unsigned long long n) : bytes(n) {}
  __device__ operator unsigned long long() const { return bytes; }
};

// Copies bytes, a part by each thread of the group.
template <class G>
__device__ void memcpy_async(const G &group, void *to, const void *from, unsigned long long bytes) {
  const unsigned long long lane = group.thread_rank(), step = group.size();
  const unsigned long long at = (unsigned long long)to | (unsigned long long)from;
  unsigned long long done = 0;
#if __CUDA_ARCH__ >= 800
  if (__isShared(to) && __isGlobal(from)) {
    const unsigned each = at % 16 == 0 ? 16 : at % 8 == 0 ? 8 : at % 4 == 0 ? 4 : 0;
    if (each != 0) {
      done = bytes / each * each;
      for (unsigned long long i = lane * each; i < done; i += step * each)
        __pipeline_memcpy_async((char *)to + i, (const char *)from + i, each);
    }
  }
  __pipeline_commit();
#endif
  for (unsigned long long i = done + lane; i < bytes; i += step) ((char *)to)[i] = ((const char *)from)[i];
}
template <class G, unsigned long long N>
__device__ void memcpy_async(const G &group, void *to, const void *from, const aligned_size_t<N> &bytes) {
  memcpy_async(group, to, from, bytes.bytes);
}
// Copies as many elements as both have room for.
template <class G, class T>
__device__ void memcpy_async(const G &group, T *to, unsigned long long room, const T *from, unsigned long long count) {
  memcpy_async(group, (void *)to, (const void *)from, (room < count ? room : count) * sizeof(T));
}

// Waits for all of the group's copies except those of the last N calls.
template <unsigned N, class G> __device__ void wait_prior(const G &group) {
#if __CUDA_ARCH__ >= 800
  __pipeline_wait_prior(N);
#endif
  group.sync();
}
template <class G> __device__ void wait(const G &group) { wait_prior<0>(group); }
}
