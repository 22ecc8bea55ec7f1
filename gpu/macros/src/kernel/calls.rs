//! Built-in functions and methods of kernels.

use super::types::Ty;

/// Type rule of a call: the type of its first argument, and that of its result.
pub(super) enum Gives {
    /// Floating-point arguments, and a result of the same type.
    Float,
    /// Numeric arguments, and a result of the same type.
    Number,
    /// Integer arguments, and a result of the same type.
    Int,
    /// Floating-point arguments, and a boolean result.
    Truth,
    /// An integer argument, and a count as the result.
    Count,
}

/// Returns built-in functions without arguments, such as thread and block indices.
pub(super) fn builtin(name: &str) -> Option<(&'static str, Ty)> {
    let u32s = match name {
        "thread_idx_x" => "threadIdx.x",
        "thread_idx_y" => "threadIdx.y",
        "thread_idx_z" => "threadIdx.z",
        "block_idx_x" => "blockIdx.x",
        "block_idx_y" => "blockIdx.y",
        "block_idx_z" => "blockIdx.z",
        "block_dim_x" => "blockDim.x",
        "block_dim_y" => "blockDim.y",
        "block_dim_z" => "blockDim.z",
        "grid_dim_x" => "gridDim.x",
        "grid_dim_y" => "gridDim.y",
        "grid_dim_z" => "gridDim.z",
        "lane" => "(thread_rank() % 32)",
        "warp_size" => "32u",
        _ => "",
    };
    match name {
        // The index of the thread in the whole launch.
        "grid" => Some(("((u64)blockIdx.x * blockDim.x + threadIdx.x)", Ty::USIZE)),
        "grid_size" => Some(("((u64)gridDim.x * blockDim.x)", Ty::USIZE)),
        "sync_threads" => Some(("__syncthreads()", Ty::Unit)),
        "sync_warp" => Some(("__syncwarp()", Ty::Unit)),
        "thread_fence" => Some(("__threadfence()", Ty::Unit)),
        _ if !u32s.is_empty() => Some((u32s, Ty::U32)),
        _ => None,
    }
}

/// Returns shuffle functions of a value and a number of lanes.
pub(super) fn shuffle(name: &str) -> Option<&'static str> {
    Some(match name {
        "shuffle" => "__shfl_sync",
        "shuffle_up" => "__shfl_up_sync",
        "shuffle_down" => "__shfl_down_sync",
        "shuffle_xor" => "__shfl_xor_sync",
        _ => return None,
    })
}

/// Returns vote functions of a predicate of each lane.
pub(super) fn vote(name: &str) -> Option<(&'static str, Ty)> {
    Some(match name {
        "any" => ("(bool)__any_sync", Ty::Bool),
        "all" => ("(bool)__all_sync", Ty::Bool),
        "ballot" => ("__ballot_sync", Ty::U32),
        _ => return None,
    })
}

/// Returns atomic functions of an array element and a value, which return the previous value.
pub(super) fn atomic(name: &str) -> Option<&'static str> {
    Some(match name {
        "atomic_add" => "atomicAdd",
        "atomic_sub" => "atomic_sub",
        "atomic_exchange" => "atomicExch",
        "atomic_min" => "atomicMin",
        "atomic_max" => "atomicMax",
        "atomic_and" => "atomicAnd",
        "atomic_or" => "atomicOr",
        "atomic_xor" => "atomicXor",
        "atomic_inc" => "atomicInc",
        "atomic_dec" => "atomicDec",
        _ => return None,
    })
}

/// Returns methods of numbers: the C++ function, the number of additional arguments, and the type rule.
pub(super) fn method(name: &str) -> Option<(&'static str, usize, Gives)> {
    use Gives::{Count, Float, Int, Number, Truth};
    Some(match name {
        "sqrt" | "cbrt" | "exp" | "exp2" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh"
        | "tanh" | "asinh" | "acosh" | "atanh" | "floor" | "ceil" | "trunc" => {
            let all = [
                "sqrt", "cbrt", "exp", "exp2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                "asinh", "acosh", "atanh", "floor", "ceil", "trunc",
            ];
            (all.into_iter().find(|n| *n == name)?, 0, Float)
        }
        "ln" => ("log", 0, Float),
        "ln_1p" => ("log1p", 0, Float),
        "exp_m1" => ("expm1", 0, Float),
        "log2" => ("log2", 0, Float),
        "log10" => ("log10", 0, Float),
        "round" => ("round", 0, Float),
        "round_ties_even" => ("rint", 0, Float),
        "recip" => ("reciprocal", 0, Float),
        "powf" => ("pow", 1, Float),
        "atan2" => ("atan2", 1, Float),
        "hypot" => ("hypot", 1, Float),
        "copysign" => ("copysign", 1, Float),
        "mul_add" => ("fma", 2, Float),
        "is_nan" => ("isnan", 0, Truth),
        "is_infinite" => ("isinf", 0, Truth),
        "is_finite" => ("isfinite", 0, Truth),
        "min" => ("least", 1, Number),
        "max" => ("most", 1, Number),
        "abs" => ("absolute", 0, Number),
        "wrapping_add" => ("wrapping_add", 1, Int),
        "wrapping_sub" => ("wrapping_sub", 1, Int),
        "wrapping_mul" => ("wrapping_mul", 1, Int),
        "count_ones" => ("count_ones", 0, Count),
        "leading_zeros" => ("leading_zeros", 0, Count),
        _ => return None,
    })
}
