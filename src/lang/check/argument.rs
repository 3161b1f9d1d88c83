//! The arguments of a stage against the parameters of its verb: positions, options, choices, shapes.

use super::answer::{
    default_name, extra, spelled_with_minus, unknown_choice, unknown_option, wrong_value,
};
use super::expr::{self, Place as Position};
use super::{Checker, Checking};
use crate::diag::{Diag, code};
use crate::lang::ast;
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::{Argument, ArgumentKind, Arguments, DataArgument, Expr, ExprNode, Named};
use crate::lang::suggest;
use crate::spec::{Accept, Choice, Kind, ParamSpec, Place, Shape, Type, VerbSpec};
use std::sync::Arc;

impl Checker<'_> {
    /// Checks every argument; reports all mistakes of the stage before it stops.
    pub(crate) fn arguments(
        &mut self,
        verb: &'static VerbSpec,
        stage: &ast::Stage,
        has_input: bool,
        columns: &Columns,
        input: Option<&Flow>,
    ) -> Checking<Arguments> {
        let mut out = Arguments {
            given: Vec::new(),
            by: Vec::new(),
            span: stage.span,
        };
        let before = self.diags.len();
        if let Some(span) = stage.by_span
            && !verb.by
        {
            self.diags.push(
                Diag::error(
                    &code::EXTRA_ARGUMENT,
                    format!("`{}` has no `by`", verb.name),
                )
                .at(span, "here")
                .help(format!("usage: {}", verb.signature())),
            );
        }
        let by_names = verb.by && !stage.by.is_empty();
        if by_names {
            out.by = self.named(&stage.by, Position::Rows(columns, false));
            if self.diags[before..].iter().any(Diag::is_error) {
                // Without its groups nothing else of the stage can be judged.
                return Err(super::Stop);
            }
        }
        let positionals: Vec<&'static ParamSpec> = verb.positionals().collect();
        let mut next = 0;
        let mut rest: Vec<&ast::Argument> = Vec::new();
        let mut rest_param: Option<&'static ParamSpec> = None;
        for argument in &stage.arguments {
            if let Some(name) = &argument.name {
                let option = verb.options().find(|option| option.name == name.text);
                let option = option.or_else(|| {
                    positionals
                        .iter()
                        .copied()
                        .find(|p| p.name == name.text && matches!(p.shape, Shape::Scalar(_)))
                });
                match option {
                    Some(param) if !name.quoted => {
                        self.one(&mut out, param, argument, verb, columns, has_input, input);
                        continue;
                    }
                    _ if verb.has_free_names() => {}
                    _ => {
                        let diag = unknown_option(verb, name, argument, columns);
                        self.diags.push(diag);
                        continue;
                    }
                }
            }
            match positionals.get(next) {
                Some(param) if matches!(param.place, Place::Many | Place::Any) => {
                    rest_param = Some(param);
                    rest.push(argument);
                }
                Some(param) => {
                    next += 1;
                    self.one(&mut out, param, argument, verb, columns, has_input, input);
                }
                // `window 1ms, 2ms`: the first was wrong already, and the second is the same mistake.
                None if positionals
                    .last()
                    .is_some_and(|p| is_range(p) && out.find(p.name).is_none()) => {}
                None => {
                    let diag = extra(verb, argument);
                    self.diags.push(diag);
                }
            }
        }
        if let Some(param) = rest_param {
            self.rest(&mut out, param, &rest, columns);
        }
        let mut is_broken = false;
        for (index, param) in positionals.iter().enumerate() {
            let needed = matches!(param.place, Place::Required | Place::Many);
            let given = out.find(param.name).is_some();
            // What is written and wrong is not missing: it may be a name whose definition was the mistake.
            let written = index < next;
            is_broken |= needed && written && !given;
            if needed && !written && !given && self.diags.len() == before {
                self.diags.push(
                    Diag::error(
                        &code::MISSING_ARGUMENT,
                        format!("`{}` needs an argument: {}", verb.name, param.name),
                    )
                    .at(stage.verb.span, format!("`{}` is missing", param.name))
                    .help(format!("usage: {}", verb.signature())),
                );
            }
        }
        if is_broken || self.diags[before..].iter().any(Diag::is_error) {
            return Err(super::Stop);
        }
        Ok(out)
    }

    #[allow(clippy::too_many_arguments)]
    fn one(
        &mut self,
        out: &mut Arguments,
        param: &'static ParamSpec,
        argument: &ast::Argument,
        verb: &'static VerbSpec,
        columns: &Columns,
        has_input: bool,
        input: Option<&Flow>,
    ) {
        if out.find(param.name).is_some() {
            self.diags.push(
                Diag::error(
                    &code::DUPLICATE_OPTION,
                    format!("`{}` is given twice", param.name),
                )
                .at(argument.span, "again here"),
            );
            return;
        }
        let value = &argument.value;
        let kind = match param.shape {
            Shape::Scalar(accepts) => {
                self.scalar_argument(param, accepts, value, verb, columns, has_input)
            }
            Shape::Condition if !has_input => self.scalar(value, "").and_then(|scalar| {
                self.must_be_bool(&scalar.expr)
                    .map(|()| ArgumentKind::Deferred(scalar))
            }),
            Shape::Condition => {
                let grouped = !out.by.is_empty();
                self.expr(value, Position::Rows(columns, grouped))
                    .and_then(|expr| {
                        self.must_be_bool(&expr)?;
                        if expr.has_aggregate() && !grouped {
                            return self.report(
                                Diag::error(
                                    &code::AGGREGATE_MISPLACED,
                                    "an aggregate looks at many rows, a condition at one",
                                )
                                .at(expr.span, "here")
                                .help(format!(
                                    "say which rows belong together: `{} … by resource`",
                                    verb.name
                                )),
                            );
                        }
                        Ok(ArgumentKind::Condition(expr))
                    })
            }
            Shape::Relation => self.relation(value, input),
            Shape::Column(choices) => self.choice_or_column(param, choices, value, columns),
            Shape::Data(kinds) => self
                .data(param, kinds, value)
                .map(|one| ArgumentKind::Data(vec![one])),
            Shape::DataList(kinds) => self.data_list(param, kinds, value),
            _ => {
                self.rest(out, param, &[argument], columns);
                return;
            }
        };
        if let Ok(kind) = kind {
            out.given.push((
                param.name,
                Argument {
                    kind,
                    span: argument.value.span,
                },
            ));
        }
    }

    fn rest(
        &mut self,
        out: &mut Arguments,
        param: &'static ParamSpec,
        arguments: &[&ast::Argument],
        columns: &Columns,
    ) {
        let owned: Vec<ast::Argument> = arguments.iter().map(|a| (*a).clone()).collect();
        let before = self.diags.len();
        let kind = match param.shape {
            Shape::Columns => {
                ArgumentKind::Columns(self.named(&owned, Position::Rows(columns, false)))
            }
            Shape::Assignments => {
                for argument in owned.iter().filter(|argument| argument.name.is_none()) {
                    self.diags.push(
                        Diag::error(&code::MISSING_ARGUMENT, "the new column has no name")
                            .at(argument.span, "here")
                            .help("write `name = expression`"),
                    );
                }
                ArgumentKind::Columns(self.assignments(&owned, columns))
            }
            Shape::Aggregates => {
                let named = self.named(&owned, Position::Rows(columns, true));
                for entry in &named {
                    self.must_aggregate(entry);
                }
                ArgumentKind::Columns(named)
            }
            Shape::SortKeys => ArgumentKind::SortKeys(self.sort_keys(&owned, columns)),
            Shape::Names => ArgumentKind::Names(
                owned
                    .iter()
                    .flat_map(|argument| match &argument.value.node {
                        ast::Node::List(items) => items.iter().collect(),
                        _ => vec![&argument.value],
                    })
                    .filter_map(|value| self.column_name(value, columns).ok())
                    .map(|name| (name.clone(), name))
                    .collect(),
            ),
            Shape::Renames => ArgumentKind::Names(self.renames(&owned, columns)),
            Shape::Scalar(_)
            | Shape::Condition
            | Shape::Relation
            | Shape::Column(_)
            | Shape::Data(_)
            | Shape::DataList(_) => return,
        };
        if self.diags.len() > before {
            return;
        }
        let span = match (owned.first(), owned.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => out.span,
        };
        out.given.push((param.name, Argument { kind, span }));
    }

    fn must_be_bool(&mut self, expr: &Expr) -> Checking<()> {
        if matches!(expr.ty, Type::Bool | Type::Null) {
            return Ok(());
        }
        self.report(
            Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "a condition is true or false, this is {}",
                    expr.ty.with_article()
                ),
            )
            .at(expr.span, "here")
            .help("compare it with something: `==`, `<`, `in` …"),
        )
    }

    fn must_aggregate(&mut self, named: &Named) {
        if let Some(column) = bare_column(&named.expr) {
            self.diags.push(
                Diag::error(
                    &code::AGGREGATE_MISPLACED,
                    "this column has many values in a group, one is wanted",
                )
                .at(column.span, "here")
                .help("put it in an aggregate, `max(…)` or `sum(…)`, or group by it: `by …`"),
            );
        } else if !named.expr.has_aggregate() {
            self.diags.push(
                Diag::error(&code::AGGREGATE_MISPLACED, "no aggregate stands here, one is wanted")
                    .at(named.expr.span, "this is the same for all rows")
                    .help("rows are counted by `count()`; `derive` adds a column that is the same everywhere"),
            );
        }
    }

    /// Expressions with the name that was written or follows from the expression.
    fn named(&mut self, arguments: &[ast::Argument], place: Position) -> Vec<Named> {
        let mut out: Vec<Named> = Vec::new();
        for argument in arguments {
            let Ok(expr) = self.expr(&argument.value, place) else {
                continue;
            };
            let name = match &argument.name {
                Some(name) => name.text.clone(),
                None => default_name(&argument.value),
            };
            if let Some(other) = out.iter().find(|other| other.name == name) {
                let diag = Diag::error(
                    &code::DUPLICATE_NAME,
                    format!("two columns would be called `{name}`"),
                )
                .at(argument.span, "this one")
                .at(other.expr.span, "and this one")
                .help("name one of them: `name = …`");
                self.diags.push(diag);
                continue;
            }
            out.push(Named { name, expr });
        }
        out
    }

    /// `derive`: each new column may use the ones before it.
    fn assignments(&mut self, arguments: &[ast::Argument], columns: &Columns) -> Vec<Named> {
        let mut out = Vec::new();
        let mut known = columns.clone();
        for argument in arguments {
            let Some(name) = &argument.name else { continue };
            if let Ok(expr) = self.expr(&argument.value, Position::Rows(&known, false)) {
                known.list.retain(|column| column.name != name.text);
                known.list.push(crate::lang::flow::Column {
                    name: name.text.clone(),
                    ty: expr.ty.clone(),
                    hidden: false,
                });
                out.push(Named {
                    name: name.text.clone(),
                    expr,
                });
            }
        }
        out
    }

    fn sort_keys(&mut self, arguments: &[ast::Argument], columns: &Columns) -> Vec<(Expr, bool)> {
        let mut out = Vec::new();
        for argument in arguments {
            let (value, down) = match &argument.value.node {
                ast::Node::Unary(ast::UnaryOperator::Negate, inner) => (&**inner, true),
                _ => (&argument.value, false),
            };
            if let Ok(expr) = self.expr(value, Position::Rows(columns, false)) {
                out.push((expr, down));
            }
        }
        out
    }

    fn renames(&mut self, arguments: &[ast::Argument], columns: &Columns) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for argument in arguments {
            let Some(name) = &argument.name else {
                self.diags.push(
                    Diag::error(&code::MISSING_ARGUMENT, "the new name is missing")
                        .at(argument.span, "here")
                        .help("write `rename new = old`"),
                );
                continue;
            };
            if let Ok(old) = self.column_name(&argument.value, columns) {
                out.push((name.text.clone(), old));
            }
        }
        out
    }

    /// An argument that must be a plain column.
    fn column_name(&mut self, value: &ast::Expr, columns: &Columns) -> Checking<String> {
        let ast::Node::Column(names) = &value.node else {
            return self.report(
                Diag::error(&code::TYPE_MISMATCH, "a column name is wanted")
                    .at(value.span, "this is an expression"),
            );
        };
        let expr = self.column(names, value.span, columns)?;
        match expr.node {
            ExprNode::Column(name) => Ok(name),
            // The computed `duration`.
            _ => Ok(names
                .last()
                .map(|name| name.text.clone())
                .unwrap_or_default()),
        }
    }

    fn relation(&mut self, value: &ast::Expr, input: Option<&Flow>) -> Checking<ArgumentKind> {
        let Some(Flow::Trace(trace)) = input else {
            return self.report(
                Diag::error(&code::KIND_MISMATCH, "only a trace has relations")
                    .at(value.span, "here"),
            );
        };
        let names: Vec<&str> = trace
            .relations
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let word = match &value.node {
            ast::Node::Column(path) if path.len() == 1 => path.first().map(|n| n.text.as_str()),
            ast::Node::String(text) => Some(text.as_str()),
            _ => None,
        };
        match word {
            Some(word) if names.contains(&word) => Ok(ArgumentKind::Relation(word.to_owned())),
            _ => {
                let shown = word.unwrap_or("this");
                let diag = Diag::error(
                    &code::UNKNOWN_RELATION,
                    format!("the trace has no relation `{shown}`"),
                )
                .at(value.span, "here");
                let diag = match word.and_then(|w| suggest::nearest(w, names.iter().copied())) {
                    Some(near) => diag.help(format!("did you mean `{near}`?")),
                    None => diag.help(format!(
                        "its relations are {}",
                        suggest::listed(names.iter().copied(), 12)
                    )),
                };
                self.report(diag)
            }
        }
    }

    /// A word of the verb's own, else an expression of the columns.
    fn choice_or_column(
        &mut self,
        param: &'static ParamSpec,
        choices: &'static [Choice],
        value: &ast::Expr,
        columns: &Columns,
    ) -> Checking<ArgumentKind> {
        let word = match &value.node {
            ast::Node::Column(path) => path
                .first()
                .filter(|name| path.len() == 1 && !name.quoted)
                .map(|name| name.text.as_str()),
            _ => None,
        };
        if let Some(choice) = word.and_then(|word| choices.iter().find(|c| c.name == word)) {
            return Ok(ArgumentKind::Choice(choice.name));
        }
        let before = self.diags.len();
        let expr = match self.expr(value, Position::Rows(columns, false)) {
            Ok(expr) => expr,
            Err(stop) => {
                // What is no column may have been meant as a word.
                let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
                if let (Some(word), Some(diag)) = (word, self.diags.get_mut(before))
                    && diag.code == &code::UNKNOWN_COLUMN
                    && let Some(near) = suggest::nearest(word, names.iter().copied())
                {
                    diag.help = Some(format!("did you mean `{}={near}`?", param.name));
                }
                return Err(stop);
            }
        };
        Ok(ArgumentKind::Columns(vec![Named {
            name: default_name(value),
            expr,
        }]))
    }

    /// Other data: a name, or a pipeline in parentheses.
    fn data(
        &mut self,
        param: &'static ParamSpec,
        kinds: &'static [Kind],
        value: &ast::Expr,
    ) -> Checking<DataArgument> {
        let pipeline = match (&value.node, self.data_head(value)) {
            (ast::Node::Subquery(pipeline), _) => self.pipeline(pipeline)?,
            (_, Some(head)) => self.pipeline(&head)?,
            _ => {
                return self.report(
                    Diag::error(
                        &code::KIND_MISMATCH,
                        format!("`{}` is {}", param.name, param.shape.describe(true)),
                    )
                    .at(value.span, "this is a value"),
                );
            }
        };
        let kind = pipeline.flow.kind();
        if !kinds.contains(&kind) {
            let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
            return self.report(
                Diag::error(
                    &code::KIND_MISMATCH,
                    format!("`{}` is a {} here", param.name, words.join(" or a ")),
                )
                .at(value.span, format!("this is a {}", kind.word())),
            );
        }
        Ok(DataArgument {
            pipeline,
            span: value.span,
        })
    }

    fn data_list(
        &mut self,
        param: &'static ParamSpec,
        kinds: &'static [Kind],
        value: &ast::Expr,
    ) -> Checking<ArgumentKind> {
        let items: Vec<&ast::Expr> = match &value.node {
            ast::Node::List(items) => items.iter().collect(),
            _ => vec![value],
        };
        let mut list = Vec::with_capacity(items.len());
        let mut failed = None;
        for item in items {
            match self.data(param, kinds, item) {
                Ok(one) => list.push(one),
                Err(stop) => failed = Some(stop),
            }
        }
        match failed {
            Some(stop) => Err(stop),
            None if list.is_empty() => self.report(
                Diag::error(&code::MISSING_ARGUMENT, "the list is empty").at(value.span, "here"),
            ),
            None => Ok(ArgumentKind::Data(list)),
        }
    }

    fn scalar_argument(
        &mut self,
        param: &'static ParamSpec,
        accepts: &'static [Accept],
        value: &ast::Expr,
        verb: &'static VerbSpec,
        columns: &Columns,
        has_input: bool,
    ) -> Checking<ArgumentKind> {
        let choices: Vec<&'static str> = accepts
            .iter()
            .filter_map(|accept| match accept {
                Accept::Choice(choices) => Some(choices.iter().map(|choice| choice.name)),
                _ => None,
            })
            .flatten()
            .collect();
        // A choice is a bare word or a string; words that look like subtractions were meant as one.
        let word = match &value.node {
            ast::Node::Column(path) => path
                .first()
                .filter(|n| path.len() == 1 && !n.quoted)
                .map(|n| n.text.clone()),
            ast::Node::String(text) => Some(text.clone()),
            ast::Node::Number(digits) => Some(digits.clone()),
            ast::Node::Binary(ast::BinaryOperator::Subtract, ..) if !choices.is_empty() => {
                spelled_with_minus(value)
            }
            _ => None,
        };
        if let Some(word) = &word
            && let Some(choice) = choices.iter().copied().find(|choice| *choice == word)
        {
            return Ok(ArgumentKind::Choice(choice));
        }
        let texts = accepts
            .iter()
            .any(|accept| matches!(accept, Accept::Text | Accept::TextList));
        let is_word = !matches!(value.node, ast::Node::String(_) | ast::Node::Number(_));
        if let Some(word) = word.filter(|_| is_word) {
            if !choices.is_empty() {
                let diag = unknown_choice(param, &word, value.span, &choices);
                return self.report(diag);
            }
            let diag = Diag::error(
                &code::NOT_A_SCALAR,
                format!(
                    "`{}` is one value for the whole stage, not a column",
                    param.name
                ),
            )
            .at(value.span, "a bare name is a column");
            let diag = if self.is_scalar(&word) {
                diag.help(format!("the scalar is written `${word}`"))
            } else if texts {
                diag.help(format!("text is written \"{word}\""))
            } else {
                let wanted: Vec<String> = accepts.iter().map(Accept::describe).collect();
                diag.help(format!("{} is wanted", wanted.join(" or ")))
            };
            return self.report(diag);
        }
        let scalar = self.scalar(value, "")?;
        let unit_of = |ty: &Type| *ty == Type::LogicalTime;
        match scalar.value.get() {
            Some(known) => {
                let clock = has_input.then_some(columns.clock);
                match expr::accept_value(known, accepts, clock) {
                    Some(value) => Ok(ArgumentKind::Value(value)),
                    None => {
                        let diag =
                            wrong_value(verb, param, accepts, known, value.span, columns, &choices);
                        self.report(diag)
                    }
                }
            }
            None if accepts
                .iter()
                .any(|accept| expr::accepts_type(accept, &scalar.expr.ty))
                || unit_of(&scalar.expr.ty) =>
            {
                Ok(ArgumentKind::Deferred(Arc::clone(&scalar)))
            }
            None => {
                let wanted: Vec<String> = accepts.iter().map(Accept::describe).collect();
                let ty = scalar.expr.ty.clone();
                self.report(
                    Diag::error(
                        &code::TYPE_MISMATCH,
                        format!("`{}` is {}, not a {ty}", param.name, wanted.join(" or ")),
                    )
                    .at(value.span, "here"),
                )
            }
        }
    }
}

/// The first column that stands outside every aggregate.
fn bare_column(expr: &Expr) -> Option<&Expr> {
    match &expr.node {
        ExprNode::Aggregate(..) => None,
        ExprNode::Column(_) => Some(expr),
        ExprNode::Unary(_, a) | ExprNode::IsNull(a, _) | ExprNode::ToLogicalTime(a) => {
            bare_column(a)
        }
        ExprNode::Binary(_, a, b) | ExprNode::FloorDivide(a, b) => {
            bare_column(a).or_else(|| bare_column(b))
        }
        ExprNode::If(a, b, c) => [a, b, c].into_iter().find_map(|e| bare_column(e)),
        ExprNode::Call(_, items) | ExprNode::List(items) | ExprNode::Format(items) => {
            items.iter().find_map(bare_column)
        }
        _ => None,
    }
}

/// True for a parameter that is a range of times.
pub(super) fn is_range(param: &ParamSpec) -> bool {
    matches!(param.shape, Shape::Scalar(accepts) if accepts.contains(&Accept::TimeRange))
}
