// Of each matrix of a stack, whether its problem has a solution: what has none is written into the error record. Before it
// stand `told`, the type of what is checked, and the error record.

extern "C" __global__ void __launch_bounds__(256) verdict(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const told info = ((const told *)p.info)[i];
  // A place beyond all axes says that this is no index, and which message it is.
  if (info != 0) report_error((error_record *)p.record, p.call, p.function, i, (i64)info, 0xffffff00u + p.message, p.count);
}
