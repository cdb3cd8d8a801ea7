// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Short names for values in `update`, such as `let op = self.commit_q.op.val();`. rust-hdl's `#[hdl_gen]` does not accept a `let`, so each
//! use of the name is replaced by the value itself. The Verilog is the same with and without the name.

use proc_macro2::Ident;
use std::collections::HashMap;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Error, Expr, ExprPath, Local, Member, Pat, Result, Stmt};

/// Removes the `let` statements of `update`, and replaces each name that they define by its value.
///
/// # Errors
/// A `let` that does not have the form `let name = self.signal.val();`. Also a `let` whose signal `update` assigns later: a use of the name
/// after that assignment would read the new value.
pub fn inline(body: &mut Block) -> Result<()> {
    let mut names = Names::default();
    for statement in std::mem::take(&mut body.stmts) {
        match statement {
            Stmt::Local(local) => names.add(local)?,
            mut statement => {
                names.visit_stmt_mut(&mut statement);
                body.stmts.push(statement);
            }
        }
    }
    names.error.map_or(Ok(()), Err)
}

#[derive(Default)]
struct Names {
    values: HashMap<Ident, Expr>,
    error: Option<Error>,
}

impl Names {
    fn add(&mut self, local: Local) -> Result<()> {
        let form = "expected `let name = self.signal.val();`, with fields after `val()` if it is a payload";
        let wrong = |at: &dyn quote::ToTokens| Error::new_spanned(at, form);
        let Pat::Ident(name) = &local.pat else { return Err(wrong(&local.pat)) };
        let value = local.init.as_ref().filter(|init| init.diverge.is_none()).map(|init| (*init.expr).clone());
        let mut value = value.ok_or_else(|| wrong(&local))?;
        self.visit_expr_mut(&mut value);
        if name.mutability.is_some() || name.by_ref.is_some() || name.subpat.is_some() || signal(&value).is_none() {
            return Err(wrong(&local));
        }
        self.values.insert(name.ident.clone(), value);
        Ok(())
    }
}

impl VisitMut for Names {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Assign(assign) = &*expr {
            let target = path(&assign.left);
            let read = |value: &Expr| {
                signal(value).is_some_and(|signal| target.starts_with(&[&signal[..], &["next".into()]].concat()))
            };
            if let Some((name, _)) = self.values.iter().find(|(_, value)| read(value)) {
                let message = format!(
                    "`{name}` is a name of the signal that is assigned here: declare the name after the last assignment, or use the signal itself"
                );
                self.error.get_or_insert(Error::new_spanned(assign, message));
            }
        }
        match &*expr {
            Expr::Path(ExprPath { path, qself: None, .. }) => {
                if let Some(value) = path.get_ident().and_then(|name| self.values.get(name)) {
                    *expr = value.clone();
                }
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

/// The path of the signal that `value` reads: `self`, `a`, `b` for `self.a.b.val().c`.
fn signal(value: &Expr) -> Option<Vec<String>> {
    match value {
        Expr::Field(field) => signal(&field.base),
        Expr::MethodCall(call) if call.method == "val" && call.args.is_empty() => {
            Some(path(&call.receiver)).filter(|path| path.first().is_some_and(|first| first == "self"))
        }
        _ => None,
    }
}

/// The names in `self.a[0].next.c`, without indexes; empty if `place` is not such a path.
fn path(place: &Expr) -> Vec<String> {
    match place {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string).into_iter().collect(),
        Expr::Index(index) => path(&index.expr),
        Expr::Field(field) => {
            let mut names = path(&field.base);
            if let (false, Member::Named(name)) = (names.is_empty(), &field.member) {
                names.push(name.to_string());
            }
            names
        }
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    fn inlined(mut body: Block) -> std::result::Result<String, String> {
        inline(&mut body).map(|()| quote!(#body).to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_the_value_that_it_was_given() {
        let with: Block = parse_quote!({
            let op = self.commit_q.op.val();
            let kind = op.kind;
            self.out.next = op.warp;
            if kind == Kind::Read {
                self.rows[1].next.kind = kind;
            }
        });
        let without: Block = parse_quote!({
            self.out.next = self.commit_q.op.val().warp;
            if self.commit_q.op.val().kind == Kind::Read {
                self.rows[1].next.kind = self.commit_q.op.val().kind;
            }
        });
        assert_eq!(inlined(with).unwrap(), quote!(#without).to_string());
    }

    #[test]
    fn what_is_not_such_a_name_is_refused() {
        let computed: Block = parse_quote!({
            let both = self.a.val() & self.b.val();
        });
        assert!(inlined(computed).unwrap_err().contains("expected `let name"));
        let assigned: Block = parse_quote!({
            let row = self.row.val();
            self.row.next.count = row.count;
        });
        assert!(inlined(assigned).unwrap_err().contains("`row` is a name of the signal that is assigned here"));
        let other: Block = parse_quote!({
            let row = self.row.q.val();
            self.row.d.next = row;
        });
        assert!(inlined(other).is_ok());
    }
}
