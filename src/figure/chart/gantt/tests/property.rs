//! What holds for any marks, names and pages.

use proptest::prelude::*;

use super::*;
use crate::figure::svg;

/// Most marks that run at once, by counting at each start.
fn most_at_once(marks: &[(u32, i64, i64)]) -> usize {
    let at = |time: i64| {
        marks
            .iter()
            .filter(move |(_, start, end)| *start <= time && time < *end)
    };
    marks
        .iter()
        .map(|(_, start, _)| at(*start).count())
        .max()
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_one_depth_hides_another(
        drawn in proptest::collection::vec((0..3_u32, 0..60_i64, 1..25_i64), 1..50)
    ) {
        let marks: Vec<Plain> = drawn
            .iter()
            .map(|&(row, start, length)| (row, start, start + length, row, 0))
            .collect();
        let scene = scene(&table(&["x", "y", "z"], &marks), &options());
        let bars = rects(&scene);
        prop_assert_eq!(bars.len(), marks.len());
        for (index, (_, first)) in bars.iter().enumerate() {
            for (_, second) in &bars[..index] {
                prop_assert_eq!(common(first, second), 0.0);
            }
        }
        // A row has as many sub-rows as states run at once; all bars of a row are equally high.
        for (row, name) in ["A", "B", "C"].into_iter().enumerate() {
            let of_row: Vec<(u32, i64, i64)> = drawn
                .iter()
                .filter(|(other, _, _)| *other as usize == row)
                .map(|&(other, start, length)| (other, start, start + length))
                .collect();
            let mut tops: Vec<i64> = bars
                .iter()
                .filter(|(label, _)| label == name)
                .map(|(_, bar)| (bar.y * 1000.0).round() as i64)
                .collect();
            tops.sort_unstable();
            tops.dedup();
            prop_assert_eq!(tops.len(), most_at_once(&of_row));
        }
    }

    #[test]
    fn claims_keep_their_area(
        drawn in proptest::collection::vec((0..60_i64, 1..25_i64, 1..4_u32), 1..8)
    ) {
        let marks: Vec<Plain> = drawn
            .iter()
            .map(|&(start, length, _)| (0, start, start + length, 0, 0))
            .collect();
        let mut table = table(&["x"], &marks);
        // At most 7 claims of at most 3 always fit, whatever places were left by those that ended.
        table.marks.claim = drawn
            .iter()
            .map(|&(_, _, amount)| Some(Claim { amount: f64::from(amount), capacity: 64.0, offset: None }))
            .collect();
        let (scene, warnings) = gantt(&table, &options()).unwrap();
        prop_assert_eq!(warnings, []);
        let (start, end) = table.extent().unwrap();
        let ticks = (end - start) as f64;
        let px = px_per_tick(&["x"], ticks);
        let plot = scene.groups.iter().find_map(|group| group.clip).unwrap();
        let gap = crate::figure::lane::Lanes::new(1, 0.0, plot.height).gap();
        let wanted: f64 = drawn
            .iter()
            .map(|&(_, length, amount)| f64::from(amount) / 64.0 * length as f64)
            .sum();
        let bars = rects(&scene);
        let area: f64 = bars.iter().map(|(_, bar)| bar.width * bar.height).sum();
        let expected = wanted * px * (plot.height - gap);
        prop_assert!((area - expected).abs() <= 1e-5 * expected, "{} {}", area, expected);
        for (index, (_, first)) in bars.iter().enumerate() {
            for (_, second) in &bars[..index] {
                prop_assert!(common(first, second) < 1e-3);
            }
        }
    }

    #[test]
    fn any_name_draws_on_any_page(
        name in any::<String>(),
        width in 1.0..900.0_f64,
        height in 1.0..500.0_f64,
        start in any::<i64>(),
        length in 0..i64::MAX,
    ) {
        let end = start.saturating_add(length);
        let mut table = table(&[&name, "other"], &[(0, start, end, 0, 0), (1, start, start, 1, 3), (0, end, end, 2, 1)]);
        table.values[0].clone_from(&name);
        table.labels = vec![name.clone()];
        table.marks.label = vec![Some(0); 3];
        table.groups = vec![name.clone()];
        table.rows[0].group = Some(0);
        table.references = vec![Reference { time: start, label: name.clone() }];
        let at = |row, time, mark| End { row, time, mark };
        table.links = vec![
            Link { class: LinkClass::Normal, from: at(0, start, None), to: at(1, end, Some(1)) },
            Link { class: LinkClass::Critical, from: at(0, end, Some(0)), to: at(0, start, Some(2)) },
        ];
        for style in [Style::Rects, Style::Segments] {
            for time_range in [None, Some((start.saturating_sub(5), start.saturating_add(5)))] {
                let options = Options {
                    size: Size::px(width, height),
                    style,
                    time_range,
                    title: Some(name.clone()),
                    lens: Some(Lens { start: start.min(i64::MAX - 9), end: start.min(i64::MAX - 9) + 3, factor: 7.0 }),
                    ..options()
                };
                let scene = scene(&table, &options);
                assert_on_page(&scene);
                let file = svg::write(&scene);
                let parsed = roxmltree::Document::parse(&file);
                prop_assert!(parsed.is_ok(), "{parsed:?}");
                prop_assert!(!file.contains("NaN") && !file.contains("inf\""));
            }
        }
    }
}
