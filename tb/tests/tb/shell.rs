// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Command lines as text for a POSIX shell.

use bcu_tb::shell::line;

#[test]
fn words_are_quoted_where_a_shell_needs_it() {
    assert_eq!(line(["bcu", "regress", "", "a b", "it's", "--seed=7"]), "bcu regress '' 'a b' 'it'\\''s' --seed=7");
}
