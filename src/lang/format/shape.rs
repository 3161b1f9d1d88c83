//! The pieces of the grammar and the comments between them → Docs.
//!
//! One walk over the tokens in the order of the text. `at` is the end of the last token; the text from there
//! to the next token is the gap whose comments belong between the two.

use super::Defines;
use super::gap::{self, Between, Comment};
use super::layout::{Block, Break, Doc, Gap, Line};
use crate::lang::parse::{Piece, Rule, comment_above};

/// The lines of a script.
pub fn script(text: &str, statements: Vec<Piece>, defines: Option<Defines>) -> Vec<Line> {
    let mut shaper = Shaper {
        text,
        at: 0,
        defines,
    };
    let (_, lines) = shaper.block(statements, text.len(), false);
    lines
}

struct Shaper<'a> {
    text: &'a str,
    at: usize,
    defines: Option<Defines<'a>>,
}

/// An argument of a stage.
struct Written {
    /// The comments before it.
    comments: Vec<Comment>,
    doc: Doc,
    /// Whether it sets an option, before which a blank is enough.
    option: bool,
}

impl<'a> Shaper<'a> {
    /// The text up to a byte, where the next token begins.
    fn gap(&mut self, to: usize) -> &'a str {
        let gap = self.text.get(self.at..to).unwrap_or_default();
        self.at = to;
        gap
    }

    fn comments(&mut self, to: usize) -> Vec<Comment> {
        gap::comments(self.gap(to))
    }

    /// A token, or tokens with nothing between them, as written.
    fn token(&mut self, piece: &Piece) -> String {
        self.at = piece.as_span().end();
        piece.as_str().trim().to_owned()
    }

    // ---- statements --------------------------------------------------------------------------------

    /// Statements up to byte `end`; `opened` is whether a `{` stands before them. Also the comment behind it.
    fn block(
        &mut self,
        statements: Vec<Piece>,
        end: usize,
        opened: bool,
    ) -> (Option<String>, Vec<Line>) {
        let mut opening = None;
        let mut lines = Vec::new();
        // Where the last statement stands and whether a comment behind it would be a help text.
        let mut last: Option<(usize, bool)> = None;
        for piece in statements {
            let start = piece.as_span().start();
            let between = gap::between(self.gap(start), opened || last.is_some());
            let apart = between.apart;
            attach(between, last, &mut opening, &mut lines);
            let kind = piece.into_inner().next();
            let Some(kind) = kind else { continue };
            let rule = kind.as_rule();
            let below_comment = matches!(lines.last(), Some(Line::Comment(_)));
            let stray = rule == Rule::def && comment_above(self.text, start).is_none();
            if apart && !lines.is_empty() || below_comment && stray {
                lines.push(Line::Blank);
            }
            last = Some((lines.len(), rule == Rule::param));
            let line = self.statement(kind);
            lines.push(line);
        }
        let between = gap::between(self.gap(end), opened || last.is_some());
        attach(between, last, &mut opening, &mut lines);
        (opening, lines)
    }

    fn statement(&mut self, piece: Piece) -> Line {
        let doc = match piece.as_rule() {
            Rule::param => {
                let mut docs = vec![Doc::text("param ")];
                for part in piece.into_inner() {
                    match part.as_rule() {
                        Rule::name => docs.push(Doc::text(self.token(&part) + " = ")),
                        Rule::expr => docs.push(self.expr(part)),
                        // The help text is the comment behind the statement.
                        _ => {}
                    }
                }
                Doc::group(docs, false)
            }
            Rule::import => {
                let path = piece.into_inner().last().map(|path| self.token(&path));
                Doc::text("use ".to_owned() + &path.unwrap_or_default())
            }
            Rule::def => self.def(piece),
            Rule::loop_statement => return self.repeat(piece),
            Rule::binding => {
                let mut docs = vec![Doc::text("let ")];
                for part in piece.into_inner() {
                    match part.as_rule() {
                        Rule::kw_let => {}
                        Rule::name => docs.push(Doc::text(self.token(&part) + " =")),
                        _ => {
                            let comments = self.comments(part.as_span().start());
                            docs.push(Doc::gap(Break::Never, " ", "", comments));
                            docs.push(self.value(part));
                        }
                    }
                }
                Doc::group(docs, false)
            }
            _ => self.value(piece),
        };
        Line::Statement {
            doc,
            trailing: None,
            block: None,
        }
    }

    fn repeat(&mut self, piece: Piece) -> Line {
        let end = piece.as_span().end();
        let mut docs = vec![Doc::text("for ")];
        let mut statements = Vec::new();
        for part in piece.into_inner() {
            match part.as_rule() {
                Rule::name => docs.push(Doc::text(self.token(&part) + " in ")),
                Rule::expr => {
                    self.at = part.as_span().start();
                    docs.push(self.expr(part));
                }
                Rule::statement => statements.push(part),
                _ => {}
            }
        }
        let (trailing, lines) = self.block(statements, end.saturating_sub(1), true);
        self.at = end;
        Line::Statement {
            doc: Doc::group(docs, false),
            trailing,
            block: Some(Block {
                lines,
                trailing: None,
            }),
        }
    }

    fn def(&mut self, piece: Piece) -> Doc {
        let mut docs = vec![Doc::text("def ")];
        let mut formals = Vec::new();
        let mut broken = false;
        for part in piece.into_inner() {
            let start = part.as_span().start();
            match part.as_rule() {
                Rule::verb => docs.push(Doc::text(self.token(&part))),
                Rule::formal => {
                    let comments = self.comments(start);
                    let mut parts = part.into_inner();
                    if let (Some(name), value) = (parts.next(), parts.next()) {
                        formals.push((comments, self.named(&name, value, |_| false).0));
                    }
                }
                Rule::pipeline => {
                    let rest = self.text.get(self.at..start).unwrap_or_default();
                    let close = gap::find(rest, ')').unwrap_or_default();
                    let comments = self.comments(self.at + close);
                    docs.push(bracket("(", std::mem::take(&mut formals), comments, ")"));
                    docs.push(Doc::text(" ="));
                    let gap = self.gap(start);
                    broken |= gap::breaks(gap);
                    let comments = gap::comments(gap);
                    docs.push(Doc::gap(Break::Together, " ", "", comments));
                    let parts = part.into_inner();
                    broken |= self.stages(parts, true, &mut docs);
                }
                _ => {}
            }
        }
        Doc::group(docs, broken)
    }

    fn value(&mut self, piece: Piece) -> Doc {
        if piece.as_rule() == Rule::expr {
            return self.expr(piece);
        }
        let mut docs = Vec::new();
        let broken = self.stages(piece.into_inner(), true, &mut docs);
        Doc::group(docs, broken)
    }

    // ---- pipelines ---------------------------------------------------------------------------------

    /// A head and its stages; says whether they were written on several lines.
    fn stages<'p>(
        &mut self,
        pieces: impl Iterator<Item = Piece<'p>>,
        indented: bool,
        docs: &mut Vec<Doc>,
    ) -> bool {
        let mut broken = false;
        for (index, piece) in pieces.enumerate() {
            let gap = self.gap(piece.as_span().start());
            if index > 0 {
                broken |= gap::breaks(gap);
                docs.push(Doc::Gap(Gap {
                    when: Break::Together,
                    flat: " | ",
                    before: "",
                    after: "| ",
                    indented,
                    comments: gap::comments(gap),
                }));
            }
            docs.push(match piece.as_rule() {
                Rule::stage => self.stage(piece),
                Rule::expr => self.expr(piece),
                _ => self.group(piece),
            });
        }
        broken
    }

    fn stage(&mut self, piece: Piece) -> Doc {
        let mut verb = String::new();
        let mut arguments = Vec::new();
        let mut by = Vec::new();
        let mut head = String::new();
        for part in piece.into_inner() {
            match part.as_rule() {
                Rule::verb => {
                    verb = self.token(&part);
                    head.clone_from(&verb);
                }
                Rule::path => head += &self.token(&part),
                Rule::args => {
                    for argument in part.into_inner() {
                        arguments.push(self.written(argument, Some(&verb)));
                    }
                }
                Rule::by => {
                    for part in part.into_inner() {
                        if part.as_rule() == Rule::kw_by {
                            self.token(&part);
                        } else {
                            by.push(self.written(part, None));
                        }
                    }
                }
                _ => arguments.push(self.written(part, Some(&verb))),
            }
        }
        let mut docs = vec![Doc::text(head)];
        for (index, argument) in arguments.into_iter().enumerate() {
            docs.push(match (index, argument.option) {
                (0, _) => Doc::text(" "),
                // A blank is enough, but a line goes on only after a comma.
                (_, true) => Doc::gap(Break::Filling, " ", ",", argument.comments),
                (_, false) => Doc::gap(Break::Filling, ", ", ",", argument.comments),
            });
            docs.push(argument.doc);
        }
        for (index, key) in by.into_iter().enumerate() {
            docs.push(match index {
                0 => Doc::text(" by "),
                _ => Doc::gap(Break::Filling, ", ", ",", key.comments),
            });
            docs.push(key.doc);
        }
        Doc::group(docs, false)
    }

    /// An argument of a stage, or of its `by` clause where no verb is given: a name there is always a new column.
    fn written(&mut self, piece: Piece, verb: Option<&str>) -> Written {
        let comments = self.comments(piece.as_span().start());
        let piece = within(piece);
        if piece.as_rule() != Rule::option {
            return Written {
                comments,
                doc: self.expr(piece),
                option: false,
            };
        }
        let defines = self.defines;
        let mut parts = piece.into_inner();
        let (Some(name), value) = (parts.next(), parts.next()) else {
            return Written {
                comments,
                doc: Doc::text(""),
                option: false,
            };
        };
        let bare = name.as_str().trim_matches('`').to_owned();
        let (doc, spaced) = self.named(&name, value, |spaced| match (verb, defines) {
            (None, _) => true,
            (Some(verb), Some(defines)) => defines(verb, &bare),
            (Some(_), None) => spaced,
        });
        Written {
            comments,
            doc,
            option: !spaced,
        }
    }

    /// `name=value`, or `name = value` where `spaced` says so; it is told whether a blank was written.
    fn named(
        &mut self,
        name: &Piece,
        value: Option<Piece>,
        spaced: impl Fn(bool) -> bool,
    ) -> (Doc, bool) {
        let name = self.token(name);
        let Some(value) = value else {
            return (Doc::text(name), false);
        };
        let gap = self.gap(value.as_span().start());
        let spaced = spaced(!gap.starts_with('='));
        let (equals, blank) = if spaced { (" =", " ") } else { ("=", "") };
        let docs = vec![
            Doc::text(name + equals),
            Doc::gap(Break::Never, blank, "", gap::comments(gap)),
            self.expr(value),
        ];
        (Doc::group(docs, false), spaced)
    }

    // ---- expressions -------------------------------------------------------------------------------

    fn expr(&mut self, piece: Piece) -> Doc {
        let mut docs = Vec::new();
        // How the line may end behind the operator just met.
        let mut operator: Option<Break> = None;
        for part in piece.into_inner() {
            let comments = self.comments(part.as_span().start());
            if let Some(when) = operator.take() {
                docs.push(Doc::gap(when, " ", "", comments));
            }
            match part.as_rule() {
                Rule::neg | Rule::open_below | Rule::open_above | Rule::range => {
                    docs.push(Doc::text(self.token(&part)));
                }
                Rule::not => docs.push(Doc::text(self.token(&part) + " ")),
                Rule::or | Rule::and => {
                    operator = Some(Break::Filling);
                    docs.push(Doc::text(" ".to_owned() + &self.token(&part)));
                }
                Rule::not_in => {
                    self.token(&part);
                    operator = Some(Break::Never);
                    docs.push(Doc::text(" not in"));
                }
                Rule::eq
                | Rule::ne
                | Rule::le
                | Rule::ge
                | Rule::lt
                | Rule::gt
                | Rule::in_op
                | Rule::matches
                | Rule::coalesce
                | Rule::add
                | Rule::sub
                | Rule::mul
                | Rule::div
                | Rule::rem => {
                    operator = Some(Break::Never);
                    docs.push(Doc::text(" ".to_owned() + &self.token(&part)));
                }
                _ => docs.push(self.primary(part)),
            }
        }
        Doc::group(docs, false)
    }

    fn primary(&mut self, piece: Piece) -> Doc {
        let end = piece.as_span().end();
        match piece.as_rule() {
            Rule::choice => self.choice(piece),
            Rule::group => self.group(piece),
            Rule::call => {
                let mut parts = piece.into_inner();
                let function = parts.next().map(|name| self.token(&name));
                self.at += 1;
                let items = parts
                    .map(|part| {
                        let comments = self.comments(part.as_span().start());
                        (comments, self.call_argument(part))
                    })
                    .collect();
                let open = function.unwrap_or_default() + "(";
                self.closed(&open, items, end, ")")
            }
            Rule::list => {
                self.at += 1;
                let items = piece.into_inner().map(|part| {
                    let comments = self.comments(part.as_span().start());
                    (comments, self.expr(part))
                });
                let items = items.collect();
                self.closed("[", items, end, "]")
            }
            Rule::map => {
                self.at += 1;
                let items = piece.into_inner().map(|part| {
                    let comments = self.comments(part.as_span().start());
                    (comments, self.entry(part))
                });
                let items = items.collect();
                self.closed("{", items, end, "}")
            }
            _ => Doc::text(self.token(&piece)),
        }
    }

    fn closed(&mut self, open: &str, items: Vec<Item>, end: usize, close: &'static str) -> Doc {
        let comments = self.comments(end.saturating_sub(1));
        self.at = end;
        bracket(open, items, comments, close)
    }

    fn call_argument(&mut self, piece: Piece) -> Doc {
        let piece = within(piece);
        if piece.as_rule() != Rule::option {
            return self.expr(piece);
        }
        let mut parts = piece.into_inner();
        match (parts.next(), parts.next()) {
            (Some(name), value) => self.named(&name, value, |_| false).0,
            _ => Doc::text(""),
        }
    }

    fn entry(&mut self, piece: Piece) -> Doc {
        let mut parts = piece.into_inner();
        let (Some(key), Some(value)) = (parts.next(), parts.next()) else {
            return Doc::text("");
        };
        let key = self.token(&key) + ":";
        let comments = self.comments(value.as_span().start());
        let docs = vec![
            Doc::text(key),
            Doc::gap(Break::Never, " ", "", comments),
            self.expr(value),
        ];
        Doc::group(docs, false)
    }

    fn choice(&mut self, piece: Piece) -> Doc {
        let mut docs = Vec::new();
        for part in piece.into_inner() {
            let comments = self.comments(part.as_span().start());
            match part.as_rule() {
                Rule::kw_if => docs.push(Doc::text(self.token(&part))),
                Rule::kw_then | Rule::kw_else => {
                    docs.push(Doc::gap(Break::Together, " ", "", comments));
                    docs.push(Doc::text(self.token(&part)));
                }
                _ => {
                    docs.push(Doc::gap(Break::Never, " ", "", comments));
                    docs.push(self.expr(part));
                }
            }
        }
        Doc::group(docs, false)
    }

    /// An expression or pipeline in parentheses.
    fn group(&mut self, piece: Piece) -> Doc {
        let end = piece.as_span().end();
        let parts = piece.into_inner();
        self.at += 1;
        let first = parts.peek().map_or(self.at, |part| part.as_span().start());
        let comments = self.comments(first);
        let mut docs = vec![Doc::text("("), Doc::gap(Break::Together, "", "", comments)];
        let broken = self.stages(parts, true, &mut docs);
        let comments = self.comments(end.saturating_sub(1));
        self.at = end;
        docs.push(Doc::gap(Break::Closing, "", "", comments));
        docs.push(Doc::text(")"));
        Doc::group(docs, broken)
    }
}

/// The comments before an item in brackets, and the item.
type Item = (Vec<Comment>, Doc);

/// Items in brackets: on one line, or one a line with a comma behind each; single words share lines.
fn bracket(open: &str, items: Vec<Item>, comments: Vec<Comment>, close: &'static str) -> Doc {
    let mut docs = vec![Doc::text(open)];
    let comma = if items.is_empty() { "" } else { "," };
    let words = items
        .iter()
        .all(|(comments, item)| comments.is_empty() && item.is_token());
    let between = if words {
        Break::Filling
    } else {
        Break::Together
    };
    for (index, (comments, item)) in items.into_iter().enumerate() {
        docs.push(match index {
            0 => Doc::gap(Break::Together, "", "", comments),
            _ => Doc::gap(between, ", ", ",", comments),
        });
        docs.push(item);
    }
    docs.push(Doc::gap(Break::Closing, "", comma, comments));
    docs.push(Doc::text(close));
    Doc::group(docs, false)
}

/// What an `arg` of the grammar holds.
fn within(piece: Piece) -> Piece {
    if piece.as_rule() != Rule::arg {
        return piece;
    }
    match piece.clone().into_inner().next() {
        Some(inner) => inner,
        None => piece,
    }
}

/// Puts the comments between two statements into the lines.
fn attach(
    between: Between,
    last: Option<(usize, bool)>,
    opening: &mut Option<String>,
    lines: &mut Vec<Line>,
) {
    match (between.trailing, last) {
        (None, _) => {}
        (comment, None) => *opening = comment,
        // Without the `;` between them the comment would become the help text of the parameter.
        (Some(comment), Some((at, true))) if between.behind_semicolon => {
            lines.insert(at, Line::Comment(comment));
        }
        (comment, Some((at, _))) => {
            if let Some(Line::Statement {
                trailing, block, ..
            }) = lines.get_mut(at)
            {
                match block {
                    Some(block) => block.trailing = comment,
                    None => *trailing = comment,
                }
            }
        }
    }
    for own in between.own {
        if own.apart && !lines.is_empty() {
            lines.push(Line::Blank);
        }
        lines.push(Line::Comment(own.text));
    }
}
