//! The pages: those made from the tables are up to date, and every block of marey on any page does what the
//! page says.
//!
//! A block is fenced as `marey` and runs in a copy of `tests/data`; `marey no-run` is checked only; `marey
//! fails unit_mismatch` must end in that diagnostic. A `csv` block right behind one is what it prints, and so is a
//! `text` block, which may end in `…` where more follows.
//! `MAREY_BLESS=1 cargo test pages` writes the made pages anew.

use crate::support::{root, run_with, same, workspace};
use marey::page;
use marey::session::{Session, SessionConfig};
use std::path::PathBuf;

fn generated(name: &str, text: &str) {
    let path = root().join("grammar").join(name);
    if std::env::var_os("MAREY_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    same(
        &found,
        text,
        &format!("grammar/{name} is stale: MAREY_BLESS=1 cargo test pages"),
    );
}

#[test]
fn the_page_of_verbs_is_up_to_date() {
    generated("verbs.md", &page::verbs());
}

#[test]
fn the_page_of_functions_is_up_to_date() {
    let session = Session::new(SessionConfig::default()).unwrap();
    generated("functions.md", &page::functions(session.functions()));
}

#[test]
fn every_function_that_can_be_called_is_told_and_can_be_called() {
    let session = Session::new(SessionConfig::default()).unwrap();
    let functions = session.functions();
    let text = page::functions(functions);
    for name in functions.names() {
        let told = [format!("`{name}("), format!("`{name}`")];
        assert!(told.iter().any(|told| text.contains(told)), "{name}");
    }
    for function in functions.engine_functions() {
        let name = &function.name;
        assert!(functions.is_callable(name), "{name}");
        assert!(function.about.len() > 10, "{name}: {}", function.about);
        assert!(!function.null.is_empty(), "{name}");
        // Nothing that only SQL can write.
        for word in ["ORDER BY", "WITHIN", "DISTINCT", "PLACING"] {
            assert!(!function.call.contains(word), "{}", function.call);
        }
    }
    for name in [
        "make_array",
        "arrow_field",
        "with_metadata",
        "named_struct",
        "to_timestamp",
        "nth_value",
    ] {
        assert!(functions.find(name).is_none(), "{name}");
    }
}

#[test]
fn the_grammar_for_editors_is_up_to_date() {
    let session = Session::new(SessionConfig::default()).unwrap();
    let text = page::text_mate(&session.function_names());
    generated("marey.tmLanguage.json", &text);
    // What it knows, it has from the tables.
    let told = |word: &str| assert!(text.contains(word), "{word}");
    for verb in marey::verb::VERBS {
        told(verb.spec().name);
        verb.spec().options().for_each(|option| told(option.name));
    }
    marey::lang::parse::keywords().into_iter().for_each(told);
    let rules: serde_json::Value = serde_json::from_str(&text).unwrap();
    let listed = rules["patterns"].as_array().unwrap().len();
    assert_eq!(listed, rules["repository"].as_object().unwrap().len());
}

#[test]
fn the_page_of_diagnostics_is_up_to_date() {
    generated("errors.md", &page::errors());
}

#[test]
fn the_page_of_verbs_tells_everything() {
    let text = page::verbs();
    for verb in marey::verb::VERBS {
        let spec = verb.spec();
        assert!(
            text.contains(&format!("\n### {}\n", spec.name)),
            "{}",
            spec.name
        );
        assert!(
            text.contains(spec.summary) && text.contains(spec.detail),
            "{}",
            spec.name
        );
        for param in spec.params {
            let about = param.about.replace('|', "\\|");
            assert!(text.contains(&about), "{}: {}", spec.name, param.name);
        }
    }
    for code in marey::diag::code::ALL {
        assert!(
            page::errors().contains(&format!("**`{}`** {}", code.name, code.about)),
            "{}",
            code.name
        );
    }
}

/// A fenced block: where it begins, the words behind the fence, the text, and the next block where that
/// follows at once.
struct Block {
    place: String,
    words: Vec<String>,
    text: String,
    prints: Option<String>,
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["grammar", "docs"] {
        let Ok(entries) = std::fs::read_dir(root().join(folder)) else {
            continue;
        };
        pages.extend(
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    pages.sort();
    pages
}

fn blocks(path: &PathBuf) -> Vec<Block> {
    let text = std::fs::read_to_string(path).unwrap();
    let shown = path.strip_prefix(root()).unwrap().display().to_string();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut blank = 0;
    for (at, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(block), Some(_)) => {
                let block_words = block.words.clone();
                let done = open.take().unwrap();
                let follows = blocks
                    .last()
                    .is_some_and(|last| last.words.first().is_some_and(|w| w == "marey"));
                if (block_words == ["csv"] || block_words == ["text"]) && blank <= 1 && follows {
                    blocks.last_mut().unwrap().prints = Some(done.text);
                } else {
                    blocks.push(done);
                }
                blank = 0;
            }
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(words)) => {
                open = Some(Block {
                    place: format!("{shown}:{}", at + 1),
                    words: words.split_whitespace().map(str::to_owned).collect(),
                    text: String::new(),
                    prints: None,
                });
            }
            (None, None) if line.trim().is_empty() => blank += 1,
            (None, None) => blank = 2,
        }
    }
    assert!(open.is_none(), "{shown}: a block is never closed");
    blocks.retain(|block| block.words.first().is_some_and(|word| word == "marey"));
    blocks
}

#[test]
fn every_block_of_a_page_does_what_the_page_says() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for page in pages() {
        for block in blocks(&page) {
            let place = workspace();
            std::fs::write(place.path().join("block.marey"), &block.text).unwrap();
            let words: Vec<&str> = block.words.iter().skip(1).map(String::as_str).collect();
            let (command, fails) = match words.as_slice() {
                [] => ("run", None),
                ["no-run"] => ("check", None),
                ["fails", code] => ("run", Some(*code)),
                other => panic!("{}: what is a block of `{other:?}`?", block.place),
            };
            let result = run_with([command, "block.marey"], place.path());
            ran += 1;
            let good = match fails {
                None => result.code == 0,
                Some(code) => result.codes() == [code],
            };
            if !good {
                wrong.push(format!(
                    "{}: exit code {}\n{}",
                    block.place, result.code, result.stderr
                ));
            } else if let Some(prints) = &block.prints
                && !match prints.trim_end().strip_suffix('…') {
                    Some(beginning) => result.stdout.starts_with(beginning),
                    None => *prints == result.stdout,
                }
            {
                wrong.push(format!(
                    "{} prints\n{}instead of\n{prints}",
                    block.place, result.stdout
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 30, "{ran} blocks are too few: are the fences read?");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (at, _) in text.match_indices("](") {
            let target: String = text[at + 2..].chars().take_while(|c| *c != ')').collect();
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            if target.contains("://") {
                continue;
            }
            let path = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            if !path.exists() {
                wrong.push(format!("{}: {target}", page.display()));
            } else if !anchor.is_empty() {
                let known = std::fs::read_to_string(&path).unwrap();
                let found = known
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| {
                        let title = line.trim_start_matches('#').trim().to_lowercase();
                        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
                        title
                            .chars()
                            .filter(kept)
                            .collect::<String>()
                            .replace(' ', "-")
                            == anchor
                    });
                if !found {
                    wrong.push(format!("{}: {target}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
