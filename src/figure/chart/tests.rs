//! Tests of the stacked chart: what is in the file, read back as any other program would read it.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::figure::axis::TimeBase;
use crate::figure::chart::{Cells, Interruptions, Opacity, Options, Style, Table, stacked};
use crate::figure::error::{FigureError, Warning};
use crate::figure::lane::{self, Track};
use crate::figure::layout::time_axis_width_px;
use crate::figure::palette::Palette;
use crate::figure::scene::Scene;
use crate::figure::size::Size;
use crate::figure::{raster, svg, text};

const MILLISECOND: TimeBase = TimeBase::Physical {
    tick_picoseconds: 1_000_000_000,
};

/// A table that owns its columns.
#[derive(Clone, Default)]
struct Sheet {
    tracks: Vec<Track>,
    values: Vec<String>,
    domain: Vec<String>,
    track: Vec<u32>,
    start: Vec<i64>,
    end: Vec<i64>,
    value: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
    number: Vec<u64>,
    pure: Vec<bool>,
    chunk: Vec<i64>,
    subchunk: Vec<i64>,
}

impl Sheet {
    fn new(resources: &[&str], values: &[&str]) -> Sheet {
        let track = |name: &&str| Track {
            resource: (*name).to_owned(),
            kind: "Worker State".to_owned(),
        };
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        Sheet {
            tracks: resources.iter().map(track).collect(),
            domain: values.clone(),
            values,
            ..Sheet::default()
        }
    }

    /// Adds a subchunk: its values with their share and number, from the bottom up.
    fn add(
        &mut self,
        track: u32,
        key: (i64, i64),
        (start, end): (i64, i64),
        stack: &[(u32, f64, u64)],
    ) {
        let mut low = 0.0;
        for (value, share, number) in stack {
            self.track.push(track);
            self.start.push(start);
            self.end.push(end);
            self.value.push(*value);
            self.low.push(low);
            self.high.push(low + share);
            self.number.push(*number);
            self.pure.push(stack.len() == 1 && *number == 1);
            self.chunk.push(key.0);
            self.subchunk.push(key.1);
            low += share;
        }
    }

    fn table(&self) -> Table<'_> {
        Table {
            tracks: &self.tracks,
            values: &self.values,
            domain: &self.domain,
            cells: Cells {
                track: &self.track,
                start: &self.start,
                end: &self.end,
                value: &self.value,
                low: &self.low,
                high: &self.high,
                number: &self.number,
                pure: &self.pure,
                chunk: &self.chunk,
                subchunk: &self.subchunk,
            },
            time: MILLISECOND,
        }
    }

    fn draw(&self, options: &Options) -> (Scene, Vec<Warning>) {
        stacked(&self.table(), options).unwrap()
    }
}

/// The worked example of the definition (threshold 10, subchunks of 8).
fn hand() -> Sheet {
    let mut sheet = Sheet::new(&["CPU0", "CPU1"], &["A", "P", "C", "B", "Q"]);
    sheet.add(0, (0, 0), (0, 30), &[(0, 1.0, 1)]);
    sheet.add(0, (1, 0), (30, 38), &[(0, 0.5, 1), (3, 0.375, 1)]);
    sheet.add(0, (1, 1), (38, 48), &[(3, 1.0, 1)]);
    sheet.add(0, (1, 3), (58, 61), &[(2, 1.0, 1)]);
    sheet.add(0, (2, 0), (72, 74), &[(0, 1.0, 1), (3, 0.0, 1)]);
    sheet.add(0, (3, 0), (75, 100), &[(2, 1.0, 1)]);
    sheet.add(1, (0, 0), (0, 10), &[(1, 1.0, 1)]);
    sheet.add(1, (0, 1), (10, 15), &[(4, 1.0, 1)]);
    sheet.add(1, (1, 0), (15, 40), &[(1, 1.0, 1)]);
    sheet
}

/// Rectangles of the marks, by label: colour, x, y, width, height.
type Marks = BTreeMap<String, Vec<(String, [f64; 4])>>;

fn marks(file: &str) -> Marks {
    let parsed = roxmltree::Document::parse(file).unwrap();
    let mut out = Marks::new();
    for group in parsed
        .descendants()
        .filter(|node| node.attribute("class") == Some("marks"))
    {
        for run in group.children().filter(|node| node.has_tag_name("g")) {
            let label = run
                .children()
                .find(|node| node.has_tag_name("title"))
                .and_then(|node| node.text())
                .unwrap_or_default();
            for rect in run.children().filter(|node| node.has_tag_name("rect")) {
                let side = |name| rect.attribute(name).unwrap().parse::<f64>().unwrap();
                let sides = [side("x"), side("y"), side("width"), side("height")];
                out.entry(label.to_owned())
                    .or_default()
                    .push((run.attribute("fill").unwrap().to_owned(), sides));
            }
        }
    }
    out
}

fn area(marks: &Marks, value: &str) -> f64 {
    marks
        .get(value)
        .into_iter()
        .flatten()
        .map(|(_, sides)| sides[2] * sides[3])
        .sum()
}

/// No text leaves the page, in either direction, or is smaller than 6 pt.
pub(in crate::figure) fn assert_on_page(scene: &Scene) {
    let (width, height) = (scene.size.width_px(), scene.size.height_px());
    for text in scene.texts() {
        let (left, right) = text.extent();
        assert!(left >= -1e-6 && right <= width + 1e-6, "{text:?}");
        assert!(
            text.y - 0.76 * text.size >= -1.0 && text.y + 0.24 * text.size <= height + 1.0,
            "{text:?} {height}"
        );
        assert!(text.size >= 8.0, "{text:?}");
    }
}

/// No text stands on another.
pub(in crate::figure) fn assert_apart(scene: &Scene) {
    let texts: Vec<_> = scene.texts().collect();
    for (index, one) in texts.iter().enumerate() {
        for two in &texts[..index] {
            let (a, b) = (one.extent(), two.extent());
            let beside = a.1 <= b.0 || b.1 <= a.0;
            let above = (one.y - two.y).abs() >= 0.9 * one.size.min(two.size);
            assert!(beside || above, "{one:?}\n{two:?}");
        }
    }
}

#[test]
fn area_is_time_in_every_style() {
    let sheet = hand();
    for style in [Style::Stack, Style::Slashed, Style::Bars] {
        for size in [Size::DEFAULT, Size::mm(85.0, 60.0), Size::px(300.0, 100.0)] {
            let options = Options {
                style,
                size,
                ..Options::default()
            };
            let (scene, _) = sheet.draw(&options);
            let marks = marks(&svg::write(&scene));
            let unit = area(&marks, "A") / 36.0;
            for (value, time) in [
                ("A", 36.0),
                ("P", 35.0),
                ("C", 28.0),
                ("B", 13.0),
                ("Q", 5.0),
            ] {
                let drawn = area(&marks, value) / unit;
                assert!(
                    (drawn - time).abs() < 0.01 * time,
                    "{style:?} {value}: {drawn} {time}"
                );
            }
        }
    }
}

#[test]
fn rectangles_stand_where_the_definition_says() {
    let (scene, warnings) = hand().draw(&Options::default());
    assert_eq!(warnings, []);
    let marks = marks(&svg::write(&scene));
    let labels = ["CPU0", "CPU1"].map(String::from);
    let px = time_axis_width_px(Options::default().size, &labels) / 100.0;
    let [a0, a1, a2] = [0, 1, 2].map(|index| marks["A"][index].1);
    assert!((a0[2] - 30.0 * px).abs() < 0.002 && (a1[0] - a0[0] - 30.0 * px).abs() < 0.002);
    assert!((a1[3] * 2.0 - a0[3]).abs() < 0.002, "half a lane");
    assert!((a2[2] - 2.0 * px).abs() < 0.002);
    let b = marks["B"][0].1;
    assert!((b[1] + b[3] - a1[1]).abs() < 0.002, "B stands on A");
    assert!(
        marks["P"][0].1[1] + marks["P"][0].1[3] <= a0[1],
        "CPU1 above CPU0"
    );
    assert_eq!(marks["B"].len(), 2, "the cell without height is not drawn");
}

#[test]
fn thin_rectangles_keep_their_width() {
    let mut sheet = Sheet::new(&["CPU0"], &["A", "B"]);
    sheet.add(0, (0, 0), (0, 1_000_000), &[(0, 1.0, 1)]);
    sheet.add(0, (1, 0), (1_000_000, 1_000_001), &[(1, 1.0, 1)]);
    sheet.add(0, (2, 0), (1_000_001, 10_000_000), &[(0, 1.0, 1)]);
    let (scene, _) = sheet.draw(&Options::default());
    let marks = marks(&svg::write(&scene));
    let width = marks["B"][0].1[2];
    let expected = time_axis_width_px(Options::default().size, &["CPU0".to_owned()]) / 10_000_000.0;
    assert!(
        width > 0.0 && (width - expected).abs() <= 0.000_001,
        "{width} {expected}"
    );
}

#[test]
fn a_view_clips_and_drops_nothing_that_it_shows() {
    let sheet = hand();
    let (whole, _) = sheet.draw(&Options::default());
    let (part, _) = sheet.draw(&Options {
        time_range: Some((20, 45)),
        ..Options::default()
    });
    let file = svg::write(&part);
    assert!(file.contains("clip-path=\"url(#clip"));
    let (part, whole) = (marks(&file), marks(&svg::write(&whole)));
    assert_eq!(part["A"].len(), 2);
    assert_eq!(part["B"].len(), 2);
    assert_eq!(part.get("C"), None);
    // The same rectangle, four times as wide, only seen in part.
    assert!((part["A"][0].1[2] - 4.0 * whole["A"][0].1[2]).abs() < 0.01);
    let colours = |marks: &Marks| marks["A"][0].0.clone();
    assert_eq!(colours(&part), colours(&whole));
    let (empty, _) = sheet.draw(&Options {
        time_range: Some((500, 600)),
        ..Options::default()
    });
    assert!(svg::write(&empty).contains("no states in this range"));
    let reversed = Options {
        time_range: Some((2, 1)),
        ..Options::default()
    };
    assert_eq!(
        stacked(&sheet.table(), &reversed).err(),
        Some(FigureError::BadTimeRange { start: 2, end: 1 })
    );
}

#[test]
fn a_deep_zoom_keeps_edges_in_place() {
    let mut sheet = Sheet::new(&["CPU0"], &["A", "B"]);
    sheet.add(0, (0, 0), (0, 1 << 60), &[(0, 1.0, 1)]);
    sheet.add(0, (1, 0), (1 << 60, i64::MAX), &[(1, 1.0, 1)]);
    let range = Some(((1 << 60) - 10, (1 << 60) + 10));
    let (scene, _) = sheet.draw(&Options {
        time_range: range,
        ..Options::default()
    });
    let marks = marks(&svg::write(&scene));
    let (a, b) = (marks["A"][0].1, marks["B"][0].1);
    assert!((a[0] + a[2] - b[0]).abs() < 0.01, "{a:?} {b:?}");
    assert!(a[2] < 10_000.0 && b[2] < 10_000.0);
}

#[test]
fn a_stack_that_is_too_high_is_named() {
    let mut sheet = hand();
    sheet.add(1, (2, 3), (50, 60), &[(0, 0.7, 1), (1, 0.7, 1)]);
    sheet.add(1, (4, 0), (70, 80), &[(0, 0.9, 1), (1, 0.7, 1)]);
    let error = stacked(&sheet.table(), &Options::default()).unwrap_err();
    let text = error.to_string();
    for part in ["CPU1", "Worker State", "chunk 2", "subchunk 3", "1.4"] {
        assert!(text.contains(part), "{text}");
    }
    let mut sheet = hand();
    sheet.add(1, (2, 0), (50, 60), &[(0, 0.5, 1), (1, 0.5 + 5e-10, 1)]);
    assert!(stacked(&sheet.table(), &Options::default()).is_ok());
}

#[test]
fn bad_tables_are_errors_and_no_panics() {
    let broken: [fn(&mut Sheet); 6] = [
        |sheet| sheet.track[3] = 9,
        |sheet| sheet.value[3] = 9,
        |sheet| sheet.end[3] = i64::MIN,
        |sheet| sheet.low[3] = f64::NAN,
        |sheet| sheet.high[3] = -1.0,
        |sheet| sheet.pure.truncate(3),
    ];
    for spoil in broken {
        let mut sheet = hand();
        spoil(&mut sheet);
        let error = stacked(&sheet.table(), &Options::default()).unwrap_err();
        assert!(
            matches!(error, FigureError::BadTable { row: 3, .. }),
            "{error}"
        );
    }
}

#[test]
fn tints_follow_the_number() {
    let mut sheet = Sheet::new(&["CPU0"], &["A", "B"]);
    sheet.add(0, (0, 0), (0, 50), &[(0, 0.5, 1), (1, 0.5, 100)]);
    sheet.add(0, (1, 0), (60, 90), &[(0, 0.5, 10), (1, 0.4, 1)]);
    let (scene, _) = sheet.draw(&Options::default());
    let tinted = marks(&svg::write(&scene));
    let fills = |marks: &Marks, value: &str| {
        marks[value]
            .iter()
            .map(|(fill, _)| fill.clone())
            .collect::<Vec<_>>()
    };
    // Orange at 1 and at 1 - 0.9 * log10(10) / log10(100) = 0.55; blue at 0.1 and at 1.
    assert_eq!(fills(&tinted, "A"), ["#E69F00", "#F1CA73"]);
    assert_eq!(fills(&tinted, "B"), ["#0072B2", "#E6F1F7"]);
    let (scene, _) = sheet.draw(&Options {
        opacity: Opacity::Off,
        ..Options::default()
    });
    assert_eq!(
        fills(&marks(&svg::write(&scene)), "B"),
        ["#0072B2", "#0072B2"]
    );
}

#[test]
fn interruptions_are_marked_outside_the_area() {
    let mut sheet = Sheet::new(&["CPU0", "CPU1"], &["A", "B"]);
    sheet.add(0, (0, 0), (0, 5000), &[(0, 1.0, 1)]);
    sheet.add(0, (1, 0), (5000, 5001), &[(1, 1.0, 1)]);
    sheet.add(0, (2, 0), (5001, 10_000), &[(0, 1.0, 1)]);
    sheet.add(1, (0, 0), (0, 1), &[(1, 1.0, 1)]);
    sheet.add(1, (1, 0), (5000, 10_000), &[(0, 1.0, 1)]);
    let (scene, _) = sheet.draw(&Options::default());
    let group = scene
        .groups
        .iter()
        .find(|group| group.role == "interruptions")
        .unwrap();
    let [crate::figure::scene::Mark::Lines { lines, .. }] = group.marks.as_slice() else {
        panic!("{group:?}");
    };
    assert_eq!(lines.len(), 1, "far from its neighbour is no interruption");
    for (_, rects) in marks(&svg::write(&scene)) {
        for (_, [_, y, _, height]) in rects {
            assert!(lines[0].from.1 <= y || lines[0].to.1 >= y + height);
        }
    }
    let off = Options {
        interruptions: Interruptions::Off,
        ..Options::default()
    };
    let (scene, _) = sheet.draw(&off);
    assert!(
        scene
            .groups
            .iter()
            .all(|group| group.role != "interruptions")
    );
}

#[test]
fn bars_show_fixed_chunks_and_open_where_states_are_wide() {
    let mut sheet = Sheet::new(&["CPU0"], &["A", "B"]);
    sheet.add(0, (0, 0), (0, 512), &[(0, 1.0, 1)]);
    sheet.add(0, (1, 0), (512, 600), &[(0, 0.25, 9), (1, 0.5, 3)]);
    let options = Options {
        style: Style::Bars,
        ..Options::default()
    };
    let (scene, _) = sheet.draw(&options);
    let file = svg::write(&scene);
    let marks = marks(&file);
    let chunk: usize = file
        .split("\"chunk in ticks\">")
        .nth(1)
        .and_then(|rest| rest.split('<').next())
        .unwrap()
        .parse()
        .unwrap();
    assert!(chunk.is_power_of_two());
    assert_eq!(
        marks["A"].len(),
        1 + 88_usize.div_ceil(chunk),
        "the long state is one piece"
    );
    assert!(
        marks["B"]
            .iter()
            .all(|(_, sides)| (sides[2] - marks["B"][0].1[2]).abs() < 0.01)
    );
}

#[test]
fn the_empty_table_is_a_frame_with_a_word_in_it() {
    let sheet = Sheet::default();
    for style in [Style::Stack, Style::Slashed, Style::Bars] {
        let (scene, warnings) = sheet.draw(&Options {
            style,
            ..Options::default()
        });
        assert!(svg::write(&scene).contains(">no states</text>"));
        assert_eq!(warnings, []);
    }
    let sheet = Sheet::new(&["CPU0", "CPU1"], &["A"]);
    let (scene, _) = sheet.draw(&Options {
        time_range: Some((0, 10)),
        ..Options::default()
    });
    assert!(svg::write(&scene).contains(">CPU1</text>"));
}

#[test]
fn legend_and_colours_follow_the_domain() {
    let mut sheet = hand();
    sheet.domain = ["Z", "Q", "P", "A"].map(String::from).to_vec();
    let (scene, _) = sheet.draw(&Options::default());
    let words: Vec<&str> = scene.texts().map(|text| text.content.as_str()).collect();
    let place = |word: &str| words.iter().position(|other| *other == word);
    assert!(
        place("Q") < place("P")
            && place("P") < place("A")
            && place("A") < place("B")
            && place("B") < place("C")
    );
    assert_eq!(place("Z"), None, "it does not occur");
    let marks = marks(&svg::write(&scene));
    assert_eq!(marks["Q"][0].0, "#0072B2", "second in the domain");
}

#[test]
fn same_arguments_same_bytes() {
    let sheet = hand();
    let options = Options {
        title: Some("A & B".into()),
        caption: Some("caption".into()),
        ..Options::default()
    };
    let one = svg::write(&sheet.draw(&options).0);
    assert_eq!(one, svg::write(&sheet.draw(&options).0));
    assert_eq!(
        raster::png(&one, options.size, None),
        raster::png(&one, options.size, None)
    );
}

/// Many lanes and values, with shares and gaps.
fn large(lanes: usize, values: usize, chunks: i64, name: &str) -> Sheet {
    let resources: Vec<String> = (0..lanes).map(|lane| format!("{name}{lane}")).collect();
    let names: Vec<String> = (0..values)
        .map(|value| format!("{name} value {value}"))
        .collect();
    let mut sheet = Sheet::new(
        &resources.iter().map(String::as_str).collect::<Vec<_>>(),
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for lane in 0..lanes {
        for chunk in 0..chunks {
            let start = chunk * 1000 + (lane as i64 * 37) % 500;
            let first = (lane + chunk as usize) % values;
            if chunk % 3 == 0 {
                sheet.add(
                    lane as u32,
                    (chunk, 0),
                    (start, start + 900),
                    &[(first as u32, 1.0, 1)],
                );
            } else {
                let other = (first + 1) % values;
                let number = 1 + chunk as u64 % 77;
                sheet.add(
                    lane as u32,
                    (chunk, 0),
                    (start, start + 500),
                    &[(first as u32, 0.4, number), (other as u32, 0.3, 2)],
                );
            }
        }
    }
    sheet
}

#[test]
fn every_page_is_tidy() {
    let pages = [
        Size::mm(170.0, 60.0),
        Size::mm(85.0, 60.0),
        Size::mm(85.0, 30.0),
        Size::mm(40.0, 25.0),
        Size::mm(170.0, 200.0),
        Size::px(1700.0, 400.0),
        Size::px(1.0, 1.0),
        Size::mm(1.0, 1.0),
        Size::px(7.0, 900.0),
        Size::px(900.0, 7.0),
        Size::px(33.0, 33.0),
    ];
    let title =
        Some("A title that is long enough to need more than one line on a narrow page".to_owned());
    let caption = Some("States of at most 1.2 ms (1 px) are aggregated; the caption goes on for a while after that.".to_owned());
    for (lanes, values) in [(1, 1), (1, 8), (12, 8), (200, 30), (5000, 3)] {
        for name in ["n", "A resource or a kernel with a very long name <&> "] {
            let sheet = large(lanes, values, 12, name);
            for size in pages {
                for style in [Style::Stack, Style::Slashed, Style::Bars] {
                    if lanes == 5000 && style != Style::Stack {
                        continue;
                    }
                    let options = Options {
                        size,
                        style,
                        title: title.clone(),
                        caption: caption.clone(),
                        ..Options::default()
                    };
                    let (scene, _) = sheet.draw(&options);
                    assert_on_page(&scene);
                    assert_apart(&scene);
                    if lanes == 12 && style == Style::Stack && size.width_px() < 400.0 {
                        let file = svg::write(&scene);
                        assert!(raster::png(&file, size, Some(96.0)).is_ok());
                    }
                }
            }
        }
    }
}

#[test]
fn a_hundred_thousand_cells_are_drawn() {
    let sheet = large(50, 8, 1200, "CPU");
    assert!(sheet.track.len() > 95_000);
    let (scene, _) = sheet.draw(&Options::default());
    let file = svg::write(&scene);
    assert_eq!(
        marks(&file).values().map(Vec::len).sum::<usize>(),
        sheet.track.len()
    );
    assert!(file.len() < svg::LARGE_BYTES);
}

#[test]
fn missing_glyphs_and_lanes_in_order() {
    let sheet = large(3, 2, 3, "漢");
    let (_, warnings) = sheet.draw(&Options::default());
    assert!(
        warnings
            .iter()
            .any(|warning| matches!(warning, Warning::MissingGlyphs { .. }))
    );
    let tracks: Vec<Track> = ["CPU10", "CPU2"]
        .map(|name| Track {
            resource: name.into(),
            kind: "s".into(),
        })
        .to_vec();
    assert_eq!(lane::natural_order(&tracks), [1, 0]);
}

proptest! {
    // A failure is shown, not kept: files of failures are no part of the repository.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_name_draws_on_any_page(
        resource in "\\PC{0,40}|[\\x00-\\xFF]{0,8}",
        value in any::<String>(),
        title in any::<String>(),
        width in 1.0..900.0_f64,
        height in 1.0..500.0_f64,
        start in any::<i64>(),
        length in 0..i64::MAX,
    ) {
        let mut sheet = Sheet::new(&[&resource, "CPU1"], &[&value, "other"]);
        let end = start.saturating_add(length);
        sheet.add(0, (0, 0), (start, end), &[(0, 1.0, 1)]);
        sheet.add(1, (0, 0), (start, end), &[(0, 0.5, 3), (1, 0.25, u64::MAX)]);
        for style in [Style::Stack, Style::Slashed, Style::Bars] {
            let options = Options {
                style,
                size: Size::px(width, height),
                title: Some(title.clone()),
                caption: Some(resource.clone()),
                facts: vec![(title.clone(), value.clone())],
                palette: Palette::Map(vec![(value.clone(), "#123456".to_owned())]),
                ..Options::default()
            };
            let (scene, _) = sheet.draw(&options);
            assert_on_page(&scene);
            let file = svg::write(&scene);
            let parsed = roxmltree::Document::parse(&file);
            prop_assert!(parsed.is_ok(), "{parsed:?}");
            prop_assert!(!file.contains("NaN") && !file.contains("inf\""));
            prop_assert!(scene.texts().all(|text| text.content == text::clean(&text.content)));
        }
    }
}
