//! What a file that marey saved says of itself, inside or beside it.

use crate::figure::raster;
use crate::write::provenance::{KEY, Provenance, beside};
use arrow::ipc::reader::FileReader;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use std::fs::File;
use std::io::Cursor;
use std::path::Path;

/// How a file was made. None where it says nothing, or what no version of marey wrote.
pub(super) fn by(path: &Path, bytes: &[u8]) -> Option<Provenance> {
    let inside = if bytes.starts_with(b"PAR1") {
        of_parquet(path)
    } else if bytes.starts_with(b"ARROW1") {
        of_arrow(bytes)
    } else {
        raster::text_of(bytes, KEY).or_else(|| of_svg(bytes))
    };
    let text = inside.or_else(|| std::fs::read_to_string(beside(path)).ok())?;
    Provenance::of_text(text.trim())
}

fn of_parquet(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).ok()?;
    metadata.schema().metadata().get(KEY).cloned()
}

fn of_arrow(bytes: &[u8]) -> Option<String> {
    let reader = FileReader::try_new(Cursor::new(bytes), None).ok()?;
    reader.schema().metadata().get(KEY).cloned()
}

/// The fact in the metadata of an SVG. Its text has nothing that XML would write another way.
fn of_svg(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (_, rest) = text.split_once(&format!("<fact name=\"{KEY}\">"))?;
    rest.split_once("</fact>").map(|(fact, _)| fact.to_owned())
}
