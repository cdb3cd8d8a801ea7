// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies of states that reuse memory: a unit that may be idle is copied before a cycle, and that copy allocates nothing.

/// Declares a struct whose `clone_from` copies field by field, so that lists keep their memory. The derived one builds a new value.
macro_rules! clone_in_place {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$of_field:meta])* $field_vis:vis $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$of_field])* $field_vis $field: $type,)*
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                $name { $($field: self.$field.clone(),)* }
            }

            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)*
            }
        }
    };
}

pub(crate) use clone_in_place;
