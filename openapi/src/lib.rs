//! The OpenAPI description of a node's HTTP API.
//!
//! `node.yaml` is OpenAPI 3.0.3 and contains two things: the specification, which states what a
//! node must do, and, marked with `x-observed`, what real nodes do beyond it. `README.md` describes
//! the marks.
//!
//! By default this crate exports only two texts, and has no dependencies: [`NODE_YAML`], which is
//! enough for a build script, and the specification's numbered [`requirements`]. Two features add
//! more:
//!
//! | feature | adds |
//! | --- | --- |
//! | `json` | `NODE_JSON`, the same document as JSON |
//! | `document` | `Spec`, the parsed document: its two views, operations, schemas and validators |
//!
//! ```
//! assert!(nodeproof_openapi::NODE_YAML.contains("\nopenapi: 3.0.3\n"));
//! ```
//!
//! With the feature `document`:
//!
#![cfg_attr(feature = "document", doc = "```")]
#![cfg_attr(not(feature = "document"), doc = "```ignore")]
//! use nodeproof_openapi::{NODE_JSON, Spec, View};
//!
//! let spec = Spec::from_json(NODE_JSON)?;
//! let schema = spec.response_schema(View::Documented, "get_block", 200, &[]).unwrap_or_default();
//! let mismatches = spec.validator(View::Documented, &schema)?.mismatches(r#"{"index": "1"}"#)?;
//! assert!(!mismatches.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The description as written: OpenAPI 3.0.3 in YAML, with everything that is only observed.
///
/// ```
/// assert!(nodeproof_openapi::NODE_YAML.contains("\n  /get-block:\n"));
/// ```
pub const NODE_YAML: &str = include_str!("../node.yaml");

/// The description as compact JSON, with its members in the order of [`NODE_YAML`].
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(nodeproof_openapi::NODE_JSON)?;
/// assert_eq!(document["paths"]["/get-block"]["get"]["operationId"], "get_block");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[cfg(feature = "json")]
pub const NODE_JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/node.json"));

#[cfg(feature = "document")]
mod error;
#[cfg(feature = "document")]
mod exact_integers;
#[cfg(feature = "document")]
pub mod grammar;
#[cfg(feature = "document")]
mod operation;
#[cfg(feature = "document")]
pub mod pointer;
mod requirements;
#[cfg(feature = "document")]
mod schema;
#[cfg(feature = "document")]
mod spec;
#[cfg(feature = "document")]
pub mod view;

pub use requirements::{Basis, Requirement, SPECIFICATION_MD, requirement, requirements};
#[cfg(feature = "document")]
pub use {
    error::SpecError,
    exact_integers::read_for_validation,
    operation::{Operation, Parameter},
    schema::{Mismatch, SchemaValidator},
    spec::{Spec, View},
};
