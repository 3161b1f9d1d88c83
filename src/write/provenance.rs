//! What an output file says of how it was made, so that anyone can make it again: script, parameters, digests of the
//! inputs, version. It holds nothing of the machine, the time or the folder, so that the same script on the same input
//! still gives the same bytes.
//!
//! One text for all formats, JSON in printable ASCII without `<`, `>` and `&`: it stands in XML, in a PNG's text chunk and
//! in the metadata of Parquet as it is. A text table has no place for it and gets a file beside it ([`beside`]).

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The key in the metadata of Parquet and Arrow files, the name of the fact in an SVG and the keyword in a PNG.
pub const KEY: &str = "marey.provenance";

/// How an output file was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of the program.
    pub marey: String,
    /// The path that `save` was given.
    pub output: String,
    /// The script.
    pub script: String,
    /// The parameters that had other values than the script gives them, as literals.
    pub parameters: Vec<Setting>,
    /// The files that `use` brought in, without those of the library, in the order of first use.
    pub used: Vec<UsedFile>,
    /// The inputs, sorted by path.
    pub inputs: Vec<InputFile>,
}

/// A parameter and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value as a script writes it.
    pub value: String,
}

/// A file of definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsedFile {
    /// Its path, relative to the script.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Its path as the script names it.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// The BLAKE3 digest of its bytes, in hexadecimal digits.
    pub blake3: String,
}

impl Provenance {
    /// The text that travels in files.
    pub fn text(&self) -> String {
        // A struct of texts and numbers has no way to fail.
        let json = serde_json::to_string(self).unwrap_or_default();
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            if matches!(c, ' '..='~') && !matches!(c, '<' | '>' | '&') {
                out.push(c);
            } else {
                let mut units = [0_u16; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        out
    }

    /// Reads that text.
    pub fn of_text(text: &str) -> Option<Provenance> {
        serde_json::from_str(text).ok()
    }
}

/// The bytes of a file without what they say of their making, to tell whether at least the rest is the same. None for
/// formats in which it cannot be cut out.
pub fn without(bytes: &[u8], provenance: &Provenance) -> Option<Vec<u8>> {
    if bytes.starts_with(b"PAR1") || bytes.starts_with(b"ARROW1") {
        return None;
    }
    let text = provenance.text();
    let Some(at) = memchr::memmem::find(bytes, text.as_bytes()) else {
        return Some(bytes.to_vec());
    };
    // In a PNG it is a chunk: length, kind, keyword and a zero before it, a check sum behind it.
    let (before, behind) = match bytes.starts_with(b"\x89PNG") {
        true => (8 + KEY.len() + 1, 4),
        false => (0, 0),
    };
    let mut rest = bytes.get(..at.checked_sub(before)?)?.to_vec();
    rest.extend_from_slice(bytes.get(at + text.len() + behind..)?);
    Some(rest)
}

/// The file beside a table whose format has no place for provenance: `profile.csv` → `profile.csv.provenance.json`.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".provenance.json");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_script(script: &str) -> Provenance {
        Provenance {
            marey: "1.0.0".to_owned(),
            output: "a.svg".to_owned(),
            script: script.to_owned(),
            parameters: vec![Setting {
                name: "t".to_owned(),
                value: "1ms".to_owned(),
            }],
            used: Vec::new(),
            inputs: vec![InputFile {
                path: "trace.csv".to_owned(),
                bytes: 3,
                blake3: "00".to_owned(),
            }],
        }
    }

    proptest! {
        #[test]
        fn any_script_survives_as_plain_text(script in "\\PC*|[\u{0}-\u{ffff}]*") {
            let provenance = of_script(&script);
            let text = provenance.text();
            prop_assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            prop_assert!(!text.contains(['<', '>', '&']));
            prop_assert_eq!(Provenance::of_text(&text), Some(provenance));
        }
    }

    #[test]
    fn what_is_no_provenance_is_none() {
        for text in ["", "{}", "[1]", "{\"marey\":\"1\"}"] {
            assert_eq!(Provenance::of_text(text), None, "{text}");
        }
    }

    #[test]
    fn it_is_cut_out_of_text_and_pictures() {
        let provenance = of_script("1");
        let text = provenance.text();
        let svg = format!("<svg>{text}</svg>");
        let rest = without(svg.as_bytes(), &provenance).expect("text");
        assert_eq!(rest, b"<svg></svg>");
        let mut png = b"\x89PNG....".to_vec();
        png.extend_from_slice(b"lengtEXtmarey.provenance\0");
        png.extend_from_slice(text.as_bytes());
        png.extend_from_slice(b"sum!rest");
        let rest = without(&png, &provenance).expect("a picture");
        assert_eq!(rest, b"\x89PNG....rest");
        assert_eq!(without(b"PAR1", &provenance), None);
    }

    #[test]
    fn a_file_beside_keeps_the_whole_name() {
        assert_eq!(
            beside(Path::new("out/profile.csv")),
            Path::new("out/profile.csv.provenance.json")
        );
    }
}
