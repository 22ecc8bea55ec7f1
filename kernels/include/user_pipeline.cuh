// Asynchronous copies to shared memory and barriers in shared memory, under the names of CUDA's headers.
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

__device__ inline unsigned cuprum_shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Copies 4, 8 or 16 bytes, of which the last `zeros` are not read but set to zero.
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, unsigned long long bytes,
                                               unsigned long long zeros = 0) {
  const unsigned shared = cuprum_shared_address(to), read = (unsigned)(bytes - zeros);
  const unsigned long long global = __cvta_generic_to_global(from);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(read) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(read) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(read) : "memory");
}
__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all groups except the newest ones; for all groups if there is no instruction for that number.
__device__ inline void __pipeline_wait_prior(unsigned long long newest) {
#define CUPRUM_WAIT(n)                                                                                                 \
  case n: asm volatile("cp.async.wait_group " #n ";" ::: "memory"); break;
  switch (newest) {
    CUPRUM_WAIT(1)
    CUPRUM_WAIT(2)
    CUPRUM_WAIT(3)
    CUPRUM_WAIT(4)
    CUPRUM_WAIT(5)
    CUPRUM_WAIT(6)
    CUPRUM_WAIT(7)
    CUPRUM_WAIT(8)
    default: asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
#undef CUPRUM_WAIT
}
__device__ inline void __pipeline_arrive_on(__mbarrier_t *b) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(cuprum_shared_address(b)) : "memory");
}

__device__ inline unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
__device__ inline void __mbarrier_init(__mbarrier_t *b, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(cuprum_shared_address(b)), "r"(count) : "memory");
}
__device__ inline void __mbarrier_inval(__mbarrier_t *b) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(cuprum_shared_address(b)) : "memory");
}
__device__ inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) {
  __mbarrier_token_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(cuprum_shared_address(b)) : "memory");
  return state;
}
__device__ inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) {
  __mbarrier_token_t state;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(cuprum_shared_address(b)) : "memory");
  return state;
}
__device__ inline bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t state) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(cuprum_shared_address(b)), "l"(state)
               : "memory");
  return done;
}
__device__ inline bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(cuprum_shared_address(b)), "r"((unsigned)parity)
               : "memory");
  return done;
}
__device__ inline unsigned __mbarrier_token_pending_count(__mbarrier_token_t state) {
  unsigned count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}
