//! What the legend of the stacked chart says: values and how to read the marks.

use crate::figure::chart::ink::{OUTLINE, Paint, THIN, opacity};
use crate::figure::chart::stacked::{Options, Style, Table};
use crate::figure::legend::{Entry, Sample};
use crate::figure::palette::Colour;
use crate::figure::scene::Stroke;

/// Grey of samples that explain a look and no value; no value is grey.
const SAMPLE_GREY: Colour = Colour::grey(0x6B);

/// How to read the marks. `is_outlined`: whether there is room for outlines; without them there is nothing to be said of
/// single states.
pub(super) fn keys(
    table: &Table<'_>,
    options: &Options,
    paint: &Paint,
    chunk: i64,
    is_outlined: bool,
) -> Vec<Entry> {
    let cells = &table.cells;
    let mut keys = Vec::new();
    let pale = SAMPLE_GREY.on_white(0.55);
    if is_outlined && cells.pure.contains(&true) {
        let stroke = Stroke {
            colour: SAMPLE_GREY.darker(),
            width: OUTLINE,
        };
        keys.push(Entry::new(Sample::Outlined(pale, stroke), "single state"));
    }
    let bands = vec![pale, SAMPLE_GREY.on_white(0.3)];
    let has_aggregates = cells.pure.contains(&false);
    match options.style {
        Style::Stack if has_aggregates && is_outlined => {
            keys.push(Entry::new(Sample::Stacked(bands), "aggregated"));
        }
        Style::Slashed if has_aggregates && is_outlined => {
            keys.push(Entry::new(Sample::Slashed(bands, THIN), "aggregated"));
        }
        Style::Bars if !cells.is_empty() => {
            let width = table.time.duration_text(chunk);
            let text = format!("shares in chunks of {width}");
            keys.push(Entry::new(Sample::Stacked(bands), &text));
        }
        _ => {}
    }
    if paint.largest > 1 {
        let steps = 5;
        let ramp = (0..steps).map(|step| {
            let share = f64::from(step) / f64::from(steps - 1);
            // Equal steps of the logarithm are equal steps of opacity.
            SAMPLE_GREY.on_white(1.0 - share * (1.0 - opacity(paint.largest, paint.largest)))
        });
        keys.push(Entry {
            before: "1".to_owned(),
            sample: Some(Sample::Ramp(ramp.collect())),
            text: format!("{} states", paint.largest),
        });
    }
    keys
}

/// What the tick of an interruption means.
pub(super) fn interruption() -> Entry {
    Entry::new(Sample::Tick(THIN), "interruption below 1 px")
}
