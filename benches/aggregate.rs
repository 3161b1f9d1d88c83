//! The threshold rule on generated states: the pure algorithm against one plain pass over the same columns, and the whole
//! pipeline through the engine. Compare the ratios of one run, not times of different days.

use divan::{Bencher, black_box};
use marey::algo::cholesky::{self, Parameters};
use marey::algo::chunk::{Chunks, Overflow, Rule};
use marey::session::{Session, SessionConfig};
use marey::verb::{Host, Shown};

fn main() {
    divan::main();
}

/// Starts and ends of one worker's tasks, sorted, and their values.
fn column(rows: usize) -> Vec<(i64, i64, u32)> {
    let parameters = Parameters {
        tiles: 100,
        cpus: 8,
        gpus: 2,
        seed: 1,
    };
    let states = cholesky::states(&parameters).into_iter().flatten();
    let mut out: Vec<(i64, i64, u32)> = states
        .filter(|row| row.resource == 4 && row.depth == 0)
        .map(|row| (row.start, row.end, row.value as u32))
        .take(rows)
        .collect();
    // The algorithm needs ties in full order.
    out.sort_unstable();
    out
}

/// One pass that only adds durations up: the limit that any algorithm is measured against.
#[divan::bench(args = [10_000])]
fn plain_pass(bencher: Bencher, rows: usize) {
    let column = column(rows);
    bencher.bench(|| {
        let mut sums = [0_i64; 32];
        for (start, end, value) in black_box(&column) {
            if let Some(sum) = sums.get_mut(*value as usize) {
                *sum += end - start;
            }
        }
        sums
    });
}

/// The chunker on the same column.
#[divan::bench(args = [10_000])]
fn chunks_of_one_track(bencher: Bencher, rows: usize) {
    let column = column(rows);
    let rule = Rule::new(10_000_000, Some(30_000_000));
    bencher.bench(|| {
        let mut cells = 0_usize;
        if let Ok(rule) = &rule {
            let mut chunks = Chunks::default();
            for (start, end, value) in black_box(&column) {
                let _ = chunks.push(rule, *start, *end, *value, &mut |cell| {
                    cells += cell.shares.len();
                    Ok::<(), Overflow>(())
                });
            }
            let _ = chunks.finish(&mut |cell| {
                cells += cell.shares.len();
                Ok::<(), Overflow>(())
            });
        }
        cells
    });
}

/// Counts rows and shows nothing.
struct Count(usize);

impl Host for Count {
    fn table(&mut self, shown: &Shown) -> Result<usize, marey::diag::Diag> {
        shown.engine.stream(&shown.table.plan, &mut |batch| {
            self.0 += batch.num_rows();
            Ok(())
        })?;
        Ok(self.0)
    }

    fn text(&mut self, _: &str) -> Result<(), marey::diag::Diag> {
        Ok(())
    }

    fn value(&mut self, _: &marey::spec::Value) -> Result<(), marey::diag::Diag> {
        Ok(())
    }

    fn figure(&mut self, _: &marey::plan::Figure, _: &str) -> Result<(), marey::diag::Diag> {
        Ok(())
    }

    fn warn(&mut self, _: marey::diag::Diag) {}

    fn stage(&mut self, _: &str) {}

    fn progress(&mut self, _: u64, _: u64) {}
}

/// The simulation alone, as the engine reads it: what the next bench is to be compared with.
#[divan::bench(args = [30])]
fn states_of_cholesky_tiles(bencher: Bencher, tiles: u32) {
    run(
        bencher,
        &format!("generate cholesky tiles={tiles} | summarize count(), sum(duration)"),
    );
}

/// States to cells through the engine.
#[divan::bench(args = [30])]
fn cells_of_cholesky_tiles(bencher: Bencher, tiles: u32) {
    run(
        bencher,
        &format!("generate cholesky tiles={tiles} | aggregate-by-threshold 10ms max=30ms"),
    );
}

fn run(bencher: Bencher, script: &str) {
    let Ok(mut session) = Session::new(SessionConfig::default()) else {
        return;
    };
    bencher.bench_local(|| {
        let mut host = Count(0);
        let outcome = session.run("bench", script, &mut host);
        (outcome.exit_code, host.0)
    });
}
