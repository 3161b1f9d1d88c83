//! The hint behind the cursor: what the verb being typed still takes.

use super::cursor::{self, Place, Written};
use super::meta;
use crate::lang::check::{Binding, Definition, Scope};
use crate::spec::{Place as Standing, VerbSpec};
use crate::verb;

/// Longest hint; a longer one would wrap on a narrow terminal and hide what is typed.
const LONGEST: usize = 60;

/// The hint at the end of `text`.
pub(super) fn at_end(text: &str, scope: Option<&Scope>) -> Option<String> {
    if meta::is_command(text) {
        return meta::hint(text);
    }
    let spot = cursor::at_end(text)?;
    let hint = match &spot.place {
        Place::Head | Place::Verb if defined(scope, &spot.typed).is_some() => {
            let definition = defined(scope, &spot.typed)?;
            format!(" {}", rest_of_defined(definition, &Written::default()))
        }
        Place::Head | Place::Verb => {
            let spec = verb::find(&spot.typed)?.spec();
            (spot.place == Place::Verb || spec.heads)
                .then(|| format!(" {}", rest(spec, &Written::default())))?
        }
        Place::Positional { .. } | Place::OptionName
            if spot.typed.is_empty() && text.ends_with(' ') =>
        {
            let written = spot.stage?;
            if let Some(definition) = defined(scope, &written.verb) {
                return finished(&rest_of_defined(definition, &written));
            }
            rest(verb::find(&written.verb)?.spec(), &written)
        }
        _ => return None,
    };
    finished(&hint)
}

fn finished(hint: &str) -> Option<String> {
    let hint = shortened(hint);
    (!hint.trim().is_empty()).then_some(hint)
}

/// A verb that the session defines.
fn defined<'a>(scope: Option<&'a Scope>, name: &str) -> Option<&'a Definition> {
    match scope?.get(name)? {
        Binding::Verb(definition) => Some(definition),
        _ => None,
    }
}

/// The part of its signature that is not written yet.
fn rest_of_defined(definition: &Definition, written: &Written) -> String {
    let (options, positionals): (Vec<_>, Vec<_>) = definition
        .formals
        .iter()
        .partition(|(_, default)| default.is_some());
    let mut parts: Vec<String> = positionals
        .iter()
        .skip(written.positionals)
        .map(|(name, _)| name.text.clone())
        .collect();
    let left = options
        .iter()
        .filter(|(name, _)| !written.options.contains(&name.text));
    parts.extend(left.map(|(name, _)| format!("{}=", name.text)));
    parts.join(" ")
}

/// The part of the signature that is not written yet.
fn rest(spec: &VerbSpec, written: &Written) -> String {
    let mut parts = Vec::new();
    for param in spec.positionals().skip(written.positionals) {
        parts.push(match param.place {
            Standing::Optional => format!("[{}]", param.name),
            Standing::Many => format!("{}, …", param.name),
            Standing::Any => format!("[{}, …]", param.name),
            Standing::Required | Standing::Option => param.name.to_owned(),
        });
    }
    let options = spec
        .options()
        .filter(|param| !written.options.iter().any(|given| given == param.name));
    parts.extend(options.map(|param| format!("{}=", param.name)));
    if spec.by && !written.by {
        parts.push("by …".to_owned());
    }
    parts.join(" ")
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST).collect();
    // Whole words only.
    let cut = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(whole, _)| whole);
    format!("{cut} …")
}

#[cfg(test)]
mod tests {
    use crate::session::{INPUT, Quiet, Session, SessionConfig};

    fn at_end(text: &str) -> Option<String> {
        super::at_end(text, None)
    }

    #[test]
    fn verbs_of_the_session_have_hints() {
        let mut session = Session::new(SessionConfig::default()).expect("a session");
        let text = "def top(key, n=3) = sort -$key | take $n";
        let outcome = session.run_interactive(INPUT, text, &mut Quiet);
        assert!(outcome.diags.is_empty(), "{:?}", outcome.diags);
        let hint = |text| super::at_end(text, Some(session.scope()));
        assert_eq!(hint("x | top").as_deref(), Some(" key n="));
        assert_eq!(hint("x | top busy ").as_deref(), Some("n="));
        assert_eq!(hint("x | top busy n=2 "), None);
    }

    #[test]
    fn what_is_left_of_the_signature() {
        let hint = at_end("x | take").expect("a hint");
        assert!(hint.starts_with(' ') && hint.contains("count") || !hint.trim().is_empty());
        assert_eq!(at_end("x | zebra "), None);
        assert!(at_end("load ").expect("a hint").starts_with("path"));
        assert!(
            !at_end("load \"x\" unit=ms ")
                .expect("a hint")
                .contains("unit=")
        );
    }
}
