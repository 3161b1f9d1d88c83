//! The reference pages, made from the tables: `grammar/verbs.md`, `functions.md` and `errors.md`. Nothing on
//! them is written twice, so they cannot drift; a test compares them with the files.

mod text_mate;

pub use text_mate::text_mate;

use crate::diag::{Class, code};
use crate::func::Functions;
use crate::lang::check::FunctionKind;
use crate::spec::{Choice, Example, ParamSpec, Place, Section, VerbSpec};
use crate::verb::VERBS;

/// Said on top of each page.
const MADE: &str =
    "<!-- Made from the tables in src; `MAREY_BLESS=1 cargo test pages` writes it anew. -->\n";

/// The reference of the verbs.
pub fn verbs() -> String {
    let mut out = format!(
        "# Verbs\n\n{MADE}\n\
         A stage is `verb positional, positional name=value by a, b`. Square brackets in a signature mean that an \
         argument may be left out, `…` that more may follow. Every example runs in `tests/data`.\n"
    );
    for section in Section::ALL {
        let specs = VERBS.iter().map(|verb| verb.spec());
        let specs: Vec<&VerbSpec> = specs.filter(|spec| spec.section == section).collect();
        if specs.is_empty() {
            continue;
        }
        let links: Vec<String> = specs
            .iter()
            .map(|spec| format!("[`{0}`](#{0})", spec.name))
            .collect();
        out.push_str(&format!(
            "\n## {}\n\n{}\n",
            section.title(),
            links.join(" · ")
        ));
        for spec in specs {
            verb(spec, &mut out);
        }
    }
    out
}

fn verb(spec: &VerbSpec, out: &mut String) {
    let takes = match spec.takes {
        [] => "nothing; it starts a pipeline".to_owned(),
        kinds => {
            let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
            format!("a {}", words.join(", a "))
        }
    };
    out.push_str(&format!(
        "\n### {}\n\n```\n{}\n```\n\n{}\n\n- takes: {takes}\n- gives: {}\n",
        spec.name,
        spec.signature(),
        spec.summary,
        spec.gives
    ));
    if !spec.params.is_empty() {
        out.push_str("\n| argument | what it is | default | about |\n|---|---|---|---|\n");
        for param in spec.params {
            out.push_str(&row(param));
        }
    }
    for param in spec.params {
        for choice in param.shape.choices() {
            out.push_str(&format!(
                "{}- `{}={}`: {}\n",
                if choice_is_first(param, choice) {
                    "\n"
                } else {
                    ""
                },
                param.name,
                choice.name,
                choice.about
            ));
        }
    }
    out.push_str(&format!("\n{}\n", spec.detail));
    for example in spec.examples {
        show(example, out);
    }
}

fn choice_is_first(param: &ParamSpec, choice: &Choice) -> bool {
    param
        .shape
        .choices()
        .first()
        .is_some_and(|first| first.name == choice.name)
}

fn row(param: &ParamSpec) -> String {
    let name = match param.place {
        Place::Option => format!("`{}=`", param.name),
        Place::Required => format!("`{}`", param.name),
        Place::Optional => format!("`[{}]`", param.name),
        Place::Many => format!("`{}, …`", param.name),
        Place::Any => format!("`[{}, …]`", param.name),
    };
    let default = match (param.default, param.place) {
        ("", Place::Required | Place::Many) => "required",
        (default, _) => default,
    };
    format!(
        "| {name} | {} | {} | {} |\n",
        cell(&param.shape.describe(true)),
        cell(default),
        cell(param.about)
    )
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn show(example: &Example, out: &mut String) {
    out.push_str(&format!(
        "\nExample: {}.\n\n```marey\n{}\n```\n",
        example.about, example.script
    ));
    if !example.prints.is_empty() {
        let language = if example.prints.ends_with('…') {
            "text"
        } else {
            "csv"
        };
        out.push_str(&format!(
            "```{language}\n{}\n```\n",
            example.prints.trim_end()
        ));
    }
}

/// The reference of the functions: our own, then those of the engine.
pub fn functions(functions: &Functions) -> String {
    let mut out = format!(
        "# Functions\n\n{MADE}\n\
         Our own come first; below them the functions of the engine, under their own names. The examples are \
         over the states of `tests/data/hand.csv` in milliseconds.\n\n\
         | call | kind | what it gives | of null | example | gives |\n|---|---|---|---|---|---|\n"
    );
    for function in Functions::specs().values() {
        let (example, gives) = function.example;
        out.push_str(&format!(
            "| `{}` | {} | {} | {} | `{}` | `{}` |\n",
            cell(function.signature),
            kind(function.kind),
            cell(function.summary),
            cell(function.null),
            cell(example),
            cell(gives)
        ));
    }
    out.push_str(
        "\n## Functions of the engine\n\n\
         The sentences are the engine's own. A function that would treat times as plain numbers refuses them; `count`, \
         `min`, `max`, `first_value`, `last_value`, `any_value`, `abs`, `greatest`, `least`, `coalesce` and `nullif` take \
         them. `first_value`, `last_value`, `any_value`, `array_agg` and `string_agg` take rows as they come, whatever \
         `sort` stands before. \"Of null\" is what a function of a row gives where its first argument is null, found by calling it.\n\n\
         | call | kind | what it gives | of null |\n|---|---|---|---|\n",
    );
    for function in functions.engine_functions() {
        let others = function.others.iter().map(|name| format!("`{name}`"));
        let others: Vec<String> = others.collect();
        let also = match others.as_slice() {
            [] => String::new(),
            names => format!(" Also {}.", names.join(", ")),
        };
        out.push_str(&format!(
            "| `{}` | {} | {}{also} | {} |\n",
            cell(&function.call),
            kind(function.kind),
            cell(&function.about),
            cell(&function.null)
        ));
    }
    out
}

fn kind(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Scalar => "of a row",
        FunctionKind::Aggregate => "aggregate",
        FunctionKind::OnData => "of a trace or table",
    }
}

/// The reference of the diagnostics.
pub fn errors() -> String {
    let mut out = format!(
        "# Diagnostics\n\n{MADE}\n\
         Every message carries a stable code, `marey::unknown_column`. All mistakes of a script are shown at once, \
         before anything runs. The exit code goes by the first error; warnings never change it.\n"
    );
    let classes = [
        (Class::Script, "The script or the command line is wrong"),
        (Class::Input, "An input could not be read"),
        (Class::Assertion, "An assertion failed"),
        (Class::Run, "It failed while running"),
        (Class::Interrupt, "It was interrupted"),
    ];
    for (class, title) in classes {
        out.push_str(&format!("\n## {title} (exit code {})\n", class.exit_code()));
        for code in code::ALL.iter().filter(|code| code.class == class) {
            out.push_str(&format!("\n**`{}`** {}\n", code.name, code.about));
        }
    }
    out
}
