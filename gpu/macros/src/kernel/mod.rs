//! Attributes `#[kernel]` and `#[kernel_fn]`: functions in a subset of Rust that run on the device.
//!
//! The CUDA C++ source is generated when the program is compiled; unsupported constructs are compile errors at their
//! location.

mod body;
mod calls;
mod types;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Error, FnArg, GenericParam, ItemFn, Pat, Result, ReturnType, Type, parse_str};

use body::{CalledFunction, Translation};
use types::Ty;

/// A parameter.
struct Parameter {
    name: Ident,
    ty: Ty,
    mutable: bool,
}

/// A function translated to C++.
struct Translated {
    parameters: Vec<Parameter>,
    generics: Vec<Ident>,
    text: String,
    called: Vec<CalledFunction>,
}

fn translate(function: &ItemFn, of_kernel: bool) -> Result<Translated> {
    let signature = &function.sig;
    for (found, what) in [
        (signature.asyncness.map(|t| t.span), "async"),
        (signature.constness.map(|t| t.span), "const"),
        (signature.unsafety.map(|t| t.span), "unsafe: its `unsafe` blocks answer for themselves"),
    ] {
        if let Some(span) = found {
            return Err(Error::new(span, format!("a kernel is not {what}")));
        }
    }
    let mut generics = vec![];
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Type(of) if of_kernel => generics.push(of.ident.clone()),
            GenericParam::Type(_) => {
                return Err(Error::new_spanned(parameter, "a kernel's own functions have no generics"));
            }
            _ => return Err(Error::new_spanned(parameter, "a kernel is generic over types of elements alone")),
        }
    }
    let named: Vec<String> = generics.iter().map(ToString::to_string).collect();
    let mut parameters = vec![];
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else { return Err(Error::new_spanned(input, "a kernel is no method")) };
        let Pat::Ident(name) = &*typed.pat else {
            return Err(Error::new_spanned(&typed.pat, "a parameter has a name"));
        };
        let ty = types::of(&typed.ty, &named)?;
        if ty == Ty::Unit {
            return Err(Error::new_spanned(&typed.ty, "a parameter has a value"));
        }
        parameters.push(Parameter { name: name.ident.clone(), ty, mutable: name.mutability.is_some() });
    }
    let result = match &signature.output {
        ReturnType::Default => Ty::Unit,
        ReturnType::Type(_, of) if of_kernel => {
            return Err(Error::new_spanned(of, "a kernel gives nothing: it writes to its arrays"));
        }
        ReturnType::Type(_, of) => match types::of(of, &named)? {
            ty if ty.elements().is_some() => return Err(Error::new_spanned(of, "a function gives a number")),
            ty => ty,
        },
    };
    let known = parameters.iter().map(|p| (p.name.to_string(), p.ty.clone(), p.mutable)).collect();
    let (text, called) = Translation::new(known, named, result.clone()).body(&function.block)?;
    let declared: Vec<String> = parameters.iter().map(|p| format!(", {} {}_", p.ty.c(), p.name)).collect();
    let name = &signature.ident;
    let head = match of_kernel {
        true => format!("extern \"C\" __global__ void {name}(rejecting rejecting_{})", declared.concat()),
        false => format!("__device__ {} kernel_fn_{name}(rejecting rejecting_{})", result.c(), declared.concat()),
    };
    Ok(Translated { parameters, generics, text: format!("{head} {{\n{text}}}\n"), called })
}

/// Returns the Rust type of a number or of an array of numbers.
fn rust(ty: &Ty) -> Result<Type> {
    let name = ty.rust().replace("bf16", "::cuprum::half::BF16").replace("f16", "::cuprum::half::f16");
    parse_str(&name.replace("BF16", "bf16"))
}

/// Generates checks that called functions have the types that the source assumes.
fn checks(called: &[CalledFunction]) -> Result<TokenStream> {
    let mut all = TokenStream::new();
    for call in called {
        let types = || call.arguments.iter().chain([&call.result]);
        if types().any(|t| {
            matches!(t, Ty::Generic(_) | Ty::Shared(..))
                || matches!(t, Ty::Slice(of, _) if matches!(**of, Ty::Generic(_)))
        }) {
            continue;
        }
        let path = &call.path;
        let names: Vec<Ident> = (0..call.arguments.len()).map(|k| format_ident!("a{k}")).collect();
        let given = call.arguments.iter().map(rust).collect::<Result<Vec<_>>>()?;
        let result = rust(&call.result)?;
        all.extend(quote! {
            const _: () = {
                #[allow(dead_code, unused)]
                fn check(#(#names: #given),*) {
                    let _: #result = #path(#(#names),*);
                }
            };
        });
    }
    Ok(all)
}

/// Generates the function that collects the sources of the called functions.
fn gathering(called: &[CalledFunction], text: &str) -> TokenStream {
    let paths = called.iter().map(|call| &call.path);
    quote! {
        #[doc(hidden)]
        pub fn __gather(to: &mut ::std::vec::Vec<&'static str>) {
            #(#paths::__gather(to);)*
            if !to.contains(&#text) {
                to.push(#text);
            }
        }
    }
}

/// Expands `#[kernel_fn]`.
pub(crate) fn expand_fn(function: &ItemFn) -> Result<TokenStream> {
    let Translated { parameters, text, called, .. } = translate(function, false)?;
    let (checks, gathering) = (checks(&called)?, gathering(&called, &text));
    let ItemFn { attrs, vis, sig, .. } = function;
    let name = &sig.ident;
    let names = parameters.iter().map(|p| &p.name);
    let why = format!("`{name}` runs on the device alone");
    Ok(quote! {
        #checks
        #(#attrs)*
        #[allow(unused_mut)]
        #vis #sig {
            let _ = (#(&#names,)*);
            ::std::unreachable!(#why)
        }
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        impl #name {
            #gathering
        }
    })
}

/// Expands `#[kernel]`.
pub(crate) fn expand(function: &ItemFn) -> Result<TokenStream> {
    let Translated { parameters, generics, text, called } = translate(function, true)?;
    let (checks, gathering) = (checks(&called)?, gathering(&called, &text));
    let ItemFn { attrs, vis, sig, .. } = function;
    let (name, kernel_name) = (&sig.ident, sig.ident.to_string());
    let (mut declared, mut arguments) = (vec![], vec![]);
    for Parameter { name, ty, .. } in &parameters {
        let label = name.to_string();
        match ty {
            Ty::Slice(of, writable) => {
                let of = rust(of)?;
                declared.push(quote!(#name: &::cuprum::Array));
                arguments.push(quote!(call.array::<#of>(#label, #name, #writable)?;));
            }
            ty => {
                let of = rust(ty)?;
                declared.push(quote!(#name: #of));
                arguments.push(quote!(call.number(#name.into());));
            }
        }
    }
    let all: Vec<Ident> = parameters.iter().map(|p| p.name.clone()).collect();
    let generic = match generics.is_empty() {
        true => quote!(),
        false => quote!(<#(#generics: ::cuprum::Element + ::std::convert::Into<::cuprum::Argument<'static>>),*>),
    };
    let turbofish = if generics.is_empty() { quote!() } else { quote!(::<#(#generics),*>) };
    let stated = generics.iter().map(|g| {
        let name = g.to_string();
        quote!((#name, <#g as ::cuprum::Element>::DTYPE))
    });
    let arrays = parameters.iter().any(|p| p.ty.elements().is_some());
    let cannot = if arrays {
        "No index leaves an array: one that would is rejected, and reported at the next call that synchronizes."
    } else {
        ""
    };
    let launch = Ident::new("launch", Span::call_site());
    Ok(quote! {
        #checks
        #(#attrs)*
        #[allow(non_camel_case_types)]
        #vis struct #name {}
        #[allow(dead_code)]
        impl #name {
            #gathering

            /// Returns the CUDA C++ source of the kernel, with the functions that it calls.
            pub fn source() -> ::std::string::String {
                let mut all = ::std::vec::Vec::new();
                Self::__gather(&mut all);
                all.concat()
            }

            /// Launches the kernel on the current stream, in a grid of blocks of threads.
            #[doc = #cannot]
            ///
            /// # Errors
            ///
            /// `Type` for an array whose dtype is not that of the parameter's elements; `Value` for one that is not
            /// contiguous, and for a writable one that shares memory with another; and those of `RawKernel::launch`.
            #[allow(clippy::too_many_arguments)]
            pub fn #launch #generic(grid: [u32; 3], block: [u32; 3], #(#declared),*) -> ::cuprum::Result<()> {
                static KERNEL: ::cuprum::RustKernel = ::cuprum::RustKernel::new(#kernel_name, #name::source);
                let mut call = KERNEL.call();
                #(#arguments)*
                call.launch(grid, block, &[#(#stated),*])
            }

            /// Launches one thread for each index below `n`, which is `grid()` in the kernel: surplus threads of the
            /// last block have greater ones.
            ///
            /// # Errors
            ///
            /// Same as `launch`.
            #[allow(clippy::too_many_arguments)]
            pub fn indexed #generic(n: usize, #(#declared),*) -> ::cuprum::Result<()> {
                match ::cuprum::RustKernel::blocks(n)? {
                    0 => ::std::result::Result::Ok(()),
                    blocks => Self::#launch #turbofish([blocks, 1, 1], [::cuprum::RustKernel::THREADS, 1, 1], #(#all),*),
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(function: &str) -> String {
        translate(&parse_str(function).unwrap(), true).unwrap_or_else(|e| panic!("{e}")).text
    }

    fn rejected(function: &str) -> String {
        let function = parse_str(function).unwrap();
        match translate(&function, true) {
            Ok(found) => panic!("{}", found.text),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn a_kernel_becomes_cpp() {
        let saxpy =
            "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(); if i < y.len() { y[i] += a * x[i]; } }";
        assert_eq!(
            text(saxpy),
            "extern \"C\" __global__ void saxpy(rejecting rejecting_, f32 a_, Slice<f32> x_, Slice<f32> y_) {\n  \
             u64 i_0 = ((u64)blockIdx.x * blockDim.x + threadIdx.x);\n  if ((i_0 < y_.length)) {\n    \
             set(y_.data, y_.length, i_0, rejecting_, (get(y_.data, y_.length, i_0, rejecting_) + \
             (a_ * get(x_.data, x_.length, i_0, rejecting_))));\n  }\n}\n"
        );
    }

    #[test]
    fn literals_take_the_type_of_what_is_beside_them() {
        let found = text(
            "fn f(x: &mut [f32]) { let mut s: f64 = 2.0; s = 1.0 + s; let h = 0.5 * x[0]; x[1] = h; x[0] = s as f32; }",
        );
        for part in ["f64 s_0 = (2.0);", "s_0 = (((1.0) + s_0));", "((f32)(0.5f) * get", "(f32)(s_0)"] {
            assert!(found.contains(part), "{part} is not in\n{found}");
        }
    }

    #[test]
    fn what_the_subset_does_not_have_is_rejected() {
        for (body, said) in [
            ("let v = vec![1];", "subset of Rust"),
            ("let x = 1.0;", "its type is not known"),
            ("let i = grid(); let j = i + 1i32;", "usize and i32"),
            ("y[0] = 1;", "has a point"),
            ("y[0i32] = 1.0;", "usize is wanted"),
            ("let s = y[0]; s = 2.0;", "does not change"),
            ("x[0] = 1.0;", "read alone"),
            ("let s = z;", "not known here"),
            ("let s = *x.get_unchecked(0);", "is called in `unsafe`"),
            ("for v in x { }", "runs over a range"),
            ("let s = y[0].sort();", "does not have the method"),
            ("let s = f(y[0]);", "write it, as in"),
            ("let s = atomic_max(&mut y[0], 1.0);", "added, subtracted"),
            ("struct A;", "no items"),
        ] {
            let e = rejected(&format!("fn f(x: &[f32], y: &mut [f32]) {{ {body} }}"));
            assert!(e.contains(said), "{body}: {e}");
        }
        assert!(rejected("fn f(x: &str) {}").contains("a kernel has numbers"));
        assert!(rejected("fn f(x: &[f32]) -> f32 { x[0] }").contains("gives nothing"));
    }
}
