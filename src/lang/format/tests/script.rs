//! Random scripts: a walk over the grammar that takes its decisions from a list of bytes, with blanks, line ends
//! and comments wherever the grammar allows them. A list that has ended gives the simplest script, so a failing
//! list shrinks to a short one.

/// A script.
pub fn write(choices: &[u8]) -> String {
    let mut writer = Writer {
        choices,
        out: String::new(),
        comments: 0,
        depth: 0,
    };
    if writer.one_in(6) {
        writer.put("#!/usr/bin/env marey\n");
    }
    writer.statements(3);
    writer.out
}

struct Writer<'a> {
    choices: &'a [u8],
    out: String,
    comments: usize,
    depth: usize,
}

const NAMES: [&str; 10] = [
    "a",
    "value",
    "end",
    "`Submit Order`",
    "in_x",
    "nota",
    "_1",
    "by2",
    "`a # b`",
    "f",
];
const VERBS: [&str; 7] = [
    "load",
    "sort",
    "critical-path",
    "a",
    "what-if",
    "derive",
    "bin2",
];
const QUANTITIES: [&str; 12] = [
    "1", "42", "1_000", "0.50", "1e-3", "1E5", "10ms", "170mm", "5%", "2KiB", "3µs", "0.1s",
];
const STRINGS: [&str; 9] = [
    "\"x\"",
    "\"\"",
    "\"a # b | {c}\"",
    "\"\\\"\\\\\\u{41}\"",
    "r\"\\d # \"",
    "f\"a{{b}} {x+1} # c\"",
    "f\"{ $a } \\n\"",
    "f\"{a == \"x\"}\"",
    "\"a text that is long enough to make the lines of a script too long\"",
];
const OPERATORS: [&str; 8] = ["and", "or", "in", "matches", "??", "+", "*", "/"];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

impl Writer<'_> {
    fn pick(&mut self, of: usize) -> usize {
        match self.choices.split_first() {
            Some((first, rest)) => {
                self.choices = rest;
                usize::from(*first) % of
            }
            None => 0,
        }
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.pick(of) == of - 1
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn any(&mut self, of: &[&str]) {
        let index = self.pick(of.len());
        self.put(of[index]);
    }

    // ---- gaps ----

    /// Within a line.
    fn ws(&mut self) {
        self.any(&["", "", " ", "  ", "\t", "\u{a0}"]);
    }

    fn blank(&mut self) {
        self.any(&[" ", " ", "  ", "\t "]);
    }

    fn line_end(&mut self) {
        self.any(&["\n", "\n", "\n\n", "\r\n", "\r", "\n \n\n"]);
    }

    fn comment(&mut self) {
        self.comments += 1;
        let number = self.comments;
        let text = match self.pick(8) {
            0..=2 => format!("# c{number}"),
            3 => format!("#c{number}  "),
            4 => "#".to_owned(),
            5 => format!("# | take {number} ( \" ` ; }}"),
            6 => format!("#! é {number}"),
            _ => format!("## c{number} # d"),
        };
        self.put(&text);
    }

    /// Inside brackets and around pipes.
    fn nl(&mut self) {
        self.ws();
        let lines = match self.pick(8) {
            0..=4 => 0,
            5 | 6 => 1,
            _ => 2,
        };
        for _ in 0..lines {
            if self.one_in(2) {
                self.comment();
            }
            self.line_end();
            self.ws();
        }
    }

    // ---- statements ----

    fn statements(&mut self, most: usize) {
        self.nl();
        for _ in 0..=self.pick(most) {
            self.statement();
            self.ws();
            match self.pick(4) {
                0 | 1 => self.put("\n"),
                2 => self.put(";"),
                _ => {
                    self.comment();
                    self.line_end();
                }
            }
            if self.one_in(6) {
                self.put(" ; ");
            }
            self.nl();
        }
    }

    fn statement(&mut self) {
        match self.pick(7) {
            0 => self.value(),
            1 => self.pipeline(),
            2 => {
                self.put("param ");
                self.name();
                self.ws();
                self.put("=");
                self.ws();
                self.expr(false);
                if self.one_in(2) {
                    self.ws();
                    self.comment();
                    self.put("\n");
                }
            }
            3 => {
                self.put("let");
                self.blank();
                self.name();
                self.ws();
                self.put("=");
                self.nl();
                self.value();
            }
            4 => self.any(&["use std.gantt", "use   \"a # b.marey\"", "use\tstd.`x y`"]),
            5 => {
                if self.one_in(2) {
                    self.comment();
                    self.put("\n");
                }
                self.put("def ");
                self.any(&VERBS);
                self.bracket("(", ")", |writer| {
                    writer.name();
                    if writer.one_in(2) {
                        writer.ws();
                        writer.put("=");
                        writer.nl();
                        writer.expr(false);
                    }
                });
                self.ws();
                self.put("=");
                self.nl();
                self.pipeline();
            }
            _ if self.depth > 2 => self.value(),
            _ => {
                self.depth += 1;
                self.put("for ");
                self.name();
                self.put(" in ");
                self.expr(false);
                self.nl();
                self.put("{");
                if self.one_in(5) {
                    self.nl();
                } else {
                    self.statements(2);
                }
                self.put("}");
                self.depth -= 1;
            }
        }
    }

    fn value(&mut self) {
        if self.one_in(2) {
            self.pipeline();
        } else {
            self.expr(false);
        }
    }

    // ---- pipelines ----

    fn pipeline(&mut self) {
        if self.one_in(6) && self.depth < 3 {
            self.group();
        } else {
            self.stage();
        }
        self.more_stages();
    }

    fn more_stages(&mut self) {
        for _ in 0..self.pick(4) {
            self.nl();
            self.put("|");
            self.nl();
            self.stage();
        }
    }

    fn stage(&mut self) {
        self.any(&VERBS);
        if self.one_in(5) {
            self.put(".links");
        }
        let arguments = self.pick(4);
        for index in 0..arguments {
            if index == 0 {
                self.blank();
                self.argument();
            } else if self.one_in(2) {
                self.blank();
                self.option();
            } else {
                self.ws();
                self.put(",");
                self.nl();
                self.argument();
            }
        }
        if self.one_in(4) {
            self.put(" by ");
            self.argument();
            while self.one_in(2) {
                self.ws();
                self.put(",");
                self.nl();
                self.argument();
            }
            while self.one_in(3) {
                self.blank();
                self.option();
            }
        }
    }

    fn argument(&mut self) {
        if self.one_in(3) {
            self.option();
        } else {
            self.expr(true);
        }
    }

    fn option(&mut self) {
        self.name();
        self.ws();
        self.put("=");
        self.nl();
        self.expr(false);
    }

    // ---- expressions ----

    fn name(&mut self) {
        self.any(&NAMES);
    }

    /// `first` is whether it is an argument, where `- x` would be a difference.
    fn expr(&mut self, first: bool) {
        self.depth += 1;
        let mut open = self.term(first, true);
        let operators = if self.depth > 3 { 1 } else { 4 };
        let mut compared = false;
        for _ in 0..self.pick(operators) {
            let operator = self.pick(7);
            if operator < 2 && !open {
                self.put("..");
                open = self.term(true, false);
                continue;
            }
            if operator == 2 && !open {
                self.put("-");
                self.term(true, true);
                open = false;
                continue;
            }
            self.blank();
            match operator {
                3 => self.put("-"),
                4 if !compared => {
                    compared = true;
                    self.any(&COMPARISONS);
                }
                5 => self.put("not  in"),
                6 => self.put("%"),
                _ => self.any(&OPERATORS),
            }
            self.blank();
            self.nl();
            open = self.term(false, true);
        }
        self.depth -= 1;
    }

    /// Says whether it ends in `..`.
    fn term(&mut self, tight: bool, below: bool) -> bool {
        match self.pick(12) {
            9 => {
                self.put("-");
                if !tight {
                    self.ws();
                }
            }
            10 => self.put("not "),
            11 if below => self.put(".."),
            _ => {}
        }
        self.primary();
        let open = self.one_in(10);
        if open {
            self.put(".. ");
        }
        open
    }

    fn primary(&mut self) {
        let kinds = if self.depth > 3 { 7 } else { 14 };
        match self.pick(kinds) {
            0 => self.name(),
            1 | 2 => self.any(&QUANTITIES),
            3 => self.any(&STRINGS),
            4 => self.any(&["true", "false", "null"]),
            5 => {
                self.put("$");
                self.name();
            }
            6 => {
                self.name();
                self.put(".");
                self.name();
            }
            7 => {
                self.put("if ");
                self.nl();
                self.expr(false);
                self.nl();
                self.put(" then ");
                self.nl();
                self.expr(false);
                self.nl();
                self.put(" else ");
                self.nl();
                self.expr(false);
            }
            8 => {
                self.put("f2");
                self.bracket("(", ")", Writer::argument);
            }
            9 | 10 => self.bracket("[", "]", |writer| writer.expr(false)),
            11 => self.bracket("{", "}", |writer| {
                if writer.one_in(2) {
                    writer.name();
                } else {
                    writer.put("\"key\"");
                }
                writer.ws();
                writer.put(":");
                writer.nl();
                writer.expr(false);
            }),
            _ => self.group(),
        }
    }

    fn group(&mut self) {
        self.depth += 1;
        self.put("(");
        self.nl();
        if self.one_in(2) {
            self.stage();
        } else {
            self.expr(false);
        }
        self.more_stages();
        self.nl();
        self.put(")");
        self.depth -= 1;
    }

    fn bracket(&mut self, open: &str, close: &str, item: impl Fn(&mut Self)) {
        self.depth += 1;
        self.put(open);
        self.nl();
        let items = self.pick(4);
        for index in 0..items {
            if index > 0 {
                self.nl();
                self.put(",");
                self.nl();
            }
            item(self);
        }
        if items > 0 && self.one_in(4) {
            self.nl();
            self.put(",");
        }
        self.nl();
        self.put(close);
        self.depth -= 1;
    }
}
