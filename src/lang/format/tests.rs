//! The layout on texts written out by hand, and its laws on random scripts and on the scripts of the repository.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod script;

use super::{format, format_with};
use crate::lang::parse::parse;
use proptest::prelude::*;
use std::path::Path;

/// The tree without its spans, as text.
fn tree(text: &str) -> String {
    let parsed = parse(text, 0);
    assert_eq!(parsed.diags, [], "{text}");
    let tree = format!("{:?}", parsed.script);
    let mut pieces = tree.split("Span { ");
    let mut out = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (numbers, rest) = piece.split_once('}').unwrap();
        assert!(numbers.starts_with("source: "), "{numbers}");
        out += rest;
    }
    out
}

/// The comments of a text, sorted; knows strings, but no f-string with a `#` outside of its text.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.split(['\n', '\r']) {
        let mut quote = None;
        let mut raw = false;
        let mut before = ' ';
        let mut escaped = false;
        for (at, c) in line.char_indices() {
            match (quote, c) {
                (Some(_), _) if escaped => escaped = false,
                (Some('"'), '\\') if !raw => escaped = true,
                (Some(open), c) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '`') => {
                    quote = Some(c);
                    raw = before == 'r';
                }
                (None, '#') => {
                    found.push(line[at..].trim_end().to_owned());
                    break;
                }
                _ => {}
            }
            before = c;
        }
    }
    found.sort();
    found
}

/// The laws: the same tree, the same comments, and nothing left to change. Gives the text.
#[track_caller]
fn lawful(text: &str) -> String {
    let once = format(text).unwrap_or_else(|diags| panic!("{text}\n{diags:?}"));
    let again = format(&once).unwrap_or_else(|diags| panic!("{text}\n→\n{once}\n{diags:?}"));
    assert_eq!(once, again, "not settled: {text:?}");
    assert_eq!(tree(text), tree(&once), "another tree:\n{text}\n→\n{once}");
    assert_eq!(comments(text), comments(&once), "{text}\n→\n{once}");
    for line in once.lines() {
        assert_eq!(line, line.trim_end_matches([' ', '\t']), "{once}");
    }
    once
}

#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(lawful(text), expected, "{text}");
    assert_eq!(format(expected).as_deref(), Ok(expected));
}

#[track_caller]
fn stays(text: &str) {
    becomes(text, text);
}

#[test]
fn one_statement_a_line() {
    becomes("", "");
    becomes("\n\n \n", "");
    becomes("a;b ; ;c", "a\nb\nc\n");
    becomes("a\n\n\n\nb\nc\r\n\r\nd", "a\n\nb\nc\n\nd\n");
    becomes("\u{feff}a", "a\n");
    becomes("let  x=5", "let x = 5\n");
    becomes("let x =\n\n  load \"a.csv\"", "let x = load \"a.csv\"\n");
    becomes("param  t=100ms#  help ", "param t = 100ms  #  help\n");
    becomes(
        "use   \"lib.marey\"; use\tstd.gantt",
        "use \"lib.marey\"\nuse std.gantt\n",
    );
    becomes(
        "for x in [1,2]{load \"a\"|print;y}",
        "for x in [1, 2] {\n    load \"a\" | print\n    y\n}\n",
    );
    becomes("for x in a\n{\n\n}", "for x in a {}\n");
    becomes(
        "for x in a { for y in b { c\n\n\nd } }",
        "for x in a {\n    for y in b {\n        c\n\n        d\n    }\n}\n",
    );
}

#[test]
fn pipelines() {
    becomes("a|b|c", "a | b | c\n");
    becomes("a |\nb|c", "a\n    | b\n    | c\n");
    becomes("let x = a\n\n| b", "let x = a\n    | b\n");
    becomes(
        "for x in a { b\n| c }",
        "for x in a {\n    b\n        | c\n}\n",
    );
    let (sixty, forty) = ("a".repeat(60), "b".repeat(37));
    stays(&format!("{sixty} | {forty}\n"));
    becomes(
        &format!("{sixty} | {forty}b"),
        &format!("{sixty}\n    | {forty}b\n"),
    );
    becomes(
        "compare (b|shift)by value\ncompare (\nb\n|shift) by value",
        "compare (b | shift) by value\ncompare (\n    b\n    | shift\n) by value\n",
    );
}

#[test]
fn arguments() {
    becomes(
        "save \"a.csv\",unit=us  format = csv",
        "save \"a.csv\" unit=us, format = csv\n",
    );
    becomes("a unit=us , b,c", "a unit=us, b, c\n");
    becomes(
        "profile by a,b top=3 rest=no",
        "profile top=3 rest=no by a, b\n",
    );
    becomes("profile x by a b=1", "profile x b=1 by a\n");
    becomes("a | b by k=floor(x)", "a | b by k = floor(x)\n");
    becomes("sort -busy,name", "sort -busy, name\n");
    becomes("run.links|a", "run.links | a\n");
    // Eleven columns stand before the options, each takes twelve, a blank stands between: the seventh ends in
    // column 101.
    let option = "option=100ms";
    let (six, three) = ([option; 6].join(" "), [option; 3].join(" "));
    becomes(
        &format!("a | verb {six} {three}"),
        &format!("a\n    | verb {six},\n        {three}\n"),
    );
}

#[test]
fn the_table_of_verbs_says_what_a_name_is() {
    let defines = |verb: &str, name: &str| verb == "derive" && name != "option";
    let with = |text: &str| format_with(text, &defines).unwrap();
    assert_eq!(
        with("a | derive x=b+1 y=c"),
        "a | derive x = b + 1, y = c\n"
    );
    assert_eq!(
        with("a | save \"x\", unit = ms"),
        "a | save \"x\" unit=ms\n"
    );
    assert_eq!(
        with("a | derive `option` = 1, `x y`=2"),
        "a | derive `option`=1, `x y` = 2\n"
    );
    assert_eq!(
        format("derive x=1, y = 2").as_deref(),
        Ok("derive x=1, y = 2\n")
    );
}

#[test]
fn definitions() {
    becomes(
        "def top(key=value,n) = sort -$n|take $n",
        "def top(key=value, n) = sort -$n | take $n\n",
    );
    becomes(
        "# help\ndef top( ) =\nsort",
        "# help\ndef top() =\n    sort\n",
    );
    becomes("def top(a) = b\n| c", "def top(a) =\n    b\n    | c\n");
    // The comment above is the help text only where it touches.
    becomes("# no help\n\ndef a() = b", "# no help\n\ndef a() = b\n");
    becomes("# no help\n;def a() = b", "# no help\n\ndef a() = b\n");
    becomes("# no help\nx; def a() = b", "# no help\nx\ndef a() = b\n");
    becomes(
        "# no\n; # nor this\n# help\ndef a() = b",
        "# no\n# nor this\n\n# help\ndef a() = b\n",
    );
    becomes("param x = 1 ; # no help", "# no help\nparam x = 1\n");
    becomes(
        "for x in y { # no help\n def a() = b }",
        "for x in y {  # no help\n    def a() = b\n}\n",
    );
    becomes(
        "for x in y\n# no help\n{ def a() = b }",
        "for x in y {\n    # no help\n\n    def a() = b\n}\n",
    );
    assert_eq!(tree("# c\rdef a() = b"), tree("# c\ndef a() = b"));
}

#[test]
fn expressions() {
    becomes("a+b*-c", "a + b * -c\n");
    becomes("end-start", "end - start\n");
    becomes(
        "a==b and not  c or x not   in[1,2,]",
        "a == b and not c or x not in [1, 2]\n",
    );
    becomes("window a+1..b", "window a + 1..b\n");
    becomes("window 10ms..", "window 10ms..\n");
    becomes("window 10ms.., x=1", "window 10ms.. x=1\n");
    becomes("window ..80ms", "window ..80ms\n");
    becomes("if a then b  else\nc", "if a then b else c\n");
    becomes("f( a,n=1 , )", "f(a, n=1)\n");
    becomes(
        "let m={\"gemm\":1,cpu :8}",
        "let m = {\"gemm\": 1, cpu: 8}\n",
    );
    becomes(
        "let m = [ ]; let n={ };f( )",
        "let m = []\nlet n = {}\nf()\n",
    );
    becomes("( ( a ) )", "((a))\n");
    stays(
        "let x = [1_000, 0.50, 1E-3, 10ms, 5%, 3µs, \"\\u{41}\\n # no\", r\"\\d\", f\"{{a}} {$x+1} #\"]\n",
    );
    stays("select `Submit Order`.`a # b`, c.d\n");
}

#[test]
fn what_is_too_long_is_broken_in_brackets_and_after_and() {
    let word = "\"twenty characters\"";
    let (four, five) = ([word; 4].join(", "), [word; 5].join(", "));
    becomes(
        &format!("run | filter value in [{five}]"),
        &format!("run\n    | filter value in [\n        {four},\n        {word},\n    ]\n"),
    );
    becomes(
        &format!("panel [{five}, (a|b)]"),
        &format!(
            "panel [\n    {},\n    (a | b),\n]\n",
            [word; 5].join(",\n    ")
        ),
    );
    let test = "value == \"twenty characters\"";
    becomes(
        &format!("run | filter {test} or {test} or {test} or {test}"),
        &format!("run\n    | filter {test} or {test} or\n        {test} or {test}\n"),
    );
}

#[test]
fn comments_stay_between_their_tokens() {
    stays("#!/usr/bin/env marey\n# first\n\na  # behind\n# last\n");
    // Comments of adjacent lines stand below each other, if that is not too far.
    becomes(
        "param a = 1 # one\nparam longer = 2 # two\n\nb # three\n",
        "param a = 1       # one\nparam longer = 2  # two\n\nb  # three\n",
    );
    stays(&format!("a  # near\n{}  # far\n", "b".repeat(60)));
    becomes("a#x \n\n\n# y\n\n", "a  #x\n\n# y\n");
    becomes(
        "run\n    | a  # one\n    # | b\n\n    | c",
        "run\n    | a  # one\n    # | b\n    | c\n",
    );
    becomes("run | # one\n b", "run  # one\n    | b\n");
    becomes(
        "run # one\n # two\n | # three\n b",
        "run  # one\n    # two\n    # three\n    | b\n",
    );
    becomes(
        "let x = [ # open\n 1 # one\n , # two\n 2\n # end\n]",
        "let x = [  # open\n    1,     # one\n    # two\n    2,\n    # end\n]\n",
    );
    becomes("let x = [ # none\n]", "let x = [  # none\n]\n");
    becomes("let x = # why\n 5", "let x =  # why\n    5\n");
    becomes("a + # why\n b", "a +  # why\n    b\n");
    becomes("f(x = # why\n 1)", "f(\n    x=  # why\n        1,\n)\n");
    becomes("a b, # why\n c=1", "a b,  # why\n    c=1\n");
    becomes("a by k, # why\n l x=1", "a x=1 by k,  # why\n    l\n");
    becomes("a x= # why\n 1", "a x=  # why\n    1\n");
    becomes("a x = # why\n 1", "a x =  # why\n    1\n");
    becomes(
        "if # a\n b # c\n then d # e\n else # f\n g",
        "if          # a\n    b       # c\n    then d  # e\n    else    # f\n    g\n",
    );
    becomes(
        "def a( # open\n b # one\n ) = # body\n c",
        "def a(  # open\n    b,  # one\n) =     # body\n    c\n",
    );
    becomes(
        "for x in y { # open\n\n a # b\n\n # c\n } # end",
        "for x in y {  # open\n    a         # b\n\n    # c\n}  # end\n",
    );
    becomes("for x in y { # open\n }", "for x in y {  # open\n}\n");
    becomes("( # open\n a | b )", "(  # open\n    a\n    | b\n)\n");
}

#[test]
fn an_f_string_over_lines_stays_as_it_is() {
    stays("let x = f\"{[1,\n  2]}\"\n");
}

#[test]
fn mistakes_are_given_back() {
    let text = "let x 5\na |";
    assert_eq!(format(text), Err(parse(text, 0).diags));
    assert_eq!(format(text).unwrap_err().len(), 2);
}

/// The scripts below a folder of the repository, and those in its pages.
fn scripts(folder: &Path, out: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                scripts(&path, out);
            }
            continue;
        }
        let is_page = name.ends_with(".md") || name.ends_with(".rs");
        if !is_page && !name.ends_with(".marey") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if !is_page {
            out.push(text);
            continue;
        }
        for block in text.split("```marey").skip(1) {
            let block = block.split_once('\n').map_or("", |(_, block)| block);
            out.push(block.split("```").next().unwrap_or_default().to_owned());
        }
    }
}

#[test]
fn the_scripts_of_the_repository() {
    let mut found = Vec::new();
    scripts(Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
    let mut formatted = 0;
    for text in &found {
        if parse(text, 0).diags.is_empty() {
            lawful(text);
            formatted += 1;
        } else {
            assert!(format(text).is_err());
        }
    }
    assert!(formatted > 50, "{formatted} of {}", found.len());
}

#[test]
fn most_random_scripts_are_scripts() {
    let mut state = 1_u64;
    let mut whole = 0;
    for _ in 0..200 {
        let choices: Vec<u8> = (0..300)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let text = script::write(&choices);
        let diags = parse(&text, 0).diags;
        whole += usize::from(diags.is_empty());
        if !diags.is_empty() && std::env::var_os("SHOW").is_some() {
            eprintln!("{text}\n{diags:?}\n-----");
        }
    }
    assert!(whole > 180, "{whole} of 200");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn laws(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = script::write(&choices);
        prop_assume!(parse(&text, 0).diags.is_empty());
        lawful(&text);
        // With a table of verbs the same holds.
        let defines = |verb: &str, name: &str| verb.len().is_multiple_of(2) && name != "a";
        let once = format_with(&text, &defines).unwrap();
        prop_assert_eq!(&once, &format_with(&once, &defines).unwrap());
        prop_assert_eq!(tree(&text), tree(&once));
        prop_assert_eq!(comments(&text), comments(&once));
    }

    #[test]
    fn any_text_is_formatted_or_refused(text in "[a-c0-9 .,|=()\\[\\]{}\"#`$;\\n\\r\\t+*-]{0,40}") {
        if let Ok(once) = format(&text) {
            prop_assert_eq!(tree(&text), tree(&once));
            prop_assert_eq!(&once, &format(&once).unwrap());
        }
    }
}
