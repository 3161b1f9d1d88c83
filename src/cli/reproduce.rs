//! `marey reproduce`: makes an output file again from what it says of itself, in a folder of its own, and compares.

mod said;

use super::args::Options;
use super::host::Console;
use super::run::configured;
use super::script::Script;
use crate::diag::{Diag, code};
use crate::plan::Cancel;
use crate::session::{Again, Quiet, Session, SessionConfig};
use crate::verb::source::digest;
use crate::verb::source::moved::Moved;
use crate::write::provenance::{self, InputFile, Provenance};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What came of one file.
struct Verdict {
    /// True where the file came out the same to the byte.
    is_same: bool,
    /// Why not, and what else is to be known.
    reasons: Vec<String>,
    /// How the program ends.
    exit_code: u8,
}

/// Makes each file again; the exit code is that of the first that does not come out the same. With `--format json` the verdicts
/// are one array.
pub(super) fn run(
    files: &[PathBuf],
    inputs: &[(String, String)],
    options: &Options,
    mut console: Console,
) -> Result<u8, Diag> {
    let is_json = options.format.is_some_and(|format| format.name == "json");
    let mut exit_code = 0;
    let mut all = Vec::new();
    for file in files {
        let shown = file.display().to_string();
        let verdict = verdict(file, inputs, options, &mut console)?;
        let word = if verdict.is_same { "same" } else { "differs" };
        if is_json {
            all.push(json!({"file": shown, "same": verdict.is_same, "reasons": verdict.reasons}));
        } else {
            console.say(&format!("{word}: {shown}"));
            for reason in &verdict.reasons {
                console.say(&format!("  {reason}"));
            }
        }
        if exit_code == 0 {
            exit_code = verdict.exit_code;
        }
    }
    if is_json {
        console.say(&format!("{:#}", serde_json::Value::Array(all)));
    }
    Ok(exit_code)
}

fn verdict(
    file: &Path,
    inputs: &[(String, String)],
    options: &Options,
    console: &mut Console,
) -> Result<Verdict, Diag> {
    let bytes = read(file)?;
    let Some(said) = said::by(file, &bytes) else {
        return Err(Diag::error(
            &code::NO_PROVENANCE,
            format!("`{}` does not say how it was made", file.display()),
        )
        .help("`save` writes it unless `provenance=none`; other programs drop it when they change a file"));
    };
    let moved = Moved(inputs.to_vec());
    unknown(&said, &moved)?;
    let mut reasons = Vec::new();
    for input in &said.inputs {
        reasons.extend(changed(input, &moved, file)?);
    }
    let version = env!("CARGO_PKG_VERSION");
    if said.marey != version {
        reasons.push(format!(
            "it was made by marey {}, this is {version}",
            said.marey
        ));
    }
    let folder = tempfile::tempdir().map_err(|error| {
        Diag::error(
            &code::OUTPUT,
            format!("no folder for temporary files: {error}"),
        )
    })?;
    let name = Path::new(&said.output).file_name().unwrap_or_default();
    let place = folder.path().join(name);
    let exit_code = again(file, &said, &place, moved, options, console)?;
    if exit_code != 0 {
        if !reasons.is_empty() {
            reasons.push("so the script does not run any more".to_owned());
        }
        return Ok(Verdict {
            is_same: false,
            // What changed is the better answer than what came of it.
            exit_code: if reasons.is_empty() { exit_code } else { 1 },
            reasons,
        });
    }
    if !place.exists() {
        reasons.push(format!("the script does not write `{}`", said.output));
    } else {
        compare(file, &bytes, &said, &place, &mut reasons)?;
    }
    Ok(Verdict {
        is_same: reasons.is_empty(),
        exit_code: u8::from(!reasons.is_empty()),
        reasons,
    })
}

fn read(file: &Path) -> Result<Vec<u8>, Diag> {
    std::fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Diag::error(
            &code::INPUT_MISSING,
            format!("`{}` does not exist", file.display()),
        ),
        _ => Diag::error(
            &code::INPUT_UNREADABLE,
            format!("`{}` cannot be read: {error}", file.display()),
        ),
    })
}

/// Refuses an `--input` that moves nothing: it is misspelt.
fn unknown(said: &Provenance, moved: &Moved) -> Result<(), Diag> {
    for (old, new) in &moved.0 {
        let one = Moved(vec![(old.clone(), new.clone())]);
        let moves = |input: &InputFile| one.now(&input.path) != input.path || input.path == *old;
        if !said.inputs.iter().any(moves) {
            let inputs: Vec<&str> = said.inputs.iter().map(|input| &*input.path).collect();
            let diag = Diag::error(
                &code::BAD_COMMAND_LINE,
                format!("--input {old}={new}: the file was made without an input `{old}`"),
            );
            return Err(diag.help(match inputs.is_empty() {
                true => "it was made without any input".to_owned(),
                false => format!("its inputs: {}", inputs.join(", ")),
            }));
        }
    }
    Ok(())
}

/// What is different about an input now.
fn changed(input: &InputFile, moved: &Moved, figure: &Path) -> Result<Option<String>, Diag> {
    let written = &input.path;
    let now = moved.now(written);
    if now == "-" {
        return Err(Diag::error(
            &code::INPUT_MISSING,
            "it was made from standard input, which is not kept",
        )
        .help("name a file with the same bytes: `--input -=FILE`"));
    }
    let path = Path::new(&now);
    if !path.is_file() {
        let diag = Diag::error(
            &code::INPUT_MISSING,
            format!("the input `{now}` is not there"),
        );
        return Err(diag.help(match found(input, figure) {
            Some(place) => format!(
                "the same bytes are here: `--input \"{written}={}\"`",
                place.display()
            ),
            None => format!(
                "say where it is now: `--input \"{written}=NEW\"`, a folder moves all below it"
            ),
        }));
    }
    // There is no digest of what came through standard input.
    if input.blake3.is_empty() {
        return Ok(None);
    }
    let digest = digest::of_file(path, &Cancel::default())?;
    if digest == input.blake3 {
        return Ok(None);
    }
    let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
    Ok(Some(format!(
        "the input `{now}` changed: it had {} bytes and the digest {}, now {bytes} bytes and {}",
        input.bytes,
        short(&input.blake3),
        short(&digest)
    )))
}

/// Enough of a digest to tell two apart.
fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

/// A file near the figure, by path or by name, with the bytes of the input.
fn found(input: &InputFile, figure: &Path) -> Option<PathBuf> {
    let written = Path::new(&input.path);
    let name = written.file_name()?;
    let folder = figure.parent().unwrap_or(Path::new(""));
    let near = folder.ancestors().take(3);
    let mut places = near.flat_map(|folder| [folder.join(written), folder.join(name)]);
    places.find(|place| {
        std::fs::metadata(place).is_ok_and(|data| data.is_file() && data.len() == input.bytes)
            && digest::of_file(place, &Cancel::default()).is_ok_and(|it| it == input.blake3)
    })
}

/// Runs the script once more; the exit code.
fn again(
    file: &Path,
    said: &Provenance,
    place: &Path,
    moved: Moved,
    options: &Options,
    console: &mut Console,
) -> Result<u8, Diag> {
    let mut session = Session::new(SessionConfig {
        parameters: said
            .parameters
            .iter()
            .map(|setting| (setting.name.clone(), setting.value.clone()))
            .collect(),
        again: Some(Again {
            output: said.output.clone(),
            place: place.to_owned(),
            used: said.used.clone(),
            moved,
        }),
        out: None,
        keep_files: false,
        ..configured(options)
    })?;
    let signals = super::run::signals(&session, false)?;
    // No path: what the script uses is found by the paths that were recorded.
    let name = format!(
        "the script in {}",
        file.file_name().unwrap_or_default().display()
    );
    let script = Script::new(name, &*said.script);
    console.begin(session.sources(), &script);
    signals.begin();
    let outcome = session.run(&script.name, &script.text, &mut Quiet);
    signals.end();
    console.end();
    if outcome.exit_code != 0 && !place.exists() || outcome.exit_code == 130 {
        console.report(&outcome.diags);
        return Ok(outcome.exit_code);
    }
    Ok(0)
}

/// Says what differs between a file and what came out now.
fn compare(
    file: &Path,
    bytes: &[u8],
    said: &Provenance,
    place: &Path,
    reasons: &mut Vec<String>,
) -> Result<(), Diag> {
    let made = read(place)?;
    let now = said::by(place, &made);
    if let Some(now) = &now {
        for input in &now.inputs {
            if !said.inputs.iter().any(|known| known.path == input.path) {
                reasons.push(format!(
                    "the script reads `{}` too, which was not there",
                    input.path
                ));
            }
        }
    }
    for other in companions(place) {
        let beside = file.with_file_name(other.file_name().unwrap_or_default());
        if std::fs::read(&other).ok() != std::fs::read(&beside).ok() {
            reasons.push(format!("`{}` beside it differs", beside.display()));
        }
    }
    let same = "what it shows is the same all the same";
    if made == bytes {
        // A table whose format has no place for it: what changed is told by the file beside it.
        if !reasons.is_empty() {
            reasons.push(same.to_owned());
        }
        return Ok(());
    }
    // What each says of its making differs wherever an input does.
    let old = provenance::without(bytes, said);
    let new = now
        .as_ref()
        .map_or(Some(made.clone()), |now| provenance::without(&made, now));
    match (old.zip(new), reasons.is_empty()) {
        // In Parquet and Arrow files it cannot be taken out.
        (None, false) => {}
        (Some((old, new)), false) if old == new => reasons.push(same.to_owned()),
        (Some((old, new)), false) => {
            let part = first_difference(&old, &new);
            reasons.push(format!("what it shows differs too: {part}"));
        }
        (Some((old, new)), true) if old == new => {
            reasons.push("only what it says of its making differs".to_owned());
        }
        (parts, true) => {
            let why = "nothing changed that it was made from, so it was changed after it was saved";
            reasons.push(why.to_owned());
            let (old, new) = parts.unwrap_or_else(|| (bytes.to_vec(), made));
            reasons.push(first_difference(&old, &new));
        }
    }
    Ok(())
}

/// The other files that were written along with one, without the one that tells of its making.
fn companions(place: &Path) -> Vec<PathBuf> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path != place && *path != provenance::beside(place));
    files.sort();
    files
}

/// Where two files part: the line where they are text, else the byte.
fn first_difference(old: &[u8], new: &[u8]) -> String {
    let at = old
        .iter()
        .zip(new)
        .position(|(a, b)| a != b)
        .unwrap_or(old.len().min(new.len()));
    match (std::str::from_utf8(old), std::str::from_utf8(new)) {
        (Ok(old_text), Ok(new_text)) => {
            let line = 1 + old.iter().take(at).filter(|byte| **byte == b'\n').count();
            let of = |text: &str| {
                let line = text
                    .lines()
                    .nth(line - 1)
                    .unwrap_or("the end")
                    .trim()
                    .to_owned();
                match line.char_indices().nth(100) {
                    Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
                    None => line,
                }
            };
            format!(
                "first difference in line {line}: {} | now: {}",
                of(old_text),
                of(new_text)
            )
        }
        _ => format!(
            "first difference at byte {at}; it has {} bytes, now {}",
            old.len(),
            new.len()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(
            first_difference(b"a\nb\nc\n", b"a\nx\nc\n"),
            "first difference in line 2: b | now: x"
        );
        assert_eq!(
            first_difference(b"a\n", b"a\nb\n"),
            "first difference in line 2: the end | now: b"
        );
        assert_eq!(
            first_difference(b"\xff\x00", b"\xff\x01\x02"),
            "first difference at byte 1; it has 2 bytes, now 3"
        );
    }
}
