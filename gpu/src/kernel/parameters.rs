//! Parameters of user-defined kernels: `T x, raw float32 y`, and the resolution of their types in a call.
//!
//! A parameter with one letter as its type takes the dtype of the argument; parameters with the same letter must have
//! the same dtype. `raw` arrays are indexed by the kernel and are not broadcast.

use std::fmt::Write as _;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Argument of an [`ElementwiseKernel`](crate::ElementwiseKernel) or a [`ReductionKernel`](crate::ReductionKernel): an
/// array, or a scalar, to which Rust's numbers convert.
///
/// ```
/// use cuprum::{ElementwiseKernel, array};
/// let axpy = ElementwiseKernel::new("T a, T x, T y", "T z", "z = a * x + y", ())?;
/// let (x, y) = (array([1f32, 2.0])?, array([10f32, 20.0])?);
/// // SAFETY: the operation reaches its elements and nothing else.
/// let z = unsafe { axpy.call(&[2.5.into(), (&x).into(), (&y).into()], &[], None, None) }?.remove(0);
/// assert_eq!(z.to_vec::<f32>()?, [12.5, 25.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum KernelArgument<'a> {
    /// An array.
    Array(&'a Array),
    /// A scalar that takes the type of its parameter.
    Weak(Scalar),
    /// A scalar with a dtype of its own, which decides the type of its parameter if no array does.
    Strong(DType, Scalar),
}

impl<'a> KernelArgument<'a> {
    pub(super) fn array(&self) -> Option<&'a Array> {
        if let KernelArgument::Array(a) = self { Some(a) } else { None }
    }
}

impl<'a> From<&'a Array> for KernelArgument<'a> {
    fn from(a: &'a Array) -> Self {
        KernelArgument::Array(a)
    }
}

/// A Rust scalar is weak: it takes the type of its parameter.
impl<S: Into<Scalar>> From<S> for KernelArgument<'_> {
    fn from(s: S) -> Self {
        KernelArgument::Weak(s.into())
    }
}

/// Declared parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// True if the whole array is passed, not one element.
    pub(super) raw: bool,
    /// Its dtype, or a letter as a placeholder for one.
    of: Type,
}

#[derive(Clone, Debug, PartialEq)]
enum Type {
    Known(DType),
    Letter(String),
}

fn malformed(declaration: &str, why: &str) -> Error {
    let message = format!(
        "the parameter {declaration:?} {why}: write a type and a name, `float32 x`, `T y`, or `raw T z` for a whole array"
    );
    Error::new(ErrorKind::Value, message)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Keywords of C++, which cannot be names.
#[rustfmt::skip]
const KEYWORDS: [&str; 97] = [
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "class", "compl", "const", "constexpr", "const_cast", "continue", "decltype", "default", "delete",
    "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    "__device__", "__global__", "__shared__", "__constant__", "__host__", "__managed__", "__restrict__", "threadIdx",
    "blockIdx", "blockDim", "gridDim", "warpSize", "main",
];

/// Rejects a kernel name that is not a valid C++ name.
pub(super) fn check_name(name: &str) -> Result<()> {
    let why = if !is_name(name) {
        "is no identifier: it has letters, digits and _, and does not begin with a digit"
    } else if KEYWORDS.contains(&name) {
        "is a word of CUDA C++ itself: choose another name"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Value, format!("Invalid kernel name: {name:?} {why}")))
}

/// Returns the dtype of NumPy's or C's name of a type.
fn dtype_of(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|d| d.name() == name || d.name() == name.trim_end_matches('_')).or(match name {
        "int" => Some(DType::I64),
        "uint" => Some(DType::U64),
        "float" => Some(DType::F64),
        "complex" => Some(DType::C128),
        "intp" | "longlong" => Some(DType::I64),
        "uintp" | "ulonglong" | "size_t" => Some(DType::U64),
        _ => None,
    })
}

/// Parses the parameters of a declaration.
pub(super) fn parse(text: &str) -> Result<Vec<Parameter>> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|part| !(part.is_empty() && text.trim().is_empty())).map(parse_one).collect()
}

fn parse_one(text: &str) -> Result<Parameter> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut raw = false;
    while let Some(&first) = words.first()
        && matches!(first, "raw" | "const" | "_non_const")
        && words.len() > 2
    {
        raw |= first == "raw";
        words.remove(0);
    }
    let [of, name] = words[..] else { return Err(malformed(text, "is not a type and a name")) };
    if !is_name(name) || !is_name(of) {
        return Err(malformed(text, "is not a type and a name"));
    }
    if name == "i" || name.starts_with('_') {
        return Err(malformed(text, &format!("has the name {name}, which the kernel has itself")));
    }
    let of = match dtype_of(of) {
        Some(dtype) => Type::Known(dtype),
        None if of.len() == 1 => Type::Letter(of.into()),
        None => return Err(malformed(text, &format!("has the unknown type {of}"))),
    };
    Ok(Parameter { name: name.into(), raw, of })
}

/// The dtypes of placeholder letters in a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Letters(Vec<(String, DType)>);

impl Letters {
    fn get(&self, letter: &str) -> Option<DType> {
        self.0.iter().find(|(l, _)| l == letter).map(|(_, d)| *d)
    }

    /// Returns the dtype of a type's name or letter.
    pub(super) fn resolve(&self, name: &str) -> Option<DType> {
        self.get(name).or_else(|| dtype_of(name))
    }

    fn learn(&mut self, parameter: &Parameter, given: DType) -> Result<()> {
        let name = &parameter.name;
        let wanted = match &parameter.of {
            Type::Known(dtype) if *dtype == given => return Ok(()),
            Type::Known(dtype) => format!("its parameter is declared as {dtype}"),
            Type::Letter(letter) => match self.get(letter) {
                Some(known) if known == given => return Ok(()),
                Some(known) => format!("{letter} is {known} in this call"),
                None => {
                    self.0.push((letter.clone(), given));
                    return Ok(());
                }
            },
        };
        let message = format!(
            "type is mismatched: {name} is {given}, and {wanted}. Cast it with astype, or declare it otherwise"
        );
        Err(Error::new(ErrorKind::Type, message))
    }

    /// Resolves the letters from the dtypes of the arrays. A letter that no array decides is decided by scalars: first
    /// by those that have a dtype.
    pub(super) fn of(
        inputs: &[Parameter],
        given: &[KernelArgument<'_>],
        outputs: &[Parameter],
        outs: &[&Array],
    ) -> Result<Letters> {
        let mut letters = Letters::default();
        for (parameter, out) in outputs.iter().zip(outs) {
            letters.learn(parameter, out.dtype())?;
        }
        for (parameter, argument) in inputs.iter().zip(given) {
            if let KernelArgument::Array(a) = argument {
                letters.learn(parameter, a.dtype())?;
            }
        }
        let decided = letters.clone();
        for (parameter, argument) in inputs.iter().zip(given) {
            if let (Type::Letter(letter), KernelArgument::Strong(dtype, _)) = (&parameter.of, argument)
                && decided.get(letter).is_none()
            {
                letters.learn(parameter, *dtype)?;
            }
        }
        for (parameter, argument) in inputs.iter().zip(given) {
            if let (Type::Letter(letter), KernelArgument::Weak(s)) = (&parameter.of, argument)
                && letters.get(letter).is_none()
            {
                letters.0.push((letter.clone(), s.own_dtype()));
            }
        }
        Ok(letters)
    }

    /// Returns the dtype of a parameter.
    pub(super) fn dtype(&self, parameter: &Parameter) -> Result<DType> {
        match &parameter.of {
            Type::Known(dtype) => Ok(*dtype),
            Type::Letter(letter) => self.get(letter).ok_or_else(|| {
                let message = format!("no argument determines what {letter} of {} is", parameter.name);
                Error::new(ErrorKind::Type, message)
            }),
        }
    }

    /// Declares the letters as types.
    pub(super) fn declare(&self, text: &mut String) {
        for (letter, dtype) in self.0.iter().filter(|(letter, _)| letter.len() == 1) {
            let _ = writeln!(text, "typedef {} {letter};", c_type(*dtype));
        }
    }
}

/// Returns the C type in a kernel's source.
pub(super) fn c_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "signed char",
        DType::U8 => "unsigned char",
        DType::I16 => "short",
        DType::U16 => "unsigned short",
        DType::I32 => "int",
        DType::U32 => "unsigned int",
        DType::I64 => "long long",
        DType::U64 => "unsigned long long",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 => "complex<float>",
        DType::C128 => "complex<double>",
    }
}

/// Value of a kernel's call that lives as long as the call: an array in the layout that the kernel sees, or bytes.
#[derive(Clone)]
pub(super) enum Value {
    Array(Array),
    Number([u8; 16], DType),
}

/// Converts a scalar to an argument of a parameter's dtype.
pub(super) fn number(s: Scalar, dtype: DType) -> Result<Value> {
    s.check_assigns(dtype)?;
    Ok(Value::Number(s.encode(dtype), dtype))
}

/// Rejects a number of arguments that differs from that of the parameters.
pub(super) fn check_count(name: &str, given: usize, wanted: usize) -> Result<()> {
    if given == wanted {
        return Ok(());
    }
    let message = format!("{name} takes {wanted} arguments, and {given} are given");
    Err(Error::new(ErrorKind::Type, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels_are_identifiers_of_cuda() {
        for name in ["kernel", "_k1", "K_2"] {
            check_name(name).unwrap();
        }
        for name in ["", "1", "a b", "x-y", "float", "while", "__global__"] {
            let e = check_name(name).unwrap_err();
            assert!(e.kind() == ErrorKind::Value && e.message().contains("Invalid kernel name"), "{e}");
        }
    }

    #[test]
    fn arrays_decide_the_type_of_a_letter_before_numbers_do() -> Result<()> {
        let (inputs, outputs) = (parse("T x, T y, U z")?, parse("T r")?);
        let x = crate::zeros(2, DType::F32)?;
        let strong = |dtype| KernelArgument::Strong(dtype, Scalar::Int(1));
        let given = [(&x).into(), strong(DType::F64), strong(DType::I16)];
        let letters = Letters::of(&inputs, &given, &outputs, &[])?;
        assert_eq!((letters.get("T"), letters.get("U")), (Some(DType::F32), Some(DType::I16)));
        let given = [strong(DType::I8), KernelArgument::Weak(Scalar::Int(3)), strong(DType::I16)];
        assert_eq!(Letters::of(&inputs, &given, &outputs, &[])?.get("T"), Some(DType::I8));
        let given = [strong(DType::I8), strong(DType::I32), strong(DType::I16)];
        let e = Letters::of(&inputs, &given, &outputs, &[]).unwrap_err();
        assert!(e.message().contains("y is int32, and T is int8"), "{e}");
        Ok(())
    }
}
