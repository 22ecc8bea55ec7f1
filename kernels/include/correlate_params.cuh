// What both kernels of correlations are told: sizes in elements, steps in bytes. Before it stands `element`.
struct params {
  u64 count, n, k, lead;
  const char *a, *v;
  element *out;
  i64 a_step, v_step;
  u32 outputs_log2, unused;
};
