// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schema of a launch file.

use super::element::{Element, Number};
use super::text::{ArgText, ArgsText, FileText, FillText, TensorText, TextureText};
use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use std::path::Path;

/// The JSON schema of a launch file, for editors and `tb/launch.schema.json`.
fn schema() -> String {
    let schema = schemars::schema_for!(FileText);
    serde_json::to_string_pretty(&schema).map_or(String::new(), |text| text + "\n")
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "An integer or a floating-point number.", "type": "number" })
    }
}

impl JsonSchema for FillText {
    fn schema_name() -> Cow<'static, str> {
        "Fill".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or the rule that fills the elements.",
            "anyOf": [{ "type": "number" }, { "enum": ["iota", "random", "unknown"] }]
        })
    }
}

impl JsonSchema for ArgsText {
    fn schema_name() -> Cow<'static, str> {
        "Args".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let arg = generator.subschema_for::<ArgText>();
        json_schema!({
            "description": "Arguments in the order of the kernel's parameters, or by their names.",
            "anyOf": [{ "type": "array", "items": arg }, { "type": "object", "additionalProperties": arg }]
        })
    }
}

impl JsonSchema for ArgText {
    fn schema_name() -> Cow<'static, str> {
        "Arg".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let arg = generator.subschema_for::<ArgText>();
        let mut keys = serde_json::Map::new();
        for (name, element) in Element::ALL {
            let json_type = if element.is_float() { "number" } else { "integer" };
            keys.insert(name.to_string(), serde_json::json!({ "type": json_type }));
        }
        keys.insert("bytes".to_string(), serde_json::json!({ "type": "string" }));
        keys.insert("fields".to_string(), serde_json::json!({ "type": "array", "items": arg }));
        keys.insert("tensor".to_string(), generator.subschema_for::<TensorText>().to_value());
        keys.insert("texture".to_string(), generator.subschema_for::<TextureText>().to_value());
        keys.insert("unknown".to_string(), serde_json::json!({ "const": true }));
        json_schema!({
            "description": "The address of a buffer, an integer of the parameter's size, a value of a type, a structure, a tensor map, or a texture.",
            "anyOf": [
                { "type": "string" },
                { "type": "integer" },
                { "type": "object", "properties": keys, "additionalProperties": false, "minProperties": 1, "maxProperties": 1 }
            ]
        })
    }
}

#[test]
fn the_schema_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/launch.schema.json");
    if std::env::var_os("BCU_BLESS").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    let fresh = std::fs::read_to_string(&path).is_ok_and(|text| text == schema());
    assert!(fresh, "tb/launch.schema.json is stale: run this test with BCU_BLESS=1");
}
