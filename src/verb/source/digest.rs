//! Digests of input files: what a figure says of the inputs it was made from.

use crate::diag::{Diag, code};
use crate::plan::Cancel;
use crate::plan::engine::interrupted;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The BLAKE3 digest of a file's bytes, as 64 hexadecimal digits.
pub fn of_file(path: &Path, cancel: &Cancel) -> Result<String, Diag> {
    let failed = |error: std::io::Error| {
        Diag::error(
            &code::INPUT_UNREADABLE,
            format!("`{}` cannot be read: {error}", path.display()),
        )
    };
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = blake3::Hasher::new();
    // Large enough that all lanes of the hash are busy.
    let mut buffer = vec![0; 1 << 20];
    loop {
        if cancel.is_cancelled() {
            return Err(interrupted());
        }
        let count = match file.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if count == 0 {
            return Ok(hasher.finalize().to_hex().to_string());
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_published_algorithm() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("input");
        // The test vectors of BLAKE3: no byte, and 2049 bytes 0, 1, …, 250, 0, 1, ….
        std::fs::write(&path, b"").expect("a file");
        assert_eq!(
            of_file(&path, &Cancel::default()).expect("a digest"),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
        let bytes: Vec<u8> = (0..2049_u32).map(|index| (index % 251) as u8).collect();
        std::fs::write(&path, bytes).expect("a file");
        assert_eq!(
            of_file(&path, &Cancel::default()).expect("a digest"),
            "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"
        );
    }
}
