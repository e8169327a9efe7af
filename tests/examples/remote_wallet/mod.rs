//! A wallet whose key is on another machine, which signs over HTTP.

use std::error::Error;

use axum::http::StatusCode;
use nodeproof_client::{
    Signer, SignerError, Signing, WalletAddress,
    transport::{TransportOptions, http_client},
};

pub(crate) struct RemoteWallet {
    url: String,
    address: WalletAddress,
    http: reqwest::Client,
}

impl RemoteWallet {
    /// Requests the wallet's address.
    pub(crate) async fn connect(url: String) -> Result<Self, Box<dyn Error>> {
        let http = http_client(&url.parse()?, &TransportOptions::default())?;
        let response = http.get(&*url).send().await?.error_for_status()?;
        let address = response.text().await?.parse()?;
        Ok(Self { url, address, http })
    }
}

impl Signer for RemoteWallet {
    fn wallet_address(&self) -> WalletAddress {
        self.address
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move {
            let failed = |error: reqwest::Error| SignerError::failed("no response").because(error);
            let sent = self.http.post(&*self.url).body(message.to_vec()).send();
            let response = sent.await.map_err(failed)?;
            let status = response.status();
            let text = response.text().await.map_err(failed)?;
            match status {
                StatusCode::OK => text
                    .parse()
                    .map_err(|error| SignerError::failed("not a signature").because(error)),
                StatusCode::FORBIDDEN => Err(SignerError::refused(text)),
                _ => Err(SignerError::failed(format!("status {status}"))),
            }
        })
    }
}
