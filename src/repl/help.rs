//! Help pages, made from the entries of the registries: nothing is written here twice.

use super::meta::COMMANDS;
use crate::diag::{Sources, code};
use crate::func::{FUNCTIONS, FunctionSpec};
use crate::lang::check::{Binding, Definition, Scope};
use crate::spec::{Kind, ParamSpec, Place, Section, VerbSpec};
use crate::verb::{self, VERBS};
use std::fmt::Write;

/// Everything there is, a line each.
pub(super) fn overview(scope: &Scope, width: usize) -> String {
    let mut out = String::new();
    let longest = VERBS
        .iter()
        .map(|verb| verb.spec().name.len())
        .max()
        .unwrap_or(0);
    for section in Section::ALL {
        let verbs: Vec<&VerbSpec> = VERBS
            .iter()
            .map(|verb| verb.spec())
            .filter(|spec| spec.section == section)
            .collect();
        if verbs.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}", section.title());
        for spec in verbs {
            out.push_str(&entry(spec.name, longest, spec.summary, width));
        }
    }
    let names = FUNCTIONS.iter().flat_map(|family| family.iter());
    let names: Vec<&str> = names.map(|function| function.name).collect();
    out.push_str("Functions\n");
    out.push_str(&wrapped(&names.join(" "), 2, width));
    let mut heading = "Verbs of this session\n";
    for (name, binding) in scope.sorted() {
        if let Binding::Verb(definition) = binding {
            out.push_str(std::mem::take(&mut heading));
            let about = definition.help.as_deref().unwrap_or_default();
            out.push_str(&entry(name, longest, about, width));
        }
    }
    out.push_str("Commands\n");
    let usage = |command: &super::meta::Command| {
        format!(":{} {}", command.name, command.argument)
            .trim()
            .to_owned()
    };
    let longest = COMMANDS
        .iter()
        .map(|command| usage(command).len())
        .max()
        .unwrap_or(0);
    for command in COMMANDS {
        out.push_str(&entry(&usage(command), longest, command.about, width));
    }
    out.push_str(&wrapped(
        "A line that begins with | goes on from the last result, which is `it`. Tab completes, Ctrl-C stops \
         what runs, Ctrl-D leaves. `:help load` is the page of a verb; a function, a command and the code of a message have one too.",
        0,
        width,
    ));
    out
}

/// The page of a verb that the user defined: how it is called, what for, and its stages as they were written.
pub(super) fn definition(definition: &Definition, texts: &Sources, width: usize) -> String {
    let mut out = format!("{}\n", definition.signature());
    if let Some(help) = &definition.help {
        let _ = write!(out, "\n{}", wrapped(help, 2, width));
    }
    let span = definition.body.span;
    if let Some((name, text)) = texts.get(span.source) {
        let line = 1 + text
            .get(..span.start)
            .unwrap_or_default()
            .matches('\n')
            .count();
        let body = text.get(span.start..span.end).unwrap_or_default();
        let _ = writeln!(out, "\nDefined in {name}, line {line}\n  {body}");
    }
    out
}

/// The paragraph of a diagnostic code, with or without `marey::`.
fn code_page(name: &str, width: usize) -> Option<String> {
    let name = name.trim_start_matches("marey::");
    let code = code::ALL.iter().find(|code| code.name == name)?;
    let exit = code.class.exit_code();
    let about = wrapped(code.about, 2, width);
    Some(format!(
        "marey::{name}\n\n{about}\n  as an error it ends a script with exit code {exit}\n"
    ))
}

/// The page of a verb, function or diagnostic code.
pub(super) fn page(name: &str, width: usize) -> Option<String> {
    if let Some(verb) = verb::find(name) {
        return Some(verb_page(verb.spec(), width));
    }
    FUNCTIONS
        .iter()
        .flat_map(|family| family.iter())
        .find(|function| function.name == name)
        .map(|function| function_page(function, width))
        .or_else(|| code_page(name, width))
}

fn function_page(function: &FunctionSpec, width: usize) -> String {
    let mut out = format!("{}\n\n", function.signature);
    out.push_str(&wrapped(function.summary, 2, width));
    let (script, gives) = function.example;
    let _ = write!(
        out,
        "\n  null gives {}\n\nExample\n  {script}   gives {gives}\n",
        function.null
    );
    out
}

fn verb_page(spec: &VerbSpec, width: usize) -> String {
    let mut out = format!("{}\n\n", spec.signature());
    out.push_str(&wrapped(spec.summary, 2, width));
    if !spec.detail.is_empty() {
        out.push('\n');
        out.push_str(&wrapped(spec.detail, 2, width));
    }
    out.push('\n');
    let takes: Vec<&str> = spec.takes.iter().map(|kind: &Kind| kind.word()).collect();
    if !takes.is_empty() {
        let _ = writeln!(out, "  takes  {}", takes.join(" or "));
    }
    out.push_str(&entry("gives", 5, spec.gives, width));
    let mut heading = "\nArguments\n";
    for param in spec.positionals() {
        out.push_str(std::mem::take(&mut heading));
        parameter(&mut out, param, width);
    }
    let mut heading = "\nOptions\n";
    for param in spec.options() {
        out.push_str(std::mem::take(&mut heading));
        parameter(&mut out, param, width);
    }
    if spec.by {
        out.push_str("\n  by key, …  groups by these\n");
    }
    let mut heading = "\nExamples\n";
    for example in spec.examples {
        out.push_str(std::mem::take(&mut heading));
        let _ = writeln!(out, "  # {}", example.about);
        for line in example.script.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

fn parameter(out: &mut String, param: &ParamSpec, width: usize) {
    let name = match param.place {
        Place::Option => format!("{}=", param.name),
        Place::Optional => format!("[{}]", param.name),
        Place::Many => format!("{}, …", param.name),
        Place::Any => format!("[{}, …]", param.name),
        Place::Required => param.name.to_owned(),
    };
    let mut text = param.about.to_owned();
    let forms = param.shape.describe(false);
    if !forms.is_empty() {
        let _ = write!(text, "; {forms}");
    }
    if !param.default.is_empty() {
        let _ = write!(text, "; default: {}", param.default);
    }
    out.push_str(&entry(&name, 12, &text, width));
    for choice in param.shape.choices() {
        let _ = write!(
            out,
            "{}",
            entry(&format!("  {}", choice.name), 14, choice.about, width)
        );
    }
}

/// A name and what it is, the text in a column of its own; under the name where there is no room.
fn entry(name: &str, longest: usize, about: &str, width: usize) -> String {
    let indent = longest + 4;
    if width < indent + 20 {
        return format!("  {name}\n{}", wrapped(about, 6, width));
    }
    let text = wrapped(about, indent, width);
    if name.chars().count() > longest {
        return format!("  {name}\n{text}");
    }
    let head = format!("  {name:longest$}  ");
    format!("{head}{}", text.trim_start())
}

/// Lines no wider than the terminal, indented.
pub(super) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let limit = width.max(indent + 10);
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        let mut line = " ".repeat(indent);
        let mut used = indent;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if used > indent && used + 1 + length > limit {
                out.push_str(&line);
                out.push('\n');
                line = " ".repeat(indent);
                used = indent;
            }
            if used > indent {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += length;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_that_fits() {
        for verb in VERBS {
            let spec = verb.spec();
            let page = page(spec.name, 80).expect("a page");
            for param in spec.params {
                assert!(page.contains(param.name), "{}: {page}", param.name);
            }
            assert!(page.contains("Examples"), "{page}");
        }
    }

    #[test]
    fn a_code_has_a_page_under_both_names() {
        let page = page("marey::unit_mismatch", 60).expect("a page");
        assert_eq!(super::page("unit_mismatch", 60), Some(page.clone()));
        assert!(page.contains("exit code 2"), "{page}");
    }

    #[test]
    fn lines_are_as_wide_as_the_terminal() {
        for line in wrapped("some words that do not fit into twenty columns", 2, 20).lines() {
            assert!(line.len() <= 20, "{line:?}");
        }
    }
}
