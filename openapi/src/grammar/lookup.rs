//! Finds the keywords of a kind.

use super::keyword::{Keyword, Kind, Shape};
use super::tables::{
    COMPONENTS, CONTACT, DISCRIMINATOR, DOCUMENT, ENCODING, EXAMPLE, EXTERNAL_DOCS, HEADER, INFO,
    LICENSE, MEDIA_TYPE, OPERATION, PARAMETER, PATH_ITEM, REQUEST_BODY, RESPONSE, SCHEMA,
    SECURITY_SCHEME, SERVER, SERVER_VARIABLE, TAG, XML,
};

impl Kind {
    /// Returns all keywords of this kind, except `$ref` and extensions (`x-…`).
    pub fn keywords(self) -> &'static [Keyword] {
        match self {
            Self::Document => DOCUMENT,
            Self::Info => INFO,
            Self::Contact => CONTACT,
            Self::License => LICENSE,
            Self::Server => SERVER,
            Self::ServerVariable => SERVER_VARIABLE,
            Self::Components => COMPONENTS,
            Self::PathItem => PATH_ITEM,
            Self::Operation => OPERATION,
            Self::ExternalDocs => EXTERNAL_DOCS,
            Self::Parameter => PARAMETER,
            Self::RequestBody => REQUEST_BODY,
            Self::MediaType => MEDIA_TYPE,
            Self::Encoding => ENCODING,
            Self::Response => RESPONSE,
            Self::Example => EXAMPLE,
            Self::Header => HEADER,
            Self::Tag => TAG,
            Self::Schema => SCHEMA,
            Self::Discriminator => DISCRIMINATOR,
            Self::Xml => XML,
            Self::SecurityScheme => SECURITY_SCHEME,
        }
    }

    /// Returns the keyword of this kind with this name.
    pub fn keyword(self, name: &str) -> Option<&'static Keyword> {
        self.keywords().iter().find(|keyword| keyword.name == name)
    }

    /// Returns whether a `$ref` can replace an object of this kind.
    pub fn may_be_reference(self) -> bool {
        matches!(
            self,
            Self::Schema
                | Self::Response
                | Self::Parameter
                | Self::Example
                | Self::RequestBody
                | Self::Header
                | Self::SecurityScheme
        )
    }

    /// Returns the name of the member of `components` for objects of this kind.
    pub fn components_folder(self) -> Option<&'static str> {
        COMPONENTS.iter().find_map(|folder| match folder.shape {
            Shape::Named(kind) if kind == self => Some(folder.name),
            _ => None,
        })
    }
}
