//! The parsed document and its two views.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonschema::Registry;
use serde_json::Value;

use crate::{
    error::SpecError,
    operation::{self, Operation},
    pointer,
    schema::{self, SchemaValidator},
    view,
};

/// Selects one of the two views of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Only what the specification states.
    Documented,
    /// The whole document: the specification, and what was observed on real nodes.
    Full,
}

/// The schemas of a view, ready to be compiled, or the reason why that is impossible.
type Schemas = Result<Registry<'static>, String>;

/// The description of a node's API with its two views.
///
/// A node must conform to [`View::Documented`]. A node that only conforms to [`View::Full`] does not
/// conform to the specification.
///
/// ```
/// use nodeproof_openapi::{Spec, View};
///
/// let spec = Spec::from_json(r##"{
///     "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
///     "paths": {"/count": {"get": {"operationId": "count", "responses": {"200": {
///         "description": "a count", "content": {"application/json": {
///             "schema": {"$ref": "#/components/schemas/Count"}}}}}}}},
///     "components": {"schemas": {"Count": {
///         "type": "integer", "nullable": true, "x-observed": ["nullable"]}}}
/// }"##)?;
/// let schema = spec.response_schema(View::Documented, "count", 200, &[]).unwrap_or_default();
/// let documented = spec.validator(View::Documented, &schema)?;
/// assert!(documented.mismatches("42")?.is_empty());
/// assert_eq!(documented.mismatches("null")?.len(), 1);
/// assert!(spec.validator(View::Full, &schema)?.mismatches("null")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Spec {
    full: Value,
    documented: Value,
    full_schemas: OnceLock<Schemas>,
    documented_schemas: OnceLock<Schemas>,
    /// The compiled schemas, by their places.
    validators: Mutex<HashMap<(View, String), Arc<SchemaValidator>>>,
}

impl Spec {
    /// Parses the spec from its JSON text, such as [`NODE_JSON`](crate::NODE_JSON).
    ///
    /// # Errors
    /// If `text` is not JSON, or not an OpenAPI document.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        Self::from_value(serde_json::from_str(text)?)
    }

    /// Makes a spec from a parsed document.
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
            validators: Mutex::default(),
        })
    }

    /// Returns the documented view: what the specification states, without marks.
    pub fn documented(&self) -> &Value {
        &self.documented
    }

    /// Returns the spec as written, with its marks.
    pub fn full(&self) -> &Value {
        &self.full
    }

    /// Returns this view.
    fn view(&self, view: View) -> &Value {
        match view {
            View::Documented => &self.documented,
            View::Full => &self.full,
        }
    }

    /// Returns the operations of a view, in the order of the document.
    pub fn operations(&self, view: View) -> Vec<Operation<'_>> {
        operation::operations(self.view(view))
    }

    /// Returns the operation with this `operationId`, such as `get_block`.
    pub fn operation(&self, view: View, id: &str) -> Option<Operation<'_>> {
        self.operations(view)
            .into_iter()
            .find(|operation| operation.id == id)
    }

    /// Returns the place of the schema of an operation's JSON response.
    /// See [`Operation::response_schema`].
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

    /// Returns the branch of the schema at `pointer` whose `x-when` matches the query.
    pub fn branch(&self, view: View, pointer: &str, query: &[(&str, &str)]) -> Option<String> {
        operation::branch_for(self.view(view), pointer, query)
    }

    /// Follows the references from the node at `pointer`. Returns the target's place and the target.
    fn resolve(&self, view: View, pointer: &str) -> Option<(String, &Value)> {
        let view = self.view(view);
        operation::resolve(view, pointer, view.pointer(pointer)?)
    }

    /// Follows references, and any `allOf` of one schema, from the node at `pointer`.
    ///
    /// Returns the target's place and the target.
    ///
    /// OpenAPI 3.0 ignores the siblings of a `$ref`. A reference with its own description is
    /// therefore wrapped in `allOf`.
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

    /// Returns a schema's validator. `schema` is a name in `components` (`Block`) or a pointer (`/paths/…`).
    ///
    /// Each schema is compiled once.
    ///
    /// # Errors
    /// If the view has no such schema, or the schema can't be compiled.
    pub fn validator(&self, view: View, schema: &str) -> Result<Arc<SchemaValidator>, SpecError> {
        let pointer = if schema.starts_with('/') {
            schema.to_owned()
        } else {
            pointer::join("/components/schemas", schema)
        };
        let key = (view, pointer);
        let validators = || {
            self.validators
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = validators().get(&key) {
            return Ok(Arc::clone(known));
        }
        // Others may compile at the same time.
        let validator = Arc::new(self.compile(view, &key.1)?);
        Ok(Arc::clone(validators().entry(key).or_insert(validator)))
    }

    fn compile(&self, view: View, pointer: &str) -> Result<SchemaValidator, SpecError> {
        let schemas = match view {
            View::Documented => &self.documented_schemas,
            View::Full => &self.full_schemas,
        }
        .get_or_init(|| schema::registry(self.view(view)).map_err(|error| error.to_string()))
        .as_ref()
        .map_err(|reason| SpecError::unusable("", reason))?;
        if self.view(view).pointer(pointer).is_none() {
            return Err(SpecError::UnknownSchema(pointer.to_owned()));
        }
        SchemaValidator::compile(schemas, pointer)
    }
}
