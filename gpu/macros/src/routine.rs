//! Attribute `#[routine]`, which adds functions to the call table.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, GenericArgument, ItemFn, Lifetime, Lit, Meta, Pat, PatType, PathArguments,
    Result, Token, Type, TypeParamBound, TypeReference, parenthesized, parse_quote, token,
};

use crate::face::Face;

/// Contents of `#[routine(…)]`.
pub(crate) struct Arguments {
    pairs: Vec<(Ident, Expr)>,
    /// Contents of `python(…)`.
    python: Vec<(Ident, Expr)>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Arguments> {
        let mut all = Arguments { pairs: vec![], python: vec![] };
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if input.peek(token::Paren) && name == "python" {
                let inner;
                parenthesized!(inner in input);
                all.python = inner.parse::<Arguments>()?.pairs;
            } else {
                let given = input.parse::<Option<Token![=]>>()?.is_some();
                all.pairs.push((name, if given { input.parse()? } else { parse_quote!(true) }));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(all)
    }
}

impl Arguments {
    fn get(&self, name: &str) -> Option<&Expr> {
        self.pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Builds the record's signature of Python; its setters reject unknown names.
    fn python(&self) -> TokenStream {
        let setters = self.python.iter().map(|(name, value)| match value {
            // Lists are slices, but for the pair of `together`.
            Expr::Array(list) if name != "together" => quote!(.#name(&#list)),
            value => quote!(.#name(#value)),
        });
        quote!({
            #[allow(unused_imports, reason = "most signatures name no variant")]
            use crate::table::{AxisForm, Extra, Rounding};
            crate::table::PythonSignature::new() #(#setters)*
        })
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        match self.get(name) {
            None => Ok(None),
            Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(Some(text.value())),
            Some(other) => Err(Error::new_spanned(other, format!("{name} is a text in quotes"))),
        }
    }
}

/// Returns a parameter's name, without the trailing underscore that distinguishes it from a Rust keyword.
pub(crate) fn bare(name: &Ident) -> String {
    name.to_string().trim_end_matches('_').to_string()
}

/// Returns the type with every lifetime inferred.
pub(crate) fn anonymous(of: &Type) -> Type {
    struct Anonymous;
    impl VisitMut for Anonymous {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new("'_", lifetime.span());
        }

        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            reference.lifetime = None;
            visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut of = of.clone();
    Anonymous.visit_type_mut(&mut of);
    of
}

/// Type as which a parameter is read, and the expression that passes it on.
struct Read {
    of: TokenStream,
    hand: TokenStream,
    options: bool,
}

impl Read {
    fn of(name: &Ident, of: &Type) -> Read {
        let of = &anonymous(of);
        match of {
            Type::Group(group) => Read::of(name, &group.elem),
            Type::ImplTrait(implied) => Read::implied(name, implied.bounds.iter().next()),
            Type::Reference(TypeReference { elem, .. }) => match &**elem {
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    Read { of: quote!(::std::vec::Vec<#element>), hand: quote!(&#name), options: false }
                }
                to if is_options(to) => Read { of: to.to_token_stream(), hand: quote!(&#name), options: true },
                _ => Read::plain(name, of),
            },
            Type::Path(_) if is_options(of) => Read { options: true, ..Read::plain(name, of) },
            Type::Path(_) => match optional_slice(of) {
                Some(element) => Read {
                    of: quote!(::std::option::Option<::std::vec::Vec<#element>>),
                    hand: quote!(#name.as_deref()),
                    options: false,
                },
                None => Read::plain(name, of),
            },
            _ => Read::plain(name, of),
        }
    }

    fn plain(name: &Ident, of: &Type) -> Read {
        Read { of: of.to_token_stream(), hand: quote!(#name), options: false }
    }

    /// Reads `impl Into<T>` as a `T`, and shapes and lists of integers as their elements.
    fn implied(name: &Ident, bound: Option<&TypeParamBound>) -> Read {
        let last = match bound {
            Some(TypeParamBound::Trait(bound)) => bound.path.segments.last(),
            _ => None,
        };
        let inner = last.and_then(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(of) => of.args.iter().find_map(|a| match a {
                GenericArgument::Type(of) => Some(of.clone()),
                _ => None,
            }),
            _ => None,
        });
        match (last.map(|segment| segment.ident.to_string()).as_deref(), inner) {
            (Some("Into"), Some(of)) => Read { options: is_options(&of), ..Read::plain(name, &of) },
            (Some("AsRef"), Some(Type::Slice(slice))) => {
                let element = &slice.elem;
                Read { of: quote!(::std::vec::Vec<#element>), hand: quote!(#name), options: false }
            }
            _ => Read { of: quote!(crate::table::Shape), hand: quote!(#name), options: false },
        }
    }
}

/// Returns the element type of `Option<&[T]>`.
fn optional_slice(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(inner) = &segment.arguments else { return None };
    match inner.args.first()? {
        GenericArgument::Type(Type::Reference(TypeReference { elem, .. })) => match &**elem {
            Type::Slice(slice) => Some(&slice.elem),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn is_options(of: &Type) -> bool {
    let Type::Path(path) = of else { return false };
    path.path.segments.last().is_some_and(|s| s.ident == "Reduce" || s.ident.to_string().ends_with("Options"))
}

/// Returns the first sentence of the documentation.
fn sentence(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value else { continue };
        if !pair.path.is_ident("doc") {
            continue;
        }
        let line = line.value();
        if line.trim().is_empty() {
            break;
        }
        text += " ";
        text += line.trim();
    }
    // Names in other libraries are part of the record itself.
    let ends = [". ", "; NumPy's `", "; CuPy's `", "; SciPy's `"].iter().filter_map(|end| text.find(end));
    let end = ends.min().unwrap_or(text.len());
    let sentence = text[..end].trim().trim_end_matches('.').replace("[`", "`").replace("`]", "`");
    if sentence.is_empty() { sentence } else { sentence + "." }
}

pub(crate) fn expand(arguments: &Arguments, function: &ItemFn) -> Result<TokenStream> {
    let ident = &function.sig.ident;
    let name = arguments.text("name")?.unwrap_or(bare(ident));
    let namespace = arguments.text("namespace")?.unwrap_or("numpy".into());
    let keywords = arguments.text("keywords")?.unwrap_or_default();
    let keywords = keywords.split_whitespace();
    let python = arguments.python();
    let outside = arguments.text("outside_suite")?;
    let reason = |name| -> Result<TokenStream> {
        Ok(match arguments.text(name)?.or_else(|| outside.clone()) {
            Some(text) => quote!(::std::option::Option::Some(#text)),
            None => quote!(::std::option::Option::None),
        })
    };
    let (no_cases, no_programs) = (reason("no_cases")?, reason("no_programs")?);
    let names = arguments.text("names")?.unwrap_or_default();
    let mut names = names.split_whitespace();
    let needed = arguments.text("needed")?.unwrap_or_default();
    let needed: Vec<&str> = needed.split_whitespace().collect();
    let doc = sentence(&function.attrs);
    if doc.is_empty() {
        return Err(Error::new_spanned(ident, "the first sentence of the documentation is the record's"));
    }
    let (mut parameters, mut reads, mut handed, mut known) = (vec![], vec![], vec![], vec![]);
    for input in &function.sig.inputs {
        let FnArg::Typed(PatType { pat, ty, .. }) = input else {
            return Err(Error::new_spanned(input, "a method has no record: write one for the free function"));
        };
        let Pat::Ident(pat) = &**pat else { return Err(Error::new_spanned(pat, "a parameter has a name")) };
        let (ident, own) = (&pat.ident, bare(&pat.ident));
        let Read { of, hand, options } = Read::of(ident, ty);
        handed.push(hand);
        let parameter = if options { None } else { names.next() }.map_or(own.clone(), str::to_string);
        if options {
            parameters.push(quote!(all.extend(<#of as crate::table::Options<'_>>::parameters());));
            reads.push(quote!(let #ident = <#of as crate::table::Options<'_>>::read(bound)?;));
        } else if let Some(default) = arguments.get(&own) {
            parameters.push(quote!(all.push(crate::table::Parameter::keyword::<#of>(#parameter, &#default));));
            reads.push(quote!(let #ident = bound.or::<#of>(#parameter, #default)?;));
        } else {
            let must = needed.contains(&own.as_str()).then(|| quote!(.needed()));
            parameters.push(quote!(all.push(crate::table::Parameter::new::<#of>(#parameter) #must);));
            reads.push(quote!(let #ident = bound.get::<#of>(#parameter)?;));
        }
        known.push(own);
    }
    if let Some(name) = names.next() {
        return Err(Error::new_spanned(ident, format!("`{name}` is the name of no parameter")));
    }
    for (given, value) in &arguments.pairs {
        let known_here =
            ["name", "namespace", "keywords", "names", "needed", "method", "no_cases", "no_programs", "outside_suite"];
        if !known_here.iter().any(|k| given == k) && !known.contains(&bare(given)) {
            return Err(Error::new_spanned(value, format!("the function has no parameter {given}")));
        }
    }
    // A private function is called through the table alone.
    let public = !matches!(function.vis, syn::Visibility::Inherited);
    let face = Face::of(function, &name, &doc, |parameter| arguments.get(parameter).filter(|_| public))?;
    let written = face.function();
    let method = arguments.has("method").then(|| face.method()).transpose()?;
    Ok(quote! {
        #written
        #method

        const _: () = {
            #[::linkme::distributed_slice(crate::table::ROUTINES)]
            #[linkme(crate = ::linkme)]
            static ROUTINE: crate::table::Routine = crate::table::Routine {
                name: #name,
                namespace: #namespace,
                function: stringify!(#ident),
                doc: #doc,
                keywords: &[#(#keywords),*],
                python: #python,
                no_cases: #no_cases,
                no_programs: #no_programs,
                parameters,
                call,
            };

            fn parameters() -> ::std::vec::Vec<crate::table::Parameter> {
                let mut all = ::std::vec::Vec::new();
                #(#parameters)*
                all
            }

            fn call(bound: &crate::table::Bound<'_>) -> crate::error::Result<::std::vec::Vec<crate::table::Output>> {
                #(#reads)*
                crate::table::Returned::outputs(#ident(#(#handed),*))
            }
        };
    })
}
