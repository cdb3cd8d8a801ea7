// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schemas of those types of `bcu_machine` that a scenario contains.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

macro_rules! of_machine {
    ($($Type:ident)*) => {
        $(
            /// Has the schema of the type of the same name in `bcu_machine`, from `sim/machine/schema.json`.
            pub(super) struct $Type;

            impl JsonSchema for $Type {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($Type).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    read(stringify!($Type))
                }
            }
        )*
    };
}

of_machine! { Machine Reduction Stop Verdict }

/// The schema of the type `name` in the file. A schema that is missing in the file allows
/// everything.
fn read(name: &str) -> Schema {
    let schemas =
        serde_json::from_str::<serde_json::Value>(include_str!("../../../sim/machine/schema.json")).unwrap_or_default();
    schemas.get(name).and_then(|schema| Schema::try_from(schema.clone()).ok()).unwrap_or_default()
}
