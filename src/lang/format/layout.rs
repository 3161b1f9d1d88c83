//! Docs → lines: where a line may end, and whether it does.
//!
//! After Wadler's "A prettier printer": a group goes on one line where it fits. Indentation is counted from the
//! line that a group begins on, so a bracket behind other text closes at the margin of its line.

use super::gap::Comment;

/// Most columns of a line that can be broken.
const WIDTH: usize = 100;
/// One level of indentation.
pub const INDENT: usize = 4;

/// A piece of a statement.
#[derive(Debug)]
pub enum Doc {
    /// A token, or tokens that stay together.
    Text(String),
    /// A place where a line may end.
    Gap(Gap),
    /// Pieces that go on one line where they fit.
    Group(Group),
}

/// Pieces that go on one line where they fit.
#[derive(Debug)]
pub struct Group {
    docs: Vec<Doc>,
    /// The columns it takes on one line; None where it cannot stand on one.
    flat: Option<usize>,
}

/// When a line ends at a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Break {
    /// With all such gaps of the group.
    Together,
    /// The same, before a closing bracket: what follows stands at the margin of the group.
    Closing,
    /// Where what follows does not fit.
    Filling,
    /// Only after a comment.
    Never,
}

/// A place where a line may end. It does after a comment.
#[derive(Debug)]
pub struct Gap {
    /// When else.
    pub when: Break,
    /// What stands there within a line.
    pub flat: &'static str,
    /// What stands before the end of the line.
    pub before: &'static str,
    /// What begins the next line.
    pub after: &'static str,
    /// Whether the next line is indented.
    pub indented: bool,
    /// The comments there.
    pub comments: Vec<Comment>,
}

impl Doc {
    /// A token.
    pub fn text(text: impl Into<String>) -> Doc {
        Doc::Text(text.into())
    }

    /// A gap whose next line is indented.
    pub fn gap(when: Break, flat: &'static str, before: &'static str, c: Vec<Comment>) -> Doc {
        Doc::Gap(Gap {
            when,
            flat,
            before,
            after: "",
            indented: true,
            comments: c,
        })
    }

    /// A group; `broken` is whether it takes several lines even where it fits one.
    pub fn group(docs: Vec<Doc>, broken: bool) -> Doc {
        let flat = docs.iter().map(Doc::flat).sum();
        Doc::Group(Group {
            docs,
            flat: if broken { None } else { flat },
        })
    }

    /// Whether it is one token, as an expression may be.
    pub fn is_token(&self) -> bool {
        match self {
            Doc::Text(_) => true,
            Doc::Group(group) => matches!(group.docs.as_slice(), [only] if only.is_token()),
            Doc::Gap(_) => false,
        }
    }

    fn flat(&self) -> Option<usize> {
        match self {
            Doc::Text(text) if text.contains(['\n', '\r']) => None,
            Doc::Text(text) => Some(text.chars().count()),
            Doc::Gap(gap) if gap.comments.is_empty() => Some(gap.flat.len()),
            Doc::Gap(_) => None,
            Doc::Group(group) => group.flat,
        }
    }
}

/// A line, or lines, of a script or block.
#[derive(Debug)]
pub enum Line {
    /// Nothing.
    Blank,
    /// A comment on a line of its own.
    Comment(String),
    /// A statement.
    Statement {
        /// The statement, or what stands before `{`.
        doc: Doc,
        /// The comment behind it, or behind `{`.
        trailing: Option<String>,
        /// The block of a `for`.
        block: Option<Block>,
    },
}

/// The statements of a `for`.
#[derive(Debug)]
pub struct Block {
    /// What stands in it.
    pub lines: Vec<Line>,
    /// The comment behind `}`.
    pub trailing: Option<String>,
}

/// The text of a script.
pub fn write(lines: &[Line]) -> String {
    let mut printer = Printer::default();
    printer.lines(lines, 0);
    aligned(&printer.out, &printer.trailing)
}

/// Comments behind the lines of a run of lines stand below each other, unless that would move one by more than this.
const FARTHEST: usize = 40;

/// A comment behind a line: where it begins in the text, and its column.
#[derive(Clone, Copy)]
struct Trailing {
    at: usize,
    column: usize,
}

/// The text with comments of adjacent lines moved right to the column of the rightmost.
fn aligned(text: &str, comments: &[Trailing]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut rest = comments;
    while let Some(first) = rest.first() {
        let (mut length, mut least, mut most) = (1, first.column, first.column);
        for pair in rest.windows(2) {
            let [above, below] = pair else { break };
            let between = text.get(above.at..below.at).unwrap_or_default();
            let (low, high) = (least.min(below.column), most.max(below.column));
            if between.matches('\n').count() != 1 || high - low > FARTHEST {
                break;
            }
            (length, least, most) = (length + 1, low, high);
        }
        let (run, behind) = rest.split_at(length);
        for comment in run {
            out.push_str(text.get(from..comment.at).unwrap_or_default());
            out.extend(std::iter::repeat_n(' ', most - comment.column));
            from = comment.at;
        }
        rest = behind;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[derive(Default)]
struct Printer {
    out: String,
    column: usize,
    /// The indentation of the present line.
    margin: usize,
    /// The comments behind lines, in order.
    trailing: Vec<Trailing>,
}

impl Printer {
    fn lines(&mut self, lines: &[Line], margin: usize) {
        for line in lines {
            match line {
                Line::Blank => self.out.push('\n'),
                Line::Comment(text) => {
                    self.begin_line(margin);
                    self.text(text);
                    self.out.push('\n');
                }
                Line::Statement {
                    doc,
                    trailing,
                    block,
                } => {
                    self.begin_line(margin);
                    let tail = if block.is_some() { 2 } else { 0 };
                    self.docs(std::slice::from_ref(doc), margin, true, tail);
                    let mut trailing = trailing;
                    if let Some(block) = block {
                        if block.lines.is_empty() && trailing.is_none() {
                            self.text(" {}");
                        } else {
                            self.text(" {");
                            self.trailing(trailing.as_deref());
                            self.out.push('\n');
                            self.lines(&block.lines, margin + INDENT);
                            self.begin_line(margin);
                            self.text("}");
                        }
                        trailing = &block.trailing;
                    }
                    self.trailing(trailing.as_deref());
                    self.out.push('\n');
                }
            }
        }
    }

    fn trailing(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.comment_behind(comment);
        }
    }

    fn comment_behind(&mut self, comment: &str) {
        self.text("  ");
        self.trailing.push(Trailing {
            at: self.out.len(),
            column: self.column,
        });
        self.text(comment);
    }

    fn begin_line(&mut self, margin: usize) {
        self.out.extend(std::iter::repeat_n(' ', margin));
        self.column = margin;
        self.margin = margin;
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind(['\n', '\r']) {
            // An f-string may go over lines inside the brackets of a hole.
            Some(at) => self.column = text.get(at..).map_or(0, |rest| rest.chars().count() - 1),
            None => self.column += text.chars().count(),
        }
    }

    /// Prints pieces of a group whose first line has the indentation `base`; `tail` columns follow them on
    /// their last line.
    fn docs(&mut self, docs: &[Doc], base: usize, broken: bool, tail: usize) {
        let mut rest = docs;
        while let Some((doc, behind)) = rest.split_first() {
            rest = behind;
            match doc {
                Doc::Text(text) => self.text(text),
                Doc::Group(group) => {
                    let tail = if broken { lead(behind, tail) } else { 0 };
                    match group.flat {
                        Some(flat) if !broken || self.column + flat + tail <= WIDTH => {
                            self.docs(&group.docs, base, false, 0);
                        }
                        _ => self.docs(&group.docs, self.margin, true, tail),
                    }
                }
                Doc::Gap(gap) => {
                    let ends = !gap.comments.is_empty()
                        || broken
                            && match gap.when {
                                Break::Together | Break::Closing => true,
                                Break::Filling => {
                                    self.column + gap.flat.len() + lead(behind, tail) > WIDTH
                                }
                                Break::Never => false,
                            };
                    if ends {
                        self.end_line(gap, base);
                    } else {
                        self.text(gap.flat);
                    }
                }
            }
        }
    }

    fn end_line(&mut self, gap: &Gap, base: usize) {
        let inside = base + if gap.indented { INDENT } else { 0 };
        self.text(gap.before);
        for comment in &gap.comments {
            if comment.trailing {
                self.comment_behind(&comment.text);
            } else {
                self.out.push('\n');
                self.begin_line(inside);
                self.text(&comment.text);
            }
        }
        self.out.push('\n');
        self.begin_line(if gap.when == Break::Closing {
            base
        } else {
            inside
        });
        self.text(gap.after);
    }
}

/// The columns that pieces of a broken group take up to where a line may end next; `tail` more where it may not.
fn lead(docs: &[Doc], tail: usize) -> usize {
    let mut width = 0;
    if ends_in(docs, &mut width) {
        width
    } else {
        width + tail
    }
}

/// Adds the columns up to where a line may end; says whether there is such a place.
fn ends_in(docs: &[Doc], width: &mut usize) -> bool {
    for doc in docs {
        match doc {
            Doc::Text(text) => match text.find(['\n', '\r']) {
                Some(at) => {
                    *width += text.get(..at).map_or(0, |line| line.chars().count());
                    return true;
                }
                None => *width += text.chars().count(),
            },
            Doc::Gap(gap) if gap.comments.is_empty() && gap.when == Break::Never => {
                *width += gap.flat.len();
            }
            Doc::Gap(gap) => {
                *width += gap.before.len();
                return true;
            }
            // A group too wide for a line of its own will be broken, so the line may end inside it.
            Doc::Group(group) => match group.flat {
                Some(flat) if flat + 2 * INDENT <= WIDTH => *width += flat,
                _ => {
                    if ends_in(&group.docs, width) {
                        return true;
                    }
                }
            },
        }
    }
    false
}
