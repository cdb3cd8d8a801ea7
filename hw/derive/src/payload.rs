// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expansion of `#[payload]`.

use crate::{doc, fields, sizes};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{bracketed, Ident, ItemStruct, Result, Token, Type};

/// One condition in `#[when(…)]`: `kind = [A, B]` for a field of this payload, `kind: OpKind = [A, B]` for a field of another payload of
/// the same channel, where `elsewhere` holds the type `OpKind`.
struct Condition {
    field: Ident,
    elsewhere: Option<Type>,
    values: Vec<Ident>,
}

impl Parse for Condition {
    fn parse(input: ParseStream) -> Result<Self> {
        let field = input.parse()?;
        let elsewhere = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Token![=]>()?;
        let inner;
        bracketed!(inner in input);
        let values = Punctuated::<Ident, Token![,]>::parse_terminated(&inner)?;
        Ok(Condition { field, elsewhere, values: values.into_iter().collect() })
    }
}

pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut item: ItemStruct = syn::parse2(item)?;
    sizes::of_struct(&mut item.generics);
    let (mut names, mut types, mut docs, mut conditions): (Vec<Ident>, Vec<Type>, Vec<String>, Vec<Vec<Condition>>) =
        Default::default();
    let mut always = vec![];
    for field in fields::named(&mut item)? {
        always.push(fields::take(field, "always").is_some());
        let when = match fields::take(field, "when") {
            Some(attr) => attr.parse_args_with(Punctuated::<Condition, Token![,]>::parse_terminated)?.into_iter().collect(),
            None => vec![],
        };
        let Some(name) = field.ident.clone() else { continue };
        names.push(name);
        types.push(field.ty.clone());
        docs.push(doc::of(&field.attrs));
        conditions.push(when);
    }
    let when = conditions.iter().zip(always).map(|(list, always)| match always {
        true => Ok(quote!(None)),
        false => entries(list, &names, &types).map(|entries| quote!(Some([of_all.clone(), #entries].concat()))),
    });
    let when = when.collect::<Result<Vec<_>>>()?;
    let says = doc::phrase(&item.attrs);
    let name = &item.ident;
    let (generics, of, bounds) = item.generics.split_for_impl();
    let widths: Vec<Ident> = names.iter().map(|name| format_ident!("get_my_width_{name}")).collect();
    let offsets: Vec<Ident> = names.iter().map(|name| format_ident!("get_my_offset_{name}")).collect();
    let before: Vec<TokenStream> = (0..types.len())
        .map(|n| {
            let lower = &types[..n];
            quote!(0 #(+ <#lower as rust_hdl::prelude::Synth>::BITS)*)
        })
        .collect();
    Ok(quote! {
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #item

        // rust-hdl's `#[hdl_gen]` calls these methods where a field is read or written.
        impl #generics #name #of #bounds {
            #(
                pub fn #widths(&self) -> usize {
                    <#types as rust_hdl::prelude::Synth>::BITS
                }
                pub fn #offsets(&self) -> usize {
                    #before
                }
            )*
        }

        impl #generics rust_hdl::prelude::Synth for #name #of #bounds {
            const BITS: usize = 0 #(+ <#types as rust_hdl::prelude::Synth>::BITS)*;
            fn descriptor() -> rust_hdl::prelude::TypeDescriptor {
                ::bcu_hw::payload::descriptor(
                    stringify!(#name),
                    vec![#((stringify!(#names), <#types as rust_hdl::prelude::Synth>::descriptor())),*],
                )
            }
            fn vcd(self) -> rust_hdl::prelude::VCDValue {
                ::bcu_hw::payload::vcd(vec![#(rust_hdl::prelude::Synth::vcd(self.#names)),*])
            }
            fn verilog(self) -> rust_hdl::prelude::VerilogLiteral {
                ::bcu_hw::payload::literal(&[
                    #((<#types as rust_hdl::prelude::Synth>::BITS, rust_hdl::prelude::Synth::verilog(self.#names))),*
                ])
            }
        }

        impl #generics From<::bcu_hw::payload::Packed<#name #of>> for #name #of #bounds {
            fn from(packed: ::bcu_hw::payload::Packed<#name #of>) -> Self {
                packed.0
            }
        }

        impl #generics ::bcu_hw::payload::Payload for #name #of #bounds {
            const SAYS: &'static str = #says;
            fn describe(
                _: &'static str,
                _: &'static str,
                when: ::bcu_hw::payload::Conditions,
                out: &mut Vec<::bcu_hw::payload::Field>,
            ) {
                let of_all = when.unwrap_or_default();
                #(<#types as ::bcu_hw::payload::Payload>::describe(stringify!(#names), #docs, #when, out);)*
            }
            fn from_words(words: &mut std::slice::Iter<u64>) -> Self {
                #name { #(#names: ::bcu_hw::payload::Payload::from_words(words)),* }
            }
            fn to_words(self, words: &mut std::slice::IterMut<u64>) {
                #(::bcu_hw::payload::Payload::to_words(self.#names, words);)*
            }
        }
    })
}

/// The conditions in `list`, all of one field, as the expression `vec![("kind", vec![value, …]), …]`. `names` and `types` are those of the
/// payload's fields.
fn entries(list: &[Condition], names: &[Ident], types: &[Type]) -> Result<TokenStream> {
    let mut entries = vec![];
    for Condition { field, elsewhere, values } in list {
        let here = names.iter().position(|name| name == field).map(|at| &types[at]);
        let Some(of) = elsewhere.as_ref().or(here) else {
            let help = "the payload has no field of this name: for a field of another payload of the channel, give its type, `kind: OpKind = [...]`";
            return Err(syn::Error::new_spanned(field, help));
        };
        entries.push(quote!((stringify!(#field), vec![#(::bcu_hw::port_value::PortValue::to_u64(<#of>::#values)),*])));
    }
    Ok(quote!(vec![#(#entries),*]))
}
