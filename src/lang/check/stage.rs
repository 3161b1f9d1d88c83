//! Pipelines and stages: heads, kinds, and the hand-over to the verb that says what flows out.

use super::{Binding, Checker, Checking};
use crate::diag::{Diag, Span, code};
use crate::lang::ast;
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::{Pipeline, Source, StageCall};
use crate::lang::suggest;
use crate::spec::{Kind, VerbSpec};
use std::sync::Arc;

impl Checker<'_> {
    pub(crate) fn pipeline(&mut self, pipeline: &ast::Pipeline) -> Checking<Arc<Pipeline>> {
        let source = match self.head(&pipeline.head) {
            Ok(source) => source,
            Err(stop) => {
                self.unknown_verbs(&pipeline.stages);
                return Err(stop);
            }
        };
        let mut flow = match &source {
            Source::Verb(call) => call.flow.clone(),
            Source::Pipeline { pipeline, relation } => match (relation, &pipeline.flow) {
                (Some(name), Flow::Trace(trace)) => match trace.relation(name) {
                    Some(columns) => Flow::Table(columns.clone()),
                    None => pipeline.flow.clone(),
                },
                _ => pipeline.flow.clone(),
            },
        };
        let mut calls = Vec::new();
        for (index, stage) in pipeline.stages.iter().enumerate() {
            if let Err(stop) = self.piped(stage, &mut flow, &mut calls) {
                self.unknown_verbs(&pipeline.stages[index + 1..]);
                return Err(stop);
            }
        }
        Ok(Arc::new(Pipeline {
            source,
            stages: calls,
            flow,
            span: pipeline.span,
        }))
    }

    /// A stage behind a pipe: one call, or those of the definition that it names.
    fn piped(
        &mut self,
        stage: &ast::Stage,
        flow: &mut Flow,
        calls: &mut Vec<StageCall>,
    ) -> Checking<()> {
        if let Some(definition) = self.definition(&stage.verb.text) {
            let name = stage.verb.text.as_str();
            self.no_recursion(name, stage.verb.span)?;
            let body = self.expand(&definition, stage)?;
            let before = self.diags.len();
            self.expanding.push(name.to_owned());
            let result = match super::define::piped(body) {
                Ok(stages) => stages
                    .iter()
                    .try_for_each(|stage| self.piped(stage, flow, calls)),
                Err(span) => self.report(
                    Diag::error(
                        &code::KIND_MISMATCH,
                        format!("`{name}` begins with data of its own and takes nothing"),
                    )
                    .at(span, "here"),
                ),
            };
            self.expanding.pop();
            self.used_at(before, name, stage.span);
            return result;
        }
        if self.broken.contains(&stage.verb.text) {
            return Err(super::Stop);
        }
        let made_by = calls.last().map(|call| (call.verb.name, call.span));
        let call = self.stage(stage, Some(flow), made_by)?;
        *flow = call.flow.clone();
        calls.push(call);
        Ok(())
    }

    fn no_recursion(&mut self, name: &str, span: Span) -> Checking<()> {
        if !self.expanding.iter().any(|open| open == name) {
            return Ok(());
        }
        let round = self.expanding.iter().map(String::as_str).chain([name]);
        let round: Vec<&str> = round.skip_while(|open| *open != name).collect();
        self.report(
            Diag::error(
                &code::RECURSION,
                format!("a definition cannot use itself: {}", round.join(" -> ")),
            )
            .at(span, "here"),
        )
    }

    /// What can still be said of stages behind a mistake: whether their verbs exist.
    fn unknown_verbs(&mut self, stages: &[ast::Stage]) {
        for stage in stages {
            let name = &stage.verb.text;
            let is_known = self.lacks_import
                || self.registry.verb(name).is_some()
                || self.definition(name).is_some()
                || self.broken.iter().any(|broken| broken == name);
            if !is_known {
                let diag = self.unknown_verb(stage);
                self.diags.push(diag);
            }
        }
    }

    fn head(&mut self, head: &ast::Head) -> Checking<Source> {
        match head {
            ast::Head::Nested(pipeline) => Ok(Source::Pipeline {
                pipeline: self.pipeline(pipeline)?,
                relation: None,
            }),
            ast::Head::Expr(expr) => self.report(
                Diag::error(&code::KIND_MISMATCH, "a pipeline starts with data")
                    .at(expr.span, "this is a scalar")
                    .help("start with `load`, `generate` or the name of a `let`"),
            ),
            ast::Head::Stage(stage) => self.head_stage(stage),
        }
    }

    fn head_stage(&mut self, stage: &ast::Stage) -> Checking<Source> {
        let name = stage.verb.text.as_str();
        let bare = stage.arguments.is_empty() && stage.by_span.is_none();
        if let Some(definition) = self.definition(name) {
            self.no_recursion(name, stage.verb.span)?;
            let body = self.expand(&definition, stage)?;
            let before = self.diags.len();
            self.expanding.push(name.to_owned());
            let result = self.pipeline(&body);
            self.expanding.pop();
            self.used_at(before, name, stage.span);
            return result.map(|pipeline| Source::Pipeline {
                pipeline,
                relation: None,
            });
        }
        if bare && let Some(binding) = self.scope.get(name).cloned() {
            return self.bound_head(stage, binding);
        }
        if bare && self.broken.iter().any(|broken| broken == name) {
            return Err(super::Stop);
        }
        if let Some(verb) = self.registry.verb(name) {
            if !stage.path.is_empty() {
                return self.report(
                    Diag::error(
                        &code::UNKNOWN_NAME,
                        format!("`{name}` is a verb and has no relations"),
                    )
                    .at(stage.verb.span, "here"),
                );
            }
            if !verb.heads {
                return self.report(
                    Diag::error(
                        &code::KIND_MISMATCH,
                        format!("`{name}` needs something flowing in"),
                    )
                    .at(stage.verb.span, "nothing stands before it")
                    .help(format!(
                        "write `run | {name} …`, where `run` is a `let` or a `load`"
                    )),
                );
            }
            return self.stage(stage, None, None).map(Source::Verb);
        }
        if self.lacks_import {
            return Err(super::Stop);
        }
        let diag = self.unknown_head(stage);
        self.report(diag)
    }

    fn bound_head(&mut self, stage: &ast::Stage, binding: Binding) -> Checking<Source> {
        let name = &stage.verb.text;
        let pipeline = match binding {
            Binding::Data(pipeline) => pipeline,
            // `head_stage` has put definitions in.
            Binding::Verb(_) => return Err(super::Stop),
            Binding::Scalar(_) => {
                return self.report(
                    Diag::error(
                        &code::KIND_MISMATCH,
                        format!("`{name}` is a scalar, a pipeline starts with data"),
                    )
                    .at(stage.verb.span, "here")
                    .help(format!("the scalar is written `${name}`")),
                );
            }
        };
        let relation = match stage.path.as_slice() {
            [] => None,
            [relation] => {
                let span = relation.span;
                match &pipeline.flow {
                    Flow::Trace(trace) if trace.relation(&relation.text).is_some() => {
                        Some(relation.text.clone())
                    }
                    Flow::Trace(trace) => {
                        let names: Vec<&str> = trace
                            .relations
                            .iter()
                            .map(|(name, _)| name.as_str())
                            .collect();
                        let diag = unknown_relation(name, &relation.text, span, &names);
                        return self.report(diag);
                    }
                    flow => {
                        let kind = flow.kind().word();
                        return self.report(
                            Diag::error(
                                &code::KIND_MISMATCH,
                                format!("`{name}` is a {kind}; only a trace has relations"),
                            )
                            .at(span, "here"),
                        );
                    }
                }
            }
            [_, rest, ..] => {
                let span = rest.span;
                return self.report(
                    Diag::error(&code::UNKNOWN_RELATION, "relations do not nest").at(span, "here"),
                );
            }
        };
        Ok(Source::Pipeline { pipeline, relation })
    }

    fn unknown_head(&self, stage: &ast::Stage) -> Diag {
        let name = stage.verb.text.as_str();
        let diag = Diag::error(
            &code::UNKNOWN_VERB,
            format!("no verb and no binding is called `{name}`"),
        )
        .at(stage.verb.span, "here");
        let data = self
            .scope
            .names_of(|binding| !matches!(binding, Binding::Scalar(_)));
        let verbs = self.registry.verb_names();
        let candidates = data.iter().copied().chain(verbs.iter().copied());
        match suggest::nearest(name, candidates) {
            Some(near) => diag.help(format!("did you mean `{near}`?")),
            None if name.contains(['-', '_'])
                || stage
                    .arguments
                    .first()
                    .is_some_and(|a| matches!(a.value.node, ast::Node::Unary(..))) =>
            {
                diag.help("a subtraction has blanks on both sides of the minus: `a - b`")
            }
            None if data.is_empty() => diag.help(
                "a pipeline starts with `load \"trace.csv\"`, `generate …` or the name of a `let`",
            ),
            None => diag.help(format!(
                "names that are bound: {}",
                suggest::listed(data, 8)
            )),
        }
    }

    /// A verb with what flows in. `made_by` is the stage that made the kind, for messages.
    pub(crate) fn stage(
        &mut self,
        stage: &ast::Stage,
        input: Option<&Flow>,
        made_by: Option<(&str, Span)>,
    ) -> Checking<StageCall> {
        let name = stage.verb.text.as_str();
        let Some(verb) = self.registry.verb(name) else {
            if self.lacks_import {
                return Err(super::Stop);
            }
            let diag = self.unknown_verb(stage);
            return self.report(diag);
        };
        if let Some(flow) = input
            && !verb.takes.contains(&flow.kind())
        {
            let diag = kind_mismatch(verb, flow.kind(), stage.verb.span, made_by);
            return self.report(diag);
        }
        if let Some(path) = stage.path.first() {
            let span = path.span;
            return self.report(
                Diag::error(&code::SYNTAX, "a relation follows a name, not a verb")
                    .at(span, "here"),
            );
        }
        let none = Columns::new([], crate::model::Clock::logical());
        let columns = input.and_then(Flow::columns).unwrap_or(&none);
        self.unit = columns.clock.unit.filter(|_| input.is_some());
        let arguments = self.arguments(verb, stage, input.is_some(), columns, input)?;
        let flow = self.registry.flow(verb, input, &arguments);
        let flow = self.take(flow.map_err(|diag| diag.or_at(stage.span, "in this stage")))?;
        Ok(StageCall {
            verb,
            arguments,
            flow,
            span: stage.span,
        })
    }

    fn unknown_verb(&self, stage: &ast::Stage) -> Diag {
        let name = stage.verb.text.as_str();
        let diag = Diag::error(&code::UNKNOWN_VERB, format!("no verb is called `{name}`"))
            .at(stage.verb.span, "here");
        let kebab = name.replace('_', "-").to_lowercase();
        if self.registry.verb(&kebab).is_some() {
            return diag.help(format!("the verb is `{kebab}`"));
        }
        if let Some(verb) = foreign(name) {
            return diag.help(format!("that verb is called `{verb}` here"));
        }
        if self.scope.get(name).is_some() {
            return diag.help(format!(
                "`{name}` is a binding; it stands only at the start of a pipeline"
            ));
        }
        let defined = self
            .scope
            .names_of(|binding| matches!(binding, Binding::Verb(_)));
        match suggest::nearest(name, self.registry.verb_names().into_iter().chain(defined)) {
            Some(near) => diag.help(format!("did you mean `{near}`?")),
            None => diag.help("`:help` lists the verbs"),
        }
    }
}

/// What other languages call our verbs.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "where" => "filter",
        "mutate" | "extend" | "assign" => "derive",
        "group_by" | "group-by" | "groupby" | "aggregate" | "group" => "summarize … by …",
        "arrange" | "order" | "order_by" | "order-by" => "sort",
        "head" | "limit" | "top" => "take",
        "read" | "open" | "import" => "load",
        "write" | "export" => "save",
        "show" => "print",
        "unique" => "distinct",
        "project" => "select",
        _ => return None,
    })
}

fn unknown_relation(binding: &str, relation: &str, span: Span, names: &[&str]) -> Diag {
    let diag = Diag::error(
        &code::UNKNOWN_RELATION,
        format!("`{binding}` has no relation `{relation}`"),
    )
    .at(span, "here");
    match suggest::nearest(relation, names.iter().copied()) {
        Some(near) => diag.help(format!("did you mean `{near}`?")),
        None => diag.help(format!(
            "its relations are {}",
            suggest::listed(names.iter().copied(), 12)
        )),
    }
}

/// "`critical-path` needs a trace; `summarize` made a table of it".
pub(crate) fn kind_mismatch(
    verb: &VerbSpec,
    found: Kind,
    span: Span,
    made_by: Option<(&str, Span)>,
) -> Diag {
    let words: Vec<&str> = verb.takes.iter().map(|kind| kind.word()).collect();
    if words.is_empty() {
        return Diag::error(
            &code::KIND_MISMATCH,
            format!("`{}` starts a pipeline and takes nothing", verb.name),
        )
        .at(span, "this stands behind a pipe")
        .help("begin a statement of its own with it");
    }
    let diag = Diag::error(
        &code::KIND_MISMATCH,
        format!(
            "`{}` needs a {}, not a {}",
            verb.name,
            words.join(" or a "),
            found.word()
        ),
    )
    .at(span, "here");
    match made_by {
        Some((maker, place)) => diag.at(place, format!("`{maker}` made a {} here", found.word())),
        None => diag,
    }
}
