//! User kernels with matrix instructions, asynchronous copies and barriers in shared memory, compared with products
//! computed on the host. All values are small integers, so that sums are exact in any order.

use cuprum::{Argument, Array, DType, ErrorKind, RawModule, Result, array, zeros};

fn simulated(a: &Array) -> bool {
    a.device().info().id.starts_with("sim")
}

/// Builds a matrix of small integers in row-major order.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    (0..rows * columns).map(|i| ((i * 2654435761 + seed * 97) >> 7) as i32 % 9 - 4).collect()
}

/// Returns the product of two matrices in row-major order.
fn product(a: &[i32], b: &[i32], [m, n, k]: [usize; 3]) -> Vec<i32> {
    let at = |r: usize, c: usize| (0..k).map(|i| a[r * k + i] * b[i * n + c]).sum();
    (0..m * n).map(|i| at(i / n, i % n)).collect()
}

fn on_device(values: &[i32], shape: [usize; 2], dtype: DType) -> Result<Array> {
    Array::from_slice(values, shape)?.astype(dtype)
}

fn launch(text: &str, grid: [u32; 3], threads: u32, arrays: &[&Array]) -> Result<()> {
    let kernel = RawModule::compile(text, &[])?.kernel("k")?;
    let arguments: Vec<Argument<'_>> = arrays.iter().map(|a| Argument::Array(a)).collect();
    // SAFETY: the arguments are those of the kernel, which stays inside the arrays or is stopped by the simulator.
    unsafe { kernel.launch(grid, [threads, 1, 1], &arguments) }
}

#[test]
fn tiles_of_wmma_through_a_pipeline() -> Result<()> {
    // Two stages of copies, four warps, tiles of 32 x 32 of the result.
    let text = r#"
#include <mma.h>
#include <cuda_pipeline.h>
using namespace nvcuda;
constexpr int N = 64, K = 64;
extern "C" __global__ void k(const half *a, const half *b, float *c) {
  __shared__ __align__(32) half ta[2][32 * 16], tb[2][16 * 32];
  const int row = blockIdx.y * 32, column = blockIdx.x * 32, warp = threadIdx.x / 32;
  auto stage = [&](int step) {
    half *da = ta[step % 2], *db = tb[step % 2];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) {
      __pipeline_memcpy_async(da + 8 * i, a + (row + i / 2) * K + step * 16 + i % 2 * 8, 16);
      __pipeline_memcpy_async(db + 8 * i, b + (step * 16 + i / 4) * N + column + i % 4 * 8, 16);
    }
    __pipeline_commit();
  };
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  stage(0);
  for (int step = 0; step < K / 16; ++step) {
    if (step + 1 < K / 16) {
      stage(step + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    wmma::load_matrix_sync(fa, ta[step % 2] + warp / 2 * 16 * 16, 16);
    wmma::load_matrix_sync(fb, tb[step % 2] + warp % 2 * 16, 32);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  wmma::store_matrix_sync(c + (row + warp / 2 * 16) * N + column + warp % 2 * 16, sum, N, wmma::mem_row_major);
}"#;
    let (a, b) = (matrix(64, 64, 1), matrix(64, 64, 2));
    let (x, y) = (on_device(&a, [64, 64], DType::F16)?, on_device(&b, [64, 64], DType::F16)?);
    let c = zeros([64, 64], DType::F32)?;
    launch(text, [2, 2, 1], 128, &[&x, &y, &c])?;
    let wanted: Vec<f32> = product(&a, &b, [64, 64, 64]).into_iter().map(|x| 2.0 * x as f32).collect();
    assert_eq!(c.to_vec::<f32>()?, wanted);
    // The simulator detects a missing wait and reports its line. (A GPU may or may not return the right values.)
    if simulated(&c) {
        let early = text.replace("__pipeline_wait_prior(1);", "").replace("__pipeline_wait_prior(0);", "");
        let e = launch(&early, [2, 2, 1], 128, &[&x, &y, &c]).and_then(|()| c.to_vec::<f32>()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Fault, "{e}");
        for words in [
            "has not been waited for",
            "wmma::load_matrix_sync(fa, ta[step % 2]",
            "__pipeline_memcpy_async(d",
            "raw.cu:",
        ] {
            assert!(e.message().contains(words), "{words}: {e}");
        }
    }
    Ok(())
}

#[test]
fn fragments_by_hand() -> Result<()> {
    // ldmatrix, transposed for the right operand, and mma.
    let text = r#"
#include <cuda_fp16.h>
extern "C" __global__ void k(const half *a, const half *b, float *c) {
  __shared__ __align__(16) half ta[16 * 16], tb[16 * 8];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) ta[i] = a[i];
  for (int i = t; i < 128; i += 32) tb[i] = b[i];
  __syncwarp();
  unsigned x[4], y[2];
  float d[4] = {0, 0, 0, 0};
  unsigned pa = (unsigned)__cvta_generic_to_shared(ta + t % 16 * 16 + t / 16 * 8);
  unsigned pb = (unsigned)__cvta_generic_to_shared(tb + t % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(pb));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; ++i) c[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}"#;
    let (a, b) = (matrix(16, 16, 3), matrix(16, 8, 4));
    let (x, y) = (on_device(&a, [16, 16], DType::F16)?, on_device(&b, [16, 8], DType::F16)?);
    let c = zeros([16, 8], DType::F32)?;
    launch(text, [1; 3], 32, &[&x, &y, &c])?;
    let wanted: Vec<f32> = product(&a, &b, [16, 8, 16]).into_iter().map(|x| x as f32).collect();
    assert_eq!(c.to_vec::<f32>()?, wanted);
    Ok(())
}

/// A 50% structured sparse operand of 16 rows, with the metadata of its lanes.
struct Half {
    /// Dense form in row-major order, with zeros for the elements left out.
    whole: Vec<i32>,
    /// The stored elements in row-major order.
    kept: Vec<i32>,
    metadata: Vec<u32>,
}

/// Builds an operand that keeps half of each chunk, in groups of `pair` adjacent elements. With `wide`, each lane holds
/// 32 bits of metadata of a row.
fn half(k: usize, (chunk, pair, wide): (usize, usize, bool), selector: usize, seed: usize) -> Half {
    let values = matrix(16, k / 2, seed);
    let mut whole = vec![0; 16 * k];
    // The metadata of lanes that the selector leaves out is ignored.
    let mut metadata = vec![0u32; 32];
    let of_row = 4 * k / chunk;
    let givers = of_row / 16;
    for r in 0..16 {
        for c in 0..k / chunk {
            let pick = (r * 7 + c * 5 + seed) % 6;
            let (low, high) = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][pick];
            let (bits, at) = match chunk {
                // One of two 32-bit elements, encoded as two of four 16-bit ones.
                2 => ([0b0100, 0b1110][pick % 2], vec![pick % 2]),
                _ => (low | high << 2, [low, high].iter().flat_map(|p| (0..pair).map(move |k| p * pair + k)).collect()),
            };
            for (i, position) in at.iter().enumerate() {
                whole[r * k + c * chunk + position] = values[r * k / 2 + c * at.len() + i];
            }
            let bit = 4 * c;
            let first = r % 8 * 4 + selector * givers;
            let (lane, shift) = match wide {
                true => (first + bit / 32 * 2 + r / 8, bit % 32),
                false => (first + bit / 16, bit % 16 + r / 8 * 16),
            };
            metadata[lane] |= (bits as u32) << shift;
        }
    }
    let selected = |lane: usize| (selector * givers..(selector + 1) * givers).contains(&(lane % 4));
    (0..32).filter(|&lane| !selected(lane)).for_each(|lane| metadata[lane] = 0xffff_ffff);
    Half { whole, kept: values, metadata }
}

/// Returns the bits of a small integer in a type.
fn bits_of(value: i32, of: &str) -> u32 {
    match of {
        "f16" => cuprum::half::f16::from_f32(value as f32).to_bits().into(),
        "bf16" => cuprum::half::bf16::from_f32(value as f32).to_bits().into(),
        "tf32" => (value as f32).to_bits(),
        "s8" | "u8" => u32::from(value as u8),
        _ => (value & 15) as u32,
    }
}

#[test]
fn sparse_products_of_every_type() -> Result<()> {
    // Element type, type of the sum, bits, depth k, (chunk, adjacent elements, 32 bits of metadata per lane).
    let all = [
        ("f16", "f32", 16, 16, (4, 1, false)),
        ("f16", "f32", 16, 32, (4, 1, false)),
        ("bf16", "f32", 16, 16, (4, 1, false)),
        ("bf16", "f32", 16, 32, (4, 1, false)),
        ("tf32", "f32", 32, 8, (2, 1, false)),
        ("tf32", "f32", 32, 16, (2, 1, false)),
        ("s8", "s32", 8, 32, (4, 1, true)),
        ("s8", "s32", 8, 64, (4, 1, true)),
        ("u8", "s32", 8, 64, (4, 1, true)),
        ("s4", "s32", 4, 64, (8, 2, true)),
        ("s4", "s32", 4, 128, (8, 2, true)),
        ("u4", "s32", 4, 128, (8, 2, true)),
    ];
    for (of, sum, bits, k, options) in all {
        let packed = 32 / bits;
        let (na, nb) = (k / 2 / (4 * packed) * 2, k / (4 * packed));
        for selector in 0..4 / (4 * k / options.0 / 16) {
            let list = |from: usize, n: usize| (from..from + n).map(|i| format!("%{i}")).collect::<Vec<_>>().join(", ");
            let bound = |name: &str, n: usize| (0..n).map(|i| format!("\"r\"({name}[{i}]), ")).collect::<String>();
            let (kind, number) = if sum == "f32" { ("f", "float") } else { ("r", "int") };
            let text = format!(
                "extern \"C\" __global__ void k(const unsigned *x, const unsigned *y, const unsigned *e, {number} *out) {{
                  const int t = threadIdx.x;
                  unsigned a[{na}], b[{nb}];
                  for (int i = 0; i < {na}; ++i) a[i] = x[t * {na} + i];
                  for (int i = 0; i < {nb}; ++i) b[i] = y[t * {nb} + i];
                  {number} d[4] = {{1, 2, 3, 4}};
                  asm volatile(\"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col.{sum}.{of}.{of}.{sum} \"
                    \"{{{}}}, {{{}}}, {{{}}}, {{{}}}, %{}, {selector};\"
                    : \"+{kind}\"(d[0]), \"+{kind}\"(d[1]), \"+{kind}\"(d[2]), \"+{kind}\"(d[3])
                    : {}{}\"r\"(e[t]));
                  for (int i = 0; i < 4; ++i) out[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i] - (i + 1);
                }}",
                list(0, 4), list(4, na), list(4 + na, nb), list(0, 4), 4 + na + nb, bound("a", na), bound("b", nb),
            );
            let unsigned = of.starts_with('u');
            let mut a = half(k, options, selector, k + bits);
            let mut b = matrix(k, 8, 8);
            if of == "s4" {
                [&mut a.whole, &mut a.kept, &mut b].into_iter().flatten().for_each(|x| *x %= 8);
            }
            if unsigned {
                [&mut a.whole, &mut a.kept, &mut b].into_iter().flatten().for_each(|x| *x = x.abs());
            }
            let word = |at: &dyn Fn(usize) -> i32| (0..packed).fold(0, |w, i| w | bits_of(at(i), of) << (i * bits));
            let (mut x, mut y) = (vec![], vec![]);
            for lane in 0..32 {
                let (group, four) = (lane / 4, lane % 4);
                for i in 0..na {
                    let column = four * packed + 4 * packed * (i / 2);
                    x.push(word(&|w| a.kept[(group + 8 * (i % 2)) * (k / 2) + column + w]));
                }
                for i in 0..nb {
                    y.push(word(&|w| b[(four * packed + 4 * packed * i + w) * 8 + group]));
                }
            }
            let array_of = |all: &[u32]| Array::from_slice(all, all.len());
            let out = zeros([16, 8], if sum == "f32" { DType::F32 } else { DType::I32 })?;
            let (x, y, e) = (array_of(&x)?, array_of(&y)?, array_of(&a.metadata)?);
            launch(&text, [1; 3], 32, &[&x, &y, &e, &out])?;
            let wanted = product(&a.whole, &b, [16, 8, k]);
            assert_eq!(out.astype(DType::I32)?.to_vec::<i32>()?, wanted, "{of} k{k} {selector}");
            // Equal metadata indices are reported by the simulator and undefined on a GPU.
            if simulated(&out) {
                let twice = array_of(&[0; 32])?;
                let e = launch(&text, [1; 3], 32, &[&x, &y, &twice, &out]).and_then(|()| out.to_bytes()).unwrap_err();
                assert!(e.kind() == ErrorKind::Fault && e.message().contains("metadata"), "{e}");
            }
        }
    }
    Ok(())
}

#[test]
fn wmma_of_every_type() -> Result<()> {
    let all = [
        ("16, 16, 16", [16, 16, 16], "__nv_bfloat16", DType::BF16, "float", DType::F32),
        ("32, 8, 16", [32, 8, 16], "half", DType::F16, "half", DType::F16),
        ("8, 32, 16", [8, 32, 16], "signed char", DType::I8, "int", DType::I32),
        ("16, 16, 8", [16, 16, 8], "wmma::precision::tf32", DType::F32, "float", DType::F32),
        ("8, 8, 4", [8, 8, 4], "double", DType::F64, "double", DType::F64),
    ];
    for (shape, lengths @ [m, n, k], factor, dtype, sum, of_sum) in all {
        let stored = if factor.contains("tf32") { "float" } else { factor };
        let text = format!(
            "#include <mma.h>
             using namespace nvcuda;
             extern \"C\" __global__ void k(const {stored} *a, const {stored} *b, {sum} *c) {{
               wmma::fragment<wmma::matrix_a, {shape}, {factor}, wmma::row_major> fa;
               wmma::fragment<wmma::matrix_b, {shape}, {factor}, wmma::row_major> fb;
               wmma::fragment<wmma::accumulator, {shape}, {sum}> fc;
               wmma::load_matrix_sync(fa, a, {k});
               wmma::load_matrix_sync(fb, b, {n});
               wmma::fill_fragment(fc, ({sum})1);
               wmma::mma_sync(fc, fa, fb, fc);
               wmma::store_matrix_sync(c, fc, {m}, wmma::mem_col_major);
             }}"
        );
        let (a, b) = (matrix(m, k, 5), matrix(k, n, 6));
        let (x, y) = (on_device(&a, [m, k], dtype)?, on_device(&b, [k, n], dtype)?);
        let c = zeros([n, m], of_sum)?;
        launch(&text, [1; 3], 32, &[&x, &y, &c])?;
        let wanted: Vec<f64> = product(&a, &b, lengths).into_iter().map(|x| x as f64 + 1.0).collect();
        assert_eq!(c.t().astype(DType::F64)?.to_vec::<f64>()?, wanted, "{factor}");
    }
    Ok(())
}

#[test]
fn producers_and_consumers_meet_at_mbarriers() -> Result<()> {
    // One warp copies, the other accumulates; each stage has a barrier for full and one for empty.
    let text = r#"
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
extern "C" __global__ void k(const int *x, int *y) {
  __shared__ __align__(16) int room[2][32];
  __shared__ __mbarrier_t full[2], empty[2];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) { __mbarrier_init(&full[i], 32); __mbarrier_init(&empty[i], 32); }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  int total = 0;
  for (int step = 0; step < 6; ++step) {
    const int at = step % 2;
    const bool turn = step / 2 % 2;
    if (threadIdx.x < 32) {
      while (!__mbarrier_test_wait_parity(&empty[at], !turn)) {}
      __pipeline_memcpy_async(&room[at][lane], x + step * 32 + lane, 4);
      __pipeline_arrive_on(&full[at]);
      __mbarrier_arrive(&full[at]);
    } else {
      while (!__mbarrier_test_wait_parity(&full[at], turn)) {}
      total += room[at][31 - lane];
      __mbarrier_arrive(&empty[at]);
    }
  }
  if (threadIdx.x >= 32) y[lane] = total;
}"#;
    let x = cuprum::arange(0, 192, 1)?.astype(DType::I32)?;
    let y = zeros(32, DType::I32)?;
    launch(text, [1; 3], 64, &[&x, &y])?;
    let wanted: Vec<i32> = (0..32).map(|lane| (0..6).map(|step| step * 32 + 31 - lane).sum()).collect();
    assert_eq!(y.to_vec::<i32>()?, wanted);
    Ok(())
}

#[test]
fn halves_of_cudas_names() -> Result<()> {
    let text = r#"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(half *h, __nv_bfloat16 *b, float *y) {
  half2 two = __floats2half2_rn(1.5f, -2.0f);
  two = __hfma2(two, two, __float2half2_rn(0.25f));
  y[0] = __low2float(two); y[1] = __high2float(two);
  h[0] += h[1]; y[2] = __half2float(__hmul(h[0], __float2half(3.0f)));
  y[3] = b[0] * b[1] + 1; y[4] = __hgt(h[0], h[1]); y[5] = hsqrt(__float2half(16.0f));
  atomicAdd(h + 1, __float2half(2.0f)); y[6] = h[1];
}"#;
    let h = array([1f32, 2.0])?.astype(DType::F16)?;
    let b = array([3f32, 4.0])?.astype(DType::BF16)?;
    let y = zeros(7, DType::F32)?;
    launch(text, [1; 3], 1, &[&h, &b, &y])?;
    assert_eq!(y.to_vec::<f32>()?, [2.5, 4.25, 9.0, 13.0, 1.0, 4.0, 4.0]);
    Ok(())
}

#[test]
fn faults_name_lines_and_arguments() -> Result<()> {
    let x = array([1f32, 2.0, 3.0])?;
    if !simulated(&x) {
        return Ok(());
    }
    let text = "#include \"deep.h\"

template <class T> __global__ void shift(T *left, const T *right, int count) {
  int i = threadIdx.x;
  left[i] = taken(right, i + 1);
}";
    let options = cuprum::RawModuleOptions {
        headers: vec![(
            "deep.h".into(),
            "template <class T> __device__ T taken(const T *p, int i) {\n  return p[i];\n}\n".into(),
        )],
        expressions: vec!["shift<float>".into()],
        ..Default::default()
    };
    let kernel = RawModule::compile_with(text, &options)?.kernel("shift<float>")?;
    let y = zeros(3, DType::F32)?;
    let arguments = [Argument::Array(&y), Argument::Array(&x), Argument::I32(3)];
    // SAFETY: the simulator stops the kernel's access out of bounds.
    let e = unsafe { kernel.launch([1; 3], [3, 1, 1], &arguments) }.and_then(|()| y.to_vec::<f32>()).unwrap_err();
    for words in [
        "deep.h:2 `return p[i];`, inlined at raw.cu:5 `left[i] = taken(right, i + 1);`",
        "0 bytes beyond the end of the memory of argument `right`, which has 12 bytes",
    ] {
        assert!(e.message().contains(words), "{words}: {e}");
    }
    // The order of warps decides which of the two lines of a race is reported.
    let race = "extern \"C\" __global__ void k(int *y) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  y[threadIdx.x] = s[63 - threadIdx.x];
}";
    let y = zeros(64, DType::I32)?;
    let e = launch(race, [1; 3], 64, &[&y]).and_then(|()| y.to_vec::<i32>()).unwrap_err();
    let lines = ["raw.cu:3 `s[threadIdx.x] = 1;`", "raw.cu:4 `y[threadIdx.x] = s[63 - threadIdx.x];`"];
    assert!(lines.iter().any(|line| e.message().contains(line)), "{e}");
    Ok(())
}
