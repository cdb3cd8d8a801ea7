// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bundles of ports: channels (valid/ready), which wait for their receiver, and strobes (valid alone), which do not.
//!
//! A field `op: Source<Op<..>>` is the ports `op_valid`, `op_ready` and one port `op_…` for each field of the payload. A block reads a
//! field of the payload as `self.op.payload.val().kind`. The parent of two blocks connects their bundles with one line,
//! `Channel::join(&mut self.decode.op, &mut self.gather.op)`, in which the first bundle is the sending side. The parent's own bundle may
//! take the place of either bundle. A bundle is an interface of rust-hdl, written by hand so that `join` needs no type parameters. The
//! rules of a channel are in `docs/contract/bcu.md`.

use crate::payload::Payload;
use crate::prim::component::{Component, Fresh};
use rust_hdl::core::ast::{VerilogLink, VerilogLinkDetails};
use rust_hdl::prelude::*;

/// Declares a bundle; the directions of its signals are those at the block that has the bundle.
macro_rules! bundle {
    ($(#[$meta:meta])* $type:ident { $($signal:ident: $dir:ident $of:ty),* }) => {
        $(#[$meta])*
        pub struct $type<T: Payload> {
            $(pub $signal: Signal<$dir, $of>,)*
        }

        impl<T: Payload> Default for $type<T> {
            fn default() -> Self {
                $type { $($signal: Default::default()),* }
            }
        }

        impl<T: Payload> Fresh for $type<T> {
            fn fresh() -> Self {
                Self::default()
            }
        }

        impl<T: Payload> Component for $type<T> {
            fn waits(&self) -> bool {
                $(self.$signal.waits())||*
            }
        }

        impl<T: Payload> Logic for $type<T> {
            fn update(&mut self) {}
        }

        impl<T: Payload> LogicJoin for $type<T> {
            fn join_connect(&mut self) {
                $(self.$signal.join_connect();)*
            }
        }

        impl<T: Payload> Block for $type<T> {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {
                $(self.$signal.update_all();)*
            }
            fn has_changed(&self) -> bool {
                $(self.$signal.has_changed())||*
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_start_namespace(name, self);
                $(self.$signal.accept(stringify!($signal), probe);)*
                probe.visit_end_namespace(name, self);
            }
        }
    };
}

bundle! {
    /// The sending side of a channel.
    Source { valid: Out Bit, ready: In Bit, payload: Out T }
}
bundle! {
    /// The receiving side of a channel.
    Sink { valid: In Bit, ready: Out Bit, payload: In T }
}
bundle! {
    /// The sending side of a strobe.
    StrobeOut { valid: Out Bit, payload: Out T }
}
bundle! {
    /// The receiving side of a strobe.
    StrobeIn { valid: In Bit, payload: In T }
}

/// A bundle that drives the bundle `To`.
pub trait Gives<To> {
    fn give(&mut self, to: &mut To);
}

macro_rules! gives {
    ($from:ident $to:ident $($back:ident)?) => {
        impl<T: Payload> Gives<$to<T>> for $from<T> {
            fn give(&mut self, to: &mut $to<T>) {
                to.valid.next = self.valid.val();
                to.payload.next = self.payload.val();
                $(self.$back.next = to.$back.val();)?
            }
        }
    };
}

gives!(Source Sink ready);
gives!(Source Source ready);
gives!(Sink Sink ready);
gives!(StrobeOut StrobeIn);
gives!(StrobeOut StrobeOut);
gives!(StrobeIn StrobeIn);

fn forward(signal: &str, from: &str, to: &str) -> VerilogLink {
    VerilogLink::Forward(details(signal, from, to))
}

fn details(signal: &str, from: &str, to: &str) -> VerilogLinkDetails {
    VerilogLinkDetails { my_name: format!(".{signal}"), owner_name: from.to_string(), other_name: to.to_string() }
}

/// Connects channels: `from` sends, `to` receives.
pub struct Channel;

impl Channel {
    pub fn join<A: Gives<B>, B>(from: &mut A, to: &mut B) {
        from.give(to);
    }

    pub fn join_hdl(_: &str, from: &str, to: &str) -> Vec<VerilogLink> {
        let ready = VerilogLink::Backward(details("ready", from, to));
        vec![forward("valid", from, to), forward("payload", from, to), ready]
    }
}

/// Connects strobes: `from` sends, `to` receives.
pub struct Strobe;

impl Strobe {
    pub fn join<A: Gives<B>, B>(from: &mut A, to: &mut B) {
        from.give(to);
    }

    pub fn join_hdl(_: &str, from: &str, to: &str) -> Vec<VerilogLink> {
        vec![forward("valid", from, to), forward("payload", from, to)]
    }
}
