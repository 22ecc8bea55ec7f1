//! Macros of Cuprum's call table: an attribute for functions, a derive for option structs and one for enums of named
//! values.
//!
//! A function is written once, with its Rust signature. `#[routine]` reads its name, its parameters and the first
//! sentence of its documentation, and adds a record to `cuprum::table`, through which it can be called by name with
//! dynamic arguments. The generated code refers to private items of the crate `cuprum`: it is of no use elsewhere.

mod choice;
mod face;
mod kernel;
mod options;
mod routine;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// Adds a function to the call table.
///
/// ```text
/// /// Elements at given indices; NumPy's `take`.
/// #[routine(method)]
/// pub fn take(a: &Array, indices: &Array, options: TakeOptions) -> Result<Array> { … }
///
/// #[routine(namespace = "numpy.linalg", names = "x")]
/// pub fn norm(a: &Array, options: NormOptions) -> Result<Array> { … }
/// ```
///
/// The function is written with concrete parameter types, and its public signature accepts types that are easy to pass:
///
/// | written | public |
/// |---|---|
/// | `&Array` | `impl AsArray` |
/// | `&[&Array]` | `impl IntoArrays` |
/// | `Operand<'_>` | `impl AsOperand` |
/// | `Option<Operand<'_>>` | `impl AsOptionalOperand`, where `()` means none |
/// | `isize`, `usize` | `impl IntoInteger`; `impl IntoAxis` for a parameter whose name begins with `axis` |
/// | `f64` | `impl IntoReal` |
/// | `Option<T>`, and a parameter with a default | `impl IntoOptional<T>`, where `()` means the default |
/// | `TakeOptions`, `&TakeOptions`, `Reduce`, `Axes`, `Scalar`, `Quantiles` | `impl IntoArgument` of it |
/// | any other | unchanged |
///
/// The body is compiled once, and its errors begin with NumPy's name of the function.
///
/// Every parameter becomes one of the record, under its own name without a trailing underscore. One whose type is named
/// `…Options`, or `Reduce`, is split into its fields (see [`derive_options`]).
///
/// * `names = "x1 x2"`: NumPy's names of the non-option parameters, in order, where Rust's are different.
/// * `name = "where"`: NumPy's name, where Rust's is different.
/// * `namespace = "scipy.special"`: the module; `numpy` by default.
/// * `keywords = "a axis"`: all parameters of NumPy's function, in its order. Options that are not listed keep their
///   defaults.
/// * `method`: the function is also a method of `Array`, which is the first parameter.
/// * `mode = CorrelateMode::Full`: a parameter and its default. `Option<…>` has the default `None`.
/// * `python(positional_only = 1, keyword_only = 2, …)`: what Python's signature has beyond the parameters: the setters
///   of `cuprum::table::PythonSignature`.
/// * `no_cases = "…"`: why no conformance case calls it. `no_programs = "…"`: why no random program calls it.
///   `outside_suite = "…"` is both.
#[proc_macro_attribute]
pub fn routine(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as routine::Arguments);
    let function = parse_macro_input!(function as syn::ItemFn);
    routine::expand(&arguments, &function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Creates the public signature that [`macro@routine`] creates, without a record in the call table.
#[proc_macro_attribute]
pub fn signature(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments = proc_macro2::TokenStream::from(arguments);
    let function = parse_macro_input!(function as syn::ItemFn);
    if !arguments.is_empty() {
        return syn::Error::new_spanned(arguments, "a signature has no options").into_compile_error().into();
    }
    face::signature(&function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Marks a public function without a record in the call table, with the reason. A test requires one of the two.
#[proc_macro_attribute]
pub fn unrecorded(reason: TokenStream, function: TokenStream) -> TokenStream {
    parse_macro_input!(reason as syn::LitStr);
    function
}

/// Converts a function to a kernel, which runs on the device once for each thread.
///
/// It is translated to CUDA C++ when the program is compiled, and becomes a type of its name with the functions
/// `launch` and `indexed`. The guide's chapter on kernels describes the subset of Rust.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, function: TokenStream) -> TokenStream {
    translated(arguments, function, kernel::expand)
}

/// Converts a function to a device function, which kernels can call.
#[proc_macro_attribute]
pub fn kernel_fn(arguments: TokenStream, function: TokenStream) -> TokenStream {
    translated(arguments, function, kernel::expand_fn)
}

fn translated(
    arguments: TokenStream,
    function: TokenStream,
    expand: fn(&syn::ItemFn) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    let arguments = proc_macro2::TokenStream::from(arguments);
    let function = parse_macro_input!(function as syn::ItemFn);
    if !arguments.is_empty() {
        return syn::Error::new_spanned(arguments, "a kernel has no options").into_compile_error().into();
    }
    expand(&function).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// Derives keyword parameters from an option struct: one for each field, whose default is the field of the struct's
/// `Default`.
///
/// The parameter has the field's name without a trailing underscore; `#[keyword(return_index)]` renames it, and
/// `#[keyword(not rowvar)]` renames and negates it.
///
/// The struct gets `new`, and for each parameter a setter of its name. Conversions to the struct exist from `()`, which
/// is the defaults; from a reference to the struct; and from the value of the field under `#[from]`, with defaults for
/// the others.
#[proc_macro_derive(Options, attributes(keyword, from))]
pub fn derive_options(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    options::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives names for the variants of an enum: the variant's own in snake case (`ClosestObservation` is
/// `closest_observation`), or that of `#[name("…")]`.
///
/// The enum can then be parsed from a string (`FromStr`), which rejects any other with a list of the names, and be a
/// parameter of the call table.
#[proc_macro_derive(Choice, attributes(name))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    choice::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
