//! The verbs `critical-path` and `epsilon-sweep`: the bridge from states and links to `algo::critical_path`, which see all
//! rows. The claims with their new columns, the critical edges and the summary are three outputs of one analysis, which is
//! run once and shared by its number.

mod claims;
mod rows;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::plan_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryReservation;
use rustc_hash::FxHasher;

use super::error::ClaimFault;
use super::kernel::{Batches, Kernel, Work};
use super::track::{END, RESOURCE, ROW, START};
use crate::algo::critical_path::{
    self as algo, Analysis, Dependencies, Dependency, Failure, Options, OutOfMemory, Watch,
};
use crate::diag::{Diag, code};
use crate::model::Clock;
use claims::{Claims, ID, Links};

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Output {
    /// The states with the columns of the analysis.
    Claims,
    /// The critical edges.
    Edges,
    /// The dependencies that the trace violates.
    Violations,
    /// One row about the analysis.
    Summary,
    /// The critical path for several tolerances.
    Sweep {
        /// Most rows.
        steps: usize,
    },
}

/// The node. Its inputs are the states and, but for a sweep, the links of the trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct CriticalPath {
    /// What comes out.
    pub output: Output,
    /// The number of the analysis, the same for all its outputs.
    pub analysis: u64,
    /// What is asked.
    pub options: Options,
    /// States were taken away, so that links may have lost an end.
    pub is_filtered: bool,
    /// The trace was loaded with its dependencies, be they none.
    pub has_dependencies: bool,
    /// Most rows of edges.
    pub most_edges: usize,
    /// Nobody chose the tolerance: one that spans the trace is worth a remark.
    pub suggests: bool,
    /// How the ticks count.
    pub clock: Clock,
}

/// Columns that the analysis adds to the states.
pub const ADDED: [&str; 5] = [
    "critical",
    "slack",
    "path_order",
    "path_position",
    "blocking",
];

/// Bytes that an analysis keeps for each claim, about: five columns and what its junctions point at.
const BYTES_OF_A_CLAIM: usize = 80;

/// An analysis with what it was made of.
struct Made {
    analysis: Arc<Analysis>,
    links: LinkCounts,
    /// The dependencies that the trace violates.
    violated: Vec<Dependency>,
    _memory: MemoryReservation,
}

/// How many links there were, and what became of them.
#[derive(Clone, Copy, Debug)]
struct LinkCounts {
    /// Dependencies with both ends in view, each once.
    used: u64,
    /// Dependencies that lost an end.
    dropped: usize,
    /// Whether there are any, or may be.
    is_known: bool,
}

impl Kernel for CriticalPath {
    const NAME: &'static str = "CriticalPath";
    const VERB: &'static str = "critical-path";

    fn schema(&self, inputs: &[&Schema]) -> Result<Schema> {
        let states = inputs
            .first()
            .ok_or_else(|| plan_datafusion_err!("no states"))?;
        let id = states.field_with_name(ID)?.data_type().clone();
        Ok(match self.output {
            Output::Claims => rows::claim_schema(states),
            Output::Edges => rows::edge_schema(&id),
            Output::Violations => rows::violation_schema(&id),
            Output::Summary => rows::summary_schema(),
            Output::Sweep { .. } => rows::sweep_schema(),
        })
    }

    fn parameters(&self) -> String {
        let what = match self.output {
            Output::Claims => "claims",
            Output::Edges => "edges",
            Output::Violations => "violations",
            Output::Summary => "summary",
            Output::Sweep { .. } => "sweep",
        };
        format!(
            "{what} of analysis {}, {}, epsilon={}",
            self.analysis,
            mode(self.options.dependencies),
            self.clock.written(self.options.epsilon)
        )
    }

    fn input_order(&self, input: usize) -> &'static [&'static str] {
        match (self.output, input) {
            (Output::Claims, 0) => &[START, ROW],
            _ => &[],
        }
    }

    fn output_order(&self) -> &'static [&'static str] {
        match self.output {
            Output::Claims => &[START, ROW],
            _ => &[],
        }
    }

    fn needs(&self, inputs: &[&Schema], wanted: &[usize]) -> Option<Vec<Vec<usize>>> {
        let states = inputs.first()?;
        let mut needed: Vec<usize> = [ID, RESOURCE, START, END, ROW]
            .iter()
            .filter_map(|name| states.index_of(name).ok())
            .collect();
        if self.output == Output::Claims {
            let output = rows::claim_schema(states);
            let names = wanted.iter().filter_map(|&at| output.fields().get(at));
            needed.extend(names.filter_map(|field| states.index_of(field.name()).ok()));
        }
        needed.sort_unstable();
        needed.dedup();
        let links = inputs.iter().skip(1);
        let links = links.map(|schema| (0..schema.fields().len()).collect());
        Some(std::iter::once(needed).chain(links).collect())
    }

    fn run(&self, mut inputs: Vec<Vec<RecordBatch>>, work: &Arc<Work>) -> Result<Batches> {
        let links = inputs.pop().unwrap_or_default();
        let states = match inputs.pop() {
            Some(states) => states,
            // A sweep looks at no links.
            None => return self.sweep(&links, work),
        };
        let schema = work
            .inputs
            .first()
            .ok_or_else(|| plan_datafusion_err!("no states"))?;
        let claims = Claims::read(schema, &states, work)?;
        let made = work
            .shared
            .get_or_make(claims.fingerprint(self.analysis), || {
                self.analyse(&claims, &links, work)
            })?;
        match self.output {
            Output::Claims => rows::claims(states, &claims, &made.analysis, work),
            Output::Edges => {
                let total = made.analysis.edges.len();
                let shown = total.min(self.most_edges as u64);
                if total > shown {
                    work.notes.add(Diag::warning(
                        &code::LIMITED,
                        format!(
                            "`path_edges` shows {shown} of {total} critical edges, {} are left out",
                            total - shown
                        ),
                    ).help("`critical-path edges=…` raises the limit; the column `junction` says which edges belong together"));
                }
                rows::edges(claims, &made.analysis, shown as usize, work)
            }
            Output::Violations => rows::violations(&claims, &made.violated, work),
            Output::Summary => rows::summary(self, &claims, &made.analysis, made.links, work),
            Output::Sweep { .. } => Err(plan_datafusion_err!("a sweep has one input")),
        }
    }
}

impl CriticalPath {
    fn analyse(&self, claims: &Claims, batches: &[RecordBatch], work: &Arc<Work>) -> Result<Made> {
        let Links {
            list,
            dropped,
            named,
            unnamed,
        } = claims::links(batches, claims, self.is_filtered)?;
        let needs = self.options.dependencies != Dependencies::None;
        if needs && named == 0 && !self.has_dependencies {
            return Err(ClaimFault::NoDependencies.into());
        }
        if needs && unnamed > 0 {
            work.notes.add(Diag::warning(
                &code::NULLS_LEFT_OUT,
                format!("{unnamed} links join places and not states; they are no dependencies"),
            ));
        }
        let analysis = algo::analyse(claims.view(), &list, &self.options, &mut Watched(work))
            .map_err(|failure| fault(failure, claims, work))?;
        if self.suggests {
            self.suggest(claims, &analysis, work)?;
        }
        // What the caller may read, by claim; edges in junctions are as many at most.
        let memory = work.keep(claims.len() * BYTES_OF_A_CLAIM);
        let violated = analysis.violated.iter();
        let violated = violated.filter_map(|&at| list.get(at as usize).copied());
        Ok(Made {
            violated: violated.collect(),
            links: LinkCounts {
                used: analysis.dependencies,
                dropped,
                is_known: named > 0 || self.has_dependencies,
            },
            analysis: Arc::new(analysis),
            _memory: memory,
        })
    }

    /// Says which tolerance would span the trace where the path covers less than half of it.
    fn suggest(&self, claims: &Claims, analysis: &Analysis, work: &Arc<Work>) -> Result<()> {
        let (length, makespan) = (analysis.length, analysis.makespan);
        if length.saturating_mul(2) >= makespan {
            return Ok(());
        }
        let epsilon = algo::spanning_epsilon(claims.view(), &mut Watched(work))
            .map_err(|failure| fault(failure, claims, work))?;
        let share = length as f64 * 100.0 / makespan as f64;
        let note = Diag::warning(
            &code::SHORT_PATH,
            format!("the critical path covers {share:.0} % of the makespan with `epsilon=0`"),
        );
        work.notes.add(match epsilon {
            Some(epsilon) => note.help(format!(
                "the smallest tolerance whose chain spans the trace is `epsilon={}`; `epsilon-sweep` shows what lies between",
                self.clock.written(epsilon)
            )),
            None => note.help("no tolerance gives a chain from the first start to the last end: states overlap there"),
        });
        Ok(())
    }

    fn sweep(&self, batches: &[RecordBatch], work: &Arc<Work>) -> Result<Batches> {
        let Output::Sweep { steps } = self.output else {
            return Err(plan_datafusion_err!("an analysis has two inputs"));
        };
        let schema = work
            .inputs
            .first()
            .ok_or_else(|| plan_datafusion_err!("no states"))?;
        let claims = Claims::read(schema, batches, work)?;
        let sweep = algo::epsilon_sweep(claims.view(), steps, &mut Watched(work))
            .map_err(|failure| fault(failure, &claims, work))?;
        rows::sweep(&claims, &sweep, work)
    }
}

impl Claims {
    /// The number of an analysis of just these claims: the optimizer may give the nodes of one analysis different inputs,
    /// where it knows that nothing of one of them is wanted.
    fn fingerprint(&self, analysis: u64) -> u64 {
        let mut hasher = FxHasher::default();
        analysis.hash(&mut hasher);
        self.start.hash(&mut hasher);
        self.end.hash(&mut hasher);
        hasher.finish()
    }

    fn view(&self) -> algo::Claims<'_> {
        algo::Claims {
            start: &self.start,
            end: &self.end,
            resource: &self.resource,
        }
    }
}

/// The kernel's view of the work it belongs to.
struct Watched<'a>(&'a Work);

impl Watch for Watched<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn grow(&mut self, bytes: usize) -> std::result::Result<(), OutOfMemory> {
        self.0.grow(bytes).map_err(|_| OutOfMemory)
    }
}

fn fault(failure: Failure, claims: &Claims, work: &Work) -> DataFusionError {
    match failure {
        Failure::Cycle { claims: ids, .. } => ClaimFault::Cycle {
            ids: ids
                .iter()
                .map(|&place| claims.ids.text(claims.row_at[place as usize]))
                .collect(),
        }
        .into(),
        Failure::OutOfMemory { bytes } => work.exceeded(bytes).into(),
        Failure::Cancelled => ClaimFault::Cancelled.into(),
        Failure::Overflow => ClaimFault::Overflow.into(),
        other => DataFusionError::Internal(other.to_string()),
    }
}

/// The word for where constraints come from.
fn mode(dependencies: Dependencies) -> &'static str {
    match dependencies {
        Dependencies::Full => "full",
        Dependencies::None => "none",
        Dependencies::Application => "application",
    }
}

/// A column that may be null.
fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}
