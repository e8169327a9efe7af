//! The tables of allowed and forbidden dependencies.
//!
//! ARCHITECTURE.md gives the reasons.

/// One of our packages, and those of our packages that it may depend on.
pub(super) struct MayKnow {
    pub(super) package: &'static str,
    /// Allowed for any purpose.
    pub(super) always: &'static [&'static str],
    /// Allowed only in its build script and its tests.
    pub(super) not_shipped: &'static [&'static str],
}

const fn may_know(package: &'static str, always: &'static [&'static str]) -> MayKnow {
    MayKnow {
        package,
        always,
        not_shipped: &[],
    }
}

/// A package that is not listed may use all packages.
pub(super) const MAY_KNOW: &[MayKnow] = &[
    may_know("nodeproof-openapi", &[]),
    may_know("nodeproof-primitives", &[]),
    may_know("nodeproof-files", &[]),
    may_know(
        "nodeproof-wallet",
        &["nodeproof-primitives", "nodeproof-files"],
    ),
    MayKnow {
        package: "nodeproof-client",
        always: &["nodeproof-primitives"],
        not_shipped: &["nodeproof-openapi", "nodeproof-wallet", "nodeproof-devnode"],
    },
    MayKnow {
        package: "nodeproof-claims",
        always: &[
            "nodeproof-client",
            "nodeproof-primitives",
            "nodeproof-files",
        ],
        not_shipped: &["nodeproof-wallet"],
    },
    may_know("nodeproof-report", &["nodeproof-primitives"]),
    may_know(
        "nodeproof-conformance",
        &[
            "nodeproof-openapi",
            "nodeproof-primitives",
            "nodeproof-client",
            "nodeproof-claims",
            "nodeproof-wallet",
            "nodeproof-report",
            "nodeproof-files",
        ],
    ),
    may_know(
        "nodeproof-cli",
        &[
            "nodeproof-primitives",
            "nodeproof-client",
            "nodeproof-claims",
            "nodeproof-wallet",
            "nodeproof-files",
        ],
    ),
    may_know(
        "nodeproof-devnode",
        &[
            "nodeproof-openapi",
            "nodeproof-primitives",
            "nodeproof-wallet",
        ],
    ),
];

/// The layers of a package, from top to bottom: names of files or folders in `src`.
pub(super) const LAYERS: &[(&str, &[&str])] = &[(
    "nodeproof-conformance",
    &[
        "cli",
        "monitor",
        "nodes",
        "run",
        "sweep",
        "cases",
        "checks",
        "context",
        "discovery",
        "api",
        "http",
    ],
)];

/// Packages that another package must not have among its normal dependencies, and the reason.
pub(super) struct Forbidden {
    pub(super) package: &'static str,
    pub(super) dependencies: &'static [&'static str],
    /// Whether indirect dependencies count.
    pub(super) transitive: bool,
    pub(super) why: &'static str,
}

pub(super) const FORBIDDEN: &[Forbidden] = &[
    Forbidden {
        package: "nodeproof-report",
        dependencies: &["reqwest", "hyper", "jsonschema", "tokio"],
        transitive: true,
        why: "a program that only reads reports needs no HTTP and no schemas",
    },
    Forbidden {
        package: "nodeproof-primitives",
        dependencies: &["reqwest", "hyper", "tokio", "tempfile"],
        transitive: true,
        why: "primitives do no I/O",
    },
    Forbidden {
        package: "nodeproof-openapi",
        dependencies: &["reqwest", "hyper", "tokio"],
        transitive: true,
        why: "the description of the API needs no HTTP",
    },
    Forbidden {
        package: "nodeproof-wallet",
        dependencies: &["reqwest", "hyper"],
        transitive: true,
        why: "a wallet needs no HTTP",
    },
    Forbidden {
        package: "nodeproof-files",
        dependencies: &["reqwest", "hyper", "tokio"],
        transitive: true,
        why: "files need no HTTP",
    },
    Forbidden {
        package: "nodeproof-client",
        dependencies: &["tempfile"],
        transitive: false,
        why: "the client writes no files",
    },
];

/// Features that must stay off in the whole build, and the reason.
pub(super) const FORBIDDEN_FEATURES: &[(&str, &str, &str)] = &[(
    "serde_json",
    "arbitrary_precision",
    "it is switched on for every crate at once, and breaks untagged and flattened types",
)];

/// Packages that must not be in any dependency tree, and the reason.
pub(super) const FORBIDDEN_EVERYWHERE: &[(&str, &str)] = &[(
    "openssl-sys",
    "TLS is rustls' here; nothing has to be installed for it",
)];

/// Pre-releases that normal dependencies may include, and the reason. There are none.
pub(super) const ALLOWED_PRE_RELEASES: &[(&str, &str)] = &[];

/// Packages of which normal dependencies may include only one version. Types of two versions are not
/// compatible, and two versions of a large package cost time in each build.
pub(super) const ONE_VERSION: &[&str] = &[
    "axum",
    "clap",
    "digest",
    "http",
    "hyper",
    "jsonschema",
    "reqwest",
    "rustls",
    "schemars",
    "serde_json",
    "sha2",
    "tokio",
    "url",
];
