//! The tables of verbs and functions: every example runs and gives what the table says, everything is
//! documented, and what a verb does not take is refused.

use crate::support::{run, same, workspace};
use marey::func::Functions;
use marey::spec::{Accept, Place, Shape, VerbSpec};
use marey::verb::VERBS;
use std::collections::BTreeSet;

fn specs() -> impl Iterator<Item = &'static VerbSpec> {
    VERBS.iter().map(|verb| verb.spec())
}

#[test]
fn every_example_prints_what_its_table_says() {
    let mut wrong = Vec::new();
    for spec in specs() {
        for example in spec.examples {
            let place = workspace();
            let ran = run(example.script, place.path());
            let fits = match example.prints.strip_suffix('…') {
                Some(beginning) => ran.stdout.starts_with(beginning),
                None => ran.stdout == example.prints,
            };
            if ran.code != 0 || !fits {
                wrong.push(format!(
                    "{}: {}\n--- prints\n{}--- expected\n{}--- stderr\n{}",
                    spec.name, example.script, ran.stdout, example.prints, ran.stderr
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_that_examples_save_are_there() {
    for spec in specs() {
        for example in spec.examples {
            let place = workspace();
            run(example.script, place.path()).good();
            for (at, _) in example.script.match_indices("save \"") {
                let name: String = example.script[at + 6..]
                    .chars()
                    .take_while(|c| *c != '"')
                    .collect();
                let bytes = std::fs::read(place.path().join(&name)).expect("a saved file");
                assert!(!bytes.is_empty(), "{name}");
            }
        }
    }
}

fn is_sentence(text: &str) -> bool {
    text.chars().filter(|c| *c == ' ').count() >= 1 && !text.ends_with(' ') && !text.contains("  ")
}

#[test]
fn everything_is_documented() {
    let mut wrong = Vec::new();
    for spec in specs() {
        let name = spec.name;
        let mut want = |holds: bool, what: String| {
            if !holds {
                wrong.push(format!("{name}: {what}"));
            }
        };
        want(!spec.examples.is_empty(), "no example".to_owned());
        want(
            spec.summary.ends_with('.') && is_sentence(spec.summary),
            "the summary is no sentence".to_owned(),
        );
        want(
            spec.detail.ends_with('.') && is_sentence(spec.detail),
            "the detail is no sentence".to_owned(),
        );
        want(
            !spec.gives.is_empty(),
            "it does not say what it gives".to_owned(),
        );
        want(
            spec.heads || !spec.takes.is_empty(),
            "it can stand nowhere".to_owned(),
        );
        want(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "verbs are kebab-case".to_owned(),
        );
        for example in spec.examples {
            want(
                is_sentence(example.about),
                format!("the example says {:?}", example.about),
            );
            want(
                example.script.contains(name),
                format!("an example without the verb: {}", example.script),
            );
        }
        let mut names = BTreeSet::new();
        for param in spec.params {
            want(
                names.insert(param.name),
                format!("`{}` is there twice", param.name),
            );
            want(
                is_sentence(param.about),
                format!("`{}` says {:?}", param.name, param.about),
            );
            want(
                param
                    .name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_'),
                format!("`{}` is not snake_case", param.name),
            );
            let is_optional = matches!(param.place, Place::Option | Place::Optional | Place::Any);
            want(
                is_optional != param.default.is_empty(),
                format!("the default of `{}`", param.name),
            );
            let mut words = BTreeSet::new();
            for choice in param.shape.choices() {
                want(
                    words.insert(choice.name),
                    format!("`{}={}` is there twice", param.name, choice.name),
                );
                want(
                    !choice.about.is_empty(),
                    format!("`{}={}` says nothing", param.name, choice.name),
                );
            }
        }
        let last_positional = spec.params.iter().rposition(|p| p.place != Place::Option);
        let first_option = spec.params.iter().position(|p| p.place == Place::Option);
        if let (Some(last), Some(first)) = (last_positional, first_option) {
            want(last < first, "positionals come before options".to_owned());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_given_once() {
    let names: BTreeSet<&str> = specs().map(|spec| spec.name).collect();
    assert_eq!(names.len(), specs().count());
    let reserved = "let param def use for in if then else and or not matches by true false null";
    for word in reserved.split(' ') {
        assert!(!names.contains(word), "{word} is a word of the grammar");
    }
}

#[test]
fn signatures_name_every_parameter() {
    for spec in specs() {
        let signature = spec.signature();
        assert!(signature.starts_with(spec.name), "{signature}");
        for param in spec.params {
            let written = match param.place {
                Place::Option => format!(" {}=", param.name),
                _ => param.name.to_owned(),
            };
            assert!(signature.contains(&written), "{signature}: no {written}");
        }
        assert_eq!(signature.contains(" by "), spec.by, "{signature}");
    }
}

/// A script in which `verb` stands where it may, with its required arguments and then `rest`.
fn call(spec: &VerbSpec, rest: &str) -> String {
    let source = "load \"hand.csv\" unit=ms";
    let head = match spec.name {
        "load" | "generate" | "panel" => String::new(),
        "plot-stacked" => format!("{source} | aggregate-by-threshold 10ms | "),
        _ => format!("{source} | "),
    };
    let arguments = match spec.name {
        "load" => "\"hand.csv\"",
        "generate" => "cholesky",
        "filter" | "assert" => "depth == 0",
        "select" | "sort" | "distinct" => "value",
        "derive" => "x = depth",
        "rename" => "name = value",
        "take" => "3",
        "summarize" => "count()",
        "focus" => "states",
        "window" => "1ms..2ms",
        "bin" => "10ms",
        "save" => "\"out.csv\"",
        "join" => "(load \"hand.csv\" unit=ms) on=value",
        "union" => "(load \"hand.csv\" unit=ms)",
        "panel" => "[(load \"hand.csv\" unit=ms | plot-gantt)]",
        _ => "",
    };
    format!("{head}{} {arguments} {rest}", spec.name)
}

#[test]
fn an_option_that_does_not_exist_is_refused() {
    let place = workspace();
    for spec in specs() {
        let script = call(spec, "no_such_option=3");
        let ran = run(&script, place.path());
        if spec.has_free_names() {
            // `name = expression` makes a column there.
            continue;
        }
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["unknown_option"]),
            "{script}\n{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("help:"), "{script}\n{}", ran.stderr);
    }
}

#[test]
fn a_missing_argument_is_asked_for_by_name() {
    let place = workspace();
    for spec in specs() {
        let required: Vec<&str> = spec
            .params
            .iter()
            .filter(|p| matches!(p.place, Place::Required | Place::Many))
            .map(|p| p.name)
            .collect();
        let Some(first) = required.first() else {
            continue;
        };
        let whole = call(spec, "");
        let at = whole.rfind(&format!("{} ", spec.name)).unwrap();
        let script = format!("{}{}", &whole[..at], spec.name);
        let ran = run(&script, place.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["missing_argument"]),
            "{script}\n{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(first), "{script}\n{}", ran.stderr);
    }
}

#[test]
fn by_is_refused_where_it_means_nothing() {
    let place = workspace();
    for spec in specs().filter(|spec| !spec.by) {
        let script = call(spec, "by value");
        let ran = run(&script, place.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["extra_argument"]),
            "{script}\n{}",
            ran.stderr
        );
    }
}

#[test]
fn choices_that_do_not_exist_are_refused_with_those_that_do() {
    let place = workspace();
    for spec in specs() {
        for param in spec
            .params
            .iter()
            .filter(|param| param.place == Place::Option)
        {
            let list = param.shape.choices();
            // What is no word may be a text or a column.
            let takes_text = match param.shape {
                Shape::Scalar(accepts) => accepts.contains(&Accept::Text),
                shape => matches!(shape, Shape::Column(_)),
            };
            if list.is_empty() || takes_text {
                continue;
            }
            let script = call(spec, &format!("{}=zzz", param.name));
            let ran = run(&script, place.path());
            assert_eq!(
                (ran.code, ran.codes()),
                (2, vec!["unknown_choice"]),
                "{script}\n{}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains(list[0].name),
                "{script}\n{}",
                ran.stderr
            );
        }
    }
}

#[test]
fn every_choice_is_accepted() {
    let place = workspace();
    for spec in specs() {
        for param in spec
            .params
            .iter()
            .filter(|param| param.place == Place::Option)
        {
            for choice in param.shape.choices() {
                // A relation or a unit may not fit the file; what counts is that the word is known.
                let script = call(spec, &format!("{}={}", param.name, choice.name));
                let ran = run(&script, place.path());
                assert!(
                    !ran.codes().contains(&"unknown_choice"),
                    "{script}\n{}",
                    ran.stderr
                );
            }
        }
    }
}

#[test]
fn a_verb_refuses_what_it_does_not_take() {
    use marey::spec::Kind;
    let place = workspace();
    let flows = [
        (Kind::Table, "load \"hand.csv\" unit=ms | profile"),
        (
            Kind::Figure,
            "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms | plot-stacked",
        ),
        (Kind::Trace, "load \"hand.csv\" unit=ms"),
    ];
    for spec in specs() {
        for (kind, source) in flows {
            if spec.takes.contains(&kind) {
                continue;
            }
            let whole = call(spec, "");
            let at = whole.rfind(&format!("{} ", spec.name)).unwrap();
            let script = format!("{source} | {}", &whole[at..]);
            let ran = run(&script, place.path());
            assert_eq!(
                (ran.code, ran.codes()),
                (2, vec!["kind_mismatch"]),
                "{script}\n{}",
                ran.stderr
            );
        }
    }
}

/// The script that shows the first row of an example of a function.
fn of_function(name: &str, expression: &str) -> String {
    let run = "let run = load \"hand.csv\" unit=ms\n";
    let spec = Functions::specs()[name];
    use marey::lang::check::FunctionKind;
    match spec.kind {
        FunctionKind::OnData => format!(
            "{run}assert {expression} >= 0ms\nrun | take 1 | derive x = {expression} | select x"
        ),
        FunctionKind::Aggregate => format!("{run}run | summarize x = {expression}"),
        FunctionKind::Scalar => {
            format!("{run}run | sort start, resource | take 1 | derive x = {expression} | select x")
        }
    }
}

#[test]
fn every_example_of_a_function_gives_what_its_table_says() {
    let place = workspace();
    for (name, spec) in Functions::specs() {
        let (expression, gives) = spec.example;
        assert!(expression.contains(&format!("{name}(")), "{expression}");
        let script = of_function(name, expression);
        let found = run(&script, place.path()).good();
        same(&found, &format!("x\n{gives}\n"), &script);
        assert!(
            spec.signature.starts_with(&format!("{name}(")),
            "{}",
            spec.signature
        );
        assert!(
            spec.summary.ends_with('.') && is_sentence(spec.summary),
            "{name}"
        );
        assert!(!spec.null.is_empty(), "{name}");
    }
}

#[test]
fn functions_do_with_null_what_their_table_says() {
    let place = workspace();
    let first = "load \"hand.csv\" unit=ms | take 1";
    for (call, gives) in [
        // A row of one null prints as an empty line.
        ("under(null, \"a\")", "\n"),
        ("parent(null)", "\n"),
        ("level(null, 1)", "\n"),
        ("parent(\"a\")", "\n"),
        ("level(\"a/b\", 5)", "a/b\n"),
        ("under(\"ab\", \"a\")", "false\n"),
        ("under(\"a\", \"a\")", "true\n"),
        ("level(\"a/b/c\", 0)", "\n"),
        ("parent(\"a/b\")", "a\n"),
    ] {
        let script = format!("{first} | derive x = {call} | select x");
        let expected = format!("x\n{gives}");
        // A CSV row of one empty cell is an empty line or a pair of quotes.
        let found = run(&script, place.path()).good().replace("\"\"", "");
        assert_eq!(found, expected, "{script}");
    }
    for (aggregate, gives) in [
        ("sum", "10"),
        ("avg", "5"),
        ("median", "5"),
        ("count", "2"),
        ("min", "3"),
        ("max", "7"),
    ] {
        let nulls = "derive x = if value == \"A\" then null else if value == \"P\" then 3 else 7";
        let script = format!(
            "load \"hand.csv\" unit=ms | filter value == \"A\" or value == \"P\" or value == \"Q\" | {nulls} | summarize y = {aggregate}(x)"
        );
        assert_eq!(
            run(&script, place.path()).good(),
            format!("y\n{gives}\n"),
            "{script}"
        );
        let none = format!(
            "load \"hand.csv\" unit=ms | filter value == \"A\" | {nulls} | summarize y = {aggregate}(x)"
        );
        let expected = if aggregate == "count" {
            "y\n0\n"
        } else {
            "y\n\n"
        };
        assert_eq!(
            run(&none, place.path()).good().replace("\"\"", ""),
            expected,
            "{none}"
        );
    }
}

#[test]
fn functions_refuse_the_wrong_number_and_type_of_arguments() {
    let place = workspace();
    for call in [
        "under(resource)",
        "parent(1)",
        "level(resource, \"a\")",
        "level(resource)",
        "sqrt(start)",
        "under(resource, \"a\", \"b\")",
    ] {
        let script = format!("load \"hand.csv\" unit=ms | derive x = {call}");
        let ran = run(&script, place.path());
        assert_eq!(ran.code, 2, "{script}\n{}", ran.stderr);
        assert_eq!(ran.codes().len(), 1, "{script}\n{}", ran.stderr);
    }
}
