//! Inputs that were opened: read once, used by every statement that names them.

use super::digest;
use super::moved::Moved;
use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::model::schema::STATES;
use crate::model::{LoadReport, TraceData};
use crate::plan::source::StoredRelation;
use crate::plan::{Cancel, Data, Engine, Lineage, Table, Trace, fault};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// An opened input.
#[derive(Debug)]
pub struct Opened {
    /// Its relations as plans, or the one table that a file holds.
    pub data: Data,
    /// What flows out of it.
    pub flow: Flow,
    /// What loading did, where rows were read one by one.
    pub report: Option<LoadReport>,
    /// Keeps the memory of the rows accounted for.
    pub reservation: Option<MemoryReservation>,
    /// The files it was read from.
    pub files: Vec<OpenedFile>,
}

/// Inputs by what was asked for.
#[derive(Debug, Default)]
pub struct SourceCache {
    opened: HashMap<String, Arc<Opened>>,
    /// The keys that were asked for since the last [`SourceCache::forget`].
    asked: HashSet<String>,
    /// Files that were looked for since then, there or not.
    tried: Vec<OpenedFile>,
    moved: Moved,
    digests: HashMap<OpenedFile, String>,
}

impl SourceCache {
    /// The input for `key`, opened now where it was not yet.
    pub fn get_or_open(
        &mut self,
        key: String,
        open: impl FnOnce() -> Result<Opened, Diag>,
    ) -> Result<Arc<Opened>, Diag> {
        self.asked.insert(key.clone());
        if let Some(opened) = self.opened.get(&key) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(open()?);
        self.opened.insert(key, opened.clone());
        Ok(opened)
    }

    /// What loading did, for each input that was read row by row.
    pub fn reports(&self) -> Vec<LoadReport> {
        let reports = self.opened.values().filter_map(|o| o.report.clone());
        reports.collect()
    }

    /// Looks for inputs elsewhere than the script says.
    pub fn set_moved(&mut self, moved: Moved) {
        self.moved = moved;
    }

    /// Where inputs are that are not where the script says.
    pub fn moved(&self) -> &Moved {
        &self.moved
    }

    /// Remembers files that are about to be read, as they are now.
    pub fn try_files(&mut self, files: &[OpenedFile]) {
        self.tried.extend_from_slice(files);
    }

    /// The files of all inputs that were asked for or looked for in vain, as they were then.
    pub fn watched(&self) -> Vec<OpenedFile> {
        let mut files = self.files();
        let missing = |file: &&OpenedFile| !files.iter().any(|known| known.path == file.path);
        let missing: Vec<OpenedFile> = self.tried.iter().filter(missing).cloned().collect();
        files.extend(missing);
        files
    }

    /// The files of all inputs that were asked for, sorted by path. Of a file that was read again because it changed only the
    /// last reading counts.
    pub fn files(&self) -> Vec<OpenedFile> {
        let mut files: Vec<OpenedFile> = self
            .opened
            .iter()
            .filter(|(key, _)| self.asked.contains(*key))
            .flat_map(|(_, opened)| opened.files.iter().cloned())
            .collect();
        files.sort_by(|a, b| (&a.path, a.state).cmp(&(&b.path, b.state)));
        files.dedup_by(|next, first| {
            let again = next.path == first.path;
            if again {
                *first = next.clone();
            }
            again
        });
        files
    }

    /// A script begins anew: inputs that the last one did not ask for, or whose files changed, are closed.
    pub fn forget(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        self.tried.clear();
        self.opened.retain(|key, opened| {
            asked.contains(key) && opened.files.iter().all(OpenedFile::is_as_read)
        });
    }

    /// The digest of a file that was opened, computed once. A file that changed since is an error: the rows in memory are
    /// not those of the file any more.
    pub fn digest(&mut self, file: &OpenedFile, cancel: &Cancel) -> Result<String, Diag> {
        if let Some(digest) = self.digests.get(file) {
            return Ok(digest.clone());
        }
        let digest = digest::of_file(&file.path, cancel)?;
        if !file.is_as_read() {
            return Err(Diag::error(
                &code::INPUT_UNREADABLE,
                format!("`{}` changed while the script ran", file.path.display()),
            )
            .help("run it again; `save … provenance=none` needs no digest of the inputs"));
        }
        self.digests.insert(file.clone(), digest.clone());
        Ok(digest)
    }

    /// An input that was opened before.
    pub fn get(&self, key: &str) -> Option<Arc<Opened>> {
        self.opened.get(key).cloned()
    }
}

/// A file as it was when it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenedFile {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// When it was changed last, and its length. None where the system does not say.
    pub state: Option<(SystemTime, u64)>,
}

impl OpenedFile {
    /// The file as it is now.
    pub fn now(path: impl Into<PathBuf>) -> OpenedFile {
        let path = path.into();
        let data = std::fs::metadata(&path).ok();
        let state = data.and_then(|data| Some((data.modified().ok()?, data.len())));
        OpenedFile { path, state }
    }

    /// True where nothing was written to it since.
    pub fn is_as_read(&self) -> bool {
        *self == OpenedFile::now(self.path.clone())
    }
}

/// A trace of relations, focused on its states.
pub fn trace_of(relations: Vec<(String, Table)>, lineage: Arc<Lineage>) -> Trace {
    Trace {
        relations,
        focus: STATES.to_owned(),
        states_filtered: false,
        has_dependencies: false,
        lineage,
    }
}

/// Puts loaded relations under plans, and their memory under the limit.
pub fn open_data(data: TraceData, engine: &Engine) -> Result<Opened, Diag> {
    let bytes: usize = data.relations.iter().map(|relation| relation.bytes()).sum();
    let pool = &engine.context().runtime_env().memory_pool;
    let reservation = MemoryConsumer::new("load").register(pool);
    if reservation.try_grow(bytes).is_err() {
        return Err(Diag::error(
            &code::MEMORY_LIMIT,
            format!(
                "the trace takes {} MB, more than is left of the limit of {} MB",
                bytes >> 20,
                engine.config().memory >> 20
            ),
        )
        .help("raise `--memory`, or convert it once: `marey -c 'load \"…\" | save \"trace.parquet\"'`"));
    }
    let clock = data.clock;
    let mut plans = Vec::new();
    for relation in data.relations {
        let name = relation.name.to_owned();
        let columns = Columns::of_schema(&relation.schema, clock);
        let plan = engine.scan(Arc::new(StoredRelation::new(relation)))?;
        plans.push((name, plan, columns));
    }
    let states = plans
        .iter()
        .find(|(name, ..)| name == STATES)
        .map(|(_, plan, _)| plan.clone());
    let lineage = Lineage::new(states);
    let relations = plans
        .into_iter()
        .map(|(name, plan, columns)| {
            let table = Table {
                plan,
                columns,
                lineage: lineage.clone(),
                facts: Vec::new(),
            };
            (name, table)
        })
        .collect();
    let trace = trace_of(relations, lineage);
    Ok(Opened {
        flow: trace.flow(),
        data: Data::Trace(trace),
        report: Some(data.report),
        reservation: Some(reservation),
        files: Vec::new(),
    })
}

/// A plan over a provider as a table.
pub fn table_of(
    engine: &Engine,
    provider: Arc<dyn datafusion::catalog::TableProvider>,
    columns: Columns,
    lineage: &Arc<Lineage>,
) -> Result<Table, Diag> {
    Ok(Table {
        plan: engine.scan_provider(provider)?,
        columns,
        lineage: lineage.clone(),
        facts: Vec::new(),
    })
}

/// The error of an engine call while opening, with the file it was about.
pub fn open_error(path: &str, error: datafusion::error::DataFusionError) -> Diag {
    let inner = fault::diag(error);
    Diag::error(
        &code::INPUT_UNREADABLE,
        format!("`{path}` cannot be read: {}", inner.message),
    )
}
