//! `--report FILE`: what came of each `assert`, for a CI server (JUnit XML) or a program (JSON). It holds no times and no
//! names of machines, so the same run writes the same bytes.

use super::check::{described, place};
use super::script::Script;
use crate::diag::{Diag, Sources, code};
use crate::verb::Assertion;
use crate::write::atomic::AtomicFile;
use crate::write::output_error;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};
use std::path::Path;

/// What a run came to.
pub(super) struct Run<'a> {
    /// The script.
    pub(super) script: &'a Script,
    /// The texts that spans point into.
    pub(super) sources: &'a Sources,
    /// Its assertions, in order.
    pub(super) assertions: &'a [Assertion],
    /// The errors that ended it.
    pub(super) diags: &'a [Diag],
    /// How the program ends.
    pub(super) exit_code: u8,
}

/// What came of one assertion.
enum Status<'a> {
    Passed,
    Failed(&'a str),
    NotReached,
}

impl Run<'_> {
    /// Writes the report; the extension says the format.
    pub(super) fn write(&self, path: &Path) -> Result<(), Diag> {
        let failed = |error| output_error(&path.display().to_string(), &error);
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => format!("{:#}\n", self.json()),
            _ => self.junit(),
        };
        let mut file = AtomicFile::create(path)?;
        file.writer().write_all(text.as_bytes()).map_err(failed)?;
        file.commit()
    }

    fn cases(&self) -> impl Iterator<Item = (&Assertion, Status<'_>, String, usize)> {
        self.assertions.iter().map(|assertion| {
            let status = match &assertion.outcome {
                Some(Ok(())) => Status::Passed,
                Some(Err(seen)) => Status::Failed(seen),
                None => Status::NotReached,
            };
            let (file, line, _) = place(assertion.span, assertion.span.start, self.sources);
            (assertion, status, file, line)
        })
    }

    /// The errors that are no failed assertion.
    fn errors(&self) -> impl Iterator<Item = &Diag> {
        let errors = self.diags.iter().filter(|diag| diag.is_error());
        errors.filter(|diag| diag.code != &code::ASSERTION)
    }

    fn junit(&self) -> String {
        let name = self.script.name.as_str();
        let mut suite = TestSuite::new(name);
        for (assertion, status, file, line) in self.cases() {
            let status = match status {
                Status::Passed => TestCaseStatus::success(),
                Status::Failed(seen) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status
                        .set_message(assertion.message.as_str())
                        .set_type("marey::assertion")
                        .set_description(format!("{file}:{line}: {seen}"));
                    status
                }
                Status::NotReached => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message("the script ended before it");
                    status
                }
            };
            // The name stays the same however it ends, so that a server can follow it.
            let name_of_case = format!("line {line}: {}", assertion.condition);
            let mut case = TestCase::new(name_of_case, status);
            case.set_classname(name);
            suite.add_test_case(case);
        }
        for diag in self.errors() {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status
                .set_message(diag.message.as_str())
                .set_type(format!("marey::{}", diag.code.name));
            let mut case = TestCase::new("the script runs", status);
            case.set_classname(name);
            suite.add_test_case(case);
        }
        let mut report = Report::new("marey");
        report.add_test_suite(suite);
        // A report is texts and numbers; nothing in it can fail to be written.
        report.to_string().unwrap_or_default()
    }

    fn json(&self) -> Value {
        let assertions: Vec<Value> = self
            .cases()
            .map(|(assertion, status, file, line)| {
                let (status, seen) = match status {
                    Status::Passed => ("passed", None),
                    Status::Failed(seen) => ("failed", Some(seen)),
                    Status::NotReached => ("not_reached", None),
                };
                json!({
                    "condition": assertion.condition,
                    "message": Some(&assertion.message).filter(|message| !message.is_empty()),
                    "status": status,
                    "seen": seen,
                    "file": file,
                    "line": line,
                })
            })
            .collect();
        let errors: Vec<Value> = self
            .errors()
            .map(|diag| described(diag, self.sources))
            .collect();
        json!({
            "script": self.script.name,
            "exit_code": self.exit_code,
            "assertions": assertions,
            "errors": errors,
        })
    }
}
