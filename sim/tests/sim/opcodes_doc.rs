// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/guide/opcodes.md` matches the table of opcodes.

use bcu_program::ptx::opcode_page;

#[test]
fn the_committed_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/opcodes.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, opcode_page()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == opcode_page(),
        "docs/guide/opcodes.md is stale; `BLESS=1 cargo test -p bcu-engine --test sim opcodes_doc` writes it"
    );
}
