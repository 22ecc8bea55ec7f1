//! Public signatures of routines, whose parameters accept many types.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Error, Expr, FnArg, GenericArgument, GenericParam, Generics, ItemFn, Lifetime, Pat, PatType, PathArguments, Result,
    ReturnType, Type, TypeReference, parse_quote,
};

use crate::routine::{bare, is_options};

/// A parameter: its public type, and the expression that is passed to the body.
struct Parameter {
    name: Ident,
    public: TokenStream,
    arguments: TokenStream,
}

impl Parameter {
    /// Creates a parameter; `default` is its value if it is omitted, `fails` the function's name if it returns a
    /// `Result`.
    fn of(name: &Ident, written: &Type, default: Option<&Expr>, fails: Option<&str>) -> Parameter {
        let name = name.clone();
        let (public, arguments) = match written {
            Type::Group(group) => return Parameter::of(&name, &group.elem, default, fails),
            Type::Reference(TypeReference { elem, mutability: None, .. }) => match &**elem {
                to if is(to, "Array") => {
                    (quote!(impl crate::array::AsArray), quote!(crate::array::AsArray::as_array(&#name)))
                }
                Type::Slice(list) if matches!(&*list.elem, Type::Reference(to) if is(&to.elem, "Array")) => (
                    quote!(impl crate::array::IntoArrays),
                    quote!(&crate::array::referred(&crate::array::listed(#name))),
                ),
                to if is_options(to) => {
                    let named = with_lifetime(to);
                    (
                        quote!(impl crate::array::IntoArgument<#named>),
                        quote!(&::std::convert::Into::<#named>::into(#name)),
                    )
                }
                _ => (quote!(#written), quote!(#name)),
            },
            _ if default.is_some() => {
                let public = quote!(impl crate::array::IntoOptional<#written>);
                (public, quote!(crate::array::IntoOptional::into_optional(#name).unwrap_or(#default)))
            }
            _ if is(written, "isize") && name.to_string().starts_with("axis") => {
                (quote!(impl crate::array::IntoAxis), quote!(crate::array::IntoAxis::into_axis(#name)))
            }
            _ if optional(written).is_some_and(|inner| is(inner, "Operand")) => (
                quote!(impl crate::array::AsOptionalOperand),
                quote!(crate::array::AsOptionalOperand::as_optional_operand(&#name)),
            ),
            _ if optional(written).is_some() => {
                let inner = optional(written).map(with_lifetime);
                let public = quote!(impl crate::array::IntoOptional<#inner>);
                (public, quote!(crate::array::IntoOptional::into_optional(#name)))
            }
            _ if is(written, "isize") => (quote!(impl crate::array::IntoInteger), quote!(crate::array::integer(#name))),
            _ if is(written, "usize") && fails.is_some() => {
                let label = name.to_string();
                let count = quote!(crate::array::count(#label, #name).map_err(|e| e.with_op(#fails))?);
                (quote!(impl crate::array::IntoInteger), count)
            }
            _ if is(written, "f64") => {
                (quote!(impl crate::array::IntoReal), quote!(crate::array::IntoReal::into_real(#name)))
            }
            _ if is(written, "Operand") => {
                (quote!(impl crate::array::AsOperand), quote!(crate::array::AsOperand::as_operand(&#name)))
            }
            _ if is_options(written)
                || ["Axes", "Axis", "Scalar", "Quantiles", "Sections", "Block", "Sides", "Positions", "Indices"]
                    .iter()
                    .any(|to| is(written, to)) =>
            {
                let named = with_lifetime(written);
                (quote!(impl crate::array::IntoArgument<#named>), quote!(#name.into()))
            }
            _ => (quote!(#written), quote!(#name)),
        };
        Parameter { name, public, arguments }
    }

    fn declared(&self) -> TokenStream {
        let Parameter { name, public, .. } = self;
        quote!(#name: #public)
    }
}

/// Returns whether a type has this name, ignoring lifetimes.
fn is(of: &Type, name: &str) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// Returns the type in `Option<…>`.
fn optional(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let segment = path.path.segments.last().filter(|s| s.ident == "Option")?;
    let PathArguments::AngleBracketed(inner) = &segment.arguments else { return None };
    match inner.args.first() {
        Some(GenericArgument::Type(of)) => Some(of),
        _ => None,
    }
}

/// Returns the type with the single lifetime of a public function.
fn with_lifetime(of: &Type) -> Type {
    struct Named;
    impl VisitMut for Named {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new("'a", lifetime.span());
        }

        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            reference.lifetime = Some(Lifetime::new("'a", Span::call_site()));
            visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut of = of.clone();
    Named.visit_type_mut(&mut of);
    of
}

fn borrows(tokens: &TokenStream) -> bool {
    struct Found(bool);
    impl VisitMut for Found {
        fn visit_lifetime_mut(&mut self, _: &mut Lifetime) {
            self.0 = true;
        }
    }
    let Ok(mut of) = syn::parse2::<Type>(tokens.clone()) else { return false };
    let mut found = Found(false);
    visit_mut::visit_type_mut(&mut found, &mut of);
    found.0
}

/// A routine with its public signature.
pub(crate) struct Face<'a> {
    written: &'a ItemFn,
    parameters: Vec<Parameter>,
    generics: Generics,
    /// NumPy's name.
    name: &'a str,
    /// The first sentence of the documentation.
    doc: &'a str,
    /// Whether the name is prefixed to errors.
    prefix: bool,
}

/// Generates a function without a record. Its body names it in errors.
pub(crate) fn signature(written: &ItemFn) -> Result<TokenStream> {
    let name = bare(&written.sig.ident);
    let face = Face::of(written, &name, "", |_| None)?;
    Ok(Face { prefix: false, ..face }.function())
}

impl<'a> Face<'a> {
    /// Creates the signature; `default` returns the default of the parameter of a name.
    pub(crate) fn of(
        written: &'a ItemFn,
        name: &'a str,
        doc: &'a str,
        default: impl Fn(&str) -> Option<&'a Expr>,
    ) -> Result<Face<'a>> {
        let fails = matches!(&written.sig.output, ReturnType::Type(_, of) if is(of, "Result")).then_some(name);
        let parameters: Vec<Parameter> = written
            .sig
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(PatType { pat, ty, .. }) => match &**pat {
                    Pat::Ident(pat) => Some(Parameter::of(&pat.ident, ty, default(&bare(&pat.ident)), fails)),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            })
            .collect();
        let mut generics = written.sig.generics.clone();
        let named = generics.params.iter().any(|p| matches!(p, GenericParam::Lifetime(_)));
        if !named && parameters.iter().any(|p| borrows(&p.public)) {
            generics.params.push(parse_quote!('a));
        }
        Ok(Face { written, parameters, generics, name, doc, prefix: true })
    }

    /// Generates the public function, which converts its arguments and calls the body.
    pub(crate) fn function(&self) -> TokenStream {
        let ItemFn { attrs, vis, sig, block } = self.written;
        let (ident, output, written) = (&sig.ident, &sig.output, &sig.inputs);
        let (declared, generics) = (self.parameters.iter().map(Parameter::declared), &self.generics);
        let arguments = self.parameters.iter().map(|p| &p.arguments);
        let name = self.name;
        let named = match output {
            ReturnType::Type(_, of) if is(of, "Result") && self.prefix => quote!(.map_err(|e| e.with_op(#name))),
            _ => quote!(),
        };
        let own = &sig.generics;
        let alias = (ident != name).then(|| quote!(#[doc(alias = #name)]));
        quote! {
            #(#attrs)*
            #alias
            #vis fn #ident #generics(#(#declared),*) #output {
                // A separate function, so that the body is not monomorphised for each argument type.
                fn written #own(#written) #output #block
                written(#(#arguments),*)#named
            }
        }
    }

    /// Generates the method of the same name.
    pub(crate) fn method(&self) -> Result<TokenStream> {
        let ident = &self.written.sig.ident;
        let Some((own, others)) = self.parameters.split_first() else {
            return Err(Error::new(Span::call_site(), "a method has an array"));
        };
        if !own.public.to_string().contains("AsArray") && !own.public.to_string().contains("AsOperand") {
            return Err(Error::new_spanned(&own.name, "the first parameter of a method is an array"));
        }
        let (output, generics) = (&self.written.sig.output, &self.generics);
        let (declared, names) = (others.iter().map(Parameter::declared), others.iter().map(|p| &p.name));
        let doc = format!("{} NumPy's `{}`: [`{ident}`]({ident}()) as a method.", self.doc, self.name);
        let as_function = format!("Same as [`{ident}`]({ident}()).");
        let see = format!("See [`{ident}`]({ident}()) for shapes, dtypes, options and an example.");
        let name = self.name;
        let alias = (ident != name).then(|| quote!(#[doc(alias = #name)]));
        Ok(quote! {
            impl crate::array::Array {
                #[doc = #doc]
                ///
                #[doc = #see]
                ///
                /// # Errors
                ///
                #[doc = #as_function]
                ///
                /// # Synchronization
                ///
                #[doc = #as_function]
                #alias
                pub fn #ident #generics(&self, #(#declared),*) #output {
                    #ident(self, #(#names),*)
                }
            }
        })
    }
}
