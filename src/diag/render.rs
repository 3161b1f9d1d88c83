//! Diagnostics as text, by miette: the only place that names it. Colour, width and unicode follow the
//! terminal; off a terminal the text is plain and 80 columns wide.

use super::{Diag, Severity, Sources};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};

/// How diagnostics look.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Box-drawing characters rather than ASCII.
    pub unicode: bool,
    /// Columns to wrap at.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            color: false,
            unicode: false,
            width: 80,
        }
    }
}

/// A source with the number of its first line, so that one line of a large file can be shown with its
/// true number.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    first_line: usize,
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.first_line,
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// The bridge from our data to miette's trait.
#[derive(Debug)]
struct Report<'a> {
    diag: &'a Diag,
    excerpt: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
    /// What to do, then the labels that stand in other texts.
    help: Option<String>,
}

impl std::fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.diag.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(format!("marey::{}", self.diag.code.name)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diag.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|e| e as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.labels.is_empty() {
            None
        } else {
            Some(Box::new(self.labels.iter().cloned()))
        }
    }
}

/// Renders one diagnostic.
pub fn render(diag: &Diag, sources: &Sources, style: Style) -> String {
    let report = bridge(diag, sources);
    let theme = GraphicalTheme {
        characters: if style.unicode {
            ThemeCharacters::unicode()
        } else {
            ThemeCharacters::ascii()
        },
        styles: if style.color {
            ThemeStyles::ansi()
        } else {
            ThemeStyles::none()
        },
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(style.width.max(20))
        .with_links(false)
        .with_context_lines(1);
    let mut out = String::new();
    match handler.render_report(&mut out, &report) {
        Ok(()) => out.trim_start_matches('\n').to_owned(),
        Err(_) => plain(diag),
    }
}

/// One line without pictures: for contexts where a report cannot be drawn.
pub fn plain(diag: &Diag) -> String {
    let word = match diag.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut out = format!("{word}[marey::{}]: {}", diag.code.name, diag.message);
    if let Some(place) = &diag.place {
        out.push_str(&format!(" ({}:{})", place.file, place.line));
    }
    if let Some(help) = &diag.help {
        out.push_str(&format!("\n  help: {help}"));
    }
    out.push('\n');
    out
}

fn bridge<'a>(diag: &'a Diag, sources: &Sources) -> Report<'a> {
    let mut labels = Vec::new();
    let mut excerpt = None;
    let mut elsewhere: Vec<String> = diag.help.iter().cloned().collect();
    if let Some(first) = diag.labels.first() {
        if let Some((name, text)) = sources.get(first.span.source) {
            for label in &diag.labels {
                // miette shows one source per report; labels of another one are said in words.
                if label.span.source == first.span.source {
                    let start = floor_boundary(&text, label.span.start);
                    let end = floor_boundary(&text, label.span.end).max(start);
                    labels.push(LabeledSpan::new(
                        Some(label.text.clone()).filter(|text| !text.is_empty()),
                        start,
                        end - start,
                    ));
                } else if let Some((other, _)) = sources.get(label.span.source) {
                    let line = sources.line_of(label.span);
                    elsewhere.push(format!("{other}:{line}: {}", label.text));
                }
            }
            excerpt = Some(Excerpt {
                name: name.to_string(),
                text: visible(&text),
                first_line: 0,
            });
        }
    } else if let Some(place) = &diag.place {
        labels.push(LabeledSpan::new(
            Some("here".to_owned()),
            0,
            place.text.len(),
        ));
        excerpt = Some(Excerpt {
            name: place.file.clone(),
            text: place.text.clone(),
            first_line: (place.line.max(1) - 1) as usize,
        });
    }
    Report {
        diag,
        excerpt,
        labels,
        help: (!elsewhere.is_empty()).then(|| elsewhere.join("\n")),
    }
}

/// A script without control characters, which a terminal would obey; every byte keeps its place.
fn visible(text: &str) -> String {
    let kept = |c: char| !c.is_ascii_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars()
        .map(|c| if kept(c) { c } else { '?' })
        .collect()
}

/// The nearest character boundary at or below `index`, and never past the text.
fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Span, code};

    #[test]
    fn a_span_shows_the_line_and_the_help() {
        let sources = Sources::default();
        let source = sources.add("t.marey", "let a = 1\nfilter value = \"Idle\"\n");
        let diag = Diag::error(&code::UNKNOWN_OPTION, "unknown option `value`")
            .at(Span::new(source, 17, 22), "names an argument")
            .help("to compare write `==`");
        let text = render(&diag, &sources, Style::default());
        assert!(text.contains("marey::unknown_option"), "{text}");
        assert!(text.contains("t.marey:2:8"), "{text}");
        assert!(text.contains("to compare write `==`"), "{text}");
    }

    #[test]
    fn a_place_shows_file_and_line() {
        let diag = Diag::error(&code::BAD_ROW, "end before start").in_file(
            "run.csv",
            1_234,
            "State, a, b, 2, 1",
        );
        let text = render(&diag, &Sources::default(), Style::default());
        assert!(text.contains("run.csv:1234"), "{text}");
        assert!(text.contains("State, a, b, 2, 1"), "{text}");
    }
}
