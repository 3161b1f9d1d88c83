//! Tests of panels: what is shared is there once and at one place; what is not is as without a panel.

use super::*;
use crate::figure::axis::TimeBase;
use crate::figure::chart::gantt::{self, Marks, Row, Table};
use crate::figure::chart::tests::{assert_apart, assert_on_page};
use crate::figure::chart::{self, CellColumns, Gantt, Stacked};
use crate::figure::lane::Track;
use crate::figure::palette::Palette;
use crate::figure::scale::Lens;
use crate::figure::scene::{Rect, Text};
use crate::figure::svg;

const MILLISECOND: TimeBase = TimeBase::Physical {
    tick_picoseconds: 1_000_000_000,
};

/// A stacked chart of single states, one after the other in each lane, with the values in turn.
fn stacked(title: &str, lanes: usize, (start, end): (i64, i64), number: u64) -> Stacked {
    let mut cells = CellColumns::default();
    for lane in 0..lanes {
        for (part, value) in [(0, 0), (1, 1)] {
            let half = (end - start) / 2;
            cells.track.push(lane as u32);
            cells.start.push(start + part * half);
            cells.end.push(start + (part + 1) * half);
            cells.value.push(value);
            cells.low.push(0.0);
            cells.high.push(if part == 0 { 1.0 } else { 0.5 });
            cells.number.push(if part == 0 { 1 } else { number });
            cells.pure.push(part == 0);
            cells.chunk.push(part);
            cells.subchunk.push(0);
        }
    }
    let values = ["A", "B"].map(String::from).to_vec();
    Stacked {
        tracks: (0..lanes)
            .map(|lane| Track {
                resource: format!("CPU{lane}"),
                kind: "s".to_owned(),
            })
            .collect(),
        domain: values.clone(),
        values,
        cells,
        time: MILLISECOND,
        options: chart::Options {
            title: Some(title.to_owned()),
            ..chart::Options::default()
        },
    }
}

/// A Gantt chart of one state in each row.
fn states(title: &str, rows: usize, (start, end): (i64, i64)) -> Gantt {
    let values = ["A", "C"].map(String::from).to_vec();
    let table = Table {
        rows: (0..rows)
            .map(|row| Row {
                label: format!("a row with a long name {row}"),
                group: None,
            })
            .collect(),
        groups: Vec::new(),
        domain: ["A", "B", "C"].map(String::from).to_vec(),
        values,
        labels: Vec::new(),
        marks: Marks {
            row: (0..rows as u32).collect(),
            start: vec![start; rows],
            end: vec![end; rows],
            value: (0..rows as u32).map(|row| row % 2).collect(),
            ..Marks::default()
        },
        links: Vec::new(),
        references: Vec::new(),
        time: MILLISECOND,
    };
    Gantt {
        table,
        options: gantt::Options {
            title: Some(title.to_owned()),
            ..gantt::Options::default()
        },
    }
}

fn options(share: Share, layout: Layout) -> Options {
    Options {
        size: Some(Size::mm(170.0, 120.0)),
        share,
        layout,
        ..Options::default()
    }
}

fn groups<'a>(scene: &'a Scene, role: &str) -> Vec<&'a Group> {
    let found = scene.groups.iter().filter(|group| group.role == role);
    found.collect()
}

fn words(scene: &Scene) -> Vec<&Text> {
    scene.texts().collect()
}

fn count(scene: &Scene, word: &str) -> usize {
    let words = words(scene);
    words.iter().filter(|text| text.content == word).count()
}

/// Rectangles of the marks of each chart.
fn marks(scene: &Scene) -> Vec<Vec<Rect>> {
    let of_group = |group: &Group| {
        let rects = group.marks.iter().map(|mark| match mark {
            Mark::Rects { rects, .. } => rects.clone(),
            _ => Vec::new(),
        });
        rects.flatten().collect()
    };
    groups(scene, "marks").into_iter().map(of_group).collect()
}

#[test]
fn charts_of_a_column_share_one_axis_and_one_legend() {
    let (one, two) = (stacked("one", 3, (0, 100), 7), states("two", 2, (50, 200)));
    let charts: [&dyn Chart; 2] = [&one, &two];
    let (scene, warnings) = panel(&charts, &options(Share::Time, Layout::Column)).unwrap();
    assert_eq!(warnings, []);
    for word in ["time [ms]", "A", "B", "C", "one", "two"] {
        assert_eq!(count(&scene, word), 1, "{word}");
    }
    let at = |word: &str| words(&scene).into_iter().find(|text| text.content == word);
    let (a, b, c) = (at("A").unwrap(), at("B").unwrap(), at("C").unwrap());
    assert!(a.x < b.x && b.x < c.x, "in the order of the domain");
    // The axes agree: tick 50 is half of the first chart, and where the second begins.
    let marks = marks(&scene);
    let (first, second) = (&marks[0], &marks[1]);
    let half = first.iter().map(|rect| rect.x).fold(0.0, f64::max);
    assert!((half - second[0].x).abs() < 1e-9);
    assert!((second[0].width - 3.0 * first[0].width).abs() < 1e-6);
    // One below the other.
    let lowest = first.iter().map(Rect::bottom).fold(0.0, f64::max);
    assert!(second.iter().all(|rect| rect.y > lowest));
    assert!(svg::write(&scene).contains("<fact name=\"chart 2: marks\">2</fact>"));
}

#[test]
fn lanes_are_equally_high_or_as_weighted() {
    let (one, two) = (states("one", 4, (0, 100)), states("two", 8, (0, 100)));
    let charts: [&dyn Chart; 2] = [&one, &two];
    let heights = |heights: Heights| {
        let options = Options {
            heights,
            ..options(Share::Time, Layout::Column)
        };
        let (scene, _) = panel(&charts, &options).unwrap();
        let clips: Vec<f64> = groups(&scene, "marks")
            .iter()
            .filter_map(|group| group.clip)
            .map(|clip| clip.height)
            .collect();
        clips[1] / clips[0]
    };
    assert!((heights(Heights::Lanes) - 2.0).abs() < 0.05);
    assert!((heights(Heights::Given(vec![3.0, 1.0])) - 1.0 / 3.0).abs() < 0.05);
    for bad in [vec![1.0], vec![1.0, 0.0], vec![1.0, f64::NAN]] {
        let options = Options {
            heights: Heights::Given(bad),
            ..Options::default()
        };
        let error = panel(&charts, &options).unwrap_err();
        assert!(matches!(error, FigureError::BadPanel { .. }));
    }
}

#[test]
fn runs_of_different_lengths_share_their_scale() {
    let (one, two) = (states("one", 2, (0, 100)), states("two", 2, (1000, 1400)));
    let charts: [&dyn Chart; 2] = [&one, &two];
    for layout in [Layout::Column, Layout::Row] {
        let (scene, _) = panel(&charts, &options(Share::Scale, layout)).unwrap();
        let marks = marks(&scene);
        let (first, second) = (marks[0][0], marks[1][0]);
        assert!((second.width - 4.0 * first.width).abs() < 1e-6);
        if layout == Layout::Column {
            assert!((second.x - first.x).abs() < 1e-9);
        } else {
            assert!((second.y - first.y).abs() < 1e-9);
        }
        let axes = words(&scene);
        let axes = axes
            .iter()
            .filter(|text| text.content.starts_with("time ["));
        assert_eq!(axes.count(), 2);
        assert_eq!(count(&scene, "A"), 1);
    }
}

#[test]
fn tints_are_those_of_the_largest_number_of_all() {
    let (one, two) = (
        stacked("one", 1, (0, 100), 10),
        stacked("two", 1, (0, 100), 1000),
    );
    let charts: [&dyn Chart; 2] = [&one, &two];
    let fills = |share: Share| {
        let (scene, _) = panel(&charts, &options(share, Layout::Column)).unwrap();
        let found = groups(&scene, "marks");
        let marks = found[0].marks.iter().filter_map(|mark| match mark {
            Mark::Rects { fill, label, .. } if label == "B" => Some(fill.to_string()),
            _ => None,
        });
        (marks.collect::<Vec<String>>(), count(&scene, "1000 states"))
    };
    // Blue (0, 114, 178) at 1 - 0.9 * log 10 / log 1000 = 0.7 on white, and at 0.1.
    assert_eq!(fills(Share::Time), (vec!["#4D9CC9".to_owned()], 1));
    assert_eq!(fills(Share::None).0, ["#E6F1F7"]);
}

#[test]
fn without_sharing_a_chart_is_as_without_a_panel() {
    let one = stacked("one", 3, (0, 100), 7);
    let charts: [&dyn Chart; 1] = [&one];
    let options = Options {
        size: Some(Size::DEFAULT),
        share: Share::None,
        ..Options::default()
    };
    let (scene, _) = panel(&charts, &options).unwrap();
    let (alone, _) = chart::stacked(&one.table(), &one.options).unwrap();
    let drawn: Vec<&Group> = scene
        .groups
        .iter()
        .filter(|group| !group.marks.is_empty())
        .collect();
    let expected: Vec<&Group> = alone
        .groups
        .iter()
        .filter(|group| !group.marks.is_empty())
        .collect();
    assert_eq!(drawn, expected);
}

#[test]
fn what_cannot_share_its_time_is_an_error() {
    let one = states("one", 2, (0, 100));
    let mut other = states("other", 2, (0, 100));
    other.table.time = TimeBase::Logical { ticks_per_unit: 1 };
    let mut magnified = states("magnified", 2, (0, 100));
    magnified.options.lens = Some(Lens {
        start: 0,
        end: 5,
        factor: 3.0,
    });
    for bad in [&other, &magnified] {
        let charts: [&dyn Chart; 3] = [&one, &one, bad];
        for share in [Share::Time, Share::Scale] {
            let error = panel(&charts, &options(share, Layout::Column)).unwrap_err();
            assert!(
                matches!(error, FigureError::NoCommonTime { chart: 3, .. }),
                "{error}"
            );
        }
        assert!(panel(&charts, &options(Share::None, Layout::Column)).is_ok());
    }
    let error = panel(&[], &Options::default()).unwrap_err();
    assert!(matches!(error, FigureError::BadPanel { .. }));
}

#[test]
fn a_value_with_two_colours_is_said() {
    let (one, mut two) = (states("one", 2, (0, 100)), states("two", 2, (0, 100)));
    two.options.palette = Palette::Map(vec![("C".to_owned(), "#123456".to_owned())]);
    let charts: [&dyn Chart; 2] = [&one, &two];
    let (_, warnings) = panel(&charts, &options(Share::Time, Layout::Column)).unwrap();
    let value = "C".to_owned();
    assert_eq!(warnings, [Warning::ColoursDiffer { value }]);
}

#[test]
fn plots_beside_each_other_begin_at_one_height() {
    let long = "a title that needs more than one line where the page is only half as wide as the other one";
    let (one, mut two) = (stacked(long, 3, (0, 100), 7), states("two", 2, (50, 200)));
    two.options.caption = Some("a caption".to_owned());
    let charts: [&dyn Chart; 2] = [&one, &two];
    let (scene, _) = panel(&charts, &options(Share::Time, Layout::Row)).unwrap();
    let clips: Vec<Rect> = groups(&scene, "marks")
        .iter()
        .filter_map(|group| group.clip)
        .collect();
    assert!((clips[0].y - clips[1].y).abs() < 1e-9);
    assert!((clips[0].bottom() - clips[1].bottom()).abs() < 1e-9);
    assert!((clips[0].width - clips[1].width).abs() < 1e-9);
}

#[test]
fn every_page_is_tidy() {
    let empty = states("an empty one", 0, (0, 0));
    let (one, two) = (
        stacked("one", 12, (0, 100), 7),
        states("two", 30, (50, 200)),
    );
    let charts: [&dyn Chart; 3] = [&one, &empty, &two];
    for share in [Share::Time, Share::Scale, Share::None] {
        for layout in [Layout::Column, Layout::Row] {
            for (width, height) in [
                (170.0, 120.0),
                (85.0, 200.0),
                (85.0, 40.0),
                (400.0, 400.0),
                (10.0, 10.0),
                (1.0, 1.0),
                (200.0, 2.0),
                (2.0, 200.0),
            ] {
                for title in [None, Some("A panel of charts".to_owned())] {
                    let options = Options {
                        size: Some(Size::mm(width, height)),
                        title,
                        ..options(share, layout)
                    };
                    let (scene, _) = panel(&charts, &options).unwrap();
                    assert_on_page(&scene);
                    assert_apart(&scene);
                    let file = svg::write(&scene);
                    assert!(roxmltree::Document::parse(&file).is_ok());
                    let (again, _) = panel(&charts, &options).unwrap();
                    assert!(file == svg::write(&again));
                }
            }
        }
    }
    let (scene, _) = panel(&charts, &Options::default()).unwrap();
    // Three charts of 170 mm x 60 mm each.
    assert_eq!(scene.size.width.unit, LengthUnit::Mm);
    assert!((scene.size.width.value - 170.0).abs() < 1e-9);
    assert!((scene.size.height.value - 180.0).abs() < 1e-9);
}
