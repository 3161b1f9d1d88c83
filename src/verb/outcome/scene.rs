//! The scene of a figure and its SVG, drawn at most once.

use crate::diag::{Diag, code};
use crate::figure::svg;
use crate::plan::Figure;
use crate::verb::PlanContext;

/// The SVG of a figure.
pub fn svg_of(figure: &Figure, cx: &mut PlanContext) -> Result<String, Diag> {
    if figure.scene.get().is_none() {
        cx.host.stage("drawing");
        let domain = cx.domain(&figure.table)?;
        let rows = cx.collect(&figure.table)?;
        let (scene, warnings) = figure.draw.draw(&figure.table, &rows, &domain)?;
        for warning in warnings {
            cx.host.warn(warning);
        }
        let _ = figure.scene.set(scene);
    }
    let Some(scene) = figure.scene.get() else {
        return Err(Diag::error(&code::INTERNAL, "the figure was not drawn"));
    };
    let text = svg::write(scene);
    if text.len() > svg::LARGE_BYTES {
        cx.host.warn(
            Diag::warning(
                &code::FIGURE,
                format!(
                    "the SVG has {} MB and will be slow to open",
                    text.len() >> 20
                ),
            )
            .help("raise the threshold, or save a PNG"),
        );
    }
    Ok(text)
}
