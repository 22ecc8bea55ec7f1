//! Structs of options.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Data, DeriveInput, Error, Field, Fields, Result, Token, Type, custom_keyword};

use crate::routine::{anonymous, bare};

custom_keyword!(not);

/// What stands in `#[keyword(…)]`.
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

/// The parameter of a field: its name, and whether it means the opposite.
fn keyword(field: &Field) -> Result<(String, bool)> {
    for attribute in &field.attrs {
        if attribute.path().is_ident("keyword") {
            let keyword: Keyword = attribute.parse_args()?;
            return Ok((bare(&keyword.name), keyword.not));
        }
    }
    let name = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "options have names"))?;
    Ok((bare(name), false))
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            _ => return Err(Error::new_spanned(&input.ident, "options have names")),
        },
        _ => return Err(Error::new_spanned(&input.ident, "only a struct has options")),
    };
    let this = &input.ident;
    let borrows = input.generics.lifetimes().next().is_some();
    let this = if borrows { quote!(#this<'v>) } else { quote!(#this) };
    let (mut parameters, mut reads) = (vec![], vec![]);
    for field in fields {
        let (ident, of) = (&field.ident, named(&field.ty));
        let (name, opposite) = keyword(field)?;
        let not = opposite.then(|| quote!(!));
        parameters.push(quote!(crate::table::Parameter::keyword::<#of>(#name, &(#not defaults.#ident))));
        reads.push(quote!(#ident: #not bound.or(#name, #not defaults.#ident)?));
    }
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
    })
}

/// The type of a field, with its lifetime left to inference.
fn named(of: &Type) -> TokenStream {
    let of = anonymous(of);
    quote!(#of)
}
