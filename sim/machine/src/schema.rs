// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schemas of types of this crate that a scenario uses. `sim/machine/schema.json` holds them, so that the crate itself is built
//! without schemas.

use super::report::arrival::Reduction;
use crate::report::Stop;
use crate::{Machine, Verdict};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use std::path::Path;

/// A schema without references, so that it can be embedded in any other schema.
fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::default().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

#[test]
fn the_schemas_are_fresh() {
    let schemas = serde_json::json!({
        "Machine": schema_of::<Machine>(),
        "Reduction": schema_of::<Reduction>(),
        "Stop": schema_of::<Stop>(),
        "Verdict": schema_of::<Verdict>(),
    });
    let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.json");
    if std::env::var_os("BCU_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let fresh = std::fs::read_to_string(&path).is_ok_and(|found| found == text);
    assert!(fresh, "sim/machine/schema.json is stale: run this test with BCU_BLESS=1");
}

/// Adds the names of all keys in a schema to `names`.
fn keys(schema: &serde_json::Value, names: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(|properties| properties.as_object()) {
        names.extend(properties.keys().cloned());
    }
    match schema {
        serde_json::Value::Object(fields) => fields.values().for_each(|field| keys(field, names)),
        serde_json::Value::Array(elements) => elements.iter().for_each(|element| keys(element, names)),
        _ => {}
    }
}

#[test]
fn the_page_of_the_machine_file_names_every_key() {
    let page = include_str!("../../../docs/contract/machine.md");
    let mut names = vec![];
    keys(&serde_json::to_value(schema_of::<Machine>()).unwrap(), &mut names);
    assert!(names.len() > 20, "{names:?}");
    // The page may give a key alone or as the key of a table, or may give the name of a table.
    let forms = |name: &str| [format!("`{name}`"), format!(".{name}`"), format!("[{name}]")];
    names.retain(|name| !forms(name).iter().any(|form| page.contains(form)));
    assert!(names.is_empty(), "docs/contract/machine.md lacks {names:?}");
}
