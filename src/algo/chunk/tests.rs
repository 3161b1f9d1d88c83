//! The machine against the rules read word for word, and the laws of aggregation.md, section 5.

use super::*;
use crate::algo::flatten::tests::{
    NAMES, Out, Random, Row, by_bytes, naive as naive_flatten, random_track, streamed,
};
use std::collections::BTreeMap;

/// A cell as owned data; shares by value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owned {
    key: (i64, i64),
    start: i64,
    end: i64,
    pure: bool,
    shares: BTreeMap<u32, (i64, i64)>,
}

/// Section 3 word for word, on rows in order.
fn naive(rows: &[Out], threshold: i64, max: Option<i64>) -> Vec<Owned> {
    let mut chunks: Vec<Vec<Out>> = Vec::new();
    for (at, &row) in rows.iter().enumerate() {
        let is_long = |row: &Out| row.1 - row.0 > threshold;
        let longest = rows[..at]
            .iter()
            .filter(|row| is_long(row))
            .map(|row| row.1);
        let opens = match chunks.last() {
            None => true,
            Some(chunk) => {
                let before = rows[at - 1];
                let reach = chunk.iter().map(|row| row.1).max().expect("not empty");
                is_long(&row)
                    || is_long(&before)
                    || row.0 > reach + threshold
                    || longest.max().is_some_and(|w| before.0 < w && w <= row.0)
            }
        };
        match chunks.last_mut() {
            Some(chunk) if !opens => chunk.push(row),
            _ => chunks.push(vec![row]),
        }
    }
    let mut cells: Vec<Owned> = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let mut parts: BTreeMap<i64, Vec<Out>> = BTreeMap::new();
        for row in chunk {
            let part = max.map_or(0, |max| (row.0 - chunk[0].0).div_euclid(max));
            parts.entry(part).or_default().push(*row);
        }
        for (part, members) in parts {
            let mut shares: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
            for member in &members {
                let share = shares.entry(member.2).or_default();
                share.0 += member.1 - member.0;
                share.1 += 1;
            }
            cells.push(Owned {
                key: (number as i64, part),
                start: members.iter().map(|row| row.0).min().expect("not empty"),
                end: members.iter().map(|row| row.1).max().expect("not empty"),
                pure: members.len() == 1,
                shares,
            });
        }
    }
    cells
}

fn chunked(rows: &[Out], threshold: i64, max: Option<i64>) -> Vec<Owned> {
    let rule = Rule::new(threshold, max).expect("in range");
    let mut cells = Vec::new();
    let mut sink = |cell: &Cell| -> Result<(), Overflow> {
        let shares: BTreeMap<_, _> = (cell.shares.iter())
            .map(|share| (share.value, (share.duration, share.number)))
            .collect();
        assert_eq!(shares.len(), cell.shares.len(), "a value has one share");
        cells.push(Owned {
            key: (cell.chunk, cell.subchunk),
            start: cell.start,
            end: cell.end,
            pure: cell.pure,
            shares,
        });
        Ok(())
    };
    let mut machine = Chunks::default();
    for &(start, end, value) in rows {
        machine
            .push(&rule, start, end, value, &mut sink)
            .expect("no overflow");
    }
    machine.finish(&mut sink).expect("no overflow");
    cells
}

/// The rows as they are, put in order by [`Ties`].
fn kept(rows: &[Row]) -> Vec<Out> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.0);
    let mut out = Vec::new();
    let mut sink = |start, end, value| -> Result<(), Overflow> {
        out.push((start, end, value));
        Ok(())
    };
    let mut ties = Ties::default();
    for (start, end, _, value) in rows {
        ties.push(start, end, value, &by_bytes, &mut sink)
            .expect("the sink takes all");
    }
    ties.finish(&by_bytes, &mut sink)
        .expect("the sink takes all");
    out
}

fn parameters(random: &mut Random) -> (i64, Option<i64>) {
    let max = random.below(8) as i64;
    (random.below(6) as i64, (max > 0).then_some(max))
}

fn totals(cells: &[Owned]) -> BTreeMap<u32, (i64, i64)> {
    let mut totals: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
    for (value, share) in cells.iter().flat_map(|cell| &cell.shares) {
        let total = totals.entry(*value).or_default();
        total.0 += share.0;
        total.1 += share.1;
    }
    totals
}

#[test]
fn equals_the_rules_read_word_for_word() {
    let mut random = Random(2);
    for round in 0..10_000 {
        let mut rows = random_track(&mut random);
        let (threshold, max) = parameters(&mut random);
        let flat = naive_flatten(&rows);
        let mut sorted: Vec<Out> = rows.iter().map(|row| (row.0, row.1, row.3)).collect();
        sorted.sort_by(|left, right| {
            (left.0, left.1)
                .cmp(&(right.0, right.1))
                .then(by_bytes(left.2, right.2))
        });
        random.shuffle(&mut rows);
        for (machine, reference) in [(streamed(&rows), flat), (kept(&rows), sorted)] {
            assert_eq!(machine, reference, "round {round}: {rows:?}");
            assert_eq!(
                chunked(&machine, threshold, max),
                naive(&reference, threshold, max),
                "round {round} T={threshold} M={max:?}: {rows:?}"
            );
        }
    }
}

#[test]
fn laws_hold() {
    let mut random = Random(3);
    for _ in 0..10_000 {
        let rows = streamed(&random_track(&mut random));
        let (threshold, max) = parameters(&mut random);
        let cells = chunked(&rows, threshold, max);

        // Conservation and count.
        let mut expected: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
        for row in &rows {
            let total = expected.entry(row.2).or_default();
            total.0 += row.1 - row.0;
            total.1 += 1;
        }
        assert_eq!(totals(&cells), expected, "{rows:?}");

        // Activity: no subchunk is more than full.
        for cell in &cells {
            let filled: i64 = cell.shares.values().map(|share| share.0).sum();
            assert!(filled <= cell.end - cell.start, "{rows:?} {cell:?}");
        }

        // Rectangles of positive height do not overlap. Only without M: a subchunk may begin with an instant inside
        // a short state that began in the subchunk before.
        for pair in chunked(&rows, threshold, None).windows(2) {
            let full = |cell: &Owned| cell.shares.values().any(|share| share.0 > 0);
            let apart = pair[0].end <= pair[1].start;
            assert!(apart || !full(&pair[0]) || !full(&pair[1]), "{rows:?}");
        }

        // T = 0: every state of positive duration is itself, only instants of one time meet.
        for cell in chunked(&rows, 0, None) {
            assert!(cell.pure || cell.start == cell.end, "{rows:?} {cell:?}");
        }

        // Nesting: with a larger T chunks only merge.
        let fine = chunked(&rows, threshold, None);
        let coarse = chunked(&rows, threshold + random.below(4) as i64, None);
        assert!(coarse.len() <= fine.len(), "{rows:?}");
        let mut at = 0;
        for cell in &coarse {
            let mut part = Vec::new();
            while part.len() < fine.len() && totals(&part) != totals(std::slice::from_ref(cell)) {
                part.push(fine[at].clone());
                at += 1;
            }
        }
        assert_eq!(at, fine.len(), "{rows:?}");

        // Locality: later states change at most the last chunk.
        let known = rows.len() / 2;
        let early = chunked(&rows[..known], threshold, max);
        let settled = early.last().map_or(0, |last| last.key.0);
        let before = |cells: &[Owned]| -> Vec<Owned> {
            let settled = cells.iter().filter(|cell| cell.key.0 < settled);
            settled.cloned().collect()
        };
        assert_eq!(before(&early), before(&cells), "{rows:?}");

        // Shift.
        let by = random.below(1000) as i64 - 500;
        let moved: Vec<Out> = (rows.iter())
            .map(|row| (row.0 + by, row.1 + by, row.2))
            .collect();
        let mut back = chunked(&moved, threshold, max);
        for cell in &mut back {
            cell.start -= by;
            cell.end -= by;
        }
        assert_eq!(back, cells, "{rows:?}");
    }
}

#[test]
fn many_values_in_one_subchunk_are_summed_like_few() {
    let rule = Rule::new(10, None).expect("in range");
    let mut machine = Chunks::default();
    let mut cells = 0;
    let mut sink = |cell: &Cell| -> Result<(), Overflow> {
        cells += 1;
        assert_eq!(cell.shares.len(), 1000);
        for share in cell.shares {
            assert_eq!((share.duration, share.number), (3, 3));
        }
        Ok(())
    };
    for time in 0..3000 {
        let value = (time % 1000) as u32;
        let pushed = machine.push(&rule, time, time + 1, value, &mut sink);
        assert_eq!(pushed, Ok(()));
    }
    assert_eq!(machine.finish(&mut sink), Ok(()));
    assert_eq!(cells, 1);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut sink = |_: &Cell| -> Result<(), Overflow> { Ok(()) };
    let wide = Rule::new(i64::MAX, Some(1)).expect("in range");
    let mut machine = Chunks::default();
    let span = machine.push(&wide, i64::MIN, 1, 0, &mut sink);
    assert_eq!(span, Err(Overflow));

    let mut machine = Chunks::default();
    assert_eq!(machine.push(&wide, 0, i64::MAX, 0, &mut sink), Ok(()));
    let sum = machine.push(&wide, 0, i64::MAX, 0, &mut sink);
    assert_eq!(sum, Err(Overflow));

    let mut machine = Chunks::default();
    assert_eq!(
        machine.push(&wide, i64::MIN, i64::MIN, 0, &mut sink),
        Ok(())
    );
    assert_eq!(machine.push(&wide, -1, -1, 0, &mut sink), Ok(()));
    let lattice = machine.push(&wide, 0, 0, 0, &mut sink);
    assert_eq!(lattice, Err(Overflow));
}

#[test]
fn parameters_out_of_range_are_refused() {
    assert_eq!(Rule::new(-1, None), Err(BadRule::Threshold));
    assert_eq!(Rule::new(0, Some(0)), Err(BadRule::Max));
    assert_eq!(Rule::new(0, Some(-5)), Err(BadRule::Max));
    assert!(Rule::new(0, Some(1)).is_ok());
}

#[test]
fn the_worked_example_of_section_4() {
    let short = |rows: &[Row]| -> Vec<(i64, i64, i64, i64, bool, usize)> {
        (chunked(&streamed(rows), 10, Some(8)).iter())
            .map(|cell| {
                let (chunk, subchunk) = cell.key;
                (
                    chunk,
                    subchunk,
                    cell.start,
                    cell.end,
                    cell.pure,
                    cell.shares.len(),
                )
            })
            .collect()
    };
    assert!(NAMES.len() > 3);
    let cpu0 = [
        (0, 30, 0, 0),
        (30, 33, 0, 1),
        (34, 38, 0, 0),
        (38, 48, 0, 1),
        (58, 61, 0, 2),
        (72, 74, 0, 0),
        (74, 74, 0, 1),
        (75, 100, 0, 2),
    ];
    assert_eq!(
        short(&cpu0),
        [
            (0, 0, 0, 30, true, 1),
            (1, 0, 30, 38, false, 2),
            (1, 1, 38, 48, true, 1),
            (1, 3, 58, 61, true, 1),
            (2, 0, 72, 74, false, 2),
            (3, 0, 75, 100, true, 1),
        ]
    );
    assert_eq!(
        short(&[(0, 40, 0, 3), (10, 15, 1, 4)]),
        [
            (0, 0, 0, 10, true, 1),
            (0, 1, 10, 15, true, 1),
            (1, 0, 15, 40, true, 1),
        ]
    );
}
