// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/contract/isa.md` agrees with the field table.

use bcu_isa::doc::markdown;

#[test]
fn the_committed_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/contract/isa.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).unwrap();
        std::fs::write(path, markdown()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == markdown(), "docs/contract/isa.md is stale; `BLESS=1 cargo test -p bcu-hw isa_doc` writes it");
}
