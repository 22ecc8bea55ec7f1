//! Casts between dtypes, as device expressions.

use crate::DType;

/// Returns a device expression that casts `value` (a name, used more than once) from one dtype to another.
///
/// Floats are cast to integers by truncation, through 64 bits: values that fit wrap to the narrower type, others
/// saturate. Casts from complex numbers discard the imaginary part. Every float is rounded once, to nearest even.
///
/// ```
/// use cuprum_kernels::{DType, source::cast};
/// assert_eq!(cast(DType::F32, DType::I8, "x"), "(i8)__float2ll_rz(x)");
/// ```
pub fn cast(from: DType, to: DType, value: &str) -> String {
    use DType::*;
    match (from, to) {
        _ if from == to => value.into(),
        (F16 | BF16, F32) => format!("widen({value})"),
        (F16 | BF16, _) => {
            let wide = format!("widen({value})");
            cast(F32, to, &wide)
        }
        (C64 | C128, Bool) => format!("is_true({value})"),
        (C64 | C128, C64 | C128) => {
            let part = to.real().device_name();
            format!("({}{{({part}){value}.re, ({part}){value}.im}})", to.device_name())
        }
        (C64 | C128, _) => cast(from.real(), to, &format!("{value}.re")),
        (_, C64 | C128) => format!("({}{{{}, 0}})", to.device_name(), cast(from, to.real(), value)),
        (_, Bool) => format!("({value} != 0)"),
        (F32 | F64, F16) => format!("f16_from({value})"),
        (_, F16) => format!("f16_from((f32){value})"),
        (F32 | F64 | I64 | U64, BF16) => format!("bf16_from({value})"),
        (_, BF16) => format!("bf16_from((f64){value})"),
        (F32, U64) => format!("({value} < 0 ? (u64)__float2ll_rz({value}) : __float2ull_rz({value}))"),
        (F64, U64) => format!("({value} < 0 ? (u64)__double2ll_rz({value}) : __double2ull_rz({value}))"),
        (F32, _) if to.is_integer() => format!("({})__float2ll_rz({value})", to.device_name()),
        (F64, _) if to.is_integer() => format!("({})__double2ll_rz({value})", to.device_name()),
        _ => format!("({}){value}", to.device_name()),
    }
}
