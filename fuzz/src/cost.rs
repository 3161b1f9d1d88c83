//! The work that the grammar does on a text. pest counts calls of rules, which is exact where a clock on a
//! shared machine is not.

use pest::Parser;
use std::num::NonZeroUsize;

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/marey.pest"]
struct Grammar;

/// No text may cost more calls than this for each of its bytes. Ordinary text costs some hundred.
const CALLS_PER_BYTE: usize = 20_000;
const CALLS_AT_LEAST: usize = 2_000_000;

/// Panics where the grammar does more than linear work; leaves the limit set, so nothing can hang.
pub fn bound(text: &str) {
    let limit = CALLS_AT_LEAST + text.len() * CALLS_PER_BYTE;
    pest::set_call_limit(NonZeroUsize::new(limit));
    for rule in [Rule::script, Rule::alone] {
        if let Err(error) = Grammar::parse(rule, text) {
            let message = error.variant.message();
            assert!(!message.contains("call limit"), "{rule:?}: more than {limit} calls of rules");
        }
    }
}
