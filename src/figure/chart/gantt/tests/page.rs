//! The page as a whole: what is refused, what is said, what does not show, and whether it is tidy.

use super::*;
use crate::figure::{raster, svg};

#[test]
fn bad_tables_are_errors_and_no_panics() {
    let good = || {
        let mut table = table(&["x", "y"], &[(0, 0, 9, 0, 0), (1, 0, 9, 1, 0)]);
        table.marks.claim = vec![None, None];
        table
    };
    fn claim(amount: f64, capacity: f64, offset: Option<f64>) -> Option<Claim> {
        Some(Claim {
            amount,
            capacity,
            offset,
        })
    }
    let broken: [fn(&mut Table); 9] = [
        |table| table.marks.row[1] = 2,
        |table| table.marks.value[1] = 4,
        |table| table.marks.end[1] = -1,
        |table| table.marks.label = vec![None, Some(0)],
        |table| table.marks.depth.truncate(1),
        |table| table.marks.claim[1] = claim(-1.0, 1.0, None),
        |table| table.marks.claim[1] = claim(1.0, 0.0, None),
        |table| table.marks.claim[1] = claim(1.0, 1.0, Some(f64::NAN)),
        |table| table.rows[1].group = Some(0),
    ];
    for spoil in broken {
        let mut table = good();
        spoil(&mut table);
        let error = gantt(&table, &options()).unwrap_err();
        assert!(
            matches!(error, FigureError::BadTable { row: 1, .. }),
            "{error}"
        );
    }
    let critical = Options {
        colouring: Colouring::Critical,
        ..options()
    };
    assert!(gantt(&good(), &critical).is_err());
}

#[test]
fn the_empty_table_is_a_frame_with_a_word_in_it() {
    for colouring in [Colouring::Value, Colouring::Critical] {
        let options = Options {
            colouring,
            ..options()
        };
        let (scene, warnings) = gantt(&table(&[], &[]), &options).unwrap();
        assert!(svg::write(&scene).contains(">no states</text>"));
        assert_eq!(warnings, []);
    }
}

#[test]
fn many_marks_and_links_are_said() {
    let count = draw::MANY_MARKS as i64 + 1;
    let marks: Vec<Plain> = (0..count)
        .map(|at| (at as u32 % 7, at, at + 3, at as u32 % 4, 0))
        .collect();
    let mut table = table(&["1", "2", "3", "4", "5", "6", "7"], &marks);
    let end = |mark: u32| End {
        row: mark % 7,
        time: i64::from(mark),
        mark: Some(mark),
    };
    table.links = (0..2001)
        .map(|mark| Link {
            class: LinkClass::Normal,
            from: end(mark),
            to: end(mark + 5),
        })
        .collect();
    let (scene, warnings) = gantt(&table, &options()).unwrap();
    assert_eq!(
        warnings,
        [
            Warning::ManyMarks { marks: 20_001 },
            Warning::ManyLinks { links: 2001 }
        ]
    );
    assert_eq!(rects(&scene).len(), 20_001);
}

/// A table of everything, its rows of marks in the order of `order` and its names numbered anew by `turn`.
fn shuffled(order: &[usize], turn: usize) -> Table {
    let count = order.len();
    let mut table = table(&["w10", "w9", "w1"], &[]);
    table.values.rotate_left(turn % 4);
    table.labels = ["one", "two", "three"].map(String::from).to_vec();
    table.labels.rotate_left(turn % 3);
    table.rows.rotate_left(turn % 3);
    let number =
        |index: usize, turn: usize, names: usize| ((index + names - turn % names) % names) as u32;
    let mut place = vec![0_u32; count];
    for (at, &mark) in order.iter().enumerate() {
        place[mark] = at as u32;
        let start = (mark as i64 * 37) % 200;
        let marks = &mut table.marks;
        marks.row.push(number(mark % 3, turn, 3));
        marks.start.push(start);
        marks.end.push(start + (mark as i64 * 13) % 40);
        marks.value.push(number(mark % 4, turn, 4));
        marks
            .label
            .push((mark % 5 > 0).then(|| number(mark % 3, turn, 3)));
        marks.depth.push(mark as u32 % 2);
        marks.claim.push((mark % 6 == 1).then_some(Claim {
            amount: 1.0 + mark as f64 % 3.0,
            capacity: 5.0,
            offset: None,
        }));
    }
    let end = |mark: usize, is_source: bool| {
        let at = place[mark] as usize;
        End {
            row: table.marks.row[at],
            time: if is_source {
                table.marks.end[at]
            } else {
                table.marks.start[at]
            },
            mark: Some(at as u32),
        }
    };
    let links = order
        .iter()
        .filter(|&&mark| mark + 1 < count && mark % 3 == 0);
    table.links = links
        .map(|&mark| Link {
            class: [LinkClass::Normal, LinkClass::NotDependency][mark % 2],
            from: end(mark, true),
            to: end(mark + 1, false),
        })
        .collect();
    table
}

#[test]
fn the_order_of_the_table_does_not_show() {
    let count = 60;
    let options = Options {
        size: Size::mm(170.0, 120.0),
        ..Options::default()
    };
    let straight: Vec<usize> = (0..count).collect();
    let expected = svg::write(&scene(&shuffled(&straight, 0), &options));
    for turn in 1..6 {
        let order: Vec<usize> = (0..count).map(|at| (at * 7 + turn * 11) % count).collect();
        for style in [Style::Rects, Style::Segments] {
            let options = Options {
                style,
                ..options.clone()
            };
            let expected = svg::write(&scene(&shuffled(&straight, 0), &options));
            let other = svg::write(&scene(&shuffled(&order, turn), &options));
            assert!(expected == other, "turn {turn} {style:?}");
        }
    }
    assert_eq!(
        raster::png(&expected, options.size, Some(50.0)),
        raster::png(&expected, options.size, Some(50.0))
    );
}

#[test]
fn every_page_is_tidy() {
    let order: Vec<usize> = (0..120).collect();
    let mut table = shuffled(&order, 1);
    table.groups = ["a group", "another group of rows with a long name"]
        .map(String::from)
        .to_vec();
    for (index, row) in table.rows.iter_mut().enumerate() {
        row.group = Some(u32::from(index > 1));
    }
    table.references = (0..6)
        .map(|line| Reference {
            time: line * line * 8,
            label: format!("reference line {line}"),
        })
        .collect();
    for (width, height) in [
        (170.0, 60.0),
        (85.0, 60.0),
        (85.0, 25.0),
        (20.0, 20.0),
        (400.0, 300.0),
        (1.0, 1.0),
        (3.0, 200.0),
        (200.0, 3.0),
    ] {
        for style in [Style::Rects, Style::Segments] {
            let options = Options {
                size: Size::mm(width, height),
                style,
                title: Some("A title that is long enough to need more than one line".to_owned()),
                caption: Some(
                    "A caption that goes on for a while, and then for some more.".to_owned(),
                ),
                lens: Some(Lens {
                    start: 20,
                    end: 60,
                    factor: 3.0,
                }),
                ..Options::default()
            };
            let scene = scene(&table, &options);
            assert_on_page(&scene);
            assert_apart(&scene);
        }
    }
}

#[test]
fn a_hundred_thousand_states_are_drawn() {
    let marks: Vec<Plain> = (0..100_000)
        .map(|at| {
            (
                at as u32 % 16,
                at / 16 * 10,
                at / 16 * 10 + 9,
                at as u32 % 4,
                0,
            )
        })
        .collect();
    let names: Vec<String> = (0..16).map(|row| format!("CPU{row}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let scene = scene(&table(&names, &marks), &options());
    assert_eq!(rects(&scene).len(), 100_000);
}
