//! The task graph of the right-looking tiled Cholesky factorisation, computed from indices instead of stored.
//!
//! Each task rewrites one tile of the lower triangle, and a tile is read only after its last rewriting, so the graph has
//! true dependencies alone and "how often has this tile been rewritten" tells which tasks are ready.

use super::rows::StateValue;

/// Edge of a square tile, in elements; StarPU's examples and Chameleon use 960.
pub(super) const TILE_EDGE: u32 = 960;

/// Number of tasks for a matrix of `tiles` × `tiles` tiles: n potrf, n(n-1)/2 trsm, as many syrk, n(n-1)(n-2)/6 gemm.
///
/// Exact for every u32 that [`super::Parameters::validate`] lets through.
pub fn task_count(tiles: u32) -> u64 {
    let n = u64::from(tiles);
    let pairs = n * n.saturating_sub(1);
    n + pairs + pairs * n.saturating_sub(2) / 6
}

/// Number of dependencies between those tasks, the rows of [`super::links`].
///
/// Each task but those of the first iteration follows the one that rewrote its tile before; besides, a trsm or syrk reads one
/// more tile and a gemm two.
pub fn dependency_count(tiles: u32) -> u64 {
    let n = u64::from(tiles);
    let pairs = n * n.saturating_sub(1);
    let gemm = pairs * n.saturating_sub(2) / 6;
    let first_iteration = n * (n + 1) / 2;
    task_count(tiles) - first_iteration + pairs + 2 * gemm
}

/// The four kernels, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kernel {
    Potrf,
    Trsm,
    Syrk,
    Gemm,
}

impl Kernel {
    /// How many kernels there are.
    pub(super) const COUNT: usize = 4;

    /// The value of the task's state.
    pub(super) fn value(self) -> StateValue {
        match self {
            Self::Potrf => StateValue::Potrf,
            Self::Trsm => StateValue::Trsm,
            Self::Syrk => StateValue::Syrk,
            Self::Gemm => StateValue::Gemm,
        }
    }

    /// Work of one task, in 10⁹ floating-point operations (leading term).
    pub(super) fn gflop(self) -> f64 {
        let edge = f64::from(TILE_EDGE);
        let cube = edge * edge * edge / 1e9;
        match self {
            Self::Potrf => cube / 3.0,
            Self::Trsm | Self::Syrk => cube,
            Self::Gemm => 2.0 * cube,
        }
    }
}

/// A task: iteration `step` rewrites tile (`row`, `column`), where `step <= column <= row`.
///
/// The kernel follows: potrf on the diagonal of the iteration, trsm below it, syrk on later diagonals, gemm elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Task {
    pub(super) step: u16,
    pub(super) row: u16,
    pub(super) column: u16,
}

impl Task {
    /// The task that factorises the first tile; every other one depends on it.
    pub(super) const FIRST: Self = Self::new(0, 0, 0);

    const fn new(step: u16, row: u16, column: u16) -> Self {
        Self { step, row, column }
    }

    pub(super) fn kernel(self) -> Kernel {
        match (self.column == self.step, self.row == self.column) {
            (true, true) => Kernel::Potrf,
            (true, false) => Kernel::Trsm,
            (false, true) => Kernel::Syrk,
            (false, false) => Kernel::Gemm,
        }
    }

    /// Place in submission order, from 1: by iteration, then potrf, the column of trsm, the updates row by row.
    pub(super) fn job(self, tiles: u32) -> u64 {
        let left = u64::from(tiles - 1 - u32::from(self.step));
        let before = task_count(tiles) - task_count(tiles - u32::from(self.step));
        let row = u64::from(self.row - self.step);
        let column = u64::from(self.column - self.step);
        let within = match column {
            0 => row,
            _ => left + row * (row - 1) / 2 + column,
        };
        before + 1 + within
    }

    /// Chameleon's priority: the three indices grow along every path to the end, so their sum falls along the critical path.
    pub(super) fn priority(self, tiles: u32) -> u32 {
        3 * tiles - u32::from(self.step) - u32::from(self.row) - u32::from(self.column)
    }

    /// The tiles the task uses, numbered by [`tile_index`]: those it reads first, the rewritten one last.
    pub(super) fn tiles(self) -> Tiles {
        let rewritten = tile_index(self.row, self.column);
        let above = tile_index(self.row, self.step);
        match self.kernel() {
            Kernel::Potrf => Tiles::new([rewritten, 0, 0], 1),
            Kernel::Trsm => Tiles::new([tile_index(self.step, self.step), rewritten, 0], 2),
            Kernel::Syrk => Tiles::new([above, rewritten, 0], 2),
            Kernel::Gemm => Tiles::new([above, tile_index(self.column, self.step), rewritten], 3),
        }
    }
}

/// One to three tile numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    list: [u32; 3],
    length: usize,
}

impl Tiles {
    /// No tile at all.
    pub(super) const NONE: Self = Self::new([0; 3], 0);

    const fn new(list: [u32; 3], length: usize) -> Self {
        Self { list, length }
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        &self.list[..self.length]
    }
}

/// Number of tile (`row`, `column`) of the lower triangle, row by row.
pub(super) fn tile_index(row: u16, column: u16) -> u32 {
    u32::from(row) * (u32::from(row) + 1) / 2 + u32::from(column)
}

/// Tiles in the lower triangle.
pub(super) fn tile_total(tiles: u32) -> usize {
    (tiles as usize) * (tiles as usize + 1) / 2
}

/// How far the factorisation has come: for each tile, how often it has been rewritten.
pub(super) struct Progress {
    tiles: u16,
    rewritten: Vec<u16>,
}

impl Progress {
    /// Nothing done; `tiles` is within the limits of the parameters, so it fits a u16.
    pub(super) fn new(tiles: u32) -> Self {
        Self {
            tiles: u16::try_from(tiles).unwrap_or(u16::MAX),
            rewritten: vec![0; tile_total(tiles)],
        }
    }

    fn count(&self, row: u16, column: u16) -> u16 {
        self.rewritten[tile_index(row, column) as usize]
    }

    /// Has the tile got its final value?
    fn is_final(&self, row: u16, column: u16) -> bool {
        self.count(row, column) == column + 1
    }

    /// Notes that `task` is done and appends the tasks that only waited for it.
    ///
    /// A task is found by the last of its dependencies and by no other, for it needs all of them to be done. O(tiles) for
    /// potrf and trsm, O(1) for the others.
    pub(super) fn complete(&mut self, task: Task, ready: &mut Vec<Task>) {
        let Task { step, row, column } = task;
        self.rewritten[tile_index(row, column) as usize] = step + 1;
        match task.kernel() {
            Kernel::Potrf => {
                for below in step + 1..self.tiles {
                    if self.count(below, step) == step {
                        ready.push(Task::new(step, below, step));
                    }
                }
            }
            Kernel::Trsm => self.complete_panel(step, row, ready),
            Kernel::Syrk | Kernel::Gemm => {
                let next = step + 1;
                let reads_are_final = if next == column {
                    row == column || self.is_final(column, column)
                } else {
                    self.is_final(row, next) && self.is_final(column, next)
                };
                if reads_are_final {
                    ready.push(Task::new(next, row, column));
                }
            }
        }
    }

    /// The updates of iteration `step` that read tile (`row`, `step`): of a row up to the diagonal, of a column below it.
    fn complete_panel(&self, step: u16, row: u16, ready: &mut Vec<Task>) {
        for column in step + 1..=row {
            if self.is_final(column, step) && self.count(row, column) == step {
                ready.push(Task::new(step, row, column));
            }
        }
        for below in row + 1..self.tiles {
            if self.is_final(below, step) && self.count(below, row) == step {
                ready.push(Task::new(step, below, row));
            }
        }
    }
}
