//! The hint behind the cursor: what the verb being typed still takes.

use super::cursor::{self, Place, Written};
use super::meta;
use crate::spec::{Place as Standing, VerbSpec};
use crate::verb;

/// Longest hint; a longer one would wrap on a narrow terminal and hide what is typed.
const LONGEST: usize = 60;

/// The hint at the end of `text`.
pub(super) fn at_end(text: &str) -> Option<String> {
    if meta::is_command(text) {
        return meta::hint(text);
    }
    let spot = cursor::at_end(text)?;
    let hint = match &spot.place {
        Place::Head | Place::Verb => {
            let spec = verb::find(&spot.typed)?.spec();
            (spot.place == Place::Verb || spec.heads)
                .then(|| format!(" {}", rest(spec, &Written::default())))?
        }
        Place::Positional { .. } | Place::OptionName
            if spot.typed.is_empty() && text.ends_with(' ') =>
        {
            let written = spot.stage?;
            rest(verb::find(&written.verb)?.spec(), &written)
        }
        _ => return None,
    };
    let hint = shortened(&hint);
    (!hint.trim().is_empty()).then_some(hint)
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
    use super::at_end;

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
