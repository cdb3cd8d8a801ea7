// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expansion of `#[block]` on a struct.

use crate::built::{mentions, Built};
use crate::primitive::{arguments, Arguments};
use crate::{doc, fields, logic, sizes};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{parse_quote, Expr, Fields, Ident, Item, ItemStruct, LitStr, Result, Visibility};

pub fn expand(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    match syn::parse2(item)? {
        Item::Struct(item) => of_struct(arguments(args)?, item),
        Item::Impl(item) => logic::expand(item),
        other => Err(syn::Error::new_spanned(other, "`#[block]` is for a struct and its `impl`s")),
    }
}

/// A field as a row of the port table.
struct Port {
    name: Ident,
    group: String,
    doc: String,
}

/// Expands `#[block]` on a struct: reads the attributes of each field, then generates the constructor, the `Block` and, for a unit, the
/// ports.
fn of_struct(Arguments { unit, primitive }: Arguments, mut item: ItemStruct) -> Result<TokenStream> {
    sizes::of_struct(&mut item.generics);
    let (mut parts, mut ports, mut start, mut resets) = (vec![], vec![], vec![], vec![]);
    let mut docs = vec![(String::new(), doc::of_block(&item.attrs))];
    let (mut group, mut configured) = (String::new(), false);
    let mut built = Built::default();
    for field in fields::named(&mut item)? {
        let own = fields::bundle_name(field);
        let given = fields::group(field)?;
        let init = fields::take(field, "init").map(|attr| attr.parse_args::<Expr>()).transpose()?;
        let reset = fields::take(field, "reset").is_some();
        configured |= built.take(field)?;
        let Some(name) = field.ident.clone() else { continue };
        if reset {
            resets.push(name.clone());
        }
        configured |= init.as_ref().is_some_and(|value| mentions(quote!(#value), "config"));
        start.push(match init {
            Some(value) => quote!(#name: #value),
            None => quote!(#name: ::bcu_hw::prim::component::Fresh::fresh()),
        });
        // A field whose name begins with `_` has an initial value, but is not hardware.
        if name.to_string().starts_with('_') {
            continue;
        }
        if matches!(field.vis, Visibility::Public(_)) && name != "clock" {
            // By default, the first port and each bundle start a separate group.
            let own = own.or_else(|| group.is_empty().then(|| name.to_string()));
            group = given.or(own).unwrap_or(group);
            ports.push(Port { name: name.clone(), group: group.clone(), doc: doc::of(&field.attrs) });
        }
        docs.push((name.to_string(), doc::of(&field.attrs)));
        parts.push(name);
    }
    start.extend(built.add_to(&mut item));
    if let Fields::Named(fields) = &mut item.fields {
        fields.named.push(parse_quote!(_quiet: bool));
        start.push(quote!(_quiet: false));
    }
    let sizes = sizes::declaration(&item);
    let start = beginning(&item, &start, configured);
    let block = block(&item, &parts, &resets, &docs, &built, primitive);
    let unit = unit.map(|name| unit_impl(&item, &name, configured, &ports, &built));
    Ok(quote! { #item #sizes #start #block #unit })
}

/// Generates `new(config)` if the initial value of any field depends on the configuration, else a `Default`.
fn beginning(item: &ItemStruct, start: &[TokenStream], configured: bool) -> TokenStream {
    let name = &item.ident;
    let (generics, of, bounds) = item.generics.split_for_impl();
    if configured {
        return quote! {
            impl #generics #name #of #bounds {
                pub fn new(config: &::bcu_isa::config::Config) -> Self {
                    #name { #(#start),* }
                }
            }
        };
    }
    quote! {
        impl #generics ::bcu_hw::prim::component::Fresh for #name #of #bounds {
            fn fresh() -> Self {
                #name { #(#start),* }
            }
        }

        impl #generics Default for #name #of #bounds {
            fn default() -> Self {
                ::bcu_hw::prim::component::Fresh::fresh()
            }
        }
    }
}

/// Implements rust-hdl's `Block` and the project's `Component`.
fn block(
    item: &ItemStruct,
    parts: &[Ident],
    resets: &[Ident],
    docs: &[(String, String)],
    built: &Built,
    primitive: Option<String>,
) -> TokenStream {
    let name = &item.ident;
    let (generics, of, bounds) = item.generics.split_for_impl();
    let shows = parts.iter().map(|field| {
        let name = field.to_string();
        let shown = quote!(rust_hdl::prelude::Block::accept(&self.#field, #name, probe););
        built.either(field, shown, quote!(::bcu_hw::prim::component::mark_absent(&self.#field, #name, probe);))
    });
    let any = |one: fn(&Ident) -> TokenStream| {
        let of = |field: &Ident| built.either(field, one(field), quote!(false));
        parts.iter().map(of).map(|one| quote!((#one))).collect::<Vec<_>>()
    };
    let changed = any(|field| quote!(rust_hdl::prelude::Block::has_changed(&self.#field)));
    let waits = any(|field| quote!(::bcu_hw::prim::component::Component::waits(&self.#field)));
    let updates = built.each(parts, |field| quote!(rust_hdl::prelude::Block::update_all(&mut self.#field);));
    let connects = built.each(parts, |field| quote!(rust_hdl::prelude::Block::connect_all(&mut self.#field);));
    let has = |wanted: &str| parts.iter().any(|part| part == wanted);
    let inner: Vec<&Ident> = parts.iter().filter(|part| *part != "clock" && *part != "reset").collect();
    let clock_in = has("clock").then(|| quote!(self.clock.next = clock;));
    let reset_in = has("reset").then(|| quote!(self.reset.next = reset;));
    let clock_claim = has("clock").then(|| quote!(rust_hdl::prelude::Logic::connect(&mut self.clock);));
    let reset_claim = has("reset").then(|| quote!(rust_hdl::prelude::Logic::connect(&mut self.reset);));
    let reset = if has("reset") { quote!(self.reset.val()) } else { quote!(false) };
    let feed = has("clock").then(|| {
        let feeds = built.each(
            inner.iter().copied(),
            |field| quote!(::bcu_hw::prim::component::Component::feed(&mut self.#field, clock, reset);),
        );
        quote! {
            let (clock, reset) = (self.clock.val(), #reset);
            #feeds
        }
    });
    let docs = docs.iter().filter(|(_, text)| !text.is_empty());
    let docs = docs.map(|(field, text)| quote!(::bcu_hw::prim::component::mark_doc(self, #field, #text, probe);));
    let reset_names = resets.iter().map(Ident::to_string);
    let primitive = primitive.map(|text| quote!(::bcu_hw::prim::component::mark_primitive(self, #text, probe);));
    let clear = (!resets.is_empty()).then(|| {
        quote! {
            if self.reset.val() {
                #(::bcu_hw::prim::component::Resets::clear(&mut self.#resets);)*
            }
        }
    });
    let claim = has("clock").then(|| {
        built.each(inner.iter().copied(), |field| quote!(::bcu_hw::prim::component::Component::claim(&mut self.#field);))
    });
    quote! {
        impl #generics rust_hdl::prelude::Block for #name #of #bounds {
            fn connect_all(&mut self) {
                rust_hdl::prelude::Logic::connect(self);
                #claim
                #connects
            }
            fn update_all(&mut self) {
                // If the last pass changed nothing in this block, and no input has changed since then, this pass can be skipped.
                if self._quiet && !(false #(|| #waits)*) {
                    return;
                }
                #feed
                rust_hdl::prelude::Logic::update(self);
                #clear
                #updates
                self._quiet = !(false #(|| #changed)*);
            }
            fn has_changed(&self) -> bool {
                !self._quiet
            }
            fn accept(&self, name: &str, probe: &mut dyn rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                ::bcu_hw::prim::component::mark(self, stringify!(#name), probe);
                #primitive
                #(::bcu_hw::prim::component::mark_reset(self, #reset_names, probe);)*
                #(#docs)*
                #(#shows)*
                probe.visit_end_scope(name, self);
            }
        }

        impl #generics ::bcu_hw::prim::component::Component for #name #of #bounds {
            fn feed(&mut self, clock: rust_hdl::prelude::Clock, reset: rust_hdl::prelude::Bit) {
                let _ = (clock, reset);
                #clock_in
                #reset_in
            }
            fn claim(&mut self) {
                #clock_claim
                #reset_claim
            }
        }
    }
}

/// Implements `Unit` for the block: its name, its constructor from a configuration, its port table, and access to its ports.
fn unit_impl(item: &ItemStruct, unit: &LitStr, configured: bool, ports: &[Port], built: &Built) -> TokenStream {
    let name = &item.ident;
    let (generics, of, bounds) = item.generics.split_for_impl();
    let fields = || ports.iter().map(|port| &port.name);
    let made = if configured {
        quote!(Self::new(config))
    } else {
        quote!({
            let _ = config;
            Self::default()
        })
    };
    let describe = ports.iter().map(|Port { name, group, doc }| {
        let port = quote!(::bcu_hw::ports::PortField::describe(&self.#name, stringify!(#name), #group, #doc, &mut list););
        built.either(name, port, quote!())
    });
    let drive = built.each(fields(), |name| quote!(::bcu_hw::ports::PortField::drive(&mut self.#name, &mut inputs);));
    let sample = built.each(fields(), |name| quote!(::bcu_hw::ports::PortField::sample(&self.#name, &mut outputs);));
    quote! {
        impl #generics ::bcu_hw::ports::Unit for #name #of #bounds {
            fn name(&self) -> &'static str {
                #unit
            }
            fn of_config(config: &::bcu_isa::config::Config) -> Self {
                #made
            }
            fn ports(&self) -> Vec<::bcu_isa::ports::Port> {
                let mut list = vec![];
                #(#describe)*
                list
            }
            fn block(&self) -> &dyn rust_hdl::prelude::Block {
                self
            }
            fn block_mut(&mut self) -> &mut dyn rust_hdl::prelude::Block {
                self
            }
            fn set_clock(&mut self, level: bool) {
                self.clock.next = level.into();
            }
            fn drive(&mut self, inputs: &[u64]) {
                let mut inputs = inputs.iter();
                #drive
            }
            fn sample(&self, outputs: &mut [u64]) {
                let mut outputs = outputs.iter_mut();
                #sample
            }
        }
    }
}
