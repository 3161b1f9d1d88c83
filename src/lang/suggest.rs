//! "Did you mean": the nearest of some names.

/// The nearest of `candidates`, where one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = plain(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        let other = plain(candidate);
        let mut distance = strsim::damerau_levenshtein(&wanted, &other);
        // A beginning is as good as one slip: `agg` for `aggregate-by-threshold`.
        if wanted.len() >= 3 && other.starts_with(&wanted) {
            distance = distance.min(1);
        }
        let limit = wanted.chars().count().max(2) / 3 + 1;
        // A longer form of a name is worth asking about: `maximum` for `max`.
        if other.len() >= 3 && wanted.starts_with(&other) {
            distance = distance.min(limit);
        }
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Names for a message: at most `limit`, in backquotes.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> String {
    let all: Vec<&str> = names.into_iter().collect();
    let mut out: Vec<String> = all
        .iter()
        .take(limit)
        .map(|name| format!("`{name}`"))
        .collect();
    if all.len() > limit {
        out.push(format!("… {} more", all.len() - limit));
    }
    out.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let verbs = ["filter", "flatten", "aggregate-by-threshold", "profile"];
        assert_eq!(nearest("fliter", verbs), Some("filter"));
        assert_eq!(
            nearest("aggregate_by_threshold", verbs),
            Some("aggregate-by-threshold")
        );
        assert_eq!(nearest("Profile", verbs), Some("profile"));
        assert_eq!(nearest("maximum", ["min", "max"]), Some("max"));
        assert_eq!(nearest("zebra", verbs), None);
    }
}
