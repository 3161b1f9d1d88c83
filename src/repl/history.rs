//! Where the history is kept. Without a home, or with one that cannot be written, it lasts as long as the session.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file: `$MAREY_HISTORY`, else `$XDG_STATE_HOME/marey/history`, else `~/.local/state/marey/history`.
/// `MAREY_HISTORY` set to nothing keeps none.
pub(super) fn path(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    match variable("MAREY_HISTORY") {
        Some(file) if file.is_empty() => None,
        Some(file) => Some(PathBuf::from(file)),
        None => absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local").join("state")))
            .map(|state| state.join("marey").join("history")),
    }
}

/// Makes the folder of the file, for nobody else to look into. A failure shows when the file is written,
/// and costs the history only.
pub(super) fn prepare(file: &Path) {
    let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return;
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    let _ = builder.create(folder);
    #[cfg(unix)]
    if let Ok(data) = std::fs::metadata(file) {
        use std::os::unix::fs::PermissionsExt;
        // An older file that others may read.
        if data.is_file() && data.permissions().mode() & 0o077 != 0 {
            let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Option<PathBuf> {
        path(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_variables_in_their_order() {
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[("HOME", "/h")]),
            Some("/h/.local/state/marey/history".into())
        );
        assert_eq!(
            of(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]),
            Some("/s/marey/history".into())
        );
        assert_eq!(
            of(&[("HOME", "/h"), ("MAREY_HISTORY", "mine")]),
            Some("mine".into())
        );
        assert_eq!(of(&[("HOME", "/h"), ("MAREY_HISTORY", "")]), None);
    }
}
