//! Types of kernels: numbers and arrays, with their C++ names.

use syn::{Error, Expr, GenericArgument, PathArguments, Result, Type};

/// A type of the kernel language.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Unit,
    Bool,
    /// An integer, by its name.
    Int(&'static str),
    /// A floating-point number, by its name.
    Float(&'static str),
    /// A type parameter of the function, which is a number type.
    Generic(String),
    /// An array in device memory, and whether it is writable.
    Slice(Box<Ty>, bool),
    /// An array in shared memory: its element type and length.
    Shared(Box<Ty>, u64),
}

const INTS: [&str; 10] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize"];
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

impl Ty {
    pub(super) const I32: Ty = Ty::Int("i32");
    pub(super) const U32: Ty = Ty::Int("u32");
    pub(super) const USIZE: Ty = Ty::Int("usize");
    pub(super) const F64: Ty = Ty::Float("f64");

    /// Returns the number type of a name.
    pub(super) fn named(name: &str) -> Option<Ty> {
        let int = INTS.into_iter().find(|n| *n == name).map(Ty::Int);
        int.or_else(|| FLOATS.into_iter().find(|n| *n == name).map(Ty::Float)).or((name == "bool").then_some(Ty::Bool))
    }

    /// Returns the C++ type.
    pub(super) fn c(&self) -> String {
        match self {
            Ty::Unit => "void".into(),
            Ty::Bool => "bool".into(),
            Ty::Int("usize") => "u64".into(),
            Ty::Int("isize") => "i64".into(),
            Ty::Float("f16") => "float16".into(),
            Ty::Float("bf16") => "bfloat16".into(),
            Ty::Int(name) | Ty::Float(name) => (*name).into(),
            Ty::Generic(name) => name.clone(),
            Ty::Slice(of, _) => format!("Slice<{}>", of.c()),
            Ty::Shared(of, n) => format!("Shared<{}, {n}>", of.c()),
        }
    }

    /// Returns the Rust type.
    pub(super) fn rust(&self) -> String {
        match self {
            Ty::Unit => "()".into(),
            Ty::Bool => "bool".into(),
            Ty::Int(name) | Ty::Float(name) => (*name).into(),
            Ty::Generic(name) => name.clone(),
            Ty::Slice(of, true) => format!("&mut [{}]", of.rust()),
            Ty::Slice(of, false) => format!("&[{}]", of.rust()),
            Ty::Shared(of, n) => format!("shared [{}; {n}]", of.rust()),
        }
    }

    pub(super) fn is_int(&self) -> bool {
        matches!(self, Ty::Int(_))
    }

    pub(super) fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_) | Ty::Generic(_))
    }

    pub(super) fn is_signed(&self) -> bool {
        matches!(self, Ty::Int(name) if name.starts_with('i'))
    }

    /// Returns the number of bits of an integer type.
    pub(super) fn bits(&self) -> u32 {
        match self {
            Ty::Int("i8" | "u8") => 8,
            Ty::Int("i16" | "u16") => 16,
            Ty::Int("i32" | "u32") => 32,
            _ => 64,
        }
    }

    /// Returns whether C++ computes with the type in a wider one.
    pub(super) fn is_small(&self) -> bool {
        matches!(self, Ty::Int("i8" | "u8" | "i16" | "u16") | Ty::Float("f16" | "bf16"))
    }

    /// Returns the element type of an array, and whether it is writable.
    pub(super) fn elements(&self) -> Option<(&Ty, bool)> {
        match self {
            Ty::Slice(of, writable) => Some((of, *writable)),
            Ty::Shared(of, _) => Some((of, true)),
            _ => None,
        }
    }
}

/// Parses a type in a kernel.
pub(super) fn of(written: &Type, generics: &[String]) -> Result<Ty> {
    let unknown = || {
        Error::new_spanned(
            written,
            "a kernel has numbers (bool, i8 to u64, usize, f16, bf16, f32, f64) and, as parameters, slices of them: \
             `&[f32]`, `&mut [f32]`",
        )
    };
    match written {
        Type::Group(group) => of(&group.elem, generics),
        Type::Paren(inner) => of(&inner.elem, generics),
        Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Ty::Unit),
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last().ok_or_else(unknown)?;
            let name = last.ident.to_string();
            if generics.contains(&name) {
                return Ok(Ty::Generic(name));
            }
            Ty::named(&name).filter(|_| matches!(last.arguments, PathArguments::None)).ok_or_else(unknown)
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => {
                let elements = of(&slice.elem, generics)?;
                let plain = elements.is_number() || elements == Ty::Bool;
                if plain { Ok(Ty::Slice(Box::new(elements), reference.mutability.is_some())) } else { Err(unknown()) }
            }
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

/// Parses the shared array of `shared::<[f32; 256]>()`.
pub(super) fn shared(arguments: &PathArguments, generics: &[String]) -> Option<Result<Ty>> {
    let PathArguments::AngleBracketed(all) = arguments else { return None };
    let Some(GenericArgument::Type(Type::Array(array))) = all.args.first() else { return None };
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) = &array.len else {
        return Some(Err(Error::new_spanned(&array.len, "the length of a shared array is a number, as `256`")));
    };
    Some(of(&array.elem, generics).and_then(|elements| Ok(Ty::Shared(Box::new(elements), length.base10_parse()?))))
}
