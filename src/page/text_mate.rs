//! The TextMate grammar, `grammar/marey.tmLanguage.json`: colours for editors, made from the tables that the parser and
//! the checker use. It knows lines and not meaning: a word is a verb where a stage may begin, an option before `=`.

use crate::lang::parse;
use crate::model::schema::RELATIONS;
use crate::spec::{Choice, LengthUnit, Shape, SizeUnit, TimeUnit, VerbSpec};
use crate::verb::VERBS;
use serde_json::{Map, Value, json};

/// A word with nothing of a longer one behind it; verbs have hyphens.
const NAME: &str = "[A-Za-z_][A-Za-z0-9_]*";
const VERB_NAME: &str = "[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z_][A-Za-z0-9_]*)*";
const VERB_END: &str = "(?![A-Za-z0-9_]|-[A-Za-z_])";
const WORD_END: &str = "(?![A-Za-z0-9_])";
const WORD_START: &str = "(?<![A-Za-z0-9_$.])";

/// The scope of each reserved word.
const KEYWORDS: &[(&[&str], &str)] = &[
    (&["let", "param", "def"], "storage.type.marey"),
    (&["use"], "keyword.control.import.marey"),
    (&["for"], "keyword.control.loop.marey"),
    (&["if", "then", "else"], "keyword.control.conditional.marey"),
    (
        &["and", "or", "not", "in", "matches"],
        "keyword.operator.word.marey",
    ),
    (&["by"], "keyword.other.by.marey"),
    (&["true", "false", "null"], "constant.language.marey"),
];

const VERB: &str = "support.function.verb.marey";
const CHOICE: &str = "support.constant.choice.marey";
const OWN_VERB: &str = "entity.name.function.verb.marey";

/// The grammar as JSON; `functions` are all that a script can call.
pub fn text_mate(functions: &[String]) -> String {
    let mut repository = Map::new();
    let mut order = Vec::new();
    for (name, rule) in rules(functions) {
        order.push(json!({ "include": format!("#{name}") }));
        repository.insert(name.to_owned(), rule);
    }
    let grammar = json!({
        "information_for_contributors": "Made from the tables in src; `MAREY_BLESS=1 cargo test pages` writes it anew.",
        "name": "marey",
        "scopeName": "source.marey",
        "fileTypes": ["marey"],
        "firstLineMatch": "^#!.*\\bmarey\\b",
        "patterns": order,
        "repository": repository,
    });
    let text = serde_json::to_string_pretty(&grammar).unwrap_or_default();
    format!("{text}\n")
}

/// The rules, by how strongly they bind.
fn rules(functions: &[String]) -> Vec<(&'static str, Value)> {
    vec![
        (
            "comment",
            json!({ "name": "comment.line.number-sign.marey", "match": "#.*$" }),
        ),
        ("string", string()),
        ("definition", definition()),
        ("stage", stage()),
        ("number", number()),
        ("option", option()),
        ("name", name()),
        ("function", function(functions)),
        ("keyword", keyword()),
        ("operator", operator()),
    ]
}

/// One of some words, as a group that does not capture.
fn any<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    // Where one word begins another, the longer one must be tried first.
    words.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    words.dedup();
    format!("(?:{})", words.join("|"))
}

fn specs() -> impl Iterator<Item = &'static VerbSpec> {
    VERBS.iter().map(|verb| verb.spec())
}

/// The words that a verb takes by position, such as `cholesky` of `generate`.
fn words_by_position(spec: &VerbSpec) -> Vec<&'static str> {
    let words = spec.positionals().flat_map(|param| match param.shape {
        Shape::Relation => RELATIONS.to_vec(),
        shape => shape.choices().iter().map(|choice| choice.name).collect(),
    });
    words.collect()
}

fn known_verb() -> String {
    any(specs().map(|spec| spec.name))
}

fn captures(scopes: &[&str]) -> Value {
    let scopes = scopes.iter().enumerate();
    let named = scopes.filter(|(_, scope)| !scope.is_empty());
    let list = named.map(|(at, scope)| ((at + 1).to_string(), json!({ "name": scope })));
    Value::Object(list.collect())
}

fn string() -> Value {
    let escape = json!({
        "name": "constant.character.escape.marey",
        "match": r#"\\(?:[nt\\"]|u\{[0-9A-Fa-f]{1,6}\})"#,
    });
    let unknown = json!({ "name": "invalid.illegal.escape.marey", "match": r"\\." });
    let brace = json!({ "name": "constant.character.escape.marey", "match": r"\{\{|\}\}" });
    let hole = json!({
        "name": "meta.embedded.expression.marey",
        "begin": r"\{",
        "beginCaptures": { "0": { "name": "punctuation.section.embedded.begin.marey" } },
        "end": r"\}|$",
        "endCaptures": { "0": { "name": "punctuation.section.embedded.end.marey" } },
        "patterns": [{ "include": "$self" }],
    });
    // No text goes on behind the end of its line.
    let quoted = |prefix: &str, scope: &str, patterns: Value| {
        json!({
            "name": scope,
            "begin": format!("{WORD_START}({prefix})(\")"),
            "beginCaptures": captures(&["storage.type.string.marey", "punctuation.definition.string.begin.marey"]),
            "end": "\"|$",
            "endCaptures": { "0": { "name": "punctuation.definition.string.end.marey" } },
            "patterns": patterns,
        })
    };
    json!({ "patterns": [
        quoted("f", "string.interpolated.marey", json!([brace, escape, unknown, hole])),
        quoted("r", "string.quoted.double.raw.marey", json!([])),
        quoted("", "string.quoted.double.marey", json!([escape, unknown])),
    ] })
}

/// `let`, `param`, `for`, `def` and `use` with the name that they bring.
fn definition() -> Value {
    let verb = known_verb();
    let heads = specs().filter(|spec| spec.heads);
    let word = any(heads.flat_map(words_by_position));
    let last = format!(r"(?:\s*({verb}){VERB_END}(?:\s+({word}){WORD_END}(?!\s*[=.(]))?)?");
    let bound = "variable.other.definition.marey";
    let assigned = "keyword.operator.assignment.marey";
    json!({ "patterns": [
        {
            "match": format!(r"{WORD_START}(let)\s+(`[^`]+`|{NAME})\s*(=)(?!=){last}"),
            "captures": captures(&["storage.type.marey", bound, assigned, VERB, CHOICE]),
        },
        {
            "match": format!(r"{WORD_START}(param)\s+({NAME})\s*(=)(?!=)"),
            "captures": captures(&["storage.type.marey", bound, assigned]),
        },
        {
            "match": format!(r"{WORD_START}(for)\s+({NAME})\s+(in){WORD_END}"),
            "captures": captures(&["keyword.control.loop.marey", bound, "keyword.control.loop.marey"]),
        },
        {
            "match": format!(r"{WORD_START}(use)\s+({NAME}(?:\.{NAME})*)"),
            "captures": captures(&["keyword.control.import.marey", "entity.name.namespace.marey"]),
        },
        {
            "begin": format!(r"{WORD_START}(def)\s+({VERB_NAME})\s*(\()"),
            "beginCaptures": captures(&["storage.type.marey", OWN_VERB, "punctuation.section.parameters.begin.marey"]),
            "end": format!(r"(\))(?:\s*(=)(?!=){last})?"),
            "endCaptures": captures(&["punctuation.section.parameters.end.marey", assigned, VERB, CHOICE]),
            "patterns": [
                { "name": "variable.parameter.marey", "match": format!(r"(?<=\(|,)\s*{NAME}") },
                { "begin": r"\(", "end": r"\)", "patterns": [{ "include": "$self" }] },
                { "include": "$self" },
            ],
        },
    ] })
}

/// Verbs where a stage may begin: behind a pipe any word, elsewhere those that are known.
fn stage() -> Value {
    let verb = known_verb();
    let mut patterns = Vec::new();
    for spec in specs() {
        let words = words_by_position(spec);
        if !words.is_empty() {
            patterns.push(json!({
                "match": format!(
                    r"(^|\||\(|;|\{{|=)\s*({}){VERB_END}\s+({}){WORD_END}(?!\s*=)",
                    spec.name,
                    any(words)
                ),
                "captures": captures(&["keyword.operator.pipe.marey", VERB, CHOICE]),
            }));
        }
    }
    patterns.push(json!({
        "match": format!(r"(\|)(?![|>])\s*(?:({verb}){VERB_END}|({VERB_NAME}))"),
        "captures": captures(&["keyword.operator.pipe.marey", VERB, OWN_VERB]),
    }));
    patterns.push(json!({
        "match": format!(r"(?:^|([(;{{]))\s*({verb}){VERB_END}(?![.(]|\s*(?:[=,)\]]|$))"),
        "captures": captures(&["punctuation.section.group.begin.marey", VERB]),
    }));
    // Alone on its line it may also be a word of a list.
    patterns.push(json!({
        "match": format!(r"^\s*({verb}){VERB_END}(?=\s*(?:\||$))"),
        "captures": captures(&[VERB]),
    }));
    json!({ "patterns": patterns })
}

fn number() -> Value {
    let mut units: Vec<&str> = TimeUnit::ALL.iter().map(|unit| unit.name()).collect();
    units.extend(TimeUnit::MICROSECONDS);
    units.extend(LengthUnit::ALL.iter().map(|unit| unit.name()));
    units.extend(SizeUnit::ALL.iter().map(|unit| unit.name));
    let digits = r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?";
    json!({
        "match": format!("(?<![A-Za-z0-9_])({digits})(?:((?:{}{WORD_END}|%))|([A-Za-zµμ][A-Za-z0-9_µμ]*))?", any(units)),
        "captures": captures(&["constant.numeric.marey", "keyword.other.unit.marey", "invalid.illegal.unit.marey"]),
    })
}

fn name() -> Value {
    json!({ "patterns": [
        {
            "match": format!(r"(\$)(`[^`]+`|{NAME})"),
            "name": "variable.other.scalar.marey",
            "captures": captures(&["punctuation.definition.variable.marey"]),
        },
        { "name": "variable.other.column.quoted.marey", "match": "`[^`]*`" },
        {
            "match": format!(r"(?<=[A-Za-z0-9_])(\.)({}){WORD_END}", any(RELATIONS)),
            "captures": captures(&["punctuation.accessor.marey", "support.type.relation.marey"]),
        },
    ] })
}

/// `name=value` without blanks is an option, `name = value` makes a column.
fn option() -> Value {
    let options = any(specs().flat_map(|spec| spec.options().map(|option| option.name)));
    let choices: Vec<&Choice> = specs()
        .flat_map(|spec| spec.params.iter())
        .flat_map(|param| param.shape.choices())
        .collect();
    let choice = format!(
        "({}){WORD_END}",
        any(choices.iter().map(|choice| choice.name))
    );
    json!({ "patterns": [
        {
            "match": format!(r"{WORD_START}(?:({options})|({NAME}))(=)(?!=)(?:{choice}(?![(.]))?"),
            "captures": captures(&[
                "variable.parameter.option.marey",
                "variable.parameter.marey",
                "keyword.operator.assignment.marey",
                CHOICE,
            ]),
        },
        {
            "match": format!(r"(?:{WORD_START}({NAME})|(`[^`]+`))\s*(=)(?!=)"),
            "captures": captures(&["variable.other.definition.marey", "variable.other.definition.marey", "keyword.operator.assignment.marey"]),
        },
    ] })
}

fn function(functions: &[String]) -> Value {
    let known = any(functions.iter().map(String::as_str));
    json!({
        "name": "support.function.marey",
        "match": format!(r"{WORD_START}{known}(?=\()"),
    })
}

fn keyword() -> Value {
    let reserved = parse::keywords();
    let mut patterns = Vec::new();
    let mut rest = reserved.clone();
    for (words, scope) in KEYWORDS {
        let words = words.iter().copied().filter(|word| reserved.contains(word));
        let words: Vec<&str> = words.collect();
        rest.retain(|word| !words.contains(word));
        patterns.push(json!({
            "name": scope,
            "match": format!("{WORD_START}{}{WORD_END}", any(words)),
        }));
    }
    if !rest.is_empty() {
        patterns.push(json!({
            "name": "keyword.other.marey",
            "match": format!("{WORD_START}{}{WORD_END}", any(rest)),
        }));
    }
    json!({ "patterns": patterns })
}

fn operator() -> Value {
    let rule =
        |scope: &str, pattern: &str| json!({ "name": format!("{scope}.marey"), "match": pattern });
    json!({ "patterns": [
        rule("keyword.operator.range", r"\.\."),
        rule("keyword.operator.coalesce", r"\?\?"),
        rule("keyword.operator.comparison", "==|!=|<=|>=|<|>"),
        rule("keyword.operator.assignment", "="),
        rule("keyword.operator.pipe", r"\|"),
        rule("keyword.operator.arithmetic", "[-+*/%]"),
        rule("punctuation.separator", "[,;:]"),
        rule("punctuation.accessor", r"\."),
        rule("punctuation.section.brackets", r"[\[\]]"),
        rule("punctuation.section.group", "[()]"),
        rule("punctuation.section.braces", r"[{}]"),
    ] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_word_has_a_scope() {
        let known: Vec<&str> = KEYWORDS
            .iter()
            .flat_map(|(words, _)| *words)
            .copied()
            .collect();
        let mut reserved = parse::keywords();
        assert!(reserved.len() >= 17, "{reserved:?}");
        reserved.retain(|word| !known.contains(word));
        assert!(reserved.is_empty(), "{reserved:?}");
    }

    #[test]
    fn a_longer_word_is_tried_before_the_one_it_begins_with() {
        assert_eq!(any(["s", "ms", "min", "m"]), "(?:min|ms|m|s)");
    }
}
