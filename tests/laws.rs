//! The laws of aggregation.md, section 5, on random small traces, through a session in process. The times of
//! the traces are nanoseconds, so that every number is a count of ticks and every comparison exact.
//!
//! `PROPTEST_CASES` says how many traces each law is tried on; 64 where it is not set.

use marey::diag::Diag;
use marey::plan::Figure;
use marey::session::{Session, SessionConfig};
use marey::spec::Value;
use marey::verb::{Host, Shown};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;

/// Keeps what a script shows: tables as CSV.
#[derive(Default)]
pub struct Captured {
    pub tables: Vec<String>,
    pub warnings: Vec<Diag>,
}

impl Host for Captured {
    fn table(&mut self, shown: &Shown) -> Result<usize, Diag> {
        let columns = &shown.table.columns;
        let schema = marey::plan::engine::stamped(shown.table.plan.schema().as_arrow(), columns);
        let visible: Vec<usize> = (0..schema.fields().len())
            .filter(|index| !marey::model::schema::is_hidden(schema.field(*index)))
            .collect();
        let projected = std::sync::Arc::new(schema.project(&visible).unwrap());
        let mut bytes = Vec::new();
        let format = marey::write::by_name("csv").unwrap();
        let mut writer =
            (format.open)(Box::new(&mut bytes), &projected, &Default::default()).unwrap();
        shown.engine.stream(&shown.table.plan, &mut |batch| {
            writer.batch(&batch.project(&visible).unwrap()).unwrap();
            Ok(())
        })?;
        writer.finish().unwrap();
        self.tables.push(String::from_utf8(bytes).unwrap());
        Ok(1)
    }

    fn text(&mut self, text: &str) -> Result<(), Diag> {
        self.tables.push(text.to_owned());
        Ok(())
    }

    fn value(&mut self, value: &Value) -> Result<(), Diag> {
        self.tables.push(value.to_string());
        Ok(())
    }

    fn figure(&mut self, _: &Figure, svg: &str) -> Result<(), Diag> {
        self.tables.push(svg.to_owned());
        Ok(())
    }

    fn warn(&mut self, diag: Diag) {
        self.warnings.push(diag);
    }

    fn stage(&mut self, _: &str) {}

    fn progress(&mut self, _: u64, _: u64) {}
}

/// A session of its own.
pub fn session() -> Session {
    Session::new(SessionConfig::default()).expect("a session")
}

/// A state: track, start, end, depth, value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    track: u8,
    start: i64,
    end: i64,
    depth: u8,
    value: char,
}

impl State {
    fn line(&self) -> String {
        // Two resources with two types each.
        let (resource, kind) = (self.track / 2, self.track % 2);
        let (start, end) = (self.start, self.end);
        format!(
            "State, CPU{resource}, Type {kind}, {start}, {end}, {}, {}, {}\n",
            end - start,
            self.depth,
            self.value
        )
    }

    fn moved(&self, by: i64) -> State {
        State {
            start: self.start + by,
            end: self.end + by,
            ..self.clone()
        }
    }
}

fn state() -> impl Strategy<Value = State> {
    let duration = prop_oneof![2 => Just(0_i64), 6 => 1_i64..8, 2 => 8_i64..30];
    let value = prop::sample::select(vec!['a', 'b', 'B', 'c', 'ä']);
    (0_u8..3, 0_i64..60, duration, 0_u8..3, value).prop_map(
        |(track, start, duration, depth, value)| State {
            track,
            start,
            end: start + duration,
            depth,
            value,
        },
    )
}

fn states() -> impl Strategy<Value = Vec<State>> {
    prop::collection::vec(state(), 0..18)
}

/// Runs scripts over traces in one session.
struct Bench {
    session: RefCell<Session>,
    folder: TempDir,
    files: RefCell<usize>,
}

impl Bench {
    /// The file of a trace; an empty trace keeps its columns.
    fn file(&self, states: &[State]) -> PathBuf {
        *self.files.borrow_mut() += 1;
        let path = self
            .folder
            .path()
            .join(format!("{}.csv", self.files.borrow()));
        std::fs::write(&path, states.iter().map(State::line).collect::<String>()).unwrap();
        path
    }

    /// What each pipeline gives of the trace, as CSV.
    fn tables(&self, states: &[State], pipelines: &[&str]) -> Vec<String> {
        let path = self.file(states);
        let mut script = format!("let run = load {:?} unit=ns\n", path.to_str().unwrap());
        for pipeline in pipelines {
            script.push_str(&format!("run | {pipeline}\n"));
        }
        let mut host = Captured::default();
        let outcome = self.session.borrow_mut().run("law", &script, &mut host);
        let errors: Vec<&str> = outcome
            .diags
            .iter()
            .map(|diag| diag.message.as_str())
            .collect();
        assert!(errors.is_empty(), "{script}\n{errors:?}");
        assert_eq!(host.tables.len(), pipelines.len(), "{script}");
        std::fs::remove_file(path).unwrap();
        host.tables
    }

    fn cells(&self, states: &[State], aggregate: &str) -> Vec<Cell> {
        cells(&self.tables(states, &[aggregate])[0])
    }
}

/// Tries a law on many inputs. The engine wants more stack than a test has.
fn law<S>(strategy: S, check: impl Fn(&Bench, S::Value) + Send + 'static)
where
    S: Strategy + Send + 'static,
{
    let body = move || {
        let bench = Bench {
            session: RefCell::new(session()),
            folder: TempDir::new().unwrap(),
            files: RefCell::new(0),
        };
        let mut config = ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = 64;
        }
        // A panic while shrinking prints its message; the smallest input comes last.
        config.max_shrink_iters = config.max_shrink_iters.min(2_000);
        TestRunner::new(config)
            .run(&strategy, |input| {
                check(&bench, input);
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
    };
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(body)
        .unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// A row of an aggregation.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    track: (String, String),
    chunk: i64,
    subchunk: i64,
    value: String,
    start: i64,
    end: i64,
    duration: i64,
    number: i64,
    activity: f64,
    low: f64,
    high: f64,
    pure: bool,
}

fn cells(csv: &str) -> Vec<Cell> {
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("resource,type,chunk,subchunk,value,start,end,duration,number,activity,low,high,pure")
    );
    lines
        .map(|line| {
            let cell: Vec<&str> = line.split(',').collect();
            let int = |at: usize| cell[at].parse::<i64>().unwrap_or_else(|_| panic!("{line}"));
            let float = |at: usize| cell[at].parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
            Cell {
                track: (cell[0].to_owned(), cell[1].to_owned()),
                chunk: int(2),
                subchunk: int(3),
                value: cell[4].to_owned(),
                start: int(5),
                end: int(6),
                duration: int(7),
                number: int(8),
                activity: float(9),
                low: float(10),
                high: float(11),
                pure: cell[12] == "true",
            }
        })
        .collect()
}

/// A piece of a flattened trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    track: (String, String),
    value: String,
    start: i64,
    end: i64,
}

const PIECES: &str = "select resource, type, value, start, end";

fn pieces(csv: &str) -> Vec<Piece> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("resource,type,value,start,end"));
    let mut pieces: Vec<Piece> = lines
        .map(|line| {
            let cell: Vec<&str> = line.split(',').collect();
            Piece {
                track: (cell[0].to_owned(), cell[1].to_owned()),
                value: cell[2].to_owned(),
                start: cell[3].parse().unwrap(),
                end: cell[4].parse().unwrap(),
            }
        })
        .collect();
    pieces.sort();
    pieces
}

type Key = ((String, String), String);

fn totals<T>(
    rows: &[T],
    key: impl Fn(&T) -> Key,
    length: impl Fn(&T) -> i64,
) -> BTreeMap<Key, i64> {
    let mut out = BTreeMap::new();
    for row in rows {
        *out.entry(key(row)).or_insert(0) += length(row);
    }
    out
}

fn threshold() -> impl Strategy<Value = i64> {
    prop_oneof![1 => Just(0_i64), 5 => 1_i64..15, 1 => 15_i64..100]
}

fn max() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![Just(None), (1_i64..12).prop_map(Some)]
}

fn aggregate(threshold: i64, max: Option<i64>, rest: &str) -> String {
    let max = max.map_or(String::new(), |max| format!(" max={max}ns"));
    format!("aggregate-by-threshold {threshold}ns{max} {rest}")
}

#[test]
fn conservation_and_count() {
    let input = (states(), threshold(), max(), prop::bool::ANY);
    law(input, |bench, (states, threshold, max, keep)| {
        let (nest, rows) = if keep {
            ("nest=keep", PIECES.to_owned())
        } else {
            ("", format!("flatten | {PIECES}"))
        };
        let tables = bench.tables(&states, &[&aggregate(threshold, max, nest), &rows]);
        let (cells, pieces) = (cells(&tables[0]), pieces(&tables[1]));
        let of_cells = totals(
            &cells,
            |c| (c.track.clone(), c.value.clone()),
            |c| c.duration,
        );
        let of_pieces = totals(
            &pieces,
            |p| (p.track.clone(), p.value.clone()),
            |p| p.end - p.start,
        );
        assert_eq!(of_cells, of_pieces);
        assert_eq!(
            cells.iter().map(|c| c.number).sum::<i64>(),
            pieces.len() as i64
        );
        for cell in &cells {
            let area = cell.activity * (cell.end - cell.start) as f64;
            let duration = cell.duration as f64;
            let expected = if cell.start == cell.end {
                0.0
            } else {
                duration
            };
            assert!(
                (area - expected).abs() <= 1e-9 * duration.max(1.0),
                "{cell:?}"
            );
            assert!(
                (cell.high - cell.low - cell.activity).abs() <= 1e-9,
                "{cell:?}"
            );
        }
    });
}

#[test]
fn flatten_is_exclusive_and_covers_the_union() {
    law(states(), |bench, states| {
        let pieces = pieces(&bench.tables(&states, &[&format!("flatten | {PIECES}")])[0]);
        for track in 0_u8..4 {
            let name = (format!("CPU{}", track / 2), format!("Type {}", track % 2));
            let of_track = states.iter().filter(|s| s.track == track);
            let mut spans: Vec<(i64, i64)> = pieces
                .iter()
                .filter(|p| p.track == name && p.end > p.start)
                .map(|p| (p.start, p.end))
                .collect();
            spans.sort_unstable();
            assert!(
                spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "{spans:?}"
            );
            let covered: std::collections::BTreeSet<i64> =
                of_track.clone().flat_map(|s| s.start..s.end).collect();
            let ticks: Vec<i64> = spans.iter().flat_map(|(start, end)| *start..*end).collect();
            assert!(
                ticks.iter().eq(covered.iter()),
                "{spans:?} is not the union"
            );
            // On top is the deepest, of those the one that starts latest, then ends earliest, then the smaller name.
            for piece in pieces.iter().filter(|p| p.track == name && p.end > p.start) {
                for tick in piece.start..piece.end {
                    let top = of_track
                        .clone()
                        .filter(|s| s.start <= tick && tick < s.end)
                        .max_by_key(|s| {
                            let name: Vec<u8> = s.value.to_string().bytes().map(|b| !b).collect();
                            (s.depth, s.start, -s.end, name)
                        })
                        .unwrap();
                    assert_eq!(piece.value, top.value.to_string(), "tick {tick}");
                }
            }
            let instants = |value: &str| {
                of_track
                    .clone()
                    .filter(|s| s.start == s.end && s.value.to_string() == value)
                    .count()
            };
            for value in ["a", "b", "B", "c", "ä"] {
                let kept = pieces
                    .iter()
                    .filter(|p| p.track == name && p.value == value && p.start == p.end);
                assert_eq!(kept.count(), instants(value));
            }
        }
    });
}

/// The naive reading of section 3 for flat rows of one track: chunk and subchunk of each row.
fn chunks_of(rows: &[(i64, i64, String)], threshold: i64, max: Option<i64>) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = Vec::new();
    let (mut chunk, mut first, mut reach) = (-1, 0, 0);
    let mut long_end: Option<i64> = None;
    for (at, (start, end, _)) in rows.iter().enumerate() {
        let is_long = end - start > threshold;
        let opens = match at.checked_sub(1).map(|before| &rows[before]) {
            None => true,
            Some((before, before_end, _)) => {
                let leaves = long_end.is_some_and(|long| *before < long && long <= *start);
                is_long || before_end - before > threshold || *start > reach + threshold || leaves
            }
        };
        if opens {
            chunk += 1;
            first = *start;
            reach = *end;
        } else {
            reach = reach.max(*end);
        }
        if is_long {
            long_end = Some(long_end.map_or(*end, |long| long.max(*end)));
        }
        out.push((chunk, max.map_or(0, |max| (start - first) / max)));
    }
    out
}

#[test]
fn chunks_are_those_of_the_definition() {
    let input = (states(), threshold(), max(), prop::bool::ANY);
    law(input, |bench, (states, threshold, max, keep)| {
        let (nest, rows) = if keep {
            ("nest=keep", PIECES.to_owned())
        } else {
            ("", format!("flatten | {PIECES}"))
        };
        let tables = bench.tables(&states, &[&aggregate(threshold, max, nest), &rows]);
        let (cells, pieces) = (cells(&tables[0]), pieces(&tables[1]));
        let mut expected: BTreeMap<_, (i64, i64, i64, i64)> = BTreeMap::new();
        let mut spans: BTreeMap<_, (i64, i64, i64)> = BTreeMap::new();
        let tracks: std::collections::BTreeSet<_> =
            pieces.iter().map(|p| p.track.clone()).collect();
        for track in tracks {
            let mut rows: Vec<(i64, i64, String)> = pieces
                .iter()
                .filter(|p| p.track == track)
                .map(|p| (p.start, p.end, p.value.clone()))
                .collect();
            rows.sort();
            for ((start, end, value), (chunk, subchunk)) in
                rows.iter().zip(chunks_of(&rows, threshold, max))
            {
                let key = (track.clone(), chunk, subchunk);
                let span = spans.entry(key.clone()).or_insert((*start, *end, 0));
                *span = (span.0.min(*start), span.1.max(*end), span.2 + 1);
                let cell = expected.entry((key, value.clone())).or_default();
                cell.0 += end - start;
                cell.1 += 1;
            }
        }
        for ((key, _), cell) in &mut expected {
            (cell.2, cell.3) = (spans[key].0, spans[key].1);
        }
        let found: BTreeMap<_, _> = cells
            .iter()
            .map(|c| {
                let key = (c.track.clone(), c.chunk, c.subchunk);
                assert_eq!(
                    c.pure,
                    spans.get(&key).is_some_and(|span| span.2 == 1),
                    "{c:?}"
                );
                (
                    (key, c.value.clone()),
                    (c.duration, c.number, c.start, c.end),
                )
            })
            .collect();
        assert_eq!(
            found.len(),
            cells.len(),
            "a value has two rows in one subchunk"
        );
        assert_eq!(found, expected);
    });
}

#[test]
fn activity_is_at_most_one_and_chunks_do_not_overlap() {
    law(
        (states(), threshold(), max()),
        |bench, (states, threshold, max)| {
            let cells = bench.cells(&states, &aggregate(threshold, max, ""));
            assert!(
                cells.iter().all(|cell| cell.high <= 1.0 + 1e-9),
                "{cells:?}"
            );
            // With `max` a subchunk may begin with an instant inside a short state of the one before it, since
            // states are not cut at the lattice; so this law holds without it only.
            let cells = bench.cells(&states, &aggregate(threshold, None, ""));
            let mut last: BTreeMap<_, (i64, i64)> = BTreeMap::new();
            for cell in cells.iter().filter(|cell| cell.high > cell.low) {
                if let Some((chunk, end)) = last.get(&cell.track)
                    && *chunk != cell.chunk
                {
                    assert!(*end <= cell.start, "{cell:?} overlaps the chunk before it");
                }
                last.insert(cell.track.clone(), (cell.chunk, cell.end));
            }
        },
    );
}

#[test]
fn threshold_zero_keeps_every_state() {
    law(states(), |bench, states| {
        let tables = bench.tables(
            &states,
            &["aggregate-by-threshold 0ns", &format!("flatten | {PIECES}")],
        );
        let (cells, pieces) = (cells(&tables[0]), pieces(&tables[1]));
        let as_piece = |cell: &Cell| Piece {
            track: cell.track.clone(),
            value: cell.value.clone(),
            start: cell.start,
            end: cell.end,
        };
        let mut whole: Vec<Piece> = cells
            .iter()
            .filter(|c| c.duration > 0)
            .map(as_piece)
            .collect();
        whole.sort();
        let long: Vec<Piece> = pieces.into_iter().filter(|p| p.end > p.start).collect();
        assert_eq!(whole, long);
        for cell in &cells {
            if cell.duration > 0 {
                assert!(cell.pure && cell.number == 1, "{cell:?}");
            } else {
                assert_eq!(cell.start, cell.end, "{cell:?}");
            }
        }
    });
}

#[test]
fn larger_thresholds_nest() {
    law(
        (states(), threshold(), threshold()),
        |bench, (states, a, b)| {
            let spans = |threshold: i64| {
                let mut spans: BTreeMap<_, (i64, i64)> = BTreeMap::new();
                for cell in bench.cells(&states, &aggregate(threshold, None, "")) {
                    spans.insert((cell.track, cell.chunk), (cell.start, cell.end));
                }
                spans
            };
            let (fine, coarse) = (spans(a.min(b)), spans(a.max(b)));
            assert!(coarse.len() <= fine.len());
            for ((track, chunk), (start, end)) in &fine {
                let holds = coarse
                    .iter()
                    .any(|((other, _), (from, to))| other == track && from <= start && end <= to);
                assert!(holds, "chunk {chunk} of {track:?} is cut: {start}..{end}");
            }
        },
    );
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let shuffled =
        states().prop_flat_map(|states| (Just(states.clone()), Just(states).prop_shuffle()));
    law(
        (shuffled, threshold(), max()),
        |bench, ((states, shuffled), threshold, max)| {
            let pipelines = [
                &aggregate(threshold, max, ""),
                &aggregate(threshold, max, "nest=keep order=name"),
                &aggregate(threshold, max, "nest=0"),
                "profile",
                "profile nest=keep",
                &format!("flatten | {PIECES} | sort start"),
                "summarize count(), sum(duration), median(duration) by value, depth",
                "take 5 | select resource, start, value",
            ];
            let before = bench.tables(&states, &pipelines);
            let after = bench.tables(&shuffled, &pipelines);
            for (pipeline, (before, after)) in pipelines.iter().zip(before.iter().zip(&after)) {
                assert_eq!(before, after, "{pipeline}");
            }
        },
    );
}

#[test]
fn a_track_depends_on_no_other_and_later_states_change_its_last_chunk() {
    let input = (states(), states(), threshold(), max(), 0_i64..40);
    law(input, |bench, (states, more, threshold, max, gap)| {
        let aggregate = aggregate(threshold, max, "order=name");
        let track = ("CPU0".to_owned(), "Type 0".to_owned());
        let of_track = |states: &[State]| -> Vec<Cell> {
            let cells = bench.cells(states, &aggregate);
            cells
                .into_iter()
                .filter(|cell| cell.track == track)
                .collect()
        };
        let before = of_track(&states);
        // States of other tracks.
        let mut others = states.clone();
        others.extend(more.iter().filter(|s| s.track != 0).cloned());
        assert_eq!(of_track(&others), before);
        // States that start where those of the track have ended, or later.
        let end = states
            .iter()
            .filter(|s| s.track == 0)
            .map(|s| s.end)
            .max()
            .unwrap_or(0);
        let mut later = states.clone();
        later.extend(
            more.iter()
                .filter(|s| s.track == 0)
                .map(|s| s.moved(end + gap)),
        );
        let after = of_track(&later);
        let last = before.iter().map(|cell| cell.chunk).max().unwrap_or(0);
        let kept = |cells: &[Cell]| -> Vec<Cell> {
            cells
                .iter()
                .filter(|cell| cell.chunk < last)
                .cloned()
                .collect()
        };
        assert_eq!(kept(&after), kept(&before));
    });
}

#[test]
fn a_shift_changes_start_and_end_only() {
    let input = (states(), threshold(), max(), 1_i64..1_000_000_000_000);
    law(input, |bench, (states, threshold, max, by)| {
        let aggregate = aggregate(threshold, max, "");
        let moved: Vec<State> = states.iter().map(|state| state.moved(by)).collect();
        let mut expected = bench.cells(&states, &aggregate);
        for cell in &mut expected {
            cell.start += by;
            cell.end += by;
        }
        assert_eq!(bench.cells(&moved, &aggregate), expected);
        // The verb `shift` does the same.
        let shifted = bench.cells(&states, &format!("shift offset=-{by}ns | {aggregate}"));
        assert_eq!(shifted, expected);
    });
}

#[test]
fn the_profile_is_the_sum_of_any_aggregate() {
    law(
        (states(), threshold(), max()),
        |bench, (states, threshold, max)| {
            let tables = bench.tables(&states, &["profile", &aggregate(threshold, max, "")]);
            let mut durations: BTreeMap<String, i64> = BTreeMap::new();
            for cell in cells(&tables[1]) {
                *durations.entry(cell.value).or_default() += cell.duration;
            }
            let all: i64 = durations.values().sum();
            let mut before: Option<(i64, String)> = None;
            let mut rows = 0;
            for line in tables[0].lines().skip(1) {
                let cell: Vec<&str> = line.split(',').collect();
                let (value, duration) = (cell[0], cell[1].parse::<i64>().unwrap());
                // A state wholly hidden by others has no piece and stays in the profile.
                assert_eq!(
                    duration,
                    durations.get(value).copied().unwrap_or(0),
                    "{value}"
                );
                let number = states
                    .iter()
                    .filter(|s| s.value.to_string() == value)
                    .count();
                assert_eq!(cell[2], number.to_string(), "{value}");
                let share: f64 = cell[3].parse().unwrap();
                let expected = if all == 0 {
                    0.0
                } else {
                    duration as f64 / all as f64
                };
                assert!((share - expected).abs() < 1e-12, "{value}");
                if let Some((most, name)) = before {
                    assert!(
                        most > duration || most == duration && name.as_bytes() < value.as_bytes(),
                        "{value}"
                    );
                }
                before = Some((duration, value.to_owned()));
                rows += 1;
            }
            let values: std::collections::BTreeSet<char> = states.iter().map(|s| s.value).collect();
            assert_eq!(rows, values.len());
        },
    );
}
