//! A PostgreSQL server for tests, in a temporary folder and on a Unix socket. It ends with this
//! program, even if that is killed.

#![allow(dead_code)] // Not every target needs all of it.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tempfile::TempDir;

/// Environment variable with the folder of `initdb`, `postgres` and `psql`.
const VARIABLE: &str = "BRIDGEMASTER_POSTGRES";

/// The user and group `nobody`: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// Timeout for a start or stop on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Runs PostgreSQL until its standard input is closed, and then removes its folder.
const SUPERVISOR: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=200 \
    $3 >>"$2/log" 2>&1 &
postgres=$!
cat >/dev/null
kill -QUIT $postgres 2>/dev/null
wait $postgres
[ -e "$2/kept" ] || rm -rf "$2"
"#;

/// Returns why PostgreSQL is not available. Panics if the environment variable names it.
pub(crate) fn absent() -> Option<String> {
    if cfg!(not(unix)) {
        return Some("the tests reach PostgreSQL over a Unix socket".to_owned());
    }
    if programs().is_some() {
        return None;
    }
    let absent = format!(
        "no PostgreSQL: install the Debian package postgresql, or set {VARIABLE} to the folder of \
         initdb"
    );
    assert!(env::var_os("CI").is_none(), "{absent}");
    Some(absent)
}

/// Finds the folder of the programs: in the environment variable, on the search path, or that of
/// the newest Debian package.
fn programs() -> Option<PathBuf> {
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "psql"].iter().all(|program| folder.join(program).is_file())
    };
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).find(has_all);
    on_path.or_else(|| {
        let installed = fs::read_dir("/usr/lib/postgresql").ok()?;
        let folders = installed.filter_map(|entry| {
            let entry = entry.ok()?;
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        });
        let newest = folders.filter(|(version, folder)| *version >= 15 && has_all(folder)).max();
        newest.map(|(_, folder)| folder)
    })
}

/// A running database server.
pub(crate) struct PostgresServer {
    programs: PathBuf,
    /// The folder of the server's files and socket.
    folder: TempDir,
    supervisor: Option<Child>,
    /// Additional command-line flags.
    flags: &'static str,
    schemas: AtomicU32,
}

impl PostgresServer {
    /// The server shared by the tests of a program, none of which stops it.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<PostgresServer> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    /// Creates and starts a server.
    pub(crate) fn start() -> Self {
        Self::start_with("")
    }

    /// Like [`start`](Self::start), with additional flags.
    pub(crate) fn start_with(flags: &'static str) -> Self {
        let programs = programs().expect("the test is ignored without PostgreSQL");
        let folder = tempfile::tempdir().unwrap();
        give_away(folder.path());
        let made = command(folder.path(), &programs.join("initdb"))
            .args(["--auth=trust", "--username=tester", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C", "-D"])
            .arg(folder.path().join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut server =
            Self { programs, folder, supervisor: None, flags, schemas: AtomicU32::new(0) };
        server.restart();
        server
    }

    /// Starts the server again, and waits until it accepts connections.
    pub(crate) fn restart(&mut self) {
        assert!(self.supervisor.is_none());
        let _ = fs::remove_file(self.keep_marker());
        let supervisor = command(self.folder.path(), Path::new("/bin/sh"))
            .args(["-c", SUPERVISOR, "supervisor"])
            .arg(&self.programs)
            .arg(self.folder.path())
            .arg(self.flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.supervisor = Some(supervisor);
        let started_at = std::time::Instant::now();
        while !self.is_ready() {
            assert!(started_at.elapsed() < TIMEOUT, "{}", self.log());
            std::thread::yield_now();
        }
    }

    /// Stops the server immediately, as in a crash: running transactions are lost.
    pub(crate) fn stop(&mut self) {
        let mut supervisor = self.supervisor.take().expect("it runs");
        fs::write(self.keep_marker(), b"").unwrap();
        drop(supervisor.stdin.take());
        supervisor.wait().unwrap();
    }

    /// While this file exists, the folder is kept.
    fn keep_marker(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// Creates an empty schema, and returns its address.
    pub(crate) fn fresh(&self) -> String {
        let number = self.schemas.fetch_add(1, Ordering::Relaxed);
        let schema = format!("test_{number}");
        self.run(&format!("CREATE SCHEMA {schema}"));
        self.url(&schema)
    }

    fn url(&self, schema: &str) -> String {
        format!(
            "postgres://tester@localhost/postgres?host={}&options[search_path]={schema}",
            self.folder.path().display()
        )
    }

    /// Returns the path of the server's socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// Creates an empty database, and returns its address and name.
    pub(crate) fn fresh_database(&self) -> (String, String) {
        let number = self.schemas.fetch_add(1, Ordering::Relaxed);
        let database = format!("test_{number}");
        self.run(&format!("CREATE DATABASE {database}"));
        let host = self.folder.path().display();
        let url = format!("postgres://tester@localhost/{database}?host={host}");
        (url, database)
    }

    /// Runs a statement outside of the stores.
    pub(crate) fn run(&self, statement: &str) -> String {
        self.run_in("postgres", statement)
    }

    /// Like [`run`](Self::run), in a given database.
    pub(crate) fn run_in(&self, database: &str, statement: &str) -> String {
        let output = self.client().args(["-d", database, "-c", statement]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Begins a transaction outside of the stores, which remains open.
    pub(crate) fn open_transaction(&self, statements: &str) -> Transaction {
        self.open_transaction_in("postgres", statements)
    }

    /// Like [`open_transaction`](Self::open_transaction), in a given database.
    pub(crate) fn open_transaction_in(&self, database: &str, statements: &str) -> Transaction {
        let mut psql = self
            .client()
            .args(["-d", database])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = psql.stdin.as_mut().unwrap();
        writeln!(input, "BEGIN; {statements};\n\\echo begun").unwrap();
        let output = BufReader::new(psql.stdout.as_mut().unwrap());
        let has_begun = output.lines().any(|line| line.unwrap() == "begun");
        assert!(has_begun, "{}", self.log());
        Transaction { psql }
    }

    fn is_ready(&self) -> bool {
        let query = self.client().args(["-c", "SELECT 1"]).output();
        query.is_ok_and(|output| output.status.success())
    }

    fn client(&self) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1"])
            .args(["-U", "tester", "-d", "postgres", "-h"])
            .arg(self.folder.path());
        psql
    }

    /// Returns the folder with the server's socket.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the server's log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

/// An open transaction.
pub(crate) struct Transaction {
    psql: Child,
}

impl Transaction {
    pub(crate) fn commit(mut self) {
        let mut input = self.psql.stdin.take().unwrap();
        writeln!(input, "COMMIT;").unwrap();
        drop(input);
        assert!(self.psql.wait().unwrap().success());
    }
}

/// Changes the owner of a folder to a user who may run PostgreSQL.
#[cfg(unix)]
fn give_away(folder: &Path) {
    use std::os::unix::fs::{MetadataExt as _, chown};
    if fs::metadata(folder).unwrap().uid() == 0 {
        chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

#[cfg(not(unix))]
fn give_away(_: &Path) {}

/// Returns whether this program runs as root and has changed the owner of the folder.
#[cfg(unix)]
fn is_given_away(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = fs::metadata(folder).unwrap().uid();
    owner == NOBODY && fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(not(unix))]
fn is_given_away(_: &Path) -> bool {
    false
}

/// Creates a command that runs as a user who may run PostgreSQL.
pub(crate) fn command(folder: &Path, program: &Path) -> Command {
    let mut command = if is_given_away(folder) {
        let mut command = Command::new("setpriv");
        let nobody = NOBODY.to_string();
        command.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups"]);
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(folder).env_remove("PGOPTIONS");
    command
}
