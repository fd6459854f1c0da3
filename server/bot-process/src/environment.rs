//! A bot process's environment: inherited variables from an allow list, variables for the bot's
//! private folders, and variables that the caller adds. The bot does not inherit this command's
//! secrets.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
};

use thiserror::Error;

use crate::private_folders::PrivateFolders;

/// The variables that a bot process inherits. The list contains variables that locate programs,
/// libraries and certificates, or control text and logging. Variables that often hold a secret are
/// omitted, such as a proxy URL with a password.
const INHERITED: &[&str] = &[
    "PATH",
    "LANG",
    "TZ",
    // The dynamic loader.
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    // Variables of Python.
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONHOME",
    "PYTHONIOENCODING",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "PYTHONUSERBASE",
    "PYTHONUTF8",
    // Variables of other languages.
    "CARGO_HOME",
    "CLASSPATH",
    "DOTNET_ROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NODE_PATH",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "RUST_LOG",
    // The address of a rules server, for bots that search without the rules library.
    "BRIDGEMASTER_RULES",
    // Variables that locate trusted certificates.
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    // Variables that most programs on Windows require.
    "ComSpec",
    "PATHEXT",
    "SystemDrive",
    "SystemRoot",
    "windir",
];

/// Prefix of the locale variables, which bots also inherit.
const LOCALE_PREFIX: &str = "LC_";

/// Variables for package and toolchain folders in the user's home. Without them, language runtimes
/// would look in the bot's private home. Each variable is set if its folder exists and the variable
/// is not already set.
const BELOW_HOME: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("GOCACHE", ".cache/go-build"),
    ("GOPATH", "go"),
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("RUSTUP_HOME", ".rustup"),
];

/// Variables that set the size of numeric libraries' thread pools. Numeric libraries use every core
/// by default, even for small matrices. Bots share the cores, so each pool gets one thread.
const THREAD_COUNTS: &[&str] = &[
    "BLIS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
];

/// Variables that are set to the private home or to the private folder for temporary files.
const HOME: &[&str] = if cfg!(windows) { &["HOME", "USERPROFILE"] } else { &["HOME"] };
const TEMPORARY: &[&str] = if cfg!(windows) { &["TMPDIR", "TEMP", "TMP"] } else { &["TMPDIR"] };

/// Prefix of variables that this program sets itself or withholds from bots.
const OWN_PREFIX: &str = "BRIDGEMASTER_";

/// A variable that cannot be passed to a bot.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VariableError {
    /// The text is not a variable name.
    #[error("{0:?} is not a valid environment variable name; pass only the name, without a value")]
    Name(String),
    /// The variable is set by this command itself.
    #[error(
        "{0} cannot be passed to a bot: HOME and TMPDIR are private folders, and variables with \
         the prefix {OWN_PREFIX} are set by this command"
    )]
    Reserved(String),
    /// The variable is not set.
    #[error("{0} is not set in the environment of this command; set it, or do not pass it to bots")]
    NotSet(String),
}

/// Checks that a variable can be passed to a bot. The variable need not be set.
///
/// # Errors
/// Returns [`VariableError::Name`] or [`VariableError::Reserved`].
pub fn check_variable(name: &str) -> Result<(), VariableError> {
    let is_of_name = |one: char| one.is_ascii_alphanumeric() || one == '_';
    if name.is_empty() || name.starts_with(|one: char| one.is_ascii_digit()) {
        return Err(VariableError::Name(name.to_owned()));
    }
    if !name.chars().all(is_of_name) {
        // The error omits the text after `=`, because that text might be a secret.
        let name_part = name.split('=').next().unwrap_or_default();
        return Err(VariableError::Name(name_part.to_owned()));
    }
    let mut private = HOME.iter().chain(TEMPORARY);
    if name.starts_with(OWN_PREFIX) || private.any(|reserved| *reserved == name) {
        return Err(VariableError::Reserved(name.to_owned()));
    }
    Ok(())
}

/// Reads a variable from this command's environment, to pass it to a bot.
pub fn read_variable(name: &str) -> Result<OsString, VariableError> {
    check_variable(name)?;
    env::var_os(name).ok_or_else(|| VariableError::NotSet(name.to_owned()))
}

/// Returns the environment for a bot with these private folders. Variables that the caller adds are
/// not included.
pub(crate) fn variables(folders: &PrivateFolders) -> Vec<(OsString, OsString)> {
    let command_env: Vec<_> = env::vars_os().collect();
    let home = env::home_dir();
    let mut variables = inherited(&command_env, home.as_deref());
    let (home, temporary) = (folders.home(), folders.temporary());
    let private = HOME.iter().map(|name| (name, &home));
    let private = private.chain(TEMPORARY.iter().map(|name| (name, &temporary)));
    variables.extend(private.map(|(name, folder)| ((*name).into(), folder.into())));
    variables
}

/// Returns the part of this command's environment that a bot inherits. `home` is the user's home.
fn inherited(
    command_env: &[(OsString, OsString)],
    home: Option<&Path>,
) -> Vec<(OsString, OsString)> {
    let is_inherited = |name: &OsStr| {
        let is_same = |listed: &&&str| {
            if cfg!(windows) { name.eq_ignore_ascii_case(listed) } else { name == **listed }
        };
        INHERITED.iter().any(|listed| is_same(&listed))
            || name.to_str().is_some_and(|name| name.starts_with(LOCALE_PREFIX))
    };
    let listed = command_env.iter().filter(|(name, _)| is_inherited(name));
    let mut variables: Vec<_> = listed.cloned().collect();
    for (name, below) in BELOW_HOME {
        let is_set = variables.iter().any(|(set, _)| set == name);
        let folder = home.map(|home| home.join(below));
        if let Some(folder) = folder.filter(|folder| !is_set && folder.is_dir()) {
            variables.push(((*name).into(), folder.into()));
        }
    }
    variables.extend(THREAD_COUNTS.iter().map(|name| ((*name).into(), "1".into())));
    variables
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn names(command_env: &[(&str, &str)], home: Option<&Path>) -> Vec<String> {
        let own = command_env.iter();
        let own: Vec<_> = own.map(|(name, value)| (name.into(), value.into())).collect();
        let variables = inherited(&own, home);
        let names = variables.iter().map(|(name, _)| name.to_str().unwrap());
        let names = names.filter(|name| !THREAD_COUNTS.contains(name));
        names.map(str::to_owned).collect()
    }

    #[test]
    fn a_bot_inherits_only_variables_of_the_allow_list() {
        let command_env = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("VIRTUAL_ENV", "/venv"),
            ("GITHUB_TOKEN", "secret"),
            ("BRIDGEMASTER_STORE", "postgres://n:secret@db/g"),
            ("BRIDGEMASTER_KEY", "bmk_secret"),
            ("https_proxy", "http://n:secret@proxy"),
            ("HOME", "/home/n"),
            ("OMP_NUM_THREADS", "64"),
        ];
        assert_eq!(names(&command_env, None), ["PATH", "LC_ALL", "VIRTUAL_ENV"]);
    }

    #[test]
    fn packages_in_the_home_of_the_user_are_found_from_an_empty_home() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".local")).unwrap();
        std::fs::create_dir(home.path().join(".cargo")).unwrap();
        let home = Some(home.path());
        assert_eq!(names(&[], home), ["CARGO_HOME", "PYTHONUSERBASE"]);
        let set = [("PYTHONUSERBASE", "/opt")];
        assert_eq!(names(&set, home), ["PYTHONUSERBASE", "CARGO_HOME"]);
    }

    #[test]
    fn reserved_and_invalid_names_are_rejected_without_revealing_the_value() {
        let ours = ["BRIDGEMASTER_STORE", "BRIDGEMASTER_TICKET"];
        for name in ["HOME", "TMPDIR"].into_iter().chain(ours) {
            let refused = read_variable(name).unwrap_err();
            assert_eq!(refused, VariableError::Reserved(name.to_owned()));
        }
        for name in ["", "1A", "A B", "TOKEN=hush", "Ä"] {
            let refused = read_variable(name).unwrap_err();
            assert!(matches!(refused, VariableError::Name(_)), "{refused}");
            assert!(!refused.to_string().contains("hush"), "{refused}");
        }
        let refused = read_variable("NO_SUCH_VARIABLE").unwrap_err().to_string();
        assert!(refused.contains("NO_SUCH_VARIABLE is not set"), "{refused}");
        assert_eq!(read_variable("PATH").ok(), env::var_os("PATH"));
    }
}
