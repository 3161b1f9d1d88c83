//! `critical-path`: all longest paths through the constraint graph of the states (critical-path.md).

use super::claims::{self, tolerance};
use crate::algo::critical_path::{BlockedIf, Conform, Dependencies, Options, Variant};
use crate::diag::{Diag, code};
use crate::lang::flow::{Column, Columns, Flow, TraceFlow};
use crate::lang::plan::Arguments;
use crate::model::schema::{LINKS, STATES, column};
use crate::plan::node::{ADDED, CriticalPath as Node, KernelNode, Output};
use crate::plan::{Data, Table, Trace, fault, lower};
use crate::spec::{Accept, Choice, Example, Kind, Section, Shape, Type, VerbSpec, option};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};
use std::sync::atomic::{AtomicU64, Ordering};

/// The verb.
pub struct CriticalPath;

/// The relation of critical edges.
pub const EDGES: &str = "path_edges";
/// The relation with one row about the analysis.
pub const SUMMARY: &str = "path_summary";
/// The relation of dependencies that the trace violates.
pub const VIOLATED: &str = "violated_dependencies";
/// Key of the fact that says where constraints came from.
pub const MODE_FACT: &str = "critical path";
/// The type of the links that are critical edges.
pub const CRITICAL: &str = "critical";

const MODES: &[Choice] = &[
    Choice {
        name: "none",
        about: "states that follow each other within `epsilon` constrain each other, whatever their resources",
    },
    Choice {
        name: "full",
        about: "the dependencies of the trace constrain; what else made a state wait shows as a gap",
    },
    Choice {
        name: "application",
        about: "as `none`, and the dependencies say which critical edges the application asked for",
    },
];
const CONFORMS: &[Choice] = &[
    Choice {
        name: "direct",
        about: "an edge conforms where the trace has this dependency",
    },
    Choice {
        name: "transitive",
        about: "also where dependencies through states of length 0 lead from one end to the other",
    },
];
const BLOCKED: &[Choice] = &[
    Choice {
        name: "any",
        about: "one conforming critical edge into a state is enough to call it blocked by a dependency",
    },
    Choice {
        name: "all",
        about: "all critical edges into it must conform",
    },
];
const VARIANTS: &[Choice] = &[
    Choice {
        name: "longest",
        about: "all longest paths, with slack",
    },
    Choice {
        name: "spanning",
        about: "all states on chains from the first start to the last end; gaps cost nothing",
    },
    Choice {
        name: "backward_walk",
        about: "one chain, from the state that ends last back to the predecessor that ended last",
    },
];

option!(DEPS: Option<&'static str>, "deps", Shape::Scalar(&[Accept::Choice(MODES)]), "none", "where the constraints come from");
option!(EPSILON: Option<i128>, "epsilon", Shape::Scalar(&[Accept::Time]), "0s", "the widest gap between two states that constrain each other; `full` has no use for it");
option!(CONFORM: Option<&'static str>, "conform", Shape::Scalar(&[Accept::Choice(CONFORMS)]), "direct", "which critical edges the application asked for");
option!(BLOCKED_IF: Option<&'static str>, "blocked_if", Shape::Scalar(&[Accept::Choice(BLOCKED)]), "any", "when a state counts as blocked by a dependency");
option!(VARIANT: Option<&'static str>, "variant", Shape::Scalar(&[Accept::Choice(VARIANTS)]), "longest", "what is called critical");
option!(MOST_EDGES: Option<i64>, "edges", Shape::Scalar(&[Accept::Int]), "1000000", "most rows of `path_edges`; a barrier of 1,000 states has a million critical edges");

static SPEC: VerbSpec = VerbSpec {
    name: "critical-path",
    section: Section::Analysis,
    takes: &[Kind::Trace, Kind::Table],
    heads: false,
    gives: "the trace, with columns on `states`, the relations `path_edges`, `path_summary` and `violated_dependencies`, and links of type `critical`",
    summary: "Finds the states that cannot take longer without the longest path taking longer.",
    detail: "A path is a chain of states, each of which may only start when the one before it has ended; its length \
             is the sum of their durations, gaps count nothing. All longest paths count, not one of them. The states \
             get `critical`, `slack` (how much a state may grow before the longest path grows), `path_order` (place \
             among the critical states), `path_position` (place on one representative path, whose durations add up to \
             the length) and `blocking`: what a critical state waited for last, `start`, `dependency`, `resource` (the \
             state before it on its resource) or `other`.\n\n\
             `path_edges` lists the critical edges: from, to, from_point, to_point, gap (negative where the trace \
             violates the dependency), is_application_dependency, kind, junction (edges that share one instant). They \
             are made as they are read, up to the limit `edges=`. `path_summary` is one row: mode, epsilon, claims, \
             dependencies, dropped_dependencies (an end was filtered away), violated_dependencies, makespan, length, \
             path_gap, share, critical_claims, critical_edges, first and last state of the representative path. A \
             longest path need neither begin first nor end last: compare length and makespan.\n\n\
             `violated_dependencies` lists the dependencies that the trace does not keep, with `deps=full`.\n\n\
             The analysis is of what flows in: filter first to ask about some resources. Dependencies are links that \
             name two states, from the end of one to the start of the other unless `source_point` and `target_point` \
             say otherwise; with columns `min_delay` and `max_delay` (times) `full` takes them as bounds. Times are \
             exact, so `epsilon=100us` includes a gap of exactly 100us. With `variant=spanning` and \
             `variant=backward_walk` there is no slack, and `path_order` is by start.",
    params: &[
        &DEPS.spec,
        &EPSILON.spec,
        &CONFORM.spec,
        &BLOCKED_IF.spec,
        &VARIANT.spec,
        &MOST_EDGES.spec,
    ],
    by: false,
    examples: &[
        Example {
            about: "two memories: with the dependencies only, the path has a gap of 4 before B1",
            script: "let run = load \"critical-path/memory.claims.csv\" deps=\"critical-path/memory.deps.csv\" unit=s\nlet path = run | critical-path deps=full\npath | filter critical | sort path_position | select id, start, end, slack\npath.path_edges | select from, to, gap",
            prints: "id,start,end,slack\nA1,4,8,0\nB1,12,17,0\nG1,17,21,0\n\nfrom,to,gap\nA1,B1,4\nB1,G1,0\n",
        },
        Example {
            about: "what B1 waited for",
            script: "load \"critical-path/memory.claims.csv\" deps=\"critical-path/memory.deps.csv\" unit=s | critical-path deps=application | filter critical | sort path_order | select id, blocking",
            prints: "id,blocking\nA0,start\nB0,dependency\nG0,dependency\nB1,resource\nG1,dependency\n",
        },
    ],
};

impl Verb for CriticalPath {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let input = input.ok_or_else(|| crate::verb::unexpected(&SPEC))?;
        let states = claims::states_of(input, &SPEC, arguments.span)?;
        let mode = arguments.get(&DEPS);
        if let Ok(Some("full")) = mode
            && arguments.find(EPSILON.spec.name).is_some()
        {
            return Err(Diag::error(
                &code::INVALID_VALUE,
                "`epsilon` has no meaning with `deps=full`: only dependencies constrain",
            )
            .at(arguments.span_of(&EPSILON), "here")
            .help("leave it out, or write `deps=application`"));
        }
        if let (Ok(Some("full")), Ok(Some("spanning"))) = (&mode, arguments.get(&VARIANT)) {
            return Err(Diag::error(
                &code::INVALID_VALUE,
                "chains that span the trace are found by gaps, which `deps=full` does not look at",
            )
            .at(arguments.span_of(&VARIANT), "here")
            .help("write `deps=none` or `deps=application`"));
        }
        if matches!(mode, Ok(Some("full" | "application"))) && matches!(input, Flow::Table(_)) {
            return Err(Diag::error(
                &code::NO_DEPENDENCIES,
                "a table has no dependencies, they are the links of a trace",
            )
            .at(arguments.span_of(&DEPS), "here")
            .help("begin with the trace: `load \"trace.csv\" deps=\"dag.csv\" | critical-path deps=full`"));
        }
        if let Ok(Some(epsilon)) = arguments.get(&EPSILON) {
            claims::not_negative(epsilon, arguments.span_of(&EPSILON))?;
        }
        if let Ok(Some(most)) = arguments.get(&MOST_EDGES)
            && most < 0
        {
            return Err(Diag::error(&code::INVALID_VALUE, "`edges` is 0 or more")
                .at(arguments.span_of(&MOST_EDGES), "below 0"));
        }
        let id = states
            .find(column::ID)
            .map_or(Type::Int, |column| column.ty.clone());
        let relations = match input {
            Flow::Trace(trace) => trace.relations.clone(),
            _ => vec![(STATES.to_owned(), states.clone())],
        };
        let links = relations
            .iter()
            .find(|(name, _)| name == LINKS)
            .map(|(_, columns)| columns.clone());
        let made = [
            (STATES, claim_columns(states)),
            (LINKS, link_columns(links.as_ref(), states, &id)),
            (EDGES, edge_columns(states, &id)),
            (SUMMARY, summary_columns(states)),
            (VIOLATED, violated_columns(states, &id)),
        ];
        Ok(Flow::Trace(TraceFlow {
            relations: with(relations, made),
            focus: match input {
                Flow::Trace(trace) => trace.focus.clone(),
                _ => STATES.to_owned(),
            },
        }))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let Flow::Trace(flow) = flow else {
            return Err(unexpected());
        };
        let trace = claims::trace_of(input.ok_or_else(unexpected)?)?;
        let states = trace.whole(STATES).cloned().ok_or_else(unexpected)?;
        let clock = states.clock();
        let epsilon = arguments.get(&EPSILON)?;
        let options = Options {
            dependencies: match arguments.get(&DEPS)? {
                Some("full") => Dependencies::Full,
                Some("application") => Dependencies::Application,
                _ => Dependencies::None,
            },
            epsilon: tolerance(epsilon, clock, arguments.span_of(&EPSILON))?,
            conform: match arguments.get(&CONFORM)? {
                Some("transitive") => Conform::Transitive,
                _ => Conform::Direct,
            },
            blocked_if: match arguments.get(&BLOCKED_IF)? {
                Some("all") => BlockedIf::All,
                _ => BlockedIf::Any,
            },
            variant: match arguments.get(&VARIANT)? {
                Some("spanning") => Variant::Spanning,
                Some("backward_walk") => Variant::BackwardWalk,
                _ => Variant::Longest,
            },
        };
        static ANALYSES: AtomicU64 = AtomicU64::new(1);
        let node = Node {
            output: Output::Claims,
            analysis: ANALYSES.fetch_add(1, Ordering::Relaxed),
            options,
            is_filtered: trace.states_filtered,
            has_dependencies: trace.has_dependencies,
            most_edges: arguments.get(&MOST_EDGES)?.map_or(1_000_000, |most| {
                usize::try_from(most).unwrap_or(usize::MAX)
            }),
            suggests: options.dependencies == Dependencies::None
                && options.variant == Variant::Longest
                && epsilon.is_none(),
            clock,
        };
        let links = dependencies(&trace, &states)?;
        let analysed = |output: Output| -> Result<LogicalPlan, Diag> {
            let claims = match output {
                Output::Claims => states.plan.clone(),
                _ => claims::narrow(&states.plan)?,
            };
            let node = Node {
                output,
                ..node.clone()
            };
            KernelNode::try_new(node, vec![claims, links.clone()])
                .map(KernelNode::into_plan)
                .map_err(fault::diag)
        };
        let columns = |name: &str| flow.relation(name).cloned().ok_or_else(unexpected);
        let edges = analysed(Output::Edges)?;
        let table = |name: &str, plan: LogicalPlan| -> Result<(String, Table), Diag> {
            Ok((name.to_owned(), states.then(plan, columns(name)?)))
        };
        let claims = select(analysed(Output::Claims)?, &columns(STATES)?)?;
        let listed = select(edges.clone(), &columns(EDGES)?)?;
        let links = critical_links(&trace, edges, &columns(LINKS)?)?;
        let made = [
            table(STATES, claims)?,
            table(LINKS, links)?,
            table(EDGES, listed)?,
            table(SUMMARY, analysed(Output::Summary)?)?,
            table(VIOLATED, analysed(Output::Violations)?)?,
        ];
        let mut out = trace;
        let mut made = made;
        for (_, table) in &mut made {
            let mode = arguments.get(&DEPS)?.unwrap_or("none");
            table.facts.retain(|(key, _)| key != MODE_FACT);
            table.facts.push((MODE_FACT.to_owned(), mode.to_owned()));
        }
        out.relations = with(out.relations, made);
        Ok(Data::Trace(out))
    }
}

/// The relations with these put in the place of those of the same name, or behind.
fn with<T>(
    mut relations: Vec<(String, T)>,
    made: impl IntoIterator<Item = (impl Into<String>, T)>,
) -> Vec<(String, T)> {
    for (name, one) in made {
        let name = name.into();
        match relations.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = one,
            None => relations.push((name, one)),
        }
    }
    relations
}

/// The columns of these names and no others, in this order.
fn select(plan: LogicalPlan, columns: &Columns) -> Result<LogicalPlan, Diag> {
    let list: Vec<Expr> = columns
        .list
        .iter()
        .map(|c| {
            lower::column(match c.name.as_str() {
                crate::verb::relational::order::PLACE => "edge",
                name => name,
            })
            .alias(&c.name)
        })
        .collect();
    LogicalPlanBuilder::from(plan)
        .project(list)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}

fn visible(name: &str, ty: Type) -> Column {
    Column {
        name: name.to_owned(),
        ty,
        hidden: false,
    }
}

/// The columns of the states with those of the analysis; hidden ones stay last.
fn claim_columns(states: &Columns) -> Columns {
    let kept = |hidden: bool| {
        states
            .list
            .iter()
            .filter(move |c| c.hidden == hidden && !ADDED.contains(&c.name.as_str()))
            .cloned()
    };
    let types = [
        Type::Bool,
        states.time_type(),
        Type::Int,
        Type::Int,
        Type::String,
    ];
    let added = ADDED.into_iter().zip(types);
    let added = added.map(|(name, ty)| visible(name, ty));
    Columns {
        list: kept(false).chain(added).chain(kept(true)).collect(),
        clock: states.clock,
        dropped: states.dropped.clone(),
    }
}

fn edge_columns(states: &Columns, id: &Type) -> Columns {
    let mut columns = super::states::result_columns(
        states,
        &[
            ("from", id.clone()),
            ("to", id.clone()),
            ("from_point", Type::String),
            ("to_point", Type::String),
            ("gap", states.time_type()),
            ("is_application_dependency", Type::Bool),
            ("kind", Type::String),
            ("junction", Type::Int),
        ],
    );
    columns.dropped.clear();
    columns
}

fn violated_columns(states: &Columns, id: &Type) -> Columns {
    let list = [
        ("from", id.clone()),
        ("to", id.clone()),
        ("from_point", Type::String),
        ("to_point", Type::String),
        ("gap", states.time_type()),
    ];
    Columns::new(list.map(|(name, ty)| (name.to_owned(), ty)), states.clock)
}

fn summary_columns(states: &Columns) -> Columns {
    let time = states.time_type();
    let list = [
        ("mode", Type::String),
        ("epsilon", time.clone()),
        ("claims", Type::Int),
        ("dependencies", Type::Int),
        ("dropped_dependencies", Type::Int),
        ("violated_dependencies", Type::Int),
        ("makespan", time.clone()),
        ("length", time.clone()),
        ("path_gap", time),
        ("share", Type::Float),
        ("critical_claims", Type::Int),
        ("critical_edges", Type::Int),
        ("first", Type::String),
        ("last", Type::String),
    ];
    Columns::new(list.map(|(name, ty)| (name.to_owned(), ty)), states.clock)
}

/// The columns of links, with what critical ones need.
fn link_columns(links: Option<&Columns>, states: &Columns, id: &Type) -> Columns {
    if let Some(links) = links {
        return links.clone();
    }
    let text_ids = *id == Type::String;
    let schema = crate::model::schema::relation_schema(LINKS, states.clock, text_ids);
    Columns::of_schema(&schema, states.clock)
}

/// The links that critical edges are made of, and those the trace has.
fn critical_links(
    trace: &Trace,
    edges: LogicalPlan,
    columns: &Columns,
) -> Result<LogicalPlan, Diag> {
    let has_links = trace.whole(LINKS);
    let types = match has_links {
        Some(links) => links.plan.schema().as_arrow().clone(),
        None => crate::model::schema::relation_schema(
            LINKS,
            columns.clock,
            *edges.schema().as_arrow().field(0).data_type() != DataType::Int64,
        )
        .as_ref()
        .clone(),
    };
    let list: Vec<Expr> = columns
        .list
        .iter()
        .map(|c| {
            let wanted = types
                .field_with_name(&c.name)
                .map_or(DataType::Null, |field| field.data_type().clone());
            let value = match c.name.as_str() {
                // Rows of files count up from 0, by file and line: these come behind all of them.
                column::ROW => lower::column("edge") + lit(1_i64 << 62),
                column::ID => lower::column("edge") * lit(-1_i64),
                column::TYPE => lit(CRITICAL),
                column::VALUE => lower::column("kind"),
                column::SOURCE => lower::column("from"),
                column::TARGET => lower::column("to"),
                column::SOURCE_POINT => lower::column("from_point"),
                column::TARGET_POINT => lower::column("to_point"),
                column::SOURCE_RESOURCE | column::TARGET_RESOURCE | column::START | column::END => {
                    lower::column(&c.name)
                }
                _ => lit(ScalarValue::Null),
            };
            cast(value, wanted).alias(&c.name)
        })
        .collect();
    let critical = LogicalPlanBuilder::from(edges).project(list);
    let built = match has_links {
        None => critical.and_then(LogicalPlanBuilder::build),
        Some(links) => {
            // Those of an earlier analysis go.
            let kind = lower::column(column::TYPE);
            let kept = LogicalPlanBuilder::from(links.plan.clone())
                .filter(kind.clone().is_null().or(kind.not_eq(lit(CRITICAL))))
                .and_then(|plan| plan.project(columns.list.iter().map(|c| lower::column(&c.name))));
            kept.and_then(|kept| kept.union(critical?.build()?)?.build())
        }
    };
    built.map_err(fault::diag)
}

/// The links with the columns that say what they join; those of an earlier analysis are none.
fn dependencies(trace: &Trace, states: &Table) -> Result<LogicalPlan, Diag> {
    let Some(links) = trace.whole(LINKS) else {
        let id = states
            .plan
            .schema()
            .field_with_unqualified_name(column::ID)
            .map(|field| field.data_type().clone())
            .map_err(fault::diag)?;
        let none = |name: &str| cast(lit(ScalarValue::Null), id.clone()).alias(name);
        return LogicalPlanBuilder::empty(false)
            .project([none(column::SOURCE), none(column::TARGET)])
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag);
    };
    let wanted = [
        column::SOURCE,
        column::TARGET,
        column::SOURCE_POINT,
        column::TARGET_POINT,
        "min_delay",
        "max_delay",
    ];
    let delay_is_time = |name: &str| {
        let found = links.columns.find(name);
        found.is_some_and(|column| !name.ends_with("delay") || column.ty.is_time())
    };
    let list: Vec<Expr> = wanted
        .into_iter()
        .filter(|name| links.columns.has(name) && delay_is_time(name))
        .map(lower::column)
        .collect();
    let kind = lower::column(column::TYPE);
    LogicalPlanBuilder::from(links.plan.clone())
        .filter(kind.clone().is_null().or(kind.not_eq(lit(CRITICAL))))
        .and_then(|plan| plan.project(list))
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}
