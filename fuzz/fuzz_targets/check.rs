//! Any script that parses is checked without a panic; what is constant folds, what is not folds once the
//! run has given its values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marey_fuzz::diag::Sources;
use marey_fuzz::lang::check::{ParameterText, Scope, check};
use marey_fuzz::lang::fold::fold;
use marey_fuzz::lang::plan::{Expr, Step};
use marey_fuzz::names::{Names, sample};
use marey_fuzz::{lang, text};

fuzz_target!(|script: &str| {
    if script.len() > text::LIMIT {
        return;
    }
    let mut sources = Sources::default();
    let source = sources.add("fuzz.marey", script);
    let parsed = lang::parse::parse(script, source);
    let overrides = [
        given("n", "1.5", source),
        given("t", "\"x\"", source),
        given("none", "3ms", source),
    ];
    let mut scope = Scope::default();
    let checked = check(&parsed.script, &mut scope, &overrides, &mut Names);
    text::rendered(&checked.diags, script, &sources, source);
    for (step, _) in &checked.steps {
        if let Step::Scalar(scalar) | Step::LetScalar(scalar) = step {
            finish(&scalar.expr);
        }
    }
    for (_, binding) in scope.sorted() {
        let _ = format!("{binding:?}");
    }
});

/// Folds with the values that a run might give.
fn finish(expr: &Expr) {
    let _ = fold(expr, &mut |_, values| {
        Ok(values.first().cloned().unwrap_or_else(|| sample(&expr.ty)))
    });
    let mut bound = expr.clone();
    let result = bound.bind(&mut |expr| Ok(sample(&expr.ty)));
    assert!(result.is_ok());
    assert!(!bound.is_deferred());
}

fn given(name: &str, raw: &str, source: u32) -> (String, ParameterText) {
    let parsed = lang::parse::parse(raw, source)
        .script
        .statements
        .into_iter()
        .next();
    let expr = parsed.and_then(|statement| match statement.kind {
        lang::ast::StatementKind::Show(lang::ast::Bound::Expr(expr)) => Some(expr),
        _ => None,
    });
    (
        name.to_owned(),
        ParameterText {
            raw: raw.to_owned(),
            expr,
        },
    )
}
