// SPDX-License-Identifier: Apache-2.0 OR MIT
//! JSON schemas of the types of `bcu_machine` that a scenario contains.

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

/// The schema of the type `name` in `sim/machine/schema.json`. If the schema is missing in the file, the result is a schema that allows
/// every value.
fn read(name: &str) -> Schema {
    let schemas =
        serde_json::from_str::<serde_json::Value>(include_str!("../../../sim/machine/schema.json")).unwrap_or_default();
    schemas.get(name).and_then(|schema| Schema::try_from(schema.clone()).ok()).unwrap_or_default()
}
