//! What must hold of every text that is parsed.

use crate::diag::render::{Style, render};
use crate::diag::{Diag, Sources, Span};
use crate::lang::ast::Script;
use crate::lang::parse;

/// Longer texts only make the same thing slower.
pub const LIMIT: usize = 4 * 1024;

/// Parses a text in every way there is and holds the results to their promises. The parser sets pest's call
/// limit itself; the targets stand on it, so a text that takes long is a mistake of the parser.
pub fn parsed(text: &str) -> Script {
    let mut sources = Sources::default();
    sources.add("before.marey", "let before = 1\n");
    let source = sources.add("fuzz.marey", text);
    let first = parse::parse(text, source);
    let again = parse::parse(text, source);
    assert_eq!(first.diags, again.diags, "parsed twice");
    assert_eq!(first.script, again.script, "parsed twice");
    let _ = parse::completeness(text);
    for statement in &first.script.statements {
        inside(statement.span, text, source);
    }
    rendered(&first.diags, text, &sources, source);
    first.script
}

/// Diagnostics point into the text, at whole characters, and can be shown.
pub fn rendered(diags: &[Diag], text: &str, sources: &Sources, source: u32) {
    for diag in diags {
        assert!(!diag.message.is_empty());
        // A bug that says so is still a bug.
        assert_ne!(diag.code.name, "internal", "{diag:?}");
        for label in &diag.labels {
            inside(label.span, text, source);
        }
    }
    // Thousands of mistakes look alike.
    for diag in diags.iter().take(8) {
        for style in [
            Style::default(),
            Style {
                color: true,
                unicode: true,
                width: 20,
            },
        ] {
            assert!(!render(diag, sources, style).is_empty());
        }
    }
}

fn inside(span: Span, text: &str, source: u32) {
    assert_eq!(span.source, source, "{span:?}");
    assert!(span.start <= span.end, "{span:?}");
    assert!(span.end <= text.len(), "{span:?} in {} bytes", text.len());
    assert!(
        text.is_char_boundary(span.start),
        "{span:?} begins within a character"
    );
    assert!(
        text.is_char_boundary(span.end),
        "{span:?} ends within a character"
    );
}
