//! The scene of a figure and its SVG, drawn at most once.

use crate::diag::{Diag, code};
use crate::figure::chart::{Chart, Placement};
use crate::figure::{Scene, Size, panel, svg};
use crate::plan::data::{Inputs, Plot};
use crate::plan::{Figure, Table};
use crate::verb::PlanContext;
use crate::verb::plot::{failure, warning};

/// The SVG of a figure. What else is to travel in its metadata has a name and a text.
pub fn svg_of(
    figure: &Figure,
    carried: Option<(&str, &str)>,
    cx: &mut PlanContext,
) -> Result<String, Diag> {
    if figure.scene.get().is_none() {
        cx.host.stage("drawing");
        let scene = drawn(figure, cx)?;
        let _ = figure.scene.set(scene);
    }
    let Some(scene) = figure.scene.get() else {
        return Err(Diag::error(&code::INTERNAL, "the figure was not drawn"));
    };
    Ok(svg::write_with(scene, carried))
}

/// Says of an SVG that is kept as such that it is large.
pub fn warn_of_size(text: &str, cx: &mut PlanContext) {
    if text.len() > svg::LARGE_BYTES {
        cx.host.warn(
            Diag::warning(
                &code::FIGURE,
                format!(
                    "the SVG has {} MB and will be slow to open",
                    text.len() >> 20
                ),
            )
            .help("aggregate first: `aggregate-by-threshold | plot-stacked`; or save a PNG"),
        );
    }
}

fn drawn(figure: &Figure, cx: &mut PlanContext) -> Result<Scene, Diag> {
    let (scene, warnings) = match &figure.plot {
        Plot::Chart(..) => {
            let domain = cx.domain(&[&figure.table])?;
            let chart = chart(figure, &domain, cx)?;
            let drawn = chart.draw(&Placement::default()).map_err(failure)?;
            (drawn.scene, drawn.warnings)
        }
        Plot::Panel(figures, options, sides) => {
            let tables: Vec<&Table> = figures.iter().map(|figure| &figure.table).collect();
            let domain = cx.domain(&tables)?;
            let mut charts = Vec::with_capacity(figures.len());
            for figure in figures {
                charts.push(chart(figure, &domain, cx)?);
            }
            let charts: Vec<&dyn Chart> = charts.iter().map(|chart| &**chart).collect();
            let own = panel::own_size(&charts, options);
            let mut options = options.clone();
            options.size = Some(Size {
                width: sides.width.unwrap_or(own.width),
                height: sides.height.unwrap_or(own.height),
            });
            panel::panel(&charts, &options).map_err(failure)?
        }
    };
    for one in &warnings {
        cx.host.warn(warning(one));
    }
    Ok(scene)
}

/// The chart of a figure with its rows.
fn chart(figure: &Figure, domain: &[String], cx: &mut PlanContext) -> Result<Box<dyn Chart>, Diag> {
    let Plot::Chart(tables, draw) = &figure.plot else {
        return Err(Diag::error(
            &code::KIND_MISMATCH,
            "a panel shows charts, not panels",
        ));
    };
    let rows = |(name, table): &(&'static str, Table)| Ok((*name, cx.collect(table)?));
    let inputs = Inputs {
        clock: figure.table.clock(),
        tables: tables.iter().map(rows).collect::<Result<_, Diag>>()?,
    };
    let (chart, warnings) = draw.chart(&inputs, domain)?;
    for warning in warnings {
        cx.host.warn(warning);
    }
    Ok(chart)
}
