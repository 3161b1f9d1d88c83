//! What loading did to the rows: counts by reason, for the one line on standard error and for `info`.

/// What to do with a row that cannot be used as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The first is the error.
    Fail,
    /// It is mended or goes to `rejects`, and is counted.
    #[default]
    Repair,
    /// It stays where it fits the schema; a verb that cannot use it stops and names the line.
    Keep,
}

/// A reason with its count and the first line it was seen at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Stable code, `snake_case`.
    pub code: &'static str,
    /// How many rows.
    pub count: u64,
    /// The first file and line.
    pub first: (String, u64),
}

/// Counts of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Records read, of every kind, without blank lines, comments and headers.
    pub records: u64,
    /// Records that are in the relations.
    pub kept: u64,
    /// Reasons for rows that went to `rejects`, in order of first appearance.
    pub rejected: Vec<Reason>,
    /// Reasons for rows that were mended and kept.
    pub repaired: Vec<Reason>,
    /// The formats that were read, each once, in order.
    pub formats: Vec<&'static str>,
    /// Other things worth saying once: what was taken for what, missing units.
    pub notes: Vec<String>,
}

impl LoadReport {
    /// Counts a rejected row.
    pub fn reject(&mut self, code: &'static str, file: &str, line: u64) {
        count(&mut self.rejected, code, file, line);
    }

    /// Counts a mended row.
    pub fn repair(&mut self, code: &'static str, file: &str, line: u64) {
        count(&mut self.repaired, code, file, line);
    }

    /// Says a thing once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Rows that went to `rejects`.
    pub fn rejected_rows(&self) -> u64 {
        self.rejected.iter().map(|reason| reason.count).sum()
    }

    /// True where there is nothing to say.
    pub fn is_clean(&self) -> bool {
        self.rejected.is_empty() && self.repaired.is_empty()
    }

    /// The one line: `28431 records read, 28429 kept; rejected: 2 end_before_start (first run.csv:17)`.
    pub fn line(&self) -> String {
        let mut out = format!("{} records read, {} kept", self.records, self.kept);
        for (word, reasons) in [("rejected", &self.rejected), ("repaired", &self.repaired)] {
            if reasons.is_empty() {
                continue;
            }
            let items: Vec<String> = reasons
                .iter()
                .map(|r| format!("{} {} (first {}:{})", r.count, r.code, r.first.0, r.first.1))
                .collect();
            out.push_str(&format!("; {word}: {}", items.join(", ")));
        }
        out
    }
}

fn count(reasons: &mut Vec<Reason>, code: &'static str, file: &str, line: u64) {
    match reasons.iter_mut().find(|reason| reason.code == code) {
        Some(reason) => reason.count += 1,
        None => reasons.push(Reason {
            code,
            count: 1,
            first: (file.to_owned(), line),
        }),
    }
}
