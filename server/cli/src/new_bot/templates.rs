//! Templates of new bots by language. A new bot pins the released library. The check
//! `.ci/languages` creates a bot from each template, builds it with the library of the checkout,
//! and lets it play.

use serde::Deserialize;

use crate::new_bot::checkout::Checkout;

/// Files of every bot, with their names in the folder.
const SHARED_FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("../../templates/README.md")),
    ("ci/check", include_str!("../../templates/check")),
    (".github/workflows/bot.yml", include_str!("../../templates/github.yml")),
    (".gitlab-ci.yml", include_str!("../../templates/gitlab.yml")),
];

/// The folder of a new bot in one language. Texts can contain placeholders, such as `@VERSION@`.
pub(super) struct Template {
    /// The `--language` value for this template.
    name: &'static str,
    /// The language's name in texts.
    language: &'static str,
    /// Path of the bot's source file.
    pub(super) source: &'static str,
    /// Shell command that builds the bot with the released library.
    build: &'static str,
    /// Shell command that builds the bot with the library of a checkout.
    build_with_checkout: &'static str,
    /// Shell command that starts the built bot.
    pub(super) command: &'static str,
    /// Tools that the build needs.
    tools: &'static str,
    /// The library in a package registry, in the form of the build file that names it.
    package: &'static str,
    /// The library at a tag of the repository, until it is in a registry.
    tag: &'static str,
    /// Name of the file that pins the version of the library.
    pinned_in: &'static str,
    /// Path of the library's documentation in the repository.
    documentation: &'static str,
    /// Step of a GitHub job that installs the tools.
    github_setup: &'static str,
    /// Image of a GitLab job that has the tools.
    gitlab_image: &'static str,
    /// Shell command that installs Debian packages in this image.
    gitlab_setup: &'static str,
    /// Names and contents of the language's files.
    files: &'static [(&'static str, &'static str)],
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
        build_with_checkout: "python3 -m venv .venv && .venv/bin/pip install @CHECKOUT@/sdk/python",
        command: ".venv/bin/python my_bot.py",
        tools: "Python 3.10 or newer",
        package: "@PYPI@==@VERSION@",
        tag: "@PYPI@ @ git+@REPOSITORY@@v@VERSION@#subdirectory=sdk/python",
        pinned_in: "requirements.txt",
        documentation: "sdk/python/README.md",
        github_setup: "uses: actions/setup-python@v5\n        with: { python-version: \"3.12\" }",
        gitlab_image: "python:3.12",
        gitlab_setup: "python3 --version",
        files: files!("python": "my_bot.py", "requirements.txt", ".gitignore"),
    },
    Template {
        name: "typescript",
        language: "TypeScript",
        source: "src/my-bot.ts",
        build: "npm install",
        build_with_checkout: "npm install --prefix @CHECKOUT@/sdk/typescript \
            && npm install --no-save @CHECKOUT@/sdk/typescript && npm run build",
        command: "node dist/my-bot.js",
        tools: "Node 20 or newer; after that, `npm run build` is enough",
        package: "@VERSION@",
        tag: "@DOWNLOAD@/bridgemaster-@VERSION@.tgz",
        pinned_in: "package.json",
        documentation: "sdk/typescript/README.md",
        github_setup: "uses: actions/setup-node@v4\n        with: { node-version: 22 }",
        gitlab_image: "node:22",
        gitlab_setup: "node --version",
        files: files!(
            "typescript": "src/my-bot.ts", "package.json", "tsconfig.json", ".gitignore"
        ),
    },
    Template {
        name: "go",
        language: "Go",
        source: "main.go",
        build: "go mod tidy && go build -o my-bot .",
        build_with_checkout: "{ test -f go.work || go work init . @CHECKOUT@/bots/go; } \
            && go work edit -replace @GO@@v@VERSION@=@CHECKOUT@/bots/go && go build -o my-bot .",
        command: "./my-bot",
        tools: "Go 1.26 (Go 1.21 and newer download it automatically)",
        package: "",
        tag: "",
        pinned_in: "go.mod",
        documentation: "bots/go/README.md",
        github_setup: "uses: actions/setup-go@v5\n        with: { go-version-file: go.mod }",
        gitlab_image: "golang:1.26",
        gitlab_setup: "go version",
        files: files!("go": "main.go", "go.mod", ".gitignore"),
    },
    Template {
        name: "java",
        language: "Java",
        source: "src/main/java/MyBot.java",
        build: "@REQUIREMENT@mvn -q package",
        build_with_checkout: "mvn -q -f @CHECKOUT@/bots/java -pl client -am -Dmaven.test.skip \
            install && mvn -q package",
        command: "java -jar target/my-bot.jar",
        tools: "Java 17 and Maven 3.8, or newer; after that, `mvn -q package` is enough",
        package: "",
        tag: "{ test -d .library || git clone -q --depth 1 --branch v@VERSION@ @REPOSITORY@ .library; } \
            && mvn -q -f .library/bots/java -pl client -am -Dmaven.test.skip install && ",
        pinned_in: "pom.xml",
        documentation: "bots/java/README.md",
        github_setup: "uses: actions/setup-java@v4\n        \
            with: { distribution: temurin, java-version: 17, cache: maven }",
        gitlab_image: "maven:3.9-eclipse-temurin-17",
        gitlab_setup: "apt-get update -qq && apt-get install -qq --yes curl git",
        files: files!("java": "src/main/java/MyBot.java", "pom.xml", ".gitignore"),
    },
    Template {
        name: "cpp",
        language: "C++",
        source: "my_bot.cpp",
        build: "cmake -S . -B build && cmake --build build --parallel 2",
        build_with_checkout: "cmake -S . -B build \
            -DFETCHCONTENT_SOURCE_DIR_BRIDGEMASTER=@CHECKOUT@ && cmake --build build --parallel 2",
        command: "build/my-bot",
        tools: "CMake 3.18, a C++20 compiler, gRPC and OpenSSL",
        package: "",
        tag: "",
        pinned_in: "CMakeLists.txt",
        documentation: "bots/cpp/README.md",
        github_setup: "run: sudo apt-get update -qq && sudo apt-get install -qq --yes cmake g++ pkg-config \
            libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libssl-dev",
        gitlab_image: "debian:12",
        gitlab_setup: "apt-get update -qq && apt-get install -qq --yes curl git cmake g++ pkg-config \
            libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libssl-dev",
        files: files!("cpp": "my_bot.cpp", "CMakeLists.txt", ".gitignore"),
    },
    Template {
        name: "rust",
        language: "Rust",
        source: "src/main.rs",
        build: "cargo build",
        build_with_checkout: "cargo build",
        command: "target/debug/my-bot",
        tools: "Rust 1.95 or newer; with `--release` the bot is faster, in `target/release`",
        package: "bridgemaster-sdk = \"@VERSION@\"",
        tag: "bridgemaster-sdk = { git = \"@REPOSITORY@\", tag = \"v@VERSION@\" }",
        pinned_in: "Cargo.toml",
        documentation: "sdk/rust/src/lib.rs",
        github_setup: "run: rustup toolchain install --profile minimal 1.95 && rustup default 1.95",
        gitlab_image: "rust:1.95",
        gitlab_setup: "cargo --version",
        files: files!("rust": "src/main.rs", "Cargo.toml", ".gitignore"),
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

/// The names of a release: those of the repository, the files and the packages.
#[derive(Deserialize)]
pub(super) struct ReleaseNames {
    repository: String,
    download: String,
    published: bool,
    registries: Registries,
}

#[derive(Deserialize)]
struct Registries {
    pypi: String,
    go: String,
    maven_group: String,
}

impl ReleaseNames {
    /// Returns the names with which this program was built.
    pub(super) fn read() -> anyhow::Result<Self> {
        Ok(toml::from_str(include_str!("../../../../.release/settings.toml"))?)
    }

    /// Returns the address of the release's files.
    fn download(&self) -> String {
        let address = self.download.replace("{version}", env!("CARGO_PKG_VERSION"));
        address.trim_end_matches("/{file}").to_owned()
    }
}

impl Template {
    /// Returns the shell command that builds the bot, with the library of a checkout if there is
    /// one.
    pub(super) fn build(&self, names: &ReleaseNames, checkout: Option<&Checkout>) -> String {
        match checkout {
            Some(checkout) => {
                self.fill(self.build_with_checkout, names).replace("@CHECKOUT@", checkout.path())
            }
            None => self.fill(self.build, names),
        }
    }

    /// Returns all files' names and contents. Only files that git ignores name the checkout.
    pub(super) fn files(
        &self,
        names: &ReleaseNames,
        checkout: Option<&Checkout>,
    ) -> anyhow::Result<Vec<(&'static str, String)>> {
        let files = SHARED_FILES.iter().chain(self.files);
        let mut files: Vec<_> = files.map(|(name, text)| (*name, self.fill(text, names))).collect();
        if let Some(checkout) = checkout.filter(|_| self.name == "rust") {
            files.extend(checkout.cargo_files((!names.published).then_some(&names.repository))?);
        }
        Ok(files)
    }

    /// Replaces the placeholders of a text.
    fn fill(&self, text: &str, names: &ReleaseNames) -> String {
        let values = [
            // Their values contain other placeholders.
            ("@BUILD@", self.build),
            ("@REQUIREMENT@", if names.published { self.package } else { self.tag }),
            ("@LANGUAGE@", self.language),
            ("@SOURCE@", self.source),
            ("@COMMAND@", self.command),
            ("@TOOLS@", self.tools),
            ("@PINNED_IN@", self.pinned_in),
            ("@DOCUMENTATION@", self.documentation),
            ("@GITHUB_SETUP@", self.github_setup),
            ("@GITLAB_IMAGE@", self.gitlab_image),
            ("@GITLAB_SETUP@", self.gitlab_setup),
            ("@PYPI@", &names.registries.pypi),
            ("@GO@", &names.registries.go),
            ("@MAVEN_GROUP@", &names.registries.maven_group),
            ("@DOWNLOAD@", &names.download()),
            ("@REPOSITORY@", &names.repository),
            ("@VERSION@", env!("CARGO_PKG_VERSION")),
        ];
        let fill = |text: String, (name, value): (&str, &str)| text.replace(name, value);
        values.into_iter().fold(text.to_owned(), fill)
    }
}
