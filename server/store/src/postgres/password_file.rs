//! The file with the password, which is read for each connection so that the password can be
//! changed while the server runs.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::db_error::DbError;
use crate::{detached::run_blocking, limits::MAX_PASSWORD_FILE_BYTES};

/// Reads the password. Its content never appears in an error.
pub(super) async fn read(path: &Path) -> Result<String, DbError> {
    let path = path.to_owned();
    run_blocking(move || {
        let refused = |detail| DbError::PasswordFile {
            path: path.clone(),
            detail,
        };
        let content = content(&path).map_err(|cause| refused(cause.to_string()))?;
        password(content).map_err(|detail| refused(detail.to_owned()))
    })
    .await
}

fn content(path: &PathBuf) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let mut limited = File::open(path)?.take(MAX_PASSWORD_FILE_BYTES + 1);
    limited.read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the content without the line break at its end.
fn password(content: Vec<u8>) -> Result<String, &'static str> {
    if content.len() as u64 > MAX_PASSWORD_FILE_BYTES {
        return Err("it is larger than 16 KiB");
    }
    let mut password = String::from_utf8(content).map_err(|_| "it is not UTF-8")?;
    if password.ends_with('\n') {
        password.pop();
        if password.ends_with('\r') {
            password.pop();
        }
    }
    // The protocol ends a password at a NUL.
    if password.contains('\0') {
        return Err("it contains a NUL byte");
    }
    if password.is_empty() {
        return Err("it is empty");
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_line_break_at_the_end_is_removed() {
        for (content, expected) in [
            ("hush", Ok("hush")),
            (" h\nush \n", Ok(" h\nush ")),
            ("hush\r\n", Ok("hush")),
            ("\n", Err("it is empty")),
            ("hu\0sh", Err("it contains a NUL byte")),
        ] {
            let password = password(content.into());
            assert_eq!(password.as_deref().map_err(|error| *error), expected);
        }
        assert_eq!(password(vec![0xff]), Err("it is not UTF-8"));
        let limit = usize::try_from(MAX_PASSWORD_FILE_BYTES).unwrap();
        assert!(password(vec![b'a'; limit]).is_ok());
        assert_eq!(
            password(vec![b'a'; limit + 1]),
            Err("it is larger than 16 KiB")
        );
    }
}
