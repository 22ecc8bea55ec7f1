// Checks LAPACK's `info` for each matrix of a batch: a matrix whose problem has no solution is written to the error
// record. Required before it: the type of `info`, and device_errors.cuh.

extern "C" __global__ void __launch_bounds__(256) check_lapack_info(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const info_type info = ((const info_type *)p.info)[i];
  // An axis number beyond all axes marks this as a matrix error, and has the message's number.
  if (info != 0) report_error((error_record *)p.record, p.call, p.function, i, (i64)info, 0xffffff00u + p.message, p.count);
}
