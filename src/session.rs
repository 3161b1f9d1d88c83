//! A session: names, opened inputs and an engine; scripts in, results to a [`Host`].
//!
//! This is the library's front door: the command line and the REPL are two front ends of it, and nothing in
//! here prints.

mod journal;
mod values;

use crate::diag::{Class, Diag, Sources, Span};
use crate::func::Functions;
use crate::lang::ast;
use crate::lang::check::{
    self, After, Binding, Checked, FunctionKind, Import, Parameter, ParameterText, Registry, Scope,
};
use crate::lang::flow::{Columns, Flow};
use crate::lang::parse;
use crate::lang::plan::{Arguments, Pipeline, Source, Step};
use crate::library;
use crate::plan::engine::EngineConfig;
use crate::plan::{Cancel, Engine, lower};
use crate::run::Runner;
use crate::spec::{Type, Value, VerbSpec};
use crate::verb::source::moved::Moved;
use crate::verb::source::opened::{OpenedFile, SourceCache};
use crate::verb::{self, Assertion, FlowContext, Host, Origin, Output};
use crate::write::provenance::{Setting, UsedFile};
use journal::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What messages call an input of the REPL.
pub const INPUT: &str = "input";

/// What a session is started with.
#[derive(Clone, Debug, Default)]
pub struct SessionConfig {
    /// Threads, memory, spill folder.
    pub engine: EngineConfig,
    /// Where output files go; None for the current folder.
    pub out: Option<PathBuf>,
    /// Refuse to write over files.
    pub keep_files: bool,
    /// Values of `--param`, as text.
    pub parameters: Vec<(String, String)>,
    /// Make one output file again.
    pub again: Option<Again>,
}

/// An output file that is made again from what it says of itself.
#[derive(Clone, Debug)]
pub struct Again {
    /// The path that the script gives it.
    pub output: String,
    /// Where it goes now. No other file is written.
    pub place: PathBuf,
    /// The files of definitions as they were: `use` reads these and no others.
    pub used: Vec<UsedFile>,
    /// Where inputs are that are not where the script says.
    pub moved: Moved,
}

/// The end of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The errors, in order. Warnings went to the host as they came.
    pub diags: Vec<Diag>,
    /// The exit code of language.md section 7.
    pub exit_code: u8,
}

impl Outcome {
    fn of(diags: Vec<Diag>) -> Outcome {
        // A mistake in the script outweighs an input that could not be read: it is to be mended first.
        let script = diags
            .iter()
            .find(|d| d.is_error() && d.code.class == Class::Script);
        let first = script.or(diags.iter().find(|d| d.is_error()));
        Outcome {
            exit_code: first.map_or(0, |diag| diag.code.class.exit_code()),
            diags,
        }
    }
}

/// A session.
pub struct Session {
    engine: Engine,
    functions: Functions,
    texts: Sources,
    inputs: SourceCache,
    scope: Scope,
    config: SessionConfig,
    origin: Origin,
    /// The files of definitions, as they were read.
    definitions: Vec<OpenedFile>,
    output: Output,
    memory: crate::run::Memory,
    succeeded: Vec<Entry>,
    values: values::Known,
}

/// A statement of an input of the REPL.
struct Turn {
    entry: Entry,
    /// How many steps the statements up to this one have.
    steps: usize,
    /// The names that are bound behind it.
    scope: Scope,
}

impl Session {
    /// Starts the engine.
    pub fn new(config: SessionConfig) -> Result<Session, Diag> {
        let engine = Engine::new(config.engine.clone())?;
        let functions = Functions::new(engine.context().state());
        let mut inputs = SourceCache::default();
        let again = config.again.as_ref();
        if let Some(again) = again {
            inputs.set_moved(again.moved.clone());
        }
        let output = Output {
            folder: config.out.clone(),
            keep_files: config.keep_files,
            only: again.map(|again| (again.output.clone(), again.place.clone())),
        };
        Ok(Session {
            engine,
            functions,
            texts: Sources::default(),
            inputs,
            scope: Scope::default(),
            config,
            origin: Origin::default(),
            definitions: Vec::new(),
            output,
            memory: crate::run::Memory::default(),
            succeeded: Vec::new(),
            values: values::Known::default(),
        })
    }

    /// The texts that spans of diagnostics point into.
    pub fn sources(&self) -> &Sources {
        &self.texts
    }

    /// Stops what runs; a clone may be used from a signal handler's thread.
    pub fn cancel(&self) -> Cancel {
        self.engine.cancel().clone()
    }

    /// The names that are bound.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Every function a script can call.
    pub fn function_names(&self) -> Vec<String> {
        self.functions.names()
    }

    /// The functions of the language.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// What loading did, for each input that was read row by row.
    pub fn reports(&self) -> Vec<crate::model::LoadReport> {
        self.inputs.reports()
    }

    /// The files that were read or looked for: inputs and definitions.
    pub fn files(&self) -> Vec<OpenedFile> {
        let mut files = self.inputs.watched();
        files.extend(self.definitions.iter().cloned());
        files
    }

    /// Forgets all names, so that the next script starts anew. Inputs that did not change stay open.
    pub fn forget(&mut self) {
        self.inputs.forget();
        self.texts = Sources::default();
        self.scope = Scope::default();
        self.origin = Origin::default();
        self.definitions.clear();
        self.memory = crate::run::Memory::default();
        self.succeeded.clear();
    }

    /// The statements of the REPL that succeeded, as a script in `folder`, and the paths that it would write twice.
    pub fn script(&self, folder: &Path) -> (String, Vec<String>) {
        let written = journal::script(&self.succeeded, folder);
        (written.text, written.twice)
    }

    /// Runs a script: all mistakes at once before anything runs, then statement by statement up to the first
    /// that fails.
    pub fn run(&mut self, name: &str, text: &str, host: &mut dyn Host) -> Outcome {
        let overrides = self.overrides();
        let checked = match self.checked(name, text, &overrides, host) {
            Ok(checked) => checked,
            Err(outcome) => return outcome,
        };
        self.origin.script = text.trim_start_matches('\u{feff}').to_owned();
        self.origin.parameters = checked
            .parameters
            .iter()
            .filter(|parameter| parameter.value != parameter.default)
            .map(|parameter| Setting {
                name: parameter.name.clone(),
                value: parameter.value.literal(),
            })
            .collect();
        for (step, _) in &checked.steps {
            self.expect_assertions(step, host);
        }
        for (step, _) in &checked.steps {
            if let Err(diag) = self.step(step, host) {
                return Outcome::of(vec![diag]);
            }
        }
        Outcome::default()
    }

    /// Runs one input of the REPL, or a script there, which is called `name`. A leading pipe goes on from the last
    /// result, which is `it`. What a statement that fails would have bound, and those behind it, stays unbound.
    pub fn run_interactive(&mut self, name: &str, text: &str, host: &mut dyn Host) -> Outcome {
        let continued =
            text.trim_start().starts_with('|') && self.scope.get(journal::LAST).is_some();
        let input = if continued {
            format!("{} {}", journal::LAST, text.trim_start())
        } else {
            text.trim_start_matches('\u{feff}').to_owned()
        };
        self.values.clear();
        let mut turns: Vec<Turn> = Vec::new();
        let mut after = |statement: &ast::Statement, scope: &mut Scope, steps: &[(Step, Span)]| {
            let done = turns.last().map_or(0, |turn| turn.steps);
            let own = steps.get(done..).unwrap_or_default();
            if let (ast::StatementKind::Show(_), Some((step, _))) = (&statement.kind, own.last()) {
                match step {
                    Step::Pipeline(pipeline) if pipeline.is_data() => {
                        let kept = Arc::new(pipeline.without_outcomes());
                        scope.bind(journal::LAST, Binding::Data(kept));
                    }
                    Step::Scalar(scalar) => {
                        scope.bind(journal::LAST, Binding::Scalar(scalar.clone()));
                    }
                    Step::Pipeline(_) | Step::LetPipeline(_) | Step::LetScalar(_) => {}
                }
            }
            turns.push(Turn {
                entry: Entry::new(statement, &input, name, own),
                steps: steps.len(),
                scope: scope.clone(),
            });
        };
        let before = self.scope.clone();
        let checked = match self.checked_each(name, &input, &[], host, &mut after) {
            Ok(checked) => checked,
            Err(outcome) => return outcome,
        };
        self.scope = before;
        let entries = turns.iter().map(|turn| turn.entry.clone());
        let whole: Vec<Entry> = self.succeeded.iter().cloned().chain(entries).collect();
        self.origin.script = journal::script(&whole, Path::new("")).text;
        let mut steps = checked.steps.iter();
        let mut ran = 0;
        for turn in turns {
            for (step, _) in steps.by_ref().take(turn.steps - ran) {
                if let Err(diag) = self.step(step, host) {
                    return Outcome::of(vec![diag]);
                }
            }
            ran = turn.steps;
            self.scope = turn.scope;
            self.succeeded.push(turn.entry);
        }
        Outcome::default()
    }

    /// Finds the mistakes of a script and runs nothing but the loads that the check needs.
    pub fn check(&mut self, name: &str, text: &str, host: &mut dyn Host) -> Outcome {
        let overrides = self.overrides();
        match self.checked(name, text, &overrides, host) {
            Ok(_) => Outcome::default(),
            Err(outcome) => outcome,
        }
    }

    /// The parameters that a script declares.
    pub fn parameters_of(&mut self, name: &str, text: &str) -> (Vec<Parameter>, Vec<Diag>) {
        let source = self.texts.add(name, text);
        let parsed = parse::parse(text, source);
        let script = ast::Script {
            statements: parsed
                .script
                .statements
                .into_iter()
                .filter(|s| matches!(s.kind, ast::StatementKind::Param { .. }))
                .collect(),
        };
        let mut host = Quiet;
        let mut scope = Scope::default();
        let checked =
            self.check_script(name, &script, &[], &mut host, &mut scope, &mut |_, _, _| {});
        (checked.parameters, parsed.diags)
    }

    /// The columns that flow at the end of a pipeline's text, from inputs that are open already.
    pub fn columns_at(&mut self, pipeline_text: &str) -> Option<Columns> {
        self.flow_at(pipeline_text)?.columns().cloned()
    }

    /// What flows at the end of a pipeline's text, from inputs that are open already.
    pub fn flow_at(&mut self, pipeline_text: &str) -> Option<Flow> {
        self.pipeline_at(pipeline_text)
            .map(|pipeline| pipeline.flow.clone())
    }

    /// The checked pipeline of a text, from inputs that are open already.
    fn pipeline_at(&mut self, pipeline_text: &str) -> Option<Arc<Pipeline>> {
        let text = pipeline_text.trim_end().trim_end_matches('|');
        let parsed = parse::parse(text, u32::MAX);
        let last = parsed.script.statements.into_iter().next_back()?;
        let script = ast::Script {
            statements: vec![last],
        };
        let mut scope = self.scope.clone();
        let mut host = Quiet;
        let mut saved = Vec::new();
        let mut used = self.origin.used.clone();
        let mut definitions = Vec::new();
        let mut registry = Registries {
            functions: &self.functions,
            texts: &self.texts,
            script: INPUT,
            used: &mut used,
            definitions: &mut definitions,
            again: self.config.again.as_ref(),
            flow: FlowContext {
                engine: &self.engine,
                sources: &mut self.inputs,
                host: &mut host,
                saved: &mut saved,
                may_save_again: true,
                only_open: true,
            },
        };
        let checked = check::check(&script, &mut scope, &[], &mut registry);
        match checked.steps.into_iter().next_back()?.0 {
            Step::Pipeline(pipeline) | Step::LetPipeline(pipeline) => Some(pipeline),
            Step::Scalar(_) | Step::LetScalar(_) => None,
        }
    }

    fn overrides(&self) -> Vec<(String, ParameterText)> {
        self.config
            .parameters
            .iter()
            .map(|(name, raw)| {
                let parsed = parse::parse(&format!("let value = {raw}"), u32::MAX);
                let expr = parsed
                    .script
                    .statements
                    .into_iter()
                    .next()
                    .and_then(|s| match s.kind {
                        ast::StatementKind::Let {
                            value: ast::Bound::Expr(expr),
                            ..
                        } if parsed.diags.is_empty() => Some(expr),
                        _ => None,
                    });
                let text = ParameterText {
                    raw: raw.clone(),
                    expr,
                };
                (name.clone(), text)
            })
            .collect()
    }

    fn check_script(
        &mut self,
        name: &str,
        script: &ast::Script,
        overrides: &[(String, ParameterText)],
        host: &mut dyn Host,
        scope: &mut Scope,
        after: &mut After,
    ) -> Checked {
        let mut saved = Vec::new();
        let mut registry = Registries {
            functions: &self.functions,
            texts: &self.texts,
            script: name,
            used: &mut self.origin.used,
            definitions: &mut self.definitions,
            again: self.config.again.as_ref(),
            flow: FlowContext {
                engine: &self.engine,
                sources: &mut self.inputs,
                host,
                saved: &mut saved,
                may_save_again: self.config.again.is_some(),
                only_open: false,
            },
        };
        guarded(|| check::check_each(script, scope, overrides, &mut registry, after))
            .unwrap_or_else(|diag| Checked {
                diags: vec![diag],
                ..Checked::default()
            })
    }

    /// Parses and checks; the errors end the run, the warnings go to the host.
    fn checked(
        &mut self,
        name: &str,
        text: &str,
        overrides: &[(String, ParameterText)],
        host: &mut dyn Host,
    ) -> Result<Checked, Outcome> {
        self.checked_each(name, text, overrides, host, &mut |_, _, _| {})
    }

    /// Parses and checks as [`Session::checked`] does, and tells of each statement.
    fn checked_each(
        &mut self,
        name: &str,
        text: &str,
        overrides: &[(String, ParameterText)],
        host: &mut dyn Host,
        after: &mut After,
    ) -> Result<Checked, Outcome> {
        self.engine.cancel().reset();
        let source = self.texts.add(name, text);
        let parsed = parse::parse(text, source);
        let mut scope = self.scope.clone();
        let mut checked =
            self.check_script(name, &parsed.script, overrides, host, &mut scope, after);
        let mut diags = parsed.diags;
        diags.append(&mut checked.diags);
        let (mut errors, warnings): (Vec<Diag>, Vec<Diag>) =
            diags.into_iter().partition(Diag::is_error);
        for warning in warnings {
            host.warn(warning);
        }
        if !errors.is_empty() {
            errors.sort_by_key(place);
            // A mistake in a definition shows at each of its uses; once is enough.
            errors.dedup_by(|next, first| {
                next.message == first.message
                    && !first.labels.is_empty()
                    && place(next) == place(first)
            });
            return Err(Outcome::of(errors));
        }
        self.scope = scope;
        Ok(checked)
    }

    /// Tells the host which assertions are coming, so that it knows of those that are not reached.
    fn expect_assertions(&self, step: &Step, host: &mut dyn Host) {
        let (Step::Pipeline(pipeline) | Step::LetPipeline(pipeline)) = step else {
            return;
        };
        let head = match &pipeline.source {
            Source::Verb(call) => Some(call),
            Source::Pipeline { .. } => None,
        };
        for call in head.into_iter().chain(&pipeline.stages) {
            if call.verb.name == verb::outcome::assert::NAME {
                let condition = call.arguments.span_of(&verb::outcome::assert::CONDITION);
                host.assertion(Assertion {
                    message: String::new(),
                    condition: self.text_of(condition),
                    span: condition,
                    outcome: None,
                });
            }
        }
    }

    /// The text of a span.
    fn text_of(&self, span: Span) -> String {
        let text = self.texts.get(span.source);
        let text = text.and_then(|(_, text)| text.get(span.start..span.end).map(ToOwned::to_owned));
        text.unwrap_or_default()
    }

    fn step(&mut self, step: &Step, host: &mut dyn Host) -> Result<(), Diag> {
        let mut runner = Runner {
            engine: &self.engine,
            functions: &self.functions,
            sources: &mut self.inputs,
            host,
            texts: &self.texts,
            origin: &self.origin,
            output: &self.output,
            memory: &mut self.memory,
        };
        guarded(|| runner.step(step)).unwrap_or_else(Err)
    }
}

/// Where a diagnostic points first, for the order they are told in.
fn place(diag: &Diag) -> (u32, usize) {
    let first = diag.labels.first();
    first.map_or((u32::MAX, usize::MAX), |label| {
        (label.span.source, label.span.start)
    })
}

/// Runs something that calls into the engine; a panic in there becomes a diagnostic. Nothing of ours is
/// half-changed by it: a failed statement binds no name.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Diag> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(payload.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        crate::plan::fault::crashed(text)
    })
}

/// The registries as the checker sees them.
struct Registries<'a> {
    functions: &'a Functions,
    texts: &'a Sources,
    /// What the script is called.
    script: &'a str,
    /// The files that `use` read so far.
    used: &'a mut Vec<UsedFile>,
    definitions: &'a mut Vec<OpenedFile>,
    again: Option<&'a Again>,
    flow: FlowContext<'a>,
}

impl Registry for Registries<'_> {
    fn verb(&self, name: &str) -> Option<&'static VerbSpec> {
        verb::find(name).map(|verb| verb.spec())
    }

    fn verb_names(&self) -> Vec<&'static str> {
        verb::VERBS.iter().map(|verb| verb.spec().name).collect()
    }

    fn flow(
        &mut self,
        spec: &'static VerbSpec,
        input: Option<&Flow>,
        arguments: &Arguments,
    ) -> Result<Flow, Diag> {
        match verb::find(spec.name) {
            Some(verb) => verb.flow(input, arguments, &mut self.flow),
            None => Err(verb::unexpected(spec)),
        }
    }

    fn function(&self, name: &str) -> Option<(String, FunctionKind)> {
        self.functions.find(name)
    }

    fn function_names(&self) -> Vec<String> {
        self.functions.names()
    }

    fn result_type(&self, function: &str, arguments: &[Type]) -> Result<Type, String> {
        self.functions.result_type(function, arguments)
    }

    fn import(&mut self, path: &ast::UsePath, from: u32) -> Result<Import, Diag> {
        let using = self.texts.get(from).map(|(name, _)| name);
        let recorded = self.again.map(|again| &*again.used);
        let (key, name, text) = library::read(path, using.as_deref(), recorded)?;
        if let ast::UsePath::File(_) = path {
            let path = verb::relative_to(self.script, &name);
            if !self.used.iter().any(|file| file.path == path) {
                self.used.push(UsedFile {
                    path,
                    text: text.clone(),
                });
                self.definitions.push(OpenedFile::now(&*name));
            }
        }
        let source = self.texts.add(name.as_str(), text.as_str());
        let parsed = parse::parse(&text, source);
        Ok(Import {
            key,
            name,
            script: parsed.script,
            diags: parsed.diags,
        })
    }

    fn source_name(&self, source: u32) -> String {
        self.texts
            .get(source)
            .map_or_else(|| "the script".to_owned(), |(name, _)| name.to_string())
    }

    fn call(&mut self, function: &str, arguments: &[Value], ty: &Type) -> Result<Value, Diag> {
        call(self.functions, function, arguments, ty)
    }
}

/// The value of a function of constants.
pub(crate) fn call(
    functions: &Functions,
    function: &str,
    arguments: &[Value],
    ty: &Type,
) -> Result<Value, Diag> {
    let span = Span::default();
    let clock = crate::run::EXACT;
    let types: Vec<Type> = arguments.iter().map(Value::value_type).collect();
    let literals = arguments
        .iter()
        .map(|value| lower::literal(value, clock, span))
        .collect::<Result<Vec<_>, Diag>>()?;
    let call = functions.lower(function, literals, &types)?;
    let value = functions.simplify(call)?;
    crate::run::value_of_scalar(&value, ty, clock)
}

/// A host for checks and runs whose results and warnings nobody reads. No row of a table is computed.
pub struct Quiet;

impl Host for Quiet {
    fn table(&mut self, _: &verb::Shown) -> Result<usize, Diag> {
        Ok(1)
    }

    fn text(&mut self, _: &str) -> Result<(), Diag> {
        Ok(())
    }

    fn value(&mut self, _: &Value) -> Result<(), Diag> {
        Ok(())
    }

    fn figure(&mut self, _: &crate::plan::Figure, _: &str) -> Result<(), Diag> {
        Ok(())
    }

    fn warn(&mut self, _: Diag) {}

    fn stage(&mut self, _: &str) {}

    fn progress(&mut self, _: u64, _: u64) {}
}

impl Pipeline {
    /// True where data come out that a later statement can go on from.
    fn is_data(&self) -> bool {
        !matches!(self.flow, Flow::Scalar(_))
    }
}
