//! The file of defaults: `config.toml`. The REPL reads that of the user; a script reads one only where `--config` says so,
//! because a figure must not depend on a home folder.

use super::args::{ConfigChoice, EditMode, Options, format_named, memory};
use super::terminal::ColorChoice;
use crate::diag::{Diag, code};
use crate::lang::suggest;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the file may say. Options of the command line win over it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Defaults {
    memory: Option<String>,
    threads: Option<u16>,
    temp_dir: Option<PathBuf>,
    color: Option<Color>,
    format: Option<String>,
    timing: Option<bool>,
    edit_mode: Option<Editing>,
}

/// The names of the fields above, for the nearest one.
const NAMES: [&str; 7] = [
    "memory",
    "threads",
    "temp-dir",
    "color",
    "format",
    "timing",
    "edit-mode",
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Editing {
    Emacs,
    Vi,
}

/// The user's file: `$XDG_CONFIG_HOME/marey/config.toml`, else `~/.config/marey/config.toml`.
pub(super) fn usual(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .map(|folder| folder.join("marey").join("config.toml"))
}

/// Fills in what the command line leaves open.
pub(super) fn apply(options: &mut Options, is_interactive: bool) -> Result<(), Diag> {
    let (path, must_be) = match &options.config {
        ConfigChoice::File(path) => (path.clone(), true),
        ConfigChoice::Usual if is_interactive => match usual(|name| std::env::var_os(name)) {
            Some(path) => (path, false),
            None => return Ok(()),
        },
        ConfigChoice::Usual | ConfigChoice::None => return Ok(()),
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => fill(options, &text, &path),
        Err(error) if !must_be && error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(wrong(&path, format!("it cannot be read: {error}"))),
    }
}

fn wrong(path: &Path, why: String) -> Diag {
    Diag::error(
        &code::BAD_COMMAND_LINE,
        format!("the file of defaults `{}`: {why}", path.display()),
    )
}

fn fill(options: &mut Options, text: &str, path: &Path) -> Result<(), Diag> {
    let defaults: Defaults = toml::from_str(text).map_err(|error| misread(&error, text, path))?;
    let named = |name: &str, why: String| wrong(path, format!("`{name}`: {why}"));
    if let Some(size) = defaults.memory
        && options.memory.is_none()
    {
        options.memory = Some(memory(&size).map_err(|why| named("memory", why))?);
    }
    if let Some(threads) = defaults.threads
        && options.threads.is_none()
    {
        if !(1..=1024).contains(&threads) {
            return Err(named("threads", "a number from 1 to 1024".to_owned()));
        }
        options.threads = Some(usize::from(threads));
    }
    if let Some(folder) = defaults.temp_dir
        && options.temporary.is_none()
    {
        options.temporary = Some(folder);
    }
    if let Some(color) = defaults.color
        && !options.is_color_given
    {
        options.color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
    }
    if let Some(name) = defaults.format
        && options.format.is_none()
    {
        options.format = Some(format_named(&name).map_err(|why| named("format", why))?);
    }
    options.timing |= defaults.timing.unwrap_or(false);
    options.edit_mode = match defaults.edit_mode {
        Some(Editing::Vi) => EditMode::Vi,
        Some(Editing::Emacs) | None => EditMode::Emacs,
    };
    Ok(())
}

/// What toml says, with the line, and the nearest name where a name is unknown.
fn misread(error: &toml::de::Error, text: &str, path: &Path) -> Diag {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = 1 + before.matches('\n').count();
    let written = text.lines().nth(line - 1).unwrap_or_default().trim();
    let key = written.split(['=', ' ', '.']).next().unwrap_or_default();
    let what = error.message().lines().next().unwrap_or_default();
    let diag = wrong(path, format!("line {line}, `{written}`: {what}"));
    match suggest::nearest(key, NAMES) {
        _ if NAMES.contains(&key) => diag,
        Some(near) => diag.help(format!("did you mean `{near}`?")),
        None => diag.help(format!("it may set {}", NAMES.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, mut options: Options) -> Result<Options, Diag> {
        fill(&mut options, text, Path::new("config.toml")).map(|()| options)
    }

    #[test]
    fn the_command_line_wins() {
        let text = "memory = \"2GiB\"\nthreads = 3\ntemp-dir = \"/scratch\"\ncolor = \"never\"\nformat = \"csv\"\ntiming = true\nedit-mode = \"vi\"\n";
        let all = filled(text, Options::default()).expect("a good file");
        assert_eq!(all.memory, Some(2 << 30));
        assert_eq!(all.threads, Some(3));
        assert_eq!(all.temporary, Some(PathBuf::from("/scratch")));
        assert_eq!(all.color, ColorChoice::Never);
        assert_eq!(all.format.map(|format| format.name), Some("csv"));
        assert!(all.timing);
        assert_eq!(all.edit_mode, EditMode::Vi);
        let given = Options {
            memory: Some(1 << 30),
            threads: Some(1),
            is_color_given: true,
            ..Options::default()
        };
        let all = filled(text, given).expect("a good file");
        assert_eq!(all.memory, Some(1 << 30));
        assert_eq!(all.threads, Some(1));
        assert_eq!(all.color, ColorChoice::Auto);
    }

    #[test]
    fn a_mistake_names_its_line_and_the_nearest_name() {
        for (text, wanted, help) in [
            (
                "timing = true\nmemroy = \"2g\"\n",
                "line 2",
                Some("did you mean `memory`?"),
            ),
            ("threads = \"two\"\n", "line 1", None),
            ("threads = 0\n", "1 to 1024", None),
            ("memory = \"many\"\n", "4g", None),
            ("format = \"cvs\"\n", "csv", None),
            ("color = \"blue\"\n", "line 1", None),
            ("= 3\n", "line 1", None),
        ] {
            let diag = filled(text, Options::default()).err().expect("a mistake");
            assert!(diag.message.contains(wanted), "{text}: {}", diag.message);
            if help.is_some() {
                assert_eq!(diag.help.as_deref(), help);
            }
        }
    }

    #[test]
    fn every_name_is_one_that_the_file_may_set() {
        for name in NAMES {
            // A wrong value is told from a wrong name.
            let diag = filled(&format!("{name} = {{}}\n"), Options::default());
            let diag = diag.err().expect("no value of any of them");
            assert!(!diag.message.contains("unknown"), "{}", diag.message);
        }
    }

    #[test]
    fn the_usual_place_follows_the_environment() {
        let at = |set: &[(&str, &str)]| {
            let set: Vec<(String, OsString)> = set
                .iter()
                .map(|(name, value)| ((*name).to_owned(), OsString::from(value)))
                .collect();
            usual(move |name| {
                let found = set.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| value.clone())
            })
        };
        assert_eq!(
            at(&[("XDG_CONFIG_HOME", "/c"), ("HOME", "/h")]),
            Some(PathBuf::from("/c/marey/config.toml"))
        );
        assert_eq!(
            at(&[("XDG_CONFIG_HOME", "rel"), ("HOME", "/h")]),
            Some(PathBuf::from("/h/.config/marey/config.toml"))
        );
        assert_eq!(at(&[]), None);
    }
}
