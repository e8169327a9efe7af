//! The option `--header` of the programs.

use std::{env, io, path::Path};

const FORM: &str = "expected NAME: VALUE, NAME: @FILE or NAME: env:VARIABLE";

/// Returns the name and the value of a header in the form of a command-line option: `NAME: VALUE`,
/// `NAME: @FILE` for the value in a file, or `NAME: env:VARIABLE` for the value in an environment variable.
///
/// `read` returns the text of a file. Line breaks at its end are removed.
///
/// ```
/// let read = |_: &std::path::Path| Ok("Bearer 5ec2e7\n".to_owned());
/// let (name, value) = nodeproof_files::header_option("Authorization: @token.txt", read)?;
/// assert_eq!((&*name, &*value), ("Authorization", "Bearer 5ec2e7"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If there is no name or no value. An error never shows any part of the option after the name.
pub fn header_option(
    option: &str,
    read: impl FnOnce(&Path) -> io::Result<String>,
) -> io::Result<(String, String)> {
    // Without a name, all of the text can be a secret.
    let named = option.split_once(':');
    let named = named.map(|(name, rest)| (name.trim(), rest.trim()));
    let Some((name, source)) = named.filter(|(name, _)| is_name(name)) else {
        return Err(invalid(format!(
            "a header does not begin with its name and a colon: {FORM}"
        )));
    };
    let value = if let Some(path) = source.strip_prefix('@') {
        read(Path::new(path)).map_err(|error| {
            let message = format!("the file of the header \"{name}\" can't be read: {error}");
            io::Error::new(error.kind(), message)
        })?
    } else if let Some(variable) = source.strip_prefix("env:") {
        env::var(variable).map_err(|error| {
            // The text of this error has a value that is not Unicode.
            let reason = match error {
                env::VarError::NotPresent => "not set",
                env::VarError::NotUnicode(_) => "not Unicode",
            };
            invalid(format!(
                "the environment variable of the header \"{name}\" is {reason}"
            ))
        })?
    } else {
        source.to_owned()
    };
    let value = value.trim_end_matches(['\r', '\n']);
    if value.is_empty() {
        return Err(invalid(format!(
            "the header \"{name}\" has no value: {FORM}"
        )));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Returns whether this can be the name of a header.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_names_a_header_and_its_value_is_in_no_error() {
        const SECRET: &str = "5ec2e75ec2e7";

        let parse = |option: &str| {
            header_option(option, |path| match path.to_str() {
                Some("key.txt") => Ok(format!("Bearer {SECRET}\r\n")),
                Some("empty") => Ok("\n".to_owned()),
                _ => Err(io::ErrorKind::NotFound.into()),
            })
        };
        for (option, value) in [
            (format!("x-key: {SECRET}"), SECRET.to_owned()),
            (format!("x-key:{SECRET}:x"), format!("{SECRET}:x")),
            ("x-key: @key.txt".to_owned(), format!("Bearer {SECRET}")),
            (
                "x-key: env:CARGO_PKG_NAME".to_owned(),
                env!("CARGO_PKG_NAME").to_owned(),
            ),
        ] {
            assert_eq!(parse(&option).unwrap(), ("x-key".to_owned(), value));
        }
        for (option, words) in [
            (SECRET.to_owned(), "does not begin with its name"),
            (
                format!("Bearer {SECRET}: x"),
                "does not begin with its name",
            ),
            (format!("{SECRET} x:"), "does not begin with its name"),
            (format!(": {SECRET}"), "does not begin with its name"),
            ("x-key:".to_owned(), "\"x-key\" has no value"),
            ("x-key: @empty".to_owned(), "has no value"),
            (format!("x-key: @{SECRET}"), "the file of the header"),
            (format!("x-key: env:{SECRET}"), "is not set"),
        ] {
            let error = parse(&option).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
        }
    }
}
