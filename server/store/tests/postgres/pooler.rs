//! A PgBouncer in front of a test server. It ends with this program, even if that is killed.

use std::{
    env, fs,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use crate::postgres_server::{self, PostgresServer, command};

/// Runs PgBouncer until its standard input is closed.
const SUPERVISOR: &str = r#"
"$1" -q "$2" >>"$2.log" 2>&1 &
pooler=$!
cat >/dev/null
kill -KILL $pooler
wait $pooler
"#;

/// Returns why the tests cannot run.
pub(crate) fn absent() -> Option<String> {
    if let Some(absent) = postgres_server::absent() {
        return Some(absent);
    }
    if program().is_some() {
        return None;
    }
    let absent = "no PgBouncer: install the Debian package pgbouncer".to_owned();
    assert!(env::var_os("CI").is_none(), "{absent}");
    Some(absent)
}

/// Finds the program on the search path or where the Debian package installs it.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    let mut programs = folders.map(|folder| folder.join("pgbouncer"));
    programs.find(|program| program.is_file())
}

/// A running PgBouncer.
pub(crate) struct Pooler {
    supervisor: Child,
    port: u16,
}

impl Pooler {
    /// Starts a pooler with these settings. The port names its socket in the folder of the server.
    pub(crate) fn start(server: &PostgresServer, port: u16, settings: &str) -> Self {
        let folder = server.folder();
        let config = folder.join(format!("pooler-{port}.ini"));
        let at = folder.display();
        let text = format!(
            "[databases]\n* = host={at} user=tester\n[pgbouncer]\nunix_socket_dir = {at}\n\
             listen_port = {port}\nauth_type = any\n{settings}\n"
        );
        fs::write(&config, text).unwrap();
        let supervisor = command(folder, Path::new("/bin/sh"))
            .args(["-c", SUPERVISOR, "supervisor"])
            .arg(program().expect("the test is ignored without PgBouncer"))
            .arg(&config)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut pooler = Self { supervisor, port };
        let socket = folder.join(format!(".s.PGSQL.{port}"));
        while UnixStream::connect(&socket).is_err() {
            assert!(pooler.supervisor.try_wait().unwrap().is_none());
            std::thread::yield_now();
        }
        pooler
    }

    /// Returns the address of a database over the pooler.
    pub(crate) fn url(&self, direct: &str) -> String {
        format!("{direct}&port={}", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        self.supervisor.wait().unwrap();
    }
}
