//! `use`: brings in what another file, or the library that comes with the program, defines.

use super::{Checker, Checking, Statements};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{Script, StatementKind, UsePath};

/// A file that `use` names, read and parsed.
#[derive(Debug)]
pub struct Import {
    /// What tells it from all others: the path without detours, or the name in the library.
    pub key: String,
    /// What messages call it.
    pub name: String,
    /// Its statements.
    pub script: Script,
    /// What is wrong with its text.
    pub diags: Vec<Diag>,
}

impl Checker<'_> {
    pub(crate) fn import(
        &mut self,
        path: &UsePath,
        span: Span,
        out: &mut Statements,
    ) -> Checking<()> {
        let import = self.registry.import(path, span.source);
        // What it would have defined is unknown, and no second mistake.
        self.lacks_import |= import.is_err();
        let import = self.take(import.map_err(|diag| diag.or_at(span, "here")))?;
        if let Some(at) = self
            .importing
            .iter()
            .position(|(key, _)| *key == import.key)
        {
            let names: Vec<&str> = self.importing[at..]
                .iter()
                .map(|(_, name)| name.as_str())
                .chain([import.name.as_str()])
                .collect();
            let diag = Diag::error(
                &code::USE_CYCLE,
                format!("files use each other in a circle: {}", names.join(" -> ")),
            )
            .at(span, "this closes the circle")
            .help("put what both need into a third file");
            return self.report(diag);
        }
        if self.scope.has_imported(&import.key) {
            return Ok(());
        }
        self.scope.imported(&import.key);
        self.diags.extend(import.diags);
        self.importing.push((import.key, import.name.clone()));
        let mut ignored = 0;
        let mut result = Ok(());
        for statement in &import.script.statements {
            let done = match &statement.kind {
                StatementKind::Show(_) | StatementKind::For { .. } => {
                    ignored += 1;
                    continue;
                }
                _ => self.statement(statement, out),
            };
            result = result.and(done);
        }
        self.importing.pop();
        if ignored > 0 {
            self.diags.push(
                Diag::warning(
                    &code::USE_RUNS_NOTHING,
                    format!(
                        "`{}` has {ignored} statement{} that `use` does not run",
                        import.name,
                        if ignored == 1 { "" } else { "s" }
                    ),
                )
                .at(span, "only names come in"),
            );
        }
        result
    }
}
