//! Inputs that are not where the script says: `marey reproduce --input old=new`.

/// Old and new place of files or folders, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved(pub Vec<(String, String)>);

impl Moved {
    /// Where a path of the script is now. A folder that moved takes all below it along; the last word counts.
    pub fn now(&self, written: &str) -> String {
        let places = self.0.iter().rev();
        let mut found = places.filter_map(|(old, new)| replaced(written, old, new));
        found.next().unwrap_or_else(|| written.to_owned())
    }

    /// What the script calls a file that was read.
    pub fn written(&self, now: &str) -> String {
        let places = self.0.iter().rev();
        let mut found = places.filter_map(|(old, new)| replaced(now, new, old));
        found.next().unwrap_or_else(|| now.to_owned())
    }
}

fn replaced(path: &str, from: &str, to: &str) -> Option<String> {
    let rest = path.strip_prefix(from.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/'))
        .then(|| format!("{}{rest}", to.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_move_and_come_back() {
        let moved = Moved(vec![
            ("runs".to_owned(), "/mnt/runs/".to_owned()),
            ("a.csv".to_owned(), "b.csv".to_owned()),
        ]);
        for (old, new) in [
            ("runs/*.csv", "/mnt/runs/*.csv"),
            ("a.csv", "b.csv"),
            ("runsaway.csv", "runsaway.csv"),
            ("a.csv.gz", "a.csv.gz"),
        ] {
            assert_eq!(moved.now(old), new);
            assert_eq!(moved.written(new), old);
        }
    }
}
