//! Derive macro `Choice` for enums of named values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, LitStr, Result, Variant};

/// Converts `ClosestObservation` to `closest_observation`.
fn snake(variant: &str) -> String {
    let mut name = String::new();
    for (i, c) in variant.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

fn name(variant: &Variant) -> Result<String> {
    for attribute in &variant.attrs {
        if attribute.path().is_ident("name") {
            return Ok(attribute.parse_args::<LitStr>()?.value());
        }
    }
    Ok(snake(&variant.ident.to_string()))
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only an enum is a choice of names"));
    };
    let this = &input.ident;
    let what = snake(&this.to_string()).replace('_', " ");
    let mut names = vec![];
    for variant in &data.variants {
        if !variant.fields.is_empty() {
            return Err(Error::new_spanned(variant, "a name has no fields"));
        }
        names.push(name(variant)?);
    }
    let variants: Vec<_> = data.variants.iter().map(|v| &v.ident).collect();
    Ok(quote! {
        impl ::std::str::FromStr for #this {
            type Err = crate::error::Error;

            fn from_str(name: &str) -> crate::error::Result<#this> {
                match name {
                    #(#names => Ok(#this::#variants),)*
                    _ => Err(crate::table::no_choice(#what, name, &[#(#names),*])),
                }
            }
        }

        impl crate::array::IntoOptional<#this> for #this {
            fn into_optional(self) -> ::std::option::Option<#this> {
                Some(self)
            }
        }

        impl crate::table::Argument<'_> for #this {
            const KIND: crate::table::ParameterKind = crate::table::ParameterKind::Choice(&[#(#names),*]);

            fn read(value: &crate::table::Value) -> crate::error::Result<#this> {
                crate::table::text(value)?.parse()
            }

            fn value(&self) -> crate::table::Value {
                crate::table::Value::Text(match self { #(#this::#variants => #names),* }.into())
            }
        }
    })
}
