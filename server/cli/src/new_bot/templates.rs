//! Templates of new bots by language, and the checkout with the bots' libraries. The check
//! `.ci/languages` creates a bot from each template, builds it and lets it play.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use bridgemaster_proto::PROTOCOL_REVISION;

use crate::failure::misuse;

/// Placeholder for the checkout's path.
const CHECKOUT: &str = "@CHECKOUT@";
const README: &str = include_str!("../../templates/README.md");

/// The folder of a new bot in one language.
pub(super) struct Template {
    /// The `--language` value for this template.
    name: &'static str,
    /// The language's name in texts.
    language: &'static str,
    /// Path of the bot's source file.
    pub(super) source: &'static str,
    /// Shell command that builds the bot.
    build: &'static str,
    /// Shell command that starts the built bot.
    pub(super) command: &'static str,
    /// Tools that the build needs.
    tools: &'static str,
    /// Names of the files to edit if the checkout moves, as text for the README.
    named_in: &'static str,
    /// Path of the library's documentation within the checkout.
    documentation: &'static str,
    /// Names and contents of the files besides README.md.
    files: &'static [(&'static str, &'static str)],
    /// Path of the lock file in the checkout, if any. It pins dependencies to tested versions.
    pub(super) lock_file: Option<&'static str>,
}

/// Includes a template's files.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../templates/", $folder, "/", $name)),
        )),+]
    };
}

const TEMPLATES: &[Template] = &[
    Template {
        name: "python",
        language: "Python",
        source: "my_bot.py",
        build: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        command: ".venv/bin/python my_bot.py",
        tools: "Python 3.10 or newer",
        named_in: "`requirements.txt`",
        documentation: "sdk/python/README.md",
        files: files!("python": "my_bot.py", "requirements.txt", ".gitignore"),
        lock_file: None,
    },
    Template {
        name: "typescript",
        language: "TypeScript",
        source: "src/my-bot.ts",
        build: "npm install --prefix @CHECKOUT@/sdk/typescript && npm install",
        command: "node dist/my-bot.js",
        tools: "Node 20 or newer; after that, `npm run build` is enough",
        named_in: "`package.json` and the first command",
        documentation: "sdk/typescript/README.md",
        files: files!(
            "typescript": "src/my-bot.ts", "package.json", "tsconfig.json", ".gitignore"
        ),
        lock_file: None,
    },
    Template {
        name: "go",
        language: "Go",
        source: "main.go",
        build: "go mod tidy && go build -o my-bot .",
        command: "./my-bot",
        tools: "Go 1.26 (Go 1.21 and newer download it automatically)",
        named_in: "`go.mod`",
        documentation: "bots/go/README.md",
        files: files!("go": "main.go", "go.mod", ".gitignore"),
        lock_file: None,
    },
    Template {
        name: "java",
        language: "Java",
        source: "src/main/java/MyBot.java",
        build: "mvn -q -f @CHECKOUT@/bots/java -pl client -am -Dmaven.test.skip install \
            && mvn -q package",
        command: "java -jar target/my-bot.jar",
        tools: "Java 17 and Maven 3.8, or newer; after that, `mvn -q package` is enough",
        named_in: "the first command, which installs it for Maven on this machine",
        documentation: "bots/java/README.md",
        files: files!("java": "src/main/java/MyBot.java", "pom.xml", ".gitignore"),
        lock_file: None,
    },
    Template {
        name: "cpp",
        language: "C++",
        source: "my_bot.cpp",
        build: "cmake -S . -B build && cmake --build build --parallel 2",
        command: "build/my-bot",
        tools: "CMake 3.18, a C++20 compiler, gRPC and OpenSSL",
        named_in: "`CMakeLists.txt`",
        documentation: "bots/cpp/README.md",
        files: files!("cpp": "my_bot.cpp", "CMakeLists.txt", ".gitignore"),
        lock_file: None,
    },
    Template {
        name: "rust",
        language: "Rust",
        source: "src/main.rs",
        build: "cargo build",
        command: "target/debug/my-bot",
        tools: "Rust 1.95 or newer; with `--release` the bot is faster, in `target/release`",
        named_in: "`Cargo.toml`",
        documentation: "sdk/rust/src/lib.rs",
        files: files!("rust": "src/main.rs", "Cargo.toml", ".gitignore"),
        lock_file: Some("Cargo.lock"),
    },
];

/// Returns the possible `--language` values.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|template| template.name)
}

/// Returns the template for a `--language` value.
pub(super) fn find(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name)
}

impl Template {
    /// Returns the shell command that builds the bot.
    pub(super) fn build(&self, checkout: &Checkout) -> String {
        self.build.replace(CHECKOUT, checkout.path())
    }

    /// Returns all files' names and contents.
    pub(super) fn files(
        &self,
        checkout: &Checkout,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let readme = ("README.md", self.readme(checkout));
        let path = checkout.path().to_owned();
        let others = self.files.iter();
        let others = others.map(move |(name, text)| (*name, text.replace(CHECKOUT, &path)));
        std::iter::once(readme).chain(others)
    }

    fn readme(&self, checkout: &Checkout) -> String {
        let documentation = format!("{CHECKOUT}/{}", self.documentation);
        let values = [
            ("@LANGUAGE@", self.language),
            ("@SOURCE@", self.source),
            ("@BUILD@", self.build),
            ("@COMMAND@", self.command),
            ("@TOOLS@", self.tools),
            ("@NAMED_IN@", self.named_in),
            ("@REVISION@", &PROTOCOL_REVISION.to_string()),
            ("@DOCUMENTATION@", &documentation),
            // The checkout is replaced last, since the other values contain its placeholder.
            (CHECKOUT, checkout.path()),
        ];
        let text = README.to_owned();
        let fill = |text: String, (name, value): (&str, &str)| text.replace(name, value);
        values.into_iter().fold(text, fill)
    }
}

/// Files that a folder must contain to count as a checkout.
const MARKER_FILES: [&str; 2] = ["proto/bridgemaster/v1/play.proto", "sdk/rust/Cargo.toml"];
/// Characters, besides letters and digits, that a path can contain without escaping in all
/// languages' build files.
const PLAIN_CHARS: &str = "/._-+~:";

/// A checkout's path. It contains no characters that a build file would have to escape.
pub(super) struct Checkout(String);

impl Checkout {
    /// Returns the checkout that `named` gives, or else the checkout that contains this program or
    /// the current folder.
    pub(super) fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(named) = named {
            let found = fs::canonicalize(named).ok().filter(|path| is_checkout(path));
            return Self::at(found.as_deref().ok_or_else(|| {
                misuse(format!(
                    "--checkout: {} is not a checkout of Bridgemaster, since {} is missing",
                    named.display(),
                    MARKER_FILES.join(" or ")
                ))
            })?);
        }
        let places = [env::current_exe(), env::current_dir()];
        let mut places = places.into_iter().flatten();
        let found = places.find_map(|place| enclosing(&fs::canonicalize(place).ok()?));
        Self::at(&found.ok_or_else(|| {
            misuse(
                "neither this program nor the current folder is in a checkout of Bridgemaster; use \
                 --checkout DIR",
            )
        })?)
    }

    fn at(folder: &Path) -> anyhow::Result<Self> {
        let text = folder.display().to_string();
        let is_plain = |c: char| c.is_alphanumeric() || PLAIN_CHARS.contains(c);
        match text.chars().find(|c| !is_plain(*c)) {
            None => Ok(Self(text)),
            Some(character) => Err(misuse(format!(
                "--checkout: {text} contains {character:?}, which some build files do not support; \
                 valid characters are letters, digits and {PLAIN_CHARS}"
            ))),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.0
    }
}

/// Returns the checkout that contains a path.
fn enclosing(place: &Path) -> Option<PathBuf> {
    let found = place.ancestors().find(|folder| is_checkout(folder));
    found.map(Path::to_owned)
}

fn is_checkout(folder: &Path) -> bool {
    MARKER_FILES.iter().all(|mark| folder.join(mark).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_found_from_anywhere_in_it() {
        let source = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        let top = source.ancestors().nth(2).map(Path::to_owned);
        assert_eq!(enclosing(&source.join("src")), top);
        assert_eq!(enclosing(&env::temp_dir()), None);
    }

    #[test]
    fn a_path_that_build_files_would_have_to_escape_is_rejected() {
        let refused = Checkout::at(Path::new("/home/a b")).err().unwrap();
        assert!(refused.to_string().contains("' '"), "{refused}");
        assert!(Checkout::at(Path::new("/home/käthe/b-1.2")).is_ok());
    }
}
