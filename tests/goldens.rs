//! Figures that were looked at as pictures before they were kept (`tests/golden/`): the colourings of a critical path by
//! what constrains it. `MAREY_BLESS=1 cargo test goldens` writes them anew; look at them before they are committed.
//!
//! What a figure must show is tested apart from its bytes: the golden file only holds the drawing still.

use crate::support::{root, run_with, same, workspace};
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

/// The picture without its metadata, which names paths and versions.
fn drawing(svg: &str) -> String {
    match (svg.find("<metadata"), svg.find("</metadata>")) {
        (Some(start), Some(end)) => {
            format!("{}{}", &svg[..start], &svg[end + "</metadata>".len()..])
        }
        _ => svg.to_owned(),
    }
}

#[test]
fn the_three_colourings_of_a_critical_path() {
    let folder = workspace();
    let script = root().join("examples/critical-path/figures.marey");
    run_with(["run".as_ref(), script.as_os_str()], folder.path()).good();
    let mut bright = Vec::new();
    for name in ["full.svg", "none.svg", "application.svg"] {
        let svg = std::fs::read_to_string(folder.path().join(name)).expect("a figure");
        let drawing = drawing(&svg);
        bright.push(drawing.contains("not blocked by a dependency"));
        if std::env::var_os("MAREY_BLESS").is_some() {
            std::fs::create_dir_all(root().join("tests/golden")).expect("a folder");
            std::fs::write(golden(name), &drawing).expect("a golden file");
        }
        let expected = std::fs::read_to_string(golden(name)).expect("the golden file");
        same(&drawing, &expected, name);
    }
    // Only where dependencies are labels is anything bright (critical-path.md, section 4).
    assert_eq!(bright, [false, false, true]);
}
