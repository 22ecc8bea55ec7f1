//! Derive macro `Options` for option structs.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericArgument, PathArguments, Result, Token, Type,
    custom_keyword,
};

use crate::routine::{anonymous, bare};

custom_keyword!(not);

/// Contents of `#[keyword(…)]`.
struct Keyword {
    not: bool,
    name: Ident,
}

impl Parse for Keyword {
    fn parse(input: ParseStream<'_>) -> Result<Keyword> {
        let not = input.parse::<Option<not>>()?.is_some();
        let name = if input.peek(Token![where]) {
            let token: Token![where] = input.parse()?;
            Ident::new("where_", token.span)
        } else {
            input.parse()?
        };
        Ok(Keyword { not, name })
    }
}

/// Returns the parameter of a field: its name as an identifier, and whether it is negated.
fn keyword(field: &Field) -> Result<(Ident, bool)> {
    for attribute in &field.attrs {
        if attribute.path().is_ident("keyword") {
            let keyword: Keyword = attribute.parse_args()?;
            return Ok((keyword.name, keyword.not));
        }
    }
    let name = field.ident.clone().ok_or_else(|| Error::new_spanned(field, "options have names"))?;
    Ok((name, false))
}

/// Kind of a field, which determines the types that its setter accepts.
enum Holds<'a> {
    Axes,
    /// An optional axis.
    OptionalAxis,
    Axis,
    /// A borrowed array, or an optional one.
    Array(&'a Type),
    /// An optional operand.
    OptionalOperand(&'a Type),
    /// A list.
    List(&'a Type),
    /// A type of this library, to which others may convert.
    Own,
    /// An optional number or interval.
    OptionalNumber(&'a Type),
    /// Any other optional value.
    Optional(&'a Type),
    /// An integer.
    Integer,
    /// A real number.
    Real,
    /// Counts and booleans.
    Plain,
}

/// Returns the type in `Name<…>`.
fn inside<'a>(of: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = of else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    arguments.args.iter().find_map(|a| match a {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    })
}

fn is(of: &Type, name: &str) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// Generates the conversion of an integer to the field's type.
fn integer(of: &Type) -> TokenStream {
    match is(of, "isize") {
        true => quote!(crate::array::integer(value)),
        false => quote!(crate::array::integer(value) as #of),
    }
}

/// Returns whether a type is a number or an interval of numbers.
fn is_number(of: &Type) -> bool {
    match of {
        Type::Tuple(tuple) => tuple.elems.iter().all(|element| is(element, "f64")),
        _ => ["isize", "i64", "f64"].iter().any(|number| is(of, number)),
    }
}

impl<'a> Holds<'a> {
    fn of(field: &'a Field) -> Holds<'a> {
        let of = &field.ty;
        let is_axis = field.ident.as_ref().is_some_and(|name| name.to_string().starts_with("axis"));
        match inside(of, "Option") {
            Some(inner) if is_axis && is(inner, "isize") => return Holds::OptionalAxis,
            Some(Type::Reference(reference)) if is(&reference.elem, "Array") => return Holds::Array(of),
            Some(inner) if is(inner, "Operand") || is(inner, "Scalar") || is(inner, "Sides") => {
                return Holds::OptionalOperand(inner);
            }
            Some(inner) if is_number(inner) => return Holds::OptionalNumber(inner),
            Some(inner) => return Holds::Optional(inner),
            None => {}
        }
        if let Some(element) = inside(of, "Vec") {
            return Holds::List(element);
        }
        match of {
            _ if is(of, "Axes") => Holds::Axes,
            _ if is_axis && is(of, "isize") => Holds::Axis,
            _ if is(of, "isize") || is(of, "i64") => Holds::Integer,
            _ if is(of, "f64") => Holds::Real,
            _ if is(of, "bool") || is(of, "usize") => Holds::Plain,
            _ => Holds::Own,
        }
    }

    /// Generates the setter's parameter type, and the field's value.
    fn setter(&self, of: &Type) -> (TokenStream, TokenStream) {
        match self {
            Holds::Axes => (quote!(impl crate::array::IntoArgument<crate::array::Axes>), quote!(value.into())),
            Holds::OptionalAxis => {
                (quote!(impl crate::array::IntoArgument<crate::array::Axis>), quote!(value.into().0))
            }
            Holds::Axis => (quote!(impl crate::array::IntoAxis), quote!(crate::array::IntoAxis::into_axis(value))),
            Holds::OptionalOperand(inner) => {
                (quote!(impl crate::array::IntoArgument<#inner>), quote!(Some(value.into())))
            }
            Holds::List(element) if inside(element, "Option").is_some_and(is_number) => {
                let inner = inside(element, "Option");
                (
                    quote!(impl ::std::iter::IntoIterator<Item = impl crate::array::IntoOptional<#inner>>),
                    quote!(value.into_iter().map(crate::array::IntoOptional::into_optional).collect()),
                )
            }
            Holds::List(element) => (
                quote!(impl ::std::iter::IntoIterator<Item = impl ::std::convert::Into<#element>>),
                quote!(value.into_iter().map(::std::convert::Into::into).collect()),
            ),
            Holds::Array(of) => (quote!(impl crate::array::IntoArgument<#of>), quote!(value.into())),
            Holds::Optional(_) | Holds::Own => (quote!(impl crate::array::IntoArgument<#of>), quote!(value.into())),
            Holds::OptionalNumber(inner) => (
                quote!(impl crate::array::IntoOptional<#inner>),
                quote!(crate::array::IntoOptional::into_optional(value)),
            ),
            Holds::Integer => (quote!(impl crate::array::IntoInteger), integer(of)),
            Holds::Real => (quote!(impl crate::array::IntoReal), quote!(crate::array::IntoReal::into_real(value))),
            Holds::Plain => (quote!(#of), quote!(value)),
        }
    }
}

/// Returns the documentation attributes of a field.
fn documentation(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|a| a.path().is_ident("doc"))
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            _ => return Err(Error::new_spanned(&input.ident, "options have names")),
        },
        _ => return Err(Error::new_spanned(&input.ident, "only a struct has options")),
    };
    let ident = &input.ident;
    let borrows = input.generics.lifetimes().next().is_some();
    let this = if borrows { quote!(#ident<'v>) } else { quote!(#ident) };
    let (mut parameters, mut reads, mut setters) = (vec![], vec![], vec![]);
    let mut from = quote!();
    let mut from_nothing = true;
    for field in fields {
        let (name, opposite) = keyword(field)?;
        let (own, of, text) = (&field.ident, named(&field.ty), bare(&name));
        let not = opposite.then(|| quote!(!));
        parameters.push(quote!(crate::table::Parameter::keyword::<#of>(#text, &(#not defaults.#own))));
        reads.push(quote!(#own: #not bound.or(#text, #not defaults.#own)?));
        let holds = Holds::of(field);
        let (taken, value) = holds.setter(&field.ty);
        let docs = documentation(&field.attrs);
        let opposed =
            opposite.then(|| quote!(#[doc = ""] #[doc = "Set to `false` for that, as NumPy's parameter is."]));
        setters.push(quote! {
            #(#docs)*
            #opposed
            pub fn #name(self, value: #taken) -> Self {
                Self { #own: #not #value, ..self }
            }
        });
        if field.attrs.iter().any(|a| a.path().is_ident("from")) {
            from_nothing = !matches!(holds, Holds::Axes);
            from = conversion(input, field, &holds);
        }
    }
    let (generics, own_generics) = (&input.generics, input.generics.split_for_impl().1);
    let from_nothing = from_nothing.then(|| {
        quote! {
            /// Returns the defaults.
            impl #generics ::std::convert::From<()> for #ident #own_generics {
                fn from((): ()) -> Self {
                    ::std::default::Default::default()
                }
            }
        }
    });
    let borrowed = if borrows { quote!(<'v>) } else { quote!() };
    let doc = "Returns the default options. Each method sets one of them, and methods are chained.";
    Ok(quote! {
        impl<'v> crate::table::Options<'v> for #this {
            fn parameters() -> ::std::vec::Vec<crate::table::Parameter> {
                let defaults = <#this as ::std::default::Default>::default();
                vec![#(#parameters),*]
            }

            fn read(bound: &'v crate::table::Bound<'_>) -> crate::error::Result<Self> {
                let defaults = <#this as ::std::default::Default>::default();
                Ok(Self { #(#reads),* })
            }
        }

        #[allow(clippy::needless_update, reason = "a struct may have one field")]
        impl #generics #ident #own_generics {
            #[doc = #doc]
            pub fn new() -> Self {
                ::std::default::Default::default()
            }

            #(#setters)*
        }

        impl #borrowed ::std::convert::From<&#this> for #this {
            fn from(options: &#this) -> Self {
                ::std::clone::Clone::clone(options)
            }
        }

        #from_nothing
        #from
    })
}

/// Generates the conversion from the field under `#[from]`.
fn conversion(input: &DeriveInput, field: &Field, holds: &Holds<'_>) -> TokenStream {
    let (ident, own, of) = (&input.ident, &field.ident, &field.ty);
    let own_generics = input.generics.split_for_impl().1;
    let lifetimes: Vec<_> = input.generics.lifetimes().collect();
    let doc = format!(
        "Sets `{}`, and leaves the other options at their defaults.",
        own.as_ref().map(bare).unwrap_or_default()
    );
    let body = |value: TokenStream| {
        quote! {
            #[allow(clippy::needless_update, reason = "a struct may have one field")]
            fn from(value: T) -> Self {
                Self { #own: #value, ..::std::default::Default::default() }
            }
        }
    };
    let generic = |bound: TokenStream, value: TokenStream| {
        let body = body(value);
        quote! {
            #[doc = #doc]
            impl<#(#lifetimes,)* T: #bound> ::std::convert::From<T> for #ident #own_generics { #body }
        }
    };
    let concrete = |of: TokenStream, value: TokenStream| {
        quote! {
            #[doc = #doc]
            impl<#(#lifetimes),*> ::std::convert::From<#of> for #ident #own_generics {
                #[allow(clippy::needless_update, reason = "a struct may have one field")]
                fn from(value: #of) -> Self {
                    Self { #own: #value, ..::std::default::Default::default() }
                }
            }
        }
    };
    let into = |of: TokenStream| quote!(::std::convert::Into<#of>);
    match holds {
        Holds::Axes => generic(into(quote!(crate::array::Axes)), quote!(value.into())),
        Holds::OptionalAxis => generic(into(quote!(crate::array::Axis)), quote!(value.into().0)),
        Holds::Axis => generic(quote!(crate::array::IntoAxis), quote!(crate::array::IntoAxis::into_axis(value))),
        Holds::OptionalOperand(inner) => generic(into(quote!(#inner)), quote!(Some(value.into()))),
        Holds::List(element) => generic(into(quote!(#element)), quote!(vec![value.into()])),
        Holds::Own => generic(into(quote!(#of)), quote!(value.into())),
        Holds::Array(_) => {
            let inner = inside(of, "Option");
            concrete(quote!(#inner), quote!(Some(value)))
        }
        Holds::Integer => generic(quote!(crate::array::IntoInteger), integer(of)),
        Holds::Real => generic(quote!(crate::array::IntoReal), quote!(crate::array::IntoReal::into_real(value))),
        Holds::OptionalNumber(inner) if matches!(inner, Type::Path(_)) => {
            let bound = if is(inner, "f64") { quote!(IntoReal) } else { quote!(IntoInteger) };
            let one = generic(
                quote!(crate::array::#bound + crate::array::IntoOptional<#inner>),
                quote!(crate::array::IntoOptional::into_optional(value)),
            );
            let either = concrete(quote!(#of), quote!(value));
            quote!(#one #either)
        }
        Holds::Optional(inner) | Holds::OptionalNumber(inner) => {
            let one = concrete(quote!(#inner), quote!(Some(value)));
            let either = concrete(quote!(#of), quote!(value));
            quote!(#one #either)
        }
        Holds::Plain => concrete(quote!(#of), quote!(value)),
    }
}

/// Returns the type of a field, with its lifetime inferred.
fn named(of: &Type) -> TokenStream {
    let of = anonymous(of);
    quote!(#of)
}
