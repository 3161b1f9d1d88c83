//! Completion: the place at the cursor ([`super::cursor`]) and the registries make the candidates.

use super::cursor::{self, Place, Spot};
use super::{meta, token};
use crate::func::FUNCTIONS;
use crate::lang::check::{Binding, Definition, FunctionKind};
use crate::lang::flow::{Columns, Flow};
use crate::library::LIBRARY;
use crate::session::Session;
use crate::spec::{Accept, ParamSpec, Place as Standing, Shape, Value, VerbSpec};
use crate::verb::{self, VERBS};
use std::path::Path;
use std::sync::Arc;

/// A text that could stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// What a list of them shows.
    pub(super) shown: String,
    /// What is put in place of what was typed.
    pub(super) text: String,
}

impl Candidate {
    pub(super) fn new(text: impl Into<String>) -> Candidate {
        let text = text.into();
        Candidate {
            shown: text.trim_end().to_owned(),
            text,
        }
    }
}

/// The candidates at the end of `text` (the lines before the cursor's included) and the byte they start at.
pub(super) fn at_end(text: &str, session: &mut Session) -> (usize, Vec<Candidate>) {
    if meta::is_command(text) {
        return meta::complete(text, session);
    }
    let Some(spot) = cursor::at_end(text) else {
        return (text.len(), Vec::new());
    };
    let mut finding = Finding {
        session,
        spot: &spot,
        out: Vec::new(),
    };
    finding.fill();
    let mut out = finding.out;
    out.retain(|candidate| candidate.text.starts_with(&spot.typed));
    out.sort();
    out.dedup();
    (spot.start, out)
}

struct Finding<'a> {
    session: &'a mut Session,
    spot: &'a Spot,
    out: Vec<Candidate>,
}

impl Finding<'_> {
    fn add(&mut self, text: impl Into<String>) {
        self.out.push(Candidate::new(text));
    }

    fn fill(&mut self) {
        if let Some(column) = &self.spot.compared {
            self.values(column);
        }
        if let Some(definition) = self.definition() {
            return self.defined(&definition);
        }
        match &self.spot.place {
            Place::Head => self.head(),
            Place::Verb => self.verbs(),
            Place::Use { quoted: true } => self.out.extend(files(&self.spot.typed, "\"")),
            Place::Use { quoted: false } => {
                for entry in LIBRARY {
                    self.add(format!("std.{}", entry.name));
                }
                self.add("\"");
            }
            Place::Positional { index, direct } => {
                if let Some(spec) = self.spec() {
                    if let Some(param) = positional(spec, *index) {
                        self.shape(param);
                    }
                    if *direct {
                        self.options(spec);
                    }
                }
            }
            Place::OptionName => {
                if let Some(spec) = self.spec() {
                    self.options(spec);
                }
            }
            Place::Value { option } => {
                let spec = self.spec();
                match spec.and_then(|spec| spec.options().find(|param| param.name == option)) {
                    Some(param) => self.shape(param),
                    // A new column: `derive busy = …`.
                    None if spec.is_some_and(VerbSpec::has_free_names) => self.expression(),
                    None => {}
                }
            }
            Place::Key => self.expression(),
            Place::Scalar => self.scalars(""),
            Place::Text { argument } => self.text(argument),
            Place::Relation { binding } => self.relations(binding),
            Place::Expression => {
                self.functions();
                self.scalars("$");
                self.data();
            }
        }
    }

    /// The verb of the stage the cursor stands in.
    fn spec(&self) -> Option<&'static VerbSpec> {
        let stage = self.spot.stage.as_ref()?;
        verb::find(&stage.verb).map(|verb| verb.spec())
    }

    /// The verb of the stage where the session defines it.
    fn definition(&self) -> Option<Arc<Definition>> {
        let stage = self.spot.stage.as_ref()?;
        match self.session.scope().get(&stage.verb)? {
            Binding::Verb(definition) => Some(definition.clone()),
            _ => None,
        }
    }

    /// Arguments of a verb that the session defines; what fits them only its body knows.
    fn defined(&mut self, definition: &Definition) {
        let written = self.spot.stage.clone().unwrap_or_default();
        let options = |finding: &mut Self| {
            for (name, default) in &definition.formals {
                if default.is_some() && !written.options.contains(&name.text) {
                    finding.add(format!("{}=", name.text));
                }
            }
        };
        match &self.spot.place {
            Place::OptionName => options(self),
            Place::Positional { index, direct } => {
                let wanted = definition.formals.iter().filter(|(_, d)| d.is_none());
                if *index < wanted.count() {
                    self.expression();
                }
                if *direct {
                    options(self);
                }
            }
            Place::Scalar => self.scalars(""),
            Place::Relation { binding } => self.relations(binding),
            Place::Text { .. } => self.out.extend(files(&self.spot.typed, "\"")),
            _ => self.expression(),
        }
    }

    /// The values of a column that it is compared with.
    fn values(&mut self, column: &str) {
        let Some(before) = &self.spot.before else {
            return;
        };
        let quoted = matches!(self.spot.place, Place::Text { .. });
        for value in self.session.values_at(before, column) {
            let literal = Value::String(value).literal();
            let text = if quoted {
                literal.get(1..).unwrap_or_default().to_owned()
            } else {
                literal.clone()
            };
            self.out.push(Candidate {
                shown: literal,
                text,
            });
        }
    }

    /// What flows into the stage.
    fn flow(&mut self) -> Option<Flow> {
        let before = self.spot.before.as_ref()?;
        self.session.flow_at(before)
    }

    fn columns(&mut self) -> Option<Columns> {
        self.flow()?.columns().cloned()
    }

    fn head(&mut self) {
        for verb in VERBS
            .iter()
            .map(|verb| verb.spec())
            .filter(|spec| spec.heads)
        {
            self.add(format!("{} ", verb.name));
        }
        self.data();
        self.bindings(|binding| matches!(binding, Binding::Verb(_)), "");
        if !self.spot.typed.is_empty() {
            self.functions();
            for word in ["let ", "for ", "def ", "use ", "param "] {
                self.add(word);
            }
        }
    }

    /// Verbs that take what flows in; all that take anything where that is not known.
    fn verbs(&mut self) {
        let kind = self.flow().map(|flow| flow.kind());
        for spec in VERBS.iter().map(|verb| verb.spec()) {
            let fits = match kind {
                Some(kind) => spec.takes.contains(&kind),
                None => !spec.takes.is_empty(),
            };
            if fits {
                let blank = if spec.params.is_empty() { "" } else { " " };
                self.add(format!("{}{blank}", spec.name));
            }
        }
        self.bindings(|binding| matches!(binding, Binding::Verb(_)), "");
    }

    fn options(&mut self, spec: &'static VerbSpec) {
        let written = self.spot.stage.clone().unwrap_or_default();
        for param in spec.options() {
            if !written.options.iter().any(|given| given == param.name) {
                self.add(format!("{}=", param.name));
            }
        }
        if spec.by && !written.by && written.positionals > 0 {
            self.add("by ");
        }
    }

    /// What fits a parameter.
    fn shape(&mut self, param: &'static ParamSpec) {
        match param.shape {
            Shape::Scalar(accepted) => {
                for accept in accepted {
                    match accept {
                        Accept::Choice(choices) => {
                            for choice in *choices {
                                self.add(choice.name);
                            }
                        }
                        Accept::Bool => {
                            self.add("true");
                            self.add("false");
                        }
                        // A quote to start with; the file names follow it.
                        Accept::Text if is_path(param) && self.spot.typed.is_empty() => {
                            self.add("\"")
                        }
                        _ => {}
                    }
                }
                self.scalars("$");
            }
            Shape::Names | Shape::Renames => self.column_names(),
            Shape::Relation => {
                if let Some(Flow::Trace(trace)) = self.flow() {
                    for (name, _) in &trace.relations {
                        self.add(name.as_str());
                    }
                }
            }
            Shape::Condition
            | Shape::Columns
            | Shape::Assignments
            | Shape::Aggregates
            | Shape::SortKeys => self.expression(),
            Shape::Column(choices) => {
                for choice in choices {
                    self.add(choice.name);
                }
                self.expression();
            }
            Shape::Data(_) => self.data(),
            Shape::DataList(_) => {
                self.add("[");
                self.data();
            }
        }
    }

    /// An expression over the columns.
    fn expression(&mut self) {
        self.column_names();
        self.functions();
        self.scalars("$");
        let on_data = |name: &str| {
            FUNCTIONS
                .iter()
                .flat_map(|family| family.iter())
                .any(|function| function.name == name && function.kind == FunctionKind::OnData)
        };
        if self.spot.function.as_deref().is_some_and(on_data) {
            self.data();
        }
    }

    fn column_names(&mut self) {
        let Some(columns) = self.columns() else {
            return;
        };
        let mut names: Vec<String> = columns.visible().map(|c| c.name.clone()).collect();
        if columns.has_computed_duration() {
            names.push(crate::model::schema::column::DURATION.to_owned());
        }
        for name in names {
            let is_plain = |name: &str| token::is_plain_name(name);
            if is_plain(&name) || name.strip_prefix("attr.").is_some_and(is_plain) {
                self.add(name);
            } else {
                self.add(format!("`{name}`"));
            }
        }
    }

    /// Functions, once their first letter is known: there are too many to list.
    fn functions(&mut self) {
        if self.spot.typed.is_empty() {
            return;
        }
        for name in self.session.function_names() {
            self.out.push(Candidate {
                text: format!("{name}("),
                shown: format!("{name}()"),
            });
        }
    }

    fn data(&mut self) {
        self.bindings(|binding| matches!(binding, Binding::Data(_)), "");
    }

    fn scalars(&mut self, before: &str) {
        self.bindings(|binding| matches!(binding, Binding::Scalar(_)), before);
    }

    fn bindings(&mut self, wanted: fn(&Binding) -> bool, before: &str) {
        let scope = self.session.scope();
        let names = scope
            .sorted()
            .into_iter()
            .filter(|(_, binding)| wanted(binding));
        let names: Vec<String> = names.map(|(name, _)| format!("{before}{name}")).collect();
        for name in names {
            self.add(name);
        }
    }

    fn relations(&mut self, binding: &str) {
        // `attr.name` of the rows that flow in.
        if let Some(columns) = self.columns() {
            let prefix = format!("{binding}.");
            let names = columns
                .visible()
                .filter_map(|c| c.name.strip_prefix(&prefix));
            for name in names.map(str::to_owned).collect::<Vec<_>>() {
                self.add(name);
            }
        }
        if let Some(Binding::Data(pipeline)) = self.session.scope().get(binding)
            && let Flow::Trace(trace) = &pipeline.flow
        {
            let names: Vec<String> = trace
                .relations
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            for name in names {
                self.add(name);
            }
        }
    }

    /// Inside the quotes: a file where the parameter is a path, else the choices.
    fn text(&mut self, argument: &Result<usize, String>) {
        if self.spot.compared.is_some() {
            return;
        }
        let Some(spec) = self.spec() else { return };
        let param = match argument {
            Ok(index) => positional(spec, *index),
            Err(name) => spec.options().find(|param| param.name == name),
        };
        let Some(param) = param else { return };
        if is_path(param) {
            self.out.extend(files(&self.spot.typed, "\""));
            return;
        }
        for choice in param.shape.choices() {
            self.add(format!("{}\"", choice.name));
        }
    }
}

/// The positional parameter at an index; a list takes all that follow.
fn positional(spec: &'static VerbSpec, index: usize) -> Option<&'static ParamSpec> {
    let all: Vec<&'static ParamSpec> = spec.positionals().collect();
    let last = all
        .last()
        .copied()
        .filter(|p| matches!(p.place, Standing::Many | Standing::Any));
    all.get(index).copied().or(last)
}

/// True for parameters that name a file.
fn is_path(param: &ParamSpec) -> bool {
    param.name == "path" || param.name == "deps" && param.shape.choices().is_empty()
}

/// Files and folders that begin like `typed`; `after` closes the name of a file.
pub(super) fn files(typed: &str, after: &str) -> Vec<Candidate> {
    let (folder, begin) = match typed.rfind('/') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    let place = if folder.is_empty() {
        Path::new(".")
    } else {
        Path::new(folder)
    };
    // What cannot be listed has no candidates.
    let Ok(entries) = std::fs::read_dir(place) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for entry in entries.flatten() {
        // A name that is not UTF-8 or has odd characters cannot be written in a script as it is.
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let odd = name.contains(['"', '\\']) || name.chars().any(char::is_control);
        let hidden = name.starts_with('.') && !begin.starts_with('.');
        if odd || hidden || !name.starts_with(begin) {
            continue;
        }
        let end = if entry.path().is_dir() { "/" } else { after };
        out.push(Candidate {
            shown: format!("{name}{}", if end == "/" { "/" } else { "" }),
            text: format!("{folder}{name}{end}"),
        });
    }
    out.sort();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{INPUT, Quiet, SessionConfig};

    fn session(inputs: &[&str]) -> Session {
        let mut session = Session::new(SessionConfig::default()).expect("a session");
        for input in inputs {
            let outcome = session.run_interactive(INPUT, input, &mut Quiet);
            assert!(outcome.diags.is_empty(), "{input}: {:?}", outcome.diags);
        }
        session
    }

    fn texts(text: &str, session: &mut Session) -> Vec<String> {
        let (_, found) = at_end(text, session);
        found.into_iter().map(|candidate| candidate.text).collect()
    }

    fn hand() -> Session {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hand.csv");
        session(&[
            &format!("let run = load \"{file}\" unit=ms"),
            "def top(key, n=3) = profile | sort -$key | take $n",
        ])
    }

    #[test]
    fn values_of_text_columns() {
        let mut session = hand();
        // By hand from the file.
        let all = ["\"A\"", "\"B\"", "\"C\"", "\"P\"", "\"Q\""];
        for text in [
            "run | filter value == \"",
            "run | filter start > 2ms and value != \"",
            "run | filter value in [\"A\", \"",
            "run | profile | filter value not in [\"",
        ] {
            let quoted: Vec<&str> = all.iter().map(|value| &value[1..]).collect();
            assert_eq!(texts(text, &mut session), quoted, "{text}");
        }
        let found = texts("run | filter value == ", &mut session);
        assert!(
            all.iter().all(|value| found.iter().any(|f| f == value)),
            "{found:?}"
        );
        assert_eq!(
            texts("run | filter resource == \"CPU", &mut session),
            ["CPU0\"", "CPU1\""]
        );
        // No text, no such column, and a file that is not open.
        for text in [
            "run | filter start == \"",
            "run | filter zebra == \"",
            "load \"none.csv\" | filter value == \"",
        ] {
            assert!(texts(text, &mut session).is_empty(), "{text}");
        }
    }

    #[test]
    fn any_beginning_of_a_line_can_be_completed() {
        let mut session = hand();
        for text in [
            "let a = run | filter value in [\"A\", \"B\"] and start > 2ms | top busy n=3 | save \"a.csv\"",
            "for t in [1ms, 2ms] {\n    f\"{$t}: {(run | aggregate-by-threshold $t | summarize count())}\"\n}",
            "run | derive x = if value == \"é\" then lower(value) else `odd name` # … \"",
            "panel [(run | plot-gantt color=critical), (run | plot-stacked)] share=time",
            ":help plo",
            "use std.gantt; load \"/\" deps=\"",
            "run.links | join (run.states) on=source how=inner | sort -start, {\"a\": [1..",
            "|||\"\"\"(((]]] by by by = == $ $$ .. ... \\ \u{0} \u{feff} ' `",
        ] {
            for (at, _) in text.char_indices() {
                let (start, _) = at_end(&text[..at], &mut session);
                assert!(start <= at && text.is_char_boundary(start), "{text}");
            }
        }
    }

    #[test]
    fn values_of_a_long_run_come_in_time() {
        let mut session = session(&["let run = generate cholesky tiles=100"]);
        let start = std::time::Instant::now();
        let found = texts("run | filter value == \"", &mut session);
        let elapsed = start.elapsed();
        // The promise is 100 ms; a busy machine is given more before it fails.
        assert!(
            elapsed < std::time::Duration::from_secs(1),
            "{elapsed:?}: {found:?}"
        );
    }

    #[test]
    fn verbs_of_the_session_and_the_library() {
        let mut session = hand();
        assert!(texts("run | to", &mut session).contains(&"top".to_owned()));
        assert_eq!(texts("run | top busy n", &mut session), ["n="]);
        assert!(texts("run | top busy n=2 n", &mut session).is_empty());
        assert!(texts("use std.g", &mut session).contains(&"std.gantt".to_owned()));
        assert_eq!(texts("use \"Cargo.to", &mut session), ["Cargo.toml\""]);
        assert_eq!(texts("load \"Cargo.to", &mut session), ["Cargo.toml\""]);
        assert_eq!(
            texts("load \"a\" deps=\"Cargo.to", &mut session),
            ["Cargo.toml\""]
        );
        assert_eq!(texts("run.li", &mut session), ["links"]);
        assert_eq!(texts("run | focus li", &mut session), ["links"]);
        assert!(texts("le", &mut session).contains(&"let ".to_owned()));
    }
}
