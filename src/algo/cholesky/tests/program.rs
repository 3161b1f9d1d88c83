//! The task graph as StarPU finds it: the sequential program, whose accesses to tiles are analysed one after the other.

use std::collections::{BTreeSet, HashMap};

/// A dependency as (source job, target job, tile row, tile column, does the target rewrite the tile).
pub(super) type Edge = (u64, u64, u32, u32, bool);

/// The sequential program, its tasks as (kernel, iteration, row, column), and what last-writer and reader analysis of its
/// accesses says: true dependencies, and (source, target) pairs where the target rewrites what the source read.
pub(super) struct Program {
    pub(super) tasks: Vec<(&'static str, u32, u32, u32)>,
    pub(super) edges: BTreeSet<Edge>,
    pub(super) anti: BTreeSet<(u64, u64)>,
}

#[derive(Default)]
struct Handle {
    writer: Option<u64>,
    readers: Vec<u64>,
}

pub(super) fn program(tiles: u32) -> Program {
    let mut program = Program {
        tasks: Vec::new(),
        edges: BTreeSet::new(),
        anti: BTreeSet::new(),
    };
    let mut handles: HashMap<(u32, u32), Handle> = HashMap::new();
    let mut insert = |name, step, reads: &[(u32, u32)], rewrites: (u32, u32)| {
        program.tasks.push((name, step, rewrites.0, rewrites.1));
        let job = program.tasks.len() as u64;
        for &(row, column) in reads {
            let handle = handles.entry((row, column)).or_default();
            if let Some(writer) = handle.writer {
                program.edges.insert((writer, job, row, column, false));
            }
            handle.readers.push(job);
        }
        let handle = handles.entry(rewrites).or_default();
        if let Some(writer) = handle.writer {
            let edge = (writer, job, rewrites.0, rewrites.1, true);
            program.edges.insert(edge);
        }
        for reader in handle.readers.drain(..) {
            program.anti.insert((reader, job));
        }
        handle.writer = Some(job);
    };
    for k in 0..tiles {
        insert("potrf", k, &[], (k, k));
        for i in k + 1..tiles {
            insert("trsm", k, &[(k, k)], (i, k));
        }
        for i in k + 1..tiles {
            for j in k + 1..i {
                insert("gemm", k, &[(i, k), (j, k)], (i, j));
            }
            insert("syrk", k, &[(i, k)], (i, i));
        }
    }
    program
}
