//! Tests of the Gantt chart: what is on the page, against what follows from the definition.

mod page;
mod property;

use super::*;
use crate::figure::chart::tests::{assert_apart, assert_on_page};
use crate::figure::error::Warning;
use crate::figure::layout::time_axis_width_px;
use crate::figure::scene::{Group, Line, Mark, Rect, Scene, Text};
use crate::figure::svg;

const LOGICAL: TimeBase = TimeBase::Logical { ticks_per_unit: 1 };

/// A mark as a test writes it: row, start, end, value, depth.
type Plain = (u32, i64, i64, u32, u32);

fn table(rows: &[&str], marks: &[Plain]) -> Table {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let values: Vec<String> = names(&["A", "B", "C", "D"]);
    let mut columns = Marks::default();
    for &(row, start, end, value, depth) in marks {
        columns.row.push(row);
        columns.start.push(start);
        columns.end.push(end);
        columns.value.push(value);
        columns.depth.push(depth);
    }
    Table {
        rows: rows
            .iter()
            .map(|label| Row {
                label: (*label).to_owned(),
                group: None,
            })
            .collect(),
        groups: Vec::new(),
        domain: values.clone(),
        values,
        labels: Vec::new(),
        marks: columns,
        links: Vec::new(),
        references: Vec::new(),
        time: LOGICAL,
    }
}

/// As given, from the top down: the order of a text.
fn options() -> Options {
    Options {
        row_order: RowOrder::Given,
        first_row: FirstRow::Top,
        ..Options::default()
    }
}

fn scene(table: &Table, options: &Options) -> Scene {
    let (scene, _) = gantt(table, options).unwrap();
    scene
}

fn group<'a>(scene: &'a Scene, role: &str) -> &'a [Mark] {
    let found = scene.groups.iter().find(|group| group.role == role);
    found.map_or(&[], |group: &Group| &group.marks)
}

/// Label and rectangle of all marks, in the order in which they are drawn.
fn rects(scene: &Scene) -> Vec<(String, Rect)> {
    let mut out = Vec::new();
    for mark in group(scene, "marks") {
        if let Mark::Rects { label, rects, .. } = mark {
            out.extend(rects.iter().map(|rect| (label.clone(), *rect)));
        }
    }
    out
}

fn one(scene: &Scene, label: &str) -> Rect {
    let found: Vec<Rect> = rects(scene)
        .into_iter()
        .filter(|(name, _)| name == label)
        .map(|(_, rect)| rect)
        .collect();
    assert_eq!(found.len(), 1, "{label}");
    found[0]
}

fn texts(scene: &Scene, role: &str) -> Vec<Text> {
    let texts = group(scene, role).iter().filter_map(|mark| match mark {
        Mark::Text(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

/// Pixels that two rectangles have in common, above what doubles lose.
fn common(one: &Rect, two: &Rect) -> f64 {
    let width = one.right().min(two.right()) - one.x.max(two.x);
    let height = one.bottom().min(two.bottom()) - one.y.max(two.y);
    if width > 1e-6 && height > 1e-6 {
        width * height
    } else {
        0.0
    }
}

fn px_per_tick(rows: &[&str], ticks: f64) -> f64 {
    let names: Vec<String> = rows.iter().map(|name| (*name).to_owned()).collect();
    time_axis_width_px(Size::DEFAULT, &names) / ticks
}

#[test]
fn states_are_as_wide_as_they_are_long() {
    let marks = [
        (0, 0, 1_000_000, 0, 0),
        (0, 1_000_000, 1_000_001, 1, 0),
        (1, 0, 10_000_000, 2, 0),
    ];
    let scene = scene(&table(&["x", "y"], &marks), &options());
    let px = px_per_tick(&["x", "y"], 1e7);
    assert!((one(&scene, "A").width - 1e6 * px).abs() < 1e-6);
    assert!((one(&scene, "B").width - px).abs() < 1e-9);
    assert!(
        one(&scene, "A").bottom() <= one(&scene, "C").y,
        "x is above y"
    );
    assert!(svg::write(&scene).contains(&format!("width=\"{:.6}\"", px).replace("0\"", "\"")));
}

#[test]
fn an_instant_is_a_pixel_wide() {
    let marks = [
        (0, 0, 10, 0, 0),
        (0, 5, 5, 1, 0),
        (1, 0, 0, 2, 0),
        (1, 10, 10, 3, 0),
    ];
    let scene = scene(&table(&["x", "y"], &marks), &options());
    let plot = scene.groups.iter().find_map(|group| group.clip).unwrap();
    for name in ["B", "C", "D"] {
        let rect = one(&scene, name);
        assert!((rect.width - 1.0).abs() < 1e-9);
        assert!(rect.x >= plot.x - 1e-9 && rect.right() <= plot.right() + 1e-9);
    }
    // Within a state it is a tick at its upper edge and takes no room.
    let (state, tick) = (one(&scene, "A"), one(&scene, "B"));
    assert!((tick.y - state.y).abs() < 1e-9);
    assert!(tick.height <= 0.25 * state.height && tick.height >= 1.5);
}

#[test]
fn a_nested_state_leaves_its_parent_to_be_seen() {
    let marks = [
        (0, 0, 100, 0, 0),
        (0, 0, 60, 1, 1),
        (0, 10, 60, 2, 2),
        (0, 100, 200, 3, 0),
    ];
    let scene = scene(&table(&["x"], &marks), &options());
    let (a, b, c) = (one(&scene, "A"), one(&scene, "B"), one(&scene, "C"));
    for (inner, outer) in [(b, a), (c, b)] {
        assert!(inner.y > outer.y + 0.1 * outer.height);
        assert!(inner.bottom() < outer.bottom() - 0.1 * outer.height);
    }
    assert_eq!(
        (a.y, a.height),
        (one(&scene, "D").y, one(&scene, "D").height)
    );
    let drawn: Vec<String> = rects(&scene).into_iter().map(|(name, _)| name).collect();
    assert_eq!(drawn, ["A", "D", "B", "C"], "inner ones are drawn later");
}

#[test]
fn a_nested_state_stays_with_its_parent() {
    // Two that run at once, each with a nested one.
    let marks = [
        (0, 0, 100, 0, 0),
        (0, 10, 110, 1, 0),
        (0, 102, 108, 2, 1),
        (0, 20, 90, 3, 1),
    ];
    let scene = scene(&table(&["x"], &marks), &options());
    let inside = |inner: Rect, outer: Rect| inner.y > outer.y && inner.bottom() < outer.bottom();
    assert!(inside(one(&scene, "C"), one(&scene, "B")));
    assert!(inside(one(&scene, "D"), one(&scene, "A")));
}

#[test]
fn claims_are_as_high_as_their_part_of_the_capacity() {
    let mut table = table(
        &["memory"],
        &[
            (0, 0, 10, 0, 0),
            (0, 0, 20, 1, 0),
            (0, 5, 20, 2, 0),
            (0, 12, 20, 3, 0),
        ],
    );
    let claim = |amount, offset| {
        Some(Claim {
            amount,
            capacity: 8.0,
            offset,
        })
    };
    table.marks.claim = vec![
        claim(3.0, None),
        claim(1.0, None),
        claim(2.0, None),
        claim(1.0, Some(7.0)),
    ];
    let scene = scene(&table, &options());
    let (a, b, c, d) = (
        one(&scene, "A"),
        one(&scene, "B"),
        one(&scene, "C"),
        one(&scene, "D"),
    );
    let unit = b.height;
    assert!((a.height - 3.0 * unit).abs() < 1e-4 && (c.height - 2.0 * unit).abs() < 1e-4);
    // The longer of two that start together is below; the third stands on both; the fourth where it says.
    assert!((a.bottom() - b.y).abs() < 1e-4 && (c.bottom() - a.y).abs() < 1e-4);
    assert!((b.bottom() - d.y - 8.0 * unit).abs() < 1e-4);
}

#[test]
fn claims_past_the_capacity_are_cut_and_said() {
    let mut table = table(
        &["memory"],
        &[(0, 0, 10, 0, 0), (0, 5, 20, 1, 0), (0, 30, 40, 2, 0)],
    );
    let claim = |amount| {
        Some(Claim {
            amount,
            capacity: 4.0,
            offset: None,
        })
    };
    table.marks.claim = vec![claim(3.0), claim(2.0), claim(9.0)];
    let (scene, warnings) = gantt(&table, &options()).unwrap();
    let row = "memory".to_owned();
    assert_eq!(warnings, [Warning::PastCapacity { claims: 2, row }]);
    let plot = scene.groups.iter().find_map(|group| group.clip).unwrap();
    for (_, rect) in rects(&scene) {
        assert!(rect.y >= plot.y && rect.bottom() <= plot.bottom());
    }
    assert!(common(&one(&scene, "A"), &one(&scene, "B")) > 0.0);
}

#[test]
fn what_is_free_in_pieces_is_not_past_the_capacity() {
    // Three thirds; the first and the last end, and two thirds are wanted while the middle one stays.
    let mut table = table(
        &["memory"],
        &[
            (0, 0, 10, 0, 0),
            (0, 1, 30, 1, 0),
            (0, 2, 10, 2, 0),
            (0, 10, 20, 3, 0),
        ],
    );
    let claim = |amount| {
        Some(Claim {
            amount,
            capacity: 3.0,
            offset: None,
        })
    };
    table.marks.claim = vec![claim(1.0), claim(1.0), claim(1.0), claim(2.0)];
    let (_, warnings) = gantt(&table, &options()).unwrap();
    let row = "memory".to_owned();
    assert_eq!(warnings, [Warning::NoFreePlace { claims: 1, row }]);
}

#[test]
fn the_critical_path_of_the_memory_case() {
    // ../shared/cases/critical-path/memory, mode application: B1 waits for G0, which is no dependency.
    let rows = ["A", "B", "G"];
    let mut table = table(
        &rows,
        &[
            (0, 0, 4, 0, 0),
            (1, 4, 9, 0, 0),
            (2, 9, 12, 0, 0),
            (0, 4, 8, 0, 0),
            (1, 12, 17, 0, 0),
            (2, 17, 21, 0, 0),
        ],
    );
    use Critical::{Critical as On, NotBlockedByDependency as Bright, NotCritical as Off};
    table.marks.critical = vec![On, On, On, Off, Bright, On];
    let link = |from: u32, to: u32, class| Link {
        class,
        from: End {
            row: table.marks.row[from as usize],
            time: table.marks.end[from as usize],
            mark: Some(from),
        },
        to: End {
            row: table.marks.row[to as usize],
            time: table.marks.start[to as usize],
            mark: Some(to),
        },
    };
    table.links = vec![
        link(0, 1, LinkClass::Critical),
        link(1, 2, LinkClass::Critical),
        link(2, 4, LinkClass::NotDependency),
        link(4, 5, LinkClass::Critical),
    ];
    let colouring = Colouring::Critical;
    let options = Options {
        colouring,
        ..options()
    };
    let scene = scene(&table, &options);
    let count = |class: Critical| {
        let drawn = rects(&scene);
        drawn
            .iter()
            .filter(|(name, _)| name == class.name())
            .count()
    };
    assert_eq!([Off, On, Bright].map(count), [1, 4, 1]);
    let words: Vec<Text> = texts(&scene, "legend");
    for word in [
        "critical",
        "critical, not blocked by a dependency",
        "critical link, no dependency",
    ] {
        assert!(words.iter().any(|text| text.content == word), "{word}");
    }
    // All gaps are 0: an arrow is upright, begins beside its source and has its tip at the edge of its target.
    let px = px_per_tick(&rows, 21.0);
    let bars: Vec<Rect> = rects(&scene).into_iter().map(|(_, rect)| rect).collect();
    let left = bars.iter().map(|bar| bar.x).fold(f64::INFINITY, f64::min);
    let bar = |start: f64| {
        let at = |bar: &&Rect| (bar.x - left - start * px).abs() < 1e-6;
        let mut found: Vec<Rect> = bars.iter().filter(at).copied().collect();
        found.sort_by(|one, two| one.y.total_cmp(&two.y));
        found
    };
    let mut tips: Vec<(f64, f64)> = Vec::new();
    for mark in group(&scene, "links") {
        if let Mark::Triangles { triangles, .. } = mark {
            tips.extend(triangles.iter().map(|triangle| triangle[0]));
        }
    }
    tips.sort_by(|one, two| one.0.total_cmp(&two.0));
    // B0 is below A1, which starts with it.
    let targets = [bar(4.0)[1], bar(9.0)[0], bar(12.0)[0], bar(17.0)[0]];
    assert_eq!(tips.len(), 4);
    for (tip, (target, is_upwards)) in tips
        .iter()
        .zip(targets.iter().zip([false, false, true, false]))
    {
        assert!((tip.0 - target.x).abs() < 1e-6, "{tip:?} {target:?}");
        let edge = if is_upwards {
            target.bottom()
        } else {
            target.y
        };
        assert!((tip.1 - edge).abs() < 1e-6, "{tip:?} {target:?}");
    }
}

#[test]
fn arrows_in_a_row_are_seen() {
    let mut table = table(
        &["x"],
        &[(0, 0, 50, 0, 0), (0, 50, 99, 1, 0), (0, 200, 300, 2, 0)],
    );
    let end = |time, mark| End {
        row: 0,
        time,
        mark: Some(mark),
    };
    let link = |from, to| Link {
        class: LinkClass::Normal,
        from,
        to,
    };
    table.links = vec![link(end(50, 0), end(50, 1)), link(end(99, 1), end(200, 2))];
    let scene = scene(&table, &options());
    let bar = one(&scene, "A");
    let mut lines: Vec<Line> = Vec::new();
    for mark in group(&scene, "links") {
        if let Mark::Lines { lines: more, .. } = mark {
            lines.extend(more);
        }
    }
    // The bow over the common edge, and a straight arrow from edge to edge.
    assert_eq!(lines.len(), 4);
    assert!(
        lines
            .iter()
            .any(|line| line.from.1 < bar.y && line.to.1 < bar.y)
    );
    let (b, c) = (one(&scene, "B"), one(&scene, "C"));
    let straight = lines.iter().find(|line| line.from.0 == b.right()).unwrap();
    assert!(straight.to.0 < c.x && straight.from.1 == straight.to.1);
}

#[test]
fn texts_stay_in_their_bars() {
    let mut marks = Vec::new();
    let mut seed = 3_u64;
    for row in 0..6 {
        let mut at = 0;
        while at < 1000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let length = 2 + (seed >> 40) as i64 % 150;
            marks.push((row, at, at + length, (seed >> 33) as u32 % 4, 0));
            if length > 60 {
                marks.push((row, at + length / 2, at + length, 1, 1));
            }
            at += length;
        }
    }
    let mut table = table(&["a", "b", "c", "d", "e", "f"], &marks);
    table.labels = ["x", "dgemm", "a kernel with a long name", "漢字"]
        .map(String::from)
        .to_vec();
    table.marks.label = (0..marks.len()).map(|mark| Some(mark as u32 % 4)).collect();
    for width in [85.0, 170.0, 400.0] {
        let size = Size::mm(width, 90.0);
        let scene = scene(&table, &Options { size, ..options() });
        let bars = rects(&scene);
        let words = texts(&scene, "labels");
        assert!(words.len() > 10);
        for word in &words {
            let (left, right) = word.extent();
            let (top, bottom) = (word.y - 0.73 * word.size, word.y);
            let holds = |bar: &Rect| {
                bar.x <= left && bar.right() >= right && bar.y <= top && bar.bottom() >= bottom
            };
            let holder = bars
                .iter()
                .filter(|(_, bar)| holds(bar))
                .map(|(_, bar)| bar);
            // Of a nested state and its parent the text is that of the state it is within; and no bar cuts it.
            assert!(holder.count() >= 1, "{word:?}");
            let text = Rect::new(left, top, right - left, bottom - top);
            for (_, bar) in &bars {
                assert!(holds(bar) || common(bar, &text) == 0.0, "{word:?} {bar:?}");
            }
            let is_whole = table.labels.contains(&word.content);
            assert!(is_whole || word.content.chars().count() >= 4, "{word:?}");
        }
        assert_apart(&scene);
    }
}

#[test]
fn a_range_cuts_and_leaves_out() {
    let mut table = table(
        &["x", "y"],
        &[(0, 0, 100, 0, 0), (0, 100, 200, 1, 0), (1, 300, 400, 2, 0)],
    );
    table.labels = vec!["a text in the bar".to_owned()];
    table.marks.label = vec![Some(0); 3];
    let view = Options {
        time_range: Some((50, 250)),
        ..options()
    };
    let scene = scene(&table, &view);
    assert_eq!(rects(&scene).len(), 2);
    let plot = scene.groups.iter().find_map(|group| group.clip).unwrap();
    for text in texts(&scene, "labels") {
        assert!(text.extent().0 >= plot.x && text.extent().1 <= plot.right());
    }
    let late = Options {
        time_range: Some((500, 600)),
        ..options()
    };
    assert_eq!(
        texts(&self::scene(&table, &late), "notice")[0].content,
        "no states in this range"
    );
    let reversed = Options {
        time_range: Some((2, 1)),
        ..options()
    };
    let error = gantt(&table, &reversed).unwrap_err();
    assert_eq!(error, FigureError::BadTimeRange { start: 2, end: 1 });
}

#[test]
fn a_short_segment_is_a_pixel_long_and_the_later_one_wins() {
    let marks = [
        (0, 0, 500_000, 0, 0),
        (0, 500_000, 500_001, 1, 0),
        (0, 500_001, 1_000_000, 2, 0),
    ];
    let table = table(&["x"], &marks);
    let style = Style::Segments;
    let scene = scene(&table, &Options { style, ..options() });
    let mut lines: Vec<Line> = Vec::new();
    for mark in group(&scene, "marks") {
        let Mark::Lines { lines: more, .. } = mark else {
            panic!("{mark:?}");
        };
        lines.extend(more);
    }
    assert_eq!(lines.len(), 3);
    let [a, b, c] = [lines[0], lines[1], lines[2]];
    assert!((b.to.0 - b.from.0 - 1.0).abs() < 1e-9);
    assert!(
        b.from.0 < a.to.0 - 0.4,
        "it covers the end of what was before it"
    );
    assert!(c.from.0 < b.to.0 - 0.4, "what comes after it covers it");
    // Drawn the other way round, a rectangle shows nothing of this.
    let drawn = rects(&self::scene(&table, &options()));
    assert!(
        drawn
            .iter()
            .all(|(name, rect)| name != "B" || rect.width < 0.001)
    );
}

#[test]
fn rows_stand_in_groups_and_in_order() {
    let mut table = table(
        &["CPU10", "CPU2", "CPU1", "GPU0"],
        &[
            (0, 0, 9, 0, 0),
            (1, 0, 9, 1, 0),
            (2, 0, 9, 2, 0),
            (3, 0, 9, 3, 0),
        ],
    );
    let tops = |table: &Table, options: &Options| {
        let scene = scene(table, options);
        let mut drawn: Vec<(f64, String)> = rects(&scene)
            .into_iter()
            .map(|(name, rect)| (rect.y, name))
            .collect();
        drawn.sort_by(|one, two| one.0.total_cmp(&two.0));
        drawn.into_iter().map(|(_, name)| name).collect::<String>()
    };
    let natural = Options {
        row_order: RowOrder::Natural,
        ..options()
    };
    assert_eq!(tops(&table, &options()), "ABCD");
    assert_eq!(tops(&table, &natural), "CBAD");
    assert_eq!(
        tops(&table, &Options::default()),
        "DABC",
        "the first is the lowest"
    );
    table.groups = ["node1", "node0"].map(String::from).to_vec();
    for (row, group) in table.rows.iter_mut().zip([Some(1), Some(0), Some(1), None]) {
        row.group = group;
    }
    assert_eq!(tops(&table, &natural), "BCAD");
    let words: Vec<String> = texts(&scene(&table, &natural), "axes")
        .into_iter()
        .map(|text| text.content)
        .collect();
    assert!(words.contains(&"node0".to_owned()) && words.contains(&"node1".to_owned()));
}

#[test]
fn reference_lines_say_what_they_are() {
    let mut table = table(&["x"], &[(0, 0, 1000, 0, 0)]);
    let line = |time, label: &str| Reference {
        time,
        label: label.to_owned(),
    };
    table.references = vec![
        line(1000, "makespan"),
        line(990, "critical length"),
        line(980, "another line"),
        line(1000, "end"),
        line(5, "start"),
    ];
    let scene = scene(&table, &options());
    let words = texts(&scene, "references");
    let contents: Vec<&str> = words.iter().map(|text| text.content.as_str()).collect();
    assert_eq!(
        contents,
        ["start", "another line", "critical length", "end, makespan"]
    );
    assert_on_page(&scene);
    assert_apart(&scene);
    let [Mark::Lines { lines, .. }, ..] = group(&scene, "references") else {
        panic!("no lines");
    };
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_lens_magnifies_states() {
    let marks = [(0, 0, 100, 0, 0), (0, 400, 500, 1, 0)];
    let table = table(&["x"], &marks);
    let lens = |start, end, factor| Some(Lens { start, end, factor });
    let with = |lens| Options { lens, ..options() };
    let scene = scene(&table, &with(lens(400, 500, 5.0)));
    let (a, b) = (one(&scene, "A"), one(&scene, "B"));
    assert!((b.width - 5.0 * a.width).abs() < 1e-6);
    assert!(scene.facts.contains(&("magnified by".into(), "5".into())));
    for bad in [lens(5, 5, 2.0), lens(0, 5, 0.0), lens(0, 5, f64::NAN)] {
        let error = gantt(&table, &with(bad)).unwrap_err();
        assert!(matches!(error, FigureError::BadLens { .. }));
    }
}
