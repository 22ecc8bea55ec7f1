//! What writes the records of Cuprum's call table: an attribute for functions, a derive for structs of options and one
//! for enums of names.
//!
//! A function is written once, with its Rust signature. `#[routine]` reads its name, its parameters and the first
//! sentence of its documentation, and adds a record to `cuprum::table`, through which it can be called by name with dynamic
//! arguments. What it writes names items of the crate `cuprum` alone: it is of no use elsewhere.

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
/// pub fn take(a: &Array, indices: &Array, how: TakeOptions) -> Result<Array> { … }
///
/// #[routine(namespace = "numpy.linalg", names = "x")]
/// pub fn norm(a: &Array, how: NormOptions) -> Result<Array> { … }
/// ```
///
/// The function is written with the types that it works with, and public with the types that are easy to call:
///
/// | written | public |
/// |---|---|
/// | `&Array` | `impl AsArray` |
/// | `&[&Array]` | `impl IntoIterator<Item = impl AsArray>` |
/// | `Operand<'_>` | `impl AsOperand` |
/// | `Option<Operand<'_>>` | `impl AsOptionalOperand`, of which `()` is none |
/// | `isize`, `usize` | `impl IntoInteger`; `impl IntoAxis` of a parameter whose name begins with `axis` |
/// | `f64` | `impl IntoReal` |
/// | `Option<T>`, and a parameter with a default | `impl IntoOptional<T>`, of which `()` is the default |
/// | `TakeOptions`, `Reduce`, `Axes`, `Scalar`, `Quantiles` | `impl Into` of it |
/// | any other | as it is |
///
/// What is written is compiled once, and its errors begin with NumPy's name of the function.
///
/// Every parameter becomes one of the record, under its own name without a trailing underscore. One whose type is called
/// `…Options`, or `Reduce`, is taken apart into its fields (see [`derive_options`]).
///
/// * `names = "x1 x2"`: NumPy's names of the parameters that are no options, in their order, where Rust's are others.
/// * `name = "where"`: NumPy's name, where Rust's is another.
/// * `namespace = "scipy.special"`: the module; `numpy` unless said.
/// * `keywords = "a axis"`: all parameters that NumPy's function has, in its order. Options that stand not there are left
///   at their defaults.
/// * `method`: the function is a method of `Array`, too, whose first parameter is the array.
/// * `mode = CorrelateMode::Full`: a parameter and its default. `Option<…>` has `None` by itself.
#[proc_macro_attribute]
pub fn routine(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as routine::Arguments);
    let function = parse_macro_input!(function as syn::ItemFn);
    routine::expand(&arguments, &function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a kernel of a function: one that runs on the device, once for each thread.
///
/// It is translated to CUDA C++ when the program is compiled, and becomes a type of its name with the functions `launch` and
/// `indexed`. The guide's chapter on kernels has the subset of Rust.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, function: TokenStream) -> TokenStream {
    translated(arguments, function, kernel::expand)
}

/// A function that kernels call.
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

/// Takes a struct of options apart into keyword parameters: one for each field, whose default is what it holds in the
/// struct's own `Default`.
///
/// The parameter has the field's name without a trailing underscore; `#[keyword(return_index)]` gives it another, and
/// `#[keyword(not rowvar)]` one that means the opposite.
///
/// The struct gets `new`, and for each parameter a method of its name that sets it. What converts to it: `()`, which is the
/// defaults; a reference to the struct; and the value of the field under `#[from]`, the others being the defaults.
#[proc_macro_derive(Options, attributes(keyword, from))]
pub fn derive_options(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    options::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives the variants of an enum their names: the variant's own in lower case with underscores (`ClosestObservation` is
/// `closest_observation`), or what `#[name("…")]` says.
///
/// The enum can then be read from text (`FromStr`), which rejects any other with a list of the names, and be a parameter
/// of the call table.
#[proc_macro_derive(Choice, attributes(name))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    choice::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
