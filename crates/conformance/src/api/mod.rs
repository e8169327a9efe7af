//! What the API's requests and responses mean.

mod index_search;

pub(crate) use index_search::IndexSearch;
