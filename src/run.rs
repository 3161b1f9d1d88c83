//! Runs checked steps: builds the data of pipelines stage by stage, evaluates scalars, shows results.

mod empty;

use crate::diag::{Diag, Sources, Span, code};
use crate::func::{self, Functions};
use crate::lang::fold;
use crate::lang::plan::{
    Argument, ArgumentKind, Arguments, Expr, ExprNode, Pipeline, Scalar, Source, StageCall, Step,
};
use crate::model::Clock;
use crate::plan::{Data, Engine, Table, fault};
use crate::spec::{Section, TimeUnit, Type, Value};
use crate::verb::source::opened::SourceCache;
use crate::verb::{self, Ahead, Host, Origin, Output, PlanContext};
use datafusion::arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use std::collections::HashMap;
use std::sync::Arc;

/// Times as constants of the language: picoseconds.
pub(crate) const EXACT: Clock = Clock {
    resolution: TimeUnit::Picosecond,
    unit: Some(TimeUnit::Picosecond),
};

/// Data that were built already, by pipeline and by the figure that follows it: a binding is planned once
/// however often it is used.
#[derive(Default)]
pub(crate) struct Memory {
    built: HashMap<(usize, String), (Arc<Pipeline>, Data)>,
}

/// What a statement runs with.
pub(crate) struct Runner<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) functions: &'a Functions,
    pub(crate) sources: &'a mut SourceCache,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) texts: &'a Sources,
    pub(crate) origin: &'a Origin,
    pub(crate) output: &'a Output,
    pub(crate) memory: &'a mut Memory,
}

/// The figure stage that follows: its call and a key for what was built for it.
#[derive(Clone, Copy)]
struct Following<'a> {
    call: &'a StageCall,
}

impl Runner<'_> {
    /// Runs one statement.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), Diag> {
        let result = self.statement(step);
        // What nodes remarked is said behind the result, also where there is none.
        for note in self.engine.notes().take() {
            self.host.warn(note);
        }
        result
    }

    fn statement(&mut self, step: &Step) -> Result<(), Diag> {
        match step {
            Step::Pipeline(pipeline) => {
                let data = self.build(pipeline, None)?;
                if pipeline.has_outcome() {
                    return Ok(());
                }
                let mut cx = self.context(None, Vec::new());
                let has_rows = verb::outcome::print::show(&data, None, &mut cx)
                    .map_err(|diag| located(diag, pipeline, pipeline.span))?;
                if has_rows {
                    return Ok(());
                }
                // What cannot be explained stays an empty result.
                match self.explain_empty(pipeline) {
                    Err(diag) if diag.code == &code::INTERRUPTED => Err(diag),
                    _ => Ok(()),
                }
            }
            Step::Scalar(scalar) => {
                let value = self.scalar(scalar)?;
                self.host.value(&value)
            }
            Step::LetPipeline(pipeline) => {
                if pipeline.has_outcome() {
                    self.build(pipeline, None)?;
                }
                Ok(())
            }
            Step::LetScalar(_) => Ok(()),
        }
    }

    /// The data of a pipeline, not yet computed.
    pub(crate) fn data(&mut self, pipeline: &Arc<Pipeline>) -> Result<Data, Diag> {
        self.build(pipeline, None)
    }

    fn context<'b>(&'b mut self, ahead: Option<Ahead<'b>>, stages: Vec<String>) -> PlanContext<'b> {
        PlanContext {
            engine: self.engine,
            functions: self.functions,
            sources: self.sources,
            host: self.host,
            ahead,
            origin: self.origin,
            output: self.output,
            stages,
            others: Vec::new(),
            operands: None,
        }
    }

    fn build(
        &mut self,
        pipeline: &Arc<Pipeline>,
        following: Option<Following>,
    ) -> Result<Data, Diag> {
        let key = following
            .map(|f| format!("{:?}", f.call.arguments))
            .unwrap_or_default();
        let key = (Arc::as_ptr(pipeline) as usize, key);
        if let Some((_, data)) = self.memory.built.get(&key) {
            return Ok(data.clone());
        }
        let figure = |from: usize| {
            pipeline
                .stages
                .iter()
                .skip(from)
                .find(|call| call.verb.section == Section::Figure)
                .map(|call| Following { call })
                .or(following)
        };
        let mut data = match &pipeline.source {
            Source::Verb(call) => self.call(call, None, None, pipeline)?,
            Source::Pipeline {
                pipeline: inner,
                relation,
            } => {
                let data = self.build(inner, figure(0))?;
                match (relation, data) {
                    (Some(name), Data::Trace(trace)) => trace
                        .relation(name)
                        .map_err(fault::diag)?
                        .map(Data::Table)
                        .ok_or_else(|| {
                            Diag::error(&code::INTERNAL, format!("the trace lost its {name}"))
                        })?,
                    (_, data) => data,
                }
            }
        };
        for (index, call) in pipeline.stages.iter().enumerate() {
            data = self.call(call, Some(data), figure(index + 1), pipeline)?;
        }
        self.memory
            .built
            .insert(key, (pipeline.clone(), data.clone()));
        Ok(data)
    }

    fn call(
        &mut self,
        call: &StageCall,
        input: Option<Data>,
        following: Option<Following>,
        pipeline: &Pipeline,
    ) -> Result<Data, Diag> {
        let Some(verb) = verb::find(call.verb.name) else {
            return Err(verb::unexpected(call.verb));
        };
        let arguments = call.arguments.bound(&mut |expr| self.value(expr))?;
        let ahead = match following {
            Some(following) => match verb::find(following.call.verb.name) {
                Some(verb) => Some(Ahead {
                    verb,
                    arguments: following
                        .call
                        .arguments
                        .bound(&mut |expr| self.value(expr))?,
                }),
                None => None,
            },
            None => None,
        };
        let stages = self.stages_before(pipeline, call);
        let mut others = Vec::new();
        for (name, argument) in &arguments.given {
            if let ArgumentKind::Data(list) = &argument.kind {
                let built: Result<Vec<Data>, Diag> = list
                    .iter()
                    .map(|other| self.build(&other.pipeline, None))
                    .collect();
                others.push((*name, built?));
            }
        }
        let operands = match call.verb.name {
            verb::outcome::assert::NAME => self.operands(call, &arguments)?,
            _ => None,
        };
        self.host.stage(call.verb.name);
        let mut cx = self.context(ahead, stages);
        cx.others = others;
        cx.operands = operands;
        verb.plan(input, &arguments, &call.flow, &mut cx)
            .map_err(|diag| located(diag, pipeline, call.span))
    }

    /// The comparison of an assertion about scalars that does not hold, with the values of its two sides.
    fn operands(&mut self, call: &StageCall, bound: &Arguments) -> Result<Option<String>, Diag> {
        let name = verb::outcome::assert::CONDITION.spec.name;
        let holds =
            |argument: &Argument| matches!(argument.kind, ArgumentKind::Value(Value::Bool(true)));
        let scalar = match call.arguments.find(name).map(|argument| &argument.kind) {
            Some(ArgumentKind::Deferred(scalar)) if !bound.find(name).is_some_and(holds) => scalar,
            _ => return Ok(None),
        };
        let ExprNode::Binary(operator, left, right) = &scalar.expr.node else {
            return Ok(None);
        };
        let (left, right) = (self.value(left)?, self.value(right)?);
        let shown = crate::write::table::scalar;
        let text = format!("{} {} {}", shown(&left), operator.symbol(), shown(&right));
        Ok(Some(text))
    }

    /// The text of the stages before `call`, those of the bindings it starts from included.
    fn stages_before(&self, pipeline: &Pipeline, call: &StageCall) -> Vec<String> {
        if call.verb.section != Section::Outcome {
            return Vec::new();
        }
        let mut out = Vec::new();
        self.stage_texts(pipeline, call.span.start, &mut out);
        out
    }

    fn stage_texts(&self, pipeline: &Pipeline, before: usize, out: &mut Vec<String>) {
        match &pipeline.source {
            Source::Verb(call) => out.push(self.stage_with_kind(call)),
            Source::Pipeline {
                pipeline: inner,
                relation,
            } => {
                self.stage_texts(inner, usize::MAX, out);
                if let Some(relation) = relation {
                    out.push(format!(".{relation} → table"));
                }
            }
        }
        let earlier = pipeline
            .stages
            .iter()
            .filter(|call| call.span.start < before);
        out.extend(earlier.map(|call| self.stage_with_kind(call)));
    }

    /// A stage with the kind that comes out.
    fn stage_with_kind(&self, call: &StageCall) -> String {
        format!("{} → {}", self.stage_text(call), call.flow.kind().word())
    }

    /// A stage as it was written, on one line.
    fn stage_text(&self, call: &StageCall) -> String {
        let text = self
            .texts
            .get(call.span.source)
            .and_then(|(_, text)| {
                text.get(call.span.start..call.span.end)
                    .map(ToOwned::to_owned)
            })
            .unwrap_or_else(|| call.verb.name.to_owned());
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    }

    fn scalar(&mut self, scalar: &Arc<Scalar>) -> Result<Value, Diag> {
        if let Some(value) = scalar.value.get() {
            return Ok(value.clone());
        }
        let value = self.value(&scalar.expr)?;
        let _ = scalar.value.set(value.clone());
        Ok(value)
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Diag> {
        let functions = self.functions;
        fold::fold(expr, &mut |node, values| match node {
            ExprNode::Scalar(scalar) => self.scalar(scalar),
            ExprNode::Call(function, _) => {
                crate::session::call(functions, function, values, &expr.ty)
            }
            ExprNode::Subquery(pipeline) => {
                let table = self.build(pipeline, None)?.table()?;
                self.single(&table, pipeline)
            }
            ExprNode::OnData(_, pipeline) => {
                let table = self.build(pipeline, None)?.table()?;
                let plan = func::span_plan(&table)?;
                let batches = self.engine.collect(&plan)?;
                let value = cell(&batches)?;
                value_of_scalar(&value, &table.columns.time_type(), table.clock())
            }
            _ => Err(Diag::error(&code::INTERNAL, "a scalar depends on a column")),
        })
        .map_err(|diag| diag.or_at(expr.span, "while this was computed"))
    }

    /// The one value of a table.
    fn single(&mut self, table: &Table, pipeline: &Pipeline) -> Result<Value, Diag> {
        let batches = self.engine.collect(&table.plan)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if rows != 1 {
            return Err(Diag::error(
                &code::NOT_ONE_VALUE,
                format!("one value is wanted, the pipeline gave {rows} rows"),
            )
            .at(pipeline.span, "here")
            .help("end it with `summarize` of one aggregate"));
        }
        let column = table.columns.visible().next();
        let (name, ty) = column
            .map(|column| (column.name.clone(), column.ty.clone()))
            .unwrap_or((String::new(), Type::Null));
        let array = batches
            .iter()
            .find(|batch| batch.num_rows() == 1)
            .and_then(|batch| batch.column_by_name(&name).cloned())
            .ok_or_else(|| Diag::error(&code::INTERNAL, "the value has no column"))?;
        let value = ScalarValue::try_from_array(&array, 0).map_err(fault::diag)?;
        value_of_scalar(&value, &ty, table.clock())
    }
}

/// The diagnostic at the stage that met it, where it is known, else at `span`.
fn located(diag: Diag, pipeline: &Pipeline, span: Span) -> Diag {
    let stage = diag
        .verb
        .as_deref()
        .and_then(|verb| stage_of(pipeline, verb));
    match stage {
        Some(stage) => diag.or_at(stage, "in this stage"),
        None => diag.or_at(span, "while this ran"),
    }
}

/// The last stage of a verb, looking into the pipelines that bindings name.
fn stage_of(pipeline: &Pipeline, verb: &str) -> Option<Span> {
    let calls = pipeline.stages.iter().rev();
    let mut own = calls
        .filter(|call| call.verb.name == verb)
        .map(|call| call.span);
    own.next().or_else(|| match &pipeline.source {
        Source::Verb(call) => (call.verb.name == verb).then_some(call.span),
        Source::Pipeline { pipeline, .. } => stage_of(pipeline, verb),
    })
}

fn cell(batches: &[RecordBatch]) -> Result<ScalarValue, Diag> {
    match batches.iter().find(|batch| batch.num_rows() > 0) {
        Some(batch) => ScalarValue::try_from_array(batch.column(0), 0).map_err(fault::diag),
        None => Ok(ScalarValue::Null),
    }
}

/// A value of the engine as one of the language; times are ticks of `clock`.
pub(crate) fn value_of_scalar(value: &ScalarValue, ty: &Type, clock: Clock) -> Result<Value, Diag> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    use datafusion::arrow::datatypes::DataType;
    let cast = |data_type: &DataType| value.cast_to(data_type).map_err(fault::diag);
    Ok(match ty {
        Type::Time | Type::LogicalTime => match cast(&DataType::Int64)? {
            ScalarValue::Int64(Some(ticks)) if *ty == Type::Time => {
                Value::Time(clock.to_exact(ticks))
            }
            ScalarValue::Int64(Some(ticks)) => Value::LogicalTime(i128::from(ticks)),
            _ => Value::Null,
        },
        Type::Int | Type::Size => match cast(&DataType::Int64)? {
            ScalarValue::Int64(Some(number)) => Value::Int(number),
            _ => Value::Null,
        },
        Type::Float => match cast(&DataType::Float64)? {
            ScalarValue::Float64(Some(number)) => Value::Float(number),
            _ => Value::Null,
        },
        Type::Bool => match value {
            ScalarValue::Boolean(Some(truth)) => Value::Bool(*truth),
            _ => Value::Null,
        },
        _ => match cast(&DataType::Utf8)? {
            ScalarValue::Utf8(Some(text)) => Value::String(text),
            other => Value::String(other.to_string()),
        },
    })
}

impl Pipeline {
    /// The same pipeline without the stages that write, print or assert: what `it` stands for.
    pub(crate) fn without_outcomes(&self) -> Pipeline {
        let stages: Vec<StageCall> = self
            .stages
            .iter()
            .filter(|call| call.verb.section != Section::Outcome)
            .cloned()
            .collect();
        Pipeline {
            source: self.source.clone(),
            stages,
            flow: self.flow.clone(),
            span: self.span,
        }
    }
}
