//! What a gateway in front of the node needs: headers, certificate authorities and a client certificate.

use nodeproof_client::{
    BaseUrl, Error,
    transport::{SecretHeaders, TransportOptions, http_client},
};
use nodeproof_primitives::{Hidden, WalletAddress};
use nodeproof_wallet::{Exposure, exposed_key};

use super::exchange::quoted;

/// Access to a node behind a gateway. Nothing that is shown has a header's value or the private key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    headers: SecretHeaders,
    authorities_pem: Vec<Vec<u8>>,
    client_certificate_pem: Option<Hidden<Vec<u8>>>,
}

impl Access {
    /// Adds a header.
    pub(crate) fn add_header(&mut self, name: &str, value: &str) -> Result<(), Error> {
        self.headers.add(name, value)
    }

    /// Trusts the certificate authorities in the contents of a PEM file.
    pub(crate) fn add_authorities(&mut self, pem: String) {
        self.authorities_pem.push(pem.into_bytes());
    }

    /// Presents the certificate in the contents of a PEM file.
    pub(crate) fn set_client_certificate(&mut self, pem: String) {
        self.client_certificate_pem = Some(pem.into_bytes().into());
    }

    /// Adds everything of another access.
    pub(crate) fn add_all(&mut self, more: &Self) {
        self.headers.extend([&more.headers]);
        self.authorities_pem
            .extend(more.authorities_pem.iter().cloned());
        if let Some(pem) = &more.client_certificate_pem {
            self.client_certificate_pem = Some(pem.clone());
        }
    }

    /// Returns the headers of every request.
    pub(crate) fn headers(&self) -> &SecretHeaders {
        &self.headers
    }

    /// Returns the name of a header whose value exposes a private key, of these wallets or in a key file.
    pub(crate) fn exposed_key(&self, wallets: &[WalletAddress]) -> Option<(String, Exposure)> {
        let found = |name: &str, value: &str| {
            exposed_key(value, wallets).map(|found| (name.to_owned(), found))
        };
        self.headers.find_map(found)
    }

    /// Whether there is anything that only the node's operator should get.
    pub(crate) fn has_secret(&self) -> bool {
        !self.headers.is_empty() || self.client_certificate_pem.is_some()
    }

    /// Adds what TLS needs to the options of an HTTP client.
    pub(crate) fn apply_to(&self, options: &mut TransportOptions) {
        options
            .extra_roots_pem
            .extend(self.authorities_pem.iter().cloned());
        options.client_certificate_pem = self.client_certificate_pem.clone();
    }

    /// Fails if a PEM file can't be used for this node.
    pub(crate) fn check(&self, base_url: &BaseUrl) -> Result<(), Error> {
        if self.authorities_pem.is_empty() && self.client_certificate_pem.is_none() {
            return Ok(());
        }
        let mut options = TransportOptions::default();
        self.apply_to(&mut options);
        http_client(base_url, &options).map(drop)
    }

    /// Returns the options of a curl command, with placeholders for values and files. Each ends with a space.
    pub(crate) fn curl_options(&self) -> String {
        let headers = self.headers.keys();
        let mut options: String = headers
            .map(|name| format!("-H {} ", quoted(&format!("{name}: <hidden>"))))
            .collect();
        if !self.authorities_pem.is_empty() {
            options.push_str("--cacert '<file>' ");
        }
        if self.client_certificate_pem.is_some() {
            options.push_str("--cert '<file>' ");
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_command_names_headers_and_has_no_values() {
        let mut access = Access::default();
        assert_eq!(access.curl_options(), "");
        access.add_header("X-Api-Key", "5ec2e75ec2e7").unwrap();
        access.add_authorities("5ec2e75ec2e7".to_owned());
        access.set_client_certificate("5ec2e75ec2e7".to_owned());
        assert_eq!(
            access.curl_options(),
            "-H 'x-api-key: <hidden>' --cacert '<file>' --cert '<file>' "
        );
        assert!(access.has_secret());
        let pem = format!("{:?}", access.client_certificate_pem);
        assert_eq!(pem, "Some(<hidden>)");
    }
}
