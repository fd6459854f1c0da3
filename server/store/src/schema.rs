//! The schemas of the databases, and their migration from one version to the next.
//!
//! A program of version N uses databases of the versions N and N + 1. So a cluster can be upgraded
//! node by node, and back. For this, a migration to N + 1 only *expands* the schema: everything
//! that programs of version N read and write stays as it was. What only they need is removed by a
//! *contraction* in N + 2 or later, after all nodes have been upgraded to N + 1. A change that
//! cannot follow this rule skips a version.

use std::path::Path;

use crate::StoreError;

/// The schemas of one version of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    /// The version of both schemas. Each change to a schema increments it.
    pub(crate) version: i64,
    /// The statements that create the tables in SQLite.
    pub(crate) sqlite: &'static str,
    /// The statements that create the tables in PostgreSQL.
    pub(crate) postgres: &'static str,
    /// The supported migrations, each to the next version.
    pub(crate) migrations: &'static [Migration],
}

/// The statements that change a database from the previous version to this version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    pub(crate) to: i64,
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// The schemas of this program.
pub(crate) const CURRENT: Schema = Schema {
    version: 8,
    sqlite: include_str!("../schema/sqlite.sql"),
    postgres: include_str!("../schema/postgres.sql"),
    migrations: &[],
};

/// The versions that a caller accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaUse {
    /// Older versions are migrated: a server, or the command that only migrates.
    Migrate,
    /// The program's own version and the next version.
    Use,
    /// Only the program's own version: a copy would lose the columns of the next version.
    Copy,
}

/// The versions of a database before and after its migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationReport {
    /// The version that was found.
    pub from: i64,
    /// The version that the database has now.
    pub to: i64,
}

impl Schema {
    /// Checks the version of a database with this path or address. Returns the migrations that the
    /// caller has to make.
    ///
    /// # Errors
    /// Returns [`StoreError::NewerSchema`], [`StoreError::OlderSchema`] and
    /// [`StoreError::NotMigrated`].
    pub(crate) fn check(
        &self,
        version: i64,
        schema_use: SchemaUse,
        path: impl AsRef<Path>,
    ) -> Result<&'static [Migration], StoreError> {
        let path = || path.as_ref().to_owned();
        let newest = match schema_use {
            SchemaUse::Copy => self.version,
            SchemaUse::Migrate | SchemaUse::Use => self.version + 1,
        };
        if version > newest {
            return Err(StoreError::NewerSchema { path: path(), version, supported: newest });
        }
        if version >= self.version {
            return Ok(&[]);
        }
        let first = self.migrations.iter().position(|one| one.to == version + 1);
        match first {
            None => Err(StoreError::OlderSchema { path: path(), version, supported: self.version }),
            Some(first) if schema_use == SchemaUse::Migrate => Ok(&self.migrations[first..]),
            Some(_) => {
                Err(StoreError::NotMigrated { path: path(), version, supported: self.version })
            }
        }
    }
}
