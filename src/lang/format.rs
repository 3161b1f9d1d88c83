//! Text → the same script in the one layout that `marey fmt` writes.
//!
//! `text → shape (pieces of the grammar + the comments between them → Docs) → layout (Docs → lines)`
//!
//! Tokens are copied from the text, so numbers, strings and names stay as written. A comment can only stand
//! where the grammar allows the end of a line; it stays between the same two tokens, with a line end behind it.

mod gap;
mod layout;
mod shape;
#[cfg(test)]
mod tests;

use super::parse;
use crate::diag::Diag;

/// Whether `name = …` among the arguments of a verb creates a column (`derive`, `summarize`) rather than sets an
/// option: verb, name → answer.
pub type Defines<'a> = &'a dyn Fn(&str, &str) -> bool;

/// The script in its one layout; formatting it again changes nothing.
///
/// Statements stand one a line, a pipeline on one line where it was written so and fits 100 columns, else one stage
/// a line. The tree that [`parse::parse`] makes of it is the same but for its spans. Without a table of
/// verbs the blanks before an `=` say what the writer meant: `name = …` creates a column, `name=…` sets an option.
///
/// # Errors
/// The diagnostics of a text that does not parse.
///
/// ```
/// let text = "run|filter value==\"x\" ; run | profile by value  top = 3";
/// let formatted = marey::lang::format::format(text);
/// assert_eq!(
///     formatted.as_deref(),
///     Ok("run | filter value == \"x\"\nrun | profile top = 3 by value\n")
/// );
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diag>> {
    lay_out(text, None)
}

/// [`format()`] with the table of verbs at hand: `derive a=b c=d` becomes `derive a = b, c = d`, and
/// `save "a.csv", unit = ms` becomes `save "a.csv" unit=ms`, however they were written.
///
/// # Errors
/// The diagnostics of a text that does not parse.
pub fn format_with(text: &str, defines: Defines) -> Result<String, Vec<Diag>> {
    lay_out(text, Some(defines))
}

/// Most passes until the layout has settled: two but for pipelines nested deeply on overlong lines.
const PASSES: usize = 32;

fn lay_out(text: &str, defines: Option<Defines>) -> Result<String, Vec<Diag>> {
    let parsed = parse::parse(text, 0);
    if !parsed.diags.is_empty() {
        return Err(parsed.diags);
    }
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    // A pipeline broken because it did not fit counts as written on several lines the next time, which can make
    // room for what stands before it. What is broken stays so, hence this settles.
    for _ in 0..PASSES {
        // A text without mistakes has pieces; should the two disagree, the text is better left alone.
        let Some(pieces) = parse::pieces(&text) else {
            break;
        };
        let next = layout::write(&shape::script(&text, pieces, defines));
        if next == text {
            break;
        }
        text = next;
    }
    Ok(text)
}
