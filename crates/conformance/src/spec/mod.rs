//! The description of the node's API, and what the checks read from it.
//!
//! There is one description, `openapi/node.yaml`. It holds the contract and, marked as such, what
//! real nodes were seen to do besides. A [`Spec`] has both as two [`View`]s: the documented one is
//! what a node must do; a node that needs the full one departs from the contract.
//!
//! ```
//! use nodeproof_conformance::spec::{Spec, View};
//!
//! let spec = Spec::from_json(r##"{
//!     "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
//!     "paths": {"/answer": {"get": {"operationId": "answer", "responses": {"200": {
//!         "description": "the answer", "content": {"application/json": {
//!             "schema": {"$ref": "#/components/schemas/Answer"}}}}}}}},
//!     "components": {"schemas": {"Answer": {
//!         "type": "integer", "nullable": true, "x-observed": ["nullable"]}}}
//! }"##)?;
//! let schema = spec.response_schema(View::Documented, "answer", 200, &[]).unwrap_or_default();
//! let documented = spec.validator(View::Documented, &schema)?;
//! assert!(documented.departures("42")?.is_empty());
//! assert_eq!(documented.departures("null")?.len(), 1);
//! assert!(spec.validator(View::Full, &schema)?.departures("null")?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod exact_integers;
pub mod grammar;
mod operation;
pub mod pointer;
mod schema;
pub mod view;

use std::sync::OnceLock;

use jsonschema::Registry;
use serde_json::Value;

pub use exact_integers::read_for_validation;
pub use operation::{Operation, Parameter};
pub use schema::{Departure, SchemaValidator};

/// Which part of the spec is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// What the contract says, and nothing else.
    Documented,
    /// The contract and what real nodes were seen to do.
    Full,
}

/// Why the spec could not be read, or used as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// It is not a JSON document.
    #[error("the spec is not JSON")]
    Json(#[from] serde_json::Error),
    /// It is a JSON document without operations.
    #[error("the spec is not an OpenAPI document: it has no paths")]
    NotOpenApi,
    /// There is no schema at the place asked for.
    #[error("the spec has no schema at {0}")]
    UnknownSchema(String),
    /// A schema can't be compiled.
    #[error("the schema at {pointer} can't be used: {reason}")]
    Schema {
        /// The schema's place in the view.
        pointer: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl SpecError {
    fn unusable(pointer: &str, reason: &dyn std::fmt::Display) -> Self {
        Self::Schema {
            pointer: pointer.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// The schemas of a view, ready to be compiled; or why they can't be.
type Schemas = Result<Registry<'static>, String>;

/// The description of a node's API, with its views.
#[derive(Debug)]
pub struct Spec {
    full: Value,
    documented: Value,
    full_schemas: OnceLock<Schemas>,
    documented_schemas: OnceLock<Schemas>,
}

impl Spec {
    /// Reads the spec from its JSON text.
    ///
    /// # Errors
    /// If `text` is not JSON, or not an OpenAPI document.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        Self::from_value(serde_json::from_str(text)?)
    }

    /// Takes a spec that has been read already.
    ///
    /// # Errors
    /// If `document` is not an OpenAPI document.
    pub fn from_value(document: Value) -> Result<Self, SpecError> {
        if !document.get("paths").is_some_and(Value::is_object) {
            return Err(SpecError::NotOpenApi);
        }
        Ok(Self {
            documented: view::documented(&document),
            full: document,
            full_schemas: OnceLock::new(),
            documented_schemas: OnceLock::new(),
        })
    }

    /// The documented view: what the contract says, without marks.
    pub fn documented(&self) -> &Value {
        &self.documented
    }

    /// The spec as written, marks included.
    pub fn full(&self) -> &Value {
        &self.full
    }

    /// The view asked for.
    pub fn view(&self, view: View) -> &Value {
        match view {
            View::Documented => &self.documented,
            View::Full => &self.full,
        }
    }

    /// The operations of a view, in the order in which they are written.
    pub fn operations(&self, view: View) -> Vec<Operation<'_>> {
        operation::operations(self.view(view))
    }

    /// The operation with this `operationId`.
    pub fn operation(&self, view: View, id: &str) -> Option<Operation<'_>> {
        self.operations(view)
            .into_iter()
            .find(|operation| operation.id == id)
    }

    /// The place of the schema of an operation's JSON answer; see
    /// [`Operation::response_schema`].
    pub fn response_schema(
        &self,
        view: View,
        operation: &str,
        status: u16,
        query: &[(&str, &str)],
    ) -> Option<String> {
        self.operation(view, operation)?
            .response_schema(status, query)
    }

    /// The branch of the schema at `pointer` whose `x-when` holds for the query, if there is one.
    pub fn branch(&self, view: View, pointer: &str, query: &[(&str, &str)]) -> Option<String> {
        operation::branch_for(self.view(view), pointer, query)
    }

    /// Follows the references from the node at `pointer`, and gives the place and node they lead to.
    pub fn resolve(&self, view: View, pointer: &str) -> Option<(String, &Value)> {
        let view = self.view(view);
        operation::resolve(view, pointer, view.pointer(pointer)?)
    }

    /// As [`resolve`](Self::resolve), and through an `allOf` of one schema as well.
    ///
    /// A reference takes no siblings, so one that is described has to be wrapped like that.
    pub fn unwrap(&self, view: View, pointer: &str) -> Option<(String, &Value)> {
        let mut at = pointer.to_owned();
        for _ in 0..32 {
            let (place, node) = self.resolve(view, &at)?;
            let wrapped = node.get("allOf").and_then(Value::as_array).map(Vec::len) == Some(1);
            if !wrapped || node.get("properties").is_some() {
                return Some((place, node));
            }
            at = pointer::join(&pointer::join(&place, "allOf"), "0");
        }
        None
    }

    /// Compiles a schema, named as in `components` (`Block`) or by its JSON pointer (`/paths/…`).
    ///
    /// Compiling takes a while: keep the validator.
    ///
    /// # Errors
    /// If the view has no such schema, or it can't be compiled.
    pub fn validator(&self, view: View, schema: &str) -> Result<SchemaValidator, SpecError> {
        let schemas = match view {
            View::Documented => &self.documented_schemas,
            View::Full => &self.full_schemas,
        }
        .get_or_init(|| schema::registry(self.view(view)).map_err(|error| error.to_string()))
        .as_ref()
        .map_err(|reason| SpecError::unusable("", reason))?;
        let pointer = if schema.starts_with('/') {
            schema.to_owned()
        } else {
            pointer::join("/components/schemas", schema)
        };
        if self.view(view).pointer(&pointer).is_none() {
            return Err(SpecError::UnknownSchema(pointer));
        }
        SchemaValidator::compile(schemas, &pointer)
    }
}
